//! Tests of private parts: the distance of two volumes, the outward margin, and trees that are broken on purpose.

use super::super::oracle;
use super::*;
use crate::numeric::Random;
use crate::shapes::{Primitive, TriangleMesh};

fn random_body(random: &mut Random, scale: f64) -> Body {
    let n = 1 + random.below(20);
    let size = [0.3, 0.01, 1.0][random.below(3)];
    let mut vertices = Vec::new();
    for _ in 0..n {
        let base = random.point(1.0);
        vertices.extend((0..3).map(|_| (base + random.point(size)) * scale));
    }
    let triangles = (0..n as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    Body::from_mesh(TriangleMesh::new(vertices, triangles).expect("valid"))
}

fn random_rectangle(random: &mut Random) -> Rectangle {
    let frame = random.pose(2.0);
    let (x, y) = (random.between(0.0, 1.0), random.between(0.0, 1.0) * [1.0, 0.01, 0.0][random.below(3)]);
    let x = if random.below(10) == 0 { 0.0 } else { x };
    Rectangle {
        centre: frame.translation,
        half_edges: [frame.vector(DVec3::X * x), frame.vector(DVec3::Y * y)],
        radius: random.between(0.0, 0.3),
    }
}

/// Distance of two rectangles as the least over their triangles.
fn rectangle_distance(a: &Rectangle, b: &Rectangle) -> f64 {
    let halves = |r: &Rectangle| {
        let [p, q, s, t] = r.corners();
        [[p, q, s], [p, s, t]]
    };
    let mut best = f64::INFINITY;
    for ta in halves(a) {
        for tb in halves(b) {
            best = best.min(oracle::triangles(&ta, &tb));
        }
    }
    best
}

#[test]
fn the_distance_of_two_volumes_is_that_of_the_rectangles_less_the_radii() {
    let mut random = Random::new(1);
    let mut apart = 0;
    for _ in 0..20_000 {
        let (a, b) = (random_rectangle(&mut random), random_rectangle(&mut random));
        let truth = rectangle_distance(&a, &b) - a.radius - b.radius;
        let found = f64::from(lower_distance(&a, &b, 0.0));
        assert!(found <= truth.max(0.0) + 1e-14, "{found} of {truth}");
        assert!(truth <= 0.0 || found >= truth - 1e-6, "{found} of {truth}: {a:?} {b:?}");
        apart += usize::from(truth > 0.0);
    }
    assert!(apart > 5_000);
}

#[test]
fn bounds_of_inner_volumes_never_exceed_the_distance_of_what_they_hold() {
    fn below(tree: &RssTree, body: &Body, slot: Slot) -> Vec<[DVec3; 3]> {
        match tree.primitive(slot) {
            Some(i) => match body.primitive(i) {
                Primitive::Triangle(corners) => vec![corners],
                Primitive::Piece(_) => unreachable!("meshes only"),
            },
            None => {
                let first = tree.nodes[slot.0 as usize].child;
                [first, first + 1].iter().flat_map(|&c| below(tree, body, Slot(c))).collect()
            }
        }
    }
    let mut random = Random::new(2);
    let mut positive = 0;
    for case in 0..1_500 {
        let scale = [1.0, 1e-7, 1e5][case % 3];
        let (a, b) = (random_body(&mut random, scale), random_body(&mut random, scale));
        let (ta, tb) = (RssTree::build(&a), RssTree::build(&b));
        let a_from_b = {
            let reach = [0.5, 2.0, 1e5][random.below(3)] * scale;
            random.pose(reach)
        };
        let pair = RssTree::pair(&ta, &tb, &a_from_b, 0.0);
        for _ in 0..4 {
            let slot = |random: &mut Random, tree: &RssTree| Slot(random.below(tree.nodes.len()) as u32);
            let (slot_a, slot_b) = (slot(&mut random, &ta), slot(&mut random, &tb));
            for side in [Side::A, Side::B] {
                let (opened_tree, opened, other_tree, other) = match side {
                    Side::A => (&ta, slot_a, &tb, slot_b),
                    Side::B => (&tb, slot_b, &ta, slot_a),
                };
                if opened_tree.primitive(opened).is_some() {
                    continue;
                }
                let children = opened_tree.children(&pair, side, opened, other_tree.rectangle(other));
                for i in 0..children.count {
                    let (in_a, in_b) = match side {
                        Side::A => (children.slots[i], slot_b),
                        Side::B => (slot_a, children.slots[i]),
                    };
                    let mut truth = f64::INFINITY;
                    for t in below(&tb, &b, in_b) {
                        let t = t.map(|p| a_from_b.point(p));
                        for s in below(&ta, &a, in_a) {
                            truth = truth.min(oracle::triangles(&s, &t));
                        }
                    }
                    let lower = f64::from(children.lower[i]);
                    assert!(lower <= truth, "{case}: {lower:e} of {truth:e}");
                    positive += usize::from(lower > 0.0);
                }
            }
        }
    }
    assert!(positive > 1_000, "{positive}");
}

/// The stated outward margin, with exact arithmetic: every corner is within the radius of a point of the rectangle.
#[test]
fn volumes_hold_their_points_in_exact_arithmetic() {
    use dashu_ratio::Relaxed;
    let exact = |v: DVec3| v.to_array().map(|c| Relaxed::try_from(c).expect("finite"));
    let mut random = Random::new(3);
    for case in 0..300 {
        let body = random_body(&mut random, [1.0, 1e-6, 1e6][case % 3]);
        let tree = RssTree::build(&body);
        let rectangle = tree.rectangle(tree.root());
        // In exact numbers: centre + s·x + t·y with the parameters that the library found is a point of it.
        for &p in body.vertices() {
            let v = p - rectangle.centre;
            let parameter = |edge: DVec3| (v.dot(edge) / edge.length_squared().max(1e-300)).clamp(-1.0, 1.0);
            let (s, t) = (parameter(rectangle.half_edges[0]), parameter(rectangle.half_edges[1]));
            let (s, t) = (Relaxed::try_from(s).expect("finite"), Relaxed::try_from(t).expect("finite"));
            let (c, x, y) = (exact(rectangle.centre), exact(rectangle.half_edges[0]), exact(rectangle.half_edges[1]));
            let p = exact(p);
            let mut squared = Relaxed::ZERO;
            for k in 0..3 {
                let d = &p[k] - &c[k] - &s * &x[k] - &t * &y[k];
                squared += &d * &d;
            }
            let radius = Relaxed::try_from(rectangle.radius).expect("finite");
            assert!(squared <= &radius * &radius);
        }
    }
}

#[test]
fn a_broken_tree_is_found() {
    let mut random = Random::new(4);
    let mut tried = 0;
    for case in 0..300 {
        let body = random_body(&mut random, 1.0);
        let good = RssTree::build(&body);
        assert_eq!(good.broken_invariant(&body), None);
        if body.primitives() < 3 {
            continue;
        }
        tried += 1;
        let mut bad = good.clone();
        let node = random.below(bad.nodes.len());
        match case % 3 {
            0 => bad.nodes[node].radius *= 0.999,
            1 => bad.nodes[node].centre[random.below(3)] += 3.0,
            _ => {
                let leaves: Vec<usize> = (0..bad.nodes.len()).filter(|i| bad.nodes[*i].child & LEAF != 0).collect();
                bad.nodes[leaves[0]].child = bad.nodes[leaves[1]].child;
            }
        }
        assert!(bad.broken_invariant(&body).is_some(), "case {case}, node {node}");
    }
    assert!(tried > 100);
}
