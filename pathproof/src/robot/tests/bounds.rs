//! Sampling never exceeds a bound. `PATHPROOF_CASES=100000 cargo test --release -p pathproof robot::tests::bounds` is
//! the full run.

use super::curves::{RandomCurve, random_curve};
use super::*;
use crate::numeric::DMat3;
use crate::robot::bounds::{cell, lambda, lambdas, rho_times_distance, upper_closing};
use crate::robot::{Carried, CellBound, Dyadic, Extent, Kinematics, SegmentMotion, upper_displacement_of};

const SAMPLES: usize = 16; // a cell, and even, so that the midpoint is one

/// One point of one body on one cell, with everything that bounds its motion.
struct Case {
    robot: Robot,
    motion: SegmentMotion,
    /// The curve of the motion, unless it is straight.
    curve: Option<RandomCurve>,
    extent: Extent,
    ancestor: usize,
    /// The points of the body, in its link's frame.
    points: Vec<DVec3>,
    link: usize,
    position: Dyadic,
    length: f64,
}

/// Selects straight or curved motions.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Straight,
    Curved,
}

fn random_case(random: &mut Random, number: usize, shape: Shape) -> Case {
    let count = 1 + random.below([3, 8, 8, 16, 60][number % 5]);
    let mix = [Mix::Revolute, Mix::Serial, Mix::Everything][random.below(3)];
    let size = [0.0, 1.0, 1.0][random.below(3)];
    let robot = random_robot(random, count, mix, size);
    let start = random_configuration(random, &robot.model, 3.2, 1.0);
    let reach = [1e-9, 0.1, 0.5, 3.0][random.below(4)];
    let goal = random_step(random, &robot.model, &start, reach);
    let curve = (shape == Shape::Curved).then(|| random_curve(random, &robot.model, &start, &goal, reach));
    let motion = match &curve {
        Some(curve) => SegmentMotion::along(&robot.model, &curve.piece),
        None => SegmentMotion::new(&robot.model, &start, &goal),
    };
    let motion = motion.expect("a motion");
    let link = robot.model.links().len() - 1 - random.below(2);
    let stretch = random.point(1.0).abs() * [0.01, 1.0][random.below(2)];
    let shift = random.point(1.0) * random.below(2) as f64;
    let many = 1 + random.below(8);
    let points: Vec<DVec3> = (0..many).map(|_| random.point(1.0) * stretch + shift).collect();
    let link_from_body = random.pose(1.0);
    let balls = points.iter().map(|&p| (link_from_body.inverse_point(p), 0.0));
    let extent = Extent::new(&robot.model, link, &link_from_body, balls);
    let mut ancestor = 0;
    if random.below(2) == 0 {
        ancestor = extent.frame;
        for _ in 0..random.below(5) {
            ancestor = robot.model.frames()[ancestor].parent;
        }
    }
    let level = random.below(7) as u32;
    let index = random.below(1 << level) as u64;
    let position = Dyadic::midpoint(level, index).expect("a level");
    Case { robot, motion, curve, extent, ancestor, points, link, position, length: 0.5f64.powi(level as i32) }
}

impl Case {
    /// Positions of a point relative to the ancestor at the samples of the cell; by the oracle.
    fn path(&self, link: usize, point: DVec3) -> Vec<DVec3> {
        let model = &self.robot.model;
        let ancestor_link = model.frames()[self.ancestor].joint.map_or(0, |joint| model.joints()[joint].child);
        let names = [ancestor_link, link].map(|link| &model.links()[link].name);
        let from = self.position.value() - self.length / 2.0;
        let at = |sample: usize| {
            let t = from + self.length * sample as f64 / SAMPLES as f64;
            let mut q = self.robot.oracle_configuration(self.motion.start(), self.motion.goal(), t);
            if let Some(curve) = &self.curve {
                curve.oracle_configuration(t, &mut q);
            }
            let [ancestor, body] = names.map(|name| self.robot.oracle_pose(&q, name));
            ancestor.inverse_point(body.point(point))
        };
        (0..=SAMPLES).map(at).collect()
    }

