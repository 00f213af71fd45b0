//! The exact checker of "Exact Collision Checking of Robot Paths" (Schwarzer, Saha, Latombe; docs/references.md) as
//! published: for each pair of bodies it bisects a segment until, on each part, the distances at the ends exceed the
//! lengths of the curves that the bodies trace (§2–§3.4). Distances come from GREEDY-DIST on trees of rectangle swept
//! spheres, one tree per body.
//!
//! It shares the kinematics, the motion bound λ and the shapes with the checker, but neither its search nor its cell
//! decisions: it is the reference for comparing the checker. Straight segments, clearances of at least 0, no planes.

mod query;
mod stretch;

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use pathproof::check::{Finding, Free, Limit, Statistics, Unresolved, Verdict};
use pathproof::distance::{Containment, Indexed, Query, Scratch};
use pathproof::internals::extent;
use pathproof::numeric::{DVec3, Pose, add_up, least, most};
use pathproof::path::Version;
use pathproof::robot::bounds::lambda;
use pathproof::robot::{Extent, MotionError, PoseCache, SegmentMotion};
use pathproof::scene::{BodyShape, PerKind, Scene};
use pathproof::trees::RssTree;
use thiserror::Error;

use self::query::{Bounds, Question, bounds};
use self::stretch::{Next, Stretch, WHOLE, dyadic, t_of};

/// Next probe of a stretch that is not covered (Fig. 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Refinement {
    /// In the middle (a): all pairs share configurations.
    #[default]
    Midpoint,
    /// At both ends of the uncovered part (b): one stretch is left instead of two. Bisects if that gains little.
    CoveredEnds,
    /// In the middle of the uncovered part (c).
    UncoveredMiddle,
}

impl Refinement {
    /// All of them, in the order of the figure.
    pub const ALL: [Self; 3] = [Self::Midpoint, Self::CoveredEnds, Self::UncoveredMiddle];
}

/// Settings of a bisection.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct BisectionSettings {
    /// Choice of the next probe. Default: the midpoint.
    pub refinement: Refinement,
    /// Distances are refined until they are this fraction of the true ones, or enough: 0 is GREEDY-DIST, 1 is exact
    /// distance. Affects time only. Default 0.
    pub kappa: f64,
    /// Most distance queries; `None` is no limit. Default: none.
    pub max_queries: Option<u64>,
}

/// A scene that the published method does not cover.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Unsupported {
    /// A plane has no tree.
    #[error("{0:?} is a plane; the published method has trees of bodies alone")]
    Plane(String),
    /// The method does not cover penetration.
    #[error("a pair has the clearance {0} m; the published method has none below 0")]
    NegativeClearance(f64),
}

/// Result of a bisection. A `TooClose` is the first one met; a collision may follow it.
#[derive(Clone, Debug, PartialEq)]
pub struct Bisected {
    /// The verdict.
    pub verdict: Verdict,
    /// The work done.
    pub statistics: Statistics,
}

/// A scene with a tree of rectangle swept spheres per body.
///
/// ```
/// use pathproof::check::Verdict;
/// use pathproof::numeric::{DVec3, Pose};
/// use pathproof::robot::{JointKind, JointSpec, Model};
/// use pathproof::scene::{BodyShape, Role, Scene, SceneBody, SceneParts};
/// use pathproof::shapes::{Body, Convex};
/// use pathproof_papers::bisection::{BisectionScratch, BisectionSettings, Bisector};
/// let slide = JointSpec::new("slide", JointKind::Prismatic { axis: DVec3::X }, "world", "ball", Pose::IDENTITY);
/// let mut parts = SceneParts::new(Model::new("world", vec!["world".into(), "ball".into()], vec![slide])?);
/// for (name, role, link, x) in [("ball", Role::Link, 1, 0.0), ("post", Role::Obstacle, 0, 1.0)] {
///     let shape = BodyShape::Parts(Body::from_convex(Convex::sphere(0.1)?));
///     let link_from_body = Pose::from_translation(DVec3::X * x);
///     parts.bodies.push(SceneBody { name: name.into(), role, link, link_from_body, shape });
/// }
/// let scene = Scene::new(parts)?;
/// let bisector = Bisector::new(&scene)?;
/// let mut scratch = BisectionScratch::new(&bisector);
/// let answer = bisector.path(&[[0.0], [0.7]], &BisectionSettings::default(), &mut scratch)?;
/// assert!(matches!(answer.verdict, Verdict::Free(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Bisector<'s> {
    scene: &'s Scene,
    bodies: Vec<Member>,
}

