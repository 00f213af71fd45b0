//! A body on its trajectory, placed in the world: frames at knots and between them, and single pieces of its motion.
//!
//! A body at rest is present at all times; any other from its first knot to its last.

use super::compound::{Compound, Geometry, Part};
use super::narrow::{Space, State, smaller};
use super::trajectory::{TIME_SLACK, Trajectory};
use pathproof::numeric::{Pose, ROUNDOFF_F64};

/// A body and its motion.
#[derive(Clone, Copy)]
pub(crate) struct Track<'a, S: Space> {
    pub(crate) compound: &'a Compound,
    pub(crate) trajectory: &'a Trajectory,
    /// `None`: the trajectory is in the world.
    pub(crate) world_from_local: Option<S::Frame>,
    /// Added to the trajectory's times, in seconds.
    pub(crate) start: f64,
    /// Present at all times, at its only knot.
    pub(crate) is_static: bool,
    /// Allowance for rounding; see [`Trajectory::upper_rounding`].
    pub(crate) upper_rounding: f64,
}

/// The motion between two knots, or a body that does not move.
#[derive(Clone, Copy)]
pub(crate) struct Piece<'a, S: Space> {
    pub(crate) track: &'a Track<'a, S>,
    pub(crate) index: usize,
    /// World times of its ends; infinite for a body at rest.
    pub(crate) times: [f64; 2],
    /// Frames at its ends, in the world.
    pub(crate) frames: [S::Frame; 2],
}

impl<'a, S: Space> Track<'a, S> {
    pub(crate) fn new(compound: &'a Compound, trajectory: &'a Trajectory, is_static: bool) -> Self {
        let upper_rounding = trajectory.upper_rounding(compound.upper_reach(), 0.0);
        Self { compound, trajectory, world_from_local: None, start: 0.0, is_static, upper_rounding }
    }

    /// Turns and shifts the trajectory, and adds `start` to its times.
    pub(crate) fn place(&mut self, world_from_local: Option<&Pose>, start: f64) {
        self.upper_rounding = self.trajectory.upper_rounding(self.compound.upper_reach(), start);
        if let Some(pose) = world_from_local {
            // Turned and shifted coordinates err by 8 u of twice their sum.
            let coordinates = self.trajectory.upper_coordinate() + pose.translation.abs().max_element();
            self.upper_rounding += 16.0 * ROUNDOFF_F64 * coordinates;
        }
        self.world_from_local = world_from_local.map(S::frame);
        self.start = start;
    }

    /// World time of a knot.
    #[inline]
    pub(crate) fn time(&self, knot: usize) -> f64 {
        self.trajectory.times()[knot] + self.start
    }

    /// First and last world time at which the body is present.
    #[inline]
    pub(crate) fn presence(&self) -> [f64; 2] {
        if self.is_static {
            return [f64::NEG_INFINITY, f64::INFINITY];
        }
        [self.time(0), self.time(self.trajectory.knots() - 1)]
    }

    /// Position of the reference point at a knot, in the world.
    #[inline]
    pub(crate) fn position(&self, knot: usize) -> [f64; 3] {
        let local = self.trajectory.position(knot);
        match &self.world_from_local {
            Some(world_from_local) => S::point(world_from_local, local),
            None => local,
        }
    }

    /// Upper bound on the distance of any point from the straight line between its places at the knots of a piece.
    #[inline]
    pub(crate) fn upper_sweep_bulge(&self, piece: usize) -> f64 {
        if let [Part { geometry: Geometry::Regions(regions), .. }] = self.compound.parts() {
            return regions.upper_bulge(piece);
        }
        let turn = self.trajectory.turn(piece);
        self.compound.upper_reach() * turn * turn / 8.0 * (1.0 + 16.0 * ROUNDOFF_F64)
    }

    /// Frame at a knot, in the world.
    #[inline]
    pub(crate) fn knot(&self, knot: usize) -> S::Frame {
        self.placed(&S::knot(self.trajectory, knot))
    }

    #[inline]
    pub(crate) fn placed(&self, local: &S::Frame) -> S::Frame {
        match &self.world_from_local {
            Some(world_from_local) => S::place(world_from_local, local),
            None => *local,
        }
    }

