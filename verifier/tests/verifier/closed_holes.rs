//! A mesh whose small hole the scene closes: the verifier refuses what starts inside, as the checker does.

use std::sync::Arc;

use pathproof::certificate::{Certificate, SceneClaim};
use pathproof::check::{CheckScratch, Checker, Settings, Verdict};
use pathproof::numeric::{DVec3, Pose};
use pathproof::path::Motion;
use pathproof::robot::{JointKind, JointSpec, Model};
use pathproof::scene::{BodyShape, Role, Scene, SceneBody, SceneParts};
use pathproof::shapes::{Body, Convex, TriangleMesh};
use pathproof_verifier::{Fault, Verifier};

/// A tetrahedron of some metres whose top corner is cut off by 5 mm.
fn room() -> TriangleMesh {
    let corner = |x: f64, y: f64, z: f64| DVec3::new(x, y, z) * 4.0 - DVec3::ONE;
    let top = corner(0.0, 0.0, 1.0);
    let base = [corner(0.0, 0.0, 0.0), corner(1.0, 0.0, 0.0), corner(0.0, 1.0, 0.0)];
    let cut = base.map(|from| top + (from - top).normalize() * 0.005);
    let triangles = vec![[0, 2, 1], [0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [2, 0, 3], [2, 3, 5]];
    TriangleMesh::new([base, cut].concat(), triangles).expect("a mesh")
}

/// A ball on a slide within the room.
fn scene(room: TriangleMesh) -> Scene {
    let slide = JointSpec::new("slide", JointKind::Prismatic { axis: DVec3::X }, "world", "ball", Pose::IDENTITY);
    let model = Model::new("world", vec!["world".into(), "ball".into()], vec![slide]).expect("a model");
    let mut parts = SceneParts::new(model);
    let bodies = [
        ("ball", Role::Link, 1, Body::from_convex(Convex::sphere(0.1).expect("a ball"))),
        ("room", Role::Obstacle, 0, Body::from_mesh(room)),
    ];
    parts.bodies.extend(bodies.map(|(name, role, link, body)| {
        let shape = BodyShape::Parts(body);
        SceneBody { name: name.into(), role, link, link_from_body: Pose::IDENTITY, shape }
    }));
    Scene::new(parts).expect("a scene")
}

#[test]
fn a_body_that_starts_inside_a_closed_hole_is_refused() {
    let path = Motion::lines([vec![0.0], vec![0.1]]);
    let checker = Checker::new(scene(room()));
    let mut scratch = CheckScratch::new(&checker);
    let (_, proof) = checker.certify(&path, &Settings::default(), &mut scratch).expect("a path");
    let proof = proof.expect("free, as the room is a surface");
    assert!(Verifier::new(checker.scene()).expect("a verifier").verify(&path, &proof).is_ok());

    let solid = scene(room().closed().expect("a small hole"));
    let fingerprint = solid.fingerprint();
    assert_ne!(fingerprint.geometry, checker.scene().fingerprint().geometry);
    // All else made to fit, only the inside test is left to refuse it.
    let hashes = [fingerprint.kinematics, fingerprint.geometry, fingerprint.pairs];
    let body_hashes = solid.body_fingerprints();
    let forged = Certificate { scene: Arc::new(SceneClaim { hashes, body_hashes, ..(*proof.scene).clone() }), ..proof };
    let refusal = Verifier::new(&solid).expect("a verifier").verify(&path, &forged).expect_err("it starts inside");
    assert_eq!(refusal.fault, Fault::Inside);
    let checker = Checker::new(solid);
    let answer = checker.path(&path, &Settings::default(), &mut CheckScratch::new(&checker)).expect("a path");
    assert!(matches!(answer.verdict, Verdict::Collision(found) if found.bodies == [0, 1]));
}
