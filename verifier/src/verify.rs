//! [`Verifier`]: a scene made ready to have certificates verified against it.

use std::collections::HashMap;
use std::time::Instant;

use pathproof::certificate::{Certificate, CurveClaim, TiledCell};
use pathproof::numeric::DVec3;
use pathproof::scene::Scene;
use thiserror::Error;

use crate::chain::Chain;
use crate::curve;
use crate::inside::is_inside;
use crate::interval::{Placed, Vector};
use crate::motion::{Carried, Motion, Relative};
use crate::segment::{Moment, Segment};
use crate::separate::{Claim, Halves, Known, NodePair, Work};
use crate::solid::{Shape, Solid};

/// Values of joints must be smaller, so that nothing overflows.
const LARGEST_VALUE: f64 = 1e100;

/// Deepest level of a cell: its midpoint must be an exact number.
const DEEPEST: u32 = 50;

/// How often a cell that covers a half is cut where the verifier does not show that from its middle.
const MOST_CUTS: u32 = 8;

/// Of this many cells it is remembered where everything is: some 10 kB each.
const MOST_MIDDLES: usize = 1_000;

/// See [`Verifier::allowed_work`].
const WORK_ALLOWED: u64 = 8;
const WORK_PER_CELL: u64 = 256;
const WORK_IN_ANY_CASE: u64 = 100_000;

/// What was accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Accepted {
    /// Segments of the path.
    pub segments: usize,
    /// Pairs of bodies that were shown to stay apart on each.
    pub pairs: usize,
    /// Halves of cells that were shown.
    pub halves: usize,
}

/// What is wrong with a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It speaks of another scene.
    OtherScene,
    /// It speaks of another path, or the path is none.
    OtherPath,
    /// Cells do not tile a segment.
    NotTiled,
    /// A pair that must be checked is not in it.
    MissingPair,
    /// A pair has less clearance than is asked for.
    Clearance,
    /// A body starts inside another.
    Inside,
    /// A pair is not shown to stay apart.
    NotShown,
    /// It takes more work than the certificate of any path of its size, or more time than is allowed.
    TooMuchWork,
}

/// Why a certificate is refused: the first place that fails.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{message}")]
pub struct Refusal {
    /// What is wrong.
    pub fault: Fault,
    /// The segment, from 0, where it is about one.
    pub segment: Option<usize>,
    /// The part of the segment.
    pub interval: Option<[f64; 2]>,
    /// Names of the bodies, where it is about two.
    pub bodies: Option<[String; 2]>,
    /// All of that in words.
    pub message: String,
}

impl Refusal {
    fn new(fault: Fault, message: impl Into<String>) -> Self {
        Self { fault, segment: None, interval: None, bodies: None, message: message.into() }
    }

    fn on(self, segment: usize) -> Self {
        Self { segment: Some(segment), message: format!("segment {segment}: {}", self.message), ..self }
    }

    fn about(self, bodies: [String; 2]) -> Self {
        let message = format!("{} and {}: {}", bodies[0], bodies[1], self.message);
        Self { bodies: Some(bodies), message, ..self }
    }
}

/// A scene with the verifier's own trees: made once, then shared.
///
/// ```
/// use pathproof::check::{CheckScratch, Checker, Settings};
/// use pathproof::numeric::{DVec3, Pose};
/// use pathproof::robot::{JointKind, JointSpec, Model};
/// use pathproof::scene::{BodyShape, Role, Scene, SceneBody, SceneParts};
/// use pathproof::shapes::{Body, Convex};
/// use pathproof_verifier::Verifier;
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
/// let checker = Checker::new(Scene::new(parts)?);
/// let path = [vec![0.0], vec![0.8]];
/// let (_, certificate) = checker.certify(&path, &Settings::default(), &mut CheckScratch::new(&checker))?;
/// let certificate = certificate.expect("the path is free");
/// let verifier = Verifier::new(checker.scene())?;
/// assert!(verifier.verify(&path, &certificate).is_ok());
/// assert!(verifier.verify(&[vec![0.0], vec![2.0]], &certificate).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Verifier<'a> {
    scene: &'a Scene,
    hashes: [[u8; 32]; 3],
    chain: Chain,
    solids: Vec<Solid<'a>>,
}

