use super::*;
use pathproof::numeric::{DVec3, Pose, Random};
use pathproof::robot::{JointKind, JointSpec, Model};
use pathproof::scene::{BodyShape, Role, Scene, SceneBody, SceneParts};
use pathproof::shapes::{Body, Convex};

/// A hand that slides along x and y, among boxes: centre and size in the plane.
fn plane(boxes: &[([f64; 2], [f64; 2])]) -> Checker {
    let slide = |name: &str, axis, parent: &str, child: &str| {
        JointSpec::new(name, JointKind::Prismatic { axis }, parent, child, Pose::IDENTITY)
    };
    let joints = vec![slide("x", DVec3::X, "world", "cart"), slide("y", DVec3::Y, "cart", "hand")];
    let model = Model::new("world", ["world", "cart", "hand"].map(str::to_owned).to_vec(), joints).expect("a model");
    let mut parts = SceneParts::new(model);
    let body = |name: String, role, link, place: DVec3, convex| SceneBody {
        name,
        role,
        link,
        link_from_body: Pose::from_translation(place),
        shape: BodyShape::Parts(Body::from_convex(convex)),
    };
    let ball = Convex::sphere(0.1).expect("a ball");
    parts.bodies.push(body("hand".to_owned(), Role::Link, 2, DVec3::ZERO, ball));
    for (i, (centre, size)) in boxes.iter().enumerate() {
        let place = DVec3::new(centre[0], centre[1], 0.0);
        let shape = Convex::cuboid([size[0], size[1], 1.0]).expect("a box");
        parts.bodies.push(body(format!("box {i}"), Role::Obstacle, 0, place, shape));
    }
    Checker::new(Scene::new(parts).expect("a scene"))
}

fn limits() -> Limits {
    Limits::new(vec![1.0, 0.5], vec![4.0, 3.0]).expect("limits")
}

fn timed(checker: &Checker, path: &[Vec<f64>], settings: &TimeSettings) -> Timed {
    time(checker, path, &limits(), settings, &mut CheckScratch::new(checker)).expect("a trajectory")
}

/// Largest rates of the executed curve, sampled from the points alone.
fn sampled_rates(knots: &[Knot]) -> ([f64; 2], [f64; 2]) {
    let (mut fastest, mut hardest) = ([0.0_f64; 2], [0.0_f64; 2]);
    for pair in knots.windows(2) {
        let duration = pair[1].time - pair[0].time;
        for k in 0..2 {
            let [v0, v1] = [0, 1].map(|i| pair[i].velocities.as_ref().expect("velocities")[k]);
            let change = (pair[1].positions[k] - pair[0].positions[k]) / duration;
            for i in 0..=20 {
                let t = f64::from(i) / 20.0;
                let v = v0 + t * (6.0 * change - 4.0 * v0 - 2.0 * v1) + t * t * (3.0 * v0 + 3.0 * v1 - 6.0 * change);
                let a = (6.0 * change - 4.0 * v0 - 2.0 * v1) + 2.0 * t * (3.0 * v0 + 3.0 * v1 - 6.0 * change);
                fastest[k] = fastest[k].max(v.abs());
                hardest[k] = hardest[k].max(a.abs() / duration);
            }
        }
    }
    (fastest, hardest)
}

fn random_path(random: &mut Random, count: usize) -> Vec<Vec<f64>> {
    let scale = 10.0_f64.powf(-1.5 + 1.5 * random.unit().abs());
    (0..count).map(|_| vec![scale * random.unit(), scale * random.unit()]).collect()
}

#[test]
fn every_random_path_is_timed_within_its_limits_and_begins_and_ends_at_rest() {
    let checker = plane(&[]);
    let mut random = Random::new(41);
    for round in 0..400 {
        let path = random_path(&mut random, 2 + round % 12);
        let timed = timed(&checker, &path, &TimeSettings::default());
        let (fastest, hardest) = sampled_rates(&timed.knots);
        for k in 0..2 {
            assert!(fastest[k] <= limits().velocity(k), "{round}: {fastest:?}");
            assert!(hardest[k] <= limits().acceleration(k) * (1.0 + 1e-9), "{round}: {hardest:?}");
        }
        let ends = [&timed.knots[0], &timed.knots[timed.knots.len() - 1]];
        for (end, waypoint) in ends.into_iter().zip([&path[0], &path[path.len() - 1]]) {
            assert_eq!((&end.positions, &end.velocities), (waypoint, &Some(vec![0.0; 2])));
        }
        // Whole nanoseconds.
        assert!(timed.knots.iter().all(|knot| (knot.time * 1e9 - (knot.time * 1e9).round()).abs() < 1e-4));
    }
}

