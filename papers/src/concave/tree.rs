//! The exact method: a tree over the convex pieces, GJK at its leaves, tracked between time steps.
//!
//! The nearest pair of the last query comes first, so that most volumes are farther away than it. Pairs of pieces are
//! tracked with a goal: a proof that they are no nearer than the best so far is enough. Pieces that touch are measured
//! by penetration. Invariant: every pair of pieces is either measured or skipped with a lower bound that is at least
//! the answer's `lower`; the memory affects time only.

use super::query::{Nearest, PieceWork};
use super::{PairDistance, PieceDistance, PieceQuery};
use pathproof::distance::gjk::{self, Tracker};
use pathproof::distance::{Scratch, penetration};
use pathproof::internals::{Direction, Slot, Step, Visit};
use pathproof::numeric::{DVec3, f32_up, unit};

/// Memory that a tree query leaves for the next one on the same two bodies. `Default` is a cold start; memory of other
/// bodies costs time only.
#[derive(Clone, Debug, Default)]
pub struct TreeMemory {
    scratch: Scratch,
    trackers: Trackers,
    nearest: Option<[usize; 2]>,
    /// In A's frame.
    direction: Option<DVec3>,
}

/// Direct-mapped trackers of the pairs seen last: a pair that finds another one in its slot starts cold.
#[derive(Clone, Debug)]
struct Trackers(Vec<([u32; 2], Tracker)>);

/// Slots for trackers, a power of two: more than the pairs that a query examines, few enough for the cache.
const PLACES: usize = 512;

impl Default for Trackers {
    fn default() -> Self {
        Self(vec![([u32::MAX; 2], Tracker::default()); PLACES])
    }
}

impl Trackers {
    #[inline(always)]
    fn of(&mut self, a: usize, b: usize) -> &mut Tracker {
        let key = [a as u32, b as u32];
        // Fibonacci hashing of the pair.
        let mixed = (u64::from(key[0]) << 32 | u64::from(key[1])).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = &mut self.0[(mixed >> 32) as usize % PLACES];
        if place.0 != key {
            *place = (key, Tracker::default());
        }
        &mut place.1
    }
}

impl PieceQuery<'_> {
    /// The signed distance of the bodies: `lower` and the nearest pair's `upper` differ by rounding only.
    pub fn tree(&self, memory: &mut TreeMemory) -> PieceDistance {
        let TreeMemory { scratch, trackers, nearest, direction } = memory;
        let towards = unit(direction.unwrap_or(self.volumes.a_from_b().translation)).unwrap_or(DVec3::X);
        let mut search = Search {
            query: self,
            trackers,
            known: None,
            best: Nearest::NONE,
            threshold: f32::INFINITY,
            towards,
            direction: Direction::new(towards, &self.a_from_b),
            work: PieceWork::default(),
        };
        if let Some([a, b]) = nearest.filter(|&[a, b]| a < self.a.len() && b < self.b.len()) {
            search.look(a, b);
            search.known = Some([a, b]);
        }
        self.volumes.visit(scratch, &mut search);
        let Search { best, work, towards, .. } = search;
        *nearest = best.pair.map(|pair| pair.pieces);
        *direction = towards.is_finite().then_some(towards);
        self.answer(best, work)
    }
}

struct Search<'q, 'a> {
    query: &'q PieceQuery<'a>,
    trackers: &'q mut Trackers,
    /// The pair that was examined before the traversal.
    known: Option<[usize; 2]>,
    best: Nearest,
    /// Volumes farther apart than this hold nothing of interest.
    threshold: f32,
    /// Direction of the nearest pair so far, in A's frame: often separates its neighbours as well.
    towards: DVec3,
    direction: Direction,
    work: PieceWork,
}

impl Search<'_, '_> {
    /// Measures a pair of pieces, or shows that it is farther away than the best so far.
    #[inline(always)]
    fn look(&mut self, a: usize, b: usize) {
        let query = self.query;
        self.work.piece_pairs += 1;
        let (shape_a, shape_b) = (query.a.shape(a), query.b.shape(b));
        let tracker = self.trackers.of(a, b);
        // Overlapping pieces must be measured, however deep the best is.
        let upper = self.best.upper();
        let margin = query.margin();
        let goal = if upper > 0.0 { upper + margin } else { margin };
        let mut found = gjk::distance(shape_a, shape_b, &query.a_from_b, goal, tracker);
        // NaN is examined.
        if !(found.lower > margin) {
            found = penetration::signed_distance(shape_a, shape_b, &query.a_from_b, tracker);
        }
        let pair: PairDistance = query.pair([a, b], &found);
        if pair.upper < upper {
            self.threshold = if pair.upper > 0.0 { f32_up(pair.upper) } else { 0.0 };
            self.towards = found.direction;
            self.direction = Direction::new(found.direction, &query.a_from_b);
        }
        self.best.take(&pair);
    }
}

impl Visit for Search<'_, '_> {
    #[inline(always)]
    fn enter(&mut self, lower: f32, _a: Slot, _b: Slot) -> bool {
        if lower > self.threshold {
            self.best.note(f64::from(lower));
            return false;
        }
        true
    }

    #[inline(always)]
    fn primitives(&mut self, a: usize, b: usize) -> Step {
        if self.known != Some([a, b]) {
            self.look(a, b);
        }
        Step::Continue
    }

    #[inline(always)]
    fn direction(&self) -> &Direction {
        &self.direction
    }

    #[inline(always)]
    fn count(&mut self, volume_pairs: usize) {
        self.work.volume_pairs += volume_pairs as u64;
    }
}
