//! The directional judge (DESIGN §4): one traversal at a cell's midpoint decides for both halves.
//!
//! A pair of nodes (or primitives) is done for a half if its separation along some direction n exceeds
//! need = min(arc, directional displacement along n) + clearance + margins: the gap along n cannot close within the half.
//! With a lower bound e known at the half's outer end, lb + e > arc + 2·clearance + margins does as well (§8). Any n is
//! sound; which ones are tried only costs time. A half is covered when every pair of nodes left out was done for it.

use super::verdict::Statistics;
use crate::distance::{Near, PrimitivePair, Query, Scratch};
use crate::numeric::{DVec3, Pose, f32_down, f32_up};
use crate::robot::CellBound;
use crate::robot::bounds::upper_closing;
use crate::trees::{BoxTree, Direction, Slot, Step, Visit};

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
    /// Lower bounds on the distance at the cell's ends; −∞ where unknown.
    pub(super) lower_at_ends: [f64; 2],
    /// A half is given up where its need exceeds this fraction of a primitive pair's distance.
    pub(super) kill: f64,
}

/// What a query at a midpoint found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    /// Which halves are covered.
    pub(super) covered: [bool; 2],
    /// Proven lower bounds on the distance over the covered halves.
    pub(super) lower_over_halves: [f64; 2],
    /// Lower bound on the distance at the midpoint.
    pub(super) lower: f64,
    /// A primitive pair within `close`, if the query ended there.
    pub(super) found: Option<(Near, [usize; 2])>,
    /// A direction from A to B that was the best known in the end.
    pub(super) direction_in_world: DVec3,
}

/// Looks at a pair of units at the midpoint of a cell. `signed` pairs consist of convex pieces and may overlap.
pub(super) fn judge(
    query: &Query<'_, BoxTree>,
    trees: [&BoxTree; 2],
    need: &Need,
    is_signed: bool,
    scratch: &mut Scratch,
    statistics: &mut Statistics,
) -> Judged {
    let arc = (need.bounds[0].upper_half_arc + need.bounds[1].upper_half_arc) * (1.0 + 1e-15);
    let arc_needs = std::array::from_fn(|half| {
        let plain = arc + need.clearance + need.margin;
        // With −∞ this is +∞ and plays no part. Poses were rounded here and at the end.
        let with_end = arc + 2.0 * (need.clearance + need.margin) - need.lower_at_ends[half];
        let least = plain.min(with_end);
        // Upwards also where a negative clearance makes it negative.
        least + least.abs() * 1e-15 + 1e-300
    });
    let direction = query.a_from_b().translation.normalize_or(DVec3::X);
    let mut search = Search {
        query,
        trees,
        need,
        is_signed,
        arc,
        arc_needs,
        alive: [true; 2],
        enough: f32::INFINITY,
        lower_by_arc: f32::INFINITY,
        lower_over_halves: [f64::INFINITY; 2],
        lower: f64::INFINITY,
        upper: f64::INFINITY,
        shared: Along::new(query, need, direction),
        narrow: Direction::new(direction, query.a_from_b()),
        found: None,
        statistics,
    };
    search.set_enough();
    query.visit(scratch, &mut search);
    let lower_over_halves = std::array::from_fn(|half| search.lower_over_halves[half].min(search.left_by_arc(half)));
    let lower = search.lower.min(f64::from(search.lower_by_arc));
    let Search { alive, found, shared, .. } = search;
    let direction_in_world = query.world_from_a().vector(shared.in_a);
    let covered = if found.is_some() { [false; 2] } else { alive };
    Judged { covered, lower_over_halves, lower, found, direction_in_world }
}

/// A direction from A to B with everything that is affine along it, in both units' own axes.
#[derive(Clone, Copy, Debug)]
struct Along {
    in_a: DVec3,
    in_b: DVec3,
    /// From A's centre to B's.
    offset: f64,
    speed_a: Affine,
    speed_b: Affine,
}

/// constant + gradient · x.
#[derive(Clone, Copy, Debug)]
struct Affine {
    constant: f64,
    gradient: DVec3,
}

impl Affine {
    /// The speed along `n_in_world` of points given about the centre that `world_from_centre` places.
    #[inline(always)]
    fn speed(bound: &CellBound, n_in_world: DVec3, world_from_centre: &Pose) -> Self {
        let along = bound.along(n_in_world);
        Self {
            constant: along.at_reference + along.gradient.dot(world_from_centre.translation - along.reference),
            gradient: world_from_centre.inverse_vector(along.gradient),
        }
    }

    /// Least and greatest value over a box.
    #[inline(always)]
    fn range(&self, centre: DVec3, half: DVec3) -> [f64; 2] {
        let at_centre = self.constant + self.gradient.dot(centre);
        let spread = self.gradient.abs().dot(half);
        [at_centre - spread, at_centre + spread]
    }
}

