//! Headers: whatever a certificate states beside its proof is true, or it is refused.

use std::sync::Arc;

use crate::checker_common::{Form, World, at};
use pathproof::certificate::{Certificate, SceneClaim};
use pathproof::check::{CheckScratch, Settings};
use pathproof::numeric::{DVec3, Pose};
use pathproof::path::Motion;
use pathproof::robot::JointKind;
use pathproof_verifier::{Fault, Verifier};

/// A ball that slides along x from 0 to 0.8 towards a wall that it touches at 0.89, carrying a plate that it may touch.
fn slide(clearance: f64) -> World {
    let mut world = World::new(clearance, 1e-3);
    world.link("world", "ball", JointKind::Prismatic { axis: DVec3::X }, Pose::IDENTITY);
    world.link("ball", "plate", JointKind::Prismatic { axis: DVec3::Z }, Pose::IDENTITY);
    world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.1));
    world.thing("plate", "plate", Pose::IDENTITY, Form::Ball(0.05));
    world.thing("wall", "world", at(1.0, 0.0, 0.0), Form::Cuboid([0.02, 2.0, 2.0]));
    world
}

fn motion() -> Motion {
    Motion::lines([vec![0.0, 0.0], vec![0.8, 0.1]])
}

fn proof(world: &World) -> Certificate {
    let checker = world.checker();
    let (_, proof) =
        checker.certify(&motion(), &Settings::default(), &mut CheckScratch::new(&checker)).expect("a path");
    proof.expect("it is free")
}

/// How a proof with a changed header is answered; the bytes are written and read, so that the sum is right.
fn fault(world: &World, proof: &Certificate, change: impl Fn(&mut SceneClaim)) -> Option<Fault> {
    let mut changed = proof.clone();
    change(Arc::make_mut(&mut changed.scene));
    let read = Certificate::parse(&changed.to_bytes()).expect("whole bytes");
    let scene = world.scene();
    Verifier::new(&scene).expect("a verifier").verify(&motion(), &read).err().map(|refusal| refusal.fault)
}

/// `verify` accepted a header that stated a clearance of 5 m, and `certificate show` printed it.
#[test]
fn a_header_that_states_what_is_not_proven_is_refused() {
    let world = slide(0.0);
    let proof = proof(&world);
    assert!(!proof.scene.unchecked.is_empty(), "the test needs a pair that is not checked");
    assert_eq!(fault(&world, &proof, |_| {}), None);
    type Change<'a> = (&'a str, &'a dyn Fn(&mut SceneClaim));
    let changes: [Change<'_>; 11] = [
        ("more clearance", &|claim| claim.clearance = 5.0),
        ("a little more clearance", &|claim| claim.clearance = f64::MIN_POSITIVE),
        ("an assumption less", &|claim| drop(claim.assumptions.pop())),
        ("another assumption", &|claim| claim.assumptions[0].push_str(" Except today.")),
        ("an assumption more", &|claim| claim.assumptions.push("Nobody is near.".to_owned())),
        ("another joint", &|claim| claim.variables[0] = "lift".to_owned()),
        ("another body", &|claim| claim.bodies.swap(0, 2)),
        ("another hash of a body", &|claim| claim.body_hashes[1][7] ^= 1),
        ("a skipped pair less", &|claim| drop(claim.unchecked.pop())),
        ("another skipped pair", &|claim| claim.unchecked[0].1 = 2),
        ("another reason", &|claim| claim.unchecked[0].2 = "they are far apart".to_owned()),
    ];
    for (what, change) in changes {
        assert_eq!(fault(&world, &proof, change), Some(Fault::Header), "{what}");
    }
}

/// A proof of more clearance than the scene asks for may say so.
#[test]
fn a_clearance_that_every_pair_is_proven_with_may_be_stated() {
    let wide = proof(&slide(0.02));
    let world = slide(0.01);
    assert_eq!(fault(&world, &wide, |_| {}), None);
    assert_eq!(fault(&world, &wide, |claim| claim.clearance = 0.015), None);
    assert_eq!(fault(&world, &wide, |claim| claim.clearance = 0.020001), Some(Fault::Header));
    // A claim of less than is proven is true.
    assert_eq!(fault(&world, &wide, |claim| claim.clearance = -1.0), None);
}
