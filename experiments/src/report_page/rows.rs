//! Rows by name: which have these values in these fields, and what a field of theirs is.

use serde_json::{Map, Value};

use super::Section;
use crate::report::{Entry, text};

pub(super) type Row = Map<String, Value>;

/// All rows of the page.
pub(super) struct Rows<'a>(Vec<&'a Row>);

impl<'a> Rows<'a> {
    pub(super) fn new(sections: &'a [Section]) -> Self {
        let rows = sections.iter().flat_map(|section| &section.entries).filter_map(|entry| match entry {
            Entry::Row(row) => Some(row),
            Entry::Note(_) => None,
        });
        Self(rows.collect())
    }

    /// Those of an experiment with the given values; numbers are compared as numbers.
    pub(super) fn of(&self, experiment: &str, only: &[(&str, &str)]) -> Vec<&'a Row> {
        let has = |row: &Row, (name, wanted): &(&str, &str)| row.get(*name).is_some_and(|value| is(value, wanted));
        let wanted = |row: &&&Row| is(&row["experiment"], experiment) && only.iter().all(|pair| has(row, pair));
        self.0.iter().filter(wanted).copied().collect()
    }
}

fn is(value: &Value, wanted: &str) -> bool {
    match value.as_f64() {
        Some(number) => wanted.parse() == Ok(number),
        None => value.as_str() == Some(wanted),
    }
}

/// A field as a number; a dot leads into an object.
pub(super) fn number(row: &Row, name: &str) -> Option<f64> {
    let mut parts = name.split('.');
    let first = row.get(parts.next()?)?;
    parts.try_fold(first, |value, part| value.get(part))?.as_f64()
}

/// The values of some fields as one name.
pub(super) fn name(row: &Row, fields: &[&str]) -> String {
    let said = fields.iter().filter_map(|field| row.get(*field)).map(|value| match value.as_f64() {
        Some(value) => crate::plot::number(value),
        None => text(value),
    });
    said.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}
