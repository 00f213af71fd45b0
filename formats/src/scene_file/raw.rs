//! Tables of a scene file as written. Unknown keys are errors.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use crate::quantity::{Angle, Length, Quantity};
use crate::{FormatError, excerpt};
use pathproof::numeric::{DQuat, DVec3, Pose};

/// Largest deviation of a quaternion's length from 1: the loss in printing three digits. It is normalised.
const MOST_OFF_UNIT: f64 = 1e-3;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawScene {
    pub(super) clearance: Option<Length>,
    pub(super) self_clearance: Option<Length>,
    pub(super) tolerance: Option<Length>,
    #[serde(default)]
    pub(super) robots: Vec<Spanned<RawRobot>>,
    #[serde(default)]
    pub(super) obstacles: Vec<Spanned<RawObstacle>>,
    #[serde(default)]
    pub(super) pairs: Vec<Spanned<RawPair>>,
}

#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Which {
    #[default]
    Collision,
    Visual,
}

/// Motion of a robot's base.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum RawBase {
    Fixed,
    Planar,
    Floating,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRobot {
    pub(super) name: String,
    pub(super) urdf: PathBuf,
    pub(super) srdf: Option<PathBuf>,
    #[serde(default)]
    pub(super) packages: BTreeMap<String, PathBuf>,
    #[serde(default)]
    pub(super) geometry: Which,
    /// Default: the SRDF's virtual joint, else fixed.
    pub(super) base: Option<RawBase>,
    #[serde(default)]
    pub(super) xyz: [Length; 3],
    pub(super) rpy: Option<[Angle; 3]>,
    pub(super) quat: Option<[f64; 4]>,
    #[serde(default)]
    pub(super) positions: BTreeMap<String, Quantity>,
    #[serde(default)]
    pub(super) bounds: BTreeMap<String, [Quantity; 2]>,
    #[serde(default)]
    pub(super) solid: Marked,
    #[serde(default)]
    pub(super) surface: Marked,
}

impl RawRobot {
    /// Robot with only its description.
    pub(super) fn new(name: String, urdf: PathBuf) -> Self {
        Self {
            name,
            urdf,
            srdf: None,
            packages: BTreeMap::new(),
            geometry: Which::Collision,
            base: None,
            xyz: <[Length; 3]>::default(),
            rpy: None,
            quat: None,
            positions: BTreeMap::new(),
            bounds: BTreeMap::new(),
            solid: Marked::default(),
            surface: Marked::default(),
        }
    }
}

/// Some links of a robot: all, none, or the named ones.
#[derive(Deserialize)]
#[serde(untagged, expecting = "write true, false or a list of links")]
pub(super) enum Marked {
    All(bool),
    Links(Vec<String>),
}

impl Default for Marked {
    fn default() -> Self {
        Self::All(false)
    }
}

/// Factors along the axes of a mesh.
#[derive(Clone, Copy, Deserialize)]
#[serde(untagged, expecting = "write one number or three")]
pub(super) enum Scale {
    Uniform(f64),
    ByAxis([f64; 3]),
}

impl Scale {
    pub(super) fn factors(self) -> [f64; 3] {
        match self {
            Self::Uniform(factor) => [factor; 3],
            Self::ByAxis(factors) => factors,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawObstacle {
    pub(super) name: String,
    #[serde(rename = "box")]
    pub(super) cuboid: Option<[Length; 3]>,
    pub(super) sphere: Option<Length>,
    pub(super) cylinder: Option<[Length; 2]>,
    pub(super) capsule: Option<[Length; 2]>,
    pub(super) plane: Option<[f64; 3]>,
    pub(super) mesh: Option<String>,
    pub(super) urdf: Option<PathBuf>,
    /// For a URDF: the kind of geometry to use.
    pub(super) geometry: Option<Which>,
    #[serde(default)]
    pub(super) configuration: BTreeMap<String, Quantity>,
    pub(super) scale: Option<Scale>,
    pub(super) solid: Option<bool>,
    pub(super) surface: Option<bool>,
    #[serde(default)]
    pub(super) xyz: [Length; 3],
    pub(super) rpy: Option<[Angle; 3]>,
    pub(super) quat: Option<[f64; 4]>,
    pub(super) attach: Option<String>,
    pub(super) touch: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawPair {
    pub(super) bodies: [String; 2],
    pub(super) clearance: Option<Length>,
    pub(super) check: Option<bool>,
}

pub(super) fn parse(text: &str, path: &Path) -> Result<RawScene, FormatError> {
    toml::from_str(text).map_err(|error| {
        if let Some(key) = single_brackets(text) {
            let line = text.lines().position(|line| line.trim_start().starts_with(&format!("[{key}")));
            let problem = FormatError::new(path, format!("`{key}` is one table, and there may be several"));
            let problem = problem.remedy(format!("write [[{key}]], with two brackets, before each"));
            return line.map_or(problem.clone(), |line| problem.at_line(line + 1));
        }
        let problem = FormatError::new(path, error.message()).remedy("see the scene file in the manual");
        match error.span() {
            Some(span) => {
                let line = Lines::new(path, text).line(span.start);
                problem.at(format!("line {line}, {:?}", excerpt(text.lines().nth(line - 1).unwrap_or_default().trim())))
            }
            None => problem,
        }
    })
}

/// List that is written as one table, `[obstacles]` in place of `[[obstacles]]`.
fn single_brackets(text: &str) -> Option<&'static str> {
    let tables: toml::Table = toml::from_str(text).ok()?;
    ["robots", "obstacles", "pairs"].into_iter().find(|key| tables.get(*key).is_some_and(toml::Value::is_table))
}

/// The file and its lines, for messages.
pub(super) struct Lines {
    pub(super) path: PathBuf,
    starts: Vec<usize>,
}

impl Lines {
    pub(super) fn new(path: &Path, text: &str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect();
        Self { path: path.to_path_buf(), starts }
    }

    /// For a file without tables: every place in it is the file as a whole.
    pub(super) fn without_tables(path: &Path) -> Self {
        Self { path: path.to_path_buf(), starts: Vec::new() }
    }

    /// The line of a byte, from 1.
    fn line(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start <= byte)
    }

    /// `line 12, [[robots]] "arm"`: where a table starts.
    pub(super) fn place<T>(&self, table: &str, name: &str, item: &Spanned<T>) -> Place<'_> {
        let text = match self.starts.is_empty() {
            true => String::new(),
            false => format!("line {}, [[{table}]] {:?}", self.line(item.span().start), excerpt(name)),
        };
        Place { lines: self, text }
    }

    /// Path that the scene names.
    pub(super) fn sibling(&self, name: &Path) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(name)
    }
}

