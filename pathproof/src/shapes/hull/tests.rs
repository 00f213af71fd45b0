use super::*;
use crate::numeric::Random;

fn sphere_points(random: &mut Random, n: usize, stretch: DVec3) -> Vec<DVec3> {
    (0..n).map(|_| random.direction() * stretch).collect()
}

fn plain_support(points: &[DVec3], n: DVec3) -> f64 {
    points.iter().map(|p| p.dot(n)).fold(f64::NEG_INFINITY, f64::max)
}

fn check(points: &[DVec3], random: &mut Random) -> Hull {
    let hull = Hull::new(points).expect("a hull");
    assert_eq!(hull.broken_invariant(), None);
    for v in hull.vertices() {
        assert!(points.contains(v), "a vertex is an input point");
    }
    let size = hull.upper_extent();
    for _ in 0..20 {
        let n = random.direction();
        let truth = plain_support(points, n);
        let margin = 16.0 * ROUNDOFF_F64 * size;
        assert!((hull.support(n).dot(n) - truth).abs() <= margin);
        let start = random.below(hull.vertices().len()) as u32;
        let (vertex, excess) = hull.climb(n, start);
        assert!((hull.vertices()[vertex as usize].dot(n) - truth).abs() <= 1e-11 * size);
        assert!(hull.vertices()[vertex as usize].dot(n) + excess + margin >= truth, "the excess must cover the rest");
        assert!(hull.upper_reach(n, start) + margin >= truth, "the bound must hold");
        assert!(hull.upper_reach(n, u32::MAX) <= truth + 1e-11 * size, "the bound must be tight");
    }
    hull
}

#[test]
fn hulls_of_random_points_are_convex_and_hold_every_point() {
    let mut random = Random::new(11);
    for round in 0..300 {
        let n = 4 + random.below(120);
        let stretch = match round % 4 {
            0 => DVec3::ONE,
            1 => DVec3::new(1.0, 1.0, 1e-4),
            2 => DVec3::new(1.0, 1e-4, 1e-4),
            _ => DVec3::new(3.0, 0.5, 1.0),
        };
        let points: Vec<DVec3> = if round % 2 == 0 {
            sphere_points(&mut random, n, stretch)
        } else {
            (0..n).map(|_| random.point(1.0) * stretch).collect()
        };
        let pose = random.pose(2.0);
        check(&points.iter().map(|&p| pose.point(p)).collect::<Vec<_>>(), &mut random);
    }
}

#[test]
fn lattices_keep_only_their_corners() {
    let mut random = Random::new(12);
    for (nx, ny, nz) in [(2, 2, 2), (3, 3, 3), (5, 4, 3), (9, 9, 2), (7, 7, 7)] {
        let points: Vec<DVec3> = (0..nx * ny * nz)
            .map(|i| DVec3::new((i % nx) as f64, (i / nx % ny) as f64, (i / nx / ny) as f64) * 0.1)
            .collect();
        let hull = check(&points, &mut random);
        assert_eq!(hull.vertices().len(), 8);
        assert_eq!(hull.triangles().len(), 12);
        assert!((0..8).all(|v| hull.neighbours(v).len() == 3), "diagonals of faces are not edges");
    }
}

#[test]
fn points_that_span_no_volume_give_polygons_segments_and_points() {
    let mut random = Random::new(13);
    let p = DVec3::new(0.3, -0.7, 1.1);
    assert_eq!(check(&[p; 5], &mut random).vertices(), [p]);
    let line: Vec<DVec3> = (-4..=4).map(|i| DVec3::new(0.5, 0.25, -1.0) * f64::from(i)).collect();
    assert_eq!(check(&line, &mut random).vertices().len(), 2);
    // An exact plane through the origin: sums of two short integer vectors.
    let (e, f) = (DVec3::new(1.0, 2.0, -3.0), DVec3::new(-2.0, 5.0, 1.0));
    for _ in 0..200 {
        let n = 3 + random.below(40);
        let points: Vec<DVec3> =
            (0..n).map(|_| e * (random.below(33) as f64 - 16.0) + f * (random.below(33) as f64 - 16.0)).collect();
        let hull = check(&points, &mut random);
        assert!(hull.is_flat());
        assert!(hull.vertices().len() < 3 || (0..hull.vertices().len() as u32).all(|v| hull.neighbours(v).len() == 2));
    }
}

#[test]
fn nearly_coplanar_and_nearly_collinear_points_give_a_valid_body() {
    let mut random = Random::new(14);
    for round in 0..200 {
        let pose = random.pose(1.0);
        let thickness = [1e-16, 1e-15, 1e-13, 1e-9][round % 4];
        let depth = if round % 3 == 0 { thickness } else { 1.0 };
        let n = 4 + random.below(60);
        let points: Vec<DVec3> =
            (0..n).map(|_| random.point(1.0) * DVec3::new(1.0, depth, thickness)).map(|p| pose.point(p)).collect();
        check(&points, &mut random);
    }
}

