//! Queries on a pair of bodies: collision, exact and approximate distance, GREEDY-DIST (exact-collision-checking
//! paper §3.2) and distance with a goal (DESIGN §4), on either kind of tree.
//!
//! Invariant: `lower` is the least of all bounds at which the traversal stopped looking, so it never exceeds the
//! true distance; `upper` belongs to a pair of points. Surfaces of meshes and solid convex pieces count here;
//! whether a closed mesh holds the other body is the question of [`Query::containment`].

use super::containment::Solids;
use super::gjk::{self, ConvexDistance, Tracker};
use super::triangle::Triangle;
use super::{penetration, triangle};
use crate::numeric::simd::Width;
use crate::numeric::{DVec3, Pose, U64, f32_up, least, most, norm_up, unit};
use crate::shapes::{Body, Convex, Piece, Primitive};
use crate::trees::{BoxPair, BoxTree, Direction, Slot, Stack, Step, Visit, VolumeTree, traverse};

/// A body with a tree over its primitives: built once, then shared and immutable.
#[derive(Clone, Debug)]
pub struct Indexed<T = BoxTree> {
    body: Body,
    tree: T,
    solids: Solids,
    /// Upper bound on the distance of its centre from the origin and of its points from there.
    reach: f64,
}

impl<T: VolumeTree> Indexed<T> {
    /// Builds the tree.
    pub fn new(body: Body) -> Self {
        let tree = T::build(&body);
        debug_assert!(body.primitives() > 3_000 || tree.broken_invariant(&body).is_none());
        let solids = Solids::of(&body);
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
        let relative = world_from_a.inverse_mul(world_from_b);
        let (centre_a, centre_b) = (a.body.centre(), b.body.centre());
        let translation = relative.point(centre_b) - centre_a;
        let a_from_b = Pose { translation, ..relative };
        let size = norm_up(relative.translation) + a.reach + b.reach;
        let margin = PLACING_ROUNDING * U64 * size + a.body.rounding() + b.body.rounding();
        Self {
            a,
            b,
            world_from_a: Pose { translation: world_from_a.point(centre_a), ..*world_from_a },
            b_in_world: world_from_b.point(centre_b),
            a_from_b,
            pair: T::pair(&a.tree, &b.tree, &a_from_b, margin),
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

    /// The poses themselves may be off by `metres` at any point of the bodies: bounds on pairs of primitives allow for it
    /// (those of volumes do not).
    #[inline]
    pub(crate) fn add_margin(&mut self, metres: f64) {
        self.margin += metres;
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
        self.search(scratch, Rule { of_upper: 1.0, ..Rule::below(f64::INFINITY) })
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
            Rule { at_least: goal.at_least, of_upper: goal.kappa, at_most: goal.enough, stop_at: None },
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
}

impl Rule {
    fn below(at_most: f64) -> Self {
        Self { at_least: 0.0, at_most, of_upper: 1.0, stop_at: None }
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
    fn direction(&self) -> &Direction {
        &self.narrow
    }

    #[inline(always)]
    fn count(&mut self, volume_pairs: usize) {
        self.counters.volume_pairs += volume_pairs as u64;
    }
}

/// What is known of a pair of primitives.
pub(crate) enum PrimitivePair {
    /// Farther apart than was asked about.
    Beyond {
        /// Never above the distance.
        lower: f64,
    },
    /// Everything.
    Near(Near),
}

/// Bounds on the distance of two primitives, and points of them; everything in A's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) on_a: DVec3,
    pub(crate) on_b: DVec3,
    /// Unit vector along which the primitives are at least `lower` apart.
    pub(crate) direction: DVec3,
}

/// A primitive as a convex shape and where that is; `$flat` holds it if it is a triangle.
macro_rules! convex {
    ($primitive:expr, $flat:ident) => {
        match $primitive {
            Primitive::Triangle(corners) => {
                $flat = Convex::triangle(corners);
                (&$flat, Pose::IDENTITY)
            }
            Primitive::Piece(Piece { shape, centre_from_piece }) => (shape, *centre_from_piece),
        }
    };
}

impl<T: VolumeTree> Query<'_, T> {
    /// The distance of two primitives, or only that it is above `beyond` where a cheap test shows that; `direction` is
    /// one that may separate them.
    #[inline(always)]
    pub(crate) fn primitive_pair(&self, a: usize, b: usize, direction: DVec3, beyond: f64) -> PrimitivePair {
        let Some((ta, tb)) = self.triangles(a, b) else {
            return PrimitivePair::Near(self.unlike_pair(a, b));
        };
        let between = tb[0] + tb[1] + tb[2] - (ta[0] + ta[1] + ta[2]);
        for n in [Some(direction), unit(between)].into_iter().flatten() {
            let lower = triangle::separation(&ta, &tb, n) - self.margin;
            if lower > beyond {
                return PrimitivePair::Beyond { lower };
            }
        }
        PrimitivePair::Near(self.triangle_pair(&ta, &tb))
    }

    /// The corners of two primitives in A's frame, where both are triangles.
    #[inline(always)]
    pub(crate) fn triangles(&self, a: usize, b: usize) -> Option<(Triangle, Triangle)> {
        match (self.a.body.primitive(a), self.b.body.primitive(b)) {
            (Primitive::Triangle(ta), Primitive::Triangle(tb)) => {
                Some((ta, [self.a_from_b.point(tb[0]), self.a_from_b.point(tb[1]), self.a_from_b.point(tb[2])]))
            }
            _ => None,
        }
    }

    /// The distance of two triangles, given in A's frame.
    #[inline(always)]
    pub(crate) fn triangle_pair(&self, ta: &Triangle, tb: &Triangle) -> Near {
        let d = triangle::distance(ta, tb, self.margin);
        Near { lower: d.lower, upper: d.upper, on_a: d.on_a, on_b: d.on_b, direction: d.direction }
    }

    /// The distance of two primitives that are not both triangles.
    pub(crate) fn unlike_pair(&self, a: usize, b: usize) -> Near {
        self.convex_pair(self.a.body.primitive(a), self.b.body.primitive(b), false)
    }

    /// The signed distance of two convex pieces: negative by the depth of penetration.
    pub(crate) fn signed_pair(&self, a: usize, b: usize) -> Near {
        self.convex_pair(self.a.body.primitive(a), self.b.body.primitive(b), true)
    }

    /// Lower bound on the distance of two primitives that are not both triangles: their separation along the unit vector n
    /// in A's axes.
    pub(crate) fn unlike_separation(&self, a: usize, b: usize, n: DVec3) -> f64 {
        let (flat_a, flat_b);
        let (shape_a, a_from_shape) = convex!(self.a.body.primitive(a), flat_a);
        let (shape_b, b_from_shape) = convex!(self.b.body.primitive(b), flat_b);
        let relative = a_from_shape.inverse_mul(&(self.a_from_b * b_from_shape));
        // Turned into the shape's axes it has to be made a unit vector again.
        let Some(n) = unit(a_from_shape.inverse_vector(n)) else { return f64::NEG_INFINITY };
        gjk::lower_separation(shape_a, shape_b, &relative, n, [0; 2]) - self.margin
    }

    /// A pair of primitives of which one at least is a convex piece.
    #[inline(never)]
    fn convex_pair(&self, a: Primitive<'_>, b: Primitive<'_>, is_signed: bool) -> Near {
        let (flat_a, flat_b);
        let (shape_a, a_from_shape) = convex!(a, flat_a);
        let (shape_b, b_from_shape) = convex!(b, flat_b);
        let relative = a_from_shape.inverse_mul(&(self.a_from_b * b_from_shape));
        let mut tracker = Tracker::default();
        let d = if is_signed {
            penetration::signed_distance(shape_a, shape_b, &relative, &mut tracker)
        } else {
            gjk::distance(shape_a, shape_b, &relative, f64::INFINITY, &mut tracker)
        };
        // Overlap by more than what rounding can move is contact for certain; the margin decides, not the sign.
        let upper =
            if is_signed { d.upper + self.margin } else { self.contact_or_apart(shape_a, shape_b, &relative, &d) };
        Near {
            lower: d.lower - self.margin,
            upper,
            on_a: a_from_shape.point(d.point_on_a),
            on_b: a_from_shape.point(d.point_on_b),
            direction: a_from_shape.vector(d.direction),
        }
    }

    /// Upper bound on an unsigned distance: 0 only where the shapes overlap by more than rounding can account for.
    fn contact_or_apart(&self, a: &Convex, b: &Convex, relative: &Pose, d: &ConvexDistance) -> f64 {
        if d.lower > self.margin {
            return d.upper + self.margin;
        }
        let signed = penetration::bracket(a, b, relative, &mut Tracker::default());
        if signed.upper + self.margin <= 0.0 {
            return 0.0;
        }
        // The bracket of a flat simplex says little: boxes that overlap face to face may need the exact depth.
        let signed = penetration::signed_distance(a, b, relative, &mut Tracker::default());
        if signed.upper + self.margin <= 0.0 { 0.0 } else { most(signed.upper, 0.0) + self.margin }
    }

    /// Runs another visitor over the pair of trees.
    #[inline(always)]
    pub(crate) fn visit(&self, scratch: &mut Scratch, visit: &mut impl Visit) -> Step {
        traverse(self.width, &self.pair, [&self.a.tree, &self.b.tree], &mut scratch.stack, visit)
    }

    /// The relative pose of the bodies' centres.
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

    /// Which compilation of the kernels is used.
    pub(crate) fn width(&self) -> Width {
        self.width
    }

    /// The two bodies.
    pub(super) fn bodies(&self) -> [&Indexed; 2] {
        [self.a, self.b]
    }

    /// One of the two bodies.
    pub(crate) fn body(&self, side: usize) -> &Body {
        if side == 0 { &self.a.body } else { &self.b.body }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Random;
    use crate::shapes::{Shape, TriangleMesh};

    /// Along a direction in A's axes, wherever the pieces are turned to in their bodies.
    #[test]
    fn the_separation_of_pieces_is_that_along_the_direction_asked_for() {
        let mut random = Random::new(11);
        for case in 0..2_000 {
            let corners = |random: &mut Random| [0, 1, 2].map(|_| random.point(0.5));
            let cuboid = |random: &mut Random| DVec3::from_array([0, 1, 2].map(|_| random.between(0.1, 1.0)));
            let (size, piece, triangle) = (cuboid(&mut random), random.pose(0.5), corners(&mut random));
            let box_body = Body::new(vec![(piece, Shape::Convex(Convex::cuboid(size.to_array()).expect("a box")))])
                .expect("a body");
            let mesh = TriangleMesh::new(triangle.to_vec(), vec![[0, 1, 2]]).expect("a triangle");
            let box_corners = (0..8).map(|i| {
                let sign = |bit: i32| if i & bit == 0 { 0.5 } else { -0.5 };
                piece.point(size * DVec3::new(sign(1), sign(2), sign(4)))
            });
            let (held, flat): (Vec<DVec3>, Vec<DVec3>) = (box_corners.collect(), triangle.to_vec());
            let (one, two): (Indexed, Indexed) = (Indexed::new(box_body), Indexed::new(Body::from_mesh(mesh)));
            let (one, two, of_a, of_b) = if case % 2 == 0 { (one, two, held, flat) } else { (two, one, flat, held) };
            let (world_from_a, world_from_b) = (random.pose(1.0), random.pose(1.0));
            let query = Query::new(&one, &two, &world_from_a, &world_from_b);
            let n = random.direction();
            let greatest = of_a.iter().map(|p| n.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
            let in_a = |p: &DVec3| world_from_a.inverse_point(world_from_b.point(*p));
            let truth = of_b.iter().map(|p| n.dot(in_a(p))).fold(f64::INFINITY, f64::min) - greatest;
            let lower = query.unlike_separation(0, 0, n);
            assert!(lower <= truth && lower > truth - 1e-12, "{case}: {lower} of {truth}");
        }
    }
}
