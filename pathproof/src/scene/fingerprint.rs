//! Three hashes of a scene, as resolved from its files: kinematics, geometry, and the pairs that are checked. Names
//! and files do not count; every number does, to the last bit.
//!
//! A fingerprint shows people that they use the same scene. No proof depends on it.

use super::{BodyShape, Scene, SceneBody};
use crate::numeric::{DVec3, Pose, Sha256};
use crate::robot::JointKind;
use crate::shapes::{Body, Convex, Core, Enclosure};

/// SHA-256 of the parts of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// Joints: kinds, axes, origins, parents and mimic relations.
    pub kinematics: [u8; 32],
    /// Bodies: the links that carry them, their poses and shapes.
    pub geometry: [u8; 32],
    /// The pairs that are checked (their clearances are not in it).
    pub pairs: [u8; 32],
}

impl Scene {
    /// The scene's fingerprint; takes some 5 ms for 100,000 triangles.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut pairs = Writer::default();
        pairs.count(self.pairs().len());
        for pair in self.pairs() {
            pairs.count(pair.a);
            pairs.count(pair.b);
        }
        Fingerprint { kinematics: self.kinematics(), geometry: self.geometry(), pairs: pairs.0.finish() }
    }

    fn kinematics(&self) -> [u8; 32] {
        let mut out = Writer::default();
        out.count(self.model().variables().len());
        out.count(self.model().joints().len());
        for joint in self.model().joints() {
            out.count(match joint.kind {
                JointKind::Fixed => 0,
                JointKind::Revolute { .. } => 1,
                JointKind::Prismatic { .. } => 2,
                JointKind::Planar { .. } => 3,
                JointKind::Floating => 4,
            });
            out.vector(joint.kind.axis().unwrap_or_default());
            out.count(joint.parent);
            out.count(joint.child);
            out.pose(&joint.parent_from_joint);
            if let Some(source) = joint.source {
                out.count(source.variable);
                out.number(source.multiplier);
                out.number(source.offset);
            }
        }
        out.0.finish()
    }

    fn geometry(&self) -> [u8; 32] {
        let mut out = Writer::default();
        out.count(self.bodies().len());
        self.bodies().iter().for_each(|body| out.scene_body(body));
        out.0.finish()
    }

    /// The first bytes of a hash of each body alone: if two scenes differ, these show which body does.
    pub fn body_fingerprints(&self) -> Vec<[u8; 8]> {
        let of_body = |body: &SceneBody| {
            let mut out = Writer::default();
            out.scene_body(body);
            let mut first = [0; 8];
            first.copy_from_slice(&out.0.finish()[..8]);
            first
        };
        self.bodies().iter().map(of_body).collect()
    }
}

#[derive(Default)]
struct Writer(Sha256);

impl Writer {
    fn count(&mut self, value: usize) {
        self.0.add(&(value as u64).to_le_bytes());
    }

    fn number(&mut self, value: f64) {
        self.0.add(&value.to_bits().to_le_bytes());
    }

    fn vector(&mut self, v: DVec3) {
        v.to_array().into_iter().for_each(|c| self.number(c));
    }

    fn pose(&mut self, pose: &Pose) {
        pose.rotation.to_cols_array().into_iter().for_each(|c| self.number(c));
        self.vector(pose.translation);
    }

    fn points(&mut self, points: &[DVec3]) {
        self.count(points.len());
        points.iter().for_each(|p| self.vector(*p));
    }

    fn scene_body(&mut self, body: &SceneBody) {
        self.count(body.link);
        self.pose(&body.link_from_body);
        match &body.shape {
            BodyShape::HalfSpace { normal } => {
                self.count(0);
                self.vector(*normal);
            }
            BodyShape::Parts(parts) => {
                self.count(1);
                self.body(parts);
            }
        }
    }

    fn body(&mut self, body: &Body) {
        self.vector(body.centre());
        self.points(body.vertices());
        self.count(body.triangles().len());
        for corners in body.triangles() {
            corners.iter().for_each(|v| self.0.add(&v.to_le_bytes()));
        }
        self.count(body.components().len());
        for component in body.components() {
            self.count(match component.enclosure {
                Enclosure::Oriented => 0,
                Enclosure::Parity => 1,
                Enclosure::Open => 2,
                Enclosure::DoubleSided => 3,
            });
            self.count(component.triangles);
            self.count(component.first_triangle);
            self.count(component.mesh as usize);
        }
        self.count(body.pieces().len());
        for piece in body.pieces() {
            self.pose(&piece.centre_from_piece);
            self.convex(&piece.shape);
        }
    }

    fn convex(&mut self, shape: &Convex) {
        self.number(shape.radius());
        match shape.core() {
            Core::Point => self.count(0),
            Core::Segment { half_length } => {
                self.count(1);
                self.number(*half_length);
            }
            Core::Triangle(corners) => {
                self.count(2);
                self.points(corners);
            }
            Core::Box { half } => {
                self.count(3);
                self.vector(*half);
            }
            Core::Cylinder { radius, half_length } => {
                self.count(4);
                self.number(*radius);
                self.number(*half_length);
            }
            Core::Cone { radius, half_length } => {
                self.count(5);
                self.number(*radius);
                self.number(*half_length);
            }
            Core::Hull(hull) => {
                self.count(6);
                self.points(hull.vertices());
            }
        }
    }
}