/// A body with its tree.
#[derive(Debug)]
struct Member {
    tree: Indexed<RssTree>,
    /// Tests whether it holds another body, or is held.
    solid: Indexed,
    extent: Extent,
}

/// A part of a segment for one of the scene's pairs; the least covered comes first (§3.4).
#[derive(Debug)]
struct Cell {
    pair: usize,
    uncovered: f64,
    stretch: Stretch,
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cell {}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cell {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_size = self.uncovered.total_cmp(&other.uncovered);
        by_size.then(other.pair.cmp(&self.pair)).then(other.stretch.from.cmp(&self.stretch.from))
    }
}

/// Number of positions of a segment with cached poses.
const CACHED_POSITIONS: usize = 64;

impl<'s> Bisector<'s> {
    /// Builds the trees.
    pub fn new(scene: &'s Scene) -> Result<Self, Unsupported> {
        if let Some(pair) = scene.pairs().iter().find(|pair| pair.clearance < 0.0) {
            return Err(Unsupported::NegativeClearance(pair.clearance));
        }
        let member = |number: usize| {
            let body = &scene.bodies()[number];
            let BodyShape::Parts(parts) = &body.shape else { return Err(Unsupported::Plane(body.name.clone())) };
            let frame_from_body = scene.model().links()[body.link].frame_from_link * body.link_from_body;
            let extent = extent(scene, body.link, &frame_from_body, parts);
            Ok(Member { tree: Indexed::new(parts.clone()), solid: Indexed::new(parts.clone()), extent })
        };
        Ok(Self { scene, bodies: (0..scene.bodies().len()).map(member).collect::<Result<_, _>>()? })
    }

    /// Decides the straight segments between waypoints, one after the other.
    pub fn path<Q: AsRef<[f64]>>(
        &self,
        waypoints: &[Q],
        settings: &BisectionSettings,
        scratch: &mut BisectionScratch,
    ) -> Result<Bisected, MotionError> {
        let mut run = Run {
            bisector: self,
            settings,
            number: 0,
            memory: scratch,
            statistics: Statistics::default(),
            lower: PerKind::splat(f64::INFINITY),
            unresolved: None,
        };
        let goals = if waypoints.len() > 1 { &waypoints[1..] } else { waypoints };
        for (number, (start, goal)) in waypoints.iter().zip(goals).enumerate() {
            if let Some(verdict) = run.segment(number, [start.as_ref(), goal.as_ref()])? {
                return Ok(Bisected { verdict, statistics: run.statistics });
            }
        }
        let Run { lower, unresolved, statistics, .. } = run;
        let verdict = unresolved.map_or(Verdict::Free(Free { lower }), Verdict::Undecided);
        Ok(Bisected { verdict, statistics })
    }
}

/// Reused memory of bisections; one per thread.
#[derive(Debug)]
pub struct BisectionScratch {
    motion: SegmentMotion,
    pairs: Vec<PairFacts>,
    cells: BinaryHeap<Cell>,
    cache: PoseCache,
    query: Scratch,
}

