//! Limits of velocity and acceleration per joint value, and the proof that a curve keeps them.
//!
//! Branch and bound over Bernstein coefficients, rounded outward, bounds the largest rate on a piece: a limit that is
//! not reported is proven at all times.

use pathproof::path::Motion;
use pathproof::robot::{CurvePiece, Model, Polynomial};
use thiserror::Error;

/// Upper limits per variable of a model, all positive: per second, and per second squared.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    pub(super) velocity: Vec<f64>,
    pub(super) acceleration: Vec<f64>,
}

/// Reason why numbers are no limits.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum LimitsError {
    /// The lists differ in length.
    #[error("{velocities} velocity limits and {accelerations} acceleration limits; give one of each per joint")]
    Lists {
        /// Number of velocity limits.
        velocities: usize,
        /// Number of acceleration limits.
        accelerations: usize,
    },
    /// Not a positive, finite number.
    #[error("the {rate} limit of joint value {variable} is {value}; give a positive number")]
    Value {
        /// The limited rate.
        rate: Rate,
        /// The variable, from 0.
        variable: usize,
        /// The number.
        value: f64,
    },
}

/// A moving joint without a limit.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("the joint {joint:?} has no {rate} limit")]
pub struct MissingLimit {
    /// The joint, or the value of a joint that has several.
    pub joint: String,
    /// The limit that is missing.
    pub rate: Rate,
}

/// A derivative of a joint value by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// Per second.
    Velocity,
    /// Per second squared.
    Acceleration,
}

impl std::fmt::Display for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Velocity => "velocity",
            Self::Acceleration => "acceleration",
        })
    }
}

/// A joint that exceeds its velocity or acceleration limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Excess {
    /// The variable's name.
    pub joint: String,
    /// The rate that exceeds its limit.
    pub rate: Rate,
    /// Time in seconds.
    pub time: f64,
    /// The rate there, in radians or metres.
    pub value: f64,
    /// The limit.
    pub limit: f64,
}

/// Time span of a piece, in seconds.
#[derive(Clone, Copy)]
struct Span {
    from: f64,
    duration: f64,
}

impl Limits {
    /// Limits per variable of a model, in its order.
    pub fn new(velocity: Vec<f64>, acceleration: Vec<f64>) -> Result<Self, LimitsError> {
        if velocity.len() != acceleration.len() {
            return Err(LimitsError::Lists { velocities: velocity.len(), accelerations: acceleration.len() });
        }
        for (rate, list) in [(Rate::Velocity, &velocity), (Rate::Acceleration, &acceleration)] {
            let wrong = list.iter().position(|value| !(*value > 0.0 && value.is_finite()));
            if let Some(variable) = wrong {
                return Err(LimitsError::Value { rate, variable, value: list[variable] });
            }
        }
        Ok(Self { velocity, acceleration })
    }

    /// Limits of a model's joints for a path along these waypoints. `rate_of` gives the limit of a joint by its name;
    /// if a joint has several values, by the name of the value. Values that move need both limits. A joint that follows
    /// another limits the other by its multiplier.
    pub fn of_joints(
        model: &Model,
        waypoints: &[Vec<f64>],
        rate_of: impl Fn(Rate, &str) -> Option<f64>,
    ) -> Result<Self, MissingLimit> {
        let moves = |k: usize| waypoints.iter().any(|q| q[k] != waypoints[0][k]);
        let limit = |rate: Rate, k: usize| {
            let name = &model.variables()[k].name;
            let own = rate_of(rate, name);
            let followers = model.joints().iter().filter(|joint| joint.follows.is_some());
            let by_followers = followers.filter_map(|joint| {
                let source = joint.source.filter(|source| source.variable == k && source.multiplier != 0.0)?;
                Some(rate_of(rate, &joint.name)? / source.multiplier.abs())
            });
            match by_followers.chain(own).min_by(f64::total_cmp) {
                Some(limit) if own.is_some() => Ok(limit),
                // A joint that rests keeps every limit.
                _ if !moves(k) => Ok(1.0),
                _ => Err(MissingLimit { joint: name.clone(), rate }),
            }
        };
        let all = |rate| (0..model.variables().len()).map(|k| limit(rate, k)).collect::<Result<_, _>>();
        Ok(Self { velocity: all(Rate::Velocity)?, acceleration: all(Rate::Acceleration)? })
    }

    /// Number of variables.
    pub fn count(&self) -> usize {
        self.velocity.len()
    }

