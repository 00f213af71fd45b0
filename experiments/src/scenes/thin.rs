//! Scenes with thin bodies, where sampled checking misses collisions: tori and lattices with skinny linkages
//! threaded through them (Figs. 1 and 8), a rod among bars (Fig. 2), wire cages (Fig. 6).

use glam::DVec3;
use pathproof::numeric::Pose;

use super::arms::{irb2400, irb2400_with_rod, linkage, lrmate_with_gun};
use super::{CaseScene, Obstacle, Placement, RobotDescription};
use crate::bodies::{Mesh, along, cuboid, posed, revolve, torus, union, wire};

/// Joints of a linkage.
const LINKAGE_JOINTS: usize = 20;

/// Two 20-joint arms upright through three tilted tori.
pub(super) fn fig1() -> CaseScene {
    let arm = |name: &str, x: f64| linkage(name, LINKAGE_JOINTS, Placement::at(x, 0.0, 0.0));
    let ring = |name: &str, xyz: [f64; 3], rpy: [f64; 3]| Obstacle {
        name: name.into(),
        mesh: torus(0.32, 0.02, 105, 30),
        world_from_body: Placement { xyz, rpy },
    };
    let obstacles = vec![
        ring("torus_1", [0.08, 0.05, 0.75], [0.3, 0.0, 0.0]),
        ring("torus_2", [-0.06, -0.08, 1.2], [-0.1, 0.35, 0.0]),
        ring("torus_3", [0.0, 0.1, 1.65], [-0.25, -0.2, 0.0]),
        plate(1.2),
    ];
    CaseScene { name: "fig1", robots: vec![arm("left", -0.12), arm("right", 0.12)], obstacles }
}

/// An arm that carries a rod 1.2 m long among the bars of a frame.
pub(super) fn fig2() -> CaseScene {
    let mut bars = Vec::new();
    let (near, far, side, top) = (0.75, 1.35, 0.9, 1.9);
    let posts = [(near, -side), (near, side), (far, -side), (far, side)];
    for (x, y) in posts {
        bars.push((DVec3::new(x, y, 0.0), DVec3::new(x, y, top)));
    }
    for z in [0.5, 1.1, top] {
        for x in [near, far] {
            bars.push((DVec3::new(x, -side, z), DVec3::new(x, side, z)));
        }
        for y in [-side, side] {
            bars.push((DVec3::new(near, y, z), DVec3::new(far, y, z)));
        }
    }
    for y in [-0.45, 0.0, 0.45] {
        bars.push((DVec3::new(far, y, 0.0), DVec3::new(far, y, top)));
    }
    let mesh = union(bars.into_iter().map(|(from, to)| round_wire(from, to, 0.006)));
    // From beside the frame to a place within it.
    let start = vec![1.96, 0.68, -0.19, -1.63, 0.59, -1.08];
    let goal = Some(vec![0.14, 0.63, -0.22, -2.46, 0.39, 1.9]);
    let robot = RobotDescription { start, goal, ..irb2400_with_rod("arm", Placement::default()) };
    CaseScene { name: "fig2", robots: vec![robot], obstacles: vec![Obstacle::new("frame", mesh)] }
}

/// The IRB 2400 in a wire cage, as one body or as one body per wire.
pub(super) fn fig6a(one_body_a_wire: bool) -> CaseScene {
    let wires = cage(DVec3::new(-0.96, -0.96, 0.1), DVec3::new(0.96, 0.96, 1.72), [6, 6, 5], 0.005);
    // The wrist reaches out through one mesh of the cage, and has to come out of another.
    let start = vec![-0.15, 0.61, -0.38, -1.48, -0.4, 1.06];
    let goal = Some(vec![2.06, 0.86, -0.93, -0.76, 0.41, 2.4]);
    let robots = vec![RobotDescription { start, goal, ..irb2400("arm", Placement::default()) }];
    if one_body_a_wire {
        let named = wires.into_iter().enumerate().map(|(k, mesh)| Obstacle::new(format!("wire_{}", k + 1), mesh));
        return CaseScene { name: "6a-wires", robots, obstacles: named.collect() };
    }
    CaseScene { name: "6a", robots, obstacles: vec![Obstacle::new("cage", union(wires))] }
}

