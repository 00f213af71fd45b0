//! The traversal behind [`super::examine`]: pairs of boxes eight at a time, then of shells, then of primitives.

use super::examine::{CellQuery, Examined, First, Wanted};
use super::moving::Moving;
use super::shells::Separations;
use crate::check::groups::Group;
use crate::check::verdict::{Statistics, contact};
use crate::distance::{Near, Query};
use crate::numeric::simd::*;
use crate::numeric::{DVec3, f32_up, least, unit};
use crate::trees::{BoxTree, Drifts, NodeHulls, PointScratch, SiblingPairs, Side, Slot, VolumeTree, lesser};

mod dive;
mod lanes;
mod primitives;
mod shells;

use self::lanes::{exceeds, keep_least, lanes_of, least_of, threshold};

/// Reused memory of the traversal.
#[derive(Debug, Default)]
pub(in crate::check) struct TraversalScratch {
    pending: Vec<Pending>,
    /// Pairs that the last traversal left to the halves.
    pub(in crate::check) left: [Vec<SiblingPairs>; 2],
    /// Memory for queries from a point to one tree.
    pub(in crate::check) from_point: PointScratch,
}

/// Mutable state that a traversal borrows.
pub(super) struct Lent<'m> {
    pub(super) separations: &'m mut Separations,
    pub(super) scratch: &'m mut TraversalScratch,
    pub(super) statistics: &'m mut Statistics,
}

/// A pair of boxes to be expanded. Bit 0 of `halves` is set if it is not certified for the earlier half, bit 1 for the
/// later; with neither, only contact matters.
#[derive(Clone, Copy, Debug)]
struct Pending {
    lower: f32,
    slots: [Slot; 2],
    /// The side that was expanded last.
    side: Side,
    halves: u8,
}

impl Pending {
    /// The pair by itself.
    fn siblings(&self) -> SiblingPairs {
        let [a, b] = self.slots;
        match self.side {
            Side::A => SiblingPairs::only(Side::A, a, b),
            Side::B => SiblingPairs::only(Side::B, b, a),
        }
    }
}

const BOTH: u8 = 3;

/// Pairs of primitives are examined where they are this many times larger against the motion than boxes that are
/// expanded: each costs as much as several sibling pairs.
const RATIO_OF_PRIMITIVES: f32 = 2.0;

