//! Meaning of a path's columns: variables of the scene, mimic joints (which must agree with the joints they follow),
//! and the time.

use super::Source;
use crate::{FormatError, excerpt};
use pathproof::scene::ColumnError;

/// Tolerance between a mimic joint's value and the one it follows, in radians or metres: the loss in printing.
const AGREEMENT: f64 = 1e-6;

/// Columns of a table or joints of a message, each known by its index.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// Column and variable.
    variables: Vec<(usize, usize)>,
    /// Column and mimic joint.
    followers: Vec<(usize, usize)>,
    time: Option<usize>,
}

impl Columns {
    /// Resolves names, each with its column; `place` locates them.
    pub(super) fn new<'n>(
        names: impl Iterator<Item = (usize, &'n str)>,
        place: &str,
        source: &Source<'_>,
    ) -> Result<Self, FormatError> {
        let mut columns = Self::default();
        for (column, name) in names {
            columns.add(column, name, place, source)?;
        }
        Ok(columns)
    }

    /// Same columns, with a column of times.
    pub(super) fn with_time(self, time: Option<usize>) -> Self {
        Self { time, ..self }
    }

    /// The column of times.
    pub(super) fn time(&self) -> Option<usize> {
        self.time
    }

    fn add(&mut self, column: usize, name: &str, place: &str, source: &Source<'_>) -> Result<(), FormatError> {
        let twice = || source.error(place, format!("{:?} is there twice", excerpt(name)), "leave one of them");
        match source.scene.column(name) {
            Ok(variable) if self.variables.iter().any(|(_, other)| *other == variable) => return Err(twice()),
            Ok(variable) => self.variables.push((column, variable)),
            Err(ColumnError::Mimic { joint, .. }) if self.followers.iter().any(|(_, other)| *other == joint) => {
                return Err(twice());
            }
            Err(ColumnError::Mimic { joint, .. }) => self.followers.push((column, joint)),
            Err(error) => return Err(source.column_error(&error, place)),
        }
        Ok(())
    }

    /// The variables that have a column.
    pub(super) fn variables(&self) -> impl Iterator<Item = usize> {
        self.variables.iter().map(|(_, variable)| *variable)
    }

    /// Columns and the variables they mean.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.variables.iter().copied()
    }

    /// One value per column in the order of the scene's variables, 0 where there is none. Mimic joints follow, whatever
    /// values the columns give them.
    pub(super) fn spread(&self, values: &[f64], source: &Source<'_>) -> Vec<f64> {
        let mut spread = vec![0.0; source.scene.model().variables().len()];
        for &(column, variable) in &self.variables {
            spread[variable] = values[column];
        }
        spread
    }

    /// Full configuration from one value per column and further values from elsewhere.
    pub(super) fn configuration(
        &self,
        values: &[f64],
        more: &[(usize, f64)],
        place: &str,
        source: &Source<'_>,
    ) -> Result<Vec<f64>, FormatError> {
        let mut named: Vec<(usize, f64)> = more.to_vec();
        named.extend(self.variables.iter().map(|&(column, variable)| (variable, values[column])));
        let q = source.within_limits(source.configuration(&named, place)?, place)?;
        for &(column, joint) in &self.followers {
            let joint = &source.scene.model().joints()[joint];
            let Some(followed) = joint.source.map(|followed| followed.value(&q)) else { continue };
            let (given, name) = (values[column], excerpt(&joint.name));
            // Written so that NaN disagrees.
            let agrees = (given - followed).abs() <= AGREEMENT;
            if !agrees {
                let problem = format!("the mimic joint {name:?} is {given}, and what it follows makes it {followed}");
                return Err(source.error(place, problem, "correct one of the two, or leave the mimic joint out"));
            }
        }
        Ok(q)
    }
}

/// Checks the times of waypoints, in seconds: none may precede the one before it.
pub(super) fn check_times(times: &[f64], source: &Source<'_>) -> Result<(), FormatError> {
    for (index, pair) in times.windows(2).enumerate() {
        // Written so that NaN is refused.
        if !(pair[0] <= pair[1]) {
            let problem = format!("the time {} s is before that of the waypoint before it, {} s", pair[1], pair[0]);
            let place = format!("waypoint {}", index + 1);
            return Err(source.error(&place, problem, "put the waypoints in order, or leave the times out"));
        }
    }
    Ok(())
}
