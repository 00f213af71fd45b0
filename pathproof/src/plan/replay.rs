//! Candidate paths of one search tested again, one after the other, by either way of testing edges: what is compared then
//! is the testing alone, not the luck of a planner.

use std::collections::HashMap;

use super::budget::{Budget, Watch};
use super::error::PlanError;
use super::exact::{EdgeState, Tested, Tester};
use super::problem::{Effort, Problem};
use super::sbl::EdgeTest;

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// For each candidate whether it was found safe.
    pub safe: Vec<bool>,
    /// The work done.
    pub effort: Effort,
}

/// Tests candidate paths; what is found out about an edge is kept for those that come after.
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

/// The bits of both ends, whichever comes first.
fn key(edge: &[&[f64]; 2]) -> Vec<u64> {
    let [a, b] = edge.map(|end| end.iter().map(|q| q.to_bits()).collect::<Vec<u64>>());
    if a <= b { [a, b].concat() } else { [b, a].concat() }
}
