//! Each check of the verifier by itself: a false proof, forged so that everything else about it is in order, which a
//! verifier without that check would accept.

use std::sync::Arc;

use crate::checker_common::{Form, World, at, box_mesh, opened};
use pathproof::certificate::{Certificate, SceneClaim, TiledCell};
use pathproof::check::{CheckScratch, Settings};
use pathproof::numeric::{DVec3, Pose};
use pathproof::path::Motion;
use pathproof::robot::JointKind;
use pathproof::scene::{PairRule, Scene};
use pathproof_verifier::{Accepted, Fault, Refusal, Verifier};

type Path = Vec<Vec<f64>>;

/// A ball of radius 0.1 m on a slide along x, and a wall whose near face is at x = 0.95.
fn slide() -> World {
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "ball", JointKind::Prismatic { axis: DVec3::X }, Pose::IDENTITY);
    world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.1));
    world.thing("wall", "world", at(1.0, 0.0, 0.0), Form::Cuboid([0.1, 2.0, 2.0]));
    world
}

fn certificate(world: &World, path: &Path) -> Certificate {
    let checker = world.checker();
    let mut scratch = CheckScratch::new(&checker);
    let (answer, certificate) = checker.certify(&Motion::lines(&path[..]), &Settings::default(), &mut scratch).unwrap();
    Certificate::parse(&certificate.unwrap_or_else(|| panic!("{answer:?}")).to_bytes()).unwrap()
}

/// The certificate of another scene or path made to look like one of these.
fn forged(mut certificate: Certificate, scene: &Scene, path: &Path) -> Certificate {
    let fingerprint = scene.fingerprint();
    let hashes = [fingerprint.kinematics, fingerprint.geometry, fingerprint.pairs];
    let claim = Arc::make_mut(&mut certificate.scene);
    (claim.hashes, claim.body_hashes) = (hashes, scene.body_fingerprints());
    certificate.waypoints.clone_from(path);
    certificate
}

fn verify(world: &World, path: &Path, certificate: Certificate) -> Result<Accepted, Refusal> {
    let scene = world.scene();
    Verifier::new(&scene).unwrap().verify(&Motion::lines(&path[..]), &forged(certificate, &scene, path))
}

fn fault(world: &World, path: &Path, certificate: Certificate) -> Fault {
    verify(world, path, certificate).expect_err("a false proof").fault
}

fn look(earlier: bool, later: bool) -> TiledCell {
    TiledCell { covered: [earlier, later], direction_in_world: Some(DVec3::X) }
}

fn to(goal: f64) -> Path {
    vec![vec![0.0], vec![goal]]
}

#[test]
fn a_true_proof_is_accepted_and_says_what_was_shown() {
    let proof = certificate(&slide(), &to(0.8));
    let accepted = verify(&slide(), &to(0.8), proof).unwrap();
    assert!(accepted.segments == 1 && accepted.pairs == 1 && accepted.halves >= 2);
}

/// A ball that turns in itself goes nowhere, which the checker sees and the verifier does not: it was once given one cell for
/// all of the way, and refused.
#[test]
fn a_proof_of_a_body_that_turns_in_place_is_accepted() {
    for (turn, gap) in [(6.0, 2e-6), (6.0, 1e-5), (300.0, 2e-3), (300.0, 5e-3)] {
        let mut world = World::new(0.0, 0.0);
        world.link("world", "ball", JointKind::Revolute { axis: DVec3::Y }, Pose::IDENTITY);
        world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.1));
        world.thing("wall", "world", at(0.0, 0.0, 0.6 + gap), Form::Cuboid([1.0; 3]));
        let proof = certificate(&world, &to(turn));
        let accepted = verify(&world, &to(turn), proof);
        assert!(accepted.is_ok(), "{turn} rad, {gap} m: {accepted:?}");
    }
}

