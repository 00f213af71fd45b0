//! Bodies in the verifier's form: pose in their frame, reach, and supports.

use pathproof::numeric::{DVec3, Pose, ROUNDOFF_F64, least, most, norm_up, unit};
use pathproof::robot::{Extent, Model};
use pathproof::scene::{BodyShape, SceneBody};
use pathproof::shapes::{Body, Convex, Core, Primitive};

use crate::ball::{Placed, Vector};
use crate::chain::Chain;
use crate::interval::Interval;
use crate::tree::Tree;

/// A body prepared for the verifier.
#[derive(Debug)]
pub(crate) struct Solid<'a> {
    pub(crate) frame: usize,
    /// The body's centre (a plane's origin) in that frame.
    pub(crate) frame_from_centre: Placed,
    pub(crate) shape: Shape<'a>,
    pub(crate) reach: Reach,
    /// A convex approximation of the body, and its pose about the body's centre: for finding directions only.
    pub(crate) likeness: Option<(Convex, Pose)>,
}

#[derive(Debug)]
pub(crate) enum Shape<'a> {
    Parts {
        body: &'a Body,
        tree: Tree,
    },
    /// Everything below the plane through the origin.
    HalfSpace {
        normal: DVec3,
    },
}

/// Reach of a body; every length is an upper bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// The body lies within `radius` of the segment between these points of its frame.
    pub(crate) ends_in_frame: [DVec3; 2],
    pub(crate) radius: f64,
    /// Distance of its points, and of its boxes' corners, from its centre.
    pub(crate) from_centre: f64,
    /// Upper bound on the distance of stored coordinates from the exactly placed ones.
    pub(crate) rounding: f64,
    /// Least and greatest coordinates of its points in the frame.
    box_in_frame: [DVec3; 2],
}

impl<'a> Solid<'a> {
    pub(crate) fn new(model: &Model, chain: &Chain, scene_body: &'a SceneBody) -> Result<Self, &'static str> {
        let (frame, frame_from_link) = chain.link(scene_body.link);
        let frame_from_body = frame_from_link.after(&Placed::new(&scene_body.link_from_body));
        let body = match &scene_body.shape {
            BodyShape::Parts(body) => body,
            BodyShape::HalfSpace { normal } => {
                let shape = Shape::HalfSpace { normal: *normal };
                let nothing = Reach::new([DVec3::ZERO; 2], 0.0, 0.0);
                let frame_from_centre = frame_from_body;
                return Ok(Self { frame: *frame, frame_from_centre, shape, reach: nothing, likeness: None });
            }
        };
        let tree = Tree::new(body);
        if !tree.holds(body) {
            return Err("the boxes of a tree do not hold its primitives");
        }
        let centre = Placed { translation: Vector::point(body.centre()), ..Placed::IDENTITY };
        let frame_from_centre = frame_from_body.after(&centre);
        // The choice of the segment is free: the distance of everything from it is measured.
        let balls = || spanning_balls(body);
        let about_body = balls().map(|(p, r)| (p + body.centre(), r)).collect::<Vec<_>>();
        let chosen = Extent::new(model, scene_body.link, &scene_body.link_from_body, about_body).ends_in_frame;
        let mut reach = Reach::new(chosen, tree.upper_extent(), body.rounding());
        for (p, radius) in balls() {
            reach.take(frame_from_centre.point(Vector::point(p)), radius + body.rounding());
        }
        let likeness = match (body.pieces(), body.triangles()) {
            ([piece], []) => Some((piece.shape.clone(), piece.centre_from_piece)),
            _ => {
                let points: Vec<DVec3> = balls().map(|(p, _)| p).collect();
                Convex::hull(&points).ok().map(|hull| (hull, Pose::IDENTITY))
            }
        };
        Ok(Self { frame: *frame, frame_from_centre, shape: Shape::Parts { body, tree }, reach, likeness })
    }
}

impl Solid<'_> {
    /// True if no point of this body, with its centre at `centre`, is within `length` of another: by the ball around
    /// it, and the box around one at rest in the world, or the other's ball. False for planes.
    pub(crate) fn is_far_from(&self, centre: Vector, other: &Self, others_centre: Vector, length: f64) -> bool {
        let ball = |solid: &Self, centre: Vector| solid.reach.from_centre + solid.reach.rounding + centre.radius();
        let ([low, high], others_ball) = match other.frame {
            0 => (other.reach.box_in_frame, 0.0),
            _ => ([others_centre.middle(); 2], ball(other, others_centre)),
        };
        let (mut squared, c) = (0.0, centre.middle());
        for i in 0..3 {
            let beyond = most(low[i] - c[i], c[i] - high[i]);
            squared += if beyond > 0.0 { beyond * beyond } else { 0.0 };
        }
        // Differences, squares, sums and root are off by 5 u, the sums on the other side by 6 u.
        let lower = squared.sqrt() * (1.0 - 16.0 * ROUNDOFF_F64);
        let are_parts = [self, other].iter().all(|solid| matches!(solid.shape, Shape::Parts { .. }));
        are_parts && low.is_finite() && lower > ball(self, centre) + others_ball + length
    }
}

