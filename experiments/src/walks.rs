//! Random walks for the workspace-time experiments: cars of 4.5 × 2 m, Δt = 0.1 s, 8 m/s, a turn uniform in ±0.2 rad
//! per step, 150 poses; starts uniform in a square of 150 m, so that about half of the scenes collide at 30 obstacles.

use std::f64::consts::PI;
use std::sync::Arc;

use anyhow::Result;
use pathproof::numeric::{Random, sin_cos};
use pathproof_traffic::{Agent, Compound, Trajectory};

pub(crate) const POSES: usize = 150;
pub(crate) const STEP: f64 = 0.1;
const SPEED: f64 = 8.0;
const TURN: f64 = 0.2;
const SIDE: f64 = 150.0;
pub(crate) const CAR: [f64; 2] = [4.5, 2.0];

/// One walk: t, x, y, heading.
pub(crate) fn walk(random: &mut Random) -> Vec<[f64; 4]> {
    let (mut x, mut y) = (random.between(0.0, SIDE), random.between(0.0, SIDE));
    let mut heading = random.between(-PI, PI);
    (0..POSES)
        .map(|k| {
            let pose = [k as f64 * STEP, x, y, heading];
            heading += random.between(-TURN, TURN);
            let (s, c) = sin_cos(heading);
            (x, y) = (x + SPEED * STEP * c, y + SPEED * STEP * s);
            pose
        })
        .collect()
}

pub(crate) fn car() -> Result<Arc<Compound>> {
    Ok(Arc::new(Compound::rectangle(CAR[0], CAR[1])?))
}

/// Agents on walks.
pub(crate) fn agents(walks: &[Vec<[f64; 4]>], car: &Compound) -> Result<Vec<Agent>> {
    let agent = |(i, walk): (usize, &Vec<[f64; 4]>)| {
        Ok(Agent::moving(i.to_string(), car.clone(), Trajectory::planar(walk.iter().copied())?)?)
    };
    walks.iter().enumerate().map(agent).collect()
}

/// The same motion at `times` times as many poses.
pub(crate) fn refined(walk: &[[f64; 4]], times: usize) -> Vec<[f64; 4]> {
    let mut poses: Vec<[f64; 4]> = walk
        .windows(2)
        .flat_map(|pair| {
            let between = move |i: usize| {
                let s = i as f64 / times as f64;
                std::array::from_fn(|axis| pair[0][axis] + s * (pair[1][axis] - pair[0][axis]))
            };
            (0..times).map(between)
        })
        .collect();
    poses.extend(walk.last());
    poses
}
