//! A group: its tree, its extent and its pose.

use std::sync::Arc;

use crate::check::ball::Ball;
use crate::check::extents::extent;
use crate::distance::Indexed;
use crate::numeric::simd::Width;
use crate::numeric::{DVec3, Pose, ROUNDOFF_F64, norm_up};
use crate::robot::{Extent, Kinematics, Model, SegmentMotion};
use crate::scene::Scene;
use crate::shapes::Body;
use crate::trees::{FromPoint, NodeHulls, PointScratch, VolumeTree as _};

use super::grouping::parts;

/// A body, or several that never move relative to each other and share their rules.
#[derive(Debug)]
pub(in crate::check) struct Group {
    /// The frame of the model that carries it.
    pub(in crate::check) frame: usize,
    pub(in crate::check) frame_from_group: Pose,
    pub(in crate::check) extent: Extent,
    /// A ball around it, in the frame.
    pub(in crate::check) ball_in_frame: Ball,
    pub(in crate::check) indexed: Indexed,
    /// Hulls of the tree's nodes.
    pub(in crate::check) hulls: Arc<NodeHulls>,
    /// Points whose hull is that of its meshes, if it is checked against a half-space.
    pub(in crate::check) hull: Vec<DVec3>,
    /// Indices of its bodies in the scene, in the order of the parts.
    members: Vec<usize>,
    /// Bodies that it was merged from, each with its pose in the frame.
    placed: Vec<(Pose, Body)>,
}

impl Group {
    pub(super) fn new(scene: &Scene, members: Vec<usize>, known: &[Self]) -> Self {
        let model = scene.model();
        let link = scene.bodies()[members[0]].link;
        let frame_from = |i: usize| {
            let body = &scene.bodies()[i];
            model.links()[body.link].frame_from_link * body.link_from_body
        };
        let placed: Vec<(Pose, Body)> =
            members.iter().filter_map(|&i| parts(scene, i).map(|body| (frame_from(i), body.clone()))).collect();
        let (body, frame_from_group) = match &placed[..] {
            [(pose, only)] => (only.clone(), *pose),
            _ => (merged(&placed, known), Pose::IDENTITY),
        };
        let extent = extent(scene, link, &frame_from_group, &body);
        // A centre far from the frame may be placed near it by large numbers that cancel.
        let size = norm_up(frame_from_group.translation) + norm_up(body.centre()) + extent.origin_radius;
        let centre = frame_from_group.point(body.centre());
        let upper_radius = body.radius() + body.rounding() + 64.0 * ROUNDOFF_F64 * (size + norm_up(centre));
        let indexed: Indexed = Indexed::new(body);
        Self {
            frame: model.frame_of(link),
            frame_from_group,
            extent,
            ball_in_frame: Ball { centre, upper_radius },
            hulls: indexed.body().derive(|body| NodeHulls::build(indexed.tree(), body)),
            indexed,
            hull: Vec::new(),
            members,
            placed,
        }
    }

    /// Bytes of its tree and of the hulls of its nodes.
    pub(in crate::check) fn tree_bytes(&self) -> usize {
        self.indexed.tree().bytes() + self.hulls.bytes()
    }

    /// Indices of its bodies in the scene.
    pub(in crate::check) fn members(&self) -> &[usize] {
        &self.members
    }

    /// Index in the scene of the body that primitive `i` belongs to.
    pub(in crate::check) fn body_of(&self, primitive: usize) -> usize {
        match &self.members[..] {
            [only] => *only,
            members => members[self.indexed.body().part_of(primitive)],
        }
    }

    /// Its current pose.
    #[inline]
    pub(in crate::check) fn world_from_group(&self, model: &Model, kinematics: &mut Kinematics) -> Pose {
        // Frame 0 is the world.
        if self.frame == 0 {
            return self.frame_from_group;
        }
        *kinematics.world_from_frame(model, self.frame) * self.frame_from_group
    }

    /// The ball around it at its current pose.
    #[inline]
    pub(in crate::check) fn ball_at(&self, model: &Model, kinematics: &mut Kinematics) -> Ball {
        if self.frame == 0 {
            return self.ball_in_frame;
        }
        let centre = kinematics.world_from_frame(model, self.frame).point(self.ball_in_frame.centre);
        // Placing the centre and the difference of two centres each round by less than 16 u of the sizes involved.
        Ball { centre, upper_radius: self.ball_in_frame.upper_radius + 64.0 * ROUNDOFF_F64 * norm_up(centre) }
    }

