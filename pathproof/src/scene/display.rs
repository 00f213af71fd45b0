//! Triangles for display only: exact shapes are approximated here.

use super::{BodyShape, Scene};
use crate::numeric::{DVec3, Pose, sin_cos};
use crate::shapes::{Body, Convex, Core};

/// Sides of a circle.
const SIDES: u32 = 32;
/// Bands from pole to pole of a ball.
const BANDS: u32 = 16;
/// Half the edge of the square that stands for a plane, in metres.
const HALF_PLANE: f64 = 5.0;

/// Vertices and triangles of one body.
#[derive(Clone, Debug, Default)]
pub struct DisplayMesh {
    /// Corners.
    pub vertices: Vec<DVec3>,
    /// Three corners each.
    pub triangles: Vec<[u32; 3]>,
}

impl Scene {
    /// A body's triangles about a point near it, and the pose of that point's frame in the body's link.
    pub fn display(&self, body: usize) -> (Pose, DisplayMesh) {
        let body = &self.bodies()[body];
        match &body.shape {
            BodyShape::HalfSpace { normal } => {
                let mut mesh = DisplayMesh::default();
                mesh.add_square(*normal);
                (body.link_from_body, mesh)
            }
            BodyShape::Parts(parts) => {
                (body.link_from_body * Pose::from_translation(parts.centre()), DisplayMesh::of_body(parts))
            }
        }
    }
}

impl DisplayMesh {
    /// The triangles of a body, about its centre.
    pub fn of_body(body: &Body) -> Self {
        let mut mesh = Self { vertices: body.vertices().to_vec(), triangles: body.triangles().to_vec() };
        for piece in body.pieces() {
            mesh.add_convex(&piece.shape, &piece.centre_from_piece);
        }
        mesh
    }

    fn add_square(&mut self, normal: DVec3) {
        let (u, v) = normal.any_orthonormal_pair();
        let corners = [-u - v, u - v, u + v, v - u];
        self.vertices.extend(corners.map(|corner| corner * HALF_PLANE));
        self.triangles.extend([[0, 1, 2], [0, 2, 3]]);
    }

    /// The support points of directions all around: corners are met exactly, round parts approximately.
    fn add_convex(&mut self, shape: &Convex, centre_from_piece: &Pose) {
        if let Core::Box { half } = shape.core()
            && shape.radius() == 0.0
        {
            return self.add_box(*half, centre_from_piece);
        }
        let first = self.vertices.len() as u32;
        for direction in directions() {
            let point = shape.core_support(direction) + direction * shape.radius();
            self.vertices.push(centre_from_piece.point(point));
        }
        for band in 0..BANDS {
            for side in 0..SIDES {
                let next = (side + 1) % SIDES;
                let [a, b] = [side, next].map(|s| first + band * SIDES + s);
                let [c, d] = [a + SIDES, b + SIDES];
                self.add_triangle([a, c, b]);
                self.add_triangle([b, c, d]);
            }
        }
    }

    fn add_box(&mut self, half: DVec3, centre_from_piece: &Pose) {
        let first = self.vertices.len() as u32;
        for corner in 0..8 {
            let sign = |bit: u32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
            self.vertices.push(centre_from_piece.point(half * DVec3::new(sign(0), sign(1), sign(2))));
        }
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        for [a, b, c, d] in quads {
            self.triangles.extend([[a, b, c], [a, c, d]].map(|triangle| triangle.map(|v: u32| v + first)));
        }
    }

    fn add_triangle(&mut self, corners: [u32; 3]) {
        let [a, b, c] = corners.map(|v| self.vertices[v as usize]);
        if a != b && b != c && c != a {
            self.triangles.push(corners);
        }
    }
}

/// Rings of directions from the top pole to the bottom one.
fn directions() -> impl Iterator<Item = DVec3> {
    (0..=BANDS).flat_map(|band| {
        let (sin_polar, cos_polar) = match band {
            // Exact, so that the caps of cylinders close at their centres.
            BANDS => (0.0, -1.0),
            _ => sin_cos(std::f64::consts::PI * f64::from(band) / f64::from(BANDS)),
        };
        // Half a step off the axes, so that no direction is square to a side of a hull.
        let azimuth = move |side: u32| std::f64::consts::TAU * (f64::from(side) + 0.5) / f64::from(SIDES);
        (0..SIDES).map(move |side| {
            let (sin, cos) = sin_cos(azimuth(side));
            DVec3::new(sin_polar * cos, sin_polar * sin, cos_polar)
        })
    })
}
