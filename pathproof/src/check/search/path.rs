//! The search for any contact, or for all: two levels of queues, one of segments and in each one of cells
//! (exact-collision-checking paper §3.4).
//!
//! A segment keeps its queue while others are probed. A long path is searched in blocks of segments, one after the other,
//! so that memory does not grow with it. With [`Report::All`] a finding closes its pair on its segment.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::Waypoints;
use super::cell::{Cell, WHOLE, dyadic};
use super::edge_cache::EdgeCache;
use super::judge::{Job, Judge, Probed, Workspace, may_touch, pair_at};
use super::pursuit::{self, QUERIES_FOR_ANY, take_pair};
use super::segment::{SegmentSearch, lower_of};
use crate::check::error::CheckError;
use crate::check::settings::Report;
use crate::check::verdict::{Finding, Limit, Outcome, Unresolved};
use crate::numeric::most;
use crate::robot::SegmentMotion;

/// Segments that are searched together. Whether a path of a planner is free is decided in one block; in longer ones memory
/// is bounded.
pub(in crate::check) const BLOCK: usize = 64;

/// The state of a search; its memory is reused.
#[derive(Debug)]
pub(in crate::check) struct PathSearch<J: Judge> {
    pub(super) segments: Vec<SegmentSearch<J>>,
    used: usize,
    /// Segments with something left, but for the current one.
    waiting: BinaryHeap<Waiting>,
    /// The segment whose poses the cache holds.
    posed: Option<usize>,
}

impl<J: Judge> Default for PathSearch<J> {
    fn default() -> Self {
        Self { segments: Vec::new(), used: 0, waiting: BinaryHeap::new(), posed: None }
    }
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
    /// Of equally pressing ones the earlier comes first.
    fn cmp(&self, other: &Self) -> Ordering {
        self.pressing.total_cmp(&other.pressing).then(other.segment.cmp(&self.segment))
    }
}

impl<J: Judge> PathSearch<J> {
    /// Decides a path.
    pub(in crate::check) fn run(
        &mut self,
        job: &Job<'_>,
        path: Waypoints<'_>,
        judge: &mut J,
        edges: Option<&mut EdgeCache<J>>,
        work: &mut Workspace,
    ) -> Result<Outcome, CheckError> {
        let mut outcome = Outcome::new(job.scene.tolerance());
        self.run_blocks(job, path, 0..path.segments().div_ceil(BLOCK), judge, edges, work, &mut outcome)?;
        Ok(outcome)
    }

