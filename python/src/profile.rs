//! `Profile`: distances of pairs along a path, in numpy columns.

use numpy::{Element, PyArray1};
use pathproof::check::{self, ProfilePiece, SmallestDistance};
use pathproof::path::{Motion, Version};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::checker::Inner;
use crate::pickled::{self, Reduced};

/// Proven bounds on the distance of every checked pair along a path, a row per piece of a segment.
#[pyclass(frozen, module = "pathproof")]
pub(crate) struct Profile {
    told: ToldProfile,
}

/// All values of a profile, column by column.
#[derive(FromPyObject, IntoPyObjectRef)]
#[pyo3(from_item_all)]
struct ToldProfile {
    segment: Vec<i64>,
    t_from: Vec<f64>,
    t_to: Vec<f64>,
    body_a: Vec<i32>,
    body_b: Vec<i32>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    t_upper: Vec<f64>,
    is_older_controller: Vec<bool>,
    nearest: Option<ToldMinDistance>,
    complete: bool,
}

/// Bounds on a smallest distance, and its place.
#[pyclass(frozen, module = "pathproof")]
pub(crate) struct MinDistance {
    told: ToldMinDistance,
}

/// All values of a smallest distance.
#[derive(Clone, FromPyObject, IntoPyObjectRef)]
#[pyo3(from_item_all)]
struct ToldMinDistance {
    lower: f64,
    upper: f64,
    segment: usize,
    t: f64,
    time: Option<f64>,
    bodies: (String, String),
    complete: bool,
}

#[pymethods]
impl MinDistance {
    /// Proven lower bound on the distance of every checked pair along the path, in metres.
    #[getter]
    fn lower(&self) -> f64 {
        self.told.lower
    }

    /// Upper bound on the pair's distance at `segment` and `t`, in metres.
    #[getter]
    fn upper(&self) -> f64 {
        self.told.upper
    }

    /// Segment of the path, from 0.
    #[getter]
    fn segment(&self) -> usize {
        self.told.segment
    }

    /// The place on it, from 0 to 1.
    #[getter]
    fn t(&self) -> f64 {
        self.told.t
    }

    /// The time in seconds, if the path has times.
    #[getter]
    fn time(&self) -> Option<f64> {
        self.told.time
    }

    /// The pair.
    #[getter]
    fn bodies(&self) -> (String, String) {
        self.told.bodies.clone()
    }

    /// True if the bounds are within the tolerance of each other: no limit ended the search.
    #[getter]
    fn complete(&self) -> bool {
        self.told.complete
    }

    fn __repr__(&self) -> String {
        let ToldMinDistance { lower, upper, segment, t, bodies: (a, b), .. } = &self.told;
        format!("<pathproof.MinDistance {lower:?} to {upper:?} m: {a} and {b}, segment={segment}, t={t:?}>")
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        pickled::reduced::<Self>(py, &self.told)
    }

    /// Restores the bounds from a pickle.
    #[staticmethod]
    #[pyo3(name = "_restore")]
    fn restore(told: ToldMinDistance) -> Self {
        Self { told }
    }
}

impl MinDistance {
    pub(crate) fn new(inner: &Inner, path: &Motion, smallest: &SmallestDistance) -> Self {
        let SmallestDistance { lower, nearest, limit, .. } = smallest;
        let told = ToldMinDistance {
            lower: *lower,
            upper: nearest.distance,
            segment: nearest.segment,
            t: nearest.t,
            time: path.time_at(nearest.segment, nearest.t),
            bodies: inner.names(nearest.bodies),
            complete: limit.is_none(),
        };
        Self { told }
    }
}

