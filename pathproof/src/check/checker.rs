//! [`Checker`]: a scene prepared for checks of segments and paths.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use super::cell::{Examiner, Job, Recorder, TraversalScratch, Workspace};
use super::error::CheckError;
use super::groups::{Group, Grouping, Groups, Opposite};
use super::likelihood;
use super::mapped::{Maps, PairMaps};
use super::pair_at::PairAt;
use super::search::edge_cache::EdgeCache;
use super::search::first::FirstSearch;
use super::search::parallel;
use super::search::path::{Queues, Search as PathSearch};
use super::settings::{Limits, Report, Settings};
use super::verdict::{Answer, Finding, Outcome, Statistics, Unresolved, Verdict};
use super::versions;
use super::warning::Warning;
use super::waypoints::{SegmentPiece, Waypoints};
use crate::certificate::SceneClaim;
use crate::distance::Scratch;
use crate::path::{Motion, Path, Version};
use crate::robot::{Curve, Kinematics, PoseCache, SegmentMotion};
use crate::scene::Scene;

/// A scene with its trees: immutable, shared by all threads.
///
/// ```
/// use pathproof::numeric::{DVec3, Pose};
/// use pathproof::robot::JointKind;
/// use pathproof::scene::SceneBuilder;
/// use pathproof::shapes::Convex;
/// use pathproof::{CheckScratch, Checker, Motion, Settings, Verdict};
/// // A ball that slides along x, and a wall 1 m away.
/// let mut cell = SceneBuilder::new();
/// cell.joint("slide", JointKind::Prismatic { axis: DVec3::X }, "world", "ball", Pose::IDENTITY);
/// cell.link_body("ball", Convex::sphere(0.1)?);
/// cell.obstacle("wall", Convex::cuboid([0.01, 2.0, 2.0])?, Pose::from_translation(DVec3::X));
/// let checker = Checker::new(cell.build()?);
/// let mut scratch = CheckScratch::new(&checker);
/// let answer = checker.path(&Motion::lines([vec![0.0], vec![0.8]]), &Settings::default(), &mut scratch)?;
/// assert!(matches!(answer.verdict, Verdict::Free(_)));
/// let answer = checker.path(&Motion::lines([vec![0.0], vec![2.0]]), &Settings::default(), &mut scratch)?;
/// assert!(matches!(answer.verdict, Verdict::Collision(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Checker {
    scene: Scene,
    groups: Groups,
    /// Groups with every body in one group, as certificates state them. Built on first use.
    listed: OnceLock<Groups>,
    /// Groups with a tree for every body, so that a contact with one does not hide another. Built when all findings or
    /// a profile are first requested.
    separate: OnceLock<Groups>,
    /// Clearance maps of pairs of links, if requested.
    maps: Option<PairMaps>,
    /// Part that all certificates share, made with the first one.
    pub(super) claim: OnceLock<Arc<SceneClaim>>,
    /// Unique within this process; keys the caches of scratches.
    pub(super) id: u64,
}

/// Reused memory of checks; one per thread.
#[derive(Debug)]
pub struct CheckScratch {
    pub(super) work: Workspace,
    pub(super) any: Queues,
    first: FirstSearch,
    pub(super) edges: Option<EdgeCache>,
}

/// Positions of a segment whose poses are kept.
const CACHED_POSITIONS: usize = 64;

impl CheckScratch {
    /// Scratch for checks by `checker`.
    pub fn new(checker: &Checker) -> Self {
        let work = Workspace {
            cache: PoseCache::new(checker.scene.model(), CACHED_POSITIONS),
            query: Scratch::default(),
            traversal: TraversalScratch::default(),
            statistics: Statistics::default(),
        };
        Self { work, any: Queues::default(), first: FirstSearch::default(), edges: None }
    }