    /// The largest velocity of a variable.
    pub fn velocity(&self, variable: usize) -> f64 {
        self.velocity[variable]
    }

    /// The largest acceleration of a variable.
    pub fn acceleration(&self, variable: usize) -> f64 {
        self.acceleration[variable]
    }

    /// The first violation of a limit; `None` proves that every version of the motion keeps all limits at all times.
    /// Where velocities jump, as between straight lines, the acceleration is infinite.
    pub fn excess(&self, motion: &Motion, model: &Model) -> Option<Excess> {
        let times = motion.times().unwrap_or_default();
        if motion.is_straight() {
            return self.excess_on_lines(motion, model);
        }
        motion.curves().find_map(|(_, curve)| {
            let span = |index: usize| {
                let from = times.get(index).copied().unwrap_or(f64::NAN);
                Span { from, duration: times.get(index + 1).copied().unwrap_or(f64::NAN) - from }
            };
            let on_piece = |(index, piece): (usize, &CurvePiece)| {
                let before = index.checked_sub(1).map(|before| (&curve.pieces()[before], span(before)));
                (0..self.count()).find_map(|k| {
                    let jump = before.and_then(|before| self.jump(before, (piece, span(index)), k, model));
                    jump.or_else(|| self.excess_on(piece, k, span(index), model))
                })
            };
            curve.pieces().iter().enumerate().find_map(on_piece)
        })
    }

    /// Straight lines change velocity instantly where they begin.
    fn excess_on_lines(&self, motion: &Motion, model: &Model) -> Option<Excess> {
        let waypoints = motion.waypoints();
        let first = waypoints.iter().position(|q| q != &waypoints[0])? - 1;
        let k = (0..self.count()).find(|&k| waypoints[first + 1][k] != waypoints[first][k])?;
        Some(self.infinite(k, motion.time_at(first, 0.0).unwrap_or(0.0), model))
    }

    /// A jump in velocity between one piece and the next that rounding does not explain.
    fn jump(&self, before: (&CurvePiece, Span), after: (&CurvePiece, Span), k: usize, model: &Model) -> Option<Excess> {
        let velocity = |(piece, span): (&CurvePiece, Span), at_end: f64| {
            let polynomial = piece.velocity(k);
            let value = if at_end > 0.5 { polynomial.end() } else { polynomial.start() };
            let error = polynomial.error() + 8.0 * f64::EPSILON * value.abs();
            (value / span.duration, error / span.duration)
        };
        let [(a, error_a), (b, error_b)] = [velocity(before, 1.0), velocity(after, 0.0)];
        // NaN counts as a jump.
        let is_continuous = (a - b).abs() <= 2.0 * (error_a + error_b);
        (!is_continuous).then(|| self.infinite(k, after.1.from, model))
    }

    fn infinite(&self, k: usize, time: f64, model: &Model) -> Excess {
        let (joint, limit) = (model.variables()[k].name.clone(), self.acceleration[k]);
        Excess { joint, rate: Rate::Acceleration, time, value: f64::INFINITY, limit }
    }

    fn excess_on(&self, piece: &CurvePiece, k: usize, span: Span, model: &Model) -> Option<Excess> {
        let (velocity, Span { from, duration }) = (piece.velocity(k), span);
        let rates = [
            (Rate::Velocity, *velocity, duration, self.velocity[k]),
            (Rate::Acceleration, velocity.derivative(), duration * duration, self.acceleration[k]),
        ];
        rates.into_iter().find_map(|(rate, polynomial, per, limit)| {
            let (t, value) = beyond(&polynomial, per, limit)?;
            let joint = model.variables()[k].name.clone();
            Some(Excess { joint, rate, time: from + t * duration, value, limit })
        })
    }
}

/// A place where a polynomial divided by `per` is not proven to stay within ±`limit`, and its value there.
///
/// `per` is a duration that is off by u, or its square, off by 3u; the quotient rounds by u. Lowering the limit by 8u
/// covers all of it.
fn beyond(polynomial: &Polynomial, per: f64, limit: f64) -> Option<(f64, f64)> {
    if polynomial.upper_size() == 0.0 {
        return None;
    }
    let lowered = limit * (1.0 - 8.0 * f64::EPSILON);
    let [up, down] = [1.0, -1.0].map(|sign| (sign, polynomial.largest_value(sign)));
    let exceeds = |(_, extreme): &(f64, pathproof::robot::Extreme)| !(extreme.upper / per <= lowered);
    [up, down].into_iter().find(exceeds).map(|(sign, extreme)| (extreme.t, sign * extreme.value / per))
}
