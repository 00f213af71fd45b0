//! One segment of a path: its facts, the pairs proven before any probe, and its queue of cells.

use std::collections::BinaryHeap;

use super::edge_cache::{EdgeCache, SegmentProgress};
use crate::check::cell::{
    Cell, Examiner, FINEST_UNCLEAR, Goal, Job, Memory, Part, Probed, SHORTEST, SegmentFacts, Whole, dyadic, floor, t_of,
};
use crate::check::clusters::{Clusters, Cull};
use crate::check::error::CheckError;
use crate::check::pair_at::{Measured, nearer};
use crate::check::verdict::{Finding, Limit, Unresolved, contact};
use crate::check::waypoints::SegmentPiece;
use crate::distance::Containment;
use crate::robot::SegmentMotion;
use crate::scene::{PairKind, PerKind};

/// A segment with its remaining cells.
#[derive(Debug)]
pub(in crate::check) struct SegmentSearch {
    pub(in crate::check) facts: SegmentFacts,
    pub(in crate::check) cells: BinaryHeap<Cell>,
    pub(in crate::check) memory: Memory,
    pub(in crate::check) progress: SegmentProgress,
    cull: Cull,
    /// For each pair, true if outer volumes of either side (balls, boxes, hulls) were apart at some position, so that
    /// nothing is inside the other side anywhere on the segment; empty: not known.
    pub(super) is_apart: Vec<bool>,
}

/// Order in which cells are probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::check) enum Order {
    /// The largest uncovered length first (exact-collision-checking paper §3.4).
    Uncovered,
    /// The earliest first.
    Time,
}

impl Order {
    fn priority(self, part: &Part) -> f64 {
        match self {
            Self::Uncovered => part.uncovered,
            Self::Time => -(part.from as f64),
        }
    }
}

impl SegmentSearch {
    /// A segment of the motion, not begun.
    pub(in crate::check) fn new(motion: SegmentMotion) -> Self {
        Self {
            facts: SegmentFacts::new(motion),
            cells: BinaryHeap::new(),
            memory: Memory::default(),
            progress: SegmentProgress::default(),
            cull: Cull::default(),
            is_apart: Vec::new(),
        }
    }

    /// Becomes segment `number`, along a piece: resumes the search of the same edge, or else queues its pairs. True if
    /// the edge was cached. The cache must hold poses of this segment or none.
    pub(in crate::check) fn begin(
        &mut self,
        number: usize,
        piece: SegmentPiece<'_>,
        edges: Option<&mut EdgeCache>,
        examiner: &mut Examiner<'_>,
    ) -> Result<bool, CheckError> {
        self.set(number, piece, Order::Uncovered, examiner)?;
        let is_known = edges.is_some_and(|edges| edges.resume(piece, self));
        if !is_known {
            self.queue(Order::Uncovered, examiner);
        }
        Ok(is_known)
    }

    /// Becomes segment `number`, along a piece, with nothing queued.
    pub(super) fn set(
        &mut self,
        number: usize,
        piece: SegmentPiece<'_>,
        order: Order,
        examiner: &mut Examiner<'_>,
    ) -> Result<(), CheckError> {
        self.facts.set_groups(&examiner.job, number, piece)?;
        self.progress.clear();
        self.cells.clear();
        self.is_apart.clear();
        self.cull.clear();
        let clusters = clusters(&examiner.job, order);
        if let Some(clusters) = clusters {
            self.facts.settle(examiner, clusters, &mut self.cull);
            self.cull.settled().for_each(|settled| self.progress.prove(settled.kind, settled.lower));
        }
        self.facts.set_pairs(&examiner.job, clusters, &self.cull);
        Ok(())
    }

    /// Queues the pairs of a segment that was set.
    pub(super) fn queue(&mut self, order: Order, examiner: &mut Examiner<'_>) {
        examiner.begin(&self.facts, &mut self.memory);
        let clusters = clusters(&examiner.job, order);
        let mut cells = std::mem::take(&mut self.cells).into_vec();
        self.is_apart.resize(examiner.job.groups.pairs.len(), false);
        for pair in 0..examiner.job.groups.pairs.len() {
            if self.cull.of_pair(clusters, pair).is_some() {
                self.is_apart[pair] = true;
                continue;
            }
            match examiner.whole(&self.facts, pair, &self.memory) {
                Whole::Covered { lower, is_outside } => {
                    self.progress.prove(examiner.job.groups.pairs[pair].kind, lower);
                    self.is_apart[pair] = is_outside;
                }
                Whole::Uncovered(part) => cells.push(cell_of(pair as u32, &part, order)),
            }
        }
        self.cells = BinaryHeap::from(cells);
    }

    /// True if all of it was covered.
    pub(in crate::check) fn is_proven(&self) -> bool {
        self.cells.is_empty() && self.progress.is_good()
    }

    /// Priority of the next step; `None` if no cell is left.
    pub(in crate::check) fn pressing(&self) -> Option<f64> {
        self.progress.known_step().or_else(|| self.cells.peek().map(|cell| cell.priority))
    }

    /// First requirement on a pair.
    pub(in crate::check) fn goal(&self, job: &Job<'_>, pair: u32) -> Goal {
        Goal::clear(job.groups.pairs[pair as usize].clearance, self.facts.pairs[pair as usize].tolerance)
    }

    /// Probes a cell.
    pub(in crate::check) fn probe(&mut self, cell: &Cell, goal: &Goal, examiner: &mut Examiner<'_>) -> Probed {
        examiner.probe(&self.facts, cell, goal, &mut self.memory)
    }

