//! Distance between two convex shapes: GJK with hill climbing and tracking ("Enhancing GJK" §3).
//!
//! The driver looks for the nearest point of {b − a} to the origin and returns a direction n and two points.
//! Invariant: the simplex is only a hint. `lower` comes from true supports for n (closed forms, climbs with a proven
//! end, or scans: [`lower_separation`]), `upper` is the distance of convex combinations of points of the bodies; both
//! include their rounding. Cost when tracking: about one support per query, whatever the vertices.
// Negated comparisons are intended: they send NaN to the safe side.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

pub(crate) mod search;
pub(crate) mod simplex;

use self::search::{Search, Slack};
use crate::numeric::{DVec3, Pose, ROUNDOFF_F64, most};
use crate::shapes::{Climbing, Convex, Core, Cuboid, Feature, Scanning, Supports};

/// State that a query leaves for the next one on the same pair: the names of the simplex's vertices, and the last
/// support vertices. `Default` is a cold start. A tracker of another pair costs time, never soundness.
#[derive(Clone, Copy, Debug)]
pub struct Tracker {
    pub(crate) simplex: [[Feature; 2]; 4],
    pub(crate) count: usize,
    pub(crate) hints: [u32; 2],
    /// The face of {b − a} on which the last deep query ended.
    pub(crate) face: Option<[[Feature; 2]; 3]>,
}

impl Default for Tracker {
    fn default() -> Self {
        Self { simplex: Default::default(), count: 0, hints: [u32::MAX; 2], face: None }
    }
}

impl Tracker {
    /// A start with the supports along n (A's frame); those of hulls are searched from `hints`.
    #[inline]
    pub(crate) fn towards(a: &Convex, b: &Convex, a_from_b: &Pose, n: DVec3, hints: [u32; 2]) -> Self {
        let features =
            [a.core_feature(n, hints[0]).feature, b.core_feature(-a_from_b.inverse_vector(n), hints[1]).feature];
        let mut tracker = Self { count: 1, hints: features.map(Feature::index), ..Self::default() };
        tracker.simplex[0] = features;
        tracker
    }
}

/// End of a search. The bounds hold in every case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The bounds differ by at most 2e-11 of the sizes involved (with the distance between the frames).
    Converged,
    /// The lower bound passed the goal; the upper bound may be far from it.
    GoalReached,
    /// Neither: rounding or the limit of iterations stopped the search.
    IterationLimit,
}

/// Bounds on a distance, in metres, with their witnesses; everything in A's frame.
#[derive(Clone, Copy, Debug)]
pub struct ConvexDistance {
    /// Never above the true distance, rounding included.
    pub lower: f64,
    /// Never below the true distance, rounding included.
    pub upper: f64,
    /// On A's surface (of the core plus its radius).
    pub point_on_a: DVec3,
    /// On B's surface.
    pub point_on_b: DVec3,
    /// Unit vector from A to B: along it the bodies are at least `lower` apart.
    pub direction: DVec3,
    /// End of the search.
    pub outcome: Outcome,
    /// Support queries made; the paper counts them as loops.
    pub iterations: u32,
}

/// Method of finding support vertices of hulls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Support {
    /// Among the few in a table of directions; by climbing on small hulls.
    #[default]
    Table,
    /// Hill climbing from the last vertex ("Enhancing GJK" §3.2), for comparison.
    Climb,
    /// A scan of all vertices, for comparison.
    Scan,
}

/// Bounds on the distance of two shapes, which is 0 when they touch or overlap. Ends early once
/// `lower > goal`; with an infinite goal it goes on to the exact value.
pub fn distance(a: &Convex, b: &Convex, a_from_b: &Pose, goal: f64, tracker: &mut Tracker) -> ConvexDistance {
    distance_by(Support::Table, a, b, a_from_b, goal, tracker)
}

/// [`distance`] with a choice of the support method.
pub fn distance_by(
    support: Support,
    a: &Convex,
    b: &Convex,
    a_from_b: &Pose,
    goal: f64,
    tracker: &mut Tracker,
) -> ConvexDistance {
    match (support, a.core(), b.core()) {
        (Support::Table, Core::Box { half: half_a }, Core::Box { half: half_b }) => {
            let (core_a, core_b) = (Cuboid { half: *half_a }, Cuboid { half: *half_b });
            bounds(Search::new((a, core_a), (b, core_b), a_from_b, tracker), goal)
        }
        (Support::Table, Core::Hull(core_a), Core::Hull(core_b)) => {
            bounds(Search::new((a, core_a), (b, core_b), a_from_b, tracker), goal)
        }
        (Support::Table, ..) => bounds(Search::new((a, a), (b, b), a_from_b, tracker), goal),
        (Support::Climb, ..) => bounds(Search::new((a, Climbing(a)), (b, Climbing(b)), a_from_b, tracker), goal),
        (Support::Scan, ..) => bounds(Search::new((a, Scanning(a)), (b, Scanning(b)), a_from_b, tracker), goal),
    }
}

/// Compiled once for each pair of kinds of cores. From another pose a tracked simplex may be so thin that rounding
/// hides its nearest point: if that ends the search, it restarts without the simplex.
#[inline(never)]
fn bounds<A: Supports, B: Supports>(mut search: Search<'_, A, B>, goal: f64) -> ConvexDistance {
    let is_tracked = search.is_tracked();
    let answer = bounds_once(&mut search, goal);
    if answer.outcome == Outcome::IterationLimit && is_tracked {
        return bounds_anew(&mut search, goal);
    }
    answer
}

#[cold]
#[inline(never)]
fn bounds_anew<A: Supports, B: Supports>(search: &mut Search<'_, A, B>, goal: f64) -> ConvexDistance {
    search.forget();
    bounds_once(search, goal)
}

