use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};

use super::*;
use crate::concave::HalfSpace;
use crate::oracle::{self, Body};
use pathproof::distance::gjk;
use pathproof::numeric::Random;
use pathproof::shapes::Convex;

/// Required agreement, relative to the diameters.
const AGREEMENT: f64 = 1e-9;

fn pairs() -> usize {
    std::env::var("PATHPROOF_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000)
}

/// A polytope of about 1 m: hulls of clouds, boxes, prisms, needles, pancakes, polygons; half of them with redundant
/// and repeated half-spaces, some of these through vertices and edges.
fn random_polytope(random: &mut Random) -> Polytope {
    let count = 4 + random.below(40);
    let stretch = match random.below(5) {
        0 => DVec3::new(1.0, 1.0, 1e-3),
        1 => DVec3::new(1e-3, 1.0, 1e-3),
        _ => DVec3::new(random.between(0.2, 1.0), 1.0, random.between(0.2, 1.0)),
    };
    let shape = match random.below(8) {
        0 => Convex::cuboid((stretch * random.between(0.2, 1.5)).to_array()),
        1 => {
            let (sides, pose) = (3 + random.below(12), random.pose(0.3));
            let corner = |i: usize, z: f64| {
                let (s, c) = ((i as f64) * std::f64::consts::TAU / sides as f64).sin_cos();
                pose.point(DVec3::new(c, s, z) * stretch)
            };
            Convex::hull(&(0..sides).flat_map(|i| [corner(i, -0.4), corner(i, 0.4)]).collect::<Vec<_>>())
        }
        2 => Convex::hull(&(0..count).map(|_| random.point(1.0) * DVec3::new(1.0, 1.0, 0.0)).collect::<Vec<_>>()),
        3 => Convex::hull(&(0..count).map(|_| random.point(1.0) * stretch).collect::<Vec<_>>()),
        // Corners of a grid: many faces meet in a vertex, exactly.
        4 => Convex::hull(
            &(0..count)
                .map(|_| DVec3::new(random.below(4) as f64, random.below(4) as f64, random.below(4) as f64) * 0.25)
                .collect::<Vec<_>>(),
        ),
        _ => Convex::hull(&(0..count).map(|_| random.direction() * stretch).collect::<Vec<_>>()),
    }
    .expect("a valid shape");
    let plain = Polytope::from_convex(shape).expect("a polytope");
    if random.below(2) == 0 { plain } else { with_redundant(random, plain) }
}

fn with_redundant(random: &mut Random, plain: Polytope) -> Polytope {
    let shape = plain.shape().clone();
    let mut half_spaces = plain.half_spaces().to_vec();
    for i in 0..1 + random.below(12) {
        let again = half_spaces[random.below(half_spaces.len())];
        let normal = match i % 4 {
            0 => again.normal * random.between(0.1, 10.0),
            1 => again.normal + random.direction() * 10f64.powf(random.between(-12.0, -3.0)),
            2 => again.normal + half_spaces[random.below(half_spaces.len())].normal,
            _ => random.direction(),
        };
        let reach = shape.core_support(normal).dot(normal);
        let beyond = if random.below(4) == 0 { random.between(0.0, 2.0) } else { 0.0 };
        if normal.length() > 1e-3 {
            half_spaces.push(HalfSpace { normal, offset: reach + beyond });
        }
    }
    Polytope::from_half_spaces(&half_spaces).expect("a polytope")
}

fn diameter(polytope: &Polytope) -> f64 {
    2.0 * polytope.outer_radius
}

/// The minimum distance by an interior-point solver, which shares no code with ours.
fn by_clarabel(a: &Polytope, b: &Polytope, a_from_b: &Pose) -> Option<f64> {
    // ½ zᵀPz with z = (x, y), both in A's frame: |x − y|².
    let mut p = Vec::new();
    for i in 0..6 {
        for j in i..6 {
            let entry = if i == j {
                2.0
            } else if j == i + 3 {
                -2.0
            } else {
                0.0
            };
            p.push((i, j, entry));
        }
    }
    let rows: Vec<([f64; 6], f64)> = (a.half_spaces().iter())
        .map(|h| ([h.normal.x, h.normal.y, h.normal.z, 0.0, 0.0, 0.0], h.offset))
        .chain(b.half_spaces().iter().map(|h| {
            let n = a_from_b.vector(h.normal);
            ([0.0, 0.0, 0.0, n.x, n.y, n.z], h.offset + n.dot(a_from_b.translation))
        }))
        .collect();
    let columns = |entries: &[(usize, usize, f64)], m: usize, n: usize| {
        let (i, (j, v)): (Vec<_>, (Vec<_>, Vec<_>)) =
            entries.iter().filter(|e| e.2 != 0.0).map(|&(i, j, v)| (i, (j, v))).unzip();
        CscMatrix::new_from_triplets(m, n, i, j, v)
    };
    let constraints: Vec<_> =
        rows.iter().enumerate().flat_map(|(i, (row, _))| (0..6).map(move |j| (i, j, row[j]))).collect();
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-12)
        .tol_gap_rel(1e-12)
        .tol_feas(1e-12)
        .build()
        .expect("valid settings");
    let mut solver = DefaultSolver::new(
        &columns(&p, 6, 6),
        &[0.0; 6],
        &columns(&constraints, rows.len(), 6),
        &rows.iter().map(|row| row.1).collect::<Vec<_>>(),
        &[SupportedConeT::NonnegativeConeT(rows.len())],
        settings,
    )
    .expect("a problem");
    solver.solve();
    let z = &solver.solution.x;
    (solver.solution.status == SolverStatus::Solved)
        .then(|| (DVec3::new(z[0], z[1], z[2]) - DVec3::new(z[3], z[4], z[5])).length())
}

