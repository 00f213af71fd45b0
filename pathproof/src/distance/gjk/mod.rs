//! Distance between two convex shapes: GJK with hill climbing and tracking ("Enhancing GJK" §3).
//!
//! The driver looks for the nearest point of {b − a} to the origin and hands over a direction n and two
//! points. Invariant: what it hands over is only a hint. `lower` is evaluated anew for n by [`lower_separation`]
//! (closed forms, proven climbs or scans), `upper` from points that are convex combinations of points of the
//! bodies; both carry their rounding. Cost when tracking: about one support a query, whatever the vertices.
// Negated comparisons are meant: they send NaN to the safe side.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

pub(crate) mod simplex;

use self::simplex::{Nearest, nearest};
use crate::numeric::{DVec3, Pose, U64};
use crate::shapes::{Convex, Core, Feature};

/// What a query leaves for the next one on the same pair: the simplex by the names of its vertices, and the last
/// support vertices. `Default` is a cold start. A tracker of another pair costs time, never soundness.
#[derive(Clone, Copy, Debug)]
pub struct Tracker {
    simplex: [[Feature; 2]; 4],
    count: usize,
    pub(crate) hints: [u32; 2],
    /// The face of {b − a} that the last deep query ended on.
    pub(crate) face: Option<[[Feature; 2]; 3]>,
}

impl Default for Tracker {
    fn default() -> Self {
        Self { simplex: Default::default(), count: 0, hints: [u32::MAX; 2], face: None }
    }
}

/// How a search ended. The bounds hold in every case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The bounds differ by at most 2e-11 of the sizes (with the distance between the frames) involved.
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
    /// How the search ended.
    pub outcome: Outcome,
    /// Support queries made, as the paper counts loops.
    pub iterations: u32,
}

/// How support vertices of hulls are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Support {
    /// Hill climbing from the last vertex.
    #[default]
    Climb,
    /// A scan of all vertices, for comparison.
    Scan,
}

/// Bounds on the distance of two shapes, which is 0 when they touch or overlap. Ends early once
/// `lower > goal`; with an infinite goal it goes on to the exact value.
pub fn distance(a: &Convex, b: &Convex, a_from_b: &Pose, goal: f64, tracker: &mut Tracker) -> ConvexDistance {
    distance_by(Support::Climb, a, b, a_from_b, goal, tracker)
}

/// [`distance`] with a choice of how supports are found.
pub fn distance_by(
    support: Support,
    a: &Convex,
    b: &Convex,
    a_from_b: &Pose,
    goal: f64,
    tracker: &mut Tracker,
) -> ConvexDistance {
    let mut signed = Search::new(support, a, b, a_from_b, tracker).run(goal, tracker).0;
    // Not `max`, which would hide a NaN.
    if signed.lower < 0.0 {
        signed.lower = 0.0;
    }
    if signed.upper < 0.0 {
        signed.upper = 0.0;
    }
    if signed.outcome == Outcome::IterationLimit
        && signed.upper - signed.lower <= CONVERGED * upper_scale(a, b, a_from_b)
    {
        signed.outcome = Outcome::Converged;
    }
    signed
}

/// The distance as GJK's own simplex gives it, without any certificate: for comparing speed with programs that
/// have none. It must never enter a proof.
pub fn estimate(a: &Convex, b: &Convex, a_from_b: &Pose, tracker: &mut Tracker) -> f64 {
    let mut search = Search::new(Support::Climb, a, b, a_from_b, tracker);
    let found = search.descend(f64::INFINITY);
    search.save(tracker);
    (found.nearest.height - a.radius() - b.radius()).max(0.0)
}

/// Lower bound on the signed separation of the bodies along the unit vector `n` (A's frame), radii included:
/// min n·B − max n·A. It never exceeds the signed distance, so any n is sound.
///
/// Rounding, with u = 2⁻⁵³, |n| within 4u of 1, and sizes E_a, E_b (core extents), T = |translation|, r: n·t errs by
/// 3uT, Rᵀn by 5.2u and so its products by 5.2u·E_b, the reaches by 6u·E_a and 6u·E_b, the sums by
/// 4u(E_a + E_b + T + r), the length of n by 4u(E_a + E_b + T), and a matrix that is orthonormal only to 8u
/// moves B by 8u(E_b + r). Together at most 14u·E_a + 28u·E_b + 11u·T + 12u·r: [`MARGIN`] = 32u of their sum,
/// and a term for numbers that underflow.
#[inline]
pub fn lower_separation(a: &Convex, b: &Convex, a_from_b: &Pose, n: DVec3, hints: [u32; 2]) -> f64 {
    let n_in_b = a_from_b.inverse_vector(n);
    let cores = n.dot(a_from_b.translation) - a.upper_core_reach(n, hints[0]) - b.upper_core_reach(-n_in_b, hints[1]);
    cores - a.radius() - b.radius() - margin(upper_scale(a, b, a_from_b))
}

