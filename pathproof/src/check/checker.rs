//! [`Checker`]: a scene made ready to be asked about segments and paths.

use std::time::{Duration, Instant};

use thiserror::Error;

use super::search::{Outcome, PathSearch};
use super::units::{Grouping, Unit, UnitPair, UnitShape, hull_points, units};
use super::verdict::{Finding, Free, Limit, Open, Statistics, Verdict};
use crate::distance::Scratch;
use crate::numeric::DVec3;
use crate::robot::{Motion, MotionError, PoseCache};
use crate::scene::Scene;
use crate::trees::VolumeTree as _;

/// What to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Report {
    /// Any contact ends the search.
    #[default]
    Any,
    /// The earliest contact on the path.
    First,
    /// Every offending pair on every segment; see [`Checker::with_separate_obstacles`].
    All,
}

/// How to check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// What to look for. Default: any contact.
    pub report: Report,
    /// Most distance queries; `None` is no limit. Default: none.
    pub max_queries: Option<u64>,
    /// Longest time; `None` is no limit. Default: none.
    pub max_time: Option<Duration>,
    /// A half is given up where its need exceeds this fraction of a primitive pair's distance: costs time, never
    /// soundness. Default 0.1.
    pub kill: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { report: Report::Any, max_queries: None, max_time: None, kill: 0.1 }
    }
}

/// Why a check could not be made.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum CheckError {
    /// A path without waypoints.
    #[error("the path has no waypoint")]
    EmptyPath,
    /// Two waypoints do not make a motion.
    #[error("segment {segment}: {source}")]
    Motion {
        /// Which segment.
        segment: usize,
        /// What is wrong.
        source: MotionError,
    },
    /// A plane that moves.
    #[error("the plane {body} is attached to a moving link; give it a finite shape such as a box")]
    MovingPlane {
        /// Its name.
        body: String,
    },
}

/// The answer to a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// With [`Report::All`]: every offending pair and segment, the verdict's among them.
    pub findings: Vec<Finding>,
    /// What was left open. With [`Report::First`] and [`Report::All`] that may be so though something was found: there may
    /// be more, or something earlier.
    pub open: Option<Open>,
    /// The work done.
    pub statistics: Statistics,
}

impl Answer {
    /// Whether all that was asked for was looked for: no limit ended the search before.
    pub fn is_complete(&self) -> bool {
        self.open.is_none()
    }
}

/// A scene with its trees: immutable, shared by all threads.
///
/// ```
/// use pathproof::check::{CheckScratch, Checker, Settings, Verdict};
/// use pathproof::numeric::{DVec3, Pose};
/// use pathproof::robot::{JointKind, JointSpec, Model};
/// use pathproof::scene::{BodyShape, Role, Scene, SceneBody, SceneParts};
/// use pathproof::shapes::{Body, Convex};
/// // A ball that slides along x, and a wall 1 m away.
/// let slide = JointSpec::new("slide", JointKind::Prismatic { axis: DVec3::X }, "world", "ball", Pose::IDENTITY);
/// let model = Model::new("world", vec!["world".into(), "ball".into()], vec![slide])?;
/// let mut parts = SceneParts::new(model);
/// let shape = |convex| BodyShape::Parts(Body::from_convex(convex));
/// parts.bodies.push(SceneBody {
///     name: "ball".into(), role: Role::Link, link: 1, link_from_body: Pose::IDENTITY,
///     shape: shape(Convex::sphere(0.1)?),
/// });
/// parts.bodies.push(SceneBody {
///     name: "wall".into(), role: Role::Obstacle, link: 0, link_from_body: Pose::from_translation(DVec3::X),
///     shape: shape(Convex::cuboid([0.01, 2.0, 2.0])?),
/// });
/// let checker = Checker::new(Scene::new(parts)?)?;
/// let mut scratch = CheckScratch::new(&checker);
/// let answer = checker.path(&[vec![0.0], vec![0.8]], &Settings::default(), &mut scratch)?;
/// assert!(matches!(answer.verdict, Verdict::Free(_)));
/// let answer = checker.path(&[vec![0.0], vec![2.0]], &Settings::default(), &mut scratch)?;
/// assert!(matches!(answer.verdict, Verdict::Collision(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Checker {
    scene: Scene,
    pub(super) units: Vec<Unit>,
    pub(super) pairs: Vec<UnitPair>,
    /// For units that are checked against a half-space, the hull of their meshes.
    pub(super) hulls: Vec<Vec<DVec3>>,
}

/// Reused memory of checks; one a thread.
#[derive(Debug)]
pub struct CheckScratch {
    pub(super) cache: PoseCache,
    pub(super) query: Scratch,
    pub(super) search: PathSearch,
}

/// Positions of a segment whose poses are kept.
const CACHED_POSITIONS: usize = 64;

