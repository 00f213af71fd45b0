//! Clearance profiles: bounds on the distance of each pair of bodies along a path, below by proof and above by a
//! sample.
//!
//! For a pair on a segment, best-first branch and bound (Lawler and Wood 1966) over dyadic stretches. The one with the
//! least proven bound is probed in its middle, where the distance bounds the minimum from above; the directional
//! method, run for that less δ, bounds the halves from below. Invariant: every `lower` holds over its whole piece,
//! rounding included, however the search ended.

use std::collections::{BTreeMap, BinaryHeap};

use super::cell::{
    CellQuery, Examined, Examiner, Job, PairFacts, SegmentFacts, Separations, Wanted, Workspace, examine,
};
use super::checker::{CheckScratch, Checker};
use super::error::CheckError;
use super::settings::{Limits, Settings};
use super::verdict::{Free, Limit, Statistics};
use super::versions;
use super::waypoints::Waypoints;
use crate::numeric::{add_down, least, most, mul_up};
use crate::path::{Motion, Path, Version};
use crate::robot::{Dyadic, SegmentMotion};
use crate::scene::{PairKind, Scene};
use crate::trees::SiblingPairs;

/// Deepest level of a cell that is cut: midpoints below it would not be exact.
const DEEPEST: u32 = Dyadic::DEEPEST - 2;

/// Bounds on the distance of a pair of bodies over a part of a segment. Distances are signed where both bodies consist
/// of convex pieces, else 0 on contact and inside a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProfilePiece {
    /// Segment of the path, from 0.
    pub segment: usize,
    /// Part of the segment, both ends included; dyadic, so that the pieces of a segment tile [0, 1] exactly.
    pub interval: [f64; 2],
    /// Indices of the two bodies in the scene.
    pub bodies: [usize; 2],
    /// Proven: nowhere in the interval is the distance smaller, in metres.
    pub lower: f64,
    /// The distance at `t_upper` is no larger, in metres; neither is the smallest.
    pub upper: f64,
    /// Position in the interval.
    pub t_upper: f64,
    /// The version of the motion that it belongs to.
    pub version: Version,
}

/// The profile of a path.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Profile {
    /// By segment, then by version of the motion, then by pair in the scene's order, then along the segment.
    pub pieces: Vec<ProfilePiece>,
    /// Limit that ended the search early. The bounds still hold, but `upper` − `lower` may exceed the requested gap.
    pub limit: Option<Limit>,
    /// The work done.
    pub statistics: Statistics,
}

impl Profile {
    /// Raises the bounds by a proof that the path is free: no pair is nearer than its clearance, nor than the proven
    /// bound for all pairs of its kind.
    pub fn raise(&mut self, scene: &Scene, free: &Free) {
        for piece in &mut self.pieces {
            let Some(pair) = scene.checked_pair(piece.bodies) else { continue };
            for proven in [pair.clearance, free.lower[pair.kind]] {
                if proven > piece.lower {
                    piece.lower = proven;
                }
            }
        }
    }

    /// The smallest proven bound over all pieces; infinite if there is none.
    pub fn lower(&self) -> f64 {
        self.pieces.iter().map(|piece| piece.lower).fold(f64::INFINITY, least)
    }

    /// The piece in which the smallest distance was found.
    pub fn nearest(&self) -> Option<&ProfilePiece> {
        self.pieces.iter().min_by(|x, y| x.upper.total_cmp(&y.upper))
    }

    /// For the pairs of one kind: the smallest proven bound over all pieces and the piece that holds the smallest
    /// distance. `None` if there is none.
    pub fn nearest_of(&self, scene: &Scene, kind: PairKind) -> Option<(f64, &ProfilePiece)> {
        let is_meant = |piece: &&ProfilePiece| scene.checked_pair(piece.bodies).is_some_and(|pair| pair.kind == kind);
        let pieces = || self.pieces.iter().filter(is_meant);
        let nearest = pieces().min_by(|x, y| x.upper.total_cmp(&y.upper))?;
        Some((pieces().map(|piece| piece.lower).fold(f64::INFINITY, least), nearest))
    }
}

