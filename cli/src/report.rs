//! Answers of the checker as text for people and as JSON for programs; `check` and `batch` share them. Numbers in JSON
//! read back as the same bits; in text they are rounded to what matters.

use std::io::{self, Write};
use std::time::Duration;

use pathproof::check::{Answer, Finding, Limit, Report, SmallestDistance, Statistics, Unresolved, Verdict};
use pathproof::formats::path_file::LoadedPath;
use pathproof::numeric::DVec3;
use pathproof::robot::Interpolation;
use pathproof::scene::Scene;
use serde::Serialize;

use crate::colour::Paint;
use crate::numbers::{given, metres, rounded};
use crate::{min_distance, profile_output};

/// An answer and what it was an answer to.
pub(crate) struct Reported<'a> {
    pub(crate) scene: &'a Scene,
    /// Names of the scene's variables, as JSON gives them.
    pub(crate) joints: &'a [String],
    pub(crate) answer: &'a Answer,
    /// The path's name, where there are several.
    pub(crate) path: Option<&'a str>,
    /// The path, which may know times.
    pub(crate) waypoints: Option<&'a LoadedPath>,
    /// How many segments were asked about; one configuration alone counts as one.
    pub(crate) segments: usize,
    /// What was looked for.
    pub(crate) report: Report,
    pub(crate) warnings: &'a [String],
    /// What was taken without being named.
    pub(crate) notes: &'a [String],
    /// How long it took; left out where the same bytes are promised.
    pub(crate) time: Option<Duration>,
    /// Row of a batch.
    pub(crate) row: Option<u64>,
    /// The profile that was written beside.
    pub(crate) profile: Option<&'a profile_output::Written>,
    /// The smallest distance, where it was asked for.
    pub(crate) smallest: Option<&'a SmallestDistance>,
    /// Whether text is coloured.
    pub(crate) paint: Paint,
}

impl Reported<'_> {
    /// What runs between waypoints, where there is any doubt.
    fn interpolation(&self) -> Option<Interpolation> {
        let path = self.waypoints?;
        let is_plain = path.interpolation == Interpolation::Linear && path.derivatives.is_none();
        (!is_plain).then_some(path.interpolation)
    }

    fn time_at(&self, found: &Finding) -> Option<f64> {
        self.time_of(found.segment, found.t)
    }

    fn time_of(&self, segment: usize, t: f64) -> Option<f64> {
        self.waypoints?.time_at(segment, t)
    }
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

