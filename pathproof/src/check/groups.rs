//! What moves as one: the bodies of a frame that share their rules in one tree, and the static bodies in few trees.
//!
//! Static bodies that have the same rules towards every moving body share one tree, so that no rule is looked up at a
//! leaf; a leaf still knows which body it came from. Moving bodies on one frame share a tree towards another frame (or a
//! static group) if their rules towards that agree; towards a third frame they may share it with others. Half-spaces have
//! no tree: see [`HalfSpace`].

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ball::Ball;
use super::clusters::Clusters;
use super::extents::{extent, hull_points};
use crate::distance::Indexed;
use crate::numeric::{DVec3, Pose, ROUNDOFF_F64, add_up, norm_up};
use crate::robot::bounds::lambda;
use crate::robot::{Extent, Kinematics, Model, Motion};
use crate::scene::{BodyShape, Scene};
use crate::shapes::Body;
use crate::trees::{NodeHulls, VolumeTree as _};

/// The groups of a scene and the pairs of them that are checked.
#[derive(Debug)]
pub(super) struct Groups {
    pub(super) groups: Vec<Group>,
    pub(super) half_spaces: Vec<HalfSpace>,
    pub(super) pairs: Vec<GroupPair>,
    /// Where there are many pairs, and no certificate or list of all findings is asked for.
    pub(super) clusters: Option<Clusters>,
    /// For each pair what its uncovered length counts in the order of probes, see [`super::likelihood`]; empty: alike.
    pub(super) weights: Vec<f64>,
}

/// A body, or several that never move relative to each other and share their rules.
#[derive(Debug)]
pub(super) struct Group {
    /// The frame of the model that carries it.
    pub(super) frame: usize,
    pub(super) frame_from_group: Pose,
    pub(super) extent: Extent,
    /// A ball around it, in the frame.
    pub(super) ball_in_frame: Ball,
    pub(super) indexed: Indexed,
    /// Of the tree's nodes.
    pub(super) hulls: Arc<NodeHulls>,
    /// Where it is checked against a half-space: points whose hull is that of its meshes.
    pub(super) hull: Vec<DVec3>,
    /// The scene's bodies, in the order of the parts.
    members: Vec<usize>,
    /// What it was merged from, and where each of it is in the frame.
    placed: Vec<(Pose, Body)>,
}

/// Everything below a plane. It stands still.
#[derive(Debug)]
pub(super) struct HalfSpace {
    /// The scene's body.
    pub(super) body: usize,
    pub(super) world_from_plane: Pose,
    /// In the plane's frame.
    pub(super) normal: DVec3,
}

/// What a group is checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Opposite {
    /// Another group.
    Group(usize),
    /// A half-space.
    HalfSpace(usize),
}

/// A pair that is checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroupPair {
    pub(super) a: usize,
    pub(super) b: Opposite,
    pub(super) clearance: f64,
    /// The lowest frame above both: only motion relative to it counts.
    pub(super) ancestor: usize,
}

/// Which bodies share a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grouping {
    /// Static ones with the same rules, and moving ones on one frame as far as their rules towards another frame agree. A
    /// moving body may be in several groups.
    Together,
    /// Static ones with the same rules: every body is in one group, which is what a certificate can state.
    Listed,
    /// None, so that a contact with one of them does not hide another.
    Separate,
}

/// With which other bodies a static body is checked, at which clearance (its bits, which have an order).
type Rules = Vec<(usize, u64)>;

/// What a moving body is checked against: the bodies of a frame, a group of static ones, a half-space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Towards {
    Frame(usize),
    Static(usize),
    HalfSpace(usize),
}

/// For a moving body: what of the other side it is checked against, and the clearance (its bits).
type Row = BTreeMap<usize, u64>;

