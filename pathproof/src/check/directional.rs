//! The directional judge (DESIGN §3, §4): one traversal at a cell's midpoint works for both halves of it.
//!
//! A pair of boxes (or primitives) is done for a half if its separation along some direction n exceeds
//! need = min(arc, closing along n) + clearance + margins: the gap along n cannot close within the half. Any n is sound;
//! which ones are tried only costs time.
//!
//! What is not done is either opened or left to the half, which looks at it again at its own midpoint: opened while the
//! nodes are large against the motion, left where the motion is large against the nodes, so that space and time are cut
//! in step (the paper's open question, bisecting against refining, decided for each pair of nodes by itself). A half
//! starts from what was left to it, its front; it is covered when nothing was. What is left to a half but may be in
//! contact at the midpoint is followed down to the primitives, so that contacts are found early.

use super::front::Front;
use super::verdict::Statistics;
use crate::distance::triangle::{self, Triangle};
use crate::distance::{Near, PrimitivePair, Query};
use crate::numeric::simd::*;
use crate::numeric::{DVec3, f32_up};
use crate::robot::CellBound;
use crate::robot::bounds::upper_closing;
use crate::shapes::Primitive;
use crate::trees::{BoxTree, Drifts, Family, Side, Slot, VolumeTree, lesser};

/// What must hold at the midpoint for the halves to be covered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need {
    /// Bounds on both units' motions over the cell, relative to their common ancestor.
    pub(super) bounds: [CellBound; 2],
    /// What the pair must be farther apart than, everywhere.
    pub(super) clearance: f64,
    /// A primitive pair no farther apart than this ends the search: clearance plus tolerance.
    pub(super) close: f64,
    /// Rounding of the poses at both units, in metres.
    pub(super) margin: f64,
    /// Nodes larger than this many times the motion are opened, smaller ones are left to the halves.
    pub(super) grain: f64,
    /// Whether to try to cover the halves at all, or only to look for contact.
    pub(super) wants_cover: bool,
    /// A direction in A's axes that may separate the units; 0 where none is known.
    pub(super) hint: DVec3,
}

/// What a query at a midpoint found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    /// Which halves are covered.
    pub(super) covered: [bool; 2],
    /// Proven lower bounds on the distance of what was done for a half, over that half.
    pub(super) lower_over_halves: [f64; 2],
    /// Lower bound on the distance at the midpoint of the primitives that were looked at and not done.
    pub(super) lower: f64,
    /// A primitive pair within `close`, if the query ended there.
    pub(super) found: Option<(Near, [usize; 2])>,
    /// Where what is left to the halves is kept.
    pub(super) fronts: [Front; 2],
    /// A direction from A to B that was the best known in the end.
    pub(super) direction_in_world: DVec3,
    /// The same in A's axes; 0 where there is none.
    pub(super) hint: DVec3,
}

impl Judged {
    /// Nothing is left open.
    pub(super) const COVERED: Self = Self {
        covered: [true; 2],
        lower_over_halves: [f64::INFINITY; 2],
        lower: f64::INFINITY,
        found: None,
        fronts: [Front::ROOTS; 2],
        direction_in_world: DVec3::X,
        hint: DVec3::ZERO,
    };
}

/// Reused memory of the judge.
#[derive(Debug, Default)]
pub(super) struct JudgeScratch {
    pending: Vec<Pending>,
    /// What is left to the halves by the last query.
    pub(super) left: [Vec<Family>; 2],
}

/// A pair of boxes to be opened. Of `halves`, bit 0 says that it is not done for the earlier half, bit 1 for the later;
/// with neither, only contact matters.
#[derive(Clone, Copy, Debug)]
struct Pending {
    lower: f32,
    slots: [Slot; 2],
    /// Which of the two was opened last.
    side: Side,
    halves: u8,
}

const BOTH: u8 = 3;

/// Pairs of primitives are looked at where they are this many times larger against the motion than boxes that are opened:
/// they cost as much as several families.
const GRAIN_OF_PRIMITIVES: f32 = 2.0;

