//! The checker as planners ask it: segments in their final direction, whole candidate paths edge by edge, and the fixed
//! step of the original SBL beside.

use super::budget::{Stop, Watch};
use super::error::PlanError;
use super::problem::Effort;
use super::space::Space;
use crate::check::{Answer, CheckScratch, Checker, Limit, Sampled, Settings, Verdict, is_turned};

/// Memory for remembered edges, in bytes.
const EDGE_CACHE: usize = 256 << 20;

/// What is known of an edge of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EdgeState {
    /// Levels of midpoints that were tested at a fixed step.
    pub(super) levels: u32,
    /// Whether it is proven, or tested down to the step.
    pub(super) is_safe: bool,
    /// The end that proofs start from: that from which the first path that had the edge ran through it. `None` before.
    pub(super) proven_from: Option<End>,
}

/// An end of an edge, whichever way a path runs through it: the lesser by its values, or the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Lesser,
    Greater,
}

impl End {
    /// Where a path enters an edge.
    pub(super) fn entered(edge: [&[f64]; 2]) -> Self {
        if is_turned(edge) { Self::Greater } else { Self::Lesser }
    }
}

/// What a test of a path came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tested {
    /// All of it is safe.
    Safe,
    /// This edge is not.
    Blocked(usize),
}

/// The checker, its scratch, and what was asked of it.
#[derive(Debug)]
pub(super) struct Tester<'a> {
    checker: &'a Checker,
    scratch: CheckScratch,
    /// Knows edges; single configurations and final paths would only fill it.
    edges: CheckScratch,
    pub(super) effort: Effort,
}

impl<'a> Tester<'a> {
    pub(super) fn new(checker: &'a Checker) -> Self {
        let edges = CheckScratch::new(checker).with_edge_cache(EDGE_CACHE);
        Self { checker, scratch: CheckScratch::new(checker), edges, effort: Effort::default() }
    }

    /// The same, but nothing is remembered of edges: what the cache gives is measured against this.
    pub(super) fn without_edge_cache(checker: &'a Checker) -> Self {
        Self { edges: CheckScratch::new(checker), ..Self::new(checker) }
    }

    /// Whether a configuration is proven free.
    pub(super) fn is_free(&mut self, q: &[f64]) -> Result<bool, PlanError> {
        let answer = self.checker.segment(q, q, &Settings::default(), &mut self.scratch)?;
        self.effort.statistics += answer.statistics;
        Ok(matches!(answer.verdict, Verdict::Free(_)))
    }

    /// Whether a configuration touches nothing.
    pub(super) fn is_untouched(&mut self, q: &[f64]) -> Result<bool, PlanError> {
        self.effort.statistics.configurations += 1;
        Ok(!self.checker.is_configuration_in_contact(q, &mut self.scratch)?)
    }

    /// Whether the segment from `a` to `b` is proven free.
    pub(super) fn is_segment_free(&mut self, a: &[f64], b: &[f64], watch: &Watch<'_>) -> Result<bool, PlanError> {
        self.effort.segments += 1;
        let settings = settings(watch);
        // No shortest arc between them: no segment.
        let Ok(answer) = self.checker.segment(a, b, &settings, &mut self.scratch) else { return Ok(false) };
        self.effort.statistics += answer.statistics;
        Ok(matches!(answer.verdict, Verdict::Free(_)))
    }

    /// Proves all edges that are not safe yet, the one with the longest uncovered length first (exact-collision-checking
    /// paper §3.4); queues of edges that are left unfinished stay with them, whichever way they run next time, because an
    /// edge is always proven from the same end. Most edges never turn: proven from where the first path entered them, they
    /// need no further proof when a path is returned.
    pub(super) fn prove(
        &mut self,
        edges: &[[&[f64]; 2]],
        states: &mut [EdgeState],
        watch: &Watch<'_>,
    ) -> Result<Result<Tested, Stop>, PlanError> {
        let open: Vec<usize> = (0..edges.len()).filter(|&edge| !states[edge].is_safe).collect();
        let from_its_end = |&edge: &usize| {
            let entered = End::entered(edges[edge]);
            let [a, b] = edges[edge];
            if *states[edge].proven_from.get_or_insert(entered) == entered { [a, b] } else { [b, a] }
        };
        let asked: Vec<[&[f64]; 2]> = open.iter().map(from_its_end).collect();
        self.effort.segments += asked.len() as u64;
        if asked.is_empty() {
            return Ok(Ok(Tested::Safe));
        }
        let answer = self.checker.edges_as_given(&asked, &settings(watch), &mut self.edges)?;
        self.effort.statistics += answer.statistics;
        match &answer.verdict {
            Verdict::Free(_) => open.iter().for_each(|&edge| states[edge].is_safe = true),
            Verdict::Undecided(left) if left.limit == Limit::Seconds => return Ok(Err(Stop::Time)),
            _ => {}
        }
        Ok(Ok(blocked(&answer).map_or(Tested::Safe, |edge| Tested::Blocked(open[edge]))))
    }

    /// Tests all edges down to a step, the one with the widest untested gap first (docs/design.md#planning).
    pub(super) fn sample(
        &mut self,
        edges: &[[&[f64]; 2]],
        states: &mut [EdgeState],
        step: f64,
        space: &Space<'_>,
    ) -> Result<Tested, PlanError> {
        let lengths: Vec<f64> = edges.iter().map(|[a, b]| space.distance(a, b)).collect();
        loop {
            let gap = |edge: usize, states: &[EdgeState]| lengths[edge] / (1u64 << states[edge].levels) as f64;
            for edge in 0..edges.len() {
                states[edge].is_safe |= gap(edge, states) < step || states[edge].levels >= 30;
            }
            let open = (0..edges.len()).filter(|&edge| !states[edge].is_safe);
            let Some(widest) = open.reduce(|a, b| if gap(b, states) > gap(a, states) { b } else { a }) else {
                return Ok(Tested::Safe);
            };
            let [a, b] = edges[widest];
            self.effort.segments += 1;
            let (sampled, statistics) = self.checker.sample_level(a, b, states[widest].levels, &mut self.scratch)?;
            self.effort.statistics += statistics;
            if matches!(sampled, Sampled::Contact { .. }) {
                return Ok(Tested::Blocked(widest));
            }
            states[widest].levels += 1;
        }
    }
}

/// No limit but that of the time that is left.
fn settings(watch: &Watch<'_>) -> Settings {
    Settings { max_time: watch.remaining(), ..Settings::default() }
}

/// The segment that is not proven.
fn blocked(answer: &Answer) -> Option<usize> {
    match &answer.verdict {
        Verdict::Free(_) => None,
        Verdict::Collision(found) | Verdict::TooClose(found) => Some(found.segment),
        Verdict::Undecided(left) => Some(left.segment),
    }
}
