//! Timing: turns waypoints with free straight lines between them into a trajectory that a controller runs exactly
//! (docs/timing.md).
//!
//! The trajectory is piecewise quadratic in time, which cubic Hermite interpolation reproduces. `course` holds the
//! lines and the parabolas that round their corners. `corners` chooses the size of each parabola, `speeds` the
//! speed at each corner, `phases` the times.
//! Invariant: the returned curve itself was checked, and [`Limits::excess`] found nothing on it.

mod corners;
mod course;
mod limits;
mod phases;
mod speeds;

use pathproof::certificate::Certificate;
use pathproof::check::{Answer, CheckError, CheckScratch, Checker, Report, Settings, Verdict};
use pathproof::path::{Motion, PathError};
use pathproof::robot::Knot;
use thiserror::Error;

use corners::Rounding;
use course::{Course, Lead};
pub use limits::{Excess, Limits, LimitsError, MissingLimit, Rate};

/// Settings of [`time`].
#[derive(Clone, Debug, Default)]
pub struct TimeSettings {
    /// Largest distance of a rounded corner from its waypoint, per joint, in radians or metres. Default: as far as is
    /// free. 0: every waypoint is a stop.
    pub corner: Option<f64>,
    /// Velocities at the start, one per variable. Default: at rest.
    pub start_velocities: Option<Vec<f64>>,
    /// Records a certificate of the executed curve. Default: no.
    pub certify: bool,
}

/// A trajectory that is proven free and within its limits.
#[derive(Clone, Debug)]
pub struct Timed {
    /// Points with times, positions and velocities; times are whole nanoseconds.
    pub knots: Vec<Knot>,
    /// The motion that a controller runs through them.
    pub motion: Motion,
    /// The checker's proof that it is free.
    pub answer: Answer,
    /// The written proof, if requested.
    pub certificate: Option<Certificate>,
    /// The inner waypoints, in order.
    pub corners: Vec<Corner>,
}

/// The passage of an inner waypoint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// Number of the waypoint.
    pub waypoint: usize,
    /// The trajectory's distance from it, the largest over the joints, in radians or metres. 0: it stops there.
    pub deviation: f64,
}

impl Timed {
    /// Seconds from start to end.
    pub fn duration(&self) -> f64 {
        self.knots.last().map_or(0.0, |knot| knot.time)
    }

    /// Number of inner waypoints that are stops.
    pub fn stops(&self) -> usize {
        self.corners.iter().filter(|corner| corner.deviation == 0.0).count()
    }
}

/// Reason why a path has no timing.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TimeError {
    /// There are no waypoints, or the length of a list differs from the number of joint values.
    #[error("the path needs waypoints, and every list a value per joint")]
    Lists,
    /// A floating joint turns; corners of a rotation cannot be rounded.
    #[error(
        "the floating joint of {0:?} turns, and only joints that turn about one axis can be timed; plan with it fixed"
    )]
    Floating(String),
    /// The largest deviation is negative or not a number.
    #[error("a corner deviates by {0}, which is not a number of at least 0")]
    Corner(f64),
    /// The executed curve is not free: the lines between the waypoints are not, or come too close to be proven.
    #[error("the straight lines between the waypoints are not proven free, so no timing of them is")]
    NotFree(Box<Answer>),
    /// A robot that moves at the start cannot stay within its joint limits.
    #[error(
        "as fast as it moves at the start, {joint:?} reaches {value} before it can turn, outside of its limits; start slower"
    )]
    Overshoot {
        /// The variable.
        joint: String,
        /// Its value.
        value: f64,
    },
    /// Waypoints so close together that rounding of times exceeds the limits.
    #[error(
        "near waypoint {waypoint} the waypoints are too close together to be timed within the limits; leave some out"
    )]
    TooDense {
        /// Number of the waypoint.
        waypoint: usize,
    },
    /// No controller can run through these points.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The checker refused to answer.
    #[error(transparent)]
    Check(#[from] CheckError),
}

/// Tolerance for a trajectory that comes within the scene's tolerance, as a fraction of it.
const FINER: f64 = 1e-2;

/// Most attempts with tighter corners or lower rates before giving up.
const MOST_ROUNDS: usize = 64;

