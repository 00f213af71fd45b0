//! `pathproof demo`: an embedded cell, two paths that sampling calls free although one of them is not, and a way around
//! the obstacle it hits.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use pathproof::check::{Answer, CheckScratch, Checker, Finding, Report, Sampled, Settings, Verdict};
use pathproof::numeric::DVec3;
use pathproof::path::Motion;
use pathproof::scene::{Role, Scene};
use pathproof_formats::OutputSet;

use crate::demo_plan::{self, Back};
use crate::{demo_scene, output, output_files, report, view};

/// Usual resolution of sampling planners, in radians.
const USUAL_STEP: f64 = 0.05;

/// The torch passes through a bar of the cage between two samples. Found by a seeded search.
pub(crate) const MISSED: [[f64; 6]; 3] = [
    [-0.5, -0.93, 0.81, -1.73, -0.68, -0.15],
    [-0.59, -0.15, 0.47, -1.74, -0.49, 0.48],
    [0.18, -0.4, 0.33, -1.58, -1.26, 0.38],
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

/// Timings are the minimum of this many runs, because load only adds time.
const RUNS: u32 = 10;

/// Writing to a string cannot fail.
macro_rules! line {
    ($text:expr, $($format:tt)*) => {{ let _ = writeln!($text, $($format)*); }};
}

/// Command-line arguments.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also write a page that plays the path that sampling calls free, shows where it is not, and the proven way back.
    #[arg(long, value_name = "OUT.html")]
    report: Option<PathBuf>,
}

/// Runs the demo.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if let Some(file) = &args.report {
        output_files::check(&[("--report", file)], &[])?;
    }
    let checker = Checker::new(demo_scene::scene()?);
    let [_, before, after] = &MISSED;
    let back = demo_plan::back(checker.scene(), after, before)?;
    let text = report(&checker, &back)?;
    let mut files = OutputSet::default();
    if let Some(file) = &args.report {
        files.add(file, page(&checker, back)?)?;
    }
    output::write_with(files, |out| out.write_all(text.as_bytes()))
}

/// Page of the way there by the first path and the way back by the planned one.
fn page(checker: &Checker, back: Back) -> Result<Vec<u8>> {
    let there = MISSED.map(|q| q.to_vec());
    let waypoints: Vec<_> = there.into_iter().chain(back.waypoints.into_iter().skip(1)).collect();
    let path = Motion::lines(waypoints);
    let settings = Settings { report: Report::All, ..Settings::default() };
    let names = ["demo's cell", "there by the first path, back by the planned one"].map(str::to_owned);
    view::of_path(checker, &path, &settings, names, Some(back.proof))
}

