//! Scene that a command line names, with its options applied.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use pathproof::scene::PairKind;
use pathproof_formats::quantity::Length;
use pathproof_formats::scene_file::{self, LoadedScene};

use crate::clearances::has_kind;
use crate::path_argument::is_standard_input;

/// Clearances that replace the scene's.
#[derive(clap::Args)]
pub(crate) struct ClearanceArgs {
    /// Distance to obstacles, other robots and attached objects that must be exceeded (metres, or as 5mm), instead of
    /// the scene's default; pairs with a clearance of their own keep it.
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    pub(crate) clearance: Option<Length>,
    /// Same between links of one robot, instead of the scene's default.
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    pub(crate) self_clearance: Option<Length>,
}

/// The clearances and the tolerance that replace the scene's.
#[derive(clap::Args)]
pub(crate) struct SceneArgs {
    #[command(flatten)]
    pub(crate) clearances: ClearanceArgs,
    /// How close to the clearance the search stops trying to prove (metres, or as 5mm), instead of the scene's.
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    pub(crate) tolerance: Option<Length>,
}

impl SceneArgs {
    /// Reads a scene and applies the options to it.
    pub(crate) fn read(&self, file: &Path) -> Result<LoadedScene> {
        let mut loaded = self.clearances.read(file)?;
        if let Some(tolerance) = self.tolerance {
            loaded.scene = loaded.scene.with_tolerance(tolerance.metres).context("--tolerance")?;
        }
        Ok(loaded)
    }
}

impl ClearanceArgs {
    /// Reads a scene and applies the options to it. Warns of an option that applies to no pair.
    pub(crate) fn read(&self, file: &Path) -> Result<LoadedScene> {
        ensure!(
            !is_standard_input(file),
            "a scene is a file, to which the names in it are relative; only paths are read from standard input"
        );
        let mut loaded = scene_file::read(file)?;
        if let Some(clearance) = self.clearance {
            loaded.scene = loaded.scene.with_clearance(clearance.metres).context("--clearance")?;
            loaded.warnings.extend(clearance.doubt().map(|doubt| format!("--clearance: {doubt}")));
        }
        if let Some(clearance) = self.self_clearance {
            loaded.scene = loaded.scene.with_self_clearance(clearance.metres).context("--self-clearance")?;
            loaded.warnings.extend(clearance.doubt().map(|doubt| format!("--self-clearance: {doubt}")));
        }
        if self.clearance.is_some() && !has_kind(&loaded.scene, PairKind::World) {
            loaded.warnings.push(
                "--clearance applies to no pair: only links of one robot are checked, which have --self-clearance"
                    .to_owned(),
            );
        }
        if self.self_clearance.is_some() && !has_kind(&loaded.scene, PairKind::OwnLinks) {
            loaded.warnings.push("--self-clearance applies to no pair: no links of one robot are checked".to_owned());
        }
        Ok(loaded)
    }
}
