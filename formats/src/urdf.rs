//! URDF robot descriptions: links with their collision and visual elements, joints of every type, mimic.
//!
//! Read with a plain XML tree, because absence matters: a missing limit is an error, not 0. Invariant: a [`Urdf`] is
//! one tree; names are unique, axes are unit vectors, mimics refer to joints that follow no other. Elements that affect
//! neither geometry nor motion are ignored; unknown ones produce warnings. Meshes are only named here; errors in
//! geometry are kept for the code that uses it.

mod joints;

use std::collections::HashMap;
use std::path::Path;

use roxmltree::Node;

use super::FormatError;
use super::robot_xml::{self, Reader, elements};
use pathproof::numeric::{DVec3, Pose};
use pathproof::robot::JointKind;
use pathproof::shapes::Convex;

/// A robot as its URDF file describes it.
#[derive(Clone, Debug)]
pub struct Urdf {
    /// The robot's name in the file.
    pub name: String,
    /// All links, in the order of the file.
    pub links: Vec<UrdfLink>,
    /// All joints, in the order of the file.
    pub joints: Vec<UrdfJoint>,
    /// Index of the link that is not a child.
    pub root: usize,
    /// Warnings about input that may not be what its author meant.
    pub warnings: Vec<String>,
}

/// Link with both kinds of geometry. A defective element is an error only for the code that uses it.
#[derive(Clone, Debug)]
pub struct UrdfLink {
    /// Unique name.
    pub name: String,
    /// Collision geometry.
    pub collision: Vec<Result<UrdfElement, FormatError>>,
    /// Visual geometry.
    pub visual: Vec<Result<UrdfElement, FormatError>>,
}

/// One `<collision>` or `<visual>`.
#[derive(Clone, Debug)]
pub struct UrdfElement {
    /// Place in the file, for messages.
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
    /// Everything below the plane through the element's origin, by its unit normal.
    Plane(DVec3),
    /// Mesh file, not found and read yet.
    Mesh {
        /// As written: a relative or absolute path, `file://`, `package://` or `model://`.
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
    /// Place in the file, for messages.
    pub place: String,
    /// Type of motion; a continuous joint is a revolute one without limits.
    pub kind: JointKind,
    /// Index of the parent link.
    pub parent: usize,
    /// Index of the child link.
    pub child: usize,
    /// The joint's frame in the parent link.
    pub parent_from_joint: Pose,
    /// Lower and upper limit (radians or metres); a revolute or prismatic joint without them causes a warning.
    pub limit: Option<[f64; 2]>,
    /// Largest speed in radians or metres per second; `None` if the file has none, or 0, which means unknown.
    pub speed_limit: Option<f64>,
    /// Joint that it follows, if any.
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
    let text = &*robot_xml::tidied(text);
    let document = robot_xml::parse(text, file)?;
    let mut reader = Reader::new(file, text);
    let robot = document.root_element();
    if !robot.has_tag_name("robot") {
        let problem = match robot.has_tag_name("sdf") {
            true => "this is an SDF file, which is not read",
            false => "the first element is not <robot>",
        };
        let remedy = "a URDF file starts with <robot name=\"…\">; name that file";
        return Err(reader.error(robot, problem, remedy));
    }
    refuse_xacro(robot, &reader)?;
    const HARMLESS: [&str; 6] = ["material", "transmission", "gazebo", "ros2_control", "sensor", "version"];
    reader.warn_unknown_children(robot, &["link", "joint"], &HARMLESS);
    let name = read_robot_name(robot, &mut reader);
    let (links, link_by_name) = read_links(robot, &mut reader)?;
    let joints = joints::read(robot, &link_by_name, &mut reader)?;
    let root = joints::find_root(file, &links, &joints)?;
    Ok(Urdf { name, links, joints, root, warnings: reader.into_warnings() })
}

/// Robot's own name. Nothing depends on it, so the file's name will do.
fn read_robot_name(robot: Node<'_, '_>, reader: &mut Reader) -> String {
    reader.name(robot).unwrap_or_else(|_| {
        let name = reader.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        reader.warn(robot, format!("the robot has no name; {:?} is taken", super::excerpt(&name)));
        name
    })
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
        let collision = read_elements(node, "collision", reader);
        let visual = read_elements(node, "visual", reader);
        links.push(UrdfLink { name, collision, visual });
    }
    if links.is_empty() {
        return Err(reader.error(robot, "the robot has no link", "add at least one <link name=\"…\"/>"));
    }
    Ok((links, by_name))
}

fn read_elements(link: Node<'_, '_>, tag: &str, reader: &mut Reader) -> Vec<Result<UrdfElement, FormatError>> {
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
        "plane" => return read_plane(node, reader),
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
    let scale = read_scale(node, reader)?;
    if scale.contains(&0.0) {
        return Err(reader.error(node, "a scale of 0 flattens the mesh", "use factors other than 0; 1 keeps the size"));
    }
    Ok(UrdfShape::Mesh { uri, scale })
}

/// Three factors; another number of them is unambiguous if all are the same.
fn read_scale(node: Node<'_, '_>, reader: &mut Reader) -> Result<[f64; 3], FormatError> {
    if !node.has_attribute("scale") {
        return Ok([1.0; 3]);
    }
    let factors = reader.list(node, "scale")?;
    match factors[..] {
        [first, ..] if factors.len() != 3 && factors.iter().all(|factor| *factor == first) => {
            reader.warn(node, format!("scale has {} numbers where 3 are needed; all are {first}", factors.len()));
            Ok([first; 3])
        }
        _ => reader.numbers(node, "scale"),
    }
}

/// Half-space, as in Bullet and SDF.
fn read_plane(node: Node<'_, '_>, reader: &mut Reader) -> Result<UrdfShape, FormatError> {
    reader.warn_unknown_attributes(node, &["normal"]);
    let normal = DVec3::from_array(reader.numbers(node, "normal")?);
    // Scaled first, so that very short or long normals neither vanish nor overflow.
    let scaled = normal / normal.abs().max_element();
    if !scaled.is_finite() {
        return Err(reader.error(node, "the normal has length 0", "write a direction such as normal=\"0 0 1\""));
    }
    Ok(UrdfShape::Plane(scaled / scaled.length()))
}

fn read_origin(node: Node<'_, '_>, reader: &mut Reader) -> Result<Pose, FormatError> {
    let Some(origin) = reader.only_child(node, "origin")? else { return Ok(Pose::IDENTITY) };
    reader.warn_unknown_attributes(origin, &["xyz", "rpy"]);
    let mut triple = |name| if origin.has_attribute(name) { reader.numbers::<3>(origin, name) } else { Ok([0.0; 3]) };
    Ok(Pose::from_xyz_rpy(triple("xyz")?, triple("rpy")?))
}

#[cfg(test)]
mod tests;
