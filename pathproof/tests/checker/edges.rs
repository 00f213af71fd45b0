//! Edges of arithmetic and of the contract: small cases in which an answer was once false. Each says what broke; each holds
//! for every report.

use crate::common::{Form, World, at, box_mesh, finding, word};
use pathproof::check::{Answer, CheckScratch, Checker, Place, Report, Settings, Verdict};
use pathproof::numeric::{DVec3, Pose};
use pathproof::path::Motion;
use pathproof::robot::JointKind;

const SLIDE_X: JointKind = JointKind::Prismatic { axis: DVec3::X };
const SLIDE_Y: JointKind = JointKind::Prismatic { axis: DVec3::Y };
const SLIDE_Z: JointKind = JointKind::Prismatic { axis: DVec3::Z };
const REPORTS: [Report; 3] = [Report::Any, Report::First, Report::All];

/// Every way of asking.
fn ways() -> impl Iterator<Item = Settings> {
    REPORTS.into_iter().map(|report| Settings { report, ..Settings::default() })
}

fn ask(world: &World, path: &[Vec<f64>], settings: &Settings) -> Answer {
    let checker = world.checker();
    let mut scratch = CheckScratch::new(&checker);
    let answer = checker.path(&Motion::lines(path), settings, &mut scratch).expect("a path");
    // What a scratch holds from the last check changes nothing.
    assert_eq!(answer, checker.path(&Motion::lines(path), settings, &mut scratch).expect("a path"));
    answer
}

/// A too-close pair was measured again without what rounding may have moved its poses by: 1e-11 m apart, 10⁶ m from the
/// origin, it was called a collision.
#[test]
fn a_gap_that_rounding_may_have_closed_is_no_collision() {
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "box", SLIDE_X, at(1e6, 0.0, 0.0));
    world.thing("box", "box", Pose::IDENTITY, Form::Cuboid([0.125_000_000_08, 0.125, 0.125]));
    world.thing("post", "world", at(1_000_000.25, 0.0, 0.0), Form::Cuboid([0.125; 3]));
    for settings in ways() {
        let answer = ask(&world, &[vec![0.124_999_999_95]], &settings);
        assert_eq!(word(&answer.verdict), "too_close", "{settings:?} {answer:?}");
    }
}

/// Heights over a half-space had no margin for the poses.
#[test]
fn a_gap_over_a_plane_that_rounding_may_have_closed_is_no_collision() {
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "middle", SLIDE_X, at(1e6, 0.0, 0.0));
    world.link("middle", "box", SLIDE_X, Pose::IDENTITY);
    world.thing("box", "box", Pose::IDENTITY, Form::Cuboid([0.125_000_000_118_743_63, 0.125, 0.125]));
    world.thing("wall", "world", at(1_000_000.062_500_000_2, 0.0, 0.0), Form::Plane(DVec3::NEG_X));
    for settings in ways() {
        let answer = ask(&world, &[vec![5.937_181_413_173_676e-11; 2]], &settings);
        assert_eq!(word(&answer.verdict), "too_close", "{settings:?} {answer:?}");
    }
}

/// A pyramid on its tip.
fn tip() -> Form {
    let corners = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.3], [0.0, 0.1, 0.3], [-0.1, -0.1, 0.3]];
    Form::Mesh(corners.map(DVec3::from_array).to_vec(), vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])
}

/// A point that rounding puts on a surface was taken for inside: a tip 2.8e-17 m above a closed table collided.
#[test]
fn a_point_on_a_surface_within_rounding_is_not_inside() {
    for tolerance in [0.0, 1e-3] {
        let mut world = World::new(0.0, tolerance);
        world.link("world", "tip", SLIDE_Z, at(0.1, 0.05, 0.7));
        world.thing("tip", "tip", Pose::IDENTITY, tip());
        world.thing("table", "world", at(0.0, 0.0, 0.799_999_999_999_999_9 - 0.5), box_mesh([1.0; 3]));
        for settings in ways() {
            let answer = ask(&world, &[vec![0.1]], &settings);
            let expected = if tolerance == 0.0 { "undecided" } else { "too_close" };
            assert_eq!(word(&answer.verdict), expected, "{settings:?} {answer:?}");
        }
    }
}

