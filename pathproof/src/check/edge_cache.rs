//! What is known of edges that were looked at before (exact-collision-checking paper §3.4): their queues are kept and
//! resumed when they come back in another path, so that no work is done twice.
//!
//! Invariant: an answer does not depend on what the cache knows. The steps of a segment are a function of the segment
//! alone, but which segment of a path is looked at next depends on all of them. So an edge also keeps the uncovered length
//! before each of its steps: a search goes through the known steps in the order in which it would have made them, without
//! looking, and finds what it would have found. Cost: 8 bytes a step, a few nanoseconds to go through it again.

use std::collections::HashMap;

use super::cell::Cell;
use super::checker::Settings;
use super::front::Fronts;
use super::verdict::{Finding, Open};

/// How far the search of one segment has come.
#[derive(Debug)]
pub(super) struct Progress {
    /// Uncovered length of the cell of each step that was made; kept only if it is to be cached.
    steps: Vec<f64>,
    /// How many of them the present search has gone through.
    passed: usize,
    /// Proven over what is covered.
    pub(super) lower_clearance: f64,
    /// What was first left open, and in which step.
    open: Option<(usize, Open)>,
    /// The contact that the last step found.
    found: Option<Finding>,
}

impl Default for Progress {
    fn default() -> Self {
        Self { steps: Vec::new(), passed: 0, lower_clearance: f64::INFINITY, open: None, found: None }
    }
}

impl Progress {
    /// Forgets everything but the memory.
    pub(super) fn clear(&mut self) {
        self.steps.clear();
        (self.passed, self.lower_clearance, self.open, self.found) = (0, f64::INFINITY, None, None);
    }

    /// Uncovered length of the next step that is known already.
    pub(super) fn known_step(&self) -> Option<f64> {
        self.steps.get(self.passed).copied()
    }

    /// Goes through a known step: what it left open and what it found, if anything.
    pub(super) fn pass(&mut self) -> (Option<&Open>, Option<&Finding>) {
        let step = self.passed;
        self.passed += 1;
        let open = self.open.as_ref().filter(|(at, _)| *at == step).map(|(_, open)| open);
        (open, self.found.as_ref().filter(|_| self.passed == self.steps.len()))
    }

    /// Takes note of a step that is made now.
    pub(super) fn record(&mut self, uncovered: f64) {
        self.steps.push(uncovered);
        self.passed += 1;
    }

    /// Takes note of what the step just recorded left open.
    pub(super) fn record_open(&mut self, open: &Open) {
        if self.open.is_none() && self.passed > 0 {
            self.open = Some((self.passed - 1, open.clone()));
        }
    }

    /// Takes note of what the step just recorded found.
    pub(super) fn record_found(&mut self, finding: &Finding) {
        self.found = Some(finding.clone());
    }

    /// Whether nothing speaks against the segment so far.
    pub(super) fn is_good(&self) -> bool {
        self.open.is_none() && self.found.is_none()
    }
}

/// An edge that is not being looked at.
#[derive(Debug, Default)]
pub(super) struct Edge {
    pub(super) progress: Progress,
    pub(super) cells: Vec<Cell>,
    pub(super) fronts: Fronts,
}

type Key = Box<[u64]>;
type Edges = HashMap<Key, Edge>;

/// Edges known to a [`super::CheckScratch`], and how much memory they take.
///
/// Two generations: when the younger one fills its half of the limit, the older one is dropped and takes its place. An
/// edge that is asked for becomes young again.
#[derive(Debug)]
pub struct EdgeCache {
    most_bytes: usize,
    /// Whose edges these are: another checker, or other settings, start from nothing.
    owner: Option<(u64, Settings)>,
    young: Edges,
    old: Edges,
    bytes: [usize; 2],
}

impl EdgeCache {
    pub(super) fn new(most_bytes: usize) -> Self {
        Self { most_bytes, owner: None, young: Edges::new(), old: Edges::new(), bytes: [0; 2] }
    }