#[test]
fn a_straight_line_takes_the_time_of_the_closed_form() {
    let checker = plane(&[]);
    // A trapezoid, and a triangle.
    for (goal, seconds) in [(1.0, 1.25), (0.1, 2.0 * (0.1_f64 / 4.0).sqrt())] {
        let duration = timed(&checker, &[vec![0.0, 0.0], vec![goal, 0.0]], &TimeSettings::default()).duration();
        assert!((1.0..1.002).contains(&(duration / seconds)), "{goal}: {duration} for {seconds}");
    }
}

#[test]
fn corners_are_rounded_as_far_as_asked_and_stops_where_nothing_else_is_free() {
    let path = [vec![0.0, 0.0], vec![1.0, 0.0], vec![1.0, 1.0]];
    let open = plane(&[]);
    let wide = timed(&open, &path, &TimeSettings::default());
    assert!(wide.stops() == 0 && wide.corners[0].deviation > 0.03, "{:?}", wide.corners);
    let near = timed(&open, &path, &TimeSettings { corner: Some(0.01), ..TimeSettings::default() });
    assert!(near.corners[0].deviation <= 0.01 && near.duration() > wide.duration(), "{near:?} {wide:?}");
    let stop = timed(&open, &path, &TimeSettings { corner: Some(0.0), ..TimeSettings::default() });
    assert!(stop.stops() == 1 && stop.duration() > near.duration());
    // A box in the corner, 0.102 from both lines: the ball of radius 0.1 passes, and barely cuts the corner.
    let tight = plane(&[([0.898 - 0.25, 0.102 + 0.25], [0.5, 0.5])]);
    let lazy = Limits::new(vec![1.0, 0.5], vec![0.5, 0.4]).expect("limits");
    let [wide, slow] = [&open, &tight].map(|checker| {
        time(checker, &path, &lazy, &TimeSettings::default(), &mut CheckScratch::new(checker)).expect("a trajectory")
    });
    assert!(slow.corners[0].deviation < 0.5 * wide.corners[0].deviation, "{:?} {:?}", slow.corners, wide.corners);
    assert!(slow.corners[0].deviation > 0.01 && slow.duration() > wide.duration());
}

#[test]
fn what_is_executed_is_proven_and_can_be_certified() {
    let checker = plane(&[([0.5, 0.5], [0.6, 0.6])]);
    let path = [vec![0.0, 0.0], vec![1.0, 0.05], vec![1.0, 1.0], vec![0.1, 1.0]];
    let settings = TimeSettings { certify: true, ..TimeSettings::default() };
    let timed = timed(&checker, &path, &settings);
    assert!(timed.certificate.is_some() && matches!(timed.answer.verdict, Verdict::Free(_)));
    assert!(timed.motion.stated_knots().is_some_and(|knots| knots == timed.knots));
    // Lines through the box have no timing.
    let through = [vec![0.0, 0.0], vec![1.0, 1.0]];
    let error = time(&checker, &through, &limits(), &settings, &mut CheckScratch::new(&checker));
    assert!(matches!(error, Err(TimeError::NotFree(_))), "{error:?}");
}

#[test]
fn a_robot_that_moves_at_the_start_goes_on_from_its_velocity() {
    let checker = plane(&[]);
    for velocities in [vec![0.5, 0.0], vec![-0.3, 0.2], vec![0.0, 0.49]] {
        let settings = TimeSettings { start_velocities: Some(velocities.clone()), ..TimeSettings::default() };
        let timed = timed(&checker, &[vec![0.0, 0.0], vec![0.4, 0.3], vec![0.0, 1.0]], &settings);
        let first = timed.knots[0].velocities.clone().expect("velocities");
        assert!(first.iter().zip(&velocities).all(|(a, b)| (a - b).abs() < 1e-9), "{first:?} for {velocities:?}");
        let (fastest, hardest) = sampled_rates(&timed.knots);
        assert!(fastest[0] <= 1.0 && fastest[1] <= 0.5 && hardest[0] <= 4.0 && hardest[1] <= 3.0);
    }
}

