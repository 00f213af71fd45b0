//! The cells of one pair of groups on one segment: shows that they tile it, and what they cover.
//!
//! Most bodies are separated by a plane on every cell: those are done first. The others are shown by their parts; the
//! cells that follow must show what a cell leaves of a half that it does not cover. A cell that covers more than is
//! shown from its middle is cut, as the verifier's bounds are not the checker's: that only makes it accept more true
//! claims.

use std::collections::BTreeMap;

use pathproof::certificate::TiledCell;
use pathproof::numeric::DVec3;

use crate::ball::{Placed, Vector};
use crate::inside::is_inside;
use crate::motion::{BodyMotion, Carried, Relative};
use crate::segment::{Moment, Segment};
use crate::separate::{Claim, Halves, Known, NodePair};
use crate::solid::{Shape, Solid};
use crate::verify::{Fault, Refusal, Task, Verifier};
use crate::work::Work;

/// Deepest level of a cell: its midpoint must be an exact number.
const DEEPEST: u32 = 50;

/// Most cuts of a cell that covers a half if the verifier does not show that half from its middle.
const MOST_CUTS: u32 = 8;

/// Number of cells with cached poses: some 10 kB each.
const MOST_MIDDLES: usize = 1_000;

/// The rest of a task on a cell: pairs of nodes.
struct Unshown {
    task: usize,
    nodes: Vec<NodePair>,
}

/// All poses at the midpoint of a cell, and the motion of bodies there, computed on demand.
pub(crate) struct Middle {
    moment: Moment,
    carried: Vec<Option<Carried>>,
}

/// Middles of the cells of a segment, by level and place.
pub(crate) type Middles = BTreeMap<(u32, u64), Middle>;

/// A cell with the certificate's entry for it.
#[derive(Clone, Copy)]
struct Place {
    level: u32,
    place: u64,
    covered: [bool; 2],
    direction_in_world: DVec3,
}

/// A walk over the cells of one pair of groups on one segment.
pub(crate) struct Walk<'w, 'a> {
    pub(crate) verifier: &'w Verifier<'a>,
    pub(crate) segment: &'w Segment<'w>,
    pub(crate) index: usize,
    pub(crate) middles: &'w mut Middles,
    pub(crate) shown: usize,
    pub(crate) work: &'w Work,
}

impl Walk<'_, '_> {
    /// Shows everything on a segment that cells tile: bodies that a plane separates on every cell first, then the
    /// others by their parts.
    pub(crate) fn tiling(
        &mut self,
        tasks: &[Task],
        cells: &[TiledCell],
        room: f64,
        known: &mut [Known],
    ) -> Result<(), Refusal> {
        let mut is_whole = vec![true; tasks.len()];
        let mut left = cells.iter();
        self.whole(tasks, &mut left, room, (0, 0), known, &mut is_whole)?;
        if left.next().is_some() {
            return Err(not_tiled().on(self.index));
        }
        let unshown = |task: usize| Unshown { task, nodes: vec![[0, 0]] };
        let all: Vec<Unshown> = (0..tasks.len()).filter(|task| !is_whole[*task]).map(unshown).collect();
        if all.is_empty() {
            return Ok(());
        }
        self.cell(tasks, &mut cells.iter(), room, (0, 0), &all)
    }

    /// Shows on a cell and those that follow it what a plane between whole bodies can show; records if something is
    /// left.
    fn whole(
        &mut self,
        tasks: &[Task],
        cells: &mut std::slice::Iter<'_, TiledCell>,
        room: f64,
        (level, place): (u32, u64),
        known: &mut [Known],
        is_whole: &mut [bool],
    ) -> Result<(), Refusal> {
        let cell = self.next(cells, level, place)?;
        self.shown += cell.covered.iter().filter(|covered| **covered).count();
        if cell.covered != [false; 2] {
            for (number, task) in tasks.iter().enumerate() {
                is_whole[number] = is_whole[number] && self.is_parted(task, &cell, room, &mut known[number], MOST_CUTS);
            }
        }
        for half in 0..2 {
            if !cell.covered[half as usize] {
                self.whole(tasks, cells, room, (level + 1, 2 * place + half), known, is_whole)?;
            }
        }
        Ok(())
    }

    /// True if planes between two whole bodies show them apart over what a cell covers: one for all of it, or for
    /// pieces that it is cut into, up to `cuts` times.
    fn is_parted(&mut self, task: &Task, cell: &Place, room: f64, known: &mut Known, cuts: u32) -> bool {
        let (verifier, work) = (self.verifier, self.work);
        let Some((relative, hint)) = self.middle(cell).look(verifier, task, cell, room) else { return true };
        let solids = task.bodies.map(|body| &verifier.solids[body]);
        let claim = Claim::new(&relative, task.clearance + room, work);
        match claim.whole(solids, hint, known, halves(cell.covered)) {
            Some(0) => true,
            Some(left) if cuts > 0 && cell.level < DEEPEST => (0..2).all(|half| {
                let piece = Place::all_of(cell.level + 1, 2 * cell.place + half);
                left & (1 << half) == 0 || self.is_parted(task, &piece, room, known, cuts - 1)
            }),
            _ => false,
        }
    }

