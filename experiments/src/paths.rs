//! Paths of a sampling planner (shared data, `problems/panda_paths`), segment by segment: the cost of a proof on real
//! paths, close to shelves, boxes and cages. Beside it `fixed-trees`, fixed steps of 1/32 rad (the planner's own) on
//! the same meshes, `fixed`, the same steps with the hulls and groups of ours, and ours with every mesh replaced by its
//! convex hull. For the first scene of each family also ours with clearance maps: the saving on the same segments, and
//! the time to build them. Every segment is timed alone, the methods in turn. `-o DIR` writes verdict and times of each
//! to `DIR/segments.csv`, for `peers/paths_peers.py`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use pathproof::check::{CheckScratch, Checker, Maps, Settings, Statistics, Verdict};
use pathproof_formats::{path_file, scene_file};
use serde_json::json;

use crate::report::Report;
use crate::{Options, edges, real_cells, timing};

/// The planner's resolution, in radians.
const STEP: f64 = 1.0 / 32.0;

/// Columns written for each segment.
const COLUMNS: &str = "problem,segment,verdict,fixed_free,ours_us,hulls_us,fixed_us";

/// Times of the free segments of some paths, in microseconds, and the work behind ours.
#[derive(Default)]
struct Times {
    ours: Vec<f64>,
    on_hulls: Vec<f64>,
    fixed_trees: Vec<f64>,
    /// Fixed steps with the hulls and groups of ours.
    fixed: Vec<f64>,
    /// With clearance maps and without, on the same segments.
    mapped: [Vec<f64>; 2],
    build_seconds: f64,
    work: Statistics,
    /// Segments that are not free.
    others: usize,
    /// Those that collide and that fixed steps call free, on trees alone and with hulls.
    missed: usize,
    missed_with_hulls: usize,
    /// A line per segment: problem, segment, verdict, if fixed steps call it free, and the three times.
    lines: String,
}

/// Runs the experiment.
pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    let mut families: BTreeMap<String, Times> = BTreeMap::new();
    for problem in problems(report, options.quick)? {
        let (name, family) = names(&problem);
        if options.wants(&family) {
            let with_maps = !families.contains_key(&family) && !options.quick;
            measure(&problem, &name, with_maps, families.entry(family).or_default()).context(name.clone())?;
        }
    }
    if let Some(out) = &options.output {
        let lines: String = families.values().map(|times| times.lines.as_str()).collect();
        fs::create_dir_all(out)?;
        fs::write(out.join("segments.csv"), format!("{COLUMNS}\n{lines}")).context("segments.csv")?;
    }
    let mut all = Times::default();
    for (family, times) in families {
        rows(&family, &times, report);
        all.ours.extend(times.ours);
        all.on_hulls.extend(times.on_hulls);
        all.fixed_trees.extend(times.fixed_trees);
        all.fixed.extend(times.fixed);
        for (all, of_family) in all.mapped.iter_mut().zip(times.mapped) {
            all.extend(of_family);
        }
        all.build_seconds += times.build_seconds;
        all.others += times.others;
        all.missed += times.missed;
        all.missed_with_hulls += times.missed_with_hulls;
        all.work += times.work;
    }
    rows("all", &all, report);
    Ok(())
}

/// The folders of the problems, one of each family if `quick`; none without the data.
pub(crate) fn problems(report: &mut Report, quick: bool) -> Result<Vec<PathBuf>> {
    let Some(folder) = real_cells::data().map(|data| data.join("problems/panda_paths")).filter(|f| f.is_dir()) else {
        report.note("the paths are left out: the shared data is not at ../shared/data");
        return Ok(Vec::new());
    };
    let mut problems: Vec<_> = fs::read_dir(&folder)?.filter_map(Result::ok).map(|entry| entry.path()).collect();
    problems.retain(|problem| problem.is_dir());
    problems.sort();
    if quick {
        problems.dedup_by_key(|problem| names(problem).1);
    }
    Ok(problems)
}

/// The names of a problem and of its family.
fn names(problem: &Path) -> (String, String) {
    let name = problem.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let family = name.rsplit_once('-').map_or(name.as_str(), |(family, _)| family).to_owned();
    (name, family)
}

