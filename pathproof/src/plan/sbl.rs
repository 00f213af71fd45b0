//! SBL, a single-query, bidirectional planner that tests edges lazily (Sánchez & Latombe; docs/design.md#planning),
//! and A-SBL, the same with the exact checker (exact-collision-checking paper §4.2).
//!
//! Two trees of free milestones grow from start and goal. Edges stay untested until a bridge closes a path, which is
//! then tested as a whole. A blocked edge is deleted and the branch beyond it joins the other tree. Beyond the paper:
//! after many blocked paths, as among thin bodies, it restarts and tests edges as they are made. Invariant of A-SBL:
//! the path returned is proven in the direction in which it is returned. Limits: fills narrow passages by chance only.

use super::budget::{Budget, Stop, Watch};
use super::error::PlanError;
use super::exact::{EdgeState, End, Tested, Tester};
use super::forest::{Candidate, Forest, Milestone, Side};
use super::grid::Grid;
use super::problem::{Effort, Evidence, Outcome, Planned, Planner, Problem, Shortfall};
use crate::check::CheckScratch;
use crate::numeric::{Random, least, most};

/// Method of testing edges.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum EdgeTest {
    /// By the exact checker: A-SBL.
    #[default]
    Exact,
    /// At configurations closer together than this fraction of each joint's range, ignoring clearances: the original.
    /// **No proof.**
    Fixed {
        /// ε of the papers.
        step: f64,
    },
}

/// The planner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sbl {
    /// ρ: largest distance of a milestone from its parent or across a bridge, a fraction of each joint's range. With
    /// more than nine joints it is raised in proportion to their number, up to 0.6. Default 0.15.
    pub reach: f64,
    /// Number of new milestones after which the grid is laid over other coordinates, or a twentieth of all if that is
    /// more. Default 50.
    pub milestones_per_grid: usize,
    /// Number of blocked paths after which new edges are tested as they are made: where so many are blocked, most
    /// edges are, and joining trees full of them is useless. The original never does this. Default 50.
    pub patience: u32,
    /// Method of testing edges. Default: exact.
    pub edge_test: EdgeTest,
    /// True if results for an edge are kept for the next path that has it. Costs memory. Default: true.
    pub remembers_edges: bool,
}

impl Default for Sbl {
    fn default() -> Self {
        Self { reach: 0.15, milestones_per_grid: 50, patience: 50, edge_test: EdgeTest::Exact, remembers_edges: true }
    }
}

/// The grid is not rebuilt before one milestone in this many is new, because a rebuild inserts all of them.
const GROWTH: usize = 20;

/// Degrees of freedom up to which ρ is used as given. Distance is the largest difference of any joint. Among many
/// joints one always differs a lot, and two trees never get within a small ρ of each other in all of them.
const FEW: f64 = 9.0;

/// ρ is not raised above this.
const FARTHEST: f64 = 0.6;

/// Number of neighbourhoods of a milestone that are tried, each smaller than the one before.
const NEIGHBOURHOODS: u32 = 64;

impl Planner for Sbl {
    fn name(&self) -> &'static str {
        match self.edge_test {
            EdgeTest::Exact => "a-sbl",
            EdgeTest::Fixed { .. } => "sbl",
        }
    }

    fn plan(&self, problem: &Problem<'_>, seed: u64, budget: &Budget<'_>) -> Result<Outcome, PlanError> {
        Ok(self.search(problem, seed, budget, Tracing::Off)?.0)
    }
}

impl Sbl {
    /// Plans as [`Planner::plan`] does, and returns the candidate paths in the order in which they were tested.
    pub fn plan_and_trace(
        &self,
        problem: &Problem<'_>,
        seed: u64,
        budget: &Budget<'_>,
    ) -> Result<(Outcome, Trace), PlanError> {
        self.search(problem, seed, budget, Tracing::On)
    }

    fn search(
        &self,
        problem: &Problem<'_>,
        seed: u64,
        budget: &Budget<'_>,
        tracing: Tracing,
    ) -> Result<(Outcome, Trace), PlanError> {
        let mut random = Random::new(seed);
        let checker = problem.checker();
        let tester = if self.remembers_edges { Tester::new(checker) } else { Tester::without_edge_cache(checker) };
        let watch = Watch::new(budget);
        let goals = match problem.roots(&mut random, &watch, &mut CheckScratch::new(checker))? {
            Ok(goals) => goals,
            Err(stop) => return Ok((Outcome::NotFound(Shortfall::without_goal(stop)), Trace::default())),
        };
        let goal_count = goals.len();
        let axes = Grid::draw_axes(problem.space(), &mut random);
        let forest = Forest::new(problem.space(), problem.start(), goals, axes);
        let (nearest, trace) = (f64::INFINITY, Vec::new());
        let next_grid = self.milestones_per_grid;
        let raised = self.reach * most(problem.space().freedoms() as f64 / FEW, 1.0);
        let reach = most(self.reach, least(raised, FARTHEST));
        let mut search = Search {
            planner: self,
            reach,
            problem,
            random,
            tester,
            forest,
            watch,
            nearest,
            next_grid,
            blocked: 0,
            is_eager: false,
            tracing,
            trace,
        };
        let outcome = match search.run(goal_count)? {
            Ok(found) => found,
            Err(stop) => search.shortfall(stop),
        };
        Ok((outcome, search.trace))
    }
}

