//! Errors as exceptions by kind, with the messages of the command line. The classes are those of
//! `pathproof/_errors.py`.

use pathproof::scene::SceneError as BadScene;
use pathproof_formats::FormatError;
use pathproof_verifier::Refusal;
use pyo3::PyErr;

#[allow(missing_docs, reason = "made by a macro; documented in Python")]
mod classes {
    pyo3::import_exception!(pathproof._errors, InputError);
    pyo3::import_exception!(pathproof._errors, FileError);
    pyo3::import_exception!(pathproof._errors, SceneError);
    pyo3::import_exception!(pathproof._errors, NotFreeError);
    pyo3::import_exception!(pathproof._errors, RefusedError);
}

use classes::{FileError, InputError, NotFreeError, RefusedError, SceneError};

/// Invalid arguments of a call.
pub(crate) fn input(message: impl Into<String>) -> PyErr {
    InputError::new_err(message.into())
}

/// A message of the command line with the names that options have in Python.
pub(crate) fn here(text: &str) -> String {
    let names = [
        ("--ignore-limits", "ignore_limits=True"),
        ("leave --interpolation out", "leave interpolation out"),
        ("--interpolation linear", "interpolation=\"linear\""),
        ("--interpolation controller", "interpolation=\"controller\""),
        ("--interpolation upsampled", "interpolation=\"upsampled\""),
        ("--interpolation", "interpolation"),
        ("--policy-frequency HZ", "policy_frequency"),
        ("--policy-frequency", "policy_frequency"),
        ("--controller-name", "controller_name"),
        ("--controller", "controller"),
        ("--clearance", "the clearance"),
        ("--from", "start"),
        ("--wrap", "wrap"),
    ];
    names.iter().fold(text.to_owned(), |text, (there, here)| text.replace(there, here))
}

/// A fault in a file or its contents.
pub(crate) fn file(error: &FormatError) -> PyErr {
    FileError::new_err((
        here(&error.to_string()),
        error.file.to_string_lossy().into_owned(),
        error.place.clone(),
        error.problem.clone(),
        here(&error.remedy),
    ))
}

/// Parts that form no scene.
pub(crate) fn scene(error: &BadScene) -> PyErr {
    SceneError::new_err(error.to_string())
}

/// The same with a message.
pub(crate) fn bad_scene(message: impl Into<String>) -> PyErr {
    SceneError::new_err(message.into())
}

/// No certificate exists because the path is not proven.
pub(crate) fn not_free(message: impl Into<String>) -> PyErr {
    NotFreeError::new_err(message.into())
}

/// A certificate that does not prove the given path.
pub(crate) fn refused(refusal: &Refusal) -> PyErr {
    let bodies = refusal.bodies.clone().map(|[a, b]| (a, b));
    let interval = refusal.interval.map(|[from, to]| (from, to));
    RefusedError::new_err((refusal.to_string(), refusal.fault.name(), refusal.segment, interval, bodies))
}
