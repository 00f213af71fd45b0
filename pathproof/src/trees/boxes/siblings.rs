//! Children of one node against one box of the other body, eight pairs at a time: the unit of work of a traversal of
//! boxes.

use super::drift::{Approach, Drifts};
use super::kernel::BoxPair;
use super::lanes::greater;
use super::volume::SmallBox;
use super::{BoxTree, LANES, LEAF, Node, OtherBox, SlabLanes, largest};
use crate::numeric::simd::{Simd, SimdBase, SimdFrom, f32x8};
use crate::trees::Slot;
use crate::trees::hulls::NodeHulls;
use crate::trees::traverse::Side;

/// Some lanes of a node of one body (that on `side`) and one box of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SiblingPairs {
    pub(super) node: u32,
    pub(super) other: Slot,
    pub(super) side: Side,
    /// Bit i for lane i.
    pub(crate) members: u8,
}

impl SiblingPairs {
    /// The two roots. Node 0 holds the root in lane 0 and nothing else.
    pub(crate) const ROOTS: Self = Self { node: 0, other: Slot(0), side: Side::B, members: 1 };

    /// A box on `side` against one of the other body.
    #[inline(always)]
    pub(crate) fn only(side: Side, box_on_side: Slot, other: Slot) -> Self {
        Self { node: box_on_side.0 / LANES as u32, other, side, members: 1 << (box_on_side.0 % LANES as u32) }
    }

    /// A lane's box of A and the box of B, or the other way round.
    #[inline(always)]
    pub(crate) fn slots(&self, lane: usize) -> [Slot; 2] {
        let member = Slot(self.node * LANES as u32 + lane as u32);
        match self.side {
            Side::A => [member, self.other],
            Side::B => [self.other, member],
        }
    }

    /// The body of the node.
    #[inline(always)]
    pub(crate) fn side(&self) -> Side {
        self.side
    }

    /// The same node and other box, with `members`.
    #[inline(always)]
    pub(crate) fn with_members(&self, members: u8) -> Self {
        Self { members, ..*self }
    }

    /// True if both have the same node and the same other box.
    #[inline(always)]
    pub(crate) fn is_akin(&self, other: &Self) -> bool {
        self.with_members(0) == other.with_members(0)
    }

    /// The tree of the node, and that of the other box.
    #[inline(always)]
    pub(super) fn trees<'t>(&self, [a, b]: [&'t BoxTree; 2]) -> (&'t BoxTree, &'t BoxTree) {
        match self.side {
            Side::A => (a, b),
            Side::B => (b, a),
        }
    }

    #[inline(always)]
    fn boxes<'t>(&self, trees: [&'t BoxTree; 2]) -> (&'t Node, SmallBox) {
        let (opened_tree, other_tree) = self.trees(trees);
        (&opened_tree.nodes[self.node as usize], other_tree.small_box(self.other))
    }

    #[inline(always)]
    fn boxes_with_slabs<'t>(&self, trees: [&'t BoxTree; 2]) -> ((&'t Node, &'t SlabLanes), OtherBox) {
        let (opened_tree, other_tree) = self.trees(trees);
        let node = self.node as usize;
        ((&opened_tree.nodes[node], &opened_tree.slabs[node]), other_tree.other(self.other))
    }
}

impl BoxTree {
    /// The children of an inner box against a box of the other body.
    #[inline(always)]
    pub(crate) fn siblings(&self, side: Side, opened: Slot, other: Slot) -> SiblingPairs {
        let node = self.child(opened);
        SiblingPairs { node, other, side, members: self.nodes[node as usize].members }
    }

    /// Lower bounds on the distances of sibling pairs by the gap along one axis of either body alone: enough to decide
    /// if they overlap, and cheaper than [`Self::approach`]. `trees` are A's and B's.
    #[inline(always)]
    pub(crate) fn gaps<S: Simd>(simd: S, pair: &BoxPair, trees: [&Self; 2], siblings: &SiblingPairs) -> f32x8<S> {
        let (node, other) = siblings.boxes(trees);
        pair.gaps(simd, siblings.side, node, &other)
    }

