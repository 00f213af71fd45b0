//! Bodies that start inside a solid of another. A path cannot enter a solid without crossing its surface, which the search
//! finds, so the first configuration tells (DESIGN §4, solids).

use super::checker::{CheckScratch, Checker};
use super::units::{UnitPair, UnitShape};
use super::verdict::Finding;
use crate::distance::Query;
use crate::robot::{Dyadic, Motion};

/// A contact of a pair at the start of a segment in which one holds a component of the other, if that is so. The scratch
/// must hold poses of that segment or none.
pub(super) fn at_start(
    checker: &Checker,
    pair: &UnitPair,
    segment: usize,
    motion: &Motion,
    scratch: &mut CheckScratch,
) -> Option<Finding> {
    let (a, b) = (&checker.units[pair.a], &checker.units[pair.b]);
    let (UnitShape::Parts(body_a), UnitShape::Parts(body_b)) = (&a.shape, &b.shape) else { return None };
    let model = checker.scene().model();
    let kinematics = scratch.cache.at(motion, Dyadic { index: 0, level: 0 });
    if a.ball_at(model, kinematics).lower_distance(&b.ball_at(model, kinematics)) > 0.0 {
        return None;
    }
    let world_from_a = a.world_from_unit(model, kinematics);
    let world_from_b = b.world_from_unit(model, kinematics);
    let (place, [primitive_a, primitive_b]) =
        Query::new(body_a, body_b, &world_from_a, &world_from_b).containment_of()?;
    Some(Finding {
        segment,
        t: 0.0,
        configuration: kinematics.configuration().to_vec(),
        bodies: [a.body_of(primitive_a), b.body_of(primitive_b)],
        distance: pair.clearance.min(0.0),
        points: [place, place],
        clearance: pair.clearance,
    })
}
