//! Trees of boxes in the body's own axes, eight children a node, `f32` rounded outward (DESIGN §5).
//!
//! All boxes of a body share its rotation, so a query turns it into constants: R and |R| in both directions.
//! The bound is the largest of the gaps measured in A's axes, in B's axes, and along one direction that the
//! caller knows (that of the closest pair so far); for the last each box also carries a slab across its mean
//! normal, so that pieces of slanted or curved surface are thin. Eight children are eight lanes of plain loops.

use super::build::{Item, area, bounds, items, spanning_points, split};
use super::traverse::{Children, Side};
use super::{Direction, Slot, VolumeTree};
use crate::numeric::{DVec3, Pose, U32, U64, f32_down, f32_up, norm_up};
use crate::shapes::{Aabb, Body, Primitive};

const LANES: usize = 8;
type Lanes = [f32; LANES];

/// A child is a leaf when this bit is set; the rest is the primitive. Otherwise it is a node.
const LEAF: u32 = 1 << 31;
const EMPTY: u32 = u32::MAX;

/// Half width of a lane that holds nothing: every gap to it is larger than any threshold.
const NOTHING: f32 = -1e30;

/// Eight boxes as centres and half widths, and what is in them.
#[derive(Clone, Debug)]
#[repr(C, align(32))]
struct Node {
    centre: [Lanes; 3],
    half: [Lanes; 3],
    slab: SlabLanes,
    child: [u32; LANES],
}

impl Node {
    /// How many lanes are in use: they are the first ones.
    #[inline(always)]
    fn count(&self) -> usize {
        let mut count = 0;
        while count < LANES && self.child[count] != EMPTY {
            count += 1;
        }
        count
    }
}

/// For each box the unit vector m across which its content is thin: every point x of it has
/// low ≤ m·(x − centre) ≤ high and |x − centre| ≤ radius.
#[derive(Clone, Debug)]
struct SlabLanes {
    normal: [Lanes; 3],
    low: Lanes,
    high: Lanes,
    radius: Lanes,
}

/// A tree of boxes. A slot is a lane of a node; the root is lane 0 of node 0.
#[derive(Clone, Debug)]
pub struct BoxTree {
    nodes: Vec<Node>,
    /// Upper bound on |centre| + |half| of any box: how large the numbers in a query get.
    extent: f64,
}

/// One box in `f32`.
#[derive(Clone, Copy, Debug)]
struct SmallBox {
    centre: [f32; 3],
    half: [f32; 3],
}

/// One box's slab; see [`SlabLanes`].
#[derive(Clone, Copy, Debug)]
struct Slab {
    normal: [f32; 3],
    low: f32,
    high: f32,
    radius: f32,
}

impl Slab {
    /// The slab of some primitives about `centre`: across their mean normal, or across the axis in which they are
    /// thinnest, whichever is thinner. Rounded outward.
    fn around(items: &[Item], body: &Body, small: &SmallBox) -> Self {
        let centre = DVec3::from_array(small.centre.map(f64::from));
        let mut mean = DVec3::ZERO;
        for item in items {
            if let Primitive::Triangle([a, b, c]) = body.primitive(item.primitive as usize) {
                mean += (b - a).cross(c - a);
            }
        }
        let half = small.half;
        let thinnest = if half[0] <= half[1] && half[0] <= half[2] {
            DVec3::X
        } else if half[1] <= half[2] {
            DVec3::Y
        } else {
            DVec3::Z
        };
        let across_mean = Self::across(mean.normalize_or(thinnest), items, body, centre);
        let across_axis = Self::across(thinnest, items, body, centre);
        if across_mean.high - across_mean.low <= across_axis.high - across_axis.low { across_mean } else { across_axis }
    }

    fn across(normal: DVec3, items: &[Item], body: &Body, centre: DVec3) -> Self {
        // What is stored is the rounded normal: extents are measured along that.
        let normal = normal.to_array().map(|c| c as f32);
        let along = DVec3::from_array(normal.map(f64::from));
        let (mut low, mut high, mut radius) = (f64::INFINITY, f64::NEG_INFINITY, 0f64);
        for item in items {
            spanning_points(body, item.primitive as usize, |p| {
                let v = p - centre;
                let (w, r) = (along.dot(v), norm_up(v));
                // The product of two vectors in f64 errs by less than 8 u of their lengths.
                (low, high) = (low.min(w - 8.0 * U64 * r), high.max(w + 8.0 * U64 * r));
                radius = radius.max(r);
            });
        }
        Self { normal, low: f32_down(low), high: f32_up(high), radius: f32_up(radius) }
    }