/// A direction divided by a length whose square vanished, and `f64::max` that dropped the NaN: a method called
/// triangles free that cross.
#[test]
fn a_corner_whose_square_vanishes_hides_no_crossing() {
    for tiny in [1e-165, 1e-162, 1e-155, 1e-100] {
        let triangle = |corners: [[f64; 3]; 3]| Form::Mesh(corners.map(DVec3::from_array).to_vec(), vec![[0, 1, 2]]);
        let mut world = World::new(0.0, 1e-3);
        world.link("world", "moving", SLIDE_X, Pose::IDENTITY);
        let large = triangle([[-2.0, -2.0, -2.0], [2.0, 2.0, 0.0], [0.0, 0.0, 2.0]]);
        world.thing("large", "moving", Pose::IDENTITY, large);
        let corner = triangle([[1.0, -1.0, 0.5], [-1.0, 1.0, -0.5], [tiny; 3]]);
        world.thing("corner", "world", Pose::IDENTITY, corner);
        for settings in ways() {
            let answer = ask(&world, &[vec![0.0]], &settings);
            assert!(finding(&answer.verdict).is_some(), "{settings:?} {answer:?}");
        }
    }
}

/// A pair that moves less than a quarter of the tolerance was never looked at before a contact that was known.
#[test]
fn a_pair_at_rest_is_found_first_if_it_is_in_contact_from_the_start() {
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "resting", SLIDE_X, Pose::IDENTITY);
    world.link("world", "moving", SLIDE_X, at(0.0, 5.0, 0.0));
    let resting = world.thing("resting", "resting", Pose::IDENTITY, Form::Ball(0.1));
    world.thing("moving", "moving", Pose::IDENTITY, Form::Ball(0.1));
    let post = world.thing("post", "world", at(0.05, 0.0, 0.0), Form::Ball(0.1));
    world.thing("other post", "world", at(1.0, 5.0, 0.0), Form::Ball(0.1));
    let settings = Settings { report: Report::First, ..Settings::default() };
    // It rests, or all but rests, or comes to rest in contact on a later segment.
    for (path, segment) in [
        (vec![vec![0.0, 0.0], vec![0.0, 2.5]], 0),
        (vec![vec![0.0, 0.0], vec![1e-4, 2.5]], 0),
        (vec![vec![0.0, 0.0], vec![0.0, 0.1]], 0),
        (vec![vec![-0.5, 0.0], vec![-0.5, 0.1], vec![-0.15, 0.3], vec![-0.15, 2.0]], 2),
    ] {
        let answer = ask(&world, &path, &settings);
        let found = finding(&answer.verdict).unwrap_or_else(|| panic!("{answer:?}"));
        assert_eq!(found.bodies, [resting, post], "{answer:?}");
        let until = answer.free_until.expect("asked for the first");
        // The ball comes to −0.15 at the end of the second segment, give or take the tolerance.
        let is_there = found.segment == segment || (found.segment + 1 == segment && found.t > 0.98);
        assert!(is_there && until.segment == found.segment && until.t <= found.t, "{answer:?}");
        assert!(segment > 0 || found.t == 0.0, "{answer:?}");
    }
}

/// Containment was asked for at the starts of segments only: a body wholly inside a solid that came near its wall was
/// called too close.
#[test]
fn a_body_wholly_inside_a_solid_is_a_collision_wherever_it_is_met() {
    for form in [box_mesh([0.1; 3]), Form::Ball(0.05)] {
        let mut world = World::new(0.0, 1e-3);
        world.link("world", "pea", SLIDE_X, Pose::IDENTITY);
        world.thing("pea", "pea", Pose::IDENTITY, form);
        world.thing("pod", "world", Pose::IDENTITY, box_mesh([2.0; 3]));
        for settings in ways() {
            for path in [
                // In the middle of the path it is 0.5 mm from the wall, inside.
                vec![vec![0.9], vec![0.9495], vec![0.9]],
                vec![vec![0.949], vec![0.95]],
                vec![vec![0.9495]],
                vec![vec![1.2], vec![0.0]],
            ] {
                let answer = ask(&world, &path, &settings);
                let is_entering = path[0][0] > 1.0;
                let expected = if is_entering && settings.report == Report::First { "either" } else { "collision" };
                let says = word(&answer.verdict);
                assert!(says == expected || expected == "either" && says != "free", "{settings:?} {path:?} {answer:?}");
            }
        }
    }
}

