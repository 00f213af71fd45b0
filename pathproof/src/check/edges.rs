//! [`Checker::edges`]: segments that need not meet, each the same edge in either direction (docs/design.md#planning).
//!
//! A planner's tree reverses edges when a branch moves to the other tree. A segment and its reverse are the same set
//! of configurations, so a proof for one is a proof for the other. Both are examined from the same end and share one
//! entry in the edge cache. Cost: an inside test at one end of every edge, since no neighbour provides one.

use std::cmp::Ordering;

use super::cell::{Examiner, Job};
use super::checker::{CheckScratch, Checker};
use super::error::CheckError;
use super::search::steps::Advanced;
use super::settings::{Limits, Report, Settings};
use super::verdict::{Answer, Finding, Statistics, Unresolved, Verdict};
use super::waypoints::Waypoints;

impl Checker {
    /// Checks straight segments that need not meet: free if all of them are. In the answer `segment` is the index of
    /// an edge, and `t` runs from its first end to its second. Nothing else depends on which end comes first: the
    /// cache of a scratch ([`CheckScratch::with_edge_cache`]) holds an edge in either direction. Any contact ends the
    /// search, whatever the settings ask to report.
    ///
    /// ```
    /// use pathproof::numeric::{DVec3, Pose};
    /// use pathproof::robot::JointKind;
    /// use pathproof::scene::SceneBuilder;
    /// use pathproof::shapes::Convex;
    /// use pathproof::{CheckScratch, Checker, Settings, Verdict};
    /// let mut cell = SceneBuilder::new();
    /// cell.joint("slide", JointKind::Prismatic { axis: DVec3::X }, "world", "ball", Pose::IDENTITY);
    /// cell.link_body("ball", Convex::sphere(0.1)?);
    /// cell.obstacle("post", Convex::sphere(0.1)?, Pose::from_translation(DVec3::X));
    /// let checker = Checker::new(cell.build()?);
    /// let mut scratch = CheckScratch::new(&checker).with_edge_cache(64 << 20);
    /// let settings = Settings::default();
    /// let there = checker.edges(&[[&[0.0], &[0.5]], [&[-1.0], &[0.6]]], &settings, &mut scratch)?;
    /// let back = checker.edges(&[[&[0.5], &[0.0]]], &settings, &mut scratch)?;
    /// assert!(matches!((&there.verdict, &back.verdict), (Verdict::Free(_), Verdict::Free(_))));
    /// assert_eq!(scratch.cached_edges().edges, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn edges(
        &self,
        edges: &[[&[f64]; 2]],
        settings: &Settings,
        scratch: &mut CheckScratch,
    ) -> Result<Answer, CheckError> {
        let settings = Settings { report: Report::Any, ..*settings };
        let from_lesser_end: Vec<[&[f64]; 2]> =
            edges.iter().map(|&[a, b]| if is_turned([a, b]) { [b, a] } else { [a, b] }).collect();
        let mut answer = self.run(Waypoints::Edges(&from_lesser_end), &settings, scratch)?;
        match &mut answer.verdict {
            Verdict::Free(_) => {}
            Verdict::Collision(found) | Verdict::TooClose(found) => turn_back(found, edges),
            Verdict::Undecided(unresolved) => turn_interval_back(unresolved, edges),
        }
        if let Some(unresolved) = &mut answer.unresolved {
            turn_interval_back(unresolved, edges);
        }
        Ok(answer)
    }

    /// Takes one edge, from its first end, to a level ([`super::search::steps`]); the last level decides it. With an
    /// edge cache, goes on from the level that the edge has reached.
    pub(crate) fn advance_edge(
        &self,
        edge: [&[f64]; 2],
        level: u32,
        settings: &Settings,
        scratch: &mut CheckScratch,
    ) -> Result<(Advanced, Statistics), CheckError> {
        let settings = &Settings { report: Report::Any, ..*settings };
        let (groups, maps, limits) = (self.groups(), self.maps_of(settings), Limits::new(settings));
        let job = Job { scene: self.scene(), groups, settings, limits, leaves_room: false, maps };
        let CheckScratch { work, any, edges, .. } = scratch;
        work.statistics = Statistics::default();
        let edges = edges.as_mut().filter(|_| limits.has_time).map(|edges| edges.of(self.id, settings));
        let advanced = any.advance(edge, level, edges, &mut Examiner::new(job, work))?;
        Ok((advanced, work.statistics))
    }
}

/// True if [`Checker::edges`] examines an edge from its second end, because that is the lesser one: values are compared
/// one after the other. An edge that is not reversed is examined as [`Checker::segment`] does it, step by step.
pub(crate) fn is_turned([a, b]: [&[f64]; 2]) -> bool {
    let mut differing = a.iter().zip(b).map(|(a, b)| a.total_cmp(b)).filter(|order| order.is_ne());
    differing.next() == Some(Ordering::Greater)
}

fn turn_back(found: &mut Finding, edges: &[[&[f64]; 2]]) {
    if is_turned(edges[found.segment]) {
        found.t = 1.0 - found.t;
    }
}

fn turn_interval_back(unresolved: &mut Unresolved, edges: &[[&[f64]; 2]]) {
    if is_turned(edges[unresolved.segment]) {
        unresolved.interval = [1.0 - unresolved.interval[1], 1.0 - unresolved.interval[0]];
    }
}
