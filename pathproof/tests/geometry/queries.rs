//! Queries on pairs of bodies against brute force: bounds, rules, counters, invariances, containment.

use crate::common::oracle::Triangle;
use crate::common::{Example, Known, Raw, blob, cuboid, random_pose, soup, torus, true_distance};
use dashu_ratio::Relaxed;
use pathproof::distance::gjk::{self, Tracker};
use pathproof::distance::{Contact, Distance, Goal, Indexed, Query, Scratch, triangle};
use pathproof::numeric::Width;
use pathproof::numeric::{DVec3, Pose, ROUNDOFF_F64, Random};
use pathproof::shapes::{Body, Convex, Core, Shape, TriangleMesh};
use pathproof::trees::{BoxTree, RssTree, VolumeTree};

/// Sizes that rounding is relative to.
fn size_of_case(a: &Example, b: &Example, a_from_b: &Pose) -> f64 {
    a.size() + b.size() + a_from_b.translation.length()
}

/// How far the bounds of a pair of primitives may be apart: 1e-12 for triangles; convex pieces promise 2e-11.
fn tightness(a: &Example, b: &Example) -> f64 {
    if a.is_mesh && b.is_mesh { 1e-12 } else { 4e-11 }
}

fn distance_of(contact: Contact) -> Distance {
    match contact {
        Contact::Apart(d) | Contact::Unclear(d) | Contact::Meets(d) => d,
    }
}

/// Everything the queries promise about one pair, whose true distance is `truth`.
pub(crate) fn check_promises<T: VolumeTree>(
    a: &Example,
    b: &Example,
    a_from_b: &Pose,
    truth: f64,
    random: &mut Random,
) {
    let (ia, ib) = (Indexed::<T>::new(a.body.clone()), Indexed::<T>::new(b.body.clone()));
    let query = Query::new(&ia, &ib, &Pose::IDENTITY, a_from_b);
    let mut scratch = Scratch::default();
    let size = size_of_case(a, b, a_from_b);
    let slack = tightness(a, b) * size;
    let bracket = |d: &Distance, name: &str| {
        assert!(d.lower <= truth, "{name}: lower {:e} of {truth:e}", d.lower);
        assert!(d.upper >= truth, "{name}: upper {:e} of {truth:e}", d.upper);
        assert_eq!(d.upper.is_finite(), d.witness.is_some(), "{name}");
        if let Some(w) = d.witness {
            let between = (w.a_in_world - w.b_in_world).length();
            // Convex pieces that overlap are witnessed by a point of each, which need not be the same.
            let overlap = d.upper == 0.0 && !(a.is_mesh && b.is_mesh);
            let close = (between - d.upper).abs() <= slack;
            assert!(overlap || close, "{name}: points {between:e} apart, upper {:e}", d.upper);
        }
    };

    let exact = query.exact(&mut scratch);
    bracket(&exact, "exact");
    assert!(exact.upper - truth <= slack && truth - exact.lower <= slack, "exact {exact:?} of {truth:e}");

    let collide = query.collide(&mut scratch);
    bracket(&distance_of(collide), "collide");
    match collide {
        Contact::Apart(d) => assert!(d.lower > 0.0 && truth > 0.0),
        Contact::Unclear(_) => assert!(truth <= slack, "unclear at {truth:e}"),
        Contact::Meets(_) => assert!(truth == 0.0, "meets at {truth:e}"),
    }
    let greedy = query.greedy(0.0, &mut scratch);
    assert_eq!(greedy.counters, distance_of(collide).counters, "greedy at δ = 0 does what collision does");

    for delta in [1e-3, truth * random.between(0.0, 2.0), truth] {
        let greedy = query.greedy(delta, &mut scratch);
        bracket(&greedy, "greedy");
        assert!(greedy.lower > delta || (greedy.lower == 0.0 && truth <= delta + slack), "{greedy:?} {delta} {truth}");
    }
    for error in [0.0, 0.01, 0.5, 0.9] {
        let d = query.approximate(error, &mut scratch);
        bracket(&d, "approximate");
        assert!(d.lower >= (1.0 - error) * truth - slack, "approximate({error}) {d:?} of {truth:e}");
    }
    let enough = truth * random.between(0.0, 2.0) + 1e-6;
    let goal = Goal { enough, at_least: truth * random.between(0.0, 1.5), kappa: random.unit() };
    let d = query.with_goal(&goal, &mut scratch);
    bracket(&d, "with_goal");
    let rule = goal.at_least.max(enough.min(goal.kappa * truth)).min(truth);
    assert!(d.lower >= rule - slack, "{goal:?} {d:?} of {truth:e}");
}

