//! Pairs of shells in a traversal: certified along the direction that last separated them or the best one, left to a
//! half that a shorter motion will certify, or expanded.

use super::lanes::lanes_of;
use super::{Pending, Search, leave};
use crate::check::cell::shells::{self, Gaps, Known, Shell, ShellPair};
use crate::numeric::{DVec3, least, most};
use crate::trees::{SiblingPairs, Slot, VolumeTree};

/// Shells that are apart by more than this fraction of their closing in a half are left to it as they are: two or
/// three cuts certify them. Nearer ones are expanded.
const PATIENCE: f64 = 0.2;

impl Search<'_, '_> {
    /// Certifies a pair by the shells of its slots, where both have one, for as many halves as possible. Leaves to a
    /// half what shorter cells will certify. Returns what is to be expanded.
    #[inline(always)]
    pub(super) fn shells(&mut self, pair: Pending) -> Option<Pending> {
        let [a, b] = pair.slots;
        let are_leaves = [self.trees[0].primitive(a), self.trees[1].primitive(b)];
        let is_unlike = match are_leaves {
            [Some(i), Some(j)] => !self.query.are_triangles(i, j),
            _ => false,
        };
        if !self.uses_hulls || !(self.has_hull(pair.slots) || is_unlike) {
            return Some(pair);
        }
        self.examine_shells(pair, is_unlike)
    }

    /// True if two slots both have shells, at least one of them a hull.
    #[inline(always)]
    pub(super) fn has_hull(&self, [a, b]: [Slot; 2]) -> bool {
        let [hulls_a, hulls_b] = self.hulls;
        hulls_a.has(a) && hulls_b.is_shelled(b) || hulls_b.has(b) && hulls_a.is_shelled(a)
    }

    /// True if hulls show that there is no contact, because those of all pairs of the front are apart. Skips a front
    /// of many pairs.
    #[inline(never)]
    pub(super) fn are_shells_apart(&mut self, front: &[SiblingPairs]) -> bool {
        let [siblings] = front else { return false };
        lanes_of(siblings.members).all(|lane| {
            let (slots, side) = (siblings.slots(lane), siblings.side());
            self.shells(Pending { lower: f32::NEG_INFINITY, slots, side, halves: 0 }).is_none()
        })
    }

