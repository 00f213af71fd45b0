//! Bounding volumes and trees over them, and the one traversal of a pair of trees.
//!
//! Two volumes: [`BoxTree`] (8-wide boxes in the body's axes, `f32` rounded outward; the default) and [`RssTree`]
//! (binary, rectangle swept spheres, as in the exact-collision-checking paper §3.2). Leaves are the body's primitives,
//! in trees of boxes also parts of them (`shards`). A query forms the relative pose once ([`VolumeTree::pair`]). The
//! traversal then computes lower bounds on the distance of one volume from the children of another.

mod boxes;
mod build;
mod hulls;
mod rss;
mod shards;
mod traverse;

#[cfg(test)]
#[path = "../../tests/geometry/common/oracle.rs"]
mod oracle;

pub use boxes::BoxTree;
pub(crate) use boxes::SiblingPairs;
pub(crate) use boxes::drift::Drifts;
pub(crate) use boxes::from_point::{FromPoint, PointScratch};
pub(crate) use boxes::kernel::BoxPair;
pub(crate) use boxes::lanes::{greater, lesser};
pub(crate) use hulls::NodeHulls;
pub use rss::RssTree;
pub use traverse::{Children, Side, Stack, Step, Visit, traverse};

use crate::numeric::simd::Simd;
use crate::numeric::{DVec3, Pose};
use crate::shapes::Body;

/// A node of a tree. Only its own tree can read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot(pub(crate) u32);

/// A unit direction from A to B in both bodies' axes.
#[derive(Clone, Copy, Debug)]
pub struct Direction {
    pub(crate) in_a: [f32; 3],
    pub(crate) in_b: [f32; 3],
}

impl Direction {
    /// The direction `n`, given in A's axes.
    #[inline(always)]
    pub fn new(n: DVec3, a_from_b: &Pose) -> Self {
        Self { in_a: n.to_array().map(|c| c as f32), in_b: a_from_b.inverse_vector(n).to_array().map(|c| c as f32) }
    }
}

/// A tree of bounding volumes over the primitives of a body.
pub trait VolumeTree: Sized + Send + Sync + 'static {
    /// Constants of a query of two trees: the relative pose in the precision of the volumes, and the margin.
    type Pair;

    /// Builds the tree over the primitives of `body`.
    fn build(body: &Body) -> Self;

    /// The volume around everything.
    fn root(&self) -> Slot;

    /// The primitive of a leaf; `None` for an inner node.
    fn primitive(&self, slot: Slot) -> Option<usize>;

    /// A measure of the volume's size; the traversal opens the larger one.
    fn size(&self, slot: Slot) -> f32;

    /// Prepares a query. `a_from_b` relates the bodies' centres; bounds allow for the bodies being off by `margin`
    /// metres.
    fn pair(a: &Self, b: &Self, a_from_b: &Pose, margin: f64) -> Self::Pair;

    /// Lower bound on the distance of the two roots.
    fn lower_root<S: Simd>(simd: S, pair: &Self::Pair, a: &Self, b: &Self, direction: &Direction) -> f32;

    /// Lower bounds on the distance between each child of a slot of the first tree and a slot of the second. `side` is
    /// the body of the first tree. `direction` is one that may separate them well: any is sound. Bounds above `enough`
    /// need not be the best possible.
    fn open<S: Simd>(
        simd: S,
        pair: &Self::Pair,
        side: Side,
        trees: [&Self; 2],
        slots: [Slot; 2],
        direction: &Direction,
        enough: f32,
    ) -> Children;

    /// Memory used, in bytes.
    fn bytes(&self) -> usize;

    /// Describes an error in the tree over `body`, if any. Every primitive, or every part of it, must be in one leaf,
    /// inside every ancestor.
    fn broken_invariant(&self, body: &Body) -> Option<String>;
}
