//! Decides a cell. Balls around the groups settle pairs that are far apart before any query. Other cells are examined
//! in their middle, or for contact only where no proof is in sight yet.

use super::examine::{CellQuery, Examined, First, Wanted, examine};
use super::facts::{MARGINS_IN_FLOOR, SegmentFacts};
use super::far::{Balls, Far};
use super::front::{Front, Fronts};
use super::interval::{Cell, WHOLE, dyadic};
use super::question::{Examiner, Goal, Job, Part, Probed, Whole};
use super::shells::Separations;
use crate::check::ball::Ball;
use crate::check::groups::{Group, Opposite};
use crate::check::mapped::PairMaps;
use crate::check::pair_at::Measured;
use crate::numeric::{least, most};
use crate::robot::CellBound;

/// Joints that turn by more than this along a segment, all together (radians), go a long way: a whole turn.
const LONG_WAY: f64 = std::f64::consts::TAU;

/// Along less than this, a quarter turn, most segments are free, and it pays to test every pair's balls before any
/// pair is probed. Along more, a pair's balls are tested when its turn comes: testing many pairs first costs more than
/// a contact found early.
const SHORT_WAY: f64 = std::f64::consts::FRAC_PI_2;

/// Limits beyond which no proof is in sight. Such a cell is only examined for contact, which costs little and finds
/// most.
#[derive(Clone, Copy, Debug)]
struct Sight {
    /// No shorter cell is examined for contact only.
    shortest: u64,
    /// A proof is out of sight where the motion exceeds this many times the smaller group's size and the room around
    /// it.
    rooms: f64,
}

impl Sight {
    /// Short edges are proven at the first probe, and long ones lose little by it.
    const OF_EDGES: Self = Self { shortest: WHOLE, rooms: 2.0 };

    /// Segments along which joints turn far, all together, are seldom free.
    const OF_LONG_WAYS: Self = Self { shortest: WHOLE >> 2, rooms: 1.0 };

    /// Limits for a segment on which this is tested first.
    fn of(first: First) -> Self {
        if first.is_contact_likely() { Self::OF_LONG_WAYS } else { Self::OF_EDGES }
    }

    /// True if no proof is in sight for a cell of this length, with this motion in a half of it and this much room.
    fn is_lost(self, length: u64, arc: f64, room: f64) -> bool {
        length >= self.shortest && arc > self.rooms * room
    }
}

/// State remembered for a segment.
#[derive(Debug, Default)]
pub(in crate::check) struct Memory {
    fronts: Fronts,
    separations: Separations,
    /// Balls of the groups, in the middle of the segment.
    balls: Vec<Ball>,
    /// First test where only contact matters.
    first: First,
    /// True if joints turn little along it.
    is_short: bool,
}

/// Length below which a cell is not cut further if rounding cannot tell it from contact: at most 2¹² such cells along
/// a segment that grazes all along.
pub(in crate::check) const FINEST_UNCLEAR: u64 = WHOLE >> 12;

/// Motion in metres below which a cell is not cut further, for rounding of poses by `margin`.
pub(in crate::check) fn floor(margin: f64) -> f64 {
    MARGINS_IN_FLOOR * margin
}

