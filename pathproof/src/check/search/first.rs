//! The search for the earliest finding: segments in their order, and in each the earliest cell first.
//!
//! A contact found on the way bounds the rest: nothing after it matters. A cell in which no pair moves by more than
//! δ/16 and which is still not covered is the finding, at its start. In the end every pair is proven up to the
//! finding. One that is only too close is followed to the contact that it approaches (`approach`), because the
//! collision is the better answer.

use std::collections::BinaryHeap;

use super::approach::{self, Contact, Start};
use super::path::{BLOCK, all_left_at_limit};
use super::segment::{Order, SegmentSearch, cell_of};
use crate::check::cell::{Cell, Examiner, Part, t_of};
use crate::check::error::CheckError;
use crate::check::verdict::{Finding, Limit, Outcome, Place, Unresolved};
use crate::check::waypoints::Waypoints;
use crate::numeric::most;
use crate::robot::SegmentMotion;

/// Motion of the fastest pair, as a fraction of the tolerance, over a cell that is not cut further.
const FINEST: f64 = 1.0 / 16.0;

/// The search; its memory is reused.
#[derive(Debug, Default)]
pub(in crate::check) struct FirstSearch {
    segment: Option<SegmentSearch>,
}

impl FirstSearch {
    /// Decides a path.
    pub(in crate::check) fn run(
        &mut self,
        path: Waypoints<'_>,
        examiner: &mut Examiner<'_>,
    ) -> Result<Outcome, CheckError> {
        let segment =
            self.segment.get_or_insert_with(|| SegmentSearch::new(SegmentMotion::still(examiner.job.scene.model())));
        let mut outcome = Outcome::new(examiner.job.scene.tolerance());
        for number in 0..path.segments() {
            let is_next_block = number > 0 && number % BLOCK == 0;
            if is_next_block && let Some(limit) = examiner.job.limits.reached_by_now(&examiner.work.statistics) {
                outcome.unresolved.get_or_insert(all_left_at_limit(&examiner.job, number, limit));
                outcome.free_until.get_or_insert(Place { segment: number, t: 0.0 });
                return Ok(outcome);
            }
            examiner.work.cache.clear();
            segment.set(number, path.piece(number), Order::Time, examiner)?;
            segment.queue(Order::Time, examiner);
            outcome.tolerance = most(outcome.tolerance, segment.facts.tolerance);
            let mut search = SegmentFirst::new(segment, examiner);
            if number == 0 {
                search.contained_at_start();
            }
            search.run();
            let is_over = search.is_cut_short || search.earliest.is_some();
            let approach = search.approach();
            search.add_to(&mut outcome);
            outcome.lower = outcome.lower.least(segment.progress.lower);
            if let Some(start) = approach {
                let contact = approach::follow(segment, path, start, examiner)?;
                if let Some(Contact { finding, free_until }) = contact {
                    (outcome.findings, outcome.free_until) = (vec![finding], Some(free_until));
                    outcome.tolerance = most(outcome.tolerance, segment.facts.tolerance);
                }
            }
            if is_over {
                return Ok(outcome);
            }
        }
        outcome.free_until.get_or_insert(Place { segment: path.segments() - 1, t: 1.0 });
        Ok(outcome)
    }
}

/// The search of one segment.
struct SegmentFirst<'s, 'a> {
    segment: &'s mut SegmentSearch,
    examiner: &'s mut Examiner<'a>,
    /// Length of a cell that is not cut further: the fastest pair moves by a sixteenth of the tolerance.
    finest: u64,
    /// Nothing from there on matters.
    earliest: Option<Met>,
    /// The earliest unresolved part, and its start.
    unresolved: Option<(u64, Unresolved)>,
    /// True if a limit of the user ended the search.
    is_cut_short: bool,
}

/// A finding, and its position.
#[derive(Clone)]
struct Met {
    position: u64,
    /// End of the proven part.
    proven_until: u64,
    pair: u32,
    finding: Finding,
}

impl Met {
    fn new(position: u64, pair: u32, finding: Finding) -> Self {
        Self { position, proven_until: position, pair, finding }
    }
}

impl<'s, 'a> SegmentFirst<'s, 'a> {
    fn new(segment: &'s mut SegmentSearch, examiner: &'s mut Examiner<'a>) -> Self {
        let finest = segment.facts.piece_moving(FINEST);
        Self { segment, examiner, finest, earliest: None, unresolved: None, is_cut_short: false }
    }

    /// True if a position is at or after the earliest finding.
    fn is_late(&self, position: u64) -> bool {
        self.earliest.as_ref().is_some_and(|earliest| earliest.position <= position)
    }

