//! A mesh as convex pieces, if it consists of such: a hull may stand for a mesh only where nothing is filled in.

use std::collections::HashMap;

use thiserror::Error;

use super::{NamedPiece, Polytope, PolytopeError};
use crate::numeric::{DVec3, least, most};
use crate::shapes::{Convex, Core, ShapeError, TriangleMesh};

/// Why a mesh is no convex piece.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum NotConvex {
    /// A triangle runs through the inside of the hull.
    #[error("it is not convex: its surface at {at} is {depth} m inside its convex hull")]
    Dented {
        /// Where, in the mesh's frame.
        at: DVec3,
        /// How deep, in metres.
        depth: f64,
    },
    /// The triangles do not cover the hull's surface.
    #[error("it is not closed: its triangles cover {covered} of the {whole} m² of its convex hull")]
    Open {
        /// Area of the triangles.
        covered: f64,
        /// Area of the hull.
        whole: f64,
    },
    /// Its hull could not be made.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// What files round, relative to the size: a surface this close to the hull is on it.
const FLUSH: f64 = 1e-6;

/// The mesh as a piece, if it is closed and convex to a millionth of its size; flat meshes are as good.
pub fn convex_piece(name: &str, mesh: &TriangleMesh) -> Result<NamedPiece, NotConvex> {
    let shape = Convex::hull(mesh.vertices())?;
    let Core::Hull(hull) = shape.core() else { unreachable!("it was made as a hull") };
    let polytope = match Polytope::from_convex(shape.clone()) {
        Ok(polytope) => polytope,
        Err(PolytopeError::Shape(error)) => return Err(error.into()),
        Err(_) => unreachable!("a hull is not curved"),
    };
    let near = FLUSH * hull.upper_diameter();
    let area = |[a, b, c]: [DVec3; 3]| 0.5 * (b - a).cross(c - a).length();
    let mut covered = 0.0;
    for i in 0..mesh.triangles().len() {
        let corners = mesh.corners(i);
        covered += area(corners);
        // A triangle is on the hull's surface where all its corners are on one face.
        let behind = |h: &super::HalfSpace| corners.map(|p| h.offset - h.normal.dot(p)).into_iter().fold(0.0, most);
        let depth = polytope.half_spaces().iter().map(behind).fold(f64::INFINITY, least);
        if depth > near {
            let at = (corners[0] + corners[1] + corners[2]) / 3.0;
            return Err(NotConvex::Dented { at, depth });
        }
    }
    let whole: f64 = hull.triangles().iter().map(|t| area(t.map(|v| hull.vertices()[v as usize]))).sum();
    if !hull.is_flat() && (covered - whole).abs() > FLUSH * whole {
        return Err(NotConvex::Open { covered, whole });
    }
    Ok(NamedPiece { name: name.to_owned(), shape })
}

/// The convex pieces that a mesh consists of: itself, or its connected components, which are then called `name/0`, `name/1`, …
pub fn convex_pieces(name: &str, mesh: &TriangleMesh) -> Result<Vec<NamedPiece>, NotConvex> {
    let whole = match convex_piece(name, mesh) {
        Ok(piece) => return Ok(vec![piece]),
        Err(error) => error,
    };
    let shells = shells(mesh);
    if shells.len() == 1 {
        return Err(whole);
    }
    let piece = |(number, triangles): (usize, &Vec<[u32; 3]>)| {
        convex_piece(&format!("{name}/{number}"), &TriangleMesh::new(mesh.vertices().to_vec(), triangles.clone())?)
    };
    shells.iter().enumerate().map(piece).collect()
}

/// Triangles that hang together by edges, in the order of their first ones.
fn shells(mesh: &TriangleMesh) -> Vec<Vec<[u32; 3]>> {
    let mut by_edge: HashMap<[u32; 2], Vec<usize>> = HashMap::new();
    let edges = |t: [u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]].map(|[a, b]| [a.min(b), a.max(b)]);
    for (number, &t) in mesh.triangles().iter().enumerate() {
        edges(t).into_iter().for_each(|edge| by_edge.entry(edge).or_default().push(number));
    }
    let mut is_taken = vec![false; mesh.triangles().len()];
    let mut shells = Vec::new();
    for first in 0..mesh.triangles().len() {
        let (mut stack, mut shell) = (vec![first], Vec::new());
        while let Some(number) = stack.pop() {
            if !std::mem::replace(&mut is_taken[number], true) {
                shell.push(number);
                stack.extend(edges(mesh.triangles()[number]).iter().flat_map(|edge| &by_edge[edge]));
            }
        }
        if !shell.is_empty() {
            shell.sort_unstable();
            shells.push(shell.into_iter().map(|number| mesh.triangles()[number]).collect());
        }
    }
    shells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube() -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let corner = |i: u32| DVec3::from_array([0, 1, 2].map(|k| f64::from(i >> k & 1)));
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        ((0..8).map(corner).collect(), triangles)
    }

    #[test]
    fn shells_of_one_mesh_are_pieces_of_their_own() {
        let (one, triangles) = cube();
        let both: Vec<DVec3> = one.iter().copied().chain(one.iter().map(|p| *p + DVec3::X * 3.0)).collect();
        let twice: Vec<[u32; 3]> =
            triangles.iter().copied().chain(triangles.iter().map(|t| t.map(|v| v + 8))).collect();
        let mesh = TriangleMesh::new(both, twice).expect("a mesh");
        let pieces = convex_pieces("pair", &mesh).expect("two cubes");
        assert_eq!(pieces.iter().map(|piece| piece.name.as_str()).collect::<Vec<_>>(), ["pair/0", "pair/1"]);
        assert_eq!(pieces[1].shape.core_support(-DVec3::X).x, 3.0);
        let open = TriangleMesh::new(one, triangles[..10].to_vec()).expect("a mesh");
        assert!(matches!(convex_pieces("open", &open), Err(NotConvex::Open { .. })));
    }

    #[test]
    fn a_closed_convex_mesh_is_a_piece_and_a_dented_or_open_one_is_not() {
        let (vertices, triangles) = cube();
        let piece = |vertices: &[DVec3], triangles: &[[u32; 3]]| {
            convex_piece("cube", &TriangleMesh::new(vertices.to_vec(), triangles.to_vec()).expect("a mesh"))
        };
        assert_eq!(piece(&vertices, &triangles).expect("convex").name, "cube");
        assert!(matches!(piece(&vertices, &triangles[..10]), Err(NotConvex::Open { .. })));
        // A vertex in the middle of a face, pushed in a little.
        let mut dented = vertices.clone();
        dented.push(DVec3::new(0.5, 0.5, 0.99));
        let mut faces: Vec<[u32; 3]> =
            triangles.iter().copied().filter(|t| !t.iter().all(|&v| vertices[v as usize].z == 1.0)).collect();
        faces.extend([[4, 5, 8], [5, 7, 8], [7, 6, 8], [6, 4, 8]]);
        let Err(NotConvex::Dented { depth, .. }) = piece(&dented, &faces) else { panic!("it has a dent") };
        assert!((depth - 0.01).abs() < 1e-9, "{depth}");
        // Nothing is pushed in, but a wall runs through the inside.
        let mut walled = triangles.clone();
        walled.push([0, 3, 7]);
        assert!(matches!(piece(&vertices, &walled), Err(NotConvex::Dented { .. })));
        // What single precision does to a face is no dent.
        let rounded: Vec<DVec3> = vertices.iter().map(|p| *p + DVec3::new(p.y * 3e-8, 0.0, p.x * p.y * 5e-8)).collect();
        assert!(piece(&rounded, &triangles).is_ok());
    }
}