impl Checker {
    /// The profile of every checked pair of bodies over a path. In each piece `upper` − `lower` is at most the scene's
    /// tolerance, or 1 µm, or what rounding allows where that is more: 64 times the rounding of poses and 1e-10 of the
    /// bodies' sizes. The bounds on the depth of curved pieces that overlap may be wider.
    ///
    /// A piece ends where the distance has grown to twice its smallest value in the piece and by more than the
    /// tolerance, so that the number of pieces grows only with the logarithm of distance over tolerance. Limits of the
    /// settings end the refinement; three configurations of each segment are probed for each pair in any case. An
    /// interruption is an error, since a profile covers the whole path. `progress` receives the completed share.
    pub fn profile(
        &self,
        motion: &Motion,
        settings: &Settings,
        scratch: &mut CheckScratch,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Profile, CheckError> {
        let mut profile = self.profile_of(motion.newest(), settings, scratch, progress)?;
        if let Some(older) = motion.older() {
            versions::add_profile(&mut profile, self.profile_of(older, settings, scratch, &mut |_| {})?);
        }
        Ok(profile)
    }

    /// The same for one version of a motion.
    fn profile_of(
        &self,
        path: Path<'_>,
        settings: &Settings,
        scratch: &mut CheckScratch,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Profile, CheckError> {
        let path = Waypoints::of(path)?;
        let limits = Limits::new(settings);
        // A profile lists bodies separately, so none may share a tree.
        let groups = self.separate_groups();
        let job = Job { scene: self.scene(), groups, settings, limits, leaves_room: false, maps: None };
        let mut result = Profile { pieces: Vec::new(), limit: None, statistics: Statistics::default() };
        let mut facts = SegmentFacts::new(SegmentMotion::still(self.scene().model()));
        scratch.work.statistics = Statistics::default();
        let examiner = &mut Examiner::new(job, &mut scratch.work);
        let (segments, pairs) = (path.segments(), groups.pairs.len());
        for segment in 0..segments {
            facts.set(&job, segment, path.piece(segment))?;
            examiner.work.cache.clear();
            for pair in 0..pairs {
                if limits.is_interrupted() {
                    return Err(CheckError::Interrupted);
                }
                PairProfile::new(examiner, &facts, pair, &mut result).run();
                progress((segment * pairs + pair + 1) as f64 / (segments * pairs) as f64);
            }
        }
        result.statistics = examiner.work.statistics;
        Ok(result)
    }
}

/// A dyadic part of the segment with a proven bound on the distance over it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stretch {
    level: u32,
    index: u64,
    lower: f64,
}

impl Stretch {
    fn interval(&self) -> [f64; 2] {
        [self.index, self.index + 1].map(|index| Dyadic { index, level: self.level }.value())
    }

    fn length(&self) -> f64 {
        1.0 / (1u64 << self.level) as f64
    }

    fn middle(&self) -> Dyadic {
        Dyadic { index: 2 * self.index + 1, level: self.level + 1 }
    }

    fn half(&self, which: usize, lower: f64) -> Self {
        Self { level: self.level + 1, index: 2 * self.index + which as u64, lower }
    }

    /// True if it is a part of the earlier (0) or later (1) half of `whole`.
    fn is_in_half(&self, whole: &Self, which: usize) -> bool {
        self.level > whole.level && (self.index >> (self.level - whole.level - 1)) & 1 == which as u64
    }
}

impl Eq for Stretch {}

impl Ord for Stretch {
    /// The least bound first in a heap, ties in the order of time.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let [at, others] = [self, other].map(|stretch| stretch.interval()[0]);
        other.lower.total_cmp(&self.lower).then(others.total_cmp(&at)).then(self.level.cmp(&other.level))
    }
}

impl PartialOrd for Stretch {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The distance at a configuration.
#[derive(Clone, Copy, Debug)]
struct Sample {
    lower: f64,
    upper: f64,
}

/// One pair on one segment.
struct PairProfile<'s, 'a> {
    examiner: &'s mut Examiner<'a>,
    segment: &'s SegmentFacts,
    pair: usize,
    facts: PairFacts,
    result: &'s mut Profile,
    /// Largest difference between the bounds of a piece.
    gap: f64,
    is_signed: bool,
    /// By t: positions are not negative, so their bits have the same order.
    samples: BTreeMap<u64, Sample>,
    separations: Separations,
}

impl<'s, 'a> PairProfile<'s, 'a> {
    fn new(examiner: &'s mut Examiner<'a>, segment: &'s SegmentFacts, pair: usize, result: &'s mut Profile) -> Self {
        let facts = segment.pairs[pair];
        let gap = facts.gap();
        let is_signed = examiner.job.groups.is_signed(&examiner.job.groups.pairs[pair]);
        Self {
            examiner,
            segment,
            pair,
            facts,
            result,
            gap,
            is_signed,
            samples: BTreeMap::new(),
            separations: Separations::default(),
        }
    }

