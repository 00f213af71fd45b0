//! Robots of a scene file: the URDF's tree under the world, its SRDF, positions and bounds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::build::Builder;
use super::names::suggest;
use super::raw::{Place, RawRobot, Which};
use super::surfaces::Meant;
use super::{BodySource, base};
use crate::quantity::Quantity;
use crate::urdf::{self, Urdf, UrdfElement, UrdfJoint, UrdfShape};
use crate::{FormatError, excerpt, mesh_paths, srdf};
use pathproof::numeric::Pose;
use pathproof::robot::{JointKind, JointSpec, Mimic, VariableKind};
use pathproof::scene::BodyShape;
use pathproof::shapes::{Body, Shape};

/// Robot with the contents of all its files.
pub(super) struct Robot {
    pub(super) name: String,
    pub(super) srdf: srdf::Srdf,
    pub(super) urdf: Urdf,
    /// One per link; `None` if the link has no geometry.
    pub(super) shapes: Vec<Option<LinkShape>>,
    pub(super) joints: Vec<JointSpec>,
    /// Column and value.
    pub(super) positions: Vec<(String, f64)>,
}

/// Geometry of a link, its place in it, and its source.
pub(super) struct LinkShape {
    pub(super) link_from_body: Pose,
    pub(super) shape: BodyShape,
    pub(super) source: BodySource,
}

impl Robot {
    /// The name of one of its links in the scene.
    pub(super) fn link_name(&self, link: usize) -> String {
        format!("{}/{}", self.name, self.urdf.links[link].name)
    }
}

pub(super) fn read(raw: &RawRobot, place: &Place<'_>, builder: &mut Builder<'_>) -> Result<Robot, FormatError> {
    place.check_name(&raw.name)?;
    let world_from_base = place.pose(raw.xyz, raw.rpy, raw.quat)?;
    let path = place.lines.sibling(&raw.urdf);
    if !builder.files.is_file(&path) {
        return Err(missing(place, "urdf", &path));
    }
    let mut urdf = urdf::parse(&builder.files.text(&path)?, &path)?;
    builder.warnings.append(&mut urdf.warnings);
    let srdf_file = srdf_file(raw, place, builder)?;
    let read_srdf = |urdf: &Urdf| match &srdf_file {
        Some((path, text)) => srdf::parse(text, path, urdf),
        None => Ok(srdf::Srdf::default()),
    };
    let mut shapes = read_shapes(raw, &urdf, &path, place, builder)?;
    // Read twice: states name the base's joint, which must exist before.
    let virtual_joint = read_srdf(&urdf)?.virtual_joint;
    base::add(raw, virtual_joint, &mut urdf, place, builder)?;
    shapes.resize_with(urdf.links.len(), || None);
    let mut srdf = read_srdf(&urdf)?;
    builder.warnings.append(&mut srdf.warnings);
    let mut joints = vec![JointSpec::new(
        &raw.name,
        JointKind::Fixed,
        super::build::WORLD,
        &format!("{}/{}", raw.name, urdf.links[urdf.root].name),
        world_from_base,
    )];
    joints.extend(urdf.joints.iter().map(|joint| joint_spec(&raw.name, &urdf, joint)));
    apply_bounds(raw, &urdf, &mut joints[1..], place)?;
    let positions = check_positions(raw, &urdf, place)?;
    Ok(Robot { name: raw.name.clone(), srdf, urdf, shapes, joints, positions })
}

pub(super) fn missing(place: &Place<'_>, key: &str, path: &Path) -> FormatError {
    let problem = format!("the file {} is not there", path.display());
    place.error(key, problem, "correct the name; it is relative to the scene file")
}

/// The SRDF's path and text.
fn srdf_file(
    raw: &RawRobot,
    place: &Place<'_>,
    builder: &Builder<'_>,
) -> Result<Option<(PathBuf, String)>, FormatError> {
    let Some(name) = &raw.srdf else { return Ok(None) };
    let path = place.lines.sibling(name);
    if !builder.files.is_file(&path) {
        return Err(missing(place, "srdf", &path));
    }
    let text = builder.files.text(&path)?;
    Ok(Some((path, text)))
}

