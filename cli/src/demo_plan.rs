//! Last part of `pathproof demo`: the way back to the start around the obstacle, planned, smoothed, proven and
//! verified, all in memory. Planner and smoother keep twice the proven clearance, so that the proof has room. Except
//! for times, the output is the same on every run: seeds are fixed and no clock ends anything.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use pathproof::check::{CheckScratch, Checker, Settings, Verdict};
use pathproof::path::Motion;
use pathproof::plan::{Budget, Goal, Outcome, Planner, Problem, RrtConnect, Smoother, remove_redundant, smooth};
use pathproof::scene::Scene;
use pathproof_verifier::Verifier;

/// Maximum number of steps of planner and smoother: far more than they need.
const MOST_STEPS: u64 = 100_000;

/// Clearance in metres that planner and smoother keep, and that is proven.
const KEPT: f64 = 0.01;
pub(crate) const PROVEN: f64 = 0.005;

/// A path that was planned, smoothed, proven and verified.
pub(crate) struct Back {
    pub(crate) waypoints: Vec<Vec<f64>>,
    /// A line per step.
    pub(crate) text: String,
    /// Summary of its proof.
    pub(crate) proof: String,
}

/// Plans from one configuration to another, then smooths, proves and verifies the path.
pub(crate) fn back(scene: &Scene, from: &[f64], to: &[f64]) -> Result<Back> {
    let with_clearance =
        |clearance: f64| -> Result<Checker> { Ok(Checker::new(scene.clone().with_clearance(clearance)?)) };
    let checker = with_clearance(KEPT)?;
    let budget = Budget { max_steps: Some(MOST_STEPS), ..Budget::default() };
    let problem = Problem::new(&checker, from.to_vec(), Goal::AnyOf(vec![to.to_vec()]))?;
    let mut text = String::new();
    let mut line = |what: &str, said: String, time: Duration| {
        let _ = writeln!(text, "   {what:<25} {said:<52} {:.3} ms", time.as_secs_f64() * 1e3);
    };
    let (planned, time) = timed(|| match RrtConnect::default().plan(&problem, 0, &budget)? {
        Outcome::Found(planned) => Ok(planned.waypoints),
        Outcome::NotFound(_) => bail!("the demo's planner found no path"),
    })?;
    let length = problem.space().path_length(&planned);
    let kept = KEPT * 1e3;
    line("planned", format!("{} waypoints, length {length:.3}, {kept} mm clear", planned.len()), time);

    let (waypoints, time) = timed(|| {
        let smoothed = smooth(&checker, &planned, &Smoother::default(), 0, &budget)?;
        Ok(remove_redundant(&checker, &smoothed.waypoints, &budget)?.waypoints)
    })?;
    let length = problem.space().path_length(&waypoints);
    line("smoothed", format!("{} waypoints, length {length:.3}, {kept} mm clear", waypoints.len()), time);

    let checker = with_clearance(PROVEN)?;
    let mut scratch = CheckScratch::new(&checker);
    let motion = Motion::lines(&waypoints[..]);
    let ((answer, certificate), time) = timed(|| Ok(checker.certify(&motion, &Settings::default(), &mut scratch)?))?;
    ensure!(matches!(answer.verdict, Verdict::Free(_)), "the demo's smoothed path is not free");
    let certificate = certificate.context("the demo's smoothed path has no certificate")?;
    let bytes = certificate.to_bytes().len();
    line("proof written down", format!("free, at least {} mm clear everywhere; {bytes} bytes", PROVEN * 1e3), time);

    let verifier = Verifier::new(checker.scene()).map_err(anyhow::Error::msg)?;
    let (accepted, time) = timed(|| verifier.verify(&motion, &certificate).map_err(Into::into))?;
    let halves = accepted.halves;
    line("verified on its own", format!("accepted, {halves} half cells, trusting no checker"), time);
    let proof = format!(
        "the way back has one of {bytes} bytes, for {} mm of clearance, accepted by the verifier",
        PROVEN * 1e3
    );
    Ok(Back { waypoints, text, proof })
}

fn timed<T>(run: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
    let start = Instant::now();
    Ok((run()?, start.elapsed()))
}
