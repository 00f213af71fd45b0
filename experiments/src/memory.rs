//! Memory of a scene with its trees: the 74,681 triangles of the workshop (case 7b), ready to be checked.
//!
//! The trees' bytes are counted; the rest is the system's figure for this process. So the first case is the one to
//! read: memory freed by an earlier one may stay with the process.

use anyhow::Result;
use pathproof::check::{CheckScratch, Checker};
use serde_json::json;

use crate::Options;
use crate::report::Report;
use crate::scenes::{self, in_memory};

/// Runs the experiment.
pub(crate) fn run(_options: &Options, report: &mut Report) -> Result<()> {
    let before = resident();
    let Some(description) = scenes::case("7b") else { return Ok(()) };
    let triangles = description.robot_triangles() + description.obstacle_triangles();
    let scene = in_memory::scene(&description)?;
    drop(description);
    let checker = Checker::new(scene);
    let _scratch = CheckScratch::new(&checker);
    report.row(
        "7b",
        json!({"triangles": triangles, "tree_megabytes": checker.tree_bytes() as f64 / 1e6,
               "process_megabytes": resident(), "process_megabytes_before": before}),
    );
    Ok(())
}

/// Megabytes of this process in memory; `None` if the system does not report it.
fn resident() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kibibytes| kibibytes * 1024.0 / 1e6)
}
