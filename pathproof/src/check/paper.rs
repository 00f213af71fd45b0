//! The paper's judge (exact-collision-checking paper §2–§3.4, Fig. 4; DESIGN §4, §8): a stretch of a segment is covered for
//! a pair if λ_i + λ_j < η(a) + η(b) − 2·clearance, with η a lower bound on the distance at its two ends.
//!
//! Why: a pair's distance changes by at most its relative motion, so 2η(t) ≥ η(a) + η(b) − λ; likewise η(t) ≥ η(a) − λ.
//! The distance of convex pieces stays so when it is negative, so penetration is bounded in the same way. Poses are
//! rounded at both ends. It is kept as the reference of the paper's tables; the directional judge is the fast one.

use std::cmp::Ordering;

use crate::numeric::{add_down, add_up, mul_up};
use crate::robot::Dyadic;

/// Who decides whether a piece of a segment is covered. Both are exact; they may differ only where the least distance is
/// between the clearance and the clearance plus the tolerance.
///
/// ```
/// use pathproof::check::{Judge, Paper, Refinement, Settings};
/// let by_default = Settings::default();
/// assert_eq!(by_default.judge, Judge::Directional);
/// let as_in_the_paper = Settings { judge: Judge::Paper(Paper::default()), ..Settings::default() };
/// let fig_4c = Paper { refinement: Refinement::UncoveredMiddle, ..Paper::default() };
/// assert_ne!(as_in_the_paper, Settings { judge: Judge::Paper(fig_4c), ..Settings::default() });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Judge {
    /// One query at the middle of a piece, with the velocities there (DESIGN §4): the fast one, and the default.
    #[default]
    Directional,
    /// Distances at both ends against the lengths of the traced curves, as in the paper.
    Paper(Paper),
}

/// Options of the paper's judge.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Paper {
    /// Where to look next. Default: at the midpoint.
    pub refinement: Refinement,
    /// Distances are refined until they are this fraction of the true ones, or enough: 0 is GREEDY-DIST, 1 is exact
    /// distance. Costs or saves time, nothing else. Default 0.
    pub kappa: f64,
}

/// Where a stretch that is not covered is looked at next (the paper's Fig. 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Refinement {
    /// In the middle (a): configurations are shared by all pairs.
    #[default]
    Midpoint,
    /// At both ends of what is not covered (b): one stretch is left instead of two. Bisects where that gains little.
    CoveredEnds,
    /// In the middle of what is not covered (c).
    UncoveredMiddle,
}

impl Refinement {
    /// All of them, in the order of the figure.
    pub const ALL: [Self; 3] = [Self::Midpoint, Self::CoveredEnds, Self::UncoveredMiddle];
}

/// Positions are multiples of 2⁻⁵², so that every one is an exact `f64`.
pub(super) const ONE: u64 = 1 << Dyadic::DEEPEST;

/// The position as kinematics wants it.
pub(super) fn dyadic(position: u64) -> Dyadic {
    Dyadic { index: position, level: Dyadic::DEEPEST }
}

/// A pair's bounds over a whole segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairBounds {
    /// λ_i + λ_j: upper bound on the relative motion, in metres.
    pub(super) upper_arc: f64,
    /// Rounding of both units' poses, in metres.
    pub(super) margin: f64,
    /// What the pair must be farther apart than, in metres.
    pub(super) clearance: f64,
}

/// A pair on a part of a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub(super) pair: u32,
    pub(super) from: u64,
    pub(super) to: u64,
    /// Lower bounds on the distance at both ends; `None` where nobody has looked.
    pub(super) lower_at_ends: [Option<f64>; 2],
    /// The greatest is looked at first.
    pub(super) priority: f64,
}

/// Where to look next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Between the ends: two stretches result.
    At(u64),
    /// Only this part is left, with ends that nobody has looked at.
    Within([u64; 2]),
}

/// Below this share of a stretch, what its ends cover is not worth two queries and it is bisected. Keeps depth logarithmic.
const LEAST_GAIN: u64 = 8;

impl Stretch {
    pub(super) fn whole(pair: u32) -> Self {
        Self { pair, from: 0, to: ONE, lower_at_ends: [None; 2], priority: 0.0 }
    }

    /// Ends on the segment, in [0, 1], exactly.
    pub(super) fn interval(&self) -> [f64; 2] {
        [self.from, self.to].map(|position| dyadic(position).value())
    }

    /// Upper bound on the relative motion.
    pub(super) fn upper_arc(&self, bounds: &PairBounds) -> f64 {
        upper_part(bounds.upper_arc, self.to - self.from)
    }

    /// Lower bound on the distance anywhere between the ends, as far as they tell; −∞ if one is unknown.
    pub(super) fn lower_between(&self, bounds: &PairBounds) -> f64 {
        let [Some(a), Some(b)] = self.lower_at_ends else { return f64::NEG_INFINITY };
        let arc = self.upper_arc(bounds);
        let by_both = 0.5 * add_down(add_down(a, b), -arc);
        add_down(by_both.max(add_down(a, -arc)).max(add_down(b, -arc)), -bounds.margin)
    }

    /// The non-covered length in metres (paper §3.4). An end at which nobody has looked covers nothing.
    pub(super) fn uncovered(&self, bounds: &PairBounds) -> f64 {
        let room = |lower: Option<f64>| lower.map_or(0.0, |lower| lower - bounds.clearance);
        self.upper_arc(bounds) - room(self.lower_at_ends[0]) - room(self.lower_at_ends[1])
    }

