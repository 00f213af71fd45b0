//! Forged certificates: waypoints, cells, directions and hashes of true ones spliced onto paths that collide or start
//! inside a solid, with the sums put right. None may be accepted, and none may keep the verifier busy.
//!
//! `PATHPROOF_FORGERIES` says how many (default 150). The full run:
//! `PATHPROOF_FORGERIES=12000 cargo test --release -p pathproof-verifier --test verifier forgeries:: -- --nocapture`

use std::sync::Arc;

use crate::checker_common::random::{prepare, quaternions, random_segment, random_world};
use crate::checker_common::{Form, Oracle, World, at, box_mesh, word};
use pathproof::certificate::{Certificate, TiledCell};
use pathproof::check::{CheckScratch, Checker, Settings};
use pathproof::numeric::{DVec3, Pose, Random};
use pathproof::path::Motion;
use pathproof::robot::JointKind;
use pathproof_verifier::{Fault, Verifier};
use rayon::prelude::*;

/// How far the oracle may be off.
const KNOWN: f64 = 2e-7;

fn wanted() -> usize {
    std::env::var("PATHPROOF_FORGERIES").ok().and_then(|text| text.parse().ok()).unwrap_or(150)
}

pub(crate) type Path = Vec<Vec<f64>>;

/// A world with proofs of free paths and paths that are not free.
pub(crate) struct Material {
    pub(crate) world: World,
    pub(crate) proofs: Vec<Certificate>,
    /// Refuted by the oracle: a pair is closer than its clearance by more than the oracle may be off, or one is inside.
    pub(crate) colliding: Vec<Path>,
}

pub(crate) fn is_refuted(oracle: &Oracle, path: &[Vec<f64>], is_signed: bool) -> bool {
    let links = oracle.links(&path[0]);
    let is_inside = !is_signed && oracle.pairs.iter().any(|(a, b, _)| oracle.is_contained(&links, *a, *b));
    is_inside || path.windows(2).any(|ends| oracle.sampled(&ends[0], &ends[1], 0.01, is_signed).excess < -KNOWN)
}

fn material(number: usize) -> Material {
    let mut random = Random::new(0xF026_0000 + number as u64);
    let mut world = random_world(&mut random, number);
    prepare(&mut world, &mut random);
    if number.is_multiple_of(3) && world.clearance >= 0.0 {
        // A closed room around everything, in which whatever starts is inside; or a hollow that it starts in.
        let room = if random.below(2) == 0 { box_mesh([30.0; 3]) } else { Form::Cuboid([1e-3, 30.0, 30.0]) };
        world.thing("room", "world", at(12.0 * random.unit(), 0.0, 0.0), room);
    }
    let quaternions = quaternions(&world);
    let checker = world.checker();
    let scene = world.scene();
    let oracle = Oracle::new(&world, &scene);
    let mut scratch = CheckScratch::new(&checker);
    let (mut proofs, mut colliding) = (Vec::new(), Vec::new());
    for _ in 0..16 {
        let path = random_segment(&mut random, &world, &quaternions).to_vec();
        let (_, proof) =
            checker.certify(&Motion::lines(&path[..]), &Settings::default(), &mut scratch).expect("a path");
        match proof {
            Some(proof) => proofs.push(proof),
            None if is_refuted(&oracle, &path, world.clearance < 0.0) => colliding.push(path),
            None => {}
        }
    }
    Material { world, proofs, colliding }
}

/// Cells cut to this depth everywhere, nothing covered but at the bottom.
fn deep(levels: u32, direction: DVec3) -> Vec<TiledCell> {
    let direction_in_world = Some(direction);
    if levels == 0 {
        return vec![TiledCell { covered: [true; 2], direction_in_world }];
    }
    let half = deep(levels - 1, direction);
    let mut cells = vec![TiledCell { covered: [false; 2], direction_in_world: None }];
    cells.extend(half.iter().chain(&half));
    cells
}

/// A certificate for `path` made of what true ones hold.
pub(crate) fn forge(material: &Material, path: &Path, random: &mut Random) -> Certificate {
    let pick = |random: &mut Random| &material.proofs[random.below(material.proofs.len())];
    let mut forged = pick(random).clone();
    let pairs = forged.scene.pairs.len();
    let segments = (path.len() - 1).max(1);
    let way = random.below(6);
    forged.tilings = (0..segments * pairs)
        .map(|i| {
            let from = pick(random);
            let tiling = &from.tilings[i % pairs % from.tilings.len().max(1)];
            match way {
                // The cells of one true proof, or of many.
                0 => forged.tilings[i % pairs].clone(),
                1 => tiling.clone(),
                // Cells of another pair.
                2 => from.tilings[random.below(from.tilings.len())].clone(),
                // Claimed whole, along a true direction.
                3 => {
                    let covering = tiling.iter().find_map(|cell| cell.direction_in_world);
                    let direction_in_world = Some(covering.unwrap_or(DVec3::X));
                    vec![TiledCell { covered: [true; 2], direction_in_world }]
                }
                // Directions of others.
                4 => {
                    let mut cells = tiling.clone();
                    for cell in cells.iter_mut().filter(|cell| cell.covered != [false; 2]) {
                        cell.direction_in_world = Some(random.direction());
                    }
                    cells
                }
                _ => deep(random.below(7) as u32, random.direction()),
            }
        })
        .collect();
    forged.waypoints.clone_from(path);
    forged
}

