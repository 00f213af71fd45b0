//! A group over a half-space: only the group's convex hull matters, and only one direction, the plane's normal. One
//! exact support decides; there is no traversal.

use super::examine::{CellQuery, Examined};
use crate::check::groups::HalfSpace;
use crate::check::lowest::Lowest;
use crate::check::pair_at::PairAt;
use crate::distance::Near;
use crate::numeric::{DVec3, Pose, least};
use crate::robot::bounds::upper_closing;

/// Examines the group of `pair` over the fixed `half_space`, in the middle of a cell.
pub(super) fn examine(pair: &PairAt<'_>, half_space: &HalfSpace, cell: &CellQuery) -> Examined {
    let n = half_space.world_from_plane.vector(half_space.normal);
    let body = pair.a.indexed.body();
    let centre = Pose { translation: pair.world_from_a.point(body.centre()), ..pair.world_from_a };
    let Lowest { lower, upper, points_in_world: [on_a, on_b], primitive } = pair.lowest(half_space);
    let bound = &cell.bounds[0];
    let half_extents = DVec3::splat(body.radius());
    let speeds = bound.along(n).range_over_box(centre.translation, &centre.rotation, half_extents);
    let mut examined = Examined { lower_at_middle: lower, ..Examined::UNCOVERED };
    for half in 0..2 {
        let closing_speed = if half == 0 { speeds[1] } else { -speeds[0] };
        let closing = upper_closing(bound.half_length, closing_speed, bound.upper_bend);
        let guaranteed = lower - least(bound.upper_displacement, closing);
        if guaranteed > cell.clearance {
            (examined.covered[half], examined.lower_over_halves[half]) = (true, guaranteed);
        }
    }
    if upper <= cell.close && examined.covered != [true; 2] {
        examined.found = Some((Near { lower, upper, on_a, on_b, direction: -n }, [primitive, 0]));
    }
    examined
}
