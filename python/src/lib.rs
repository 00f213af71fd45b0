//! The extension module `pathproof._pathproof`, which `python/pathproof` re-exports; one topic per file.
//!
//! Every class is frozen and shared by threads; long work runs with the interpreter released and polls for signals
//! ([`interrupt`]). Numbers are copied out of arrays while the interpreter is held, so that they cannot change during a
//! proof. Invariant: nothing is decided here; verdicts come from the library as they are.

mod acm;
mod answer;
mod arrays;
mod certificate;
mod checker;
mod distance;
mod errors;
mod files;
mod interrupt;
mod obstacle;
mod path;
mod pickled;
mod plan;
mod profile;
mod recipe;
mod scene;
mod segments;
mod traffic;
mod trajectory;

use pyo3::prelude::*;

#[pymodule]
fn _pathproof(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<scene::Scene>()?;
    module.add_class::<obstacle::Obstacle>()?;
    module.add_class::<checker::Checker>()?;
    module.add_class::<answer::Answer>()?;
    module.add_class::<answer::Finding>()?;
    module.add_class::<profile::Profile>()?;
    module.add_class::<profile::MinDistance>()?;
    module.add_class::<certificate::Certificate>()?;
    module.add_class::<certificate::Accepted>()?;
    module.add_class::<distance::Distance>()?;
    module.add_class::<plan::Plan>()?;
    module.add_class::<plan::Smoothed>()?;
    module.add_class::<traffic::TrafficAnswer>()?;
    module.add_class::<trajectory::Trajectory>()?;
    module.add_class::<acm::LinkPair>()?;
    obstacle::add_to(module)?;
    module.add_function(wrap_pyfunction!(certificate::verify, module)?)?;
    module.add_function(wrap_pyfunction!(plan::plan, module)?)?;
    module.add_function(wrap_pyfunction!(plan::smooth, module)?)?;
    module.add_function(wrap_pyfunction!(distance::distance, module)?)?;
    module.add_function(wrap_pyfunction!(traffic::traffic, module)?)?;
    module.add_function(wrap_pyfunction!(acm::acm, module)?)?;
    Ok(())
}
