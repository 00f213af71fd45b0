//! A planning cycle of 100 ms, as in the workspace-time paper's Fig. 2: 30 agents are rebuilt from new predictions,
//! then a fan of candidates along a reference path is checked until the time is up.
//!
//! The reference path winds; agents drive along it in lanes beside and ahead, candidates change speed and offset. A
//! candidate comes as poses, and reading them is timed. `break_even`: number of queries of one candidate at which its
//! tree is worth building, compared with the same query without a tree.

use std::hint::black_box;
use std::sync::Arc;

use anyhow::Result;
use pathproof::numeric::{Random, sin_cos};
use pathproof_traffic::{
    Agent, Compound, Exactness, Method, Placement, Query, Sampling, Traffic, TrafficScratch, Trajectory, TrajectoryTree,
};
use serde_json::json;

use crate::timing::microseconds;
use crate::walks;
use crate::{Options, report::Report};

/// A cycle, in microseconds.
const CYCLE_US: f64 = 100_000.0;
const AGENTS: usize = 30;

pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    report.note("Cycle of 100 ms: 30 agents rebuilt, 150 poses each; candidates of 150 poses from raw poses, one thread. Paper: a tree per candidate is infeasible (260 µs).");
    let car = walks::car()?;
    let mut random = Random::new(5);
    let predictions: Vec<Vec<[f64; 4]>> = (0..AGENTS).map(|i| prediction(i, &mut random)).collect();
    let mut traffic = Traffic::new(walks::agents(&predictions, &car)?)?;
    let rebuild = microseconds(|| {
        let anew = |agents: &mut Vec<Agent>| {
            for (agent, poses) in agents.iter_mut().zip(&predictions) {
                if let Ok(trajectory) = agent.trajectory().clone().refilled_planar(poses.iter().copied()) {
                    black_box(agent.set_trajectory(trajectory).is_ok());
                }
            }
        };
        black_box(traffic.rebuild(anew).is_ok());
    });
    let fan = fan(if options.quick { 60 } else { 1500 });
    let exact = Method::Hulls(Exactness::default());
    let sampled = [Method::Naive, Method::Isolated, Method::Trees].map(|method| method(Sampling::Interpolated));
    let mut scratch = TrafficScratch::default();
    for (name, method, plain) in [
        ("naive", sampled[0], sampled[0]),
        ("isolated", sampled[1], sampled[1]),
        ("trees", sampled[2], sampled[1]),
        ("hulls", exact, exact),
    ] {
        let row = Row::measure(&traffic, &car, &fan, method, plain, &mut scratch)?;
        report.row(
            "fan",
            json!({
                "method": name, "agents": AGENTS, "rebuild_us": rebuild, "candidate_us": row.candidate,
                "candidates_per_cycle": ((CYCLE_US - rebuild) / row.candidate).floor(),
                "tree_build_us": row.tree_build, "tree_query_us": row.tree_query, "plain_query_us": row.plain_query,
                "break_even": (row.plain_query > row.tree_query).then(|| (row.tree_build / (row.plain_query - row.tree_query)).ceil()),
                "free": row.free,
            }),
        );
    }
    Ok(())
}

/// Mean microseconds over the fan.
struct Row {
    /// Poses in, answer out.
    candidate: f64,
    tree_build: f64,
    tree_query: f64,
    /// The same query without a tree (for trees: isolated), the trajectory read in before.
    plain_query: f64,
    /// Share of the fan that is free.
    free: f64,
}