/// Two bodies that must be shown apart.
struct Task {
    bodies: [usize; 2],
    ancestor: usize,
    clearance: f64,
}

/// What of a task is still to be shown on a cell: pairs of nodes.
struct Unshown {
    task: usize,
    nodes: Vec<NodePair>,
}

/// Where everything is at the midpoint of a cell, and how bodies are carried there, as far as was asked.
struct Middle {
    moment: Moment,
    carried: Vec<Option<Carried>>,
}

/// Of the cells of a segment: their level and place.
type Middles = HashMap<(u32, u64), Middle>;

/// A cell, and what the certificate says of it.
#[derive(Clone, Copy)]
struct Place {
    level: u32,
    place: u64,
    covered: [bool; 2],
    direction_in_world: DVec3,
}

impl<'a> Verifier<'a> {
    /// Builds trees and checks them; takes about as long as building a checker.
    pub fn new(scene: &'a Scene) -> Result<Self, &'static str> {
        let chain = Chain::new(scene.model());
        let solids = scene.bodies().iter().map(|body| Solid::new(scene.model(), &chain, body));
        let solids = solids.collect::<Result<_, _>>()?;
        let fingerprint = scene.fingerprint();
        let hashes = [fingerprint.kinematics, fingerprint.geometry, fingerprint.pairs];
        Ok(Self { scene, hashes, chain, solids })
    }

    /// Whether the certificate proves that every checked pair of the scene is farther apart than its clearance at every
    /// configuration of the path.
    pub fn verify(&self, path: &[Vec<f64>], certificate: &Certificate) -> Result<Accepted, Refusal> {
        self.verify_until(path, certificate, None)
    }

    /// The same, but what is not shown by the deadline is refused.
    pub fn verify_until(
        &self,
        path: &[Vec<f64>],
        certificate: &Certificate,
        deadline: Option<Instant>,
    ) -> Result<Accepted, Refusal> {
        self.verify_along(path, None, certificate, deadline)
    }

    /// The same for what a trajectory controller runs between the waypoints: the certificate must state the times,
    /// velocities and accelerations given. Without a curve it must be one for straight lines.
    pub fn verify_along(
        &self,
        path: &[Vec<f64>],
        curve: Option<&CurveClaim>,
        certificate: &Certificate,
        deadline: Option<Instant>,
    ) -> Result<Accepted, Refusal> {
        self.is_same_scene(certificate)?;
        self.is_same_path(path, certificate)?;
        is_same_curve(curve, certificate)?;
        let tasks = self.tasks(certificate)?;
        let work = Work::new(self.allowed_work(&tasks, certificate), deadline);
        let mut accepted = Accepted { segments: certificate.segments(), pairs: self.scene.pairs().len(), halves: 0 };
        let mut known: Vec<Vec<Known>> = tasks.iter().map(|tasks| vec![Known::default(); tasks.len()]).collect();
        let mut tilings = certificate.tilings.iter();
        for index in 0..certificate.segments() {
            let (start, goal) = (&path[index], &path[(index + 1).min(path.len() - 1)]);
            let variables = self.scene.model().variables();
            let curves = match curve {
                Some(claim) if path.len() > 1 => curve::curves(variables, [start, goal], claim, index),
                _ => Ok(Vec::new()),
            };
            let segment = curves
                .and_then(|curves| Segment::new(&self.chain, start, goal, curves))
                .map_err(|reason| Refusal::new(Fault::OtherPath, reason).on(index))?;
            let mut middles = Middles::new();
            let first = (index == 0)
                .then(|| segment.at(0.0, 0.0))
                .map(|first| self.solids.iter().map(|solid| Motion::still(&first, solid)).collect::<Vec<_>>());
            for (tasks, known) in tasks.iter().zip(&mut known) {
                let cells = tilings.next().map_or(&[][..], |tiling| &tiling[..]);
                let (middles, work) = (&mut middles, &work);
                let mut walk = Walk { verifier: self, segment: &segment, index, middles, shown: 0, work };
                let room = first.as_ref().map_or(Ok(0.0), |first| walk.starts_outside(tasks, first))?;
                let is_accepted = walk.tiling(tasks, cells, room, known);
                is_accepted.map_err(|refusal| if work.is_used_up() { too_much_work().on(index) } else { refusal })?;
                accepted.halves += walk.shown;
            }
        }
        Ok(accepted)
    }

    fn is_same_scene(&self, certificate: &Certificate) -> Result<(), Refusal> {
        let parts = ["joints", "bodies", "checked pairs"];
        let is_other = |i: &usize| certificate.scene.hashes[*i] != self.hashes[*i];
        let counts = (certificate.scene.bodies.len() != self.solids.len()).then_some(1);
        (0..3).find(is_other).or(counts).map_or(Ok(()), |i| {
            let message = format!("it is for another scene: the {} are not the same", parts[i]);
            Err(Refusal::new(Fault::OtherScene, message))
        })
    }

    fn is_same_path(&self, path: &[Vec<f64>], certificate: &Certificate) -> Result<(), Refusal> {
        let other = |what: String| Err(Refusal::new(Fault::OtherPath, format!("it is for another path: {what}")));
        let variables = self.scene.model().variables().len();
        if path.is_empty() || path.len() != certificate.waypoints.len() {
            return other(format!("it has {} waypoints, and the path {}", certificate.waypoints.len(), path.len()));
        }
        for (i, (given, stated)) in path.iter().zip(&certificate.waypoints).enumerate() {
            if given.len() != variables || !given.iter().all(|value| value.abs() < LARGEST_VALUE) {
                return other(format!("waypoint {i} has values that cannot be"));
            }
            let is_same =
                given.len() == stated.len() && given.iter().zip(stated).all(|(x, y)| x.to_bits() == y.to_bits());
            if !is_same {
                return other(format!("waypoint {i} is another"));
            }
        }
        Ok(())
    }

    /// What must be shown with each of the certificate's pairs of groups: together every pair that the scene checks.
    fn tasks(&self, certificate: &Certificate) -> Result<Vec<Vec<Task>>, Refusal> {
        let mut group_of = vec![usize::MAX; self.solids.len()];
        for (number, group) in certificate.scene.groups.iter().enumerate() {
            for &body in group {
                match group_of.get_mut(body) {
                    Some(group) if *group == usize::MAX => *group = number,
                    _ => return Err(Refusal::new(Fault::MissingPair, "its groups of bodies cannot be")),
                }
            }
        }
        let pairs: HashMap<(usize, usize), usize> =
            certificate.scene.pairs.iter().enumerate().map(|(i, &(a, b, _))| ((a.min(b), a.max(b)), i)).collect();
        let mut tasks: Vec<Vec<Task>> = certificate.scene.pairs.iter().map(|_| Vec::new()).collect();
        for pair in self.scene.pairs() {
            let (a, b) = (group_of[pair.a], group_of[pair.b]);
            let Some(&number) = pairs.get(&(a.min(b), a.max(b))) else {
                let missing = Refusal::new(Fault::MissingPair, "they must be checked and are not in it");
                return Err(missing.about(self.names([pair.a, pair.b])));
            };
            let stated = certificate.scene.pairs[number].2;
            if !(stated >= pair.clearance) {
                let message =
                    format!("the scene requires {:?} m clearance; the certificate proves {stated:?} m", pair.clearance);
                return Err(Refusal::new(Fault::Clearance, message).about(self.names([pair.a, pair.b])));
            }
            // A direction is from the first group to the second. A plane must come first.
            let mut bodies = if certificate.scene.pairs[number].0 == a { [pair.a, pair.b] } else { [pair.b, pair.a] };
            if self.is_plane(bodies[1]) {
                bodies.swap(0, 1);
            }
            let ancestor = self.chain.common_ancestor(self.solids[pair.a].frame, self.solids[pair.b].frame);
            tasks[number].push(Task { bodies, ancestor, clearance: stated });
        }
        Ok(tasks)
    }

    /// Work that is allowed before a certificate is refused, in pairs of nodes. Those that the checker writes take at most
    /// 1.3 times their primitives and 256 times their cells, and mostly a hundredth of that.
    fn allowed_work(&self, tasks: &[Vec<Task>], certificate: &Certificate) -> u64 {
        let of_body = |body: &usize| match &self.solids[*body].shape {
            Shape::Parts { body, .. } => body.primitives(),
            Shape::HalfSpace { .. } => 1,
        };
        let primitives: usize = tasks.iter().flatten().flat_map(|task| &task.bodies).map(of_body).sum();
        let cells: usize = certificate.tilings.iter().map(Vec::len).sum();
        let honest = primitives as u64 * certificate.segments() as u64 + WORK_PER_CELL * cells as u64;
        WORK_ALLOWED * honest + WORK_IN_ANY_CASE
    }

    fn is_plane(&self, body: usize) -> bool {
        matches!(self.solids[body].shape, Shape::HalfSpace { .. })
    }

    fn names(&self, bodies: [usize; 2]) -> [String; 2] {
        bodies.map(|body| self.scene.bodies()[body].name.clone())
    }
}

/// Whether a certificate states the curve given, bit for bit.
fn is_same_curve(given: Option<&CurveClaim>, certificate: &Certificate) -> Result<(), Refusal> {
    let problem = match (given, &certificate.curve) {
        (None, None) => return Ok(()),
        (None, Some(_)) => "it proves what a controller runs, not straight lines",
        (Some(_), None) => "it proves straight lines, not what a controller runs",
        (Some(given), Some(stated)) if given.bits() == stated.bits() => return Ok(()),
        _ => "times, velocities or accelerations are others",
    };
    Err(Refusal::new(Fault::OtherPath, format!("it is for another path: {problem}")))
}

/// A walk over the cells of one pair of groups on one segment.
struct Walk<'w, 'a> {
    verifier: &'w Verifier<'a>,
    segment: &'w Segment<'w>,
    index: usize,
    middles: &'w mut Middles,
    shown: usize,
    work: &'w Work,
}

impl Walk<'_, '_> {
    /// Shows everything that cells tile a segment for: bodies that a plane separates on every cell first, then the others
    /// by their parts.
    fn tiling(&mut self, tasks: &[Task], cells: &[TiledCell], room: f64, known: &mut [Known]) -> Result<(), Refusal> {
        let mut is_whole = vec![true; tasks.len()];
        let mut left = cells.iter();
        self.whole(tasks, &mut left, room, (0, 0), known, &mut is_whole)?;
        if left.next().is_some() {
            return Err(not_tiled().on(self.index));
        }
        let unshown = |task: usize| Unshown { task, nodes: vec![[0, 0]] };
        let all: Vec<Unshown> = (0..tasks.len()).filter(|task| !is_whole[*task]).map(unshown).collect();
        if all.is_empty() {
            return Ok(());
        }
        self.cell(tasks, &mut cells.iter(), room, (0, 0), &all)
    }

