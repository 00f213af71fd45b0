//! Removes waypoints that a path does not need: [`remove_redundant`].

use super::budget::{Budget, Watch};
use super::error::PlanError;
use super::exact::Tester;
use super::problem::Effort;
use crate::check::{Checker, Verdict};

/// Result of the pass.
#[derive(Clone, Debug, PartialEq)]
pub struct RedundantPass {
    /// The remaining waypoints; every segment between them is proven.
    pub waypoints: Vec<Vec<f64>>,
    /// The work done.
    pub effort: Effort,
}

/// Removes every waypoint with neighbours that can be joined directly, one after the other from the start. The path
/// must be free; endpoints stay. If the budget ends, the rest stays as it is.
pub fn remove_redundant(
    checker: &Checker,
    waypoints: &[Vec<f64>],
    budget: &Budget<'_>,
) -> Result<RedundantPass, PlanError> {
    let mut watch = Watch::new(budget);
    let mut tester = Tester::new(checker);
    match super::smooth::require_free(checker, waypoints, &watch) {
        Err(PlanError::PathNotFree { verdict }) if matches!(*verdict, Verdict::Undecided(_)) => {
            return Ok(RedundantPass { waypoints: waypoints.to_vec(), effort: Effort::default() });
        }
        free => free?,
    }
    // Invariant: the segment from the last one kept to the next one is proven.
    let mut kept = vec![waypoints[0].clone()];
    for next in 1..waypoints.len() {
        let last = &kept[kept.len() - 1];
        let is_skipped = next + 1 < waypoints.len()
            && watch.step(kept.len(), None).is_ok()
            && tester.is_segment_free(last, &waypoints[next + 1], &watch)?;
        if !is_skipped {
            kept.push(waypoints[next].clone());
        }
    }
    Ok(RedundantPass { waypoints: kept, effort: Effort { steps: watch.steps, ..tester.effort } })
}
