//! Poses over time, validated once: knots, and between them pieces of motion at constant rates.
//!
//! Between two knots the reference point moves straight and the heading turns along the shortest arc, both at constant
//! rate. A turn within 1e-9 of π has no shortest arc and is refused. Coordinates are stored side by side (x, y, z apart),
//! so that boxes over many knots are plain loops.

use std::f64::consts::{PI, TAU};

use thiserror::Error;

use super::Workspace;
use super::narrow::larger;
use crate::numeric::{DQuat, DVec3, ROUNDOFF_F64, most, simd};
use crate::shapes::MAX_COORDINATE;

/// Knots must be at least this far apart in time, in seconds; see `TIME_SLACK`.
pub const SHORTEST_PIECE: f64 = 1e-6;

/// Times this close, in seconds, count as equal: grids written as `k * dt`, summed up or shifted agree to that. What a body
/// moves meanwhile is charged to every proof.
pub(crate) const TIME_SLACK: f64 = 1e-9;

/// Times and headings beyond these are refused: their rounding would be felt.
const LARGEST_TIME: f64 = 1e10;
pub(crate) const LARGEST_HEADING: f64 = 1e6;

/// How near to π a turn may not come, in radians.
const HALF_TURN: f64 = 1e-9;

/// Why poses are no trajectory. `pose` counts from 0.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum TrajectoryError {
    /// There is no pose.
    #[error("there is no pose; a trajectory has one at least")]
    Empty,
    /// A number that is not finite, or too large.
    #[error("pose {pose} has the {what} {value}; it must be a finite number of at most {limit:e}")]
    BadNumber {
        /// Which pose.
        pose: usize,
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The largest allowed.
        limit: f64,
    },
    /// Times must increase.
    #[error("pose {pose} is at {time} s, after {before} s; times must increase by at least 1e-6 s from pose to pose")]
    TimeOrder {
        /// The later pose.
        pose: usize,
        /// Its time.
        time: f64,
        /// The time of the pose before.
        before: f64,
    },
    /// Two headings are half a turn apart: either way round is as short.
    #[error(
        "from pose {before} to pose {} the heading turns by π, and either way round is as short; add a pose between them",
        before + 1
    )]
    HalfTurn {
        /// The earlier pose.
        before: usize,
    },
    /// A quaternion that is no rotation.
    #[error("pose {pose} has a quaternion of length {length}; it must be 1 to 1e-6")]
    BadQuaternion {
        /// Which pose.
        pose: usize,
        /// Its norm.
        length: f64,
    },
}

/// A time-indexed sequence of poses. See the module.
///
/// ```
/// use pathproof::spacetime::Trajectory;
/// let turning = Trajectory::planar([[0.0, 0.0, 0.0, 3.0], [0.1, 1.0, 0.0, -3.0]])?; // t, x, y, heading
/// assert!((turning.turn(0) - 0.28318).abs() < 1e-5); // the short way, across π
/// # Ok::<(), pathproof::spacetime::TrajectoryError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    times: Vec<f64>,
    /// One list per coordinate; z is empty in the plane.
    pub(crate) coordinates: [Vec<f64>; 3],
    pub(crate) turning: Turning,
    /// At least every |coordinate|, |time| and |heading|.
    upper_coordinate: f64,
    upper_time: f64,
    upper_heading: f64,
    /// At least every piece's speed in metres per second, and its turn in radians per second.
    upper_speed: f64,
    upper_turn_rate: f64,
}

/// Orientations at the knots and turns of the pieces.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Turning {
    Plane { headings: Vec<f64>, turns: Vec<f64> },
    Volume { rotations: Vec<DQuat>, turns: Vec<AxisTurn> },
}

/// A turn about an axis that is fixed in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AxisTurn {
    pub(crate) axis: DVec3,
    /// In [0, π), in radians.
    pub(crate) angle: f64,
}

impl Trajectory {
    /// From poses `[t, x, y, heading]`: seconds, metres, radians.
    pub fn planar(poses: impl IntoIterator<Item = [f64; 4]>) -> Result<Self, TrajectoryError> {
        Self::empty(Turning::Plane { headings: Vec::new(), turns: Vec::new() }).refilled_planar(poses)
    }

