//! Poses over time, validated once: knots, and between them pieces of motion at constant rates.
//!
//! Between two knots the reference point moves straight and the heading turns along the shortest arc, both at constant
//! rate. A turn within 1e-9 of π has no shortest arc and is refused. Coordinates are stored side by side (x, y, z
//! apart), so that boxes over many knots are plain loops.

mod valid;

use std::f64::consts::{PI, TAU};

use super::Workspace;
use pathproof::numeric::{DQuat, DVec3, ROUNDOFF_F64};
use valid::HALF_TURN;

pub(crate) use valid::LARGEST_HEADING;
pub use valid::{SHORTEST_PIECE, TrajectoryError};

/// Times this close, in seconds, count as equal: grids written as `k * dt`, summed up or shifted agree to that. Every
/// proof allows for the motion of a body in that time.
pub(crate) const TIME_SLACK: f64 = 1e-9;

/// A time-indexed sequence of poses. See the module.
///
/// ```
/// use pathproof_traffic::Trajectory;
/// let turning = Trajectory::planar([[0.0, 0.0, 0.0, 3.0], [0.1, 1.0, 0.0, -3.0]])?; // t, x, y, heading
/// assert!((turning.turn(0) - 0.28318).abs() < 1e-5); // the short way, across π
/// # Ok::<(), pathproof_traffic::TrajectoryError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    times: Vec<f64>,
    /// One list per coordinate; z is empty in the plane.
    pub(crate) coordinates: [Vec<f64>; 3],
    pub(crate) turning: Turning,
    /// Upper bound on every |coordinate|, |time| and |heading|.
    upper_coordinate: f64,
    upper_time: f64,
    upper_heading: f64,
    /// Upper bounds on every piece's speed in metres per second, and its turn in radians per second.
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

    /// A planar trajectory of other poses in the same memory, for planners that drop candidates.
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

    /// The space in which it moves.
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

    /// Number of knots, at least one.
    #[inline]
    pub fn knots(&self) -> usize {
        self.times.len()
    }

    /// Pieces of motion: one fewer than knots.
    #[inline]
    pub fn pieces(&self) -> usize {
        self.times.len() - 1
    }

    /// Position of the reference point at a knot, in metres; z is 0 in the plane.
    #[inline]
    pub fn position(&self, knot: usize) -> [f64; 3] {
        let [x, y, z] = &self.coordinates;
        [x[knot], y[knot], z.get(knot).copied().unwrap_or(0.0)]
    }

    /// Turn of a piece, in radians: signed in the plane, at least 0 in space.
    #[inline]
    pub fn turn(&self, piece: usize) -> f64 {
        match &self.turning {
            Turning::Plane { turns, .. } => turns[piece],
            Turning::Volume { turns, .. } => turns[piece].angle,
        }
    }

    /// The same motion from one knot to another, both included, without further rounding.
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
        // Bounds on the whole hold for a part.
        part
    }

    /// Upper bound on every |coordinate|, in metres.
    #[inline]
    pub(crate) fn upper_coordinate(&self) -> f64 {
        self.upper_coordinate
    }

    /// Upper bound on the effect of rounding on a point at distance `reach` from the reference point.
    ///
    /// At an exact time: 16 u of the coordinates (interpolating, placing by another pose, and the difference of two of
    /// them err by 3 u, 5 u and 1 u of sums of two coordinates), 64 u of the reach (sine, cosine, composing two
    /// rotations; in space an axis and an angle from a quaternion as well), and 8 u of the heading, which is rounded by
    /// interpolating and by removing whole turns. Added to it is the body's motion while times differ: by the slack
    /// within which they count as equal, for both ends of an interval, and by the rounding of shifted times and
    /// fractions. `start` is added to all times.
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

/// The same angle in [−π, π], up to rounding.
pub(crate) fn wrapped(angle: f64) -> f64 {
    if angle.abs() <= PI { angle } else { angle - TAU * (angle / TAU).round() }
}

/// The shortest turn from one orientation to another; `None` if it is within 1e-9 of π.
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
        let mut random = pathproof::numeric::Random::new(11);
        for _ in 0..500 {
            let [from, to] = [(); 2].map(|()| DQuat::from_axis_angle(random.direction(), random.between(-3.0, 3.0)));
            let Some(turn) = axis_turn(from, to) else { continue };
            let reached = DQuat::from_axis_angle(turn.axis, turn.angle) * from;
            assert!(reached.dot(to).abs() > 1.0 - 1e-14 && (0.0..PI).contains(&turn.angle));
        }
    }
}
