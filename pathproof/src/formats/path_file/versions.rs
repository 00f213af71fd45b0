//! What a checker says of a path as it is executed. Versions of the controller differ in the first segment: a path is free
//! if it is with each of them.

use super::LoadedPath;
use crate::certificate::Certificate;
use crate::check::{Answer, CheckError, CheckScratch, Checker, Report, Settings, SmallestDistance, Verdict};
use crate::numeric::{least, most};
use crate::robot::{Interpolation, Knot};

impl LoadedPath {
    /// Decides the path, in every version of it; and what is to be said where the verdict is that of an older one. Works on
    /// as many threads as there are scratches, as [`Checker::path_on_threads`] does.
    pub fn decided(
        &self,
        checker: &Checker,
        settings: &Settings,
        scratches: &mut [CheckScratch],
    ) -> Result<(Answer, Option<String>), CheckError> {
        let mut answer = checker.path_on_threads(self.asked(), settings, scratches)?;
        let Some(otherwise) = &self.first_otherwise else { return Ok((answer, None)) };
        let other = checker.path_on_threads(otherwise, settings, scratches)?;
        let told = add(&mut answer, other, settings.report);
        Ok((answer, told))
    }

    /// Whether there are certificates for such a path: straight lines, or what a controller runs from its first waypoint on
    /// in all versions.
    pub fn is_certifiable(&self) -> bool {
        self.curve.is_none() || self.certified_knots().is_some()
    }

    /// The points that a certificate states where the path is what a controller runs.
    pub fn certified_knots(&self) -> Option<Vec<Knot>> {
        let is_one = self.curve.is_some() && self.interpolation == Interpolation::Controller;
        if is_one && self.first_otherwise.is_none() { self.knots() } else { None }
    }

    /// Decides the path and writes down why it is free; it must be [certifiable](Self::is_certifiable).
    pub fn certified(
        &self,
        checker: &Checker,
        settings: &Settings,
        scratch: &mut CheckScratch,
    ) -> Result<(Answer, Option<Certificate>), CheckError> {
        match self.certified_knots() {
            Some(knots) => checker.certify_controlled(&knots, settings, scratch),
            None => checker.certify(&self.waypoints, settings, scratch),
        }
    }

    /// The smallest distance over the path, in every version of it; `None` where no pair is checked.
    pub fn smallest_distance(
        &self,
        checker: &Checker,
        settings: &Settings,
        scratch: &mut CheckScratch,
    ) -> Result<Option<SmallestDistance>, CheckError> {
        let mut smallest = checker.smallest_distance(self.asked(), settings, scratch)?;
        if let (Some(smallest), Some(otherwise)) = (&mut smallest, &self.first_otherwise)
            && let Some(other) = checker.smallest_distance(otherwise, settings, scratch)?
        {
            smallest.lower = least(smallest.lower, other.lower);
            smallest.limit = smallest.limit.or(other.limit);
            smallest.statistics += other.statistics;
            if other.nearest.distance < smallest.nearest.distance {
                smallest.nearest = other.nearest;
            }
        }
        Ok(smallest)
    }
}

/// Adds what the first segment came to as another version runs it; returns what is to be said where the verdict is that
/// version's.
fn add(answer: &mut Answer, other: Answer, report: Report) -> Option<String> {
    let is_other = is_worse(&other.verdict, &answer.verdict, report);
    if let (Verdict::Free(one), Verdict::Free(two)) = (&mut answer.verdict, &other.verdict) {
        one.lower_clearance = least(one.lower_clearance, two.lower_clearance);
    }
    if !matches!(other.verdict, Verdict::Free(_)) && other.free_until < answer.free_until {
        answer.free_until = other.free_until;
    }
    answer.findings.extend(other.findings);
    answer.findings.sort_by(|a, b| a.segment.cmp(&b.segment).then(a.t.total_cmp(&b.t)));
    answer.unresolved = answer.unresolved.take().or(other.unresolved);
    answer.tolerance = most(answer.tolerance, other.tolerance);
    answer.statistics += other.statistics;
    if is_other {
        answer.verdict = other.verdict;
    }
    is_other.then(|| "the first segment is given as older versions of the controller run it".to_owned())
}

/// Whether a verdict on the first segment takes the place of that on the path.
fn is_worse(other: &Verdict, verdict: &Verdict, report: Report) -> bool {
    let rank = |verdict: &Verdict| match verdict {
        Verdict::Free(_) => 0,
        Verdict::Undecided(_) => 1,
        Verdict::TooClose(_) => 2,
        Verdict::Collision(_) => 3,
    };
    let place = |verdict: &Verdict| match verdict {
        Verdict::Collision(found) | Verdict::TooClose(found) => (found.segment, found.t),
        Verdict::Undecided(open) => (open.segment, open.interval[0]),
        Verdict::Free(_) => (usize::MAX, 1.0),
    };
    match report {
        Report::First => place(other) < place(verdict),
        Report::Any | Report::All => rank(other) > rank(verdict),
    }
}