#[test]
fn a_cell_whose_midpoint_is_in_contact_is_refused() {
    let mut proof = certificate(&slide(), &to(0.8));
    proof.tilings = vec![vec![look(true, true)]];
    let refusal = verify(&slide(), &to(2.0), proof).unwrap_err();
    assert_eq!((refusal.fault, refusal.segment, refusal.interval), (Fault::NotShown, Some(0), Some([0.0, 1.0])));
    assert_eq!(refusal.bodies, Some(["ball".to_owned(), "wall".to_owned()]));
}

/// At the midpoint x = 0.7 the ball is 0.15 m from the wall; at the end it is in it.
#[test]
fn a_half_that_ends_in_contact_is_refused_though_its_midpoint_is_free() {
    let path = vec![vec![0.2], vec![1.2]];
    let mut proof = certificate(&slide(), &path.iter().map(|q| vec![q[0] * 0.1]).collect());
    proof.tilings = vec![vec![look(true, true)]];
    assert_eq!(fault(&slide(), &path, proof.clone()), Fault::NotShown);
    // The earlier half alone holds: what fails then is the look at the later one.
    proof.tilings = vec![vec![look(true, false), look(true, true)]];
    assert_eq!(verify(&slide(), &path, proof).unwrap_err().interval, Some([0.5, 1.0]));
}

/// The tip of an arm turns from −90° to 90° through (1, 0), where it moves along y: going straight it would never meet
/// the ball at (0, 1), in which the turn ends.
#[test]
fn a_body_that_curves_into_contact_is_refused() {
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "arm", JointKind::Revolute { axis: DVec3::Z }, Pose::IDENTITY);
    world.thing("tip", "arm", at(1.0, 0.0, 0.0), Form::Ball(0.05));
    world.thing("ball", "world", at(0.0, 1.0, 0.0), Form::Ball(0.05));
    let mut proof = certificate(&world, &vec![vec![-0.1], vec![0.1]]);
    proof.tilings = vec![vec![TiledCell { covered: [true, true], direction_in_world: Some(-DVec3::X) }]];
    let quarter = std::f64::consts::FRAC_PI_2;
    assert_eq!(fault(&world, &vec![vec![-quarter], vec![quarter]], proof), Fault::NotShown);
}

#[test]
fn cells_that_leave_a_part_out_are_refused() {
    let path = to(2.0);
    let proof = certificate(&slide(), &to(0.8));
    // The wall is met between 0.425 and 0.575 of the way: leave the later half out.
    for tiling in [vec![], vec![look(true, false)], vec![look(false, false), look(true, true)]] {
        let mut proof = proof.clone();
        proof.tilings = vec![tiling];
        let found = fault(&slide(), &to(0.4), proof);
        assert!(found == Fault::NotTiled, "{found:?}");
    }
    let mut none = proof.clone();
    none.tilings.clear();
    assert_eq!(fault(&slide(), &path, none), Fault::NotTiled);
    let mut too_many = proof.clone();
    too_many.tilings = vec![vec![look(true, true), look(true, true)]];
    assert_eq!(fault(&slide(), &to(0.4), too_many), Fault::NotTiled);
    let mut too_deep = proof;
    too_deep.tilings = vec![vec![look(false, true); 200]];
    assert_eq!(fault(&slide(), &to(0.4), too_deep), Fault::NotTiled);
}

#[test]
fn a_pair_that_must_be_checked_and_is_left_out_is_refused() {
    let mut blind = slide();
    blind.thing("post", "world", at(-1.0, 0.0, 0.0), Form::Ball(0.1));
    let all = blind.clone();
    blind.rules.exceptions.push(([0, 1], PairRule::Skip));
    let proof = certificate(&blind, &to(2.0));
    assert!(verify(&blind, &to(2.0), proof.clone()).is_ok());
    assert_eq!(fault(&all, &to(2.0), proof.clone()), Fault::MissingPair);
    // With the wall put into the group of the post it is looked at with it, and is in the way.
    let mut grouped = proof.clone();
    let post = grouped.scene.groups.iter().position(|group| group == &[2]).expect("the post");
    Arc::make_mut(&mut grouped.scene).groups[post].push(1);
    assert_eq!(fault(&all, &to(2.0), grouped), Fault::NotShown);
    // Twice the same body is no group.
    let mut twice = proof;
    Arc::make_mut(&mut twice.scene).groups[post].push(2);
    assert_eq!(fault(&all, &to(2.0), twice), Fault::MissingPair);
}

