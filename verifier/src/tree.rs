//! A plain binary tree of boxes over a body's primitives, in `f64`.
//!
//! Boxes are least and greatest coordinates, which are exact for triangles. Proofs do not depend on how the tree was
//! built: they rely on [`Tree::holds`], which visits all of it.

use pathproof::numeric::{DVec3, ROUNDOFF_F64, most, norm_up};
use pathproof::shapes::{Body, Primitive};

use crate::solid::support;

/// A box, and the two nodes or the primitive in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) low: DVec3,
    pub(crate) high: DVec3,
    pub(crate) inside: Inside,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Inside {
    Nodes([u32; 2]),
    Primitive(u32),
}

#[derive(Clone, Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// For bodies of few vertices all of them, x, y and z of four at a time.
    vertices: Vec<[[f64; 4]; 3]>,
}

/// Up to this many vertices it is faster to visit all than to descend.
const FEW: usize = 1_024;

impl Node {
    /// Largest g·x over the box.
    #[inline(always)]
    pub(crate) fn support(&self, g: DVec3) -> f64 {
        let greater = |a: f64, b: f64| if a > b { a } else { b };
        greater(g.x * self.low.x, g.x * self.high.x)
            + greater(g.y * self.low.y, g.y * self.high.y)
            + greater(g.z * self.low.z, g.z * self.high.z)
    }

    #[inline(always)]
    pub(crate) fn centre(&self) -> DVec3 {
        (self.low + self.high) * 0.5
    }

    #[inline(always)]
    pub(crate) fn half(&self) -> DVec3 {
        (self.high - self.low) * 0.5
    }

    fn holds(&self, low: DVec3, high: DVec3) -> bool {
        self.low.cmple(low).all() && self.high.cmpge(high).all()
    }
}

/// The box of a primitive.
fn around(body: &Body, primitive: usize) -> (DVec3, DVec3) {
    let primitive = body.primitive(primitive);
    match &primitive {
        Primitive::Triangle([a, b, c]) => (a.min(*b).min(*c), a.max(*b).max(*c)),
        Primitive::Piece(piece) => {
            let slack = 64.0 * ROUNDOFF_F64 * (norm_up(piece.centre_from_piece.translation) + piece.shape.reach());
            let along = |axis: DVec3| support(&primitive, axis) + slack;
            let high = DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z));
            (-DVec3::new(along(-DVec3::X), along(-DVec3::Y), along(-DVec3::Z)), high)
        }
    }
}

impl Tree {
    pub(crate) fn new(body: &Body) -> Self {
        let mut items: Vec<Node> = (0..body.primitives())
            .map(|i| {
                let (low, high) = around(body, i);
                Node { low, high, inside: Inside::Primitive(i as u32) }
            })
            .collect();
        let few = body.vertices().chunks(4).filter(|_| body.vertices().len() <= FEW);
        let four =
            |chunk: &[DVec3]| [0, 1, 2].map(|axis| [0, 1, 2, 3].map(|i: usize| chunk[i.min(chunk.len() - 1)][axis]));
        let mut tree = Self { nodes: Vec::with_capacity(2 * items.len()), vertices: few.map(four).collect() };
        tree.add(&mut items);
        tree
    }

    /// Adds the node of some primitives and all its descendants.
    fn add(&mut self, items: &mut [Node]) -> u32 {
        let number = self.nodes.len() as u32;
        let Some(first) = items.first() else { return number };
        let (low, high) = items.iter().fold((first.low, first.high), |(l, h), n| (l.min(n.low), h.max(n.high)));
        self.nodes.push(Node { low, high, inside: first.inside });
        if items.len() > 1 {
            let middle = split(items);
            let (left, right) = items.split_at_mut(middle);
            let inside = Inside::Nodes([self.add(left), self.add(right)]);
            self.nodes[number as usize].inside = inside;
        }
        number
    }

