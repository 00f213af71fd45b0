//! `pathproof check --profile`: writes the clearance profile to a file, and its summary to the answer.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use pathproof::check::{Answer, CheckScratch, Checker, Limit, Profile, ProfilePiece, Settings, Verdict};
use pathproof::numeric::most;
use pathproof::path::Motion;
use pathproof::scene::{PairKind, Scene};
use pathproof_formats::OutputSet;
use serde::Serialize;

use crate::clearances::has_both_kinds;
use crate::min_distance;
use crate::numbers::{at_least, at_most, rounded};
use crate::profile_file;
use crate::report;

/// Profile that is written, or to be written.
pub(crate) struct Written {
    profile: Profile,
    path: PathBuf,
    time: Duration,
}

/// Profile in JSON.
#[derive(Serialize)]
pub(crate) struct Line<'a> {
    file: String,
    pieces: usize,
    /// True if the bounds of all pieces differ by at most the tolerance.
    complete: bool,
    seconds: f64,
    distance_queries: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<Nearest<'a>>,
    /// By kind of pair, if the scene checks both.
    #[serde(skip_serializing_if = "Option::is_none")]
    world: Option<Nearest<'a>>,
    #[serde(rename = "self", skip_serializing_if = "Option::is_none")]
    own_links: Option<Nearest<'a>>,
}

#[derive(Serialize)]
struct Nearest<'a> {
    bodies: [&'a str; 2],
    segment: usize,
    t: f64,
    /// Over all these pairs and the whole path.
    lower: f64,
    upper: f64,
}

/// Computes the profile of a path, to be written to `path`.
pub(crate) fn compute(
    path: &Path,
    checker: &Checker,
    motion: &Motion,
    settings: &Settings,
    scratch: &mut CheckScratch,
) -> Result<Written> {
    let start = Instant::now();
    let profile = measured(checker, motion, settings, scratch)?;
    Ok(Written { profile, path: path.to_owned(), time: start.elapsed() })
}

/// Profile that a page shows for a path beside its answer.
pub(crate) fn shown(
    checker: &Checker,
    motion: &Motion,
    answer: &Answer,
    settings: &Settings,
    scratch: &mut CheckScratch,
) -> Result<Profile> {
    let mut profile = measured(checker, motion, settings, scratch)?;
    if let Verdict::Free(free) = &answer.verdict {
        profile.raise(checker.scene(), free);
    }
    Ok(profile)
}

/// Computes the profile of a path, with a progress bar.
fn measured(checker: &Checker, motion: &Motion, settings: &Settings, scratch: &mut CheckScratch) -> Result<Profile> {
    let bar = progress_bar();
    let profile = checker.profile(motion, settings, scratch, &mut |share| {
        bar.set_position((share * STEPS as f64) as u64);
    })?;
    bar.finish_and_clear();
    Ok(profile)
}

impl Written {
    pub(crate) fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Adds the file.
    pub(crate) fn write(&self, scene: &Scene, of: &Motion, files: &mut OutputSet) -> Result<()> {
        Ok(files.add(&self.path, profile_file::to_bytes(&self.path, scene, &self.profile, of)?)?)
    }

    /// A free path keeps the larger of both proven clearances, and so do the pieces.
    pub(crate) fn refine(&mut self, scene: &Scene, answer: &mut Answer) {
        if let Verdict::Free(free) = &mut answer.verdict {
            for kind in PairKind::ALL {
                if let Some((lower, _)) = self.profile.nearest_of(scene, kind) {
                    free.lower[kind] = most(free.lower[kind], lower);
                }
            }
            self.profile.raise(scene, free);
        }
    }

    /// Warning if a limit ended the refining.
    pub(crate) fn incomplete(&self) -> Option<String> {
        let limit = match self.profile.limit? {
            Limit::Queries => "--max-queries",
            Limit::Seconds => "--max-seconds",
            Limit::Resolution => "resolution",
        };
        let path = self.path.display();
        Some(format!(
            "the limit of {limit} was reached: the bounds in {path} hold, but some are wider than the tolerance"
        ))
    }

    pub(crate) fn line<'a>(&self, scene: &'a Scene) -> Line<'a> {
        let nearest = |(lower, piece): (f64, &ProfilePiece)| Nearest {
            bodies: report::names(scene, piece.bodies),
            segment: piece.segment,
            t: piece.t_upper,
            lower,
            upper: piece.upper,
        };
        let has_both = has_both_kinds(scene);
        let of = |kind| self.profile.nearest_of(scene, kind).filter(|_| has_both).map(nearest);
        Line {
            file: self.path.display().to_string(),
            pieces: self.profile.pieces.len(),
            complete: self.profile.limit.is_none(),
            seconds: self.time.as_secs_f64(),
            distance_queries: self.profile.statistics.distance_queries,
            nearest: self.profile.nearest().map(|piece| nearest((self.profile.lower(), piece))),
            world: of(PairKind::World),
            own_links: of(PairKind::OwnLinks),
        }
    }

    pub(crate) fn write_text(&self, scene: &Scene, out: &mut dyn Write) -> io::Result<()> {
        let Line { file, pieces, distance_queries, .. } = self.line(scene);
        let time = self.time.as_secs_f64() * 1e3;
        writeln!(out, "  profile        {pieces} pieces in {file}: {distance_queries} distance queries, {time:.3} ms")?;
        for kind in PairKind::ALL {
            let Some((lower, piece)) = self.profile.nearest_of(scene, kind) else { continue };
            let [a, b] = report::names(scene, piece.bodies);
            let (lower, upper, t) = (at_least(lower), at_most(piece.upper), rounded(piece.t_upper));
            let label = min_distance::label(kind, has_both_kinds(scene));
            let segment = piece.segment;
            writeln!(out, "  {label:<14} between {lower} and {upper}: {a} and {b}, segment {segment}, t = {t}")?;
        }
        Ok(())
    }
}

/// Steps of a progress bar.
pub(crate) const STEPS: u64 = 1000;

/// Shown on a terminal only.
pub(crate) fn progress_bar() -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{wide_bar} {percent} % of the profile, {eta} left");
    ProgressBar::new(STEPS).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
