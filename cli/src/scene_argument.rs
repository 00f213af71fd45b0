//! The scene that is named on a command line, changed as its options ask.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use pathproof_formats::quantity::Length;
use pathproof_formats::scene_file::{self, LoadedScene};

use crate::path_argument::is_standard_input;

/// Reads a scene; `--clearance` and `--tolerance`, where they are given, take the place of its own.
pub(crate) fn read_scene(file: &Path, clearance: Option<Length>, tolerance: Option<Length>) -> Result<LoadedScene> {
    ensure!(
        !is_standard_input(file),
        "a scene is a file, to which the names in it are relative; only paths are read from standard input"
    );
    let mut loaded = scene_file::read(file)?;
    if let Some(clearance) = clearance {
        loaded.scene = loaded.scene.with_clearance(clearance.metres).context("--clearance")?;
        loaded.warnings.extend(clearance.doubt().map(|doubt| format!("--clearance: {doubt}")));
    }
    if let Some(tolerance) = tolerance {
        loaded.scene = loaded.scene.with_tolerance(tolerance.metres).context("--tolerance")?;
    }
    Ok(loaded)
}
