//! One segment of a path: what is known of it before anything is probed, and its queue of cells.

use std::collections::BinaryHeap;

use super::SegmentPiece;
use super::cell::{Cell, WHOLE, dyadic, t_of};
use super::edge_cache::{EdgeCache, SegmentProgress};
use super::judge::{Goal, Job, Judge, Part, Probed, Whole, Workspace, may_touch, pair_at};
use super::recorder;
use crate::check::clusters::{Clusters, Cull, Wandering};
use crate::check::error::CheckError;
use crate::check::groups::{Group, GroupPair, Opposite};
use crate::check::pair_at::{Measured, nearer};
use crate::check::settings::Method;
use crate::check::verdict::{Finding, Limit, Unresolved, contact};
use crate::distance::Containment;
use crate::numeric::{add_up, most};
use crate::robot::SegmentMotion;
use crate::robot::bounds::lambdas;
use crate::scene::{PairKind, PerKind};

/// What holds over a whole segment.
#[derive(Debug)]
pub(in crate::check) struct SegmentFacts {
    /// Number on the path.
    pub(in crate::check) number: usize,
    pub(in crate::check) motion: SegmentMotion,
    /// For each pair of groups.
    pub(in crate::check) pairs: Vec<PairFacts>,
    /// The largest of the pairs' tolerances.
    pub(in crate::check) tolerance: f64,
    of_groups: Vec<GroupFacts>,
    /// Upper bounds on arc lengths of the groups, one after the other: seen from its own frame, and from those above it.
    arcs: Vec<f64>,
}

/// What holds for a pair over a whole segment.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) struct PairFacts {
    /// Upper bound on the arc length relative to each other.
    pub(in crate::check) upper_arc: f64,
    /// Upper bound on the rounding of both poses, in metres.
    pub(in crate::check) margin: f64,
    /// The scene's tolerance, or what rounding allows where that is more; 0 stays 0.
    pub(in crate::check) tolerance: f64,
}

#[derive(Clone, Copy, Debug)]
struct GroupFacts {
    /// Arc length in the world.
    upper_arc: f64,
    margin: f64,
    /// Where its arc lengths begin.
    first_arc: usize,
}

/// Cells are cut until the motion is this many times the rounding of the poses.
pub(in crate::check) const MARGINS_IN_FLOOR: f64 = 16.0;

/// A tolerance below this many times the rounding of a pair's poses could end in cells that are neither covered nor too
/// close: they are not cut below [`MARGINS_IN_FLOOR`], and both bounds on a distance have the margin.
const MARGINS_IN_TOLERANCE: f64 = 64.0;

/// The same for what the convex engine leaves between its bounds, relative to the bodies' sizes.
const SIZES_IN_TOLERANCE: f64 = 1e-10;

/// With a tolerance below this (metres) both bounds on a smallest distance come no nearer than this: 0 is never reached.
const FINEST_GAP: f64 = 1e-6;

impl PairFacts {
    /// How near both bounds on the pair's smallest distance must come: the scene's tolerance or 1 µm, or what rounding allows
    /// where that is more.
    pub(in crate::check) fn gap(&self) -> f64 {
        most(most(self.tolerance, FINEST_GAP), MARGINS_IN_TOLERANCE * self.margin)
    }
}

/// A cell shorter than this (in units of 2⁻⁵²) is not cut: the middle of its halves would not be exact.
pub(super) const SHORTEST: u64 = 8;

impl SegmentFacts {
    /// Of a motion that is to be set.
    pub(in crate::check) fn new(motion: SegmentMotion) -> Self {
        Self { number: 0, motion, pairs: Vec::new(), tolerance: 0.0, of_groups: Vec::new(), arcs: Vec::new() }
    }

    /// Becomes segment `number`, along a piece.
    pub(in crate::check) fn set(
        &mut self,
        job: &Job<'_>,
        number: usize,
        piece: SegmentPiece<'_>,
    ) -> Result<(), CheckError> {
        self.set_groups(job, number, piece)?;
        self.set_pairs(job, None, &Cull::default());
        Ok(())
    }

