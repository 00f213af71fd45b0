//! ROS `JointTrajectory` and MoveIt `RobotTrajectory` messages in JSON or YAML.
//!
//! Positions are waypoints; velocities and accelerations are not checked, and the answer says so.

use serde::Deserialize;

use super::{LoadedPath, Source};
use crate::formats::yaml::{self, YamlError};
use crate::formats::{FormatError, excerpt};
use crate::robot::JointKind;

/// Largest YAML text in bytes: its parser takes many times that in memory.
const MAX_YAML: usize = 16 << 20;

/// Either message: a `RobotTrajectory` holds the other.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    #[serde(default)]
    #[expect(dead_code, reason = "known, not used")]
    header: serde::de::IgnoredAny,
    #[serde(default)]
    joint_names: Vec<String>,
    #[serde(default)]
    points: Vec<Point>,
    joint_trajectory: Option<Box<Message>>,
    multi_dof_joint_trajectory: Option<MultiDof>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Point {
    positions: Vec<f64>,
    #[serde(default)]
    velocities: Vec<f64>,
    #[serde(default)]
    accelerations: Vec<f64>,
    #[serde(default)]
    #[expect(dead_code, reason = "known, not used")]
    effort: serde::de::IgnoredAny,
    #[serde(default)]
    #[expect(dead_code, reason = "known, not used")]
    time_from_start: serde::de::IgnoredAny,
}

