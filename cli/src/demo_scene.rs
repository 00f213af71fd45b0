//! Generated cell of the demo: a six-joint arm of the IRB 2400's proportions with a welding torch, in a wire cage. All
//! bodies are closed triangle meshes, as CAD files have them.

use std::f64::consts::{PI, TAU};

use anyhow::Result;
use pathproof::numeric::{DMat3, DVec3, Pose, sin_cos};
use pathproof::robot::{JointKind, JointSpec, Model};
use pathproof::scene::{BodyShape, Role, Scene, SceneBody, SceneParts};
use pathproof::shapes::{Body, Shape, TriangleMesh};

const X: DVec3 = DVec3::X;
const Y: DVec3 = DVec3::Y;
const Z: DVec3 = DVec3::Z;

/// Half the width of the cage, its bottom and top, in metres.
const CAGE: (f64, f64, f64) = (0.96, 0.1, 1.72);
/// Meshes of the cage along its width and its height.
const MESHES: (u32, u32) = (6, 5);
/// Radius of a bar in metres.
const BAR: f64 = 0.004;

/// Arm and cage with the default clearance and tolerance.
pub(crate) fn scene() -> Result<Scene> {
    let links =
        ["world", "arm/base", "arm/link_1", "arm/link_2", "arm/link_3", "arm/link_4", "arm/link_5", "arm/torch"];
    let model = Model::new("world", links.map(str::to_owned).to_vec(), joints())?;
    let mut parts = SceneParts::new(model);
    for (link, (name, shapes)) in links.iter().zip(link_shapes()).enumerate().skip(1) {
        let shape = BodyShape::Parts(Body::new(meshes(shapes)?)?);
        parts.bodies.push(SceneBody {
            name: (*name).into(),
            role: Role::Link,
            link,
            link_from_body: Pose::IDENTITY,
            shape,
        });
    }
    for (k, (from, to)) in bars().into_iter().enumerate() {
        let shape = BodyShape::Parts(Body::new(meshes(vec![rod(from, to, BAR, 8)])?)?);
        let name = format!("bar_{}", k + 1);
        parts.bodies.push(SceneBody { name, role: Role::Obstacle, link: 0, link_from_body: Pose::IDENTITY, shape });
    }
    Ok(Scene::new(parts)?)
}

/// Origins, axes and limits of the IRB 2400.
fn joints() -> Vec<JointSpec> {
    let joint = |k: usize, child: &str, origin: DVec3, axis: DVec3, lower: f64, upper: f64| {
        let parent = if k == 1 { "arm/base".to_owned() } else { format!("arm/link_{}", k - 1) };
        let name = format!("arm/joint_{k}");
        let kind = JointKind::Revolute { axis };
        let spec = JointSpec::new(&name, kind, &parent, child, Pose::from_translation(origin));
        JointSpec { limits: vec![Some((lower, upper))], ..spec }
    };
    vec![
        JointSpec::new("arm/foot", JointKind::Fixed, "world", "arm/base", Pose::IDENTITY),
        joint(1, "arm/link_1", DVec3::ZERO, Z, -PI, PI),
        joint(2, "arm/link_2", v(0.1, 0.0, 0.615), Y, -1.7453, 1.9199),
        joint(3, "arm/link_3", v(0.0, 0.0, 0.705), Y, -PI / 3.0, 1.1345),
        joint(4, "arm/link_4", v(0.258, 0.0, 0.135), X, -3.49, 3.49),
        joint(5, "arm/link_5", v(0.497, 0.0, 0.0), Y, -2.0944, 2.0944),
        joint(6, "arm/torch", v(0.085, 0.0, 0.0), X, -6.9813, 6.9813),
    ]
}

/// The solids of every link, each in the link's frame; the world has none.
fn link_shapes() -> Vec<Vec<Solid>> {
    let hub = |centre: DVec3, half: f64, radius: f64| rod(centre - half * Y, centre + half * Y, radius, 28);
    let cheek = |y: f64| beam(v(0.02, y, 0.36), v(0.1, y, 0.615), [0.035, 0.15], [0.035, 0.11]);
    let rear = |y: f64| rod(v(-0.28, y, 0.135), v(-0.05, y, 0.135), 0.05, 16);
    let prong = |y: f64| beam(v(0.33, y, 0.0), v(0.497, y, 0.0), [0.012, 0.05], [0.012, 0.04]);
    let boss = |y: f64| rod(v(0.497, y - 0.012, 0.0), v(0.497, y + 0.012, 0.0), 0.048, 16);
    let bend = v(0.17, 0.0, 0.0);
    let tip = v(0.25, 0.0, -0.08);
    vec![
        vec![],
        vec![
            cone(DVec3::ZERO, 0.06 * Z, 0.30, 0.27, 28),
            cone(0.05 * Z, 0.28 * Z, 0.25, 0.21, 28),
            beam(v(-0.28, 0.0, 0.05), v(-0.28, 0.0, 0.23), [0.08, 0.12], [0.08, 0.12]),
        ],
        vec![
            cone(0.285 * Z, 0.40 * Z, 0.23, 0.19, 28),
            cheek(0.14),
            cheek(-0.14),
            hub(v(0.1, 0.0, 0.615), 0.19, 0.11),
            rod(v(-0.13, 0.0, 0.36), v(-0.13, 0.0, 0.52), 0.07, 20),
        ],
        vec![
            hub(DVec3::ZERO, 0.1, 0.105),
            beam(DVec3::ZERO, 0.705 * Z, [0.095, 0.085], [0.07, 0.07]),
            hub(0.705 * Z, 0.085, 0.09),
        ],
        vec![
            hub(DVec3::ZERO, 0.12, 0.095),
            beam(-0.03 * Z, 0.2 * Z, [0.1, 0.11], [0.1, 0.09]),
            cone(v(0.05, 0.0, 0.135), v(0.25, 0.0, 0.135), 0.1, 0.085, 24),
            rear(0.055),
            rear(-0.055),
        ],
        vec![cone(DVec3::ZERO, 0.365 * X, 0.08, 0.07, 24), prong(0.064), prong(-0.064), boss(0.064), boss(-0.064)],
        vec![hub(DVec3::ZERO, 0.049, 0.046), cone(DVec3::ZERO, 0.07 * X, 0.044, 0.04, 20)],
        // Flange, body, and a neck bent by 45°.
        vec![
            rod(-0.012 * X, 0.004 * X, 0.04, 24),
            rod(DVec3::ZERO, bend, 0.016, 16),
            cone(bend - 0.006 * X, tip, 0.009, 0.006, 12),
        ],
    ]
}

