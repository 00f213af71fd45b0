//! Queries: the method with its settings, the time gap, and the findings to report.

use thiserror::Error;

use super::verdict::{Finding, Statistics, Verdict};

/// Methods to compare trajectories.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Sampled: every pose against every agent (the paper's multiple interference test).
    Naive(Sampling),
    /// Sampled: every pose by itself against the tree of the traffic (the paper's §III-A).
    Isolated(Sampling),
    /// Sampled: the tree of the trajectory against the tree of the traffic (the paper's §III-B).
    Trees(Sampling),
    /// Proven: swept pieces between poses (the paper's §III-D), made to contain the true motion and cut if undecided.
    Hulls(Exactness),
}

/// Times at which the sampled methods look at agents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sampling {
    /// At the trajectory's times, agents interpolated there; with a time gap at the agents' own times within it as
    /// well.
    #[default]
    Interpolated,
    /// At the agents' own times only, as flat boxes (the paper's Fig. 4): times that differ never meet.
    OwnTimes,
}

/// Requirements that `hulls` proves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exactness {
    /// Clearance required at all times, in metres; at least 0. Default 0: no contact.
    pub clearance: f64,
    /// Distance above the clearance, in metres, at which a tested instant ends the attempt to prove; at least 0.
    /// Default 0.001.
    pub tolerance: f64,
    /// Most distance queries per pair of pieces before it is left undecided. Default 65,536.
    pub most_queries: u32,
}

impl Default for Exactness {
    fn default() -> Self {
        Self { clearance: 0.0, tolerance: 0.001, most_queries: 1 << 16 }
    }
}

/// Findings to report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Report {
    /// Any one: the first one met ends the search.
    Any {
        /// Time to look at first, in seconds, such as the last cycle's collision. Default: the start.
        near: Option<f64>,
    },
    /// The earliest. Every agent is proven apart up to a stretch before it, and in that stretch nothing moves by more
    /// than a quarter of the tolerance. For sampled methods the earliest sample.
    First,
    /// Every one: for `hulls` one per piece of the trajectory and agent (a collision if they collide anywhere on it),
    /// for sampled methods one per pose and agent.
    All,
}

/// A query to the traffic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Query {
    /// Default: `hulls`.
    pub method: Method,
    /// Minimum time gap g in seconds, at least 0: body(t₁) and agent(t₂) must be apart for all |t₁ − t₂| ≤ g. Default
    /// 0.
    pub time_gap: f64,
    /// Default: any.
    pub report: Report,
}

impl Default for Query {
    fn default() -> Self {
        Self { method: Method::Hulls(Exactness::default()), time_gap: 0.0, report: Report::Any { near: None } }
    }
}

/// Reason why a query has no answer.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum QueryError {
    /// A setting that is no finite number of at least 0.
    #[error("the {what} is {value}; it must be a finite number of at least 0")]
    BadSetting {
        /// Name of the setting.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A planar body among spatial agents, or the other way round.
    #[error("the body and the traffic are not of the same workspace: one is planar, the other spatial")]
    MixedWorkspaces,
    /// The regions of an uncertain agent as the body: check the agent instead.
    #[error("regions belong to the times of their agent; they are no shape for another body")]
    Regions,
    /// An agent that does not move: check the others against it.
    #[error("the agent stands still; ask about those that move, which are compared with it")]
    AtRest,
    /// A placement that is not finite, not rigid, or not of the workspace.
    #[error("the placement is not finite, not rigid, or not of the body's workspace")]
    BadPlacement,
}

impl Query {
    /// Refuses invalid settings.
    pub(crate) fn refuse_bad(&self) -> Result<(), QueryError> {
        let (clearance, tolerance) = match self.method {
            Method::Hulls(Exactness { clearance, tolerance, .. }) => (clearance, tolerance),
            Method::Naive(_) | Method::Isolated(_) | Method::Trees(_) => (0.0, 0.0),
        };
        let settings = [("time gap", self.time_gap), ("clearance", clearance), ("tolerance", tolerance)];
        match settings.into_iter().find(|(_, value)| !(value.is_finite() && *value >= 0.0)) {
            Some((what, value)) => Err(QueryError::BadSetting { what, value }),
            None => Ok(()),
        }
    }
}

/// The answer to a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The verdict; with [`Report::All`] that of the first of the findings, a collision if there is one.
    pub verdict: Verdict,
    /// The work done.
    pub statistics: Statistics,
}

/// Findings in the order of time, then of agents.
pub(crate) fn verdict_of_all(findings: &[Finding]) -> Option<Verdict> {
    if let Some(collision) = findings.iter().find(|finding| finding.is_collision) {
        return Some(Verdict::Collision(*collision));
    }
    findings.first().map(|finding| Verdict::TooClose(*finding))
}