impl CheckScratch {
    /// Scratch for checks by `checker`.
    pub fn new(checker: &Checker) -> Self {
        Self {
            cache: PoseCache::new(checker.scene.model(), CACHED_POSITIONS),
            query: Scratch::default(),
            search: PathSearch::default(),
        }
    }
}

impl Checker {
    /// Builds the trees of a scene.
    pub fn new(scene: Scene) -> Result<Self, CheckError> {
        Self::grouped(scene, Grouping::ByRules)
    }

    /// The same with a tree for every static body, which takes longer: with [`Report::All`], contact with one of several
    /// obstacles on a segment then does not hide the others.
    pub fn with_separate_obstacles(scene: Scene) -> Result<Self, CheckError> {
        Self::grouped(scene, Grouping::Separate)
    }

    fn grouped(scene: Scene, grouping: Grouping) -> Result<Self, CheckError> {
        let (units, pairs) = units(&scene, grouping);
        let is_plane = |unit: &Unit| matches!(unit.shape, UnitShape::HalfSpace { .. });
        if let Some(moving) = units.iter().find(|unit| is_plane(unit) && unit.frame != 0) {
            return Err(CheckError::MovingPlane { body: scene.bodies()[moving.body_of(0)].name.clone() });
        }
        let mut hulls = vec![Vec::new(); units.len()];
        for pair in pairs.iter().filter(|pair| is_plane(&units[pair.b])) {
            if let (UnitShape::Parts(indexed), true) = (&units[pair.a].shape, hulls[pair.a].is_empty()) {
                hulls[pair.a] = hull_points(indexed.body());
            }
        }
        Ok(Self { scene, units, pairs, hulls })
    }

    /// Bytes of all trees.
    pub fn tree_bytes(&self) -> usize {
        let bytes = |unit: &Unit| match &unit.shape {
            UnitShape::Parts(indexed) => indexed.tree().bytes(),
            UnitShape::HalfSpace { .. } => 0,
        };
        self.units.iter().map(bytes).sum()
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Checks the straight segment from `start` to `goal`, both ends included.
    pub fn segment(
        &self,
        start: &[f64],
        goal: &[f64],
        settings: &Settings,
        scratch: &mut CheckScratch,
    ) -> Result<Answer, CheckError> {
        self.run(&[start, goal], settings, scratch)
    }

    /// Checks a path of straight segments between waypoints, in the scene's order of variables; a single waypoint checks
    /// that configuration.
    pub fn path(
        &self,
        waypoints: &[Vec<f64>],
        settings: &Settings,
        scratch: &mut CheckScratch,
    ) -> Result<Answer, CheckError> {
        let waypoints: Vec<&[f64]> = waypoints.iter().map(Vec::as_slice).collect();
        self.run(&waypoints, settings, scratch)
    }

    fn run(&self, waypoints: &[&[f64]], settings: &Settings, scratch: &mut CheckScratch) -> Result<Answer, CheckError> {
        let ends: Vec<[&[f64]; 2]> = match waypoints {
            [] => return Err(CheckError::EmptyPath),
            [only] => vec![[only, only]],
            _ => waypoints.windows(2).map(|pair| [pair[0], pair[1]]).collect(),
        };
        let deadline = settings.max_time.map(|time| Instant::now() + time);
        let mut search = std::mem::take(&mut scratch.search);
        let mut outcome = search.start(self, &ends).map(|()| search.run(self, settings, deadline, scratch));
        let statistics = search.statistics;
        if let Ok(Outcome { open: Some(open), .. }) = &mut outcome {
            super::open::name_nearest(self, search.motion(open.segment), open, &mut scratch.query);
        }
        scratch.search = search;
        let Outcome { findings, open, lower_clearance } = outcome?;
        let verdict = match (findings.first(), open.clone()) {
            (Some(first), _) if first.distance <= first.clearance.min(0.0) => Verdict::Collision(first.clone()),
            (Some(first), _) => Verdict::TooClose(first.clone()),
            (None, Some(open)) => Verdict::Undecided(open),
            (None, None) => Verdict::Free(Free { lower_clearance }),
        };
        let findings = if settings.report == Report::All { findings } else { Vec::new() };
        Ok(Answer { verdict, findings, open, statistics })
    }

    /// The motion of one segment.
    pub(super) fn motion(&self, segment: usize, [start, goal]: [&[f64]; 2]) -> Result<Motion, CheckError> {
        Motion::new(self.scene.model(), start, goal).map_err(|source| CheckError::Motion { segment, source })
    }

    /// The limit that has been reached, if any.
    pub(super) fn limit(settings: &Settings, deadline: Option<Instant>, statistics: &Statistics) -> Option<Limit> {
        if settings.max_queries.is_some_and(|most| statistics.distance_queries >= most) {
            return Some(Limit::Queries);
        }
        // Asking the clock costs as much as a small query: now and then is enough.
        let is_time = statistics.distance_queries.is_multiple_of(32);
        (is_time && deadline.is_some_and(|deadline| Instant::now() >= deadline)).then_some(Limit::Seconds)
    }
}
