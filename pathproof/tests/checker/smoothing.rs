//! The smoother: proven at every moment, endpoints kept, never longer, nearly as short as can be where that is known,
//! reproducible, and refused where the path is not free.

use crate::common::{Form, World, at, word};
use pathproof::check::{CheckScratch, Checker, Interrupt, Settings};
use pathproof::numeric::{DVec3, Pose};
use pathproof::path::Motion;
use pathproof::plan::{
    Budget, Goal, Outcome, PlanError, Planner, Problem, RrtConnect, Smoother, SmoothingEnd, Space, Stop,
    remove_redundant, smooth,
};
use pathproof::robot::JointKind;

/// A ball of radius 0.1 on two slides of 2 m, and a block about the origin.
fn block(clearance: f64, tolerance: f64) -> Checker {
    let mut world = World::new(clearance, tolerance);
    for (parent, link, axis) in [("world", "cart", DVec3::X), ("cart", "ball", DVec3::Y)] {
        world.link(parent, link, JointKind::Prismatic { axis }, Pose::IDENTITY);
        world.joints.last_mut().unwrap().limits = vec![Some((-1.0, 1.0))];
    }
    world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.1));
    world.thing("block", "world", at(0.0, 0.0, 0.0), Form::Cuboid([0.4, 0.8, 1.0]));
    world.checker()
}

fn detour() -> Vec<Vec<f64>> {
    [[-0.8, 0.0], [-0.9, 0.9], [-0.1, 0.7], [0.0, 0.95], [0.9, 0.9], [0.8, 0.0]].map(|q| q.to_vec()).to_vec()
}

fn is_proven(checker: &Checker, path: &[Vec<f64>]) -> bool {
    word(&checker.path(&Motion::lines(path), &Settings::default(), &mut CheckScratch::new(checker)).unwrap().verdict)
        == "free"
}

fn steps(steps: u64) -> Budget<'static> {
    Budget { max_steps: Some(steps), ..Budget::default() }
}

#[test]
fn a_smoothed_path_is_proven_and_nearly_as_short_as_can_be() {
    let checker = block(0.0, 1e-3);
    let path = detour();
    let smoother = Smoother { patience: None, ..Smoother::default() };
    let smoothed = smooth(&checker, &path, &smoother, 7, &steps(2_000)).unwrap();
    assert!(is_proven(&checker, &smoothed.waypoints));
    assert_eq!((&smoothed.waypoints[0], smoothed.waypoints.last()), (&path[0], path.last()));
    let space = Space::new(checker.scene(), &[]).unwrap();
    assert!((space.path_length(&path) - smoothed.length_before).abs() < 1e-12);
    assert!((space.path_length(&smoothed.waypoints) - smoothed.length).abs() < 1e-9);
    // Around the corners (±0.2, 0.4) at a distance of 0.1: two tangents, two arcs and the way between, over a range of 2 m.
    let tangent = (0.6f64.powi(2) + 0.4f64.powi(2) - 0.01).sqrt();
    let angle = std::f64::consts::FRAC_PI_2 - (0.4f64.atan2(0.6) + (0.1 / 0.6f64.hypot(0.4)).asin());
    let shortest = (2.0 * tangent + 0.4 + 2.0 * 0.1 * (std::f64::consts::FRAC_PI_2 - angle)) / 2.0;
    println!("{} of {}, shortest {shortest}", smoothed.length, smoothed.length_before);
    assert!(smoothed.length > shortest - 1e-9 && smoothed.length < 1.02 * shortest, "{} {shortest}", smoothed.length);
    assert_eq!(smoothed, smooth(&checker, &path, &smoother, 7, &steps(2_000)).unwrap());
}

/// Lengths along the path are not measured anew after a shortcut, only moved: they must stay those of the path.
#[test]
fn a_long_walk_is_smoothed_and_its_length_stays_true() {
    let checker = block(0.0, 1e-3);
    let zigzag = |i: u32| vec![-0.8 + 0.0005 * f64::from(i), 0.7 + 0.2 * f64::from(i % 2)];
    let path: Vec<Vec<f64>> = (0..3_000).map(zigzag).collect();
    let space = Space::new(checker.scene(), &[]).unwrap();
    let mut last = space.path_length(&path);
    for count in [1, 50, 400, 1_500] {
        let smoothed = smooth(&checker, &path, &Smoother::default(), 3, &steps(count)).unwrap();
        assert!(is_proven(&checker, &smoothed.waypoints));
        assert_eq!(smoothed.length, space.path_length(&smoothed.waypoints));
        assert!(smoothed.length <= last * (1.0 + 1e-9), "{count} steps: {} of {last}", smoothed.length);
        last = smoothed.length;
    }
    assert!(last < 1.01 * space.length(&path[0], &path[2_999]), "{last}: it is a straight line in the end");
}

