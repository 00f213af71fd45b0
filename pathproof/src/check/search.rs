//! The search over a path: two levels of queues, one of segments and in each one of cells (paper §3.4).
//!
//! A segment keeps its queue while others are looked at. With [`Report::First`] cells come in the order of time and a
//! contact only bounds what is left to look at; with [`Report::All`] a contact closes its pair on its segment.

use std::collections::BinaryHeap;
use std::time::Instant;

use super::cell::Cell;
use super::certificate::{self, Recorder};
use super::checker::{CheckError, CheckScratch, Checker, Report, Settings};
use super::containment;
use super::directional::{self, Judged, Need};
use super::edge_cache::{Edge, EdgeCache, Progress};
use super::front::{Front, Fronts, NodePair};
use super::half_space;
use super::units::{Ball, Unit, UnitPair, UnitShape};
use super::verdict::{Finding, Limit, Open, Statistics};
use crate::distance::Query;
use crate::numeric::{Pose, add_up};
use crate::robot::bounds;
use crate::robot::{CellBound, Dyadic, Motion, PoseCache, Twist};

/// Deepest level of a cell: midpoints below it would not be exact.
const DEEPEST: u32 = Dyadic::DEEPEST - 2;

/// Deepest level of a cell whose midpoint grazes the clearance (2^12 of them along a segment that grazes all along).
const FINEST_UNCLEAR: u32 = 12;

/// Down to this level, cells without hope of a proof are only looked at for contact, which costs little and finds most.
const LAST_FIRST_LOOK: u32 = 2;

/// A proof is not tried where the motion exceeds this fraction of the smaller unit's size and the room around it.
const HOPELESS: f64 = 0.3;

/// What a search came to.
pub(super) struct Outcome {
    /// Contacts; the first one is the answer.
    pub(super) findings: Vec<Finding>,
    pub(super) open: Option<Open>,
    pub(super) lower_clearance: f64,
}

/// A segment with the cells that are left of it.
#[derive(Debug)]
struct Segment {
    motion: Motion,
    cells: BinaryHeap<Cell>,
    fronts: Fronts,
    /// For each pair, an upper bound on the arc length relative to each other over the whole segment.
    arcs: Vec<f64>,
    /// For each pair, the rounding of both units' poses.
    margins: Vec<f64>,
    of_units: Vec<OfUnit>,
    progress: Progress,
}

/// What a segment knows of a unit.
#[derive(Debug)]
struct OfUnit {
    /// Arc length in the world.
    upper_arc: f64,
    /// Rounding of its pose.
    margin: f64,
    /// In the middle of the segment.
    ball: Ball,
}

/// The state of a search; its memory is reused.
#[derive(Debug, Default)]
pub(super) struct PathSearch {
    segments: Vec<Segment>,
    used: usize,
    /// The segment whose poses the cache holds.
    posed: usize,
    /// Whether steps are kept to be cached.
    records: bool,
    pub(super) statistics: Statistics,
    /// Where looks are noted, if a certificate is wanted.
    pub(super) recorder: Option<Recorder>,
}

impl PathSearch {
    /// Queues every pair on every segment.
    pub(super) fn start(
        &mut self,
        checker: &Checker,
        ends: &[[&[f64]; 2]],
        cache: &mut PoseCache,
    ) -> Result<(), CheckError> {
        self.statistics = Statistics::default();
        self.used = ends.len();
        self.posed = usize::MAX;
        self.records = false;
        for (i, ends) in ends.iter().enumerate() {
            match self.segments.get_mut(i) {
                Some(segment) => segment
                    .motion
                    .set(checker.scene().model(), ends[0], ends[1])
                    .map_err(|source| CheckError::Motion { segment: i, source })?,
                None => self.segments.push(Segment {
                    motion: checker.motion(i, *ends)?,
                    cells: BinaryHeap::new(),
                    fronts: Fronts::default(),
                    arcs: Vec::new(),
                    margins: Vec::new(),
                    of_units: Vec::new(),
                    progress: Progress::default(),
                }),
            }
            self.pose(i, cache);
            self.segments[i].fill(i, checker, cache, &mut self.statistics, self.recorder.as_mut());
        }
        Ok(())
    }

