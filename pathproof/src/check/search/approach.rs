//! Finds the contact that an approach ends in. A path that runs into a wall first comes within the tolerance of it.
//! The collision is the better answer, so the pair is followed to it.
//!
//! Starts at a finding that is only too close and proves, in time order and without the tolerance, that every pair
//! keeps its clearance. Ends at a contact, where a pair grazes, where the approach is over, or after [`MOST_QUERIES`].
//! Invariant: up to `free_until` of the contact every pair is proven; from there to it no pair moves by more than δ/4.

use super::segment::{Order, SegmentSearch, cell_of};
use crate::check::cell::{Examiner, Goal, Part, Probed, WHOLE, t_of};
use crate::check::error::CheckError;
use crate::check::verdict::{Finding, Place};
use crate::check::waypoints::Waypoints;

/// Most distance queries spent on one approach, so that a pair that slides along a surface is not followed forever.
const MOST_QUERIES: u64 = 4096;

/// Motion of the fastest pair between the proven part and the contact, as a fraction of the tolerance.
const STRETCH: f64 = 1.0 / 4.0;

/// A cell that moves the fastest pair by less than this fraction of the allowed stretch is not cut further.
const FINEST: u64 = 256;

/// A finding that is only too close, on the segment that is searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    /// Every pair is proven up to here.
    pub(super) position: u64,
    pub(super) pair: u32,
}

/// The contact that an approach ended in.
#[derive(Clone, Debug)]
pub(super) struct Contact {
    pub(super) finding: Finding,
    pub(super) free_until: Place,
}

/// End of the search of one segment.
enum End {
    Contact(Contact),
    /// Every pair keeps its clearance up to the segment's end.
    Clear,
    /// A pair grazes, or a limit is reached.
    Lost,
}

/// Follows the pair of `start` from the segment that `segment` holds to the contact that it approaches, on this
/// segment or on later ones.
pub(super) fn follow(
    segment: &mut SegmentSearch,
    path: Waypoints<'_>,
    start: Start,
    examiner: &mut Examiner<'_>,
) -> Result<Option<Contact>, CheckError> {
    let last_query = examiner.work.statistics.distance_queries + MOST_QUERIES;
    let mut from = start.position;
    loop {
        let stretch = segment.facts.piece_moving(STRETCH);
        let mut approach =
            Approach { segment: &mut *segment, examiner: &mut *examiner, from, stretch, last_query, stop: None };
        match approach.run() {
            End::Contact(contact) => return Ok(Some(contact)),
            End::Lost => return Ok(None),
            End::Clear => {}
        }
        let number = segment.facts.number + 1;
        let is_over = number == path.segments() || {
            let end = segment.finding(start.pair, WHOLE, None, examiner);
            !(end.distance <= segment.goal(&examiner.job, start.pair).close)
        };
        if is_over {
            return Ok(None);
        }
        examiner.work.cache.clear();
        segment.set(number, path.piece(number), Order::Time, examiner)?;
        from = 0;
    }
}

/// The search of one segment.
struct Approach<'s, 'a> {
    segment: &'s mut SegmentSearch,
    examiner: &'s mut Examiner<'a>,
    /// Everything before is proven.
    from: u64,
    /// Longest allowed stretch between the proven part and the contact.
    stretch: u64,
    last_query: u64,
    /// The earliest violation of a clearance met so far.
    stop: Option<Stop>,
}

/// A violation of a clearance.
struct Stop {
    position: u64,
    /// Nothing from there on needs a proof.
    proven_until: u64,
    finding: Finding,
}

impl Approach<'_, '_> {
    fn run(&mut self) -> End {
        self.segment.cells.clear();
        self.segment.queue(Order::Time, self.examiner);
        while let Some(cell) = self.segment.cells.pop() {
            if self.is_settled(cell.from, cell.to) {
                continue;
            }
            let is_spent = self.examiner.work.statistics.distance_queries >= self.last_query;
            if is_spent || self.examiner.reached().is_some() {
                return End::Lost;
            }
            let goal = Goal::clear(self.clearance(cell.pair), 0.0);
            let probed = self.segment.probe(&cell, &goal, self.examiner);
            self.examiner.work.statistics.bisections += u64::from(probed.is_cut);
            if !self.take(cell.pair, &probed) {
                return End::Lost;
            }
        }
        match self.stop.take() {
            None => End::Clear,
            Some(Stop { proven_until, finding, .. }) if finding.is_collision() => {
                let free_until = Place { segment: self.segment.facts.number, t: t_of(proven_until) };
                End::Contact(Contact { finding, free_until })
            }
            Some(_) => End::Lost,
        }
    }

    fn clearance(&self, pair: u32) -> f64 {
        self.examiner.job.groups.pairs[pair as usize].clearance
    }

    /// True if a part is proven already, or needs no proof.
    fn is_settled(&self, from: u64, to: u64) -> bool {
        to <= self.from || self.stop.as_ref().is_some_and(|stop| stop.proven_until <= from)
    }

    /// Adds a probe's result and queues the rest; false where a pair grazes.
    fn take(&mut self, pair: u32, probed: &Probed) -> bool {
        let is_met = probed.found.is_some() && !self.is_settled(probed.position, WHOLE);
        if is_met && probed.position >= self.from {
            let finding = self.segment.finding(pair, probed.position, probed.found, self.examiner);
            if finding.distance <= finding.clearance {
                self.stop = Some(Stop { position: probed.position, proven_until: probed.position, finding });
            }
        }
        for part in probed.rest.iter().flatten() {
            if self.is_settled(part.from, part.to) {
                continue;
            }
            let is_floor = self.segment.is_floor(pair, part, probed.is_unclear);
            let is_fine = part.to - part.from <= self.stretch / FINEST;
            if !is_floor && !is_fine {
                self.segment.cells.push(cell_of(pair, part, Order::Time));
            } else if !self.ends_at(pair, part) {
                return false;
            }
        }
        true
    }

    /// Ends the proof at the start of a part that cannot be proven; false unless there is contact within the stretch.
    fn ends_at(&mut self, pair: u32, part: &Part) -> bool {
        let (from, latest) = (part.from, (part.from + self.stretch).min(WHOLE));
        // Rounding at the start of the approach, if the part began before it.
        let proven_until = from.max(self.from);
        if let Some(stop) = self.stop.as_mut().filter(|stop| stop.position <= latest) {
            stop.proven_until = proven_until;
            return true;
        }
        let mut step = (self.stretch / FINEST).max(1);
        while from + step <= latest {
            let finding = self.segment.finding(pair, from + step, None, self.examiner);
            if finding.is_collision() {
                self.stop = Some(Stop { position: from + step, proven_until, finding });
                return true;
            }
            step *= 2;
        }
        false
    }
}
