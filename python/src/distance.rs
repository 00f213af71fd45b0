//! `distance`: bounds on the distance of two bodies.

use numpy::PyArray2;
use pathproof::distance::gjk::{Outcome, Tracker};
use pathproof::distance::{Indexed, Query, Scratch, penetration};
use pathproof::numeric::{DVec3, Pose};
use pathproof::scene::BodyShape;
use pathproof::shapes::{Body, Convex};
use pyo3::prelude::*;

use crate::errors;
use crate::obstacle::Obstacle;
use crate::pickled::{self, Reduced};

/// Bounds on the distance of two bodies, in metres.
#[pyclass(frozen, module = "pathproof")]
pub(crate) struct Distance {
    /// Lower bound on the distance.
    #[pyo3(get)]
    lower: f64,
    /// Upper bound; `None` if greedy ended without testing a pair of primitives.
    #[pyo3(get)]
    upper: Option<f64>,
    /// The surfaces are apart, but a component of one body is inside a solid of the other: the distance is 0.
    #[pyo3(get)]
    inside: bool,
    /// True if the search ended before the bounds met; both still hold.
    #[pyo3(get)]
    converged: bool,
    points: Option<[DVec3; 2]>,
}

/// The values of a pickle.
type Told = (f64, Option<f64>, bool, bool, Option<[[f64; 3]; 2]>);

#[pymethods]
impl Distance {
    /// A point of each body behind `upper`, in the world, (2, 3).
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let Some(points) = self.points else { return Ok(None) };
        let rows: Vec<Vec<f64>> = points.iter().map(|point| point.to_array().to_vec()).collect();
        PyArray2::from_vec2(py, &rows).map(Some).map_err(|error| errors::input(error.to_string()))
    }

    fn __repr__(&self) -> String {
        let upper = self.upper.map_or("None".to_owned(), |upper| format!("{upper:?}"));
        format!("<pathproof.Distance lower={:?}, upper={upper}>", self.lower)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let Self { lower, upper, inside, converged, points } = *self;
        let points = points.map(|points| points.map(|point| point.to_array()));
        pickled::reduced::<Self>(py, (lower, upper, inside, converged, points))
    }

    /// Restores bounds from a pickle.
    #[staticmethod]
    #[pyo3(name = "_restore")]
    fn restore(told: Told) -> Self {
        let (lower, upper, inside, converged, points) = told;
        Self { lower, upper, inside, converged, points: points.map(|points| points.map(DVec3::from)) }
    }
}

/// Bounds on the distance of two obstacles at their places: "tree" for any bodies, signed (negative: penetration) if
/// both are convex, "greedy" for a cheap lower bound above `delta` or 0, "gjk" for convex bodies only.
#[pyfunction]
#[pyo3(signature = (a, b, *, method="tree", delta=None))]
pub(crate) fn distance(
    py: Python<'_>,
    a: &Obstacle,
    b: &Obstacle,
    method: &str,
    delta: Option<f64>,
) -> PyResult<Distance> {
    if !matches!(method, "tree" | "greedy" | "gjk") {
        return Err(errors::input(format!("method must be \"tree\", \"greedy\" or \"gjk\", not {method:?}")));
    }
    if delta.is_some() && method != "greedy" {
        return Err(errors::input(format!("delta has a meaning for method=\"greedy\" only, not for {method:?}")));
    }
    let delta = delta.unwrap_or(0.0);
    if !(delta >= 0.0 && delta.is_finite()) {
        return Err(errors::input(format!("delta: {delta} is not a finite number of at least 0")));
    }
    let bodies = [body(a)?, body(b)?];
    let poses = [&a.data.pose, &b.data.pose];
    let convex = match method {
        "gjk" => Some([convex(a, bodies[0])?, convex(b, bodies[1])?]),
        "tree" => convex(a, bodies[0]).ok().zip(convex(b, bodies[1]).ok()).map(<[&Convex; 2]>::from),
        _ => None,
    };
    Ok(py.detach(|| {
        let [a, b] = bodies.map(|body| Indexed::new(body.clone()));
        let query: Query<'_, _> = Query::new(&a, &b, poses[0], poses[1]);
        match convex {
            Some(convex) => by_gjk(convex, poses, query.margin()),
            None => by_tree(&query, (method == "greedy").then_some(delta)),
        }
    }))
}

fn by_tree(query: &Query<'_>, greedy_delta: Option<f64>) -> Distance {
    let mut scratch = Scratch::default();
    let found = match greedy_delta {
        Some(delta) => query.greedy(delta, &mut scratch),
        None => query.exact(&mut scratch),
    };
    // A component is inside as a whole or not at all only if the surfaces are proven apart.
    if let Some(point) = (found.lower > 0.0).then(|| query.containment()).flatten() {
        return Distance { lower: 0.0, upper: Some(0.0), inside: true, converged: true, points: Some([point; 2]) };
    }
    Distance {
        lower: found.lower,
        upper: found.upper.is_finite().then_some(found.upper),
        inside: false,
        converged: true,
        points: found.witness.map(|witness| [witness.a_in_world, witness.b_in_world]),
    }
}

/// `margin` is the rounding of the relative pose.
fn by_gjk([a, b]: [&Convex; 2], [world_from_a, world_from_b]: [&Pose; 2], margin: f64) -> Distance {
    let a_from_b = world_from_a.inverse_mul(world_from_b);
    let found = penetration::signed_distance(a, b, &a_from_b, &mut Tracker::default());
    Distance {
        lower: found.lower - margin,
        upper: Some(found.upper + margin),
        inside: false,
        converged: found.outcome == Outcome::Converged,
        points: Some([found.point_on_a, found.point_on_b].map(|point| world_from_a.point(point))),
    }
}

fn body(obstacle: &Obstacle) -> PyResult<&Body> {
    match &obstacle.data.shape {
        BodyShape::Parts(body) => Ok(body),
        BodyShape::HalfSpace { .. } => {
            Err(errors::input(format!("{:?} is a plane, which reaches to infinity; use a box", obstacle.data.name)))
        }
    }
}

fn convex<'a>(obstacle: &Obstacle, body: &'a Body) -> PyResult<&'a Convex> {
    match body.pieces() {
        // Coordinates are about the body's centre, which is the origin for a single centred shape.
        [piece]
            if body.triangles().is_empty()
                && body.centre() == DVec3::ZERO
                && piece.centre_from_piece == Pose::IDENTITY =>
        {
            Ok(&piece.shape)
        }
        [_] => {
            Err(errors::input(format!("{:?}: method=\"gjk\" needs a primitive or a centred hull", obstacle.data.name)))
        }
        _ => Err(errors::input(format!(
            "{0:?}: method=\"gjk\" is for convex bodies and this is a mesh; use method=\"tree\", or Hull({0:?}, …)",
            obstacle.data.name
        ))),
    }
}
