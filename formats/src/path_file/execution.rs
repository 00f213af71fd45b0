//! Turns the points of a path into a motion: interpolation, initial state, and limits along the curve.

use std::path::Path;

use super::PathPoints;
use crate::FormatError;
use crate::controllers::Controllers;
use pathproof::path::{Motion, PathError, Version};
use pathproof::robot::VariableKind;
use pathproof::robot::interpolation::{self, Interpolation, InterpolationError, Knot};
use pathproof::scene::{Scene, SpeedExcess};

/// Execution of a path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Execution {
    /// Interpolation between waypoints. Default: the controller's, if the path has velocities or accelerations; else
    /// straight lines.
    pub interpolation: Option<Interpolation>,
    /// Points per second if the controller generates times for positions alone ([`Interpolation::Upsampled`]).
    pub policy_frequency: Option<f64>,
    /// Controllers of the machine, which determine the interpolation. Default: unknown.
    pub controllers: Option<Controllers>,
    /// State of the robot before the path. Default: at the first waypoint, at rest.
    pub from: Option<CurrentState>,
    /// Variables that wrap: the first piece takes the shorter way round.
    pub wraps: Vec<usize>,
    /// True to ignore joint limits along the curve, as at the waypoints. Default: false.
    pub ignore_limits: bool,
}

/// State of a robot, in the scene's order of variables.
#[derive(Clone, Debug, PartialEq)]
pub struct CurrentState {
    /// Positions.
    pub positions: Vec<f64>,
    /// Velocities per second, if known.
    pub velocities: Option<Vec<f64>>,
}

/// Path as it is executed.
#[derive(Clone, Debug, PartialEq)]
pub struct Executed {
    /// Everything that may run.
    pub motion: Motion,
    /// Warnings for the reader of an answer about this path.
    pub warnings: Vec<String>,
    /// Assumptions that the caller did not state.
    pub notes: Vec<String>,
    /// Warnings about joints that are faster than the robot's description allows.
    pub speed_warnings: Vec<String>,
    /// True if answers should name the interpolation, because the file leaves it open.
    pub names_interpolation: bool,
}

const TIMES_REMEDY: &str =
    "write times for all points (time_from_start, or a column `time`), or pass --interpolation linear";

impl PathPoints {
    /// Execution of the path. `file` is only named in messages.
    pub fn executed(mut self, scene: &Scene, how: &Execution, file: &Path) -> Result<Executed, FormatError> {
        let mut notes = Vec::new();
        let settled = self.settled(scene, how, &mut notes, file)?;
        let how = settled.as_ref().unwrap_or(how);
        let interpolation = self.interpolation(how, file)?;
        let has_rates = self.derivatives.is_some();
        if interpolation == Interpolation::Linear {
            self.warnings.extend(self.lines_warning(file));
        }
        let warnings = std::mem::take(&mut self.warnings);
        let no_motion = |error: PathError| FormatError::new(file, error.to_string());
        let motion = match interpolation {
            Interpolation::Linear => self.lines(),
            Interpolation::Polynomials => {
                let motion = Motion::polynomials(scene.model(), &self.polynomials.unwrap_or_default());
                let timed = motion.and_then(|motion| match self.times {
                    Some(times) => motion.with_times(times),
                    None => Ok(motion),
                });
                timed.map_err(no_motion)?
            }
            Interpolation::NaturalCubic => self.natural_cubic(scene, file)?,
            Interpolation::Controller => self.controlled(scene, how, &mut notes, file)?,
            Interpolation::Upsampled => self.upsampled(scene, how, &mut notes, file)?,
        };
        if motion.is_straight() && motion.waypoints().len() == 1 {
            notes.clear();
        }
        if !how.ignore_limits {
            check_limits(&motion, scene, file)?;
        }
        let speed_warnings = speed_warnings(&motion, scene, file);
        let names_interpolation = has_rates || !motion.is_straight();
        Ok(Executed { motion, warnings, notes, speed_warnings, names_interpolation })
    }

