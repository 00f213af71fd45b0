//! Last proof of a path, its certificate, and the written files.

use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use pathproof::certificate::Certificate;
use pathproof::check::{CheckScratch, Checker, Free, Settings, Verdict};
use pathproof::path::Motion;
use pathproof::plan::Effort;
use pathproof_formats::{OutputSet, path_file};
use serde_json::{Value, json};

use super::{Common, INTERRUPT, is_interrupted};
use crate::view;

/// Path that was proven once more, as written.
pub(crate) struct Proven {
    /// Result of the last proof; `None` if it was interrupted.
    pub(crate) free: Option<Free>,
    certificate: Option<Certificate>,
}

/// Time that the last proof may take after Ctrl-C. If it takes longer, it is left out with a warning.
const GRACE: Duration = Duration::from_millis(300);

/// Settings of the last proof: Ctrl-C ends it at once, or soon if it was pressed before.
fn last_settings() -> Settings {
    match is_interrupted() {
        true => Settings { max_time: Some(GRACE), ..Settings::default() },
        false => Settings { interrupt: Some(INTERRUPT), ..Settings::default() },
    }
}

/// Proves a path, and records the proof if requested. Fails if the path is not free, which never happens to a path of a
/// planner that proves its paths.
pub(crate) fn prove(
    common: &Common,
    checker: &Checker,
    waypoints: &[Vec<f64>],
    warnings: &mut Vec<String>,
) -> Result<Proven> {
    let (settings, mut scratch) = (last_settings(), CheckScratch::new(checker));
    let answer = checker.path(&Motion::lines(waypoints), &settings, &mut scratch)?;
    let free = match &answer.verdict {
        Verdict::Free(free) => Some(*free),
        Verdict::Undecided(_) if is_interrupted() => {
            let text =
                "interrupted before the path was proven as a whole: its segments were, one by one, as they were found";
            warnings.push(text.to_owned());
            None
        }
        _ => bail!("the path that was found is not free: this is a fault of pathproof, please report it"),
    };
    let mut proof = None;
    if let Some(file) = &common.certificate {
        proof = certificate_of(checker, waypoints)?;
        if proof.is_none() {
            let why = match is_interrupted() {
                true => "interrupted; `pathproof check --certificate` makes one",
                false => {
                    "the path is free, but too near to its clearance for a proof that leaves room for other arithmetic"
                }
            };
            warnings.push(format!("{} was not written: {why}", file.display()));
        }
    }
    Ok(Proven { free, certificate: proof })
}

/// Divisors of the tolerance, tried one after the other until there is a certificate.
const FINER: [f64; 3] = [1.0, 16.0, 256.0];

/// Certificate of a free path. Its search differs from the one that proved the path, so a path within the tolerance of
/// its clearance, such as a smoothed one, may be too close for it. Then the search tries harder. A certificate does not
/// state the tolerance.
fn certificate_of(checker: &Checker, waypoints: &[Vec<f64>]) -> Result<Option<Certificate>> {
    for divisor in FINER {
        let scene = checker.scene().clone();
        let tolerance = scene.tolerance() / divisor;
        let finer = checker.updated(scene.with_tolerance(tolerance)?);
        let settings = last_settings();
        let (answer, proof) = finer.certify(&Motion::lines(waypoints), &settings, &mut CheckScratch::new(&finer))?;
        if proof.is_some() || (is_interrupted() && matches!(answer.verdict, Verdict::Undecided(_))) {
            return Ok(proof);
        }
    }
    Ok(None)
}

/// Path, certificate and page, as far as requested.
pub(crate) fn files(
    common: &Common,
    checker: &Checker,
    waypoints: &[Vec<f64>],
    proven: Option<&Proven>,
    (scene_file, warnings): (&Path, &mut Vec<String>),
) -> Result<OutputSet> {
    ensure!(!waypoints.is_empty(), "the path has no waypoint");
    let mut files = OutputSet::default();
    files.add(&common.output, path_file::to_csv(checker.scene(), waypoints).into_bytes())?;
    let proof = proven.and_then(|proven| proven.certificate.as_ref());
    if let (Some(file), Some(proof)) = (&common.certificate, proof) {
        files.add(file, proof.to_bytes())?;
    }
    if let Some(page) = &common.report {
        let path = Motion::lines(waypoints);
        let names = [scene_file, &common.output].map(|file| file.display().to_string());
        let written = common.certificate.as_ref().filter(|_| proof.is_some());
        let status = written.map(|file| format!("written to {}", file.display()));
        match page_unless_interrupted(checker, path, names, status)? {
            Some(made) => files.add(page, made)?,
            None => {
                warnings.push(format!("{} was not written: interrupted; `pathproof view` makes one", page.display()))
            }
        }
    }
    Ok(files)
}

/// Time between two polls of Ctrl-C.
const LOOK: Duration = Duration::from_millis(20);

/// Makes the page in a separate thread, which Ctrl-C abandons: writing meshes takes seconds.
fn page_unless_interrupted(
    checker: &Checker,
    path: Motion,
    names: [String; 2],
    certificate: Option<String>,
) -> Result<Option<Vec<u8>>> {
    let (send, made) = mpsc::channel();
    let checker = checker.updated(checker.scene().clone());
    std::thread::spawn(move || {
        let page = view::of_path(&checker, &path, &Settings::default(), names, certificate);
        // After Ctrl-C there is no receiver any more.
        let _ = send.send(page);
    });
    loop {
        match made.recv_timeout(LOOK) {
            Ok(page) => return page.map(Some),
            Err(mpsc::RecvTimeoutError::Disconnected) => bail!("the page could not be made"),
            Err(mpsc::RecvTimeoutError::Timeout) if is_interrupted() => return Ok(None),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
    }
}

/// The work done, as JSON.
pub(crate) fn stats(effort: &Effort, seconds: f64) -> Value {
    let work = &effort.statistics;
    json!({
        "seconds": seconds, "steps": effort.steps, "milestones": effort.milestones, "segments": effort.segments,
        "candidates": effort.candidates, "configurations": work.configurations,
        "distance_queries": work.distance_queries, "volume_tests": work.volume_tests,
        "triangle_tests": work.triangle_tests, "bisections": work.bisections,
    })
}

/// The work done, as text.
pub(crate) fn work(effort: &Effort, seconds: f64) -> String {
    let work = &effort.statistics;
    format!(
        "{} steps, {} segments checked, {} configurations, {} distance queries, {:.3} ms",
        effort.steps,
        effort.segments,
        work.configurations,
        work.distance_queries,
        seconds * 1e3
    )
}
