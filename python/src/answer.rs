//! `Answer` and `Finding`: the contract's verdicts with their evidence, as Python values.

use std::sync::Arc;
use std::time::Duration;

use numpy::{PyArray1, PyArray2};
use pathproof::check::{self, Settings, Statistics, Verdict};
use pathproof::formats::path_file::LoadedPath;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::certificate::Certificate;
use crate::checker::{self, Inner};
use crate::path::Executed;
use crate::{errors, interrupt};

/// The answer for a path.
#[pyclass(frozen, module = "pathproof")]
pub(crate) struct Answer {
    inner: Arc<Inner>,
    answer: check::Answer,
    path: Arc<LoadedPath>,
    notes: Vec<String>,
    settings: Settings,
    time: Duration,
}

/// A pair that is in contact or too close, and where.
#[pyclass(frozen, module = "pathproof")]
pub(crate) struct Finding {
    inner: Arc<Inner>,
    finding: check::Finding,
    path: Arc<LoadedPath>,
}

impl Inner {
    /// Names of a pair of bodies.
    pub(crate) fn names(&self, bodies: [usize; 2]) -> (String, String) {
        let name = |body: usize| self.checker.scene().bodies()[body].name.clone();
        (name(bodies[0]), name(bodies[1]))
    }
}

impl Answer {
    pub(crate) fn new(
        inner: Arc<Inner>,
        answer: check::Answer,
        Executed { path, notes }: Executed,
        settings: Settings,
        time: Duration,
    ) -> Self {
        Self { inner, answer, path: Arc::new(path), notes, settings, time }
    }

    fn wrap(&self, finding: &check::Finding) -> Finding {
        Finding { inner: Arc::clone(&self.inner), finding: finding.clone(), path: Arc::clone(&self.path) }
    }

    fn found(&self) -> Option<&check::Finding> {
        match &self.answer.verdict {
            Verdict::Collision(found) | Verdict::TooClose(found) => Some(found),
            Verdict::Free(_) | Verdict::Undecided(_) => None,
        }
    }

    fn open(&self) -> Option<&check::Unresolved> {
        match &self.answer.verdict {
            Verdict::Undecided(open) => Some(open),
            _ => None,
        }
    }
}

fn points<'py>(py: Python<'py>, finding: &check::Finding) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let rows: Vec<Vec<f64>> = finding.points.iter().map(|point| point.to_array().to_vec()).collect();
    PyArray2::from_vec2(py, &rows).map_err(|error| errors::input(error.to_string()))
}

