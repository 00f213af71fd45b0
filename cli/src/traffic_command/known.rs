//! Times of a trajectory at which agents are known, in words: only these are checked.

use anyhow::{Result, bail};
use pathproof_traffic::{Agent, Coverage};

use super::{Subject, Who};
use crate::numbers::{counted, rounded, rounded_down, rounded_up};

/// Number of trajectories with warnings above the answers; the rest are counted.
const MOST_TOLD: usize = 3;
/// Number of stretches of time that are listed.
const MOST_STRETCHES: usize = 3;

/// Error if no two subjects are compared, unless that is allowed; then a warning if no answer carries one.
pub(super) fn nothing_checked(subjects: &[Subject<'_>], agents: &[Agent], is_allowed: bool) -> Result<Option<String>> {
    if subjects.iter().any(|subject| !subject.coverage.is_empty()) {
        return Ok(None);
    }
    let why = match subjects {
        [] if agents.len() == 1 => "there is one agent only, and it stands".to_owned(),
        [] => format!("all {} agents stand, and those that stand are not compared with each other", agents.len()),
        [Subject { who: Who::Agent(_), .. }] if agents.len() == 1 => "there is one agent only".to_owned(),
        [Subject { who: Who::Agent(_), .. }, ..] => "no two agents are known at the same time".to_owned(),
        [Subject { name, coverage, .. }] => format!("no agent is known at the times of {name}{}", span(coverage)),
        [..] => format!("no agent is known at the times of any of the {} trajectories", subjects.len()),
    };
    if !is_allowed {
        let remedy = if matches!(subjects.first(), Some(Subject { who: Who::Candidate(_), .. })) {
            "give agents at those times"
        } else {
            "give trajectories to check with --ego"
        };
        bail!("there is nothing to compare: {why}; {remedy}, or accept it with --allow-empty");
    }
    Ok(subjects.is_empty().then(|| format!("nothing is compared: {why}")))
}

fn span(coverage: &Coverage) -> String {
    let [from, to] = coverage.span.map(rounded);
    if from == to { format!(" ({from} s)") } else { format!(" ({from} to {to} s)") }
}

/// Times that were checked, for use after "proven".
pub(super) fn times(coverage: &Coverage) -> String {
    // Rounded inward, so that the printed times are proven, too.
    let stretch = |[from, to]: &[f64; 2]| match (rounded_up(*from), rounded_down(*to)) {
        (from, to) if from == to => format!("at {from} s"),
        (from, to) => format!("from {from} to {to} s"),
    };
    let checked = &coverage.checked;
    if coverage.is_whole() {
        "for all times".to_owned()
    } else if let (Some(first), Some(last)) = (checked.first(), checked.last()) {
        match checked.len() {
            few if few <= MOST_STRETCHES => checked.iter().map(stretch).collect::<Vec<_>>().join(" and "),
            many => {
                let whole = stretch(&[first[0], last[1]]);
                format!("{whole} but for {} stretches in which no agent is known", many - 1)
            }
        }
    } else {
        "at no time".to_owned()
    }
}

/// Warnings about times at which nothing, or not every agent, was compared.
pub(super) fn warnings(subject: &Subject<'_>, time_gap: f64) -> Vec<String> {
    let Subject { name, coverage, who } = subject;
    let is_agent = matches!(who, Who::Agent(_));
    let (agents, agent) = if is_agent { ("the other agents are", "other agent") } else { ("the agents are", "agent") };
    let agents = if coverage.agents == 1 { format!("the {agent} is") } else { agents.to_owned() };
    let mut warnings = Vec::new();
    let Some(([first, last], [known_from, known_to])) = ends(coverage) else {
        let span = span(coverage);
        return vec![format!("no {agent} is known at the times of {name}{span}: nothing is checked")];
    };
    let [from, to] = coverage.span;
    // With a time gap, agents known a little earlier or later are compared as well.
    let since = |time: f64| if time_gap > 0.0 { format!("{} s", rounded(time)) } else { "that".to_owned() };
    if first > from {
        let (start, known) = (rounded(from), rounded(known_from));
        let before = since(first);
        warnings.push(format!(
            "{name} starts at {start} s, {agents} known from {known} s on only: before {before} nothing is checked"
        ));
    }
    if last < to {
        let (end, known) = (rounded(to), rounded(known_to));
        let after = since(last);
        warnings.push(format!(
            "{name} runs until {end} s, {agents} known until {known} s only: after {after} nothing is checked"
        ));
    }
    warnings.extend(pauses(name, coverage, agent));
    // Agents of a recording come and go, so this is not reported for an agent among them.
    if !is_agent {
        warnings.extend(partly_known(name, coverage));
    }
    warnings
}

/// First and last checked time, and first and last time with any known agent; `None` if nothing is checked.
fn ends(coverage: &Coverage) -> Option<([f64; 2], [f64; 2])> {
    let (first, last) = (coverage.checked.first()?, coverage.checked.last()?);
    Some(([first[0], last[1]], coverage.known?))
}

/// Stretches without agents between stretches with agents.
fn pauses(name: &str, coverage: &Coverage, agent: &str) -> Option<String> {
    let between: Vec<[f64; 2]> = coverage.checked.windows(2).map(|two| [two[0][1], two[1][0]]).collect();
    let [from, to] = *between.iter().max_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0])))?;
    let (from, to) = (rounded(from), rounded(to));
    Some(match between.len() {
        1 => format!("{name} runs from {from} to {to} s where no {agent} is known: nothing is checked then"),
        count => format!(
            "{name} runs through {count} stretches in which no {agent} is known, the longest from {from} to {to} s: \
             nothing is checked then"
        ),
    })
}

