//! Cells and their order: a cell is a pair of groups on a part of a segment.
//!
//! Positions on a segment are counted in units of 2⁻⁵², so that every one is an exact `f64`.

use std::cmp::Ordering;

use super::front::Front;
use crate::robot::Dyadic;

/// The end of a segment; its start is 0.
pub(in crate::check) const WHOLE: u64 = 1 << Dyadic::DEEPEST;

/// t in [0, 1], exactly.
pub(in crate::check) fn t_of(position: u64) -> f64 {
    dyadic(position).value()
}

/// A position in the form that kinematics uses.
pub(in crate::check) fn dyadic(position: u64) -> Dyadic {
    Dyadic { index: position, level: Dyadic::DEEPEST }
}

/// A pair on [from, to] of a segment, and its state there.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) struct Cell {
    pub(in crate::check) pair: u32,
    pub(in crate::check) from: u64,
    pub(in crate::check) to: u64,
    /// The cell with the greatest priority is probed first.
    pub(in crate::check) priority: f64,
    /// Pairs of nodes that the examination starts from.
    pub(in crate::check) front: Front,
}

impl Cell {
    /// Length as a fraction of the segment, exactly.
    pub(in crate::check) fn length(&self) -> f64 {
        t_of(self.to - self.from)
    }

    /// Both ends on the segment, exactly.
    pub(in crate::check) fn interval(&self) -> [f64; 2] {
        [t_of(self.from), t_of(self.to)]
    }

    /// Position at which it is halved.
    pub(in crate::check) fn middle(&self) -> u64 {
        self.from + (self.to - self.from) / 2
    }

    #[cold]
    fn cmp_at_equal_priority(&self, other: &Self) -> Ordering {
        self.priority
            .total_cmp(&other.priority)
            .then((self.to - self.from).cmp(&(other.to - other.from)))
            .then(other.pair.cmp(&self.pair))
            .then(other.from.cmp(&self.from))
    }
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cell {}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cell {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        if self.priority < other.priority {
            Ordering::Less
        } else if self.priority > other.priority {
            Ordering::Greater
        } else {
            self.cmp_at_equal_priority(other)
        }
    }
}
