//! Computations for eight boxes of one body against a box of another, all lanes at once: their distances
//! (docs/design.md#trees) and bounds on how much these may close while the bodies move ([`Drifts`]).
//!
//! Every bound allows for all rounding: distances by [`BoxPair`]'s margin, displacements by the amount that [`Drifts`]
//! adds to the bend. Invariant: a NaN certifies nothing, because bounds are compared as `lower > need`.

use super::drift::{Approach, Drifts, TOO_FAR, UNDERFLOW};
use super::lanes::{Vectors, absolute, along, dot, each, greater, inner, lesser, load, not_negative, splat};
use super::{Node, OtherBox, SlabLanes, SmallBox};
use crate::numeric::simd::*;
use crate::numeric::{Pose, ROUNDOFF_F32, f32_up, norm_up};
use crate::trees::{Direction, Side};

/// The relative pose of two bodies in `f32`, both ways.
#[derive(Clone, Debug)]
pub struct BoxPair {
    a: Frame,
    b: Frame,
    /// Upper bound on the rounding of the kernel, from the inputs' rounding to the last root.
    pub(super) margin: f32,
}

/// One body's axes as the rows of a matrix over the other's, and the position of the other's centre.
#[derive(Clone, Debug)]
struct Frame {
    rotation: [[f32; 3]; 3],
    absolute: [[f32; 3]; 3],
    translation: [f32; 3],
}

impl Frame {
    fn new(pose: &Pose) -> Self {
        let row =
            |i: usize| [pose.rotation.x_axis[i] as f32, pose.rotation.y_axis[i] as f32, pose.rotation.z_axis[i] as f32];
        let rotation = [row(0), row(1), row(2)];
        Self {
            rotation,
            absolute: rotation.map(|r| r.map(f32::abs)),
            translation: pose.translation.to_array().map(|t| t as f32),
        }
    }

    /// From the centre of `own`, in this frame, to `centres`, given in the other frame; in this frame.
    #[inline(always)]
    fn to_lanes<S: Simd>(&self, own: &SmallBox, centres: &Vectors<S>) -> Vectors<S> {
        let turned = self.turn(centres);
        each(
            #[inline(always)]
            |i| turned[i] + (self.translation[i] - own.centre[i]),
        )
    }

    /// From the centre of `other`, given in the other frame, to `centres`, in this frame; in this frame.
    #[inline(always)]
    fn lanes_seen_from<S: Simd>(&self, other: &SmallBox, centres: &Vectors<S>) -> Vectors<S> {
        each(
            #[inline(always)]
            |i| centres[i] - (dot(self.rotation[i], other.centre) + self.translation[i]),
        )
    }

    /// Distances of boxes along each of this frame's axes, negative where they overlap. Their centres are `apart`;
    /// `own` is in this frame, `other` is turned.
    #[inline(always)]
    fn beyond<S: Simd>(&self, apart: &Vectors<S>, own: &Vectors<S>, other: &Vectors<S>) -> Vectors<S> {
        each(
            #[inline(always)]
            |i| {
                let m = self.absolute[i];
                apart[i].abs() - (other[0] * m[0] + other[1] * m[1] + other[2] * m[2] + own[i])
            },
        )
    }

    /// The gap in this frame's axes between boxes, as in [`Self::beyond`].
    #[inline(always)]
    fn gaps<S: Simd>(&self, apart: &Vectors<S>, own: &Vectors<S>, other: &Vectors<S>) -> Gap<S> {
        let beyond = self.beyond(apart, own, other);
        let along = each(
            #[inline(always)]
            |i| greater(beyond[i], f32x8::splat(beyond[i].simd, 0.0)).copysign(apart[i]),
        );
        Gap { along, largest: largest(&beyond) }
    }

    /// A vector of the other frame in this one.
    #[inline(always)]
    fn turn_one(&self, v: [f32; 3]) -> [f32; 3] {
        [dot(self.rotation[0], v), dot(self.rotation[1], v), dot(self.rotation[2], v)]
    }

    /// Vectors of the other frame in this one.
    #[inline(always)]
    fn turn<S: Simd>(&self, v: &Vectors<S>) -> Vectors<S> {
        each(
            #[inline(always)]
            |i| {
                let r = self.rotation[i];
                v[0] * r[0] + v[1] * r[1] + v[2] * r[2]
            },
        )
    }
}

/// Distances of boxes in the axes of one frame.
struct Gap<S: Simd> {
    /// Along each axis, from the other's boxes; 0 where they overlap.
    along: Vectors<S>,
    /// Along the axis where they are farthest apart; if they overlap, minus the least depth.
    largest: f32x8<S>,
}

