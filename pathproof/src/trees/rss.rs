//! Binary trees of rectangle swept spheres: all points within a radius of a rectangle (the volume of the
//! exact-collision-checking paper §3.2, after Larsen et al.).
//!
//! A rectangle is stored as its centre and two half-edge vectors in `f32`; the radius is rounded up by the stated
//! margin, so that the volume holds its primitives. The distance of two rectangles is found exactly (edge against
//! edge, corner against face) and then certified by the separation along the direction found.

mod fit;

use fit::{fit, outward_margin};

use super::build::{Item, items, spanning_points};
use super::traverse::{Children, Side};
use super::{Direction, Slot, VolumeTree};
use crate::numeric::segments::{closest, lanes};
use crate::numeric::simd::Simd;
use crate::numeric::{DVec3, Pose, ROUNDOFF_F32, ROUNDOFF_F64, f32_up, most, norm_up, unit};
use crate::shapes::Body;

const LEAF: u32 = 1 << 31;

/// A rectangle swept by a ball.
#[derive(Clone, Copy, Debug)]
struct Rss {
    centre: [f32; 3],
    /// Half-edge vectors. Nearly orthogonal; no result depends on how nearly.
    half_edges: [[f32; 3]; 2],
    radius: f32,
    /// A leaf's primitive, or the first of two neighbouring children.
    child: u32,
}

/// A rectangle in `f64`, in the frame of a query.
#[derive(Clone, Copy, Debug)]
struct Rectangle {
    centre: DVec3,
    half_edges: [DVec3; 2],
    radius: f64,
}

/// A tree of rectangle swept spheres. A slot is the index of a node.
#[derive(Clone, Debug)]
pub struct RssTree {
    nodes: Vec<Rss>,
    /// Upper bound on |centre| + |half edges| of any rectangle.
    extent: f64,
}

/// Constants of a query of two RSS trees.
#[derive(Clone, Debug)]
pub struct RssPair {
    a_from_b: Pose,
    /// Upper bound on the rounding of the separation: it is a sum of some 20 terms of at most the extents.
    margin: f64,
}

fn wide(v: [f32; 3]) -> DVec3 {
    DVec3::new(f64::from(v[0]), f64::from(v[1]), f64::from(v[2]))
}

fn narrow(v: DVec3) -> [f32; 3] {
    v.to_array().map(|c| c as f32)
}

impl Rectangle {
    /// The point at parameters in [−1, 1].
    #[inline(always)]
    fn at(&self, s: f64, t: f64) -> DVec3 {
        self.centre + self.half_edges[0] * s + self.half_edges[1] * t
    }

    /// Corners in order around the rectangle.
    #[inline(always)]
    fn corners(&self) -> [DVec3; 4] {
        [self.at(-1.0, -1.0), self.at(1.0, -1.0), self.at(1.0, 1.0), self.at(-1.0, 1.0)]
    }

    /// The point of the rectangle closest to `p`.
    #[inline(always)]
    fn closest_to(&self, p: DVec3) -> DVec3 {
        let v = p - self.centre;
        let parameter = |edge: DVec3| (v.dot(edge) / most(edge.length_squared(), 1e-300)).clamp(-1.0, 1.0);
        self.at(parameter(self.half_edges[0]), parameter(self.half_edges[1]))
    }

    /// Half the width along the unit vector `n`.
    #[inline(always)]
    fn reach(&self, n: DVec3) -> f64 {
        n.dot(self.half_edges[0]).abs() + n.dot(self.half_edges[1]).abs()
    }
}