#[inline(always)]
fn bounds_once<A: Supports, B: Supports>(search: &mut Search<'_, A, B>, goal: f64) -> ConvexDistance {
    let (a, b) = (search.a, search.b);
    let found = search.descend(goal + a.radius() + b.radius(), Slack::NONE);
    // If not separated, the cores overlap or touch; 0 holds in any case.
    let lower = if found.is_separated() { search.lower(&found) } else { 0.0 };
    let mut answer = search.answer(&found, lower);
    // Not `max`, which would hide a NaN.
    if answer.lower < 0.0 {
        answer.lower = 0.0;
    }
    if answer.upper < 0.0 {
        answer.upper = 0.0;
    }
    answer.outcome = search.outcome(&answer, goal);
    answer
}

/// A unit vector (A's frame) along which two shapes are apart by more than `goal`, or else by all but a fraction,
/// `slack`, of their distance beyond `needed`. `None` if they overlap, as far as arithmetic can tell.
pub(crate) fn separating_direction(
    a: &Convex,
    b: &Convex,
    a_from_b: &Pose,
    [needed, goal]: [f64; 2],
    slack: f64,
    tracker: &mut Tracker,
) -> Option<DVec3> {
    let slack = Slack { fraction: slack, beyond: needed + a.radius() + b.radius() };
    match (a.core(), b.core()) {
        (Core::Hull(core_a), Core::Hull(core_b)) => {
            direction(Search::new((a, core_a), (b, core_b), a_from_b, tracker), goal, slack)
        }
        _ => direction(Search::new((a, a), (b, b), a_from_b, tracker), goal, slack),
    }
}

#[inline(never)]
fn direction<A: Supports, B: Supports>(mut search: Search<'_, A, B>, goal: f64, slack: Slack) -> Option<DVec3> {
    let found = search.descend(goal + search.a.radius() + search.b.radius(), slack);
    (found.is_separated() && search.lower(&found) > 0.0).then_some(found.direction)
}

/// The distance from GJK's own simplex, without any certificate, to compare speed with programs that have none. It
/// must never enter a proof.
pub fn estimate(a: &Convex, b: &Convex, a_from_b: &Pose, tracker: &mut Tracker) -> f64 {
    let found = match (a.core(), b.core()) {
        (Core::Box { half: half_a }, Core::Box { half: half_b }) => {
            let (core_a, core_b) = (Cuboid { half: *half_a }, Cuboid { half: *half_b });
            Search::new((a, core_a), (b, core_b), a_from_b, tracker).descend(f64::INFINITY, Slack::NONE)
        }
        (Core::Hull(core_a), Core::Hull(core_b)) => {
            Search::new((a, core_a), (b, core_b), a_from_b, tracker).descend(f64::INFINITY, Slack::NONE)
        }
        _ => Search::new((a, a), (b, b), a_from_b, tracker).descend(f64::INFINITY, Slack::NONE),
    };
    most(found.nearest.height - a.radius() - b.radius(), 0.0)
}

/// Lower bound on the signed separation of the bodies along the unit vector `n` (A's frame), radii included:
/// min n·B − max n·A. It never exceeds the signed distance, so any n is sound.
///
/// Rounding, with u = 2⁻⁵³, |n| within 4u of 1, and sizes E_a, E_b (core extents), T = |translation|, r: n·t errs by
/// 3uT, Rᵀn by 5.2u and so its products by 5.2u·E_b, the reaches by 6u·E_a and 6u·E_b, the sums by
/// 4u(E_a + E_b + T + r), the length of n by 4u(E_a + E_b + T), and a matrix that is orthonormal only to 8u
/// moves B by 8u(E_b + r). Together at most 14u·E_a + 28u·E_b + 11u·T + 12u·r: `MARGIN` = 32u of their sum,
/// and a term for numbers that underflow.
#[inline]
pub fn lower_separation(a: &Convex, b: &Convex, a_from_b: &Pose, n: DVec3, hints: [u32; 2]) -> f64 {
    debug_assert!(!((n.length_squared() - 1.0).abs() > 16.0 * ROUNDOFF_F64), "{n} is not a unit vector");
    let n_in_b = a_from_b.inverse_vector(n);
    let cores = n.dot(a_from_b.translation) - a.upper_core_reach(n, hints[0]) - b.upper_core_reach(-n_in_b, hints[1]);
    cores - a.radius() - b.radius() - margin(upper_scale(a, b, a_from_b))
}

/// Relative rounding margin of both bounds; derived at [`lower_separation`].
const MARGIN: f64 = 32.0 * ROUNDOFF_F64;

/// Bounds this close, relative to the sizes, count as converged.
pub(crate) const CONVERGED: f64 = 2e-11;

/// Polyhedra end by repeating a vertex after a handful of iterations; curved shapes gain about a digit every one
/// or two. The limit is far above both.
const ITERATION_LIMIT: u32 = 128;

/// Iterations without progress before giving up: on rims the gain of one may be below rounding.
const STALL_LIMIT: u32 = 4;

#[inline]
pub(crate) fn margin(scale: f64) -> f64 {
    MARGIN * scale + 1e-300
}

/// Sum of the sizes that rounding errors are relative to: extents, radii and the distance between the frames.
#[inline]
pub(crate) fn upper_scale(a: &Convex, b: &Convex, a_from_b: &Pose) -> f64 {
    let t = a_from_b.translation.abs();
    a.upper_core_extent() + b.upper_core_extent() + a.radius() + b.radius() + (t.x + t.y + t.z)
}

#[cfg(test)]
pub(crate) mod oracle;
#[cfg(test)]
mod tests;