    /// Whether the slab of the box about `centre` holds a primitive, with half of what it was widened by to spare, which
    /// exceeds what this test itself rounds.
    fn holds(&self, centre: [f32; 3], body: &Body, primitive: usize) -> bool {
        let (along, centre) = (self.normal.map(f64::from), centre.map(f64::from));
        let (along, centre) = (DVec3::from_array(along), DVec3::from_array(centre));
        let mut held = true;
        spanning_points(body, primitive, |p| {
            let v = p - centre;
            let (w, r) = (along.dot(v), norm_up(v));
            let spare = 4.0 * U64 * r;
            let within = f64::from(self.low) <= w - spare && w + spare <= f64::from(self.high);
            held &= within && v.length() <= f64::from(self.radius);
        });
        held
    }
}

impl SmallBox {
    /// A box that holds `bounds`: the centre as it rounds, the half width rounded up with room for the rounding of
    /// the subtraction.
    fn around(bounds: &Aabb) -> Self {
        let centre = bounds.centre().to_array().map(|c| c as f32);
        let middle = DVec3::from_array(centre.map(f64::from));
        let half = (bounds.max - middle).max(middle - bounds.min).to_array().map(|h| f32_up(h.next_up()));
        Self { centre, half }
    }

    /// Whether the box holds `p`, decided exactly.
    fn contains(&self, p: DVec3) -> bool {
        (0..3).all(|i| {
            let (c, h) = (f64::from(self.centre[i]), f64::from(self.half[i]));
            difference_at_most(p[i], c, h) && difference_at_most(c, p[i], h)
        })
    }
}

/// x − y ≤ h, exactly: the rounded difference and its error (Knuth's two-sum) are compared separately.
fn difference_at_most(x: f64, y: f64, h: f64) -> bool {
    let s = x - y;
    let y_part = s - x;
    let error = (x - (s - y_part)) - (y + y_part);
    s < h || (s == h && error <= 0.0)
}

/// Cuts `items` into at most eight groups, the children of a node: single items where there are no more than eight,
/// else the group with the largest area is cut again and again; small groups are cut at multiples of eight, so that the
/// nodes at the bottom are full.
fn groups(items: &mut [Item]) -> Vec<(usize, usize)> {
    if items.len() <= LANES {
        return (0..items.len()).map(|i| (i, i + 1)).collect();
    }
    let mut groups = vec![(0, items.len(), f64::INFINITY)];
    while groups.len() < LANES {
        let largest = (0..groups.len())
            .filter(|&g| groups[g].1 - groups[g].0 > LANES)
            .max_by(|&g, &h| groups[g].2.total_cmp(&groups[h].2).then(h.cmp(&g)));
        let Some(g) = largest else { break };
        let (from, to, _) = groups[g];
        let cut = from + split(&mut items[from..to], LANES);
        groups[g] = (from, cut, area(&bounds(&items[from..cut])));
        groups.insert(g + 1, (cut, to, area(&bounds(&items[cut..to]))));
    }
    groups.into_iter().map(|(from, to, _)| (from, to)).collect()
}

impl BoxTree {
    fn set(&mut self, node: usize, lane: usize, items: &[Item], body: &Body, child: u32) {
        let small = SmallBox::around(&bounds(items));
        let slab = Slab::around(items, body, &small);
        let node = &mut self.nodes[node];
        for i in 0..3 {
            node.centre[i][lane] = small.centre[i];
            node.half[i][lane] = small.half[i];
            node.slab.normal[i][lane] = slab.normal[i];
        }
        node.slab.low[lane] = slab.low;
        node.slab.high[lane] = slab.high;
        node.slab.radius[lane] = slab.radius;
        node.child[lane] = child;
        let length = |v: [f32; 3]| norm_up(DVec3::from_array(v.map(f64::from)));
        self.extent = self.extent.max(length(small.centre) + length(small.half));
    }