    /// True if every primitive is in one leaf, and every box holds its contents.
    pub(crate) fn holds(&self, body: &Body) -> bool {
        let mut seen = vec![false; body.primitives()];
        let mut pending = vec![0];
        while let Some(number) = pending.pop() {
            let Some(node) = self.nodes.get(number as usize) else { return false };
            match node.inside {
                Inside::Primitive(primitive) => {
                    let Some(seen) = seen.get_mut(primitive as usize) else { return false };
                    let (low, high) = around(body, primitive as usize);
                    if std::mem::replace(seen, true) || !node.holds(low, high) {
                        return false;
                    }
                }
                Inside::Nodes(children) => {
                    // Children come after their parent, so the walk ends.
                    let is_fine = |child: &u32| {
                        *child > number && self.nodes.get(*child as usize).is_some_and(|c| node.holds(c.low, c.high))
                    };
                    if !children.iter().all(is_fine) {
                        return false;
                    }
                    pending.extend(children);
                }
            }
        }
        seen.into_iter().all(|seen| seen)
    }

    /// Largest g·x over the body, as in [`support`]: over all vertices and pieces, or without opening boxes that reach
    /// no farther than the best so far. `start` is the first primitive to try, and becomes the farthest; adds the work
    /// in nodes to `seen`.
    pub(crate) fn support(&self, body: &Body, g: DVec3, start: &mut u32, seen: &mut u64) -> f64 {
        if !self.vertices.is_empty() {
            *seen += self.vertices.len() as u64 / 4;
            return body
                .pieces()
                .iter()
                .fold(self.far(g), |far, piece| most(far, support(&Primitive::Piece(piece), g)));
        }
        let mut best = support(&body.primitive(*start as usize), g);
        self.climb(body, g, 0, start, &mut best, seen);
        best
    }

    /// Largest g·x over all vertices.
    fn far(&self, g: DVec3) -> f64 {
        let mut far = [f64::NEG_INFINITY; 4];
        for [x, y, z] in &self.vertices {
            for i in 0..4 {
                let reach = g.x * x[i] + g.y * y[i] + g.z * z[i];
                far[i] = if reach > far[i] { reach } else { far[i] };
            }
        }
        // A gradient that is not finite has no support.
        if g.is_finite() { most(most(far[0], far[1]), most(far[2], far[3])) } else { f64::NAN }
    }

    fn climb(&self, body: &Body, g: DVec3, number: u32, start: &mut u32, best: &mut f64, seen: &mut u64) {
        *seen += 1;
        match self.node(number).inside {
            Inside::Primitive(i) => {
                let reach = support(&body.primitive(i as usize), g);
                // NaN is kept.
                if !(reach <= *best) {
                    (*best, *start) = (reach, i);
                }
            }
            Inside::Nodes(children) => {
                let reach = children.map(|child| self.node(child).support(g));
                let first = usize::from(reach[1] > reach[0]);
                for i in [first, 1 - first] {
                    if !(reach[i] <= *best) {
                        self.climb(body, g, children[i], start, best, seen);
                    }
                }
            }
        }
    }

    /// Upper bound on the distance of any corner of a box from the origin.
    pub(crate) fn upper_extent(&self) -> f64 {
        self.nodes.first().map_or(0.0, |root| norm_up(root.low.abs().max(root.high.abs())))
    }

    #[inline(always)]
    pub(crate) fn node(&self, number: u32) -> &Node {
        &self.nodes[number as usize]
    }
}

