//! Selects the controllers that run a path, and determines the resulting curve.

use std::path::Path;

use super::{Execution, PathPoints};
use crate::FormatError;
use crate::controllers::{Controller, Method};
use pathproof::robot::Interpolation;
use pathproof::scene::Scene;

impl PathPoints {
    /// Execution of the path by the controllers of `how`, with its assumptions in the notes; `None` if `how` names
    /// none.
    pub(super) fn settled(
        &self,
        scene: &Scene,
        how: &Execution,
        notes: &mut Vec<String>,
        file: &Path,
    ) -> Result<Option<Execution>, FormatError> {
        let Some(controllers) = &how.controllers else { return Ok(None) };
        if self.polynomials.is_some() {
            return Err(FormatError::new(file, "the file states polynomials, which no trajectory controller takes")
                .remedy("leave --controller out"));
        }
        let chosen = controllers.for_joints(&self.moved(how), scene)?;
        let controller = chosen[0];
        if controller.method == Method::None {
            let problem = format!(
                "{:?} has interpolation_method none: it commands waypoint after waypoint in steps, and nothing says what \
                 the robot does in between",
                controller.name
            );
            return Err(FormatError::new(controllers.file(), problem)
                .remedy("set interpolation_method: splines, or leave --controller out"));
        }
        let is_upsampled = controller.upsampling.is_some() && self.derivatives.is_none() && !self.is_action_goal;
        let interpolation = if is_upsampled { Interpolation::Upsampled } else { Interpolation::Controller };
        self.require_agreement(interpolation, controller, how, controllers.file())?;
        notes.extend(chosen.iter().flat_map(|controller| controller_notes(controller, controllers.file())));
        notes.extend(self.upsampling_note(controller));
        let frequency = controller.upsampling.filter(|frequency| is_upsampled && *frequency > 0.0);
        Ok(Some(Execution {
            interpolation: Some(interpolation),
            policy_frequency: frequency,
            controllers: None,
            ..how.clone()
        }))
    }

    /// Variables that the path moves, or that are elsewhere before it.
    fn moved(&self, how: &Execution) -> Vec<usize> {
        let first = &self.waypoints[0];
        let rates = self.derivatives.iter().flat_map(|all| all.velocities.iter().chain(&all.accelerations)).flatten();
        let rates: Vec<&Vec<f64>> = rates.collect();
        let is_moved = |&place: &usize| {
            let elsewhere = how.from.iter().map(|from| &from.positions).chain(&self.waypoints);
            elsewhere.into_iter().any(|q| q[place] != first[place]) || rates.iter().any(|list| list[place] != 0.0)
        };
        (0..first.len()).filter(is_moved).collect()
    }

    /// Refuses options that contradict the controller.
    fn require_agreement(
        &self,
        runs: Interpolation,
        controller: &Controller,
        how: &Execution,
        file: &Path,
    ) -> Result<(), FormatError> {
        // Without velocities and upsampling, the controller runs straight lines.
        let is_same = |asked: Interpolation| {
            asked == runs
                || asked == Interpolation::Linear && runs == Interpolation::Controller && self.derivatives.is_none()
        };
        if let Some(asked) = how.interpolation.filter(|asked| !is_same(*asked)) {
            let (name, asked, runs) = (&controller.name, asked.name(), runs.name());
            let problem = format!("--interpolation {asked} contradicts {name:?}, which runs this path as {runs}");
            return Err(FormatError::new(file, problem).remedy("leave one of --interpolation and --controller out"));
        }
        let own = controller.upsampling.unwrap_or(0.0);
        if let Some(asked) = how.policy_frequency.filter(|asked| *asked != own) {
            let name = &controller.name;
            let problem = format!("--policy-frequency {asked} contradicts {name:?}, which has {own}");
            return Err(FormatError::new(file, problem).remedy("leave --policy-frequency out"));
        }
        Ok(())
    }

    /// Note on the way by which the points are assumed to reach a controller that upsamples.
    fn upsampling_note(&self, controller: &Controller) -> Option<String> {
        let text = match (controller.upsampling, &self.derivatives, self.is_action_goal) {
            (None, ..) => return None,
            (Some(_), Some(_), _) => "positions_upsampling leaves points with velocities or accelerations as they are",
            (Some(_), None, true) => "positions_upsampling leaves goals of the action as they are: straight lines",
            (Some(_), None, false) => {
                "the points are taken to be published on the controller's topic, which upsamples them; a goal of the \
                 action runs straight lines (--interpolation linear without --controller)"
            }
        };
        Some(text.to_owned())
    }
}

/// Assumptions about a controller.
fn controller_notes(controller: &Controller, file: &Path) -> [String; 2] {
    let Controller { name, upsampling, .. } = controller;
    let upsampling = match upsampling {
        None => "off".to_owned(),
        Some(0.0) => "on".to_owned(),
        Some(frequency) => format!("on, policy_frequency {frequency} Hz"),
    };
    let tolerances = controller.tolerances_text().map_or("it has no tolerances along the path".to_owned(), |text| {
        format!("its tolerances ({text}) are not part of the proof")
    });
    [
        format!(
            "run by {name:?} of {}: interpolation_method splines, positions_upsampling {upsampling}",
            file.display()
        ),
        format!(
            "{name:?}: the curve that it commands is proven; {tolerances}: --clearance is for how far the robot may be off"
        ),
    ]
}