    fn push_node(&mut self) -> usize {
        let slab = SlabLanes { normal: [[0.0; LANES]; 3], low: [0.0; LANES], high: [0.0; LANES], radius: [0.0; LANES] };
        self.nodes.push(Node { centre: [[0.0; LANES]; 3], half: [[NOTHING; LANES]; 3], slab, child: [EMPTY; LANES] });
        self.nodes.len() - 1
    }

    /// Adds the node of `items` (two at least) and everything below it; returns its number.
    fn add(&mut self, items: &mut [Item], body: &Body) -> usize {
        let node = self.push_node();
        for (lane, (from, to)) in groups(items).into_iter().enumerate() {
            let group = &mut items[from..to];
            let child = if let [item] = group { LEAF | item.primitive } else { self.add(group, body) as u32 };
            self.set(node, lane, group, body, child);
        }
        node
    }

    #[inline(always)]
    fn small_box(&self, slot: Slot) -> SmallBox {
        let (node, lane) = (&self.nodes[slot.0 as usize / LANES], slot.0 as usize % LANES);
        SmallBox { centre: node.centre.map(|c| c[lane]), half: node.half.map(|h| h[lane]) }
    }

    #[inline(always)]
    fn child(&self, slot: Slot) -> u32 {
        self.nodes[slot.0 as usize / LANES].child[slot.0 as usize % LANES]
    }

    /// A box's centre and half widths.
    #[inline(always)]
    pub(crate) fn centre_and_half(&self, slot: Slot) -> [DVec3; 2] {
        let SmallBox { centre, half } = self.small_box(slot);
        let wide = |v: [f32; 3]| DVec3::new(f64::from(v[0]), f64::from(v[1]), f64::from(v[2]));
        [wide(centre), wide(half)]
    }

    /// As [`VolumeTree::open`], by the gaps in both bodies' axes alone: less tight on slanted surfaces, and cheaper.
    #[inline(always)]
    pub(crate) fn open_gaps(
        pair: &BoxPair,
        side: Side,
        opened_tree: &Self,
        opened: Slot,
        closed_tree: &Self,
        closed: Slot,
    ) -> Children {
        let number = opened_tree.child(opened);
        let node = &opened_tree.nodes[number as usize];
        let lower = pair.gaps(side, node, &closed_tree.small_box(closed));
        let first = number * LANES as u32;
        Children { count: node.count(), slots: std::array::from_fn(|lane| Slot(first + lane as u32)), lower }
    }

    /// Calls `found` with every primitive whose box the ray from `p` along +x meets.
    pub fn stab(&self, p: DVec3, mut found: impl FnMut(usize)) {
        // Comparisons widened by far more than their rounding: a false hit only costs time.
        let slack = 1e-12 * (1.0 + self.extent + p.abs().max_element());
        let misses = |slot: Slot| {
            let SmallBox { centre, half } = self.small_box(slot);
            let beyond = |i: usize| p[i] - f64::from(centre[i]);
            let room = |i: usize| f64::from(half[i]) + slack;
            beyond(1).abs() > room(1) || beyond(2).abs() > room(2) || beyond(0) > room(0)
        };
        // Most points are outside of most bodies: nothing is allocated for those.
        if misses(self.root()) {
            return;
        }
        let mut pending = vec![self.root()];
        while let Some(slot) = pending.pop() {
            match self.child(slot) {
                leaf if leaf & LEAF != 0 => found((leaf & !LEAF) as usize),
                node => pending.extend(
                    self.lanes(node).map(|lane| Slot(node * LANES as u32 + lane)).filter(|child| !misses(*child)),
                ),
            }
        }
    }

    fn lanes(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        (0..LANES as u32).filter(move |&lane| self.nodes[node as usize].child[lane as usize] != EMPTY)
    }
}

/// The relative pose of two bodies in `f32`, both ways.
#[derive(Clone, Debug)]
pub struct BoxPair {
    a: Frame,
    b: Frame,
    /// Upper bound on the rounding of the kernel, from the inputs' rounding to the last root.
    margin: f32,
}

