//! The one traversal of a pair of trees, nearest first; every query is a thin caller of it.
//!
//! Depth first over pairs of nodes: the larger volume of a pair is opened, its children are visited in the order of
//! their lower bounds. The caller interprets bounds ([`Visit`]) and owns the stack, so that nothing is allocated in
//! steady state.

use super::{Direction, Slot, VolumeTree, lesser};
use crate::numeric::simd::*;

/// One body of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first body.
    A,
    /// The second body.
    B,
}

/// The children of an opened node with lower bounds on their distances from the node of the other tree.
#[derive(Clone, Copy, Debug)]
pub struct Children {
    pub(crate) count: usize,
    pub(crate) slots: [Slot; 8],
    pub(crate) lower: [f32; 8],
}

/// Decision to go on or to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Go on.
    Continue,
    /// The answer is known: end the traversal.
    Stop,
}

/// A query: handles bounds and pairs of primitives.
pub trait Visit {
    /// True if a pair of volumes with this lower bound on its distance is to be opened. If false, the implementation
    /// has recorded the bound, because nothing below the pair is visited.
    fn enter(&mut self, lower: f32, a: Slot, b: Slot) -> bool;

    /// A pair of primitives in entered leaves. A primitive in several leaves is visited once for each.
    fn primitives(&mut self, a: usize, b: usize) -> Step;

    /// Pairs of volumes with bounds above this are skipped without a call of [`Self::enter`]; [`Self::leave_out`]
    /// records the least of their bounds once. None by default.
    fn threshold(&self) -> f32 {
        f32::INFINITY
    }

    /// Records the least bound of the skipped pairs.
    fn leave_out(&mut self, _least: f32) {}

    /// A sufficient bound: if all children exceed it they need no better one. None by default.
    fn enough(&self) -> f32 {
        f32::INFINITY
    }

    /// A direction that may separate the next pairs.
    fn direction(&self) -> &Direction;

    /// Counts pairs of volumes whose bounds were computed.
    fn count(&mut self, volume_pairs: usize);
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    lower: f32,
    a: Slot,
    b: Slot,
}

/// Pairs of nodes yet to be visited; owned by the caller and reused.
#[derive(Clone, Debug, Default)]
pub struct Stack {
    pending: Vec<Pending>,
}

/// Visits the pairs of nodes of two trees that `visit` enters, nearest first, with kernels of this width.
#[inline(always)]
pub fn traverse<T: VolumeTree>(
    width: Width,
    pair: &T::Pair,
    [a, b]: [&T; 2],
    stack: &mut Stack,
    visit: &mut impl Visit,
) -> Step {
    run_lanes(width, Walk { pair, a, b, stack, visit })
}

/// A visitor in progress through a pair of trees.
struct Walk<'w, T: VolumeTree, V> {
    pair: &'w T::Pair,
    a: &'w T,
    b: &'w T,
    stack: &'w mut Stack,
    visit: &'w mut V,
}

impl<T: VolumeTree, V: Visit> Kernel for Walk<'_, T, V> {
    type Output = Step;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Step {
        let nothing = f32x8::splat(simd, f32::INFINITY);
        let mut walk = Lanes { walk: self, simd, left_out: nothing };
        let step = walk.descend();
        let left_out =
            walk.left_out.to_array().into_iter().fold(f32::INFINITY, |least, x| if x < least { x } else { least });
        if left_out < f32::INFINITY {
            walk.walk.visit.leave_out(left_out);
        }
        step
    }
}

/// The same with vectors.
struct Lanes<'w, T: VolumeTree, V, S: Simd> {
    walk: Walk<'w, T, V>,
    simd: S,
    /// The least bounds of the skipped children, lane by lane.
    left_out: f32x8<S>,
}

impl<T: VolumeTree, V: Visit, S: Simd> Lanes<'_, T, V, S> {
    #[inline(always)]
    fn descend(&mut self) -> Step {
        let Walk { pair, a, b, stack, visit } = &mut self.walk;
        let (pair, a, b, simd) = (*pair, *a, *b, self.simd);
        stack.pending.clear();
        stack.pending.push(Pending {
            lower: T::lower_root(simd, pair, a, b, visit.direction()),
            a: a.root(),
            b: b.root(),
        });
        visit.count(1);
        while let Some(next) = stack.pending.pop() {
            // A pair that was entered when pushed may have become irrelevant since.
            if !visit.enter(next.lower, next.a, next.b) {
                continue;
            }
            let (leaf_a, leaf_b) = (a.primitive(next.a), b.primitive(next.b));
            let side = match (leaf_a, leaf_b) {
                (Some(primitive_a), Some(primitive_b)) => {
                    if visit.primitives(primitive_a, primitive_b) == Step::Stop {
                        return Step::Stop;
                    }
                    continue;
                }
                (Some(_), None) => Side::B,
                (None, Some(_)) => Side::A,
                (None, None) if a.size(next.a) > b.size(next.b) => Side::A,
                (None, None) => Side::B,
            };
            let enough = visit.enough();
            let children = match side {
                Side::A => T::open(simd, pair, side, [a, b], [next.a, next.b], visit.direction(), enough),
                Side::B => T::open(simd, pair, side, [b, a], [next.b, next.a], visit.direction(), enough),
            };
            visit.count(children.count);
            let lower = f32x8::simd_from(simd, children.lower);
            let members = (1u32 << children.count) - 1;
            let is_out =
                lower.simd_gt(f32x8::splat(simd, visit.threshold())) & mask32x8::from_bitmask(simd, u64::from(members));
            self.left_out = lesser(is_out.select(lower, f32x8::splat(simd, f32::INFINITY)), self.left_out);
            let entered = members & !(is_out.to_bitmask() as u32);
            push_nearest_last(&mut stack.pending, &children, entered, side, next, *visit);
        }
        Step::Continue
    }
}

/// Pushes the children (bits of `members`) that `visit` enters, so that the nearest is popped first; equal ones in
/// their own order.
#[inline(always)]
fn push_nearest_last(
    pending: &mut Vec<Pending>,
    children: &Children,
    mut members: u32,
    side: Side,
    parent: Pending,
    visit: &mut impl Visit,
) {
    let first = pending.len();
    while members != 0 {
        let i = members.trailing_zeros() as usize & 7;
        members &= members - 1;
        let lower = children.lower[i];
        let entry = match side {
            Side::A => Pending { lower, a: children.slots[i], b: parent.b },
            Side::B => Pending { lower, a: parent.a, b: children.slots[i] },
        };
        if !visit.enter(lower, entry.a, entry.b) {
            continue;
        }
        pending.push(entry);
        let mut place = pending.len() - 1;
        while place > first && pending[place - 1].lower <= entry.lower {
            pending[place] = pending[place - 1];
            place -= 1;
        }
        pending[place] = entry;
    }
}
