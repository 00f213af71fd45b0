//! Paths from ROS and MoveIt messages: each trajectory of a file is one, and consecutive joint states are one.
//!
//! Positions are waypoints; times, velocities and accelerations are kept for the motion between them.

use serde::Deserialize;

use super::columns::{Columns, check_times};
use super::messages::{Message, MultiDof, Point, RobotState, Several, Time};
use super::start_state::start_values;
use super::{Derivatives, PathPoints, Source, multi_dof, splines};
use crate::FormatError;
use crate::yaml::{self, YamlError};

/// Largest YAML text in bytes: its tree takes many times that in memory.
const MAX_YAML: usize = 16 << 20;

const REMEDY: &str = "write a JointTrajectory (joint_names, points with positions), a RobotTrajectory, a DisplayTrajectory, \
                      a FollowJointTrajectory goal, JointStates (name, position) or polynomials (joint_names, basis, knots)";

pub(super) fn from_json(text: &str, source: &Source<'_>) -> Result<Vec<PathPoints>, FormatError> {
    let mut messages = Vec::new();
    // Programs log them one after the other, without commas.
    for message in serde_json::Deserializer::from_str(text).into_iter::<Several>() {
        let failed =
            |error: serde_json::Error| source.error(&format!("line {}", error.line()), error.to_string(), REMEDY);
        messages.extend(message.map_err(failed)?.0);
    }
    resolve(messages, source)
}

pub(super) fn from_yaml(text: &str, source: &Source<'_>) -> Result<Vec<PathPoints>, FormatError> {
    if text.len() > MAX_YAML {
        let problem = format!("YAML of more than {} MB is not read", MAX_YAML >> 20);
        return Err(source.error("", problem, "write the path as CSV or JSON"));
    }
    let failed = |error: YamlError| {
        let line = error.line.map_or(String::new(), |line| format!("line {line}"));
        source.error(&line, error.message, REMEDY)
    };
    let mut messages = Vec::new();
    for document in yaml::documents(text).map_err(failed)? {
        messages.extend(Several::deserialize(document).map_err(failed)?.0);
    }
    resolve(messages, source)
}

/// Contents of a file found so far.
#[derive(Default)]
struct Found {
    paths: Vec<PathPoints>,
    /// True if the last path consists of joint states, so another can be added.
    is_recording: bool,
    /// Stamp of the first of these.
    first_stamp: Time,
}

fn resolve(messages: Vec<Message>, source: &Source<'_>) -> Result<Vec<PathPoints>, FormatError> {
    let mut found = Found::default();
    let count = messages.len();
    for (index, message) in messages.into_iter().enumerate() {
        let place = if count > 1 { format!("message {index}") } else { String::new() };
        add(message, None, &place, source, &mut found)?;
    }
    if found.paths.is_empty() {
        return Err(source.error("", "the file is empty", REMEDY));
    }
    for path in &found.paths {
        check_times(path.times.as_deref().unwrap_or_default(), source)?;
    }
    Ok(found.paths)
}

/// Adds the paths of any message; `start` has the positions of joints that it leaves out.
fn add(
    message: Message,
    start: Option<&[(usize, f64)]>,
    place: &str,
    source: &Source<'_>,
    found: &mut Found,
) -> Result<(), FormatError> {
    let kinds = [
        message.goal.is_some(),
        message.trajectory.is_some(),
        message.joint_trajectory.is_some() || message.multi_dof_joint_trajectory.is_some(),
        message.joint_names.is_some() && !message.is_spline() || message.points.is_some(),
        message.is_spline(),
        message.name.is_some() || message.position.is_some(),
    ];
    if kinds.iter().filter(|kind| **kind).count() != 1 {
        let problem = if kinds.contains(&true) { "it is several messages at once" } else { "there is no path in it" };
        return Err(source.error(place, problem, REMEDY));
    }
    if message.name.is_none() && message.position.is_none() {
        found.is_recording = false;
    }
    let start = start.unwrap_or_default();
    match message {
        Message { goal: Some(goal), .. } => {
            let before = found.paths.len();
            add(*goal, Some(start), place, source, found)?;
            found.paths[before..].iter_mut().for_each(|path| path.is_action_goal = true);
            Ok(())
        }
        Message { trajectory: Some(Several(inner)), trajectory_start, multi_dof_trajectory, .. } => {
            add_all(inner, trajectory_start, multi_dof_trajectory, place, source, found)
        }
        Message { name: Some(names), position: Some(positions), velocity, header, .. } => {
            let stamp = header.and_then(|header| header.stamp);
            add_state(&names, &positions, &velocity.unwrap_or_default(), stamp, place, source, found)
        }
        Message { name, position, .. } if name.is_some() || position.is_some() => {
            Err(source.error(place, "a JointState needs `name` and `position`", REMEDY))
        }
        Message { joint_trajectory, multi_dof_joint_trajectory: multi, .. }
            if joint_trajectory.is_some() || multi.is_some() =>
        {
            let inner = joint_trajectory.map(|inner| *inner).unwrap_or_default();
            if inner.joint_trajectory.is_some() || inner.trajectory.is_some() || inner.goal.is_some() {
                return Err(source.error(place, "a RobotTrajectory inside a RobotTrajectory", REMEDY));
            }
            let joints = (inner.joint_names.unwrap_or_default(), inner.points.unwrap_or_default());
            found.paths.push(trajectory(joints, multi.unwrap_or_default(), start, place, source)?);
            Ok(())
        }
        message if message.is_spline() => {
            found.paths.push(splines::path(message, start, place, source)?);
            Ok(())
        }
        Message { joint_names, points, .. } => {
            let joints = (joint_names.unwrap_or_default(), points.unwrap_or_default());
            found.paths.push(trajectory(joints, MultiDof::default(), start, place, source)?);
            Ok(())
        }
    }
}

