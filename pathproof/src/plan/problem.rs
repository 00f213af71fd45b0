//! A planner's input and output: the trait [`Planner`].

use super::budget::{Budget, Stop, Watch};
use super::error::PlanError;
use super::nearby;
use super::region::Region;
use super::space::Space;
use crate::check::{CheckScratch, Checker, Settings, Statistics, Verdict};
use crate::numeric::Random;

/// End of a path.
#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// Any of these configurations.
    AnyOf(Vec<Vec<f64>>),
    /// Any configuration inside a region of the world.
    Inside(Region),
}

/// A start, a goal, and the checker that decides. Start and goals are free and the joints bounded.
#[derive(Clone, Debug)]
pub struct Problem<'a> {
    checker: &'a Checker,
    space: Space<'a>,
    start: Vec<f64>,
    goal: Goal,
}

impl<'a> Problem<'a> {
    /// Checks that start and goals are free. Goals that are not free are left out; it is an error if none is left.
    pub fn new(checker: &'a Checker, start: Vec<f64>, goal: Goal) -> Result<Self, PlanError> {
        let mut scratch = CheckScratch::new(checker);
        let mut verdict_of = |q: &Vec<f64>| -> Result<Verdict, PlanError> {
            Ok(checker.configuration(q, &Settings::default(), &mut scratch)?.verdict)
        };
        // The checker refuses invalid configurations before anything here relies on them.
        let verdict = verdict_of(&start)?;
        let goal_verdicts = match &goal {
            Goal::AnyOf(goals) => goals.iter().map(&mut verdict_of).collect::<Result<Vec<_>, _>>()?,
            Goal::Inside(_) => Vec::new(),
        };
        let mut given = vec![&start[..]];
        if let Goal::AnyOf(goals) = &goal {
            given.extend(goals.iter().map(|goal| &goal[..]));
        }
        let space = Space::new(checker.scene(), &given)?;
        let refusal = |end: &'static str, q: &[f64], verdict: Verdict| {
            let nearest = nearby::free_near(checker, &space, q);
            PlanError::NotFree { end, verdict: Box::new(verdict), nearest }
        };
        if !matches!(verdict, Verdict::Free(_)) {
            return Err(refusal("start", &start, verdict));
        }
        let goal = match goal {
            Goal::AnyOf(goals) => {
                let (mut free, mut blocked) = (Vec::new(), None);
                for (goal, verdict) in goals.into_iter().zip(goal_verdicts) {
                    match verdict {
                        Verdict::Free(_) => free.push(goal),
                        verdict => blocked = blocked.or(Some((goal, verdict))),
                    }
                }
                match (free.is_empty(), blocked) {
                    (true, Some((q, verdict))) => return Err(refusal("goal", &q, verdict)),
                    (true, None) => return Err(PlanError::NoGoal),
                    _ => Goal::AnyOf(free),
                }
            }
            Goal::Inside(region) => {
                region.require_reachable(&space, &start)?;
                Goal::Inside(region)
            }
        };
        Ok(Self { checker, space, start, goal })
    }

    /// The checker.
    pub fn checker(&self) -> &'a Checker {
        self.checker
    }

    /// The configurations within limits.
    pub fn space(&self) -> &Space<'a> {
        &self.space
    }

    /// Start of the path.
    pub fn start(&self) -> &[f64] {
        &self.start
    }

    /// Goal of the path, without goal configurations that are not free.
    pub fn goal(&self) -> &Goal {
        &self.goal
    }

    /// Free configurations at which a path may end: the goals, or some that are drawn inside the region. If the budget
    /// ends the drawing, those found by then, or the limit if there are none.
    pub(super) fn roots(
        &self,
        random: &mut Random,
        watch: &Watch<'_>,
        scratch: &mut CheckScratch,
    ) -> Result<Result<Vec<Vec<f64>>, Stop>, PlanError> {
        let region = match &self.goal {
            Goal::AnyOf(goals) => return Ok(Ok(goals.clone())),
            Goal::Inside(region) => region,
        };
        let mut watcher = region.watcher(self.checker.scene());
        let (mut roots, mut q) = (Vec::new(), self.start.clone());
        for _ in 0..DRAWN_FOR_ROOTS {
            if let Err(stop) = watch.require_budget_left() {
                return Ok(if roots.is_empty() { Err(stop) } else { Ok(roots) });
            }
            self.space.draw(random, &mut q);
            if !watcher.is_inside(&q) {
                continue;
            }
            let answer = self.checker.configuration(&q, &Settings::default(), scratch)?;
            if matches!(answer.verdict, Verdict::Free(_)) {
                roots.push(q.clone());
                if roots.len() == MOST_ROOTS {
                    break;
                }
            }
        }
        if roots.is_empty() { Err(PlanError::NoRoot { drawn: DRAWN_FOR_ROOTS }) } else { Ok(Ok(roots)) }
    }
}

/// Configurations drawn to find some inside a region.
const DRAWN_FOR_ROOTS: usize = 20_000;

/// Number of roots inside a region at which drawing ends.
const MOST_ROOTS: usize = 16;

/// Finds paths.
pub trait Planner {
    /// Its name on a command line.
    fn name(&self) -> &'static str;

    /// Looks for a path. The same problem and seed give the same answer, unless time or an interrupt ends it.
    fn plan(&self, problem: &Problem<'_>, seed: u64, budget: &Budget<'_>) -> Result<Outcome, PlanError>;
}

/// Result of a planner.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum Outcome {
    /// A path.
    Found(Planned),
    /// No path within the budget, which does not show that there is none.
    NotFound(Shortfall),
}

/// A path from the start to a goal.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// Its waypoints; at least two.
    pub waypoints: Vec<Vec<f64>>,
    /// Evidence that it is free.
    pub evidence: Evidence,
    /// The work done.
    pub effort: Effort,
}

/// Evidence that a path is free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evidence {
    /// Every configuration on it is proven free.
    Proven,
    /// Configurations closer together than a step were tested (L∞, a fraction of each joint's range). **No proof.**
    Sampled {
        /// The step.
        step: f64,
    },
}

/// State of a planner that ended without a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shortfall {
    /// Cause that ended it.
    pub stop: Stop,
    /// Least distance met: between milestones of both trees (a fraction of the joints' ranges), or of the walk from
    /// the region (metres).
    pub nearest: f64,
    /// The work done.
    pub effort: Effort,
}

impl Shortfall {
    /// Shortfall of a search that ended before it had a goal.
    pub(super) fn without_goal(stop: Stop) -> Self {
        Self { stop, nearest: f64::INFINITY, effort: Effort::default() }
    }
}

/// Amount of work of a planner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Steps of the budget.
    pub steps: u64,
    /// Configurations kept.
    pub milestones: usize,
    /// Segments given to the checker.
    pub segments: u64,
    /// Whole paths tested.
    pub candidates: u64,
    /// Work of the checker.
    pub statistics: Statistics,
}