/// Looks at a pair of units at the midpoint of a cell, as far as `front` says. `signed` pairs consist of convex pieces and
/// may overlap.
pub(super) fn judge(
    query: &Query<'_, BoxTree>,
    trees: [&BoxTree; 2],
    need: &Need,
    is_signed: bool,
    front: &[Family],
    scratch: &mut JudgeScratch,
    statistics: &mut Statistics,
) -> Judged {
    let arc = (need.bounds[0].upper_half_arc + need.bounds[1].upper_half_arc) * (1.0 + 1e-15);
    let plain = arc + need.clearance + need.margin;
    let needed = need.clearance + need.margin;
    scratch.pending.clear();
    scratch.left.iter_mut().for_each(Vec::clear);
    let (moving, drifts) =
        if need.wants_cover { Moving::new(query, trees, need) } else { (Moving::STILL, Drifts::STILL) };
    let mut search = Search {
        query,
        trees,
        need,
        is_signed,
        arc,
        // Upwards also where a negative clearance makes it negative.
        enough: if need.wants_cover { threshold(plain + plain.abs() * 1e-15 + 1e-300) } else { f32::INFINITY },
        needed: f32_up(needed + needed.abs() * 1e-15 + 1e-300),
        apart: threshold(need.clearance),
        motion: f32_up(arc),
        grain: need.grain as f32,
        drifts,
        moving,
        lower_by_arc: [f32::INFINITY; 8],
        lower_over_halves: [[f32::INFINITY; 8]; 2],
        lower_of_primitives: [f64::INFINITY; 2],
        lower: f64::INFINITY,
        hint: need.hint.try_normalize().unwrap_or_else(|| query.a_from_b().translation.normalize_or(DVec3::X)),
        found: None,
        scratch,
        statistics,
    };
    run_lanes(query.width(), Traversal { search: &mut search, front });
    let least = |lanes: [f32; 8]| f64::from(lanes.into_iter().fold(f32::INFINITY, |x, y| if y < x { y } else { x }));
    let by_arc = least(search.lower_by_arc) - arc;
    let lower_over_halves = [0, 1].map(|half| {
        let by_drift = least(search.lower_over_halves[half]);
        by_arc.min(by_drift).min(search.lower_of_primitives[half]) - need.margin
    });
    let Search { lower, found, hint, .. } = search;
    let covered = [0, 1].map(|half| need.wants_cover && found.is_none() && scratch.left[half].is_empty());
    let direction_in_world = query.world_from_a().vector(hint);
    Judged { covered, lower_over_halves, lower, found, direction_in_world, hint, ..Judged::COVERED }
}

/// Both units' velocity fields at the midpoint, in A's axes, each about its own centre.
struct Moving {
    linear: [DVec3; 2],
    angular: [DVec3; 2],
    half_length: f64,
    upper_bend: f64,
}

impl Moving {
    /// For who does not ask.
    const STILL: Self =
        Self { linear: [DVec3::ZERO; 2], angular: [DVec3::ZERO; 2], half_length: 0.0, upper_bend: f64::NAN };

    /// The fields, and the same over a half as the boxes want it.
    fn new(query: &Query<'_, BoxTree>, trees: [&BoxTree; 2], need: &Need) -> (Self, Drifts) {
        let (world_from_a, a_from_b) = (query.world_from_a(), query.a_from_b());
        let half_length = need.bounds[0].half_length;
        let upper_bend = need.bounds[0].upper_bend + need.bounds[1].upper_bend;
        let mut moving = Self { half_length, upper_bend, ..Self::STILL };
        let mut in_own_axes = [[DVec3::ZERO; 2]; 2];
        for side in 0..2 {
            // A unit that is carried by the ancestor stands still.
            let bound = &need.bounds[side];
            if bound.upper_half_arc == 0.0 {
                continue;
            }
            let centre = query.centres_in_world()[side];
            let [linear, angular] =
                [bound.twist.velocity_at(centre), bound.twist.angular].map(|v| world_from_a.inverse_vector(v));
            (moving.linear[side], moving.angular[side]) = (linear, angular);
            in_own_axes[side] =
                [linear, angular].map(|v| if side == 0 { v } else { a_from_b.inverse_vector(v) } * half_length);
        }
        let drifts = Drifts::new(in_own_axes, upper_bend, trees.map(BoxTree::extent));
        (moving, drifts)
    }

    /// By how much a gap along a direction may close in the earlier and in the later half, given the least and greatest
    /// speed along it on either side.
    #[inline(always)]
    fn closing(&self, a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        [b[1] - a[0], a[1] - b[0]].map(|speed| upper_closing(self.half_length, speed, self.upper_bend))
    }
}