/// The vector between closest points of two rectangles that do not cross.
#[inline(always)]
fn closest_vector(a: &Rectangle, b: &Rectangle) -> DVec3 {
    let (ca, cb) = (a.corners(), b.corners());
    let edge = |c: &[DVec3; 4], i: usize| c[(i + 1) % 4] - c[i];
    let (p, d) = (lanes::<16>(|k| ca[k % 4]), lanes::<16>(|k| edge(&ca, k % 4)));
    let (q, e) = (lanes::<16>(|k| cb[k / 4]), lanes::<16>(|k| edge(&cb, k / 4)));
    let pairs = closest(&p, &d, &q, &e);
    let mut best = 0;
    for k in 1..16 {
        if pairs.squared[k] < pairs.squared[best] {
            best = k;
        }
    }
    let on_a = ca[best % 4] + edge(&ca, best % 4) * pairs.s[best];
    let on_b = cb[best / 4] + edge(&cb, best / 4) * pairs.t[best];
    let (mut vector, mut squared) = (on_b - on_a, pairs.squared[best]);
    for k in 0..4 {
        for candidate in [cb[k] - a.closest_to(cb[k]), b.closest_to(ca[k]) - ca[k]] {
            if candidate.length_squared() < squared {
                (vector, squared) = (candidate, candidate.length_squared());
            }
        }
    }
    vector
}

/// Lower bound on the distance of two volumes; 0 or less if they may meet.
#[inline(always)]
fn lower_distance(a: &Rectangle, b: &Rectangle, margin: f64) -> f32 {
    let vector = closest_vector(a, b);
    let radii = a.radius + b.radius;
    if !(vector.length() > radii) {
        return 0.0;
    }
    let Some(n) = unit(vector) else { return 0.0 };
    let separation = n.dot(b.centre - a.centre) - a.reach(n) - b.reach(n);
    crate::numeric::f32_down(separation - radii - margin)
}

impl RssTree {
    fn rectangle(&self, slot: Slot) -> Rectangle {
        let rss = &self.nodes[slot.0 as usize];
        Rectangle { centre: wide(rss.centre), half_edges: rss.half_edges.map(wide), radius: f64::from(rss.radius) }
    }

    /// Fills node `node` with the volume around `items` and adds everything below it.
    fn fill(&mut self, node: usize, items: &mut [Item], body: &Body) {
        let (rectangle, axes) = fit(items, body);
        let edges = norm_up(rectangle.half_edges[0]) + norm_up(rectangle.half_edges[1]);
        self.extent = most(self.extent, norm_up(rectangle.centre) + edges + rectangle.radius);
        let mut rss = Rss {
            centre: narrow(rectangle.centre),
            half_edges: rectangle.half_edges.map(narrow),
            radius: f32_up(rectangle.radius),
            child: 0,
        };
        if let [item] = items {
            rss.child = LEAF | item.primitive;
            self.nodes[node] = rss;
            return;
        }
        rss.child = self.nodes.len() as u32;
        self.nodes[node] = rss;
        self.nodes.extend([rss, rss]);
        let cut = split_along(items, axes.x_axis);
        let (left, right) = items.split_at_mut(cut);
        self.fill(rss.child as usize, left, body);
        self.fill(rss.child as usize + 1, right, body);
    }
}

/// Splits at the mean along the longest axis, as the paper's trees do; at the median if that leaves a side empty.
fn split_along(items: &mut [Item], axis: DVec3) -> usize {
    let along = |item: &Item| item.bounds.centre().dot(axis);
    let mean = items.iter().map(along).sum::<f64>() / items.len() as f64;
    let mut next = 0;
    for i in 0..items.len() {
        if along(&items[i]) <= mean {
            items.swap(i, next);
            next += 1;
        }
    }
    // A lopsided cut makes the tree deep: at most 15 to 1, then the median.
    let least = items.len() / 16 + usize::from(items.len() < 16);
    if next < least.max(1) || items.len() - next < least.max(1) {
        next = items.len() / 2;
        items.select_nth_unstable_by(next, |a, b| along(a).total_cmp(&along(b)).then(a.primitive.cmp(&b.primitive)));
    }
    next
}

impl RssTree {
    /// The children of `opened`, a node of the body on `side`, with bounds on their distances from a volume of the
    /// other.
    fn children(&self, pair: &RssPair, side: Side, opened: Slot, other: Rectangle) -> Children {
        let first = self.nodes[opened.0 as usize].child;
        let mut children = Children { count: 2, slots: [Slot(first); 8], lower: [0.0; 8] };
        children.slots[1] = Slot(first + 1);
        let other = if side == Side::A { pair.in_a(other) } else { other };
        for i in 0..2 {
            let child = self.rectangle(children.slots[i]);
            children.lower[i] = match side {
                Side::A => lower_distance(&child, &other, pair.margin),
                Side::B => lower_distance(&other, &pair.in_a(child), pair.margin),
            };
        }
        children
    }
}

