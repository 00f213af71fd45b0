//! Holes that are closed: nothing is left open, what was inside before the hole was cut is inside again, and what closes it
//! is part of the surface.

use crate::common::{Raw, blob, cuboid, torus};
use pathproof::distance::{Contact, Indexed, Query, Scratch};
use pathproof::numeric::{DQuat, DVec3, Pose, Random};
use pathproof::shapes::{Body, Convex, Enclosure, LARGEST_HOLE, NotClosed, TriangleMesh};

/// A turn in space; a closed surface has the same inside seen along every ray.
fn turned(raw: &Raw, turn: DQuat) -> Raw {
    raw.clone().map(|p| turn * p)
}

fn random_turn(random: &mut Random) -> DQuat {
    let axis = random.direction();
    DQuat::from_axis_angle(axis, random.between(0.0, 6.0))
}

#[test]
fn whatever_is_missing_of_a_small_cube_the_rest_is_closed_along_every_ray() {
    let mut random = Random::new(4);
    let size = LARGEST_HOLE / 8.0;
    for missing in 1u32..4095 {
        let mut raw = cuboid(DVec3::splat(size));
        let mut t = 0;
        raw.triangles.retain(|_| {
            t += 1;
            missing >> (t - 1) & 1 == 0
        });
        if missing % 3 == 0 {
            // Orientation is lost: parity decides.
            raw.triangles.iter_mut().step_by(2).for_each(|corners| corners.swap(0, 1));
        }
        let turn = random_turn(&mut random);
        let mesh = raw.clone().mesh().closed().expect("the holes are small");
        let other = turned(&raw, turn).mesh().closed().expect("the holes are small");
        assert!(mesh.components().iter().all(|component| component.is_solid() && component.open_edges > 0));
        for _ in 0..8 {
            let p = random.point(size * 1.2);
            assert_eq!(mesh.is_inside(p), other.is_inside(turn * p), "{missing:b} {p}");
        }
    }
}

#[test]
fn what_is_far_from_the_holes_is_inside_as_before() {
    let mut random = Random::new(5);
    let (mut inside, mut holes, mut parity) = (0, 0, 0);
    for case in 0..120 {
        let whole = match case % 2 {
            0 => torus(0.5, 0.2, 80, 40),
            _ => blob(60, 40, |d| 0.5 + 0.1 * (3.0 * d.x).sin() * (4.0 * d.y).cos()),
        };
        let mut raw = whole.clone();
        // A triangle in fifty goes; neighbours of those that went stay, so that no hole grows.
        let mut is_near_hole = vec![false; raw.vertices.len()];
        raw.triangles.retain(|corners| {
            let goes = random.below(50) == 0 && !corners.iter().any(|&v| is_near_hole[v as usize]);
            if goes {
                corners.iter().for_each(|&v| is_near_hole[v as usize] = true);
                holes += 1;
            }
            !goes
        });
        if case % 3 == 0 {
            let count = raw.triangles.len();
            (0..5).for_each(|_| raw.triangles[random.below(count)].swap(0, 1));
        }
        let scale = LARGEST_HOLE / 0.15;
        let small = |raw: &Raw| raw.clone().map(|p| p * scale);
        let (closed, truth) = (small(&raw).mesh().closed().expect("small holes"), small(&whole).mesh());
        parity += usize::from(closed.components().iter().any(|c| c.enclosure == Enclosure::Parity));
        for _ in 0..200 {
            let p = random.point(0.8 * scale);
            // The filling of a missing triangle is that triangle.
            assert_eq!(closed.is_inside(p), truth.is_inside(p), "case {case}: {p}");
            inside += usize::from(truth.is_inside(p));
        }
    }
    println!("{holes} holes, {inside} points inside, {parity} meshes by parity");
    assert!(holes > 5_000 && inside > 2_000 && parity > 10);
}

