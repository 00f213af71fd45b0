//! The papers' scenes, generated: robots, obstacles, triangle counts as in the figures' captions.
//!
//! A [`CaseScene`] is plain data, independent of the library's own scene type. Both files that a user can open
//! ([`files`]) and in-memory scenes are made from it and see the same numbers, because all coordinates are
//! representable in the `f32` of an STL file.

mod arms;
mod car;
mod files;
pub(crate) mod in_memory;
mod machine;
pub(crate) mod refine;
mod thin;
mod workshop;

use anyhow::Result;
use glam::DVec3;
use pathproof::numeric::Pose;
use serde_json::json;

use crate::Options;
use crate::bodies::Mesh;
use crate::report::Report;

/// The cases of the papers' robot experiments.
pub(crate) const CASES: [&str; 10] = ["fig1", "fig2", "6a", "6a-wires", "6b", "7a", "7b", "7c", "fig8", "fig8x9"];

/// A scene as data, as a user would describe it in files.
#[derive(Clone, Debug)]
pub(crate) struct CaseScene {
    pub(crate) name: &'static str,
    pub(crate) robots: Vec<RobotDescription>,
    pub(crate) obstacles: Vec<Obstacle>,
}

/// One robot: a tree of links, parents before children, root first.
#[derive(Clone, Debug)]
pub(crate) struct RobotDescription {
    /// Unique in the scene.
    pub(crate) name: String,
    /// Robots of one model have the same links and joints.
    pub(crate) model: &'static str,
    pub(crate) links: Vec<LinkDescription>,
    pub(crate) joints: Vec<JointDescription>,
    /// Pairs of links (indices) that overlap by design, besides the two that a movable joint names.
    pub(crate) disabled: Vec<[usize; 2]>,
    pub(crate) world_from_base: Placement,
    /// A value per movable joint, in their order: meant to be free.
    pub(crate) start: Vec<f64>,
    /// The same for the end of a planning problem with a colliding straight line from the start; `None` if the paper
    /// uses a region instead.
    pub(crate) goal: Option<Vec<f64>>,
}

/// A rigid body of a robot.
#[derive(Clone, Debug)]
pub(crate) struct LinkDescription {
    pub(crate) name: String,
    /// `None`: only a frame.
    pub(crate) mesh: Option<Mesh>,
}

/// Motion of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JointKind {
    Fixed,
    Revolute,
}

/// A joint as URDF has it: the child's frame is the joint's.
#[derive(Clone, Debug)]
pub(crate) struct JointDescription {
    pub(crate) name: String,
    pub(crate) kind: JointKind,
    /// Index of a link.
    pub(crate) parent: usize,
    /// Index of a link.
    pub(crate) child: usize,
    pub(crate) parent_from_joint: Placement,
    /// Unit vector in the joint's frame.
    pub(crate) axis: DVec3,
    /// Radians.
    pub(crate) limits: [f64; 2],
}

/// A pose by URDF's conventions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Placement {
    /// Metres.
    pub(crate) xyz: [f64; 3],
    /// Radians about the fixed axes x, y, z.
    pub(crate) rpy: [f64; 3],
}

/// A body that does not move.
#[derive(Clone, Debug)]
pub(crate) struct Obstacle {
    pub(crate) name: String,
    pub(crate) mesh: Mesh,
    pub(crate) world_from_body: Placement,
}

impl Placement {
    pub(crate) fn at(x: f64, y: f64, z: f64) -> Self {
        Self { xyz: [x, y, z], rpy: [0.0; 3] }
    }

    pub(crate) fn pose(&self) -> Pose {
        Pose::from_xyz_rpy(self.xyz, self.rpy)
    }
}

impl Obstacle {
    /// A body with a mesh in world coordinates.
    pub(crate) fn new(name: impl Into<String>, mesh: Mesh) -> Self {
        Self { name: name.into(), mesh, world_from_body: Placement::default() }
    }
}