impl BisectionScratch {
    /// Scratch for a bisector.
    pub fn new(bisector: &Bisector<'_>) -> Self {
        let model = bisector.scene.model();
        Self {
            motion: SegmentMotion::still(model),
            pairs: Vec::new(),
            cells: BinaryHeap::new(),
            cache: PoseCache::new(model, CACHED_POSITIONS),
            query: Scratch::default(),
        }
    }
}

/// Bounds for a pair over a segment.
#[derive(Clone, Copy, Debug)]
struct PairFacts {
    upper_arc: f64,
    /// Upper bound on the rounding of both poses, in metres.
    margin: f64,
    tolerance: f64,
}

/// A bisection under way.
struct Run<'b> {
    bisector: &'b Bisector<'b>,
    settings: &'b BisectionSettings,
    number: usize,
    memory: &'b mut BisectionScratch,
    statistics: Statistics,
    lower: PerKind<f64>,
    unresolved: Option<Unresolved>,
}

/// A tolerance below this many times the rounding of poses would leave cells that are neither covered nor too close.
const MARGINS_IN_TOLERANCE: f64 = 64.0;
/// The same for the gap between the convex engine's bounds, relative to the bodies' sizes.
const SIZES_IN_TOLERANCE: f64 = 1e-10;
/// Cells are cut until the motion is this many times the rounding of the poses.
const MARGINS_IN_FLOOR: f64 = 16.0;
/// Motion below this is not cut further, in metres: λ shrinks no faster than the stretch, so a graze would be cut into
/// millions of stretches on the way to rounding.
const NANOMETRE: f64 = 1e-9;
/// A cell below this length is not cut further if rounding cannot tell it from contact.
const FINEST_UNCLEAR: u64 = (WHOLE >> 13) + 1;
/// A shorter cell is not cut: the middle of its halves would not be exact.
const SHORTEST: u64 = 8;

impl<'b> Run<'b> {
    /// Decides a segment; a verdict ends the path.
    fn segment(&mut self, number: usize, [start, goal]: [&[f64]; 2]) -> Result<Option<Verdict>, MotionError> {
        self.memory.motion.set(self.bisector.scene.model(), start, goal)?;
        self.number = number;
        self.memory.cache.clear();
        self.memory.cells.clear();
        let scene = self.bisector.scene;
        let mut pairs = std::mem::take(&mut self.memory.pairs);
        pairs.clear();
        pairs.extend((0..scene.pairs().len()).map(|pair| self.facts(pair)));
        self.memory.pairs = pairs;
        if number == 0
            && let Some(verdict) = self.contained_at_start()
        {
            return Ok(Some(verdict));
        }
        for (pair, checked) in scene.pairs().iter().enumerate() {
            let (upper_arc, clearance) = (self.memory.pairs[pair].upper_arc, checked.clearance);
            let stretch = Stretch { from: 0, to: WHOLE, lower_at_ends: [None; 2], upper_arc, clearance };
            self.memory.cells.push(Cell { pair, uncovered: stretch.uncovered(), stretch });
        }
        while let Some(cell) = self.memory.cells.pop() {
            if self.settings.max_queries.is_some_and(|most| self.statistics.distance_queries >= most) {
                let interval = [cell.stretch.from, cell.stretch.to].map(t_of);
                return Ok(Some(Verdict::Undecided(self.left_open(cell.pair, Limit::Queries, interval))));
            }
            if let Some(verdict) = self.probe(&cell) {
                return Ok(Some(verdict));
            }
        }
        Ok(None)
    }

