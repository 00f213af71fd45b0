//! `pathproof plan`: a path from a start to a goal that is free for every configuration on it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use pathproof::check::Checker;
use pathproof::plan::{
    Budget, EdgeTest, Effort, Evidence, Goal, Outcome, PlanError, Planned, Planner, Problem, RandomWalk, RrtConnect,
    Sbl, Shortfall, Stop,
};
use pathproof::scene::Scene;
use pathproof_formats::goal_region;
use pathproof_formats::path_file::{self, PathFormat, PathSettings};
use serde_json::json;

use crate::check_command::max_time;
use crate::clearances;
use crate::numbers::rounded;
use crate::planning::finish::{self, Proven};
use crate::planning::{Common, Ready, Spinner, listen, refusal};
use crate::report::{Lower, lower_clearance};
use crate::{output, output_files};

/// Command-line arguments.
#[derive(clap::Args)]
#[command(after_help = "Exit status: 0 a path was found and written, 1 none was found within the budget (nothing is \
                        written), 2 the input or the usage is wrong.")]
pub(crate) struct Args {
    /// Scene file (TOML), or a robot (URDF) alone.
    scene: PathBuf,
    /// Start: values separated by commas, a CSV file with one waypoint, or an SRDF group state.
    #[arg(long, value_name = "Q", allow_hyphen_values = true)]
    start: String,
    /// Goal: as for --start, but any waypoint of a CSV file will do.
    #[arg(long, value_name = "Q", allow_hyphen_values = true, required_unless_present = "goal_region")]
    goal: Option<String>,
    /// Goal: links and the region for all of their geometry, as in "arm/* z<0.6"; semicolons separate several.
    #[arg(long, value_name = "REGION", conflicts_with = "goal")]
    goal_region: Option<String>,
    /// Planner [default: rrt-connect; random-walk for a region in which no free configuration is drawn, or with
    /// --step].
    #[arg(long, value_enum)]
    planner: Option<Named>,
    /// For sbl, the distance between tested configurations [default: 0.01]; for random-walk, the distance that a joint
    /// moves in a step [default: 0.1]. Both are fractions of each joint's range.
    #[arg(long, value_name = "F")]
    step: Option<f64>,
    /// Maximum time of the search, in seconds. The last proof of the path, its certificate and its page come after it.
    #[arg(long, value_name = "S", default_value_t = 60.0, allow_negative_numbers = true)]
    max_seconds: f64,
    /// Maximum number of steps: reproducible, unlike seconds.
    #[arg(long, value_name = "N")]
    max_steps: Option<u64>,
    #[command(flatten)]
    common: Common,
}

/// The planners by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Named {
    /// Lazy trees from both ends, paths proven as a whole.
    ASbl,
    /// Trees from both ends, every edge proven.
    RrtConnect,
    /// Like a-sbl, but tested at a fixed step: proves nothing.
    Sbl,
    /// One joint at a time, for regions.
    RandomWalk,
}

/// Runs the command. The status is 0 with a path, else 1.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let (planner, nearest_in) = planner(args)?;
    let max_time = max_time(Some(args.max_seconds))?;
    let common = &args.common;
    let Ready { scene, warnings, notes, mut files } = common.scene(&args.scene)?;
    let is_file = |text: &&String| PathFormat::of(Path::new(text.as_str())).is_ok();
    files.extend([Some(&args.start), args.goal.as_ref()].into_iter().flatten().filter(is_file).map(PathBuf::from));
    output_files::check(&common.outputs(), &files)?;
    let settings = PathSettings { ignore_limits: common.ignore_limits };
    let start = path_file::parse_configuration(&args.start, &scene, settings).context("--start")?;
    let goal = goal(args, &scene, settings)?;
    let goals_given = if let Goal::AnyOf(goals) = &goal { goals.len() } else { 0 };
    let crate::trees::Built { checker, time: preparation } = crate::trees::build(scene);
    let problem = Problem::new(&checker, start, goal).map_err(|error| refusal(checker.scene(), error))?;
    let mut answer =
        Answering { args, planner: &*planner, nearest_in, checker: &checker, preparation, warnings, notes };
    if let Goal::AnyOf(left) = problem.goal()
        && left.len() < goals_given
    {
        answer.warnings.push(format!("{} of {goals_given} goals are not free and left out", goals_given - left.len()));
    }
    let spinner = Spinner::new();
    let show = |progress| spinner.show(progress, "milestones", "outside by");
    let budget = Budget {
        max_steps: args.max_steps,
        max_time,
        interrupt: Some(listen()),
        progress: Some(&show),
        ..Budget::default()
    };
    let begun = Instant::now();
    let mut outcome = planner.plan(&problem, common.seed, &budget);
    let walk = RandomWalk::default();
    if let (Err(PlanError::NoRoot { drawn }), None) = (&outcome, args.planner) {
        answer.notes.push(format!(
            "of {drawn} configurations drawn none is free and inside the region; random-walk was taken instead"
        ));
        (answer.planner, answer.nearest_in) = (&walk, NearestIn::Metres);
        let max_time = max_time.map(|time| time.saturating_sub(begun.elapsed()));
        outcome = walk.plan(&problem, common.seed, &Budget { max_time, ..budget });
    }
    spinner.clear();
    match outcome {
        Err(error @ PlanError::NoRoot { .. }) => answer.no_root(&error, begun.elapsed()),
        Err(error) => Err(refusal(checker.scene(), error)),
        Ok(Outcome::Found(planned)) => answer.found(&planned, problem.space().path_length(&planned.waypoints), begun),
        Ok(Outcome::NotFound(shortfall)) => answer.not_found(&shortfall, begun.elapsed()),
    }
}

