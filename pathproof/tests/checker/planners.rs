//! The contract that every planner passes: the path starts and ends where asked, every segment is proven (`sbl`: tested at
//! its step, and says so), limits hold, the same seed gives the same path, an impossible problem ends in its budget, planar
//! and floating joints work, several robots plan together.

use crate::common::{Form, World, at, word};
use pathproof::check::{CheckError, CheckScratch, Checker, Interrupt, Sampled, Settings};
use pathproof::numeric::{DVec3, Pose};
use pathproof::path::Motion;
use pathproof::plan::{
    Budget, EdgeTest, Evidence, Goal, HalfSpace, Outcome, PlanError, Planned, Planner, Problem, RandomWalk, Region,
    RrtConnect, Sbl, Space, Stop,
};
use pathproof::robot::{JointKind, MotionError};

const STEP: f64 = 0.01;

fn planners() -> [Box<dyn Planner>; 6] {
    let sbl = Sbl { edge_test: EdgeTest::Fixed { step: STEP }, ..Sbl::default() };
    // These test edges as they are made, from the first one on.
    let [eager_exact, eager_fixed] = [Sbl::default(), sbl].map(|lazy| Sbl { patience: 0, ..lazy });
    [
        Box::new(Sbl::default()),
        Box::new(sbl),
        Box::new(eager_exact),
        Box::new(eager_fixed),
        Box::new(RrtConnect::default()),
        Box::new(RandomWalk::default()),
    ]
}

/// A world with a start, a goal, and the region x > 0.4 for planners that take one.
struct Case {
    name: &'static str,
    checker: Checker,
    start: Vec<f64>,
    goal: Vec<f64>,
    movers: Vec<usize>,
}

/// Walls of 0.02 m across x = 0 that leave a gap of `gap` about y = `middle`.
fn wall(world: &mut World, gap: f64, middle: f64) {
    for (name, low, high) in [("left", -1.2, middle - gap / 2.0), ("right", middle + gap / 2.0, 1.2)] {
        world.thing(name, "world", at(0.0, (low + high) / 2.0, 0.0), Form::Cuboid([0.02, high - low, 2.0]));
    }
}

fn limited(world: &mut World, limits: &[(f64, f64)]) {
    let joint = world.joints.last_mut().expect("a joint");
    joint.limits = limits.iter().map(|limits| Some(*limits)).collect();
}

fn slide(world: &mut World, parent: &str, link: &str, axis: DVec3) {
    world.link(parent, link, JointKind::Prismatic { axis }, Pose::IDENTITY);
    limited(world, &[(-1.0, 1.0)]);
}

/// A ball on two slides before a wall with a gap at its end.
fn sliding(gap: f64, clearance: f64) -> Case {
    sliding_within(gap, clearance, 1e-3)
}

fn sliding_within(gap: f64, clearance: f64, tolerance: f64) -> Case {
    let mut world = World::new(clearance, tolerance);
    slide(&mut world, "world", "cart", DVec3::X);
    slide(&mut world, "cart", "ball", DVec3::Y);
    let ball = world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.1));
    wall(&mut world, gap, 0.7);
    Case {
        name: "slides",
        checker: world.checker(),
        start: vec![-0.6, -0.5],
        goal: vec![0.6, -0.5],
        movers: vec![ball],
    }
}

/// A bar on a planar joint that fits through the gap lengthwise only.
fn planar() -> Case {
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "bar", JointKind::Planar { axis: DVec3::Z }, Pose::IDENTITY);
    limited(&mut world, &[(-1.0, 1.0), (-1.0, 1.0), (-3.2, 3.2)]);
    let bar = world.thing("bar", "bar", Pose::IDENTITY, Form::Cuboid([0.5, 0.1, 0.1]));
    wall(&mut world, 0.4, 0.0);
    let [start, goal] = [vec![-0.6, 0.3, 1.5], vec![0.7, 0.3, 1.5]];
    Case { name: "planar", checker: world.checker(), start, goal, movers: vec![bar] }
}