    /// Becomes segment `number`, along a piece; nothing is known of its pairs.
    fn set_groups(&mut self, job: &Job<'_>, number: usize, piece: SegmentPiece<'_>) -> Result<(), CheckError> {
        let model = job.scene.model();
        let in_segment = |problem| CheckError::Motion { segment: number, problem };
        piece.set(&mut self.motion, model).map_err(in_segment)?;
        (self.number, self.tolerance) = (number, job.scene.tolerance());
        self.of_groups.clear();
        self.arcs.clear();
        for group in &job.groups.groups {
            let first_arc = self.arcs.len();
            lambdas(model, &self.motion, &group.extent, &mut self.arcs);
            self.of_groups.push(GroupFacts {
                upper_arc: self.arcs[self.arcs.len() - 1],
                margin: add_up(group.margin(&self.motion), room(job, group.reach_in_world(&self.motion))),
                first_arc,
            });
        }
        Ok(())
    }

    /// Length of a piece of the segment on which its fastest pair moves by a fraction of the tolerance.
    pub(super) fn piece_moving(&self, fraction: f64) -> u64 {
        let fastest = self.pairs.iter().map(|pair| pair.upper_arc).fold(0.0, most);
        let length = (fraction * self.tolerance / fastest * WHOLE as f64) as u64;
        length.min(WHOLE)
    }

    /// Settles clusters of groups from the middle of the segment.
    fn settle(&self, job: &Job<'_>, clusters: &Clusters, cull: &mut Cull, work: &mut Workspace) {
        let kinematics = work.cache.at(&self.motion, dyadic(WHOLE / 2));
        let (model, groups) = (job.scene.model(), job.groups.groups.iter().zip(&self.of_groups));
        let wandering = |(group, facts): (&Group, &GroupFacts)| {
            let ball = group.ball_at(model, kinematics);
            Wandering { ball, upper_arc: facts.upper_arc, margin: facts.margin }
        };
        cull.settle(clusters, groups.map(wandering));
        work.statistics.distance_queries += cull.settled().count() as u64;
    }

    /// What holds for the pairs: of those that are settled the bounds of their clusters will do.
    fn set_pairs(&mut self, job: &Job<'_>, clusters: Option<&Clusters>, cull: &Cull) {
        let wanted = job.scene.tolerance();
        self.pairs.clear();
        for (number, pair) in job.groups.pairs.iter().enumerate() {
            let (upper_arc, margin, size) = match cull.of_pair(clusters, number) {
                Some(settled) => (settled.upper_arc, settled.margin, 0.0),
                None => self.pair(job, pair),
            };
            let possible = MARGINS_IN_TOLERANCE * margin + SIZES_IN_TOLERANCE * size;
            let tolerance = if wanted == 0.0 { 0.0 } else { most(wanted, possible) };
            self.tolerance = most(self.tolerance, tolerance);
            self.pairs.push(PairFacts { upper_arc, margin, tolerance });
        }
    }

    /// Of a pair upper bounds on the relative arc and on the rounding of poses, and the bodies' sizes.
    fn pair(&self, job: &Job<'_>, pair: &GroupPair) -> (f64, f64, f64) {
        let a = &self.of_groups[pair.a];
        let frames = job.scene.model().frames();
        let arc_of = |group: usize| {
            let above = frames[job.groups.groups[group].extent.frame].depth - frames[pair.ancestor].depth;
            self.arcs[self.of_groups[group].first_arc..][above]
        };
        let (upper_arc, margin) = match pair.b {
            Opposite::Group(b) => (add_up(arc_of(pair.a), arc_of(b)), add_up(a.margin, self.of_groups[b].margin)),
            Opposite::HalfSpace(b) => {
                let half_space = &job.groups.half_spaces[b];
                let margin = half_space.margin(&job.groups.groups[pair.a], &self.motion);
                (a.upper_arc, add_up(a.margin, add_up(margin, room(job, half_space.reach()))))
            }
        };
        (upper_arc, margin, job.groups.size(pair))
    }
}