fn report(checker: &Checker, back: &Back) -> Result<String> {
    let mut text = String::new();
    describe(&mut text, checker.scene());
    report_missed(&mut text)?;
    report_free(&mut text, checker)?;
    line!(text, "\n3. Back over the segment that hits, around the bar");
    text += &back.text;
    Ok(text)
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

fn report_missed(text: &mut String) -> Result<()> {
    let checker = contact_checker()?;
    let path = MISSED.map(|q| q.to_vec());
    line!(text, "\n1. A path of {} segments", path.len() - 1);
    let (sampled, time) = timed_sampling(&checker, &path, USUAL_STEP)?;
    line!(text, "   sampling every {USUAL_STEP} rad   {}", sampled_text(&sampled, time));
    let (answer, time) = timed_check(&checker, &path)?;
    line!(text, "   pathproof                 {}", proof_text(&answer, time));
    let (Verdict::Collision(found) | Verdict::TooClose(found)) = &answer.verdict else { return Ok(()) };
    describe_finding(text, checker.scene(), found);
    let mut step = USUAL_STEP;
    let mut scratch = CheckScratch::new(&checker);
    while step > 1e-6 && !sample(&checker, &path, step, &mut scratch)?.is_hit {
        step /= 2.0;
    }
    let (sampled, time) = timed_sampling(&checker, &path, step)?;
    let (count, time) = (sampled.configurations, milliseconds(time));
    line!(text, "   sampling sees it at steps of {step} rad only ({count} configurations, {time})");
    Ok(())
}

/// With tolerance 0, every finding is contact and not only nearness.
fn contact_checker() -> Result<Checker> {
    Ok(Checker::new(demo_scene::scene()?.with_tolerance(0.0)?))
}

fn describe_finding(text: &mut String, scene: &Scene, found: &Finding) {
    let [a, b] = report::names(scene, found.bodies);
    let DVec3 { x, y, z } = found.points[1];
    line!(text, "   {a} hits {b} in segment {} at t = {}, at ({x:.3}, {y:.3}, {z:.3}) m", found.segment, found.t);
}

fn report_free(text: &mut String, checker: &Checker) -> Result<()> {
    let path = FREE.map(|q| q.to_vec());
    line!(text, "\n2. A path of {} segments, through the meshes of the cage", path.len() - 1);
    let (sampled, time) = timed_sampling(checker, &path, USUAL_STEP)?;
    line!(text, "   sampling every {USUAL_STEP} rad   {}, which proves nothing", sampled_text(&sampled, time));
    let (answer, time) = timed_check(checker, &path)?;
    line!(text, "   pathproof                 {}", proof_text(&answer, time));
    if let Some(clearance) = proven_clearance(checker.scene(), &path)? {
        let with_clearance = Checker::new(checker.scene().clone().with_clearance(clearance)?);
        let (answer, time) = timed_check(&with_clearance, &path)?;
        line!(text, "   with {:.0} mm of clearance   {}", clearance * 1e3, proof_text(&answer, time));
    }
    line!(text, "   free means: at every configuration of the path, not only at some, rounding included");
    Ok(())
}

/// Largest clearance in whole millimetres, below 0.1 m, that is proven along the path.
fn proven_clearance(scene: &Scene, path: &[Vec<f64>]) -> Result<Option<f64>> {
    let (mut proven, mut refused) = (0, 100);
    while refused - proven > 1 {
        let middle = (proven + refused) / 2;
        let checker = Checker::new(scene.clone().with_clearance(f64::from(middle) * 1e-3)?);
        match check(&checker, path)?.verdict {
            Verdict::Free(_) => proven = middle,
            _ => refused = middle,
        }
    }
    Ok((proven > 0).then(|| f64::from(proven) * 1e-3))
}

fn check(checker: &Checker, path: &[Vec<f64>]) -> Result<Answer> {
    let mut scratch = CheckScratch::new(checker);
    Ok(checker.path(&Motion::lines(path), &Settings::default(), &mut scratch)?)
}

/// Result of sampling.
#[derive(Clone, Copy)]
struct Samples {
    configurations: u64,
    is_hit: bool,
}

/// Tests the waypoints, then midpoints of midpoints between them until no joint moves by more than `step` (radians)
/// from one configuration to the next; ends at the first contact.
fn sample(checker: &Checker, path: &[Vec<f64>], step: f64, scratch: &mut CheckScratch) -> Result<Samples> {
    let mut configurations = 0;
    for q in path {
        configurations += 1;
        if checker.is_configuration_in_contact(q, scratch)? {
            return Ok(Samples { configurations, is_hit: true });
        }
    }
    for ends in path.windows(2) {
        let farthest = ends[0].iter().zip(&ends[1]).map(|(a, b)| (b - a).abs()).fold(0.0, f64::max);
        let levels = (0..32).find(|&level| farthest <= step * f64::from(1u32 << level)).unwrap_or(32);
        let (sampled, work) = checker.sample(&ends[0], &ends[1], Some(levels), scratch)?;
        configurations += work.configurations;
        if let Sampled::Contact { .. } = sampled {
            return Ok(Samples { configurations, is_hit: true });
        }
    }
    Ok(Samples { configurations, is_hit: false })
}

fn timed_sampling(checker: &Checker, path: &[Vec<f64>], step: f64) -> Result<(Samples, Duration)> {
    let mut scratch = CheckScratch::new(checker);
    timed(|| sample(checker, path, step, &mut scratch))
}

fn timed_check(checker: &Checker, path: &[Vec<f64>]) -> Result<(Answer, Duration)> {
    let mut scratch = CheckScratch::new(checker);
    timed(|| Ok(checker.path(&Motion::lines(path), &Settings::default(), &mut scratch)?))
}

fn sampled_text(sampled: &Samples, time: Duration) -> String {
    let verdict = if sampled.is_hit { "collision" } else { "free" };
    format!("{verdict:<10} {:>5} configurations  {}", sampled.configurations, milliseconds(time))
}

fn proof_text(answer: &Answer, time: Duration) -> String {
    let verdict = answer.verdict.name();
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

    /// True if there is contact at one of the configurations from `start` to `goal` in equal steps of at most `step`.
    fn is_hit_in_equal_steps(checker: &Checker, start: &[f64], goal: &[f64], step: f64) -> bool {
        let mut scratch = CheckScratch::new(checker);
        let farthest = start.iter().zip(goal).map(|(a, b)| (b - a).abs()).fold(0.0, f64::max);
        let steps = (farthest / step).ceil() as u32;
        (0..=steps).any(|k| {
            let t = f64::from(k) / f64::from(steps);
            let q: Vec<f64> = start.iter().zip(goal).map(|(a, b)| a + t * (b - a)).collect();
            checker.is_configuration_in_contact(&q, &mut scratch).unwrap()
        })
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
        let path = path(&MISSED);
        let mut scratch = CheckScratch::new(&checker);
        assert!(!sample(&checker, &path, USUAL_STEP, &mut scratch).unwrap().is_hit);
        let is_hit = |step: f64| path.windows(2).any(|ends| is_hit_in_equal_steps(&checker, &ends[0], &ends[1], step));
        assert!(!is_hit(USUAL_STEP) && is_hit(0.001));
        let Verdict::Collision(found) = check(&checker, &path).unwrap().verdict else { panic!("no collision") };
        // A plain collision query finds that the surfaces meet there, too.
        assert!(checker.is_configuration_in_contact(&found.configuration, &mut scratch).unwrap(), "{found:?}");
    }

    #[test]
    fn the_second_path_is_proven_free_with_two_centimetres_to_spare() {
        let scene = demo_scene::scene().unwrap();
        let path = path(&FREE);
        let checker = Checker::new(scene.clone().with_clearance(0.02).unwrap());
        let answer = check(&checker, &path).unwrap();
        assert!(matches!(answer.verdict, Verdict::Free(free) if free.lower.world >= 0.02), "{:?}", answer.verdict);
        assert!(!path.windows(2).any(|ends| is_hit_in_equal_steps(&checker, &ends[0], &ends[1], 0.005)));
    }
}
