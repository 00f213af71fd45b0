//! Answers as text for people.

use std::io::{self, Write};

use pathproof::check::{Answer, Finding, Limit, Report, Unresolved, Verdict};
use pathproof::numeric::DVec3;
use pathproof::scene::Scene;

use super::json::Proven;
use super::{Reported, names, pair_clearance};
use crate::min_distance;
use crate::numbers::{given, metres, rounded};

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
        min_distance::write_text(smallest, scene, reported.motion, out)?;
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
        Some(clearance) if scene.pairs().iter().any(|pair| pair.clearance != clearance) => {
            writeln!(out, "{word}: proven, every pair farther apart than its clearance")?
        }
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