/// A plate that floats through the gap.
fn floating() -> Case {
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "plate", JointKind::Floating, Pose::IDENTITY);
    let mut limits = vec![Some((-1.0, 1.0)); 3];
    limits.extend([None; 4]);
    world.joints.last_mut().expect("a joint").limits = limits;
    let plate = world.thing("plate", "plate", Pose::IDENTITY, Form::Cuboid([0.4, 0.3, 0.05]));
    wall(&mut world, 0.5, 0.2);
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let start = vec![-0.7, -0.4, 0.1, 0.0, 0.0, 0.0, 1.0];
    let goal = vec![0.7, -0.4, -0.1, 0.0, 0.0, half, half];
    Case { name: "floating", checker: world.checker(), start, goal, movers: vec![plate] }
}

/// Two balls that change places.
fn two_robots() -> Case {
    let mut world = World::new(0.0, 1e-3);
    let mut movers = Vec::new();
    for robot in ["a", "b"] {
        slide(&mut world, "world", &format!("{robot} cart"), DVec3::X);
        slide(&mut world, &format!("{robot} cart"), robot, DVec3::Y);
        movers.push(world.thing(robot, robot, Pose::IDENTITY, Form::Ball(0.15)));
    }
    // Only one of them for the walk: both cannot help being on the same side otherwise.
    movers.truncate(1);
    let [start, goal] = [vec![-0.6, 0.0, 0.6, 0.0], vec![0.6, 0.0, -0.6, 0.0]];
    Case { name: "two robots", checker: world.checker(), start, goal, movers }
}

impl Case {
    fn region(&self) -> Goal {
        let half_space = HalfSpace { bodies: self.movers.clone(), normal: -DVec3::X, offset: -0.4 };
        Goal::Inside(Region { half_spaces: vec![half_space] })
    }

    /// What each planner takes: a walk the region, the others the configuration.
    fn problem(&self, planner: &dyn Planner) -> Problem<'_> {
        let is_walk = planner.name() == "random-walk";
        let goal = if is_walk { self.region() } else { Goal::AnyOf(vec![self.goal.clone()]) };
        Problem::new(&self.checker, self.start.clone(), goal).expect("free ends")
    }
}

const STEPS: u64 = 40_000;

fn plan(planner: &dyn Planner, problem: &Problem<'_>, seed: u64) -> Planned {
    let budget = Budget { max_steps: Some(STEPS), ..Budget::default() };
    match planner.plan(problem, seed, &budget).expect("a problem it takes") {
        Outcome::Found(planned) => planned,
        Outcome::NotFound(shortfall) => panic!("{}: {shortfall:?}", planner.name()),
    }
}

/// Whether all of a path is proven by a checker that knows nothing of the planner.
fn is_proven(checker: &Checker, path: &[Vec<f64>]) -> bool {
    word(&checker.path(&Motion::lines(path), &Settings::default(), &mut CheckScratch::new(checker)).unwrap().verdict)
        == "free"
}

/// Whether no configuration is in contact of those that are closer together than the step.
fn is_tested(checker: &Checker, path: &[Vec<f64>], step: f64) -> bool {
    let mut scratch = CheckScratch::new(checker);
    let space = Space::new(checker.scene(), &[]).expect("limits");
    path.windows(2).all(|ends| {
        let length = space.distance(&ends[0], &ends[1]);
        let levels = (0..30).find(|level| length / f64::from(1 << level) < step);
        matches!(checker.sample(&ends[0], &ends[1], levels, &mut scratch), Ok((Sampled::NoneFound, _)))
    })
}

fn assert_contract(case: &Case, planner: &dyn Planner, planned: &Planned) {
    let name = format!("{} in {}", planner.name(), case.name);
    let path = &planned.waypoints;
    assert!(path.len() >= 2, "{name}");
    assert_eq!(path[0], case.start, "{name}");
    let last = &path[path.len() - 1];
    match planner.name() {
        "random-walk" => assert!(last[0] > 0.4, "{name} ends at {last:?}"),
        _ => assert_eq!(*last, case.goal, "{name}"),
    }
    for q in path {
        assert_eq!(case.checker.scene().limit_violation(q), None, "{name}");
    }
    match planned.evidence {
        Evidence::Proven => assert!(is_proven(&case.checker, path), "{name}"),
        Evidence::Sampled { step } => {
            assert_eq!((planner.name(), step), ("sbl", STEP));
            assert!(is_tested(&case.checker, path, step), "{name}");
        }
    }
    assert!(planned.effort.segments > 0 && planned.effort.milestones >= path.len(), "{name}: {:?}", planned.effort);
}

