//! Writes trajectories as messages for controllers, in YAML and JSON, and as CSV. They read back bit for bit: numbers
//! have all their digits, times are whole nanoseconds.

use std::fmt::Write as _;
use std::path::Path;

use super::PathFormat;
use crate::{FormatError, excerpt};
use pathproof::robot::{JointKind, Knot};
use pathproof::scene::Scene;

/// Message type of a written trajectory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Message {
    /// `trajectory_msgs/JointTrajectory`.
    #[default]
    JointTrajectory,
    /// `moveit_msgs/RobotTrajectory`.
    RobotTrajectory,
    /// A `control_msgs/FollowJointTrajectory` goal.
    FollowJointTrajectory,
}

/// Names of joints in a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Names {
    /// As in the URDF, which is what controllers know.
    #[default]
    Urdf,
    /// With the robot's name and a slash in front, for scenes in which robots share names.
    Prefixed,
}

/// A trajectory as the text of a file; `file` selects the format and is named in messages.
///
/// Leaves out joints that keep the positions given in the scene. Every point needs velocities.
pub fn trajectory_text(
    file: &Path,
    scene: &Scene,
    knots: &[Knot],
    message: Message,
    names: Names,
) -> Result<String, FormatError> {
    let columns = columns(scene, knots);
    match PathFormat::of(file)? {
        PathFormat::Csv => csv(file, scene, knots, &columns),
        PathFormat::Json => {
            let trajectory = json_trajectory(file, scene, knots, &columns, names)?;
            Ok(match message {
                Message::JointTrajectory => format!("{trajectory}\n"),
                Message::RobotTrajectory => format!("{{\"joint_trajectory\": {trajectory}}}\n"),
                Message::FollowJointTrajectory => format!("{{\"trajectory\": {trajectory}}}\n"),
            })
        }
        PathFormat::Yaml => {
            let trajectory = yaml_trajectory(file, scene, knots, &columns, names)?;
            let nested = |key: &str| format!("{key}:\n  {}\n", trajectory.trim_end().replace('\n', "\n  "));
            Ok(match message {
                Message::JointTrajectory => trajectory,
                Message::RobotTrajectory => nested("joint_trajectory"),
                Message::FollowJointTrajectory => nested("trajectory"),
            })
        }
    }
}

/// Variables that a trajectory states.
fn columns(scene: &Scene, knots: &[Knot]) -> Vec<usize> {
    let rests = |k: usize, position: f64| knots.iter().all(|knot| knot.positions[k] == position);
    let is_stated = |k: &usize| scene.positions()[*k].is_none_or(|position| !rests(*k, position));
    (0..scene.positions().len()).filter(is_stated).collect()
}

fn json_trajectory(
    file: &Path,
    scene: &Scene,
    knots: &[Knot],
    columns: &[usize],
    names: Names,
) -> Result<String, FormatError> {
    let mut text = format!("{{\"joint_names\": {}, \"points\": [", list(&joint_names(file, scene, columns, names)?));
    for (i, knot) in knots.iter().enumerate() {
        let point = Point::new(file, knot, columns)?;
        let comma = if i == 0 { "" } else { "," };
        let _ = write!(
            text,
            "{comma}\n  {{\"positions\": {}, \"velocities\": {}, \"time_from_start\": {{\"sec\": {}, \"nanosec\": {}}}}}",
            list(&point.positions),
            list(&point.velocities),
            point.sec,
            point.nanosec
        );
    }
    text.push_str("\n]}");
    Ok(text)
}

fn yaml_trajectory(
    file: &Path,
    scene: &Scene,
    knots: &[Knot],
    columns: &[usize],
    names: Names,
) -> Result<String, FormatError> {
    let mut text = format!("joint_names: {}\npoints:\n", list(&joint_names(file, scene, columns, names)?));
    for knot in knots {
        let Point { positions, velocities, sec, nanosec } = Point::new(file, knot, columns)?;
        let (positions, velocities) = (list(&positions), list(&velocities));
        let _ = write!(
            text,
            "- positions: {positions}\n  velocities: {velocities}\n  time_from_start: {{sec: {sec}, nanosec: {nanosec}}}\n"
        );
    }
    Ok(text)
}

