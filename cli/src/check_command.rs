//! `pathproof check`: decides whether paths are free for every configuration on them.
//!
//! Reads everything first, then checks, then writes: any error in the input ends the command before an answer.

mod destinations;
mod junit;
mod legs;
mod outcome;
mod steps;
mod warnings;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use pathproof::certificate::Certificate;
use pathproof::check::{Answer, CheckScratch, Checker, Report, Settings};

use crate::colour::Paint;
use crate::execution_arguments::{self, ExecutionArgs};
use crate::path_argument::is_standard_input;
use crate::profile_output;
use crate::report::Reported;
use crate::scene_argument::SceneArgs;
use crate::{min_distance, output_files, threads, view};
use legs::{Leg, Stage};
use outcome::Outcome;
use steps::Step;

pub(crate) use warnings::{add_warnings, nothing_checked};

/// Command-line arguments.
#[derive(clap::Args)]
#[command(after_help = "Exit status: 0 all paths are free, 1 one is not (with --strict also: there are warnings), \
                        2 the input or the usage is wrong; where one of several paths cannot be read, the others are \
                        answered all the same.")]
pub(crate) struct Args {
    /// Scene file (TOML), or a robot (URDF) alone.
    scene: PathBuf,
    /// Paths: CSV with a header of joint names, or ROS messages (.json, .yaml); - reads standard input.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    change: SceneArgs,
    /// Report the first finding that the search meets, instead of the earliest. This is faster if only the verdict
    /// matters.
    #[arg(long, conflicts_with = "all")]
    any: bool,
    /// The default: report the earliest finding.
    #[arg(long, hide = true, conflicts_with_all = ["any", "all"])]
    first: bool,
    /// Report every offending pair on every segment.
    #[arg(long)]
    all: bool,
    /// Find the smallest distance along the path. Its proven bounds differ by at most the tolerance. Limits apply to
    /// this search separately.
    #[arg(long)]
    min_distance: bool,
    /// Write proven bounds on the distance of every pair along the path, which differ by at most the tolerance. Limits
    /// apply to this search separately.
    #[arg(long, value_name = "OUT.csv")]
    profile: Option<PathBuf>,
    /// Write a proof that the path is free, for `pathproof verify`; written only if it is. For several paths a folder:
    /// OUT/.
    #[arg(long, value_name = "OUT.ppc")]
    certificate: Option<PathBuf>,
    /// Write one page that plays the motion, its clearance and its findings. Limits apply to its measurements
    /// separately. For several paths a folder: OUT/.
    #[arg(long, value_name = "OUT.html")]
    report: Option<PathBuf>,
    /// Write the answers for a CI system: one case per path, or per segment with --all.
    #[arg(long, value_name = "OUT.xml")]
    junit: Option<PathBuf>,
    /// From the next path on, an object of the scene moves with a link. It starts where it is at that point.
    #[arg(long, value_name = "OBJECT=ROBOT/LINK")]
    attach: Vec<String>,
    /// From the next path on, an object stays where it is at that point.
    #[arg(long, value_name = "OBJECT")]
    detach: Vec<String>,
    /// Maximum number of distance queries; if they do not suffice, the verdict is undecided.
    #[arg(long, value_name = "N")]
    max_queries: Option<u64>,
    /// Maximum time in seconds; if it does not suffice, the verdict is undecided.
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    max_seconds: Option<f64>,
    /// Threads for long paths [default: one per processor]; any number gives the same answer.
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Fail if there are warnings.
    #[arg(long)]
    strict: bool,
    /// Accept a scene in which no pair of bodies is checked.
    #[arg(long)]
    allow_empty: bool,
    #[command(flatten)]
    execution: ExecutionArgs,
    /// Do not warn about joints that are faster than the robot's description allows.
    #[arg(long)]
    ignore_velocity: bool,
    /// One JSON object per path and nothing else on standard output.
    #[arg(long)]
    json: bool,
}

/// Job with everything read and checked.
struct Job {
    stages: Vec<Stage>,
    settings: Settings,
    /// Warnings about the scene.
    warnings: Vec<String>,
    notes: Vec<String>,
}

