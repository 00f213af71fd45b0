//! Answers as JSON: the contract's object.

use std::io::{self, Write};
use std::time::Duration;

use pathproof::check::{Finding, Free, Report, Statistics, Unresolved, Verdict};
use pathproof::path::Version;
use pathproof::robot::Interpolation;
use pathproof::scene::{PairKind, PerKind};
use serde::Serialize;

use super::{Reported, lower_clearance, names, pair_clearance};
use crate::{min_distance, profile_output};

/// The contract's object. Fields that a verdict does not have are left out.
#[derive(Serialize)]
struct Line<'a> {
    schema: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    /// Interpolation between waypoints.
    #[serde(skip_serializing_if = "Option::is_none")]
    interpolation: Option<&'static str>,
    verdict: &'static str,
    #[serde(flatten)]
    evidence: Evidence<'a>,
    clearance: f64,
    tolerance: f64,
    /// Segment and place up to which the path is proven free.
    #[serde(skip_serializing_if = "Option::is_none")]
    free_until: Option<(usize, f64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    free_until_time: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<Vec<FindingLine<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_distance: Option<min_distance::Line<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<profile_output::Line<'a>>,
    warnings: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    stats: Stats,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Evidence<'a> {
    Free {
        /// `null` if no pair is checked.
        lower_clearance: Option<f64>,
        /// Same by kind of pair, if the scene checks both.
        #[serde(skip_serializing_if = "Option::is_none")]
        lower: Option<Lower>,
        proven: Proven,
    },
    Found {
        segment: usize,
        t: f64,
        /// In seconds, if the path has times.
        #[serde(skip_serializing_if = "Option::is_none")]
        time: Option<f64>,
        configuration: &'a [f64],
        joints: &'a [String],
        bodies: [&'a str; 2],
        distance: f64,
        points: [[f64; 3]; 2],
        #[serde(skip_serializing_if = "Option::is_none")]
        version: Option<&'static str>,
    },
    Open {
        segment: usize,
        interval: [f64; 2],
        /// In seconds, if the path has times.
        #[serde(skip_serializing_if = "Option::is_none")]
        times: Option<[f64; 2]>,
        bodies: [&'a str; 2],
        limit: &'static str,
    },
}

/// Proven lower bounds by kind of pair.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Lower {
    world: f64,
    #[serde(rename = "self")]
    own_links: f64,
}

impl Lower {
    /// Bounds of an answer; `None` if at most one kind of pairs is checked.
    pub(crate) fn of(free: &Free) -> Option<Self> {
        let PerKind { world, own_links } = free.lower;
        (world.is_finite() && own_links.is_finite()).then_some(Self { world, own_links })
    }
}

/// Statement that `free` has proven.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Proven {
    pub(super) segments: usize,
    pub(super) pairs: usize,
    /// Smallest clearance, which every pair keeps; `null` if no pair is checked. Excludes pairs of links of one robot
    /// if the scene checks both kinds of pairs.
    pub(super) clearance: Option<f64>,
    /// Smallest clearance between links of one robot, if the scene checks both kinds of pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) self_clearance: Option<f64>,
}

impl Proven {
    pub(super) fn of(reported: &Reported<'_>) -> Self {
        let pairs = reported.scene.pairs();
        let of = |kind: PairKind| {
            pairs.iter().filter(|pair| pair.kind == kind).map(|pair| pair.clearance).min_by(f64::total_cmp)
        };
        let (segments, pairs) = (reported.segments, pairs.len());
        match (of(PairKind::World), of(PairKind::OwnLinks)) {
            (None, clearance) => Self { segments, pairs, clearance, self_clearance: None },
            (clearance, self_clearance) => Self { segments, pairs, clearance, self_clearance },
        }
    }
}

/// One of all findings.
#[derive(Serialize)]
struct FindingLine<'a> {
    verdict: &'static str,
    segment: usize,
    t: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<f64>,
    configuration: &'a [f64],
    bodies: [&'a str; 2],
    distance: f64,
    points: [[f64; 3]; 2],
    clearance: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'static str>,
}

