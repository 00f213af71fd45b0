//! The boxes of one trajectory: a leaf per piece, in the order of time, and levels of pairs above them.
//!
//! An implicit binary heap over a sequence needs no sorting (the workspace-time paper builds a general tree, §III-B). A
//! leaf holds the whole sweep of its piece: either the boxes of the body at both knots, grown by ρΔθ²/8, or, without
//! any sine or cosine, the straight line of the reference point swept by the reach. Single precision, rounded outward.

use super::narrow::{Space, State, larger, smaller};
use super::slots::{SmallBox, lay_out_levels, rounded_down, rounded_up};
use super::track::Track;
use pathproof::internals::simd;
use pathproof::numeric::ROUNDOFF_F64;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Boxes {
    /// First node of each level, and at the end the total number.
    levels: Vec<usize>,
    /// Bounds along each axis, one list each.
    low: [Vec<f32>; 3],
    high: [Vec<f32>; 3],
    /// Origin of the boxes.
    origin: [f64; 3],
}

impl Boxes {
    /// Fills leaves with the straight line of the reference point swept by `reach`: for bodies that are not worth a
    /// sine.
    pub(crate) fn fill_discs<S: Space>(&mut self, track: &Track<'_, S>, reach: f64, origin: [f64; 3]) {
        self.reset::<S>(track.trajectory.pieces().max(1), origin);
        let knots = track.trajectory.knots();
        if knots == 1 || track.world_from_local.is_some() {
            for leaf in 0..knots.max(2) - 1 {
                let ends = [track.position(leaf), track.position((leaf + 1).min(knots - 1))];
                let corner = |pick: fn(f64, f64) -> f64| std::array::from_fn(|axis| pick(ends[0][axis], ends[1][axis]));
                self.set(leaf, small::<S>([corner(smaller), corner(larger)], reach, origin));
            }
        } else {
            simd::run(
                simd::Width::detect(),
                #[inline(always)]
                || {
                    for axis in 0..S::DIMENSIONS {
                        let list = &track.trajectory.coordinates[axis];
                        line_bounds(list, origin[axis], reach, &mut self.low[axis], &mut self.high[axis]);
                    }
                },
            );
        }
        self.finish::<S>();
    }

    /// Fills leaves with the body at both knots, grown by how far it strays from the straight lines between, and by
    /// `pad`.
    pub(crate) fn fill_sweeps<S: Space>(
        &mut self,
        track: &Track<'_, S>,
        frames: &[S::Frame],
        pad: f64,
        origin: [f64; 3],
    ) {
        let pieces = track.trajectory.pieces();
        self.reset::<S>(pieces.max(1), origin);
        let mut before = knot_box(track, frames[0], 0);
        if pieces == 0 {
            self.set(0, small::<S>(before, pad, origin));
        }
        for piece in 0..pieces {
            let here = knot_box(track, frames[piece + 1], piece + 1);
            self.set(piece, small::<S>(sweep_box::<S>(track, piece, before, here), pad, origin));
            before = here;
        }
        self.finish::<S>();
    }

    fn reset<S: Space>(&mut self, leaves: usize, origin: [f64; 3]) {
        self.origin = origin;
        let nodes = lay_out_levels(&mut self.levels, leaves);
        self.levels.push(nodes);
        let lists = self.low.iter_mut().take(S::DIMENSIONS).chain(self.high.iter_mut().take(S::DIMENSIONS));
        lists.for_each(|list| list.resize(nodes, 0.0));
    }

    #[inline]
    fn set(&mut self, node: usize, small: SmallBox) {
        for axis in 0..3 {
            if let (Some(low), Some(high)) = (self.low[axis].get_mut(node), self.high[axis].get_mut(node)) {
                (*low, *high) = (small.low[axis], small.high[axis]);
            }
        }
    }

    fn finish<S: Space>(&mut self) {
        simd::run(
            simd::Width::detect(),
            #[inline(always)]
            || {
                for level in 1..self.levels.len() - 1 {
                    let (below, here) = (self.levels[level - 1], self.levels[level]);
                    for axis in 0..S::DIMENSIONS {
                        // A NaN is kept: it overlaps everything.
                        unite(&mut self.low[axis], below, here, |a, b| if a < b || a.is_nan() { a } else { b });
                        unite(&mut self.high[axis], below, here, |a, b| if a > b || a.is_nan() { a } else { b });
                    }
                }
            },
        );
    }