/// The largest component.
#[inline(always)]
fn largest<S: Simd>(v: &Vectors<S>) -> f32x8<S> {
    greater(greater(v[0], v[1]), v[2])
}

/// From two gaps of the same boxes, each in other axes, with their squared lengths: a lower bound on the distance, or,
/// if the boxes overlap, minus the depth, because the deepest are the likeliest to be in contact.
#[inline(always)]
fn signed_length<S: Simd>(gaps: [&Gap<S>; 2], squared: f32x8<S>) -> f32x8<S> {
    let largest = greater(gaps[0].largest, gaps[1].largest);
    let zero = f32x8::splat(largest.simd, 0.0);
    largest.simd_gt(zero).select(squared.sqrt(), largest)
}

/// The kernel's rounding, in units of u₃₂ times (|p| + extent of A + extent of B). For one axis, rounding R, p and the
/// sums costs at most 8 u (|R||c_b| + |p| + |c_a| + |R||h_b| + |h_a|) on that axis; the norm of the three is at most
/// 8 √3 u S < 14 u S. Squares, sums and root add 3 u of the gap, which is at most S, and the caller's subtraction 1 u.
/// Along a direction, rounding the direction twice (3), two products with centres and translation (4 each) and the
/// supports (6) cost less than 20 u S. 32 leaves room.
const KERNEL_ROUNDING: f64 = 32.0;

impl BoxPair {
    /// The relative pose of bodies with boxes that reach as far as `extents` from their centres. They may be off by
    /// `margin` metres in addition to the rounding here.
    pub(super) fn new(a_from_b: &Pose, extents: [f64; 2], margin: f64) -> Self {
        let size = norm_up(a_from_b.translation) + extents[0] + extents[1];
        let margin = KERNEL_ROUNDING * ROUNDOFF_F32 * size + margin + UNDERFLOW;
        Self {
            a: Frame::new(a_from_b),
            b: Frame::new(&a_from_b.inverse()),
            margin: if size < TOO_FAR { f32_up(margin) } else { f32::INFINITY },
        }
    }

    /// Distances between each box of `node` (of the body on `side`) and `other` (of the body opposite), with upper
    /// bounds on their closing.
    ///
    /// The direction n runs along the gap between the boxes in the axes of the other or of the node's body, whichever
    /// is larger: it separates them by the length of the gap.
    #[inline(always)]
    pub(super) fn approach<S: Simd>(
        &self,
        simd: S,
        drifts: &Drifts,
        side: Side,
        node: &Node,
        other: &SmallBox,
    ) -> Approach<S> {
        let (node_frame, other_frame) = self.frames(side);
        let (centres, halves) = (load(simd, &node.centre), load(simd, &node.half));
        let other_half = splat(simd, other.half);
        let gap_other = other_frame.gaps(&other_frame.to_lanes(other, &centres), &other_half, &halves);
        let gap_node = node_frame.gaps(&node_frame.lanes_seen_from(other, &centres), &halves, &other_half);
        let both = [&gap_other, &gap_node];
        let (gap_other, gap_node) = (gap_other.along, gap_node.along);
        let (squared_other, squared_node) = (inner(&gap_other, &gap_other), inner(&gap_node, &gap_node));
        let is_in_other = squared_other.simd_ge(squared_node);
        let length = signed_length(both, is_in_other.select(squared_other, squared_node));
        // The gap along which the direction runs, in either's axes.
        let (turned_to_node, turned_to_other) = (node_frame.turn(&gap_other), other_frame.turn(&gap_node));
        let in_other = each(
            #[inline(always)]
            |i| is_in_other.select(gap_other[i], turned_to_other[i]),
        );
        let in_node = each(
            #[inline(always)]
            |i| is_in_other.select(turned_to_node[i], gap_node[i]),
        );
        let [earlier, later] = drifts.closing_along(side, [&in_node, &in_other], [&centres, &halves], other);
        let inverse = f32x8::splat(simd, 1.0) / length;
        let earlier = not_negative(earlier * inverse + drifts.upper_stray);
        let later = not_negative(later * inverse + drifts.upper_stray);
        Approach { lower: length - self.margin, upper_closing: [earlier, later] }
    }

