//! The search over a path: two levels of queues, one of segments and in each one of cells (paper §3.4).
//!
//! A segment keeps its queue while others are looked at. With [`Report::First`] cells come in the order of time and a
//! contact only bounds what is left to look at; with [`Report::All`] a contact closes its pair on its segment.

use std::collections::BinaryHeap;
use std::time::Instant;

use super::cell::Cell;
use super::certificate::{self, Recorder};
use super::checker::{CheckError, CheckScratch, Checker, Report, Settings};
use super::directional::{self, Judged, Need};
use super::half_space;
use super::units::{Unit, UnitPair, UnitShape};
use super::verdict::{Finding, Limit, Open, Statistics};
use crate::distance::{Indexed, Query};
use crate::numeric::{Pose, add_up};
use crate::robot::bounds::{self, lambda};
use crate::robot::{CellBound, Dyadic, Motion, Twist};

/// Deepest level of a cell: midpoints below it would not be exact.
const DEEPEST: u32 = Dyadic::DEEPEST - 2;

/// Deepest level of a cell whose midpoint grazes the clearance (2^12 of them along a segment that grazes all along).
const FINEST_UNCLEAR: u32 = 12;

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
    /// For each pair, an upper bound on the arc length relative to each other over the whole segment.
    arcs: Vec<f64>,
    /// For each pair, the rounding of both units' poses.
    margins: Vec<f64>,
}

/// The state of a search; its memory is reused.
#[derive(Debug, Default)]
pub(super) struct PathSearch {
    segments: Vec<Segment>,
    used: usize,
    pub(super) statistics: Statistics,
    /// Where looks are noted, if a certificate is wanted.
    pub(super) recorder: Option<Recorder>,
}

