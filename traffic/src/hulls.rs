//! The proven method: swept pieces against swept pieces (workspace-time paper §III-D, made sound).
//!
//! For a piece of the body and an agent with overlapping boxes: takes the agent's pieces in that time, each cut to the
//! common interval. Two discs about the reference points, with an exact distance that needs no sine, decide most;
//! [`Search`] decides the rest, part by part.

use std::ops::ControlFlow;

use super::agent::Agent;
use super::body::{Body, agent_piece};
use super::cell::{Cell, Outcome, Search, Wanted};
use super::narrow::{Space, larger, smaller};
use super::query::{Exactness, Report};
use super::track::{Piece, Track};
use super::trajectory::TIME_SLACK;
use super::verdict::{Finding, Open, Statistics};
use super::world::World;
use pathproof::numeric::ROUNDOFF_F64;

/// A query by `hulls` in progress.
pub(crate) struct Hulls<'a, S: Space> {
    pub(crate) agents: &'a [Agent],
    pub(crate) world: &'a World<S>,
    pub(crate) body: Body<'a, S>,
    /// True if the body's own state is a region.
    pub(crate) is_body_uncertain: bool,
    pub(crate) exactness: Exactness,
    pub(crate) gap: f64,
    pub(crate) report: Report,
    /// Slot of the body's first piece, if its pieces are slots.
    pub(crate) shift: Option<usize>,
    pub(crate) cells: &'a mut Vec<Cell<S::Vector>>,
    /// Everything found, with [`Report::All`].
    pub(crate) findings: &'a mut Vec<Finding>,
    pub(crate) found: Option<Finding>,
    pub(crate) open: Option<Open>,
    pub(crate) statistics: Statistics,
}

