//! Cost of a path of many waypoints beside the same segments one by one: time, and memory beyond the path itself.
//!
//! The path is a seeded walk of free segments of at most 0.1 rad per joint. Both ways take turns; the least of three
//! times counts. `bytes_per_waypoint` is the process's largest growth while the path was checked; `null` if the system
//! does not report it.

use anyhow::Result;
use pathproof::check::{CheckScratch, Checker, Settings, Verdict};
use pathproof::numeric::Random;
use pathproof::path::Motion;
use serde_json::json;

use crate::report::Report;
use crate::scenes::{self, in_memory};
use crate::{Options, timing};

/// Largest step of a joint between waypoints.
const STEP: f64 = 0.1;

/// Runs the experiment.
pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    report.note(
        "goals: 10⁵ waypoints within 1.3 times the sum of the segments, below 200 bytes per waypoint beyond the input",
    );
    let sizes: &[usize] = if options.quick { &[500] } else { &[1_000, 10_000, 100_000] };
    let Some(description) = scenes::case("6a") else { return Ok(()) };
    let checker = Checker::new(in_memory::scene(&description)?);
    drop(description);
    let path = walk(&checker, sizes[sizes.len() - 1])?;
    for &size in sizes {
        let (mut whole, mut parts) = (f64::INFINITY, f64::INFINITY);
        let mut bytes = None;
        for _ in 0..3 {
            let before = peak(true);
            let start = timing::thread_seconds();
            let answer =
                checker.path(&Motion::lines(&path[..size]), &Settings::default(), &mut CheckScratch::new(&checker))?;
            whole = whole.min(timing::thread_seconds() - start);
            anyhow::ensure!(matches!(answer.verdict, Verdict::Free(_)), "every segment of the walk is free");
            let grown = before.zip(peak(false)).map(|(before, after)| (after - before) / size as f64);
            bytes = grown.map(|grown: f64| grown.max(bytes.unwrap_or(0.0)));
            let mut scratch = CheckScratch::new(&checker);
            let start = timing::thread_seconds();
            for ends in path[..size].windows(2) {
                drop(checker.segment(&ends[0], &ends[1], &Settings::default(), &mut scratch)?);
            }
            parts = parts.min(timing::thread_seconds() - start);
        }
        report.row(
            "6a",
            json!({"waypoints": size, "path_seconds": whole, "segments_seconds": parts, "ratio": whole / parts,
                   "bytes_per_waypoint": bytes}),
        );
    }
    Ok(())
}

/// A walk of free segments that stays near where it starts.
fn walk(checker: &Checker, count: usize) -> Result<Vec<Vec<f64>>> {
    let mut random = Random::new(0x3A1B);
    let mut scratch = CheckScratch::new(checker);
    let mut path = vec![checker.scene().model().zero_configuration()];
    let mut is_free = |a: &[f64], b: &[f64]| -> Result<bool> {
        let answer = checker.segment(a, b, &Settings::default(), &mut scratch)?;
        Ok(matches!(answer.verdict, Verdict::Free(_)))
    };
    while !is_free(&path[0], &path[0])? {
        path[0].iter_mut().for_each(|q| *q = random.between(-1.0, 1.0));
    }
    while path.len() < count {
        let last = &path[path.len() - 1];
        let next: Vec<f64> = last.iter().map(|q| (q + random.between(-STEP, STEP)).clamp(-2.0, 2.0)).collect();
        if is_free(last, &next)? {
            path.push(next);
        }
    }
    Ok(path)
}

/// Peak memory of this process in bytes, counted from now on if `resets`; `None` if the system does not report it.
fn peak(resets: bool) -> Option<f64> {
    if resets {
        std::fs::write("/proc/self/clear_refs", "5").ok()?;
    }
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kibibytes| kibibytes * 1024.0)
}