/// Gives the straight lines between waypoints velocities and times: as fast as the limits allow, with corners rounded
/// as far as is free, at rest at the end. Proves that the executed curve is free and keeps the limits at all times.
///
/// Every free path has such a trajectory: a corner that cannot be rounded is a stop, where the curve is the proven
/// line.
///
/// ```
/// use pathproof::check::{CheckScratch, Checker};
/// use pathproof::numeric::{DVec3, Pose};
/// use pathproof::robot::{JointKind, JointSpec, Model};
/// use pathproof::scene::{Scene, SceneParts};
/// use pathproof_motion::time::{Limits, TimeSettings, time};
/// let slide = JointSpec::new("slide", JointKind::Prismatic { axis: DVec3::X }, "world", "hand", Pose::IDENTITY);
/// let model = Model::new("world", vec!["world".into(), "hand".into()], vec![slide])?;
/// let checker = Checker::new(Scene::new(SceneParts::new(model))?);
/// let limits = Limits::new(vec![0.5], vec![1.0])?;
/// let path = [vec![0.0], vec![1.0]];
/// let timed = time(&checker, &path, &limits, &TimeSettings::default(), &mut CheckScratch::new(&checker))?;
/// // Half a second up to 0.5 m/s, one and a half at it, half a second down.
/// assert!((timed.duration() - 2.5).abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn time(
    checker: &Checker,
    waypoints: &[Vec<f64>],
    limits: &Limits,
    settings: &TimeSettings,
    scratch: &mut CheckScratch,
) -> Result<Timed, TimeError> {
    check_input(checker, waypoints, limits, settings)?;
    let lead = Lead::new(limits, settings.start_velocities.as_deref());
    let mut course = Course::new(waypoints, limits, lead.as_ref());
    Rounding { course: &mut course, checker, scratch, most: settings.corner }.run()?;
    for _ in 0..MOST_ROUNDS {
        let passing = speeds::of_corners(&mut course);
        let knots = phases::knots(&course, &passing);
        let motion = Motion::controller(checker.scene().model(), knots.clone(), None)?;
        if let Some(excess) = limits.excess(&motion, checker.scene().model()) {
            course.slow_down(&knots, excess.time)?;
            continue;
        }
        let violation = motion.curves().find_map(|(_, curve)| checker.scene().curve_violation(curve));
        if let (Some(found), Some(_)) = (violation, &lead) {
            return Err(TimeError::Overshoot { joint: found.violation.variable, value: found.violation.value });
        }
        let mut proven = prove(checker, &motion, settings, scratch)?;
        if !proven.is_free() && course.tighten(&knots, &proven.answer) {
            continue;
        }
        if matches!(proven.answer.verdict, Verdict::TooClose(_)) {
            proven = prove_finer(checker, &motion, settings, proven)?;
        }
        if !proven.is_free() {
            return Err(TimeError::NotFree(Box::new(proven.answer)));
        }
        let (corners, Proven { answer, certificate }) = (course.corners(), proven);
        return Ok(Timed { knots, motion, answer, certificate, corners });
    }
    Err(TimeError::TooDense { waypoint: 0 })
}

fn check_input(
    checker: &Checker,
    waypoints: &[Vec<f64>],
    limits: &Limits,
    settings: &TimeSettings,
) -> Result<(), TimeError> {
    let model = checker.scene().model();
    let count = model.variables().len();
    let lists = waypoints.iter().chain(&settings.start_velocities);
    // NaN is refused.
    let is_list = |list: &Vec<f64>| list.len() == count && list.iter().all(|value| value.abs() < f64::MAX);
    if waypoints.is_empty() || limits.count() != count || !lists.into_iter().all(is_list) {
        return Err(TimeError::Lists);
    }
    if let Some(corner) = settings.corner.filter(|corner| !(*corner >= 0.0)) {
        return Err(TimeError::Corner(corner));
    }
    let turns = |k: &usize| {
        let moves = settings.start_velocities.as_ref().is_some_and(|v| v[*k] != 0.0);
        model.variables()[*k].kind == pathproof::robot::VariableKind::Quaternion
            && (moves || waypoints.iter().any(|q| q[*k] != waypoints[0][*k]))
    };
    match (0..count).find(turns) {
        Some(k) => Err(TimeError::Floating(model.joints()[model.variables()[k].joint].name.clone())),
        None => Ok(()),
    }
}

/// An answer about the executed curve, and its certificate if requested.
struct Proven {
    answer: Answer,
    certificate: Option<Certificate>,
}

impl Proven {
    fn is_free(&self) -> bool {
        matches!(self.answer.verdict, Verdict::Free(_))
    }
}

/// Checks the executed curve.
fn prove(
    checker: &Checker,
    motion: &Motion,
    settings: &TimeSettings,
    scratch: &mut CheckScratch,
) -> Result<Proven, CheckError> {
    let asked = Settings { report: Report::Any, ..Settings::default() };
    let (answer, certificate) = match settings.certify {
        true => checker.certify(motion, &asked, scratch)?,
        false => (checker.path(motion, &asked, scratch)?, None),
    };
    Ok(Proven { answer, certificate })
}

/// Checks a curve that comes within the scene's tolerance at a finer one: a line that is proven free may come as close.
fn prove_finer(
    checker: &Checker,
    motion: &Motion,
    settings: &TimeSettings,
    coarse: Proven,
) -> Result<Proven, CheckError> {
    let scene = checker.scene().clone();
    let tolerance = FINER * scene.tolerance();
    let Ok(finer) = scene.with_tolerance(tolerance) else { return Ok(coarse) };
    let finer = checker.updated(finer);
    let again = prove(&finer, motion, settings, &mut CheckScratch::new(&finer))?;
    Ok(if again.is_free() { again } else { coarse })
}

#[cfg(test)]
mod tests;
