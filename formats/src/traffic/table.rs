//! Candidates as CSV: a header `t,x,y,theta` (or `t,x,y,z,qx,qy,qz,qw`) and a pose per line; a column `candidate` names
//! the trajectory of a line.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::document::candidate;
use super::{Candidate, Ego};
use crate::{FormatError, excerpt};
use pathproof_traffic::{Compound, Trajectory, Workspace};

const PLANAR: [&str; 4] = ["t", "x", "y", "theta"];
const SPATIAL: [&str; 8] = ["t", "x", "y", "z", "qx", "qy", "qz", "qw"];
const CANDIDATE: &str = "candidate";

/// Columns of the values of a pose.
struct Columns {
    values: Vec<usize>,
    candidate: Option<usize>,
}

/// See the module.
pub(super) fn ego(text: &str, name: &Path, shape: Option<Arc<Compound>>) -> Result<Ego, FormatError> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).flexible(true).from_reader(text.as_bytes());
    let damaged = |error: &csv::Error| FormatError::new(name, error.to_string()).remedy("save it as CSV, in UTF-8");
    let header = reader.headers().map_err(|error| damaged(&error))?.clone();
    let is_spatial = shape.as_ref().is_some_and(|shape| shape.workspace() == Workspace::Volume);
    let columns = columns(&header, is_spatial, name)?;
    let mut rows = Rows {
        name,
        shape,
        columns,
        candidates: Vec::new(),
        seen: BTreeSet::new(),
        title: None,
        poses: Vec::new(),
        first_line: 0,
    };
    for record in reader.records() {
        rows.add(&record.map_err(|error| damaged(&error))?)?;
    }
    rows.finish_candidate()?;
    if rows.candidates.is_empty() {
        return Err(FormatError::new(name, "there is a header but no pose").remedy("write one line at least"));
    }
    Ok(Ego { shape: rows.shape, candidates: rows.candidates, warnings: Vec::new() })
}

/// Poses are spatial if a column says so, or if the body is spatial and no heading says otherwise.
fn columns(header: &csv::StringRecord, is_body_spatial: bool, name: &Path) -> Result<Columns, FormatError> {
    let has_any = |columns: &[&str]| header.iter().any(|column| columns.contains(&column));
    let is_spatial = !has_any(&PLANAR[3..]) && (is_body_spatial || has_any(&SPATIAL[3..]));
    let wanted: &[&str] = if is_spatial { &SPATIAL } else { &PLANAR };
    let remedy = format!("the first line is {}, and candidate where there are several", wanted.join(","));
    let wrong = |problem: String| FormatError::new(name, problem).at_line(1).remedy(&remedy);
    for (i, column) in header.iter().enumerate() {
        if column != CANDIDATE && !wanted.contains(&column) {
            return Err(wrong(format!("there is no column {:?}", excerpt(column))));
        }
        if header.iter().take(i).any(|before| before == column) {
            return Err(wrong(format!("a second column {:?}", excerpt(column))));
        }
    }
    let place = |wanted: &str| header.iter().position(|column| column == wanted);
    let missing = |column: &&str| wrong(format!("the column {column:?} is missing"));
    let values = wanted.iter().map(|column| place(column).ok_or_else(|| missing(column)));
    Ok(Columns { values: values.collect::<Result<_, _>>()?, candidate: place(CANDIDATE) })
}

/// Lines, read one after the other.
struct Rows<'a> {
    name: &'a Path,
    shape: Option<Arc<Compound>>,
    columns: Columns,
    candidates: Vec<Candidate>,
    seen: BTreeSet<String>,
    title: Option<String>,
    poses: Vec<Vec<f64>>,
    /// First line of the current candidate.
    first_line: usize,
}

impl Rows<'_> {
    fn add(&mut self, record: &csv::StringRecord) -> Result<(), FormatError> {
        let line = record.position().map_or(0, csv::Position::line) as usize;
        let wrong = |problem: String| {
            FormatError::new(self.name, problem).at_line(line).remedy("write a number in every column of the header")
        };
        let field =
            |column: usize| record.get(column).ok_or_else(|| wrong(format!("it has {} values only", record.len())));
        let mut pose = Vec::with_capacity(self.columns.values.len());
        for &column in &self.columns.values {
            let text = field(column)?;
            pose.push(text.parse::<f64>().map_err(|_| wrong(format!("{:?} is not a number", excerpt(text))))?);
        }
        let title = self.columns.candidate.map(|column| field(column).map(str::to_owned)).transpose()?;
        let title = title.unwrap_or_else(|| "ego".to_owned());
        if self.title.as_ref() != Some(&title) {
            self.finish_candidate()?;
            if !self.seen.insert(title.clone()) {
                let problem = format!("candidate {:?} goes on here, after another", excerpt(&title));
                return Err(FormatError::new(self.name, problem)
                    .at_line(line)
                    .remedy("keep the lines of a candidate together"));
            }
            (self.title, self.first_line) = (Some(title), line);
        }
        self.poses.push(pose);
        Ok(())
    }

    fn finish_candidate(&mut self) -> Result<(), FormatError> {
        let Some(title) = self.title.take() else { return Ok(()) };
        let place = format!("line {}, candidate {:?}", self.first_line, excerpt(&title));
        let poses = std::mem::take(&mut self.poses);
        let read = match self.columns.values.len() {
            4 => Trajectory::planar(poses.iter().map(|pose| [pose[0], pose[1], pose[2], pose[3]])),
            _ => Trajectory::spatial(poses.iter().map(|pose| std::array::from_fn(|i| pose[i]))),
        };
        let trajectory = read.map_err(|error| {
            FormatError::new(self.name, error.to_string())
                .at(place.clone())
                .remedy("poses count from 0 in each candidate")
        })?;
        self.candidates.push(candidate(title, trajectory, self.shape.as_ref(), self.name, &place)?);
        Ok(())
    }
}
