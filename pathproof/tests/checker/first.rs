//! What `Report::First` promises, word by word, against dense sampling: before `free_until` every pair is farther apart than
//! its clearance, and from there to the finding no pair moves by more than a quarter of the tolerance relative to each
//! other. Worlds with pairs at rest, several segments and several robots.
//!
//! `PATHPROOF_FIRST` says how many scenes (default 250). The full run:
//! `PATHPROOF_FIRST=5000 cargo test --release -p pathproof --test checker first:: -- --nocapture`

use crate::common::random::{prepare, quaternions, random_segment, random_world};
use crate::common::{Form, Oracle, Tally, World, at, box_mesh, finding, word};
use pathproof::check::{Answer, CheckScratch, Place, Report, Settings, Verdict};
use pathproof::numeric::{DQuat, DVec3, Pose, Random};
use pathproof::path::Motion;
use pathproof::robot::JointKind;
use rayon::prelude::*;

/// How far the oracle may be off.
const KNOWN: f64 = 2e-7;
/// Samples per segment.
const SAMPLES: usize = 160;

fn scenes() -> usize {
    std::env::var("PATHPROOF_FIRST").ok().and_then(|text| text.parse().ok()).unwrap_or(250)
}

/// A path of a few segments, on which some joints rest for a while.
fn random_path(random: &mut Random, world: &World) -> Vec<Vec<f64>> {
    let quaternions = quaternions(world);
    let [start, goal] = random_segment(random, world, &quaternions);
    let mut path = vec![start, goal];
    for _ in 0..random.below(3) {
        let [_, next] = random_segment(random, world, &quaternions);
        path.push(next);
    }
    for i in 1..path.len() {
        for variable in 0..path[0].len() {
            let is_turning = quaternions.iter().any(|first| (*first..*first + 4).contains(&variable));
            // Quaternions rest all four together, or turn.
            if is_turning || random.below(5) < 2 {
                path[i][variable] = path[i - 1][variable];
            }
        }
    }
    path
}

fn place_on(oracle: &Oracle, path: &[Vec<f64>], place: Place) -> Vec<Pose> {
    let next = (place.segment + 1).min(path.len() - 1);
    oracle.links(&oracle.interpolate(&path[place.segment], &path[next], place.t))
}

fn hold_to_the_contract(oracle: &Oracle, world: &World, path: &[Vec<f64>], answer: &Answer, context: &str) {
    let is_signed = world.clearance < 0.0;
    let until = answer.free_until.expect("asked for the first");
    for segment in 0..=until.segment {
        let last = if segment == until.segment { until.t } else { 1.0 };
        // Up to there, not there.
        for i in (0..SAMPLES).filter(|_| last > 0.0) {
            let t = last * i as f64 / SAMPLES as f64;
            let links = place_on(oracle, path, Place { segment, t });
            for &(a, b, clearance) in &oracle.pairs {
                let d = oracle.distance(&links, a, b, clearance + 0.01, is_signed);
                assert!(d > clearance - KNOWN, "{d:e} of {a} and {b} at {segment} {t}: {context} {answer:?}");
            }
        }
    }
    let Some(found) = finding(&answer.verdict) else {
        let end = Place { segment: path.len() - 2, t: 1.0 };
        assert!(!matches!(answer.verdict, Verdict::Free(_)) || until == end, "{context} {answer:?}");
        return;
    };
    let place = Place { segment: found.segment, t: found.t };
    assert!(until <= place, "{context} {answer:?}");
    let links = place_on(oracle, path, place);
    let [a, b] = found.bodies;
    let d = oracle.distance(&links, a, b, f64::INFINITY, is_signed);
    let is_inside = oracle.is_contained(&links, a, b);
    let most = if found.is_collision() { found.clearance.min(0.0) } else { found.clearance + answer.tolerance };
    // The oracle's depth of a cylinder in a box was seen 5.5e-6 m short of the least overlap along any direction.
    let known = if is_signed { 1e-5 } else { KNOWN };
    assert!(d <= most + known || is_inside, "{d:e}: {context} {answer:?}");
    if !answer.is_complete() {
        return;
    }
    let before = place_on(oracle, path, until);
    // Without a tolerance what is left is no more than arithmetic resolves.
    let allowed = 0.25 * answer.tolerance + 1e-7;
    for &(a, b, _) in &oracle.pairs {
        let moved = oracle.relative_motion(&before, &links, a, b);
        assert!(moved <= allowed, "{a} and {b} move by {moved:e}: {context} {answer:?}");
    }
}

