//! Cache of edges that were probed before (exact-collision-checking paper §3.4): their queues are kept and resumed
//! when they come back in another path, so that no work is done twice.
//!
//! Invariant: an answer does not depend on the contents of the cache. The steps of a segment are a function of the
//! segment alone, but the choice of the next segment of a path depends on all of them. So an edge also keeps the
//! uncovered length before each of its steps. A search replays the known steps in the order in which it would make
//! them, without probing, and reaches the same result. Cost: 8 bytes per step, a few nanoseconds to replay it.

use std::collections::{BinaryHeap, HashMap};

use super::segment::SegmentSearch;
use crate::check::cell::{Cell, Memory};
use crate::check::settings::Settings;
use crate::check::verdict::{Finding, Unresolved};
use crate::check::waypoints::SegmentPiece;
use crate::numeric::least;
use crate::scene::{PairKind, PerKind};

/// Progress of the search of one segment.
#[derive(Debug)]
pub(in crate::check) struct SegmentProgress {
    /// Uncovered length of the cell of each step that was made; kept only if it is to be cached.
    steps: Vec<f64>,
    /// Number of steps that the present search has replayed.
    passed: usize,
    /// Proven lower bounds over the covered parts.
    pub(in crate::check) lower: PerKind<f64>,
    /// Uncovered length before the first step, where the search goes on in steps ([`super::steps`]).
    pub(super) uncovered_at_first: f64,
    /// The first unresolved part, and the step that left it.
    unresolved: Option<(usize, Unresolved)>,
    /// The contact that the last step found.
    found: Option<Finding>,
    /// A limit ended a step halfway: the state differs from that of a search without the limit.
    is_cut_short: bool,
}

impl Default for SegmentProgress {
    fn default() -> Self {
        let (steps, lower) = (Vec::new(), PerKind::splat(f64::INFINITY));
        let (unresolved, found) = (None, None);
        Self { steps, passed: 0, lower, uncovered_at_first: 0.0, unresolved, found, is_cut_short: false }
    }
}

impl SegmentProgress {
    /// Clears everything but keeps the memory.
    pub(in crate::check) fn clear(&mut self) {
        self.steps.clear();
        let steps = std::mem::take(&mut self.steps);
        *self = Self { steps, ..Self::default() };
    }

    /// Uncovered length of the next known step.
    pub(in crate::check) fn known_step(&self) -> Option<f64> {
        self.steps.get(self.passed).copied()
    }

    /// Replays a known step; returns what it left unresolved and what it found.
    pub(in crate::check) fn pass(&mut self) -> (Option<&Unresolved>, Option<&Finding>) {
        let step = self.passed;
        self.passed += 1;
        let unresolved = self.unresolved.as_ref().filter(|(at, _)| *at == step).map(|(_, unresolved)| unresolved);
        (unresolved, self.found.as_ref().filter(|_| self.passed == self.steps.len()))
    }

    /// Records a step that is made now.
    pub(in crate::check) fn record(&mut self, uncovered: f64) {
        self.steps.push(uncovered);
        self.passed += 1;
    }

    /// Records the unresolved part of the last step.
    pub(in crate::check) fn record_unresolved(&mut self, unresolved: &Unresolved) {
        if self.unresolved.is_none() && self.passed > 0 {
            self.unresolved = Some((self.passed - 1, unresolved.clone()));
        }
    }

    /// Records a proven lower bound on the distance of a pair over a part.
    pub(in crate::check) fn prove(&mut self, kind: PairKind, lower: f64) {
        self.lower[kind] = least(self.lower[kind], lower);
    }

    /// Records the finding of the last step.
    pub(in crate::check) fn record_found(&mut self, finding: &Finding) {
        self.found = Some(finding.clone());
    }

    /// Records that a limit ended the last step halfway: the segment is not to be cached.
    pub(in crate::check) fn cut_short(&mut self) {
        self.is_cut_short = true;
    }

    /// True if nothing was found or left unresolved so far.
    pub(in crate::check) fn is_good(&self) -> bool {
        self.unresolved.is_none() && self.found.is_none()
    }
}

/// An edge that no search is using.
#[derive(Debug)]
struct Edge {
    progress: SegmentProgress,
    cells: Vec<Cell>,
    memory: Memory,
    /// The same as [`SegmentSearch::is_apart`].
    is_apart: Vec<bool>,
}

type Key = Box<[u64]>;
type Edges = HashMap<Key, Edge>;

/// Cached edges, and their memory.
///
/// Two generations: when the younger one fills its half of the limit, the older one is dropped and replaced by it. An
/// edge that is used becomes young again.
#[derive(Debug)]
pub(in crate::check) struct EdgeCache {
    most_bytes: usize,
    /// Owner of the edges: another checker, or other settings, start with an empty cache.
    owner: Option<(u64, Settings)>,
    young: Edges,
    old: Edges,
    bytes: [usize; 2],
}

impl EdgeCache {
    pub(in crate::check) fn new(most_bytes: usize) -> Self {
        Self { most_bytes, owner: None, young: Edges::new(), old: Edges::new(), bytes: [0; 2] }
    }

    /// Number of cached edges.
    pub(in crate::check) fn edges(&self) -> usize {
        self.young.len() + self.old.len()
    }

