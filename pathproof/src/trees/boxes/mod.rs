//! Trees of boxes in the body's own axes, eight children per node, `f32` rounded outward (docs/design.md#trees).
//!
//! All boxes of a body share its rotation, so a query turns it into constants: R and |R| in both directions. The bound
//! is the largest of the gaps measured in A's axes, in B's axes, and along one direction that the caller knows (that
//! of the closest pair so far). For the last each box also carries a slab across its mean normal, so that pieces of
//! slanted or curved surface are thin. `kernel` tests eight children at once.

pub(super) mod drift;
pub(super) mod from_point;
mod invariant;
pub(super) mod kernel;
pub(super) mod lanes;
mod siblings;
mod volume;

pub(crate) use siblings::SiblingPairs;
pub(super) use volume::{Slab, SmallBox};

use super::build::{Item, area, bounds, items, items_of_components, items_of_parts, split};
use super::shards::cut_long_triangles;
use super::traverse::{Children, Side};
use super::{Direction, Slot, VolumeTree};
use crate::numeric::simd::Simd;
use crate::numeric::{DVec3, Pose, most, norm_up};
use crate::shapes::Body;
use kernel::BoxPair;

pub(super) const LANES: usize = 8;
pub(super) type Lanes = [f32; LANES];

/// A child is a leaf when this bit is set; the rest is the primitive. Otherwise it is a node.
const LEAF: u32 = 1 << 31;
const EMPTY: u32 = u32::MAX;

/// Half width of a lane that holds nothing: every gap to it is larger than any threshold.
const NOTHING: f32 = -1e30;

/// A slab is worth testing if it is thinner than this fraction of its box.
const SLANTED: f32 = 0.7;

/// Eight boxes as centres and half widths, and their contents.
#[derive(Clone, Debug)]
#[repr(C, align(32))]
pub(super) struct Node {
    pub(super) centre: [Lanes; 3],
    pub(super) half: [Lanes; 3],
    child: [u32; LANES],
    /// Bit i is set if lane i is in use. The first ones are.
    members: u8,
    /// Bit i is set if lane i is a leaf.
    leaves: u8,
    /// Bit i is set if the slab of lane i is much thinner than its box.
    slanted: u8,
}

/// For each box the unit vector m across which its content is thin: every point x of it has low ≤ m·(x − centre) ≤
/// high and |x − centre| ≤ radius.
#[derive(Clone, Debug)]
#[repr(C, align(32))]
pub(super) struct SlabLanes {
    pub(super) normal: [Lanes; 3],
    pub(super) low: Lanes,
    pub(super) high: Lanes,
    pub(super) radius: Lanes,
}

/// A tree of boxes. A slot is a lane of a node; the root is lane 0 of node 0.
#[derive(Clone, Debug)]
pub struct BoxTree {
    nodes: Vec<Node>,
    /// For each node; stored separately, because half of the queries do not use them.
    slabs: Vec<SlabLanes>,
    /// Upper bound on |centre| + |half| of any box: bounds the numbers in a query.
    extent: f64,
    /// The primitives that are in several leaves, each with a part of them; in order.
    shattered: Vec<u32>,
}

/// Sets that a tree keeps apart before it cuts them: hulls of nodes then hold whole bodies and whole wires of a cage.
#[derive(Clone, Copy)]
enum Sets {
    /// The parts of a body.
    Parts,
    /// The connected components of a part.
    Components,
}

/// The largest half width.
#[inline(always)]
fn largest([x, y, z]: [f32; 3]) -> f32 {
    let larger = if x > y { x } else { y };
    if larger > z { larger } else { z }
}