    /// The same along the slabs' normals: that of each box of `node` or that of `other`, whichever separates more. For
    /// boxes that overlap although their contents, slanted pieces of surface, do not.
    #[inline(always)]
    pub(super) fn approach_across<S: Simd>(
        &self,
        simd: S,
        drifts: &Drifts,
        side: Side,
        node: (&Node, &SlabLanes),
        other: &OtherBox,
    ) -> Approach<S> {
        let Across { gap, in_node, in_other } = self.across(simd, side, node, other);
        let (centres, halves) = (load(simd, &node.0.centre), load(simd, &node.0.half));
        let [earlier, later] = drifts.closing_along(side, [&in_node, &in_other], [&centres, &halves], &other.small);
        let earlier = not_negative(earlier + drifts.upper_stray);
        let later = not_negative(later + drifts.upper_stray);
        Approach { lower: gap - self.margin, upper_closing: [earlier, later] }
    }

    /// Lower bounds on the distances along the slabs' normals.
    #[inline(always)]
    pub(super) fn gaps_across<S: Simd>(
        &self,
        simd: S,
        side: Side,
        node: (&Node, &SlabLanes),
        other: &OtherBox,
    ) -> f32x8<S> {
        self.across(simd, side, node, other).gap - self.margin
    }

    #[inline(always)]
    fn across<S: Simd>(&self, simd: S, side: Side, (node, slabs): (&Node, &SlabLanes), other: &OtherBox) -> Across<S> {
        let (node_frame, other_frame) = self.frames(side);
        let (centres, halves) = (load(simd, &node.centre), load(simd, &node.half));
        // Across the slab of each lane.
        let slab = SlabVectors::new(simd, slabs);
        let turned = other_frame.turn(&slab.normal);
        let at = inner(&slab.normal, &node_frame.lanes_seen_from(&other.small, &centres));
        let reach = along(&absolute(&turned), other.small.half);
        let (beyond, before) = (at + slab.low, -(at + slab.high));
        let is_beyond = beyond.simd_gt(before);
        let of_lanes = is_beyond.select(beyond, before) - reach;
        let sign = f32x8::splat(simd, 1.0).copysign(beyond - before);
        // Across the slab of the other box.
        let normal = other.slab.normal;
        let in_node = node_frame.turn_one(normal);
        let at = along(&other_frame.to_lanes(&other.small, &centres), normal);
        let reach = along(&halves, in_node.map(f32::abs));
        let (beyond, before) = (at - other.slab.high, -at + other.slab.low);
        let of_other = greater(beyond, before) - reach;
        let other_sign = f32x8::splat(simd, 1.0).copysign(beyond - before);
        let is_of_lane = of_lanes.simd_gt(of_other);
        Across {
            gap: is_of_lane.select(of_lanes, of_other),
            in_node: each(
                #[inline(always)]
                |i| is_of_lane.select(slab.normal[i] * sign, other_sign * in_node[i]),
            ),
            in_other: each(
                #[inline(always)]
                |i| is_of_lane.select(turned[i] * sign, other_sign * normal[i]),
            ),
        }
    }

    /// The frame of the body on `side`, and that of the other.
    #[inline(always)]
    fn frames(&self, side: Side) -> (&Frame, &Frame) {
        match side {
            Side::A => (&self.a, &self.b),
            Side::B => (&self.b, &self.a),
        }
    }

    /// Lower bounds on the distance between each box of `node` (of the body on `side`) and `other` (of the body
    /// opposite): the largest of the gaps along one axis of either. If they overlap, minus the least depth.
    #[inline(always)]
    pub(super) fn gaps<S: Simd>(&self, simd: S, side: Side, node: &Node, other: &SmallBox) -> f32x8<S> {
        let (node_frame, other_frame) = self.frames(side);
        let (centres, halves) = (load(simd, &node.centre), load(simd, &node.half));
        let other_half = splat(simd, other.half);
        let in_node = largest(&node_frame.beyond(&node_frame.lanes_seen_from(other, &centres), &halves, &other_half));
        let in_other = largest(&other_frame.beyond(&other_frame.to_lanes(other, &centres), &other_half, &halves));
        greater(in_other, in_node) - self.margin
    }

