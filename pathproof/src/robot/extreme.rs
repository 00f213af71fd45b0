//! The largest value of a polynomial on [0, 1]: branch and bound over Bernstein coefficients.

use super::polynomial::Polynomial;
use crate::numeric::most;

/// Largest difference between the bounds on the largest value, relative to the size of the values.
const CLOSENESS: f64 = 1e-13;
/// Most parts that are examined: a long graze costs closeness, not truth.
const MOST_PARTS: usize = 4096;

/// The largest value of a polynomial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extreme {
    /// Position where it was found.
    pub t: f64,
    /// The computed value there.
    pub value: f64,
    /// Proven: no value is larger.
    pub upper: f64,
}

impl Polynomial {
    /// Its largest value; with `sign` −1 that of its negative.
    pub fn largest_value(&self, sign: f64) -> Extreme {
        let upper_over = |from: f64, to: f64| {
            let [low, high] = self.range_over(from, to);
            if sign < 0.0 { -low } else { high }
        };
        let closeness = CLOSENESS * self.upper_size() + 4.0 * self.error();
        let mut best = Extreme { t: 0.0, value: sign * self.start(), upper: f64::NEG_INFINITY };
        if sign * self.end() > best.value {
            (best.t, best.value) = (1.0, sign * self.end());
        }
        let mut open = vec![[0.0, 1.0]];
        let mut parts = 0;
        while let Some([from, to]) = open.pop() {
            let upper = upper_over(from, to);
            let middle = 0.5 * (from + to);
            let here = sign * self.value_at(middle);
            if here > best.value {
                (best.t, best.value) = (middle, here);
            }
            parts += 1;
            let is_done = upper <= best.value + closeness || parts > MOST_PARTS || !(from < middle && middle < to);
            if is_done {
                best.upper = most(best.upper, upper);
            } else {
                // The more promising half is examined first.
                let halves = [[from, middle], [middle, to]];
                let [a, b] = halves.map(|[from, to]| upper_over(from, to));
                open.extend(if a > b { [halves[1], halves[0]] } else { halves });
            }
        }
        best.upper = most(best.upper, best.value);
        best
    }
}
