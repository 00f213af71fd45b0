//! Fronts: the pairs of boxes that a cell still has to be proven for.
//!
//! A query at the midpoint of a cell proves most pairs of nodes for a half of it, or for both; the others are the front of
//! that half, which starts from them instead of from the roots. Fronts of a segment share one list; a cell whose front was
//! not kept, because the list is full, starts from the roots, which is always right.

use crate::numeric::DVec3;
use crate::trees::Family;

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

/// The fronts of a segment's cells, and for each pair the direction that separated it last.
#[derive(Debug, Default)]
pub(super) struct Fronts {
    list: Vec<Family>,
    hints: Vec<[f32; 3]>,
}

/// Most families kept for a segment: 12 MiB.
const MOST: usize = 1 << 20;

impl Fronts {
    /// Starts anew, for this many pairs.
    pub(super) fn clear(&mut self, pairs: usize) {
        self.list.clear();
        self.hints.clear();
        self.hints.resize(pairs, [0.0; 3]);
    }

    /// A direction in A's axes that may separate a pair; 0 where none is known.
    pub(super) fn hint(&self, pair: u32) -> DVec3 {
        let [x, y, z] = self.hints[pair as usize].map(f64::from);
        DVec3::new(x, y, z)
    }

    /// Keeps the direction that separated a pair last.
    pub(super) fn keep_hint(&mut self, pair: u32, hint: DVec3) {
        self.hints[pair as usize] = hint.to_array().map(|c| c as f32);
    }

    /// Memory that they take, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.list.capacity() * size_of::<Family>() + self.hints.capacity() * size_of::<[f32; 3]>()
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.list.shrink_to_fit();
    }

    /// Keeps a front.
    pub(super) fn keep(&mut self, nodes: &[Family]) -> Front {
        if nodes.is_empty() || self.list.len() + nodes.len() > MOST {
            return Front::ROOTS;
        }
        let first = self.list.len() as u32;
        self.list.extend_from_slice(nodes);
        Front { first, count: nodes.len() as u32 }
    }

    /// The pairs of a front.
    pub(super) fn pairs(&self, front: Front) -> &[Family] {
        if front == Front::ROOTS {
            return &[Family::ROOTS];
        }
        &self.list[front.first as usize..][..front.count as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trees::{Side, Slot};

    #[test]
    fn a_front_comes_back_as_it_was_kept_and_one_too_many_as_the_roots() {
        let family = |a, b| Family::only(Side::A, Slot(a), Slot(b));
        let mut fronts = Fronts::default();
        let (first, second) = (fronts.keep(&[family(1, 2)]), fronts.keep(&[family(3, 4), family(5, 6)]));
        assert_eq!(fronts.pairs(first), [family(1, 2)]);
        assert_eq!(fronts.pairs(second), [family(3, 4), family(5, 6)]);
        let many = vec![family(7, 8); MOST - 3];
        assert_ne!(fronts.keep(&many), Front::ROOTS);
        let full = fronts.keep(&[family(9, 9)]);
        assert_eq!((full, fronts.pairs(full)), (Front::ROOTS, &[Family::ROOTS][..]));
    }
}
