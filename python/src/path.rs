//! Configurations and paths from arrays and files: the scene's order of joints, limits, quaternions, joints that may be
//! omitted, as in the path files of the command line.

use std::path::{Path, PathBuf};

use pathproof::path::Motion;
use pathproof::robot::{Joint, JointKind};
use pathproof::scene::Scene;
use pathproof_formats::path_file::{self, Execution, PathPoints, PathSettings};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arrays::Table;
use crate::trajectory::{Source, Trajectory};
use crate::{arrays, errors};

/// Layout of a scene's configurations.
pub(crate) struct Columns {
    /// Number of variables.
    pub(crate) count: usize,
    /// Variables without a position in the scene.
    open: Vec<usize>,
    /// Lower and upper limits, infinite if there are none; `None` if values need more than a comparison: there are
    /// quaternions, or mimic joints with limits of their own.
    plain_limits: Option<Vec<(f64, f64)>>,
}

const NO_LIMITS: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

impl Columns {
    pub(crate) fn of(scene: &Scene) -> Self {
        let positions = scene.positions();
        let open = (0..positions.len()).filter(|&variable| positions[variable].is_none()).collect();
        let is_plain = |joint: &Joint| joint.kind != JointKind::Floating && joint.follows.is_none();
        let limits = scene.model().variables().iter().map(|variable| variable.limits.unwrap_or(NO_LIMITS));
        let plain_limits = scene.model().joints().iter().all(is_plain).then(|| limits.collect());
        Self { count: positions.len(), open, plain_limits }
    }

    /// `7 numbers (panda/joint1, …)`: describes a configuration.
    pub(crate) fn expected(&self, scene: &Scene) -> String {
        format!("{} numbers ({})", self.counts(), scene.variable_names())
    }

    /// `an array of shape (waypoints, 7), a column per joint (…)`.
    pub(crate) fn expected_rows(&self, rows: &str, scene: &Scene) -> String {
        format!("an array of shape ({rows}, {}), a column per joint ({})", self.counts(), scene.variable_names())
    }

    fn counts(&self) -> String {
        match self.open.len() {
            open if open == self.count => self.count.to_string(),
            open => format!("{} or {open}", self.count),
        }
    }

    /// True if a configuration has this many columns.
    pub(crate) fn fits(&self, columns: usize) -> bool {
        columns == self.count || columns == self.open.len()
    }

    /// Refuses any other number of values.
    pub(crate) fn require_values(&self, scene: &Scene, values: usize, what: &str) -> PyResult<()> {
        if self.fits(values) {
            return Ok(());
        }
        let (expected, shape) = (self.expected(scene), arrays::shape_text(&[values]));
        Err(errors::input(format!("{what} must be {expected}, but its shape is {shape}")))
    }

    /// Rates of all variables, 0 for the omitted ones.
    pub(crate) fn spread(&self, values: &[f64]) -> Vec<f64> {
        if values.len() == self.count {
            return values.to_vec();
        }
        let mut all = vec![0.0; self.count];
        self.open.iter().zip(values).for_each(|(&variable, &value)| all[variable] = value);
        all
    }

    /// Appends the configuration given by `values`; `place` goes into messages.
    pub(crate) fn push(
        &self,
        scene: &Scene,
        values: &[f64],
        ignore_limits: bool,
        place: &dyn Fn() -> String,
        out: &mut Vec<f64>,
    ) -> PyResult<()> {
        if self.is_plainly_good(values, ignore_limits) {
            out.extend_from_slice(values);
            return Ok(());
        }
        let first = out.len();
        let named: Vec<(usize, f64)> = match values.len() == self.count {
            true => values.iter().copied().enumerate().collect(),
            false => self.open.iter().copied().zip(values.iter().copied()).collect(),
        };
        let q = scene.configuration(&named).map_err(|error| errors::input(format!("{}: {error}", place())))?;
        out.extend_from_slice(&q);
        match scene.limit_violation(&out[first..]).filter(|_| !ignore_limits) {
            Some(violation) => Err(errors::input(format!(
                "{}: the joint {violation}; correct the value, or pass ignore_limits=True",
                place()
            ))),
            None => Ok(()),
        }
    }

    /// True if values are finite, complete, and within their limits, as in most configurations. False for NaN.
    fn is_plainly_good(&self, values: &[f64], ignore_limits: bool) -> bool {
        let Some(limits) = self.plain_limits.as_ref().filter(|limits| limits.len() == values.len()) else {
            return false;
        };
        let is_within = |value: f64, (lower, upper): (f64, f64)| ignore_limits || value >= lower && value <= upper;
        values.iter().zip(limits).all(|(value, limits)| value.is_finite() && is_within(*value, *limits))
    }

