//! Splits a mesh into convex pieces if it consists of such: a hull may replace a mesh only if it fills nothing in.

use std::collections::HashMap;

use thiserror::Error;

use super::{NamedPiece, Polytope, PolytopeError};
use pathproof::distance::gjk::Tracker;
use pathproof::distance::penetration;
use pathproof::numeric::{DVec3, Pose, least, most};
use pathproof::shapes::{Convex, Core, ShapeError, TriangleMesh};

/// Reason why a mesh is no convex piece.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum NotConvex {
    /// A triangle runs through the inside of the hull.
    #[error("it is not convex: its surface at {at} is {depth} m inside its convex hull")]
    Dented {
        /// Place in the mesh's frame.
        at: DVec3,
        /// Depth in metres.
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
    /// A shell that faces the other way overlaps another: a cavity.
    #[error("{inner:?} is turned inside out and cuts a cavity into {outer:?}, which a convex piece would fill")]
    Cavity {
        /// The piece made of the smaller shell.
        inner: String,
        /// The piece that would fill it.
        outer: String,
    },
    /// Its hull could not be made.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// Rounding in files, relative to the size: a surface this close to the hull is on it.
const FLUSH: f64 = 1e-6;

/// The mesh as a piece, if it is closed and convex to a millionth of its size; a flat mesh is accepted too.
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
        // A triangle is on the hull's surface if all its corners are on one face.
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

/// The convex pieces of a mesh: itself, or its connected components, which are then called `name/0`, `name/1`, …
pub fn convex_pieces(name: &str, mesh: &TriangleMesh) -> Result<Vec<NamedPiece>, NotConvex> {
    convex_groups([(name, mesh)]).map_err(|(_, error)| error)
}

/// The convex pieces of the groups of one mesh, each by its name; an error names the group at fault. Together they are
/// what the mesh encloses: a shell that cuts a cavity into another is refused.
pub fn convex_groups<'a>(
    groups: impl IntoIterator<Item = (&'a str, &'a TriangleMesh)>,
) -> Result<Vec<NamedPiece>, (String, NotConvex)> {
    let mut pieces: Vec<(&str, Shell)> = Vec::new();
    for (name, mesh) in groups {
        let shells = convex_shells(name, mesh).map_err(|error| (name.to_owned(), error))?;
        pieces.extend(shells.into_iter().map(|shell| (name, shell)));
    }
    let (outward, inward): (Vec<_>, Vec<_>) =
        pieces.iter().filter(|(_, shell)| shell.volume != 0.0).partition(|(_, shell)| shell.volume > 0.0);
    for (group, shell) in &outward {
        if let Some((other, cut)) = inward.iter().find(|(_, cut)| shell.overlaps(cut)) {
            let (inner, outer, at) = if shell.volume < -cut.volume { (shell, cut, group) } else { (cut, shell, other) };
            let [inner, outer] = [inner, outer].map(|shell| shell.piece.name.clone());
            return Err(((*at).to_owned(), NotConvex::Cavity { inner, outer }));
        }
    }
    Ok(pieces.into_iter().map(|(_, shell)| shell.piece).collect())
}

/// A convex piece with its original orientation.
struct Shell {
    piece: NamedPiece,
    /// Six times the volume, negative where the triangles face inwards.
    volume: f64,
}

impl Shell {
    fn new(name: &str, mesh: &TriangleMesh) -> Result<Self, NotConvex> {
        let piece = convex_piece(name, mesh)?;
        let origin = mesh.vertices()[0];
        let corners = (0..mesh.triangles().len()).map(|i| mesh.corners(i).map(|p| p - origin));
        Ok(Self { piece, volume: corners.map(|[a, b, c]| a.dot(b.cross(c))).sum() })
    }

