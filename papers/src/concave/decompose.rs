//! Convex decomposition of a mesh: parry's VHACD chooses the pieces, our own check measures what they cover.
//!
//! VHACD cuts voxels; a piece is the hull of the mesh's surface within its voxels, made by
//! [`Hull`](pathproof::shapes::Hull). A piece may stick out of the mesh where that is concave within it, by about the
//! allowed concavity: distances come out smaller than the mesh's, not larger. [`Coverage`] reports parts of the surface
//! that the pieces leave out.

use parry3d_f64::math::Vector;
use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};
use parry3d_f64::transformation::voxelization::FillMode;
use thiserror::Error;

use super::convexity::convex_piece;
use super::{ConvexPieces, Coverage, NamedPiece, PiecesError, coverage};
use pathproof::numeric::DVec3;
use pathproof::shapes::{Component, Convex, ShapeError, TriangleMesh};

/// Settings for cutting a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecomposeSettings {
    /// Largest empty part of a piece within its hull, as a share of the whole hull's volume. Default 0.002.
    pub concavity: f64,
    /// Voxels along the longest side. Default 64.
    pub resolution: u32,
    /// Largest number of pieces. Default 64.
    pub most_pieces: u32,
}

impl Default for DecomposeSettings {
    fn default() -> Self {
        Self { concavity: 0.002, resolution: 64, most_pieces: 64 }
    }
}

/// Reason why a mesh could not be decomposed.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum DecomposeError {
    /// VHACD returned no pieces.
    #[error("the decomposition found no pieces")]
    Nothing,
    /// A piece has no hull.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The pieces are no body.
    #[error(transparent)]
    Pieces(#[from] PiecesError),
}

/// Cuts a mesh into convex pieces named `name/0`, `name/1`, …, and measures what they cover. A convex mesh is one piece
/// with its own name.
pub fn decompose(
    name: &str,
    mesh: &TriangleMesh,
    settings: &DecomposeSettings,
) -> Result<(Vec<NamedPiece>, Coverage), DecomposeError> {
    let pieces = match convex_piece(name, mesh) {
        Ok(piece) => vec![piece],
        Err(_) => cut(name, mesh, settings)?,
    };
    let covered = coverage(mesh, &ConvexPieces::new(pieces.clone())?)?;
    Ok((pieces, covered))
}

fn cut(name: &str, mesh: &TriangleMesh, settings: &DecomposeSettings) -> Result<Vec<NamedPiece>, DecomposeError> {
    // Centred and of size 1: VHACD squares lengths.
    let (centre, size) = (mesh.aabb().centre(), mesh.aabb().size().max_element());
    let points: Vec<Vector> =
        (mesh.vertices().iter()).map(|p| Vector::from_array(((*p - centre) / size).to_array())).collect();
    let is_solid = mesh.components().iter().any(Component::is_solid);
    let parameters = VHACDParameters {
        concavity: settings.concavity,
        resolution: settings.resolution,
        max_convex_hulls: settings.most_pieces,
        fill_mode: if is_solid { FillMode::FloodFill { detect_cavities: false } } else { FillMode::SurfaceOnly },
        ..VHACDParameters::default()
    };
    let found = VHACD::decompose(&parameters, &points, mesh.triangles(), true);
    let of_pieces = found.compute_primitive_intersections(&points, mesh.triangles());
    let mut pieces = Vec::new();
    for points in of_pieces.iter().filter(|points| !points.is_empty()) {
        let placed: Vec<DVec3> = points.iter().map(|p| DVec3::from_array(p.to_array()) * size + centre).collect();
        pieces.push(NamedPiece { name: format!("{name}/{}", pieces.len()), shape: Convex::hull(&placed)? });
    }
    if pieces.is_empty() { Err(DecomposeError::Nothing) } else { Ok(pieces) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring of square section: as concave as can be.
    fn ring(sides: u32) -> TriangleMesh {
        let mut vertices = Vec::new();
        for i in 0..sides {
            let (s, c) = (std::f64::consts::TAU * f64::from(i) / f64::from(sides)).sin_cos();
            for (r, z) in [(0.8, -0.1), (1.0, -0.1), (1.0, 0.1), (0.8, 0.1)] {
                vertices.push(DVec3::new(r * c, r * s, z));
            }
        }
        let mut triangles = Vec::new();
        for i in 0..sides {
            let (a, b) = (4 * i, 4 * ((i + 1) % sides));
            for k in 0..4 {
                let l = (k + 1) % 4;
                triangles.extend([[a + k, b + k, b + l], [a + k, b + l, a + l]]);
            }
        }
        TriangleMesh::new(vertices, triangles).expect("a mesh")
    }

    #[test]
    fn the_pieces_of_a_ring_leave_its_middle_free_and_cover_its_surface() {
        let mesh = ring(48);
        let (pieces, covered) = decompose("ring", &mesh, &DecomposeSettings::default()).expect("pieces");
        assert!(pieces.len() > 4 && pieces[3].name == "ring/3", "{}", pieces.len());
        let body = ConvexPieces::new(pieces).expect("a body");
        assert!(body.polytopes().expect("polytopes").iter().all(|p| !p.holds(DVec3::ZERO, 0.0)));
        println!("{} pieces, {covered:?}", body.len());
        assert!(covered.upper_gap < 0.02, "{covered:?}");
        assert!(covered.area_of_holes < 0.01 * covered.area && covered.points_in_no_piece * 50 < covered.points_inside);
    }

    #[test]
    fn a_decomposition_is_the_same_every_time() {
        let mesh = ring(12);
        let run = || decompose("ring", &mesh, &DecomposeSettings::default()).expect("pieces");
        let ((first, covered), (again, covered_again)) = (run(), run());
        assert_eq!(covered, covered_again);
        assert!(first.iter().zip(&again).all(|(p, q)| p.shape == q.shape) && first.len() == again.len());
    }

    #[test]
    fn a_convex_mesh_is_one_piece_of_its_own_name() {
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let mesh = TriangleMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]).expect("a mesh");
        let (pieces, covered) = decompose("tetrahedron", &mesh, &DecomposeSettings::default()).expect("pieces");
        assert_eq!((pieces.len(), pieces[0].name.as_str()), (1, "tetrahedron"));
        assert!(covered.holes.is_empty());
    }
}