    /// Where to look next; `None` where no position is left between the ends.
    pub(super) fn next(&self, refinement: Refinement, bounds: &PairBounds, floor: f64) -> Option<Next> {
        let length = self.to - self.from;
        if length < 2 {
            return None;
        }
        let middle = Next::At(self.from + length / 2);
        if refinement == Refinement::Midpoint {
            return Some(middle);
        }
        let [first, last] = self.lower_at_ends.map(|lower| covered_by(lower, bounds).min(length));
        if first + last >= length {
            return Some(middle);
        }
        let [left, right] = [self.from + first, self.to - last];
        if refinement == Refinement::CoveredEnds {
            let gains = first + last > length / LEAST_GAIN;
            return Some(if gains { Next::Within([left, right]) } else { middle });
        }
        // What is left halves each time, though the stretch may not: at the floor the stretch itself is halved.
        let is_fine = upper_part(bounds.upper_arc, right - left) <= floor;
        let at = left + (right - left) / 2;
        Some(if is_fine || at == self.from { middle } else { Next::At(at) })
    }

    /// Both parts at a position between the ends, where the distance is at least `lower`.
    pub(super) fn parts(&self, at: u64, lower: f64) -> [Self; 2] {
        let [a, b] = self.lower_at_ends;
        [
            Self { to: at, lower_at_ends: [a, Some(lower)], ..*self },
            Self { from: at, lower_at_ends: [Some(lower), b], ..*self },
        ]
    }
}

/// Upper bound on the motion over a part of a segment.
fn upper_part(upper_arc: f64, length: u64) -> f64 {
    // What does not move at all keeps an exact zero.
    if upper_arc == 0.0 { 0.0 } else { mul_up(upper_arc, dyadic(length).value()) }
}

/// How much of the segment one end covers by itself: the motion over it stays below the room at that end.
fn covered_by(lower: Option<f64>, bounds: &PairBounds) -> u64 {
    let room = add_down(lower.unwrap_or(f64::NEG_INFINITY), -add_up(bounds.clearance, bounds.margin));
    if !(room > 0.0) {
        return 0;
    }
    let share = (room / bounds.upper_arc).min(1.0) * (1.0 - 1e-12);
    let length = (share * ONE as f64) as u64;
    if upper_part(bounds.upper_arc, length) < room { length } else { 0 }
}

impl PartialEq for Stretch {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Stretch {}

impl PartialOrd for Stretch {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Stretch {
    fn cmp(&self, other: &Self) -> Ordering {
        self.priority
            .total_cmp(&other.priority)
            .then(other.pair.cmp(&self.pair))
            .then(other.from.cmp(&self.from))
            .then(other.to.cmp(&self.to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: PairBounds = PairBounds { upper_arc: 4.0, margin: 1e-12, clearance: 0.1 };

    fn stretch(lower_at_ends: [f64; 2]) -> Stretch {
        Stretch { lower_at_ends: lower_at_ends.map(Some), ..Stretch::whole(0) }
    }

    /// The condition of the paper with the clearance counted at both ends.
    #[test]
    fn a_stretch_is_covered_exactly_above_its_motion_and_twice_the_clearance() {
        for (a, b) in [(2.1, 2.1), (1.0, 3.2), (4.0, 0.2)] {
            assert!(stretch([a + 1e-9, b]).lower_between(&BOUNDS) > BOUNDS.clearance);
            assert!(!(stretch([a - 1e-9, b]).lower_between(&BOUNDS) > BOUNDS.clearance));
        }
        assert!(stretch([f64::NEG_INFINITY, 4.2]).lower_between(&BOUNDS) > BOUNDS.clearance);
        assert!(!(stretch([f64::NAN, 1.0]).lower_between(&BOUNDS) > BOUNDS.clearance));
        let unmoved = PairBounds { upper_arc: f64::NAN, ..BOUNDS };
        assert!(!(stretch([9.0, 9.0]).lower_between(&unmoved) > BOUNDS.clearance));
    }

    /// Poses are rounded at both ends, and what one end covers by itself allows for it too.
    #[test]
    fn rounding_of_poses_counts_at_both_ends() {
        let rounded = PairBounds { margin: 0.05, ..BOUNDS };
        assert!(stretch([2.15 + 1e-9, 2.15]).lower_between(&rounded) > rounded.clearance);
        assert!(!(stretch([2.15 - 1e-9, 2.15]).lower_between(&rounded) > rounded.clearance));
        let covered = covered_by(Some(1.15), &rounded);
        assert!(dyadic(covered).value() < 0.25 && dyadic(covered).value() > 0.25 - 1e-9);
    }

    #[test]
    fn refinements_look_where_the_figure_says() {
        let next = |refinement, ends| stretch(ends).next(refinement, &BOUNDS, 1e-9).unwrap();
        let near = |position: u64, t: f64| (dyadic(position).value() - t).abs() < 1e-9;
        assert_eq!(next(Refinement::Midpoint, [1.1, 2.1]), Next::At(ONE / 2));
        let Next::Within([left, right]) = next(Refinement::CoveredEnds, [1.1, 2.1]) else { panic!("two places") };
        assert!(near(left, 0.25) && near(right, 0.5) && dyadic(left).value() < 0.25 && dyadic(right).value() > 0.5);
        let Next::At(at) = next(Refinement::UncoveredMiddle, [1.1, 2.1]) else { panic!("one place") };
        assert!(near(at, 0.375));
        // Ends that cover next to nothing are not queried again beside themselves.
        assert_eq!(next(Refinement::CoveredEnds, [0.1, 0.2]), Next::At(ONE / 2));
        let point = Stretch { to: 1, ..stretch([0.0, 0.0]) };
        assert_eq!(point.next(Refinement::UncoveredMiddle, &BOUNDS, 1e-9), None);
    }
}
