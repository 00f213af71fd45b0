#![no_main]
//! Any bytes as a certificate, with the sum at the end put right: an error of one line, or something that the verifier
//! accepts or refuses. The path ends in the wall, so that nothing may be accepted.

use std::sync::{Arc, OnceLock};

use pathproof::check::{CheckScratch, Checker, Settings};
use pathproof::certificate::Certificate;
use pathproof::numeric::{DVec3, Pose, Sha256};
use pathproof::path::Motion;
use pathproof::robot::{JointKind, JointSpec, Model};
use pathproof::scene::{BodyShape, Role, Scene, SceneBody, SceneParts};
use pathproof::shapes::{Body, Convex};
use pathproof_verifier::Verifier;

fn body(name: &str, link: usize, x: f64, shape: Convex) -> SceneBody {
    let role = if link == 0 { Role::Obstacle } else { Role::Link };
    let link_from_body = Pose::from_translation(DVec3::X * x);
    SceneBody { name: name.into(), role, link, link_from_body, shape: BodyShape::Parts(Body::from_convex(shape)) }
}

fn scene() -> Scene {
    let slide = JointSpec::new("slide", JointKind::Prismatic { axis: DVec3::X }, "world", "ball", Pose::IDENTITY);
    let model = Model::new("world", vec!["world".into(), "ball".into()], vec![slide]).expect("a model");
    let mut parts = SceneParts::new(model);
    parts.bodies.push(body("ball", 1, 0.0, Convex::sphere(0.1).expect("a ball")));
    parts.bodies.push(body("wall", 0, 1.0, Convex::cuboid([0.1, 1.0, 1.0]).expect("a wall")));
    Scene::new(parts).expect("a scene")
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    static SCENE: OnceLock<(Scene, Vec<u8>)> = OnceLock::new();
    let (scene, free) = SCENE.get_or_init(|| {
        let checker = Checker::new(scene());
        let mut scratch = CheckScratch::new(&checker);
        let path = [vec![0.0], vec![0.8]];
        let (_, certificate) = checker.certify(&Motion::lines(&path[..]), &Settings::default(), &mut scratch).expect("a path");
        (scene(), certificate.expect("free").to_bytes())
    });
    // As they are, and as a change of a true certificate.
    let mut changed = free.clone();
    for pair in bytes.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([pair[0], pair[1]])) % changed.len();
        changed[at] = pair[2];
    }
    for mut content in [bytes.to_vec(), changed] {
        if let Some(end) = content.len().checked_sub(8) {
            let sum = Sha256::of(&content[..end]);
            content[end..].copy_from_slice(&sum[..8]);
        }
        match Certificate::parse(&content) {
            Err(error) => assert!(!error.to_string().contains('\n')),
            Ok(mut certificate) => {
                let fingerprint = scene.fingerprint();
                let claim = Arc::make_mut(&mut certificate.scene);
                claim.hashes = [fingerprint.kinematics, fingerprint.geometry, fingerprint.pairs];
                claim.body_hashes = scene.body_fingerprints();
                let path = Motion::lines([vec![0.0], vec![1.5]]);
                certificate.waypoints = path.waypoints().to_vec();
                assert!(Verifier::new(scene).expect("a verifier").verify(&path, &certificate).is_err());
            }
        }
    }
});
