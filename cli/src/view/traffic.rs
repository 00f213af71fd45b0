//! Page of `traffic`: agents and trajectories from above as they move, their distances, and the findings.

use anyhow::Result;
use pathproof::numeric::DVec3;
use pathproof_traffic::{Agent, Compound, Finding, SmallestTimeGap, Traffic, TrafficScratch, Trajectory, Verdict};
use rayon::prelude::*;
use serde::Serialize;

use super::blob::{Blob, Section};
use super::clearance::Clearance;
use super::document::{Axis, file_name, moved, origin_near};
use super::traffic_bodies::{self, Drawn};
use super::traffic_subject::{Measured, Stretch, Subject};
use super::{command_line, html};
use crate::numbers::{at_least, at_most, counted, metres, rounded, rounded_down, rounded_up};

/// Maximum number of trajectories of a page; it counts the rest.
pub(crate) const MOST_SUBJECTS: usize = 40;
/// Number of agents that are listed: the nearest ones.
const MOST_LISTED: usize = 200;

/// Questions and answers.
pub(crate) struct Shown<'a> {
    pub(crate) traffic: &'a Traffic,
    /// First of the subjects.
    pub(crate) answers: Vec<Answered<'a>>,
    /// Number of subjects, and true if they are agents of the scenario.
    pub(crate) asked: usize,
    pub(crate) are_agents: bool,
    /// Files of the scenario and of the trajectories, as typed.
    pub(crate) files: [Option<String>; 2],
    pub(crate) method: &'static str,
    /// Distance in metres that counts as too close; `None` if the method proves nothing.
    pub(crate) tolerance: Option<f64>,
    pub(crate) time_gap: f64,
    pub(crate) warnings: &'a [String],
    /// Answers as text.
    pub(crate) text: String,
}

/// One trajectory and its answer.
pub(crate) struct Answered<'a> {
    pub(crate) name: &'a str,
    pub(crate) asked: Asked<'a>,
    pub(crate) verdict: &'a Verdict,
    /// Verdict as in JSON, and in words.
    pub(crate) word: &'static str,
    pub(crate) headline: String,
    /// Times at which agents are known, in words, and warnings about the others.
    pub(crate) checked: String,
    pub(crate) unchecked: Vec<String>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) time_gap: Option<&'a SmallestTimeGap>,
}

/// Subject of a question.
#[derive(Clone, Copy)]
pub(crate) enum Asked<'a> {
    Candidate(&'a Compound, &'a Trajectory),
    Agent(usize),
}

/// The page's content.
#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    kind: &'static str,
    verdict: &'static str,
    about: Vec<(&'static str, String)>,
    warnings: &'a [String],
    notes: [String; 0],
    bodies: Vec<Drawn<'a>>,
    track: Times,
    axis: Axis,
    asked: Option<[f64; 2]>,
    subjects: Vec<Told<'a>>,
}

/// Samples are separate places: each is a waypoint.
#[derive(Serialize)]
struct Times {
    along: Section,
}

/// Data of one trajectory.
#[derive(Serialize)]
struct Told<'a> {
    name: &'a str,
    verdict: &'static str,
    headline: &'a str,
    /// Number of its body.
    body: usize,
    facts: Vec<(&'static str, String)>,
    clearance: Clearance,
    gaps: Option<Clearance>,
    findings: Vec<Found<'a>>,
    open: Option<([f64; 2], [usize; 2])>,
    pairs: Vec<Listed>,
}

#[derive(Serialize)]
struct Found<'a> {
    kind: &'static str,
    sample: usize,
    bodies: [usize; 2],
    place: String,
    distance: String,
    /// Agent at its own time, if that differs.
    ghost: Option<Vec<(f64, Vec<f64>)>>,
    rows: Vec<(&'a str, String)>,
}

#[derive(Serialize)]
struct Listed {
    pair: usize,
    bodies: [usize; 2],
    lower: String,
    upper: String,
    sample: usize,
    state: &'static str,
}

/// Samples of the page.
struct Samples {
    times: Vec<f64>,
    origin: DVec3,
}

impl Samples {
    fn index(&self, time: f64) -> usize {
        let after = self.times.partition_point(|other| *other < time).min(self.times.len() - 1);
        let is_before_nearer = after > 0 && time - self.times[after - 1] < self.times[after] - time;
        if is_before_nearer { after - 1 } else { after }
    }
}

