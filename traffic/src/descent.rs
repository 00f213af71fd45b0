//! Compares the trajectory's boxes with those of the traffic: both trees top to bottom, in the order of time
//! (workspace-time paper §III-B), and single boxes against the traffic's tree (§III-A).
//!
//! A node continues with the agents that its parent's box overlapped, as bits. Invariant: an agent is dropped only if
//! the boxes are apart, so every leaf that may meet an agent is visited with it.

use std::ops::ControlFlow;

use super::boxes::Boxes;
use super::narrow::Space;
use super::slots::{LANES, Slots, SmallBox, rounded_down, rounded_up};
use super::trajectory::TIME_SLACK;
use super::world::alignment;
use pathproof::internals::simd::{Kernel, Simd, Width, run_lanes};

/// The slots that a leaf of the trajectory falls into, the time gap included.
#[derive(Clone, Debug, Default)]
pub(crate) struct Windows {
    /// Leaf i is slot i + shift, and `table` is not used.
    shift: Option<usize>,
    table: Vec<[u32; 2]>,
}

impl Windows {
    /// Fills in leaves between consecutive `times` (or one leaf at a single time), with `start` added to all of them.
    pub(crate) fn fill(&mut self, slots: &Slots, times: &[f64], start: f64, gap: f64) {
        self.shift = None;
        if gap == 0.0 && start == 0.0 && times.len() > 1 {
            self.shift = alignment(times, slots.edges());
        }
        if self.shift.is_some() {
            return;
        }
        self.table.clear();
        let leaves = times.len().max(2) - 1;
        let edges = slots.edges();
        let (mut first, mut last) = (0, 0);
        for leaf in 0..leaves {
            // As in `Slots::first_for` and `Slots::last_for`, walking along.
            let from = times[leaf] + start - gap + TIME_SLACK;
            let to = times[(leaf + 1).min(times.len() - 1)] + start + gap - TIME_SLACK;
            while first + 1 < slots.count() && edges[first + 1] <= from {
                first += 1;
            }
            last = last.max(first);
            while last + 1 < slots.count() && edges[last + 1] < to {
                last += 1;
            }
            self.table.push([first as u32, last as u32]);
        }
    }

    /// First and last slot of the leaves `from..=to`.
    #[inline(always)]
    fn slots(&self, from: usize, to: usize) -> [usize; 2] {
        match self.shift {
            Some(shift) => [from + shift, to + shift],
            None => [self.table[from][0] as usize, self.table[to][1] as usize],
        }
    }

    /// Slot of leaf 0, if leaves are slots.
    #[inline]
    pub(crate) fn shift(&self) -> Option<usize> {
        self.shift
    }
}

/// Placement of the trajectory's boxes in the world.
#[derive(Clone, Copy)]
pub(crate) enum Lie<S: Space> {
    /// They are about the slots' origin already.
    InPlace,
    /// Turned by a frame, then shifted and grown, in metres.
    Moved { turn: Option<S::Frame>, shift: [f64; 3], grow: f64 },
}

impl<S: Space> Lie<S> {
    /// The box about the slots' origin, rounded outward.
    #[inline(always)]
    fn place(&self, small: &SmallBox) -> SmallBox {
        let Self::Moved { turn, shift, grow } = self else { return *small };
        let (mut centre, mut half) = ([0.0; 3], [0.0; 3]);
        for axis in 0..S::DIMENSIONS {
            let (low, high) = (f64::from(small.low[axis]), f64::from(small.high[axis]));
            (centre[axis], half[axis]) = (0.5 * (low + high), 0.5 * (high - low));
        }
        if let Some(frame) = turn {
            [centre, half] = S::turned_box(frame, centre, half);
        }
        let mut result = SmallBox { low: [0.0; 3], high: [0.0; 3] };
        for axis in 0..S::DIMENSIONS {
            // Turning and shifting err by less than 16 u, far below the rounding to single precision.
            let (at, half) = (centre[axis] + shift[axis], half[axis] + grow);
            (result.low[axis], result.high[axis]) = (rounded_down(at - half), rounded_up(at + half));
        }
        result
    }
}

/// Scratch of a descent: the agents left at each level of the path to the current node, and the nodes yet to visit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    bits: Vec<u8>,
    open: Vec<(u32, u32)>,
    /// The agents in question.
    pub(crate) wanted: Vec<u8>,
}

impl Path {
    /// Wants all agents.
    pub(crate) fn want_all(&mut self, agents: usize) {
        self.wanted.clear();
        self.wanted.extend((0..agents.div_ceil(LANES)).map(|group| match agents - group * LANES {
            left if left >= LANES => u8::MAX,
            left => (1 << left) - 1,
        }));
    }

    /// Drops this agent from those wanted.
    pub(crate) fn drop_agent(&mut self, agent: usize) {
        self.wanted[agent / LANES] &= !(1 << (agent % LANES));
    }

