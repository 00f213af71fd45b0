//! Path files: waypoints of a scene, as CSV or as ROS and MoveIt messages in JSON or YAML. A file may hold several
//! paths.
//!
//! All readers share the last step: named columns become full configurations, with the scene's positions for missing
//! ones, and each waypoint is checked against the joint limits. Errors name the line or point. [`PathPoints::executed`]
//! adds the motion between waypoints; until then a path is its waypoints.

mod columns;
mod controllers;
mod execution;
mod lists;
mod messages;
mod multi_dof;
mod points;
mod rates;
mod splines;
mod start_state;
mod table;
mod trajectory;
mod trajectory_writer;
mod upsampled;

use std::io::Read;
use std::path::Path;

pub use execution::{CurrentState, Executed, Execution};
pub use points::{Derivatives, PathPoints};
pub use trajectory_writer::{Message, Names, trajectory_text};

use super::input_file::{self, Limit};
use super::quantity::{Quantity, QuantityError};
use super::scene_file::near;
use super::{FormatError, excerpt};
use pathproof::robot::{JointKind, Variable};
use pathproof::scene::{ColumnError, ConfigurationError, Scene};

/// Largest CSV or JSON path.
const LIMIT: Limit = Limit::new(1 << 30, "split it into several");

/// Settings of the reader.
#[derive(Clone, Copy, Debug, Default)]
pub struct PathSettings {
    /// True to accept values outside joint limits. Default: false, they are errors.
    pub ignore_limits: bool,
}

/// Format of a path file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathFormat {
    /// Header of joint names, then a waypoint per line.
    Csv,
    /// Messages of ROS and MoveIt.
    Json,
    /// Same messages in YAML.
    Yaml,
}

impl PathFormat {
    /// Format by the file's extension.
    pub fn of(path: &Path) -> Result<Self, FormatError> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("csv") => Ok(Self::Csv),
            Some("json") => Ok(Self::Json),
            Some("yaml" | "yml") => Ok(Self::Yaml),
            Some("toml" | "urdf" | "xacro") => {
                Err(FormatError::new(path, "this is a scene, not a path").remedy("the order is SCENE PATH"))
            }
            _ => Err(FormatError::new(path, "the name does not say what format the path has")
                .remedy("use a name that ends in .csv, .json or .yaml")),
        }
    }

    /// Format by the start of the text; for standard input, which has no name.
    pub fn of_text(text: &str) -> Self {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        match lines.next() {
            Some(line) if line.starts_with(['{', '[']) => Self::Json,
            Some(line) if line.starts_with("---") || line.ends_with(':') || line.contains(": ") => Self::Yaml,
            _ => Self::Csv,
        }
    }
}

/// Reads a path file that holds one path, and executes it as `how` says.
pub fn read(path: &Path, scene: &Scene, how: &Execution) -> Result<Executed, FormatError> {
    read_points(path, scene, PathSettings { ignore_limits: how.ignore_limits })?.executed(scene, how, path)
}

/// Reads the points of a path file that holds one path, without the motion between them.
pub fn read_points(path: &Path, scene: &Scene, settings: PathSettings) -> Result<PathPoints, FormatError> {
    only(read_all_points(path, scene, settings)?, path)
}

/// Reads the points of all paths of a file.
pub fn read_all_points(path: &Path, scene: &Scene, settings: PathSettings) -> Result<Vec<PathPoints>, FormatError> {
    let format = PathFormat::of(path)?;
    parse_all_points(&input_file::text(path, LIMIT)?, path, format, scene, settings)
}

/// Reads the points of all paths of a stream (standard input); `name` appears in messages.
pub fn read_all_points_from(
    stream: &mut dyn Read,
    name: &Path,
    scene: &Scene,
    settings: PathSettings,
) -> Result<Vec<PathPoints>, FormatError> {
    let text = input_file::text_of(stream, name, LIMIT)?;
    parse_all_points(&text, name, PathFormat::of_text(&text), scene, settings)
}

/// Reads the points of a text that holds one path; `file` is only named in messages.
pub fn parse_points(
    text: &str,
    file: &Path,
    format: PathFormat,
    scene: &Scene,
    settings: PathSettings,
) -> Result<PathPoints, FormatError> {
    only(parse_all_points(text, file, format, scene, settings)?, file)
}

/// Reads the points of all paths of a text; `file` is only named in messages.
pub fn parse_all_points(
    text: &str,
    file: &Path,
    format: PathFormat,
    scene: &Scene,
    settings: PathSettings,
) -> Result<Vec<PathPoints>, FormatError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let source = Source { file, scene, settings };
    let paths = match format {
        PathFormat::Csv => vec![table::path(text, &source)?],
        PathFormat::Json => trajectory::from_json(text, &source)?,
        PathFormat::Yaml => trajectory::from_yaml(text, &source)?,
    };
    for (number, path) in paths.iter().enumerate() {
        for (index, pair) in path.waypoints.windows(2).enumerate() {
            let of = if paths.len() > 1 { format!("path {number}, ") } else { String::new() };
            source.check_arc(&pair[0], &pair[1], &format!("{of}waypoints {index} and {}", index + 1))?;
        }
    }
    Ok(paths)
}