#[test]
fn every_planner_keeps_the_contract() {
    for case in [sliding(0.4, 0.0), sliding(0.5, 0.05), planar(), floating(), two_robots()] {
        for planner in planners() {
            let problem = case.problem(&*planner);
            for seed in 0..3 {
                let planned = plan(&*planner, &problem, seed);
                assert_contract(&case, &*planner, &planned);
            }
            assert_eq!(plan(&*planner, &problem, 1), plan(&*planner, &problem, 1), "{} {}", planner.name(), case.name);
        }
    }
}

#[test]
fn an_impossible_problem_ends_in_its_budget() {
    let case = sliding(0.1, 0.0);
    for planner in planners() {
        let budget = Budget { max_steps: Some(400), ..Budget::default() };
        let Ok(Outcome::NotFound(shortfall)) = planner.plan(&case.problem(&*planner), 5, &budget) else {
            panic!("{} went through a wall", planner.name())
        };
        assert_eq!((shortfall.stop, shortfall.effort.steps), (Stop::Steps, 400), "{}", planner.name());
        assert!(shortfall.nearest > 0.0 && shortfall.nearest < 1.5, "{}: {shortfall:?}", planner.name());
        let now = Budget { max_time: Some(std::time::Duration::ZERO), ..Budget::default() };
        assert!(matches!(planner.plan(&case.problem(&*planner), 5, &now), Ok(Outcome::NotFound(_))));
        let flag = std::sync::atomic::AtomicBool::new(true);
        let stopped = Budget { stop: Some(&flag), ..Budget::default() };
        let outcome = planner.plan(&case.problem(&*planner), 5, &stopped);
        assert!(matches!(outcome, Ok(Outcome::NotFound(s)) if s.stop == Stop::Interrupted), "{}", planner.name());
    }
}

/// At a coarse tolerance a segment may be free and its reverse too close: whoever checks the path must find it free as it is.
#[test]
fn paths_are_proven_in_their_own_direction() {
    let case = sliding_within(0.5, 0.0, 0.1);
    for planner in planners().iter().filter(|planner| planner.name() != "sbl") {
        let problem = case.problem(&**planner);
        for seed in 0..40 {
            let planned = plan(&**planner, &problem, seed);
            assert!(is_proven(&case.checker, &planned.waypoints), "{}, seed {seed}", planner.name());
        }
    }
}

/// With a clearance of 45 mm the gap of 0.2 m is just too narrow for a ball of radius 0.1; without one it is not.
#[test]
fn clearance_closes_a_gap() {
    let budget = Budget { max_steps: Some(1_500), ..Budget::default() };
    for planner in planners().iter().filter(|planner| planner.name() != "sbl") {
        let case = sliding(0.28, 0.045);
        let outcome = planner.plan(&case.problem(&**planner), 3, &budget).unwrap();
        assert!(matches!(outcome, Outcome::NotFound(_)), "{}", planner.name());
        let case = sliding(0.28, 0.0);
        assert_contract(&case, &**planner, &plan(&**planner, &case.problem(&**planner), 3));
    }
}

#[test]
fn any_of_several_goals_will_do_and_those_in_collision_are_left_out() {
    let case = sliding(0.4, 0.0);
    let goals = vec![vec![0.0, 0.0], vec![0.6, -0.5], vec![0.5, 0.5]];
    let problem = Problem::new(&case.checker, case.start.clone(), Goal::AnyOf(goals.clone())).unwrap();
    assert_eq!(problem.goal(), &Goal::AnyOf(goals[1..].to_vec()));
    for planner in planners().iter().filter(|planner| planner.name() != "random-walk") {
        let planned = plan(&**planner, &problem, 4);
        assert!(goals[1..].contains(planned.waypoints.last().unwrap()), "{}", planner.name());
    }
}