/// Agents that are known for a part of the trajectory's time, unless the times of all agents already imply it.
fn partly_known(name: &str, coverage: &Coverage) -> Option<String> {
    let &Coverage { agents, partial, late, early, last_start, first_end, known: Some(known), .. } = coverage else {
        return None;
    };
    let is_told = |count: usize, time: Option<f64>, of_all: f64| count == 0 || count == agents && time == Some(of_all);
    let (is_start_told, is_end_told) = (is_told(late, last_start, known[0]), is_told(early, first_end, known[1]));
    if is_start_told && is_end_told {
        return None;
    }
    let mut how = Vec::new();
    if let Some(start) = last_start.filter(|_| !is_start_told) {
        let last = if late > 1 { "the last " } else { "" };
        how.push(format!("{late} from later on ({last}from {} s)", rounded(start)));
    }
    if let Some(end) = first_end.filter(|_| !is_end_told) {
        let first = if early > 1 { "the first " } else { "" };
        how.push(format!("{early} until earlier ({first}until {} s)", rounded(end)));
    }
    let [from, to] = coverage.span.map(rounded);
    let (are, how) = (if partial == 1 { "is" } else { "are" }, how.join(", "));
    Some(format!(
        "{name} runs from {from} to {to} s, {partial} of {} {are} not known all that time: {how}",
        counted(agents, "agent")
    ))
}

/// Warnings above the answers: those of the first trajectories that have any, and the number of others that have some.
pub(super) fn summary(subjects: &[Subject<'_>], time_gap: f64) -> Vec<String> {
    let mut concerned = subjects.iter().map(|subject| warnings(subject, time_gap)).filter(|own| !own.is_empty());
    let mut told: Vec<String> = concerned.by_ref().take(MOST_TOLD).flatten().collect();
    let rest = concerned.count();
    if rest > 0 {
        let trajectories = if rest == 1 { "1 more trajectory runs" } else { &format!("{rest} more trajectories run") };
        told.push(format!("{trajectories} while agents are not known: --json says when for each"));
    }
    told
}
