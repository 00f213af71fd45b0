//! Robots: arms with the published axis offsets and joint limits of the ABB IRB 2400 and the Fanuc LR Mate
//! 200i, and the papers' skinny linkages. Link shapes are plain solids about as thick as the real ones.
//!
//! Invariant: neighbours may overlap at their joint; links further apart are clear of each other at zero.

#![expect(clippy::approx_constant, reason = "published joint limits, rounded by their makers")]

use std::f64::consts::PI;

use glam::DVec3;

use super::refine::refine;
use super::{JointDescription, JointKind, LinkDescription, Placement, RobotDescription};
use crate::bodies::{Mesh, along, cuboid, cylinder, loft, posed, revolve, rod, union};
use pathproof::numeric::Pose;

const X: DVec3 = DVec3::X;
const Y: DVec3 = DVec3::Y;
const Z: DVec3 = DVec3::Z;

/// ABB IRB 2400: 0.1/0.615/0.705/0.135/0.755/0.085 m, 2,990 triangles.
pub(super) fn irb2400(name: &str, world_from_base: Placement) -> RobotDescription {
    let mut arm = Builder::new("irb2400", "base_link", Some(refine(&irb2400_base(), 480)));
    arm.revolute(refine(&irb2400_link_1(), 620), [0.0, 0.0, 0.0], Z, [-PI, PI]);
    arm.revolute(refine(&irb2400_link_2(), 480), [0.1, 0.0, 0.615], Y, [-1.7453, 1.9199]);
    arm.revolute(refine(&irb2400_link_3(), 620), [0.0, 0.0, 0.705], Y, [-1.0472, 1.1345]);
    arm.revolute(refine(&irb2400_link_4(), 440), [0.258, 0.0, 0.135], X, [-3.49, 3.49]);
    arm.revolute(refine(&irb2400_link_5(), 220), [0.497, 0.0, 0.0], Y, [-2.0944, 2.0944]);
    arm.revolute(refine(&flange(0.04, 0.012, 24), 130), [0.085, 0.0, 0.0], X, [-6.9813, 6.9813]);
    arm.finish(name, world_from_base, vec![0.0; 6])
}

/// The same arm with a thin rod across its flange.
pub(super) fn irb2400_with_rod(name: &str, world_from_base: Placement) -> RobotDescription {
    let mut arm = irb2400(name, world_from_base);
    arm.model = "irb2400_rod";
    let holder = rod(DVec3::ZERO, 0.08 * X, 0.02, 12);
    let long = rod(DVec3::new(0.08, -0.6, 0.0), DVec3::new(0.08, 0.6, 0.0), 0.006, 8);
    attach(&mut arm, "rod", union([holder, long]));
    arm
}

/// Fanuc LR Mate 200i with an arc welding gun: 0.35/0.15/0.25/0.075/0.29/0.08 m, 2,502 triangles.
pub(super) fn lrmate_with_gun(name: &str, world_from_base: Placement) -> RobotDescription {
    let mut arm = Builder::new("lrmate200i_gun", "base_link", Some(refine(&lrmate_base(), 320)));
    arm.revolute(refine(&lrmate_link_1(), 440), [0.0, 0.0, 0.35], Z, [-2.79, 2.79]);
    arm.revolute(refine(&lrmate_link_2(), 360), [0.15, 0.0, 0.0], Y, [-0.58, 2.65]);
    arm.revolute(refine(&lrmate_link_3(), 400), [0.0, 0.0, 0.25], -Y, [-2.61, 2.88]);
    arm.revolute(refine(&lrmate_link_4(), 332), [0.0, 0.0, 0.075], -X, [-3.32, 3.32]);
    arm.revolute(refine(&lrmate_link_5(), 150), [0.29, 0.0, 0.0], -Y, [-2.09, 2.09]);
    arm.revolute(refine(&flange(0.028, 0.008, 20), 100), [0.08, 0.0, 0.0], -X, [-6.28, 6.28]);
    let mut robot = arm.finish(name, world_from_base, vec![0.0; 6]);
    attach(&mut robot, "gun", refine(&gun(), 400));
    robot
}

/// A chain of `joints` links of 16 triangles, upright at zero, its axes by turns x and y.
pub(super) fn linkage(name: &str, joints: usize, world_from_base: Placement) -> RobotDescription {
    const LENGTH: f64 = 0.1;
    const RADIUS: f64 = 0.01;
    let mut chain = Builder::new("linkage", "base_link", None);
    for k in 0..joints {
        let origin = if k == 0 { [0.0; 3] } else { [0.0, 0.0, LENGTH] };
        // A little short of the joints at both ends, so that a bend does not widen the link's sweep.
        let mesh = rod(0.003 * Z, (LENGTH - 0.003) * Z, RADIUS, 5);
        chain.revolute(mesh, origin, if k % 2 == 0 { X } else { Y }, [-2.0, 2.0]);
    }
    chain.finish(name, world_from_base, vec![0.0; joints])
}

/// Adds links one after the other, each attached to the one before.
struct Builder {
    model: &'static str,
    links: Vec<LinkDescription>,
    joints: Vec<JointDescription>,
}