impl VolumeTree for RssTree {
    type Pair = RssPair;

    fn build(body: &Body) -> Self {
        let mut items = items(body);
        let mut tree = Self { nodes: Vec::with_capacity(items.len() * 2), extent: 0.0 };
        tree.nodes.push(Rss { centre: [0.0; 3], half_edges: [[0.0; 3]; 2], radius: 0.0, child: 0 });
        tree.fill(0, &mut items, body);
        tree
    }

    #[inline(always)]
    fn root(&self) -> Slot {
        Slot(0)
    }

    #[inline(always)]
    fn primitive(&self, slot: Slot) -> Option<usize> {
        let child = self.nodes[slot.0 as usize].child;
        (child & LEAF != 0).then_some((child & !LEAF) as usize)
    }

    #[inline(always)]
    fn size(&self, slot: Slot) -> f32 {
        let rss = &self.nodes[slot.0 as usize];
        let [s, t] = rss.half_edges.map(|e| e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
        rss.radius + (if s > t { s } else { t }).sqrt()
    }

    fn pair(a: &Self, b: &Self, a_from_b: &Pose, margin: f64) -> RssPair {
        let size = norm_up(a_from_b.translation) + a.extent + b.extent;
        // Besides the sums, the stored radius was already rounded outward to f32: only f64 work remains here.
        let rounding = 64.0 * ROUNDOFF_F64 * size + f64::from(f32::MIN_POSITIVE) * ROUNDOFF_F32;
        RssPair { a_from_b: *a_from_b, margin: rounding + margin }
    }

    #[inline(always)]
    fn lower_root<S: Simd>(_simd: S, pair: &RssPair, a: &Self, b: &Self, _direction: &Direction) -> f32 {
        lower_distance(&a.rectangle(a.root()), &pair.in_a(b.rectangle(b.root())), pair.margin)
    }

    #[inline(always)]
    fn open<S: Simd>(
        _simd: S,
        pair: &RssPair,
        side: Side,
        [opened_tree, other_tree]: [&Self; 2],
        [opened, other]: [Slot; 2],
        _direction: &Direction,
        _enough: f32,
    ) -> Children {
        opened_tree.children(pair, side, opened, other_tree.rectangle(other))
    }

    fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Rss>() + size_of::<Self>()
    }

    fn broken_invariant(&self, body: &Body) -> Option<String> {
        let mut seen = vec![false; body.primitives()];
        let mut pending = vec![(self.root(), Vec::<Slot>::new())];
        while let Some((slot, mut path)) = pending.pop() {
            path.push(slot);
            let Some(primitive) = self.primitive(slot) else {
                let first = self.nodes[slot.0 as usize].child;
                pending.extend([(Slot(first), path.clone()), (Slot(first + 1), path)]);
                continue;
            };
            if primitive >= seen.len() || std::mem::replace(&mut seen[primitive], true) {
                return Some(format!("primitive {primitive} is unknown or in two leaves"));
            }
            for ancestor in path {
                let rectangle = self.rectangle(ancestor);
                // The radius must hold the point with half of the outward margin to spare, which exceeds the rounding
                // of this test.
                let allowed = rectangle.radius - 0.5 * outward_margin(&rectangle);
                let mut outside = false;
                spanning_points(body, primitive, |p| outside |= !((p - rectangle.closest_to(p)).length() <= allowed));
                if outside {
                    return Some(format!("primitive {primitive} is not inside the volume {ancestor:?} above it"));
                }
            }
        }
        seen.iter().position(|seen| !seen).map(|missing| format!("primitive {missing} is in no leaf"))
    }
}

impl RssPair {
    #[inline(always)]
    fn in_a(&self, b: Rectangle) -> Rectangle {
        Rectangle {
            centre: self.a_from_b.point(b.centre),
            half_edges: b.half_edges.map(|e| self.a_from_b.vector(e)),
            radius: b.radius,
        }
    }
}

#[cfg(test)]
#[path = "rss_tests.rs"]
mod tests;
