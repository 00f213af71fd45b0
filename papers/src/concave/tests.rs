use super::*;
use pathproof::distance::gjk::Tracker;
use pathproof::distance::penetration;
use pathproof::numeric::{DVec3, Pose, Random};
use pathproof::shapes::Convex;

/// A crooked body of `count` convex pieces, each overlapping or touching the last one.
pub(super) fn random_pieces(random: &mut Random, count: usize) -> Vec<NamedPiece> {
    let mut at = DVec3::ZERO;
    (0..count)
        .map(|i| {
            let corners = 4 + random.below(20);
            let size = DVec3::new(random.between(0.05, 0.3), random.between(0.05, 0.3), random.between(0.05, 0.3));
            let points: Vec<DVec3> = (0..corners).map(|_| at + random.point(1.0) * size).collect();
            at += random.direction() * 0.3;
            NamedPiece { name: format!("piece {i}"), shape: Convex::hull(&points).expect("a hull") }
        })
        .collect()
}

pub(super) fn random_body(random: &mut Random, count: usize) -> ConvexPieces {
    ConvexPieces::new(random_pieces(random, count)).expect("a body")
}

/// Least signed distance over all pairs, each by the convex engine from a cold start.
fn all_pairs(a: &ConvexPieces, b: &ConvexPieces, a_from_b: &Pose) -> (f64, f64) {
    let mut bounds = (f64::INFINITY, f64::INFINITY);
    for i in 0..a.len() {
        for j in 0..b.len() {
            let found = penetration::signed_distance(a.shape(i), b.shape(j), a_from_b, &mut Tracker::default());
            bounds = (bounds.0.min(found.lower), bounds.1.min(found.upper));
        }
    }
    bounds
}

#[test]
fn tree_and_exhaustive_equal_all_pairs_by_the_convex_engine() {
    let mut random = Random::new(61);
    let mut overlapping = 0;
    for round in 0..300 {
        let (count_a, count_b) = (1 + random.below(20), 1 + random.below(20));
        let (a, b) = (random_body(&mut random, count_a), random_body(&mut random, count_b));
        let (world_from_a, mut world_from_b) = (random.pose(0.3), random.pose([0.3, 1.0, 3.0][round % 3]));
        let (mut memory, mut starts) = (TreeMemory::default(), Starts::default());
        for step in 0..4 {
            let truth = all_pairs(&a, &b, &world_from_a.inverse_mul(&world_from_b));
            overlapping += usize::from(truth.1 < 0.0);
            let query = PieceQuery::new(&a, &b, &world_from_a, &world_from_b);
            let tracked = query.tree(&mut memory);
            let cold = query.tree(&mut TreeMemory::default());
            let exhaustive = query.exhaustive((step % 2 == 0).then_some(&mut starts), |_, _| {}).expect("polytopes");
            for found in [&tracked, &cold, &exhaustive] {
                let nearest = found.nearest.expect("finite poses");
                assert!(found.lower <= truth.1 && truth.0 <= nearest.upper, "{found:?} {truth:?}");
                assert!(nearest.upper - found.lower < 1e-9, "{found:?} {truth:?}");
                let way = nearest.points_in_world[1] - nearest.points_in_world[0];
                assert!((way.length() - nearest.upper.abs()).abs() < 1e-9, "{found:?}");
            }
            world_from_b.translation += random.point(0.05);
        }
    }
    assert!(overlapping > 200, "only {overlapping} overlap");
}

#[test]
fn what_a_tree_remembers_of_other_bodies_does_no_harm() {
    let mut random = Random::new(62);
    let mut memory = TreeMemory::default();
    for _ in 0..200 {
        let (count_a, count_b) = (1 + random.below(12), 1 + random.below(12));
        let (a, b) = (random_body(&mut random, count_a), random_body(&mut random, count_b));
        let (world_from_a, world_from_b) = (random.pose(1.0), random.pose(2.0));
        let query = PieceQuery::new(&a, &b, &world_from_a, &world_from_b);
        let (kept, cold) = (query.tree(&mut memory), query.tree(&mut TreeMemory::default()));
        let upper = |found: &PieceDistance| found.nearest.expect("finite poses").upper;
        assert!(kept.lower <= upper(&cold) && cold.lower <= upper(&kept), "{kept:?} {cold:?}");
        assert!((upper(&kept) - upper(&cold)).abs() < 1e-9);
    }
}

#[test]
fn poses_that_are_not_numbers_certify_nothing() {
    let mut random = Random::new(63);
    let (a, b) = (random_body(&mut random, 5), random_body(&mut random, 5));
    for bad in [f64::NAN, f64::INFINITY] {
        let nowhere = Pose::from_translation(DVec3::new(bad, 9.0, 0.0));
        let query = PieceQuery::new(&a, &b, &Pose::IDENTITY, &nowhere);
        assert!(!(query.tree(&mut TreeMemory::default()).lower > 0.0));
        assert!(!(query.exhaustive(None, |_, _| {}).expect("polytopes").lower > 0.0));
    }
}

#[test]
fn curved_pieces_are_for_the_tree_only_and_named_where_they_are_refused() {
    let ball = NamedPiece { name: "knob".into(), shape: Convex::sphere(0.5).expect("valid") };
    let cuboid = NamedPiece { name: "bar".into(), shape: Convex::cuboid([1.0; 3]).expect("valid") };
    let a = ConvexPieces::new(vec![cuboid.clone(), ball]).expect("a body");
    let b = ConvexPieces::new(vec![cuboid]).expect("a body");
    let query = PieceQuery::new(&a, &b, &Pose::IDENTITY, &Pose::from_translation(DVec3::X * 3.0));
    assert_eq!(
        query.exhaustive(None, |_, _| {}).expect_err("curved").to_string(),
        "piece \"knob\" has a curved surface; this method takes polytopes only, the tree takes any piece"
    );
    let found = query.tree(&mut TreeMemory::default());
    assert!(found.lower <= 2.0 && found.nearest.is_some_and(|pair| 2.0 <= pair.upper && pair.pieces[1] == 0));
    assert_eq!(ConvexPieces::new(Vec::new()).map(drop), Err(PiecesError::Empty));
}
