//! The course of a trajectory: straight lines between waypoints, with parabolas that round the corners.
//!
//! A line's parameter s is the seconds that it takes if its fastest joint moves at its limit: its direction is d =
//! Δq/length with |d_k| ≤ v_k, so every line may be run at speed 1. The parabola at a corner is the Bézier curve with
//! the control points corner − L d₁, corner, corner + L d₂: q′ runs linearly from d₁ to d₂, q″ = (d₂ − d₁)/(2L), and it
//! misses the corner by L|d₁ − d₂|/4.

use pathproof::check::{Answer, Verdict};
use pathproof::robot::Knot;

use super::limits::Limits;
use super::{Corner, TimeError};

/// Shortest piece of a trajectory, in seconds. Times are whole nanoseconds; over a shorter piece their rounding would
/// show in the accelerations.
pub(super) const SHORTEST: f64 = 2e-3;

/// A corner whose parabola is shorter is a stop, in seconds at full speed.
pub(super) const SMALLEST: f64 = 1e-5;

/// Part of the limits that the design leaves unused, for the rounding of times to nanoseconds and all arithmetic.
const UNUSED: f64 = 1e-3;

/// The stretch before the first waypoint of a robot that moves at the start: the straight line on which it could stop.
#[derive(Debug)]
pub(super) struct Lead {
    pub(super) velocities: Vec<f64>,
    /// Seconds until it would come to rest.
    seconds: f64,
}

impl Lead {
    /// `None` for a robot at rest. Slowing down evenly takes T = max |v_k|/a_k.
    pub(super) fn new(limits: &Limits, velocities: Option<&[f64]>) -> Option<Self> {
        let velocities = velocities.filter(|list| list.iter().any(|v| *v != 0.0))?.to_vec();
        let seconds = velocities.iter().zip(&limits.acceleration).map(|(v, a)| v.abs() / (a * (1.0 - 2.0 * UNUSED)));
        let seconds = seconds.fold(10.0 * SHORTEST, f64::max);
        Some(Self { velocities, seconds })
    }

    /// Configuration in which it would come to rest.
    fn stop(&self, start: &[f64]) -> Vec<f64> {
        start.iter().zip(&self.velocities).map(|(q, v)| q + 0.5 * self.seconds * v).collect()
    }
}

/// A line from one corner to the next.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// In seconds at full speed.
    pub(super) length: f64,
    /// Change of every joint value per second at full speed.
    pub(super) direction: Vec<f64>,
    /// The largest change of speed per second.
    pub(super) acceleration: f64,
}

/// The corner between two lines.
#[derive(Clone, Debug)]
pub(super) struct Bend {
    /// Half the length of its parabola; 0 for a stop.
    pub(super) half: f64,
    /// Largest |d₂ − d₁|_k/a_k: the parabola at speed w needs w²/(2·half) of it.
    sharpness: f64,
    /// Largest |d₂ − d₁|_k.
    pub(super) turn: f64,
}

/// Lines and corners.
#[derive(Debug)]
pub(super) struct Course {
    /// Ends of the lines, without repetitions.
    pub(super) points: Vec<Vec<f64>>,
    /// Numbers of the points among the waypoints.
    waypoints: Vec<usize>,
    pub(super) lines: Vec<Line>,
    /// One per point; those at the ends are stops.
    pub(super) bends: Vec<Bend>,
    /// Speed at the start.
    pub(super) first_speed: f64,
    /// Velocities at the start, one per joint value.
    pub(super) first_velocities: Vec<f64>,
    /// Share of the accelerations that is used, per line.
    pub(super) shares: Vec<f64>,
}

impl Course {
    pub(super) fn new(waypoints: &[Vec<f64>], limits: &Limits, lead: Option<&Lead>) -> Self {
        let mut points = vec![waypoints[0].clone()];
        let mut numbers = vec![0];
        let rest = waypoints.iter().enumerate().skip(1).map(|(number, q)| (number, q.clone()));
        for (number, q) in lead.iter().map(|lead| (0, lead.stop(&waypoints[0]))).chain(rest) {
            if q != points[points.len() - 1] {
                points.push(q);
                numbers.push(number);
            }
        }
        let lines: Vec<Line> = points.windows(2).map(|ends| Line::new(&ends[0], &ends[1], limits)).collect();
        let bend = |i: usize| match (i.checked_sub(1).and_then(|before| lines.get(before)), lines.get(i)) {
            (Some(before), Some(after)) => Bend::new(before, after, limits),
            _ => Bend { half: 0.0, sharpness: 0.0, turn: 0.0 },
        };
        let bends = (0..points.len()).map(bend).collect();
        let shares = vec![1.0 - UNUSED; lines.len()];
        let first_speed = lead.zip(lines.first()).map_or(0.0, |(lead, line)| 2.0 * line.length / lead.seconds);
        let first_velocities = lead.map_or_else(|| vec![0.0; points[0].len()], |lead| lead.velocities.clone());
        Self { points, waypoints: numbers, lines, bends, first_speed, first_velocities, shares }
    }

