//! MotionBenchMaker's problems for the Panda on its real meshes, if the shared data is present: both planners on every
//! problem, then smoothing and the proof of the whole path; and the straight lines, most of which collide.
//!
//! Times are processor time in milliseconds; the planners of a problem run in turn. A problem is solved if a path is
//! found within 5 s of processor time. The clock ends a search at 20 s, so that other programs do not count.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use pathproof::check::{CheckScratch, Checker, Settings, Verdict};
use pathproof::path::Motion;
use pathproof::plan::{Budget, Goal, Outcome, Planner, Problem, RrtConnect, Sbl, Smoother, smooth};
use pathproof_formats::scene_file::{self, Disk};
use serde_json::{Value, json};

use crate::report::Report;
use crate::{Options, real_cells, timing};

/// Time for a problem, in milliseconds of the processor.
const LONGEST_MS: f64 = 5_000.0;

/// Time after which the clock ends it.
const CLOCK: Duration = Duration::from_secs(20);

/// Shortcuts that are tried.
const SHORTCUTS: u64 = 100;

/// Results of a planner on a set.
#[derive(Default)]
struct Results {
    problems: usize,
    solved: usize,
    proven: usize,
    planning: Vec<f64>,
    smoothing: Vec<f64>,
    proof: Vec<f64>,
    /// Paths with a certificate at the same tolerance.
    certified: usize,
    certifying: Vec<f64>,
    segments: u64,
}

/// Runs the experiment.
pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    let Some(folder) = real_cells::data() else {
        report.note(real_cells::ABSENT);
        return Ok(());
    };
    let folder = folder.canonicalize()?;
    let count = options.samples(if options.quick { 1 } else { 100 });
    let problems = read(&folder.join("problems/motionbenchmaker/panda.json.gz"))?;
    let sets = problems["problems"].as_object().context("no problems")?;
    let planners: [Box<dyn Planner>; 2] = [Box::new(Sbl::default()), Box::new(RrtConnect::default())];
    let mut all: [Results; 2] = Default::default();
    let mut lines = Vec::new();
    for (set, problems) in sets.iter().filter(|(set, _)| options.wants(set)) {
        let mut of_set: [Results; 2] = Default::default();
        for problem in problems.as_array().context("no list")?.iter().take(count) {
            let text = real_cells::robot("robots/panda_mbm/panda.urdf", "robots/panda_mbm/panda.srdf", "")
                + &real_cells::obstacles(problem)?;
            let checker = Checker::new(scene_file::parse(&text, &folder.join("scene.toml"), &Disk)?.scene);
            let [start, goal] = [joints(&checker, &problem["start"])?, joints(&checker, &problem["goal"])?];
            if problem["index"].as_u64().is_some_and(|index| index <= 10) {
                lines.extend(straight_line(&checker, &start, &goal)?);
            }
            let posed = match Problem::new(&checker, start, Goal::AnyOf(vec![goal])) {
                Ok(posed) => posed,
                Err(error) => {
                    report.note(&format!("{set} {}: {error}", problem["index"]));
                    of_set.iter_mut().for_each(|results| results.problems += 1);
                    continue;
                }
            };
            for (planner, results) in planners.iter().zip(&mut of_set) {
                results.add(&**planner, &posed)?;
            }
        }
        for ((planner, results), all) in planners.iter().zip(of_set).zip(&mut all) {
            report.row(set, results.row(planner.name()));
            all.join(results);
        }
    }
    for (planner, results) in planners.iter().zip(all) {
        report.row("all", results.row(planner.name()));
    }
    if !lines.is_empty() {
        let mean = lines.iter().sum::<f64>() / lines.len() as f64;
        report.row(
            "straight lines",
            json!({"colliding": lines.len(), "mean_us": mean, "median_us": timing::median(&mut lines)}),
        );
    }
    Ok(())
}