/// Cuts `items` into at most eight groups, the children of a node: single items if there are no more than eight, else
/// the group with the largest area is cut again and again. Small groups are cut at multiples of eight, so that the
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
        let (node, slabs) = (&mut self.nodes[node], &mut self.slabs[node]);
        for i in 0..3 {
            node.centre[i][lane] = small.centre[i];
            node.half[i][lane] = small.half[i];
            slabs.normal[i][lane] = slab.normal[i];
        }
        slabs.low[lane] = slab.low;
        slabs.high[lane] = slab.high;
        slabs.radius[lane] = slab.radius;
        node.child[lane] = child;
        node.members |= 1 << lane;
        node.leaves |= u8::from(child & LEAF != 0) << lane;
        node.slanted |= u8::from(slab.is_thinner_than(&small, SLANTED)) << lane;
        let length = |v: [f32; 3]| norm_up(DVec3::from_array(v.map(f64::from)));
        self.extent = most(self.extent, length(small.centre) + length(small.half));
    }

    fn push_node(&mut self) -> usize {
        let slab = SlabLanes { normal: [[0.0; LANES]; 3], low: [0.0; LANES], high: [0.0; LANES], radius: [0.0; LANES] };
        self.slabs.push(slab);
        self.nodes.push(Node {
            centre: [[0.0; LANES]; 3],
            half: [[NOTHING; LANES]; 3],
            child: [EMPTY; LANES],
            members: 0,
            leaves: 0,
            slanted: 0,
        });
        self.nodes.len() - 1
    }

    /// Adds the node of `items` (at least two) and everything below it; returns its index.
    fn add(&mut self, items: &mut [Item], body: &Body) -> usize {
        let node = self.push_node();
        for (lane, (from, to)) in groups(items).into_iter().enumerate() {
            let group = &mut items[from..to];
            let child = self.child_of(group, body);
            self.set(node, lane, group, body, child);
        }
        node
    }

    /// The leaf of a single item, or a node of several.
    fn child_of(&mut self, items: &mut [Item], body: &Body) -> u32 {
        if let [item] = items { LEAF | item.primitive } else { self.add(items, body) as u32 }
    }

    /// The subtree over some sets of items: a single one is divided further, several share a node.
    fn child_of_sets(&mut self, sets: &mut [Vec<Item>], of: Sets, body: &Body) -> u32 {
        match (sets, of) {
            ([part], Sets::Parts) => self.child_of_sets(&mut items_of_components(part, body), Sets::Components, body),
            ([component], Sets::Components) => self.child_of(component, body),
            (several, _) => {
                let whole = |(i, items): (usize, &Vec<Item>)| Item {
                    primitive: i as u32,
                    bounds: bounds(items),
                    is_shard: false,
                };
                let mut wholes: Vec<Item> = several.iter().enumerate().map(whole).collect();
                self.add_sets(&mut wholes, several, of, body) as u32
            }
        }
    }

    /// Adds the node of some sets (at least two) and everything below it: sets are kept apart before one is cut.
    /// `wholes` are numbered by their place in `sets`.
    fn add_sets(&mut self, wholes: &mut [Item], sets: &mut [Vec<Item>], of: Sets, body: &Body) -> usize {
        let node = self.push_node();
        for (lane, (from, to)) in groups(wholes).into_iter().enumerate() {
            let group = &mut wholes[from..to];
            let child = match group {
                [whole] => self.child_of_sets(&mut sets[whole.primitive as usize..][..1], of, body),
                _ => self.add_sets(group, sets, of, body) as u32,
            };
            let all: Vec<Item> =
                group.iter().flat_map(|whole| sets[whole.primitive as usize].iter().copied()).collect();
            self.set(node, lane, &all, body, child);
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

    /// Upper bound on the distance of any point of a box from the body's centre.
    pub(crate) fn extent(&self) -> f64 {
        self.extent
    }

    /// Number of nodes.
    pub(crate) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// A number above that of any slot.
    pub(crate) fn slot_count(&self) -> usize {
        self.nodes.len() * LANES
    }

    /// The slots below an inner one.
    pub(crate) fn children(&self, slot: Slot) -> impl Iterator<Item = Slot> + use<> {
        let node = self.child(slot);
        let members = if node & LEAF == 0 { self.nodes[node as usize].members } else { 0 };
        (0..LANES as u32).filter(move |lane| members >> lane & 1 == 1).map(move |lane| Slot(node * LANES as u32 + lane))
    }

    /// Calls `found`, once each, with every primitive within `reach` of the ray from `p` along +x, and with some near
    /// it.
    pub fn stab(&self, p: DVec3, reach: f64, mut found: impl FnMut(usize)) {
        // Comparisons widened by far more than their rounding: a false hit only costs time.
        let slack = reach + 1e-12 * (1.0 + self.extent + p.abs().max_element());
        let misses = |slot: Slot| {
            let SmallBox { centre, half } = self.small_box(slot);
            let beyond = |i: usize| p[i] - f64::from(centre[i]);
            let room = |i: usize| f64::from(half[i]) + slack;
            beyond(1).abs() > room(1) || beyond(2).abs() > room(2) || beyond(0) > room(0)
        };
        // Most points are outside most bodies: these need no allocation.
        if misses(self.root()) {
            return;
        }
        let mut pending = vec![self.root()];
        let mut shattered = Vec::new();
        while let Some(slot) = pending.pop() {
            match self.child(slot) {
                leaf if leaf & LEAF != 0 => match leaf & !LEAF {
                    primitive if self.is_shattered(primitive) => shattered.push(primitive),
                    primitive => found(primitive as usize),
                },
                node => pending.extend(
                    self.lanes(node).map(|lane| Slot(node * LANES as u32 + lane)).filter(|child| !misses(*child)),
                ),
            }
        }
        shattered.sort_unstable();
        shattered.dedup();
        shattered.into_iter().for_each(|primitive| found(primitive as usize));
    }

    /// True if a primitive is in several leaves.
    fn is_shattered(&self, primitive: u32) -> bool {
        self.shattered.binary_search(&primitive).is_ok()
    }

    fn lanes(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        (0..LANES as u32).filter(move |&lane| self.nodes[node as usize].child[lane as usize] != EMPTY)
    }
}

impl VolumeTree for BoxTree {
    type Pair = BoxPair;

    fn build(body: &Body) -> Self {
        let most = body.primitives() / 5 + 2;
        let (nodes, slabs) = (Vec::with_capacity(most), Vec::with_capacity(most));
        let items = cut_long_triangles(items(body), body);
        let mut shattered: Vec<u32> = items.iter().filter(|item| item.is_shard).map(|item| item.primitive).collect();
        shattered.sort_unstable();
        shattered.dedup();
        let mut tree = Self { nodes, slabs, extent: 0.0, shattered };
        let mut items = items_of_parts(items, body);
        tree.push_node();
        let child = tree.child_of_sets(&mut items, Sets::Parts, body);
        tree.set(0, 0, &items.concat(), body, child);
        tree.nodes.shrink_to_fit();
        tree.slabs.shrink_to_fit();
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
        largest(self.small_box(slot).half)
    }

    fn pair(a: &Self, b: &Self, a_from_b: &Pose, margin: f64) -> BoxPair {
        BoxPair::new(a_from_b, [a.extent, b.extent], margin)
    }

    #[inline(always)]
    fn lower_root<S: Simd>(simd: S, pair: &BoxPair, a: &Self, b: &Self, direction: &Direction) -> f32 {
        // Node 0 holds the root in lane 0 and nothing else.
        pair.lower_bounds(simd, Side::B, (&b.nodes[0], &b.slabs[0]), &a.other(a.root()), direction, f32::INFINITY)[0]
    }

    #[inline(always)]
    fn open<S: Simd>(
        simd: S,
        pair: &BoxPair,
        side: Side,
        [opened_tree, other_tree]: [&Self; 2],
        [opened, other]: [Slot; 2],
        direction: &Direction,
        enough: f32,
    ) -> Children {
        let number = opened_tree.child(opened);
        let (node, slabs) = (&opened_tree.nodes[number as usize], &opened_tree.slabs[number as usize]);
        let bounds = pair.lower_bounds(simd, side, (node, slabs), &other_tree.other(other), direction, enough);
        let lower = std::array::from_fn(|lane| bounds[lane]);
        let first = number * LANES as u32;
        Children {
            count: node.members.count_ones() as usize,
            slots: std::array::from_fn(|lane| Slot(first + lane as u32)),
            lower,
        }
    }

    fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.slabs.capacity() * size_of::<SlabLanes>()
            + size_of::<Self>()
            + self.shattered.capacity() * size_of::<u32>()
    }

    fn broken_invariant(&self, body: &Body) -> Option<String> {
        invariant::broken(self, body)
    }
}

/// A box with its slab.
#[derive(Clone, Copy, Debug)]
pub(super) struct OtherBox {
    pub(super) small: SmallBox,
    pub(super) slab: Slab,
}

impl BoxTree {
    #[inline(always)]
    fn other(&self, slot: Slot) -> OtherBox {
        let (slab, lane) = (&self.slabs[slot.0 as usize / LANES], slot.0 as usize % LANES);
        let slab = Slab {
            normal: slab.normal.map(|c| c[lane]),
            low: slab.low[lane],
            high: slab.high[lane],
            radius: slab.radius[lane],
        };
        OtherBox { small: self.small_box(slot), slab }
    }
}

#[cfg(test)]
mod tests;