/// Only path of a file.
pub fn only(paths: Vec<PathPoints>, file: &Path) -> Result<PathPoints, FormatError> {
    let count = paths.len();
    paths.into_iter().next().filter(|_| count == 1).ok_or_else(|| {
        FormatError::new(file, format!("it holds {count} paths where one is needed")).remedy("leave one in the file")
    })
}

/// Reads the text of a segments file, a row each: columns `a_<column>` hold the start and `b_<column>` the goal, or `a`
/// and `b` hold them as lists. `file` is only named in messages.
pub fn parse_segments(
    text: &str,
    file: &Path,
    scene: &Scene,
    settings: PathSettings,
) -> Result<Vec<[Vec<f64>; 2]>, FormatError> {
    SegmentReader::new(text.as_bytes(), file, scene, settings)?.collect()
}

/// Segments from a stream, parsed row by row in constant memory: columns `a_<column>` hold the start and `b_<column>`
/// the goal, or the columns `a` and `b` hold them as lists. Ends after the first error, which names the line.
#[derive(Debug)]
pub struct SegmentReader<'a, R> {
    segments: table::Segments<R>,
    source: Source<'a>,
    is_over: bool,
}

impl<'a> SegmentReader<'a, std::fs::File> {
    /// Opens a segments file and parses its header.
    pub fn open(file: &'a Path, scene: &'a Scene, settings: PathSettings) -> Result<Self, FormatError> {
        Self::new(input_file::open(file)?, file, scene, settings)
    }
}

impl<'a, R: Read> SegmentReader<'a, R> {
    /// Parses the header; `file` is only named in messages.
    pub fn new(stream: R, file: &'a Path, scene: &'a Scene, settings: PathSettings) -> Result<Self, FormatError> {
        let source = Source { file, scene, settings };
        Ok(Self { segments: table::Segments::new(stream, &source)?, source, is_over: false })
    }
}

impl<R: Read> Iterator for SegmentReader<'_, R> {
    type Item = Result<[Vec<f64>; 2], FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let next = self.segments.advance(&self.source).transpose();
        self.is_over = !matches!(next, Some(Ok(_)));
        next
    }
}

/// One configuration as typed on a command line: values, with or without units, separated by commas (of all variables
/// in the scene's order, or of those without positions), the name of a group state, or a path file with one waypoint.
pub fn parse_configuration(text: &str, scene: &Scene, settings: PathSettings) -> Result<Vec<f64>, FormatError> {
    let file = Path::new(text);
    if PathFormat::of(file).is_ok() {
        let path = read_points(file, scene, settings)?;
        let count = path.waypoints.len();
        return path.waypoints.into_iter().next().filter(|_| count == 1).ok_or_else(|| {
            FormatError::new(file, format!("it has {count} waypoints where one configuration is needed"))
                .remedy("leave one waypoint")
        });
    }
    let source = Source { file: Path::new("configuration"), scene, settings };
    let shown = format!("{:?}", excerpt(text));
    if let Some(state) = scene.state(text) {
        let q = state.map_err(|error| source.configuration_error(error, &shown))?;
        return source.within_limits(q, &shown);
    }
    let values: Result<Vec<Quantity>, QuantityError> = text.split(',').map(str::parse).collect();
    if let Err(error @ QuantityError::UnknownUnit(..)) = &values {
        return Err(FormatError::new(source.file, error.to_string()).at(shown));
    }
    let Ok(values) = values else {
        let states: Vec<&str> = scene.states().iter().map(|state| state.name.as_str()).collect();
        let known = if states.is_empty() {
            "the scene has none".to_owned()
        } else {
            format!("there are {}", states.join(", "))
        };
        return Err(FormatError::new(source.file, format!("{shown} is neither numbers nor a group state ({known})"))
            .remedy("write numbers separated by commas, the name of a group state, or a .csv file"));
    };
    let named = source.in_order(values, &shown)?;
    let q = source.configuration(&source.measured(named, &shown)?, &shown)?;
    source.within_limits(q, &shown)
}

/// Waypoints as the text of a CSV file that reads back bit by bit.
pub fn to_csv(scene: &Scene, waypoints: &[Vec<f64>]) -> String {
    let quoted = |name: &str| {
        let is_plain = !name.contains([',', '"', '\n', '\r']);
        if is_plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
    };
    let names: Vec<String> = scene.model().variables().iter().map(|variable| quoted(&variable.name)).collect();
    let mut text = names.join(",") + "\n";
    for q in waypoints {
        let values: Vec<String> = q.iter().map(f64::to_string).collect();
        text.push_str(&values.join(","));
        text.push('\n');
    }
    text
}

