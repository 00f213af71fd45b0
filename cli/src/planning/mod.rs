//! Shared by `plan` and `smooth`: the scene as the options change it, Ctrl-C, progress on a terminal, refusals in
//! words.

pub(crate) mod finish;
mod interrupt;
mod progress;

use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use pathproof::check::{Verdict, contact_remedy};
use pathproof::plan::PlanError;
use pathproof::scene::Scene;

use crate::check_command::nothing_checked;
use crate::numbers::{metres, rounded};
use crate::report;
use crate::scene_argument::SceneArgs;

pub(crate) use interrupt::listen;
use interrupt::{INTERRUPT, is_interrupted};
pub(crate) use progress::Spinner;

/// Options that both commands have.
#[derive(clap::Args)]
pub(crate) struct Common {
    /// Output file for the path (CSV).
    #[arg(short, long, value_name = "PATH.csv")]
    pub(crate) output: PathBuf,
    /// Random seed: the same number gives the same path.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Write a proof that the path is free, for `pathproof verify`.
    #[arg(long, value_name = "OUT.ppc")]
    pub(crate) certificate: Option<PathBuf>,
    /// Write a page that plays the path and its clearance.
    #[arg(long, value_name = "OUT.html")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) change: SceneArgs,
    /// Accept a scene in which no pair of bodies is checked.
    #[arg(long)]
    pub(crate) allow_empty: bool,
    /// Accept configurations outside joint limits.
    #[arg(long)]
    pub(crate) ignore_limits: bool,
    /// One JSON object and nothing else on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Scene, warnings about it, and the files it was read from.
pub(crate) struct Ready {
    pub(crate) scene: Scene,
    pub(crate) warnings: Vec<String>,
    pub(crate) notes: Vec<String>,
    pub(crate) files: Vec<PathBuf>,
}

impl Common {
    /// Reads a scene and applies the options to it.
    pub(crate) fn scene(&self, file: &std::path::Path) -> Result<Ready> {
        if self.output.extension().is_none_or(|extension| extension != "csv") {
            bail!("--output: {} is no name of a path; paths are written as .csv", self.output.display());
        }
        let loaded = self.change.read(file)?;
        let (scene, mut warnings) = (loaded.scene, loaded.warnings);
        warnings.extend(nothing_checked(&scene, self.allow_empty)?);
        Ok(Ready { scene, warnings, notes: loaded.told, files: loaded.files })
    }

    /// Output files, with the options that name them.
    pub(crate) fn outputs(&self) -> Vec<(&str, &PathBuf)> {
        let mut outputs = vec![("--output", &self.output)];
        outputs.extend(self.certificate.iter().map(|path| ("--certificate", path)));
        outputs.extend(self.report.iter().map(|path| ("--report", path)));
        outputs
    }
}

/// Refusal in words: the pair, the place, and what is free nearby.
pub(crate) fn refusal(scene: &Scene, error: PlanError) -> anyhow::Error {
    match error {
        PlanError::NotFree { end, verdict, nearest } => {
            let nearby = match nearest {
                Some(near) => {
                    let q: Vec<String> = near.configuration.iter().map(|value| rounded(*value)).collect();
                    format!(
                        "a free configuration was found nearby, {} of the joints' ranges away: {}",
                        rounded(near.distance),
                        q.join(",")
                    )
                }
                None => "no free configuration was found nearby".to_owned(),
            };
            let remedy = match &*verdict {
                Verdict::Collision(found) => format!("; {}", contact_remedy(scene, &[found.bodies])),
                _ => String::new(),
            };
            anyhow!("the {end} is not free: {}; {nearby}{remedy}", verdict_text(scene, &verdict))
        }
        error => error.into(),
    }
}

fn verdict_text(scene: &Scene, verdict: &Verdict) -> String {
    match verdict {
        Verdict::Free(_) => "it is free".to_owned(),
        Verdict::Collision(found) => {
            let [a, b] = report::names(scene, found.bodies);
            format!("{a} and {b} are in contact")
        }
        Verdict::TooClose(found) => {
            let [a, b] = report::names(scene, found.bodies);
            format!("{a} and {b} are too close, {} apart", metres(found.distance))
        }
        Verdict::Undecided(open) => report::open_text(scene, open),
    }
}

/// Place where a path is not free, and the reason.
pub(crate) fn place_text(scene: &Scene, verdict: &Verdict) -> String {
    match verdict {
        Verdict::Collision(found) | Verdict::TooClose(found) => report::finding_text(scene, found),
        Verdict::Undecided(open) => report::open_text(scene, open),
        Verdict::Free(_) => "it is free".to_owned(),
    }
}