    /// Interpolation that is requested, or implied by the points; refuses one that does not fit them.
    fn interpolation(&self, how: &Execution, file: &Path) -> Result<Interpolation, FormatError> {
        // A single state is a configuration, unless it has a time.
        let is_given = self.derivatives.is_some() && (self.waypoints.len() > 1 || self.times.is_some());
        let default = match (&self.polynomials, is_given) {
            (Some(_), _) => Interpolation::Polynomials,
            (None, true) => Interpolation::Controller,
            (None, false) => Interpolation::Linear,
        };
        let interpolation = how.interpolation.unwrap_or(default);
        let wrong = |problem: String, remedy: &str| Err(FormatError::new(file, problem).remedy(remedy));
        if self.polynomials.is_some() != (interpolation == Interpolation::Polynomials) {
            return match self.polynomials {
                Some(_) => wrong(
                    "the file states polynomials, between which nothing is interpolated".to_owned(),
                    "leave --interpolation out",
                ),
                None => wrong("the file states no polynomials".to_owned(), "choose another interpolation"),
            };
        }
        if interpolation != Interpolation::Upsampled && how.policy_frequency.is_some() {
            return wrong(
                "a policy frequency makes up times for positions that are upsampled, and these are not".to_owned(),
                "leave it out, or pass --interpolation upsampled",
            );
        }
        let is_controlled = matches!(interpolation, Interpolation::Controller | Interpolation::Upsampled);
        if is_controlled && self.has_moving_base {
            return wrong(
                "the base moves by transforms, and what a controller runs for it together with the joints is not known"
                    .to_owned(),
                "pass --interpolation linear, for straight lines between all waypoints",
            );
        }
        if !is_controlled && (how.from.is_some() || !how.wraps.is_empty()) {
            let meaning = interpolation.meaning();
            return wrong(
                format!("--from and --wrap say where a controller starts, but this is {meaning}"),
                "leave them out, or pass --interpolation controller",
            );
        }
        Ok(interpolation)
    }

    fn natural_cubic(self, scene: &Scene, file: &Path) -> Result<Motion, FormatError> {
        let Some(times) = self.times else {
            return Err(FormatError::new(file, "a spline needs the times of its waypoints").remedy(TIMES_REMEDY));
        };
        Motion::natural_cubic(scene.model(), times, self.waypoints).map_err(|error| refusal(&error, file))
    }

    /// Motion that a controller runs. Starts at the current state if that is not the first waypoint.
    fn controlled(
        self,
        scene: &Scene,
        how: &Execution,
        notes: &mut Vec<String>,
        file: &Path,
    ) -> Result<Motion, FormatError> {
        let Some(knots) = self.knots() else {
            if self.derivatives.is_some() || how.from.is_some() {
                let problem = "the waypoints have no times, without which a controller runs nothing";
                return Err(FormatError::new(file, problem).remedy(TIMES_REMEDY));
            }
            return Ok(self.lines());
        };
        let current = current_state(scene, how, &knots[0], notes, file)?;
        let (points, first_time) = (knots.len(), knots[0].time);
        let motion = Motion::controller(scene.model(), knots, current).map_err(|error| refusal(&error, file))?;
        notes.extend(start_note(&motion, points, first_time));
        if motion.has_older_version() {
            notes.push("segment 0 is proven as newer and as older versions of the controller run it".to_owned());
        }
        Ok(motion)
    }
}

/// Note about a segment before the first of this many waypoints.
pub(super) fn start_note(motion: &Motion, points: usize, first_time: f64) -> Option<String> {
    (motion.waypoints().len() > points).then(|| {
        format!("segment 0 is what the controller runs from the current state to the first waypoint, {first_time} s")
    })
}

