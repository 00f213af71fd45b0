//! The smoother: random shortcuts from a window that adapts to their success (exact-collision-checking paper §4.3).
//!
//! A step picks two configurations on the path, anywhere on its segments, no farther apart along it than the window.
//! It replaces the part between them by a straight line if that is shorter and proven free. Where they are not
//! vertices, the rests of their segments are proven too, because they have other midpoints than before. The window
//! doubles after a shortcut or where the path is straight already, and shrinks to four fifths after a failure.
//! Invariant: at every moment the path is proven, keeps its endpoints and is no longer than before. Cost of a shortcut
//! besides its proof: a sum per waypoint.

use super::budget::{Budget, Stop, Watch};
use super::error::PlanError;
use super::exact::Tester;
use super::problem::Effort;
use super::space::Space;
use crate::check::{CheckScratch, Checker, Settings, Verdict};
use crate::numeric::{Random, least, most};
use crate::path::Motion;

/// Settings of the smoother.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoother {
    /// Factor on the window after a shortcut; the window is never longer than the path. Default 2.
    pub growth: f64,
    /// Factor on the window after a failure. Default 0.8.
    pub shrinkage: f64,
    /// Ends after this many steps that have shortened the path by less than a thousandth in all; `None`: no such end.
    /// Default 200.
    pub patience: Option<u64>,
}

impl Default for Smoother {
    fn default() -> Self {
        Self { growth: 2.0, shrinkage: 0.8, patience: Some(200) }
    }
}

/// Relative gain below which a path counts as not shortened.
const CONVERGED: f64 = 1e-3;

/// Positions this near to a vertex, as a fraction of its segment, count as the vertex.
const AT_VERTEX: f64 = 1e-6;

/// The window never falls below this fraction of the path.
const LEAST_WINDOW: f64 = 1e-4;

/// Cause that ended the smoothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmoothingEnd {
    /// The budget.
    Stopped(Stop),
    /// No further shortening.
    Converged,
}

/// A shorter path.
#[derive(Clone, Debug, PartialEq)]
pub struct Smoothed {
    /// Its waypoints; every segment between them is proven.
    pub waypoints: Vec<Vec<f64>>,
    /// Length before, see [`Space::length`].
    pub length_before: f64,
    /// Length after.
    pub length: f64,
    /// Shortcuts that were made.
    pub shortcuts: u64,
    /// Cause that ended it.
    pub end: SmoothingEnd,
    /// The work done.
    pub effort: Effort,
}

/// Shortens a path, which must be free.
pub fn smooth(
    checker: &Checker,
    waypoints: &[Vec<f64>],
    smoother: &Smoother,
    seed: u64,
    budget: &Budget<'_>,
) -> Result<Smoothed, PlanError> {
    let mut watch = Watch::new(budget);
    require_free(checker, waypoints, &watch)?;
    let given: Vec<&[f64]> = waypoints.iter().map(|q| &q[..]).collect();
    let space = Space::new(checker.scene(), &given)?;
    let mut path = Measured::new(&space, waypoints.to_vec());
    let (mut tester, mut random) = (Tester::new(checker), Random::new(seed));
    let length_before = path.length();
    let (mut window, mut shortcuts) = (length_before, 0);
    let mut last = (0, length_before);
    let end = loop {
        if let Err(stop) = watch.step(path.waypoints.len(), Some(path.length())) {
            break SmoothingEnd::Stopped(stop);
        }
        window = most(least(window, path.length()), LEAST_WINDOW * path.length());
        match path.shortcut(&space, window, &mut random, &mut tester, &watch)? {
            Attempt::Made => {
                shortcuts += 1;
                window *= smoother.growth;
            }
            Attempt::Straight => window *= smoother.growth,
            Attempt::Blocked => window *= smoother.shrinkage,
        }
        if smoother.patience.is_some_and(|patience| watch.steps - last.0 >= patience) {
            if !(path.length() < last.1 * (1.0 - CONVERGED)) {
                break SmoothingEnd::Converged;
            }
            last = (watch.steps, path.length());
        }
    };
    let (length, effort) = (space.path_length(&path.waypoints), Effort { steps: watch.steps, ..tester.effort });
    Ok(Smoothed { waypoints: path.waypoints, length_before, length, shortcuts, end, effort })
}

/// Requires a path to be proven free within the remaining time.
pub(super) fn require_free(checker: &Checker, waypoints: &[Vec<f64>], watch: &Watch<'_>) -> Result<(), PlanError> {
    let settings = Settings { max_time: watch.remaining(), interrupt: watch.interrupt(), ..Settings::default() };
    let answer = checker.path(&Motion::lines(waypoints), &settings, &mut CheckScratch::new(checker))?;
    match answer.verdict {
        Verdict::Free(_) => Ok(()),
        verdict => Err(PlanError::PathNotFree { verdict: Box::new(verdict) }),
    }
}

