//! Steps of `check` in order: paths, and objects picked up or put down between them.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::ArgMatches;

/// Steps in the order of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Check the paths of a file; `-` is standard input.
    Path(PathBuf),
    /// From here on, an object moves with a link.
    Attach { object: String, link: String },
    /// From here on, it stays where it is.
    Detach { object: String },
}

/// The steps in the order in which they were typed.
pub(super) fn in_order(
    paths: &[PathBuf],
    attach: &[String],
    detach: &[String],
    matches: &ArgMatches,
) -> Result<Vec<Step>> {
    let places = |id: &str| matches.indices_of(id).map(Iterator::collect::<Vec<_>>).unwrap_or_default();
    let mut steps: Vec<(usize, Step)> = Vec::new();
    steps.extend(places("paths").into_iter().zip(paths.iter().cloned().map(Step::Path)));
    for (place, text) in places("attach").into_iter().zip(attach) {
        let (object, link) =
            text.split_once('=').with_context(|| format!("--attach: {text:?} is not OBJECT=ROBOT/LINK"))?;
        steps.push((place, Step::Attach { object: object.to_owned(), link: link.to_owned() }));
    }
    for (place, object) in places("detach").into_iter().zip(detach) {
        steps.push((place, Step::Detach { object: object.clone() }));
    }
    steps.sort_by_key(|(place, _)| *place);
    let steps: Vec<Step> = steps.into_iter().map(|(_, step)| step).collect();
    ensure!(
        matches!(steps.last(), Some(Step::Path(_))),
        "--attach and --detach stand before the path they count for, and nothing follows the last one"
    );
    Ok(steps)
}
