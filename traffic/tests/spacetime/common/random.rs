//! Random planar traffic: short walks with large turns, thin bodies, bodies off their reference point, several parts.

use std::f64::consts::PI;

use pathproof::numeric::Random;
use pathproof_traffic::Compound;

use super::oracle::{Mover, Part, Point};

/// How a walk goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    pub(crate) poses: usize,
    pub(crate) start: f64,
    pub(crate) dt: f64,
    /// Largest step in metres and largest turn in radians from pose to pose.
    pub(crate) step: f64,
    pub(crate) turn: f64,
    /// The first pose is within this of the origin.
    pub(crate) around: f64,
}

/// Poses of a walk that drifts towards the origin.
pub(crate) fn walk(random: &mut Random, w: &Walk) -> Vec<[f64; 4]> {
    let mut at = [random.between(-w.around, w.around), random.between(-w.around, w.around)];
    let mut heading = random.between(-PI, PI);
    (0..w.poses)
        .map(|k| {
            let pose = [w.start + k as f64 * w.dt, at[0], at[1], heading];
            let way = random.between(-PI, PI);
            let drift = 0.2 / (1.0 + at[0].hypot(at[1]));
            let step = random.between(0.0, w.step);
            at = [at[0] + step * (way.cos() - drift * at[0]), at[1] + step * (way.sin() - drift * at[1])];
            heading += random.between(-w.turn, w.turn);
            pose
        })
        .collect()
}

/// A rectangle about a point of the body.
fn rectangle(length: f64, width: f64, [x, y, heading]: [f64; 3]) -> (Part, Compound) {
    let (s, c) = heading.sin_cos();
    let corner = |a: f64, b: f64| -> Point {
        let (u, v) = (0.5 * a * length, 0.5 * b * width);
        [x + c * u - s * v, y + s * u + c * v]
    };
    let part =
        Part { corners: vec![corner(1.0, 1.0), corner(-1.0, 1.0), corner(-1.0, -1.0), corner(1.0, -1.0)], radius: 0.0 };
    let compound = Compound::rectangle(length, width).expect("valid");
    (part, if [x, y, heading] == [0.0; 3] { compound } else { compound.at(x, y, heading).expect("valid") })
}

/// A disc, a convex polygon or a rectangle, thin ones among them.
pub(crate) fn part(random: &mut Random) -> (Part, Compound) {
    let length = random.between(0.5, 6.0);
    let width = [random.between(0.5, 2.5), 0.02, random.between(0.05, 0.5)][random.below(3)];
    match random.below(6) {
        0 => {
            let radius = random.between(0.1, 1.5);
            (Part { corners: vec![[0.0, 0.0]], radius }, Compound::disc(radius).expect("valid"))
        }
        1 => {
            let n = 3 + random.below(6);
            let mut angles: Vec<f64> =
                (0..n).map(|i| (i as f64 + random.between(0.1, 0.9)) / n as f64 * 2.0 * PI).collect();
            angles.sort_by(f64::total_cmp);
            let off = [random.between(-1.0, 1.0), random.between(-1.0, 1.0)];
            let corners: Vec<Point> =
                angles.iter().map(|a| [off[0] + 0.5 * length * a.cos(), off[1] + 0.5 * width * a.sin()]).collect();
            let compound = Compound::polygon(&corners).expect("an ellipse's corners are convex");
            (Part { corners, radius: 0.0 }, compound)
        }
        2 => {
            let at = [random.between(-2.0, 2.0), random.between(-1.0, 1.0), random.between(-3.0, 3.0)];
            rectangle(length, width, at)
        }
        _ => rectangle(length, width, [0.0; 3]),
    }
}

/// A body of one part, or at times of three.
pub(crate) fn mover(random: &mut Random, w: &Walk) -> Mover {
    let poses = walk(random, w);
    if random.below(6) > 0 {
        let (part, compound) = part(random);
        return Mover::new(vec![part], compound, poses);
    }
    let pieces: Vec<(Part, Compound)> = (0..3)
        .map(|_| {
            let at = [random.between(-2.0, 2.0), random.between(-2.0, 2.0), random.between(-3.0, 3.0)];
            rectangle(random.between(0.3, 3.0), random.between(0.05, 1.0), at)
        })
        .collect();
    let compound = Compound::union(pieces.iter().map(|(_, compound)| compound.clone())).expect("all planar");
    Mover::new(pieces.into_iter().map(|(part, _)| part).collect(), compound, poses)
}

/// Two bodies on walks of ten poses whose grids differ (or not), near each other.
pub(crate) fn pair(random: &mut Random) -> [Mover; 2] {
    let turn = [0.2, 1.0, 3.1][random.below(3)];
    let step = [0.0, 0.5, 2.0][random.below(3)];
    let around = random.between(1.0, 7.0);
    let mut grid = |is_second: bool| {
        let is_same = random.below(3) == 0;
        let (start, dt) =
            if is_same || !is_second { (0.0, 0.1) } else { (random.between(-0.3, 0.3), random.between(0.03, 0.25)) };
        Walk { poses: 10, start, dt, step, turn, around }
    };
    let (first, second) = (grid(false), grid(true));
    [mover(random, &first), mover(random, &second)]
}
