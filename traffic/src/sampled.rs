//! The paper's methods, which compare samples only: naive, isolated configurations, tree against tree (§III-A, §III-B).
//!
//! All three run the same test on a pose and an agent, so they find the same on any input; they differ in the pairs
//! that they test. **Never a proof:** between samples anything may happen.

use std::ops::ControlFlow;

use super::agent::Agent;
use super::body::Body;
use super::narrow::{Space, State};
use super::query::{Report, Sampling};
use super::track::Track;
use super::trajectory::TIME_SLACK;
use super::verdict::{Finding, Statistics};
use super::world::World;

/// A query by a sampled method in progress.
pub(crate) struct Sampled<'a, S: Space> {
    pub(crate) agents: &'a [Agent],
    pub(crate) world: &'a World<S>,
    pub(crate) body: Body<'a, S>,
    pub(crate) is_body_uncertain: bool,
    pub(crate) sampling: Sampling,
    pub(crate) gap: f64,
    pub(crate) report: Report,
    /// Slot of the body's first knot, if its knots are edges.
    pub(crate) shift: Option<usize>,
    pub(crate) findings: &'a mut Vec<Finding>,
    pub(crate) found: Option<Finding>,
    pub(crate) statistics: Statistics,
}

impl<S: Space> Sampled<'_, S> {
    /// The body at a knot.
    #[inline]
    pub(crate) fn state(&mut self, knot: usize) -> State<S::Frame> {
        State { frame: self.body.frame(knot), piece: knot, fraction: 0.0 }
    }

    /// Compares a pose and an agent.
    #[inline]
    pub(crate) fn visit(&mut self, knot: usize, agent: usize) -> ControlFlow<()> {
        let state = self.state(knot);
        self.visit_state(&state, knot, agent)
    }

    /// Compares a pose with known state and an agent.
    #[inline]
    pub(crate) fn visit_state(&mut self, state: &State<S::Frame>, knot: usize, agent: usize) -> ControlFlow<()> {
        self.statistics.pairs += 1;
        let (agents, world) = (self.agents, self.world);
        // Equal grids, no gap: the common case, without a search.
        if self.gap == 0.0
            && let (Some(shift), Some(offset)) = (self.shift, world.agent(agent).offset)
        {
            let frames = world.frames(agent);
            let Some(index) = (knot + shift).checked_sub(offset).filter(|&index| index < frames.len()) else {
                return ControlFlow::Continue(());
            };
            let other = State { frame: frames[index], piece: index, fraction: 0.0 };
            return self.compare(state, &other, None, [knot, agent]);
        }
        let track = world.track(agent, &agents[agent]);
        let time = self.body.track.time(knot);
        self.at_samples(&track, state, time, [knot, agent])
    }

    /// Compares with the agent at every sample that belongs to `time`, until one overlaps.
    fn at_samples(
        &mut self,
        track: &Track<'_, S>,
        state: &State<S::Frame>,
        time: f64,
        pair: [usize; 2],
    ) -> ControlFlow<()> {
        let frames = self.world.frames(pair[1]);
        if track.is_static {
            let other = State { frame: frames[0], piece: 0, fraction: 0.0 };
            return self.compare(state, &other, None, pair);
        }
        let gap = self.gap + TIME_SLACK;
        let times = track.trajectory.times();
        let found_before = self.count();
        let first = times.partition_point(|&own| own < time - gap);
        for (knot, &own) in times.iter().enumerate().skip(first).take_while(|(_, own)| **own <= time + gap) {
            let other = State { frame: frames[knot], piece: knot, fraction: 0.0 };
            self.compare(state, &other, Some(own), pair)?;
            if self.count() > found_before {
                return ControlFlow::Continue(());
            }
        }
        if self.sampling == Sampling::OwnTimes {
            return ControlFlow::Continue(());
        }
        let [from, to] = track.presence();
        let (body, shift) = (self.body.track.trajectory, self.body.track.start);
        let first = body.times().partition_point(|&own| own + shift < time - gap);
        for at in body.times()[first..].iter().map(|own| own + shift).take_while(|at| *at <= time + gap) {
            let is_own = || {
                let near = times.partition_point(|&own| own < at - TIME_SLACK);
                times.get(near).is_some_and(|own| *own <= at + TIME_SLACK)
            };
            if at < from || at > to || is_own() {
                continue;
            }
            self.compare(state, &track.state_at(at), Some(at), pair)?;
            if self.count() > found_before {
                return ControlFlow::Continue(());
            }
        }
        ControlFlow::Continue(())
    }

    fn count(&self) -> usize {
        self.findings.len() + usize::from(self.found.is_some())
    }

    /// Compares all parts at one instant each; the agent's instant is the body's by default.
    #[inline]
    fn compare(
        &mut self,
        state: &State<S::Frame>,
        other: &State<S::Frame>,
        agent_time: Option<f64>,
        pair: [usize; 2],
    ) -> ControlFlow<()> {
        let (ours, theirs) = (self.body.track.compound.parts(), self.agents[pair[1]].compound.parts());
        for (i, part_a) in ours.iter().enumerate() {
            for (j, part_b) in theirs.iter().enumerate() {
                self.statistics.distance_queries += 1;
                if S::overlap((part_a, state), (part_b, other)) {
                    let distance = S::proximity((part_a, state), (part_b, other), 0.0).upper;
                    return self.settle(pair, [i, j], distance, agent_time);
                }
            }
        }
        ControlFlow::Continue(())
    }

    #[cold]
    fn settle(
        &mut self,
        [knot, agent]: [usize; 2],
        parts: [usize; 2],
        distance: f64,
        agent_time: Option<f64>,
    ) -> ControlFlow<()> {
        let time = self.body.track.time(knot);
        let finding = Finding {
            time,
            agent_time: agent_time.unwrap_or(time),
            agent,
            piece: knot,
            parts,
            distance,
            is_collision: true,
            is_uncertain: self.is_body_uncertain || self.agents[agent].is_uncertain,
            free_until: None,
        };
        if self.report == Report::All {
            self.findings.push(finding);
            return ControlFlow::Continue(());
        }
        self.found = Some(finding);
        ControlFlow::Break(())
    }
}
