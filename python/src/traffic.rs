//! `traffic`: trajectories among moving agents, from files.

use std::path::PathBuf;

use pathproof_formats::traffic::{self as traffic_file, Candidate};
use pathproof_traffic::{
    Answer, Coverage, Exactness, Finding, Limit, Method, Query, Report, Sampling, Traffic, TrafficScratch, Verdict,
};
use pyo3::prelude::*;

use crate::errors;
use crate::pickled::{self, Reduced};

/// The answer for one trajectory.
#[pyclass(frozen, get_all, from_py_object, module = "pathproof")]
#[derive(Clone)]
pub(crate) struct TrafficAnswer {
    /// The trajectory's name.
    name: String,
    /// "free" (proven), "sampled_free" (which proves nothing), "collision", "too_close" or "undecided".
    verdict: String,
    /// True if it is proven free at the times `checked`.
    free: bool,
    /// The stretches of its time at which an agent is known, in seconds; other times are not checked.
    checked: Vec<(f64, f64)>,
    /// The agent that was found, or left undecided.
    agent: Option<String>,
    /// Time of the body, in seconds.
    t: Option<f64>,
    /// Time of the agent.
    t_agent: Option<f64>,
    /// Upper bound on their signed distance, in metres.
    distance: Option<f64>,
    /// Piece of the trajectory.
    segment: Option<usize>,
    /// True if the agent's state is known as a region only.
    uncertain: bool,
    /// With report="first": proven free up to here, in seconds.
    free_until: Option<f64>,
    /// If undecided: the times that were left open.
    interval: Option<(f64, f64)>,
    /// If undecided: "queries" or "resolution".
    limit: Option<String>,
    /// With report="all": every finding.
    findings: Vec<TrafficAnswer>,
    /// Warnings about the files.
    warnings: Vec<String>,
}

/// The values of a pickle.
type Told = (
    (String, String, bool, Vec<(f64, f64)>),
    (Option<String>, Option<f64>, Option<f64>, Option<f64>, Option<usize>, bool),
    (Option<f64>, Option<(f64, f64)>, Option<String>, Vec<TrafficAnswer>, Vec<String>),
);

#[pymethods]
impl TrafficAnswer {
    fn __repr__(&self) -> String {
        let agent = self.agent.as_ref().map_or(String::new(), |agent| format!(" with {agent}"));
        let when = self.t.map_or(String::new(), |t| format!(" at {t:?} s"));
        format!("<pathproof.TrafficAnswer {}: {}{agent}{when}>", self.name, self.verdict)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let Self { name, verdict, free, checked, agent, t, t_agent, distance, .. } = self;
        let Self { segment, uncertain, free_until, interval, limit, findings, warnings, .. } = self;
        let values = (
            (name, verdict, free, checked),
            (agent, t, t_agent, distance, segment, uncertain),
            (free_until, interval, limit, findings.clone(), warnings),
        );
        pickled::reduced::<Self>(py, values)
    }

    /// Restores an answer from a pickle.
    #[staticmethod]
    #[pyo3(name = "_restore")]
    fn restore(told: Told) -> Self {
        let ((name, verdict, free, checked), found, (free_until, interval, limit, findings, warnings)) = told;
        let (agent, t, t_agent, distance, segment, uncertain) = found;
        Self {
            name,
            verdict,
            free,
            checked,
            agent,
            t,
            t_agent,
            distance,
            segment,
            uncertain,
            free_until,
            interval,
            limit,
            findings,
            warnings,
        }
    }
}

