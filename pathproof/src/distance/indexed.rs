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
    /// Builds the tree, unless that was done for this body or a clone of it before.
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

    /// Upper bound on how far its centre is from its origin, plus how far any of its points is from the centre.
    pub(super) fn reach(&self) -> f64 {
        self.reach
    }

    /// What of the body can hold others or be held.
    pub(super) fn solids(&self) -> &Solids {
        &self.solids
    }
}