    /// Queues the parts of a cell that are not covered. A part that cannot be cut further is unresolved.
    pub(in crate::check) fn keep_rest(&mut self, job: &Job<'_>, pair: u32, probed: &Probed) -> Option<Unresolved> {
        self.progress.prove(job.groups.pairs[pair as usize].kind, probed.lower);
        if let Some(is_apart) = self.is_apart.get_mut(pair as usize) {
            *is_apart |= probed.is_outside;
        }
        let mut unresolved = None;
        for part in probed.rest.iter().flatten() {
            if self.is_floor(pair, part, probed.is_unclear) {
                unresolved =
                    unresolved.or_else(|| Some(self.unresolved(job, pair, Limit::Resolution, part.interval())));
            } else {
                self.cells.push(cell_of(pair, part, Order::Uncovered));
            }
        }
        unresolved
    }

    /// True if a part is not to be cut further, because arithmetic would not resolve its halves.
    pub(in crate::check) fn is_floor(&self, pair: u32, part: &Part, is_unclear: bool) -> bool {
        let length = part.to - part.from;
        let facts = &self.facts.pairs[pair as usize];
        let arc = facts.upper_arc * t_of(length);
        let is_coarse = arc > floor(facts.margin);
        length < SHORTEST || !is_coarse || (is_unclear && length < FINEST_UNCLEAR)
    }

    /// An unresolved pair, after a limit.
    pub(super) fn unresolved(&self, job: &Job<'_>, pair: u32, limit: Limit, interval: [f64; 2]) -> Unresolved {
        let bodies = job.groups.bodies_of(&job.groups.pairs[pair as usize], [0; 2]);
        Unresolved { limit, segment: self.facts.number, interval, bodies }
    }

    /// The finding of a pair at a position. Measures it again unless it is a contact without depth, which nothing can
    /// exceed: the probe may have left out a nearer pair of primitives because it moves apart, and a body may be
    /// inside another.
    pub(in crate::check) fn finding(
        &self,
        pair: u32,
        position: u64,
        found: Option<Measured>,
        examiner: &mut Examiner<'_>,
    ) -> Finding {
        let at = examiner.pair_at(&self.facts, pair as usize, dyadic(position));
        let is_contact = |found: &Measured| found.upper <= contact(at.pair.clearance) && !at.is_signed();
        let nearest = match found {
            Some(found) if is_contact(&found) => found,
            _ => {
                let measured = at.measure(&mut examiner.work.query, &mut examiner.work.statistics);
                found.map_or(measured, |found| nearer(found, measured))
            }
        };
        let kinematics = examiner.work.cache.at(&self.facts.motion, dyadic(position));
        at.finding(&nearest, self.facts.number, t_of(position), kinematics.configuration())
    }

    /// Pairs (of one kind, if given) that have a part in a solid of the other side at the start of the segment: their
    /// findings, and the first pair that rounding cannot decide.
    pub(in crate::check) fn contained_at_start(
        &self,
        kind: Option<PairKind>,
        examiner: &mut Examiner<'_>,
    ) -> (Vec<(u32, Finding)>, Option<u32>) {
        let (mut findings, mut unclear) = (Vec::new(), None);
        for pair in 0..examiner.job.groups.pairs.len() {
            let is_asked = kind.is_none_or(|kind| examiner.job.groups.pairs[pair].kind == kind);
            let is_apart = self.is_apart.get(pair).is_some_and(|is_apart| *is_apart);
            if !is_asked || is_apart || !examiner.may_touch(&self.facts, pair, dyadic(0)) {
                continue;
            }
            let at = examiner.pair_at(&self.facts, pair, dyadic(0));
            match at.containment() {
                Containment::Outside => {}
                Containment::Unclear { .. } => unclear = unclear.or(Some(pair as u32)),
                Containment::Inside { .. } => {
                    let Some(measured) = at.inside() else { continue };
                    let kinematics = examiner.work.cache.at(&self.facts.motion, dyadic(0));
                    let finding = at.finding(&measured, self.facts.number, 0.0, kinematics.configuration());
                    findings.push((pair as u32, finding));
                }
            }
        }
        (findings, unclear)
    }

    /// Result for a pair if rounding cannot tell whether a part lies in a solid of the other at the start of the
    /// segment: too close or unresolved. Never omitted.
    pub(in crate::check) fn unclear_at_start(
        &self,
        pair: u32,
        examiner: &mut Examiner<'_>,
    ) -> Result<Finding, Unresolved> {
        let finding = self.finding(pair, 0, None, examiner);
        if finding.distance <= finding.clearance + self.facts.pairs[pair as usize].tolerance {
            return Ok(finding);
        }
        let (limit, segment, bodies) = (Limit::Resolution, self.facts.number, finding.bodies);
        Err(Unresolved { limit, segment, interval: [0.0; 2], bodies })
    }
}

/// Clusters that cull pairs over a whole segment, if any.
fn clusters<'a>(job: &Job<'a>, order: Order) -> Option<&'a Clusters> {
    job.groups.clusters.as_ref().filter(|_| order == Order::Uncovered)
}

/// A part as a cell in the queue.
pub(in crate::check) fn cell_of(pair: u32, part: &Part, order: Order) -> Cell {
    Cell { pair, from: part.from, to: part.to, priority: order.priority(part), front: part.front }
}

/// The least of the segments' proven distances.
pub(in crate::check) fn lower_of<'a>(segments: impl IntoIterator<Item = &'a SegmentSearch>) -> PerKind<f64> {
    segments.into_iter().map(|segment| segment.progress.lower).fold(PerKind::splat(f64::INFINITY), PerKind::least)
}
