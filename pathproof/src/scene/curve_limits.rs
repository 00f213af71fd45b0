//! Joint limits and speed limits along a whole curve: between points that keep both, a polynomial may overshoot.
//!
//! Branch and bound (`robot/extreme.rs`) encloses the largest and smallest values: a curve without a report is proven
//! to keep its limits, up to [`SLACK`].

use super::{LimitViolation, Scene};
use crate::robot::{Curve, CurvePiece, Polynomial, Source};

/// Amount by which limits may be exceeded, in radians or metres, so that a curve may touch its limits despite its
/// rounding.
const SLACK: f64 = 1e-9;

/// A joint that leaves its limits on a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveViolation {
    /// Piece of the curve, from 0.
    pub piece: usize,
    /// Position on the piece where it is farthest outside, in [0, 1].
    pub t: f64,
    /// The joint, its value there and its limits.
    pub violation: LimitViolation,
}

/// A joint that exceeds its speed limit.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeedExcess {
    /// The joint.
    pub joint: String,
    /// Piece of the curve, from 0.
    pub piece: usize,
    /// Position on the piece where it is fastest, in [0, 1].
    pub t: f64,
    /// Its speed there, in radians or metres per second.
    pub speed: f64,
    /// Its speed limit.
    pub limit: f64,
}

impl Scene {
    /// The first piece of a curve on which a joint leaves its limits (mimic joints have their own), up to 1e-9. `None`
    /// proves that no joint does.
    pub fn curve_violation(&self, curve: &Curve) -> Option<CurveViolation> {
        let on_piece = |(index, piece): (usize, &CurvePiece)| {
            self.limited().find_map(|(name, source, limits)| {
                let (t, value) = farthest_outside(piece.position(source.variable), &source, limits)?;
                let (lower, upper) = limits;
                let violation = LimitViolation { variable: name.to_owned(), value, lower, upper };
                Some(CurveViolation { piece: index, t, violation })
            })
        };
        curve.pieces().iter().enumerate().find_map(on_piece)
    }

    /// Every joint that exceeds its speed limit somewhere, where it is fastest, on a curve whose pieces take these
    /// times in seconds.
    pub fn speed_excesses(&self, curve: &Curve, durations: &[f64]) -> Vec<SpeedExcess> {
        let mut excesses = Vec::new();
        for joint in self.model().joints() {
            let (Some(source), Some(limit), 1) = (joint.source, joint.speed_limit, joint.kind.variable_count()) else {
                continue;
            };
            let fastest = |(index, piece): (usize, &CurvePiece)| {
                let velocity = piece.velocity(source.variable);
                let [up, down] = [1.0, -1.0].map(|sign| velocity.largest_value(sign));
                let most = if up.value > down.value { up } else { down };
                let speed = source.multiplier.abs() * most.value / durations[index];
                SpeedExcess { joint: joint.name.clone(), piece: index, t: most.t, speed, limit }
            };
            let all = curve.pieces().iter().enumerate().map(fastest);
            excesses.extend(all.max_by(|a, b| a.speed.total_cmp(&b.speed)).filter(|e| e.speed > limit * (1.0 + SLACK)));
        }
        excesses
    }

    /// Every joint that has limits, by the variable that drives it.
    fn limited(&self) -> impl Iterator<Item = (&str, Source, (f64, f64))> {
        let own = self.model().variables().iter().enumerate().filter_map(|(variable, v)| {
            Some((v.name.as_str(), Source { variable, multiplier: 1.0, offset: 0.0 }, v.limits?))
        });
        let followers = self.model().joints().iter().filter(|joint| joint.follows.is_some());
        own.chain(
            followers.filter_map(|joint| {
                Some((joint.name.as_str(), joint.source?, joint.limits.first().copied().flatten()?))
            }),
        )
    }
}

/// Position where a joint is farthest outside its limits, and its value there.
fn farthest_outside(polynomial: &Polynomial, source: &Source, (lower, upper): (f64, f64)) -> Option<(f64, f64)> {
    let outside = |sign: f64, limit: f64| {
        let direction = if source.multiplier < 0.0 { -sign } else { sign };
        let extreme = polynomial.largest_value(direction);
        let value = |along: f64| source.multiplier * direction * along + source.offset;
        // Written so that NaN is outside.
        let is_inside = sign * (value(extreme.upper) - limit) <= SLACK;
        (!is_inside).then(|| (extreme.t, value(extreme.value)))
    };
    outside(1.0, upper).or_else(|| outside(-1.0, lower))
}