struct Search<'q, 'a> {
    query: &'q Query<'a, BoxTree>,
    trees: [&'q BoxTree; 2],
    need: &'q Need,
    is_signed: bool,
    /// Upper bound on how far the units move relative to each other in a half.
    arc: f64,
    /// A bound above this settles a pair for both halves. Boxes that overlap say nothing about how deep convex pieces
    /// do, hence never below 0.
    enough: f32,
    /// What must be left of a bound after what may close in a half.
    needed: f32,
    /// A bound above this rules out that the clearance is violated, and tells a direction that may separate boxes over a
    /// half. What is not above it is followed down to the primitives; pairs that are too close, but no more, are met where
    /// they keep a half from being proven.
    apart: f32,
    /// As `arc`.
    motion: f32,
    grain: f32,
    drifts: Drifts,
    moving: Moving,
    /// Least bounds of the pairs that were settled by `enough`, lane by lane.
    lower_by_arc: [f32; 8],
    /// Least of what is left of bounds over either half, lane by lane.
    lower_over_halves: [[f32; 8]; 2],
    lower_of_primitives: [f64; 2],
    lower: f64,
    /// Unit vector in A's axes that may separate the next primitives.
    hint: DVec3,
    found: Option<(Near, [usize; 2])>,
    scratch: &'q mut JudgeScratch,
    statistics: &'q mut Statistics,
}

/// A search over a front.
struct Traversal<'t, 'q, 'a> {
    search: &'t mut Search<'q, 'a>,
    front: &'t [Family],
}

impl Kernel for Traversal<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        self.search.traverse(simd, self.front);
    }
}

impl Search<'_, '_> {
    #[inline(always)]
    fn traverse<S: Simd>(&mut self, simd: S, front: &[Family]) {
        let halves = if self.need.wants_cover { BOTH } else { 0 };
        for family in front {
            self.enter(simd, family, halves);
        }
        while let Some(next) = self.scratch.pending.pop() {
            let [a, b] = next.slots;
            let [tree_a, tree_b] = self.trees;
            let opened = match (tree_a.primitive(a), tree_b.primitive(b)) {
                (Some(primitive_a), Some(primitive_b)) => {
                    self.primitives(next, [primitive_a, primitive_b]);
                    if self.is_over() {
                        return;
                    }
                    continue;
                }
                (Some(_), None) => Side::B,
                (None, Some(_)) => Side::A,
                (None, None) if tree_a.size(a) > tree_b.size(b) => Side::A,
                (None, None) => Side::B,
            };
            let family = match opened {
                Side::A => tree_a.family(opened, a, b),
                Side::B => tree_b.family(opened, b, a),
            };
            let halves = if self.found.is_some() { 0 } else { next.halves };
            self.enter(simd, &family, halves);
        }
    }

    /// Looks at pairs of boxes. Settles them for the halves for which it can, leaves those that are small to the halves,
    /// and queues the others.
    #[inline(always)]
    fn enter<S: Simd>(&mut self, simd: S, family: &Family, halves: u8) {
        self.statistics.volume_tests += u64::from(family.members.count_ones());
        let first = self.scratch.pending.len();
        if halves == 0 {
            let lower = BoxTree::gaps(simd, self.query.pair(), self.trees, family);
            let touching = !exceeds(lower, self.apart).to_bitmask() as u8;
            let lower = lower.to_array();
            for lane in lanes_of(family.members & touching) {
                self.push(
                    Pending { lower: lower[lane], slots: family.slots(lane), side: family.side(), halves },
                    first,
                );
            }
            return;
        }
        let near = BoxTree::approach(simd, self.query.pair(), self.trees, &self.drifts, family);
        let size = BoxTree::sizes(simd, self.trees, family);
        let lower = near.lower;
        let nothing = f32x8::splat(simd, f32::INFINITY);
        let is_in = mask32x8::from_bitmask(simd, u64::from(family.members));
        let is_far = is_in & exceeds(lower, self.enough);
        keep_least(&mut self.lower_by_arc, is_far.select(lower, nothing));
        let is_open = is_in & !is_far;
        let is_apart = is_open & exceeds(lower, self.apart);
        let is_leaf = mask32x8::from_bitmask(simd, u64::from(BoxTree::leaf_pairs(self.trees, family)));
        let grain = f32x8::splat(simd, self.grain);
        let grain = is_leaf.select(grain * GRAIN_OF_PRIMITIVES, grain);
        // One bit a lane.
        let (mut rest, mut queued) = (0, [0; 2]);
        for half in 0..2 {
            if halves & (1 << half) == 0 {
                continue;
            }
            let closing = near.upper_closing[half];
            let guaranteed = lower - closing;
            let is_done = is_apart & exceeds(guaranteed, self.needed);
            keep_least(&mut self.lower_over_halves[half], is_done.select(guaranteed, nothing));
            let arc = f32x8::splat(simd, self.motion);
            let motion = is_apart.select(lesser(closing, arc), arc);
            let is_large = size.simd_gt(motion * grain);
            let undone = is_open & !is_done;
            rest |= undone.to_bitmask() as u8;
            queued[half] = (undone & is_large).to_bitmask() as u8;
            leave(&mut self.scratch.left[half], family, (undone & !is_large).to_bitmask() as u8);
        }
        let touching = !exceeds(lower, self.apart).to_bitmask() as u8;
        let lower = lower.to_array();
        for lane in lanes_of(queued[0] | queued[1] | (rest & touching)) {
            let halves = queued[0] >> lane & 1 | (queued[1] >> lane & 1) << 1;
            self.push(Pending { lower: lower[lane], slots: family.slots(lane), side: family.side(), halves }, first);
        }
    }