    /// The same, with a cache of edges: a planner's many paths share most of theirs, and results for an edge are
    /// reused when it comes back in another path. Answers stay the same to the last bit; statistics count only new
    /// work. At most `most_bytes` are kept.
    ///
    /// The cache is used for [`Report::Any`] without a limit in queries, and is cleared when another checker or other
    /// settings come along. Its keys are the exact bits of both ends of an edge, in order; [`Checker::edges`] treats
    /// an edge and its reverse as one.
    ///
    /// ```
    /// use pathproof::numeric::{DVec3, Pose};
    /// use pathproof::robot::JointKind;
    /// use pathproof::scene::SceneBuilder;
    /// use pathproof::shapes::Convex;
    /// use pathproof::{CheckScratch, Checker, Motion, Settings, Verdict};
    /// let mut cell = SceneBuilder::new();
    /// cell.joint("slide", JointKind::Prismatic { axis: DVec3::X }, "world", "ball", Pose::IDENTITY);
    /// cell.link_body("ball", Convex::sphere(0.1)?);
    /// cell.obstacle("post", Convex::sphere(0.1)?, Pose::from_translation(DVec3::X));
    /// let checker = Checker::new(cell.build()?);
    /// let mut scratch = CheckScratch::new(&checker).with_edge_cache(64 << 20);
    /// let settings = Settings::default();
    /// let one = checker.path(&Motion::lines([vec![0.0], vec![0.5], vec![0.7]]), &settings, &mut scratch)?;
    /// let other = checker.path(&Motion::lines([vec![0.0], vec![0.5], vec![0.6]]), &settings, &mut scratch)?;
    /// assert!(matches!((&one.verdict, &other.verdict), (Verdict::Free(_), Verdict::Free(_))));
    /// // The edge from 0 to 0.5 was known.
    /// assert_eq!(scratch.cached_edges().edges, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_edge_cache(mut self, most_bytes: usize) -> Self {
        self.edges = Some(EdgeCache::new(most_bytes));
        self
    }

    /// Number of cached edges, and the memory they use.
    pub fn cached_edges(&self) -> CachedEdges {
        let known = self.edges.as_ref();
        CachedEdges { edges: known.map_or(0, EdgeCache::edges), bytes: known.map_or(0, EdgeCache::bytes) }
    }
}

/// Contents of the edge cache of a [`CheckScratch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CachedEdges {
    /// Number of edges.
    pub edges: usize,
    /// Memory used; never more than the limit.
    pub bytes: usize,
}

impl Checker {
    /// Builds the trees of a scene.
    pub fn new(scene: Scene) -> Self {
        Self::with_known(scene, &[])
    }

    /// A checker of another scene, most often this one with an object elsewhere or with other clearances. Shares the
    /// trees of bodies that both have, and of bodies that have not moved. Answers are those of [`Checker::new`], to
    /// the last bit.
    pub fn updated(&self, scene: Scene) -> Self {
        Self::with_known(scene, &self.groups.groups)
    }

    fn with_known(scene: Scene, known: &[Group]) -> Self {
        let mut groups = Groups::new(&scene, Grouping::Together, known);
        groups.weights = likelihood::weights(&scene, &groups);
        Self {
            scene,
            groups,
            listed: OnceLock::new(),
            separate: OnceLock::new(),
            maps: None,
            claim: OnceLock::new(),
            id: next_id(),
        }
    }

    /// The same, with clearance maps. For links of one robot with few joints between them, a map proves once, over
    /// boxes of joint values, that they are apart. Segments that stay within such boxes need no query for the pair. A
    /// map is built on first use of its pair, or by [`Self::build_maps`]; that takes tenths of a second each and pays
    /// where many thousands of segments are checked. Verdicts keep their meaning. Maps hold within the joint limits.
    /// They are not used outside of the limits, on curves, for [`Report::All`] and for certificates. Nothing is
    /// written to a file, and [`Self::updated`] starts without maps.
    #[must_use]
    pub fn with_maps(mut self, maps: Maps) -> Self {
        self.maps = Some(PairMaps::new(&self.scene, &self.groups, maps));
        self.id = next_id();
        self
    }

    /// Builds all requested clearance maps that are not built yet; returns the number of boxes in all maps.
    pub fn build_maps(&self) -> usize {
        self.maps.as_ref().map_or(0, PairMaps::build)
    }

