//! Bases that move: a robot's `base` in the scene, or the `<virtual_joint>` of its SRDF, becomes a joint before its root
//! link. Where the scene says nothing and a path leaves the base out, the base stays where the scene puts the robot.

use super::build::Builder;
use super::raw::{Place, RawBase, RawRobot};
use crate::urdf::{Urdf, UrdfJoint, UrdfLink};
use crate::{FormatError, srdf};
use pathproof::numeric::{DVec3, Pose};
use pathproof::robot::JointKind;

/// The joint's name where no SRDF names one.
const NAME: &str = "base";

/// Values of a base that stands where the scene puts the robot, in the order of the joint's variables.
const PLANAR_REST: [f64; 3] = [0.0; 3];
const FLOATING_REST: [f64; 7] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];

/// Adds the joint of a base that moves to the URDF; returns the columns, and their values, that paths may leave out.
pub(super) fn add(
    raw: &RawRobot,
    virtual_joint: Option<srdf::VirtualJoint>,
    urdf: &mut Urdf,
    place: &Place<'_>,
    builder: &mut Builder<'_>,
) -> Result<Vec<(String, f64)>, FormatError> {
    let planar = JointKind::Planar { axis: DVec3::Z };
    let kind = match (raw.base, &virtual_joint) {
        (Some(RawBase::Fixed), _) | (None, None) => return Ok(Vec::new()),
        (Some(RawBase::Planar), _) => planar,
        (Some(RawBase::Floating), _) => JointKind::Floating,
        (None, Some(joint)) if joint.is_planar => planar,
        (None, Some(_)) => JointKind::Floating,
    };
    let name = virtual_joint.map_or_else(|| NAME.to_owned(), |joint| joint.name);
    if urdf.joints.iter().any(|joint| joint.name == name) {
        let problem = format!("the joint of the base would be called {name:?}, as a joint of the URDF is");
        return Err(place.error(
            "base",
            problem,
            "name it in a <virtual_joint> of the SRDF, or write base = \"fixed\"",
        ));
    }
    insert(&name, kind, urdf);
    if raw.base.is_some() {
        return Ok(Vec::new());
    }
    let (how, rest) = match kind {
        JointKind::Floating => ("freely", &FLOATING_REST[..]),
        _ => ("in the plane", &PLANAR_REST[..]),
    };
    let suffixes = kind.variable_suffixes();
    builder.told.push(format!(
        "the base of {:?} moves {how} ({name}{}, …: the SRDF's virtual joint); it stays where the scene puts it where a path \
         leaves it out, and always with base = \"fixed\"",
        raw.name, suffixes[0]
    ));
    let columns = suffixes.iter().map(|suffix| format!("{name}{suffix}"));
    Ok(columns.zip(rest.iter().copied()).filter(|(column, _)| !raw.positions.contains_key(column)).collect())
}

/// A link without geometry that stands where the scene puts the robot, and the joint from it to the root.
fn insert(name: &str, kind: JointKind, urdf: &mut Urdf) {
    let mut parent = format!("{name}_parent");
    while urdf.links.iter().any(|link| link.name == parent) {
        parent.push('_');
    }
    urdf.links.push(UrdfLink { name: parent, collision: Vec::new(), visual: Vec::new() });
    urdf.joints.push(UrdfJoint {
        name: name.to_owned(),
        place: "the joint of the base".to_owned(),
        kind,
        parent: urdf.links.len() - 1,
        child: urdf.root,
        parent_from_joint: Pose::IDENTITY,
        limit: None,
        speed_limit: None,
        mimic: None,
    });
    urdf.root = urdf.links.len() - 1;
}
