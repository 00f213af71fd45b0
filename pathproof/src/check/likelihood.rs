//! Estimates how likely a pair of groups is in contact at a random configuration. A search for any contact probes
//! likely pairs sooner (docs/design.md#the-search).
//!
//! Invariant: a function of the scene alone, so that answers depend on nothing else; it decides the order of probes and
//! never what they prove. Cost: at most [`MOST_TESTS`] tests for contact, once per checker.

use super::groups::Groups;
use super::pair_at::PairAt;
use crate::distance::Scratch;
use crate::numeric::Random;
use crate::robot::{Kinematics, Model, SegmentMotion, VariableKind};
use crate::scene::Scene;

/// Tests for contact in all, some milliseconds.
const MOST_TESTS: usize = 16_384;

/// Number of random configurations: fewer say nothing, more add little.
const DRAWN: std::ops::RangeInclusive<usize> = 8..=64;

/// For each pair the factor, in (0, 1], for its uncovered length in the order of probes. Empty if all are equal,
/// because there are too many pairs or a joint has no range to draw from.
pub(super) fn weights(scene: &Scene, groups: &Groups) -> Vec<f64> {
    let (model, pairs) = (scene.model(), &groups.pairs);
    let count = (MOST_TESTS / pairs.len().max(1)).min(*DRAWN.end());
    let Some(ranges) = ranges(model).filter(|_| DRAWN.contains(&count)) else { return Vec::new() };
    let (mut random, mut kinematics, mut scratch) = (Random::new(1), Kinematics::new(model), Scratch::default());
    let mut contacts = vec![0u32; pairs.len()];
    for _ in 0..count {
        let drawn: Vec<f64> = ranges.iter().map(|(low, high)| random.between(*low, *high)).collect();
        let Ok(motion) = SegmentMotion::new(model, &drawn, &drawn) else { return Vec::new() };
        kinematics.set_time(&motion, 0.0);
        for (pair, contacts) in pairs.iter().zip(&mut contacts) {
            let at = PairAt::new(groups, pair, 0.0, model, &mut kinematics);
            *contacts += u32::from(!at.is_apart(&mut scratch));
        }
    }
    contacts.into_iter().map(|contacts| weight(contacts, count)).collect()
}

/// The fourth root of the share of contacts. Contact along segments is likelier or rarer than at random, and the
/// uncovered length should still decide between pairs that differ little.
fn weight(contacts: u32, count: usize) -> f64 {
    ((f64::from(contacts) + 0.5) / (count as f64 + 1.0)).sqrt().sqrt()
}

/// Range from which each variable is drawn; `None` if one has no range.
fn ranges(model: &Model) -> Option<Vec<(f64, f64)>> {
    const TURN: (f64, f64) = (-std::f64::consts::PI, std::f64::consts::PI);
    let of_kind = |kind: VariableKind| (kind == VariableKind::Angle).then_some(TURN);
    model.variables().iter().map(|variable| variable.limits.or_else(|| of_kind(variable.kind))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Checker;
    use crate::numeric::{DVec3, Pose};
    use crate::robot::{JointKind, JointSpec};
    use crate::scene::{BodyShape, Role, SceneBody, SceneParts};
    use crate::shapes::{Body, Convex};

    /// Two carts on rails along x: one runs inside a bar, the other, 3 m beside it, past a stud.
    fn checker(limits: Option<(f64, f64)>) -> Checker {
        let rail = |name: &str, y: f64| {
            let at = Pose::from_translation(DVec3::Y * y);
            let slide = JointSpec::new(name, JointKind::Prismatic { axis: DVec3::X }, "world", name, at);
            JointSpec { limits: vec![limits], ..slide }
        };
        let links = ["world", "in_bar", "beside"].map(String::from).to_vec();
        let model = Model::new("world", links, vec![rail("in_bar", 0.0), rail("beside", 3.0)]).unwrap();
        let (ball, bar) = (|| Convex::sphere(0.1).unwrap(), Convex::cuboid([4.0, 0.1, 0.1]).unwrap());
        let bodies =
            [("in_bar", 1, 0.0, ball()), ("beside", 2, 0.0, ball()), ("bar", 0, 0.0, bar), ("stud", 0, 3.0, ball())];
        let mut parts = SceneParts::new(model);
        for (name, link, y, shape) in bodies {
            let (role, shape) =
                (if link == 0 { Role::Obstacle } else { Role::Link }, BodyShape::Parts(Body::from_convex(shape)));
            let link_from_body = Pose::from_translation(DVec3::Y * y);
            parts.bodies.push(SceneBody { name: name.into(), role, link, link_from_body, shape });
        }
        Checker::new(Scene::new(parts).unwrap())
    }

    #[test]
    fn pairs_that_meet_more_often_count_more_and_every_pair_counts() {
        let checker = checker(Some((-1.5, 1.5)));
        let groups = checker.groups();
        let bodies = |pair: usize| groups.bodies_of(&groups.pairs[pair], [0; 2]);
        let weight_of = |link: usize| {
            let is_meant = |pair: &usize| bodies(*pair)[0] == link && bodies(*pair)[1] >= 2;
            groups.weight((0..groups.pairs.len()).find(is_meant).unwrap())
        };
        let between = groups.weight((0..groups.pairs.len()).find(|pair| bodies(*pair) == [0, 1]).unwrap());
        assert!(weight_of(0) > 0.99 && weight_of(0) <= 1.0, "the cart in the bar always meets it: {}", weight_of(0));
        assert!(weight_of(1) > between && weight_of(1) < 0.9, "{} by the stud, {between} between carts", weight_of(1));
        assert!(between > 0.0, "carts that never meet are probed last, but they are");
    }

    #[test]
    fn where_a_joint_has_no_range_all_pairs_count_alike() {
        let checker = checker(None);
        assert!((0..checker.groups().pairs.len()).all(|pair| checker.groups().weight(pair) == 1.0));
    }
}