    /// Takes the next cell, which must be this one.
    fn next(&self, cells: &mut std::slice::Iter<'_, TiledCell>, level: u32, place: u64) -> Result<Place, Refusal> {
        let Some(cell) = cells.next().filter(|_| level <= DEEPEST) else {
            return Err(not_tiled().on(self.index));
        };
        let direction_in_world = cell.direction_in_world.unwrap_or(DVec3::ZERO);
        Ok(Place { level, place, covered: cell.covered, direction_in_world })
    }

    /// All poses in the middle of a cell.
    fn middle(&mut self, cell: &Place) -> &mut Middle {
        if self.middles.len() > MOST_MIDDLES {
            self.middles.clear();
        }
        self.middles.entry((cell.level, cell.place)).or_insert_with(|| {
            let [middle, half] = cell.times();
            Middle { moment: self.segment.at(middle, half), carried: vec![None; self.verifier.solids.len()] }
        })
    }

    /// Refuses bodies that start inside each other. The deciding point is known only up to some error: with that much
    /// room beyond 0, no surface can be between its true and its computed place. Returns the room, which must be left
    /// at the first configuration.
    pub(crate) fn starts_outside(&self, tasks: &[Task], first: &[BodyMotion]) -> Result<f64, Refusal> {
        let mut room = 0.0;
        for task in tasks {
            let [a, b] = task.bodies.map(|body| &self.verifier.solids[body]);
            let (Shape::Parts { body: body_a, tree: tree_a }, Shape::Parts { body: body_b, tree: tree_b }) =
                (&a.shape, &b.shape)
            else {
                continue;
            };
            let is_solid = body_a.has_closed_mesh() || body_b.has_closed_mesh();
            let [of_a, of_b] = task.bodies.map(|body| &first[body]);
            if !is_solid || is_far([a, b], [&of_a.world_from_centre, &of_b.world_from_centre], 0.0, 0.0) {
                continue;
            }
            let [in_a, in_b] = [Relative::new(a, b, of_a, of_b, 0.0), Relative::new(b, a, of_b, of_a, 0.0)];
            if is_inside(body_b, body_a, tree_a, &in_a.a_from_b) || is_inside(body_a, body_b, tree_b, &in_b.a_from_b) {
                let inside = Refusal::new(Fault::Inside, "one is inside the other at the first configuration");
                return Err(inside.about(self.verifier.names(task.bodies)));
            }
            let wanted = 2.0 * (in_a.margin + in_b.margin);
            // NaN is kept.
            room = if room > wanted { room } else { wanted };
        }
        Ok(room)
    }

    /// Shows one cell: the halves that it covers from its middle, the rest of the others from the cells that follow.
    fn cell(
        &mut self,
        tasks: &[Task],
        cells: &mut std::slice::Iter<'_, TiledCell>,
        room: f64,
        (level, place): (u32, u64),
        unshown: &[Unshown],
    ) -> Result<(), Refusal> {
        let cell = self.next(cells, level, place)?;
        let left = self.halves(tasks, &cell, room, unshown);
        for half in 0..2 {
            let below = (level + 1, 2 * place + half);
            let left = &left[half as usize];
            if !cell.covered[half as usize] {
                self.cell(tasks, cells, room, below, left)?;
            } else if let Err(task) = self.cut(tasks, room, below, level + MOST_CUTS, left) {
                return Err(self.not_shown(&tasks[task], &cell));
            }
        }
        Ok(())
    }

    /// Shows the parts that a cell covers but does not show from its middle, from the pieces that it is cut into.
    /// Returns the parts that could not be shown.
    fn cut(
        &mut self,
        tasks: &[Task],
        room: f64,
        (level, place): (u32, u64),
        deepest: u32,
        unshown: &[Unshown],
    ) -> Result<(), usize> {
        let Some(first) = unshown.first() else { return Ok(()) };
        if level > deepest.min(DEEPEST) || self.work.is_used_up() {
            return Err(first.task);
        }
        let cell = Place::all_of(level, place);
        let left = self.halves(tasks, &cell, room, unshown);
        (0..2).try_for_each(|half| self.cut(tasks, room, (level + 1, 2 * place + half), deepest, &left[half as usize]))
    }

