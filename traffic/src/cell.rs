//! Decides a pair of parts over a pair of pieces for all times: the core of `hulls`.
//!
//! A cell is an interval of the body's time and one of the agent's (the same, without a time gap). Along a unit axis n
//! every point strays from the straight line between its places at the ends of a cell by at most its bulge ρΔθ²/8. So
//! the parts are more than c apart throughout if one n separates them by more than c + both bulges + rounding at all
//! ends. Any n is sound; the search tries the axis of the distance at the middle. Undecided cells are cut in two.

use super::compound::Part;
use super::narrow::{Proximity, Space, State, larger, smaller};
use super::query::Exactness;
use super::track::Piece;
use super::trajectory::TIME_SLACK;
use super::verdict::{Limit, Statistics};

/// Cells up to this length, in seconds, are not cut: their ends would count as one.
const SHORTEST_CELL: f64 = 8.0 * TIME_SLACK;

/// The instants that a search wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The first one met.
    Any,
    /// The earliest.
    Earliest,
    /// Any, but an overlap rather than a near miss.
    Overlap,
}

/// An instant at which the parts overlap or are too close.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instant {
    pub(crate) time: f64,
    pub(crate) agent_time: f64,
    /// Upper bound on the signed distance.
    pub(crate) distance: f64,
    pub(crate) is_collision: bool,
}

/// Result of a search.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) found: Option<Instant>,
    /// The pair is proven free up to here, if the earliest instant was wanted and found.
    pub(crate) free_until: f64,
    /// A stretch that is neither proven nor found.
    pub(crate) open: Option<([f64; 2], Limit)>,
}

/// A stretch of both times, and an axis that may separate the parts there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell<V> {
    pub(crate) body: [f64; 2],
    pub(crate) agent: [f64; 2],
    axis: Option<V>,
}

/// A pair of parts on a pair of pieces.
pub(crate) struct Search<'a, S: Space> {
    pub(crate) body: &'a Piece<'a, S>,
    pub(crate) agent: &'a Piece<'a, S>,
    pub(crate) parts: [&'a Part; 2],
    pub(crate) exactness: Exactness,
    /// `None`: both are compared at the same time.
    pub(crate) gap: Option<f64>,
    pub(crate) wanted: Wanted,
    /// Later instants are not wanted.
    pub(crate) until: f64,
    /// Rounding of both frames.
    pub(crate) upper_rounding: f64,
    pub(crate) statistics: &'a mut Statistics,
}

type States<S> = [State<<S as Space>::Frame>; 2];