/// `--all` ended a pair at its first finding: one that was too close where it was met first, and in contact later, was
/// reported as too close.
#[test]
fn a_pair_that_collides_anywhere_on_a_segment_is_reported_as_a_collision() {
    // Beside a wall, 5 mm away, with a thin post of the same body in the way at a place that is met late.
    for place in [0.137, 0.31, 0.77, 0.912] {
        for convex in [false, true] {
            let mut world = World::new(0.0, 0.02);
            world.link("world", "ball", SLIDE_X, Pose::IDENTITY);
            let ball = if convex { Form::Ball(0.05) } else { box_mesh([0.1, 0.1, 0.1]) };
            world.thing("ball", "ball", Pose::IDENTITY, ball);
            world.thing("wall", "world", at(0.5, 0.105, 0.0), Form::Cuboid([2.0, 0.1, 1.0]));
            world.things[1].parts.push((at(place, 0.0, 0.0), Form::Cuboid([1e-4, 0.2, 0.2])));
            let settings = Settings { report: Report::All, ..Settings::default() };
            let answer = ask(&world, &[vec![0.0], vec![1.0]], &settings);
            assert_eq!(word(&answer.verdict), "collision", "{place} {answer:?}");
            assert!(answer.findings.len() == 1 && answer.is_complete(), "{answer:?}");
            // Any finding is followed as well, for a while.
            let any = Settings { report: Report::Any, ..settings };
            assert_eq!(word(&ask(&world, &[vec![0.0], vec![1.0]], &any).verdict), "collision", "{place}");
        }
    }
}

/// What is too close and no more keeps its nearest approach.
#[test]
fn a_pair_that_is_only_too_close_keeps_its_nearest_approach() {
    for gap in [2e-3, 5e-3, 9.9e-3] {
        let mut world = World::new(0.01, 0.02);
        world.link("world", "ball", SLIDE_X, Pose::IDENTITY);
        world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.1));
        world.thing("post", "world", at(0.37, 0.2 + gap, 0.0), Form::Ball(0.1));
        let settings = Settings { report: Report::All, ..Settings::default() };
        let answer = ask(&world, &[vec![0.0], vec![1.0]], &settings);
        assert_eq!(word(&answer.verdict), "too_close", "{gap} {answer:?}");
        let found = &answer.findings[0];
        assert!(found.distance >= gap - 1e-9 && found.distance < gap + 0.02 / 8.0 + 1e-9, "{gap} {found:?}");
    }
}

/// The ends of segments were never tested: contact at the start was reported at 2⁻ᵏ.
#[test]
fn contact_at_the_start_is_found_at_the_start() {
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "ball", SLIDE_X, Pose::IDENTITY);
    world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.1));
    world.thing("box", "world", Pose::IDENTITY, Form::Cuboid([1.0; 3]));
    let settings = Settings { report: Report::First, ..Settings::default() };
    for start in [0.3, 0.599, 0.59] {
        let answer = ask(&world, &[vec![start], vec![2.3]], &settings);
        assert_eq!(word(&answer.verdict), "collision", "{answer:?}");
        assert_eq!(finding(&answer.verdict).map(|found| found.t), Some(0.0), "{answer:?}");
        assert_eq!(answer.free_until, Some(Place { segment: 0, t: 0.0 }), "{answer:?}");
    }
    // And at the end of a segment, which is the start of the next.
    let answer = ask(&world, &[vec![2.0], vec![0.6], vec![0.6], vec![2.0]], &settings);
    let found = finding(&answer.verdict).expect("too close");
    assert!(found.segment == 0 && found.t > 0.999, "{answer:?}");
}