    /// Shows on a cell and those that follow it what a plane between whole bodies shows; notes where that is not all.
    fn whole(
        &mut self,
        tasks: &[Task],
        cells: &mut std::slice::Iter<'_, TiledCell>,
        room: f64,
        (level, place): (u32, u64),
        known: &mut [Known],
        is_whole: &mut [bool],
    ) -> Result<(), Refusal> {
        let cell = self.next(cells, level, place)?;
        self.shown += cell.covered.iter().filter(|covered| **covered).count();
        if cell.covered != [false; 2] {
            let (verifier, work) = (self.verifier, self.work);
            let middle = self.middle(&cell);
            for (number, task) in tasks.iter().enumerate() {
                if !is_whole[number] {
                    continue;
                }
                let Some((relative, hint)) = middle.look(verifier, task, &cell, room) else { continue };
                let claim = Claim::new(&relative, task.clearance + room, work);
                let solids = task.bodies.map(|body| &verifier.solids[body]);
                is_whole[number] = claim.shows_whole(solids, hint, &mut known[number], halves(cell.covered));
            }
        }
        for half in 0..2 {
            if !cell.covered[half as usize] {
                self.whole(tasks, cells, room, (level + 1, 2 * place + half), known, is_whole)?;
            }
        }
        Ok(())
    }

