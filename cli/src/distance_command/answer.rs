//! Answers of each method in one form: bounds, points, and the work done.

use anyhow::{Context, Result, bail};
use pathproof::distance::gjk::{Outcome, Tracker};
use pathproof::distance::{Indexed, Query, Scratch, penetration};
use pathproof::numeric::{DVec3, Pose};
use pathproof::shapes::{Body, Convex, Shape};

use super::pieces::PieceSolver;
use super::{Bodies, Job, Method};
use crate::shape_argument::Loaded;

/// Bounds on the distance at one pose of B.
pub(super) struct Answer {
    /// Never above the true distance; `None` from a heuristic.
    pub(super) lower: Option<f64>,
    /// Never below the true distance; `None` if greedy ended without testing a pair of primitives.
    pub(super) upper: Option<f64>,
    /// The points of A and B behind `upper`, in the world.
    pub(super) points: Option<[DVec3; 2]>,
    /// Primitives of A and B that hold the points; numbers in the order of the bodies' triangles.
    pub(super) primitives: Option<[usize; 2]>,
    /// Pieces that hold the points, by name.
    pub(super) pieces: Option<[String; 2]>,
    /// Local minima, nearest first, if requested.
    pub(super) minima: Option<Vec<Minimum>>,
    /// The surfaces are apart, but a component of one body is inside a solid of the other.
    pub(super) inside: bool,
    /// The work done, by name.
    pub(super) counters: Vec<(&'static str, u64)>,
    /// Warning for the reader.
    pub(super) warning: Option<&'static str>,
}

/// Pair of nodes with no closer pair of neighbours, and the nearest of the pieces that hold them.
pub(super) struct Minimum {
    /// Nodes in the world, and the distance between them.
    pub(super) nodes: [DVec3; 2],
    pub(super) node_distance: f64,
    /// Bounds on the signed distance of the two pieces.
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// Points of the pieces in the world.
    pub(super) points: [DVec3; 2],
    pub(super) pieces: [String; 2],
}

/// Both bodies, ready for queries, and the state that one query leaves to the next.
#[allow(clippy::large_enum_variant, reason = "there is one")]
pub(super) enum Solver<'j> {
    Whole(WholeSolver<'j>),
    Pieces(PieceSolver<'j>),
}

impl<'j> Solver<'j> {
    pub(super) fn new(job: &'j Job) -> Result<Self> {
        Ok(match &job.bodies {
            Bodies::Whole(bodies) => Self::Whole(WholeSolver::new(job, bodies)?),
            Bodies::Pieces(bodies) => Self::Pieces(PieceSolver::new(job, bodies)?),
        })
    }

    /// Both bodies, in frames of their own.
    pub(super) fn bodies(&self) -> [&Body; 2] {
        match self {
            Self::Whole(solver) => [solver.a.body(), solver.b.body()],
            Self::Pieces(solver) => solver.bodies(),
        }
    }

    /// Answer with B at `world_from_b`.
    pub(super) fn answer(&mut self, world_from_b: &Pose) -> Answer {
        match self {
            Self::Whole(solver) => solver.answer(world_from_b),
            Self::Pieces(solver) => solver.answer(world_from_b),
        }
    }
}

/// Meshes and primitives as they are.
pub(super) struct WholeSolver<'j> {
    job: &'j Job,
    a: Indexed,
    b: Indexed,
    scratch: Scratch,
    /// Both bodies if they are convex, so that the distance is signed.
    convex: Option<(&'j Convex, &'j Convex)>,
    tracker: Tracker,
}

impl<'j> WholeSolver<'j> {
    /// Builds the trees; refuses meshes for gjk.
    fn new(job: &'j Job, [a, b]: &'j [Loaded; 2]) -> Result<Self> {
        let convex = match job.method {
            Method::Gjk => Some((convex(a)?, convex(b)?)),
            Method::Tree => convex(a).ok().zip(convex(b).ok()),
            _ => None,
        };
        Ok(Self {
            job,
            a: indexed(a)?,
            b: indexed(b)?,
            scratch: Scratch::default(),
            convex,
            tracker: Tracker::default(),
        })
    }

