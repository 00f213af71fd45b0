//! Trajectories from waypoints, as in MoveIt's default chain: corners rounded by circular arcs, the fastest run along
//! that within speed and acceleration limits, a point every 0.1 s with velocities and accelerations.
//!
//! After time-optimal trajectory generation (Kunz and Stilman 2012), with the speed found on a grid by a pass forwards
//! and one backwards. Only points are kept: the experiment examines the motion between them.

use pathproof::robot::Knot;

/// Largest distance of the rounded path from a corner, in radians: MoveIt's default.
const DEVIATION: f64 = 0.1;
/// Time between points in seconds: MoveIt's default.
const PERIOD: f64 = 0.1;
/// Step of the grid along the path, in radians.
const STEP: f64 = 2e-3;

/// A part of the rounded path.
enum Part {
    /// From a point along a unit vector.
    Line { from: Vec<f64>, along: Vec<f64> },
    /// About a centre, from one unit vector towards another at right angles to it.
    Arc { centre: Vec<f64>, from: Vec<f64>, towards: Vec<f64>, radius: f64 },
}

/// The rounded path by its length.
struct Rounded {
    /// Each with its start.
    parts: Vec<(f64, Part)>,
    length: f64,
}

fn combine(a: &[f64], x: f64, b: &[f64], y: f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| x * a + y * b).collect()
}

fn norm(a: &[f64]) -> f64 {
    a.iter().map(|a| a * a).sum::<f64>().sqrt()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Rounded {
    fn new(waypoints: &[Vec<f64>]) -> Self {
        let mut points: Vec<&Vec<f64>> = Vec::new();
        for q in waypoints {
            if points.last().is_none_or(|last| norm(&combine(q, 1.0, last, -1.0)) > 1e-9) {
                points.push(q);
            }
        }
        let mut path = Self { parts: Vec::new(), length: 0.0 };
        let mut at = points[0].clone();
        for i in 1..points.len() {
            let corner = points[i];
            let before = combine(corner, 1.0, &at, -1.0);
            let along = combine(&before, 1.0 / norm(&before), &before, 0.0);
            let Some(next) = points.get(i + 1) else {
                path.line(&at, along, norm(&before));
                break;
            };
            let after = combine(next, 1.0, corner, -1.0);
            let out = combine(&after, 1.0 / norm(&after), &after, 0.0);
            let turn = dot(&along, &out).clamp(-1.0, 1.0).acos();
            if !(1e-6..=3.1).contains(&turn) {
                // Straight on; or back, which is a stop.
                path.line(&at, along, norm(&before));
                at.clone_from(corner);
                continue;
            }
            // The arc touches both lines this far from the corner.
            let widest = DEVIATION * (turn / 2.0).sin() / (1.0 - (turn / 2.0).cos());
            let cut = widest.min(norm(&before) / 2.0).min(norm(&after) / 2.0);
            let radius = cut / (turn / 2.0).tan();
            path.line(&at, along.clone(), norm(&before) - cut);
            let inwards = combine(&out, 1.0, &along, -dot(&along, &out));
            let inwards = combine(&inwards, 1.0 / norm(&inwards), &inwards, 0.0);
            let start = combine(corner, 1.0, &along, -cut);
            let centre = combine(&start, 1.0, &inwards, radius);
            let from = combine(&inwards, -1.0, &inwards, 0.0);
            path.parts.push((path.length, Part::Arc { centre, from, towards: along, radius }));
            path.length += radius * turn;
            at = combine(corner, 1.0, &out, cut);
        }
        path
    }

    fn line(&mut self, from: &[f64], along: Vec<f64>, length: f64) {
        if length > 0.0 {
            self.parts.push((self.length, Part::Line { from: from.to_vec(), along }));
            self.length += length;
        }
    }

    /// Position, and its first and second derivative by length.
    fn at(&self, length: f64) -> [Vec<f64>; 3] {
        let index = self.parts.partition_point(|(start, _)| *start <= length).max(1) - 1;
        let (start, part) = &self.parts[index];
        let s = length - start;
        match part {
            Part::Line { from, along } => [combine(from, 1.0, along, s), along.clone(), vec![0.0; from.len()]],
            Part::Arc { centre, from, towards, radius } => {
                let (sine, cosine) = (s / radius).sin_cos();
                let outwards = combine(from, cosine, towards, sine);
                [
                    combine(centre, 1.0, &outwards, *radius),
                    combine(towards, cosine, from, -sine),
                    combine(&outwards, -1.0 / radius, &outwards, 0.0),
                ]
            }
        }
    }
}

/// A point every 0.1 s along the rounded waypoints, from rest to rest; the same limits for all joints (per second, per
/// second squared).
pub(crate) fn parameterised(waypoints: &[Vec<f64>], speed: f64, acceleration: f64) -> Vec<Knot> {
    let path = Rounded::new(waypoints);
    let count = (path.length / STEP).ceil().max(2.0) as usize;
    let step = path.length / count as f64;
    let places: Vec<[Vec<f64>; 3]> =
        (0..=count).map(|i| path.at((i as f64 * step).min(path.length * (1.0 - 1e-12)))).collect();
    let largest = |v: &[f64]| v.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
    // Squares of the largest speed along the path, from the speed limits and from the acceleration that curvature
    // takes.
    let limit = |place: &[Vec<f64>; 3]| {
        let by_speed = speed / largest(&place[1]).max(1e-9);
        (by_speed * by_speed).min(0.5 * acceleration / largest(&place[2]).max(1e-9))
    };
    let mut squares: Vec<f64> = places.iter().map(limit).collect();
    (squares[0], squares[count]) = (0.0, 0.0);
    let gain = |i: usize, square: f64| {
        let left = (0..places[i][1].len())
            .filter(|&k| places[i][1][k].abs() > 1e-9)
            .map(|k| (acceleration - places[i][2][k].abs() * square).max(0.0) / places[i][1][k].abs());
        2.0 * step * left.fold(f64::INFINITY, f64::min)
    };
    for i in 1..=count {
        squares[i] = squares[i].min(squares[i - 1] + gain(i - 1, squares[i - 1]));
    }
    for i in (0..count).rev() {
        squares[i] = squares[i].min(squares[i + 1] + gain(i + 1, squares[i + 1]));
    }
    // Constant acceleration along the path between places of the grid.
    let mut times = vec![0.0; count + 1];
    for i in 0..count {
        times[i + 1] = times[i] + 2.0 * step / (squares[i].sqrt() + squares[i + 1].sqrt()).max(1e-9);
    }
    let total = times[count];
    let points = (total / PERIOD).ceil().max(1.0) as usize;
    let knot = |k: usize| {
        let time = (k as f64 * PERIOD).min(total);
        let i = times.partition_point(|t| *t <= time).clamp(1, count) - 1;
        let (from, rate) = (squares[i].sqrt(), (squares[i + 1] - squares[i]) / (2.0 * step));
        let since = time - times[i];
        let is_end = k == 0 || k == points;
        let speed = if is_end { 0.0 } else { from + rate * since };
        let rate = if is_end { 0.0 } else { rate };
        let length = (i as f64 * step + from * since + 0.5 * rate * since * since).min(path.length * (1.0 - 1e-12));
        let [mut position, first, second] = path.at(if k == points { path.length * (1.0 - 1e-12) } else { length });
        if k == points {
            position.clone_from(&waypoints[waypoints.len() - 1]);
        }
        Knot {
            time,
            positions: position,
            velocities: Some(first.iter().map(|d| d * speed).collect()),
            accelerations: Some(combine(&first, rate, &second, speed * speed)),
        }
    };
    (0..=points).map(knot).collect()
}
