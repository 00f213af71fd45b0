//! A body in words and numbers: its shape, size and place. This exposes meshes in the wrong unit.

use pathproof::numeric::{DVec3, Pose};
use pathproof::robot::Kinematics;
use pathproof::scene::{BodyShape, Scene, SceneBody};
use pathproof::shapes::{Aabb, Body, Convex, Core};

use crate::numbers::{counted, rounded};

/// Size and place of a body that is not infinite.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// Edges of the box around it, along the axes of its link or of the obstacle.
    pub(super) size: [f64; 3],
    /// The middle of that box in the world.
    pub(super) centre: [f64; 3],
}

/// Extents of all bodies at a configuration.
pub(super) fn extents(scene: &Scene, q: &[f64]) -> Vec<Option<Extent>> {
    let mut kinematics = Kinematics::new(scene.model());
    kinematics.set_configuration(q);
    let extent = |body: &SceneBody| {
        let BodyShape::Parts(parts) = &body.shape else { return None };
        let bounds = bounds(parts);
        let world_from_body = kinematics.world_from_link(scene.model(), body.link) * body.link_from_body;
        let centre = world_from_body.point(parts.centre() + bounds.centre());
        Some(Extent { size: shown(bounds.size()), centre: shown(centre) })
    };
    scene.bodies().iter().map(extent).collect()
}

/// Bounds about the body's centre.
fn bounds(parts: &Body) -> Aabb {
    let pieces = parts.pieces().iter().map(|piece| match exact(piece.shape.core(), piece.shape.radius()) {
        // The exact box of a primitive along the axes is known, without the margin of its bounds for rounding.
        Some(half) if piece.centre_from_piece.rotation == Pose::IDENTITY.rotation => {
            let centre = piece.centre_from_piece.translation;
            Aabb { min: centre - half, max: centre + half }
        }
        _ => piece.shape.aabb(&piece.centre_from_piece),
    });
    pieces.fold(Aabb::of(parts.vertices().iter().copied()), Aabb::union)
}

fn exact(core: &Core, ball: f64) -> Option<DVec3> {
    let half = match *core {
        Core::Point => DVec3::ZERO,
        Core::Segment { half_length } => DVec3::Z * half_length,
        Core::Box { half } => half,
        Core::Cylinder { radius, half_length } | Core::Cone { radius, half_length } => {
            DVec3::new(radius, radius, half_length)
        }
        Core::Triangle(_) | Core::Hull(_) => return None,
    };
    Some(half + ball)
}

/// Rounds to nine decimals, without the residue of arithmetic.
fn shown(v: DVec3) -> [f64; 3] {
    let clean = |x: f64| if x.abs() < 1e6 { (x * 1e9).round() / 1e9 + 0.0 } else { x };
    v.to_array().map(clean)
}

/// `box`, `cylinder`, …, `mesh`, or `compound` for several pieces.
pub(super) fn kind(shape: &BodyShape) -> &'static str {
    let BodyShape::Parts(parts) = shape else { return "plane" };
    match (parts.triangles().is_empty(), parts.pieces()) {
        (true, [piece]) => kind_of(&piece.shape),
        (false, []) => "mesh",
        _ => "compound",
    }
}

fn kind_of(shape: &Convex) -> &'static str {
    match shape.core() {
        Core::Point => "sphere",
        Core::Segment { .. } => "capsule",
        Core::Triangle(_) => "triangle",
        Core::Box { .. } => "box",
        Core::Cylinder { .. } => "cylinder",
        Core::Cone { .. } => "cone",
        Core::Hull(_) => "hull",
    }
}

/// `box`, `1,200 triangles, solid` or `2 boxes, 1 sphere`.
pub(super) fn words(shape: &BodyShape, triangles: usize) -> String {
    let BodyShape::Parts(parts) = shape else { return "plane".to_owned() };
    if let (true, [_]) = (parts.triangles().is_empty(), parts.pieces()) {
        return kind(shape).to_owned();
    }
    let mut words = Vec::new();
    if !parts.triangles().is_empty() {
        words.push(counted(triangles, "triangle"));
        words.push(mesh_words(parts));
    }
    for kind in ["box", "sphere", "cylinder", "capsule", "cone", "hull", "triangle"] {
        let count = parts.pieces().iter().filter(|piece| kind_of(&piece.shape) == kind).count();
        match (count, kind) {
            (0, _) => {}
            (2.., "box") => words.push(format!("{count} boxes")),
            _ => words.push(counted(count, kind)),
        }
    }
    words.join(", ")
}

/// `solid + 2 surface (12 open edges)`
fn mesh_words(parts: &Body) -> String {
    let solids = parts.components().iter().filter(|component| component.is_solid()).count();
    let surfaces = parts.components().len() - solids;
    let counted = |count: usize, kind: &str| match count {
        0 => None,
        1 => Some(kind.to_owned()),
        _ => Some(format!("{count} {kind}")),
    };
    let kinds: Vec<String> = counted(solids, "solid").into_iter().chain(counted(surfaces, "surface")).collect();
    let mut words = vec![kinds.join(" + ")];
    let open_edges = parts.surfaces().open_edges;
    if open_edges > 0 {
        words.push(format!("({open_edges} open edges)"));
    }
    if parts.components().iter().any(|component| component.is_solid() && component.open_edges > 0) {
        words.push("(holes closed)".to_owned());
    }
    words.join(" ")
}

impl Extent {
    /// `1.2 × 0.8 × 0.05 m at (0.8, 0, 0.7)`
    pub(super) fn words(&self) -> String {
        let [size, centre] = [self.size, self.centre].map(|v| v.map(rounded));
        format!("{} m at ({})", size.join(" × "), centre.join(", "))
    }
}