impl Along {
    #[inline(always)]
    fn new(query: &Query<'_, BoxTree>, need: &Need, in_a: DVec3) -> Self {
        let world_from_a = query.world_from_a();
        let world_from_b = *world_from_a * *query.a_from_b();
        let n_in_world = world_from_a.vector(in_a);
        Self {
            in_a,
            in_b: query.a_from_b().inverse_vector(in_a),
            offset: in_a.dot(query.a_from_b().translation),
            speed_a: Affine::speed(&need.bounds[0], n_in_world, world_from_a),
            speed_b: Affine::speed(&need.bounds[1], n_in_world, &world_from_b),
        }
    }

    /// By how much the gap along the direction may close in the earlier and later half, for points in two boxes.
    #[inline(always)]
    fn closing(&self, need: &Need, a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        let bend = need.bounds[0].upper_bend + need.bounds[1].upper_bend;
        let half_length = need.bounds[0].half_length;
        [b[1] - a[0], a[1] - b[0]].map(|speed| upper_closing(half_length, speed, bend))
    }
}

struct Search<'q, 'a> {
    query: &'q Query<'a, BoxTree>,
    trees: [&'q BoxTree; 2],
    need: &'q Need,
    is_signed: bool,
    arc: f64,
    arc_needs: [f64; 2],
    /// Halves that may still turn out covered.
    alive: [bool; 2],
    /// See [`Self::set_enough`].
    enough: f32,
    /// Least bound of the pairs that were settled by it alone.
    lower_by_arc: f32,
    lower_over_halves: [f64; 2],
    lower: f64,
    upper: f64,
    shared: Along,
    narrow: Direction,
    found: Option<(Near, [usize; 2])>,
    statistics: &'q mut Statistics,
}

impl Search<'_, '_> {
    /// Whether all halves still alive are done for a pair with this lower bound on its distance and these needs along a
    /// direction that separates it by `separation`. Takes note of the bounds if so.
    #[inline(always)]
    fn settle(&mut self, lower: f64, separation: f64, closing: [f64; 2]) -> bool {
        let need = self.need;
        let mut guaranteed = [f64::INFINITY; 2];
        for half in 0..2 {
            if !self.alive[half] {
                continue;
            }
            let by_direction = separation - closing[half] - need.margin;
            let by_arc = lower > self.arc_needs[half];
            if !(by_arc || by_direction > need.clearance) {
                return false;
            }
            guaranteed[half] = self.guaranteed(half, lower, by_direction);
        }
        for (over_half, guaranteed) in self.lower_over_halves.iter_mut().zip(guaranteed) {
            *over_half = over_half.min(guaranteed);
        }
        self.lower = self.lower.min(lower.max(separation));
        true
    }

    /// Whether a pair of nodes with this lower bound is neither settled by it nor beyond what matters.
    #[inline(always)]
    fn needs_a_look(&mut self, lower: f32) -> bool {
        if lower > self.enough {
            self.lower_by_arc = self.lower_by_arc.min(lower);
            return false;
        }
        true
    }

    /// A bound above this settles a pair for every half alive; with none alive, only what is too close matters. Boxes
    /// that overlap say nothing about how deep convex pieces do, hence never below 0.
    fn set_enough(&mut self) {
        let wanted = match self.alive {
            [true, true] => greater(self.arc_needs[0], self.arc_needs[1]),
            [true, false] => self.arc_needs[0],
            [false, true] => self.arc_needs[1],
            [false, false] => self.close(),
        };
        self.enough = threshold(wanted);
    }

    /// What the pairs settled by their bound alone leave of a half.
    fn left_by_arc(&self, half: usize) -> f64 {
        self.guaranteed(half, f64::from(self.lower_by_arc), f64::NEG_INFINITY)
    }

    /// What a proof for a half yields: the gap that is left, or half of what both ends leave (2η ≥ lower + e − arc).
    #[inline(always)]
    fn guaranteed(&self, half: usize, lower: f64, by_direction: f64) -> f64 {
        let left = lower - self.arc - self.need.margin;
        let with_end = 0.5 * (lower + self.need.lower_at_ends[half] - self.arc) - self.need.margin;
        left.max(with_end).max(by_direction)
    }

    /// Settles a pair of nodes along a direction, if it can.
    #[inline(always)]
    fn settle_nodes(&mut self, lower: f64, a: Slot, b: Slot) -> bool {
        let (range_a, centre_a, half_a) = self.trees[0].range_along(a, self.shared.in_a);
        let (range_b, centre_b, half_b) = self.trees[1].range_along(b, self.shared.in_b);
        let separation = self.shared.offset + range_b[0] - range_a[1] - self.query.margin();
        let speeds = [self.shared.speed_a.range(centre_a, half_a), self.shared.speed_b.range(centre_b, half_b)];
        let closing = self.shared.closing(self.need, speeds[0], speeds[1]);
        self.settle(lower, separation, closing)
    }
}

impl Visit for Search<'_, '_> {
    #[inline(always)]
    fn enter(&mut self, lower: f32, a: Slot, b: Slot) -> bool {
        if !self.needs_a_look(lower) {
            return false;
        }
        let lower = f64::from(lower);
        // The bound includes the separation along the shared direction but for rounding: where it is not above the
        // clearance, no direction is tried in vain.
        let is_hopeless = !(self.alive[0] || self.alive[1]) || !(lower > self.need.clearance && lower > 0.0);
        is_hopeless || !self.settle_nodes(lower, a, b)
    }