impl Groups {
    /// Groups the bodies of a scene and builds the trees, but for those of `known` groups of the same bodies at the same
    /// places. What is grouped, and so every answer, does not depend on what is known.
    pub(super) fn new(scene: &Scene, grouping: Grouping, known: &[Group]) -> Self {
        let mut rules: BTreeMap<usize, Rules> = BTreeMap::new();
        for pair in scene.pairs() {
            for (body, other) in [(pair.a, pair.b), (pair.b, pair.a)] {
                if scene.is_static(body) {
                    rules.entry(body).or_default().push((other, pair.clearance.to_bits()));
                }
            }
        }
        let mut alike: BTreeMap<(Option<usize>, Rules), Vec<usize>> = BTreeMap::new();
        let mut half_spaces = Vec::new();
        for (body, rule) in rules {
            if parts(scene, body).is_none() {
                half_spaces.push(body);
            } else {
                let alone = (grouping == Grouping::Separate).then_some(body);
                alike.entry((alone, rule)).or_default().push(body);
            }
        }
        let static_groups: Vec<Vec<usize>> = alike.into_values().collect();
        let mut towards: BTreeMap<usize, Towards> = BTreeMap::new();
        for (number, bodies) in static_groups.iter().enumerate() {
            towards.extend(bodies.iter().map(|&body| (body, Towards::Static(number))));
        }
        towards.extend(half_spaces.iter().enumerate().map(|(number, &body)| (body, Towards::HalfSpace(number))));
        let half_spaces = half_spaces.into_iter().filter_map(|body| HalfSpace::new(scene, body)).collect();
        let mut result =
            Self { groups: Vec::new(), half_spaces, pairs: Vec::new(), clusters: None, weights: Vec::new() };
        result.add_pairs(scene, grouping, &static_groups, &towards, known);
        if grouping == Grouping::Together {
            result.clusters = Clusters::new(scene.model(), &result.groups, &result.pairs);
        }
        result
    }

    fn add_pairs(
        &mut self,
        scene: &Scene,
        grouping: Grouping,
        static_groups: &[Vec<usize>],
        towards: &BTreeMap<usize, Towards>,
        known: &[Group],
    ) {
        let mut numbers: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
        let mut number = |groups: &mut Vec<Group>, members: &[usize]| -> usize {
            *numbers.entry(members.to_vec()).or_insert_with(|| {
                groups.push(Group::new(scene, members.to_vec(), known));
                groups.len() - 1
            })
        };
        for ((_, opposite), rows) in tables(scene, towards) {
            // Rows that are alike, in the order of their first bodies.
            let mut alike: BTreeMap<(Option<usize>, bool, &Row), Vec<usize>> = BTreeMap::new();
            // Over a half-space a hull stands for a body, and cannot tell whose point is the lowest.
            let is_together = grouping == Grouping::Together && !matches!(opposite, Towards::HalfSpace(_));
            for (&body, row) in &rows {
                let alone = (!is_together).then_some(body);
                alike.entry((alone, is_convex(scene, body), row)).or_default().push(body);
            }
            for ((_, _, row), members) in alike {
                let mut columns: BTreeMap<(Option<usize>, bool, u64), Vec<usize>> = BTreeMap::new();
                for (&column, &clearance) in row {
                    let is_body = matches!(opposite, Towards::Frame(_));
                    let alone = (is_body && grouping != Grouping::Together).then_some(column);
                    let is_convex = is_body && is_convex(scene, column);
                    columns.entry((alone, is_convex, clearance)).or_default().push(column);
                }
                for ((_, _, clearance), columns) in columns {
                    let a = number(&mut self.groups, &members);
                    let b = match opposite {
                        Towards::Frame(_) => Opposite::Group(number(&mut self.groups, &columns)),
                        Towards::Static(group) => Opposite::Group(number(&mut self.groups, &static_groups[group])),
                        Towards::HalfSpace(number) => Opposite::HalfSpace(number),
                    };
                    self.add_pair(scene.model(), a, b, f64::from_bits(clearance));
                }
            }
        }
    }

    fn add_pair(&mut self, model: &Model, a: usize, b: Opposite, clearance: f64) {
        let ancestor = match b {
            Opposite::Group(b) => model.common_ancestor(self.groups[a].frame, self.groups[b].frame),
            Opposite::HalfSpace(_) => 0,
        };
        self.pairs.push(GroupPair { a, b, clearance, ancestor });
        let group = &mut self.groups[a];
        if matches!(b, Opposite::HalfSpace(_)) && group.hull.is_empty() {
            group.hull = hull_points(group.indexed.body());
        }
    }

    /// What the uncovered length of a pair counts in the order of probes.
    pub(super) fn weight(&self, pair: usize) -> f64 {
        self.weights.get(pair).copied().unwrap_or(1.0)
    }

    /// Bytes of all trees.
    pub(super) fn tree_bytes(&self) -> usize {
        self.groups.iter().map(|group| group.indexed.tree().bytes() + group.hulls.bytes()).sum()
    }

    /// Upper bound on the arc length of a pair relative to each other over a motion.
    pub(super) fn upper_arc(&self, pair: &GroupPair, model: &Model, motion: &Motion) -> f64 {
        let arc_of = |group: usize| lambda(model, motion, &self.groups[group].extent, pair.ancestor);
        match pair.b {
            Opposite::Group(b) => add_up(arc_of(pair.a), arc_of(b)),
            Opposite::HalfSpace(_) => arc_of(pair.a),
        }
    }

