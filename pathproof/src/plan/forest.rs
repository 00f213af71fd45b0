//! Two trees of milestones that grow towards each other: one from the start, one (or several) from the goals.
//!
//! A milestone keeps the state of the edge to its parent. When an edge of a candidate path is blocked, the branch
//! beyond it joins the other side over the bridge: the edges from the bridge to the cut are reversed, side branches
//! come along, and each edge keeps its state (docs/design.md#planning).

use super::exact::EdgeState;
use super::grid::Grid;
use super::space::Space;
use crate::numeric::Random;

/// End from which a tree grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Start,
    Goal,
}

impl Side {
    pub(super) fn other(self) -> Self {
        match self {
            Self::Start => Self::Goal,
            Self::Goal => Self::Start,
        }
    }
}

/// A free configuration.
#[derive(Clone, Debug)]
pub(super) struct Milestone {
    pub(super) q: Vec<f64>,
    pub(super) side: Side,
    pub(super) parent: Option<usize>,
    children: Vec<usize>,
    /// State of the edge to its parent.
    pub(super) edge: EdgeState,
}

/// Exceeds the rounding of the difference of two coordinates.
const ROUNDED: f32 = 1e-5;

/// Both sides.
#[derive(Debug)]
pub(super) struct Forest {
    pub(super) milestones: Vec<Milestone>,
    /// Coordinates of the milestones, one after the other, used to rule out most that are far away.
    coordinates: Vec<f32>,
    grids: [Grid; 2],
}

/// A path through a bridge: milestones from the start to a goal.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) milestones: Vec<usize>,
    /// The edge that is the bridge; those before it belong to the start's tree, those after it to the goals'.
    pub(super) bridge: usize,
    /// State of the edges.
    pub(super) edges: Vec<EdgeState>,
}

impl Forest {
    /// A forest of roots only.
    pub(super) fn new(space: &Space<'_>, start: &[f64], goals: Vec<Vec<f64>>, axes: [usize; 2]) -> Self {
        let (milestones, coordinates) = (Vec::new(), Vec::new());
        let mut forest = Self { milestones, coordinates, grids: [Grid::over(axes), Grid::over(axes)] };
        forest.insert(space, start.to_vec(), Side::Start, None);
        for goal in goals {
            forest.insert(space, goal, Side::Goal, None);
        }
        forest
    }

    /// Adds the child of a milestone, on its side, with the state of the edge to it.
    pub(super) fn add(&mut self, space: &Space<'_>, q: Vec<f64>, parent: usize, edge: EdgeState) -> usize {
        let number = self.insert(space, q, self.milestones[parent].side, Some(parent));
        self.milestones[number].edge = edge;
        number
    }

    fn insert(&mut self, space: &Space<'_>, q: Vec<f64>, side: Side, parent: Option<usize>) -> usize {
        let number = self.milestones.len();
        self.grids[side as usize].insert(space, &q, number);
        space.write_coordinates(&q, &mut self.coordinates);
        self.milestones.push(Milestone { q, side, parent, children: Vec::new(), edge: EdgeState::default() });
        if let Some(parent) = parent {
            self.milestones[parent].children.push(number);
        }
        number
    }

    /// Rebuilds both grids over other coordinates.
    pub(super) fn lay_grids(&mut self, space: &Space<'_>, axes: [usize; 2]) {
        self.grids = [Grid::over(axes), Grid::over(axes)];
        for (number, milestone) in self.milestones.iter().enumerate() {
            self.grids[milestone.side as usize].insert(space, &milestone.q, number);
        }
    }

    /// A random milestone of a side; fewer milestones around it make it likelier.
    pub(super) fn pick(&self, side: Side, random: &mut Random) -> usize {
        self.grids[side as usize].pick(random)
    }

    /// The milestone of a side that is nearest to `q` among those in neighbouring cells of the grid, if it is closer
    /// than `within`.
    pub(super) fn nearest_around(&self, side: Side, space: &Space<'_>, q: &[f64], within: f64) -> Option<(usize, f64)> {
        let (mut nearest, mut least, mut wanted) = (None, within.next_up(), Vec::new());
        space.write_coordinates(q, &mut wanted);
        let count = wanted.len();
        for number in self.grids[side as usize].around(space, q) {
            let coordinates = self.coordinates[number * count..][..count].iter().zip(&wanted);
            let far = least as f32 + ROUNDED;
            if coordinates.into_iter().any(|(a, b)| (a - b).abs() > far) {
                continue;
            }
            if let Some(distance) = space.distance_below(q, &self.milestones[number].q, least) {
                (nearest, least) = (Some((number, distance)), distance);
            }
        }
        nearest
    }

