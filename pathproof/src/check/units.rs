//! What moves as one: each moving body with its tree, and the static bodies grouped into few trees.
//!
//! Static bodies that have the same rules towards every moving body share one tree (DESIGN §5), so that no rule is
//! looked up at a leaf; a leaf still knows which body it came from.

use std::collections::{BTreeMap, BTreeSet};

use crate::distance::Indexed;
use crate::numeric::{DVec3, Pose, U64, add_up, norm_up};
use crate::robot::bounds::lambda;
use crate::robot::{Extent, Kinematics, Model, Motion};
use crate::scene::{BodyShape, Scene};
use crate::shapes::{Body, Convex, Core, Hull};

/// A body, or several that never move relative to each other and share their rules.
#[derive(Debug)]
pub(super) struct Unit {
    /// The frame of the model that carries it.
    pub(super) frame: usize,
    pub(super) frame_from_unit: Pose,
    pub(super) extent: Extent,
    /// A ball around it, in the frame; infinite for a half-space.
    pub(super) ball_in_frame: Ball,
    pub(super) shape: UnitShape,
    /// The scene's bodies, in the order of the parts.
    members: Vec<usize>,
}

#[derive(Debug)]
pub(super) enum UnitShape {
    Parts(Box<Indexed>),
    /// Everything below the plane through the unit's origin.
    HalfSpace {
        normal: DVec3,
    },
}

/// A ball around a unit. Its radius allows for the rounding of the centre.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball {
    centre: DVec3,
    /// Infinite for a half-space.
    pub(super) upper_radius: f64,
}

impl Ball {
    /// Unit vector to another one's centre.
    pub(super) fn towards(&self, other: &Self) -> DVec3 {
        (other.centre - self.centre).normalize_or(DVec3::X)
    }

    /// Lower bound on the distance of what is in two balls; −∞ for a half-space.
    pub(super) fn lower_distance(&self, other: &Self) -> f64 {
        (self.centre - other.centre).length() * (1.0 - 8.0 * U64) - (self.upper_radius + other.upper_radius)
    }
}

/// A pair of units that is checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnitPair {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) clearance: f64,
    /// The lowest frame above both: only motion relative to it counts.
    pub(super) ancestor: usize,
}

impl UnitPair {
    /// Upper bound on the arc length relative to each other over a motion, and on the rounding of both poses.
    pub(super) fn upper_arc_and_margin(&self, units: &[Unit], model: &Model, motion: &Motion) -> [f64; 2] {
        let (a, b) = (&units[self.a], &units[self.b]);
        let arc = add_up(a.upper_arc(model, motion, self.ancestor), b.upper_arc(model, motion, self.ancestor));
        [arc, add_up(a.margin(motion), b.margin(motion))]
    }
}

impl Unit {
    /// The scene's bodies it is made of.
    pub(super) fn members(&self) -> &[usize] {
        &self.members
    }

    /// The scene's body that primitive `i` belongs to.
    pub(super) fn body_of(&self, primitive: usize) -> usize {
        match (&self.shape, &self.members[..]) {
            (_, [only]) => *only,
            (UnitShape::Parts(indexed), members) => members[indexed.body().part_of(primitive)],
            (UnitShape::HalfSpace { .. }, members) => members[0],
        }
    }

    /// Upper bound on the distance of any point from the frame's origin.
    pub(super) fn reach(&self) -> f64 {
        match &self.shape {
            UnitShape::Parts(_) => self.extent.origin_radius,
            UnitShape::HalfSpace { .. } => norm_up(self.frame_from_unit.translation),
        }
    }

    /// Where it is now.
    #[inline]
    pub(super) fn world_from_unit(&self, model: &Model, kinematics: &mut Kinematics) -> Pose {
        // Frame 0 is the world.
        if self.frame == 0 {
            return self.frame_from_unit;
        }
        *kinematics.world_from_frame(model, self.frame) * self.frame_from_unit
    }

    /// The ball around it where it is now.
    #[inline]
    pub(super) fn ball_at(&self, model: &Model, kinematics: &mut Kinematics) -> Ball {
        if self.frame == 0 {
            return self.ball_in_frame;
        }
        let centre = kinematics.world_from_frame(model, self.frame).point(self.ball_in_frame.centre);
        // Placing the centre and the difference of two round by less than 16 u of the sizes involved each.
        Ball { centre, upper_radius: self.ball_in_frame.upper_radius + 64.0 * U64 * norm_up(centre) }
    }