    /// The levels, from the leaves up.
    #[inline]
    pub(crate) fn level_count(&self) -> usize {
        self.levels.len() - 1
    }

    /// Number of leaves.
    #[inline]
    pub(crate) fn leaves(&self) -> usize {
        self.level_size(0)
    }

    /// Number of nodes of a level.
    #[inline(always)]
    pub(crate) fn level_size(&self, level: usize) -> usize {
        self.levels[level + 1] - self.levels[level]
    }

    #[inline]
    pub(crate) fn origin(&self) -> [f64; 3] {
        self.origin
    }

    #[inline(always)]
    pub(crate) fn node<S: Space>(&self, level: usize, index: usize) -> SmallBox {
        let node = self.levels[level] + index;
        let mut small = SmallBox { low: [0.0; 3], high: [0.0; 3] };
        for axis in 0..S::DIMENSIONS {
            (small.low[axis], small.high[axis]) = (self.low[axis][node], self.high[axis][node]);
        }
        small
    }
}

/// Bounds of the lines between consecutive values, `reach` farther out.
#[inline(always)]
fn line_bounds(values: &[f64], origin: f64, reach: f64, low: &mut [f32], high: &mut [f32]) {
    let pieces = values.len() - 1;
    let (from, to) = (&values[..pieces], &values[1..]);
    let (low, high) = (&mut low[..pieces], &mut high[..pieces]);
    for i in 0..pieces {
        low[i] = rounded_down(smaller(from[i], to[i]) - origin - reach);
        high[i] = rounded_up(larger(from[i], to[i]) - origin + reach);
    }
}

/// Fills the nodes from `here` on, each from two children of the level that starts at `below`, or from the last alone.
#[inline(always)]
fn unite(list: &mut [f32], below: usize, here: usize, pick: impl Fn(f32, f32) -> f32) {
    let (children, parents) = list.split_at_mut(here);
    let children = &children[below..];
    let (pairs, parents) = (children.len() / 2, &mut parents[..children.len().div_ceil(2)]);
    let (even, whole) = (&children[..2 * pairs], &mut parents[..pairs]);
    for i in 0..pairs {
        whole[i] = pick(even[2 * i], even[2 * i + 1]);
    }
    if let (Some(last), Some(parent)) = (children.get(2 * pairs), parents.get_mut(pairs)) {
        *parent = *last;
    }
}

/// Lower and upper corner of the body at a knot, in the world.
#[inline]
pub(crate) fn knot_box<S: Space>(track: &Track<'_, S>, frame: S::Frame, knot: usize) -> [[f64; 3]; 2] {
    let state = State { frame, piece: knot, fraction: 0.0 };
    let (at, [low, high]) = (S::position(&state.frame), S::extent(track.compound, &state));
    // The sums err by 1 u, the extents by less than 32 u.
    let slack = 64.0 * ROUNDOFF_F64 * track.compound.upper_reach();
    let corner = |side: [f64; 3], slack: f64| std::array::from_fn(|axis| at[axis] + (side[axis] + slack));
    [corner(low, -slack), corner(high, slack)]
}

/// A box that holds the whole sweep of a piece, without the rounding of frames: the boxes at its knots, grown by
/// ρΔθ²/8, cut to the straight line of the reference point swept by the reach.
#[inline]
pub(crate) fn sweep_box<S: Space>(
    track: &Track<'_, S>,
    piece: usize,
    before: [[f64; 3]; 2],
    here: [[f64; 3]; 2],
) -> [[f64; 3]; 2] {
    let reach = track.compound.upper_reach() * (1.0 + 16.0 * ROUNDOFF_F64);
    let bulge = track.upper_sweep_bulge(piece);
    let (from, to) = (track.position(piece), track.position(piece + 1));
    let mut result = [[0.0; 3]; 2];
    for axis in 0..S::DIMENSIONS {
        let line = [smaller(from[axis], to[axis]) - reach, larger(from[axis], to[axis]) + reach];
        let ends = [smaller(before[0][axis], here[0][axis]) - bulge, larger(before[1][axis], here[1][axis]) + bulge];
        result[0][axis] = larger(line[0], ends[0]);
        result[1][axis] = smaller(line[1], ends[1]);
    }
    result
}

