//! Shows that two bodies stay farther apart than required over halves of a cell, by a descent over two trees of boxes.
//!
//! Fix a direction n in the frame that the motion is seen from. The gap g(τ) = n·(b − a) of two points is at least g +
//! τ ġ − bend over a half of the cell. That is concave in τ, so its least is at τ = 0 or at the half's end: a pair of
//! boxes is done for the half if g > c and g ± (h/2) ġ − bend > c; or for both if g − travel > c. All three gaps are
//! affine in a and b, so their least over two boxes, or two primitives, is a difference of supports. Any n is sound;
//! the choice affects only how much is accepted. Pairs of nodes that are not shown for a half are left to the cells
//! that it is cut into; if it is not cut, all must be shown. In all comparisons NaN is no gap.

use pathproof::distance::{gjk, penetration, triangle};
use pathproof::numeric::{DVec3, Pose, ROUNDOFF_F64, most};
use pathproof::shapes::{Body, Convex, Primitive};

use crate::motion::Relative;
use crate::solid::{Shape, Solid, far_point, support};
use crate::tree::{Inside, Node, Tree};
use crate::work::Work;

/// Halves of a cell, as bits: the earlier one and the later one.
pub(crate) type Halves = u8;

/// The earlier and the later half.
const BOTH: Halves = 3;

/// Numbers of two nodes, one of each body's tree.
pub(crate) type NodePair = [u32; 2];

/// Nodes no larger than this many times the motion are left to halves that are examined again. Affects only the work to
/// accept a certificate.
const GRAIN: f64 = 3.0;

/// If a plane is between two bodies and the gap is more than this share of the motion, time is cut rather than the
/// bodies. Affects only the work.
const WORTH_CUTTING: f64 = 0.01;

/// Work to find the shortest direction between two primitives, in pairs of nodes.
const WORK_OF_PRIMITIVES: u64 = 8;

/// The claim to show.
pub(crate) struct Claim<'a> {
    pub(crate) relative: &'a Relative,
    /// The gap must exceed this; includes the allowance for the margin.
    need: f64,
    /// True if the clearance is of the bodies' signed distance.
    is_signed: bool,
    work: &'a Work,
}

/// Memory of two bodies from cell to cell, to look there first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// The last direction that separated them, in the first body's axes.
    direction: DVec3,
    /// Their farthest primitives along that direction.
    farthest: [u32; 2],
    /// Nearest features of the approximate shapes.
    nearest: gjk::Tracker,
}

/// Gaps along a direction: n, its gradients on both bodies (in their own axes) and offsets; now, at the cell's start
/// and at its end.
struct Along {
    on_a: [DVec3; 3],
    on_b: [DVec3; 3],
    offset: [f64; 3],
}

impl<'a> Claim<'a> {
    /// Claims that two bodies are farther apart than `clearance`.
    pub(crate) fn new(relative: &'a Relative, clearance: f64, work: &'a Work) -> Self {
        Self { relative, need: (clearance + relative.margin).next_up(), is_signed: clearance < 0.0, work }
    }

