//! Regions known to be free, in a planner that draws many edges of one scene like a probabilistic roadmap: every free
//! configuration is joined to its nearest neighbours among those before it. Each configuration brings the region around
//! itself that one look proves free; an edge with both ends in a region of its neighbourhood needs no check. For
//! comparison every edge is checked. Arms of 2 to 6 joints among 20 boxes, and a Panda (if the shared data is present).

use anyhow::{Result, ensure};
use glam::DVec3;
use pathproof::check::{CheckScratch, Checker, FreeRegion, Settings, Verdict};
use pathproof::numeric::Random;
use pathproof_formats::scene_file::{self, Disk};
use serde_json::json;

use crate::report::Report;
use crate::{Options, bodies, edges, growth, real_cells, timing};

/// Neighbours that a configuration is joined to.
const NEIGHBOURS: usize = 10;

/// Runs the experiment.
pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    let count = options.samples(if options.quick { 200 } else { 100_000 });
    for joints in [2usize, 3, 4, 6] {
        let name = format!("arm-{joints}");
        if options.wants(&name) {
            let places = growth::around(20, 0.4, 1.1, 5).into_iter();
            let boxes = places.map(|pose| (bodies::cuboid(DVec3::splat(0.1)), pose)).collect();
            roadmap(&name, &Checker::new(growth::arm(joints, Clone::clone, boxes)?), count, report)?;
        }
    }
    match real_cells::data() {
        Some(folder) if options.wants("panda") => {
            let folder = folder.canonicalize()?;
            let scene = scene_file::parse(&edges::text(&folder), &folder.join("scene.toml"), &Disk)?.scene;
            roadmap("panda", &Checker::new(scene), count, report)?;
        }
        Some(_) => {}
        None => report.note(real_cells::ABSENT),
    }
    Ok(())
}

/// Seconds of both ways, and their results.
#[derive(Default)]
struct Work {
    edges: usize,
    free: usize,
    /// Edges inside a region: all, and those of the last tenth.
    inside: usize,
    inside_late: usize,
    length: f64,
    /// Configurations and edges, without regions.
    checking: f64,
    /// Making regions, searching them, checking edges that are in none.
    making: f64,
    looking: f64,
    left: f64,
}

fn roadmap(case: &str, checker: &Checker, count: usize, report: &mut Report) -> Result<()> {
    let mut random = Random::new(3);
    let mut scratch = [CheckScratch::new(checker), CheckScratch::new(checker)];
    let variables = checker.scene().model().variables();
    let limits: Vec<(f64, f64)> = variables.iter().map(|v| v.limits.unwrap_or((-1.5, 1.5))).collect();
    let mut nodes: Vec<(Vec<f64>, FreeRegion)> = Vec::new();
    let mut work = Work::default();
    while work.edges < count {
        let q: Vec<f64> = limits.iter().map(|(low, high)| random.between(*low, *high)).collect();
        let start = timing::thread_seconds();
        let region = checker.free_region(&q, &mut scratch[1])?;
        let taken = timing::thread_seconds() - start;
        let Some(region) = region else { continue };
        work.making += taken;
        // Without regions the configuration needs its own test.
        let start = timing::thread_seconds();
        let _ = checker.segment(&q, &q, &Settings::default(), &mut scratch[0])?;
        work.checking += timing::thread_seconds() - start;
        let near = nearest(&nodes, &q);
        for &other in &near {
            let is_late = work.edges * 10 >= count * 9;
            join(checker, [&q, &nodes[other].0], &region, &near, &nodes, is_late, &mut scratch, &mut work)?;
        }
        nodes.push((q, region));
    }
    let each = |seconds: f64| seconds * 1e6 / work.edges as f64;
    let with = each(work.making + work.looking + work.left);
    let share = |of: usize, all: usize| of as f64 / all.max(1) as f64;
    report.row(
        case,
        json!({"joints": limits.len(), "edges": work.edges, "free": work.free, "mean_length": work.length / work.edges as f64,
            "inside": share(work.inside, work.free), "inside_of_last_tenth": share(work.inside_late, work.free / 10),
            "checked_us": each(work.checking), "with_regions_us": with, "making_us": each(work.making),
            "looking_us": each(work.looking), "ratio": each(work.checking) / with}),
    );
    Ok(())
}

/// One edge, both ways.
#[allow(clippy::too_many_arguments)]
fn join(
    checker: &Checker,
    [a, b]: [&Vec<f64>; 2],
    region: &FreeRegion,
    near: &[usize],
    nodes: &[(Vec<f64>, FreeRegion)],
    is_late: bool,
    scratch: &mut [CheckScratch; 2],
    work: &mut Work,
) -> Result<()> {
    let [plain, other] = scratch;
    let start = timing::thread_seconds();
    let answer = checker.segment(a, b, &Settings::default(), plain)?;
    let checked = timing::thread_seconds();
    let is_inside = region.holds_segment(a, b) || near.iter().any(|&i| nodes[i].1.holds_segment(a, b));
    let looked = timing::thread_seconds();
    if !is_inside {
        let _ = checker.segment(a, b, &Settings::default(), other)?;
    }
    work.left += timing::thread_seconds() - looked;
    work.looking += looked - checked;
    work.checking += checked - start;
    let is_free = matches!(answer.verdict, Verdict::Free(_));
    ensure!(is_free || !is_inside || matches!(answer.verdict, Verdict::TooClose(_)), "{answer:?} in a region");
    work.edges += 1;
    work.free += usize::from(is_free);
    work.inside += usize::from(is_inside);
    work.inside_late += usize::from(is_inside && is_late);
    work.length += distance(a, b);
    Ok(())
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

fn nearest(nodes: &[(Vec<f64>, FreeRegion)], q: &[f64]) -> Vec<usize> {
    let mut all: Vec<(f64, usize)> = nodes.iter().enumerate().map(|(i, (p, _))| (distance(p, q), i)).collect();
    let count = NEIGHBOURS.min(all.len());
    if count > 0 {
        all.select_nth_unstable_by(count - 1, |a, b| a.0.total_cmp(&b.0));
    }
    all.truncate(count);
    all.into_iter().map(|(_, i)| i).collect()
}
