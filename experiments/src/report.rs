//! Rows of an experiment: printed as aligned text or as JSON lines, or only kept, with an occasional line of progress.

use std::time::{Duration, Instant};

use serde_json::{Map, Value};

/// Destination of rows, besides being kept.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Output {
    /// Tables on standard output.
    Text,
    /// One object per line on standard output.
    Json,
    /// Progress, after this label, on standard error.
    Progress(String),
}

/// An entry of a report.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Entry {
    /// A line for people: a caption, the paper's own numbers.
    Note(String),
    /// A row, with its `experiment` and `case`.
    Row(Map<String, Value>),
}

/// Takes rows; a change of columns starts a new text table.
pub(crate) struct Report {
    output: Output,
    experiment: String,
    columns: Vec<String>,
    kept: Vec<Entry>,
    /// Time of the last progress line.
    told: Instant,
}

/// Pause between lines of progress.
const PAUSE: Duration = Duration::from_secs(10);

impl Report {
    pub(crate) fn new(output: Output) -> Self {
        Self { output, experiment: String::new(), columns: Vec::new(), kept: Vec::new(), told: Instant::now() }
    }

    /// Rows from here on belong to `experiment`.
    pub(crate) fn start(&mut self, experiment: &str) {
        self.experiment = experiment.to_owned();
        self.columns.clear();
        if self.output == Output::Text {
            println!("\n# {experiment}");
        }
    }

    /// A line for people only; not printed in JSON.
    pub(crate) fn note(&mut self, text: &str) {
        if self.output == Output::Text {
            println!("{text}");
        }
        self.kept.push(Entry::Note(text.to_owned()));
    }

    /// Adds a row. `fields` is an object built with `serde_json::json!`; nested objects are printed as they are.
    pub(crate) fn row(&mut self, case: &str, fields: Value) {
        let mut row = Map::new();
        row.insert("experiment".into(), self.experiment.clone().into());
        row.insert("case".into(), case.into());
        if let Value::Object(fields) = fields {
            row.extend(fields);
        }
        match &self.output {
            Output::Text => self.print(&row),
            Output::Json => println!("{}", Value::Object(row.clone())),
            Output::Progress(_) => self.progress(&format!("{case}: row {}", self.kept.len() + 1)),
        }
        self.kept.push(Entry::Row(row));
    }

    /// Progress of a long experiment: printed if its rows are not, and not too often.
    pub(crate) fn progress(&mut self, said: &str) {
        if let Output::Progress(label) = &self.output
            && self.told.elapsed() >= PAUSE
        {
            eprintln!("{label}: {said}");
            self.told = Instant::now();
        }
    }

    /// All entries, in order.
    pub(crate) fn into_entries(self) -> Vec<Entry> {
        self.kept
    }

    fn print(&mut self, row: &Map<String, Value>) {
        let columns: Vec<String> = row.keys().skip(1).cloned().collect();
        if columns != self.columns {
            println!("{}", columns.iter().map(|c| format!("{c:>14}")).collect::<Vec<_>>().join(" "));
            self.columns = columns;
        }
        println!("{}", row.values().skip(1).map(|v| format!("{:>14}", text(v))).collect::<Vec<_>>().join(" "));
    }
}

/// A field as text for people.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::String(s) => s.clone(),
        Value::Number(n) if n.is_f64() => {
            let x = n.as_f64().unwrap_or(f64::NAN);
            if x == 0.0 || (1e-3..1e6).contains(&x.abs()) { format!("{x:.4}") } else { format!("{x:.3e}") }
        }
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| format!("{key}={}", text(value))).collect::<Vec<_>>().join(",")
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
