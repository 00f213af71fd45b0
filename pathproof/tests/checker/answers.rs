//! What answers say besides the verdict: which bodies, how deep, what was left open, and what came first.

use crate::common::{Form, Oracle, World, at, box_mesh, finding, word};
use pathproof::check::{Answer, CheckError, CheckScratch, Checker, Interrupt, Limit, Report, Settings, Verdict};
use pathproof::numeric::{DVec3, Pose, Random};
use pathproof::path::Motion;
use pathproof::robot::JointKind;

/// A body on a slide along x, at 0.
fn slider(clearance: f64, tolerance: f64, form: Form) -> World {
    let mut world = World::new(clearance, tolerance);
    world.link("world", "slider", JointKind::Prismatic { axis: DVec3::X }, Pose::IDENTITY);
    world.thing("ball", "slider", Pose::IDENTITY, form);
    world
}

fn names(world: &World, bodies: [usize; 2]) -> [&str; 2] {
    bodies.map(|body| world.things[body].name.as_str())
}

fn all_of(world: &World, path: &[Vec<f64>]) -> Answer {
    let checker = Checker::new(world.scene());
    let settings = Settings { report: Report::All, ..Settings::default() };
    checker.path(&Motion::lines(path), &settings, &mut CheckScratch::new(&checker)).unwrap()
}

/// Trees that the groups of a certificate share with those of a check were counted twice.
#[test]
fn a_tree_that_is_shared_counts_once() {
    let mut world = slider(0.0, 1e-3, box_mesh([0.1; 3]));
    world.thing("post", "world", at(0.5, 1.0, 0.0), box_mesh([0.2; 3]));
    let checker = world.checker();
    let built = checker.tree_bytes();
    let mut scratch = CheckScratch::new(&checker);
    let (_, certificate) =
        checker.certify(&Motion::lines([vec![0.0], vec![1.0]]), &Settings::default(), &mut scratch).unwrap();
    assert!(built > 0 && certificate.is_some());
    assert_eq!(checker.tree_bytes(), built);
}

#[test]
fn an_interrupt_ends_the_search_and_proves_nothing() {
    let mut world = slider(0.0, 0.0, Form::Ball(0.1));
    world.thing("post", "world", at(0.5, 0.25, 0.0), Form::Ball(0.1));
    let path = [vec![0.0], vec![1.0]];
    for report in [Report::Any, Report::First, Report::All] {
        let settings = Settings { report, ..Settings::default() };
        let asked = |is_wanted: fn() -> bool| Settings { interrupt: Some(Interrupt(is_wanted)), ..settings };
        assert_eq!(word(&world.check_with(&path, &asked(|| false)).verdict), "free");
        let Verdict::Undecided(open) = world.check_with(&path, &asked(|| true)).verdict else { panic!("{report:?}") };
        assert_eq!(open.limit, Limit::Seconds);
    }
}

/// Profiles measured every pair of every segment at three places, and smallest distances had a look at every segment,
/// before anybody was asked whether to go on: Ctrl-C waited for minutes.
#[test]
fn an_interrupt_ends_a_profile_and_a_smallest_distance() {
    let mut world = slider(0.0, 0.001, Form::Ball(0.1));
    world.thing("far", "world", at(50.0, 50.0, 0.0), Form::Ball(0.1));
    let motion = Motion::lines((0..1_000).map(|i| vec![f64::from(i % 2)]).collect::<Vec<_>>());
    let checker = Checker::new(world.scene());
    let mut scratch = CheckScratch::new(&checker);
    let asked = |is_wanted: fn() -> bool| Settings { interrupt: Some(Interrupt(is_wanted)), ..Settings::default() };
    let mut profile = |settings: &Settings| checker.profile(&motion, settings, &mut scratch, &mut |_| {});
    assert!(profile(&asked(|| false)).is_ok());
    assert_eq!(profile(&asked(|| true)).unwrap_err(), CheckError::Interrupted);
    let mut least = |settings: &Settings| {
        checker.smallest_distance(&motion, settings, &mut scratch).unwrap().overall().expect("a pair")
    };
    let whole = least(&asked(|| false));
    assert_eq!(whole.limit, None);
    for settings in [asked(|| true), Settings { max_time: Some(std::time::Duration::ZERO), ..Settings::default() }] {
        let ended = least(&settings);
        assert_eq!((ended.limit, ended.lower), (Some(Limit::Seconds), f64::NEG_INFINITY));
        let [ended, whole] = [&ended, &whole].map(|smallest| smallest.statistics.configurations);
        assert!(10 * ended < whole, "{ended} of {whole}");
    }
}