/// One body's axes as the rows of a matrix over the other's, and where the other's centre is.
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

    /// From the centre of `own`, in this frame, to the centres of `node`, given in the other frame; in this frame.
    #[inline(always)]
    fn to_lanes(&self, own: &SmallBox, node: &Node) -> [Lanes; 3] {
        let mut result = [[0.0; LANES]; 3];
        for i in 0..3 {
            let (r, offset) = (self.rotation[i], self.translation[i] - own.centre[i]);
            for lane in 0..LANES {
                result[i][lane] =
                    r[0] * node.centre[0][lane] + r[1] * node.centre[1][lane] + r[2] * node.centre[2][lane] + offset;
            }
        }
        result
    }

    /// From the centre of `other`, given in the other frame, to the centres of `node`, in this frame; in this frame.
    #[inline(always)]
    fn lanes_seen_from(&self, other: &SmallBox, node: &Node) -> [Lanes; 3] {
        let mut result = [[0.0; LANES]; 3];
        for i in 0..3 {
            let (r, c) = (self.rotation[i], other.centre);
            let centre = r[0] * c[0] + r[1] * c[1] + r[2] * c[2] + self.translation[i];
            for lane in 0..LANES {
                result[i][lane] = node.centre[i][lane] - centre;
            }
        }
        result
    }

    /// Squared gaps in this frame's axes between boxes whose centres are `apart`: `own` in this frame, `other` turned.
    #[inline(always)]
    fn squared_gaps(&self, apart: &[Lanes; 3], own: &[Lanes; 3], other: &[Lanes; 3]) -> Lanes {
        let mut squared = [0.0; LANES];
        for i in 0..3 {
            let m = self.absolute[i];
            for lane in 0..LANES {
                let reach = m[0] * other[0][lane] + m[1] * other[1][lane] + m[2] * other[2][lane] + own[i][lane];
                let gap = greater(apart[i][lane].abs() - reach, 0.0);
                squared[lane] += gap * gap;
            }
        }
        squared
    }
}

/// The kernel's rounding, in units of u₃₂ times (|p| + extent of A + extent of B). For one axis, rounding R, p and the
/// sums costs at most 8 u (|R||c_b| + |p| + |c_a| + |R||h_b| + |h_a|) taken on that axis; the norm of the three is at
/// most 8 √3 u S < 14 u S, squares, sums and root add 3 u of the gap, which is at most S. Along a direction, rounding the direction twice (3), two
/// products with centres and translation (4 each) and the supports (6) cost less than 20 u S. 32 leaves room.
const KERNEL_ROUNDING: f64 = 32.0;

impl VolumeTree for BoxTree {
    type Pair = BoxPair;

    fn build(body: &Body) -> Self {
        let mut tree = Self { nodes: Vec::with_capacity(body.primitives() / 5 + 2), extent: 0.0 };
        let mut items = items(body);
        tree.push_node();
        let child = if let [item] = items[..] { LEAF | item.primitive } else { tree.add(&mut items, body) as u32 };
        tree.set(0, 0, &items, body, child);
        tree.nodes.shrink_to_fit();
        tree
    }

    #[inline(always)]
    fn root(&self) -> Slot {
        Slot(0)
    }

    #[inline(always)]
    fn primitive(&self, slot: Slot) -> Option<usize> {
        let child = self.child(slot);
        (child & LEAF != 0).then_some((child & !LEAF) as usize)
    }

    #[inline(always)]
    fn size(&self, slot: Slot) -> f32 {
        let h = self.small_box(slot).half;
        h[0].max(h[1]).max(h[2])
    }

    fn pair(a: &Self, b: &Self, a_from_b: &Pose, margin: f64) -> BoxPair {
        let size = norm_up(a_from_b.translation) + a.extent + b.extent;
        BoxPair {
            a: Frame::new(a_from_b),
            b: Frame::new(&a_from_b.inverse()),
            margin: f32_up(KERNEL_ROUNDING * U32 * size + margin),
        }
    }

    #[inline(always)]
    fn lower_root(pair: &BoxPair, a: &Self, b: &Self, direction: &Direction) -> f32 {
        // Node 0 holds the root in lane 0 and nothing else.
        pair.lower_bounds(Side::B, &b.nodes[0], &a.closed(a.root()), direction)[0]
    }