    fn run(mut self) {
        let mut whole = Stretch { level: 0, index: 0, lower: f64::NEG_INFINITY };
        // The smallest distance is often at an end.
        self.sample(Dyadic { index: 0, level: 0 });
        self.sample(Dyadic { index: 1, level: 0 });
        let sample = self.sample(whole.middle());
        whole.lower = self.lower_by_arc(&whole, &sample);
        let first = self.result.pieces.len();
        let bodies = self.examiner.job.groups.bodies_of(&self.examiner.job.groups.pairs[self.pair], [0; 2]);
        self.refine(whole, vec![whole], bodies);
        self.merge(first);
    }

    /// Bounds a part that `stretches` tile: as one, or each half by itself where the distance varies much.
    fn refine(&mut self, whole: Stretch, stretches: Vec<Stretch>, bodies: [usize; 2]) {
        let done = self.bound(&whole, stretches);
        let interval = whole.interval();
        let (t_upper, upper) = self.least(interval);
        if self.result.limit.is_none() && whole.level < DEEPEST && self.is_varied(interval, upper) {
            for which in 0..2 {
                let half = whole.half(which, whole.lower);
                let mut parts: Vec<Stretch> =
                    done.iter().filter(|stretch| stretch.is_in_half(&whole, which)).copied().collect();
                if parts.is_empty() {
                    // One bound for all of it.
                    parts.push(half_of_only(&done, which));
                }
                self.refine(half, parts, bodies);
            }
            return;
        }
        let segment = self.segment.number;
        let lower = done.iter().map(|stretch| stretch.lower).fold(upper, least);
        self.result.pieces.push(ProfilePiece {
            segment,
            interval,
            bodies,
            lower,
            upper,
            t_upper,
            version: Version::Newest,
        });
    }

    /// Cuts stretches until all bounds are within the gap of the least distance found; returns those that tile the
    /// whole.
    fn bound(&mut self, whole: &Stretch, stretches: Vec<Stretch>) -> Vec<Stretch> {
        let mut open = BinaryHeap::from(stretches);
        let mut done = Vec::new();
        if self.result.limit.is_none() {
            self.sample(whole.middle());
        }
        while let Some(stretch) = open.pop() {
            let goal = self.least(whole.interval()).1 - self.gap;
            let limit = self.result.limit.or_else(|| self.examiner.reached());
            self.result.limit = limit;
            // Where hardly anything moves any more, the remaining gap is that of the distance itself. Motion that is
            // NaN is not cut at all.
            let is_coarse = self.facts.upper_arc * stretch.length() > 0.25 * self.gap;
            let is_fine = stretch.level >= DEEPEST || !is_coarse;
            // The least bound comes first: if it is good enough, all are.
            if stretch.lower >= goal || is_fine || self.result.limit.is_some() {
                done.push(stretch);
                continue;
            }
            let sample = self.sample(stretch.middle());
            self.examiner.work.statistics.bisections += 1;
            let goal = least(goal, sample.upper - self.gap);
            let lowers = self.lower_over_halves(&stretch, &sample, goal);
            open.extend((0..2).map(|which| stretch.half(which, lowers[which])));
        }
        done
    }

    /// Proven bounds over both halves, better than `goal` where the judge can prove it.
    fn lower_over_halves(&mut self, stretch: &Stretch, sample: &Sample, goal: f64) -> [f64; 2] {
        let by_arc = most(self.lower_by_arc(stretch, sample), stretch.lower);
        if by_arc >= goal {
            return [by_arc; 2];
        }
        let examined = self.examine(stretch.middle(), stretch.length(), goal);
        std::array::from_fn(|half| {
            if examined.covered[half] { most(most(examined.lower_over_halves[half], goal), by_arc) } else { by_arc }
        })
    }

