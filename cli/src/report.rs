//! Answers of the checker as text for people and as JSON for programs; `check` and `batch` share them. Numbers are
//! printed so that they read back as the same bits.

use std::io::{self, Write};
use std::time::Duration;

use pathproof::check::{Answer, Finding, Limit, Report, Statistics, Unresolved, Verdict};
use pathproof::numeric::DVec3;
use pathproof::scene::Scene;
use serde::Serialize;

use crate::profile_output;

/// An answer and what it was an answer to.
pub(crate) struct Reported<'a> {
    pub(crate) scene: &'a Scene,
    /// Names of the scene's variables, as JSON gives them.
    pub(crate) joints: &'a [String],
    pub(crate) answer: &'a Answer,
    /// What was looked for.
    pub(crate) report: Report,
    pub(crate) warnings: &'a [String],
    /// How long it took; left out where the same bytes are promised.
    pub(crate) time: Option<Duration>,
    /// Row of a batch.
    pub(crate) row: Option<u64>,
    /// The profile that was written beside.
    pub(crate) profile: Option<&'a profile_output::Written>,
}

/// The names of a scene's variables.
pub(crate) fn joint_names(scene: &Scene) -> Vec<String> {
    scene.model().variables().iter().map(|variable| variable.name.clone()).collect()
}

/// The verdict's name in the contract.
pub(crate) fn verdict_name(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Free(_) => "free",
        Verdict::Collision(_) => "collision",
        Verdict::TooClose(_) => "too_close",
        Verdict::Undecided(_) => "undecided",
    }
}

/// Names of a pair of bodies.
pub(crate) fn names(scene: &Scene, bodies: [usize; 2]) -> [&str; 2] {
    bodies.map(|body| scene.bodies()[body].name.as_str())
}

/// The contract's object. Fields that a verdict has not are left out.
#[derive(Serialize)]
struct Line<'a> {
    schema: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<u64>,
    verdict: &'static str,
    #[serde(flatten)]
    evidence: Evidence<'a>,
    clearance: f64,
    tolerance: f64,
    /// Segment and place up to which the path is proven free.
    #[serde(skip_serializing_if = "Option::is_none")]
    free_until: Option<(usize, f64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<Vec<FindingLine<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<profile_output::Line<'a>>,
    warnings: &'a [String],
    stats: Stats,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Evidence<'a> {
    Free {
        /// `null` where no pair is checked.
        lower_clearance: Option<f64>,
    },
    Found {
        segment: usize,
        t: f64,
        configuration: &'a [f64],
        joints: &'a [String],
        bodies: [&'a str; 2],
        distance: f64,
        points: [[f64; 3]; 2],
    },
    Open {
        segment: usize,
        interval: [f64; 2],
        bodies: [&'a str; 2],
        limit: &'static str,
    },
}

/// One of all findings.
#[derive(Serialize)]
struct FindingLine<'a> {
    verdict: &'static str,
    segment: usize,
    t: f64,
    configuration: &'a [f64],
    bodies: [&'a str; 2],
    distance: f64,
    points: [[f64; 3]; 2],
    clearance: f64,
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
            let lower_clearance = Some(free.lower_clearance).filter(|lower| lower.is_finite());
            (Evidence::Free { lower_clearance }, scene.clearance())
        }
        Verdict::Collision(found) | Verdict::TooClose(found) => (found_evidence(reported, found), found.clearance),
        Verdict::Undecided(open) => {
            let &Unresolved { segment, interval, bodies, limit } = open;
            let bodies_named = names(scene, bodies);
            let evidence = Evidence::Open { segment, interval, bodies: bodies_named, limit: limit_name(limit) };
            (evidence, pair_clearance(scene, bodies))
        }
    };
    let is_all = reported.report == Report::All;
    let line = Line {
        schema: 1,
        row: reported.row,
        verdict: verdict_name(&answer.verdict),
        evidence,
        clearance,
        tolerance: answer.tolerance,
        free_until: answer.free_until.map(|place| (place.segment, place.t)),
        findings: is_all.then(|| answer.findings.iter().map(|finding| finding_line(scene, finding)).collect()),
        profile: reported.profile.map(|profile| profile.line(scene)),
        warnings: reported.warnings,
        stats: stats(&answer.statistics, reported.time),
    };
    serde_json::to_writer(&mut *out, &line)?;
    writeln!(out)
}

fn found_evidence<'a>(reported: &Reported<'a>, found: &'a Finding) -> Evidence<'a> {
    Evidence::Found {
        segment: found.segment,
        t: found.t,
        configuration: &found.configuration,
        joints: reported.joints,
        bodies: names(reported.scene, found.bodies),
        distance: found.distance,
        points: found.points.map(|point| point.to_array()),
    }
}

fn finding_line<'a>(scene: &'a Scene, finding: &'a Finding) -> FindingLine<'a> {
    FindingLine {
        verdict: if finding.is_collision() { "collision" } else { "too_close" },
        segment: finding.segment,
        t: finding.t,
        configuration: &finding.configuration,
        bodies: names(scene, finding.bodies),
        distance: finding.distance,
        points: finding.points.map(|point| point.to_array()),
        clearance: finding.clearance,
    }
}

