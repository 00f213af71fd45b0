//! Scenes that differ by one object: added, removed, moved. Bodies are shared, all rules are applied again.

use super::{PairRules, Role, Scene, SceneBody, SceneError, SetRule, matches};
use crate::numeric::Pose;

impl Scene {
    /// The same scene with one more object, which may touch the bodies `touching` while it is attached. Rules written
    /// with `*` apply to it where its name matches.
    pub fn with_object(&self, object: SceneBody, touching: &[usize]) -> Result<Self, SceneError> {
        if object.role == Role::Link {
            return Err(SceneError::NotAnObject(object.name));
        }
        let mut parts = self.parts();
        let added = parts.bodies.len();
        for SetRule { sets, patterns, .. } in &mut parts.rules.set_rules {
            for (set, pattern) in sets.iter_mut().zip(patterns) {
                if pattern.as_ref().is_some_and(|pattern| matches(pattern, &object.name)) {
                    set.push(added);
                }
            }
        }
        parts.rules.touching_bodies.extend(touching.iter().map(|&other| [added, other]));
        parts.bodies.push(object);
        Self::new(parts)
    }

    /// The same scene without an object, and without the rules that name it. Bodies after it are renumbered.
    pub fn without_object(&self, object: usize) -> Result<Self, SceneError> {
        let mut parts = self.parts();
        self.require_object(object)?;
        parts.bodies.remove(object);
        let renumbered = |body: usize| (body != object).then(|| if body > object { body - 1 } else { body });
        let pair = |[a, b]: [usize; 2]| Some([renumbered(a)?, renumbered(b)?]);
        let PairRules { disabled_links, touching_bodies, exceptions, set_rules } = parts.rules;
        // Number of the first exceptions that stay.
        let staying = |count: usize| exceptions[..count].iter().filter(|(named, _)| pair(*named).is_some()).count();
        let set_rules = set_rules.into_iter().map(|rule| {
            let sets = rule.sets.map(|set| set.into_iter().filter_map(renumbered).collect());
            SetRule { sets, after: staying(rule.after.min(exceptions.len())), ..rule }
        });
        parts.rules = PairRules {
            disabled_links,
            touching_bodies: touching_bodies.into_iter().filter_map(pair).collect(),
            set_rules: set_rules.collect(),
            exceptions: exceptions.iter().filter_map(|(named, rule)| Some((pair(*named)?, *rule))).collect(),
        };
        Self::new(parts)
    }

    /// The same scene with an object at a pose in a link (0 is the world).
    pub fn with_object_at(&self, object: usize, link: usize, link_from_body: Pose) -> Result<Self, SceneError> {
        self.require_object(object)?;
        let mut parts = self.parts();
        let role = if link == 0 { Role::Obstacle } else { Role::Attached };
        let body = &mut parts.bodies[object];
        (body.role, body.link, body.link_from_body) = (role, link, link_from_body);
        Self::new(parts)
    }

    fn require_object(&self, object: usize) -> Result<(), SceneError> {
        match self.bodies().get(object) {
            None => Err(SceneError::BadIndex("an object")),
            Some(body) if body.role == Role::Link => Err(SceneError::NotAnObject(body.name.clone())),
            Some(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::{DVec3, Random};
    use crate::scene::SceneParts;
    use crate::scene::tests::random_parts;

    /// A scene from which an object was removed, and one that never had it, decide alike.
    #[test]
    fn an_object_that_is_added_again_is_decided_about_as_if_it_had_always_been_there() {
        let mut random = Random::new(5);
        let mut objects = 0;
        for case in 0..2_000 {
            let mut parts = random_parts(&mut random);
            // Rules for sets name bodies by patterns that mean the same bodies.
            for rule in &mut parts.rules.set_rules {
                let all: Vec<usize> = (0..parts.bodies.len()).collect();
                rule.sets = [all.clone(), all];
                rule.patterns = [Some("*".to_owned()), Some("*".to_owned())];
            }
            let Some(last) = parts.bodies.len().checked_sub(1) else { continue };
            // Rules that name the object are removed with it, so there are none here.
            parts.rules.exceptions.clear();
            parts.rules.set_rules.iter_mut().for_each(|rule| rule.after = 0);
            parts.rules.touching_bodies.retain(|[_, other]| *other != last);
            let scene = Scene::new(parts).unwrap();
            let object = scene.bodies()[last].clone();
            let without = scene.without_object(last);
            if object.role == Role::Link {
                assert!(matches!(without, Err(SceneError::NotAnObject(_))));
                continue;
            }
            objects += 1;
            let touching = scene.parts().rules.touching_bodies;
            let touching: Vec<usize> = touching.into_iter().filter(|[a, _]| *a == last).map(|[_, b]| b).collect();
            let again = without.unwrap().with_object(object, &touching).unwrap();
            assert_eq!(again.pairs(), scene.pairs(), "case {case}");
            assert_eq!(again.unchecked(), scene.unchecked(), "case {case}");
        }
        assert!(objects > 300, "{objects}");
    }

    #[test]
    fn taking_an_object_away_leaves_all_other_pairs_as_they_were() {
        let mut random = Random::new(6);
        let mut compared = 0;
        for case in 0..2_000 {
            let scene = Scene::new(random_parts(&mut random)).unwrap();
            let objects = (0..scene.bodies().len()).filter(|&body| scene.bodies()[body].role != Role::Link);
            for object in objects {
                let less = scene.without_object(object).unwrap();
                let name = |scene: &Scene, body: usize| scene.bodies()[body].name.clone();
                let described = |scene: &Scene| -> Vec<_> {
                    let pairs = scene.pairs().iter();
                    pairs.map(|pair| (name(scene, pair.a), name(scene, pair.b), pair.clearance.to_bits())).collect()
                };
                let gone = name(&scene, object);
                let mut expected = described(&scene);
                expected.retain(|(a, b, _)| *a != gone && *b != gone);
                compared += expected.len();
                assert_eq!(described(&less), expected, "case {case} without {gone}");
            }
        }
        assert!(compared > 1_000, "{compared}");
    }

    #[test]
    fn links_are_no_objects_and_poses_must_be_rigid() {
        let mut random = Random::new(7);
        let parts: SceneParts = random_parts(&mut random);
        let scene = Scene::new(parts).unwrap();
        assert!(scene.without_object(999).is_err() && scene.with_object_at(999, 0, Pose::IDENTITY).is_err());
        for (number, body) in scene.bodies().iter().enumerate() {
            let moved = scene.with_object_at(number, body.link, Pose::from_translation(DVec3::X));
            assert_eq!(moved.is_ok(), body.role != Role::Link);
            let nowhere = scene.with_object_at(number, body.link, Pose::from_translation(DVec3::X * f64::NAN));
            assert!(nowhere.is_err() && scene.with_object_at(number, 99, Pose::IDENTITY).is_err());
            if body.role == Role::Link {
                assert!(scene.with_object(SceneBody { name: "new".into(), ..body.clone() }, &[]).is_err());
            }
        }
    }
}
