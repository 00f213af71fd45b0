//! Answers one query to the traffic: selects boxes, frames and pairs by each method.
//!
//! Builds only what the method needs of the body, in the caller's scratch.

use std::ops::ControlFlow;

use super::agent::Agent;
use super::body::{Body, FrameCache, Frames, lie};
use super::boxes::knot_box;
use super::candidate::Tree;
use super::cell::Cell;
use super::descent::{Descent, Isolated, Lie, Path, Windows};
use super::hulls::Hulls;
use super::narrow::{Space, smaller};
use super::query::{Answer, Exactness, Method, Query, Report, Sampling, verdict_of_all};
use super::sampled::Sampled;
use super::slots::{SmallBox, rounded_down, rounded_up};
use super::track::Track;
use super::trajectory::TIME_SLACK;
use super::verdict::{Finding, Verdict};
use super::world::World;
use pathproof::internals::simd::{Width, run_lanes};

/// The body in question.
pub(crate) struct Asked<'a, S: Space> {
    pub(crate) track: Track<'a, S>,
    pub(crate) tree: Option<&'a Tree<S>>,
    pub(crate) is_uncertain: bool,
}

/// Scratch that does not depend on the workspace.
#[derive(Default)]
pub(crate) struct SharedScratch {
    pub(crate) path: Path,
    windows: Windows,
    pub(crate) findings: Vec<Finding>,
}

/// Scratch of one workspace.
pub(crate) struct SpaceScratch<S: Space> {
    cache: FrameCache<S::Frame>,
    tree: Tree<S>,
    cells: Vec<Cell<S::Vector>>,
}

impl<S: Space> Default for SpaceScratch<S> {
    fn default() -> Self {
        Self { cache: FrameCache::default(), tree: Tree::default(), cells: Vec::new() }
    }
}

pub(crate) fn ask<S: Space>(
    agents: &[Agent],
    world: &World<S>,
    asked: Asked<'_, S>,
    query: &Query,
    scratch: &mut SpaceScratch<S>,
    shared: &mut SharedScratch,
) -> Answer {
    shared.findings.clear();
    let track = &asked.track;
    shared.windows.fill(&world.slots, track.trajectory.times(), track.start, query.time_gap);
    match query.method {
        Method::Hulls(exactness) => by_hulls(agents, world, asked, query, exactness, scratch, shared),
        Method::Naive(sampling) | Method::Isolated(sampling) | Method::Trees(sampling) => {
            by_samples(agents, world, asked, query, sampling, scratch, shared)
        }
    }
}

fn by_hulls<S: Space>(
    agents: &[Agent],
    world: &World<S>,
    asked: Asked<'_, S>,
    query: &Query,
    exactness: Exactness,
    scratch: &mut SpaceScratch<S>,
    shared: &mut SharedScratch,
) -> Answer {
    let SharedScratch { path, windows, findings } = shared;
    let SpaceScratch { cache, tree: own, cells } = scratch;
    let track = asked.track;
    let slots = &world.slots;
    let (boxes, lie, frames) = match asked.tree {
        Some(tree) => {
            let lie = lie(&track, &tree.boxes, slots.origin, exactness.clearance + track.upper_rounding);
            (&tree.boxes, lie, Frames::Ready(&tree.frames[..]))
        }
        None => {
            let reach = track.compound.upper_reach() + track.upper_rounding + exactness.clearance;
            own.boxes.fill_discs(&track, reach, slots.origin);
            (&own.boxes, Lie::InPlace, Frames::OnDemand(cache))
        }
    };
    let mut hulls = Hulls {
        agents,
        world,
        body: Body::new(track, frames),
        is_body_uncertain: asked.is_uncertain,
        exactness,
        gap: query.time_gap,
        report: query.report,
        shift: windows.shift(),
        cells,
        findings,
        found: None,
        open: None,
        statistics: Default::default(),
    };
    let mut node_tests = 0;
    let visit = |piece: usize, agent: usize| hulls.visit(piece, agent);
    let near = near_knot(&track, query.report);
    Descent { slots, boxes, windows, lie, path, near, visit, node_tests: &mut node_tests }.run();
    let Hulls { found, open, mut statistics, .. } = hulls;
    statistics.node_tests = node_tests;
    sort(findings);
    let verdict = match found {
        Some(mut found) => {
            if let (Some(free_until), Some(open)) = (&mut found.free_until, open) {
                *free_until = smaller(*free_until, open.interval[0]);
            }
            if found.is_collision { Verdict::Collision(found) } else { Verdict::TooClose(found) }
        }
        None => verdict_of_all(findings).or(open.map(Verdict::Undecided)).unwrap_or(Verdict::Free),
    };
    Answer { verdict, statistics }
}

