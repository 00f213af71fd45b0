//! The signed distance of two bodies of convex pieces: the least over all pairs of pieces, negative by the depth of
//! penetration.
//!
//! Volumes that are apart by more than the least distance so far are skipped. Volumes that meet do not bound the depth
//! of their pieces, so all of those are opened.

use super::answer::Counters;
use super::primitive_pair::Near;
use super::query::{Query, Scratch};
use crate::numeric::{DVec3, f32_up, least, most, unit};
use crate::trees::{Direction, Slot, Step, Visit, VolumeTree};

/// Result of a search for the deepest pair of pieces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deepest {
    /// Never above the signed distance; −∞ if the search ended early.
    pub(crate) lower: f64,
    /// The nearest pair of pieces that was examined, and its indices; `None` if all are farther apart than `beyond`.
    pub(crate) nearest: Option<(Near, [usize; 2])>,
    /// The work done.
    pub(crate) counters: Counters,
}

impl<T: VolumeTree> Query<'_, T> {
    /// The signed distance, if it is at most `beyond`. A pair of pieces no farther apart than `enough` ends the
    /// search.
    pub(crate) fn deepest(&self, beyond: f64, enough: f64, scratch: &mut Scratch) -> Deepest {
        let direction = unit(self.a_from_b().translation).unwrap_or(DVec3::X);
        let mut search = Search {
            query: self,
            threshold: f32_up(most(beyond, 0.0)),
            enough,
            found: Deepest { lower: f64::INFINITY, nearest: None, counters: Counters::default() },
            narrow: Direction::new(direction, self.a_from_b()),
        };
        let ended = self.visit(scratch, &mut search);
        let lower = if ended == Step::Stop { f64::NEG_INFINITY } else { search.found.lower };
        Deepest { lower, ..search.found }
    }
}

struct Search<'q, 'a, T: VolumeTree> {
    query: &'q Query<'a, T>,
    threshold: f32,
    enough: f64,
    found: Deepest,
    narrow: Direction,
}

impl<T: VolumeTree> Visit for Search<'_, '_, T> {
    fn enter(&mut self, lower: f32, _a: Slot, _b: Slot) -> bool {
        if lower > self.threshold {
            self.found.lower = least(self.found.lower, f64::from(lower));
            return false;
        }
        true
    }

    fn primitives(&mut self, a: usize, b: usize) -> Step {
        self.found.counters.primitive_pairs += 1;
        let near = self.query.signed_pair(a, b);
        self.found.lower = least(self.found.lower, near.lower);
        if self.found.nearest.is_none_or(|(known, _)| near.upper < known.upper) {
            self.found.nearest = Some((near, [a, b]));
            let threshold = f32_up(most(near.upper, 0.0));
            if threshold < self.threshold {
                self.threshold = threshold;
            }
        }
        if near.upper <= self.enough { Step::Stop } else { Step::Continue }
    }

    fn direction(&self) -> &Direction {
        &self.narrow
    }

    fn count(&mut self, volume_pairs: usize) {
        self.found.counters.volume_pairs += volume_pairs as u64;
    }
}
