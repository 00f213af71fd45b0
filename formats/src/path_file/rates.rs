//! Columns `J_velocity` and `J_acceleration` of a table, which make it a trajectory like a message.

use super::columns::Columns;
use super::{Derivatives, Source};
use crate::{FormatError, excerpt};
use pathproof::robot::VariableKind;
use pathproof::scene::ColumnError;

const SUFFIXES: [&str; 2] = ["_velocity", "_acceleration"];

/// Columns of velocities and of accelerations, if any.
#[derive(Default)]
pub(super) struct Rates([Option<Columns>; 2]);

/// Column of a table: its index and its name.
pub(super) type Named<'n> = (usize, &'n str);

/// Separates columns of rates from all others. A column that has the name of a joint is that joint.
pub(super) fn split<'n>(
    names: impl Iterator<Item = Named<'n>>,
    source: &Source<'_>,
) -> (Vec<Named<'n>>, [Vec<Named<'n>>; 2]) {
    let is_joint = |name: &str| matches!(source.scene.column(name), Ok(_) | Err(ColumnError::Mimic { .. }));
    let (mut others, mut rates) = (Vec::new(), [Vec::new(), Vec::new()]);
    for (column, name) in names {
        let rate = SUFFIXES.iter().position(|suffix| name.strip_suffix(suffix).is_some_and(is_joint));
        match rate.filter(|_| !is_joint(name)) {
            Some(rate) => rates[rate].push((column, name.strip_suffix(SUFFIXES[rate]).unwrap_or(name))),
            None => others.push((column, name)),
        }
    }
    (others, rates)
}

impl Rates {
    /// Resolves the columns: every joint that has a position has a rate, or none has.
    pub(super) fn new(
        named: [Vec<Named<'_>>; 2],
        positions: &Columns,
        place: &str,
        source: &Source<'_>,
    ) -> Result<Self, FormatError> {
        let mut rates = Self::default();
        for ((named, suffix), rate) in named.into_iter().zip(SUFFIXES).zip(&mut rates.0) {
            if named.is_empty() {
                continue;
            }
            let columns = Columns::new(named.into_iter(), place, source)?;
            check_same(&columns, positions, suffix, place, source)?;
            *rate = Some(columns);
        }
        Ok(rates)
    }

    /// True if there are any.
    pub(super) fn is_any(&self) -> bool {
        self.0.iter().any(Option::is_some)
    }

    /// Adds the rates of a row.
    pub(super) fn add(&self, values: &[f64], to: &mut Derivatives, source: &Source<'_>) {
        let spread = |rate: &Option<Columns>| rate.as_ref().map(|columns| columns.spread(values, source));
        to.velocities.push(spread(&self.0[0]));
        to.accelerations.push(spread(&self.0[1]));
    }
}

/// Requires a rate for each position and no others; a rotation by a quaternion has none.
fn check_same(
    rates: &Columns,
    positions: &Columns,
    suffix: &str,
    place: &str,
    source: &Source<'_>,
) -> Result<(), FormatError> {
    let variables = source.scene.model().variables();
    let name = |variable: usize| excerpt(&variables[variable].name);
    let is_turn = |variable: &usize| variables[*variable].kind == VariableKind::Quaternion;
    if let Some(variable) = rates.variables().find(is_turn) {
        let problem = format!("{:?} is part of a rotation, which has no column {suffix}", name(variable));
        return Err(source.error(place, problem, "leave it out; rotations take the shortest arc"));
    }
    if let Some(variable) = rates.variables().find(|variable| !positions.variables().any(|other| other == *variable)) {
        let problem = format!("{:?} has a column {suffix} and no column of its own", name(variable));
        return Err(source.error(place, problem, "write its positions, too"));
    }
    let has_none = |variable: &usize| !is_turn(variable) && !rates.variables().any(|other| other == *variable);
    if let Some(variable) = positions.variables().find(has_none) {
        let problem = format!("{:?} has no column {suffix}, which other joints have", name(variable));
        return Err(source.error(place, problem, "write it for all joints of the table, or for none"));
    }
    Ok(())
}
