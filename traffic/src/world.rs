//! The traffic in the form that queries use: every agent's frames at its knots, and the boxes of all of them over time.
//!
//! Rebuilt once per planning cycle in the same memory. Invariant: the box of an agent in a slot holds the agent at
//! every time of the slot, as `slots` promises.

use super::agent::Agent;
use super::boxes::{knot_box, sweep_box};
use super::narrow::Space;
use super::slots::Slots;
use super::track::Track;
use super::trajectory::TIME_SLACK;
use pathproof::numeric::{least, most};

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct World<S: Space> {
    /// All agents' knots, one agent after the other.
    frames: Vec<S::Frame>,
    agents: Vec<Indexed>,
    pub(crate) slots: Slots,
}

/// Cached data of an agent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Indexed {
    /// Index of its first frame.
    first: usize,
    knots: usize,
    /// Its knot j is at edge j + offset of the slots, if that holds for all its knots.
    pub(crate) offset: Option<usize>,
    upper_rounding: f64,
}

impl<S: Space> Default for World<S> {
    fn default() -> Self {
        Self { frames: Vec::new(), agents: Vec::new(), slots: Slots::default() }
    }
}

impl<S: Space> World<S> {
    /// Rebuilds everything for these agents.
    pub(crate) fn rebuild(&mut self, agents: &[Agent]) {
        self.frames.clear();
        self.agents.clear();
        let moving = || agents.iter().filter(|agent| !agent.is_static).map(|agent| agent.trajectory.times());
        let grid = moving().max_by_key(|times| times.len()).unwrap_or(&[]);
        let (first, last) = moving().fold((f64::INFINITY, f64::NEG_INFINITY), |(first, last), times| {
            (least(first, times[0]), most(last, times[times.len() - 1]))
        });
        let span = if first <= last { [first, last] } else { [0.0, 0.0] };
        self.slots.reset(grid, span, agents.len(), S::DIMENSIONS, middle(agents));
        for (number, agent) in agents.iter().enumerate() {
            self.add(number, agent);
        }
        self.slots.finish();
    }

    fn add(&mut self, number: usize, agent: &Agent) {
        let track = Track::<S>::new(&agent.compound, &agent.trajectory, agent.is_static);
        let (first, knots) = (self.frames.len(), if agent.is_static { 1 } else { agent.trajectory.knots() });
        self.frames.extend((0..knots).map(|knot| S::knot(&agent.trajectory, knot)));
        let offset = if agent.is_static { None } else { alignment(agent.trajectory.times(), self.slots.edges()) };
        self.agents.push(Indexed { first, knots, offset, upper_rounding: track.upper_rounding });
        let frames = &self.frames[first..];
        let pad = track.upper_rounding;
        let mut before = knot_box(&track, frames[0], 0);
        if agent.is_static || knots == 1 {
            let time = track.time(0);
            let slots = match agent.is_static {
                true => 0..self.slots.count(),
                false => self.slots_of(time, time),
            };
            // A region at rest does not change; nor does a body at an instant.
            slots.for_each(|slot| self.slots.cover(number, slot, lowered(before[0], pad), lowered(before[1], -pad)));
            return;
        }
        for piece in 0..knots - 1 {
            let here = knot_box(&track, self.frames[first + piece + 1], piece + 1);
            let [low, high] = sweep_box(&track, piece, before, here);
            let slots = match offset {
                Some(offset) => offset + piece..offset + piece + 1,
                None => self.slots_of(track.time(piece), track.time(piece + 1)),
            };
            slots.for_each(|slot| self.slots.cover(number, slot, lowered(low, pad), lowered(high, -pad)));
            before = here;
        }
        if let Some(offset) = offset {
            self.touch(number, &track, [offset.checked_sub(1), Some(offset + knots - 1)], pad);
        }
    }

    /// A slot that ends when the agent appears, or begins when it vanishes, shares that one instant with it.
    fn touch(&mut self, number: usize, track: &Track<'_, S>, slots: [Option<usize>; 2], pad: f64) {
        let agent = self.agents[number];
        for (slot, knot) in slots.into_iter().zip([0, agent.knots - 1]) {
            if let Some(slot) = slot.filter(|&slot| slot < self.slots.count()) {
                let [low, high] = knot_box(track, self.frames[agent.first + knot], knot);
                self.slots.cover(number, slot, lowered(low, pad), lowered(high, -pad));
            }
        }
    }

    /// The slots that share more than a point with a stretch of time, and those within the slack of it.
    fn slots_of(&self, from: f64, to: f64) -> std::ops::Range<usize> {
        // Slots are looked up with one slack, and times may be off by another: three reach both neighbours of a knot.
        self.slots.first_for(from - 3.0 * TIME_SLACK)..self.slots.last_for(to + 3.0 * TIME_SLACK) + 1
    }

