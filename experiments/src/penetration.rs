//! Cameron's bracket of the penetration depth (§5, Fig. 6): its width by depth, and how often it is exact when tracked.
//!
//! Hulls of 100 vertices and 1 m move into each other in small steps. At each step the bracket is computed cold and
//! from the state of the last step, and compared with the exact depth from the expanding polytope. `exact`: the bounds
//! meet to a billionth of the size; `lower_exact`: the bound on how far to move apart is the true one.

use anyhow::Result;
use glam::DVec3;
use pathproof::distance::gjk::Tracker;
use pathproof::distance::penetration::{bracket, signed_distance};
use pathproof::numeric::{Pose, Random};
use pathproof::shapes::Convex;
use serde_json::json;

use crate::{Options, report::Report};

/// Upper ends of the classes of depth, in metres.
const DEPTHS: [f64; 6] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.4];
const VERTICES: usize = 100;
/// Metres per step, and the greatest turn per step in radians of the turning motions.
const STEP: f64 = 0.005;
const TURN: f64 = 0.02;
/// Bounds this close count as met.
const SAME: f64 = 1e-9;

/// Results of one class of depth, cold and tracked.
#[derive(Clone, Copy, Default)]
struct Class {
    queries: usize,
    width: [f64; 2],
    exact: [usize; 2],
    lower_exact: [usize; 2],
}

/// Runs the experiment.
pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    report.note("The paper gives the bracket and expects it to be exact for small steps into shallow contact; it has no figures.");
    let pairs = options.samples(if options.quick { 5 } else { 200 });
    for (case, turn) in [("sliding", 0.0), ("turning", TURN)] {
        let mut classes = [Class::default(); DEPTHS.len()];
        let mut random = Random::new(6);
        for _ in 0..pairs {
            approach(&mut random, turn, &mut classes)?;
        }
        for (depth, class) in DEPTHS.iter().zip(&classes) {
            let share = |count: usize| count as f64 / class.queries.max(1) as f64;
            report.row(
                case,
                json!({
                    "depth": depth, "queries": class.queries,
                    "bracket_width": share(1) * class.width[0], "bracket_width_tracked": share(1) * class.width[1],
                    "exact_when_cold": share(class.exact[0]), "exact_when_tracked": share(class.exact[1]),
                    "lower_exact_when_cold": share(class.lower_exact[0]),
                    "lower_exact_when_tracked": share(class.lower_exact[1]),
                }),
            );
        }
    }
    Ok(())
}

/// One body moves into the other, from just outside to the greatest depth.
fn approach(random: &mut Random, turn: f64, classes: &mut [Class]) -> Result<()> {
    let mut hull = || -> Result<Convex> {
        let points: Vec<DVec3> = (0..VERTICES).map(|_| random.direction() * 0.5).collect();
        Ok(Convex::hull(&points)?)
    };
    let (a, b) = (hull()?, hull()?);
    let (direction, axis) = (random.direction(), random.direction());
    let mut pose = Pose { translation: direction * 1.05, ..random.pose(0.0) };
    let mut tracker = Tracker::default();
    loop {
        let exact = signed_distance(&a, &b, &pose, &mut Tracker::default());
        let answers = [bracket(&a, &b, &pose, &mut Tracker::default()), bracket(&a, &b, &pose, &mut tracker)];
        let depth = -exact.lower;
        if depth > 0.0 {
            let Some(place) = DEPTHS.iter().position(|most| depth <= *most) else { return Ok(()) };
            let class = &mut classes[place];
            class.queries += 1;
            for (k, answer) in answers.iter().enumerate() {
                class.width[k] += answer.upper - answer.lower;
                class.exact[k] += usize::from(answer.upper - answer.lower < SAME);
                class.lower_exact[k] += usize::from(exact.lower - answer.lower < SAME);
            }
        }
        let rotation = Pose::from_axis_angle(axis, random.between(0.0, turn), DVec3::ZERO).rotation * pose.rotation;
        pose = Pose { rotation, translation: pose.translation - direction * STEP };
        if pose.translation.dot(direction) < 0.0 {
            return Ok(());
        }
    }
}
