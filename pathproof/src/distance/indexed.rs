//! A body with its tree.

use std::sync::Arc;

use super::containment::Solids;
use crate::numeric::norm_up;
use crate::shapes::Body;
use crate::trees::{BoxTree, VolumeTree};

/// A body with a tree over its primitives: built once, then shared and immutable.
#[derive(Clone, Debug)]
pub struct Indexed<T = BoxTree> {
    body: Body,
    tree: Arc<T>,
    solids: Arc<Solids>,
    reach: f64,
}

impl<T: VolumeTree> Indexed<T> {
    /// Builds the tree, unless this body or a clone of it has one already.
    pub fn new(body: Body) -> Self {
        let tree = body.derive(T::build);
        debug_assert!(body.primitives() > 3_000 || tree.broken_invariant(&body).is_none());
        let solids = body.derive(Solids::of);
        let reach = norm_up(body.centre()) + body.radius();
        Self { body, tree, solids, reach }
    }

    /// The body.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// The tree.
    pub fn tree(&self) -> &T {
        &self.tree
    }

    /// Upper bound on the distance of its centre from its origin, plus that of any of its points from the centre.
    pub(super) fn reach(&self) -> f64 {
        self.reach
    }

    /// Solids that can hold points of others, and points that can be held.
    pub(super) fn solids(&self) -> &Solids {
        &self.solids
    }
}
