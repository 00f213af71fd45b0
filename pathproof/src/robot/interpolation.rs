//! Interpolation between the points of a trajectory: straight lines, the polynomials of a trajectory controller, or a
//! natural cubic spline (docs/design.md#curves).
//!
//! The controller is ros2_control's joint_trajectory_controller: linear, cubic or quintic, by the fields that *both*
//! points of a piece have for all joints. Nothing here is an estimate: every polynomial carries a bound on its
//! rounding.

use super::model::{Model, VariableKind};
use super::polynomial::{KnotState, Polynomial};
use super::upsampling;
use crate::numeric::{ROUNDOFF_F64, add_up, most};

/// Interpolation between the points of a trajectory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Straight lines in joint space.
    #[default]
    Linear,
    /// The polynomials of joint_trajectory_controller.
    Controller,
    /// The polynomials of joint_trajectory_controller for positions alone, with its option `positions_upsampling`.
    Upsampled,
    /// The cubic spline through the points whose second derivative is 0 at both ends.
    NaturalCubic,
    /// Polynomials that the path itself states.
    Polynomials,
}

impl Interpolation {
    /// Its name on the command line and in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Controller => "controller",
            Self::Upsampled => "upsampled",
            Self::NaturalCubic => "natural-cubic",
            Self::Polynomials => "polynomials",
        }
    }

    /// Its meaning, for people.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Linear => "straight lines between waypoints",
            Self::Controller => "what joint_trajectory_controller runs between waypoints",
            Self::Upsampled => "the spline that joint_trajectory_controller makes of positions (positions_upsampling)",
            Self::NaturalCubic => "the natural cubic spline through the waypoints",
            Self::Polynomials => "the polynomials of the file",
        }
    }
}

/// A point of a trajectory; lists are in the model's order of variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Knot {
    /// Its time, in seconds.
    pub time: f64,
    /// Positions.
    pub positions: Vec<f64>,
    /// Velocities per second, if given.
    pub velocities: Option<Vec<f64>>,
    /// Accelerations per second squared, if given.
    pub accelerations: Option<Vec<f64>>,
}

/// Reason why points do not make a curve.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum InterpolationError {
    /// Both points of a piece have accelerations and not both velocities.
    #[error("waypoints {piece} and {} have accelerations and not both velocities, for which the controller commands 0", piece + 1)]
    AccelerationsAlone {
        /// The earlier point.
        piece: usize,
    },
    /// A list of a point has another length than the model has variables.
    #[error("waypoint {waypoint} has a list of {found} values where the robot has {needed} joint values")]
    Length {
        /// The point.
        waypoint: usize,
        /// Values in the list.
        found: usize,
        /// Variables of the model.
        needed: usize,
    },
    /// Times must increase.
    #[error("waypoint {} is at {to} s, not after the one before it at {from} s", piece + 1)]
    NotLater {
        /// The earlier point.
        piece: usize,
        /// Its time.
        from: f64,
        /// The time of the later one.
        to: f64,
    },
}

/// The motion of joint_trajectory_controller between points: a polynomial per variable for each piece.
pub fn controller(model: &Model, knots: &[Knot]) -> Result<Vec<Vec<Polynomial>>, InterpolationError> {
    knots.iter().enumerate().try_for_each(|(waypoint, knot)| check_lengths(model, waypoint, knot))?;
    let piece = |(index, pair): (usize, &[Knot])| controller_piece(model, index, &pair[0], &pair[1]);
    knots.windows(2).enumerate().map(piece).collect()
}