/// Unit in which a planner measures its nearest approach.
#[derive(Clone, Copy)]
enum NearestIn {
    Ranges,
    Metres,
}

fn planner(args: &Args) -> Result<(Box<dyn Planner>, NearestIn)> {
    let by_default =
        if args.goal_region.is_some() && args.step.is_some() { Named::RandomWalk } else { Named::RrtConnect };
    let named = args.planner.unwrap_or(by_default);
    if let Some(step) = args.step {
        ensure!(step > 0.0 && step <= 1.0, "--step: {step} is not a fraction of a range, above 0 and at most 1");
    }
    if matches!(named, Named::ASbl | Named::RrtConnect) && args.step.is_some() {
        bail!("--step: only sbl and random-walk have one; the others prove their edges whatever their length");
    }
    if named == Named::Sbl && args.common.certificate.is_some() {
        bail!("--certificate: sbl tests configurations and proves nothing; take another planner");
    }
    let nearest_in = if named == Named::RandomWalk { NearestIn::Metres } else { NearestIn::Ranges };
    let planner: Box<dyn Planner> = match named {
        Named::ASbl => Box::new(Sbl::default()),
        Named::Sbl => {
            Box::new(Sbl { edge_test: EdgeTest::Fixed { step: args.step.unwrap_or(0.01) }, ..Sbl::default() })
        }
        Named::RrtConnect => Box::new(RrtConnect::default()),
        Named::RandomWalk => {
            ensure!(args.goal_region.is_some(), "random-walk takes a region, not a configuration; give --goal-region");
            Box::new(RandomWalk { step: args.step.unwrap_or(RandomWalk::default().step) })
        }
    };
    Ok((planner, nearest_in))
}

fn goal(args: &Args, scene: &Scene, settings: PathSettings) -> Result<Goal> {
    if let Some(region) = &args.goal_region {
        return Ok(Goal::Inside(goal_region::parse(region, scene).context("--goal-region")?));
    }
    let text = args.goal.as_deref().unwrap_or_default();
    let file = Path::new(text);
    let goals = match PathFormat::of(file) {
        Ok(_) => path_file::read_points(file, scene, settings).context("--goal")?.waypoints,
        Err(_) => vec![path_file::parse_configuration(text, scene, settings).context("--goal")?],
    };
    Ok(Goal::AnyOf(goals))
}

/// Parts of an answer besides its outcome.
struct Answering<'a> {
    args: &'a Args,
    planner: &'a dyn Planner,
    nearest_in: NearestIn,
    checker: &'a Checker,
    /// Time to build the trees.
    preparation: Duration,
    warnings: Vec<String>,
    notes: Vec<String>,
}