/// Candidate paths in the order in which they were tested.
pub type Trace = Vec<Vec<Vec<f64>>>;

/// Selects whether candidate paths are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tracing {
    Off,
    On,
}

/// End of a search: an outcome, or the limit that was reached.
type Ended = Result<Outcome, Stop>;

struct Search<'a, 'p> {
    planner: &'a Sbl,
    /// ρ.
    reach: f64,
    problem: &'a Problem<'p>,
    random: Random,
    tester: Tester<'p>,
    forest: Forest,
    watch: Watch<'a>,
    nearest: f64,
    /// Milestones at which the grid is laid over other coordinates.
    next_grid: usize,
    /// Number of blocked paths.
    blocked: u32,
    /// True if edges are tested as they are made.
    is_eager: bool,
    tracing: Tracing,
    trace: Trace,
}

impl Search<'_, '_> {
    fn run(&mut self, goals: usize) -> Result<Ended, PlanError> {
        // Straight lines first: they cost little and often suffice.
        for root in 1..=goals {
            if let Some(ended) = self.close(0, root)? {
                return Ok(ended);
            }
        }
        loop {
            if let Err(stop) = self.watch.step(self.forest.milestones.len(), None) {
                return Ok(Err(stop));
            }
            if self.blocked >= self.planner.patience && !self.is_eager {
                self.begin_anew(goals);
            }
            let Some(newest) = self.expand()? else { continue };
            if let Some(ended) = self.connect(newest)? {
                return Ok(ended);
            }
        }
    }

    /// Replaces the trees, full of edges that are likely to be blocked, by new ones with edges that are tested as they
    /// are made.
    fn begin_anew(&mut self, goals: usize) {
        self.is_eager = true;
        let space = self.problem.space();
        let goals = self.forest.milestones[1..=goals].iter().map(|root| root.q.clone()).collect();
        let axes = Grid::draw_axes(space, &mut self.random);
        self.forest = Forest::new(space, self.problem.start(), goals, axes);
        self.next_grid = self.planner.milestones_per_grid;
    }

    fn effort(&self) -> Effort {
        Effort { steps: self.watch.steps, milestones: self.forest.milestones.len(), ..self.tester.effort }
    }

    fn shortfall(&self, stop: Stop) -> Outcome {
        Outcome::NotFound(Shortfall { stop, nearest: self.nearest, effort: self.effort() })
    }

    /// Adds a milestone near one that has few others around it.
    fn expand(&mut self) -> Result<Option<usize>, PlanError> {
        let space = self.problem.space();
        if self.forest.milestones.len() >= self.next_grid {
            self.forest.lay_grids(space, Grid::draw_axes(space, &mut self.random));
            let count = self.forest.milestones.len();
            self.next_grid = count + self.planner.milestones_per_grid.max(count / GROWTH);
        }
        let side = if self.random.below(2) == 0 { Side::Start } else { Side::Goal };
        let parent = self.forest.pick(side, &mut self.random);
        let mut q = Vec::new();
        for i in 1..=NEIGHBOURHOODS {
            let radius = self.reach / f64::from(i);
            space.draw_near(&mut self.random, &self.forest.milestones[parent].q, radius, &mut q);
            if !self.is_milestone(&q)? {
                continue;
            }
            let edge = if self.is_eager { self.test_alone(parent, &q)? } else { Some(EdgeState::default()) };
            // A configuration that cannot be reached is treated like one that is not free: draw closer.
            if let Some(edge) = edge {
                return Ok(Some(self.forest.add(space, q, parent, edge)));
            }
        }
        Ok(None)
    }

    /// State of a new edge after it was tested alone, in the direction of a path; `None` if it is blocked.
    fn test_alone(&mut self, parent: usize, q: &[f64]) -> Result<Option<EdgeState>, PlanError> {
        let Milestone { q: from, side, .. } = &self.forest.milestones[parent];
        let edge = if *side == Side::Start { [&from[..], q] } else { [q, &from[..]] };
        let space = self.problem.space();
        // Without a shortest arc between its ends there is no edge.
        if space.scene().half_turn(edge[0], edge[1]).is_some() {
            return Ok(None);
        }
        let mut states = [EdgeState::default()];
        let tested = match self.planner.edge_test {
            EdgeTest::Fixed { step } => match self.tester.sample(&[edge], &mut states, step, (space, &self.watch))? {
                Ok(tested) => tested,
                // The search ends with its next step.
                Err(_) => return Ok(None),
            },
            EdgeTest::Exact => self.tester.prove_at_once(edge, &mut states[0], &self.watch)?,
        };
        Ok((tested == Tested::Safe).then_some(states[0]))
    }