/// What margins leave for other arithmetic, at a distance from the world's origin.
fn room(job: &Job<'_>, metres: f64) -> f64 {
    if job.leaves_room { metres * recorder::ROOM } else { 0.0 }
}

/// A segment with the cells that are left of it.
#[derive(Debug)]
pub(in crate::check) struct SegmentSearch<J: Judge> {
    pub(in crate::check) facts: SegmentFacts,
    pub(in crate::check) cells: BinaryHeap<Cell<J::Evidence>>,
    pub(in crate::check) memory: J::Memory,
    pub(in crate::check) progress: SegmentProgress,
    cull: Cull,
    /// For each pair whether what holds all of either side (balls, boxes, hulls) was seen apart, so that nothing is inside of
    /// anything anywhere on the segment; empty: not known.
    pub(super) is_apart: Vec<bool>,
}

/// In which order cells are probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::check) enum Order {
    /// The largest uncovered length first (exact-collision-checking paper §3.4).
    Uncovered,
    /// The earliest first.
    Time,
}

impl Order {
    fn priority<E>(self, part: &Part<E>) -> f64 {
        match self {
            Self::Uncovered => part.uncovered,
            Self::Time => -(part.from as f64),
        }
    }
}

impl<J: Judge> SegmentSearch<J> {
    /// A segment of the motion, not begun.
    pub(in crate::check) fn new(motion: SegmentMotion) -> Self {
        Self {
            facts: SegmentFacts::new(motion),
            cells: BinaryHeap::new(),
            memory: J::Memory::default(),
            progress: SegmentProgress::default(),
            cull: Cull::default(),
            is_apart: Vec::new(),
        }
    }

    /// Becomes segment `number`, along a piece: goes on where the search of the same edge ended, or else queues its pairs.
    /// Whether there was such an edge. The cache must hold poses of this segment or none.
    pub(in crate::check) fn begin(
        &mut self,
        job: &Job<'_>,
        number: usize,
        piece: SegmentPiece<'_>,
        judge: &mut J,
        edges: Option<&mut EdgeCache<J>>,
        work: &mut Workspace,
    ) -> Result<bool, CheckError> {
        self.set(job, number, piece, Order::Uncovered, work)?;
        let is_known = edges.is_some_and(|edges| edges.resume(piece, self));
        if !is_known {
            self.queue(job, Order::Uncovered, judge, work);
        }
        Ok(is_known)
    }

    /// Becomes segment `number`, along a piece, with nothing queued.
    pub(super) fn set(
        &mut self,
        job: &Job<'_>,
        number: usize,
        piece: SegmentPiece<'_>,
        order: Order,
        work: &mut Workspace,
    ) -> Result<(), CheckError> {
        self.facts.set_groups(job, number, piece)?;
        self.progress.clear();
        self.cells.clear();
        self.is_apart.clear();
        self.cull.clear();
        let clusters = clusters(job, order);
        if let Some(clusters) = clusters {
            self.facts.settle(job, clusters, &mut self.cull, work);
            self.cull.settled().for_each(|settled| self.progress.prove(settled.kind, settled.lower));
        }
        self.facts.set_pairs(job, clusters, &self.cull);
        Ok(())
    }

    /// Queues the pairs of a segment that was set.
    pub(super) fn queue(&mut self, job: &Job<'_>, order: Order, judge: &mut J, work: &mut Workspace) {
        judge.begin(job, &self.facts, &mut self.memory, work);
        let clusters = clusters(job, order);
        let mut cells = std::mem::take(&mut self.cells).into_vec();
        self.is_apart.resize(job.groups.pairs.len(), false);
        for pair in 0..job.groups.pairs.len() {
            if self.cull.of_pair(clusters, pair).is_some() {
                self.is_apart[pair] = true;
                continue;
            }
            match judge.whole(job, &self.facts, pair, &self.memory, work) {
                Whole::Covered { lower, is_outside } => {
                    self.progress.prove(job.groups.pairs[pair].kind, lower);
                    self.is_apart[pair] = is_outside;
                }
                Whole::Uncovered(part) => cells.push(cell_of(pair as u32, &part, order)),
            }
        }
        self.cells = BinaryHeap::from(cells);
    }