#[test]
fn mindist_equals_gjk_and_an_interior_point_solver() {
    let mut random = Random::new(51);
    let (mut compared, mut unsolved, mut apart, mut deep, mut wide, mut most) = (0, 0, 0, 0, 0, 0);
    for round in 0..pairs() {
        let (a, b) = (random_polytope(&mut random), random_polytope(&mut random));
        let pose = random.pose([0.3, 1.0, 1.5, 3.0][round % 4]);
        let size = diameter(&a) + diameter(&b);
        let found = signed_distance(&a, &b, &pose, &mut Start::default());
        let gjk = gjk::distance(a.shape(), b.shape(), &pose, f64::INFINITY, &mut Tracker::default());
        let context = || format!("{round}: {found:?}\n{gjk:?}");
        assert_eq!(found.outcome, Outcome::Converged, "{}", context());
        // For given half-spaces, GJK has only a hull derived from them.
        let is_derived = a.made_from_half_spaces() || b.made_from_half_spaces();
        let derived = if is_derived { AGREEMENT * size } else { 0.0 };
        assert!(found.lower <= gjk.upper + derived && gjk.lower <= found.upper.max(0.0) + derived, "{}", context());
        // Corners of nearly parallel half-spaces are not known well: bounds on the depth may be wider.
        let is_wide = !(found.upper - found.lower <= AGREEMENT * size);
        assert!(!is_wide || found.upper < 0.0, "{}", context());
        wide += usize::from(is_wide);
        assert!((found.upper.max(0.0) - gjk.upper).abs() <= AGREEMENT * size, "{}", context());
        most = most.max(if found.lower > 0.0 { found.iterations } else { 0 });
        deep += usize::from(found.upper < 0.0);
        if gjk.lower > 0.0 {
            apart += 1;
            let way = found.point_on_b - found.point_on_a;
            assert!((way.length() - found.upper).abs() <= AGREEMENT * size, "{}", context());
        }
        if gjk.lower >= 1e-3 * size {
            match by_clarabel(&a, &b, &pose) {
                Some(theirs) => {
                    compared += 1;
                    assert!((found.upper - theirs).abs() <= AGREEMENT * size, "{theirs} {}", context());
                }
                // The solver reports that it stopped short of 1e-12.
                None => unsolved += 1,
            }
        }
    }
    println!(
        "{apart} apart, {compared} of them compared with clarabel, {unsolved} not solved by it; {most} passes at most"
    );
    println!("{deep} overlap, {wide} of them with bounds farther apart than the agreement");
    assert!(apart * 3 > pairs() && deep * 10 > pairs() && compared * 10 > apart * 9 && wide * 100 < deep);
}

