//! Edges of a planner: straight segments of 0.5, 1 and 2 rad (Euclidean) of a Panda among 20 boxes, links against each
//! other included. Runs on the real meshes, on their convex hulls, and on meshes with clearance maps (most joints
//! between two links x boxes per pair), with the time to build them and the number of edges that repays it. The time to
//! read the clock is subtracted. `-o DIR` writes the scene, the edges and the answers for `peers/edges_hpp.py`, which
//! measures HPP's continuous validation on the same edges in the same run.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use pathproof::check::{CheckScratch, Checker, Maps, Settings, Verdict};
use pathproof::numeric::Random;
use pathproof::scene::{BodyShape, PairRule, Scene, SceneParts};
use pathproof::shapes::{Body, Convex};
use pathproof_formats::scene_file::{self, Disk};
use serde_json::json;

use crate::report::Report;
use crate::segments::{IN_A_ROW, warm_up};
use crate::{Options, real_cells, timing};

type Edge = [Vec<f64>; 2];

/// A method: its name, its checker, and the cost of building its clearance maps.
struct Way {
    name: String,
    checker: Checker,
    build: Option<Build>,
}

/// Clearance maps.
struct Build {
    boxes: usize,
    seconds: f64,
}

/// Runs the experiment.
pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    let Some(folder) = real_cells::data() else {
        report.note(real_cells::ABSENT);
        return Ok(());
    };
    let folder = folder.canonicalize()?;
    let text = text(&folder);
    let meshes = scene_file::parse(&text, &folder.join("scene.toml"), &Disk)?.scene;
    // First: the others share what it builds.
    let start = timing::thread_seconds();
    drop(Checker::new(meshes.clone()));
    let milliseconds = (timing::thread_seconds() - start) * 1e3;
    report.row("build", json!({"what": "trees and hulls of all bodies", "milliseconds": milliseconds}));
    let ways = ways(&meshes, options)?;
    if let Some(out) = &options.output {
        fs::create_dir_all(out)?;
        fs::write(out.join("scene.toml"), &text).context("scene.toml")?;
    }
    let count = options.samples(if options.quick { 20 } else { 500 });
    for (length, name) in [(0.5, "0.5"), (1.0, "1"), (2.0, "2")].into_iter().filter(|(_, name)| options.wants(name)) {
        let edges = draw(&meshes, length, count);
        if let Some(out) = &options.output {
            write_edges(&meshes, &edges, &out.join(format!("edges-{name}.csv")))?;
        }
        measure(name, &ways, &edges, options, report)?;
    }
    Ok(())
}

/// Meshes, hulls, and meshes with maps of links with more and more joints between them.
fn ways(meshes: &Scene, options: &Options) -> Result<Vec<Way>> {
    let plain =
        |name: &str, scene: Scene| Way { name: format!("ours-{name}"), checker: Checker::new(scene), build: None };
    let mut ways = vec![plain("meshes", meshes.clone()), plain("hulls", hulls(meshes)?)];
    let of_each_size: &[Maps] = &[(2, 20_000), (3, 500), (3, 2_000), (3, 20_000), (4, 20_000), (5, 20_000)]
        .map(|(joints, boxes)| Maps { joints, boxes });
    for &maps in if options.quick { &of_each_size[1..2] } else { of_each_size } {
        let checker = Checker::new(meshes.clone()).with_maps(maps);
        let start = timing::thread_seconds();
        let boxes = checker.build_maps();
        let build = Some(Build { boxes, seconds: timing::thread_seconds() - start });
        ways.push(Way { name: format!("ours-meshes-maps-{}x{}", maps.joints, maps.boxes), checker, build });
    }
    Ok(ways)
}

