//! `pathproof check`: whether a path is free for every configuration on it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use pathproof::check::{Answer, CheckScratch, Checker, Limit, Report, Settings, Verdict};
use pathproof::formats::path_file::{self, LoadedPath, PathSettings};
use pathproof::formats::{certificate, scene_file};
use pathproof::scene::Scene;

use crate::output;
use crate::profile_output;
use crate::report::{self, Reported};

/// What was typed.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Scene file (TOML).
    scene: PathBuf,
    /// Path: CSV with a header of joint names, or a ROS trajectory (.json, .yaml); - reads standard input.
    path: PathBuf,
    /// Distance that must be exceeded (metres), instead of the scene's default; pairs with their own keep it.
    #[arg(long, value_name = "C", allow_negative_numbers = true)]
    clearance: Option<f64>,
    /// How close to the clearance the search stops trying to prove (metres), instead of the scene's.
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    tolerance: Option<f64>,
    /// Find the earliest contact on the path.
    #[arg(long, conflicts_with = "all")]
    first: bool,
    /// Report every offending pair on every segment.
    #[arg(long)]
    all: bool,
    /// Write proven bounds on the distance of every pair along the path, as near as the tolerance; limits count anew.
    #[arg(long, value_name = "OUT.csv")]
    profile: Option<PathBuf>,
    /// Write down why the path is free, for `pathproof verify`; written only if it is.
    #[arg(long, value_name = "OUT.ppc")]
    certificate: Option<PathBuf>,
    /// Most distance queries; where they do not suffice, the verdict is undecided.
    #[arg(long, value_name = "N")]
    max_queries: Option<u64>,
    /// Longest time; where it does not suffice, the verdict is undecided.
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    max_seconds: Option<f64>,
    /// Accept waypoints outside joint limits.
    #[arg(long)]
    ignore_limits: bool,
    /// One JSON object and nothing else on standard output.
    #[arg(long)]
    json: bool,
}

/// What is to be done, everything read and checked.
struct Job {
    checker: Checker,
    path: LoadedPath,
    settings: Settings,
    warnings: Vec<String>,
    json: bool,
}

/// Answers, or says what is wrong. The status is 0 for `free`, else 1.
pub(crate) fn run(args: Args) -> Result<ExitCode> {
    let Job { checker, path, settings, mut warnings, json } = resolve(&args)?;
    let scene = checker.scene();
    let mut scratch = CheckScratch::new(&checker);
    let start = Instant::now();
    let (mut answer, proof) = match args.certificate {
        Some(_) => checker.certify(&path.waypoints, &settings, &mut scratch),
        None => checker.path(&path.waypoints, &settings, &mut scratch).map(|answer| (answer, None)),
    }
    .with_context(|| path_name(&args.path))?;
    let time = start.elapsed();
    match (&args.certificate, &proof) {
        (Some(file), Some(proof)) => certificate::write(file, proof)?,
        (Some(file), None) => {
            warnings.push(format!("{} was not written: only what is free has a certificate", file.display()));
        }
        (None, _) => {}
    }
    warnings.extend(incomplete(&answer, settings.report));
    warnings.extend(raised_tolerance(&answer, scene));
    let is_free = matches!(answer.verdict, Verdict::Free(_));
    if !is_free {
        warnings.extend(contacts_at_start(&checker, &path.waypoints[0], &mut scratch));
    }
    let profile = match &args.profile {
        Some(out) => Some(profile_output::write(out, &checker, &path.waypoints, &settings, &mut scratch)?),
        None => None,
    };
    if let Some(written) = &profile {
        written.refine(&mut answer);
        warnings.extend(written.incomplete());
    }
    let joints = report::joint_names(scene);
    let reported = Reported {
        scene,
        joints: &joints,
        answer: &answer,
        report: settings.report,
        warnings: &warnings,
        time: Some(time),
        row: None,
        profile: profile.as_ref(),
    };
    let written = output::write(|out| match json {
        true => report::write_json(&reported, out),
        false => report::write_text(&reported, out),
    })?;
    Ok(if is_free { written } else { ExitCode::from(1) })
}