    /// How many edges are known.
    pub fn edges(&self) -> usize {
        self.young.len() + self.old.len()
    }

    /// Memory that they take, in bytes: never more than the limit.
    pub fn bytes(&self) -> usize {
        self.bytes[0] + self.bytes[1]
    }

    /// Forgets all edges unless they are of this checker, found with settings that differ in limits only.
    pub(super) fn open_for(&mut self, checker: u64, settings: &Settings) {
        let owner = Some((checker, Settings { max_queries: None, max_time: None, ..*settings }));
        if self.owner != owner {
            *self = Self { owner, ..Self::new(self.most_bytes) };
        }
    }

    /// Takes out what is known of an edge.
    pub(super) fn take(&mut self, ends: &[&[f64]; 2]) -> Option<Edge> {
        let key = key(ends);
        for (generation, edges) in [&mut self.young, &mut self.old].into_iter().enumerate() {
            if let Some(mut edge) = edges.remove(&key) {
                self.bytes[generation] -= bytes(&key, &edge);
                edge.progress.passed = 0;
                return Some(edge);
            }
        }
        None
    }

    /// Keeps what is known of an edge.
    pub(super) fn put(&mut self, ends: &[&[f64]; 2], mut edge: Edge) {
        let key = key(ends);
        let steps = edge.progress.steps.len();
        // The same edge may come twice in a path: whoever has come farther is kept.
        let is_known = |edges: &Edges| edges.get(&key).is_some_and(|e| e.progress.steps.len() >= steps);
        if is_known(&self.young) || is_known(&self.old) {
            return;
        }
        drop(self.take(ends));
        if edge.cells.is_empty() {
            edge.fronts = Fronts::default();
        }
        edge.progress.steps.shrink_to_fit();
        edge.cells.shrink_to_fit();
        edge.fronts.shrink_to_fit();
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
fn key(ends: &[&[f64]; 2]) -> Key {
    ends.iter().flat_map(|end| end.iter().map(|q| q.to_bits())).collect()
}

/// Memory of an edge: its lists, and its place in a table that may be half empty.
fn bytes(key: &Key, edge: &Edge) -> usize {
    let Edge { progress, cells, fronts } = edge;
    let finding = progress.found.as_ref().map_or(0, |found| found.configuration.capacity() * size_of::<f64>());
    size_of_val(&key[..])
        + progress.steps.capacity() * size_of::<f64>()
        + cells.capacity() * size_of::<Cell>()
        + fronts.bytes()
        + finding
        + 3 * size_of::<(Key, Edge)>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(steps: usize) -> Edge {
        Edge { progress: Progress { steps: vec![1.0; steps], ..Progress::default() }, ..Edge::default() }
    }

    #[test]
    fn memory_stays_below_the_limit_and_what_is_asked_for_stays() {
        let mut cache = EdgeCache::new(20_000);
        cache.open_for(1, &Settings::default());
        let favourite: [&[f64]; 2] = [&[-1.0], &[-2.0]];
        cache.put(&favourite, edge(3));
        for i in 0..500 {
            let (from, to) = ([f64::from(i)], [0.5]);
            cache.put(&[&from, &to], edge(i as usize % 40));
            assert!(cache.bytes() <= 20_000 && cache.edges() > 0);
            assert!(cache.take(&[&to, &from]).is_none(), "the reverse is another edge");
            let known = cache.take(&favourite).expect("asked for all the time");
            assert_eq!(known.progress.steps.len(), 3);
            cache.put(&favourite, known);
        }
        assert!(cache.edges() < 100);
        cache.put(&[&[7.0], &[7.5]], edge(5_000));
        assert!(cache.take(&[&[7.0], &[7.5]]).is_none(), "larger than the limit");
        let strict = Settings { grain: 2.0, ..Settings::default() };
        cache.open_for(1, &strict);
        assert_eq!((cache.edges(), cache.bytes()), (0, 0));
        cache.put(&favourite, edge(3));
        cache.open_for(2, &strict);
        assert_eq!(cache.edges(), 0);
    }
}