impl Reach {
    fn new(ends_in_frame: [DVec3; 2], from_centre: f64, rounding: f64) -> Self {
        let box_in_frame = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        Self { ends_in_frame, radius: 0.0, from_centre, rounding, box_in_frame }
    }

    /// Extends the reach by a ball about `p` (in the frame).
    fn take(&mut self, p: Vector, radius: f64) {
        let up = |length: f64| (length + radius).next_up();
        let [low, high] = &mut self.box_in_frame;
        for i in 0..3 {
            let c = p.component(i);
            low[i] = least(low[i], (c.lo() - radius).next_down());
            high[i] = most(high[i], (c.hi() + radius).next_up());
        }
        let [start, end] = self.ends_in_frame;
        let along = end - start;
        let share = ((p.middle() - start).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        // Any point of the segment will do; NaN, if the segment is a point, becomes its start.
        let share = if share > 0.0 { share } else { 0.0 };
        let [start, along] = [Vector::point(start), Vector::point(end) - Vector::point(start)];
        let nearest = start + Vector::new([0, 1, 2].map(|i| along.component(i) * Interval::point(share)));
        self.radius = most(self.radius, up((p - nearest).upper_norm()));
    }
}

/// Balls about its centre with a convex hull that holds the body.
fn spanning_balls(body: &Body) -> impl Iterator<Item = (DVec3, f64)> + '_ {
    let corners = body.vertices().iter().map(|v| (*v, 0.0));
    let pieces = body.pieces().iter().flat_map(|piece| {
        let place = piece.centre_from_piece;
        let slack = 16.0 * ROUNDOFF_F64 * (norm_up(place.translation) + piece.shape.reach());
        let r = piece.shape.radius() + slack;
        let z = |height: f64| DVec3::Z * height;
        let spanned: Vec<(DVec3, f64)> = match piece.shape.core() {
            Core::Point => vec![(DVec3::ZERO, r)],
            Core::Segment { half_length } => vec![(z(-half_length), r), (z(*half_length), r)],
            Core::Triangle(corners) => corners.map(|v| (v, r)).to_vec(),
            Core::Box { half } => {
                let sign = |i: usize, bit: usize| if i & bit == 0 { 1.0 } else { -1.0 };
                (0..8).map(|i| (*half * DVec3::new(sign(i, 1), sign(i, 2), sign(i, 4)), r)).collect()
            }
            Core::Cylinder { radius, half_length } => {
                vec![(z(-half_length), radius + r), (z(*half_length), radius + r)]
            }
            Core::Cone { radius, half_length } => vec![(z(-half_length), radius + r), (z(*half_length), r)],
            Core::Hull(hull) => hull.vertices().iter().map(|v| (*v, r)).collect(),
        };
        spanned.into_iter().map(move |(p, r)| (place.point(p), r))
    });
    corners.chain(pieces)
}

/// Largest g·x over a primitive, up to a rounding of 32 u |g| times the body's extent.
#[inline]
pub(crate) fn support(primitive: &Primitive<'_>, g: DVec3) -> f64 {
    match primitive {
        Primitive::Triangle([a, b, c]) => most(most(g.dot(*a), g.dot(*b)), g.dot(*c)),
        Primitive::Piece(piece) => {
            let own = piece.centre_from_piece.inverse_vector(g);
            g.dot(piece.centre_from_piece.translation)
                + core_support(&piece.shape, own)
                + piece.shape.radius() * g.length()
        }
    }
}