    /// True if it shares more with the other than a surface.
    fn overlaps(&self, other: &Self) -> bool {
        let (a, b) = (&self.piece.shape, &other.piece.shape);
        let (box_a, box_b) = (a.aabb(&Pose::IDENTITY), b.aabb(&Pose::IDENTITY));
        let is_beside = box_a.max.cmplt(box_b.min).any() || box_b.max.cmplt(box_a.min).any();
        let depth = || -penetration::signed_distance(a, b, &Pose::IDENTITY, &mut Tracker::default()).upper;
        !is_beside && depth() > FLUSH * least(box_a.size().length(), box_b.size().length())
    }
}

fn convex_shells(name: &str, mesh: &TriangleMesh) -> Result<Vec<Shell>, NotConvex> {
    let whole = match Shell::new(name, mesh) {
        Ok(shell) => return Ok(vec![shell]),
        Err(error) => error,
    };
    let shells = shells(mesh);
    if shells.len() == 1 {
        return Err(whole);
    }
    let shell = |(number, triangles): (usize, &Vec<[u32; 3]>)| {
        Shell::new(&format!("{name}/{number}"), &TriangleMesh::new(mesh.vertices().to_vec(), triangles.clone())?)
    };
    shells.iter().enumerate().map(shell).collect()
}

/// Triangles connected by edges, in the order of their first ones.
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

    /// Broke once: a reversed inner shell became a piece of its own and filled its own cavity.
    #[test]
    fn a_cavity_is_refused_and_shells_that_are_inside_out_elsewhere_are_not() {
        let (one, triangles) = cube();
        let pair = |size: f64, shift: f64, is_reversed: [bool; 2]| {
            let inner = one.iter().map(|p| (*p - DVec3::splat(0.5)) * size + DVec3::splat(0.5) + DVec3::X * shift);
            let vertices: Vec<DVec3> = one.iter().copied().chain(inner).collect();
            let turned = |t: &[u32; 3], is_reversed: bool| if is_reversed { [t[0], t[2], t[1]] } else { *t };
            let shell = |first: u32, is_reversed: bool| {
                triangles.iter().map(move |t| turned(t, is_reversed).map(|v| v + first)).collect::<Vec<_>>()
            };
            let [outer, inner] = [shell(0, is_reversed[0]), shell(8, is_reversed[1])];
            let mesh =
                |triangles: &[[u32; 3]]| TriangleMesh::new(vertices.clone(), triangles.to_vec()).expect("a mesh");
            let together = convex_pieces("one", &mesh(&[&outer[..], &inner].concat())).map(|pieces| pieces.len());
            let (outer, inner) = (mesh(&outer), mesh(&inner));
            let groups = convex_groups([("outer", &outer), ("inner", &inner)]).map(|pieces| pieces.len());
            (together, groups)
        };
        for is_reversed in [[false, true], [true, false]] {
            let (together, groups) = pair(0.6, 0.0, is_reversed);
            assert_eq!(together, Err(NotConvex::Cavity { inner: "one/1".into(), outer: "one/0".into() }));
            assert_eq!(
                groups,
                Err(("inner".to_owned(), NotConvex::Cavity { inner: "inner".into(), outer: "outer".into() }))
            );
            // Overlapping in part, beside it, and flush with it.
            assert!(pair(0.6, 0.5, is_reversed).0.is_err());
            assert_eq!(pair(0.6, 2.0, is_reversed), (Ok(2), Ok(2)));
            assert_eq!(pair(1.0, 1.0, is_reversed).1, Ok(2));
        }
        for is_reversed in [[false; 2], [true; 2]] {
            assert_eq!(pair(0.6, 0.0, is_reversed), (Ok(2), Ok(2)));
        }
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
        // Rounding of a face to single precision is no dent.
        let rounded: Vec<DVec3> = vertices.iter().map(|p| *p + DVec3::new(p.y * 3e-8, 0.0, p.x * p.y * 5e-8)).collect();
        assert!(piece(&rounded, &triangles).is_ok());
    }
}
