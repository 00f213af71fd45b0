//! Polynomials of degree at most 5 in t ∈ [0, 1], one joint over one piece of a curve, in Bernstein form
//! (docs/design.md#curves).
//!
//! All values lie between the smallest and the largest coefficient, and on a shorter interval the coefficients there
//! are as near to the values as the square of its length. Invariant: the real polynomial has coefficients within
//! `error` of the stored ones, and every bound includes that and the rounding of its own evaluation; NaN stays NaN.

use crate::numeric::{ROUNDOFF_F64, add_up, least, most, mul_up};

/// Largest degree.
const MOST_DEGREE: usize = 5;

/// Rounding of a value, in units of u of the largest coefficient M. De Casteljau's scheme computes n times (1 − t)·a +
/// t·b of neighbours, each off by at most 3 u M (t and 1 − t may be rounded too), and means of errors are no larger. A
/// value is off by 3n u M ≤ 16 u M.
const VALUE_ROUNDING: f64 = 16.0;
/// The same for the coefficients on a part: it runs the scheme twice, and a quotient of ends that is off by u moves a
/// coefficient by at most 2n u M; 8n u M ≤ 48 u M together.
const PART_ROUNDING: f64 = 48.0;
/// Rounding of the conversion of Hermite data to coefficients, see [`Polynomial::between`].
const HERMITE_ROUNDING: f64 = 8.0;
/// Rounding of the conversion of powers to coefficients, see [`Polynomial::from_powers`].
const POWERS_ROUNDING: f64 = 32.0;
/// Binomial coefficients.
const BINOMIALS: [[f64; 6]; 6] = [
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [1.0, 1.0, 0.0, 0.0, 0.0, 0.0],
    [1.0, 2.0, 1.0, 0.0, 0.0, 0.0],
    [1.0, 3.0, 3.0, 1.0, 0.0, 0.0],
    [1.0, 4.0, 6.0, 4.0, 1.0, 0.0],
    [1.0, 5.0, 10.0, 10.0, 5.0, 1.0],
];

/// A polynomial on [0, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Polynomial {
    /// Coefficients of the Bernstein polynomials of this degree; the rest is 0.
    coefficients: [f64; MOST_DEGREE + 1],
    degree: usize,
    /// Largest distance of the real coefficients from these.
    error: f64,
}

/// A joint at one end of a piece: its position and, if known, its velocity and acceleration per unit of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnotState {
    /// Position (radians or metres).
    pub position: f64,
    /// Velocity per second.
    pub velocity: Option<f64>,
    /// Acceleration per second squared; unused without velocity.
    pub acceleration: Option<f64>,
}

impl KnotState {
    /// A position alone.
    pub fn at(position: f64) -> Self {
        Self { position, velocity: None, acceleration: None }
    }
}

impl Polynomial {
    /// Largest degree.
    pub const MOST_DEGREE: usize = MOST_DEGREE;

    /// The same value everywhere.
    pub fn constant(value: f64) -> Self {
        Self { coefficients: [value, 0.0, 0.0, 0.0, 0.0, 0.0], degree: 0, error: 0.0 }
    }

    /// The straight line from one value to another.
    pub fn line(from: f64, to: f64) -> Self {
        if from == to {
            return Self::constant(from);
        }
        Self { coefficients: [from, to, 0.0, 0.0, 0.0, 0.0], degree: 1, error: 0.0 }
    }

    /// The polynomial with these Bernstein coefficients, as in Bézier curves; `None` if there are none, or more than
    /// six.
    pub fn from_bernstein(given: &[f64]) -> Option<Self> {
        let degree = given.len().checked_sub(1).filter(|degree| *degree <= MOST_DEGREE)?;
        if given.iter().all(|c| *c == given[0]) {
            return Some(Self::constant(given[0]));
        }
        let mut coefficients = [0.0; MOST_DEGREE + 1];
        coefficients[..given.len()].copy_from_slice(given);
        Some(Self { coefficients, degree, error: 0.0 })
    }

