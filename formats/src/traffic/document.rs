//! Scenarios and candidates as JSON, parsed strictly: a misspelt key is an error, not a missing agent.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;

use super::shape::RawShape;
use super::{Candidate, Ego, Scenario};
use crate::{FormatError, excerpt};
use pathproof_traffic::{Agent, Compound, Trajectory};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawScenario {
    schema: Option<u32>,
    agents: Vec<RawAgent>,
    ego: Option<RawEgo>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAgent {
    name: String,
    shape: RawShape,
    /// [t, x, y, heading] or [t, x, y, z, qx, qy, qz, qw] each.
    poses: Option<Vec<Vec<f64>>>,
    /// Without t: it is always present.
    pose: Option<Vec<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEgo {
    shape: Option<RawShape>,
    poses: Option<Vec<Vec<f64>>>,
    candidates: Option<Vec<RawCandidate>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCandidate {
    name: Option<String>,
    poses: Vec<Vec<f64>>,
}

/// See the module.
pub(super) fn scenario(text: &str, name: &Path) -> Result<Scenario, FormatError> {
    let raw: RawScenario = parsed(text, name)?;
    if raw.schema.is_some_and(|schema| schema != 1) {
        return Err(FormatError::new(name, "its schema is not 1").at("schema").remedy("this program reads schema 1"));
    }
    if raw.agents.is_empty() {
        let error = FormatError::new(name, "there is no agent, so that nothing would be checked").at("agents");
        return Err(error.remedy("give one agent at least, with name, shape and poses"));
    }
    let mut agents = Vec::with_capacity(raw.agents.len());
    let mut seen = BTreeSet::new();
    for (i, raw) in raw.agents.into_iter().enumerate() {
        let place = format!("agents[{i}] ({:?})", excerpt(&raw.name));
        if !seen.insert(raw.name.clone()) {
            let error = FormatError::new(name, "a second agent of that name").at(place);
            return Err(error.remedy("give each agent a name of its own"));
        }
        agents.push(agent(raw).map_err(|(problem, remedy)| FormatError::new(name, problem).at(place).remedy(remedy))?);
    }
    let ego = raw.ego.map(|raw| ego_from(raw, name, "ego.", None)).transpose()?;
    Ok(Scenario { agents, ego, time_step: None, benchmark: None, warnings: Vec::new() })
}

/// See the module; `shape` is the scenario's, for files without one.
pub(super) fn ego(text: &str, name: &Path, shape: Option<Arc<Compound>>) -> Result<Ego, FormatError> {
    ego_from(parsed(text, name)?, name, "", shape)
}

fn parsed<'t, T: Deserialize<'t>>(text: &'t str, name: &Path) -> Result<T, FormatError> {
    serde_json::from_str(text).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        let message = error.to_string();
        let problem = message.split(" at line ").next().unwrap_or(&message);
        FormatError::new(name, problem).at(place).remedy("docs/traffic-file.md describes the format")
    })
}

type Problem = (String, &'static str);

fn agent(raw: RawAgent) -> Result<Agent, Problem> {
    let compound = raw.shape.compound()?;
    let wrong = |error: &dyn std::fmt::Display| (error.to_string(), "");
    match (raw.poses, raw.pose) {
        (Some(poses), None) => Agent::moving(raw.name, compound, trajectory(&poses)?).map_err(|error| wrong(&error)),
        (None, Some(pose)) => {
            let timed = [&[0.0], &pose[..]].concat();
            if timed.len() != 4 && timed.len() != 8 {
                let problem = format!("its pose has {} numbers", pose.len());
                return Err((problem, "write [x, y, heading], or [x, y, z, qx, qy, qz, qw] in space"));
            }
            Agent::at_rest(raw.name, compound, trajectory(&[timed])?).map_err(|error| wrong(&error))
        }
        (Some(_), Some(_)) => {
            Err(("it has both pose and poses".to_owned(), "use pose if it stands, poses if it moves"))
        }
        (None, None) => Err(("it has neither pose nor poses".to_owned(), "use pose if it stands, poses if it moves")),
    }
}

fn ego_from(raw: RawEgo, name: &Path, prefix: &str, of_scenario: Option<Arc<Compound>>) -> Result<Ego, FormatError> {
    let own = raw.shape.map(|shape| shape.compound().map(Arc::new)).transpose();
    let own =
        own.map_err(|(problem, remedy)| FormatError::new(name, problem).at(format!("{prefix}shape")).remedy(remedy))?;
    let shape = own.or(of_scenario);
    let listed = raw.candidates.unwrap_or_default().into_iter().enumerate();
    let listed = listed
        .map(|(i, raw)| (format!("{prefix}candidates[{i}]"), raw.name.unwrap_or_else(|| i.to_string()), raw.poses));
    let single = raw.poses.map(|poses| (format!("{prefix}poses"), "ego".to_owned(), poses));
    let mut candidates = Vec::new();
    for (place, title, poses) in single.into_iter().chain(listed) {
        let trajectory = trajectory(&poses)
            .map_err(|(problem, remedy)| FormatError::new(name, problem).at(place.clone()).remedy(remedy))?;
        candidates.push(candidate(title, trajectory, shape.as_ref(), name, &place)?);
    }
    Ok(Ego { shape, candidates, warnings: Vec::new() })
}

/// A candidate, if there is a shape for it that fits.
pub(super) fn candidate(
    title: String,
    trajectory: Trajectory,
    shape: Option<&Arc<Compound>>,
    name: &Path,
    place: &str,
) -> Result<Candidate, FormatError> {
    let Some(shape) = shape else {
        let error = FormatError::new(name, "there is no shape for the body that follows it").at(place);
        return Err(error.remedy("give \"shape\" here (JSON) or under \"ego\" in the scenario"));
    };
    if shape.workspace() != trajectory.workspace() {
        let error = FormatError::new(name, "shape and poses are not of the same workspace").at(place);
        return Err(error.remedy("use planar shapes with [t, x, y, heading], spatial ones with quaternions"));
    }
    Ok(Candidate { name: title, shape: shape.clone(), trajectory })
}

/// Poses as a trajectory in the plane or in space, by the number of their values.
fn trajectory(poses: &[Vec<f64>]) -> Result<Trajectory, Problem> {
    let width = poses.first().map_or(4, Vec::len);
    if let Some(odd) = poses.iter().position(|pose| pose.len() != width || (width != 4 && width != 8)) {
        let problem = format!("pose {odd} has {} numbers", poses[odd].len());
        return Err((
            problem,
            "write [t, x, y, heading], or [t, x, y, z, qx, qy, qz, qw] in space, the same in all poses",
        ));
    }
    let planar = || Trajectory::planar(poses.iter().map(|pose| [pose[0], pose[1], pose[2], pose[3]]));
    let spatial = || Trajectory::spatial(poses.iter().map(|pose| std::array::from_fn(|i| pose[i])));
    let read = if width == 4 { planar() } else { spatial() };
    read.map_err(|error| (error.to_string(), "times in seconds, lengths in metres, angles in radians"))
}
