//! The classes of all pairs, as one JSON object.

use std::io::{self, Write};

use pathproof::maps::{Class, Classified, Shown};
use pathproof::scene::Scene;
use serde::Serialize;
use std::collections::BTreeMap;

use super::{Report, class_name, link_names, variables_between, without_robot};

#[derive(Serialize)]
struct Line<'a> {
    schema: u32,
    robot: &'a str,
    /// Variable of each value of a `configuration`.
    joints: Vec<&'a str>,
    /// Maximum number of boxes per pair.
    boxes: usize,
    counts: BTreeMap<&'static str, usize>,
    pairs: Vec<PairLine<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    audit: Option<Vec<AuditLine<'a>>>,
    warnings: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<String>,
    /// Number of pairs added to an existing file.
    #[serde(skip_serializing_if = "Option::is_none")]
    added: Option<usize>,
    stats: Stats,
}

#[derive(Serialize)]
struct Stats {
    seconds: f64,
    boxes: usize,
    samples: usize,
}

#[derive(Serialize)]
struct PairLine<'a> {
    links: [&'a str; 2],
    class: &'static str,
    /// True if the class is proven; false if it was only sampled.
    proven: bool,
    /// Number of movable joints between the links.
    joints_between: usize,
    boxes: usize,
    samples: usize,
    /// `never`: proven lower bound on the distance, in metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    clearance: Option<f64>,
    /// `unproven`: share of the joint range that is proven apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    proven_share: Option<f64>,
    /// `seconds` if time ended the search for contacts.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<&'static str>,
    /// Reason why nothing can be proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_map: Option<String>,
    /// `sometimes` and `always`: a configuration in contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    configuration: Option<&'a [f64]>,
    /// Variables of the joints between the links, to which the class applies.
    joints: Vec<&'a str>,
}

#[derive(Serialize)]
struct AuditLine<'a> {
    links: &'a [String; 2],
    reason: &'a str,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    configuration: Option<&'a [f64]>,
}

pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut counts = BTreeMap::new();
    for pair in report.pairs {
        *counts.entry(class_name(&pair.class)).or_insert(0) += 1;
    }
    let audit = report.audited.map(|audited| {
        let line = |pair: &'_ super::Audited| pair.pair.and_then(|index| configuration(&report.pairs[index]));
        audited
            .iter()
            .map(|pair| AuditLine {
                links: &pair.links,
                reason: &pair.reason,
                verdict: pair.verdict.name(),
                configuration: line(pair),
            })
            .collect()
    });
    let line = Line {
        schema: 1,
        robot: report.robot,
        joints: report.scene().model().variables().iter().map(|variable| without_robot(&variable.name)).collect(),
        boxes: report.settings.map.boxes,
        counts,
        pairs: report.pairs.iter().map(|pair| pair_line(report.scene(), pair)).collect(),
        audit,
        warnings: &report.warnings,
        written: report.written.map(|written| written.path.display().to_string()),
        added: report.written.and_then(|written| written.added),
        stats: Stats {
            seconds: report.seconds,
            boxes: report.pairs.iter().map(|pair| pair.boxes).sum(),
            samples: report.pairs.iter().map(|pair| pair.samples).sum(),
        },
    };
    serde_json::to_writer(&mut *out, &line)?;
    writeln!(out)
}

fn configuration(pair: &Classified) -> Option<&[f64]> {
    match &pair.class {
        Class::Sometimes { configuration } | Class::Always { configuration, .. } => Some(configuration),
        Class::Adjacent { .. } | Class::Never { .. } | Class::Unproven { .. } => None,
    }
}

fn pair_line<'a>(scene: &'a Scene, pair: &'a Classified) -> PairLine<'a> {
    let (clearance, proven_share, no_map) = match &pair.class {
        Class::Never { lower } => (Some(*lower), None, None),
        Class::Unproven { share, no_map, .. } => (None, Some(*share), no_map.as_ref().map(ToString::to_string)),
        _ => (None, None, None),
    };
    let proven = !matches!(pair.class, Class::Unproven { .. } | Class::Always { shown: Shown::Sampled(_), .. });
    PairLine {
        links: link_names(scene, pair),
        class: class_name(&pair.class),
        proven,
        joints_between: pair.joints,
        boxes: pair.boxes,
        samples: pair.samples,
        clearance,
        proven_share,
        limit: matches!(pair.class, Class::Unproven { is_cut_short: true, .. }).then_some("seconds"),
        no_map,
        configuration: configuration(pair),
        joints: variables_between(scene, pair).into_iter().map(|(_, name)| name).collect(),
    }
}
