//! The planning cycle: traffic is built once, asked many times, and rebuilt in the same memory.
//!
//! [`Traffic`] is shared and immutable between rebuilds; a [`TrafficScratch`] belongs to one thread, and queries allocate
//! nothing once it has grown. Answers depend on the question alone.

use std::ops::ControlFlow;

use thiserror::Error;

use super::agent::Agent;
use super::body::{Body, FrameCache, Frames, lie};
use super::boxes::knot_box;
use super::candidate::{Placement, TrajectoryTree, Tree};
use super::cell::Cell;
use super::compound::{Compound, Workspace};
use super::descent::{Descent, Isolated, Lie, Path, Windows};
use super::hulls::Hulls;
use super::narrow::Space;
use super::plane::Plane;
use super::query::{Answer, Exactness, Method, Query, QueryError, Report, Sampling, verdict_of_all};
use super::sampled::Sampled;
use super::slots::{SmallBox, rounded_down, rounded_up};
use super::track::Track;
use super::trajectory::{TIME_SLACK, Trajectory};
use super::verdict::{Finding, Verdict};
use super::volume::Volume;
use super::world::World;
use crate::numeric::simd::{Width, run_lanes};

/// Why agents make no traffic.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum TrafficError {
    /// Some agents are planar and some spatial.
    #[error("agent {0:?} is not of the same workspace as the others: some are planar, some spatial")]
    MixedWorkspaces(String),
}

/// Agents, ready to be asked about. See the module.
///
/// ```
/// use pathproof::spacetime::{Agent, Compound, Query, Traffic, TrafficScratch, Trajectory, Verdict};
/// let car = Compound::rectangle(4.5, 2.0)?;
/// // Two seconds between poses: a crossing car is sampled on either side of the road only.
/// let crossing = Trajectory::planar([[0.0, 0.0, -20.0, 1.57], [2.0, 0.0, 20.0, 1.57]])?;
/// let traffic = Traffic::new(vec![Agent::moving("crossing", car.clone(), crossing)?])?;
/// let ego = Trajectory::planar([[0.0, -20.0, 0.0, 0.0], [2.0, 20.0, 0.0, 0.0]])?;
/// let answer = traffic.check(&car, &ego, &Query::default(), &mut TrafficScratch::default())?;
/// let Verdict::Collision(finding) = answer.verdict else { panic!("they meet at t = 1 s") };
/// assert!((finding.time - 1.0).abs() < 0.2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Traffic {
    agents: Vec<Agent>,
    world: AnyWorld,
}

#[derive(Clone, Debug)]
enum AnyWorld {
    Plane(World<Plane>),
    Volume(World<Volume>),
}

/// What queries of one thread work in.
#[derive(Default)]
pub struct TrafficScratch {
    plane: SpaceScratch<Plane>,
    volume: SpaceScratch<Volume>,
    shared: SharedScratch,
}

#[derive(Default)]
struct SharedScratch {
    path: Path,
    windows: Windows,
    findings: Vec<Finding>,
}

struct SpaceScratch<S: Space> {
    cache: FrameCache<S::Frame>,
    tree: Tree<S>,
    cells: Vec<Cell<S::Vector>>,
}

impl<S: Space> Default for SpaceScratch<S> {
    fn default() -> Self {
        Self { cache: FrameCache::default(), tree: Tree::default(), cells: Vec::new() }
    }
}

impl TrafficScratch {
    /// What the last query with [`Report::All`] found, in the order of time and agents.
    pub fn findings(&self) -> &[Finding] {
        &self.shared.findings
    }
}

/// The body that is asked about.
struct Asked<'a, S: Space> {
    track: Track<'a, S>,
    tree: Option<&'a Tree<S>>,
    is_uncertain: bool,
}

impl Traffic {
    /// Builds what queries need.
    pub fn new(agents: Vec<Agent>) -> Result<Self, TrafficError> {
        let mut traffic = Self { agents, world: AnyWorld::Plane(World::default()) };
        traffic.build()?;
        Ok(traffic)
    }

    /// Changes the agents and builds anew, in the same memory: a new cycle.
    pub fn rebuild(&mut self, change: impl FnOnce(&mut Vec<Agent>)) -> Result<(), TrafficError> {
        change(&mut self.agents);
        self.build()
    }

