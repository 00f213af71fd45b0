//! The last part of `pathproof demo`: back to the start around what was hit, planned, smoothed, proven and verified, all in
//! memory. What it prints but the times is the same on every run: seeds are fixed and nothing is ended by a clock.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use pathproof::check::{CheckScratch, Checker, Settings, Verdict};
use pathproof::plan::{Budget, Goal, Outcome, Planner, Problem, RrtConnect, Smoother, remove_redundant, smooth};
use pathproof_verifier::Verifier;

/// Steps of planner and smoother at most: far more than they need.
const MOST_STEPS: u64 = 100_000;

/// A path that was planned, smoothed, proven and verified.
pub(crate) struct Back {
    pub(crate) waypoints: Vec<Vec<f64>>,
    /// A line per step.
    pub(crate) text: String,
    /// What there is to say of its proof.
    pub(crate) proof: String,
}

/// Plans from one configuration to another, and so on.
pub(crate) fn back(checker: &Checker, from: &[f64], to: &[f64]) -> Result<Back> {
    let budget = Budget { max_steps: Some(MOST_STEPS), ..Budget::default() };
    let problem = Problem::new(checker, from.to_vec(), Goal::AnyOf(vec![to.to_vec()]))?;
    let mut text = String::new();
    let mut line = |what: &str, said: String, time: Duration| {
        let _ = writeln!(text, "   {what:<25} {said:<46} {:.3} ms", time.as_secs_f64() * 1e3);
    };
    let (planned, time) = timed(|| match RrtConnect::default().plan(&problem, 0, &budget)? {
        Outcome::Found(planned) => Ok(planned.waypoints),
        Outcome::NotFound(_) => bail!("the demo's planner found no path"),
    })?;
    let length = problem.space().path_length(&planned);
    line("planned", format!("{:>2} waypoints, length {length:.3}", planned.len()), time);

    let (waypoints, time) = timed(|| {
        let smoothed = smooth(checker, &planned, &Smoother::default(), 0, &budget)?;
        Ok(remove_redundant(checker, &smoothed.waypoints, &budget)?.waypoints)
    })?;
    let length = problem.space().path_length(&waypoints);
    line("smoothed", format!("{:>2} waypoints, length {length:.3}", waypoints.len()), time);

    let mut scratch = CheckScratch::new(checker);
    let ((answer, certificate), time) =
        timed(|| Ok(checker.certify(&waypoints, &Settings::default(), &mut scratch)?))?;
    let Verdict::Free(free) = answer.verdict else { bail!("the demo's smoothed path is not free") };
    let certificate = certificate.context("the demo's smoothed path has no certificate")?;
    let bytes = certificate.to_bytes().len();
    line("proof written down", format!("{bytes} bytes, clearance at least {:.1} mm", free.lower_clearance * 1e3), time);

    let verifier = Verifier::new(checker.scene()).map_err(anyhow::Error::msg)?;
    let (accepted, time) = timed(|| verifier.verify(&waypoints, &certificate).map_err(Into::into))?;
    let halves = accepted.halves;
    line("verified on its own", format!("accepted, {halves} half cells, trusting no checker"), time);
    let proof = format!("the way back has one of {bytes} bytes, accepted by the verifier");
    Ok(Back { waypoints, text, proof })
}

fn timed<T>(run: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
    let start = Instant::now();
    Ok((run()?, start.elapsed()))
}