#[test]
fn every_query_brackets_the_true_distance_and_keeps_its_rule() {
    let mut random = Random::new(1);
    let (mut apart, mut touching) = (0, 0);
    for case in 0..2_000 {
        let (a, b) = (Example::random(&mut random), Example::random(&mut random));
        let a_from_b = random_pose(&mut random);
        let truth = true_distance(&a, &b, &a_from_b);
        (apart, touching) = (apart + usize::from(truth > 0.0), touching + usize::from(truth == 0.0));
        let mut again = Random::new(case);
        check_promises::<BoxTree>(&a, &b, &a_from_b, truth, &mut again);
        check_promises::<RssTree>(&a, &b, &a_from_b, truth, &mut again);
    }
    assert!(apart > 500 && touching > 300, "{apart} {touching}");
}

/// Larger bodies, where most is pruned: a wrong bound of an inner volume shows here.
#[test]
fn pruning_never_loses_the_closest_pair() {
    let mut random = Random::new(2);
    for case in 0..150 {
        let a = Example::of_mesh(match case % 3 {
            0 => soup(&mut random, 150, 1.0, 0.1),
            1 => torus(0.7, 0.2, 14, 8),
            _ => blob(12, 6, |_| random.between(0.8, 1.0)),
        });
        let b = Example::of_mesh(soup(&mut random, 60, 0.5, 0.2));
        let a_from_b = random.pose(2.5);
        let truth = true_distance(&a, &b, &a_from_b);
        let mut again = Random::new(case);
        check_promises::<BoxTree>(&a, &b, &a_from_b, truth, &mut again);
        check_promises::<RssTree>(&a, &b, &a_from_b, truth, &mut again);
    }
}

#[test]
fn a_second_oracle_agrees_on_meshes() {
    use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
    use parry3d_f64::shape::TriMesh;
    let parry = |raw: &Raw| {
        let points = raw.vertices.iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
        TriMesh::new(points, raw.triangles.clone()).expect("a mesh")
    };
    let mut random = Random::new(3);
    let mut apart = 0;
    for _ in 0..300 {
        let mut raw = || match random.below(3) {
            0 => soup(&mut random, 12, 1.0, 0.4),
            1 => torus(0.7, 0.3, 5, 4),
            _ => blob(5, 3, |_| random.between(0.5, 1.0)),
        };
        let (ra, rb) = (raw(), raw());
        let axis = random.direction();
        let quaternion = pathproof::numeric::DQuat::from_axis_angle(axis, random.between(-3.0, 3.0));
        let a_from_b = Pose::from_quaternion(quaternion, random.point(3.0));
        let (ia, ib): (Indexed, Indexed) =
            (Indexed::new(Body::from_mesh(ra.clone().mesh())), Indexed::new(Body::from_mesh(rb.clone().mesh())));
        let ours = Query::new(&ia, &ib, &Pose::IDENTITY, &a_from_b).exact(&mut Scratch::default());
        let t = a_from_b.translation;
        let rotation = Rotation::from_xyzw(quaternion.x, quaternion.y, quaternion.z, quaternion.w);
        let pose = ParryPose::from_parts(Vector::new(t.x, t.y, t.z), rotation);
        let theirs =
            parry3d_f64::query::distance(&ParryPose::IDENTITY, &parry(&ra), &pose, &parry(&rb)).expect("mesh").distance;
        // The peer's own iteration stops within 1e-6 or so: it is no closer an oracle than that.
        assert!((ours.upper - theirs).abs() < 1e-6, "{ours:?} {theirs}");
        apart += usize::from(theirs > 0.0);
    }
    assert!(apart > 100);
}

#[test]
fn every_simd_width_gives_the_same_bits_and_counts() {
    fn all<T: VolumeTree>(a: &Indexed<T>, b: &Indexed<T>, a_from_b: &Pose, width: Width) -> Vec<u64> {
        let query = Query::new(a, b, &Pose::IDENTITY, a_from_b).with_width(width);
        let mut scratch = Scratch::default();
        let goal = Goal { enough: 0.7, at_least: 0.01, kappa: 0.03 };
        let answers = [
            distance_of(query.collide(&mut scratch)),
            query.exact(&mut scratch),
            query.approximate(0.5, &mut scratch),
            query.greedy(0.01, &mut scratch),
            query.with_goal(&goal, &mut scratch),
        ];
        let mut bits = Vec::new();
        for d in answers {
            bits.extend([d.lower.to_bits(), d.upper.to_bits(), d.counters.volume_pairs, d.counters.primitive_pairs]);
            if let Some(w) = d.witness {
                bits.extend([w.primitive_a as u64, w.primitive_b as u64]);
                bits.extend(w.a_in_world.to_array().map(f64::to_bits));
                bits.extend(w.b_in_world.to_array().map(f64::to_bits));
            }
        }
        bits
    }
    let mut random = Random::new(4);
    for _ in 0..1_000 {
        let (a, b) = (Example::random(&mut random).body, Example::random(&mut random).body);
        let a_from_b = random_pose(&mut random);
        let boxes = (Indexed::<BoxTree>::new(a.clone()), Indexed::<BoxTree>::new(b.clone()));
        let rss = (Indexed::<RssTree>::new(a), Indexed::<RssTree>::new(b));
        for width in Width::available() {
            assert_eq!(all(&boxes.0, &boxes.1, &a_from_b, width), all(&boxes.0, &boxes.1, &a_from_b, Width::Base));
            assert_eq!(all(&rss.0, &rss.1, &a_from_b, width), all(&rss.0, &rss.1, &a_from_b, Width::Base));
        }
    }
}

