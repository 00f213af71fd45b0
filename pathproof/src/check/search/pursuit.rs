//! A pair that is too close may be in contact a little farther on: before `too_close` is answered the pair is followed
//! to its nearest approach on the segment.
//!
//! The goal is lowered from the clearance to contact. Remaining cells of the pair are probed, most uncovered first,
//! until one shows contact, all are proven free of it, the pair moves less than δ/1024 (or what rounding allows) in
//! each remaining one, or the limit of queries is reached. The finding keeps the nearest approach met, to δ/8.

use std::collections::BinaryHeap;

use super::segment::{Order, SegmentSearch, cell_of};
use crate::check::cell::{Cell, Examiner, Goal, Part, Probed, SHORTEST, floor, t_of};
use crate::check::settings::Report;
use crate::check::verdict::{Finding, Limit};
use crate::numeric::most;

/// Most queries of a pursuit where any finding will do.
pub(super) const QUERIES_FOR_ANY: u64 = 64;

/// Motion, as a fraction of the tolerance, below which a pair is not followed.
const FINEST: f64 = 1.0 / 1024.0;

/// Approaches nearer by less than this fraction of the tolerance are not measured.
const NEARER: f64 = 1.0 / 8.0;

/// Result of a pursuit.
pub(super) struct Pursued {
    pub(super) finding: Finding,
    /// The user's limit, if it ended the pursuit.
    pub(super) limit: Option<Limit>,
}

/// Follows the pair of `cell`, which is too close where it was probed, to its nearest approach on the segment. Takes
/// the pair's cells out of the queue.
pub(super) fn pursue(
    segment: &mut SegmentSearch,
    cell: &Cell,
    probed: &Probed,
    most_queries: Option<u64>,
    examiner: &mut Examiner<'_>,
) -> Pursued {
    let pair = cell.pair;
    let mut finding = segment.finding(pair, probed.position, probed.found, examiner);
    // If a contact ends the search, the rest is not used.
    if finding.is_collision() && examiner.job.settings.report == Report::Any {
        return Pursued { finding, limit: None };
    }
    let mut cells = take_pair(&mut segment.cells, pair);
    let facts = segment.facts.pairs[pair as usize];
    // Without a tolerance only contact is a finding, unless a clearance is requested.
    let step = NEARER * most(facts.tolerance, facts.margin);
    let finest = most(FINEST * facts.tolerance, floor(facts.margin));
    let is_followed = |part: &&Part| {
        let length = part.to - part.from;
        facts.upper_arc * t_of(length) > finest && length >= SHORTEST
    };
    let keep = |cells: &mut BinaryHeap<Cell>, probed: &Probed| {
        let parts = probed.rest.iter().flatten().filter(is_followed);
        cells.extend(parts.map(|part| cell_of(pair, part, Order::Uncovered)));
    };
    keep(&mut cells, probed);
    let last = most_queries.map(|most| examiner.work.statistics.distance_queries + most);
    let mut limit = None;
    while let Some(next) = cells.pop().filter(|_| !finding.is_collision()) {
        limit = examiner.reached();
        if limit.is_some() || last.is_some_and(|last| examiner.work.statistics.distance_queries >= last) {
            break;
        }
        let goal = Goal::nearer(finding.clearance, finding.distance, step);
        let probed = segment.probe(&next, &goal, examiner);
        examiner.work.statistics.bisections += u64::from(probed.is_cut);
        if let Some(found) = probed.found {
            let measured = segment.finding(pair, probed.position, Some(found), examiner);
            if measured.distance < finding.distance {
                finding = measured;
            }
        }
        keep(&mut cells, &probed);
    }
    Pursued { finding, limit }
}

/// Takes the cells of a pair out of a queue.
pub(super) fn take_pair(cells: &mut BinaryHeap<Cell>, pair: u32) -> BinaryHeap<Cell> {
    let (taken, kept): (Vec<_>, Vec<_>) = std::mem::take(cells).into_iter().partition(|cell| cell.pair == pair);
    *cells = BinaryHeap::from(kept);
    BinaryHeap::from(taken)
}
