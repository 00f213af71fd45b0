//! `Profile`: how near pairs come along a path, in numpy columns.

use std::sync::Arc;

use numpy::{Element, PyArray1};
use pathproof::check::{self, ProfilePiece, SmallestDistance};
use pathproof::formats::path_file::LoadedPath;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::checker::Inner;

/// Proven bounds on the distance of every checked pair along a path, a row per piece of a segment.
#[pyclass(frozen, module = "pathproof")]
pub(crate) struct Profile {
    inner: Arc<Inner>,
    profile: check::Profile,
    path: LoadedPath,
}

/// Bounds on a smallest distance, and where it is.
#[pyclass(frozen, get_all, module = "pathproof")]
pub(crate) struct MinDistance {
    /// Nowhere on the path is any checked pair nearer, in metres: proven.
    lower: f64,
    /// At `segment` and `t` the pair is no farther apart, in metres.
    upper: f64,
    /// Segment of the path, from 0.
    segment: usize,
    /// Where on it, from 0 to 1.
    t: f64,
    /// When that is, in seconds, where the path has times.
    time: Option<f64>,
    /// The pair.
    bodies: (String, String),
    /// Whether the bounds are as near as the tolerance: no limit ended the search.
    complete: bool,
}

#[pymethods]
impl MinDistance {
    fn __repr__(&self) -> String {
        let Self { lower, upper, segment, t, bodies: (a, b), .. } = self;
        format!("<pathproof.MinDistance {lower:?} to {upper:?} m: {a} and {b}, segment={segment}, t={t:?}>")
    }
}

impl MinDistance {
    pub(crate) fn new(inner: &Inner, path: &LoadedPath, smallest: &SmallestDistance) -> Self {
        let SmallestDistance { lower, nearest, limit, .. } = smallest;
        Self {
            lower: *lower,
            upper: nearest.distance,
            segment: nearest.segment,
            t: nearest.t,
            time: path.time_at(nearest.segment, nearest.t),
            bodies: inner.names(nearest.bodies),
            complete: limit.is_none(),
        }
    }
}

impl Profile {
    pub(crate) fn new(inner: Arc<Inner>, profile: check::Profile, path: LoadedPath) -> Self {
        Self { inner, profile, path }
    }

    /// The smallest distance; `None` where no pair is checked.
    pub(crate) fn nearest(&self) -> Option<MinDistance> {
        let piece = self.profile.nearest()?;
        Some(MinDistance {
            lower: self.profile.lower(),
            upper: piece.upper,
            segment: piece.segment,
            t: piece.t_upper,
            time: self.path.time_at(piece.segment, piece.t_upper),
            bodies: self.inner.names(piece.bodies),
            complete: self.profile.limit.is_none(),
        })
    }

    fn column<'py, T: Element>(&self, py: Python<'py>, value: impl Fn(&ProfilePiece) -> T) -> Bound<'py, PyArray1<T>> {
        PyArray1::from_iter(py, self.profile.pieces.iter().map(value))
    }
}

#[pymethods]
impl Profile {
    /// The columns by name: segment, t_from, t_to, body_a, body_b (numbers in `scene.bodies`), lower, upper, t_upper.
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
        Ok(columns)
    }

    /// Segment of the path, from 0.
    #[getter]
    fn segment<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.column(py, |piece| piece.segment as i64)
    }

    /// Where the piece starts on it.
    #[getter]
    fn t_from<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.column(py, |piece| piece.interval[0])
    }

    /// Where it ends.
    #[getter]
    fn t_to<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.column(py, |piece| piece.interval[1])
    }

    /// The first body, by number in `scene.bodies`.
    #[getter]
    fn body_a<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        self.column(py, |piece| piece.bodies[0] as i32)
    }

    /// The second body.
    #[getter]
    fn body_b<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        self.column(py, |piece| piece.bodies[1] as i32)
    }

    /// Nowhere in the piece is the distance smaller, in metres: proven.
    #[getter]
    fn lower<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.column(py, |piece| piece.lower)
    }

    /// At `t_upper` it is no larger, in metres.
    #[getter]
    fn upper<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.column(py, |piece| piece.upper)
    }

    /// A place in the piece.
    #[getter]
    fn t_upper<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.column(py, |piece| piece.t_upper)
    }

    /// The smallest distance, and where it is; `None` where no pair is checked.
    #[getter(nearest)]
    fn nearest_piece(&self) -> Option<MinDistance> {
        self.nearest()
    }

    /// Whether all bounds are as near as the tolerance: no limit ended the search.
    #[getter]
    fn complete(&self) -> bool {
        self.profile.limit.is_none()
    }

    fn __len__(&self) -> usize {
        self.profile.pieces.len()
    }

    fn __repr__(&self) -> String {
        format!("<pathproof.Profile: {} pieces>", self.profile.pieces.len())
    }
}