    /// The path through a bridge between milestones of different sides.
    pub(super) fn candidate(&self, one: usize, other: usize) -> Candidate {
        let [from, to] = if self.milestones[one].side == Side::Start { [one, other] } else { [other, one] };
        let mut milestones = self.to_root(from);
        milestones.reverse();
        let bridge = milestones.len() - 1;
        // A child stores its edge: before the bridge that is the edge's second milestone, after it its first.
        let mut edges: Vec<EdgeState> = milestones[1..].iter().map(|child| self.milestones[*child].edge).collect();
        edges.push(EdgeState::default());
        let beyond = self.to_root(to);
        edges.extend(beyond[..beyond.len() - 1].iter().map(|child| self.milestones[*child].edge));
        milestones.extend(beyond);
        Candidate { milestones, bridge, edges }
    }

    fn to_root(&self, from: usize) -> Vec<usize> {
        std::iter::successors(Some(from), |at| self.milestones[*at].parent).collect()
    }

    /// Stores the new states of a candidate's edges.
    pub(super) fn learn(&mut self, candidate: &Candidate) {
        let Candidate { milestones, bridge, edges } = candidate;
        for (place, edge) in edges.iter().enumerate().filter(|(place, _)| place != bridge) {
            let child = if place < *bridge { place + 1 } else { place };
            self.milestones[milestones[child]].edge = *edge;
        }
    }

    /// Deletes a blocked edge of a candidate. If it is the bridge, nothing else changes; if it is a tree's edge,
    /// everything beyond it joins the other side.
    pub(super) fn cut(&mut self, space: &Space<'_>, candidate: &Candidate, blocked: usize) {
        let Candidate { milestones, bridge, edges } = candidate;
        // From the bridge to the child of the edge that is cut, and the milestone on the other side of the bridge.
        let (turned, beyond): (Vec<usize>, usize) = match blocked.cmp(bridge) {
            std::cmp::Ordering::Equal => return,
            std::cmp::Ordering::Less => {
                (milestones[blocked + 1..=*bridge].iter().rev().copied().collect(), milestones[bridge + 1])
            }
            std::cmp::Ordering::Greater => (milestones[bridge + 1..=blocked].to_vec(), milestones[*bridge]),
        };
        let (mut parent, mut edge) = (beyond, edges[*bridge]);
        for &number in &turned {
            let (old_parent, old_edge) = (self.milestones[number].parent, self.milestones[number].edge);
            if let Some(old) = old_parent {
                self.milestones[old].children.retain(|child| *child != number);
            }
            (self.milestones[number].parent, self.milestones[number].edge) = (Some(parent), edge);
            self.milestones[parent].children.push(number);
            (parent, edge) = (number, old_edge);
        }
        self.change_sides(space, turned[0], self.milestones[beyond].side);
    }

    /// Moves a milestone and everything below it to a side.
    fn change_sides(&mut self, space: &Space<'_>, top: usize, side: Side) {
        let mut left = vec![top];
        while let Some(number) = left.pop() {
            let milestone = &mut self.milestones[number];
            if milestone.side != side {
                self.grids[milestone.side as usize].remove(space, &milestone.q, number);
                self.grids[side as usize].insert(space, &milestone.q, number);
                milestone.side = side;
            }
            left.extend(&milestone.children);
        }
    }

