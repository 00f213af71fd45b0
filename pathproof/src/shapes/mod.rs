//! Geometry, validated once: exact convex shapes, triangle meshes, and bodies made of both.
//!
//! Invariant: every coordinate of a constructed shape is finite; mathematics after construction cannot fail.

mod aabb;
mod body;
mod closing;
mod components;
mod convex;
mod folded;
mod hull;
mod inside;
mod mesh;
mod supports;

pub use aabb::Aabb;
pub use body::{Body, Piece, Primitive, Shape};
pub use closing::{Hole, LARGEST_HOLE, NotClosed, Surfaces};
pub use components::{Component, Enclosure};
pub use convex::{Convex, Core, CoreSupport, Feature};
pub use hull::Hull;
pub use inside::{Crossing, WindingCount, crossing};
pub use mesh::{Cleaning, TriangleMesh};
pub(crate) use supports::{Climbing, Cuboid, Scanning, Supports};

use thiserror::Error;

/// Reason why a shape could not be made.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ShapeError {
    /// A size that must be finite and positive is not.
    #[error("{what} must be finite and greater than 0, not {value}")]
    BadSize {
        /// Name of the size.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A coordinate is NaN, infinite, or so large (over 1e12 m) that its square loses meaning.
    #[error("vertex {vertex} has the coordinate {value}, which is not a finite number below 1e12")]
    BadCoordinate {
        /// Index of the vertex.
        vertex: usize,
        /// The offending coordinate.
        value: f64,
    },
    /// A triangle refers to a vertex that does not exist.
    #[error("triangle {triangle} refers to vertex {index}, but there are {vertices} vertices")]
    BadIndex {
        /// Index of the triangle.
        triangle: usize,
        /// The index it holds.
        index: u64,
        /// Number of vertices.
        vertices: usize,
    },
    /// A part's pose has numbers that are not finite.
    #[error("part {part} is placed at a pose that is not finite")]
    BadPose {
        /// Index of the part.
        part: usize,
    },
    /// There is no geometry.
    #[error("the shape is empty: it has no {0}")]
    Empty(&'static str),
    /// A convex hull failed its own verification; coordinates so small that products underflow can cause it.
    #[error("the convex hull of the points could not be verified: {0}")]
    UnverifiedHull(&'static str),
}

/// Coordinates beyond this (metres) are refused: no robot is that large, and their squares lose meaning.
pub const MAX_COORDINATE: f64 = 1e12;
