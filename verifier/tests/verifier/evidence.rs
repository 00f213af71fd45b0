//! What a certificate states beside cells is a hint: whatever it says, nothing false is accepted and nothing breaks. Both
//! versions of the format.

use std::sync::Arc;

use crate::checker_common::{Form, World, at, box_mesh, torus};
use pathproof::certificate::{Certificate, ReadError, TiledCell};
use pathproof::check::{CheckScratch, Settings};
use pathproof::numeric::{DVec3, Pose, Random, Sha256};
use pathproof::path::Motion;
use pathproof::robot::JointKind;
use pathproof_verifier::{Accepted, Fault, Refusal, Verifier};

type Path = Vec<Vec<f64>>;

/// A box and a ring on an arm that turns about z, and two things that it passes: a box, and a rod that the ring is around
/// at 0, so that no plane separates them.
fn arm() -> World {
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "arm", JointKind::Revolute { axis: DVec3::Z }, Pose::IDENTITY);
    world.thing("block", "arm", at(0.5, 0.0, 0.0), box_mesh([0.1, 0.1, 0.1]));
    world.thing("ring", "arm", at(0.9, 0.0, 0.0), torus(0.1, 0.02, 24, 12));
    world.thing("post", "world", at(0.0, 0.5, 0.0), Form::Cuboid([0.1, 0.1, 0.1]));
    world.thing("rod", "world", at(0.9, 0.0, 0.0), Form::Cuboid([0.04, 0.04, 0.6]));
    world
}

fn certificate(world: &World, path: &Path) -> Certificate {
    let checker = world.checker();
    let (_, proof) = checker
        .certify(&Motion::lines(&path[..]), &Settings::default(), &mut CheckScratch::new(&checker))
        .expect("a path");
    proof.expect("it is free")
}

fn verify(world: &World, path: &Path, proof: &Certificate) -> Result<Accepted, Refusal> {
    let scene = world.scene();
    Verifier::new(&scene).expect("a verifier").verify(&Motion::lines(&path[..]), proof)
}

fn turn(from: f64, to: f64) -> Path {
    vec![vec![from], vec![to]]
}

/// The whole segment claimed from its middle, along a direction.
fn whole(proof: &Certificate, direction_in_world: Option<DVec3>) -> Certificate {
    let tilings = proof.tilings.iter().map(|_| vec![TiledCell { covered: [true; 2], direction_in_world }]).collect();
    Certificate { tilings, ..proof.clone() }
}

/// A ring around a rod turns by 0.05 rad: no plane is between them, and what one cell claims is more than one can show.
#[test]
fn a_cell_that_claims_too_much_is_cut() {
    let (world, path) = (arm(), turn(-0.05, 0.05));
    let proof = certificate(&world, &path);
    assert!(verify(&world, &path, &proof).is_ok());
    assert!(verify(&world, &path, &whole(&proof, None)).is_ok());
    // At 0.07 rad the ring touches the rod.
    for end in [0.075, 0.1, 0.3] {
        let path = turn(-0.05, end);
        let forged = Certificate { waypoints: path.clone(), ..proof.clone() };
        for forged in [whole(&forged, None), forged] {
            assert_eq!(verify(&world, &path, &forged).expect_err("a contact").fault, Fault::NotShown, "{end}");
        }
    }
}

#[test]
fn no_direction_makes_a_contact_free_or_a_true_proof_false() {
    let world = arm();
    let (free, hit) = (turn(0.3, 1.2), turn(0.3, 1.45));
    let proof = certificate(&world, &free);
    let mut random = Random::new(7);
    let strange = [DVec3::ZERO, DVec3::NAN, DVec3::INFINITY, DVec3::MAX, DVec3::splat(5e-324), DVec3::X * 1e-200];
    let random = (0..40).map(|_| random.direction());
    for direction in strange.into_iter().chain(random) {
        let mut stated = proof.clone();
        for cell in stated.tilings.iter_mut().flatten().filter(|cell| cell.covered != [false; 2]) {
            cell.direction_in_world = Some(direction);
        }
        assert!(verify(&world, &free, &stated).is_ok(), "{direction}");
        let forged = Certificate { waypoints: hit.clone(), ..stated };
        assert_eq!(verify(&world, &hit, &forged).expect_err("a contact").fault, Fault::NotShown, "{direction}");
    }
}

/// A body of another pair, or one that is not there.
#[test]
fn groups_of_other_bodies_are_refused() {
    let (world, path) = (arm(), turn(0.3, 1.2));
    let proof = certificate(&world, &path);
    for number in [0, 1, 2, 3, 4, 9, usize::MAX] {
        for group in 0..proof.scene.groups.len() {
            let mut changed = proof.clone();
            let groups = &mut Arc::make_mut(&mut changed.scene).groups;
            if groups[group] == [number] {
                continue;
            }
            groups[group] = vec![number];
            assert_eq!(verify(&world, &path, &changed).expect_err("no such group").fault, Fault::MissingPair);
        }
    }
}

#[test]
fn older_versions_are_read_and_verified_as_before() {
    let (world, path) = (arm(), turn(0.3, 1.2));
    let mut proof = certificate(&world, &path);
    assert_eq!(proof.version, 3);
    assert_eq!(Certificate::parse(&proof.to_bytes()).as_ref(), Ok(&proof));
    let older = Certificate { version: 2, ..proof.clone() };
    let read = Certificate::parse(&older.to_bytes()).expect("version 2");
    assert_eq!((read.version, read.scene.body_hashes.len(), &read.tilings), (2, 0, &proof.tilings));
    assert!(verify(&world, &path, &read).is_ok());
    proof.version = 1;
    for cell in proof.tilings.iter_mut().flatten().filter(|cell| cell.covered != [false; 2]) {
        cell.direction_in_world = Some(DVec3::Z);
    }
    let bytes = proof.to_bytes();
    let read = Certificate::parse(&bytes).expect("version 1");
    assert_eq!((read.version, read.tilings.len(), read.to_bytes()), (1, proof.tilings.len(), bytes));
    assert!(verify(&world, &path, &read).is_ok());
    let forged = Certificate { waypoints: turn(0.3, 1.45), ..read };
    assert_eq!(verify(&world, &turn(0.3, 1.45), &forged).expect_err("a contact").fault, Fault::NotShown);
}

/// The sum put right.
fn summed(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = Sha256::of(&bytes);
    bytes.extend(&sum[..8]);
    bytes
}

/// Counts of more cells than there are bits, or of any number at all, are no reason to make room for them.
#[test]
fn counts_that_cannot_be_are_refused() {
    let proof = certificate(&arm(), &turn(0.3, 1.2));
    let empty = Certificate { tilings: Vec::new(), ..proof.clone() }.to_bytes();
    let head = &empty[..empty.len() - 8];
    let tails: [&[u8]; 6] = [&[], &[0; 3], &[0; 400], &[0, 0, 0, 128, 255, 255, 255, 255], &[255], &[0, 1, 255]];
    for tail in tails {
        let read = Certificate::parse(&summed([head, tail].concat()));
        assert!(matches!(read, Err(ReadError::Malformed(_))), "{tail:?}: {read:?}");
    }
    // What follows the last cell must be nothing.
    let bytes = proof.to_bytes();
    let more = summed([&bytes[..bytes.len() - 8], &[0]].concat());
    assert!(matches!(Certificate::parse(&more), Err(ReadError::Malformed(_))));
}
