//! The directional judge (DESIGN §3, §4): one traversal at a cell's midpoint works for both halves of it.
//!
//! A pair of nodes (or primitives) is done for a half if its separation along some direction n exceeds
//! need = min(arc, closing along n) + clearance + margins: the gap along n cannot close within the half. Any n is sound;
//! which ones are tried only costs time.
//!
//! What is not done is either opened or left to the half, which looks at it again at its own midpoint: opened while the
//! nodes are large against the motion, left where the motion is large against the nodes, so that space and time are cut
//! in step (the paper's open question, bisecting against refining, decided for each pair of nodes by itself). A half
//! starts from what was left to it, its front; it is covered when nothing was. What is left to a half but may be in
//! contact at the midpoint is followed down to the primitives, so that contacts are found early.

use super::front::{Front, NodePair};
use super::verdict::Statistics;
use crate::distance::{Near, PrimitivePair, Query};
use crate::numeric::simd::run;
use crate::numeric::{DVec3, f32_down, f32_up};
use crate::robot::CellBound;
use crate::robot::bounds::upper_closing;
use crate::shapes::Primitive;
use crate::trees::{BoxTree, Side, VolumeTree};

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
    };
}

/// Reused memory of the judge.
#[derive(Debug, Default)]
pub(super) struct JudgeScratch {
    pending: Vec<Pending>,
    /// What is left to the halves by the last query.
    pub(super) left: [Vec<NodePair>; 2],
}

/// A pair of nodes to be opened. Of `halves`, bit 0 says that it is not done for the earlier half, bit 1 for the later;
/// with neither, only contact matters.
#[derive(Clone, Copy, Debug)]
struct Pending {
    lower: f32,
    nodes: NodePair,
    halves: u8,
}

const BOTH: u8 = 3;

/// Looks at a pair of units at the midpoint of a cell, as far as `front` says. `signed` pairs consist of convex pieces and
/// may overlap.
pub(super) fn judge(
    query: &Query<'_, BoxTree>,
    trees: [&BoxTree; 2],
    need: &Need,
    is_signed: bool,
    front: &[NodePair],
    scratch: &mut JudgeScratch,
    statistics: &mut Statistics,
) -> Judged {
    let arc = (need.bounds[0].upper_half_arc + need.bounds[1].upper_half_arc) * (1.0 + 1e-15);
    let plain = arc + need.clearance + need.margin;
    scratch.pending.clear();
    scratch.left.iter_mut().for_each(Vec::clear);
    let mut search = Search {
        query,
        trees,
        need,
        is_signed,
        arc,
        // Upwards also where a negative clearance makes it negative.
        enough: if need.wants_cover { threshold(plain + plain.abs() * 1e-15 + 1e-300) } else { f32::INFINITY },
        close: threshold(need.close),
        moving: Moving::new(query, need),
        lower_by_arc: f32::INFINITY,
        lower_over_halves: [f64::INFINITY; 2],
        lower: f64::INFINITY,
        hint: query.a_from_b().translation.normalize_or(DVec3::X),
        found: None,
        scratch,
        statistics,
    };
    run(
        query.width(),
        #[inline(always)]
        || search.traverse(front),
    );
    let by_arc = f64::from(search.lower_by_arc) - arc - need.margin;
    let Search { lower, found, lower_over_halves, hint, .. } = search;
    let covered = [0, 1].map(|half| need.wants_cover && found.is_none() && scratch.left[half].is_empty());
    let lower_over_halves = lower_over_halves.map(|lower| lower.min(by_arc));
    let direction_in_world = query.world_from_a().vector(hint);
    Judged { covered, lower_over_halves, lower, found, direction_in_world, ..Judged::COVERED }
}

/// Both units' velocity fields at the midpoint, in A's axes about A's centre.
struct Moving {
    linear: [DVec3; 2],
    angular: [DVec3; 2],
    half_length: f64,
    upper_bend: f64,
}