fn read_shapes(
    raw: &RawRobot,
    urdf: &Urdf,
    path: &Path,
    place: &Place<'_>,
    builder: &mut Builder<'_>,
) -> Result<Vec<Option<LinkShape>>, FormatError> {
    let packages: BTreeMap<String, PathBuf> =
        raw.packages.iter().map(|(name, folder)| (name.clone(), place.lines.sibling(folder))).collect();
    let mut all = Vec::with_capacity(urdf.links.len());
    let (mut bare, mut unchecked, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    let [used, unused] = match raw.geometry {
        Which::Collision => ["collision", "visual"],
        Which::Visual => ["visual", "collision"],
    };
    let names: Vec<&str> = urdf.links.iter().map(|link| link.name.as_str()).collect();
    raw.solid.check("solid", &names, place)?;
    raw.surface.check("surface", &names, place)?;
    for link in &urdf.links {
        let (elements, other) = match raw.geometry {
            Which::Collision => (&link.collision, &link.visual),
            Which::Visual => (&link.visual, &link.collision),
        };
        if elements.is_empty() && !other.is_empty() {
            unchecked.push(link.name.as_str());
        } else if elements.is_empty() {
            bare.push(link.name.as_str());
        }
        faults.extend(other.iter().filter_map(|element| element.as_ref().err()));
        let elements = elements.iter().map(Result::as_ref).collect::<Result<Vec<_>, _>>().map_err(Clone::clone)?;
        all.push(read_link(raw, &elements, &link.name, path, &packages, place, builder)?);
    }
    if !unchecked.is_empty() {
        let (count, links) = (unchecked.len(), unchecked.join(", "));
        let message =
            format!("{count} links have {unused} geometry but no {used} geometry and are not checked: {links}");
        builder.warnings.push(place.warning(&message));
    }
    if let [first, ..] = faults[..] {
        builder.notes.push(format!("faults in {unused} geometry, which is not used: {}, as in {first}", faults.len()));
    }
    if !bare.is_empty() {
        builder.notes.push(place.warning(&format!("links without geometry, not checked: {}", bare.join(", "))));
    }
    Ok(all)
}

/// Shape of one link, from all its elements.
fn read_link(
    raw: &RawRobot,
    elements: &[&UrdfElement],
    link: &str,
    path: &Path,
    packages: &BTreeMap<String, PathBuf>,
    place: &Place<'_>,
    builder: &mut Builder<'_>,
) -> Result<Option<LinkShape>, FormatError> {
    if let [UrdfElement { link_from_element, shape: UrdfShape::Plane(normal), .. }] = elements {
        let shape = BodyShape::HalfSpace { normal: *normal };
        return Ok(Some(LinkShape { link_from_body: *link_from_element, shape, source: BodySource::default() }));
    }
    let meant = Meant::of_link(&raw.solid, &raw.surface, link, place)?;
    let mut source = BodySource { is_meant_surface: meant == Meant::Surface, ..BodySource::default() };
    let mut parts = Vec::with_capacity(elements.len());
    for element in elements {
        let (pose, shape) = read_part(element, path, packages, &mut source, builder)?;
        let shape = match shape {
            Shape::Mesh(mesh) => Shape::Mesh(meant.mesh(mesh, &format!("a mesh of {link:?}"), place)?),
            convex => convex,
        };
        parts.push((pose, shape));
    }
    if parts.is_empty() {
        return Ok(None);
    }
    let body = Body::new(parts)
        .map_err(|error| FormatError::new(path, error.to_string()).at(format!("<link name={link:?}>")))?;
    Ok(Some(LinkShape { link_from_body: Pose::IDENTITY, shape: BodyShape::Parts(body), source }))
}

pub(super) fn read_part(
    element: &UrdfElement,
    urdf: &Path,
    packages: &BTreeMap<String, PathBuf>,
    source: &mut BodySource,
    builder: &mut Builder<'_>,
) -> Result<(Pose, Shape), FormatError> {
    let shape = match &element.shape {
        UrdfShape::Convex(convex) => Shape::Convex(convex.clone()),
        UrdfShape::Plane(_) => {
            let problem = "a plane reaches to infinity and cannot share its link with other geometry";
            return Err(FormatError::new(urdf, problem).at(&element.place).remedy("give it a link of its own"));
        }
        UrdfShape::Mesh { uri, scale } => {
            let path = mesh_paths::resolve(uri, urdf, packages, builder.files)
                .map_err(|(problem, remedy)| FormatError::new(urdf, problem).at(&element.place).remedy(remedy))?;
            Shape::Mesh(builder.mesh(&path, *scale, source)?)
        }
    };
    Ok((element.link_from_element, shape))
}

pub(super) fn joint_spec(robot: &str, urdf: &Urdf, joint: &UrdfJoint) -> JointSpec {
    let name = |inner: &str| format!("{robot}/{inner}");
    let (parent, child) = (name(&urdf.links[joint.parent].name), name(&urdf.links[joint.child].name));
    let mimic = joint.mimic.map(|mimic| Mimic {
        joint: name(&urdf.joints[mimic.joint].name),
        multiplier: mimic.multiplier,
        offset: mimic.offset,
    });
    let limits = joint.limit.map(|[lower, upper]| vec![Some((lower, upper))]).unwrap_or_default();
    JointSpec {
        limits,
        speed_limit: joint.speed_limit,
        mimic,
        ..JointSpec::new(&name(&joint.name), joint.kind, &parent, &child, joint.parent_from_joint)
    }
}

/// The joint (by index) and component that a column of one robot means.
pub(super) fn find_column(
    urdf: &Urdf,
    key: &str,
    column: &str,
    place: &Place<'_>,
) -> Result<(usize, usize), FormatError> {
    let shown = excerpt(column);
    for (index, joint) in urdf.joints.iter().enumerate() {
        let suffixes = joint.kind.variable_suffixes();
        let component = suffixes.iter().position(|suffix| column.strip_suffix(suffix) == Some(joint.name.as_str()));
        if let (Some(component), None) = (component, joint.mimic) {
            return Ok((index, component));
        }
        if joint.name != column {
            continue;
        }
        let (why, remedy) = match joint.mimic {
            Some(mimic) => (
                format!("{shown:?} is a mimic joint"),
                format!("name {:?}, which it follows", urdf.joints[mimic.joint].name),
            ),
            None if suffixes.is_empty() => (format!("{shown:?} is a fixed joint"), "leave it out".to_owned()),
            None => {
                let columns: Vec<_> = suffixes.iter().map(|suffix| format!("{column}{suffix}")).collect();
                (format!("{shown:?} has several values"), format!("name {}", columns.join(", ")))
            }
        };
        return Err(place.error(key, why, remedy));
    }
    let names: Vec<&str> = urdf.joints.iter().map(|joint| joint.name.as_str()).collect();
    let remedy = suggest(column, &names).unwrap_or_else(|| "name a joint of this robot".to_owned());
    Err(place.error(key, format!("the robot has no joint {shown:?}"), remedy))
}

/// Value in the unit of its joint.
pub(super) fn measured(
    typed: Quantity,
    kind: VariableKind,
    key: &str,
    column: &str,
    place: &Place<'_>,
) -> Result<f64, FormatError> {
    let remedy = "angles of revolute joints take deg or rad, travels of prismatic ones m, cm or mm";
    typed.of(kind).map_err(|error| place.error(key, format!("{:?}: {error}", excerpt(column)), remedy))
}

fn apply_bounds(raw: &RawRobot, urdf: &Urdf, joints: &mut [JointSpec], place: &Place<'_>) -> Result<(), FormatError> {
    for (column, &typed) in &raw.bounds {
        let (index, component) = find_column(urdf, "bounds", column, place)?;
        let kind = joints[index].kind.variable_kinds()[component];
        let [lower, upper] = typed.map(|bound| measured(bound, kind, "bounds", column, place));
        let (lower, upper) = (lower?, upper?);
        place.check_finite("bounds", &[lower, upper])?;
        let (joint, shown) = (&mut joints[index], excerpt(column));
        if lower > upper {
            let problem = format!("the bounds of {shown:?} are [{lower}, {upper}]");
            return Err(place.error("bounds", problem, "write the lower one first"));
        }
        if joint.kind == JointKind::Floating && component >= 3 {
            let problem = format!("{shown:?} is part of a quaternion, which takes no bounds");
            return Err(place.error("bounds", problem, "leave it out; rotations are free"));
        }
        joint.limits.resize(joint.kind.variable_count(), None);
        if let Some((own_lower, own_upper)) = joint.limits[component] {
            let problem = format!("{shown:?} has limits in the URDF already, [{own_lower}, {own_upper}]");
            return Err(place.error("bounds", problem, "leave it out, or change the URDF"));
        }
        joint.limits[component] = Some((lower, upper));
    }
    Ok(())
}

fn check_positions(raw: &RawRobot, urdf: &Urdf, place: &Place<'_>) -> Result<Vec<(String, f64)>, FormatError> {
    let check = |(column, typed): (&String, &Quantity)| {
        let (index, component) = find_column(urdf, "positions", column, place)?;
        let kind = urdf.joints[index].kind.variable_kinds()[component];
        let value = measured(*typed, kind, "positions", column, place)?;
        place.check_finite("positions", &[value])?;
        Ok((format!("{}/{column}", raw.name), value))
    };
    raw.positions.iter().map(check).collect()
}
