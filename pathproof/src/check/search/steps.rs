//! The search of one segment in steps, for planners that test many edges at once: each step halves the largest
//! uncovered length, and between steps the queue stays with the edge (exact-collision-checking paper §4.2,
//! docs/design.md#planning).
//!
//! A planner needs to know as soon as possible that an edge is of no use, and no more. So a pair that is too close is
//! not followed to its nearest approach, and a later edge is not even begun. Cells are probed in the order of
//! [`super::path`], so an edge is safe here if and only if it is proven free there.

use super::edge_cache::EdgeCache;
use super::path::Queues;
use super::segment::SegmentSearch;
use crate::check::cell::Examiner;
use crate::check::error::CheckError;
use crate::check::verdict::Limit;
use crate::check::waypoints::SegmentPiece;

/// Progress of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Advanced {
    /// Proven free.
    Safe,
    /// Something is too close on it or in contact, or arithmetic cannot tell.
    Blocked,
    /// For every pair, at most 2^−`level` of the initially uncovered length is still uncovered.
    To {
        /// At least the requested level; at most [`ALL`] − 1.
        level: u32,
    },
    /// The user's limit was reached.
    Ended(Limit),
}

/// A level at which nothing is uncovered: the segment is decided.
pub(crate) const ALL: u32 = 40;

impl Queues {
    /// Takes a straight segment to a level, from its state in the cache.
    pub(in crate::check) fn advance(
        &mut self,
        ends: [&[f64]; 2],
        level: u32,
        mut edges: Option<&mut EdgeCache>,
        examiner: &mut Examiner<'_>,
    ) -> Result<Advanced, CheckError> {
        let (segment, piece) = (self.make_room(0, examiner), SegmentPiece::Line(ends));
        if !segment.begin(0, piece, edges.as_deref_mut(), examiner)? {
            segment.progress.uncovered_at_first = segment.pressing().unwrap_or(0.0);
        }
        let advanced = segment.advance(level, examiner);
        if let (Some(edges), Advanced::To { .. } | Advanced::Ended(_)) = (edges, advanced) {
            edges.keep(piece, segment);
        }
        Ok(advanced)
    }
}