    #[inline(never)]
    fn examine_shells(&mut self, pair: Pending, are_leaves: bool) -> Option<Pending> {
        let halves = if self.found.is_some() { 0 } else { pair.halves & self.halves };
        if halves == 0 && !self.looks_for_contact() {
            return None;
        }
        let (mut flat_a, mut flat_b) = (None, None);
        let [a, b] = pair.slots;
        let shell_a = Shell::of(self.trees[0], self.hulls[0], self.query.body(0), a, &mut flat_a);
        let shell_b = Shell::of(self.trees[1], self.hulls[1], self.query.body(1), b, &mut flat_b);
        let (Some(shell_a), Some(shell_b)) = (shell_a, shell_b) else { return Some(pair) };
        self.statistics.volume_tests += 1;
        let shells = ShellPair { query: self.query, moving: &self.moving, shells: [shell_a, shell_b] };
        let clearance = self.cell.clearance;
        let known = self.separations.find(self.cell.pair, pair.slots);
        let Known { direction: first, mut starts, useful_below, .. } = known.unwrap_or(Known::nothing(self.hint));
        if halves != 0 && self.arc > useful_below {
            let nothing = Gaps { now: f64::NEG_INFINITY, over_halves: [f64::NAN; 2] };
            return self.leave_shells(Pending { halves, ..pair }, &nothing, are_leaves);
        }
        let (mut left, mut best, mut overlapped) = (halves, None::<(DVec3, Gaps)>, known.is_some_and(|k| k.overlapped));
        for attempt in 0..2 {
            // If the known direction fails, takes the best one, or one that is sure to certify.
            let n = if attempt == 0 {
                first
            } else {
                // No direction certifies shells that move by more than their size.
                let is_hopeless = halves == 0 || self.arc > self.size(pair.slots);
                let wanted = if is_hopeless { clearance } else { clearance + self.arc };
                // Shells that overlapped are likely to overlap still; their boxes show it sooner.
                if halves == 0 && known.is_some_and(|known| known.overlapped) {
                    break;
                }
                let gaps = [clearance, wanted].map(|gap| gap + self.query.margin());
                match shells.direction(first, gaps, &mut starts) {
                    Some(n) => n,
                    None => {
                        overlapped = true;
                        break;
                    }
                }
            };
            let gaps = shells.gaps(n, left, clearance, self.arc, &mut starts);
            left &= !certify_gaps(&gaps, left, self.arc, clearance, &mut self.lower_of_primitives);
            if best.is_none_or(|(_, best)| gaps.now > best.now) {
                best = Some((n, gaps));
            }
            if left == 0 && (halves != 0 || gaps.now > clearance) {
                self.separations.keep(self.cell.pair, pair.slots, &Known { starts, ..Known::nothing(n) });
                self.hint = n;
                return None;
            }
        }
        let Some((n, gaps)) = best else { return Some(pair) };
        // Tried again at a quarter of the motion, or where the gap suffices after a few cuts.
        let patient = (gaps.now - clearance) / PATIENCE;
        let useful_below = if halves == 0 { useful_below } else { most(self.arc * 0.25, patient) };
        self.separations.keep(self.cell.pair, pair.slots, &Known { direction: n, starts, useful_below, overlapped });
        if gaps.now > clearance {
            self.hint = n;
        }
        self.leave_shells(Pending { halves: left, ..pair }, &gaps, are_leaves)
    }

    /// The larger of the sizes of two boxes.
    pub(super) fn size(&self, [a, b]: [Slot; 2]) -> f64 {
        let (size_a, size_b) = (self.trees[0].size(a), self.trees[1].size(b));
        f64::from(if size_a > size_b { size_a } else { size_b })
    }

    /// Part of a pair to expand after its shells did not certify it; the rest is left to the halves.
    fn leave_shells(&mut self, pair: Pending, gaps: &Gaps, are_leaves: bool) -> Option<Pending> {
        let clearance = self.cell.clearance;
        let is_apart = gaps.now > clearance;
        if are_leaves && !(gaps.now > self.cell.close) {
            return Some(pair);
        }
        let size = self.size(pair.slots);
        let mut expanded = 0;
        for half in (0..2).filter(|half| pair.halves & (1 << half) != 0) {
            let motion = if is_apart { shells::closing(gaps, half, self.arc) } else { self.arc };
            let is_large = size > motion * self.cell.node_to_motion_ratio;
            let is_patient = self.looks_for_contact() && is_apart && gaps.now - clearance > PATIENCE * motion;
            if is_large && !is_patient && !are_leaves {
                expanded |= 1 << half;
                continue;
            }
            let siblings = pair.siblings();
            leave(&mut self.scratch.left[half], &siblings, siblings.members);
            if are_leaves {
                self.lower_at_middle = least(self.lower_at_middle, gaps.now);
            }
            if !self.looks_for_contact() {
                self.halves &= !(1 << half);
            }
        }
        let is_followed = !is_apart && self.looks_for_contact();
        (expanded != 0 || is_followed).then_some(Pending { halves: expanded, ..pair })
    }
}

/// Halves for which gaps exceed the clearance; keeps the least remainder.
#[inline(always)]
pub(super) fn certify_gaps(gaps: &Gaps, halves: u8, arc: f64, clearance: f64, lower: &mut [f64; 2]) -> u8 {
    let mut certified = 0;
    for half in (0..2).filter(|half| halves & (1 << half) != 0) {
        let guaranteed = shells::guaranteed(gaps, half, arc);
        if guaranteed > clearance {
            lower[half] = least(lower[half], guaranteed);
            certified |= 1 << half;
        }
    }
    certified
}