    /// Makes the cache hold poses of this segment.
    fn pose(&mut self, segment: usize, cache: &mut PoseCache) {
        if self.posed != segment {
            self.posed = segment;
            cache.clear();
        }
    }

    /// Goes on where the searches of known edges ended.
    pub(super) fn resume(&mut self, ends: &[[&[f64]; 2]], edges: &mut EdgeCache) {
        self.records = true;
        for (segment, ends) in self.segments.iter_mut().zip(ends) {
            if let Some(edge) = edges.take(ends) {
                (segment.progress, segment.fronts) = (edge.progress, edge.fronts);
                segment.cells = BinaryHeap::from(edge.cells);
            }
        }
    }

    /// Keeps what is known of the segments now.
    pub(super) fn keep(&mut self, ends: &[[&[f64]; 2]], edges: &mut EdgeCache) {
        for (segment, ends) in self.segments.iter_mut().zip(ends) {
            let cells = std::mem::take(&mut segment.cells).into_vec();
            let (progress, fronts) = (std::mem::take(&mut segment.progress), std::mem::take(&mut segment.fronts));
            edges.put(ends, Edge { progress, cells, fronts });
        }
    }

    /// Looks at cells until all are covered, a contact is found or a limit is reached.
    pub(super) fn run(
        &mut self,
        checker: &Checker,
        settings: &Settings,
        deadline: Option<Instant>,
        scratch: &mut CheckScratch,
    ) -> Outcome {
        let mut outcome = Outcome { findings: Vec::new(), open: None, lower_clearance: f64::INFINITY };
        // Where any contact will do, what is found without looking for bodies inside others is found sooner.
        if settings.report != Report::Any {
            self.contained(checker, settings.report, scratch, &mut outcome);
        }
        let is_over = settings.report == Report::First && !outcome.findings.is_empty();
        if !is_over && !self.segments[..self.used].iter().all(Segment::is_proven) {
            self.look_at_cells(checker, settings, deadline, scratch, &mut outcome);
        }
        if settings.report == Report::Any && outcome.findings.is_empty() {
            self.contained(checker, settings.report, scratch, &mut outcome);
        }
        let segments = &self.segments[..self.used];
        outcome.lower_clearance = segments.iter().map(|s| s.progress.lower_clearance).fold(f64::INFINITY, f64::min);
        outcome
    }

    fn look_at_cells(
        &mut self,
        checker: &Checker,
        settings: &Settings,
        deadline: Option<Instant>,
        scratch: &mut CheckScratch,
        outcome: &mut Outcome,
    ) {
        while let Some(segment) = self.next_segment(settings.report) {
            self.pose(segment, &mut scratch.cache);
            if self.segments[segment].progress.known_step().is_some() {
                if self.pass(segment, outcome) {
                    return;
                }
                continue;
            }
            let Some(cell) = self.segments[segment].take(settings.report) else { continue };
            if let Some(limit) = Checker::limit(settings, deadline, &self.statistics) {
                outcome.open = Some(open(checker, limit, segment, &cell));
                self.segments[segment].cells.push(cell);
                return;
            }
            if self.records {
                self.segments[segment].progress.record(cell.uncovered);
            }
            let judged = self.segments[segment].judge(checker, settings, &cell, scratch, &mut self.statistics);
            if let Some((near, primitives)) = judged.found {
                let finding = self.segments[segment].finding(checker, segment, &cell, near, primitives, scratch);
                if self.records {
                    self.segments[segment].progress.record_found(&finding);
                }
                if self.note(finding, &cell, segment, settings.report, outcome) {
                    return;
                }
                if settings.report != Report::First {
                    continue;
                }
            }
            self.split(checker, segment, &cell, &judged, settings.report, outcome);
        }
    }