impl Profile {
    pub(crate) fn new(inner: &Inner, profile: &check::Profile, path: &Motion) -> Self {
        let pieces = &profile.pieces;
        let numbers = |value: fn(&ProfilePiece) -> f64| pieces.iter().map(value).collect();
        let complete = profile.limit.is_none();
        let nearest = profile.nearest().map(|piece| ToldMinDistance {
            lower: profile.lower(),
            upper: piece.upper,
            segment: piece.segment,
            t: piece.t_upper,
            time: path.time_at(piece.segment, piece.t_upper),
            bodies: inner.names(piece.bodies),
            complete,
        });
        let told = ToldProfile {
            segment: pieces.iter().map(|piece| piece.segment as i64).collect(),
            t_from: numbers(|piece| piece.interval[0]),
            t_to: numbers(|piece| piece.interval[1]),
            body_a: pieces.iter().map(|piece| piece.bodies[0] as i32).collect(),
            body_b: pieces.iter().map(|piece| piece.bodies[1] as i32).collect(),
            lower: numbers(|piece| piece.lower),
            upper: numbers(|piece| piece.upper),
            t_upper: numbers(|piece| piece.t_upper),
            is_older_controller: pieces.iter().map(|piece| piece.version == Version::OlderController).collect(),
            nearest,
            complete,
        };
        Self { told }
    }
}

fn column<'py, T: Element>(py: Python<'py>, values: &[T]) -> Bound<'py, PyArray1<T>> {
    PyArray1::from_slice(py, values)
}

#[pymethods]
impl Profile {
    /// The columns by name: segment, t_from, t_to, body_a, body_b (numbers in `scene.bodies`), lower, upper, t_upper,
    /// is_older_controller.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        columns.set_item("segment", self.segment(py))?;
        columns.set_item("t_from", self.t_from(py))?;
        columns.set_item("t_to", self.t_to(py))?;
        columns.set_item("body_a", self.body_a(py))?;
        columns.set_item("body_b", self.body_b(py))?;
        columns.set_item("lower", self.lower(py))?;
        columns.set_item("upper", self.upper(py))?;
        columns.set_item("t_upper", self.t_upper(py))?;
        columns.set_item("is_older_controller", self.is_older_controller(py))?;
        Ok(columns)
    }

    /// Segment of the path, from 0.
    #[getter]
    fn segment<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        column(py, &self.told.segment)
    }

    /// Start of the piece on it.
    #[getter]
    fn t_from<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        column(py, &self.told.t_from)
    }

    /// End of the piece.
    #[getter]
    fn t_to<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        column(py, &self.told.t_to)
    }

    /// The first body, by number in `scene.bodies`.
    #[getter]
    fn body_a<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        column(py, &self.told.body_a)
    }

    /// The second body.
    #[getter]
    fn body_b<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        column(py, &self.told.body_b)
    }

    /// Proven lower bound on the distance in the piece, in metres.
    #[getter]
    fn lower<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        column(py, &self.told.lower)
    }

    /// Upper bound on the distance at `t_upper`, in metres.
    #[getter]
    fn upper<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        column(py, &self.told.upper)
    }

    /// A place in the piece.
    #[getter]
    fn t_upper<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        column(py, &self.told.t_upper)
    }

    /// True for pieces of the first segment as older versions of the controller run it.
    #[getter]
    fn is_older_controller<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        column(py, &self.told.is_older_controller)
    }

    /// The smallest distance, and its place; `None` if no pair is checked.
    #[getter]
    fn nearest(&self) -> Option<MinDistance> {
        self.told.nearest.clone().map(|told| MinDistance { told })
    }

    /// True if all bounds are within the tolerance of each other: no limit ended the search.
    #[getter]
    fn complete(&self) -> bool {
        self.told.complete
    }

    fn __len__(&self) -> usize {
        self.told.segment.len()
    }

    fn __repr__(&self) -> String {
        format!("<pathproof.Profile: {} pieces>", self.told.segment.len())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        pickled::reduced::<Self>(py, &self.told)
    }

    /// Restores a profile from a pickle.
    #[staticmethod]
    #[pyo3(name = "_restore")]
    fn restore(told: ToldProfile) -> Self {
        Self { told }
    }
}
