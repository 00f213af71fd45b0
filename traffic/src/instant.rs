//! Bodies at one instant: their outlines from above, and the distance of two of them. For pictures and plots of what
//! the queries decide; no proof about a stretch of time uses it.
//!
//! Invariant: the bounds of [`Agent::distance_at`] hold at that instant, rounding included.

use glam::DVec2;

use super::agent::Agent;
use super::compound::{Geometry, Part, Workspace};
use super::narrow::{Space, State, smaller};
use super::plane::{Frame, Plane};
use super::polygon::hull;
use super::track::Track;
use super::trajectory::TIME_SLACK;
use super::volume::Volume;
use pathproof::numeric::{DVec3, Pose, sin_cos};

/// Number of directions for the outline of a spatial convex shape from above.
const SIDES: usize = 64;

/// Outline of a body's part from above, in the world: the hull of its corners, swept by a disc.
#[derive(Clone, Debug, PartialEq)]
pub struct Silhouette {
    /// Counterclockwise, in metres; at least one.
    pub corners: Vec<[f64; 2]>,
    /// Radius of the disc, in metres.
    pub radius: f64,
}

/// Bounds on the signed distance of two bodies at one instant, in metres; negative where they overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DistanceAt {
    /// Lower bound.
    pub lower: f64,
    /// Upper bound.
    pub upper: f64,
}

impl Agent {
    /// First and last time at which it is present, in seconds; `None` if it always is.
    pub fn presence(&self) -> Option<[f64; 2]> {
        let times = self.trajectory.times();
        (!self.is_static).then(|| [times[0], times[times.len() - 1]])
    }

    /// Outlines of its parts from above at a time; `None` if it is not present. Outlines of spatial shapes come from a
    /// finite number of directions and are too small by at most about a thousandth.
    pub fn from_above(&self, time: f64) -> Option<Vec<Silhouette>> {
        if !self.is_there(time) {
            return None;
        }
        let parts = self.compound.parts();
        Some(match self.compound.workspace() {
            Workspace::Plane => {
                let state = self.track::<Plane>().state_at(time);
                parts.iter().map(|part| planar(part, &state)).collect()
            }
            Workspace::Volume => {
                let state = self.track::<Volume>().state_at(time);
                parts.iter().map(|part| spatial(part, &state)).collect()
            }
        })
    }

    /// Its distance from another at a time; `None` if one of them is not present, or if their workspaces differ.
    pub fn distance_at(&self, other: &Self, time: f64) -> Option<DistanceAt> {
        let are_there = self.is_there(time) && other.is_there(time) && self.workspace() == other.workspace();
        are_there.then(|| match self.workspace() {
            Workspace::Plane => self.distance::<Plane>(other, time),
            Workspace::Volume => self.distance::<Volume>(other, time),
        })
    }

    fn is_there(&self, time: f64) -> bool {
        self.presence().is_none_or(|[from, to]| time >= from - TIME_SLACK && time <= to + TIME_SLACK)
    }

    fn track<S: Space>(&self) -> Track<'_, S> {
        Track::new(&self.compound, &self.trajectory, self.is_static)
    }

    fn distance<S: Space>(&self, other: &Self, time: f64) -> DistanceAt {
        let [ours, theirs] = [self, other].map(Self::track::<S>);
        let [at_ours, at_theirs] = [&ours, &theirs].map(|track| track.state_at(time));
        let mut least = DistanceAt { lower: f64::INFINITY, upper: f64::INFINITY };
        for a in self.compound.parts() {
            for b in other.compound.parts() {
                let found = S::proximity((a, &at_ours), (b, &at_theirs), f64::INFINITY);
                least.lower = smaller(least.lower, found.lower);
                least.upper = smaller(least.upper, found.upper);
            }
        }
        // Rounding in the placement of both frames.
        let rounding = ours.upper_rounding + theirs.upper_rounding;
        DistanceAt { lower: least.lower - rounding, upper: least.upper + rounding }
    }
}

fn planar(part: &Part, state: &State<Frame>) -> Silhouette {
    let frame = &state.frame;
    let placed = |corners: &[DVec2]| corners.iter().map(|corner| frame.point(*corner).to_array()).collect();
    match &part.geometry {
        Geometry::Rectangle { body_from_part, half, .. } => {
            let corner = |x: f64, y: f64| frame.point(body_from_part.point(DVec2::new(half.x * x, half.y * y)));
            let corners = [corner(1.0, 1.0), corner(-1.0, 1.0), corner(-1.0, -1.0), corner(1.0, -1.0)];
            Silhouette { corners: corners.map(|corner| corner.to_array()).to_vec(), radius: 0.0 }
        }
        Geometry::Rounded { corners, radius } => Silhouette { corners: placed(corners), radius: *radius },
        Geometry::Regions(regions) => {
            // The blend of both ends' hulls is the hull of the blends of their corners.
            let [from, to] = regions.ends(state.piece);
            let sums = from.corners.iter().flat_map(|a| to.corners.iter().map(move |b| a.lerp(*b, state.fraction)));
            let corners = hull(&sums.collect::<Vec<_>>());
            Silhouette { corners: placed(&corners), radius: regions.radius(state.piece, state.fraction) }
        }
        Geometry::Convex { .. } => unreachable!("the plane has no convex shapes of space"),
    }
}

fn spatial(part: &Part, state: &State<Pose>) -> Silhouette {
    let Geometry::Convex { convex, body_from_part } = &part.geometry else {
        unreachable!("space has convex shapes only")
    };
    let world_from_part = state.frame * *body_from_part;
    let corner = |side: usize| {
        let (s, c) = sin_cos(side as f64 / SIDES as f64 * std::f64::consts::TAU);
        let farthest = convex.core_support(world_from_part.inverse_vector(DVec3::new(c, s, 0.0)));
        world_from_part.point(farthest).truncate()
    };
    let corners = hull(&(0..SIDES).map(corner).collect::<Vec<_>>());
    Silhouette { corners: corners.into_iter().map(|corner| corner.to_array()).collect(), radius: convex.radius() }
}
