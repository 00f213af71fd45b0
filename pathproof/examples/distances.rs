//! The distance of two bodies at many poses, each with proven bounds.

use std::error::Error;

use pathproof::distance::{Indexed, Query, Scratch};
use pathproof::numeric::{DVec3, Pose};
use pathproof::shapes::{Body, Convex, TriangleMesh};

/// Returns lower and upper bounds, in metres, as a ball comes nearer to a tetrahedron along x.
pub(crate) fn run() -> Result<Vec<[f64; 2]>, Box<dyn Error>> {
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let tetrahedron = TriangleMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    // Trees are built once; a query costs no allocation.
    let tetrahedron: Indexed = Indexed::new(Body::from_mesh(tetrahedron));
    let ball: Indexed = Indexed::new(Body::from_convex(Convex::sphere(0.5)?));
    let mut scratch = Scratch::default();
    let at = |x: f64| Pose::from_translation(DVec3::X * x);
    let mut bounds = Vec::new();
    for x in [4.0, 3.0, 2.0, 1.6] {
        let found = Query::new(&tetrahedron, &ball, &Pose::IDENTITY, &at(x)).exact(&mut scratch);
        bounds.push([found.lower, found.upper]);
    }
    Ok(bounds)
}

#[allow(dead_code, reason = "a test calls `run` alone")]
fn main() -> Result<(), Box<dyn Error>> {
    run()?.iter().for_each(|[lower, upper]| println!("between {lower} and {upper} m"));
    Ok(())
}