    /// Queues a pair so that the nearest of those from `first` on is popped first; of equal ones the last.
    #[inline(always)]
    fn push(&mut self, entry: Pending, first: usize) {
        let pending = &mut self.scratch.pending;
        pending.push(entry);
        let mut place = pending.len() - 1;
        while place > first && pending[place - 1].lower < entry.lower {
            pending[place] = pending[place - 1];
            place -= 1;
        }
        pending[place] = entry;
    }

    /// Looks at a pair of primitives.
    #[inline(always)]
    fn primitives(&mut self, mut pair: Pending, primitives: [usize; 2]) {
        if self.found.is_some() {
            pair.halves = 0;
        }
        self.statistics.triangle_tests += 1;
        let near = if self.is_signed {
            self.query.signed_pair(primitives[0], primitives[1])
        } else if pair.halves == 0 {
            match self.query.primitive_pair(primitives[0], primitives[1], self.hint, f64::from(self.apart)) {
                PrimitivePair::Beyond { .. } => return,
                PrimitivePair::Near(near) => near,
            }
        } else if let Some((ta, tb)) = self.query.triangles(primitives[0], primitives[1]) {
            let between = tb[0] + tb[1] + tb[2] - (ta[0] + ta[1] + ta[2]);
            for n in [self.hint, between / between.length()] {
                let separation = triangle::separation(&ta, &tb, n) - self.query.margin();
                pair.halves &= !self.settle(pair.halves, separation, |search| search.closing_of_triangles(&ta, &tb, n));
                if pair.halves == 0 {
                    return;
                }
            }
            self.query.triangle_pair(&ta, &tb)
        } else {
            let separation = self.query.unlike_separation(primitives[0], primitives[1], self.hint);
            pair.halves &=
                !self.settle(pair.halves, separation, |search| search.closing(pair.slots, primitives, search.hint));
            if pair.halves == 0 {
                return;
            }
            self.query.unlike_pair(primitives[0], primitives[1])
        };
        self.look_at(near, pair, primitives);
    }

    /// For which of the halves a pair of primitives is done because it is separated by this much along a direction along
    /// which it closes by so much.
    #[inline(always)]
    fn settle(&mut self, halves: u8, separation: f64, upper_closing: impl FnOnce(&Self) -> [f64; 2]) -> u8 {
        if !(separation - self.need.margin > self.need.clearance) {
            return 0;
        }
        let closing = upper_closing(self);
        let mut done = 0;
        for half in 0..2 {
            let guaranteed = separation - least(closing[half], self.arc);
            if halves & (1 << half) != 0 && guaranteed - self.need.margin > self.need.clearance {
                self.lower_of_primitives[half] = self.lower_of_primitives[half].min(guaranteed);
                done |= 1 << half;
            }
        }
        done
    }

    /// By how much two triangles, given in A's frame, may approach along n in either half.
    #[inline(always)]
    fn closing_of_triangles(&self, ta: &Triangle, tb: &Triangle, n: DVec3) -> [f64; 2] {
        let range = |side: usize, corners: &Triangle, centre: DVec3| {
            let (constant, gradient) = (n.dot(self.moving.linear[side]), n.cross(self.moving.angular[side]));
            let at = [0, 1, 2].map(|i| constant + gradient.dot(corners[i] - centre));
            [at[0].min(at[1]).min(at[2]), at[0].max(at[1]).max(at[2])]
        };
        self.moving.closing(range(0, ta, DVec3::ZERO), range(1, tb, self.query.a_from_b().translation))
    }

    /// By how much two primitives, in leaves, may approach along n in either half.
    fn closing(&self, leaves: [Slot; 2], primitives: [usize; 2], n: DVec3) -> [f64; 2] {
        let range = |side: usize| self.speed_range(side, leaves[side], primitives[side], n);
        self.moving.closing(range(0), range(1))
    }