    /// The next cell, which is this one.
    fn next(&self, cells: &mut std::slice::Iter<'_, TiledCell>, level: u32, place: u64) -> Result<Place, Refusal> {
        let Some(cell) = cells.next().filter(|_| level <= DEEPEST) else {
            return Err(not_tiled().on(self.index));
        };
        let direction_in_world = cell.direction_in_world.unwrap_or(DVec3::ZERO);
        Ok(Place { level, place, covered: cell.covered, direction_in_world })
    }

    /// Where everything is in the middle of a cell.
    fn middle(&mut self, cell: &Place) -> &mut Middle {
        if self.middles.len() > MOST_MIDDLES {
            self.middles.clear();
        }
        self.middles.entry((cell.level, cell.place)).or_insert_with(|| {
            let [middle, half] = cell.times();
            Middle { moment: self.segment.at(middle, half), carried: vec![None; self.verifier.solids.len()] }
        })
    }

    /// Refuses bodies that start inside each other. A point that decides this is known up to some error only: with that
    /// much room beyond 0, no surface can be between where it is and where it was taken to be. Returns the room, which
    /// must be left at the first configuration.
    fn starts_outside(&self, tasks: &[Task], first: &[Motion]) -> Result<f64, Refusal> {
        let mut room = 0.0;
        for task in tasks {
            let [a, b] = task.bodies.map(|body| &self.verifier.solids[body]);
            let (Shape::Parts { body: body_a, tree: tree_a }, Shape::Parts { body: body_b, tree: tree_b }) =
                (&a.shape, &b.shape)
            else {
                continue;
            };
            let is_solid = body_a.has_closed_mesh() || body_b.has_closed_mesh();
            let [of_a, of_b] = task.bodies.map(|body| &first[body]);
            if !is_solid || is_far([a, b], [&of_a.world_from_centre, &of_b.world_from_centre], 0.0, 0.0) {
                continue;
            }
            let [in_a, in_b] = [Relative::new(a, b, of_a, of_b, 0.0), Relative::new(b, a, of_b, of_a, 0.0)];
            if is_inside(body_b, body_a, tree_a, &in_a.a_from_b) || is_inside(body_a, body_b, tree_b, &in_b.a_from_b) {
                let inside = Refusal::new(Fault::Inside, "one is inside the other at the first configuration");
                return Err(inside.about(self.verifier.names(task.bodies)));
            }
            let wanted = 2.0 * (in_a.margin + in_b.margin);
            // Written so that NaN stays.
            room = if room > wanted { room } else { wanted };
        }
        Ok(room)
    }

