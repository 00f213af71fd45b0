//! Motions whose answers are known exactly: contact to a micrometre, grazes, agents that appear and vanish, time gaps,
//! uncertain states, and numbers far from zero.

use std::f64::consts::{FRAC_PI_2, PI};

use crate::common::cases;
use pathproof::numeric::Random;
use pathproof_traffic::{
    Agent, Compound, Exactness, Finding, Limit, Method, Placement, Positions, Query, QueryError, Region, Report,
    Sampling, Traffic, TrafficScratch, Trajectory, TrajectoryTree, Verdict,
};

fn exact(tolerance: f64) -> Exactness {
    Exactness { tolerance, ..Exactness::default() }
}

fn ask(traffic: &Traffic, body: &Compound, poses: &[[f64; 4]], exactness: Exactness, time_gap: f64) -> Verdict {
    let query = Query { method: Method::Hulls(exactness), time_gap, ..Query::default() };
    let trajectory = Trajectory::planar(poses.iter().copied()).expect("valid");
    traffic.check(body, &trajectory, &query, &mut TrafficScratch::default()).expect("good").verdict
}

fn moving(compound: &Compound, poses: &[[f64; 4]]) -> Traffic {
    let trajectory = Trajectory::planar(poses.iter().copied()).expect("valid");
    Traffic::new(vec![Agent::moving("agent", compound.clone(), trajectory).expect("planar")]).expect("planar")
}

fn resting(compound: Compound) -> Traffic {
    let pose = Trajectory::planar([[0.0; 4]]).expect("valid");
    Traffic::new(vec![Agent::at_rest("wall", compound, pose).expect("planar")]).expect("planar")
}

/// A corner of a turning bar describes an arc; the hull of both end poses misses it by up to ρ(1 − cos Δθ/2).
#[test]
fn the_arc_of_a_turning_corner_counts_to_a_micrometre() {
    let bar = Compound::rectangle(4.0, 0.02).expect("valid");
    let reach = 2f64.hypot(0.01);
    for turn in [0.3, 1.0, 2.0, 3.0] {
        // The end of the bar points along y in the middle of the turn.
        let poses = [[0.0, 0.0, 0.0, FRAC_PI_2 - turn / 2.0], [1.0, 0.0, 0.0, FRAC_PI_2 + turn / 2.0]];
        for (off, is_free) in [(1e-6, true), (-1e-6, false)] {
            let wall = Compound::rectangle(10.0, 1.0).expect("valid").at(0.0, reach + off + 0.5, 0.0).expect("valid");
            let verdict = ask(&resting(wall), &bar, &poses, exact(1e-7), 0.0);
            assert_eq!(verdict == Verdict::Free, is_free, "turn {turn}, off {off}: {verdict:?}");
        }
    }
}

/// Discs that move straight come as near as the distance of a point from a line.
#[test]
fn passing_discs_are_decided_to_a_micrometre_wherever_they_pass() {
    let mut random = Random::new(4);
    for round in 0..cases("PATHPROOF_WALKS", 1_200) / 3 {
        let (r, s) = (random.between(0.1, 2.0), random.between(0.1, 2.0));
        let heading = random.between(-PI, PI);
        let far = [0.0, 1e3, 1e6][round % 3];
        let off = [1e-5, -1e-5][round % 2];
        let (c, n) = (heading.cos(), heading.sin());
        let place = |along: f64, across: f64| [far + c * along - n * across, far + n * along + c * across];
        let [a, b] = [place(-7.0, r + s + off), place(9.0, r + s + off)];
        let middle = place(random.between(-3.0, 3.0), 0.0);
        let traffic = resting(Compound::disc(s).expect("valid").at(middle[0], middle[1], 0.3).expect("valid"));
        let poses = [[0.0, a[0], a[1], 0.0], [1.3, b[0], b[1], 2.0]];
        let verdict = ask(&traffic, &Compound::disc(r).expect("valid"), &poses, exact(1e-6), 0.0);
        assert_eq!(verdict == Verdict::Free, off > 0.0, "{verdict:?} {round}");
    }
}