#[test]
fn repeated_points_and_thousands_of_points_are_fine() {
    let mut random = Random::new(15);
    let mut points = sphere_points(&mut random, 4_000, DVec3::new(1.0, 2.0, 0.5));
    points.extend(points.clone());
    points.extend((0..2_000).map(|_| random.direction() * 0.4));
    let hull = check(&points, &mut random);
    assert_eq!(hull.vertices().len(), 4_000);
    // A tessellated cylinder: large coplanar facets and near-parallel strips.
    let ring = |z: f64| (0..600).map(move |i| (f64::from(i) * std::f64::consts::TAU / 600.0, z));
    let points: Vec<DVec3> = ring(-1.0).chain(ring(1.0)).map(|(t, z)| DVec3::new(t.cos(), t.sin(), z)).collect();
    assert_eq!(check(&points, &mut random).vertices().len(), 1_200);
}

#[test]
fn bad_input_is_refused_with_its_reason() {
    assert_eq!(Hull::new(&[]), Err(ShapeError::Empty("points")));
    let points = [DVec3::ZERO, DVec3::new(0.0, f64::INFINITY, 0.0)];
    assert!(matches!(Hull::new(&points), Err(ShapeError::BadCoordinate { vertex: 1, .. })));
}

#[test]
fn a_dented_surface_is_found_out() {
    let mut random = Random::new(16);
    let points = sphere_points(&mut random, 40, DVec3::ONE);
    let mut hull = Hull::new(&points).expect("a hull");
    hull.vertices[7] *= 0.8;
    assert!(hull.broken_invariant().is_some());
}

#[test]
fn scans_give_the_same_bits_at_every_width() {
    let mut random = Random::new(17);
    let hull = Hull::new(&sphere_points(&mut random, 203, DVec3::ONE)).expect("a hull");
    for _ in 0..200 {
        let n = random.direction();
        let bits = |width| {
            let (best, index) = simd::run(width, || scan(&hull.blocks, n));
            (best.map(f64::to_bits), index)
        };
        assert!(simd::Width::available().into_iter().all(|width| bits(width) == bits(simd::Width::Base)));
    }
}

#[test]
fn points_of_any_scale_give_a_hull_or_a_clear_error() {
    let mut random = Random::new(18);
    for round in 0..400 {
        let scale = 10f64.powi([0, -3, -9, -30, -79, 6, 11, -90, -120][round % 9]);
        let n = 4 + random.below(30);
        let mut points: Vec<DVec3> = (0..n).map(|_| random.point(0.9) * scale).collect();
        // Some points with parts so small that products of them vanish.
        let tiny = 10f64.powi(-(random.below(300) as i32));
        points.extend((0..4).map(|_| random.point(1.0) * (scale * tiny)));
        match Hull::new(&points) {
            Ok(hull) => {
                assert!(scale > 1e-80);
                let n = random.direction();
                let truth = plain_support(&points, n);
                assert!(hull.upper_reach(n, 0) + 16.0 * ROUNDOFF_F64 * hull.upper_extent() >= truth);
            }
            Err(error) => assert!(matches!(error, ShapeError::UnverifiedHull(_)) && tiny * scale < 1e-80, "{error}"),
        }
    }
}

/// Directions of any length, including normals of facets, along which neighbours are equally far except for rounding.
#[test]
fn reaches_along_directions_of_any_length_hold_on_flat_hulls() {
    let mut random = Random::new(19);
    for _ in 0..200 {
        let thin = 10f64.powf(random.between(-5.0, -1.0));
        let points = sphere_points(&mut random, 60, DVec3::new(1.0, 1.0, thin));
        let Ok(hull) = Hull::new(&points) else { continue };
        for _ in 0..50 {
            let facet = hull.triangles()[random.below(hull.triangles().len())].map(|v| hull.vertices()[v as usize]);
            let normal = (facet[1] - facet[0]).cross(facet[2] - facet[0]).normalize();
            let along = (normal + random.point(1.0) * [0.0, 1e-16, thin][random.below(3)]).normalize();
            let length = 10f64.powf(random.between(0.0, 2.0));
            let (d, mut start) = (along * length, random.below(hull.vertices().len()) as u32);
            let truth = plain_support(&points, d);
            let reach = hull.upper_reach_along(d, length * (1.0 + 1e-15), &mut start);
            assert!(reach + 6.0 * ROUNDOFF_F64 * hull.upper_extent() * length >= truth, "{thin:e} {length}");
        }
    }
}
