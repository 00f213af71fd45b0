//! Bodies: any mix of meshes and convex pieces that move as one, expressed about the body's own centre.
//!
//! Invariant: coordinates are small (about the centre), so that `f32` trees and relative poses lose nothing to the
//! distance of the geometry from its file's origin. [`Body::rounding`] bounds the rounding of the shift and of placing
//! parts.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use super::components::Component;
use super::{Aabb, Convex, ShapeError, TriangleMesh};
use crate::numeric::{DVec3, Pose, ROUNDOFF_F64, most, norm_up};

/// A part of a body before it is placed.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A triangle mesh.
    Mesh(TriangleMesh),
    /// An exact convex shape, solid.
    Convex(Convex),
}

/// A convex part of a body.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The shape.
    pub shape: Convex,
    /// Its pose, about the body's centre.
    pub centre_from_piece: Pose,
}

/// Primitive in a leaf of a tree.
#[derive(Clone, Copy, Debug)]
pub enum Primitive<'a> {
    /// A triangle, about the body's centre.
    Triangle([DVec3; 3]),
    /// A convex piece.
    Piece(&'a Piece),
}

/// The meshes of a body or a part of one.
struct MeshParts<'a> {
    vertices: &'a [DVec3],
    triangles: &'a [[u32; 3]],
    component_of: &'a [u32],
    components: &'a [Component],
}

/// Indices of a part's primitives.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    first_triangle: usize,
    first_piece: usize,
}

/// A rigid body of meshes and convex pieces.
///
/// ```
/// use pathproof::shapes::{Body, Convex, Shape};
/// use pathproof::numeric::{DVec3, Pose};
/// let head = (Pose::from_translation(DVec3::Z), Shape::Convex(Convex::sphere(0.2)?));
/// let handle = (Pose::IDENTITY, Shape::Convex(Convex::cylinder(0.05, 2.0)?));
/// let hammer = Body::new(vec![head, handle])?;
/// assert_eq!(hammer.primitives(), 2);
/// # Ok::<(), pathproof::shapes::ShapeError>(())
/// ```
///
/// Clones share their geometry.
#[derive(Clone, Debug)]
pub struct Body {
    centre: DVec3,
    vertices: Arc<[DVec3]>,
    triangles: Arc<[[u32; 3]]>,
    component_of: Arc<[u32]>,
    components: Arc<[Component]>,
    /// Triangles that close components, for the inside test only.
    pieces: Arc<[Piece]>,
    parts: Arc<[Part]>,
    radius: f64,
    rounding: f64,
    /// Data derived from the geometry so far, one of a kind.
    derived: Arc<Mutex<Vec<Arc<dyn Any + Send + Sync>>>>,
}

/// A body while its parts are placed.
#[derive(Default)]
struct Builder {
    centre: DVec3,
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    component_of: Vec<u32>,
    components: Vec<Component>,
    pieces: Vec<Piece>,
    parts: Vec<Part>,
    radius: f64,
    rounding: f64,
}

impl Body {
    /// A body of placed parts (`body_from_part`); at least one.
    pub fn new(parts: Vec<(Pose, Shape)>) -> Result<Self, ShapeError> {
        if parts.is_empty() {
            return Err(ShapeError::Empty("parts"));
        }
        if let Some(part) = parts.iter().position(|(pose, _)| !pose.is_finite()) {
            return Err(ShapeError::BadPose { part });
        }
        let bounds = parts.iter().map(|(pose, shape)| placed_aabb(pose, shape)).fold(Aabb::EMPTY, Aabb::union);
        let centre = coarse(bounds.centre(), bounds.size().max_element());
        let mut body = Builder { centre, ..Builder::default() };
        for (pose, shape) in parts {
            body.parts.push(Part { first_triangle: body.triangles.len(), first_piece: body.pieces.len() });
            match shape {
                Shape::Mesh(mesh) => body.add_mesh(&pose, mesh.parts()),
                Shape::Convex(shape) => body.add_piece(&pose, shape),
            }
        }
        Ok(body.finish())
    }