    /// Goes through a step that is known already; whether it found a contact.
    fn pass(&mut self, segment: usize, outcome: &mut Outcome) -> bool {
        let (open, found) = self.segments[segment].progress.pass();
        if let (Some(open), None) = (open, &outcome.open) {
            outcome.open = Some(Open { segment, ..open.clone() });
        }
        outcome.findings.extend(found.map(|finding| Finding { segment, ..finding.clone() }));
        found.is_some()
    }

    /// The segment to look at next: that of the largest uncovered length, or the earliest with anything left. Stays with
    /// the current one while it is at least half as pressing, so that its poses are used again.
    fn next_segment(&self, report: Report) -> Option<usize> {
        let segments = &self.segments[..self.used];
        if report == Report::First {
            return segments.iter().position(|segment| segment.pressing().is_some());
        }
        let (best, most) = (0..segments.len())
            .filter_map(|i| segments[i].pressing().map(|pressing| (i, pressing)))
            .max_by(|(i, x), (j, y)| x.total_cmp(y).then(j.cmp(i)))?;
        let stays = segments.get(self.posed).and_then(Segment::pressing).is_some_and(|pressing| pressing >= 0.5 * most);
        Some(if stays { self.posed } else { best })
    }

    /// Takes note of a contact; whether the search is over.
    fn note(&mut self, finding: Finding, cell: &Cell, segment: usize, report: Report, outcome: &mut Outcome) -> bool {
        let at = (segment, finding.t);
        match report {
            Report::Any => outcome.findings.push(finding),
            // A cell that begins before the contact known may have its midpoint after it.
            Report::First if outcome.findings.first().is_some_and(|known| (known.segment, known.t) <= at) => {}
            Report::First => {
                // Nothing after it matters any more; what comes before it in this cell is queued by the caller.
                for later in &mut self.segments[segment + 1..self.used] {
                    later.cells.clear();
                }
                self.segments[segment].cells.retain(|cell| cell.interval()[0] < at.1);
                outcome.findings = vec![finding];
            }
            Report::All => {
                self.segments[segment].cells.retain(|other| other.pair != cell.pair);
                outcome.findings.push(finding);
            }
        }
        report == Report::Any
    }

    /// Queues what of a cell is not covered.
    fn split(
        &mut self,
        checker: &Checker,
        segment: usize,
        cell: &Cell,
        judged: &Judged,
        report: Report,
        outcome: &mut Outcome,
    ) {
        if let Some(recorder) = &mut self.recorder {
            recorder.note(segment, cell, judged);
        }
        let state = &mut self.segments[segment];
        let pair = &checker.pairs[cell.pair as usize];
        // Only who asks for the first contact does not care about what comes after it.
        let is_first = report == Report::First;
        let known = outcome.findings.first().filter(|_| is_first);
        let first_contact = known.map(|finding| (finding.segment, finding.t));
        let mut was_cut = false;
        for half in 0..2 {
            // Also of a half that is not covered: what is done for it is not in its front and not looked at again.
            let lower = judged.lower_over_halves[half].max(pair.clearance);
            state.progress.lower_clearance = state.progress.lower_clearance.min(lower);
            if judged.covered[half] {
                continue;
            }
            let part = cell.half(half, judged.fronts[half]);
            if first_contact.is_some_and(|at| at <= (segment, part.interval()[0])) {
                continue;
            }
            let arc = state.arcs[cell.pair as usize] * part.length();
            let margin = state.margins[cell.pair as usize];
            // With a contact known, what is left before it is only refined down to the tolerance.
            let is_fine = first_contact.is_some() && arc <= 0.25 * checker.scene().tolerance();
            // A midpoint that rounding cannot tell from contact stays open however finely its neighbours are cut.
            let is_unclear = !(judged.lower > pair.clearance + margin) && judged.found.is_none();
            let is_floor = part.level >= DEEPEST || arc <= 16.0 * margin || (is_unclear && part.level > FINEST_UNCLEAR);
            if is_floor || is_fine {
                if first_contact.is_none() {
                    let open = open(checker, Limit::Resolution, segment, &part);
                    state.progress.record_open(&open);
                    outcome.open.get_or_insert(open);
                }
                continue;
            }
            was_cut = true;
            state.cells.push(part);
        }
        self.statistics.bisections += u64::from(was_cut);
    }

