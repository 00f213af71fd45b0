//! Obstacle described by a URDF: all its links as one body, which stands still at a configuration.

use std::path::Path;

use super::BodySource;
use super::build::Builder;
use super::raw::{Place, RawObstacle, Which};
use super::robots::{find_column, joint_spec, measured, missing, read_part};
use super::surfaces::Meant;
use crate::urdf::{self, Urdf, UrdfElement, UrdfShape};
use crate::{FormatError, excerpt};
use pathproof::numeric::Pose;
use pathproof::robot::{Kinematics, Model, VariableKind};
use pathproof::scene::BodyShape;
use pathproof::shapes::{Body, Shape};

/// Body of all links, in the frame of the root link.
pub(super) fn shape(
    raw: &RawObstacle,
    file: &Path,
    place: &Place<'_>,
    source: &mut BodySource,
    builder: &mut Builder<'_>,
) -> Result<BodyShape, FormatError> {
    let path = place.lines.sibling(file);
    if !builder.files.is_file(&path) {
        return Err(missing(place, "urdf", &path));
    }
    let mut urdf = urdf::parse(&builder.files.text(&path)?, &path)?;
    builder.warnings.append(&mut urdf.warnings);
    let poses = link_poses(raw, &urdf, &path, place)?;
    let meant = Meant::of(raw.solid, raw.surface, place)?;
    source.is_meant_surface = meant == Meant::Surface;
    let (mut parts, mut unchecked) = (Vec::new(), Vec::new());
    for (link, root_from_link) in urdf.links.iter().zip(poses) {
        let (elements, other) = match raw.geometry.unwrap_or_default() {
            Which::Collision => (&link.collision, &link.visual),
            Which::Visual => (&link.visual, &link.collision),
        };
        if elements.is_empty() && !other.is_empty() {
            unchecked.push(link.name.as_str());
        }
        for element in elements {
            let element: &UrdfElement = element.as_ref().map_err(Clone::clone)?;
            if matches!(element.shape, UrdfShape::Plane(_)) {
                let problem = format!("the link {:?} is a plane, which reaches to infinity", excerpt(&link.name));
                return Err(place.error("urdf", problem, "write it as an obstacle of its own: plane = [0, 0, 1]"));
            }
            let (link_from_part, shape) = read_part(element, &path, &Default::default(), source, builder)?;
            let shape = match shape {
                Shape::Mesh(mesh) => {
                    Shape::Mesh(meant.mesh(mesh, &format!("a mesh of {:?}", excerpt(&link.name)), place)?)
                }
                convex => convex,
            };
            parts.push((root_from_link * link_from_part, shape));
        }
    }
    if !unchecked.is_empty() {
        let message = "links have geometry of the other kind only and are not checked";
        builder.warnings.push(place.warning(&format!("{} {message}: {}", unchecked.len(), unchecked.join(", "))));
    }
    if parts.is_empty() {
        let problem = format!("{} has no geometry of this kind", path.display());
        return Err(place.error("urdf", problem, "write geometry = \"visual\" (or \"collision\")"));
    }
    let body = Body::new(parts).map_err(|error| FormatError::new(&path, error.to_string()))?;
    Ok(BodyShape::Parts(body))
}

/// Poses of the links in the root's frame, with joints at `configuration`, else at zero.
fn link_poses(raw: &RawObstacle, urdf: &Urdf, path: &Path, place: &Place<'_>) -> Result<Vec<Pose>, FormatError> {
    let name = |link: usize| format!("{}/{}", raw.name, urdf.links[link].name);
    // The root comes first.
    let others = (0..urdf.links.len()).filter(|&link| link != urdf.root);
    let links: Vec<String> = std::iter::once(urdf.root).chain(others).map(name).collect();
    let joints = urdf.joints.iter().map(|joint| joint_spec(&raw.name, urdf, joint)).collect();
    let model = Model::new(&name(urdf.root), links, joints)
        .map_err(|error| FormatError::new(path, format!("its links do not make a tree: {error}")))?;
    let mut q = model.zero_configuration();
    for (column, typed) in &raw.configuration {
        let (joint, component) = find_column(urdf, "configuration", column, place)?;
        let kind = urdf.joints[joint].kind.variable_kinds()[component];
        if kind == VariableKind::Quaternion {
            let problem = format!("{:?} is part of a rotation", excerpt(column));
            return Err(place.error("configuration", problem, "turn the obstacle by rpy or quat"));
        }
        let value = measured(*typed, kind, "configuration", column, place)?;
        place.check_finite("configuration", &[value])?;
        let variable = model.variable(&format!("{}/{column}", raw.name));
        q[variable.expect("the column was found")] = value;
    }
    let mut kinematics = Kinematics::new(&model);
    kinematics.set_configuration(&q);
    let pose = |link: usize| kinematics.world_from_link(&model, model.link(&name(link)).expect("a link of the model"));
    Ok((0..urdf.links.len()).map(pose).collect())
}
