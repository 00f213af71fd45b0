//! Fig. 7(b): an IRB 2400 in a workshop full of things: tables with vices and workpieces, shelves with boxes and
//! bottles, a pillar drill, a lathe, a conveyor, pipes, a gantry; 74,681 triangles in the paper.
//!
//! Large things stand around the robot's reach, tables and the gantry within it.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use pathproof::numeric::{Pose, Random};

use super::arms::{beam, irb2400};
use super::machine::swept;
use super::refine::refine_all;
use super::{CaseScene, Obstacle, Placement};
use crate::bodies::{Mesh, along, blob, cuboid, posed, revolve, rod, torus, union, wire};

const TRIANGLES: usize = 74_681;

/// The scene; the robot stands at the origin on the floor.
pub(super) fn fig7b() -> CaseScene {
    let mut random = Random::new(7);
    let mut obstacles = Vec::new();
    let mut add = |name: String, mesh: Mesh, x: f64, y: f64, yaw: f64| {
        let world_from_body = Placement { xyz: [x, y, 0.0], rpy: [0.0, 0.0, yaw] };
        obstacles.push(Obstacle { name, mesh, world_from_body });
    };
    add("floor".into(), slab([-4.0, -4.0, -0.1], [4.0, 4.0, -0.005]), 0.0, 0.0, 0.0);
    add("wall_back".into(), slab([-4.0, 3.9, -0.005], [4.0, 4.0, 3.0]), 0.0, 0.0, 0.0);
    add("wall_side".into(), slab([-4.1, -4.0, -0.005], [-4.0, 4.0, 3.0]), 0.0, 0.0, 0.0);
    let tables = [(1.1, 0.0, 0.0), (0.3, 1.3, 0.5 * PI), (0.3, -1.4, -0.5 * PI), (2.6, 2.2, 0.3)];
    for (k, (x, y, yaw)) in tables.into_iter().enumerate() {
        add(format!("table_{}", k + 1), table(), x, y, yaw);
        add(format!("table_{}_things", k + 1), things(&mut random), x, y, yaw);
        add(format!("vice_{}", k + 1), vice(), x, y, yaw);
    }
    for (k, (x, y, yaw)) in
        [(-1.2, 0.95, 0.0), (-1.2, -0.95, 0.0), (1.8, 3.4, 0.5 * PI), (-1.0, 3.4, 0.5 * PI)].into_iter().enumerate()
    {
        add(format!("shelf_{}", k + 1), shelf(), x, y, yaw);
        add(format!("shelf_{}_goods", k + 1), goods(&mut random), x, y, yaw);
    }
    add("drill".into(), pillar_drill(), 1.6, 1.5, -2.3);
    add("lathe".into(), lathe(), 1.9, -1.6, 0.9);
    add("conveyor".into(), conveyor(), -0.2, -2.8, 0.0);
    add("gantry".into(), gantry(), 0.0, 0.0, 0.0);
    add("pipes".into(), pipes(), 0.0, 0.0, 0.0);
    for k in 0..4 {
        add(format!("barrel_{}", k + 1), barrel(), -2.6 + 0.7 * f64::from(k % 2), -2.2 - 0.7 * f64::from(k / 2), 0.0);
    }
    refine_all(&mut obstacles, TRIANGLES);
    let mut robot = irb2400("arm", Placement::default());
    // Low over one table, and over the one opposite.
    robot.start = vec![1.63, 0.37, 0.26, -2.35, 0.78, 2.0];
    robot.goal = Some(vec![-1.53, 0.32, 0.27, 1.39, 0.39, -0.99]);
    CaseScene { name: "7b", robots: vec![robot], obstacles }
}

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

fn slab(low: [f64; 3], high: [f64; 3]) -> Mesh {
    let (low, high) = (DVec3::from_array(low), DVec3::from_array(high));
    posed(&cuboid(high - low), &Pose::from_translation(0.5 * (low + high)))
}

fn at(mesh: &Mesh, x: f64, y: f64, z: f64) -> Mesh {
    posed(mesh, &Pose::from_translation(v(x, y, z)))
}

