//! `Checker`: a scene with its trees, for calls from any thread.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pathproof::check::{self, CheckError, CheckScratch, Report, Settings, Verdict};
use pathproof::scene::{PairKind, Scene as LibraryScene};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::answer::Answer;
use crate::profile::{MinDistance, Profile};
use crate::scene::{Data as SceneData, Scene};
use crate::segments::{self, Asked, BadRow};
use crate::{errors, interrupt, path};

/// A scene prepared for checks: trees are built once, all calls share them, and any thread may call.
#[pyclass(frozen, module = "pathproof")]
pub(crate) struct Checker {
    pub(crate) inner: Arc<Inner>,
}

/// Shared data that answers keep alive.
pub(crate) struct Inner {
    pub(crate) checker: check::Checker,
    pub(crate) scene: Arc<SceneData>,
    allow_empty: bool,
    /// Clearance and tolerance from the caller, in place of the scene's.
    given: Given,
    /// Memory of checks, kept for the next one.
    scratches: Mutex<Vec<CheckScratch>>,
}

/// Clearances and a tolerance in place of those of a scene.
#[derive(Clone, Copy)]
struct Given {
    clearance: Option<f64>,
    self_clearance: Option<f64>,
    tolerance: Option<f64>,
}

impl Given {
    fn applied_to(self, scene: &Scene) -> PyResult<Scene> {
        let scene = match self.clearance {
            Some(clearance) => scene.with_clearance(clearance)?,
            None => Scene { data: Arc::clone(&scene.data) },
        };
        let scene = match self.self_clearance {
            Some(clearance) => scene.with_self_clearance(clearance)?,
            None => scene,
        };
        match self.tolerance {
            Some(tolerance) => scene.with_tolerance(tolerance),
            None => Ok(scene),
        }
    }
}

impl Inner {
    /// Runs a check in reused memory.
    pub(crate) fn with_scratch<T>(&self, work: impl FnOnce(&mut CheckScratch) -> T) -> T {
        let kept = self.scratches.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut scratch = kept.unwrap_or_else(|| CheckScratch::new(&self.checker));
        let result = work(&mut scratch);
        self.scratches.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        result
    }
}

/// The kind of report of that name.
pub(crate) fn report(name: &str) -> PyResult<Report> {
    match name {
        "any" => Ok(Report::Any),
        "first" => Ok(Report::First),
        "all" => Ok(Report::All),
        _ => Err(errors::input(format!("report must be \"any\", \"first\" or \"all\", not {name:?}"))),
    }
}

/// The same for rows with one verdict each.
fn report_of_rows(name: &str) -> PyResult<Report> {
    match report(name)? {
        Report::All => Err(errors::input("report must be \"any\" or \"first\" here: a row has one verdict")),
        report => Ok(report),
    }
}

/// A number of seconds.
pub(crate) fn time_limit(seconds: Option<f64>) -> PyResult<Option<Duration>> {
    let Some(seconds) = seconds else { return Ok(None) };
    let time = Duration::try_from_secs_f64(seconds);
    time.map(Some)
        .map_err(|_| errors::input(format!("max_seconds: {seconds} is not a number of seconds of at least 0")))
}

/// The settings of a call.
pub(crate) fn settings(report: Report, max_queries: Option<u64>, max_seconds: Option<f64>) -> PyResult<Settings> {
    let max_time = time_limit(max_seconds)?;
    Ok(Settings { report, max_queries, max_time, interrupt: Some(interrupt::BY_SIGNALS), ..Settings::default() })
}

/// The exception for a check that could not be made.
pub(crate) fn check_error(error: &CheckError) -> PyErr {
    errors::input(error.to_string())
}

/// Refuses a scene without pairs: it makes every path free, which is rarely what its writer meant.
pub(crate) fn refuse_nothing(scene: &SceneData, is_allowed: bool) -> PyResult<()> {
    if scene.scene.pairs().is_empty() && !is_allowed {
        return Err(errors::bad_scene(
            "no pair of bodies is checked, so every path would be free; scene.unchecked says why, allow_empty=True accepts it",
        ));
    }
    Ok(())
}

