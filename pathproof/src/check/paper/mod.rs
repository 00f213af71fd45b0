//! The paper's method as the search asks for it (exact-collision-checking paper §2–§3.4): distances at both ends of a
//! stretch against the lengths of the traced curves. One query per probe, so that limits hold to the query. It is kept as
//! the reference of the paper's tables; the directional method is the fast one.

mod query;
mod stretch;

use self::query::{Bounds, Question, bounds};
use self::stretch::{Ends, Next, Stretch};
use super::groups::Opposite;
use super::search::cell::{Cell, WHOLE, dyadic};
use super::search::judge::{Goal, Job, Judge, Part, Probed, Whole, Workspace, pair_at};
use super::search::segment::{MARGINS_IN_FLOOR, SegmentFacts};
use super::settings::Paper;
use crate::distance::Indexed;
use crate::numeric::{least, most};
use crate::trees::RssTree;

/// Without a tolerance, motion below this is not cut further: λ shrinks no faster than the stretch, so that a graze would
/// be cut into millions of stretches on the way to rounding. Metres.
const NANOMETRE: f64 = 1e-9;

/// The paper's method.
#[derive(Debug)]
pub(super) struct ByPaper<'a> {
    pub(super) options: Paper,
    /// Of the groups.
    pub(super) trees: &'a [Indexed<RssTree>],
}

impl ByPaper<'_> {
    /// Bounds the distance of a stretch's pair at a position.
    fn query(
        &self,
        job: &Job<'_>,
        segment: &SegmentFacts,
        pair: usize,
        goal: &Goal,
        (stretch, position): (&Stretch, u64),
        work: &mut Workspace,
    ) -> Bounds {
        let at = pair_at(job, segment, pair, dyadic(position), work);
        let group_pair = &job.groups.pairs[pair];
        let opposite = match group_pair.b {
            Opposite::Group(b) => Some(&self.trees[b]),
            Opposite::HalfSpace(_) => None,
        };
        let question = Question {
            clearance: goal.clearance,
            close: goal.close,
            enough: stretch.arc() + goal.clearance,
            kappa: self.options.kappa,
        };
        bounds(&at, [Some(&self.trees[group_pair.a]), opposite], &question, &mut work.query, &mut work.statistics)
    }
}

impl Judge for ByPaper<'_> {
    type Evidence = Ends;
    type Memory = ();

    const FINEST_UNCLEAR: u64 = (WHOLE >> 13) + 1;

    fn begin(&mut self, _job: &Job<'_>, _segment: &SegmentFacts, _memory: &mut (), _work: &mut Workspace) {}

    fn whole(
        &mut self,
        job: &Job<'_>,
        segment: &SegmentFacts,
        pair: usize,
        _memory: &(),
        _work: &mut Workspace,
    ) -> Whole<Ends> {
        let (upper_arc, clearance) = (segment.pairs[pair].upper_arc, job.groups.pairs[pair].clearance);
        let whole = Stretch { from: 0, to: WHOLE, lower_at_ends: [None; 2], upper_arc, clearance };
        Whole::Uncovered(Part::whole(whole.uncovered(), whole.lower_at_ends))
    }

    /// Both ends first, then where the refinement says.
    fn probe(
        &mut self,
        job: &Job<'_>,
        segment: &SegmentFacts,
        cell: &Cell<Ends>,
        goal: &Goal,
        _memory: &mut (),
        work: &mut Workspace,
    ) -> Probed<Ends> {
        let pair = cell.pair as usize;
        let facts = &segment.pairs[pair];
        let mut stretch = Stretch {
            from: cell.from,
            to: cell.to,
            lower_at_ends: cell.evidence,
            upper_arc: facts.upper_arc,
            clearance: goal.clearance,
        };
        let mut lower = f64::INFINITY;
        let is_cut = stretch.is_measured();
        let floor = self.floor(job.scene.tolerance(), facts.margin);
        if is_cut {
            match stretch.next(self.options.refinement, floor) {
                Next::At(position) => {
                    let seen = self.query(job, segment, pair, goal, (&stretch, position), work);
                    let [a, b] = stretch.lower_at_ends;
                    let earlier = Stretch { to: position, lower_at_ends: [a, Some(seen.lower)], ..stretch };
                    let later = Stretch { from: position, lower_at_ends: [Some(seen.lower), b], ..stretch };
                    return probed(position, seen, [Some(earlier), Some(later)], is_cut, lower, facts.margin);
                }
                Next::Within([from, to]) => {
                    // The motion from an end up to here stays below its room, so that the clearance is what is left.
                    lower = goal.clearance;
                    stretch = Stretch { from, to, lower_at_ends: [None; 2], ..stretch };
                }
            }
        }
        let end = usize::from(stretch.lower_at_ends[0].is_some());
        let position = [stretch.from, stretch.to][end];
        let seen = self.query(job, segment, pair, goal, (&stretch, position), work);
        stretch.lower_at_ends[end] = Some(seen.lower);
        probed(position, seen, [Some(stretch), None], is_cut, lower, facts.margin)
    }

    fn is_examined(evidence: &Ends) -> bool {
        evidence.iter().all(Option::is_some)
    }

    fn floor(&self, tolerance: f64, margin: f64) -> f64 {
        let wanted = if tolerance > 0.0 { least(NANOMETRE, tolerance) } else { NANOMETRE };
        most(wanted, MARGINS_IN_FLOOR * margin)
    }

    fn bytes(_memory: &()) -> usize {
        0
    }

    fn shrink(_memory: &mut (), _is_done: bool) {}
}

/// What is left of stretches of which one end was just measured.
fn probed(
    position: u64,
    seen: Bounds,
    stretches: [Option<Stretch>; 2],
    is_cut: bool,
    lower: f64,
    margin: f64,
) -> Probed<Ends> {
    let (is_unclear, is_outside) = (false, false);
    let mut probed = Probed { position, found: seen.found, rest: [None; 2], is_cut, lower, is_unclear, is_outside };
    for (i, stretch) in stretches.into_iter().enumerate() {
        let Some(stretch) = stretch else { continue };
        let between = stretch.lower_between();
        if between > stretch.clearance {
            probed.lower = least(probed.lower, between);
            continue;
        }
        let is_clear = |lower: Option<f64>| lower.is_none_or(|lower| lower > stretch.clearance + margin);
        probed.is_unclear |= !stretch.lower_at_ends.into_iter().any(is_clear);
        let (from, to, uncovered) = (stretch.from, stretch.to, stretch.uncovered());
        probed.rest[i] = Some(Part { from, to, uncovered, evidence: stretch.lower_at_ends });
    }
    probed
}
