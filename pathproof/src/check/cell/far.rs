//! Pairs that balls separate over a cell, before any pair of boxes is tested (docs/design.md#balls).
//!
//! A group stays in a ball that is carried along, and the ball follows its centre, however the group turns in it. So
//! only the motion of the centre relative to the other group counts. The ball is tested against the other group's
//! ball, and then against its tree: the ball around a whole world separates nothing, the boxes of its bodies do.

use super::facts::SegmentFacts;
use super::interval::dyadic;
use super::question::{Job, Workspace};
use crate::check::ball::Ball;
use crate::check::groups::{Group, Opposite};
use crate::numeric::most;
use crate::robot::{Carried, Kinematics, bounds, upper_displacement_of};

/// A pair of groups that keeps its clearance over a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Far {
    /// Lower bound on the distance.
    pub(super) lower: f64,
    /// Nothing of one side is inside a solid of the other.
    pub(super) is_outside: bool,
}

/// The balls around a pair of groups in the middle of a cell.
pub(super) struct Balls<'a> {
    pub(super) job: &'a Job<'a>,
    pub(super) segment: &'a SegmentFacts,
    pub(super) pair: usize,
    pub(super) at: [Ball; 2],
    pub(super) middle: u64,
    /// Length of the cell as a fraction of the segment.
    pub(super) length: f64,
    /// The pair must be farther apart than this.
    pub(super) clearance: f64,
}

impl Balls<'_> {
    /// Lower bound on the distance in the middle.
    pub(super) fn apart(&self) -> f64 {
        self.at[0].lower_distance(&self.at[1])
    }

    /// Distance that the groups keep, if the balls are farther apart than any point of the groups moves.
    #[inline]
    pub(super) fn far_by_arcs(&self) -> Option<Far> {
        let facts = &self.segment.pairs[self.pair];
        self.far_beyond(facts.upper_arc * (self.length * 0.5) + facts.margin)
    }

    /// The same, if the smaller ball stays away from the other group. Uses that group's tree where its ball does not
    /// suffice.
    pub(super) fn far_by_centre(&self, work: &mut Workspace) -> Option<Far> {
        let pair = &self.job.groups.pairs[self.pair];
        let Opposite::Group(b) = pair.b else { return None };
        let sides = [pair.a, b].map(|group| &self.job.groups.groups[group]);
        let i = usize::from(self.at[1].upper_radius < self.at[0].upper_radius);
        let (ball, own, other) = (&self.at[i], sides[i], sides[1 - i]);
        let (model, motion) = (self.job.scene.model(), &self.segment.motion);
        let kinematics = work.cache.at(motion, dyadic(self.middle));
        let moved = if self.job.leaves_room {
            // The verifier bounds each body by itself. A body that circles inside its group's ball moves more than the
            // ball's centre, so the cells must fit the body's motion.
            sides.map(|group| self.upper_displacement(group, kinematics)).iter().sum()
        } else {
            let carried = Carried { point: ball.centre, radius: centre_reach(own), frame: own.frame };
            upper_displacement_of(model, motion, kinematics, &carried, other.frame, pair.ancestor, self.length)
        };
        // The margin is for points of the groups; a centre may be farther from the frame's origin, see `centre_reach`.
        let needed = moved + 2.0 * self.segment.pairs[self.pair].margin;
        if let Some(far) = self.far_beyond(needed) {
            return Some(far);
        }
        // Boxes do not show how deep bodies penetrate each other.
        let clearance = most(self.clearance, 0.0);
        let from_point = &mut work.traversal.from_point;
        let found =
            other.distance_from(ball.centre, ball.upper_radius + needed + clearance, model, kinematics, from_point);
        work.statistics.volume_tests += std::mem::take(&mut from_point.volume_tests);
        let found = found?;
        let lower = found.lower - ball.upper_radius - needed;
        (lower > clearance).then_some(Far { lower, is_outside: !found.has_split_solid })
    }

    /// Upper bound on the motion of a group's points over half the cell, relative to the frame that carries both.
    fn upper_displacement(&self, group: &Group, kinematics: &mut Kinematics) -> f64 {
        let ancestor = self.job.groups.pairs[self.pair].ancestor;
        if group.frame == ancestor {
            return 0.0;
        }
        let (model, motion) = (self.job.scene.model(), &self.segment.motion);
        bounds::cell(model, motion, kinematics, &group.extent, ancestor, self.length).upper_displacement
    }

    /// The same, if the balls are farther apart than the clearance plus `needed`.
    fn far_beyond(&self, needed: f64) -> Option<Far> {
        let lower = self.apart() - needed;
        (lower > self.clearance).then_some(Far { lower, is_outside: lower > 0.0 })
    }
}

/// Upper bound on the distance of the centre of a group's ball from the frame's origin. The centre is the middle of a
/// box around the group, so no coordinate exceeds the group's reach: √3 times that, plus what rounding the centre to a
/// grid adds, a hundredth at most.
fn centre_reach(group: &Group) -> f64 {
    2.0 * group.extent.origin_radius
}