#[pymethods]
impl Answer {
    /// "free", "collision", "too_close" or "undecided".
    #[getter]
    fn verdict(&self) -> &'static str {
        self.answer.verdict.name()
    }

    /// Whether it is proven that every checked pair is farther apart than its clearance at every configuration.
    #[getter]
    fn free(&self) -> bool {
        matches!(self.answer.verdict, Verdict::Free(_))
    }

    /// The pair that was found, or left open.
    #[getter]
    fn bodies(&self) -> Option<(String, String)> {
        let bodies = self.found().map(|found| found.bodies).or(self.open().map(|open| open.bodies));
        bodies.map(|bodies| self.inner.names(bodies))
    }

    /// The segment of the path where that is, from 0.
    #[getter]
    fn segment(&self) -> Option<usize> {
        self.found().map(|found| found.segment).or(self.open().map(|open| open.segment))
    }

    /// Where on the segment, from 0 to 1.
    #[getter]
    fn t(&self) -> Option<f64> {
        self.found().map(|found| found.t)
    }

    /// When that is, in seconds, where the path has times.
    #[getter]
    fn time(&self) -> Option<f64> {
        self.found().and_then(|found| self.path.time_at(found.segment, found.t))
    }

    /// The configuration there.
    #[getter]
    fn configuration<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.found().map(|found| PyArray1::from_slice(py, &found.configuration))
    }

    /// A point of each body in the world, (2, 3).
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        self.found().map(|found| points(py, found)).transpose()
    }

    /// Upper bound on the pair's distance there, in metres; 0 or negative in a collision.
    #[getter]
    fn distance(&self) -> Option<f64> {
        self.found().map(|found| found.distance)
    }

    /// Where free: proven lower bound on the smallest distance over path and pairs, in metres.
    #[getter]
    fn lower_clearance(&self) -> Option<f64> {
        match self.answer.verdict {
            Verdict::Free(free) => Some(free.lower_clearance),
            _ => None,
        }
    }

    /// The clearance that was asked for, in metres: the pair's, or the scene's where there is no pair.
    #[getter]
    fn clearance(&self) -> f64 {
        self.found().map_or(self.inner.checker.scene().clearance(), |found| found.clearance)
    }

    /// The tolerance that the answer keeps, in metres.
    #[getter]
    fn tolerance(&self) -> f64 {
        self.answer.tolerance
    }

    /// Where undecided: the part of the segment that was left open.
    #[getter]
    fn interval(&self) -> Option<(f64, f64)> {
        self.open().map(|open| open.interval.into())
    }

    /// What ended the search early: "queries", "seconds" or "resolution".
    #[getter]
    fn limit(&self) -> Option<&'static str> {
        self.answer.unresolved.as_ref().map(|open| open.limit.name())
    }

    /// Whether all that was asked for was looked for.
    #[getter]
    fn complete(&self) -> bool {
        self.answer.is_complete()
    }

    /// With report="first": segment and t up to which the path is proven free.
    #[getter]
    fn free_until(&self) -> Option<(usize, f64)> {
        self.answer.free_until.map(|place| (place.segment, place.t))
    }

    /// With report="all": every offending pair and segment along the path.
    #[getter]
    fn findings(&self) -> Vec<Finding> {
        self.answer.findings.iter().map(|finding| self.wrap(finding)).collect()
    }

    /// What the reader of the answer should know about path and scene.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        let mut warnings = self.inner.scene.warnings.clone();
        warnings.extend(self.path.warnings.iter().cloned());
        let (kept, asked) = (self.answer.tolerance, self.inner.checker.scene().tolerance());
        if kept > asked {
            let why = "the arithmetic of this scene resolves no less";
            warnings.push(format!("the tolerance was raised from {asked:?} m to {kept:?} m: {why}"));
        }
        warnings
    }

    /// What was taken without being said: where the robot starts, which version of the controller.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// What runs between waypoints: "linear", "controller", "natural-cubic" or "polynomials".
    #[getter]
    fn interpolation(&self) -> &'static str {
        self.path.interpolation.name()
    }

    /// The waypoints that were checked, in the order of `scene.joints`.
    #[getter]
    fn waypoints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        PyArray2::from_vec2(py, &self.path.waypoints).map_err(|error| errors::input(error.to_string()))
    }

    /// How much work it took.
    #[getter]
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Statistics { configurations, distance_queries, volume_tests, triangle_tests, bisections } =
            self.answer.statistics;
        let counts = [
            ("configurations", configurations),
            ("distance_queries", distance_queries),
            ("volume_tests", volume_tests),
            ("triangle_tests", triangle_tests),
            ("bisections", bisections),
        ];
        let statistics = PyDict::new(py);
        counts.iter().try_for_each(|(name, count)| statistics.set_item(name, count))?;
        Ok(statistics)
    }

    /// How long it took.
    #[getter]
    fn seconds(&self) -> f64 {
        self.time.as_secs_f64()
    }

    /// Writes down why the path is free; it is proven anew, with notes. Raises `NotFreeError` where it is not.
    fn certificate(&self, py: Python<'_>) -> PyResult<Certificate> {
        if !self.free() {
            return Err(errors::not_free(format!("only what is free has a certificate; this is {}", self.verdict())));
        }
        let (inner, path) = (&self.inner, &self.path);
        if !path.is_certifiable() {
            return Err(errors::input(format!(
                "there are certificates for straight lines and for what a controller runs from its first waypoint on, and \
                 this is {}",
                path.interpolation.meaning()
            )));
        }
        let certified = interrupt::detached(py, || {
            inner.with_scratch(|scratch| path.certified(&inner.checker, &self.settings, scratch))
        })?;
        let (answer, certificate) = certified.map_err(|error| checker::check_error(&error))?;
        certificate.map(Certificate::new).ok_or_else(|| {
            errors::not_free(format!(
                "the path is free, but by less than a certificate needs (some 1e-9 of the robot's size) or the limits allow: \
                 with notes the answer is {}",
                answer.verdict.name()
            ))
        })
    }

    /// An answer is none of two things, so it has no truth value.
    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err("an answer has four verdicts; write answer.free, or compare answer.verdict"))
    }

    fn __repr__(&self) -> String {
        match (&self.answer.verdict, self.bodies()) {
            (Verdict::Free(free), _) => format!("<pathproof.Answer free, lower_clearance={:?}>", free.lower_clearance),
            (verdict, Some((a, b))) => {
                let place = self.t().map_or(String::new(), |t| format!(", t={t:?}"));
                let segment = self.segment().unwrap_or_default();
                format!("<pathproof.Answer {}: {a} and {b}, segment={segment}{place}>", verdict.name())
            }
            (verdict, None) => format!("<pathproof.Answer {}>", verdict.name()),
        }
    }
}

#[pymethods]
impl Finding {
    /// "collision" or "too_close".
    #[getter]
    fn verdict(&self) -> &'static str {
        if self.finding.is_collision() { "collision" } else { "too_close" }
    }

    /// The two bodies.
    #[getter]
    fn bodies(&self) -> (String, String) {
        self.inner.names(self.finding.bodies)
    }

    /// Segment of the path, from 0.
    #[getter]
    fn segment(&self) -> usize {
        self.finding.segment
    }

    /// Where on the segment, from 0 to 1.
    #[getter]
    fn t(&self) -> f64 {
        self.finding.t
    }

    /// When, in seconds, where the path has times.
    #[getter]
    fn time(&self) -> Option<f64> {
        self.path.time_at(self.finding.segment, self.finding.t)
    }

    /// The configuration there.
    #[getter]
    fn configuration<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.finding.configuration)
    }

    /// Upper bound on the distance there, in metres; 0 or negative in a collision.
    #[getter]
    fn distance(&self) -> f64 {
        self.finding.distance
    }

    /// A point of each body in the world, (2, 3).
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        points(py, &self.finding)
    }

    /// The pair's clearance, in metres.
    #[getter]
    fn clearance(&self) -> f64 {
        self.finding.clearance
    }

    fn __repr__(&self) -> String {
        let (a, b) = self.bodies();
        format!("<pathproof.Finding {}: {a} and {b}, segment={}, t={:?}>", self.verdict(), self.segment(), self.t())
    }
}
