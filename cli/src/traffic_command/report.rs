//! Answers about trajectories as text and as JSON, an object per line. Numbers in JSON read back as the same bits; in
//! text they are rounded to relevant digits, bounds outward.

use std::io::{self, Write};

use pathproof_traffic::{Finding, Limit, Report, SmallestDistance, SmallestTimeGap, Statistics, Verdict};
use serde::Serialize;

use super::{Answered, Job, MethodName, Subject, known};
use crate::numbers::{at_least, at_most, metres, rounded, rounded_down, rounded_up};

/// The contract's object. Fields that a verdict does not have are left out.
#[derive(Serialize)]
struct Line<'a> {
    schema: u32,
    path: &'a str,
    method: &'static str,
    verdict: &'static str,
    /// Present if it is not the whole trajectory.
    #[serde(skip_serializing_if = "Option::is_none")]
    checked: Option<&'a [[f64; 2]]>,
    #[serde(flatten)]
    finding: Option<FindingLine<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    free_until: Option<f64>,
    #[serde(flatten)]
    open: Option<OpenLine<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<Vec<ListedLine<'a>>>,
    #[serde(flatten)]
    gaps: Option<GapsLine<'a>>,
    time_gap_asked: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    tolerance: Option<f64>,
    warnings: Vec<String>,
    stats: Stats,
}

/// A finding: time, agent, distance.
#[derive(Serialize)]
struct FindingLine<'a> {
    t: f64,
    t_agent: f64,
    agent: &'a str,
    distance_m: f64,
    time_gap_s: f64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    uncertain: bool,
}

#[derive(Serialize)]
struct ListedLine<'a> {
    verdict: &'static str,
    segment: usize,
    #[serde(flatten)]
    finding: FindingLine<'a>,
}

#[derive(Serialize)]
struct OpenLine<'a> {
    agent: &'a str,
    interval: [f64; 2],
    limit: &'static str,
}

#[derive(Serialize)]
struct GapsLine<'a> {
    min_distance: Option<DistanceLine<'a>>,
    min_time_gap: Option<TimeGapLine<'a>>,
}

#[derive(Serialize)]
struct DistanceLine<'a> {
    lower: f64,
    upper: f64,
    t: f64,
    agent: &'a str,
}

#[derive(Serialize)]
struct TimeGapLine<'a> {
    lower: f64,
    /// `null`, like the fields below, if nothing was found and nothing proven either.
    upper: Option<f64>,
    t: Option<f64>,
    t_agent: Option<f64>,
    agent: Option<&'a str>,
}

#[derive(Serialize)]
struct Stats {
    node_tests: u64,
    pairs: u64,
    distance_queries: u64,
    bisections: u64,
}

/// Text above the answers.
pub(super) fn write_head(job: &Job, subjects: &[Subject<'_>], out: &mut dyn Write) -> io::Result<()> {
    let agents = job.traffic.agents();
    let at_rest = agents.iter().filter(|agent| agent.is_at_rest()).count();
    writeln!(out, "agents     {}, of which {at_rest} at rest", agents.len())?;
    match job.method {
        MethodName::Hulls => {
            writeln!(out, "method     hulls: all times between poses, proven; tolerance {}", metres(job.tolerance))?
        }
        other => {
            writeln!(out, "method     {}: samples only, which prove nothing about the times between", other.word())?
        }
    }
    if job.query.time_gap > 0.0 {
        writeln!(out, "time gap   {} s", rounded(job.query.time_gap))?;
    }
    let known = known::summary(subjects, job.query.time_gap);
    job.warnings.iter().chain(&known).try_for_each(|warning| writeln!(out, "warning: {warning}"))
}

/// One answer; `warnings` are those about the scenario that accompany it.
pub(super) fn write(job: &Job, answered: &Answered<'_>, warnings: &[String], out: &mut dyn Write) -> io::Result<()> {
    if job.json { write_json(job, answered, warnings, out) } else { write_text(job, answered, out) }
}

fn write_json(job: &Job, answered: &Answered<'_>, warnings: &[String], out: &mut dyn Write) -> io::Result<()> {
    let verdict = &answered.answer.verdict;
    let listed = |finding: &Finding| ListedLine {
        verdict: kind(finding),
        segment: finding.piece,
        finding: finding_line(job, finding),
    };
    let subject = answered.subject;
    let own = known::warnings(subject, job.query.time_gap);
    let line = Line {
        schema: 1,
        path: subject.name,
        method: job.method.word(),
        verdict: verdict_name(verdict),
        checked: (!subject.coverage.is_whole()).then_some(&subject.coverage.checked[..]),
        finding: verdict.finding().map(|finding| finding_line(job, finding)),
        free_until: verdict.finding().and_then(|finding| finding.free_until),
        open: match verdict {
            Verdict::Undecided(open) => {
                Some(OpenLine { agent: agent(job, open.agent), interval: open.interval, limit: limit_name(open.limit) })
            }
            _ => None,
        },
        findings: (job.query.report == Report::All).then(|| answered.findings.iter().map(listed).collect()),
        gaps: answered.gaps.as_ref().map(|(distance, gap)| gaps_line(job, distance.as_ref(), gap.as_ref())),
        time_gap_asked: job.query.time_gap,
        tolerance: (job.method == MethodName::Hulls).then_some(job.tolerance),
        warnings: warnings.iter().cloned().chain(own).collect(),
        stats: stats(&answered.answer.statistics),
    };
    serde_json::to_writer(&mut *out, &line)?;
    writeln!(out)
}

/// Sampled methods have a separate word: `free` means proven.
pub(super) fn verdict_name(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Free => "free",
        Verdict::NoneFound => "sampled_free",
        Verdict::Collision(_) => "collision",
        Verdict::TooClose(_) => "too_close",
        Verdict::Undecided(_) => "undecided",
    }
}

