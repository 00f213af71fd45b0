//! The published bisection against the checker and against sampling: over random worlds neither says `free` where the
//! other finds a collision, no sample refutes `free`, and every finding is one by an independent check.
//!
//! `PATHPROOF_SEGMENTS` says how many segments (default 1,200), as in the checker's tests, whose worlds these are.

#[path = "../../../pathproof/tests/checker/common/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the checker's own tests use the rest")]
mod common;

use common::random::{prepare, quaternions, random_segment, random_world};
use common::{Form, Oracle, Tally, World, at, box_mesh, finding, word};
use pathproof::check::{CheckScratch, Checker, Limit, Settings, Verdict};
use pathproof::numeric::{DVec3, Pose, Random};
use pathproof::robot::JointKind;
use pathproof_papers::bisection::{Bisected, BisectionScratch, BisectionSettings, Bisector, Refinement, Unsupported};
use rayon::prelude::*;

/// How far the oracle may be off: parry's distances converge to some 1e-8.
const KNOWN: f64 = 2e-7;
/// Step of the samples in radians or metres.
const STEP: f64 = 0.002;
const SEGMENTS_A_WORLD: usize = 12;
const SLIDE_X: JointKind = JointKind::Prismatic { axis: DVec3::X };

fn segments() -> usize {
    std::env::var("PATHPROOF_SEGMENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_200)
}

/// Every way of refining. Without a tolerance a near miss may take very long, so that queries are limited.
fn ways() -> Vec<BisectionSettings> {
    let limited = |refinement, kappa| BisectionSettings { refinement, kappa, max_queries: Some(4_000) };
    let mut ways: Vec<_> = Refinement::ALL.into_iter().map(|refinement| limited(refinement, 0.0)).collect();
    ways.push(limited(Refinement::Midpoint, 0.5));
    ways
}

fn bisected(world: &World, path: &[Vec<f64>], settings: &BisectionSettings) -> Bisected {
    let scene = world.scene();
    let bisector = Bisector::new(&scene).expect("no planes");
    bisector.path(path, settings, &mut BisectionScratch::new(&bisector)).expect("a path")
}

fn is_out_of_queries(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Undecided(open) if open.limit == Limit::Queries)
}

/// Holds every answer for a world to the checker's and to the oracle's; notes those whose word differs.
fn run_world(number: usize) -> Tally {
    let mut random = Random::new(0x1D6E_0000 + number as u64);
    let mut world = random_world(&mut random, number);
    // The published method has neither penetration nor planes.
    world.clearance = world.clearance.max(0.0);
    world.things.retain(|thing| !thing.parts.iter().any(|(_, form)| matches!(form, Form::Plane(_))));
    prepare(&mut world, &mut random);
    let scene = world.scene();
    let oracle = Oracle::new(&world, &scene);
    let quaternions = quaternions(&world);
    let bisector = Bisector::new(&scene).expect("no planes");
    let checker = Checker::new(scene.clone());
    let (mut scratch, mut memory) = (CheckScratch::new(&checker), BisectionScratch::new(&bisector));
    let mut tally = Tally::default();
    for _ in 0..SEGMENTS_A_WORLD {
        let ends = random_segment(&mut random, &world, &quaternions);
        let reference = checker.segment(&ends[0], &ends[1], &Settings::default(), &mut scratch).expect("a segment");
        let sampled = oracle.sampled(&ends[0], &ends[1], STEP, false);
        for settings in ways() {
            let answer = bisector.path(&ends, &settings, &mut memory).expect("a segment");
            let fresh = bisector.path(&ends, &settings, &mut BisectionScratch::new(&bisector)).expect("a segment");
            assert_eq!(answer, fresh, "used scratch changes the answer");
            tally.count(&answer.verdict);
            let words = [word(&answer.verdict), word(&reference.verdict)];
            tally.noted += usize::from(words[0] != words[1]);
            assert!(!(words.contains(&"free") && words.contains(&"collision")), "{answer:?} {reference:?}");
            match &answer.verdict {
                Verdict::Free(free) => {
                    assert!(sampled.excess > -KNOWN, "refuted by {sampled:?}: {answer:?}");
                    assert!(free.lower_clearance() <= sampled.distance + KNOWN, "{sampled:?}: {answer:?}");
                    assert!(free.lower_clearance() >= world.clearance, "{answer:?}");
                    let links = oracle.links(&ends[0]);
                    let inside = oracle.pairs.iter().any(|(a, b, _)| oracle.is_contained(&links, *a, *b));
                    assert!(!inside, "inside: {answer:?}");
                }
                Verdict::Collision(found) | Verdict::TooClose(found) => {
                    let links = oracle.links(&found.configuration);
                    let [a, b] = found.bodies;
                    let d = oracle.distance(&links, a, b, f64::INFINITY, false);
                    let most = if words[0] == "collision" { 0.0 } else { found.clearance + world.tolerance };
                    assert!(d <= most + KNOWN || oracle.is_contained(&links, a, b), "{d:e} apart: {answer:?}");
                }
                Verdict::Undecided(_) => assert!(world.tolerance == 0.0 || is_out_of_queries(&answer.verdict)),
            }
        }
    }
    tally
}