#[test]
fn swapping_bodies_and_a_common_motion_change_answers_within_the_margin_only() {
    let mut random = Random::new(5);
    for _ in 0..1_000 {
        let (a, b) = (Example::random(&mut random), Example::random(&mut random));
        let (ia, ib): (Indexed, Indexed) = (Indexed::new(a.body.clone()), Indexed::new(b.body.clone()));
        let (world_from_a, world_from_b) = (random.pose(2.0), random.pose(2.0));
        let motion = random.pose(5.0);
        let mut scratch = Scratch::default();
        let query = Query::new(&ia, &ib, &world_from_a, &world_from_b);
        let here = query.exact(&mut scratch);
        let swapped = Query::new(&ib, &ia, &world_from_b, &world_from_a).exact(&mut scratch);
        let moved = Query::new(&ia, &ib, &(motion * world_from_a), &(motion * world_from_b)).exact(&mut scratch);
        // Moved poses are rounded before the query sees them: some 10 u of their size.
        let slack = tightness(&a, &b) * 20.0 + 64.0 * query.margin();
        for other in [swapped, moved] {
            assert!((other.lower - here.lower).abs() <= slack, "{here:?} {other:?}");
            assert!((other.upper - here.upper).abs() <= slack, "{here:?} {other:?}");
        }
    }
}

/// Poses rounded to 2⁻³⁰ m stay exact under translations by whole metres up to 2¹⁸, so that the true distance is the same.
#[test]
fn bodies_far_from_the_origin_get_the_very_same_answer() {
    let mut random = Random::new(6);
    let dyadic = |p: DVec3| (p * 2f64.powi(30)).round() * 2f64.powi(-30);
    for _ in 0..1_000 {
        let (a, b) = (Example::random(&mut random), Example::random(&mut random));
        let (ia, ib): (Indexed, Indexed) = (Indexed::new(a.body.clone()), Indexed::new(b.body.clone()));
        let mut near = [random.pose(2.0), random.pose(2.0)];
        near.iter_mut().for_each(|p| p.translation = dyadic(p.translation));
        let shift = DVec3::new(131_072.0, -100_000.0, 65_537.0) * f64::from(1 - 2 * (random.below(2) as i32));
        let far = near.map(|p| Pose { translation: p.translation + shift, ..p });
        assert!((0..2).all(|i| far[i].translation - shift == near[i].translation), "the shift is exact");
        let truth = true_distance(&a, &b, &near[0].inverse_mul(&near[1]));
        let mut scratch = Scratch::default();
        let here = Query::new(&ia, &ib, &near[0], &near[1]).exact(&mut scratch);
        let there = Query::new(&ia, &ib, &far[0], &far[1]).exact(&mut scratch);
        assert!(there.lower <= truth && truth <= there.upper, "{there:?} of {truth}");
        assert_eq!((here.lower, here.upper), (there.lower, there.upper));
    }
}

/// Geometry itself far from its file's origin: vertices at 10⁵ m, where f64 has 1.5e-11 m left.
#[test]
fn geometry_far_from_its_own_origin_never_gets_an_unsound_bound() {
    let mut random = Random::new(7);
    for _ in 0..500 {
        let shift = random.point(1e5).round();
        let (kind_a, kind_b) = (random.below(crate::common::MESH_KINDS), random.below(crate::common::MESH_KINDS));
        let a = crate::common::raw_mesh(&mut random, kind_a).map(|p| p + shift);
        let b = crate::common::raw_mesh(&mut random, kind_b);
        let place = random.pose(2.0);
        let placed = b.clone().map(|p| place.point(p));
        // Truth about the shift, where both are near: subtracting it again is exact.
        let near = Example::of_mesh(a.clone().map(|p| p - shift));
        let truth = true_distance(&near, &Example::of_mesh(placed), &Pose::IDENTITY);
        let (ia, ib): (Indexed, Indexed) =
            (Indexed::new(Body::from_mesh(a.mesh())), Indexed::new(Body::from_mesh(b.mesh())));
        let world_from_b = Pose { translation: place.translation + shift, ..place };
        let rounded = world_from_b.translation - shift - place.translation;
        let d = Query::new(&ia, &ib, &Pose::IDENTITY, &world_from_b).exact(&mut Scratch::default());
        let slack = rounded.length() * (1.0 + 1e-9) + 1e-15;
        assert!(d.lower <= truth + slack && truth - slack <= d.upper, "{d:?} of {truth}");
        assert!(d.upper - d.lower < 1e-8);
    }
}

