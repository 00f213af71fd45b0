//! The planning cycle: traffic is built once, queried many times, and rebuilt in the same memory.
//!
//! [`Traffic`] is shared and immutable between rebuilds; a [`TrafficScratch`] belongs to one thread, and queries
//! allocate nothing once it has grown. Answers depend on the query alone.

use thiserror::Error;

use super::agent::Agent;
use super::ask::{Asked, SharedScratch, SpaceScratch, ask};
use super::candidate::{Placement, TrajectoryTree};
use super::compound::{Compound, Workspace};
use super::narrow::Space;
use super::plane::Plane;
use super::query::{Answer, Query, QueryError};
use super::track::Track;
use super::trajectory::Trajectory;
use super::verdict::Finding;
use super::volume::Volume;
use super::world::World;

/// Reason why agents make no traffic.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum TrafficError {
    /// Some agents are planar and some spatial.
    #[error("agent {0:?} is not of the same workspace as the others: some are planar, some spatial")]
    MixedWorkspaces(String),
}

/// Agents, ready for queries. See the module.
///
/// ```
/// use pathproof_traffic::{Agent, Compound, Query, Traffic, TrafficScratch, Trajectory, Verdict};
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

/// Reused memory for the queries of one thread.
#[derive(Default)]
pub struct TrafficScratch {
    plane: SpaceScratch<Plane>,
    volume: SpaceScratch<Volume>,
    shared: SharedScratch,
}

impl TrafficScratch {
    /// Findings of the last query with `Report::All`, in the order of time and agents.
    pub fn findings(&self) -> &[Finding] {
        &self.shared.findings
    }
}

impl Traffic {
    /// Builds boxes and frames for queries.
    pub fn new(agents: Vec<Agent>) -> Result<Self, TrafficError> {
        let mut traffic = Self { agents, world: AnyWorld::Plane(World::default()) };
        traffic.build()?;
        Ok(traffic)
    }

    /// Changes the agents and rebuilds in the same memory: a new cycle.
    pub fn rebuild(&mut self, change: impl FnOnce(&mut Vec<Agent>)) -> Result<(), TrafficError> {
        change(&mut self.agents);
        self.build()
    }

    fn build(&mut self) -> Result<(), TrafficError> {
        let workspace = self.agents.first().map_or(Workspace::Plane, Agent::workspace);
        if let Some(odd) = self.agents.iter().find(|agent| agent.workspace() != workspace) {
            let error = TrafficError::MixedWorkspaces(odd.name().to_owned());
            // The old build does not fit the agents any more.
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

    /// Checks a body on a trajectory. Builds only what the method needs: for `trees` its tree, for the other sampled
    /// methods its frames, for `hulls` boxes without any sine or cosine.
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
        compound.refuse_regions().map_err(|_| QueryError::Regions)?;
        let TrafficScratch { plane, volume, shared } = scratch;
        shared.path.want_all(self.agents.len());
        Ok(match &self.world {
            AnyWorld::Plane(world) => ask(&self.agents, world, asked(compound, trajectory), query, plane, shared),
            AnyWorld::Volume(world) => ask(&self.agents, world, asked(compound, trajectory), query, volume, shared),
        })
    }

    /// Checks a body with a tree made before.
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
                ask(&self.agents, world, asked, query, plane, shared)
            }
            AnyWorld::Volume(world) => {
                let asked = Asked { track: tree.track(placement)?, tree: tree.volume(), is_uncertain: false };
                ask(&self.agents, world, asked, query, volume, shared)
            }
        })
    }

    /// Checks a moving agent against all others, so that two moving agents are compared from either side. Their answers
    /// may still differ in what samples miss and within the tolerance; [`Traffic::agree`] settles that.
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
        if agent.is_static {
            return Err(QueryError::AtRest);
        }
        let TrafficScratch { plane, volume, shared } = scratch;
        shared.path.want_all(self.agents.len());
        shared.path.drop_agent(number);
        let is_uncertain = agent.is_uncertain;
        Ok(match &self.world {
            AnyWorld::Plane(world) => {
                let asked = Asked { is_uncertain, ..asked(&agent.compound, &agent.trajectory) };
                ask(&self.agents, world, asked, query, plane, shared)
            }
            AnyWorld::Volume(world) => {
                let asked = Asked { is_uncertain, ..asked(&agent.compound, &agent.trajectory) };
                ask(&self.agents, world, asked, query, volume, shared)
            }
        })
    }

    fn is_other(&self, workspace: Workspace) -> bool {
        self.agents.first().is_some_and(|agent| agent.workspace() != workspace)
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
