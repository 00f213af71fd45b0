use super::*;
use crate::robot::{Dyadic, Kinematics, MotionError, PoseCache, SegmentMotion};

fn distance(a: &Pose, b: &Pose) -> f64 {
    let turn = (a.rotation - b.rotation).to_cols_array().iter().fold(0.0, |m: f64, e| m.max(e.abs()));
    turn.max((a.translation - b.translation).length())
}

#[test]
fn poses_of_random_trees_agree_with_kinematics_written_a_second_time() {
    let mut random = Random::new(41);
    for case in 0..600 {
        let count = 1 + random.below(if case % 10 == 0 { 60 } else { 10 });
        let mix = [Mix::Revolute, Mix::Serial, Mix::Everything][case % 3];
        let robot = random_robot(&mut random, count, mix, 1.0);
        let mut kinematics = Kinematics::new(&robot.model);
        let q = random_configuration(&mut random, &robot.model, 4.0, 1.0);
        kinematics.set_configuration(&q);
        for (index, link) in robot.model.links().iter().enumerate() {
            let (ours, theirs) = (kinematics.world_from_link(&robot.model, index), robot.oracle_pose(&q, &link.name));
            assert!(distance(&ours, &theirs) < 1e-14 * (count + 4) as f64 * count as f64, "{case} {}", link.name);
        }
    }
}

#[test]
fn lazy_poses_and_twists_are_the_same_bits_in_any_order() {
    let mut random = Random::new(42);
    for _ in 0..100 {
        let robot = random_robot(&mut random, 12, Mix::Everything, 1.0);
        let model = &robot.model;
        let q = random_configuration(&mut random, model, 3.0, 1.0);
        let goal = random_step(&mut random, model, &q, 1.0);
        let motion = SegmentMotion::new(model, &q, &goal).expect("a motion");
        let mut whole = Kinematics::new(model);
        let mut cache = PoseCache::new(model, 4);
        for _ in 0..20 {
            let position = Dyadic { index: random.below(9) as u64, level: 3 };
            whole.set_time(&motion, position.value());
            let (poses, twists) = whole.compute_poses_and_twists(model, &motion);
            let frame = random.below(model.frames().len());
            let lazy = cache.at(&motion, position);
            assert_eq!(lazy.twist(model, &motion, frame), &twists[frame]);
            assert_eq!(lazy.world_from_frame(model, frame), &poses[frame]);
        }
    }
}

#[test]
fn twists_are_the_derivative_of_poses() {
    let mut random = Random::new(43);
    for _ in 0..300 {
        let count = 1 + random.below(10);
        let robot = random_robot(&mut random, count, Mix::Everything, 1.0);
        let model = &robot.model;
        let q = random_configuration(&mut random, model, 3.0, 1.0);
        let goal = random_step(&mut random, model, &q, 1.0);
        let motion = SegmentMotion::new(model, &q, &goal).expect("a motion");
        let (t, step) = (random.between(0.1, 0.9), 1e-4);
        let mut kinematics = Kinematics::new(model);
        let frame = random.below(model.frames().len());
        let point = random.point(1.0);
        let mut at = |t| {
            kinematics.set_time(&motion, t);
            let pose = *kinematics.world_from_frame(model, frame);
            (pose.point(point), *kinematics.twist(model, &motion, frame))
        };
        let (now, twist) = at(t);
        let difference = (at(t + step).0 - at(t - step).0) / (2.0 * step);
        let size = 1.0 + twist.linear.length() + twist.angular.length();
        assert!((difference - twist.velocity_at(now)).length() < 1e-5 * size.powi(3));
    }
}

