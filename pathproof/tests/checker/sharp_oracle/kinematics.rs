//! Forward kinematics in double-double, from the description of a world alone: q(t), the poses of links, and crude bounds
//! on how fast bodies move.

use std::collections::HashMap;

use pathproof::numeric::{DVec3, Pose};
use pathproof::robot::{JointKind, JointSpec};

use super::real::{Double, Real};
use crate::common::World;

pub(crate) type Vector<R> = [R; 3];

pub(crate) fn add<R: Real>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(crate) fn sub<R: Real>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn scaled<R: Real>(a: Vector<R>, by: R) -> Vector<R> {
    a.map(|x| x * by)
}

pub(crate) fn dot<R: Real>(a: Vector<R>, b: Vector<R>) -> R {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross<R: Real>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn length<R: Real>(a: Vector<R>) -> R {
    dot(a, a).sqrt()
}

pub(crate) fn vector<R: Real>(v: DVec3) -> Vector<R> {
    v.to_array().map(R::from_f64)
}

/// A rotation by its columns, and a translation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed<R> {
    pub(crate) columns: [Vector<R>; 3],
    pub(crate) translation: Vector<R>,
}

impl<R: Real> Placed<R> {
    pub(crate) fn from_pose(pose: &Pose) -> Self {
        let m = pose.rotation;
        Self { columns: [m.x_axis, m.y_axis, m.z_axis].map(vector), translation: vector(pose.translation) }
    }

    pub(crate) fn turned(&self, v: Vector<R>) -> Vector<R> {
        let [x, y, z] = self.columns;
        add(add(scaled(x, v[0]), scaled(y, v[1])), scaled(z, v[2]))
    }

    pub(crate) fn point(&self, p: Vector<R>) -> Vector<R> {
        add(self.turned(p), self.translation)
    }

    pub(crate) fn then(&self, o: &Self) -> Self {
        Self { columns: o.columns.map(|c| self.turned(c)), translation: self.point(o.translation) }
    }
}

impl Placed<Double> {
    /// The same about another origin, in another kind of number: what is far from the world's origin keeps its digits.
    pub(crate) fn about<R: Real>(&self, origin: Vector<Double>) -> Placed<R> {
        let translation = sub(self.translation, origin).map(R::of);
        Placed { columns: self.columns.map(|c| c.map(R::of)), translation }
    }

    fn turn(axis: Vector<Double>, angle: Double) -> Self {
        let (s, c) = angle.sin_cos();
        let (k, [x, y, z]) = (Double::ONE - c, axis);
        let columns = [
            [c + x * x * k, y * x * k + z * s, z * x * k - y * s],
            [x * y * k - z * s, c + y * y * k, z * y * k + x * s],
            [x * z * k + y * s, y * z * k - x * s, c + z * z * k],
        ];
        Self { columns, translation: [Double::ZERO; 3] }
    }

    fn shift(translation: Vector<Double>) -> Self {
        Self { translation, ..Self::turn([Double::ZERO; 3], Double::ZERO) }
    }
}

struct Step {
    parent: usize,
    parent_from_joint: Placed<Double>,
    offset_length: f64,
    kind: JointKind,
    /// Of unit length.
    axis: Vector<Double>,
    variable: usize,
    multiplier: Double,
    offset: Double,
}

/// The kinematics of a world.
pub(crate) struct Chains {
    steps: Vec<Step>,
    /// Number of a link by its name.
    pub(crate) links: HashMap<String, usize>,
}

/// Where a value runs from and to.
pub(crate) type Ends<'a> = [&'a [f64]; 2];

impl Chains {
    pub(crate) fn new(world: &World) -> Self {
        let model = world.model();
        let mut links = HashMap::from([("world".to_owned(), 0)]);
        for joint in &world.joints {
            links.insert(joint.child.clone(), links.len());
        }
        let first = |joint: &JointSpec| match joint.kind {
            JointKind::Fixed => 0,
            JointKind::Planar { .. } | JointKind::Floating => model.variable(&format!("{}.x", joint.name)).expect("x"),
            _ => {
                let driver = joint.mimic.as_ref().map_or(&joint.name, |mimic| &mimic.joint);
                model.variable(driver).expect("a variable")
            }
        };
        let steps = world.joints.iter().map(|joint| {
            let axis: Vector<Double> = vector(joint.kind.axis().unwrap_or(DVec3::Z));
            Step {
                parent: links[&joint.parent],
                parent_from_joint: Placed::from_pose(&joint.parent_from_joint),
                offset_length: joint.parent_from_joint.translation.length(),
                kind: joint.kind,
                axis: scaled(axis, Double::ONE / length(axis)),
                variable: first(joint),
                multiplier: Double::from(joint.mimic.as_ref().map_or(1.0, |mimic| mimic.multiplier)),
                offset: Double::from(joint.mimic.as_ref().map_or(0.0, |mimic| mimic.offset)),
            }
        });
        Self { steps: steps.collect(), links }
    }