#[test]
fn sizes_from_a_micrometre_to_a_hundred_kilometres_keep_the_bounds() {
    let mut random = Random::new(8);
    for case in 0..600 {
        let mut scaled = |scale: f64| {
            let kind = random.below(crate::common::MESH_KINDS);
            Example::of_mesh(crate::common::raw_mesh(&mut random, kind).map(|p| p * scale))
        };
        let scale = 2f64.powi([-20, 0, 17][case % 3]);
        let ratio = 2f64.powi([0, -10, 10][case / 3 % 3]);
        let (a, b) = (scaled(scale), scaled(scale * ratio));
        let mut a_from_b = random_pose(&mut random);
        a_from_b.translation *= scale.max(scale * ratio);
        let truth = true_distance(&a, &b, &a_from_b);
        let mut again = Random::new(case as u64);
        check_promises::<BoxTree>(&a, &b, &a_from_b, truth, &mut again);
        check_promises::<RssTree>(&a, &b, &a_from_b, truth, &mut again);
    }
}

#[test]
fn spheres_capsules_and_boxes_match_their_closed_forms() {
    let mut random = Random::new(9);
    for case in 0..1_500 {
        let place = |random: &mut Random| (Pose::IDENTITY, Known::random(random));
        let a = Example::new(Vec::new(), vec![place(&mut random)]);
        let b = Example::new(Vec::new(), vec![place(&mut random)]);
        let a_from_b = random_pose(&mut random);
        let truth = true_distance(&a, &b, &a_from_b);
        check_promises::<BoxTree>(&a, &b, &a_from_b, truth, &mut Random::new(case));
    }
}

#[test]
fn containment_finds_bodies_inside_closed_meshes_and_not_those_in_cavities_or_beside() {
    let shell: Indexed =
        Indexed::new(Body::from_mesh(cuboid(DVec3::splat(2.0)).with(cuboid(DVec3::splat(1.0)).reversed()).mesh()));
    let solid: Indexed = Indexed::new(Body::from_mesh(cuboid(DVec3::splat(2.0)).mesh()));
    let mut open_raw = cuboid(DVec3::splat(2.0));
    open_raw.triangles.pop();
    let open: Indexed = Indexed::new(Body::from_mesh(open_raw.mesh()));
    let mut random = Random::new(10);
    let mut counts = [0; 4];
    for _ in 0..2_000 {
        let inner: Indexed = match random.below(3) {
            0 => Indexed::new(Body::from_mesh(torus(0.2, 0.1, 4, 3).mesh())),
            1 => Indexed::new(Body::from_mesh(soup(&mut random, 1, 0.0, 0.2).mesh())),
            _ => Indexed::new(Body::from_convex(Convex::sphere(0.3).expect("valid"))),
        };
        let world_from_outer = random.pose(50.0);
        let outer_from_inner = random.pose(2.8);
        let world_from_inner = world_from_outer * outer_from_inner;
        // A point of the inner body: where the surfaces do not meet, all of it is on the same side.
        let point = inner.body().vertices().first().map_or(DVec3::ZERO, |p| *p + inner.body().centre());
        let depth = outer_from_inner.point(point).abs().max_element();
        let mut scratch = Scratch::default();
        for (outer, index) in [(&shell, 0), (&solid, 1), (&open, 2)] {
            let query = Query::new(outer, &inner, &world_from_outer, &world_from_inner);
            if !matches!(query.collide(&mut scratch), Contact::Apart(_)) {
                continue;
            }
            let expected = match index {
                0 => depth > 1.0 && depth < 2.0,
                1 => depth < 2.0,
                _ => false,
            };
            let swapped = Query::new(&inner, outer, &world_from_inner, &world_from_outer);
            for found in [query.containment(), swapped.containment()] {
                assert_eq!(found.is_some(), expected, "outer {index}, depth {depth}");
                if let Some(p) = found {
                    assert!(world_from_outer.inverse_point(p).abs().max_element() < 2.0, "the point given is inside");
                }
            }
            counts[index] += usize::from(expected);
            counts[3] += usize::from(!expected);
        }
    }
    assert!(counts[0] > 50 && counts[1] > 200 && counts[3] > 1_000, "{counts:?}");
}