fn brute_force(a: &Polytope, b: &Polytope, pose: &Pose) -> f64 {
    oracle::signed_distance(&Body::new(a.shape(), &Pose::IDENTITY, 0, false), &Body::new(b.shape(), pose, 0, false))
}

#[test]
fn signed_bounds_enclose_a_search_over_all_face_and_edge_pair_normals() {
    let mut random = Random::new(52);
    let (mut deep, mut wide) = (0, 0);
    for round in 0..pairs() / 5 {
        let (a, b) = (random_polytope(&mut random), random_polytope(&mut random));
        let pose = random.pose([0.05, 0.3, 1.0][round % 3]);
        let truth = brute_force(&a, &b, &pose);
        let found = signed_distance(&a, &b, &pose, &mut Start::default());
        deep += usize::from(truth < 0.0);
        // The search uses the hull, which is derived if half-spaces were given.
        let is_derived = a.made_from_half_spaces() || b.made_from_half_spaces();
        let off = if is_derived { AGREEMENT * (diameter(&a) + diameter(&b)) } else { 2e-12 };
        assert!(found.lower <= truth + off && truth - off <= found.upper, "{truth} {found:?}");
        wide += usize::from(!(found.upper - found.lower <= AGREEMENT * (diameter(&a) + diameter(&b))));
    }
    assert!(deep * 4 > pairs() / 5 && wide * 100 < deep, "{deep} overlap, {wide} with wide bounds");
}

#[test]
fn a_start_kept_from_the_last_pose_or_from_another_pair_does_no_harm_and_saves_work() {
    let mut random = Random::new(53);
    let (mut cold_passes, mut warm_passes) = (0, 0);
    let mut foreign = Start::default();
    for _ in 0..200 {
        let (a, b) = (random_polytope(&mut random), random_polytope(&mut random));
        let (mut pose, turn) = (random.pose(2.0), random.pose(0.0));
        pose.translation += DVec3::X * 3.0;
        let turn = Pose::from_axis_angle(turn.vector(DVec3::X), 0.02, DVec3::new(0.0, 0.01, 0.0));
        let mut start = Start::default();
        for step in 0..10 {
            let cold = signed_distance(&a, &b, &pose, &mut Start::default());
            let warm = signed_distance(&a, &b, &pose, &mut start);
            let stolen = signed_distance(&a, &b, &pose, &mut foreign);
            for other in [&warm, &stolen] {
                assert_eq!(other.outcome, Outcome::Converged, "{other:?} {cold:?}");
                assert!(other.lower <= cold.upper && cold.lower <= other.upper, "{other:?} {cold:?}");
            }
            if step > 0 {
                cold_passes += cold.iterations;
                warm_passes += warm.iterations;
            }
            pose = turn * pose;
        }
    }
    assert!(warm_passes * 2 < cold_passes, "{warm_passes} {cold_passes}");
}

#[test]
fn polytopes_that_nearly_touch_have_distances_of_that_size() {
    let mut random = Random::new(54);
    let mut wide = 0;
    for round in 0..2_000 {
        let (a, b) = (random_polytope(&mut random), random_polytope(&mut random));
        let pose = random.pose(1.5);
        let first = signed_distance(&a, &b, &pose, &mut Start::default());
        let gap = [0.0, 1e-12, -1e-12, 1e-9, 1e-7, -1e-7, 1e-5][round % 7];
        let pose = Pose { translation: pose.translation + first.direction * (gap - first.upper), ..pose };
        let truth = brute_force(&a, &b, &pose);
        let found = signed_distance(&a, &b, &pose, &mut Start::default());
        let is_derived = a.made_from_half_spaces() || b.made_from_half_spaces();
        let off = if is_derived { AGREEMENT * (diameter(&a) + diameter(&b)) } else { 4e-12 };
        assert!(found.lower <= truth + off && truth - off <= found.upper, "{round}: {truth} {found:?}");
        wide += usize::from(!(found.upper - found.lower <= AGREEMENT * (diameter(&a) + diameter(&b))));
    }
    assert!(wide <= 10, "{wide} with wide bounds");
}

