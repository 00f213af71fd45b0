//! What the reader of an answer should know about it, its scene and its path.

use anyhow::{Result, ensure};
use pathproof::check::{Answer, CheckScratch, Checker, Limit, Report, Settings, Verdict};
use pathproof::formats::path_file::LoadedPath;
use pathproof::scene::Scene;

use crate::contacts;

/// A scene without pairs makes every path free, which is rarely what its writer meant: an error, or a warning where it
/// was allowed.
pub(crate) fn nothing_checked(scene: &Scene, is_allowed: bool) -> Result<Option<String>> {
    let is_empty = scene.pairs().is_empty();
    ensure!(
        is_allowed || !is_empty,
        "no pair of bodies is checked, so every path would be free; `pathproof scene` says why, --allow-empty accepts it"
    );
    Ok(is_empty.then(|| "no pair of bodies is checked, so every path is free".to_owned()))
}

/// Adds what the reader of an answer should know about it and about the path.
pub(crate) fn warnings_of(
    checker: &Checker,
    path: &LoadedPath,
    answer: &Answer,
    settings: &Settings,
    scratch: &mut CheckScratch,
    warnings: &mut Vec<String>,
) {
    warnings.extend(path.warnings.iter().cloned());
    warnings.extend(incomplete(answer, settings.report));
    warnings.extend(raised_tolerance(answer, checker.scene()));
    if !matches!(answer.verdict, Verdict::Free(_)) {
        // Before all else: it is most often why the path is not free.
        let contacts = contacts_at_start(checker, &path.waypoints[0], scratch);
        warnings.splice(0..0, contacts);
    }
}

/// With `--first` and `--all` a limit may end the search after something was found.
fn incomplete(answer: &Answer, report: Report) -> Option<String> {
    if matches!(answer.verdict, Verdict::Undecided(_)) {
        return None;
    }
    let reached = match answer.unresolved.as_ref()?.limit {
        Limit::Queries => "the limit of --max-queries was reached",
        Limit::Seconds => "the limit of --max-seconds was reached",
        Limit::Resolution => "a pair grazes its clearance and stays undecided",
    };
    let missed = match report {
        Report::First => "something earlier may have been missed",
        Report::Any | Report::All => "there may be more than what was found",
    };
    Some(format!("{reached}: {missed}"))
}

/// Below what rounding allows a tolerance cannot be kept.
fn raised_tolerance(answer: &Answer, scene: &Scene) -> Option<String> {
    let (kept, asked) = (answer.tolerance, scene.tolerance());
    let why = "the arithmetic of this scene resolves no less";
    (kept > asked).then(|| format!("the tolerance was raised from {asked:?} m to {kept:?} m: {why}"))
}

/// Pairs that touch at the first configuration already.
fn contacts_at_start(checker: &Checker, first: &[f64], scratch: &mut CheckScratch) -> Option<String> {
    let answer = checker.path(&[first.to_vec()], &Settings::default(), scratch).ok()?;
    if !matches!(answer.verdict, Verdict::Collision(_)) {
        return None;
    }
    let meetings = contacts::at(checker.scene(), first);
    contacts::describe(checker.scene(), &meetings, "at the first configuration already")
}
