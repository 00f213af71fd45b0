//! Fig. 7(a): the LR Mate with its welding gun before a machine tool with an open door.
//!
//! The machine: an enclosure with an opening to the robot; inside, a spindle with chuck and workpiece, a tool
//! turret, a bed with ribbed covers, hoses; outside, a control panel. 34,171 triangles in the paper.

use std::f64::consts::TAU;

use glam::DVec3;
use pathproof::numeric::{Pose, sin_cos};

use super::arms::{beam, lrmate_with_gun};
use super::refine::refine_all;
use super::{CaseScene, Obstacle, Placement};
use crate::bodies::{Mesh, along, cuboid, loft, posed, revolve, rod, torus, union};

const TRIANGLES: usize = 34_171;
/// Position of the front panel, in front of the robot's base.
const FRONT: f64 = 0.45;

/// The scene; the robot stands on a pedestal with its top at z = 0.
pub(super) fn fig7a() -> CaseScene {
    let mut obstacles = vec![
        Obstacle::new("enclosure", enclosure()),
        Obstacle::new("spindle", spindle()),
        Obstacle::new("chuck", chuck()),
        Obstacle::new("turret", turret()),
        Obstacle::new("bed", bed()),
        Obstacle::new("hoses", hoses()),
        Obstacle::new("panel", panel()),
        Obstacle::new("bolts", bolts()),
        Obstacle::new("vents", vents()),
    ];
    refine_all(&mut obstacles, TRIANGLES);
    let mut robot = lrmate_with_gun("arm", Placement::default());
    // From beside the machine to a place within it.
    robot.start = vec![-2.13, -0.07, -0.22, 0.44, 0.09, -0.32];
    robot.goal = Some(vec![0.08, 1.25, 0.72, 2.09, 0.82, -0.79]);
    CaseScene { name: "7a", robots: vec![robot], obstacles }
}

fn slab(low: [f64; 3], high: [f64; 3]) -> Mesh {
    let (low, high) = (DVec3::from_array(low), DVec3::from_array(high));
    posed(&cuboid(high - low), &Pose::from_translation(0.5 * (low + high)))
}

/// Panels 3 cm thick; the front one has an opening 0.8 m wide, from z = 0.2 to 0.95.
fn enclosure() -> Mesh {
    let (front, back) = (FRONT, FRONT + 1.1);
    union([
        slab([front, -0.9, -0.7], [back, 0.9, -0.6]),
        slab([front, -0.9, 1.2], [back, 0.9, 1.23]),
        slab([back, -0.9, -0.7], [back + 0.03, 0.9, 1.23]),
        slab([front, -0.93, -0.7], [back, -0.9, 1.23]),
        slab([front, 0.9, -0.7], [back, 0.93, 1.23]),
        slab([front, -0.9, -0.6], [front + 0.03, 0.9, 0.2]),
        slab([front, -0.9, 0.95], [front + 0.03, 0.9, 1.2]),
        slab([front, -0.9, 0.2], [front + 0.03, -0.4, 0.95]),
        slab([front, 0.4, 0.2], [front + 0.03, 0.9, 0.95]),
        // The door, slid to the left, and its handle.
        slab([front - 0.04, 0.42, 0.18], [front - 0.01, 1.2, 0.97]),
        rod(DVec3::new(front - 0.07, 0.5, 0.45), DVec3::new(front - 0.07, 0.5, 0.7), 0.012, 16),
        slab([front - 0.075, 0.49, 0.46], [front - 0.035, 0.51, 0.48]),
        slab([front - 0.075, 0.49, 0.67], [front - 0.035, 0.51, 0.69]),
    ])
}

/// Headstock and spindle nose, its axis along y from the left wall.
fn spindle() -> Mesh {
    let frame = along(DVec3::new(0.95, -0.88, 0.45), DVec3::new(0.95, 0.0, 0.45));
    let nose = [(0.2, 0.0), (0.2, 0.12), (0.16, 0.14), (0.16, 0.22), (0.12, 0.24), (0.12, 0.28), (0.1, 0.3)];
    union([posed(&revolve(&nose, 96), &frame), slab([0.72, -0.89, -0.3], [1.18, -0.72, 0.75])])
}

