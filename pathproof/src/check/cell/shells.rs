//! Hulls first: two convex shells, each around a part of a body, on either half of a cell (docs/design.md#hulls).
//!
//! A shell is the hull of a node, a convex piece or a triangle. Along a direction n, fixed in A's axes at the middle,
//! the gap over the later half is at least min(S(0), S(h/2) − bend), where S is a difference of two supports. This is
//! tighter than the separation less the largest closing, which pairs the nearest point with the fastest.

use super::moving::Moving;
use crate::distance::Query;
use crate::distance::gjk::{self, Tracker};
use crate::numeric::{DVec3, Pose, least, most, norm_up, unit};
use crate::shapes::{Body, Convex, Piece, Primitive};
use crate::trees::{BoxTree, NodeHulls, Slot, VolumeTree};

/// A convex shape around a part of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shell<'a> {
    shape: &'a Convex,
    /// Its pose about the body's centre; identity if absent.
    centre_from_shape: Option<&'a Pose>,
}

impl<'a> Shell<'a> {
    /// The shell of a slot, if it has one. A triangle is stored in `flat`.
    #[inline(always)]
    pub(super) fn of(
        tree: &BoxTree,
        hulls: &'a NodeHulls,
        body: &'a Body,
        slot: Slot,
        flat: &'a mut Option<Convex>,
    ) -> Option<Self> {
        let Some(primitive) = tree.primitive(slot) else {
            return hulls.get(slot, tree, body).map(|shape| Self { shape, centre_from_shape: None });
        };
        Some(match body.primitive(primitive) {
            Primitive::Triangle(corners) => {
                Self { shape: flat.insert(Convex::triangle(corners)), centre_from_shape: None }
            }
            Primitive::Piece(Piece { shape, centre_from_piece }) => {
                Self { shape, centre_from_shape: Some(centre_from_piece) }
            }
        })
    }

    /// Upper bound on d·x over the shell, d in the body's axes.
    #[inline(always)]
    fn upper_reach(&self, d: DVec3, upper_length: f64, start: &mut u32) -> f64 {
        match self.centre_from_shape {
            None => self.shape.upper_reach_along(d, upper_length, start),
            Some(pose) => {
                let along = self.shape.upper_reach_along(pose.inverse_vector(d), upper_length, start);
                along + d.dot(pose.translation)
            }
        }
    }
}

/// GJK stops at a direction along which shells are apart by all but this fraction of their distance beyond the
/// clearance: finding the best direction takes more loops and certifies hardly more.
const SLACK: f64 = 0.1;

/// Gaps of two shells along one direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gaps {
    /// Lower bound in the middle of the cell.
    pub(super) now: f64,
    /// Lower bounds over the earlier and the later half; NaN if not computed.
    pub(super) over_halves: [f64; 2],
}

/// Two shells in the middle of a cell.
pub(super) struct ShellPair<'q, 'a> {
    pub(super) query: &'q Query<'a>,
    pub(super) moving: &'q Moving,
    pub(super) shells: [Shell<'q>; 2],
}

impl ShellPair<'_, '_> {
    /// The gaps along the unit vector n in A's axes: in the middle, and over those `halves` where they matter. They do
    /// not where the gap is no more than the clearance, or exceeds it by more than the arc. Supports are searched from
    /// `starts`.
    #[inline(always)]
    pub(super) fn gaps(&self, n: DVec3, halves: u8, clearance: f64, arc: f64, starts: &mut [u32; 2]) -> Gaps {
        let a_from_b = self.query.a_from_b();
        let offset = n.dot(a_from_b.translation);
        let mut reach = |d_a: DVec3, d_b: DVec3| {
            let of_a = self.shells[0].upper_reach(d_a, norm_up(d_a), &mut starts[0]);
            of_a + self.shells[1].upper_reach(-a_from_b.inverse_vector(d_b), norm_up(d_b), &mut starts[1])
        };
        let rounding = self.query.margin() + self.moving.rounding;
        let now = offset - reach(n, n) - rounding;
        let mut over_halves = [f64::NAN; 2];
        if halves == 0 || !(now > clearance) || now - arc > clearance {
            return Gaps { now, over_halves };
        }
        let slopes = self.moving.angular.map(|angular| n.cross(angular) * self.moving.half_length);
        let drift = n.dot(self.moving.linear[1] - self.moving.linear[0]) * self.moving.half_length;
        for (half, sign) in [-1.0, 1.0].into_iter().enumerate() {
            if halves & (1 << half) == 0 {
                continue;
            }
            let at_end = offset + sign * drift - reach(n + slopes[0] * sign, n + slopes[1] * sign);
            over_halves[half] = least(now, at_end - self.moving.upper_bend - rounding);
        }
        Gaps { now, over_halves }
    }