impl<S: Space> Hulls<'_, S> {
    /// Decides a piece of the body against an agent. Pieces must come in the order of time if the earliest finding is
    /// wanted.
    pub(crate) fn visit(&mut self, piece: usize, agent: usize) -> ControlFlow<()> {
        self.statistics.pairs += 1;
        let is_first = self.report == Report::First;
        if is_first && self.found.is_some_and(|found| found.piece < piece) {
            return ControlFlow::Break(());
        }
        let (agents, world) = (self.agents, self.world);
        let track = world.track(agent, &agents[agent]);
        let times = self.body.piece_times(piece);
        let mut best: Option<Finding> = None;
        for index in self.agent_pieces(&track, piece, agent, times) {
            self.pair_of_pieces(piece, times, agent, &track, index, &mut best);
            let is_enough = match self.report {
                Report::Any { .. } => best.is_some(),
                Report::First => false,
                Report::All => best.is_some_and(|best| best.is_collision),
            };
            if is_enough {
                break;
            }
        }
        self.settle(best)
    }

    /// The agent's pieces while the body is on its piece.
    #[inline]
    fn agent_pieces(
        &self,
        track: &Track<'_, S>,
        piece: usize,
        agent: usize,
        times: [f64; 2],
    ) -> std::ops::Range<usize> {
        if let (Some(shift), Some(offset)) = (self.shift, self.world.agent(agent).offset) {
            // Equal grids: the agent's piece is the slot.
            if let Some(index) = (piece + shift).checked_sub(offset)
                && index < track.trajectory.pieces()
            {
                return index..index + 1;
            }
        }
        track.pieces_within(times[0] - self.gap, times[1] + self.gap)
    }

    fn pair_of_pieces(
        &mut self,
        piece: usize,
        times: [f64; 2],
        agent: usize,
        track: &Track<'_, S>,
        index: usize,
        best: &mut Option<Finding>,
    ) {
        let frames = self.world.frames(agent);
        let of_agent = agent_piece(track, frames, index);
        let is_windowed = self.gap > 0.0 && !track.is_static;
        let [body_times, agent_times] = match is_windowed {
            true => windowed(times, of_agent.times, self.gap),
            false => [common(times, of_agent.times); 2],
        };
        let rounding = self.body.track.upper_rounding + track.upper_rounding;
        if self.are_discs_apart(piece, body_times, &of_agent, agent_times, rounding) {
            return;
        }
        let frames = self.body.piece_frames(piece);
        let of_body = Piece { track: &self.body.track, index: piece, times, frames };
        let wanted = match self.report {
            Report::Any { .. } => Wanted::Any,
            Report::First => Wanted::Earliest,
            Report::All => Wanted::Overlap,
        };
        for (i, part_a) in of_body.track.compound.parts().iter().enumerate() {
            for (j, part_b) in track.compound.parts().iter().enumerate() {
                let until = best.or(self.found).map_or(f64::INFINITY, |known| known.time);
                let mut search = Search {
                    body: &of_body,
                    agent: &of_agent,
                    parts: [part_a, part_b],
                    exactness: self.exactness,
                    gap: is_windowed.then_some(self.gap),
                    wanted,
                    until,
                    upper_rounding: rounding,
                    statistics: &mut self.statistics,
                };
                let outcome = search.run(body_times, agent_times, self.cells);
                let is_uncertain = self.is_body_uncertain || self.agents[agent].is_uncertain;
                keep(&outcome, [piece, agent], [i, j], is_uncertain, self.report, best, &mut self.open);
                if best.is_some_and(|best| {
                    matches!(self.report, Report::Any { .. }) || best.is_collision && self.report == Report::All
                }) {
                    return;
                }
            }
        }
    }

    /// True if discs (balls) about the reference points with the bodies' reaches stay apart.
    #[inline]
    fn are_discs_apart(
        &self,
        piece: usize,
        body_times: [f64; 2],
        agent: &Piece<'_, S>,
        agent_times: [f64; 2],
        rounding: f64,
    ) -> bool {
        let reach = self.body.track.compound.upper_reach() + agent.track.compound.upper_reach();
        let need = (reach + self.exactness.clearance + rounding) * (1.0 + 8.0 * ROUNDOFF_F64);
        let of_body = position_over(&self.body.track, piece, self.body.piece_times(piece), body_times);
        let of_agent = position_over(agent.track, agent.index, agent.times, agent_times);
        let is_windowed = self.gap > 0.0 && !agent.track.is_static;
        discs_apart(S::DIMENSIONS, of_body, of_agent, is_windowed, need)
    }

    /// Records the findings on a piece, and decides if the search goes on.
    fn settle(&mut self, best: Option<Finding>) -> ControlFlow<()> {
        let Some(best) = best else { return ControlFlow::Continue(()) };
        match self.report {
            Report::Any { .. } => {
                self.found = Some(best);
                ControlFlow::Break(())
            }
            Report::First => {
                let free_until = match self.found {
                    Some(known) if known.free_until < best.free_until => known.free_until,
                    _ => best.free_until,
                };
                let earliest = match self.found {
                    Some(known) if known.time <= best.time => known,
                    _ => best,
                };
                self.found = Some(Finding { free_until, ..earliest });
                ControlFlow::Continue(())
            }
            Report::All => {
                self.findings.push(best);
                ControlFlow::Continue(())
            }
        }
    }
}

/// Merges the outcome of a pair of parts into that of the piece.
fn keep(
    outcome: &Outcome,
    [piece, agent]: [usize; 2],
    parts: [usize; 2],
    is_uncertain: bool,
    report: Report,
    best: &mut Option<Finding>,
    open: &mut Option<Open>,
) {
    if let Some((interval, limit)) = outcome.open {
        let is_earlier = open.is_none_or(|known| interval[0] < known.interval[0]);
        if is_earlier {
            *open = Some(Open { agent, interval, limit });
        }
    }
    let Some(instant) = outcome.found else { return };
    let finding = Finding {
        time: instant.time,
        agent_time: instant.agent_time,
        agent,
        piece,
        parts,
        distance: instant.distance,
        is_collision: instant.is_collision,
        is_uncertain,
        free_until: (report == Report::First).then_some(outcome.free_until),
    };
    *best = Some(match *best {
        None => finding,
        Some(known) if report == Report::First => {
            let earlier = if finding.time < known.time { finding } else { known };
            let free_until = match (known.free_until, finding.free_until) {
                (Some(a), Some(b)) => Some(smaller(a, b)),
                (a, b) => a.or(b),
            };
            Finding { free_until, ..earlier }
        }
        Some(known) if finding.is_collision && !known.is_collision => finding,
        Some(known) => known,
    });
}