#[test]
fn a_graze_is_too_close_with_a_tolerance_and_undecided_without() {
    let square = Compound::rectangle(1.0, 1.0).expect("valid");
    let wall = || resting(Compound::rectangle(20.0, 1.0).expect("valid").at(0.0, 1.0, 0.0).expect("valid"));
    let sliding = [[0.0, -3.0, 0.0, 0.0], [1.0, 3.0, 0.0, 0.0]];
    assert!(
        matches!(ask(&wall(), &square, &sliding, exact(1e-3), 0.0), Verdict::TooClose(found) if found.distance < 1e-6)
    );
    let verdict = ask(&wall(), &square, &sliding, exact(0.0), 0.0);
    assert!(matches!(verdict, Verdict::Undecided(open) if open.limit == Limit::Resolution), "{verdict:?}");
    let few = Exactness { most_queries: 10, ..exact(0.0) };
    let verdict = ask(&wall(), &square, &sliding, few, 0.0);
    assert!(matches!(verdict, Verdict::Undecided(open) if open.limit == Limit::Queries), "{verdict:?}");
    // A hair apart: proven at once, however small the tolerance.
    let apart = [[0.0, -3.0, -1e-6, 0.0], [1.0, 3.0, -1e-6, 0.0]];
    assert_eq!(ask(&wall(), &square, &apart, exact(0.0), 0.0), Verdict::Free);
}

#[test]
fn a_clearance_counts_and_a_body_inside_another_collides() {
    let square = Compound::rectangle(1.0, 1.0).expect("valid");
    let wall = || resting(Compound::rectangle(20.0, 1.0).expect("valid").at(0.0, 2.0, 0.0).expect("valid"));
    let poses = [[0.0, -3.0, 0.0, 0.0], [1.0, 3.0, 0.0, 0.0]];
    for (clearance, is_free) in [(0.9, true), (0.999, true), (1.0001, false), (2.0, false)] {
        let verdict = ask(&wall(), &square, &poses, Exactness { clearance, ..exact(1e-4) }, 0.0);
        assert_eq!(verdict == Verdict::Free, is_free, "{clearance}: {verdict:?}");
        assert!(is_free || matches!(verdict, Verdict::TooClose(found) if found.distance <= clearance + 1e-4));
    }
    // Discs that are 3 m apart at their nearest.
    let disc = Compound::disc(1.0).expect("valid");
    let post = moving(&disc, &[[0.0, 0.0, 5.0, 0.0], [1.0, 0.0, 5.0, 0.0]]);
    for (clearance, is_free) in [(2.99, true), (3.1, false), (50.0, false)] {
        let verdict = ask(&post, &disc, &poses, Exactness { clearance, ..exact(1e-4) }, 0.0);
        assert_eq!(verdict == Verdict::Free, is_free, "{clearance}: {verdict:?}");
    }
    let hall = resting(Compound::rectangle(20.0, 20.0).expect("valid"));
    let verdict = ask(&hall, &square, &[[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 2.0]], exact(1e-3), 0.0);
    assert!(matches!(verdict, Verdict::Collision(found) if found.distance < -8.0), "{verdict:?}");
}

#[test]
fn agents_count_from_their_first_pose_to_their_last_both_included() {
    let square = Compound::rectangle(1.0, 1.0).expect("valid");
    let traffic = moving(&square, &[[2.0, 0.0, 0.0, 0.0], [3.0, 0.0, 0.0, 0.0]]);
    let stay = |from: f64, to: f64| [[from, 0.2, 0.0, 0.0], [to, 0.2, 0.0, 0.0]];
    for (from, to, is_free) in
        [(0.0, 1.9, true), (3.1, 5.0, true), (0.0, 2.0, false), (3.0, 5.0, false), (2.4, 2.6, false), (0.0, 9.0, false)]
    {
        let verdict = ask(&traffic, &square, &stay(from, to), exact(1e-3), 0.0);
        assert_eq!(verdict == Verdict::Free, is_free, "{from} to {to}: {verdict:?}");
        if let Some(found) = verdict.finding() {
            assert!((2.0..=3.0).contains(&found.time), "{found:?}");
        }
    }
    // Single poses: a body that is there for an instant, and an agent.
    for (t, is_free) in [(1.0, true), (2.0, false), (2.5, false), (3.0, false), (3.1, true)] {
        assert_eq!(ask(&traffic, &square, &[[t, 0.2, 0.0, 0.0]], exact(1e-3), 0.0) == Verdict::Free, is_free, "{t}");
        let instant = moving(&square, &[[t, 0.2, 0.0, 0.0]]);
        assert_eq!(ask(&instant, &square, &stay(2.0, 3.0), exact(1e-3), 0.0) == Verdict::Free, is_free, "{t}");
    }
}

