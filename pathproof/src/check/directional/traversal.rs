//! The traversal behind [`super::examine`]: pairs of boxes eight at a time, then pairs of primitives.

use super::examine::{CellQuery, Examined, Wanted};
use super::moving::Moving;
use super::shells::{self, Gaps, Separations, Shell, ShellPair};
use crate::check::groups::Group;
use crate::check::verdict::{Statistics, contact};
use crate::distance::triangle::{self, Triangle};
use crate::distance::{Near, PrimitivePair, Query};
use crate::numeric::simd::*;
use crate::numeric::{DVec3, f32_up, least, most, unit};
use crate::shapes::Primitive;
use crate::trees::{BoxTree, Drifts, NodeHulls, SiblingPairs, Side, Slot, VolumeTree, lesser};

/// Reused memory of the traversal.
#[derive(Debug, Default)]
pub(in crate::check) struct TraversalScratch {
    pending: Vec<Pending>,
    /// What the last traversal left to the halves.
    pub(in crate::check) left: [Vec<SiblingPairs>; 2],
}

/// What a traversal works in.
pub(super) struct Memory<'m> {
    pub(super) separations: &'m mut Separations,
    pub(super) scratch: &'m mut TraversalScratch,
    pub(super) statistics: &'m mut Statistics,
}