/// A cubic over one second from rest to rest has the velocity 1.5 and the acceleration 6 at most.
#[test]
fn limits_are_proven_up_to_a_billionth() {
    let checker = plane(&[]);
    let model = checker.scene().model();
    let knot = |time, x| Knot { time, positions: vec![x, 0.0], velocities: Some(vec![0.0; 2]), accelerations: None };
    let motion = Motion::controller(model, vec![knot(0.0, 0.0), knot(1.0, 1.0)], None).expect("a motion");
    let excess = |v: f64, a: f64| Limits::new(vec![v, 1.0], vec![a, 1.0]).expect("limits").excess(&motion, model);
    assert_eq!(excess(1.5 * (1.0 + 1e-9), 6.0 * (1.0 + 1e-9)), None);
    let fast = excess(1.5 * (1.0 - 1e-9), 7.0).expect("too fast");
    assert!(
        fast.rate == Rate::Velocity && (fast.time - 0.5).abs() < 1e-3 && (fast.value - 1.5).abs() < 1e-9,
        "{fast:?}"
    );
    let hard = excess(2.0, 6.0 * (1.0 - 1e-9)).expect("too hard");
    assert!(hard.rate == Rate::Acceleration && (hard.value.abs() - 6.0).abs() < 1e-9 && hard.joint == "x", "{hard:?}");
}

#[test]
fn velocities_that_jump_exceed_every_limit() {
    let checker = plane(&[]);
    let model = checker.scene().model();
    let generous = Limits::new(vec![1e6; 2], vec![1e6; 2]).expect("limits");
    let lines = Motion::lines([vec![0.0, 0.0], vec![0.0, 0.0], vec![1.0, 0.0]]);
    let lines = lines.with_times(vec![0.0, 1.0, 2.0]).expect("times");
    let knot = |time, x, velocity: Option<f64>| Knot {
        time,
        positions: vec![x, 0.0],
        velocities: velocity.map(|v| vec![v, 0.0]),
        accelerations: None,
    };
    let kinked = vec![knot(0.0, 0.0, Some(0.0)), knot(1.0, 1.0, None), knot(2.0, 0.0, Some(0.0))];
    let kinked = Motion::controller(model, kinked, None).expect("a motion");
    for (motion, time) in [(lines, 1.0), (kinked, 1.0)] {
        let excess = generous.excess(&motion, model).expect("a jump");
        assert!(excess.value == f64::INFINITY && excess.time == time, "{excess:?}");
    }
    assert_eq!(generous.excess(&Motion::lines([vec![0.0, 0.0]]), model), None);
}

#[test]
fn limits_and_lists_that_are_none_are_refused() {
    assert!(matches!(Limits::new(vec![1.0], vec![1.0, 2.0]), Err(LimitsError::Lists { .. })));
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = [Limits::new(vec![1.0, wrong], vec![1.0; 2]), Limits::new(vec![1.0; 2], vec![1.0, wrong])];
        assert!(refused.iter().all(|limits| matches!(limits, Err(LimitsError::Value { variable: 1, .. }))));
    }
    let checker = plane(&[]);
    let mut scratch = CheckScratch::new(&checker);
    for path in [vec![], vec![vec![0.0]], vec![vec![0.0, f64::NAN]]] {
        let error = time(&checker, &path, &limits(), &TimeSettings::default(), &mut scratch);
        assert!(matches!(error, Err(TimeError::Lists)), "{path:?}");
    }
    let settings = TimeSettings { corner: Some(-1.0), ..TimeSettings::default() };
    let error = time(&checker, &[vec![0.0, 0.0]], &limits(), &settings, &mut scratch);
    assert!(matches!(error, Err(TimeError::Corner(_))));
}
