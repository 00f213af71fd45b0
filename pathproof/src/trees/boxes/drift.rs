//! Motion of bodies over half a cell, and upper bounds on how much their boxes may close meanwhile
//! (docs/design.md#motion-bounds).

use super::SmallBox;
use super::lanes::{Vectors, absolute, along, inner, outer};
use crate::numeric::simd::*;
use crate::numeric::{DVec3, ROUNDOFF_F32, f32_up};
use crate::trees::Side;

/// Motion of a body over half a cell: its points' displacements at the velocities of the midpoint, `linear` +
/// `angular` × x in metres, in its own axes about its centre.
#[derive(Clone, Copy, Debug)]
struct Drift {
    linear: [f32; 3],
    angular: [f32; 3],
}

/// Motion of two bodies over half a cell.
#[derive(Clone, Debug)]
pub(crate) struct Drifts {
    a: Drift,
    b: Drift,
    /// Upper bound on how much displacements along a direction exceed those of the drifts, both bodies together.
    pub(super) upper_stray: f32,
}

/// Eight boxes against one.
pub(crate) struct Approach<S: Simd> {
    /// Lower bounds on the distances, each along its own direction.
    pub(crate) lower: f32x8<S>,
    /// Upper bounds on how much that may close in the earlier and in the later half; meaningless unless `lower` is
    /// positive.
    pub(crate) upper_closing: [f32x8<S>; 2],
}

/// Rounding of displacements along a direction, in units of u₃₂ times the bodies' largest displacements D = |linear| +
/// |angular| · extent: turning the direction into the other's axes (8), products with the linear part (4), the
/// gradient n × ω (8) and its product with centre and half widths (4 each, and 8 again for the turned direction), the
/// speed at the other box (7), norm and division (6), the last sums (6). 80 leaves room; the part that underflow uses
/// is below.
const DRIFT_ROUNDING: f64 = 80.0;

/// Exceeds the effect of underflow on a length or on a displacement, in metres.
///
/// A product that underflows errs by at most e = 2⁻¹⁵⁰ = 7e-46, sums of denormal numbers are exact. Bounds are used
/// only where `lower` is positive, so the gap's length ℓ exceeds UNDERFLOW and 32 u₃₂ S, with S the size of the pair
/// (`KERNEL_ROUNDING` in `kernel`).
/// - *The length.* Three squares err by 3e, which is a relative 3e/2ℓ² < 1.1e-9 of ℓ and of 1/ℓ: a fiftieth of one of
///   the 25 u₃₂ that [`DRIFT_ROUNDING`] leaves room for. (With 1e-20 in place of 1e-18 it would be 1.1e-5, or 175
///   u₃₂.)
/// - *The turned gap.* Nine products, a relative 9e/ℓ < 1e-26 of a displacement: nothing beside u₃₂.
/// - *Displacements that are denormal themselves* err by e per component, angular ones by e times S < [`TOO_FAR`]:
///   below 6 · 7e-46 · 1e18 < 1e-26 m.
/// - *Products with the gap*, fifteen of them, divided by ℓ: 15e/ℓ < 1.1e-26 m; the gradient's twelve times S, divided
///   by ℓ > 32 u₃₂ S: below 1e-38 m.
pub(super) const UNDERFLOW: f64 = 1e-18;

/// Lengths and displacements above this, in metres, have products that may overflow: nothing is certified about them.
pub(super) const TOO_FAR: f64 = 1e18;

impl Drift {
    const STILL: Self = Self { linear: [0.0; 3], angular: [0.0; 3] };

    /// Displacement of the point x.
    #[inline(always)]
    fn at(&self, x: [f32; 3]) -> [f32; 3] {
        let [p, q, r] = self.angular;
        let turned = [q * x[2] - r * x[1], r * x[0] - p * x[2], p * x[1] - q * x[0]];
        [self.linear[0] + turned[0], self.linear[1] + turned[1], self.linear[2] + turned[2]]
    }
}

impl Drifts {
    /// Used where motion does not matter: certifies nothing.
    pub(crate) const STILL: Self = Self { a: Drift::STILL, b: Drift::STILL, upper_stray: f32::NAN };

    /// Each body's displacement field over a half, linear and angular, in its own axes about its own centre, and
    /// `upper_bend`, an upper bound on how far both together may stray from that. `extents` bound the distance of any
    /// point of their boxes from the centres.
    pub(crate) fn new(fields: [[DVec3; 2]; 2], upper_bend: f64, extents: [f64; 2]) -> Self {
        let narrow = |v: DVec3| [v.x as f32, v.y as f32, v.z as f32];
        let drift = |[linear, angular]: [DVec3; 2]| Drift { linear: narrow(linear), angular: narrow(angular) };
        // The sum of absolute components is never below the norm.
        let size = |v: DVec3| v.x.abs() + v.y.abs() + v.z.abs();
        let most = |i: usize| size(fields[i][0]) + size(fields[i][1]) * extents[i];
        let most = most(0) + most(1);
        let upper_stray = upper_bend * (1.0 + 8.0 * ROUNDOFF_F32) + DRIFT_ROUNDING * ROUNDOFF_F32 * most + UNDERFLOW;
        // Products that overflow may have either sign.
        let upper_stray = if most < TOO_FAR { f32_up(upper_stray) } else { f32::NAN };
        Self { a: drift(fields[0]), b: drift(fields[1]), upper_stray }
    }

    /// Upper bounds on how much the boxes of `node` (given by centres and half widths, of the body on `side`) and
    /// `other` may close in the earlier and in the later half, times the length of the directions along which that is
    /// measured; without the stray. The directions run from the other box to the node's, in the axes of either.
    ///
    /// Along n the displacement field of a body is affine, n·(linear + angular × x) = n·linear + (n × angular)·x, so a
    /// box's extremes are the value at its centre and its half widths times the gradient's absolute components.
    #[inline(always)]
    pub(super) fn closing_along<S: Simd>(
        &self,
        side: Side,
        [in_node, in_other]: [&Vectors<S>; 2],
        [centres, halves]: [&Vectors<S>; 2],
        other: &SmallBox,
    ) -> [f32x8<S>; 2] {
        let (of_node, of_other) = match side {
            Side::A => (&self.a, &self.b),
            Side::B => (&self.b, &self.a),
        };
        let gradient_node = outer(in_node, of_node.angular);
        let gradient_other = outer(in_other, of_other.angular);
        let relative = along(in_other, of_other.at(other.centre))
            - (along(in_node, of_node.linear) + inner(&gradient_node, centres));
        let spread = inner(&absolute(&gradient_node), halves) + along(&absolute(&gradient_other), other.half);
        [spread - relative, spread + relative]
    }
}
