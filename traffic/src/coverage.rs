//! Times at which a trajectory is compared with any agent: an agent is known only from its first pose to its last.
//!
//! A proof of freedom holds at those times only. Agents of one name are one obstacle in several stretches of time.

use super::traffic::Traffic;
use super::trajectory::{TIME_SLACK, Trajectory};
use pathproof::numeric::{least, most};

/// See the module. Times are in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Coverage {
    /// First and last time of the trajectory.
    pub span: [f64; 2],
    /// Its times at which an agent is known (with a time gap: at or within it), as disjoint stretches in order.
    pub checked: Vec<[f64; 2]>,
    /// First and last time at which any agent is known; infinite if one is at rest. `None` without agents.
    pub known: Option<[f64; 2]>,
    /// Number of agents it is compared with.
    pub agents: usize,
    /// Number of those that are not known at all its times: `late` or `early` or both.
    pub partial: usize,
    /// Number of those with a first pose after the trajectory's.
    pub late: usize,
    /// Number of those with a last pose before the trajectory's.
    pub early: usize,
    /// Start of the last of the late ones.
    pub last_start: Option<f64>,
    /// End of the first of the early ones.
    pub first_end: Option<f64>,
}

impl Coverage {
    /// True if some agent is known at each of its times.
    pub fn is_whole(&self) -> bool {
        self.checked == [self.span]
    }

    /// True if it is compared with no agent.
    pub fn is_empty(&self) -> bool {
        self.checked.is_empty()
    }

    /// The stretches of the trajectory without any known agent, in order.
    pub fn unchecked(&self) -> Vec<[f64; 2]> {
        let mut left = Vec::new();
        let mut from = self.span[0];
        for stretch in &self.checked {
            if stretch[0] > from {
                left.push([from, stretch[0]]);
            }
            from = stretch[1];
        }
        if self.is_empty() || from < self.span[1] {
            left.push([from, self.span[1]]);
        }
        left
    }
}

impl Traffic {
    /// Coverage of a trajectory among all agents.
    pub fn coverage(&self, trajectory: &Trajectory, time_gap: f64) -> Coverage {
        self.coverage_of(trajectory, None, time_gap)
    }

    /// Coverage of a moving agent among all others.
    ///
    /// # Panics
    /// If there is no agent of that number.
    pub fn coverage_of_agent(&self, number: usize, time_gap: f64) -> Coverage {
        self.coverage_of(&self.agents()[number].trajectory, Some(number), time_gap)
    }

    fn coverage_of(&self, trajectory: &Trajectory, own: Option<usize>, time_gap: f64) -> Coverage {
        let times = trajectory.times();
        let span = [times[0], times[times.len() - 1]];
        let others = self.agents().iter().enumerate().filter(|(number, _)| Some(*number) != own);
        let always = [f64::NEG_INFINITY, f64::INFINITY];
        let mut known: Vec<(&str, [f64; 2])> =
            others.map(|(_, agent)| (agent.name(), agent.presence().unwrap_or(always))).collect();
        let checked = stretches(known.iter().map(|(_, presence)| *presence), span, time_gap);
        known.sort_by(|a, b| a.0.cmp(b.0));
        known.dedup_by(|later, kept| {
            let is_same = later.0 == kept.0;
            if is_same {
                kept.1 = hull(kept.1, later.1);
            }
            is_same
        });
        let mut coverage = Coverage {
            span,
            checked,
            known: known.iter().map(|(_, presence)| *presence).reduce(hull),
            agents: known.len(),
            partial: 0,
            late: 0,
            early: 0,
            last_start: None,
            first_end: None,
        };
        for (_, [from, to]) in known {
            let (is_late, is_early) = (from > span[0] + TIME_SLACK, to < span[1] - TIME_SLACK);
            coverage.partial += usize::from(is_late || is_early);
            if is_late {
                coverage.late += 1;
                coverage.last_start = Some(coverage.last_start.map_or(from, |last| most(last, from)));
            }
            if is_early {
                coverage.early += 1;
                coverage.first_end = Some(coverage.first_end.map_or(to, |first| least(first, to)));
            }
        }
        coverage
    }
}

fn hull(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [least(a[0], b[0]), most(a[1], b[1])]
}

