//! One self-contained page that plays a motion, its clearance and its findings (`pathproof view`, `--report`). `rows`
//! makes the page of `distance --trajectory`, `traffic` that of `traffic`.
//!
//! The content of the page is computed here: poses along the path, triangles, bounds. The script in `cli/page` draws it
//! and computes nothing of its own. Invariants: the same input gives the same bytes; names go into the page as data,
//! never as markup; on the way there lower bounds are only rounded down and upper ones up.

mod blob;
mod clearance;
mod document;
mod html;
mod measured;
mod meshes;
mod motion;
pub(crate) mod rows;
pub(crate) mod traffic;
mod traffic_bodies;
mod traffic_subject;

use anyhow::Result;
use pathproof::check::{Answer, CheckScratch, Checker, Finding, Profile, Settings, Verdict};
use pathproof::path::Motion;

use crate::colour::Paint;
use crate::profile_output;
use crate::report::{self, Reported};

/// Path and its results.
pub(crate) struct Shown<'a> {
    pub(crate) checker: &'a Checker,
    pub(crate) motion: &'a Motion,
    /// The scene's file, as typed.
    pub(crate) scene_name: String,
    /// Name of the path.
    pub(crate) path_name: String,
    pub(crate) answer: &'a Answer,
    pub(crate) profile: &'a Profile,
    pub(crate) warnings: &'a [String],
    pub(crate) notes: &'a [String],
    /// Note on a certificate.
    pub(crate) certificate: String,
    /// Answer as text, for readers without a script.
    pub(crate) text: String,
    pub(crate) settings: &'a Settings,
}

impl Shown<'_> {
    /// All findings, or the one that ended the search.
    fn findings(&self) -> Vec<&Finding> {
        match &self.answer.verdict {
            Verdict::Collision(found) | Verdict::TooClose(found) if self.answer.findings.is_empty() => vec![found],
            _ => self.answer.findings.iter().collect(),
        }
    }

    fn segments(&self) -> usize {
        self.motion.segments()
    }

    /// Verdict in a few words, without its name.
    pub(crate) fn headline(&self) -> String {
        document::headline(self)
    }

    /// The page.
    pub(crate) fn page(&self) -> Result<Vec<u8>> {
        let mut blob = blob::Blob::default();
        let document = document::build(self, &mut blob)?;
        let head = html::Head {
            title: &document.title,
            verdict: document.verdict,
            word: &document.verdict.replace('_', " "),
            headline: &document.headline,
            text: &document.text,
        };
        html::page(&head, &document, &blob)
    }
}

/// Answer as `check` prints it, without colours and values that differ from run to run.
pub(crate) fn text_of(reported: &Reported<'_>) -> Result<String> {
    let plain = Reported { time: None, profile: None, paint: Paint::Plain, ..*reported };
    let mut text = Vec::new();
    report::write_text(&plain, &mut text)?;
    Ok(String::from_utf8(text)?)
}

/// Page of a path that is checked here, without warnings; `certificate` is the note on one, if any.
pub(crate) fn of_path(
    checker: &Checker,
    motion: &Motion,
    settings: &Settings,
    [scene_name, path_name]: [String; 2],
    certificate: Option<String>,
) -> Result<Vec<u8>> {
    let mut scratch = CheckScratch::new(checker);
    let answer = checker.path(motion, settings, &mut scratch)?;
    let profile = profile_output::shown(checker, motion, &answer, settings, &mut scratch)?;
    let reported = Reported {
        scene: checker.scene(),
        joints: &report::joint_names(checker.scene()),
        answer: &answer,
        path: None,
        motion: Some(motion),
        names_interpolation: false,
        segments: motion.segments(),
        report: settings.report,
        warnings: &[],
        notes: &[],
        time: None,
        row: None,
        profile: None,
        smallest: None,
        paint: Paint::Plain,
    };
    let shown = Shown {
        checker,
        motion,
        scene_name,
        path_name,
        answer: &answer,
        profile: &profile,
        warnings: &[],
        notes: &[],
        certificate: certificate.unwrap_or_else(|| NO_CERTIFICATE.to_owned()),
        text: text_of(&reported)?,
        settings,
    };
    shown.page()
}

/// Note in place of a certificate.
pub(crate) const NO_CERTIFICATE: &str = "none was asked for (check --certificate)";

/// Command line in shell syntax: the program's own name without its folder.
pub(crate) fn command_line() -> String {
    let quoted = |word: String| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
        let needs_none = !word.is_empty() && word.chars().all(is_plain);
        if needs_none { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
    };
    let words = std::env::args_os().skip(1).map(|word| quoted(word.to_string_lossy().into_owned()));
    std::iter::once("pathproof".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}