/// Regression: on the grid of a longer trajectory the slot that begins where an agent vanishes held no box of it, so that a
/// body that starts at that instant did not meet it.
#[test]
fn a_body_that_starts_when_an_agent_vanishes_meets_it_on_a_common_grid() {
    let square = Compound::rectangle(1.0, 1.0).expect("valid");
    let stay = |from: usize, to: usize, x: f64| {
        Trajectory::planar((from..=to).map(|k| [k as f64, x, 0.0, 0.0])).expect("valid")
    };
    let agents = [stay(0, 20, 90.0), stay(5, 9, 0.0)];
    let agents = agents.map(|trajectory| Agent::moving("agent", square.clone(), trajectory).expect("planar"));
    let traffic = Traffic::new(agents.to_vec()).expect("planar");
    for (from, to, is_free) in [(9, 15, false), (0, 5, false), (10, 15, true), (0, 4, true)] {
        let poses: Vec<[f64; 4]> = (from..=to).map(|k| [k as f64, 0.2, 0.0, 0.0]).collect();
        assert_eq!(ask(&traffic, &square, &poses, exact(1e-3), 0.0) == Verdict::Free, is_free, "{from} to {to}");
    }
}

/// One car follows another at 10 m/s, 25 m behind, both 5 m long: the follower's front is where the leader's rear was 2 s
/// ago.
#[test]
fn the_time_gap_of_a_follower_is_known_and_monotone() {
    let car = Compound::rectangle(5.0, 2.0).expect("valid");
    let go = |from: f64| (0..20).map(|k| [0.5 * k as f64, from + 5.0 * k as f64, 0.0, 0.0]).collect::<Vec<_>>();
    let traffic = moving(&car, &go(25.0));
    let mut was_free = true;
    for step in 0..40 {
        let gap = 0.1 * step as f64;
        let verdict = ask(&traffic, &car, &go(0.0), exact(1e-3), gap);
        // The leader's body is over a point for as long as it is long: 20 m behind its rear is 2 s.
        assert_eq!(verdict == Verdict::Free, gap < 1.9999, "gap {gap}: {verdict:?}");
        assert!(was_free || verdict != Verdict::Free, "not monotone at {gap}");
        was_free = verdict == Verdict::Free;
        if let Some(Finding { time, agent_time, .. }) = verdict.finding() {
            assert!((time - agent_time).abs() <= gap + 1e-9 && time > agent_time, "{verdict:?}");
        }
    }
    // A time gap from an agent at rest is none: it is there at all times.
    let still = resting(car.clone().at(200.0, 0.0, 0.0).expect("valid"));
    assert_eq!(ask(&still, &car, &go(0.0), exact(1e-3), 5.0), Verdict::Free);
}

/// Both go from one pose to the next in one piece, the agent 5 m ahead and both 2 m long: at equal times they are 3 m apart,
/// and the follower's front is where the leader's rear was 0.3 s before.
#[test]
fn a_time_gap_compares_the_end_of_a_piece_with_the_start_of_another() {
    for car in [Compound::rectangle(2.0, 1.0).expect("valid"), Compound::disc(1.0).expect("valid")] {
        let go = |from: f64| [[0.0, from, 0.0, 0.0], [1.0, from + 10.0, 0.0, 0.0]];
        for (gap, is_free) in [(0.0, true), (0.29, true), (0.31, false), (0.9, false), (2.0, false)] {
            let verdict = ask(&moving(&car, &go(5.0)), &car, &go(0.0), exact(1e-3), gap);
            assert_eq!(verdict == Verdict::Free, is_free, "{gap}: {verdict:?}");
            // Asked the other way round, the leader is earlier at every place.
            let verdict = ask(&moving(&car, &go(0.0)), &car, &go(5.0), exact(1e-3), gap);
            assert_eq!(verdict == Verdict::Free, is_free, "{gap}: {verdict:?}");
        }
    }
}

