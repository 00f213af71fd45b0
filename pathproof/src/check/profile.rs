//! Clearance profiles: how near each pair of bodies comes along a path, from below by proof and from above by a place.
//!
//! For a pair on a segment, best-first branch and bound (Lawler and Wood 1966) over dyadic cells: the cell with the least
//! proven bound is looked at in its middle, where the distance bounds the minimum from above; the directional judge
//! (DESIGN §4), asked for that less δ, bounds the halves from below. Invariant: every `lower` holds over its whole piece,
//! rounding included, however the search ended. Cost: some √(motion/δ) queries a pair and minimum.

use std::collections::{BTreeMap, BinaryHeap};
use std::time::Instant;

use super::checker::{CheckError, CheckScratch, Checker, Settings};
use super::directional::{self, Judged, Need};
use super::half_space;
use super::segment::still;
use super::units::{Unit, UnitPair, UnitShape};
use super::verdict::{Limit, Statistics};
use crate::distance::Query;
use crate::numeric::{DVec3, Pose, add_down, add_up, mul_up};
use crate::robot::bounds;
use crate::robot::{CellBound, Dyadic, Motion};
use crate::scene::Scene;
use crate::trees::Family;

/// With a tolerance below this (metres) bounds are refined to this only: 0 is never reached.
const FINEST: f64 = 1e-6;

/// Bounds are never refined below this many times the rounding of the poses.
const MARGINS: f64 = 64.0;

/// Deepest level of a cell that is cut: midpoints below it would not be exact.
const DEEPEST: u32 = Dyadic::DEEPEST - 2;

/// How near a pair of bodies comes over a part of a segment. Distances are signed where both bodies consist of convex
/// pieces, else 0 on contact and inside of a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProfilePiece {
    /// Segment of the path, from 0.
    pub segment: usize,
    /// Part of the segment, both ends included; dyadic, so that the pieces of a segment tile [0, 1] exactly.
    pub interval: [f64; 2],
    /// The two bodies, as numbers of the scene.
    pub bodies: [usize; 2],
    /// Proven: nowhere in the interval is the distance smaller, in metres.
    pub lower: f64,
    /// The distance at `t_upper` is no larger, in metres: so neither is the smallest.
    pub upper: f64,
    /// A place in the interval.
    pub t_upper: f64,
}

/// The profile of a path.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Profile {
    /// By segment, then by pair in the scene's order, then along the segment.
    pub pieces: Vec<ProfilePiece>,
    /// What ended the search early. The pieces are true nevertheless, but `upper` − `lower` may be larger than asked for.
    pub limit: Option<Limit>,
    /// The work done.
    pub statistics: Statistics,
}

impl Profile {
    /// The smallest proven bound over all pieces; infinite where there is none.
    pub fn lower(&self) -> f64 {
        self.pieces.iter().fold(f64::INFINITY, |least, piece| least.min(piece.lower))
    }

    /// The piece in which the smallest distance was found.
    pub fn nearest(&self) -> Option<&ProfilePiece> {
        self.pieces.iter().min_by(|x, y| x.upper.total_cmp(&y.upper))
    }
}

