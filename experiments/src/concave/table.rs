//! Table 2: time, piece pairs and surfaces per query, the methods in turn over the whole trajectory; the least of some
//! passes, because other load only adds time.

use std::hint::black_box;

use anyhow::{Context, Result};
use pathproof_papers::concave::mls::{self, MlsMemory};
use pathproof_papers::concave::{PieceDistance, PieceWork, SecondStage, SopaMemory, SopaSettings, Starts, TreeMemory};
use serde_json::json;

use super::agreement::seed;
use super::prepared::{Nodes, Prepared};
use crate::report::Report;
use crate::timing;

/// A method of the table.
#[derive(Clone, Copy)]
enum Method<'n> {
    Mindist { is_tracked: bool },
    Sopa { mesh: &'static str, nodes: &'n Nodes, starts: usize, is_warm: bool, stage: SecondStage },
    Tree { is_tracked: bool },
}

/// Result of a pass over the trajectory.
#[derive(Clone, Default)]
struct Pass {
    seconds: f64,
    work: PieceWork,
    met: usize,
    worst_error: f64,
}

pub(crate) fn run(prepared: &Prepared, enough: [usize; 2], passes: usize, report: &mut Report) -> Result<()> {
    report.note(match prepared.case.name {
        "battery" => "Paper (2.8 GHz): mindist 4,200 µs, 126 pairs, 1,832 surfaces; sopa-fine 4,500, 48, 712; sopa-coarse 3,500, 67, 965; 68 % of SOPA's time in stage 1.",
        _ => "Paper (2.8 GHz): mindist 422,000 µs, 8,464 pairs, 194,672 surfaces; sopa-fine 49,000, 235, 11,803; sopa-coarse 48,000, 410, 21,441; 61 % of SOPA's time in stage 1.",
    });
    let methods = methods(prepared, enough);
    let mut best: Vec<Pass> = vec![Pass { seconds: f64::INFINITY, ..Pass::default() }; methods.len()];
    let mut stage1 = vec![f64::INFINITY; methods.len()];
    for _ in 0..passes {
        for (place, method) in methods.iter().enumerate() {
            let pass = pass(prepared, method)?;
            if pass.seconds < best[place].seconds {
                best[place] = pass;
            }
            if let Method::Sopa { nodes, starts, is_warm: false, .. } = method {
                stage1[place] = stage1[place].min(descents_alone(prepared, nodes, *starts));
            }
        }
    }
    let steps = prepared.least.len() as f64;
    let exhaustive = best[0].seconds;
    for ((method, pass), stage1) in methods.iter().zip(&best).zip(&stage1) {
        let (name, variant, starts) = method.names();
        let pairs = pass.work.piece_pairs as f64 / steps;
        report.row(
            prepared.case.name,
            json!({
                "method": name, "variant": variant, "starts": starts,
                "microseconds": pass.seconds * 1e6 / steps,
                "stage1_share": if stage1.is_finite() { Some(stage1 / pass.seconds) } else { None },
                "pairs": pairs, "surfaces": pass.work.surfaces as f64 / steps,
                "agreement": pass.met as f64 / steps, "worst_error": pass.worst_error,
                "times_faster": exhaustive / pass.seconds,
                "microseconds_per_pair": pass.seconds * 1e6 / steps / pairs,
            }),
        );
    }
    Ok(())
}

fn methods(prepared: &Prepared, [fine, coarse]: [usize; 2]) -> Vec<Method<'_>> {
    let sopa = |mesh, nodes, starts, is_warm, stage| Method::Sopa { mesh, nodes, starts, is_warm, stage };
    let mut methods = vec![Method::Mindist { is_tracked: false }, Method::Mindist { is_tracked: true }];
    for (mesh, nodes, starts) in [("sopa-fine", &prepared.fine, fine), ("sopa-coarse", &prepared.coarse, coarse)] {
        methods.push(sopa(mesh, nodes, starts, false, SecondStage::Mindist));
        methods.push(sopa(mesh, nodes, starts, false, SecondStage::Gjk));
        methods.push(sopa(mesh, nodes, 20, true, SecondStage::Mindist));
    }
    methods.extend([Method::Tree { is_tracked: false }, Method::Tree { is_tracked: true }]);
    methods
}

impl Method<'_> {
    /// The name, the variant, and the number of starts.
    fn names(&self) -> (&'static str, &'static str, Option<usize>) {
        match self {
            Self::Mindist { is_tracked: false } => ("mindist", "cold", None),
            Self::Mindist { is_tracked: true } => ("mindist", "tracked", None),
            Self::Tree { is_tracked: false } => ("tree", "cold", None),
            Self::Tree { is_tracked: true } => ("tree", "tracked", None),
            Self::Sopa { mesh, starts, is_warm, stage, .. } => {
                let variant = match (is_warm, stage) {
                    (true, _) => "last step",
                    (false, SecondStage::Mindist) => "random",
                    (false, SecondStage::Gjk) => "random, gjk",
                };
                (mesh, variant, Some(*starts))
            }
        }
    }
}

fn pass(prepared: &Prepared, method: &Method<'_>) -> Result<Pass> {
    let (mut tree, mut starts, mut sopa) = (TreeMemory::default(), Starts::default(), SopaMemory::default());
    let mut pass = Pass::default();
    let mut uppers = Vec::with_capacity(prepared.least.len());
    let count = |work: PieceWork, total: &mut PieceWork| {
        total.piece_pairs += work.piece_pairs;
        total.surfaces += work.surfaces;
    };
    let start = timing::thread_seconds();
    for step in 0..prepared.least.len() {
        let query = prepared.query(step);
        let upper = match *method {
            Method::Mindist { is_tracked } => {
                let found = query.exhaustive(is_tracked.then_some(&mut starts), |_, answer| {
                    black_box(answer);
                })?;
                count(found.work, &mut pass.work);
                upper(&found)?
            }
            Method::Tree { is_tracked } => {
                if !is_tracked {
                    tree = TreeMemory::default();
                }
                let found = query.tree(&mut tree);
                count(found.work, &mut pass.work);
                upper(&found)?
            }
            Method::Sopa { nodes, starts, is_warm, stage, .. } => {
                let settings = SopaSettings { starts, seed: seed(0, step), is_warm, second_stage: stage };
                let found = query.sopa([&nodes[0], &nodes[1]], &settings, &mut sopa)?;
                count(found.work, &mut pass.work);
                found.nearest.context("there is a niche")?.upper
            }
        };
        uppers.push(upper);
    }
    pass.seconds = timing::thread_seconds() - start;
    for (step, upper) in uppers.into_iter().enumerate() {
        let error = prepared.error(step, upper);
        pass.met += usize::from(error == 0.0);
        pass.worst_error = pass.worst_error.max(error);
    }
    Ok(pass)
}

fn upper(found: &PieceDistance) -> Result<f64> {
    Ok(found.nearest.context("the poses are numbers")?.upper)
}

/// Seconds of the first stage alone.
fn descents_alone(prepared: &Prepared, nodes: &Nodes, starts: usize) -> f64 {
    let mut memory = MlsMemory::default();
    let start = timing::thread_seconds();
    for (step, pose) in prepared.case.poses.iter().enumerate() {
        let starts = mls::random_starts(&nodes[0], &nodes[1], starts, seed(0, step));
        black_box(mls::local_minima(&nodes[0], &nodes[1], pose, starts, &mut memory));
    }
    timing::thread_seconds() - start
}
