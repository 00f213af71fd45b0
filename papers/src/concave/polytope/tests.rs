use super::*;
use pathproof::numeric::Random;

fn cube_sides(half: f64) -> Vec<HalfSpace> {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    axes.into_iter().flat_map(|n| [n, -n]).map(|normal| HalfSpace { normal, offset: half }).collect()
}

/// Random points on an ellipsoid or in a box.
pub(crate) fn cloud(random: &mut Random, count: usize) -> Vec<DVec3> {
    let stretch = DVec3::new(random.between(0.2, 1.0), random.between(0.2, 1.0), 1.0);
    let is_round = random.below(2) == 0;
    (0..count).map(|_| if is_round { random.direction() } else { random.point(1.0) } * stretch).collect()
}

#[test]
fn faces_of_prisms_are_merged_into_one_half_space_each() {
    let mut random = Random::new(1);
    for sides in 3..20u32 {
        let pose = random.pose(1.0);
        let ring = |z: f64| {
            (0..sides).map(move |i| {
                let (s, c) = (f64::from(i) * std::f64::consts::TAU / f64::from(sides)).sin_cos();
                DVec3::new(c, 0.5 * s, z)
            })
        };
        let points: Vec<DVec3> = ring(0.0).chain(ring(0.7)).map(|p| pose.point(p)).collect();
        let prism = Polytope::from_convex(Convex::hull(&points).expect("a hull")).expect("a polytope");
        assert_eq!(prism.half_spaces().len(), sides as usize + 2, "rounding must not split faces");
        assert!(prism.rounding() < 1e-12, "{}", prism.rounding());
    }
}

#[test]
fn a_hull_is_inside_its_half_spaces_and_they_reach_no_farther_than_the_rounding() {
    let mut random = Random::new(2);
    for round in 0..400 {
        let count = 4 + random.below(60);
        let mut points = cloud(&mut random, count);
        if round % 4 == 0 {
            // Flat: a polygon, or a segment.
            let axis = if round % 8 == 0 { DVec3::new(1.0, 1.0, 0.0) } else { DVec3::new(1.0, 0.0, 0.0) };
            points.iter_mut().for_each(|p| *p *= axis);
        }
        let shape = Convex::hull(&points).expect("a hull");
        let polytope = Polytope::from_convex(shape.clone()).expect("a polytope");
        for p in &points {
            assert!(polytope.holds(*p, 0.0), "{p} is outside");
        }
        assert!(polytope.rounding() < 1e-9, "{}", polytope.rounding());
        let Core::Hull(hull) = shape.core() else { unreachable!() };
        for _ in 0..50 {
            // Points just outside the hull, by more than the rounding, are outside a half-space.
            let n = random.direction();
            let p = hull.support(n) + n * (2.0 * polytope.rounding() + 1e-13);
            assert!(!polytope.holds(p, 0.0), "{p} is inside");
        }
    }
}

#[test]
fn half_spaces_of_a_hull_with_redundant_ones_added_give_back_its_vertices() {
    let mut random = Random::new(3);
    for _ in 0..200 {
        let count = 4 + random.below(30);
        let shape = Convex::hull(&cloud(&mut random, count)).expect("a hull");
        let Core::Hull(hull) = shape.core() else { unreachable!() };
        let mut half_spaces = Polytope::from_convex(shape.clone()).expect("a polytope").half_spaces().to_vec();
        for i in 0..20 {
            let normal = random.direction() * random.between(0.01, 100.0);
            let reach = hull.support(normal).dot(normal);
            // Through a vertex, or far outside; and some of the faces again.
            let beyond = if i % 2 == 0 { 0.0 } else { random.between(0.1, 1e3) * normal.length() };
            half_spaces.push(HalfSpace { normal, offset: reach + beyond });
            half_spaces.push(half_spaces[random.below(half_spaces.len())]);
        }
        let made = Polytope::from_half_spaces(&half_spaces).expect("a polytope");
        assert!(made.rounding() < 1e-9, "{}", made.rounding());
        for _ in 0..50 {
            let n = random.direction();
            let difference = made.shape().core_support(n).dot(n) - hull.support(n).dot(n);
            assert!(difference.abs() < 1e-10, "{difference}");
        }
    }
}

