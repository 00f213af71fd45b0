//! Agents: bodies that move (or stand) around the trajectories that are checked.

use super::compound::{Compound, CompoundError, Workspace};
use super::region::{Region, Regions};
use super::trajectory::{Trajectory, TrajectoryError};
use thiserror::Error;

/// Reason why something is no agent. The caller adds the agent's name.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum AgentError {
    /// The trajectory is wrong.
    #[error(transparent)]
    Trajectory(#[from] TrajectoryError),
    /// The shape is wrong.
    #[error(transparent)]
    Compound(#[from] CompoundError),
    /// A planar shape on a spatial trajectory, or the other way round.
    #[error("the shape and the trajectory are not of the same workspace: one is planar, the other spatial")]
    MixedWorkspaces,
    /// The numbers of times and regions differ.
    #[error("there are {times} times for {regions} regions; each region needs its time")]
    TimesAndRegions {
        /// Number of times.
        times: usize,
        /// Number of regions.
        regions: usize,
    },
}

/// A body with a name and a motion. It is present from its first pose to its last, or always if it is at rest.
///
/// ```
/// use pathproof_traffic::{Agent, Compound, Trajectory};
/// let tram = Agent::moving("tram", Compound::rectangle(30.0, 2.6)?,
///     Trajectory::planar([[0.0, -50.0, 4.0, 0.0], [5.0, 50.0, 4.0, 0.0]])?)?;
/// assert_eq!(tram.name(), "tram");
/// # Ok::<(), pathproof_traffic::AgentError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Agent {
    name: String,
    pub(crate) compound: Compound,
    pub(crate) trajectory: Trajectory,
    pub(crate) is_static: bool,
    pub(crate) is_uncertain: bool,
}

impl Agent {
    /// An agent that follows a trajectory.
    pub fn moving(name: impl Into<String>, compound: Compound, trajectory: Trajectory) -> Result<Self, AgentError> {
        if compound.workspace() != trajectory.workspace() {
            return Err(AgentError::MixedWorkspaces);
        }
        compound.refuse_regions()?;
        Ok(Self { name: name.into(), compound, trajectory, is_static: false, is_uncertain: false })
    }

    /// An agent that is always at this pose.
    pub fn at_rest(name: impl Into<String>, compound: Compound, pose: Trajectory) -> Result<Self, AgentError> {
        Ok(Self { is_static: true, ..Self::moving(name, compound, pose)? })
    }

    /// An agent known only by regions, at increasing times in seconds.
    pub fn uncertain(name: impl Into<String>, times: &[f64], regions: Vec<Region>) -> Result<Self, AgentError> {
        if times.len() != regions.len() {
            return Err(AgentError::TimesAndRegions { times: times.len(), regions: regions.len() });
        }
        let poses = times.iter().zip(&regions).map(|(&t, region)| [t, region.centre()[0], region.centre()[1], 0.0]);
        let trajectory = Trajectory::planar(poses)?;
        let compound = Compound::regions(Regions::new(regions));
        Ok(Self { name: name.into(), compound, trajectory, is_static: false, is_uncertain: true })
    }

    /// An agent that is always somewhere in one region.
    pub fn uncertain_at_rest(name: impl Into<String>, region: Region) -> Result<Self, AgentError> {
        Ok(Self { is_static: true, ..Self::uncertain(name, &[0.0], vec![region])? })
    }

    /// A set of the plane, in the world, that may be occupied throughout an interval of time, in seconds.
    pub fn occupying(name: impl Into<String>, set: Compound, [from, to]: [f64; 2]) -> Result<Self, AgentError> {
        let times = if from == to { vec![from] } else { vec![from, to] };
        let trajectory = Trajectory::planar(times.into_iter().map(|time| [time, 0.0, 0.0, 0.0]))?;
        Ok(Self { is_uncertain: true, ..Self::moving(name, set, trajectory)? })
    }

    /// Its name; several agents may share one.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its shape.
    pub fn compound(&self) -> &Compound {
        &self.compound
    }

    /// Its motion.
    pub fn trajectory(&self) -> &Trajectory {
        &self.trajectory
    }

    /// True if it is always present, without moving.
    pub fn is_at_rest(&self) -> bool {
        self.is_static
    }

    /// True if it is known only by regions.
    pub fn is_uncertain(&self) -> bool {
        self.is_uncertain
    }

    /// Gives the same body another motion, such as a new prediction.
    pub fn set_trajectory(&mut self, trajectory: Trajectory) -> Result<(), AgentError> {
        if self.compound.workspace() != trajectory.workspace() {
            return Err(AgentError::MixedWorkspaces);
        }
        if self.is_uncertain {
            return Err(AgentError::TimesAndRegions { times: trajectory.knots(), regions: 0 });
        }
        self.trajectory = trajectory;
        Ok(())
    }

    pub(crate) fn workspace(&self) -> Workspace {
        self.compound.workspace()
    }
}
