//! Polynomials and curves: bounds are never exceeded, values are within their stated errors, and the formulas match
//! the controller's.

use dashu_float::{FBig, round::mode::HalfEven};

use super::*;
use crate::robot::bounds::{cell, lambda};
use crate::robot::{
    Curve, CurveError, CurvePiece, Extent, Kinematics, KnotState, MotionError, Polynomial, SegmentMotion, VariableKind,
};

type Real = FBig<HalfEven, 2>;

fn real(x: f64) -> Real {
    Real::try_from(x).expect("finite").with_precision(400).value()
}

/// A piece of a curve with the powers that it was made from: Σ_i powers[i] t^i for each variable.
pub(super) struct RandomCurve {
    pub(super) piece: CurvePiece,
    /// `None` for quaternions.
    powers: Vec<Option<[f64; 6]>>,
}

impl RandomCurve {
    /// Replaces the values of a straight line at `t`.
    pub(super) fn oracle_configuration(&self, t: f64, q: &mut [f64]) {
        for (q, powers) in q.iter_mut().zip(&self.powers) {
            if let Some(powers) = powers {
                *q = powers.iter().rev().fold(0.0, |sum, c| sum * t + c);
            }
        }
    }
}

/// A random curve from `start` with joints that move by about `reach`; some rest, some go straight.
pub(super) fn random_curve(random: &mut Random, model: &Model, start: &[f64], goal: &[f64], reach: f64) -> RandomCurve {
    let (mut polynomials, mut all_powers) = (Vec::new(), Vec::new());
    for (variable, (&from, &to)) in model.variables().iter().zip(start.iter().zip(goal)) {
        if variable.kind == VariableKind::Quaternion {
            polynomials.push(Polynomial::line(from, to));
            all_powers.push(None);
            continue;
        }
        let mut powers = [0.0; 6];
        powers[0] = from;
        let degree = random.below(6);
        for power in &mut powers[1..=degree] {
            *power = random.between(-reach, reach);
        }
        polynomials.push(Polynomial::from_powers(&powers[..=degree], 1.0).expect("a polynomial"));
        all_powers.push(Some(powers));
    }
    let piece = CurvePiece::new(model, &polynomials).expect("a piece");
    RandomCurve { piece, powers: all_powers }
}

/// The controller's own formulas: powers of the time since the first point.
fn controller(start: KnotState, goal: KnotState, duration: f64) -> [Real; 6] {
    let (q0, t) = (real(start.position), real(duration));
    let delta = real(goal.position) - &q0;
    let mut c = [0.0; 6].map(real);
    c[0] = q0;
    let (Some(v0), Some(v1)) = (start.velocity.map(real), goal.velocity.map(real)) else {
        c[1] = delta / t;
        return c;
    };
    let n = |x: f64| real(x);
    c[1] = v0.clone();
    match (start.acceleration.map(real), goal.acceleration.map(real)) {
        (Some(a0), Some(a1)) => {
            let (t2, t3) = (&t * &t, &t * &t * &t);
            c[2] = n(0.5) * &a0;
            c[3] =
                (n(20.0) * &delta - (n(12.0) * &v0 + n(8.0) * &v1) * &t - (n(3.0) * &a0 - &a1) * &t2) / (n(2.0) * &t3);
            c[4] = (n(-30.0) * &delta + (n(16.0) * &v0 + n(14.0) * &v1) * &t + (n(3.0) * &a0 - n(2.0) * &a1) * &t2)
                / (n(2.0) * &t3 * &t);
            c[5] = (n(12.0) * &delta - n(6.0) * (&v0 + &v1) * &t - (&a0 - &a1) * &t2) / (n(2.0) * &t3 * &t2);
        }
        _ => {
            c[2] = (n(3.0) * &delta - (n(2.0) * &v0 + &v1) * &t) / (&t * &t);
            c[3] = (n(-2.0) * &delta + (&v0 + &v1) * &t) / (&t * &t * &t);
        }
    }
    c
}

