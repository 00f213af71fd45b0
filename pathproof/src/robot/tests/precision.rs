//! Forward kinematics against 260-bit arithmetic: the error bound of docs/design.md#rounding holds where rounding is
//! worst.

use dashu_float::{FBig, round::mode::HalfEven};

use super::*;
use crate::numeric::{DQuat, ROUNDOFF_F64};
use crate::robot::{Carried, upper_displacement_of};
use crate::robot::{Kinematics, SegmentMotion};

type Real = FBig<HalfEven, 2>;
const BITS: usize = 260;

fn real(x: f64) -> Real {
    Real::try_from(x).expect("finite").with_precision(BITS).value()
}

fn dot(a: &[Real; 3], b: &[Real; 3]) -> Real {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

/// Rows of a rotation, and a translation.
#[derive(Clone)]
struct RealPose {
    rows: [[Real; 3]; 3],
    translation: [Real; 3],
}

impl RealPose {
    fn from_translation(translation: [Real; 3]) -> Self {
        let entry = |i: usize, j: usize| real(if i == j { 1.0 } else { 0.0 });
        let rows = [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j)));
        Self { rows, translation }
    }

    /// Rodrigues' formula: I + sin K + (1 − cos) K², for a unit axis.
    fn from_axis_angle(axis: &[Real; 3], angle: &Real) -> Self {
        let (s, c) = angle.sin_cos();
        let k = real(1.0) - &c;
        let [x, y, z] = axis;
        let across = [
            [real(0.0), -z.clone(), y.clone()],
            [z.clone(), real(0.0), -x.clone()],
            [-y.clone(), x.clone(), real(0.0)],
        ];
        let entry = |i: usize, j: usize| {
            let diagonal = if i == j { c.clone() } else { real(0.0) };
            diagonal + &across[i][j] * &s + &axis[i] * &axis[j] * &k
        };
        Self { rows: [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j))), ..Self::from_translation([0.0; 3].map(real)) }
    }

    fn point(&self, p: &[Real; 3]) -> [Real; 3] {
        [0, 1, 2].map(|i| dot(&self.rows[i], p) + &self.translation[i])
    }

    fn times(&self, other: &Self) -> Self {
        let column = |j: usize| [0, 1, 2].map(|k: usize| other.rows[k][j].clone());
        let columns = [0, 1, 2].map(column);
        let rows = [0, 1, 2].map(|i: usize| [0, 1, 2].map(|j: usize| dot(&self.rows[i], &columns[j])));
        Self { rows, translation: self.point(&other.translation) }
    }
}

/// A joint as a file describes it: numbers, not matrices.
#[derive(Clone, Copy)]
struct Numbers {
    kind: JointKind,
    xyz: [f64; 3],
    rpy: [f64; 3],
    /// Multiplier and offset of a joint that follows the one before it.
    mimic: Option<(f64, f64)>,
}

fn unit(axis: DVec3) -> [Real; 3] {
    let axis = axis.to_array().map(real);
    let length = dot(&axis, &axis).sqrt();
    axis.map(|component| component / &length)
}

/// Smallest rotation from z to a unit axis that is not −z: Rodrigues about z × axis, without angles.
fn aligned(axis: &[Real; 3]) -> RealPose {
    let [x, y, z] = axis;
    let k = real(1.0) / (real(1.0) + z);
    let rows = [
        [real(1.0) - x * x * &k, -(x * y * &k), x.clone()],
        [-(x * y * &k), real(1.0) - y * y * &k, y.clone()],
        [-x.clone(), -y.clone(), z.clone()],
    ];
    RealPose { rows, ..RealPose::from_translation([0.0; 3].map(real)) }
}

