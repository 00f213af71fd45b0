//! `plan` and `smooth`: paths that are free for every configuration on them, found and shortened.
//!
//! The search runs on a thread of its own; the caller's thread polls for signals. Invariant: only paths that the
//! library calls proven are called proven here.

use std::time::Instant;

use numpy::PyArray2;
use pathproof::check::{Statistics, Verdict};
use pathproof::plan::{
    Budget, EdgeTest, Effort, Evidence, Goal, Outcome, PlanError, Planner, Problem, RandomWalk, RrtConnect, Sbl,
    Smoother, SmoothingEnd, Space, Stop, remove_redundant, smooth as library_smooth,
};
use pathproof::scene::Scene as LibraryScene;
use pathproof_formats::goal_region;
use pyo3::prelude::*;

use crate::checker::{Checker, Inner, time_limit};
use crate::pickled::{self, Reduced};
use crate::{arrays, errors, interrupt, path};

/// Result of a planner.
#[pyclass(frozen, module = "pathproof")]
pub(crate) struct Plan {
    waypoints: Option<Vec<Vec<f64>>>,
    /// Name of the planner.
    #[pyo3(get)]
    planner: String,
    /// True if every configuration on the path is proven free; only `planner="sbl"` finds paths that are not.
    #[pyo3(get)]
    proven: bool,
    /// Length of the path: Euclidean, over joints scaled to their ranges.
    #[pyo3(get)]
    length: Option<f64>,
    /// If none was found, the limit that ended the search: "steps" or "seconds". A path may still exist.
    #[pyo3(get)]
    limit: Option<String>,
    /// If none was found: how near both trees came (fraction of the joints' ranges), or the walk's smallest distance
    /// from the region (metres).
    #[pyo3(get)]
    nearest: Option<f64>,
    /// Notes: goals that are not free and were left out.
    #[pyo3(get)]
    warnings: Vec<String>,
    /// Work of the planner.
    #[pyo3(get)]
    statistics: Work,
    /// Duration of planning.
    #[pyo3(get)]
    seconds: f64,
}

/// A shorter path.
#[pyclass(frozen, module = "pathproof")]
pub(crate) struct Smoothed {
    waypoints: Vec<Vec<f64>>,
    /// Length of the given path.
    #[pyo3(get)]
    length_before: f64,
    /// Length now.
    #[pyo3(get)]
    length: f64,
    /// Shortcuts that were made.
    #[pyo3(get)]
    shortcuts: u64,
    /// Reason why it ended: "converged", "steps" or "seconds".
    #[pyo3(get)]
    end: String,
    /// Warnings about the given path: that a controller would not run the straight lines that were smoothed.
    #[pyo3(get)]
    warnings: Vec<String>,
    /// Work of smoothing.
    #[pyo3(get)]
    statistics: Work,
    /// Duration of smoothing.
    #[pyo3(get)]
    seconds: f64,
}

/// Work of planning or smoothing; a dictionary in Python.
#[derive(Clone, Copy, FromPyObject, IntoPyObject, IntoPyObjectRef)]
#[pyo3(from_item_all)]
struct Work {
    steps: u64,
    milestones: usize,
    segments: u64,
    candidates: u64,
    configurations: u64,
    distance_queries: u64,
    volume_tests: u64,
    triangle_tests: u64,
    bisections: u64,
}

impl From<Effort> for Work {
    fn from(effort: Effort) -> Self {
        let Effort { steps, milestones, segments, candidates, statistics } = effort;
        let Statistics { configurations, distance_queries, volume_tests, triangle_tests, bisections } = statistics;
        Self {
            steps,
            milestones,
            segments,
            candidates,
            configurations,
            distance_queries,
            volume_tests,
            triangle_tests,
            bisections,
        }
    }
}

/// The values of a pickled plan.
type ToldPlan =
    ((Option<Vec<Vec<f64>>>, String, bool, Option<f64>), (Option<String>, Option<f64>, Vec<String>, Work, f64));

/// The values of a pickled smoothed path.
type ToldSmoothed = ((Vec<Vec<f64>>, f64, f64, u64), (String, Vec<String>, Work, f64));

#[pymethods]
impl Plan {
    /// True if there is a path.
    #[getter]
    fn found(&self) -> bool {
        self.waypoints.is_some()
    }

