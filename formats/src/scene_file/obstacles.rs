//! Obstacles of a scene file: one shape each, in the world or attached to a link.

use super::BodySource;
use super::build::Builder;
use super::raw::{Place, RawObstacle, Scale};
use super::still;
use super::surfaces::Meant;
use crate::quantity::Length;
use crate::{FormatError, mesh_paths};
use pathproof::numeric::DVec3;
use pathproof::scene::BodyShape;
use pathproof::shapes::{Body, Convex};

/// The shape of an obstacle, in the body's own frame.
pub(super) fn shape(
    raw: &RawObstacle,
    place: &Place<'_>,
    source: &mut BodySource,
    builder: &mut Builder<'_>,
) -> Result<BodyShape, FormatError> {
    const KEYS: [&str; 7] = ["box", "sphere", "cylinder", "capsule", "plane", "mesh", "urdf"];
    let given = [
        raw.cuboid.is_some(),
        raw.sphere.is_some(),
        raw.cylinder.is_some(),
        raw.capsule.is_some(),
        raw.plane.is_some(),
        raw.mesh.is_some(),
        raw.urdf.is_some(),
    ];
    if given.iter().filter(|given| **given).count() != 1 {
        let named: Vec<&str> = KEYS.iter().zip(given).filter(|(_, given)| *given).map(|(key, _)| *key).collect();
        let problem = if named.is_empty() {
            "no shape is given".to_owned()
        } else {
            format!("several shapes are given: {}", named.join(", "))
        };
        return Err(place.error("", problem, "write exactly one of box, sphere, cylinder, capsule, plane, mesh, urdf"));
    }
    if raw.scale.is_some() && raw.mesh.is_none() {
        return Err(place.error("scale", "only a mesh has a scale", "give the size in the shape itself"));
    }
    if raw.urdf.is_none() && (raw.geometry.is_some() || !raw.configuration.is_empty()) {
        let key = if raw.geometry.is_some() { "geometry" } else { "configuration" };
        return Err(place.error(key, "only an obstacle by `urdf` has it", "leave it out"));
    }
    if let Some(file) = &raw.urdf {
        return still::shape(raw, file, place, source, builder);
    }
    let meant = Meant::of(raw.solid, raw.surface, place)?;
    if meant != Meant::Nothing && raw.mesh.is_none() {
        let key = if meant == Meant::Solid { "solid" } else { "surface" };
        return Err(place.error(key, "only a mesh can be open; this shape is solid", "leave it out"));
    }
    match (&raw.mesh, raw.plane) {
        (Some(uri), _) => {
            source.has_meant_scale = raw.scale.is_some();
            let scale = raw.scale.map_or([1.0; 3], Scale::factors);
            read_mesh(uri, scale, meant, place, source, builder)
        }
        (None, Some(normal)) => half_space(normal, place),
        (None, None) => Ok(BodyShape::Parts(Body::from_convex(convex(raw, place)?))),
    }
}

fn convex(raw: &RawObstacle, place: &Place<'_>) -> Result<Convex, FormatError> {
    let metres = |length: Length| length.metres;
    let (key, shape) = if let Some(size) = raw.cuboid {
        ("box", Convex::cuboid(size.map(metres)))
    } else if let Some([radius, length]) = raw.cylinder {
        ("cylinder", Convex::cylinder(radius.metres, length.metres))
    } else if let Some([radius, length]) = raw.capsule {
        ("capsule", Convex::capsule(radius.metres, length.metres))
    } else {
        ("sphere", Convex::sphere(raw.sphere.unwrap_or_default().metres))
    };
    shape.map_err(|error| place.error(key, error.to_string(), "give sizes in metres, greater than 0"))
}

fn half_space(normal: [f64; 3], place: &Place<'_>) -> Result<BodyShape, FormatError> {
    place.check_finite("plane", &normal)?;
    let normal = DVec3::from_array(normal);
    // Scaled first, so that very short or long normals neither vanish nor overflow.
    let scaled = normal / normal.abs().max_element();
    if !scaled.is_finite() {
        return Err(place.error(
            "plane",
            "the normal has length 0",
            "write a direction such as [0, 0, 1] (solid below)",
        ));
    }
    Ok(BodyShape::HalfSpace { normal: scaled / scaled.length() })
}

fn read_mesh(
    uri: &str,
    scale: [f64; 3],
    meant: Meant,
    place: &Place<'_>,
    source: &mut BodySource,
    builder: &mut Builder<'_>,
) -> Result<BodyShape, FormatError> {
    place.check_finite("scale", &scale)?;
    if scale.contains(&0.0) {
        return Err(place.error(
            "scale",
            "a scale of 0 flattens the mesh",
            "use factors other than 0; 1 keeps the size",
        ));
    }
    let path = mesh_paths::resolve(uri, &place.lines.path, &Default::default(), builder.files)
        .map_err(|(problem, remedy)| place.error("mesh", problem, remedy))?;
    let mesh = meant.mesh(builder.mesh(&path, scale, source)?, &path.display().to_string(), place)?;
    source.is_meant_surface = meant == Meant::Surface;
    Ok(BodyShape::Parts(Body::from_mesh(mesh)))
}
