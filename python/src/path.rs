//! Configurations and paths from arrays and files: the scene's order of joints, limits, quaternions, joints that may be
//! left out, as in the path files of the command line.

use std::path::PathBuf;

use pathproof::formats::path_file::{self, LoadedPath, PathSettings};
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
    /// Whether some values are quaternions.
    has_quaternions: bool,
}

impl Columns {
    pub(crate) fn of(scene: &Scene) -> Self {
        let positions = scene.positions();
        let open = (0..positions.len()).filter(|&variable| positions[variable].is_none()).collect();
        let is_floating = |joint: &pathproof::robot::Joint| joint.kind == pathproof::robot::JointKind::Floating;
        let has_quaternions = scene.model().joints().iter().any(is_floating);
        Self { count: positions.len(), open, has_quaternions }
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
        let first = out.len();
        let is_plain = values.len() == self.count && !self.has_quaternions;
        if is_plain && values.iter().all(|value| value.is_finite()) {
            out.extend_from_slice(values);
        } else {
            let named: Vec<(usize, f64)> = match values.len() == self.count {
                true => values.iter().copied().enumerate().collect(),
                false => self.open.iter().copied().zip(values.iter().copied()).collect(),
            };
            let q = scene.configuration(&named).map_err(|error| errors::input(format!("{}: {error}", place())))?;
            out.extend_from_slice(&q);
        }
        match scene.limit_violation(&out[first..]).filter(|_| !ignore_limits) {
            Some(violation) => Err(errors::input(format!(
                "{}: the joint {violation}; correct the value, or pass ignore_limits=True",
                place()
            ))),
            None => Ok(()),
        }
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
        let read = || path_file::read(&file, scene, PathSettings { ignore_limits });
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
    Ok(LoadedPath { waypoints, times: None, warnings: Vec::new() })
}

/// The name of a file, where the value is one: a string or what `os.fspath` takes.
pub(crate) fn file_name(value: &Bound<'_, PyAny>) -> PyResult<Option<PathBuf>> {
    if value.is_instance_of::<PyString>() || value.hasattr("__fspath__")? {
        return value.extract().map(Some);
    }
    Ok(None)
}
