use super::*;
use crate::distance::gjk::oracle::{self, Body, random_polyhedral};
use crate::numeric::Random;

fn pairs() -> usize {
    std::env::var("PATHPROOF_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(3_000)
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
