//! Random changes to certificates, scenes and paths, each forged so that hashes, waypoints and sums agree: whatever is
//! accepted must be true. Truth is sampled: where a sample refutes the claim, the verifier must have refused it.
//!
//! `PATHPROOF_MUTATIONS` says how many (default 800). The full run:
//! `PATHPROOF_MUTATIONS=12000 cargo test --release -p pathproof-verifier --test verifier mutations:: -- --nocapture`

use std::sync::Arc;

use crate::checker_common::random::{prepare, quaternions, random_segment, random_world};
use crate::checker_common::{Oracle, World, finding};
use pathproof::certificate::{Certificate, TiledCell};
use pathproof::check::{CheckScratch, Checker, Settings};
use pathproof::numeric::{DVec3, Random, Sha256};
use pathproof::path::Motion;
use pathproof::robot::JointKind;
use pathproof_verifier::{Fault, Verifier};
use rayon::prelude::*;

/// How far the oracle may be off.
const KNOWN: f64 = 2e-7;
const STEP: f64 = 0.01;

fn wanted() -> usize {
    std::env::var("PATHPROOF_MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(800)
}

#[derive(Default, Debug, Clone, Copy)]
struct Tally {
    mutations: usize,
    /// The claim no longer holds.
    refuted: usize,
    refused: usize,
    unreadable: usize,
}

impl Tally {
    fn plus(self, o: Self) -> Self {
        Self {
            mutations: self.mutations + o.mutations,
            refuted: self.refuted + o.refuted,
            refused: self.refused + o.refused,
            unreadable: self.unreadable + o.unreadable,
        }
    }
}

/// A claim: that the certificate proves the path free in the world.
#[derive(Clone)]
struct Claim {
    world: World,
    path: [Vec<f64>; 2],
    proof: Certificate,
}

/// Removes the looks of the cell that begins at `at`.
fn remove_cell(tiling: &mut Vec<TiledCell>, at: usize) {
    if at >= tiling.len() {
        return;
    }
    let look = tiling.remove(at);
    for _ in look.covered.iter().filter(|covered| !**covered) {
        remove_cell(tiling, at);
    }
}

/// Claims that a half is covered which was cut further.
fn cover_more(proof: &mut Certificate, random: &mut Random) {
    for tiling in &mut proof.tilings {
        let cut: Vec<usize> = (0..tiling.len()).filter(|&i| tiling[i].covered != [true; 2]).collect();
        if cut.is_empty() || random.below(3) == 0 {
            continue;
        }
        let at = cut[random.below(cut.len())];
        let half = usize::from(tiling[at].covered[0]);
        // The earlier half's cell follows at once; the later one's as well where the earlier is covered.
        tiling[at].covered[half] = true;
        tiling[at].direction_in_world = Some(random.direction());
        remove_cell(tiling, at + 1);
    }
}

/// Changes cells, directions, pairs or groups.
pub(crate) fn change_tilings(proof: &mut Certificate, random: &mut Random) {
    match random.below(6) {
        0 => cover_more(proof, random),
        1 => {
            for cell in proof.tilings.iter_mut().flatten() {
                cell.direction_in_world = Some(random.direction() * random.between(0.0, 2.0));
            }
        }
        2 => {
            if let Some(tiling) = (!proof.tilings.is_empty()).then(|| random.below(proof.tilings.len()))
                && let Some(look) = proof.tilings[tiling].first_mut()
            {
                look.covered[random.below(2)] ^= true;
            }
        }
        3 => {
            let scene = Arc::make_mut(&mut proof.scene);
            if !scene.pairs.is_empty() {
                let at = random.below(scene.pairs.len());
                scene.pairs.remove(at);
                proof.tilings.truncate(scene.pairs.len());
            }
        }
        4 => {
            let groups = &mut Arc::make_mut(&mut proof.scene).groups;
            let count = groups.len();
            if count > 1 {
                groups.swap(random.below(count), random.below(count));
            }
        }
        _ => {
            for tiling in &mut proof.tilings {
                *tiling = vec![TiledCell { covered: [true; 2], direction_in_world: Some(random.direction()) }];
            }
        }
    }
}

/// Changes of which most make the claim false.
fn change_claim(claim: &mut Claim, random: &mut Random) {
    let scene = claim.world.scene();
    let oracle = Oracle::new(&claim.world, &scene);
    let sampled = oracle.sampled(&claim.path[0], &claim.path[1], STEP, claim.world.clearance < 0.0);
    match random.below(5) {
        // An obstacle is moved 1 mm into the path.
        0 | 1 if sampled.distance.is_finite() => {
            let q = oracle.interpolate(&claim.path[0], &claim.path[1], sampled.t);
            let wanted = sampled.distance.max(0.0) + 0.01;
            let near = scene.with_clearance(wanted).and_then(|near| near.with_self_clearance(wanted)).expect("a scene");
            let checker = Checker::new(near);
            let answer = checker
                .path(&Motion::lines([q]), &Settings::default(), &mut CheckScratch::new(&checker))
                .expect("a configuration");
            if let Some(found) = finding(&answer.verdict) {
                let still = usize::from(claim.world.things[found.bodies[1]].link == "world");
                let way = found.points[1 - still] - found.points[still];
                let further = way.normalize_or(DVec3::X) * (0.001 - claim.world.clearance.min(0.0));
                let thing = &mut claim.world.things[found.bodies[still]];
                thing.parts.iter_mut().for_each(|(pose, _)| pose.translation += way + further);
            }
        }
        2 if sampled.distance.is_finite() && claim.world.clearance >= 0.0 => {
            let more = sampled.distance.max(0.0) + [2.0 * KNOWN, 1e-3][random.below(2)];
            claim.world.clearance = more;
            Arc::make_mut(&mut claim.proof.scene).pairs.iter_mut().for_each(|pair| pair.2 = more);
        }
        3 if !claim.world.joints.is_empty() => {
            let joint = random.below(claim.world.joints.len());
            let turn = random.direction() * random.between(0.0, 1.0);
            match &mut claim.world.joints[joint].kind {
                JointKind::Revolute { axis } | JointKind::Prismatic { axis } => *axis = (*axis + turn).normalize(),
                _ => claim.world.joints[joint].parent_from_joint.translation += turn,
            }
        }
        _ => {
            let quaternions = quaternions(&claim.world);
            claim.path = random_segment(random, &claim.world, &quaternions);
        }
    }
    if random.below(2) == 0 {
        change_tilings(&mut claim.proof, random);
    }
}

/// Verifies a claim that was made to look right, and compares with samples.
fn judge(mut claim: Claim, tally: &mut Tally) {
    let scene = claim.world.scene();
    let fingerprint = scene.fingerprint();
    let stated = Arc::make_mut(&mut claim.proof.scene);
    stated.hashes = [fingerprint.kinematics, fingerprint.geometry, fingerprint.pairs];
    stated.body_hashes = scene.body_fingerprints();
    claim.proof.waypoints = claim.path.to_vec();
    let answer = Verifier::new(&scene).unwrap().verify(&Motion::lines(&claim.path[..]), &claim.proof);
    let oracle = Oracle::new(&claim.world, &scene);
    let sampled = oracle.sampled(&claim.path[0], &claim.path[1], STEP, claim.world.clearance < 0.0);
    let links = oracle.links(&claim.path[0]);
    let is_inside = oracle.pairs.iter().any(|(a, b, _)| oracle.is_contained(&links, *a, *b));
    let is_refuted = sampled.excess < -KNOWN || (is_inside && claim.world.clearance >= 0.0);
    tally.mutations += 1;
    tally.refuted += usize::from(is_refuted);
    tally.refused += usize::from(answer.is_err());
    assert!(!is_refuted || answer.is_err(), "accepted, but {sampled:?}, inside: {is_inside}");
    assert!(!matches!(&answer, Err(refusal) if refusal.fault == Fault::OtherScene), "not forged well");
}

/// Bytes changed at random, with and without the sum at the end put right.
fn change_bytes(bytes: &[u8], claim: &Claim, random: &mut Random, tally: &mut Tally) {
    let mut changed = bytes.to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(changed.len());
        changed[at] ^= 1 << random.below(8);
    }
    if random.below(4) == 0 {
        changed.truncate(random.below(changed.len()));
    }
    tally.mutations += 1;
    if changed != bytes {
        assert!(Certificate::parse(&changed).is_err(), "damage goes unseen");
    }
    if changed.len() > 20 {
        let end = changed.len() - 8;
        let sum = Sha256::of(&changed[..end]);
        changed[end..].copy_from_slice(&sum[..8]);
    }
    match Certificate::parse(&changed) {
        Err(_) => tally.unreadable += 1,
        Ok(proof) => judge(Claim { proof, ..claim.clone() }, tally),
    }
}

