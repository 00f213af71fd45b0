//! One trajectory among the agents: distances over time, and time gaps at shared places.
//!
//! Proofs cover stretches of the trajectory between its own poses; measurements belong to the samples.

use anyhow::Result;
use pathproof::numeric::{f32_down, f32_up, least};
use pathproof_traffic::{Agent, Traffic, TrafficScratch};

use super::blob::Blob;
use super::clearance::{Clearance, MOST_LINES};

/// Maximum number of stretches of a trajectory with displayed bounds.
const MOST_STRETCHES: usize = 80;
/// Target difference of the bounds of a stretch: metres and seconds.
const FINE: [f64; 2] = [0.01, 0.01];

/// Subject: the body as an agent, and its opponents by their numbers.
pub(super) struct Subject {
    pub(super) body: Agent,
    pub(super) against: Vec<usize>,
}

/// Bounds over a stretch; infinite if no agent is there, or none ever passes through the same place.
#[derive(Clone, Copy)]
pub(super) struct Stretch {
    pub(super) until: f64,
    pub(super) lower: f64,
    /// Lower and upper bound, in seconds.
    pub(super) gap: [f64; 2],
}

/// Nearest approach of an agent.
pub(super) struct Near {
    /// Its number among all.
    pub(super) agent: usize,
    /// Proven bound, if requested.
    pub(super) lower: Option<f64>,
    pub(super) upper: f64,
    pub(super) time: f64,
}

/// Everything about a subject but its verdict.
pub(super) struct Measured {
    pub(super) stretches: Vec<Stretch>,
    /// Nearest first.
    pub(super) near: Vec<Near>,
    /// At each sample: upper bound on the distance to the nearest agent, and the number of that agent.
    rows: Vec<(f64, usize)>,
    /// Same for each of the nearest agents.
    lines: Vec<(usize, Vec<f64>)>,
}

impl Subject {
    /// First and last time of the trajectory.
    pub(super) fn span(&self) -> [f64; 2] {
        let times = self.body.trajectory().times();
        [times[0], times[times.len() - 1]]
    }

    /// Proven bounds for each stretch.
    pub(super) fn stretches(&self, agents: &[Agent], scratch: &mut TrafficScratch) -> Result<Vec<Stretch>> {
        // A region is not a body that can be checked.
        if self.body.is_uncertain() {
            return Ok(Vec::new());
        }
        let traffic = Traffic::new(self.against.iter().map(|number| agents[*number].clone()).collect())?;
        let (compound, whole) = (self.body.compound(), self.body.trajectory());
        let pieces = whole.pieces();
        let step = pieces.div_ceil(MOST_STRETCHES).max(1);
        let ends = (0..pieces.max(1)).step_by(step).map(|first| [first, (first + step).min(pieces)]);
        let mut stretches = Vec::new();
        for knots in ends {
            let part = whole.between_knots(knots);
            let distance = traffic.smallest_distance(compound, &part, FINE[0], scratch)?;
            let gap = traffic.smallest_time_gap(compound, &part, [FINE[1], FINE[0]], scratch)?;
            stretches.push(Stretch {
                until: whole.times()[knots[1]],
                lower: distance.map_or(f64::INFINITY, |found| found.lower),
                gap: gap.map_or([f64::INFINITY; 2], |found| [found.lower, found.upper]),
            });
        }
        Ok(stretches)
    }

