//! The search for any contact, or for all: two levels of queues, one of segments and in each one of cells
//! (exact-collision-checking paper §3.4).
//!
//! A segment keeps its queue while others are probed. A long path is searched in blocks of segments, one after the
//! other, so that memory does not grow with it. With [`Report::All`] a finding closes its pair on its segment.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::edge_cache::EdgeCache;
use super::pursuit::{self, QUERIES_FOR_ANY, take_pair};
use super::segment::{SegmentSearch, lower_of};
use crate::check::cell::{Cell, Examiner, Job, Probed, WHOLE, dyadic};
use crate::check::error::CheckError;
use crate::check::settings::Report;
use crate::check::verdict::{Finding, Limit, Outcome, Unresolved};
use crate::check::waypoints::Waypoints;
use crate::numeric::most;
use crate::robot::SegmentMotion;

/// Number of segments that are searched together. Paths of planners fit in one block; on longer paths it bounds the
/// memory.
pub(in crate::check) const BLOCK: usize = 64;

/// The queues of a search; their memory is reused.
#[derive(Debug, Default)]
pub(in crate::check) struct Queues {
    pub(super) segments: Vec<SegmentSearch>,
    used: usize,
    /// Segments with cells left, except the current one.
    waiting: BinaryHeap<Waiting>,
    /// The segment whose poses the cache holds.
    posed: Option<usize>,
}

/// A segment by the priority of its next step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Waiting {
    pressing: f64,
    /// In the block.
    segment: usize,
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    /// Of equal priorities the earlier segment comes first.
    fn cmp(&self, other: &Self) -> Ordering {
        self.pressing.total_cmp(&other.pressing).then(other.segment.cmp(&self.segment))
    }
}

/// The search of a path: its examiner, its queues and its outcome.
pub(in crate::check) struct Search<'s, 'a> {
    queues: &'s mut Queues,
    examiner: &'s mut Examiner<'a>,
    /// Cached edges, if the cache is to be used.
    edges: Option<&'s mut EdgeCache>,
    outcome: Outcome,
}

/// True if a search ended before the end of its path.
type IsOver = bool;

impl<'s, 'a> Search<'s, 'a> {
    /// A search that has not begun.
    pub(in crate::check) fn new(
        queues: &'s mut Queues,
        edges: Option<&'s mut EdgeCache>,
        examiner: &'s mut Examiner<'a>,
    ) -> Self {
        let outcome = Outcome::new(examiner.job.scene.tolerance());
        Self { queues, examiner, edges, outcome }
    }

    /// Decides a path.
    pub(in crate::check) fn run(self, path: Waypoints<'_>) -> Result<Outcome, CheckError> {
        Ok(self.run_blocks(path, 0..path.segments().div_ceil(BLOCK))?.0)
    }

    /// Decides some blocks of a path, one after the other. No block depends on another.
    pub(in crate::check) fn run_blocks(
        mut self,
        path: Waypoints<'_>,
        blocks: std::ops::Range<usize>,
    ) -> Result<(Outcome, IsOver), CheckError> {
        let begun = blocks.start;
        for block in blocks {
            let first = block * BLOCK;
            // A block without probes does not check the limits.
            let Examiner { job, work, .. } = &*self.examiner;
            if block > begun
                && let Some(limit) = job.limits.reached_by_now(&work.statistics)
            {
                self.outcome.unresolved.get_or_insert(all_left_at_limit(job, first, limit));
                return Ok((self.outcome, true));
            }
            let numbers = first..path.segments().min(first + BLOCK);
            self.begin(path, numbers.clone())?;
            let starts = if !path.is_connected() { self.queues.used } else { usize::from(first == 0) };
            let is_over = self.search_block(starts);
            if let Some(edges) = self.edges.as_deref_mut() {
                for (segment, number) in self.queues.segments.iter_mut().zip(numbers) {
                    edges.keep(path.piece(number), segment);
                }
            }
            if is_over {
                return Ok((self.outcome, true));
            }
        }
        Ok((self.outcome, false))
    }

    /// Queues every pair on every segment of a block, except on segments that the edge cache resumes.
    fn begin(&mut self, path: Waypoints<'_>, numbers: std::ops::Range<usize>) -> Result<(), CheckError> {
        self.queues.used = numbers.len();
        for (place, number) in numbers.enumerate() {
            let segment = self.queues.make_room(place, self.examiner);
            segment.begin(number, path.piece(number), self.edges.as_deref_mut(), self.examiner)?;
        }
        Ok(())
    }