    /// Upper bound on the arc length of any point over a motion, seen from `ancestor`.
    pub(super) fn upper_arc(&self, model: &Model, motion: &Motion, ancestor: usize) -> f64 {
        match self.shape {
            UnitShape::Parts(_) => lambda(model, motion, &self.extent, ancestor),
            UnitShape::HalfSpace { .. } => 0.0,
        }
    }

    /// Upper bound on the rounding of its pose over a motion, at any of its points.
    pub(super) fn margin(&self, motion: &Motion) -> f64 {
        motion.position_error(self.frame, self.reach())
    }

    /// Whether it consists of convex pieces, so that its distances are signed.
    pub(super) fn is_convex(&self) -> bool {
        match &self.shape {
            UnitShape::Parts(indexed) => indexed.body().triangles().is_empty(),
            UnitShape::HalfSpace { .. } => true,
        }
    }

    fn new(scene: &Scene, members: Vec<usize>) -> Self {
        let model = scene.model();
        let first = &scene.bodies()[members[0]];
        let frame = model.frame_of(first.link);
        let frame_from = |i: usize| {
            let body = &scene.bodies()[i];
            model.links()[body.link].frame_from_link * body.link_from_body
        };
        match &first.shape {
            BodyShape::HalfSpace { normal } => {
                let extent = Extent::new(model, first.link, &first.link_from_body, []);
                let shape = UnitShape::HalfSpace { normal: *normal };
                let ball_in_frame = Ball { centre: DVec3::ZERO, upper_radius: f64::INFINITY };
                Self { frame, frame_from_unit: frame_from(members[0]), extent, ball_in_frame, shape, members }
            }
            BodyShape::Parts(body) => {
                let (body, frame_from_unit) = if members.len() == 1 {
                    (body.clone(), frame_from(members[0]))
                } else {
                    let placed: Vec<(Pose, &Body)> =
                        members.iter().filter_map(|&i| parts(scene, i).map(|body| (frame_from(i), body))).collect();
                    (Body::merged(&placed).expect("a group has members"), Pose::IDENTITY)
                };
                let extent = extent(scene, first.link, &frame_from_unit, &body);
                // A centre far from the frame may be placed near it by large numbers that cancel.
                let size = norm_up(frame_from_unit.translation) + norm_up(body.centre()) + extent.origin_radius;
                let centre = frame_from_unit.point(body.centre());
                let upper_radius = body.radius() + body.rounding() + 64.0 * U64 * (size + norm_up(centre));
                let ball_in_frame = Ball { centre, upper_radius };
                let shape = UnitShape::Parts(Box::new(Indexed::new(body)));
                Self { frame, frame_from_unit, extent, ball_in_frame, shape, members }
            }
        }
    }
}

fn parts(scene: &Scene, body: usize) -> Option<&Body> {
    match &scene.bodies()[body].shape {
        BodyShape::Parts(parts) => Some(parts),
        BodyShape::HalfSpace { .. } => None,
    }
}

/// The extent of a body on the frame of `link`; `frame_from_unit` is relative to that frame.
fn extent(scene: &Scene, link: usize, frame_from_unit: &Pose, body: &Body) -> Extent {
    let model = scene.model();
    let link_from_unit = model.links()[link].frame_from_link.inverse() * *frame_from_unit;
    let mut balls: Vec<(DVec3, f64)> = body.vertices().iter().map(|v| (*v + body.centre(), 0.0)).collect();
    for piece in body.pieces() {
        for (centre, radius) in spanning_balls(&piece.shape) {
            balls.push((piece.centre_from_piece.point(centre) + body.centre(), radius));
        }
    }
    Extent::new(model, link, &link_from_unit, balls)
}

/// Balls whose convex hull holds the shape.
fn spanning_balls(shape: &Convex) -> Vec<(DVec3, f64)> {
    let r = shape.radius();
    match shape.core() {
        Core::Point => vec![(DVec3::ZERO, r)],
        Core::Segment { half_length } => [-half_length, *half_length].map(|z| (DVec3::Z * z, r)).to_vec(),
        Core::Triangle(corners) => corners.map(|v| (v, r)).to_vec(),
        Core::Box { half } => (0..8)
            .map(|i| {
                let sign = |bit: i32| if i & bit == 0 { 1.0 } else { -1.0 };
                (*half * DVec3::new(sign(1), sign(2), sign(4)), r)
            })
            .collect(),
        Core::Cylinder { radius, half_length } => {
            [-half_length, *half_length].map(|z| (DVec3::Z * z, radius + r)).to_vec()
        }
        Core::Cone { radius, half_length } => {
            vec![(DVec3::Z * -half_length, radius + r), (DVec3::Z * *half_length, r)]
        }
        Core::Hull(hull) => hull.vertices().iter().map(|v| (*v, r)).collect(),
    }
}

