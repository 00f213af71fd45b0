//! Table 5 of the exact-collision-checking paper: linkages retract from rings and lattices by a random walk that
//! changes one joint at a time, and the smoother turns it into a path. Start: fully extended. Goal: below the lowest
//! obstacle.
//!
//! `walk_segments` counts free and colliding ones. `smooth_seconds` is without `recheck_seconds`, the proof of the
//! whole walk that the smoother needs first. `length_left` is the share of the walk's length left by smoothing,
//! `length_over_straight` the ratio of that length to the straight line from start to end: a longer walk is no merit.
//! `radius_over_root_links` is the circumradius about the middle of the chain at the end, over √n.

use std::cell::RefCell;

use anyhow::{Context, Result};
use glam::DVec3;
use pathproof::check::{CheckScratch, Checker, Settings, Verdict};
use pathproof::path::Motion;
use pathproof::plan::{
    Budget, Goal, HalfSpace, Outcome, Planner, Problem, Progress, RandomWalk, Region, Smoother, Space, smooth,
};
use pathproof::robot::Kinematics;
use pathproof::scene::{Role, Scene};
use serde_json::json;

use crate::report::Report;
use crate::scenes::{self, in_memory};
use crate::{Options, timing};

/// All cases.
pub(crate) const CASES: &[&str] = &["fig1", "fig8", "fig8x9"];

/// Case, goal height (m), steps of smoothing, and the paper's: segments, seconds, seconds of smoothing, length left.
pub(crate) const PAPER: [(&str, f64, u64, [f64; 4]); 3] = [
    ("fig1", 0.4, 10_000, [85_784.0, 898.0, 735.0, 0.07]),
    ("fig8", 0.6, 2_000, [6_795.0, 95.0, 83.0, 0.17]),
    ("fig8x9", 0.6, 20_000, [27_596.0, 8_079.0, 8_891.0, 0.22]),
];

/// Largest move of a joint in a step, as a fraction of its range.
const STEP: f64 = 0.1;

/// The seed of walks and smoothing.
const SEED: u64 = 0;

/// Most segments of a walk.
const MOST_SEGMENTS: u64 = 1_000_000;

/// Runs the experiment.
pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    for (case, height, steps, paper) in PAPER.into_iter().filter(|(case, ..)| options.wants(case)) {
        if options.quick && case != "fig8" {
            continue;
        }
        let [segments, walk, smoothing, left] = paper;
        report.note(&format!(
            "{case}, the paper: {segments} segments in {walk} s, smoothing {smoothing} s, length left {left}; a hundredth of it: \
             {:.0} µs per segment, {:.2} ms per step",
            walk * 1e4 / segments,
            smoothing * 10.0 / steps as f64
        ));
        let steps = if options.quick { 100 } else { steps };
        measure(case, height, steps, report)?;
    }
    Ok(())
}

