//! A path as written: waypoints and the file's data on them. [`PathPoints::executed`] turns it into a motion.

use std::path::Path;

use crate::FormatError;
use pathproof::path::Motion;
use pathproof::robot::{Knot, Polynomial};

/// Points of a path: full configurations in the order of the scene's variables. The motion between them is still
/// undetermined.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PathPoints {
    /// Waypoints, at least one.
    pub waypoints: Vec<Vec<f64>>,
    /// Times of the waypoints in seconds, never decreasing; `None` if the file has none.
    pub times: Option<Vec<f64>>,
    /// Warnings for the reader of an answer about this path.
    pub warnings: Vec<String>,
    /// Velocities and accelerations, where the file has any.
    pub derivatives: Option<Derivatives>,
    /// True if transforms move a base, straight between waypoints: no known controller runs it together with the
    /// joints.
    pub has_moving_base: bool,
    /// For every segment, a polynomial per variable, if the file states them.
    pub polynomials: Option<Vec<Vec<Polynomial>>>,
    /// True if the file is an action goal, which a controller never upsamples.
    pub is_action_goal: bool,
}

/// Derivatives of waypoints in a file: for each a list in the order of the scene's variables, 0 for those that the file
/// does not move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Derivatives {
    /// Per second.
    pub velocities: Vec<Option<Vec<f64>>>,
    /// Per second squared.
    pub accelerations: Vec<Option<Vec<f64>>>,
}

impl PathPoints {
    /// Points as a controller takes them; `None` if they have no times.
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

    /// Waypoints for a command that joins them by straight lines of its own, with warnings. A curve stated in the file
    /// is refused, and velocities cause a warning.
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

    /// Warning if straight lines are checked although a controller would run a curve.
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
