//! Full configurations from named values: columns, positions that may be left out, limits, group states.

use thiserror::Error;

use super::Scene;
use crate::numeric::DQuat;
use crate::robot::{Joint, JointKind};

/// A named configuration of some joints, from an SRDF.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupState {
    /// Its name; groups and robots may share it.
    pub name: String,
    /// The group it belongs to.
    pub group: String,
    /// The robot it belongs to.
    pub robot: String,
    /// Variables (by index) and their values.
    pub values: Vec<(usize, f64)>,
}

/// Reason why a column is not one variable.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ColumnError {
    /// No joint has that name.
    #[error("no joint is called {column:?}; there are {known}")]
    Unknown {
        /// The name given.
        column: String,
        /// The names that exist.
        known: String,
    },
    /// Several robots have such a joint.
    #[error("{column:?} could be {first:?} or {second:?}; write the robot's name before it")]
    Ambiguous {
        /// The name given.
        column: String,
        /// One candidate.
        first: String,
        /// Another candidate.
        second: String,
    },
    /// A mimic joint has no value of its own.
    #[error("{column:?} is a mimic joint, which follows {followed:?}; leave it out")]
    Mimic {
        /// The name given.
        column: String,
        /// The joint it follows.
        followed: String,
        /// Index of the mimic joint.
        joint: usize,
    },
    /// A fixed joint has no value.
    #[error("{column:?} is a fixed joint, which has no value; leave it out")]
    Fixed {
        /// The name given.
        column: String,
    },
    /// A joint of several variables.
    #[error("{column:?} has several values; write {columns}")]
    Several {
        /// The name given.
        column: String,
        /// The columns to write.
        columns: String,
    },
}

/// Reason why values do not make a configuration.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ConfigurationError {
    /// Variables without a value.
    #[error("there is no value for {missing}; give one, or put it into `positions` of the scene")]
    Missing {
        /// Their names.
        missing: String,
    },
    /// A value that is NaN or infinite.
    #[error("the value {value} of {variable:?} is not a finite number")]
    NotFinite {
        /// The variable.
        variable: String,
        /// The value.
        value: f64,
    },
    /// A quaternion that is not a rotation.
    #[error("the quaternion of {joint:?} has the norm {norm}; write one with norm 1 (within 1e-6)")]
    BadQuaternion {
        /// The floating joint.
        joint: String,
        /// Its norm.
        norm: f64,
    },
    /// A state sets a variable twice, to different values.
    #[error(
        "two states called {state:?} disagree about {variable:?}; write the robot's or the group's name before it, \
         as in {example:?}"
    )]
    Disagree {
        /// The state.
        state: String,
        /// The variable.
        variable: String,
        /// A name that is unambiguous.
        example: String,
    },
}

/// A value outside its limits.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{variable:?} is {value}, outside its limits [{lower}, {upper}]")]
pub struct LimitViolation {
    /// The variable, or the mimic joint.
    pub variable: String,
    /// Its value.
    pub value: f64,
    /// Lower limit.
    pub lower: f64,
    /// Upper limit.
    pub upper: f64,
}

impl Scene {
    /// The variable that a column names: `robot/joint`, or `joint` if only one robot has it.
    pub fn column(&self, column: &str) -> Result<usize, ColumnError> {
        let model = self.model();
        if let Some(variable) = model.variable(column) {
            return Ok(variable);
        }
        let is_meant = |name: &str| without_robot(name) == column;
        let mut found = (0..model.variables().len()).filter(|&v| is_meant(&model.variables()[v].name));
        match (found.next(), found.next()) {
            (Some(variable), None) => Ok(variable),
            (Some(first), Some(second)) => {
                let name = |variable: usize| model.variables()[variable].name.clone();
                Err(ColumnError::Ambiguous { column: column.into(), first: name(first), second: name(second) })
            }
            (None, _) => Err(self.why_no_variable(column)),
        }
    }

    /// Error for a name that may be that of a joint without exactly one variable.
    fn why_no_variable(&self, column: &str) -> ColumnError {
        let joints = self.model().joints();
        let column_name = column.to_owned();
        let is_meant = |joint: &&Joint| joint.name == column || without_robot(&joint.name) == column;
        let mut meant = joints.iter().filter(is_meant);
        match (meant.next(), meant.next()) {
            (Some(first), Some(second)) => {
                ColumnError::Ambiguous { column: column_name, first: first.name.clone(), second: second.name.clone() }
            }
            (Some(joint), None) if joint.kind == JointKind::Fixed => ColumnError::Fixed { column: column_name },
            (Some(Joint { name, follows: Some(followed), .. }), None) => ColumnError::Mimic {
                column: column_name,
                followed: joints[*followed].name.clone(),
                joint: self.model().joint(name).unwrap_or_default(),
            },
            (Some(joint), None) => {
                let suffixes = joint.kind.variable_suffixes();
                let columns: Vec<_> = suffixes.iter().map(|suffix| format!("{column}{suffix}")).collect();
                ColumnError::Several { column: column_name, columns: columns.join(", ") }
            }
            (None, _) => ColumnError::Unknown { column: column_name, known: self.variable_names() },
        }
    }

