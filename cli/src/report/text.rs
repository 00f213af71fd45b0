//! Answers as text.

use std::io::{self, Write};

use pathproof::check::{Answer, Finding, Limit, Report, Unresolved, Verdict};
use pathproof::numeric::DVec3;
use pathproof::scene::{PairKind, Scene};

use super::json::Proven;
use super::{Reported, names, pair_clearance};
use crate::clearances;
use crate::min_distance;
use crate::numbers::{given, metres, rounded};

/// Writes an answer as text.
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
    let Proven { segments, pairs, clearance, self_clearance } = Proven::of(reported);
    let word = reported.paint.verdict("free", &reported.answer.verdict);
    let is_uniform = |kind: PairKind, clearance: f64| {
        scene.pairs().iter().filter(|pair| pair.kind == kind).all(|pair| pair.clearance == clearance)
    };
    let proven = match (clearance, self_clearance) {
        (None, _) => "nothing was checked".to_owned(),
        (Some(all), None) if PairKind::ALL.into_iter().all(|kind| is_uniform(kind, all)) => {
            format!("proven, {}", apart(all))
        }
        (Some(world), Some(own)) if is_uniform(PairKind::World, world) && is_uniform(PairKind::OwnLinks, own) => {
            if world == own {
                format!("proven, {}", apart(world))
            } else {
                format!("proven, to the world: {}; between links of one robot: {}", apart(world), apart(own))
            }
        }
        _ => "proven, every pair farther apart than its clearance".to_owned(),
    };
    writeln!(out, "{word}: {proven}")?;
    writeln!(out, "  proven         {segments} segments, {pairs} pairs of bodies, at every configuration")?;
    let (asked, own) = (clearances::asked(scene), scene.pairs().iter().filter(|pair| pair.has_own_clearance).count());
    if own > 0 {
        writeln!(out, "  clearance      {asked} but for {own} pairs that have their own")?;
    }
    writeln!(out, "  asked for      clearance {asked}, tolerance {}", metres(reported.answer.tolerance))
}

/// Meaning of a clearance for a pair that keeps it.
fn apart(clearance: f64) -> String {
    match clearance {
        0.0 => "no contact".to_owned(),
        _ if clearance > 0.0 => format!("at least {} apart", given(clearance)),
        _ => format!("no overlap of more than {}", given(-clearance)),
    }
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

/// Time of something, if known.
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

/// An unresolved place on one line.
pub(crate) fn open_text(scene: &Scene, open: &Unresolved) -> String {
    let [a, b] = names(scene, open.bodies);
    let [from, to] = open.interval.map(rounded);
    let (segment, limit) = (open.segment, limit_text(open.limit));
    format!("undecided: {a} and {b}, segment {segment}, t from {from} to {to}: {limit}")
}

fn point(p: DVec3) -> String {
    format!("({}, {}, {})", rounded(p.x), rounded(p.y), rounded(p.z))
}
