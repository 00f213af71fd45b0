//! Real robots from the shared data, as scenes of the library and as worlds for the oracle. The readers of files and
//! meshes are the library's; kinematics, distances and insides are the oracle's own.

use std::path::{Path, PathBuf};

use pathproof::distance::{Distance, Indexed, Query, Scratch};
use pathproof::numeric::{DVec3, Pose, Random};
use pathproof::robot::{JointSpec, Mimic, VariableKind};
use pathproof::scene::{BodyShape, Scene};
use pathproof::shapes::{Convex, Core};
use pathproof_formats::scene_file::{self, Disk};

use super::{Form, Oracle, Thing, World};

/// Where the data is, if it is there.
pub(crate) fn data() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    folder.is_dir().then_some(folder)
}

/// Robots: name, URDF, SRDF.
const ROBOTS: [[&str; 3]; 8] = [
    ["panda", "robots/panda_mbm/panda.urdf", "robots/panda_mbm/panda.srdf"],
    ["irb2400", "robots/irb2400/irb2400_deprecated.urdf", "robots/irb2400/abb_irb2400.srdf"],
    ["lrmate", "robots/fanuc_lrmate200i/lrmate200i.urdf", "robots/fanuc_lrmate200i/fanuc_lrmate200i.srdf"],
    ["ur5e", "robots/ur5e_rosi/ur5e.urdf", "robots/ur5e_rosi/ur5e.srdf"],
    ["levers", "robots/irb2400/irb2400_12_155.urdf", "robots/irb2400/abb_irb2400.srdf"],
    ["m10ia", "robots/fanuc_m10ia/m10ia.urdf", "robots/fanuc_m10ia/fanuc_m10ia.srdf"],
    ["fingers", "robots/panda_moveit/panda.urdf", "robots/panda_moveit/panda.srdf"],
    ["spheres", "robots/panda_mbm/panda_spherized.urdf", "robots/panda_mbm/panda.srdf"],
];

/// Kinds of cells: each robot alone, two pairs of robots, the car-seat cell.
pub(crate) const KINDS: usize = ROBOTS.len() + 3;

fn robot([name, urdf, srdf]: [&str; 3], more: &str) -> String {
    // Virtual joints of SRDFs would let the robot leave its place.
    format!("[[robots]]\nname = \"{name}\"\nurdf = \"{urdf}\"\nsrdf = \"{srdf}\"\nbase = \"fixed\"\n{more}\n")
}

/// The text of a cell with obstacles at random; spheres alone may overlap.
fn text(random: &mut Random, kind: usize) -> String {
    let is_convex = kind == 7;
    let clearance = if is_convex { [0.0, 1e-3, -1e-3][random.below(3)] } else { [0.0, 1e-3][random.below(2)] };
    let tolerance = [0.0, 1e-3, 1e-2][random.below(3)];
    let mut text = format!("clearance = {clearance:?}\ntolerance = {tolerance:?}\n");
    match kind {
        8 => {
            text += &robot(ROBOTS[0], "");
            text += &robot(ROBOTS[3], "xyz = [0.9, 0.2, 0]\nrpy = [0, 0, 3]");
        }
        9 => {
            text += &robot(ROBOTS[1], "");
            text += &robot(ROBOTS[2], "xyz = [1.4, 0.1, 0.3]\nrpy = [0, 0, 2]");
        }
        10 => {
            let folder = "cells/tesseract_car_seat/car_seat_demo";
            text += &robot(["seats", &format!("{folder}.urdf"), &format!("{folder}.srdf")], "");
            return text;
        }
        alone => text += &robot(ROBOTS[alone], ""),
    }
    for i in 0..1 + random.below(6) {
        let p = random.direction() * random.between(0.4, 1.3);
        let shape = match random.below(4) {
            0 => "sphere = 0.1",
            1 => "capsule = [0.01, 0.8]",
            2 => "box = [0.5, 0.4, 0.002]",
            _ => "box = [0.2, 0.3, 0.15]",
        };
        let r = random.direction();
        text +=
            &format!("[[obstacles]]\nname = \"o{i}\"\n{shape}\nxyz = [{:?}, {:?}, {:?}]\n", p.x, p.y, p.z.abs() + 0.1);
        text += &format!("rpy = [{:?}, {:?}, {:?}]\n", r.x, r.y, r.z);
    }
    text
}

