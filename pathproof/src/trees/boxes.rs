//! Trees of boxes in the body's own axes, eight children a node, `f32` rounded outward (DESIGN §5).
//!
//! All boxes of a body share its rotation, so a query turns it into constants: R and |R| in both directions.
//! The bound is the larger of the gaps measured in A's axes and in B's axes. One call handles a node's eight
//! children as eight lanes of plain loops, which the compiler turns into SIMD (see `numeric::simd`).

use super::build::{Item, area, bounds, items, split};
use super::traverse::{Children, Side};
use super::{Slot, VolumeTree};
use crate::numeric::{DVec3, Pose, U32, f32_up, norm_up};
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
    child: [u32; LANES],
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

impl BoxTree {
    fn set(&mut self, node: usize, lane: usize, bounds: &Aabb, child: u32) {
        let small = SmallBox::around(bounds);
        let node = &mut self.nodes[node];
        for i in 0..3 {
            node.centre[i][lane] = small.centre[i];
            node.half[i][lane] = small.half[i];
        }
        node.child[lane] = child;
        let length = |v: [f32; 3]| norm_up(DVec3::from_array(v.map(f64::from)));
        self.extent = self.extent.max(length(small.centre) + length(small.half));
    }

    fn push_node(&mut self) -> usize {
        self.nodes.push(Node { centre: [[0.0; LANES]; 3], half: [[NOTHING; LANES]; 3], child: [EMPTY; LANES] });
        self.nodes.len() - 1
    }

