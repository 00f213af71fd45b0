//! The search over a path: two levels of queues, one of segments and in each one of cells (paper §3.4).
//!
//! A segment keeps its queue while others are looked at. With [`Report::First`] cells come in the order of time and a
//! contact only bounds what is left to look at; with [`Report::All`] a contact closes its pair on its segment.

use std::collections::BinaryHeap;
use std::time::Instant;

use super::cell::Cell;
use super::certificate::Recorder;
use super::checker::{CheckError, CheckScratch, Checker, Report, Settings};
use super::containment;
use super::directional::Judged;
use super::edge_cache::{Edge, EdgeCache};
use super::segment::Segment;
use super::verdict::{Finding, Limit, Open, Statistics};
use crate::robot::{Dyadic, PoseCache};

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
                None => self.segments.push(Segment::new(checker.motion(i, *ends)?)),
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