/// A tetrahedron of some metres whose top corner is cut off: a triangular hole of about `size`.
fn cut_tetrahedron(size: f64) -> Raw {
    let (a, b, c, d) = (
        DVec3::new(-1.0, -1.0, -1.0),
        DVec3::new(3.0, -1.0, -1.0),
        DVec3::new(-1.0, 3.0, -1.0),
        DVec3::new(-1.0, -1.0, 3.0),
    );
    let cut = |from: DVec3| d + (from - d).normalize() * size;
    let vertices = vec![a, b, c, cut(a), cut(b), cut(c)];
    let triangles = vec![[0, 2, 1], [0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [2, 0, 3], [2, 3, 5]];
    Raw { vertices, triangles }
}

#[test]
fn a_hole_is_closed_up_to_the_limit_and_refused_above_it() {
    let open = cut_tetrahedron(0.005).mesh();
    assert_eq!((open.components()[0].enclosure, open.components()[0].open_edges), (Enclosure::Open, 3));
    assert!(!open.is_inside(DVec3::ZERO));
    let closed = open.closed().expect("a small hole");
    assert!(closed.is_inside(DVec3::ZERO) && !closed.is_inside(DVec3::splat(1.5)));
    let Err(NotClosed::Hole(hole)) = cut_tetrahedron(0.05).mesh().closed() else { panic!("a large hole") };
    assert!(hole.size > LARGEST_HOLE && hole.size < 0.1 && (hole.place - DVec3::new(-1.0, -1.0, 3.0)).length() < 0.06);
    let open_cube = |triangles: usize| {
        let mut raw = cuboid(DVec3::splat(5.0));
        raw.triangles.truncate(triangles);
        raw.mesh()
    };
    assert!(open_cube(11).closed().is_err_and(|error| matches!(error, NotClosed::Hole(hole) if hole.size > 10.0)));
    assert!(open_cube(12).closed().is_ok());
}

#[test]
fn a_double_sided_shell_is_a_solid_where_that_is_meant() {
    let shell = cuboid(DVec3::ONE);
    let mesh = shell.clone().with(shell.clone().reversed()).mesh();
    assert_eq!(mesh.components()[0].enclosure, Enclosure::DoubleSided);
    assert!(!mesh.is_inside(DVec3::ZERO));
    assert!(mesh.closed().expect("it has no hole").is_inside(DVec3::ZERO));
    let sheet = TriangleMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2], [0, 2, 1]]).expect("a sheet");
    assert!(sheet.closed().is_err());
}

#[test]
fn surfaces_are_counted_without_what_has_no_area() {
    let segment = Raw { vertices: vec![DVec3::splat(9.0), DVec3::splat(8.0)], triangles: vec![[0, 1, 1]] };
    let shell = cuboid(DVec3::ONE).map(|p| p + DVec3::X * 20.0);
    let raw = cut_tetrahedron(0.1).with(segment).with(shell.clone()).with(shell.clone().reversed());
    let found = Body::from_mesh(raw.mesh()).surfaces();
    assert_eq!((found.open, found.double_sided, found.open_edges, found.components), (1, 1, 3, 2));
    assert_eq!(Body::from_mesh(cuboid(DVec3::ONE).mesh()).surfaces().open, 0);
}

#[test]
fn a_filling_counts_for_the_inside_test_and_for_distances() {
    let open = cut_tetrahedron(0.005).mesh();
    let triangles = open.triangles().len();
    let body = Body::from_mesh(open.closed().expect("a small hole"));
    assert_eq!((body.triangles().len(), body.components()[0].triangles), (triangles + 1, triangles + 1));
    let solid = Indexed::new(body.clone());
    let merged = Indexed::new(Body::merged(&[(Pose::from_translation(DVec3::X), &body)]).expect("one body"));
    let ball = Indexed::new(Body::from_convex(Convex::sphere(0.1).expect("a ball")));
    // Right through the hole, thinner than it.
    let needle = Indexed::new(Body::from_convex(Convex::capsule(0.0005, 0.02).expect("a needle")));
    let mut scratch = Scratch::default();
    let (at, in_hole) = (Pose::from_translation, DVec3::new(-0.999, -0.999, 2.998));
    let inside = Query::new(&solid, &ball, &Pose::IDENTITY, &Pose::IDENTITY);
    assert!(matches!(inside.collide(&mut scratch), Contact::Apart(_)));
    assert!(inside.containment().is_some());
    assert!(
        Query::new(&merged, &ball, &Pose::IDENTITY, &at(DVec3::X)).containment().is_some(),
        "merged bodies keep it"
    );
    assert!(Query::new(&solid, &ball, &Pose::IDENTITY, &at(DVec3::splat(2.0))).containment().is_none());
    let through = Query::new(&solid, &needle, &Pose::IDENTITY, &at(in_hole));
    assert!(matches!(through.collide(&mut scratch), Contact::Meets(_)), "the filling is part of the surface");
}