    fn answer(&mut self, world_from_b: &Pose) -> Answer {
        match (self.job.method, self.convex) {
            (Method::Greedy { delta }, _) => self.by_tree(world_from_b, Some(delta)),
            (Method::Gjk, Some((a, b))) => self.by_gjk(a, b, world_from_b),
            _ => self.by_tree(world_from_b, None),
        }
    }

    fn by_tree(&mut self, world_from_b: &Pose, greedy_delta: Option<f64>) -> Answer {
        let query = Query::new(&self.a, &self.b, &self.job.world_from_a, world_from_b);
        let found = match greedy_delta {
            Some(delta) => query.greedy(delta, &mut self.scratch),
            None => query.exact(&mut self.scratch),
        };
        // Only if the surfaces are proven apart is a component either entirely inside or not at all.
        let inside = if found.lower > 0.0 { query.containment() } else { None };
        let counters =
            vec![("volume_pairs", found.counters.volume_pairs), ("primitive_pairs", found.counters.primitive_pairs)];
        // Between convex bodies the distance is signed.
        if let (Some((a, b)), false) = (self.convex, found.lower > 0.0) {
            let deepest = self.by_gjk(a, b, world_from_b);
            let primitives = found.witness.map(|w| [w.primitive_a, w.primitive_b]);
            return Answer { primitives, counters: [counters, deepest.counters].concat(), ..deepest };
        }
        if let Some(point) = inside {
            return Answer {
                lower: Some(0.0),
                upper: Some(0.0),
                points: Some([point; 2]),
                primitives: None,
                pieces: None,
                minima: None,
                inside: true,
                counters,
                warning: Some("a component of one body is inside a solid of the other: the distance is 0"),
            };
        }
        Answer {
            lower: Some(found.lower),
            upper: found.upper.is_finite().then_some(found.upper),
            points: found.witness.map(|w| [w.a_in_world, w.b_in_world]),
            primitives: found.witness.map(|w| [w.primitive_a, w.primitive_b]),
            pieces: None,
            minima: None,
            inside: false,
            counters,
            warning: None,
        }
    }

    fn by_gjk(&mut self, a: &Convex, b: &Convex, world_from_b: &Pose) -> Answer {
        let world_from_a = &self.job.world_from_a;
        let a_from_b = world_from_a.inverse_mul(world_from_b);
        let found = penetration::signed_distance(a, b, &a_from_b, &mut self.tracker);
        // GJK takes the relative pose as exact, so add the effect of rounding here.
        let margin = Query::new(&self.a, &self.b, world_from_a, world_from_b).margin();
        let not_met = found.outcome != Outcome::Converged;
        Answer {
            lower: Some(found.lower - margin),
            upper: Some(found.upper + margin),
            points: Some([found.point_on_a, found.point_on_b].map(|p| world_from_a.point(p))),
            primitives: None,
            pieces: None,
            minima: None,
            inside: false,
            counters: vec![("iterations", u64::from(found.iterations))],
            warning: not_met.then_some("the search ended before the bounds met; both hold"),
        }
    }
}

fn indexed(loaded: &Loaded) -> Result<Indexed> {
    let body = Body::new(vec![(Pose::IDENTITY, loaded.shape.clone())]).with_context(|| loaded.name.clone())?;
    Ok(Indexed::new(body))
}

fn convex(loaded: &Loaded) -> Result<&Convex> {
    match &loaded.shape {
        Shape::Convex(shape) => Ok(shape),
        Shape::Mesh(_) => bail!(
            "{0}: --method gjk is for convex bodies and this is a mesh; use --method tree, or hull:{0} for its convex hull",
            loaded.name
        ),
    }
}