/// The union of the presences, widened by the gap, cut to the span. Ends within the slack of each other are one time,
/// as for queries.
fn stretches(presences: impl Iterator<Item = [f64; 2]>, span: [f64; 2], gap: f64) -> Vec<[f64; 2]> {
    let common = presences.filter_map(|[from, to]| {
        let (from, to) = (from - gap, to + gap);
        let is_there = from <= span[1] + TIME_SLACK && to >= span[0] - TIME_SLACK;
        let from = if from <= span[0] + TIME_SLACK { span[0] } else { least(from, span[1]) };
        let to = if to >= span[1] - TIME_SLACK { span[1] } else { most(to, span[0]) };
        is_there.then_some([from, to])
    });
    let mut parts: Vec<[f64; 2]> = common.collect();
    parts.sort_by(|a, b| a[0].total_cmp(&b[0]));
    parts.dedup_by(|later, kept| {
        let is_joined = later[0] <= kept[1] + TIME_SLACK;
        if is_joined {
            kept[1] = most(kept[1], later[1]);
        }
        is_joined
    });
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Agent, Compound};

    fn agent(name: &str, [from, to]: [f64; 2]) -> Agent {
        let poses = Trajectory::planar([[from, 0.0, 0.0, 0.0], [to, 1.0, 0.0, 0.0]]).expect("valid");
        Agent::moving(name, Compound::disc(1.0).expect("valid"), poses).expect("planar")
    }

    fn covered(agents: Vec<Agent>, [from, to]: [f64; 2], gap: f64) -> Coverage {
        let ego = Trajectory::planar([[from, 9.0, 0.0, 0.0], [to, 9.0, 9.0, 0.0]]).expect("valid");
        Traffic::new(agents).expect("planar").coverage(&ego, gap)
    }

    #[test]
    fn only_times_at_which_an_agent_is_known_are_checked() {
        let two = || vec![agent("a", [1.0, 2.0]), agent("b", [4.0, 5.0])];
        let found = covered(two(), [0.0, 6.0], 0.0);
        assert_eq!(found.checked, [[1.0, 2.0], [4.0, 5.0]]);
        assert_eq!(found.unchecked(), [[0.0, 1.0], [2.0, 4.0], [5.0, 6.0]]);
        assert_eq!((found.agents, found.partial, found.late, found.early), (2, 2, 2, 2));
        assert_eq!((found.last_start, found.first_end, found.known), (Some(4.0), Some(2.0), Some([1.0, 5.0])));
        let wide = covered(two(), [0.0, 6.0], 1.0);
        assert!(wide.is_whole() && wide.unchecked().is_empty(), "{wide:?}");
        let none = covered(two(), [7.0, 8.0], 0.5);
        assert!(none.is_empty() && none.unchecked() == [[7.0, 8.0]], "{none:?}");
        // A single common instant is compared.
        assert_eq!(covered(two(), [5.0, 8.0], 0.0).checked, [[5.0, 5.0]]);
        // Rounding of a time leaves no time without agents.
        assert!(covered(vec![agent("a", [1e-10, 2.0 - 1e-10])], [0.0, 2.0], 0.0).is_whole());
    }

    #[test]
    fn agents_of_one_name_count_once_and_those_at_rest_are_always_known() {
        let slices = vec![agent("a", [0.0, 1.0]), agent("b", [0.0, 2.0]), agent("a", [1.0, 2.0])];
        let found = covered(slices, [0.0, 2.0], 0.0);
        assert_eq!((found.agents, found.partial), (2, 0));
        let post = Trajectory::planar([[0.0; 4]]).expect("valid");
        let post = Agent::at_rest("post", Compound::disc(1.0).expect("valid"), post).expect("planar");
        let found = covered(vec![post, agent("a", [0.0, 1.0])], [0.0, 2.0], 0.0);
        assert!(found.is_whole() && (found.agents, found.partial, found.early) == (2, 1, 1), "{found:?}");
        let alone = Traffic::new(vec![agent("a", [0.0, 1.0])]).expect("planar").coverage_of_agent(0, 0.0);
        assert!(alone.is_empty() && alone.known.is_none());
    }
}
