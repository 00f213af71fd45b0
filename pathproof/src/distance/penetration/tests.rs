use super::*;
use crate::distance::gjk::oracle::{self, Body, random_polyhedral};
use crate::numeric::Random;

fn pairs() -> usize {
    std::env::var("PATHPROOF_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000)
}

fn truth(a: &Convex, b: &Convex, a_from_b: &Pose) -> f64 {
    oracle::signed_distance(&Body::new(a, &Pose::IDENTITY, 0, false), &Body::new(b, a_from_b, 0, false))
}

fn size(a: &Convex, b: &Convex) -> f64 {
    a.upper_core_extent() + a.radius() + b.upper_core_extent() + b.radius()
}

#[track_caller]
fn check(a: &Convex, b: &Convex, pose: &Pose, truth: f64, tracker: &mut Tracker) -> ConvexDistance {
    let found = signed_distance(a, b, pose, tracker);
    let context = || format!("{found:?}\ntruth {truth:e}\n{a:?}\n{b:?}\n{pose:?}");
    assert!(found.lower <= truth + 2e-12, "lower above the truth: {}", context());
    assert!(found.upper >= truth - 2e-12, "upper below the truth: {}", context());
    assert!(found.upper - found.lower <= 1e-10 * size(a, b), "not exact: {}", context());
    assert_eq!(found.outcome, Outcome::Converged, "{}", context());
    found
}

#[test]
fn signed_bounds_enclose_a_search_over_all_minkowski_faces() {
    let mut random = Random::new(31);
    let mut deep = 0;
    for round in 0..pairs() {
        let most = 4 + round % 30;
        let (a, b) = (random_polyhedral(&mut random, most), random_polyhedral(&mut random, most));
        let pose = random.pose([0.05, 0.3, 1.0][round % 3]);
        let truth = truth(&a, &b, &pose);
        deep += usize::from(truth < 0.0);
        let mut tracker = Tracker::default();
        check(&a, &b, &pose, truth, &mut tracker);
        let quick = bracket(&a, &b, &pose, &mut tracker);
        assert!(quick.lower <= truth + 2e-12 && quick.upper >= truth - 2e-12, "{quick:?} {truth}");
        check(&a, &b, &pose, truth, &mut tracker);
    }
    assert!(deep * 3 > pairs(), "only {deep} overlap");
}

#[test]
fn a_ball_inside_a_cylinder_is_as_deep_as_the_closed_form_says() {
    let mut random = Random::new(32);
    for _ in 0..500 {
        let (radius, half) = (random.between(0.2, 1.0), random.between(0.2, 1.0));
        let cylinder = Convex::cylinder(radius, 2.0 * half).expect("valid");
        let ball = Convex::sphere(random.between(0.01, 0.5)).expect("valid");
        let p =
            DVec3::new(random.between(-radius, radius), random.between(-radius, radius), random.between(-half, half));
        let inside = (radius - p.truncate().length()).min(half - p.z.abs());
        if inside > 0.0 {
            check(&cylinder, &ball, &Pose::from_translation(p), -inside - ball.radius(), &mut Tracker::default());
        }
    }
}

#[test]
fn identical_and_concentric_bodies_have_the_depth_of_their_width() {
    let unit = Convex::cuboid([3.0, 1.0, 2.0]).expect("valid");
    let found = check(&unit, &unit, &Pose::IDENTITY, -1.0, &mut Tracker::default());
    assert!((found.direction.y.abs() - 1.0).abs() < 1e-12);
    let small = Convex::cuboid([0.5, 0.25, 0.5]).expect("valid");
    check(&unit, &small, &Pose::IDENTITY, -0.625, &mut Tracker::default());
    let ball = Convex::sphere(0.5).expect("valid");
    check(&ball, &ball, &Pose::IDENTITY, -1.0, &mut Tracker::default());
    let capsule = Convex::capsule(0.25, 2.0).expect("valid");
    check(&capsule, &capsule, &Pose::IDENTITY, -0.5, &mut Tracker::default());
    let across = Pose::from_axis_angle(DVec3::X, 1.0, DVec3::ZERO);
    check(&capsule, &capsule, &across, -0.5, &mut Tracker::default());
    let mut random = Random::new(33);
    for _ in 0..60 {
        let n = 4 + random.below(40);
        let hull = Convex::hull(&(0..n).map(|_| random.direction()).collect::<Vec<_>>()).expect("valid");
        check(&hull, &hull, &Pose::IDENTITY, truth(&hull, &hull, &Pose::IDENTITY), &mut Tracker::default());
    }
}

#[test]
fn bodies_that_touch_or_nearly_touch_have_signed_distances_of_that_size() {
    let unit = Convex::cuboid([1.0; 3]).expect("valid");
    for gap in [0.0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6] {
        for way in [DVec3::X, DVec3::new(1.0, 0.25, -0.125), DVec3::new(1.0, 1.0, 0.0)] {
            let pose = Pose::from_translation(way + DVec3::X * gap);
            let truth = if way.y == 1.0 { gap.max(0.0) } else { gap };
            check(&unit, &unit, &pose, truth, &mut Tracker::default());
        }
    }
    let mut random = Random::new(34);
    for round in 0..600 {
        let (a, b) = (random_polyhedral(&mut random, 24), random_polyhedral(&mut random, 24));
        let pose = random.pose(2.0);
        let found = signed_distance(&a, &b, &pose, &mut Tracker::default());
        let gap = [0.0, 1e-12, -1e-12, 1e-8, -1e-8, -1e-4][round % 6];
        let pose = Pose { translation: pose.translation + found.direction * (gap - found.upper), ..pose };
        let truth = truth(&a, &b, &pose);
        check(&a, &b, &pose, truth, &mut Tracker::default());
    }
}

#[test]
fn a_rim_that_is_equally_near_all_around_ends_with_valid_bounds() {
    let cylinder = Convex::cylinder(0.5, 4.0).expect("valid");
    let found = signed_distance(&cylinder, &cylinder, &Pose::IDENTITY, &mut Tracker::default());
    assert!(found.lower <= -1.0 && found.upper >= -1.0, "{found:?}");
    assert!(found.upper - found.lower < 1e-3, "{found:?}");
}

#[test]
fn the_tracked_face_gives_the_depth_without_growing_anything() {
    let mut random = Random::new(35);
    let (mut met, mut all) = (0, 0);
    for _ in 0..100 {
        let (a, b) = (random_polyhedral(&mut random, 40), random_polyhedral(&mut random, 40));
        let mut pose = random.pose(0.2);
        let slide = random.direction() * 1e-3;
        let mut tracker = Tracker::default();
        signed_distance(&a, &b, &pose, &mut tracker);
        for _ in 0..10 {
            pose.translation += slide;
            let exact = signed_distance(&a, &b, &pose, &mut Tracker::default());
            let quick = bracket(&a, &b, &pose, &mut tracker);
            assert!(quick.lower <= exact.upper && quick.upper >= exact.lower, "{quick:?} {exact:?}");
            all += 1;
            met += usize::from(quick.lower >= exact.lower - 1e-10);
        }
    }
    assert!(met * 10 > all * 8, "{met} of {all}");
}

#[test]
fn moving_by_the_depth_along_the_direction_separates_the_bodies() {
    let mut random = Random::new(36);
    for _ in 0..1_000 {
        let (a, b) = (random_polyhedral(&mut random, 40), random_polyhedral(&mut random, 40));
        let pose = random.pose(0.5);
        let found = signed_distance(&a, &b, &pose, &mut Tracker::default());
        if found.upper < 0.0 {
            let moved = Pose { translation: pose.translation - found.direction * (found.lower - 1e-9), ..pose };
            let after = signed_distance(&a, &b, &moved, &mut Tracker::default());
            assert!(after.lower > 0.0 && after.upper < 1e-8, "{found:?} {after:?}");
            let across = (found.point_on_b - found.point_on_a).dot(found.direction);
            assert!((across - found.upper).abs() < 1e-9, "{found:?}");
        }
    }
}

#[test]
fn deep_overlaps_of_large_hulls_converge() {
    let mut random = Random::new(37);
    let mut most = 0;
    for round in 0..12 {
        let stretch = [DVec3::ONE, DVec3::new(1.0, 0.7, 0.3), DVec3::new(1.0, 1.0, 1e-4)][round % 3];
        let mut hull =
            |n: usize| Convex::hull(&(0..n).map(|_| random.direction() * stretch).collect::<Vec<_>>()).expect("a hull");
        let (a, b) = (hull(500), hull(500));
        let pose = Pose { translation: random.direction() * 0.01, ..random.pose(1.0) };
        for (b, pose) in [(&a, Pose::IDENTITY), (&b, pose)] {
            let found = signed_distance(&a, b, &pose, &mut Tracker::default());
            assert_eq!(found.outcome, Outcome::Converged, "{found:?}");
            assert!(found.upper < 0.0);
            most = most.max(found.iterations);
        }
    }
    println!("most supports: {most}");
}

/// Points of curved shapes that overlap once coincided if the last face was not that of the best direction.
#[test]
fn the_points_of_shapes_that_overlap_are_as_far_apart_as_they_are_deep() {
    let mut random = Random::new(35);
    let curved = |random: &mut Random| {
        let (r, l) = (random.between(0.02, 0.5), random.between(0.05, 1.0));
        match random.below(5) {
            0 => Convex::cylinder(r, l),
            1 => Convex::capsule(r, l),
            2 => Convex::cone(r, l),
            3 => Convex::sphere(r),
            _ => Convex::cuboid([r, l, 0.3]),
        }
        .expect("valid")
    };
    let mut deep = 0;
    for round in 0..2_000 {
        let (a, b) = (curved(&mut random), curved(&mut random));
        let pose = random.pose([0.05, 0.3, 0.6][round % 3]);
        let found = signed_distance(&a, &b, &pose, &mut Tracker::default());
        if !(found.upper < 0.0) || found.outcome != Outcome::Converged {
            continue;
        }
        deep += 1;
        let (way, depth) = (found.point_on_a - found.point_on_b, -found.upper);
        assert!((way.length() - depth).abs() < 1e-4 * size(&a, &b), "{found:?}\n{a:?}\n{b:?}\n{pose:?}");
        assert!(way.dot(found.direction) > 0.99 * depth, "{found:?}\n{a:?}\n{b:?}\n{pose:?}");
    }
    assert!(deep > 700, "only {deep} overlap");
}
