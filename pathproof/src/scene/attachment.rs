//! Objects that are picked up and put down: the same scene with a body on another link, at its pose in a
//! configuration.

use super::{Role, Scene, SceneError, SceneParts};
use crate::numeric::{DQuat, Pose};
use crate::robot::Kinematics;

impl Scene {
    /// The same scene in which `body` moves with `link` from its pose at the configuration `q`; link 0 is the world,
    /// where it stays put. Its pose in the link is computed, so it may be off by rounding. All rules are applied
    /// again.
    pub fn attached(&self, body: usize, link: usize, q: &[f64]) -> Result<Self, SceneError> {
        let mut parts = self.parts();
        let object = parts.bodies.get_mut(body).ok_or(SceneError::BadIndex("an object"))?;
        if link >= self.model().links().len() || q.len() != self.model().variables().len() {
            return Err(SceneError::BadIndex("a link"));
        }
        if object.role == Role::Link {
            return Err(SceneError::NotAnObject(object.name.clone()));
        }
        let mut kinematics = Kinematics::new(self.model());
        kinematics.set_configuration(q);
        let world_from_body = kinematics.world_from_link(self.model(), object.link) * object.link_from_body;
        let link_from_body = kinematics.world_from_link(self.model(), link).inverse_mul(&world_from_body);
        // The product of many rotations may deviate from a rotation by more than a scene accepts.
        let rotation = DQuat::from_mat3(&link_from_body.rotation).normalize();
        object.link_from_body = Pose::from_quaternion(rotation, link_from_body.translation);
        object.link = link;
        object.role = if link == 0 { Role::Obstacle } else { Role::Attached };
        Self::new(parts)
    }

    /// The parts that the scene is made of.
    pub(super) fn parts(&self) -> SceneParts {
        let positions = self.positions.iter().enumerate();
        SceneParts {
            model: self.model.clone(),
            bodies: self.bodies.clone(),
            rules: self.rules.clone(),
            clearance: self.clearances.world,
            self_clearance: self.clearances.own_links,
            tolerance: self.tolerance,
            states: self.states.clone(),
            positions: positions.filter_map(|(variable, value)| Some((variable, (*value)?))).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::{DVec3, Random};
    use crate::robot::{JointKind, JointSpec, Model};
    use crate::scene::{BodyShape, Reason, SceneBody};
    use crate::shapes::{Body, Convex};

    #[test]
    fn a_body_that_is_attached_and_let_go_is_where_it_was() {
        let mut random = Random::new(9);
        for _ in 0..200 {
            let joint = |name: &str, parent: &str, child: &str, random: &mut Random| {
                let kind = JointKind::Revolute { axis: random.direction() };
                JointSpec::new(name, kind, parent, child, random.pose(1.0))
            };
            let joints = vec![joint("a", "world", "r/a", &mut random), joint("b", "r/a", "r/b", &mut random)];
            let model = Model::new("world", vec!["world".into(), "r/a".into(), "r/b".into()], joints).unwrap();
            let mut parts = SceneParts::new(model);
            let body = |name: &str, role, link, link_from_body| SceneBody {
                name: name.into(),
                role,
                link,
                link_from_body,
                shape: BodyShape::Parts(Body::from_convex(Convex::sphere(0.1).unwrap())),
            };
            let place = random.pose(2.0);
            parts.bodies = vec![
                body("r/a", Role::Link, 1, Pose::IDENTITY),
                body("r/b", Role::Link, 2, Pose::IDENTITY),
                body("rod", Role::Obstacle, 0, place),
            ];
            parts.rules.touching_bodies = vec![[2, 0]];
            parts.positions = vec![(1, 0.25)];
            let scene = Scene::new(parts).unwrap();
            assert!(scene.reason(0, 2).is_none(), "what an object may touch counts while it is attached");
            let (q, later) = ([random.between(-3.0, 3.0), 0.5], [random.between(-3.0, 3.0), -1.0]);
            let held = scene.attached(2, 2, &q).unwrap();
            assert_eq!((held.bodies()[2].role, held.positions()[1]), (Role::Attached, Some(0.25)));
            assert_eq!(
                [held.reason(1, 2), held.reason(0, 2)],
                [Some(Reason::AttachedOrTouch), Some(Reason::AttachedOrTouch)]
            );
            let world_from_body = |scene: &Scene, q: &[f64]| {
                let mut kinematics = Kinematics::new(scene.model());
                kinematics.set_configuration(q);
                kinematics.world_from_link(scene.model(), scene.bodies()[2].link) * scene.bodies()[2].link_from_body
            };
            assert!((world_from_body(&held, &q).point(DVec3::ONE) - place.point(DVec3::ONE)).length() < 1e-13);
            let carried = world_from_body(&held, &later);
            let put_down = held.attached(2, 0, &later).unwrap();
            assert!(
                (put_down.bodies()[2].link_from_body.point(DVec3::ONE) - carried.point(DVec3::ONE)).length() < 1e-13
            );
            assert_eq!((put_down.bodies()[2].role, put_down.pairs().len()), (Role::Obstacle, scene.pairs().len()));
            assert_eq!(scene.attached(1, 0, &q).unwrap_err(), SceneError::NotAnObject("r/b".into()));
            assert!(scene.attached(2, 9, &q).is_err() && scene.attached(2, 1, &[0.0]).is_err());
        }
    }
}