    /// The configuration given by a 1-D array.
    pub(crate) fn configuration(
        &self,
        scene: &Scene,
        value: &Bound<'_, PyAny>,
        what: &str,
        ignore_limits: bool,
    ) -> PyResult<Vec<f64>> {
        let expected = || self.expected(scene);
        let values = arrays::vector(value, what, &expected)?;
        self.require_values(scene, values.len(), what)?;
        let mut q = Vec::with_capacity(self.count);
        self.push(scene, &values, ignore_limits, &|| what.to_owned(), &mut q)?;
        Ok(q)
    }
}

/// A path as executed, with warnings and notes in Python's words.
pub(crate) struct Executed {
    pub(crate) motion: Motion,
    pub(crate) warnings: Vec<String>,
    pub(crate) notes: Vec<String>,
}

/// Name in messages of a path without a file.
const UNNAMED: &str = "the path";

/// A path as executed: an array of waypoints, the name of a file, or a `Trajectory` of either.
pub(crate) fn executed(
    value: &Bound<'_, PyAny>,
    scene: &Scene,
    columns: &Columns,
    ignore_limits: bool,
) -> PyResult<Executed> {
    let trajectory = value.cast::<Trajectory>().ok().map(Bound::get);
    let how = match trajectory {
        Some(trajectory) => trajectory.execution(scene, columns, ignore_limits)?,
        None => Execution { ignore_limits, ..Execution::default() },
    };
    let file = match trajectory {
        Some(Trajectory { source: Source::File(file), .. }) => Some(file.clone()),
        Some(_) => None,
        None => file_name(value)?,
    };
    let run = |path: PathPoints, name: &Path| path.executed(scene, &how, name);
    let done = match (&file, trajectory) {
        (Some(file), _) => {
            let read = || run(path_file::read_points(file, scene, PathSettings { ignore_limits })?, file);
            value.py().detach(read).map_err(|error| errors::file(&error))?
        }
        (None, Some(trajectory)) => {
            let Source::Waypoints(table) = &trajectory.source else { unreachable!("files are above") };
            let mut path = waypoints(table, scene, columns, ignore_limits)?;
            trajectory.add_to(&mut path, scene, columns)?;
            run(path, Path::new(UNNAMED)).map_err(|error| errors::input(errors::here(&error.to_string())))?
        }
        (None, None) => {
            let path = waypoints(&array(value, scene, columns)?, scene, columns, ignore_limits)?;
            return Ok(Executed { motion: Motion::lines(path.waypoints), warnings: Vec::new(), notes: Vec::new() });
        }
    };
    let path_file::Executed { motion, warnings, notes, speed_warnings, .. } = done;
    let warnings = warnings.iter().chain(&speed_warnings).map(|warning| errors::here(warning)).collect();
    Ok(Executed { motion, warnings, notes: notes.iter().map(|note| errors::here(note)).collect() })
}

/// Waypoints joined by straight lines, and warnings: an array, or a file. Warns if a file has velocities.
pub(crate) fn lines(
    value: &Bound<'_, PyAny>,
    scene: &Scene,
    columns: &Columns,
    ignore_limits: bool,
) -> PyResult<(Vec<Vec<f64>>, Vec<String>)> {
    if value.is_instance_of::<Trajectory>() {
        return Err(errors::input("straight lines are needed here, not a Trajectory; give its waypoints"));
    }
    if let Some(file) = file_name(value)? {
        let read = || path_file::read_points(&file, scene, PathSettings { ignore_limits })?.into_waypoints(&file);
        return value.py().detach(read).map_err(|error| errors::file(&error));
    }
    Ok((waypoints(&array(value, scene, columns)?, scene, columns, ignore_limits)?.waypoints, Vec::new()))
}

fn array(value: &Bound<'_, PyAny>, scene: &Scene, columns: &Columns) -> PyResult<Table> {
    arrays::table(value, "a path", &|| columns.expected_rows("waypoints", scene))
}

/// The path through the rows of a table.
fn waypoints(table: &Table, scene: &Scene, columns: &Columns, ignore_limits: bool) -> PyResult<PathPoints> {
    let rows = table.count();
    if !columns.fits(table.columns) || rows == 0 {
        let (expected, shape) = (columns.expected_rows("waypoints", scene), arrays::shape_text(&[rows, table.columns]));
        return Err(errors::input(format!("a path must be {expected}, but its shape is {shape}")));
    }
    let mut waypoints = Vec::with_capacity(rows);
    for (row, values) in table.rows().enumerate() {
        let mut q = Vec::with_capacity(columns.count);
        columns.push(scene, values, ignore_limits, &|| format!("waypoint {row}"), &mut q)?;
        waypoints.push(q);
    }
    Ok(PathPoints { waypoints, ..PathPoints::default() })
}

/// The name of a file, if the value is one: a string or what `os.fspath` takes.
pub(crate) fn file_name(value: &Bound<'_, PyAny>) -> PyResult<Option<PathBuf>> {
    if value.is_instance_of::<PyString>() || value.hasattr("__fspath__")? {
        return value.extract().map(Some);
    }
    Ok(None)
}
