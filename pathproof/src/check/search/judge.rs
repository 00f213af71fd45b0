//! The seam between the search and the two methods: a judge probes a cell, and says what of it is covered.

use super::cell::Cell;
use super::segment::SegmentFacts;
use crate::check::directional::TraversalScratch;
use crate::check::groups::{Groups, Opposite};
use crate::check::mapped::PairMaps;
use crate::check::pair_at::{Measured, PairAt};
use crate::check::settings::{Limits, Settings};
use crate::check::verdict::{Statistics, contact};
use crate::distance::Scratch;
use crate::robot::{Dyadic, PoseCache};
use crate::scene::Scene;

/// What is to be decided, and when to give up.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) struct Job<'a> {
    pub(in crate::check) scene: &'a Scene,
    pub(in crate::check) groups: &'a Groups,
    pub(in crate::check) settings: &'a Settings,
    pub(in crate::check) limits: Limits,
    /// Whether margins leave room for other arithmetic, because the proof is written down.
    pub(in crate::check) leaves_room: bool,
    /// What is known of the pairs of `groups` over boxes of joint values; not where the proof is written down.
    pub(in crate::check) maps: Option<&'a PairMaps>,
}

/// Memory that a search works in, and the work it has done.
#[derive(Debug)]
pub(in crate::check) struct Workspace {
    pub(in crate::check) cache: PoseCache,
    pub(in crate::check) query: Scratch,
    pub(in crate::check) traversal: TraversalScratch,
    pub(in crate::check) statistics: Statistics,
}

/// What is asked of a pair.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) struct Goal {
    /// What the pair must be farther apart than, everywhere.
    pub(in crate::check) clearance: f64,
    /// No farther apart than this is a finding.
    pub(in crate::check) close: f64,
}

impl Goal {
    /// To be farther apart than the clearance, or else too close.
    pub(in crate::check) fn clear(clearance: f64, tolerance: f64) -> Self {
        Self { clearance, close: clearance + tolerance }
    }

    /// To be farther apart than contact, or else nearer than `nearest` by `step`.
    pub(in crate::check) fn nearer(clearance: f64, nearest: f64, step: f64) -> Self {
        let contact = contact(clearance);
        let nearer = nearest - step;
        Self { clearance: contact, close: if nearer > contact { nearer } else { contact } }
    }
}

/// What a probe of a cell found out.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) struct Probed<E> {
    /// Where the pair was examined.
    pub(in crate::check) position: u64,
    /// Primitives no farther apart there than the goal says is a finding.
    pub(in crate::check) found: Option<Measured>,
    /// What of the cell is not covered.
    pub(in crate::check) rest: [Option<Part<E>>; 2],
    /// Whether the cell was cut.
    pub(in crate::check) is_cut: bool,
    /// Proven lower bound on the distance over what was covered.
    pub(in crate::check) lower: f64,
    /// Rounding cannot tell the distance from the clearance.
    pub(in crate::check) is_unclear: bool,
    /// All of the segment was covered, and nothing of one side is inside a solid of the other anywhere on it.
    pub(in crate::check) is_outside: bool,
}

/// A part of a cell that is not covered.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) struct Part<E> {
    pub(in crate::check) from: u64,
    pub(in crate::check) to: u64,
    /// Uncovered length in metres.
    pub(in crate::check) uncovered: f64,
    pub(in crate::check) evidence: E,
}

/// What is known of a pair on a whole segment before any cell of it was probed.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) enum Whole<E> {
    /// Covered, with at least this distance left; `is_outside` says that nothing of one side is inside a solid of the other.
    Covered { lower: f64, is_outside: bool },
    /// To be probed.
    Uncovered(Part<E>),
}

/// One of the two methods.
pub(in crate::check) trait Judge {
    /// What a cell carries from probe to probe.
    type Evidence: Copy + std::fmt::Debug;
    /// What is remembered of a segment.
    type Memory: Default + std::fmt::Debug;

    /// Length (in units of 2⁻⁵²) below which a cell that rounding cannot tell from contact is not cut further.
    const FINEST_UNCLEAR: u64;

    /// Begins a segment.
    fn begin(&mut self, job: &Job<'_>, segment: &SegmentFacts, memory: &mut Self::Memory, work: &mut Workspace);

    /// What is known of a pair of a segment that was begun.
    fn whole(
        &mut self,
        job: &Job<'_>,
        segment: &SegmentFacts,
        pair: usize,
        memory: &Self::Memory,
        work: &mut Workspace,
    ) -> Whole<Self::Evidence>;

    /// Examines a cell at one position.
    fn probe(
        &mut self,
        job: &Job<'_>,
        segment: &SegmentFacts,
        cell: &Cell<Self::Evidence>,
        goal: &Goal,
        memory: &mut Self::Memory,
        work: &mut Workspace,
    ) -> Probed<Self::Evidence>;

    /// Whether what is known of a cell is all that can be known without cutting it.
    fn is_examined(_evidence: &Self::Evidence) -> bool {
        true
    }

    /// Motion in metres below which a cell is not cut further, for rounding of poses by `margin`.
    fn floor(&self, tolerance: f64, margin: f64) -> f64;

    /// Bytes of what is remembered of a segment.
    fn bytes(memory: &Self::Memory) -> usize;

    /// Gives back memory that is not needed; `is_done` says that no cell is left.
    fn shrink(memory: &mut Self::Memory, is_done: bool);
}

/// A pair of a segment where it is at a position.
pub(in crate::check) fn pair_at<'a>(
    job: &Job<'a>,
    segment: &SegmentFacts,
    pair: usize,
    position: Dyadic,
    work: &mut Workspace,
) -> PairAt<'a> {
    let before = work.cache.misses();
    let kinematics = work.cache.at(&segment.motion, position);
    let margin = segment.pairs[pair].margin;
    let at = PairAt::new(job.groups, &job.groups.pairs[pair], margin, job.scene.model(), kinematics);
    work.statistics.configurations += work.cache.misses() - before;
    at
}

/// Whether a pair may be in contact at a position, as far as the balls around its sides tell.
pub(in crate::check) fn may_touch(
    job: &Job<'_>,
    segment: &SegmentFacts,
    pair: usize,
    position: Dyadic,
    work: &mut Workspace,
) -> bool {
    !(lower_by_balls(job, segment, pair, position, work) > 0.0)
}

/// Lower bound on the distance of a pair at a position, from balls around both sides; half-spaces have none.
pub(in crate::check) fn lower_by_balls(
    job: &Job<'_>,
    segment: &SegmentFacts,
    pair: usize,
    position: Dyadic,
    work: &mut Workspace,
) -> f64 {
    let Opposite::Group(b) = job.groups.pairs[pair].b else { return f64::NEG_INFINITY };
    let (groups, margin) = ([job.groups.pairs[pair].a, b], segment.pairs[pair].margin);
    let kinematics = work.cache.at(&segment.motion, position);
    job.groups.lower_by_balls(groups, margin, job.scene.model(), kinematics)
}