/// A three-jaw chuck with a stepped shaft in it.
fn chuck() -> Mesh {
    let frame = along(DVec3::new(0.95, -0.57, 0.45), DVec3::new(0.95, 0.0, 0.45));
    let body = [(0.13, 0.0), (0.14, 0.01), (0.14, 0.09), (0.13, 0.1), (0.045, 0.1)];
    let shaft = [
        (0.035, 0.08),
        (0.035, 0.2),
        (0.03, 0.205),
        (0.03, 0.3),
        (0.045, 0.31),
        (0.045, 0.36),
        (0.02, 0.37),
        (0.02, 0.45),
        (0.0, 0.46),
    ];
    let mut parts = vec![revolve(&body, 96), revolve(&shaft, 80)];
    for k in 0..3 {
        let turn = Pose::from_axis_angle(DVec3::Z, TAU * f64::from(k) / 3.0, DVec3::ZERO);
        for (low, high, top) in [(0.04, 0.12, 0.13), (0.04, 0.09, 0.16), (0.04, 0.065, 0.19)] {
            parts.push(posed(&slab([low, -0.02, 0.095], [high, 0.02, top]), &turn));
        }
    }
    union(parts.iter().map(|part| posed(part, &frame)))
}

/// A disc of twelve stations, each with a holder and a tool of its own length.
fn turret() -> Mesh {
    let frame = along(DVec3::new(1.2, 0.75, 0.72), DVec3::new(1.2, 0.0, 0.72));
    let disc = [(0.1, 0.0), (0.1, 0.2), (0.17, 0.2), (0.18, 0.21), (0.18, 0.29), (0.17, 0.3), (0.06, 0.3)];
    let mut parts = vec![revolve(&disc, 72)];
    for k in 0..12 {
        let turn = Pose::from_axis_angle(DVec3::Z, TAU * f64::from(k) / 12.0, DVec3::ZERO);
        let tip = 0.24 + 0.012 * f64::from(k * 5 % 7);
        let holder = slab([0.16, -0.025, 0.225], [0.2, 0.025, 0.275]);
        let tool = posed(
            &revolve(&[(0.015, 0.0), (0.015, 0.03), (0.008, 0.035), (0.008, tip - 0.2), (0.0, tip - 0.19)], 20),
            &along(DVec3::new(0.19, 0.0, 0.25), DVec3::new(1.0, 0.0, 0.25)),
        );
        parts.extend([posed(&holder, &turn), posed(&tool, &turn)]);
    }
    union(parts.iter().map(|part| posed(part, &frame)))
}

/// A slanted bed under ribbed covers, two guide rails and the tailstock.
fn bed() -> Mesh {
    let mut parts =
        vec![beam(DVec3::new(0.95, -0.7, -0.35), DVec3::new(0.95, 0.85, -0.35), [0.35, 0.22], [0.35, 0.22])];
    for k in 0..28 {
        let y = -0.4 + 0.045 * f64::from(k);
        let roof = |y: f64| {
            vec![
                DVec3::new(0.62, y, -0.13),
                DVec3::new(1.28, y, -0.13),
                DVec3::new(1.28, y, 0.0),
                DVec3::new(0.95, y, -0.04),
            ]
        };
        // Sections run against y, so that they turn counter-clockwise.
        parts.push(loft(&[roof(y + 0.04), roof(y)]));
    }
    for x in [0.6, 1.3] {
        parts.push(rod(DVec3::new(x, -0.7, -0.08), DVec3::new(x, 0.85, -0.08), 0.025, 24));
    }
    let tailstock = along(DVec3::new(0.95, 0.8, 0.45), DVec3::new(0.95, 0.0, 0.45));
    let quill = [(0.1, 0.0), (0.1, 0.2), (0.05, 0.22), (0.05, 0.36), (0.03, 0.37), (0.0, 0.43)];
    parts.extend([posed(&revolve(&quill, 64), &tailstock), slab([0.85, 0.6, -0.1], [1.05, 0.8, 0.4])]);
    union(parts)
}