/// Source of values, and the limits that apply to them.
#[derive(Debug)]
struct Source<'a> {
    file: &'a Path,
    scene: &'a Scene,
    settings: PathSettings,
}

impl Source<'_> {
    fn error(&self, place: &str, problem: impl Into<String>, remedy: impl Into<String>) -> FormatError {
        FormatError::new(self.file, problem).at(place).remedy(remedy)
    }

    /// Values of all variables in the scene's order, or of those without positions.
    fn in_order(&self, values: Vec<Quantity>, place: &str) -> Result<Vec<(usize, Quantity)>, FormatError> {
        let positions = self.scene.positions();
        let open: Vec<usize> = (0..positions.len()).filter(|&variable| positions[variable].is_none()).collect();
        if values.len() == positions.len() {
            return Ok(values.into_iter().enumerate().collect());
        }
        if values.len() == open.len() {
            return Ok(open.into_iter().zip(values).collect());
        }
        let problem = format!("{} values where {} are needed", values.len(), positions.len());
        Err(self.error(place, problem, format!("give a value for each of {}", self.scene.variable_names())))
    }

    /// Values converted to the units of their variables.
    fn measured(&self, named: Vec<(usize, Quantity)>, place: &str) -> Result<Vec<(usize, f64)>, FormatError> {
        let variables = self.scene.model().variables();
        let measured = named.into_iter().map(|(variable, typed)| {
            let Variable { name, kind, .. } = &variables[variable];
            let value = typed.of(*kind).map_err(|error| {
                let remedy = "angles of revolute joints take deg or rad, travels of prismatic ones m, cm or mm";
                self.error(place, format!("{:?}: {error}", excerpt(name)), remedy)
            })?;
            Ok((variable, value))
        });
        measured.collect()
    }

    /// The variable a column means; `column` is the name without `a_` or `b_`.
    fn column(&self, column: &str, place: &str) -> Result<usize, FormatError> {
        self.scene.column(column).map_err(|error| self.column_error(&error, place))
    }

    /// Error for a column, with a suggestion.
    fn column_error(&self, error: &ColumnError, place: &str) -> FormatError {
        match error {
            ColumnError::Unknown { column, .. } => {
                let variables = self.scene.model().variables().iter().map(|variable| variable.name.as_str());
                let short = |name: &'_ str| name.split_once('/').map_or(0, |(robot, _)| robot.len() + 1);
                let has_robot = column.contains('/');
                let known: Vec<&str> =
                    variables.map(|name| if has_robot { name } else { &name[short(name)..] }).collect();
                self.error(place, error.to_string(), near(column, &known).unwrap_or_default())
            }
            ColumnError::Ambiguous { column, first, second } => {
                let problem = format!("{:?} could be {first:?} or {second:?}", excerpt(column));
                self.error(place, problem, format!("write the robot's name before it, as in `{first}`"))
            }
            // The remedy is part of the message.
            _ => self.error(place, error.to_string(), ""),
        }
    }

    fn configuration(&self, values: &[(usize, f64)], place: &str) -> Result<Vec<f64>, FormatError> {
        self.scene.configuration(values).map_err(|error| self.configuration_error(error, place))
    }

    fn configuration_error(&self, error: ConfigurationError, place: &str) -> FormatError {
        self.error(place, error.to_string(), "")
    }

    fn within_limits(&self, q: Vec<f64>, place: &str) -> Result<Vec<f64>, FormatError> {
        match self.scene.limit_violation(&q).filter(|_| !self.settings.ignore_limits) {
            Some(violation) => {
                let remedy = match self.seems_degrees(&q) {
                    true => "are these degrees? Angles are in radians",
                    false => "correct the value, or pass --ignore-limits",
                };
                Err(self.error(place, format!("the joint {violation}"), remedy))
            }
            None => Ok(q),
        }
    }

    /// True if an angle with limits is two turns or more from 0, where no joint gets by mistake.
    fn seems_degrees(&self, q: &[f64]) -> bool {
        let model = self.scene.model();
        let mut angles = model.variables().iter().zip(q).filter(|(variable, _)| {
            variable.limits.is_some() && matches!(model.joints()[variable.joint].kind, JointKind::Revolute { .. })
        });
        angles.any(|(_, value)| value.abs() >= 2.0 * std::f64::consts::TAU)
    }

    fn check_arc(&self, from: &[f64], to: &[f64], place: &str) -> Result<(), FormatError> {
        match self.scene.half_turn(from, to) {
            Some(joint) => {
                let problem = format!("the floating joint {joint:?} turns by 180°, which has no shortest arc");
                Err(self.error(place, problem, "add a waypoint in between"))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
