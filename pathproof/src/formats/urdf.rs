//! URDF robot descriptions: links with their collision and visual elements, joints of every type, mimic.
//!
//! Read with a plain XML tree, because what is absent matters: a missing limit is an error, not 0.
//! Invariant: a [`Urdf`] is one tree; names are unique, axes are unit vectors, mimics refer to joints that
//! move by themselves. Elements that say nothing about geometry or motion are read without harm, unknown
//! ones produce warnings. Meshes are only named here.

use std::collections::HashMap;
use std::path::Path;

use roxmltree::Node;

use super::FormatError;
use super::robot_xml::{self, Reader, elements};
use crate::numeric::{DVec3, Pose};
use crate::robot::JointKind;
use crate::shapes::Convex;

/// A robot as its URDF file describes it.
#[derive(Clone, Debug)]
pub struct Urdf {
    /// The robot's name in the file.
    pub name: String,
    /// All links, in the order of the file.
    pub links: Vec<UrdfLink>,
    /// All joints, in the order of the file.
    pub joints: Vec<UrdfJoint>,
    /// Index of the link that is nobody's child.
    pub root: usize,
    /// What was read without harm but may not be what the writer meant.
    pub warnings: Vec<String>,
}

/// A link: its geometry in both kinds.
#[derive(Clone, Debug)]
pub struct UrdfLink {
    /// Unique name.
    pub name: String,
    /// What it collides with, by the file.
    pub collision: Vec<UrdfElement>,
    /// What it looks like.
    pub visual: Vec<UrdfElement>,
}

/// One `<collision>` or `<visual>`.
#[derive(Clone, Debug)]
pub struct UrdfElement {
    /// Where in the file, for messages.
    pub place: String,
    /// Its pose in the link.
    pub link_from_element: Pose,
    /// Its shape.
    pub shape: UrdfShape,
}

/// The shape of an element.
#[derive(Clone, Debug)]
pub enum UrdfShape {
    /// A primitive, kept exact.
    Convex(Convex),
    /// A mesh file, still to be found and read.
    Mesh {
        /// As written: a relative or absolute path, `file://` or `package://`.
        uri: String,
        /// Factors along the mesh's axes; none is 0, an odd number of negative ones mirrors.
        scale: [f64; 3],
    },
}

/// A joint.
#[derive(Clone, Debug)]
pub struct UrdfJoint {
    /// Unique name.
    pub name: String,
    /// Where in the file, for messages.
    pub place: String,
    /// How it moves; a continuous joint is a revolute one without limits.
    pub kind: JointKind,
    /// Index of the parent link.
    pub parent: usize,
    /// Index of the child link.
    pub child: usize,
    /// The joint's frame in the parent link.
    pub parent_from_joint: Pose,
    /// Lower and upper limit (radians or metres); revolute and prismatic joints always have them.
    pub limit: Option<[f64; 2]>,
    /// Follows another joint.
    pub mimic: Option<UrdfMimic>,
}

/// position = multiplier · (position of `joint`) + offset
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UrdfMimic {
    /// Index of the joint that is followed.
    pub joint: usize,
    /// Factor.
    pub multiplier: f64,
    /// Offset in radians or metres.
    pub offset: f64,
}

/// Reads a URDF file.
pub fn read(path: &Path) -> Result<Urdf, FormatError> {
    parse(&robot_xml::read_text(path)?, path)
}

/// Reads the text of a URDF file; `file` is only named in messages.
pub fn parse(text: &str, file: &Path) -> Result<Urdf, FormatError> {
    let document = robot_xml::parse(text, file)?;
    let mut reader = Reader::new(file, text);
    let robot = document.root_element();
    if !robot.has_tag_name("robot") {
        let remedy = "a URDF file starts with <robot name=\"…\">; name that file";
        return Err(reader.error(robot, "the first element is not <robot>", remedy));
    }
    refuse_xacro(robot, &reader)?;
    const HARMLESS: [&str; 6] = ["material", "transmission", "gazebo", "ros2_control", "sensor", "version"];
    reader.warn_unknown_children(robot, &["link", "joint"], &HARMLESS);
    let name = reader.name(robot)?;
    let (links, link_by_name) = read_links(robot, &mut reader)?;
    let joints = read_joints(robot, &link_by_name, &mut reader)?;
    let root = find_root(file, &links, &joints)?;
    Ok(Urdf { name, links, joints, root, warnings: reader.warnings })
}

