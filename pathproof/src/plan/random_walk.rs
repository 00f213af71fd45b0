//! A random walk that changes one joint at a time until it is inside a region (exact-collision-checking paper §4.3).
//!
//! It finds its way out of narrow channels because a chain of n links in random configurations shrinks to the order of
//! √n of them. A step draws one degree of freedom among those that move something still outside, and a new value
//! within [`RandomWalk::step`] of its range. It is made if its segment is proven free. Joints that move only bodies
//! already inside are left alone, so that many robots need not get inside by the same chance.

use super::budget::{Budget, Watch};
use super::error::PlanError;
use super::exact::Tester;
use super::problem::{Effort, Evidence, Goal, Outcome, Planned, Planner, Problem, Shortfall};
use crate::numeric::{Random, least};

/// The planner. It accepts regions only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RandomWalk {
    /// Largest motion of a joint in a step, either way, as a fraction of its range. Default 0.1.
    pub step: f64,
}

impl Default for RandomWalk {
    fn default() -> Self {
        Self { step: 0.1 }
    }
}

impl Planner for RandomWalk {
    fn name(&self) -> &'static str {
        "random-walk"
    }

    fn plan(&self, problem: &Problem<'_>, seed: u64, budget: &Budget<'_>) -> Result<Outcome, PlanError> {
        let Goal::Inside(region) = problem.goal() else { return Err(PlanError::NeedsRegion) };
        let (space, scene) = (problem.space(), problem.space().scene());
        let (mut random, mut watch) = (Random::new(seed), Watch::new(budget));
        let mut tester = Tester::new(problem.checker());
        let mut watcher = region.watcher(scene);
        let moved = space.moved_links();
        let mut waypoints = vec![problem.start().to_vec()];
        let (mut outside, mut freedoms) = (Vec::new(), Vec::new());
        let mut nearest = f64::INFINITY;
        let mut has_moved = true;
        loop {
            let at = &waypoints[waypoints.len() - 1];
            let effort = |tester: &Tester<'_>, watch: &Watch<'_>| Effort {
                steps: watch.steps,
                milestones: waypoints.len(),
                ..tester.effort
            };
            if has_moved {
                nearest = least(nearest, watcher.farthest(at));
                watcher.links_outside(at, &mut outside);
                let moves_some = |freedom: &usize| outside.iter().any(|link| moved[*freedom][*link]);
                freedoms.clear();
                freedoms.extend((0..space.freedoms()).filter(moves_some));
                if outside.is_empty() {
                    let effort = effort(&tester, &watch);
                    return Ok(Outcome::Found(Planned {
                        waypoints: arrived(waypoints),
                        evidence: Evidence::Proven,
                        effort,
                    }));
                }
            }
            if let Err(stop) = watch.step(waypoints.len(), Some(nearest)) {
                return Ok(Outcome::NotFound(Shortfall { stop, nearest, effort: effort(&tester, &watch) }));
            }
            let mut q = at.clone();
            // There is one: a problem with a region for bodies that are outside and cannot move is refused.
            let freedom = freedoms[random.below(freedoms.len())];
            space.draw_one(&mut random, freedom, self.step, &mut q);
            has_moved = tester.is_segment_free(at, &q, &watch)?;
            if has_moved {
                waypoints.push(q);
            }
        }
    }
}

/// A path has at least two waypoints, even if the start is inside already.
fn arrived(mut waypoints: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    if waypoints.len() == 1 {
        waypoints.push(waypoints[0].clone());
    }
    waypoints
}
