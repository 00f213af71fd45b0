//! Workspace-time paper, Figs. 6–8: one trajectory of 150 poses against 1 to 30 obstacles, by all methods; the cost to
//! build; and a batch of candidates from raw poses, which `peers/spacetime_commonroad.py` runs through another library.
//!
//! Random scenes, free and colliding separately; per scene the least of repeated timings, over scenes median and
//! quartiles. `fig6` is the query alone, with the candidate's tree made before; `fig6-built` includes building what the
//! method needs. `missed`: scenes that the method calls free although samples at 1/20 of a step overlap.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::Vector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};
use pathproof::numeric::Random;
use pathproof_traffic::{
    Compound, Exactness, Method, Placement, Query, Sampling, Traffic, TrafficScratch, Trajectory, TrajectoryTree,
    Verdict,
};
use serde_json::json;

use crate::timing::{microseconds, quartiles};
use crate::walks::{self, CAR, POSES, STEP};
use crate::{Options, report::Report};

/// Samples per step that decide whether a scene collides.
const FINE: usize = 20;

/// Candidates of the batch.
const BATCH: usize = 1000;

const METHODS: [(&str, Method); 4] = [
    ("naive", Method::Naive(Sampling::Interpolated)),
    ("isolated", Method::Isolated(Sampling::Interpolated)),
    ("trees", Method::Trees(Sampling::Interpolated)),
    ("hulls", Method::Hulls(Exactness { clearance: 0.0, tolerance: 0.001, most_queries: 1 << 16 })),
];

pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    report.note("Random walks: cars of 4.5 x 2 m, 150 poses, 0.1 s apart, 8 m/s, turns uniform in ±0.2 rad per step, in a square of 150 m.");
    report.note("Paper (2.67 GHz i7, FCL), free, 30 obstacles: naive about 2300 µs, isolated 300, trees 30; build 7800 µs, one candidate 260, its hulls 740.");
    let (counts, scenes): (&[usize], usize) =
        if options.quick { (&[1, 30], 12) } else { (&[1, 2, 5, 10, 15, 20, 25, 30], 1000) };
    let scenes = options.samples(scenes);
    for &obstacles in counts {
        figure(obstacles, scenes, report)?;
    }
    batch(options, report)
}

/// One scene, ready for queries.
struct Scene {
    traffic: Traffic,
    ego: Trajectory,
    tree: TrajectoryTree,
    collides: bool,
}

fn scene(random: &mut Random, obstacles: usize, car: &Arc<Compound>) -> Result<Scene> {
    let obstacle_walks: Vec<Vec<[f64; 4]>> = (0..obstacles).map(|_| walks::walk(random)).collect();
    let ego_walk = walks::walk(random);
    let traffic = Traffic::new(walks::agents(&obstacle_walks, car)?)?;
    let ego = Trajectory::planar(ego_walk.iter().copied())?;
    let tree = TrajectoryTree::new(car.clone(), ego.clone())?;
    let collides = overlaps_finely(&obstacle_walks, &ego_walk, car)?;
    Ok(Scene { traffic, ego, tree, collides })
}

/// True if samples at a fraction of a step overlap.
fn overlaps_finely(obstacles: &[Vec<[f64; 4]>], ego: &[[f64; 4]], car: &Compound) -> Result<bool> {
    let fine: Vec<Vec<[f64; 4]>> = obstacles.iter().map(|walk| walks::refined(walk, FINE)).collect();
    let traffic = Traffic::new(walks::agents(&fine, car)?)?;
    let ego = Trajectory::planar(walks::refined(ego, FINE))?;
    let query = Query { method: METHODS[2].1, ..Query::default() };
    Ok(traffic.check(car, &ego, &query, &mut TrafficScratch::default())?.verdict.is_collision())
}

fn is_free(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Free | Verdict::NoneFound)
}