impl SegmentSearch {
    fn advance(&mut self, level: u32, examiner: &mut Examiner<'_>) -> Advanced {
        // Happens only if another kind of search has worked on it.
        if !self.progress.is_good() {
            return Advanced::Blocked;
        }
        let at_first = self.progress.uncovered_at_first;
        // At the last level, and if there is nothing to halve, everything is decided.
        let has_levels = level < ALL && at_first > 0.0;
        let is_enough = |uncovered: f64| has_levels && !(uncovered > at_first / (1u64 << level) as f64);
        while let Some(cell) = self.cells.pop() {
            if is_enough(cell.priority) {
                let halvings = (at_first / cell.priority).log2();
                self.cells.push(cell);
                // The nearly covered range comes last, and so does NaN.
                let reached = if halvings < f64::from(ALL) && halvings >= 0.0 { halvings as u32 } else { ALL - 1 };
                return Advanced::To { level: reached.clamp(level, ALL - 1) };
            }
            if let Some(limit) = examiner.reached() {
                self.cells.push(cell);
                return Advanced::Ended(limit);
            }
            let goal = self.goal(&examiner.job, cell.pair);
            let probed = self.probe(&cell, &goal, examiner);
            examiner.work.statistics.bisections += u64::from(probed.is_cut);
            if probed.found.is_some() || self.keep_rest(&examiner.job, cell.pair, &probed).is_some() {
                return Advanced::Blocked;
            }
        }
        // A body that crosses no surface may still be inside a solid from the start.
        match self.contained_at_start(None, examiner) {
            (contained, None) if contained.is_empty() => Advanced::Safe,
            _ => Advanced::Blocked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{CheckScratch, Checker, Settings, Verdict};
    use crate::numeric::{DVec3, Pose, Random};
    use crate::robot::{JointKind, JointSpec, Model};
    use crate::scene::{BodyShape, Role, Scene, SceneBody, SceneParts};
    use crate::shapes::{Body, Convex, Shape, TriangleMesh};

    /// A rod that slides and turns, a row of studs on its way, and a closed box of triangles that has room for it
    /// inside.
    fn scene() -> Scene {
        let joint = |name: &str, kind, parent: &str, child: &str| {
            let limits = vec![Some((-4.0, 4.0))];
            JointSpec { limits, ..JointSpec::new(name, kind, parent, child, Pose::IDENTITY) }
        };
        let slide = joint("x", JointKind::Prismatic { axis: DVec3::X }, "world", "cart");
        let joints = vec![slide, joint("turn", JointKind::Revolute { axis: DVec3::Z }, "cart", "rod")];
        let links = ["world", "cart", "rod"].map(String::from).to_vec();
        let stud = |k: i32| {
            let at = DVec3::new(f64::from(k - 6) * 0.25, 0.3, 0.0);
            (Pose::from_translation(at), Shape::Convex(Convex::sphere(0.04).unwrap()))
        };
        let corner =
            |k: u32| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)) - DVec3::splat(0.5);
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
        let cube = TriangleMesh::new((0..8).map(corner).collect(), triangles).unwrap();
        let bodies = [
            ("rod", 2, Role::Link, Body::from_convex(Convex::cuboid([0.6, 0.04, 0.04]).unwrap())),
            ("studs", 0, Role::Obstacle, Body::new((0..13).map(stud).collect()).unwrap()),
            (
                "cube",
                0,
                Role::Obstacle,
                Body::new(vec![(Pose::from_translation(DVec3::X * 3.0), Shape::Mesh(cube))]).unwrap(),
            ),
        ];
        let mut parts = SceneParts::new(Model::new("world", links, joints).unwrap());
        for (name, link, role, body) in bodies {
            let (shape, link_from_body) = (BodyShape::Parts(body), Pose::IDENTITY);
            parts.bodies.push(SceneBody { name: name.into(), role, link, link_from_body, shape });
        }
        Scene::new(parts).unwrap().with_tolerance(0.002).unwrap()
    }

    /// With any steps, with a cache or without, an edge is safe if and only if it is proven free as a segment.
    #[test]
    fn an_edge_is_safe_in_steps_where_it_is_free_at_once() {
        let checker = Checker::new(scene());
        let settings = Settings::default();
        let (mut whole, mut random) = (CheckScratch::new(&checker), Random::new(4));
        let mut remembered = CheckScratch::new(&checker).with_edge_cache(16 << 20);
        let (mut free, mut inside, mut in_steps) = (0, 0, 0);
        for case in 0..3_000 {
            // Every third is short and may be wholly inside the cube.
            let a = if case % 3 == 0 {
                [random.between(2.8, 3.2), random.between(-3.0, 3.0)]
            } else {
                [0; 2].map(|_| random.between(-3.0, 3.0))
            };
            let reach = if case % 3 == 0 { 0.1 } else { 0.8 };
            let b = a.map(|q| q + random.between(-reach, reach));
            let answer = checker.segment(&a, &b, &settings, &mut whole).unwrap();
            let expected = if matches!(answer.verdict, Verdict::Free(_)) { Advanced::Safe } else { Advanced::Blocked };
            free += usize::from(expected == Advanced::Safe);
            inside += usize::from(case % 3 == 0 && expected == Advanced::Blocked);
            let scratch = if case % 2 == 0 { &mut remembered } else { &mut whole };
            let (mut level, mut steps) = (0, 0);
            let decided = loop {
                let asked = level + 1 + random.below(3) as u32;
                steps += 1;
                match checker.advance_edge([&a, &b], asked, &settings, scratch).unwrap().0 {
                    Advanced::To { level: reached } => {
                        assert!(reached >= asked.min(ALL - 1) && reached > level || level == ALL - 1, "case {case}");
                        level = reached;
                    }
                    decided => break decided,
                }
            };
            in_steps += usize::from(steps > 1);
            assert_eq!(decided, expected, "case {case}");
        }
        assert!(free > 500 && inside > 300 && in_steps > 300, "{free} free, {inside} inside, {in_steps} in steps");
    }
}