impl Shown<'_> {
    /// The page.
    pub(crate) fn page(&self) -> Result<Vec<u8>> {
        let mut blob = Blob::default();
        let bodies = self.bodies()?;
        let document = self.document(&bodies, &mut blob)?;
        let title = match &self.files {
            [scenario, Some(ego)] => format!("{} in {}", file_name(ego), file_name(scenario.as_deref().unwrap_or(""))),
            [scenario, None] => file_name(scenario.as_deref().unwrap_or("")).to_owned(),
        };
        let (word, headline) = self.summary();
        let head =
            html::Head { title: &title, verdict: document.verdict, word: &word, headline: &headline, text: &self.text };
        html::page(&head, &document, &blob)
    }

    /// All drawn bodies: the agents, then the candidates.
    fn bodies(&self) -> Result<Vec<Agent>> {
        let mut bodies = self.traffic.agents().to_vec();
        for answered in &self.answers {
            if let Asked::Candidate(compound, trajectory) = answered.asked {
                bodies.push(Agent::moving(answered.name, compound.clone(), trajectory.clone())?);
            }
        }
        Ok(bodies)
    }

    fn document<'a>(&'a self, bodies: &'a [Agent], blob: &mut Blob) -> Result<Document<'a>> {
        let agents = self.traffic.agents();
        let subjects: Vec<Subject> = (0..self.answers.len()).map(|number| self.subject(number, bodies)).collect();
        let is_proven = self.tolerance.is_some();
        let stretches = subjects.par_iter().map_init(TrafficScratch::default, |scratch, subject| {
            if is_proven { subject.stretches(agents, scratch) } else { Ok(Vec::new()) }
        });
        let stretches = stretches.collect::<Result<Vec<_>>>()?;
        let samples = self.samples(bodies, &subjects, &stretches);
        let measured =
            subjects.par_iter().zip(stretches).map_init(TrafficScratch::default, |scratch, (subject, stretches)| {
                subject.measure(agents, &samples.times, (stretches, is_proven), scratch)
            });
        let measured = measured.collect::<Result<Vec<_>>>()?;
        let role = |number: usize| match () {
            () if number >= agents.len() => "candidate",
            () if bodies[number].is_at_rest() => "rest",
            () => "agent",
        };
        let drawn = bodies.iter().enumerate();
        let drawn = drawn
            .map(|(number, body)| traffic_bodies::drawn((body, role(number)), &samples.times, samples.origin, blob));
        let drawn = drawn.collect();
        let told =
            (0..subjects.len()).map(|number| self.told(number, &subjects[number], &measured[number], &samples, blob));
        let told = told.collect();
        Ok(Document {
            schema: 1,
            kind: "traffic",
            verdict: if let [one] = &self.answers[..] { one.word } else { "none" },
            about: self.about(&samples),
            warnings: self.warnings,
            notes: [],
            bodies: drawn,
            track: Times { along: blob.doubles((0..samples.times.len()).map(|sample| sample as f64)) },
            axis: axis(&samples.times),
            asked: self.tolerance.map(|tolerance| [0.0, tolerance]),
            subjects: told,
        })
    }

    /// Trajectory with its opponents: as in the library, all others.
    fn subject(&self, number: usize, bodies: &[Agent]) -> Subject {
        let agents = self.traffic.agents();
        match self.answers[number].asked {
            Asked::Candidate(..) => {
                Subject { body: bodies[agents.len() + number].clone(), against: (0..agents.len()).collect() }
            }
            Asked::Agent(own) => {
                let others = (0..agents.len()).filter(|other| *other != own);
                Subject { body: agents[own].clone(), against: others.collect() }
            }
        }
    }

    /// Times of the page: evenly over all trajectories, and those with something to see.
    fn samples(&self, bodies: &[Agent], subjects: &[Subject], stretches: &[Vec<Stretch>]) -> Samples {
        let spans: Vec<[f64; 2]> = subjects.iter().map(Subject::span).collect();
        let from = spans.iter().map(|span| span[0]).fold(f64::INFINITY, f64::min);
        let to = spans.iter().map(|span| span[1]).fold(from, f64::max);
        let count = traffic_bodies::samples(bodies);
        let mut times: Vec<f64> = (0..=count).map(|i| from + (to - from) * i as f64 / count as f64).collect();
        times.extend(spans.iter().flatten());
        times.extend(stretches.iter().flatten().map(|stretch| stretch.until));
        times.extend(self.answers.iter().flat_map(|answered| &answered.findings).map(|finding| finding.time));
        times.sort_by(f64::total_cmp);
        times.dedup();
        if times.len() == 1 {
            // For a single instant: an axis has two ends.
            times.push(times[0]);
        }
        let first = subjects.first().map_or([0.0; 3], |subject| subject.body.trajectory().position(0));
        Samples { times, origin: origin_near(DVec3::from_array(first)).with_z(0.0) }
    }

    fn told<'a>(
        &'a self,
        number: usize,
        subject: &Subject,
        measured: &Measured,
        samples: &Samples,
        blob: &mut Blob,
    ) -> Told<'a> {
        let answered = &self.answers[number];
        let body = match answered.asked {
            Asked::Candidate(..) => self.traffic.agents().len() + number,
            Asked::Agent(own) => own,
        };
        let along = |time: f64| samples.index(time) as f64;
        let from = along(subject.span()[0]);
        let offending: Vec<usize> = answered.findings.iter().map(|finding| finding.agent).collect();
        let listed = measured.near.iter().take(MOST_LISTED).map(|near| Listed {
            pair: near.agent,
            bodies: [body, near.agent],
            lower: near.lower.map_or_else(|| "–".to_owned(), at_least),
            upper: at_most(near.upper),
            sample: samples.index(near.time),
            state: if offending.contains(&near.agent) { "found" } else { "apart" },
        });
        Told {
            name: answered.name,
            verdict: answered.word,
            headline: &answered.headline,
            body,
            facts: self.facts(answered, subject, measured),
            clearance: measured.clearance(from, along, blob),
            gaps: measured.gaps(from, along, blob),
            findings: answered.findings.iter().map(|finding| self.found(finding, body, samples)).collect(),
            open: match answered.verdict {
                Verdict::Undecided(open) => Some((open.interval.map(along), [body, open.agent])),
                _ => None,
            },
            pairs: listed.collect(),
        }
    }

    fn facts(&self, answered: &Answered<'_>, subject: &Subject, measured: &Measured) -> Vec<(&'static str, String)> {
        let ([from, to], agents) = (subject.span().map(rounded), counted(subject.against.len(), "agent"));
        let mut facts = vec![("Trajectory", answered.name.to_owned())];
        facts.push(match answered.verdict {
            Verdict::Free if answered.unchecked.is_empty() => {
                ("Proven", format!("apart from {agents} at all times from {from} to {to} s, rounding included"))
            }
            Verdict::Free => {
                let checked = &answered.checked;
                ("Proven", format!("apart from {agents} while they are known, {checked}, rounding included"))
            }
            _ => ("Asked about", format!("{agents}, from {from} to {to} s")),
        });
        facts.extend(answered.unchecked.iter().map(|warning| ("Not checked", warning.clone())));
        if let Some(tolerance) = self.tolerance {
            facts.push(("Asked for", format!("no contact, tolerance {}", metres(tolerance))));
        } else {
            facts.push(("Proven", "nothing: samples say nothing about the times between".into()));
        }
        if self.time_gap > 0.0 {
            facts.push(("Time gap asked for", format!("{} s", rounded(self.time_gap))));
        }
        if let Some(lower) = measured.least().filter(|lower| *lower > 0.0) {
            facts.push(("Smallest distance", format!("at least {} (proven)", at_least(lower))));
        }
        if let Some(SmallestTimeGap { lower, upper, finding: Some(_) }) = answered.time_gap {
            let (lower, upper) = (rounded_down(*lower), rounded_up(*upper));
            facts.push(("Smallest time gap", format!("between {lower} and {upper} s")));
        }
        if let Some(until) = answered.verdict.finding().and_then(|finding| finding.free_until) {
            facts.push(("Proven free until", format!("{} s", rounded_down(until))));
        }
        if measured.near.len() > MOST_LISTED {
            facts.push(("Listed", format!("the nearest {MOST_LISTED} of {} agents", measured.near.len())));
        }
        facts
    }

    fn found<'a>(&self, finding: &Finding, body: usize, samples: &Samples) -> Found<'a> {
        let agent = &self.traffic.agents()[finding.agent];
        let is_later = finding.agent_time != finding.time;
        let place = match is_later {
            true => format!("{} s, the agent at {} s", rounded(finding.time), rounded(finding.agent_time)),
            false => format!("{} s", rounded(finding.time)),
        };
        let mut rows = vec![("Time", format!("{} s", rounded(finding.time)))];
        if is_later {
            let gap = rounded((finding.time - finding.agent_time).abs());
            rows.push(("Agent's time", format!("{} s: a gap of {gap} s", rounded(finding.agent_time))));
        }
        rows.extend([
            ("Agent", agent.name().to_owned()),
            ("Distance", metres(finding.distance)),
            ("Piece", format!("{} of the trajectory, counted from 0", finding.piece)),
        ]);
        if finding.is_uncertain {
            rows.push((
                "Uncertain",
                "the agent is known as a region only: the regions overlap, the bodies need not".into(),
            ));
        }
        Found {
            kind: if finding.is_collision { "collision" } else { "too_close" },
            sample: samples.index(finding.time),
            bodies: [body, finding.agent],
            place,
            distance: metres(finding.distance),
            ghost: is_later.then(|| traffic_bodies::outline(agent, finding.agent_time, samples.origin)),
            rows,
        }
    }

    /// Word beside the headline, and the headline: for the one trajectory, or for all that are shown.
    fn summary(&self) -> (String, String) {
        if let [one] = &self.answers[..] {
            return (one.word.replace('_', " "), format!("{}: {}", one.name, one.headline));
        }
        let shown = self.answers.len();
        let count = |word: &str| self.answers.iter().filter(|answered| answered.word == word).count();
        let good = if self.tolerance.is_some() { "free" } else { "sampled_free" };
        let words = ["collision", "too_close", "undecided", "sampled_free", "free"];
        let counts = words.map(|word| (count(word), word.replace('_', " ")));
        let told: Vec<String> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
        let agents = counted(self.traffic.agents().len(), "agent");
        let who = match (self.are_agents, self.asked > shown) {
            (true, true) => format!("the first {shown} that move of {agents} against all others"),
            (true, false) => format!("{agents} against each other"),
            (false, true) => format!("the first {shown} of {} trajectories among {agents}", self.asked),
            (false, false) => format!("{shown} trajectories among {agents}"),
        };
        (format!("{} of {shown} {}", count(good), good.replace('_', " ")), format!("{who}: {}", told.join(", ")))
    }

    fn about(&self, samples: &Samples) -> Vec<(&'static str, String)> {
        let agents = self.traffic.agents();
        let at_rest = agents.iter().filter(|agent| agent.is_at_rest()).count();
        let [scenario, ego] = &self.files;
        let mut about = Vec::new();
        about.extend(
            scenario
                .as_ref()
                .map(|file| ("Scenario", format!("{file}: {}, {at_rest} at rest", counted(agents.len(), "agent")))),
        );
        about.extend(ego.as_ref().map(|file| ("Trajectories", file.clone())));
        about.push((
            "Method",
            match self.tolerance {
                Some(_) => format!("{}: all times between poses, proven", self.method),
                None => format!("{}: samples only, which prove nothing about the times between", self.method),
            },
        ));
        about.extend([
            ("Made by", command_line()),
            ("Version", format!("pathproof {}", env!("CARGO_PKG_VERSION"))),
            ("Display", format!(
                "from above, at {} times; between them corners are drawn on straight lines. The check used everything as it was read.",
                samples.times.len()
            )),
        ]);
        if self.asked > self.answers.len() {
            about.push((
                "Left out",
                format!("{} trajectories after the first {}", self.asked - self.answers.len(), self.answers.len()),
            ));
        }
        about.extend(moved(samples.origin));
        about
    }
}

fn axis(times: &[f64]) -> Axis {
    let start = times[0];
    let mut waypoints: Vec<f64> = times.iter().map(|time| time - start).collect();
    let last = waypoints.len() - 1;
    if !(waypoints[last] > 0.0) {
        waypoints[last] = 1.0;
    }
    Axis { seconds: waypoints[last], waypoints, timed: true, start }
}