    /// Distances at the samples, and proven bounds of the nearest agents over all times if `proves`.
    pub(super) fn measure(
        &self,
        agents: &[Agent],
        times: &[f64],
        (stretches, proves): (Vec<Stretch>, bool),
        scratch: &mut TrafficScratch,
    ) -> Result<Measured> {
        let of_agent = |number: usize| -> Vec<f64> {
            let distance = |time: &f64| self.body.distance_at(&agents[number], *time);
            times.iter().map(|time| distance(time).map_or(f64::INFINITY, |found| found.upper)).collect()
        };
        let mut all: Vec<(usize, Vec<f64>)> = self.against.iter().map(|number| (*number, of_agent(*number))).collect();
        let nearest = |line: &[f64]| line.iter().copied().fold(f64::INFINITY, f64::min);
        all.retain(|(_, line)| nearest(line).is_finite());
        all.sort_by(|x, y| nearest(&x.1).total_cmp(&nearest(&y.1)).then(x.0.cmp(&y.0)));
        let rows = (0..times.len()).map(|sample| {
            let found = all.iter().map(|(agent, line)| (line[sample], *agent)).min_by(|x, y| x.0.total_cmp(&y.0));
            found.unwrap_or((f64::INFINITY, 0))
        });
        let rows = rows.collect();
        let mut near = Vec::new();
        for (place, (agent, line)) in all.iter().enumerate() {
            let upper = nearest(line);
            let at = line.iter().position(|distance| *distance == upper).unwrap_or(0);
            let mut found = Near { agent: *agent, lower: None, upper, time: times[at] };
            if proves && place < MOST_LINES && !self.body.is_uncertain() {
                let alone = Traffic::new(vec![agents[*agent].clone()])?;
                let (compound, whole) = (self.body.compound(), self.body.trajectory());
                if let Some(proven) = alone.smallest_distance(compound, whole, 0.1 * FINE[0], scratch)? {
                    found.lower = Some(proven.lower);
                    if proven.upper < found.upper {
                        (found.upper, found.time) = (proven.upper, proven.finding.time);
                    }
                }
            }
            near.push(found);
        }
        all.truncate(MOST_LINES);
        Ok(Measured { stretches, near, rows, lines: all })
    }
}

impl Measured {
    /// Data for the page: `from` is the first sample of the trajectory, `along` maps a time to its sample.
    pub(super) fn clearance(&self, from: f64, along: impl Fn(f64) -> f64, blob: &mut Blob) -> Clearance {
        Clearance {
            from,
            until: blob.doubles(self.stretches.iter().map(|stretch| along(stretch.until))),
            lower: blob.singles(self.stretches.iter().map(|stretch| f32_down(stretch.lower))),
            pair: blob.words([]),
            measured: blob.doubles((0..self.rows.len()).map(|sample| sample as f64)),
            upper: blob.singles(self.rows.iter().map(|row| f32_up(row.0))),
            nearest: blob.words(self.rows.iter().map(|row| row.1 as u32)),
            lines: self
                .lines
                .iter()
                .map(|(agent, line)| (*agent, blob.singles(line.iter().map(|upper| f32_up(*upper)))))
                .collect(),
        }
    }

    /// Time gaps for the page, as steps. `None` if no place is shared, or only at the same time.
    pub(super) fn gaps(&self, from: f64, along: impl Fn(f64) -> f64, blob: &mut Blob) -> Option<Clearance> {
        if !self.stretches.iter().any(|stretch| stretch.gap[1].is_finite() && stretch.gap[1] > 0.0) {
            return None;
        }
        let mut starts = vec![from];
        starts.extend(self.stretches.iter().map(|stretch| along(stretch.until)));
        let ends = starts.windows(2).flat_map(|two| [two[0], two[1]]);
        Some(Clearance {
            from,
            until: blob.doubles(starts[1..].iter().copied()),
            lower: blob.singles(self.stretches.iter().map(|stretch| f32_down(stretch.gap[0]))),
            pair: blob.words([]),
            measured: blob.doubles(ends),
            upper: blob.singles(self.stretches.iter().flat_map(|stretch| [f32_up(stretch.gap[1]); 2])),
            nearest: blob.words([]),
            lines: Vec::new(),
        })
    }

    /// Least proven bound over all stretches.
    pub(super) fn least(&self) -> Option<f64> {
        self.stretches.iter().map(|stretch| stretch.lower).reduce(least).filter(|lower| lower.is_finite())
    }
}