    /// True if a configuration may be a milestone: it touches nothing, which costs less than a proof. The proof comes
    /// with its edges. With clearances other than 0 contact alone does not decide, so it must be proven free.
    fn is_milestone(&mut self, q: &[f64]) -> Result<bool, PlanError> {
        let mut pairs = self.problem.space().scene().pairs().iter();
        match self.planner.edge_test {
            EdgeTest::Exact if pairs.any(|pair| pair.clearance != 0.0) => self.tester.is_free(q),
            _ => self.tester.is_untouched(q),
        }
    }

    /// Bridges from the newest milestone: to the nearest of the other tree in the grid's cells around it, and to a
    /// random one.
    fn connect(&mut self, newest: usize) -> Result<Option<Ended>, PlanError> {
        let space = self.problem.space();
        let milestone = &self.forest.milestones[newest];
        let other = milestone.side.other();
        // A milestone that is farther away is neither a bridge nor the nearest one met.
        let within = most(self.reach, self.nearest);
        if let Some((near, distance)) = self.forest.nearest_around(other, space, &milestone.q, within) {
            self.nearest = least(self.nearest, distance);
            if distance <= self.reach
                && let Some(ended) = self.close(newest, near)?
            {
                return Ok(Some(ended));
            }
        }
        // The branch with the newest milestone may have changed sides.
        let other = self.forest.milestones[newest].side.other();
        let any = self.forest.pick(other, &mut self.random);
        let distance = space.distance(&self.forest.milestones[newest].q, &self.forest.milestones[any].q);
        self.nearest = least(self.nearest, distance);
        if distance <= self.reach { self.close(newest, any) } else { Ok(None) }
    }

    /// Tests the path through a bridge. If it is blocked, cuts the blocked edge.
    fn close(&mut self, one: usize, other: usize) -> Result<Option<Ended>, PlanError> {
        let mut candidate = self.forest.candidate(one, other);
        self.tester.effort.candidates += 1;
        if self.tracing == Tracing::On {
            self.trace.push(self.waypoints(&candidate));
        }
        let tested = match self.test(&mut candidate)? {
            Ok(tested) => tested,
            Err(stop) => return Ok(Some(Err(stop))),
        };
        self.forest.learn(&candidate);
        match tested {
            Tested::Blocked(edge) => {
                self.blocked += 1;
                self.forest.cut(self.problem.space(), &candidate, edge);
                Ok(None)
            }
            Tested::Safe => Ok(Some(Ok(Outcome::Found(self.planned(&candidate))))),
        }
    }

    fn test(&mut self, candidate: &mut Candidate) -> Result<Result<Tested, Stop>, PlanError> {
        let milestones = &self.forest.milestones;
        let at = |place: usize| &milestones[candidate.milestones[place]].q[..];
        let edges: Vec<[&[f64]; 2]> = (0..candidate.edges.len()).map(|edge| [at(edge), at(edge + 1)]).collect();
        // Without a shortest arc between its ends there is no edge.
        let scene = self.problem.space().scene();
        if let Some(edge) = edges.iter().position(|[a, b]| scene.half_turn(a, b).is_some()) {
            return Ok(Ok(Tested::Blocked(edge)));
        }
        match self.planner.edge_test {
            EdgeTest::Fixed { step } => {
                self.tester.sample(&edges, &mut candidate.edges, step, (self.problem.space(), &self.watch))
            }
            EdgeTest::Exact => {
                match self.tester.prove(&edges, &mut candidate.edges, self.problem.space(), &self.watch)? {
                    // An edge that turned when its branch changed sides was proven from its other end. A check of the
                    // returned path meets other midpoints there, and may call a pair within the tolerance of its
                    // clearance too close. So these edges are proven again in the direction in which they are
                    // returned.
                    Ok(Tested::Safe) => {
                        let is_turned = |(edge, state): &(&[&[f64]; 2], &EdgeState)| {
                            state.proven_from != Some(End::entered(**edge))
                        };
                        let turned = edges.iter().zip(&candidate.edges).enumerate().filter(|(_, of)| is_turned(of));
                        for (number, ([a, b], _)) in turned {
                            if !self.tester.is_segment_free(a, b, &self.watch)? {
                                return Ok(Ok(Tested::Blocked(number)));
                            }
                        }
                        Ok(Ok(Tested::Safe))
                    }
                    tested => Ok(tested),
                }
            }
        }
    }

    fn waypoints(&self, candidate: &Candidate) -> Vec<Vec<f64>> {
        candidate.milestones.iter().map(|number| self.forest.milestones[*number].q.clone()).collect()
    }

    fn planned(&self, candidate: &Candidate) -> Planned {
        let waypoints = self.waypoints(candidate);
        let evidence = match self.planner.edge_test {
            EdgeTest::Exact => Evidence::Proven,
            EdgeTest::Fixed { step } => Evidence::Sampled { step },
        };
        Planned { waypoints, evidence, effort: self.effort() }
    }
}
