//! Motion of two groups over half a cell for the traversal: velocities in the middle, and bounds on how far motion may
//! stray from them.

use super::examine::CellQuery;
use crate::distance::Query;
use crate::numeric::{DVec3, ROUNDOFF_F64};
use crate::robot::bounds::upper_closing;
use crate::trees::{BoxTree, Drifts};

/// Both groups' velocity fields in the middle of a cell, in A's axes, each about its own centre.
pub(super) struct Moving {
    pub(super) linear: [DVec3; 2],
    pub(super) angular: [DVec3; 2],
    pub(super) half_length: f64,
    pub(super) upper_bend: f64,
    /// Upper bounds on the lengths of n + τ (n × ω) for unit vectors n, either side.
    pub(super) upper_gradients: [f64; 2],
    /// Upper bound on the rounding of gaps at the ends of a half, see [`GAP_ROUNDING`].
    pub(super) rounding: f64,
}

/// Rounding of gaps at the ends of a half, in units of u of L (E_a + E_b) + T + τ (|v_a| + |v_b|), E the bodies' radii
/// and T the distance of their centres.
///
/// n is off a unit vector by 4 u; the gradient, of length at most L = 1 + τ|ω|, by 9 u L, and by 13 u L more for each
/// rotation into B's and a piece's axes (a product, and matrices that are orthonormal to 8 u). A dot product adds 3 u
/// L per metre; the offsets n·t and τ n·v err by 8 u of their size, and five sums by u of all terms. Together below 64
/// u. The error of the poses is in the query's margin, that of the twists in the bend.
const GAP_ROUNDING: f64 = 128.0;

impl Moving {
    /// Used where only contact matters: closings are NaN, so no half is certified.
    const STILL: Self = Self {
        linear: [DVec3::ZERO; 2],
        angular: [DVec3::ZERO; 2],
        half_length: 0.0,
        upper_bend: f64::NAN,
        upper_gradients: [1.0 + 1e-12; 2],
        rounding: f64::NAN,
    };

    /// The motion used where only contact matters.
    pub(super) fn still(query: &Query<'_>) -> (Self, Drifts) {
        let mut moving = Self::STILL;
        moving.rounding = moving.rounding_of(query);
        (moving, Drifts::STILL)
    }

    fn rounding_of(&self, query: &Query<'_>) -> f64 {
        let size = |side: usize| query.body(side).radius() * self.upper_gradients[side];
        let travel = (self.linear[0].length() + self.linear[1].length()) * self.half_length;
        let apart = query.a_from_b().translation.length();
        // Squares of lengths below 1e-154 vanish.
        GAP_ROUNDING * ROUNDOFF_F64 * (size(0) + size(1) + apart + travel) + 1e-150
    }

    /// The velocity fields, and the drift of boxes over a half.
    pub(super) fn new(query: &Query<'_>, trees: [&BoxTree; 2], cell: &CellQuery) -> (Self, Drifts) {
        let (world_from_a, a_from_b) = (query.world_from_a(), query.a_from_b());
        let half_length = cell.bounds[0].half_length;
        let upper_bend = cell.bounds[0].upper_bend + cell.bounds[1].upper_bend;
        let mut moving = Self { half_length, upper_bend, ..Self::STILL };
        let mut in_own_axes = [[DVec3::ZERO; 2]; 2];
        for side in 0..2 {
            // A group on the common ancestor's frame stands still.
            let bound = &cell.bounds[side];
            if bound.upper_displacement == 0.0 {
                continue;
            }
            let centre = query.centres_in_world()[side];
            let [linear, angular] =
                [bound.twist.velocity_at(centre), bound.twist.angular].map(|v| world_from_a.inverse_vector(v));
            (moving.linear[side], moving.angular[side]) = (linear, angular);
            moving.upper_gradients[side] = (1.0 + angular.length() * half_length) * (1.0 + 1e-12);
            in_own_axes[side] =
                [linear, angular].map(|v| if side == 0 { v } else { a_from_b.inverse_vector(v) } * half_length);
        }
        moving.rounding = moving.rounding_of(query);
        let drifts = Drifts::new(in_own_axes, upper_bend, trees.map(BoxTree::extent));
        (moving, drifts)
    }

    /// Upper bounds on how much a gap along a direction closes in the earlier and in the later half, given the least
    /// and greatest speed along it on either side.
    #[inline(always)]
    pub(super) fn closing(&self, a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        [b[1] - a[0], a[1] - b[0]].map(|speed| upper_closing(self.half_length, speed, self.upper_bend))
    }
}
