//! The bodies of a scene: a shape, the link that carries it, and its role.

use crate::numeric::{DVec3, Pose};
use crate::shapes::{Body, Component};

/// Role of a body in the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The geometry of a robot's link: all its elements are one body.
    Link,
    /// A fixed body in the world.
    Obstacle,
    /// An object that moves with a link.
    Attached,
}

/// A rigid body that can collide.
#[derive(Clone, Debug)]
pub struct SceneBody {
    /// Unique name: `robot/link` or the obstacle's.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Index of the link that carries it; 0 is the world.
    pub link: usize,
    /// Pose of its shape's frame in that link.
    pub link_from_body: Pose,
    /// Its shape.
    pub shape: BodyShape,
}

/// The shape of a body.
#[derive(Clone, Debug)]
pub enum BodyShape {
    /// Meshes and convex pieces. Coordinates are about [`Body::centre`], which is a point of the body's frame.
    Parts(Body),
    /// Everything below the plane through the body's origin.
    HalfSpace {
        /// Unit vector that points out of the solid side.
        normal: DVec3,
    },
}

/// Contents of a shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShapeSummary {
    /// Triangles in all meshes, after identical ones were merged.
    pub triangles: usize,
    /// Closed components of meshes.
    pub solids: usize,
    /// Open or double-sided components of meshes.
    pub surfaces: usize,
    /// Exact convex pieces, a half-space included.
    pub convex_pieces: usize,
}

impl std::fmt::Display for ShapeSummary {
    /// `solid`, `surface`, `convex`, or the number of each.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kinds = [(self.solids, "solid"), (self.surfaces, "surface"), (self.convex_pieces, "convex")];
        let mut words = kinds.iter().filter(|(count, _)| *count > 0).map(|(count, kind)| match count {
            1 => (*kind).to_owned(),
            _ => format!("{count} {kind}"),
        });
        write!(f, "{}", words.next().unwrap_or_default())?;
        words.try_for_each(|word| write!(f, " + {word}"))
    }
}

impl BodyShape {
    /// Counts its contents.
    pub fn summary(&self) -> ShapeSummary {
        match self {
            Self::HalfSpace { .. } => ShapeSummary { convex_pieces: 1, ..ShapeSummary::default() },
            Self::Parts(body) => {
                let solids = body.components().iter().filter(|component| Component::is_solid(component)).count();
                ShapeSummary {
                    triangles: body.triangles().len(),
                    solids,
                    surfaces: body.components().len() - solids,
                    convex_pieces: body.pieces().len(),
                }
            }
        }
    }

    /// True if every part is convex, so that penetration has a depth.
    pub fn is_made_of_convex_pieces(&self) -> bool {
        match self {
            Self::Parts(body) => body.triangles().is_empty(),
            Self::HalfSpace { .. } => true,
        }
    }

    /// True if it reaches to infinity.
    pub fn is_half_space(&self) -> bool {
        matches!(self, Self::HalfSpace { .. })
    }
}
