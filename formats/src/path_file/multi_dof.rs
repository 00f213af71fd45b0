//! Transforms of multi-DOF messages as the values of floating and planar joints.
//!
//! Between two transforms the joint moves straight: x, y (and z) are linear. A floating joint turns along the shortest
//! arc. A planar one turns the shorter way round, so its angle continues from that of the previous transform.

use std::f64::consts::TAU;

use super::Source;
use super::messages::Transform;
use crate::{FormatError, excerpt};
use pathproof::numeric::DVec3;
use pathproof::robot::JointKind;

/// Largest deviation of a planar joint's transform from its plane (metres, or half the sine of an angle): the loss in
/// printing.
const MOST_OUT_OF_PLANE: f64 = 1e-6;
/// Turns closer to half a turn than this (radians) have no shorter way.
const HALF_TURN: f64 = 1e-9;

/// Joint that a multi-DOF message names.
pub(super) struct MultiDofJoint {
    name: String,
    /// First of its variables.
    first: usize,
    is_planar: bool,
}

impl MultiDofJoint {
    /// Finds a joint by name.
    pub(super) fn find(name: &str, place: &str, source: &Source<'_>) -> Result<Self, FormatError> {
        let first = source.column(&format!("{name}.x"), place)?;
        let model = source.scene.model();
        let is_planar = match model.joints()[model.variables()[first].joint].kind {
            JointKind::Floating => false,
            JointKind::Planar { axis } if axis == DVec3::Z => true,
            _ => {
                let problem = format!("{:?} is neither a floating joint nor a planar one about z", excerpt(name));
                return Err(source.error(place, problem, "write planar joints as CSV columns J.x, J.y, J.theta"));
            }
        };
        Ok(Self { name: name.to_owned(), first, is_planar })
    }

    /// Its variables.
    pub(super) fn variables(&self) -> std::ops::Range<usize> {
        self.first..self.first + if self.is_planar { 3 } else { 7 }
    }

    /// Values of its variables for a transform; `before` is the previous configuration.
    pub(super) fn values(
        &self,
        transform: &Transform,
        before: Option<&Vec<f64>>,
        place: &str,
        source: &Source<'_>,
    ) -> Result<Vec<(usize, f64)>, FormatError> {
        let all = transform.values();
        if !self.is_planar {
            return Ok(self.variables().zip(all).collect());
        }
        let [x, y, z, qx, qy, qz, qw] = all;
        let norm = qx.hypot(qy).hypot(qz.hypot(qw));
        // Written so that NaN is refused.
        let is_in_plane = [z, qx, qy, norm - 1.0].iter().all(|value| value.abs() <= MOST_OUT_OF_PLANE);
        if !is_in_plane {
            let problem = format!(
                "the planar joint {:?} cannot reach z = {z} and the rotation [{qx}, {qy}, {qz}, {qw}]",
                excerpt(&self.name)
            );
            return Err(source.error(place, problem, "give z = 0 and a unit quaternion [0, 0, z, w]"));
        }
        // A quaternion and its negative are the same rotation.
        let sign = if qw < 0.0 { -1.0 } else { 1.0 };
        let mut theta = 2.0 * libm::atan2(sign * qz, sign * qw);
        if let Some(before) = before.map(|q| q[self.first + 2]) {
            theta += TAU * ((before - theta) / TAU).round();
            if (theta - before).abs() >= TAU / 2.0 - HALF_TURN {
                let problem =
                    format!("the planar joint {:?} turns by 180°, which has no shorter way", excerpt(&self.name));
                return Err(source.error(place, problem, "add a waypoint in between"));
            }
        }
        Ok(self.variables().zip([x, y, theta]).collect())
    }
}

/// Joints that a multi-DOF trajectory names, each once; `taken` are variables that already have values.
pub(super) fn joints(
    names: &[String],
    taken: &[usize],
    place: &str,
    source: &Source<'_>,
) -> Result<Vec<MultiDofJoint>, FormatError> {
    let mut joints: Vec<MultiDofJoint> = Vec::new();
    for name in names {
        let joint = MultiDofJoint::find(name, place, source)?;
        let is_twice = joints.iter().any(|other| other.first == joint.first)
            || taken.iter().any(|variable| joint.variables().contains(variable));
        if is_twice {
            return Err(source.error(place, format!("{:?} is there twice", excerpt(name)), "leave one of them"));
        }
        joints.push(joint);
    }
    Ok(joints)
}

/// True if one of the joints moves along the waypoints.
pub(super) fn is_moving(joints: &[MultiDofJoint], waypoints: &[Vec<f64>]) -> bool {
    let moves =
        |joint: &MultiDofJoint| waypoints.windows(2).any(|q| q[0][joint.variables()] != q[1][joint.variables()]);
    joints.iter().any(moves)
}