/// A file with elements in the xacro namespace is a program, not yet a description.
fn refuse_xacro(robot: Node<'_, '_>, reader: &Reader) -> Result<(), FormatError> {
    let is_xacro = |node: &Node<'_, '_>| node.tag_name().namespace().is_some_and(|n| n.contains("xacro"));
    match robot.descendants().find(|node| node.is_element() && is_xacro(node)) {
        Some(node) => Err(FormatError { place: reader.place(node), ..robot_xml::needs_expansion(&reader.file) }),
        None => Ok(()),
    }
}

type Names = HashMap<String, usize>;

fn read_links(robot: Node<'_, '_>, reader: &mut Reader) -> Result<(Vec<UrdfLink>, Names), FormatError> {
    let (mut links, mut by_name) = (Vec::new(), Names::new());
    for node in elements(robot).filter(|n| n.has_tag_name("link")) {
        let name = reader.name(node)?;
        if by_name.insert(name.clone(), links.len()).is_some() {
            let remedy = "give every link its own name";
            return Err(reader.error(node, format!("a second link is called {name:?}"), remedy));
        }
        reader.warn_unknown_children(node, &["collision", "visual"], &["inertial", "contact", "sensor", "material"]);
        let collision = read_elements(node, "collision", reader)?;
        let visual = read_elements(node, "visual", reader)?;
        links.push(UrdfLink { name, collision, visual });
    }
    if links.is_empty() {
        return Err(reader.error(robot, "the robot has no link", "add at least one <link name=\"…\"/>"));
    }
    Ok((links, by_name))
}

fn read_elements(link: Node<'_, '_>, tag: &str, reader: &mut Reader) -> Result<Vec<UrdfElement>, FormatError> {
    let nodes = elements(link).filter(|n| n.has_tag_name(tag));
    nodes.map(|node| read_element(node, reader)).collect()
}

fn read_element(node: Node<'_, '_>, reader: &mut Reader) -> Result<UrdfElement, FormatError> {
    reader.warn_unknown_children(node, &["origin", "geometry"], &["material", "verbose", "contact_coefficients"]);
    let link_from_element = read_origin(node, reader)?;
    let Some(geometry) = reader.only_child(node, "geometry")? else {
        return Err(reader.error(node, "there is no <geometry>", "add a <geometry> with one shape"));
    };
    let mut shapes = elements(geometry);
    let (Some(shape), None) = (shapes.next(), shapes.next()) else {
        let remedy = "write one shape a <geometry>; a link may have several <collision> elements";
        return Err(reader.error(geometry, "<geometry> does not hold exactly one shape", remedy));
    };
    Ok(UrdfElement { place: reader.place(node), link_from_element, shape: read_shape(shape, reader)? })
}

fn read_shape(node: Node<'_, '_>, reader: &mut Reader) -> Result<UrdfShape, FormatError> {
    let (known, convex): (&[&str], _) = match node.tag_name().name() {
        "box" => (&["size"], Convex::cuboid(reader.numbers(node, "size")?)),
        "sphere" => (&["radius"], Convex::sphere(reader.number(node, "radius", None)?)),
        "cylinder" => {
            let (radius, length) = (reader.number(node, "radius", None)?, reader.number(node, "length", None)?);
            (&["radius", "length"], Convex::cylinder(radius, length))
        }
        "capsule" => {
            let (radius, length) = (reader.number(node, "radius", None)?, reader.number(node, "length", None)?);
            (&["radius", "length"], Convex::capsule(radius, length))
        }
        "mesh" => return read_mesh(node, reader),
        other => {
            let problem = format!("the shape <{}> is not known", super::excerpt(other));
            return Err(reader.error(node, problem, "use box, sphere, cylinder, capsule or mesh"));
        }
    };
    reader.warn_unknown_attributes(node, known);
    convex.map(UrdfShape::Convex).map_err(|e| reader.error(node, e.to_string(), "give the size in metres"))
}

