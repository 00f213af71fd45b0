//! Smallest distance between a trajectory and any agent, and its smallest time gap.
//!
//! Both are bisected by proven answers: a clearance (or a time gap) proven free is a lower bound, a finding gives an
//! upper one. The bounds hold wherever the bisection ends.

use super::compound::Compound;
use super::query::{Exactness, Method, Query, QueryError, Report};
use super::traffic::{Traffic, TrafficScratch};
use super::trajectory::Trajectory;
use super::verdict::{Finding, Verdict};
use pathproof::numeric::most;

/// Bounds on the smallest distance over all times and agents, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmallestDistance {
    /// Proven: nowhere less. 0 if they overlap or are not proven apart.
    pub lower: f64,
    /// Attained at `finding`; 0 if they overlap.
    pub upper: f64,
    /// An instant at which the distance is at most `upper`; its own distance is negative if they overlap.
    pub finding: Finding,
}

/// Bounds on the smallest |t₁ − t₂| at which the body at t₁ and an agent at t₂ are in the same place, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmallestTimeGap {
    /// Proven: within any smaller gap they are apart.
    pub lower: f64,
    /// The gap of `finding`; infinite if nothing was found and nothing proven either.
    pub upper: f64,
    /// A pair of instants at which they overlap or are closer than the tolerance.
    pub finding: Option<Finding>,
}

/// Most halvings: from a metre to far below a nanometre.
const MOST_HALVINGS: usize = 60;

impl Traffic {
    /// The smallest distance. Its bounds differ by at most `precision` metres where arithmetic allows. `None` if no
    /// agent is present while the body is.
    pub fn smallest_distance(
        &self,
        compound: &Compound,
        trajectory: &Trajectory,
        precision: f64,
        scratch: &mut TrafficScratch,
    ) -> Result<Option<SmallestDistance>, QueryError> {
        let farthest = self.upper_size(trajectory) + compound.upper_reach();
        let ask = |query: &Query| self.check(compound, trajectory, query, scratch).map(|answer| answer.verdict);
        smallest_distance(farthest, precision, ask)
    }

    /// The same for a moving agent among all others.
    ///
    /// # Panics
    /// If there is no agent of that number.
    pub fn smallest_distance_of_agent(
        &self,
        number: usize,
        precision: f64,
        scratch: &mut TrafficScratch,
    ) -> Result<Option<SmallestDistance>, QueryError> {
        let agent = &self.agents()[number];
        let farthest = self.upper_size(&agent.trajectory) + agent.compound.upper_reach();
        let ask = |query: &Query| self.check_agent(number, query, scratch).map(|answer| answer.verdict);
        smallest_distance(farthest, precision, ask)
    }

    /// The smallest time gap. Its bounds differ by at most `precision[0]` seconds where arithmetic allows, and
    /// distances up to `precision[1]` metres count as the same place. `None` if it is proven that body and agents never
    /// pass through the same place.
    pub fn smallest_time_gap(
        &self,
        compound: &Compound,
        trajectory: &Trajectory,
        precision: [f64; 2],
        scratch: &mut TrafficScratch,
    ) -> Result<Option<SmallestTimeGap>, QueryError> {
        let ask = |query: &Query| self.check(compound, trajectory, query, scratch).map(|answer| answer.verdict);
        smallest_time_gap(self.longest_gap(trajectory), precision, ask)
    }

    /// The same for a moving agent among all others.
    ///
    /// # Panics
    /// If there is no agent of that number.
    pub fn smallest_time_gap_of_agent(
        &self,
        number: usize,
        precision: [f64; 2],
        scratch: &mut TrafficScratch,
    ) -> Result<Option<SmallestTimeGap>, QueryError> {
        let ask = |query: &Query| self.check_agent(number, query, scratch).map(|answer| answer.verdict);
        smallest_time_gap(self.longest_gap(&self.agents()[number].trajectory), precision, ask)
    }