    /// From poses `[t, x, y, z, qx, qy, qz, qw]`: seconds, metres, and unit quaternions.
    pub fn spatial(poses: impl IntoIterator<Item = [f64; 8]>) -> Result<Self, TrajectoryError> {
        let mut result = Self::empty(Turning::Volume { rotations: Vec::new(), turns: Vec::new() });
        for (pose, [t, x, y, z, qx, qy, qz, qw]) in poses.into_iter().enumerate() {
            result.times.push(t);
            result.coordinates.iter_mut().zip([x, y, z]).for_each(|(list, value)| list.push(value));
            let Turning::Volume { rotations, turns } = &mut result.turning else { continue };
            let q = DQuat::from_xyzw(qx, qy, qz, qw);
            let length = q.length();
            if !((length - 1.0).abs() <= 1e-6) {
                return Err(TrajectoryError::BadQuaternion { pose, length });
            }
            let q = q.normalize();
            if let Some(before) = rotations.last() {
                turns.push(axis_turn(*before, q).ok_or(TrajectoryError::HalfTurn { before: pose - 1 })?);
            }
            rotations.push(q);
        }
        result.checked()
    }

    /// A planar trajectory of other poses in the same memory: what a planner does with candidates that it drops.
    ///
    /// # Panics
    /// If the trajectory is spatial.
    pub fn refilled_planar(mut self, poses: impl IntoIterator<Item = [f64; 4]>) -> Result<Self, TrajectoryError> {
        self.clear();
        let Turning::Plane { headings, turns } = &mut self.turning else {
            panic!("a spatial trajectory has no headings");
        };
        let [xs, ys, _] = &mut self.coordinates;
        for [t, x, y, heading] in poses {
            self.times.push(t);
            xs.push(x);
            ys.push(y);
            headings.push(heading);
        }
        turns.extend(headings.windows(2).map(|pair| wrapped(pair[1] - pair[0])));
        self.checked()
    }

    /// Measures what was filled in, and refuses what is no trajectory. First all poses at once, in loops without branches;
    /// then, only if something is wrong, one by one to say what.
    fn checked(mut self) -> Result<Self, TrajectoryError> {
        if self.times.is_empty() {
            return Err(TrajectoryError::Empty);
        }
        let Measured { is_good, shortest, way, turn } = simd::run(
            simd::Width::detect(),
            #[inline(always)]
            || self.measured(),
        );
        if !is_good {
            return Err(self.first_problem());
        }
        if self.times.len() > 1 {
            // The longest way and the largest turn in the shortest time: never below the largest rates.
            let per_second = (1.0 + 8.0 * ROUNDOFF_F64) / shortest;
            (self.upper_speed, self.upper_turn_rate) = (way * per_second, turn * per_second);
        }
        Ok(self)
    }

    /// Largest sizes of all numbers, and what else one look over all poses tells.
    #[inline(always)]
    fn measured(&mut self) -> Measured {
        let ([xs, ys, zs], times) = (&self.coordinates, &self.times[..]);
        let pieces = times.len() - 1;
        let mut is_good = true;
        let mut size = |list: &[f64], limit: f64| {
            let size = largest([list], |[value]| value.abs());
            // A NaN is in no interval.
            is_good &= size <= limit && !list.iter().fold(false, |bad, value| bad | value.is_nan());
            size
        };
        self.upper_time = size(times, LARGEST_TIME);
        self.upper_coordinate = [xs, ys, zs].map(|line| size(line, MAX_COORDINATE)).into_iter().fold(0.0, most);
        let turn = match &self.turning {
            Turning::Plane { headings, turns } => {
                self.upper_heading = size(headings, LARGEST_HEADING);
                size(turns, PI - HALF_TURN)
            }
            Turning::Volume { turns, .. } => turns.iter().fold(0.0, |most, turn| larger(most, turn.angle)),
        };
        let shortest = -largest([&times[..pieces], &times[1..]], |[from, to]| from - to);
        is_good &= pieces == 0 || shortest >= SHORTEST_PIECE;
        // The sum of the coordinates' changes is never below the distance.
        let ends = [&xs[..pieces], &xs[1..], &ys[..pieces], &ys[1..]];
        let mut way = largest(ends, |[x, next_x, y, next_y]| (next_x - x).abs() + (next_y - y).abs());
        if let Some(before) = zs.len().checked_sub(1) {
            way += largest([&zs[..before], &zs[1..]], |[z, next_z]| (next_z - z).abs());
        }
        Measured { is_good, shortest, way, turn }
    }