    /// Lower bounds on the distance between each box of `node` (of the body on `side`) and `other` (of the body
    /// opposite): the largest of the separation along the given direction, of the gaps in the axes of either, and of
    /// the separation along the line from centre to centre. Stops computing these once all lanes exceed `enough`.
    #[inline(always)]
    pub(super) fn lower_bounds<S: Simd>(
        &self,
        simd: S,
        side: Side,
        (node, slabs): (&Node, &SlabLanes),
        other: &OtherBox,
        direction: &Direction,
        enough: f32,
    ) -> f32x8<S> {
        let (n_node, n_other) = match side {
            Side::A => (direction.in_a.map(|c| -c), direction.in_b.map(|c| -c)),
            Side::B => (direction.in_b, direction.in_a),
        };
        let (node_frame, other_frame) = self.frames(side);
        let (centres, halves) = (load(simd, &node.centre), load(simd, &node.half));
        let slabs = SlabVectors::new(simd, slabs);
        let is_enough = |lower: f32x8<S>| lower.simd_gt(f32x8::splat(simd, enough)).to_bitmask() == 0xff;
        // From the centre of the other box to the node's centres, in the other's axes.
        let in_other = other_frame.to_lanes(&other.small, &centres);
        let given = [splat(simd, n_node), splat(simd, n_other)];
        let separation = separations(&halves, &slabs, other, &given[0], &given[1], &in_other);
        if is_enough(separation - self.margin) {
            return separation - self.margin;
        }
        let other_half = splat(simd, other.small.half);
        let in_node = node_frame.lanes_seen_from(&other.small, &centres);
        let gap_other = other_frame.gaps(&in_other, &other_half, &halves);
        let gap_node = node_frame.gaps(&in_node, &halves, &other_half);
        let squared = greater(inner(&gap_other.along, &gap_other.along), inner(&gap_node.along, &gap_node.along));
        let gap = signed_length([&gap_other, &gap_node], squared);
        let so_far = greater(gap, separation);
        if is_enough(so_far - self.margin) {
            return so_far - self.margin;
        }
        let length = greater(inner(&in_other, &in_other), f32x8::splat(simd, 1e-30)).sqrt();
        let between = separations(&halves, &slabs, other, &in_node, &in_other, &in_other);
        // The vector between the centres was computed in either's axes, each time with an error below half the margin.
        // For a direction made from it, the error grows with the node's size over its length.
        let from_centres = (between - (halves[0] + halves[1] + halves[2]) * self.margin) / length;
        greater(so_far, from_centres) - self.margin
    }
}

/// Distances of boxes across a slab's normal.
struct Across<S: Simd> {
    /// Negative where they overlap.
    gap: f32x8<S>,
    /// The direction from the other box to the lane's, in the axes of either.
    in_node: Vectors<S>,
    in_other: Vectors<S>,
}

/// The same as [`SlabLanes`].
struct SlabVectors<S: Simd> {
    normal: Vectors<S>,
    low: f32x8<S>,
    high: f32x8<S>,
    radius: f32x8<S>,
}

impl<S: Simd> SlabVectors<S> {
    #[inline(always)]
    fn new(simd: S, slabs: &SlabLanes) -> Self {
        Self {
            normal: load(simd, &slabs.normal),
            low: f32x8::simd_from(simd, slabs.low),
            high: f32x8::simd_from(simd, slabs.high),
            radius: f32x8::simd_from(simd, slabs.radius),
        }
    }
}

/// Separation of a node's boxes from the other one along directions given in the axes of both, times the directions'
/// length; `offset` runs from the centre of the other box to the node's. The reach of each side is bounded by its
/// corners or its slab, whichever gives less.
#[inline(always)]
fn separations<S: Simd>(
    halves: &Vectors<S>,
    slab: &SlabVectors<S>,
    other: &OtherBox,
    n_node: &Vectors<S>,
    n_other: &Vectors<S>,
    offset: &Vectors<S>,
) -> f32x8<S> {
    let by_box = inner(&absolute(n_node), halves);
    let (cosine, sine) = angle(n_node, &slab.normal);
    let by_slab = sine * slab.radius - lesser(cosine * slab.low, cosine * slab.high);
    let reach_node = lesser(by_box, by_slab);
    let other_slab = &other.slab;
    let by_box = along(&absolute(n_other), other.small.half);
    let (cosine, sine) = angle(n_other, &splat(cosine.simd, other_slab.normal));
    let by_slab = sine * other_slab.radius + greater(cosine * other_slab.low, cosine * other_slab.high);
    let reach_other = lesser(by_box, by_slab);
    inner(n_other, offset) - reach_node - reach_other
}

/// Dot product of `n` with the unit vector `m`, and the length of their cross product.
#[inline(always)]
fn angle<S: Simd>(n: &Vectors<S>, m: &Vectors<S>) -> (f32x8<S>, f32x8<S>) {
    let sine = [n[1] * m[2] - n[2] * m[1], n[2] * m[0] - n[0] * m[2], n[0] * m[1] - n[1] * m[0]];
    (inner(n, m), inner(&sine, &sine).sqrt())
}