/// Examines two bodies in the middle of a cell, starting from `front`. `signed` pairs consist of convex pieces and may
/// overlap. Points of a finding are in A's frame.
pub(super) fn run(
    query: &Query<'_>,
    sides: [&Group; 2],
    cell: &CellQuery,
    is_signed: bool,
    front: &[SiblingPairs],
    Lent { separations, scratch, statistics }: Lent<'_>,
) -> Examined {
    let trees = sides.map(|group| group.indexed.tree());
    let arc = (cell.bounds[0].upper_displacement + cell.bounds[1].upper_displacement) * (1.0 + 1e-15);
    let required = arc + cell.clearance;
    let wants_cover = !matches!(cell.wanted, Wanted::Contact(_));
    scratch.pending.clear();
    scratch.left.iter_mut().for_each(Vec::clear);
    let (moving, drifts) = if wants_cover { Moving::new(query, trees, cell) } else { Moving::still(query) };
    let mut search = Search {
        query,
        trees,
        hulls: sides.map(|group| &*group.hulls),
        cell,
        is_signed,
        // Hulls of parts that may overlap do not bound the parts' depth.
        uses_hulls: !is_signed,
        dives: cell.wanted == Wanted::Contact(First::Boxes) && !is_signed && sides.into_iter().all(Group::is_mesh),
        halves: if wants_cover { BOTH } else { 0 },
        arc,
        // Rounded upwards also where a negative clearance makes it negative.
        required_gap: if wants_cover { threshold(required + required.abs() * 1e-15 + 1e-300) } else { f32::INFINITY },
        required_rest: f32_up(cell.clearance),
        apart: threshold(cell.clearance),
        motion: f32_up(arc),
        ratio: cell.node_to_motion_ratio as f32,
        drifts,
        moving,
        lower_by_arc: [f32::INFINITY; 8],
        lower_over_halves: [[f32::INFINITY; 8]; 2],
        lower_of_primitives: [f64::INFINITY; 2],
        lower_at_middle: f64::INFINITY,
        hint: cell.hint.or_else(|| unit(query.a_from_b().translation)).unwrap_or(DVec3::X),
        found: None,
        has_split_solid: false,
        separations,
        scratch,
        statistics,
    };
    let is_from_roots = *front == [SiblingPairs::ROOTS];
    let front = if is_from_roots && !search.dives { &[search.open_roots()] } else { front };
    run_lanes(query.width(), Traversal { search: &mut search, front });
    let by_arc = least_of(search.lower_by_arc) - arc;
    let lower_over_halves = [0, 1].map(|half| {
        let by_drift = least_of(search.lower_over_halves[half]);
        least(least(by_arc, by_drift), search.lower_of_primitives[half])
    });
    let Search { lower_at_middle, found, hint, has_split_solid, .. } = search;
    let covered = [0, 1].map(|half| wants_cover && found.is_none() && scratch.left[half].is_empty());
    // All pairs of slots below the roots are then apart.
    let is_outside = covered == [true; 2] && !is_signed && is_from_roots && !has_split_solid;
    let hint = Some(hint);
    Examined { covered, lower_over_halves, lower_at_middle, found, is_outside, hint, ..Examined::UNCOVERED }
}

struct Search<'q, 'a> {
    query: &'q Query<'a>,
    trees: [&'q BoxTree; 2],
    hulls: [&'q NodeHulls; 2],
    cell: &'q CellQuery,
    is_signed: bool,
    uses_hulls: bool,
    /// True if boxes are tested before hulls: not where a side has convex pieces, which cost more than hulls.
    dives: bool,
    /// Halves that are still to be covered, as bits.
    halves: u8,
    /// Upper bound on the motion of the groups relative to each other in a half.
    arc: f64,
    /// A bound above this certifies a pair for both halves. Never below 0, because boxes that overlap do not bound the
    /// depth of convex pieces.
    required_gap: f32,
    /// Bound that must remain after subtracting what may close in a half.
    required_rest: f32,
    /// A bound above this rules out that the clearance is violated, and yields a direction that may separate boxes
    /// over a half. Pairs at or below it are followed down to the primitives. Pairs that are too close but not in
    /// contact are found where they keep a half from being proven.
    apart: f32,
    /// The same as `arc`.
    motion: f32,
    ratio: f32,
    drifts: Drifts,
    moving: Moving,
    /// Least bounds of the pairs that `required_gap` certified, lane by lane.
    lower_by_arc: [f32; 8],
    /// Least remaining bounds over either half, lane by lane.
    lower_over_halves: [[f32; 8]; 2],
    lower_of_primitives: [f64; 2],
    lower_at_middle: f64,
    /// Unit vector in A's axes that may separate the next primitives.
    hint: DVec3,
    found: Option<(Near, [usize; 2])>,
    /// True if boxes were opened that hold a solid component in several parts.
    has_split_solid: bool,
    separations: &'q mut Separations,
    scratch: &'q mut TraversalScratch,
    statistics: &'q mut Statistics,
}

/// A search over a front.
struct Traversal<'t, 'q, 'a> {
    search: &'t mut Search<'q, 'a>,
    front: &'t [SiblingPairs],
}

impl Kernel for Traversal<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        self.search.traverse(simd, self.front);
    }
}