fn horner(c: &[Real], t: &Real) -> Real {
    c.iter().rev().fold(real(0.0), |sum, c| sum * t + c)
}

/// The n-th derivative.
fn derived(c: &[Real; 6], times: usize) -> Vec<Real> {
    let mut c = c.to_vec();
    for _ in 0..times {
        c = c.iter().enumerate().skip(1).map(|(i, c)| c * &real(i as f64)).collect();
    }
    c
}

fn random_state(random: &mut Random, size: f64, fields: usize) -> KnotState {
    let mut number = || match random.below(8) {
        0 => 0.0,
        1 => 1e6,
        _ => random.between(-size, size),
    };
    let (position, velocity, acceleration) = (number(), number(), number());
    let (velocity, acceleration) = ((fields > 0).then_some(velocity), (fields > 1).then_some(acceleration));
    KnotState { position, velocity, acceleration }
}

/// In 400-bit arithmetic: each computed value is within its error of the controller's, and no value on a part, nor
/// that of a derivative, is outside its bounds.
#[test]
fn the_controllers_polynomials_stay_within_their_bounds() {
    let mut random = Random::new(61);
    let (mut used, mut tight) = (0.0f64, 0);
    for number in 0..cases(1_000) {
        let fields = random.below(3);
        let size = 10f64.powi(random.below(8) as i32 - 4);
        let duration = 10f64.powf(random.between(-3.0, 2.0));
        let (start, goal) = (random_state(&mut random, size, fields), random_state(&mut random, size, fields));
        let position = Polynomial::between(start, goal, duration);
        assert_eq!((position.start(), position.end()), (start.position, goal.position));
        let velocity = position.derivative();
        let powers = controller(start, goal, duration);
        let level = random.below(12);
        let (from, length) = (random.below(1 << level) as f64 / f64::from(1 << level), 0.5f64.powi(level as i32));
        for (order, polynomial) in [position, velocity, velocity.derivative()].into_iter().enumerate() {
            let derived = derived(&powers, order);
            let scale = (0..order).fold(real(1.0), |scale, _| scale * real(duration));
            let [low, high] = polynomial.range_over(from, from + length);
            let [least, largest] = polynomial.range();
            let (size_here, size) = (polynomial.upper_size_over(from, from + length), polynomial.upper_size());
            let mut spread = [f64::INFINITY, f64::NEG_INFINITY];
            for sample in 0..=16 {
                let t = from + length * f64::from(sample) / 16.0;
                let exact = horner(&derived, &(real(t) * real(duration))) * &scale;
                let off = (real(polynomial.value_at(t)) - &exact).to_f64().value().abs();
                let error = polynomial.value_error();
                assert!(off <= error, "case {number}, order {order}: off by {off} of {error}");
                used = used.max(if error > 1e-300 { off / error } else { 0.0 });
                // 400 bits are rounded too.
                let noise = real(1e-90);
                for [low, high] in [[low, high], [least, largest], [-size_here, size_here], [-size, size]] {
                    let is_within = real(low) - &noise <= exact && exact <= real(high) + &noise;
                    assert!(is_within, "case {number}, order {order}: {exact} in {low}, {high}");
                }
                let exact = exact.to_f64().value();
                spread = [spread[0].min(exact), spread[1].max(exact)];
            }
            tight += usize::from(level > 5 && high - low <= 1.5 * (spread[1] - spread[0]) + 1e-9 * size);
        }
    }
    // The bounds are useful, and the errors not far above the actual ones.
    assert!(used > 0.02 && tight > 200, "{used} {tight}");
}