    /// Whether all of it was covered.
    pub(in crate::check) fn is_proven(&self) -> bool {
        self.cells.is_empty() && self.progress.is_good()
    }

    /// Priority of the next step; `None` where there is none left.
    pub(in crate::check) fn pressing(&self) -> Option<f64> {
        self.progress.known_step().or_else(|| self.cells.peek().map(|cell| cell.priority))
    }

    /// What is asked of a pair at first.
    pub(in crate::check) fn goal(&self, job: &Job<'_>, pair: u32) -> Goal {
        Goal::clear(job.groups.pairs[pair as usize].clearance, self.facts.pairs[pair as usize].tolerance)
    }

    /// Probes a cell.
    pub(in crate::check) fn probe(
        &mut self,
        job: &Job<'_>,
        cell: &Cell<J::Evidence>,
        goal: &Goal,
        judge: &mut J,
        work: &mut Workspace,
    ) -> Probed<J::Evidence> {
        judge.probe(job, &self.facts, cell, goal, &mut self.memory, work)
    }

    /// Queues what of a cell is not covered. What cannot be cut further is unresolved.
    pub(in crate::check) fn keep_rest(
        &mut self,
        job: &Job<'_>,
        pair: u32,
        probed: &Probed<J::Evidence>,
        judge: &J,
    ) -> Option<Unresolved> {
        self.progress.prove(job.groups.pairs[pair as usize].kind, probed.lower);
        if let Some(is_apart) = self.is_apart.get_mut(pair as usize) {
            *is_apart |= probed.is_outside;
        }
        let mut unresolved = None;
        for part in probed.rest.iter().flatten() {
            if self.is_floor(job, pair, part, probed.is_unclear, judge) {
                unresolved =
                    unresolved.or_else(|| Some(self.unresolved(job, pair, Limit::Resolution, part.interval())));
            } else {
                self.cells.push(cell_of(pair, part, Order::Uncovered));
            }
        }
        unresolved
    }

    /// Whether a part is not to be cut further, because arithmetic would not resolve its halves.
    pub(in crate::check) fn is_floor(
        &self,
        job: &Job<'_>,
        pair: u32,
        part: &Part<J::Evidence>,
        is_unclear: bool,
        judge: &J,
    ) -> bool {
        let length = part.to - part.from;
        let facts = &self.facts.pairs[pair as usize];
        let arc = facts.upper_arc * t_of(length);
        let is_coarse = arc > judge.floor(job.scene.tolerance(), facts.margin);
        let is_fine = length < SHORTEST || !is_coarse || (is_unclear && length < J::FINEST_UNCLEAR);
        is_fine && J::is_examined(&part.evidence)
    }

    /// What a limit leaves unresolved of a pair.
    pub(super) fn unresolved(&self, job: &Job<'_>, pair: u32, limit: Limit, interval: [f64; 2]) -> Unresolved {
        let bodies = job.groups.bodies_of(&job.groups.pairs[pair as usize], [0; 2]);
        Unresolved { limit, segment: self.facts.number, interval, bodies }
    }

    /// The finding at a position of a pair, measured anew, unless it is a contact without depth, than which nothing is nearer:
    /// a nearer pair of primitives may have been left out because it moves apart, and a body may be inside of another.
    pub(in crate::check) fn finding(
        &self,
        job: &Job<'_>,
        pair: u32,
        position: u64,
        found: Option<Measured>,
        work: &mut Workspace,
    ) -> Finding {
        let at = pair_at(job, &self.facts, pair as usize, dyadic(position), work);
        let is_contact = |found: &Measured| found.upper <= contact(at.pair.clearance) && !at.is_signed();
        let nearest = match found {
            Some(found) if is_contact(&found) => found,
            _ => {
                let measured = at.measure(&mut work.query, &mut work.statistics);
                found.map_or(measured, |found| nearer(found, measured))
            }
        };
        let kinematics = work.cache.at(&self.facts.motion, dyadic(position));
        at.finding(&nearest, self.facts.number, t_of(position), kinematics.configuration())
    }

