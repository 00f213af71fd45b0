//! Groups of bodies that move as one: the bodies of a frame that share their rules in one tree, static bodies in few
//! trees.
//!
//! [`grouping`] decides which bodies share a tree. Half-spaces have no tree: see [`HalfSpace`].

mod building;
mod group;
mod grouping;
mod half_space;

use super::clusters::Clusters;
use crate::robot::{Kinematics, Model};
use crate::scene::PairKind;

pub(super) use group::Group;
pub(super) use grouping::Grouping;
pub(super) use half_space::HalfSpace;

/// The groups of a scene and the pairs of them that are checked.
#[derive(Debug)]
pub(super) struct Groups {
    pub(super) groups: Vec<Group>,
    pub(super) half_spaces: Vec<HalfSpace>,
    pub(super) pairs: Vec<GroupPair>,
    /// Present where there are many pairs, and neither a certificate nor a list of all findings is requested.
    pub(super) clusters: Option<Clusters>,
    /// Factor for each pair's uncovered length in the order of probes, see [`super::likelihood`]; empty: all equal.
    pub(super) weights: Vec<f64>,
}

/// Opposite side of a group in a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Opposite {
    /// Another group.
    Group(usize),
    /// A half-space.
    HalfSpace(usize),
}

/// A pair that is checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroupPair {
    pub(super) a: usize,
    pub(super) b: Opposite,
    pub(super) kind: PairKind,
    pub(super) clearance: f64,
    /// The lowest frame above both: only motion relative to it counts.
    pub(super) ancestor: usize,
}

impl Groups {
    /// Factor for the uncovered length of a pair in the order of probes.
    pub(super) fn weight(&self, pair: usize) -> f64 {
        self.weights.get(pair).copied().unwrap_or(1.0)
    }

    /// Lower bound on the distance of a pair, from balls around both sides where `kinematics` has them. Rounding may
    /// have moved these by `margin` in all.
    pub(super) fn lower_by_balls(
        &self,
        [a, b]: [usize; 2],
        margin: f64,
        model: &Model,
        kinematics: &mut Kinematics,
    ) -> f64 {
        let [a, b] = [a, b].map(|group| self.groups[group].ball_at(model, kinematics));
        a.lower_distance(&b) - margin
    }

    /// True if the distance of a pair is signed: both sides consist of convex pieces.
    pub(super) fn is_signed(&self, pair: &GroupPair) -> bool {
        self.groups[pair.a].is_convex()
            && match pair.b {
                Opposite::Group(b) => self.groups[b].is_convex(),
                Opposite::HalfSpace(_) => true,
            }
    }

    /// Indices in the scene of the bodies that two primitives of a pair belong to.
    pub(super) fn bodies_of(&self, pair: &GroupPair, primitives: [usize; 2]) -> [usize; 2] {
        let opposite = match pair.b {
            Opposite::Group(b) => self.groups[b].body_of(primitives[1]),
            Opposite::HalfSpace(b) => self.half_spaces[b].body,
        };
        [self.groups[pair.a].body_of(primitives[0]), opposite]
    }

    /// The sum of the radii of a pair's bodies.
    pub(super) fn size(&self, pair: &GroupPair) -> f64 {
        let radius = |group: usize| self.groups[group].indexed.body().radius();
        match pair.b {
            Opposite::Group(b) => radius(pair.a) + radius(b),
            Opposite::HalfSpace(_) => radius(pair.a),
        }
    }
}