impl RobotDescription {
    pub(crate) fn triangles(&self) -> usize {
        self.links.iter().filter_map(|link| link.mesh.as_ref()).map(|mesh| mesh.1.len()).sum()
    }

    /// The joints that a configuration has a value for, in order.
    pub(crate) fn movable(&self) -> impl Iterator<Item = &JointDescription> {
        self.joints.iter().filter(|joint| joint.kind != JointKind::Fixed)
    }
}

impl CaseScene {
    pub(crate) fn robot_triangles(&self) -> usize {
        self.robots.iter().map(RobotDescription::triangles).sum()
    }

    pub(crate) fn obstacle_triangles(&self) -> usize {
        self.obstacles.iter().map(|obstacle| obstacle.mesh.1.len()).sum()
    }

    /// Start of all robots, one after the other.
    pub(crate) fn start(&self) -> Vec<f64> {
        self.robots.iter().flat_map(|robot| robot.start.iter().copied()).collect()
    }

    /// Goal of all robots, one after the other, if each has one.
    pub(crate) fn goal(&self) -> Option<Vec<f64>> {
        let goals: Option<Vec<_>> = self.robots.iter().map(|robot| robot.goal.clone()).collect();
        goals.map(|goals| goals.concat())
    }

    /// Rounds coordinates to what an STL file can hold and drops vertices that no triangle uses.
    fn finished(mut self) -> Self {
        let links = self.robots.iter_mut().flat_map(|robot| &mut robot.links).filter_map(|link| link.mesh.as_mut());
        for mesh in links.chain(self.obstacles.iter_mut().map(|obstacle| &mut obstacle.mesh)) {
            *mesh = refine::compact(mesh);
            for v in &mut mesh.0 {
                *v = DVec3::new(f64::from(v.x as f32), f64::from(v.y as f32), f64::from(v.z as f32));
            }
        }
        self
    }
}

/// The case of that name; `None` if there is none.
pub(crate) fn case(name: &str) -> Option<CaseScene> {
    let scene = match name {
        "fig1" => thin::fig1(),
        "fig2" => thin::fig2(),
        "6a" => thin::fig6a(false),
        "6a-wires" => thin::fig6a(true),
        "6b" => thin::fig6b(),
        "7a" => machine::fig7a(),
        "7b" => workshop::fig7b(),
        "7c" => car::fig7c(),
        "fig8" => thin::fig8(1),
        "fig8x9" => thin::fig8(3),
        _ => return None,
    };
    Some(scene.finished())
}

