//! Follows pairs of boxes that may touch down to the primitives where contact is likely; certifies nothing.

use super::lanes::{exceeds, lanes_of};
use super::{Pending, Search};
use crate::numeric::simd::*;
use crate::trees::{BoxTree, SiblingPairs, Side, VolumeTree, greater};

/// If boxes come first, this many pairs of them are followed before hulls are tested: by then boxes have mostly shown
/// that there is contact, or that there is none.
const DIVE: usize = 64;

impl Search<'_, '_> {
    /// Follows the pairs of boxes that overlap deepest, for a while, without testing hulls; then tests the hulls of
    /// the front once. True if that decides between contact and none.
    #[inline(always)]
    pub(super) fn dive<S: Simd>(&mut self, simd: S, front: &[SiblingPairs]) -> bool {
        let [tree_a, tree_b] = self.trees;
        for _ in 0..DIVE {
            let Some(next) = self.scratch.pending.pop() else { return true };
            let [a, b] = next.slots;
            let siblings = match (tree_a.primitive(a), tree_b.primitive(b)) {
                (Some(primitive_a), Some(primitive_b)) => {
                    self.primitives(next, [primitive_a, primitive_b]);
                    if self.is_over() {
                        return true;
                    }
                    continue;
                }
                (None, Some(_)) => tree_a.siblings(Side::A, a, b),
                (None, None) if tree_a.size(a) > tree_b.size(b) => tree_a.siblings(Side::A, a, b),
                _ => tree_b.siblings(Side::B, b, a),
            };
            self.follow(simd, &siblings);
        }
        self.are_shells_apart(front)
    }

    /// Queues the pairs of boxes that may be in contact.
    #[inline(always)]
    pub(super) fn follow<S: Simd>(&mut self, simd: S, siblings: &SiblingPairs) {
        self.statistics.volume_tests += u64::from(siblings.members.count_ones());
        let first = self.scratch.pending.len();
        let mut lower = BoxTree::gaps(simd, self.query.pair(), self.trees, siblings);
        let mut touching = siblings.members & !exceeds(lower, self.apart).to_bitmask() as u8;
        if touching & BoxTree::slanted_pairs(self.trees, siblings) != 0 {
            lower = greater(lower, BoxTree::gaps_across(simd, self.query.pair(), self.trees, siblings));
            touching &= !exceeds(lower, self.apart).to_bitmask() as u8;
        }
        let lower = lower.to_array();
        for lane in lanes_of(touching) {
            let (slots, side) = (siblings.slots(lane), siblings.side());
            self.push(Pending { lower: lower[lane], slots, side, halves: 0 }, first);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::verdict::Statistics;
    use crate::check::{CheckScratch, Checker, Settings};
    use crate::numeric::{DVec3, Pose};
    use crate::robot::{JointKind, JointSpec, Model};
    use crate::scene::{BodyShape, Role, Scene, SceneBody, SceneParts};
    use crate::shapes::{Body, Convex, TriangleMesh};

    /// An egg, twice as high as wide, of `COUNT`² fields, two triangles each.
    fn egg(radius: f64) -> Body {
        const COUNT: u32 = 64;
        let angle = |i: u32, turn: f64| f64::from(i) * turn / f64::from(COUNT);
        let corner = |i: u32| {
            let (up, round) = (angle(i / COUNT, std::f64::consts::PI), angle(i % COUNT, std::f64::consts::TAU));
            DVec3::new(up.sin() * round.cos(), up.sin() * round.sin(), 2.0 * up.cos()) * radius
        };
        let fields = (0..COUNT * COUNT).map(|i| [i, i - i % COUNT + (i + 1) % COUNT]);
        let triangles = fields.flat_map(|[i, j]| [[i, i + COUNT, j], [j, i + COUNT, j + COUNT]]);
        let corners = (0..(COUNT + 1) * COUNT).map(corner).collect();
        Body::from_mesh(TriangleMesh::new(corners, triangles.collect()).expect("an egg"))
    }

    /// Cost of the first probe for an arm that carries an egg a long way round, past another body of that size. It
    /// misses that body by a hair in the middle of the way: balls and boxes around them overlap, hulls do not.
    fn first_look(other: Body) -> Statistics {
        let turn = JointKind::Revolute { axis: DVec3::Z };
        let turn = JointSpec::new("turn", turn, "world", "arm", Pose::IDENTITY);
        let joints = vec![JointSpec { limits: vec![Some((-4.0, 4.0))], ..turn }];
        let mut parts = SceneParts::new(Model::new("world", vec!["world".into(), "arm".into()], joints).unwrap());
        let diagonal = DVec3::new(1.0, 1.0, 0.0).normalize();
        for (name, link, body, at) in [("carried", 1, egg(0.3), 1.0), ("passed", 0, other, 1.6003)] {
            let (role, shape) = (if link == 0 { Role::Obstacle } else { Role::Link }, BodyShape::Parts(body));
            let link_from_body = Pose::from_translation(diagonal * at);
            parts.bodies.push(SceneBody { name: name.into(), role, link, link_from_body, shape });
        }
        let checker = Checker::new(Scene::new(parts).unwrap());
        let settings = Settings { max_queries: Some(1), ..Settings::default() };
        checker.segment(&[-4.0], &[4.0], &settings, &mut CheckScratch::new(&checker)).unwrap().statistics
    }

    #[test]
    fn boxes_of_meshes_are_followed_for_a_while_before_hulls_are_asked() {
        let mesh = first_look(egg(0.3));
        // A step tests eight boxes at most.
        assert!((32..600).contains(&mesh.volume_tests), "{mesh:?}");
    }

    #[test]
    fn hulls_are_asked_at_once_where_a_side_has_convex_pieces() {
        let piece = first_look(Body::from_convex(Convex::capsule(0.3, 0.6).unwrap()));
        assert!((1..5).contains(&piece.volume_tests) && piece.triangle_tests == 0, "{piece:?}");
    }
}
