//! Certificates for what a controller runs: accepted where the checker proves it, refused for any other curve.

use std::sync::Arc;

use crate::checker_common::random::{prepare, quaternions, random_segment, random_world};
use crate::checker_common::{Form, World, at};
use pathproof::certificate::{Certificate, CurveClaim, assumptions};
use pathproof::check::{CheckScratch, Settings, Verdict};
use pathproof::numeric::{DVec3, Pose, Random};
use pathproof::path::Motion;
use pathproof::robot::{JointKind, Knot};
use pathproof_verifier::{Accepted, Fault, Refusal, Verifier};

/// A ball of radius 0.1 m on a slide along x, and a wall whose near face is at x = 0.95.
fn slide() -> World {
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "ball", JointKind::Prismatic { axis: DVec3::X }, Pose::IDENTITY);
    world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.1));
    world.thing("wall", "world", at(1.0, 0.0, 0.0), Form::Cuboid([0.1, 2.0, 2.0]));
    world
}

/// From 0 to 0 in a second, at a speed that takes it to `peak` in between; with accelerations that do the same.
fn bow(peak: f64, is_quintic: bool) -> Vec<Knot> {
    let knot = |time: f64, sign: f64| Knot {
        time,
        positions: vec![0.0],
        velocities: Some(vec![if is_quintic { 0.0 } else { 4.0 * peak * sign }]),
        accelerations: is_quintic.then(|| vec![32.0 * peak]),
    };
    vec![knot(3.0, 1.0), knot(4.0, -1.0)]
}

fn certificate(world: &World, knots: &[Knot]) -> Option<Certificate> {
    let checker = world.checker();
    let mut scratch = CheckScratch::new(&checker);
    let motion = Motion::controller(checker.scene().model(), knots.to_vec(), None).unwrap();
    let (answer, certificate) = checker.certify(&motion, &Settings::default(), &mut scratch).unwrap();
    assert_eq!(certificate.is_some(), matches!(answer.verdict, Verdict::Free(_)));
    let certificate = certificate?;
    let again = Certificate::parse(&certificate.to_bytes()).unwrap();
    assert_eq!((again.version, &again.curve, &again.waypoints), (3, &certificate.curve, &certificate.waypoints));
    Some(again)
}

fn verify(world: &World, knots: &[Knot], certificate: &Certificate) -> Result<Accepted, Refusal> {
    let scene = world.scene();
    let motion = Motion::controller(scene.model(), knots.to_vec(), None).unwrap();
    Verifier::new(&scene).unwrap().verify(&motion, certificate)
}

#[test]
fn a_curve_is_proven_and_no_other_is_taken_for_it() {
    let world = slide();
    for is_quintic in [false, true] {
        let knots = bow(0.84, is_quintic);
        let proof = certificate(&world, &knots).expect("it is free");
        assert!(verify(&world, &knots, &proof).is_ok());
        // A certificate that is made to state what hits the wall, with all cells of one that does not.
        let hits = bow(0.86, is_quintic);
        assert_eq!(certificate(&world, &hits), None);
        assert_eq!(verify(&world, &hits, &proof).expect_err("another curve").fault, Fault::OtherPath);
        let forged = Certificate { curve: Some(CurveClaim::new(&hits)), ..proof.clone() };
        assert_eq!(verify(&world, &hits, &forged).expect_err("it hits the wall").fault, Fault::NotShown);
        // Nor do straight lines prove a curve, or the other way round.
        let scene = world.scene();
        let (verifier, path) = (Verifier::new(&scene).unwrap(), Motion::lines([vec![0.0], vec![0.0]]));
        assert_eq!(verifier.verify(&path, &proof).expect_err("not lines").fault, Fault::OtherPath);
        let mut lines = Certificate { curve: None, ..proof.clone() };
        assert_eq!(verifier.verify(&path, &lines).expect_err("its texts speak of a curve").fault, Fault::Header);
        Arc::make_mut(&mut lines.scene).assumptions = assumptions(false);
        assert!(verifier.verify(&path, &lines).is_ok());
        assert_eq!(verify(&world, &knots, &lines).expect_err("not the curve").fault, Fault::OtherPath);
    }
}

/// No motion has such points, so that only a certificate can state them.
#[test]
fn curves_that_no_controller_runs_are_refused() {
    let world = slide();
    let knots = bow(0.5, true);
    let proof = certificate(&world, &knots).expect("it is free");
    let mut alone = knots.clone();
    alone.iter_mut().for_each(|knot| knot.velocities = None);
    let mut late = knots.clone();
    late[1].time = late[0].time;
    let mut short = knots.clone();
    short[1].velocities = Some(Vec::new());
    for wrong in [alone, late, short] {
        assert!(Motion::controller(world.scene().model(), wrong.clone(), None).is_err());
        let forged = Certificate { curve: Some(CurveClaim::new(&wrong)), ..proof.clone() };
        assert_eq!(verify(&world, &knots, &forged).expect_err("no trajectory").fault, Fault::OtherPath);
    }
    let few = Certificate { curve: Some(CurveClaim::default()), ..proof };
    assert_eq!(verify(&world, &knots, &few).expect_err("no lists").fault, Fault::OtherPath);
}

/// Random robots on cubics and quintics: what the checker proves the verifier shows.
#[test]
fn what_is_proven_on_random_curves_is_accepted() {
    let mut random = Random::new(81);
    let (mut free, mut accepted, mut refusals) = (0, 0, Vec::new());
    for number in 0..60 {
        let mut world = random_world(&mut random, number);
        prepare(&mut world, &mut random);
        let quaternions = quaternions(&world);
        for _ in 0..3 {
            let ends = random_segment(&mut random, &world, &quaternions);
            let fields = random.below(3);
            let mut list = |size: f64| (0..ends[0].len()).map(|_| random.between(-size, size)).collect::<Vec<f64>>();
            let knots: Vec<Knot> = ends
                .iter()
                .zip([1.0, 1.5])
                .map(|(q, time)| Knot {
                    time,
                    positions: q.clone(),
                    velocities: (fields > 0).then(|| list(0.5)),
                    accelerations: (fields > 1).then(|| list(2.0)),
                })
                .collect();
            let Some(proof) = certificate(&world, &knots) else { continue };
            free += 1;
            match verify(&world, &knots, &proof) {
                Ok(_) => accepted += 1,
                Err(refusal) => refusals.push(refusal.message),
            }
        }
    }
    println!("{accepted} of {free} accepted: {refusals:#?}");
    assert!(free >= 30 && accepted as f64 >= 0.97 * f64::from(free), "{accepted} of {free}: {refusals:#?}");
}