    /// The velocity of a point at m according to the bound, in the ancestor's axes.
    fn velocity(&self, kinematics: &mut Kinematics, bound: &CellBound, point: DVec3) -> DVec3 {
        let model = &self.robot.model;
        let ancestor_link = model.frames()[self.ancestor].joint.map_or(0, |joint| model.joints()[joint].child);
        let place = kinematics.world_from_link(model, self.link).point(point);
        kinematics.world_from_link(model, ancestor_link).inverse_vector(bound.twist.velocity_at(place))
    }

    fn bound(&self, kinematics: &mut Kinematics) -> CellBound {
        kinematics.set_time(&self.motion, self.position.value());
        cell(&self.robot.model, &self.motion, kinematics, &self.extent, self.ancestor, self.length)
    }
}

#[test]
fn no_sampled_motion_ever_exceeds_its_bound() {
    check_motions(51, Shape::Straight);
}

#[test]
fn no_sampled_motion_along_a_curve_ever_exceeds_its_bound() {
    check_motions(57, Shape::Curved);
}

fn check_motions(seed: u64, shape: Shape) {
    let mut random = Random::new(seed);
    let (mut closest, mut closest_stray) = (0.0f64, 0.0f64);
    for number in 0..cases(4_000) {
        let case = random_case(&mut random, number, shape);
        let model = &case.robot.model;
        let mut kinematics = Kinematics::new(model);
        let bound = case.bound(&mut kinematics);
        let whole = case.length * lambda(model, &case.motion, &case.extent, case.ancestor);
        let mut arcs = Vec::new();
        lambdas(model, &case.motion, &case.extent, &mut arcs);
        let [frame, ancestor] = [case.extent.frame, case.ancestor].map(|frame| &model.frames()[frame]);
        assert_eq!(case.length * arcs[frame.depth - ancestor.depth], whole, "{number}");
        let coarse = case.length * rho_times_distance(model, &case.motion, &case.extent, case.ancestor);
        let moved_at_most = bound.upper_displacement;
        assert!(whole <= coarse * (1.0 + 1e-12) && 2.0 * moved_at_most <= whole * (1.0 + 1e-12), "{number}");
        // The oracle rounds too: by less than this, at these sizes.
        let noise = 1e-14 * (model.frames().len() + 2) as f64 * (model.frames().len() + 2) as f64;
        let point = case.points[random.below(case.points.len())];
        let path = case.path(case.link, point);
        let velocity = case.velocity(&mut kinematics, &bound, point);
        let half = case.length / 2.0;
        for (sample, place) in path.iter().enumerate() {
            let fraction = sample as f64 / (SAMPLES / 2) as f64 - 1.0;
            let displacement = *place - path[SAMPLES / 2];
            let moved = displacement.length();
            assert!(moved <= moved_at_most + noise, "{number}: moved {moved} of {moved_at_most}");
            if moved > 1e-6 {
                closest = closest.max(moved / moved_at_most);
            }
            // The part that the twist does not explain grows with the square of the time, as gaps over a half assume;
            // only the error of the velocity itself grows with the time.
            let strayed = (displacement - velocity * (fraction * half)).length();
            let most = bound.upper_bend * fraction * fraction;
            assert!(strayed <= most + noise, "{number}: strays by {strayed} of {most}");
            if strayed > 1e-6 {
                closest_stray = closest_stray.max(strayed / most);
            }
        }
        check_directions(&mut random, &case, &mut kinematics, &bound, point, &path, noise);
    }
    // The bounds are not merely large: some cases come close to them.
    assert!(closest > 0.98 && closest_stray > 0.98, "{closest} {closest_stray}");
}

/// A comparison by `>` once chose the end of a capsule farther from an axis and dropped a first end that was NaN: the
/// remaining bound held for the second end only.
#[test]
fn an_end_of_the_body_that_is_not_a_number_leaves_no_bound() {
    let joint = JointSpec::new("j", JointKind::Revolute { axis: DVec3::Z }, "base", "link", Pose::IDENTITY);
    let model = Model::new("base", vec!["base".into(), "link".into()], vec![joint]).expect("a model");
    let motion = SegmentMotion::new(&model, &[0.0], &[1.0]).expect("a motion");
    let whole = Extent::new(&model, 1, &Pose::IDENTITY, [(DVec3::X, 0.0), (2.0 * DVec3::X, 0.0)]);
    for lost in 0..2 {
        let mut extent = whole;
        extent.ends_in_frame[lost] = DVec3::NAN;
        let mut kinematics = Kinematics::new(&model);
        kinematics.set_time(&motion, 0.5);
        let bound = cell(&model, &motion, &mut kinematics, &extent, 0, 1.0);
        assert!(bound.upper_displacement.is_nan() && bound.upper_bend.is_nan(), "end {lost}: {bound:?}");
    }
}