    /// Pairs (of one kind, if one is given) of which a part lies in a solid of the other at the start of the segment: their
    /// findings, and the first pair that rounding cannot tell.
    pub(in crate::check) fn contained_at_start(
        &self,
        job: &Job<'_>,
        kind: Option<PairKind>,
        work: &mut Workspace,
    ) -> (Vec<(u32, Finding)>, Option<u32>) {
        let (mut findings, mut unclear) = (Vec::new(), None);
        for pair in 0..job.groups.pairs.len() {
            let is_asked = kind.is_none_or(|kind| job.groups.pairs[pair].kind == kind);
            let is_apart = self.is_apart.get(pair).is_some_and(|is_apart| *is_apart);
            if !is_asked || is_apart || !may_touch(job, &self.facts, pair, dyadic(0), work) {
                continue;
            }
            let at = pair_at(job, &self.facts, pair, dyadic(0), work);
            match at.containment() {
                Containment::Outside => {}
                Containment::Unclear { .. } => unclear = unclear.or(Some(pair as u32)),
                Containment::Inside { .. } => {
                    let Some(measured) = at.inside() else { continue };
                    let kinematics = work.cache.at(&self.facts.motion, dyadic(0));
                    let finding = at.finding(&measured, self.facts.number, 0.0, kinematics.configuration());
                    findings.push((pair as u32, finding));
                }
            }
        }
        (findings, unclear)
    }

    /// What is to be said of a pair of which rounding cannot tell whether a part lies in a solid of the other at the start
    /// of the segment: that it is too close, or that this is left open. Never nothing.
    pub(in crate::check) fn unclear_at_start(
        &self,
        job: &Job<'_>,
        pair: u32,
        work: &mut Workspace,
    ) -> Result<Finding, Unresolved> {
        let finding = self.finding(job, pair, 0, None, work);
        if finding.distance <= finding.clearance + self.facts.pairs[pair as usize].tolerance {
            return Ok(finding);
        }
        let (limit, segment, bodies) = (Limit::Resolution, self.facts.number, finding.bodies);
        Err(Unresolved { limit, segment, interval: [0.0; 2], bodies })
    }
}

/// The clusters by which pairs are culled over a whole segment, where they are.
fn clusters<'a>(job: &Job<'a>, order: Order) -> Option<&'a Clusters> {
    let culls = order == Order::Uncovered && job.settings.method == Method::Directional;
    job.groups.clusters.as_ref().filter(|_| culls)
}

/// A part as a cell in the queue.
pub(in crate::check) fn cell_of<E: Copy>(pair: u32, part: &Part<E>, order: Order) -> Cell<E> {
    Cell { pair, from: part.from, to: part.to, priority: order.priority(part), evidence: part.evidence }
}

impl<E> Part<E> {
    /// All of a segment.
    pub(in crate::check) fn whole(uncovered: f64, evidence: E) -> Self {
        Self { from: 0, to: WHOLE, uncovered, evidence }
    }

    /// Both ends on the segment, exactly.
    pub(super) fn interval(&self) -> [f64; 2] {
        [t_of(self.from), t_of(self.to)]
    }
}

/// The least of the segments' proven distances.
pub(in crate::check) fn lower_of<'a, J: Judge + 'a>(
    segments: impl IntoIterator<Item = &'a SegmentSearch<J>>,
) -> PerKind<f64> {
    segments.into_iter().map(|segment| segment.progress.lower).fold(PerKind::splat(f64::INFINITY), PerKind::least)
}