    /// Upper bound on the distance between any two points of the trajectory and the agents.
    fn upper_size(&self, trajectory: &Trajectory) -> f64 {
        let of_agents =
            self.agents().iter().map(|agent| agent.trajectory.upper_coordinate() + agent.compound.upper_reach());
        4.0 * (of_agents.fold(trajectory.upper_coordinate(), most) + 1.0)
    }

    /// Upper bound on the time between any pose of the trajectory and any of an agent.
    fn longest_gap(&self, trajectory: &Trajectory) -> f64 {
        let ends = |times: &[f64]| [times[0], times[times.len() - 1]];
        let [from, to] = ends(trajectory.times());
        let moving = self.agents().iter().filter(|agent| !agent.is_static);
        moving
            .map(|agent| ends(agent.trajectory.times()))
            .fold(to - from, |longest, [first, last]| most(most(longest, to - first), last - from))
    }
}

/// Bisects the clearance, up to `farthest` metres, within which everything lies.
fn smallest_distance(
    farthest: f64,
    precision: f64,
    mut ask: impl FnMut(&Query) -> Result<Verdict, QueryError>,
) -> Result<Option<SmallestDistance>, QueryError> {
    let mut ask = |clearance: f64| {
        let exactness = Exactness { clearance, tolerance: 0.5 * precision, ..Exactness::default() };
        ask(&Query { method: Method::Hulls(exactness), ..Query::default() })
    };
    let (mut lower, mut clearance, mut is_proven) = (0.0, 0.0, true);
    let mut found = loop {
        match ask(clearance)? {
            Verdict::Free if is_proven => lower = clearance,
            Verdict::Free => {}
            // Something near was not found; a larger clearance will find it.
            Verdict::Undecided(_) => is_proven = false,
            verdict => break verdict.finding().copied(),
        }
        if clearance > farthest {
            break None;
        }
        clearance = if clearance > 0.0 { 4.0 * clearance } else { 1.0 };
    };
    for _ in 0..MOST_HALVINGS {
        let Some(finding) = found else { break };
        if !(finding.distance - lower > precision) || !is_proven {
            break;
        }
        let middle = lower + 0.5 * (finding.distance - lower);
        match ask(middle)? {
            Verdict::Free => lower = middle,
            verdict => match verdict.finding() {
                Some(nearer) if nearer.distance < finding.distance => found = Some(*nearer),
                _ => break,
            },
        }
    }
    Ok(found.map(|finding| SmallestDistance { lower, upper: most(finding.distance, 0.0), finding }))
}

/// Bisects the time gap, up to the longest possible one.
fn smallest_time_gap(
    longest: f64,
    [precision, tolerance]: [f64; 2],
    mut ask: impl FnMut(&Query) -> Result<Verdict, QueryError>,
) -> Result<Option<SmallestTimeGap>, QueryError> {
    let method = Method::Hulls(Exactness { tolerance, ..Exactness::default() });
    let mut ask = |time_gap: f64| ask(&Query { method, time_gap, report: Report::Any { near: None } });
    let gap_of = |finding: &Finding| (finding.time - finding.agent_time).abs();
    let mut lower = 0.0;
    let mut found = ask(0.0)?.finding().copied();
    if found.is_none() {
        let verdict = ask(longest)?;
        if verdict == Verdict::Free {
            return Ok(None);
        }
        found = verdict.finding().copied();
    }
    for _ in 0..MOST_HALVINGS {
        let Some(finding) = found else { break };
        if !(gap_of(&finding) - lower > precision) {
            break;
        }
        let middle = lower + 0.5 * (gap_of(&finding) - lower);
        match ask(middle)? {
            Verdict::Free => lower = middle,
            verdict => match verdict.finding() {
                Some(nearer) if gap_of(nearer) < gap_of(&finding) => found = Some(*nearer),
                _ => break,
            },
        }
    }
    let upper = found.as_ref().map_or(f64::INFINITY, gap_of);
    Ok(Some(SmallestTimeGap { lower, upper, finding: found }))
}
