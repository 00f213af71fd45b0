//! Queries on a pair of bodies: collision, exact and approximate distance, GREEDY-DIST (exact-collision-checking
//! paper §3.2) and distance with a goal (docs/design.md#cells), on either kind of tree.
//!
//! Invariant: `lower` is the least of all bounds at which the traversal stopped looking, so it never exceeds the
//! true distance; `upper` belongs to a pair of points. Surfaces of meshes and solid convex pieces count here;
//! whether a closed mesh holds the other body is the question of [`Query::containment`].

use std::sync::Arc;

use super::containment::Solids;
use super::primitive_pair::{Near, PrimitivePair};
use crate::numeric::simd::Width;
use crate::numeric::{DVec3, Pose, ROUNDOFF_F64, f32_up, least, most, norm_up, unit};
use crate::shapes::{Body, Primitive};
use crate::trees::{BoxPair, BoxTree, Direction, Slot, Stack, Step, Visit, VolumeTree, traverse};

/// A body with a tree over its primitives: built once, then shared and immutable.
#[derive(Clone, Debug)]
pub struct Indexed<T = BoxTree> {
    body: Body,
    tree: Arc<T>,
    solids: Arc<Solids>,
    /// Upper bound on the distance of its centre from the origin and of its points from there.
    reach: f64,
}

impl<T: VolumeTree> Indexed<T> {
    /// Builds the tree, unless that was done for this body or a clone of it before.
    pub fn new(body: Body) -> Self {
        let tree = body.derive(T::build);
        debug_assert!(body.primitives() > 3_000 || tree.broken_invariant(&body).is_none());
        let solids = body.derive(Solids::of);
        let reach = norm_up(body.centre()) + body.radius();
        Self { body, tree, solids, reach }
    }

    /// The body.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// The tree.
    pub fn tree(&self) -> &T {
        &self.tree
    }

    /// What of the body can hold others or be held.
    pub(super) fn solids(&self) -> &Solids {
        &self.solids
    }
}

/// How much work a query did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Pairs of bounding volumes whose distance was bounded.
    pub volume_pairs: u64,
    /// Pairs of primitives whose distance was computed.
    pub primitive_pairs: u64,
}

/// A pair of points, one on each body, and the primitives they are on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Witness {
    /// A point of the first body, in the world.
    pub a_in_world: DVec3,
    /// A point of the second body, in the world.
    pub b_in_world: DVec3,
    /// The first body's primitive.
    pub primitive_a: usize,
    /// The second body's primitive.
    pub primitive_b: usize,
}

/// Bounds on the distance of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Distance {
    /// Never above the true distance.
    pub lower: f64,
    /// Never below the true distance; infinite where the query ended without looking at a pair of primitives.
    pub upper: f64,
    /// The points behind `upper`, where there are any.
    pub witness: Option<Witness>,
    /// The work done.
    pub counters: Counters,
}

/// Whether two bodies meet.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub enum Contact {
    /// Proven apart, by more than 0.
    Apart(Distance),
    /// So close that rounding cannot tell contact from none.
    Unclear(Distance),
    /// Proven to meet at the witness.
    Meets(Distance),
}

/// What [`Query::with_goal`] is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// A lower bound above this is enough, in metres.
    pub enough: f64,
    /// Pairs are looked into down to this distance at least, in metres: clearance plus tolerance.
    pub at_least: f64,
    /// Stop refining where the bound is this fraction of the distance found so far. Default 0.03.
    pub kappa: f64,
}

/// Reused memory of queries; owned by the caller.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    stack: Stack,
}

/// Two bodies at fixed poses, ready to be queried.
///
/// ```
/// use pathproof::distance::{Indexed, Query, Scratch};
/// use pathproof::numeric::{DVec3, Pose};
/// use pathproof::shapes::{Body, Convex};
/// let ball: Indexed = Indexed::new(Body::from_convex(Convex::sphere(0.5)?));
/// let cube: Indexed = Indexed::new(Body::from_convex(Convex::cuboid([1.0, 1.0, 1.0])?));
/// let query = Query::new(&ball, &cube, &Pose::IDENTITY, &Pose::from_translation(DVec3::X * 3.0));
/// let distance = query.exact(&mut Scratch::default());
/// assert!(distance.lower <= 2.0 && 2.0 <= distance.upper);
/// assert!(distance.upper - distance.lower < 1e-9);
/// # Ok::<(), pathproof::shapes::ShapeError>(())
/// ```
#[derive(Debug)]
pub struct Query<'a, T: VolumeTree = BoxTree> {
    a: &'a Indexed<T>,
    b: &'a Indexed<T>,
    world_from_a: Pose,
    /// Where B's centre is.
    b_in_world: DVec3,
    a_from_b: Pose,
    pair: T::Pair,
    /// Upper bound on the rounding of coordinates of B in A's frame and of dot products with unit vectors, in metres.
    margin: f64,
    width: Width,
}

