//! Measures how well convex pieces cover a mesh: proven for its surface, sampled for its inside.
//!
//! The half-spaces of the pieces around each triangle cut it; the part in no piece is left over. Pieces are grown by a
//! hair, so that seams leave no slivers. `upper_gap` bounds the distance of any point of the surface from the nearest
//! piece. The distance from a convex piece is a convex function, so over each part of a triangle, held or left over, it
//! is largest at a corner and is measured there.

use super::{ConvexPieces, PiecesError, Polytope};
use pathproof::distance::gjk::{self, Tracker};
use pathproof::numeric::{DVec3, Pose};
use pathproof::shapes::{Aabb, Component, Convex, TriangleMesh};

/// Growth of the pieces, relative to the size.
const HAIR: f64 = 1e-12;

/// A left-over part that is nearer to a piece than this, relative to the size, is no hole.
const HOLE: f64 = 1e-6;

/// Sampling points per axis for the inside.
const LATTICE: usize = 24;

/// Measures of how well pieces cover a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Coverage {
    /// Upper bound on the distance of any point of the surface from the nearest piece, in metres.
    pub upper_gap: f64,
    /// Places where the surface is outside all pieces by more than a millionth of the size, the widest first: one per
    /// triangle.
    pub holes: Vec<Hole>,
    /// Area of the surface, in m².
    pub area: f64,
    /// Part of it taken by the holes.
    pub area_of_holes: f64,
    /// Number of sampled points inside the mesh's solids.
    pub points_inside: usize,
    /// Number of those that are in no piece.
    pub points_in_no_piece: usize,
}

/// A part of a triangle that no piece holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hole {
    /// The triangle of the mesh.
    pub triangle: usize,
    /// A place in it.
    pub at: DVec3,
    /// Upper bound on how far its points are from the nearest piece, in metres.
    pub upper_gap: f64,
}

/// A convex polygon.
type Polygon = Vec<DVec3>;

/// Measures how well `pieces` cover `mesh`, both in one frame.
pub fn coverage(mesh: &TriangleMesh, pieces: &ConvexPieces) -> Result<Coverage, PiecesError> {
    let polytopes = pieces.polytopes()?;
    let size = mesh.aabb().union(pieces.aabb()).size().length();
    let hair = HAIR * size;
    let wide = |p: &Polytope| {
        let Aabb { min, max } = p.shape().aabb(&Pose::IDENTITY);
        Aabb { min: min - hair, max: max + hair }
    };
    let boxes: Vec<Aabb> = polytopes.iter().map(wide).collect();
    let mut found = Coverage {
        upper_gap: 0.0,
        holes: Vec::new(),
        area: 0.0,
        area_of_holes: 0.0,
        points_inside: 0,
        points_in_no_piece: 0,
    };
    for triangle in 0..mesh.triangles().len() {
        let corners = mesh.corners(triangle);
        found.area += area(&corners);
        let mut hole: Option<Hole> = None;
        let (held, left_over) = cut_up(corners, polytopes, &boxes, hair);
        for (piece, part) in held {
            found.upper_gap = greater(found.upper_gap, upper_distance(&part, pieces.shape(piece), f64::INFINITY));
        }
        for rest in left_over {
            let upper_gap = upper_gap(&rest, pieces);
            found.upper_gap = greater(found.upper_gap, upper_gap);
            if !(upper_gap <= HOLE * size) {
                found.area_of_holes += area(&rest);
                if hole.is_none_or(|known| upper_gap > known.upper_gap) {
                    let at = rest.iter().sum::<DVec3>() / rest.len() as f64;
                    hole = Some(Hole { triangle, at, upper_gap });
                }
            }
        }
        found.holes.extend(hole);
    }
    found.holes.sort_by(|p, q| q.upper_gap.total_cmp(&p.upper_gap));
    look_inside(mesh, polytopes, hair, &mut found);
    Ok(found)
}

