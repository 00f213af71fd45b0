//! Candidates with trees that are built once and placed often: motion primitives (workspace-time paper §III-B).
//!
//! The tree is built in the trajectory's own coordinates. A [`Placement`] turns and shifts its nodes as a query visits
//! them and shifts its times; nothing is rebuilt.

use std::sync::Arc;

use super::agent::AgentError;
use super::boxes::Boxes;
use super::compound::{Compound, Workspace};
use super::narrow::Space;
use super::plane::Plane;
use super::query::QueryError;
use super::track::Track;
use super::trajectory::Trajectory;
use super::volume::Volume;
use pathproof::numeric::{DMat3, DQuat, DVec3, Pose, sin_cos};
use pathproof::shapes::MAX_COORDINATE;

/// Start pose and start time of a prepared trajectory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    world_from_local: Option<Pose>,
    start: f64,
}

impl Placement {
    /// The trajectory as written.
    pub const HERE: Self = Self { world_from_local: None, start: 0.0 };

    /// In the plane: metres, radians, and seconds that are added to all times.
    pub fn planar(x: f64, y: f64, heading: f64, start: f64) -> Result<Self, QueryError> {
        let (s, c) = sin_cos(heading);
        let rotation = DMat3::from_cols(DVec3::new(c, s, 0.0), DVec3::new(-s, c, 0.0), DVec3::Z);
        Self::checked(Pose { rotation, translation: DVec3::new(x, y, 0.0) }, start)
    }

    /// By a rigid pose (of the plane: a turn about z), and seconds that are added to all times.
    pub fn at(world_from_local: Pose, start: f64) -> Result<Self, QueryError> {
        if !world_from_local.is_rigid(1e-12) {
            return Err(QueryError::BadPlacement);
        }
        // The nearest rotation, orthonormal to a few units in the last place, as bounds on distance assume.
        let rotation = DQuat::from_mat3(&world_from_local.rotation).normalize();
        Self::checked(Pose::from_quaternion(rotation, world_from_local.translation), start)
    }

    fn checked(world_from_local: Pose, start: f64) -> Result<Self, QueryError> {
        let is_usable = world_from_local.is_rigid(1e-12)
            && world_from_local.translation.abs().max_element() <= MAX_COORDINATE
            && start.abs() <= 1e10;
        if is_usable {
            Ok(Self { world_from_local: Some(world_from_local), start })
        } else {
            Err(QueryError::BadPlacement)
        }
    }

    /// A later start only, by this many seconds.
    pub fn later(start: f64) -> Result<Self, QueryError> {
        if start.abs() <= 1e10 { Ok(Self { world_from_local: None, start }) } else { Err(QueryError::BadPlacement) }
    }

    /// True if it is a pose of the plane.
    fn is_planar(&self) -> bool {
        self.world_from_local.is_none_or(|pose| pose.rotation.z_axis == DVec3::Z && pose.translation.z == 0.0)
    }
}

/// A body on a trajectory with its tree, to be placed by queries.
#[derive(Clone, Debug)]
pub struct TrajectoryTree {
    compound: Arc<Compound>,
    trajectory: Trajectory,
    tree: AnyTree,
}

#[derive(Clone, Debug)]
enum AnyTree {
    Plane(Tree<Plane>),
    Volume(Tree<Volume>),
}

/// Frames at the knots and boxes of the pieces.
#[derive(Clone, Debug)]
pub(crate) struct Tree<S: Space> {
    pub(crate) frames: Vec<S::Frame>,
    pub(crate) boxes: Boxes,
}

impl<S: Space> Default for Tree<S> {
    fn default() -> Self {
        Self { frames: Vec::new(), boxes: Boxes::default() }
    }
}

impl<S: Space> Tree<S> {
    /// Rebuilds everything for a track that is not placed, in the same memory.
    pub(crate) fn rebuild(&mut self, track: &Track<'_, S>) {
        self.frames.clear();
        self.frames.extend((0..track.trajectory.knots()).map(|knot| S::knot(track.trajectory, knot)));
        let origin = track.trajectory.position(track.trajectory.knots() / 2);
        self.boxes.fill_sweeps(track, &self.frames, track.upper_rounding, origin);
    }
}

impl TrajectoryTree {
    /// Builds the tree.
    pub fn new(compound: Arc<Compound>, trajectory: Trajectory) -> Result<Self, AgentError> {
        if compound.workspace() != trajectory.workspace() {
            return Err(AgentError::MixedWorkspaces);
        }
        compound.refuse_regions()?;
        let tree = match compound.workspace() {
            Workspace::Plane => AnyTree::Plane(built(&compound, &trajectory)),
            Workspace::Volume => AnyTree::Volume(built(&compound, &trajectory)),
        };
        Ok(Self { compound, trajectory, tree })
    }

    /// Puts the same body on another trajectory of the same workspace, in the same memory, and returns the old one for
    /// reuse.
    pub fn rebuild(&mut self, trajectory: Trajectory) -> Result<Trajectory, AgentError> {
        if self.compound.workspace() != trajectory.workspace() {
            return Err(AgentError::MixedWorkspaces);
        }
        let old = std::mem::replace(&mut self.trajectory, trajectory);
        match &mut self.tree {
            AnyTree::Plane(tree) => tree.rebuild(&Track::new(&self.compound, &self.trajectory, false)),
            AnyTree::Volume(tree) => tree.rebuild(&Track::new(&self.compound, &self.trajectory, false)),
        }
        Ok(old)
    }

    /// The body.
    pub fn compound(&self) -> &Compound {
        &self.compound
    }

    /// Its trajectory, not placed.
    pub fn trajectory(&self) -> &Trajectory {
        &self.trajectory
    }

    /// The tree, if it is planar.
    pub(crate) fn plane(&self) -> Option<&Tree<Plane>> {
        match &self.tree {
            AnyTree::Plane(tree) => Some(tree),
            AnyTree::Volume(_) => None,
        }
    }

    /// The tree, if it is spatial.
    pub(crate) fn volume(&self) -> Option<&Tree<Volume>> {
        match &self.tree {
            AnyTree::Volume(tree) => Some(tree),
            AnyTree::Plane(_) => None,
        }
    }

    /// The body on its placed trajectory.
    pub(crate) fn track<S: Space>(&self, placement: &Placement) -> Result<Track<'_, S>, QueryError> {
        if S::WORKSPACE != self.compound.workspace() {
            return Err(QueryError::MixedWorkspaces);
        }
        if S::WORKSPACE == Workspace::Plane && !placement.is_planar() {
            return Err(QueryError::BadPlacement);
        }
        let mut track = Track::new(&self.compound, &self.trajectory, false);
        track.place(placement.world_from_local.as_ref(), placement.start);
        Ok(track)
    }
}

fn built<S: Space>(compound: &Compound, trajectory: &Trajectory) -> Tree<S> {
    let mut tree = Tree::default();
    tree.rebuild(&Track::new(compound, trajectory, false));
    tree
}