/// Relative rounding margin of both bounds; derived at [`lower_separation`].
const MARGIN: f64 = 32.0 * U64;

/// Bounds this close, relative to the sizes, count as converged.
pub(crate) const CONVERGED: f64 = 2e-11;

/// Polyhedra end by repeating a vertex after a handful of iterations; curved shapes gain about a digit every one
/// or two. The limit is far above both.
const ITERATION_LIMIT: u32 = 128;

/// Iterations without coming nearer before giving up: on rims the gain of one can drown in rounding.
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

/// A vertex of {b − a} and where it came from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Vertex {
    /// b − a, in A's frame.
    pub(crate) w: DVec3,
    /// The point on A's core.
    pub(crate) a: DVec3,
    pub(crate) features: [Feature; 2],
}

/// Where a search stands: the simplex, in the current pose.
pub(crate) struct Search<'a> {
    support: Support,
    pub(crate) a: &'a Convex,
    pub(crate) b: &'a Convex,
    pub(crate) a_from_b: &'a Pose,
    pub(crate) scale: f64,
    /// The simplex, the first `count` valid: b − a, the points on A's core, and the names of both.
    pub(crate) w: [DVec3; 4],
    pub(crate) on_a: [DVec3; 4],
    pub(crate) names: [[Feature; 2]; 4],
    pub(crate) count: usize,
    pub(crate) hints: [u32; 2],
    pub(crate) iterations: u32,
}

/// Where a descent ended.
pub(crate) struct Found {
    pub(crate) nearest: Nearest,
    /// The direction with the largest separation seen.
    pub(crate) direction: DVec3,
    /// `lower_separation` along it, if the goal made it known already.
    lower: Option<f64>,
}

impl<'a> Search<'a> {
    #[inline(always)]
    pub(crate) fn new(support: Support, a: &'a Convex, b: &'a Convex, a_from_b: &'a Pose, tracker: &Tracker) -> Self {
        let scale = upper_scale(a, b, a_from_b);
        let mut search = Self {
            support,
            a,
            b,
            a_from_b,
            scale,
            w: [DVec3::ZERO; 4],
            on_a: [DVec3::ZERO; 4],
            names: [[Feature::default(); 2]; 4],
            count: 0,
            hints: tracker.hints,
            iterations: 0,
        };
        for &features in &tracker.simplex[..tracker.count] {
            let Some(vertex) = search.vertex(features) else {
                // Names from another shape: start cold.
                search.count = 0;
                break;
            };
            search.push(&vertex);
        }
        if search.count == 0 {
            let first = search.extreme(a_from_b.translation);
            search.push(&first);
        }
        search
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, vertex: &Vertex) {
        self.w[self.count] = vertex.w;
        self.on_a[self.count] = vertex.a;
        self.names[self.count] = vertex.features;
        self.count += 1;
    }

    /// The vertex with these names in the current pose.
    #[inline(always)]
    pub(crate) fn vertex(&self, features: [Feature; 2]) -> Option<Vertex> {
        let (on_a, on_b) = (self.a.core_point(features[0])?, self.b.core_point(features[1])?);
        Some(Vertex { w: self.a_from_b.point(on_b) - on_a, a: on_a, features })
    }

    /// The vertex of {b − a} least along `n`: where B comes nearest to A.
    #[inline(always)]
    pub(crate) fn extreme(&mut self, n: DVec3) -> Vertex {
        let n_in_b = self.a_from_b.inverse_vector(n);
        let (feature_a, on_a) = self.body_support(self.a, n, self.hints[0]);
        let (feature_b, on_b) = self.body_support(self.b, -n_in_b, self.hints[1]);
        self.hints = [feature_a.index(), feature_b.index()];
        self.iterations += 1;
        Vertex { w: self.a_from_b.point(on_b) - on_a, a: on_a, features: [feature_a, feature_b] }
    }

    #[inline(always)]
    fn body_support(&self, body: &Convex, n: DVec3, hint: u32) -> (Feature, DVec3) {
        match (self.support, body.core()) {
            (Support::Scan, Core::Hull(hull)) => {
                // Climbing from the scanned support ends where it starts.
                body.core_feature(n, hull.support_index(n))
            }
            _ => body.core_feature(n, hint),
        }
    }