    /// The path, (n, joints) in the order of `scene.joints`.
    #[getter]
    fn waypoints<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        self.waypoints.as_ref().map(|waypoints| table(py, waypoints)).transpose()
    }

    fn __repr__(&self) -> String {
        match (&self.waypoints, self.proven) {
            (Some(waypoints), true) => format!("<pathproof.Plan of {} waypoints, proven free>", waypoints.len()),
            (Some(waypoints), false) => {
                format!("<pathproof.Plan of {} waypoints, sampled, not proven>", waypoints.len())
            }
            (None, _) => {
                format!("<pathproof.Plan: none found, ended by {}>", self.limit.as_deref().unwrap_or_default())
            }
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let Self { waypoints, planner, proven, length, limit, nearest, warnings, statistics, seconds } = self;
        let values = ((waypoints, planner, proven, length), (limit, nearest, warnings, statistics, seconds));
        pickled::reduced::<Self>(py, values)
    }

    /// Restores a plan from a pickle.
    #[staticmethod]
    #[pyo3(name = "_restore")]
    fn restore(told: ToldPlan) -> Self {
        let ((waypoints, planner, proven, length), (limit, nearest, warnings, statistics, seconds)) = told;
        Self { waypoints, planner, proven, length, limit, nearest, warnings, statistics, seconds }
    }
}

#[pymethods]
impl Smoothed {
    /// The path; every segment of it is proven.
    #[getter]
    fn waypoints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        table(py, &self.waypoints)
    }

    fn __repr__(&self) -> String {
        let Self { waypoints, length_before, length, .. } = self;
        format!("<pathproof.Smoothed: {} waypoints, length {length_before:?} to {length:?}>", waypoints.len())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let Self { waypoints, length_before, length, shortcuts, end, warnings, statistics, seconds } = self;
        let values = ((waypoints, length_before, length, shortcuts), (end, warnings, statistics, seconds));
        pickled::reduced::<Self>(py, values)
    }

    /// Restores a path from a pickle.
    #[staticmethod]
    #[pyo3(name = "_restore")]
    fn restore(told: ToldSmoothed) -> Self {
        let ((waypoints, length_before, length, shortcuts), (end, warnings, statistics, seconds)) = told;
        Self { waypoints, length_before, length, shortcuts, end, warnings, statistics, seconds }
    }
}

fn table<'py>(py: Python<'py>, waypoints: &[Vec<f64>]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    PyArray2::from_vec2(py, waypoints).map_err(|error| errors::input(error.to_string()))
}

/// Searches for a path from a start to a goal: a configuration, any of several (n, joints), or a region of the world.
#[pyfunction]
#[pyo3(signature = (checker, start, goal=None, *, goal_region=None, planner=None, seed=1, step=None, max_seconds=60.0,
                    max_steps=None, ignore_limits=false))]