/// The common stretch of two; a point if they merely touch.
#[inline]
fn common(body: [f64; 2], agent: [f64; 2]) -> [f64; 2] {
    let (from, to) = (larger(body[0], agent[0]), smaller(body[1], agent[1]));
    if from <= to { [from, to] } else { [to, to] }
}

/// The parts of two stretches that are within the gap of each other.
fn windowed(body: [f64; 2], agent: [f64; 2], gap: f64) -> [[f64; 2]; 2] {
    let gap = gap + TIME_SLACK;
    let of_body = common(body, [agent[0] - gap, agent[1] + gap]);
    [of_body, common(agent, [body[0] - gap, body[1] + gap])]
}

/// Positions of the reference point at the ends of an interval of a piece.
#[inline]
fn position_over<S: Space>(track: &Track<'_, S>, piece: usize, times: [f64; 2], interval: [f64; 2]) -> [[f64; 3]; 2] {
    let from = track.position(piece);
    if track.is_static || piece >= track.trajectory.pieces() {
        return [from, from];
    }
    let to = track.position(piece + 1);
    interval.map(|time| {
        if (time - times[0]).abs() <= TIME_SLACK {
            return from;
        }
        if (time - times[1]).abs() <= TIME_SLACK {
            return to;
        }
        let fraction = (time - times[0]) / (times[1] - times[0]);
        std::array::from_fn(|axis| from[axis] + (to[axis] - from[axis]) * fraction)
    })
}

/// True if two points that move straight from ends to ends stay more than `need` apart: at one time, or within a time
/// gap for any two positions on their ways. Along any vector q the least of (b − a)·q is at ends, so (b − a)·q >
/// need·|q| there proves it; q is the difference where it is about least. Rounding: differences and products err by
/// less than 8 u of the sizes times |q|.
#[inline]
fn discs_apart(dimensions: usize, body: [[f64; 3]; 2], agent: [[f64; 3]; 2], is_windowed: bool, need: f64) -> bool {
    let mut ways = [[0.0; 3]; 4];
    let (mut along, mut squared, mut size) = (0.0, 0.0, 0.0);
    for axis in 0..dimensions {
        let (a, b) = ([body[0][axis], body[1][axis]], [agent[0][axis], agent[1][axis]]);
        let ends = [b[0] - a[0], b[1] - a[1], b[0] - a[1], b[1] - a[0]];
        for (way, end) in ways.iter_mut().zip(ends) {
            way[axis] = end;
            size += end.abs();
        }
        let change = ends[1] - ends[0];
        along -= ends[0] * change;
        squared += change * change;
    }
    let fraction = if squared > 0.0 { (along / squared).clamp(0.0, 1.0) } else { 0.0 };
    let mut q = [0.0; 3];
    let mut length_squared = 0.0;
    for axis in 0..dimensions {
        q[axis] = ways[0][axis] + (ways[1][axis] - ways[0][axis]) * fraction;
        length_squared += q[axis] * q[axis];
    }
    let need = need + 16.0 * ROUNDOFF_F64 * size;
    let need_squared = need * need * length_squared * (1.0 + 16.0 * ROUNDOFF_F64);
    let is_apart = |way: &[f64; 3]| {
        let along = way[0] * q[0] + way[1] * q[1] + way[2] * q[2];
        along > 0.0 && along * along > need_squared
    };
    ways[..if is_windowed { 4 } else { 2 }].iter().all(is_apart)
}
