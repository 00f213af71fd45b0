//! A [`CaseScene`] as the library's own scene, without files.

use anyhow::Result;
use pathproof::numeric::Pose;
use pathproof::robot::{JointKind as Kind, JointSpec, Model};
use pathproof::scene::{BodyShape, Role, Scene, SceneBody, SceneParts};
use pathproof::shapes::{Body, TriangleMesh};

use super::{CaseScene, JointKind};
use crate::bodies::Mesh;

/// Builds the scene; names are `robot/link` and the obstacles' own.
pub(crate) fn scene(case: &CaseScene) -> Result<Scene> {
    let mut links = vec!["world".to_owned()];
    let mut joints = Vec::new();
    let mut bodies: Vec<(String, String, Role, &Mesh, Pose)> = Vec::new();
    let mut disabled: Vec<[String; 2]> = Vec::new();
    for robot in &case.robots {
        let name = |link: usize| format!("{}/{}", robot.name, robot.links[link].name);
        links.extend((0..robot.links.len()).map(name));
        let base = format!("{}/base", robot.name);
        joints.push(JointSpec::new(&base, Kind::Fixed, "world", &name(0), robot.world_from_base.pose()));
        for joint in &robot.joints {
            let kind = match joint.kind {
                JointKind::Fixed => Kind::Fixed,
                JointKind::Revolute => Kind::Revolute { axis: joint.axis },
            };
            let full = format!("{}/{}", robot.name, joint.name);
            let mut spec =
                JointSpec::new(&full, kind, &name(joint.parent), &name(joint.child), joint.parent_from_joint.pose());
            if joint.kind == JointKind::Revolute {
                spec.limits = vec![Some((joint.limits[0], joint.limits[1]))];
            }
            joints.push(spec);
        }
        for (i, link) in robot.links.iter().enumerate() {
            if let Some(mesh) = &link.mesh {
                bodies.push((name(i), name(i), Role::Link, mesh, Pose::IDENTITY));
            }
        }
        disabled.extend(robot.disabled.iter().map(|pair| pair.map(name)));
    }
    for obstacle in &case.obstacles {
        let pose = obstacle.world_from_body.pose();
        bodies.push((obstacle.name.clone(), "world".into(), Role::Obstacle, &obstacle.mesh, pose));
    }
    let model = Model::new("world", links, joints)?;
    let mut parts = SceneParts::new(model);
    for (name, link, role, (vertices, triangles), link_from_body) in bodies {
        let mesh = TriangleMesh::new(vertices.clone(), triangles.clone())?;
        let link = parts.model.link(&link).expect("named above");
        let shape = BodyShape::Parts(Body::from_mesh(mesh));
        parts.bodies.push(SceneBody { name, role, link, link_from_body, shape });
    }
    for pair in disabled {
        let [a, b] = pair.map(|link| parts.model.link(&link).expect("named above"));
        parts.rules.disabled_links.push(([a, b], "by design".into()));
    }
    Ok(Scene::new(parts)?)
}