impl Checker {
    fn of(
        py: Python<'_>,
        scene: &Scene,
        given: Given,
        allow_empty: bool,
        build: impl FnOnce(LibraryScene) -> check::Checker + Send,
    ) -> PyResult<Self> {
        let scene = given.applied_to(scene)?;
        refuse_nothing(&scene.data, allow_empty)?;
        let checker = py.detach(|| build(scene.data.scene.clone()));
        let inner = Inner { checker, scene: scene.data, allow_empty, given, scratches: Mutex::default() };
        Ok(Self { inner: Arc::new(inner) })
    }
}

#[pymethods]
impl Checker {
    /// Builds the trees of a scene.
    #[new]
    #[pyo3(signature = (scene, *, clearance=None, self_clearance=None, tolerance=None, allow_empty=false))]
    fn new(
        py: Python<'_>,
        scene: &Scene,
        clearance: Option<f64>,
        self_clearance: Option<f64>,
        tolerance: Option<f64>,
        allow_empty: bool,
    ) -> PyResult<Self> {
        Self::of(py, scene, Given { clearance, self_clearance, tolerance }, allow_empty, check::Checker::new)
    }

    /// The scene.
    #[getter]
    fn scene(&self) -> Scene {
        Scene { data: Arc::clone(&self.inner.scene) }
    }

    /// A checker of another scene, most often this one with an object moved, with the clearance and the tolerance given
    /// to this one. Bodies in both scenes share their trees.
    fn updated(&self, py: Python<'_>, scene: &Scene) -> PyResult<Self> {
        let Inner { given, allow_empty, checker, .. } = &*self.inner;
        Self::of(py, scene, *given, *allow_empty, |scene| checker.updated(scene))
    }

    /// Decides a path: an array of waypoints in the order of `scene.joints`, the name of a path file, or a
    /// `Trajectory`.
    #[pyo3(signature = (path, *, report="first", max_queries=None, max_seconds=None, ignore_limits=false))]
    fn check(
        &self,
        py: Python<'_>,
        path: &Bound<'_, PyAny>,
        report: &str,
        max_queries: Option<u64>,
        max_seconds: Option<f64>,
        ignore_limits: bool,
    ) -> PyResult<Answer> {
        let inner = &self.inner;
        let settings = settings(self::report(report)?, max_queries, max_seconds)?;
        let executed = path::executed(path, &inner.scene.scene, &inner.scene.columns, ignore_limits)?;
        let start = Instant::now();
        let decided = interrupt::detached(py, || {
            inner.with_scratch(|scratch| inner.checker.path(&executed.motion, &settings, scratch))
        })?;
        let answer = decided.map_err(|error| check_error(&error))?;
        Ok(Answer::new(Arc::clone(inner), &answer, executed, settings, start.elapsed()))
    }

    /// True if the segment from `a` to `b` is proven free; for planners.
    #[pyo3(signature = (a, b, *, ignore_limits=false))]
    fn is_free(
        &self,
        py: Python<'_>,
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        ignore_limits: bool,
    ) -> PyResult<bool> {
        let SceneData { scene, columns, .. } = &*self.inner.scene;
        let a = columns.configuration(scene, a, "a", ignore_limits)?;
        let b = columns.configuration(scene, b, "b", ignore_limits)?;
        let settings = settings(Report::Any, None, None)?;
        let answer = interrupt::detached(py, || {
            self.inner.with_scratch(|scratch| self.inner.checker.segment(&a, &b, &settings, scratch))
        })?;
        Ok(matches!(answer.map_err(|error| check_error(&error))?.verdict, Verdict::Free(_)))
    }