/// q(t) of a floating joint as a pose, from its seven numbers at both ends.
fn floating(a: &[f64], b: &[f64], t: &Real) -> RealPose {
    let line = |i: usize| real(a[i]) + t * (real(b[i]) - real(a[i]));
    let normal = |q: &[f64]| {
        let q: Vec<Real> = q[3..7].iter().map(|&x| real(x)).collect();
        let length = q.iter().fold(real(0.0), |sum, x| sum + x * x).sqrt();
        q.into_iter().map(|x| x / &length).collect::<Vec<Real>>()
    };
    let (from, mut to) = (normal(a), normal(b));
    let mut cosine = from.iter().zip(&to).fold(real(0.0), |sum, (x, y)| sum + x * y);
    if cosine < real(0.0) {
        cosine = -cosine;
        to = to.into_iter().map(|x| -x).collect();
    }
    // Rounding may leave the cosine of equal quaternions above 1.
    let angle = if cosine > real(1.0) { real(0.0) } else { cosine.acos() };
    let sine = angle.sin();
    let is_still = sine == real(0.0);
    let sine = if is_still { real(1.0) } else { sine };
    let mut weights = [((real(1.0) - t) * &angle).sin() / &sine, (t * &angle).sin() / &sine];
    if is_still {
        weights = [real(1.0), real(0.0)];
    }
    let q: Vec<Real> = from.iter().zip(&to).map(|(x, y)| x * &weights[0] + y * &weights[1]).collect();
    let (v, w) = ([q[0].clone(), q[1].clone(), q[2].clone()], &q[3]);
    let half = v.iter().fold(real(0.0), |sum, x| sum + x * x).sqrt().atan2(w);
    let length = dot(&v, &v).sqrt();
    let turn = RealPose::from_axis_angle(&v.map(|x| x / &length), &(half * real(2.0)));
    RealPose::from_translation([line(0), line(1), line(2)]).times(&turn)
}

/// Position of a point of the last link at t, in exact arithmetic to 260 bits.
fn exact_point(joints: &[Numbers], a: &[f64], b: &[f64], t: f64, point: DVec3) -> [Real; 3] {
    let t = &real(t);
    let line = |i: usize| real(a[i]) + t * (real(b[i]) - real(a[i]));
    let mut world = RealPose::from_translation([0.0; 3].map(real));
    let (mut next, mut last) = (0, 0);
    for joint in joints {
        let turn = |axis: DVec3, angle: f64| RealPose::from_axis_angle(&axis.to_array().map(real), &real(angle));
        let [roll, pitch, yaw] = joint.rpy;
        let rotation = turn(DVec3::Z, yaw).times(&turn(DVec3::Y, pitch)).times(&turn(DVec3::X, roll));
        world = world.times(&RealPose::from_translation(joint.xyz.map(real))).times(&rotation);
        let value = match joint.mimic {
            Some((multiplier, offset)) => line(last) * real(multiplier) + real(offset),
            None if joint.kind == JointKind::Fixed => real(0.0),
            None => line(next),
        };
        let moved = match joint.kind {
            JointKind::Fixed => continue,
            JointKind::Revolute { axis } => RealPose::from_axis_angle(&unit(axis), &value),
            JointKind::Prismatic { axis } => RealPose::from_translation(unit(axis).map(|c| c * &value)),
            JointKind::Planar { axis } => {
                let across = aligned(&unit(axis)).point(&[line(next), line(next + 1), real(0.0)]);
                let turn = RealPose::from_axis_angle(&unit(axis), &line(next + 2));
                RealPose::from_translation(across).times(&turn)
            }
            JointKind::Floating => floating(&a[next..next + 7], &b[next..next + 7], t),
        };
        world = world.times(&moved);
        if joint.mimic.is_none() {
            last = next;
            next += joint.kind.variable_count();
        }
    }
    world.point(&point.to_array().map(real))
}

fn model_of(joints: &[Numbers]) -> Model {
    let mut driver = String::new();
    let mut specs = Vec::new();
    for (index, joint) in joints.iter().enumerate() {
        let (name, pose) = (format!("j{index}"), Pose::from_xyz_rpy(joint.xyz, joint.rpy));
        let mut spec = JointSpec::new(&name, joint.kind, &format!("l{index}"), &format!("l{}", index + 1), pose);
        match joint.mimic {
            Some((multiplier, offset)) => spec.mimic = Some(Mimic { joint: driver.clone(), multiplier, offset }),
            None if joint.kind != JointKind::Fixed => driver = name,
            None => {}
        }
        specs.push(spec);
    }
    Model::new("l0", (0..=joints.len()).map(|i| format!("l{i}")).collect(), specs).expect("a chain")
}