impl PathSearch {
    /// Queues every pair on every segment.
    pub(super) fn start(&mut self, checker: &Checker, ends: &[[&[f64]; 2]]) -> Result<(), CheckError> {
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
                    cells: BinaryHeap::new(),
                    arcs: Vec::new(),
                    margins: Vec::new(),
                }),
            }
            self.segments[i].fill(checker, self.recorder.is_some());
        }
        Ok(())
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
        let mut current = usize::MAX;
        if let Some(finding) = self.contained(checker, scratch) {
            outcome.findings.push(finding);
            if settings.report != Report::All {
                return outcome;
            }
        }
        while let Some(segment) = self.next_segment(current, settings.report) {
            if segment != current {
                current = segment;
                scratch.cache.clear();
            }
            let Some(cell) = self.segments[segment].take(settings.report) else { continue };
            if let Some(limit) = Checker::limit(settings, deadline, &self.statistics) {
                outcome.open = Some(open(checker, limit, segment, &cell));
                return outcome;
            }
            let judged = self.segments[segment].judge(checker, settings, &cell, scratch, &mut self.statistics);
            if let Some((near, primitives)) = judged.found {
                let finding = self.segments[segment].finding(checker, segment, &cell, near, primitives, scratch);
                if self.note(finding, &cell, segment, settings.report, &mut outcome) {
                    return outcome;
                }
                if settings.report != Report::First {
                    continue;
                }
            }
            self.split(checker, segment, &cell, &judged, settings.report, &mut outcome);
        }
        outcome
    }

    /// The segment to look at next: that of the largest uncovered length, or the earliest with anything left. Stays with
    /// the current one while it is at least half as pressing, so that its poses are used again.
    fn next_segment(&self, current: usize, report: Report) -> Option<usize> {
        let segments = &self.segments[..self.used];
        if report == Report::First {
            return segments.iter().position(|segment| !segment.cells.is_empty());
        }
        let pressing = |segment: &Segment| segment.cells.peek().map_or(f64::NEG_INFINITY, |cell| cell.uncovered);
        let best = (0..segments.len())
            .filter(|&i| !segments[i].cells.is_empty())
            .max_by(|&i, &j| pressing(&segments[i]).total_cmp(&pressing(&segments[j])).then(j.cmp(&i)))?;
        let stays = segments
            .get(current)
            .is_some_and(|s| !s.cells.is_empty() && pressing(s) >= 0.5 * pressing(&segments[best]));
        Some(if stays { current } else { best })
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
            if judged.covered[half] {
                outcome.lower_clearance =
                    outcome.lower_clearance.min(judged.lower_over_halves[half].max(pair.clearance));
                continue;
            }
            // A traversal that ended at a contact has not seen all: its bound is none. A certificate has no use for one.
            let is_unknown = judged.found.is_some() || self.recorder.is_some();
            let lower_at_middle = if is_unknown { f64::NEG_INFINITY } else { judged.lower };
            let mut part = cell.half(half, lower_at_middle);
            if first_contact.is_some_and(|at| at <= (segment, part.interval()[0])) {
                continue;
            }
            let arc = state.arcs[cell.pair as usize] * part.length();
            let margin = state.margins[cell.pair as usize];
            part.uncovered =
                arc + 2.0 * pair.clearance - part.lower_at_ends[0].max(0.0) - part.lower_at_ends[1].max(0.0);
            let from_ends = part.lower_at_ends[0] + part.lower_at_ends[1] - arc;
            if from_ends > 2.0 * pair.clearance + 2.0 * margin {
                let guaranteed = 0.5 * from_ends - margin;
                outcome.lower_clearance = outcome.lower_clearance.min(guaranteed.max(pair.clearance));
                continue;
            }
            // With a contact known, what is left before it is only refined down to the tolerance.
            let is_fine = first_contact.is_some() && arc <= 0.25 * checker.scene().tolerance();
            // A midpoint that rounding cannot tell from contact stays open however finely its neighbours are cut.
            let is_unclear = !(judged.lower > pair.clearance + margin) && judged.found.is_none();
            let is_floor = part.level >= DEEPEST || arc <= 16.0 * margin || (is_unclear && part.level > FINEST_UNCLEAR);
            if is_floor || is_fine {
                if first_contact.is_none() && outcome.open.is_none() {
                    outcome.open = Some(open(checker, Limit::Resolution, segment, &part));
                }
                continue;
            }
            was_cut = true;
            state.cells.push(part);
        }
        self.statistics.bisections += u64::from(was_cut);
    }

    /// A body that starts inside a solid of another: no surface is crossed on the way, so the first configuration tells.
    fn contained(&mut self, checker: &Checker, scratch: &mut CheckScratch) -> Option<Finding> {
        let segment = &self.segments[0];
        scratch.cache.clear();
        let model = checker.scene().model();
        for pair in &checker.pairs {
            let (a, b) = (&checker.units[pair.a], &checker.units[pair.b]);
            let (UnitShape::Parts(body_a), UnitShape::Parts(body_b)) = (&a.shape, &b.shape) else { continue };
            if !(body_a.body().has_closed_mesh() || body_b.body().has_closed_mesh()) {
                continue;
            }
            let kinematics = scratch.cache.at(&segment.motion, Dyadic { index: 0, level: 0 });
            let world_from_a = *kinematics.world_from_frame(model, a.frame) * a.frame_from_unit;
            let world_from_b = *kinematics.world_from_frame(model, b.frame) * b.frame_from_unit;
            let query = Query::new(body_a, body_b, &world_from_a, &world_from_b);
            if let Some((place, [primitive_a, primitive_b])) = query.containment_of() {
                return Some(Finding {
                    segment: 0,
                    t: 0.0,
                    configuration: kinematics.configuration().to_vec(),
                    bodies: [a.body_of(primitive_a), b.body_of(primitive_b)],
                    distance: pair.clearance.min(0.0),
                    points: [place, place],
                    clearance: pair.clearance,
                });
            }
        }
        None
    }
}