fn by_samples<S: Space>(
    agents: &[Agent],
    world: &World<S>,
    asked: Asked<'_, S>,
    query: &Query,
    sampling: Sampling,
    scratch: &mut SpaceScratch<S>,
    shared: &mut SharedScratch,
) -> Answer {
    let SharedScratch { path, windows, findings } = shared;
    let own = &mut scratch.tree;
    let track = asked.track;
    let is_trees = matches!(query.method, Method::Trees(_));
    let tree = match asked.tree {
        Some(tree) => tree,
        None if is_trees => {
            own.rebuild(&track);
            &*own
        }
        None => {
            own.frames.clear();
            own.frames.extend((0..track.trajectory.knots()).map(|knot| S::knot(track.trajectory, knot)));
            &*own
        }
    };
    let mut sampled = Sampled {
        agents,
        world,
        body: Body::new(track, Frames::Ready(&tree.frames)),
        is_body_uncertain: asked.is_uncertain,
        sampling,
        gap: query.time_gap,
        report: query.report,
        shift: windows.shift(),
        findings,
        found: None,
        statistics: Default::default(),
    };
    let near = near_knot(&track, query.report);
    let mut node_tests = 0;
    match query.method {
        Method::Naive(_) => naive(&mut sampled, path, agents.len(), near),
        Method::Isolated(_) => isolated(&mut sampled, path, windows, near, &mut node_tests),
        Method::Trees(_) | Method::Hulls(_) => {
            let lie = lie(&track, &tree.boxes, world.slots.origin, track.upper_rounding);
            let last = track.trajectory.knots() - 1;
            let visit = |leaf: usize, agent: usize| {
                sampled.visit(leaf, agent)?;
                // The last leaf holds the last two knots.
                if leaf + 1 == last { sampled.visit(last, agent) } else { ControlFlow::Continue(()) }
            };
            let (slots, boxes) = (&world.slots, &tree.boxes);
            Descent { slots, boxes, windows, lie, path, near, visit, node_tests: &mut node_tests }.run();
        }
    }
    let Sampled { found, mut statistics, .. } = sampled;
    statistics.node_tests = node_tests;
    sort(findings);
    let verdict = found.map(Verdict::Collision).or_else(|| verdict_of_all(findings)).unwrap_or(Verdict::NoneFound);
    Answer { verdict, statistics }
}

/// The knot to look at first.
fn near_knot<S: Space>(track: &Track<'_, S>, report: Report) -> usize {
    match report {
        Report::Any { near: Some(time) } => track.trajectory.knot_before(time - track.start),
        Report::Any { near: None } | Report::First | Report::All => 0,
    }
}

fn sort(findings: &mut [Finding]) {
    findings.sort_unstable_by(|a, b| a.piece.cmp(&b.piece).then(a.agent.cmp(&b.agent)));
}

/// Every pose against every agent, from `near` on and then from the start.
fn naive<S: Space>(sampled: &mut Sampled<'_, S>, path: &Path, agents: usize, near: usize) {
    let knots = sampled.body.track.trajectory.knots();
    for knot in (near..knots).chain(0..near) {
        let state = sampled.state(knot);
        for agent in 0..agents {
            if path.wants(agent) && sampled.visit_state(&state, knot, agent).is_break() {
                return;
            }
        }
    }
}

/// Every pose by itself against the traffic's tree.
fn isolated<S: Space>(sampled: &mut Sampled<'_, S>, path: &Path, windows: &Windows, near: usize, node_tests: &mut u64) {
    let world = sampled.world;
    let slots = &world.slots;
    let knots = sampled.body.track.trajectory.knots();
    let width = Width::detect();
    for knot in (near..knots).chain(0..near) {
        let track = sampled.body.track;
        let time = track.time(knot);
        let window = match windows.shift() {
            Some(shift) => [(knot + shift).min(slots.count() - 1); 2],
            None => {
                let from = slots.first_for(time - sampled.gap - TIME_SLACK);
                [from, slots.last_for(time + sampled.gap + TIME_SLACK).max(from)]
            }
        };
        let state = sampled.state(knot);
        let small = pose_box(&track, state.frame, knot, slots.origin);
        let visit = |agent: usize| sampled.visit_state(&state, knot, agent);
        let isolated = Isolated { slots, window, small, wanted: &path.wanted, visit, node_tests: &mut *node_tests };
        if run_lanes(width, isolated).is_break() {
            return;
        }
    }
}

/// The box of the body at a knot, about the slots' origin.
fn pose_box<S: Space>(track: &Track<'_, S>, frame: S::Frame, knot: usize, origin: [f64; 3]) -> SmallBox {
    let [low, high] = knot_box(track, frame, knot);
    let mut small = SmallBox { low: [0.0; 3], high: [0.0; 3] };
    for axis in 0..S::DIMENSIONS {
        small.low[axis] = rounded_down(low[axis] - origin[axis] - track.upper_rounding);
        small.high[axis] = rounded_up(high[axis] - origin[axis] + track.upper_rounding);
    }
    small
}