/// The same arc as above, of an agent whose states are regions that happen to be exact.
#[test]
fn the_arc_between_two_regions_counts() {
    let bar = Compound::rectangle(4.0, 0.02).expect("valid");
    for turn in [0.5, 1.0, 2.0] {
        let region =
            |heading: f64| Region::uncertain(&bar, Positions::Point([0.0, 0.0]), [heading, heading]).expect("valid");
        let regions = vec![region(FRAC_PI_2 - turn / 2.0), region(FRAC_PI_2 + turn / 2.0)];
        let traffic =
            Traffic::new(vec![Agent::uncertain("bar", &[0.0, 1.0], regions).expect("two each")]).expect("planar");
        let post = Compound::disc(0.01).expect("valid");
        let stay = |y: f64| [[0.0, 0.0, y, 0.0], [1.0, 0.0, y, 0.0]];
        assert_ne!(ask(&traffic, &post, &stay(2.0), exact(1e-4), 0.0), Verdict::Free, "turn {turn}");
        assert_eq!(ask(&traffic, &post, &stay(2.7), exact(1e-4), 0.0), Verdict::Free, "turn {turn}");
    }
}

/// An agent that is somewhere in a rectangle that is turned, at a heading of an interval.
#[test]
fn regions_hold_every_motion_from_state_to_state() {
    let mut random = Random::new(12);
    let (mut free, mut hits) = (0, 0);
    for round in 0..cases("PATHPROOF_WALKS", 1_200) / 10 {
        let (length, width) = (random.between(1.0, 5.0), random.between(0.1, 2.0));
        let body = Compound::rectangle(length, width).expect("valid");
        let states: Vec<[f64; 7]> = (0..3)
            .map(|_| {
                let at = [random.between(-6.0, 6.0), random.between(-6.0, 6.0)];
                let heading = random.between(-1.5, 1.5);
                [
                    at[0],
                    at[1],
                    random.between(0.1, 2.0),
                    random.between(0.1, 1.0),
                    random.between(-3.0, 3.0),
                    heading,
                    random.between(0.0, 0.6),
                ]
            })
            .collect();
        let region = |&[x, y, l, w, turned, heading, interval]: &[f64; 7]| {
            let positions = Compound::rectangle(l, w).expect("valid").at(x, y, turned).expect("valid");
            Region::uncertain(&body, Positions::Within(&positions), [heading, heading + interval]).expect("valid")
        };
        let regions = states.iter().map(region).collect();
        let agent = Agent::uncertain("agent", &[0.0, 1.0, 2.0], regions).expect("as many times");
        let traffic = Traffic::new(vec![agent]).expect("planar");
        let ego = Compound::disc(0.3).expect("valid");
        let poses = [
            [0.0, random.between(-5.0, 5.0), random.between(-5.0, 5.0), 0.0],
            [2.0, random.between(-5.0, 5.0), random.between(-5.0, 5.0), 0.0],
        ];
        let verdict = ask(&traffic, &ego, &poses, exact(1e-3), 0.0);
        match verdict {
            Verdict::Free => free += 1,
            Verdict::Collision(found) | Verdict::TooClose(found) => {
                assert!(found.is_uncertain);
                hits += 1;
                continue;
            }
            _ => panic!("{verdict:?}"),
        }
        // Every realisation, at constant rates, must be free too.
        for _ in 0..60 {
            let realised: Vec<[f64; 4]> = states
                .iter()
                .enumerate()
                .map(|(k, &[x, y, l, w, turned, heading, interval])| {
                    let extreme = |random: &mut Random| [-0.5, 0.5, random.between(-0.5, 0.5)][random.below(3)];
                    let (u, v) = (extreme(&mut random) * l, extreme(&mut random) * w);
                    let (s, c) = turned.sin_cos();
                    let share = [0.0, 1.0, random.unit()][random.below(3)];
                    [k as f64, x + c * u - s * v, y + s * u + c * v, heading + share * interval]
                })
                .collect();
            let verdict = ask(&moving(&body, &realised), &ego, &poses, exact(1e-9), 0.0);
            assert_eq!(verdict, Verdict::Free, "round {round}: {realised:?} {states:?} {poses:?}");
        }
    }
    assert!(free > 20 && hits > 20, "{free} free, {hits} not");
}