/// True if a robot or an obstacle can have this name.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '*']) && !name.contains(char::is_control)
}

/// A table of the file.
pub(super) struct Place<'a> {
    pub(super) lines: &'a Lines,
    pub(super) text: String,
}

impl Place<'_> {
    /// An error in this table.
    pub(super) fn error(&self, key: &str, problem: impl Into<String>, remedy: impl Into<String>) -> FormatError {
        let place = if key.is_empty() || self.text.is_empty() {
            self.text.clone()
        } else {
            format!("{}, key {key}", self.text)
        };
        FormatError::new(&self.lines.path, problem).at(place).remedy(remedy)
    }

    /// A warning about this table.
    pub(super) fn warning(&self, message: &str) -> String {
        let place = if self.text.is_empty() { String::new() } else { format!("{}: ", self.text) };
        format!("{}: {place}{message}", self.lines.path.display())
    }

    /// Checks the name of a robot or obstacle: `/` separates robot and link, and `*` stands for any letters in names of
    /// pairs.
    pub(super) fn check_name(&self, name: &str) -> Result<(), FormatError> {
        if !is_name(name) {
            let remedy = "write a name that is not empty and has neither \"/\", which separates robot and link, nor \"*\", \
                          which stands for any letters in [[pairs]]";
            return Err(self.error("name", format!("{:?} cannot be a name", excerpt(name)), remedy));
        }
        Ok(())
    }

    /// Requires finite values: TOML allows nan and inf.
    pub(super) fn check_finite(&self, key: &str, values: &[f64]) -> Result<(), FormatError> {
        match values.iter().find(|value| !value.is_finite()) {
            Some(value) => Err(self.error(key, format!("{value} is not a finite number"), "write a finite number")),
            None => Ok(()),
        }
    }

    /// Pose from `xyz`, and from `rpy` in URDF's conventions or the quaternion `quat` (x, y, z, w).
    pub(super) fn pose(
        &self,
        xyz: [Length; 3],
        rpy: Option<[Angle; 3]>,
        quat: Option<[f64; 4]>,
    ) -> Result<Pose, FormatError> {
        let xyz = xyz.map(|length| length.metres);
        self.check_finite("xyz", &xyz)?;
        let Some(quat) = quat else {
            let rpy = rpy.unwrap_or_default().map(|Angle(radians)| radians);
            self.check_finite("rpy", &rpy)?;
            return Ok(Pose::from_xyz_rpy(xyz, rpy));
        };
        if rpy.is_some() {
            return Err(self.error("quat", "the rotation is given twice", "write rpy or quat, not both"));
        }
        let norm = DQuat::from_array(quat).length();
        // Written so that NaN is refused.
        let is_unit = (norm - 1.0).abs() <= MOST_OFF_UNIT;
        if !is_unit {
            let problem = format!("the quaternion {quat:?} has the length {norm}");
            return Err(self.error(
                "quat",
                problem,
                "write a unit quaternion [x, y, z, w]; [0, 0, 0, 1] turns nothing",
            ));
        }
        Ok(Pose::from_quaternion(DQuat::from_array(quat).normalize(), DVec3::from_array(xyz)))
    }
}
