//! Upper bounds on the motion of a point that a frame carries, relative to any other frame (docs/design.md#balls).
//! Nothing here is ever below the truth, rounding included.

use crate::numeric::{DVec3, ROUNDOFF_F64};

use super::bounds::axis_in_world;
use super::kinematics::Kinematics;
use super::model::Model;
use super::motion::SegmentMotion;
use super::rates::{Constant, Rates, Varying};

/// A point that a frame carries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carried {
    /// Its position at m, in the world, as computed by kinematics.
    pub(crate) point: DVec3,
    /// Upper bound on its distance from the frame's origin.
    pub(crate) radius: f64,
    pub(crate) frame: usize,
}

/// Upper bound on how far a point gets over the cell of length `length` from its position at m, relative to the frame
/// `seer`; `ancestor` is the lowest frame above both.
///
/// Relative to the seer, a chain of joints carries the point: those from the seer up to the ancestor, backwards, then
/// those down to the point's frame. Move them one after the other, the one next to the seer first. Each displaces the
/// point from its position at m by at most τ (l_k + a_k d_k), with d_k its distance from axis k at m. The joints that
/// moved before carry that rigidly, as in [`super::bounds::cell`]. No radius of a body enters: a ball follows its
/// centre.
pub(crate) fn upper_displacement_of(
    model: &Model,
    motion: &SegmentMotion,
    kinematics: &mut Kinematics,
    carried: &Carried,
    seer: usize,
    ancestor: usize,
    length: f64,
) -> f64 {
    kinematics.world_from_frame(model, carried.frame);
    kinematics.world_from_frame(model, seer);
    let (sums, sums_of_seer) = (&motion.rate(carried.frame).from_world, &motion.rate(seer).from_world);
    // Error of the distance between the computed point and a computed axis, whichever of both frames has that axis.
    let reach = sums.offset + carried.radius + sums_of_seer.offset;
    let rotation_error = sums.rotation_error + sums_of_seer.rotation_error;
    let error = 4.0 * (rotation_error * reach + sums.position_error + sums_of_seer.position_error) + 1e-150;
    let upper_speed = if motion.is_curved() {
        kinematics.bound_rates(model, motion, length);
        upper_speed_of(model, motion, kinematics, Varying(kinematics.cell_rates()), carried, seer, ancestor, error)
    } else {
        upper_speed_of(model, motion, kinematics, Constant(motion), carried, seer, ancestor, error)
    };
    let depths = model.frames()[carried.frame].depth + model.frames()[seer].depth;
    length / 2.0 * upper_speed * (1.0 + 16.0 * ROUNDOFF_F64 * (depths + 8) as f64)
}

/// Σ_k (l_k + a_k d_k) over the joints between the point's frame and the seer, for one of the two kinds of rates.
#[allow(clippy::too_many_arguments)]
#[inline(always)]
fn upper_speed_of<R: Rates>(
    model: &Model,
    motion: &SegmentMotion,
    kinematics: &Kinematics,
    rates: R,
    carried: &Carried,
    seer: usize,
    ancestor: usize,
    error: f64,
) -> f64 {
    let mut upper_speed = 0.0;
    for mut frame in [carried.frame, seer] {
        while frame != ancestor {
            assert!(frame > ancestor, "frame {ancestor} is not above the point and its seer");
            let rate = motion.rate(frame);
            let [upper_linear, upper_angular] = rates.speeds(frame, rate);
            // NaN stays NaN.
            if upper_angular != 0.0 {
                let arm = carried.point - kinematics.known_pose(frame).translation;
                let axis = axis_in_world(model, kinematics, rate, frame);
                upper_speed += upper_angular * (axis.cross(arm).length() + error);
                // The axis itself has that error.
                if rate.angular_error != 0.0 {
                    upper_speed += rate.angular_error * (arm.length() + error);
                }
            }
            upper_speed += upper_linear;
            frame = model.frames()[frame].parent;
        }
    }
    upper_speed
}
