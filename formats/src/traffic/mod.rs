//! Traffic: scenarios (JSON, CommonRoad XML) and trajectories through them (JSON, CSV, CommonRoad solutions).
//! docs/traffic-file.md describes the formats and CommonRoad's conventions.
//!
//! Invariant: an agent of a file is read completely or refused with its name and place; none is left out.

mod commonroad;
mod document;
mod shape;
mod solution;
mod table;

use std::path::Path;
use std::sync::Arc;

use super::FormatError;
use super::input_file::{self, Limit};
use pathproof_traffic::{Agent, Compound, Trajectory};

/// Contents of a scenario file.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Everything that moves or stands.
    pub agents: Vec<Agent>,
    /// Body that drives through it, if the file names one.
    pub ego: Option<Ego>,
    /// For CommonRoad: seconds per time step, the unit of time in solutions.
    pub time_step: Option<f64>,
    /// For CommonRoad: the benchmark's name.
    pub benchmark: Option<String>,
    /// Warnings for the reader.
    pub warnings: Vec<String>,
}

/// Body and the trajectories it may take.
#[derive(Clone, Debug)]
pub struct Ego {
    /// Its shape, if the file gives one for all.
    pub shape: Option<Arc<Compound>>,
    /// In the order of the file.
    pub candidates: Vec<Candidate>,
    /// Warnings for the reader.
    pub warnings: Vec<String>,
}

/// Trajectory to check.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its name, or its number in the file.
    pub name: String,
    /// The body.
    pub shape: Arc<Compound>,
    /// Its motion.
    pub trajectory: Trajectory,
}

/// Format of a file of candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EgoFormat {
    /// An object with a shape and poses.
    Json,
    /// A header t,x,y,theta and a pose per line.
    Csv,
    /// A CommonRoad solution.
    Solution,
}

/// Reads a scenario: CommonRoad if the name ends in `.xml`, else JSON.
pub fn read(path: &Path) -> Result<Scenario, FormatError> {
    let text = text_of(path)?;
    if has_extension(path, "xml") { parse_commonroad(&text, path) } else { parse_json(&text, path) }
}

/// Reads candidates by the ending of the name: `.csv`, `.xml` (a CommonRoad solution), else JSON.
pub fn read_ego(path: &Path, scenario: &Scenario) -> Result<Ego, FormatError> {
    let text = text_of(path)?;
    let format = if has_extension(path, "csv") {
        EgoFormat::Csv
    } else if has_extension(path, "xml") {
        EgoFormat::Solution
    } else {
        EgoFormat::Json
    };
    parse_ego(&text, path, format, scenario)
}

/// A scenario from JSON; `name` is for messages.
pub fn parse_json(text: &str, name: &Path) -> Result<Scenario, FormatError> {
    document::scenario(text, name)
}

/// A scenario from CommonRoad XML; `name` is for messages.
pub fn parse_commonroad(text: &str, name: &Path) -> Result<Scenario, FormatError> {
    commonroad::scenario(text, name)
}

/// Candidates from text; `name` is for messages.
pub fn parse_ego(text: &str, name: &Path, format: EgoFormat, scenario: &Scenario) -> Result<Ego, FormatError> {
    let shape = scenario.ego.as_ref().and_then(|ego| ego.shape.clone());
    let ego = match format {
        EgoFormat::Json => document::ego(text, name, shape)?,
        EgoFormat::Csv => table::ego(text, name, shape)?,
        EgoFormat::Solution => solution::ego(text, name, scenario)?,
    };
    if ego.candidates.is_empty() {
        let error = FormatError::new(name, "there is no trajectory in it");
        return Err(error.remedy("give poses, or candidates with poses"));
    }
    Ok(ego)
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

fn text_of(path: &Path) -> Result<String, FormatError> {
    const LIMIT: Limit = Limit::new(1 << 30, "split it into several");
    let text = input_file::text(path, LIMIT)?;
    Ok(text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned))
}

#[cfg(test)]
mod tests;
