//! Trajectories as waypoints, as straight lines and as a controller runs them: MotionBenchMaker's problems for the
//! Panda are planned, smoothed and proven, then timed as in MoveIt (`trajectories.rs`), then judged in three ways.
//!
//! Rounding corners leaves the proven path: some trajectories collide at a waypoint already. The important number is
//! how many are free at every waypoint, as validated today, and collide when they are run. Microseconds are processor
//! time per segment, of trajectories that are free in all three ways, both kinds in turn.

use std::time::Duration;

use anyhow::{Context, Result};
use pathproof::check::{CheckScratch, Checker, Settings, Verdict};
use pathproof::path::Motion;
use pathproof::plan::{Budget, Goal, Outcome, Planner, Problem, RrtConnect, Smoother, smooth};
use pathproof::robot::{Curve, Knot, interpolation};
use pathproof_formats::scene_file::{self, Disk};
use serde_json::{Value, json};

use crate::report::Report;
use crate::{Options, mbm, real_cells, timing, trajectories};

/// Limits of all joints: the Panda's slowest, at half speed (radians per second), and a usual acceleration.
const SPEED: f64 = 1.0;
const ACCELERATION: f64 = 2.0;
const SHORTCUTS: u64 = 100;
const CLOCK: Duration = Duration::from_secs(20);

/// Results of one way to judge.
#[derive(Default)]
struct Judged {
    free: usize,
    collide: usize,
    microseconds: Vec<f64>,
}

#[derive(Default)]
struct Results {
    trajectories: usize,
    ways: [Judged; 3],
    /// Free at every waypoint, not when run.
    only_when_run: usize,
    /// Free along straight lines, not when run.
    not_along_lines: usize,
}

/// Runs the experiment.
pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    let Some(folder) = real_cells::data() else {
        report.note(real_cells::ABSENT);
        return Ok(());
    };
    let folder = folder.canonicalize()?;
    let count = options.samples(if options.quick { 1 } else { 100 });
    let problems = mbm::read(&folder.join("problems/motionbenchmaker/panda.json.gz"))?;
    let sets = problems["problems"].as_object().context("no problems")?;
    let mut all = Results::default();
    for (set, problems) in sets.iter().filter(|(set, _)| options.wants(set)) {
        let mut of_set = Results::default();
        for problem in problems.as_array().context("no list")?.iter().take(count) {
            let text = real_cells::robot("robots/panda_mbm/panda.urdf", "robots/panda_mbm/panda.srdf", "")
                + &real_cells::obstacles(problem)?;
            let checker = Checker::new(scene_file::parse(&text, &folder.join("scene.toml"), &Disk)?.scene);
            if let Some(waypoints) = planned(&checker, problem)? {
                of_set.add(&checker, &trajectories::parameterised(&waypoints, SPEED, ACCELERATION))?;
            }
        }
        of_set.rows(set, report);
        all.join(of_set);
    }
    all.rows("all", report);
    Ok(())
}

/// Waypoints of a planned and smoothed path, each segment proven.
fn planned(checker: &Checker, problem: &Value) -> Result<Option<Vec<Vec<f64>>>> {
    let [start, goal] = [mbm::joints(checker, &problem["start"])?, mbm::joints(checker, &problem["goal"])?];
    let Ok(posed) = Problem::new(checker, start, Goal::AnyOf(vec![goal])) else { return Ok(None) };
    let budget = Budget { max_time: Some(CLOCK), ..Budget::default() };
    let Outcome::Found(found) = RrtConnect::default().plan(&posed, 1, &budget)? else { return Ok(None) };
    let budget = Budget { max_steps: Some(SHORTCUTS), ..Budget::default() };
    Ok(Some(smooth(checker, &found.waypoints, &Smoother::default(), 1, &budget)?.waypoints))
}

impl Results {
    fn add(&mut self, checker: &Checker, knots: &[Knot]) -> Result<()> {
        let model = checker.scene().model();
        let waypoints: Vec<Vec<f64>> = knots.iter().map(|knot| knot.positions.clone()).collect();
        let curve = Curve::from_polynomials(model, &interpolation::controller(model, knots)?)?;
        let (settings, mut scratch) = (Settings::default(), CheckScratch::new(checker));
        let mut at_waypoints = None;
        for q in &waypoints {
            let verdict = checker.configuration(q, &settings, &mut scratch)?.verdict;
            if !matches!(verdict, Verdict::Free(_)) {
                at_waypoints = Some(verdict);
                break;
            }
        }
        let (straight, curved) = (Motion::lines(&waypoints[..]), Motion::curve(curve.clone()));
        let lines = checker.path(&straight, &settings, &mut scratch)?.verdict;
        let run = checker.path(&curved, &settings, &mut scratch)?.verdict;
        self.trajectories += 1;
        let is_free = |verdict: &Verdict| matches!(verdict, Verdict::Free(_));
        let collides = |verdict: &Verdict| matches!(verdict, Verdict::Collision(_));
        for (way, verdict) in self.ways.iter_mut().zip([at_waypoints.as_ref(), Some(&lines), Some(&run)]) {
            way.free += usize::from(verdict.is_none_or(is_free));
            way.collide += usize::from(verdict.is_some_and(collides));
        }
        self.only_when_run += usize::from(at_waypoints.is_none() && collides(&run));
        self.not_along_lines += usize::from(is_free(&lines) && collides(&run));
        if at_waypoints.is_none() && is_free(&lines) && is_free(&run) {
            let segments = (waypoints.len() - 1) as f64;
            let mut time = |way: usize, work: &mut dyn FnMut(&mut CheckScratch)| {
                let taken = timing::microseconds(|| work(&mut scratch));
                self.ways[way].microseconds.push(taken / segments);
            };
            time(1, &mut |scratch| drop(checker.path(&straight, &settings, scratch)));
            time(2, &mut |scratch| drop(checker.path(&curved, &settings, scratch)));
        }
        Ok(())
    }

    fn join(&mut self, other: Self) {
        self.trajectories += other.trajectories;
        self.only_when_run += other.only_when_run;
        self.not_along_lines += other.not_along_lines;
        for (way, other) in self.ways.iter_mut().zip(other.ways) {
            way.free += other.free;
            way.collide += other.collide;
            way.microseconds.extend(other.microseconds);
        }
    }

    fn rows(&mut self, set: &str, report: &mut Report) {
        for (name, way) in ["waypoints", "linear", "controller"].into_iter().zip(&mut self.ways) {
            let mut row = json!({"interpolation": name, "trajectories": self.trajectories, "free": way.free,
                                 "collide": way.collide});
            if !way.microseconds.is_empty() {
                let mean = way.microseconds.iter().sum::<f64>() / way.microseconds.len() as f64;
                row["microseconds"] = json!(mean);
                row["median_us"] = json!(timing::median(&mut way.microseconds));
            }
            report.row(set, row);
        }
        let row = json!({"free_at_waypoints_and_collide_when_run": self.only_when_run,
                         "free_along_lines_and_collide_when_run": self.not_along_lines});
        report.row(set, row);
    }
}
