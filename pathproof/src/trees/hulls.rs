//! Convex hulls of the upper nodes of a tree of boxes. Most pairs of bodies are separated by a plane most of the time,
//! however fine their meshes, and one plane between two hulls covers all triangles in them (docs/design.md#hulls).
//!
//! Invariant: the hull of a node holds every primitive below it, exactly: its vertices are corners of theirs. Nodes
//! with convex pieces, parts of several bodies or few triangles have none, nor do those with a hollow hull. Also
//! stored: the nodes that have no solid in two of their children. Anything apart from their boxes is outside their
//! solids. In large meshes the hulls of the lowest nodes, which are most of them, are made on first use.

use std::sync::OnceLock;

use super::boxes::{BoxTree, LANES};
use super::{Slot, VolumeTree};
use crate::numeric::DVec3;
use crate::shapes::{Body, Convex, Core, Hull, Primitive};

/// A node with fewer triangles is as cheap to expand.
const FEWEST_TRIANGLES: usize = 12;

/// A hull with more than this many times the area of its triangles is hollow, like that of a cage or of parts that are
/// apart: it separates little that its box does not.
const HOLLOW: f64 = 4.0;

const NONE: u32 = u32::MAX;

/// In meshes with this many triangles, hulls of a few triangles are made late: an approaching body meets only a
/// handful of them.
const LARGE_MESH: usize = 20_000;
const MOST_LATE: usize = 64;

/// Marks the index of a hull that is made late.
const LATE: u32 = 1 << 31;

/// The hulls of a tree's nodes.
#[derive(Clone, Debug)]
pub(crate) struct NodeHulls {
    /// For each lane of each node, the index of its hull.
    of_lanes: Vec<[u32; LANES]>,
    /// For each node, the kinds of its lanes, as bits.
    lanes: Vec<LaneKinds>,
    hulls: Vec<Convex>,
    /// Hulls that are made on first use; `None` if hollow, which is known only then.
    late: Vec<OnceLock<Option<Box<Convex>>>>,
}

/// Kinds of a node's lanes, as bits.
#[derive(Clone, Copy, Debug, Default)]
struct LaneKinds {
    /// Lanes that have a hull.
    hulled: u8,
    /// Lanes that have a hull or are a convex piece.
    shelled: u8,
    /// Lanes that are shelled or have such lanes below them.
    promising: u8,
    /// Lanes with a child that holds a solid component in part.
    splitting: u8,
}

/// Contents below a slot: corners that span it, number of triangles, their part; `None` where no hull is possible.
struct Below {
    corners: Vec<DVec3>,
    triangles: usize,
    /// Area of the triangles.
    area: f64,
    part: usize,
}

impl NodeHulls {
    /// The hulls of the tree over `body`.
    pub(crate) fn build(tree: &BoxTree, body: &Body) -> Self {
        let nodes = tree.node_count();
        let (of_lanes, lanes) = (vec![[NONE; LANES]; nodes], vec![LaneKinds::default(); nodes]);
        let mut hulls = Self { of_lanes, lanes, hulls: Vec::new(), late: Vec::new() };
        hulls.add(tree, body, tree.root());
        let mut leaves = vec![0; body.components().len()];
        count_leaves(tree, body, tree.root(), &mut leaves);
        hulls.mark_splitting(tree, body, tree.root(), &leaves);
        hulls
    }

    /// Marks the slots with a split solid component, at this slot or deeper. Returns, for each solid component partly
    /// below it, the number of its leaves there; components with all their `leaves` below it are omitted.
    fn mark_splitting(&mut self, tree: &BoxTree, body: &Body, slot: Slot, leaves: &[u32]) -> Vec<(u32, u32)> {
        let mut partial = Vec::new();
        if let Some(primitive) = tree.primitive(slot) {
            partial.extend(solid_of(body, primitive).map(|component| (component, 1)));
        } else {
            let mut splits = false;
            for child in tree.children(slot) {
                let below = self.mark_splitting(tree, body, child, leaves);
                splits |= !below.is_empty();
                partial.extend(below);
            }
            if splits {
                self.mark(slot, |lanes, bit| lanes.splitting |= bit);
            }
            partial.sort_unstable();
            partial.dedup_by(|next, kept| {
                let is_same = next.0 == kept.0;
                kept.1 += if is_same { next.1 } else { 0 };
                is_same
            });
        }
        partial.retain(|&(component, count)| count < leaves[component as usize]);
        partial
    }

