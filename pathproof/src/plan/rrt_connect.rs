//! RRT-Connect (Kuffner & LaValle) that proves edges as it makes them: every edge of either tree is checked in the
//! direction in which a path would run through it, so that the path returned needs no further test.
//!
//! The smaller tree takes a step towards a random configuration; the other one walks towards the result. Limits: pays
//! for every edge, including those that no path needs. Cost: the search for the nearest neighbour visits all nodes.

use super::budget::{Budget, Stop, Watch};
use super::error::PlanError;
use super::exact::Tester;
use super::problem::{Effort, Evidence, Outcome, Planned, Planner, Problem, Shortfall};
use crate::check::CheckScratch;
use crate::numeric::{Random, least};

/// The planner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RrtConnect {
    /// Longest edge: Euclidean over joints scaled to their ranges. Default 0.3.
    pub range: f64,
}

impl Default for RrtConnect {
    fn default() -> Self {
        Self { range: 0.3 }
    }
}

/// A configuration and the index of its parent.
type Node = (Vec<f64>, Option<usize>);

/// Result of a step towards a configuration.
enum Advance {
    Trapped,
    /// This node is on the way.
    Advanced(usize),
    /// This node is at the configuration.
    Reached(usize),
}

impl Planner for RrtConnect {
    fn name(&self) -> &'static str {
        "rrt-connect"
    }

    fn plan(&self, problem: &Problem<'_>, seed: u64, budget: &Budget<'_>) -> Result<Outcome, PlanError> {
        let mut random = Random::new(seed);
        let mut tester = Tester::new(problem.checker());
        let watch = Watch::new(budget);
        let goals = match problem.roots(&mut random, &watch, &mut CheckScratch::new(problem.checker()))? {
            Ok(goals) => goals,
            Err(stop) => return Ok(Outcome::NotFound(Shortfall::without_goal(stop))),
        };
        for goal in &goals {
            if tester.is_segment_free(problem.start(), goal, &watch)? {
                let waypoints = vec![problem.start().to_vec(), goal.clone()];
                let effort = Effort { milestones: 1 + goals.len(), ..tester.effort };
                return Ok(Outcome::Found(Planned { waypoints, evidence: Evidence::Proven, effort }));
            }
        }
        let trees = [vec![(problem.start().to_vec(), None)], goals.into_iter().map(|goal| (goal, None)).collect()];
        Search { planner: self, problem, random, tester, watch, trees, nearest: f64::INFINITY }.run()
    }
}

struct Search<'a, 'p> {
    planner: &'a RrtConnect,
    problem: &'a Problem<'p>,
    random: Random,
    tester: Tester<'p>,
    watch: Watch<'a>,
    /// The trees of the start and of the goals.
    trees: [Vec<Node>; 2],
    nearest: f64,
}

impl Search<'_, '_> {
    fn run(mut self) -> Result<Outcome, PlanError> {
        let mut target = self.problem.start().to_vec();
        loop {
            if let Err(stop) = self.watch.step(self.size(), None) {
                return Ok(self.shortfall(stop));
            }
            let grown = usize::from(self.trees[1].len() < self.trees[0].len());
            self.problem.space().draw(&mut self.random, &mut target);
            let (Advance::Advanced(new) | Advance::Reached(new)) = self.extend(grown, &target)? else { continue };
            let target = self.trees[grown][new].0.clone();
            loop {
                match self.extend(1 - grown, &target)? {
                    Advance::Trapped => break,
                    Advance::Advanced(_) => {}
                    Advance::Reached(met) => {
                        let ends = if grown == 0 { [new, met] } else { [met, new] };
                        return Ok(Outcome::Found(self.planned(ends)));
                    }
                }
                if let Err(stop) = self.watch.step(self.size(), None) {
                    return Ok(self.shortfall(stop));
                }
            }
        }
    }

    /// A step of a tree towards a configuration.
    fn extend(&mut self, tree: usize, target: &[f64]) -> Result<Advance, PlanError> {
        let space = self.problem.space();
        let measured = self.trees[tree].iter().map(|(q, _)| space.length(q, target)).enumerate();
        let nearest = measured.reduce(|a, b| if b.1 < a.1 { b } else { a });
        let Some((from, distance)) = nearest else { return Ok(Advance::Trapped) };
        let is_there = distance <= self.planner.range;
        let start = &self.trees[tree][from].0;
        let q =
            if is_there { Some(target.to_vec()) } else { space.between(start, target, self.planner.range / distance) };
        let Some(q) = q else { return Ok(Advance::Trapped) };
        // In the direction of a path: from the start, and towards the goals.
        let [a, b] = if tree == 0 { [start, &q] } else { [&q, start] };
        if !self.tester.is_segment_free(a, b, &self.watch)? {
            return Ok(Advance::Trapped);
        }
        self.trees[tree].push((q, Some(from)));
        let new = self.trees[tree].len() - 1;
        if !is_there {
            self.nearest = least(self.nearest, distance - self.planner.range);
        }
        Ok(if is_there { Advance::Reached(new) } else { Advance::Advanced(new) })
    }

    fn size(&self) -> usize {
        self.trees[0].len() + self.trees[1].len()
    }

    fn effort(&self) -> Effort {
        Effort { steps: self.watch.steps, milestones: self.size(), ..self.tester.effort }
    }

    fn shortfall(&self, stop: Stop) -> Outcome {
        Outcome::NotFound(Shortfall { stop, nearest: self.nearest, effort: self.effort() })
    }

    /// The path through a configuration that is a node of both trees.
    fn planned(&self, [in_start, in_goal]: [usize; 2]) -> Planned {
        let to_root = |tree: usize, from: usize| {
            let numbers = std::iter::successors(Some(from), move |at| self.trees[tree][*at].1);
            numbers.map(move |number| self.trees[tree][number].0.clone())
        };
        let mut waypoints: Vec<Vec<f64>> = to_root(0, in_start).collect();
        waypoints.reverse();
        waypoints.extend(to_root(1, in_goal).skip(1));
        Planned { waypoints, evidence: Evidence::Proven, effort: self.effort() }
    }
}