#[derive(Serialize)]
struct Stats {
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    configurations: u64,
    distance_queries: u64,
    volume_tests: u64,
    triangle_tests: u64,
    bisections: u64,
}

/// One JSON object on one line.
pub(crate) fn write_json(reported: &Reported<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Reported { scene, answer, .. } = reported;
    let (evidence, clearance) = match &answer.verdict {
        Verdict::Free(free) => {
            let lower_clearance = lower_clearance(free);
            let (lower, proven) = (Lower::of(free), Proven::of(reported));
            (Evidence::Free { lower_clearance, lower, proven }, scene.clearance())
        }
        Verdict::Collision(found) | Verdict::TooClose(found) => (found_evidence(reported, found), found.clearance),
        Verdict::Undecided(open) => {
            let &Unresolved { segment, interval, bodies, limit } = open;
            let bodies_named = names(scene, bodies);
            let [from, to] = interval.map(|t| reported.time_of(segment, t));
            let times = from.zip(to).map(|(from, to)| [from, to]);
            let limit = limit.name();
            let evidence = Evidence::Open { segment, interval, times, bodies: bodies_named, limit };
            (evidence, pair_clearance(scene, bodies))
        }
    };
    let is_all = reported.report == Report::All;
    let free_until = answer.free_until.filter(|_| !matches!(answer.verdict, Verdict::Free(_)));
    let line = Line {
        schema: 1,
        row: reported.row,
        path: reported.path,
        interpolation: reported.interpolation().map(Interpolation::name),
        verdict: answer.verdict.name(),
        evidence,
        clearance,
        tolerance: answer.tolerance,
        free_until: free_until.map(|place| (place.segment, place.t)),
        free_until_time: free_until.and_then(|place| reported.time_of(place.segment, place.t)),
        findings: is_all.then(|| answer.findings.iter().map(|finding| finding_line(reported, finding)).collect()),
        min_distance: reported.smallest.and_then(|smallest| min_distance::line(smallest, scene, reported.motion)),
        profile: reported.profile.map(|profile| profile.line(scene)),
        warnings: reported.warnings,
        notes: reported.notes,
        stats: stats(&answer.statistics, reported.time),
    };
    serde_json::to_writer(&mut *out, &line)?;
    writeln!(out)
}

fn found_evidence<'a>(reported: &Reported<'a>, found: &'a Finding) -> Evidence<'a> {
    Evidence::Found {
        segment: found.segment,
        t: found.t,
        time: reported.time_at(found),
        configuration: &found.configuration,
        joints: reported.joints,
        bodies: names(reported.scene, found.bodies),
        distance: found.distance,
        points: found.points.map(|point| point.to_array()),
        version: version_name(found),
    }
}

/// Version of the motion that has a finding, unless it is the newest.
fn version_name(found: &Finding) -> Option<&'static str> {
    (found.version != Version::Newest).then(|| found.version.name())
}

fn finding_line<'a>(reported: &Reported<'a>, finding: &'a Finding) -> FindingLine<'a> {
    FindingLine {
        verdict: if finding.is_collision() { "collision" } else { "too_close" },
        segment: finding.segment,
        t: finding.t,
        time: reported.time_at(finding),
        configuration: &finding.configuration,
        bodies: names(reported.scene, finding.bodies),
        distance: finding.distance,
        points: finding.points.map(|point| point.to_array()),
        clearance: finding.clearance,
        version: version_name(finding),
    }
}

fn stats(statistics: &Statistics, time: Option<Duration>) -> Stats {
    let &Statistics { configurations, distance_queries, volume_tests, triangle_tests, bisections } = statistics;
    let seconds = time.map(|time| time.as_secs_f64());
    Stats { seconds, configurations, distance_queries, volume_tests, triangle_tests, bisections }
}
