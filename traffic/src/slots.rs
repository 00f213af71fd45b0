//! The boxes of all agents over time: a common grid of slots, eight agents side by side, and levels of pairs above
//! them.
//!
//! Every slot has a box per agent that holds its whole motion in that time, rounding and [`TIME_SLACK`] included. Level
//! l has a node for 2^l slots. So at most two nodes of some level cover any stretch of time, whatever grid it comes
//! from; on equal grids it is one, at the same place (lockstep). Single precision about `origin`, rounded outward.

use super::trajectory::TIME_SLACK;
use pathproof::internals::simd::{Simd, SimdBase, SimdMask, f32x8};
use pathproof::numeric::most;

/// Agents side by side.
pub(crate) const LANES: usize = 8;

/// Most slots, and most in total for all groups of eight agents: bounds on memory (some 30 MB). If there are more
/// knots, they share slots.
const MOST_SLOTS: usize = 4096;
const MOST_GROUP_SLOTS: usize = 1 << 17;

/// One bound of eight agents.
pub(crate) type Row = [f32; LANES];

/// A box in single precision about the slots' origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SmallBox {
    pub(crate) low: [f32; 3],
    pub(crate) high: [f32; 3],
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    /// Increasing; slot k is from edge k to edge k + 1.
    edges: Vec<f64>,
    /// First node of each level.
    levels: Vec<usize>,
    /// Groups of eight agents.
    pub(crate) groups: usize,
    dimensions: usize,
    /// For each node and group: lower and upper bound along each axis.
    rows: Vec<Row>,
    pub(crate) origin: [f64; 3],
}

/// Largest single-precision number not above x.
#[inline(always)]
pub(crate) fn rounded_down(x: f64) -> f32 {
    // 2⁻²³ of x is twice the rounding to single precision; 1e-30 covers underflow.
    (x - x.abs() * f64::from(f32::EPSILON) - 1e-30) as f32
}

/// Smallest single-precision number not below x, or near it.
#[inline(always)]
pub(crate) fn rounded_up(x: f64) -> f32 {
    (x + x.abs() * f64::from(f32::EPSILON) + 1e-30) as f32
}

impl Slots {
    /// Empty boxes for `agents` agents on a grid that holds `grid` (increasing times, may be empty) and all of `span`
    /// (first and last time).
    pub(crate) fn reset(&mut self, grid: &[f64], span: [f64; 2], agents: usize, dimensions: usize, origin: [f64; 3]) {
        self.groups = agents.div_ceil(LANES);
        self.dimensions = dimensions;
        self.origin = origin;
        self.lay_out_edges(grid, span);
        let nodes = lay_out_levels(&mut self.levels, self.edges.len() - 1);
        self.rows.clear();
        let rows = nodes * self.groups * 2 * dimensions;
        self.rows.extend(
            (0..rows).map(|row| if row % 2 == 0 { [f32::INFINITY; LANES] } else { [f32::NEG_INFINITY; LANES] }),
        );
    }

    /// The grid itself, thinned out if it is too fine, and steps of its mean length before and after it.
    fn lay_out_edges(&mut self, grid: &[f64], span: [f64; 2]) {
        self.edges.clear();
        let [first, last] = span;
        if grid.len() < 2 {
            let end = if last > first { last } else { first + 1.0 };
            self.edges.extend([first, end]);
            return;
        }
        let allowed = (MOST_GROUP_SLOTS / self.groups.max(1)).clamp(64, MOST_SLOTS);
        let every = grid.len().div_ceil(allowed / 2);
        let (start, end) = (grid[0], grid[grid.len() - 1]);
        let around = most(start - first, 0.0) + most(last - end, 0.0);
        let step = most((end - start) / (grid.len() - 1) as f64 * every as f64, around / (allowed / 4) as f64);
        let before = most(((start - first) / step).ceil(), 0.0) as usize;
        self.edges.extend((1..=before).rev().map(|k| start - k as f64 * step));
        self.edges.extend(grid.iter().copied().step_by(every));
        if let Some(&edge) = self.edges.last()
            && edge < end
        {
            self.edges.push(end);
        }
        let after = most(((last - end) / step).ceil(), 0.0) as usize;
        self.edges.extend((1..=after).map(|k| end + k as f64 * step));
    }

