//! The open question of the exact-collision-checking paper: bisecting against refining bounds. Source of the checker's
//! default.
//!
//! Free segments of the paper's cases at the default tolerance. The checker opens a pair of nodes if it is larger than
//! `grain` times the motion, else it leaves it to the halves of the interval. (This replaced giving up whole halves by
//! a fraction `kill`, which is kept as a field that is always null.) The published bisection refines distances up to
//! the fraction `kappa` of the true ones (0: GREEDY-DIST, 1: exact). Methods of a segment run in turn.

use anyhow::Result;
use pathproof::check::{CheckScratch, Checker, Settings, Statistics};
use pathproof_papers::bisection::{BisectionScratch, BisectionSettings, Bisector, Refinement};
use serde_json::{Value, json};

use crate::report::Report;
use crate::scenes::{self, in_memory};
use crate::segments::{Configuration, draw, is_free};
use crate::{Options, timing};

/// Runs the experiment.
pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    let (cases, count): (&[&str], usize) =
        if options.quick { (&["6a"], 4) } else { (&["6a", "6b", "7a", "7b", "7c"], 200) };
    for case in cases {
        let Some(description) = scenes::case(case) else { continue };
        let checker = Checker::new(in_memory::scene(&description)?);
        let segments = draw(&checker, "1", options.samples(count), is_free)?;
        measure(case, &checker, &segments, report)?;
    }
    Ok(())
}

/// A method and its options.
enum Way {
    Checker(Settings),
    Bisection(BisectionSettings),
}

/// Ways to check, with the fields that describe them in a row.
fn ways() -> Vec<(Way, Value)> {
    let directional = [1.0, 3.0, 4.0, 6.0, 8.0, 12.0, 30.0].map(|grain| {
        let fields = json!({"judge": "directional", "kappa": null, "kill": null, "grain": grain});
        (Way::Checker(Settings { node_to_motion_ratio: grain, ..Settings::default() }), fields)
    });
    let as_published = |refinement, kappa, name: &str| {
        let settings = BisectionSettings { refinement, kappa, ..BisectionSettings::default() };
        (Way::Bisection(settings), json!({"judge": name, "kappa": kappa, "kill": null, "grain": null}))
    };
    let mut ways: Vec<_> = directional.into_iter().collect();
    ways.extend([0.0, 0.02, 0.1, 0.3, 0.6, 1.0].map(|kappa| as_published(Refinement::Midpoint, kappa, "paper")));
    ways.push(as_published(Refinement::CoveredEnds, 0.0, "paper, Fig. 4b"));
    ways.push(as_published(Refinement::UncoveredMiddle, 0.0, "paper, Fig. 4c"));
    ways
}

fn measure(case: &str, checker: &Checker, segments: &[[Configuration; 2]], report: &mut Report) -> Result<()> {
    let bisector = Bisector::new(checker.scene())?;
    let (mut scratch, mut bisection) = (CheckScratch::new(checker), BisectionScratch::new(&bisector));
    let ways = ways();
    let mut sums = vec![(0.0, Statistics::default()); ways.len()];
    for segment in segments {
        for ((way, _), (seconds, work)) in ways.iter().zip(&mut sums) {
            let begin = timing::thread_seconds();
            let statistics = match way {
                Way::Checker(settings) => checker.segment(&segment[0], &segment[1], settings, &mut scratch)?.statistics,
                Way::Bisection(settings) => bisector.path(segment, settings, &mut bisection)?.statistics,
            };
            *seconds += timing::thread_seconds() - begin;
            *work += statistics;
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
