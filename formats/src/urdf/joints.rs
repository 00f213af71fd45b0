//! The joints of a URDF file, and the tree they must make of its links.

use std::collections::HashMap;
use std::path::Path;

use roxmltree::Node;

use super::{Names, UrdfJoint, UrdfLink, UrdfMimic, read_origin};
use crate::robot_xml::{Reader, elements};
use crate::{FormatError, excerpt};
use pathproof::numeric::DVec3;
use pathproof::robot::JointKind;

/// All joints, in the order of the file.
pub(super) fn read(robot: Node<'_, '_>, links: &Names, reader: &mut Reader) -> Result<Vec<UrdfJoint>, FormatError> {
    let nodes: Vec<_> = elements(robot).filter(|n| n.has_tag_name("joint")).collect();
    let mut by_name = Names::new();
    for (index, &node) in nodes.iter().enumerate() {
        let name = reader.name(node)?;
        if by_name.insert(name.clone(), index).is_some() {
            let remedy = "give every joint its own name";
            return Err(reader.error(node, format!("a second joint is called {name:?}"), remedy));
        }
    }
    let mut joints = Vec::with_capacity(nodes.len());
    let mut parent_joint_of: HashMap<usize, String> = HashMap::new();
    for &node in &nodes {
        let joint = read_joint(node, links, reader)?;
        if let Some(other) = parent_joint_of.insert(joint.child, joint.name.clone()) {
            let child = child_name(node);
            let problem = format!("the link {child:?} has two parents: it is also the child of the joint {other:?}");
            return Err(reader.error(node, problem, "a robot is a tree: leave one of the two joints"));
        }
        joints.push(joint);
    }
    for (index, &node) in nodes.iter().enumerate() {
        joints[index].mimic = read_mimic(node, index, &joints, &by_name, reader)?;
    }
    // Only now is it known which joints are mimics.
    for (index, &node) in nodes.iter().enumerate() {
        if let Some(mimic) = joints[index].mimic
            && joints[mimic.joint].mimic.is_some()
        {
            let followed = &joints[mimic.joint].name;
            let problem = format!("it mimics {followed:?}, which is itself a mimic joint");
            return Err(reader.error(node, problem, "let both follow the joint that moves by itself"));
        }
    }
    Ok(joints)
}

fn child_name(node: Node<'_, '_>) -> String {
    let child = elements(node).find(|c| c.has_tag_name("child"));
    child.and_then(|c| c.attribute("link")).unwrap_or_default().to_owned()
}

fn read_joint(node: Node<'_, '_>, links: &Names, reader: &mut Reader) -> Result<UrdfJoint, FormatError> {
    const READ: [&str; 6] = ["origin", "parent", "child", "axis", "limit", "mimic"];
    reader.warn_unknown_children(node, &READ, &["dynamics", "safety_controller", "calibration"]);
    let (kind, needs_limit) = read_kind(node, reader)?;
    let parent = read_link_reference(node, "parent", links, reader)?;
    let child = read_link_reference(node, "child", links, reader)?;
    if parent == child {
        return Err(reader.error(node, "parent and child are the same link", "name two links"));
    }
    Ok(UrdfJoint {
        name: reader.name(node)?,
        place: reader.place(node),
        kind,
        parent,
        child,
        parent_from_joint: read_origin(node, reader)?,
        limit: read_limit(node, needs_limit, reader)?,
        speed_limit: read_speed_limit(node),
        mimic: None,
    })
}

/// Type of the joint, and true if it requires limits.
fn read_kind(node: Node<'_, '_>, reader: &mut Reader) -> Result<(JointKind, bool), FormatError> {
    Ok(match reader.required(node, "type")? {
        "revolute" => (JointKind::Revolute { axis: read_axis(node, reader)? }, true),
        "continuous" => (JointKind::Revolute { axis: read_axis(node, reader)? }, false),
        "prismatic" => (JointKind::Prismatic { axis: read_axis(node, reader)? }, true),
        "planar" => (JointKind::Planar { axis: read_axis(node, reader)? }, false),
        "floating" => (JointKind::Floating, false),
        "fixed" => (JointKind::Fixed, false),
        other => {
            let problem = format!("the joint type {:?} is not known", excerpt(other));
            let remedy = match other {
                "spherical" | "ball" => "write it as three continuous joints with links between them",
                _ => "use revolute, continuous, prismatic, planar, floating or fixed",
            };
            return Err(reader.error(node, problem, remedy));
        }
    })
}

fn read_link_reference(
    node: Node<'_, '_>,
    tag: &str,
    links: &Names,
    reader: &mut Reader,
) -> Result<usize, FormatError> {
    let Some(reference) = reader.only_child(node, tag)? else {
        return Err(reader.error(node, format!("there is no <{tag}>"), format!("add <{tag} link=\"…\"/>")));
    };
    let name = reader.required(reference, "link")?.trim();
    links.get(name).copied().ok_or_else(|| {
        let problem = format!("the {tag} link {:?} is not in this file", excerpt(name));
        reader.error(reference, problem, "add that link, or correct the name")
    })
}

