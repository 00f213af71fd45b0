//! What a body is made of before trees are built over it: exact convex pieces, meshes and half-spaces.

use std::sync::Arc;

use crate::numeric::{DVec3, Pose};
use crate::shapes::Convex;

/// The geometry of one body: the union of its parts.
#[derive(Clone, Debug, Default)]
pub struct Geometry {
    /// The parts, in the order of the file.
    pub parts: Vec<GeometryPart>,
}

/// One shape of a body.
#[derive(Clone, Debug)]
pub struct GeometryPart {
    /// Where the shape sits in the body.
    pub body_from_part: Pose,
    /// The shape.
    pub shape: PartShape,
}

/// A shape. Closed set.
#[derive(Clone, Debug)]
pub enum PartShape {
    /// Exact and convex.
    Convex(Convex),
    /// Triangles; scale is already applied.
    Mesh(Arc<RawMesh>),
    /// The half-space below the plane through the part's origin.
    HalfSpace {
        /// Unit vector that points out of the solid side.
        normal: DVec3,
    },
}

/// Triangles as a file gives them.
#[derive(Clone, Debug)]
pub struct RawMesh {
    /// Corners in the part's frame, in metres.
    pub vertices: Vec<DVec3>,
    /// Three indices into `vertices` each; counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Where it came from, for messages.
    pub source: String,
}

impl Geometry {
    /// A body of one convex shape.
    pub fn convex(shape: Convex) -> Self {
        Self::one(PartShape::Convex(shape))
    }

    /// A body of one mesh.
    pub fn mesh(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Self {
        Self::one(PartShape::Mesh(Arc::new(RawMesh { vertices, triangles, source: String::new() })))
    }

    fn one(shape: PartShape) -> Self {
        Self { parts: vec![GeometryPart { body_from_part: Pose::IDENTITY, shape }] }
    }

    /// Number of triangles in all meshes.
    pub fn triangle_count(&self) -> usize {
        self.meshes().map(|mesh| mesh.triangles.len()).sum()
    }

    /// Number of exact convex pieces, half-spaces included.
    pub fn convex_count(&self) -> usize {
        self.parts.len() - self.meshes().count()
    }

    /// The meshes.
    pub fn meshes(&self) -> impl Iterator<Item = &RawMesh> {
        self.parts.iter().filter_map(|part| match &part.shape {
            PartShape::Mesh(mesh) => Some(&**mesh),
            _ => None,
        })
    }

    /// Whether every part is convex, so that penetration has a depth.
    pub fn is_made_of_convex_pieces(&self) -> bool {
        self.meshes().next().is_none()
    }

    /// Whether it has a half-space, which reaches to infinity.
    pub fn has_half_space(&self) -> bool {
        self.parts.iter().any(|part| matches!(part.shape, PartShape::HalfSpace { .. }))
    }
}