/// A cell: the scene, and the world that the oracle is made of.
pub(crate) struct Cell {
    pub(crate) name: String,
    pub(crate) scene: Scene,
    pub(crate) world: World,
    pub(crate) oracle: Oracle,
}

/// A cell of a kind. Pairs of links that touch at all of a few configurations belong together and are switched off.
pub(crate) fn cell(folder: &Path, random: &mut Random, kind: usize) -> Cell {
    let mut text = text(random, kind);
    let read = |text: &str| {
        scene_file::parse(text, &folder.join("scene.toml"), &Disk).unwrap_or_else(|error| panic!("{error}")).scene
    };
    let scene = read(&text);
    let world = world(&scene);
    let mut oracle = Oracle::new(&world, &scene);
    let indexes = Indexes::new(&scene, &world);
    let mut scratch = Scratch::default();
    let at_random: Vec<Vec<Pose>> = (0..4).map(|_| oracle.links(&segment(random, &scene)[0])).collect();
    for &(a, b, clearance) in &oracle.pairs {
        let mut touches = |links: &Vec<Pose>| indexes.distance(|i| links[i], a, b, &mut scratch) <= clearance + 1e-3;
        if at_random.iter().all(&mut touches) {
            let [a, b] = [a, b].map(|body| &scene.bodies()[body].name);
            text += &format!("[[pairs]]\nbodies = [\"{a}\", \"{b}\"]\ncheck = false\n");
        }
    }
    let scene = read(&text);
    oracle.pairs = scene.pairs().iter().map(|pair| (pair.a, pair.b, pair.clearance)).collect();
    oracle.quick = Some(indexes);
    Cell { name: text.lines().nth(3).unwrap_or_default().to_owned(), scene, world, oracle }
}

/// Bodies with their trees: distances at single configurations by the library's queries, which have tests of their own.
pub(crate) struct Indexes(Vec<(usize, Pose, Option<Indexed>)>);

impl Indexes {
    fn new(scene: &Scene, world: &World) -> Self {
        let number = |name: &str| world.joints.iter().position(|j| j.child == name).map_or(0, |i| i + 1);
        let bodies = scene.bodies().iter().zip(&world.things).map(|(body, thing)| {
            let tree = match &body.shape {
                BodyShape::Parts(parts) => Some(Indexed::new(parts.clone())),
                BodyShape::HalfSpace { .. } => None,
            };
            (number(&thing.link), body.link_from_body, tree)
        });
        Self(bodies.collect())
    }

    fn exact(&self, world_from_link: impl Fn(usize) -> Pose, a: usize, b: usize, scratch: &mut Scratch) -> Distance {
        let ((link_a, from_a, tree_a), (link_b, from_b, tree_b)) = (&self.0[a], &self.0[b]);
        let (Some(tree_a), Some(tree_b)) = (tree_a, tree_b) else { panic!("real cells have no planes") };
        let (pose_a, pose_b) = (world_from_link(*link_a) * *from_a, world_from_link(*link_b) * *from_b);
        Query::new(tree_a, tree_b, &pose_a, &pose_b).exact(scratch)
    }

    pub(crate) fn distance(
        &self,
        world_from_link: impl Fn(usize) -> Pose,
        a: usize,
        b: usize,
        scratch: &mut Scratch,
    ) -> f64 {
        self.exact(world_from_link, a, b, scratch).upper
    }

    /// The points that are that far apart.
    pub(crate) fn points(&self, from: impl Fn(usize) -> Pose, a: usize, b: usize, scratch: &mut Scratch) -> [DVec3; 2] {
        let witness = self.exact(from, a, b, scratch).witness.expect("a pair of points");
        [witness.a_in_world, witness.b_in_world]
    }
}

