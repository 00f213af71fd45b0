use super::oracle::{Body, random_polyhedral, signed_distance};
use super::*;
use crate::numeric::{DMat3, Random};
use crate::shapes::CoreSupport;

/// Pairs in the large comparison; `PATHPROOF_PAIRS=100000` runs all of them.
pub(crate) fn pairs() -> usize {
    std::env::var("PATHPROOF_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000)
}

/// Allowed error of a distance: 1e-10 of the sizes.
fn allowed(a: &Convex, b: &Convex) -> f64 {
    1e-10 * (a.upper_core_extent() + a.radius() + b.upper_core_extent() + b.radius())
}

fn truth(a: &Convex, b: &Convex, a_from_b: &Pose) -> f64 {
    let body_a = Body::new(a, &Pose::IDENTITY, 0, false);
    let body_b = Body::new(b, a_from_b, 0, false);
    signed_distance(&body_a, &body_b).max(0.0)
}

/// The oracle's own rounding: its normals of needles are good to about 1e-12.
const ORACLE: f64 = 2e-12;

fn check(a: &Convex, b: &Convex, a_from_b: &Pose, tracker: &mut Tracker, truth: f64) -> ConvexDistance {
    let found = distance(a, b, a_from_b, f64::INFINITY, tracker);
    let context = || format!("{found:?}\ntruth {truth:e}\n{a:?}\n{b:?}\n{a_from_b:?}");
    assert!(found.lower <= truth + ORACLE, "lower above the truth: {}", context());
    assert!(found.upper >= truth - ORACLE, "upper below the truth: {}", context());
    assert!(found.upper - found.lower <= allowed(a, b), "not exact: {}", context());
    assert_eq!(found.outcome, Outcome::Converged, "{}", context());
    assert!((found.direction.length() - 1.0).abs() <= 4.0 * ROUNDOFF_F64, "{}", context());
    found
}

/// A pose at which the distance is about `gap`: moves B along the direction found by a first query.
fn at_gap(a: &Convex, b: &Convex, pose: Pose, gap: f64) -> Pose {
    let found = distance(a, b, &pose, f64::INFINITY, &mut Tracker::default());
    Pose { translation: pose.translation + found.direction * (gap - found.upper), ..pose }
}

#[test]
fn bounds_enclose_brute_force_and_are_tight_for_all_kinds_of_pairs() {
    let mut random = Random::new(21);
    let mut most_iterations = 0;
    for round in 0..pairs() {
        let most = if round % 500 == 0 { 500 } else { 4 + round % 40 };
        let (a, b) = (random_polyhedral(&mut random, most), random_polyhedral(&mut random, most));
        let reach = [1.0, 2.0, 10.0][round % 3];
        let mut pose = random.pose(reach);
        if round % 2 == 0 {
            let gap = [1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 0.0][round / 2 % 6];
            pose = at_gap(&a, &b, pose, gap);
        }
        let mut tracker = Tracker::default();
        let truth = truth(&a, &b, &pose);
        let cold = check(&a, &b, &pose, &mut tracker, truth);
        let again = check(&a, &b, &pose, &mut tracker, truth);
        assert!(cold.iterations < ITERATION_LIMIT && again.iterations < ITERATION_LIMIT);
        most_iterations = most_iterations.max(cold.iterations);
    }
    println!("most iterations: {most_iterations}");
}

/// Distance from a point to a solid cylinder, negative inside.
fn point_to_cylinder(p: DVec3, radius: f64, half_length: f64) -> f64 {
    let (out, up) = (p.truncate().length() - radius, p.z.abs() - half_length);
    if out > 0.0 && up > 0.0 { out.hypot(up) } else { out.max(up) }
}

fn random_curved(random: &mut Random) -> Convex {
    let thin = [1.0, 1.0, 1e-4][random.below(3)];
    let (radius, length) = (random.between(0.1, 1.0), random.between(0.1, 2.0) * thin);
    if random.below(2) == 0 { Convex::cylinder(radius, length) } else { Convex::cone(radius, length) }.expect("valid")
}

#[test]
fn a_ball_and_a_cylinder_are_as_far_apart_as_the_closed_form_says() {
    let mut random = Random::new(22);
    for _ in 0..3_000 {
        let (radius, length) = (random.between(0.05, 1.0), random.between(0.05, 2.0));
        let cylinder = Convex::cylinder(radius, length).expect("valid");
        let ball = Convex::sphere(random.between(0.01, 0.5)).expect("valid");
        let pose = random.pose(2.0);
        let truth = (point_to_cylinder(pose.translation, radius, 0.5 * length) - ball.radius()).max(0.0);
        check(&cylinder, &ball, &pose, &mut Tracker::default(), truth);
        check(&ball, &cylinder, &pose.inverse(), &mut Tracker::default(), truth);
    }
}

#[test]
fn curved_pairs_lie_between_their_inner_and_outer_polyhedra() {
    let mut random = Random::new(23);
    for round in 0..400 {
        let a = random_curved(&mut random);
        let b = if round % 2 == 0 { random_curved(&mut random) } else { random_polyhedral(&mut random, 20) };
        let mut pose = random.pose(2.5);
        if round % 3 == 0 {
            pose = at_gap(&a, &b, pose, [1e-12, 1e-8, 1e-4][round / 3 % 3]);
        }
        let body = |around| {
            let (a, b) = (Body::new(&a, &Pose::IDENTITY, 24, around), Body::new(&b, &pose, 24, around));
            signed_distance(&a, &b).max(0.0)
        };
        let found = distance(&a, &b, &pose, f64::INFINITY, &mut Tracker::default());
        assert!(found.lower <= body(false) + ORACLE && found.upper >= body(true) - ORACLE, "{found:?} {a:?} {b:?}");
        assert!(found.lower <= found.upper);
        assert!(found.upper - found.lower <= allowed(&a, &b), "{found:?}\n{a:?}\n{b:?}\n{pose:?}");
        assert_eq!(found.outcome, Outcome::Converged);
    }
}

#[test]
fn touching_identical_concentric_and_nested_bodies_are_at_distance_zero() {
    let mut random = Random::new(24);
    for round in 0..400 {
        let a = if round % 5 == 0 { random_curved(&mut random) } else { random_polyhedral(&mut random, 60) };
        let turned = Pose { translation: DVec3::ZERO, ..random.pose(1.0) };
        check(&a, &a, &Pose::IDENTITY, &mut Tracker::default(), 0.0);
        // Hulls and triangles need not hold their origin.
        let about = if a.has_polyhedral_core() { truth(&a, &a, &turned) } else { 0.0 };
        check(&a, &a, &turned, &mut Tracker::default(), about);
        let big = Convex::cuboid([10.0; 3]).expect("valid");
        check(&big, &a, &random.pose(2.0), &mut Tracker::default(), 0.0);
    }
    let unit = Convex::cuboid([1.0; 3]).expect("valid");
    for way in [DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::ONE, DVec3::new(1.0, 0.3, -0.2)] {
        check(&unit, &unit, &Pose::from_translation(way), &mut Tracker::default(), 0.0);
        let apart = Pose::from_translation(way + DVec3::X * 1e-12);
        check(&unit, &unit, &apart, &mut Tracker::default(), 1e-12);
    }
}

#[test]
fn tracked_sequences_give_the_answers_of_cold_calls() {
    let mut random = Random::new(25);
    for round in 0..300 {
        let curved = round % 4 == 0;
        let a = if curved { random_curved(&mut random) } else { random_polyhedral(&mut random, 80) };
        let b = random_polyhedral(&mut random, 80);
        let (mut pose, axis, slide) = (random.pose(2.0), random.direction(), random.direction() * 0.05);
        let turn = Pose::from_axis_angle(axis, [0.0, 0.05, 0.2][round % 3], slide);
        let mut tracker = Tracker::default();
        for _ in 0..20 {
            let tracked = distance(&a, &b, &pose, f64::INFINITY, &mut tracker);
            let cold = distance(&a, &b, &pose, f64::INFINITY, &mut Tracker::default());
            let allowed = allowed(&a, &b);
            assert!((tracked.lower - cold.lower).abs() <= allowed && (tracked.upper - cold.upper).abs() <= allowed);
            assert!(tracked.lower <= cold.upper && cold.lower <= tracked.upper);
            pose = turn * pose;
        }
    }
}

#[test]
fn scanning_and_climbing_agree() {
    let mut random = Random::new(26);
    for _ in 0..500 {
        let (a, b) = (random_polyhedral(&mut random, 120), random_polyhedral(&mut random, 120));
        let pose = random.pose(2.0);
        let by = |support| distance_by(support, &a, &b, &pose, f64::INFINITY, &mut Tracker::default());
        let (scan, climb) = (by(Support::Scan), by(Support::Climb));
        assert!((scan.lower - climb.lower).abs() <= allowed(&a, &b));
        assert!((estimate(&a, &b, &pose, &mut Tracker::default()) - climb.upper).abs() <= allowed(&a, &b));
    }
}

/// Boxes have their own search; the other support methods treat them as any core.
#[test]
fn the_search_compiled_for_boxes_is_the_search_for_any_core() {
    let mut random = Random::new(33);
    for _ in 0..300 {
        let mut cuboid = || Convex::cuboid([0; 3].map(|_| random.between(0.1, 1.0))).expect("valid");
        let (a, b) = (cuboid(), cuboid());
        let (mut pose, turn) = (random.pose(1.5), Pose { translation: DVec3::ZERO, ..random.pose(1.0) });
        let (mut own, mut any) = (Tracker::default(), Tracker::default());
        for _ in 0..5 {
            let own = distance(&a, &b, &pose, f64::INFINITY, &mut own);
            let any = distance_by(Support::Climb, &a, &b, &pose, f64::INFINITY, &mut any);
            assert_eq!((own.lower, own.upper, own.direction), (any.lower, any.upper, any.direction));
            pose = turn * pose;
        }
    }
}

#[test]
fn a_goal_ends_the_search_early_and_only_once_it_is_proven() {
    let mut random = Random::new(27);
    let (mut early, mut full) = (0, 0);
    for _ in 0..1_000 {
        let (a, b) = (random_polyhedral(&mut random, 60), random_polyhedral(&mut random, 60));
        let pose = random.pose(4.0);
        let exact = distance(&a, &b, &pose, f64::INFINITY, &mut Tracker::default());
        let goal = exact.upper * random.between(0.0, 1.5);
        let found = distance(&a, &b, &pose, goal, &mut Tracker::default());
        assert_eq!(found.outcome == Outcome::GoalReached, found.lower > goal);
        assert_eq!(found.lower > goal, exact.lower > goal, "{found:?} {exact:?} {goal}");
        assert!(found.lower <= exact.upper && found.upper >= exact.lower);
        early += found.iterations;
        full += exact.iterations;
    }
    assert!(early < full);
}

#[test]
fn a_direction_leaves_out_no_more_than_the_slack_of_what_is_beyond_what_is_needed() {
    let mut random = Random::new(47);
    let (mut seen, mut short_of_the_best) = (0, 0);
    for round in 0..pairs() {
        let (a, b) = (random_polyhedral(&mut random, 30), random_polyhedral(&mut random, 30));
        let pose = random.pose(3.0);
        let truth = truth(&a, &b, &pose);
        if truth < 1e-3 {
            continue;
        }
        let (slack, needed) = ([0.1, 0.5][round % 2], truth * [0.0, 0.5, 0.9][round % 3]);
        let tracker = &mut Tracker::default();
        let n = separating_direction(&a, &b, &pose, [needed, f64::INFINITY], slack, tracker).expect("they are apart");
        let gap = lower_separation(&a, &b, &pose, n, [0; 2]);
        let enough = needed + (1.0 - slack) * (truth - needed);
        assert!(gap >= enough - allowed(&a, &b), "{gap} of {truth}, {enough} would do\n{a:?}\n{b:?}\n{pose:?}");
        seen += 1;
        short_of_the_best += usize::from(gap < truth - allowed(&a, &b));
    }
    assert!(seen > pairs() / 4 && short_of_the_best > seen / 10, "{short_of_the_best} of {seen} ended early");
}

#[test]
fn separation_along_any_direction_never_exceeds_the_distance() {
    let mut random = Random::new(28);
    for _ in 0..2_000 {
        let (a, b) = (random_polyhedral(&mut random, 30), random_polyhedral(&mut random, 30));
        let pose = random.pose(3.0);
        let exact = distance(&a, &b, &pose, f64::INFINITY, &mut Tracker::default());
        for _ in 0..5 {
            let n = (exact.direction + random.direction() * 0.1).normalize();
            assert!(lower_separation(&a, &b, &pose, n, [7, u32::MAX]) <= exact.upper);
        }
    }
}

#[test]
fn margins_cover_rounding_where_the_truth_is_known_exactly() {
    // Axis-aligned boxes with dyadic gaps, turned by a quarter: the true distance is exactly representable.
    let mut random = Random::new(29);
    let quarter =
        Pose { rotation: crate::numeric::DMat3::from_cols(DVec3::Y, DVec3::NEG_X, DVec3::Z), translation: DVec3::ZERO };
    for _ in 0..2_000 {
        let edge = |random: &mut Random| (1 + random.below(1 << 20)) as f64 / f64::from(1 << 18);
        let size = [edge(&mut random), edge(&mut random), edge(&mut random)];
        let (a, b) =
            (Convex::cuboid(size).expect("valid"), Convex::cuboid([size[1], size[0], size[2]]).expect("valid"));
        let gap = random.below(1 << 16) as f64 / f64::from(1 << 24);
        let pose = Pose { translation: DVec3::new(size[0] + gap, 0.0, 0.0), ..quarter };
        let found = check(&a, &b, &pose, &mut Tracker::default(), gap);
        assert!(found.lower <= gap && gap <= found.upper, "{found:?} {gap}");
    }
}

/// Found by fuzzing: a plate of 4 m that is 0.1 mm thick, turned between two queries. From there the last simplex was
/// so thin that its nearest feature was not found, and the search ended 30 µm from the truth.
#[test]
fn a_tracked_simplex_that_has_become_thin_is_given_up() {
    let corners = [
        [2.0, 2.0, 0.0002],
        [2.09375, -2.03125, -0.00020312500000000002],
        [-2.03125, -2.03125, -0.00020312500000000002],
        [-2.03125, -2.03125, -0.000253125],
        [-0.03125, -2.03125, -0.00020312500000000002],
        [2.0625, 2.0625, 0.00020625],
        [-0.03125, -0.03125, -3.125e-6],
    ];
    let plate = Convex::hull(&corners.map(DVec3::from_array)).expect("a plate");
    let ball = Convex::sphere(1e-4).expect("a ball");
    let at = DVec3::splat(-0.03125);
    let turned = DMat3::from_cols(
        DVec3::new(0.4261035578529655, 0.2519421378456283, -0.8688848699124754),
        DVec3::new(0.8726417111395146, 0.13884892034149438, 0.4682066010849285),
        DVec3::new(0.238604698119179, -0.9577296781961891, -0.16069119931620277),
    );
    let mut tracker = Tracker::default();
    let poses = [
        Pose::from_translation(DVec3::new(-0.03125, 0.53125, 0.0)),
        Pose::from_translation(at),
        Pose { rotation: turned, translation: at },
    ];
    for pose in poses {
        let found = distance(&ball, &plate, &pose, f64::INFINITY, &mut tracker);
        assert_eq!(found.outcome, Outcome::Converged, "{found:?}");
    }
}

/// Found by fuzzing: their bounds, 0 and 1e-300, did not count as converged.
#[test]
fn two_points_at_the_origin_have_a_distance() {
    let point = Convex::triangle([DVec3::ZERO; 3]);
    let mut tracker = Tracker::default();
    for _ in 0..2 {
        let found = distance(&point, &point, &Pose::IDENTITY, f64::INFINITY, &mut tracker);
        assert_eq!((found.outcome, found.lower), (Outcome::Converged, 0.0), "{found:?}");
        assert!(found.upper < 1e-290, "{found:?}");
    }
}

#[test]
fn a_tracker_of_another_pair_does_no_harm() {
    let mut random = Random::new(30);
    let mut tracker = Tracker::default();
    for round in 0..1_000 {
        let a = if round % 3 == 0 { random_curved(&mut random) } else { random_polyhedral(&mut random, 90) };
        let b = random_polyhedral(&mut random, 9 + round % 80);
        let pose = random.pose(1.5);
        let cold = distance(&a, &b, &pose, f64::INFINITY, &mut Tracker::default());
        let found = distance(&a, &b, &pose, f64::INFINITY, &mut tracker);
        assert!(found.lower <= cold.upper && cold.lower <= found.upper, "{found:?} {cold:?}");
        assert!(found.upper - found.lower <= allowed(&a, &b), "{found:?}");
    }
}

#[test]
fn a_pose_that_is_not_a_number_certifies_nothing() {
    let unit = Convex::cuboid([1.0; 3]).expect("valid");
    for bad in [f64::NAN, f64::INFINITY] {
        let pose = Pose::from_translation(DVec3::new(5.0, bad, 0.0));
        let found = distance(&unit, &unit, &pose, 0.1, &mut Tracker::default());
        assert!(!(found.lower > 0.0), "{found:?}");
        assert_eq!(found.outcome, Outcome::IterationLimit);
    }
}

#[test]
fn features_name_the_points_they_came_with() {
    let mut random = Random::new(31);
    for round in 0..2_000 {
        let shape = if round % 2 == 0 { random_curved(&mut random) } else { random_polyhedral(&mut random, 50) };
        let n = if round % 7 == 0 { DVec3::NEG_Z } else { random.direction() };
        let CoreSupport { feature, point, .. } = shape.core_feature(n, 0);
        assert_eq!(shape.core_point(feature), Some(point));
        let size = shape.upper_core_extent();
        assert!(shape.upper_core_reach(n, 0) >= point.dot(n) - 8.0 * ROUNDOFF_F64 * size);
        assert!(shape.upper_core_reach(n, 0) <= point.dot(n) + 1e-11 * size);
        assert!(point.length() <= size);
    }
}

#[test]
fn the_same_pair_at_another_scale_has_the_scaled_distance() {
    let mut random = Random::new(32);
    for round in 0..600 {
        let n = 4 + random.below(40);
        let stretch = if round % 2 == 0 { DVec3::ONE } else { DVec3::new(1.0, 1e-4, 1.0) };
        let mut cloud = || (0..n).map(|_| random.direction() * stretch).collect::<Vec<_>>();
        let (a, b) = (cloud(), cloud());
        let pose = random.pose(3.0);
        let scale = [1e-9, 1e-3, 1e3, 1e9][round % 4];
        let at = |scale: f64| {
            let hull = |points: &[DVec3]| Convex::hull(&points.iter().map(|&p| p * scale).collect::<Vec<_>>());
            let (a, b) = (hull(&a).expect("a hull"), hull(&b).expect("a hull"));
            let pose = Pose { translation: pose.translation * scale, ..pose };
            let signed = crate::distance::penetration::signed_distance(&a, &b, &pose, &mut Tracker::default());
            assert_eq!(signed.outcome, Outcome::Converged);
            signed
        };
        let (one, other) = (at(1.0), at(scale));
        assert!(other.lower / scale <= one.upper + ORACLE && other.upper / scale >= one.lower - ORACLE);
    }
}

/// Found by fuzzing: a point 7e-10 m from a hull whose other vertices are a metre away, eleven of them within 1e-9 m of
/// each other, ended without convergence.
#[test]
fn a_point_next_to_a_cluster_of_vertices_converges() {
    let c = |byte: u8| f64::from(byte as i8) / 32.0;
    let point = Convex::hull(&[DVec3::ZERO]).unwrap();
    let mut noise = Random::new(0xd5);
    let mut corners = [[0; 3]; 14];
    corners[..3].copy_from_slice(&[[0x18, 0xfe, 0x5f], [0x28, 0x2b, 0x2d], [0x85, 0xd5, 0]]);
    let points: Vec<DVec3> =
        corners.iter().map(|&[x, y, z]| DVec3::new(c(x), c(y), c(z)) + noise.point(1.0) * 1e-9).collect();
    let cluster = Convex::hull(&points).unwrap();
    let found = distance(&point, &cluster, &Pose::IDENTITY, f64::INFINITY, &mut Tracker::default());
    println!("{found:?}");
    assert_eq!(found.outcome, Outcome::Converged, "{found:?}");
}
