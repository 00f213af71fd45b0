//! How far a body gets when joints leave a configuration by a given amount (docs/design.md#regions).
//!
//! Move the joints one after the other, the one nearest to the base first. When joint k moves by δ_k, all joints beyond it are
//! still where they were, so the body is at its distance ρ_k from axis k in the configuration that was left, carried rigidly
//! by what moved before: it moves by at most |δ_k| ρ_k, or |δ_k| where the joint slides. So **no point of the body gets
//! farther than Σ_k |δ_k| ρ_k**, seen from the frame below the first joint counted, for changes of any size.
//! Mimic joints move by the factor times their driver's δ.

use super::extent::Extent;
use super::joint::JointKind;
use super::kinematics::Kinematics;
use super::model::Model;
use super::motion::SegmentMotion;
use crate::numeric::{ROUNDOFF_F64, most, norm_up};

/// Adds to `levers`, per variable, an upper bound on how far any point of the body gets per unit by which the variable leaves
/// the configuration of `kinematics`, seen from `ancestor`; `motion` must stay at that configuration. False, with `levers`
/// spoilt, where a planar or floating joint is between.
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
    // Points and axes are off by the errors of poses, an angle at the length of an arm and a place: as in motion bounds.
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