    fn build(&mut self) -> Result<(), TrafficError> {
        let workspace = self.agents.first().map_or(Workspace::Plane, Agent::workspace);
        if let Some(odd) = self.agents.iter().find(|agent| agent.workspace() != workspace) {
            let error = TrafficError::MixedWorkspaces(odd.name().to_owned());
            // What was built does not fit the agents any more.
            self.agents.clear();
            self.world = AnyWorld::Plane(World::default());
            return Err(error);
        }
        match (&mut self.world, workspace) {
            (AnyWorld::Plane(world), Workspace::Plane) => world.rebuild(&self.agents),
            (AnyWorld::Volume(world), Workspace::Volume) => world.rebuild(&self.agents),
            (world, Workspace::Plane) => *world = AnyWorld::Plane(built(&self.agents)),
            (world, Workspace::Volume) => *world = AnyWorld::Volume(built(&self.agents)),
        }
        Ok(())
    }

    /// The agents, by number.
    pub fn agents(&self) -> &[Agent] {
        &self.agents
    }

    /// Asks about a body on a trajectory. Nothing is built for it but what the method needs: for `trees` its tree, for the
    /// other sampled methods its frames, for `hulls` boxes without any sine or cosine.
    pub fn check(
        &self,
        compound: &Compound,
        trajectory: &Trajectory,
        query: &Query,
        scratch: &mut TrafficScratch,
    ) -> Result<Answer, QueryError> {
        query.refuse_bad()?;
        if compound.workspace() != trajectory.workspace() || self.is_other(compound.workspace()) {
            return Err(QueryError::MixedWorkspaces);
        }
        let TrafficScratch { plane, volume, shared } = scratch;
        shared.path.want_all(self.agents.len());
        Ok(match &self.world {
            AnyWorld::Plane(world) => self.ask(world, asked(compound, trajectory), query, plane, shared),
            AnyWorld::Volume(world) => self.ask(world, asked(compound, trajectory), query, volume, shared),
        })
    }

    /// Asks about a body whose tree was made before.
    pub fn check_tree(
        &self,
        tree: &TrajectoryTree,
        placement: &Placement,
        query: &Query,
        scratch: &mut TrafficScratch,
    ) -> Result<Answer, QueryError> {
        query.refuse_bad()?;
        if self.is_other(tree.compound().workspace()) {
            return Err(QueryError::MixedWorkspaces);
        }
        let TrafficScratch { plane, volume, shared } = scratch;
        shared.path.want_all(self.agents.len());
        Ok(match &self.world {
            AnyWorld::Plane(world) => {
                let asked = Asked { track: tree.track(placement)?, tree: tree.plane(), is_uncertain: false };
                self.ask(world, asked, query, plane, shared)
            }
            AnyWorld::Volume(world) => {
                let asked = Asked { track: tree.track(placement)?, tree: tree.volume(), is_uncertain: false };
                self.ask(world, asked, query, volume, shared)
            }
        })
    }

    /// Asks about one of the agents: against those that are at rest and those that move and have a higher number, so that
    /// asking about every agent compares each pair once. Agents at rest are not compared with each other.
    ///
    /// # Panics
    /// If there is no agent of that number.
    pub fn check_agent(
        &self,
        number: usize,
        query: &Query,
        scratch: &mut TrafficScratch,
    ) -> Result<Answer, QueryError> {
        query.refuse_bad()?;
        let agent = &self.agents[number];
        let TrafficScratch { plane, volume, shared } = scratch;
        shared.path.want_all(self.agents.len());
        for (other, against) in self.agents.iter().enumerate() {
            let is_later = other > number && !agent.is_static;
            if !(is_later || against.is_static && !agent.is_static) {
                shared.path.drop_agent(other);
            }
        }
        let is_uncertain = agent.is_uncertain;
        Ok(match &self.world {
            AnyWorld::Plane(world) => {
                let asked = Asked { is_uncertain, ..asked(&agent.compound, &agent.trajectory) };
                self.ask(world, asked, query, plane, shared)
            }
            AnyWorld::Volume(world) => {
                let asked = Asked { is_uncertain, ..asked(&agent.compound, &agent.trajectory) };
                self.ask(world, asked, query, volume, shared)
            }
        })
    }