    fn not_shown(&self, task: &Task, cell: &Place) -> Refusal {
        let [middle, half] = cell.times();
        let from = middle - if cell.covered[0] { half } else { 0.0 };
        let to = middle + if cell.covered[1] { half } else { 0.0 };
        let message = format!("not shown to be {:?} m apart for t from {from:?} to {to:?}", task.clearance);
        let refusal = Refusal::new(Fault::NotShown, message).about(self.verifier.names(task.bodies)).on(self.index);
        Refusal { interval: Some([from, to]), ..refusal }
    }

    /// The parts of each half that a cell leaves to be shown.
    fn halves(&mut self, tasks: &[Task], cell: &Place, room: f64, unshown: &[Unshown]) -> [Vec<Unshown>; 2] {
        let mut left = [Vec::new(), Vec::new()];
        let (verifier, work) = (self.verifier, self.work);
        let middle = self.middle(cell);
        for Unshown { task: number, nodes } in unshown {
            let task = &tasks[*number];
            let Some((relative, hint)) = middle.look(verifier, task, cell, room) else { continue };
            let solids = task.bodies.map(|body| &verifier.solids[body]);
            let claim = Claim::new(&relative, task.clearance + room, work);
            let mut of_task = [Vec::new(), Vec::new()];
            let covered = halves(cell.covered);
            // Bodies that are entangled on one cell may have a plane between them on another.
            let is_whole = covered != 0
                && nodes[..] == [[0, 0]]
                && claim.whole(solids, hint, &mut Known::default(), covered) == Some(0);
            if is_whole {
                (0..2).filter(|half| !cell.covered[*half]).for_each(|half| of_task[half].clone_from(nodes));
            }
            let mut leave = |half: usize, pair: NodePair| of_task[half].push(pair);
            let is_shown = is_whole || claim.shows(solids, nodes, hint, covered, &mut leave);
            for (left, mut of_half) in left.iter_mut().zip(of_task) {
                // The descent over a part that was not shown did not run to its end.
                if !is_shown {
                    of_half.clone_from(nodes);
                }
                if !of_half.is_empty() {
                    left.push(Unshown { task: *number, nodes: of_half });
                }
            }
        }
        left
    }
}

impl Middle {
    /// Two bodies around the middle of a cell, and the certificate's direction in the first one's axes; `None` if they
    /// are far apart all over it.
    fn look(&mut self, verifier: &Verifier<'_>, task: &Task, cell: &Place, room: f64) -> Option<(Relative, DVec3)> {
        for body in task.bodies {
            let (moment, solid) = (&self.moment, &verifier.solids[body]);
            self.carried[body].get_or_insert_with(|| Carried::new(&verifier.chain, moment, solid));
        }
        let [a, b] = task.bodies.map(|body| &verifier.solids[body]);
        let [of_a, of_b] = task.bodies.map(|body| self.carried[body].as_ref().expect("filled above"));
        let [_, half] = cell.times();
        let travel = of_a.upper_travel(task.ancestor, half) + of_b.upper_travel(task.ancestor, half);
        if is_far([a, b], [&of_a.world_from_centre, &of_b.world_from_centre], travel, task.clearance + room) {
            return None;
        }
        let [of_a, of_b] = [of_a, of_b].map(|carried| BodyMotion::new(carried, &self.moment, task.ancestor, half));
        let hint = of_a.world_from_centre.rotation.transpose().apply(Vector::point(cell.direction_in_world)).middle();
        Some((Relative::new(a, b, &of_a, &of_b, half), hint))
    }
}

impl Place {
    fn all_of(level: u32, place: u64) -> Self {
        Self { level, place, covered: [true; 2], direction_in_world: DVec3::ZERO }
    }

    /// The middle of the cell and half its length; exact, as levels are below 51.
    fn times(&self) -> [f64; 2] {
        let half = 0.5 / (1u64 << self.level) as f64;
        [(2 * self.place + 1) as f64 * half, half]
    }
}

fn halves(covered: [bool; 2]) -> Halves {
    Halves::from(covered[0]) | Halves::from(covered[1]) << 1
}

/// True if two bodies with points that travel by at most `travel` together stay farther apart than `clearance`, by
/// balls around them, or a ball and a box.
fn is_far([a, b]: [&Solid<'_>; 2], [at_a, at_b]: [&Placed; 2], travel: f64, clearance: f64) -> bool {
    // NaN stays NaN and is never exceeded.
    let length = ((if clearance < 0.0 { 0.0 } else { clearance }) + travel.next_up()).next_up();
    match b.frame {
        0 => a.is_far_from(at_a.translation, b, at_b.translation, length),
        _ => b.is_far_from(at_b.translation, a, at_a.translation, length),
    }
}

fn not_tiled() -> Refusal {
    Refusal::new(Fault::NotTiled, "its cells do not tile the segment")
}