/// Result of a step.
enum Attempt {
    Made,
    /// It is a straight line already.
    Straight,
    Blocked,
}

/// A path with the length along it at each waypoint.
struct Measured {
    waypoints: Vec<Vec<f64>>,
    along: Vec<f64>,
}

/// A position on a path: on a segment, at t in [0, 1].
#[derive(Clone, Copy)]
struct Spot {
    segment: usize,
    t: f64,
}

impl Measured {
    fn new(space: &Space<'_>, waypoints: Vec<Vec<f64>>) -> Self {
        let mut along = vec![0.0];
        for ends in waypoints.windows(2) {
            along.push(along[along.len() - 1] + space.length(&ends[0], &ends[1]));
        }
        Self { along, waypoints }
    }

    fn length(&self) -> f64 {
        self.along[self.along.len() - 1]
    }

    /// Replaces some waypoints by others. Lengths after them are only shifted, not measured again: a walk has tens of
    /// thousands of waypoints.
    fn replace(&mut self, space: &Space<'_>, range: std::ops::Range<usize>, by: [Vec<f64>; 2]) {
        let (first, count) = (range.start, by.len());
        // The waypoint after the range, if there is one, and its length along the path before.
        let was = self.along.get(range.end).copied();
        self.waypoints.splice(range.clone(), by);
        self.along.splice(range, [0.0; 2]);
        let known = first.saturating_sub(1);
        for at in known + 1..self.waypoints.len().min(first + count + 1) {
            self.along[at] = self.along[at - 1] + space.length(&self.waypoints[at - 1], &self.waypoints[at]);
        }
        if let Some(was) = was {
            let gained = was - self.along[first + count];
            self.along[first + count + 1..].iter_mut().for_each(|along| *along -= gained);
        }
    }

    fn spot(&self, along: f64) -> Spot {
        let after = self.along.partition_point(|end| *end <= along);
        let segment = after.clamp(1, self.waypoints.len() - 1) - 1;
        let length = self.along[segment + 1] - self.along[segment];
        let t = if length > 0.0 { most(least((along - self.along[segment]) / length, 1.0), 0.0) } else { 0.0 };
        Spot {
            segment,
            t: if t < AT_VERTEX {
                0.0
            } else if t > 1.0 - AT_VERTEX {
                1.0
            } else {
                t
            },
        }
    }

    fn at(&self, space: &Space<'_>, spot: Spot) -> Option<Vec<f64>> {
        let ends = [&self.waypoints[spot.segment], &self.waypoints[spot.segment + 1]];
        match spot.t {
            0.0 => Some(ends[0].clone()),
            1.0 => Some(ends[1].clone()),
            t => space.between(ends[0], ends[1], t),
        }
    }

    /// Tries one shortcut of at most `window` along the path.
    fn shortcut(
        &mut self,
        space: &Space<'_>,
        window: f64,
        random: &mut Random,
        tester: &mut Tester<'_>,
        watch: &Watch<'_>,
    ) -> Result<Attempt, PlanError> {
        if self.waypoints.len() < 3 {
            return Ok(Attempt::Straight);
        }
        let stretch = window * random.between(0.5, 1.0);
        let from = random.between(0.0, self.length() - stretch);
        let (first, second) = (self.spot(from), self.spot(from + stretch));
        let (Some(a), Some(b)) = (self.at(space, first), self.at(space, second)) else { return Ok(Attempt::Blocked) };
        if first.segment == second.segment || !(space.length(&a, &b) < stretch * (1.0 - 1e-9)) {
            return Ok(Attempt::Straight);
        }
        let before = &self.waypoints[first.segment];
        let after = &self.waypoints[second.segment + 1];
        let is_free = tester.is_segment_free(&a, &b, watch)?
            && (first.t == 0.0 || first.t == 1.0 || tester.is_segment_free(before, &a, watch)?)
            && (second.t == 0.0 || second.t == 1.0 || tester.is_segment_free(&b, after, watch)?);
        if !is_free {
            return Ok(Attempt::Blocked);
        }
        // The ends of the shortcut replace all waypoints strictly between them.
        let keep_until = if first.t == 0.0 { first.segment } else { first.segment + 1 };
        let keep_from = if second.t == 1.0 { second.segment + 2 } else { second.segment + 1 };
        self.replace(space, keep_until..keep_from, [a, b]);
        Ok(Attempt::Made)
    }
}
