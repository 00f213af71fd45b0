//! `pathproof time`: gives a path velocities and times. The curve that a controller executes is proven free and within
//! its limits.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use pathproof::check::{CheckScratch, Checker, Settings, Verdict};
use pathproof_formats::OutputSet;
use pathproof_formats::path_file::{self, CurrentState, Message, Names, PathSettings};
use pathproof_motion::time::{Limits, TimeError, TimeSettings, Timed, time};
use serde_json::json;

use crate::check_command::nothing_checked;
use crate::clearances;
use crate::execution_arguments::current_state;
use crate::numbers::rounded;
use crate::path_argument::{path_name, read_paths};
use crate::planning::place_text;
use crate::report::{Lower, lower_clearance};
use crate::scene_argument::SceneArgs;
use crate::timing_arguments::TimingArgs;
use crate::{output, output_files, view};

/// Command-line arguments.
#[derive(clap::Args)]
#[command(
    after_help = "Exit status: 0 a trajectory was written, 1 the path is not free, 2 the input or the usage is wrong."
)]
pub(crate) struct Args {
    /// Scene file (TOML), or a robot (URDF) alone.
    scene: PathBuf,
    /// Path: CSV with a header of joint names, or a ROS message (.json, .yaml); - reads standard input. Times and velocities
    /// in it are replaced.
    path: PathBuf,
    /// Output file for the trajectory: a message (.yaml, .json), or a table with velocities (.csv).
    #[arg(short, long, value_name = "TRAJ.yaml|json|csv")]
    output: PathBuf,
    /// Message type to write.
    #[arg(long, value_name = "KIND", value_enum, default_value_t)]
    message: Kind,
    /// Write the robots' names before those of their joints, as in a scene in which robots share names.
    #[arg(long)]
    prefix: bool,
    #[command(flatten)]
    timing: TimingArgs,
    /// State of the robot at the start: positions, or positions;velocities, or a file with one state [default: at the
    /// first waypoint, at rest].
    #[arg(long, value_name = "Q[;V]", allow_hyphen_values = true)]
    from: Option<String>,
    /// Write a proof that the executed curve is free, for `pathproof verify`.
    #[arg(long, value_name = "OUT.ppc")]
    certificate: Option<PathBuf>,
    /// Write a page that plays the trajectory and its clearance.
    #[arg(long, value_name = "OUT.html")]
    report: Option<PathBuf>,
    #[command(flatten)]
    change: SceneArgs,
    /// Accept a scene in which no pair of bodies is checked.
    #[arg(long)]
    allow_empty: bool,
    /// Accept configurations outside joint limits.
    #[arg(long)]
    ignore_limits: bool,
    /// One JSON object and nothing else on standard output.
    #[arg(long)]
    json: bool,
}

/// Messages that a trajectory can be written as.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum Kind {
    /// trajectory_msgs/JointTrajectory.
    #[default]
    #[value(name = "joint-trajectory")]
    Joints,
    /// moveit_msgs/RobotTrajectory.
    #[value(name = "robot-trajectory")]
    Robot,
    /// A goal of control_msgs/FollowJointTrajectory.
    #[value(name = "follow-joint-trajectory")]
    Goal,
}

impl From<Kind> for Message {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Joints => Self::JointTrajectory,
            Kind::Robot => Self::RobotTrajectory,
            Kind::Goal => Self::FollowJointTrajectory,
        }
    }
}

/// Job with everything read and checked.
struct Job {
    checker: Checker,
    /// Time to build the trees.
    preparation: Duration,
    waypoints: Vec<Vec<f64>>,
    limits: Limits,
    settings: TimeSettings,
    warnings: Vec<String>,
    notes: Vec<String>,
}

/// Runs the command. The status is 1 if the path is not free.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let mut job = resolve(args)?;
    let begun = Instant::now();
    let timed = match job.run() {
        Err(TimeError::NotFree(answer)) => return job.not_free(args, &answer.verdict),
        timed => timed?,
    };
    let seconds = (job.preparation + begun.elapsed()).as_secs_f64();
    if let (Some(file), None) = (&args.certificate, &timed.certificate) {
        job.warnings.push(format!(
            "{} was not written: the trajectory is free, but too near to its clearance for a proof that leaves room for \
             other arithmetic",
            file.display()
        ));
    }
    let files = job.files(args, &timed)?;
    job.report(args, &timed, seconds, files)
}

fn resolve(args: &Args) -> Result<Job> {
    let timing = args.timing.resolve()?;
    let loaded = args.change.read(&args.scene)?;
    let (scene, mut warnings, mut notes) = (loaded.scene, loaded.warnings, loaded.told);
    let mut files = loaded.files;
    files.extend(args.timing.files().cloned().chain([args.path.clone()]));
    let outputs = [
        ("--output", Some(&args.output)),
        ("--certificate", args.certificate.as_ref()),
        ("--report", args.report.as_ref()),
    ];
    let outputs: Vec<_> = outputs.into_iter().filter_map(|(option, file)| Some((option, file?))).collect();
    path_file::PathFormat::of(&args.output)?;
    output_files::check(&outputs, &files)?;
    warnings.extend(nothing_checked(&scene, args.allow_empty)?);
    let settings = PathSettings { ignore_limits: args.ignore_limits };
    let name = path_name(&args.path);
    let points = path_file::only(read_paths(&args.path, &scene, settings)?, name.as_ref())?;
    let has_rates = points.derivatives.is_some() || points.times.is_some();
    ensure!(points.polynomials.is_none(), "{name}: the file states polynomials, and only straight lines are timed");
    let mut waypoints = points.waypoints;
    warnings.extend(points.warnings);
    if has_rates {
        notes.push(format!("times and velocities of {name} are replaced"));
    }
    let from = args.from.as_deref().map(|text| current_state(text, &scene, settings).context("--from")).transpose()?;
    let mut settings = timing.settings.clone();
    if let Some(CurrentState { positions, velocities }) = from {
        settings.start_velocities = velocities;
        waypoints.insert(0, positions);
    }
    settings.certify = args.certificate.is_some();
    let moved = settings.start_velocities.iter().map(|v| waypoints[0].iter().zip(v).map(|(q, v)| q + v).collect());
    let limits = timing.limits(scene.model(), &waypoints.iter().cloned().chain(moved).collect::<Vec<_>>())?;
    notes.extend(timing.notes);
    let crate::trees::Built { checker, time: preparation } = crate::trees::build(scene);
    Ok(Job { checker, preparation, waypoints, limits, settings, warnings, notes })
}

