//! Cells and their order: a cell is a pair of units on a dyadic part of a segment; the one with the largest uncovered
//! length is looked at first (exact-collision-checking paper §3.4), ties in a fixed order.

use std::cmp::Ordering;

use super::front::Front;

/// A pair on the interval [index, index + 1] / 2^level of a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) pair: u32,
    pub(super) level: u32,
    pub(super) index: u64,
    /// What of the pair is not proven yet.
    pub(super) front: Front,
    /// Uncovered length in metres: how far the motion may go beyond what is known in the middle of the segment.
    pub(super) uncovered: f64,
}

impl Cell {
    /// Length as a fraction of the segment, exactly.
    pub(super) fn length(&self) -> f64 {
        1.0 / (1u64 << self.level) as f64
    }

    /// Both ends on the segment, exactly.
    pub(super) fn interval(&self) -> [f64; 2] {
        [self.index as f64 * self.length(), (self.index + 1) as f64 * self.length()]
    }

    /// The earlier (0) or later (1) half, with what is left to it.
    pub(super) fn half(&self, which: usize, front: Front) -> Self {
        let uncovered = self.uncovered * 0.5;
        Self { level: self.level + 1, index: 2 * self.index + which as u64, front, uncovered, ..*self }
    }
}

impl Cell {
    #[cold]
    fn cmp_equally_pressing(&self, other: &Self) -> Ordering {
        self.uncovered
            .total_cmp(&other.uncovered)
            .then(other.level.cmp(&self.level))
            .then(other.pair.cmp(&self.pair))
            .then(other.index.cmp(&self.index))
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
        if self.uncovered < other.uncovered {
            Ordering::Less
        } else if self.uncovered > other.uncovered {
            Ordering::Greater
        } else {
            self.cmp_equally_pressing(other)
        }
    }
}