    /// Shows what is to be shown on one cell: the halves that it covers from its middle, what is left of the others from the
    /// cells that follow.
    fn cell(
        &mut self,
        tasks: &[Task],
        cells: &mut std::slice::Iter<'_, TiledCell>,
        room: f64,
        (level, place): (u32, u64),
        unshown: &[Unshown],
    ) -> Result<(), Refusal> {
        let cell = self.next(cells, level, place)?;
        let left = self.halves(tasks, &cell, room, unshown);
        for half in 0..2 {
            let below = (level + 1, 2 * place + half);
            let left = &left[half as usize];
            if !cell.covered[half as usize] {
                self.cell(tasks, cells, room, below, left)?;
            } else if let Err(task) = self.cut(tasks, room, below, level + MOST_CUTS, left) {
                return Err(self.not_shown(&tasks[task], &cell));
            }
        }
        Ok(())
    }

    /// Shows what a cell covers and does not show from its middle, from those of the pieces that it is cut into. Returns what
    /// could not be shown.
    fn cut(
        &mut self,
        tasks: &[Task],
        room: f64,
        (level, place): (u32, u64),
        deepest: u32,
        unshown: &[Unshown],
    ) -> Result<(), usize> {
        let Some(first) = unshown.first() else { return Ok(()) };
        if level > deepest.min(DEEPEST) || self.work.is_used_up() {
            return Err(first.task);
        }
        let cell = Place { level, place, covered: [true; 2], direction_in_world: DVec3::ZERO };
        let left = self.halves(tasks, &cell, room, unshown);
        (0..2).try_for_each(|half| self.cut(tasks, room, (level + 1, 2 * place + half), deepest, &left[half as usize]))
    }

