//! `Trajectory`: a path as a controller executes it. It has no scene; its joints are matched to a scene's when it is
//! checked.

use std::path::PathBuf;

use pathproof::robot::Interpolation;
use pathproof::scene::Scene;
use pathproof_formats::controllers;
use pathproof_formats::path_file::{CurrentState, Derivatives, Execution, PathPoints};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::arrays::Table;
use crate::path::{self, Columns};
use crate::{arrays, errors};

/// A path as executed: waypoints (or a file), their times, and the motion between them.
#[pyclass(frozen, module = "pathproof")]
pub(crate) struct Trajectory {
    pub(crate) source: Source,
    times: Option<Vec<f64>>,
    velocities: Option<Table>,
    accelerations: Option<Table>,
    interpolation: Option<Interpolation>,
    policy_frequency: Option<f64>,
    controller: Option<PathBuf>,
    controller_name: Option<String>,
    start: Option<Vec<f64>>,
    start_velocities: Option<Vec<f64>>,
    wrap: Vec<String>,
}

/// Source of the waypoints.
pub(crate) enum Source {
    File(PathBuf),
    Waypoints(Table),
}

fn interpolation(name: &str) -> PyResult<Interpolation> {
    match name {
        "linear" => Ok(Interpolation::Linear),
        "controller" => Ok(Interpolation::Controller),
        "upsampled" => Ok(Interpolation::Upsampled),
        "natural-cubic" => Ok(Interpolation::NaturalCubic),
        _ => Err(errors::input(format!(
            "interpolation must be \"linear\", \"controller\", \"upsampled\" or \"natural-cubic\", not {name:?}"
        ))),
    }
}

/// The numbers of an array, all finite.
fn finite_table(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Table> {
    let expected = || "an array of shape (waypoints, joints)".to_owned();
    let table = arrays::table(value, what, &expected)?;
    let bad = table.rows().position(|row| !row.iter().all(|value| value.is_finite()));
    match bad {
        Some(row) => Err(errors::input(format!("{what}: row {row} has a value that is not a finite number"))),
        None => Ok(table),
    }
}

fn finite_vector(value: &Bound<'_, PyAny>, what: &str, expected: &str) -> PyResult<Vec<f64>> {
    let values = arrays::vector(value, what, &|| expected.to_owned())?;
    match values.iter().position(|value| !value.is_finite()) {
        Some(place) => Err(errors::input(format!("{what}[{place}] is {}, not a finite number", values[place]))),
        None => Ok(values),
    }
}

fn times_of(value: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let times = finite_vector(value, "times", "an array of shape (waypoints,), seconds from the start")?;
    if times.first().is_some_and(|first| *first < 0.0) {
        return Err(errors::input(format!("times[0] is {}; times are seconds from the start, which is 0", times[0])));
    }
    match times.windows(2).position(|pair| pair[1] < pair[0]) {
        Some(i) => {
            let (from, to) = (times[i], times[i + 1]);
            Err(errors::input(format!("times must not go back, but times[{}] is {to} after {from}", i + 1)))
        }
        None => Ok(times),
    }
}

#[pymethods]
impl Trajectory {
    #[new]
    #[pyo3(signature = (path, *, times=None, velocities=None, accelerations=None, interpolation=None,
                        policy_frequency=None, controller=None, controller_name=None, start=None,
                        start_velocities=None, wrap=vec![]))]
    #[allow(clippy::too_many_arguments, reason = "Python calls it with names")]
    fn new(
        path: &Bound<'_, PyAny>,
        times: Option<&Bound<'_, PyAny>>,
        velocities: Option<&Bound<'_, PyAny>>,
        accelerations: Option<&Bound<'_, PyAny>>,
        interpolation: Option<&str>,
        policy_frequency: Option<f64>,
        controller: Option<PathBuf>,
        controller_name: Option<String>,
        start: Option<&Bound<'_, PyAny>>,
        start_velocities: Option<&Bound<'_, PyAny>>,
        wrap: Vec<String>,
    ) -> PyResult<Self> {
        let source = match path::file_name(path)? {
            Some(file) => Source::File(file),
            None => Source::Waypoints(finite_table(path, "a path")?),
        };
        let has_arrays = times.is_some() || velocities.is_some() || accelerations.is_some();
        if matches!(source, Source::File(_)) && has_arrays {
            return Err(errors::input("times, velocities and accelerations go with waypoints; a file has its own"));
        }
        if controller.is_none() && controller_name.is_some() {
            return Err(errors::input("controller_name chooses in the file of controller; give controller"));
        }
        if start.is_none() && (start_velocities.is_some() || !wrap.is_empty()) {
            return Err(errors::input("start_velocities and wrap say how to get from start to the path; give start"));
        }
        let vector = |value: Option<&Bound<'_, PyAny>>, what: &str| {
            value.map(|value| finite_vector(value, what, "a number per joint")).transpose()
        };
        Ok(Self {
            source,
            times: times.map(times_of).transpose()?,
            velocities: velocities.map(|value| finite_table(value, "velocities")).transpose()?,
            accelerations: accelerations.map(|value| finite_table(value, "accelerations")).transpose()?,
            interpolation: interpolation.map(self::interpolation).transpose()?,
            policy_frequency,
            controller,
            controller_name,
            start: vector(start, "start")?,
            start_velocities: vector(start_velocities, "start_velocities")?,
            wrap,
        })
    }

    fn __repr__(&self) -> String {
        let what = match &self.source {
            Source::File(file) => format!("{file:?}"),
            Source::Waypoints(table) => format!("{} waypoints", table.count()),
        };
        let how = self.interpolation.map_or(String::new(), |how| format!(", interpolation={:?}", how.name()));
        format!("<pathproof.Trajectory of {what}{how}>")
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let rows = |table: &Table| table.rows().map(<[f64]>::to_vec).collect::<Vec<_>>();
        let path = match &self.source {
            Source::File(file) => file.into_pyobject(py)?.into_any(),
            Source::Waypoints(table) => rows(table).into_pyobject(py)?.into_any(),
        };
        let named = PyDict::new(py);
        named.set_item("times", &self.times)?;
        named.set_item("velocities", self.velocities.as_ref().map(rows))?;
        named.set_item("accelerations", self.accelerations.as_ref().map(rows))?;
        named.set_item("interpolation", self.interpolation.map(Interpolation::name))?;
        named.set_item("policy_frequency", self.policy_frequency)?;
        named.set_item("controller", &self.controller)?;
        named.set_item("controller_name", &self.controller_name)?;
        named.set_item("start", &self.start)?;
        named.set_item("start_velocities", &self.start_velocities)?;
        named.set_item("wrap", &self.wrap)?;
        let restore = py.get_type::<Self>().getattr("_restore")?;
        Ok((restore, (path, named).into_pyobject(py)?))
    }

    /// Restores a trajectory from a pickle.
    #[staticmethod]
    #[pyo3(name = "_restore")]
    fn restore<'py>(path: &Bound<'py, PyAny>, named: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
        path.py().get_type::<Self>().call((path,), Some(named))
    }
}