    /// The same, with bounds on the closing of the distances while the bodies move.
    #[inline(always)]
    pub(crate) fn approach<S: Simd>(
        simd: S,
        pair: &BoxPair,
        trees: [&Self; 2],
        drifts: &Drifts,
        siblings: &SiblingPairs,
    ) -> Approach<S> {
        let (node, other) = siblings.boxes(trees);
        pair.approach(simd, drifts, siblings.side, node, &other)
    }

    /// The same along the slabs' normals, for boxes that overlap.
    #[inline(always)]
    pub(crate) fn approach_across<S: Simd>(
        simd: S,
        pair: &BoxPair,
        trees: [&Self; 2],
        drifts: &Drifts,
        siblings: &SiblingPairs,
    ) -> Approach<S> {
        let (node, other) = siblings.boxes_with_slabs(trees);
        pair.approach_across(simd, drifts, siblings.side, node, &other)
    }

    /// The same as [`Self::gaps`], along the slabs' normals.
    #[inline(always)]
    pub(crate) fn gaps_across<S: Simd>(
        simd: S,
        pair: &BoxPair,
        trees: [&Self; 2],
        siblings: &SiblingPairs,
    ) -> f32x8<S> {
        let (node, other) = siblings.boxes_with_slabs(trees);
        pair.gaps_across(simd, siblings.side, node, &other)
    }

    /// The lanes of sibling pairs with slabs that may be tighter than boxes, as bits; empty lanes may be among them.
    #[inline(always)]
    pub(crate) fn slanted_pairs(trees: [&Self; 2], siblings: &SiblingPairs) -> u8 {
        let (opened_tree, other_tree) = siblings.trees(trees);
        if other_tree.is_slanted(siblings.other) { u8::MAX } else { opened_tree.nodes[siblings.node as usize].slanted }
    }

    /// True if the slab of a box is tighter than the box.
    #[inline(always)]
    fn is_slanted(&self, slot: Slot) -> bool {
        self.nodes[slot.0 as usize / LANES].slanted >> (slot.0 as usize % LANES) & 1 == 1
    }

    /// The lanes of sibling pairs in which both boxes are leaves, as bits; empty lanes may be among them.
    #[inline(always)]
    pub(crate) fn leaf_pairs(trees: [&Self; 2], siblings: &SiblingPairs) -> u8 {
        let (opened_tree, other_tree) = siblings.trees(trees);
        let is_leaf = other_tree.child(siblings.other) & LEAF != 0;
        if is_leaf { opened_tree.nodes[siblings.node as usize].leaves } else { 0 }
    }

    /// For each lane of sibling pairs, the larger of the largest half widths of the two boxes.
    #[inline(always)]
    pub(crate) fn sizes<S: Simd>(simd: S, trees: [&Self; 2], siblings: &SiblingPairs) -> f32x8<S> {
        let (node, other) = siblings.boxes(trees);
        let mut size = f32x8::splat(simd, largest(other.half));
        for half in &node.half {
            size = greater(f32x8::simd_from(simd, *half), size);
        }
        size
    }

    /// The lanes of sibling pairs in which `hulls` (A's and B's) can help: at least one box has a hull, the other has
    /// one or is a convex piece. As bits; empty lanes may be among them.
    #[inline(always)]
    pub(crate) fn hull_pairs(hulls: [&NodeHulls; 2], siblings: &SiblingPairs) -> u8 {
        let [opened, other] = match siblings.side {
            Side::A => [hulls[0], hulls[1]],
            Side::B => [hulls[1], hulls[0]],
        };
        let [hulled, shelled] = opened.hulled_and_shelled(siblings.node);
        match (other.has(siblings.other), other.is_shelled(siblings.other)) {
            (true, _) => shelled,
            (false, true) => hulled,
            (false, false) => 0,
        }
    }
}