    /// Merges bodies that do not move relative to each other, placed by `whole_from_body`; they become the parts.
    pub fn merged(bodies: &[(Pose, &Self)]) -> Result<Self, ShapeError> {
        if bodies.is_empty() {
            return Err(ShapeError::Empty("bodies"));
        }
        if let Some(part) = bodies.iter().position(|(pose, _)| !pose.is_finite()) {
            return Err(ShapeError::BadPose { part });
        }
        let place = |pose: &Pose, body: &Self| Pose { translation: pose.point(body.centre), ..*pose };
        let mut bounds = Aabb::EMPTY;
        for (pose, body) in bodies {
            let whole_from_centre = place(pose, body);
            bounds = body.vertices.iter().fold(bounds, |bounds, p| bounds.with(whole_from_centre.point(*p)));
            for piece in body.pieces.iter() {
                bounds = bounds.union(piece.shape.aabb(&(whole_from_centre * piece.centre_from_piece)));
            }
        }
        let centre = coarse(bounds.centre(), bounds.size().max_element());
        let mut whole = Builder { centre, ..Builder::default() };
        for (pose, body) in bodies {
            whole.parts.push(Part { first_triangle: whole.triangles.len(), first_piece: whole.pieces.len() });
            let whole_from_centre = place(pose, body);
            whole.add_mesh(&whole_from_centre, body.meshes());
            for piece in body.pieces.iter() {
                whole.add_piece(&(whole_from_centre * piece.centre_from_piece), piece.shape.clone());
            }
            let size = norm_up(pose.translation) + norm_up(body.centre) + body.radius;
            whole.rounding = most(whole.rounding, body.rounding + PLACING_ROUNDING * ROUNDOFF_F64 * size);
        }
        Ok(whole.finish())
    }

    /// A body that is one mesh.
    pub fn from_mesh(mesh: TriangleMesh) -> Self {
        Self::new(vec![(Pose::IDENTITY, Shape::Mesh(mesh))]).expect("one part is not none")
    }

    /// A body that is one convex shape.
    pub fn from_convex(shape: Convex) -> Self {
        Self::new(vec![(Pose::IDENTITY, Shape::Convex(shape))]).expect("one part is not none")
    }

    fn meshes(&self) -> MeshParts<'_> {
        let Self { vertices, triangles, component_of, components, .. } = self;
        MeshParts { vertices, triangles, component_of, components }
    }

    /// The body's own centre, in the frame of its parts. Everything else is relative to it.
    pub fn centre(&self) -> DVec3 {
        self.centre
    }

    /// Vertices of all meshes, about the centre.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Triangles of all meshes.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Convex pieces.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Connected components of the meshes, samples about the centre.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// Index of a triangle's component.
    #[inline]
    pub fn component_of(&self, triangle: usize) -> u32 {
        self.component_of[triangle]
    }

    /// Upper bound on the distance of any point of the body from its centre.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Upper bound on the distance of stored coordinates from the exactly placed ones, in metres.
    pub fn rounding(&self) -> f64 {
        self.rounding
    }

    /// Number of primitives: triangles first, then convex pieces.
    pub fn primitives(&self) -> usize {
        self.triangles.len() + self.pieces.len()
    }

    /// Primitive number `i`.
    #[inline]
    pub fn primitive(&self, i: usize) -> Primitive<'_> {
        match self.triangles.get(i) {
            Some(corners) => Primitive::Triangle(corners.map(|v| self.vertices[v as usize])),
            None => Primitive::Piece(&self.pieces[i - self.triangles.len()]),
        }
    }

    /// Number of parts given to [`Self::new`].
    pub(crate) fn part_count(&self) -> usize {
        self.parts.len()
    }

    /// Index of the part given to [`Self::new`] that primitive `i` belongs to.
    pub fn part_of(&self, i: usize) -> usize {
        let is_triangle = i < self.triangles.len();
        let first = |part: &Part| if is_triangle { part.first_triangle } else { part.first_piece };
        let place = if is_triangle { i } else { i - self.triangles.len() };
        // Parts of the other kind share their neighbour's first index: the last that starts at or before the place is
        // the one.
        self.parts.partition_point(|part| first(part) <= place) - 1
    }

    /// Data that depends on the geometry alone and is expensive to make, such as a tree: made once, shared by all
    /// clones.
    pub(crate) fn derive<T: Any + Send + Sync>(&self, make: impl FnOnce(&Self) -> T) -> Arc<T> {
        // Under the lock, so that threads do not make it twice.
        let mut derived = self.derived.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = derived.iter().find_map(|known| Arc::clone(known).downcast().ok()) {
            return known;
        }
        let made = Arc::new(make(self));
        derived.push(Arc::clone(&made) as Arc<dyn Any + Send + Sync>);
        made
    }

    /// True if it is a clone of the other, or both are of a third.
    pub(crate) fn shares_geometry_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.derived, &other.derived)
    }

    /// True if a mesh of the body encloses a volume.
    pub fn has_closed_mesh(&self) -> bool {
        self.components.iter().any(Component::is_solid)
    }

    /// True if any part of the body encloses a volume.
    pub fn has_solid(&self) -> bool {
        !self.pieces.is_empty() || self.components.iter().any(Component::is_solid)
    }
}

impl Builder {
    fn finish(self) -> Body {
        let Self { centre, vertices, triangles, component_of, components, pieces, parts, radius, rounding } = self;
        Body {
            centre,
            vertices: vertices.into(),
            triangles: triangles.into(),
            component_of: component_of.into(),
            components: components.into(),
            pieces: pieces.into(),
            parts: parts.into(),
            radius,
            rounding,
            derived: Arc::default(),
        }
    }