/// Reorders some primitives (at least two) and returns where to cut them: where area times count is least over 12
/// places along the longest side.
fn split(items: &mut [Node]) -> usize {
    const PLACES: usize = 12;
    let centre = |n: &Node| n.low + n.high;
    let (low, high) =
        items.iter().fold((centre(&items[0]), centre(&items[0])), |(l, h), n| (l.min(centre(n)), h.max(centre(n))));
    let size = high - low;
    let axis = if size.x >= size.y && size.x >= size.z { 0 } else { 1 + usize::from(size.z > size.y) };
    items.sort_unstable_by(|a, b| centre(a)[axis].total_cmp(&centre(b)[axis]));
    let area = |items: &[Node]| {
        let (l, h) = items.iter().fold((items[0].low, items[0].high), |(l, h), n| (l.min(n.low), h.max(n.high)));
        let d = h - l;
        (d.x * d.y + d.y * d.z + d.z * d.x) * items.len() as f64
    };
    let cost = |cut: usize| area(&items[..cut]) + area(&items[cut..]);
    let cuts = (1..PLACES).map(|i| i * items.len() / PLACES).filter(|cut| *cut > 0);
    cuts.map(|cut| (cost(cut), cut)).min_by(|a, b| a.0.total_cmp(&b.0)).map_or(items.len() / 2, |best| best.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathproof::numeric::Random;
    use pathproof::shapes::{Convex, Shape, TriangleMesh};

    fn body() -> Body {
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let mesh = TriangleMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]).expect("a mesh");
        let ball = Shape::Convex(Convex::sphere(0.3).expect("a ball"));
        let at = pathproof::numeric::Pose::from_translation(DVec3::X * 2.0);
        Body::new(vec![(at, ball), (pathproof::numeric::Pose::IDENTITY, Shape::Mesh(mesh))]).expect("a body")
    }

    #[test]
    fn a_tree_is_refused_whose_boxes_do_not_hold_its_primitives() {
        let body = body();
        let tree = Tree::new(&body);
        assert!(tree.holds(&body));
        for number in 0..tree.nodes.len() {
            for axis in 0..3 {
                let mut smaller = tree.clone();
                smaller.nodes[number].high[axis] -= 1e-9;
                assert!(!smaller.holds(&body), "node {number}, axis {axis}");
                let mut smaller = tree.clone();
                smaller.nodes[number].low[axis] += 1e-9;
                assert!(!smaller.holds(&body), "node {number}, axis {axis}");
            }
        }
    }

    #[test]
    fn a_tree_is_refused_that_loses_or_repeats_a_primitive() {
        let body = body();
        let tree = Tree::new(&body);
        let leaves: Vec<usize> =
            (0..tree.nodes.len()).filter(|&i| matches!(tree.nodes[i].inside, Inside::Primitive(_))).collect();
        for &one in &leaves {
            for &other in leaves.iter().filter(|&&other| other != one) {
                let mut repeated = tree.clone();
                repeated.nodes[one] = Node { inside: tree.nodes[other].inside, ..repeated.nodes[one] };
                (repeated.nodes[one].low, repeated.nodes[one].high) = (DVec3::splat(-9.0), DVec3::splat(9.0));
                assert!(!repeated.holds(&body));
            }
            let mut circular = tree.clone();
            circular.nodes[one].inside = Inside::Nodes([0, 0]);
            assert!(!circular.holds(&body));
        }
    }

    /// Over random meshes with and without pieces, by all vertices and by descending: the largest over all primitives.
    #[test]
    fn the_support_of_a_body_is_the_largest_of_its_primitives() {
        let mut random = Random::new(0x5_0990);
        for case in 0..2_000 {
            let corners: Vec<DVec3> = (0..4 + random.below(60)).map(|_| random.point(0.5)).collect();
            let triangles =
                (0..1 + random.below(80)).map(|_| [0; 3].map(|_| random.below(corners.len()) as u32)).collect();
            let Ok(mesh) = TriangleMesh::new(corners, triangles) else { continue };
            let mut parts = vec![(random.pose(1.0), Shape::Mesh(mesh))];
            if case % 3 == 0 {
                parts.push((random.pose(1.0), Shape::Convex(Convex::cylinder(0.1, 0.4).expect("a cylinder"))));
            }
            let body = Body::new(parts).expect("a body");
            let mut trees = [Tree::new(&body), Tree::new(&body)];
            trees[1].vertices.clear();
            let mut start = [0, 0];
            for _ in 0..50 {
                let g = random.direction() * random.between(0.5, 1.5);
                let truth = (0..body.primitives()).map(|i| support(&body.primitive(i), g)).fold(f64::MIN, f64::max);
                for (tree, start) in trees.iter().zip(&mut start) {
                    let found = tree.support(&body, g, start, &mut 0);
                    assert!((found - truth).abs() <= 8.0 * ROUNDOFF_F64 * 3.0, "case {case}: {found}, {truth}");
                }
            }
            let nothing = trees.each_ref().map(|tree| tree.support(&body, DVec3::splat(f64::NAN), &mut 0, &mut 0));
            assert!(nothing.iter().all(|reach| reach.is_nan()), "case {case}: {nothing:?}");
        }
    }
}