    /// What is wrong with the first pose that is.
    #[cold]
    fn first_problem(&self) -> TrajectoryError {
        let bad = |pose, what, value: f64, limit| {
            (!(value.abs() <= limit)).then_some(TrajectoryError::BadNumber { pose, what, value, limit })
        };
        for pose in 0..self.times.len() {
            let time = self.times[pose];
            let mut problem = bad(pose, "time", time, LARGEST_TIME);
            if let Some(&before) = pose.checked_sub(1).and_then(|before| self.times.get(before)) {
                let is_later = time - before >= SHORTEST_PIECE;
                problem = problem.or((!is_later).then_some(TrajectoryError::TimeOrder { pose, time, before }));
            }
            for (what, list) in ["x", "y", "z"].into_iter().zip(&self.coordinates) {
                problem = problem.or(list.get(pose).and_then(|&value| bad(pose, what, value, MAX_COORDINATE)));
            }
            if let Turning::Plane { headings, turns } = &self.turning {
                problem = problem.or(bad(pose, "heading", headings[pose], LARGEST_HEADING));
                let before = pose.checked_sub(1);
                let is_half = before.is_some_and(|before| !(turns[before].abs() <= PI - HALF_TURN));
                problem = problem.or(before.filter(|_| is_half).map(|before| TrajectoryError::HalfTurn { before }));
            }
            if let Some(problem) = problem {
                return problem;
            }
        }
        TrajectoryError::Empty
    }

    fn empty(turning: Turning) -> Self {
        Self {
            times: Vec::new(),
            coordinates: [Vec::new(), Vec::new(), Vec::new()],
            turning,
            upper_coordinate: 0.0,
            upper_time: 0.0,
            upper_heading: 0.0,
            upper_speed: 0.0,
            upper_turn_rate: 0.0,
        }
    }

    fn clear(&mut self) {
        self.times.clear();
        self.coordinates.iter_mut().for_each(Vec::clear);
        match &mut self.turning {
            Turning::Plane { headings, turns } => (headings.clear(), turns.clear()),
            Turning::Volume { rotations, turns } => (rotations.clear(), turns.clear()),
        };
        (self.upper_coordinate, self.upper_time, self.upper_heading) = (0.0, 0.0, 0.0);
        (self.upper_speed, self.upper_turn_rate) = (0.0, 0.0);
    }

    /// Where it lives.
    pub fn workspace(&self) -> Workspace {
        match self.turning {
            Turning::Plane { .. } => Workspace::Plane,
            Turning::Volume { .. } => Workspace::Volume,
        }
    }

    /// The times of the knots, increasing, in seconds.
    #[inline]
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// How many knots there are: one at least.
    #[inline]
    pub fn knots(&self) -> usize {
        self.times.len()
    }

    /// Pieces of motion: one fewer than knots.
    #[inline]
    pub fn pieces(&self) -> usize {
        self.times.len() - 1
    }

    /// Where the reference point is at a knot, in metres; z is 0 in the plane.
    #[inline]
    pub fn position(&self, knot: usize) -> [f64; 3] {
        let [x, y, z] = &self.coordinates;
        [x[knot], y[knot], z.get(knot).copied().unwrap_or(0.0)]
    }

    /// By how much a piece turns, in radians: signed in the plane, at least 0 in space.
    #[inline]
    pub fn turn(&self, piece: usize) -> f64 {
        match &self.turning {
            Turning::Plane { turns, .. } => turns[piece],
            Turning::Volume { turns, .. } => turns[piece].angle,
        }
    }

