//! Forged certificates of curves: cells, claims and start states of true ones spliced onto curves that collide, with the
//! sums put right. None may be accepted.
//!
//! `PATHPROOF_FORGERIES` says how many (default 150). The full run:
//! `PATHPROOF_FORGERIES=12000 cargo test --release -p pathproof-verifier --test verifier curve_forgeries:: -- --nocapture`

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::checker_common::controlled::configuration;
use crate::checker_common::random::{prepare, quaternions, random_segment, random_world};
use crate::checker_common::{Oracle, World};
use pathproof::certificate::{Certificate, CurveClaim, TiledCell, assumptions};
use pathproof::check::{CheckScratch, Settings};
use pathproof::numeric::{DVec3, Random, Sha256};
use pathproof::path::Motion;
use pathproof::robot::{Knot, Model};
use pathproof_verifier::Verifier;
use rayon::prelude::*;

/// How far the oracle may be off.
const KNOWN: f64 = 2e-7;
const SAMPLES: usize = 150;
/// Bytes of the sum at the end of a certificate.
const SUM: usize = 8;

/// What a forger changes besides the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Claim {
    /// The curve that collides.
    Own,
    /// That of a true proof, for these waypoints.
    Another,
    /// Straight lines, in all texts.
    Lines,
    /// A lower degree.
    FewerRates,
    /// The same points from another start state.
    OtherStart,
    /// A byte before the cells, with the sum repaired.
    Byte,
}

const CLAIMS: [Claim; 6] =
    [Claim::Own, Claim::Another, Claim::Lines, Claim::FewerRates, Claim::OtherStart, Claim::Byte];

/// A curve from a current state, as its points say.
type Points = Vec<Knot>;

struct Material {
    world: World,
    /// True ones, and what they prove.
    free: Vec<Points>,
    proofs: Vec<Certificate>,
    /// Refuted by the oracle.
    colliding: Vec<Points>,
}

/// From the first of three points at rest or moving, over the others, with velocities; some with accelerations.
fn random_points(random: &mut Random, model: &Model, [a, b]: [Vec<f64>; 2]) -> Points {
    let has_accelerations = random.below(3) == 0;
    let mut list = |size: f64| model.variables().iter().map(|_| random.between(-size, size)).collect::<Vec<f64>>();
    let mut knot = |time: f64, positions: &Vec<f64>| Knot {
        time,
        positions: positions.clone(),
        velocities: Some(list(1.0)),
        accelerations: has_accelerations.then(|| list(3.0)),
    };
    vec![knot(0.0, &a), knot(0.8, &b), knot(1.5, &a)]
}

/// A motion whose first segment is what runs from the current state, where that has one version.
fn motion(model: &Model, points: &Points) -> Motion {
    let (current, rest) = points.split_first().expect("three points");
    match current.accelerations {
        None => Motion::controller(model, rest.to_vec(), Some(current.clone())),
        Some(_) => Motion::controller(model, points.clone(), None),
    }
    .expect("points of a controller")
}

fn is_refuted(oracle: &Oracle, model: &Model, points: &Points, is_signed: bool) -> bool {
    let ends: Vec<[Knot; 2]> = points.windows(2).map(|pair| [pair[0].clone(), pair[1].clone()]).collect();
    let at = |i: usize| {
        let (segment, t) = (i / SAMPLES, (i % SAMPLES) as f64 / SAMPLES as f64);
        (t, configuration(oracle, model, &ends[segment], t))
    };
    oracle.sampled_at((0..ends.len() * SAMPLES).map(at), is_signed).excess < -KNOWN
}

fn material(number: usize) -> Material {
    let mut random = Random::new(0xF0C0_0000 + number as u64);
    let mut world = random_world(&mut random, number);
    prepare(&mut world, &mut random);
    let quaternions = quaternions(&world);
    let checker = world.checker();
    let model = checker.scene().model();
    let oracle = Oracle::new(&world, checker.scene());
    let mut scratch = CheckScratch::new(&checker);
    let (mut free, mut proofs, mut colliding) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..12 {
        let ends = random_segment(&mut random, &world, &quaternions);
        let points = random_points(&mut random, model, ends);
        let motion = motion(model, &points);
        assert!(motion.is_certifiable());
        let (_, proof) = checker.certify(&motion, &Settings::default(), &mut scratch).expect("a curve");
        match proof {
            Some(proof) => {
                assert!(!is_refuted(&oracle, model, &points, world.clearance < 0.0), "a proof of what collides");
                proofs.push(proof);
                free.push(points);
            }
            None if is_refuted(&oracle, model, &points, world.clearance < 0.0) => colliding.push(points),
            None => {}
        }
    }
    Material { world, free, proofs, colliding }
}

