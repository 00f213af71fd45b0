//! Shards: parts of long, slanted triangles, each a leaf of its own.
//!
//! The box around a sliver that runs across the axes is far larger than the sliver, and the boxes of a fan overlap
//! however they are grouped. Such triangles are cut across the longest side of their boxes, the largest box first,
//! until none is wasteful and large or there are enough cuts (docs/design.md#trees). A leaf of a shard still stands
//! for its whole triangle; only its box is smaller. Invariant: every point of a triangle is in the box of one of its
//! shards.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::build::{Item, area};
use crate::numeric::{DVec3, ROUNDOFF_F64};
use crate::shapes::{Aabb, Body, Primitive};

/// A box is wasteful if its sides measure this many times the part that its content covers. Triangles of ordinary
/// shape are below: 2 in the plane of two axes, some 3 if turned.
const WASTEFUL: f64 = 6.0;

/// A box is large if its area is this many times that of the body's box divided by the number of primitives.
const LARGE: f64 = 8.0;

/// At most one cut per this many primitives: trees stay below 120 bytes per triangle.
const PRIMITIVES_PER_CUT: usize = 5;

/// Most nested cuts of a triangle.
const DEEPEST: u32 = 16;

/// A convex polygon, part of a triangle.
struct Shard {
    corners: Vec<DVec3>,
    primitive: u32,
    area: f64,
    depth: u32,
    /// Distinguishes shards of the same size.
    number: usize,
}

