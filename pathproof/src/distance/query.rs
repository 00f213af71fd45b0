//! Queries on a pair of bodies: collision, exact and approximate distance, GREEDY-DIST (exact-collision-checking
//! paper §3.2) and distance with a goal (docs/design.md#cells), on either kind of tree.
//!
//! Surfaces of meshes and solid convex pieces count here; [`Query::containment`] tests if a closed mesh holds the
//! other body.

use super::answer::{Contact, Distance, Witness};
use super::indexed::Indexed;
use super::search::Rule;
use crate::numeric::simd::Width;
use crate::numeric::{DVec3, Pose, ROUNDOFF_F64, norm_up};
use crate::shapes::{Body, Primitive};
use crate::trees::{BoxPair, BoxTree, Stack, Step, Visit, VolumeTree, traverse};

/// Requirements of [`Query::with_goal`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// A lower bound above this is enough, in metres.
    pub enough: f64,
    /// Pairs are examined down to this distance at least, in metres: clearance plus tolerance.
    pub at_least: f64,
    /// Stop refining when the bound is this fraction of the distance found so far.
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
    /// Position of B's centre.
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
    /// Prepares a query of `a` and `b` with their frames at these poses.
    pub fn new(a: &'a Indexed<T>, b: &'a Indexed<T>, world_from_a: &Pose, world_from_b: &Pose) -> Self {
        Self::within(a, b, world_from_a, world_from_b, 0.0)
    }

    /// The same if the poses may displace any point of the bodies by `pose_margin` metres, both together: every bound
    /// and every contact allows for it.
    pub fn within(
        a: &'a Indexed<T>,
        b: &'a Indexed<T>,
        world_from_a: &Pose,
        world_from_b: &Pose,
        pose_margin: f64,
    ) -> Self {
        let relative = world_from_a.inverse_mul(world_from_b);
        let (centre_a, centre_b) = (a.body().centre(), b.body().centre());
        let translation = relative.point(centre_b) - centre_a;
        let a_from_b = Pose { translation, ..relative };
        let size = norm_up(relative.translation) + a.reach() + b.reach();
        let margin = PLACING_ROUNDING * ROUNDOFF_F64 * size + a.body().rounding() + b.body().rounding() + pose_margin;
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

    /// Upper bound on the effect of rounding on an answer, in metres: bounds include it already.
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// Tests if the bodies meet.
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

    /// GREEDY-DIST(δ): `lower` is 0 if the distance is at most `delta` (or rounding cannot tell), else a lower bound
    /// above `delta` that costs little more than a collision test.
    pub fn greedy(&self, delta: f64, scratch: &mut Scratch) -> Distance {
        let found = self.search(scratch, Rule { stop_at: Some(delta), ..Rule::below(delta) });
        if found.lower > delta { found } else { Distance { lower: 0.0, ..found } }
    }

    /// A lower bound that meets `goal`.
    pub fn with_goal(&self, goal: &Goal, scratch: &mut Scratch) -> Distance {
        self.search(
            scratch,
            Rule { at_least: goal.at_least, of_upper: goal.kappa, at_most: goal.enough, ..Rule::below(f64::INFINITY) },
        )
    }
}

impl<T: VolumeTree> Query<'_, T> {
    /// Runs another visitor over the pair of trees.
    #[doc(hidden)]
    #[inline(always)]
    pub fn visit(&self, scratch: &mut Scratch, visit: &mut impl Visit) -> Step {
        traverse(self.width, &self.pair, [self.a.tree(), self.b.tree()], &mut scratch.stack, visit)
    }

    /// Converts a witness from A's frame to the world.
    pub(super) fn in_world(&self, w: Witness) -> Witness {
        let place = |p| self.world_from_a.point(p);
        Witness { a_in_world: place(w.a_in_world), b_in_world: place(w.b_in_world), ..w }
    }

    /// SIMD width of the kernels in use.
    pub(crate) fn width(&self) -> Width {
        self.width
    }

    /// One of the two bodies.
    pub(crate) fn body(&self, side: usize) -> &Body {
        if side == 0 { self.a.body() } else { self.b.body() }
    }

    /// A primitive of each body.
    #[inline(always)]
    pub(super) fn primitives(&self, a: usize, b: usize) -> [Primitive<'_>; 2] {
        [self.a.body().primitive(a), self.b.body().primitive(b)]
    }

    /// The relative pose of the bodies' centres.
    #[doc(hidden)]
    #[inline(always)]
    pub fn a_from_b(&self) -> &Pose {
        &self.a_from_b
    }

    /// Positions of the bodies' centres.
    pub(crate) fn centres_in_world(&self) -> [DVec3; 2] {
        [self.world_from_a.translation, self.b_in_world]
    }

    /// Pose of the first body's centre.
    pub(crate) fn world_from_a(&self) -> &Pose {
        &self.world_from_a
    }
}

impl Query<'_, BoxTree> {
    /// The relative pose in the form that the trees use.
    #[inline(always)]
    pub(crate) fn pair(&self) -> &BoxPair {
        &self.pair
    }

    /// The two bodies.
    pub(super) fn bodies(&self) -> [&Indexed; 2] {
        [self.a, self.b]
    }
}
