//! Table 4 of the exact-collision-checking paper: SBL, which tests edges at a fixed step, against A-SBL, which proves
//! them (δ = 0.01).
//!
//! Seeds are paired and the planners of a seed run in turn; figures are means of processor time, with a bootstrap
//! interval of the ratio of means, because single runs vary as much as their mean. Steps: `paper`, the paper's ε;
//! `safe`, the coarsest ε/2ᵏ that misses none of the colliding segments of experiment `segments`; `calibrated`, the
//! paper's way of choosing ε: the coarsest of 8ε/2ᵏ with ten successive paths all proven free. Replays test the same
//! candidate paths again.

use std::time::Duration;

use anyhow::{Context, Result};
use pathproof::certificate::Certificate;
use pathproof::check::{CheckScratch, Checker, Settings, Verdict};
use pathproof::numeric::Random;
use pathproof::path::Motion;
use pathproof::plan::{Budget, EdgeTest, Goal, Outcome, Planner, Problem, Sbl, replay};
use pathproof_verifier::Verifier;
use serde_json::json;

use crate::report::Report;
use crate::scenes::{self, in_memory};
use crate::segments::{PAPER_STEP, draw, is_colliding, safe_step};
use crate::{Options, timing};

const TOLERANCE: f64 = 0.01;

/// Tolerance that separates colliding paths from those that come near.
const FINE: f64 = 1e-6;

/// All cases.
pub(crate) const CASES: &[&str] = &["6a", "6b", "7a", "7b", "7c"];

/// The paper's seconds (1 GHz Pentium III): SBL at its ε, A-SBL.
pub(crate) const PAPER_TIMES: [(&str, [f64; 2]); 5] =
    [("6a", [83.0, 44.0]), ("6b", [17.0, 4.8]), ("7a", [3.2, 2.1]), ("7b", [1.2, 0.81]), ("7c", [85.0, 52.0])];

/// A run that takes longer counts as not solved.
const LONGEST: Duration = Duration::from_secs(120);

/// Runs the experiment.
pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    let runs = options.samples(if options.quick { 10 } else { 100 });
    for (case, times) in PAPER_TIMES.into_iter().filter(|(case, _)| options.wants(case)) {
        // The quick form is for every test run: the other cells take too long there unless requested.
        if options.quick && options.case.is_none() && case != "7b" {
            continue;
        }
        report.note(&format!(
            "{case}, the paper (s): SBL {} A-SBL {}, {:.1}×",
            times[0],
            times[1],
            times[0] / times[1]
        ));
        measure(case, runs, options.quick, report)?;
    }
    Ok(())
}

/// Results of a planner's runs.
#[derive(Default)]
struct Runs {
    seconds: Vec<f64>,
    solved: usize,
    proven: usize,
    colliding: usize,
    certified: usize,
}

/// A planner, the name of its step, and the step.
type Contender = (&'static str, &'static str, f64, Sbl);

fn measure(case: &str, runs: usize, is_quick: bool, report: &mut Report) -> Result<()> {
    let description = scenes::case(case).context("no such case")?;
    let scene = in_memory::scene(&description)?.with_tolerance(TOLERANCE)?;
    let paper = PAPER_STEP.iter().find(|(name, _)| *name == case).context("no step")?.1;
    let touching = Checker::new(scene.clone().with_tolerance(0.0)?);
    let segments = draw(&touching, "full", if is_quick { 20 } else { 1_000 }, is_colliding)?;
    let ((safe, _), missed) = safe_step(&touching, &segments, paper, &mut CheckScratch::new(&touching))?;
    report.note(&format!("{case}: ε misses {missed} of {} colliding segments", segments.len()));
    let checker = Checker::new(scene);
    let goal = Goal::AnyOf(vec![description.goal().context("no goal")?]);
    let problem = Problem::new(&checker, description.start(), goal)?;
    let calibrated = calibrate(&problem, 8.0 * paper)?;
    let fixed = |step: f64| Sbl { edge_test: EdgeTest::Fixed { step }, ..Sbl::default() };
    let contenders = [
        ("a-sbl", "", 0.0, Sbl::default()),
        ("sbl", "paper", paper, fixed(paper)),
        ("sbl", "calibrated", calibrated, fixed(calibrated)),
        ("sbl", "safe", safe, fixed(safe)),
    ];
    let mut results: [Runs; 4] = Default::default();
    let mut replays = Replays::default();
    // A path that comes within the tolerance may also collide: a finer tolerance decides.
    let fine = Checker::new(checker.scene().clone().with_tolerance(FINE)?);
    for seed in 0..runs as u64 {
        report.progress(&format!("{case}: run {} of {runs}", seed + 1));
        for ((_, _, _, planner), result) in contenders.iter().zip(&mut results) {
            result.add(planner, &problem, &fine, seed)?;
        }
        replays.add(&contenders, &problem, seed)?;
    }
    for (i, (name, step, fraction, _)) in contenders.iter().enumerate() {
        let (ratio, interval) = ratio_of_means(&results[i].seconds, &results[0].seconds);
        let Runs { seconds, solved, proven, colliding, certified } = &results[i];
        let replay = replays.seconds.map(|total| total / runs as f64);
        report.row(
            case,
            json!({"planner": name, "step": step, "step_fraction": fraction, "seconds_mean": mean(seconds),
                   "seconds_median": timing::median(&mut seconds.clone()), "ratio": ratio, "ratio_95": interval,
                   "solved": solved, "runs": runs, "proven": proven, "colliding": colliding, "certified": certified,
                   "replay_seconds": replay[i], "replay_ratio": replay[i] / replay[0],
                   "replay_uncached_seconds": (i == 0).then_some(replays.uncached / runs as f64)}),
        );
    }
    Ok(())
}

