//! Builds the trees of groups, on several threads where they are large. Each group is built from the scene alone, so
//! the result does not depend on the threads.

use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Group;
use crate::scene::{BodyShape, Scene};

/// Below this number of triangles in all, building takes less time than starting threads.
const MANY: usize = 20_000;

/// The groups of these members, in their order.
pub(super) fn build(scene: &Scene, members: Vec<Vec<usize>>, known: &[Group]) -> Vec<Group> {
    let triangles: usize = members.iter().flatten().map(|&body| triangles(scene, body)).sum();
    let processors = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = if triangles < MANY { 1 } else { processors().min(members.len()) };
    if threads < 2 {
        return members.into_iter().map(|members| Group::new(scene, members, known)).collect();
    }
    let slots: Vec<(Vec<usize>, OnceLock<Group>)> =
        members.into_iter().map(|members| (members, OnceLock::new())).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((members, slot)) = slots.get(next.fetch_add(1, Ordering::Relaxed)) {
            slot.get_or_init(|| Group::new(scene, members.clone(), known));
        }
    };
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    slots.into_iter().map(|(_, slot)| slot.into_inner().expect("every number was taken")).collect()
}

fn triangles(scene: &Scene, body: usize) -> usize {
    match &scene.bodies()[body].shape {
        BodyShape::Parts(parts) => parts.triangles().len(),
        BodyShape::HalfSpace { .. } => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::{DVec3, Pose, Random};
    use crate::robot::{JointKind, JointSpec, Model};
    use crate::scene::{Role, SceneBody, SceneParts};
    use crate::shapes::{Body, TriangleMesh};
    use crate::trees::VolumeTree as _;

    /// A surface of 8,000 triangles.
    fn bumpy(random: &mut Random) -> Body {
        let point = |i: usize, j: usize, height: f64| DVec3::new(i as f64 * 0.01, j as f64 * 0.01, height);
        let vertices = (0..101 * 41).map(|k| point(k / 41, k % 41, random.between(0.0, 0.02))).collect();
        let square = |k: usize| {
            let corner = (k / 40 * 41 + k % 40) as u32;
            [[corner, corner + 41, corner + 1], [corner + 1, corner + 41, corner + 42]]
        };
        Body::from_mesh(TriangleMesh::new(vertices, (0..100 * 40).flat_map(square).collect()).expect("a mesh"))
    }

    /// Four links on slides.
    fn scene() -> Scene {
        let mut random = Random::new(3);
        let names: Vec<String> = ["world", "a", "b", "c", "d"].map(str::to_owned).to_vec();
        let slide = |link: &String| {
            JointSpec::new(&format!("j{link}"), JointKind::Prismatic { axis: DVec3::X }, "world", link, Pose::IDENTITY)
        };
        let joints = names[1..].iter().map(slide).collect();
        let mut parts = SceneParts::new(Model::new("world", names.clone(), joints).expect("a model"));
        for (link, name) in names.iter().enumerate().skip(1) {
            let shape = BodyShape::Parts(bumpy(&mut random));
            let link_from_body = Pose::IDENTITY;
            parts.bodies.push(SceneBody { name: name.clone(), role: Role::Link, link, link_from_body, shape });
        }
        Scene::new(parts).expect("a scene")
    }

    #[test]
    fn groups_that_threads_build_are_those_of_one_thread_in_the_same_order() {
        // Bodies keep their trees, so each side gets bodies of its own.
        let [scene, other] = [scene(), scene()];
        let members: Vec<Vec<usize>> = (0..4).rev().map(|body| vec![body]).collect();
        let built = build(&scene, members.clone(), &[]);
        assert_eq!(built.len(), 4);
        for (group, members) in built.iter().zip(members) {
            let alone = Group::new(&other, members.clone(), &[]);
            assert_eq!((group.members(), group.frame), (&members[..], alone.frame));
            assert_eq!(group.indexed.tree().broken_invariant(group.indexed.body()), None);
            assert_eq!(group.tree_bytes(), alone.tree_bytes());
        }
    }
}
