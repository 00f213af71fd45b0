//! The smallest distance over a path: one sweep of the checker whose clearance follows the nearest approach met so far.
//!
//! Branch and bound (Lawler and Wood 1966) over the cells of the directional method. A cell is covered if the pair is
//! farther apart than the best so far less δ; a distance smaller by δ/2 becomes the best; any other cell is cut. The
//! required clearance only falls, so covered cells stay covered, and the cost is near that of a check at the final
//! clearance. Invariant: `lower` holds over the whole path and all pairs, rounding included, however the search ended.

use super::cell::{Cell, Examiner, Front, Goal, Job, Part, WHOLE, Whole, dyadic, t_of};
use super::checker::{CheckScratch, Checker};
use super::error::CheckError;
use super::search::segment::{Order, SegmentSearch, cell_of};
use super::settings::{Limits, Settings};
use super::verdict::{Finding, Limit, Statistics};
use super::versions;
use super::waypoints::Waypoints;
use crate::numeric::{add_down, least, most, mul_up};
use crate::path::{Motion, Path};
use crate::robot::SegmentMotion;
use crate::scene::{PairKind, PerKind};

/// The smallest distance of any checked pair over a path. Distances are signed where both bodies consist of convex
/// pieces, else 0 on contact and inside a solid.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct SmallestDistance {
    /// Proven: nowhere on the path is any pair nearer, in metres. Negative infinity where a limit left that open.
    pub lower: f64,
    /// A place where a pair is at most `distance` apart: an upper bound on the smallest distance.
    pub nearest: Finding,
    /// Limit that ended the search early. The bounds still hold, but are farther apart than requested.
    pub limit: Option<Limit>,
    /// The work done.
    pub statistics: Statistics,
}

impl PerKind<Option<SmallestDistance>> {
    /// The smallest distance over the pairs of both kinds; `None` where no pair is checked.
    pub fn overall(self) -> Option<SmallestDistance> {
        let (world, own_links) = match (self.world, self.own_links) {
            (Some(world), Some(own_links)) => (world, own_links),
            (one, other) => return one.or(other),
        };
        let (mut nearer, farther) = match own_links.nearest.distance < world.nearest.distance {
            true => (own_links, world),
            false => (world, own_links),
        };
        nearer.lower = least(nearer.lower, farther.lower);
        nearer.limit = nearer.limit.or(farther.limit);
        nearer.statistics += farther.statistics;
        Some(nearer)
    }
}

impl Checker {
    /// The smallest distance over a path for each kind of pair, by the directional method: its bounds are as close as
    /// those of [`Self::profile`]. `None` if no pair of that kind is checked. Limits of the settings end the search.
    pub fn smallest_distance(
        &self,
        motion: &Motion,
        settings: &Settings,
        scratch: &mut CheckScratch,
    ) -> Result<PerKind<Option<SmallestDistance>>, CheckError> {
        let mut smallest = self.smallest_of(motion.newest(), settings, scratch)?;
        if let Some(older) = motion.older() {
            let mut older = self.smallest_of(older, settings, scratch)?;
            for kind in PairKind::ALL {
                if let (Some(smallest), Some(older)) = (&mut smallest[kind], older[kind].take()) {
                    versions::add_smallest(smallest, older);
                }
            }
        }
        Ok(smallest)
    }

    /// The same for one version of a motion.
    fn smallest_of(
        &self,
        path: Path<'_>,
        settings: &Settings,
        scratch: &mut CheckScratch,
    ) -> Result<PerKind<Option<SmallestDistance>>, CheckError> {
        let path = Waypoints::of(path)?;
        let limits = Limits::new(settings);
        let job = Job { scene: self.scene(), groups: self.groups(), settings, limits, leaves_room: false, maps: None };
        scratch.work.statistics = Statistics::default();
        let examiner = &mut Examiner::new(job, &mut scratch.work);
        let mut smallest = PerKind::default();
        for kind in PairKind::ALL {
            let (before, pairs) = (examiner.work.statistics, &job.groups.pairs);
            let mut search = Smallest {
                kind,
                pairs: (0..pairs.len()).filter(|&pair| pairs[pair].kind == kind).collect(),
                examiner: &mut *examiner,
                segment: SegmentSearch::new(SegmentMotion::still(self.scene().model())),
                lower: f64::INFINITY,
                nearest: None,
                limit: None,
            };
            search.run(path)?;
            let Smallest { lower, nearest, limit, .. } = search;
            let statistics = examiner.work.statistics - before;
            smallest[kind] = nearest.map(|nearest| {
                let lower = least(lower, nearest.distance);
                SmallestDistance { lower, nearest, limit, statistics }
            });
        }
        Ok(smallest)
    }
}

/// The numbers below `count`, spread evenly before any are neighbours, so that a good bound is found early.
fn coarse_to_fine(count: usize) -> impl Iterator<Item = usize> {
    let bits = count.next_power_of_two().trailing_zeros();
    let reversed = move |i: usize| if bits == 0 { 0 } else { i.reverse_bits() >> (usize::BITS - bits) };
    (0..1usize << bits).map(reversed).filter(move |&number| number < count)
}

/// The search over the pairs of one kind.
struct Smallest<'s, 'a> {
    examiner: &'s mut Examiner<'a>,
    kind: PairKind,
    /// The pairs of groups of that kind.
    pairs: Vec<usize>,
    segment: SegmentSearch,
    /// Proven over everything covered so far.
    lower: f64,
    nearest: Option<Finding>,
    limit: Option<Limit>,
}

