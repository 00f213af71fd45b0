//! Clusters of neighbouring groups. Where there are many pairs, most are far apart: two clusters that stay apart over
//! a whole segment settle all pairs between them at once, before any of these is tested.
//!
//! Invariant: a pair is settled only where the ball around each cluster, grown by how far any member strays from the
//! middle of the segment, stays farther from the other than 0 and the largest clearance of the pairs between them.
//! Then no body is inside another either. Cost: one distance per pair of clusters, about 1 ns per pair of groups.

use std::collections::BTreeMap;

use super::ball::Ball;
use super::groups::{Group, GroupPair, Opposite};
use crate::numeric::{add_up, most};
use crate::robot::Model;
use crate::scene::PairKind;

/// Number of pairs from which clusters pay.
const MANY_PAIRS: usize = 128;

/// Most groups in a cluster.
const MOST_MEMBERS: usize = 5;

/// The clusters of a scene's groups.
#[derive(Debug)]
pub(super) struct Clusters {
    members: Vec<Vec<usize>>,
    /// For each pair of groups, the pair of clusters that holds it; half-spaces have none.
    between: Vec<Option<u32>>,
    pairs: Vec<ClusterPair>,
}

/// Two clusters with pairs of one kind between them; they may be the same one.
#[derive(Clone, Copy, Debug)]
struct ClusterPair {
    clusters: [usize; 2],
    kind: PairKind,
    /// The largest of its pairs' clearances, at least 0.
    clearance: f64,
}

/// Bounds on a group, or on all members of a cluster, over a whole segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wandering {
    /// Ball around it in the middle of the segment.
    pub(super) ball: Ball,
    /// Upper bound on the arc length in the world, over the whole segment.
    pub(super) upper_arc: f64,
    /// Upper bound on the rounding of poses.
    pub(super) margin: f64,
}

/// Result of culling a segment; its memory is reused.
#[derive(Debug, Default)]
pub(super) struct Cull {
    groups: Vec<Wandering>,
    clusters: Vec<Wandering>,
    /// For each pair of clusters its proof, if it is settled.
    settled: Vec<Option<Settled>>,
}

/// A pair of clusters that stay apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settled {
    pub(super) kind: PairKind,
    /// Proven lower bound on the distance over the whole segment.
    pub(super) lower: f64,
    /// Upper bounds that hold for each of its pairs.
    pub(super) upper_arc: f64,
    pub(super) margin: f64,
}

impl Clusters {
    /// The clusters of groups; `None` where there are few pairs.
    pub(super) fn new(model: &Model, groups: &[Group], pairs: &[GroupPair]) -> Option<Self> {
        (pairs.len() >= MANY_PAIRS).then(|| Self::of(model, groups, pairs))
    }

    /// Neighbours on a chain share a cluster.
    fn of(model: &Model, groups: &[Group], pairs: &[GroupPair]) -> Self {
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.sort_by_key(|&group| groups[group].frame);
        let mut members: Vec<Vec<usize>> = Vec::new();
        for group in order {
            let is_neighbour = |cluster: &&mut Vec<usize>| {
                let frames = [groups[cluster[0]].frame, groups[group].frame];
                cluster.len() < MOST_MEMBERS && model.common_ancestor(frames[0], frames[1]) != 0
            };
            match members.last_mut().filter(is_neighbour) {
                Some(cluster) => cluster.push(group),
                None => members.push(vec![group]),
            }
        }
        let mut cluster_of = vec![0; groups.len()];
        for (cluster, of) in members.iter().enumerate() {
            of.iter().for_each(|&group| cluster_of[group] = cluster);
        }
        let mut result = Self { members, between: Vec::with_capacity(pairs.len()), pairs: Vec::new() };
        let mut numbers: BTreeMap<([usize; 2], PairKind), u32> = BTreeMap::new();
        for pair in pairs {
            let Opposite::Group(b) = pair.b else {
                result.between.push(None);
                continue;
            };
            let clusters = [cluster_of[pair.a], cluster_of[b]];
            let number = *numbers.entry((clusters, pair.kind)).or_insert_with(|| {
                result.pairs.push(ClusterPair { clusters, kind: pair.kind, clearance: 0.0 });
                (result.pairs.len() - 1) as u32
            });
            let clearance = &mut result.pairs[number as usize].clearance;
            *clearance = most(*clearance, pair.clearance);
            result.between.push(Some(number));
        }
        result
    }
}

impl Cull {
    /// Clears everything.
    pub(super) fn clear(&mut self) {
        self.settled.clear();
    }