#[test]
fn large_times_and_coordinates_only_widen_margins() {
    let car = Compound::rectangle(4.0, 2.0).expect("valid");
    for (epoch, far) in [(0.0, 0.0), (1.7e9, 0.0), (0.0, 5e6), (1.7e9, 5e6)] {
        let go = |y: f64, v: f64| {
            (0..50).map(|k| [epoch + 0.1 * k as f64, far + v * k as f64, far + y, 0.01 * k as f64]).collect::<Vec<_>>()
        };
        let apart = moving(&car, &go(6.0, 1.0));
        assert_eq!(ask(&apart, &car, &go(0.0, 1.0), exact(1e-3), 0.0), Verdict::Free, "{epoch} {far}");
        let near = moving(&car, &go(1.9, 1.0));
        assert!(ask(&near, &car, &go(0.0, 1.0), exact(1e-3), 0.0).is_collision(), "{epoch} {far}");
    }
}

/// Far from the origin numbers are a grid. The agent's true way lies between two of its lines, less than a twentieth of a
/// step inside of contact; rounded to the grid it is outside.
#[test]
fn an_overlap_below_the_rounding_of_positions_is_never_free() {
    for far in [65_536.0, 8_388_608.0, 1_073_741_824.0] {
        let step = f64::EPSILON * far;
        let width = 1.0 + 0.95 * step;
        let square = Compound::rectangle(1.0, width).expect("valid");
        for (from, to) in [(6.0, 9.0), (5.5, 9.4), (6.0, 7.0)] {
            let agent = moving(&square, &[[0.0, far, far + 1.0, 0.0], [10.0, far, far + 1.0 + step, 0.0]]);
            // In truth at most 0.94 steps above far + 1: the bodies overlap by a hundredth of a step at least.
            let body = [[from, far, far, 0.0], [to, far, far, 0.0]];
            for gap in [0.0, 1e-3] {
                let verdict = ask(&agent, &square, &body, Exactness { most_queries: 40, ..exact(0.0) }, gap);
                assert_ne!(verdict, Verdict::Free, "far {far}, from {from} to {to}, gap {gap}");
            }
        }
    }
}

#[test]
fn bad_settings_and_mixed_workspaces_are_refused() {
    let car = Compound::rectangle(4.0, 2.0).expect("valid");
    let traffic = moving(&car, &[[0.0; 4]]);
    let poses = Trajectory::planar([[0.0; 4]]).expect("valid");
    let mut scratch = TrafficScratch::default();
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        for query in [
            Query { time_gap: bad, ..Query::default() },
            Query { method: Method::Hulls(exact(bad)), ..Query::default() },
            Query { method: Method::Hulls(Exactness { clearance: bad, ..Exactness::default() }), ..Query::default() },
        ] {
            assert!(matches!(traffic.check(&car, &poses, &query, &mut scratch), Err(QueryError::BadSetting { .. })));
        }
    }
    let ball = pathproof::shapes::Convex::sphere(1.0).expect("valid");
    let ball = Compound::convex(ball, pathproof::numeric::Pose::IDENTITY).expect("rigid");
    let spatial = Trajectory::spatial([[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]).expect("valid");
    let refused = traffic.check(&ball, &spatial, &Query::default(), &mut scratch);
    assert_eq!(refused, Err(QueryError::MixedWorkspaces));
    assert!(Agent::moving("x", ball.clone(), poses).is_err());
    let agents = vec![
        Agent::at_rest("a", car, Trajectory::planar([[0.0; 4]]).expect("valid")).expect("planar"),
        Agent::at_rest("b", ball, spatial).expect("spatial"),
    ];
    assert!(Traffic::new(agents).is_err());
}

/// Regions have a place per knot of their own agent. As the shape of another body they were taken without their times, and
/// not turned by a placement.
#[test]
fn regions_of_an_agent_are_no_shape_for_another_body() {
    let car = Compound::rectangle(4.0, 2.0).expect("valid");
    let region = Region::uncertain(&car, Positions::Point([0.0, 0.0]), [0.0, 0.1]).expect("valid");
    let agent = Agent::uncertain("unsure", &[0.0, 1.0], vec![region.clone(), region]).expect("valid");
    let regions = agent.compound().clone();
    let poses = Trajectory::planar((0..5).map(|k| [f64::from(k), 0.0, 0.0, 0.0])).expect("valid");
    assert!(Agent::moving("x", regions.clone(), poses.clone()).is_err());
    assert!(Agent::at_rest("x", regions.clone(), poses.clone()).is_err());
    assert!(TrajectoryTree::new(std::sync::Arc::new(regions.clone()), poses.clone()).is_err());
    assert!(Compound::union([regions.clone(), car.clone()]).is_err());
    let traffic = Traffic::new(vec![agent]).expect("planar");
    let mut scratch = TrafficScratch::default();
    assert_eq!(traffic.check(&regions, &poses, &Query::default(), &mut scratch), Err(QueryError::Regions));
    assert!(traffic.check_agent(0, &Query::default(), &mut scratch).is_ok());
}