/// Limits were once asked for before a probe alone: a path whose segments all need none, however long, reached none.
#[test]
fn a_limit_ends_a_path_that_balls_alone_prove() {
    let mut world = slider(0.0, 0.0, Form::Ball(0.1));
    world.thing("far", "world", at(50.0, 50.0, 0.0), Form::Ball(0.1));
    let path: Vec<Vec<f64>> = (0..1_000).map(|i| vec![f64::from(i % 2)]).collect();
    for report in [Report::Any, Report::First, Report::All] {
        let settings = Settings { report, ..Settings::default() };
        assert_eq!(word(&world.check_with(&path, &settings).verdict), "free");
        let in_queries = Settings { max_queries: Some(10), ..settings };
        let in_seconds = Settings { max_time: Some(std::time::Duration::ZERO), ..settings };
        for (settings, limit) in [(in_queries, Limit::Queries), (in_seconds, Limit::Seconds)] {
            let Verdict::Undecided(open) = world.check_with(&path, &settings).verdict else {
                panic!("{report:?}: {limit:?}")
            };
            assert_eq!((open.limit, names(&world, open.bodies)), (limit, ["ball", "far"]));
        }
    }
}

/// It once named the first body of the tree that obstacles share.
#[test]
fn what_is_undecided_is_the_nearest_of_the_obstacles() {
    let mut world = slider(0.0, 0.0, Form::Ball(0.1));
    for (i, x) in [5.0, 3.0, 0.5, 4.0].into_iter().enumerate() {
        world.thing(&format!("post {i}"), "world", at(x, 0.15, 0.0), Form::Ball(0.1));
    }
    let settings = Settings { max_queries: Some(0), ..Settings::default() };
    let Verdict::Undecided(open) = world.check_with(&[vec![0.0], vec![1.0]], &settings).verdict else { panic!() };
    assert_eq!((open.limit, names(&world, open.bodies)), (Limit::Queries, ["ball", "post 2"]));
    // A graze: the ball touches the ground at one place only, far from the first obstacle.
    let mut world = slider(0.0, 0.0, Form::Ball(0.1));
    world.thing("far", "world", at(9.0, 9.0, 9.0), Form::Ball(0.1));
    world.thing("touched", "world", at(0.3, 0.2, 0.0), Form::Ball(0.1));
    match world.check(&[vec![0.0], vec![0.7]]).verdict {
        Verdict::Undecided(open) => assert_eq!(names(&world, open.bodies), ["ball", "touched"]),
        Verdict::TooClose(found) => assert_eq!(names(&world, found.bodies), ["ball", "touched"]),
        other => panic!("{other:?}"),
    }
}

/// Only the first pair was once reported, and only on the first segment.
#[test]
fn every_body_inside_another_is_reported_on_every_segment() {
    let mut world = slider(0.0, 1e-3, Form::Ball(0.05));
    world.thing("second", "slider", at(0.0, 0.3, 0.0), Form::Ball(0.05));
    world.thing("room", "world", at(0.0, 0.0, 0.0), box_mesh([2.0; 3]));
    world.thing("hall", "world", at(0.0, 0.0, 0.0), box_mesh([4.0; 3]));
    world.thing("outside", "world", at(9.0, 0.0, 0.0), box_mesh([1.0; 3]));
    let answer = all_of(&world, &[vec![0.0], vec![0.3], vec![0.0]]);
    let mut found: Vec<(usize, [&str; 2])> =
        answer.findings.iter().map(|f| (f.segment, names(&world, f.bodies))).collect();
    found.sort_unstable();
    let of_segment = |segment| {
        [["ball", "hall"], ["ball", "room"], ["second", "hall"], ["second", "room"]].map(|pair| (segment, pair))
    };
    assert_eq!(found, [of_segment(0), of_segment(1)].concat());
    assert!(answer.is_complete() && answer.findings.iter().all(|f| f.distance == 0.0));
    // Without asking for all, one tells enough.
    assert_eq!(word(&world.check(&[vec![0.0], vec![0.3]]).verdict), "collision");
}

