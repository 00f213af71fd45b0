//! Tests candidate paths of one search again, one after the other, by either way of testing edges. This compares the
//! testing alone, not the luck of a planner.

use std::collections::HashMap;

use super::budget::{Budget, Watch};
use super::error::PlanError;
use super::exact::{EdgeState, Tested, Tester};
use super::problem::{Effort, Problem};
use super::sbl::EdgeTest;

/// Result of a replay.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// For each candidate, true if it was found safe.
    pub safe: Vec<bool>,
    /// The work done.
    pub effort: Effort,
}

/// Tests candidate paths; results for an edge are kept for later candidates.
pub fn replay(
    problem: &Problem<'_>,
    candidates: &[Vec<Vec<f64>>],
    edge_test: EdgeTest,
    remembers_edges: bool,
) -> Result<Replayed, PlanError> {
    let checker = problem.checker();
    let mut tester = if remembers_edges { Tester::new(checker) } else { Tester::without_edge_cache(checker) };
    let watch = Watch::new(&Budget::default());
    let mut known: HashMap<Vec<u64>, EdgeState> = HashMap::new();
    let mut safe = Vec::with_capacity(candidates.len());
    for path in candidates {
        let edges: Vec<[&[f64]; 2]> = path.windows(2).map(|ends| [&ends[0][..], &ends[1][..]]).collect();
        let mut states: Vec<EdgeState> =
            edges.iter().map(|edge| known.get(&key(edge)).copied().unwrap_or_default()).collect();
        let tested = match edge_test {
            EdgeTest::Exact => {
                tester.prove(&edges, &mut states, problem.space(), &watch)?.unwrap_or(Tested::Blocked(0))
            }
            EdgeTest::Fixed { step } => {
                let sampled = tester.sample(&edges, &mut states, step, (problem.space(), &watch))?;
                sampled.unwrap_or(Tested::Blocked(0))
            }
        };
        if remembers_edges {
            known.extend(edges.iter().map(key).zip(states));
        }
        safe.push(tested == Tested::Safe);
    }
    Ok(Replayed { safe, effort: tester.effort })
}

/// The bits of both ends, in canonical order.
fn key(edge: &[&[f64]; 2]) -> Vec<u64> {
    let [a, b] = edge.map(|end| end.iter().map(|q| q.to_bits()).collect::<Vec<u64>>());
    if a <= b { [a, b].concat() } else { [b, a].concat() }
}
