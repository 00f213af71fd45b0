//! Random robots of every joint type, and forward kinematics written a second time as the oracle.

mod bounds;
mod curves;
mod kinematics;
mod model;
mod precision;

use crate::numeric::{DQuat, DVec3, Pose, Random};
use crate::robot::{JointKind, JointSpec, Mimic, Model};

/// A model with the description it was made from.
struct Robot {
    model: Model,
    specs: Vec<JointSpec>,
}

/// Number of random cases: `PATHPROOF_CASES` or a number small enough for every test run.
fn cases(usual: usize) -> usize {
    std::env::var("PATHPROOF_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Joint types of a random robot.
#[derive(Clone, Copy, PartialEq)]
enum Mix {
    Revolute,
    Serial,
    Everything,
}

/// A chain (or for `Everything` a tree) of `count` joints with offsets of about `size` metres.
fn random_robot(random: &mut Random, count: usize, mix: Mix, size: f64) -> Robot {
    let mut specs: Vec<JointSpec> = Vec::new();
    for index in 0..count {
        let mut parent = index;
        if mix == Mix::Everything && random.below(4) == 0 {
            parent = random.below(index + 1);
        }
        let axis = match random.below(4) {
            0 => [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::Z][random.below(4)],
            1 => DVec3::Z,
            _ => random.direction() * random.between(0.1, 3.0),
        };
        let kind = match (mix, random.below(12)) {
            (Mix::Revolute, _) | (_, 0..6) => JointKind::Revolute { axis },
            (_, 6..8) => JointKind::Prismatic { axis },
            (Mix::Serial, _) => JointKind::Revolute { axis },
            (_, 8) => JointKind::Planar { axis },
            (_, 9) => JointKind::Floating,
            _ => JointKind::Fixed,
        };
        let xyz = if random.below(4) == 0 { DVec3::X } else { random.point(1.0) } * size;
        let rpy = if random.below(3) == 0 { DVec3::ZERO } else { random.point(3.0) };
        let pose = Pose::from_xyz_rpy(xyz.to_array(), rpy.to_array());
        let name = format!("j{index}");
        let mut spec = JointSpec::new(&name, kind, &format!("l{parent}"), &format!("l{}", index + 1), pose);
        let drivers: Vec<String> = specs
            .iter()
            .filter(|s| s.mimic.is_none() && s.kind.variable_count() == 1)
            .map(|s| s.name.clone())
            .collect();
        if mix == Mix::Everything && kind.variable_count() == 1 && !drivers.is_empty() && random.below(5) == 0 {
            let joint = drivers[random.below(drivers.len())].clone();
            spec.mimic =
                Some(Mimic { joint, multiplier: random.between(-2.0, 2.0), offset: random.between(-0.5, 0.5) });
        }
        specs.push(spec);
    }
    let links = (0..=count).map(|i| format!("l{i}")).collect();
    let model = Model::new("l0", links, specs.clone()).expect("a tree");
    assert_eq!(model.broken_invariant(), None);
    Robot { model, specs }
}

/// A random configuration: angles in ±`angle`, slides in ±`slide`.
fn random_configuration(random: &mut Random, model: &Model, angle: f64, slide: f64) -> Vec<f64> {
    let mut q = Vec::new();
    for variable in model.variables() {
        let joint = &model.joints()[variable.joint];
        q.push(match (joint.kind, variable.component) {
            (JointKind::Revolute { .. }, _) | (JointKind::Planar { .. }, 2) => random.between(-angle, angle),
            _ => random.between(-slide, slide),
        });
        if joint.kind == JointKind::Floating && variable.component == 6 {
            let at = q.len() - 4;
            let axis = random.direction();
            let turn = DQuat::from_axis_angle(axis, random.between(-1.0, 1.0) * angle.min(3.0));
            q[at..].copy_from_slice(&turn.to_array());
        }
    }
    q
}

/// A configuration near `q`: every joint changes by at most `reach`, some not at all.
fn random_step(random: &mut Random, model: &Model, q: &[f64], reach: f64) -> Vec<f64> {
    let mut goal = q.to_vec();
    for (index, variable) in model.variables().iter().enumerate() {
        let is_floating = model.joints()[variable.joint].kind == JointKind::Floating;
        if is_floating && variable.component > 3 || random.below(8) == 0 {
            continue;
        }
        if is_floating && variable.component == 3 {
            let start = DQuat::from_slice(&q[index..index + 4]);
            let turn = DQuat::from_axis_angle(random.direction(), random.between(0.0, reach.min(2.5)));
            let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
            goal[index..index + 4].copy_from_slice(&((turn * start).normalize() * sign).to_array());
        } else {
            goal[index] += random.between(-reach, reach);
        }
    }
    goal
}

impl Robot {
    /// World pose of a link, by the conventions of docs/path-file.md and without the model's shortcuts.
    fn oracle_pose(&self, q: &[f64], link: &str) -> Pose {
        let Some(spec) = self.specs.iter().find(|spec| spec.child == link) else { return Pose::IDENTITY };
        let value = |name: &str| q[self.model.variable(name).expect("a variable")];
        let single = || match &spec.mimic {
            Some(mimic) => value(&mimic.joint) * mimic.multiplier + mimic.offset,
            None => value(&spec.name),
        };
        let part = |suffix: &str| value(&format!("{}.{suffix}", spec.name));
        let moved = match spec.kind {
            JointKind::Fixed => Pose::IDENTITY,
            JointKind::Revolute { axis } => Pose::from_axis_angle(axis.normalize(), single(), DVec3::ZERO),
            JointKind::Prismatic { axis } => Pose::from_translation(axis.normalize() * single()),
            JointKind::Planar { axis } => {
                let axis = axis.normalize();
                let turn = if axis.z < -1.0 + 1e-15 {
                    DQuat::from_axis_angle(DVec3::X, std::f64::consts::PI)
                } else {
                    DQuat::from_rotation_arc(DVec3::Z, axis)
                };
                let xy = turn * DVec3::new(part("x"), part("y"), 0.0);
                Pose::from_axis_angle(axis, part("theta"), xy)
            }
            JointKind::Floating => {
                let turn = DQuat::from_xyzw(part("qx"), part("qy"), part("qz"), part("qw"));
                Pose::from_quaternion(turn.normalize(), DVec3::new(part("x"), part("y"), part("z")))
            }
        };
        self.oracle_pose(q, &spec.parent) * spec.parent_from_joint * moved
    }

    /// q(t), by another formula than the motion's.
    fn oracle_configuration(&self, a: &[f64], b: &[f64], t: f64) -> Vec<f64> {
        let mut q: Vec<f64> = a.iter().zip(b).map(|(a, b)| a + t * (b - a)).collect();
        for (index, variable) in self.model.variables().iter().enumerate() {
            if self.model.joints()[variable.joint].kind == JointKind::Floating && variable.component == 3 {
                let [start, goal] = [a, b].map(|q| DQuat::from_slice(&q[index..index + 4]).normalize());
                q[index..index + 4].copy_from_slice(&slerp(start, goal, t).to_array());
            }
        }
        q
    }
}

fn slerp(start: DQuat, goal: DQuat, t: f64) -> DQuat {
    let goal = if start.dot(goal) < 0.0 { -goal } else { goal };
    let angle = 2.0 * ((start - goal).length() / 2.0).asin();
    if angle < 1e-9 {
        return (start * (1.0 - t) + goal * t).normalize();
    }
    (start * ((1.0 - t) * angle).sin() + goal * (t * angle).sin()) * (1.0 / angle.sin())
}