impl Job {
    /// Times the path. Returns no certificate if none exists for a trajectory that is free.
    fn run(&self) -> Result<Timed, TimeError> {
        let Self { checker, waypoints, limits, settings, .. } = self;
        let mut scratch = CheckScratch::new(checker);
        match time(checker, waypoints, limits, settings, &mut scratch) {
            Err(TimeError::NotFree(_)) if settings.certify => {
                time(checker, waypoints, limits, &TimeSettings { certify: false, ..settings.clone() }, &mut scratch)
            }
            timed => timed,
        }
    }

    /// All output files.
    fn files(&self, args: &Args, timed: &Timed) -> Result<OutputSet> {
        let scene = self.checker.scene();
        let names = if args.prefix { Names::Prefixed } else { Names::Urdf };
        let text = path_file::trajectory_text(&args.output, scene, &timed.knots, args.message.into(), names)?;
        let page = match &args.report {
            None => None,
            Some(_) => {
                let names = [&args.scene, &args.output].map(|file: &PathBuf| file.display().to_string());
                let proof = args.certificate.as_ref().filter(|_| timed.certificate.is_some());
                let proof = proof.map(|file: &PathBuf| format!("written to {}", file.display()));
                Some(view::of_path(&self.checker, &timed.motion, &Settings::default(), names, proof)?)
            }
        };
        let mut files = OutputSet::default();
        files.add(&args.output, text.into_bytes())?;
        if let (Some(file), Some(proof)) = (&args.certificate, &timed.certificate) {
            files.add(file, proof.to_bytes())?;
        }
        if let (Some(file), Some(page)) = (&args.report, page) {
            files.add(file, page)?;
        }
        Ok(files)
    }

    fn report(&self, args: &Args, timed: &Timed, seconds: f64, files: OutputSet) -> Result<ExitCode> {
        let scene = self.checker.scene();
        let Verdict::Free(free) = &timed.answer.verdict else { unreachable!("what was timed is free") };
        let lower = lower_clearance(free);
        let (duration, stops) = (timed.duration(), timed.stops());
        let farthest = timed.corners.iter().map(|corner| corner.deviation).fold(0.0, f64::max);
        if args.json {
            let line = json!({
                "schema": 1, "proven": true, "duration": duration, "points": timed.knots.len(),
                "waypoints": self.waypoints.len(), "corners": timed.corners.len(), "stops": stops,
                "corner_deviation": farthest, "interpolation": timed.motion.interpolation().name(),
                "lower_clearance": lower, "lower": Lower::of(free), "clearance": scene.clearance(),
                "self_clearance": scene.self_clearance(), "tolerance": timed.answer.tolerance,
                "output": args.output.display().to_string(), "warnings": self.warnings, "notes": self.notes,
                "stats": {"seconds": seconds},
            });
            return output::write_with(files, |out| writeln!(out, "{line}"));
        }
        output::write_with(files, |out| {
            writeln!(
                out,
                "timed: {} s, proven free as a controller runs it, within the limits at all times",
                rounded(duration)
            )?;
            writeln!(out, "  waypoints      {}, as {} points", self.waypoints.len(), timed.knots.len())?;
            let rounding = match (timed.corners.len(), stops) {
                (0, _) => "none".to_owned(),
                (all, 0) => format!("{all}, rounded by at most {} per joint", rounded(farthest)),
                (all, stops) if all == stops => format!("{all}, each a stop"),
                (all, stops) => format!("{all}, rounded by at most {} per joint; {stops} are stops", rounded(farthest)),
            };
            writeln!(out, "  corners        {rounding}")?;
            if lower.is_some() {
                writeln!(out, "  clearance      {}", clearances::proven(scene, free.lower))?;
            }
            writeln!(out, "  written        {}", args.output.display())?;
            writeln!(out, "  work           {:.3} ms", seconds * 1e3)?;
            self.notes.iter().try_for_each(|note| writeln!(out, "note: {note}"))?;
            self.warnings.iter().try_for_each(|warning| writeln!(out, "warning: {warning}"))
        })
    }

    /// Answer if the path is not free.
    fn not_free(&self, args: &Args, verdict: &Verdict) -> Result<ExitCode> {
        let why = place_text(self.checker.scene(), verdict);
        let printed = output::write(|out| {
            if args.json {
                let line = json!({
                    "schema": 1, "proven": false, "verdict": verdict.name(), "why": why, "warnings": self.warnings,
                    "notes": self.notes,
                });
                return writeln!(out, "{line}");
            }
            writeln!(out, "not timed: the path is not proven free: {why}")?;
            self.notes.iter().try_for_each(|note| writeln!(out, "note: {note}"))?;
            self.warnings.iter().try_for_each(|warning| writeln!(out, "warning: {warning}"))
        });
        printed?;
        Ok(ExitCode::from(1))
    }
}