impl<S: Space> Search<'_, S> {
    /// Decides the cell from `body` and `agent` times. `stack` is scratch.
    pub(crate) fn run(&mut self, body: [f64; 2], agent: [f64; 2], stack: &mut Vec<Cell<S::Vector>>) -> Outcome {
        let mut outcome = Outcome { found: None, free_until: body[1], open: None };
        let whole = Cell { body, agent, axis: None };
        let ends = self.ends(&whole);
        // Knots need no sine or cosine, and decide most pairs.
        for (corner, times) in [(0, [body[0], agent[0]]), (1, [body[1], agent[1]])] {
            let near = self.proximity([&ends[0][corner], &ends[1][corner]]);
            if self.is_separated(near.axis, &ends, &whole) {
                return outcome;
            }
            let is_wanted = self.is_within_gap(times) && (corner == 0 || self.wanted != Wanted::Earliest);
            if is_wanted && let Some(instant) = self.instant(times, &near) {
                if self.wanted == Wanted::Earliest {
                    return Outcome { found: Some(instant), free_until: body[0], open: None };
                }
                outcome.found = Some(instant);
                if self.is_final(&instant) {
                    return outcome;
                }
            }
        }
        stack.clear();
        stack.push(whole);
        self.bisect(stack, &mut outcome);
        if let Some(found) = outcome.found {
            outcome.free_until = smaller(outcome.free_until, found.time);
        }
        outcome
    }

    fn bisect(&mut self, stack: &mut Vec<Cell<S::Vector>>, outcome: &mut Outcome) {
        let mut queries = 0;
        while let Some(cell) = stack.pop() {
            let Some(cell) = self.trimmed(cell, outcome) else { continue };
            let ends = self.ends(&cell);
            if cell.axis.is_some_and(|axis| self.is_separated(axis, &ends, &cell)) {
                continue;
            }
            let times = self.middle(&cell);
            let states = [self.body.at(times[0]), self.agent.at(times[1])];
            let near = self.proximity([&states[0], &states[1]]);
            queries += 1;
            if self.is_separated(near.axis, &ends, &cell) {
                continue;
            }
            let instant = self.instant(times, &near);
            if let Some(instant) = instant {
                self.keep(instant, outcome);
                if self.is_final(&instant) {
                    return;
                }
            }
            if self.is_settled(&cell, instant.is_some(), outcome) {
                continue;
            }
            let limit = if queries >= self.exactness.most_queries { Some(Limit::Queries) } else { None };
            let halves = if limit.is_none() { self.halves(&cell, near.axis) } else { None };
            match halves {
                Some([early, late]) => {
                    self.statistics.bisections += 1;
                    stack.extend([late, early]);
                }
                None if instant.is_some() => outcome.free_until = smaller(outcome.free_until, cell.body[0]),
                None => {
                    outcome.open.get_or_insert((cell.body, limit.unwrap_or(Limit::Resolution)));
                    outcome.free_until = smaller(outcome.free_until, cell.body[0]);
                    if limit.is_some() {
                        return;
                    }
                }
            }
        }
    }

    /// The part of a cell that is still wanted and within the gap; `None` if nothing is left.
    fn trimmed(&self, mut cell: Cell<S::Vector>, outcome: &Outcome) -> Option<Cell<S::Vector>> {
        if self.wanted == Wanted::Earliest {
            let until = outcome.found.map_or(self.until, |found| smaller(found.time, self.until));
            if cell.body[0] >= until {
                return None;
            }
            if cell.body[1] > until {
                cell.body[1] = until;
                if self.gap.is_none() {
                    cell.agent[1] = until;
                }
            }
        }
        let Some(gap) = self.gap else { return Some(cell) };
        let apart = larger(cell.agent[0] - cell.body[1], cell.body[0] - cell.agent[1]);
        if apart > gap + TIME_SLACK { None } else { Some(cell) }
    }

    /// States at the ends of both intervals.
    #[inline]
    fn ends(&self, cell: &Cell<S::Vector>) -> [States<S>; 2] {
        [cell.body.map(|time| self.body.at(time)), cell.agent.map(|time| self.agent.at(time))]
    }

    /// True if `axis` separates the parts over the whole cell.
    #[inline]
    fn is_separated(&self, axis: S::Vector, ends: &[States<S>; 2], cell: &Cell<S::Vector>) -> bool {
        let bulges =
            self.body.upper_bulge(self.parts[0], cell.body) + self.agent.upper_bulge(self.parts[1], cell.agent);
        let need = (self.exactness.clearance + bulges + self.upper_rounding) * (1.0 + 1e-15);
        let is_apart =
            |a: usize, b: usize| S::separation((self.parts[0], &ends[0][a]), (self.parts[1], &ends[1][b]), axis) > need;
        // At one time the ends belong together; within a time gap any two ends may meet.
        is_apart(0, 0) && is_apart(1, 1) && (self.gap.is_none() || (is_apart(0, 1) && is_apart(1, 0)))
    }

    #[inline]
    fn proximity(&mut self, [a, b]: [&State<S::Frame>; 2]) -> Proximity<S::Vector> {
        self.statistics.distance_queries += 1;
        let near = self.exactness.clearance + self.exactness.tolerance + self.upper_rounding;
        S::proximity((self.parts[0], a), (self.parts[1], b), near)
    }

    /// The instant found at these times, if any.
    #[inline]
    fn instant(&self, [time, agent_time]: [f64; 2], near: &Proximity<S::Vector>) -> Option<Instant> {
        let distance = near.upper + self.upper_rounding;
        let is_found = distance <= self.exactness.clearance + self.exactness.tolerance || distance <= 0.0;
        is_found.then_some(Instant { time, agent_time, distance, is_collision: distance <= 0.0 })
    }

    /// True if nothing better can be found.
    fn is_final(&self, instant: &Instant) -> bool {
        match self.wanted {
            Wanted::Any => true,
            Wanted::Earliest => false,
            Wanted::Overlap => instant.is_collision,
        }
    }

    /// Keeps the better of two instants.
    fn keep(&self, instant: Instant, outcome: &mut Outcome) {
        let is_better = outcome.found.is_none_or(|known| match self.wanted {
            Wanted::Any => false,
            Wanted::Earliest => instant.time < known.time,
            Wanted::Overlap => instant.is_collision && !known.is_collision,
        });
        if is_better {
            outcome.found = Some(instant);
        }
    }

    /// True if a cell that is not proven need not be cut: something was found in it or at its end, and in it nothing
    /// moves by more than a quarter of the tolerance.
    fn is_settled(&self, cell: &Cell<S::Vector>, is_found_here: bool, outcome: &mut Outcome) -> bool {
        let Some(found) = outcome.found else { return false };
        let motion =
            self.body.upper_motion(self.parts[0], cell.body) + self.agent.upper_motion(self.parts[1], cell.agent);
        if !(motion <= 0.25 * self.exactness.tolerance) {
            return false;
        }
        match self.wanted {
            Wanted::Any => true,
            Wanted::Overlap => is_found_here,
            Wanted::Earliest => {
                let is_settled = is_found_here || found.time <= cell.body[1];
                if is_settled {
                    outcome.free_until = smaller(outcome.free_until, cell.body[0]);
                }
                is_settled
            }
        }
    }

    /// Times in the middle of a cell that are no farther apart than the gap.
    fn middle(&self, cell: &Cell<S::Vector>) -> [f64; 2] {
        let middle = |[from, to]: [f64; 2]| from + 0.5 * (to - from);
        let Some(gap) = self.gap else { return [middle(cell.body); 2] };
        let within = |time: f64, [from, to]: [f64; 2]| larger(from, smaller(to, time));
        let near_agent = within(middle(cell.body), [cell.agent[0] - gap, cell.agent[1] + gap]);
        let time = within(near_agent, cell.body);
        [time, within(within(middle(cell.agent), [time - gap, time + gap]), cell.agent)]
    }

    fn is_within_gap(&self, [time, agent_time]: [f64; 2]) -> bool {
        self.gap.is_none_or(|gap| (time - agent_time).abs() <= gap)
    }

    /// Both halves of a cell, cut across the interval with more motion; `None` if it is too short.
    fn halves(&self, cell: &Cell<S::Vector>, axis: S::Vector) -> Option<[Cell<S::Vector>; 2]> {
        let cut = |[from, to]: [f64; 2]| {
            let middle = from + 0.5 * (to - from);
            let is_long = to - from > SHORTEST_CELL && from < middle && middle < to;
            is_long.then_some([[from, middle], [middle, to]])
        };
        let cell = Cell { axis: Some(axis), ..*cell };
        if self.gap.is_none() {
            return cut(cell.body).map(|halves| halves.map(|half| Cell { body: half, agent: half, ..cell }));
        }
        let body = self.body.upper_motion(self.parts[0], cell.body);
        let agent = self.agent.upper_motion(self.parts[1], cell.agent);
        let across_body = || cut(cell.body).map(|halves| halves.map(|body| Cell { body, ..cell }));
        let across_agent = || cut(cell.agent).map(|halves| halves.map(|agent| Cell { agent, ..cell }));
        // If nothing moves, the times themselves are cut: the gap may hold for a part of the cell only.
        let is_body_longer =
            body > agent || (body == agent && cell.body[1] - cell.body[0] > cell.agent[1] - cell.agent[0]);
        if is_body_longer { across_body().or_else(across_agent) } else { across_agent().or_else(across_body) }
    }
}
