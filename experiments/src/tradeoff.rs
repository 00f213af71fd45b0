//! The open question of the exact-collision-checking paper: bisecting against refining bounds. Where the defaults of both
//! judges come from.
//!
//! Free segments of the paper's cases at the default tolerance. The directional judge opens a pair of nodes where it is
//! larger than `grain` times the motion, else it leaves it to the halves of the interval (this took the place of giving up
//! whole halves by a fraction `kill`, which is kept as a field that is always null); the paper's judge refines distances up
//! to the fraction `kappa` of the true ones (0: GREEDY-DIST, 1: exact). Methods of a segment run in turn.

use anyhow::Result;
use pathproof::check::{CheckScratch, Checker, Method, Paper, Refinement, Settings, Statistics};
use serde_json::{Value, json};

use crate::report::Report;
use crate::scenes::{self, in_memory};
use crate::segments::{Configuration, build_trees_of_the_paper, draw, is_free};
use crate::{Options, timing};

/// Runs the experiment.
pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    let (cases, count): (&[&str], usize) =
        if options.quick { (&["6a"], 4) } else { (&["6a", "6b", "7a", "7b", "7c"], 200) };
    for case in cases {
        let Some(description) = scenes::case(case) else { continue };
        let checker = Checker::new(in_memory::scene(&description)?);
        let segments = draw(&checker, "1", options.samples(count), is_free)?;
        build_trees_of_the_paper(&checker, &segments[0])?;
        measure(case, &checker, &segments, report)?;
    }
    Ok(())
}

/// Settings with what a row says of them.
fn ways() -> Vec<(Settings, Value)> {
    let directional = [1.0, 3.0, 4.0, 6.0, 8.0, 12.0, 30.0].map(|grain| {
        let fields = json!({"judge": "directional", "kappa": null, "kill": null, "grain": grain});
        (Settings { node_to_motion_ratio: grain, ..Settings::default() }, fields)
    });
    let by_paper = |refinement, kappa, name: &str| {
        let judge = Method::Paper(Paper { refinement, kappa });
        (
            Settings { method: judge, ..Settings::default() },
            json!({"judge": name, "kappa": kappa, "kill": null, "grain": null}),
        )
    };
    let mut ways = directional.to_vec();
    ways.extend([0.0, 0.02, 0.1, 0.3, 0.6, 1.0].map(|kappa| by_paper(Refinement::Midpoint, kappa, "paper")));
    ways.push(by_paper(Refinement::CoveredEnds, 0.0, "paper, Fig. 4b"));
    ways.push(by_paper(Refinement::UncoveredMiddle, 0.0, "paper, Fig. 4c"));
    ways
}

fn measure(case: &str, checker: &Checker, segments: &[[Configuration; 2]], report: &mut Report) -> Result<()> {
    let mut scratch = CheckScratch::new(checker);
    let ways = ways();
    let mut sums = vec![(0.0, Statistics::default()); ways.len()];
    for [start, goal] in segments {
        for ((settings, _), (seconds, work)) in ways.iter().zip(&mut sums) {
            let begin = timing::thread_seconds();
            let answer = checker.segment(start, goal, settings, &mut scratch)?;
            *seconds += timing::thread_seconds() - begin;
            *work += answer.statistics;
        }
    }
    for ((_, fields), (seconds, work)) in ways.into_iter().zip(sums) {
        let mean = |sum: u64| json!(sum as f64 / segments.len() as f64);
        let mut row = fields;
        row["microseconds"] = json!(seconds * 1e6 / segments.len() as f64);
        row["bisections"] = mean(work.bisections);
        row["volume_tests"] = mean(work.volume_tests);
        report.row(case, row);
    }
    Ok(())
}