    /// Decides some blocks of a path, one after the other; whether the search is over before the path's end. No block
    /// depends on another.
    #[allow(clippy::too_many_arguments)]
    pub(in crate::check) fn run_blocks(
        &mut self,
        job: &Job<'_>,
        path: Waypoints<'_>,
        blocks: std::ops::Range<usize>,
        judge: &mut J,
        mut edges: Option<&mut EdgeCache<J>>,
        work: &mut Workspace,
        outcome: &mut Outcome,
    ) -> Result<bool, CheckError> {
        let begun = blocks.start;
        for block in blocks {
            let first = block * BLOCK;
            // A block that needs no probe asks for no limit.
            if block > begun
                && let Some(limit) = job.limits.reached_by_now(&work.statistics)
            {
                outcome.unresolved.get_or_insert(all_left_at_limit(job, first, limit));
                return Ok(true);
            }
            let numbers = first..path.segments().min(first + BLOCK);
            self.begin(job, path, numbers.clone(), judge, edges.as_deref_mut(), work)?;
            let starts = if !path.is_connected() { self.used } else { usize::from(first == 0) };
            let is_over = self.search_block(job, starts, judge, edges.is_some(), work, outcome);
            if let Some(edges) = edges.as_deref_mut() {
                for (segment, number) in self.segments.iter_mut().zip(numbers) {
                    edges.keep(path.piece(number), segment);
                }
            }
            if is_over {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Queues every pair on every segment of a block, but for segments that go on where the search of the same edge ended.
    fn begin(
        &mut self,
        job: &Job<'_>,
        path: Waypoints<'_>,
        numbers: std::ops::Range<usize>,
        judge: &mut J,
        mut edges: Option<&mut EdgeCache<J>>,
        work: &mut Workspace,
    ) -> Result<(), CheckError> {
        self.used = numbers.len();
        for (place, number) in numbers.enumerate() {
            self.make_room(place, job, work);
            let (segment, piece) = (&mut self.segments[place], path.piece(number));
            segment.begin(job, number, piece, judge, edges.as_deref_mut(), work)?;
        }
        Ok(())
    }

    /// Makes room for another segment at a place; the cache of poses will be of that.
    pub(super) fn make_room(&mut self, place: usize, job: &Job<'_>, work: &mut Workspace) {
        if place == self.segments.len() {
            self.segments.push(SegmentSearch::new(SegmentMotion::still(job.scene.model())));
        }
        self.posed = None;
        self.pose(place, work);
    }

    /// Makes the cache hold poses of this segment.
    fn pose(&mut self, place: usize, work: &mut Workspace) {
        if self.posed != Some(place) {
            self.posed = Some(place);
            work.cache.clear();
        }
    }

    /// Decides the segments of a block; whether the search is over. Of the first `starts` segments it is looked whether
    /// bodies start inside of others; what the other segments start with is known from those before them.
    fn search_block(
        &mut self,
        job: &Job<'_>,
        starts: usize,
        judge: &mut J,
        records: bool,
        work: &mut Workspace,
        outcome: &mut Outcome,
    ) -> bool {
        let tolerances = self.segments[..self.used].iter().map(|segment| segment.facts.tolerance);
        outcome.tolerance = tolerances.fold(outcome.tolerance, most);
        let is_all = job.settings.report == Report::All;
        let unclear = if is_all { self.all_contained(job, work, outcome) } else { Vec::new() };
        let is_proven = self.segments[..self.used].iter().all(SegmentSearch::is_proven);
        let mut is_over = !is_proven && self.probe_cells(job, judge, records, work, outcome);
        for (place, pair) in unclear {
            self.pose(place, work);
            outcome.note(self.segments[place].unclear_at_start(job, pair, work));
        }
        // Where any contact will do, what is found without looking for bodies inside others is found sooner.
        for place in 0..starts {
            if !is_all && outcome.findings.is_empty() {
                is_over |= self.contained_at_start(place, job, work, outcome);
            }
        }
        outcome.lower = outcome.lower.least(lower_of(&self.segments[..self.used]));
        is_over
    }

    /// Probes cells until all are covered, any contact is found or a limit is reached; whether the search is over.
    fn probe_cells(
        &mut self,
        job: &Job<'_>,
        judge: &mut J,
        records: bool,
        work: &mut Workspace,
        outcome: &mut Outcome,
    ) -> bool {
        self.wait_all();
        let mut current = None;
        while let Some(place) = self.next_segment(current) {
            current = Some(place);
            self.pose(place, work);
            let segment = &mut self.segments[place];
            if segment.progress.known_step().is_some() {
                if pass(segment, outcome) {
                    return true;
                }
                continue;
            }
            let Some(cell) = segment.cells.pop() else { continue };
            if let Some(limit) = job.limits.reached(&work.statistics) {
                outcome.unresolved = Some(segment.unresolved(job, cell.pair, limit, cell.interval()));
                segment.cells.push(cell);
                return true;
            }
            if records {
                segment.progress.record(cell.priority);
            }
            let goal = segment.goal(job, cell.pair);
            let probed = segment.probe(job, &cell, &goal, judge, work);
            if probed.found.is_some() {
                if self.close(place, job, &cell, &probed, judge, records, work, outcome) {
                    return true;
                }
                continue;
            }
            work.statistics.bisections += u64::from(probed.is_cut);
            if let Some(unresolved) = segment.keep_rest(job, cell.pair, &probed, judge) {
                segment.progress.record_unresolved(&unresolved);
                outcome.unresolved.get_or_insert(unresolved);
            }
        }
        false
    }

    /// Takes note of a finding, after following its pair to the nearest approach; whether the search is over.
    #[allow(clippy::too_many_arguments)]
    fn close(
        &mut self,
        place: usize,
        job: &Job<'_>,
        cell: &Cell<J::Evidence>,
        probed: &Probed<J::Evidence>,
        judge: &mut J,
        records: bool,
        work: &mut Workspace,
        outcome: &mut Outcome,
    ) -> bool {
        let segment = &mut self.segments[place];
        let is_any = job.settings.report == Report::Any;
        let most_queries = is_any.then_some(QUERIES_FOR_ANY);
        let pursued = pursuit::pursue(segment, job, cell, probed, most_queries, judge, work);
        let finding = if is_any { worst_at(segment, job, pursued.finding, work) } else { pursued.finding };
        if pursued.limit.is_some() {
            segment.progress.cut_short();
        }
        if records {
            segment.progress.record_found(&finding);
        }
        outcome.findings.push(finding);
        if let Some(limit) = pursued.limit.filter(|_| !is_any) {
            outcome.unresolved = Some(segment.unresolved(job, cell.pair, limit, cell.interval()));
            return true;
        }
        is_any
    }

    /// All segments of the block with something left wait.
    fn wait_all(&mut self) {
        self.waiting.clear();
        let segments = self.segments[..self.used].iter().enumerate();
        let waiting =
            segments.filter_map(|(segment, state)| state.pressing().map(|pressing| Waiting { pressing, segment }));
        self.waiting.extend(waiting);
    }

    /// The segment to probe next: that of the largest uncovered length. Stays with the current one while it is at least half
    /// as pressing, so that its poses are used again.
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

    /// Bodies that start a segment inside a solid of another: each is a finding, and its pair is closed on the segment.
    /// Returns the segments, by place, that start with a pair that rounding cannot tell, and the pair.
    fn all_contained(&mut self, job: &Job<'_>, work: &mut Workspace, outcome: &mut Outcome) -> Vec<(usize, u32)> {
        let mut left = Vec::new();
        for place in 0..self.used {
            self.pose(place, work);
            let segment = &mut self.segments[place];
            let (contained, unclear) = segment.contained_at_start(job, None, work);
            for (pair, finding) in contained {
                drop(take_pair(&mut segment.cells, pair));
                outcome.findings.push(finding);
            }
            left.extend(unclear.map(|pair| (place, pair)));
        }
        left
    }

    /// Bodies that start a segment inside a solid of another: a path cannot enter a solid without crossing its surface,
    /// which the search would have found. Whether there is one.
    fn contained_at_start(&mut self, place: usize, job: &Job<'_>, work: &mut Workspace, outcome: &mut Outcome) -> bool {
        self.pose(place, work);
        let segment = &self.segments[place];
        let (contained, unclear) = segment.contained_at_start(job, None, work);
        if let Some((_, finding)) = contained.into_iter().next() {
            outcome.findings.push(finding);
            return true;
        }
        if let Some(pair) = unclear.filter(|_| outcome.unresolved.is_none()) {
            outcome.note(segment.unclear_at_start(job, pair, work));
        }
        !outcome.findings.is_empty()
    }
}

/// Goes through a step that is known already; whether it found a contact.
fn pass<J: Judge>(segment: &mut SegmentSearch<J>, outcome: &mut Outcome) -> bool {
    let number = segment.facts.number;
    let (unresolved, found) = segment.progress.pass();
    if let (Some(unresolved), None) = (unresolved, &outcome.unresolved) {
        outcome.unresolved = Some(Unresolved { segment: number, ..unresolved.clone() });
    }
    outcome.findings.extend(found.map(|finding| Finding { segment: number, ..finding.clone() }));
    found.is_some()
}

/// A limit was reached before a segment was begun.
pub(super) fn all_left_at_limit(job: &Job<'_>, segment: usize, limit: Limit) -> Unresolved {
    let bodies = job.groups.pairs.first().map_or([0; 2], |pair| job.groups.bodies_of(pair, [0; 2]));
    Unresolved { limit, segment, interval: [0.0, 1.0], bodies }
}

/// The finding, or a collision of another pair at the same configuration: what is given as too close must not hide it.
fn worst_at<J: Judge>(segment: &SegmentSearch<J>, job: &Job<'_>, finding: Finding, work: &mut Workspace) -> Finding {
    if finding.is_collision() {
        return finding;
    }
    let position = (finding.t * WHOLE as f64) as u64;
    for pair in 0..job.groups.pairs.len() {
        if may_touch(job, &segment.facts, pair, dyadic(position), work) {
            let at = pair_at(job, &segment.facts, pair, dyadic(position), work);
            if at.collides(&mut work.query, &mut work.statistics) {
                return segment.finding(job, pair as u32, position, None, work);
            }
        }
    }
    finding
}
