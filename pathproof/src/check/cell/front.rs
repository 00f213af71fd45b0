//! Fronts: the pairs of boxes for which a cell is not certified yet.
//!
//! A probe in the middle of a cell certifies most pairs of nodes for one half or both. The others are the front of
//! that half, which starts from them instead of from the roots. Fronts of a segment share one list. A cell whose front
//! was not kept, because the list is full, starts from the roots, which is always right.

use std::num::NonZeroU32;

use crate::numeric::{DVec3, unit};
use crate::trees::SiblingPairs;

/// Pairs of nodes that a cell starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::check) enum Front {
    /// Everything: the pair of roots.
    Roots,
    /// A place in the segment's list.
    Kept { first: u32, count: NonZeroU32 },
}

/// Fronts of a segment's cells, and the direction that last separated each pair.
#[derive(Debug, Default)]
pub(in crate::check) struct Fronts {
    list: Vec<SiblingPairs>,
    /// 0 where none is known.
    hints: Vec<[f32; 3]>,
}

/// Most sibling pairs kept for a segment: 12 MiB.
const MOST: usize = 1 << 20;

impl Fronts {
    /// Clears everything and makes room for this many pairs.
    pub(in crate::check) fn clear(&mut self, pairs: usize) {
        self.list.clear();
        self.hints.clear();
        self.hints.resize(pairs, [0.0; 3]);
    }

    /// A direction in A's axes that may separate a pair.
    pub(in crate::check) fn hint(&self, pair: u32) -> Option<DVec3> {
        unit(DVec3::from_array(self.hints[pair as usize].map(f64::from)))
    }

    /// Keeps the direction that last separated a pair.
    pub(in crate::check) fn keep_hint(&mut self, pair: u32, hint: Option<DVec3>) {
        self.hints[pair as usize] = hint.map_or([0.0; 3], |hint| hint.to_array().map(|c| c as f32));
    }

    /// Memory used, in bytes.
    pub(in crate::check) fn bytes(&self) -> usize {
        self.list.capacity() * size_of::<SiblingPairs>() + self.hints.capacity() * size_of::<[f32; 3]>()
    }

    /// Frees memory that is not needed.
    pub(in crate::check) fn shrink_to_fit(&mut self) {
        self.list.shrink_to_fit();
    }

    /// Keeps a front.
    pub(in crate::check) fn keep(&mut self, nodes: &[SiblingPairs]) -> Front {
        let Some(count) = NonZeroU32::new(nodes.len() as u32).filter(|_| self.list.len() + nodes.len() <= MOST) else {
            return Front::Roots;
        };
        let first = self.list.len() as u32;
        self.list.extend_from_slice(nodes);
        Front::Kept { first, count }
    }

    /// The pairs of a front.
    pub(in crate::check) fn pairs(&self, front: Front) -> &[SiblingPairs] {
        match front {
            Front::Roots => &[SiblingPairs::ROOTS],
            Front::Kept { first, count } => &self.list[first as usize..][..count.get() as usize],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trees::{Side, Slot};

    #[test]
    fn a_front_comes_back_as_it_was_kept_and_one_too_many_as_the_roots() {
        let siblings = |a, b| SiblingPairs::only(Side::A, Slot(a), Slot(b));
        let mut fronts = Fronts::default();
        let (first, second) = (fronts.keep(&[siblings(1, 2)]), fronts.keep(&[siblings(3, 4), siblings(5, 6)]));
        assert_eq!(fronts.pairs(first), [siblings(1, 2)]);
        assert_eq!(fronts.pairs(second), [siblings(3, 4), siblings(5, 6)]);
        let many = vec![siblings(7, 8); MOST - 3];
        assert_ne!(fronts.keep(&many), Front::Roots);
        let full = fronts.keep(&[siblings(9, 9)]);
        assert_eq!((full, fronts.pairs(full)), (Front::Roots, &[SiblingPairs::ROOTS][..]));
    }
}