/// The tree's inside test and the one over all triangles must be the same test.
#[test]
fn containment_agrees_with_the_inside_test_over_all_triangles() {
    let mut random = Random::new(11);
    let mut inside = 0;
    for _ in 0..40 {
        let raw = blob(9, 5, |_| random.between(0.5, 1.0)).with(torus(0.9, 0.3, 9, 5));
        let mesh = raw.mesh();
        let outer: Indexed = Indexed::new(Body::from_mesh(mesh.clone()));
        for _ in 0..100 {
            let p = random.point(1.2);
            let tiny = TriangleMesh::new(vec![p, p + DVec3::X * 1e-9, p + DVec3::Y * 1e-9], vec![[0, 1, 2]]);
            let inner: Indexed = Indexed::new(Body::from_mesh(tiny.expect("valid")));
            let found = Query::new(&outer, &inner, &Pose::IDENTITY, &Pose::IDENTITY).containment();
            assert_eq!(found.is_some(), mesh.is_inside(p));
            inside += usize::from(found.is_some());
        }
    }
    assert!(inside > 500);
}

// ---------------------------------------------------------------------------------------------------------------------
// Exact rationals: the squared distance of two triangles is a rational number.

type Exact = [Relaxed; 3];

fn exact(p: DVec3) -> Exact {
    p.to_array().map(|c| Relaxed::try_from(c).expect("finite"))
}

fn minus(a: &Exact, b: &Exact) -> Exact {
    std::array::from_fn(|i| &a[i] - &b[i])
}

fn dot(a: &Exact, b: &Exact) -> Relaxed {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn cross(a: &Exact, b: &Exact) -> Exact {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        &a[j] * &b[k] - &a[k] * &b[j]
    })
}

/// Squared distance of a point from a segment.
fn exact_point_segment(p: &Exact, u: &Exact, v: &Exact) -> Relaxed {
    let (d, w) = (minus(v, u), minus(p, u));
    let (dd, dw) = (dot(&d, &d), dot(&d, &w));
    if dw <= Relaxed::ZERO {
        dot(&w, &w)
    } else if dw >= dd {
        let w = minus(p, v);
        dot(&w, &w)
    } else {
        dot(&w, &w) - &dw * &dw / dd
    }
}

/// Squared distance of two triangles that do not cross, each not degenerate.
fn exact_squared(a: &Triangle, b: &Triangle) -> Relaxed {
    let (a, b) = (a.map(exact), b.map(exact));
    let mut best: Option<Relaxed> = None;
    let mut consider = |squared: Relaxed| {
        if best.as_ref().is_none_or(|b| squared < *b) {
            best = Some(squared);
        }
    };
    for (s, t) in [(&a, &b), (&b, &a)] {
        let normal = cross(&minus(&t[1], &t[0]), &minus(&t[2], &t[0]));
        let squared_normal = dot(&normal, &normal);
        for p in s {
            for k in 0..3 {
                consider(exact_point_segment(p, &t[k], &t[(k + 1) % 3]));
            }
            let is_over = (0..3).all(|k| {
                let edge = minus(&t[(k + 1) % 3], &t[k]);
                dot(&cross(&normal, &edge), &minus(p, &t[k])) >= Relaxed::ZERO
            });
            if is_over && squared_normal > Relaxed::ZERO {
                let height = dot(&normal, &minus(p, &t[0]));
                consider(&height * &height / &squared_normal);
            }
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            let (d, e) = (minus(&a[(i + 1) % 3], &a[i]), minus(&b[(j + 1) % 3], &b[j]));
            let (r, across) = (minus(&b[j], &a[i]), cross(&d, &e));
            let squared = dot(&across, &across);
            let (s, t) = (dot(&cross(&r, &e), &across), dot(&cross(&r, &d), &across));
            let inside = |x: &Relaxed| *x >= Relaxed::ZERO && *x <= squared;
            if squared > Relaxed::ZERO && inside(&s) && inside(&t) {
                let height = dot(&r, &across);
                consider(&height * &height / &squared);
            }
        }
    }
    best.expect("features")
}

/// Where an exact pose puts a point, rounded once.
fn exactly_placed(pose: &Pose, p: DVec3) -> DVec3 {
    let (x, y, z) = (exact(pose.rotation.x_axis), exact(pose.rotation.y_axis), exact(pose.rotation.z_axis));
    let (p, t) = (exact(p), exact(pose.translation));
    let coordinate = |i: usize| &x[i] * &p[0] + &y[i] * &p[1] + &z[i] * &p[2] + &t[i];
    DVec3::from_array(std::array::from_fn(|i| coordinate(i).to_f64().value()))
}

