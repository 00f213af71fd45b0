//! Motions: everything that may run for a path (docs/design.md#curves).
//!
//! A [`Motion`] holds the waypoints, the curve between them and every other version of that curve that may run. A
//! checker takes only whole motions, so no caller can check just a part of one. Invariant: a motion that does not
//! follow straight lines is never checked as if it did.

use crate::robot::interpolation::{self, Interpolation, InterpolationError, Knot};
use crate::robot::{Curve, CurveError, Model, MotionError, Polynomial, SegmentMotion};

/// A path as it runs: straight lines between waypoints or a curve, with every version of it that may run.
///
/// ```
/// use pathproof::path::Motion;
/// let motion = Motion::lines([vec![0.0], vec![0.5], vec![0.7]]);
/// assert_eq!((motion.segments(), motion.time_at(1, 0.5)), (2, None));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Ends of the segments, in the scene's order of variables.
    waypoints: Vec<Vec<f64>>,
    /// Time of each waypoint, in seconds.
    times: Option<Vec<f64>>,
    course: Course,
}

/// Course of a motion between waypoints.
#[derive(Clone, Debug, PartialEq)]
enum Course {
    Lines,
    Curve { interpolation: Interpolation, curve: Curve },
    Controller(Controlled),
}

/// The curves that joint_trajectory_controller runs.
#[derive(Clone, Debug, PartialEq)]
struct Controlled {
    /// [`Interpolation::Controller`] or [`Interpolation::Upsampled`].
    interpolation: Interpolation,
    curve: Curve,
    /// The first segment in older versions of the controller, if it differs.
    older_start: Option<Curve>,
    knots: Vec<Knot>,
}

/// A version of a motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// The only version, or that of newer controllers.
    #[default]
    Newest,
    /// The first segment in older versions of joint_trajectory_controller.
    OlderController,
}

impl Version {
    /// Its name in answers and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Newest => "newest",
            Self::OlderController => "older-controller",
        }
    }
}