    /// The same motion from one knot to another, both included: nothing is rounded anew.
    ///
    /// # Panics
    /// If the first is after the last, or there is no such knot.
    pub fn between_knots(&self, [first, last]: [usize; 2]) -> Self {
        let turning = match &self.turning {
            Turning::Plane { headings, turns } => {
                Turning::Plane { headings: headings[first..=last].to_vec(), turns: turns[first..last].to_vec() }
            }
            Turning::Volume { rotations, turns } => {
                Turning::Volume { rotations: rotations[first..=last].to_vec(), turns: turns[first..last].to_vec() }
            }
        };
        let mut part = Self { times: self.times[first..=last].to_vec(), turning, ..self.clone() };
        for list in part.coordinates.iter_mut().filter(|list| !list.is_empty()) {
            *list = list[first..=last].to_vec();
        }
        // Bounds on the whole are bounds on a part of it.
        part
    }

    /// Upper bound on every |coordinate|, in metres.
    #[inline]
    pub(crate) fn upper_coordinate(&self) -> f64 {
        self.upper_coordinate
    }

    /// Upper bound on how far rounding moves a point at distance `reach` from the reference point.
    ///
    /// At a time that is exact: 16 u of the coordinates (interpolating, placing by another pose, and the difference of two
    /// of them err by 3 u, 5 u and 1 u of sums of two coordinates), 64 u of the reach (sine, cosine, composing two
    /// rotations; in space an axis and an angle from a quaternion as well), and 8 u of the heading, which is rounded where
    /// it is interpolated and where whole turns are taken off. And what the body moves while times differ: by the slack
    /// within which they count as equal, for both ends of an interval, and by the rounding of shifted times and fractions.
    /// `start` is what is added to all times.
    pub(crate) fn upper_rounding(&self, reach: f64, start: f64) -> f64 {
        let placed =
            16.0 * ROUNDOFF_F64 * self.upper_coordinate + reach * ROUNDOFF_F64 * (64.0 + 8.0 * self.upper_heading);
        let seconds = 2.0 * TIME_SLACK + 8.0 * ROUNDOFF_F64 * (self.upper_time + start.abs());
        placed + (self.upper_speed + self.upper_turn_rate * reach) * seconds * (1.0 + 8.0 * ROUNDOFF_F64)
    }

    /// The last knot at or before `time`, the first one if there is none; times within the slack count as equal.
    #[inline]
    pub(crate) fn knot_before(&self, time: f64) -> usize {
        self.times.partition_point(|&knot| knot <= time + TIME_SLACK).saturating_sub(1)
    }
}

/// What [`Trajectory::measured`] tells beside sizes: whether all numbers are in their limits, the shortest piece, and the
/// largest way and turn of one.
struct Measured {
    is_good: bool,
    shortest: f64,
    way: f64,
    turn: f64,
}

/// The largest value over lists of equal length, negative infinity of none; NaNs are passed over. Eight at a time: side by
/// side they do not wait for each other.
#[inline(always)]
fn largest<const N: usize>(lists: [&[f64]; N], value: impl Fn([f64; N]) -> f64) -> f64 {
    const LANES: usize = 8;
    let mut lanes = [f64::NEG_INFINITY; LANES];
    let count = lists.first().map_or(0, |list| list.len());
    let take = |lane: &mut f64, value: f64| *lane = if value > *lane { value } else { *lane };
    for start in 0..count / LANES {
        let eights = lists.map(|list| &list[start * LANES..][..LANES]);
        for (i, lane) in lanes.iter_mut().enumerate() {
            take(lane, value(eights.map(|list| list[i])));
        }
    }
    for i in count / LANES * LANES..count {
        take(&mut lanes[0], value(lists.map(|list| list[i])));
    }
    lanes.into_iter().fold(f64::NEG_INFINITY, most)
}

/// The same angle in [−π, π], up to rounding.
pub(crate) fn wrapped(angle: f64) -> f64 {
    if angle.abs() <= PI { angle } else { angle - TAU * (angle / TAU).round() }
}