/// Rounding of a relative pose and of a separation measured after it, in units of u times the sizes involved: the
/// difference of translations (1), their rotation (4) and the product of the rotations (6 of B's radius), rotating and
/// adding B's corners (5), a dot product with a unit vector on either side (4 each) and its normalisation (2), and the
/// rotations' own departure from orthonormal, some 8 u. 64 leaves room for matrices composed of a few others.
const PLACING_ROUNDING: f64 = 64.0;

impl<'a, T: VolumeTree> Query<'a, T> {
    /// Prepares a query of `a` and `b` where their frames are.
    pub fn new(a: &'a Indexed<T>, b: &'a Indexed<T>, world_from_a: &Pose, world_from_b: &Pose) -> Self {
        Self::within(a, b, world_from_a, world_from_b, 0.0)
    }

    /// The same where the poses themselves may put any point of the bodies `pose_margin` metres off, both together: every
    /// bound and every contact allows for it.
    pub(crate) fn within(
        a: &'a Indexed<T>,
        b: &'a Indexed<T>,
        world_from_a: &Pose,
        world_from_b: &Pose,
        pose_margin: f64,
    ) -> Self {
        let relative = world_from_a.inverse_mul(world_from_b);
        let (centre_a, centre_b) = (a.body.centre(), b.body.centre());
        let translation = relative.point(centre_b) - centre_a;
        let a_from_b = Pose { translation, ..relative };
        let size = norm_up(relative.translation) + a.reach + b.reach;
        let margin = PLACING_ROUNDING * ROUNDOFF_F64 * size + a.body.rounding() + b.body.rounding() + pose_margin;
        Self {
            a,
            b,
            world_from_a: Pose { translation: world_from_a.point(centre_a), ..*world_from_a },
            b_in_world: world_from_b.point(centre_b),
            a_from_b,
            pair: T::pair(a.tree(), b.tree(), &a_from_b, margin),
            margin,
            width: Width::detect(),
        }
    }

    /// The same query compiled for another SIMD width; the answer has the same bits.
    #[must_use]
    pub fn with_width(mut self, width: Width) -> Self {
        self.width = width;
        self
    }

    /// By how much rounding may move an answer, in metres: bounds include it already.
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// Whether the bodies meet.
    pub fn collide(&self, scratch: &mut Scratch) -> Contact {
        let found = self.search(scratch, Rule { stop_at: Some(0.0), ..Rule::below(0.0) });
        if found.upper == 0.0 {
            Contact::Meets(found)
        } else if found.lower > 0.0 {
            Contact::Apart(found)
        } else {
            Contact::Unclear(found)
        }
    }

    /// The distance: `lower` and `upper` differ by rounding only.
    pub fn exact(&self, scratch: &mut Scratch) -> Distance {
        self.search(scratch, Rule { is_exact: true, ..Rule::below(f64::INFINITY) })
    }

    /// A lower approximation: `lower` is at least (1 − `relative_error`) times the distance.
    pub fn approximate(&self, relative_error: f64, scratch: &mut Scratch) -> Distance {
        let of_upper = (1.0 - relative_error).clamp(0.0, 1.0);
        self.search(scratch, Rule { of_upper, ..Rule::below(f64::INFINITY) })
    }

    /// GREEDY-DIST(δ): `lower` is 0 where the distance is at most `delta` (or rounding cannot tell), else a lower bound
    /// above `delta` that costs little more than a collision test.
    pub fn greedy(&self, delta: f64, scratch: &mut Scratch) -> Distance {
        let found = self.search(scratch, Rule { stop_at: Some(delta), ..Rule::below(delta) });
        if found.lower > delta { found } else { Distance { lower: 0.0, ..found } }
    }

    /// A lower bound as good as `goal` asks for.
    pub fn with_goal(&self, goal: &Goal, scratch: &mut Scratch) -> Distance {
        self.search(
            scratch,
            Rule { at_least: goal.at_least, of_upper: goal.kappa, at_most: goal.enough, ..Rule::below(f64::INFINITY) },
        )
    }

    fn search(&self, scratch: &mut Scratch, rule: Rule) -> Distance {
        let direction = unit(self.a_from_b.translation).unwrap_or(DVec3::X);
        let mut search = Search {
            query: self,
            threshold: rule.threshold(f64::INFINITY),
            rule,
            best: Best { lower: f64::INFINITY, upper: f64::INFINITY, witness: None },
            direction,
            narrow: Direction::new(direction, &self.a_from_b),
            counters: Counters::default(),
        };
        self.visit(scratch, &mut search);
        let Best { lower, upper, witness } = search.best;
        Distance {
            // Nothing was left out: a bound above the upper one says no more than the upper one.
            lower: most(least(lower, upper), 0.0),
            upper,
            witness: witness.map(|w| self.in_world(w)),
            counters: search.counters,
        }
    }

    fn in_world(&self, w: Witness) -> Witness {
        let place = |p| self.world_from_a.point(p);
        Witness { a_in_world: place(w.a_in_world), b_in_world: place(w.b_in_world), ..w }
    }
}

