//! [`Checker`]: a scene made ready to be asked about segments and paths.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use thiserror::Error;

use super::directional::JudgeScratch;
use super::edge_cache::EdgeCache;
use super::paper::Judge;
use super::paper_search::PaperSearch;
use super::search::{Outcome, PathSearch};
use super::units::{Grouping, Unit, UnitPair, UnitShape, hull_points, units};
use super::verdict::{Finding, Free, Limit, Open, Statistics, Verdict};
use crate::distance::{Indexed, Scratch};
use crate::numeric::DVec3;
use crate::robot::{Motion, MotionError, PoseCache};
use crate::scene::Scene;
use crate::trees::{RssTree, VolumeTree as _};

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
    /// A pair of bounding volumes is opened where it is larger than this many times the motion, else left to the halves
    /// of its interval: costs time, never soundness. For the directional judge alone. Default 4.
    pub grain: f64,
    /// Who decides what is covered. Default: the directional judge.
    pub judge: Judge,
}

impl Default for Settings {
    fn default() -> Self {
        Self { report: Report::Any, max_queries: None, max_time: None, grain: 4.0, judge: Judge::Directional }
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
    /// No other checker of this process has it: what a scratch remembers is known by it.
    id: u64,
    /// See [`Self::rss_trees`].
    rss_trees: OnceLock<Vec<Option<Indexed<RssTree>>>>,
}

/// Reused memory of checks; one a thread.
#[derive(Debug)]
pub struct CheckScratch {
    pub(super) cache: PoseCache,
    pub(super) query: Scratch,
    pub(super) judge: JudgeScratch,
    pub(super) search: PathSearch,
    pub(super) paper: PaperSearch,
    edges: Option<EdgeCache>,
}

/// Positions of a segment whose poses are kept.
const CACHED_POSITIONS: usize = 64;

impl CheckScratch {
    /// Scratch for checks by `checker`.
    pub fn new(checker: &Checker) -> Self {
        Self {
            cache: PoseCache::new(checker.scene.model(), CACHED_POSITIONS),
            query: Scratch::default(),
            judge: JudgeScratch::default(),
            search: PathSearch::default(),
            paper: PaperSearch::default(),
            edges: None,
        }
    }

    /// The same, but it remembers edges: a planner's many paths share most of theirs, and what was found out about an
    /// edge is not looked at again when it comes back in another path. Answers stay the same to the last bit; statistics
    /// say what was done now. At most `most_bytes` are kept.
    ///
    /// It is used by the directional judge for [`Report::Any`] without a limit in queries, and forgets everything when
    /// another checker or other settings come along. An edge is known by the exact bits of both its ends, in their order.
    ///
    /// ```
    /// # use pathproof::check::{CheckScratch, Checker, Settings, Verdict};
    /// # use pathproof::numeric::{DVec3, Pose};
    /// # use pathproof::robot::{JointKind, JointSpec, Model};
    /// # use pathproof::scene::{BodyShape, Role, Scene, SceneBody, SceneParts};
    /// # use pathproof::shapes::{Body, Convex};
    /// # let slide = JointSpec::new("s", JointKind::Prismatic { axis: DVec3::X }, "world", "ball", Pose::IDENTITY);
    /// # let model = Model::new("world", vec!["world".into(), "ball".into()], vec![slide])?;
    /// # let mut parts = SceneParts::new(model);
    /// # for (name, role, link, x) in [("ball", Role::Link, 1, 0.0), ("wall", Role::Obstacle, 0, 1.0)] {
    /// #     let shape = BodyShape::Parts(Body::from_convex(Convex::sphere(0.1)?));
    /// #     let link_from_body = Pose::from_translation(DVec3::X * x);
    /// #     parts.bodies.push(SceneBody { name: name.into(), role, link, link_from_body, shape });
    /// # }
    /// # let checker = Checker::new(Scene::new(parts)?)?;
    /// let mut scratch = CheckScratch::new(&checker).with_edge_cache(64 << 20);
    /// let settings = Settings::default();
    /// let one = checker.path(&[vec![0.0], vec![0.5], vec![0.7]], &settings, &mut scratch)?;
    /// let other = checker.path(&[vec![0.0], vec![0.5], vec![0.6]], &settings, &mut scratch)?;
    /// assert!(matches!((&one.verdict, &other.verdict), (Verdict::Free(_), Verdict::Free(_))));
    /// // The edge from 0 to 0.5 was known.
    /// assert_eq!(scratch.edge_cache().map(|cache| cache.edges()), Some(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_edge_cache(mut self, most_bytes: usize) -> Self {
        self.edges = Some(EdgeCache::new(most_bytes));
        self
    }

    /// The edges that it remembers, if it does.
    pub fn edge_cache(&self) -> Option<&EdgeCache> {
        self.edges.as_ref()
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
        static CHECKERS: AtomicU64 = AtomicU64::new(0);
        let id = CHECKERS.fetch_add(1, Ordering::Relaxed);
        Ok(Self { scene, units, pairs, hulls, id, rss_trees: OnceLock::new() })
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

    /// The units' trees of rectangle swept spheres, `None` for half-spaces: built when the paper's judge is first asked
    /// for, so that nobody else pays for them.
    pub(super) fn rss_trees(&self) -> &[Option<Indexed<RssTree>>] {
        self.rss_trees.get_or_init(|| {
            let tree_of = |unit: &Unit| match &unit.shape {
                UnitShape::Parts(indexed) => Some(Indexed::new(indexed.body().clone())),
                UnitShape::HalfSpace { .. } => None,
            };
            self.units.iter().map(tree_of).collect()
        })
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
        let (mut outcome, statistics) = match settings.judge {
            Judge::Directional => {
                let mut search = std::mem::take(&mut scratch.search);
                let outcome = self.search(&ends, settings, deadline, &mut search, scratch);
                let statistics = search.statistics;
                scratch.search = search;
                (outcome, statistics)
            }
            Judge::Paper(paper) => {
                let mut search = std::mem::take(&mut scratch.paper);
                let outcome = search.run(self, &ends, settings, paper, deadline, scratch);
                let statistics = search.statistics;
                scratch.paper = search;
                (outcome, statistics)
            }
        };
        if let Ok(Outcome { open: Some(open), .. }) = &mut outcome {
            let motion = self.motion(open.segment, ends[open.segment])?;
            super::open::name_nearest(self, &motion, open, &mut scratch.query);
        }
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

    /// A search by the directional judge, with what is remembered of the edges where it may be used.
    fn search(
        &self,
        ends: &[[&[f64]; 2]],
        settings: &Settings,
        deadline: Option<Instant>,
        search: &mut PathSearch,
        scratch: &mut CheckScratch,
    ) -> Result<Outcome, CheckError> {
        search.start(self, ends, &mut scratch.cache)?;
        // What is written down must be looked at now.
        let is_remembered =
            settings.report == Report::Any && settings.max_queries.is_none() && search.recorder.is_none();
        let Some(mut edges) = scratch.edges.take_if(|_| is_remembered) else {
            return Ok(search.run(self, settings, deadline, scratch));
        };
        edges.open_for(self.id, settings);
        search.resume(ends, &mut edges);
        let outcome = search.run(self, settings, deadline, scratch);
        search.keep(ends, &mut edges);
        scratch.edges = Some(edges);
        Ok(outcome)
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