    /// Shows the claim for whole bodies over the halves `covered`, by one plane: along `hint` (in the first body's
    /// axes), the last successful direction, or that between approximate shapes. Returns the halves for which it is not
    /// shown; `None` if cutting them would hardly show it either.
    pub(crate) fn whole(
        &self,
        [a, b]: [&Solid<'_>; 2],
        hint: DVec3,
        known: &mut Known,
        covered: Halves,
    ) -> Option<Halves> {
        let (Shape::Parts { body: body_a, tree: tree_a }, Shape::Parts { body: body_b, tree: tree_b }) =
            (&a.shape, &b.shape)
        else {
            return self.shows([a, b], &[[0, 0]], hint, covered, &mut |_, _| ()).then_some(0);
        };
        let (mut left, mut widest) = (covered, 0.0);
        for attempt in 0..3 {
            let direction = match attempt {
                0 => hint,
                1 => known.direction,
                _ => self.between([a, b], &mut known.nearest),
            };
            let Some(along) = self.along(direction) else { continue };
            let (mut seen, [mut on_a, mut on_b]) = (0, known.farthest);
            left &= !self.enough(
                |k| {
                    let of_a = tree_a.support(body_a, along.on_a[k], &mut on_a, &mut seen);
                    let gap = along.offset[k] - of_a - tree_b.support(body_b, -along.on_b[k], &mut on_b, &mut seen);
                    widest = if k == 0 { most(widest, gap - self.need) } else { widest };
                    gap
                },
                left,
            );
            known.farthest = [on_a, on_b];
            if !self.work.take(seen) {
                return None;
            }
            if left == 0 {
                known.direction = direction;
                return Some(0);
            }
        }
        // In half the time bodies travel half as far, and stray a quarter as far.
        (widest > WORTH_CUTTING * self.relative.upper_travel).then_some(left)
    }

    /// The direction between the bodies' approximate shapes, in the first one's axes; 0 if they overlap.
    fn between(&self, solids: [&Solid<'_>; 2], nearest: &mut gjk::Tracker) -> DVec3 {
        let [Some((a, a_from_shape)), Some((b, b_from_shape))] = solids.map(|solid| solid.likeness.as_ref()) else {
            return self.relative.a_from_b.translation;
        };
        if !self.work.take(WORK_OF_PRIMITIVES) {
            return DVec3::ZERO;
        }
        let relative = a_from_shape.inverse_mul(&(self.relative.a_from_b * *b_from_shape));
        let found = gjk::distance(a, b, &relative, self.need + self.relative.upper_travel, nearest);
        a_from_shape.vector(found.direction)
    }

    /// Shows the claim for pairs of nodes, along `hint` (in the first body's axes) first: over the halves `covered` for
    /// all of them, over the others for as many as it can. Passes what is left of the others to `leave`, half by half.
    /// Returns true if the covered halves were shown.
    pub(crate) fn shows(
        &self,
        [a, b]: [&Solid<'_>; 2],
        nodes: &[NodePair],
        hint: DVec3,
        covered: Halves,
        leave: &mut impl FnMut(usize, NodePair),
    ) -> bool {
        match (&a.shape, &b.shape) {
            (Shape::HalfSpace { normal }, Shape::Parts { body, tree }) => {
                for half in (0..2).filter(|half| covered & (1 << half) == 0) {
                    nodes.iter().for_each(|pair| leave(half, *pair));
                }
                self.is_above(*normal, body, tree, covered)
            }
            (Shape::Parts { body: body_a, tree: tree_a }, Shape::Parts { body: body_b, tree: tree_b }) => {
                let hint = self.along(hint).or_else(|| self.along(self.relative.a_from_b.translation));
                self.are_apart([body_a, body_b], [tree_a, tree_b], nodes, hint.as_ref(), covered, leave)
            }
            (_, Shape::HalfSpace { .. }) => false,
        }
    }

    /// The gaps along a direction of any length; `None` if it cannot be made a unit vector.
    fn along(&self, direction: DVec3) -> Option<Along> {
        let n = direction / direction.length();
        if !((n.length_squared() - 1.0).abs() <= 16.0 * ROUNDOFF_F64) {
            return None;
        }
        let r = self.relative;
        let [slope_a, slope_b] = r.spins.map(|spin| n.cross(spin) * r.half);
        let speed = n.dot(r.velocities[1] - r.velocities[0]) * r.half;
        let offset = n.dot(r.a_from_b.translation);
        Some(Along {
            on_a: [n, n - slope_a, n + slope_a],
            on_b: [n, n - slope_b, n + slope_b].map(|g| r.a_from_b.inverse_vector(g)),
            offset: [offset, offset - speed, offset + speed],
        })
    }

    /// The halves for which gaps (now, at the cell's start, at its end) are enough.
    #[inline(always)]
    fn enough(&self, mut gap: impl FnMut(usize) -> f64, halves: Halves) -> Halves {
        let now = gap(0);
        if !(now > self.need) {
            return 0;
        }
        if now > self.need + self.relative.upper_travel * (1.0 + 4.0 * ROUNDOFF_F64) {
            return halves;
        }
        let at_end = self.need + self.relative.upper_bend * (1.0 + 16.0 * ROUNDOFF_F64);
        let mut is_done = |half: usize| halves & (1 << half) != 0 && gap(1 + half) > at_end;
        u8::from(is_done(0)) | u8::from(is_done(1)) << 1
    }

    #[inline(always)]
    fn enough_between(&self, along: &Along, a: &Node, b: &Node, halves: Halves) -> Halves {
        self.enough(|k| along.offset[k] - a.support(along.on_a[k]) - b.support(-along.on_b[k]), halves)
    }

    /// Tests that a body stays above the half-space of the first frame.
    fn is_above(&self, normal: DVec3, body: &Body, tree: &Tree, halves: Halves) -> bool {
        let Some(along) = self.along(normal) else { return false };
        let mut pending = vec![(0, halves)];
        while let Some((number, mut left)) = pending.pop() {
            if !self.work.take(1) {
                return false;
            }
            let node = tree.node(number);
            left &= !self.enough(|k| along.offset[k] - node.support(-along.on_b[k]), left);
            match node.inside {
                _ if left == 0 => {}
                Inside::Nodes(children) => pending.extend(children.map(|child| (child, left))),
                Inside::Primitive(i) => {
                    let primitive = body.primitive(i as usize);
                    if left != self.enough(|k| along.offset[k] - support(&primitive, -along.on_b[k]), left) {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn are_apart(
        &self,
        bodies: [&Body; 2],
        tree: [&Tree; 2],
        nodes: &[NodePair],
        hint: Option<&Along>,
        covered: Halves,
        leave: &mut impl FnMut(usize, NodePair),
    ) -> bool {
        let mut pending = Vec::with_capacity(64 + nodes.len());
        pending.extend(nodes.iter().map(|&[i, j]| (i, j, BOTH)));
        while let Some((i, j, mut left)) = pending.pop() {
            if !self.work.take(1) {
                return false;
            }
            let (a, b) = (tree[0].node(i), tree[1].node(j));
            if let Some(hint) = hint {
                left &= !self.enough_between(hint, a, b, left);
            }
            if left != 0 {
                left &= !self.enough_by_axes(a, b, left);
            }
            // Nodes that are small against the motion are left to the halves that are examined again.
            let is_small = !(most(a.half().max_element(), b.half().max_element()) > GRAIN * self.relative.upper_travel);
            let is_primitive = matches!((a.inside, b.inside), (Inside::Primitive(_), Inside::Primitive(_)));
            let mut leave_all = |halves: Halves| {
                (0..2).filter(|half| halves & (1 << half) != 0).for_each(|half| leave(half, [i, j]));
            };
            if is_small || is_primitive {
                leave_all(left & !covered);
                left &= covered;
            }
            match (a.inside, b.inside) {
                _ if left == 0 => {}
                (Inside::Primitive(p), Inside::Primitive(q)) => {
                    let pair = [bodies[0].primitive(p as usize), bodies[1].primitive(q as usize)];
                    if !self.are_primitives_apart(&pair, hint, left & covered) {
                        return false;
                    }
                    let is_open = |half: &Halves| left & !covered & half != 0;
                    let unshown = |half: &Halves| !self.are_primitives_apart(&pair, hint, *half);
                    leave_all([1, 2].into_iter().filter(is_open).filter(unshown).sum());
                }
                (Inside::Nodes(children), Inside::Primitive(_)) => pending.extend(children.map(|c| (c, j, left))),
                (Inside::Primitive(_), Inside::Nodes(children)) => pending.extend(children.map(|c| (i, c, left))),
                (Inside::Nodes(of_a), Inside::Nodes(of_b)) => {
                    if a.half().max_element() > b.half().max_element() {
                        pending.extend(of_a.map(|c| (c, j, left)));
                    } else {
                        pending.extend(of_b.map(|c| (i, c, left)));
                    }
                }
            }
        }
        true
    }

    /// The halves for which the gap between two boxes, measured in the axes of either, is enough.
    fn enough_by_axes(&self, a: &Node, b: &Node, halves: Halves) -> Halves {
        let pose = &self.relative.a_from_b;
        let rows = pose.rotation.transpose();
        let (half_a, half_b) = (a.half(), b.half());
        let absolute = |m: &pathproof::numeric::DMat3, v: DVec3| {
            m.x_axis.abs() * v.x + m.y_axis.abs() * v.y + m.z_axis.abs() * v.z
        };
        let gaps = |apart: DVec3, reach: DVec3| (apart.abs() - reach).max(DVec3::ZERO) * apart.signum();
        let apart_in_a = pose.point(b.centre()) - a.centre();
        let in_a = gaps(apart_in_a, half_a + absolute(&pose.rotation, half_b));
        let in_b = gaps(pose.inverse_vector(apart_in_a), half_b + absolute(&rows, half_a));
        let is_a = in_a.length_squared() > in_b.length_squared();
        let gap = if is_a { in_a } else { pose.vector(in_b) };
        // The direction is measured again; this only tests if it is worth it.
        if !(gap.length() > self.need) {
            return 0;
        }
        self.along(gap).map_or(0, |along| self.enough_between(&along, a, b, halves))
    }

    fn enough_primitives(&self, along: &Along, [a, b]: &[Primitive<'_>; 2], halves: Halves) -> Halves {
        self.enough(|k| along.offset[k] - support(a, along.on_a[k]) - support(b, -along.on_b[k]), halves)
    }

    fn are_primitives_apart(&self, pair: &[Primitive<'_>; 2], hint: Option<&Along>, halves: Halves) -> bool {
        let mut left = halves;
        if let Some(hint) = hint {
            left &= !self.enough_primitives(hint, pair, left);
        }
        if left == 0 {
            return true;
        }
        if !self.work.take(WORK_OF_PRIMITIVES) {
            return false;
        }
        let shortest = self.shortest(pair);
        if let Some(along) = self.along(shortest) {
            left &= !self.enough_primitives(&along, pair, left);
        }
        (0..2).filter(|half| left & (1 << half) != 0).all(|half| self.is_half_apart(pair, shortest, half))
    }

    /// The direction from one primitive to the other.
    fn shortest(&self, pair: &[Primitive<'_>; 2]) -> DVec3 {
        let pose = &self.relative.a_from_b;
        if let [Primitive::Triangle(a), Primitive::Triangle(b)] = pair {
            return triangle::distance(a, &b.map(|p| pose.point(p)), self.relative.margin).direction;
        }
        let [(a, a_from_shape), (b, b_from_shape)] = [convex(&pair[0]), convex(&pair[1])];
        let relative = a_from_shape.inverse_mul(&(*pose * b_from_shape));
        let mut tracker = gjk::Tracker::default();
        let found = match self.is_signed {
            true => penetration::signed_distance(&a, &b, &relative, &mut tracker),
            false => gjk::distance(&a, &b, &relative, f64::INFINITY, &mut tracker),
        };
        a_from_shape.vector(found.direction)
    }

    /// Searches for the best direction for one half: that of the point nearest to 0 in the hull of all differences b −
    /// a now and of those at the half's end, the latter within balls of radius bend (Gilbert's iteration).
    fn is_half_apart(&self, pair: &[Primitive<'_>; 2], start: DVec3, half: usize) -> bool {
        const STEPS: usize = 200;
        let r = self.relative;
        let way = if half == 0 { -r.half } else { r.half };
        let difference = |a: DVec3, b: DVec3, share: f64| {
            let turned = r.a_from_b.vector(b);
            let speed = r.velocities[1] + r.spins[1].cross(turned) - r.velocities[0] - r.spins[0].cross(a);
            turned + r.a_from_b.translation - a + speed * (way * share)
        };
        let mut nearest: Option<DVec3> = None;
        for _ in 0..STEPS {
            let direction = nearest.unwrap_or(start);
            let Some(along) = self.along(direction).filter(|_| self.work.take(1)) else { return false };
            if self.enough_primitives(&along, pair, 1 << half) != 0 {
                return true;
            }
            let n = along.on_a[0];
            let at = |k: usize, share: f64| {
                difference(far_point(&pair[0], along.on_a[k]), far_point(&pair[1], -along.on_b[k]), share)
            };
            let (now, end) = (at(0, 0.0), at(1 + half, 1.0) - n * r.upper_bend);
            let extreme = if n.dot(now) < n.dot(end) { now } else { end };
            nearest = Some(match nearest {
                None => extreme,
                Some(z) => {
                    let step = extreme - z;
                    z + step * (-z.dot(step) / step.length_squared()).clamp(0.0, 1.0)
                }
            });
        }
        false
    }
}

fn convex(primitive: &Primitive<'_>) -> (Convex, Pose) {
    match primitive {
        Primitive::Triangle(corners) => (Convex::triangle(*corners), Pose::IDENTITY),
        Primitive::Piece(piece) => (piece.shape.clone(), piece.centre_from_piece),
    }
}