/// When a pair of volumes is looked into: while its bound does not exceed
/// max(at_least, min(at_most, of_upper · the least distance found so far)).
#[derive(Clone, Copy, Debug)]
struct Rule {
    at_least: f64,
    at_most: f64,
    of_upper: f64,
    /// A pair of primitives whose lower bound is not above this ends the query.
    stop_at: Option<f64>,
    /// Whether bounds above the threshold say no more than the threshold.
    is_exact: bool,
}

impl Rule {
    fn below(at_most: f64) -> Self {
        Self { at_least: 0.0, at_most, of_upper: 1.0, stop_at: None, is_exact: false }
    }

    /// Rounded up: what is left out has a bound above the exact threshold.
    #[inline(always)]
    fn threshold(&self, upper: f64) -> f32 {
        f32_up(most(self.at_least, least(self.at_most, self.of_upper * upper)))
    }
}

struct Best {
    lower: f64,
    upper: f64,
    /// In A's frame until the query returns.
    witness: Option<Witness>,
}

struct Search<'q, 'a, T: VolumeTree> {
    query: &'q Query<'a, T>,
    rule: Rule,
    threshold: f32,
    best: Best,
    /// The direction that separated the closest pair so far: often separates its neighbours as well.
    direction: DVec3,
    /// The same, as the trees want it.
    narrow: Direction,
    counters: Counters,
}

impl<T: VolumeTree> Visit for Search<'_, '_, T> {
    #[inline(always)]
    fn enter(&mut self, lower: f32, _a: Slot, _b: Slot) -> bool {
        if lower > self.threshold {
            self.best.lower = least(self.best.lower, f64::from(lower));
            return false;
        }
        true
    }

    #[inline(always)]
    fn primitives(&mut self, a: usize, b: usize) -> Step {
        self.counters.primitive_pairs += 1;
        let pair = match self.query.primitive_pair(a, b, self.direction, f64::from(self.threshold)) {
            PrimitivePair::Beyond { lower } => {
                self.best.lower = least(self.best.lower, lower);
                return Step::Continue;
            }
            PrimitivePair::Near(near) => near,
        };
        let Near { lower, upper, on_a, on_b, direction } = pair;
        if upper < self.best.upper {
            self.direction = direction;
            self.narrow = Direction::new(direction, &self.query.a_from_b);
        }
        self.best.lower = least(self.best.lower, lower);
        if upper < self.best.upper {
            self.best.upper = upper;
            self.best.witness = Some(Witness { a_in_world: on_a, b_in_world: on_b, primitive_a: a, primitive_b: b });
            self.threshold = self.rule.threshold(upper);
        }
        let ends = self.rule.stop_at.is_some_and(|limit| !(lower > limit)) || upper == 0.0;
        if ends { Step::Stop } else { Step::Continue }
    }

    #[inline(always)]
    fn threshold(&self) -> f32 {
        self.threshold
    }

    #[inline(always)]
    fn leave_out(&mut self, least_bound: f32) {
        self.best.lower = least(self.best.lower, f64::from(least_bound));
    }

    /// The exact distance is no farther away than the threshold; other rules want good bounds also beyond it.
    #[inline(always)]
    fn enough(&self) -> f32 {
        if self.rule.is_exact { self.threshold } else { f32::INFINITY }
    }

    #[inline(always)]
    fn direction(&self) -> &Direction {
        &self.narrow
    }

    #[inline(always)]
    fn count(&mut self, volume_pairs: usize) {
        self.counters.volume_pairs += volume_pairs as u64;
    }
}

impl<T: VolumeTree> Query<'_, T> {
    /// Runs another visitor over the pair of trees.
    #[inline(always)]
    pub(crate) fn visit(&self, scratch: &mut Scratch, visit: &mut impl Visit) -> Step {
        traverse(self.width, &self.pair, [self.a.tree(), self.b.tree()], &mut scratch.stack, visit)
    }

    /// Which compilation of the kernels is used.
    pub(crate) fn width(&self) -> Width {
        self.width
    }

    /// One of the two bodies.
    pub(crate) fn body(&self, side: usize) -> &Body {
        if side == 0 { &self.a.body } else { &self.b.body }
    }

    /// A primitive of each body.
    #[inline(always)]
    pub(super) fn primitives(&self, a: usize, b: usize) -> [Primitive<'_>; 2] {
        [self.a.body.primitive(a), self.b.body.primitive(b)]
    }

    /// The relative pose of the bodies' centres.
    #[inline(always)]
    pub(crate) fn a_from_b(&self) -> &Pose {
        &self.a_from_b
    }

    /// Where the bodies' centres are.
    pub(crate) fn centres_in_world(&self) -> [DVec3; 2] {
        [self.world_from_a.translation, self.b_in_world]
    }

    /// Where the first body's centre is.
    pub(crate) fn world_from_a(&self) -> &Pose {
        &self.world_from_a
    }
}

impl Query<'_, BoxTree> {
    /// The relative pose as the trees want it.
    #[inline(always)]
    pub(crate) fn pair(&self) -> &BoxPair {
        &self.pair
    }

    /// The two bodies.
    pub(super) fn bodies(&self) -> [&Indexed; 2] {
        [self.a, self.b]
    }
}