    fn run(&mut self) {
        while let Some(cell) = self.segment.cells.pop() {
            if self.is_late(cell.from) {
                continue;
            }
            if let Some(limit) = self.examiner.reached() {
                let left = self.segment.unresolved(&self.examiner.job, cell.pair, limit, cell.interval());
                self.leave(cell.from, left);
                self.is_cut_short = true;
                break;
            }
            self.probe(&cell);
        }
        self.segment.cells = BinaryHeap::new();
    }

    fn probe(&mut self, cell: &Cell) {
        let goal = self.segment.goal(&self.examiner.job, cell.pair);
        let probed = self.segment.probe(cell, &goal, self.examiner);
        self.examiner.work.statistics.bisections += u64::from(probed.is_cut);
        self.segment.progress.prove(self.examiner.job.groups.pairs[cell.pair as usize].kind, probed.lower);
        if probed.found.is_some() && !self.is_late(probed.position) {
            let finding = self.segment.finding(cell.pair, probed.position, probed.found, self.examiner);
            self.find(Met::new(probed.position, cell.pair, finding));
        }
        for part in probed.rest.iter().flatten() {
            if self.is_late(part.from) {
                continue;
            }
            // A part that ends at the earliest finding is cut further, though rounding cannot tell its clearance: the
            // finding shows that the clearance is violated there.
            let is_last = self.earliest.as_ref().is_some_and(|earliest| earliest.position == part.to);
            let is_unclear = probed.is_unclear && !is_last;
            let is_floor = self.segment.is_floor(cell.pair, part, is_unclear);
            let is_fine = part.to - part.from <= self.finest;
            if (is_floor || is_fine) && self.is_found_at_start(cell.pair, part) {
                continue;
            }
            if is_floor && is_last {
                self.prove_until(part.from);
            } else if is_floor {
                let left = self.segment.unresolved(&self.examiner.job, cell.pair, Limit::Resolution, part.interval());
                self.leave(part.from, left);
            } else {
                self.segment.cells.push(cell_of(cell.pair, part, Order::Time));
            }
        }
    }

    /// True if a part that is not covered is a finding at its start. Its pair hardly moves in it, so it is nearly as
    /// close there as where the probe failed to cover it.
    fn is_found_at_start(&mut self, pair: u32, part: &Part) -> bool {
        let finding = self.segment.finding(pair, part.from, None, self.examiner);
        let is_found = finding.distance <= self.segment.goal(&self.examiner.job, pair).close;
        if is_found {
            self.find(Met::new(part.from, pair, finding));
        }
        is_found
    }

    /// Ends the proof at a position: the rest up to the earliest finding is no longer than arithmetic resolves.
    fn prove_until(&mut self, position: u64) {
        if let Some(earliest) = &mut self.earliest {
            earliest.proven_until = earliest.proven_until.min(position);
        }
    }

    fn find(&mut self, met: Met) {
        self.earliest = Some(met);
    }

    fn leave(&mut self, position: u64, left: Unresolved) {
        if self.unresolved.as_ref().is_none_or(|(earliest, _)| position < *earliest) {
            self.unresolved = Some((position, left));
        }
    }

    /// Bodies that start inside a solid of another.
    fn contained_at_start(&mut self) {
        let (contained, unclear) = self.segment.contained_at_start(None, self.examiner);
        if let Some((pair, finding)) = contained.into_iter().next() {
            self.find(Met::new(0, pair, finding));
        } else if let Some(pair) = unclear {
            match self.segment.unclear_at_start(pair, self.examiner) {
                Ok(finding) => self.find(Met::new(0, pair, finding)),
                Err(left) => self.leave(0, left),
            }
        }
    }

    /// Start of the search for the contact that is approached: the earliest finding is only too close, and its pair
    /// cannot touch without violating its clearance, so nothing between the two is a finding.
    fn approach(&self) -> Option<Start> {
        let Met { proven_until, pair, finding, .. } = self.earliest.as_ref()?;
        let is_open = self.is_cut_short || self.unresolved.is_some();
        let is_candidate = !is_open && !finding.is_collision() && finding.clearance <= 0.0;
        is_candidate.then_some(Start { position: *proven_until, pair: *pair })
    }

    /// Adds the findings to the outcome.
    fn add_to(self, outcome: &mut Outcome) {
        let place = |position: u64| Place { segment: self.segment.facts.number, t: t_of(position) };
        let is_before = |position: u64| self.earliest.as_ref().is_none_or(|met| position <= met.position);
        if let Some((position, left)) = self.unresolved.filter(|(position, _)| is_before(*position)) {
            outcome.free_until.get_or_insert(place(position));
            outcome.unresolved.get_or_insert(left);
        }
        if let Some(Met { proven_until, finding, .. }) = self.earliest {
            outcome.free_until.get_or_insert(place(proven_until));
            outcome.findings.push(finding);
        }
    }
}
