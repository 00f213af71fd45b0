//! Bounds that hold over a whole segment, for each pair of groups: motion, rounding, tolerance.

use crate::check::clusters::{Clusters, Cull, Wandering};
use crate::check::error::CheckError;
use crate::check::groups::{Group, GroupPair, Opposite};
use crate::check::waypoints::SegmentPiece;
use crate::numeric::{add_up, most};
use crate::robot::SegmentMotion;
use crate::robot::bounds::lambdas;

use super::interval::{WHOLE, dyadic};
use super::question::{Examiner, Job};
use super::recorder;

/// Bounds over a whole segment.
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
    /// Upper bounds on arc lengths of the groups, one group after the other: relative to its own frame, and to those
    /// above it.
    arcs: Vec<f64>,
}

/// Bounds for a pair over a whole segment.
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
    /// Index of its first arc length.
    first_arc: usize,
}

/// Cells are cut until the motion is this many times the rounding of the poses.
pub(in crate::check) const MARGINS_IN_FLOOR: f64 = 16.0;

/// A tolerance below this many times the rounding of a pair's poses could leave cells that are neither covered nor too
/// close: they are not cut below [`MARGINS_IN_FLOOR`], and both bounds on a distance include the margin.
const MARGINS_IN_TOLERANCE: f64 = 64.0;

/// The same for the gap between the convex engine's bounds, relative to the bodies' sizes.
const SIZES_IN_TOLERANCE: f64 = 1e-10;

/// With a tolerance below this (metres) both bounds on a smallest distance come no nearer than this: 0 cannot be
/// reached.
const FINEST_GAP: f64 = 1e-6;

impl PairFacts {
    /// Largest allowed difference between both bounds on the pair's smallest distance: the scene's tolerance or 1 µm,
    /// or what rounding allows where that is more.
    pub(in crate::check) fn gap(&self) -> f64 {
        most(most(self.tolerance, FINEST_GAP), MARGINS_IN_TOLERANCE * self.margin)
    }
}

/// A cell shorter than this (in units of 2⁻⁵²) is not cut: the middle of its halves would not be exact.
pub(in crate::check) const SHORTEST: u64 = 8;

impl SegmentFacts {
    /// Facts of a motion that is set later.
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

    /// Becomes segment `number`, along a piece, without facts about its pairs.
    pub(in crate::check) fn set_groups(
        &mut self,
        job: &Job<'_>,
        number: usize,
        piece: SegmentPiece<'_>,
    ) -> Result<(), CheckError> {
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
    pub(in crate::check) fn piece_moving(&self, fraction: f64) -> u64 {
        let fastest = self.pairs.iter().map(|pair| pair.upper_arc).fold(0.0, most);
        let length = (fraction * self.tolerance / fastest * WHOLE as f64) as u64;
        length.min(WHOLE)
    }

    /// Settles clusters of groups from the middle of the segment.
    pub(in crate::check) fn settle(&self, examiner: &mut Examiner<'_>, clusters: &Clusters, cull: &mut Cull) {
        let Examiner { job, work, .. } = examiner;
        let kinematics = work.cache.at(&self.motion, dyadic(WHOLE / 2));
        let (model, groups) = (job.scene.model(), job.groups.groups.iter().zip(&self.of_groups));
        let wandering = |(group, facts): (&Group, &GroupFacts)| {
            let ball = group.ball_at(model, kinematics);
            Wandering { ball, upper_arc: facts.upper_arc, margin: facts.margin }
        };
        cull.settle(clusters, groups.map(wandering));
        work.statistics.distance_queries += cull.settled().count() as u64;
    }

    /// Sets the facts of the pairs; pairs that are settled use the bounds of their clusters.
    pub(in crate::check) fn set_pairs(&mut self, job: &Job<'_>, clusters: Option<&Clusters>, cull: &Cull) {
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

    /// Upper bounds for a pair: relative arc, rounding of poses, and sizes of the bodies.
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

/// Room in margins for other arithmetic, at a distance from the world's origin.
fn room(job: &Job<'_>, metres: f64) -> f64 {
    if job.leaves_room { metres * recorder::ROOM } else { 0.0 }
}