#[test]
fn a_region_is_reached_by_roots_drawn_in_it_or_by_a_walk() {
    let case = sliding(0.4, 0.0);
    let problem = Problem::new(&case.checker, case.start.clone(), case.region()).unwrap();
    for planner in planners() {
        let planned = plan(&*planner, &problem, 2);
        assert!(planned.waypoints.last().unwrap()[0] > 0.5, "{}: all of the ball", planner.name());
    }
    // Nowhere free and inside: the ball does not get there.
    let far = HalfSpace { bodies: case.movers.clone(), normal: -DVec3::X, offset: -3.0 };
    let far = Goal::Inside(Region { half_spaces: vec![far] });
    let problem = Problem::new(&case.checker, case.start.clone(), far).unwrap();
    assert!(matches!(Sbl::default().plan(&problem, 1, &Budget::default()), Err(PlanError::NoRoot { .. })));
    let goal = Goal::AnyOf(vec![case.goal.clone()]);
    let problem = Problem::new(&case.checker, case.start.clone(), goal).unwrap();
    assert_eq!(RandomWalk::default().plan(&problem, 1, &Budget::default()), Err(PlanError::NeedsRegion));
}

/// It was said that "of 0 configurations drawn none is free", as if the region were empty.
#[test]
fn a_budget_that_ends_the_drawing_of_goals_is_what_ended_the_search() {
    let case = sliding(0.4, 0.0);
    let problem = Problem::new(&case.checker, case.start.clone(), case.region()).unwrap();
    let flag = std::sync::atomic::AtomicBool::new(true);
    for planner in planners() {
        for (budget, stop) in [
            (Budget { max_time: Some(std::time::Duration::ZERO), ..Budget::default() }, Stop::Time),
            (Budget { max_steps: Some(0), ..Budget::default() }, Stop::Steps),
            (Budget { stop: Some(&flag), ..Budget::default() }, Stop::Interrupted),
            (Budget { interrupt: Some(Interrupt(|| true)), ..Budget::default() }, Stop::Interrupted),
        ] {
            let outcome = planner.plan(&problem, 1, &budget);
            assert!(matches!(outcome, Ok(Outcome::NotFound(s)) if s.stop == stop), "{}: {outcome:?}", planner.name());
        }
    }
}

/// The walk said that its steps were used up, of which there was no limit, and trees drew thousands of configurations.
#[test]
fn a_region_that_asks_for_what_stays_in_its_position_is_refused() {
    let mut world = World::new(0.0, 1e-3);
    slide(&mut world, "world", "cart", DVec3::X);
    slide(&mut world, "world", "parked", DVec3::X);
    let bodies = ["cart", "parked"].map(|link| world.thing(link, link, Pose::IDENTITY, Form::Ball(0.1))).to_vec();
    world.positions = vec![(1, 0.6)];
    let checker = world.checker();
    let problem = |offset: f64| {
        let half_space = HalfSpace { bodies: bodies.clone(), normal: -DVec3::X, offset: -offset };
        Problem::new(&checker, vec![-0.6, 0.6], Goal::Inside(Region { half_spaces: vec![half_space] }))
    };
    assert_eq!(problem(0.55).err(), Some(PlanError::StuckOutside { body: "parked".into() }));
    // The one that stays is inside already, and the other one may come.
    let planned = plan(&RandomWalk::default(), &problem(0.1).unwrap(), 1);
    assert!(planned.waypoints.last().unwrap()[0] > 0.2 && planned.waypoints.iter().all(|q| q[1] == 0.6));
}

#[test]
fn ends_that_are_not_free_are_told_with_a_free_configuration_nearby() {
    let case = sliding(0.4, 0.0);
    // 1 mm into the wall's near face, which is at −0.01.
    let blocked = vec![-0.109, -0.5];
    let goal = || Goal::AnyOf(vec![case.goal.clone()]);
    let Err(PlanError::NotFree { end: "start", verdict, nearest: Some(nearest) }) =
        Problem::new(&case.checker, blocked.clone(), goal())
    else {
        panic!("it touches the wall")
    };
    assert_eq!(word(&verdict), "collision");
    assert!(is_proven(&case.checker, std::slice::from_ref(&nearest.configuration)));
    // Out of contact by the tolerance of 1 mm, over a range of 2 m; and nothing moves that need not.
    assert!(nearest.distance >= 0.0005 && nearest.distance < 0.00101, "{nearest:?}");
    assert_eq!(nearest.configuration[1], blocked[1], "{nearest:?}");
    let problem = Problem::new(&case.checker, case.start.clone(), Goal::AnyOf(vec![blocked]));
    assert!(matches!(problem, Err(PlanError::NotFree { end: "goal", .. })));
    assert_eq!(Problem::new(&case.checker, case.start.clone(), Goal::AnyOf(vec![])).err(), Some(PlanError::NoGoal));
}