#[test]
fn powers_and_bezier_points_are_the_same_polynomial() {
    let mut random = Random::new(62);
    for _ in 0..500 {
        let degree = random.below(6);
        let powers: Vec<f64> = (0..=degree).map(|_| random.between(-2.0, 2.0)).collect();
        let duration = random.between(0.1, 3.0);
        let ours = Polynomial::from_powers(&powers, duration).expect("a polynomial");
        let again = Polynomial::from_bernstein(ours.coefficients()).expect("a polynomial");
        for sample in 0..=8 {
            let t = f64::from(sample) / 8.0;
            let exact = horner(&powers.iter().map(|c| real(*c)).collect::<Vec<_>>(), &(real(t) * real(duration)));
            let off = (real(ours.value_at(t)) - exact).to_f64().value().abs();
            assert!(off <= ours.value_error() && off <= 1e-12, "{off}");
            assert_eq!(ours.value_at(t), again.value_at(t));
        }
    }
    assert!(Polynomial::from_powers(&[], 1.0).is_none() && Polynomial::from_bernstein(&[0.0; 7]).is_none());
}

/// Closed forms: joints that rest or go straight have no error.
#[test]
fn rest_and_straight_lines_have_no_error() {
    let rest = KnotState { position: 0.3, velocity: Some(0.0), acceleration: Some(0.0) };
    for polynomial in [Polynomial::constant(0.3), Polynomial::between(rest, rest, 2.0), Polynomial::line(0.3, 0.3)] {
        assert_eq!((polynomial.value_error(), polynomial.derivative().upper_size()), (0.0, 0.0));
        assert!(polynomial.is_straight() && polynomial.range_over(0.25, 0.5) == [0.3, 0.3]);
    }
    // Minimum jerk: 15/8 of the mean speed in the middle, and 10/√3 the largest acceleration.
    let [from, to] = [0.0, 1.0].map(|position| KnotState { position, ..rest });
    let quintic = Polynomial::between(from, to, 4.0);
    let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
    assert!(near(quintic.derivative().value_at(0.5), 1.875) && near(quintic.value_at(0.5), 0.5));
    let peak = 0.5 - 3f64.sqrt() / 6.0;
    assert!(near(quintic.derivative().derivative().value_at(peak), 10.0 / 3f64.sqrt()));
    let over = quintic.derivative().derivative().upper_size_over(peak - 0.005, peak + 0.005);
    assert!(over >= 10.0 / 3f64.sqrt() && over <= 1.001 * 10.0 / 3f64.sqrt(), "{over}");
}

/// One joint, q = 2t² and a point 1 m from its axis: at t it is accelerated by √(4² + (4t)⁴).
#[test]
fn the_bound_of_one_joint_that_speeds_up_has_both_parts_of_its_acceleration() {
    let spec = JointSpec::new("j", JointKind::Revolute { axis: DVec3::Z }, "l0", "l1", Pose::IDENTITY);
    let model = Model::new("l0", vec!["l0".into(), "l1".into()], vec![spec]).expect("a model");
    let polynomial = Polynomial::from_powers(&[0.0, 0.0, 2.0], 1.0).expect("a polynomial");
    let piece = CurvePiece::new(&model, &[polynomial]).expect("a piece");
    let motion = SegmentMotion::along(&model, &piece).expect("a motion");
    let extent = Extent::new(&model, 1, &Pose::IDENTITY, [(DVec3::X, 0.0)]);
    let mut kinematics = Kinematics::new(&model);
    for (middle, length) in [(0.5, 1.0), (0.75, 0.5), (1.0 - 0.5f64.powi(11), 0.5f64.powi(10))] {
        kinematics.set_time(&motion, middle);
        let bound = cell(&model, &motion, &mut kinematics, &extent, 0, length);
        let end: f64 = middle + length / 2.0;
        let sum = 4.0 + (4.0 * end).powi(2);
        let second_order = 8.0 * bound.upper_bend / (length * length);
        // No less than the acceleration in the middle, and no more than both parts together at the end.
        let truth = (4.0f64.powi(2) + (4.0 * middle).powi(4)).sqrt();
        assert!(second_order >= truth && second_order <= sum * 1.0001, "{bound:?}");
        // The way over the later half is 2 (end² − middle²).
        let way = 2.0 * (end * end - middle * middle);
        assert!(bound.upper_displacement >= way, "{bound:?} {way}");
        assert!(bound.upper_displacement - way <= 40.0 * length * length, "{bound:?} {way}");
    }
}