fn open(checker: &Checker, limit: Limit, segment: usize, cell: &Cell) -> Open {
    let pair = &checker.pairs[cell.pair as usize];
    let bodies = [checker.units[pair.a].body_of(0), checker.units[pair.b].body_of(0)];
    Open { limit, segment, interval: cell.interval(), bodies }
}

impl Segment {
    fn fill(&mut self, checker: &Checker, is_recorded: bool) {
        let model = checker.scene().model();
        self.cells.clear();
        self.arcs.clear();
        self.margins.clear();
        let error = |unit: &Unit, motion: &Motion| {
            let room = if is_recorded { certificate::room(unit, motion) } else { 0.0 };
            add_up(motion.position_error(unit.frame, unit.reach()), room)
        };
        for (i, pair) in checker.pairs.iter().enumerate() {
            let (a, b) = (&checker.units[pair.a], &checker.units[pair.b]);
            let arc_of = |unit: &Unit| match unit.shape {
                UnitShape::Parts(_) => lambda(model, &self.motion, &unit.extent, pair.ancestor),
                UnitShape::HalfSpace { .. } => 0.0,
            };
            let arc = add_up(arc_of(a), arc_of(b));
            self.arcs.push(arc);
            self.margins.push(add_up(error(a, &self.motion), error(b, &self.motion)));
            self.cells.push(Cell {
                pair: i as u32,
                level: 0,
                index: 0,
                lower_at_ends: [f64::NEG_INFINITY; 2],
                uncovered: arc + 2.0 * pair.clearance,
            });
        }
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
        &self,
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
        let world_from_a = *kinematics.world_from_frame(model, a.frame) * a.frame_from_unit;
        let world_from_b = *kinematics.world_from_frame(model, b.frame) * b.frame_from_unit;
        let mut bound = |unit: &Unit| {
            if unit.frame == pair.ancestor {
                return still(cell.length());
            }
            bounds::cell(model, &self.motion, kinematics, &unit.extent, pair.ancestor, cell.length())
        };
        let need = Need {
            bounds: [bound(a), bound(b)],
            clearance: pair.clearance,
            close: pair.clearance + checker.scene().tolerance(),
            margin: self.margins[cell.pair as usize],
            lower_at_ends: cell.lower_at_ends,
            kill: settings.kill,
        };
        statistics.distance_queries += 1;
        statistics.configurations += scratch.cache.misses() - before;
        match (&a.shape, &b.shape) {
            (UnitShape::Parts(body_a), UnitShape::Parts(body_b)) => {
                // A contact counts only if it holds wherever rounding may have put the poses.
                let query = Query::new(body_a, body_b, &world_from_a, &world_from_b).with_more_margin(need.margin);
                let trees = [body_a.tree(), body_b.tree()];
                directional::judge(&query, trees, &need, pair.clearance < 0.0, &mut scratch.query, statistics)
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
                if near.upper > 0.0 {
                    // A nearer pair of primitives may have been left out because it moves apart: the distance that is
                    // told is that of the bodies.
                    let exact = Query::new(body_a, body_b, &world_from_a, &world_from_b).exact(&mut scratch.query);
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
            distance: if near.upper <= 0.0 && !(is_convex(a) && is_convex(b)) { 0.0 } else { near.upper },
            points,
            clearance: pair.clearance,
        }
    }
}

/// Whether a unit consists of convex pieces, so that its distances are signed.
fn is_convex(unit: &Unit) -> bool {
    match &unit.shape {
        UnitShape::Parts(indexed) => is_made_of_pieces(indexed),
        UnitShape::HalfSpace { .. } => true,
    }
}

fn is_made_of_pieces(indexed: &Indexed) -> bool {
    indexed.body().triangles().is_empty()
}

/// The bound of a unit that does not move relative to the ancestor.
fn still(length: f64) -> CellBound {
    CellBound {
        twist: Twist::default(),
        half_length: length / 2.0,
        upper_acceleration: 0.0,
        upper_bend: 0.0,
        upper_half_arc: 0.0,
    }
}