    /// Whether the distance of a pair is signed: both sides consist of convex pieces.
    pub(super) fn is_signed(&self, pair: &GroupPair) -> bool {
        self.groups[pair.a].is_convex()
            && match pair.b {
                Opposite::Group(b) => self.groups[b].is_convex(),
                Opposite::HalfSpace(_) => true,
            }
    }

    /// The scene's bodies that two primitives of a pair belong to.
    pub(super) fn bodies_of(&self, pair: &GroupPair, primitives: [usize; 2]) -> [usize; 2] {
        let opposite = match pair.b {
            Opposite::Group(b) => self.groups[b].body_of(primitives[1]),
            Opposite::HalfSpace(b) => self.half_spaces[b].body,
        };
        [self.groups[pair.a].body_of(primitives[0]), opposite]
    }

    /// The sum of the radii of a pair's bodies.
    pub(super) fn size(&self, pair: &GroupPair) -> f64 {
        let radius = |group: usize| self.groups[group].indexed.body().radius();
        match pair.b {
            Opposite::Group(b) => radius(pair.a) + radius(b),
            Opposite::HalfSpace(_) => radius(pair.a),
        }
    }
}

/// Bodies as one, which keeps its tree: that of a known group of the same bodies at the same places, if there is one.
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

impl Group {
    fn new(scene: &Scene, members: Vec<usize>, known: &[Self]) -> Self {
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

    /// The scene's bodies it is made of.
    pub(super) fn members(&self) -> &[usize] {
        &self.members
    }

    /// The scene's body that primitive `i` belongs to.
    pub(super) fn body_of(&self, primitive: usize) -> usize {
        match &self.members[..] {
            [only] => *only,
            members => members[self.indexed.body().part_of(primitive)],
        }
    }

    /// Where it is now.
    #[inline]
    pub(super) fn world_from_group(&self, model: &Model, kinematics: &mut Kinematics) -> Pose {
        // Frame 0 is the world.
        if self.frame == 0 {
            return self.frame_from_group;
        }
        *kinematics.world_from_frame(model, self.frame) * self.frame_from_group
    }

    /// The ball around it where it is now.
    #[inline]
    pub(super) fn ball_at(&self, model: &Model, kinematics: &mut Kinematics) -> Ball {
        if self.frame == 0 {
            return self.ball_in_frame;
        }
        let centre = kinematics.world_from_frame(model, self.frame).point(self.ball_in_frame.centre);
        // Placing the centre and the difference of two round by less than 16 u of the sizes involved each.
        Ball { centre, upper_radius: self.ball_in_frame.upper_radius + 64.0 * ROUNDOFF_F64 * norm_up(centre) }
    }

    /// Upper bound on the rounding of its pose over a motion, at any of its points.
    pub(super) fn margin(&self, motion: &Motion) -> f64 {
        motion.position_error(self.frame, self.extent.origin_radius)
    }

    /// Upper bound on the distance of any of its points from the world's origin, over a motion.
    pub(super) fn reach_in_world(&self, motion: &Motion) -> f64 {
        motion.rate(self.frame).from_world.offset + self.extent.origin_radius
    }

    /// Whether it consists of triangles.
    pub(super) fn is_mesh(&self) -> bool {
        self.indexed.body().pieces().is_empty()
    }

    /// Whether it consists of convex pieces.
    pub(super) fn is_convex(&self) -> bool {
        self.indexed.body().triangles().is_empty()
    }
}

impl HalfSpace {
    fn new(scene: &Scene, body: usize) -> Option<Self> {
        let scene_body = &scene.bodies()[body];
        let BodyShape::HalfSpace { normal } = scene_body.shape else { return None };
        let world_from_plane = scene.model().links()[scene_body.link].frame_from_link * scene_body.link_from_body;
        Some(Self { body, world_from_plane, normal })
    }

    /// Upper bound on the distance of its plane's origin from the world's.
    pub(super) fn reach(&self) -> f64 {
        norm_up(self.world_from_plane.translation)
    }

