//! Proves that two links stay apart over a box of joint values, with one query at its middle.
//!
//! Pairs of nodes of the two trees are opened until each is farther apart in the middle than it can close over the
//! box, in any direction or along one ([`Closing`]). The first pair of primitives for which neither holds ends it.
// Negated comparisons are intended: they send NaN to the safe side.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

use super::boxes::JointBox;
use super::closing::{Closing, Cut};
use super::links::LinkPair;
use crate::distance::{Containment, Near, PrimitivePair, Query, Scratch};
use crate::numeric::{DVec3, Pose, ROUNDOFF_F64, least, unit};
use crate::robot::Kinematics;
use crate::trees::{BoxTree, Direction, Slot, Step, Visit, VolumeTree};

/// The rest of a gap must exceed this share of its closing: boxes are a little smaller for it, and the reported
/// clearances are not close to 0 if there is more.
const LEFT: f64 = 0.1;

/// Result for a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Judged {
    /// The links are farther apart than this everywhere in it, and neither is inside the other.
    Apart { lower: f64 },
    /// Surfaces are farther apart than this everywhere in it, and a part of one link is inside the other.
    Inside,
    /// Nothing, except that the links are in contact in its middle.
    Contact { widest: Option<usize> },
    /// Nothing.
    Open { widest: Option<usize> },
}

/// Judges boxes of one pair; owns its scratch.
#[derive(Debug)]
pub(super) struct BoxJudge<'p> {
    pair: &'p LinkPair<'p>,
    kinematics: Kinematics,
    closing: Closing,
    scratch: Scratch,
}

impl<'p> BoxJudge<'p> {
    pub(super) fn new(pair: &'p LinkPair<'p>) -> Self {
        let trees = pair.indexed.map(|indexed| indexed.tree());
        let closing = Closing::new(&pair.chain, trees, pair.length_error);
        Self { pair, kinematics: Kinematics::new(pair.scene.model()), closing, scratch: Scratch::default() }
    }

    /// Judges a box.
    pub(super) fn judge(&mut self, values: &JointBox) -> Judged {
        let pair = self.pair;
        let middle = (0..values.sides.len()).map(|side| values.middle(side));
        self.kinematics.set_configuration(&pair.configuration(middle));
        let query = pair.query(&mut self.kinematics);
        let poses = pair.poses(&mut self.kinematics);
        let centre = |side: usize| Pose {
            translation: poses[side].point(pair.indexed[side].body().centre()),
            rotation: poses[side].rotation,
        };
        let centres = [centre(0), centre(1)];
        self.closing.place(pair.scene.model(), &mut self.kinematics, &pair.chain, values, centres);
        let n = unit(query.a_from_b().translation).unwrap_or(DVec3::X);
        let mut search = Search {
            query: &query,
            trees: pair.indexed.map(|indexed| indexed.tree()),
            closing: &mut self.closing,
            length_error: pair.length_error,
            slots: [Slot(0); 2],
            direction: n,
            narrow: Direction::new(n, query.a_from_b()),
            nearest: f64::INFINITY,
            lower: f64::INFINITY,
            failed: None,
        };
        query.visit(&mut self.scratch, &mut search);
        let (failed, lower) = (search.failed, search.lower);
        if let Some(Failed { slots, cut, is_contact }) = failed {
            let widest = self.closing.widest_range(slots, cut, values.sides.len());
            return if is_contact { Judged::Contact { widest } } else { Judged::Open { widest } };
        }
        if !(lower > 0.0) {
            return Judged::Open { widest: None };
        }
        match query.containment_of() {
            Containment::Outside => Judged::Apart { lower },
            Containment::Inside { .. } => Judged::Inside,
            Containment::Unclear { .. } => {
                let trees = pair.indexed.map(|indexed| indexed.tree());
                let roots = trees.map(VolumeTree::root);
                let cut = self.closing.cut(trees, roots);
                Judged::Open { widest: self.closing.widest_range(roots, cut, values.sides.len()) }
            }
        }
    }
}

/// A pair of primitives that may meet in the box.
#[derive(Clone, Copy, Debug)]
struct Failed {
    slots: [Slot; 2],
    cut: Cut,
    /// True if they meet in the middle.
    is_contact: bool,
}

struct Search<'q, 'a> {
    query: &'q Query<'a>,
    trees: [&'a BoxTree; 2],
    closing: &'q mut Closing,
    /// The same as [`LinkPair::length_error`].
    length_error: f64,
    /// The slots that were entered last.
    slots: [Slot; 2],
    /// Unit vector in A's axes that separated the nearest pair so far.
    direction: DVec3,
    narrow: Direction,
    /// Distance of that pair.
    nearest: f64,
    /// Lower bound on the distance over the box of all pairs shown to stay apart.
    lower: f64,
    failed: Option<Failed>,
}

impl Search<'_, '_> {
    /// Records a gap that does not close; false if that is not shown.
    fn keeps(&mut self, gap: f64, upper_closing: f64) -> bool {
        let left = gap - upper_closing;
        let is_apart = left > 0.0 && left > LEFT * upper_closing;
        if is_apart {
            self.lower = least(self.lower, left.next_down());
        }
        is_apart
    }

    /// The same along n (in A's axes). Without a gap, uses that of the two boxes.
    fn keeps_along(&mut self, gap: Option<f64>, slots: [Slot; 2], n: DVec3, cut: Cut) -> bool {
        let Some(in_world) = unit(self.query.world_from_a().vector(n)) else { return false };
        let gap = gap.unwrap_or_else(|| self.closing.lower_gap(self.trees, slots, in_world) - self.query.margin());
        // The error of n after rotation into the world is less than that of the axes' arms.
        let closing = self.length_error + self.closing.upper_along(self.trees, slots, in_world, cut);
        self.keeps(gap, closing * (1.0 + 4.0 * ROUNDOFF_F64))
    }
}

impl Visit for Search<'_, '_> {
    #[inline]
    fn enter(&mut self, lower: f32, a: Slot, b: Slot) -> bool {
        self.slots = [a, b];
        let lower = f64::from(lower);
        // The boxes are not apart along the direction either, which is one of those that were tried.
        if !(lower > 0.0) {
            return true;
        }
        let cut = self.closing.cut(self.trees, self.slots);
        !(self.keeps(lower, cut.upper) || self.keeps_along(None, self.slots, self.direction, cut))
    }

    fn primitives(&mut self, a: usize, b: usize) -> Step {
        let slots = self.slots;
        let cut = self.closing.cut(self.trees, slots);
        let near = match self.query.primitive_pair(a, b, self.direction, (1.0 + 2.0 * LEFT) * cut.upper) {
            PrimitivePair::Beyond { lower } if self.keeps(lower, cut.upper) => return Step::Continue,
            PrimitivePair::Beyond { .. } => {
                self.failed = Some(Failed { slots, cut, is_contact: false });
                return Step::Stop;
            }
            PrimitivePair::Near(near) => near,
        };
        let Near { lower, upper, direction, .. } = near;
        if self.keeps(lower, cut.upper) {
            return Step::Continue;
        }
        if upper < self.nearest {
            self.nearest = upper;
            self.direction = direction;
            self.narrow = Direction::new(direction, self.query.a_from_b());
        }
        if lower > 0.0 && self.keeps_along(Some(lower), slots, direction, cut) {
            return Step::Continue;
        }
        self.failed = Some(Failed { slots, cut, is_contact: upper == 0.0 });
        Step::Stop
    }

    #[inline]
    fn direction(&self) -> &Direction {
        &self.narrow
    }

    fn count(&mut self, _volume_pairs: usize) {}
}