/// A rotation that is off by less than 1e-12 is taken for the nearest true one: it once shrank the body by as much.
#[test]
fn a_placement_that_is_not_quite_rigid_does_not_shrink_the_body() {
    let car = std::sync::Arc::new(Compound::rectangle(4.0, 2.0).expect("valid"));
    let tree = TrajectoryTree::new(car, Trajectory::planar([[0.0; 4]]).expect("valid")).expect("planar");
    let disc = Compound::disc(1.0).expect("valid").at(3.0 - 2e-13, 0.0, 0.0).expect("valid");
    let traffic = resting(disc);
    let mut off = pathproof::numeric::Pose::IDENTITY;
    off.rotation.x_axis *= 1.0 - 4.9e-13;
    off.rotation.y_axis *= 1.0 - 4.9e-13;
    let placement = Placement::at(off, 0.0).expect("rigid to 1e-12");
    let answer = traffic.check_tree(&tree, &placement, &Query::default(), &mut TrafficScratch::default());
    assert_ne!(answer.expect("good").verdict, Verdict::Free);
    off.rotation.x_axis *= 0.9;
    assert!(Placement::at(off, 0.0).is_err());
}

/// "They never pass through the same place" is proven or not said; an overlap is a distance of 0 from both sides.
#[test]
fn smallest_distance_and_time_gap_claim_no_more_than_is_proven() {
    let disc = Compound::disc(1.0).expect("valid");
    let line = |y: f64| [[0.0, -10.0, y, 0.0], [1.0, 10.0, y, 0.0]];
    let body = Trajectory::planar(line(0.0)).expect("valid");
    let mut scratch = TrafficScratch::default();
    // They graze along their whole way, at any time gap, and no tolerance lets them be found.
    let traffic = moving(&disc, &line(2.0));
    let gap = traffic.smallest_time_gap(&disc, &body, [1e-3, 0.0], &mut scratch).expect("good").expect("not proven");
    assert_eq!((gap.lower, gap.upper, gap.finding), (0.0, f64::INFINITY, None));
    let traffic = moving(&disc, &line(2.5));
    assert_eq!(traffic.smallest_time_gap(&disc, &body, [1e-3, 1e-3], &mut scratch), Ok(None));
    let traffic = moving(&disc, &line(1.5));
    let near = traffic.smallest_distance(&disc, &body, 1e-3, &mut scratch).expect("good").expect("there");
    assert_eq!((near.lower, near.upper), (0.0, 0.0));
    assert!(near.finding.distance < -0.4, "{near:?}");
}

#[test]
fn a_million_poses_are_handled_by_every_method() {
    let car = Compound::rectangle(4.0, 2.0).expect("valid");
    let long = |y: f64| {
        Trajectory::planar((0..1_000_000).map(move |k| [0.01 * k as f64, 0.1 * k as f64, y, 0.0])).expect("valid")
    };
    let agent = Agent::moving("long", car.clone(), long(3.0)).expect("planar");
    let traffic = Traffic::new(vec![agent]).expect("planar");
    let mut scratch = TrafficScratch::default();
    let sampled = [
        Method::Naive(Sampling::Interpolated),
        Method::Isolated(Sampling::Interpolated),
        Method::Trees(Sampling::Interpolated),
    ];
    for method in sampled.into_iter().chain([Method::Hulls(Exactness::default())]) {
        let query = Query { method, ..Query::default() };
        let verdict = traffic.check(&car, &long(0.0), &query, &mut scratch).expect("good").verdict;
        assert!(matches!(verdict, Verdict::Free | Verdict::NoneFound), "{verdict:?}");
        let query = Query { method, report: Report::First, ..Query::default() };
        let verdict = traffic.check(&car, &long(1.5), &query, &mut scratch).expect("good").verdict;
        assert!(verdict.finding().is_some_and(|found| found.time == 0.0), "{verdict:?}");
    }
}