impl Builder {
    fn new(model: &'static str, root: &str, mesh: Option<Mesh>) -> Self {
        Self { model, links: vec![LinkDescription { name: root.into(), mesh }], joints: Vec::new() }
    }

    fn revolute(&mut self, mesh: Mesh, xyz: [f64; 3], axis: DVec3, limits: [f64; 2]) {
        let child = self.links.len();
        self.links.push(LinkDescription { name: format!("link_{child}"), mesh: Some(mesh) });
        self.joints.push(JointDescription {
            name: format!("joint_{child}"),
            kind: JointKind::Revolute,
            parent: child - 1,
            child,
            parent_from_joint: Placement { xyz, rpy: [0.0; 3] },
            axis,
            limits,
        });
    }

    fn finish(self, name: &str, world_from_base: Placement, start: Vec<f64>) -> RobotDescription {
        let Self { model, links, joints } = self;
        RobotDescription {
            name: name.into(),
            model,
            links,
            joints,
            disabled: Vec::new(),
            world_from_base,
            start,
            goal: None,
        }
    }
}

/// A further link, rigid on the last one.
fn attach(robot: &mut RobotDescription, name: &str, mesh: Mesh) {
    let child = robot.links.len();
    robot.links.push(LinkDescription { name: name.into(), mesh: Some(mesh) });
    robot.joints.push(JointDescription {
        name: format!("{name}_mount"),
        kind: JointKind::Fixed,
        parent: child - 1,
        child,
        parent_from_joint: Placement::default(),
        axis: X,
        limits: [0.0; 2],
    });
}

/// A tapered beam with chamfered rectangular ends, given by half widths along the x and y of [`along`].
pub(super) fn beam(from: DVec3, to: DVec3, half_from: [f64; 2], half_to: [f64; 2]) -> Mesh {
    let section = |z: f64, [x, y]: [f64; 2]| {
        let c = 0.3 * x.min(y);
        [(x, c - y), (x, y - c), (x - c, y), (c - x, y), (-x, y - c), (-x, c - y), (c - x, -y), (x - c, -y)]
            .map(|(x, y)| DVec3::new(x, y, z))
            .to_vec()
    };
    posed(&loft(&[section(0.0, half_from), section((to - from).length(), half_to)]), &along(from, to))
}

/// A frustum from one point to another.
pub(super) fn cone(from: DVec3, to: DVec3, radius_from: f64, radius_to: f64, n: u32) -> Mesh {
    posed(&cylinder(radius_from, radius_to, (to - from).length(), n), &along(from, to))
}

/// A cylinder across an axis of rotation: `half` to both sides along y.
fn hub(centre: DVec3, half: f64, radius: f64, n: u32) -> Mesh {
    rod(centre - half * Y, centre + half * Y, radius, n)
}

/// A disc with its face at x = 0.
fn flange(radius: f64, thickness: f64, n: u32) -> Mesh {
    rod(-thickness * X, DVec3::ZERO, radius, n)
}

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

fn irb2400_base() -> Mesh {
    let foot = revolve(&[(0.30, 0.0), (0.30, 0.04), (0.27, 0.06)], 28);
    let body = revolve(&[(0.25, 0.05), (0.23, 0.12), (0.21, 0.28)], 28);
    let plugs = posed(&cuboid(v(0.16, 0.24, 0.18)), &Pose::from_translation(v(-0.28, 0.0, 0.14)));
    union([foot, body, plugs])
}

fn irb2400_link_1() -> Mesh {
    let turntable = revolve(&[(0.23, 0.285), (0.23, 0.34), (0.19, 0.40)], 28);
    let cheek = |y: f64| beam(v(0.02, y, 0.36), v(0.1, y, 0.615), [0.035, 0.15], [0.035, 0.11]);
    let shoulder = hub(v(0.1, 0.0, 0.615), 0.19, 0.11, 28);
    let motor = rod(v(-0.13, 0.0, 0.36), v(-0.13, 0.0, 0.52), 0.07, 20);
    union([turntable, cheek(0.14), cheek(-0.14), shoulder, motor])
}

fn irb2400_link_2() -> Mesh {
    let lower = hub(DVec3::ZERO, 0.1, 0.105, 28);
    let upper = hub(v(0.0, 0.0, 0.705), 0.085, 0.09, 28);
    let arm = beam(DVec3::ZERO, v(0.0, 0.0, 0.705), [0.095, 0.085], [0.07, 0.07]);
    union([lower, arm, upper])
}

fn irb2400_link_3() -> Mesh {
    let elbow = hub(DVec3::ZERO, 0.12, 0.095, 28);
    let block = beam(v(0.0, 0.0, -0.03), v(0.0, 0.0, 0.2), [0.1, 0.11], [0.1, 0.09]);
    let front = cone(v(0.05, 0.0, 0.135), v(0.25, 0.0, 0.135), 0.1, 0.085, 24);
    let rear = |y: f64| rod(v(-0.28, y, 0.135), v(-0.05, y, 0.135), 0.05, 16);
    union([elbow, block, front, rear(0.055), rear(-0.055)])
}