/// Displacement along directions, for a box of the body that has the point in it.
fn check_directions(
    random: &mut Random,
    case: &Case,
    kinematics: &mut Kinematics,
    bound: &CellBound,
    point: DVec3,
    path: &[DVec3],
    noise: f64,
) {
    let model = &case.robot.model;
    let middle = path[SAMPLES / 2];
    let world_from_link = kinematics.world_from_link(model, case.link);
    let ancestor_link = model.frames()[case.ancestor].joint.map_or(0, |joint| model.joints()[joint].child);
    let world_from_ancestor = kinematics.world_from_link(model, ancestor_link);
    let half_extents = random.point(0.2).abs() * random.below(2) as f64;
    let inside = half_extents * random.point(1.0);
    let link_from_box = random.pose(0.0).rotation;
    let centre = world_from_link.point(point - link_from_box * inside);
    let world_from_box: DMat3 = world_from_link.rotation * link_from_box;
    for direction in [random.direction(), (path[SAMPLES] - middle).normalize_or(DVec3::X), DVec3::Z] {
        let in_world = world_from_ancestor.vector(direction);
        let upper = bound.upper_displacement_along(in_world, centre, &world_from_box, half_extents);
        for (sample, place) in path.iter().enumerate() {
            let moved = direction.dot(*place - middle);
            let upper = upper[usize::from(sample > SAMPLES / 2)];
            assert!(moved <= upper + noise, "moved {moved} of {upper} at sample {sample}");
        }
    }
}

/// Two bodies of one tree, or of two robots (the world is their common ancestor): the gap along any direction fixed to
/// the common ancestor shrinks by no more than the closing bound.
#[test]
fn gaps_between_two_bodies_never_shrink_faster_than_their_bound() {
    check_gaps(56, Shape::Straight);
    check_gaps(58, Shape::Curved);
}

fn check_gaps(seed: u64, shape: Shape) {
    let mut random = Random::new(seed);
    for number in 0..cases(3_000) {
        let mut case = random_case(&mut random, 1 + number % 3, shape);
        let model = &case.robot.model;
        let points = [random.point(0.5), random.point(0.5)];
        let links = [(); 2].map(|()| random.below(model.links().len()));
        let extents = [0, 1].map(|i| Extent::new(model, links[i], &Pose::IDENTITY, [(points[i], 0.0)]));
        case.ancestor = model.common_ancestor(extents[0].frame, extents[1].frame);
        let mut kinematics = Kinematics::new(model);
        kinematics.set_time(&case.motion, case.position.value());
        let ancestor_link = model.frames()[case.ancestor].joint.map_or(0, |joint| model.joints()[joint].child);
        let world_from_ancestor = kinematics.world_from_link(model, ancestor_link);
        let direction = random.direction();
        let in_world = world_from_ancestor.vector(direction);
        let bounds = extents.map(|e| cell(model, &case.motion, &mut kinematics, &e, case.ancestor, case.length));
        let ranges = [0, 1].map(|i: usize| {
            let place = kinematics.world_from_link(model, links[i]).point(points[i]);
            bounds[i].along(in_world).range_over_box(place, &DMat3::IDENTITY, DVec3::ZERO)
        });
        // The second body is ahead: the gap closes where the first one is faster.
        let speeds = [ranges[1][1] - ranges[0][0], ranges[0][1] - ranges[1][0]];
        let bend = bounds[0].upper_bend + bounds[1].upper_bend;
        let upper = speeds.map(|speed| upper_closing(case.length / 2.0, speed, bend));
        let paths = [0, 1].map(|i: usize| case.path(links[i], points[i]));
        let gap = |sample: usize| direction.dot(paths[1][sample] - paths[0][sample]);
        for sample in 0..=SAMPLES {
            let closed = gap(SAMPLES / 2) - gap(sample);
            let upper = upper[usize::from(sample > SAMPLES / 2)];
            assert!(closed <= upper + 1e-12 * model.frames().len() as f64, "{number}: {closed} of {upper}");
        }
    }
}

