//! ROS and MoveIt messages that hold paths, as written in JSON or YAML. Unknown fields are errors.
//!
//! One type covers all of them, because a file does not name its type; the fields decide. `trajectory.rs` turns them
//! into paths.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Known fields that do not affect positions.
type Ignored = Option<IgnoredAny>;

/// `JointTrajectory`, `RobotTrajectory`, `DisplayTrajectory`, `FollowJointTrajectory` and `ExecuteTrajectory` goals, plans
/// of MoveIt, `JointState`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Message {
    pub(super) header: Option<Header>,
    /// `JointTrajectory`
    pub(super) joint_names: Option<Vec<String>>,
    pub(super) points: Option<Vec<Point>>,
    /// `RobotTrajectory`
    pub(super) joint_trajectory: Option<Box<Message>>,
    pub(super) multi_dof_joint_trajectory: Option<MultiDof>,
    /// `DisplayTrajectory` has several, goals have one.
    pub(super) trajectory: Option<Several>,
    pub(super) trajectory_start: Option<RobotState>,
    /// An action's goal.
    pub(super) goal: Option<Box<Message>>,
    pub(super) multi_dof_trajectory: Option<MultiDof>,
    /// Polynomials, see `splines.rs`.
    pub(super) basis: Option<String>,
    pub(super) knots: Option<Vec<f64>>,
    pub(super) pieces: Option<Vec<Vec<Vec<f64>>>>,
    pub(super) degree: Option<usize>,
    pub(super) control_points: Option<Vec<Vec<f64>>>,
    /// `JointState`
    pub(super) name: Option<Vec<String>>,
    pub(super) position: Option<Vec<f64>>,
    pub(super) velocity: Option<Vec<f64>>,
    effort: Ignored,
    model_id: Ignored,
    goal_id: Ignored,
    path_tolerance: Ignored,
    component_path_tolerance: Ignored,
    goal_tolerance: Ignored,
    component_goal_tolerance: Ignored,
    goal_time_tolerance: Ignored,
    controllers: Ignored,
    controller_names: Ignored,
    group_name: Ignored,
    planning_time: Ignored,
    error_code: Ignored,
}

impl Message {
    /// True if it states polynomials; `basis` names their kind.
    pub(super) fn is_spline(&self) -> bool {
        self.basis.is_some()
    }

    /// `RobotTrajectory` of a trajectory and its floating joints.
    pub(super) fn of_robot(joints: Self, floating: MultiDof) -> Self {
        Self { joint_trajectory: Some(Box::new(joints)), multi_dof_joint_trajectory: Some(floating), ..Self::default() }
    }
}

/// Only the stamp of a header is used.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Header {
    pub(super) stamp: Option<Time>,
    frame_id: Ignored,
    seq: Ignored,
}

/// A waypoint.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Point {
    pub(super) positions: Vec<f64>,
    #[serde(default)]
    pub(super) velocities: Vec<f64>,
    #[serde(default)]
    pub(super) accelerations: Vec<f64>,
    #[serde(default)]
    #[expect(dead_code, reason = "known, not used")]
    effort: Ignored,
    pub(super) time_from_start: Option<Time>,
}

/// A `MultiDOFJointTrajectory`: floating joints.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct MultiDof {
    header: Ignored,
    pub(super) joint_names: Vec<String>,
    pub(super) points: Vec<MultiDofPoint>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MultiDofPoint {
    pub(super) transforms: Vec<Transform>,
    #[serde(default)]
    pub(super) velocities: Vec<IgnoredAny>,
    #[serde(default)]
    pub(super) accelerations: Vec<IgnoredAny>,
    pub(super) time_from_start: Option<Time>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Transform {
    translation: Translation,
    rotation: Rotation,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Translation {
    x: f64,
    y: f64,
    z: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rotation {
    x: f64,
    y: f64,
    z: f64,
    w: f64,
}

impl Transform {
    /// In the order of a floating joint's variables.
    pub(super) fn values(&self) -> [f64; 7] {
        let (t, r) = (&self.translation, &self.rotation);
        [t.x, t.y, t.z, r.x, r.y, r.z, r.w]
    }
}

/// `RobotState`: positions of the joints that a trajectory leaves out.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RobotState {
    pub(super) joint_state: Option<Box<Message>>,
    pub(super) multi_dof_joint_state: Option<MultiDofState>,
    pub(super) attached_collision_objects: Vec<IgnoredAny>,
    is_diff: Ignored,
}

/// A `MultiDOFJointState`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct MultiDofState {
    header: Ignored,
    pub(super) joint_names: Vec<String>,
    pub(super) transforms: Vec<Transform>,
    twist: Ignored,
    wrench: Ignored,
}

/// A duration or a stamp of ROS 1 or 2.
#[derive(Clone, Copy, Default)]
pub(super) struct Time {
    sec: f64,
    nanosec: f64,
}

impl Time {
    /// In seconds.
    pub(super) fn seconds(self) -> f64 {
        self.sec + self.nanosec * 1e-9
    }

    /// Seconds after another time. Subtracts parts first, because a stamp in seconds is only known to 0.2 µs.
    pub(super) fn since(self, other: Self) -> f64 {
        (self.sec - other.sec) + (self.nanosec - other.nanosec) * 1e-9
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Parts {
            #[serde(default, alias = "secs")]
            sec: f64,
            #[serde(default, alias = "nsecs")]
            nanosec: f64,
        }
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a time is written as sec and nanosec, or as a number of seconds")]
        enum Either {
            Seconds(f64),
            Parts(Parts),
        }
        Ok(match Either::deserialize(deserializer)? {
            Either::Seconds(sec) => Self { sec, nanosec: 0.0 },
            Either::Parts(Parts { sec, nanosec }) => Self { sec, nanosec },
        })
    }
}

/// One message, or a list of them.
pub(super) struct Several(pub(super) Vec<Message>);

impl<'de> Deserialize<'de> for Several {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Several;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a message or a list of messages")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Several, A::Error> {
                Ok(Several(vec![Message::deserialize(de::value::MapAccessDeserializer::new(map))?]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Several, A::Error> {
                Ok(Several(Vec::deserialize(de::value::SeqAccessDeserializer::new(seq))?))
            }
        }
        deserializer.deserialize_any(Read)
    }
}