/// The profile of every checked pair of bodies over a path: in each piece `upper` − `lower` is at most the scene's
/// tolerance (or 1 µm, or 64 times the rounding of poses, where that is more; or as near as the depth of curved pieces
/// that overlap is known).
///
/// A piece ends where the distance has grown to twice its smallest value in the piece and by more than the tolerance, so
/// that their number grows with the logarithm of distance over tolerance only. Limits of the settings end the refining;
/// three configurations of each segment are looked at for each pair in any case. `progress` is told the share that is done.
pub fn profile(
    scene: Scene,
    waypoints: &[Vec<f64>],
    settings: &Settings,
    progress: &mut dyn FnMut(f64),
) -> Result<Profile, CheckError> {
    // Bodies are told apart, so none may share a tree.
    let checker = Checker::with_separate_obstacles(scene)?;
    let ends: Vec<[&[f64]; 2]> = match waypoints {
        [] => return Err(CheckError::EmptyPath),
        [only] => vec![[only, only]],
        _ => waypoints.windows(2).map(|pair| [&pair[0][..], &pair[1][..]]).collect(),
    };
    let deadline = settings.max_time.map(|time| Instant::now() + time);
    let mut scratch = CheckScratch::new(&checker);
    let mut result = Profile { pieces: Vec::new(), limit: None, statistics: Statistics::default() };
    for (segment, &ends_of_segment) in ends.iter().enumerate() {
        let motion = checker.motion(segment, ends_of_segment)?;
        scratch.cache.clear();
        for (i, pair) in checker.pairs.iter().enumerate() {
            let before = scratch.cache.misses();
            let refinement = Refinement::new(&checker, &motion, pair, settings, deadline, &mut scratch, &mut result);
            refinement.run(segment);
            result.statistics.configurations += scratch.cache.misses() - before;
            progress((segment * checker.pairs.len() + i + 1) as f64 / (ends.len() * checker.pairs.len()) as f64);
        }
    }
    Ok(result)
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

    /// Whether it is a part of the earlier (0) or later (1) half of `whole`.
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
struct Refinement<'a> {
    checker: &'a Checker,
    motion: &'a Motion,
    pair: &'a UnitPair,
    settings: &'a Settings,
    deadline: Option<Instant>,
    scratch: &'a mut CheckScratch,
    result: &'a mut Profile,
    /// Upper bound on the arc length relative to each other over the segment.
    arc: f64,
    /// Rounding of both units' poses.
    margin: f64,
    /// How near the bounds of a piece must come.
    gap: f64,
    is_signed: bool,
    /// By t: positions are not negative, so their bits are in order.
    samples: BTreeMap<u64, Sample>,
}

impl<'a> Refinement<'a> {
    fn new(
        checker: &'a Checker,
        motion: &'a Motion,
        pair: &'a UnitPair,
        settings: &'a Settings,
        deadline: Option<Instant>,
        scratch: &'a mut CheckScratch,
        result: &'a mut Profile,
    ) -> Self {
        let (a, b) = (&checker.units[pair.a], &checker.units[pair.b]);
        let [arc, margin] = pair.upper_arc_and_margin(&checker.units, checker.scene().model(), motion);
        let gap = checker.scene().tolerance().max(FINEST).max(MARGINS * margin);
        let is_signed = a.is_convex() && b.is_convex();
        let samples = BTreeMap::new();
        Self { checker, motion, pair, settings, deadline, scratch, result, arc, margin, gap, is_signed, samples }
    }

    fn run(mut self, segment: usize) {
        let mut whole = Stretch { level: 0, index: 0, lower: f64::NEG_INFINITY };
        // The smallest distance is often at an end.
        self.sample(Dyadic { index: 0, level: 0 });
        self.sample(Dyadic { index: 1, level: 0 });
        let sample = self.sample(whole.middle());
        whole.lower = self.lower_by_arc(&whole, &sample);
        let first = self.result.pieces.len();
        let (a, b) = (&self.checker.units[self.pair.a], &self.checker.units[self.pair.b]);
        let bodies = [a.body_of(0), b.body_of(0)];
        self.refine(whole, vec![whole], segment, bodies);
        self.merge(first);
    }

