//! Fig. 7(c): six IRB 2400 around a car body on supports. The body is sheet metal: an arched shell with
//! windows and wheel arches cut out, a floor pan and a bulkhead, all open surfaces; 19,668 triangles in the paper.

use std::f64::consts::PI;

use glam::DVec3;
use pathproof::numeric::{Pose, sin_cos};

use super::arms::irb2400;
use super::refine::refine_all;
use super::{CaseScene, Obstacle, Placement};
use crate::bodies::{Mesh, append, cuboid, posed, union};

const TRIANGLES: usize = 19_668;
const HALF_LENGTH: f64 = 2.1;
const HALF_WIDTH: f64 = 0.85;
const SILL: f64 = 0.5;

/// All six at work on the car, in two ways.
const START: [[f64; 6]; 6] = [
    [0.56, 0.39, -0.08, -1.77, 0.71, -0.83],
    [0.24, 0.7, -0.48, -1.16, -1.29, 0.65],
    [-0.28, 0.21, 0.08, -2.07, -0.15, 1.58],
    [-0.11, 0.18, 0.25, 1.95, -1.27, -1.85],
    [-0.03, 0.34, -0.34, 0.61, 0.63, -0.57],
    [0.36, 0.27, -0.16, -0.65, 0.6, -1.06],
];
const GOAL: [[f64; 6]; 6] = [
    [0.09, 0.1, -0.06, -1.87, -0.07, 0.14],
    [0.32, 0.38, -0.04, -0.52, 0.26, 0.37],
    [-0.4, 0.36, -0.05, 0.18, 1.59, 0.53],
    [-0.49, 0.59, -0.84, 0.12, 1.79, -1.72],
    [-0.67, 0.59, -0.7, -0.07, 1.06, -1.89],
    [-0.07, 0.13, -0.01, -0.27, -0.54, -1.93],
];

/// The scene: three arms on each side, facing the car.
pub(super) fn fig7c() -> CaseScene {
    let mut robots = Vec::new();
    for (side, yaw) in [(-1.0, 0.5 * PI), (1.0, -0.5 * PI)] {
        for x in [-1.35, 0.0, 1.35] {
            let base = Placement { xyz: [x, 1.75 * side, 0.0], rpy: [0.0, 0.0, yaw] };
            let mut arm = irb2400(&format!("arm_{}", robots.len() + 1), base);
            arm.start = START[robots.len()].to_vec();
            arm.goal = Some(GOAL[robots.len()].to_vec());
            robots.push(arm);
        }
    }
    let mut obstacles = vec![Obstacle::new("supports", supports()), Obstacle::new("car", body())];
    refine_all(&mut obstacles, TRIANGLES);
    CaseScene { name: "7c", robots, obstacles }
}

/// Four posts under the sills, with a gap of 1 cm to the sheet metal.
fn supports() -> Mesh {
    let post = cuboid(DVec3::new(0.12, 0.12, SILL - 0.01));
    let places = [(-0.7, -0.6), (-0.7, 0.6), (0.8, -0.6), (0.8, 0.6)];
    union(places.map(|(x, y)| posed(&post, &Pose::from_translation(DVec3::new(x, y, 0.5 * (SILL - 0.01))))))
}

fn body() -> Mesh {
    let mut mesh = sheet(130, 76, shell, |p| !is_cut_out(p));
    let floor = |u: f64, v: f64| {
        let (x, y) = (1.6 * (2.0 * u - 1.0), 0.75 * (2.0 * v - 1.0));
        // A tunnel along the middle, ribs across.
        DVec3::new(x, y, SILL + 0.02 + 0.1 * (-(y / 0.12).powi(2)).exp() + 0.008 * sin_cos(14.0 * x).0)
    };
    append(&mut mesh, &sheet(70, 20, floor, |_| true), &Pose::IDENTITY);
    let bulkhead = |u: f64, v: f64| DVec3::new(-0.85 - 0.1 * v, 0.72 * (2.0 * u - 1.0), SILL + 0.15 + 0.3 * v);
    append(&mut mesh, &sheet(24, 8, bulkhead, |_| true), &Pose::IDENTITY);
    mesh
}

/// A grid over the unit square, without the cells whose middle `keep` rejects.
fn sheet(n_u: u32, n_v: u32, point: impl Fn(f64, f64) -> DVec3, keep: impl Fn(DVec3) -> bool) -> Mesh {
    let at = |i: f64, j: f64| point(i / f64::from(n_u), j / f64::from(n_v));
    let vertices =
        (0..=n_u).flat_map(|i| (0..=n_v).map(move |j| (i, j))).map(|(i, j)| at(i.into(), j.into())).collect();
    let index = |i: u32, j: u32| i * (n_v + 1) + j;
    let mut triangles = Vec::new();
    for i in 0..n_u {
        for j in 0..n_v {
            if keep(at(f64::from(i) + 0.5, f64::from(j) + 0.5)) {
                let (a, b, c, d) = (index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1));
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
    (vertices, triangles)
}

/// The outer skin: u from bumper to bumper, v from sill to sill over the roof.
fn shell(u: f64, v: f64) -> DVec3 {
    let x = HALF_LENGTH * (2.0 * u - 1.0);
    let ends = (x / HALF_LENGTH).abs().powi(6);
    let (s, c) = sin_cos(PI * v);
    // A superellipse: flat sides and roof, round shoulders.
    let squared = |t: f64| t.signum() * t.abs().sqrt();
    let y = HALF_WIDTH * (1.0 - 0.18 * ends) * squared(c);
    DVec3::new(x, y, SILL + (roof_height(x) - SILL) * (1.0 - 0.35 * ends) * squared(s.max(0.0)))
}

/// Bonnet, windscreen, roof, rear window, boot.
fn roof_height(x: f64) -> f64 {
    let rise = |from: f64, to: f64| {
        let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    };
    1.05 + 0.6 * rise(-1.05, -0.25) - 0.45 * rise(0.95, 1.65)
}

/// Windscreen, side and rear windows, wheel arches.
fn is_cut_out(p: DVec3) -> bool {
    let arch = [-1.3, 1.3].into_iter().any(|x| (p.x - x).hypot(p.z - SILL) < 0.34) && p.y.abs() > 0.6;
    let pillar = [0.25, 1.05].into_iter().any(|x| (p.x - x).abs() < 0.05);
    let side = p.z > 1.1 && p.z < 1.5 && p.y.abs() > 0.62 && (-0.45..1.2).contains(&p.x) && !pillar;
    let screen = p.y.abs() < 0.6 && ((-0.9..-0.4).contains(&p.x) || (1.1..1.5).contains(&p.x)) && p.z > 1.08;
    arch || side || screen
}
