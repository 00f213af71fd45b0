//! The search over a path with the paper's judge: a queue of stretches a segment, looked at by uncovered length
//! (exact-collision-checking paper §3.4), both ends first. What is asked for, and what is answered, is as with the
//! directional judge: see [`super::search`]. One query a step, so that limits hold to the query.

use std::collections::BinaryHeap;
use std::time::Instant;

use super::checker::{CheckError, CheckScratch, Checker, Report, Settings};
use super::containment;
use super::paper::{Next, PairBounds, Paper, Stretch, dyadic};
use super::paper_query::{self, Look, Question, Touch};
use super::search::Outcome;
use super::units::UnitShape;
use super::verdict::{Finding, Limit, Open, Statistics};
use crate::distance::Indexed;
use crate::robot::Motion;
use crate::trees::RssTree;

/// Without a tolerance, motion below this is not cut further: λ shrinks no faster than the stretch, so that a graze would
/// be cut into millions of stretches on the way to rounding. Metres.
const NANOMETRE: f64 = 1e-9;

/// Length at which a stretch is not cut further if neither end can be told from contact: 2⁻¹³ of a segment.
const FINEST_UNCLEAR: u64 = super::paper::ONE >> 13;

/// The state of a search; its memory is reused.
#[derive(Debug, Default)]
pub(super) struct PaperSearch {
    segments: Vec<Segment>,
    used: usize,
    pub(super) statistics: Statistics,
}

#[derive(Debug)]
struct Segment {
    motion: Motion,
    queue: BinaryHeap<Stretch>,
    bounds: Vec<PairBounds>,
}

/// What a search is told.
struct Job<'a> {
    checker: &'a Checker,
    trees: &'a [Option<Indexed<RssTree>>],
    settings: &'a Settings,
    paper: Paper,
}

impl PaperSearch {
    /// Decides a path.
    pub(super) fn run(
        &mut self,
        checker: &Checker,
        ends: &[[&[f64]; 2]],
        settings: &Settings,
        paper: Paper,
        deadline: Option<Instant>,
        scratch: &mut CheckScratch,
    ) -> Result<Outcome, CheckError> {
        self.start(checker, ends)?;
        let job = Job { checker, trees: checker.rss_trees(), settings, paper };
        let mut outcome = Outcome { findings: Vec::new(), open: None, lower_clearance: f64::INFINITY };
        let looked_at = if settings.report == Report::All { ends.len() } else { 1 };
        for (number, segment) in self.segments[..looked_at].iter().enumerate() {
            scratch.cache.clear();
            let inside = |pair| containment::at_start(checker, pair, number, &segment.motion, scratch);
            outcome.findings.extend(checker.pairs.iter().filter_map(inside));
        }
        if settings.report != Report::All && !outcome.findings.is_empty() {
            outcome.findings.truncate(1);
            return Ok(outcome);
        }
        let mut current = usize::MAX;
        while let Some(segment) = self.next_segment(settings.report) {
            if segment != current {
                current = segment;
                scratch.cache.clear();
            }
            let Some(stretch) = self.segments[segment].queue.pop() else { continue };
            if let Some(limit) = Checker::limit(settings, deadline, &self.statistics) {
                outcome.open = Some(open(checker, limit, segment, &stretch));
                break;
            }
            if self.step(&job, segment, stretch, &mut outcome, scratch) {
                break;
            }
        }
        Ok(outcome)
    }

    fn start(&mut self, checker: &Checker, ends: &[[&[f64]; 2]]) -> Result<(), CheckError> {
        self.statistics = Statistics::default();
        self.used = ends.len();
        for (i, ends) in ends.iter().enumerate() {
            match self.segments.get_mut(i) {
                Some(segment) => segment
                    .motion
                    .set(checker.scene().model(), ends[0], ends[1])
                    .map_err(|source| CheckError::Motion { segment: i, source })?,
                None => self.segments.push(Segment {
                    motion: checker.motion(i, *ends)?,
                    queue: BinaryHeap::new(),
                    bounds: Vec::new(),
                }),
            }
            self.segments[i].fill(checker);
        }
        Ok(())
    }

    /// The segment to look at next: that of the largest uncovered length, or the earliest with anything left.
    fn next_segment(&self, report: Report) -> Option<usize> {
        let segments = &self.segments[..self.used];
        if report == Report::First {
            return segments.iter().position(|segment| !segment.queue.is_empty());
        }
        (0..segments.len())
            .filter_map(|i| segments[i].queue.peek().map(|stretch| (i, stretch.priority)))
            .max_by(|(i, x), (j, y)| x.total_cmp(y).then(j.cmp(i)))
            .map(|(i, _)| i)
    }