/// Reason why points do not make a motion.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// Points through which nothing can be interpolated.
    #[error(transparent)]
    Interpolation(#[from] InterpolationError),
    /// The controller cannot get from its current state to the first point.
    #[error("from the current state to the first waypoint: {0}")]
    Start(InterpolationError),
    /// Pieces that are no curve.
    #[error(transparent)]
    Curve(#[from] CurveError),
    /// The number of times differs from that of waypoints.
    #[error("{times} times for {waypoints} waypoints")]
    Times {
        /// Number of times.
        times: usize,
        /// Number of waypoints.
        waypoints: usize,
    },
}

/// A version of a motion in the form that the search takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Path<'a> {
    /// Straight segments between waypoints; a single one is that configuration.
    Lines(&'a [Vec<f64>]),
    /// The pieces of a curve, which count as segments.
    Curve(&'a Curve),
}

impl Motion {
    /// Straight lines between waypoints; a single one is that configuration. The checker refuses an empty list.
    pub fn lines(waypoints: impl Into<Vec<Vec<f64>>>) -> Self {
        Self { waypoints: waypoints.into(), times: None, course: Course::Lines }
    }

    /// The same motion, with the times at which its waypoints are reached, in seconds.
    pub fn with_times(mut self, times: Vec<f64>) -> Result<Self, PathError> {
        if times.len() != self.waypoints.len() {
            return Err(PathError::Times { times: times.len(), waypoints: self.waypoints.len() });
        }
        self.times = Some(times);
        Ok(self)
    }

    /// The motion that joint_trajectory_controller runs through these points. If `current` is given, the controller
    /// starts there at time 0 and goes to the first point: that is segment 0, in every version of the controller,
    /// unless nothing moves.
    pub fn controller(model: &Model, knots: Vec<Knot>, current: Option<Knot>) -> Result<Self, PathError> {
        let pieces = interpolation::controller(model, &knots)?;
        Self::controlled(model, Interpolation::Controller, (knots, pieces), current)
    }

    /// The motion that joint_trajectory_controller runs through these points with its option `positions_upsampling`,
    /// which uses only their positions and times. If `current` is given, it starts there at rest at time 0, because
    /// versions of the controller differ for a robot that moves.
    pub fn upsampled(model: &Model, knots: Vec<Knot>, current: Option<Vec<f64>>) -> Result<Self, PathError> {
        let rest = |positions: Vec<f64>| Knot {
            time: 0.0,
            velocities: Some(vec![0.0; positions.len()]),
            positions,
            accelerations: None,
        };
        let through = interpolation::upsampled(model, knots)?;
        Self::controlled(model, Interpolation::Upsampled, through, current.map(rest))
    }

    /// A controller's curve through points, starting at the current state.
    fn controlled(
        model: &Model,
        interpolation: Interpolation,
        (mut knots, mut pieces): (Vec<Knot>, Vec<Vec<Polynomial>>),
        current: Option<Knot>,
    ) -> Result<Self, PathError> {
        let mut older_start = None;
        if let (Some(current), Some(first)) = (current, knots.first()) {
            let mut starts = interpolation::controller_start(model, &current, first).map_err(PathError::Start)?;
            let is_still = |piece: &Vec<Polynomial>| piece.iter().all(|p| p.is_straight() && p.start() == p.end());
            if !starts.iter().all(is_still) {
                pieces.insert(0, starts.remove(0));
                older_start = (!starts.is_empty()).then(|| Curve::from_polynomials(model, &starts)).transpose()?;
                knots.insert(0, current);
            }
        }
        let waypoints = knots.iter().map(|knot| knot.positions.clone()).collect();
        let times = Some(knots.iter().map(|knot| knot.time).collect());
        if pieces.is_empty() {
            return Ok(Self { waypoints, times, course: Course::Lines });
        }
        let curve = Curve::from_polynomials(model, &pieces)?;
        let course = Course::Controller(Controlled { interpolation, curve, older_start, knots });
        Ok(Self { waypoints, times, course })
    }

    /// The natural cubic spline through waypoints that are reached at these times.
    pub fn natural_cubic(model: &Model, times: Vec<f64>, waypoints: Vec<Vec<f64>>) -> Result<Self, PathError> {
        let motion = Self::lines(waypoints).with_times(times)?;
        let pieces = interpolation::natural_cubic(model, motion.times().unwrap_or_default(), &motion.waypoints)?;
        motion.along(model, Interpolation::NaturalCubic, &pieces)
    }

    /// The polynomials of each segment, one per variable and segment.
    pub fn polynomials(model: &Model, pieces: &[Vec<Polynomial>]) -> Result<Self, PathError> {
        Ok(Self::curve(Curve::from_polynomials(model, pieces)?))
    }

    /// A curve whose pieces are the segments.
    pub fn curve(curve: Curve) -> Self {
        let starts = curve.pieces().iter().take(1).map(|piece| piece.start().to_vec());
        let waypoints = starts.chain(curve.pieces().iter().map(|piece| piece.goal().to_vec())).collect();
        let course = Course::Curve { interpolation: Interpolation::Polynomials, curve };
        Self { waypoints, times: None, course }
    }

    /// The same waypoints, joined by polynomials; nothing changes if there is no segment.
    fn along(
        mut self,
        model: &Model,
        interpolation: Interpolation,
        pieces: &[Vec<Polynomial>],
    ) -> Result<Self, PathError> {
        if !pieces.is_empty() {
            self.course = Course::Curve { interpolation, curve: Curve::from_polynomials(model, pieces)? };
        }
        Ok(self)
    }

    /// Ends of the segments, in the scene's order of variables. The motion between them is straight only if
    /// [`Self::is_straight`] is true.
    pub fn waypoints(&self) -> &[Vec<f64>] {
        &self.waypoints
    }

    /// Times of the waypoints, in seconds, if known.
    pub fn times(&self) -> Option<&[f64]> {
        self.times.as_deref()
    }

    /// The time at a place of the path, in seconds; `segment` counts from 0, `t` runs from 0 to 1 along it.
    pub fn time_at(&self, segment: usize, t: f64) -> Option<f64> {
        let times = self.times.as_ref()?;
        let from = times.get(segment)?;
        Some(from + t * (times.get(segment + 1).unwrap_or(from) - from))
    }

    /// Number of segments; one configuration alone counts as one.
    pub fn segments(&self) -> usize {
        self.waypoints.len().saturating_sub(1).max(1)
    }

    /// The interpolation between waypoints.
    pub fn interpolation(&self) -> Interpolation {
        match &self.course {
            Course::Lines => Interpolation::Linear,
            Course::Curve { interpolation, .. } => *interpolation,
            Course::Controller(run) => run.interpolation,
        }
    }

    /// True if only straight lines between the waypoints can run.
    pub fn is_straight(&self) -> bool {
        matches!(self.course, Course::Lines)
    }

    /// The curves that may run, each with its version; none for straight lines.
    pub fn curves(&self) -> impl Iterator<Item = (Version, &Curve)> {
        let (curve, older) = match &self.course {
            Course::Lines => (None, None),
            Course::Curve { curve, .. } => (Some(curve), None),
            Course::Controller(run) => (Some(&run.curve), run.older_start.as_ref()),
        };
        let newest = curve.map(|curve| (Version::Newest, curve));
        newest.into_iter().chain(older.map(|curve| (Version::OlderController, curve)))
    }

    /// True if controllers of different versions run the first segment differently.
    pub fn has_older_version(&self) -> bool {
        self.older().is_some()
    }

    /// The points that a certificate of a curve states; `None` for curves that have no certificates.
    pub fn stated_knots(&self) -> Option<&[Knot]> {
        match &self.course {
            Course::Controller(run) if run.older_start.is_none() => Some(&run.knots),
            _ => None,
        }
    }

    /// True if a certificate can state this motion: straight lines, or one controller's curve from its first waypoint
    /// on.
    pub fn is_certifiable(&self) -> bool {
        self.is_straight() || self.stated_knots().is_some()
    }

    /// The motion along a segment, in its newest version, for display.
    pub fn segment(&self, model: &Model, segment: usize) -> Result<SegmentMotion, MotionError> {
        match self.newest() {
            Path::Curve(curve) => SegmentMotion::along(model, &curve.pieces()[segment]),
            Path::Lines(waypoints) => {
                let goal = (segment + 1).min(waypoints.len() - 1);
                SegmentMotion::new(model, &waypoints[segment], &waypoints[goal])
            }
        }
    }

    /// The version that newer controllers run, from end to end.
    pub(crate) fn newest(&self) -> Path<'_> {
        self.curves().next().map_or(Path::Lines(&self.waypoints), |(_, curve)| Path::Curve(curve))
    }

    /// The first segment in older controllers, if it differs.
    pub(crate) fn older(&self) -> Option<Path<'_>> {
        self.curves().nth(1).map(|(_, curve)| Path::Curve(curve))
    }
}