    fn not_shown(&self, task: &Task, cell: &Place) -> Refusal {
        let [middle, half] = cell.times();
        let from = middle - if cell.covered[0] { half } else { 0.0 };
        let to = middle + if cell.covered[1] { half } else { 0.0 };
        let message = format!("not shown to be {:?} m apart for t from {from:?} to {to:?}", task.clearance);
        let refusal = Refusal::new(Fault::NotShown, message).about(self.verifier.names(task.bodies)).on(self.index);
        Refusal { interval: Some([from, to]), ..refusal }
    }

    /// What a cell leaves to be shown of each half.
    fn halves(&mut self, tasks: &[Task], cell: &Place, room: f64, unshown: &[Unshown]) -> [Vec<Unshown>; 2] {
        let mut left = [Vec::new(), Vec::new()];
        let (verifier, work) = (self.verifier, self.work);
        let middle = self.middle(cell);
        for Unshown { task: number, nodes } in unshown {
            let task = &tasks[*number];
            let Some((relative, hint)) = middle.look(verifier, task, cell, room) else { continue };
            let solids = task.bodies.map(|body| &verifier.solids[body]);
            let claim = Claim::new(&relative, task.clearance + room, work);
            let mut of_task = [Vec::new(), Vec::new()];
            let covered = halves(cell.covered);
            let is_shown = claim.shows(solids, nodes, hint, covered, &mut |half, pair| of_task[half].push(pair));
            for (left, mut of_half) in left.iter_mut().zip(of_task) {
                // What was not shown was not gone through to its end.
                if !is_shown {
                    of_half.clone_from(nodes);
                }
                if !of_half.is_empty() {
                    left.push(Unshown { task: *number, nodes: of_half });
                }
            }
        }
        left
    }
}

impl Middle {
    /// Two bodies around the middle of a cell, and the certificate's direction in the first one's axes; `None` where they
    /// are far apart all over it.
    fn look(&mut self, verifier: &Verifier<'_>, task: &Task, cell: &Place, room: f64) -> Option<(Relative, DVec3)> {
        for body in task.bodies {
            let (moment, solid) = (&self.moment, &verifier.solids[body]);
            self.carried[body].get_or_insert_with(|| Carried::new(&verifier.chain, moment, solid));
        }
        let [a, b] = task.bodies.map(|body| &verifier.solids[body]);
        let [of_a, of_b] = task.bodies.map(|body| self.carried[body].as_ref().expect("filled above"));
        let [_, half] = cell.times();
        let travel = of_a.upper_travel(task.ancestor, half) + of_b.upper_travel(task.ancestor, half);
        if is_far([a, b], [&of_a.world_from_centre, &of_b.world_from_centre], travel, task.clearance + room) {
            return None;
        }
        let [of_a, of_b] = [of_a, of_b].map(|carried| Motion::new(carried, &self.moment, task.ancestor, half));
        let hint = of_a.world_from_centre.rotation.apply_inverse(Vector::point(cell.direction_in_world)).middle();
        Some((Relative::new(a, b, &of_a, &of_b, half), hint))
    }
}

impl Place {
    /// The middle of the cell and half its length; exact, as levels are below 51.
    fn times(&self) -> [f64; 2] {
        let half = 0.5 / (1u64 << self.level) as f64;
        [(2 * self.place + 1) as f64 * half, half]
    }
}

fn halves(covered: [bool; 2]) -> Halves {
    Halves::from(covered[0]) | Halves::from(covered[1]) << 1
}

/// Whether two bodies whose points travel by no more than `travel` together stay farther apart than `clearance`, by balls
/// around them, or a ball and a box.
fn is_far([a, b]: [&Solid<'_>; 2], [at_a, at_b]: [&Placed; 2], travel: f64, clearance: f64) -> bool {
    // NaN stays NaN and is never exceeded.
    let length = ((if clearance < 0.0 { 0.0 } else { clearance }) + travel.next_up()).next_up();
    match b.frame {
        0 => a.is_far_from(at_a.translation, b, at_b.translation, length),
        _ => b.is_far_from(at_b.translation, a, at_a.translation, length),
    }
}

fn too_much_work() -> Refusal {
    Refusal::new(
        Fault::TooMuchWork,
        "showing it takes more work than a certificate of its size needs, or than is allowed",
    )
}

fn not_tiled() -> Refusal {
    Refusal::new(Fault::NotTiled, "its cells do not tile the segment")
}