/// The trajectories of a `DisplayTrajectory`, or the one of a goal.
fn add_all(
    inner: Vec<Message>,
    trajectory_start: Option<RobotState>,
    multi_dof: Option<MultiDof>,
    place: &str,
    source: &Source<'_>,
    found: &mut Found,
) -> Result<(), FormatError> {
    let count = inner.len();
    if count == 0 {
        return Err(source.error(place, "the list `trajectory` is empty", "write one trajectory at least"));
    }
    let mut warnings = Vec::new();
    let start = match trajectory_start {
        Some(state) => start_values(&state, place, source, &mut warnings)?,
        None => Vec::new(),
    };
    let mut multi_dof = multi_dof.filter(|multi| !multi.joint_names.is_empty() || !multi.points.is_empty());
    for (index, mut message) in inner.into_iter().enumerate() {
        let place = match (place, count) {
            (_, 1) => place.to_owned(),
            ("", _) => format!("trajectory {index}"),
            _ => format!("{place}, trajectory {index}"),
        };
        // A goal has its floating joints next to the trajectory.
        if let Some(multi) = multi_dof.take() {
            message = Message::of_robot(message, multi);
        }
        add(message, Some(&start), &place, source, found)?;
    }
    if let Some(path) = found.paths.last_mut() {
        path.warnings.extend(warnings);
    }
    Ok(())
}

/// Adds a joint state as a waypoint; consecutive ones are one path.
fn add_state(
    names: &[String],
    positions: &[f64],
    velocities: &[f64],
    stamp: Option<Time>,
    place: &str,
    source: &Source<'_>,
    found: &mut Found,
) -> Result<(), FormatError> {
    let columns = Columns::new(names.iter().map(String::as_str).enumerate(), place, source)?;
    check_count(place, "positions", positions.len(), "name", names.len(), source)?;
    let q = columns.configuration(positions, &[], place, source)?;
    let time = stamp.filter(|stamp| stamp.seconds() != 0.0);
    match found.paths.last_mut().filter(|_| found.is_recording) {
        Some(path) => {
            path.waypoints.push(q);
            path.derivatives = None;
            // Times count from the first state. If one state has none, the path has none.
            path.times = match (path.times.take(), time) {
                (Some(mut times), Some(time)) => {
                    times.push(time.since(found.first_stamp));
                    Some(times)
                }
                _ => None,
            };
        }
        None => {
            let times = time.map(|_| vec![0.0]);
            // Kept for a single state, from which a trajectory may start; recorded motions are not commands.
            let velocities = (velocities.len() == names.len() && velocities.iter().all(|v| v.is_finite()))
                .then(|| vec![Some(columns.spread(velocities, source))]);
            let derivatives = velocities.map(|velocities| Derivatives { velocities, accelerations: vec![None] });
            found.first_stamp = time.unwrap_or_default();
            found.paths.push(PathPoints { waypoints: vec![q], times, derivatives, ..PathPoints::default() });
            found.is_recording = true;
        }
    }
    Ok(())
}