fn resolve(args: &Args) -> Result<Job> {
    // The cheap things first, so that a typing error does not wait for large meshes.
    let settings = settings(args)?;
    let loaded = scene_file::read(&args.scene)?;
    let mut scene = loaded.scene;
    if let Some(clearance) = args.clearance {
        scene = scene.with_clearance(clearance).context("--clearance")?;
    }
    if let Some(tolerance) = args.tolerance {
        scene = scene.with_tolerance(tolerance).context("--tolerance")?;
    }
    let path_settings = PathSettings { ignore_limits: args.ignore_limits };
    let path = read_path(&args.path, &scene, path_settings)?;
    let mut warnings = loaded.warnings;
    warnings.extend(path.warnings.iter().cloned());
    warnings.extend(nothing_checked(&scene));
    Ok(Job { checker: Checker::new(scene), path, settings, warnings, json: args.json })
}

fn settings(args: &Args) -> Result<Settings> {
    let report = match (args.first, args.all) {
        (true, _) => Report::First,
        (_, true) => Report::All,
        _ => Report::Any,
    };
    let max_time = max_time(args.max_seconds)?;
    Ok(Settings { report, max_queries: args.max_queries, max_time, ..Settings::default() })
}

/// What `--max-seconds` says.
pub(crate) fn max_time(seconds: Option<f64>) -> Result<Option<Duration>> {
    let Some(seconds) = seconds else { return Ok(None) };
    let time = Duration::try_from_secs_f64(seconds);
    time.map(Some).map_err(|_| anyhow::anyhow!("--max-seconds: {seconds} is not a number of seconds of at least 0"))
}

/// Stands in messages for what has no name.
pub(crate) const STANDARD_INPUT: &str = "standard input";

/// Whether `-` was given.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a path from a file or from standard input.
pub(crate) fn read_path(path: &Path, scene: &Scene, settings: PathSettings) -> Result<LoadedPath> {
    Ok(match is_standard_input(path) {
        true => path_file::read_from(&mut std::io::stdin().lock(), STANDARD_INPUT.as_ref(), scene, settings)?,
        false => path_file::read(path, scene, settings)?,
    })
}

fn path_name(path: &Path) -> String {
    if is_standard_input(path) { STANDARD_INPUT.to_owned() } else { path.display().to_string() }
}

/// A scene without pairs makes every path free, which is rarely what its writer meant.
pub(crate) fn nothing_checked(scene: &Scene) -> Option<String> {
    let warning = "no pair of bodies is checked, so every path is free; `pathproof scene` says why";
    scene.pairs().is_empty().then(|| warning.to_owned())
}

/// With `--first` and `--all` a limit may end the search after something was found.
fn incomplete(answer: &Answer, report: Report) -> Option<String> {
    if matches!(answer.verdict, Verdict::Undecided(_)) {
        return None;
    }
    let reached = match answer.unresolved.as_ref()?.limit {
        Limit::Queries => "the limit of --max-queries was reached",
        Limit::Seconds => "the limit of --max-seconds was reached",
        Limit::Resolution => "a pair grazes its clearance and stays undecided",
    };
    let missed = match report {
        Report::First => "something earlier may have been missed",
        Report::Any | Report::All => "there may be more than what was found",
    };
    Some(format!("{reached}: {missed}"))
}

/// Below what rounding allows a tolerance cannot be kept.
fn raised_tolerance(answer: &Answer, scene: &Scene) -> Option<String> {
    let (kept, asked) = (answer.tolerance, scene.tolerance());
    let why = "the arithmetic of this scene resolves no less";
    (kept > asked).then(|| format!("the tolerance was raised from {asked:?} m to {kept:?} m: {why}"))
}

/// Pairs that touch at the first configuration already: most often they belong together, and the scene does not say so.
fn contacts_at_start(checker: &Checker, first: &[f64], scratch: &mut CheckScratch) -> Vec<String> {
    let settings = Settings { report: Report::All, ..Settings::default() };
    let Ok(answer) = checker.path(&[first.to_vec()], &settings, scratch) else { return Vec::new() };
    let describe = |finding: &pathproof::check::Finding| {
        let [a, b] = report::names(checker.scene(), finding.bodies);
        format!(
            "{a} and {b} are in contact at the first configuration already; if they may be, add a [[pairs]] entry with check = false"
        )
    };
    let mut contacts: Vec<String> =
        answer.findings.iter().filter(|finding| finding.is_collision()).map(describe).collect();
    contacts.sort();
    contacts.dedup();
    contacts
}
