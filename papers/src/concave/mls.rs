//! MLSdist: local minima of the distance between the nodes of two surfaces, by descents from many pairs ("Sub-Object
//! Pruning" §2.1). A heuristic: the starts determine which minima are found, and the nodes are not the surface.
//!
//! A descent moves one node at a time to its neighbour nearest to the other; if neither helps, both at once. It ends
//! where no pair of N(a) × N(b) is shorter, N(·) being the neighbours and the node itself. The next pair depends on the
//! present one only, so a descent that meets the track of an earlier one ends there. All minima are kept (niches).

use super::SurfaceNodes;
use pathproof::numeric::{DVec3, Pose, Random};

/// A pair of nodes, one of each body.
pub type NodePair = [u32; 2];

/// A pair of nodes such that no pair of their neighbours and themselves is nearer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalMinimum {
    /// The nodes.
    pub nodes: NodePair,
    /// Their distance in metres, up to rounding. It is not below the bodies' distance because the nodes are points of
    /// the bodies.
    pub distance: f64,
}

/// Reused memory of searches, and the minima found by the last one.
#[derive(Clone, Debug, Default)]
pub struct MlsMemory {
    /// B's nodes in A's frame.
    b_in_a: Vec<DVec3>,
    visited: Visited,
    minima: Vec<LocalMinimum>,
    evaluations: u64,
}

impl MlsMemory {
    /// Number of node pairs measured by the last search.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }
}

/// A search over the nodes of two bodies at fixed poses, one descent at a time.
#[derive(Debug)]
pub struct Descents<'m, 'n> {
    a: &'n SurfaceNodes,
    b: &'n SurfaceNodes,
    memory: &'m mut MlsMemory,
}

/// Random pairs of nodes, determined by the seed on every machine.
pub fn random_starts(a: &SurfaceNodes, b: &SurfaceNodes, count: usize, seed: u64) -> impl Iterator<Item = NodePair> {
    let (of_a, of_b) = (a.len(), b.len());
    let mut random = Random::new(seed);
    (0..count).map(move |_| [random.below(of_a) as u32, random.below(of_b) as u32])
}

/// The local minima that descents from `starts` end in, nearest first.
pub fn local_minima<'m>(
    a: &SurfaceNodes,
    b: &SurfaceNodes,
    a_from_b: &Pose,
    starts: impl IntoIterator<Item = NodePair>,
    memory: &'m mut MlsMemory,
) -> &'m [LocalMinimum] {
    let mut descents = Descents::new(a, b, a_from_b, memory);
    for start in starts {
        descents.descend(start);
    }
    descents.finish()
}

impl<'m, 'n> Descents<'m, 'n> {
    /// Starts a search and forgets the minima of the last one with this memory.
    pub fn new(a: &'n SurfaceNodes, b: &'n SurfaceNodes, a_from_b: &Pose, memory: &'m mut MlsMemory) -> Self {
        memory.b_in_a.clear();
        memory.b_in_a.extend(b.points().iter().map(|p| a_from_b.point(*p)));
        memory.visited.clear();
        memory.minima.clear();
        memory.evaluations = 0;
        Self { a, b, memory }
    }

    /// Walks downhill from `start`. Returns the minimum it ended in, or `None` if it met an earlier descent.
    #[inline]
    pub fn descend(&mut self, start: NodePair) -> Option<LocalMinimum> {
        let (points_a, points_b) = (self.a.points(), self.memory.b_in_a.as_slice());
        let [mut a, mut b] = start.map(|node| node as usize);
        let mut squared = (points_b[b] - points_a[a]).length_squared();
        let mut evaluations = 1;
        loop {
            if !self.memory.visited.insert([a as u32, b as u32]) {
                self.memory.evaluations += evaluations;
                return None;
            }
            let near_a = self.a.neighbours(a as u32);
            let (best, at) = nearest(points_a, near_a, points_b[b], squared);
            evaluations += near_a.len() as u64;
            if best < squared {
                (squared, a) = (best, at);
                continue;
            }
            let near_b = self.b.neighbours(b as u32);
            let (best, at) = nearest(points_b, near_b, points_a[a], squared);
            evaluations += near_b.len() as u64;
            if best < squared {
                (squared, b) = (best, at);
                continue;
            }
            let mut pair = [a, b];
            for &next in near_a {
                let (best, at) = nearest(points_b, near_b, points_a[next as usize], squared);
                if best < squared {
                    (squared, pair) = (best, [next as usize, at]);
                }
            }
            evaluations += (near_a.len() * near_b.len()) as u64;
            if pair == [a, b] {
                break;
            }
            [a, b] = pair;
        }
        self.memory.evaluations += evaluations;
        let minimum = LocalMinimum { nodes: [a as u32, b as u32], distance: squared.sqrt() };
        self.memory.minima.push(minimum);
        Some(minimum)
    }

    /// The minima found, nearest first; equally near ones by number.
    pub fn finish(self) -> &'m [LocalMinimum] {
        let minima = &mut self.memory.minima;
        minima.sort_unstable_by(|p, q| p.distance.total_cmp(&q.distance).then(p.nodes.cmp(&q.nodes)));
        minima
    }
}

