//! The fixed-resolution checker: what planners usually do, as a baseline of the experiments. **Never a proof.**
//!
//! Midpoints are tested breadth first (exact-collision-checking paper §2, after the SBL planner) until neighbours are
//! closer than a step; with a step of 0 until a contact is found. Trees, poses and pairs are those of the exact checker.

use super::checker::{CheckError, CheckScratch, Checker};
use super::units::{UnitPair, UnitShape};
use super::verdict::Statistics;
use crate::distance::{Contact, Query};
use crate::robot::{Dyadic, Kinematics};

/// What sampling came to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub enum Sampled {
    /// No contact at the configurations tested, which proves nothing about those between.
    NoneFound,
    /// Contact at this position of the segment.
    Contact {
        /// Where on the segment, in [0, 1].
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
        let motion = self.motion(0, [start, goal])?;
        let mut statistics = Statistics::default();
        scratch.cache.clear();
        for level in 0..levels.unwrap_or(DEEPEST) {
            for index in 0..1u64 << level {
                let position = Dyadic { index: 2 * index + 1, level: level + 1 };
                statistics.configurations += 1;
                let CheckScratch { cache, query, .. } = scratch;
                let kinematics = cache.at(&motion, position);
                if self.pairs.iter().any(|pair| self.is_in_contact(pair, kinematics, query, &mut statistics)) {
                    return Ok((Sampled::Contact { t: position.value() }, statistics));
                }
            }
        }
        Ok((Sampled::NoneFound, statistics))
    }

    /// Whether any pair is in contact (or rounding cannot tell) at a configuration.
    pub fn is_configuration_in_contact(
        &self,
        configuration: &[f64],
        scratch: &mut CheckScratch,
    ) -> Result<bool, CheckError> {
        let motion = self.motion(0, [configuration, configuration])?;
        scratch.cache.clear();
        let CheckScratch { cache, query, .. } = scratch;
        let kinematics = cache.at(&motion, Dyadic { index: 0, level: 0 });
        let mut statistics = Statistics::default();
        Ok(self.pairs.iter().any(|pair| self.is_in_contact(pair, kinematics, query, &mut statistics)))
    }

    fn is_in_contact(
        &self,
        pair: &UnitPair,
        kinematics: &mut Kinematics,
        scratch: &mut crate::distance::Scratch,
        statistics: &mut Statistics,
    ) -> bool {
        let (a, b) = (&self.units[pair.a], &self.units[pair.b]);
        let model = self.scene().model();
        let world_from_a = a.world_from_unit(model, kinematics);
        let world_from_b = b.world_from_unit(model, kinematics);
        statistics.distance_queries += 1;
        match (&a.shape, &b.shape) {
            (UnitShape::Parts(body_a), UnitShape::Parts(body_b)) => {
                match Query::new(body_a, body_b, &world_from_a, &world_from_b).collide(scratch) {
                    Contact::Apart(_) => false,
                    Contact::Meets(_) | Contact::Unclear(_) => true,
                }
            }
            (UnitShape::Parts(body), UnitShape::HalfSpace { normal }) => {
                let n = world_from_b.vector(*normal);
                let centre = world_from_a.point(body.body().centre());
                let heights = self.hulls[pair.a]
                    .iter()
                    .map(|p| n.dot(centre + world_from_a.vector(*p) - world_from_b.translation));
                let pieces = body.body().pieces().iter().map(|piece| {
                    let down = -piece.centre_from_piece.inverse_vector(world_from_a.inverse_vector(n));
                    let tip =
                        piece.centre_from_piece.point(piece.shape.core_support(down) + down * piece.shape.radius());
                    n.dot(centre + world_from_a.vector(tip) - world_from_b.translation)
                });
                heights.chain(pieces).any(|height| !(height > 0.0))
            }
            (UnitShape::HalfSpace { .. }, _) => false,
        }
    }
}
