//! What is executed between the waypoints of a path: which interpolation, from where, and whether limits hold along it.

use std::path::Path;

use super::LoadedPath;
use crate::formats::FormatError;
use crate::robot::interpolation::{self, Interpolation, InterpolationError, Knot};
use crate::robot::{Curve, CurveError, Polynomial, VariableKind};
use crate::scene::{Scene, SpeedExcess};

/// How a path is executed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Execution {
    /// What runs between waypoints. Default: what the controller runs, where the path has velocities or accelerations; else
    /// straight lines.
    pub interpolation: Option<Interpolation>,
    /// Where the robot is before. Default: at the first waypoint, at rest.
    pub from: Option<CurrentState>,
    /// Variables that wrap: the first piece takes the shorter way round.
    pub wraps: Vec<usize>,
    /// Whether joint limits are ignored along the curve, as at the waypoints. Default: no.
    pub ignore_limits: bool,
}

/// Where a robot is, in the scene's order of variables.
#[derive(Clone, Debug, PartialEq)]
pub struct CurrentState {
    /// Positions.
    pub positions: Vec<f64>,
    /// Velocities per second, where they are known.
    pub velocities: Option<Vec<f64>>,
}

/// A path as it is executed, and what is to be said about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Executed {
    /// The path, with its curve; where the robot starts elsewhere than at the first waypoint, or is to be brought up to
    /// speed, with the current state before the others.
    pub path: LoadedPath,
    /// What was taken without being named.
    pub notes: Vec<String>,
    /// Joints that are faster than the robot's description allows.
    pub speed_warnings: Vec<String>,
}

const TIMES_REMEDY: &str = "write time_from_start for all points, or pass --interpolation linear";

impl LoadedPath {
    /// The path as it is executed. `file` is only named in messages.
    pub fn executed(mut self, scene: &Scene, how: &Execution, file: &Path) -> Result<Executed, FormatError> {
        let mut notes = Vec::new();
        // One state alone is a configuration, unless it is to be reached in time.
        let is_given = self.derivatives.is_some() && (self.waypoints.len() > 1 || self.times.is_some());
        let default = match (&self.polynomials, is_given) {
            (Some(_), _) => Interpolation::Polynomials,
            (None, true) => Interpolation::Controller,
            (None, false) => Interpolation::Linear,
        };
        self.interpolation = how.interpolation.unwrap_or(default);
        let wrong = |problem: String, remedy: &str| FormatError::new(file, problem).remedy(remedy);
        if self.polynomials.is_some() && self.interpolation != Interpolation::Polynomials {
            let problem = "the file states polynomials, between which nothing is interpolated".to_owned();
            return Err(wrong(problem, "leave --interpolation out"));
        }
        let is_controlled = self.interpolation == Interpolation::Controller;
        if !is_controlled && (how.from.is_some() || !how.wraps.is_empty()) {
            let problem = format!(
                "--from and --wrap say where a controller starts, but this is {}",
                self.interpolation.meaning()
            );
            return Err(wrong(problem, "leave them out, or pass --interpolation controller"));
        }
        let pieces = match self.interpolation {
            Interpolation::Linear => {
                self.warnings.extend(self.lines_warning(file));
                None
            }
            Interpolation::Polynomials => self.polynomials.clone(),
            Interpolation::NaturalCubic => Some(self.natural_cubic(scene, file)?),
            Interpolation::Controller => self.controlled(scene, how, &mut notes, file)?,
        };
        let Some(pieces) = pieces.filter(|pieces| !pieces.is_empty()) else {
            if self.waypoints.len() == 1 {
                (self.interpolation, notes) = (Interpolation::Linear, Vec::new());
            }
            return Ok(Executed { path: self, notes, speed_warnings: Vec::new() });
        };
        let no_curve = |error: CurveError| wrong(error.to_string(), "");
        let curve = Curve::from_polynomials(scene.model(), &pieces).map_err(no_curve)?;
        self.curve = Some(curve);
        if !how.ignore_limits {
            self.check_limits(scene, file)?;
        }
        let speed_warnings = self.speed_warnings(scene, file);
        Ok(Executed { path: self, notes, speed_warnings })
    }

    fn natural_cubic(&self, scene: &Scene, file: &Path) -> Result<Vec<Vec<Polynomial>>, FormatError> {
        let Some(times) = &self.times else {
            return Err(FormatError::new(file, "a spline needs the times of its waypoints").remedy(TIMES_REMEDY));
        };
        interpolation::natural_cubic(scene.model(), times, &self.waypoints).map_err(|error| refusal(&error, file))
    }

