//! Reads numbers from arrays. numpy converts anything that is not contiguous float64; anything that is no array of real
//! numbers is refused with a message that names what was expected. Values are copied while the interpreter is held.
//! Invariant: no masked value is taken for a number.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyList, PySlice, PyTuple, PyType};

use crate::errors;

/// Numbers row by row.
pub(crate) struct Table {
    pub(crate) columns: usize,
    pub(crate) values: Vec<f64>,
}

impl Table {
    /// Number of rows.
    pub(crate) fn count(&self) -> usize {
        self.values.len() / self.columns.max(1)
    }

    pub(crate) fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        // Rows without columns could not be told apart.
        self.values.chunks_exact(self.columns.max(1))
    }
}

/// The numbers of a 1-D array; `what` and `expected` go into messages: "a" and "7 numbers".
pub(crate) fn vector(value: &Bound<'_, PyAny>, what: &str, expected: &dyn Fn() -> String) -> PyResult<Vec<f64>> {
    if let Some(values) = plain(value).or_else(|| listed(value)) {
        return Ok(values);
    }
    let array = real_array(value, what, expected)?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    if shape.len() != 1 {
        return Err(wrong_shape(what, &shape, expected));
    }
    contiguous(&array)
}

/// The numbers of a 2-D array.
pub(crate) fn table(value: &Bound<'_, PyAny>, what: &str, expected: &dyn Fn() -> String) -> PyResult<Table> {
    let array = real_array(value, what, expected)?;
    let (rows, columns) = shape_of_table(&array, what, expected)?;
    let flat = array.call_method1("reshape", (rows * columns,))?;
    Ok(Table { columns, values: contiguous(&flat)? })
}

/// Some rows of a 2-D array; copies only these.
pub(crate) fn some_rows(array: &Bound<'_, PyAny>, from: usize, to: usize, columns: usize) -> PyResult<Vec<f64>> {
    let rows = array.get_item(PySlice::new(array.py(), from as isize, to as isize, 1))?;
    contiguous(&rows.call_method1("reshape", ((to - from) * columns,))?)
}

/// An array of real numbers from anything that numpy understands, before conversion.
pub(crate) fn real_array<'py>(
    value: &Bound<'py, PyAny>,
    what: &str,
    expected: &dyn Fn() -> String,
) -> PyResult<Bound<'py, PyAny>> {
    refuse_masked(value, what, MOST_NESTED)?;
    let numpy = value.py().import("numpy")?;
    let array = numpy
        .call_method1("asarray", (value,))
        .map_err(|error| errors::input(format!("{what} must be {}: {}", expected(), error.value(value.py()))))?;
    let dtype = array.getattr("dtype")?;
    let (kind, bytes): (String, usize) = (dtype.getattr("kind")?.extract()?, dtype.getattr("itemsize")?.extract()?);
    // Wider floats would lose digits that the caller kept on purpose.
    if !matches!(kind.as_str(), "f" | "i" | "u") || bytes > 8 {
        return Err(errors::input(format!("{what} must be {} (float64), but its dtype is {dtype}", expected())));
    }
    Ok(array)
}

/// Nesting depth of lists that are searched for masked arrays: a list of rows.
const MOST_NESTED: u32 = 2;

/// Refuses masked arrays, and lists of them: numpy would return the values under the mask.
fn refuse_masked(value: &Bound<'_, PyAny>, what: &str, depth: u32) -> PyResult<()> {
    if value.is_instance_of::<PyFloat>() {
        return Ok(());
    }
    let py = value.py();
    let masked = py.import("numpy.ma")?.getattr("MaskedArray")?;
    if value.is_instance(masked.cast::<PyType>()?)? {
        return Err(PyTypeError::new_err(format!(
            "{what} is a masked array, and masked values are no numbers; fill it (numpy.ma.filled), or leave these rows out"
        )));
    }
    if depth > 0 && (value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>()) {
        return value.try_iter()?.try_for_each(|item| refuse_masked(&item?, what, depth - 1));
    }
    Ok(())
}

/// Rows and columns of a 2-D array.
pub(crate) fn shape_of_table(
    array: &Bound<'_, PyAny>,
    what: &str,
    expected: &dyn Fn() -> String,
) -> PyResult<(usize, usize)> {
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    match shape[..] {
        [rows, columns] => Ok((rows, columns)),
        _ => Err(wrong_shape(what, &shape, expected)),
    }
}

/// A shape as Python writes it.
pub(crate) fn shape_text(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

fn wrong_shape(what: &str, shape: &[usize], expected: &dyn Fn() -> String) -> PyErr {
    errors::input(format!("{what} must be {}, but its shape is {}", expected(), shape_text(shape)))
}

/// The values of an array that needs no conversion. Classes derived from numpy's, such as masked arrays, go through
/// checks first.
fn plain(value: &Bound<'_, PyAny>) -> Option<Vec<f64>> {
    let array = value.cast_exact::<PyArray1<f64>>().ok()?;
    array.try_readonly().ok()?.as_slice().ok().map(<[f64]>::to_vec)
}

/// The values of a list of Python's own floats, as planners pass them.
fn listed(value: &Bound<'_, PyAny>) -> Option<Vec<f64>> {
    let list = value.cast::<PyList>().ok()?;
    list.iter().map(|item| item.cast::<PyFloat>().ok().map(|number| number.value())).collect()
}

/// The values of a 1-D array of any real type and stride.
fn contiguous(array: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    if let Some(values) = plain(array) {
        return Ok(values);
    }
    let py = array.py();
    let arguments = PyDict::new(py);
    arguments.set_item("dtype", "float64")?;
    let converted = py.import("numpy")?.call_method("array", (array,), Some(&arguments))?;
    plain(&converted).ok_or_else(|| errors::input("the array cannot be read while it is written to"))
}