    pub(crate) fn wants(&self, agent: usize) -> bool {
        self.wanted[agent / LANES] >> (agent % LANES) & 1 == 1
    }
}

/// A descent of the trajectory's tree. See the module.
pub(crate) struct Descent<'a, S: Space, F> {
    pub(crate) slots: &'a Slots,
    pub(crate) boxes: &'a Boxes,
    pub(crate) windows: &'a Windows,
    pub(crate) lie: Lie<S>,
    pub(crate) path: &'a mut Path,
    /// The leaf to visit first, if possible.
    pub(crate) near: usize,
    /// Called with leaf and agent, in the order of time and of numbers, except for `near`.
    pub(crate) visit: F,
    pub(crate) node_tests: &'a mut u64,
}

impl<S: Space, F: FnMut(usize, usize) -> ControlFlow<()>> Descent<'_, S, F> {
    /// Visits every leaf with every agent it may meet, until `visit` breaks.
    pub(crate) fn run(self) {
        run_lanes(Width::detect(), self);
    }
}

impl<S: Space, F: FnMut(usize, usize) -> ControlFlow<()>> Kernel for Descent<'_, S, F> {
    type Output = ();

    #[inline(always)]
    fn run<V: Simd>(mut self, simd: V) {
        let (groups, top) = (self.slots.groups, self.boxes.level_count() - 1);
        let Path { bits, open, wanted } = self.path;
        bits.clear();
        bits.resize((top + 1) * groups, 0);
        bits.extend_from_slice(wanted);
        open.clear();
        open.push((top as u32, 0));
        while let Some((level, node)) = open.pop() {
            let (level, node) = (level as usize, node as usize);
            let last = (((node + 1) << level) - 1).min(self.boxes.leaves() - 1);
            let slots = self.windows.slots(node << level, last);
            let small = self.lie.place(&self.boxes.node::<S>(level, node));
            let (here, above) = bits[level * groups..].split_at_mut(groups);
            let mut any = 0;
            for group in 0..groups {
                let mut left = above[group];
                if left != 0 {
                    left &= self.slots.overlaps(simd, slots, group, &small);
                    *self.node_tests += 1;
                }
                here[group] = left;
                any |= left;
            }
            if any == 0 {
                continue;
            }
            if level > 0 {
                push_children(open, self.boxes.level_size(level - 1), level, node, self.near);
                continue;
            }
            for (group, &left) in here.iter().enumerate() {
                let mut left = left;
                while left != 0 {
                    let agent = group * LANES + left.trailing_zeros() as usize;
                    left &= left - 1;
                    if (self.visit)(node, agent).is_break() {
                        return;
                    }
                }
            }
        }
    }
}

/// Pushes the later child below the earlier one, unless the leaf wanted first is in the later one.
#[inline(always)]
fn push_children(open: &mut Vec<(u32, u32)>, below: usize, level: usize, node: usize, near: usize) {
    let (early, late) = (2 * node, 2 * node + 1);
    let below_level = (level - 1) as u32;
    if late >= below {
        open.push((below_level, early as u32));
    } else if near >> (level - 1) >= late {
        open.extend([(below_level, early as u32), (below_level, late as u32)]);
    } else {
        open.extend([(below_level, late as u32), (below_level, early as u32)]);
    }
}

/// One box against the traffic's tree, from its root down to the slot that the box falls into.
pub(crate) struct Isolated<'a, F> {
    pub(crate) slots: &'a Slots,
    pub(crate) window: [usize; 2],
    pub(crate) small: SmallBox,
    pub(crate) wanted: &'a [u8],
    /// Called with each agent that the box may meet.
    pub(crate) visit: F,
    pub(crate) node_tests: &'a mut u64,
}

impl<F: FnMut(usize) -> ControlFlow<()>> Kernel for Isolated<'_, F> {
    type Output = ControlFlow<()>;

    #[inline(always)]
    fn run<V: Simd>(mut self, simd: V) -> ControlFlow<()> {
        let [from, to] = self.window;
        for group in 0..self.slots.groups {
            let mut left = self.wanted[group];
            // Down to the level at which the window is one node or two.
            let lowest = (usize::BITS - (to - from).leading_zeros()) as usize;
            for level in (lowest..self.slots.level_count()).rev() {
                if left == 0 {
                    break;
                }
                *self.node_tests += 1;
                let (first, last) = (from >> level, to >> level);
                let mut bits = self.slots.node_overlaps(simd, level, first, group, &self.small);
                if last != first {
                    bits |= self.slots.node_overlaps(simd, level, last, group, &self.small);
                }
                left &= bits;
            }
            while left != 0 {
                let agent = group * LANES + left.trailing_zeros() as usize;
                left &= left - 1;
                (self.visit)(agent)?;
            }
        }
        ControlFlow::Continue(())
    }
}
