//! Configurations and paths from arrays and files: the scene's order of joints, limits, quaternions, joints that may be
//! left out, as in the path files of the command line.

use std::path::PathBuf;

use pathproof::formats::path_file::{self, LoadedPath, PathSettings};
use pathproof::robot::{Joint, JointKind};
use pathproof::scene::Scene;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::{arrays, errors};

/// What configurations of a scene look like.
pub(crate) struct Columns {
    /// How many variables there are.
    pub(crate) count: usize,
    /// Those that the scene has no positions for.
    open: Vec<usize>,
    /// Lower and upper limits, infinite where there are none; `None` where values need more than a comparison: there are
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

    /// `7 numbers (panda/joint1, …)`: what a configuration is.
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

    /// Whether so many columns are a configuration.
    pub(crate) fn fits(&self, columns: usize) -> bool {
        columns == self.count || columns == self.open.len()
    }

    /// Appends the configuration that `values` are; `place` stands in messages.
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

    /// Whether values are finite, all there, and within their limits: what most configurations are. NaN is none of it.
    fn is_plainly_good(&self, values: &[f64], ignore_limits: bool) -> bool {
        let Some(limits) = self.plain_limits.as_ref().filter(|limits| limits.len() == values.len()) else {
            return false;
        };
        let is_within = |value: f64, (lower, upper): (f64, f64)| ignore_limits || value >= lower && value <= upper;
        values.iter().zip(limits).all(|(value, limits)| value.is_finite() && is_within(*value, *limits))
    }

    /// The configuration that a 1-D array is.
    pub(crate) fn configuration(
        &self,
        scene: &Scene,
        value: &Bound<'_, PyAny>,
        what: &str,
        ignore_limits: bool,
    ) -> PyResult<Vec<f64>> {
        let expected = || self.expected(scene);
        let values = arrays::vector(value, what, &expected)?;
        if !self.fits(values.len()) {
            let shape = arrays::shape_text(&[values.len()]);
            return Err(errors::input(format!("{what} must be {}, but its shape is {shape}", expected())));
        }
        let mut q = Vec::with_capacity(self.count);
        self.push(scene, &values, ignore_limits, &|| what.to_owned(), &mut q)?;
        Ok(q)
    }
}

/// A path from an array of waypoints, or from a file where a name is given.
pub(crate) fn path(
    value: &Bound<'_, PyAny>,
    scene: &Scene,
    columns: &Columns,
    ignore_limits: bool,
) -> PyResult<LoadedPath> {
    if let Some(file) = file_name(value)? {
        let read = || path_file::read(&file, scene, PathSettings { ignore_limits })?.as_lines(&file);
        return value.py().detach(read).map_err(|error| errors::file(&error));
    }
    let what = "a path";
    let expected = || columns.expected_rows("waypoints", scene);
    let table = arrays::table(value, what, &expected)?;
    let rows = table.values.len() / table.columns.max(1);
    if !columns.fits(table.columns) || rows == 0 {
        let shape = arrays::shape_text(&[rows, table.columns]);
        return Err(errors::input(format!("{what} must be {}, but its shape is {shape}", expected())));
    }
    let mut waypoints = Vec::with_capacity(rows);
    for (row, values) in table.rows().enumerate() {
        let mut q = Vec::with_capacity(columns.count);
        columns.push(scene, values, ignore_limits, &|| format!("waypoint {row}"), &mut q)?;
        waypoints.push(q);
    }
    Ok(LoadedPath { waypoints, ..LoadedPath::default() })
}

/// The name of a file, where the value is one: a string or what `os.fspath` takes.
pub(crate) fn file_name(value: &Bound<'_, PyAny>) -> PyResult<Option<PathBuf>> {
    if value.is_instance_of::<PyString>() || value.hasattr("__fspath__")? {
        return value.extract().map(Some);
    }
    Ok(None)
}