    /// Looks at one configuration for one pair; whether the search is over.
    fn step(
        &mut self,
        job: &Job<'_>,
        segment: usize,
        mut stretch: Stretch,
        outcome: &mut Outcome,
        scratch: &mut CheckScratch,
    ) -> bool {
        let bounds = self.segments[segment].bounds[stretch.pair as usize];
        if stretch.lower_at_ends.iter().all(Option::is_some) {
            self.statistics.bisections += 1;
            match stretch.next(job.paper.refinement, &bounds, floor(job, &bounds)) {
                Some(Next::At(position)) => {
                    let look = self.segments[segment].look(job, &stretch, position, scratch, &mut self.statistics);
                    if self.note(job, segment, &stretch, position, &look, outcome, scratch) {
                        return job.settings.report == Report::Any;
                    }
                    for part in stretch.parts(position, look.lower) {
                        self.settle(job, segment, part, outcome);
                    }
                    return false;
                }
                Some(Next::Within([from, to])) => {
                    // The motion from an end up to here stays below its room, so that the clearance is what is left.
                    outcome.lower_clearance = outcome.lower_clearance.min(bounds.clearance);
                    stretch = Stretch { from, to, lower_at_ends: [None; 2], ..stretch };
                }
                None => unreachable!("what has no position between its ends was left open"),
            }
        }
        let end = usize::from(stretch.lower_at_ends[0].is_some());
        let position = [stretch.from, stretch.to][end];
        let look = self.segments[segment].look(job, &stretch, position, scratch, &mut self.statistics);
        if self.note(job, segment, &stretch, position, &look, outcome, scratch) {
            return job.settings.report == Report::Any;
        }
        stretch.lower_at_ends[end] = Some(look.lower);
        self.settle(job, segment, stretch, outcome);
        false
    }

    /// Takes note of a contact if there is one; whether the stretch is done with.
    #[allow(clippy::too_many_arguments)]
    fn note(
        &mut self,
        job: &Job<'_>,
        segment: usize,
        stretch: &Stretch,
        position: u64,
        look: &Look,
        outcome: &mut Outcome,
        scratch: &mut CheckScratch,
    ) -> bool {
        let Some(touch) = &look.found else { return false };
        let finding = self.segments[segment].finding(job.checker, segment, stretch, position, touch, scratch);
        match job.settings.report {
            Report::Any => outcome.findings.push(finding),
            Report::All => {
                self.segments[segment].queue.retain(|other| other.pair != stretch.pair);
                outcome.findings.push(finding);
            }
            Report::First => {
                if outcome.findings.first().is_none_or(|known| (segment, finding.t) < (known.segment, known.t)) {
                    // Nothing after it matters any more; what comes before it in this stretch stays.
                    for later in &mut self.segments[segment + 1..self.used] {
                        later.queue.clear();
                    }
                    self.segments[segment].queue.retain(|other| other.from < position);
                    outcome.findings = vec![finding];
                }
                return false;
            }
        }
        true
    }

    /// Queues a stretch unless it is covered or irrelevant.
    fn settle(&mut self, job: &Job<'_>, segment: usize, mut stretch: Stretch, outcome: &mut Outcome) {
        let state = &mut self.segments[segment];
        let bounds = &state.bounds[stretch.pair as usize];
        let is_first = job.settings.report == Report::First;
        let known = outcome.findings.first().filter(|_| is_first).map(|finding| (finding.segment, finding.t));
        if known.is_some_and(|at| at <= (segment, dyadic(stretch.from).value())) {
            return;
        }
        if stretch.lower_at_ends.iter().all(Option::is_some) {
            let lower = stretch.lower_between(bounds);
            if lower > bounds.clearance {
                outcome.lower_clearance = outcome.lower_clearance.min(lower);
                return;
            }
            let arc = stretch.upper_arc(bounds);
            let length = stretch.to - stretch.from;
            let is_clear = |lower: Option<f64>| lower.is_some_and(|l| l > bounds.clearance + bounds.margin);
            let is_unclear = known.is_none() && !stretch.lower_at_ends.into_iter().any(is_clear);
            let is_floor = arc <= floor(job, bounds) || length < 2 || (is_unclear && length <= FINEST_UNCLEAR);
            // With a contact known, what is left before it is only refined down to the tolerance.
            let is_fine = known.is_some() && arc <= 0.25 * job.checker.scene().tolerance();
            if is_floor || is_fine {
                if known.is_none() && outcome.open.is_none() {
                    outcome.open = Some(open(job.checker, Limit::Resolution, segment, &stretch));
                }
                return;
            }
        }
        stretch.priority = if is_first { -dyadic(stretch.from).value() } else { stretch.uncovered(bounds) };
        state.queue.push(stretch);
    }
}

