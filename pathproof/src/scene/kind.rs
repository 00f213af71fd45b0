//! The two kinds of checked pairs: each has its own default clearance, and answers list them separately.
//!
//! Links of one robot are often a few millimetres apart by design, while the clearance that a user wants is a distance
//! from everything else.

use std::ops::{Index, IndexMut};

use super::{Role, SceneBody};
use crate::numeric::least;
use crate::robot::Model;

/// The kind of a pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairKind {
    /// A robot or an attached object against an obstacle, another robot or an attached object.
    World,
    /// Two links of one robot: their names agree up to the first `/`, or have none.
    OwnLinks,
}

impl PairKind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::World, Self::OwnLinks];

    /// Its name in files and answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::World => "world",
            Self::OwnLinks => "self",
        }
    }

    /// The kind of a pair of bodies.
    pub(super) fn of(model: &Model, [a, b]: [&SceneBody; 2]) -> Self {
        let robot = |body: &SceneBody| model.links()[body.link].name.split_once('/').map(|(robot, _)| robot);
        match a.role == Role::Link && b.role == Role::Link && robot(a) == robot(b) {
            true => Self::OwnLinks,
            false => Self::World,
        }
    }
}

/// A value for each kind of pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerKind<T> {
    /// For [`PairKind::World`].
    pub world: T,
    /// For [`PairKind::OwnLinks`].
    pub own_links: T,
}

impl<T> PerKind<T> {
    /// The value of `of` for each kind.
    pub fn from_fn(mut of: impl FnMut(PairKind) -> T) -> Self {
        Self { world: of(PairKind::World), own_links: of(PairKind::OwnLinks) }
    }
}

impl PerKind<f64> {
    /// The same value for both kinds.
    pub const fn splat(value: f64) -> Self {
        Self { world: value, own_links: value }
    }

    /// The lesser value of each kind; NaN stays.
    pub fn least(self, other: Self) -> Self {
        Self::from_fn(|kind| least(self[kind], other[kind]))
    }

    /// The least of both values; NaN stays.
    pub fn overall(self) -> f64 {
        least(self.world, self.own_links)
    }
}

impl<T> Index<PairKind> for PerKind<T> {
    type Output = T;

    fn index(&self, kind: PairKind) -> &T {
        match kind {
            PairKind::World => &self.world,
            PairKind::OwnLinks => &self.own_links,
        }
    }
}

impl<T> IndexMut<PairKind> for PerKind<T> {
    fn index_mut(&mut self, kind: PairKind) -> &mut T {
        match kind {
            PairKind::World => &mut self.world,
            PairKind::OwnLinks => &mut self.own_links,
        }
    }
}
