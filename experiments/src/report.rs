//! Rows of an experiment, as aligned text for people or as JSON lines for programs.

use serde_json::{Map, Value};

/// Prints rows; a change of columns starts a new text table.
pub(crate) struct Report {
    json: bool,
    experiment: String,
    columns: Vec<String>,
}

impl Report {
    pub(crate) fn new(json: bool) -> Self {
        Self { json, experiment: String::new(), columns: Vec::new() }
    }

    /// Rows from here on belong to `experiment`.
    pub(crate) fn start(&mut self, experiment: &str) {
        self.experiment = experiment.to_owned();
        self.columns.clear();
        self.note(&format!("\n# {experiment}"));
    }

    /// A line for people only (a caption, the paper's own numbers); not printed in JSON.
    pub(crate) fn note(&mut self, text: &str) {
        if !self.json {
            println!("{text}");
        }
    }

    /// One row. `fields` is an object built with `serde_json::json!`; nested objects are printed as they are.
    pub(crate) fn row(&mut self, case: &str, fields: Value) {
        let mut row = Map::new();
        row.insert("experiment".into(), self.experiment.clone().into());
        row.insert("case".into(), case.into());
        if let Value::Object(fields) = fields {
            row.extend(fields);
        }
        if self.json {
            println!("{}", Value::Object(row));
            return;
        }
        let columns: Vec<String> = row.keys().skip(1).cloned().collect();
        if columns != self.columns {
            println!("{}", columns.iter().map(|c| format!("{c:>14}")).collect::<Vec<_>>().join(" "));
            self.columns = columns;
        }
        println!("{}", row.values().skip(1).map(|v| format!("{:>14}", text(v))).collect::<Vec<_>>().join(" "));
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(s) => s.clone(),
        Value::Number(n) if n.is_f64() => {
            let x = n.as_f64().unwrap_or(f64::NAN);
            if x == 0.0 || (1e-3..1e6).contains(&x.abs()) { format!("{x:.4}") } else { format!("{x:.3e}") }
        }
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| format!("{key}={}", text(value))).collect::<Vec<_>>().join(",")
        }
        other => other.to_string(),
    }
}
