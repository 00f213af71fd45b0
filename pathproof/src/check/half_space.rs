//! A unit against a half-space: only the unit's convex hull matters, and only one direction, the plane's normal. One
//! exact support decides; no traversal.

use super::directional::{Judged, Need};
use crate::distance::Near;
use crate::numeric::{DVec3, Pose, U64, norm_up};
use crate::robot::bounds::upper_closing;
use crate::shapes::Body;

/// Looks at a body, whose meshes have the hull `hull_points`, over the half-space of `normal` at `world_from_plane`. The
/// half-space stands still.
pub(super) fn judge(
    body: &Body,
    hull_points: &[DVec3],
    world_from_unit: &Pose,
    normal: DVec3,
    world_from_plane: &Pose,
    need: &Need,
) -> Judged {
    let n = world_from_plane.vector(normal);
    let world_from_centre = Pose { translation: world_from_unit.point(body.centre()), ..*world_from_unit };
    let Lowest { lower, upper, points_in_world, primitive } =
        lowest(body, hull_points, world_from_unit, normal, world_from_plane);
    let arc = need.bounds[0].upper_half_arc;
    let speeds = need.bounds[0].along(n);
    let half_extents = DVec3::splat(body.radius());
    let range = speeds.range_over_box(world_from_centre.translation, &world_from_centre.rotation, half_extents);
    let mut covered = [false; 2];
    let mut lower_over_halves = [f64::INFINITY; 2];
    for half in 0..2 {
        let closing_speed = if half == 0 { range[1] } else { -range[0] };
        let closing = upper_closing(need.bounds[0].half_length, closing_speed, need.bounds[0].upper_bend);
        let guaranteed = lower - arc.min(closing) - need.margin;
        if guaranteed > need.clearance {
            (covered[half], lower_over_halves[half]) = (true, guaranteed);
        }
    }
    let is_found = upper <= need.close && !(covered[0] && covered[1]);
    let found = is_found.then(|| {
        let [on_a, on_b] = points_in_world;
        (Near { lower, upper, on_a, on_b, direction: -n }, [primitive, 0])
    });
    Judged { covered, lower_over_halves, lower, found, direction_in_world: -n, ..Judged::COVERED }
}

/// The lowest point of a body over a half-space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lowest {
    /// Bounds on its height, negative below the plane; rounding of the poses themselves is not included.
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// The point, and the foot below it on the plane.
    pub(super) points_in_world: [DVec3; 2],
    pub(super) primitive: usize,
}

/// Finds the lowest point of a body, whose meshes have the hull `hull_points`.
pub(super) fn lowest(
    body: &Body,
    hull_points: &[DVec3],
    world_from_unit: &Pose,
    normal: DVec3,
    world_from_plane: &Pose,
) -> Lowest {
    let n = world_from_plane.vector(normal);
    let origin = world_from_plane.translation;
    let world_from_centre = Pose { translation: world_from_unit.point(body.centre()), ..*world_from_unit };
    let down_in_centre = -world_from_centre.inverse_vector(n);
    let (mut lowest, mut primitive, mut height) = (world_from_centre.translation, 0, f64::INFINITY);
    for p in hull_points {
        let in_world = world_from_centre.point(*p);
        if is_lower(n.dot(in_world - origin), height) {
            (height, lowest) = (n.dot(in_world - origin), in_world);
        }
    }
    for (i, piece) in body.pieces().iter().enumerate() {
        let down = piece.centre_from_piece.inverse_vector(down_in_centre);
        let tip = piece.shape.core_support(down) + down * piece.shape.radius();
        let in_world = world_from_centre.point(piece.centre_from_piece.point(tip));
        if is_lower(n.dot(in_world - origin), height) {
            (height, lowest, primitive) = (n.dot(in_world - origin), in_world, body.triangles().len() + i);
        }
    }
    let size = norm_up(world_from_centre.translation - origin) + body.radius() + norm_up(body.centre());
    let rounding = 64.0 * U64 * size + body.rounding();
    Lowest {
        lower: height - rounding,
        upper: height + rounding,
        points_in_world: [lowest, lowest - n * height],
        primitive,
    }
}

/// Whether a height replaces the lowest so far. NaN does, and stays: it proves nothing.
fn is_lower(height: f64, lowest: f64) -> bool {
    !lowest.is_nan() && !(height >= lowest)
}

#[cfg(test)]
mod tests {
    use super::is_lower;

    /// A finite height once took the place of one that was not a number.
    #[test]
    fn a_height_that_is_not_a_number_stays() {
        assert!(is_lower(f64::NAN, 1.0) && !is_lower(0.5, f64::NAN));
        assert!(is_lower(0.5, 1.0) && !is_lower(1.0, 1.0));
    }
}