/// Error of the computed position of a random point at a random dyadic t, and the bound on it.
fn error_and_bound(random: &mut Random, joints: &[Numbers], angle: f64, slide: f64) -> (f64, f64) {
    let model = model_of(joints);
    let a = random_configuration(random, &model, angle, slide);
    let b = if random.below(3) == 0 {
        random_step(random, &model, &a, 1e-3)
    } else {
        random_configuration(random, &model, angle, slide)
    };
    let motion = SegmentMotion::new(&model, &a, &b).expect("a motion");
    let t = random.below(1 << 20) as f64 / f64::from(1 << 20);
    let point = random.point(1.0);
    let mut kinematics = Kinematics::new(&model);
    kinematics.set_time(&motion, t);
    let ours = kinematics.world_from_link(&model, joints.len()).point(point);
    let exact = exact_point(joints, &a, &b, t, point);
    let off = [0, 1, 2].map(|i: usize| (exact[i].clone() - real(ours[i])).to_f64().value());
    let link = &model.links()[joints.len()];
    let radius = link.frame_from_link.point(point).length() * (1.0 + 1e-12);
    (DVec3::from_array(off).length(), motion.position_error(link.frame, radius))
}

fn random_numbers(random: &mut Random, kind: JointKind) -> Numbers {
    Numbers { kind, xyz: random.point(1.0).to_array(), rpy: random.point(3.1).to_array(), mimic: None }
}

/// Runs `count` chains and returns the largest error in units of the bound.
fn worst(
    random: &mut Random,
    count: usize,
    angle: f64,
    slide: f64,
    chain: impl Fn(&mut Random) -> Vec<Numbers>,
) -> f64 {
    let mut worst = 0.0f64;
    for case in 0..count {
        let joints = chain(random);
        let (error, bound) = error_and_bound(random, &joints, angle, slide);
        assert!(error <= bound, "case {case}: error {error} above its bound {bound}");
        worst = worst.max(error / bound);
    }
    worst
}

fn revolute(random: &mut Random) -> Numbers {
    let axis = random.direction() * random.between(0.1, 3.0);
    random_numbers(random, JointKind::Revolute { axis })
}

#[test]
fn kinematics_errs_by_less_than_its_bound_far_from_zero() {
    let mut random = Random::new(61);
    let arm = |random: &mut Random| (0..6).map(|_| revolute(random)).collect();
    let near = worst(&mut random, cases(60).min(2_000), 3.2, 0.0, arm);
    let far = worst(&mut random, cases(60).min(2_000), 1e4, 0.0, arm);
    // Far from zero the rounding of q itself dominates, and its share of the bound is tight to a small factor.
    assert!(far > 0.02 && near > 0.001, "{far} {near}");
    println!("largest error over bound: angles of 3: {near:.4}; angles of 10⁴: {far:.4}");
}

#[test]
fn kinematics_errs_by_less_than_its_bound_on_long_chains() {
    let mut random = Random::new(62);
    let ratio = worst(&mut random, cases(12).min(300), 3.2, 0.0, |random| (0..60).map(|_| revolute(random)).collect());
    println!("largest error over bound: 60 joints: {ratio:.4}");
}

#[test]
fn kinematics_errs_by_less_than_its_bound_on_long_slides_and_cancelling_offsets() {
    let mut random = Random::new(63);
    let slides = |random: &mut Random| {
        let mut joints = Vec::new();
        for _ in 0..3 {
            let axis = random.direction();
            joints.push(random_numbers(random, JointKind::Prismatic { axis }));
            joints.push(revolute(random));
        }
        joints
    };
    let long = worst(&mut random, cases(40).min(2_000), 3.2, 1e4, slides);
    let detour = |random: &mut Random| {
        let mut joints = slides(random);
        // Out and back by fixed joints: their rounding stays although their offsets cancel.
        let fixed = |x| Numbers { kind: JointKind::Fixed, xyz: [x, 0.1, 3.3], rpy: [0.0; 3], mimic: None };
        let at = random.below(joints.len());
        joints.splice(at..at, [fixed(1e5), fixed(-1e5)]);
        joints
    };
    let far = worst(&mut random, cases(40).min(2_000), 3.2, 1.0, detour);
    println!("largest error over bound: slides of 10⁴ m: {long:.4}; fixed joints 10⁵ m out and back: {far:.4}");
}

