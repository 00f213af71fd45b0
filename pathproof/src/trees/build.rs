//! Top-down splitting by binned surface-area cost: where to cut a set of primitives in two. O(n) a cut,
//! O(n log n) for a tree; a cut always leaves something on both sides.

use crate::numeric::DVec3;
use crate::shapes::{Aabb, Body, Primitive};

const BINS: usize = 16;

/// A primitive as the builder sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) primitive: u32,
    pub(super) bounds: Aabb,
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
            Item { primitive: i as u32, bounds }
        })
        .collect()
}

/// The box around some items.
pub(super) fn bounds(items: &[Item]) -> Aabb {
    items.iter().map(|item| item.bounds).fold(Aabb::EMPTY, Aabb::union)
}

/// Half the surface area of a box: the chance of being looked into.
pub(super) fn area(bounds: &Aabb) -> f64 {
    let d = bounds.size();
    d.x * d.y + d.y * d.z + d.z * d.x
}

/// Reorders `items` (two at least) and returns where to cut them.
pub(super) fn split(items: &mut [Item]) -> usize {
    let centres = Aabb::of(items.iter().map(Item::centre));
    let size = centres.size();
    let axis = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    let (low, width) = (centres.min[axis], size[axis]);
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
