//! CommonRoad solutions as candidates: one per trajectory. `x` and `y` are the centre of the vehicle's rectangle, as in
//! CommonRoad's own drivability checker; the vehicle type in `benchmark_id` determines the rectangle. Point-mass states
//! have no orientation: it follows from their velocity, and a vehicle at rest has none.

use std::path::Path;
use std::sync::Arc;

use roxmltree::Node;

use super::commonroad::File;
use super::{Candidate, Ego, Scenario};
use crate::{FormatError, excerpt, xml};
use pathproof_traffic::{Compound, Trajectory};

/// Length and width in metres by vehicle type, from `commonroad-vehicle-models`: Ford Escort, BMW 320i, VW Vanagon, and
/// a truck without trailer.
const VEHICLES: [(char, f64, f64); 4] =
    [('1', 4.298, 1.674), ('2', 4.508, 1.610), ('3', 4.569, 1.844), ('4', 5.1, 2.55)];

/// See the module.
pub(super) fn ego(text: &str, name: &Path, scenario: &Scenario) -> Result<Ego, FormatError> {
    let document = xml::parse(name, text)?;
    let file = File { name };
    let root = document.root_element();
    if root.tag_name().name() != "CommonRoadSolution" {
        let problem = format!("its first element is <{}>, not <CommonRoadSolution>", excerpt(root.tag_name().name()));
        return Err(FormatError::new(name, problem).remedy("give a CommonRoad solution, a JSON or a CSV file"));
    }
    let Some(time_step) = scenario.time_step else {
        let error = FormatError::new(name, "a solution counts in time steps, and the scenario has no timeStepSize");
        return Err(error.remedy("use it with a CommonRoad scenario"));
    };
    let benchmark = root.attribute("benchmark_id").unwrap_or("");
    let parts: Vec<&str> = benchmark.split(':').collect();
    let vehicles: Vec<&str> = parts[0].trim_matches(['[', ']']).split(',').map(str::trim).collect();
    let trajectories: Vec<Node<'_, '_>> = root.children().filter(Node::is_element).collect();
    if vehicles.len() != trajectories.len() {
        let problem = format!(
            "benchmark_id {:?} names {} vehicles, and there are {} trajectories",
            excerpt(benchmark),
            vehicles.len(),
            trajectories.len()
        );
        return Err(file.wrong(root, problem, "give one trajectory per vehicle"));
    }
    let mut candidates = Vec::new();
    for (vehicle, element) in vehicles.into_iter().zip(trajectories) {
        candidates.push(candidate(&file, vehicle, element, time_step)?);
    }
    Ok(Ego { shape: None, candidates, warnings: mismatch(scenario, parts.get(2).copied()).into_iter().collect() })
}

/// Warning about a solution of another scenario: such files exist, and are read.
fn mismatch(scenario: &Scenario, meant: Option<&str>) -> Option<String> {
    let (known, meant) = (scenario.benchmark.as_deref()?, meant?);
    (known != meant).then(|| format!("the solution is for {:?}, the scenario is {:?}", excerpt(meant), excerpt(known)))
}

fn candidate(file: &File<'_>, vehicle: &str, element: Node<'_, '_>, time_step: f64) -> Result<Candidate, FormatError> {
    let tag = element.tag_name().name();
    let state_tag = match tag {
        "pmTrajectory" => "pmState",
        "ksTrajectory" => "ksState",
        "stTrajectory" => "stState",
        "mbTrajectory" => "mbState",
        "kstTrajectory" => {
            return Err(file.wrong(
                element,
                "a vehicle with a trailer is not one rectangle",
                "write both bodies as JSON",
            ));
        }
        other => {
            let problem = format!("<{}> holds no states", excerpt(other));
            return Err(file.wrong(element, problem, "give pmTrajectory, ksTrajectory, stTrajectory or mbTrajectory"));
        }
    };
    let kind = vehicle.chars().last();
    let Some((_, length, width)) = VEHICLES.iter().find(|(known, ..)| Some(*known) == kind) else {
        let problem = format!("the vehicle {:?} of benchmark_id is not known", excerpt(vehicle));
        return Err(file.wrong(element, problem, "model and type, such as KS3; types 1 to 4 are known"));
    };
    let shape = Compound::rectangle(*length, *width).map_err(|error| file.wrong(element, error.to_string(), ""))?;
    let mut poses = Vec::new();
    for state in element.children().filter(Node::is_element) {
        if !state.has_tag_name(state_tag) {
            let problem = format!("<{}> stands among <{state_tag}>", excerpt(state.tag_name().name()));
            return Err(file.wrong(state, problem, "give states of one model"));
        }
        let heading =
            if tag == "pmTrajectory" { velocity_heading(file, state)? } else { file.number(state, "orientation")? };
        poses.push([
            file.number(state, "time")? * time_step,
            file.number(state, "x")?,
            file.number(state, "y")?,
            heading,
        ]);
    }
    let trajectory =
        Trajectory::planar(poses).map_err(|error| file.wrong(element, error.to_string(), "states count from 0"))?;
    let name = element.attribute("planningProblem").unwrap_or("ego").to_owned();
    Ok(Candidate { name, shape: Arc::new(shape), trajectory })
}

fn velocity_heading(file: &File<'_>, state: Node<'_, '_>) -> Result<f64, FormatError> {
    let (x, y) = (file.number(state, "xVelocity")?, file.number(state, "yVelocity")?);
    if x == 0.0 && y == 0.0 {
        let problem = "a point mass at rest has no heading";
        return Err(file.wrong(state, problem, "give another model, or JSON with headings"));
    }
    Ok(libm::atan2(y, x))
}
