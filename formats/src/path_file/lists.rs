//! A configuration as a list in one field: `"0.1, 0.2"`, `[0.1, 0.2]` or `0.1 0.2`, in the scene's order of variables.

use super::Source;
use crate::quantity::Quantity;
use crate::{FormatError, excerpt};

/// The names of a segment's two ends where they are lists.
pub(super) const ENDS: [&str; 2] = ["a", "b"];

/// Indices of the columns `a` and `b`, if a header has no others.
pub(super) fn ends(header: &[String]) -> Option<[usize; 2]> {
    let place = |name: &str| header.iter().position(|column| column == name);
    let [Some(a), Some(b)] = ENDS.map(place) else { return None };
    (header.len() == ENDS.len()).then_some([a, b])
}

/// Configuration listed in a field: a value per variable, or one for each variable without a position in the scene.
pub(super) fn configuration(field: &str, place: &str, source: &Source<'_>) -> Result<Vec<f64>, FormatError> {
    let inner = field.trim();
    let inner = inner.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(inner).trim();
    let is_listed = inner.contains([',', ';']);
    let words: Vec<&str> = match is_listed {
        true => inner.split([',', ';']).map(str::trim).collect(),
        false => inner.split_whitespace().collect(),
    };
    let number = |word: &&str| {
        word.parse::<f64>().map(Quantity::from).map_err(|_| {
            let problem = format!("{:?} in the list {:?} is not a number", excerpt(word), excerpt(field));
            source.error(place, problem, "write numbers separated by commas, in quotes")
        })
    };
    let values = words.iter().map(number).collect::<Result<Vec<Quantity>, _>>()?;
    let named = source.in_order(values, place)?;
    source.within_limits(source.configuration(&source.measured(named, place)?, place)?, place)
}
