//! The positions that a trajectory controller commands, by the formulas of its source, sampled densely. Shares nothing with
//! the program: a sample that touches refutes `free`, and no sample proves it.

use super::cells::Place;

/// Samples per segment.
const SAMPLES: usize = 4000;

/// A point of a trajectory.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) time: f64,
    pub(super) q: Vec<f64>,
    pub(super) v: Option<Vec<f64>>,
    pub(super) a: Option<Vec<f64>>,
}

pub(super) fn point(time: f64, q: &[f64]) -> Point {
    Point { time, q: q.to_vec(), v: None, a: None }
}

impl Point {
    pub(super) fn v(self, v: &[f64]) -> Self {
        Self { v: Some(v.to_vec()), ..self }
    }

    pub(super) fn a(self, a: &[f64]) -> Self {
        Self { a: Some(a.to_vec()), ..self }
    }
}

/// Coefficients of powers of the time since the first point, of one joint.
fn coefficients(place: Place, from: &Point, to: &Point, i: usize) -> [f64; 6] {
    let d = to.time - from.time;
    let (p0, p1) = (from.q[i], to.q[i]);
    let mut c = [p0, 0.0, 0.0, 0.0, 0.0, 0.0];
    match (&from.v, &to.v, &from.a, &to.a) {
        _ if place.is_straight(i) => c[1] = (p1 - p0) / d,
        (Some(v0), Some(v1), Some(a0), Some(a1)) => {
            let [v0, v1, a0, a1] = [v0[i], v1[i], a0[i], a1[i]];
            c[1] = v0;
            c[2] = 0.5 * a0;
            let d2 = d * d;
            c[3] = (20.0 * (p1 - p0) - 3.0 * a0 * d2 + a1 * d2 - 12.0 * v0 * d - 8.0 * v1 * d) / (2.0 * d2 * d);
            c[4] = (30.0 * (p0 - p1) + 3.0 * a0 * d2 - 2.0 * a1 * d2 + 16.0 * v0 * d + 14.0 * v1 * d) / (2.0 * d2 * d2);
            c[5] = (12.0 * (p1 - p0) - a0 * d2 + a1 * d2 - 6.0 * v0 * d - 6.0 * v1 * d) / (2.0 * d2 * d2 * d);
        }
        (Some(v0), Some(v1), ..) => {
            let (v0, v1) = (v0[i], v1[i]);
            c[1] = v0;
            c[2] = (3.0 * (p1 - p0) - 2.0 * v0 * d - v1 * d) / (d * d);
            c[3] = (2.0 * (p0 - p1) + v0 * d + v1 * d) / (d * d * d);
        }
        _ => c[1] = (p1 - p0) / d,
    }
    c
}

/// Configurations between points, both ends included.
pub(super) fn run(place: Place, points: &[Point]) -> Vec<Vec<f64>> {
    let mut all = vec![points[0].q.clone()];
    for pair in points.windows(2) {
        let joints: Vec<[f64; 6]> = (0..pair[0].q.len()).map(|i| coefficients(place, &pair[0], &pair[1], i)).collect();
        for k in 1..=SAMPLES {
            let t = (pair[1].time - pair[0].time) * k as f64 / SAMPLES as f64;
            all.push(joints.iter().map(|c| c.iter().rev().fold(0.0, |sum, c| sum * t + c)).collect());
        }
    }
    all
}

/// From the current state, as newer versions run it (missing rates are 0) and as older ones do.
pub(super) fn run_from(place: Place, current: Point, points: &[Point]) -> Vec<Vec<f64>> {
    let zeros = vec![0.0; current.q.len()];
    let newer = Point {
        v: Some(current.v.clone().unwrap_or_else(|| zeros.clone())),
        a: Some(current.a.clone().unwrap_or(zeros)),
        ..current.clone()
    };
    let mut all = run(place, points);
    for state in [newer, current] {
        all.extend(run(place, &[state, points[0].clone()]));
    }
    all
}

/// Points with the velocities of the cubic spline through them: at rest at both ends, or without bending there.
pub(super) fn spline(points: &[Point], is_at_rest: bool) -> Vec<Point> {
    let n = points.len() - 1;
    let h = |i: usize| points[i + 1].time - points[i].time;
    let mut made = points.to_vec();
    made.iter_mut().for_each(|point| point.v = Some(vec![0.0; point.q.len()]));
    for joint in 0..points[0].q.len() {
        let rise = |i: usize| (points[i + 1].q[joint] - points[i].q[joint]) / h(i);
        // Rows of a dense system, the right side last.
        let mut rows = vec![vec![0.0; n + 2]; n + 1];
        for i in 1..n {
            rows[i][i - 1] = 1.0 / h(i - 1);
            rows[i][i] = 2.0 / h(i - 1) + 2.0 / h(i);
            rows[i][i + 1] = 1.0 / h(i);
            rows[i][n + 1] = 3.0 * (rise(i - 1) / h(i - 1) + rise(i) / h(i));
        }
        for (end, inner, slope) in [(0, 1, rise(0)), (n, n - 1, rise(n - 1))] {
            rows[end][end] = if is_at_rest { 1.0 } else { 2.0 };
            rows[end][inner] = if is_at_rest { 0.0 } else { 1.0 };
            rows[end][n + 1] = if is_at_rest { 0.0 } else { 3.0 * slope };
        }
        for (point, velocity) in made.iter_mut().zip(solved(rows)) {
            point.v.as_mut().expect("all have some")[joint] = velocity;
        }
    }
    made
}

/// Gauss and Jordan, without exchange of rows: diagonals are large.
fn solved(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    for i in 0..rows.len() {
        let pivot = rows[i][i];
        rows[i].iter_mut().for_each(|value| *value /= pivot);
        let own = rows[i].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(k, _)| *k != i) {
            let factor = row[i];
            row.iter_mut().zip(&own).for_each(|(value, own)| *value -= factor * own);
        }
    }
    rows.iter().map(|row| row[row.len() - 1]).collect()
}
