//! Top-down splitting by binned surface-area cost: chooses the cut of a set of primitives. O(n) per cut, O(n log n)
//! for a tree; a cut always leaves something on both sides.

use std::collections::BTreeMap;

use crate::numeric::DVec3;
use crate::shapes::{Aabb, Body, Primitive};

const BINS: usize = 16;

/// A primitive, or a shard of one, in the form that the builder uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) primitive: u32,
    pub(super) bounds: Aabb,
    /// True if it holds only the part of the primitive that is in its bounds.
    pub(super) is_shard: bool,
}

impl Item {
    fn centre(&self) -> DVec3 {
        self.bounds.centre()
    }
}

/// The primitives of a body with their boxes.
pub(super) fn items(body: &Body) -> Vec<Item> {
    (0..body.primitives())
        .map(|i| {
            let bounds = match body.primitive(i) {
                Primitive::Triangle(corners) => Aabb::of(corners),
                Primitive::Piece(piece) => piece.shape.aabb(&piece.centre_from_piece),
            };
            Item { primitive: i as u32, bounds, is_shard: false }
        })
        .collect()
}

/// Groups items of a body by its parts; skips parts without items.
pub(super) fn items_of_parts(items: Vec<Item>, body: &Body) -> Vec<Vec<Item>> {
    let mut parts: Vec<Vec<Item>> = vec![Vec::new(); body.part_count()];
    for item in items {
        parts[body.part_of(item.primitive as usize)].push(item);
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Groups the items of a part by connected components of its meshes; each piece is its own group.
pub(super) fn items_of_components(items: &[Item], body: &Body) -> Vec<Vec<Item>> {
    let mut components: BTreeMap<(bool, u32), Vec<Item>> = BTreeMap::new();
    for item in items {
        let key = match body.primitive(item.primitive as usize) {
            Primitive::Triangle(_) => (false, body.component_of(item.primitive as usize)),
            Primitive::Piece(_) => (true, item.primitive),
        };
        components.entry(key).or_default().push(*item);
    }
    components.into_values().collect()
}

/// The box around some items.
pub(super) fn bounds(items: &[Item]) -> Aabb {
    items.iter().map(|item| item.bounds).fold(Aabb::EMPTY, Aabb::union)
}

/// Half the surface area of a box: proportional to the chance of being opened.
pub(super) fn area(bounds: &Aabb) -> f64 {
    let d = bounds.size();
    d.x * d.y + d.y * d.z + d.z * d.x
}

/// Calls `visit` with points whose convex hull holds the primitive.
pub(super) fn spanning_points(body: &Body, primitive: usize, visit: impl FnMut(DVec3)) {
    match body.primitive(primitive) {
        Primitive::Triangle(corners) => corners.into_iter().for_each(visit),
        Primitive::Piece(piece) => {
            corners_of(&piece.shape.aabb(&piece.centre_from_piece)).for_each(visit);
        }
    }
}

/// The corners of a box.
pub(super) fn corners_of(bounds: &Aabb) -> impl Iterator<Item = DVec3> {
    let Aabb { min, max } = *bounds;
    (0..8).map(move |i| {
        let pick = |bit: usize, k: usize| if i & bit == 0 { min[k] } else { max[k] };
        DVec3::new(pick(1, 0), pick(2, 1), pick(4, 2))
    })
}

/// Reorders `items` (at least two) and returns the place to cut them; a set of up to 64 is cut at a multiple of
/// `grain`, so that groups of that many fill their nodes.
pub(super) fn split(items: &mut [Item], grain: usize) -> usize {
    let cut = cheap_split(items);
    if items.len() > 64 || items.len() <= grain {
        return cut;
    }
    let whole = ((cut + grain / 2) / grain * grain).clamp(grain, (items.len() - 1) / grain * grain);
    let axis = longest_axis(items);
    items.select_nth_unstable_by(whole, |a, b| {
        a.centre()[axis].total_cmp(&b.centre()[axis]).then(a.primitive.cmp(&b.primitive))
    });
    whole
}

fn longest_axis(items: &[Item]) -> usize {
    let size = Aabb::of(items.iter().map(Item::centre)).size();
    if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    }
}

/// Cuts where the sum of area times count over both sides is least.
fn cheap_split(items: &mut [Item]) -> usize {
    let centres = Aabb::of(items.iter().map(Item::centre));
    let axis = longest_axis(items);
    let (low, width) = (centres.min[axis], centres.size()[axis]);
    if !(width > 0.0) {
        return items.len() / 2;
    }
    let scale = BINS as f64 * (1.0 - 1e-9) / width;
    let bin_of = |item: &Item| (((item.centre()[axis] - low) * scale) as usize).min(BINS - 1);
    let Some(cut) = cheapest_cut(items, &bin_of) else {
        return items.len() / 2;
    };
    let mut next = 0;
    for i in 0..items.len() {
        if bin_of(&items[i]) < cut {
            items.swap(i, next);
            next += 1;
        }
    }
    if next == 0 || next == items.len() { items.len() / 2 } else { next }
}

/// The bin before which cutting costs least, by area times count on either side.
fn cheapest_cut(items: &[Item], bin_of: &impl Fn(&Item) -> usize) -> Option<usize> {
    let mut bins = [(Aabb::EMPTY, 0usize); BINS];
    for item in items {
        let bin = &mut bins[bin_of(item)];
        *bin = (bin.0.union(item.bounds), bin.1 + 1);
    }
    let mut right_cost = [0.0; BINS];
    let mut right = (Aabb::EMPTY, 0usize);
    for i in (1..BINS).rev() {
        right = (right.0.union(bins[i].0), right.1 + bins[i].1);
        right_cost[i] = if right.1 == 0 { f64::INFINITY } else { area(&right.0) * right.1 as f64 };
    }
    let mut left = (Aabb::EMPTY, 0usize);
    let mut best = None;
    let mut best_cost = f64::INFINITY;
    for i in 1..BINS {
        left = (left.0.union(bins[i - 1].0), left.1 + bins[i - 1].1);
        if left.1 == 0 {
            continue;
        }
        let cost = area(&left.0) * left.1 as f64 + right_cost[i];
        if cost < best_cost {
            (best, best_cost) = (Some(i), cost);
        }
    }
    best
}
