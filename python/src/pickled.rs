//! Pickles of results: plain values and the function that restores the result from them. They hold no scene.

use pyo3::prelude::*;
use pyo3::{IntoPyObjectExt, PyTypeInfo};

/// Result of `__reduce__`: a function and its arguments.
pub(crate) type Reduced<'py> = (Bound<'py, PyAny>, (Bound<'py, PyAny>,));

/// A result of class `C` as the plain values that its `_restore` takes.
pub(crate) fn reduced<'py, C: PyTypeInfo>(py: Python<'py>, values: impl IntoPyObject<'py>) -> PyResult<Reduced<'py>> {
    Ok((py.get_type::<C>().getattr("_restore")?, (values.into_bound_py_any(py)?,)))
}