/// State from which the controller moves to the first waypoint; `None` if the robot is there at time 0.
pub(super) fn current_state(
    scene: &Scene,
    how: &Execution,
    first: &Knot,
    notes: &mut Vec<String>,
    file: &Path,
) -> Result<Option<Knot>, FormatError> {
    let Some(from) = &how.from else {
        let moves = first.velocities.iter().flatten().any(|velocity| *velocity != 0.0);
        notes.push(match first.time > 0.0 || !moves {
            true => "the robot is taken to start at the first waypoint, at rest (--from says otherwise)".to_owned(),
            false => "the first waypoint is at time 0 with velocities: the robot is taken to pass it as fast as that, \
                      not to start at rest"
                .to_owned(),
        });
        let velocities = Some(vec![0.0; first.positions.len()]);
        let current = Knot { time: 0.0, positions: first.positions.clone(), velocities, accelerations: None };
        return Ok((first.time > 0.0).then_some(current));
    };
    let mut positions = from.positions.clone();
    for &variable in &how.wraps {
        positions[variable] = interpolation::wrapped(positions[variable], first.positions[variable]);
    }
    if first.time > 0.0 {
        return Ok(Some(Knot { time: 0.0, positions, velocities: from.velocities.clone(), accelerations: None }));
    }
    let mut variables = scene.model().variables().iter().zip(positions.iter().zip(&first.positions));
    match variables.find(|(variable, (a, b))| variable.kind != VariableKind::Quaternion && a != b) {
        None => check_speed(scene, from, first, file).map(|()| None),
        Some((variable, (a, b))) => Err(FormatError::new(
            file,
            format!(
                "{:?} is at {a} (--from), but the first waypoint has it at {b} and no time to get there",
                variable.name
            ),
        )
        .remedy("give the first waypoint a time after 0, or leave --from out")),
    }
}

/// Checks the velocity at a first waypoint at time 0: it is passed at that velocity, with no time to accelerate.
fn check_speed(scene: &Scene, from: &CurrentState, first: &Knot, file: &Path) -> Result<(), FormatError> {
    let (Some(now), Some(wanted)) = (&from.velocities, &first.velocities) else { return Ok(()) };
    let mut variables = scene.model().variables().iter().zip(now.iter().zip(wanted));
    variables.find(|(_, (a, b))| a != b).map_or(Ok(()), |(variable, (a, b))| {
        let name = &variable.name;
        let problem = format!(
            "{name:?} moves at {a} per second (--from), but the first waypoint has it at {b} and no time to change that"
        );
        let remedy = "give the first waypoint a time after 0, or leave the velocities of --from out";
        Err(FormatError::new(file, problem).remedy(remedy))
    })
}

fn check_limits(motion: &Motion, scene: &Scene, file: &Path) -> Result<(), FormatError> {
    for (version, curve) in motion.curves() {
        let Some(found) = scene.curve_violation(curve) else { continue };
        let how = of_version(version);
        let time = motion.time_at(found.piece, found.t).map_or(String::new(), |time| format!(", at {time:.4} s"));
        let place = format!("segment {}, t = {:.4}{time}", found.piece, found.t);
        let problem = format!("along the curve{how} the joint {}", found.violation);
        return Err(FormatError::new(file, problem)
            .at(place)
            .remedy("slow down, add a waypoint, or pass --ignore-limits"));
    }
    Ok(())
}

fn speed_warnings(motion: &Motion, scene: &Scene, file: &Path) -> Vec<String> {
    let Some(times) = motion.times() else { return Vec::new() };
    let durations: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mut warnings = Vec::new();
    for (version, curve) in motion.curves() {
        let how = of_version(version);
        warnings.extend(scene.speed_excesses(curve, &durations).into_iter().map(|excess| {
            let SpeedExcess { joint, piece, t, speed, limit } = excess;
            let (file, time) = (file.display(), motion.time_at(piece, t).unwrap_or_default());
            format!("{file}:{how} {joint:?} reaches {speed:.4} per second at {time:.4} s, above its limit of {limit}")
        }));
    }
    warnings
}

fn of_version(version: Version) -> &'static str {
    match version {
        Version::Newest => "",
        Version::OlderController => " as older versions of the controller run it",
    }
}

pub(super) fn refusal(error: &PathError, file: &Path) -> FormatError {
    let (problem, remedy) = match error {
        PathError::Start(InterpolationError::AccelerationsAlone { .. }) => (
            "the first waypoint has accelerations and no velocities, for which the controller commands 0".to_owned(),
            "write velocities too",
        ),
        PathError::Interpolation(InterpolationError::AccelerationsAlone { .. }) => {
            (error.to_string(), "write velocities too, or pass --interpolation linear")
        }
        PathError::Interpolation(InterpolationError::NotLater { .. })
        | PathError::Start(InterpolationError::NotLater { .. }) => {
            (error.to_string(), "let times grow from waypoint to waypoint, or pass --interpolation linear")
        }
        _ => (error.to_string(), ""),
    };
    FormatError::new(file, problem).remedy(remedy)
}