#[test]
fn less_clearance_than_is_asked_for_is_refused() {
    let mut strict = slide();
    strict.clearance = 0.1;
    let proof = certificate(&slide(), &to(0.8));
    assert_eq!(fault(&strict, &to(0.8), proof.clone()), Fault::Clearance);
    // Nor does it help to state more than is true: the ball comes within 0.05 m.
    let mut stated = proof;
    Arc::make_mut(&mut stated.scene).pairs[0].2 = 0.1;
    assert_eq!(fault(&strict, &to(0.8), stated), Fault::NotShown);
    // Nor where a ball and a box around them are apart all the way: here it comes within 0.25 m.
    strict.clearance = 0.3;
    let mut stated = certificate(&slide(), &to(0.6));
    Arc::make_mut(&mut stated.scene).pairs[0].2 = 0.3;
    assert_eq!(fault(&strict, &to(0.6), stated), Fault::NotShown);
}

/// A small box that moves inside a hollow one: no surface is touched.
#[test]
fn a_body_that_starts_inside_a_closed_mesh_is_refused() {
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "box", JointKind::Prismatic { axis: DVec3::X }, Pose::IDENTITY);
    world.thing("inner", "box", Pose::IDENTITY, box_mesh([0.1; 3]));
    let shell = world.thing("shell", "world", Pose::IDENTITY, opened(box_mesh([2.0; 3])));
    let proof = certificate(&world, &to(0.1));
    assert!(verify(&world, &to(0.1), proof.clone()).is_ok());
    world.things[shell].parts[0].1 = box_mesh([2.0; 3]);
    assert_eq!(fault(&world, &to(0.1), proof.clone()), Fault::Inside);
    world.things[0].parts[0].1 = Form::Ball(0.05);
    assert_eq!(fault(&world, &to(0.1), proof), Fault::Inside);
}

/// A box on a slide of 1e9 m, where everything is known to 6e-6 m: a gap of 2.4e-5 m is enough to tell two surfaces apart,
/// but four times that error must be left for the inside test to be about where the box is.
#[test]
fn a_start_that_may_be_inside_a_closed_mesh_is_refused() {
    let slide = JointKind::Prismatic { axis: DVec3::X };
    let mut world = World::new(0.0, 1e-3);
    for name in ["far", "near"] {
        world.link("world", name, slide, Pose::IDENTITY);
        world.thing(name, name, Pose::IDENTITY, opened(box_mesh([0.1; 3])));
    }
    let wall = world.thing("far wall", "world", at(2.0, 0.0, 0.0), opened(box_mesh([1.0; 3])));
    // A pair that is known well, which comes after the other.
    world.thing("near wall", "world", at(1.0, 0.0, 0.0), box_mesh([1.0; 3]));
    world.rules.exceptions.push(([0, 1], PairRule::Skip));
    let proof = certificate(&world, &vec![vec![0.0, 0.0]]);
    world.things[wall].parts[0].0 = at(1e9, 0.0, 0.0);
    let start = |gap: f64| vec![vec![1e9 - 0.55 - gap, 0.43]];
    let whole = vec![look(true, true)];
    let cut = vec![look(false, false), look(true, true), look(true, true)];
    let proofs = [whole, cut].map(|tiling| {
        let (groups, pairs, tilings) = (vec![vec![0, 1], vec![2, 3]], vec![(0, 1, 0.0)], vec![tiling]);
        let scene = Arc::new(SceneClaim { groups, pairs, ..(*proof.scene).clone() });
        Certificate { scene, tilings, ..proof.clone() }
    });
    for proof in &proofs {
        assert!(verify(&world, &start(2.4e-5), proof.clone()).is_ok());
    }
    world.things[wall].parts[0].1 = box_mesh([1.0; 3]);
    for proof in proofs {
        assert_eq!(fault(&world, &start(2.4e-5), proof.clone()), Fault::NotShown);
        assert!(verify(&world, &start(1e-4), proof).is_ok());
    }
}

