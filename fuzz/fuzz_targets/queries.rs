//! Random soups of triangles at random poses: trees hold their triangles, bounds are ordered, greedy and exact agree.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pathproof::distance::{Contact, Indexed, Query, Scratch};
use pathproof::numeric::{DVec3, Pose};
use pathproof::shapes::{Body, TriangleMesh};
use pathproof::trees::{BoxTree, RssTree, VolumeTree};

/// Coordinates on a coarse grid, so that degenerate, touching and coplanar triangles are common.
fn point(bytes: &[u8]) -> DVec3 {
    DVec3::new(f64::from(bytes[0] as i8), f64::from(bytes[1] as i8), f64::from(bytes[2] as i8)) / 16.0
}

fn body(bytes: &[u8]) -> Option<Body> {
    let vertices: Vec<DVec3> = bytes.chunks_exact(3).map(point).collect();
    let triangles = (0..vertices.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    TriangleMesh::new(vertices, triangles).ok().map(Body::from_mesh)
}

fn check<T: VolumeTree>(a: &Body, b: &Body, pose: &Pose) {
    let (a, b): (Indexed<T>, Indexed<T>) = (Indexed::new(a.clone()), Indexed::new(b.clone()));
    assert_eq!(a.tree().broken_invariant(a.body()), None);
    let mut scratch = Scratch::default();
    let query = Query::new(&a, &b, &Pose::IDENTITY, pose);
    let exact = query.exact(&mut scratch);
    assert!(0.0 <= exact.lower && exact.lower <= exact.upper && exact.upper.is_finite());
    assert!(exact.upper - exact.lower <= 1e-11, "{exact:?}");
    let greedy = query.greedy(0.01, &mut scratch);
    assert!(greedy.lower <= exact.upper);
    assert!(greedy.lower > 0.0 || exact.lower <= 0.01);
    match query.collide(&mut scratch) {
        Contact::Apart(_) => assert!(exact.upper > 0.0),
        Contact::Meets(_) => assert_eq!(exact.lower, 0.0),
        Contact::Unclear(_) => assert!(exact.lower <= 1e-11),
    }
}

fuzz_target!(|bytes: &[u8]| {
    if bytes.len() < 8 + 18 || bytes.len() > 700 {
        return;
    }
    let (head, rest) = bytes.split_at(8);
    let (first, second) = rest.split_at(rest.len() / 2);
    let (Some(a), Some(b)) = (body(first), body(second)) else { return };
    let axis = point(&head[..3]).normalize_or(DVec3::X);
    let pose = Pose::from_axis_angle(axis, f64::from(head[3]) / 40.0, point(&head[4..7]));
    check::<BoxTree>(&a, &b, &pose);
    check::<RssTree>(&a, &b, &pose);
});