fn area(corners: &[DVec3]) -> f64 {
    let from = corners[0];
    let fan = corners[1..].windows(2).map(|pair| (pair[0] - from).cross(pair[1] - from));
    0.5 * fan.sum::<DVec3>().length()
}

/// The greater of two numbers; NaN stays.
fn greater(a: f64, b: f64) -> f64 {
    if b <= a { a } else { b }
}

/// Parts of a triangle with the pieces that hold them, and parts that no piece holds.
type Parts = (Vec<(usize, Polygon)>, Vec<Polygon>);

fn cut_up(corners: [DVec3; 3], polytopes: &[Polytope], boxes: &[Aabb], hair: f64) -> Parts {
    let around = Aabb::of(corners);
    let (mut held, mut rest) = (Vec::new(), vec![corners.to_vec()]);
    for (number, (polytope, bounds)) in polytopes.iter().zip(boxes).enumerate() {
        let is_near = around.min.cmple(bounds.max).all() && around.max.cmpge(bounds.min).all();
        if is_near {
            let mut outside = Vec::new();
            for polygon in rest {
                let (within, mut without) = cut(polygon, polytope, hair);
                held.extend(within.map(|part| (number, part)));
                outside.append(&mut without);
            }
            rest = outside;
        }
        if rest.is_empty() {
            break;
        }
    }
    (held, rest)
}

/// The part of a polygon within a polytope, and the other parts: outside the first half-space, inside it and outside
/// the second, and so on.
fn cut(polygon: Polygon, polytope: &Polytope, hair: f64) -> (Option<Polygon>, Vec<Polygon>) {
    let mut outside = Vec::new();
    let mut inside = polygon.clone();
    for h in polytope.half_spaces() {
        let (mut kept, mut cut) = (Vec::new(), Vec::new());
        let height = |p: &DVec3| h.normal.dot(*p) - h.offset - hair;
        for (i, p) in inside.iter().enumerate() {
            let q = &inside[(i + 1) % inside.len()];
            let (here, there) = (height(p), height(q));
            if here <= 0.0 {
                kept.push(*p);
            }
            if here >= 0.0 {
                cut.push(*p);
            }
            if (here < 0.0 && there > 0.0) || (here > 0.0 && there < 0.0) {
                let crossing = *p + (*q - *p) * (here / (here - there));
                kept.push(crossing);
                cut.push(crossing);
            }
        }
        if cut.len() > 2 && cut.iter().any(|p| height(p) > 0.0) {
            outside.push(cut);
        }
        if kept.len() < 3 {
            // None of it is inside: leave it in one part.
            return (None, vec![polygon]);
        }
        inside = kept;
    }
    (Some(inside), outside)
}

/// Upper bound on the distance of a polygon's points from a piece; may be anything above `enough` if it exceeds that.
fn upper_distance(polygon: &[DVec3], piece: &Convex, enough: f64) -> f64 {
    let mut most = 0.0;
    for &corner in polygon {
        let point = Convex::triangle([corner; 3]);
        let found = gjk::distance(piece, &point, &Pose::IDENTITY, enough, &mut Tracker::default());
        most = greater(most, found.upper);
        if !(most < enough) {
            break;
        }
    }
    most
}

/// Upper bound on the distance of a polygon's points from the nearest piece: the piece from which its farthest corner
/// is least far.
fn upper_gap(polygon: &[DVec3], pieces: &ConvexPieces) -> f64 {
    let mut least = f64::INFINITY;
    for piece in 0..pieces.len() {
        let most = upper_distance(polygon, pieces.shape(piece), least);
        least = if most < least { most } else { least };
    }
    least
}

