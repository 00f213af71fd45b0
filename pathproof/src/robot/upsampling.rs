//! Velocities that joint_trajectory_controller gives to positions alone, with its option `positions_upsampling`
//! (docs/path-file.md).
//!
//! Velocities are those of the cubic spline through the points that rests at both ends: for steps h they solve
//! v_{i−1}/h_{i−1} + 2 (1/h_{i−1} + 1/h_i) v_i + v_{i+1}/h_i = 3 ((q_{i+1} − q_i)/h_i² + (q_i − q_{i−1})/h_{i−1}²), by
//! the same elimination as in the controller. The residual bounds their distance from the solution, and so from any
//! other rounding of it.

use crate::numeric::{ROUNDOFF_F64, add_up, most};

/// Velocities at the points of one joint, and an upper bound on their error.
pub(super) fn rest_to_rest(steps: &[f64], values: &[f64]) -> (Vec<f64>, f64) {
    let n = steps.len();
    let rise = |i: usize| values[i + 1] - values[i];
    let diagonal = |i: usize| 2.0 * (1.0 / steps[i - 1] + 1.0 / steps[i]);
    let right = |i: usize| 3.0 * (rise(i) / (steps[i] * steps[i]) + rise(i - 1) / (steps[i - 1] * steps[i - 1]));
    let (mut velocities, mut factors) = (vec![0.0; n + 1], vec![0.0; n + 1]);
    for i in 1..n {
        let pivot = diagonal(i) - 1.0 / steps[i - 1] * factors[i - 1];
        factors[i] = 1.0 / steps[i] / pivot;
        velocities[i] = (right(i) - 1.0 / steps[i - 1] * velocities[i - 1]) / pivot;
    }
    for i in (1..n).rev() {
        velocities[i] -= factors[i] * velocities[i + 1];
    }
    // The diagonal exceeds the rest of its row by 1/h_{i−1} + 1/h_i: no velocity is off by more than the largest
    // residual over that.
    let mut error = 0.0;
    for i in 1..n {
        let terms = [
            velocities[i - 1] / steps[i - 1],
            diagonal(i) * velocities[i],
            velocities[i + 1] / steps[i],
            -3.0 * rise(i) / (steps[i] * steps[i]),
            -3.0 * rise(i - 1) / (steps[i - 1] * steps[i - 1]),
        ];
        let residual: f64 = terms.iter().sum();
        let sizes = terms.iter().fold(0.0, |sum, term| sum + term.abs());
        let bound = add_up(residual.abs(), 32.0 * ROUNDOFF_F64 * sizes) / (1.0 / steps[i - 1] + 1.0 / steps[i]);
        error = most(error, bound * (1.0 + 1e-9));
    }
    (velocities, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bump over five points, 0.1 s apart, with equations solved by hand.
    #[test]
    fn velocities_are_those_of_the_spline_at_rest_at_both_ends() {
        let (velocities, error) = rest_to_rest(&[0.1; 4], &[0.0, 0.1, 0.2, 0.1, 0.0]);
        // 4 v1 + v2 = 6, v1 + 4 v2 + v3 = 0, v2 + 4 v3 = -6.
        for (found, exact) in velocities.iter().zip([0.0, 1.5, 0.0, -1.5, 0.0]) {
            assert!((found - exact).abs() < 1e-14 && error < 1e-13, "{velocities:?} {error}");
        }
        assert_eq!(rest_to_rest(&[0.5; 3], &[0.7; 4]), (vec![0.0; 4], 0.0));
        assert_eq!(rest_to_rest(&[0.5], &[0.0, 1.0]), (vec![0.0; 2], 0.0));
    }

    /// Results of `fill_cubic_spline_velocities` of ros2_controllers for these points, to the last bit.
    #[test]
    fn velocities_are_the_controllers_own() {
        let times = [0.0, 0.25, 0.333333333, 0.9, 1.000000001, 2.75];
        let steps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let (velocities, error) = rest_to_rest(&steps, &[0.1, -0.45, 0.8, 0.81, 0.2, -1.3]);
        let golden = [0.0, 10.20331269738723, 15.591166356309552, -6.551778987454867, -5.626088999950532, 0.0];
        assert_eq!(velocities, golden);
        assert!(error < 1e-12, "{error}");
    }
}