/// Time to test the edges alone, on the candidate paths of A-SBL.
#[derive(Default)]
struct Replays {
    /// Per contender.
    seconds: [f64; 4],
    /// A-SBL without the cache of edges.
    uncached: f64,
}

impl Replays {
    fn add(&mut self, contenders: &[Contender; 4], problem: &Problem<'_>, seed: u64) -> Result<()> {
        let (_, candidates) = Sbl::default().plan_and_trace(problem, seed, &budget())?;
        let replayed = |edge_test: EdgeTest, remembers_edges: bool| -> Result<f64> {
            let start = timing::thread_seconds();
            drop(replay(problem, &candidates, edge_test, remembers_edges)?);
            Ok(timing::thread_seconds() - start)
        };
        for ((_, _, _, planner), seconds) in contenders.iter().zip(&mut self.seconds) {
            *seconds += replayed(planner.edge_test, true)?;
        }
        self.uncached += replayed(EdgeTest::Exact, false)?;
        Ok(())
    }
}

fn budget() -> Budget<'static> {
    Budget { max_time: Some(LONGEST), ..Budget::default() }
}

impl Runs {
    fn add(&mut self, planner: &Sbl, problem: &Problem<'_>, fine: &Checker, seed: u64) -> Result<()> {
        let start = timing::thread_seconds();
        let outcome = planner.plan(problem, seed, &budget())?;
        self.seconds.push(timing::thread_seconds() - start);
        let Outcome::Found(planned) = outcome else { return Ok(()) };
        self.solved += 1;
        let checker = problem.checker();
        let mut scratch = CheckScratch::new(checker);
        let answer = checker.path(&Motion::lines(&planned.waypoints[..]), &Settings::default(), &mut scratch)?;
        self.proven += usize::from(matches!(answer.verdict, Verdict::Free(_)));
        let closely =
            fine.path(&Motion::lines(&planned.waypoints[..]), &Settings::default(), &mut CheckScratch::new(fine))?;
        self.colliding += usize::from(matches!(closely.verdict, Verdict::Collision(_)));
        if planner.edge_test == EdgeTest::Exact {
            // A path that comes within the tolerance may be too close for a certificate: then use a finer one.
            let motion = Motion::lines(&planned.waypoints[..]);
            let (_, mut certificate) = checker.certify(&motion, &Settings::default(), &mut scratch)?;
            if certificate.is_none() {
                let mut scratch = CheckScratch::new(fine);
                certificate = fine.certify(&motion, &Settings::default(), &mut scratch)?.1;
            }
            let verifier = Verifier::new(checker.scene()).map_err(anyhow::Error::msg)?;
            let is_accepted = |proof: &Certificate| verifier.verify(&motion, proof).is_ok();
            self.certified += usize::from(certificate.is_some_and(|proof| is_accepted(&proof)));
        }
        Ok(())
    }
}

/// The coarsest step of `first`/2ᵏ with ten successive paths all proven free.
fn calibrate(problem: &Problem<'_>, first: f64) -> Result<f64> {
    let checker = problem.checker();
    let free = Checker::new(checker.scene().clone().with_tolerance(1e-4)?);
    let mut scratch = CheckScratch::new(&free);
    let mut step = first;
    'steps: for _ in 0..12 {
        let planner = Sbl { edge_test: EdgeTest::Fixed { step }, ..Sbl::default() };
        for seed in 1_000..1_010 {
            let Outcome::Found(planned) = planner.plan(problem, seed, &budget())? else { continue };
            let answer = free.path(&Motion::lines(&planned.waypoints[..]), &Settings::default(), &mut scratch)?;
            if !matches!(answer.verdict, Verdict::Free(_)) {
                step /= 2.0;
                continue 'steps;
            }
        }
        break;
    }
    Ok(step)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The ratio of means of paired runs, and the interval that holds 95 % of 2,000 bootstrap samples of pairs.
fn ratio_of_means(above: &[f64], below: &[f64]) -> (f64, [f64; 2]) {
    let mut random = Random::new(1);
    let mut ratios: Vec<f64> = (0..2_000)
        .map(|_| {
            let drawn: Vec<usize> = above.iter().map(|_| random.below(above.len())).collect();
            let sum = |of: &[f64]| drawn.iter().map(|i| of[*i]).sum::<f64>();
            sum(above) / sum(below)
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    (mean(above) / mean(below), [ratios[50], ratios[1_949]])
}