/// The LR Mate with its welding gun in a smaller cage.
pub(super) fn fig6b() -> CaseScene {
    let wires = cage(DVec3::new(-0.42, -0.42, 0.05), DVec3::new(0.42, 0.42, 0.83), [3, 3, 3], 0.004);
    let start = vec![-0.13, 0.87, 1.68, -1.35, -1.4, 1.59];
    let goal = Some(vec![-1.74, 0.73, 1.04, -0.06, 1.7, 2.45]);
    let robots = vec![RobotDescription { start, goal, ..lrmate_with_gun("arm", Placement::default()) }];
    CaseScene { name: "6b", robots, obstacles: vec![Obstacle::new("cage", union(wires))] }
}

/// `side`² linkages, each upright through other holes of the same four lattices.
pub(super) fn fig8(side: u32) -> CaseScene {
    const HOLE: f64 = 0.2;
    let mut robots = Vec::new();
    for i in 0..side {
        for j in 0..side {
            // Every other hole; the lattices have a hole centred on the origin.
            let at = |k: u32| 2.0 * HOLE * (f64::from(k) - 0.5 * f64::from(side - 1));
            let name = if side == 1 { "arm".into() } else { format!("arm_{}", robots.len() + 1) };
            robots.push(linkage(&name, LINKAGE_JOINTS, Placement::at(at(i), at(j), 0.0)));
        }
    }
    let mut obstacles = vec![plate(1.6)];
    for (k, z) in [0.65, 1.0, 1.35, 1.7].into_iter().enumerate() {
        obstacles.push(Obstacle::new(format!("lattice_{}", k + 1), lattice(9, HOLE, z)));
    }
    CaseScene { name: if side == 1 { "fig8" } else { "fig8x9" }, robots, obstacles }
}

/// The plate that linkages stand on, clear of their first links even when those lie flat.
fn plate(width: f64) -> Obstacle {
    let centre = DVec3::new(0.0, 0.0, -0.04);
    Obstacle::new("plate", posed(&cuboid(DVec3::new(width, width, 0.02)), &Pose::from_translation(centre)))
}

/// A flat square grid of `holes`² holes at height `z`, its bars 8 mm thick.
fn lattice(holes: u32, hole: f64, z: f64) -> Mesh {
    let half = 0.5 * hole * f64::from(holes);
    let bars = (0..=holes).flat_map(|k| {
        let s = hole * f64::from(k) - half;
        let bar = |from, to| wire(from, to, 0.008);
        [bar(DVec3::new(s, -half, z), DVec3::new(s, half, z)), bar(DVec3::new(-half, s, z), DVec3::new(half, s, z))]
    });
    union(bars)
}

/// Wires on the faces of a box except its floor, `cells` meshes along each axis.
fn cage(low: DVec3, high: DVec3, cells: [u32; 3], radius: f64) -> Vec<Mesh> {
    let at = |axis: usize, k: u32| low[axis] + (high[axis] - low[axis]) * f64::from(k) / f64::from(cells[axis]);
    let mut wires = Vec::new();
    // Uprights with the roof's bars between them, then a hoop of four at each height.
    for axis in [0, 1] {
        let across = 1 - axis;
        for k in 0..=cells[axis] {
            let point = |side: f64, z: f64| {
                let mut p = DVec3::new(0.0, 0.0, z);
                p[axis] = at(axis, k);
                p[across] = side;
                p
            };
            // The corner posts belong to the first round only.
            if axis == 0 || (k != 0 && k != cells[axis]) {
                for side in [low[across], high[across]] {
                    wires.push(round_wire(point(side, low.z), point(side, high.z), radius));
                }
            }
            wires.push(round_wire(point(low[across], high.z), point(high[across], high.z), radius));
        }
        for k in 0..cells[2] {
            for side in [low[across], high[across]] {
                let mut from = DVec3::new(0.0, 0.0, at(2, k));
                from[across] = side;
                let mut to = from;
                (from[axis], to[axis]) = (low[axis], high[axis]);
                wires.push(round_wire(from, to, radius));
            }
        }
    }
    wires
}

/// A wire of six sides in pieces of about 0.2 m.
fn round_wire(from: DVec3, to: DVec3, radius: f64) -> Mesh {
    let length = (to - from).length();
    let pieces = (length / 0.2).ceil().max(1.0) as u32;
    let profile: Vec<_> = (0..=pieces).map(|k| (radius, length * f64::from(k) / f64::from(pieces))).collect();
    posed(&revolve(&profile, 6), &along(from, to))
}
