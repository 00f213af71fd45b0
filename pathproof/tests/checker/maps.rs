//! Clearance maps in the checker: the same verdicts with and without, within joint limits and outside of them, also of
//! joints that turn without limits; maps are left alone where they do not hold.
//!
//! `PATHPROOF_MAPPED` says how many segments (default 2,400), half of them of real robots where it is set and the shared data
//! is there. The full run: `PATHPROOF_MAPPED=100000 cargo test --release -p pathproof --test checker maps:: -- --nocapture`

use crate::common::random::{limit_joints, prepare, quaternions, random_segment, random_world};
use crate::common::real::{self, Cell};
use crate::common::{Form, Tally, World, at, finding, word};
use pathproof::check::{CheckScratch, Checker, Maps, Report, Settings, Verdict};
use pathproof::numeric::{DVec3, Pose, Random};
use pathproof::path::Motion;
use pathproof::robot::{Curve, JointKind, KnotState, Polynomial};
use pathproof::scene::Scene;
use rayon::prelude::*;

const SEGMENTS_A_WORLD: usize = 24;

fn asked() -> Option<usize> {
    std::env::var("PATHPROOF_MAPPED").ok().and_then(|text| text.parse().ok())
}

/// Asks both about segments; also how many queries the maps saved.
fn compare(scene: &Scene, maps: Maps, segments: &[[Vec<f64>; 2]], case: &str) -> (Tally, u64) {
    let (plain, mapped) = (Checker::new(scene.clone()), Checker::new(scene.clone()).with_maps(maps));
    let (mut scratch, mut tally, mut saved) = (CheckScratch::new(&plain), Tally::default(), 0);
    for [start, goal] in segments {
        let [one, two] =
            [&plain, &mapped].map(|checker| checker.segment(start, goal, &Settings::default(), &mut scratch).unwrap());
        tally.count(&two.verdict);
        saved += one.statistics.distance_queries.saturating_sub(two.statistics.distance_queries);
        let words = [word(&one.verdict), word(&two.verdict)];
        if words[0] == words[1] {
            continue;
        }
        // They differ only where the least distance is between the clearance and the clearance plus the tolerance, or by
        // which contact was met first.
        assert!(!(words.contains(&"free") && words.contains(&"collision")), "{case}: {one:?} {two:?}");
        for found in [&one, &two].into_iter().filter_map(|answer| finding(&answer.verdict)) {
            assert!(!words.contains(&"free") || found.distance > found.clearance, "{case}: {one:?} {two:?}");
        }
        tally.noted += 1;
    }
    (tally, saved)
}

fn run_world(number: usize) -> (Tally, u64) {
    let mut random = Random::new(0x4D41_0000 + number as u64);
    let mut world = random_world(&mut random, number);
    limit_joints(&mut world, &mut random);
    if number.is_multiple_of(2) {
        world.things.retain(|thing| thing.link != "world");
    }
    prepare(&mut world, &mut random);
    let quaternions = quaternions(&world);
    let segments: Vec<_> = (0..SEGMENTS_A_WORLD).map(|_| random_segment(&mut random, &world, &quaternions)).collect();
    let maps = Maps { boxes: [50, 400, 2_000][random.below(3)], joints: 1 + random.below(5) };
    compare(&world.scene(), maps, &segments, &format!("world {number}"))
}

#[test]
fn verdicts_with_and_without_maps_agree() {
    let worlds = asked().map_or(2_400, |count| count / 2).div_ceil(SEGMENTS_A_WORLD);
    let sum = |(a, m): (Tally, u64), (b, n): (Tally, u64)| (a.plus(b), m + n);
    let (tally, saved) = (0..worlds).into_par_iter().map(run_world).reduce(Default::default, sum);
    println!("{tally:?} (noted: other words), {saved} queries saved");
    tally.assert_both_sides(20);
    assert!(saved > worlds as u64 * 5, "{saved} queries saved");
    assert!(tally.noted * 20 < tally.all(), "{tally:?}");
}

