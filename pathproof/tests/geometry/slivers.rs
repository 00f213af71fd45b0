//! Long thin triangles, which trees of boxes cut into shards: distances, containment and size, against brute force.

use crate::common::{Example, Raw, blob, grid, random_pose, soup, true_distance};
use crate::queries::check_promises;
use pathproof::distance::{Indexed, Query};
use pathproof::numeric::{DVec3, Pose, Random, Width};
use pathproof::shapes::{Body, TriangleMesh};
use pathproof::trees::{BoxTree, Direction, Slot, Stack, Step, Visit, VolumeTree, traverse};

/// A fan of `n` slivers about the origin in the plane z = 0, the rim at radii given by its number.
fn fan(n: u32, mut radius: impl FnMut(u32) -> f64) -> Raw {
    let mut raw = Raw { vertices: vec![DVec3::ZERO], triangles: Vec::new() };
    for i in 0..n {
        let (s, c) = (f64::from(i) * std::f64::consts::TAU / f64::from(n)).sin_cos();
        raw.vertices.push(DVec3::new(c, s, 0.0) * radius(i));
        raw.triangles.push([0, 1 + i, 1 + (i + 1) % n]);
    }
    raw
}

/// Meshes in which some triangles are far longer than they are wide: fans in any plane, needles from one point and from
/// many, with small triangles beside them or not, some without an area.
fn slivers(random: &mut Random) -> Raw {
    let turn = if random.below(4) == 0 { Pose::IDENTITY } else { random.pose(0.3) };
    let n = 20 + random.below(80);
    let raw = match random.below(5) {
        0 => fan(n as u32, |_| 1.0),
        1 => fan(n as u32, |i| if i % 3 == 0 { random.between(0.1, 1.0) } else { 1.0 }),
        // A square's fan, as a floor has it.
        2 => fan(n as u32, |i| {
            let (s, c) = (f64::from(i) * std::f64::consts::TAU / n as f64).sin_cos();
            0.8 / s.abs().max(c.abs())
        }),
        kind => {
            let mut raw = Raw::default();
            for i in 0..n as u32 {
                let from = if kind == 3 { DVec3::ZERO } else { random.point(0.5) };
                let along = random.direction() * random.between(0.2, 1.5);
                let width = [0.0, 1e-9, 1e-3, 0.03][random.below(4)];
                let mut beside = || from + along * random.unit() + random.point(1.0) * width;
                raw.vertices.extend([from, from + along, beside(), beside()]);
                raw.triangles.extend([[4 * i, 4 * i + 1, 4 * i + 2], [4 * i + 1, 4 * i, 4 * i + 3]]);
            }
            raw
        }
    };
    let raw = raw.map(|p| turn.point(p));
    match random.below(3) {
        0 => raw,
        1 => raw.with(soup(random, 300, 1.0, 0.03)),
        _ => raw.with(grid(14, |x, y| 0.1 * (3.0 * x).sin() * y)),
    }
}

#[test]
fn distances_of_bodies_with_slivers_are_those_of_brute_force() {
    let mut random = Random::new(1);
    let (mut shattered, mut apart) = (0, 0);
    for case in 0..240 {
        let scale = [1.0, 1e-4, 1e3][case % 3];
        let mut example = || Example::of_mesh(slivers(&mut random).map(|p| p * scale));
        let (a, b) = (example(), example());
        let b = if case % 4 == 0 { Example::random_mesh(&mut random) } else { b };
        let mut a_from_b = random_pose(&mut random);
        a_from_b.translation *= scale;
        let truth = true_distance(&a, &b, &a_from_b);
        apart += usize::from(truth > 0.0);
        shattered += usize::from(extra_leaves(&a.body) > 0);
        check_promises::<BoxTree>(&a, &b, &a_from_b, truth, &mut Random::new(case as u64));
    }
    assert!(shattered > 40 && apart > 60, "{shattered} {apart}");
}

/// Counts the leaves of a tree against a single triangle.
struct Leaves {
    count: usize,
    direction: Direction,
}