    fn add_mesh(&mut self, pose: &Pose, mesh: MeshParts<'_>) {
        let MeshParts { vertices, triangles, component_of, components } = mesh;
        let first_vertex = self.vertices.len() as u32;
        let first_component = self.components.len() as u32;
        let first_triangle = self.triangles.len();
        let first_mesh = self.components.iter().map(|c| c.mesh + 1).max().unwrap_or(0);
        let is_moved = *pose != Pose::IDENTITY;
        let place = |p: DVec3| (if is_moved { pose.point(p) } else { p }) - self.centre;
        for &p in vertices {
            let placed = place(p);
            if is_moved || placed + self.centre != p {
                let size = norm_up(p) + norm_up(pose.translation) + norm_up(self.centre);
                self.rounding = most(self.rounding, PLACING_ROUNDING * ROUNDOFF_F64 * size);
            }
            self.radius = most(self.radius, norm_up(placed));
            self.vertices.push(placed);
        }
        self.triangles.extend(triangles.iter().map(|t| t.map(|v| v + first_vertex)));
        self.component_of.extend(component_of.iter().map(|c| c + first_component));
        self.components.extend(components.iter().map(|c| Component {
            sample: place(c.sample),
            first_triangle: c.first_triangle + first_triangle,
            mesh: c.mesh + first_mesh,
            ..*c
        }));
    }

    fn add_piece(&mut self, pose: &Pose, shape: Convex) {
        let centre_from_piece = Pose { translation: pose.translation - self.centre, ..*pose };
        let size = norm_up(pose.translation) + norm_up(self.centre) + shape.reach();
        self.rounding = most(self.rounding, PLACING_ROUNDING * ROUNDOFF_F64 * size);
        let reach = (norm_up(centre_from_piece.translation) + shape.reach()) * (1.0 + 4.0 * ROUNDOFF_F64);
        self.radius = most(self.radius, reach);
        self.pieces.push(Piece { shape, centre_from_piece });
    }
}

impl TriangleMesh {
    fn parts(&self) -> MeshParts<'_> {
        let Self { vertices, triangles, component_of, components, .. } = self;
        MeshParts { vertices, triangles, component_of, components }
    }
}

fn placed_aabb(pose: &Pose, shape: &Shape) -> Aabb {
    match shape {
        Shape::Mesh(mesh) => Aabb::of(mesh.vertices.iter().map(|p| pose.point(*p))),
        Shape::Convex(convex) => convex.aabb(pose),
    }
}

/// Error of placing a point p of a part at a pose with translation t, about the centre c, in units of u (|p| + |t| +
/// |c|).
///
/// The matrix of rpy angles is off by 36 u as a whole: an entry is at most two products of three sines and cosines, 14
/// u each. A matrix given directly is within 96 u of a rotation, because the check of poses accepts entries of RᵀR − 1
/// up to 64 u. Multiplying rounds by 3 u √3 |p|, adding t by u (|p| + |t|), subtracting c by u (|p| + |t| + |c|).
/// Together below 104 u |p| + 2 u |t| + u |c|.
const PLACING_ROUNDING: f64 = 128.0;

/// `p` rounded to a grid of 1/1024 to 1/512 of `size`, so that subtracting it from coordinates read as `f32` is exact
/// in `f64`.
fn coarse(p: DVec3, size: f64) -> DVec3 {
    if !(size > 0.0) {
        return p;
    }
    let grid = 2f64.powi(libm::ilogb(size) - 9);
    DVec3::from_array(p.to_array().map(|c| (c / grid).round() * grid))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_what_is_derived_and_other_bodies_do_not() {
        let ball = || Body::from_convex(Convex::sphere(0.1).expect("a ball"));
        let (one, other) = (ball(), ball());
        let derived = one.derive(|body| body.primitives());
        assert!(Arc::ptr_eq(&derived, &one.clone().derive(|_| -> usize { panic!("it is known") })));
        assert_eq!((*one.derive(|_| 5_u8), *one.derive(|_| 6_u8), *derived), (5, 5, 1));
        assert!(!Arc::ptr_eq(&derived, &other.derive(|body| body.primitives())));
    }

    #[test]
    fn a_part_without_a_finite_pose_is_refused() {
        let ball = || Shape::Convex(Convex::sphere(0.1).expect("a ball"));
        let nowhere = Pose::from_translation(DVec3::new(0.0, f64::NAN, 0.0));
        let refused = Body::new(vec![(Pose::IDENTITY, ball()), (nowhere, ball())]);
        assert_eq!(refused.err(), Some(ShapeError::BadPose { part: 1 }));
        let body = Body::new(vec![(Pose::IDENTITY, ball())]).expect("a body");
        assert_eq!(Body::merged(&[(nowhere, &body)]).err(), Some(ShapeError::BadPose { part: 0 }));
    }
}