#[allow(clippy::too_many_arguments, reason = "Python calls it with names")]
pub(crate) fn plan(
    py: Python<'_>,
    checker: &Checker,
    start: &Bound<'_, PyAny>,
    goal: Option<&Bound<'_, PyAny>>,
    goal_region: Option<&str>,
    planner: Option<&str>,
    seed: u64,
    step: Option<f64>,
    max_seconds: Option<f64>,
    max_steps: Option<u64>,
    ignore_limits: bool,
) -> PyResult<Plan> {
    let inner = &checker.inner;
    let by_default = if goal_region.is_some() && step.is_some() { "random-walk" } else { "rrt-connect" };
    let (named, is_chosen) = (planner.unwrap_or(by_default), planner.is_some());
    let planner = planner_of(named, step, goal_region.is_some())?;
    let max_time = time_limit(max_seconds)?;
    let start = inner.scene.columns.configuration(&inner.scene.scene, start, "start", ignore_limits)?;
    let goal = goal_of(inner, goal, goal_region, ignore_limits)?;
    let given = if let Goal::AnyOf(goals) = &goal { goals.len() } else { 0 };
    let begun = Instant::now();
    let searched = interrupt::searching(py, |stop| {
        let problem = Problem::new(&inner.checker, start, goal)?;
        let left = if let Goal::AnyOf(goals) = problem.goal() { goals.len() } else { 0 };
        let budget = Budget { max_steps, max_time, stop: Some(stop), ..Budget::default() };
        let (name, outcome) = match planner.plan(&problem, seed, &budget) {
            // Walks need no configuration inside the region.
            Err(PlanError::NoRoot { .. }) if !is_chosen => {
                let max_time = max_time.map(|time| time.saturating_sub(begun.elapsed()));
                let walk = RandomWalk::default();
                (walk.name(), walk.plan(&problem, seed, &Budget { max_time, ..budget })?)
            }
            outcome => (planner.name(), outcome?),
        };
        let length = match &outcome {
            Outcome::Found(planned) => Some(problem.space().path_length(&planned.waypoints)),
            Outcome::NotFound(_) => None,
        };
        Ok((name.to_owned(), outcome, length, given - left))
    })?;
    let (name, outcome, length, left_out) = searched.map_err(|error| refusal(&inner.scene.scene, &error))?;
    let seconds = begun.elapsed().as_secs_f64();
    let warnings = match left_out {
        0 => Vec::new(),
        _ => vec![format!("{left_out} of {given} goals are not free and left out")],
    };
    Ok(match outcome {
        Outcome::Found(planned) => {
            let proven = planned.evidence == Evidence::Proven;
            let (waypoints, statistics) = (Some(planned.waypoints), planned.effort.into());
            Plan { waypoints, planner: name, proven, length, limit: None, nearest: None, warnings, statistics, seconds }
        }
        Outcome::NotFound(shortfall) => {
            let nearest = Some(shortfall.nearest).filter(|nearest| nearest.is_finite());
            let (limit, statistics) = (Some(stop_name(shortfall.stop).to_owned()), shortfall.effort.into());
            let (waypoints, proven) = (None, false);
            Plan { waypoints, planner: name, proven, length, limit, nearest, warnings, statistics, seconds }
        }
    })
}

fn planner_of(name: &str, step: Option<f64>, has_region: bool) -> PyResult<Box<dyn Planner + Send + Sync>> {
    if let Some(step) = step.filter(|step| !(*step > 0.0 && *step <= 1.0)) {
        return Err(errors::input(format!("step: {step} is not a fraction of a range, above 0 and at most 1")));
    }
    if step.is_some() && matches!(name, "a-sbl" | "rrt-connect") {
        return Err(errors::input(
            "step: only sbl and random-walk have one; the others prove edges whatever their length",
        ));
    }
    match name {
        "rrt-connect" => Ok(Box::new(RrtConnect::default())),
        "a-sbl" => Ok(Box::new(Sbl::default())),
        "sbl" => Ok(Box::new(Sbl { edge_test: EdgeTest::Fixed { step: step.unwrap_or(0.01) }, ..Sbl::default() })),
        "random-walk" if has_region => Ok(Box::new(RandomWalk { step: step.unwrap_or(RandomWalk::default().step) })),
        "random-walk" => Err(errors::input("random-walk takes a region, not a configuration; give goal_region")),
        _ => {
            let known = "\"rrt-connect\", \"a-sbl\", \"random-walk\" or \"sbl\"";
            Err(errors::input(format!("planner must be {known}, not {name:?}")))
        }
    }
}

fn goal_of(
    inner: &Inner,
    goal: Option<&Bound<'_, PyAny>>,
    region: Option<&str>,
    ignore_limits: bool,
) -> PyResult<Goal> {
    let (scene, columns) = (&inner.scene.scene, &inner.scene.columns);
    match (goal, region) {
        (None, None) => Err(errors::input("give a goal or a goal_region")),
        (Some(_), Some(_)) => Err(errors::input("give a goal or a goal_region, not both")),
        (None, Some(region)) => {
            Ok(Goal::Inside(goal_region::parse(region, scene).map_err(|error| errors::input(error.to_string()))?))
        }
        (Some(goal), None) => {
            let expected = || format!("{}, or several of them", columns.expected(scene));
            let array = arrays::real_array(goal, "goal", &expected)?;
            if array.getattr("ndim")?.extract::<usize>()? == 1 {
                return Ok(Goal::AnyOf(vec![columns.configuration(scene, goal, "goal", ignore_limits)?]));
            }
            Ok(Goal::AnyOf(path::lines(goal, scene, columns, ignore_limits)?.0))
        }
    }
}