impl Trajectory {
    /// Its execution in a scene.
    pub(crate) fn execution(&self, scene: &Scene, columns: &Columns, ignore_limits: bool) -> PyResult<Execution> {
        let from = match &self.start {
            None => None,
            Some(start) => {
                let mut positions = Vec::new();
                columns.require_values(scene, start.len(), "start")?;
                columns.push(scene, start, ignore_limits, &|| "start".to_owned(), &mut positions)?;
                let velocities = self.start_velocities.as_ref();
                let velocities = velocities.map(|values| {
                    columns.require_values(scene, values.len(), "start_velocities")?;
                    Ok::<_, PyErr>(columns.spread(values))
                });
                Some(CurrentState { positions, velocities: velocities.transpose()? })
            }
        };
        let column = |name: &String| scene.column(name).map_err(|error| errors::input(format!("wrap: {error}")));
        let wraps = self.wrap.iter().map(column).collect::<PyResult<_>>()?;
        let (interpolation, policy_frequency) = (self.interpolation, self.policy_frequency);
        let controllers = match (&self.controller, &self.controller_name) {
            (None, _) => Ok(None),
            (Some(file), None) => controllers::read(file).map(Some),
            (Some(file), Some(name)) => controllers::read(file).and_then(|all| all.only(name)).map(Some),
        };
        let controllers = controllers.map_err(|error| errors::file(&error))?;
        Ok(Execution { interpolation, policy_frequency, controllers, from, wraps, ignore_limits })
    }

    /// Data in arrays beside the waypoints.
    pub(crate) fn add_to(&self, path: &mut PathPoints, scene: &Scene, columns: &Columns) -> PyResult<()> {
        let waypoints = path.waypoints.len();
        if let Some(times) = self.times.as_ref().filter(|times| times.len() != waypoints) {
            return Err(errors::input(format!("there are {} times for {waypoints} waypoints", times.len())));
        }
        path.times.clone_from(&self.times);
        let lists = |table: &Option<Table>, what: &str| {
            let Some(table) = table else { return Ok(vec![None; waypoints]) };
            let expected = || columns.expected_rows("waypoints", scene);
            if !columns.fits(table.columns) || table.count() != waypoints {
                let shape = arrays::shape_text(&[table.count(), table.columns]);
                return Err(errors::input(format!(
                    "{what} must be {} for {waypoints} waypoints, but its shape is {shape}",
                    expected()
                )));
            }
            Ok(table.rows().map(|row| Some(columns.spread(row))).collect())
        };
        if self.velocities.is_some() || self.accelerations.is_some() {
            let velocities = lists(&self.velocities, "velocities")?;
            let accelerations = lists(&self.accelerations, "accelerations")?;
            path.derivatives = Some(Derivatives { velocities, accelerations });
        }
        Ok(())
    }
}
