//! A path as it was read: waypoints, what the file says besides, and what runs between them.

use std::path::Path;

use crate::check;
use crate::formats::FormatError;
use crate::robot::{Curve, Interpolation, Knot, Model, Motion, MotionError, Polynomial};

/// A path: full configurations in the order of the scene's variables, and what runs between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadedPath {
    /// The waypoints; one at least.
    pub waypoints: Vec<Vec<f64>>,
    /// When each is reached, in seconds, never backwards; `None` where the file does not say.
    pub times: Option<Vec<f64>>,
    /// What the reader of an answer about this path should know.
    pub warnings: Vec<String>,
    /// Velocities and accelerations, where the file has any.
    pub derivatives: Option<Derivatives>,
    /// For every segment a polynomial per variable, where the file states them.
    pub polynomials: Option<Vec<Vec<Polynomial>>>,
    /// What runs between waypoints.
    pub interpolation: Interpolation,
    /// The curve that runs there; `None` for straight lines.
    pub curve: Option<Curve>,
    /// The first segment as other versions of the controller run it, where they differ.
    pub first_otherwise: Option<Curve>,
}

/// What a file says of waypoints besides positions: for each a list in the order of the scene's variables, 0 for those
/// that the file does not move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Derivatives {
    /// Per second.
    pub velocities: Vec<Option<Vec<f64>>>,
    /// Per second squared.
    pub accelerations: Vec<Option<Vec<f64>>>,
}

impl LoadedPath {
    /// The time at a place of the path, in seconds; `segment` counts from 0, `t` runs from 0 to 1 along it.
    pub fn time_at(&self, segment: usize, t: f64) -> Option<f64> {
        let times = self.times.as_ref()?;
        let from = times.get(segment)?;
        Some(from + t * (times.get(segment + 1).unwrap_or(from) - from))
    }

    /// Its points as a controller takes them; `None` where they have no times.
    pub fn knots(&self) -> Option<Vec<Knot>> {
        let all = self.derivatives.as_ref();
        let list = |lists: Option<&Vec<Option<Vec<f64>>>>, i: usize| lists?.get(i)?.clone();
        let knot = |(i, (&time, positions)): (usize, (&f64, &Vec<f64>))| Knot {
            time,
            positions: positions.clone(),
            velocities: list(all.map(|all| &all.velocities), i),
            accelerations: list(all.map(|all| &all.accelerations), i),
        };
        Some(self.times.as_ref()?.iter().zip(&self.waypoints).enumerate().map(knot).collect())
    }

    /// What a checker is asked about.
    pub fn asked(&self) -> check::Path<'_> {
        self.curve.as_ref().map_or(check::Path::Lines(&self.waypoints), check::Path::Curve)
    }

    /// How many segments it has; one configuration alone counts as one.
    pub fn segments(&self) -> usize {
        self.waypoints.len().saturating_sub(1).max(1)
    }

    /// The motion along a segment.
    pub fn motion(&self, model: &Model, segment: usize) -> Result<Motion, MotionError> {
        match &self.curve {
            Some(curve) => Motion::along(model, &curve.pieces()[segment]),
            None => {
                let goal = (segment + 1).min(self.waypoints.len() - 1);
                Motion::new(model, &self.waypoints[segment], &self.waypoints[goal])
            }
        }
    }

    /// The path for a command that knows straight lines only: a curve that the file states is refused, and velocities
    /// are warned of.
    pub fn as_lines(mut self, file: &Path) -> Result<Self, FormatError> {
        if self.polynomials.is_some() {
            return Err(FormatError::new(
                file,
                "the file states polynomials, and this command takes straight lines only",
            )
            .remedy("use `pathproof check`, or write waypoints"));
        }
        self.warnings.extend(self.lines_warning(file));
        Ok(self)
    }

    /// What is to be said where straight lines between waypoints are checked though a controller would run a curve.
    pub fn lines_warning(&self, file: &Path) -> Option<String> {
        let derivatives = self.derivatives.as_ref()?;
        let has = |lists: &[Option<Vec<f64>>]| lists.iter().any(Option::is_some);
        let what = match (has(&derivatives.velocities), has(&derivatives.accelerations)) {
            (true, true) => "velocities and accelerations",
            (true, false) => "velocities",
            _ => "accelerations",
        };
        Some(format!(
            "{}: the trajectory carries {what}: a controller may run another curve than the straight lines between its \
             positions, which are what is checked",
            file.display()
        ))
    }
}