/// The experiment `scenes`: contents of each case; with an output folder, also as files.
pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    for scene in CASES.iter().filter_map(|name| case(name)) {
        if let Some(folder) = &options.output {
            files::write(&scene, &folder.join(scene.name))?;
        }
        let bodies: usize = scene.robots.iter().flat_map(|r| &r.links).filter(|link| link.mesh.is_some()).count();
        report.row(
            scene.name,
            json!({
                "robots": scene.robots.len(),
                "joints": scene.start().len(),
                "links": bodies,
                "obstacles": scene.obstacles.len(),
                "robot_triangles": scene.robot_triangles(),
                "obstacle_triangles": scene.obstacle_triangles(),
            }),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::bodies::{open_edge, signed_volume};

    fn scenes() -> impl Iterator<Item = CaseScene> {
        CASES.iter().map(|name| case(name).unwrap())
    }

    #[test]
    fn triangle_counts_are_the_papers_within_one_percent() {
        // Case, triangles of each robot, of the obstacles (0: not in the paper), of each obstacle.
        let expected = [
            ("fig1", 320, 0, 6_300),
            ("6a", 2_991, 0, 0),
            ("6a-wires", 2_991, 0, 0),
            ("6b", 2_502, 0, 0),
            ("7a", 2_502, 34_171, 0),
            ("7b", 2_991, 74_681, 0),
            ("7c", 2_991, 19_668, 0),
            ("fig8", 320, 0, 0),
            ("fig8x9", 320, 0, 0),
        ];
        let near = |is: usize, should: usize| should == 0 || is.abs_diff(should) * 100 <= should;
        for (name, robot, obstacles, each) in expected {
            let scene = case(name).unwrap();
            assert!(scene.robots.iter().all(|r| near(r.triangles(), robot)), "{name}: robot");
            assert!(near(scene.obstacle_triangles(), obstacles), "{name}: {}", scene.obstacle_triangles());
            let tori = scene.obstacles.iter().filter(|o| o.name.starts_with("torus"));
            assert!(tori.map(|o| o.mesh.1.len()).all(|n| near(n, each)), "{name}: torus");
        }
    }

    #[test]
    fn joints_and_robots_are_as_many_as_the_papers() {
        let count = |name: &str| (case(name).unwrap().robots.len(), case(name).unwrap().start().len());
        assert_eq!(count("fig1"), (2, 40));
        assert_eq!(count("fig2"), (1, 6));
        assert_eq!(count("7c"), (6, 36));
        assert_eq!(count("fig8"), (1, 20));
        assert_eq!(count("fig8x9"), (9, 180));
    }

    #[test]
    fn every_body_is_closed_and_wound_outward_except_the_sheets_of_the_car() {
        for scene in scenes() {
            let links = scene.robots.iter().flat_map(|r| &r.links).filter_map(|l| Some((&l.name, l.mesh.as_ref()?)));
            for (name, mesh) in links.chain(scene.obstacles.iter().map(|o| (&o.name, &o.mesh))) {
                assert!(mesh.0.iter().all(|v| v.is_finite()) && !mesh.1.is_empty(), "{}: {name}", scene.name);
                if scene.name == "7c" && name == "car" {
                    continue;
                }
                assert_eq!(open_edge(mesh), None, "{}: {name}", scene.name);
                assert!(signed_volume(mesh) > 0.0, "{}: {name}", scene.name);
            }
        }
    }

    #[test]
    fn no_triangle_is_degenerate_in_the_precision_of_a_file() {
        for scene in scenes() {
            let links = scene.robots.iter().flat_map(|r| &r.links).filter_map(|l| Some((&l.name, l.mesh.as_ref()?)));
            for (name, mesh) in links.chain(scene.obstacles.iter().map(|o| (&o.name, &o.mesh))) {
                for t in &mesh.1 {
                    let [a, b, c] = t.map(|v| mesh.0[v as usize]);
                    assert!((b - a).cross(c - a).length() > 1e-12, "{}: {name} {a} {b} {c}", scene.name);
                }
            }
        }
    }

    #[test]
    fn robots_are_trees_with_unique_names_and_a_start_and_goal_within_limits() {
        for scene in scenes() {
            let mut names = BTreeSet::new();
            let obstacles = scene.obstacles.iter().map(|o| &o.name);
            for name in scene.robots.iter().map(|r| &r.name).chain(obstacles) {
                assert!(names.insert(name.clone()), "{}: {name} twice", scene.name);
            }
            for robot in &scene.robots {
                let links: BTreeSet<_> = robot.links.iter().map(|l| &l.name).collect();
                let joints: BTreeSet<_> = robot.joints.iter().map(|j| &j.name).collect();
                assert_eq!((links.len(), joints.len()), (robot.links.len(), robot.joints.len()));
                assert_eq!(robot.joints.len() + 1, robot.links.len());
                for (k, joint) in robot.joints.iter().enumerate() {
                    assert!(joint.parent < joint.child && joint.child == k + 1);
                    assert!((joint.axis.length() - 1.0).abs() < 1e-15);
                }
                for configuration in [Some(&robot.start), robot.goal.as_ref()].into_iter().flatten() {
                    assert_eq!(robot.movable().count(), configuration.len());
                    for (joint, q) in robot.movable().zip(configuration) {
                        assert!(joint.limits[0] <= *q && *q <= joint.limits[1], "{}", joint.name);
                    }
                }
            }
        }
    }
}