    #[inline(always)]
    fn enter_again(&mut self, lower: f32, _a: Slot, _b: Slot) -> bool {
        self.needs_a_look(lower)
    }

    #[inline(always)]
    fn primitives(&mut self, a: usize, b: usize) -> Step {
        self.statistics.triangle_tests += 1;
        let near = if self.is_signed {
            self.query.signed_pair(a, b)
        } else {
            match self.query.primitive_pair(a, b, self.shared.in_a, f64::from(self.enough)) {
                PrimitivePair::Beyond { lower } => {
                    self.lower_by_arc = self.lower_by_arc.min(f32_down(lower));
                    return Step::Continue;
                }
                PrimitivePair::Near(near) => near,
            }
        };
        self.look_at(near, [a, b])
    }

    #[inline(always)]
    fn direction(&self) -> &Direction {
        &self.narrow
    }

    #[inline(always)]
    fn count(&mut self, volume_pairs: usize) {
        self.statistics.volume_tests += volume_pairs as u64;
    }
}

impl Search<'_, '_> {
    /// How near a pair must be to matter once nothing can be covered: nearer than what was found already.
    #[inline(always)]
    fn close(&self) -> f64 {
        self.found.map_or(self.need.close, |(near, _)| near.upper)
    }

    /// A pair of primitives whose distance is known: settled, or the end of what it speaks against.
    #[inline(never)]
    fn look_at(&mut self, near: Near, primitives: [usize; 2]) -> Step {
        let along = Along::new(self.query, self.need, near.direction);
        // The primitives lie in the hull of their boxes; their own corners are as good and closer.
        let closing = along.closing(
            self.need,
            self.speed_range(&along.speed_a, 0, primitives[0]),
            self.speed_range(&along.speed_b, 1, primitives[1]),
        );
        if near.upper < self.upper {
            self.upper = near.upper;
            self.shared = along;
            self.narrow = Direction::new(near.direction, self.query.a_from_b());
        }
        let was_alive = self.alive[0] || self.alive[1];
        if was_alive && self.settle(near.lower, near.lower, closing) {
            for half in 0..2 {
                // Only motion counts here, not the margin: that would not shrink with the cell, and what grazes its
                // clearance would be cut down to the floor. Below the tolerance nothing is given up: what fails there
                // is too close for certain (DESIGN §8).
                let motion = closing[half].min(self.arc);
                let room = near.lower - self.need.clearance - self.need.margin;
                let is_hopeless = motion > self.need.kill * room;
                let is_beyond_tolerance =
                    near.upper > self.need.close && motion > self.need.close - self.need.clearance;
                if is_hopeless && is_beyond_tolerance {
                    self.alive[half] = false;
                }
            }
            self.set_enough();
            return Step::Continue;
        }
        self.lower = self.lower.min(near.lower);
        for half in 0..2 {
            let by_direction = near.lower - closing[half] - self.need.margin;
            if near.lower > self.arc_needs[half] || by_direction > self.need.clearance {
                let guaranteed = self.guaranteed(half, near.lower, by_direction);
                self.lower_over_halves[half] = self.lower_over_halves[half].min(guaranteed);
            } else {
                self.alive[half] = false;
            }
        }
        if near.upper <= self.need.close && (self.found.is_none() || near.upper < self.close()) {
            // The nearest pair is wanted, so that what is too close is not in contact elsewhere.
            self.found = Some((near, primitives));
            self.alive = [false; 2];
        }
        self.set_enough();
        if near.upper <= self.need.clearance.min(0.0) { Step::Stop } else { Step::Continue }
    }

    /// Least and greatest speed of a primitive along a direction.
    fn speed_range(&self, speed: &Affine, side: usize, primitive: usize) -> [f64; 2] {
        use crate::shapes::Primitive;
        let body = self.query.body(side);
        match body.primitive(primitive) {
            Primitive::Triangle(corners) => {
                let at = corners.map(|p| speed.constant + speed.gradient.dot(p));
                [at[0].min(at[1]).min(at[2]), at[0].max(at[1]).max(at[2])]
            }
            Primitive::Piece(piece) => {
                let around = piece.shape.aabb(&piece.centre_from_piece);
                speed.range(around.centre(), around.size() * 0.5)
            }
        }
    }
}

/// The greater of two numbers; NaN if either is, unlike `f64::max`.
fn greater(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
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
        for wanted in [threshold(f64::NAN), threshold(greater(f64::NAN, 1.0)), threshold(greater(1.0, f64::NAN))] {
            assert!(!(f32::MAX > wanted) && !(f32::INFINITY > wanted));
        }
        assert_eq!(threshold(-1.0), 0.0);
        assert!(f64::from(threshold(0.1)) >= 0.1);
        assert_eq!(greater(1.0, 2.0), 2.0);
    }
}
