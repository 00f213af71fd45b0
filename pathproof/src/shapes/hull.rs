//! Convex hulls of point sets.

use super::{MAX_COORDINATE, ShapeError};
use crate::numeric::DVec3;

/// The convex hull of a set of points.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    vertices: Vec<DVec3>,
}

impl Hull {
    /// The hull of `points`.
    pub fn new(points: &[DVec3]) -> Result<Self, ShapeError> {
        if points.is_empty() {
            return Err(ShapeError::Empty("points"));
        }
        for (vertex, p) in points.iter().enumerate() {
            if let Some(&value) = p.to_array().iter().find(|c| !(c.abs() < MAX_COORDINATE)) {
                return Err(ShapeError::BadCoordinate { vertex, value });
            }
        }
        Ok(Self { vertices: points.to_vec() })
    }

    /// The vertices.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// A vertex farthest along `direction`.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let mut best = self.vertices[0];
        for v in &self.vertices[1..] {
            if v.dot(direction) > best.dot(direction) {
                best = *v;
            }
        }
        best
    }
}