impl Moving {
    fn new(query: &Query<'_, BoxTree>, need: &Need) -> Self {
        let world_from_a = query.world_from_a();
        let field = |bound: &CellBound| {
            let twist = &bound.twist;
            let at_centre = twist.velocity_at(world_from_a.translation);
            (world_from_a.inverse_vector(at_centre), world_from_a.inverse_vector(twist.angular))
        };
        let (a, b) = (field(&need.bounds[0]), field(&need.bounds[1]));
        Self {
            linear: [a.0, b.0],
            angular: [a.1, b.1],
            half_length: need.bounds[0].half_length,
            upper_bend: need.bounds[0].upper_bend + need.bounds[1].upper_bend,
        }
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
    /// A bound above this rules out that a pair is too close.
    close: f32,
    moving: Moving,
    /// Least bound of the pairs that were settled by it alone.
    lower_by_arc: f32,
    lower_over_halves: [f64; 2],
    lower: f64,
    /// Unit vector in A's axes that may separate the next primitives.
    hint: DVec3,
    found: Option<(Near, [usize; 2])>,
    scratch: &'q mut JudgeScratch,
    statistics: &'q mut Statistics,
}

impl Search<'_, '_> {
    #[inline(always)]
    fn traverse(&mut self, front: &[NodePair]) {
        self.statistics.volume_tests += front.len() as u64;
        for &nodes in front {
            self.enter_again(nodes);
        }
        while let Some(next) = self.scratch.pending.pop() {
            let NodePair { a, b } = next.nodes;
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
            let children = match opened {
                Side::A => self.query.open_gaps(opened, a, b),
                Side::B => self.query.open_gaps(opened, b, a),
            };
            self.statistics.volume_tests += children.count as u64;
            let first = self.scratch.pending.len();
            for i in 0..children.count {
                let slot = children.slots[i];
                let nodes = match opened {
                    Side::A => NodePair { a: slot, b },
                    Side::B => NodePair { a, b: slot },
                };
                let halves = if self.found.is_some() { 0 } else { next.halves };
                self.enter(children.lower[i], nodes, halves, first);
            }
        }
    }

    /// Looks at a pair of nodes with this lower bound on its distance.
    #[inline(always)]
    fn enter(&mut self, lower: f32, nodes: NodePair, halves: u8, first: usize) {
        if lower > self.enough {
            self.lower_by_arc = self.lower_by_arc.min(lower);
        } else if halves == 0 {
            if !(lower > self.close) {
                self.push(Pending { lower, nodes, halves }, first);
            }
        } else if lower > 0.0 && f64::from(lower) > self.need.clearance {
            let apart = self.apart(nodes);
            self.place(lower, nodes, halves, first, Some(&apart));
        } else {
            self.place(lower, nodes, halves, first, None);
        }
    }

    /// Looks at a pair of nodes that was left to this cell.
    #[inline(always)]
    fn enter_again(&mut self, nodes: NodePair) {
        let apart = self.apart(nodes);
        let lower = f32_down(apart.separation);
        if lower > self.enough {
            self.lower_by_arc = self.lower_by_arc.min(lower);
        } else {
            let is_apart = lower > 0.0 && f64::from(lower) > self.need.clearance;
            let halves = if self.need.wants_cover { BOTH } else { 0 };
            self.place(lower, nodes, halves, 0, is_apart.then_some(&apart));
        }
    }

    /// Settles a pair of nodes for the halves for which it can be, leaves it to those for which it is small, and queues
    /// it for the others.
    #[inline(always)]
    fn place(&mut self, lower: f32, nodes: NodePair, halves: u8, first: usize, apart: Option<&Apart>) {
        let mut undone = 0;
        let mut motion = [self.arc; 2];
        for half in 0..2 {
            if halves & (1 << half) == 0 {
                continue;
            }
            if let Some(apart) = apart {
                let guaranteed = apart.separation - apart.closing[half] - self.need.margin;
                if guaranteed > self.need.clearance {
                    self.lower_over_halves[half] = self.lower_over_halves[half].min(guaranteed);
                    continue;
                }
                motion[half] = motion[half].min(apart.closing[half]);
            }
            undone |= 1 << half;
        }
        if undone == 0 && halves != 0 {
            return;
        }
        let size = f64::from(self.trees[0].size(nodes.a).max(self.trees[1].size(nodes.b)));
        for half in 0..2 {
            if undone & (1 << half) != 0 && !(size > self.need.grain * motion[half]) {
                self.scratch.left[half].push(nodes);
                undone &= !(1 << half);
            }
        }
        if undone != 0 || !(lower > self.close) {
            self.push(Pending { lower, nodes, halves: undone }, first);
        }
    }

    /// Queues a pair so that the nearest of those from `first` on is popped first; equal ones in their own order.
    #[inline(always)]
    fn push(&mut self, entry: Pending, first: usize) {
        let pending = &mut self.scratch.pending;
        pending.push(entry);
        let mut place = pending.len() - 1;
        while place > first && pending[place - 1].lower <= entry.lower {
            pending[place] = pending[place - 1];
            place -= 1;
        }
        pending[place] = entry;
    }