impl Examiner<'_> {
    /// Begins a segment.
    pub(in crate::check) fn begin(&mut self, segment: &SegmentFacts, memory: &mut Memory) {
        let Self { job, work, .. } = self;
        memory.fronts.clear(job.groups.pairs.len());
        memory.separations.clear();
        let kinematics = work.cache.at(&segment.motion, dyadic(WHOLE / 2));
        work.statistics.configurations += 1;
        memory.balls.clear();
        let model = job.scene.model();
        memory.balls.extend(job.groups.groups.iter().map(|group| group.ball_at(model, kinematics)));
        let turned = |group: &Group| segment.motion.rate(group.frame).from_world.angular;
        let is_within = |way: f64| job.groups.groups.iter().all(|group| turned(group) <= way);
        memory.first = if is_within(LONG_WAY) { First::Hulls } else { First::Boxes };
        memory.is_short = is_within(SHORT_WAY);
    }

    /// Proves a pair for the whole segment, by balls at its middle or by its map, so that it needs no cell.
    pub(in crate::check) fn whole(&mut self, segment: &SegmentFacts, pair: usize, memory: &Memory) -> Whole {
        let Self { job, work, recorder } = self;
        let job: &Job<'_> = job;
        let (facts, group_pair) = (&segment.pairs[pair], &job.groups.pairs[pair]);
        let Opposite::Group(b) = group_pair.b else {
            let uncovered = facts.upper_arc + 2.0 * group_pair.clearance;
            return Whole::Uncovered(Part::whole(job.groups.weight(pair) * uncovered, Front::Roots));
        };
        let (at, clearance) = ([memory.balls[group_pair.a], memory.balls[b]], group_pair.clearance);
        let balls = Balls { job, segment, pair, at, middle: WHOLE / 2, length: 1.0, clearance };
        let mut far = balls.far_by_arcs();
        let may_look = || memory.is_short && job.limits.allow_more(&work.statistics);
        if far.is_none() && may_look() {
            far = balls.far_by_centre(work);
        }
        let Some(Far { lower, is_outside }) = far else {
            let uncovered = facts.upper_arc + 2.0 * (clearance - balls.apart());
            let part = Part::whole(job.groups.weight(pair) * uncovered, Front::Roots);
            let by_map = |maps: &PairMaps| maps.lower_over(pair, &segment.motion, [0.0, 1.0], clearance);
            // A map covers surfaces only.
            let covered = |lower| Whole::Covered { lower, is_outside: false };
            return job.maps.and_then(by_map).map_or(Whole::Uncovered(part), covered);
        };
        work.statistics.distance_queries += 1;
        if let Some(recorder) = recorder {
            recorder.note(segment.number, pair as u32, [0, WHOLE], [true; 2]);
        }
        Whole::Covered { lower, is_outside }
    }

    /// Examines a cell in its middle.
    pub(in crate::check) fn probe(
        &mut self,
        segment: &SegmentFacts,
        cell: &Cell,
        goal: &Goal,
        memory: &mut Memory,
    ) -> Probed {
        let examined = self.examine_cell(segment, cell, goal, memory);
        if let Some(recorder) = &mut self.recorder {
            recorder.note(segment.number, cell.pair, [cell.from, cell.to], examined.covered);
        }
        let margin = segment.pairs[cell.pair as usize].margin;
        let middle = cell.middle();
        let half = |i: usize, [from, to]: [u64; 2]| {
            let uncovered = cell.priority * 0.5;
            (!examined.covered[i]).then_some(Part { from, to, uncovered, front: examined.fronts[i] })
        };
        let rest = [half(0, [cell.from, middle]), half(1, [middle, cell.to])];
        // Pairs certified for a half that is not covered count too: they are not in its front and not examined again.
        let lower_over = |i: usize| most(examined.lower_over_halves[i], goal.clearance);
        Probed {
            position: middle,
            found: examined.found.map(|(near, primitives)| Measured {
                lower: near.lower,
                upper: near.upper,
                points: [near.on_a, near.on_b],
                primitives,
            }),
            is_cut: rest.iter().any(Option::is_some),
            rest,
            lower: least(lower_over(0), lower_over(1)),
            is_unclear: !(examined.lower_at_middle > goal.clearance + margin) && examined.found.is_none(),
            // Where surfaces never meet, a part that is outside at the middle is outside all along.
            is_outside: examined.is_outside && [cell.from, cell.to] == [0, WHOLE],
        }
    }

    /// Examines a cell in its middle.
    fn examine_cell(&mut self, segment: &SegmentFacts, cell: &Cell, goal: &Goal, memory: &mut Memory) -> Examined {
        self.work.statistics.distance_queries += 1;
        let wants_cover = match self.before_trees(segment, cell, goal, memory) {
            Shortcut::Decided(examined) => return examined,
            Shortcut::Open { wants_cover } => wants_cover,
        };
        let Memory { fronts, separations, first, .. } = memory;
        let position = dyadic(cell.middle());
        let at = self.pair_at(segment, cell.pair as usize, position);
        let Self { job, work, .. } = self;
        let kinematics = work.cache.at(&segment.motion, position);
        let bounds = if wants_cover {
            at.cell_bounds(job.scene.model(), &segment.motion, kinematics, cell.length())
        } else {
            [CellBound::still(cell.length()); 2]
        };
        let query = CellQuery {
            bounds,
            clearance: goal.clearance,
            close: goal.close,
            node_to_motion_ratio: job.settings.node_to_motion_ratio,
            wanted: if wants_cover { Wanted::Progress } else { Wanted::Contact(*first) },
            hint: fronts.hint(cell.pair),
            pair: cell.pair,
        };
        let front = fronts.pairs(cell.front);
        let examined = examine(&at, &query, front, separations, &mut work.traversal, &mut work.statistics);
        fronts.keep_hint(cell.pair, examined.hint);
        // A traversal that ended at a contact has not visited all of the front.
        let fronts = if examined.found.is_some() || !wants_cover {
            [cell.front; 2]
        } else {
            work.traversal.left.each_ref().map(|left| fronts.keep(left))
        };
        Examined { fronts, ..examined }
    }

    /// Tries to decide a cell by balls around both groups or by the pair's map.
    #[inline]
    fn before_trees(
        &mut self,
        segment: &SegmentFacts,
        cell: &Cell,
        goal: &Goal,
        Memory { balls, first, is_short, .. }: &Memory,
    ) -> Shortcut {
        let Self { job, work, .. } = self;
        let job: &Job<'_> = job;
        let facts = &segment.pairs[cell.pair as usize];
        let pair = &job.groups.pairs[cell.pair as usize];
        let Opposite::Group(b_index) = pair.b else { return Shortcut::Open { wants_cover: true } };
        let (a, b) = (&job.groups.groups[pair.a], &job.groups.groups[b_index]);
        let before = work.cache.misses();
        // A segment that waited has freed them.
        let are_known = [cell.from, cell.to] == [0, WHOLE] && !balls.is_empty();
        let at = if are_known {
            [balls[pair.a], balls[b_index]]
        } else {
            let kinematics = work.cache.at(&segment.motion, dyadic(cell.middle()));
            [a, b].map(|group| group.ball_at(job.scene.model(), kinematics))
        };
        work.statistics.configurations += work.cache.misses() - before;
        let (middle, length, clearance) = (cell.middle(), cell.length(), goal.clearance);
        let balls = Balls { job, segment, pair: cell.pair as usize, at, middle, length, clearance };
        if let Some(Far { lower, is_outside }) = balls.far_by_arcs() {
            return Shortcut::Decided(Examined::covered(lower, is_outside));
        }
        let by_map = |maps: &PairMaps| maps.lower_over(cell.pair as usize, &segment.motion, cell.interval(), clearance);
        if let Some(lower) = job.maps.and_then(by_map) {
            return Shortcut::Decided(Examined::covered(lower, false));
        }
        // No proof is in sight where the motion is long against the smaller group and the room around it.
        let smaller = least(a.ball_in_frame.upper_radius, b.ball_in_frame.upper_radius);
        let apart = balls.apart();
        let room = most(apart, 0.0) + 2.0 * smaller;
        let arc = facts.upper_arc * cell.length() * 0.5;
        if Sight::of(*first).is_lost(cell.to - cell.from, arc, room) {
            if apart - facts.margin > clearance {
                let fronts = [cell.front; 2];
                return Shortcut::Decided(Examined { lower_at_middle: apart, fronts, ..Examined::UNCOVERED });
            }
            return Shortcut::Open { wants_cover: false };
        }
        // This was tested before for the whole of a short segment with the pair's clearance.
        let is_asked = are_known && *is_short && clearance == pair.clearance;
        if !is_asked && let Some(Far { lower, is_outside }) = balls.far_by_centre(work) {
            return Shortcut::Decided(Examined::covered(lower, is_outside));
        }
        Shortcut::Open { wants_cover: true }
    }
}

impl Memory {
    /// Memory used, in bytes.
    pub(in crate::check) fn bytes(&self) -> usize {
        self.fronts.bytes() + self.separations.bytes() + self.balls.capacity() * size_of::<Ball>()
    }

    /// Frees memory that is not needed; `is_done` is true if no cell is left.
    pub(in crate::check) fn shrink(&mut self, is_done: bool) {
        self.balls = Vec::new();
        if is_done {
            self.separations = Separations::default();
            self.fronts = Fronts::default();
        }
        self.fronts.shrink_to_fit();
    }
}

/// Result for a cell before any tree is used.
enum Shortcut {
    /// Balls or the pair's map decide it.
    Decided(Examined),
    /// Undecided. The cell is examined for contact only unless `wants_cover`, i.e. a proof is in sight.
    Open { wants_cover: bool },
}
