//! Upper bounds on the motion of a body when joints leave a configuration by given amounts (docs/design.md#regions).
//!
//! Move the joints one after the other, the one nearest to the base first. When joint k moves by δ_k, all joints
//! beyond it are still at the old configuration. So the body is at its distance ρ_k from axis k in that configuration,
//! carried rigidly by the joints that moved before. It moves by at most |δ_k| ρ_k, or |δ_k| if the joint slides. So
//! **no point of the body gets farther than Σ_k |δ_k| ρ_k**, relative to the frame below the first joint counted, for
//! changes of any size. Mimic joints move by the factor times their driver's δ.

use super::extent::Extent;
use super::joint::JointKind;
use super::kinematics::Kinematics;
use super::model::Model;
use super::motion::SegmentMotion;
use crate::numeric::{ROUNDOFF_F64, most, norm_up};

/// Adds to `levers`, per variable, an upper bound on the motion of any point of the body, relative to `ancestor`, per
/// unit by which the variable leaves the configuration of `kinematics`. `motion` must stay at that configuration.
/// False, with `levers` spoilt, if a planar or floating joint is between.
pub(crate) fn add_levers(
    model: &Model,
    motion: &SegmentMotion,
    kinematics: &mut Kinematics,
    extent: &Extent,
    ancestor: usize,
    levers: &mut [f64],
) -> bool {
    let pose = *kinematics.world_from_frame(model, extent.frame);
    let ends = extent.ends_in_frame.map(|end| pose.point(end));
    // Errors of points and axes are those of poses, an angle times the length of an arm plus a position: as in motion
    // bounds.
    let sums = &motion.rate(extent.frame).from_world;
    let error = 4.0 * (sums.rotation_error * (sums.offset + extent.origin_radius) + sums.position_error) + 1e-150;
    let mut index = extent.frame;
    while index != ancestor {
        let frame = &model.frames()[index];
        let radius = match frame.kind {
            JointKind::Fixed => 0.0,
            JointKind::Prismatic { .. } => 1.0,
            JointKind::Revolute { .. } => {
                let axis = *kinematics.world_from_frame(model, index);
                let from_axis = ends.map(|end| norm_up(axis.rotation.z_axis.cross(end - axis.translation)));
                most(from_axis[0], from_axis[1]) + extent.radius + error
            }
            JointKind::Planar { .. } | JointKind::Floating => return false,
        };
        if radius > 0.0 || radius.is_nan() {
            let inflation = 1.0 + 16.0 * ROUNDOFF_F64 * (frame.depth + 8) as f64;
            levers[frame.source.variable] += radius * frame.source.multiplier.abs() * inflation;
        }
        index = frame.parent;
    }
    true
}
