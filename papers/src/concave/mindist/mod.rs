//! mindist: the distance of two polytopes given as half-spaces, a linearly constrained quadratic problem
//! ("Sub-Object Pruning" §2.2, after Bobrow and Ma & Nahon).
//!
//! The active-set solver only supplies two points and multipliers. `upper` is the distance of the points, pulled into
//! the polytopes; `lower` is what the multipliers prove by duality, whatever their quality. Overlap is measured as the
//! smallest translation that separates (MTD), by the expanding polytope: the paper's own reference for its interference
//! distance (19 in its list) was not available. Cost: some six to ten passes over the half-spaces.

mod active_set;
mod subspace;

use self::active_set::Problem;
pub use self::active_set::Start;
use super::Polytope;
use pathproof::distance::gjk::{self, ConvexDistance, Outcome, Tracker};
use pathproof::distance::penetration;
use pathproof::internals::simd::{self, Width};
use pathproof::numeric::{DVec3, Pose, ROUNDOFF_F64, norm_up, unit};
use pathproof::shapes::Convex;

/// Bounds on the signed distance of two polytopes: positive apart, negative by the depth of overlap. `start` is where
/// the search starts, and is set to where it ended: keep it for the same pair at a nearby pose, or pass a new one.
///
/// ```
/// use pathproof_papers::concave::{Polytope, mindist};
/// use pathproof::numeric::{DVec3, Pose};
/// use pathproof::shapes::Convex;
/// let cube = Polytope::from_convex(Convex::cuboid([1.0, 1.0, 1.0])?)?;
/// let away = Pose::from_translation(DVec3::new(3.0, 0.25, 0.0));
/// let apart = mindist::signed_distance(&cube, &cube, &away, &mut mindist::Start::default());
/// assert!(apart.lower <= 2.0 && 2.0 <= apart.upper && apart.upper - apart.lower < 1e-12);
/// let into = Pose::from_translation(DVec3::new(0.75, 0.0, 0.0));
/// let overlap = mindist::signed_distance(&cube, &cube, &into, &mut mindist::Start::default());
/// assert!(overlap.lower <= -0.25 && -0.25 <= overlap.upper);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn signed_distance(a: &Polytope, b: &Polytope, a_from_b: &Pose, start: &mut Start) -> ConvexDistance {
    simd::run(
        Width::detect(),
        #[inline(always)]
        || signed_distance_here(a, b, a_from_b, start),
    )
}

/// [`signed_distance`], compiled for the instructions of its caller.
#[inline(always)]
pub(super) fn signed_distance_here(a: &Polytope, b: &Polytope, a_from_b: &Pose, start: &mut Start) -> ConvexDistance {
    let apart = separation(a, b, a_from_b, start);
    if apart.lower > 0.0 { apart } else { interference(a, b, a_from_b, &apart) }
}

/// Bounds this close, relative to the sizes plus the distance between the frames, count as converged: the rounding
/// error for polytopes a thousand times longer than thick.
const CONVERGED: f64 = 1e-9;

/// As [`signed_distance`] for polytopes that are apart; otherwise `lower` is at most 0 and proves nothing.
#[inline(always)]
fn separation(a: &Polytope, b: &Polytope, a_from_b: &Pose, start: &mut Start) -> ConvexDistance {
    let mut problem = Problem::new(a, b, a_from_b, start);
    problem.solve();
    let end = problem.end();
    let scale = end.scale;
    // Half-spaces hold the hull they were made from, so only the upper bound needs a correction.
    let mut excess = a.excess_of_half_spaces() + b.excess_of_half_spaces();
    if !(excess <= 0.01 * CONVERGED * scale) {
        excess = excess_at(a, end.on_a) + excess_at(b, a_from_b.inverse_point(end.on_b));
    }
    let (lower, upper) = (end.lower, end.upper + excess);
    *start = problem.into_start();
    // NaN and overlap do not count as converged.
    let is_converged = lower > 0.0 && upper - lower <= CONVERGED * scale;
    ConvexDistance {
        lower,
        upper,
        point_on_a: end.on_a,
        point_on_b: end.on_b,
        direction: end.direction,
        outcome: if is_converged { Outcome::Converged } else { Outcome::IterationLimit },
        iterations: end.iterations,
    }
}

/// Distance of a point of the half-spaces from the hull, where no bound holds for all of them: hulls of points that are
/// coplanar or collinear up to rounding have faces too thin to have a direction.
#[cold]
fn excess_at(polytope: &Polytope, point: DVec3) -> f64 {
    let known = polytope.excess_of_half_spaces();
    if !point.is_finite() {
        return known;
    }
    let point = Convex::triangle([point; 3]);
    let found = gjk::distance(polytope.shape(), &point, &Pose::IDENTITY, f64::INFINITY, &mut Tracker::default());
    if found.upper < known { found.upper } else { known }
}

/// The depth of polytopes that are not proven apart. `apart` is the result of the search for a gap.
#[inline(never)]
fn interference(a: &Polytope, b: &Polytope, a_from_b: &Pose, apart: &ConvexDistance) -> ConvexDistance {
    let found = penetration::signed_distance(a.shape(), b.shape(), a_from_b, &mut Tracker::default());
    let beyond = a.beyond_hull(found.direction)
        + b.beyond_hull(unit(a_from_b.inverse_vector(-found.direction)).unwrap_or(DVec3::NAN));
    ConvexDistance {
        lower: found.lower - beyond,
        upper: found.upper + a.excess_of_hull() + b.excess_of_hull(),
        iterations: found.iterations + apart.iterations,
        ..found
    }
}

/// Result of the search: bounds on the distance of the half-spaces' sets, points and direction in A's frame.
struct End {
    lower: f64,
    upper: f64,
    on_a: DVec3,
    on_b: DVec3,
    direction: DVec3,
    scale: f64,
    iterations: u32,
}

/// Sum of the sizes that rounding errors are relative to.
#[inline(always)]
fn upper_scale(a: &Polytope, b: &Polytope, a_from_b: &Pose) -> f64 {
    (a.upper_extent() + b.upper_extent() + norm_up(a_from_b.translation)) * (1.0 + 4.0 * ROUNDOFF_F64)
}

#[cfg(test)]
mod tests;