/// Checks trajectories among moving agents: a scenario file, and candidates from another file. Without one, takes its
/// own candidates; without any, checks the agents against each other. An answer per candidate.
#[pyfunction]
#[pyo3(signature = (scenario, ego=None, *, method="hulls", time_gap=0.0, tolerance=None, report="any"))]
pub(crate) fn traffic(
    py: Python<'_>,
    scenario: PathBuf,
    ego: Option<PathBuf>,
    method: &str,
    time_gap: f64,
    tolerance: Option<f64>,
    report: &str,
) -> PyResult<Vec<TrafficAnswer>> {
    let query = query(method, time_gap, tolerance, report)?;
    let mut read = py.detach(|| traffic_file::read(&scenario)).map_err(|error| errors::file(&error))?;
    let mut warnings = std::mem::take(&mut read.warnings);
    let candidates = match &ego {
        Some(path) => {
            let ego = py.detach(|| traffic_file::read_ego(path, &read)).map_err(|error| errors::file(&error))?;
            warnings.extend(ego.warnings);
            ego.candidates
        }
        None => read.ego.take().map(|ego| ego.candidates).unwrap_or_default(),
    };
    let place = scenario.display();
    let traffic =
        py.detach(|| Traffic::new(read.agents)).map_err(|error| errors::input(format!("{place}: {error}")))?;
    let mut scratch = TrafficScratch::default();
    let mut answers = Vec::new();
    let mut add = |name: &str,
                   coverage: Coverage,
                   scratch: &mut TrafficScratch,
                   asked: &(dyn Fn(&mut TrafficScratch) -> Asked + Sync)| {
        let answer = py.detach(|| asked(scratch)).map_err(|error| errors::input(format!("{name}: {error}")))?;
        let findings = if query.report == Report::All { scratch.findings().to_vec() } else { Vec::new() };
        let checked = coverage.checked.into_iter().map(<(f64, f64)>::from).collect();
        answers.push(TrafficAnswer { checked, ..describe(&traffic, name, &answer, &findings, &warnings) });
        py.check_signals()
    };
    for Candidate { name, shape, trajectory } in &candidates {
        let coverage = traffic.coverage(trajectory, time_gap);
        add(name, coverage, &mut scratch, &|scratch| traffic.check(shape, trajectory, &query, scratch))?;
    }
    if candidates.is_empty() {
        // Moving agents are checked against those at rest.
        for (number, agent) in traffic.agents().iter().enumerate().filter(|(_, agent)| !agent.is_at_rest()) {
            let coverage = traffic.coverage_of_agent(number, time_gap);
            add(agent.name(), coverage, &mut scratch, &|scratch| traffic.check_agent(number, &query, scratch))?;
        }
    }
    Ok(answers)
}

type Asked = Result<Answer, pathproof_traffic::QueryError>;

fn query(method: &str, time_gap: f64, tolerance: Option<f64>, report: &str) -> PyResult<Query> {
    if tolerance.is_some() && method != "hulls" {
        return Err(errors::input(format!("tolerance has a meaning for method=\"hulls\" only, not for {method:?}")));
    }
    let tolerance = tolerance.unwrap_or(0.001);
    for (name, value) in [("time_gap", time_gap), ("tolerance", tolerance)] {
        if !(value.is_finite() && value >= 0.0) {
            return Err(errors::input(format!("{name}: {value} is not a finite number of at least 0")));
        }
    }
    let method = match method {
        "naive" => Method::Naive(Sampling::Interpolated),
        "isolated" => Method::Isolated(Sampling::Interpolated),
        "trees" => Method::Trees(Sampling::Interpolated),
        "hulls" => Method::Hulls(Exactness { tolerance, ..Exactness::default() }),
        _ => {
            let known = "\"hulls\", \"trees\", \"isolated\" or \"naive\"";
            return Err(errors::input(format!("method must be {known}, not {method:?}")));
        }
    };
    let report = match report {
        "any" => Report::Any { near: None },
        "first" => Report::First,
        "all" => Report::All,
        _ => return Err(errors::input(format!("report must be \"any\", \"first\" or \"all\", not {report:?}"))),
    };
    Ok(Query { method, time_gap, report })
}

fn describe(
    traffic: &Traffic,
    name: &str,
    answer: &Answer,
    findings: &[Finding],
    warnings: &[String],
) -> TrafficAnswer {
    let agent = |number: usize| traffic.agents()[number].name().to_owned();
    let nothing = TrafficAnswer {
        name: name.to_owned(),
        verdict: "free".to_owned(),
        free: false,
        checked: Vec::new(),
        agent: None,
        t: None,
        t_agent: None,
        distance: None,
        segment: None,
        uncertain: false,
        free_until: None,
        interval: None,
        limit: None,
        findings: Vec::new(),
        warnings: Vec::new(),
    };
    let found = |finding: &Finding| TrafficAnswer {
        verdict: if finding.is_collision { "collision" } else { "too_close" }.to_owned(),
        agent: Some(agent(finding.agent)),
        t: Some(finding.time),
        t_agent: Some(finding.agent_time),
        distance: Some(finding.distance),
        segment: Some(finding.piece),
        uncertain: finding.is_uncertain,
        free_until: finding.free_until,
        ..nothing.clone()
    };
    let described = match &answer.verdict {
        Verdict::Free => TrafficAnswer { free: true, ..nothing.clone() },
        Verdict::NoneFound => TrafficAnswer { verdict: "sampled_free".to_owned(), ..nothing.clone() },
        Verdict::Collision(finding) | Verdict::TooClose(finding) => found(finding),
        Verdict::Undecided(open) => TrafficAnswer {
            verdict: "undecided".to_owned(),
            agent: Some(agent(open.agent)),
            interval: Some(open.interval.into()),
            limit: Some(
                match open.limit {
                    Limit::Queries => "queries",
                    Limit::Resolution => "resolution",
                }
                .to_owned(),
            ),
            ..nothing.clone()
        },
    };
    let findings = findings.iter().map(found).collect();
    TrafficAnswer { findings, warnings: warnings.to_vec(), ..described }
}