    /// Decides the segments of a block. Tests the first `starts` segments for bodies that start inside others; the
    /// other segments continue the ones before them.
    fn search_block(&mut self, starts: usize) -> IsOver {
        let tolerances = self.queues.block().iter().map(|segment| segment.facts.tolerance);
        self.outcome.tolerance = tolerances.fold(self.outcome.tolerance, most);
        let is_all = self.examiner.job.settings.report == Report::All;
        let unclear = if is_all { self.all_contained() } else { Vec::new() };
        let is_proven = self.queues.block().iter().all(SegmentSearch::is_proven);
        let mut is_over = !is_proven && self.probe_cells();
        for (place, pair) in unclear {
            let segment = self.queues.pose(place, self.examiner);
            self.outcome.note(segment.unclear_at_start(pair, self.examiner));
        }
        // Where any contact ends the search, looking for bodies inside others comes last: other contacts are found
        // sooner.
        for place in 0..starts {
            if !is_all && self.outcome.findings.is_empty() {
                is_over |= self.contained_at_start(place);
            }
        }
        self.outcome.lower = self.outcome.lower.least(lower_of(self.queues.block()));
        is_over
    }

    /// Probes cells until all are covered, any contact is found or a limit is reached.
    fn probe_cells(&mut self) -> IsOver {
        self.queues.wait_all();
        let mut current = None;
        while let Some(place) = self.queues.next_segment(current) {
            current = Some(place);
            let segment = self.queues.pose(place, self.examiner);
            if segment.progress.known_step().is_some() {
                if pass(segment, &mut self.outcome) {
                    return true;
                }
                continue;
            }
            let Some(cell) = segment.cells.pop() else { continue };
            if let Some(limit) = self.examiner.reached() {
                let left = segment.unresolved(&self.examiner.job, cell.pair, limit, cell.interval());
                self.outcome.unresolved = Some(left);
                segment.cells.push(cell);
                return true;
            }
            if self.edges.is_some() {
                segment.progress.record(cell.priority);
            }
            let goal = segment.goal(&self.examiner.job, cell.pair);
            let probed = segment.probe(&cell, &goal, self.examiner);
            if probed.found.is_some() {
                if self.close(place, &cell, &probed) {
                    return true;
                }
                continue;
            }
            self.examiner.work.statistics.bisections += u64::from(probed.is_cut);
            if let Some(unresolved) = segment.keep_rest(&self.examiner.job, cell.pair, &probed) {
                segment.progress.record_unresolved(&unresolved);
                self.outcome.unresolved.get_or_insert(unresolved);
            }
        }
        false
    }

    /// Records a finding, after following its pair to the nearest approach.
    fn close(&mut self, place: usize, cell: &Cell, probed: &Probed) -> IsOver {
        let segment = &mut self.queues.segments[place];
        let is_any = self.examiner.job.settings.report == Report::Any;
        let most_queries = is_any.then_some(QUERIES_FOR_ANY);
        let pursued = pursuit::pursue(segment, cell, probed, most_queries, self.examiner);
        let finding = if is_any { worst_at(segment, pursued.finding, self.examiner) } else { pursued.finding };
        if pursued.limit.is_some() {
            segment.progress.cut_short();
        }
        if self.edges.is_some() {
            segment.progress.record_found(&finding);
        }
        self.outcome.findings.push(finding);
        if let Some(limit) = pursued.limit.filter(|_| !is_any) {
            let left = segment.unresolved(&self.examiner.job, cell.pair, limit, cell.interval());
            self.outcome.unresolved = Some(left);
            return true;
        }
        is_any
    }

    /// Finds bodies that start a segment inside a solid of another: each is a finding, and its pair is closed on the
    /// segment. Returns the segments, by place, that start with a pair that rounding cannot decide, and the pair.
    fn all_contained(&mut self) -> Vec<(usize, u32)> {
        let mut left = Vec::new();
        for place in 0..self.queues.used {
            let segment = self.queues.pose(place, self.examiner);
            let (contained, unclear) = segment.contained_at_start(None, self.examiner);
            for (pair, finding) in contained {
                drop(take_pair(&mut segment.cells, pair));
                self.outcome.findings.push(finding);
            }
            left.extend(unclear.map(|pair| (place, pair)));
        }
        left
    }

