//! What the tests of the checker share: worlds described once and built twice, as a scene of the library and as an
//! oracle that knows nothing of it: its own forward kinematics, brute force over triangles, parry for convex shapes,
//! solid angles for insides. The oracle samples: what it finds refutes, what it misses proves nothing.
#![allow(dead_code, unreachable_pub)]

pub mod random_worlds;

use std::f64::consts::{FRAC_PI_2, PI};

use parry3d_f64::math as parry_math;
use parry3d_f64::query::{self, PointQuery as _};
use parry3d_f64::shape::{self as parry, Shape as ParryShape};
use pathproof::check::{Answer, CheckScratch, Checker, Finding, Settings, Verdict};
use pathproof::numeric::{DQuat, DVec3, Pose};
use pathproof::robot::{JointKind, JointSpec, Model};
use pathproof::scene::{BodyShape, PairRules, Role, Scene, SceneBody, SceneParts};
use pathproof::shapes::{Body, Convex, Shape, TriangleMesh};

/// A part of a body.
#[derive(Clone, Debug)]
pub enum Form {
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
pub struct Thing {
    pub name: String,
    pub link: String,
    pub parts: Vec<(Pose, Form)>,
}

/// A world described once.
#[derive(Clone, Debug, Default)]
pub struct World {
    pub joints: Vec<JointSpec>,
    pub things: Vec<Thing>,
    pub rules: PairRules,
    pub clearance: f64,
    pub tolerance: f64,
}

pub fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

impl World {
    pub fn new(clearance: f64, tolerance: f64) -> Self {
        Self { clearance, tolerance, ..Self::default() }
    }

    /// Adds a link below `parent` on a joint `<link>_joint`.
    pub fn link(&mut self, parent: &str, link: &str, kind: JointKind, parent_from_joint: Pose) {
        self.joints.push(JointSpec::new(&format!("{link}_joint"), kind, parent, link, parent_from_joint));
    }

    /// Adds a body of one part; returns its number.
    pub fn thing(&mut self, name: &str, link: &str, pose: Pose, form: Form) -> usize {
        self.things.push(Thing { name: name.into(), link: link.into(), parts: vec![(pose, form)] });
        self.things.len() - 1
    }

    pub fn model(&self) -> Model {
        let links = std::iter::once("world".to_owned()).chain(self.joints.iter().map(|j| j.child.clone())).collect();
        Model::new("world", links, self.joints.clone()).expect("a tree")
    }

