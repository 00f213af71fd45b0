//! Boxes of joint values: a middle and half widths that cover every value, however the middle was rounded.

use crate::numeric::most;

/// An interval of values per range of a chain.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JointBox {
    /// Least and greatest value.
    pub(super) sides: Vec<[f64; 2]>,
}

impl JointBox {
    /// A number in a side, near its middle.
    pub(super) fn middle(&self, side: usize) -> f64 {
        middle(self.sides[side])
    }

    /// Upper bound on the distance of any value of a side from its middle.
    pub(super) fn upper_half_width(&self, side: usize) -> f64 {
        let ([lower, upper], middle) = (self.sides[side], self.middle(side));
        let width = most(upper - middle, middle - lower);
        if width == 0.0 { 0.0 } else { width.next_up() }
    }

    /// The two halves along a side, which share its middle; `None` if no number is between its ends.
    pub(super) fn halves(&self, side: usize) -> Option<[Self; 2]> {
        let [first, second] = halves(self.sides[side])?;
        let mut halves = [self.clone(), self.clone()];
        halves[0].sides[side] = first;
        halves[1].sides[side] = second;
        Some(halves)
    }
}

/// A number in an interval, near its middle.
fn middle([lower, upper]: [f64; 2]) -> f64 {
    // Halves first: sums of large limits may overflow.
    let middle = lower / 2.0 + upper / 2.0;
    if middle < lower || middle > upper { lower } else { middle }
}

/// The halves of an interval, which share its middle; `None` if no number is between its ends.
pub(super) fn halves([lower, upper]: [f64; 2]) -> Option<[[f64; 2]; 2]> {
    let middle = middle([lower, upper]);
    (lower < middle && middle < upper).then_some([[lower, middle], [middle, upper]])
}