/// A segment within limits.
pub(crate) fn segment(random: &mut Random, scene: &Scene) -> [Vec<f64>; 2] {
    let reach = [0.03, 0.3, 1.0, 3.0][random.below(4)];
    let variables = scene.model().variables();
    let ranges: Vec<(f64, f64)> = variables.iter().map(|v| v.limits.unwrap_or((-3.0, 3.0))).collect();
    let start: Vec<f64> = ranges.iter().map(|(low, high)| random.between(*low, *high)).collect();
    let mut goal = Vec::new();
    for ((q, (low, high)), variable) in start.iter().zip(&ranges).zip(variables) {
        let most = if variable.kind == VariableKind::Length { 0.3 * reach } else { reach };
        goal.push((q + random.between(-most, most)).clamp(*low, *high));
    }
    [start, goal]
}

/// What the oracle is told: joints as specified, bodies as lists of triangles and convex shapes.
fn world(scene: &Scene) -> World {
    let model = scene.model();
    let mut world = World::new(scene.clearance(), scene.tolerance());
    world.self_clearance = Some(scene.self_clearance());
    let name = |link: usize| model.links()[link].name.as_str();
    let mut waiting: Vec<usize> = (0..model.joints().len()).collect();
    let mut known = vec!["world"];
    while !waiting.is_empty() {
        let ready = waiting.iter().position(|&j| known.contains(&name(model.joints()[j].parent))).expect("a tree");
        let joint = &model.joints()[waiting.remove(ready)];
        let (parent, child) = (name(joint.parent), name(joint.child));
        let mut spec = JointSpec::new(&joint.name, joint.kind, parent, child, joint.parent_from_joint);
        if let (Some(source), Some(_)) = (&joint.source, joint.follows) {
            let driver = &model.joints()[model.variables()[source.variable].joint];
            let (multiplier, offset) = (source.multiplier, source.offset);
            spec.mimic = Some(Mimic { joint: driver.name.clone(), multiplier, offset });
        }
        world.joints.push(spec);
        known.push(child);
    }
    for body in scene.bodies() {
        let parts = match &body.shape {
            BodyShape::HalfSpace { normal } => vec![(body.link_from_body, Form::Plane(*normal))],
            BodyShape::Parts(parts) => {
                forms(parts).into_iter().map(|(pose, form)| (body.link_from_body * pose, form)).collect()
            }
        };
        world.things.push(Thing { name: body.name.clone(), link: name(body.link).to_owned(), parts });
    }
    world
}

/// A mesh for every part that has triangles, and every convex piece.
fn forms(body: &pathproof::shapes::Body) -> Vec<(Pose, Form)> {
    let mut forms = Vec::new();
    let vertices: Vec<DVec3> = body.vertices().iter().map(|v| *v + body.centre()).collect();
    let count = body.triangles().len();
    let parts: std::collections::BTreeSet<usize> = (0..count).map(|i| body.part_of(i)).collect();
    for part in parts {
        let triangles = (0..count).filter(|&i| body.part_of(i) == part).map(|i| body.triangles()[i]).collect();
        forms.push((Pose::IDENTITY, Form::Mesh(vertices.clone(), triangles)));
    }
    for piece in body.pieces() {
        forms.push((Pose::from_translation(body.centre()) * piece.centre_from_piece, form(&piece.shape)));
    }
    forms
}

fn form(shape: &Convex) -> Form {
    match (shape.core(), shape.radius()) {
        (Core::Point, r) => Form::Ball(r),
        (Core::Segment { half_length }, r) => Form::Capsule(r, 2.0 * half_length),
        (Core::Box { half }, 0.0) => Form::Cuboid((*half * 2.0).to_array()),
        (Core::Cylinder { radius, half_length }, 0.0) => Form::Cylinder(*radius, 2.0 * half_length),
        other => panic!("the oracle knows no {other:?}"),
    }
}