    /// A unit vector in A's axes along which the shells are apart by more than `goal`, or by the clearance and nearly
    /// all of their distance beyond it. `None` where they overlap, as far as arithmetic can tell. `n` is tried first;
    /// `starts` are as for the gaps.
    #[inline(never)]
    pub(super) fn direction(&self, n: DVec3, [clearance, goal]: [f64; 2], starts: &mut [u32; 2]) -> Option<DVec3> {
        let [a, b] = &self.shells;
        let a_from_b = self.query.a_from_b();
        let relative = match (a.centre_from_shape, b.centre_from_shape) {
            (None, None) => *a_from_b,
            (None, Some(b)) => *a_from_b * *b,
            (Some(a), None) => a.inverse_mul(a_from_b),
            (Some(a), Some(b)) => a.inverse_mul(&(*a_from_b * *b)),
        };
        let in_a = |n: DVec3| a.centre_from_shape.map_or(n, |pose| pose.vector(n));
        let in_shape = a.centre_from_shape.map_or(n, |pose| pose.inverse_vector(n));
        let mut tracker = Tracker::towards(a.shape, b.shape, &relative, in_shape, *starts);
        let found = gjk::separating_direction(a.shape, b.shape, &relative, [clearance, goal], SLACK, &mut tracker);
        *starts = tracker.hints;
        found.and_then(|n| unit(in_a(n)))
    }
}

/// For pairs of shells of a segment, the direction that last separated them, and the last supports.
///
/// A small table in which a pair may evict another: a lost entry costs time only. It is a function of the segment.
#[derive(Debug, Default)]
pub(in crate::check) struct Separations {
    entries: Vec<Separation>,
}

/// Entry for a pair of shells.
#[derive(Clone, Copy, Debug)]
struct Separation {
    pair: u32,
    slots: [Slot; 2],
    /// Unit vector in A's axes.
    direction: [f32; 3],
    starts: [u32; 2],
    useful_below: f32,
    overlapped: bool,
}

/// State of a pair of shells on a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// A unit vector in A's axes that may separate them.
    pub(super) direction: DVec3,
    /// Vertices from which supports are searched.
    pub(super) starts: [u32; 2],
    /// Longer arcs are not tried again: the shells did not help there.
    pub(super) useful_below: f64,
    /// The last search found no separating direction.
    pub(super) overlapped: bool,
}

impl Known {
    /// A state that holds only a direction.
    pub(super) fn nothing(direction: DVec3) -> Self {
        Self { direction, starts: [u32::MAX; 2], useful_below: f64::INFINITY, overlapped: false }
    }
}

/// Entries of the table: 10 kB.
const ENTRIES: usize = 256;

impl Separations {
    /// Forgets everything.
    pub(in crate::check) fn clear(&mut self) {
        self.entries.clear();
    }

