//! The one traversal behind every query of distance, and the [`Rule`] that distinguishes the queries.
//!
//! Invariant: `lower` is the least of all bounds at which the traversal stopped, so it never exceeds the true
//! distance; `upper` belongs to a pair of points.

use super::answer::{Counters, Distance, Witness};
use super::primitive_pair::{Near, PrimitivePair};
use super::query::{Query, Scratch};
use crate::numeric::{DVec3, f32_up, least, most, unit};
use crate::trees::{Direction, Slot, Step, Visit, VolumeTree};

/// Selects the pairs of volumes to open: those with a bound that does not exceed max(at_least, min(at_most, of_upper ·
/// the least distance found so far)).
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub(super) at_least: f64,
    pub(super) at_most: f64,
    pub(super) of_upper: f64,
    /// A pair of primitives with a lower bound at or below this ends the query.
    pub(super) stop_at: Option<f64>,
    /// True if bounds above the threshold say no more than the threshold.
    pub(super) is_exact: bool,
}

impl Rule {
    pub(super) fn below(at_most: f64) -> Self {
        Self { at_least: 0.0, at_most, of_upper: 1.0, stop_at: None, is_exact: false }
    }

    /// Rounded up: every skipped pair has a bound above the exact threshold.
    #[inline(always)]
    fn threshold(&self, upper: f64) -> f32 {
        f32_up(most(self.at_least, least(self.at_most, self.of_upper * upper)))
    }
}

impl<T: VolumeTree> Query<'_, T> {
    pub(super) fn search(&self, scratch: &mut Scratch, rule: Rule) -> Distance {
        let direction = unit(self.a_from_b().translation).unwrap_or(DVec3::X);
        let mut search = Search {
            query: self,
            threshold: rule.threshold(f64::INFINITY),
            rule,
            best: Best { lower: f64::INFINITY, upper: f64::INFINITY, witness: None },
            direction,
            narrow: Direction::new(direction, self.a_from_b()),
            counters: Counters::default(),
        };
        self.visit(scratch, &mut search);
        let Best { lower, upper, witness } = search.best;
        Distance {
            // No pair was skipped: a bound above the upper one says no more than the upper one.
            lower: most(least(lower, upper), 0.0),
            upper,
            witness: witness.map(|w| self.in_world(w)),
            counters: search.counters,
        }
    }
}

struct Best {
    lower: f64,
    upper: f64,
    /// In A's frame until the query returns.
    witness: Option<Witness>,
}

struct Search<'q, 'a, T: VolumeTree> {
    query: &'q Query<'a, T>,
    rule: Rule,
    threshold: f32,
    best: Best,
    /// The direction that separated the closest pair so far: often separates its neighbours as well.
    direction: DVec3,
    /// The same in the form that the trees use.
    narrow: Direction,
    counters: Counters,
}

impl<T: VolumeTree> Visit for Search<'_, '_, T> {
    #[inline(always)]
    fn enter(&mut self, lower: f32, _a: Slot, _b: Slot) -> bool {
        if lower > self.threshold {
            self.best.lower = least(self.best.lower, f64::from(lower));
            return false;
        }
        true
    }

    #[inline(always)]
    fn primitives(&mut self, a: usize, b: usize) -> Step {
        self.counters.primitive_pairs += 1;
        let pair = match self.query.primitive_pair(a, b, self.direction, f64::from(self.threshold)) {
            PrimitivePair::Beyond { lower } => {
                self.best.lower = least(self.best.lower, lower);
                return Step::Continue;
            }
            PrimitivePair::Near(near) => near,
        };
        let Near { lower, upper, on_a, on_b, direction } = pair;
        self.best.lower = least(self.best.lower, lower);
        if upper < self.best.upper {
            self.direction = direction;
            self.narrow = Direction::new(direction, self.query.a_from_b());
            self.best.upper = upper;
            self.best.witness = Some(Witness { a_in_world: on_a, b_in_world: on_b, primitive_a: a, primitive_b: b });
            self.threshold = self.rule.threshold(upper);
        }
        let ends = self.rule.stop_at.is_some_and(|limit| !(lower > limit)) || upper == 0.0;
        if ends { Step::Stop } else { Step::Continue }
    }

    #[inline(always)]
    fn threshold(&self) -> f32 {
        self.threshold
    }

    #[inline(always)]
    fn leave_out(&mut self, least_bound: f32) {
        self.best.lower = least(self.best.lower, f64::from(least_bound));
    }

    /// The exact distance is at most the threshold; other rules need good bounds beyond it too.
    #[inline(always)]
    fn enough(&self) -> f32 {
        if self.rule.is_exact { self.threshold } else { f32::INFINITY }
    }

    #[inline(always)]
    fn direction(&self) -> &Direction {
        &self.narrow
    }

    #[inline(always)]
    fn count(&mut self, volume_pairs: usize) {
        self.counters.volume_pairs += volume_pairs as u64;
    }
}