/// The shortest turn from one orientation to another; `None` where it is within 1e-9 of π.
fn axis_turn(from: DQuat, to: DQuat) -> Option<AxisTurn> {
    let mut q = to * from.conjugate();
    if q.w < 0.0 {
        q = -q;
    }
    let v = DVec3::new(q.x, q.y, q.z);
    let sine = v.length();
    let angle = 2.0 * libm::atan2(sine, q.w);
    if !(angle <= PI - HALF_TURN) {
        return None;
    }
    let axis = if sine > 0.0 { v / sine } else { DVec3::Z };
    Some(AxisTurn { axis, angle })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planar(poses: &[[f64; 4]]) -> Result<Trajectory, TrajectoryError> {
        Trajectory::planar(poses.iter().copied())
    }

    #[test]
    fn headings_take_the_shortest_arc_however_many_turns_they_are_written_with() {
        let t = planar(&[[0.0, 0.0, 0.0, 0.1], [1.0, 0.0, 0.0, 0.1 + 5.0 * TAU], [2.0, 0.0, 0.0, TAU - 0.2]])
            .expect("valid");
        assert!(t.turn(0).abs() < 1e-14 && (t.turn(1) + 0.3).abs() < 1e-14, "{t:?}");
    }

    #[test]
    fn what_is_no_trajectory_is_refused_with_the_pose() {
        let good = [0.0, 1.0, 2.0, 0.0];
        assert_eq!(planar(&[]), Err(TrajectoryError::Empty));
        for (bad, what) in [(0, "time"), (1, "x"), (2, "y"), (3, "heading")] {
            for value in [f64::NAN, f64::INFINITY, 1e13] {
                let mut pose = [1.0, 1.0, 2.0, 0.0];
                pose[bad] = value;
                let error = planar(&[good, pose]).expect_err("must be refused").to_string();
                assert!(error.starts_with(&format!("pose 1 has the {what} ")), "{error}");
            }
        }
        for later in [0.0, -1.0, 1e-7] {
            let error = planar(&[good, [later, 0.0, 0.0, 0.0]]).expect_err("must be refused");
            assert!(error.to_string().contains("times must increase"), "{error}");
        }
        for off in [0.0, 0.9e-9, -0.9e-9] {
            let turned = planar(&[good, [1.0, 0.0, 0.0, PI + off]]);
            assert_eq!(turned, Err(TrajectoryError::HalfTurn { before: 0 }));
            let quarter = [(PI + off) / 2.0].map(f64::sin_cos)[0];
            let spatial =
                [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0, quarter.0, 0.0, 0.0, quarter.1]];
            assert_eq!(Trajectory::spatial(spatial), Err(TrajectoryError::HalfTurn { before: 0 }), "{off}");
        }
        assert!(planar(&[good, [1.0, 0.0, 0.0, PI + 2e-9]]).is_ok());
        let long = Trajectory::spatial([[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.1]]);
        assert!(matches!(long, Err(TrajectoryError::BadQuaternion { pose: 0, .. })));
    }

    #[test]
    fn a_refilled_trajectory_is_the_one_made_anew() {
        let t = planar(&[[0.0, 9.0, 9.0, 9.0], [1.0, 9.0, 9.0, 9.0], [2.0, 9.0, 9.0, 9.0]]).expect("valid");
        let poses = [[3.0, 1.0, 2.0, 0.5], [4.0, 2.0, 2.0, 0.75]];
        assert_eq!(t.clone().refilled_planar(poses), planar(&poses));
        assert!(t.refilled_planar([[0.0, f64::NAN, 0.0, 0.0]]).is_err());
    }

    #[test]
    fn turns_in_space_lead_from_one_orientation_to_the_next() {
        let mut random = crate::numeric::Random::new(11);
        for _ in 0..500 {
            let [from, to] = [(); 2].map(|()| DQuat::from_axis_angle(random.direction(), random.between(-3.0, 3.0)));
            let Some(turn) = axis_turn(from, to) else { continue };
            let reached = DQuat::from_axis_angle(turn.axis, turn.angle) * from;
            assert!(reached.dot(to).abs() > 1.0 - 1e-14 && (0.0..PI).contains(&turn.angle));
        }
    }
}