/// A point of one body of a tree relative to another body, anywhere in the tree.
#[test]
fn no_point_gets_farther_than_its_bound_as_any_frame_sees_it() {
    check_points(59, Shape::Straight);
    check_points(60, Shape::Curved);
}

fn check_points(seed: u64, shape: Shape) {
    let mut random = Random::new(seed);
    let mut closest = 0.0f64;
    for number in 0..cases(4_000) {
        let mut case = random_case(&mut random, number, shape);
        let model = &case.robot.model;
        let point = random.point(1.0) * [0.0, 0.1, 2.0][random.below(3)];
        let (link, seer) = (random.below(model.links().len()), random.below(model.frames().len()));
        let frame = model.frame_of(link);
        let radius = model.links()[link].frame_from_link.point(point).length() * (1.0 + 1e-12);
        let mut kinematics = Kinematics::new(model);
        kinematics.set_time(&case.motion, case.position.value());
        let carried = Carried { point: kinematics.world_from_link(model, link).point(point), radius, frame };
        let ancestor = model.common_ancestor(frame, seer);
        let moved_at_most =
            upper_displacement_of(model, &case.motion, &mut kinematics, &carried, seer, ancestor, case.length);
        let noise = 1e-14 * (model.frames().len() + 2) as f64 * (model.frames().len() + 2) as f64;
        case.ancestor = seer;
        let path = case.path(link, point);
        for place in &path {
            let moved = (*place - path[SAMPLES / 2]).length();
            assert!(moved <= moved_at_most + noise, "{number}: moved {moved} of {moved_at_most}");
            if moved > 1e-6 {
                closest = closest.max(moved / moved_at_most);
            }
        }
    }
    assert!(closest > 0.98, "{closest}");
}

#[test]
fn bounds_are_zero_for_what_does_not_move() {
    let mut random = Random::new(52);
    for number in 0..200 {
        let shape = [Shape::Straight, Shape::Curved][number % 2];
        let mut case = random_case(&mut random, number, shape);
        case.ancestor = case.extent.frame;
        let bound = case.bound(&mut Kinematics::new(&case.robot.model));
        assert!(bound.upper_displacement == 0.0 && bound.twist.angular == DVec3::ZERO);
        assert_eq!(lambda(&case.robot.model, &case.motion, &case.extent, case.ancestor), 0.0);
    }
}

#[test]
fn every_ball_lies_in_the_capsule_of_its_body() {
    let mut random = Random::new(53);
    let robot = random_robot(&mut random, 2, Mix::Revolute, 1.0);
    for case in 0..2_000 {
        let count = 1 + random.below(20);
        let stretch = random.point(1.0).abs() * [1.0, 1e-6, 0.0][case % 3] + DVec3::X * random.unit();
        let ball = |random: &mut Random| (random.point(1.0) * stretch, random.unit() * [0.0, 0.3][case % 2]);
        let balls: Vec<(DVec3, f64)> = (0..count).map(|_| ball(&mut random)).collect();
        let link_from_body = random.pose(2.0);
        let extent = Extent::new(&robot.model, 2, &link_from_body, balls.iter().copied());
        let frame_from_body = robot.model.links()[2].frame_from_link * link_from_body;
        let [from, to] = extent.ends_in_frame;
        for (centre, radius) in balls {
            let p = frame_from_body.point(centre);
            let along =
                (to - from) * ((p - from).dot(to - from) / (to - from).length_squared().max(1e-300)).clamp(0.0, 1.0);
            assert!((p - from - along).length() + radius <= extent.radius, "{case}");
            assert!(
                p.length() + radius <= extent.origin_radius && p.truncate().length() + radius <= extent.axis_radius
            );
        }
    }
}

#[test]
fn a_body_with_a_nan_is_never_bounded() {
    let mut random = Random::new(54);
    let mut case = random_case(&mut random, 1, Shape::Straight);
    let nan = [(DVec3::ZERO, 0.0), (DVec3::new(0.0, f64::NAN, 0.0), 0.0)];
    case.extent = Extent::new(&case.robot.model, case.link, &Pose::IDENTITY, nan);
    let bound = case.bound(&mut Kinematics::new(&case.robot.model));
    assert!(bound.upper_displacement.is_nan() || bound.upper_displacement > 1e300);
}