    /// Memory used, in bytes.
    pub(in crate::check) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Separation>()
    }

    /// The table entry for a pair of slots of a pair of groups; it may hold another pair.
    #[inline(always)]
    fn entry(&mut self, pair: u32, [a, b]: [Slot; 2]) -> &mut Separation {
        if self.entries.is_empty() {
            let nothing = Separation {
                pair: u32::MAX,
                slots: [Slot(0); 2],
                direction: [0.0; 3],
                starts: [u32::MAX; 2],
                useful_below: f32::INFINITY,
                overlapped: false,
            };
            self.entries.resize(ENTRIES, nothing);
        }
        let mixed = (pair.wrapping_mul(0x9E37_79B9) ^ a.0.wrapping_mul(0x85EB_CA6B) ^ b.0.wrapping_mul(0xC2B2_AE35))
            .wrapping_mul(0x27D4_EB2F);
        &mut self.entries[(mixed >> 24) as usize % ENTRIES]
    }

    /// State of a pair of slots, if the table has it.
    #[inline(always)]
    pub(super) fn find(&mut self, pair: u32, slots: [Slot; 2]) -> Option<Known> {
        let entry = *self.entry(pair, slots);
        let is_it = entry.pair == pair && entry.slots == slots;
        let direction = if is_it { unit(DVec3::from_array(entry.direction.map(f64::from))) } else { None };
        let Separation { starts, useful_below, overlapped, .. } = entry;
        direction.map(|direction| Known { direction, starts, useful_below: f64::from(useful_below), overlapped })
    }

    /// Stores the state of a pair of slots.
    #[inline(always)]
    pub(super) fn keep(&mut self, pair: u32, slots: [Slot; 2], known: &Known) {
        let direction = known.direction.to_array().map(|c| c as f32);
        let useful_below = known.useful_below as f32;
        let (starts, overlapped) = (known.starts, known.overlapped);
        *self.entry(pair, slots) = Separation { pair, slots, direction, starts, useful_below, overlapped };
    }
}

/// Gap guaranteed over a half: the gap there, or the gap in the middle less the arc, whichever is more.
#[inline(always)]
pub(super) fn guaranteed(gaps: &Gaps, half: usize, arc: f64) -> f64 {
    let (over, by_arc) = (gaps.over_halves[half], gaps.now - arc);
    // Either bound suffices; NaN proves nothing.
    if over >= by_arc { over } else { by_arc }
}