#[test]
fn bisection_agrees_with_the_checker_and_no_sample_refutes_it() {
    let worlds = (segments() / 6).div_ceil(SEGMENTS_A_WORLD);
    let tally = (0..worlds).into_par_iter().map(run_world).reduce(Tally::default, Tally::plus);
    println!("{tally:?}");
    tally.assert_both_sides(10);
}

/// A ball that slides towards walls at these places.
fn lane(tolerance: f64, walls: &[f64]) -> World {
    let mut world = World::new(0.0, tolerance);
    world.link("world", "ball", SLIDE_X, Pose::IDENTITY);
    world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.05));
    for (i, x) in walls.iter().enumerate() {
        world.thing(&format!("wall {i}"), "world", at(*x, 0.0, 0.0), box_mesh([0.01, 0.5, 0.5]));
    }
    world
}

#[test]
fn a_wall_is_found_however_stretches_are_refined() {
    for settings in ways() {
        let path: Vec<Vec<f64>> = (0..4).map(|i| vec![f64::from(i)]).collect();
        let answer = bisected(&lane(1e-3, &[2.2]), &path, &settings);
        let found = finding(&answer.verdict).unwrap_or_else(|| panic!("{settings:?}: {answer:?}"));
        let place = found.segment as f64 + found.t;
        assert!((2.145 - 1e-3 - 1e-8..=2.255 + 1e-3).contains(&place), "{settings:?}: {answer:?}");
        let beside = bisected(&lane(1e-3, &[3.1]), &path, &settings);
        assert_eq!(word(&beside.verdict), "free", "{settings:?}: {beside:?}");
    }
}

#[test]
fn a_limit_on_queries_holds_to_the_query() {
    let path = [vec![0.0], vec![1.0]];
    for refinement in Refinement::ALL {
        let world = lane(1e-3, &[1.08]);
        let settings = BisectionSettings { refinement, ..BisectionSettings::default() };
        let full = bisected(&world, &path, &settings);
        assert_eq!(word(&full.verdict), "free", "{full:?}");
        assert!(full.statistics.distance_queries >= 3, "{full:?}");
        for most in 0..full.statistics.distance_queries {
            let answer = bisected(&world, &path, &BisectionSettings { max_queries: Some(most), ..settings });
            assert!(is_out_of_queries(&answer.verdict), "{answer:?}");
            assert_eq!(answer.statistics.distance_queries, most);
        }
    }
}

/// Broke while it was written: an end that cannot be told from contact kept the rest of its stretch from being looked at.
#[test]
fn an_unclear_end_does_not_hide_the_contact_before_it() {
    let mut world = World::new(0.0, 0.0);
    world.link("world", "moving", SLIDE_X, Pose::IDENTITY);
    world.thing("moving", "moving", Pose::IDENTITY, box_mesh([1e-4, 0.6, 0.6]));
    // In the end both plates fill the same place, face in face.
    world.thing("fixed", "world", at(1.0, 0.0, 0.0), box_mesh([1e-4, 0.9, 0.7]));
    for settings in ways() {
        let answer = bisected(&world, &[vec![-2.0], vec![1.0]], &settings);
        assert_eq!(word(&answer.verdict), "collision", "{settings:?}: {answer:?}");
    }
}

#[test]
fn a_graze_is_left_open_without_a_tolerance_and_found_with_one() {
    let mut world = World::new(0.0, 0.0);
    world.link("world", "ball", SLIDE_X, Pose::IDENTITY);
    world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.25));
    world.thing("other", "world", at(0.75, 0.0, -0.5), Form::Ball(0.25));
    for refinement in Refinement::ALL {
        let settings = BisectionSettings { refinement, max_queries: Some(1_000_000), ..BisectionSettings::default() };
        let answer = bisected(&world, &[vec![-0.7], vec![2.0]], &settings);
        let is_open = matches!(&answer.verdict, Verdict::Undecided(open) if open.limit == Limit::Resolution);
        assert!(is_open, "{refinement:?} {answer:?}");
    }
    world.tolerance = 1e-3;
    for settings in ways() {
        let answer = bisected(&world, &[vec![-0.7], vec![2.0]], &settings);
        assert!(finding(&answer.verdict).is_some(), "{settings:?}: {answer:?}");
    }
}

#[test]
fn what_the_published_method_does_not_cover_is_refused() {
    let mut world = lane(1e-3, &[1.0]);
    world.clearance = -0.01;
    world.things[1].parts[0].1 = Form::Ball(0.1);
    assert!(matches!(Bisector::new(&world.scene()), Err(Unsupported::NegativeClearance(_))));
    world.clearance = 0.0;
    world.thing("ground", "world", at(0.0, 0.0, -1.0), Form::Plane(DVec3::Z));
    assert!(matches!(Bisector::new(&world.scene()), Err(Unsupported::Plane(name)) if name == "ground"));
}