impl Row {
    fn measure(
        traffic: &Traffic,
        car: &Arc<Compound>,
        fan: &[Vec<[f64; 4]>],
        method: Method,
        plain: Method,
        scratch: &mut TrafficScratch,
    ) -> Result<Self> {
        let (query, plain) = (Query { method, ..Query::default() }, Query { method: plain, ..Query::default() });
        let trajectories: Vec<Trajectory> =
            fan.iter().map(|poses| Trajectory::planar(poses.iter().copied())).collect::<Result<_, _>>()?;
        let mut trees: Vec<TrajectoryTree> =
            trajectories.iter().map(|t| TrajectoryTree::new(car.clone(), t.clone())).collect::<Result<_, _>>()?;
        let mut free = 0;
        for trajectory in &trajectories {
            free += usize::from(traffic.check(car, trajectory, &query, scratch)?.verdict.finding().is_none());
        }
        let per_candidate = |us: f64| us / fan.len() as f64;
        let mut reused = Some(trajectories[0].clone());
        let candidate = microseconds(|| {
            for poses in fan {
                let trajectory = reused.take().and_then(|old| old.refilled_planar(poses.iter().copied()).ok());
                if let Some(trajectory) = &trajectory {
                    black_box(traffic.check(car, trajectory, &query, scratch).ok());
                }
                reused = trajectory;
            }
        });
        let mut spare = Some(trajectories[0].clone());
        let tree_build = microseconds(|| {
            for tree in &mut trees {
                // Every tree gets its neighbour's trajectory: the same work, and no copy.
                spare = spare.take().and_then(|trajectory| tree.rebuild(trajectory).ok());
            }
        });
        let tree_query = microseconds(|| {
            for tree in &trees {
                black_box(traffic.check_tree(tree, &Placement::HERE, &query, scratch).ok());
            }
        });
        let plain_query = microseconds(|| {
            for trajectory in &trajectories {
                black_box(traffic.check(car, trajectory, &plain, scratch).ok());
            }
        });
        Ok(Self {
            candidate: per_candidate(candidate),
            tree_build: per_candidate(tree_build),
            tree_query: per_candidate(tree_query),
            plain_query: per_candidate(plain_query),
            free: free as f64 / fan.len() as f64,
        })
    }
}

/// x, y and heading of the reference path at an arc length, `offset` metres to its left: a road that winds with a
/// radius of 80 m.
fn along(arc: f64, offset: f64) -> [f64; 3] {
    const RADIUS: f64 = 80.0;
    // Arcs of 1 rad, alternating left and right.
    let (mut x, mut y, mut heading, mut left, mut side) = (0.0, 0.0, 0.0f64, arc, 1.0);
    loop {
        let turn = (left / RADIUS).min(1.0);
        let (s0, c0) = sin_cos(heading);
        let (s1, c1) = sin_cos(heading + side * turn);
        x += side * RADIUS * (s1 - s0);
        y -= side * RADIUS * (c1 - c0);
        heading += side * turn;
        if turn < 1.0 {
            return [x - offset * s1, y + offset * c1, heading];
        }
        (left, side) = (left - RADIUS, -side);
    }
}

fn poses(motion: impl Fn(f64) -> [f64; 2]) -> Vec<[f64; 4]> {
    let pose = |k: usize| {
        let t = k as f64 * walks::STEP;
        let [arc, offset] = motion(t);
        let [x, y, heading] = along(arc, offset);
        [t, x, y, heading]
    };
    (0..walks::POSES).map(pose).collect()
}

/// Traffic in five lanes of 3.5 m, ahead of and beside the start; the own lane is free for the first 40 m.
pub(crate) fn prediction(number: usize, random: &mut Random) -> Vec<[f64; 4]> {
    let lane = (number % 5) as f64 - 2.0;
    let ahead = 40.0 + 25.0 * (number / 5) as f64 + random.between(0.0, 15.0);
    let speed = random.between(7.0, 12.0);
    poses(|t| [ahead + speed * t, 3.5 * lane])
}

/// Candidates that start at the same place, at 11 m/s, and end at other offsets and speeds.
pub(crate) fn fan(count: usize) -> Vec<Vec<[f64; 4]>> {
    let offsets = 30;
    (0..count)
        .map(|i| {
            let offset = -7.0 + 14.0 * (i % offsets) as f64 / (offsets - 1) as f64;
            let speed = 6.0 + 9.0 * (i / offsets) as f64 / (count / offsets).max(1) as f64;
            poses(|t| {
                let s = (t / 5.0).min(1.0);
                let smooth = s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
                // From 11 m/s to the wanted speed within 5 s.
                let slowing = (t / 5.0).min(1.0);
                [11.0 * t + (speed - 11.0) * (t - 5.0 * slowing + 2.5 * slowing * slowing), offset * smooth]
            })
        })
        .collect()
}