/// Cells of true proofs for as many segments, with parts left out, covered by word, or of other pairs.
fn forge_cells(forged: &mut Certificate, material: &Material, random: &mut Random) {
    let way = random.below(6);
    for tiling in &mut forged.tilings {
        let from = &material.proofs[random.below(material.proofs.len())];
        let whole = |direction| vec![TiledCell { covered: [true; 2], direction_in_world: direction }];
        match way {
            0 => {}
            1 => tiling.clone_from(&from.tilings[random.below(from.tilings.len())]),
            2 => *tiling = whole(None),
            3 => *tiling = whole(Some(random.direction())),
            // A part of the segment is in no cell.
            4 => {
                let kept = random.below(tiling.len() + 1);
                tiling.truncate(kept);
            }
            // One half is covered by word, and nothing follows for it.
            _ => {
                let cell = random.below(tiling.len().max(1));
                tiling.iter_mut().skip(cell).for_each(|cell| cell.covered = [true; 2]);
                tiling.truncate(cell + 1);
            }
        }
        if way != 0 && random.below(3) == 0 {
            tiling.iter_mut().for_each(|cell| cell.direction_in_world = Some(DVec3::X));
        }
    }
}

/// Points with one thing less than they have.
fn with_fewer_rates(points: &[Knot]) -> Points {
    let mut fewer = points.to_vec();
    for knot in &mut fewer {
        match knot.accelerations.take() {
            Some(_) => {}
            None => knot.velocities = None,
        }
    }
    fewer
}

/// A certificate about `points` made of what true ones hold; `None` where the bytes are none.
fn forge(material: &Material, points: &Points, claim: Claim, random: &mut Random) -> Option<Certificate> {
    let proof = &material.proofs[random.below(material.proofs.len())];
    let mut forged = proof.clone();
    forge_cells(&mut forged, material, random);
    forged.waypoints = points.iter().map(|knot| knot.positions.clone()).collect();
    forged.curve = Some(CurveClaim::new(points));
    state(&mut forged, points, claim, proof);
    let mut bytes = forged.to_bytes();
    if claim == Claim::Byte {
        let end = bytes.len() - SUM;
        let place = random.below(end.min(4000));
        bytes[place] ^= 1 << random.below(8);
        let sum = Sha256::of(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum[..SUM]);
    }
    let read = Certificate::parse(&bytes);
    assert!(claim == Claim::Byte || read.is_ok(), "{claim:?}: {:?}", read.err());
    read.ok()
}

/// Lets a certificate about `points` state something else, of `proof` where it takes anything.
fn state(forged: &mut Certificate, points: &Points, claim: Claim, proof: &Certificate) {
    match claim {
        Claim::Own | Claim::Byte => {}
        Claim::Another => forged.curve.clone_from(&proof.curve),
        Claim::Lines => {
            forged.curve = None;
            Arc::make_mut(&mut forged.scene).assumptions = assumptions(false);
        }
        Claim::FewerRates => forged.curve = Some(CurveClaim::new(&with_fewer_rates(points))),
        Claim::OtherStart => {
            forged.waypoints[0].clone_from(&proof.waypoints[0]);
            let curve = forged.curve.as_mut().expect("it was made");
            let own = proof.curve.as_ref().expect("it is of a curve");
            curve.velocities[0].clone_from(&own.velocities[0]);
        }
    }
}

/// How many forgeries were tried, per claim.
fn run_world(number: usize) -> BTreeMap<Claim, usize> {
    let material = material(number);
    let mut tried = BTreeMap::new();
    if material.proofs.is_empty() || material.colliding.is_empty() {
        return tried;
    }
    let scene = material.world.scene();
    let verifier = Verifier::new(&scene).expect("a verifier");
    let mut random = Random::new(0xF0C1 + number as u64);
    for i in 0..30 {
        let points = &material.colliding[random.below(material.colliding.len())];
        let claim = CLAIMS[i % CLAIMS.len()];
        let Some(forged) = forge(&material, points, claim, &mut random) else { continue };
        let answer = verifier.verify(&motion(scene.model(), points), &forged);
        assert!(answer.is_err(), "world {number}: {claim:?}: accepted {answer:?} for {points:?}");
        *tried.entry(claim).or_default() += 1;
    }
    for (points, proof) in material.free.iter().zip(&material.proofs) {
        // The cells are true, and the header states another curve.
        for claim in [Claim::Another, Claim::Lines, Claim::FewerRates, Claim::OtherStart] {
            let mut forged = proof.clone();
            state(&mut forged, points, claim, &material.proofs[random.below(material.proofs.len())]);
            let is_same = (&forged.curve, &forged.waypoints) == (&proof.curve, &proof.waypoints);
            let answer = verifier.verify(&motion(scene.model(), points), &forged);
            assert!(is_same || answer.is_err(), "world {number}: {claim:?}: accepted {answer:?} for {points:?}");
        }
    }
    tried
}

#[test]
fn no_forgery_of_a_curve_is_accepted() {
    let wanted: usize = std::env::var("PATHPROOF_FORGERIES").ok().and_then(|text| text.parse().ok()).unwrap_or(150);
    let all: Vec<BTreeMap<Claim, usize>> = (0..wanted.div_ceil(8)).into_par_iter().map(run_world).collect();
    let sum = |claim: Claim| all.iter().filter_map(|tried| tried.get(&claim)).sum::<usize>();
    let tried = CLAIMS.map(|claim| (claim, sum(claim)));
    println!("{tried:?}");
    assert!(tried.iter().all(|(_, count)| count * 20 > wanted), "{tried:?} where {wanted} are wanted");
}
