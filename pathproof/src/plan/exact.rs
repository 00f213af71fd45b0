//! The checker's interface to planners: proves segments in their final direction and whole candidate paths edge by
//! edge; also tests at a fixed step, as the original SBL does.

use super::budget::{Stop, Watch};
use super::error::PlanError;
use super::problem::Effort;
use super::space::Space;
use crate::check::{ALL, Advanced, CheckError, CheckScratch, Checker, Sampled, Settings, is_turned};
use crate::robot::MotionError;

/// Configurations that are tested between two readings of the clock.
const SAMPLES_PER_LOOK: u64 = 64;

/// Memory for cached edges, in bytes.
const EDGE_CACHE: usize = 256 << 20;

/// State of an edge of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EdgeState {
    /// Number of halvings, κ: levels of midpoints that were tested at a fixed step, or halvings of the uncovered
    /// length.
    pub(super) levels: u32,
    /// True if it is proven, or tested down to the step.
    pub(super) is_safe: bool,
    /// The end at which proofs start: where the first path with the edge entered it. `None` before.
    pub(super) proven_from: Option<End>,
}

/// An end of an edge, independent of the direction of a path: the lesser by its values, or the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Lesser,
    Greater,
}

impl End {
    /// End at which a path enters an edge.
    pub(super) fn entered(edge: [&[f64]; 2]) -> Self {
        if is_turned(edge) { Self::Greater } else { Self::Lesser }
    }
}

/// Result of a test of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tested {
    /// All of it is safe.
    Safe,
    /// This edge is blocked.
    Blocked(usize),
}

/// The checker, its scratch, and the effort so far.
#[derive(Debug)]
pub(super) struct Tester<'a> {
    checker: &'a Checker,
    scratch: CheckScratch,
    /// Scratch with the edge cache; single configurations and final paths would only fill it.
    edges: CheckScratch,
    pub(super) effort: Effort,
}

impl<'a> Tester<'a> {
    pub(super) fn new(checker: &'a Checker) -> Self {
        let edges = CheckScratch::new(checker).with_edge_cache(EDGE_CACHE);
        Self { checker, scratch: CheckScratch::new(checker), edges, effort: Effort::default() }
    }

    /// The same without an edge cache, as a baseline to measure the cache.
    pub(super) fn without_edge_cache(checker: &'a Checker) -> Self {
        Self { edges: CheckScratch::new(checker), ..Self::new(checker) }
    }

    /// True if a configuration is proven free.
    pub(super) fn is_free(&mut self, q: &[f64]) -> Result<bool, PlanError> {
        let (advanced, statistics) = self.checker.advance_edge([q, q], ALL, &Settings::default(), &mut self.scratch)?;
        self.effort.statistics += statistics;
        Ok(advanced == Advanced::Safe)
    }

    /// True if a configuration touches nothing.
    pub(super) fn is_untouched(&mut self, q: &[f64]) -> Result<bool, PlanError> {
        self.effort.statistics.configurations += 1;
        Ok(!self.checker.is_configuration_in_contact(q, &mut self.scratch)?)
    }

    /// True if the segment from `a` to `b` is proven free.
    pub(super) fn is_segment_free(&mut self, a: &[f64], b: &[f64], watch: &Watch<'_>) -> Result<bool, PlanError> {
        self.effort.segments += 1;
        let (advanced, statistics) = match self.checker.advance_edge([a, b], ALL, &settings(watch), &mut self.scratch) {
            // Without a shortest arc between them there is no segment.
            Err(CheckError::Motion { problem: MotionError::HalfTurn { .. }, .. }) => return Ok(false),
            advanced => advanced?,
        };
        self.effort.statistics += statistics;
        Ok(advanced == Advanced::Safe)
    }

    /// Proves all edges that are not safe yet, one halving at a time, the one with the widest gap first. Queues of
    /// unfinished edges stay with them, whichever way they run next time, because an edge is always proven from the
    /// same end. Most edges never turn: proven from where the first path entered them, they need no further proof when
    /// a path is returned.
    pub(super) fn prove(
        &mut self,
        edges: &[[&[f64]; 2]],
        states: &mut [EdgeState],
        space: &Space<'_>,
        watch: &Watch<'_>,
    ) -> Result<Result<Tested, Stop>, PlanError> {
        let gaps = Gaps::new(edges, space);
        while let Some(edge) = gaps.widest(states) {
            match self.advance(edges[edge], &mut states[edge], watch)? {
                // Time is the only limit, besides an interrupt.
                Advanced::Ended(_) => return Ok(Err(watch.require_budget_left().err().unwrap_or(Stop::Time))),
                Advanced::Blocked => return Ok(Ok(Tested::Blocked(edge))),
                Advanced::Safe | Advanced::To { .. } => {}
            }
        }
        Ok(Ok(Tested::Safe))
    }