#[test]
fn a_limit_after_a_contact_leaves_the_answer_incomplete() {
    let mut world = slider(0.0, 1e-3, Form::Ball(0.1));
    world.thing("wall", "world", at(0.5, 0.0, 0.0), Form::Cuboid([0.5, 1.0, 1.0]));
    let path = [vec![0.0], vec![1.0]];
    let mut was_incomplete = 0;
    for most in 1..40 {
        let settings = Settings { report: Report::First, max_queries: Some(most), ..Settings::default() };
        let answer = world.check_with(&path, &settings);
        if !answer.is_complete() {
            assert_eq!(answer.unresolved.as_ref().unwrap().limit, Limit::Queries);
            was_incomplete += usize::from(finding(&answer.verdict).is_some());
            continue;
        }
        // Complete: the ball reaches the wall at 0.15.
        let t = finding(&answer.verdict).unwrap().t;
        assert!((0.149..=0.151).contains(&t), "{answer:?}");
    }
    assert!(was_incomplete > 2);
    let full = world.check_with(&path, &Settings { report: Report::First, ..Settings::default() });
    assert!(full.is_complete());
}

/// It was once 0 whatever the depth.
#[test]
fn the_distance_of_convex_pieces_in_collision_is_their_depth() {
    for (x, depth) in [(0.25, 0.05), (0.2999, 1e-4), (0.05, 0.25)] {
        let mut world = slider(0.0, 1e-3, Form::Ball(0.1));
        world.thing("post", "world", at(0.0, x, 0.0), Form::Ball(0.2));
        let answer = world.check(&[vec![0.0]]);
        let found = finding(&answer.verdict).unwrap();
        assert_eq!(word(&answer.verdict), "collision");
        assert!((found.distance + depth).abs() < 1e-9, "{found:?}");
        assert!(((found.points[0] - found.points[1]).length() - depth).abs() < 1e-6, "{found:?}");
    }
    // Boxes along the axis of least overlap; meshes have none.
    let mut world = slider(0.0, 1e-3, Form::Cuboid([1.0, 1.0, 1.0]));
    world.thing("box", "world", at(0.9, 0.2, 0.1), Form::Cuboid([1.0; 3]));
    assert!((finding(&world.check(&[vec![0.0]]).verdict).unwrap().distance + 0.1).abs() < 1e-9);
    world.things[1].parts[0].1 = box_mesh([1.0; 3]);
    assert_eq!(finding(&world.check(&[vec![0.0]]).verdict).unwrap().distance, 0.0);
}

/// A traversal that ends at a contact has not seen all: what it left out must not vouch for the time before the contact.
/// Bodies of several pieces, so that one pair of them meets where the search looks first and another meets earlier.
#[test]
fn nothing_that_is_found_first_comes_after_what_sampling_finds() {
    let mut contacts = 0;
    for number in 0..300 {
        let mut random = Random::new(0xF1_0000 + number);
        let clearance = [0.0, 1e-3, -1e-3, 0.02, -0.02][random.below(5)];
        let mut world = World::new(clearance, [1e-3, 1e-2][random.below(2)]);
        world.link("world", "hub", JointKind::Revolute { axis: random.direction() }, Pose::IDENTITY);
        world.link("hub", "slider", JointKind::Prismatic { axis: random.direction() }, at(0.3, 0.0, 0.0));
        let piece = |random: &mut Random| match random.below(3) {
            0 => Form::Ball(0.06),
            1 => Form::Cuboid([0.2, 0.1, 0.05]),
            _ => Form::Capsule(0.03, 0.2),
        };
        for (link, count) in [("slider", 3), ("world", 5)] {
            let parts = (0..count).map(|_| (random.pose(0.5), piece(&mut random))).collect();
            world.things.push(crate::common::Thing { name: link.into(), link: link.into(), parts });
        }
        let mut q = || vec![random.between(-2.0, 2.0), random.between(-0.5, 0.5)];
        let (start, goal) = (q(), q());
        let settings = Settings { report: Report::First, ..Settings::default() };
        let answer = world.check_with(&[start.clone(), goal.clone()], &settings);
        let Some(found) = finding(&answer.verdict) else { continue };
        contacts += 1;
        let scene = world.scene();
        let oracle = Oracle::new(&world, &scene);
        // What is left just before a contact is refined until a quarter of the tolerance is moved there; the slide alone
        // says how long that takes at most.
        let last = found.t - 1.01 * 0.25 * world.tolerance / (goal[1] - start[1]).abs();
        for i in (0..1000).filter(|_| last > 0.0) {
            let t = last * f64::from(i) / 1000.0;
            let links = oracle.links(&oracle.interpolate(&start, &goal, t));
            for &(a, b, _) in &oracle.pairs {
                let d = oracle.distance(&links, a, b, f64::INFINITY, true);
                assert!(d > clearance - 2e-7, "world {number}: {d:e} at {t}: {answer:?}");
            }
        }
    }
    assert!(contacts > 50, "{contacts} contacts only");
}