    /// Decides many segments, from each row of `a` to the same row of `b`: a structured array with a row per segment.
    #[pyo3(signature = (a, b, *, threads=None, report="any", max_queries=None, max_seconds=None, ignore_limits=false))]
    #[allow(clippy::too_many_arguments, reason = "Python calls it with names")]
    fn segments<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        threads: Option<usize>,
        report: &str,
        max_queries: Option<u64>,
        max_seconds: Option<f64>,
        ignore_limits: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let settings = settings(report_of_rows(report)?, max_queries, max_seconds)?;
        let asked = Asked { settings, threads, ignore_limits, bad_row: BadRow::Raise };
        Ok(segments::decide(&self.inner, a, b, &asked)?.0)
    }

    /// The same for tables with rows that may be invalid: those stay undecided, and the dictionary gives the reasons.
    #[pyo3(name = "_segments_and_faults", signature = (a, b, *, threads, report, max_queries, ignore_limits))]
    #[allow(clippy::too_many_arguments, reason = "Python calls it with names")]
    fn segments_and_faults<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        threads: usize,
        report: &str,
        max_queries: Option<u64>,
        ignore_limits: bool,
    ) -> PyResult<(Bound<'py, PyAny>, BTreeMap<usize, String>)> {
        let settings = settings(report_of_rows(report)?, max_queries, None)?;
        let asked = Asked { settings, threads: Some(threads), ignore_limits, bad_row: BadRow::Tell };
        segments::decide(&self.inner, a, b, &asked)
    }

    /// For benchmarks: seconds of the library's own loop over all segments.
    #[pyo3(name = "_time_bare_loop")]
    fn time_bare_loop(&self, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<f64> {
        segments::time_bare_loop(&self.inner, a, b)
    }

    /// Proven bounds on the distance of every checked pair along a path, in numpy columns.
    #[pyo3(signature = (path, *, max_queries=None, max_seconds=None, ignore_limits=false))]
    fn profile(
        &self,
        py: Python<'_>,
        path: &Bound<'_, PyAny>,
        max_queries: Option<u64>,
        max_seconds: Option<f64>,
        ignore_limits: bool,
    ) -> PyResult<Profile> {
        let inner = &self.inner;
        let settings = settings(Report::Any, max_queries, max_seconds)?;
        let motion = path::executed(path, &inner.scene.scene, &inner.scene.columns, ignore_limits)?.motion;
        let profile = interrupt::detached(py, || {
            inner.with_scratch(|scratch| inner.checker.profile(&motion, &settings, scratch, &mut |_| {}))
        })?;
        Ok(Profile::new(inner, &profile.map_err(|error| check_error(&error))?, &motion))
    }

    /// Bounds on the smallest distance of all checked pairs along a path, and its place; `kind="world"` or
    /// `kind="self"` takes the pairs of one kind. None if no pair is checked.
    #[pyo3(signature = (path, *, kind=None, max_queries=None, max_seconds=None, ignore_limits=false))]
    fn min_distance(
        &self,
        py: Python<'_>,
        path: &Bound<'_, PyAny>,
        kind: Option<&str>,
        max_queries: Option<u64>,
        max_seconds: Option<f64>,
        ignore_limits: bool,
    ) -> PyResult<Option<MinDistance>> {
        let kind = kind.map(pair_kind).transpose()?;
        let inner = &self.inner;
        let settings = settings(Report::Any, max_queries, max_seconds)?;
        let motion = path::executed(path, &inner.scene.scene, &inner.scene.columns, ignore_limits)?.motion;
        let smallest = interrupt::detached(py, || {
            inner.with_scratch(|scratch| inner.checker.smallest_distance(&motion, &settings, scratch))
        })?;
        let mut smallest = smallest.map_err(|error| check_error(&error))?;
        let smallest = match kind {
            Some(kind) => smallest[kind].take(),
            None => smallest.overall(),
        };
        Ok(smallest.map(|smallest| MinDistance::new(inner, &motion, &smallest)))
    }

    fn __repr__(&self) -> String {
        let checker = &self.inner.checker;
        format!(
            "<pathproof.Checker: {} pairs, {} kB of trees>",
            checker.scene().pairs().len(),
            checker.tree_bytes() >> 10
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.get_type::<Self>().getattr("_restore")?;
        let Given { clearance, self_clearance, tolerance } = self.inner.given;
        Ok((restore, (self.scene(), clearance, self_clearance, tolerance, self.inner.allow_empty).into_pyobject(py)?))
    }

    /// Restores a checker from a pickle.
    #[staticmethod]
    #[pyo3(name = "_restore")]
    fn restore(
        py: Python<'_>,
        scene: &Scene,
        clearance: Option<f64>,
        self_clearance: Option<f64>,
        tolerance: Option<f64>,
        allow_empty: bool,
    ) -> PyResult<Self> {
        Self::new(py, scene, clearance, self_clearance, tolerance, allow_empty)
    }
}

/// The kind of pair of that name.
fn pair_kind(name: &str) -> PyResult<PairKind> {
    let found = PairKind::ALL.into_iter().find(|kind| kind.name() == name);
    found.ok_or_else(|| PyValueError::new_err(format!("kind must be \"world\" or \"self\", not {name:?}")))
}