    /// Bytes of the trees built so far, with the hulls of their nodes. A tree shared by several bodies counts once.
    pub fn tree_bytes(&self) -> usize {
        let built = [Some(&self.groups), self.listed.get(), self.separate.get()];
        let mut groups: Vec<&Group> = built.into_iter().flatten().flat_map(|groups| &groups.groups).collect();
        // A body keeps its tree and the hulls, so groups that share one share both.
        groups.sort_unstable_by_key(|group| Arc::as_ptr(&group.hulls));
        groups.dedup_by_key(|group| Arc::as_ptr(&group.hulls));
        groups.into_iter().map(Group::tree_bytes).sum()
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The groups that most checks work on.
    pub(super) fn groups(&self) -> &Groups {
        &self.groups
    }

    /// The groups that certificates state.
    pub(super) fn listed_groups(&self) -> &Groups {
        self.listed.get_or_init(|| Groups::new(&self.scene, Grouping::Listed, &self.groups.groups))
    }

    /// The groups in which every static body is by itself.
    pub(super) fn separate_groups(&self) -> &Groups {
        self.separate.get_or_init(|| Groups::new(&self.scene, Grouping::Separate, &self.groups.groups))
    }

    /// Checks the straight segment from `start` to `goal`, both ends included.
    pub fn segment(
        &self,
        start: &[f64],
        goal: &[f64],
        settings: &Settings,
        scratch: &mut CheckScratch,
    ) -> Result<Answer, CheckError> {
        self.run(Waypoints::Segment([start, goal]), settings, scratch)
    }

    /// Checks one configuration.
    pub fn configuration(
        &self,
        q: &[f64],
        settings: &Settings,
        scratch: &mut CheckScratch,
    ) -> Result<Answer, CheckError> {
        self.segment(q, q, settings, scratch)
    }

    /// The pairs of bodies that are in contact at a configuration, or too close to tell contact from none.
    pub fn contacts(&self, q: &[f64], scratch: &mut CheckScratch) -> Result<Vec<[usize; 2]>, CheckError> {
        let settings = Settings { report: Report::All, ..Settings::default() };
        let answer = self.configuration(q, &settings, scratch)?;
        let touches = |finding: &&Finding| finding.is_collision() || finding.distance <= UNCLEAR;
        let mut pairs: Vec<[usize; 2]> = answer.findings.iter().filter(touches).map(|found| found.bodies).collect();
        pairs.iter_mut().for_each(|pair| pair.sort_unstable());
        pairs.sort_unstable();
        Ok(pairs)
    }

    /// Checks a motion in every version that may run: free if each of them is.
    pub fn path(&self, motion: &Motion, settings: &Settings, scratch: &mut CheckScratch) -> Result<Answer, CheckError> {
        self.path_on_threads(motion, settings, std::slice::from_mut(scratch))
    }

    /// Checks as [`Self::path`] does, on as many threads as there are scratches (at least one); the answer is the
    /// same. Paths of few segments, limits and [`Report::First`] use the first scratch only. If several scratches are
    /// used, cached edges are neither used nor kept.
    pub fn path_on_threads(
        &self,
        motion: &Motion,
        settings: &Settings,
        scratches: &mut [CheckScratch],
    ) -> Result<Answer, CheckError> {
        let mut answer = self.version_on_threads(motion.newest(), settings, scratches)?;
        if let Some(older) = motion.older() {
            versions::add(&mut answer, self.version_on_threads(older, settings, scratches)?, settings.report);
        }
        let first = scratches.first_mut().ok_or(CheckError::NoScratch)?;
        self.warn(motion, settings, &mut answer, first)?;
        Ok(answer)
    }

    /// Checks one version of a motion.
    fn version_on_threads(
        &self,
        version: Path<'_>,
        settings: &Settings,
        scratches: &mut [CheckScratch],
    ) -> Result<Answer, CheckError> {
        let path = Waypoints::of(version)?;
        let has_limit = settings.max_queries.is_some() || settings.max_time.is_some();
        let is_in_blocks = settings.report != Report::First;
        let first = match scratches {
            [] => return Err(CheckError::NoScratch),
            [only] => only,
            [first, ..] if has_limit || !is_in_blocks || !parallel::is_long(path) => first,
            _ => {
                let groups = self.groups_for(settings);
                let (limits, maps) = (Limits::new(settings), self.maps_of(settings));
                let job = Job { scene: &self.scene, groups, settings, limits, leaves_room: false, maps };
                let mut workers: Vec<_> =
                    scratches.iter_mut().map(|scratch| (&mut scratch.any, &mut scratch.work)).collect();
                let outcome = parallel::run(&job, path, &mut workers)?;
                return self.answer(path, outcome, &mut Examiner::new(job, &mut scratches[0].work));
            }
        };
        self.run(path, settings, first)
    }

    /// Adds warnings to the verdict. Contacts at the first configuration are looked for unless [`Report::Any`] asks
    /// for a verdict alone.
    pub(super) fn warn(
        &self,
        motion: &Motion,
        settings: &Settings,
        answer: &mut Answer,
        scratch: &mut CheckScratch,
    ) -> Result<(), CheckError> {
        let (kept, asked) = (answer.tolerance, self.scene.tolerance());
        if let Some(left) = answer.unresolved.as_ref().filter(|_| !matches!(answer.verdict, Verdict::Undecided(_))) {
            answer.warnings.push(Warning::Incomplete { limit: left.limit, report: settings.report });
        }
        if kept > asked {
            answer.warnings.push(Warning::RaisedTolerance { asked, kept });
        }
        if self.scene.pairs().is_empty() {
            answer.warnings.push(Warning::NothingChecked);
        }
        if settings.report != Report::Any && !matches!(answer.verdict, Verdict::Free(_)) {
            let contacts = self.contacts(&motion.waypoints()[0], scratch)?;
            if !contacts.is_empty() {
                answer.warnings.insert(0, Warning::ContactsAtStart(contacts));
            }
        }
        if let (Report::First, Verdict::TooClose(found)) = (settings.report, &answer.verdict)
            && let Some(contact) = self.contact_after(motion, found, settings, scratch)?
        {
            answer.warnings.insert(0, Warning::CollidesLater(Box::new(contact)));
        }
        Ok(())
    }

    /// A collision on the segment of a finding that is only too close, or on the next one: most motions that get too
    /// close go on to touch.
    fn contact_after(
        &self,
        motion: &Motion,
        found: &Finding,
        settings: &Settings,
        scratch: &mut CheckScratch,
    ) -> Result<Option<Finding>, CheckError> {
        let version = if found.version == Version::Newest { None } else { motion.older() };
        let path = Waypoints::of(version.unwrap_or_else(|| motion.newest()))?;
        let settings = Settings { report: Report::All, ..*settings };
        for segment in (found.segment..path.segments()).take(2) {
            let piece = match path.piece(segment) {
                SegmentPiece::Line(ends) => self.run(Waypoints::Segment(ends), &settings, scratch)?,
                SegmentPiece::Curved(piece) => {
                    let alone = Curve::from(piece.clone());
                    self.run(Waypoints::Curve(&alone), &settings, scratch)?
                }
            };
            let is_later = |finding: &Finding| segment > found.segment || finding.t >= found.t;
            if let Some(contact) = piece.findings.into_iter().find(|f| f.is_collision() && is_later(f)) {
                return Ok(Some(Finding { segment, version: found.version, ..contact }));
            }
        }
        Ok(None)
    }

    /// Checks one version for any contact, as [`Self::path`] does, and records all probes.
    pub(super) fn path_with_notes(
        &self,
        version: Path<'_>,
        settings: &Settings,
        scratch: &mut CheckScratch,
    ) -> Result<(Answer, Recorder), CheckError> {
        let settings = Settings { report: Report::Any, ..*settings };
        let (groups, limits) = (self.listed_groups(), Limits::new(&settings));
        let job = Job { scene: &self.scene, groups, settings: &settings, limits, leaves_room: true, maps: None };
        let (answer, recorder) = self.search(job, Some(Recorder::default()), Waypoints::of(version)?, scratch)?;
        Ok((answer, recorder.unwrap_or_default()))
    }

    /// The common path of every check.
    pub(super) fn run(
        &self,
        path: Waypoints<'_>,
        settings: &Settings,
        scratch: &mut CheckScratch,
    ) -> Result<Answer, CheckError> {
        let (groups, maps) = (self.groups_for(settings), self.maps_of(settings));
        let limits = Limits::new(settings);
        let job = Job { scene: &self.scene, groups, settings, limits, leaves_room: false, maps };
        Ok(self.search(job, None, path, scratch)?.0)
    }

    /// Searches a path as the job asks, taking notes if there is a recorder.
    fn search(
        &self,
        job: Job<'_>,
        recorder: Option<Recorder>,
        path: Waypoints<'_>,
        scratch: &mut CheckScratch,
    ) -> Result<(Answer, Option<Recorder>), CheckError> {
        let CheckScratch { work, any, first, edges } = scratch;
        work.statistics = Statistics::default();
        let mut examiner = Examiner { job, work, recorder };
        let mut outcome = if job.settings.report == Report::First {
            first.run(path, &mut examiner)?
        } else {
            // A certificate needs fresh probes, a limit in queries counts queries made now, and without any time no
            // result is worth keeping.
            let is_limited = job.settings.max_queries.is_some() || !job.limits.has_time;
            let is_remembered = job.settings.report == Report::Any && !is_limited && examiner.recorder.is_none();
            let edges = edges.as_mut().filter(|_| is_remembered).map(|edges| edges.of(self.id, job.settings));
            PathSearch::new(any, edges, &mut examiner).run(path)?
        };
        outcome.statistics = examiner.work.statistics;
        let answer = self.answer(path, outcome, &mut examiner)?;
        Ok((answer, examiner.recorder))
    }

    /// The maps of the groups that a check works on.
    pub(super) fn maps_of(&self, settings: &Settings) -> Option<&PairMaps> {
        self.maps.as_ref().filter(|_| settings.report != Report::All)
    }

    /// The groups that a check works on.
    fn groups_for(&self, settings: &Settings) -> &Groups {
        match settings.report {
            Report::Any | Report::First => &self.groups,
            Report::All => self.separate_groups(),
        }
    }

    /// Converts the outcome of a search to an answer.
    fn answer(
        &self,
        path: Waypoints<'_>,
        mut outcome: Outcome,
        examiner: &mut Examiner<'_>,
    ) -> Result<Answer, CheckError> {
        if let Some(unresolved) = &mut outcome.unresolved {
            name_nearest(path, unresolved, examiner)?;
        }
        let mut answer = outcome.answer();
        if examiner.job.settings.report != Report::All {
            answer.findings.clear();
        }
        Ok(answer)
    }
}

/// Below this distance, in metres, contact cannot be told from no contact.
const UNCLEAR: f64 = 1e-9;

fn next_id() -> u64 {
    static CHECKERS: AtomicU64 = AtomicU64::new(0);
    CHECKERS.fetch_add(1, Ordering::Relaxed)
}

/// Several static bodies may share a group: names the bodies that are nearest in the middle of the unresolved interval
/// instead of the first of their groups.
fn name_nearest(
    path: Waypoints<'_>,
    unresolved: &mut Unresolved,
    examiner: &mut Examiner<'_>,
) -> Result<(), CheckError> {
    let is_meant = |pair: &&super::groups::GroupPair| examiner.job.groups.bodies_of(pair, [0; 2]) == unresolved.bodies;
    let Some(pair) = examiner.job.groups.pairs.iter().find(is_meant) else { return Ok(()) };
    if matches!(pair.b, Opposite::HalfSpace(_)) {
        return Ok(());
    }
    let (model, segment) = (examiner.job.scene.model(), unresolved.segment);
    let mut motion = SegmentMotion::still(model);
    path.piece(segment).set(&mut motion, model).map_err(|problem| CheckError::Motion { segment, problem })?;
    let mut kinematics = Kinematics::new(model);
    kinematics.set_time(&motion, 0.5 * (unresolved.interval[0] + unresolved.interval[1]));
    let at = PairAt::new(examiner.job.groups, pair, 0.0, model, &mut kinematics);
    let measured = at.measure(&mut examiner.work.query, &mut Statistics::default());
    unresolved.bodies = examiner.job.groups.bodies_of(pair, measured.primitives);
    Ok(())
}