    #[inline(always)]
    fn open(
        pair: &BoxPair,
        side: Side,
        opened_tree: &Self,
        opened: Slot,
        closed_tree: &Self,
        closed: Slot,
        direction: &Direction,
    ) -> Children {
        let number = opened_tree.child(opened);
        let node = &opened_tree.nodes[number as usize];
        let lower = pair.lower_bounds(side, node, &closed_tree.closed(closed), direction);
        let first = number * LANES as u32;
        Children { count: node.count(), slots: std::array::from_fn(|lane| Slot(first + lane as u32)), lower }
    }

    fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + size_of::<Self>()
    }

    fn broken_invariant(&self, body: &Body) -> Option<String> {
        let mut seen = vec![false; body.primitives()];
        let mut pending = vec![(self.root(), Vec::<Slot>::new())];
        while let Some((slot, ancestors)) = pending.pop() {
            let mut path = ancestors;
            path.push(slot);
            let Some(primitive) = self.primitive(slot) else {
                let node = self.child(slot);
                pending.extend(self.lanes(node).map(|lane| (Slot(node * LANES as u32 + lane), path.clone())));
                continue;
            };
            if primitive >= seen.len() || std::mem::replace(&mut seen[primitive], true) {
                return Some(format!("primitive {primitive} is unknown or in two leaves"));
            }
            let corners = match body.primitive(primitive) {
                Primitive::Triangle(corners) => corners.to_vec(),
                Primitive::Piece(piece) => {
                    let around = piece.shape.aabb(&piece.centre_from_piece);
                    vec![around.min, around.max]
                }
            };
            for ancestor in path {
                if !corners.iter().all(|p| self.small_box(ancestor).contains(*p)) {
                    return Some(format!("primitive {primitive} is not inside the box {ancestor:?} above it"));
                }
                if !self.closed(ancestor).slab.holds(self.small_box(ancestor).centre, body, primitive) {
                    return Some(format!(
                        "primitive {primitive} is not inside the slab of the box {ancestor:?} above it"
                    ));
                }
            }
        }
        seen.iter().position(|seen| !seen).map(|missing| format!("primitive {missing} is in no leaf"))
    }
}

/// A box with its slab.
#[derive(Clone, Copy, Debug)]
struct Closed {
    small: SmallBox,
    slab: Slab,
}

impl BoxTree {
    #[inline(always)]
    fn closed(&self, slot: Slot) -> Closed {
        let (node, lane) = (&self.nodes[slot.0 as usize / LANES], slot.0 as usize % LANES);
        let slab = &node.slab;
        let slab = Slab {
            normal: slab.normal.map(|c| c[lane]),
            low: slab.low[lane],
            high: slab.high[lane],
            radius: slab.radius[lane],
        };
        Closed { small: self.small_box(slot), slab }
    }
}

impl BoxPair {
    /// Lower bounds on the distance between each box of `node` (of the body on `side`) and `closed` (of the other): the
    /// larger of the gaps in the axes of either.
    #[inline(always)]
    fn gaps(&self, side: Side, node: &Node, closed: &SmallBox) -> Lanes {
        let (node_frame, closed_frame) = match side {
            Side::A => (&self.a, &self.b),
            Side::B => (&self.b, &self.a),
        };
        let in_closed = closed_frame.to_lanes(closed, node);
        let in_node = node_frame.lanes_seen_from(closed, node);
        let gap_closed = closed_frame.squared_gaps(&in_closed, &closed.half.map(|h| [h; LANES]), &node.half);
        let gap_node = node_frame.squared_gaps(&in_node, &node.half, &closed.half.map(|h| [h; LANES]));
        let mut lower = [0.0; LANES];
        for lane in 0..LANES {
            lower[lane] = greater(gap_closed[lane], gap_node[lane]).sqrt() - self.margin;
        }
        lower
    }