/// A mesh drawn 10⁵ m from its origin and placed back near the body's: what placing rounds is in no other margin.
#[test]
fn parts_placed_from_far_away_keep_sound_bounds() {
    let mut random = Random::new(13);
    for _ in 0..500 {
        let shift = random.point(1e5);
        let near = soup(&mut random, 4, 1.0, 0.5).map(|p| p + shift);
        let mut back = random.pose(0.0);
        back.translation = -back.vector(shift);
        let far_part = (back, Shape::Mesh(near.clone().mesh()));
        let a: Indexed = Indexed::new(Body::new(vec![far_part]).expect("a part"));
        let raw = soup(&mut random, 4, 1.0, 0.5).map(|p| p + DVec3::X * 2.0);
        let b: Indexed = Indexed::new(Body::from_mesh(raw.clone().mesh()));
        let placed = Example::of_mesh(near.map(|p| exactly_placed(&back, p)));
        let truth = true_distance(&placed, &Example::of_mesh(raw), &Pose::IDENTITY);
        let d = Query::new(&a, &b, &Pose::IDENTITY, &Pose::IDENTITY).exact(&mut Scratch::default());
        assert!(d.lower <= truth && truth <= d.upper, "{d:?} of {truth}");
    }
}

/// Whether an edge of one passes through the inside of the other, or touches it from either side.
fn exactly_crosses(a: &Triangle, b: &Triangle) -> bool {
    let (a, b) = (a.map(exact), b.map(exact));
    let volume = |p: &Exact, q: &Exact, r: &Exact, s: &Exact| {
        dot(&cross(&minus(q, p), &minus(r, p)), &minus(s, p)).cmp(&Relaxed::ZERO)
    };
    [(&a, &b), (&b, &a)].iter().any(|(s, t)| {
        (0..3).any(|i| {
            let (p, q) = (&s[i], &s[(i + 1) % 3]);
            let (over, under) = (volume(&t[0], &t[1], &t[2], p), volume(&t[0], &t[1], &t[2], q));
            let around = [volume(p, q, &t[0], &t[1]), volume(p, q, &t[1], &t[2]), volume(p, q, &t[2], &t[0])];
            // Edges in the plane are left to the distances of edges, which see them meet.
            over != under && around.iter().all(|side| *side == around[0]) && around[0].is_ne()
        })
    })
}

/// Triangles a few units in the last place to a nanometre apart, of all closest features, turned at random.
fn nearly_touching(random: &mut Random) -> (Triangle, Triangle) {
    let gap = [0.0, 1e-16, 1e-15, 1e-14, 1e-13, 1e-9][random.below(6)];
    let flat = [DVec3::new(-1.0, -1.0, 0.0), DVec3::new(1.0, -1.0, 0.0), DVec3::new(0.0, 1.0, 0.0)];
    let up = |x: f64, y: f64, z: f64| DVec3::new(x, y, z + gap);
    let other = match random.below(4) {
        // A corner over the face, an edge across an edge, a corner over an edge, parallel faces.
        0 => [up(0.1, -0.2, 0.0), up(0.3, 0.4, 1.0), up(-0.5, 0.1, 0.7)],
        1 => [up(0.0, -1.5, 0.0), up(0.0, -0.9, 0.0), up(0.2, -1.1, 1.0)],
        2 => [up(0.2, -1.0, 0.0), up(0.3, -1.4, 1.0), up(-0.3, -2.0, 0.5)],
        _ => [up(-0.3, -0.2, 0.0), up(0.4, -0.6, 0.0), up(0.0, 0.3, 0.0)],
    };
    let reach = [0.0, 1.0, 4.0][random.below(3)];
    let turn = random.pose(reach);
    (flat.map(|p| turn.point(p)), other.map(|p| turn.point(p)))
}