    /// Halves the uncovered length of an edge.
    pub(super) fn advance(
        &mut self,
        [a, b]: [&[f64]; 2],
        state: &mut EdgeState,
        watch: &Watch<'_>,
    ) -> Result<Advanced, PlanError> {
        let entered = End::entered([a, b]);
        let asked = if *state.proven_from.get_or_insert(entered) == entered { [a, b] } else { [b, a] };
        self.effort.segments += 1;
        let (advanced, statistics) =
            self.checker.advance_edge(asked, state.levels + 1, &settings(watch), &mut self.edges)?;
        self.effort.statistics += statistics;
        match advanced {
            Advanced::Safe => state.is_safe = true,
            Advanced::To { level } => state.levels = level,
            Advanced::Blocked | Advanced::Ended(_) => {}
        }
        Ok(advanced)
    }

    /// Proves one edge at once, in the direction given.
    pub(super) fn prove_at_once(
        &mut self,
        [a, b]: [&[f64]; 2],
        state: &mut EdgeState,
        watch: &Watch<'_>,
    ) -> Result<Tested, PlanError> {
        let is_safe = self.is_segment_free(a, b, watch)?;
        *state = EdgeState { is_safe, proven_from: Some(End::entered([a, b])), ..*state };
        Ok(if is_safe { Tested::Safe } else { Tested::Blocked(0) })
    }

    /// Tests all edges down to a step, the one with the widest untested gap first (docs/design.md#planning). Edges
    /// that the budget leaves untested are not safe.
    pub(super) fn sample(
        &mut self,
        edges: &[[&[f64]; 2]],
        states: &mut [EdgeState],
        step: f64,
        (space, watch): (&Space<'_>, &Watch<'_>),
    ) -> Result<Result<Tested, Stop>, PlanError> {
        let gaps = Gaps::new(edges, space);
        loop {
            for (edge, state) in states.iter_mut().enumerate() {
                state.is_safe |= gaps.of(edge, state) < step || state.levels >= 30;
            }
            let Some(widest) = gaps.widest(states) else { return Ok(Ok(Tested::Safe)) };
            self.effort.segments += 1;
            let level = states[widest].levels;
            // A level of a long edge with a fine step has a billion configurations.
            for first in (0..1u64 << level).step_by(SAMPLES_PER_LOOK as usize) {
                let last = (first + SAMPLES_PER_LOOK).min(1 << level);
                let (sampled, statistics) =
                    self.checker.sample_level(edges[widest], level, first..last, &mut self.scratch)?;
                self.effort.statistics += statistics;
                if matches!(sampled, Sampled::Contact { .. }) {
                    return Ok(Ok(Tested::Blocked(widest)));
                }
                if last < 1 << level
                    && let Err(stop @ (Stop::Time | Stop::Interrupted)) = watch.require_budget_left()
                {
                    return Ok(Err(stop));
                }
            }
            states[widest].levels += 1;
        }
    }
}

/// Distances between the tested configurations on a path's edges.
struct Gaps {
    /// Lengths of the edges.
    lengths: Vec<f64>,
}

impl Gaps {
    fn new(edges: &[[&[f64]; 2]], space: &Space<'_>) -> Self {
        Self { lengths: edges.iter().map(|[a, b]| space.distance(a, b)).collect() }
    }

    /// 2^−κ of the edge's length.
    fn of(&self, edge: usize, state: &EdgeState) -> f64 {
        self.lengths[edge] / (1u64 << state.levels) as f64
    }

    /// The edge with the widest gap that is not safe; of equal ones the first.
    fn widest(&self, states: &[EdgeState]) -> Option<usize> {
        let open = states.iter().enumerate().filter(|(_, state)| !state.is_safe);
        let measured = open.map(|(edge, state)| (edge, self.of(edge, state)));
        measured.reduce(|a, b| if b.1 > a.1 { b } else { a }).map(|(edge, _)| edge)
    }
}

/// Settings with no limit but the remaining time.
fn settings(watch: &Watch<'_>) -> Settings {
    Settings { max_time: watch.remaining(), interrupt: watch.interrupt(), ..Settings::default() }
}
