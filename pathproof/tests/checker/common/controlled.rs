//! Values by the formulas of joint_trajectory_controller, in powers of time: for samples that share nothing with the library.

use pathproof::robot::{Knot, Model, VariableKind};

use super::Oracle;

/// The value of a joint, `time` after the first point: by powers, as the controller computes them.
fn value([from, to]: &[Knot; 2], i: usize, time: f64) -> f64 {
    let d = to.time - from.time;
    let (p0, p1) = (from.positions[i], to.positions[i]);
    let rate = |list: &Option<Vec<f64>>| list.as_ref().map(|list| list[i]);
    let [v0, v1, a0, a1] = [&from.velocities, &to.velocities, &from.accelerations, &to.accelerations].map(rate);
    let c = match (v0.zip(v1), a0.zip(a1)) {
        (None, _) => [p0, (p1 - p0) / d, 0.0, 0.0, 0.0, 0.0],
        (Some((v0, v1)), None) => {
            let rise = p1 - p0;
            [p0, v0, (3.0 * rise - (2.0 * v0 + v1) * d) / (d * d), ((v0 + v1) * d - 2.0 * rise) / d.powi(3), 0.0, 0.0]
        }
        (Some((v0, v1)), Some((a0, a1))) => [
            p0,
            v0,
            a0 / 2.0,
            (20.0 * (p1 - p0) - (3.0 * a0 - a1) * d * d - (12.0 * v0 + 8.0 * v1) * d) / (2.0 * d.powi(3)),
            (30.0 * (p0 - p1) + (3.0 * a0 - 2.0 * a1) * d * d + (16.0 * v0 + 14.0 * v1) * d) / (2.0 * d.powi(4)),
            (12.0 * (p1 - p0) + (a1 - a0) * d * d - 6.0 * (v0 + v1) * d) / (2.0 * d.powi(5)),
        ],
    };
    c.iter().rev().fold(0.0, |sum, c| sum * time + c)
}

/// The configuration between two points, t from 0 to 1; quaternions along the shortest arc.
pub(crate) fn configuration(oracle: &Oracle, model: &Model, ends: &[Knot; 2], t: f64) -> Vec<f64> {
    let mut q = oracle.interpolate(&ends[0].positions, &ends[1].positions, t);
    for (i, q) in q.iter_mut().enumerate().filter(|(i, _)| model.variables()[*i].kind != VariableKind::Quaternion) {
        *q = value(ends, i, t * (ends[1].time - ends[0].time));
    }
    q
}