/// A tolerance below what rounding allows ended in `undecided`, which is kept for a tolerance of 0 and for limits.
#[test]
fn a_tolerance_below_rounding_is_raised_and_decides() {
    for far in [0.0, 1e4] {
        for gap in [-1e-9, 0.0, 1e-13, 1e-12, 1e-9] {
            for form in [box_mesh([0.2; 3]), Form::Cuboid([0.2; 3])] {
                let mut world = World::new(0.0, 1e-15);
                world.link("world", "box", SLIDE_X, at(far, 0.0, 0.0));
                world.thing("box", "box", Pose::IDENTITY, form.clone());
                world.thing("other", "world", at(far + 1.0, 0.19, 0.2 + gap), form.clone());
                for settings in ways() {
                    let limited = Settings { max_queries: Some(5_000), ..settings };
                    let answer = ask(&world, &[vec![0.0], vec![1.3]], &limited);
                    assert_ne!(word(&answer.verdict), "undecided", "{far} {gap:e} {settings:?} {answer:?}");
                    assert!(answer.tolerance > 1e-14, "{answer:?}");
                    if let Some(found) = finding(&answer.verdict) {
                        assert!(found.distance <= answer.tolerance, "{answer:?}");
                    }
                }
            }
        }
    }
    let mut world = World::new(0.0, 0.0);
    world.link("world", "ball", SLIDE_X, Pose::IDENTITY);
    world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.1));
    world.thing("post", "world", at(0.5, 1.0, 0.0), Form::Ball(0.1));
    assert_eq!(world.check(&[vec![0.0], vec![1.0]]).tolerance, 0.0, "0 stays 0");
    world.tolerance = 0.01;
    assert_eq!(world.check(&[vec![0.0], vec![1.0]]).tolerance, 0.01);
}

/// Poses that are not numbers made an infinite `lower` in a profile that did not end.
#[test]
fn a_profile_ends_and_proves_nothing_however_bad_the_numbers_are() {
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "far", SLIDE_Y, Pose::IDENTITY);
    world.link("far", "box", SLIDE_X, Pose::IDENTITY);
    world.thing("box", "box", Pose::IDENTITY, Form::Cuboid([0.1; 3]));
    world.thing("mesh", "far", Pose::IDENTITY, box_mesh([0.1; 3]));
    world.thing("post", "world", at(0.0, 1.0, 0.0), Form::Cuboid([0.1; 3]));
    let checker = world.checker();
    for size in [1e9, 1e18, 1e30, 1e100, 1e150] {
        let path = [vec![-size, 0.0], vec![size, size]];
        let Ok(profile) = checker.profile(
            &Motion::lines(&path[..]),
            &Settings::default(),
            &mut CheckScratch::new(&checker),
            &mut |_| {},
        ) else {
            continue;
        };
        assert!(
            profile.pieces.iter().all(|piece| piece.lower <= piece.upper && piece.lower.is_finite()),
            "{profile:?}"
        );
        // At 1e9 m it is told that the bodies pass at about 1 m, or nothing.
        let answer = checker
            .path(&Motion::lines(&path[..]), &Settings::default(), &mut CheckScratch::new(&checker))
            .expect("a path");
        assert!(!matches!(answer.verdict, Verdict::Free(_)) || size <= 1e9, "{size:e} {answer:?}");
    }
}

/// Where a segment's start or another place is given as too close, no other pair collides there unsaid.
#[test]
fn a_collision_of_another_pair_at_the_same_configuration_is_due() {
    let mut world = World::new(0.0, 0.05);
    world.link("world", "first", SLIDE_X, Pose::IDENTITY);
    world.link("world", "second", SLIDE_X, at(0.0, 3.0, 0.0));
    world.thing("first", "first", Pose::IDENTITY, Form::Ball(0.1));
    world.thing("second", "second", Pose::IDENTITY, Form::Ball(0.1));
    world.thing("near", "world", at(0.0, 0.22, 0.0), Form::Ball(0.1));
    world.thing("touched", "world", at(0.0, 3.1, 0.0), Form::Ball(0.1));
    let answer = ask(&world, &[vec![0.0, 0.0]], &Settings::default());
    assert_eq!(word(&answer.verdict), "collision", "{answer:?}");
}

#[test]
fn a_checker_is_made_of_every_scene() {
    let world = World::new(0.0, 1e-3);
    let checker = Checker::new(world.scene());
    let answer =
        checker.path(&Motion::lines([vec![]]), &Settings::default(), &mut CheckScratch::new(&checker)).expect("a path");
    assert_eq!(word(&answer.verdict), "free");
}
