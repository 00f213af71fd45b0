//! The search's queries about cells and their results: [`Examiner`] holds the job and the memory to decide them.

use super::facts::SegmentFacts;
use super::front::Front;
use super::interval::{WHOLE, t_of};
use super::recorder::Recorder;
use super::traversal::TraversalScratch;
use crate::check::groups::{Groups, Opposite};
use crate::check::mapped::PairMaps;
use crate::check::pair_at::{Measured, PairAt};
use crate::check::settings::{Limits, Settings};
use crate::check::verdict::{Limit, Statistics, contact};
use crate::distance::Scratch;
use crate::robot::{Dyadic, PoseCache};
use crate::scene::Scene;

/// The decision to make and its limits.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) struct Job<'a> {
    pub(in crate::check) scene: &'a Scene,
    pub(in crate::check) groups: &'a Groups,
    pub(in crate::check) settings: &'a Settings,
    pub(in crate::check) limits: Limits,
    /// True if margins leave room for other arithmetic, because the proof is written down.
    pub(in crate::check) leaves_room: bool,
    /// Clearance maps of the pairs of `groups` over boxes of joint values; `None` where the proof is written down.
    pub(in crate::check) maps: Option<&'a PairMaps>,
}

/// Memory that a search works in, and statistics of its work.
#[derive(Debug)]
pub(in crate::check) struct Workspace {
    pub(in crate::check) cache: PoseCache,
    pub(in crate::check) query: Scratch,
    pub(in crate::check) traversal: TraversalScratch,
    pub(in crate::check) statistics: Statistics,
}

/// Requirement on a pair.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) struct Goal {
    /// The pair must be farther apart than this everywhere.
    pub(in crate::check) clearance: f64,
    /// A pair no farther apart than this is a finding.
    pub(in crate::check) close: f64,
}

impl Goal {
    /// Requires more than the clearance, or finds the pair too close.
    pub(in crate::check) fn clear(clearance: f64, tolerance: f64) -> Self {
        Self { clearance, close: clearance + tolerance }
    }

    /// Requires more than contact, or finds a distance smaller than `nearest` by `step`.
    pub(in crate::check) fn nearer(clearance: f64, nearest: f64, step: f64) -> Self {
        let contact = contact(clearance);
        let nearer = nearest - step;
        Self { clearance: contact, close: if nearer > contact { nearer } else { contact } }
    }
}

/// Result of a probe of a cell.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) struct Probed {
    /// Position of the probe.
    pub(in crate::check) position: u64,
    /// Primitives no farther apart there than the goal says is a finding.
    pub(in crate::check) found: Option<Measured>,
    /// Parts of the cell that are not covered.
    pub(in crate::check) rest: [Option<Part>; 2],
    /// True if the cell was cut.
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
pub(in crate::check) struct Part {
    pub(in crate::check) from: u64,
    pub(in crate::check) to: u64,
    /// Uncovered length in metres.
    pub(in crate::check) uncovered: f64,
    /// Pairs of nodes that the examination starts from.
    pub(in crate::check) front: Front,
}

/// Result for a pair on a whole segment before any cell of it was probed.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) enum Whole {
    /// Covered, with at least this distance left. `is_outside`: nothing of one side is inside a solid of the other.
    Covered { lower: f64, is_outside: bool },
    /// To be probed.
    Uncovered(Part),
}

impl Part {
    /// All of a segment.
    pub(in crate::check) fn whole(uncovered: f64, front: Front) -> Self {
        Self { from: 0, to: WHOLE, uncovered, front }
    }

    /// Both ends on the segment, exactly.
    pub(in crate::check) fn interval(&self) -> [f64; 2] {
        [t_of(self.from), t_of(self.to)]
    }
}

/// Decides cells: a job and the memory to work in.
#[derive(Debug)]
pub(in crate::check) struct Examiner<'a> {
    pub(in crate::check) job: Job<'a>,
    pub(in crate::check) work: &'a mut Workspace,
    /// Records all probes, if a certificate is wanted.
    pub(in crate::check) recorder: Option<Recorder>,
}

impl<'a> Examiner<'a> {
    /// An examiner that records nothing.
    pub(in crate::check) fn new(job: Job<'a>, work: &'a mut Workspace) -> Self {
        Self { job, work, recorder: None }
    }

    /// A pair of a segment at a position.
    pub(in crate::check) fn pair_at(&mut self, segment: &SegmentFacts, pair: usize, position: Dyadic) -> PairAt<'a> {
        let before = self.work.cache.misses();
        let kinematics = self.work.cache.at(&segment.motion, position);
        let (margin, Job { groups, scene, .. }) = (segment.pairs[pair].margin, self.job);
        let at = PairAt::new(groups, &groups.pairs[pair], margin, scene.model(), kinematics);
        self.work.statistics.configurations += self.work.cache.misses() - before;
        at
    }

    /// True if a pair may be in contact at a position, as far as the balls around its sides show.
    pub(in crate::check) fn may_touch(&mut self, segment: &SegmentFacts, pair: usize, position: Dyadic) -> bool {
        !(self.lower_by_balls(segment, pair, position) > 0.0)
    }

    /// Lower bound on the distance of a pair at a position, from balls around both sides; half-spaces have none.
    pub(in crate::check) fn lower_by_balls(&mut self, segment: &SegmentFacts, pair: usize, position: Dyadic) -> f64 {
        let Job { groups, scene, .. } = self.job;
        let Opposite::Group(b) = groups.pairs[pair].b else { return f64::NEG_INFINITY };
        let margin = segment.pairs[pair].margin;
        let kinematics = self.work.cache.at(&segment.motion, position);
        groups.lower_by_balls([groups.pairs[pair].a, b], margin, scene.model(), kinematics)
    }

    /// The limit that has been reached, if any.
    pub(in crate::check) fn reached(&self) -> Option<Limit> {
        self.job.limits.reached(&self.work.statistics)
    }
}