/// Shortens a path, which must be free; every segment of the result is proven, and the ends stay.
#[pyfunction]
#[pyo3(signature = (checker, path, *, steps=None, max_seconds=None, seed=1, keep_waypoints=false, ignore_limits=false))]
#[allow(clippy::too_many_arguments, reason = "Python calls it with names")]
pub(crate) fn smooth(
    py: Python<'_>,
    checker: &Checker,
    path: &Bound<'_, PyAny>,
    steps: Option<u64>,
    max_seconds: Option<f64>,
    seed: u64,
    keep_waypoints: bool,
    ignore_limits: bool,
) -> PyResult<Smoothed> {
    let inner = &checker.inner;
    let max_time = time_limit(max_seconds)?;
    let (given, warnings) = path::lines(path, &inner.scene.scene, &inner.scene.columns, ignore_limits)?;
    // A given number of steps is run in full.
    let patience = Smoother::default().patience.filter(|_| steps.is_none());
    let smoother = Smoother { patience, ..Smoother::default() };
    let begun = Instant::now();
    let searched = interrupt::searching(py, |stop| {
        let budget = Budget { max_steps: steps, max_time, stop: Some(stop), ..Budget::default() };
        let mut smoothed = library_smooth(&inner.checker, &given, &smoother, seed, &budget)?;
        if !keep_waypoints {
            let budget = Budget { stop: Some(stop), ..Budget::default() };
            let pass = remove_redundant(&inner.checker, &smoothed.waypoints, &budget)?;
            smoothed.effort.segments += pass.effort.segments;
            smoothed.effort.statistics += pass.effort.statistics;
            smoothed.waypoints = pass.waypoints;
            let ends: Vec<&[f64]> = smoothed.waypoints.iter().map(|q| &q[..]).collect();
            smoothed.length = Space::new(inner.checker.scene(), &ends)?.path_length(&smoothed.waypoints);
        }
        Ok(smoothed)
    })?;
    let smoothed = searched.map_err(|error| refusal(&inner.scene.scene, &error))?;
    Ok(Smoothed {
        waypoints: smoothed.waypoints,
        length_before: smoothed.length_before,
        length: smoothed.length,
        shortcuts: smoothed.shortcuts,
        warnings,
        end: match smoothed.end {
            SmoothingEnd::Converged => "converged".to_owned(),
            SmoothingEnd::Stopped(stop) => stop_name(stop).to_owned(),
        },
        statistics: smoothed.effort.into(),
        seconds: begun.elapsed().as_secs_f64(),
    })
}

fn stop_name(stop: Stop) -> &'static str {
    match stop {
        Stop::Steps => "steps",
        Stop::Time => "seconds",
        Stop::Interrupted => "interrupted",
    }
}

/// The exception if planning or smoothing is refused: the pair, the place, and free configurations nearby.
fn refusal(scene: &LibraryScene, error: &PlanError) -> PyErr {
    match error {
        PlanError::NotFree { end, verdict, nearest } => {
            let nearby = nearest.as_ref().map_or("no free configuration was found nearby".to_owned(), |near| {
                format!("a free configuration was found nearby: {:?}", near.configuration)
            });
            errors::not_free(format!("the {end} is not free: {}; {nearby}", words(scene, verdict)))
        }
        PlanError::PathNotFree { verdict } => errors::not_free(format!(
            "the path is not free, and only free paths are smoothed: {}",
            words(scene, verdict)
        )),
        error => errors::input(error.to_string()),
    }
}

fn words(scene: &LibraryScene, verdict: &Verdict) -> String {
    let names = |bodies: [usize; 2]| bodies.map(|body| scene.bodies()[body].name.as_str()).join(" and ");
    match verdict {
        Verdict::Free(_) => "it is free".to_owned(),
        Verdict::Collision(found) => {
            format!("{} are in contact, segment {}, t = {:?}", names(found.bodies), found.segment, found.t)
        }
        Verdict::TooClose(found) => {
            let (segment, t, distance) = (found.segment, found.t, found.distance);
            format!("{} are too close, {distance:?} m apart, segment {segment}, t = {t:?}", names(found.bodies))
        }
        Verdict::Undecided(open) => format!("{} are undecided, segment {}", names(open.bodies), open.segment),
    }
}
