//! SOPA's Tables 1 and 2 and Figs. 4–5, a figure that the paper did not report (how often its answer is not the least
//! distance, by number of starts), and the exact tree beside it.
//!
//! The distance of every pair of pieces at every step is solved once and kept: the repetitions with other random starts
//! then need MLSdist only. `-o` writes the series of Figs. 4–5, as CSV and as SVG.

mod agreement;
mod bodies;
mod growth;
pub(crate) mod motion;
mod prepared;
mod series;
mod table;

use anyhow::Result;
use serde_json::json;

use self::agreement::Agreement;
use self::motion::Case;
use self::prepared::{Nodes, Prepared};
use crate::Options;
use crate::report::Report;

/// All cases; `growth` is the cost by number of pieces.
pub(crate) const CASES: &[&str] = &["battery", "hands", "growth"];

/// Extent of the runs.
pub(crate) struct Extent {
    /// Repeated trajectories with random starts.
    pub(crate) repetitions: usize,
    /// Repeated trajectories from the last step's minima, per number of starts.
    pub(crate) warm_repetitions: usize,
    /// Most random starts per query.
    pub(crate) most_starts: usize,
    /// Timed passes over the trajectory.
    pub(crate) passes: usize,
    /// True to find the ceiling, by descents from every pair of nodes.
    pub(crate) has_ceiling: bool,
}

pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    let extent = if options.quick {
        Extent { repetitions: 4, warm_repetitions: 2, most_starts: 500, passes: 1, has_ceiling: false }
    } else {
        let repetitions = options.samples(10_000);
        let warm_repetitions = (repetitions / 10).max(1);
        Extent { repetitions, warm_repetitions, most_starts: 5_000, passes: 5, has_ceiling: true }
    };
    for case in [motion::battery()?, motion::hands()?] {
        if options.wants(case.name) {
            run_case(thinned(case, options.quick), &extent, options, report)?;
        }
    }
    if options.wants("growth") {
        growth::run(options.quick, report)?;
    }
    Ok(())
}

/// Every tenth step for quick runs.
fn thinned(case: Case, is_quick: bool) -> Case {
    let keep = if is_quick { 10 } else { 1 };
    Case { poses: case.poses.into_iter().step_by(keep).collect(), ..case }
}

fn run_case(case: Case, extent: &Extent, options: &Options, report: &mut Report) -> Result<()> {
    let prepared = Prepared::new(case)?;
    counts(&prepared, report);
    let name = prepared.case.name;
    let mut enough = [0; 2];
    for (place, (mesh, nodes)) in [("fine", &prepared.fine), ("coarse", &prepared.coarse)].into_iter().enumerate() {
        let by_starts = agreement::random_starts(&prepared, nodes, extent.repetitions, extent.most_starts);
        for found in &by_starts {
            row(name, mesh, "random", found, extent.repetitions, report);
        }
        // The fewest that agree as often as the most do: more change nothing.
        let best = by_starts.last().map_or(0.0, |found| found.queries);
        enough[place] = by_starts.iter().find(|found| found.queries == best).map_or(1, |found| found.starts);
        for starts in [1, 5, 20, 100, 500].into_iter().filter(|&n| n <= extent.most_starts) {
            let found = agreement::warm_starts(&prepared, nodes, extent.warm_repetitions, starts);
            row(name, mesh, "last step", &found, extent.warm_repetitions, report);
        }
        if extent.has_ceiling {
            ceiling(&prepared, mesh, nodes, report);
        }
    }
    table::run(&prepared, enough, extent.passes, report)?;
    if let Some(folder) = &options.output {
        series::write(&prepared, enough, folder)?;
    }
    Ok(())
}

/// Table 1 and the totals of Table 2's first row.
fn counts(prepared: &Prepared, report: &mut Report) {
    let case = &prepared.case;
    let (a, b) = (&case.a, &case.b);
    let surfaces = a.len() * b.faces() + b.len() * a.faces();
    report.row(
        case.name,
        json!({
            "pieces": [a.len(), b.len()], "faces": [a.faces(), b.faces()],
            "fine_nodes": [prepared.fine[0].len(), prepared.fine[1].len()],
            "coarse_nodes": [prepared.coarse[0].len(), prepared.coarse[1].len()],
            "pairs": a.len() * b.len(), "surfaces": surfaces,
            "first_distance": prepared.least[0], "last_distance": prepared.least[prepared.least.len() - 1],
        }),
    );
    report.note(match case.name {
        "battery" => "Paper: battery 14 pieces, 97 faces, 1241 and 209 nodes; fixture 9, 64, 1842 and 308; 126 pairs. 9 × 97 + 14 × 64 is 1,769 surfaces; the paper says 1,832.",
        _ => "Paper: 92 pieces, 1,058 faces, 2129 and 839 nodes a hand; 8,464 pairs, 194,672 surfaces.",
    });
}

fn row(case: &str, mesh: &str, from: &str, found: &Agreement, repetitions: usize, report: &mut Report) {
    report.row(
        case,
        json!({
            "method": format!("sopa-{mesh}"), "from": from, "starts": found.starts, "trajectories": repetitions,
            "agreement": found.queries, "whole_trajectories": found.trajectories, "worst_error": found.worst_error,
        }),
    );
}

fn ceiling(prepared: &Prepared, mesh: &str, nodes: &Nodes, report: &mut Report) {
    let steps: Vec<usize> = (0..prepared.least.len()).collect();
    let (agreement, worst_error, minima) = agreement::every_pair(prepared, nodes, &steps);
    report.row(
        prepared.case.name,
        json!({
            "method": format!("sopa-{mesh}"), "from": "every pair of nodes", "starts": nodes[0].len() * nodes[1].len(),
            "agreement": agreement, "worst_error": worst_error, "minima": minima,
        }),
    );
}