fn read_axis(node: Node<'_, '_>, reader: &mut Reader) -> Result<DVec3, FormatError> {
    // URDF: the default axis is x.
    let Some(axis_node) = reader.only_child(node, "axis")? else { return Ok(DVec3::X) };
    let axis = DVec3::from_array(reader.numbers(axis_node, "xyz")?);
    // Scaled first, so that the length of very short or long axes does not under- or overflow.
    let largest = axis.abs().max_element();
    if largest == 0.0 {
        return Err(reader.error(axis_node, "the axis has length 0", "write a direction such as xyz=\"0 0 1\""));
    }
    let scaled = axis / largest;
    let length = scaled.length() * largest;
    if (length - 1.0).abs() > 1e-3 {
        reader.warn(axis_node, format!("the axis has length {length}; only its direction is used"));
    }
    Ok(scaled / scaled.length())
}

fn read_limit(node: Node<'_, '_>, needed: bool, reader: &mut Reader) -> Result<Option<[f64; 2]>, FormatError> {
    let limit = match (reader.only_child(node, "limit")?, needed) {
        (Some(limit), true) => limit,
        (None, false) => return Ok(None),
        (Some(limit), false) => {
            if limit.has_attribute("lower") || limit.has_attribute("upper") {
                reader.warn(
                    limit,
                    "joints of this type have no limits by the URDF standard; lower and upper were ignored",
                );
            }
            return Ok(None);
        }
        (None, true) => {
            let remedy = "add <limit lower=\"…\" upper=\"…\" effort=\"0\" velocity=\"0\"/>, or make it continuous";
            return Err(reader.error(node, "the joint has no <limit>, which its type requires", remedy));
        }
    };
    if !limit.has_attribute("lower") && !limit.has_attribute("upper") {
        reader
            .warn(limit, "lower and upper are not given, so both are 0 by the URDF standard and the joint cannot move");
    }
    let (lower, upper) = (reader.number(limit, "lower", Some(0.0))?, reader.number(limit, "upper", Some(0.0))?);
    if lower > upper {
        // Bullet's files write "no limits" this way. Every value of a path is still checked if it is treated as none.
        let message =
            format!("the lower limit {lower} is above the upper limit {upper}; the joint is taken to have no limits");
        reader.warn(limit, message);
        return Ok(None);
    }
    Ok(Some([lower, upper]))
}

/// Speed of `<limit>`. It proves nothing: in files, 0 or text that is not a number means unknown.
fn read_speed_limit(node: Node<'_, '_>) -> Option<f64> {
    let limit = node.children().find(|child| child.has_tag_name("limit"))?;
    limit.attribute("velocity")?.trim().parse().ok().filter(|speed: &f64| *speed > 0.0 && speed.is_finite())
}

fn read_mimic(
    node: Node<'_, '_>,
    index: usize,
    joints: &[UrdfJoint],
    by_name: &Names,
    reader: &mut Reader,
) -> Result<Option<UrdfMimic>, FormatError> {
    let Some(mimic) = reader.only_child(node, "mimic")? else { return Ok(None) };
    let single = |joint: usize| joints[joint].kind.variable_count() == 1;
    if joints[index].kind == JointKind::Fixed {
        reader.warn(mimic, "a fixed joint does not move, so its <mimic> was ignored");
        return Ok(None);
    }
    let followed = reader.required(mimic, "joint")?.trim();
    let Some(&joint) = by_name.get(followed) else {
        let problem = format!("it mimics the joint {:?}, which is not in this file", excerpt(followed));
        return Err(reader.error(mimic, problem, "name a joint of this file"));
    };
    if joint == index {
        return Err(reader.error(mimic, "the joint mimics itself", "name another joint, or remove <mimic>"));
    }
    if !single(index) || !single(joint) {
        let problem = format!("only joints with one value can mimic and be mimicked; {followed:?} or this one has not");
        return Err(reader.error(mimic, problem, "use revolute, continuous or prismatic joints"));
    }
    let (multiplier, offset) =
        (reader.number(mimic, "multiplier", Some(1.0))?, reader.number(mimic, "offset", Some(0.0))?);
    Ok(Some(UrdfMimic { joint, multiplier, offset }))
}

/// Only link that is not a child. With one parent per link and one root, links that are not reached form a loop.
pub(super) fn find_root(file: &Path, links: &[UrdfLink], joints: &[UrdfJoint]) -> Result<usize, FormatError> {
    let mut is_child = vec![false; links.len()];
    let mut children = vec![Vec::new(); links.len()];
    for joint in joints {
        is_child[joint.child] = true;
        children[joint.parent].push(joint.child);
    }
    let roots: Vec<usize> = (0..links.len()).filter(|&link| !is_child[link]).collect();
    let mut reached = vec![false; links.len()];
    let mut open = roots.clone();
    while let Some(link) = open.pop() {
        reached[link] = true;
        open.extend(&children[link]);
    }
    if let Some(joint) = joints.iter().find(|joint| !reached[joint.child]) {
        let problem = format!("the joints form a loop through the link {:?}", links[joint.child].name);
        return Err(FormatError::new(file, problem)
            .at(&joint.place)
            .remedy("a robot is a tree: open the loop at one joint"));
    }
    match roots[..] {
        [root] => Ok(root),
        _ => {
            let (first, second) = (&links[roots[0]].name, &links[roots[1]].name);
            let problem =
                format!("there are {} links without a parent, {first:?} and {second:?} among them", roots.len());
            let remedy = "a robot has one root: connect the others with joints (fixed ones, if they do not move)";
            Err(FormatError::new(file, problem).at("<robot>").remedy(remedy))
        }
    }
}
