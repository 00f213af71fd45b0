//! `pathproof smooth`: a shorter path with every segment proven and the same ends.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use pathproof::check::Verdict;
use pathproof::plan::{Budget, PlanError, Smoothed, Smoother, SmoothingEnd, Space, Stop, remove_redundant, smooth};
use pathproof::scene::Scene;
use pathproof_formats::OutputSet;
use pathproof_formats::path_file::{self, PathSettings};
use serde_json::json;

use crate::check_command::max_time;
use crate::clearances;
use crate::numbers::rounded;
use crate::path_argument::{path_name, read_paths};
use crate::planning::finish::{self, Proven};
use crate::planning::{Common, Ready, Spinner, listen, place_text, refusal};
use crate::report::{Lower, lower_clearance};
use crate::{output, output_files};

/// Command-line arguments.
#[derive(clap::Args)]
#[command(
    after_help = "Exit status: 0 a path was written, 1 the path is not free or not decided in time, 2 the input or the \
                        usage is wrong."
)]
pub(crate) struct Args {
    /// Scene file (TOML), or a robot (URDF) alone.
    scene: PathBuf,
    /// Path: CSV with a header of joint names, or a ROS message (.json, .yaml); - reads standard input.
    path: PathBuf,
    /// Number of shortcuts to try [default: until the length stops shrinking].
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Maximum time of the search, in seconds. The last proof of the path, its certificate and its page come after it.
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    max_seconds: Option<f64>,
    /// Keep all waypoints that shortcuts leave, including those that could be skipped.
    #[arg(long)]
    keep_waypoints: bool,
    #[command(flatten)]
    common: Common,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let common = &args.common;
    let max_time = max_time(args.max_seconds)?;
    let Ready { scene, mut warnings, notes, mut files } = common.scene(&args.scene)?;
    files.push(args.path.clone());
    output_files::check(&common.outputs(), &files)?;
    let paths = read_paths(&args.path, &scene, PathSettings { ignore_limits: common.ignore_limits })?;
    let name = path_name(&args.path);
    let points = path_file::only(paths, name.as_ref())?;
    let has_times = points.times.is_some();
    let (given_waypoints, of_path) = points.into_waypoints(name.as_ref())?;
    warnings.extend(of_path);
    if has_times {
        warnings.push("times are not kept: a shorter path has others".to_owned());
    }
    let crate::trees::Built { checker, time: preparation } = crate::trees::build(scene);
    let spinner = Spinner::new();
    let show = |progress| spinner.show(progress, "waypoints", "length");
    let interrupt = Some(listen());
    let budget = Budget { max_steps: args.steps, max_time, interrupt, progress: Some(&show), ..Budget::default() };
    let smoother = match args.steps {
        Some(_) => Smoother { patience: None, ..Smoother::default() },
        None => Smoother::default(),
    };
    let begun = Instant::now();
    let refused = |error| refusal(checker.scene(), error);
    // One scale for all lengths: ranges of joints without limits follow from the path.
    let given: Vec<&[f64]> = given_waypoints.iter().map(|q| &q[..]).collect();
    let space = Space::new(checker.scene(), &given).map_err(refused)?;
    let mut smoothed = match smooth(&checker, &given_waypoints, &smoother, common.seed, &budget) {
        Err(PlanError::PathNotFree { verdict }) => {
            spinner.clear();
            return not_free(common, checker.scene(), &verdict, &warnings, &notes);
        }
        smoothed => smoothed.map_err(refused)?,
    };
    if !args.keep_waypoints && matches!(smoothed.end, SmoothingEnd::Converged | SmoothingEnd::Stopped(Stop::Steps)) {
        let max_time = max_time.map(|time| time.saturating_sub(begun.elapsed()));
        let budget = Budget { max_time, interrupt, ..Budget::default() };
        let pass = remove_redundant(&checker, &smoothed.waypoints, &budget).map_err(refused)?;
        smoothed.effort.segments += pass.effort.segments;
        smoothed.effort.statistics += pass.effort.statistics;
        smoothed.waypoints = pass.waypoints;
        smoothed.length = space.path_length(&smoothed.waypoints);
    }
    spinner.clear();
    let seconds = (preparation + begun.elapsed()).as_secs_f64();
    let proven = finish::prove(common, &checker, &smoothed.waypoints, &mut warnings)?;
    let files = finish::files(common, &checker, &smoothed.waypoints, Some(&proven), (&args.scene, &mut warnings))?;
    let waypoints_before = given_waypoints.len();
    let done = Done { smoothed, proven, waypoints_before, seconds, warnings, notes };
    report(common, checker.scene(), &done, files)
}

