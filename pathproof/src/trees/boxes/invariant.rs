//! The invariant of a tree of boxes: correct bits for the lanes, every primitive in one leaf (every shard of a
//! triangle that was cut), inside every box and slab above it.

use super::{BoxTree, EMPTY, LANES, LEAF};
use crate::shapes::Body;
use crate::trees::build::{Item, items};
use crate::trees::shards::cut_long_triangles;
use crate::trees::{Slot, VolumeTree};

/// A description of the first error in the tree over `body`, if any.
pub(super) fn broken(tree: &BoxTree, body: &Body) -> Option<String> {
    for (number, node) in tree.nodes.iter().enumerate() {
        let bits = |is: fn(u32) -> bool| (0..LANES).fold(0, |bits, i| bits | u8::from(is(node.child[i])) << i);
        let (members, leaves) = (bits(|child| child != EMPTY), bits(|child| child != EMPTY && child & LEAF != 0));
        if (node.members, node.leaves) != (members, leaves) || members & members.wrapping_add(1) != 0 {
            return Some(format!("the bits of node {number} do not tell which lanes are in use"));
        }
    }
    // Items still to be found, by primitive.
    let mut expected: Vec<Vec<Item>> = vec![Vec::new(); body.primitives()];
    for item in cut_long_triangles(items(body), body) {
        expected[item.primitive as usize].push(item);
    }
    let mut pending = vec![(tree.root(), Vec::<Slot>::new())];
    while let Some((slot, ancestors)) = pending.pop() {
        let mut path = ancestors;
        path.push(slot);
        let Some(primitive) = tree.primitive(slot) else {
            let node = tree.child(slot);
            pending.extend(tree.lanes(node).map(|lane| (Slot(node * LANES as u32 + lane), path.clone())));
            continue;
        };
        let Some(of_primitive) = expected.get_mut(primitive).filter(|items| !items.is_empty()) else {
            return Some(format!("primitive {primitive} is unknown or in too many leaves"));
        };
        if of_primitive.iter().any(|item| item.is_shard) != tree.is_shattered(primitive as u32) {
            return Some(format!("the tree does not tell whether primitive {primitive} is in several leaves"));
        }
        let held = of_primitive.iter().position(|item| why_outside(tree, body, item, &path).is_none());
        match held {
            Some(held) => drop(of_primitive.swap_remove(held)),
            None => return why_outside(tree, body, &of_primitive[0], &path),
        }
    }
    expected.iter().position(|left| !left.is_empty()).map(|missing| format!("primitive {missing} is in no leaf"))
}

/// Names a box above an item, or its slab, that does not hold the item.
fn why_outside(tree: &BoxTree, body: &Body, item: &Item, path: &[Slot]) -> Option<String> {
    let primitive = item.primitive;
    path.iter().find_map(|&slot| {
        let above = tree.other(slot);
        if !(above.small.contains(item.bounds.min) && above.small.contains(item.bounds.max)) {
            Some(format!("primitive {primitive} is not inside the box {slot:?} above it"))
        } else if !above.slab.holds(above.small.centre, body, item) {
            Some(format!("primitive {primitive} is not inside the slab of the box {slot:?} above it"))
        } else {
            None
        }
    })
}