    /// Times at which slots end and begin.
    #[inline]
    pub(crate) fn edges(&self) -> &[f64] {
        &self.edges
    }

    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.edges.len() - 1
    }

    /// Slot for a stretch that starts at `time`: the last one begun by then; the first or last for times beyond.
    #[inline]
    pub(crate) fn first_for(&self, time: f64) -> usize {
        let begun = self.edges.partition_point(|&edge| edge <= time + TIME_SLACK);
        begun.saturating_sub(1).min(self.count() - 1)
    }

    /// Slot for a stretch that ends at `time`: the first that ends no earlier.
    #[inline]
    pub(crate) fn last_for(&self, time: f64) -> usize {
        let before = self.edges[1..].partition_point(|&edge| edge < time - TIME_SLACK);
        before.min(self.count() - 1)
    }

    #[inline(always)]
    fn row(&self, level: usize, node: usize, group: usize) -> usize {
        ((self.levels[level] + node) * self.groups + group) * 2 * self.dimensions
    }

    /// Extends the box of an agent in a slot to hold the box from `low` to `high`, in the world.
    pub(crate) fn cover(&mut self, agent: usize, slot: usize, low: [f64; 3], high: [f64; 3]) {
        let (start, lane) = (self.row(0, slot, agent / LANES), agent % LANES);
        for axis in 0..self.dimensions {
            let [low, high] = [low, high].map(|corner| corner[axis] - self.origin[axis]);
            let (low, high) = (rounded_down(low), rounded_up(high));
            let rows = &mut self.rows[start + 2 * axis..start + 2 * axis + 2];
            // NaN is kept: it overlaps everything.
            rows[0][lane] = if rows[0][lane] <= low { rows[0][lane] } else { low };
            rows[1][lane] = if rows[1][lane] >= high { rows[1][lane] } else { high };
        }
    }

    /// Fills the levels above the slots.
    pub(crate) fn finish(&mut self) {
        let width = self.groups * 2 * self.dimensions;
        for level in 1..self.levels.len() {
            let (below, here) = (self.levels[level - 1], self.levels[level]);
            let (lower, upper) = self.rows.split_at_mut(here * width);
            let children = &lower[below * width..];
            for (i, row) in upper.iter_mut().enumerate().take(width * (here - below).div_ceil(2)) {
                let (node, column) = (i / width, i % width);
                let first = &children[2 * node * width + column];
                let Some(second) = children.get((2 * node + 1) * width + column) else {
                    *row = *first;
                    continue;
                };
                let is_low = column % 2 == 0;
                for lane in 0..LANES {
                    let (a, b) = (first[lane], second[lane]);
                    let a_wins = if is_low { a <= b } else { a >= b };
                    // The comparison with itself keeps a NaN in a.
                    row[lane] = if a_wins || a.is_nan() { a } else { b };
                }
            }
        }
    }

    /// The box of an agent in a node, about the origin.
    #[cfg(test)]
    pub(crate) fn box_of(&self, agent: usize, level: usize, node: usize) -> SmallBox {
        let (start, lane) = (self.row(level, node, agent / LANES), agent % LANES);
        let mut result = SmallBox { low: [0.0; 3], high: [0.0; 3] };
        for axis in 0..self.dimensions {
            result.low[axis] = self.rows[start + 2 * axis][lane];
            result.high[axis] = self.rows[start + 2 * axis + 1][lane];
        }
        result
    }

    /// The agents of a group that may overlap a box during the slots `from..=to`, as bits. May include others, but
    /// misses none.
    #[inline(always)]
    pub(crate) fn overlaps<V: Simd>(&self, simd: V, [from, to]: [usize; 2], group: usize, small: &SmallBox) -> u8 {
        // The level at which that many slots fit into one node, or into two neighbours.
        let level = (usize::BITS - (to - from).leading_zeros()) as usize;
        let (first, last) = (from >> level, to >> level);
        let bits = self.node_overlaps(simd, level, first, group, small);
        if last == first { bits } else { bits | self.node_overlaps(simd, level, last, group, small) }
    }

    /// The levels, from the slots up.
    #[inline]
    pub(crate) fn level_count(&self) -> usize {
        self.levels.len()
    }

    /// As [`Self::overlaps`], for one node.
    #[inline(always)]
    pub(crate) fn node_overlaps<V: Simd>(
        &self,
        simd: V,
        level: usize,
        node: usize,
        group: usize,
        small: &SmallBox,
    ) -> u8 {
        let start = self.row(level, node, group);
        let rows = &self.rows[start..start + 2 * self.dimensions];
        let mut apart = None;
        for (axis, bounds) in rows.chunks_exact(2).enumerate() {
            let (low, high) = (f32x8::from_slice(simd, &bounds[0]), f32x8::from_slice(simd, &bounds[1]));
            // Certainly apart; NaN is not.
            let beyond =
                low.simd_gt(f32x8::splat(simd, small.high[axis])) | high.simd_lt(f32x8::splat(simd, small.low[axis]));
            apart = Some(match apart {
                Some(before) => before | beyond,
                None => beyond,
            });
        }
        apart.map_or(u8::MAX, |apart| !(apart.to_bitmask() as u8))
    }
}

/// Lays out levels of pairs above at least one leaf: the first node of each level, from the leaves up. Returns the
/// number of nodes.
pub(crate) fn lay_out_levels(levels: &mut Vec<usize>, leaves: usize) -> usize {
    levels.clear();
    let (mut nodes, mut count) = (0, leaves);
    loop {
        levels.push(nodes);
        nodes += count;
        if count == 1 {
            return nodes;
        }
        count = count.div_ceil(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathproof::numeric::Random;

    #[test]
    fn rounding_to_single_precision_goes_outward_and_not_far() {
        let mut random = Random::new(2);
        for _ in 0..20_000 {
            let x = random.between(-1.0, 1.0) * 10f64.powi(random.below(24) as i32 - 12);
            let (low, high) = (f64::from(rounded_down(x)), f64::from(rounded_up(x)));
            assert!(low <= x && x <= high && high - low <= 1e-6 * x.abs() + 1e-29, "{x} {low} {high}");
        }
        for tiny in [0.0, 1e-40, -1e-40, 1e-300] {
            assert!(f64::from(rounded_down(tiny)) <= tiny && tiny <= f64::from(rounded_up(tiny)));
        }
    }
}