impl Ord for Shard {
    fn cmp(&self, other: &Self) -> Ordering {
        self.area.total_cmp(&other.area).then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for Shard {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Shard {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Shard {}

impl Shard {
    fn new(corners: Vec<DVec3>, primitive: u32, depth: u32, number: usize) -> Self {
        let area = area(&Aabb::of(corners.iter().copied()));
        Self { corners, primitive, area, depth, number }
    }

    /// True if its box is worth cutting; never if numbers overflow.
    fn is_worth_cutting(&self, smallest: f64) -> bool {
        self.area > smallest && self.area.is_finite() && self.area > WASTEFUL * shadow(&self.corners)
    }

    /// The item of this part of a triangle with the box `whole`.
    ///
    /// Each corner that [`cut`] adds stands for the exact point p + t (q − p) of an edge of the exact polygon, with t
    /// the computed number and p, q the exact points of its ends. Chords between such points divide the exact polygon
    /// with nothing left out, wherever they are: the polygon of all crossings is part of the hulls of both sides, and
    /// each cap beside it part of one. A computed corner is off its exact point by at most the larger error of its
    /// ends plus 5 u times the largest coordinate (difference, product and sum: 2 + 2 + 1). The same then holds for
    /// the distance of every point of the triangle from one of the polygons, and a box that is wider by 8 u per cut
    /// holds its share. Underflow loses less than the least normal number.
    fn item(&self, whole: &Aabb) -> Item {
        let largest = whole.min.abs().max(whole.max.abs()).max_element();
        let room = 8.0 * f64::from(self.depth) * ROUNDOFF_F64 * largest + f64::MIN_POSITIVE;
        let own = Aabb::of(self.corners.iter().copied());
        let bounds = Aabb { min: (own.min - room).max(whole.min), max: (own.max + room).min(whole.max) };
        Item { primitive: self.primitive, bounds, is_shard: true }
    }
}

/// The items of a body with triangles cut where that pays; unchanged if none is.
pub(super) fn cut_long_triangles(items: Vec<Item>, body: &Body) -> Vec<Item> {
    let around = super::build::bounds(&items);
    let smallest = LARGE * area(&around) / items.len() as f64;
    // Loose triangles stay whole: a tree keeps each apart, and its shards would need a node of their own.
    let mut triangles = vec![0usize; body.components().len()];
    (0..body.triangles().len()).for_each(|i| triangles[body.component_of(i) as usize] += 1);
    let is_loose = |item: &Item| triangles[body.component_of(item.primitive as usize) as usize] < 2;
    let mut pending = BinaryHeap::new();
    let mut whole = Vec::with_capacity(items.len());
    for item in &items {
        let shard = match body.primitive(item.primitive as usize) {
            Primitive::Triangle(corners) if area(&item.bounds) > smallest && !is_loose(item) => {
                Some(Shard::new(corners.to_vec(), item.primitive, 0, pending.len()))
            }
            _ => None,
        };
        match shard.filter(|shard| shard.is_worth_cutting(smallest)) {
            Some(shard) => pending.push(shard),
            None => whole.push(*item),
        }
    }
    let most_shards = pending.len() + items.len() / PRIMITIVES_PER_CUT;
    let mut done = Vec::new();
    let mut number = pending.len();
    while let Some(shard) = pending.pop() {
        if pending.len() + done.len() + 2 > most_shards {
            done.push(shard);
            continue;
        }
        for corners in cut(&shard.corners) {
            let part = Shard::new(corners, shard.primitive, shard.depth + 1, number);
            number += 1;
            if part.depth < DEEPEST && part.is_worth_cutting(smallest) { pending.push(part) } else { done.push(part) }
        }
    }
    for shard in done {
        let Primitive::Triangle(corners) = body.primitive(shard.primitive as usize) else { continue };
        let bounds = Aabb::of(corners);
        whole.push(match shard.depth {
            0 => Item { primitive: shard.primitive, bounds, is_shard: false },
            _ => shard.item(&bounds),
        });
    }
    whole
}

/// Part of the sides of its box that a polygon covers, seen along the three axes.
fn shadow(corners: &[DVec3]) -> f64 {
    let doubled: DVec3 = corners.windows(2).map(|edge| (edge[0] - corners[0]).cross(edge[1] - corners[0])).sum();
    0.5 * (doubled.x.abs() + doubled.y.abs() + doubled.z.abs())
}

/// Cuts a convex polygon across the middle of the longest side of its box.
fn cut(corners: &[DVec3]) -> [Vec<DVec3>; 2] {
    let bounds = Aabb::of(corners.iter().copied());
    let size = bounds.size();
    let axis = (0..3).fold(0, |longest, i| if size[i] > size[longest] { i } else { longest });
    let at = bounds.centre()[axis];
    let (mut below, mut above) = (Vec::new(), Vec::new());
    for (i, &p) in corners.iter().enumerate() {
        let q = corners[(i + 1) % corners.len()];
        if p[axis] <= at {
            below.push(p);
        }
        if p[axis] >= at {
            above.push(p);
        }
        if (p[axis] < at && at < q[axis]) || (q[axis] < at && at < p[axis]) {
            // Between 0 and 1 however it rounds.
            let crossing = p + (q - p) * ((at - p[axis]) / (q[axis] - p[axis]));
            below.push(crossing);
            above.push(crossing);
        }
    }
    [below, above]
}

#[cfg(test)]
mod tests {
    use dashu_ratio::Relaxed;

    use super::super::build::items;
    use super::*;
    use crate::numeric::Random;
    use crate::shapes::TriangleMesh;

    type Exact = [Relaxed; 3];

    fn exact(c: f64) -> Relaxed {
        Relaxed::try_from(c).expect("finite")
    }

    /// The parts of a convex polygon on either side of a plane across an axis, in exact arithmetic.
    fn divided(polygon: &[Exact], axis: usize, at: &Relaxed) -> [Vec<Exact>; 2] {
        let mut sides = [Vec::new(), Vec::new()];
        for (i, p) in polygon.iter().enumerate() {
            let q = &polygon[(i + 1) % polygon.len()];
            if p[axis] <= *at {
                sides[0].push(p.clone());
            }
            if p[axis] >= *at {
                sides[1].push(p.clone());
            }
            if (p[axis] < *at) != (q[axis] < *at) && p[axis] != *at && q[axis] != *at {
                let t = (at - &p[axis]) / (&q[axis] - &p[axis]);
                let crossing: Exact = std::array::from_fn(|k| &p[k] + (&q[k] - &p[k]) * &t);
                sides.iter_mut().for_each(|side| side.push(crossing.clone()));
            }
        }
        sides
    }

    /// Subtracts boxes from a triangle; true if nothing is left, so that they hold all of it.
    fn is_covered(corners: &[DVec3; 3], boxes: &[Aabb]) -> bool {
        let mut left: Vec<Vec<Exact>> = vec![corners.iter().map(|p| p.to_array().map(exact)).collect()];
        for held in boxes {
            let mut outside = Vec::new();
            for mut polygon in left {
                for axis in 0..3 {
                    for (at, beyond) in [(held.min[axis], 0), (held.max[axis], 1)] {
                        let at = exact(at);
                        let mut sides = divided(&polygon, axis, &at);
                        // Points on the plane are in the box.
                        if sides[beyond].iter().any(|p| p[axis] != at) {
                            outside.push(std::mem::take(&mut sides[beyond]));
                        }
                        polygon = std::mem::take(&mut sides[1 - beyond]);
                    }
                }
            }
            left = outside;
        }
        left.is_empty()
    }

    /// Long triangles of all widths, down to none, with small ones that make them long.
    fn body(random: &mut Random) -> Body {
        let far = if random.below(3) == 0 { random.point(100.0) } else { DVec3::ZERO };
        let scale = [1.0, 1e-9, 1e6][random.below(3)];
        let mut vertices = Vec::new();
        for _ in 0..3 {
            let (from, along) = (random.point(1.0), random.direction());
            let width = [0.0, 1e-12, 1e-3, 0.02][random.below(4)];
            let mut beside = || from + along * random.unit() + random.point(width);
            // Two that share an edge: loose ones are not cut.
            vertices.extend([from, from + along, beside(), from, from + along, beside()]);
        }
        for _ in 0..500 {
            let from = random.point(1.0);
            vertices.extend([from, from + random.point(0.01), from + random.point(0.01)]);
        }
        vertices.iter_mut().for_each(|p| *p = (*p + far) * scale);
        let triangles = (0..vertices.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        Body::from_mesh(TriangleMesh::new(vertices, triangles).expect("valid"))
    }

    #[test]
    fn shards_hold_every_point_of_their_triangles_in_exact_arithmetic() {
        let mut random = Random::new(1);
        let mut cut = 0;
        for case in 0..100 {
            let body = body(&mut random);
            let found = cut_long_triangles(items(&body), &body);
            assert!(found.len() <= body.primitives() + body.primitives() / PRIMITIVES_PER_CUT);
            for primitive in 0..body.primitives() {
                let Primitive::Triangle(corners) = body.primitive(primitive) else { unreachable!("meshes only") };
                let own = found.iter().filter(|item| item.primitive as usize == primitive);
                let boxes: Vec<Aabb> = own.map(|item| item.bounds).collect();
                if let [single] = boxes[..] {
                    assert_eq!(single, Aabb::of(corners));
                    continue;
                }
                assert!(is_covered(&corners, &boxes), "{case}: {corners:?} by {boxes:?}");
                cut += 1;
                // All but one are not enough.
                assert!(!is_covered(&corners, &boxes[1..]), "{case}: {corners:?} by {boxes:?}");
            }
        }
        assert!(cut > 150, "{cut}");
    }

    #[test]
    fn shards_of_a_slanted_sliver_have_small_boxes() {
        let mut random = Random::new(2);
        for case in 0..100 {
            let body = body(&mut random);
            let whole = items(&body);
            let found = cut_long_triangles(whole.clone(), &body);
            let total = |items: &[Item]| items.iter().map(|item| area(&item.bounds)).sum::<f64>();
            assert!(total(&found) <= total(&whole), "{case}");
            let is_cut = found.len() > whole.len() + 20;
            assert!(!is_cut || total(&found) < 0.4 * total(&whole), "{case}: {} of {}", total(&found), total(&whole));
        }
    }
}
