//! `Certificate` and `verify`: proofs that can be stored, passed on, and checked without trusting the checker.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use numpy::PyArray2;
use pathproof::certificate as library;
use pathproof::robot::Interpolation;
use pathproof_formats::certificate as certificate_file;
use pathproof_verifier::{Fault, Verifier};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::pickled::{self, Reduced};
use crate::scene::Scene;
use crate::{checker, errors, path};

/// A proof that a path is free, or a file that claims to be one.
#[pyclass(frozen, module = "pathproof")]
pub(crate) struct Certificate {
    certificate: Arc<library::Certificate>,
}

/// Result of a verification.
#[pyclass(frozen, get_all, module = "pathproof")]
pub(crate) struct Accepted {
    /// Segments of the path.
    segments: usize,
    /// Pairs of bodies that were shown to stay apart on each segment.
    pairs: usize,
    /// Half cells that show it.
    halves: usize,
    /// The motion between waypoints that is proven free: "linear" or "controller".
    interpolation: String,
}

#[pymethods]
impl Accepted {
    fn __repr__(&self) -> String {
        let Self { segments, pairs, halves, .. } = self;
        format!("<pathproof.Accepted: {segments} segments, {pairs} pairs of bodies, {halves} half cells>")
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let Self { segments, pairs, halves, interpolation } = self;
        pickled::reduced::<Self>(py, (segments, pairs, halves, interpolation))
    }

    /// Restores a certificate from a pickle.
    #[staticmethod]
    #[pyo3(name = "_restore")]
    fn restore(told: (usize, usize, usize, String)) -> Self {
        let (segments, pairs, halves, interpolation) = told;
        Self { segments, pairs, halves, interpolation }
    }
}

impl Certificate {
    pub(crate) fn new(certificate: library::Certificate) -> Self {
        Self { certificate: Arc::new(certificate) }
    }
}

#[pymethods]
impl Certificate {
    /// Reads one from a file, without verifying it.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Self> {
        certificate_file::read(&path).map(Self::new).map_err(|error| errors::file(&error))
    }

    /// Reads one from bytes, without verifying it.
    #[staticmethod]
    fn from_bytes(data: &[u8]) -> PyResult<Self> {
        library::Certificate::parse(data).map(Self::new).map_err(|error| errors::input(error.to_string()))
    }

    /// Writes it, in one step.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        certificate_file::write(&path, &self.certificate).map_err(|error| errors::file(&error))
    }

    /// Its bytes, as in a file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.certificate.to_bytes())
    }

    /// Number of segments of its path.
    #[getter]
    fn segments(&self) -> usize {
        self.certificate.segments()
    }

    /// Its path.
    #[getter]
    fn waypoints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        PyArray2::from_vec2(py, &self.certificate.waypoints).map_err(|error| errors::input(error.to_string()))
    }

    /// The motion between waypoints that it states: "linear" or "controller".
    #[getter]
    fn interpolation(&self) -> &'static str {
        let interpolation = self.certificate.curve.as_ref().map(|_| Interpolation::Controller);
        interpolation.unwrap_or_default().name()
    }

    /// Names of the path's columns.
    #[getter]
    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.certificate.scene.variables)
    }

    /// Names of the bodies.
    #[getter]
    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.certificate.scene.bodies)
    }

    /// Clearance of pairs without their own, in metres.
    #[getter]
    fn clearance(&self) -> f64 {
        self.certificate.scene.clearance
    }

    /// The assumptions of the proof, in plain words.
    #[getter]
    fn assumptions(&self) -> Vec<String> {
        self.certificate.scene.assumptions.clone()
    }

    /// Compares bytes: directions are rounded when they are written.
    fn __eq__(&self, other: &Self) -> bool {
        self.certificate.to_bytes() == other.certificate.to_bytes()
    }

    fn __repr__(&self) -> String {
        format!("<pathproof.Certificate of {} segments, not verified>", self.certificate.segments())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (self.to_bytes(py),)))
    }
}

/// Time that the verifier works before the first check for signals; doubled each time, since it starts over.
const FIRST_SLICE: Duration = Duration::from_secs(1);

/// Checks a certificate of a path in a scene, trusting nothing of the checker. Raises `RefusedError` unless it proves
/// the path free.
#[pyfunction]
#[pyo3(signature = (scene, path, proof, *, max_seconds=None, allow_empty=false, ignore_limits=false))]
pub(crate) fn verify(
    py: Python<'_>,
    scene: &Scene,
    path: &Bound<'_, PyAny>,
    proof: &Bound<'_, PyAny>,
    max_seconds: Option<f64>,
    allow_empty: bool,
    ignore_limits: bool,
) -> PyResult<Accepted> {
    let end = checker::time_limit(max_seconds)?.and_then(|time| Instant::now().checked_add(time));
    checker::refuse_nothing(&scene.data, allow_empty)?;
    let certificate = match path::file_name(proof)? {
        Some(file) => certificate_file::read(&file).map(Arc::new).map_err(|error| errors::file(&error))?,
        None => Arc::clone(&proof.extract::<PyRef<'_, Certificate>>()?.certificate),
    };
    let motion = path::executed(path, &scene.data.scene, &scene.data.columns, ignore_limits)?.motion;
    if !motion.is_certifiable() {
        return Err(errors::input(format!("there are no certificates for {}", motion.interpolation().meaning())));
    }
    let interpolation = motion.interpolation().name();
    let verifier = py.detach(|| Verifier::new(&scene.data.scene)).map_err(errors::bad_scene)?;
    let mut slice = FIRST_SLICE;
    loop {
        let until = Instant::now() + slice;
        let deadline = end.map_or(until, |end| end.min(until));
        let answer = py.detach(|| verifier.verify_until(&motion, &certificate, Some(deadline)));
        py.check_signals()?;
        match answer {
            Ok(shown) => {
                let pathproof_verifier::Accepted { segments, pairs, halves } = shown;
                return Ok(Accepted { segments, pairs, halves, interpolation: interpolation.to_owned() });
            }
            // The slice ended, not the allowed time.
            Err(refusal)
                if refusal.fault == Fault::TooMuchWork
                    && Instant::now() >= until
                    && end.is_none_or(|end| Instant::now() < end) => {}
            Err(refusal) => return Err(errors::refused(&refusal)),
        }
        slice *= 2;
    }
}