    /// Bodies that start inside a solid of another: at the first configuration, or at that of every segment where all are
    /// wanted.
    fn contained(&mut self, checker: &Checker, report: Report, scratch: &mut CheckScratch, outcome: &mut Outcome) {
        let segments = if report == Report::All { self.used } else { 1 };
        for number in 0..segments {
            self.pose(number, &mut scratch.cache);
            let Segment { motion, cells, .. } = &mut self.segments[number];
            for (i, pair) in checker.pairs.iter().enumerate() {
                let Some(finding) = containment::at_start(checker, pair, number, motion, scratch) else { continue };
                outcome.findings.push(finding);
                if report != Report::All {
                    return;
                }
                cells.retain(|cell| cell.pair != i as u32);
            }
        }
    }
}

fn open(checker: &Checker, limit: Limit, segment: usize, cell: &Cell) -> Open {
    let pair = &checker.pairs[cell.pair as usize];
    let bodies = [checker.units[pair.a].body_of(0), checker.units[pair.b].body_of(0)];
    Open { limit, segment, interval: cell.interval(), bodies }
}

impl Segment {
    /// Queues the pairs; those that the balls around them prove for the whole segment from its middle need no cell.
    fn fill(
        &mut self,
        number: usize,
        checker: &Checker,
        cache: &mut PoseCache,
        statistics: &mut Statistics,
        mut recorder: Option<&mut Recorder>,
    ) {
        let model = checker.scene().model();
        self.progress.clear();
        self.fronts.clear();
        self.arcs.clear();
        self.margins.clear();
        self.of_units.clear();
        let middle = cache.at(&self.motion, Dyadic { index: 1, level: 1 });
        statistics.configurations += 1;
        let room = |unit: &Unit| if recorder.is_some() { certificate::room(unit, &self.motion) } else { 0.0 };
        self.of_units.extend(checker.units.iter().map(|unit| OfUnit {
            upper_arc: unit.upper_arc(model, &self.motion, 0),
            margin: add_up(unit.margin(&self.motion), room(unit)),
            ball: unit.ball_at(model, middle),
        }));
        let mut cells = std::mem::take(&mut self.cells).into_vec();
        cells.clear();
        for (i, pair) in checker.pairs.iter().enumerate() {
            let (a, b) = (&self.of_units[pair.a], &self.of_units[pair.b]);
            let arc = match pair.ancestor {
                0 => add_up(a.upper_arc, b.upper_arc),
                ancestor => {
                    let arc_of = |unit: usize| checker.units[unit].upper_arc(model, &self.motion, ancestor);
                    add_up(arc_of(pair.a), arc_of(pair.b))
                }
            };
            let margin = add_up(a.margin, b.margin);
            self.arcs.push(arc);
            self.margins.push(margin);
            let apart = a.ball.lower_distance(&b.ball);
            let guaranteed = apart - arc * 0.5 - margin;
            let cell = Cell {
                pair: i as u32,
                level: 0,
                index: 0,
                front: Front::ROOTS,
                uncovered: arc + 2.0 * (pair.clearance - if apart.is_finite() { apart } else { 0.0 }),
            };
            if guaranteed > pair.clearance {
                statistics.distance_queries += 1;
                self.progress.lower_clearance = self.progress.lower_clearance.min(guaranteed);
                if let Some(recorder) = &mut recorder {
                    let direction_in_world = a.ball.towards(&b.ball);
                    recorder.note(number, &cell, &Judged { direction_in_world, ..Judged::COVERED });
                }
                continue;
            }
            cells.push(cell);
        }
        self.cells = BinaryHeap::from(cells);
    }

