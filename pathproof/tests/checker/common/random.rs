//! Random robots among random obstacles, and segments for them.

use pathproof::numeric::{DQuat, DVec3, Pose, Random};
use pathproof::robot::{JointKind, Mimic};
use pathproof::scene::PairRule;

use super::{Form, Oracle, Thing, World, at, box_mesh, opened, torus};

fn random_joint(random: &mut Random, variety: bool) -> JointKind {
    let axis = random.direction();
    match random.below(if variety { 10 } else { 6 }) {
        0..=4 => JointKind::Revolute { axis },
        5 | 6 => JointKind::Prismatic { axis },
        7 => JointKind::Planar { axis },
        8 => JointKind::Floating,
        _ => JointKind::Fixed,
    }
}

fn random_form(random: &mut Random, size: f64, is_convex: bool) -> Form {
    let mut s = || size * random.between(0.3, 1.0);
    let (x, y, z) = (s(), s(), s());
    match random.below(if is_convex { 5 } else { 8 }) {
        0 => Form::Ball(x / 2.0),
        1 => Form::Cuboid([x, y, z]),
        2 => Form::Cylinder(x / 2.0, z),
        3 => Form::Capsule(x / 3.0, z),
        4 => Form::Cuboid([x, y, 1e-3]),
        5 => box_mesh([x, y, z]),
        6 => opened(box_mesh([x, y, z])),
        _ => torus(x, x / 4.0, 8, 5),
    }
}

/// A link's bodies stretch along x, like an arm's.
fn arm(world: &mut World, random: &mut Random, robot: usize, joints: usize, variety: bool, is_convex: bool) {
    let length = 1.6 / joints as f64;
    let mut links = vec!["world".to_owned()];
    let base = Pose::from_translation(DVec3::new(0.0, 0.0, 1.3 * robot as f64) + random.point(0.2));
    let mut driver: Option<String> = None;
    for joint in 0..joints {
        // Mostly chains, now and then a tree.
        let parent = if joint > 1 && random.below(8) == 0 { 1 + random.below(joint) } else { joint };
        let link = format!("r{robot}/l{joint}");
        let place = if joint == 0 {
            base
        } else {
            Pose::from_axis_angle(random.direction(), random.between(-0.5, 0.5), DVec3::X * length)
        };
        let kind = random_joint(random, variety);
        world.link(&links[parent], &link, kind, place);
        let spec = world.joints.last_mut().unwrap();
        if kind.variable_count() == 1 {
            match &driver {
                Some(driver) if random.below(6) == 0 => {
                    spec.mimic = Some(Mimic {
                        joint: driver.clone(),
                        multiplier: random.between(-1.5, 1.5),
                        offset: random.between(-0.3, 0.3),
                    });
                }
                _ => driver = Some(spec.name.clone()),
            }
        }
        let thick = length.min(0.15) * random.between(0.3, 0.8);
        let mut parts = vec![(
            at(length / 2.0, 0.0, 0.0),
            if is_convex || random.below(2) == 0 {
                Form::Cuboid([length * 0.8, thick, thick])
            } else {
                box_mesh([length * 0.8, thick, thick])
            },
        )];
        if random.below(3) == 0 {
            parts.push((random.pose(length / 4.0), random_form(random, thick * 2.0, is_convex)));
        }
        world.things.push(Thing { name: link.clone(), link: link.clone(), parts });
        links.push(link);
    }
}

pub(crate) fn random_world(random: &mut Random, number: usize) -> World {
    let clearance = [0.0, 0.0, 1e-3, -1e-3][random.below(4)];
    let is_convex = clearance < 0.0;
    let mut world = World::new(clearance, [0.0, 1e-3, 1e-2][random.below(3)]);
    let joints = if number % 10 == 9 { 20 } else { 1 + random.below(8) };
    arm(&mut world, random, 0, joints, number.is_multiple_of(3), is_convex);
    if random.below(4) == 0 {
        let joints = 1 + random.below(4);
        arm(&mut world, random, 1, joints, false, is_convex);
    }
    for i in 0..1 + random.below(5) {
        let name = format!("obstacle {i}");
        let pose = Pose { translation: random.direction() * random.between(0.3, 1.8), ..random.pose(0.0) };
        let form = match random.below(6) {
            0 => Form::Capsule(2e-3, 1.0),
            1 => Form::Cuboid([0.8, 0.6, 1e-3]),
            _ => random_form(random, 0.5, is_convex),
        };
        world.thing(&name, "world", pose, form);
    }
    if random.below(5) == 0 {
        let normal = (DVec3::Z + random.point(0.3)).normalize();
        world.thing("ground", "world", at(0.0, 0.0, -random.between(0.4, 1.5)), Form::Plane(normal));
    }
    world
}

