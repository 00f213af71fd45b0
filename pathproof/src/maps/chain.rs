//! The joints between two links, and the ranges of their values.

use std::f64::consts::PI;

use thiserror::Error;

use crate::robot::{Frame, JointKind, Model};

/// Reason why two links have no map.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum NoMap {
    /// A joint that moves in several ways at once.
    #[error("joint {joint:?} between them is planar or floating")]
    Several {
        /// Its name.
        joint: String,
    },
    /// A joint without limits that slides, or that others follow by a factor that is no integer.
    #[error("joint {joint:?} between them has no limits")]
    Unbounded {
        /// Its name.
        joint: String,
    },
    /// Limits too large for useful arithmetic.
    #[error("the limits of the joints between them are not usable numbers")]
    NotFinite,
    /// A half-space has no tree.
    #[error("{body:?} is a plane")]
    Plane {
        /// Its name.
        body: String,
    },
}

/// The values of a variable between two links.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Index of the variable in a configuration.
    pub variable: usize,
    /// Least value, in radians or metres.
    pub lower: f64,
    /// Greatest value.
    pub upper: f64,
    /// True if it is one whole turn of a continuous joint, so that it stands for every value.
    pub is_turn: bool,
}

/// A joint between two links.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChainJoint {
    /// The frame behind it, whose z axis is the joint's.
    pub frame: usize,
    /// Index of the chain's range that drives it.
    pub range: usize,
    /// Its motion per unit of its variable; not negative.
    pub factor: f64,
    /// True if it turns; it slides otherwise.
    pub turns: bool,
}

/// All joints between two frames, in order from the first to the second, and the ranges of their variables.
///
/// Two links of one frame have none. Mimic joints share the range of the joint that they follow; their own limits are
/// not used, so the range may include more than they can reach.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chain {
    /// The joints, in order.
    pub joints: Vec<ChainJoint>,
    /// The ranges of the variables that drive them, in the order of the variables.
    pub ranges: Vec<Range>,
}

impl Chain {
    /// The chain between two frames.
    pub fn new(model: &Model, a: usize, b: usize) -> Result<Self, NoMap> {
        let frames = frames_between(model, a, b);
        let mut variables = Vec::with_capacity(frames.len());
        for &frame in &frames {
            match model.frames()[frame].kind {
                JointKind::Fixed => {}
                JointKind::Revolute { .. } | JointKind::Prismatic { .. } => {
                    variables.push(model.frames()[frame].source.variable);
                }
                JointKind::Planar { .. } | JointKind::Floating => {
                    return Err(NoMap::Several { joint: joint_name(model, frame) });
                }
            }
        }
        variables.sort_unstable();
        variables.dedup();
        let ranges = variables.iter().map(|&v| range(model, &frames, v)).collect::<Result<Vec<_>, _>>()?;
        let place = |variable: usize| variables.iter().position(|&v| v == variable).unwrap_or(0);
        let joint = |&frame: &usize| {
            let Frame { source, kind, .. } = &model.frames()[frame];
            let turns = matches!(kind, JointKind::Revolute { .. });
            ChainJoint { frame, range: place(source.variable), factor: source.multiplier.abs(), turns }
        };
        Ok(Self { joints: frames.iter().map(joint).collect(), ranges })
    }

    /// The names of the variables, in order.
    pub fn variable_names<'m>(&self, model: &'m Model) -> Vec<&'m str> {
        self.ranges.iter().map(|range| model.variables()[range.variable].name.as_str()).collect()
    }
}

/// The frames behind the joints between two frames, in order from the first to the second.
pub(super) fn frames_between(model: &Model, a: usize, b: usize) -> Vec<usize> {
    let ancestor = model.common_ancestor(a, b);
    let above = |mut frame: usize| {
        let mut frames = Vec::new();
        while frame != ancestor {
            frames.push(frame);
            frame = model.frames()[frame].parent;
        }
        frames
    };
    let mut frames = above(a);
    frames.extend(above(b).into_iter().rev());
    frames
}

fn joint_name(model: &Model, frame: usize) -> String {
    model.frames()[frame].joint.map_or_else(String::new, |joint| model.joints()[joint].name.clone())
}

/// The values of a variable. A joint without limits repeats after a turn only if everything that it drives between the
/// two links then turns by whole turns.
fn range(model: &Model, frames: &[usize], variable: usize) -> Result<Range, NoMap> {
    if let Some((lower, upper)) = model.variables()[variable].limits {
        let is_usable = lower.abs() < 1e100 && upper.abs() < 1e100;
        return if is_usable { Ok(Range { variable, lower, upper, is_turn: false }) } else { Err(NoMap::NotFinite) };
    }
    let mut driven = frames.iter().map(|&frame| &model.frames()[frame]).filter(|f| f.source.variable == variable);
    let repeats = driven.all(|f| matches!(f.kind, JointKind::Revolute { .. }) && f.source.multiplier.fract() == 0.0);
    if !repeats {
        let joint = model.joints()[model.variables()[variable].joint].name.clone();
        return Err(NoMap::Unbounded { joint });
    }
    // The constant is below the real number: one step outward holds a whole turn.
    let half_turn = PI.next_up();
    Ok(Range { variable, lower: -half_turn, upper: half_turn, is_turn: true })
}
