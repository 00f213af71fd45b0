//! Warnings of an answer, its scene and its path, in the order in which they are printed.

use anyhow::{Result, ensure};
use pathproof::check::{Answer, Warning};
use pathproof::scene::Scene;

/// A scene without pairs makes every path free, which is rarely intended: an error, or a warning if it is allowed.
pub(crate) fn nothing_checked(scene: &Scene, is_allowed: bool) -> Result<Option<String>> {
    let is_empty = scene.pairs().is_empty();
    ensure!(
        is_allowed || !is_empty,
        "no pair of bodies is checked, so every path would be free; `pathproof scene` says why, --allow-empty accepts it"
    );
    Ok(is_empty.then(|| Warning::NothingChecked.text(scene)))
}

/// Adds the warnings of a path and of its answer.
pub(crate) fn add_warnings(scene: &Scene, of_path: &[String], answer: &Answer, warnings: &mut Vec<String>) {
    warnings.extend_from_slice(of_path);
    *warnings = answer.warning_texts(scene, std::mem::take(warnings));
}
