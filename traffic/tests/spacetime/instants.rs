//! Bodies at one instant: distances and outlines against the sampled oracle, parts of trajectories against the whole.

use crate::common::oracle::distance;
use crate::common::{cases, random};
use pathproof::numeric::{DVec3, Pose, Random};
use pathproof::shapes::Convex;
use pathproof_traffic::{Agent, Compound, Query, Region, Traffic, TrafficScratch, Trajectory};

#[test]
fn the_distance_at_an_instant_is_that_of_the_oracle() {
    let mut random = Random::new(21);
    let mut seen = [0, 0, 0];
    for _ in 0..cases("PATHPROOF_WALKS", 1_200) {
        let [a, b] = random::pair(&mut random);
        let time = random.between(-0.2, 1.1);
        let found = a.agent("a").distance_at(&b.agent("b"), time);
        let truth = distance(&a, time, &b, time, f64::INFINITY);
        let Some(found) = found else {
            assert_eq!(truth, f64::INFINITY);
            seen[0] += 1;
            continue;
        };
        seen[if truth < 0.0 { 1 } else { 2 }] += 1;
        assert!(found.lower <= truth + 1e-9 && truth - 1e-9 <= found.upper, "{found:?}, {truth}");
        // Where they are apart the bounds meet, but for what fast bodies move while times count as equal.
        assert!(truth < 0.0 || found.upper - found.lower < 1e-5, "{found:?}");
    }
    assert!(seen.iter().all(|count| *count > 50), "{seen:?}");
}

#[test]
fn an_outline_is_where_the_body_is() {
    let mut random = Random::new(22);
    for _ in 0..300 {
        let [a, _] = random::pair(&mut random);
        let time = random.between(-0.2, 1.1);
        let (Some(seen), Some(pose)) = (a.agent("a").from_above(time), a.pose(time)) else { continue };
        let truth = a.placed(pose);
        let corners = |lists: Vec<Vec<[f64; 2]>>| lists.into_iter().flatten().collect::<Vec<_>>();
        let seen_corners = corners(seen.iter().map(|part| part.corners.clone()).collect());
        let true_corners = corners(truth.iter().map(|part| part.corners.clone()).collect());
        let near = |p: &[f64; 2], all: &[[f64; 2]]| all.iter().any(|q| (p[0] - q[0]).hypot(p[1] - q[1]) < 1e-9);
        assert!(seen_corners.iter().all(|p| near(p, &true_corners)), "{seen_corners:?} {true_corners:?}");
        assert!(true_corners.iter().all(|p| near(p, &seen_corners)), "{seen_corners:?} {true_corners:?}");
    }
}

#[test]
fn boxes_in_space_and_uncertain_sets_have_outlines_too() {
    let cube = Compound::convex(Convex::cuboid([2.0, 2.0, 2.0]).expect("valid"), Pose::from_translation(DVec3::X))
        .expect("valid");
    let path =
        Trajectory::spatial([[0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 1.0], [2.0, 4.0, 0.0, 5.0, 0.0, 0.0, 0.0, 1.0]]);
    let drone = Agent::moving("drone", cube, path.expect("valid")).expect("spatial");
    let [part] = &drone.from_above(1.0).expect("there")[..] else { panic!("one part") };
    let mut corners = part.corners.clone();
    corners.sort_by(|p, q| p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])));
    assert_eq!(corners, [[2.0, -1.0], [2.0, 1.0], [4.0, -1.0], [4.0, 1.0]]);
    assert_eq!((drone.from_above(2.1), drone.presence()), (None, Some([0.0, 2.0])));

    let set = |size: f64| Region::occupied(&Compound::rectangle(size, size).expect("valid")).expect("valid");
    let cloud = Agent::uncertain("cloud", &[0.0, 1.0], vec![set(2.0), set(4.0)]).expect("valid");
    let [part] = &cloud.from_above(0.5).expect("there")[..] else { panic!("one part") };
    let widest = part.corners.iter().map(|corner| corner[0]).fold(0.0, f64::max);
    assert!((widest - 1.5).abs() < 1e-12 && part.radius < 1e-12, "{part:?}");
}

/// What the plots of a page are made of: the smallest distance over the parts is that over the whole.
#[test]
fn parts_of_a_trajectory_are_the_same_motion() {
    let mut random = Random::new(23);
    for _ in 0..100 {
        let [a, b] = random::pair(&mut random);
        let traffic = Traffic::new(vec![b.agent("b")]).expect("planar");
        let trajectory = a.trajectory();
        let mut scratch = TrafficScratch::default();
        let query = Query::default();
        let whole = traffic.check(&a.compound, &trajectory, &query, &mut scratch).expect("good").verdict;
        let middle = trajectory.knots() / 2;
        let parts = [[0, middle], [middle, trajectory.knots() - 1]].map(|knots| trajectory.between_knots(knots));
        assert_eq!(parts[0].times()[middle], parts[1].times()[0]);
        assert_eq!(parts[0].pieces() + parts[1].pieces(), trajectory.pieces());
        let of_parts = parts.map(|part| traffic.check(&a.compound, &part, &query, &mut scratch).expect("good").verdict);
        let is_found = of_parts.iter().any(|verdict| verdict.finding().is_some());
        assert_eq!(whole.finding().is_some(), is_found, "{whole:?} {of_parts:?}");
    }
}
