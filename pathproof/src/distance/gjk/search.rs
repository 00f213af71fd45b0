//! GJK's loop over one simplex of {b − a} ("Enhancing GJK" §3.1, 3.4), working in the caller's [`Tracker`].
//!
//! Each support comes with an excess: a proven bound on how much farther than the returned point the body may reach.
//! Closed forms have only rounding, the end of a climb its vertex's slack. So the support that ends the loop also
//! certifies its direction, at no extra cost.
// Negated comparisons are intended: they send NaN to the safe side.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

use super::simplex::{self, Nearest, nearest, nearest_with_last};
use super::{CONVERGED, ConvexDistance, ITERATION_LIMIT, Outcome, STALL_LIMIT, Tracker};
use super::{lower_separation, margin, upper_scale};
use crate::numeric::{DVec3, Pose, ROUNDOFF_F64};
use crate::shapes::{Convex, Feature, Supports};

/// A vertex of {b − a} and its source.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Vertex {
    /// b − a, in A's frame.
    pub(crate) w: DVec3,
    /// The point on A's core.
    pub(crate) a: DVec3,
    pub(crate) features: [Feature; 2],
}

/// State of a search: the simplex in the current pose; the names of its vertices are in the tracker. Compiled for the
/// kinds of both cores.
pub(crate) struct Search<'a, A, B> {
    pub(crate) a: &'a Convex,
    pub(crate) b: &'a Convex,
    pub(crate) a_from_b: &'a Pose,
    core_a: A,
    core_b: B,
    pub(crate) scale: f64,
    /// b − a; the first `tracker.count` are valid, and all are finite if the pose is.
    pub(crate) w: [DVec3; 4],
    /// The points on A's core.
    pub(crate) on_a: [DVec3; 4],
    pub(crate) tracker: &'a mut Tracker,
    pub(crate) iterations: u32,
}

/// Allowed loss of a search: it may end with all but a fraction of the cores' distance beyond `beyond`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slack {
    pub(crate) fraction: f64,
    pub(crate) beyond: f64,
}

impl Slack {
    /// Requires the best direction.
    pub(crate) const NONE: Self = Self { fraction: 0.0, beyond: 0.0 };

    #[inline(always)]
    fn at(self, height: f64) -> f64 {
        if height > self.beyond { self.fraction * (height - self.beyond) } else { 0.0 }
    }
}

/// Result of a descent.
pub(crate) struct Found {
    pub(crate) nearest: Nearest,
    /// The direction with the largest separation found, or one to try if none was found.
    pub(crate) direction: DVec3,
    /// min n·w of the cores along it by the supports found; −∞ if there were none.
    separation: f64,
    /// Upper bound on how much less it may really be.
    excess: f64,
}

impl Found {
    /// True if the cores are apart as far as the search can tell.
    #[inline]
    pub(crate) fn is_separated(&self) -> bool {
        self.nearest.count < 4
    }
}