    /// Lower bounds on the distance between each box of `node` (of the body on `side`) and `closed` (of the other): the
    /// largest of the gaps in the axes of either and of the separations along two directions, the given one and the one
    /// from centre to centre.
    #[inline(always)]
    fn lower_bounds(&self, side: Side, node: &Node, closed: &Closed, direction: &Direction) -> Lanes {
        let (node_frame, closed_frame, n_node, n_closed) = match side {
            Side::A => (&self.a, &self.b, direction.in_a.map(|c| -c), direction.in_b.map(|c| -c)),
            Side::B => (&self.b, &self.a, direction.in_b, direction.in_a),
        };
        // From the closed centre to the node's centres, in either's axes.
        let in_closed = closed_frame.to_lanes(&closed.small, node);
        let in_node = node_frame.lanes_seen_from(&closed.small, node);
        let gap_closed = closed_frame.squared_gaps(&in_closed, &closed.small.half.map(|h| [h; LANES]), &node.half);
        let gap_node = node_frame.squared_gaps(&in_node, &node.half, &closed.small.half.map(|h| [h; LANES]));
        let along = separations(node, closed, &n_node.map(|c| [c; LANES]), &n_closed.map(|c| [c; LANES]), &in_closed);
        let length = squared_length(&in_closed).map(|s| greater(s, 1e-30).sqrt());
        let between = separations(node, closed, &in_node, &in_closed, &in_closed);
        let mut lower = [0.0; LANES];
        for lane in 0..LANES {
            let gap = greater(gap_closed[lane], gap_node[lane]).sqrt();
            // The vector between the centres was computed in either's axes, each time with an error below half the
            // margin: turned into a direction, what it misses grows with the node's size over its length.
            let half = node.half[0][lane] + node.half[1][lane] + node.half[2][lane];
            let from_centres = (between[lane] - self.margin * half) / length[lane];
            lower[lane] = greater(greater(gap, along[lane]), from_centres) - self.margin;
        }
        lower
    }
}

#[inline(always)]
fn squared_length(v: &[Lanes; 3]) -> Lanes {
    let mut squared = [0.0; LANES];
    for lane in 0..LANES {
        squared[lane] = v[0][lane] * v[0][lane] + v[1][lane] * v[1][lane] + v[2][lane] * v[2][lane];
    }
    squared
}

/// Separation of each box of the node from the closed one along a direction given in both's axes, times the direction's
/// length; `offset` runs from the closed centre to the node's. Each side reaches as far as its corners or its slab allow,
/// whichever is less.
#[inline(always)]
fn separations(node: &Node, closed: &Closed, n_node: &[Lanes; 3], n_closed: &[Lanes; 3], offset: &[Lanes; 3]) -> Lanes {
    let (slab, other) = (&node.slab, &closed.slab);
    let half = closed.small.half;
    let mut result = [0.0; LANES];
    for lane in 0..LANES {
        let n = [n_node[0][lane], n_node[1][lane], n_node[2][lane]];
        let m = [slab.normal[0][lane], slab.normal[1][lane], slab.normal[2][lane]];
        let by_box =
            n[0].abs() * node.half[0][lane] + n[1].abs() * node.half[1][lane] + n[2].abs() * node.half[2][lane];
        let (cosine, sine) = angle(n, m);
        let by_slab = sine * slab.radius[lane] - lesser(cosine * slab.low[lane], cosine * slab.high[lane]);
        let reach_node = lesser(by_box, by_slab);
        let n = [n_closed[0][lane], n_closed[1][lane], n_closed[2][lane]];
        let by_box = n[0].abs() * half[0] + n[1].abs() * half[1] + n[2].abs() * half[2];
        let (cosine, sine) = angle(n, other.normal);
        let by_slab = sine * other.radius + greater(cosine * other.low, cosine * other.high);
        let reach_closed = lesser(by_box, by_slab);
        let apart = n[0] * offset[0][lane] + n[1] * offset[1][lane] + n[2] * offset[2][lane];
        result[lane] = apart - reach_node - reach_closed;
    }
    result
}

/// The greater of two numbers as one instruction; a NaN loses or passes on, and certifies nothing either way, because
/// bounds are compared as `lower > need`.
#[inline(always)]
fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The lesser of two numbers, likewise.
#[inline(always)]
fn lesser(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Dot product of `n` with the unit vector `m`, and the length of their cross product.
#[inline(always)]
fn angle(n: [f32; 3], m: [f32; 3]) -> (f32, f32) {
    let cosine = n[0] * m[0] + n[1] * m[1] + n[2] * m[2];
    let (x, y, z) = (n[1] * m[2] - n[2] * m[1], n[2] * m[0] - n[0] * m[2], n[0] * m[1] - n[1] * m[0]);
    (cosine, (x * x + y * y + z * z).sqrt())
}

#[cfg(test)]
#[path = "boxes_tests.rs"]
mod tests;
