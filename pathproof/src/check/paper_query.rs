//! The paper's judge at one configuration: GREEDY-DIST on trees of rectangle swept spheres (exact-collision-checking paper
//! §3.2), signed distances where penetration is allowed, heights over half-spaces.
//!
//! GREEDY-DIST ends at the first pair of primitives within clearance plus tolerance; whether that is contact, or another
//! pair is in contact, is told by the exact distance then.

use super::half_space;
use super::verdict::Statistics;
use crate::distance::{Counters, Distance, Goal, Indexed, Near, Query, Scratch};
use crate::numeric::{DVec3, Pose, f32_up};
use crate::shapes::Body;
use crate::trees::{Direction, RssTree, Slot, Step, Visit};

/// What is asked at a configuration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question {
    pub(super) clearance: f64,
    /// No farther apart than this is a finding: clearance plus tolerance.
    pub(super) close: f64,
    /// Rounding of the poses at both units, in metres.
    pub(super) margin: f64,
    /// A lower bound above this need not be better.
    pub(super) enough: f64,
    /// See [`super::paper::Paper::kappa`].
    pub(super) kappa: f64,
}

/// What was seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// Lower bound on the distance at the computed poses; −∞ where not everything was looked at.
    pub(super) lower: f64,
    pub(super) found: Option<Touch>,
}

/// Primitives within reach of the clearance and the tolerance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub(super) upper: f64,
    pub(super) points_in_world: [DVec3; 2],
    pub(super) primitives: [usize; 2],
}

/// Two bodies. Where the clearance is negative both consist of convex pieces.
pub(super) fn bodies(
    [a, b]: [&Indexed<RssTree>; 2],
    [world_from_a, world_from_b]: [&Pose; 2],
    question: &Question,
    scratch: &mut Scratch,
    statistics: &mut Statistics,
) -> Look {
    // A contact counts only if it holds wherever rounding may have put the poses.
    let mut query = Query::new(a, b, world_from_a, world_from_b);
    query.add_margin(question.margin);
    if question.clearance < 0.0 {
        return signed(&query, question, scratch, statistics);
    }
    let Question { close, enough, kappa, .. } = *question;
    let mut seen = if kappa > 0.0 {
        query.with_goal(&Goal { enough, at_least: close, kappa }, scratch)
    } else {
        query.greedy(close, scratch)
    };
    count(&seen.counters, statistics);
    if !(seen.lower > close) && seen.upper > 0.0 {
        seen = query.exact(scratch);
        count(&seen.counters, statistics);
    }
    let Distance { lower, upper, witness, .. } = seen;
    let found = witness.filter(|_| upper <= close).map(|witness| Touch {
        upper,
        points_in_world: [witness.a_in_world, witness.b_in_world],
        primitives: [witness.primitive_a, witness.primitive_b],
    });
    Look { lower, found }
}

/// A body, whose meshes have the hull `hull_points`, over the half-space of `normal`.
pub(super) fn half_space(
    body: &Body,
    hull_points: &[DVec3],
    [world_from_a, world_from_plane]: [&Pose; 2],
    normal: DVec3,
    question: &Question,
) -> Look {
    let lowest = half_space::lowest(body, hull_points, world_from_a, normal, world_from_plane);
    let upper = lowest.upper + question.margin;
    let found = (upper <= question.close).then_some(Touch {
        upper,
        points_in_world: lowest.points_in_world,
        primitives: [lowest.primitive, 0],
    });
    Look { lower: lowest.lower, found }
}

fn count(counters: &Counters, statistics: &mut Statistics) {
    statistics.volume_tests += counters.volume_pairs;
    statistics.triangle_tests += counters.primitive_pairs;
}

/// GREEDY-DIST for signed distances: volumes that are apart by more than is asked about are left out.
fn signed(query: &Query<'_, RssTree>, question: &Question, scratch: &mut Scratch, statistics: &mut Statistics) -> Look {
    let direction = query.a_from_b().translation.normalize_or(DVec3::X);
    let mut search = Signed {
        query,
        // Volumes that meet say nothing about how deep the pieces in them do.
        threshold: f32_up(question.close.max(0.0)),
        stop_at: question.clearance,
        lower: f64::INFINITY,
        nearest: None,
        narrow: Direction::new(direction, query.a_from_b()),
        counters: Counters::default(),
    };
    let ended = query.visit(scratch, &mut search);
    count(&search.counters, statistics);
    let found = search.nearest.filter(|(near, _)| near.upper <= question.close).map(|(near, primitives)| Touch {
        upper: near.upper,
        points_in_world: [near.on_a, near.on_b].map(|p| query.world_from_a().point(p)),
        primitives,
    });
    Look { lower: if ended == Step::Stop { f64::NEG_INFINITY } else { search.lower }, found }
}

/// The lesser of two numbers; NaN if either is, unlike `f64::min`: it covers nothing.
fn lesser(a: f64, b: f64) -> f64 {
    if b < a || b.is_nan() { b } else { a }
}

struct Signed<'q, 'a> {
    query: &'q Query<'a, RssTree>,
    threshold: f32,
    stop_at: f64,
    lower: f64,
    nearest: Option<(Near, [usize; 2])>,
    narrow: Direction,
    counters: Counters,
}

impl Visit for Signed<'_, '_> {
    fn enter(&mut self, lower: f32, _a: Slot, _b: Slot) -> bool {
        if lower > self.threshold {
            self.lower = lesser(self.lower, f64::from(lower));
            return false;
        }
        true
    }

    fn primitives(&mut self, a: usize, b: usize) -> Step {
        self.counters.primitive_pairs += 1;
        let near = self.query.signed_pair(a, b);
        self.lower = lesser(self.lower, near.lower);
        if self.nearest.is_none_or(|(known, _)| near.upper < known.upper) {
            self.nearest = Some((near, [a, b]));
        }
        if near.upper <= self.stop_at { Step::Stop } else { Step::Continue }
    }

    fn direction(&self) -> &Direction {
        &self.narrow
    }

    fn count(&mut self, volume_pairs: usize) {
        self.counters.volume_pairs += volume_pairs as u64;
    }
}
