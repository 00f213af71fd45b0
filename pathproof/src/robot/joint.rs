//! Joint kinds, and the description of a joint before it is validated.

use crate::numeric::{DMat3, DVec3, Pose, unit};

use super::model::VariableKind;

/// Motion of a child link under its joint. Axes are directions in the joint frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Does not move.
    Fixed,
    /// Turns about the axis, in radians. A continuous joint is one without limits.
    Revolute {
        /// Axis of rotation.
        axis: DVec3,
    },
    /// Slides along the axis, in metres.
    Prismatic {
        /// Direction of travel.
        axis: DVec3,
    },
    /// Slides in the plane normal to the axis and turns about the axis: variables x, y, theta.
    Planar {
        /// Normal of the plane.
        axis: DVec3,
    },
    /// Moves freely: variables x, y, z and the unit quaternion qx, qy, qz, qw.
    Floating,
}

impl JointKind {
    /// Suffixes of its variables' names: `""` stands for the joint's own name, anything else is appended to it.
    pub fn variable_suffixes(&self) -> &'static [&'static str] {
        match self {
            Self::Fixed => &[],
            Self::Revolute { .. } | Self::Prismatic { .. } => &[""],
            Self::Planar { .. } => &[".x", ".y", ".theta"],
            Self::Floating => &[".x", ".y", ".z", ".qx", ".qy", ".qz", ".qw"],
        }
    }

    /// Units of its variables.
    pub fn variable_kinds(&self) -> &'static [VariableKind] {
        use VariableKind::{Angle, Length, Quaternion};
        match self {
            Self::Fixed => &[],
            Self::Revolute { .. } => &[Angle],
            Self::Prismatic { .. } => &[Length],
            Self::Planar { .. } => &[Length, Length, Angle],
            Self::Floating => &[Length, Length, Length, Quaternion, Quaternion, Quaternion, Quaternion],
        }
    }

    /// Number of its variables.
    pub fn variable_count(&self) -> usize {
        self.variable_suffixes().len()
    }

    /// The axis, if there is one.
    pub fn axis(&self) -> Option<DVec3> {
        match *self {
            Self::Fixed | Self::Floating => None,
            Self::Revolute { axis } | Self::Prismatic { axis } | Self::Planar { axis } => Some(axis),
        }
    }

    /// The same kind with its axis scaled to unit length; `None` if the axis is zero or not finite. Components of the
    /// unit vector below `SMALLEST_COMPONENT` become 0: they turn the axis by less than any arithmetic here can
    /// resolve, and their squares would vanish.
    pub fn normalised(&self) -> Option<Self> {
        let Some(axis) = self.axis() else { return Some(*self) };
        let snapped = |c: f64| if c.abs() < SMALLEST_COMPONENT { 0.0 } else { c };
        let axis = DVec3::from_array(unit(axis)?.to_array().map(snapped));
        Some(match self {
            Self::Revolute { .. } => Self::Revolute { axis },
            Self::Prismatic { .. } => Self::Prismatic { axis },
            _ => Self::Planar { axis },
        })
    }

    /// `joint_from_aligned`: the smallest rotation that takes z to the axis; the identity without an axis.
    /// For the axis −z, where every half turn is smallest, it is the half turn about x.
    pub(crate) fn joint_from_aligned(&self) -> DMat3 {
        let Some(a) = self.axis() else { return DMat3::IDENTITY };
        let sideways = a.x * a.x + a.y * a.y;
        if sideways == 0.0 {
            return if a.z > 0.0 { DMat3::IDENTITY } else { DMat3::from_diagonal(DVec3::new(1.0, -1.0, -1.0)) };
        }
        // 1/(1 + z), written without cancellation for axes near −z.
        let k = if a.z >= 0.0 { 1.0 / (1.0 + a.z) } else { (1.0 - a.z) / sideways };
        DMat3::from_cols(
            DVec3::new(1.0 - a.x * a.x * k, -a.x * a.y * k, -a.x),
            DVec3::new(-a.x * a.y * k, 1.0 - a.y * a.y * k, -a.y),
            a,
        )
    }
}

/// Angles below this (radians) count as 0; the square of it is still a normal number.
const SMALLEST_COMPONENT: f64 = 1e-150;

/// A joint as a file describes it, not yet validated.
#[derive(Clone, Debug)]
pub struct JointSpec {
    /// Unique name.
    pub name: String,
    /// Kind of its motion; the axis need not be a unit vector.
    pub kind: JointKind,
    /// Name of the parent link.
    pub parent: String,
    /// Name of the child link, whose frame is the joint frame after the joint has moved.
    pub child: String,
    /// Pose of the joint frame in the parent link's frame.
    pub parent_from_joint: Pose,
    /// Limits per variable; empty if there are none.
    pub limits: Vec<Option<(f64, f64)>>,
    /// Largest speed (radians or metres per second), if known; only for joints of one variable.
    pub speed_limit: Option<f64>,
    /// Follows another joint instead of having a variable of its own. Ignored on a fixed joint.
    pub mimic: Option<Mimic>,
}

impl JointSpec {
    /// A joint without limits that does not follow another.
    pub fn new(name: &str, kind: JointKind, parent: &str, child: &str, parent_from_joint: Pose) -> Self {
        let (name, parent, child) = (name.to_owned(), parent.to_owned(), child.to_owned());
        Self { name, kind, parent, child, parent_from_joint, limits: Vec::new(), speed_limit: None, mimic: None }
    }

    /// Limits each of its variables.
    pub fn limited(&mut self, lower: f64, upper: f64) -> &mut Self {
        self.limits = vec![Some((lower, upper)); self.kind.variable_count()];
        self
    }
}

/// value = multiplier · (value of `joint`) + offset.
#[derive(Clone, Debug, PartialEq)]
pub struct Mimic {
    /// Name of the joint that is followed.
    pub joint: String,
    /// Factor.
    pub multiplier: f64,
    /// Radians or metres.
    pub offset: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Squares of tiny components once vanished: the axis 1e-155 0 -1 gave poses that were NaN.
    #[test]
    fn every_axis_has_a_rotation_that_takes_z_to_it() {
        let tiny = [0.0, 1e-320, 1e-200, 1e-170, 1e-160, 1e-155, 1e-150, 1e-149, 1e-100, 1e-20, 1e-9, 0.3];
        for (x, y, z) in tiny
            .iter()
            .flat_map(|x| tiny.iter().map(move |y| (*x, *y)))
            .flat_map(|(x, y)| [(x, y, -1.0), (x, -y, 1.0), (-1e200, x * 1e200, y)])
        {
            let kind = JointKind::Revolute { axis: DVec3::new(x, y, z) }.normalised().expect("an axis");
            let rotation = kind.joint_from_aligned();
            let pose = Pose { rotation, ..Pose::IDENTITY };
            assert!(pose.is_rigid(1e-14), "{x:e} {y:e} {z:e}: {rotation}");
            assert_eq!(Some(rotation.z_axis), kind.axis());
        }
        for axis in [DVec3::ZERO, DVec3::NAN, DVec3::X * f64::INFINITY] {
            assert_eq!(JointKind::Prismatic { axis }.normalised(), None);
        }
    }
}
