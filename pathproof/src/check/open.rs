//! What a search left open, by name: several static bodies may share a unit, and who reads `undecided` wants the one that
//! is near.

use super::checker::Checker;
use super::units::UnitShape;
use super::verdict::Open;
use crate::distance::{Query, Scratch};
use crate::robot::{Kinematics, Motion};

/// Puts the bodies that are nearest in the middle of the open interval in place of the first of their units.
pub(super) fn name_nearest(checker: &Checker, motion: &Motion, open: &mut Open, scratch: &mut Scratch) {
    let units_of = |pair: &&super::units::UnitPair| {
        [&checker.units[pair.a], &checker.units[pair.b]].map(|unit| unit.body_of(0)) == open.bodies
    };
    let Some(pair) = checker.pairs.iter().find(units_of) else { return };
    let (a, b) = (&checker.units[pair.a], &checker.units[pair.b]);
    let (UnitShape::Parts(body_a), UnitShape::Parts(body_b)) = (&a.shape, &b.shape) else { return };
    let model = checker.scene().model();
    let mut kinematics = Kinematics::new(model);
    kinematics.set_time(motion, 0.5 * (open.interval[0] + open.interval[1]));
    let world_from_a = a.world_from_unit(model, &mut kinematics);
    let world_from_b = b.world_from_unit(model, &mut kinematics);
    let nearest = Query::new(body_a, body_b, &world_from_a, &world_from_b).exact(scratch);
    if let Some(witness) = nearest.witness {
        open.bodies = [a.body_of(witness.primitive_a), b.body_of(witness.primitive_b)];
    }
}