/// A `MultiDOFJointTrajectory`: floating joints.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct MultiDof {
    #[serde(default)]
    #[expect(dead_code, reason = "known, not used")]
    header: serde::de::IgnoredAny,
    #[serde(default)]
    joint_names: Vec<String>,
    #[serde(default)]
    points: Vec<MultiDofPoint>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MultiDofPoint {
    transforms: Vec<Transform>,
    #[serde(default)]
    velocities: Vec<serde::de::IgnoredAny>,
    #[serde(default)]
    accelerations: Vec<serde::de::IgnoredAny>,
    #[serde(default)]
    #[expect(dead_code, reason = "known, not used")]
    time_from_start: serde::de::IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Transform {
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

const REMEDY: &str = "write a JointTrajectory (joint_names, points with positions) or a RobotTrajectory";

pub(super) fn from_json(text: &str, source: &Source<'_>) -> Result<LoadedPath, FormatError> {
    let message = serde_json::from_str(text)
        .map_err(|error| source.error(&format!("line {}", error.line()), error.to_string(), REMEDY))?;
    resolve(message, source)
}

pub(super) fn from_yaml(text: &str, source: &Source<'_>) -> Result<LoadedPath, FormatError> {
    if text.len() > MAX_YAML {
        let problem = format!("YAML of more than {} MB is not read", MAX_YAML >> 20);
        return Err(source.error("", problem, "write the path as CSV or JSON"));
    }
    let failed = |error: YamlError| {
        let line = error.line.map_or(String::new(), |line| format!("line {line}"));
        source.error(&line, error.message, REMEDY)
    };
    let documents = yaml::documents(text).map_err(failed)?;
    let mut messages =
        documents.into_iter().map(Message::deserialize).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    match (messages.pop(), messages.is_empty()) {
        (Some(message), true) => resolve(message, source),
        (Some(_), false) => Err(source.error("", "the file holds several messages", "leave one")),
        (None, _) => Err(source.error("", "the file is empty", REMEDY)),
    }
}

fn resolve(message: Message, source: &Source<'_>) -> Result<LoadedPath, FormatError> {
    let is_robot_trajectory = message.joint_trajectory.is_some() || message.multi_dof_joint_trajectory.is_some();
    if is_robot_trajectory && !(message.joint_names.is_empty() && message.points.is_empty()) {
        return Err(source.error("", "it is a JointTrajectory and a RobotTrajectory at once", REMEDY));
    }
    let multi = message.multi_dof_joint_trajectory.unwrap_or_default();
    let (names, points) = match message.joint_trajectory {
        Some(inner) if inner.joint_trajectory.is_some() || inner.multi_dof_joint_trajectory.is_some() => {
            return Err(source.error("", "a RobotTrajectory inside a RobotTrajectory", REMEDY));
        }
        Some(inner) => (inner.joint_names, inner.points),
        None => (message.joint_names, message.points),
    };
    let count = points.len().max(multi.points.len());
    if count == 0 {
        return Err(source.error("points", "the trajectory has no points", "write one point at least"));
    }
    for (what, names, points) in
        [("joint", &names, points.len()), ("multi-DOF", &multi.joint_names, multi.points.len())]
    {
        if points != count && !(names.is_empty() && points == 0) {
            let problem = format!("the {what} trajectory has {points} points, the other one {count}");
            return Err(source.error("points", problem, "give both the same number"));
        }
    }
    let variables = columns(&names, source)?;
    let floating = floating_joints(&multi.joint_names, &variables, source)?;
    let mut waypoints = Vec::with_capacity(count);
    for index in 0..count {
        let place = format!("waypoint {index}");
        let mut values = Vec::new();
        if let Some(point) = points.get(index) {
            check_count(&place, "positions", point.positions.len(), "joint_names", names.len(), source)?;
            values.extend(variables.iter().copied().zip(point.positions.iter().copied()));
        }
        if let Some(point) = multi.points.get(index) {
            check_count(&place, "transforms", point.transforms.len(), "joint_names", floating.len(), source)?;
            for (first, transform) in floating.iter().zip(&point.transforms) {
                let Transform { translation: t, rotation: r } = transform;
                values.extend([t.x, t.y, t.z, r.x, r.y, r.z, r.w].into_iter().enumerate().map(|(i, v)| (first + i, v)));
            }
        }
        waypoints.push(source.within_limits(source.configuration(&values, &place)?, &place)?);
    }
    let warnings = curve_warning(&points, &multi.points, source);
    Ok(LoadedPath { waypoints, warnings })
}

fn check_count(
    place: &str,
    what: &str,
    count: usize,
    of: &str,
    needed: usize,
    source: &Source<'_>,
) -> Result<(), FormatError> {
    if count == needed {
        return Ok(());
    }
    let problem = format!("{count} {what} where {of} has {needed} names");
    Err(source.error(place, problem, "write one a joint"))
}

fn columns(names: &[String], source: &Source<'_>) -> Result<Vec<usize>, FormatError> {
    let mut variables: Vec<usize> = Vec::new();
    for name in names {
        let variable = source.column(name, "joint_names")?;
        if variables.contains(&variable) {
            let problem = format!("{:?} is there twice", excerpt(name));
            return Err(source.error("joint_names", problem, "leave one of them"));
        }
        variables.push(variable);
    }
    Ok(variables)
}

/// First variables of the floating joints that a multi-DOF trajectory names.
fn floating_joints(names: &[String], taken: &[usize], source: &Source<'_>) -> Result<Vec<usize>, FormatError> {
    let mut floating: Vec<usize> = Vec::new();
    for name in names {
        let place = "multi_dof_joint_trajectory, joint_names";
        let first = source.column(&format!("{name}.x"), place)?;
        let joint = &source.scene.model().joints()[source.scene.model().variables()[first].joint];
        if joint.kind != JointKind::Floating {
            let problem = format!("{:?} is not a floating joint", excerpt(name));
            return Err(source.error(place, problem, "write planar joints as CSV columns J.x, J.y, J.theta"));
        }
        if floating.contains(&first) || taken.iter().any(|variable| (first..first + 7).contains(variable)) {
            return Err(source.error(place, format!("{:?} is there twice", excerpt(name)), "leave one of them"));
        }
        floating.push(first);
    }
    Ok(floating)
}

/// Only straight lines are checked; a controller that is given more may run something else.
fn curve_warning(points: &[Point], multi: &[MultiDofPoint], source: &Source<'_>) -> Vec<String> {
    let has_velocities =
        points.iter().any(|p| !p.velocities.is_empty()) || multi.iter().any(|p| !p.velocities.is_empty());
    let has_accelerations =
        points.iter().any(|p| !p.accelerations.is_empty()) || multi.iter().any(|p| !p.accelerations.is_empty());
    let what = match (has_velocities, has_accelerations) {
        (true, true) => "velocities and accelerations",
        (true, false) => "velocities",
        (false, true) => "accelerations",
        (false, false) => return Vec::new(),
    };
    vec![format!(
        "{}: the trajectory carries {what}: a controller may run another curve than the straight lines between its \
         positions, which are what is checked",
        source.file.display()
    )]
}