    fn facts(&self, pair: usize) -> PairFacts {
        let Bisector { scene, bodies } = self.bisector;
        let model = scene.model();
        let pair = &scene.pairs()[pair];
        let [a, b] = [pair.a, pair.b].map(|body| &bodies[body]);
        let ancestor = model.common_ancestor(a.extent.frame, b.extent.frame);
        let arc = |member: &Member| match member.extent.frame == ancestor {
            true => 0.0,
            false => lambda(model, &self.memory.motion, &member.extent, ancestor),
        };
        let margin =
            |member: &Member| self.memory.motion.position_error(member.extent.frame, member.extent.origin_radius);
        let (upper_arc, margin) = (add_up(arc(a), arc(b)), add_up(margin(a), margin(b)));
        let size = a.tree.body().radius() + b.tree.body().radius();
        let wanted = scene.tolerance();
        let possible = MARGINS_IN_TOLERANCE * margin + SIZES_IN_TOLERANCE * size;
        PairFacts { upper_arc, margin, tolerance: if wanted == 0.0 { 0.0 } else { most(wanted, possible) } }
    }

    /// Poses of the two bodies of a pair at a position.
    fn poses(&mut self, pair: usize, position: u64) -> [Pose; 2] {
        let scene = self.bisector.scene;
        let model = scene.model();
        let before = self.memory.cache.misses();
        let kinematics = self.memory.cache.at(&self.memory.motion, dyadic(position));
        let mut pose = |body: usize| -> Pose {
            let body = &scene.bodies()[body];
            kinematics.world_from_link(model, body.link) * body.link_from_body
        };
        let checked = &scene.pairs()[pair];
        let poses = [pose(checked.a), pose(checked.b)];
        self.statistics.configurations += self.memory.cache.misses() - before;
        poses
    }