impl<'a, A: Supports, B: Supports> Search<'a, A, B> {
    /// `core_a` and `core_b` are the cores of `a` and `b`.
    #[inline(always)]
    pub(crate) fn new(
        (a, core_a): (&'a Convex, A),
        (b, core_b): (&'a Convex, B),
        a_from_b: &'a Pose,
        tracker: &'a mut Tracker,
    ) -> Self {
        let scale = upper_scale(a, b, a_from_b);
        let (w, on_a) = ([DVec3::ZERO; 4], [DVec3::ZERO; 4]);
        Self { a, b, a_from_b, core_a, core_b, scale, w, on_a, tracker, iterations: 0 }
    }

    /// The nearest point of the tracked simplex in the current pose, or of a first vertex if there is none.
    #[inline(always)]
    fn start(&mut self) -> Nearest {
        // The one branch on the number of vertices: the code after it runs straight on.
        let tracked = match self.tracker.count {
            1 => self.restore::<1>(),
            2 => self.restore::<2>(),
            3 => self.restore::<3>(),
            4 => self.restore::<4>(),
            _ => None,
        };
        tracked.unwrap_or_else(|| self.start_cold())
    }

    /// `None` if the names are from another shape.
    #[inline(always)]
    fn restore<const N: usize>(&mut self) -> Option<Nearest> {
        for i in 0..N {
            let vertex = self.vertex(self.tracker.simplex[i])?;
            self.w[i] = vertex.w;
            self.on_a[i] = vertex.a;
        }
        Some(nearest(&self.w[..N]))
    }

    /// True if it starts from an earlier query.
    #[inline]
    pub(crate) fn is_tracked(&self) -> bool {
        self.tracker.count > 0
    }

    /// Clears the state of an earlier query.
    #[inline]
    pub(crate) fn forget(&mut self) {
        self.tracker.count = 0;
    }

    #[inline(never)]
    fn start_cold(&mut self) -> Nearest {
        self.tracker.count = 0;
        let first = self.extreme(self.a_from_b.translation).0;
        self.push(&first);
        nearest(&self.w[..1])
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, vertex: &Vertex) {
        let slot = self.tracker.count;
        self.w[slot] = vertex.w;
        self.on_a[slot] = vertex.a;
        self.tracker.simplex[slot] = vertex.features;
        self.tracker.count += 1;
    }

    /// The vertex with these names in the current pose.
    #[inline(always)]
    pub(crate) fn vertex(&self, features: [Feature; 2]) -> Option<Vertex> {
        let (on_a, on_b) = (self.core_a.named(features[0])?, self.core_b.named(features[1])?);
        Some(Vertex { w: self.a_from_b.point(on_b) - on_a, a: on_a, features })
    }

    /// The vertex of {b − a} least along `n`, where B comes nearest to A, and its excess if |n| = 1.
    #[inline(always)]
    pub(crate) fn extreme(&mut self, n: DVec3) -> (Vertex, f64) {
        let n_in_b = self.a_from_b.inverse_vector(n);
        let on_a = self.core_a.farthest(n, self.tracker.hints[0]);
        let on_b = self.core_b.farthest(-n_in_b, self.tracker.hints[1]);
        self.tracker.hints = [on_a.feature.index(), on_b.feature.index()];
        self.iterations += 1;
        let w = self.a_from_b.point(on_b.point) - on_a.point;
        (Vertex { w, a: on_a.point, features: [on_a.feature, on_b.feature] }, on_a.upper_excess + on_b.upper_excess)
    }

    /// GJK's loop: nearest point of the simplex, support against it, until no support comes nearer (than `slack`
    /// allows), or until the separation of the cores is proven to exceed `core_goal`.
    #[inline(always)]
    pub(crate) fn descend(&mut self, core_goal: f64, slack: Slack) -> Found {
        let tolerance = 16.0 * ROUNDOFF_F64 * self.scale;
        let goal = core_goal - self.a.radius() - self.b.radius();
        let (mut least_height, mut stalled) = (f64::INFINITY, 0);
        let mut direction = DVec3::X;
        let (mut best, mut best_excess) = (f64::NEG_INFINITY, 0.0);
        let mut nearest = self.start();
        loop {
            self.keep(&nearest);
            let found = |direction, separation, excess| Found { nearest, direction, separation, excess };
            stalled = if nearest.height < least_height { 0 } else { stalled + 1 };
            least_height = if nearest.height < least_height { nearest.height } else { least_height };
            // At the origin within rounding, or no nearer for a while: nothing more to gain.
            if nearest.count == 4 || !(nearest.height > tolerance) || stalled > STALL_LIMIT {
                if best == f64::NEG_INFINITY && nearest.count < 4 {
                    direction = nearest.normal;
                }
                return found(direction, best, best_excess);
            }
            let (vertex, excess) = self.extreme(nearest.normal);
            let separation = nearest.normal.dot(vertex.w);
            if separation > best {
                (best, best_excess, direction) = (separation, excess, nearest.normal);
                if separation > core_goal && self.lower(&found(direction, best, best_excess)) > goal {
                    return found(direction, best, best_excess);
                }
            }
            let known = || self.tracker.simplex[..self.tracker.count].contains(&vertex.features);
            if nearest.height - separation <= tolerance + slack.at(nearest.height)
                || known()
                || self.iterations >= ITERATION_LIMIT
            {
                return found(direction, best, best_excess);
            }
            self.push(&vertex);
            nearest = self.nearer(nearest.height);
        }
    }

    /// The nearest point of the simplex with the last vertex.
    #[inline(always)]
    fn nearer(&self, before: f64) -> Nearest {
        let w = &self.w[..self.tracker.count];
        let found = nearest_with_last(w);
        // Rounding decides: every feature is examined.
        if found.height < before { found } else { nearest(w) }
    }

    /// Certified lower bound on the signed separation along the direction found, radii included. The supports
    /// found err by no more than what [`lower_separation`] allows for: R b by 5.2u·E_b, two sums by 2u(E_a + E_b + T),
    /// n·w by 3u(E_a + E_b + T), the rest as there.
    #[inline(always)]
    pub(crate) fn lower(&self, found: &Found) -> f64 {
        let (a, b) = (self.a, self.b);
        if found.excess <= EXCESS_LIMIT * self.scale && found.separation > f64::NEG_INFINITY {
            return found.separation - found.excess - a.radius() - b.radius() - margin(self.scale);
        }
        lower_separation(a, b, self.a_from_b, found.direction, self.tracker.hints)
    }

    /// Drops the vertices that do not carry the nearest point.
    #[inline(always)]
    fn keep(&mut self, nearest: &Nearest) {
        if nearest.count < self.tracker.count {
            // Ascending, so that nothing is overwritten before it is moved.
            for (slot, &v) in nearest.vertices[..nearest.count].iter().enumerate() {
                self.w[slot] = self.w[v as usize];
                self.on_a[slot] = self.on_a[v as usize];
                self.tracker.simplex[slot] = self.tracker.simplex[v as usize];
            }
            self.tracker.count = nearest.count;
        }
    }

    /// The weighted point on A's core, in A's frame, and the way from it to that on B's. Weights of vertices outside
    /// the simplex are 0: summing all of them costs less than a loop with an unpredictable end.
    #[inline(always)]
    fn combine(&self, weights: &[f64; 4]) -> (DVec3, DVec3) {
        let (mut on_a, mut difference, mut sum) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for (i, &weight) in weights.iter().enumerate() {
            on_a += self.on_a[i] * weight;
            difference += self.w[i] * weight;
            sum += weight;
        }
        let per_sum = 1.0 / sum;
        (on_a * per_sum, difference * per_sum)
    }

    /// Witness points on the cores, in A's frame: one on A's and the way to the other.
    #[inline(always)]
    fn witnesses(&self, nearest: &Nearest) -> (DVec3, DVec3) {
        let (on_a, way) = self.combine(&nearest.weights);
        // In thin triangles the weights are rough: the way should run along the normal.
        let aside = way - nearest.normal * nearest.normal.dot(way);
        let noise = 8.0 * ROUNDOFF_F64 * self.scale;
        // In this order: the vector is rarely aside, while the count is hard to predict.
        if aside.length_squared() > noise * noise && nearest.count == 3 {
            let corners = [self.w[0], self.w[1], self.w[2]];
            let better = self.combine(&simplex::refined(corners, nearest.weights, aside));
            if better.1.length_squared() < way.length_squared() {
                return better;
            }
        }
        (on_a, way)
    }

    /// The bounds, signed: `lower` as given, `upper` from the witness points. The caller sets the outcome.
    #[inline(always)]
    pub(crate) fn answer(&self, found: &Found, lower: f64) -> ConvexDistance {
        let (radius_a, radius_b) = (self.a.radius(), self.b.radius());
        let (on_a, way) = self.witnesses(&found.nearest);
        let n = found.direction;
        ConvexDistance {
            lower,
            upper: way.length() - radius_a - radius_b + margin(self.scale),
            point_on_a: on_a + n * radius_a,
            point_on_b: on_a + way - n * radius_b,
            direction: n,
            outcome: Outcome::IterationLimit,
            iterations: self.iterations,
        }
    }

    #[inline(always)]
    pub(crate) fn outcome(&self, answer: &ConvexDistance, goal: f64) -> Outcome {
        if answer.lower > goal {
            Outcome::GoalReached
        // Two points at the origin have no size: the rest is what the margins of both bounds add for underflow.
        } else if answer.upper - answer.lower <= CONVERGED * self.scale + 2.0 * margin(0.0) {
            Outcome::Converged
        } else {
            Outcome::IterationLimit
        }
    }
}

/// An excess above this, relative to the sizes, is worth a scan; see `SLACK_LIMIT` of hulls.
const EXCESS_LIMIT: f64 = 32_768.0 * ROUNDOFF_F64;