/// End points of the bars: uprights and rings around, a grid on top.
fn bars() -> Vec<(DVec3, DVec3)> {
    let (half, bottom, top) = CAGE;
    let (across, up) = MESHES;
    let at = |k: u32| -half + 2.0 * half * f64::from(k) / f64::from(across);
    let mut bars = Vec::new();
    for k in 0..=across {
        bars.push((v(at(k), -half, bottom), v(at(k), -half, top)));
        bars.push((v(at(k), half, bottom), v(at(k), half, top)));
        if k > 0 && k < across {
            bars.push((v(-half, at(k), bottom), v(-half, at(k), top)));
            bars.push((v(half, at(k), bottom), v(half, at(k), top)));
            bars.push((v(at(k), -half, top), v(at(k), half, top)));
            bars.push((v(-half, at(k), top), v(half, at(k), top)));
        }
    }
    for k in 0..=up {
        let z = bottom + (top - bottom) * f64::from(k) / f64::from(up);
        let corners = [v(-half, -half, z), v(half, -half, z), v(half, half, z), v(-half, half, z)];
        bars.extend((0..4).map(|i| (corners[i], corners[(i + 1) % 4])));
    }
    bars
}

/// Vertices and triangles of a closed mesh.
type Solid = (Vec<DVec3>, Vec<[u32; 3]>);

fn meshes(solids: Vec<Solid>) -> Result<Vec<(Pose, Shape)>> {
    let part = |(vertices, triangles)| Ok((Pose::IDENTITY, Shape::Mesh(TriangleMesh::new(vertices, triangles)?)));
    solids.into_iter().map(part).collect()
}

fn rod(from: DVec3, to: DVec3, radius: f64, sides: u32) -> Solid {
    cone(from, to, radius, radius, sides)
}

/// A frustum from one point to another.
fn cone(from: DVec3, to: DVec3, radius_from: f64, radius_to: f64, sides: u32) -> Solid {
    let ring = |radius: f64| {
        let corner = |k: u32| sin_cos(TAU * f64::from(k) / f64::from(sides));
        (0..sides).map(corner).map(|(s, c)| [radius * c, radius * s]).collect()
    };
    prism(from, to, ring(radius_from), ring(radius_to))
}

/// A tapered beam with chamfered rectangular ends, given by half widths.
fn beam(from: DVec3, to: DVec3, half_from: [f64; 2], half_to: [f64; 2]) -> Solid {
    let section = |[x, y]: [f64; 2]| {
        let c = 0.3 * x.min(y);
        vec![[x, c - y], [x, y - c], [x - c, y], [c - x, y], [-x, y - c], [-x, c - y], [c - x, -y], [x - c, -y]]
    };
    prism(from, to, section(half_from), section(half_to))
}

/// Two convex sections, counter-clockwise seen from `to`, joined to a solid.
fn prism(from: DVec3, to: DVec3, bottom: Vec<[f64; 2]>, top: Vec<[f64; 2]>) -> Solid {
    let axis = to - from;
    let z = axis.normalize();
    // x is the coordinate axis farthest from z, made perpendicular to it.
    let start = [X, Y, Z].into_iter().min_by(|a, b| a.dot(z).abs().total_cmp(&b.dot(z).abs())).unwrap_or(X);
    let x = (start - z * start.dot(z)).normalize();
    let place = Pose { rotation: DMat3::from_cols(x, z.cross(x), z), translation: from };
    let n = bottom.len() as u32;
    let at = |section: Vec<[f64; 2]>, height: f64| -> Vec<DVec3> {
        section.into_iter().map(|[x, y]| place.point(v(x, y, height))).collect()
    };
    let vertices = [at(bottom, 0.0), at(top, axis.length())].concat();
    let mut triangles = Vec::new();
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[i, j, n + j], [i, n + j, n + i]]);
    }
    for k in 1..n - 1 {
        triangles.extend([[0, k + 1, k], [n, n + k, n + k + 1]]);
    }
    (vertices, triangles)
}

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

#[cfg(test)]
mod files;