#[test]
fn another_path_or_scene_or_no_motion_is_refused() {
    let scene = slide().scene();
    let verifier = Verifier::new(&scene).unwrap();
    let proof = certificate(&slide(), &to(0.8));
    for path in [to(0.7), to(2.0), vec![vec![0.0]], vec![], vec![vec![0.0], vec![f64::NAN]], vec![vec![0.0, 0.0]; 2]] {
        assert_eq!(verifier.verify(&Motion::lines(&path[..]), &proof).unwrap_err().fault, Fault::OtherPath, "{path:?}");
    }
    let nan = forged(proof.clone(), &scene, &to(f64::NAN));
    assert_eq!(verifier.verify(&Motion::lines(to(f64::NAN)), &nan).unwrap_err().fault, Fault::OtherPath);
    let mut moved = slide();
    moved.things[1].parts[0].0 = at(0.85, 0.0, 0.0);
    let moved_scene = moved.scene();
    assert_eq!(
        Verifier::new(&moved_scene).unwrap().verify(&Motion::lines(to(0.8)), &proof).unwrap_err().fault,
        Fault::OtherScene
    );
    // With the hashes forged the wall itself is in the way.
    assert_eq!(fault(&moved, &to(0.8), proof), Fault::NotShown);
}

/// A quaternion of length 2 would blow a body up, and half a turn has no shortest arc.
#[test]
fn rotations_that_are_none_are_refused() {
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "body", JointKind::Floating, Pose::IDENTITY);
    world.thing("body", "body", at(0.5, 0.0, 0.0), Form::Ball(0.1));
    world.thing("ball", "world", at(-3.0, 0.0, 0.0), Form::Ball(0.1));
    let q = |z: f64, w: f64| vec![0.0, 0.0, 0.0, 0.0, 0.0, z, w];
    let proof = certificate(&world, &vec![q(0.0, 1.0), q(0.6, 0.8)]);
    assert!(verify(&world, &vec![q(0.0, 1.0), q(0.6, 0.8)], proof.clone()).is_ok());
    for goal in [q(1.2, 1.6), q(0.0, 0.0), q(1.0, 0.0)] {
        assert_eq!(fault(&world, &vec![q(0.0, 1.0), goal], proof.clone()), Fault::OtherPath);
    }
}

#[test]
fn a_body_that_comes_below_a_plane_is_refused() {
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "ball", JointKind::Prismatic { axis: DVec3::Z }, Pose::IDENTITY);
    world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.1));
    world.thing("ground", "world", at(0.0, 0.0, -0.5), Form::Plane(DVec3::Z));
    let mut proof = certificate(&world, &to(-0.3));
    assert!(verify(&world, &to(-0.3), proof.clone()).is_ok());
    proof.tilings = vec![vec![look(true, true)]];
    assert_eq!(fault(&world, &to(-0.5), proof), Fault::NotShown);
}

/// Pieces may overlap by what the clearance allows, and no more.
#[test]
fn penetration_beyond_a_negative_clearance_is_refused() {
    let mut world = slide();
    world.clearance = -0.02;
    let proof = certificate(&world, &to(0.86));
    assert!(verify(&world, &to(0.86), proof.clone()).is_ok());
    assert_eq!(fault(&world, &to(0.88), proof), Fault::NotShown);
}