/// A path that is not free, alone, or before or after free segments, or walked backwards.
pub(crate) fn false_path(material: &Material, random: &mut Random) -> Path {
    let mut path = material.colliding[random.below(material.colliding.len())].clone();
    match random.below(4) {
        0 => path.reverse(),
        1 => path.extend(material.proofs[random.below(material.proofs.len())].waypoints.clone()),
        2 => {
            let mut before = material.proofs[random.below(material.proofs.len())].waypoints.clone();
            before.extend(path);
            path = before;
        }
        _ => {}
    }
    path
}

/// How many forgeries were tried.
fn run_world(number: usize) -> usize {
    let material = material(number);
    if material.proofs.is_empty() || material.colliding.is_empty() {
        return 0;
    }
    let scene = material.world.scene();
    let oracle = Oracle::new(&material.world, &scene);
    let verifier = Verifier::new(&scene).expect("a verifier");
    let mut random = Random::new(0xF02E + number as u64);
    let mut tried = 0;
    for _ in 0..30 {
        let path = false_path(&material, &mut random);
        // A path reversed may start elsewhere, and joined ones may turn by half a turn: the oracle decides.
        if !is_refuted(&oracle, &path, material.world.clearance < 0.0) {
            continue;
        }
        let forged = forge(&material, &path, &mut random);
        let read = Certificate::parse(&forged.to_bytes()).expect("whole bytes");
        let answer = verifier.verify(&Motion::lines(&path[..]), &read);
        assert!(answer.is_err(), "world {number}: accepted {answer:?} for {path:?}");
        tried += 1;
    }
    tried
}

#[test]
fn no_forgery_is_accepted() {
    let worlds = wanted().div_ceil(12);
    let tried: usize = (0..worlds).into_par_iter().map(run_world).sum();
    println!("{tried} forgeries");
    assert!(tried * 2 > wanted(), "{tried} of {} only", wanted());
}

/// A certificate of 3.8 kB once kept the verifier busy for more than a minute: two fine meshes in contact, cut to pieces of
/// which none is covered.
#[test]
fn a_forgery_that_would_take_long_is_refused_for_it() {
    let torus = || crate::checker_common::torus(0.3, 0.1, 60, 30);
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "moving", JointKind::Revolute { axis: DVec3::Z }, Pose::IDENTITY);
    world.thing("moving", "moving", at(0.9, 0.0, 0.0), torus());
    world.thing("fixed", "world", at(0.9, 0.1, 0.05), torus());
    let checker = world.checker();
    let path = Motion::lines([vec![-2.0], vec![1.0]]);
    let answer = checker.path(&path, &Settings::default(), &mut CheckScratch::new(&checker)).expect("a path");
    assert_eq!(word(&answer.verdict), "collision");
    // The scene's claim of a path far away.
    let apart = Checker::new({
        let mut apart = world.clone();
        apart.things[1].parts[0].0 = at(9.0, 0.0, 0.0);
        apart.scene()
    });
    let (_, proof) = apart.certify(&path, &Settings::default(), &mut CheckScratch::new(&apart)).expect("a path");
    let mut forged = proof.expect("free");
    let fingerprint = checker.scene().fingerprint();
    let claim = Arc::make_mut(&mut forged.scene);
    claim.hashes = [fingerprint.kinematics, fingerprint.geometry, fingerprint.pairs];
    claim.body_hashes = checker.scene().body_fingerprints();
    forged.tilings = vec![deep(12, DVec3::X)];
    assert!(forged.to_bytes().len() < 40_000);
    let verifier = Verifier::new(checker.scene()).expect("a verifier");
    let refusal = verifier.verify(&path, &forged).expect_err("a collision");
    assert!(matches!(refusal.fault, Fault::TooMuchWork | Fault::NotShown), "{refusal:?}");
    // And by the clock.
    let deadline = Some(std::time::Instant::now());
    let refusal = verifier.verify_until(&path, &forged, deadline).expect_err("no time");
    assert_eq!(refusal.fault, Fault::TooMuchWork, "{refusal:?}");
}