/// Times edges of one length by all methods, which take turns after some edges.
fn measure(case: &str, ways: &[Way], edges: &[Edge], options: &Options, report: &mut Report) -> Result<()> {
    let mut scratch: Vec<CheckScratch> = ways.iter().map(|way| CheckScratch::new(&way.checker)).collect();
    // Free, colliding.
    let mut seconds = vec![[0.0; 2]; ways.len()];
    let mut free: Vec<Vec<bool>> = vec![Vec::new(); ways.len()];
    let clock = timing::clock_seconds();
    for (row, some) in edges.chunks(IN_A_ROW).enumerate() {
        for (i, way) in ways.iter().enumerate() {
            warm_up(edges, row, |[a, b]| drop(way.checker.segment(a, b, &Settings::default(), &mut scratch[i])));
            for [a, b] in some {
                let start = timing::thread_seconds();
                let answer = way.checker.segment(a, b, &Settings::default(), &mut scratch[i])?;
                let taken = timing::thread_seconds() - start - clock;
                let is_free = matches!(answer.verdict, Verdict::Free(_));
                free[i].push(is_free);
                seconds[i][usize::from(!is_free)] += taken;
            }
        }
    }
    let mean = |total: f64, of: usize| total * 1e6 / of as f64;
    let mean_of = |way: usize| mean(seconds[way][0] + seconds[way][1], edges.len());
    for (i, way) in ways.iter().enumerate() {
        let frees = free[i].iter().filter(|is_free| **is_free).count();
        let mut row = json!({"method": way.name, "pairs": way.checker.scene().pairs().len(), "edges": edges.len(),
            "free": frees, "mean_us": mean_of(i), "free_us": mean(seconds[i][0], frees),
            "colliding_us": mean(seconds[i][1], edges.len() - frees)});
        if let Some(build) = &way.build {
            // The saving is below the cost: never repaid.
            let saved = (mean_of(0) - mean_of(i)) * 1e-6;
            row["boxes"] = build.boxes.into();
            row["build_s"] = build.seconds.into();
            row["pays_after_edges"] = if saved > 0.0 { (build.seconds / saved).ceil().into() } else { json!(null) };
        }
        report.row(case, row);
        if let Some(out) = &options.output {
            let rows: String = free[i].iter().map(|is_free| format!("{}\n", u8::from(*is_free))).collect();
            fs::write(out.join(format!("{}-{case}.csv", way.name)), format!("free\n{rows}"))?;
        }
    }
    Ok(())
}

/// The Panda with its SRDF, and 20 boxes within its reach but not at its base.
pub(crate) fn text(folder: &Path) -> String {
    let path = |file: &str| folder.join("robots/panda_mbm").join(file).display().to_string();
    let mut text = real_cells::robot(&path("panda.urdf"), &path("panda.srdf"), "");
    let mut random = Random::new(20);
    let mut boxes = 0;
    while boxes < 20 {
        let p = random.point(1.0);
        if p.truncate().length() < 0.35 || p.length() > 1.1 {
            continue;
        }
        let [x, y, z] = [0; 3].map(|_| random.between(0.05, 0.2));
        text += &format!("[[obstacles]]\nname = \"box{boxes}\"\nbox = [{x:?}, {y:?}, {z:?}]\n");
        text +=
            &format!("xyz = [{:?}, {:?}, {:?}]\nrpy = [0.0, 0.0, {:?}]\n", p.x, p.y, p.z, random.between(-3.0, 3.0));
        boxes += 1;
    }
    text
}

/// The same pairs of bodies, every mesh replaced by its convex hull.
pub(crate) fn hulls(scene: &Scene) -> Result<Scene> {
    let mut parts = SceneParts::new(scene.model().clone());
    (parts.clearance, parts.tolerance) = (scene.clearance(), scene.tolerance());
    parts.bodies = scene.bodies().to_vec();
    for body in &mut parts.bodies {
        if let BodyShape::Parts(shape) = &body.shape
            && !shape.triangles().is_empty()
        {
            let points: Vec<_> = shape.vertices().iter().map(|v| *v + shape.centre()).collect();
            body.shape = BodyShape::Parts(Body::from_convex(Convex::hull(&points)?));
        }
    }
    parts.rules.exceptions = scene.unchecked().iter().map(|pair| ([pair.a, pair.b], PairRule::Skip)).collect();
    Ok(Scene::new(parts)?)
}

/// Seeded edges within limits.
pub(crate) fn draw(scene: &Scene, length: f64, count: usize) -> Vec<Edge> {
    let limits: Vec<(f64, f64)> = scene.model().variables().iter().map(|v| v.limits.unwrap_or((-3.0, 3.0))).collect();
    let mut random = Random::new(7);
    let mut edges = Vec::with_capacity(count);
    while edges.len() < count {
        let a: Vec<f64> = limits.iter().map(|(low, high)| random.between(*low, *high)).collect();
        let step: Vec<f64> = limits.iter().map(|_| random.between(-1.0, 1.0)).collect();
        let norm = step.iter().map(|x| x * x).sum::<f64>().sqrt();
        let b: Vec<f64> = a.iter().zip(&step).map(|(q, x)| q + x * length / norm).collect();
        if b.iter().zip(&limits).all(|(q, (low, high))| (low..=high).contains(&q)) {
            edges.push([a, b]);
        }
    }
    edges
}

fn write_edges(scene: &Scene, edges: &[Edge], path: &Path) -> Result<()> {
    let names = || scene.model().variables().iter().map(|v| v.name.rsplit('/').next().unwrap_or_default().to_owned());
    let header: Vec<String> = ["a", "b"].iter().flat_map(|side| names().map(move |n| format!("{side}_{n}"))).collect();
    let mut text = header.join(",") + "\n";
    for edge in edges {
        let values: Vec<String> = edge.iter().flatten().map(|q| format!("{q:?}")).collect();
        text += &(values.join(",") + "\n");
    }
    fs::write(path, text).with_context(|| path.display().to_string())
}