    /// Σ_i `given[i]` τ^i over 0 ≤ τ ≤ `duration`; `None` where there are no coefficients, or more than six.
    ///
    /// With c_i = `given[i]`·durationⁱ the Bernstein coefficients are b_j = Σ_{i≤j} C(j,i)/C(n,i) c_i. Powers,
    /// products and quotients err by at most 9u of c_i, sums by 5u of all of them, and no factor exceeds 1.
    pub fn from_powers(given: &[f64], duration: f64) -> Option<Self> {
        let degree = given.len().checked_sub(1).filter(|degree| *degree <= MOST_DEGREE)?;
        if given[1..].iter().all(|c| *c == 0.0) {
            return Some(Self::constant(given[0]));
        }
        let (mut scaled, mut power) = ([0.0; MOST_DEGREE + 1], 1.0);
        for (scaled, c) in scaled.iter_mut().zip(given) {
            *scaled = c * power;
            power *= duration;
        }
        let share = |j: usize, i: usize| BINOMIALS[j][i] / BINOMIALS[degree][i];
        let mut coefficients = [0.0; MOST_DEGREE + 1];
        for j in 0..=degree {
            coefficients[j] = (0..=j).map(|i| share(j, i) * scaled[i]).sum();
        }
        let size = scaled.iter().fold(0.0, |size, c| add_up(size, c.abs()));
        Some(Self { coefficients, degree, error: rounding(POWERS_ROUNDING, size) })
    }

    /// The polynomial of a trajectory controller between two points that are `duration` seconds apart: the quintic
    /// with the velocities and accelerations of both ends, the cubic with their velocities, or the straight line, by
    /// the values known at *both* ends.
    ///
    /// The Bernstein coefficients of the quintic are q, q + vT/5, q + 2vT/5 + aT²/20 from either end (with −v at the
    /// far one), those of the cubic q, q + vT/3. Each is off by at most 8u of |q| + |vT| + |aT²|, T itself by u.
    pub fn between(start: KnotState, goal: KnotState, duration: f64) -> Self {
        let (from, to) = (start.position, goal.position);
        let (Some(v0), Some(v1)) = (start.velocity, goal.velocity) else { return Self::line(from, to) };
        let accelerations = start.acceleration.zip(goal.acceleration);
        if from == to && [v0, v1] == [0.0; 2] && accelerations.is_none_or(|a| a == (0.0, 0.0)) {
            return Self::constant(from);
        }
        let [v0, v1] = [v0, v1].map(|v| v * duration);
        let (mut size, degree, coefficients) = match accelerations {
            Some((a0, a1)) => {
                let [a0, a1] = [a0, a1].map(|a| a * duration * duration);
                let (p1, p2) = (from + v0 / 5.0, from + 2.0 * v0 / 5.0 + a0 / 20.0);
                let (p3, p4) = (to - 2.0 * v1 / 5.0 + a1 / 20.0, to - v1 / 5.0);
                (most(a0.abs(), a1.abs()), 5, [from, p1, p2, p3, p4, to])
            }
            None => (0.0, 3, [from, from + v0 / 3.0, to - v1 / 3.0, to, 0.0, 0.0]),
        };
        size = add_up(size, add_up(most(v0.abs(), v1.abs()), most(from.abs(), to.abs())));
        Self { coefficients, degree, error: rounding(HERMITE_ROUNDING, size) }
    }

    /// The same with a wider error: the real polynomial is within `more` of the one before.
    #[must_use]
    pub fn with_error(mut self, more: f64) -> Self {
        if more != 0.0 {
            self.error = add_up(self.error, more);
        }
        self
    }

    /// The same except for its last coefficient, with the change added to the error.
    #[must_use]
    pub fn ending_at(mut self, end: f64) -> Self {
        let change = (self.coefficients[self.degree] - end).abs();
        self.coefficients[self.degree] = end;
        self.with_error(mul_up(change, 1.0 + 4.0 * ROUNDOFF_F64))
    }

