//! The lowest point of a group over a half-space: one exact support of its hull along the plane's normal.

use super::groups::{Group, HalfSpace};
use crate::numeric::{DVec3, Pose, ROUNDOFF_F64, norm_up};

/// The lowest point of a group over a half-space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lowest {
    /// Bounds on its height, negative below the plane; all rounding is included.
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// The point, and the foot below it on the plane.
    pub(super) points_in_world: [DVec3; 2],
    pub(super) primitive: usize,
}

/// Finds the lowest point of a group if the poses are off by at most `margin`.
pub(super) fn lowest(group: &Group, world_from_group: &Pose, half_space: &HalfSpace, margin: f64) -> Lowest {
    let body = group.indexed.body();
    let n = half_space.world_from_plane.vector(half_space.normal);
    let origin = half_space.world_from_plane.translation;
    let world_from_centre = Pose { translation: world_from_group.point(body.centre()), ..*world_from_group };
    let down_in_centre = -world_from_centre.inverse_vector(n);
    let (mut lowest, mut primitive, mut height) = (world_from_centre.translation, 0, f64::INFINITY);
    for p in &group.hull {
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
    // Placing a point and its product with n round by less than 32 u of the sizes involved.
    let rounding = 64.0 * ROUNDOFF_F64 * size + body.rounding() + margin;
    Lowest {
        lower: height - rounding,
        upper: height + rounding,
        points_in_world: [lowest, lowest - n * height],
        primitive,
    }
}

/// True if a height replaces the lowest so far. NaN does, and stays: it proves nothing.
fn is_lower(height: f64, lowest: f64) -> bool {
    !lowest.is_nan() && !(height >= lowest)
}

#[cfg(test)]
mod tests {
    use super::is_lower;

    /// A finite height once replaced one that was NaN.
    #[test]
    fn a_height_that_is_not_a_number_stays() {
        assert!(is_lower(f64::NAN, 1.0) && !is_lower(0.5, f64::NAN));
        assert!(is_lower(0.5, 1.0) && !is_lower(1.0, 1.0));
    }
}