/// One path from both kinds of trajectories of a robot.
fn trajectory(
    (names, points): (Vec<String>, Vec<Point>),
    multi: MultiDof,
    start: &[(usize, f64)],
    place: &str,
    source: &Source<'_>,
) -> Result<PathPoints, FormatError> {
    let at = |more: &str| if place.is_empty() { more.to_owned() } else { format!("{place}, {more}") };
    let count = points.len().max(multi.points.len());
    if count == 0 {
        return Err(source.error(&at("points"), "the trajectory has no points", "write one point at least"));
    }
    for (what, names, points) in
        [("joint", &names, points.len()), ("multi-DOF", &multi.joint_names, multi.points.len())]
    {
        if points != count && !(names.is_empty() && points == 0) {
            let problem = format!("the {what} trajectory has {points} points, the other one {count}");
            return Err(source.error(&at("points"), problem, "give both the same number"));
        }
    }
    let columns = Columns::new(names.iter().map(String::as_str).enumerate(), &at("joint_names"), source)?;
    let taken: Vec<usize> = columns.variables().collect();
    let bases = multi_dof::joints(&multi.joint_names, &taken, &at("multi_dof_joint_trajectory, joint_names"), source)?;
    let (mut waypoints, mut times) = (Vec::<Vec<f64>>::with_capacity(count), Vec::with_capacity(count));
    for index in 0..count {
        let place = at(&format!("waypoint {index}"));
        let mut more = start.to_vec();
        let point = points.get(index);
        if let Some(point) = point {
            check_count(&place, "positions", point.positions.len(), "joint_names", names.len(), source)?;
        }
        let multi_point = multi.points.get(index);
        if let Some(point) = multi_point {
            check_count(&place, "transforms", point.transforms.len(), "joint_names", bases.len(), source)?;
            for (joint, transform) in bases.iter().zip(&point.transforms) {
                more.extend(joint.values(transform, waypoints.last(), &place, source)?);
            }
        }
        let positions = point.map_or(&[][..], |point| &point.positions);
        waypoints.push(columns.configuration(positions, &more, &place, source)?);
        let own = point.and_then(|point| point.time_from_start);
        times.push(own.or(multi_point.and_then(|point| point.time_from_start)).map(Time::seconds));
    }
    let times = settled_times(times, &at("points"), source)?;
    let derivatives = derivatives(&points, &names, &columns, &at, source)?;
    let has_moving_base = multi_dof::is_moving(&bases, &waypoints);
    Ok(PathPoints {
        waypoints,
        has_moving_base,
        times,
        derivatives,
        warnings: floating_warning(&multi, source),
        ..PathPoints::default()
    })
}

/// Warning that multi-DOF joints move straight, whatever velocities are given.
fn floating_warning(multi: &MultiDof, source: &Source<'_>) -> Vec<String> {
    let is_any = multi.points.iter().any(|point| !point.velocities.is_empty() || !point.accelerations.is_empty());
    let text = || {
        format!(
            "{}: the trajectory of multi-DOF joints carries velocities or accelerations: a controller may run another curve \
             than the straight lines between its positions, which are what is checked",
            source.file.display()
        )
    };
    is_any.then(text).into_iter().collect()
}

/// Velocities and accelerations of all points; `None` if no point has any.
fn derivatives(
    points: &[Point],
    names: &[String],
    columns: &Columns,
    at: &dyn Fn(&str) -> String,
    source: &Source<'_>,
) -> Result<Option<Derivatives>, FormatError> {
    let list = |index: usize, what: &str, values: &[f64]| -> Result<Option<Vec<f64>>, FormatError> {
        if values.is_empty() {
            return Ok(None);
        }
        let place = at(&format!("waypoint {index}"));
        check_count(&place, what, values.len(), "joint_names", names.len(), source)?;
        if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            return Err(source.error(&place, format!("{value} in {what} is not a finite number"), "write a number"));
        }
        Ok(Some(columns.spread(values, source)))
    };
    let mut all = Derivatives::default();
    for (index, point) in points.iter().enumerate() {
        all.velocities.push(list(index, "velocities", &point.velocities)?);
        all.accelerations.push(list(index, "accelerations", &point.accelerations)?);
    }
    let is_any = all.velocities.iter().chain(&all.accelerations).any(Option::is_some);
    Ok(is_any.then_some(all))
}

/// Times, if all points have them; in messages, all zero means none.
fn settled_times(times: Vec<Option<f64>>, place: &str, source: &Source<'_>) -> Result<Option<Vec<f64>>, FormatError> {
    let count = times.len();
    let given: Vec<f64> = times.into_iter().flatten().collect();
    if given.is_empty() || given.iter().all(|time| *time == 0.0) && count > 1 {
        return Ok(None);
    }
    if given.len() != count {
        let problem = format!("{} of {count} points have a time", given.len());
        return Err(source.error(place, problem, "write time_from_start for all points or for none"));
    }
    if let Some(time) = given.iter().find(|time| !time.is_finite()) {
        return Err(source.error(place, format!("the time {time} s is not a finite number"), "write seconds"));
    }
    Ok(Some(given))
}

pub(super) fn check_count(
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
    Err(source.error(place, problem, "write one per joint"))
}