    /// Finds bodies that start a segment inside a solid of another: a path cannot enter a solid without crossing its
    /// surface, which the search would have found.
    fn contained_at_start(&mut self, place: usize) -> IsOver {
        let segment = self.queues.pose(place, self.examiner);
        let (contained, unclear) = segment.contained_at_start(None, self.examiner);
        if let Some((_, finding)) = contained.into_iter().next() {
            self.outcome.findings.push(finding);
            return true;
        }
        if let Some(pair) = unclear.filter(|_| self.outcome.unresolved.is_none()) {
            self.outcome.note(segment.unclear_at_start(pair, self.examiner));
        }
        !self.outcome.findings.is_empty()
    }
}

impl Queues {
    /// The segments of the block.
    fn block(&self) -> &[SegmentSearch] {
        &self.segments[..self.used]
    }

    /// Makes room for another segment at a place, to which the cache of poses will belong.
    pub(super) fn make_room(&mut self, place: usize, examiner: &mut Examiner<'_>) -> &mut SegmentSearch {
        if place == self.segments.len() {
            self.segments.push(SegmentSearch::new(SegmentMotion::still(examiner.job.scene.model())));
        }
        self.posed = None;
        self.pose(place, examiner)
    }

    /// Makes the cache hold poses of a segment.
    fn pose(&mut self, place: usize, examiner: &mut Examiner<'_>) -> &mut SegmentSearch {
        if self.posed != Some(place) {
            self.posed = Some(place);
            examiner.work.cache.clear();
        }
        &mut self.segments[place]
    }

    /// Queues all segments of the block that have cells left.
    fn wait_all(&mut self) {
        self.waiting.clear();
        let segments = self.segments[..self.used].iter().enumerate();
        let waiting =
            segments.filter_map(|(segment, state)| state.pressing().map(|pressing| Waiting { pressing, segment }));
        self.waiting.extend(waiting);
    }

    /// The segment to probe next: the one with the largest uncovered length. Stays with the current one while its
    /// length is at least half of that, so that its poses are reused.
    fn next_segment(&mut self, current: Option<usize>) -> Option<usize> {
        let pressing_now = current.and_then(|place| self.segments[place].pressing());
        let Some((segment, pressing)) = current.zip(pressing_now) else {
            return self.waiting.pop().map(|next| next.segment);
        };
        match self.waiting.peek() {
            Some(next) if !(pressing >= 0.5 * next.pressing) => {
                let next = next.segment;
                self.waiting.pop();
                self.waiting.push(Waiting { pressing, segment });
                Some(next)
            }
            _ => Some(segment),
        }
    }
}

/// Replays a known step; true if it found a contact.
fn pass(segment: &mut SegmentSearch, outcome: &mut Outcome) -> bool {
    let number = segment.facts.number;
    let (unresolved, found) = segment.progress.pass();
    if let (Some(unresolved), None) = (unresolved, &outcome.unresolved) {
        outcome.unresolved = Some(Unresolved { segment: number, ..unresolved.clone() });
    }
    outcome.findings.extend(found.map(|finding| Finding { segment: number, ..finding.clone() }));
    found.is_some()
}

/// Outcome of a limit that was reached before a segment was begun.
pub(super) fn all_left_at_limit(job: &Job<'_>, segment: usize, limit: Limit) -> Unresolved {
    let bodies = job.groups.pairs.first().map_or([0; 2], |pair| job.groups.bodies_of(pair, [0; 2]));
    Unresolved { limit, segment, interval: [0.0, 1.0], bodies }
}

/// The finding, or a collision of another pair at the same configuration: a pair that is too close must not hide it.
fn worst_at(segment: &SegmentSearch, finding: Finding, examiner: &mut Examiner<'_>) -> Finding {
    if finding.is_collision() {
        return finding;
    }
    let position = (finding.t * WHOLE as f64) as u64;
    for pair in 0..examiner.job.groups.pairs.len() {
        if examiner.may_touch(&segment.facts, pair, dyadic(position)) {
            let at = examiner.pair_at(&segment.facts, pair, dyadic(position));
            if at.collides(&mut examiner.work.query, &mut examiner.work.statistics) {
                return segment.finding(pair as u32, position, None, examiner);
            }
        }
    }
    finding
}