    /// GJK's loop: nearest point of the simplex, support against it, until no support comes nearer.
    #[inline(always)]
    pub(crate) fn descend(&mut self, goal: f64) -> Found {
        let tolerance = 16.0 * U64 * self.scale;
        let (mut best, mut direction) = (f64::NEG_INFINITY, DVec3::X);
        let (mut least_height, mut stalled) = (f64::INFINITY, 0);
        loop {
            let nearest = nearest(&self.w[..self.count]);
            self.keep(&nearest);
            stalled = if nearest.height < least_height { 0 } else { stalled + 1 };
            least_height = nearest.height.min(least_height);
            // At the origin within rounding, or no nearer for a while: nothing more to gain.
            if nearest.count == 4 || !(nearest.height > tolerance) || stalled > STALL_LIMIT {
                if best == f64::NEG_INFINITY && nearest.count < 4 {
                    direction = nearest.normal;
                }
                return Found { nearest, direction, lower: None };
            }
            let vertex = self.extreme(nearest.normal);
            let separation = nearest.normal.dot(vertex.w);
            if separation > best {
                (best, direction) = (separation, nearest.normal);
            }
            if separation > goal {
                let lower = lower_separation(self.a, self.b, self.a_from_b, direction, self.hints);
                if lower > goal - self.a.radius() - self.b.radius() {
                    return Found { nearest, direction, lower: Some(lower) };
                }
            }
            let known = self.names[..self.count].contains(&vertex.features);
            if nearest.height - separation <= tolerance || known || self.iterations >= ITERATION_LIMIT {
                return Found { nearest, direction, lower: None };
            }
            self.push(&vertex);
        }
    }

    /// Drops the vertices that do not carry the nearest point.
    #[inline(always)]
    fn keep(&mut self, nearest: &Nearest) {
        if nearest.count < self.count {
            // Ascending, so that nothing is overwritten before it is moved.
            for (slot, &v) in nearest.vertices[..nearest.count].iter().enumerate() {
                self.w[slot] = self.w[v as usize];
                self.on_a[slot] = self.on_a[v as usize];
                self.names[slot] = self.names[v as usize];
            }
            self.count = nearest.count;
        }
    }

    #[inline(always)]
    pub(crate) fn save(&self, tracker: &mut Tracker) {
        tracker.simplex = self.names;
        tracker.count = self.count;
        tracker.hints = self.hints;
    }

    /// Points on the cores as the weights say, in A's frame: a point on A's and the way from it to that on B's.
    #[inline(always)]
    fn combine(&self, weights: &[f64; 4]) -> (DVec3, DVec3) {
        let (mut on_a, mut difference, mut sum) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for (i, &weight) in weights[..self.count].iter().enumerate() {
            on_a += self.on_a[i] * weight;
            difference += self.w[i] * weight;
            sum += weight;
        }
        let per_sum = 1.0 / sum;
        (on_a * per_sum, difference * per_sum)
    }

    /// Witness points on the cores, in A's frame.
    #[inline(always)]
    pub(crate) fn witnesses(&self, nearest: &Nearest) -> (DVec3, DVec3) {
        let (mut on_a, mut way) = self.combine(&nearest.weights);
        if nearest.count == 3 {
            // In thin triangles the weights are rough: the way should run along the normal.
            let aside = way - nearest.normal * nearest.normal.dot(way);
            let noise = 8.0 * U64 * self.scale;
            if aside.length_squared() > noise * noise {
                let corners = [self.w[0], self.w[1], self.w[2]];
                let (better_a, better) = self.combine(&simplex::refined(corners, nearest.weights, aside));
                if better.length_squared() < way.length_squared() {
                    (on_a, way) = (better_a, better);
                }
            }
        }
        (on_a, on_a + way)
    }

    /// Signed bounds: exact while the cores are apart; where they overlap, `lower` is that of the best direction
    /// found and `upper` what the radii leave. Also whether the cores were found to overlap or touch.
    #[inline(always)]
    pub(crate) fn run(&mut self, goal: f64, tracker: &mut Tracker) -> (ConvexDistance, Found) {
        let (a, b) = (self.a, self.b);
        let found = self.descend(goal + a.radius() + b.radius());
        self.save(tracker);
        let n = found.direction;
        let lower = found.lower.unwrap_or_else(|| lower_separation(a, b, self.a_from_b, n, self.hints));
        let (core_a, core_b) = self.witnesses(&found.nearest);
        let upper = (core_b - core_a).length() - a.radius() - b.radius() + margin(self.scale);
        let outcome = if lower > goal {
            Outcome::GoalReached
        } else if upper - lower <= CONVERGED * self.scale {
            Outcome::Converged
        } else {
            Outcome::IterationLimit
        };
        let answer = ConvexDistance {
            lower,
            upper,
            point_on_a: core_a + n * a.radius(),
            point_on_b: core_b - n * b.radius(),
            direction: n,
            outcome,
            iterations: self.iterations,
        };
        (answer, found)
    }
}

#[cfg(test)]
pub(crate) mod oracle;
#[cfg(test)]
mod tests;