/// Upper bound on how much a gap shrinks over a half.
#[inline(always)]
pub(super) fn closing(gaps: &Gaps, half: usize, arc: f64) -> f64 {
    let closing = gaps.now - gaps.over_halves[half];
    if closing < arc { most(closing, 0.0) } else { arc }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::cell::examine::{CellQuery, Wanted};
    use crate::distance::Indexed;
    use crate::numeric::{DQuat, Random};
    use crate::robot::{CellBound, Twist};
    use crate::shapes::{Shape, TriangleMesh};

    /// A body that turns at a constant rate about its centre, which accelerates evenly. Its points are off the
    /// velocity in the middle by at most (a + ω² r) τ² / 2. Rotation alone never needs that much: points in front fall
    /// back.
    struct Moved {
        indexed: Indexed,
        hulls: NodeHulls,
        world_from_body: Pose,
        linear: DVec3,
        angular: DVec3,
        acceleration: DVec3,
    }

    impl Moved {
        fn new(random: &mut Random) -> Self {
            let shape = match random.below(4) {
                0 => Shape::Convex(Convex::cuboid([0; 3].map(|_| random.between(0.01, 0.5))).expect("a box")),
                1 => {
                    Shape::Convex(Convex::cylinder(random.between(0.01, 0.3), random.between(0.05, 0.6)).expect("one"))
                }
                2 => Shape::Convex(Convex::capsule(random.between(0.01, 0.2), random.between(0.05, 0.6)).expect("one")),
                _ => {
                    let corners: Vec<DVec3> = (0..30).map(|_| random.point(0.3)).collect();
                    let triangles = (0..40).map(|_| [0; 3].map(|_| random.below(30) as u32)).collect();
                    Shape::Mesh(TriangleMesh::new(corners, triangles).expect("a mesh"))
                }
            };
            let body = Body::new(vec![(random.pose(0.3), shape)]).expect("a body");
            let indexed: Indexed = Indexed::new(body);
            let hulls = NodeHulls::build(indexed.tree(), indexed.body());
            let speed = 10f64.powf(random.between(-4.0, 1.0));
            let (linear, angular) = (random.direction() * speed, random.direction() * speed * random.between(0.0, 4.0));
            let acceleration = random.direction() * [0.0, 10.0 * speed][random.below(2)];
            Self { indexed, hulls, world_from_body: random.pose(0.6), linear, angular, acceleration }
        }

        fn centre(&self) -> DVec3 {
            self.world_from_body.point(self.indexed.body().centre())
        }

        fn bound(&self, half_length: f64) -> CellBound {
            let (omega, radius) = (self.angular.length(), self.indexed.body().radius());
            let upper_acceleration = (self.acceleration.length() + omega * omega * radius) * (1.0 + 1e-12);
            let upper_bend = upper_acceleration * half_length * half_length / 2.0;
            let twist = Twist { linear: self.linear, angular: self.angular, reference: self.centre() };
            let speed = self.linear.length() + omega * radius + self.acceleration.length() * half_length;
            let upper_displacement = speed * half_length * (1.0 + 1e-12) + 1e-300;
            CellBound { twist, half_length, upper_bend, upper_displacement }
        }

        /// The support of the body along a direction at a time after the middle.
        fn support(&self, n: DVec3, t: f64) -> f64 {
            let turn = DQuat::from_scaled_axis(self.angular * t);
            let along = self.world_from_body.inverse_vector(turn.inverse() * n);
            let body = self.indexed.body();
            let pieces = body.pieces().iter().map(|piece| {
                let local = piece.centre_from_piece.inverse_vector(along);
                let reach = piece.shape.core_support(local).dot(local) + piece.shape.radius() * along.length();
                reach + along.dot(piece.centre_from_piece.translation)
            });
            let reach = body.vertices().iter().map(|v| along.dot(*v)).chain(pieces).fold(f64::NEG_INFINITY, f64::max);
            n.dot(self.centre() + self.linear * t + self.acceleration * (t * t / 2.0)) + reach
        }
    }

    /// The oracle is the supports of the bodies after they are turned and moved as a whole. Gaps over halves are tight
    /// as well: at the end of a short half only the bend is lost.
    #[test]
    fn gaps_are_never_above_the_truth_at_any_time_of_a_half() {
        let mut random = Random::new(17);
        let (mut shown, mut tight) = (0, 0);
        for case in 0..6_000 {
            let (a, b) = (Moved::new(&mut random), Moved::new(&mut random));
            let half_length = 10f64.powf(random.between(-4.0, 0.0));
            // The error of the poses is charged to every gap.
            let off = [0.0, 1e-9][random.below(2)];
            let query = Query::within(&a.indexed, &b.indexed, &a.world_from_body, &b.world_from_body, off);
            let cell = CellQuery {
                bounds: [a.bound(half_length), b.bound(half_length)],
                clearance: 0.0,
                close: 0.0,
                node_to_motion_ratio: 1.0,
                wanted: Wanted::Progress,
                hint: None,
                pair: 0,
            };
            let trees = [a.indexed.tree(), b.indexed.tree()];
            let (moving, _) = Moving::new(&query, trees, &cell);
            let (mut flat_a, mut flat_b) = (None, None);
            let shell_a = Shell::of(trees[0], &a.hulls, a.indexed.body(), Slot(0), &mut flat_a).expect("a shell");
            let shell_b = Shell::of(trees[1], &b.hulls, b.indexed.body(), Slot(0), &mut flat_b).expect("a shell");
            let shells = ShellPair { query: &query, moving: &moving, shells: [shell_a, shell_b] };
            let mut starts = [u32::MAX; 2];
            let any = query.world_from_a().inverse_vector(random.direction());
            let n = shells.direction(unit(any).expect("a direction"), [0.0, f64::INFINITY], &mut starts);
            let n = n.unwrap_or_else(|| random.direction());
            let n_in_world = query.world_from_a().vector(n);
            let gaps = shells.gaps(n, 3, f64::NEG_INFINITY, f64::INFINITY, &mut starts);
            let truth = |t: f64| -b.support(-n_in_world, t) - a.support(n_in_world, t) - off;
            assert!(gaps.now <= truth(0.0), "{case}: {gaps:?}, {}", truth(0.0));
            for half in 0..2 {
                if !(gaps.over_halves[half] > f64::NEG_INFINITY) {
                    continue;
                }
                shown += 1;
                let mut least = f64::INFINITY;
                for step in 0..=8 {
                    let t = half_length * f64::from(step) / 8.0 * [-1.0, 1.0][half];
                    least = least.min(truth(t));
                }
                assert!(gaps.over_halves[half] <= least, "{case}, half {half}: {gaps:?}, {least}");
                tight += usize::from(gaps.over_halves[half] >= least - 2.1 * moving.upper_bend - 1e-12);
            }
        }
        assert!(shown > 3_000 && tight * 10 > shown * 9, "{shown} gaps, {tight} tight");
    }
}
