//! A half-space: a plane and all that is below it, which has no tree.

use crate::numeric::{DVec3, Pose, add_up, norm_up};
use crate::robot::SegmentMotion;
use crate::scene::{BodyShape, Scene};

use super::Group;

/// Everything below a plane. It stands still.
#[derive(Debug)]
pub(in crate::check) struct HalfSpace {
    /// Index of its body in the scene.
    pub(in crate::check) body: usize,
    pub(in crate::check) world_from_plane: Pose,
    /// Normal in the plane's frame.
    pub(in crate::check) normal: DVec3,
}

impl HalfSpace {
    pub(super) fn new(scene: &Scene, body: usize) -> Option<Self> {
        let scene_body = &scene.bodies()[body];
        let BodyShape::HalfSpace { normal } = scene_body.shape else { return None };
        let world_from_plane = scene.model().links()[scene_body.link].frame_from_link * scene_body.link_from_body;
        Some(Self { body, world_from_plane, normal })
    }

    /// Upper bound on the distance of its plane's origin from the world's.
    pub(in crate::check) fn reach(&self) -> f64 {
        norm_up(self.world_from_plane.translation)
    }

    /// Upper bound on the effect of its pose's rounding on the height of a group over it. The plane is off by the
    /// error of its origin and, at a point p, by the error of its rotation times |p − origin| ≤ |p| + |origin|.
    pub(in crate::check) fn margin(&self, group: &Group, motion: &SegmentMotion) -> f64 {
        motion.position_error(0, add_up(self.reach(), group.reach_in_world(motion)))
    }
}