    fn is_other(&self, workspace: Workspace) -> bool {
        self.agents.first().is_some_and(|agent| agent.workspace() != workspace)
    }

    fn ask<S: Space>(
        &self,
        world: &World<S>,
        asked: Asked<'_, S>,
        query: &Query,
        scratch: &mut SpaceScratch<S>,
        shared: &mut SharedScratch,
    ) -> Answer {
        shared.findings.clear();
        let track = &asked.track;
        shared.windows.fill(&world.slots, track.trajectory.times(), track.start, query.time_gap);
        match query.method {
            Method::Hulls(exactness) => self.by_hulls(world, asked, query, exactness, scratch, shared),
            Method::Naive(sampling) | Method::Isolated(sampling) | Method::Trees(sampling) => {
                self.by_samples(world, asked, query, sampling, scratch, shared)
            }
        }
    }

    fn by_hulls<S: Space>(
        &self,
        world: &World<S>,
        asked: Asked<'_, S>,
        query: &Query,
        exactness: Exactness,
        scratch: &mut SpaceScratch<S>,
        shared: &mut SharedScratch,
    ) -> Answer {
        let SharedScratch { path, windows, findings } = shared;
        let SpaceScratch { cache, tree: own, cells } = scratch;
        let track = asked.track;
        let slots = &world.slots;
        let (boxes, lie, frames) = match asked.tree {
            Some(tree) => {
                let lie = lie(&track, &tree.boxes, slots.origin, exactness.clearance + track.upper_rounding);
                (&tree.boxes, lie, Frames::Ready(&tree.frames[..]))
            }
            None => {
                let reach = track.compound.upper_reach() + track.upper_rounding + exactness.clearance;
                own.boxes.fill_discs(&track, reach, slots.origin);
                (&own.boxes, Lie::InPlace, Frames::OnDemand(cache))
            }
        };
        let mut hulls = Hulls {
            agents: &self.agents,
            world,
            body: Body::new(track, frames),
            is_body_uncertain: asked.is_uncertain,
            exactness,
            gap: query.time_gap,
            report: query.report,
            shift: windows.shift(),
            cells,
            findings,
            found: None,
            open: None,
            statistics: Default::default(),
        };
        let mut node_tests = 0;
        let visit = |piece: usize, agent: usize| hulls.visit(piece, agent);
        let near = near_knot(&track, query.report);
        Descent { slots, boxes, windows, lie, path, near, visit, node_tests: &mut node_tests }.run();
        let Hulls { found, open, mut statistics, .. } = hulls;
        statistics.node_tests = node_tests;
        sort(findings);
        let verdict = match found
            .map(|found| if found.is_collision { Verdict::Collision(found) } else { Verdict::TooClose(found) })
        {
            Some(verdict) => verdict,
            None => verdict_of_all(findings).or(open.map(Verdict::Undecided)).unwrap_or(Verdict::Free),
        };
        Answer { verdict, statistics }
    }