#[test]
fn a_pose_that_is_not_a_number_certifies_nothing() {
    let cube = Polytope::from_convex(Convex::cuboid([1.0; 3]).expect("valid")).expect("a polytope");
    for bad in [f64::NAN, f64::INFINITY] {
        let pose = Pose::from_translation(DVec3::new(5.0, bad, 0.0));
        let found = signed_distance(&cube, &cube, &pose, &mut Start::default());
        assert!(!(found.lower > 0.0), "{found:?}");
        assert_ne!(found.outcome, Outcome::Converged);
    }
}

#[test]
fn margins_cover_rounding_where_the_truth_is_known_exactly() {
    // Boxes with dyadic gaps: the true distance is exactly representable.
    let mut random = Random::new(55);
    for _ in 0..2_000 {
        let edge = |random: &mut Random| (1 + random.below(1 << 20)) as f64 / f64::from(1 << 18);
        let size = [edge(&mut random), edge(&mut random), edge(&mut random)];
        let cuboid = Polytope::from_convex(Convex::cuboid(size).expect("valid")).expect("a polytope");
        let gap = (1 + random.below(1 << 16)) as f64 / f64::from(1 << 24);
        let pose = Pose::from_translation(DVec3::new(size[0] + gap, 0.25 * size[1], 0.0));
        let found = signed_distance(&cuboid, &cuboid, &pose, &mut Start::default());
        assert!(found.lower <= gap && gap <= found.upper && found.upper - found.lower < 1e-11, "{found:?} {gap}");
    }
}

/// Both compilations return the same bits.
#[test]
fn every_width_gives_the_same_bits() {
    let mut random = Random::new(56);
    for _ in 0..300 {
        let (a, b, pose) = (random_polytope(&mut random), random_polytope(&mut random), random.pose(3.0));
        let by = |width| {
            let found = simd::run(width, || separation(&a, &b, &pose, &mut Start::default()));
            [found.lower, found.upper, found.point_on_a.x, found.direction.y].map(f64::to_bits)
        };
        for width in Width::available() {
            assert_eq!(by(width), by(Width::Base));
        }
    }
}

/// Half-spaces that leave only rounding between two planes once had a ball of negative radius inside, which pulled
/// points the other way: the upper bound was 2.75 m below the distance.
#[test]
fn what_is_too_thin_to_hold_a_ball_has_no_wrong_upper_bound() {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|n| [n, -n]);
    let mut half_spaces: Vec<HalfSpace> = axes.map(|normal| HalfSpace { normal, offset: 2.0 }).collect();
    let cube = Polytope::from_half_spaces(&half_spaces).expect("a cube");
    let thin = [
        (DVec3::new(2.000000000309227, 1.9999999998226674, 0.9999999990656917), 0.84375),
        (DVec3::new(2.0, 2.0, 2.0), 0.21875),
        (DVec3::new(-2.0, 2.0, 2.0), 0.21875),
        (DVec3::new(2.0000000309226698, 1.9999999822667505, 1.999999906569168), 0.21875),
        (DVec3::new(-1.999999690773303, -2.0000001773324945, -2.0000009343083196), -0.21875),
        (DVec3::new(-1.9999999999999991, -1.9999999999999996, -2.0), -0.21875),
        (DVec3::new(-0.9999999999999991, -1.9999999999999996, -2.0), -0.21875),
        (DVec3::new(-2.0, -2.0, -2.0), 2.09375),
    ];
    half_spaces.extend(thin.map(|(normal, offset)| HalfSpace { normal, offset }));
    let thin = Polytope::from_half_spaces(&half_spaces).expect("a sheet");
    assert!(!(thin.inner_radius > 0.0), "{}", thin.inner_radius);
    let mut random = Random::new(48);
    for round in 0..100 {
        let pose = Pose { translation: random.point(6.0), ..random.pose(1.0) };
        for [a, b] in [[&cube, &thin], [&thin, &cube]] {
            let found = signed_distance(a, b, &pose, &mut Start::default());
            assert!(found.lower <= found.upper, "{round}: {found:?}");
        }
    }
}