/// A number per verdict: free, collision, too close, undecided.
pub(crate) fn verdict_number(verdict: &Verdict) -> usize {
    match verdict {
        Verdict::Free(_) => 0,
        Verdict::Collision(_) => 1,
        Verdict::TooClose(_) => 2,
        Verdict::Undecided(_) => 3,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    /// What runs between waypoints.
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
        /// `null` where no pair is checked.
        lower_clearance: Option<f64>,
        proven: Proven,
    },
    Found {
        segment: usize,
        t: f64,
        /// In seconds, where the path has times.
        #[serde(skip_serializing_if = "Option::is_none")]
        time: Option<f64>,
        configuration: &'a [f64],
        joints: &'a [String],
        bodies: [&'a str; 2],
        distance: f64,
        points: [[f64; 3]; 2],
    },
    Open {
        segment: usize,
        interval: [f64; 2],
        /// In seconds, where the path has times.
        #[serde(skip_serializing_if = "Option::is_none")]
        times: Option<[f64; 2]>,
        bodies: [&'a str; 2],
        limit: &'static str,
    },
}

/// What `free` says has been shown.
#[derive(Clone, Copy, Serialize)]
struct Proven {
    segments: usize,
    pairs: usize,
    /// The smallest clearance of all pairs, which holds for each of them; `null` where there are none.
    clearance: Option<f64>,
}

impl Proven {
    fn of(reported: &Reported<'_>) -> Self {
        let pairs = reported.scene.pairs();
        let clearance = pairs.iter().map(|pair| pair.clearance).min_by(f64::total_cmp);
        Self { segments: reported.segments, pairs: pairs.len(), clearance }
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
            (Evidence::Free { lower_clearance, proven: Proven::of(reported) }, scene.clearance())
        }
        Verdict::Collision(found) | Verdict::TooClose(found) => (found_evidence(reported, found), found.clearance),
        Verdict::Undecided(open) => {
            let &Unresolved { segment, interval, bodies, limit } = open;
            let bodies_named = names(scene, bodies);
            let [from, to] = interval.map(|t| reported.time_of(segment, t));
            let times = from.zip(to).map(|(from, to)| [from, to]);
            let limit = limit_name(limit);
            let evidence = Evidence::Open { segment, interval, times, bodies: bodies_named, limit };
            (evidence, pair_clearance(scene, bodies))
        }
    };
    let is_all = reported.report == Report::All;
    let line = Line {
        schema: 1,
        row: reported.row,
        path: reported.path,
        interpolation: reported.interpolation().map(Interpolation::name),
        verdict: verdict_name(&answer.verdict),
        evidence,
        clearance,
        tolerance: answer.tolerance,
        free_until: answer.free_until.map(|place| (place.segment, place.t)),
        free_until_time: answer.free_until.and_then(|place| reported.time_of(place.segment, place.t)),
        findings: is_all.then(|| answer.findings.iter().map(|finding| finding_line(reported, finding)).collect()),
        min_distance: reported.smallest.map(|smallest| min_distance::line(smallest, scene, reported.waypoints)),
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
    }
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
    if let Some(path) = reported.path {
        write!(out, "{path}: ")?;
    }
    match &answer.verdict {
        Verdict::Free(_) => write_free(reported, out)?,
        Verdict::Collision(found) | Verdict::TooClose(found) => write_finding(reported, found, out)?,
        Verdict::Undecided(open) => {
            let [a, b] = names(scene, open.bodies);
            let word = reported.paint.verdict("undecided", &answer.verdict);
            writeln!(out, "{word}: {a} and {b} are neither proven apart nor found too close")?;
            let [from, to] = open.interval;
            let [from, to] = [rounded(from), rounded(to)];
            let ends = open.interval.map(|t| reported.time_of(open.segment, t));
            let times = match ends {
                [Some(from), Some(to)] => format!(", {} to {} s", rounded(from), rounded(to)),
                _ => String::new(),
            };
            writeln!(out, "  where          segment {}, t from {from} to {to}{times}", open.segment)?;
            writeln!(out, "  limit          {}", limit_text(open.limit))?;
            writeln!(out, "  asked for      {}", asked_for(answer, pair_clearance(scene, open.bodies)))?;
        }
    }
    if let (Some(place), false) = (answer.free_until, matches!(answer.verdict, Verdict::Free(_))) {
        let time = time_text(reported.time_of(place.segment, place.t));
        writeln!(out, "  free until     segment {}, t = {}{time}", place.segment, rounded(place.t))?;
    }
    if let Some(smallest) = reported.smallest {
        min_distance::write_text(smallest, scene, reported.waypoints, out)?;
    }
    if let Some(profile) = reported.profile {
        profile.write_text(scene, out)?;
    }
    if let Some(interpolation) = reported.interpolation() {
        writeln!(out, "  interpolation  {}: {}", interpolation.name(), interpolation.meaning())?;
    }
    write_work(reported, out)?;
    for note in reported.notes {
        writeln!(out, "note: {note}")?;
    }
    for warning in reported.warnings {
        writeln!(out, "{}: {warning}", reported.paint.warning("warning"))?;
    }
    if reported.report == Report::All && !answer.findings.is_empty() {
        write_findings(reported, out)?;
    }
    Ok(())
}

fn write_free(reported: &Reported<'_>, out: &mut dyn Write) -> io::Result<()> {
    let scene = reported.scene;
    let Proven { segments, pairs, clearance } = Proven::of(reported);
    let word = reported.paint.verdict("free", &reported.answer.verdict);
    match clearance {
        None => writeln!(out, "{word}: nothing was checked")?,
        Some(0.0) => writeln!(out, "{word}: proven, no contact")?,
        Some(clearance) if clearance > 0.0 => writeln!(out, "{word}: proven, at least {} apart", given(clearance))?,
        Some(clearance) => writeln!(out, "{word}: proven, no overlap of more than {}", given(-clearance))?,
    }
    writeln!(out, "  proven         {segments} segments, {pairs} pairs of bodies, at every configuration")?;
    let own = scene.pairs().iter().filter(|pair| pair.has_own_clearance).count();
    if own > 0 {
        writeln!(out, "  clearance      {} but for {own} pairs that have their own", metres(scene.clearance()))?;
    }
    writeln!(out, "  asked for      {}", asked_for(reported.answer, scene.clearance()))
}

fn write_finding(reported: &Reported<'_>, found: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let [a, b] = names(reported.scene, found.bodies);
    let word = reported.paint.verdict(finding_name(found), &reported.answer.verdict);
    writeln!(out, "{word}: {a} and {b}")?;
    let time = time_text(reported.time_at(found));
    writeln!(out, "  where          segment {}, t = {}{time}", found.segment, rounded(found.t))?;
    let q: Vec<String> = found.configuration.iter().map(|value| rounded(*value)).collect();
    writeln!(out, "  configuration  {}", q.join(", "))?;
    writeln!(out, "  distance       {}", metres(found.distance))?;
    writeln!(out, "  asked for      {}", asked_for(reported.answer, found.clearance))?;
    let [on_a, on_b] = found.points;
    writeln!(out, "  points         {} of {a}", point(on_a))?;
    writeln!(out, "                 {} of {b}", point(on_b))
}

/// When something is, where that is known.
pub(crate) fn time_text(time: Option<f64>) -> String {
    time.map_or(String::new(), |time| format!(", at {} s", rounded(time)))
}

fn asked_for(answer: &Answer, clearance: f64) -> String {
    format!("clearance {}, tolerance {}", metres(clearance), metres(answer.tolerance))
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
    let findings = &mut reported.answer.findings.iter();
    findings.try_for_each(|finding| {
        let time = time_text(reported.time_at(finding));
        writeln!(out, "  {}{time}", finding_text(reported.scene, finding))
    })
}

fn finding_name(finding: &Finding) -> &'static str {
    if finding.is_collision() { "collision" } else { "too close" }
}

/// A finding on one line.
pub(crate) fn finding_text(scene: &Scene, finding: &Finding) -> String {
    let [a, b] = names(scene, finding.bodies);
    let (name, segment, t) = (finding_name(finding), finding.segment, rounded(finding.t));
    format!("{name}: {a} and {b}, segment {segment}, t = {t}, distance {}", metres(finding.distance))
}

/// What was left open, on one line.
pub(crate) fn open_text(scene: &Scene, open: &Unresolved) -> String {
    let [a, b] = names(scene, open.bodies);
    let [from, to] = open.interval.map(rounded);
    let (segment, limit) = (open.segment, limit_text(open.limit));
    format!("undecided: {a} and {b}, segment {segment}, t from {from} to {to}: {limit}")
}

fn point(p: DVec3) -> String {
    format!("({}, {}, {})", rounded(p.x), rounded(p.y), rounded(p.z))
}