fn core_support(shape: &Convex, g: DVec3) -> f64 {
    let across = || (g.x * g.x + g.y * g.y).sqrt();
    match shape.core() {
        Core::Point => 0.0,
        Core::Segment { half_length } => half_length * g.z.abs(),
        Core::Triangle(corners) => corners.iter().map(|v| g.dot(*v)).fold(f64::NEG_INFINITY, most),
        Core::Box { half } => half.dot(g.abs()),
        Core::Cylinder { radius, half_length } => radius * across() + half_length * g.z.abs(),
        Core::Cone { radius, half_length } => most(half_length * g.z, radius * across() - half_length * g.z),
        Core::Hull(hull) => hull.vertices().iter().map(|v| g.dot(*v)).fold(f64::NEG_INFINITY, most),
    }
}

/// A point of a primitive approximately farthest along `g`: for finding directions only.
pub(crate) fn far_point(primitive: &Primitive<'_>, g: DVec3) -> DVec3 {
    match primitive {
        Primitive::Triangle(corners) => {
            corners.iter().copied().fold(corners[0], |best, p| if g.dot(p) > g.dot(best) { p } else { best })
        }
        Primitive::Piece(piece) => {
            let own = piece.centre_from_piece.inverse_vector(g);
            let swept = unit(own).map_or(DVec3::ZERO, |n| n * piece.shape.radius());
            piece.centre_from_piece.point(piece.shape.core_support(own) + swept)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ball::Rotation;
    use crate::motion::{BodyMotion, Relative};
    use pathproof::numeric::Random;
    use pathproof::robot::{JointKind, JointSpec};
    use pathproof::scene::Role;
    use pathproof::shapes::Shape as BodyPart;

    /// Two balls of radius 0.5, 4 m apart and so far from the body's origin that rounding of its coordinates dominates
    /// every other error.
    fn two_balls() -> BodyShape {
        let ball = |x: f64| {
            let shape = BodyPart::Convex(Convex::sphere(0.5).expect("a ball"));
            (Pose::from_translation(DVec3::X * (1e9 + x)), shape)
        };
        BodyShape::Parts(Body::new(vec![ball(-2.0), ball(2.0)]).expect("a body"))
    }

    #[test]
    fn what_is_far_is_farther_than_asked_for() {
        let slide = JointSpec::new("slide", JointKind::Prismatic { axis: DVec3::X }, "world", "slide", Pose::IDENTITY);
        let model = Model::new("world", vec!["world".into(), "slide".into()], vec![slide]).expect("a model");
        let chain = Chain::new(&model);
        let body = |link: usize, shape: BodyShape| SceneBody {
            name: "body".into(),
            role: Role::Link,
            link,
            link_from_body: Pose::IDENTITY,
            shape,
        };
        let ball = || BodyShape::Parts(Body::from_convex(Convex::sphere(1.0).expect("a ball")));
        let bodies = [
            body(1, two_balls()),
            body(0, ball()),
            body(1, ball()),
            body(0, BodyShape::HalfSpace { normal: DVec3::X }),
        ];
        let [moving, still, carried, plane] =
            bodies.each_ref().map(|body| Solid::new(&model, &chain, body).expect("a body"));
        let (radius, rounding) = (moving.reach.from_centre, moving.reach.rounding);
        assert!((2.5..2.6).contains(&radius) && rounding > 1e-8, "{radius} {rounding}");
        // From the box around the ball, from −1 to 1: over a face, an edge and a corner.
        let places =
            [([8.0, 0.0, 0.0], 7.0), ([0.3, -8.0, 1.0], 7.0), ([-7.0, 9.0, 0.0], 10.0), ([-3.0, -4.0, 7.0], 7.0)];
        for (centre, distance) in places {
            let centre = DVec3::from(centre);
            let is_far = |from: &Solid<'_>, length: f64| {
                moving.is_far_from(Vector::point(centre), from, Vector::point(DVec3::ZERO), length)
            };
            assert!(is_far(&still, distance - radius - rounding - 1e-12));
            assert!(!is_far(&still, distance - radius - 0.5 * rounding));
            assert!(!is_far(&still, f64::NAN) && !is_far(&carried, f64::NAN));
            assert!(!is_far(&plane, 0.0));
            // From the ball around one that moves as well.
            let between = centre.length() - radius - carried.reach.from_centre;
            assert!(is_far(&carried, between - rounding - 1e-12));
            assert!(!is_far(&carried, between - 0.5 * rounding));
            // Less certain centres count as nearer.
            let vague = |v: DVec3| Vector::new(v.to_array().map(|c| Interval::around(c, 0.125)));
            let [here, there] = [vague(centre), vague(DVec3::ZERO)];
            assert!(moving.is_far_from(here, &still, there, distance - radius - rounding - 0.375 - 1e-12));
            assert!(!moving.is_far_from(here, &still, there, distance - radius - rounding - 0.37));
            assert!(moving.is_far_from(here, &carried, there, between - rounding - 0.75 - 1e-12));
            assert!(!moving.is_far_from(here, &carried, there, between - rounding - 0.74));
        }
    }

    /// Poses and velocities at the rim of wide balls: the margin covers the error of every gap, now or at an end of the
    /// cell.
    #[test]
    fn the_margin_holds_what_middles_are_off() {
        let slide = JointSpec::new("slide", JointKind::Prismatic { axis: DVec3::X }, "world", "slide", Pose::IDENTITY);
        let model = Model::new("world", vec!["world".into(), "slide".into()], vec![slide]).expect("a model");
        let chain = Chain::new(&model);
        let cuboid = |size| BodyShape::Parts(Body::from_convex(Convex::cuboid(size).expect("a box")));
        let name =
            |shape| SceneBody { name: "box".into(), role: Role::Link, link: 1, link_from_body: Pose::IDENTITY, shape };
        let bodies = [[0.2, 0.5, 1.0], [0.1, 0.8, 0.3]].map(|size| name(cuboid(size)));
        let solids = bodies.each_ref().map(|body| Solid::new(&model, &chain, body).expect("a body"));
        let mut random = Random::new(0x3A26);
        let (half, mut used) = (0.5, 0.0f64);
        for round in 0..100_000 {
            // Varies one of the four at a time, or all.
            let width = |what: usize| if round % 5 == what || round % 5 == 4 { 0.01 } else { 0.0 };
            let vector = |random: &mut Random, size: f64, width: f64| {
                let middle = random.direction() * random.between(0.0, size);
                let ball = Vector::new(middle.to_array().map(|c| Interval::around(c, width / 3.0)));
                (ball, middle + random.direction() * width)
            };
            let moved = [0, 1].map(|_| {
                let (angle, turn) = (width(0) * random.unit(), random.pose(1.0).rotation);
                let off = Pose::from_axis_angle(random.direction(), angle, DVec3::ZERO).rotation;
                let rotation = Rotation { middle: turn * off, radius: 2.0 * (0.5 * angle).sin() };
                let (translation, at) = vector(&mut random, 2.0, width(1));
                let (spin, true_spin) = vector(&mut random, 3.0, width(2));
                let (velocity, true_velocity) = vector(&mut random, 3.0, width(3));
                let world_from_centre = Placed { rotation, translation };
                let motion = BodyMotion { world_from_centre, spin, velocity, upper_bend: 0.0, upper_travel: 0.0 };
                (motion, turn, at, true_spin, true_velocity)
            });
            let found = Relative::new(&solids[0], &solids[1], &moved[0].0, &moved[1].0, half);
            let n = random.direction();
            let corners = [[0.1, 0.25, 0.5], [0.05, 0.4, 0.15]]
                .map(|c| DVec3::from(c) * DVec3::from([0; 3].map(|_| if random.below(2) == 0 { 1.0 } else { -1.0 })));
            let ways = [0.0, -half, half];
            for time in ways {
                let in_world = |i: usize| {
                    let (_, turn, at, spin, velocity) = moved[i];
                    let arm = turn * corners[i];
                    at + arm + (velocity + spin.cross(arm)) * time
                };
                let truth = n.dot(moved[0].1.transpose() * (in_world(1) - in_world(0)));
                let arms = [corners[0], found.a_from_b.rotation * corners[1]];
                let speed = [0, 1].map(|i: usize| found.velocities[i] + found.spins[i].cross(arms[i]));
                let apart = arms[1] + found.a_from_b.translation - arms[0] + (speed[1] - speed[0]) * time;
                used = used.max((n.dot(apart) - truth).abs() / found.margin);
            }
        }
        assert!(used <= 1.0 && used > 0.6, "{used}");
    }
}
