//! Finds rows by the values of their fields, and reads their fields.

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

/// Names in rows, and the same in words.
const WORDS: [(&str, &str, &str); 18] = [
    ("method", "directional", "ours, exact"),
    ("method", "paper", "the paper's exact method"),
    ("method", "fixed", "fixed steps"),
    ("method", "ours-meshes", "ours, meshes"),
    ("method", "ours-hulls", "ours, hulls"),
    ("method", "fixed-trees", "fixed steps, trees alone"),
    ("judge", "directional", "ours"),
    ("judge", "paper", "the paper's"),
    ("planner", "a-sbl", "A-SBL, exact"),
    ("planner", "sbl", "SBL"),
    ("step", "paper", "of ε"),
    ("step", "eighth", "of ε/8"),
    ("step", "safe", "that miss none"),
    ("step", "zero", "until contact"),
    ("step", "calibrated", "calibrated"),
    ("bound", "rho", "ρ, the paper's first"),
    ("bound", "lambda", "λ, the paper's second"),
    ("bound", "twist", "twist, ours"),
];

/// The values of some fields as one name.
pub(super) fn name(row: &Row, fields: &[&str]) -> String {
    let said = fields.iter().filter_map(|field| Some((*field, row.get(*field)?))).map(|(field, value)| {
        if let Some(value) = value.as_f64() {
            return crate::plot::number(value);
        }
        let short = text(value);
        let in_words = WORDS.iter().find(|(of, name, _)| *of == field && *name == short);
        in_words.map_or(short, |(_, _, words)| (*words).to_owned())
    });
    said.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}