/// Questions that apply to every path.
struct Asked<'a> {
    args: &'a Args,
    settings: Settings,
    /// Maximum number of threads for a path.
    threads: usize,
    /// True if there is only one path, so it needs no name.
    is_one: bool,
    paint: Paint,
}

/// Answer for one path, and additional results.
struct Answered {
    answer: Answer,
    proof: Option<Certificate>,
    profile: Option<profile_output::Written>,
    smallest: Option<min_distance::Smallest>,
    time: Duration,
}

/// Runs the command. The status is 0 if all paths are free, else 1.
pub(crate) fn run(args: Args, matches: &clap::ArgMatches) -> Result<ExitCode> {
    let steps = steps::in_order(&args.paths, &args.attach, &args.detach, matches)?;
    let Job { stages, settings, mut warnings, mut notes } = resolve(&args, &steps)?;
    let is_one = stages.iter().map(|stage| stage.legs.len()).sum::<usize>() == 1;
    let (threads, paint) = (threads::bounded(args.threads), Paint::of_standard_output());
    let asked = Asked { args: &args, settings, threads, is_one, paint };
    let mut outcome = Outcome::default();
    for Stage { scene, legs } in stages {
        let crate::trees::Built { checker, time: mut preparation } = crate::trees::build(scene);
        for leg in legs {
            let leg = match leg {
                Ok(leg) => leg,
                Err(unread) => {
                    outcome.add_unread(&args, &unread)?;
                    continue;
                }
            };
            // Report scene warnings with the first path only.
            let mut warnings = std::mem::take(&mut warnings);
            let mut answered = asked.answer(&checker, &leg, &mut warnings)?;
            // Building the trees counts with the first path that needs them.
            answered.time += std::mem::take(&mut preparation);
            let notes: Vec<String> = std::mem::take(&mut notes).into_iter().chain(leg.notes.iter().cloned()).collect();
            outcome.add(&asked, &checker, &leg, answered, &warnings, &notes)?;
        }
    }
    outcome.finish(&args, is_one)
}

fn resolve(args: &Args, steps: &[Step]) -> Result<Job> {
    // Do the cheap things first, so that a typing error does not wait for large meshes.
    let settings = settings(args)?;
    ensure!(
        args.paths.iter().filter(|path| is_standard_input(path)).count() < 2,
        "- names standard input twice, and it can be read once"
    );
    let loaded = args.change.read(&args.scene)?;
    let (scene, warnings, mut notes) = (loaded.scene, loaded.warnings, loaded.told);
    let mut inputs = loaded.files;
    inputs.extend(args.paths.iter().chain(&args.execution.curve.controller).cloned());
    let outputs = [
        ("--profile", &args.profile),
        ("--certificate", &args.certificate),
        ("--report", &args.report),
        ("--junit", &args.junit),
    ];
    let outputs = outputs.into_iter().filter_map(|(option, path)| Some((option, path.as_ref()?)));
    let outputs: Vec<_> = outputs.filter(|(_, path)| !destinations::is_folder(path)).collect();
    output_files::check(&outputs, &inputs)?;
    let how = execution_arguments::resolve(&args.execution, &scene)?;
    let (stages, told) = legs::resolve(scene, steps, &how, args.ignore_velocity)?;
    notes.extend(told);
    let count = stages.iter().map(|stage| stage.legs.len()).sum::<usize>();
    destinations::check(args, &stages, count, &inputs)?;
    ensure!(
        args.execution.from.is_none() || count == 1,
        "--from: there are {count} paths, and it says where one of them starts; ask for each"
    );
    let has_none = |leg: &Leg| !leg.motion.is_certifiable();
    ensure!(
        args.certificate.is_none() || !stages.iter().any(|stage| stage.read().any(has_none)),
        "--certificate: there are certificates for straight lines and for what a controller runs from its first waypoint on, \
         and this is another curve; leave it out, or pass --interpolation linear to prove the straight lines instead"
    );
    ensure!(
        args.certificate.is_none() || args.execution.from.is_none(),
        "--certificate: what it proves must be in the files for `pathproof verify`; leave --from out"
    );
    ensure!(
        args.certificate.is_none() || steps.len() == count,
        "--certificate: what it proves must be in the scene file for `pathproof verify`; write `attach` there"
    );
    for stage in &stages {
        nothing_checked(&stage.scene, args.allow_empty)?;
    }
    Ok(Job { stages, settings, warnings, notes })
}