#[test]
fn floating_joints_take_the_shortest_arc_at_constant_rate() {
    let mut random = Random::new(44);
    let spec = JointSpec::new("f", JointKind::Floating, "w", "a", Pose::IDENTITY);
    let robot = Robot {
        model: Model::new("w", vec!["w".into(), "a".into()], vec![spec.clone()]).expect("a model"),
        specs: vec![spec],
    };
    for case in 0..1_000 {
        let reach = [1e-13, 1e-7, 0.1, 3.1][case % 4];
        let a = random_configuration(&mut random, &robot.model, 3.0, 1.0);
        let b = random_step(&mut random, &robot.model, &a, reach);
        let motion = SegmentMotion::new(&robot.model, &a, &b).expect("a motion");
        let mut q = vec![0.0; 7];
        for t in [0.0, 0.25, 0.7, 1.0] {
            motion.configuration_at(t, &mut q);
            let mut expected = robot.oracle_configuration(&a, &b, t);
            if q[3..].iter().zip(&expected[3..]).map(|(x, y)| x * y).sum::<f64>() < 0.0 {
                expected[3..].iter_mut().for_each(|x| *x = -*x);
            }
            assert!(q.iter().zip(&expected).all(|(x, y)| (x - y).abs() < 3e-15), "{case} {t} {q:?} {expected:?}");
        }
    }
}

#[test]
fn motions_that_mean_nothing_are_errors() {
    let specs = vec![
        JointSpec::new("f", JointKind::Floating, "w", "a", Pose::IDENTITY),
        JointSpec::new("r", JointKind::Revolute { axis: DVec3::X }, "a", "b", Pose::IDENTITY),
    ];
    let model = Model::new("w", vec!["w".into(), "a".into(), "b".into()], specs).expect("a model");
    let zero = model.zero_configuration();
    let with = |index: usize, value: f64| {
        let mut q = zero.clone();
        q[index] = value;
        q
    };
    let error = |goal: &[f64]| SegmentMotion::new(&model, &zero, goal).expect_err("an error");
    assert_eq!(error(&zero[1..]), MotionError::Length { expected: 8, given: 7 });
    assert_eq!(error(&with(7, f64::NAN)), MotionError::NotFinite { variable: "r".into() });
    assert_eq!(error(&with(0, f64::INFINITY)), MotionError::NotFinite { variable: "f.x".into() });
    assert!(matches!(error(&with(6, 1.00001)), MotionError::QuaternionNorm { .. }));
    assert!(matches!(error(&with(6, 0.0)), MotionError::QuaternionNorm { .. }));
    let mut half_turn = with(6, 0.0);
    half_turn[4] = 1.0;
    assert_eq!(error(&half_turn), MotionError::HalfTurn { joint: "f".into() });
    // The opposite quaternion is the same rotation: no motion at all.
    let motion = SegmentMotion::new(&model, &zero, &with(6, -1.0)).expect("a motion");
    assert_eq!(motion.upper_largest_rate(), 0.0);
}

#[test]
fn configurations_are_exact_at_both_ends_and_the_same_when_reversed() {
    let mut random = Random::new(45);
    let robot = random_robot(&mut random, 9, Mix::Serial, 1.0);
    for _ in 0..500 {
        let [a, b] = [(); 2].map(|()| random_configuration(&mut random, &robot.model, 1e4, 1e3));
        let (there, back) = (SegmentMotion::new(&robot.model, &a, &b), SegmentMotion::new(&robot.model, &b, &a));
        let (there, back) = (there.expect("a motion"), back.expect("a motion"));
        let (mut p, mut q) = (a.clone(), a.clone());
        let t = random.below(1 << 20) as f64 / f64::from(1 << 20);
        there.configuration_at(t, &mut p);
        back.configuration_at(1.0 - t, &mut q);
        assert_eq!(p, q);
        there.configuration_at(0.0, &mut p);
        assert_eq!(p, a);
        there.configuration_at(1.0, &mut p);
        assert_eq!(p, b);
    }
}

/// The low bits of dyadic positions are all 0: hashed by them, all positions once shared one slot, and no pose was
/// reused.
#[test]
fn a_cache_keeps_different_positions() {
    let model = crate::robot::Model::new("world", vec!["world".into()], vec![]).unwrap();
    let motion = SegmentMotion::new(&model, &[], &[]).unwrap();
    let mut cache = PoseCache::new(&model, 64);
    for _ in 0..2 {
        for level in 1..=4 {
            for index in (1..1 << level).step_by(2) {
                cache.at(&motion, Dyadic { index, level });
            }
        }
    }
    assert!(cache.misses() < 2 * 15, "{} positions were forgotten", cache.misses() - 15);
}