    /// Distance of the whole group at its current pose from a point in the world. `None` where more than a look at its
    /// boxes would be needed.
    pub(in crate::check) fn distance_from(
        &self,
        point: DVec3,
        enough: f64,
        model: &Model,
        kinematics: &mut Kinematics,
        scratch: &mut PointScratch,
    ) -> Option<FromPoint> {
        let (body, world_from_group) = (self.indexed.body(), self.world_from_group(model, kinematics));
        let centre = world_from_group.inverse_point(point) - body.centre();
        // A difference, a rotation and another difference round by less than 16 u of the sizes involved. The inverse
        // is the transpose: a given matrix may differ from it by 192 u, and every joint above adds about 1. The error
        // of the pose itself is in the pair's margin.
        let sizes = norm_up(point) + norm_up(world_from_group.translation) + norm_up(body.centre());
        let margin = 512.0 * ROUNDOFF_F64 * sizes + body.rounding();
        let found =
            self.indexed.tree().distance_from(&self.hulls, centre, enough + margin, Width::detect(), scratch)?;
        Some(FromPoint { lower: found.lower - margin, ..found })
    }

    /// Upper bound on the rounding of its pose at any point of a motion.
    pub(in crate::check) fn margin(&self, motion: &SegmentMotion) -> f64 {
        motion.position_error(self.frame, self.extent.origin_radius)
    }

    /// Upper bound on the distance of any of its points from the world's origin, over a motion.
    pub(in crate::check) fn reach_in_world(&self, motion: &SegmentMotion) -> f64 {
        motion.rate(self.frame).from_world.offset + self.extent.origin_radius
    }

    /// True if it consists of triangles.
    pub(in crate::check) fn is_mesh(&self) -> bool {
        self.indexed.body().pieces().is_empty()
    }

    /// True if it consists of convex pieces.
    pub(in crate::check) fn is_convex(&self) -> bool {
        self.indexed.body().triangles().is_empty()
    }
}

