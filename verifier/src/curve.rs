//! The curves that a trajectory controller runs between two points, in intervals: polynomials in Bernstein form
//! (docs/design.md#curves; the library's own are not used).
//!
//! The quintic with positions q, velocities v and accelerations a at both ends, T seconds apart, has the coefficients
//! q₀, q₀ + v₀T/5, q₀ + 2v₀T/5 + a₀T²/20 and the same from the other end with −v; the cubic q₀, q₀ + v₀T/3 likewise.
//! Values on a part lie between the least and the largest coefficient there, which are the polynomial's blossom at its
//! two ends.

use pathproof::certificate::CurveClaim;
use pathproof::robot::{Variable, VariableKind};

use crate::interval::Interval;

/// A variable over a segment, t from 0 to 1, with its derivatives by t.
#[derive(Clone, Debug)]
pub(crate) struct Curved {
    pub(crate) position: Bernstein,
    pub(crate) velocity: Bernstein,
    pub(crate) acceleration: Bernstein,
}

/// Coefficients of Bernstein polynomials, at least one.
#[derive(Clone, Debug)]
pub(crate) struct Bernstein(Vec<Interval>);

impl Bernstein {
    /// The value at `t`.
    pub(crate) fn value(&self, t: f64) -> Interval {
        self.blossom(t, t, 0)
    }

    /// An interval that holds all values from `from` to `to`.
    pub(crate) fn over(&self, from: f64, to: f64) -> Interval {
        let corners = (0..self.0.len()).map(|late| self.blossom(from, to, late));
        corners.reduce(Interval::hull).unwrap_or(Interval::ZERO)
    }

    /// The blossom at `to` for `late` arguments and at `from` for the others.
    fn blossom(&self, from: f64, to: f64, late: usize) -> Interval {
        let mut c = self.0.clone();
        for level in 1..c.len() {
            let t = if level <= late { to } else { from };
            let (s, t) = (Interval::ONE - Interval::point(t), Interval::point(t));
            for i in 0..c.len() - level {
                c[i] = s * c[i] + t * c[i + 1];
            }
        }
        c[0]
    }

    fn derivative(&self) -> Self {
        let degree = Interval::point((self.0.len() - 1) as f64);
        match self.0.len() {
            1 => Self(vec![Interval::ZERO]),
            _ => Self(self.0.windows(2).map(|pair| degree * (pair[1] - pair[0])).collect()),
        }
    }
}

/// The curves that the controller runs on a segment: the data at both points determine the degree.
pub(crate) fn curves(
    variables: &[Variable],
    [start, goal]: [&[f64]; 2],
    claim: &CurveClaim,
    index: usize,
) -> Result<Vec<Curved>, &'static str> {
    let both = |lists: &[Option<Vec<f64>>]| match (lists.get(index), lists.get(index + 1)) {
        (Some(Some(a)), Some(Some(b))) if a.len() == variables.len() && b.len() == variables.len() => {
            Ok(Some([a.clone(), b.clone()]))
        }
        (Some(Some(_)), Some(Some(_))) | (None, _) | (_, None) => Err("a list of the trajectory has another length"),
        _ => Ok(None),
    };
    let (velocities, accelerations) = (both(&claim.velocities)?, both(&claim.accelerations)?);
    if velocities.is_none() && accelerations.is_some() {
        return Err("accelerations without velocities are not what a controller runs");
    }
    let (Some(from), Some(to)) = (claim.times.get(index), claim.times.get(index + 1)) else {
        return Err("a waypoint has no time");
    };
    let duration = Interval::point(*to) - Interval::point(*from);
    if !(duration.lo() > 0.0) {
        return Err("times do not grow");
    }
    let number = Interval::point;
    let polynomial = |i: usize| {
        let [p, q] = [number(start[i]), number(goal[i])];
        // A variable that rests or runs straight has no other coefficients, and no acceleration.
        let line = || if start[i] == goal[i] { vec![p] } else { vec![p, q] };
        let Some(v) = velocities.as_ref().filter(|_| variables[i].kind != VariableKind::Quaternion) else {
            return line();
        };
        let [v0, v1] = [v[0][i], v[1][i]].map(|v| number(v) * duration);
        match &accelerations {
            Some(a) => {
                let [a0, a1] = [a[0][i], a[1][i]].map(|a| number(a) * duration.square());
                if start[i] == goal[i] && [v[0][i], v[1][i], a[0][i], a[1][i]] == [0.0; 4] {
                    return line();
                }
                let inner = |q: Interval, v: Interval, a: Interval| {
                    [q + v.over(number(5.0)), q + (v + v).over(number(5.0)) + a.over(number(20.0))]
                };
                let ([p1, p2], [p4, p3]) = (inner(p, v0, a0), inner(q, -v1, a1));
                vec![p, p1, p2, p3, p4, q]
            }
            None if start[i] == goal[i] && [v[0][i], v[1][i]] == [0.0; 2] => line(),
            None => vec![p, p + v0.over(number(3.0)), q - v1.over(number(3.0)), q],
        }
    };
    let curved = |i: usize| {
        let position = Bernstein(polynomial(i));
        let velocity = position.derivative();
        Curved { acceleration: velocity.derivative(), position, velocity }
    };
    Ok((0..variables.len()).map(curved).collect())
}
