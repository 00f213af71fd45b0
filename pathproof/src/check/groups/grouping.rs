//! Decides which bodies share a tree.
//!
//! Static bodies that have the same rules towards every moving body share one tree, so that no rule is looked up at a
//! leaf; a leaf still stores its body. Static links that are checked alike against a frame may share another, larger
//! tree for that frame. Moving bodies on one frame share a tree towards another frame (or static bodies) if their
//! rules towards it agree; towards a third frame they may share it with others.

use std::collections::BTreeMap;

use crate::check::clusters::Clusters;
use crate::check::extents::hull_points;
use crate::robot::Model;
use crate::scene::{BodyShape, CheckedPair, PairKind, Role, Scene};
use crate::shapes::Body;

use super::{Group, GroupPair, Groups, HalfSpace, Opposite, building};

/// Bodies that share a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::check) enum Grouping {
    /// Static bodies, and moving bodies on one frame whose rules towards another frame agree. A body may be in several
    /// groups.
    Together,
    /// Static bodies with the same rules: every body is in one group, which a certificate can state.
    Listed,
    /// No bodies, so that a contact with one does not hide another.
    Separate,
}

/// A pair's kind and its clearance (its bits, which have an order).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rule {
    clearance: u64,
    kind: PairKind,
}

impl Rule {
    fn of(pair: &CheckedPair) -> Self {
        Self { clearance: pair.clearance.to_bits(), kind: pair.kind }
    }
}

/// The bodies that a static body is checked with, and the rule for each.
type Rules = Vec<(usize, Rule)>;

/// Opposite side of a moving body: the bodies of a frame, a group of static ones, a half-space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Towards {
    Frame(usize),
    Static(usize),
    HalfSpace(usize),
}

/// Static bodies with more triangles than this are not added to another tree: it takes longer to build than it saves.
const MOST_TRIANGLES: usize = 50_000;

/// For a moving body: the bodies of the other side that it is checked against, and the rule for each.
type Row = BTreeMap<usize, Rule>;