    /// Whether all of it was covered.
    fn is_proven(&self) -> bool {
        self.cells.is_empty() && self.progress.is_good()
    }

    /// Uncovered length of the next step; `None` where there is none left.
    fn pressing(&self) -> Option<f64> {
        self.progress.known_step().or_else(|| self.cells.peek().map(|cell| cell.uncovered))
    }

    /// The next cell: the most pressing, or the earliest.
    fn take(&mut self, report: Report) -> Option<Cell> {
        if report != Report::First {
            return self.cells.pop();
        }
        let earliest =
            self.cells.iter().copied().min_by(|x, y| x.interval()[0].total_cmp(&y.interval()[0]).then(y.cmp(x)))?;
        self.cells
            .retain(|cell| cell.pair != earliest.pair || cell.level != earliest.level || cell.index != earliest.index);
        Some(earliest)
    }

    /// Looks at the midpoint of a cell.
    fn judge(
        &mut self,
        checker: &Checker,
        settings: &Settings,
        cell: &Cell,
        scratch: &mut CheckScratch,
        statistics: &mut Statistics,
    ) -> Judged {
        let pair = &checker.pairs[cell.pair as usize];
        let (a, b) = (&checker.units[pair.a], &checker.units[pair.b]);
        let model = checker.scene().model();
        let position = Dyadic { index: 2 * cell.index + 1, level: cell.level + 1 };
        let before = scratch.cache.misses();
        let kinematics = scratch.cache.at(&self.motion, position);
        statistics.distance_queries += 1;
        let margin = self.margins[cell.pair as usize];
        let arc = self.arcs[cell.pair as usize] * cell.length() * 0.5;
        let balls = [a.ball_at(model, kinematics), b.ball_at(model, kinematics)];
        let balls_apart = balls[0].lower_distance(&balls[1]);
        let guaranteed = balls_apart - arc - margin;
        if guaranteed > pair.clearance {
            statistics.configurations += scratch.cache.misses() - before;
            let lower_over_halves = [guaranteed; 2];
            let direction_in_world = balls[0].towards(&balls[1]);
            return Judged { lower_over_halves, direction_in_world, ..Judged::COVERED };
        }
        let world_from_a = *kinematics.world_from_frame(model, a.frame) * a.frame_from_unit;
        let world_from_b = *kinematics.world_from_frame(model, b.frame) * b.frame_from_unit;
        // Where the motion is long against the smaller unit and the room around it, no proof is in sight.
        let room = balls_apart.max(0.0) + 2.0 * a.ball.1.min(b.ball.1);
        let is_plane = matches!(b.shape, UnitShape::HalfSpace { .. });
        let wants_cover = is_plane || cell.level > LAST_FIRST_LOOK || !(arc > HOPELESS * room);
        let mut bound = |unit: &Unit| {
            if unit.frame == pair.ancestor || !wants_cover {
                return still(cell.length());
            }
            bounds::cell(model, &self.motion, kinematics, &unit.extent, pair.ancestor, cell.length())
        };
        let need = Need {
            bounds: [bound(a), bound(b)],
            clearance: pair.clearance,
            close: pair.clearance + checker.scene().tolerance(),
            margin,
            grain: settings.grain,
            wants_cover,
        };
        statistics.configurations += scratch.cache.misses() - before;
        match (&a.shape, &b.shape) {
            (UnitShape::Parts(body_a), UnitShape::Parts(body_b)) => {
                // A contact counts only if it holds wherever rounding may have put the poses.
                let query = Query::new(body_a, body_b, &world_from_a, &world_from_b).with_more_margin(need.margin);
                let trees = [body_a.tree(), body_b.tree()];
                let roots = NodePair::roots(trees[0], trees[1]);
                let front = self.fronts.pairs(cell.front, &roots);
                let is_signed = pair.clearance < 0.0;
                let judged = directional::judge(&query, trees, &need, is_signed, front, &mut scratch.judge, statistics);
                // A traversal that ended at a contact has not seen all of the front.
                let fronts = if judged.found.is_some() || !wants_cover {
                    [cell.front; 2]
                } else {
                    scratch.judge.left.each_ref().map(|left| self.fronts.keep(left))
                };
                Judged { fronts, ..judged }
            }
            (UnitShape::Parts(body_a), UnitShape::HalfSpace { normal }) => {
                let hull = &checker.hulls[pair.a];
                half_space::judge(body_a.body(), hull, &world_from_a, *normal, &world_from_b, &need)
            }
            (UnitShape::HalfSpace { .. }, _) => unreachable!("a half-space comes second and never meets another"),
        }
    }