fn run(number: usize) -> Tally {
    let mut random = Random::new(0xF125_0000 + number as u64);
    let mut world = random_world(&mut random, number);
    prepare(&mut world, &mut random);
    let scene = world.scene();
    let oracle = Oracle::new(&world, &scene);
    let checker = world.checker();
    let mut scratch = CheckScratch::new(&checker);
    let mut tally = Tally::default();
    let path = random_path(&mut random, &world);
    let settings = Settings { report: Report::First, ..Settings::default() };
    let answer = checker.path(&Motion::lines(&path[..]), &settings, &mut scratch).expect("a path");
    tally.count(&answer.verdict);
    hold_to_the_contract(&oracle, &world, &path, &answer, &format!("scene {number}"));
    // Any contact is found where the first one is.
    let any = checker
        .path(&Motion::lines(&path[..]), &Settings { report: Report::Any, ..settings }, &mut scratch)
        .expect("a path");
    let both = [word(&answer.verdict), word(&any.verdict)];
    assert!(!(both.contains(&"free") && both.contains(&"collision")), "scene {number}: {answer:?} {any:?}");
    tally
}

#[test]
fn what_comes_before_the_first_finding_is_free_and_the_stretch_is_short() {
    let tally = (0..scenes()).into_par_iter().map(run).reduce(Tally::default, Tally::plus);
    println!("{tally:?}");
    tally.assert_both_sides(12);
}

/// A ball of radius 0.1 that slides along x into a wall through the origin, which is turned from facing it by an angle.
fn slide_into(wall: Form, turn: f64) -> World {
    let mut world = World::new(0.0, 0.001);
    world.link("world", "ball", JointKind::Prismatic { axis: DVec3::X }, Pose::IDENTITY);
    world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.1));
    let turned = Pose::from_quaternion(DQuat::from_rotation_z(turn), DVec3::ZERO);
    let place = match wall {
        Form::Plane(_) => turned,
        _ => turned * at(5.0, 0.0, 0.0),
    };
    world.thing("wall", "world", place, wall);
    world
}

/// `check` called a path through a wall `too_close`, because it comes within the tolerance of the wall first.
#[test]
fn a_path_through_a_wall_is_a_collision_however_it_is_cut_and_however_slowly_it_closes() {
    for wall in [Form::Plane(DVec3::NEG_X), Form::Cuboid([10.0; 3]), box_mesh([10.0; 3])] {
        for turn in [0.0_f64, 0.7, 1.4, 1.5] {
            let world = slide_into(wall.clone(), turn);
            let checker = world.checker();
            let mut scratch = CheckScratch::new(&checker);
            let touch = -0.1 / turn.cos();
            for count in [1, 7, 300, 4000] {
                let x = |place: f64| touch + 1.3 * place / f64::from(count) - 0.7;
                let path: Vec<Vec<f64>> = (0..=count).map(|i| vec![x(f64::from(i))]).collect();
                let settings = Settings { report: Report::First, ..Settings::default() };
                let answer = checker.path(&Motion::lines(path), &settings, &mut scratch).expect("a path");
                assert_eq!(word(&answer.verdict), "collision", "{turn} {count}: {answer:?}");
                let found = finding(&answer.verdict).expect("a finding");
                let until = answer.free_until.expect("the first");
                let (until, found) = (x(until.segment as f64 + until.t), x(found.segment as f64 + found.t));
                let is_true = until <= touch + 1e-9 && touch <= found + 1e-9 && found - until <= 0.00025 + 1e-9;
                assert!(is_true, "{turn} {count}: {until} {touch} {found}");
            }
        }
    }
}

/// A ball that passes another. Approaching without touching is no collision, and is not followed for ever.
#[test]
fn a_ball_that_passes_another_collides_only_if_they_touch() {
    for gap in [1e-3, 1e-4, 1e-6, 1e-8, 1e-12, -1e-12, -1e-8, -1e-6, -1e-4] {
        let mut world = slide_into(Form::Ball(0.1), 0.0);
        world.things[1].parts[0].0 = at(0.0, 0.2 + 0.9 * gap, 0.0);
        let checker = world.checker();
        let settings = Settings { report: Report::First, ..Settings::default() };
        let path = Motion::lines([vec![-50.0], vec![0.02], vec![50.0]]);
        let answer = checker.path(&path, &settings, &mut CheckScratch::new(&checker)).expect("a path");
        let verdict = word(&answer.verdict);
        assert!(verdict != if gap < 0.0 { "free" } else { "collision" }, "{gap} {answer:?}");
        assert!(verdict == "collision" || gap > -1e-9, "{gap} {answer:?}");
        assert!(answer.statistics.distance_queries < 10_000, "{gap} {answer:?}");
    }
}
