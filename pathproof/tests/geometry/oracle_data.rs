//! Poses from the shared data, where it is there: seven box–box poses and 400 poses of a robot-like body.

use std::path::{Path, PathBuf};

use pathproof::distance::gjk::Tracker;
use pathproof::distance::penetration::signed_distance;
use pathproof::distance::{Contact, Indexed, Query, Scratch};
use pathproof::numeric::{DMat3, DQuat, DVec3, Pose};
use pathproof::shapes::{Body, Convex, TriangleMesh};
use pathproof::trees::{BoxTree, RssTree, VolumeTree};
use pathproof_formats::mesh;
use serde::Deserialize;

/// The file in the shared data, or `None`, and says so.
fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data").join(name);
    if path.exists() {
        return Some(path);
    }
    println!("SKIPPED: {} is not here", path.display());
    None
}

fn json<T: for<'de> Deserialize<'de>>(path: &Path) -> T {
    serde_json::from_str(&std::fs::read_to_string(path).expect("readable")).expect("as described")
}

#[derive(Deserialize)]
struct BoxBox {
    case: String,
    size1: [f64; 3],
    size2: [f64; 3],
    #[serde(rename = "X_WB1_rowmajor")]
    world_from_1: [[f64; 4]; 4],
    #[serde(rename = "X_WB2_rowmajor")]
    world_from_2: [[f64; 4]; 4],
    sat_max_separation: f64,
}

fn pose(rows: &[[f64; 4]; 4]) -> Pose {
    let column = |j: usize| DVec3::new(rows[0][j], rows[1][j], rows[2][j]);
    Pose { rotation: DMat3::from_cols(column(0), column(1), column(2)), translation: column(3) }
}

#[test]
fn the_seven_box_poses_agree_as_convex_shapes_and_as_meshes() {
    let Some(path) = shared("oracle/fcl_signed_distance_regressions/box_box.json") else { return };
    let cases: Vec<BoxBox> = json(&path);
    assert_eq!(cases.len(), 7);
    for case in cases {
        let (world_from_1, world_from_2) = (pose(&case.world_from_1), pose(&case.world_from_2));
        let expected = case.sat_max_separation;
        let (a, b) = (Convex::cuboid(case.size1).expect("valid"), Convex::cuboid(case.size2).expect("valid"));
        let relative = world_from_1.inverse_mul(&world_from_2);
        let signed = signed_distance(&a, &b, &relative, &mut Tracker::default());
        // The poses' rotations are orthonormal to some 1e-15 only; the reference comes from other arithmetic.
        let name = &case.case;
        assert!(
            signed.lower <= expected + 1e-10 && expected - 1e-10 <= signed.upper,
            "{name}: {signed:?} {expected:e}"
        );
        assert!(signed.upper - signed.lower < 1e-9, "{name}: {signed:?}");
        let mesh = |size: [f64; 3]| -> Indexed {
            Indexed::new(Body::from_mesh(crate::common::cuboid(DVec3::from_array(size) * 0.5).mesh()))
        };
        let (ma, mb) = (mesh(case.size1), mesh(case.size2));
        let query = Query::new(&ma, &mb, &world_from_1, &world_from_2);
        let d = query.exact(&mut Scratch::default());
        // Surfaces: 0 where they cross or one box holds the other, else the positive separation (whose nearest
        // features span the gap in all of these cases).
        if expected > 1e-9 {
            assert!((d.lower - expected).abs() < 1e-10 && d.lower > 0.0, "{name}: {d:?} {expected:e}");
        } else if expected < -1e-9 {
            assert!(d.lower == 0.0 || query.containment().is_some(), "{name}: {d:?} {expected:e}");
        } else {
            assert!(d.lower < 1e-9, "{name}: {d:?} {expected:e}");
        }
    }
}

#[derive(Deserialize)]
struct Reference {
    poses: Vec<ReferencePose>,
}

#[derive(Deserialize)]
struct ReferencePose {
    position: [f64; 3],
    quat_xyzw: [f64; 4],
    collide: bool,
    distance: f64,
}

fn read<T: VolumeTree>(name: &str) -> Option<Indexed<T>> {
    let file = mesh::read(shared(name)?).expect("readable");
    Some(Indexed::new(Body::from_mesh(TriangleMesh::new(file.vertices, file.triangles).expect("valid"))))
}

fn check_reference<T: VolumeTree>() {
    let (Some(rob), Some(env)) = (read::<T>("oracle/fcl_rob_env/rob.obj"), read::<T>("oracle/fcl_rob_env/env.obj"))
    else {
        return;
    };
    let Some(path) = shared("oracle/fcl_rob_env/coal_reference.json") else { return };
    let reference: Reference = json(&path);
    assert_eq!(reference.poses.len(), 400);
    let size = rob.body().radius() + env.body().radius();
    let mut scratch = Scratch::default();
    for (i, p) in reference.poses.iter().enumerate() {
        let world_from_rob =
            Pose::from_quaternion(DQuat::from_array(p.quat_xyzw).normalize(), DVec3::from_array(p.position));
        let query = Query::new(&rob, &env, &world_from_rob, &Pose::IDENTITY);
        let (meets, apart) = match query.collide(&mut scratch) {
            Contact::Meets(_) => (true, false),
            Contact::Apart(_) => (false, true),
            Contact::Unclear(_) => (false, false),
        };
        assert!(meets == p.collide && apart != p.collide, "pose {i}");
        let d = query.exact(&mut scratch);
        assert!(
            (d.lower - p.distance).abs() <= 1e-6 * size && (d.upper - p.distance).abs() <= 1e-6 * size,
            "pose {i}: {d:?} but the reference says {}",
            p.distance
        );
    }
}

#[test]
fn the_400_reference_poses_agree_on_trees_of_boxes() {
    check_reference::<BoxTree>();
}

#[test]
fn the_400_reference_poses_agree_on_trees_of_swept_rectangles() {
    check_reference::<RssTree>();
}