/// The first of `among` that is nearest to `to` and nearer than `squared`, and its squared distance.
#[inline(always)]
fn nearest(points: &[DVec3], among: &[u32], to: DVec3, squared: f64) -> (f64, usize) {
    let (mut best, mut at) = (squared, 0);
    for &node in among {
        let its = (points[node as usize] - to).length_squared();
        // Selects instead of branches: the winning neighbour is hard to predict.
        let wins = its < best;
        best = if wins { its } else { best };
        at = if wins { node as usize } else { at };
    }
    (best, at)
}

/// A set of pairs that can be emptied at no cost: entries carry the round they were made in.
#[derive(Clone, Debug, Default)]
struct Visited {
    entries: Vec<(NodePair, u32)>,
    round: u32,
    used: usize,
}

impl Visited {
    fn clear(&mut self) {
        (self.round, self.used) = (self.round.wrapping_add(1), 0);
        if self.round == 0 {
            // Every number has been used: no old entry may look new.
            self.entries.iter_mut().for_each(|entry| entry.1 = 0);
            self.round = 1;
        }
    }

    /// True if the pair is new.
    #[inline(always)]
    fn insert(&mut self, pair: NodePair) -> bool {
        if self.used * 2 >= self.entries.len() {
            self.grow();
        }
        let mask = self.entries.len() - 1;
        let mut place = Self::hash(pair) & mask;
        loop {
            let (other, round) = self.entries[place];
            if round != self.round {
                self.entries[place] = (pair, self.round);
                self.used += 1;
                return true;
            }
            if other == pair {
                return false;
            }
            place = (place + 1) & mask;
        }
    }

    #[inline(always)]
    fn hash([a, b]: NodePair) -> usize {
        ((u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize
    }

    #[cold]
    fn grow(&mut self) {
        let round = self.round;
        let bigger = vec![([0; 2], round.wrapping_sub(1)); (self.entries.len() * 2).max(1024)];
        let old = std::mem::replace(&mut self.entries, bigger);
        self.used = 0;
        for (pair, _) in old.into_iter().filter(|entry| entry.1 == round) {
            self.insert(pair);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::concave::tests::random_body;
    use crate::concave::{Density, SurfaceNodes};

    fn bodies(random: &mut Random, count: usize) -> [SurfaceNodes; 2] {
        [0; 2].map(|_| {
            let pieces = 1 + random.below(6);
            SurfaceNodes::new(&random_body(random, pieces), Density::Count(count)).expect("nodes")
        })
    }

    /// All pairs that are local minima by definition.
    fn by_definition(a: &SurfaceNodes, b: &SurfaceNodes, a_from_b: &Pose) -> Vec<NodePair> {
        let distance = |i: u32, j: u32| (a_from_b.point(b.points()[j as usize]) - a.points()[i as usize]).length();
        let mut found = Vec::new();
        for i in 0..a.len() as u32 {
            for j in 0..b.len() as u32 {
                let own = distance(i, j);
                let near_i = a.neighbours(i).iter().chain([&i]);
                let is_least =
                    near_i.clone().all(|&k| b.neighbours(j).iter().chain([&j]).all(|&l| distance(k, l) >= own));
                if is_least {
                    found.push([i, j]);
                }
            }
        }
        found
    }

    #[test]
    fn descents_from_every_pair_end_in_minima_by_definition_and_miss_none() {
        let mut random = Random::new(81);
        for _ in 0..12 {
            let [a, b] = bodies(&mut random, 40);
            let pose = random.pose(1.5);
            let every = (0..a.len() as u32).flat_map(|i| (0..b.len() as u32).map(move |j| [i, j]));
            let mut memory = MlsMemory::default();
            let mut found: Vec<NodePair> =
                local_minima(&a, &b, &pose, every, &mut memory).iter().map(|minimum| minimum.nodes).collect();
            found.sort_unstable();
            assert_eq!(found, by_definition(&a, &b, &pose));
        }
    }

    #[test]
    fn a_few_starts_find_a_part_of_the_minima_the_same_for_a_seed_nearest_first() {
        let mut random = Random::new(82);
        let [a, b] = bodies(&mut random, 120);
        let pose = random.pose(1.5);
        let truth = by_definition(&a, &b, &pose);
        let mut memory = MlsMemory::default();
        for starts in [1, 5, 50, 500] {
            let mut run = |seed| {
                let starts = random_starts(&a, &b, starts, seed);
                local_minima(&a, &b, &pose, starts, &mut memory).to_vec()
            };
            let (first, again, other) = (run(1), run(1), run(2));
            assert_eq!(first, again);
            for found in [&first, &other] {
                assert!(found.iter().all(|minimum| truth.contains(&minimum.nodes)) && found.len() <= starts);
                assert!(found.is_sorted_by(|p, q| p.distance <= q.distance && p.nodes != q.nodes));
            }
        }
    }

    #[test]
    fn the_set_of_visited_pairs_forgets_between_rounds_and_not_within() {
        let mut visited = Visited { round: u32::MAX - 2, ..Visited::default() };
        let mut random = Random::new(83);
        for _ in 0..6 {
            visited.clear();
            let mut known = std::collections::HashSet::new();
            for _ in 0..5_000 {
                let pair = [random.below(60) as u32, random.below(60) as u32];
                assert_eq!(visited.insert(pair), known.insert(pair));
            }
        }
    }
}