fn kind(finding: &Finding) -> &'static str {
    if finding.is_collision { "collision" } else { "too_close" }
}

fn limit_name(limit: Limit) -> &'static str {
    match limit {
        Limit::Queries => "queries",
        Limit::Resolution => "resolution",
    }
}

fn agent(job: &Job, number: usize) -> &str {
    job.traffic.agents()[number].name()
}

fn finding_line<'a>(job: &'a Job, finding: &Finding) -> FindingLine<'a> {
    FindingLine {
        t: finding.time,
        t_agent: finding.agent_time,
        agent: agent(job, finding.agent),
        distance_m: finding.distance,
        time_gap_s: (finding.time - finding.agent_time).abs(),
        uncertain: finding.is_uncertain,
    }
}

fn gaps_line<'a>(job: &'a Job, distance: Option<&SmallestDistance>, gap: Option<&SmallestTimeGap>) -> GapsLine<'a> {
    GapsLine {
        min_distance: distance.map(|found| DistanceLine {
            lower: found.lower,
            upper: found.upper,
            t: found.finding.time,
            agent: agent(job, found.finding.agent),
        }),
        min_time_gap: gap.map(|found| TimeGapLine {
            lower: found.lower,
            upper: Some(found.upper).filter(|upper| upper.is_finite()),
            t: found.finding.map(|finding| finding.time),
            t_agent: found.finding.map(|finding| finding.agent_time),
            agent: found.finding.map(|finding| agent(job, finding.agent)),
        }),
    }
}

fn stats(statistics: &Statistics) -> Stats {
    let &Statistics { node_tests, pairs, distance_queries, bisections } = statistics;
    Stats { node_tests, pairs, distance_queries, bisections }
}

pub(super) fn write_text(job: &Job, answered: &Answered<'_>, out: &mut dyn Write) -> io::Result<()> {
    let verdict = &answered.answer.verdict;
    writeln!(out, "{}: {}", answered.subject.name, verdict_text(job, answered))?;
    if let Some(until) = verdict.finding().and_then(|found| found.free_until) {
        writeln!(out, "  free until {} s, proven", rounded_down(until))?;
    }
    for found in &answered.findings {
        writeln!(out, "  segment {}: {}", found.piece, finding_text(job, found))?;
    }
    if let Some((distance, gap)) = &answered.gaps {
        match distance {
            Some(found) => writeln!(
                out,
                "  smallest distance between {} and {}, with {} at {} s",
                at_least(found.lower),
                at_most(found.upper),
                agent(job, found.finding.agent),
                rounded(found.finding.time)
            )?,
            None => writeln!(out, "  smallest distance: no agent is there at the same time")?,
        }
        match gap {
            Some(SmallestTimeGap { lower, upper, finding: Some(finding) }) => writeln!(
                out,
                "  smallest time gap between {} and {} s, where it is at {} s and {} at {} s",
                rounded_down(*lower),
                rounded_up(*upper),
                rounded(finding.time),
                agent(job, finding.agent),
                rounded(finding.agent_time)
            )?,
            Some(SmallestTimeGap { lower, .. }) => {
                writeln!(out, "  smallest time gap at least {} s; more was left undecided", rounded_down(*lower))?
            }
            None => writeln!(out, "  smallest time gap: they never pass through the same place")?,
        }
    }
    Ok(())
}

/// Verdict in a few words.
pub(super) fn verdict_text(job: &Job, answered: &Answered<'_>) -> String {
    let coverage = &answered.subject.coverage;
    match &answered.answer.verdict {
        Verdict::Free | Verdict::NoneFound if coverage.is_empty() => {
            "nothing was checked: no agent is known at its times".to_owned()
        }
        Verdict::Free => format!("free, proven {}", known::times(coverage)),
        Verdict::NoneFound => "no collision at the samples, which proves nothing about the times between".to_owned(),
        Verdict::Collision(found) | Verdict::TooClose(found) => finding_text(job, found),
        Verdict::Undecided(open) => {
            let ([from, to], agent) = (open.interval, agent(job, open.agent));
            let why = match open.limit {
                Limit::Queries => "too many distance queries",
                Limit::Resolution => "they graze; allow a tolerance",
            };
            format!("undecided with {agent} from {} to {} s: {why}", rounded_down(from), rounded_up(to))
        }
    }
}

fn finding_text(job: &Job, found: &Finding) -> String {
    let word = if found.is_collision { "collision" } else { "too close" };
    let when = if found.time == found.agent_time {
        format!("at {} s", rounded(found.time))
    } else {
        format!("at {} s, where it is at {} s", rounded(found.time), rounded(found.agent_time))
    };
    let unsure = if found.is_uncertain { " (its state is uncertain)" } else { "" };
    format!("{word} with {} {when}, distance {}{unsure}", agent(job, found.agent), metres(found.distance))
}
