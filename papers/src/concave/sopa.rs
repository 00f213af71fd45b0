//! SOPA: local minima of MLSdist choose the pairs of pieces, and an exact method measures these ("Sub-Object Pruning"
//! §3).
//!
//! **A heuristic.** `upper` holds, for it belongs to points of the bodies; there is no lower bound, because no descent
//! may have reached the nearest pair. [`PieceQuery::tree`] is exact, and faster. Only SOPA finds niches: every region
//! in which the surfaces approach each other, each with its own exact distance. A node on several pieces selects all of
//! them.

use super::mindist::{self, Start};
use super::mls::{self, Descents, LocalMinimum, MlsMemory, NodePair};
use super::query::PieceWork;
use super::{PairDistance, PieceQuery, PiecesError, SurfaceNodes};
use pathproof::distance::gjk::{ConvexDistance, Tracker};
use pathproof::distance::penetration;

/// The method that measures a pair of pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SecondStage {
    /// The paper's quadratic problem.
    #[default]
    Mindist,
    /// GJK and, where pieces overlap, the expanding polytope.
    Gjk,
}

/// Settings of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SopaSettings {
    /// Random pairs of nodes to descend from, per query. Default 1,000.
    pub starts: usize,
    /// Seed of the starts; the same seed gives the same answer. Default 0.
    pub seed: u64,
    /// If true, also starts from the minima of the last query with the same memory. Default false, as in the paper.
    pub is_warm: bool,
    /// The method that measures the pairs of pieces. Default mindist.
    pub second_stage: SecondStage,
}

impl Default for SopaSettings {
    fn default() -> Self {
        Self { starts: 1_000, seed: 0, is_warm: false, second_stage: SecondStage::Mindist }
    }
}

/// A region in which the surfaces approach each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Niche {
    /// The local minimum of the nodes' distance.
    pub minimum: LocalMinimum,
    /// The nearest of the pairs of pieces that its nodes are on.
    pub nearest: PairDistance,
}

/// Result of SOPA.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct SopaDistance<'m> {
    /// The nearest of the pairs that were measured. Its `upper` holds for the bodies, its `lower` for this pair only.
    /// `None` only if poses are not numbers or there was no start.
    pub nearest: Option<PairDistance>,
    /// All niches, nearest first by their pieces' distance.
    pub niches: &'m [Niche],
    /// The work of the second stage.
    pub work: PieceWork,
}

/// Reused memory of queries on two bodies; owned by the caller.
#[derive(Clone, Debug, Default)]
pub struct SopaMemory {
    mls: MlsMemory,
    last: Vec<NodePair>,
    /// For each pair of pieces, the last query that measured it and the index of its answer.
    measured: Vec<(u32, u32)>,
    query: u32,
    answers: Vec<PairDistance>,
    niches: Vec<Niche>,
}

impl PieceQuery<'_> {
    /// The distance as SOPA finds it, over nodes of both bodies' surfaces.
    pub fn sopa<'m>(
        &self,
        nodes: [&SurfaceNodes; 2],
        settings: &SopaSettings,
        memory: &'m mut SopaMemory,
    ) -> Result<SopaDistance<'m>, PiecesError> {
        let polytopes = [self.a.polytopes()?, self.b.polytopes()?];
        let SopaMemory { mls, last, measured, query, answers, niches } = memory;
        let mut descents = Descents::new(nodes[0], nodes[1], &self.a_from_b, mls);
        if settings.is_warm {
            let fits = |pair: &&NodePair| pair.iter().zip(nodes).all(|(&node, of)| (node as usize) < of.len());
            for &pair in last.iter().filter(fits) {
                descents.descend(pair);
            }
        }
        for start in mls::random_starts(nodes[0], nodes[1], settings.starts, settings.seed) {
            descents.descend(start);
        }
        let minima = descents.finish();
        begin(measured, query, self.a.len() * self.b.len());
        answers.clear();
        niches.clear();
        let mut work = PieceWork::default();
        for minimum in minima {
            let mut nearest: Option<PairDistance> = None;
            for &a in nodes[0].pieces(minimum.nodes[0]) {
                for &b in nodes[1].pieces(minimum.nodes[1]) {
                    let pieces = [a as usize, b as usize];
                    let place = &mut measured[pieces[0] * self.b.len() + pieces[1]];
                    if place.0 != *query {
                        *place = (*query, answers.len() as u32);
                        work.piece_pairs += 1;
                        work.surfaces += (polytopes[0][pieces[0]].half_spaces().len()
                            + polytopes[1][pieces[1]].half_spaces().len())
                            as u64;
                        answers.push(self.pair(pieces, &self.measure(pieces, polytopes, settings.second_stage)));
                    }
                    let answer = answers[place.1 as usize];
                    if nearest.is_none_or(|known| answer.upper < known.upper) {
                        nearest = Some(answer);
                    }
                }
            }
            niches.extend(nearest.map(|nearest| Niche { minimum: *minimum, nearest }));
        }
        niches.sort_by(|p, q| p.nearest.upper.total_cmp(&q.nearest.upper));
        last.clear();
        last.extend(niches.iter().map(|niche| niche.minimum.nodes));
        let nearest = niches.first().map(|niche| niche.nearest).filter(|pair| !pair.upper.is_nan());
        Ok(SopaDistance { nearest, niches, work })
    }

    fn measure(&self, [a, b]: [usize; 2], polytopes: [&[super::Polytope]; 2], stage: SecondStage) -> ConvexDistance {
        match stage {
            SecondStage::Mindist => {
                let start = &mut Start::default();
                mindist::signed_distance(&polytopes[0][a], &polytopes[1][b], &self.a_from_b, start)
            }
            SecondStage::Gjk => {
                let tracker = &mut Tracker::default();
                penetration::signed_distance(self.a.shape(a), self.b.shape(b), &self.a_from_b, tracker)
            }
        }
    }
}