fn figure(obstacles: usize, scenes: usize, report: &mut Report) -> Result<()> {
    let car = walks::car()?;
    let mut random = Random::new(obstacles as u64);
    let mut scratch = TrafficScratch::default();
    // By method, and with or without building for the query: times of free and of colliding scenes, and the number
    // missed.
    let mut times = vec![[Vec::new(), Vec::new()]; 2 * METHODS.len()];
    let mut missed = [0; METHODS.len()];
    let (mut build, mut candidate_build, mut hull_build, mut parry) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let none = Traffic::new(Vec::new())?;
    for _ in 0..scenes {
        let mut scene = scene(&mut random, obstacles, &car)?;
        for (i, (_, method)) in METHODS.into_iter().enumerate() {
            let query = Query { method, ..Query::default() };
            let verdict = scene.traffic.check_tree(&scene.tree, &Placement::HERE, &query, &mut scratch)?.verdict;
            missed[i] += usize::from(scene.collides && is_free(&verdict));
            let outcome = usize::from(scene.collides);
            times[2 * i][outcome].push(microseconds(|| {
                black_box(scene.traffic.check_tree(&scene.tree, &Placement::HERE, &query, &mut scratch).ok());
            }));
            times[2 * i + 1][outcome].push(microseconds(|| {
                black_box(scene.traffic.check(&car, &scene.ego, &query, &mut scratch).ok());
            }));
        }
        build.push(microseconds(|| {
            black_box(scene.traffic.rebuild(|_| ()).is_ok());
        }));
        let mut spare = Some(scene.ego.clone());
        candidate_build.push(microseconds(|| {
            spare = spare.take().and_then(|trajectory| scene.tree.rebuild(trajectory).ok());
        }));
        let hulls = Query { method: METHODS[3].1, ..Query::default() };
        hull_build.push(microseconds(|| {
            black_box(none.check(&car, &scene.ego, &hulls, &mut scratch).ok());
        }));
        let boxes = parry_boxes(&scene.ego);
        parry.push(microseconds(|| {
            black_box(Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes));
        }));
    }
    for (i, (method, _)) in METHODS.into_iter().enumerate() {
        for (built, case) in ["fig6", "fig6-built"].into_iter().enumerate() {
            for (outcome, name) in ["free", "colliding"].into_iter().enumerate() {
                let list = &mut times[2 * i + built][outcome];
                if list.is_empty() {
                    continue;
                }
                let [q25, median, q75] = quartiles(list);
                report.row(
                    case,
                    json!({
                        "obstacles": obstacles, "outcome": name, "method": method, "scenes": list.len(), "median_us": median,
                        "q25_us": q25, "q75_us": q75, "missed": if outcome == 1 { missed[i] } else { 0 },
                        "pair_ns": (method == "naive" && outcome == 0).then_some(median * 1e3 / (POSES * obstacles) as f64),
                    }),
                );
            }
        }
    }
    let median = |list: &mut Vec<f64>| quartiles(list)[1];
    report.row(
        "fig8",
        json!({
            "obstacles": obstacles, "build_us": median(&mut build), "hull_build_us": median(&mut hull_build),
            "candidate_build_us": median(&mut candidate_build), "parry_tree_us": median(&mut parry),
        }),
    );
    Ok(())
}

/// The boxes of a trajectory's pieces with time as the third axis, for parry's tree.
fn parry_boxes(ego: &Trajectory) -> Vec<Aabb> {
    let reach = CAR[0].hypot(CAR[1]) / 2.0;
    let corner = |knot: usize, out: f64| {
        let [x, y, _] = ego.position(knot);
        Vector::new(x + out * reach, y + out * reach, ego.times()[knot])
    };
    (0..ego.pieces())
        .map(|piece| {
            Aabb::new(corner(piece, -1.0).min(corner(piece + 1, -1.0)), corner(piece, 1.0).max(corner(piece + 1, 1.0)))
        })
        .collect()
}

/// A thousand candidates against 30 obstacles, from raw poses: all work per candidate is timed.
fn batch(options: &Options, report: &mut Report) -> Result<()> {
    let car = walks::car()?;
    let mut random = Random::new(77);
    let count = if options.quick { 50 } else { BATCH };
    let obstacles: Vec<Vec<[f64; 4]>> = (0..30).map(|_| walks::walk(&mut random)).collect();
    let candidates: Vec<Vec<[f64; 4]>> = (0..count).map(|_| walks::walk(&mut random)).collect();
    let traffic = Traffic::new(walks::agents(&obstacles, &car)?)?;
    let truth: Vec<bool> =
        candidates.iter().map(|ego| overlaps_finely(&obstacles, ego, &car)).collect::<Result<_>>()?;
    if let Some(folder) = &options.output {
        write_batch(folder, &obstacles, &candidates, &truth)?;
    }
    let mut scratch = TrafficScratch::default();
    for (name, method) in METHODS {
        let query = Query { method, ..Query::default() };
        let mut reused = Some(Trajectory::planar([[0.0; 4]])?);
        let (mut missed, mut found) = (0, 0);
        for (ego, collides) in candidates.iter().zip(&truth) {
            let trajectory = Trajectory::planar(ego.iter().copied())?;
            let free = is_free(&traffic.check(&car, &trajectory, &query, &mut scratch)?.verdict);
            missed += usize::from(free && *collides);
            found += usize::from(!free);
        }
        let us = microseconds(|| {
            for ego in &candidates {
                let trajectory = reused.take().and_then(|old| old.refilled_planar(ego.iter().copied()).ok());
                if let Some(trajectory) = &trajectory {
                    black_box(traffic.check(&car, trajectory, &query, &mut scratch).ok());
                }
                reused = trajectory;
            }
        });
        let colliding = truth.iter().filter(|collides| **collides).count();
        report.row(
            "batch",
            json!({
                "obstacles": 30, "candidates": count, "method": name, "us_per_candidate": us / count as f64,
                "colliding": colliding, "found": found, "missed": missed,
            }),
        );
    }
    Ok(())
}

fn write_batch(folder: &Path, obstacles: &[Vec<[f64; 4]>], candidates: &[Vec<[f64; 4]>], truth: &[bool]) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let table = |walks: &[Vec<[f64; 4]>]| {
        let mut text = String::from("candidate,t,x,y,theta\n");
        for (i, walk) in walks.iter().enumerate() {
            for [t, x, y, heading] in walk {
                text += &format!("{i},{t:?},{x:?},{y:?},{heading:?}\n");
            }
        }
        text
    };
    let about = json!({"length": CAR[0], "width": CAR[1], "step": STEP, "poses": POSES, "colliding": truth});
    for (name, text) in
        [("obstacles.csv", table(obstacles)), ("candidates.csv", table(candidates)), ("about.json", about.to_string())]
    {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| path.display().to_string())?;
    }
    Ok(())
}