    /// Its coefficients.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients[..=self.degree]
    }

    /// Largest distance of the real coefficients from the stored ones.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// True if it is a straight line without error.
    pub fn is_straight(&self) -> bool {
        self.degree <= 1 && self.error == 0.0
    }

    /// Its value at 0, exactly as given.
    pub fn start(&self) -> f64 {
        self.coefficients[0]
    }

    /// Its value at 1, exactly as given.
    pub fn end(&self) -> f64 {
        self.coefficients[self.degree]
    }

    /// Its value at `t`, off the real value by at most [`Self::value_error`]. The reversed polynomial has the same
    /// bits at 1 − t if t is dyadic.
    #[inline]
    pub fn value_at(&self, t: f64) -> f64 {
        let mut c = self.coefficients;
        let s = 1.0 - t;
        for level in (1..=self.degree).rev() {
            for i in 0..level {
                c[i] = s * c[i] + t * c[i + 1];
            }
        }
        c[0]
    }

    /// Upper bound on the distance of [`Self::value_at`] from the real value.
    pub fn value_error(&self) -> f64 {
        match self.degree {
            0 => self.error,
            _ => add_up(self.error, rounding(VALUE_ROUNDING, self.largest())),
        }
    }

    /// Its derivative. Coefficients n (b_{j+1} − b_j) are off by twice n times the error, and 2u of themselves.
    #[must_use]
    pub fn derivative(&self) -> Self {
        if self.degree == 0 {
            return Self::constant(0.0);
        }
        let n = self.degree as f64;
        let mut derivative = Self { coefficients: [0.0; MOST_DEGREE + 1], degree: self.degree - 1, error: 0.0 };
        for j in 0..self.degree {
            derivative.coefficients[j] = n * (self.coefficients[j + 1] - self.coefficients[j]);
        }
        let inherited = if self.error == 0.0 { 0.0 } else { mul_up(2.0 * n, self.error) };
        derivative.error = add_unless_zero(inherited, rounding(4.0, derivative.largest()));
        derivative
    }

    /// Lower and upper bounds on its values over all of [0, 1].
    pub fn range(&self) -> [f64; 2] {
        self.widened(self.coefficients(), 0.0)
    }

    /// Lower and upper bounds on its values between `from` and `to`.
    pub fn range_over(&self, from: f64, to: f64) -> [f64; 2] {
        let part = self.part(from, to);
        self.widened(&part[..=self.degree], if self.degree == 0 { 0.0 } else { PART_ROUNDING })
    }

    /// Upper bound on its size over all of [0, 1]; 0 if it is exactly 0 everywhere.
    pub fn upper_size(&self) -> f64 {
        add_unless_zero(self.largest(), self.error)
    }

    /// Upper bound on its size between `from` and `to`.
    #[inline]
    pub fn upper_size_over(&self, from: f64, to: f64) -> f64 {
        if self.degree == 0 {
            return self.upper_size();
        }
        let part = self.part(from, to);
        let largest = part[..=self.degree].iter().fold(0.0, |largest: f64, c| most(largest, c.abs()));
        add_unless_zero(largest, add_unless_zero(self.error, rounding(PART_ROUNDING, self.largest())))
    }

    /// The coefficients on [from, to].
    #[inline]
    fn part(&self, from: f64, to: f64) -> [f64; MOST_DEGREE + 1] {
        let n = self.degree;
        let mut c = self.coefficients;
        // The part before `to`: the first of each level of the scheme.
        if to < 1.0 {
            let s = 1.0 - to;
            for first in 1..=n {
                for i in (first..=n).rev() {
                    c[i] = s * c[i - 1] + to * c[i];
                }
            }
        }
        // The part after `from`: the last of each level.
        if from > 0.0 {
            let t = from / to;
            let s = 1.0 - t;
            for last in (1..=n).rev() {
                for i in 0..last {
                    c[i] = s * c[i] + t * c[i + 1];
                }
            }
        }
        c
    }

    fn largest(&self) -> f64 {
        self.coefficients().iter().fold(0.0, |largest: f64, c| most(largest, c.abs()))
    }

    fn widened(&self, coefficients: &[f64], units: f64) -> [f64; 2] {
        let more = add_unless_zero(self.error, rounding(units, self.largest()));
        let low = coefficients.iter().fold(f64::INFINITY, |low, c| least(low, *c));
        let high = coefficients.iter().fold(f64::NEG_INFINITY, |high, c| most(high, *c));
        if more == 0.0 { [low, high] } else { [(low - more).next_down(), (high + more).next_up()] }
    }
}

/// The given number of units of roundoff of a size, plus what underflow may lose; 0 for 0.
#[inline]
fn rounding(units: f64, size: f64) -> f64 {
    if size == 0.0 || units == 0.0 { 0.0 } else { (units * ROUNDOFF_F64 * size).next_up() + f64::MIN_POSITIVE }
}

/// Upper bound on a sum; exact if one of the terms is 0.
#[inline]
fn add_unless_zero(a: f64, b: f64) -> f64 {
    if b == 0.0 {
        a
    } else if a == 0.0 {
        b
    } else {
        add_up(a, b)
    }
}