/// The space was measured before the checker had looked at start and goals: a short one was read beyond its end.
#[test]
fn what_is_no_configuration_is_refused() {
    let case = sliding(0.4, 0.0);
    for (start, goal) in
        [(vec![0.0], case.goal.clone()), (case.start.clone(), vec![]), (vec![f64::NAN; 2], vec![0.0; 2])]
    {
        let problem = Problem::new(&case.checker, start, Goal::AnyOf(vec![goal]));
        assert!(matches!(problem, Err(PlanError::Check(_))), "{problem:?}");
    }
}

/// All that the checker refused was taken for a segment that is not free, so that a walk whose steps are no numbers went on
/// until its budget was used up.
#[test]
fn what_the_checker_refuses_is_passed_on() {
    let case = sliding(0.4, 0.0);
    let budget = Budget { max_steps: Some(10), ..Budget::default() };
    let walk = RandomWalk { step: f64::NAN };
    let outcome = walk.plan(&case.problem(&walk), 1, &budget);
    let Err(PlanError::Check(CheckError::Motion { problem: MotionError::NotFinite { .. }, .. })) = outcome else {
        panic!("{outcome:?}")
    };
}

/// Half a turn of a floating joint has no shortest way round: no segment, and nothing wrong with the problem.
#[test]
fn a_goal_half_a_turn_away_is_reached_by_a_detour() {
    let mut case = floating();
    case.goal[3..].copy_from_slice(&[0.0, 0.0, 1.0, 0.0]);
    assert_contract(
        &case,
        &RrtConnect::default(),
        &plan(&RrtConnect::default(), &case.problem(&RrtConnect::default()), 1),
    );
}

/// Whatever pool a planner is called from, it gives the same path.
#[test]
fn a_path_does_not_depend_on_the_number_of_threads() {
    for case in [sliding(0.4, 0.0), two_robots()] {
        for number in 0..planners().len() {
            let on = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
                pool.install(|| {
                    let planner = &planners()[number];
                    plan(&**planner, &case.problem(&**planner), 7)
                })
            };
            assert_eq!(on(1), on(3), "planner {number} in {}", case.name);
        }
    }
}

#[test]
fn a_joint_without_limits_is_told_and_one_that_turns_needs_none() {
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "ball", JointKind::Prismatic { axis: DVec3::X }, Pose::IDENTITY);
    world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.1));
    world.thing("post", "world", at(3.0, 0.0, 0.0), Form::Ball(0.1));
    let checker = world.checker();
    let problem = Problem::new(&checker, vec![0.0], Goal::AnyOf(vec![vec![1.0]]));
    assert_eq!(problem.err(), Some(PlanError::Unbounded { variable: "ball_joint".into() }));
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "arm", JointKind::Revolute { axis: DVec3::Z }, Pose::IDENTITY);
    world.thing("arm", "arm", at(0.5, 0.0, 0.0), Form::Cuboid([1.0, 0.1, 0.1]));
    world.thing("post", "world", at(0.0, 0.8, 0.0), Form::Ball(0.1));
    let checker = world.checker();
    // The short way round is blocked by the post: the long way is taken, as written.
    let goal = Goal::AnyOf(vec![vec![3.0], vec![3.0 - std::f64::consts::TAU]]);
    let problem = Problem::new(&checker, vec![0.0], goal).unwrap();
    assert_eq!(plan(&Sbl::default(), &problem, 1).waypoints.last().unwrap()[0], 3.0 - std::f64::consts::TAU);
}