    /// Adds the hulls of a slot and of everything below it.
    fn add(&mut self, tree: &BoxTree, body: &Body, slot: Slot) -> Option<Below> {
        if let Some(primitive) = tree.primitive(slot) {
            return match body.primitive(primitive) {
                Primitive::Triangle(corners) => Some(Below {
                    corners: corners.to_vec(),
                    triangles: 1,
                    area: area(&corners),
                    part: body.part_of(primitive),
                }),
                Primitive::Piece(_) => {
                    self.mark(slot, |lanes, bit| {
                        lanes.shelled |= bit;
                        lanes.promising |= bit;
                    });
                    None
                }
            };
        }
        // All children are visited, even if one of them has no hull.
        let children: Vec<Option<Below>> = tree.children(slot).map(|child| self.add(tree, body, child)).collect();
        if tree.children(slot).any(|child| self.is_promising(child)) {
            self.mark(slot, |lanes, bit| lanes.promising |= bit);
        }
        let children = children.into_iter().collect::<Option<Vec<Below>>>()?;
        let part = children.first()?.part;
        if children.iter().any(|child| child.part != part) {
            return None;
        }
        let triangles = children.iter().map(|child| child.triangles).sum();
        let area = children.iter().map(|child| child.area).sum();
        let mut corners: Vec<DVec3> = children.into_iter().flat_map(|child| child.corners).collect();
        make_distinct(&mut corners);
        let is_late = triangles <= MOST_LATE && body.triangles().len() >= LARGE_MESH;
        if triangles >= FEWEST_TRIANGLES && is_late {
            self.keep_late(slot);
        } else if triangles >= FEWEST_TRIANGLES
            && let Ok(hull) = Convex::hull(&corners)
            && let Core::Hull(core) = hull.core()
        {
            // The hull of a node above needs only these.
            corners = core.vertices().to_vec();
            if area_of(core) <= HOLLOW * area {
                self.keep(slot, hull);
            }
        }
        Some(Below { corners, triangles, area, part })
    }

    fn keep(&mut self, slot: Slot, hull: Convex) {
        self.number(slot, self.hulls.len() as u32);
        self.hulls.push(hull);
    }

    fn keep_late(&mut self, slot: Slot) {
        self.number(slot, LATE | self.late.len() as u32);
        self.late.push(OnceLock::new());
    }

    fn number(&mut self, slot: Slot, number: u32) {
        self.of_lanes[slot.0 as usize / LANES][slot.0 as usize % LANES] = number;
        self.mark(slot, |lanes, bit| {
            lanes.hulled |= bit;
            lanes.shelled |= bit;
            lanes.promising |= bit;
        });
    }

    /// The hull of a slot of the tree over `body`, about the body's centre.
    #[inline(always)]
    pub(crate) fn get(&self, slot: Slot, tree: &BoxTree, body: &Body) -> Option<&Convex> {
        match self.of_lanes[slot.0 as usize / LANES][slot.0 as usize % LANES] {
            NONE => None,
            number if number & LATE != 0 => self.get_late(number & !LATE, slot, tree, body),
            number => self.hulls.get(number as usize),
        }
    }

    #[inline(never)]
    fn get_late(&self, number: u32, slot: Slot, tree: &BoxTree, body: &Body) -> Option<&Convex> {
        self.late[number as usize].get_or_init(|| hull_below(tree, body, slot).map(Box::new)).as_deref()
    }

    fn mark(&mut self, slot: Slot, mark: impl Fn(&mut LaneKinds, u8)) {
        mark(&mut self.lanes[slot.0 as usize / LANES], 1 << (slot.0 as usize % LANES));
    }