/// Microseconds to reject the straight line; `None` if it is free.
fn straight_line(checker: &Checker, start: &[f64], goal: &[f64]) -> Result<Option<f64>> {
    let mut scratch = CheckScratch::new(checker);
    let answer = checker.segment(start, goal, &Settings::default(), &mut scratch)?;
    if matches!(answer.verdict, Verdict::Free(_)) {
        return Ok(None);
    }
    Ok(Some(timing::microseconds(|| drop(checker.segment(start, goal, &Settings::default(), &mut scratch)))))
}

pub(crate) fn read(file: &std::path::Path) -> Result<Value> {
    let output = Command::new("gzip").arg("-dc").arg(file).output().context("gzip unpacks the problems")?;
    ensure!(output.status.success(), "{}: {}", file.display(), String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The values of the scene's joints.
pub(crate) fn joints(checker: &Checker, values: &Value) -> Result<Vec<f64>> {
    let variables = checker.scene().model().variables().iter();
    let name = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
    variables.map(|v| values[name(&v.name)].as_f64().with_context(|| v.name.clone())).collect()
}

impl Results {
    fn add(&mut self, planner: &dyn Planner, problem: &Problem<'_>) -> Result<()> {
        self.problems += 1;
        let timed = |of: &mut Vec<f64>, start: f64| of.push((timing::thread_seconds() - start) * 1e3);
        let start = timing::thread_seconds();
        let outcome = planner.plan(problem, 1, &Budget { max_time: Some(CLOCK), ..Budget::default() })?;
        timed(&mut self.planning, start);
        let Outcome::Found(planned) = outcome else { return Ok(()) };
        if self.planning.last().is_some_and(|taken| *taken > LONGEST_MS) {
            return Ok(());
        }
        self.solved += 1;
        self.segments += planned.effort.segments;
        let checker = problem.checker();
        let start = timing::thread_seconds();
        let budget = Budget { max_steps: Some(SHORTCUTS), ..Budget::default() };
        let smoothed = smooth(checker, &planned.waypoints, &Smoother::default(), 1, &budget)?;
        timed(&mut self.smoothing, start);
        let mut scratch = CheckScratch::new(checker);
        let start = timing::thread_seconds();
        let answer = checker.path(&Motion::lines(&smoothed.waypoints[..]), &Settings::default(), &mut scratch)?;
        timed(&mut self.proof, start);
        self.proven += usize::from(matches!(answer.verdict, Verdict::Free(_)));
        let start = timing::thread_seconds();
        let (_, certificate) =
            checker.certify(&Motion::lines(&smoothed.waypoints[..]), &Settings::default(), &mut scratch)?;
        timed(&mut self.certifying, start);
        self.certified += usize::from(certificate.is_some());
        Ok(())
    }

    fn join(&mut self, other: Self) {
        self.problems += other.problems;
        self.solved += other.solved;
        self.proven += other.proven;
        self.segments += other.segments;
        self.planning.extend(other.planning);
        self.smoothing.extend(other.smoothing);
        self.proof.extend(other.proof);
        self.certified += other.certified;
        self.certifying.extend(other.certifying);
    }

    fn row(&self, planner: &str) -> Value {
        let at = |values: &[f64], share: f64| {
            let mut sorted = values.to_vec();
            sorted.sort_by(f64::total_cmp);
            sorted.get(((sorted.len() as f64 - 1.0) * share) as usize).copied().unwrap_or(f64::NAN)
        };
        let both = |values: &[f64]| json!([at(values, 0.5), at(values, 0.95)]);
        json!({"planner": planner, "problems": self.problems, "solved": self.solved, "proven": self.proven,
               "plan_ms": both(&self.planning), "smooth_ms": both(&self.smoothing), "proof_ms": both(&self.proof),
               "certified": self.certified, "certify_ms": both(&self.certifying),
               "segments_mean": self.segments as f64 / self.solved.max(1) as f64})
    }
}