fn read_mesh(node: Node<'_, '_>, reader: &mut Reader) -> Result<UrdfShape, FormatError> {
    reader.warn_unknown_attributes(node, &["filename", "scale"]);
    let uri = reader.required(node, "filename")?.trim().to_owned();
    if uri.is_empty() {
        return Err(reader.error(node, "the filename is empty", "name the mesh file"));
    }
    if uri.contains("${") || uri.contains("$(") {
        return Err(FormatError { place: reader.place(node), ..robot_xml::needs_expansion(&reader.file) });
    }
    let scale = if node.has_attribute("scale") { reader.numbers(node, "scale")? } else { [1.0; 3] };
    if scale.contains(&0.0) {
        return Err(reader.error(node, "a scale of 0 flattens the mesh", "use factors other than 0; 1 keeps the size"));
    }
    Ok(UrdfShape::Mesh { uri, scale })
}

fn read_origin(node: Node<'_, '_>, reader: &mut Reader) -> Result<Pose, FormatError> {
    let Some(origin) = reader.only_child(node, "origin")? else { return Ok(Pose::IDENTITY) };
    reader.warn_unknown_attributes(origin, &["xyz", "rpy"]);
    let triple = |name| if origin.has_attribute(name) { reader.numbers::<3>(origin, name) } else { Ok([0.0; 3]) };
    Ok(Pose::from_xyz_rpy(triple("xyz")?, triple("rpy")?))
}

fn read_joints(robot: Node<'_, '_>, links: &Names, reader: &mut Reader) -> Result<Vec<UrdfJoint>, FormatError> {
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
    // Only now is it known who follows whom.
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
        mimic: None,
    })
}

/// How the joint moves, and whether its type requires limits.
fn read_kind(node: Node<'_, '_>, reader: &mut Reader) -> Result<(JointKind, bool), FormatError> {
    Ok(match reader.required(node, "type")? {
        "revolute" => (JointKind::Revolute { axis: read_axis(node, reader)? }, true),
        "continuous" => (JointKind::Revolute { axis: read_axis(node, reader)? }, false),
        "prismatic" => (JointKind::Prismatic { axis: read_axis(node, reader)? }, true),
        "planar" => (JointKind::Planar { axis: read_axis(node, reader)? }, false),
        "floating" => (JointKind::Floating, false),
        "fixed" => (JointKind::Fixed, false),
        other => {
            let problem = format!("the joint type {:?} is not known", super::excerpt(other));
            let remedy = "use revolute, continuous, prismatic, planar, floating or fixed";
            return Err(reader.error(node, problem, remedy));
        }
    })
}

fn read_link_reference(node: Node<'_, '_>, tag: &str, links: &Names, reader: &Reader) -> Result<usize, FormatError> {
    let Some(reference) = reader.only_child(node, tag)? else {
        return Err(reader.error(node, format!("there is no <{tag}>"), format!("add <{tag} link=\"…\"/>")));
    };
    let name = reader.required(reference, "link")?.trim();
    links.get(name).copied().ok_or_else(|| {
        let problem = format!("the {tag} link {:?} is not in this file", super::excerpt(name));
        reader.error(reference, problem, "add that link, or correct the name")
    })
}

fn read_axis(node: Node<'_, '_>, reader: &mut Reader) -> Result<DVec3, FormatError> {
    // URDF: the axis is x where none is given.
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
        let problem = format!("the lower limit {lower} is above the upper limit {upper}");
        return Err(reader.error(limit, problem, "swap or correct them"));
    }
    Ok(Some([lower, upper]))
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
        let problem = format!("it mimics the joint {:?}, which is not in this file", super::excerpt(followed));
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

/// The one link that is nobody's child; with one parent a link and one root, what is not reached is a loop.
fn find_root(file: &Path, links: &[UrdfLink], joints: &[UrdfJoint]) -> Result<usize, FormatError> {
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

#[cfg(test)]
mod tests;