/// The median ratio of bound to arc, for the farthest point over a cell, for arms that move along curves and along
/// straight lines.
#[test]
fn bounds_on_curves_are_as_tight_as_on_straight_lines() {
    let mut random = Random::new(63);
    let mut ratios = [[Vec::new(), Vec::new()], [Vec::new(), Vec::new()]];
    for _ in 0..cases(300).min(20_000) {
        let robot = random_robot(&mut random, 6, Mix::Revolute, 0.4);
        let model = &robot.model;
        let start = random_configuration(&mut random, model, 3.0, 1.0);
        let goal = random_step(&mut random, model, &start, 1.0);
        let curve = random_curve(&mut random, model, &start, &goal, 0.5);
        let motions = [SegmentMotion::new(model, &start, &goal), SegmentMotion::along(model, &curve.piece)]
            .map(|m| m.expect("one"));
        let extent = Extent::new(model, 6, &Pose::IDENTITY, [(random.point(0.2), 0.0)]);
        let point = extent.ends_in_frame[0];
        let mut kinematics = Kinematics::new(model);
        for (kind, motion) in motions.iter().enumerate() {
            for (fine, level) in [4, 6].into_iter().enumerate() {
                let length = 0.5f64.powi(level);
                let middle = length * (random.below(1 << level) as f64 + 0.5);
                kinematics.set_time(motion, middle);
                let bound = cell(model, motion, &mut kinematics, &extent, 0, length);
                let mut place = |t: f64| {
                    kinematics.set_time(motion, t);
                    kinematics.world_from_frame(model, extent.frame).point(point)
                };
                let from = middle - length / 2.0;
                let places: Vec<DVec3> = (0..=32).map(|i| place(from + length * f64::from(i) / 32.0)).collect();
                let arc: f64 = places.windows(2).map(|pair| (pair[1] - pair[0]).length()).sum();
                if arc > 1e-4 * length {
                    ratios[kind][fine].push(2.0 * bound.upper_displacement / arc);
                }
            }
        }
    }
    let median = |ratios: &mut Vec<f64>| {
        ratios.sort_by(f64::total_cmp);
        ratios[ratios.len() / 2]
    };
    let [[straight, straight_fine], [curved, curved_fine]] = ratios.each_mut().map(|kind| kind.each_mut().map(median));
    if std::env::var_os("PATHPROOF_CASES").is_some() {
        eprintln!("straight {straight} {straight_fine}, curved {curved} {curved_fine}");
    }
    assert!(curved_fine <= 1.3 && curved <= 1.2 * straight, "{curved_fine} at 1/64, {curved} and {straight} at 1/16");
}

#[test]
fn what_is_no_curve_is_refused() {
    let mut random = Random::new(64);
    let floating = JointSpec::new("fly", JointKind::Floating, "l0", "l1", Pose::IDENTITY);
    let model = Model::new("l0", vec!["l0".into(), "l1".into()], vec![floating]).expect("a model");
    let q = random_configuration(&mut random, &model, 1.0, 1.0);
    let mut still: Vec<Polynomial> = q.iter().map(|q| Polynomial::constant(*q)).collect();
    let bent = Polynomial::from_powers(&[0.0, 0.5, 0.5], 1.0).expect("a polynomial");
    still[0] = bent;
    let good = CurvePiece::new(&model, &still).expect("a piece");
    assert!(!good.is_straight());
    let jump = Curve::new(&model, vec![good.clone(), good.clone()]).expect_err("a jump");
    assert_eq!(jump, CurveError::Jump { piece: 1, variable: "fly.x".into(), end: 1.0, start: 0.0 });
    assert_eq!(Curve::new(&model, vec![]), Err(CurveError::Empty));
    assert!(matches!(CurvePiece::new(&model, &still[1..]), Err(MotionError::Length { expected: 7, given: 6 })));
    let mut broken = still.clone();
    broken[5] = bent;
    assert!(matches!(CurvePiece::new(&model, &broken), Err(MotionError::CurvedRotation { .. })));
    for nothing in [f64::NAN, f64::INFINITY, 1e200] {
        broken[5] = still[5];
        broken[1] = Polynomial::from_bernstein(&[0.0, nothing, 0.0]).expect("a polynomial");
        assert!(matches!(CurvePiece::new(&model, &broken), Err(MotionError::NotFinite { .. })), "{nothing}");
    }
}

