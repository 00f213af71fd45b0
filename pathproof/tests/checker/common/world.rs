//! Worlds described once: joints, bodies of simple forms and rules, built as a scene of the library here and as an oracle
//! in `oracle.rs`.

use pathproof::check::{Answer, CheckScratch, Checker, Settings};
use pathproof::numeric::{DVec3, Pose};
use pathproof::path::Motion;
use pathproof::robot::{JointKind, JointSpec, Model};
use pathproof::scene::{BodyShape, PairRules, Role, Scene, SceneBody, SceneParts};
use pathproof::shapes::{Body, Convex, Shape, TriangleMesh};

/// A part of a body.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    Ball(f64),
    Cuboid([f64; 3]),
    /// Radius and length, along z.
    Cylinder(f64, f64),
    Capsule(f64, f64),
    Mesh(Vec<DVec3>, Vec<[u32; 3]>),
    /// Solid below; alone in its body.
    Plane(DVec3),
}

/// A body: its name, its link and the parts placed in that link.
#[derive(Clone, Debug)]
pub(crate) struct Thing {
    pub(crate) name: String,
    pub(crate) link: String,
    pub(crate) parts: Vec<(Pose, Form)>,
}

/// A world described once.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    pub(crate) joints: Vec<JointSpec>,
    pub(crate) things: Vec<Thing>,
    pub(crate) rules: PairRules,
    /// Numbers of the bodies that are objects in hand.
    pub(crate) attached: Vec<usize>,
    /// Values of variables (by number) that paths may leave out.
    pub(crate) positions: Vec<(usize, f64)>,
    pub(crate) clearance: f64,
    /// Between links of one robot, if it is another than `clearance`.
    pub(crate) self_clearance: Option<f64>,
    pub(crate) tolerance: f64,
}

pub(crate) fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

impl World {
    pub(crate) fn new(clearance: f64, tolerance: f64) -> Self {
        Self { clearance, tolerance, ..Self::default() }
    }

    /// Adds a link below `parent` on a joint `<link>_joint`.
    pub(crate) fn link(&mut self, parent: &str, link: &str, kind: JointKind, parent_from_joint: Pose) {
        self.joints.push(JointSpec::new(&format!("{link}_joint"), kind, parent, link, parent_from_joint));
    }

    /// Adds a body of one part; returns its number.
    pub(crate) fn thing(&mut self, name: &str, link: &str, pose: Pose, form: Form) -> usize {
        self.things.push(Thing { name: name.into(), link: link.into(), parts: vec![(pose, form)] });
        self.things.len() - 1
    }

    pub(crate) fn model(&self) -> Model {
        let links = std::iter::once("world".to_owned()).chain(self.joints.iter().map(|j| j.child.clone())).collect();
        Model::new("world", links, self.joints.clone()).expect("a tree")
    }

    pub(crate) fn scene(&self) -> Scene {
        let model = self.model();
        let mut parts = SceneParts::new(model);
        (parts.clearance, parts.tolerance, parts.rules) = (self.clearance, self.tolerance, self.rules.clone());
        parts.self_clearance = self.self_clearance.unwrap_or(self.clearance);
        parts.positions.clone_from(&self.positions);
        for (number, thing) in self.things.iter().enumerate() {
            let link = parts.model.link(&thing.link).expect("a link");
            let role = match &thing.link[..] {
                _ if self.attached.contains(&number) => Role::Attached,
                "world" => Role::Obstacle,
                _ => Role::Link,
            };
            let (link_from_body, shape) = match &thing.parts[..] {
                [(pose, Form::Plane(normal))] => (*pose, BodyShape::HalfSpace { normal: *normal }),
                // One part carries its pose on the body, several on themselves, so that both ways are seen.
                [(pose, form)] => (*pose, BodyShape::Parts(Body::new(vec![(Pose::IDENTITY, shape_of(form))]).unwrap())),
                several => {
                    let placed = several.iter().map(|(pose, form)| (*pose, shape_of(form))).collect();
                    (Pose::IDENTITY, BodyShape::Parts(Body::new(placed).unwrap()))
                }
            };
            parts.bodies.push(SceneBody { name: thing.name.clone(), role, link, link_from_body, shape });
        }
        Scene::new(parts).expect("a scene")
    }

    pub(crate) fn checker(&self) -> Checker {
        Checker::new(self.scene())
    }

    /// Checks a path with fresh scratch.
    pub(crate) fn check(&self, path: &[Vec<f64>]) -> Answer {
        self.check_with(path, &Settings::default())
    }

    pub(crate) fn check_with(&self, path: &[Vec<f64>], settings: &Settings) -> Answer {
        let checker = self.checker();
        checker.path(&Motion::lines(path), settings, &mut CheckScratch::new(&checker)).expect("a path")
    }
}

fn shape_of(form: &Form) -> Shape {
    match form {
        Form::Ball(r) => Shape::Convex(Convex::sphere(*r).unwrap()),
        Form::Cuboid(size) => Shape::Convex(Convex::cuboid(*size).unwrap()),
        Form::Cylinder(r, l) => Shape::Convex(Convex::cylinder(*r, *l).unwrap()),
        Form::Capsule(r, l) => Shape::Convex(Convex::capsule(*r, *l).unwrap()),
        Form::Mesh(vertices, triangles) => {
            Shape::Mesh(TriangleMesh::new(vertices.clone(), triangles.clone()).expect("a mesh"))
        }
        Form::Plane(_) => unreachable!("a plane is a body of its own"),
    }
}