#[test]
fn half_spaces_without_volume_give_polygons_segments_and_points() {
    let mut random = Random::new(4);
    for round in 0..60 {
        let pose = if round % 3 == 0 { pathproof::numeric::Pose::IDENTITY } else { random.pose(2.0) };
        let thin = round % 4;
        let half = DVec3::new(1.0, if thin > 1 { 0.0 } else { 0.5 }, if thin > 0 { 0.0 } else { 0.25 });
        let half = if thin == 3 { DVec3::ZERO } else { half };
        let placed: Vec<HalfSpace> = (0..6)
            .map(|i| {
                let axis = [DVec3::X, DVec3::Y, DVec3::Z][i / 2] * if i % 2 == 0 { 1.0 } else { -1.0 };
                let normal = pose.vector(axis);
                HalfSpace { normal, offset: axis.abs().dot(half) + normal.dot(pose.translation) }
            })
            .collect();
        let made = Polytope::from_half_spaces(&placed).expect("a polytope");
        assert!(made.rounding() < 1e-9, "{round}: {}", made.rounding());
        for _ in 0..20 {
            let n = random.direction();
            let truth = pose.inverse_vector(n).abs().dot(half) + n.dot(pose.translation);
            assert!((made.shape().core_support(n).dot(n) - truth).abs() < 1e-9, "{round} {n}");
        }
    }
}

#[test]
fn infeasible_unbounded_and_broken_half_spaces_are_refused() {
    let cube = cube_sides(1.0);
    let with = |normal: DVec3, offset: f64| {
        let mut sides = cube.clone();
        sides.push(HalfSpace { normal, offset });
        Polytope::from_half_spaces(&sides).map(drop)
    };
    assert!(matches!(with(DVec3::X, -1.5), Err(PolytopeError::Infeasible { .. })));
    assert!(matches!(with(DVec3::ONE, -3.1), Err(PolytopeError::Infeasible { .. })));
    assert!(with(DVec3::ONE, -2.9).is_ok());
    // Three slabs that meet pairwise but not all together.
    let slabs: Vec<HalfSpace> = [(0.0, 0.0), (120.0, 0.0), (240.0, 0.0), (0.0, 1.0), (120.0, 1.0), (240.0, 1.0)]
        .iter()
        .map(|&(angle, back): &(f64, f64)| {
            let n = DVec3::new(angle.to_radians().cos(), angle.to_radians().sin(), 0.0);
            if back > 0.0 { HalfSpace { normal: n, offset: -0.9 } } else { HalfSpace { normal: -n, offset: 1.0 } }
        })
        .chain([HalfSpace { normal: DVec3::Z, offset: 1.0 }, HalfSpace { normal: -DVec3::Z, offset: 1.0 }])
        .collect();
    assert!(matches!(Polytope::from_half_spaces(&slabs), Err(PolytopeError::Infeasible { .. })));
    for open in 0..6 {
        let mut sides = cube.clone();
        sides.remove(open);
        assert!(matches!(Polytope::from_half_spaces(&sides), Err(PolytopeError::Unbounded { .. })));
        // Closed again, but only 1e-20 rad away from parallel: farther than any robot.
        let tilted = cube[open].normal + cube[(open + 2) % 6].normal * 1e-20;
        sides.push(HalfSpace { normal: -tilted * -1.0 - cube[open].normal * 1.0, offset: 1.0 });
        assert!(Polytope::from_half_spaces(&sides).is_err());
    }
    assert!(matches!(Polytope::from_half_spaces(&[]), Err(PolytopeError::Unbounded { .. })));
    for (normal, offset) in [
        (DVec3::ZERO, 1.0),
        (DVec3::NAN, 1.0),
        (DVec3::X, f64::NAN),
        (DVec3::X, f64::INFINITY),
        (DVec3::X, 1e13),
        (DVec3::X * f64::INFINITY, 1.0),
    ] {
        assert!(matches!(with(normal, offset), Err(PolytopeError::BadHalfSpace { index: 6 })), "{normal} {offset}");
    }
    assert!(matches!(Polytope::from_convex(Convex::sphere(1.0).expect("valid")), Err(PolytopeError::Curved)));
    assert!(matches!(Polytope::from_convex(Convex::cone(1.0, 1.0).expect("valid")), Err(PolytopeError::Curved)));
}

#[test]
fn a_box_has_six_half_spaces_and_nothing_is_rounded() {
    let made = Polytope::from_convex(Convex::cuboid([1.0, 2.0, 3.0]).expect("valid")).expect("a polytope");
    assert_eq!((made.half_spaces().len(), made.rounding()), (6, 0.0));
    assert!(made.holds(DVec3::new(0.5, -1.0, 1.5), 0.0) && !made.holds(DVec3::new(0.5, 1.0, 1.5000001), 1e-9));
}