/// Which static bodies share a tree.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Grouping {
    /// Those with the same rules.
    ByRules,
    /// None, so that a contact with one of them does not hide another.
    Separate,
}

/// With which other bodies a static body is checked, at which clearance (its bits, which have an order).
type Rules = Vec<(usize, u64)>;

/// The units of a scene and the pairs of them that are checked.
pub(super) fn units(scene: &Scene, grouping: Grouping) -> (Vec<Unit>, Vec<UnitPair>) {
    let mut rules: BTreeMap<usize, Rules> = BTreeMap::new();
    for pair in scene.pairs() {
        for (body, other) in [(pair.a, pair.b), (pair.b, pair.a)] {
            if scene.is_static(body) {
                rules.entry(body).or_default().push((other, pair.clearance.to_bits()));
            }
        }
    }
    let mut groups: BTreeMap<(Option<usize>, Rules), Vec<usize>> = BTreeMap::new();
    let mut half_spaces = Vec::new();
    for (body, rule) in rules {
        if parts(scene, body).is_none() {
            half_spaces.push(body);
        } else {
            let alone = (grouping == Grouping::Separate).then_some(body);
            groups.entry((alone, rule)).or_default().push(body);
        }
    }
    let mut members: Vec<Vec<usize>> = (0..scene.bodies().len())
        .filter(|&i| !scene.is_static(i) && scene.pairs().iter().any(|p| p.a == i || p.b == i))
        .map(|i| vec![i])
        .collect();
    members.extend(groups.into_values());
    members.extend(half_spaces.into_iter().map(|i| vec![i]));
    let mut unit_of = vec![usize::MAX; scene.bodies().len()];
    for (unit, bodies) in members.iter().enumerate() {
        for &body in bodies {
            unit_of[body] = unit;
        }
    }
    let units: Vec<Unit> = members.into_iter().map(|bodies| Unit::new(scene, bodies)).collect();
    let mut pairs: Vec<UnitPair> = Vec::new();
    let mut known = BTreeSet::new();
    for pair in scene.pairs() {
        let (mut a, mut b) = (unit_of[pair.a], unit_of[pair.b]);
        // Half-spaces have the largest numbers, so that they come second.
        if a > b {
            (a, b) = (b, a);
        }
        if known.insert((a, b)) {
            let ancestor = scene.model().common_ancestor(units[a].frame, units[b].frame);
            pairs.push(UnitPair { a, b, clearance: pair.clearance, ancestor });
        }
    }
    (units, pairs)
}

/// Points whose convex hull is that of the body's meshes: all that a half-space can see of them.
pub(super) fn hull_points(body: &Body) -> Vec<DVec3> {
    if body.vertices().is_empty() {
        return Vec::new();
    }
    Hull::new(body.vertices()).map_or_else(|_| body.vertices().to_vec(), |hull| hull.vertices().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::DQuat;
    use crate::scene::{Role, SceneBody, SceneParts};
    use crate::shapes::TriangleMesh;

    /// The ball once allowed only for sizes seen from the frame: a mesh drawn far away and placed near left it.
    #[test]
    fn the_ball_holds_a_body_that_is_drawn_far_away_and_placed_near() {
        let far = DVec3::new(3e8, -5e8, 7e8);
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE, DVec3::new(1.0, 0.0, 1.0)];
        let vertices = corners.map(|corner| far + corner).to_vec();
        let mesh = TriangleMesh::new(vertices.clone(), vec![[0, 1, 2], [3, 4, 5]]).expect("a mesh");
        for i in 0..20 {
            let turn = DQuat::from_rotation_z(0.1 + 0.3 * f64::from(i)) * DQuat::from_rotation_x(0.7);
            let link_from_body = Pose::from_quaternion(turn, -(turn * far));
            let model = Model::new("world", vec!["world".into()], Vec::new()).expect("a model");
            let mut parts = SceneParts::new(model);
            let shape = BodyShape::Parts(Body::from_mesh(mesh.clone()));
            parts.bodies.push(SceneBody { name: "far".into(), role: Role::Obstacle, link: 0, link_from_body, shape });
            let scene = Scene::new(parts).expect("a scene");
            let unit = Unit::new(&scene, vec![0]);
            let ball = unit.ball_at(scene.model(), &mut Kinematics::new(scene.model()));
            for vertex in &vertices {
                let distance = (unit.frame_from_unit.point(*vertex) - ball.centre).length();
                assert!(distance <= ball.upper_radius, "{i}: {distance} from the centre, {ball:?}");
            }
        }
    }
}