/// 0.7 m by 1.3 m, 0.75 m high.
fn table() -> Mesh {
    let leg = |x: f64, y: f64| beam(v(x, y, 0.0), v(x, y, 0.71), [0.03, 0.03], [0.03, 0.03]);
    let legs = [(-0.3, -0.6), (-0.3, 0.6), (0.3, -0.6), (0.3, 0.6)].map(|(x, y)| leg(x, y));
    let braces = [-0.6, 0.6].map(|y| wire(v(-0.3, y, 0.2), v(0.3, y, 0.2), 0.03));
    union([slab([-0.35, -0.65, 0.71], [0.35, 0.65, 0.75])].into_iter().chain(legs).chain(braces))
}

/// Workpieces on a table: gears, bottles, blobs, rings, offcuts.
fn things(random: &mut Random) -> Mesh {
    let mut parts = Vec::new();
    for k in 0..12 {
        let (x, y) = (-0.24 + 0.16 * f64::from(k % 4), -0.5 + 0.22 * f64::from(k / 4) + random.between(-0.03, 0.03));
        let thing = match random.below(5) {
            0 => at(&gear(18, random.between(0.04, 0.06)), x, y, 0.752),
            1 => at(&bottle(random.between(0.7, 1.1)), x, y, 0.752),
            2 => at(&blob(0.04, 22, 13, random.bits()), x, y, 0.82),
            3 => at(&torus(0.045, 0.014, 36, 14), x, y, 0.77),
            _ => posed(
                &cuboid(v(0.08, 0.05, 0.04)),
                &Pose::from_axis_angle(DVec3::Z, random.between(0.0, PI), v(x, y, 0.775)),
            ),
        };
        parts.push(thing);
    }
    union(parts)
}

/// A spur gear that lies flat: a toothed prism.
fn gear(teeth: u32, radius: f64) -> Mesh {
    let side = |z: f64| -> Vec<DVec3> {
        (0..4 * teeth)
            .map(|k| {
                let (s, c) = pathproof::numeric::sin_cos(TAU * f64::from(k) / f64::from(4 * teeth));
                let r = if k % 4 < 2 { radius } else { 0.85 * radius };
                v(r * c, r * s, z)
            })
            .collect()
    };
    // A fan over a star-shaped outline needs its centre: two collars make the caps convex.
    let collar = |r: f64, z: f64| -> Vec<DVec3> {
        side(z).iter().map(|p| v(p.x, p.y, 0.0).normalize() * r + v(0.0, 0.0, z)).collect()
    };
    crate::bodies::loft(&[collar(0.4 * radius, 0.0), side(0.004), side(0.024), collar(0.4 * radius, 0.028)])
}

fn bottle(scale: f64) -> Mesh {
    let profile = [
        (0.03, 0.0),
        (0.035, 0.005),
        (0.035, 0.12),
        (0.03, 0.14),
        (0.013, 0.17),
        (0.012, 0.2),
        (0.015, 0.202),
        (0.015, 0.21),
    ];
    revolve(&profile.map(|(r, z)| (scale * r, scale * z)), 14)
}

fn vice() -> Mesh {
    let screw = rod(v(0.0, 0.42, 0.84), v(0.0, 0.62, 0.84), 0.014, 20);
    let handle = rod(v(-0.09, 0.63, 0.84), v(0.09, 0.63, 0.84), 0.007, 12);
    let jaw = |y: f64| beam(v(0.0, y, 0.78), v(0.0, y, 0.88), [0.07, 0.02], [0.075, 0.015]);
    let swivel = at(&revolve(&[(0.08, 0.0), (0.08, 0.02), (0.06, 0.03)], 32), 0.0, 0.4, 0.752);
    union([swivel, slab([-0.04, 0.28, 0.775], [0.04, 0.5, 0.81]), jaw(0.32), jaw(0.43), screw, handle])
}

/// Five boards between four posts, 0.4 m deep, 1.6 m wide, 2 m high.
fn shelf() -> Mesh {
    let posts =
        [(-0.2, -0.8), (-0.2, 0.8), (0.2, -0.8), (0.2, 0.8)].map(|(x, y)| wire(v(x, y, 0.0), v(x, y, 2.0), 0.03));
    let boards = (0..5).map(|k| slab([-0.2, -0.8, 0.1 + 0.45 * f64::from(k)], [0.2, 0.8, 0.12 + 0.45 * f64::from(k)]));
    union(posts.into_iter().chain(boards))
}

