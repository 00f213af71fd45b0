//! Balls and points that span a body: balls for its motion bounds, the corners of its hull for half-spaces.

use crate::numeric::{DVec3, Pose};
use crate::robot::Extent;
use crate::scene::Scene;
use crate::shapes::{Body, Convex, Core, Hull};

/// The extent of a body on the frame of `link`; `frame_from_group` is relative to that frame.
pub fn extent(scene: &Scene, link: usize, frame_from_group: &Pose, body: &Body) -> Extent {
    let model = scene.model();
    let link_from_group = model.links()[link].frame_from_link.inverse() * *frame_from_group;
    let mut balls: Vec<(DVec3, f64)> = body.vertices().iter().map(|v| (*v + body.centre(), 0.0)).collect();
    for piece in body.pieces() {
        for (centre, radius) in spanning_balls(&piece.shape) {
            balls.push((piece.centre_from_piece.point(centre) + body.centre(), radius));
        }
    }
    Extent::new(model, link, &link_from_group, balls)
}

/// Balls whose convex hull holds the shape.
fn spanning_balls(shape: &Convex) -> Vec<(DVec3, f64)> {
    let r = shape.radius();
    match shape.core() {
        Core::Point => vec![(DVec3::ZERO, r)],
        Core::Segment { half_length } => [-half_length, *half_length].map(|z| (DVec3::Z * z, r)).to_vec(),
        Core::Triangle(corners) => corners.map(|v| (v, r)).to_vec(),
        Core::Box { half } => (0..8)
            .map(|i| {
                let sign = |bit: i32| if i & bit == 0 { 1.0 } else { -1.0 };
                (*half * DVec3::new(sign(1), sign(2), sign(4)), r)
            })
            .collect(),
        Core::Cylinder { radius, half_length } => {
            [-half_length, *half_length].map(|z| (DVec3::Z * z, radius + r)).to_vec()
        }
        Core::Cone { radius, half_length } => {
            vec![(DVec3::Z * -half_length, radius + r), (DVec3::Z * *half_length, r)]
        }
        Core::Hull(hull) => hull.vertices().iter().map(|v| (*v, r)).collect(),
    }
}

/// Points whose convex hull is that of the body's meshes: only these matter over a half-space.
pub(super) fn hull_points(body: &Body) -> Vec<DVec3> {
    if body.vertices().is_empty() {
        return Vec::new();
    }
    Hull::new(body.vertices()).map_or_else(|_| body.vertices().to_vec(), |hull| hull.vertices().to_vec())
}
