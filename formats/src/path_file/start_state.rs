//! State from which a MoveIt message starts: values for joints that the trajectory does not move.

use super::Source;
use super::messages::{MultiDofState, RobotState};
use super::multi_dof::MultiDofJoint;
use super::trajectory::check_count;
use crate::{FormatError, excerpt};

/// Values of a start state. A warning lists names that are not in the scene: a state has all joints of a robot.
pub(super) fn start_values(
    state: &RobotState,
    place: &str,
    source: &Source<'_>,
    warnings: &mut Vec<String>,
) -> Result<Vec<(usize, f64)>, FormatError> {
    let mut values = Vec::new();
    let joints = state.joint_state.as_deref();
    let names = joints.and_then(|joints| joints.name.as_deref()).unwrap_or_default();
    let positions = joints.and_then(|joints| joints.position.as_deref()).unwrap_or_default();
    check_count(place, "positions of the start state", positions.len(), "name", names.len(), source)?;
    let mut unknown = Vec::new();
    for (name, position) in names.iter().zip(positions) {
        match source.scene.column(name) {
            Ok(variable) => values.push((variable, *position)),
            Err(pathproof::scene::ColumnError::Mimic { .. }) => {}
            Err(_) => unknown.push(excerpt(name)),
        }
    }
    if let Some(MultiDofState { joint_names, transforms, .. }) = &state.multi_dof_joint_state {
        check_count(
            place,
            "transforms of the start state",
            transforms.len(),
            "joint_names",
            joint_names.len(),
            source,
        )?;
        for (name, transform) in joint_names.iter().zip(transforms) {
            match source.scene.column(&format!("{name}.x")) {
                Ok(_) => {
                    let joint = MultiDofJoint::find(name, place, source)?;
                    values.extend(joint.values(transform, None, place, source)?);
                }
                Err(_) => unknown.push(excerpt(name)),
            }
        }
    }
    let file = source.file.display();
    if !unknown.is_empty() {
        warnings.push(format!(
            "{file}: the start state names joints that are not in the scene: {}; a base among them stays where the scene \
             puts it, unless base = \"planar\" or \"floating\" makes it a joint",
            unknown.join(", ")
        ));
    }
    if !state.attached_collision_objects.is_empty() {
        let count = state.attached_collision_objects.len();
        warnings.push(format!(
            "{file}: {count} objects are attached in the start state and not checked; put them into the scene with `attach`"
        ));
    }
    Ok(values)
}
