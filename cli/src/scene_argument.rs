//! The scene that is named on a command line, changed as its options ask.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use pathproof_formats::scene_file::{self, LoadedScene};

use crate::path_argument::is_standard_input;

/// Reads a scene; `--clearance` and `--tolerance`, where they are given, take the place of its own.
pub(crate) fn read_scene(file: &Path, clearance: Option<f64>, tolerance: Option<f64>) -> Result<LoadedScene> {
    ensure!(
        !is_standard_input(file),
        "a scene is a file, to which the names in it are relative; only paths are read from standard input"
    );
    let mut loaded = scene_file::read(file)?;
    if let Some(clearance) = clearance {
        loaded.scene = loaded.scene.with_clearance(clearance).context("--clearance")?;
    }
    if let Some(tolerance) = tolerance {
        loaded.scene = loaded.scene.with_tolerance(tolerance).context("--tolerance")?;
    }
    Ok(loaded)
}