fn csv(file: &Path, scene: &Scene, knots: &[Knot], columns: &[usize]) -> Result<String, FormatError> {
    let name = |k: &usize| scene.model().variables()[*k].name.clone();
    let quoted = |name: String| {
        let is_plain = !name.contains([',', '"', '\n', '\r']);
        if is_plain { name } else { format!("\"{}\"", name.replace('"', "\"\"")) }
    };
    let positions = columns.iter().map(|k| quoted(name(k)));
    let velocities = columns.iter().map(|k| quoted(format!("{}_velocity", name(k))));
    let header: Vec<String> = std::iter::once("time".to_owned()).chain(positions).chain(velocities).collect();
    let mut text = header.join(",") + "\n";
    for knot in knots {
        let Point { positions, velocities, .. } = Point::new(file, knot, columns)?;
        let row: Vec<String> = std::iter::once(number(knot.time)).chain(positions).chain(velocities).collect();
        text.push_str(&row.join(","));
        text.push('\n');
    }
    Ok(text)
}

/// Point as written.
struct Point {
    positions: Vec<String>,
    velocities: Vec<String>,
    sec: u64,
    nanosec: u64,
}

impl Point {
    fn new(file: &Path, knot: &Knot, columns: &[usize]) -> Result<Self, FormatError> {
        let none = || {
            let problem = format!(
                "the point at {} s has no velocities, without which a controller runs another curve",
                knot.time
            );
            FormatError::new(file, problem).remedy("write the path as CSV")
        };
        let velocities = knot.velocities.as_ref().ok_or_else(none)?;
        let of = |list: &[f64]| columns.iter().map(|k| number(list[*k])).collect();
        let nanoseconds = (knot.time * 1e9).round() as u64;
        let (sec, nanosec) = (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000);
        // Bit for bit the sum that the reader computes.
        if (sec as f64 + nanosec as f64 * 1e-9).to_bits() != knot.time.to_bits() {
            let problem =
                format!("the time {} s is not a whole number of nanoseconds, which messages count in", knot.time);
            return Err(FormatError::new(file, problem).remedy("write the trajectory as CSV"));
        }
        Ok(Self { positions: of(&knot.positions), velocities: of(velocities), sec, nanosec })
    }
}

/// Names as JSON texts, which YAML reads as well.
fn joint_names(file: &Path, scene: &Scene, columns: &[usize], names: Names) -> Result<Vec<String>, FormatError> {
    let model = scene.model();
    let mut written: Vec<String> = Vec::new();
    for &k in columns {
        let variable = &model.variables()[k];
        let kind = &model.joints()[variable.joint].kind;
        if !matches!(kind, JointKind::Revolute { .. } | JointKind::Prismatic { .. }) {
            let problem = format!("the joint value {:?} has no place in a JointTrajectory", excerpt(&variable.name));
            return Err(FormatError::new(file, problem).remedy("write the trajectory as CSV"));
        }
        let name = match names {
            Names::Urdf => variable.name.split_once('/').map_or(variable.name.as_str(), |(_, name)| name),
            Names::Prefixed => &variable.name,
        };
        let name = serde_json::to_string(name).expect("text is JSON");
        if written.contains(&name) {
            let problem = format!("two robots have a joint called {name}");
            return Err(FormatError::new(file, problem).remedy("write their names before it with --prefix"));
        }
        written.push(name);
    }
    Ok(written)
}

fn list(words: &[String]) -> String {
    format!("[{}]", words.join(", "))
}

/// Formats all digits, without exponent and with a point: some YAML readers take `1e-7` for a text and `1` for an
/// integer.
fn number(value: f64) -> String {
    let text = value.to_string();
    if text.contains('.') { text } else { text + ".0" }
}