/// Limits for most joints of one variable, and whole factors for some that follow others: what clearance maps need.
pub(crate) fn limit_joints(world: &mut World, random: &mut Random) {
    for joint in &mut world.joints {
        if joint.kind.variable_count() == 1 && random.below(3) > 0 {
            let scale = if matches!(joint.kind, JointKind::Prismatic { .. }) { 0.2 } else { 1.0 };
            joint.limits = vec![Some((-scale * random.between(0.5, 3.0), scale * random.between(0.5, 3.0)))];
        }
        if let Some(mimic) = joint.mimic.as_mut().filter(|_| random.below(2) == 0) {
            mimic.multiplier = [-1.0, 1.0, 2.0][random.below(3)];
        }
    }
}

pub(crate) fn random_segment(random: &mut Random, world: &World, oracle_quaternions: &[usize]) -> [Vec<f64>; 2] {
    let count = world.model().variables().len();
    let mut start: Vec<f64> = (0..count).map(|_| random.between(-2.0, 2.0)).collect();
    let reach = [0.03, 0.3, 1.0, 3.0][random.below(4)];
    let mut goal: Vec<f64> = start.iter().map(|q| q + random.between(-reach, reach)).collect();
    for (i, variable) in world.model().variables().iter().enumerate() {
        // Slides are as long as a link, not as the room.
        if variable.kind == pathproof::robot::VariableKind::Length {
            (start[i], goal[i]) = (start[i] * 0.2, goal[i] * 0.2);
        }
    }
    for &i in oracle_quaternions {
        let turn = |random: &mut Random| DQuat::from_axis_angle(random.direction(), random.between(-1.4, 1.4));
        let first = turn(random);
        let second = first * DQuat::from_axis_angle(random.direction(), reach.min(2.5) * random.unit());
        start[i..i + 4].copy_from_slice(&first.to_array());
        goal[i..i + 4].copy_from_slice(&second.to_array());
    }
    [start, goal]
}

pub(crate) fn quaternions(world: &World) -> Vec<usize> {
    world.model().variables().iter().enumerate().filter(|(_, v)| v.name.ends_with(".qx")).map(|(i, _)| i).collect()
}

/// Links that touch where they are joined would collide always: such pairs are switched off.
pub(crate) fn prepare(world: &mut World, random: &mut Random) {
    let scene = world.scene();
    let oracle = Oracle::new(world, &scene);
    let quaternions = quaternions(world);
    for _ in 0..3 {
        let [q, _] = random_segment(random, world, &quaternions);
        let links = oracle.links(&q);
        for (a, b, clearance) in &oracle.pairs {
            let is_self = world.things[*a].link != "world" && world.things[*b].link != "world";
            let near = is_self && oracle.distance(&links, *a, *b, f64::INFINITY, false) <= clearance + 0.02;
            let is_known = world.rules.exceptions.iter().any(|(pair, _)| pair == &[*a, *b]);
            if near && !is_known && (a.abs_diff(*b) < 3 || random.below(2) == 0) {
                world.rules.exceptions.push(([*a, *b], PairRule::Skip));
            }
        }
    }
}

/// The bodies in reverse, with other names.
pub(crate) fn reordered(world: &World) -> World {
    let last = world.things.len() - 1;
    let mut turned = world.clone();
    turned.things.reverse();
    for (i, thing) in turned.things.iter_mut().enumerate() {
        thing.name = format!("renamed {i}");
    }
    for (pair, _) in &mut turned.rules.exceptions {
        *pair = pair.map(|body| last - body);
    }
    turned
}
