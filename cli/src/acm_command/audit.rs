//! Judges the pairs of links that an SRDF disables.

use std::path::Path;

use anyhow::Result;
use pathproof::maps::{Class, Classified, Shown};
use pathproof::scene::Scene;
use pathproof_formats::srdf;
use pathproof_formats::urdf::Urdf;

use super::{class_name, link_name};

/// Pair that a file disables, by the names of its links, with the file's reason.
pub(super) type Disabled = ([String; 2], String);

/// Judgement on leaving a pair unchecked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// One joint connects both.
    Adjacent,
    /// They never touch, or always do.
    Proven,
    /// They can touch, but do not always: a contact would be missed.
    Refuted,
    /// Neither is proven.
    Unproven,
    /// One of the links has no geometry: there is nothing to check.
    NoGeometry,
}

impl Verdict {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Adjacent => "adjacent",
            Self::Proven => "proven",
            Self::Refuted => "refuted",
            Self::Unproven => "unproven",
            Self::NoGeometry => "no geometry",
        }
    }
}

/// Pair that the file disables, and its verdict.
#[derive(Clone, Debug)]
pub(super) struct Audited {
    pub(super) links: [String; 2],
    /// The file's reason; may be empty.
    pub(super) reason: String,
    pub(super) verdict: Verdict,
    /// Index in the list of all pairs, if it is there.
    pub(super) pair: Option<usize>,
}

/// Reads the matrix of a robot.
pub(super) fn read(urdf: &Urdf, path: &Path, warnings: &mut Vec<String>) -> Result<Vec<Disabled>> {
    let mut srdf = srdf::read(path, urdf)?;
    warnings.append(&mut srdf.warnings);
    let name = |link: usize| urdf.links[link].name.clone();
    Ok(srdf.disabled.into_iter().map(|([a, b], reason)| ([name(a), name(b)], reason)).collect())
}

/// Judges every pair of the matrix.
pub(super) fn judge(matrix: &[Disabled], scene: &Scene, pairs: &[Classified]) -> Vec<Audited> {
    let find = |links: &[String; 2]| {
        pairs.iter().position(|pair| {
            let [a, b] = pair.bodies.map(|body| link_name(scene, body));
            (a == links[0] && b == links[1]) || (a == links[1] && b == links[0])
        })
    };
    let judged = |(links, reason): &Disabled| {
        let pair = find(links);
        let verdict = pair.map_or(Verdict::NoGeometry, |pair| match pairs[pair].class {
            Class::Adjacent { .. } => Verdict::Adjacent,
            Class::Sometimes { .. } => Verdict::Refuted,
            // The file says that the pair never touches, and it does.
            Class::Always { .. } if reason == "Never" => Verdict::Refuted,
            Class::Never { .. } | Class::Always { shown: Shown::Proven, .. } => Verdict::Proven,
            Class::Always { shown: Shown::Sampled(_), .. } | Class::Unproven { .. } => Verdict::Unproven,
        });
        Audited { links: links.clone(), reason: reason.clone(), verdict, pair }
    };
    matrix.iter().map(judged).collect()
}

/// Warning about pairs that a file still disables although they can touch, or although nothing is proven of them.
pub(super) fn doubts(kept: &[Audited], file: &Path) -> Option<String> {
    const MOST: usize = 8;
    let of = |verdict: Verdict| kept.iter().filter(move |pair| pair.verdict == verdict);
    let parts = [(Verdict::Refuted, "can touch"), (Verdict::Unproven, "not proven")].map(|(verdict, what)| {
        let mut names: Vec<String> = of(verdict).take(MOST).map(|pair| pair.links.join(" – ")).collect();
        let count = of(verdict).count();
        if count > MOST {
            names.push("…".to_owned());
        }
        (count > 0).then(|| format!("{count} {what} ({})", names.join(", ")))
    });
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let (file, found) = (file.display(), parts.join(", "));
    (!parts.is_empty()).then(|| {
        format!("{file}: of the pairs that it disabled before, {found}; they stay as written, see --audit {file}")
    })
}

/// Class behind a verdict, in one word.
pub(super) fn class_of(audited: &Audited, pairs: &[Classified]) -> &'static str {
    audited.pair.map_or("not checked", |pair| class_name(&pairs[pair].class))
}