    /// A contact at the midpoint of a cell, in the world.
    fn finding(
        &self,
        checker: &Checker,
        segment: usize,
        cell: &Cell,
        near: crate::distance::Near,
        primitives: [usize; 2],
        scratch: &mut CheckScratch,
    ) -> Finding {
        let pair: &UnitPair = &checker.pairs[cell.pair as usize];
        let (a, b) = (&checker.units[pair.a], &checker.units[pair.b]);
        let position = Dyadic { index: 2 * cell.index + 1, level: cell.level + 1 };
        let kinematics = scratch.cache.at(&self.motion, position);
        let (mut near, mut primitives) = (near, primitives);
        let points = match (&a.shape, &b.shape) {
            (UnitShape::Parts(body_a), UnitShape::Parts(body_b)) => {
                let model = checker.scene().model();
                let world_from_a = *kinematics.world_from_frame(model, a.frame) * a.frame_from_unit;
                let world_from_b = *kinematics.world_from_frame(model, b.frame) * b.frame_from_unit;
                let centre = Pose { translation: world_from_a.point(body_a.body().centre()), ..world_from_a };
                let mut points = [centre.point(near.on_a), centre.point(near.on_b)];
                let query = Query::new(body_a, body_b, &world_from_a, &world_from_b);
                if near.upper == 0.0 && a.is_convex() && b.is_convex() {
                    // How deep the pieces overlap was not asked before.
                    let signed = query.with_more_margin(self.margins[cell.pair as usize]);
                    let deep = signed.signed_pair(primitives[0], primitives[1]);
                    if deep.upper < 0.0 {
                        near.upper = deep.upper;
                        points = [centre.point(deep.on_a), centre.point(deep.on_b)];
                    }
                } else if near.upper > 0.0 && pair.clearance >= 0.0 {
                    // A nearer pair of primitives may have been left out because it moves apart: the distance that is
                    // told is that of the bodies.
                    let exact = query.exact(&mut scratch.query);
                    if let Some(witness) = exact.witness.filter(|_| exact.upper < near.upper) {
                        near.upper = exact.upper;
                        primitives = [witness.primitive_a, witness.primitive_b];
                        points = [witness.a_in_world, witness.b_in_world];
                    }
                }
                points
            }
            _ => [near.on_a, near.on_b],
        };
        Finding {
            segment,
            t: position.value(),
            configuration: kinematics.configuration().to_vec(),
            bodies: [a.body_of(primitives[0]), b.body_of(primitives[1])],
            distance: if near.upper <= 0.0 && !(a.is_convex() && b.is_convex()) { 0.0 } else { near.upper },
            points,
            clearance: pair.clearance,
        }
    }
}

/// The bound of a unit that does not move relative to the ancestor.
pub(super) fn still(length: f64) -> CellBound {
    CellBound {
        twist: Twist::default(),
        half_length: length / 2.0,
        upper_acceleration: 0.0,
        upper_bend: 0.0,
        upper_half_arc: 0.0,
    }
}
