//! Regions that one look at a configuration proves free: nothing in them comes nearer than its clearance, by an oracle with
//! kinematics and distances of its own.
//!
//! `PATHPROOF_REGIONS` says how many regions (default 240). The full run:
//! `PATHPROOF_REGIONS=100000 cargo test --release -p pathproof --test checker regions:: -- --nocapture`

use crate::common::random::{prepare, quaternions, random_segment, random_world};
use crate::common::{Form, Oracle, World, at};
use pathproof::check::{CheckScratch, FreeRegion};
use pathproof::numeric::{DVec3, Pose, Random};
use pathproof::robot::{JointKind, Mimic};
use rayon::prelude::*;

/// How far the oracle may be off: parry's distances converge to some 1e-8.
const KNOWN: f64 = 2e-7;
const REGIONS_A_WORLD: usize = 6;

/// As far as a region reaches from its middle along a direction, to a part in 10⁹.
fn farthest(region: &FreeRegion, direction: &[f64]) -> Vec<f64> {
    let at = |t: f64| region.middle().iter().zip(direction).map(|(m, d)| m + t * d).collect::<Vec<f64>>();
    let (mut inside, mut outside) = (0.0, 1e-9);
    while region.holds(&at(outside)) && outside < 10.0 {
        (inside, outside) = (outside, outside * 2.0);
    }
    while outside - inside > 1e-9 * outside {
        let middle = (inside + outside) / 2.0;
        *(if region.holds(&at(middle)) { &mut inside } else { &mut outside }) = middle;
    }
    at(inside)
}

/// A direction: along one joint, or of all.
fn direction(random: &mut Random, count: usize) -> Vec<f64> {
    let alone = (random.below(2) == 0).then(|| random.below(count));
    (0..count).map(|i| if alone.is_none_or(|k| k == i) { random.between(-1.0, 1.0) } else { 0.0 }).collect()
}

/// How many regions there were, and the largest share of its least gap that a pair lost at the rim of one.
fn run_world(number: usize) -> (usize, f64) {
    let mut random = Random::new(0x4E61_0000 + number as u64);
    let mut world = random_world(&mut random, number);
    prepare(&mut world, &mut random);
    let scene = world.scene();
    let oracle = Oracle::new(&world, &scene);
    let (quaternions, is_signed) = (quaternions(&world), world.clearance < 0.0);
    let checker = world.checker();
    let mut scratch = CheckScratch::new(&checker);
    let (mut regions, mut used) = (0, 0.0f64);
    for _ in 0..REGIONS_A_WORLD {
        let [q, _] = random_segment(&mut random, &world, &quaternions);
        let Some(region) = checker.free_region(&q, &mut scratch).unwrap() else { continue };
        if q.is_empty() {
            continue;
        }
        regions += 1;
        let excess = |q: &[f64]| oracle.sampled(q, q, 1.0, is_signed).excess;
        let at_middle = excess(&q);
        for _ in 0..6 {
            let rim = [
                farthest(&region, &direction(&mut random, q.len())),
                farthest(&region, &direction(&mut random, q.len())),
            ];
            for place in &rim {
                let left = excess(place);
                assert!(left > -KNOWN, "world {number}: {left:e} beyond the clearance at {place:?} of {region:?}");
                let links = oracle.links(place);
                assert!(!oracle.pairs.iter().any(|(a, b, _)| oracle.is_contained(&links, *a, *b)), "world {number}");
                used = used.max(if at_middle.is_finite() { 1.0 - left / at_middle } else { 0.0 });
            }
            // The straight line between two places at the rim.
            assert!(region.holds_segment(&rim[0], &rim[1]));
            let between = oracle.sampled(&rim[0], &rim[1], 0.01, is_signed).excess;
            assert!(between > -KNOWN, "world {number}: {between:e} between {rim:?} of {region:?}");
        }
    }
    (regions, used)
}

#[test]
fn nothing_in_a_region_comes_nearer_than_its_clearance() {
    let asked = std::env::var("PATHPROOF_REGIONS").ok().and_then(|text| text.parse().ok());
    let worlds = asked.unwrap_or(240usize).div_ceil(REGIONS_A_WORLD);
    let sum = |(a, m): (usize, f64), (b, n): (usize, f64)| (a + b, m.max(n));
    let (regions, used) = (0..worlds).into_par_iter().map(run_world).reduce(Default::default, sum);
    println!("{regions} regions, up to {used} of a gap used");
    assert!(regions > worlds, "{regions} regions");
    // Where a joint moves a body straight at an obstacle, the region ends at the clearance.
    assert!(used > 0.9, "bounds so loose that the test shows little: {used}");
}

/// A ball on an arm of 1 m that turns, and a post that it passes at the distance `gap`.
fn arm_and_post(gap: f64, clearance: f64) -> World {
    let mut world = World::new(clearance, 1e-3);
    world.link("world", "arm", JointKind::Revolute { axis: DVec3::Z }, Pose::IDENTITY);
    world.thing("ball", "arm", at(1.0, 0.0, 0.0), Form::Ball(0.1));
    world.thing("post", "world", at(1.0, 0.2 + gap, 0.0), Form::Ball(0.1));
    world
}

#[test]
fn a_region_is_as_large_as_the_gap_beyond_the_clearance_allows() {
    for (gap, clearance) in [(0.3, 0.0), (0.3, 0.1), (0.01, 0.0)] {
        let checker = arm_and_post(gap, clearance).checker();
        let region = checker.free_region(&[0.0], &mut CheckScratch::new(&checker)).unwrap().expect("apart");
        // The farthest point of the ball is 1.1 m from the axis.
        let reach = (gap - clearance) / 1.1;
        assert!(region.holds(&[0.999 * reach]) && !region.holds(&[1.001 * reach]), "{gap} {clearance}");
        assert!(!region.holds(&[f64::NAN]) && !region.holds(&[]) && !region.holds(&[f64::INFINITY]));
    }
    let checker = arm_and_post(0.1, 0.1).checker();
    assert_eq!(checker.free_region(&[0.0], &mut CheckScratch::new(&checker)).unwrap(), None, "nothing is left");
}

/// Two balls on slides along the same line; the second one follows the first by the factor −2.
#[test]
fn joints_that_slide_and_joints_that_follow_count_as_far_as_they_move() {
    let mut world = World::new(0.0, 1e-3);
    let slide = JointKind::Prismatic { axis: DVec3::X };
    world.link("world", "first", slide, Pose::IDENTITY);
    world.link("world", "second", slide, Pose::IDENTITY);
    let driver = world.joints[0].name.clone();
    world.joints[1].mimic = Some(Mimic { joint: driver, multiplier: -2.0, offset: 0.0 });
    world.thing("a", "first", at(0.0, 0.0, 0.0), Form::Ball(0.1));
    world.thing("b", "second", at(0.5, 0.0, 0.0), Form::Ball(0.1));
    let checker = world.checker();
    let region = checker.free_region(&[0.0], &mut CheckScratch::new(&checker)).unwrap().expect("apart");
    // They come nearer by 3 m per metre of the driver, and 0.3 m are between them.
    assert!(region.holds(&[0.0999]) && !region.holds(&[0.1001]) && !region.holds(&[-0.1001]));
}