    fn by_samples<S: Space>(
        &self,
        world: &World<S>,
        asked: Asked<'_, S>,
        query: &Query,
        sampling: Sampling,
        scratch: &mut SpaceScratch<S>,
        shared: &mut SharedScratch,
    ) -> Answer {
        let SharedScratch { path, windows, findings } = shared;
        let own = &mut scratch.tree;
        let track = asked.track;
        let is_trees = matches!(query.method, Method::Trees(_));
        let tree = match asked.tree {
            Some(tree) => tree,
            None if is_trees => {
                own.rebuild(&track);
                &*own
            }
            None => {
                own.frames.clear();
                own.frames.extend((0..track.trajectory.knots()).map(|knot| S::knot(track.trajectory, knot)));
                &*own
            }
        };
        let mut sampled = Sampled {
            agents: &self.agents,
            world,
            body: Body::new(track, Frames::Ready(&tree.frames)),
            is_body_uncertain: asked.is_uncertain,
            sampling,
            gap: query.time_gap,
            report: query.report,
            shift: windows.shift(),
            findings,
            found: None,
            statistics: Default::default(),
        };
        let near = near_knot(&track, query.report);
        let mut node_tests = 0;
        match query.method {
            Method::Naive(_) => naive(&mut sampled, path, self.agents.len(), near),
            Method::Isolated(_) => isolated(&mut sampled, path, windows, near, &mut node_tests),
            Method::Trees(_) | Method::Hulls(_) => {
                let lie = lie(&track, &tree.boxes, world.slots.origin, track.upper_rounding);
                let last = track.trajectory.knots() - 1;
                let visit = |leaf: usize, agent: usize| {
                    sampled.visit(leaf, agent)?;
                    // The last leaf holds the last two knots.
                    if leaf + 1 == last { sampled.visit(last, agent) } else { ControlFlow::Continue(()) }
                };
                let (slots, boxes) = (&world.slots, &tree.boxes);
                Descent { slots, boxes, windows, lie, path, near, visit, node_tests: &mut node_tests }.run();
            }
        }
        let Sampled { found, mut statistics, .. } = sampled;
        statistics.node_tests = node_tests;
        sort(findings);
        let verdict = found.map(Verdict::Collision).or_else(|| verdict_of_all(findings)).unwrap_or(Verdict::NoneFound);
        Answer { verdict, statistics }
    }
}

fn built<S: Space>(agents: &[Agent]) -> World<S> {
    let mut world = World::default();
    world.rebuild(agents);
    world
}

fn asked<'a, S: Space>(compound: &'a Compound, trajectory: &'a Trajectory) -> Asked<'a, S> {
    Asked { track: Track::new(compound, trajectory, false), tree: None, is_uncertain: false }
}

/// The knot to look at first.
fn near_knot<S: Space>(track: &Track<'_, S>, report: Report) -> usize {
    match report {
        Report::Any { near: Some(time) } => track.trajectory.knot_before(time - track.start),
        Report::Any { near: None } | Report::First | Report::All => 0,
    }
}

fn sort(findings: &mut [Finding]) {
    findings.sort_unstable_by(|a, b| a.piece.cmp(&b.piece).then(a.agent.cmp(&b.agent)));
}

/// Every pose against every agent, from `near` on and then from the start.
fn naive<S: Space>(sampled: &mut Sampled<'_, S>, path: &Path, agents: usize, near: usize) {
    let knots = sampled.body.track.trajectory.knots();
    for knot in (near..knots).chain(0..near) {
        for agent in 0..agents {
            if path.wants(agent) && sampled.visit(knot, agent).is_break() {
                return;
            }
        }
    }
}

/// Every pose by itself against the traffic's tree.
fn isolated<S: Space>(sampled: &mut Sampled<'_, S>, path: &Path, windows: &Windows, near: usize, node_tests: &mut u64) {
    let world = sampled.world;
    let slots = &world.slots;
    let knots = sampled.body.track.trajectory.knots();
    let width = Width::detect();
    for knot in (near..knots).chain(0..near) {
        let track = sampled.body.track;
        let time = track.time(knot);
        let window = match windows.shift() {
            Some(shift) => [(knot + shift).min(slots.count() - 1); 2],
            None => {
                let from = slots.first_for(time - sampled.gap - TIME_SLACK);
                [from, slots.last_for(time + sampled.gap + TIME_SLACK).max(from)]
            }
        };
        let frame = sampled.body.frame(knot);
        let small = pose_box(&track, frame, knot, slots.origin);
        let visit = |agent: usize| sampled.visit(knot, agent);
        let isolated = Isolated { slots, window, small, wanted: &path.wanted, visit, node_tests: &mut *node_tests };
        if run_lanes(width, isolated).is_break() {
            return;
        }
    }
}

/// The box of the body at a knot, about the slots' origin.
fn pose_box<S: Space>(track: &Track<'_, S>, frame: S::Frame, knot: usize, origin: [f64; 3]) -> SmallBox {
    let [low, high] = knot_box(track, frame, knot);
    let mut small = SmallBox { low: [0.0; 3], high: [0.0; 3] };
    for axis in 0..S::DIMENSIONS {
        small.low[axis] = rounded_down(low[axis] - origin[axis] - track.upper_rounding);
        small.high[axis] = rounded_up(high[axis] - origin[axis] + track.upper_rounding);
    }
    small
}