    /// How far a pair of boxes is apart, measured in the axes of either, and by how much that may close.
    #[inline(always)]
    fn apart(&self, nodes: NodePair) -> Apart {
        let a_from_b = self.query.a_from_b();
        let ([centre_a, half_a], [centre_b, half_b]) =
            (self.trees[0].centre_and_half(nodes.a), self.trees[1].centre_and_half(nodes.b));
        let b_in_a = a_from_b.point(centre_b);
        let between = b_in_a - centre_a;
        let rotation = &a_from_b.rotation;
        let (rx, ry, rz) = (rotation.x_axis, rotation.y_axis, rotation.z_axis);
        let reach_in_a = rx.abs() * half_b.x + ry.abs() * half_b.y + rz.abs() * half_b.z + half_a;
        let in_b = a_from_b.inverse_vector(between);
        let reach_in_b = DVec3::new(rx.abs().dot(half_a), ry.abs().dot(half_a), rz.abs().dot(half_a)) + half_b;
        let gap = |between: DVec3, reach: DVec3| (between.abs() - reach).max(DVec3::ZERO) * between.signum();
        let (gap_in_a, gap_in_b) = (gap(between, reach_in_a), gap(in_b, reach_in_b));
        let (squared_a, squared_b) = (gap_in_a.length_squared(), gap_in_b.length_squared());
        let (length, n_in_a, n_in_b);
        if squared_a >= squared_b {
            length = squared_a.sqrt();
            n_in_a = gap_in_a / length;
            n_in_b = a_from_b.inverse_vector(n_in_a);
        } else {
            length = squared_b.sqrt();
            n_in_b = gap_in_b / length;
            n_in_a = a_from_b.vector(n_in_b);
        }
        let Moving { linear, angular, .. } = &self.moving;
        let range = |side: usize, centre: DVec3, spread: f64| {
            let at_centre = n_in_a.dot(linear[side] + angular[side].cross(centre));
            [at_centre - spread, at_centre + spread]
        };
        let spread_a = n_in_a.cross(angular[0]).abs().dot(half_a);
        // n × ω turned into B's axes.
        let spread_b = n_in_b.cross(a_from_b.inverse_vector(angular[1])).abs().dot(half_b);
        let closing = self.moving.closing(range(0, centre_a, spread_a), range(1, b_in_a, spread_b));
        Apart { separation: length - self.query.margin(), closing }
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
        } else {
            let beyond = if pair.halves == 0 { self.close } else { self.enough };
            match self.query.primitive_pair(primitives[0], primitives[1], self.hint, f64::from(beyond)) {
                PrimitivePair::Beyond { lower } => {
                    if pair.halves != 0 {
                        self.lower_by_arc = self.lower_by_arc.min(f32_down(lower));
                    }
                    return;
                }
                PrimitivePair::Near(near) => near,
            }
        };
        self.look_at(near, pair, primitives);
    }

    /// A pair of primitives whose distance is known: done for a half, or left to it, or the end of the search.
    #[inline(never)]
    fn look_at(&mut self, near: Near, pair: Pending, primitives: [usize; 2]) {
        self.hint = near.direction;
        // The primitives lie in their boxes; their own corners are as good and closer.
        let range = |side: usize| self.speed_range(side, primitives[side], near.direction);
        let closing = self.moving.closing(range(0), range(1));
        let mut is_done = pair.halves != 0;
        for half in 0..2 {
            if pair.halves & (1 << half) == 0 {
                continue;
            }
            let guaranteed = near.lower - lesser(closing[half], self.arc) - self.need.margin;
            if guaranteed > self.need.clearance {
                self.lower_over_halves[half] = self.lower_over_halves[half].min(guaranteed);
            } else {
                self.lower = self.lower.min(near.lower);
                self.scratch.left[half].push(pair.nodes);
                is_done = false;
            }
        }
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

    /// Least and greatest speed of a primitive along a direction in A's axes.
    fn speed_range(&self, side: usize, primitive: usize, n: DVec3) -> [f64; 2] {
        let (linear, angular) = (self.moving.linear[side], self.moving.angular[side]);
        let (constant, gradient) = (n.dot(linear), n.cross(angular));
        let in_a = |p: DVec3| if side == 0 { p } else { self.query.a_from_b().point(p) };
        match self.query.body(side).primitive(primitive) {
            Primitive::Triangle(corners) => {
                let at = corners.map(|p| constant + gradient.dot(in_a(p)));
                [at[0].min(at[1]).min(at[2]), at[0].max(at[1]).max(at[2])]
            }
            Primitive::Piece(piece) => {
                let around = piece.shape.aabb(&piece.centre_from_piece);
                let gradient_here = if side == 0 { gradient } else { self.query.a_from_b().inverse_vector(gradient) };
                let at_centre = constant + gradient.dot(in_a(around.centre()));
                let spread = gradient_here.abs().dot(around.size() * 0.5);
                [at_centre - spread, at_centre + spread]
            }
        }
    }
}

/// A pair of boxes: separation along a direction, rounded down, and by how much it may close in either half.
struct Apart {
    separation: f64,
    closing: [f64; 2],
}

/// The lesser of two bounds; NaN if either is, unlike `f64::min`.
fn lesser(a: f64, b: f64) -> f64 {
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
        assert!(lesser(f64::NAN, 1.0).is_nan() && lesser(1.0, f64::NAN).is_nan());
        assert_eq!(lesser(1.0, 2.0), 1.0);
    }
}
