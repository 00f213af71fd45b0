//! Fronts: the pairs of nodes that a cell still has to be proven for.
//!
//! A query at the midpoint of a cell proves most pairs of nodes for a half of it, or for both; the others are the front of
//! that half, which starts from them instead of from the roots. Fronts of a segment share one list; a cell whose front was
//! not kept, because the list is full, starts from the roots, which is always right.

use crate::trees::{BoxTree, Slot, VolumeTree};

/// A node of either tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodePair {
    pub(super) a: Slot,
    pub(super) b: Slot,
}

/// A place in a segment's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Front {
    first: u32,
    count: u32,
}

impl Front {
    /// Everything: the pair of roots.
    pub(super) const ROOTS: Self = Self { first: 0, count: 0 };
}

/// The fronts of a segment's cells.
#[derive(Debug, Default)]
pub(super) struct Fronts {
    list: Vec<NodePair>,
}

/// Most pairs kept for a segment: 8 MiB.
const MOST: usize = 1 << 20;

impl Fronts {
    pub(super) fn clear(&mut self) {
        self.list.clear();
    }

    /// Memory that they take, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.list.capacity() * size_of::<NodePair>()
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.list.shrink_to_fit();
    }

    /// Keeps a front.
    pub(super) fn keep(&mut self, nodes: &[NodePair]) -> Front {
        if nodes.is_empty() || self.list.len() + nodes.len() > MOST {
            return Front::ROOTS;
        }
        let first = self.list.len() as u32;
        self.list.extend_from_slice(nodes);
        Front { first, count: nodes.len() as u32 }
    }

    /// The pairs of a front; `roots` stands for a front that was not kept.
    pub(super) fn pairs<'f>(&'f self, front: Front, roots: &'f NodePair) -> &'f [NodePair] {
        if front == Front::ROOTS {
            return std::slice::from_ref(roots);
        }
        &self.list[front.first as usize..][..front.count as usize]
    }
}

impl NodePair {
    /// The roots of two trees.
    pub(super) fn roots(a: &BoxTree, b: &BoxTree) -> Self {
        Self { a: a.root(), b: b.root() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_front_comes_back_as_it_was_kept_and_one_too_many_as_the_roots() {
        let pair = |a, b| NodePair { a: Slot(a), b: Slot(b) };
        let mut fronts = Fronts::default();
        let (first, second) = (fronts.keep(&[pair(1, 2)]), fronts.keep(&[pair(3, 4), pair(5, 6)]));
        let roots = pair(0, 0);
        assert_eq!(fronts.pairs(first, &roots), [pair(1, 2)]);
        assert_eq!(fronts.pairs(second, &roots), [pair(3, 4), pair(5, 6)]);
        let many = vec![pair(7, 8); MOST - 3];
        assert_ne!(fronts.keep(&many), Front::ROOTS);
        let full = fronts.keep(&[pair(9, 9)]);
        assert_eq!((full, fronts.pairs(full, &roots)), (Front::ROOTS, &[roots][..]));
    }
}