    /// What a controller runs; `None` for straight lines. Adds the current state where it is not the first waypoint.
    fn controlled(
        &mut self,
        scene: &Scene,
        how: &Execution,
        notes: &mut Vec<String>,
        file: &Path,
    ) -> Result<Option<Vec<Vec<Polynomial>>>, FormatError> {
        let Some(knots) = self.knots() else {
            if self.derivatives.is_some() || how.from.is_some() {
                let problem = "the waypoints have no times, without which a controller runs nothing";
                return Err(FormatError::new(file, problem).remedy(TIMES_REMEDY));
            }
            return Ok(None);
        };
        let model = scene.model();
        let refused = |error: InterpolationError| refusal(&error, file);
        let mut pieces = interpolation::controller(model, &knots).map_err(refused)?;
        let Some(current) = self.current_state(scene, how, &knots[0], notes, file)? else { return Ok(Some(pieces)) };
        let mut versions =
            interpolation::controller_start(model, &current, &knots[0]).map_err(|error| match error {
                InterpolationError::AccelerationsAlone { .. } => FormatError::new(
                    file,
                    "the first waypoint has accelerations and no velocities, for which the controller commands 0",
                )
                .remedy("write velocities too"),
                InterpolationError::NotLater { .. } => refusal(&error, file),
            })?;
        let is_still = |piece: &Vec<Polynomial>| piece.iter().all(|p| p.is_straight() && p.start() == p.end());
        if versions.iter().all(is_still) {
            return Ok(Some(pieces));
        }
        notes.push(format!(
            "segment 0 is what the controller runs from the current state to the first waypoint, {} s",
            knots[0].time
        ));
        self.waypoints.insert(0, current.positions.clone());
        self.times = Some(std::iter::once(0.0).chain(knots.iter().map(|knot| knot.time)).collect());
        if let Some(all) = &mut self.derivatives {
            all.velocities.insert(0, current.velocities.clone());
            all.accelerations.insert(0, None);
        }
        pieces.insert(0, versions.remove(0));
        if !versions.is_empty() {
            notes.push("segment 0 is proven as newer and as older versions of the controller run it".to_owned());
            let no_curve = |error: CurveError| FormatError::new(file, error.to_string());
            self.first_otherwise = Some(Curve::from_polynomials(model, &versions).map_err(no_curve)?);
        }
        Ok(Some(pieces))
    }

    /// The state from which the controller goes to the first waypoint, which is reached later; `None` where it is there at
    /// once.
    fn current_state(
        &self,
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
                false => {
                    "the first waypoint is at time 0 with velocities: the robot is taken to pass it as fast as that, \
                          not to start at rest"
                        .to_owned()
                }
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
            None => self.check_speed(scene, from, first, file).map(|()| None),
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

    /// A first waypoint at time 0 is passed as fast as it says, and no time is left to get that fast.
    fn check_speed(&self, scene: &Scene, from: &CurrentState, first: &Knot, file: &Path) -> Result<(), FormatError> {
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

    fn check_limits(&self, scene: &Scene, file: &Path) -> Result<(), FormatError> {
        for (curve, how) in [(&self.curve, ""), (&self.first_otherwise, " as older versions of the controller run it")]
        {
            let Some(found) = curve.as_ref().and_then(|curve| scene.curve_violation(curve)) else { continue };
            let time = self.time_at(found.piece, found.t).map_or(String::new(), |time| format!(", at {time:.4} s"));
            let place = format!("segment {}, t = {:.4}{time}", found.piece, found.t);
            let problem = format!("along the curve{how} the joint {}", found.violation);
            return Err(FormatError::new(file, problem)
                .at(place)
                .remedy("slow down, add a waypoint, or pass --ignore-limits"));
        }
        Ok(())
    }

    fn speed_warnings(&self, scene: &Scene, file: &Path) -> Vec<String> {
        let Some(times) = &self.times else { return Vec::new() };
        let durations: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mut warnings = Vec::new();
        for (curve, how) in [(&self.curve, ""), (&self.first_otherwise, " as older versions of the controller run it")]
        {
            let Some(curve) = curve else { continue };
            warnings.extend(scene.speed_excesses(curve, &durations).into_iter().map(|excess| {
                let SpeedExcess { joint, piece, t, speed, limit } = excess;
                let (file, time) = (file.display(), self.time_at(piece, t).unwrap_or_default());
                format!(
                    "{file}:{how} {joint:?} reaches {speed:.4} per second at {time:.4} s, above its limit of {limit}"
                )
            }));
        }
        warnings
    }
}

fn refusal(error: &InterpolationError, file: &Path) -> FormatError {
    let remedy = match error {
        InterpolationError::AccelerationsAlone { .. } => "write velocities too, or pass --interpolation linear",
        InterpolationError::NotLater { .. } => {
            "let times grow from waypoint to waypoint, or pass --interpolation linear"
        }
    };
    FormatError::new(file, error.to_string()).remedy(remedy)
}
