//! The path of a straight line through the boxes of a map.
//!
//! The value of a range along the line is x(t) = a + t (b − a). At a halved box the part of the line with x(t) below
//! the middle goes on in the lower half, the part above it in the upper half. Invariant: every t of the requested part
//! is followed into a box that holds its values. If rounding cannot decide, it is followed into both halves, which
//! requires more than needed. Cost: the boxes that the line crosses, up to the first in which nothing is shown.

use std::f64::consts::{PI, TAU};

use super::boxes::halves;
use super::map::{MOST_RANGES, Map, Node};
use crate::numeric::{ROUNDOFF_F64, least, most};

/// Most turns of a continuous joint that a line is followed through.
const MOST_TURNS: f64 = 8.0;

/// The values of one range along the line.
#[derive(Clone, Copy, Debug, Default)]
struct Course {
    start: f64,
    step: f64,
    /// Upper bound on the distance of `start + t step`, in real numbers, from the true value for t in [0, 1].
    slack: f64,
}

/// A part of a line: first and last t.
type Part = [f64; 2];

impl Course {
    /// From a to b. The difference is rounded once.
    fn new(a: f64, b: f64) -> Self {
        Self { start: a, step: b - a, slack: 2.0 * ROUNDOFF_F64 * (b - a).abs() }
    }

    /// The same, turned back by this many whole turns. 2π is off by less than 4 u, its multiple by another u, the
    /// difference by u of its size.
    fn turned_back(self, turns: f64) -> Self {
        let size = self.start.abs() + self.step.abs() + 8.0 * turns.abs();
        Self { start: self.start - TAU * turns, slack: self.slack + 16.0 * ROUNDOFF_F64 * size, ..self }
    }

    /// The parts with values below and above `middle`, neither too short.
    ///
    /// x(t) = middle at t* = (middle − start)/step, which three roundings make off by 4 u |t*| at most, and the slack
    /// by slack/|step|. Courses that are nearly level have no crossing worth computing: their whole range is compared.
    fn parts(&self, part: Part, middle: f64) -> [Option<Part>; 2] {
        let Self { start, step, slack } = *self;
        let size = 1.0 + start.abs() + step.abs();
        if !(step.abs() > 1e-9 * size) {
            let reach = step.abs() + slack + 4.0 * ROUNDOFF_F64 * size;
            return [start - reach <= middle, start + reach >= middle].map(|is_reached| is_reached.then_some(part));
        }
        let crossing = (middle - start) / step;
        let room = 8.0 * ROUNDOFF_F64 * crossing.abs() + 2.0 * slack / step.abs() + f64::MIN_POSITIVE;
        let [first, last] = part;
        let until = [first, least(last, (crossing + room).next_up())];
        let from = [most(first, (crossing - room).next_down()), last];
        let [lower, upper] = if step > 0.0 { [until, from] } else { [from, until] };
        [lower, upper].map(|part| (part[0] <= part[1]).then_some(part))
    }
}

impl Map {
    /// Lower bound on the distance, in metres, all along a part of the straight line between two sets of values of the
    /// chain's ranges, if it is above `wanted`. `None` if that is not shown, or if an end is outside the ranges;
    /// joints that turn without limits may have any value.
    pub fn lower_along(&self, ends: [&[f64]; 2], part: [f64; 2], wanted: f64) -> Option<f64> {
        let sides = &self.whole.sides;
        if ends.iter().any(|end| end.len() != sides.len()) || sides.len() > MOST_RANGES {
            return None;
        }
        let mut courses = [Course::default(); MOST_RANGES];
        for (range, side) in sides.iter().enumerate() {
            let values = ends.map(|end| end[range]);
            let is_held = |value: f64| if self.turns[range] { value.is_finite() } else { within(value, side) };
            if !values.into_iter().all(is_held) {
                return None;
            }
            courses[range] = Course::new(values[0], values[1]);
        }
        let mut around = [[0.0; 2]; MOST_RANGES];
        around[..sides.len()].copy_from_slice(sides);
        Walk { map: self, courses, around, wanted }.by_turns(0, part)
    }
}

fn within(value: f64, side: &[f64; 2]) -> bool {
    value >= side[0] && value <= side[1]
}

struct Walk<'m> {
    map: &'m Map,
    courses: [Course; MOST_RANGES],
    /// The box that the walk is in.
    around: [[f64; 2]; MOST_RANGES],
    wanted: f64,
}

impl Walk<'_> {
    /// Brings the joints that turn without limits, from `range` on, into their turn: every t is within half a turn of
    /// some multiple.
    fn by_turns(&mut self, range: usize, part: Part) -> Option<f64> {
        let Some(next) = (range..self.map.turns.len()).find(|&range| self.map.turns[range]) else {
            return self.below(0, part);
        };
        let course = self.courses[next];
        let ends = [course.start, course.start + course.step].map(|value| value / TAU);
        let [first, last] = [(least(ends[0], ends[1]) - 1e-6).round(), (most(ends[0], ends[1]) + 1e-6).round()];
        if !(last - first <= MOST_TURNS && most(first.abs(), last.abs()) < 1e6) {
            return None;
        }
        let mut lower = f64::INFINITY;
        let mut turns = first;
        while turns <= last {
            let turned = course.turned_back(turns);
            let [_, from] = turned.parts(part, -PI);
            if let Some(part) = from.and_then(|from| turned.parts(from, PI)[0]) {
                self.courses[next] = turned;
                lower = least(lower, self.by_turns(next + 1, part)?);
            }
            turns += 1.0;
        }
        self.courses[next] = course;
        (lower < f64::INFINITY).then_some(lower)
    }

    /// The least bound below a node.
    fn below(&mut self, node: u32, part: Part) -> Option<f64> {
        match self.map.nodes[node as usize] {
            Node::Apart { lower } => Some(f64::from(lower)).filter(|lower| *lower > self.wanted),
            Node::Inside | Node::Open => None,
            Node::Halved { range, first } => {
                let range = usize::from(range);
                let side = self.around[range];
                let halves = halves(side)?;
                let parts = self.courses[range].parts(part, halves[0][1]);
                let mut lower = f64::INFINITY;
                for (i, part) in parts.into_iter().enumerate() {
                    if let Some(part) = part {
                        self.around[range] = halves[i];
                        lower = least(lower, self.below(first + i as u32, part)?);
                    }
                }
                self.around[range] = side;
                (lower < f64::INFINITY).then_some(lower)
            }
        }
    }
}