    /// Pieces that overlap the world times `from..to`. A stretch that merely touches at a knot belongs to the piece
    /// that starts there, or to the last. Empty if the body is not present.
    #[inline]
    pub(crate) fn pieces_within(&self, from: f64, to: f64) -> std::ops::Range<usize> {
        let [first, last] = self.presence();
        if from > last + TIME_SLACK || to < first - TIME_SLACK {
            return 0..0;
        }
        let pieces = self.trajectory.pieces();
        if self.is_static || pieces == 0 {
            return 0..1;
        }
        let begin = self.trajectory.knot_before(from - self.start).min(pieces - 1);
        let times = self.trajectory.times();
        let mut end = begin + 1;
        while end < pieces && times[end] + self.start < to - TIME_SLACK {
            end += 1;
        }
        begin..end
    }

    /// State of the body at a world time within its presence.
    pub(crate) fn state_at(&self, time: f64) -> State<S::Frame> {
        if self.is_static {
            return State { frame: self.knot(0), piece: 0, fraction: 0.0 };
        }
        let knot = self.trajectory.knot_before(time - self.start);
        let from = self.time(knot);
        if (time - from).abs() <= TIME_SLACK || knot + 1 == self.trajectory.knots() || time < from {
            return State { frame: self.knot(knot), piece: knot, fraction: 0.0 };
        }
        let fraction = (time - from) / (self.time(knot + 1) - from);
        State { frame: self.placed(&S::between(self.trajectory, knot, fraction)), piece: knot, fraction }
    }
}

impl<S: Space> Piece<'_, S> {
    /// State of the body at a time of the piece; times within the slack of a knot count as the knot.
    #[inline]
    pub(crate) fn at(&self, time: f64) -> State<S::Frame> {
        let [from, to] = self.times;
        if !(time > from + TIME_SLACK) || self.track.is_static {
            return State { frame: self.frames[0], piece: self.index, fraction: 0.0 };
        }
        if !(time < to - TIME_SLACK) {
            return State { frame: self.frames[1], piece: self.index, fraction: 1.0 };
        }
        let fraction = (time - from) / (to - from);
        let local = S::between(self.track.trajectory, self.index, fraction);
        State { frame: self.track.placed(&local), piece: self.index, fraction }
    }

    /// True if the body moves at all.
    #[inline]
    fn is_moving(&self) -> bool {
        !self.track.is_static && self.index < self.track.trajectory.pieces()
    }

    /// Share of the piece taken by an interval: at most 1, rounded up.
    #[inline]
    fn share(&self, interval: [f64; 2]) -> f64 {
        let [from, to] = self.times;
        smaller((interval[1] - interval[0]) / (to - from) * (1.0 + 8.0 * ROUNDOFF_F64), 1.0)
    }

    /// Upper bound on the distance of a point of `part` from the straight line between its places at the ends of
    /// `interval`: ρΔθ²/8 for the turn Δθ in that time, because |ẍ| ≤ ρθ̇².
    #[inline]
    pub(crate) fn upper_bulge(&self, part: &Part, interval: [f64; 2]) -> f64 {
        if !self.is_moving() {
            return 0.0;
        }
        let share = self.share(interval);
        if let Geometry::Regions(regions) = &part.geometry {
            return regions.upper_bulge(self.index) * share * share * (1.0 + 8.0 * ROUNDOFF_F64);
        }
        // The turn is known to 8 u of the heading, which `upper_rounding` covers.
        let turn = self.track.trajectory.turn(self.index) * share;
        part.upper_reach * turn * turn / 8.0 * (1.0 + 16.0 * ROUNDOFF_F64)
    }

    /// Upper bound on the motion of a point of `part` over `interval`; for regions, on the distance between any two
    /// points of them.
    pub(crate) fn upper_motion(&self, part: &Part, interval: [f64; 2]) -> f64 {
        if !self.is_moving() {
            return 0.0;
        }
        let straight = S::length_squared(S::difference(&self.frames[0], &self.frames[1])).sqrt();
        let turned = match &part.geometry {
            Geometry::Regions(_) => 2.0 * part.upper_reach,
            _ => self.track.trajectory.turn(self.index).abs() * part.upper_reach,
        };
        (straight + turned) * self.share(interval) * (1.0 + 16.0 * ROUNDOFF_F64)
    }
}
