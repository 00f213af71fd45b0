//! `Answer` and `Finding`: the contract's verdicts with their evidence, as Python values.
//!
//! Both hold plain values, which their pickles carry. An answer that came from a checker also keeps that checker, for
//! the certificate.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use numpy::{PyArray1, PyArray2};
use pathproof::check::{self, Free, Settings, Statistics, Unresolved, Verdict};
use pathproof::path::{Motion, Version};
use pathproof::scene::PairKind;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::certificate::Certificate;
use crate::checker::{self, Inner};
use crate::path::Executed;
use crate::pickled::{self, Reduced};
use crate::{errors, interrupt};

/// The answer for a path.
#[pyclass(frozen, module = "pathproof")]
pub(crate) struct Answer {
    told: ToldAnswer,
    asked: Option<Asked>,
}

/// Needed for a certificate; not part of a pickle.
struct Asked {
    inner: Arc<Inner>,
    motion: Motion,
    settings: Settings,
}

/// All values of an answer.
#[derive(FromPyObject, IntoPyObjectRef)]
#[pyo3(from_item_all)]
struct ToldAnswer {
    verdict: String,
    found: Option<ToldFinding>,
    /// The pair that was found, or left undecided.
    bodies: Option<(String, String)>,
    segment: Option<usize>,
    interval: Option<(f64, f64)>,
    lower_clearance: Option<f64>,
    /// By kind of pair.
    lower: Option<BTreeMap<String, f64>>,
    clearance: f64,
    tolerance: f64,
    limit: Option<String>,
    complete: bool,
    free_until: Option<(usize, f64)>,
    findings: Vec<ToldFinding>,
    warnings: Vec<String>,
    notes: Vec<String>,
    interpolation: String,
    waypoints: Vec<Vec<f64>>,
    statistics: Counts,
    seconds: f64,
}

/// A pair that is in contact or too close, and the place.
#[pyclass(frozen, module = "pathproof")]
pub(crate) struct Finding {
    told: ToldFinding,
}

/// All values of a finding.
#[derive(Clone, FromPyObject, IntoPyObjectRef)]
#[pyo3(from_item_all)]
struct ToldFinding {
    verdict: String,
    bodies: (String, String),
    segment: usize,
    t: f64,
    time: Option<f64>,
    configuration: Vec<f64>,
    distance: f64,
    points: [[f64; 3]; 2],
    clearance: f64,
    version: Option<String>,
}

/// Work of a check; a dictionary in Python.
#[derive(Clone, Copy, FromPyObject, IntoPyObject, IntoPyObjectRef)]
#[pyo3(from_item_all)]
pub(crate) struct Counts {
    configurations: u64,
    distance_queries: u64,
    volume_tests: u64,
    triangle_tests: u64,
    bisections: u64,
}

impl From<Statistics> for Counts {
    fn from(statistics: Statistics) -> Self {
        let Statistics { configurations, distance_queries, volume_tests, triangle_tests, bisections } = statistics;
        Self { configurations, distance_queries, volume_tests, triangle_tests, bisections }
    }
}

/// The bounds of a proof by kind of pair, without kinds that have no pairs.
fn lower_by_kind(free: &Free) -> BTreeMap<String, f64> {
    let kinds = PairKind::ALL.into_iter().filter(|kind| free.lower[*kind].is_finite());
    kinds.map(|kind| (kind.name().to_owned(), free.lower[kind])).collect()
}

impl Inner {
    /// Names of a pair of bodies.
    pub(crate) fn names(&self, bodies: [usize; 2]) -> (String, String) {
        let name = |body: usize| self.checker.scene().bodies()[body].name.clone();
        (name(bodies[0]), name(bodies[1]))
    }

    /// The clearance required of a pair.
    fn clearance_of(&self, bodies: [usize; 2]) -> Option<f64> {
        self.checker.scene().checked_pair(bodies).map(|pair| pair.clearance)
    }
}

impl ToldFinding {
    fn new(inner: &Inner, motion: &Motion, found: &check::Finding) -> Self {
        Self {
            verdict: if found.is_collision() { "collision" } else { "too_close" }.to_owned(),
            bodies: inner.names(found.bodies),
            segment: found.segment,
            t: found.t,
            time: motion.time_at(found.segment, found.t),
            configuration: found.configuration.clone(),
            distance: found.distance,
            points: found.points.map(|point| point.to_array()),
            clearance: found.clearance,
            version: (found.version != Version::Newest).then(|| found.version.name().to_owned()),
        }
    }

    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = self.points.map(|point| point.to_vec());
        PyArray2::from_vec2(py, &rows).map_err(|error| errors::input(error.to_string()))
    }
}