#[test]
fn lower_bounds_of_triangles_hold_to_the_last_bit_in_exact_arithmetic() {
    let mut random = Random::new(12);
    let (mut too_high_without_margin, mut proven_apart) = (0, 0);
    for case in 0..2_500 {
        let (a, b) = if case % 4 == 0 {
            let raw = soup(&mut random, 2, 0.5, 0.7).corners();
            (raw[0], raw[1])
        } else {
            nearly_touching(&mut random)
        };
        let largest = a.iter().chain(&b).map(|p| p.abs().max_element()).fold(0.0, f64::max);
        let margin = 16.0 * ROUNDOFF_F64 * largest;
        let found = triangle::distance(&a, &b, margin);
        let square = |x: f64| {
            let x = Relaxed::try_from(x).expect("finite");
            &x * &x
        };
        if found.upper == 0.0 {
            continue;
        }
        let truth = exact_squared(&a, &b);
        let crosses = exactly_crosses(&a, &b);
        if !crosses {
            assert!(found.lower <= 0.0 || square(found.lower) <= truth, "{case}: {found:?}");
            assert!(square(found.upper) >= truth, "{case}: {found:?}");
            proven_apart += usize::from(found.lower > 0.0);
        }
        // The same without the margin must be wrong now and then: else this test would show nothing.
        let bare = triangle::distance(&a, &b, 0.0);
        too_high_without_margin += usize::from(bare.lower > 0.0 && !crosses && square(bare.lower) > truth);
    }
    assert!(proven_apart > 1_000, "{proven_apart}");
    assert!(too_high_without_margin > 20, "{too_high_without_margin}");
}

/// Two needles, one a shifted copy of the other, whose normals are rounding: an oracle in f64 took them to cross, but they
/// are 3.1e-13 apart.
#[test]
fn needles_a_picometre_apart_are_apart() {
    let at = |x, y, z| DVec3::new(x, y, z);
    let a = [
        at(-0.14350397188440933, -0.11492853755969756, -0.44985703279739475),
        at(-0.18488281062941236, -0.07533134108958492, -0.5389806759783319),
        at(-0.16419339102648464, -0.09512994022462296, -0.4944188553236057),
    ];
    let b = [
        at(-0.14350397188463684, -0.11492853756031755, -0.44985703279814565),
        at(-0.18488281062963988, -0.07533134109020491, -0.5389806759790828),
        at(-0.16419339102671215, -0.09512994022524295, -0.4944188553243566),
    ];
    let found = triangle::distance(&a, &b, 1e-14);
    let square = |x: f64| Relaxed::try_from(x).expect("finite") * Relaxed::try_from(x).expect("finite");
    let truth = exact_squared(&a, &b);
    assert!(!exactly_crosses(&a, &b));
    assert!(found.lower > 0.0 && square(found.lower) <= truth && truth <= square(found.upper), "{found:?}");
}

/// Parts of one body once shared a winding count, so that one wound inside out cancelled another that it overlapped and
/// what lay inside both counted as outside.
#[test]
fn a_part_wound_inside_out_does_not_hollow_out_another() {
    use pathproof::distance::{Indexed, Query};
    use pathproof::numeric::{DVec3, Pose};
    use pathproof::shapes::{Body, Convex, Shape, TriangleMesh};
    let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1)) - 0.5;
    let corners: Vec<DVec3> = (0..8).map(corner).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let faces = |flip: bool| -> Vec<[u32; 3]> {
        let split = |q: [u32; 4]| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]];
        let turn = |t: [u32; 3]| if flip { [t[0], t[2], t[1]] } else { t };
        quads.into_iter().flat_map(split).map(turn).collect()
    };
    let cube = |flip: bool| Shape::Mesh(TriangleMesh::new(corners.clone(), faces(flip)).unwrap());
    let shifted = Pose::from_translation(DVec3::X * 0.25);
    let solid: Indexed = Indexed::new(Body::new(vec![(Pose::IDENTITY, cube(false)), (shifted, cube(true))]).unwrap());
    let ball: Indexed = Indexed::new(Body::from_convex(Convex::sphere(0.01).unwrap()));
    let inside_both = Pose::from_translation(DVec3::X * 0.1);
    assert!(Query::new(&solid, &ball, &Pose::IDENTITY, &inside_both).containment().is_some());
    let outside = Pose::from_translation(DVec3::X * 2.0);
    assert!(Query::new(&solid, &ball, &Pose::IDENTITY, &outside).containment().is_none());
}

/// A direction divided by a length whose square vanished: GREEDY-DIST once told an infinite lower bound of triangles that
/// cross.
#[test]
fn corners_whose_squares_vanish_have_sound_bounds() {
    fn bounds<T: VolumeTree>(a: &Body, b: &Body, delta: f64) -> [Distance; 3] {
        let (a, b) = (Indexed::<T>::new(a.clone()), Indexed::<T>::new(b.clone()));
        let query = Query::new(&a, &b, &Pose::IDENTITY, &Pose::IDENTITY);
        let scratch = &mut Scratch::default();
        [query.greedy(delta, scratch), query.exact(scratch), distance_of(query.collide(scratch))]
    }
    let triangle = |corners: [[f64; 3]; 3]| {
        Body::from_mesh(TriangleMesh::new(corners.map(DVec3::from_array).to_vec(), vec![[0, 1, 2]]).expect("a mesh"))
    };
    let large = triangle([[-2.0, -2.0, -2.0], [2.0, 2.0, 0.0], [0.0, 0.0, 2.0]]);
    for exponent in -320..-90 {
        let tiny = 10f64.powi(exponent);
        let corner = triangle([[1.0, -1.0, 0.5], [-1.0, 1.0, -0.5], [tiny; 3]]);
        for (a, b) in [(&large, &corner), (&corner, &large)] {
            for found in [bounds::<BoxTree>(a, b, 0.0), bounds::<RssTree>(a, b, 0.0), bounds::<BoxTree>(a, b, 1e-3)] {
                assert!(found.iter().all(|found| found.lower <= 0.0), "{tiny:e}: {found:?}");
            }
        }
    }
}