    #[inline]
    pub(crate) fn agent(&self, number: usize) -> &Indexed {
        &self.agents[number]
    }

    /// Frames at an agent's knots.
    #[inline]
    pub(crate) fn frames(&self, number: usize) -> &[S::Frame] {
        let agent = &self.agents[number];
        &self.frames[agent.first..agent.first + agent.knots]
    }

    /// An agent as a track.
    #[inline]
    pub(crate) fn track<'a>(&self, number: usize, agent: &'a Agent) -> Track<'a, S> {
        Track {
            compound: &agent.compound,
            trajectory: &agent.trajectory,
            world_from_local: None,
            start: 0.0,
            is_static: agent.is_static,
            upper_rounding: self.agents[number].upper_rounding,
        }
    }
}

fn lowered(corner: [f64; 3], by: f64) -> [f64; 3] {
    corner.map(|coordinate| coordinate - by)
}

/// The middle of the agents' positions: coordinates about it are small. Only an origin, so any will do.
fn middle(agents: &[Agent]) -> [f64; 3] {
    let mut bounds = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
    for agent in agents {
        for (axis, list) in agent.trajectory.coordinates.iter().enumerate() {
            for &value in list {
                bounds[axis] = [least(bounds[axis][0], value), most(bounds[axis][1], value)];
            }
        }
    }
    bounds.map(|[low, high]| if low <= high { 0.5 * (low + high) } else { 0.0 })
}

/// The number of the edge at which times start, if each of them is at the edge that follows.
pub(crate) fn alignment(times: &[f64], edges: &[f64]) -> Option<usize> {
    let offset = edges.partition_point(|&edge| edge < times[0] - TIME_SLACK);
    let along = edges.get(offset..offset + times.len())?;
    let is_aligned = times.iter().zip(along).all(|(time, edge)| (time - edge).abs() <= TIME_SLACK);
    is_aligned.then_some(offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plane::Plane;
    use crate::{Compound, Trajectory};
    use pathproof::numeric::Random;

    fn agent(random: &mut Random, start: f64, dt: f64, knots: usize) -> Agent {
        let compound = Compound::rectangle(random.between(0.5, 5.0), random.between(0.1, 2.0)).expect("valid");
        let mut heading = 0.0;
        let poses = (0..knots).map(|k| {
            heading += random.between(-2.0, 2.0);
            [start + dt * k as f64, random.between(-9.0, 9.0), random.between(-9.0, 9.0), heading]
        });
        Agent::moving("agent", compound, Trajectory::planar(poses.collect::<Vec<_>>()).expect("valid")).expect("planar")
    }

    /// The box at every level above a slot holds the agent at every time that is looked up there.
    #[test]
    fn slots_hold_every_agent_at_every_time_on_any_grid() {
        let mut random = Random::new(17);
        for round in 0..60 {
            let mut agents: Vec<Agent> = (0..10)
                .map(|i| {
                    let is_other = round % 2 == 1 && i > 0;
                    let (start, dt) = if is_other {
                        (random.between(-2.0, 2.0), random.between(0.01, 0.5))
                    } else {
                        (0.1 * i as f64, 0.1)
                    };
                    let knots = 1 + random.below(30);
                    agent(&mut random, start, dt, knots)
                })
                .collect();
            agents[3].is_static = true;
            let mut world = World::<Plane>::default();
            world.rebuild(&agents);
            for (number, agent) in agents.iter().enumerate() {
                let track = world.track(number, agent);
                let [first, last] = track.presence().map(|end| end.clamp(-5.0, 20.0));
                for sample in 0..=200 {
                    let time = first + (last - first) * f64::from(sample) / 200.0;
                    let state = track.state_at(time);
                    let [low, high] = Plane::extent(&agent.compound, &state);
                    // The slots looked up for a stretch that starts or ends at this time.
                    for slot in [world.slots.first_for(time), world.slots.last_for(time)] {
                        for level in 0..world.slots.level_count() {
                            let held = world.slots.box_of(number, level, slot >> level);
                            for (axis, at) in [state.frame.x, state.frame.y].into_iter().enumerate() {
                                let at = at - world.slots.origin[axis];
                                let is_held = f64::from(held.low[axis]) <= at + low[axis]
                                    && at + high[axis] <= f64::from(held.high[axis]);
                                assert!(
                                    is_held,
                                    "round {round}, agent {number} at {time}: {held:?}, slot {slot}, level {level}"
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}