impl Answer {
    pub(crate) fn new(
        inner: Arc<Inner>,
        answer: &check::Answer,
        Executed { motion, warnings, notes }: Executed,
        settings: Settings,
        time: Duration,
    ) -> Self {
        let scene = inner.checker.scene();
        let open: Option<&Unresolved> = match &answer.verdict {
            Verdict::Undecided(open) => Some(open),
            _ => None,
        };
        let found = match &answer.verdict {
            Verdict::Collision(found) | Verdict::TooClose(found) => Some(found),
            Verdict::Free(_) | Verdict::Undecided(_) => None,
        };
        let bodies = found.map(|found| found.bodies).or(open.map(|open| open.bodies));
        let told = ToldAnswer {
            verdict: answer.verdict.name().to_owned(),
            bodies: bodies.map(|bodies| inner.names(bodies)),
            segment: found.map(|found| found.segment).or(open.map(|open| open.segment)),
            interval: open.map(|open| open.interval.into()),
            lower_clearance: match answer.verdict {
                Verdict::Free(free) => Some(free.lower_clearance()),
                _ => None,
            },
            lower: match answer.verdict {
                Verdict::Free(free) => Some(lower_by_kind(&free)),
                _ => None,
            },
            clearance: bodies.and_then(|bodies| inner.clearance_of(bodies)).unwrap_or(scene.clearance()),
            found: found.map(|found| ToldFinding::new(&inner, &motion, found)),
            tolerance: answer.tolerance,
            limit: answer.unresolved.as_ref().map(|open| open.limit.name().to_owned()),
            complete: answer.is_complete(),
            free_until: answer.free_until.map(|place| (place.segment, place.t)),
            findings: answer.findings.iter().map(|found| ToldFinding::new(&inner, &motion, found)).collect(),
            warnings: answer.warning_texts(scene, inner.scene.warnings.iter().cloned().chain(warnings).collect()),
            notes,
            interpolation: motion.interpolation().name().to_owned(),
            waypoints: motion.waypoints().to_vec(),
            statistics: answer.statistics.into(),
            seconds: time.as_secs_f64(),
        };
        Self { told, asked: Some(Asked { inner, motion, settings }) }
    }

    fn found(&self) -> Option<&ToldFinding> {
        self.told.found.as_ref()
    }
}

#[pymethods]
impl Answer {
    /// "free", "collision", "too_close" or "undecided".
    #[getter]
    fn verdict(&self) -> &str {
        &self.told.verdict
    }

    /// True if every checked pair is proven farther apart than its clearance at every configuration.
    #[getter]
    fn free(&self) -> bool {
        self.told.verdict == "free"
    }

    /// The pair that was found, or left undecided.
    #[getter]
    fn bodies(&self) -> Option<(String, String)> {
        self.told.bodies.clone()
    }

    /// The segment of the path, from 0.
    #[getter]
    fn segment(&self) -> Option<usize> {
        self.told.segment
    }

    /// The place on the segment, from 0 to 1.
    #[getter]
    fn t(&self) -> Option<f64> {
        self.found().map(|found| found.t)
    }

    /// The time in seconds, if the path has times.
    #[getter]
    fn time(&self) -> Option<f64> {
        self.found().and_then(|found| found.time)
    }