/// Merges bodies into one, which keeps its tree: reuses that of a known group of the same bodies at the same places.
fn merged(placed: &[(Pose, Body)], known: &[Group]) -> Body {
    let is_same = |(a, b): (&(Pose, Body), &(Pose, Body))| a.0 == b.0 && a.1.shares_geometry_with(&b.1);
    let is_known = |group: &&Group| group.placed.len() == placed.len() && group.placed.iter().zip(placed).all(is_same);
    match known.iter().find(is_known) {
        Some(group) => group.indexed.body().clone(),
        None => {
            let placed: Vec<(Pose, &Body)> = placed.iter().map(|(pose, body)| (*pose, body)).collect();
            Body::merged(&placed).expect("a group has members")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::groups::{Grouping, Groups};
    use crate::numeric::{DQuat, Random};
    use crate::scene::tests::random_parts;
    use crate::scene::{BodyShape, Role, SceneBody, SceneParts};
    use crate::shapes::TriangleMesh;
    use dashu_ratio::RBig;

    fn scene_of(mesh: &TriangleMesh, link_from_body: Pose) -> Scene {
        let model = Model::new("world", vec!["world".into()], Vec::new()).expect("a model");
        let mut parts = SceneParts::new(model);
        let shape = BodyShape::Parts(Body::from_mesh(mesh.clone()));
        parts.bodies.push(SceneBody { name: "far".into(), role: Role::Obstacle, link: 0, link_from_body, shape });
        Scene::new(parts).expect("a scene")
    }

    /// The ball once allowed only for sizes seen from the frame: a mesh drawn far away and placed near the frame left
    /// it.
    #[test]
    fn the_ball_holds_a_body_that_is_drawn_far_away_and_placed_near() {
        let far = DVec3::new(3e8, -5e8, 7e8);
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE, DVec3::new(1.0, 0.0, 1.0)];
        let vertices = corners.map(|corner| far + corner).to_vec();
        let mesh = TriangleMesh::new(vertices.clone(), vec![[0, 1, 2], [3, 4, 5]]).expect("a mesh");
        for i in 0..20 {
            let turn = DQuat::from_rotation_z(0.1 + 0.3 * f64::from(i)) * DQuat::from_rotation_x(0.7);
            let link_from_body = Pose::from_quaternion(turn, -(turn * far));
            let scene = scene_of(&mesh, link_from_body);
            let group = Group::new(&scene, vec![0], &[]);
            let ball = group.ball_at(scene.model(), &mut Kinematics::new(scene.model()));
            for vertex in &vertices {
                let distance = (group.frame_from_group.point(*vertex) - ball.centre).length();
                assert!(distance <= ball.upper_radius, "{i}: {distance} from the centre, {ball:?}");
            }
        }
    }

    /// Coordinates of 10¹² m that cancel leave a tenth of a millimetre, more than boxes round.
    #[test]
    fn a_body_that_is_drawn_far_away_and_placed_near_is_no_farther_than_told() {
        let far = DVec3::new(3e11, -5e11, 7e11);
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE, DVec3::new(1.0, 0.0, 1.0)];
        let sides = [DVec3::ZERO, DVec3::X / 1024.0, DVec3::Y / 1024.0];
        let vertices: Vec<DVec3> = corners.iter().flat_map(|corner| sides.map(|side| far + *corner + side)).collect();
        let triangles = (0..6).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let mesh = TriangleMesh::new(vertices.clone(), triangles).expect("a mesh");
        let mut random = Random::new(37);
        let (mut told, mut scratch) = (0, PointScratch::default());
        for case in 0..400 {
            let turn = DQuat::from_scaled_axis(random.point(3.0));
            let link_from_body = Pose::from_quaternion(turn, -(turn * far) + random.point(1e-3));
            let scene = scene_of(&mesh, link_from_body);
            let group = Group::new(&scene, vec![0], &[]);
            let point = random.point(4.0);
            let mut kinematics = Kinematics::new(scene.model());
            let found = group.distance_from(point, 0.2, scene.model(), &mut kinematics, &mut scratch);
            let distance = |v: &DVec3| exact_distance(&group.frame_from_group, *v, point);
            let truth = vertices.iter().map(distance).fold(f64::INFINITY, f64::min);
            assert!(found.is_none_or(|found| found.lower <= truth), "{case}: {found:?} of {truth}");
            told += usize::from(found.is_some());
        }
        assert!(told > 200, "{told}");
    }

    /// Distance of a point, placed without rounding, from another.
    fn exact_distance(pose: &Pose, p: DVec3, other: DVec3) -> f64 {
        let exact = |x: f64| RBig::try_from(x).expect("a number");
        let squared = (0..3).map(|i| {
            let columns = [pose.rotation.x_axis[i], pose.rotation.y_axis[i], pose.rotation.z_axis[i]];
            let products = columns.iter().zip(p.to_array()).map(|(r, x)| exact(*r) * exact(x));
            let way = products.fold(exact(pose.translation[i]) - exact(other[i]), |sum, term| sum + term);
            &way * &way
        });
        squared.fold(RBig::ZERO, |sum, term| sum + term).to_f64().value().sqrt()
    }

    /// Hulls were rebuilt for every scene, and so were all trees of several bodies, which is most of a checker's time.
    #[test]
    fn groups_that_are_known_keep_their_trees_and_hulls() {
        let mut random = Random::new(31);
        let (mut kept, mut merged) = (0, 0);
        for _ in 0..200 {
            let Ok(scene) = Scene::new(random_parts(&mut random)) else { continue };
            for grouping in [Grouping::Together, Grouping::Listed] {
                let known = Groups::new(&scene, grouping, &[]).groups;
                let again = Groups::new(&scene, grouping, &known).groups;
                assert_eq!(known.len(), again.len());
                for (before, after) in known.iter().zip(&again) {
                    assert_eq!(before.members, after.members);
                    assert!(Arc::ptr_eq(&before.hulls, &after.hulls));
                    assert!(std::ptr::eq(before.indexed.tree(), after.indexed.tree()));
                    kept += 1;
                    merged += usize::from(before.members.len() > 1);
                }
                let elsewhere = known.iter().map(|group| {
                    let moved =
                        group.placed.iter().map(|(pose, body)| (Pose { translation: DVec3::ONE, ..*pose }, body));
                    let placed: Vec<(Pose, Body)> = moved.map(|(pose, body)| (pose, body.clone())).collect();
                    !super::merged(&placed, &known).shares_geometry_with(group.indexed.body())
                });
                assert!(elsewhere.into_iter().all(|is_new| is_new), "at another place it is another body");
            }
        }
        assert!(kept > 500 && merged > 20, "{kept} {merged}");
    }
}