    /// Adds the node of `items` and everything below it; returns its number.
    fn add(&mut self, items: &mut [Item]) -> usize {
        let node = self.push_node();
        // Ends of the groups that become children: the one with the largest area is split until there are eight.
        let mut groups = vec![(0, items.len(), f64::INFINITY)];
        while groups.len() < LANES {
            let largest = (0..groups.len())
                .filter(|&g| groups[g].1 - groups[g].0 > 1)
                .max_by(|&g, &h| groups[g].2.total_cmp(&groups[h].2).then(h.cmp(&g)));
            let Some(g) = largest else { break };
            let (from, to, _) = groups[g];
            let cut = from + split(&mut items[from..to]);
            groups[g] = (from, cut, area(&bounds(&items[from..cut])));
            groups.insert(g + 1, (cut, to, area(&bounds(&items[cut..to]))));
        }
        for (lane, (from, to, _)) in groups.into_iter().enumerate() {
            let group = &mut items[from..to];
            let around = bounds(group);
            let child = if let [item] = group { LEAF | item.primitive } else { self.add(group) as u32 };
            self.set(node, lane, &around, child);
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

    /// Calls `found` with every primitive whose box the ray from `p` along +x meets.
    pub fn stab(&self, p: DVec3, mut found: impl FnMut(usize)) {
        let mut pending = vec![self.root()];
        while let Some(slot) = pending.pop() {
            let b = self.small_box(slot);
            let (c, h) = (b.centre.map(f64::from), b.half.map(f64::from));
            // Comparisons widened by far more than their rounding: a false hit only costs time.
            let slack = 1e-12 * (1.0 + self.extent + p.abs().max_element());
            let outside =
                (p.y - c[1]).abs() > h[1] + slack || (p.z - c[2]).abs() > h[2] + slack || p.x - c[0] > h[0] + slack;
            if outside {
                continue;
            }
            match self.child(slot) {
                leaf if leaf & LEAF != 0 => found((leaf & !LEAF) as usize),
                node => pending.extend(self.lanes(node).map(|lane| Slot(node * LANES as u32 + lane))),
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

    /// Squared gap in this frame's axes between the box `own`, given in this frame, and each box of `node`, given in
    /// the other frame.
    #[inline(always)]
    fn squared_gaps_to_node(&self, own: &SmallBox, node: &Node) -> Lanes {
        let mut squared = [0.0; LANES];
        for i in 0..3 {
            let (r, m) = (self.rotation[i], self.absolute[i]);
            let (offset, half) = (self.translation[i] - own.centre[i], own.half[i]);
            for lane in 0..LANES {
                let centre =
                    r[0] * node.centre[0][lane] + r[1] * node.centre[1][lane] + r[2] * node.centre[2][lane] + offset;
                let reach = m[0] * node.half[0][lane] + m[1] * node.half[1][lane] + m[2] * node.half[2][lane] + half;
                let gap = (centre.abs() - reach).max(0.0);
                squared[lane] += gap * gap;
            }
        }
        squared
    }

    /// Squared gap in this frame's axes between each box of `node`, given in this frame, and the box `other`, given in
    /// the other frame.
    #[inline(always)]
    fn squared_gaps_from_node(&self, node: &Node, other: &SmallBox) -> Lanes {
        let mut squared = [0.0; LANES];
        for i in 0..3 {
            let (r, m) = (self.rotation[i], self.absolute[i]);
            let centre = r[0] * other.centre[0] + r[1] * other.centre[1] + r[2] * other.centre[2] + self.translation[i];
            let reach = m[0] * other.half[0] + m[1] * other.half[1] + m[2] * other.half[2];
            for lane in 0..LANES {
                let gap = ((centre - node.centre[i][lane]).abs() - (reach + node.half[i][lane])).max(0.0);
                squared[lane] += gap * gap;
            }
        }
        squared
    }
}

/// The kernel's rounding, in units of u₃₂ times (|p| + extent of A + extent of B). For one axis, rounding R, p and the
/// sums costs at most 8 u (|R||c_b| + |p| + |c_a| + |R||h_b| + |h_a|) taken on that axis; the norm of the three is at
/// most 8 √3 u S < 14 u S, squares, sums and root add 3 u of the gap, which is at most S. 24 leaves room.
const KERNEL_ROUNDING: f64 = 24.0;

impl VolumeTree for BoxTree {
    type Pair = BoxPair;

    fn build(body: &Body) -> Self {
        let mut tree = Self { nodes: Vec::with_capacity(body.primitives() / 5 + 2), extent: 0.0 };
        let mut items = items(body);
        let around = bounds(&items);
        tree.push_node();
        let child = if let [item] = items[..] { LEAF | item.primitive } else { tree.add(&mut items) as u32 };
        tree.set(0, 0, &around, child);
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

    fn pair(a: &Self, b: &Self, a_from_b: &Pose) -> BoxPair {
        let size = norm_up(a_from_b.translation) + a.extent + b.extent;
        BoxPair {
            a: Frame::new(a_from_b),
            b: Frame::new(&a_from_b.inverse()),
            margin: f32_up(KERNEL_ROUNDING * U32 * size),
        }
    }

    #[inline(always)]
    fn lower_root(pair: &BoxPair, a: &Self, b: &Self) -> f32 {
        // Node 0 holds the root in lane 0 and nothing else.
        pair.lower_bounds(Side::B, &b.nodes[0], &a.small_box(a.root()))[0]
    }

    #[inline(always)]
    fn open(
        pair: &BoxPair,
        side: Side,
        opened_tree: &Self,
        opened: Slot,
        closed_tree: &Self,
        closed: Slot,
    ) -> Children {
        let number = opened_tree.child(opened);
        let node = &opened_tree.nodes[number as usize];
        let lower = pair.lower_bounds(side, node, &closed_tree.small_box(closed));
        let mut count = 0;
        while count < LANES && node.child[count] != EMPTY {
            count += 1;
        }
        let first = number * LANES as u32;
        Children { count, slots: std::array::from_fn(|lane| Slot(first + lane as u32)), lower }
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
            }
        }
        seen.iter().position(|seen| !seen).map(|missing| format!("primitive {missing} is in no leaf"))
    }
}

impl BoxPair {
    /// Lower bounds on the distance between each box of `node` (of the body on `side`) and `closed` (of the other).
    #[inline(always)]
    fn lower_bounds(&self, side: Side, node: &Node, closed: &SmallBox) -> Lanes {
        let (node_frame, closed_frame) = match side {
            Side::A => (&self.a, &self.b),
            Side::B => (&self.b, &self.a),
        };
        let in_closed_axes = closed_frame.squared_gaps_to_node(closed, node);
        let in_node_axes = node_frame.squared_gaps_from_node(node, closed);
        std::array::from_fn(|lane| in_closed_axes[lane].max(in_node_axes[lane]).sqrt() - self.margin)
    }
}