/// A pair of boxes to be expanded. Of `halves`, bit 0 says that it is not certified for the earlier half, bit 1 for the
/// later; with neither, only contact matters.
#[derive(Clone, Copy, Debug)]
struct Pending {
    lower: f32,
    slots: [Slot; 2],
    /// Which of the two was expanded last.
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

/// Pairs of primitives are examined where they are this many times larger against the motion than boxes that are expanded:
/// they cost as much as several sibling pairs.
const RATIO_OF_PRIMITIVES: f32 = 2.0;

/// Shells that are apart by more than this fraction of what they may close in a half are left to it as they are: two or
/// three cuts certify them. Those that are nearer are expanded.
const PATIENCE: f64 = 0.2;

/// Examines two bodies in the middle of a cell, as far as `front` says. `signed` pairs consist of convex pieces and may
/// overlap. Points of a finding are in A's frame.
pub(super) fn run(
    query: &Query<'_>,
    sides: [&Group; 2],
    cell: &CellQuery,
    is_signed: bool,
    front: &[SiblingPairs],
    Memory { separations, scratch, statistics }: Memory<'_>,
) -> Examined {
    let trees = sides.map(|group| group.indexed.tree());
    let arc = (cell.bounds[0].upper_half_arc + cell.bounds[1].upper_half_arc) * (1.0 + 1e-15);
    let required = arc + cell.clearance;
    let wants_cover = cell.wanted != Wanted::Contact;
    scratch.pending.clear();
    scratch.left.iter_mut().for_each(Vec::clear);
    let (moving, drifts) = if wants_cover { Moving::new(query, trees, cell) } else { Moving::still(query) };
    let mut search = Search {
        query,
        trees,
        hulls: sides.map(|group| &group.hulls),
        cell,
        is_signed,
        // Hulls of parts that may overlap say nothing about how deep these do.
        uses_hulls: cell.uses_hulls && !is_signed,
        halves: if wants_cover { BOTH } else { 0 },
        arc,
        // Upwards also where a negative clearance makes it negative.
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
        separations,
        scratch,
        statistics,
    };
    run_lanes(query.width(), Traversal { search: &mut search, front });
    let of_lanes = |lanes: [f32; 8]| lanes.into_iter().map(f64::from).fold(f64::INFINITY, least);
    let by_arc = of_lanes(search.lower_by_arc) - arc;
    let lower_over_halves = [0, 1].map(|half| {
        let by_drift = of_lanes(search.lower_over_halves[half]);
        least(least(by_arc, by_drift), search.lower_of_primitives[half])
    });
    let Search { lower_at_middle, found, hint, .. } = search;
    let covered = [0, 1].map(|half| wants_cover && found.is_none() && scratch.left[half].is_empty());
    let direction_in_world = Some(query.world_from_a().vector(hint));
    let hint = Some(hint);
    Examined { covered, lower_over_halves, lower_at_middle, found, direction_in_world, hint, ..Examined::UNCOVERED }
}

struct Search<'q, 'a> {
    query: &'q Query<'a>,
    trees: [&'q BoxTree; 2],
    hulls: [&'q NodeHulls; 2],
    cell: &'q CellQuery,
    is_signed: bool,
    uses_hulls: bool,
    /// The halves that are still to be covered, as bits.
    halves: u8,
    /// Upper bound on how far the groups move relative to each other in a half.
    arc: f64,
    /// A bound above this certifies a pair for both halves. Boxes that overlap say nothing about how deep convex pieces
    /// do, hence never below 0.
    required_gap: f32,
    /// What must be left of a bound after what may close in a half.
    required_rest: f32,
    /// A bound above this rules out that the clearance is violated, and tells a direction that may separate boxes over a
    /// half. What is not above it is followed down to the primitives; pairs that are too close, but no more, are met where
    /// they keep a half from being proven.
    apart: f32,
    /// As `arc`.
    motion: f32,
    ratio: f32,
    drifts: Drifts,
    moving: Moving,
    /// Least bounds of the pairs that `required_gap` certified, lane by lane.
    lower_by_arc: [f32; 8],
    /// Least of what is left of bounds over either half, lane by lane.
    lower_over_halves: [[f32; 8]; 2],
    lower_of_primitives: [f64; 2],
    lower_at_middle: f64,
    /// Unit vector in A's axes that may separate the next primitives.
    hint: DVec3,
    found: Option<(Near, [usize; 2])>,
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
    #[inline(always)]
    fn traverse<S: Simd>(&mut self, simd: S, front: &[SiblingPairs]) {
        for siblings in front {
            self.enter(simd, siblings, self.halves);
        }
        while let Some(next) = self.scratch.pending.pop() {
            let Some(next) = self.shells(next) else {
                if self.is_over() {
                    return;
                }
                continue;
            };
            let [a, b] = next.slots;
            let [tree_a, tree_b] = self.trees;
            let [has_a, has_b] = [self.hulls[0].has(a), self.hulls[1].has(b)];
            let expanded = match (tree_a.primitive(a), tree_b.primitive(b)) {
                (Some(primitive_a), Some(primitive_b)) => {
                    self.primitives(next, [primitive_a, primitive_b]);
                    if self.is_over() {
                        return;
                    }
                    continue;
                }
                (Some(_), None) => Side::B,
                (None, Some(_)) => Side::A,
                // The hull of one is kept whole until the other one has a hull as well.
                (None, None) if has_a != has_b => {
                    if has_a {
                        Side::B
                    } else {
                        Side::A
                    }
                }
                (None, None) if tree_a.size(a) > tree_b.size(b) => Side::A,
                (None, None) => Side::B,
            };
            let siblings = match expanded {
                Side::A => tree_a.siblings(expanded, a, b),
                Side::B => tree_b.siblings(expanded, b, a),
            };
            let halves = if self.found.is_some() { 0 } else { next.halves & self.halves };
            if halves != 0 || self.looks_for_contact() {
                self.enter(simd, &siblings, halves);
            }
        }
    }

    /// Certifies pairs of boxes for the halves for which it can, leaves those that are small to the halves, and queues the
    /// others.
    #[inline(always)]
    fn enter<S: Simd>(&mut self, simd: S, siblings: &SiblingPairs, halves: u8) {
        self.statistics.volume_tests += u64::from(siblings.members.count_ones());
        let first = self.scratch.pending.len();
        if halves == 0 {
            let lower = BoxTree::gaps(simd, self.query.pair(), self.trees, siblings);
            let touching = !exceeds(lower, self.apart).to_bitmask() as u8;
            let lower = lower.to_array();
            for lane in lanes_of(siblings.members & touching) {
                self.push(
                    Pending { lower: lower[lane], slots: siblings.slots(lane), side: siblings.side(), halves },
                    first,
                );
            }
            return;
        }
        let near = BoxTree::approach(simd, self.query.pair(), self.trees, &self.drifts, siblings);
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
        let shelled = if self.uses_hulls { BoxTree::hull_pairs(self.trees, self.hulls, siblings) } else { 0 };
        // Where boxes overlap shells may be apart.
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

    /// Certifies a pair by the shells of its slots, where both have one, for the halves for which it can; leaves to a half
    /// what shorter cells will certify. Returns what of it is to be expanded.
    #[inline(always)]
    fn shells(&mut self, pair: Pending) -> Option<Pending> {
        let [a, b] = pair.slots;
        let has_hull = self.hulls[0].has(a) || self.hulls[1].has(b);
        let are_leaves = [self.trees[0].primitive(a), self.trees[1].primitive(b)];
        let is_unlike = match are_leaves {
            [Some(i), Some(j)] => !self.query.are_triangles(i, j),
            _ => false,
        };
        if !self.uses_hulls || !(has_hull || is_unlike) {
            return Some(pair);
        }
        self.examine_shells(pair, is_unlike)
    }

    #[inline(never)]
    fn examine_shells(&mut self, pair: Pending, are_leaves: bool) -> Option<Pending> {
        let halves = if self.found.is_some() { 0 } else { pair.halves & self.halves };
        if halves == 0 && !self.looks_for_contact() {
            return None;
        }
        let (mut flat_a, mut flat_b) = (None, None);
        let [a, b] = pair.slots;
        let shell_a = Shell::of(self.trees[0], self.hulls[0], self.query.body(0), a, &mut flat_a);
        let shell_b = Shell::of(self.trees[1], self.hulls[1], self.query.body(1), b, &mut flat_b);
        let (Some(shell_a), Some(shell_b)) = (shell_a, shell_b) else { return Some(pair) };
        self.statistics.volume_tests += 1;
        let shells = ShellPair { query: self.query, moving: &self.moving, shells: [shell_a, shell_b] };
        let clearance = self.cell.clearance;
        let known = self.separations.find(self.cell.pair, pair.slots);
        let (first, mut starts, useful_below) = known.unwrap_or((self.hint, [u32::MAX; 2], f64::INFINITY));
        if halves != 0 && self.arc > useful_below {
            let nothing = Gaps { now: f64::NEG_INFINITY, over_halves: [f64::NAN; 2] };
            return self.leave_shells(Pending { halves, ..pair }, &nothing, are_leaves);
        }
        let (mut left, mut best) = (halves, None::<(DVec3, Gaps)>);
        for attempt in 0..2 {
            // Where one known already does not do, the best there is, or one that is sure to.
            let n = if attempt == 0 {
                first
            } else {
                // Shells that move by more than their size are not certified by any direction.
                let is_hopeless = halves == 0 || self.arc > self.size(pair.slots);
                let wanted = if is_hopeless { clearance } else { clearance + self.arc };
                match shells.direction(first, wanted + self.query.margin(), &mut starts) {
                    Some(n) => n,
                    None => break,
                }
            };
            let gaps = shells.gaps(n, left, clearance, self.arc, &mut starts);
            left &= !certify_gaps(&gaps, left, self.arc, clearance, &mut self.lower_of_primitives);
            if best.is_none_or(|(_, best)| gaps.now > best.now) {
                best = Some((n, gaps));
            }
            if left == 0 && (halves != 0 || gaps.now > clearance) {
                self.separations.keep(self.cell.pair, pair.slots, n, starts, f64::INFINITY);
                self.hint = n;
                return None;
            }
        }
        let (n, gaps) = best?;
        // Tried again where the motion is a quarter, or where the gap will do for a few cuts.
        let patient = (gaps.now - clearance) / PATIENCE;
        let useful_below = if halves == 0 { useful_below } else { most(self.arc * 0.25, patient) };
        self.separations.keep(self.cell.pair, pair.slots, n, starts, useful_below);
        if gaps.now > clearance {
            self.hint = n;
        }
        self.leave_shells(Pending { halves: left, ..pair }, &gaps, are_leaves)
    }

    /// The larger of the sizes of two boxes.
    fn size(&self, [a, b]: [Slot; 2]) -> f64 {
        let (size_a, size_b) = (self.trees[0].size(a), self.trees[1].size(b));
        f64::from(if size_a > size_b { size_a } else { size_b })
    }

    /// What of a pair that shells do not certify is to be expanded; the rest is left to the halves.
    fn leave_shells(&mut self, pair: Pending, gaps: &Gaps, are_leaves: bool) -> Option<Pending> {
        let clearance = self.cell.clearance;
        let is_apart = gaps.now > clearance;
        if are_leaves && !(gaps.now > self.cell.close) {
            return Some(pair);
        }
        let size = self.size(pair.slots);
        let mut expanded = 0;
        for half in (0..2).filter(|half| pair.halves & (1 << half) != 0) {
            let motion = if is_apart { shells::closing(gaps, half, self.arc) } else { self.arc };
            let is_large = size > motion * self.cell.node_to_motion_ratio;
            let is_patient = self.looks_for_contact() && is_apart && gaps.now - clearance > PATIENCE * motion;
            if is_large && !is_patient && !are_leaves {
                expanded |= 1 << half;
                continue;
            }
            let siblings = pair.siblings();
            leave(&mut self.scratch.left[half], &siblings, siblings.members);
            if are_leaves {
                self.lower_at_middle = least(self.lower_at_middle, gaps.now);
            }
            if !self.looks_for_contact() {
                self.halves &= !(1 << half);
            }
        }
        let is_followed = !is_apart && self.looks_for_contact();
        (expanded != 0 || is_followed).then_some(Pending { halves: expanded, ..pair })
    }

    /// Examines a pair of primitives.
    #[inline(always)]
    fn primitives(&mut self, mut pair: Pending, primitives: [usize; 2]) {
        pair.halves &= if self.found.is_some() { 0 } else { self.halves };
        if pair.halves == 0 && !self.looks_for_contact() {
            return;
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
            for n in [Some(self.hint), unit(between)].into_iter().flatten() {
                pair.halves &= !self.certify_triangles(&ta, &tb, n, pair.halves);
                if pair.halves == 0 {
                    return;
                }
            }
            let near = self.query.triangle_pair(&ta, &tb);
            pair.halves &= !self.certify_triangles(&ta, &tb, near.direction, pair.halves);
            if pair.halves == 0 {
                self.hint = near.direction;
                return;
            }
            near
        } else {
            let separation = self.query.unlike_separation(primitives[0], primitives[1], self.hint);
            pair.halves &=
                !self.certify(pair.halves, separation, |search| search.closing(pair.slots, primitives, search.hint));
            if pair.halves == 0 {
                return;
            }
            self.query.unlike_pair(primitives[0], primitives[1])
        };
        self.judge(near, pair, primitives);
    }

    /// For which of the halves a pair of primitives is certified: it is separated by this much along a direction along
    /// which it closes by so much.
    #[inline(always)]
    fn certify(&mut self, halves: u8, separation: f64, upper_closing: impl FnOnce(&Self) -> [f64; 2]) -> u8 {
        if !(separation > self.cell.clearance) {
            return 0;
        }
        let closing = upper_closing(self);
        let mut certified = 0;
        for half in 0..2 {
            let guaranteed = separation - least(closing[half], self.arc);
            if halves & (1 << half) != 0 && guaranteed > self.cell.clearance {
                self.lower_of_primitives[half] = least(self.lower_of_primitives[half], guaranteed);
                certified |= 1 << half;
            }
        }
        certified
    }

    /// For which of the halves two triangles, given in A's frame, are certified along n: as shells, with three corners each.
    #[inline(always)]
    fn certify_triangles(&mut self, ta: &Triangle, tb: &Triangle, n: DVec3, halves: u8) -> u8 {
        let now = triangle::separation(ta, tb, n) - self.query.margin();
        if !(now > self.cell.clearance) {
            return 0;
        }
        let displaced = |side: usize, corners: &Triangle, centre: DVec3| {
            let (constant, gradient) = (n.dot(self.moving.linear[side]), n.cross(self.moving.angular[side]));
            corners.map(|x| (n.dot(x), (constant + gradient.dot(x - centre)) * self.moving.half_length))
        };
        let of_a = displaced(0, ta, DVec3::ZERO);
        let of_b = displaced(1, tb, self.query.a_from_b().translation);
        let rounding = self.query.margin() + self.moving.rounding + self.moving.upper_bend;
        let over_halves = [-1.0, 1.0].map(|sign| {
            let of_a = range_of(of_a.map(|(at, drift)| at + sign * drift));
            let of_b = range_of(of_b.map(|(at, drift)| at + sign * drift));
            least(now, of_b[0] - of_a[1] - rounding)
        });
        let gaps = Gaps { now, over_halves };
        certify_gaps(&gaps, halves, self.arc, self.cell.clearance, &mut self.lower_of_primitives)
    }

    /// By how much two primitives, in leaves, may approach along n in either half.
    fn closing(&self, leaves: [Slot; 2], primitives: [usize; 2], n: DVec3) -> [f64; 2] {
        let range = |side: usize| self.speed_range(side, leaves[side], primitives[side], n);
        self.moving.closing(range(0), range(1))
    }

    /// A pair of primitives whose distance is known: certified for a half, or left to it, or the end of the search.
    #[inline(never)]
    fn judge(&mut self, near: Near, pair: Pending, primitives: [usize; 2]) {
        self.hint = near.direction;
        let closing = |search: &Self| search.closing(pair.slots, primitives, near.direction);
        let left = pair.halves & !self.certify(pair.halves, near.lower, closing);
        for half in 0..2 {
            if left & (1 << half) != 0 {
                self.lower_at_middle = least(self.lower_at_middle, near.lower);
                let siblings = pair.siblings();
                leave(&mut self.scratch.left[half], &siblings, siblings.members);
            }
        }
        if self.cell.wanted == Wanted::WholeHalves {
            self.halves &= !left;
        }
        let is_certified = pair.halves != 0 && left == 0;
        let is_nearest = self.found.is_none_or(|(found, _)| near.upper < found.upper);
        if near.upper <= self.cell.close && !is_certified && is_nearest {
            self.found = Some((near, primitives));
        }
    }

    /// Whether pairs that may be in contact are followed though no half is to be covered any more.
    #[inline(always)]
    fn looks_for_contact(&self) -> bool {
        self.cell.wanted != Wanted::WholeHalves
    }

    /// Whether what was found ends the search. Among pieces that may overlap the deepest pair is wanted, because one that
    /// is too close does not tell that another is in contact; otherwise the report measures the distance anew.
    fn is_over(&self) -> bool {
        if self.halves == 0 && !self.looks_for_contact() {
            return true;
        }
        self.found.is_some_and(|(near, _)| near.upper <= contact(self.cell.clearance) || !self.is_signed)
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
                range_of(at)
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

/// For which of the halves gaps leave more than the clearance; keeps the least of what they leave.
#[inline(always)]
fn certify_gaps(gaps: &Gaps, halves: u8, arc: f64, clearance: f64, lower: &mut [f64; 2]) -> u8 {
    let mut certified = 0;
    for half in (0..2).filter(|half| halves & (1 << half) != 0) {
        let guaranteed = shells::guaranteed(gaps, half, arc);
        if guaranteed > clearance {
            lower[half] = least(lower[half], guaranteed);
            certified |= 1 << half;
        }
    }
    certified
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

/// The least and the greatest of three numbers.
#[inline(always)]
fn range_of([x, y, z]: [f64; 3]) -> [f64; 2] {
    [least(least(x, y), z), most(most(x, y), z)]
}

/// What a bound must exceed to meet `wanted`: rounded up, never below 0, and NaN for NaN, which nothing exceeds.
fn threshold(wanted: f64) -> f32 {
    if wanted < 0.0 { 0.0 } else { f32_up(wanted) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `f64::max` once turned a threshold that was not a number into 0, which every gap exceeds.
    #[test]
    fn a_threshold_that_is_not_a_number_is_never_met() {
        let wanted = threshold(f64::NAN);
        assert!(!(f32::MAX > wanted) && !(f32::INFINITY > wanted));
        assert_eq!(threshold(-1.0), 0.0);
        assert!(f64::from(threshold(0.1)) >= 0.1);
    }
}
