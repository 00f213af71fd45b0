//! Clearance maps in the search: where the joints between two links of a robot stay within boxes over which the links are
//! proven apart, nothing is probed (docs/design.md#clearance-maps).
//!
//! Invariant: a bound is given only for what the map holds: values of the joints on a straight segment, rounded outward,
//! inside its ranges. Bodies of a group are apart from those of another where all of their pairs are.

use super::groups::{Groups, Opposite};
use crate::maps::{Links, Map, MapSettings};
use crate::numeric::{ROUNDOFF_F64, least, most};
use crate::robot::Motion;
use crate::scene::Scene;

/// From four joints on, boxes are too many for what they settle.
const MOST_JOINTS: usize = 3;

/// A segment is cut in halves this many times on its way through the boxes.
const CUTS: u32 = 5;

/// The maps of pairs of groups.
#[derive(Debug)]
pub(super) struct PairMaps {
    /// For each pair of groups, those of its bodies; none where one of them has no map.
    of_pairs: Vec<Vec<PairMap>>,
}

/// The map of two bodies, and the variables that it is over.
#[derive(Debug)]
struct PairMap {
    map: Map,
    variables: Vec<usize>,
}

impl PairMaps {
    /// Builds the maps of all pairs of links with few joints between, of at most so many boxes each.
    pub(super) fn build(scene: &Scene, groups: &Groups, boxes: usize) -> Self {
        let links = Links::new(scene);
        let settings = MapSettings { boxes, ..MapSettings::default() };
        let of_bodies = |bodies: [usize; 2]| {
            let pair = links.pair(bodies).ok()?;
            let variables: Vec<usize> = pair.chain.ranges.iter().map(|range| range.variable).collect();
            let is_small = (1..=MOST_JOINTS).contains(&variables.len());
            is_small.then(|| PairMap { map: Map::build(&pair, &settings), variables })
        };
        let of_pair = |pair: &super::groups::GroupPair| {
            let Opposite::Group(b) = pair.b else { return None };
            let (of_a, of_b) = (groups.groups[pair.a].members(), groups.groups[b].members());
            of_a.iter().flat_map(|&a| of_b.iter().map(move |&b| [a, b])).map(of_bodies).collect::<Option<Vec<_>>>()
        };
        Self { of_pairs: groups.pairs.iter().map(|pair| of_pair(pair).unwrap_or_default()).collect() }
    }

    /// Lower bound, above `wanted`, on the distance of a pair of groups over a part of a straight segment, if the maps tell
    /// one.
    pub(super) fn lower_over(&self, pair: usize, motion: &Motion, part: [f64; 2], wanted: f64) -> Option<f64> {
        // On a curve values leave what is between the ends.
        if motion.is_curved() {
            return None;
        }
        self.walk(pair, motion, part, wanted, CUTS)
    }

    fn walk(&self, pair: usize, motion: &Motion, [from, to]: [f64; 2], wanted: f64, cuts: u32) -> Option<f64> {
        let maps = self.of_pairs.get(pair).filter(|maps| !maps.is_empty())?;
        let lower_of = |map: &PairMap| map.lower_over(motion, [from, to]).filter(|lower| *lower > wanted);
        let mut lower = Some(f64::INFINITY);
        for map in maps {
            lower = lower.zip(lower_of(map)).map(|(lower, other)| least(lower, other));
        }
        if lower.is_some() || cuts == 0 {
            return lower;
        }
        let middle = from + (to - from) * 0.5;
        let earlier = self.walk(pair, motion, [from, middle], wanted, cuts - 1)?;
        let later = self.walk(pair, motion, [middle, to], wanted, cuts - 1)?;
        Some(least(earlier, later))
    }
}

impl PairMap {
    fn lower_over(&self, motion: &Motion, part: [f64; 2]) -> Option<f64> {
        let mut values = [[0.0; 2]; MOST_JOINTS];
        for (value, &variable) in values.iter_mut().zip(&self.variables) {
            *value = range(motion.start()[variable], motion.goal()[variable], part);
        }
        self.map.lower_over(&values[..self.variables.len()])
    }
}

/// The values from a to b between two positions: computed within 4 u of their sizes, and never beyond a or b.
fn range(a: f64, b: f64, part: [f64; 2]) -> [f64; 2] {
    let at = part.map(|t| a + t * (b - a));
    let slack = 8.0 * ROUNDOFF_F64 * (a.abs() + b.abs()) + f64::MIN_POSITIVE;
    let (lowest, highest) = (least(a, b), most(a, b));
    [most(least(at[0], at[1]) - slack, lowest), least(most(at[0], at[1]) + slack, highest)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Random;

    /// Values in twice the digits: what a map is asked about holds every value of the part, however it was rounded.
    #[test]
    fn ranges_hold_every_value_of_the_part_and_none_beyond_the_ends() {
        let mut random = Random::new(37);
        for _ in 0..20_000 {
            let [a, b] = [0; 2].map(|_| random.between(-3.0, 3.0) * 10f64.powi(random.below(9) as i32 - 4));
            let steps = [0; 2].map(|_| random.below(1025) as f64 / 1024.0);
            let part = [least(steps[0], steps[1]), most(steps[0], steps[1])];
            let [low, high] = range(a, b, part);
            assert!(low >= least(a, b) && high <= most(a, b));
            for t in part {
                // (1 − t) a + t b: both products and their sum with what they were rounded by.
                let (x, y) = ((1.0 - t) * a, t * b);
                let (off_x, off_y) = ((1.0 - t).mul_add(a, -x), t.mul_add(b, -y));
                let sum = x + y;
                let of_y = sum - x;
                let off = (x - (sum - of_y)) + (y - of_y) + off_x + off_y;
                assert!(low - sum <= off && high - sum >= off, "{a} {b} {t}: {low} {high} {sum}");
            }
        }
    }
}