    /// The configuration there.
    #[getter]
    fn configuration<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.found().map(|found| PyArray1::from_slice(py, &found.configuration))
    }

    /// A point of each body in the world, (2, 3).
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        self.found().map(|found| found.points(py)).transpose()
    }

    /// Upper bound on the pair's distance there, in metres; 0 or negative in a collision.
    #[getter]
    fn distance(&self) -> Option<f64> {
        self.found().map(|found| found.distance)
    }

    /// "older-controller" if it is found on the first segment as older versions of the controller run it.
    #[getter]
    fn version(&self) -> Option<&str> {
        self.found().and_then(|found| found.version.as_deref())
    }

    /// If free: proven lower bound on the smallest distance over path and pairs, in metres.
    #[getter]
    fn lower_clearance(&self) -> Option<f64> {
        self.told.lower_clearance
    }

    /// If free: the same by kind of pair, "world" and "self" (links of one robot), without kinds that have no pairs in
    /// the scene.
    #[getter]
    fn lower(&self) -> Option<BTreeMap<String, f64>> {
        self.told.lower.clone()
    }

    /// The required clearance, in metres: the pair's, or the scene's if there is no pair.
    #[getter]
    fn clearance(&self) -> f64 {
        self.told.clearance
    }

    /// The tolerance of the answer, in metres.
    #[getter]
    fn tolerance(&self) -> f64 {
        self.told.tolerance
    }

    /// If undecided: the part of the segment that was left open.
    #[getter]
    fn interval(&self) -> Option<(f64, f64)> {
        self.told.interval
    }

    /// The limit that ended the search early: "queries", "seconds" or "resolution".
    #[getter]
    fn limit(&self) -> Option<&str> {
        self.told.limit.as_deref()
    }

    /// True if no limit ended the search early.
    #[getter]
    fn complete(&self) -> bool {
        self.told.complete
    }

    /// With report="first": segment and t up to which the path is proven free.
    #[getter]
    fn free_until(&self) -> Option<(usize, f64)> {
        self.told.free_until
    }

    /// With report="all": every offending pair and segment along the path.
    #[getter]
    fn findings(&self) -> Vec<Finding> {
        self.told.findings.iter().map(|told| Finding { told: told.clone() }).collect()
    }

    /// Warnings about path and scene.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.told.warnings.clone()
    }

    /// Assumptions that were made: the start of the robot, the version of the controller.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.told.notes.clone()
    }

    /// The motion between waypoints: "linear", "controller", "upsampled", "natural-cubic" or "polynomials".
    #[getter]
    fn interpolation(&self) -> &str {
        &self.told.interpolation
    }

    /// The waypoints that were checked, in the order of `scene.joints`. Straight lines join them only if
    /// `interpolation` is "linear".
    #[getter]
    fn waypoints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        PyArray2::from_vec2(py, &self.told.waypoints).map_err(|error| errors::input(error.to_string()))
    }

    /// Work of the check.
    #[getter]
    fn statistics(&self) -> Counts {
        self.told.statistics
    }

    /// Duration of the check.
    #[getter]
    fn seconds(&self) -> f64 {
        self.told.seconds
    }

    /// Proves the path again, recording a certificate. Raises `NotFreeError` if it is not free.
    fn certificate(&self, py: Python<'_>) -> PyResult<Certificate> {
        if !self.free() {
            return Err(errors::not_free(format!("only what is free has a certificate; this is {}", self.verdict())));
        }
        let Some(Asked { inner, motion, settings }) = &self.asked else {
            return Err(errors::input(
                "a certificate is made by the checker that gave the answer, and pickles of answers hold none; check the path \
                 again, or pickle the certificate",
            ));
        };
        let certified =
            interrupt::detached(py, || inner.with_scratch(|scratch| inner.checker.certify(motion, settings, scratch)))?;
        let (answer, certificate) = certified.map_err(|error| checker::check_error(&error))?;
        certificate.map(Certificate::new).ok_or_else(|| {
            errors::not_free(format!(
                "the path is free, but by less than a certificate needs (some 1e-9 of the robot's size) or the limits allow: \
                 with notes the answer is {}",
                answer.verdict.name()
            ))
        })
    }

    /// An answer has more than two outcomes, so it has no truth value.
    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err("an answer has four verdicts; write answer.free, or compare answer.verdict"))
    }

    fn __repr__(&self) -> String {
        let ToldAnswer { verdict, bodies, segment, lower_clearance, .. } = &self.told;
        match (lower_clearance, bodies) {
            (Some(lower), _) => format!("<pathproof.Answer free, lower_clearance={lower:?}>"),
            (None, Some((a, b))) => {
                let place = self.t().map_or(String::new(), |t| format!(", t={t:?}"));
                format!("<pathproof.Answer {verdict}: {a} and {b}, segment={}{place}>", segment.unwrap_or_default())
            }
            (None, None) => format!("<pathproof.Answer {verdict}>"),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        pickled::reduced::<Self>(py, &self.told)
    }

    /// Restores an answer from a pickle.
    #[staticmethod]
    #[pyo3(name = "_restore")]
    fn restore(told: ToldAnswer) -> Self {
        Self { told, asked: None }
    }
}

#[pymethods]
impl Finding {
    /// "collision" or "too_close".
    #[getter]
    fn verdict(&self) -> &str {
        &self.told.verdict
    }

    /// The two bodies.
    #[getter]
    fn bodies(&self) -> (String, String) {
        self.told.bodies.clone()
    }

    /// Segment of the path, from 0.
    #[getter]
    fn segment(&self) -> usize {
        self.told.segment
    }

    /// The place on the segment, from 0 to 1.
    #[getter]
    fn t(&self) -> f64 {
        self.told.t
    }

    /// The time in seconds, if the path has times.
    #[getter]
    fn time(&self) -> Option<f64> {
        self.told.time
    }

    /// The configuration there.
    #[getter]
    fn configuration<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.told.configuration)
    }

    /// Upper bound on the distance there, in metres; 0 or negative in a collision.
    #[getter]
    fn distance(&self) -> f64 {
        self.told.distance
    }

    /// A point of each body in the world, (2, 3).
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.told.points(py)
    }

    /// The pair's clearance, in metres.
    #[getter]
    fn clearance(&self) -> f64 {
        self.told.clearance
    }

    /// "older-controller" on the first segment as older versions of the controller run it.
    #[getter]
    fn version(&self) -> Option<&str> {
        self.told.version.as_deref()
    }

    fn __repr__(&self) -> String {
        let ToldFinding { verdict, bodies: (a, b), segment, t, .. } = &self.told;
        format!("<pathproof.Finding {verdict}: {a} and {b}, segment={segment}, t={t:?}>")
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        pickled::reduced::<Self>(py, &self.told)
    }

    /// Restores a finding from a pickle.
    #[staticmethod]
    #[pyo3(name = "_restore")]
    fn restore(told: ToldFinding) -> Self {
        Self { told }
    }
}