    /// The first broken rule of this structure, for tests.
    #[cfg(test)]
    fn broken_invariant(&self) -> Option<&'static str> {
        for (number, milestone) in self.milestones.iter().enumerate() {
            if let Some(parent) = milestone.parent {
                let parent = &self.milestones[parent];
                if parent.side != milestone.side || parent.children.iter().filter(|c| **c == number).count() != 1 {
                    return Some("a parent is on the other side, or does not know its child");
                }
            }
            if milestone.children.iter().any(|child| self.milestones[*child].parent != Some(number)) {
                return Some("a child has another parent");
            }
            if self.to_root_within(number).is_none() {
                return Some("parents go round in a circle");
            }
        }
        self.grids.iter().find_map(Grid::broken_invariant)
    }

    #[cfg(test)]
    fn to_root_within(&self, from: usize) -> Option<()> {
        let steps = std::iter::successors(Some(from), |at| self.milestones[*at].parent);
        (steps.take(self.milestones.len() + 1).count() <= self.milestones.len()).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::budget::{Budget, Watch};
    use super::super::exact::{Tested, Tester};
    use super::*;
    use crate::check::Advanced;
    use crate::check::Checker;
    use crate::numeric::{DVec3, Pose};
    use crate::robot::{JointKind, JointSpec, Model};
    use crate::scene::{BodyShape, Role, Scene, SceneBody, SceneParts};
    use crate::shapes::{Body, Convex, Shape};

    /// A rod that slides along a row of studs and turns: an edge near them takes several queries.
    fn scene() -> Scene {
        let joint = |name: &str, kind, parent: &str, child: &str| {
            let limits = vec![Some((-1.0, 1.0))];
            JointSpec { limits, ..JointSpec::new(name, kind, parent, child, Pose::IDENTITY) }
        };
        let slide = joint("x", JointKind::Prismatic { axis: DVec3::X }, "world", "cart");
        let joints = vec![slide, joint("turn", JointKind::Revolute { axis: DVec3::Z }, "cart", "rod")];
        let links = ["world", "cart", "rod"].map(String::from).to_vec();
        let mut parts = SceneParts::new(Model::new("world", links, joints).unwrap());
        let stud = |k: i32| {
            let at = DVec3::new(f64::from(k - 4) * 0.25, 0.3, 0.0);
            (Pose::from_translation(at), Shape::Convex(Convex::sphere(0.04).unwrap()))
        };
        let rod = Body::from_convex(Convex::cuboid([0.6, 0.04, 0.04]).unwrap());
        let bodies = [rod, Body::new((0..9).map(stud).collect()).unwrap()];
        let named = [("rod", 2, Role::Link), ("studs", 0, Role::Obstacle)];
        for ((name, link, role), body) in named.into_iter().zip(bodies) {
            let (shape, link_from_body) = (BodyShape::Parts(body), Pose::IDENTITY);
            parts.bodies.push(SceneBody { name: name.into(), role, link, link_from_body, shape });
        }
        Scene::new(parts).unwrap()
    }

    /// Edges to the parents of all milestones: both ends, the lesser first, and the state.
    fn edges(forest: &Forest) -> Vec<([Vec<u64>; 2], EdgeState)> {
        let bits = |number: usize| forest.milestones[number].q.iter().map(|q| q.to_bits()).collect::<Vec<u64>>();
        let mut edges: Vec<_> = (0..forest.milestones.len())
            .filter_map(|number| {
                let mut ends = [bits(number), bits(forest.milestones[number].parent?)];
                ends.sort();
                Some((ends, forest.milestones[number].edge))
            })
            .collect();
        edges.sort_by(|a, b| a.0.cmp(&b.0));
        edges
    }

    #[test]
    fn what_is_cut_off_joins_the_other_side_with_all_that_is_known_of_its_edges() {
        let scene = scene();
        let space = Space::new(&scene, &[]).unwrap();
        let mut random = Random::new(3);
        for round in 0..200 {
            let mut forest = Forest::new(&space, &[-0.9, -0.9], vec![vec![0.9, 0.9], vec![0.9, -0.9]], [0, 1]);
            for count in 0..40 {
                let side = if random.below(2) == 0 { Side::Start } else { Side::Goal };
                let (parent, mut q) = (forest.pick(side, &mut random), vec![0.0; 2]);
                space.draw(&mut random, &mut q);
                let edge = EdgeState { levels: count, is_safe: count % 3 == 0, proven_from: None };
                let new = forest.add(&space, q, parent, edge);
                let other = forest.pick(side.other(), &mut random);
                let mut candidate = forest.candidate(new, other);
                candidate.edges[candidate.bridge] = EdgeState { levels: 100, ..EdgeState::default() };
                let blocked = random.below(candidate.edges.len());
                let before = edges(&forest);
                forest.cut(&space, &candidate, blocked);
                assert_eq!(forest.broken_invariant(), None, "round {round}");
                // One edge is gone and the bridge is new; all others keep their state.
                let after = edges(&forest);
                assert_eq!(before.len(), after.len());
                let kept = after.iter().filter(|edge| before.contains(edge)).count();
                assert_eq!(kept, before.len() - usize::from(blocked != candidate.bridge));
                let sides = [0, 1, 2].map(|root: usize| (forest.milestones[root].parent, forest.milestones[root].side));
                assert_eq!(sides, [(None, Side::Start), (None, Side::Goal), (None, Side::Goal)]);
            }
        }
    }

    /// Edges on the way from the bridge to the cut run backwards afterwards: the edge cache still has them.
    #[test]
    fn no_query_is_repeated_after_a_transfer() {
        let checker = Checker::new(scene());
        let space = Space::new(checker.scene(), &[]).unwrap();
        let mut forest = Forest::new(&space, &[-0.9, 0.0], vec![vec![0.9, 0.0]], [0, 1]);
        let watch = Watch::new(&Budget::default());
        // Edges that are free, but not at the first probe; so is the bridge.
        let is_good = |a: &[f64], b: &[f64]| {
            let mut tester = Tester::new(&checker);
            let first = tester.advance([a, b], &mut EdgeState::default(), &watch).unwrap();
            matches!(first, Advanced::To { .. }) && tester.is_segment_free(a, b, &watch).unwrap()
        };
        let (mut last, mut q) = (0, vec![0.0; 2]);
        let mut random = Random::new(8);
        while forest.milestones.len() < 8 {
            space.draw(&mut random, &mut q);
            let is_last = forest.milestones.len() == 7;
            if is_good(&forest.milestones[last].q, &q) && (!is_last || is_good(&q, &[0.9, 0.0])) {
                last = forest.add(&space, q.clone(), last, EdgeState::default());
            }
        }
        let ends_of = |forest: &Forest, candidate: &Candidate| -> Vec<[Vec<f64>; 2]> {
            let at = |number: usize| forest.milestones[number].q.clone();
            candidate.milestones.windows(2).map(|ends| [at(ends[0]), at(ends[1])]).collect()
        };
        let prove = |tester: &mut Tester<'_>, forest: &Forest, candidate: &mut Candidate| {
            let ends = ends_of(forest, candidate);
            let edges: Vec<[&[f64]; 2]> = ends.iter().map(|[a, b]| [&a[..], &b[..]]).collect();
            let tested = tester.prove(&edges, &mut candidate.edges, &space, &watch).unwrap();
            assert_eq!(tested, Ok(Tested::Safe));
        };
        // Every edge halfway to its proof, before anything is moved.
        let (mut halfway, mut at_once) = (Tester::new(&checker), Tester::new(&checker));
        let mut candidate = forest.candidate(last, 1);
        for (ends, edge) in ends_of(&forest, &candidate).iter().zip(&mut candidate.edges) {
            halfway.advance([&ends[0], &ends[1]], edge, &watch).unwrap();
            assert!(!edge.is_safe && edge.levels > 0);
        }
        forest.learn(&candidate);
        forest.cut(&space, &candidate, 2);
        // Now the branch hangs from the goal: a path over a new bridge to its middle runs back through it, to its old
        // end.
        let turned = forest.to_root(candidate.milestones[3]);
        assert_eq!(turned, candidate.milestones[3..]);
        let reversed: Vec<usize> = turned.iter().rev().copied().collect();
        let edges: Vec<EdgeState> = reversed[1..].iter().map(|child| forest.milestones[*child].edge).collect();
        let mut back = Candidate { milestones: reversed, bridge: 0, edges };
        prove(&mut halfway, &forest, &mut back);
        // The other edges of the old path, and all of it from the start at once.
        let mut rest = Candidate {
            milestones: candidate.milestones[..=3].to_vec(),
            bridge: 0,
            edges: candidate.edges[..3].to_vec(),
        };
        prove(&mut halfway, &forest, &mut rest);
        for [a, b] in ends_of(&forest, &candidate) {
            assert!(at_once.is_segment_free(&a, &b, &watch).unwrap());
        }
        let probes = |tester: &Tester<'_>| tester.effort.statistics.bisections;
        assert!(probes(&at_once) >= 7, "{}", probes(&at_once));
        assert_eq!(probes(&halfway), probes(&at_once), "nothing is cut twice");
    }
}