impl Search<'_, '_> {
    /// The two roots. If they have no hulls that could be apart, one is opened, such as that of a world of many
    /// bodies: the balls have already shown what its outer box could. Roots that are small against the motion are left
    /// to the halves as they are.
    fn open_roots(&mut self) -> SiblingPairs {
        let roots = self.trees.map(|tree| tree.root());
        let is_large = self.halves == 0 || self.size(roots) > self.arc * self.cell.node_to_motion_ratio;
        let has_hull = self.uses_hulls && self.has_hull(roots);
        match self.opened_side(roots) {
            Some(side) if is_large && !has_hull => self.open(side, roots),
            _ => SiblingPairs::ROOTS,
        }
    }

    /// The box to open next; `None` if both are primitives.
    #[inline(always)]
    fn opened_side(&self, [a, b]: [Slot; 2]) -> Option<Side> {
        let ([tree_a, tree_b], [hulls_a, hulls_b]) = (self.trees, self.hulls);
        match (tree_a.primitive(a), tree_b.primitive(b)) {
            (Some(_), Some(_)) => None,
            (Some(_), None) => Some(Side::B),
            (None, Some(_)) => Some(Side::A),
            // One hull is kept whole until the other side is shelled as well.
            (None, None) if hulls_a.has(a) && !hulls_b.has(b) && hulls_b.is_promising(b) => Some(Side::B),
            (None, None) if hulls_b.has(b) && !hulls_a.has(a) && hulls_a.is_promising(a) => Some(Side::A),
            (None, None) if tree_a.size(a) > tree_b.size(b) => Some(Side::A),
            (None, None) => Some(Side::B),
        }
    }

    /// Pairs the children of one box with the other box.
    #[inline(always)]
    fn open(&mut self, side: Side, [a, b]: [Slot; 2]) -> SiblingPairs {
        let (siblings, has_split_solid) = match side {
            Side::A => (self.trees[0].siblings(side, a, b), self.hulls[0].splits_solid(a)),
            Side::B => (self.trees[1].siblings(side, b, a), self.hulls[1].splits_solid(b)),
        };
        self.has_split_solid |= has_split_solid;
        siblings
    }

    #[inline(always)]
    fn traverse<S: Simd>(&mut self, simd: S, front: &[SiblingPairs]) {
        for siblings in front {
            self.enter(simd, siblings, self.halves);
        }
        if self.dives && self.dive(simd, front) {
            return;
        }
        while let Some(next) = self.scratch.pending.pop() {
            // After a finding only contact matters.
            if self.found.is_some() && next.lower > self.apart {
                continue;
            }
            let next = match self.shells(next) {
                Some(rest) => rest,
                None if self.is_over() => return,
                None => continue,
            };
            let Some(side) = self.opened_side(next.slots) else {
                let primitives = [0, 1].map(|side| self.trees[side].primitive(next.slots[side]));
                if let [Some(a), Some(b)] = primitives {
                    self.primitives(next, [a, b]);
                }
                if self.is_over() {
                    return;
                }
                continue;
            };
            let siblings = self.open(side, next.slots);
            let halves = if self.found.is_some() { 0 } else { next.halves & self.halves };
            if halves != 0 || self.looks_for_contact() {
                self.enter(simd, &siblings, halves);
            }
        }
    }