    /// A pair of primitives whose distance is known: done for a half, or left to it, or the end of the search.
    #[inline(never)]
    fn look_at(&mut self, near: Near, pair: Pending, primitives: [usize; 2]) {
        self.hint = near.direction;
        let closing = |search: &Self| search.closing(pair.slots, primitives, near.direction);
        let undone = pair.halves & !self.settle(pair.halves, near.lower, closing);
        for half in 0..2 {
            if undone & (1 << half) != 0 {
                self.lower = self.lower.min(near.lower);
                let [a, b] = pair.slots;
                let family = match pair.side {
                    Side::A => Family::only(Side::A, a, b),
                    Side::B => Family::only(Side::B, b, a),
                };
                leave(&mut self.scratch.left[half], &family, family.members);
            }
        }
        let is_done = pair.halves != 0 && undone == 0;
        let is_nearest = self.found.is_none_or(|(found, _)| near.upper < found.upper);
        if near.upper <= self.need.close && !is_done && is_nearest {
            self.found = Some((near, primitives));
        }
    }

    /// Whether what was found ends the search. Among pieces that may overlap the deepest pair is wanted, because one that
    /// is too close does not tell that another is in contact; otherwise who reports it measures the distance anew.
    fn is_over(&self) -> bool {
        let contact = self.need.clearance.min(0.0);
        self.found.is_some_and(|(near, _)| near.upper <= contact || !self.is_signed)
    }

    /// Least and greatest speed of a primitive, in a leaf, along a direction in A's axes.
    #[inline]
    fn speed_range(&self, side: usize, leaf: Slot, primitive: usize, n: DVec3) -> [f64; 2] {
        let (linear, angular) = (self.moving.linear[side], self.moving.angular[side]);
        let (constant, gradient) = (n.dot(linear), n.cross(angular));
        let in_a = |p: DVec3| if side == 0 { p } else { self.query.a_from_b().vector(p) };
        match self.query.body(side).primitive(primitive) {
            Primitive::Triangle(corners) => {
                let at = corners.map(|p| constant + gradient.dot(in_a(p)));
                [at[0].min(at[1]).min(at[2]), at[0].max(at[1]).max(at[2])]
            }
            Primitive::Piece(_) => {
                let [centre, half] = self.trees[side].centre_and_half(leaf);
                let gradient_here = if side == 0 { gradient } else { self.query.a_from_b().inverse_vector(gradient) };
                let at_centre = constant + gradient.dot(in_a(centre));
                let spread = gradient_here.abs().dot(half);
                [at_centre - spread, at_centre + spread]
            }
        }
    }
}

/// Leaves members of a family to a half.
#[inline(always)]
fn leave(left: &mut Vec<Family>, family: &Family, members: u8) {
    match left.last_mut() {
        _ if members == 0 => {}
        Some(last) if last.is_akin(family) => last.members |= members,
        _ => left.push(family.with_members(members)),
    }
}

/// The lanes whose bits are set, last to first.
#[inline(always)]
fn lanes_of(mut members: u8) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = members.checked_ilog2()?;
        members ^= 1 << lane;
        Some(lane as usize)
    })
}

/// Where a bound is above what is wanted.
#[inline(always)]
fn exceeds<S: Simd>(lower: f32x8<S>, wanted: f32) -> mask32x8<S> {
    lower.simd_gt(f32x8::splat(lower.simd, wanted))
}

/// Keeps the lesser of two numbers in each lane.
#[inline(always)]
fn keep_least<S: Simd>(least: &mut [f32; 8], bounds: f32x8<S>) {
    *least = lesser(bounds, f32x8::simd_from(bounds.simd, *least)).into();
}

/// The lesser of two bounds; NaN if either is, unlike `f64::min`.
fn least(a: f64, b: f64) -> f64 {
    if a < b || a.is_nan() { a } else { b }
}

/// What a bound must exceed to meet `wanted`: rounded up, never below 0, and NaN for NaN, which nothing exceeds.
fn threshold(wanted: f64) -> f32 {
    if wanted < 0.0 { 0.0 } else { f32_up(wanted) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `f64::max` once turned a need that was not a number into 0, which every gap exceeds.
    #[test]
    fn a_need_that_is_not_a_number_is_never_met() {
        let wanted = threshold(f64::NAN);
        assert!(!(f32::MAX > wanted) && !(f32::INFINITY > wanted));
        assert_eq!(threshold(-1.0), 0.0);
        assert!(f64::from(threshold(0.1)) >= 0.1);
        assert!(least(f64::NAN, 1.0).is_nan() && least(1.0, f64::NAN).is_nan());
        assert_eq!(least(1.0, 2.0), 1.0);
    }
}
