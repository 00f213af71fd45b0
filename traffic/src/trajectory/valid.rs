//! Conditions for poses to form a trajectory, and reasons for refusal.

use std::f64::consts::PI;

use thiserror::Error;

use super::{Trajectory, Turning};
use crate::narrow::larger;
use pathproof::internals::simd;
use pathproof::numeric::{ROUNDOFF_F64, most};
use pathproof::shapes::MAX_COORDINATE;

/// Knots must be at least this far apart in time, in seconds; see `TIME_SLACK`.
pub const SHORTEST_PIECE: f64 = 1e-6;

/// Times and headings beyond these are refused: their rounding would matter.
const LARGEST_TIME: f64 = 1e10;
pub(crate) const LARGEST_HEADING: f64 = 1e6;

/// Turns nearer to π than this are refused, in radians.
pub(super) const HALF_TURN: f64 = 1e-9;

/// Reason why poses are no trajectory. `pose` counts from 0.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum TrajectoryError {
    /// There is no pose.
    #[error("there is no pose; a trajectory has one at least")]
    Empty,
    /// A number that is not finite, or too large.
    #[error("pose {pose} has the {what} {value}; it must be a finite number of at most {limit:e}")]
    BadNumber {
        /// The pose.
        pose: usize,
        /// Name of the number.
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
    /// Two headings are half a turn apart: both directions are equally short.
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
        /// The pose.
        pose: usize,
        /// Its norm.
        length: f64,
    },
}

impl Trajectory {
    /// Measures the poses and refuses those that form no trajectory: first all at once, in loops without branches; only
    /// if something is wrong, one by one to name it.
    pub(super) fn checked(mut self) -> Result<Self, TrajectoryError> {
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
            // The longest way and the largest turn in the shortest time: upper bounds on the rates.
            let per_second = (1.0 + 8.0 * ROUNDOFF_F64) / shortest;
            (self.upper_speed, self.upper_turn_rate) = (way * per_second, turn * per_second);
        }
        Ok(self)
    }

    /// Largest sizes of all numbers, and the other measures from one pass over all poses.
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
        // The sum of the coordinates' changes is an upper bound on the distance.
        let ends = [&xs[..pieces], &xs[1..], &ys[..pieces], &ys[1..]];
        let mut way = largest(ends, |[x, next_x, y, next_y]| (next_x - x).abs() + (next_y - y).abs());
        if let Some(before) = zs.len().checked_sub(1) {
            way += largest([&zs[..before], &zs[1..]], |[z, next_z]| (next_z - z).abs());
        }
        Measured { is_good, shortest, way, turn }
    }

    /// The error of the first invalid pose.
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
}

/// Results of [`Trajectory::measured`] beside sizes: true if all numbers are within their limits, the shortest piece,
/// and the largest way and turn of one.
struct Measured {
    is_good: bool,
    shortest: f64,
    way: f64,
    turn: f64,
}

/// The largest value over lists of equal length, negative infinity if empty; skips NaN. Runs eight side by side, so
/// that they do not wait for each other.
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