    /// Memory used, in bytes: never more than the limit.
    pub(in crate::check) fn bytes(&self) -> usize {
        self.bytes[0] + self.bytes[1]
    }

    /// The cache, cleared unless its edges are of this checker and of settings that differ in limits only.
    pub(in crate::check) fn of(&mut self, checker: u64, settings: &Settings) -> &mut Self {
        let owner = Some((checker, Settings { max_queries: None, max_time: None, interrupt: None, ..*settings }));
        if self.owner != owner {
            *self = Self { owner, ..Self::new(self.most_bytes) };
        }
        self
    }

    /// Resumes a segment where the search of the same edge ended; true if there was one. Edges are straight; curves
    /// are not cached.
    pub(in crate::check) fn resume(&mut self, piece: SegmentPiece<'_>, segment: &mut SegmentSearch) -> bool {
        let SegmentPiece::Line(ends) = piece else { return false };
        let Some(edge) = self.take(&key(ends)) else { return false };
        (segment.progress, segment.memory, segment.is_apart) = (edge.progress, edge.memory, edge.is_apart);
        segment.cells = BinaryHeap::from(edge.cells);
        true
    }

    /// Stores the state of a segment and resets the segment.
    pub(in crate::check) fn keep(&mut self, piece: SegmentPiece<'_>, segment: &mut SegmentSearch) {
        let SegmentPiece::Line(ends) = piece else { return };
        let cells = std::mem::take(&mut segment.cells).into_vec();
        let (progress, memory) = (std::mem::take(&mut segment.progress), std::mem::take(&mut segment.memory));
        let is_apart = std::mem::take(&mut segment.is_apart);
        if progress.is_cut_short {
            return;
        }
        self.put(key(ends), Edge { progress, cells, memory, is_apart });
    }

    fn take(&mut self, key: &Key) -> Option<Edge> {
        for (generation, edges) in [&mut self.young, &mut self.old].into_iter().enumerate() {
            if let Some(mut edge) = edges.remove(key) {
                self.bytes[generation] -= bytes(key, &edge);
                edge.progress.passed = 0;
                return Some(edge);
            }
        }
        None
    }

    fn put(&mut self, key: Key, mut edge: Edge) {
        let steps = edge.progress.steps.len();
        // The same edge may come twice in a path: the one with more steps is kept.
        let is_known = |edges: &Edges| edges.get(&key).is_some_and(|e| e.progress.steps.len() >= steps);
        if is_known(&self.young) || is_known(&self.old) {
            return;
        }
        drop(self.take(&key));
        edge.progress.steps.shrink_to_fit();
        edge.cells.shrink_to_fit();
        edge.memory.shrink(edge.cells.is_empty());
        let size = bytes(&key, &edge);
        let half = self.most_bytes / 2;
        if size > half {
            return;
        }
        if self.bytes[0] + size > half {
            self.old = std::mem::take(&mut self.young);
            self.bytes = [0, self.bytes[0]];
        }
        self.bytes[0] += size;
        self.young.insert(key, edge);
    }
}

/// The exact bits of both ends: an edge and its reverse are two.
fn key(ends: [&[f64]; 2]) -> Key {
    ends.iter().flat_map(|end| end.iter().map(|q| q.to_bits())).collect()
}

/// Memory of an edge: its lists, and its place in a table that may be half empty.
fn bytes(key: &Key, edge: &Edge) -> usize {
    let Edge { progress, cells, memory, is_apart } = edge;
    let finding = progress.found.as_ref().map_or(0, |found| found.configuration.capacity() * size_of::<f64>());
    size_of_val(&key[..])
        + progress.steps.capacity() * size_of::<f64>()
        + cells.capacity() * size_of::<Cell>()
        + memory.bytes()
        + is_apart.capacity()
        + finding
        + 3 * size_of::<(Key, Edge)>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(steps: usize) -> Edge {
        let progress = SegmentProgress { steps: vec![1.0; steps], ..SegmentProgress::default() };
        Edge { progress, cells: Vec::new(), memory: Default::default(), is_apart: Vec::new() }
    }

    #[test]
    fn memory_stays_below_the_limit_and_what_is_asked_for_stays() {
        let mut cache = EdgeCache::new(20_000);
        cache.of(1, &Settings::default());
        let favourite = || key([&[-1.0], &[-2.0]]);
        cache.put(favourite(), edge(3));
        for i in 0..500 {
            let (from, to) = ([f64::from(i)], [0.5]);
            cache.put(key([&from, &to]), edge(i as usize % 40));
            assert!(cache.bytes() <= 20_000 && cache.edges() > 0);
            assert!(cache.take(&key([&to, &from])).is_none(), "the reverse is another edge");
            let known = cache.take(&favourite()).expect("asked for all the time");
            assert_eq!(known.progress.steps.len(), 3);
            cache.put(favourite(), known);
        }
        assert!(cache.edges() < 100);
        cache.put(key([&[7.0], &[7.5]]), edge(5_000));
        assert!(cache.take(&key([&[7.0], &[7.5]])).is_none(), "larger than the limit");
        let strict = Settings { node_to_motion_ratio: 2.0, ..Settings::default() };
        cache.of(1, &strict);
        assert_eq!((cache.edges(), cache.bytes()), (0, 0));
        cache.put(favourite(), edge(3));
        cache.of(2, &strict);
        assert_eq!(cache.edges(), 0);
    }
}
