//! Trees of all kinds of bodies: containment, size, and the bounds of pairs of leaves, seen through the traversal.

use crate::common::{Example, Raw, grid, oracle, random_pose, soup, torus};
use pathproof::numeric::Width;
use pathproof::numeric::{DVec3, Pose, Random};
use pathproof::shapes::{Body, Primitive};
use pathproof::trees::{BoxTree, Direction, RssTree, Slot, Stack, Step, Visit, VolumeTree, traverse};

#[test]
fn every_primitive_is_inside_every_volume_above_it() {
    let mut random = Random::new(1);
    for case in 0..3_000 {
        let body = if case % 3 == 0 {
            let scale = 10f64.powi(random.below(12) as i32 - 6);
            let shift = random.point(100.0);
            let kind = random.below(crate::common::MESH_KINDS);
            Body::from_mesh(crate::common::raw_mesh(&mut random, kind).map(|p| (p + shift) * scale).mesh())
        } else {
            Example::random(&mut random).body
        };
        assert_eq!(BoxTree::build(&body).broken_invariant(&body), None, "case {case}");
        assert_eq!(RssTree::build(&body).broken_invariant(&body), None, "case {case}");
    }
}

fn check_size<T: VolumeTree>(body: &Body) {
    let tree = T::build(body);
    let bytes = tree.bytes() as f64 / body.primitives() as f64;
    assert!(bytes <= 120.0, "{bytes} bytes a triangle");
    assert_eq!(tree.broken_invariant(body), None);
}

#[test]
fn trees_take_at_most_120_bytes_a_triangle() {
    let mut random = Random::new(2);
    let bodies = [
        torus(1.0, 0.3, 100, 50),
        soup(&mut random, 10_000, 1.0, 0.02),
        soup(&mut random, 10_001, 1.0, 0.5),
        grid(71, |_, _| 0.0),
        grid(80, |x, y| (5.0 * x).sin() * y),
        soup(&mut random, 30_000, 1.0, 0.01).map(|p| p * DVec3::new(1.0, 1e-3, 1e-6)),
        // All in one place: no cut is better than another.
        soup(&mut random, 10_000, 0.0, 1.0),
    ];
    for raw in bodies {
        let body = Body::from_mesh(raw.mesh());
        check_size::<BoxTree>(&body);
        check_size::<RssTree>(&body);
    }
}

#[test]
fn a_hundred_thousand_triangles_are_built_and_held() {
    let body = Body::from_mesh(torus(1.0, 0.3, 250, 200).mesh());
    assert_eq!(body.primitives(), 100_000);
    check_size::<BoxTree>(&body);
    check_size::<RssTree>(&body);
}

/// Sizes that halve a thousand times over would make a tree as deep as it has triangles; it must still be built.
#[test]
fn geometric_sequences_of_sizes_do_not_overflow_the_stack() {
    let mut raw = Raw::default();
    for k in 0..600 {
        let s = 2f64.powi(30 - k);
        let first = raw.vertices.len() as u32;
        raw.vertices.extend([DVec3::X * s, DVec3::new(s, s, 0.0), DVec3::new(s, 0.0, s)]);
        raw.triangles.push([first, first + 1, first + 2]);
    }
    let body = Body::from_mesh(raw.mesh());
    assert_eq!(BoxTree::build(&body).broken_invariant(&body), None);
    assert_eq!(RssTree::build(&body).broken_invariant(&body), None);
}

/// Enters everything and compares the bound of every pair of leaves with its true distance.
struct Everything<'a> {
    b: &'a Body,
    direction: Direction,
    last: f32,
    /// The least bound at which each pair was seen, and how often it was.
    seen: Vec<(f32, u32)>,
}

impl Visit for Everything<'_> {
    fn enter(&mut self, lower: f32, _a: Slot, _b: Slot) -> bool {
        self.last = lower;
        true
    }

    fn primitives(&mut self, a: usize, b: usize) -> Step {
        // The pair's own bound was shown just before.
        let (least, count) = &mut self.seen[a * self.b.primitives() + b];
        (*least, *count) = (least.min(self.last), *count + 1);
        Step::Continue
    }

    fn direction(&self) -> &Direction {
        &self.direction
    }

    fn count(&mut self, _volume_pairs: usize) {}
}

/// `shards`: whether a primitive may be in several leaves.
fn visit_everything<T: VolumeTree>([a, b]: [&Body; 2], a_from_b: &Pose, direction: Direction, shards: bool) -> usize {
    let (ta, tb) = (T::build(a), T::build(b));
    let pair = T::pair(&ta, &tb, a_from_b, 0.0);
    let positives = Width::available().into_iter().map(|width| {
        let seen = vec![(f32::INFINITY, 0); a.primitives() * b.primitives()];
        let mut visit = Everything { b, direction, last: 0.0, seen };
        assert_eq!(traverse(width, &pair, [&ta, &tb], &mut Stack::default(), &mut visit), Step::Continue);
        let mut positive = 0;
        for (i, (least, count)) in visit.seen.into_iter().enumerate() {
            // A triangle that was cut is seen by its shards, one of which is nearest.
            assert!(count >= 1 && (count == 1 || shards), "every pair of primitives is seen once");
            let primitives = (a.primitive(i / b.primitives()), b.primitive(i % b.primitives()));
            if let (Primitive::Triangle(ta), Primitive::Triangle(tb)) = primitives {
                let truth = oracle::triangles(&ta, &tb.map(|p| a_from_b.point(p)));
                assert!(f64::from(least) <= truth, "{least:e} of {truth:e}");
                positive += usize::from(least > 0.0);
            }
        }
        positive
    });
    positives.max().unwrap_or(0)
}

#[test]
fn bounds_of_leaves_never_exceed_the_distance_and_no_pair_is_left_out() {
    let mut random = Random::new(3);
    let mut positive = 0;
    for case in 0..1_000 {
        let scale = 2f64.powi([0, -20, 17][case % 3]);
        let mut body = || {
            let kind = random.below(crate::common::MESH_KINDS);
            Body::from_mesh(crate::common::raw_mesh(&mut random, kind).map(|p| p * scale).mesh())
        };
        let (a, b) = if case % 5 == 0 {
            (Example::random(&mut random).body, Example::random(&mut random).body)
        } else {
            (body(), body())
        };
        let mut a_from_b = random_pose(&mut random);
        a_from_b.translation *= scale * [1.0, 1.0, 1e4][random.below(3)];
        // Any direction is sound: the one between the centres, an axis, or one at random.
        let n = match random.below(3) {
            0 => a_from_b.translation.normalize_or(DVec3::X),
            1 => DVec3::AXES[random.below(3)],
            _ => random.direction(),
        };
        let direction = Direction::new(n, &a_from_b);
        positive += visit_everything::<BoxTree>([&a, &b], &a_from_b, direction, true);
        positive += visit_everything::<RssTree>([&a, &b], &a_from_b, direction, false);
    }
    assert!(positive > 20_000, "{positive}");
}
