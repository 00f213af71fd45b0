use super::oracle::{Body, random_polyhedral, signed_distance};
use super::*;
use crate::numeric::Random;

/// Pairs in the large comparison; `PATHPROOF_PAIRS=100000` runs all of them.
pub(crate) fn pairs() -> usize {
    std::env::var("PATHPROOF_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(3_000)
}

/// What a distance may err by: 1e-10 of the sizes.
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
    assert!((found.direction.length() - 1.0).abs() <= 4.0 * U64, "{}", context());
    found
}

/// A pose at which the distance is about `gap`, by moving B along the direction that a first query found.
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