/// Broke once: a ball in the middle of a cube's face was in contact with it at two points a radius and more apart.
#[test]
fn where_unsigned_bodies_meet_the_point_given_is_one_of_both() {
    let mut random = Random::new(77);
    let shape = |random: &mut Random| {
        let size = |random: &mut Random| 10f64.powf(random.between(-2.0, 0.3));
        let stretch = match random.below(4) {
            0 => DVec3::new(1.0, 1.0, 1e-3),
            1 => DVec3::new(1e-3, 1.0, 1e-3),
            _ => DVec3::ONE,
        };
        let points =
            |random: &mut Random, n: usize| -> Vec<DVec3> { (0..n).map(|_| random.point(1.0) * stretch).collect() };
        match random.below(8) {
            0 => Convex::sphere(size(random)),
            1 => Convex::capsule(size(random), size(random)),
            2 => Convex::cylinder(size(random), size(random)),
            3 => Convex::cone(size(random), size(random)),
            4 => Convex::cuboid([size(random), size(random), size(random)]),
            5 => {
                let corners = points(random, 3);
                Ok(Convex::triangle([corners[0], corners[1], corners[2]]))
            }
            _ => {
                let n = 4 + random.below(60);
                Convex::hull(&points(random, n))
            }
        }
        .expect("a shape")
    };
    // A triangle is a mesh of one.
    let body = |random: &mut Random, shape: &Convex| {
        let place = random.pose(0.5);
        let part = match shape.core() {
            Core::Triangle(corners) => {
                Shape::Mesh(TriangleMesh::new(corners.to_vec(), vec![[0, 1, 2]]).expect("a triangle"))
            }
            _ => Shape::Convex(shape.clone()),
        };
        (place, Indexed::<BoxTree>::new(Body::new(vec![(place, part)]).expect("a body")))
    };
    let (mut met, mut worst, mut scratch) = ([0; 2], 0.0_f64, Scratch::default());
    for case in 0..4_000 {
        let triangle = |random: &mut Random| Convex::triangle([0, 1, 2].map(|_| random.point(1.0)));
        let shapes = if case % 8 == 0 {
            [triangle(&mut random), triangle(&mut random)]
        } else {
            [shape(&mut random), shape(&mut random)]
        };
        let bodies = shapes.each_ref().map(|shape| body(&mut random, shape));
        let poses = [random.pose(0.5), random.pose(0.5)];
        let query = Query::new(&bodies[0].1, &bodies[1].1, &poses[0], &poses[1]);
        let are_triangles = shapes.iter().all(|shape| matches!(shape.core(), Core::Triangle(_)));
        for found in
            [query.exact(&mut scratch), distance_of(query.collide(&mut scratch)), query.greedy(0.0, &mut scratch)]
        {
            if found.upper != 0.0 {
                continue;
            }
            met[usize::from(are_triangles)] += 1;
            let witness = found.witness.expect("a point");
            let scale = 4.0;
            assert!((witness.a_in_world - witness.b_in_world).length() <= 1e-9 * scale, "{shapes:?}: {witness:?}");
            for (point, side) in [(witness.a_in_world, 0), (witness.b_in_world, 1)] {
                for (other, (place, _)) in bodies.iter().enumerate() {
                    let world_from_shape = poses[other] * *place;
                    let in_shape = world_from_shape.inverse_point(point);
                    let dot = Convex::triangle([in_shape; 3]);
                    let off =
                        gjk::distance(&dot, &shapes[other], &Pose::IDENTITY, f64::INFINITY, &mut Tracker::default());
                    worst = worst.max(off.upper);
                    assert!(off.upper <= 1e-9 * scale, "{shapes:?}: {side} {other} {off:?} {witness:?}");
                }
            }
        }
    }
    assert!(met[0] > 2_000 && met[1] > 100, "{met:?} contacts, at worst {worst:e} m off");
}
