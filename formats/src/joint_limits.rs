//! MoveIt's `joint_limits.yaml`: velocity and acceleration limits per joint, and default scaling factors.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::input_file::{self, Limit};
use crate::yaml::{self, Node, YamlError};
use crate::{FormatError, excerpt};

/// Largest file, in bytes.
const LIMIT: Limit = Limit::new(1 << 20, "give the joint_limits.yaml of the robot's MoveIt configuration");

const REMEDY: &str =
    "write joint_limits: {JOINT: {has_acceleration_limits: true, max_acceleration: 5.0}}, as MoveIt does";

/// The limits of a robot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointLimits {
    /// Keyed by the joint's name in the URDF.
    pub joints: BTreeMap<String, RateLimits>,
    /// `default_velocity_scaling_factor`.
    pub velocity_scale: Option<f64>,
    /// `default_acceleration_scaling_factor`.
    pub acceleration_scale: Option<f64>,
}

/// Limits of a joint, in radians or metres; `None` where the file has none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RateLimits {
    /// Per second.
    pub velocity: Option<f64>,
    /// Per second squared.
    pub acceleration: Option<f64>,
}

/// File as written. Limits of position, jerk and effort are accepted, but timing ignores them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    #[serde(default)]
    joint_limits: BTreeMap<String, RawJoint>,
    default_velocity_scaling_factor: Option<f64>,
    default_acceleration_scaling_factor: Option<f64>,
    robot_description_planning: Option<Box<Raw>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "known, and not used")]
struct RawJoint {
    has_velocity_limits: Option<bool>,
    max_velocity: Option<f64>,
    has_acceleration_limits: Option<bool>,
    max_acceleration: Option<f64>,
    has_deceleration_limits: Option<bool>,
    max_deceleration: Option<f64>,
    has_jerk_limits: Option<bool>,
    max_jerk: Option<f64>,
    has_position_limits: Option<bool>,
    min_position: Option<f64>,
    max_position: Option<f64>,
    has_effort_limits: Option<bool>,
    max_effort: Option<f64>,
    angle_wraparound: Option<bool>,
}

/// Reads the limits.
pub fn read(path: &Path) -> Result<JointLimits, FormatError> {
    parse(&input_file::text(path, LIMIT)?, path)
}

/// Reads the limits from a text; `file` is only named in messages.
pub fn parse(text: &str, file: &Path) -> Result<JointLimits, FormatError> {
    let failed = |error: YamlError| {
        let place = error.line.map_or(String::new(), |line| format!("line {line}"));
        FormatError::new(file, error.message).at(place).remedy(REMEDY)
    };
    let mut documents = yaml::documents(text).map_err(failed)?.into_iter();
    let (first, second): (Option<Node<'_>>, _) = (documents.next(), documents.next());
    let (Some(document), None) = (first, second) else {
        return Err(FormatError::new(file, "it is empty or holds several documents").remedy(REMEDY));
    };
    let mut raw = Raw::deserialize(document).map_err(failed)?;
    if let Some(inner) = raw.robot_description_planning.take() {
        raw = *inner;
    }
    let scale = |name: &str, value: Option<f64>| match value {
        Some(value) if !(value > 0.0 && value <= 1.0) => {
            Err(FormatError::new(file, format!("{name} is {value}")).remedy("write a number above 0, at most 1"))
        }
        value => Ok(value),
    };
    let joints = raw.joint_limits.iter().map(|(name, joint)| Ok((name.clone(), joint.limits(name, file)?)));
    Ok(JointLimits {
        joints: joints.collect::<Result<_, FormatError>>()?,
        velocity_scale: scale("default_velocity_scaling_factor", raw.default_velocity_scaling_factor)?,
        acceleration_scale: scale("default_acceleration_scaling_factor", raw.default_acceleration_scaling_factor)?,
    })
}

impl RawJoint {
    fn limits(&self, name: &str, file: &Path) -> Result<RateLimits, FormatError> {
        let limit = |key: &str, is_on: Option<bool>, value: Option<f64>| match (is_on, value) {
            (Some(false), _) | (None, None) => Ok(None),
            (Some(true), None) => Err(FormatError::new(file, format!("has_{key}_limits without max_{key}"))
                .at(format!("joint {:?}", excerpt(name)))
                .remedy(format!("write max_{key}, or has_{key}_limits: false"))),
            (_, Some(value)) if value > 0.0 && value.is_finite() => Ok(Some(value)),
            (_, Some(value)) => Err(FormatError::new(file, format!("max_{key} is {value}"))
                .at(format!("joint {:?}", excerpt(name)))
                .remedy("write a positive number, in radians or metres")),
        };
        let velocity = limit("velocity", self.has_velocity_limits, self.max_velocity)?;
        let gain = limit("acceleration", self.has_acceleration_limits, self.max_acceleration)?;
        let loss = limit("deceleration", self.has_deceleration_limits, self.max_deceleration)?;
        // The smaller one is valid for both.
        let acceleration = gain.zip(loss).map(|(a, b)| a.min(b)).or(gain).or(loss);
        Ok(RateLimits { velocity, acceleration })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<JointLimits, FormatError> {
        parse(text, Path::new("joint_limits.yaml"))
    }

    /// File as the setup assistant writes it.
    #[test]
    fn files_of_the_setup_assistant_are_read() {
        let text = "# comment\ndefault_velocity_scaling_factor: 0.1\ndefault_acceleration_scaling_factor: 0.2\n\n\
                    joint_limits:\n  panda_joint1:\n    has_velocity_limits: true\n    max_velocity: 2.1750\n    \
                    has_acceleration_limits: true\n    max_acceleration: 3.75\n    has_jerk_limits: false\n  \
                    panda_joint2:\n    has_velocity_limits: false\n    max_velocity: 9\n    \
                    has_acceleration_limits: true\n    max_acceleration: 1\n    has_deceleration_limits: true\n    \
                    max_deceleration: 0.5\n";
        for text in [text.to_owned(), format!("robot_description_planning:\n  {}", text.replace('\n', "\n  "))] {
            let limits = read(&text).expect("limits");
            assert_eq!((limits.velocity_scale, limits.acceleration_scale), (Some(0.1), Some(0.2)));
            let of = |velocity, acceleration| RateLimits { velocity, acceleration };
            assert_eq!(limits.joints["panda_joint1"], of(Some(2.175), Some(3.75)));
            assert_eq!(limits.joints["panda_joint2"], of(None, Some(0.5)));
        }
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_place() {
        let joint = |lines: &str| format!("joint_limits:\n  a:\n    {lines}\n");
        for (text, part) in [
            (joint("max_velocity: 0"), "joint \"a\""),
            (joint("max_acceleration: -1"), "max_acceleration is -1"),
            (joint("max_velocity: .nan"), "max_velocity"),
            (joint("has_velocity_limits: true"), "without max_velocity"),
            (joint("max_speed: 3"), "max_speed"),
            ("joints:\n  a: 3\n".to_owned(), "joints"),
            ("default_velocity_scaling_factor: 1.5\n".to_owned(), "1.5"),
            (String::new(), "empty"),
            ("joint_limits: [1, 2]\n".to_owned(), "line 1"),
        ] {
            let message = read(&text).expect_err("it cannot be").to_string();
            assert!(message.starts_with("joint_limits.yaml: ") && message.contains(part), "{text}: {message}");
        }
    }
}