fn measure(case: &str, height: f64, steps: u64, report: &mut Report) -> Result<()> {
    let description = scenes::case(case).context("no such case")?;
    let checker = Checker::new(in_memory::scene(&description)?);
    let scene = checker.scene();
    let links = scene.bodies().iter().enumerate().filter(|(_, body)| body.role == Role::Link);
    let bodies: Vec<usize> = links.map(|(number, _)| number).collect();
    let half_space = HalfSpace { bodies, normal: DVec3::Z, offset: height };
    let goal = Goal::Inside(Region { half_spaces: vec![half_space] });
    let problem = Problem::new(&checker, description.start(), goal)?;
    let walker = RandomWalk { step: STEP };
    let told = RefCell::new(&mut *report);
    let show = |progress: Progress| told.borrow_mut().progress(&format!("{case}: {} segments", progress.steps));
    let budget = Budget { max_steps: Some(MOST_SEGMENTS), progress: Some(&show), ..Budget::default() };
    let start = timing::thread_seconds();
    let outcome = walker.plan(&problem, SEED, &budget)?;
    let walk_seconds = timing::thread_seconds() - start;
    let planned = match outcome {
        Outcome::Found(planned) => planned,
        Outcome::NotFound(shortfall) => {
            report
                .note(&format!("{case}, seed {SEED}: not below {height} m, at best {:.3} m above", shortfall.nearest));
            report.row(
                case,
                json!({"seed": SEED, "dof": problem.start().len(), "walk_segments": shortfall.effort.steps,
                                    "walk_seconds": walk_seconds, "walk_us": walk_seconds * 1e6 / shortfall.effort.steps as f64,
                       "solved": false}),
            );
            return Ok(());
        }
    };
    let smoother = Smoother { patience: None, ..Smoother::default() };
    let told = RefCell::new(&mut *report);
    let show = |progress: Progress| told.borrow_mut().progress(&format!("{case}: {} steps smoothed", progress.steps));
    let budget = Budget { max_steps: Some(steps), progress: Some(&show), ..Budget::default() };
    let start = timing::thread_seconds();
    drop(checker.path(
        &Motion::lines(&planned.waypoints[..]),
        &Settings::default(),
        &mut CheckScratch::new(&checker),
    )?);
    let recheck_seconds = timing::thread_seconds() - start;
    let start = timing::thread_seconds();
    let smoothed = smooth(&checker, &planned.waypoints, &smoother, SEED, &budget)?;
    let smooth_seconds = timing::thread_seconds() - start - recheck_seconds;
    let path = &smoothed.waypoints;
    let straight = Space::new(scene, &[])?.length(&path[0], &path[path.len() - 1]);
    let answer = checker.path(&Motion::lines(&path[..]), &Settings::default(), &mut CheckScratch::new(&checker))?;
    let segments = planned.effort.steps;
    let links_per_robot = problem.start().len() / description.robots.len();
    report.row(
        case,
        json!({"seed": SEED, "dof": problem.start().len(), "walk_segments": segments, "walk_seconds": walk_seconds,
               "walk_us": walk_seconds * 1e6 / segments as f64, "waypoints": planned.waypoints.len(),
               "recheck_seconds": recheck_seconds, "smooth_steps": steps, "smooth_seconds": smooth_seconds, "smooth_ms": smooth_seconds * 1e3 / steps as f64,
               "length_left": smoothed.length / smoothed.length_before,
               "length_over_straight": smoothed.length / straight,
               "proven": matches!(answer.verdict, Verdict::Free(_)),
               "transforms_share": transforms_share(scene, &planned.waypoints, planned.effort.statistics.configurations, walk_seconds),
               "radius_over_root_links": circumradius(scene, &path[path.len() - 1], 0..links_per_robot) / (links_per_robot as f64).sqrt(),
               "solved": true}),
    );
    Ok(())
}

/// Share of the time spent on poses, estimated by posing as many configurations again as the walk has posed.
fn transforms_share(scene: &Scene, waypoints: &[Vec<f64>], configurations: u64, seconds: f64) -> f64 {
    let mut kinematics = Kinematics::new(scene.model());
    let count = waypoints.len().min(2_000);
    let start = timing::thread_seconds();
    for q in &waypoints[..count] {
        kinematics.set_configuration(q);
        std::hint::black_box(kinematics.compute_poses(scene.model()));
    }
    (timing::thread_seconds() - start) / count as f64 * configurations as f64 / seconds
}

/// The radius of the smallest ball about the mean of a robot's joint origins that holds them, in link lengths.
fn circumradius(scene: &Scene, q: &[f64], variables: std::ops::Range<usize>) -> f64 {
    let mut kinematics = Kinematics::new(scene.model());
    kinematics.set_configuration(q);
    let frames = scene.model().frames().iter().enumerate().skip(1);
    let frames: Vec<usize> = frames.filter(|(_, f)| variables.contains(&f.source.variable)).map(|(i, _)| i).collect();
    let origins: Vec<DVec3> =
        frames.iter().map(|frame| kinematics.world_from_frame(scene.model(), *frame).translation).collect();
    let link = origins.windows(2).map(|ends| ends[0].distance(ends[1])).sum::<f64>() / (origins.len() - 1) as f64;
    let middle = origins.iter().sum::<DVec3>() / origins.len() as f64;
    origins.iter().map(|origin| origin.distance(middle)).fold(0.0, f64::max) / link
}