impl Asked<'_> {
    /// Checks one path.
    fn answer(&self, checker: &Checker, leg: &Leg, warnings: &mut Vec<String>) -> Result<Answered> {
        let (args, settings, motion) = (self.args, &self.settings, &leg.motion);
        let mut scratches: Vec<CheckScratch> =
            (0..threads::for_work(self.threads, motion.segments())).map(|_| CheckScratch::new(checker)).collect();
        let start = Instant::now();
        let (mut answer, proof) = match args.certificate {
            Some(_) => checker.certify(motion, settings, &mut scratches[0]).with_context(|| leg.name.clone())?,
            None => {
                let answer = checker.path_on_threads(motion, settings, &mut scratches);
                (answer.with_context(|| leg.name.clone())?, None)
            }
        };
        let scratch = &mut scratches[0];
        let time = start.elapsed();
        add_warnings(checker.scene(), &leg.warnings, &answer, warnings);
        if let (Some(file), None) = (destinations::certificate(args, leg), &proof) {
            warnings.push(format!("{} was not written: only what is free has a certificate", file.display()));
        }
        let mut profile = match &args.profile {
            Some(out) => Some(profile_output::compute(out, checker, motion, settings, scratch)?),
            None => None,
        };
        if let Some(profile) = &mut profile {
            profile.refine(checker.scene(), &mut answer);
            warnings.extend(profile.incomplete());
        }
        let mut smallest = match args.min_distance {
            true => Some(checker.smallest_distance(motion, settings, scratch)?),
            false => None,
        };
        if let Some(smallest) = &mut smallest {
            min_distance::refine(smallest, &mut answer);
            warnings.extend(min_distance::incomplete(smallest));
        }
        Ok(Answered { answer, proof, profile, smallest, time })
    }

    /// Page for `--report`.
    fn page(&self, checker: &Checker, leg: &Leg, reported: &Reported<'_>, is_certified: bool) -> Result<Vec<u8>> {
        let mut scratch = CheckScratch::new(checker);
        let computed = match reported.profile {
            Some(_) => None,
            None => Some(profile_output::shown(checker, &leg.motion, reported.answer, &self.settings, &mut scratch)?),
        };
        let profile = reported.profile.map(profile_output::Written::profile).or(computed.as_ref());
        let shown = view::Shown {
            checker,
            motion: &leg.motion,
            scene_name: self.args.scene.display().to_string(),
            path_name: leg.name.clone(),
            answer: reported.answer,
            profile: profile.expect("it was computed or given"),
            warnings: reported.warnings,
            notes: reported.notes,
            certificate: self.certificate_text(leg, is_certified),
            text: view::text_of(reported)?,
            settings: &self.settings,
        };
        shown.page()
    }

    fn certificate_text(&self, leg: &Leg, is_certified: bool) -> String {
        let (scene, path) = (self.args.scene.display(), &leg.name);
        match destinations::certificate(self.args, leg) {
            Some(file) if is_certified => {
                let file = file.display();
                format!(
                    "written to {file}; `pathproof verify {scene} {path} {file}` checks it without trusting the checker"
                )
            }
            Some(_) => "none: only what is free has one".to_owned(),
            None => view::NO_CERTIFICATE.to_owned(),
        }
    }
}

fn settings(args: &Args) -> Result<Settings> {
    let report = match (args.any, args.all) {
        (true, _) => Report::Any,
        (_, true) => Report::All,
        _ => Report::First,
    };
    let max_time = max_time(args.max_seconds)?;
    Ok(Settings { report, max_queries: args.max_queries, max_time, ..Settings::default() })
}

/// Time limit of `--max-seconds`.
pub(crate) fn max_time(seconds: Option<f64>) -> Result<Option<Duration>> {
    let Some(seconds) = seconds else { return Ok(None) };
    let time = Duration::try_from_secs_f64(seconds);
    time.map(Some).map_err(|_| anyhow::anyhow!("--max-seconds: {seconds} is not a number of seconds of at least 0"))
}
