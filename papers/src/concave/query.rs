//! Two bodies of convex pieces at given poses, and the answer of every method.
//!
//! Distances are signed: the least over all pairs of pieces, so where pieces overlap it is minus the depth of the
//! deepest pair. Invariant: `lower` and `upper` of a [`PieceDistance`] hold for the bodies, including the rounding of
//! their poses; a skipped pair enters the lower bound with the bound at which it was skipped.

use super::ConvexPieces;
use pathproof::distance::Query;
use pathproof::distance::gjk::{self, ConvexDistance, Tracker};
use pathproof::numeric::{DVec3, Pose};

/// Bounds on the signed distance of one pair of pieces, and points of them in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairDistance {
    /// Never above the distance of the pair.
    pub lower: f64,
    /// Never below the distance of the pair, nor below that of the bodies.
    pub upper: f64,
    /// Numbers of the pieces.
    pub pieces: [usize; 2],
    /// A point of each: the nearest, or the deepest where they overlap.
    pub points_in_world: [DVec3; 2],
    /// Unit vector from A to B: the pieces are at least `lower` apart along it, or it is the shortest way for B to come
    /// free.
    pub direction_in_world: DVec3,
}

/// Work of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PieceWork {
    /// Pairs of pieces whose distance was computed or bounded one by one.
    pub piece_pairs: u64,
    /// Total half-spaces of the pairs that mindist measured.
    pub surfaces: u64,
    /// Pairs of bounding volumes whose distance was bounded.
    pub volume_pairs: u64,
}

/// Bounds on the signed distance of two bodies of pieces.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct PieceDistance {
    /// Never above the distance of the bodies.
    pub lower: f64,
    /// The nearest, or deepest, pair of pieces; its `upper` is that of the bodies. `None` only if nothing could be
    /// compared: poses that are not numbers.
    pub nearest: Option<PairDistance>,
    /// The work done.
    pub work: PieceWork,
}

/// Two bodies of convex pieces at fixed poses.
///
/// ```
/// use pathproof_papers::concave::{ConvexPieces, NamedPiece, PieceQuery, TreeMemory};
/// use pathproof::numeric::{DVec3, Pose};
/// use pathproof::shapes::Convex;
/// let ball = |name: &str| Ok::<_, pathproof::shapes::ShapeError>(NamedPiece { name: name.into(), shape: Convex::sphere(0.5)? });
/// let (a, b) = (ConvexPieces::new(vec![ball("a")?])?, ConvexPieces::new(vec![ball("b")?])?);
/// let mut memory = TreeMemory::default();
/// for step in 0..5 {
///     let along = Pose::from_translation(DVec3::X * (3.0 - 0.5 * f64::from(step)));
///     let found = PieceQuery::new(&a, &b, &Pose::IDENTITY, &along).tree(&mut memory);
///     let truth = 2.0 - 0.5 * f64::from(step);
///     assert!(found.lower <= truth && truth <= found.nearest.expect("finite poses").upper);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PieceQuery<'a> {
    pub(super) a: &'a ConvexPieces,
    pub(super) b: &'a ConvexPieces,
    pub(super) world_from_a: Pose,
    /// The bodies' frames, in which all pieces are.
    pub(super) a_from_b: Pose,
    /// The same for the trees.
    pub(super) volumes: Query<'a>,
}

impl<'a> PieceQuery<'a> {
    /// Prepares a query of `a` and `b` at these poses of their frames.
    pub fn new(a: &'a ConvexPieces, b: &'a ConvexPieces, world_from_a: &Pose, world_from_b: &Pose) -> Self {
        Self {
            a,
            b,
            world_from_a: *world_from_a,
            a_from_b: world_from_a.inverse_mul(world_from_b),
            volumes: Query::new(a.indexed(), b.indexed(), world_from_a, world_from_b),
        }
    }

    /// Upper bound on the effect of rounding on an answer, in metres; bounds already include it.
    pub fn margin(&self) -> f64 {
        self.volumes.margin()
    }

    /// Distance of a pair of pieces, from an engine's result in A's frame.
    #[inline]
    pub(super) fn pair(&self, pieces: [usize; 2], found: &ConvexDistance) -> PairDistance {
        let margin = self.margin();
        PairDistance {
            lower: found.lower - margin,
            upper: found.upper + margin,
            pieces,
            points_in_world: [found.point_on_a, found.point_on_b].map(|p| self.world_from_a.point(p)),
            direction_in_world: self.world_from_a.vector(found.direction),
        }
    }

    /// The answer of a search. If the nearest pair overlaps and the engine gave a point of contact only, the deepest
    /// points are those that touch once B has moved out by the depth.
    pub(super) fn answer(&self, found: Nearest, work: PieceWork) -> PieceDistance {
        let Nearest { lower, pair } = found;
        let Some(mut nearest) = pair else { return PieceDistance { lower: f64::NEG_INFINITY, nearest: None, work } };
        let [on_a, on_b] = nearest.points_in_world;
        let deep = -nearest.upper;
        if deep > 0.0 && ((on_b - on_a).length() - deep).abs() > 1e-9 * deep {
            let [a, b] = nearest.pieces;
            let way = self.world_from_a.inverse_vector(nearest.direction_in_world) * deep;
            let moved = Pose { translation: self.a_from_b.translation + way, ..self.a_from_b };
            let touch = gjk::distance(self.a.shape(a), self.b.shape(b), &moved, f64::INFINITY, &mut Tracker::default());
            let points = [touch.point_on_a, touch.point_on_b - way];
            nearest.points_in_world = points.map(|p| self.world_from_a.point(p));
        }
        PieceDistance { lower, nearest: Some(nearest), work }
    }
}

/// The nearest of the pairs seen so far, and the least of their lower bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    pub(super) lower: f64,
    pub(super) pair: Option<PairDistance>,
}

impl Nearest {
    pub(super) const NONE: Self = Self { lower: f64::INFINITY, pair: None };

    /// The least upper bound so far.
    #[inline(always)]
    pub(super) fn upper(&self) -> f64 {
        self.pair.map_or(f64::INFINITY, |pair| pair.upper)
    }

    /// Records a lower bound on something that is not examined. NaN is kept.
    #[inline(always)]
    pub(super) fn note(&mut self, lower: f64) {
        // NaN, once there, is not replaced.
        if lower < self.lower || lower.is_nan() {
            self.lower = lower;
        }
    }

    /// Records a pair.
    #[inline(always)]
    pub(super) fn take(&mut self, pair: &PairDistance) {
        self.note(pair.lower);
        if pair.upper < self.upper() {
            self.pair = Some(*pair);
        }
    }
}
