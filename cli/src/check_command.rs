//! `pathproof check`: whether a path is free for every configuration on it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use pathproof::check::{Answer, Certifier, CheckScratch, Checker, Limit, Report, Settings, Verdict};
use pathproof::formats::path_file::{self, LoadedPath, PathSettings};
use pathproof::formats::{certificate, scene_file};
use pathproof::scene::Scene;

use crate::profile_output;
use crate::report::{self, Reported};
use crate::{contacts, output, output_files};

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
    /// Accept a scene in which no pair of bodies is checked.
    #[arg(long)]
    allow_empty: bool,
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
        Some(_) => Certifier::new(&checker).path(&path.waypoints, &settings, &mut scratch),
        None => checker.path(&path.waypoints, &settings, &mut scratch).map(|answer| (answer, None)),
    }
    .with_context(|| path_name(&args.path))?;
    let time = start.elapsed();
    if let (Some(file), None) = (&args.certificate, &proof) {
        warnings.push(format!("{} was not written: only what is free has a certificate", file.display()));
    }
    if settings.report == Report::All {
        put_in_order(&mut answer);
    }
    warnings.extend(incomplete(&answer, settings.report));
    let is_free = matches!(answer.verdict, Verdict::Free(_));
    if !is_free {
        warnings.extend(contacts_at_start(&checker, &path.waypoints[0], &mut scratch));
    }
    let profile = match &args.profile {
        Some(out) => Some(profile_output::compute(out, scene, &path.waypoints, &settings)?),
        None => None,
    };
    if let Some(profile) = &profile {
        profile.refine(&mut answer);
        warnings.extend(profile.incomplete());
    }
    // Only now is it known that nothing else can go wrong.
    if let (Some(file), Some(bytes)) = (&args.certificate, &proof) {
        certificate::write(file, bytes)?;
    }
    if let Some(profile) = &profile {
        profile.write(scene)?;
    }
    let joints = report::joint_names(scene);
    let reported = Reported {
        scene,
        joints: &joints,
        answer: &answer,
        segments: (path.waypoints.len() - 1).max(1),
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
    let mut inputs = loaded.files;
    inputs.extend(Some(&args.path).filter(|path| !is_standard_input(path)).cloned());
    let outputs = [("--profile", &args.profile), ("--certificate", &args.certificate)];
    let outputs: Vec<_> = outputs.into_iter().filter_map(|(option, path)| Some((option, path.as_ref()?))).collect();
    output_files::check(&outputs, &inputs)?;
    let path_settings = PathSettings { ignore_limits: args.ignore_limits };
    let path = read_path(&args.path, &scene, path_settings)?;
    let mut warnings = loaded.warnings;
    warnings.extend(path.warnings.iter().cloned());
    warnings.extend(nothing_checked(&scene, args.allow_empty)?);
    let checker = match settings.report {
        Report::All => Checker::with_separate_obstacles(scene),
        Report::Any | Report::First => Checker::new(scene),
    };
    let checker = checker.with_context(|| args.scene.display().to_string())?;
    Ok(Job { checker, path, settings, warnings, json: args.json })
}

fn settings(args: &Args) -> Result<Settings> {
    let report = match (args.first, args.all) {
        (true, _) => Report::First,
        (_, true) => Report::All,
        _ => Report::Any,
    };
    let max_time = match args.max_seconds {
        Some(seconds) => Some(
            Duration::try_from_secs_f64(seconds)
                .map_err(|_| anyhow::anyhow!("--max-seconds: {seconds} is not a number of seconds of at least 0"))?,
        ),
        None => None,
    };
    Ok(Settings { report, max_queries: args.max_queries, max_time, ..Settings::default() })
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

/// A scene without pairs makes every path free, which is rarely what its writer meant: an error, or a warning where it
/// was allowed.
pub(crate) fn nothing_checked(scene: &Scene, is_allowed: bool) -> Result<Option<String>> {
    let is_empty = scene.pairs().is_empty();
    ensure!(
        is_allowed || !is_empty,
        "no pair of bodies is checked, so every path would be free; `pathproof scene` says why, --allow-empty accepts it"
    );
    Ok(is_empty.then(|| "no pair of bodies is checked, so every path is free".to_owned()))
}

/// Findings by place; the verdict is the earliest collision, or the earliest place that is too close.
fn put_in_order(answer: &mut Answer) {
    answer.findings.sort_by(|x, y| x.segment.cmp(&y.segment).then(x.t.total_cmp(&y.t)).then(x.bodies.cmp(&y.bodies)));
    let collision = answer.findings.iter().find(|finding| report::is_collision(finding));
    if let Some(finding) = collision {
        answer.verdict = Verdict::Collision(finding.clone());
    } else if let Some(finding) = answer.findings.first() {
        answer.verdict = Verdict::TooClose(finding.clone());
    }
}

/// With `--first` and `--all` a limit may end the search after something was found.
fn incomplete(answer: &Answer, report: Report) -> Option<String> {
    if matches!(answer.verdict, Verdict::Undecided(_)) {
        return None;
    }
    let reached = match answer.open.as_ref()?.limit {
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

/// Pairs that touch at the first configuration already.
fn contacts_at_start(checker: &Checker, first: &[f64], scratch: &mut CheckScratch) -> Option<String> {
    let answer = checker.path(&[first.to_vec()], &Settings::default(), scratch).ok()?;
    if !matches!(answer.verdict, Verdict::Collision(_)) {
        return None;
    }
    let meetings = contacts::at(checker.scene(), first);
    contacts::describe(checker.scene(), &meetings, "at the first configuration already")
}
