//! The fixed-resolution checker that planners usually use: a baseline of the experiments. **Never a proof.**
//!
//! Midpoints are tested breadth first (exact-collision-checking paper §2, after the SBL planner) until neighbours are
//! closer than a step; with a step of 0 until a contact is found. Trees, poses and pairs are those of the exact
//! checker.

use std::ops::Range;

use super::checker::{CheckScratch, Checker};
use super::error::CheckError;
use super::groups::GroupPair;
use super::pair_at::PairAt;
use super::verdict::Statistics;
use crate::distance::Scratch;
use crate::robot::{Dyadic, Kinematics, SegmentMotion};

/// Result of sampling.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub enum Sampled {
    /// No contact at the configurations tested, which proves nothing about those between.
    NoneFound,
    /// Contact at this position of the segment.
    Contact {
        /// Position on the segment, in [0, 1].
        t: f64,
    },
}

/// Levels of bisection after which a step of 0 gives up.
const DEEPEST: u32 = 30;

impl Checker {
    /// Samples the segment from `start` to `goal` until `levels` bisections were made everywhere (2^levels − 1
    /// configurations, ends not included); `None` goes on until a contact is found.
    pub fn sample(
        &self,
        start: &[f64],
        goal: &[f64],
        levels: Option<u32>,
        scratch: &mut CheckScratch,
    ) -> Result<(Sampled, Statistics), CheckError> {
        let motion = self.motion(start, goal)?;
        let mut statistics = Statistics::default();
        scratch.work.cache.clear();
        for level in 0..levels.unwrap_or(DEEPEST) {
            if let Some(t) = self.sample_midpoints(&motion, level, 0..1 << level, scratch, &mut statistics) {
                return Ok((Sampled::Contact { t }, statistics));
            }
        }
        Ok((Sampled::NoneFound, statistics))
    }

    /// Samples some midpoints of one level alone: of the 2^level configurations halfway between those of the levels
    /// before, those with an index in the range.
    pub(crate) fn sample_level(
        &self,
        [start, goal]: [&[f64]; 2],
        level: u32,
        indices: Range<u64>,
        scratch: &mut CheckScratch,
    ) -> Result<(Sampled, Statistics), CheckError> {
        let motion = self.motion(start, goal)?;
        let mut statistics = Statistics::default();
        scratch.work.cache.clear();
        let found = self.sample_midpoints(&motion, level, indices, scratch, &mut statistics);
        Ok((found.map_or(Sampled::NoneFound, |t| Sampled::Contact { t }), statistics))
    }

    /// Position of a midpoint of a level that is in contact.
    fn sample_midpoints(
        &self,
        motion: &SegmentMotion,
        level: u32,
        mut indices: Range<u64>,
        scratch: &mut CheckScratch,
        statistics: &mut Statistics,
    ) -> Option<f64> {
        indices.find_map(|index| {
            let position = Dyadic { index: 2 * index + 1, level: level + 1 };
            statistics.configurations += 1;
            self.is_any_in_contact(motion, position, scratch, statistics).then(|| position.value())
        })
    }

    /// True if any pair is in contact (or rounding cannot tell) at a configuration.
    pub fn is_configuration_in_contact(
        &self,
        configuration: &[f64],
        scratch: &mut CheckScratch,
    ) -> Result<bool, CheckError> {
        let motion = self.motion(configuration, configuration)?;
        scratch.work.cache.clear();
        Ok(self.is_any_in_contact(&motion, Dyadic { index: 0, level: 0 }, scratch, &mut Statistics::default()))
    }

    fn motion(&self, start: &[f64], goal: &[f64]) -> Result<SegmentMotion, CheckError> {
        SegmentMotion::new(self.scene().model(), start, goal)
            .map_err(|problem| CheckError::Motion { segment: 0, problem })
    }

    fn is_any_in_contact(
        &self,
        motion: &SegmentMotion,
        position: Dyadic,
        scratch: &mut CheckScratch,
        statistics: &mut Statistics,
    ) -> bool {
        let work = &mut scratch.work;
        let kinematics = work.cache.at(motion, position);
        let is_in_contact = |pair| self.is_in_contact(pair, kinematics, &mut work.query, statistics);
        self.groups().pairs.iter().any(is_in_contact)
    }

    fn is_in_contact(
        &self,
        pair: &GroupPair,
        kinematics: &mut Kinematics,
        scratch: &mut Scratch,
        statistics: &mut Statistics,
    ) -> bool {
        let at = PairAt::new(self.groups(), pair, 0.0, self.scene().model(), kinematics);
        statistics.distance_queries += 1;
        !at.is_apart(scratch)
    }
}