/// Times the segments of one problem.
fn measure(problem: &Path, name: &str, with_maps: bool, times: &mut Times) -> Result<()> {
    let scene = scene_file::read(&problem.join("scene.toml"))?.scene;
    let waypoints =
        path_file::read(&problem.join("path.csv"), &scene, &Default::default())?.motion.waypoints().to_vec();
    let (meshes, hulls) = (Checker::new(scene.clone()), Checker::new(edges::hulls(&scene)?));
    let (mut scratch, mut hull_scratch) = (CheckScratch::new(&meshes), CheckScratch::new(&hulls));
    let settings = Settings::default();
    let start = timing::thread_seconds();
    let mapped = with_maps.then(|| Checker::new(scene).with_maps(Maps::default()));
    mapped.as_ref().map(Checker::build_maps);
    times.build_seconds += timing::thread_seconds() - start;
    for (number, ends) in waypoints.windows(2).enumerate() {
        let [a, b] = [&ends[0], &ends[1]];
        let length = a.iter().zip(b).map(|(p, q)| (p - q).powi(2)).sum::<f64>().sqrt();
        let levels = (length / STEP).log2().ceil().max(0.0) as u32;
        let answer = meshes.segment(a, b, &settings, &mut scratch)?;
        let sampled = meshes.sample(a, b, Some(levels), &mut scratch)?.0;
        if !matches!(answer.verdict, Verdict::Free(_)) {
            times.others += 1;
            let is_colliding = matches!(answer.verdict, Verdict::Collision(_));
            let fixed_free = sampled == pathproof::check::Sampled::NoneFound;
            times.missed += usize::from(is_colliding && fixed_free);
            let is_seen = is_colliding && !is_free_at_steps(&meshes, [a, b], levels, &mut scratch)?;
            times.missed_with_hulls += usize::from(is_colliding && !is_seen);
            let verdict = if is_colliding { "collision" } else { "too close" };
            times.lines += &format!("{name},{number},{verdict},{},,,\n", u8::from(fixed_free));
            continue;
        }
        times.work += answer.statistics;
        times.ours.push(timing::microseconds(|| {
            let _ = meshes.segment(a, b, &settings, &mut scratch);
        }));
        if let Some(mapped) = &mapped {
            times.mapped[0].push(timing::microseconds(|| {
                let _ = mapped.segment(a, b, &settings, &mut scratch);
            }));
            times.mapped[1].extend(times.ours.last());
        }
        times.on_hulls.push(timing::microseconds(|| {
            let _ = hulls.segment(a, b, &settings, &mut hull_scratch);
        }));
        times.fixed_trees.push(timing::microseconds(|| {
            let _ = meshes.sample(a, b, Some(levels), &mut scratch);
        }));
        times.fixed.push(timing::microseconds(|| {
            let _ = is_free_at_steps(&meshes, [a, b], levels, &mut scratch);
        }));
        let last = |values: &[f64]| values.last().copied().unwrap_or(f64::NAN);
        let [ours, hulls, fixed] = [&times.ours, &times.on_hulls, &times.fixed_trees].map(|values| last(values));
        times.lines += &format!("{name},{number},free,1,{ours:.2},{hulls:.2},{fixed:.2}\n");
    }
    Ok(())
}

/// Fixed steps with everything that ours has except the motion: midpoints, breadth first, each checked by itself.
fn is_free_at_steps(checker: &Checker, ends: [&[f64]; 2], levels: u32, scratch: &mut CheckScratch) -> Result<bool> {
    let [start, goal] = ends;
    let mut q = vec![0.0; start.len()];
    for level in 0..levels {
        let parts = f64::from(1 << (level + 1));
        for index in 0..1 << level {
            let t = f64::from(2 * index + 1) / parts;
            q.iter_mut().zip(start.iter().zip(goal)).for_each(|(q, (a, b))| *q = a + t * (b - a));
            let answer = checker.segment(&q, &q, &Settings::default(), scratch)?;
            if matches!(answer.verdict, Verdict::Collision(_)) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn rows(family: &str, times: &Times, report: &mut Report) {
    let count = times.ours.len();
    if count == 0 {
        return;
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let of_fixed = mean(&times.fixed_trees);
    let methods = [
        ("ours-meshes", None, &times.ours, 0),
        ("ours-hulls", None, &times.on_hulls, 0),
        ("fixed-trees", Some(STEP), &times.fixed_trees, times.missed),
        ("fixed", Some(STEP), &times.fixed, times.missed_with_hulls),
    ];
    for (method, step, values, missed) in methods {
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        let mut row = json!({"method": method, "step": step, "segments": count, "mean_us": mean(values),
            "median_us": sorted[count / 2], "p90_us": sorted[(count - 1) * 9 / 10], "missed": missed,
            "fixed_trees_over_it": of_fixed / mean(values)});
        if method == "ours-meshes" {
            let each = |total: u64| total as f64 / count as f64;
            row["queries"] = each(times.work.distance_queries).into();
            row["volume_tests"] = each(times.work.volume_tests).into();
            row["triangle_tests"] = each(times.work.triangle_tests).into();
            row["not_free"] = times.others.into();
        }
        report.row(family, row);
    }
    let [with, without] = times.mapped.each_ref().map(|values| mean(values));
    if !times.mapped[0].is_empty() {
        report.row(
            family,
            json!({"method": "ours-maps", "segments": times.mapped[0].len(), "mean_us": with, "without_us": without,
                "build_s": times.build_seconds}),
        );
    }
}