    #[inline(always)]
    fn has_bit(&self, slot: Slot, bits: impl Fn(&LaneKinds) -> u8) -> bool {
        bits(&self.lanes[slot.0 as usize / LANES]) >> (slot.0 as usize % LANES) & 1 == 1
    }

    /// True if a slot has a hull; one that is made late may turn out to be hollow, and then does not exist.
    #[inline(always)]
    pub(crate) fn has(&self, slot: Slot) -> bool {
        self.has_bit(slot, |lanes| lanes.hulled)
    }

    /// True if a slot has a hull or is a convex piece.
    #[inline(always)]
    pub(crate) fn is_shelled(&self, slot: Slot) -> bool {
        self.has_bit(slot, |lanes| lanes.shelled)
    }

    /// True if a slot is shelled, or some slot below it.
    #[inline(always)]
    pub(crate) fn is_promising(&self, slot: Slot) -> bool {
        self.has_bit(slot, |lanes| lanes.promising)
    }

    /// True if a child of a slot holds a solid component in part. If no such slot was opened, boxes that are apart
    /// leave nothing of the other body inside a solid of this one: a solid lies in the hull of its surface.
    #[inline(always)]
    pub(crate) fn splits_solid(&self, slot: Slot) -> bool {
        self.has_bit(slot, |lanes| lanes.splitting)
    }

    /// The lanes of a node that have hulls, and those that have a hull or are a convex piece, as bits.
    #[inline(always)]
    pub(crate) fn hulled_and_shelled(&self, node: u32) -> [u8; 2] {
        let lanes = &self.lanes[node as usize];
        [lanes.hulled, lanes.shelled]
    }

    /// Memory used, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let of_hull = |hull: &Convex| match hull.core() {
            Core::Hull(core) => core.bytes(),
            _ => 0,
        };
        let fixed =
            self.of_lanes.capacity() * size_of::<[u32; LANES]>() + self.lanes.capacity() * size_of::<LaneKinds>();
        let made = self.late.iter().filter_map(|late| late.get()?.as_deref());
        let late = self.late.capacity() * size_of::<OnceLock<Option<Box<Convex>>>>();
        fixed + late + self.hulls.iter().chain(made).map(|hull| size_of::<Convex>() + of_hull(hull)).sum::<usize>()
    }
}

/// The hull of the triangles below a slot; `None` if it is flat or hollow.
fn hull_below(tree: &BoxTree, body: &Body, slot: Slot) -> Option<Convex> {
    let (mut corners, mut whole, mut pending) = (Vec::new(), 0.0, vec![slot]);
    while let Some(slot) = pending.pop() {
        pending.extend(tree.children(slot));
        if let Some(Primitive::Triangle(triangle)) = tree.primitive(slot).map(|primitive| body.primitive(primitive)) {
            whole += area(&triangle);
            corners.extend(triangle);
        }
    }
    make_distinct(&mut corners);
    let hull = Convex::hull(&corners).ok()?;
    let is_kept = matches!(hull.core(), Core::Hull(core) if area_of(core) <= HOLLOW * whole);
    is_kept.then_some(hull)
}

/// Removes duplicates: triangles share their corners, and exact predicates are slowest on repeated points.
fn make_distinct(points: &mut Vec<DVec3>) {
    points.sort_unstable_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z)));
    points.dedup();
}

/// The solid component of a primitive. A convex piece is never split.
fn solid_of(body: &Body, primitive: usize) -> Option<u32> {
    let is_triangle = primitive < body.triangles().len();
    is_triangle.then(|| body.component_of(primitive)).filter(|&number| body.components()[number as usize].is_solid())
}

/// Counts the leaves of each solid component below a slot: one per shard of a triangle.
fn count_leaves(tree: &BoxTree, body: &Body, slot: Slot, leaves: &mut [u32]) {
    match tree.primitive(slot) {
        Some(primitive) => {
            if let Some(component) = solid_of(body, primitive) {
                leaves[component as usize] += 1;
            }
        }
        None => tree.children(slot).for_each(|child| count_leaves(tree, body, child, leaves)),
    }
}