    /// Settles as many pairs as possible, given all groups over a segment.
    ///
    /// Seen from the middle of the segment no point of a group strays by more than half of its arc (rates are bounded
    /// over the whole segment). So over all of it the distance of two groups is at least that of the balls around
    /// their clusters less half of the largest arc on either side; the poses of both may be off by their margins.
    pub(super) fn settle(&mut self, of: &Clusters, groups: impl Iterator<Item = Wandering>) {
        self.groups.clear();
        self.groups.extend(groups);
        let groups = &self.groups;
        self.clusters.clear();
        self.clusters.extend(of.members.iter().map(|members| {
            let ball = Ball::around(members.iter().map(|&group| &groups[group].ball));
            let largest = |of: fn(&Wandering) -> f64| members.iter().map(|&group| of(&groups[group])).fold(0.0, most);
            Wandering { ball, upper_arc: largest(|group| group.upper_arc), margin: largest(|group| group.margin) }
        }));
        self.settled.clear();
        self.settled.extend(of.pairs.iter().map(|ClusterPair { clusters, kind, clearance }| {
            let [a, b] = clusters.map(|cluster| &self.clusters[cluster]);
            let (upper_arc, margin) = (add_up(a.upper_arc, b.upper_arc), add_up(a.margin, b.margin));
            let lower = a.ball.lower_distance(&b.ball) - upper_arc * 0.5 - margin;
            (lower > *clearance).then_some(Settled { kind: *kind, lower, upper_arc, margin })
        }));
    }

    /// Proof for the pair of clusters that holds a pair of groups.
    #[inline]
    pub(super) fn of_pair(&self, clusters: Option<&Clusters>, pair: usize) -> Option<Settled> {
        let number = clusters?.between[pair]?;
        self.settled.get(number as usize).copied().flatten()
    }

    /// Proofs for all settled pairs of clusters.
    pub(super) fn settled(&self) -> impl Iterator<Item = &Settled> {
        self.settled.iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::super::groups::{Grouping, Groups};
    use super::super::pair_at::PairAt;
    use super::super::verdict::Statistics;
    use super::*;
    use crate::distance::Scratch;
    use crate::numeric::Random;
    use crate::robot::bounds::lambda;
    use crate::robot::{Kinematics, SegmentMotion};
    use crate::scene::Scene;
    use crate::scene::tests::{random_configuration, random_parts};

    /// Bodies are balls, so that bounds are tight: no settled pair may be nearer than its proven bound.
    #[test]
    fn settled_pairs_are_as_far_apart_as_proven_all_along() {
        let mut random = Random::new(41);
        let (mut settled, mut tight) = (0, 0);
        for case in 0..3_000 {
            let Ok(scene) = Scene::new(random_parts(&mut random)) else { continue };
            let (model, groups) = (scene.model(), Groups::new(&scene, Grouping::Together, &[]));
            let clusters = Clusters::of(model, &groups.groups, &groups.pairs);
            let [start, other] = [0; 2].map(|_| random_configuration(&mut random, model));
            let mut goal = start.clone();
            let Ok(motion) = SegmentMotion::new(model, &start, &other) else { continue };
            motion.configuration_at([0.02, 0.2, 1.0][case % 3], &mut goal);
            let Ok(motion) = SegmentMotion::new(model, &start, &goal) else { continue };
            let mut kinematics = Kinematics::new(model);
            kinematics.set_time(&motion, 0.5);
            let wandering: Vec<Wandering> = groups
                .groups
                .iter()
                .map(|group| Wandering {
                    ball: group.ball_at(model, &mut kinematics),
                    upper_arc: lambda(model, &motion, &group.extent, 0),
                    margin: group.margin(&motion),
                })
                .collect();
            let mut cull = Cull::default();
            cull.settle(&clusters, wandering.into_iter());
            let mut nearest = vec![f64::INFINITY; groups.pairs.len()];
            for sample in 0..=24 {
                kinematics.set_time(&motion, f64::from(sample) / 24.0);
                for (number, pair) in groups.pairs.iter().enumerate() {
                    let Some(proven) = cull.of_pair(Some(&clusters), number) else { continue };
                    let at = PairAt::new(&groups, pair, proven.margin, model, &mut kinematics);
                    let measured = at.measure(&mut Scratch::default(), &mut Statistics::default());
                    nearest[number] = crate::numeric::least(nearest[number], measured.upper);
                    assert!(measured.upper >= proven.lower, "case {case}: {} < {proven:?}", measured.upper);
                    assert!(proven.lower > pair.clearance && proven.lower > 0.0, "case {case}");
                }
            }
            for (number, nearest) in nearest.iter().enumerate() {
                let Some(proven) = cull.of_pair(Some(&clusters), number) else { continue };
                settled += 1;
                tight += usize::from(*nearest < proven.lower + 0.02 * proven.upper_arc + 1e-6);
            }
        }
        println!("{settled} settled, {tight} of them nearly as near as proven");
        assert!(settled > 5_000 && tight > 50, "{settled} {tight}");
    }
}