    /// Length of the straight part of a line.
    pub(super) fn straight(&self, line: usize) -> f64 {
        self.lines[line].length - self.bends[line].half - self.bends[line + 1].half
    }

    /// Upper bound on the speed at a corner, without its neighbours.
    pub(super) fn upper_speed(&self, corner: usize) -> f64 {
        let Bend { half, sharpness, .. } = self.bends[corner];
        if half == 0.0 {
            return 0.0;
        }
        let share = self.shares[corner - 1].min(self.shares[corner]);
        (2.0 * half * share / sharpness).sqrt().min(2.0 * half / SHORTEST).min(1.0 - UNUSED)
    }

    /// Both ends of a corner's parabola.
    pub(super) fn ends(&self, corner: usize, half: f64) -> [Vec<f64>; 2] {
        let along = |line: usize, s: f64| {
            self.points[corner].iter().zip(&self.lines[line].direction).map(|(q, d)| q + s * d).collect()
        };
        [along(corner - 1, -half), along(corner, half)]
    }

    /// Uses a smaller share of the limits around the time at which they are exceeded.
    pub(super) fn slow_down(&mut self, knots: &[Knot], time: f64) -> Result<(), TimeError> {
        let line = self.line_at(knots, time);
        let waypoint = self.waypoints[line];
        for share in &mut self.shares[line.saturating_sub(1)..(line + 2).min(self.lines.len())] {
            *share *= 0.9;
            if *share < 0.01 {
                return Err(TimeError::TooDense { waypoint });
            }
        }
        Ok(())
    }

    /// Tightens the corner at which the executed curve is not free; false if there is none to tighten.
    pub(super) fn tighten(&mut self, knots: &[Knot], answer: &Answer) -> bool {
        let (segment, t) = match &answer.verdict {
            Verdict::Collision(found) | Verdict::TooClose(found) => (found.segment, found.t),
            Verdict::Undecided(open) => (open.segment, open.interval[0]),
            Verdict::Free(_) => return false,
        };
        let Some(pair) = knots.get(segment..segment + 2) else { return false };
        let line = self.line_at(knots, pair[0].time + t * (pair[1].time - pair[0].time));
        let near = [line, line + 1].into_iter().filter(|&corner| self.bends[corner].half > 0.0);
        let Some(corner) = near.max_by(|a, b| self.bends[*a].half.total_cmp(&self.bends[*b].half)) else {
            return false;
        };
        self.halve(corner);
        true
    }

    /// Tightens a corner.
    pub(super) fn halve(&mut self, corner: usize) {
        let half = 0.5 * self.bends[corner].half;
        self.bends[corner].half = if half > SMALLEST { half } else { 0.0 };
    }

    /// The line that is run at a time: the one with its ends nearest to the knots around that time.
    fn line_at(&self, knots: &[Knot], time: f64) -> usize {
        let after = knots.partition_point(|knot| knot.time <= time).clamp(1, knots.len() - 1);
        let [a, b] = [&knots[after - 1].positions, &knots[after].positions];
        let middle: Vec<f64> = a.iter().zip(b).map(|(a, b)| 0.5 * (a + b)).collect();
        let apart = |line: usize| {
            let (start, Line { length, direction, .. }) = (&self.points[line], &self.lines[line]);
            let offset = || middle.iter().zip(start).map(|(q, p)| q - p);
            let square: f64 = direction.iter().map(|d| d * d).sum();
            let s = (offset().zip(direction).map(|(o, d)| o * d).sum::<f64>() / square).clamp(0.0, *length);
            offset().zip(direction).map(|(o, d)| (o - s * d).powi(2)).sum::<f64>()
        };
        (0..self.lines.len()).min_by(|a, b| apart(*a).total_cmp(&apart(*b))).unwrap_or(0)
    }

    /// Deviation at each inner waypoint.
    pub(super) fn corners(&self) -> Vec<Corner> {
        let inner = 1..self.points.len().saturating_sub(1);
        let corner = |i: usize| Corner {
            waypoint: self.waypoints[i],
            deviation: 0.25 * self.bends[i].half * self.bends[i].turn,
        };
        inner.map(corner).collect()
    }
}

impl Line {
    fn new(from: &[f64], to: &[f64], limits: &Limits) -> Self {
        let change = || from.iter().zip(to).map(|(a, b)| b - a);
        let length = change().zip(&limits.velocity).map(|(d, v)| d.abs() / v).fold(0.0, f64::max);
        let direction: Vec<f64> = change().map(|d| d / length).collect();
        let rates = direction.iter().zip(&limits.acceleration).filter(|(d, _)| **d != 0.0).map(|(d, a)| a / d.abs());
        Self { length, acceleration: rates.fold(f64::INFINITY, f64::min), direction }
    }
}

impl Bend {
    fn new(before: &Line, after: &Line, limits: &Limits) -> Self {
        let turns = || before.direction.iter().zip(&after.direction).map(|(a, b)| (b - a).abs());
        let sharpness = turns().zip(&limits.acceleration).map(|(turn, a)| turn / a).fold(0.0, f64::max);
        Self { half: 0.0, sharpness, turn: turns().fold(0.0, f64::max) }
    }
}