/// Starts a query, with nothing measured yet.
fn begin(measured: &mut Vec<(u32, u32)>, query: &mut u32, pairs: usize) {
    *query = query.wrapping_add(1);
    if *query == 0 || measured.len() != pairs {
        measured.clear();
        measured.resize(pairs, (0, 0));
        *query = 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::concave::tests::random_body;
    use crate::concave::{ConvexPieces, Density, TreeMemory};
    use pathproof::numeric::{DVec3, Pose, Random};

    fn noded(random: &mut Random, pieces: usize, count: usize) -> (ConvexPieces, SurfaceNodes) {
        let body = random_body(random, pieces);
        let nodes = SurfaceNodes::new(&body, Density::Count(count)).expect("nodes");
        (body, nodes)
    }

    #[test]
    fn sopa_never_undercuts_the_exact_distance_and_mostly_meets_it() {
        let mut random = Random::new(91);
        let (mut met, mut all) = (0, 0);
        let mut memory = SopaMemory::default();
        for round in 0..60 {
            let ((a, nodes_a), (b, nodes_b)) = (noded(&mut random, 6, 150), noded(&mut random, 6, 150));
            let (world_from_a, world_from_b) = (random.pose(0.5), random.pose(2.0));
            let query = PieceQuery::new(&a, &b, &world_from_a, &world_from_b);
            let exact = query.tree(&mut TreeMemory::default());
            for second_stage in [SecondStage::Mindist, SecondStage::Gjk] {
                let settings = SopaSettings { starts: 60, seed: round, second_stage, ..SopaSettings::default() };
                let found = query.sopa([&nodes_a, &nodes_b], &settings, &mut memory).expect("polytopes");
                let nearest = found.nearest.expect("a niche");
                assert!(nearest.upper >= exact.lower, "{nearest:?} {exact:?}");
                all += 1;
                met += usize::from((nearest.upper - exact.nearest.expect("a pair").upper).abs() < 1e-9);
                assert!(found.niches.iter().all(|niche| niche.nearest.lower <= niche.minimum.distance + 1e-9));
            }
        }
        assert!(met * 10 > all * 8, "{met} of {all}");
        assert!(met < all, "it is a heuristic: if it never misses, the test says nothing");
    }

    #[test]
    fn both_second_stages_and_all_repetitions_agree() {
        let mut random = Random::new(92);
        let ((a, nodes_a), (b, nodes_b)) = (noded(&mut random, 8, 200), noded(&mut random, 8, 200));
        let mut memory = SopaMemory::default();
        for seed in 0..20 {
            let (world_from_a, world_from_b) = (random.pose(0.5), random.pose(2.0));
            let query = PieceQuery::new(&a, &b, &world_from_a, &world_from_b);
            let mut run = |second_stage| {
                let settings = SopaSettings { starts: 50, seed, second_stage, ..SopaSettings::default() };
                let found = query.sopa([&nodes_a, &nodes_b], &settings, &mut memory).expect("polytopes");
                (found.nearest.expect("a niche"), found.niches.len(), found.work)
            };
            let (first, again, by_gjk) = (run(SecondStage::Mindist), run(SecondStage::Mindist), run(SecondStage::Gjk));
            assert_eq!(first, again);
            assert!((first.0.upper - by_gjk.0.upper).abs() < 1e-9 && (first.1, first.2) == (by_gjk.1, by_gjk.2));
        }
    }

    #[test]
    fn two_contact_regions_are_two_niches_and_a_node_on_several_pieces_sends_all() {
        // A fork over a bar: both tines come within 0.1 m of it, the middle does not.
        let cuboid = |name: &str, low: [f64; 3], high: [f64; 3]| {
            let corner =
                |i: usize| DVec3::from_array([0, 1, 2].map(|k| if i >> k & 1 == 1 { high[k] } else { low[k] }));
            let shape = pathproof::shapes::Convex::hull(&(0..8).map(corner).collect::<Vec<_>>()).expect("a hull");
            crate::concave::NamedPiece { name: name.into(), shape }
        };
        let fork = ConvexPieces::new(vec![
            cuboid("grip", [0.0, 0.0, 1.0], [3.0, 1.0, 2.0]),
            cuboid("left", [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]),
            cuboid("right", [2.0, 0.0, 0.0], [3.0, 1.0, 1.0]),
        ])
        .expect("a body");
        let bar = ConvexPieces::new(vec![cuboid("bar", [-1.0, 0.0, -1.0], [4.0, 1.0, 0.0])]).expect("a body");
        let nodes = [&fork, &bar].map(|body| SurfaceNodes::new(body, Density::Spacing(0.2)).expect("nodes"));
        // Tilted a little, so that the tines' distances differ and each has one nearest edge.
        let tilted = Pose::from_axis_angle(DVec3::Y, 0.01, DVec3::new(0.0, 0.0, -0.1));
        let query = PieceQuery::new(&fork, &bar, &Pose::IDENTITY, &tilted);
        let mut memory = SopaMemory::default();
        let found = query.sopa([&nodes[0], &nodes[1]], &SopaSettings::default(), &mut memory).expect("polytopes");
        let of = |piece: usize| found.niches.iter().find(|niche| niche.nearest.pieces[0] == piece);
        let (left, right) = (of(1).expect("a niche on the left"), of(2).expect("a niche on the right"));
        let exact = query.tree(&mut TreeMemory::default()).nearest.expect("a pair");
        let least = left.nearest.upper.min(right.nearest.upper);
        assert!((least - exact.upper).abs() < 1e-12, "{left:?} {right:?}");
        assert!((left.nearest.upper - right.nearest.upper).abs() > 0.01, "{left:?} {right:?}");
        // At the seam of grip and tine both pieces are selected.
        let seam = (0..nodes[0].len() as u32).find(|&node| nodes[0].pieces(node) == [0, 1]);
        assert!(seam.is_some());
    }

    #[test]
    fn every_niche_is_the_nearest_of_all_pieces_that_its_nodes_are_on() {
        let mut random = Random::new(94);
        let mut seams = 0;
        // Slabs face to face: nodes where two of them meet are on both.
        let slab = |i: u32| {
            let corner = |k: u32| DVec3::new(0.2 * f64::from(i + (k & 1)), f64::from(k >> 1 & 1), f64::from(k >> 2));
            let shape = pathproof::shapes::Convex::hull(&(0..8).map(corner).collect::<Vec<_>>()).expect("a hull");
            crate::concave::NamedPiece { name: format!("slab {i}"), shape }
        };
        let a = ConvexPieces::new((0..6).map(slab).collect()).expect("a body");
        let nodes_a = SurfaceNodes::new(&a, Density::Count(150)).expect("nodes");
        for _ in 0..20 {
            let (b, nodes_b) = noded(&mut random, 5, 120);
            let pose = random.pose(1.5);
            let query = PieceQuery::new(&a, &b, &Pose::IDENTITY, &pose);
            let mut memory = SopaMemory::default();
            let found = query.sopa([&nodes_a, &nodes_b], &SopaSettings::default(), &mut memory).expect("polytopes");
            for niche in found.niches {
                let mut least = f64::INFINITY;
                for &i in nodes_a.pieces(niche.minimum.nodes[0]) {
                    for &j in nodes_b.pieces(niche.minimum.nodes[1]) {
                        let (one, other) = (a.shape(i as usize), b.shape(j as usize));
                        let exact = penetration::signed_distance(one, other, &pose, &mut Tracker::default());
                        least = least.min(exact.upper);
                    }
                }
                let sent = nodes_a.pieces(niche.minimum.nodes[0]).len() * nodes_b.pieces(niche.minimum.nodes[1]).len();
                seams += usize::from(sent > 1);
                assert!((niche.nearest.upper - least).abs() < 1e-9, "{niche:?} {least}");
            }
        }
        assert!(seams > 5, "only {seams} minima are on several pieces");
    }

    #[test]
    fn a_warm_start_keeps_what_the_last_query_found() {
        let mut random = Random::new(93);
        let ((a, nodes_a), (b, nodes_b)) = (noded(&mut random, 8, 200), noded(&mut random, 8, 200));
        let mut memory = SopaMemory::default();
        let (world_from_a, world_from_b) = (random.pose(0.5), random.pose(2.0));
        let query = PieceQuery::new(&a, &b, &world_from_a, &world_from_b);
        let cold = SopaSettings { starts: 300, ..SopaSettings::default() };
        let nodes = [&nodes_a, &nodes_b];
        let (first, niches) = {
            let found = query.sopa(nodes, &cold, &mut memory).expect("polytopes");
            (found.nearest, found.niches.len())
        };
        let warm = SopaSettings { starts: 0, is_warm: true, ..cold };
        let found = query.sopa(nodes, &warm, &mut memory).expect("polytopes");
        assert_eq!((found.nearest, found.niches.len()), (first, niches));
        let nothing = SopaSettings { starts: 0, ..cold };
        assert!(query.sopa(nodes, &nothing, &mut memory).expect("polytopes").nearest.is_none());
    }
}
