use super::*;
use crate::concave::NamedPiece;
use crate::concave::tests::random_body;
use pathproof::numeric::Random;
use pathproof::shapes::Convex;

fn cuboid(name: &str, low: DVec3, high: DVec3) -> NamedPiece {
    let corner = |i: u32| DVec3::from_array([0, 1, 2].map(|k| if i >> k & 1 == 1 { high[k] } else { low[k] }));
    let shape = Convex::hull(&(0..8).map(corner).collect::<Vec<_>>()).expect("a hull");
    NamedPiece { name: name.into(), shape }
}

/// True if every node can be reached from the first.
fn is_connected(nodes: &SurfaceNodes) -> bool {
    let (mut seen, mut stack) = (vec![false; nodes.len()], vec![0u32]);
    while let Some(node) = stack.pop() {
        if !std::mem::replace(&mut seen[node as usize], true) {
            stack.extend(nodes.neighbours(node));
        }
    }
    seen.iter().all(|&seen| seen)
}

#[test]
fn counts_and_spacings_are_kept_and_nodes_lie_on_the_surface() {
    let mut random = Random::new(71);
    for round in 0..20 {
        let count = 1 + random.below(6);
        let body = random_body(&mut random, count);
        let wanted = 20 + 15 * round;
        let nodes = SurfaceNodes::new(&body, Density::Count(wanted)).expect("nodes");
        assert_eq!(nodes.len(), wanted);
        assert_eq!(nodes.broken_invariant(), None);
        let polytopes = body.polytopes().expect("polytopes");
        for p in nodes.points() {
            assert!(!polytopes.iter().any(|polytope| polytope.holds(*p, -1e-4)), "{p} is inside");
        }
        let by_spacing = SurfaceNodes::new(&body, Density::Spacing(2.0 * nodes.spacing())).expect("nodes");
        assert!(by_spacing.spacing() <= 2.0 * nodes.spacing() && by_spacing.len() < wanted);
    }
}

#[test]
fn the_faces_that_pieces_share_have_no_nodes_and_the_table_names_both_pieces_at_the_seam() {
    let left = cuboid("left", DVec3::ZERO, DVec3::ONE);
    let right = cuboid("right", DVec3::X, DVec3::new(2.0, 1.0, 1.0));
    let body = ConvexPieces::new(vec![left, right]).expect("a body");
    let nodes = SurfaceNodes::new(&body, Density::Spacing(0.15)).expect("nodes");
    assert!(is_connected(&nodes));
    for (node, p) in (0..).zip(nodes.points()) {
        let is_on_seam = (p.x - 1.0).abs() < 1e-9;
        assert_eq!(nodes.pieces(node).len(), if is_on_seam { 2 } else { 1 }, "{p}");
        let is_on_hull = [p.x, 2.0 - p.x, p.y, 1.0 - p.y, p.z, 1.0 - p.z].iter().any(|c| c.abs() < 1e-9);
        assert!(is_on_hull, "{p} is inside");
    }
}

#[test]
fn neighbours_are_not_found_through_walls_or_across_gaps() {
    // A plate thinner than the spacing, and another one at a hair's breadth.
    let plate = cuboid("plate", DVec3::ZERO, DVec3::new(1.0, 1.0, 0.01));
    let other = cuboid("other", DVec3::new(0.0, 0.0, 0.011), DVec3::new(1.0, 1.0, 0.02));
    let body = ConvexPieces::new(vec![plate, other]).expect("a body");
    let nodes = SurfaceNodes::new(&body, Density::Count(300)).expect("nodes");
    assert!(!is_connected(&nodes), "the plates do not touch");
    let is_within = |p: DVec3| p.x > 0.2 && p.x < 0.8 && p.y > 0.2 && p.y < 0.8;
    for (node, p) in (0..).zip(nodes.points()) {
        for &near in nodes.neighbours(node) {
            let q = nodes.points()[near as usize];
            assert!(!is_within(*p) || !is_within(q) || (p.z - q.z).abs() < 1e-9, "{p} {q}");
        }
    }
}

#[test]
fn flat_pieces_have_nodes_and_bad_densities_are_refused() {
    let flat = NamedPiece {
        name: "sheet".into(),
        shape: Convex::hull(&[DVec3::ZERO, DVec3::X, DVec3::Y]).expect("a triangle"),
    };
    let body = ConvexPieces::new(vec![flat]).expect("a body");
    let nodes = SurfaceNodes::new(&body, Density::Count(30)).expect("nodes");
    assert_eq!((nodes.len(), nodes.broken_invariant()), (30, None));
    assert!(is_connected(&nodes));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(SurfaceNodes::new(&body, Density::Spacing(bad)), Err(NodesError::BadDensity(_))));
    }
    assert!(matches!(SurfaceNodes::new(&body, Density::Count(0)), Err(NodesError::BadDensity(_))));
    assert!(matches!(SurfaceNodes::new(&body, Density::Spacing(1e-5)), Err(NodesError::TooFine { .. })));
    let ball = NamedPiece { name: "ball".into(), shape: Convex::sphere(1.0).expect("valid") };
    let ball = ConvexPieces::new(vec![ball]).expect("a body");
    assert!(matches!(SurfaceNodes::new(&ball, Density::Count(9)), Err(NodesError::Pieces(_))));
}

#[test]
fn the_same_body_has_the_same_nodes_every_time() {
    let body = random_body(&mut Random::new(72), 4);
    let twice = [0; 2].map(|_| SurfaceNodes::new(&body, Density::Count(100)).expect("nodes"));
    assert_eq!(twice[0].points(), twice[1].points());
    assert_eq!(twice[0].neighbours.items, twice[1].neighbours.items);
}