impl Smallest<'_, '_> {
    /// Covers all pairs on a path.
    fn run(&mut self, path: Waypoints<'_>) -> Result<(), CheckError> {
        if self.pairs.is_empty() {
            return Ok(());
        }
        for number in coarse_to_fine(path.segments()) {
            // Without this, segments that are covered as a whole would not check the time.
            if self.nearest.is_some() && self.examiner.job.limits.is_over() {
                self.leave_rest_open();
                break;
            }
            self.segment(path, number)?;
        }
        Ok(())
    }

    /// Covers all pairs on a segment.
    fn segment(&mut self, path: Waypoints<'_>, number: usize) -> Result<(), CheckError> {
        self.examiner.work.cache.clear();
        let SegmentSearch { facts, memory, .. } = &mut self.segment;
        facts.set(&self.examiner.job, number, path.piece(number))?;
        self.examiner.begin(facts, memory);
        if self.nearest.is_none() {
            (0..self.pairs.len()).for_each(|i| self.take_at(self.pairs[i], WHOLE / 2));
        }
        for i in 0..self.pairs.len() {
            let pair = self.pairs[i];
            let whole = self.examiner.whole(&self.segment.facts, pair, &self.segment.memory);
            match whole {
                Whole::Covered { lower, .. } if lower >= self.goal(pair).clearance => self.note(lower),
                Whole::Covered { lower, .. } => {
                    let uncovered = self.segment.facts.pairs[pair].upper_arc - lower;
                    self.queue(pair, &Part::whole(uncovered, Front::Roots));
                }
                Whole::Uncovered(part) => self.queue(pair, &part),
            }
        }
        if number == 0 {
            self.contained_at_start();
        }
        while let Some(cell) = self.segment.cells.pop() {
            self.cell(&cell);
        }
        Ok(())
    }

    /// Requirement on a pair: no nearer than the best by δ, or else nearer by δ/2.
    fn goal(&self, pair: usize) -> Goal {
        let gap = self.segment.facts.pairs[pair].gap();
        let best = self.nearest.as_ref().map_or(f64::INFINITY, |nearest| nearest.distance);
        Goal { clearance: best - gap, close: best - 0.5 * gap }
    }

    fn is_signed(&self, pair: usize) -> bool {
        self.examiner.job.groups.is_signed(&self.examiner.job.groups.pairs[pair])
    }

    /// Records a proven bound; NaN proves nothing.
    fn note(&mut self, lower: f64) {
        self.lower = least(self.lower, if lower.is_nan() { f64::NEG_INFINITY } else { lower });
    }

    /// Proves nothing about the remaining segments, except that surfaces have no depth.
    fn leave_rest_open(&mut self) {
        self.limit = self.limit.or(Some(Limit::Seconds));
        let has_depth = self.pairs.iter().any(|&pair| self.is_signed(pair));
        self.note(if has_depth { f64::NEG_INFINITY } else { 0.0 });
    }

    fn queue(&mut self, pair: usize, part: &Part) {
        self.segment.cells.push(cell_of(pair as u32, part, Order::Uncovered));
    }

    /// Covers a cell, finds something nearer, or cuts it.
    fn cell(&mut self, cell: &Cell) {
        let pair = cell.pair as usize;
        self.limit = self.limit.or_else(|| self.examiner.reached());
        let goal = self.goal(pair);
        // Surfaces have no depth.
        if !self.is_signed(pair) && (self.limit.is_some() || goal.clearance <= 0.0) {
            return self.note(0.0);
        }
        if self.limit.is_some() {
            return self.note(f64::NEG_INFINITY);
        }
        let probed = self.segment.probe(cell, &goal, self.examiner);
        self.examiner.work.statistics.bisections += u64::from(probed.is_cut);
        if probed.found.is_some() {
            self.take_at(pair, probed.position);
        } else {
            self.note(probed.lower);
        }
        for part in probed.rest.iter().flatten() {
            if self.segment.is_floor(cell.pair, part, probed.is_unclear) {
                self.settle(pair, part.from, part.to);
            } else {
                self.queue(pair, part);
            }
        }
    }

    /// Settles a part that is too short to be cut: the distance in its middle, less the pair's motion from there.
    fn settle(&mut self, pair: usize, from: u64, to: u64) {
        let middle = from + (to - from) / 2;
        let at = self.examiner.pair_at(&self.segment.facts, pair, dyadic(middle));
        let measured = at.measure(&mut self.examiner.work.query, &mut self.examiner.work.statistics);
        let arc = mul_up(self.segment.facts.pairs[pair].upper_arc, t_of(to - from));
        let lower = add_down(measured.lower, -arc);
        self.note(if self.is_signed(pair) { lower } else { most(lower, 0.0) });
        self.take_at(pair, middle);
    }

    /// Measures a pair at a position, unless it is too far away to matter.
    fn take_at(&mut self, pair: usize, position: u64) {
        let best = self.nearest.as_ref().map_or(f64::INFINITY, |nearest| nearest.distance);
        if self.examiner.lower_by_balls(&self.segment.facts, pair, dyadic(position)) >= best {
            return;
        }
        let finding = self.segment.finding(pair as u32, position, None, self.examiner);
        if finding.distance < best {
            self.nearest = Some(finding);
        }
    }

    /// Tests bodies at the start of the path: one inside a solid of another is in contact, and any other cannot get
    /// inside without crossing its surface.
    fn contained_at_start(&mut self) {
        let (contained, unclear) = self.segment.contained_at_start(Some(self.kind), self.examiner);
        for (pair, finding) in contained {
            let is_nearer = self.nearest.as_ref().is_none_or(|nearest| finding.distance < nearest.distance);
            // The depth of convex pieces is measured where they meet.
            if is_nearer && !self.is_signed(pair as usize) {
                self.nearest = Some(finding);
            }
        }
        if unclear.is_some() {
            self.note(0.0);
        }
    }
}