/// At a coarse tolerance what is left of a segment may be called too close though the segment was not: such rests must be
/// checked, or the path would not be free any more.
#[test]
fn every_moment_of_smoothing_is_proven() {
    for tolerance in [1e-3, 0.05] {
        let checker = block(0.02, tolerance);
        for seed in 0..6 {
            for count in [1, 3, 10, 30, 100, 300] {
                let smoothed = smooth(&checker, &detour(), &Smoother::default(), seed, &steps(count)).unwrap();
                assert!(is_proven(&checker, &smoothed.waypoints), "tolerance {tolerance}, seed {seed}, {count} steps");
                assert!(smoothed.length <= smoothed.length_before * (1.0 + 1e-12));
            }
        }
    }
}

#[test]
fn smoothing_ends_where_it_is_told_or_gains_no_more() {
    let checker = block(0.0, 1e-3);
    let ended = |smoother: &Smoother, budget: &Budget<'_>| smooth(&checker, &detour(), smoother, 1, budget).unwrap();
    let smoothed = ended(&Smoother::default(), &steps(5));
    assert_eq!((smoothed.end, smoothed.effort.steps), (SmoothingEnd::Stopped(Stop::Steps), 5));
    let smoothed = ended(&Smoother::default(), &Budget::default());
    assert_eq!(smoothed.end, SmoothingEnd::Converged);
    let flag = std::sync::atomic::AtomicBool::new(true);
    let smoothed = ended(&Smoother::default(), &Budget { stop: Some(&flag), ..Budget::default() });
    assert_eq!((smoothed.end, smoothed.waypoints), (SmoothingEnd::Stopped(Stop::Interrupted), detour()));
}

#[test]
fn a_path_that_is_not_free_is_refused() {
    let checker = block(0.0, 1e-3);
    let through = [vec![-0.8, 0.0], vec![0.8, 0.0]];
    let refused = smooth(&checker, &through, &Smoother::default(), 1, &steps(5));
    assert!(matches!(refused, Err(PlanError::PathNotFree { verdict }) if word(&verdict) == "collision"));
    let refused = remove_redundant(&checker, &through, &Budget::default());
    assert!(matches!(refused, Err(PlanError::PathNotFree { .. })));
}

#[test]
fn redundant_waypoints_go_and_the_rest_is_proven() {
    let checker = block(0.0, 1e-3);
    let mut path: Vec<Vec<f64>> = (0..=20).map(|i| vec![-0.8, -0.9 + 0.09 * f64::from(i)]).collect();
    path.extend((1..=16).map(|i| vec![-0.8 + 0.1 * f64::from(i), 0.9]));
    let pass = remove_redundant(&checker, &path, &Budget::default()).unwrap();
    assert!(is_proven(&checker, &pass.waypoints));
    assert_eq!((&pass.waypoints[0], pass.waypoints.last()), (&path[0], path.last()));
    assert!(pass.waypoints.len() <= 4, "{:?}", pass.waypoints);
    // A path that could not be proven once more in time was called not free.
    for budget in [
        Budget { max_time: Some(std::time::Duration::ZERO), ..Budget::default() },
        Budget { interrupt: Some(Interrupt(|| true)), ..Budget::default() },
    ] {
        assert_eq!(remove_redundant(&checker, &path, &budget).unwrap().waypoints, path);
    }
}

/// A floating body turns on its way; what is cut out of the middle of an arc lies on it.
#[test]
fn floating_joints_are_smoothed() {
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "plate", JointKind::Floating, Pose::IDENTITY);
    let mut limits = vec![Some((-1.0, 1.0)); 3];
    limits.extend([None; 4]);
    world.joints.last_mut().unwrap().limits = limits;
    world.thing("plate", "plate", Pose::IDENTITY, Form::Cuboid([0.4, 0.3, 0.05]));
    world.thing("post", "world", at(0.0, 0.0, 0.0), Form::Cuboid([0.1, 0.8, 3.0]));
    let checker = world.checker();
    let [start, goal] = [vec![-0.7, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0], vec![0.7, 0.0, -0.1, 0.6, 0.0, 0.8, 0.0]];
    let problem = Problem::new(&checker, start.clone(), Goal::AnyOf(vec![goal.clone()])).unwrap();
    let Outcome::Found(planned) = RrtConnect::default().plan(&problem, 3, &steps(20_000)).unwrap() else {
        panic!("no path")
    };
    let smoothed = smooth(&checker, &planned.waypoints, &Smoother::default(), 1, &steps(300)).unwrap();
    assert!(is_proven(&checker, &smoothed.waypoints) && smoothed.shortcuts > 0);
    assert_eq!((&smoothed.waypoints[0], smoothed.waypoints.last()), (&start, Some(&goal)));
}