/// Boxes, bottles, cans and coils on the boards.
fn goods(random: &mut Random) -> Mesh {
    let mut parts = Vec::new();
    for board in 0..5 {
        let z = 0.122 + 0.45 * f64::from(board);
        let mut y = -0.7;
        while y < 0.7 {
            let x = random.between(-0.08, 0.08);
            parts.push(match random.below(4) {
                0 => {
                    let h = random.between(0.1, 0.3);
                    at(&cuboid(v(0.2, 0.14, h)), x, y, z + 0.5 * h)
                }
                1 => at(&bottle(1.3), x, y, z),
                2 => at(
                    &revolve(
                        &[(0.055, 0.0), (0.06, 0.004), (0.055, 0.008), (0.055, 0.15), (0.06, 0.154), (0.05, 0.158)],
                        16,
                    ),
                    x,
                    y,
                    z,
                ),
                _ => at(&torus(0.06, 0.018, 20, 8), x, y, z + 0.019),
            });
            y += random.between(0.16, 0.26);
        }
    }
    union(parts)
}

fn pillar_drill() -> Mesh {
    let column = rod(v(0.0, 0.0, 0.0), v(0.0, 0.0, 1.75), 0.05, 40);
    let head = beam(v(-0.2, 0.0, 1.5), v(0.35, 0.0, 1.5), [0.13, 0.16], [0.1, 0.13]);
    let quill = at(
        &revolve(
            &[(0.0, 0.0), (0.006, 0.01), (0.006, 0.12), (0.022, 0.13), (0.022, 0.18), (0.04, 0.2), (0.04, 0.36)],
            40,
        ),
        0.28,
        0.0,
        1.05,
    );
    let table = at(&revolve(&[(0.05, 0.0), (0.2, 0.03), (0.2, 0.06)], 56), 0.28, 0.0, 0.8);
    let arm = beam(v(0.0, 0.0, 0.83), v(0.2, 0.0, 0.83), [0.05, 0.025], [0.04, 0.02]);
    let spokes = (0..3).map(|k| {
        let turn = Pose::from_axis_angle(DVec3::Y, TAU * f64::from(k) / 3.0, v(0.28, -0.2, 1.45));
        posed(
            &union([
                rod(DVec3::ZERO, v(0.16, 0.0, 0.0), 0.007, 12),
                at(&crate::bodies::sphere(0.016, 16, 10), 0.17, 0.0, 0.0),
            ]),
            &turn,
        )
    });
    union([column, head, quill, table, arm, slab([-0.25, -0.25, 0.0], [0.45, 0.25, 0.06])].into_iter().chain(spokes))
}

fn lathe() -> Mesh {
    let along_x =
        |profile: &[(f64, f64)], n: u32, from: DVec3| posed(&revolve(profile, n), &along(from, from + DVec3::X));
    let chuck = along_x(&[(0.11, 0.0), (0.12, 0.01), (0.12, 0.08), (0.1, 0.09)], 64, v(-0.3, 0.0, 1.05));
    let work = along_x(
        &[(0.03, 0.0), (0.03, 0.3), (0.04, 0.31), (0.04, 0.36), (0.02, 0.37), (0.02, 0.55)],
        48,
        v(-0.22, 0.0, 1.05),
    );
    let tail = along_x(&[(0.0, 0.0), (0.02, 0.05), (0.02, 0.1), (0.05, 0.11), (0.05, 0.3)], 40, v(0.34, 0.0, 1.05));
    let wheels = [-0.05, 0.2].map(|x| {
        let pose = along(v(x, -0.3, 0.85), v(x, -1.0, 0.85));
        posed(&union([torus(0.07, 0.009, 48, 14), revolve(&[(0.012, -0.12), (0.012, 0.02)], 16)]), &pose)
    });
    let parts = [
        slab([-0.8, -0.2, 0.0], [-0.45, 0.2, 0.75]),
        slab([0.4, -0.2, 0.0], [0.8, 0.2, 0.75]),
        slab([-0.8, -0.22, 0.75], [0.8, 0.22, 0.88]),
        slab([-0.8, -0.2, 0.88], [-0.32, 0.2, 1.25]),
        slab([0.44, -0.1, 0.88], [0.64, 0.1, 1.12]),
        beam(v(0.05, -0.25, 0.92), v(0.05, 0.2, 0.92), [0.15, 0.04], [0.15, 0.04]),
        slab([0.0, -0.12, 0.95], [0.08, -0.02, 1.03]),
        chuck,
        work,
        tail,
    ];
    union(parts.into_iter().chain(wheels))
}