    /// Certifies pairs of boxes for as many halves as possible, leaves small pairs to the halves, and queues the
    /// others.
    #[inline(always)]
    fn enter<S: Simd>(&mut self, simd: S, siblings: &SiblingPairs, halves: u8) {
        if halves == 0 {
            return self.follow(simd, siblings);
        }
        self.statistics.volume_tests += u64::from(siblings.members.count_ones());
        let first = self.scratch.pending.len();
        let mut near = BoxTree::approach(simd, self.query.pair(), self.trees, &self.drifts, siblings);
        let touching = siblings.members & !exceeds(near.lower, self.apart).to_bitmask() as u8;
        if touching & BoxTree::slanted_pairs(self.trees, siblings) != 0 {
            let across = BoxTree::approach_across(simd, self.query.pair(), self.trees, &self.drifts, siblings);
            let is_better = across.lower.simd_gt(near.lower) & !exceeds(near.lower, self.apart);
            near.lower = is_better.select(across.lower, near.lower);
            for half in 0..2 {
                near.upper_closing[half] = is_better.select(across.upper_closing[half], near.upper_closing[half]);
            }
        }
        let size = BoxTree::sizes(simd, self.trees, siblings);
        let lower = near.lower;
        let nothing = f32x8::splat(simd, f32::INFINITY);
        let is_in = mask32x8::from_bitmask(simd, u64::from(siblings.members));
        let is_far = is_in & exceeds(lower, self.required_gap);
        keep_least(&mut self.lower_by_arc, is_far.select(lower, nothing));
        let is_near = is_in & !is_far;
        let is_apart = is_near & exceeds(lower, self.apart);
        let is_leaf = mask32x8::from_bitmask(simd, u64::from(BoxTree::leaf_pairs(self.trees, siblings)));
        let ratio = f32x8::splat(simd, self.ratio);
        let ratio = is_leaf.select(ratio * RATIO_OF_PRIMITIVES, ratio);
        let shelled = if self.uses_hulls { BoxTree::hull_pairs(self.hulls, siblings) } else { 0 };
        // Shells may be apart where boxes overlap.
        let is_shelled = mask32x8::from_bitmask(simd, u64::from(shelled)) & !is_apart;
        // One bit per lane.
        let (mut rest, mut queued) = (0, [0; 2]);
        for half in 0..2 {
            if halves & (1 << half) == 0 {
                continue;
            }
            let closing = near.upper_closing[half];
            let guaranteed = lower - closing;
            let is_certified = is_apart & exceeds(guaranteed, self.required_rest);
            keep_least(&mut self.lower_over_halves[half], is_certified.select(guaranteed, nothing));
            let arc = f32x8::splat(simd, self.motion);
            let motion = is_apart.select(lesser(closing, arc), arc);
            let is_large = size.simd_gt(motion * ratio) | is_shelled;
            let is_left = is_near & !is_certified;
            rest |= is_left.to_bitmask() as u8;
            queued[half] = (is_left & is_large).to_bitmask() as u8;
            leave(&mut self.scratch.left[half], siblings, (is_left & !is_large).to_bitmask() as u8);
        }
        let touching = !exceeds(lower, self.apart).to_bitmask() as u8;
        let lower = lower.to_array();
        let followed = if self.looks_for_contact() { rest & touching } else { 0 };
        for lane in lanes_of(queued[0] | queued[1] | followed) {
            let halves = queued[0] >> lane & 1 | (queued[1] >> lane & 1) << 1;
            self.push(
                Pending { lower: lower[lane], slots: siblings.slots(lane), side: siblings.side(), halves },
                first,
            );
        }
    }

    /// Queues a pair so that the nearest from `first` on is popped first; of equal ones the last.
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

    /// True if pairs that may be in contact are followed although no half is left to cover.
    #[inline(always)]
    fn looks_for_contact(&self) -> bool {
        self.cell.wanted != Wanted::WholeHalves
    }

    /// True if the finding ends the search, as contact does. A pair that is too close does not show whether another is
    /// in contact, and finding that out here costs less than measuring the distance.
    fn is_over(&self) -> bool {
        if self.halves == 0 && !self.looks_for_contact() {
            return true;
        }
        self.found.is_some_and(|(near, _)| near.upper <= contact(self.cell.clearance))
    }
}

/// Leaves members of sibling pairs to a half.
#[inline(always)]
fn leave(left: &mut Vec<SiblingPairs>, siblings: &SiblingPairs, members: u8) {
    match left.last_mut() {
        _ if members == 0 => {}
        Some(last) if last.is_akin(siblings) => last.members |= members,
        _ => left.push(siblings.with_members(members)),
    }
}