/// Three coolant hoses that hang from the roof towards the chuck.
fn hoses() -> Mesh {
    union((0..3).map(|k| {
        let shift = 0.06 * f64::from(k);
        let points: Vec<DVec3> = (0..=40)
            .map(|i| {
                let t = f64::from(i) / 40.0;
                let (s, c) = sin_cos(0.4 * TAU * t);
                DVec3::new(0.72 + shift + 0.12 * s, -0.5 + 0.25 * t * t + shift, 1.19 - 0.5 * t - 0.04 * (1.0 - c))
            })
            .collect();
        swept(&points, 0.012, 14)
    }))
}

/// A round tube through the points; neighbours must not turn sharply.
pub(super) fn swept(points: &[DVec3], radius: f64, n: u32) -> Mesh {
    let ring = revolve(&[(radius, 0.0), (radius, 1.0)], n).0[..n as usize].to_vec();
    let mut x = along(points[0], points[1]).rotation.x_axis;
    let sections: Vec<Vec<DVec3>> = (0..points.len())
        .map(|i| {
            let direction = (points[(i + 1).min(points.len() - 1)] - points[i.saturating_sub(1)]).normalize();
            // Carried along, so that the tube does not twist.
            x = (x - direction * x.dot(direction)).normalize();
            let y = direction.cross(x);
            ring.iter().map(|p| points[i] + p.x * x + p.y * y).collect()
        })
        .collect();
    loft(&sections)
}

/// The operator's panel on an arm at the right of the opening, with rows of buttons and a hand wheel.
fn panel() -> Mesh {
    let mut parts = vec![slab([FRONT - 0.2, -0.85, 0.55], [FRONT - 0.14, -0.5, 0.95])];
    parts.push(rod(DVec3::new(FRONT - 0.16, -0.7, 0.9), DVec3::new(FRONT + 0.01, -0.7, 1.1), 0.02, 24));
    for i in 0..9 {
        for j in 0..6 {
            let at = DVec3::new(FRONT - 0.2, -0.82 + 0.036 * f64::from(i), 0.58 + 0.035 * f64::from(j));
            let button = revolve(&[(0.012, -0.002), (0.012, 0.008), (0.009, 0.012)], 14);
            parts.push(posed(&button, &along(at, at - DVec3::X)));
        }
    }
    let wheel = along(DVec3::new(FRONT - 0.23, -0.6, 0.87), DVec3::new(FRONT - 1.0, -0.6, 0.87));
    parts.extend([
        posed(&torus(0.045, 0.008, 48, 16), &wheel),
        posed(&revolve(&[(0.01, -0.04), (0.01, 0.005)], 16), &wheel),
    ]);
    union(parts)
}

/// Hexagonal heads around the opening.
fn bolts() -> Mesh {
    let head = |y: f64, z: f64| rod(DVec3::new(FRONT - 0.008, y, z), DVec3::new(FRONT + 0.002, y, z), 0.009, 6);
    let columns = (0..16).flat_map(|k| [-0.44, 0.44].map(|y| (y, 0.2 + 0.05 * f64::from(k))));
    let rows = (0..17).flat_map(|k| [0.16, 0.99].map(|z| (-0.4 + 0.05 * f64::from(k), z)));
    union(columns.chain(rows).map(|(y, z)| head(y, z)))
}

/// Slats in the lower front.
fn vents() -> Mesh {
    union((0..14).flat_map(|k| {
        let z = -0.55 + 0.04 * f64::from(k);
        [-0.7, 0.3].map(|y| {
            beam(DVec3::new(FRONT - 0.01, y, z), DVec3::new(FRONT - 0.01, y + 0.4, z), [0.015, 0.008], [0.015, 0.008])
        })
    }))
}
