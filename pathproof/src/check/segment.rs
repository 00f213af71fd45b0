//! One segment of a path: its queue of cells, and what it takes to look at one of them (paper §3.4; DESIGN §4).
//!
//! Balls around the units settle what is far apart before any cell is queued; a cell is looked at in its middle by the
//! directional judge, or, where no proof is in sight yet, for contact only.

use std::collections::BinaryHeap;

use super::cell::Cell;
use super::certificate::{self, Recorder};
use super::checker::{CheckScratch, Checker, Report, Settings};
use super::directional::{self, Judged, Need};
use super::edge_cache::Progress;
use super::front::{Front, Fronts};
use super::half_space;
use super::units::{Ball, Unit, UnitPair, UnitShape};
use super::verdict::{Finding, Statistics};
use crate::distance::Query;
use crate::numeric::{Pose, add_up};
use crate::robot::bounds;
use crate::robot::{CellBound, Dyadic, Motion, PoseCache, Twist};

/// Down to this level, cells without hope of a proof are only looked at for contact, which costs little and finds most.
const LAST_FIRST_LOOK: u32 = 1;

/// A proof is not tried where the motion exceeds this fraction of the smaller unit's size and the room around it.
const HOPELESS: f64 = 0.5;

/// A segment with the cells that are left of it.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) motion: Motion,
    pub(super) cells: BinaryHeap<Cell>,
    pub(super) fronts: Fronts,
    /// For each pair, an upper bound on the arc length relative to each other over the whole segment.
    pub(super) arcs: Vec<f64>,
    /// For each pair, the rounding of both units' poses.
    pub(super) margins: Vec<f64>,
    of_units: Vec<OfUnit>,
    pub(super) progress: Progress,
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

impl Segment {
    pub(super) fn new(motion: Motion) -> Self {
        Self {
            motion,
            cells: BinaryHeap::new(),
            fronts: Fronts::default(),
            arcs: Vec::new(),
            margins: Vec::new(),
            of_units: Vec::new(),
            progress: Progress::default(),
        }
    }

    /// Queues the pairs; those that the balls around them prove for the whole segment from its middle need no cell.
    pub(super) fn fill(
        &mut self,
        number: usize,
        checker: &Checker,
        cache: &mut PoseCache,
        statistics: &mut Statistics,
        mut recorder: Option<&mut Recorder>,
    ) {
        let model = checker.scene().model();
        self.progress.clear();
        self.fronts.clear(checker.pairs.len());
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
    pub(super) fn is_proven(&self) -> bool {
        self.cells.is_empty() && self.progress.is_good()
    }

    /// Uncovered length of the next step; `None` where there is none left.
    pub(super) fn pressing(&self) -> Option<f64> {
        self.progress.known_step().or_else(|| self.cells.peek().map(|cell| cell.uncovered))
    }

    /// The next cell: the most pressing, or the earliest.
    pub(super) fn take(&mut self, report: Report) -> Option<Cell> {
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
    pub(super) fn judge(
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
        // Where the motion is long against the smaller unit and the room around it, no proof is in sight.
        let room = balls_apart.max(0.0) + 2.0 * a.ball_in_frame.upper_radius.min(b.ball_in_frame.upper_radius);
        let is_plane = matches!(b.shape, UnitShape::HalfSpace { .. });
        let wants_cover = is_plane || cell.level > LAST_FIRST_LOOK || !(arc > HOPELESS * room);
        if !wants_cover && balls_apart - margin > pair.clearance {
            statistics.configurations += scratch.cache.misses() - before;
            return Judged { covered: [false; 2], lower: balls_apart, fronts: [cell.front; 2], ..Judged::COVERED };
        }
        let world_from_a = a.world_from_unit(model, kinematics);
        let world_from_b = b.world_from_unit(model, kinematics);
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
            hint: self.fronts.hint(cell.pair),
        };
        statistics.configurations += scratch.cache.misses() - before;
        match (&a.shape, &b.shape) {
            (UnitShape::Parts(body_a), UnitShape::Parts(body_b)) => {
                // A contact counts only if it holds wherever rounding may have put the poses.
                let mut query = Query::new(body_a, body_b, &world_from_a, &world_from_b);
                query.add_margin(need.margin);
                let trees = [body_a.tree(), body_b.tree()];
                let front = self.fronts.pairs(cell.front);
                let is_signed = pair.clearance < 0.0;
                let judged = directional::judge(&query, trees, &need, is_signed, front, &mut scratch.judge, statistics);
                self.fronts.keep_hint(cell.pair, judged.hint);
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
    pub(super) fn finding(
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
                let world_from_a = a.world_from_unit(model, kinematics);
                let world_from_b = b.world_from_unit(model, kinematics);
                let centre = Pose { translation: world_from_a.point(body_a.body().centre()), ..world_from_a };
                let mut points = [centre.point(near.on_a), centre.point(near.on_b)];
                let mut query = Query::new(body_a, body_b, &world_from_a, &world_from_b);
                if near.upper == 0.0 && a.is_convex() && b.is_convex() {
                    // How deep the pieces overlap was not asked before.
                    query.add_margin(self.margins[cell.pair as usize]);
                    let deep = query.signed_pair(primitives[0], primitives[1]);
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