impl Answering<'_> {
    fn found(&mut self, planned: &Planned, length: f64, begun: Instant) -> Result<ExitCode> {
        let (common, waypoints) = (&self.args.common, &planned.waypoints);
        let seconds = (self.preparation + begun.elapsed()).as_secs_f64();
        let proven = match planned.evidence {
            Evidence::Proven => Some(finish::prove(common, self.checker, waypoints, &mut self.warnings)?),
            Evidence::Sampled { step } => {
                let told = format!("nothing is proven: configurations were tested every {step} of the joints' ranges");
                self.warnings.push(format!("{told}; `pathproof check` decides"));
                None
            }
        };
        let files =
            finish::files(common, self.checker, waypoints, proven.as_ref(), (&self.args.scene, &mut self.warnings))?;
        let scene = self.checker.scene();
        let free = proven.as_ref().and_then(|proven: &Proven| proven.free.as_ref());
        let lower = free.and_then(lower_clearance);
        if common.json {
            let step = if let Evidence::Sampled { step } = planned.evidence { Some(step) } else { None };
            let line = json!({
                "schema": 1, "found": true, "planner": self.planner.name(), "proven": proven.is_some(), "step": step,
                "waypoints": waypoints.len(), "length": length, "lower_clearance": lower, "lower": free.and_then(Lower::of),
                "clearance": scene.clearance(), "self_clearance": scene.self_clearance(),
                "tolerance": scene.tolerance(), "seed": common.seed,
                "output": common.output.display().to_string(), "warnings": self.warnings, "notes": self.notes,
                "stats": finish::stats(&planned.effort, seconds),
            });
            return output::write_with(files, |out| writeln!(out, "{line}"));
        }
        output::write_with(files, |out| {
            let word = if proven.is_some() { "proven free" } else { "sampled, not proven" };
            writeln!(out, "found: a path of {} waypoints, {word}", waypoints.len())?;
            writeln!(out, "  planner        {}, seed {}", self.planner.name(), common.seed)?;
            writeln!(out, "  length         {} of the joints' ranges", rounded(length))?;
            if let Some(free) = free.filter(|_| lower.is_some()) {
                writeln!(out, "  clearance      {}", clearances::proven(scene, free.lower))?;
            }
            writeln!(out, "  written        {}", common.output.display())?;
            writeln!(out, "  work           {}", finish::work(&planned.effort, seconds))?;
            self.write_remarks(out)
        })
    }

    fn not_found(&self, shortfall: &Shortfall, time: Duration) -> Result<ExitCode> {
        let Shortfall { stop, nearest, effort } = shortfall;
        let (why, name) = match stop {
            Stop::Steps => ("the steps allowed (--max-steps)", "steps"),
            Stop::Time => ("the time allowed (--max-seconds)", "seconds"),
            Stop::Interrupted => ("an interruption", "interrupted"),
        };
        let nearest = Some(*nearest).filter(|nearest| nearest.is_finite());
        let seconds = (self.preparation + time).as_secs_f64();
        let printed = output::write(|out| {
            if self.args.common.json {
                let line = json!({
                    "schema": 1, "found": false, "planner": self.planner.name(), "limit": name, "nearest": nearest,
                    "nearest_in": match self.nearest_in { NearestIn::Metres => "metres", NearestIn::Ranges => "ranges" },
                    "seed": self.args.common.seed, "warnings": self.warnings, "notes": self.notes,
                    "stats": finish::stats(effort, seconds),
                });
                return writeln!(out, "{line}");
            }
            writeln!(out, "not found: {why} ended the search; that does not say that there is no path")?;
            let unit = match self.nearest_in {
                NearestIn::Metres => "m outside the region",
                NearestIn::Ranges => "of the joints' ranges between both trees",
            };
            let came = nearest.map_or("nowhere near".to_owned(), |near| format!("{} {unit}", rounded(near)));
            writeln!(out, "  came           to {came}, with {} milestones", effort.milestones)?;
            writeln!(out, "  work           {}", finish::work(effort, seconds))?;
            self.write_remarks(out)
        });
        printed?;
        Ok(ExitCode::from(1))
    }

    /// No configuration of the region was found to plan to.
    fn no_root(&self, error: &PlanError, time: Duration) -> Result<ExitCode> {
        let printed = output::write(|out| {
            if self.args.common.json {
                let line = json!({
                    "schema": 1, "found": false, "planner": self.planner.name(), "limit": "no_root", "nearest": null,
                    "seed": self.args.common.seed, "warnings": self.warnings, "notes": self.notes,
                    "stats": finish::stats(&Effort::default(), time.as_secs_f64()),
                });
                return writeln!(out, "{line}");
            }
            writeln!(out, "not found: {error}")?;
            self.write_remarks(out)
        });
        printed?;
        Ok(ExitCode::from(1))
    }

    fn write_remarks(&self, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        self.notes.iter().try_for_each(|note| writeln!(out, "note: {note}"))?;
        self.warnings.iter().try_for_each(|warning| writeln!(out, "warning: {warning}"))
    }
}