    /// Bound over all of a stretch from its middle: the distance changes by no more than the motion.
    fn lower_by_arc(&self, stretch: &Stretch, sample: &Sample) -> f64 {
        let half_arc = mul_up(self.facts.upper_arc, stretch.length() / 2.0);
        let lower = add_down(sample.lower, -half_arc);
        // Distances that are not signed are never negative; NaN becomes 0.
        if self.is_signed || lower > 0.0 { lower } else { 0.0 }
    }

    /// The distance at a position, computed once.
    fn sample(&mut self, position: Dyadic) -> Sample {
        let key = position.value().to_bits();
        if let Some(known) = self.samples.get(&key) {
            return *known;
        }
        let sample = self.measure(position);
        self.samples.insert(key, sample);
        sample
    }

    fn measure(&mut self, position: Dyadic) -> Sample {
        let at = self.examiner.pair_at(self.segment, self.pair, position);
        let measured = at.measure(&mut self.examiner.work.query, &mut self.examiner.work.statistics);
        Sample { lower: measured.lower, upper: measured.upper }
    }

    /// Runs the directional method for `clearance` over `length` around a position.
    fn examine(&mut self, middle: Dyadic, length: f64, clearance: f64) -> Examined {
        let at = self.examiner.pair_at(self.segment, self.pair, middle);
        let (model, motion) = (self.examiner.job.scene.model(), &self.segment.motion);
        let kinematics = self.examiner.work.cache.at(motion, middle);
        let bounds = at.cell_bounds(model, motion, kinematics, length);
        // Leaves nothing to the halves, because the best bound is wanted. No distance is a finding.
        let (node_to_motion_ratio, close) = (0.0, f64::NEG_INFINITY);
        let wanted = Wanted::WholeHalves;
        let pair = self.pair as u32;
        let cell = CellQuery { bounds, clearance, close, node_to_motion_ratio, wanted, hint: None, pair };
        self.examiner.work.statistics.distance_queries += 1;
        let Workspace { traversal, statistics, .. } = &mut *self.examiner.work;
        examine(&at, &cell, &[SiblingPairs::ROOTS], &mut self.separations, traversal, statistics)
    }

    fn samples_in(&self, [from, to]: [f64; 2]) -> impl Iterator<Item = (f64, &Sample)> {
        self.samples.range(from.to_bits()..=to.to_bits()).map(|(bits, sample)| (f64::from_bits(*bits), sample))
    }

    /// The least distance in the interval, and its position.
    fn least(&self, interval: [f64; 2]) -> (f64, f64) {
        let least = self.samples_in(interval).min_by(|x, y| x.1.upper.total_cmp(&y.1.upper));
        least.map_or((interval[0], f64::INFINITY), |(t, sample)| (t, sample.upper))
    }

    /// True if distances in the interval exceed the least by more than its own size and the gap.
    fn is_varied(&self, interval: [f64; 2], least: f64) -> bool {
        let greatest = self.samples_in(interval).map(|(_, sample)| sample.upper).fold(least, most);
        greatest - least > most(least.abs(), self.gap)
    }

    /// Joins neighbours among the pieces from `first` on while the distance does not vary too much over them.
    fn merge(&mut self, first: usize) {
        let pieces = self.result.pieces.split_off(first);
        for piece in pieces {
            if let Some(last) = self.result.pieces[first..].last_mut() {
                let interval = [last.interval[0], piece.interval[1]];
                let nearer = if piece.upper < last.upper { piece } else { *last };
                let within = self.samples.range(interval[0].to_bits()..=interval[1].to_bits());
                let greatest = within.map(|(_, sample)| sample.upper).fold(nearer.upper, most);
                if greatest - nearer.upper <= most(nearer.upper.abs(), self.gap) {
                    *last = ProfilePiece { interval, lower: least(last.lower, piece.lower), ..nearer };
                    continue;
                }
            }
            self.result.pieces.push(piece);
        }
    }
}

/// Half of a stretch that has not been cut.
fn half_of_only(done: &[Stretch], which: usize) -> Stretch {
    let only = done[0];
    only.half(which, only.lower)
}
