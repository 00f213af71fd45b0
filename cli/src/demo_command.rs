//! `pathproof demo`: an embedded cell, two paths. Sampling calls both free; one of them is not.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use pathproof::check::{Answer, CheckScratch, Checker, Finding, Settings, Verdict};
use pathproof::numeric::DVec3;
use pathproof::scene::{Role, Scene};

use crate::sampling::{Sampled, Sampler};
use crate::{demo_scene, output, report};

/// A usual resolution of sampling planners, in radians.
const USUAL_STEP: f64 = 0.05;

/// The torch passes through a bar of the cage between two samples. Found by a seeded search.
const MISSED: [[f64; 6]; 3] = [
    [1.72, -1.67, 0.52, 0.06, -0.12, -0.12],
    [1.1, -1.48, 0.52, -0.64, -0.49, 0.35],
    [1.05, -1.61, -0.06, 0.05, -0.44, 0.56],
];

/// Out of one mesh of the cage and into another. Found by a seeded search.
const FREE: [[f64; 6]; 6] = [
    [0.39, 0.04, -0.09, -1.09, 0.14, -1.66],
    [1.26, -0.68, 0.64, -1.87, -0.42, -0.82],
    [0.64, 0.12, 1.12, -1.38, 0.25, -1.12],
    [-0.17, -0.77, 0.56, -1.58, 0.23, -1.53],
    [-1.04, -0.24, 1.11, -1.44, 0.88, -1.24],
    [-1.8, 0.15, 0.47, -2.12, 0.43, -0.36],
];

/// Timings are the least of so many runs: load only adds.
const RUNS: u32 = 10;

/// Runs the demo.
pub(crate) fn run() -> Result<ExitCode> {
    let text = report()?;
    output::write(|out| out.write_all(text.as_bytes()))
}

fn report() -> Result<String> {
    let mut text = String::new();
    let checker = Checker::new(demo_scene::scene()?)?;
    let scene = checker.scene();
    let mut sampler = Sampler::new(scene)?;
    describe(&mut text, scene);
    report_missed(&mut text, &mut sampler)?;
    report_free(&mut text, &checker, &mut sampler)?;
    Ok(text)
}

/// Writing to a string cannot fail.
macro_rules! line {
    ($text:expr, $($format:tt)*) => {{ let _ = writeln!($text, $($format)*); }};
}

fn describe(text: &mut String, scene: &Scene) {
    let (links, bars): (Vec<_>, Vec<_>) = scene.bodies().iter().partition(|body| body.role == Role::Link);
    let triangles = |bodies: &[&pathproof::scene::SceneBody]| -> usize {
        bodies.iter().map(|body| body.shape.summary().triangles).sum()
    };
    line!(text, "The cell: a six-joint arm with a welding torch ({} triangles) in a wire", triangles(&links));
    line!(
        text,
        "cage of {} bars ({} triangles); {} pairs of bodies are checked.",
        bars.len(),
        triangles(&bars),
        scene.pairs().len()
    );
}

fn report_missed(text: &mut String, sampler: &mut Sampler<'_>) -> Result<()> {
    let checker = contact_checker()?;
    let path = MISSED.map(|q| q.to_vec());
    line!(text, "\n1. A path of {} segments", path.len() - 1);
    let (sampled, time) = timed(|| sampler.path(&path, USUAL_STEP))?;
    line!(text, "   sampling every {USUAL_STEP} rad   {}", sampled_text(&sampled, time));
    let (answer, time) = timed(|| check(&checker, &path))?;
    line!(text, "   pathproof                 {}", proof_text(&answer, time));
    let (Verdict::Collision(found) | Verdict::TooClose(found)) = &answer.verdict else { return Ok(()) };
    describe_finding(text, checker.scene(), found);
    let mut step = USUAL_STEP;
    while step > 1e-6 && !sampler.path(&path, step)?.is_hit {
        step /= 2.0;
    }
    let (sampled, time) = timed(|| sampler.path(&path, step))?;
    line!(text, "   sampling has to go down to steps of {step} rad to see it: {}", sampled_text(&sampled, time));
    Ok(())
}

/// With tolerance 0, what is found is contact and not only nearness.
fn contact_checker() -> Result<Checker> {
    Ok(Checker::new(demo_scene::scene()?.with_tolerance(0.0)?)?)
}

fn describe_finding(text: &mut String, scene: &Scene, found: &Finding) {
    let [a, b] = report::names(scene, found.bodies);
    let DVec3 { x, y, z } = found.points[1];
    line!(text, "   {a} hits {b} in segment {} at t = {}, at ({x:.3}, {y:.3}, {z:.3}) m", found.segment, found.t);
}