impl Groups {
    /// Groups the bodies of a scene and builds the trees, reusing those of `known` groups of the same bodies at the
    /// same places. The grouping, and so every answer, does not depend on `known`.
    pub(in crate::check) fn new(scene: &Scene, grouping: Grouping, known: &[Group]) -> Self {
        let mut rules: BTreeMap<usize, Rules> = BTreeMap::new();
        for pair in scene.pairs() {
            for (body, other) in [(pair.a, pair.b), (pair.b, pair.a)] {
                if scene.is_static(body) {
                    rules.entry(body).or_default().push((other, Rule::of(pair)));
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
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut number = |groups: &mut Vec<Vec<usize>>, members: &[usize]| -> usize {
            *numbers.entry(members.to_vec()).or_insert_with(|| {
                groups.push(members.to_vec());
                groups.len() - 1
            })
        };
        let mut tables = tables(scene, towards);
        let joined =
            if grouping == Grouping::Together { join_alike(scene, static_groups, &mut tables) } else { Joined::new() };
        for ((frame, opposite), rows) in tables {
            // Equal rows, in the order of their first bodies.
            let mut alike: BTreeMap<(Option<usize>, bool, &Row), Vec<usize>> = BTreeMap::new();
            // Over a half-space a hull stands for a body, so the body that holds the lowest point is not known.
            let is_together = grouping == Grouping::Together && !matches!(opposite, Towards::HalfSpace(_));
            // Convex pieces stay apart from meshes if distances between them are signed, or if they come and go.
            let is_any_signed = match opposite {
                Towards::Frame(_) => rows.values().flat_map(Row::keys).any(|&column| is_convex(scene, column)),
                Towards::Static(_) | Towards::HalfSpace(_) => true,
            } && rows.keys().any(|&body| is_convex(scene, body));
            let is_link = |body: usize| scene.bodies()[body].role == Role::Link;
            let stays_apart = |body: usize| is_convex(scene, body) && (is_any_signed || !is_link(body));
            for (&body, row) in &rows {
                let alone = (!is_together).then_some(body);
                alike.entry((alone, stays_apart(body), row)).or_default().push(body);
            }
            for ((_, _, row), members) in alike {
                let mut columns: BTreeMap<(Option<usize>, bool, Rule), Vec<usize>> = BTreeMap::new();
                for (&column, &rule) in row {
                    let is_body = matches!(opposite, Towards::Frame(_));
                    let alone = (is_body && grouping != Grouping::Together).then_some(column);
                    columns.entry((alone, is_body && stays_apart(column), rule)).or_default().push(column);
                }
                for ((_, _, rule), columns) in columns {
                    let a = number(&mut groups, &members);
                    let b = match opposite {
                        Towards::Frame(_) => Opposite::Group(number(&mut groups, &columns)),
                        Towards::Static(group) => {
                            let members = joined.get(&(frame, group)).unwrap_or(&static_groups[group]);
                            Opposite::Group(number(&mut groups, members))
                        }
                        Towards::HalfSpace(number) => Opposite::HalfSpace(number),
                    };
                    let (kind, clearance) = (rule.kind, f64::from_bits(rule.clearance));
                    self.pairs.push(GroupPair { a, b, kind, clearance, ancestor: 0 });
                }
            }
        }
        self.groups = building::build(scene, groups, known);
        self.relate(scene.model());
    }

    /// Sets the references between pairs and groups.
    fn relate(&mut self, model: &Model) {
        for pair in &mut self.pairs {
            match pair.b {
                Opposite::Group(b) => {
                    pair.ancestor = model.common_ancestor(self.groups[pair.a].frame, self.groups[b].frame);
                }
                Opposite::HalfSpace(_) if self.groups[pair.a].hull.is_empty() => {
                    let group = &mut self.groups[pair.a];
                    group.hull = hull_points(group.indexed.body());
                }
                Opposite::HalfSpace(_) => {}
            }
        }
    }
}

/// For each frame and opposite side: the rows of the frame's bodies.
type Tables = BTreeMap<(usize, Towards), BTreeMap<usize, Row>>;

/// For a frame and a static group: the static bodies that are checked in its place.
type Joined = BTreeMap<(usize, usize), Vec<usize>>;

/// Joins groups of static links that are checked alike with the bodies of a frame, and puts them in the place of the
/// first. Where some of these bodies are convex, so that distances from convex groups are signed, such groups stay
/// apart from meshes. Groups with objects stay as they are: an object is moved, and a large tree that it shares would
/// be rebuilt.
fn join_alike(scene: &Scene, static_groups: &[Vec<usize>], tables: &mut Tables) -> Joined {
    let mut alike: BTreeMap<(usize, bool, Rules), Vec<usize>> = BTreeMap::new();
    for ((frame, towards), rows) in &*tables {
        let Towards::Static(group) = *towards else { continue };
        if !static_groups[group].iter().all(|&body| scene.bodies()[body].role == Role::Link) {
            continue;
        }
        let is_signed = rows.keys().any(|&body| is_convex(scene, body))
            && static_groups[group].iter().all(|&body| is_convex(scene, body));
        let rules = rows.iter().flat_map(|(&moving, row)| row.values().map(move |&rule| (moving, rule)));
        alike.entry((*frame, is_signed, rules.collect())).or_default().push(group);
    }
    let mut joined = Joined::new();
    for ((frame, ..), groups) in alike {
        let mut members: Vec<usize> = groups.iter().flat_map(|&group| static_groups[group].iter().copied()).collect();
        let triangles = members.iter().filter_map(|&body| parts(scene, body)).map(|body| body.triangles().len());
        if triangles.sum::<usize>() > MOST_TRIANGLES {
            continue;
        }
        members.sort_unstable();
        for &other in &groups[1..] {
            tables.remove(&(frame, Towards::Static(other)));
        }
        joined.insert((frame, groups[0]), members);
    }
    joined
}

fn tables(scene: &Scene, towards: &BTreeMap<usize, Towards>) -> Tables {
    let frame_of = |body: usize| scene.model().frame_of(scene.bodies()[body].link);
    let mut tables = Tables::new();
    for pair in scene.pairs() {
        // A half-space has no group. If the scene names a pair of two static bodies, one counts as moving.
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
        rows.entry(moving).or_default().insert(column, Rule::of(pair));
    }
    tables
}

/// True if a body consists of convex pieces, so that distances from it may be signed.
fn is_convex(scene: &Scene, body: usize) -> bool {
    parts(scene, body).is_some_and(|body| body.triangles().is_empty())
}

pub(super) fn parts(scene: &Scene, body: usize) -> Option<&Body> {
    match &scene.bodies()[body].shape {
        BodyShape::Parts(parts) => Some(parts),
        BodyShape::HalfSpace { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::{DVec3, Random};
    use crate::scene::tests::random_parts;
    use crate::shapes::TriangleMesh;

    /// Pairs of groups stand for exactly the scene's pairs of bodies: none missing, none twice, none added, each with
    /// its clearance. The sign of a distance does not depend on what else shares a tree. Objects share a tree with as
    /// few others as possible, because it is rebuilt when they move.
    #[test]
    fn pairs_of_groups_stand_for_every_pair_of_the_scene_once() {
        let mut random = Random::new(29);
        let (mut seen, mut shared, mut with_signed, mut joined) = (0, 0, 0, 0);
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
                scene.pairs().iter().map(|pair| (pair.a, pair.b, pair.clearance.to_bits(), pair.kind)).collect();
            let mut signed = Vec::new();
            for grouping in [Grouping::Together, Grouping::Listed, Grouping::Separate] {
                let groups = Groups::new(&scene, grouping, &[]);
                let mut found = Vec::new();
                let mut signed_here = Vec::new();
                for pair in &groups.pairs {
                    let opposite = match pair.b {
                        Opposite::Group(b) => groups.groups[b].members().to_vec(),
                        Opposite::HalfSpace(b) => vec![groups.half_spaces[b].body],
                    };
                    for &a in groups.groups[pair.a].members() {
                        found.extend(
                            opposite.iter().map(|&b| (a.min(b), a.max(b), pair.clearance.to_bits(), pair.kind)),
                        );
                        let of_pair = |&b: &usize| groups.is_signed(pair).then_some((a.min(b), a.max(b)));
                        signed_here.extend(opposite.iter().filter_map(of_pair));
                    }
                }
                signed_here.sort_unstable();
                signed.push(signed_here);
                found.sort_unstable();
                assert_eq!(found, expected, "{case}: {grouping:?}");
                seen += found.len();
                shared += found.len() - groups.pairs.len();
            }
            assert_eq!(signed[0], signed[1], "{case}");
            let [together, listed] = [Grouping::Together, Grouping::Listed].map(|way| Groups::new(&scene, way, &[]));
            let is_listed = |group: &Group| listed.groups.iter().any(|other| other.members() == group.members());
            for group in together.groups.iter().filter(|group| !is_listed(group)) {
                let mut members = group.members().iter().map(|&body| &scene.bodies()[body]);
                let is_moving = !scene.is_static(group.members()[0]);
                assert!(is_moving || members.all(|body| body.role == Role::Link), "{case}");
                joined += usize::from(!is_moving);
            }
            with_signed += usize::from(signed[0].len() > 1);
        }
        assert!(seen > 10_000 && shared > 1_000, "{seen} pairs, {shared} shared");
        assert!(
            with_signed > 100 && joined > 20,
            "{with_signed} scenes with signed distances, {joined} trees of links"
        );
    }
}
