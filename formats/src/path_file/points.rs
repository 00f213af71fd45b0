//! A path as it is written: waypoints and what the file says of them. [`PathPoints::executed`] makes it a motion.

use std::path::Path;

use crate::FormatError;
use pathproof::path::Motion;
use pathproof::robot::{Knot, Polynomial};

/// The points of a path: full configurations in the order of the scene's variables. They say nothing yet about what runs
/// between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PathPoints {
    /// The waypoints; one at least.
    pub waypoints: Vec<Vec<f64>>,
    /// When each is reached, in seconds, never backwards; `None` where the file does not say.
    pub times: Option<Vec<f64>>,
    /// What the reader of an answer about this path should know.
    pub warnings: Vec<String>,
    /// Velocities and accelerations, where the file has any.
    pub derivatives: Option<Derivatives>,
    /// Whether a base moves by transforms, straight between waypoints: no controller is known that runs it with the joints.
    pub has_moving_base: bool,
    /// For every segment a polynomial per variable, where the file states them.
    pub polynomials: Option<Vec<Vec<Polynomial>>>,
    /// True if the file is a goal of an action, which a controller never upsamples.
    pub is_action_goal: bool,
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

impl PathPoints {
    /// The points as a controller takes them; `None` where they have no times.
    pub(super) fn knots(&self) -> Option<Vec<Knot>> {
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

    /// Straight lines between the waypoints, with their times.
    pub(super) fn lines(self) -> Motion {
        let motion = Motion::lines(self.waypoints);
        match self.times {
            Some(times) => motion.with_times(times).expect("readers give a time for each waypoint or none"),
            None => motion,
        }
    }

    /// The waypoints for a command that joins them by straight lines of its own, with warnings: a curve that the file states
    /// is refused, and velocities are warned of.
    pub fn into_waypoints(mut self, file: &Path) -> Result<(Vec<Vec<f64>>, Vec<String>), FormatError> {
        if self.polynomials.is_some() {
            return Err(FormatError::new(
                file,
                "the file states polynomials, and this command takes straight lines only",
            )
            .remedy("use `pathproof check`, or write waypoints"));
        }
        self.warnings.extend(self.lines_warning(file));
        Ok((self.waypoints, self.warnings))
    }

    /// The warning where straight lines are checked though a controller would run a curve.
    pub(super) fn lines_warning(&self, file: &Path) -> Option<String> {
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