    /// Where every link is at q(t): straight lines, and the shortest arcs of quaternions at constant rate.
    pub(crate) fn at(&self, [start, goal]: Ends<'_>, t: f64) -> Vec<Placed<Double>> {
        let t = Double::from(t);
        let value = |i: usize| {
            let (a, b) = (Double::from(start[i]), Double::from(goal[i]));
            a + (b - a) * t
        };
        let mut links = vec![Placed::shift([Double::ZERO; 3])];
        for step in &self.steps {
            let own = || step.multiplier * value(step.variable) + step.offset;
            let component = |i: usize| value(step.variable + i);
            let moved = match step.kind {
                JointKind::Fixed => links[0],
                JointKind::Revolute { .. } => Placed::turn(step.axis, own()),
                JointKind::Prismatic { .. } => Placed::shift(scaled(step.axis, own())),
                JointKind::Planar { .. } => {
                    let in_plane = tilted(step.axis, [component(0), component(1), Double::ZERO]);
                    Placed { translation: in_plane, ..Placed::turn(step.axis, component(2)) }
                }
                JointKind::Floating => {
                    let four = |q: &[f64]| [3, 4, 5, 6].map(|i| Double::from(q[step.variable + i]));
                    let turned = rotation(arc(four(start), four(goal), t));
                    Placed { translation: [component(0), component(1), component(2)], ..turned }
                }
            };
            links.push(links[step.parent].then(&step.parent_from_joint).then(&moved));
        }
        links
    }

    /// Upper bound on the speed of any point within `radius` of the origin of a link, per unit of t.
    pub(crate) fn upper_speed(&self, link: usize, mut radius: f64, [start, goal]: Ends<'_>) -> f64 {
        let (mut link, mut speed) = (link, 0.0);
        while link != 0 {
            let step = &self.steps[link - 1];
            let change = |i: usize| (goal[step.variable + i] - start[step.variable + i]).abs();
            let far = |i: usize| start[step.variable + i].abs().max(goal[step.variable + i].abs());
            let multiplier = step.multiplier.to_f64().abs();
            match step.kind {
                JointKind::Fixed => {}
                JointKind::Revolute { .. } => speed += change(0) * multiplier * radius,
                JointKind::Prismatic { .. } => {
                    speed += change(0) * multiplier;
                    radius += far(0) * multiplier + step.offset.to_f64().abs();
                }
                JointKind::Planar { .. } => {
                    speed += change(0) + change(1) + change(2) * radius;
                    radius += far(0) + far(1);
                }
                JointKind::Floating => {
                    let four = |q: &[f64]| [3, 4, 5, 6].map(|i| Double::from(q[step.variable + i]));
                    let angle = 2.0 * half_angle(normalised(four(start)), normalised(four(goal))).0.to_f64();
                    speed += change(0) + change(1) + change(2) + angle * radius;
                    radius += far(0) + far(1) + far(2);
                }
            }
            radius += step.offset_length;
            link = step.parent;
        }
        speed * (1.0 + 1e-9)
    }
}

/// v turned by the smallest rotation that takes z to the axis.
fn tilted(axis: Vector<Double>, v: Vector<Double>) -> Vector<Double> {
    let about = [-axis[1], axis[0], Double::ZERO];
    let (sine, cosine) = (length(about), axis[2]);
    if sine.to_f64() == 0.0 {
        return if cosine.to_f64() > 0.0 { v } else { [v[0], -v[1], -v[2]] };
    }
    Placed::turn(scaled(about, Double::ONE / sine), Double::angle(sine, cosine)).turned(v)
}

type Quaternion = [Double; 4];

fn dot4(a: Quaternion, b: Quaternion) -> Double {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

fn normalised(q: Quaternion) -> Quaternion {
    let norm = dot4(q, q).sqrt();
    q.map(|x| x / norm)
}

/// Half the angle of the shortest arc between two rotations, and its sine.
fn half_angle(a: Quaternion, b: Quaternion) -> (Double, Double) {
    let cosine = dot4(a, b).abs();
    let sign = if dot4(a, b) < Double::ZERO { -Double::ONE } else { Double::ONE };
    let across: Quaternion = std::array::from_fn(|i| b[i] * sign - a[i] * cosine);
    let sine = dot4(across, across).sqrt();
    (Double::angle(sine, cosine), sine)
}

/// The quaternion at t of the shortest arc.
fn arc(a: Quaternion, b: Quaternion, t: Double) -> Quaternion {
    let (a, b) = (normalised(a), normalised(b));
    let (half, sine) = half_angle(a, b);
    if sine.to_f64() < 1e-20 {
        return a;
    }
    let sign = if dot4(a, b) < Double::ZERO { -Double::ONE } else { Double::ONE };
    let (of_a, of_b) = (((Double::ONE - t) * half).sin_cos().0 / sine, (t * half).sin_cos().0 / sine * sign);
    normalised(std::array::from_fn(|i| a[i] * of_a + b[i] * of_b))
}

fn rotation([x, y, z, w]: Quaternion) -> Placed<Double> {
    let two = Double::from(2.0);
    let columns = [
        [Double::ONE - two * (y * y + z * z), two * (x * y + z * w), two * (x * z - y * w)],
        [two * (x * y - z * w), Double::ONE - two * (x * x + z * z), two * (y * z + x * w)],
        [two * (x * z + y * w), two * (y * z - x * w), Double::ONE - two * (x * x + y * y)],
    ];
    Placed { columns, translation: [Double::ZERO; 3] }
}