fn run_world(number: usize) -> Tally {
    let mut random = Random::new(0x3117_0000 + number as u64);
    let mut world = random_world(&mut random, number);
    prepare(&mut world, &mut random);
    let quaternions = quaternions(&world);
    let checker = Checker::new(world.scene());
    let mut scratch = CheckScratch::new(&checker);
    let mut tally = Tally::default();
    for _ in 0..6 {
        let path = random_segment(&mut random, &world, &quaternions);
        let (_, proof) = checker.certify(&Motion::lines(&path[..]), &Settings::default(), &mut scratch).unwrap();
        let Some(bytes) = proof.map(|proof| proof.to_bytes()) else { continue };
        let claim = Claim { world: world.clone(), path, proof: Certificate::parse(&bytes).unwrap() };
        for _ in 0..2 {
            change_bytes(&bytes, &claim, &mut random, &mut tally);
            let mut changed = claim.clone();
            change_tilings(&mut changed.proof, &mut random);
            judge(changed, &mut tally);
            for _ in 0..3 {
                let mut changed = claim.clone();
                change_claim(&mut changed, &mut random);
                judge(changed, &mut tally);
            }
        }
    }
    tally
}

#[test]
fn nothing_false_is_accepted() {
    // Some 40 mutations a world.
    let worlds = wanted().div_ceil(40);
    let tally = (0..worlds).into_par_iter().map(run_world).reduce(Tally::default, Tally::plus);
    println!("{tally:?}");
    assert!(tally.mutations * 2 > wanted() && tally.refuted * 8 > tally.mutations, "{tally:?}");
}