fn conveyor() -> Mesh {
    let rollers = (0..22).map(|k| {
        let x = -1.3 + 0.12 * f64::from(k);
        rod(v(x, -0.28, 0.7), v(x, 0.28, 0.7), 0.04, 24)
    });
    let rails = [-0.3, 0.3].map(|y| beam(v(-1.4, y, 0.7), v(1.35, y, 0.7), [0.015, 0.06], [0.015, 0.06]));
    let legs =
        [(-1.2, -0.3), (-1.2, 0.3), (1.2, -0.3), (1.2, 0.3)].map(|(x, y)| wire(v(x, y, 0.0), v(x, y, 0.65), 0.05));
    let parcels =
        [(-0.8, 0.3), (0.1, 0.22), (0.9, 0.4)].map(|(x, h)| at(&cuboid(v(0.4, 0.35, h)), x, 0.0, 0.742 + 0.5 * h));
    union(rollers.chain(rails).chain(legs).chain(parcels))
}

/// A truss over the robot on four posts, with a hoist that hangs beside it.
fn gantry() -> Mesh {
    let (half, low, high) = (1.9, 2.35, 2.65);
    let mut parts = Vec::new();
    for y in [-1.2, 1.2] {
        for x in [-half, half] {
            parts.push(beam(v(x, y, 0.0), v(x, y, low), [0.06, 0.06], [0.05, 0.05]));
        }
        for z in [low, high] {
            parts.push(wire(v(-half, y, z), v(half, y, z), 0.05));
        }
        for k in 0..16 {
            let x = |k: u32| -half + 2.0 * half * f64::from(k) / 16.0;
            let (from, to) = if k % 2 == 0 { (low, high) } else { (high, low) };
            parts.push(rod(v(x(k), y, from), v(x(k + 1), y, to), 0.015, 8));
        }
    }
    parts.push(beam(v(0.9, -1.2, low + 0.15), v(0.9, 1.2, low + 0.15), [0.06, 0.1], [0.06, 0.1]));
    let block = at(&revolve(&[(0.02, 0.0), (0.07, 0.02), (0.07, 0.1), (0.03, 0.13)], 32), 0.9, 0.5, 1.7);
    parts.extend([rod(v(0.9, 0.5, 1.8), v(0.9, 0.5, low + 0.1), 0.006, 10), block]);
    let hook = (0..=24).map(|k| {
        let (s, c) = pathproof::numeric::sin_cos(0.75 * TAU * f64::from(k) / 24.0);
        v(0.9, 0.5 + 0.05 * s, 1.655 + 0.05 * c)
    });
    parts.push(swept(&hook.collect::<Vec<_>>(), 0.012, 14));
    union(parts)
}

/// Three pipes along the walls with a flange every metre and a bend at the corner.
fn pipes() -> Mesh {
    let mut parts = Vec::new();
    for k in 0..3 {
        let (z, r) = (2.3 - 0.25 * f64::from(k), 0.035 + 0.01 * f64::from(k));
        let (x, y) = (-3.85, 3.75);
        let mut points: Vec<DVec3> = (0..12).map(|i| v(3.8 - 0.6 * f64::from(i), y, z)).collect();
        points.extend((0..=10).map(|i| {
            let (s, c) = pathproof::numeric::sin_cos(0.25 * TAU * f64::from(i) / 10.0);
            v(x + 0.4 - 0.4 * s, y - 0.4 + 0.4 * c, z)
        }));
        points.extend((1..12).map(|i| v(x, y - 0.4 - 0.6 * f64::from(i), z)));
        parts.push(swept(&points, r, 16));
        for i in 0..7 {
            let flange = revolve(&[(1.8 * r, -0.015), (1.8 * r, 0.015)], 32);
            parts.push(posed(&flange, &along(v(3.3 - f64::from(i), y, z), v(-9.0, y, z))));
        }
    }
    union(parts)
}

fn barrel() -> Mesh {
    let mut profile = vec![(0.28, 0.0)];
    for k in 0..=12 {
        let z = 0.05 + 0.065 * f64::from(k);
        profile.extend([(0.28, z), (if k % 4 == 0 { 0.295 } else { 0.28 }, z + 0.03)]);
    }
    profile.push((0.27, 0.9));
    revolve(&profile, 24)
}
