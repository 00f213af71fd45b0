//! Chooses where the paper's method probes a stretch of a segment, and what its ends prove (exact-collision-checking
//! paper §2–§3.4, Fig. 4): it is covered for a pair if λ_i + λ_j < η(a) + η(b) − 2·clearance, with η a lower bound on
//! the distance at its two ends.
//!
//! Proof: a pair's distance changes by at most its relative motion, so 2η(t) ≥ η(a) + η(b) − λ; likewise η(t) ≥ η(a) −
//! λ. This also holds for the negative distance of convex pieces, so penetration is bounded in the same way. Bounds at
//! the ends hold wherever rounding may have put the poses.

use super::Refinement;
use pathproof::numeric::{add_down, least, most, mul_up};
use pathproof::robot::Dyadic;

/// The end of a segment; its start is 0. Positions are counted in units of 2⁻⁵², so that every one is an exact `f64`.
pub(super) const WHOLE: u64 = 1 << Dyadic::DEEPEST;

/// t in [0, 1], exactly.
pub(super) fn t_of(position: u64) -> f64 {
    dyadic(position).value()
}

/// A position in the form that kinematics takes.
pub(super) fn dyadic(position: u64) -> Dyadic {
    Dyadic { index: position, level: Dyadic::DEEPEST }
}

/// Lower bounds on the distance at the ends of a stretch; `None` where nothing was measured.
pub(super) type Ends = [Option<f64>; 2];

/// A pair on a part of a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) lower_at_ends: Ends,
    /// λ_i + λ_j over the whole segment: upper bound on the relative motion, in metres.
    pub(super) upper_arc: f64,
    /// Required distance of the pair, in metres.
    pub(super) clearance: f64,
}

/// Next probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Between the ends: two stretches result.
    At(u64),
    /// Only this part is left; nothing was measured at its ends.
    Within([u64; 2]),
}

/// If the ends cover less than this share of a stretch, that is not worth two queries and it is bisected. Keeps depth
/// logarithmic.
const LEAST_GAIN: u64 = 8;

impl Stretch {
    /// Upper bound on the relative motion.
    pub(super) fn arc(&self) -> f64 {
        upper_part(self.upper_arc, self.to - self.from)
    }

    /// True if both ends were measured.
    pub(super) fn is_measured(&self) -> bool {
        self.lower_at_ends.iter().all(Option::is_some)
    }

    /// Lower bound on the distance anywhere between the ends, derived from them; −∞ if one is unknown.
    pub(super) fn lower_between(&self) -> f64 {
        let [Some(a), Some(b)] = self.lower_at_ends else { return f64::NEG_INFINITY };
        let arc = self.arc();
        let by_both = 0.5 * add_down(add_down(a, b), -arc);
        // NaN at an end, or in the motion, is kept.
        most(most(by_both, add_down(a, -arc)), add_down(b, -arc))
    }

    /// The non-covered length in metres (paper §3.4). An unmeasured end covers nothing.
    pub(super) fn uncovered(&self) -> f64 {
        let room = |lower: Option<f64>| lower.map_or(0.0, |lower| lower - self.clearance);
        self.arc() - room(self.lower_at_ends[0]) - room(self.lower_at_ends[1])
    }

    /// Next probe. At a motion of `floor` metres the stretch itself is halved.
    pub(super) fn next(&self, refinement: Refinement, floor: f64) -> Next {
        let length = self.to - self.from;
        let middle = Next::At(self.from + length / 2);
        if refinement == Refinement::Midpoint {
            return middle;
        }
        let [first, last] = self.lower_at_ends.map(|lower| self.covered_by(lower).min(length));
        if first + last >= length {
            return middle;
        }
        let [left, right] = [self.from + first, self.to - last];
        if refinement == Refinement::CoveredEnds {
            let gains = first + last > length / LEAST_GAIN;
            return if gains { Next::Within([left, right]) } else { middle };
        }
        // The uncovered part halves each time, though the stretch may not: at the floor the stretch itself is halved.
        let is_fine = upper_part(self.upper_arc, right - left) <= floor;
        let at = left + (right - left) / 2;
        if is_fine || at == self.from { middle } else { Next::At(at) }
    }

    /// Part of the segment that one end covers by itself: the motion over it stays below the room at that end.
    fn covered_by(&self, lower: Option<f64>) -> u64 {
        let room = add_down(lower.unwrap_or(f64::NEG_INFINITY), -self.clearance);
        if !(room > 0.0) {
            return 0;
        }
        let share = least(room / self.upper_arc, 1.0) * (1.0 - 1e-12);
        let length = (share * WHOLE as f64) as u64;
        if upper_part(self.upper_arc, length) < room { length } else { 0 }
    }
}

/// Upper bound on the motion over a part of a segment.
fn upper_part(upper_arc: f64, length: u64) -> f64 {
    // No motion keeps an exact zero.
    if upper_arc == 0.0 { 0.0 } else { mul_up(upper_arc, t_of(length)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(lower_at_ends: [f64; 2]) -> Stretch {
        Stretch { from: 0, to: WHOLE, lower_at_ends: lower_at_ends.map(Some), upper_arc: 4.0, clearance: 0.1 }
    }

    /// The condition of the paper with the clearance counted at both ends.
    #[test]
    fn a_stretch_is_covered_exactly_above_its_motion_and_twice_the_clearance() {
        for (a, b) in [(2.1, 2.1), (1.0, 3.2), (4.0, 0.2)] {
            assert!(stretch([a + 1e-9, b]).lower_between() > 0.1);
            assert!(!(stretch([a - 1e-9, b]).lower_between() > 0.1));
        }
        assert!(stretch([f64::NEG_INFINITY, 4.2]).lower_between() > 0.1);
        assert!(!(stretch([f64::NAN, 1.0]).lower_between() > 0.1));
        // NaN was once dropped beside an end that covers everything by itself.
        assert!(!(stretch([f64::NAN, 9.0]).lower_between() > 0.1));
        let unmoved = Stretch { upper_arc: f64::NAN, ..stretch([9.0, 9.0]) };
        assert!(!(unmoved.lower_between() > 0.1));
    }

    #[test]
    fn refinements_probe_where_the_figure_says() {
        let next = |refinement, ends| stretch(ends).next(refinement, 1e-9);
        let near = |position: u64, t: f64| (t_of(position) - t).abs() < 1e-9;
        assert_eq!(next(Refinement::Midpoint, [1.1, 2.1]), Next::At(WHOLE / 2));
        let Next::Within([left, right]) = next(Refinement::CoveredEnds, [1.1, 2.1]) else { panic!("two places") };
        assert!(near(left, 0.25) && near(right, 0.5) && t_of(left) < 0.25 && t_of(right) > 0.5);
        let Next::At(at) = next(Refinement::UncoveredMiddle, [1.1, 2.1]) else { panic!("one place") };
        assert!(near(at, 0.375));
        // Ends that cover almost nothing are not queried again beside themselves.
        assert_eq!(next(Refinement::CoveredEnds, [0.1, 0.2]), Next::At(WHOLE / 2));
    }
}