#[inline]
fn small<S: Space>([low, high]: [[f64; 3]; 2], pad: f64, origin: [f64; 3]) -> SmallBox {
    let mut result = SmallBox { low: [0.0; 3], high: [0.0; 3] };
    for axis in 0..S::DIMENSIONS {
        result.low[axis] = rounded_down(low[axis] - origin[axis] - pad);
        result.high[axis] = rounded_up(high[axis] - origin[axis] + pad);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plane::Plane;
    use crate::volume::Volume;
    use crate::{Compound, Trajectory};
    use pathproof::numeric::{DQuat, DVec3, Pose, Random};
    use pathproof::shapes::Convex;

    /// Fails unless the boxes of both kinds hold the body's own box at every sample of every piece.
    fn check_boxes<S: Space>(compound: &Compound, trajectory: &Trajectory) {
        let track = Track::<S>::new(compound, trajectory, false);
        let frames: Vec<S::Frame> = (0..trajectory.knots()).map(|knot| S::knot(trajectory, knot)).collect();
        let origin = trajectory.position(0);
        let (mut sweeps, mut discs) = (Boxes::default(), Boxes::default());
        sweeps.fill_sweeps(&track, &frames, track.upper_rounding, origin);
        discs.fill_discs(&track, compound.upper_reach() + track.upper_rounding, origin);
        for piece in 0..trajectory.pieces() {
            for sample in 0..=100 {
                let fraction = f64::from(sample) / 100.0;
                let state = State { frame: S::between(trajectory, piece, fraction), piece, fraction };
                let (at, [low, high]) = (S::position(&state.frame), S::extent(compound, &state));
                for (boxes, level) in [(&sweeps, 0), (&discs, 0), (&sweeps, 1), (&discs, sweeps.level_count() - 1)] {
                    let node = boxes.node::<S>(level, piece >> level);
                    for axis in 0..S::DIMENSIONS {
                        let (low, high) = (at[axis] - origin[axis] + low[axis], at[axis] - origin[axis] + high[axis]);
                        let is_held = f64::from(node.low[axis]) <= low && high <= f64::from(node.high[axis]);
                        assert!(is_held, "piece {piece} at {fraction}, axis {axis}: {low} {high} {node:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn boxes_of_pieces_hold_the_body_at_every_time_between() {
        let mut random = Random::new(31);
        for round in 0..300 {
            let turn = [0.1, 1.0, 3.1][round % 3];
            let mut number = |size: f64| random.between(-size, size);
            let far = [0.0, 1e4, 1e7][round / 3 % 3];
            let compound = Compound::rectangle(number(3.0).abs() + 0.1, number(1.0).abs() + 0.01).expect("valid");
            let compound = if round % 2 == 0 {
                compound
            } else {
                compound.at(number(2.0), number(2.0), number(3.0)).expect("valid")
            };
            let mut heading = 0.0;
            let poses: Vec<[f64; 4]> = (0..5)
                .map(|k| {
                    heading += number(turn);
                    [f64::from(k), far + number(5.0), far + number(5.0), heading]
                })
                .collect();
            check_boxes::<Plane>(&compound, &Trajectory::planar(poses).expect("valid"));
        }
        for round in 0..60 {
            let size = [random.between(0.1, 3.0), random.between(0.1, 3.0), random.between(0.1, 3.0)];
            let at = Pose { translation: random.point(1.0), ..random.pose(1.0) };
            let compound = Compound::convex(Convex::cuboid(size).expect("valid"), at).expect("rigid");
            let turn = [0.3, 1.5, 3.0][round % 3];
            let mut q = DQuat::IDENTITY;
            let poses: Vec<[f64; 8]> = (0..5)
                .map(|k| {
                    q = (DQuat::from_axis_angle(random.direction(), random.between(0.0, turn)) * q).normalize();
                    let p: DVec3 = random.point(5.0);
                    [f64::from(k), p.x, p.y, p.z, q.x, q.y, q.z, q.w]
                })
                .collect();
            check_boxes::<Volume>(&compound, &Trajectory::spatial(poses).expect("valid"));
        }
    }
}