/// The area of a triangle.
fn area([a, b, c]: &[DVec3; 3]) -> f64 {
    (*b - *a).cross(*c - *a).length() * 0.5
}

/// The area of a hull's surface.
fn area_of(hull: &Hull) -> f64 {
    let vertices = hull.vertices();
    hull.triangles().iter().map(|corners| area(&corners.map(|i| vertices[i as usize]))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::{Pose, Random};
    use crate::shapes::{Shape, TriangleMesh};

    /// Every hull of every node holds every corner below it, and none spans two parts or a piece.
    #[test]
    fn hulls_hold_everything_below_their_node_and_nothing_of_another_part() {
        let mut random = Random::new(5);
        for case in 0..60 {
            let mut parts = Vec::new();
            for _ in 0..1 + case % 4 {
                let corners: Vec<DVec3> = (0..40).map(|_| random.point(0.5)).collect();
                let triangles = (0..30 + case).map(|_| [0; 3].map(|_| random.below(40) as u32)).collect();
                let Ok(mesh) = TriangleMesh::new(corners, triangles) else { continue };
                parts.push((random.pose(2.0), Shape::Mesh(mesh)));
            }
            if case % 3 == 0 {
                parts.push((Pose::IDENTITY, Shape::Convex(Convex::sphere(0.1).expect("a ball"))));
            }
            let Ok(body) = Body::new(parts) else { continue };
            let tree = BoxTree::build(&body);
            let hulls = NodeHulls::build(&tree, &body);
            assert!(!hulls.hulls.is_empty());
            let mut pending = vec![tree.root()];
            while let Some(slot) = pending.pop() {
                pending.extend(tree.children(slot));
                assert_eq!(hulls.has(slot), hulls.get(slot, &tree, &body).is_some());
                let Some(hull) = hulls.get(slot, &tree, &body) else { continue };
                let mut below = vec![slot];
                let mut seen = Vec::new();
                while let Some(slot) = below.pop() {
                    below.extend(tree.children(slot));
                    let Some(primitive) = tree.primitive(slot) else { continue };
                    seen.push(body.part_of(primitive));
                    let Primitive::Triangle(corners) = body.primitive(primitive) else { panic!("a piece in a hull") };
                    for _ in 0..8 {
                        let n = random.direction();
                        let reach = hull.upper_core_reach(n, 0);
                        assert!(corners.iter().all(|p| n.dot(*p) <= reach + 1e-14), "{case}: {slot:?}");
                    }
                }
                assert!(seen.iter().all(|part| *part == seen[0]) && seen.len() >= FEWEST_TRIANGLES);
            }
        }
    }

    /// Hulls of the lowest nodes of a large mesh are made late, with the same result at any time.
    #[test]
    fn late_hulls_hold_everything_below_their_node_and_do_not_depend_on_when_they_are_made() {
        let mut random = Random::new(6);
        let point = |k: usize, height: f64| DVec3::new((k / 101) as f64 * 0.01, (k % 101) as f64 * 0.01, height);
        let vertices = (0..111 * 101).map(|k| point(k, random.between(0.0, 0.02))).collect();
        let square = |k: usize| {
            let corner = (k / 100 * 101 + k % 100) as u32;
            [[corner, corner + 101, corner + 1], [corner + 1, corner + 101, corner + 102]]
        };
        let mesh = TriangleMesh::new(vertices, (0..110 * 100).flat_map(square).collect()).expect("a mesh");
        let body = Body::from_mesh(mesh);
        let tree = BoxTree::build(&body);
        let [hulls, later] = [NodeHulls::build(&tree, &body), NodeHulls::build(&tree, &body)];
        assert!(hulls.late.len() > 200 && hulls.hulls.len() > 20, "{} {}", hulls.late.len(), hulls.hulls.len());
        let (mut slots, mut pending) = (Vec::new(), vec![tree.root()]);
        while let Some(slot) = pending.pop() {
            pending.extend(tree.children(slot));
            slots.push(slot);
        }
        for slot in slots.iter().rev() {
            let _ = later.get(*slot, &tree, &body);
        }
        let mut made = 0;
        for &slot in &slots {
            let hull = hulls.get(slot, &tree, &body);
            assert_eq!(hull, later.get(slot, &tree, &body));
            let Some(hull) = hull else { continue };
            made += 1;
            let (n, mut below) = (random.direction(), vec![slot]);
            let reach = hull.upper_core_reach(n, 0);
            while let Some(slot) = below.pop() {
                below.extend(tree.children(slot));
                let Some(primitive) = tree.primitive(slot) else { continue };
                let Primitive::Triangle(corners) = body.primitive(primitive) else { panic!("a piece in a hull") };
                assert!(corners.iter().all(|p| n.dot(*p) <= reach + 1e-14), "{slot:?}");
            }
        }
        assert!(made > 200, "{made}");
    }

    /// The surface of a box, closed, or with a triangle missing; one in four is a sliver, which the tree cuts into
    /// shards.
    fn add_box(corners: &mut Vec<DVec3>, triangles: &mut Vec<[u32; 3]>, is_closed: bool, random: &mut Random) {
        let first = corners.len() as u32;
        let length = if random.below(4) == 0 { 3.0 } else { 0.2 };
        let (size, pose) = (DVec3::new(length, 0.2, 0.2), random.pose(1.0));
        let corner = |k: u32| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)) * size;
        corners.extend((0..8).map(|k| pose.point(corner(k))));
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let sides = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]);
        triangles.extend(sides.skip(usize::from(!is_closed)).map(|t| t.map(|corner| first + corner)));
    }

    /// A slot splits a solid if and only if a child of it holds some leaves of a solid component and not all.
    #[test]
    fn a_slot_splits_a_solid_where_a_child_holds_a_part_of_one() {
        fn leaves(tree: &BoxTree, body: &Body, slot: Slot, found: &mut Vec<u32>) {
            found.extend(tree.primitive(slot).and_then(|primitive| solid_of(body, primitive)));
            tree.children(slot).for_each(|child| leaves(tree, body, child, found));
        }
        let mut random = Random::new(8);
        let (mut splitting, mut whole) = (0, 0);
        for case in 0..80 {
            let (mut corners, mut triangles) = (Vec::new(), Vec::new());
            for _ in 0..1 + random.below(12) {
                let is_closed = random.below(4) != 0;
                add_box(&mut corners, &mut triangles, is_closed, &mut random);
            }
            let mesh = TriangleMesh::new(corners, triangles).expect("a mesh");
            let mut parts = vec![(random.pose(1.0), Shape::Mesh(mesh))];
            if case % 3 == 0 {
                parts.push((random.pose(1.0), Shape::Convex(Convex::cuboid([0.1; 3]).expect("a box"))));
            }
            let body = Body::new(parts).expect("a body");
            let tree = BoxTree::build(&body);
            let hulls = NodeHulls::build(&tree, &body);
            let mut all = Vec::new();
            leaves(&tree, &body, tree.root(), &mut all);
            let count = |list: &[u32], component: u32| list.iter().filter(|&&of| of == component).count();
            let mut pending = vec![tree.root()];
            while let Some(slot) = pending.pop() {
                pending.extend(tree.children(slot));
                let has_part = tree.children(slot).any(|child| {
                    let mut below = Vec::new();
                    leaves(&tree, &body, child, &mut below);
                    below.iter().any(|&component| count(&below, component) < count(&all, component))
                });
                assert_eq!(hulls.splits_solid(slot), has_part, "{case}: {slot:?}");
                let is_inner = tree.primitive(slot).is_none();
                splitting += usize::from(has_part);
                whole += usize::from(is_inner && !has_part);
            }
        }
        assert!(splitting > 1_000 && whole > 100, "{splitting} {whole}");
    }
}