    /// The pair at a position: a query of its trees.
    fn query(&mut self, pair: usize, position: u64) -> Query<'b, RssTree> {
        let [world_from_a, world_from_b] = self.poses(pair, position);
        let [a, b] = self.members(pair);
        Query::within(&a.tree, &b.tree, &world_from_a, &world_from_b, self.memory.pairs[pair].margin)
    }

    /// Tests whether a part of one body of a pair lies in a solid of the other at a position.
    fn containment(&mut self, pair: usize, position: u64) -> Containment {
        let [world_from_a, world_from_b] = self.poses(pair, position);
        let [a, b] = self.members(pair);
        Query::within(&a.solid, &b.solid, &world_from_a, &world_from_b, self.memory.pairs[pair].margin).containment_of()
    }

    fn members(&self, pair: usize) -> [&'b Member; 2] {
        let checked = &self.bisector.scene.pairs()[pair];
        [checked.a, checked.b].map(|body| &self.bisector.bodies[body])
    }

    /// Measures a cell at the refinement's probe, and queues what is left of it; a verdict ends the path.
    fn probe(&mut self, cell: &Cell) -> Option<Verdict> {
        let (facts, mut stretch) = (self.memory.pairs[cell.pair], cell.stretch);
        let tolerance = self.bisector.scene.tolerance();
        let wanted = if tolerance > 0.0 { least(NANOMETRE, tolerance) } else { NANOMETRE };
        let floor = most(wanted, MARGINS_IN_FLOOR * facts.margin);
        if stretch.is_measured() {
            match stretch.next(self.settings.refinement, floor) {
                Next::At(position) => {
                    self.statistics.bisections += 1;
                    let seen = self.bounds(cell.pair, &stretch, position);
                    let [a, b] = stretch.lower_at_ends;
                    let earlier = Stretch { to: position, lower_at_ends: [a, Some(seen.lower)], ..stretch };
                    let later = Stretch { from: position, lower_at_ends: [Some(seen.lower), b], ..stretch };
                    return self.keep(cell.pair, position, seen, &[earlier, later], floor);
                }
                Next::Within([from, to]) => {
                    // The motion from an end to here stays below its room, so the clearance is what is left.
                    self.prove(cell.pair, stretch.clearance);
                    stretch = Stretch { from, to, lower_at_ends: [None; 2], ..stretch };
                }
            }
        }
        let end = usize::from(stretch.lower_at_ends[0].is_some());
        let position = [stretch.from, stretch.to][end];
        let seen = self.bounds(cell.pair, &stretch, position);
        stretch.lower_at_ends[end] = Some(seen.lower);
        self.keep(cell.pair, position, seen, &[stretch], floor)
    }

    fn bounds(&mut self, pair: usize, stretch: &Stretch, position: u64) -> Bounds {
        let query = self.query(pair, position);
        let close = stretch.clearance + self.memory.pairs[pair].tolerance;
        let question = Question { close, enough: stretch.arc() + stretch.clearance, kappa: self.settings.kappa };
        bounds(&query, &question, &mut self.memory.query, &mut self.statistics)
    }

    /// Keeps the uncovered part of stretches with one end just measured; a finding ends the path.
    fn keep(&mut self, pair: usize, position: u64, seen: Bounds, stretches: &[Stretch], floor: f64) -> Option<Verdict> {
        if seen.found {
            return Some(self.finding(pair, position).verdict());
        }
        let is_clear = |stretch: &Stretch, lower: Option<f64>| {
            lower.is_none_or(|lower| lower > stretch.clearance + self.memory.pairs[pair].margin)
        };
        let is_unclear =
            stretches.iter().any(|stretch| !stretch.lower_at_ends.into_iter().any(|lower| is_clear(stretch, lower)));
        for stretch in stretches {
            let between = stretch.lower_between();
            if between > stretch.clearance {
                self.prove(pair, between);
                continue;
            }
            let length = stretch.to - stretch.from;
            let is_fine = length < SHORTEST || !(stretch.arc() > floor) || is_unclear && length < FINEST_UNCLEAR;
            if is_fine && stretch.is_measured() {
                let left = self.left_open(pair, Limit::Resolution, [stretch.from, stretch.to].map(t_of));
                self.unresolved.get_or_insert(left);
            } else {
                self.memory.cells.push(Cell { pair, uncovered: stretch.uncovered(), stretch: *stretch });
            }
        }
        None
    }

    fn prove(&mut self, pair: usize, lower: f64) {
        let kind = self.bisector.scene.pairs()[pair].kind;
        self.lower[kind] = least(self.lower[kind], lower);
    }

    fn left_open(&self, pair: usize, limit: Limit, interval: [f64; 2]) -> Unresolved {
        let checked = &self.bisector.scene.pairs()[pair];
        Unresolved { limit, segment: self.number, interval, bodies: [checked.a, checked.b] }
    }

    /// Finding at a position, measured exactly; a body inside a solid of the other is in contact.
    fn finding(&mut self, pair: usize, position: u64) -> Finding {
        let query = self.query(pair, position);
        self.statistics.distance_queries += 1;
        let found = query.exact(&mut self.memory.query);
        let points = found.witness.map_or([DVec3::NAN; 2], |witness| [witness.a_in_world, witness.b_in_world]);
        let (distance, points) = match self.containment(pair, position) {
            Containment::Inside { place, .. } => (0.0, [place; 2]),
            Containment::Outside | Containment::Unclear { .. } => (found.upper, points),
        };
        let checked = &self.bisector.scene.pairs()[pair];
        Finding {
            segment: self.number,
            t: t_of(position),
            configuration: self.memory.cache.at(&self.memory.motion, dyadic(position)).configuration().to_vec(),
            bodies: [checked.a, checked.b],
            distance,
            points,
            clearance: checked.clearance,
            version: Version::Newest,
        }
    }

    /// A body that starts the path inside a solid of another is in contact; one that starts outside cannot get in
    /// without crossing its surface.
    fn contained_at_start(&mut self) -> Option<Verdict> {
        for pair in 0..self.memory.pairs.len() {
            match self.containment(pair, 0) {
                Containment::Outside => {}
                Containment::Inside { .. } => return Some(self.finding(pair, 0).verdict()),
                Containment::Unclear { .. } => {
                    let left = self.left_open(pair, Limit::Resolution, [0.0; 2]);
                    self.unresolved.get_or_insert(left);
                }
            }
        }
        None
    }
}