/// Forearm with the wrist's fork; its prongs leave room for link 5 and the flange.
fn irb2400_link_4() -> Mesh {
    let tube = cone(DVec3::ZERO, 0.365 * X, 0.08, 0.07, 24);
    let prong = |y: f64| beam(v(0.33, y, 0.0), v(0.497, y, 0.0), [0.012, 0.05], [0.012, 0.04]);
    let boss = |y: f64| rod(v(0.497, y - 0.012, 0.0), v(0.497, y + 0.012, 0.0), 0.048, 16);
    union([tube, prong(0.064), prong(-0.064), boss(0.064), boss(-0.064)])
}

fn irb2400_link_5() -> Mesh {
    union([hub(DVec3::ZERO, 0.049, 0.046, 20), cone(DVec3::ZERO, 0.07 * X, 0.044, 0.04, 20)])
}

fn lrmate_base() -> Mesh {
    let foot = posed(&cuboid(v(0.3, 0.26, 0.03)), &Pose::from_translation(v(-0.02, 0.0, 0.015)));
    let body = revolve(&[(0.11, 0.02), (0.1, 0.1), (0.09, 0.23)], 24);
    let plugs = posed(&cuboid(v(0.1, 0.14, 0.12)), &Pose::from_translation(v(-0.12, 0.0, 0.1)));
    union([foot, body, plugs])
}

fn lrmate_link_1() -> Mesh {
    let turntable = revolve(&[(0.095, -0.115), (0.095, -0.05), (0.08, 0.02)], 24);
    let bracket = beam(v(-0.02, 0.0, -0.03), v(0.15, 0.0, 0.0), [0.06, 0.07], [0.055, 0.055]);
    let shoulder = hub(v(0.15, 0.0, 0.0), 0.08, 0.06, 24);
    let motor = rod(v(-0.06, 0.0, -0.05), v(-0.06, 0.0, 0.06), 0.045, 16);
    union([turntable, bracket, shoulder, motor])
}

fn lrmate_link_2() -> Mesh {
    let side = |y: f64| beam(v(0.0, y, 0.0), v(0.0, y, 0.25), [0.055, 0.015], [0.045, 0.015]);
    union([hub(DVec3::ZERO, 0.095, 0.058, 20), side(0.08), side(-0.08), hub(v(0.0, 0.0, 0.25), 0.095, 0.048, 20)])
}

fn lrmate_link_3() -> Mesh {
    let elbow = hub(DVec3::ZERO, 0.06, 0.046, 20);
    let block = beam(v(0.0, 0.0, -0.01), v(0.0, 0.0, 0.115), [0.055, 0.055], [0.05, 0.05]);
    let front = cone(v(0.03, 0.0, 0.075), v(0.11, 0.0, 0.075), 0.052, 0.048, 20);
    let motor = rod(v(-0.12, 0.0, 0.075), v(-0.03, 0.0, 0.075), 0.036, 16);
    union([elbow, block, front, motor])
}

fn lrmate_link_4() -> Mesh {
    let tube = cone(0.115 * X, 0.2 * X, 0.046, 0.044, 20);
    let prong = |y: f64| beam(v(0.18, y, 0.0), v(0.29, y, 0.0), [0.007, 0.032], [0.007, 0.026]);
    let boss = |y: f64| rod(v(0.29, y - 0.008, 0.0), v(0.29, y + 0.008, 0.0), 0.03, 12);
    union([tube, prong(0.042), prong(-0.042), boss(0.042), boss(-0.042)])
}

fn lrmate_link_5() -> Mesh {
    union([hub(DVec3::ZERO, 0.032, 0.029, 16), cone(DVec3::ZERO, 0.068 * X, 0.028, 0.026, 16)])
}

/// An arc welding gun: bracket, body, a neck bent by 45° and the nozzle.
fn gun() -> Mesh {
    let bracket = rod(DVec3::ZERO, 0.03 * X, 0.024, 16);
    let body = rod(0.025 * X, 0.13 * X, 0.018, 16);
    let mut sections = Vec::new();
    for k in 0..=5 {
        let angle = PI / 4.0 * f64::from(k) / 5.0;
        let (s, c) = pathproof::numeric::sin_cos(angle);
        // A circular arc of radius 0.06 in the x–z plane, tangent to the body at its end.
        let centre = v(0.125 + 0.06 * s, 0.0, -0.06 * (1.0 - c));
        let frame = along(centre, centre + v(c, 0.0, -s));
        sections.push(cylinder(0.009, 0.009, 1.0, 12).0[..12].iter().map(|&p| frame.point(p)).collect());
    }
    let tip = v(0.125 + 0.06 * 0.5f64.sqrt(), 0.0, -0.06 * (1.0 - 0.5f64.sqrt()));
    let slope = v(0.5f64.sqrt(), 0.0, -(0.5f64.sqrt()));
    let nozzle = cone(tip - 0.005 * slope, tip + 0.06 * slope, 0.013, 0.01, 14);
    let electrode = rod(tip + 0.055 * slope, tip + 0.075 * slope, 0.0015, 6);
    union([bracket, body, loft(&sections), nozzle, electrode])
}