    pub fn scene(&self) -> Scene {
        let model = self.model();
        let mut parts = SceneParts::new(model);
        (parts.clearance, parts.tolerance, parts.rules) = (self.clearance, self.tolerance, self.rules.clone());
        for thing in &self.things {
            let link = parts.model.link(&thing.link).expect("a link");
            let role = if thing.link == "world" { Role::Obstacle } else { Role::Link };
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

    pub fn checker(&self) -> Checker {
        Checker::new(self.scene()).expect("a checker")
    }

    /// Checks a path with fresh scratch.
    pub fn check(&self, path: &[Vec<f64>]) -> Answer {
        self.check_with(path, &Settings::default())
    }

    pub fn check_with(&self, path: &[Vec<f64>], settings: &Settings) -> Answer {
        let checker = self.checker();
        checker.path(path, settings, &mut CheckScratch::new(&checker)).expect("a path")
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

/// The surface of a box as a mesh, normals outward.
pub fn box_mesh(size: [f64; 3]) -> Form {
    let corner = |i: u32| {
        let side = |bit: u32, s: f64| if i & bit == 0 { -s / 2.0 } else { s / 2.0 };
        DVec3::new(side(1, size[0]), side(2, size[1]), side(4, size[2]))
    };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    Form::Mesh((0..8).map(corner).collect(), triangles)
}

/// The same with normals inward.
pub fn inside_out(form: Form) -> Form {
    match form {
        Form::Mesh(vertices, triangles) => Form::Mesh(vertices, triangles.iter().map(|t| [t[0], t[2], t[1]]).collect()),
        other => other,
    }
}

/// The same without its last triangle: open.
pub fn opened(form: Form) -> Form {
    match form {
        Form::Mesh(vertices, mut triangles) => {
            triangles.pop();
            Form::Mesh(vertices, triangles)
        }
        other => other,
    }
}

/// Two meshes as one.
pub fn joined(one: Form, two: Form) -> Form {
    match (one, two) {
        (Form::Mesh(mut v, mut t), Form::Mesh(w, u)) => {
            let first = v.len() as u32;
            v.extend(w);
            t.extend(u.iter().map(|t| t.map(|i| i + first)));
            Form::Mesh(v, t)
        }
        _ => panic!("two meshes"),
    }
}

/// A torus of `around` times `across` quads, closed.
pub fn torus(major: f64, minor: f64, around: u32, across: u32) -> Form {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..around {
        for j in 0..across {
            let (u, v) = (2.0 * PI * f64::from(i) / f64::from(around), 2.0 * PI * f64::from(j) / f64::from(across));
            let from_axis = major + minor * v.cos();
            vertices.push(DVec3::new(from_axis * u.cos(), from_axis * u.sin(), minor * v.sin()));
            let next = |i: u32, j: u32| (i % around) * across + j % across;
            let (a, b, c, d) = (next(i, j), next(i + 1, j), next(i + 1, j + 1), next(i, j + 1));
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Form::Mesh(vertices, triangles)
}

/// A part ready for the oracle, in its link.
struct Part {
    kind: PartKind,
    link_from_part: Pose,
    centre_in_link: DVec3,
    radius: f64,
}

enum PartKind {
    /// parry's shape, and its pose in the part.
    Piece(Box<dyn ParryShape>, Pose),
    /// Corners in the link, with centre and radius of each; and those that enclose something.
    Mesh {
        triangles: Vec<([DVec3; 3], DVec3, f64)>,
        closed: Vec<[DVec3; 3]>,
    },
    Plane(DVec3),
}

struct Solid {
    link: usize,
    parts: Vec<Part>,
    centre: DVec3,
    radius: f64,
}

/// The oracle of a world.
pub struct Oracle {
    /// Parent link, pose, kind, first variable with multiplier and offset; links are numbered as in `order`.
    steps: Vec<Step>,
    solids: Vec<Solid>,
    /// Largest speeds per unit of each variable are crude: total length of everything above.
    reach: f64,
    is_angle: Vec<bool>,
    multiplier: Vec<f64>,
    quaternions: Vec<usize>,
    pub pairs: Vec<(usize, usize, f64)>,
}

struct Step {
    parent: usize,
    parent_from_joint: Pose,
    kind: JointKind,
    variable: usize,
    multiplier: f64,
    offset: f64,
}

impl Oracle {
    pub fn new(world: &World, scene: &Scene) -> Self {
        let model = scene.model();
        let name_of: Vec<&str> =
            std::iter::once("world").chain(world.joints.iter().map(|j| j.child.as_str())).collect();
        let number = |name: &str| name_of.iter().position(|n| *n == name).expect("a link");
        let mut multiplier = vec![0.0f64; model.variables().len()];
        let mut is_angle = vec![false; model.variables().len()];
        let mut quaternions = Vec::new();
        let steps: Vec<Step> = world
            .joints
            .iter()
            .map(|joint| {
                let (driver, m, offset) =
                    joint.mimic.as_ref().map_or((&joint.name, 1.0, 0.0), |f| (&f.joint, f.multiplier, f.offset));
                let first = match joint.kind {
                    JointKind::Fixed => "",
                    JointKind::Planar { .. } | JointKind::Floating => ".x",
                    _ => "",
                };
                let variable = match joint.kind {
                    JointKind::Fixed => 0,
                    _ => model.variable(&format!("{driver}{first}")).expect("a variable"),
                };
                match joint.kind {
                    JointKind::Revolute { .. } => {
                        is_angle[variable] = true;
                        multiplier[variable] += m.abs();
                    }
                    JointKind::Prismatic { .. } => multiplier[variable] += m.abs(),
                    JointKind::Planar { .. } => {
                        is_angle[variable + 2] = true;
                        multiplier[variable..variable + 3].fill(1.0);
                    }
                    JointKind::Floating => {
                        quaternions.push(variable + 3);
                        multiplier[variable..variable + 3].fill(1.0);
                    }
                    JointKind::Fixed => {}
                }
                Step {
                    parent: number(&joint.parent),
                    parent_from_joint: joint.parent_from_joint,
                    kind: joint.kind.normalised().expect("an axis"),
                    variable,
                    multiplier: m,
                    offset,
                }
            })
            .collect();
        let solids: Vec<Solid> = world.things.iter().map(|thing| solid(thing, number(&thing.link))).collect();
        let reach = world
            .joints
            .iter()
            .map(|j| j.parent_from_joint.translation.length() + j.mimic.as_ref().map_or(0.0, |m| m.offset.abs()))
            .sum::<f64>()
            + solids.iter().filter(|s| s.link != 0).map(|s| s.centre.length() + s.radius).fold(0.0, f64::max);
        let pairs = scene.pairs().iter().map(|pair| (pair.a, pair.b, pair.clearance)).collect();
        Self { steps, solids, reach, is_angle, multiplier, quaternions, pairs }
    }

    /// q(t), quaternions along the shortest arc.
    pub fn interpolate(&self, start: &[f64], goal: &[f64], t: f64) -> Vec<f64> {
        let mut q: Vec<f64> = start.iter().zip(goal).map(|(a, b)| a + (b - a) * t).collect();
        for &i in &self.quaternions {
            let of = |q: &[f64]| DQuat::from_xyzw(q[i], q[i + 1], q[i + 2], q[i + 3]).normalize();
            let (a, mut b) = (of(start), of(goal));
            if a.dot(b) < 0.0 {
                b = -b;
            }
            let angle = a.dot(b).min(1.0).acos();
            let mixed = if angle < 1e-9 {
                a
            } else {
                (a * ((1.0 - t) * angle).sin() + b * (t * angle).sin()) * (1.0 / angle.sin())
            };
            q[i..i + 4].copy_from_slice(&mixed.normalize().to_array());
        }
        q
    }

    /// Where every link is.
    pub fn links(&self, q: &[f64]) -> Vec<Pose> {
        let mut world_from = vec![Pose::IDENTITY];
        for step in &self.steps {
            let value = |i: usize| step.multiplier * q[step.variable + i] + step.offset;
            let turn =
                |axis: DVec3, angle: f64| Pose::from_quaternion(DQuat::from_axis_angle(axis, angle), DVec3::ZERO);
            let moved = match step.kind {
                JointKind::Fixed => Pose::IDENTITY,
                JointKind::Revolute { axis } => turn(axis, value(0)),
                JointKind::Prismatic { axis } => Pose::from_translation(axis * value(0)),
                JointKind::Planar { axis } => {
                    let tilt = DQuat::from_rotation_arc(DVec3::Z, axis);
                    Pose::from_translation(tilt * DVec3::new(value(0), value(1), 0.0)) * turn(axis, value(2))
                }
                JointKind::Floating => Pose::from_quaternion(
                    DQuat::from_xyzw(value(3), value(4), value(5), value(6)).normalize(),
                    DVec3::new(value(0), value(1), value(2)),
                ),
            };
            world_from.push(world_from[step.parent] * step.parent_from_joint * moved);
        }
        world_from
    }

    /// Crude upper bound on the arc length of any point over a segment.
    pub fn crude_arc(&self, start: &[f64], goal: &[f64]) -> f64 {
        let slides: f64 = start
            .iter()
            .chain(goal)
            .zip(self.is_angle.iter().cycle())
            .filter(|(_, angle)| !**angle)
            .map(|(q, _)| q.abs() * 2.0)
            .sum();
        let reach = self.reach + slides;
        let mut arc = 0.0;
        for (i, (a, b)) in start.iter().zip(goal).enumerate() {
            if self.quaternions.iter().any(|&first| (first..first + 4).contains(&i)) {
                continue;
            }
            let d = (b - a).abs() * self.multiplier[i];
            arc += if self.is_angle[i] { d * reach } else { d };
        }
        for &i in &self.quaternions {
            let of = |q: &[f64]| DQuat::from_xyzw(q[i], q[i + 1], q[i + 2], q[i + 3]).normalize();
            arc += 2.0 * of(start).dot(of(goal)).abs().min(1.0).acos() * reach;
        }
        arc
    }

    /// Largest change of an angle or length over a segment: what the step of sampling is measured in.
    pub fn largest_change(&self, start: &[f64], goal: &[f64]) -> f64 {
        start.iter().zip(goal).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    /// The distance of two bodies, or some number above `limit` if it is larger than that. Signed: by parry's contacts.
    pub fn distance(&self, links: &[Pose], a: usize, b: usize, limit: f64, is_signed: bool) -> f64 {
        let (sa, sb) = (&self.solids[a], &self.solids[b]);
        let (pa, pb) = (&links[sa.link], &links[sb.link]);
        let mut best = f64::INFINITY;
        for x in &sa.parts {
            for y in &sb.parts {
                let gap = match (&x.kind, &y.kind) {
                    (PartKind::Plane(_), _) | (_, PartKind::Plane(_)) => f64::NEG_INFINITY,
                    _ => (pa.point(x.centre_in_link) - pb.point(y.centre_in_link)).length() - x.radius - y.radius,
                };
                if gap > limit.min(best) {
                    best = best.min(gap.max(limit * (1.0 + 1e-12) + 1e-300));
                    continue;
                }
                best = best.min(part_distance(pa, x, pb, y, limit.min(best), is_signed));
            }
        }
        best
    }

    /// Whether a point in the world lies on or in a body, to 1e-9 m: by projecting the point, which is a closed form, where
    /// the distance of two curved shapes is an iteration.
    pub fn holds(&self, links: &[Pose], body: usize, point_in_world: DVec3) -> bool {
        let solid = &self.solids[body];
        let in_link = links[solid.link].inverse_point(point_in_world);
        let vector = |v: DVec3| parry_math::Vector::from_array(v.to_array());
        solid.parts.iter().any(|part| match &part.kind {
            PartKind::Piece(shape, part_from_shape) => {
                let link_from_shape = part.link_from_part * *part_from_shape;
                shape.distance_to_point(&parry_pose(&link_from_shape), vector(in_link), true) < 1e-9
            }
            PartKind::Mesh { triangles, .. } => triangles.iter().any(|([a, b, c], ..)| {
                let triangle = parry::Triangle::new(vector(*a), vector(*b), vector(*c));
                triangle.distance_to_point(&parry_math::Pose::IDENTITY, vector(in_link), true) < 1e-9
            }),
            PartKind::Plane(_) => false,
        })
    }

    /// Cheap lower bound by bounding spheres; −∞ with a plane.
    fn lower_distance(&self, links: &[Pose], a: usize, b: usize) -> f64 {
        let (sa, sb) = (&self.solids[a], &self.solids[b]);
        (links[sa.link].point(sa.centre) - links[sb.link].point(sb.centre)).length() - sa.radius - sb.radius
    }

    /// Whether a part of one body lies in a closed mesh of the other, by solid angles.
    pub fn is_contained(&self, links: &[Pose], a: usize, b: usize) -> bool {
        let inside = |inner: usize, outer: usize| {
            let (si, so) = (&self.solids[inner], &self.solids[outer]);
            si.parts.iter().any(|part| {
                let samples: Vec<DVec3> = match &part.kind {
                    PartKind::Piece(..) => vec![part.centre_in_link],
                    PartKind::Mesh { triangles, .. } => triangles.iter().map(|t| t.1).collect(),
                    PartKind::Plane(_) => Vec::new(),
                };
                samples.iter().any(|p| {
                    let in_outer = links[so.link].inverse_point(links[si.link].point(*p));
                    so.parts.iter().any(|shell| winding(&shell.kind, in_outer).abs() > 0.5)
                })
            })
        };
        inside(a, b) || inside(b, a)
    }

    /// The least excess of a distance over its clearance found by sampling: its value, the pair, t. Where a crude bound on
    /// the motion shows that nothing better can be found, samples are left out.
    pub fn sampled(&self, start: &[f64], goal: &[f64], step: f64, is_signed: bool) -> Sampled {
        let arc = self.crude_arc(start, goal);
        let count = (self.largest_change(start, goal) / step).ceil().clamp(1.0, 4000.0) as usize;
        let mut best = Sampled { excess: f64::INFINITY, distance: f64::INFINITY, pair: 0, t: 0.0 };
        let mut known: Vec<Option<Vec<Pose>>> = vec![None; count + 1];
        for (k, &(a, b, clearance)) in self.pairs.iter().enumerate() {
            let mut i = 0;
            while i <= count {
                let t = i as f64 / count as f64;
                let links = known[i].get_or_insert_with(|| self.links(&self.interpolate(start, goal, t)));
                let far = self.lower_distance(links, a, b) - clearance;
                let excess = if far > best.excess {
                    far
                } else {
                    let d = self.distance(links, a, b, best.excess + clearance, is_signed);
                    if d - clearance < best.excess {
                        best = Sampled { excess: d - clearance, distance: d, pair: k, t };
                    }
                    d - clearance
                };
                let skipped = ((excess - best.excess) / arc * count as f64).floor();
                i += if skipped > 1.0 { skipped.min(1e6) as usize } else { 1 };
            }
        }
        best
    }
}

/// What sampling found.
#[derive(Clone, Copy, Debug)]
pub struct Sampled {
    pub excess: f64,
    pub distance: f64,
    pub pair: usize,
    pub t: f64,
}

fn solid(thing: &Thing, link: usize) -> Solid {
    let parts: Vec<Part> = thing.parts.iter().map(|(pose, form)| part(*pose, form)).collect();
    let centre = parts.iter().map(|p| p.centre_in_link).sum::<DVec3>() / parts.len() as f64;
    let radius = parts.iter().map(|p| (p.centre_in_link - centre).length() + p.radius).fold(0.0, f64::max);
    Solid { link, parts, centre, radius }
}

fn part(pose: Pose, form: &Form) -> Part {
    let vector = |v: DVec3| parry_math::Vector::from_array(v.to_array());
    let upright = Pose::from_quaternion(DQuat::from_rotation_x(FRAC_PI_2), DVec3::ZERO);
    let (kind, radius): (PartKind, f64) = match form {
        Form::Ball(r) => (PartKind::Piece(Box::new(parry::Ball::new(*r)), Pose::IDENTITY), *r),
        Form::Cuboid(size) => {
            let half = DVec3::from_array(*size) / 2.0;
            (PartKind::Piece(Box::new(parry::Cuboid::new(vector(half))), Pose::IDENTITY), half.length())
        }
        // parry's cylinders stand along y.
        Form::Cylinder(r, l) => {
            (PartKind::Piece(Box::new(parry::Cylinder::new(l / 2.0, *r)), upright), (r * r + l * l / 4.0).sqrt())
        }
        Form::Capsule(r, l) => {
            let (low, high) = (vector(DVec3::Z * (-l / 2.0)), vector(DVec3::Z * (l / 2.0)));
            (PartKind::Piece(Box::new(parry::Capsule::new(low, high, *r)), Pose::IDENTITY), r + l / 2.0)
        }
        Form::Mesh(vertices, triangles) => {
            let placed: Vec<_> = triangles
                .iter()
                .map(|t| {
                    let corners = t.map(|i| pose.point(vertices[i as usize]));
                    let centre = (corners[0] + corners[1] + corners[2]) / 3.0;
                    (corners, centre, corners.iter().map(|c| (*c - centre).length()).fold(0.0, f64::max))
                })
                .collect();
            let radius = vertices.iter().map(|v| v.length()).fold(0.0, f64::max);
            let all: Vec<[DVec3; 3]> = placed.iter().map(|t| t.0).collect();
            (PartKind::Mesh { triangles: placed, closed: closed_triangles(&all) }, radius)
        }
        Form::Plane(normal) => (PartKind::Plane(pose.vector(*normal)), f64::INFINITY),
    };
    Part { kind, link_from_part: pose, centre_in_link: pose.translation, radius: radius * (1.0 + 1e-12) + 1e-12 }
}

fn parry_pose(pose: &Pose) -> parry_math::Pose {
    let q = DQuat::from_mat3(&pose.rotation);
    let t = parry_math::Vector::from_array(pose.translation.to_array());
    parry_math::Pose::from_parts(t, parry_math::Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}

fn part_distance(pa: &Pose, x: &Part, pb: &Pose, y: &Part, limit: f64, is_signed: bool) -> f64 {
    match (&x.kind, &y.kind) {
        (PartKind::Piece(sx, px), PartKind::Piece(sy, py)) => {
            // About A, so that what lies far from the origin keeps its precision.
            let a_from_b = (*pa * x.link_from_part * *px).inverse_mul(&(*pb * y.link_from_part * *py));
            let (one, two) = (parry_math::Pose::IDENTITY, parry_pose(&a_from_b));
            let apart = query::distance(&one, &**sx, &two, &**sy).expect("supported").distance;
            if apart > 0.0 || !is_signed {
                return apart;
            }
            let contact = query::contact(&one, &**sx, &two, &**sy, 0.0).expect("supported");
            contact.map_or(0.0, |contact| contact.dist.min(0.0))
        }
        (PartKind::Mesh { triangles: tx, .. }, PartKind::Mesh { triangles: ty, .. }) => {
            let a_from_b = pa.inverse_mul(pb);
            let mut best = limit;
            let mut found = f64::INFINITY;
            for (u, cu, ru) in ty.iter().map(|(t, c, r)| (t.map(|p| a_from_b.point(p)), a_from_b.point(*c), r)) {
                for (t, ct, rt) in tx {
                    let gap = (cu - *ct).length() - rt - ru;
                    let d = if gap > best { gap } else { triangle_distance(t, &u) };
                    (best, found) = (best.min(d), found.min(d));
                }
            }
            found
        }
        (PartKind::Piece(shape, px), PartKind::Mesh { triangles, .. }) => {
            piece_to_triangles(&(*pa * x.link_from_part * *px), x.radius, &**shape, pb, triangles, limit)
        }
        (PartKind::Mesh { triangles, .. }, PartKind::Piece(shape, py)) => {
            piece_to_triangles(&(*pb * y.link_from_part * *py), y.radius, &**shape, pa, triangles, limit)
        }
        (PartKind::Plane(normal), _) => height(*normal, &(*pa * x.link_from_part), pb, y, is_signed),
        (_, PartKind::Plane(normal)) => height(*normal, &(*pb * y.link_from_part), pa, x, is_signed),
    }
}

fn piece_to_triangles(
    world_from_piece: &Pose,
    radius: f64,
    shape: &dyn ParryShape,
    world_from_mesh: &Pose,
    triangles: &[([DVec3; 3], DVec3, f64)],
    limit: f64,
) -> f64 {
    let piece_from_mesh = world_from_piece.inverse_mul(world_from_mesh);
    let mut best = f64::INFINITY;
    for (corners, centre, r) in triangles {
        let gap = piece_from_mesh.point(*centre).length() - r - radius;
        if gap > limit.min(best) {
            best = best.min(gap);
            continue;
        }
        let [a, b, c] = corners.map(|p| parry_math::Vector::from_array(piece_from_mesh.point(p).to_array()));
        let one = parry_math::Pose::IDENTITY;
        let d = query::distance(&one, shape, &one, &parry::Triangle::new(a, b, c)).expect("supported").distance;
        best = best.min(d);
    }
    best
}

/// Height of a part over a plane; 0 below it unless signed.
fn height(normal_in_link: DVec3, world_from_plane: &Pose, world_from_link: &Pose, part: &Part, is_signed: bool) -> f64 {
    // The normal was placed in the plane's link already, which is the world.
    let (n, origin) = (normal_in_link, world_from_plane.translation);
    let lowest = match &part.kind {
        PartKind::Mesh { triangles, .. } => triangles
            .iter()
            .flat_map(|(corners, ..)| corners.iter().map(|p| n.dot(world_from_link.point(*p) - origin)))
            .fold(f64::INFINITY, f64::min),
        PartKind::Piece(shape, part_from_shape) => {
            let placed = *world_from_link * part.link_from_part * *part_from_shape;
            let down = placed.inverse_vector(-n);
            let support = shape.as_support_map().expect("convex");
            let tip = support.local_support_point(parry_math::Vector::from_array(down.to_array()));
            n.dot(placed.point(DVec3::new(tip.x, tip.y, tip.z)) - origin)
        }
        PartKind::Plane(_) => unreachable!("two planes are never checked"),
    };
    if is_signed { lowest } else { lowest.max(0.0) }
}

/// Winding number of a mesh's closed components about a point, by solid angles.
fn winding(kind: &PartKind, p: DVec3) -> f64 {
    let PartKind::Mesh { closed, .. } = kind else { return 0.0 };
    closed.iter().map(|t| solid_angle(t.map(|c| c - p))).sum::<f64>() / (4.0 * PI)
}

/// The triangles of closed components, joined by equal corners; an open component encloses nothing.
fn closed_triangles(triangles: &[[DVec3; 3]]) -> Vec<[DVec3; 3]> {
    let mut label: Vec<usize> = (0..triangles.len()).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for i in 0..triangles.len() {
            for j in 0..i {
                let shared = triangles[i].iter().filter(|c| triangles[j].contains(c)).count();
                if shared >= 2 && label[i] != label[j] {
                    let least = label[i].min(label[j]);
                    (label[i], label[j], changed) = (least, least, true);
                }
            }
        }
    }
    let edges = |t: &[DVec3; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    let is_closed = |component: usize| {
        let members = || triangles.iter().zip(&label).filter(|(_, l)| **l == component).map(|(t, _)| t);
        members().flat_map(edges).all(|[u, v]| members().flat_map(edges).filter(|e| *e == [v, u]).count() == 1)
    };
    let closed: Vec<bool> = (0..triangles.len()).map(is_closed).collect();
    triangles.iter().zip(&label).filter(|(_, l)| closed[**l]).map(|(t, _)| *t).collect()
}

fn solid_angle([a, b, c]: [DVec3; 3]) -> f64 {
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let numerator = a.dot(b.cross(c));
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * numerator.atan2(denominator)
}

/// Distance of two triangles: 0 if an edge of one passes through the other, else between edges and corners.
pub fn triangle_distance(s: &[DVec3; 3], t: &[DVec3; 3]) -> f64 {
    let mut best = f64::INFINITY;
    for i in 0..3 {
        let (a, b) = (s[i], s[(i + 1) % 3]);
        let (c, d) = (t[i], t[(i + 1) % 3]);
        if pierces(a, b, t) || pierces(c, d, s) {
            return 0.0;
        }
        best = best.min(point_triangle(a, t)).min(point_triangle(c, s));
        for j in 0..3 {
            best = best.min(segment_distance(a, b, t[j], t[(j + 1) % 3]));
        }
    }
    best
}

fn pierces(a: DVec3, b: DVec3, t: &[DVec3; 3]) -> bool {
    let n = (t[1] - t[0]).cross(t[2] - t[0]);
    let (da, db) = (n.dot(a - t[0]), n.dot(b - t[0]));
    if da * db > 0.0 || da == db {
        return false;
    }
    let p = a + (b - a) * (da / (da - db));
    (0..3).all(|i| n.dot((t[(i + 1) % 3] - t[i]).cross(p - t[i])) >= 0.0)
}

fn point_triangle(p: DVec3, t: &[DVec3; 3]) -> f64 {
    let n = (t[1] - t[0]).cross(t[2] - t[0]);
    if n.length_squared() > 0.0 && (0..3).all(|i| n.dot((t[(i + 1) % 3] - t[i]).cross(p - t[i])) >= 0.0) {
        return n.dot(p - t[0]).abs() / n.length();
    }
    (0..3).map(|i| segment_distance(p, p, t[i], t[(i + 1) % 3])).fold(f64::INFINITY, f64::min)
}

fn segment_distance(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, uv, vv, uw, vw) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    let inner = |x: f64, xx: f64| if xx > 0.0 { (x / xx).clamp(0.0, 1.0) } else { 0.0 };
    // Each end against the other segment, and where both are inner points of the lines.
    let at_end =
        |p: DVec3, from: DVec3, e: DVec3, ee: f64| (p - from - e * inner((p - from).dot(e), ee)).length_squared();
    let ends = at_end(a, c, v, vv).min(at_end(b, c, v, vv)).min(at_end(c, a, u, uu)).min(at_end(d, a, u, uu));
    let s = inner(uv * vw - vv * uw, uu * vv - uv * uv);
    let r = inner(vw + s * uv, vv);
    (w + u * s - v * r).length_squared().min(ends).sqrt()
}

/// A word for a verdict.
pub fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Free(_) => "free",
        Verdict::Collision(_) => "collision",
        Verdict::TooClose(_) => "too_close",
        Verdict::Undecided(_) => "undecided",
    }
}

/// The finding of a verdict that has one.
pub fn finding(verdict: &Verdict) -> Option<&Finding> {
    match verdict {
        Verdict::Collision(finding) | Verdict::TooClose(finding) => Some(finding),
        _ => None,
    }
}