#[test]
fn kinematics_errs_by_less_than_its_bound_for_every_joint_type() {
    let mut random = Random::new(64);
    let everything = |random: &mut Random| {
        let axis = random.direction();
        let mut joints = vec![
            random_numbers(random, JointKind::Floating),
            random_numbers(random, JointKind::Planar { axis }),
            revolute(random),
            Numbers { mimic: Some((random.between(-3.0, 3.0), random.between(-1e3, 1e3))), ..revolute(random) },
            random_numbers(random, JointKind::Prismatic { axis }),
            random_numbers(random, JointKind::Fixed),
        ];
        joints.rotate_left(random.below(2));
        joints
    };
    let ratio = worst(&mut random, cases(60).min(2_000), 3.0, 100.0, everything);
    println!("largest error over bound: every joint type: {ratio:.4}");
}

#[test]
fn configurations_a_few_ulps_apart_make_motions_with_sound_rates() {
    let mut random = Random::new(65);
    for _ in 0..300 {
        let joints = [revolute(&mut random)];
        let model = model_of(&joints);
        let start = random.between(-1e4, 1e4);
        let goal = (0..random.below(4)).fold(start, |x: f64, _| x.next_up());
        let motion = SegmentMotion::new(&model, &[start], &[goal]).expect("a motion");
        let exact = real(goal) - real(start);
        assert!(real(motion.rate(1).upper_angular) >= exact);
        let mut q = [0.0];
        motion.configuration_at(0.5, &mut q);
        assert!(start <= q[0] && q[0] <= goal, "{start} {} {goal}", q[0]);
        let off = (real(q[0]) - (real(start) + real(goal)) / real(2.0)).to_f64().value().abs();
        assert!(off <= 2.0 * ROUNDOFF_F64 * start.abs().max(goal.abs()));
    }
}

/// Far from the world's origin the computed distance of a point from an axis is off by more than the bend of a small
/// motion. The axis of a small turn of a floating joint is poorly known, which matters if the point is far along it.
#[test]
fn a_point_far_from_the_origin_gets_no_farther_than_its_bound_in_a_small_motion() {
    let mut random = Random::new(66);
    let mut closest = [0.0f64; 2];
    for case in 0..cases(400).min(4_000) {
        let is_floating = case % 2 == 0;
        let far = random.direction() * 10f64.powf(random.between(3.0, 7.0));
        let turning =
            if is_floating { random_numbers(&mut random, JointKind::Floating) } else { revolute(&mut random) };
        let joints = [revolute(&mut random), Numbers { xyz: far.to_array(), ..turning }];
        let model = model_of(&joints);
        let start = random_configuration(&mut random, &model, 3.0, 1.0);
        let mut goal = start.clone();
        let angle = 10f64.powf(random.between(-9.0, -6.0));
        let mut point = random.point(1.0);
        if is_floating {
            let axis = random.direction();
            let turned = DQuat::from_slice(&start[4..]) * DQuat::from_axis_angle(axis, angle);
            goal[4..].copy_from_slice(&turned.normalize().to_array());
            point = axis * random.between(1e2, 1e4) + random.point(1e-6);
        } else {
            goal[1] += angle;
        }
        let motion = SegmentMotion::new(&model, &start, &goal).expect("a motion");
        let mut kinematics = Kinematics::new(&model);
        kinematics.set_time(&motion, 0.5);
        let link = &model.links()[2];
        let carried = Carried {
            point: kinematics.world_from_link(&model, 2).point(point),
            radius: link.frame_from_link.point(point).length() * (1.0 + 1e-12),
            frame: link.frame,
        };
        let moved_at_most = upper_displacement_of(&model, &motion, &mut kinematics, &carried, 0, 0, 1.0);
        let [middle, end] = [0.5, 1.0].map(|t| exact_point(&joints, &start, &goal, t, point));
        let way = [0, 1, 2].map(|i: usize| &end[i] - &middle[i]);
        let moved = dot(&way, &way).sqrt().to_f64().value();
        assert!(moved <= moved_at_most, "{case}: {moved} of {moved_at_most}");
        closest[usize::from(is_floating)] = closest[usize::from(is_floating)].max(moved / moved_at_most);
    }
    assert!(closest[0] > 0.999 && closest[1] > 0.03, "{closest:?}");
}