/// Answer if the given path is not free.
fn not_free(
    common: &Common,
    scene: &Scene,
    verdict: &Verdict,
    warnings: &[String],
    notes: &[String],
) -> Result<ExitCode> {
    let why = place_text(scene, verdict);
    let what = match verdict {
        Verdict::Undecided(_) => "whether the path is free is not decided",
        _ => "the path is not free",
    };
    let printed = output::write(|out| {
        if common.json {
            let line = json!({
                "schema": 1, "proven": false, "verdict": verdict.name(), "why": why,
                "seed": common.seed, "warnings": warnings, "notes": notes,
            });
            return writeln!(out, "{line}");
        }
        writeln!(out, "not smoothed: {what}: {why}")?;
        notes.iter().try_for_each(|note| writeln!(out, "note: {note}"))?;
        warnings.iter().try_for_each(|warning| writeln!(out, "warning: {warning}"))
    });
    printed?;
    Ok(ExitCode::from(1))
}

/// Data on a smoothed path.
struct Done {
    smoothed: Smoothed,
    proven: Proven,
    waypoints_before: usize,
    seconds: f64,
    warnings: Vec<String>,
    notes: Vec<String>,
}

fn report(common: &Common, scene: &Scene, done: &Done, files: OutputSet) -> Result<ExitCode> {
    let Done { smoothed, proven, waypoints_before, seconds, warnings, notes } = done;
    let (waypoints_before, seconds) = (*waypoints_before, *seconds);
    let (end, name) = match smoothed.end {
        SmoothingEnd::Converged => ("the length does not shrink any more", "converged"),
        SmoothingEnd::Stopped(Stop::Steps) => ("the steps asked for (--steps)", "steps"),
        SmoothingEnd::Stopped(Stop::Time) => ("the time allowed (--max-seconds)", "seconds"),
        SmoothingEnd::Stopped(Stop::Interrupted) => ("an interruption", "interrupted"),
    };
    if common.json {
        let line = json!({
            "schema": 1, "proven": true, "waypoints_before": waypoints_before, "waypoints": smoothed.waypoints.len(),
            "length_before": smoothed.length_before, "length": smoothed.length, "shortcuts": smoothed.shortcuts,
            "end": name, "lower_clearance": proven.free.as_ref().and_then(lower_clearance), "lower": proven.free.as_ref().and_then(Lower::of),
            "clearance": scene.clearance(), "self_clearance": scene.self_clearance(),
            "tolerance": scene.tolerance(), "seed": common.seed, "output": common.output.display().to_string(), "warnings": warnings,
            "notes": notes, "stats": finish::stats(&smoothed.effort, seconds),
        });
        return output::write_with(files, |out| writeln!(out, "{line}"));
    }
    output::write_with(files, |out| {
        let (before, after) = (smoothed.length_before, smoothed.length);
        writeln!(
            out,
            "smoothed: proven free, {} of the joints' ranges long ({} before)",
            rounded(after),
            rounded(before)
        )?;
        writeln!(out, "  waypoints      {} ({waypoints_before} before)", smoothed.waypoints.len())?;
        writeln!(out, "  shortcuts      {} of {} tried; ended by {end}", smoothed.shortcuts, smoothed.effort.steps)?;
        if let Some(free) = proven.free.filter(|free| lower_clearance(free).is_some()) {
            writeln!(out, "  clearance      {}", clearances::proven(scene, free.lower))?;
        }
        writeln!(out, "  written        {}", common.output.display())?;
        writeln!(out, "  work           {}", finish::work(&smoothed.effort, seconds))?;
        notes.iter().try_for_each(|note| writeln!(out, "note: {note}"))?;
        warnings.iter().try_for_each(|warning| writeln!(out, "warning: {warning}"))
    })
}