impl Visit for Leaves {
    fn enter(&mut self, _lower: f32, _a: Slot, _b: Slot) -> bool {
        true
    }

    fn primitives(&mut self, _a: usize, _b: usize) -> Step {
        self.count += 1;
        Step::Continue
    }

    fn direction(&self) -> &Direction {
        &self.direction
    }

    fn count(&mut self, _volume_pairs: usize) {}
}

/// How many leaves a tree has more than there are primitives.
fn extra_leaves(body: &Body) -> usize {
    let single = Body::from_mesh(soup(&mut Random::new(0), 1, 0.0, 1.0).mesh());
    let (tree, other) = (BoxTree::build(body), BoxTree::build(&single));
    let pair = BoxTree::pair(&tree, &other, &Pose::IDENTITY, 0.0);
    let mut visit = Leaves { count: 0, direction: Direction::new(DVec3::X, &Pose::IDENTITY) };
    assert_eq!(traverse(Width::Base, &pair, [&tree, &other], &mut Stack::default(), &mut visit), Step::Continue);
    visit.count - body.primitives()
}

#[test]
fn trees_of_slivers_hold_them_in_at_most_a_fifth_more_leaves() {
    let mut random = Random::new(2);
    for case in 0..60 {
        let body = Body::from_mesh(slivers(&mut random).with(soup(&mut random, 500, 1.0, 0.05)).mesh());
        let tree = BoxTree::build(&body);
        assert_eq!(tree.broken_invariant(&body), None, "case {case}");
        let extra = extra_leaves(&body);
        assert!(extra <= body.primitives() / 5, "case {case}: {extra} of {}", body.primitives());
    }
}

#[test]
fn trees_of_ordinary_triangles_have_next_to_no_shards() {
    let mut random = Random::new(3);
    let blob = blob(50, 30, |_| random.between(0.8, 1.0));
    for raw in [blob, grid(70, |x, y| (5.0 * x).sin() * y), crate::common::torus(1.0, 0.3, 100, 50)] {
        let body = Body::from_mesh(raw.mesh());
        let extra = extra_leaves(&body);
        assert!(extra <= body.primitives() / 500, "{extra} of {}", body.primitives());
    }
}

/// A ray that passes the boxes of several shards of a triangle crosses it once.
#[test]
fn containment_counts_every_sliver_once() {
    let mut random = Random::new(4);
    let mut inside = 0;
    for _ in 0..20 {
        // A drum whose ends are fans, among small triangles that make its slivers long.
        let n = 40 + random.below(60) as u32;
        let turn = random.pose(0.5);
        let bottom = fan(n, |_| 1.0).map(|p| p - DVec3::Z * 0.3).reversed();
        let mut raw = bottom.with(fan(n, |_| 1.0).map(|p| p + DVec3::Z * 0.3));
        for i in 0..n {
            let (low, next, top) = (1 + i, 1 + (i + 1) % n, n + 1);
            raw.triangles.extend([[low, next, top + next], [low, top + next, top + low]]);
        }
        let raw = raw.with(blob(20, 10, |_| 0.1)).map(|p| turn.point(p));
        let mesh = raw.mesh();
        let body = Body::from_mesh(mesh.clone());
        assert!(extra_leaves(&body) > 0);
        let outer: Indexed = Indexed::new(body);
        for _ in 0..200 {
            let p = turn.point(random.point(1.2) * DVec3::new(1.0, 1.0, 0.4));
            let tiny = TriangleMesh::new(vec![p, p + DVec3::X * 1e-9, p + DVec3::Y * 1e-9], vec![[0, 1, 2]]);
            let inner: Indexed = Indexed::new(Body::from_mesh(tiny.expect("valid")));
            let found = Query::new(&outer, &inner, &Pose::IDENTITY, &Pose::IDENTITY).containment();
            assert_eq!(found.is_some(), mesh.is_inside(p));
            inside += usize::from(found.is_some());
        }
    }
    assert!(inside > 500, "{inside}");
}
