//! Bases that move: a robot's `base` in the scene becomes a joint before its root link, named after the SRDF's
//! `<virtual_joint>`. Without `base` the robot stays where the scene puts it, whatever the SRDF says: arms that are
//! bolted down have floating virtual joints, too.

use super::build::Builder;
use super::raw::{Place, RawBase, RawRobot};
use crate::urdf::{Urdf, UrdfJoint, UrdfLink};
use crate::{FormatError, srdf};
use pathproof::numeric::{DVec3, Pose};
use pathproof::robot::JointKind;

/// Name of the joint if no SRDF gives one.
const NAME: &str = "base";

/// Adds the joint of a moving base to the URDF. Notes a virtual joint that is not used.
pub(super) fn add(
    raw: &RawRobot,
    virtual_joint: Option<srdf::VirtualJoint>,
    urdf: &mut Urdf,
    place: &Place<'_>,
    builder: &mut Builder<'_>,
) -> Result<(), FormatError> {
    let kind = match (raw.base, &virtual_joint) {
        (Some(RawBase::Fixed), _) | (None, None) => return Ok(()),
        (Some(RawBase::Planar), _) => JointKind::Planar { axis: DVec3::Z },
        (Some(RawBase::Floating), _) => JointKind::Floating,
        (None, Some(joint)) => {
            let kind = if joint.is_planar { "planar" } else { "floating" };
            builder.told.push(format!(
                "the base of {:?} stays where the scene puts it, though the SRDF has the {kind} virtual joint {:?}; \
                 base = \"{kind}\" lets paths move it",
                raw.name, joint.name
            ));
            return Ok(());
        }
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
    Ok(())
}

/// Adds a link without geometry where the scene puts the robot, and the joint from it to the root.
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