/// The points with the velocities that joint_trajectory_controller gives them with `positions_upsampling`, and its
/// motion between them: cubics, at rest at both ends of the trajectory. A single point gets no velocities. Given
/// velocities and accelerations are ignored: the controller upsamples positions alone.
pub(crate) fn upsampled(
    model: &Model,
    mut knots: Vec<Knot>,
) -> Result<(Vec<Knot>, Vec<Vec<Polynomial>>), InterpolationError> {
    knots.iter().enumerate().try_for_each(|(waypoint, knot)| check_lengths(model, waypoint, knot))?;
    let step = |(index, pair): (usize, &[Knot])| duration(index, pair[0].time, pair[1].time);
    let steps: Vec<f64> = knots.windows(2).enumerate().map(step).collect::<Result<_, _>>()?;
    let needed = model.variables().len();
    for knot in &mut knots {
        (knot.velocities, knot.accelerations) = ((!steps.is_empty()).then(|| vec![0.0; needed]), None);
    }
    let mut errors = vec![0.0; needed];
    for (place, error) in errors.iter_mut().enumerate().filter(|_| !steps.is_empty()) {
        let values: Vec<f64> = knots.iter().map(|knot| knot.positions[place]).collect();
        let (velocities, upper_error) = upsampling::rest_to_rest(&steps, &values);
        *error = upper_error;
        for (knot, velocity) in knots.iter_mut().zip(velocities) {
            knot.velocities.as_mut().expect("all have some")[place] = velocity;
        }
    }
    let mut pieces = controller(model, &knots)?;
    for (piece, step) in pieces.iter_mut().zip(&steps) {
        for ((polynomial, error), variable) in piece.iter_mut().zip(&errors).zip(model.variables()) {
            // The inner coefficients are positions and a third of velocity times duration.
            if variable.kind != VariableKind::Quaternion {
                *polynomial = polynomial.with_error(error * step);
            }
        }
    }
    Ok((knots, pieces))
}

/// The motion of joint_trajectory_controller from the robot's current state to the first point of a trajectory.
/// Versions differ if the state has no velocities or accelerations: newer ones take them as 0, older ones lower the
/// degree. Returns both if they differ, the newer first.
pub fn controller_start(
    model: &Model,
    current: &Knot,
    first: &Knot,
) -> Result<Vec<Vec<Polynomial>>, InterpolationError> {
    [current, first].into_iter().try_for_each(|knot| check_lengths(model, 0, knot))?;
    let zeros = vec![0.0; current.positions.len()];
    let filled = Knot {
        velocities: Some(current.velocities.clone().unwrap_or_else(|| zeros.clone())),
        accelerations: Some(current.accelerations.clone().unwrap_or(zeros)),
        ..current.clone()
    };
    let newer = controller_piece(model, 0, &filled, first)?;
    let older = controller_piece(model, 0, current, first)?;
    Ok(if newer == older { vec![newer] } else { vec![newer, older] })
}

/// Requires every list of a point to have a value per variable.
fn check_lengths(model: &Model, waypoint: usize, knot: &Knot) -> Result<(), InterpolationError> {
    let needed = model.variables().len();
    let lists = [Some(&knot.positions), knot.velocities.as_ref(), knot.accelerations.as_ref()];
    match lists.into_iter().flatten().find(|list| list.len() != needed) {
        None => Ok(()),
        Some(list) => Err(InterpolationError::Length { waypoint, found: list.len(), needed }),
    }
}

/// Start that joint_trajectory_controller uses for a joint that wraps: less than half a turn from the first point.
pub fn wrapped(current: f64, first: f64) -> f64 {
    let turn = std::f64::consts::TAU;
    let away = (first - current) % turn;
    let is_half = (away.abs() - turn / 2.0).abs() < 1e-9;
    let away = if is_half {
        // Both ways are equally short.
        if first > current { away.abs() } else { -away.abs() }
    } else if away > turn / 2.0 {
        away - turn
    } else if away < -turn / 2.0 {
        away + turn
    } else {
        away
    };
    first - away
}

fn controller_piece(
    model: &Model,
    index: usize,
    start: &Knot,
    goal: &Knot,
) -> Result<Vec<Polynomial>, InterpolationError> {
    let has_velocities = start.velocities.is_some() && goal.velocities.is_some();
    if !has_velocities && start.accelerations.is_some() && goal.accelerations.is_some() {
        return Err(InterpolationError::AccelerationsAlone { piece: index });
    }
    let duration = duration(index, start.time, goal.time)?;
    let state = |knot: &Knot, i: usize| KnotState {
        position: knot.positions[i],
        velocity: knot.velocities.as_ref().map(|v| v[i]),
        acceleration: knot.accelerations.as_ref().map(|a| a[i]),
    };
    let polynomial = |i: usize| match model.variables()[i].kind {
        VariableKind::Quaternion => Polynomial::line(start.positions[i], goal.positions[i]),
        _ => Polynomial::between(state(start, i), state(goal, i), duration),
    };
    Ok((0..model.variables().len()).map(polynomial).collect())
}