/// Counts points of a lattice that are inside the mesh's solids, and those among them that are in no piece.
fn look_inside(mesh: &TriangleMesh, polytopes: &[Polytope], hair: f64, found: &mut Coverage) {
    if !mesh.components().iter().any(Component::is_solid) {
        return;
    }
    let Aabb { min, .. } = mesh.aabb();
    let step = mesh.aabb().size() / LATTICE as f64;
    for i in 0..LATTICE * LATTICE * LATTICE {
        let place = [i % LATTICE, i / LATTICE % LATTICE, i / LATTICE / LATTICE].map(|k| k as f64 + 0.5);
        let p = min + DVec3::from_array(place) * step;
        let is_held = polytopes.iter().any(|polytope| polytope.holds(p, hair));
        // The test against the mesh is the expensive one: only points in no piece need it for the count of holes.
        if !is_held {
            let is_inside = mesh.is_inside(p);
            found.points_inside += usize::from(is_inside);
            found.points_in_no_piece += usize::from(is_inside);
        } else {
            found.points_inside += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::concave::NamedPiece;

    /// An L of three unit cubes, closed; and its two boxes.
    fn ell() -> (TriangleMesh, [NamedPiece; 2]) {
        let outline = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        let vertices: Vec<DVec3> = [0.0, 1.0].iter().flat_map(|&z| outline.map(|[x, y]| DVec3::new(x, y, z))).collect();
        let mut triangles = Vec::new();
        for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
            triangles.extend([[a, c, b], [a + 6, b + 6, c + 6]]);
        }
        for i in 0..6u32 {
            let j = (i + 1) % 6;
            triangles.extend([[i, j, j + 6], [i, j + 6, i + 6]]);
        }
        let piece = |name: &str, high: DVec3| {
            let corner = |i: u32| DVec3::from_array([0, 1, 2].map(|k| high[k] * f64::from(i >> k & 1)));
            let shape = Convex::hull(&(0..8).map(corner).collect::<Vec<_>>()).expect("a hull");
            NamedPiece { name: name.into(), shape }
        };
        let pieces = [piece("foot", DVec3::new(2.0, 1.0, 1.0)), piece("leg", DVec3::new(1.0, 2.0, 1.0))];
        (TriangleMesh::new(vertices, triangles).expect("a mesh"), pieces)
    }

    #[test]
    fn the_pieces_of_an_l_cover_it_and_one_of_them_does_not() {
        let (mesh, [foot, leg]) = ell();
        let whole = coverage(&mesh, &ConvexPieces::new(vec![foot.clone(), leg]).expect("a body")).expect("polytopes");
        assert!(whole.holes.is_empty() && whole.upper_gap < 1e-10, "{whole:?}");
        assert!((whole.area - 14.0).abs() < 1e-12 && whole.points_in_no_piece == 0);
        let part = coverage(&mesh, &ConvexPieces::new(vec![foot]).expect("a body")).expect("polytopes");
        // The upper cube's sides and ends: 3 sides of 1 m², top and bottom.
        assert!((part.area_of_holes - 5.0).abs() < 1e-6, "{}", part.area_of_holes);
        assert!((part.upper_gap - 1.0).abs() < 1e-9 && part.holes[0].upper_gap == part.upper_gap, "{part:?}");
        let share = part.points_in_no_piece as f64 / part.points_inside as f64;
        assert!((share - 1.0 / 3.0).abs() < 0.05, "{share}");
    }

    #[test]
    fn a_gap_between_pieces_is_found_however_narrow() {
        let (mesh, [foot, _]) = ell();
        for gap in [1e-2, 1e-4] {
            let low = DVec3::new(0.0, 1.0 + gap, 0.0);
            let corner =
                |i: u32| low + DVec3::new(f64::from(i & 1), (1.0 - gap) * f64::from(i >> 1 & 1), f64::from(i >> 2 & 1));
            let shape = Convex::hull(&(0..8).map(corner).collect::<Vec<_>>()).expect("a hull");
            let leg = NamedPiece { name: "leg".into(), shape };
            let found =
                coverage(&mesh, &ConvexPieces::new(vec![foot.clone(), leg]).expect("a body")).expect("polytopes");
            assert!(!found.holes.is_empty() && (found.upper_gap - gap).abs() < 1e-9, "{found:?}");
            assert!((found.area_of_holes - 4.0 * gap).abs() < 1e-9, "{found:?}");
        }
    }
}
