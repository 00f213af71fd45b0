//! Paths that are named on a command line: files, or `-` for standard input.

use std::path::Path;

use anyhow::Result;
use pathproof::scene::Scene;
use pathproof_formats::path_file::{self, PathPoints, PathSettings};

/// Name of standard input in messages.
pub(crate) const STANDARD_INPUT: &str = "standard input";

/// True if `-` was given.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads the paths of a file or of standard input.
pub(crate) fn read_paths(path: &Path, scene: &Scene, settings: PathSettings) -> Result<Vec<PathPoints>> {
    Ok(match is_standard_input(path) {
        true => {
            path_file::read_all_points_from(&mut std::io::stdin().lock(), STANDARD_INPUT.as_ref(), scene, settings)?
        }
        false => path_file::read_all_points(path, scene, settings)?,
    })
}

/// Name of a path in answers and messages.
pub(crate) fn path_name(path: &Path) -> String {
    if is_standard_input(path) { STANDARD_INPUT.to_owned() } else { path.display().to_string() }
}