/// The natural cubic spline through points that are reached at these times.
pub fn natural_cubic(
    model: &Model,
    times: &[f64],
    waypoints: &[Vec<f64>],
) -> Result<Vec<Vec<Polynomial>>, InterpolationError> {
    let needed = model.variables().len();
    if let Some((waypoint, q)) = waypoints.iter().enumerate().find(|(_, q)| q.len() != needed) {
        return Err(InterpolationError::Length { waypoint, found: q.len(), needed });
    }
    let steps: Vec<f64> = times
        .windows(2)
        .enumerate()
        .map(|(index, pair)| duration(index, pair[0], pair[1]))
        .collect::<Result<_, _>>()?;
    let mut pieces = vec![Vec::with_capacity(model.variables().len()); steps.len()];
    for (variable, place) in model.variables().iter().zip(0..) {
        let values: Vec<f64> = waypoints.iter().map(|q| q[place]).collect();
        let is_line = variable.kind == VariableKind::Quaternion || values.iter().all(|q| *q == values[0]);
        let spline = if is_line { None } else { Some(spline_velocities(&steps, &values)) };
        for (index, piece) in pieces.iter_mut().enumerate() {
            let [from, to] = [values[index], values[index + 1]];
            piece.push(match &spline {
                None => Polynomial::line(from, to),
                Some((velocities, errors)) => {
                    let state = |i: usize| KnotState { velocity: Some(velocities[i]), ..KnotState::at(values[i]) };
                    let polynomial = Polynomial::between(state(index), state(index + 1), steps[index]);
                    // The inner coefficients are positions and a third of velocity times duration.
                    polynomial.with_error(most(errors[index], errors[index + 1]) * steps[index])
                }
            });
        }
    }
    Ok(pieces)
}

/// Velocities of the natural cubic spline at its points, and upper bounds on their errors.
///
/// Its second derivatives M solve h_{i−1} M_{i−1} + 2 (h_{i−1} + h_i) M_i + h_i M_{i+1} = 6 (s_i − s_{i−1}), with
/// slopes s. The computed M leave a residual r, and the diagonal exceeds the rest of its row by h_{i−1} + h_i. So the
/// error of M is at most the largest |r_i|/(h_{i−1} + h_i), however M was computed. A velocity is s_i − h_i (2 M_i +
/// M_{i+1})/6.
fn spline_velocities(steps: &[f64], values: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let n = steps.len();
    let slopes: Vec<f64> = (0..n).map(|i| (values[i + 1] - values[i]) / steps[i]).collect();
    let right = |i: usize| 6.0 * (slopes[i] - slopes[i - 1]);
    // Elimination downwards, then back.
    let mut second = vec![0.0; n + 1];
    let mut factors = vec![0.0; n + 1];
    for i in 1..n {
        let pivot = 2.0 * (steps[i - 1] + steps[i]) - steps[i - 1] * factors[i - 1];
        factors[i] = steps[i] / pivot;
        second[i] = (right(i) - steps[i - 1] * second[i - 1]) / pivot;
    }
    for i in (1..n).rev() {
        second[i] -= factors[i] * second[i + 1];
    }
    let mut second_error = 0.0;
    for i in 1..n {
        let terms = [
            steps[i - 1] * second[i - 1],
            2.0 * (steps[i - 1] + steps[i]) * second[i],
            steps[i] * second[i + 1],
            -right(i),
        ];
        let residual: f64 = terms.iter().sum();
        let sizes =
            terms.iter().fold(0.0, |sum, term| sum + term.abs()) + 6.0 * (slopes[i].abs() + slopes[i - 1].abs());
        let error = (residual.abs() + 16.0 * ROUNDOFF_F64 * sizes) / (steps[i - 1] + steps[i]);
        second_error = most(second_error, error);
    }
    let velocity = |i: usize| {
        let (step, bend, slope) = match i {
            _ if i < n => (steps[i], -(2.0 * second[i] + second[i + 1]), slopes[i]),
            _ => (steps[n - 1], 2.0 * second[n] + second[n - 1], slopes[n - 1]),
        };
        (slope + step * bend / 6.0, step, slope.abs() + step * bend.abs())
    };
    let with_error = |i: usize| {
        let (velocity, step, sizes) = velocity(i);
        (velocity, add_up(step * second_error, 16.0 * ROUNDOFF_F64 * sizes) * (1.0 + 1e-9))
    };
    (0..=n).map(with_error).unzip()
}

/// The time between two points; must be positive.
fn duration(piece: usize, from: f64, to: f64) -> Result<f64, InterpolationError> {
    let duration = to - from;
    // Written so that NaN is refused.
    if duration > 0.0 && duration.is_finite() {
        Ok(duration)
    } else {
        Err(InterpolationError::NotLater { piece, from, to })
    }
}