    /// Bounds a part that `stretches` tile: all in one, or its halves each by itself where the distance varies much.
    fn refine(&mut self, whole: Stretch, stretches: Vec<Stretch>, segment: usize, bodies: [usize; 2]) {
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
                self.refine(half, parts, segment, bodies);
            }
            return;
        }
        let lower = done.iter().fold(f64::INFINITY, |least, stretch| least.min(stretch.lower)).min(upper);
        self.result.pieces.push(ProfilePiece { segment, interval, bodies, lower, upper, t_upper });
    }

    /// Cuts stretches until all bounds are within the gap of the least distance found; returns those that tile the whole.
    fn bound(&mut self, whole: &Stretch, stretches: Vec<Stretch>) -> Vec<Stretch> {
        let mut open = BinaryHeap::from(stretches);
        let mut done = Vec::new();
        if self.result.limit.is_none() {
            self.sample(whole.middle());
        }
        while let Some(stretch) = open.pop() {
            let goal = self.least(whole.interval()).1 - self.gap;
            self.result.limit =
                self.result.limit.or_else(|| Checker::limit(self.settings, self.deadline, &self.result.statistics));
            // Where next to nothing moves any more, what is left is how well the distance itself is known.
            let is_fine = stretch.level >= DEEPEST || self.arc * stretch.length() <= 0.25 * self.gap;
            // The least bound comes first: if it is good enough, all are.
            if stretch.lower >= goal || is_fine || self.result.limit.is_some() {
                done.push(stretch);
                continue;
            }
            let sample = self.sample(stretch.middle());
            self.result.statistics.bisections += 1;
            let goal = goal.min(sample.upper - self.gap);
            let lowers = self.lower_over_halves(&stretch, &sample, goal);
            open.extend((0..2).map(|which| stretch.half(which, lowers[which])));
        }
        done
    }

    /// Proven bounds over both halves, better than `goal` where the judge can show that.
    fn lower_over_halves(&mut self, stretch: &Stretch, sample: &Sample, goal: f64) -> [f64; 2] {
        let by_arc = self.lower_by_arc(stretch, sample).max(stretch.lower);
        if by_arc >= goal {
            return [by_arc; 2];
        }
        let judged = self.judge(stretch.middle(), stretch.length(), goal, f64::NEG_INFINITY);
        std::array::from_fn(|half| {
            if judged.covered[half] { judged.lower_over_halves[half].max(goal).max(by_arc) } else { by_arc }
        })
    }

    /// What the middle of a stretch says about all of it: the distance changes by no more than the motion.
    fn lower_by_arc(&self, stretch: &Stretch, sample: &Sample) -> f64 {
        let half_arc = mul_up(self.arc, stretch.length() / 2.0);
        let lower = add_down(add_down(sample.lower, -half_arc), -self.margin);
        // Distances that are not signed are never negative; NaN stays none.
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
        let [world_from_a, world_from_b] = self.poses(position);
        let (a, b) = (&self.checker.units[self.pair.a], &self.checker.units[self.pair.b]);
        let (UnitShape::Parts(body_a), UnitShape::Parts(body_b)) = (&a.shape, &b.shape) else {
            return self.height(position);
        };
        let statistics = &mut self.result.statistics;
        statistics.distance_queries += 1;
        let mut query = Query::new(body_a, body_b, &world_from_a, &world_from_b);
        query.add_margin(self.margin);
        let found = query.exact(&mut self.scratch.query);
        statistics.volume_tests += found.counters.volume_pairs;
        statistics.triangle_tests += found.counters.primitive_pairs;
        let mut sample = Sample { lower: found.lower, upper: found.upper };
        if self.is_signed && !(found.lower > 0.0) {
            sample = Sample { lower: f64::INFINITY, upper: f64::INFINITY };
            for (i, j) in pairs_of(body_a.body().primitives(), body_b.body().primitives()) {
                let near = query.signed_pair(i, j);
                sample = Sample { lower: least(sample.lower, near.lower), upper: sample.upper.min(near.upper) };
            }
        } else if found.lower > 0.0 && query.containment().is_some() {
            // How far apart the surfaces are says nothing then.
            sample = Sample { lower: 0.0, upper: 0.0 };
        }
        sample
    }

    /// The distance to a half-space.
    fn height(&mut self, position: Dyadic) -> Sample {
        // Nothing is covered at an infinite clearance, so that the lowest point is told.
        let judged = self.judge(position, 0.0, f64::INFINITY, f64::INFINITY);
        let upper = judged.found.map_or(f64::INFINITY, |(near, _)| add_up(near.upper, self.margin));
        let at_least = if self.is_signed { f64::NEG_INFINITY } else { 0.0 };
        Sample { lower: judged.lower.max(at_least), upper: upper.max(at_least) }
    }

    fn poses(&mut self, position: Dyadic) -> [Pose; 2] {
        let model = self.checker.scene().model();
        let kinematics = self.scratch.cache.at(self.motion, position);
        [self.pair.a, self.pair.b].map(|unit| {
            let unit = &self.checker.units[unit];
            unit.world_from_unit(model, kinematics)
        })
    }

    /// The judge, asked for `clearance` over `length` around a position; pairs within `close` are told.
    fn judge(&mut self, middle: Dyadic, length: f64, clearance: f64, close: f64) -> Judged {
        let [world_from_a, world_from_b] = self.poses(middle);
        let (a, b) = (&self.checker.units[self.pair.a], &self.checker.units[self.pair.b]);
        let model = self.checker.scene().model();
        let kinematics = self.scratch.cache.at(self.motion, middle);
        let mut bound = |unit: &Unit| -> CellBound {
            if unit.frame == self.pair.ancestor {
                return still(length);
            }
            bounds::cell(model, self.motion, kinematics, &unit.extent, self.pair.ancestor, length)
        };
        let need = Need {
            bounds: [bound(a), bound(b)],
            clearance,
            close,
            margin: self.margin,
            // Nothing is left to the halves: what is wanted is the best bound.
            grain: 0.0,
            wants_cover: true,
            hint: DVec3::ZERO,
        };
        let statistics = &mut self.result.statistics;
        statistics.distance_queries += 1;
        match (&a.shape, &b.shape) {
            (UnitShape::Parts(body_a), UnitShape::Parts(body_b)) => {
                let mut query = Query::new(body_a, body_b, &world_from_a, &world_from_b);
                query.add_margin(self.margin);
                let trees = [body_a.tree(), body_b.tree()];
                let roots = &[Family::ROOTS];
                directional::judge(&query, trees, &need, self.is_signed, roots, &mut self.scratch.judge, statistics)
            }
            (UnitShape::Parts(body_a), UnitShape::HalfSpace { normal }) => {
                let hull = &self.checker.hulls[self.pair.a];
                half_space::judge(body_a.body(), hull, &world_from_a, *normal, &world_from_b, &need)
            }
            (UnitShape::HalfSpace { .. }, _) => unreachable!("a half-space comes second and never meets another"),
        }
    }

    fn samples_in(&self, [from, to]: [f64; 2]) -> impl Iterator<Item = (f64, &Sample)> {
        self.samples.range(from.to_bits()..=to.to_bits()).map(|(bits, sample)| (f64::from_bits(*bits), sample))
    }

    /// Where the least distance was found, and that.
    fn least(&self, interval: [f64; 2]) -> (f64, f64) {
        let least = self.samples_in(interval).min_by(|x, y| x.1.upper.total_cmp(&y.1.upper));
        least.map_or((interval[0], f64::INFINITY), |(t, sample)| (t, sample.upper))
    }

    /// Whether distances in the interval exceed the least by more than its own size and the gap.
    fn is_varied(&self, interval: [f64; 2], least: f64) -> bool {
        let most = self.samples_in(interval).fold(least, |most, (_, sample)| most.max(sample.upper));
        most - least > least.abs().max(self.gap)
    }

    /// Joins neighbours among the pieces from `first` on while the distance does not vary too much over them.
    fn merge(&mut self, first: usize) {
        let pieces = self.result.pieces.split_off(first);
        for piece in pieces {
            if let Some(last) = self.result.pieces[first..].last_mut() {
                let interval = [last.interval[0], piece.interval[1]];
                let nearer = if piece.upper < last.upper { piece } else { *last };
                let most = self
                    .samples
                    .range(interval[0].to_bits()..=interval[1].to_bits())
                    .fold(nearer.upper, |most, (_, sample)| most.max(sample.upper));
                if most - nearer.upper <= nearer.upper.abs().max(self.gap) {
                    *last = ProfilePiece { interval, lower: last.lower.min(piece.lower), ..nearer };
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

/// The lesser; NaN if either is: it proves nothing.
fn least(a: f64, b: f64) -> f64 {
    if b < a || b.is_nan() { b } else { a }
}

fn pairs_of(a: usize, b: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..a).flat_map(move |i| (0..b).map(move |j| (i, j)))
}