    /// The names of all variables, as many as fit a message.
    pub fn variable_names(&self) -> String {
        const MOST: usize = 12;
        let names: Vec<&str> = self.model().variables().iter().map(|v| v.name.as_str()).collect();
        match names.len() {
            0 => "none".to_owned(),
            n if n > MOST => format!("{} and {} more", names[..MOST].join(", "), n - MOST),
            _ => names.join(", "),
        }
    }

    /// A full configuration from values for some variables; the others come from the scene's positions. Quaternions
    /// that are off by rounding (1e-6 at most) are normalised.
    pub fn configuration(&self, values: &[(usize, f64)]) -> Result<Vec<f64>, ConfigurationError> {
        let variables = self.model().variables();
        let mut slots = self.positions().to_vec();
        for &(variable, value) in values {
            slots[variable] = Some(value);
        }
        let absent = || slots.iter().zip(variables).filter(|(slot, _)| slot.is_none());
        if absent().next().is_some() {
            let missing: Vec<_> = absent().map(|(_, variable)| variable.name.as_str()).collect();
            return Err(ConfigurationError::Missing { missing: missing.join(", ") });
        }
        let mut q: Vec<f64> = slots.into_iter().flatten().collect();
        if let Some((value, variable)) = q.iter().zip(variables).find(|(value, _)| !value.is_finite()) {
            return Err(ConfigurationError::NotFinite { variable: variable.name.clone(), value: *value });
        }
        self.normalise_quaternions(&mut q)?;
        Ok(q)
    }

    fn normalise_quaternions(&self, q: &mut [f64]) -> Result<(), ConfigurationError> {
        for (joint, first) in self.quaternions() {
            let quaternion = DQuat::from_slice(&q[first..first + 4]);
            let norm = quaternion.length();
            // Written so that NaN is refused.
            let is_unit = (norm - 1.0).abs() <= 1e-6;
            if !is_unit {
                return Err(ConfigurationError::BadQuaternion { joint: joint.name.clone(), norm });
            }
            quaternion.normalize().write_to_slice(&mut q[first..first + 4]);
        }
        Ok(())
    }

    /// Floating joints, and the index of their quaternions (x, y, z, w) in a configuration.
    fn quaternions(&self) -> impl Iterator<Item = (&Joint, usize)> {
        let floating = self.model().joints().iter().filter(|joint| joint.kind == JointKind::Floating);
        floating.filter_map(|joint| joint.source.map(|source| (joint, source.variable + 3)))
    }

    /// The floating joint, if any, that would turn by half a turn between two configurations, so that there is no
    /// shortest arc.
    pub fn half_turn(&self, from: &[f64], to: &[f64]) -> Option<&str> {
        self.quaternions().find_map(|(joint, first)| {
            let dot: f64 = (first..first + 4).map(|i| from[i] * to[i]).sum();
            (dot.abs() < 1e-9).then_some(joint.name.as_str())
        })
    }

    /// The first value outside its limits. Mimic joints have their own limits, checked up to rounding (1e-9).
    pub fn limit_violation(&self, q: &[f64]) -> Option<LimitViolation> {
        let outside = |name: &str, value: f64, limits: Option<(f64, f64)>, slack: f64| {
            let (lower, upper) = limits?;
            let is_inside = value >= lower - slack && value <= upper + slack;
            (!is_inside).then(|| LimitViolation { variable: name.to_owned(), value, lower, upper })
        };
        let variables = self.model().variables().iter().zip(q);
        let mut by_variable = variables.filter_map(|(v, &value)| outside(&v.name, value, v.limits, 0.0));
        let followers = self.model().joints().iter().filter(|joint| joint.follows.is_some());
        let mut by_follower = followers.filter_map(|joint| {
            let value = joint.source?.value(q);
            outside(&joint.name, value, joint.limits.first().copied().flatten(), 1e-9)
        });
        by_variable.next().or_else(|| by_follower.next())
    }

    /// The configuration that states called `name` describe together (several groups or robots may share a name;
    /// `robot/name` and `group/name` choose). `None` if there is no such state.
    pub fn state(&self, name: &str) -> Option<Result<Vec<f64>, ConfigurationError>> {
        let is_qualified = |state: &GroupState| {
            name.strip_suffix(state.name.as_str())
                .and_then(|rest| rest.strip_suffix('/'))
                .is_some_and(|q| q == state.robot || q == state.group)
        };
        let mut meant: Vec<&GroupState> = self.states().iter().filter(|state| state.name == name).collect();
        if meant.is_empty() {
            meant = self.states().iter().filter(|state| is_qualified(state)).collect();
        }
        if meant.is_empty() {
            return None;
        }
        let mut values: Vec<(usize, f64)> = Vec::new();
        for state in meant {
            for &(variable, value) in &state.values {
                if values.iter().any(|&(other, set)| other == variable && set != value) {
                    let variable = self.model().variables()[variable].name.clone();
                    let example = format!("{}/{}", state.group, state.name);
                    return Some(Err(ConfigurationError::Disagree { state: name.to_owned(), variable, example }));
                }
                values.push((variable, value));
            }
        }
        Some(self.configuration(&values))
    }
}

/// The part after the robot's name.
fn without_robot(name: &str) -> &str {
    name.split_once('/').map_or(name, |(_, rest)| rest)
}