    /// Upper bound on what the rounding of its pose does to the height of a group over it. The plane is off by the error
    /// of its origin and, at a point p, by the error of its rotation times |p − origin| ≤ |p| + |origin|.
    pub(super) fn margin(&self, group: &Group, motion: &Motion) -> f64 {
        motion.position_error(0, add_up(self.reach(), group.reach_in_world(motion)))
    }
}

/// For each frame and what its bodies are checked against: the rows of these bodies.
fn tables(scene: &Scene, towards: &BTreeMap<usize, Towards>) -> BTreeMap<(usize, Towards), BTreeMap<usize, Row>> {
    let frame_of = |body: usize| scene.model().frame_of(scene.bodies()[body].link);
    let mut tables: BTreeMap<(usize, Towards), BTreeMap<usize, Row>> = BTreeMap::new();
    for pair in scene.pairs() {
        // A half-space has no group; of two static bodies, which the scene may name, one counts as moving.
        let is_opposite = |body: usize| scene.is_static(body) && parts(scene, body).is_none();
        let is_first_opposite = is_opposite(pair.a) || scene.is_static(pair.a) && !is_opposite(pair.b);
        let (moving, other) = if is_first_opposite { (pair.b, pair.a) } else { (pair.a, pair.b) };
        let (moving, opposite, column) = match towards.get(&other) {
            Some(&Towards::Static(number)) => (moving, Towards::Static(number), number),
            Some(&Towards::HalfSpace(number)) => (moving, Towards::HalfSpace(number), number),
            _ => {
                let (a, b) = if frame_of(moving) < frame_of(other) { (moving, other) } else { (other, moving) };
                (a, Towards::Frame(frame_of(b)), b)
            }
        };
        let rows = tables.entry((frame_of(moving), opposite)).or_default();
        rows.entry(moving).or_default().insert(column, pair.clearance.to_bits());
    }
    tables
}

/// Whether a body consists of convex pieces, so that distances from it may be signed.
fn is_convex(scene: &Scene, body: usize) -> bool {
    parts(scene, body).is_some_and(|body| body.triangles().is_empty())
}

fn parts(scene: &Scene, body: usize) -> Option<&Body> {
    match &scene.bodies()[body].shape {
        BodyShape::Parts(parts) => Some(parts),
        BodyShape::HalfSpace { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::{DQuat, Random};
    use crate::scene::tests::random_parts;
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
            let group = Group::new(&scene, vec![0], &[]);
            let ball = group.ball_at(scene.model(), &mut Kinematics::new(scene.model()));
            for vertex in &vertices {
                let distance = (group.frame_from_group.point(*vertex) - ball.centre).length();
                assert!(distance <= ball.upper_radius, "{i}: {distance} from the centre, {ball:?}");
            }
        }
    }

    /// Hulls were built anew for every scene, and so were all trees of several bodies, which is most of a checker's time.
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

    /// The pairs of bodies that pairs of groups stand for are those of the scene: none left out, none twice, none besides,
    /// each with its clearance.
    #[test]
    fn pairs_of_groups_stand_for_every_pair_of_the_scene_once() {
        let mut random = Random::new(29);
        let (mut seen, mut shared) = (0, 0);
        for case in 0..600 {
            let mut parts = random_parts(&mut random);
            for body in &mut parts.bodies {
                if random.below(2) == 0 {
                    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
                    let mesh = TriangleMesh::new(corners, vec![[0, 1, 2]]).expect("a mesh");
                    body.shape = BodyShape::Parts(Body::from_mesh(mesh));
                } else if body.role == Role::Obstacle && random.below(3) == 0 {
                    body.shape = BodyShape::HalfSpace { normal: DVec3::Z };
                }
            }
            let Ok(scene) = Scene::new(parts) else { continue };
            let expected: Vec<_> =
                scene.pairs().iter().map(|pair| (pair.a, pair.b, pair.clearance.to_bits())).collect();
            for grouping in [Grouping::Together, Grouping::Listed, Grouping::Separate] {
                let groups = Groups::new(&scene, grouping, &[]);
                let mut found = Vec::new();
                for pair in &groups.pairs {
                    let opposite = match pair.b {
                        Opposite::Group(b) => groups.groups[b].members().to_vec(),
                        Opposite::HalfSpace(b) => vec![groups.half_spaces[b].body],
                    };
                    for &a in groups.groups[pair.a].members() {
                        found.extend(opposite.iter().map(|&b| (a.min(b), a.max(b), pair.clearance.to_bits())));
                    }
                }
                found.sort_unstable();
                assert_eq!(found, expected, "{case}: {grouping:?}");
                seen += found.len();
                shared += found.len() - groups.pairs.len();
            }
        }
        assert!(seen > 10_000 && shared > 1_000, "{seen} pairs, {shared} shared");
    }
}