fn stats(statistics: &Statistics, time: Option<Duration>) -> Stats {
    let &Statistics { configurations, distance_queries, volume_tests, triangle_tests, bisections } = statistics;
    let seconds = time.map(|time| time.as_secs_f64());
    Stats { seconds, configurations, distance_queries, volume_tests, triangle_tests, bisections }
}

fn limit_name(limit: Limit) -> &'static str {
    match limit {
        Limit::Queries => "queries",
        Limit::Seconds => "seconds",
        Limit::Resolution => "resolution",
    }
}

/// The clearance that a pair is held to.
fn pair_clearance(scene: &Scene, [a, b]: [usize; 2]) -> f64 {
    let is_meant = |pair: &&pathproof::scene::CheckedPair| [pair.a, pair.b] == [a.min(b), a.max(b)];
    scene.pairs().iter().find(is_meant).map_or(scene.clearance(), |pair| pair.clearance)
}

/// Text for people.
pub(crate) fn write_text(reported: &Reported<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Reported { scene, answer, .. } = reported;
    match &answer.verdict {
        Verdict::Free(free) => {
            writeln!(out, "free: proven for every configuration of the path")?;
            if free.lower_clearance.is_finite() {
                writeln!(out, "  distance       at least {:?} m between all checked pairs", free.lower_clearance)?;
            }
            writeln!(out, "  asked for      {}", asked_for(answer, scene.clearance()))?;
        }
        Verdict::Collision(found) | Verdict::TooClose(found) => write_finding(reported, found, out)?,
        Verdict::Undecided(open) => {
            let [a, b] = names(scene, open.bodies);
            writeln!(out, "undecided: {a} and {b} are neither proven apart nor found too close")?;
            let [from, to] = open.interval;
            writeln!(out, "  where          segment {}, t from {from:?} to {to:?}", open.segment)?;
            writeln!(out, "  limit          {}", limit_text(open.limit))?;
            writeln!(out, "  asked for      {}", asked_for(answer, pair_clearance(scene, open.bodies)))?;
        }
    }
    if let (Some(place), false) = (answer.free_until, matches!(answer.verdict, Verdict::Free(_))) {
        writeln!(out, "  free until     segment {}, t = {:?}", place.segment, place.t)?;
    }
    if let Some(profile) = reported.profile {
        profile.write_text(scene, out)?;
    }
    write_work(reported, out)?;
    for warning in reported.warnings {
        writeln!(out, "warning: {warning}")?;
    }
    if reported.report == Report::All && !answer.findings.is_empty() {
        write_findings(reported, out)?;
    }
    Ok(())
}

fn write_finding(reported: &Reported<'_>, found: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let [a, b] = names(reported.scene, found.bodies);
    match found.is_collision() {
        true => writeln!(out, "collision: {a} and {b}")?,
        false => writeln!(out, "too close: {a} and {b}")?,
    }
    writeln!(out, "  where          segment {}, t = {:?}", found.segment, found.t)?;
    let q: Vec<String> = found.configuration.iter().map(|value| format!("{value:?}")).collect();
    writeln!(out, "  configuration  {}", q.join(", "))?;
    writeln!(out, "  distance       {:?} m", found.distance)?;
    writeln!(out, "  asked for      {}", asked_for(reported.answer, found.clearance))?;
    let [on_a, on_b] = found.points;
    writeln!(out, "  points         {} of {a}", point(on_a))?;
    writeln!(out, "                 {} of {b}", point(on_b))
}

fn asked_for(answer: &Answer, clearance: f64) -> String {
    format!("clearance {clearance:?} m, tolerance {:?} m", answer.tolerance)
}

fn limit_text(limit: Limit) -> &'static str {
    match limit {
        Limit::Queries => "the number of distance queries allowed (--max-queries)",
        Limit::Seconds => "the time allowed (--max-seconds)",
        Limit::Resolution => "the resolution of the arithmetic: the pair grazes its clearance; allow a tolerance",
    }
}

fn write_work(reported: &Reported<'_>, out: &mut dyn Write) -> io::Result<()> {
    let work = &reported.answer.statistics;
    write!(out, "  work           {} configurations, ", work.configurations)?;
    write!(out, "{} distance queries, {} volume tests, ", work.distance_queries, work.volume_tests)?;
    write!(out, "{} triangle tests, {} bisections", work.triangle_tests, work.bisections)?;
    match reported.time {
        Some(time) => writeln!(out, ", {:.3} ms", time.as_secs_f64() * 1e3),
        None => writeln!(out),
    }
}

fn write_findings(reported: &Reported<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "findings: {}", reported.answer.findings.len())?;
    for finding in &reported.answer.findings {
        let verdict = if finding.is_collision() { "collision" } else { "too close" };
        let [a, b] = names(reported.scene, finding.bodies);
        let (segment, t, distance) = (finding.segment, finding.t, finding.distance);
        writeln!(out, "  {verdict}: {a} and {b}, segment {segment}, t = {t:?}, distance {distance:?} m")?;
    }
    Ok(())
}

fn point(p: DVec3) -> String {
    format!("({:?}, {:?}, {:?})", p.x, p.y, p.z)
}
