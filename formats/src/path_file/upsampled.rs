//! Positions alone as joint_trajectory_controller upsamples them: one spline at rest at both ends, with generated times
//! if the file has none (docs/path-file.md).

use std::path::Path;

use super::execution::{current_state, refusal, start_note};
use super::{Execution, PathPoints};
use crate::FormatError;
use pathproof::path::Motion;
use pathproof::scene::Scene;

impl PathPoints {
    /// Motion that a controller runs with `positions_upsampling`.
    pub(super) fn upsampled(
        mut self,
        scene: &Scene,
        how: &Execution,
        notes: &mut Vec<String>,
        file: &Path,
    ) -> Result<Motion, FormatError> {
        self.require_upsampling(how, file)?;
        self.times = self.upsampled_times(how, notes, file)?;
        let Some(knots) = self.knots() else { return Ok(self.lines()) };
        let current = current_state(scene, how, &knots[0], notes, file)?.map(|current| current.positions);
        let (points, first_time) = (knots.len(), knots[0].time);
        let motion = Motion::upsampled(scene.model(), knots, current).map_err(|error| refusal(&error, file))?;
        notes.extend(start_note(&motion, points, first_time));
        Ok(motion)
    }

    /// Refuses paths that the controller does not upsample.
    fn require_upsampling(&self, how: &Execution, file: &Path) -> Result<(), FormatError> {
        let wrong = |problem: &str, remedy: &str| Err(FormatError::new(file, problem).remedy(remedy));
        if self.derivatives.is_some() {
            return wrong(
                "the trajectory has velocities or accelerations, and the controller upsamples positions alone: it runs \
                 these points as they are",
                "pass --interpolation controller, or leave them out of the file",
            );
        }
        if self.is_action_goal {
            return wrong(
                "this is the goal of an action, and the controller upsamples messages on its topic only: it runs straight \
                 lines",
                "pass --interpolation controller, or give the JointTrajectory that is published",
            );
        }
        let velocities = how.from.as_ref().and_then(|from| from.velocities.as_ref());
        if velocities.is_some_and(|all| all.iter().any(|velocity| *velocity != 0.0)) {
            return wrong(
                "the robot moves at the start (--from), and versions of the controller differ in how an upsampled \
                 trajectory goes on from there",
                "give --from without velocities, for a robot at rest",
            );
        }
        Ok(())
    }

    /// Times of the points; `None` if a single point is a configuration.
    fn upsampled_times(
        &self,
        how: &Execution,
        notes: &mut Vec<String>,
        file: &Path,
    ) -> Result<Option<Vec<f64>>, FormatError> {
        // In messages, all zero means no times.
        let given = self.times.clone().filter(|times| times.iter().any(|time| *time != 0.0));
        match (given, how.policy_frequency) {
            (Some(times), frequency) => {
                notes.extend(frequency.map(|_| {
                    "the points have times, which the controller keeps: the policy frequency is not used".to_owned()
                }));
                Ok(Some(times))
            }
            (None, Some(frequency)) if frequency > 0.0 && frequency.is_finite() => {
                notes.push(format!(
                    "the points have no times: the controller takes one per period of its policy frequency, {frequency} Hz"
                ));
                Ok(Some(policy_times(self.waypoints.len(), frequency)))
            }
            (None, Some(frequency)) => Err(FormatError::new(file, format!("the policy frequency is {frequency} Hz"))
                .remedy("give a positive number of points per second")),
            (None, None) if self.waypoints.len() == 1 && how.from.is_none() => Ok(None),
            (None, None) => Err(FormatError::new(
                file,
                "the waypoints have no times, and without a policy frequency the controller makes none up",
            )
            .remedy("write time_from_start for all points, or pass --policy-frequency HZ")),
        }
    }
}

/// Times of points without any: one per period starting after one period, in whole nanoseconds, rounded down.
fn policy_times(count: usize, frequency: f64) -> Vec<f64> {
    let period = 1.0 / frequency;
    (1..=count).map(|i| (i as f64 * period * 1e9).trunc() / 1e9).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_times_start_one_period_ahead_in_whole_nanoseconds() {
        assert_eq!(policy_times(3, 30.0), [0.033333333, 0.066666666, 0.1]);
        assert_eq!(policy_times(2, 10.0), [0.1, 0.2]);
    }
}