/// Motion in metres below which a stretch is not cut further.
fn floor(job: &Job<'_>, bounds: &PairBounds) -> f64 {
    let tolerance = job.checker.scene().tolerance();
    let wanted = if tolerance > 0.0 { NANOMETRE.min(tolerance) } else { NANOMETRE };
    wanted.max(16.0 * bounds.margin)
}

fn open(checker: &Checker, limit: Limit, segment: usize, stretch: &Stretch) -> Open {
    let pair = &checker.pairs[stretch.pair as usize];
    let bodies = [checker.units[pair.a].body_of(0), checker.units[pair.b].body_of(0)];
    Open { limit, segment, interval: stretch.interval(), bodies }
}

impl Segment {
    fn fill(&mut self, checker: &Checker) {
        self.queue.clear();
        self.bounds.clear();
        for (i, pair) in checker.pairs.iter().enumerate() {
            let [upper_arc, margin] = pair.upper_arc_and_margin(&checker.units, checker.scene().model(), &self.motion);
            let bounds = PairBounds { upper_arc, margin, clearance: pair.clearance };
            let mut whole = Stretch::whole(i as u32);
            whole.priority = whole.uncovered(&bounds);
            self.bounds.push(bounds);
            self.queue.push(whole);
        }
    }

    /// Looks at a pair at a position.
    fn look(
        &self,
        job: &Job<'_>,
        stretch: &Stretch,
        position: u64,
        scratch: &mut CheckScratch,
        statistics: &mut Statistics,
    ) -> Look {
        let pair = &job.checker.pairs[stretch.pair as usize];
        let (a, b) = (&job.checker.units[pair.a], &job.checker.units[pair.b]);
        let model = job.checker.scene().model();
        let bounds = &self.bounds[stretch.pair as usize];
        let before = scratch.cache.misses();
        let kinematics = scratch.cache.at(&self.motion, dyadic(position));
        let world_from_a = a.world_from_unit(model, kinematics);
        let world_from_b = b.world_from_unit(model, kinematics);
        statistics.distance_queries += 1;
        statistics.configurations += scratch.cache.misses() - before;
        let question = Question {
            clearance: pair.clearance,
            close: pair.clearance + job.checker.scene().tolerance(),
            margin: bounds.margin,
            enough: stretch.upper_arc(bounds) + pair.clearance + bounds.margin,
            kappa: job.paper.kappa,
        };
        let poses = [&world_from_a, &world_from_b];
        match (&b.shape, &job.trees[pair.a], &job.trees[pair.b]) {
            (UnitShape::Parts(_), Some(tree_a), Some(tree_b)) => {
                paper_query::bodies([tree_a, tree_b], poses, &question, &mut scratch.query, statistics)
            }
            (UnitShape::HalfSpace { normal }, Some(tree_a), None) => {
                paper_query::half_space(tree_a.body(), &job.checker.hulls[pair.a], poses, *normal, &question)
            }
            _ => unreachable!("a half-space comes second and never meets another"),
        }
    }

    /// A contact in the world.
    fn finding(
        &self,
        checker: &Checker,
        segment: usize,
        stretch: &Stretch,
        position: u64,
        touch: &Touch,
        scratch: &mut CheckScratch,
    ) -> Finding {
        let pair = &checker.pairs[stretch.pair as usize];
        let (a, b) = (&checker.units[pair.a], &checker.units[pair.b]);
        let is_depth = a.is_convex() && b.is_convex();
        Finding {
            segment,
            t: dyadic(position).value(),
            configuration: scratch.cache.at(&self.motion, dyadic(position)).configuration().to_vec(),
            bodies: [a.body_of(touch.primitives[0]), b.body_of(touch.primitives[1])],
            distance: if touch.upper <= 0.0 && !is_depth { 0.0 } else { touch.upper },
            points: touch.points_in_world,
            clearance: pair.clearance,
        }
    }
}