fn report_free(text: &mut String, checker: &Checker, sampler: &mut Sampler<'_>) -> Result<()> {
    let path = FREE.map(|q| q.to_vec());
    line!(text, "\n2. A path of {} segments, through the meshes of the cage", path.len() - 1);
    let (sampled, time) = timed(|| sampler.path(&path, USUAL_STEP))?;
    line!(text, "   sampling every {USUAL_STEP} rad   {}, which proves nothing", sampled_text(&sampled, time));
    let (answer, time) = timed(|| check(checker, &path))?;
    line!(text, "   pathproof                 {}", proof_text(&answer, time));
    if let Some(clearance) = proven_clearance(checker.scene(), &path)? {
        let (answer, time) = timed_at_clearance(checker.scene(), &path, clearance)?;
        line!(text, "   with {:.0} mm of clearance   {}", clearance * 1e3, proof_text(&answer, time));
    }
    line!(text, "   free means: at every configuration of the path, not only at some, rounding included");
    Ok(())
}

/// The largest clearance in whole millimetres, below 0.1 m, that is proven along the path.
fn proven_clearance(scene: &Scene, path: &[Vec<f64>]) -> Result<Option<f64>> {
    let (mut proven, mut refused) = (0, 100);
    while refused - proven > 1 {
        let middle = (proven + refused) / 2;
        let checker = Checker::new(scene.clone().with_clearance(f64::from(middle) * 1e-3)?)?;
        match check(&checker, path)?.verdict {
            Verdict::Free(_) => proven = middle,
            _ => refused = middle,
        }
    }
    Ok((proven > 0).then(|| f64::from(proven) * 1e-3))
}

fn timed_at_clearance(scene: &Scene, path: &[Vec<f64>], clearance: f64) -> Result<(Answer, Duration)> {
    let checker = Checker::new(scene.clone().with_clearance(clearance)?)?;
    timed(|| check(&checker, path))
}

fn check(checker: &Checker, path: &[Vec<f64>]) -> Result<Answer> {
    let mut scratch = CheckScratch::new(checker);
    Ok(checker.path(path, &Settings::default(), &mut scratch)?)
}

fn sampled_text(sampled: &Sampled, time: Duration) -> String {
    let verdict = if sampled.is_hit { "collision" } else { "free" };
    format!("{verdict:<10} {:>5} configurations  {}", sampled.configurations, milliseconds(time))
}

fn proof_text(answer: &Answer, time: Duration) -> String {
    let verdict = report::verdict_name(&answer.verdict);
    format!("{verdict:<10} {:>5} configurations  {}", answer.statistics.configurations, milliseconds(time))
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

fn timed<T>(mut run: impl FnMut() -> Result<T>) -> Result<(T, Duration)> {
    let mut least = Duration::MAX;
    let mut last = None;
    for _ in 0..RUNS {
        let start = Instant::now();
        last = Some(run()?);
        least = least.min(start.elapsed());
    }
    Ok((last.context("there is at least one run")?, least))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(waypoints: &[[f64; 6]]) -> Vec<Vec<f64>> {
        waypoints.iter().map(|q| q.to_vec()).collect()
    }

    #[test]
    fn every_body_of_the_cell_is_solid_and_the_waypoints_are_within_limits() {
        let scene = demo_scene::scene().unwrap();
        for body in scene.bodies() {
            let summary = body.shape.summary();
            assert!(summary.solids > 0 && summary.surfaces == 0, "{}: {summary:?}", body.name);
        }
        for q in MISSED.iter().chain(&FREE) {
            assert_eq!(scene.limit_violation(q), None);
        }
    }

    #[test]
    fn the_first_path_collides_where_sampling_at_the_usual_step_sees_nothing() {
        let checker = contact_checker().unwrap();
        let mut sampler = Sampler::new(checker.scene()).unwrap();
        let path = path(&MISSED);
        assert!(!sampler.path(&path, USUAL_STEP).unwrap().is_hit);
        assert!(sampler.path(&path, 0.002).unwrap().is_hit);
        let Verdict::Collision(found) = check(&checker, &path).unwrap().verdict else { panic!("no collision") };
        // It is one for the sampler's own queries as well.
        let there = [found.configuration.clone(), found.configuration.clone()];
        assert!(sampler.path(&there, 1.0).unwrap().is_hit, "{found:?}");
    }

    #[test]
    fn the_second_path_is_proven_free_with_two_centimetres_to_spare() {
        let scene = demo_scene::scene().unwrap().with_clearance(0.02).unwrap();
        let path = path(&FREE);
        let answer = check(&Checker::new(scene.clone()).unwrap(), &path).unwrap();
        assert!(matches!(answer.verdict, Verdict::Free(free) if free.lower_clearance >= 0.02), "{:?}", answer.verdict);
        assert!(!Sampler::new(&scene).unwrap().path(&path, 0.005).unwrap().is_hit);
    }
}