#[test]
fn verdicts_with_and_without_maps_agree_on_real_robots() {
    let (Some(count), Some(folder)) = (asked(), real::data()) else {
        println!("SKIPPED: PATHPROOF_MAPPED is not set, or the shared data is not at ../shared/data");
        return;
    };
    const EACH: usize = 1_000;
    let cells = (count / 2).div_ceil(EACH).max(real::KINDS);
    let run = |number: usize| {
        let mut random = Random::new(0x4D42_0000 + number as u64);
        let Cell { name, scene, .. } = real::cell(&folder, &mut random, number % real::KINDS);
        let segments: Vec<_> = (0..EACH).map(|_| real::segment(&mut random, &scene)).collect();
        let (tally, saved) = compare(&scene, Maps { boxes: 5_000, joints: 3 }, &segments, &name);
        println!("{number} {name} {tally:?}, {saved} queries saved");
        (tally, saved)
    };
    let sum = |(a, m): (Tally, u64), (b, n): (Tally, u64)| (a.plus(b), m + n);
    let (tally, saved) = (0..cells).into_par_iter().map(run).reduce(Default::default, sum);
    println!("real robots: {tally:?}, {saved} queries saved");
}

/// A turntable with a ball 1 m from its axis, which the joint limits keep away from the ball of the base at angle 0.
fn turntable() -> World {
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "base", JointKind::Prismatic { axis: DVec3::Z }, Pose::IDENTITY);
    world.link("base", "hub", JointKind::Revolute { axis: DVec3::Z }, Pose::IDENTITY);
    world.link("hub", "tip", JointKind::Fixed, Pose::from_translation(DVec3::X));
    world.joints[1].limits = vec![Some((0.5, 3.0))];
    world.thing("post", "base", at(1.0, 0.0, 0.0), Form::Ball(0.15));
    world.thing("ball", "tip", at(0.0, 0.0, 0.0), Form::Ball(0.15));
    world
}

#[test]
fn a_map_does_not_speak_of_what_is_outside_the_limits() {
    let scene = turntable().scene();
    let checker = Checker::new(scene).with_maps(Maps::default());
    let mut scratch = CheckScratch::new(&checker);
    let mut ask = |from: f64, to: f64| {
        checker.segment(&[0.0, from], &[0.1, to], &Settings::default(), &mut scratch).unwrap().verdict
    };
    assert!(matches!(ask(0.5, 3.0), Verdict::Free(_)));
    assert!(matches!(ask(0.5, -0.5), Verdict::Collision(_)), "through the post, outside of the limits");
    assert!(matches!(ask(6.0, 6.5), Verdict::Collision(_)), "through it a turn later");
    assert!(matches!(ask(-0.5, -0.4), Verdict::Free(_)), "outside, and nothing is there");
}

#[test]
fn maps_are_left_alone_by_curves_certificates_and_reports_of_everything() {
    let plain = turntable().checker();
    let mapped = turntable().checker().with_maps(Maps::default());
    let mut scratch = CheckScratch::new(&plain);
    let path = [vec![0.0, 0.5], vec![0.1, 3.0]];
    for report in [Report::Any, Report::All] {
        let settings = Settings { report, ..Settings::default() };
        let [one, two] = [&plain, &mapped]
            .map(|checker| checker.path(&Motion::lines(&path[..]), &settings, &mut scratch).unwrap().statistics);
        assert_eq!(one == two, report == Report::All, "{report:?}: {one:?} {two:?}");
    }
    let proofs = [&plain, &mapped].map(|checker| {
        let (answer, certificate) =
            checker.certify(&Motion::lines(&path[..]), &Settings::default(), &mut scratch).unwrap();
        assert!(matches!(answer.verdict, Verdict::Free(_)));
        format!("{certificate:?}")
    });
    assert_eq!(proofs[0], proofs[1]);
    // A curve between the same ends swings out of the limits and through the post.
    let curve = swinging(plain.scene());
    for checker in [&plain, &mapped] {
        let answer = checker.path(&Motion::curve(curve.clone()), &Settings::default(), &mut scratch).unwrap();
        assert!(matches!(answer.verdict, Verdict::Collision(_)), "{answer:?}");
    }
}

/// From 0.5 to 0.6 by way of negative angles.
fn swinging(scene: &Scene) -> Curve {
    let state = |position: f64, velocity: f64| KnotState { position, velocity: Some(velocity), acceleration: None };
    let still = Polynomial::between(state(0.0, 0.0), state(0.0, 0.0), 1.0);
    let swing = Polynomial::between(state(0.5, -6.0), state(0.6, 6.0), 1.0);
    Curve::from_polynomials(scene.model(), &[vec![still, swing]]).unwrap()
}