/// A slide that bows out to 2 m between ends at 0, on a joint that turns fast. Where it is farthest out a point moves
/// at the rate times 2 m, though at both ends it is next to the axis.
#[test]
fn radii_reach_where_a_slide_is_between_its_ends() {
    let turn = JointSpec::new("turn", JointKind::Revolute { axis: DVec3::Z }, "l0", "l1", Pose::IDENTITY);
    let slide = JointSpec::new("slide", JointKind::Prismatic { axis: DVec3::X }, "l1", "l2", Pose::IDENTITY);
    let links = ["l0", "l1", "l2"].map(str::to_owned).to_vec();
    let model = Model::new("l0", links, vec![turn, slide]).expect("a model");
    let bow = Polynomial::from_powers(&[0.0, 8.0, -8.0], 1.0).expect("a polynomial");
    let motion =
        SegmentMotion::along(&model, &CurvePiece::new(&model, &[Polynomial::line(0.0, 100.0), bow]).expect("one"));
    let motion = motion.expect("a motion");
    let extent = Extent::new(&model, 2, &Pose::IDENTITY, [(DVec3::ZERO, 0.0)]);
    assert!(lambda(&model, &motion, &extent, 0) >= 200.0);
    assert!(motion.rate(2).from_world.offset >= 2.0);
    let mut kinematics = Kinematics::new(&model);
    kinematics.set_time(&motion, 0.5);
    assert!(cell(&model, &motion, &mut kinematics, &extent, 0, 1.0 / 64.0).upper_displacement >= 200.0 / 128.0);
}

/// In 400-bit arithmetic: the position of a slide and a turn is within the error that is charged to proofs, also where
/// powers cancel.
#[test]
fn poses_on_a_curve_err_by_less_than_their_bound() {
    let mut random = Random::new(65);
    let turn = JointSpec::new("turn", JointKind::Revolute { axis: DVec3::Z }, "l0", "l1", Pose::IDENTITY);
    let slide = JointSpec::new("slide", JointKind::Prismatic { axis: DVec3::X }, "l1", "l2", Pose::IDENTITY);
    let links = ["l0", "l1", "l2"].map(str::to_owned).to_vec();
    let model = Model::new("l0", links, vec![turn, slide]).expect("a model");
    let mut kinematics = Kinematics::new(&model);
    let mut used = 0.0f64;
    for number in 0..cases(2_000) {
        let size = [1.0, 1e3, 1e6][random.below(3)];
        let powers = [0, 1].map(|_| [0; 6].map(|_| random.between(-size, size)));
        let polynomials = powers.map(|powers| Polynomial::from_powers(&powers, 1.0).expect("a polynomial"));
        let motion =
            SegmentMotion::along(&model, &CurvePiece::new(&model, &polynomials).expect("a piece")).expect("one");
        let t = random.below(1 << 20) as f64 / f64::from(1 << 20);
        kinematics.set_time(&motion, t);
        let ours = kinematics.world_from_link(&model, 2).translation;
        let [angle, out] = powers.map(|powers| horner(&powers.map(real), &real(t)));
        let (sine, cosine) = angle.sin_cos();
        let off = |exact: Real, ours: f64| (exact - real(ours)).to_f64().value();
        let off = off(cosine * &out, ours.x).hypot(off(sine * &out, ours.y));
        let bound = motion.position_error(2, 0.0);
        assert!(off <= bound, "{number}: {off} of {bound}");
        used = used.max(off / bound);
    }
    assert!(used > 1e-3, "{used}");
}
