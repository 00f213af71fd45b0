//! Combines the answers for the versions of one motion: it is free if each version is.

use super::profile::{Profile, ProfilePiece};
use super::settings::Report;
use super::smallest::SmallestDistance;
use super::verdict::{Answer, Verdict};
use super::warning::Warning;
use crate::numeric::{least, most};
use crate::path::Version;

/// Marks findings on the first segment as belonging to an older controller.
pub(super) fn mark_older(answer: &mut Answer) {
    let found = match &mut answer.verdict {
        Verdict::Collision(found) | Verdict::TooClose(found) => Some(found),
        Verdict::Free(_) | Verdict::Undecided(_) => None,
    };
    found.into_iter().chain(&mut answer.findings).for_each(|found| found.version = Version::OlderController);
}

/// Adds the answer for the first segment as an older controller runs it.
pub(super) fn add(answer: &mut Answer, mut older: Answer, report: Report) {
    mark_older(&mut older);
    let takes_over = takes_over(&older.verdict, &answer.verdict, report);
    if let (Verdict::Free(one), Verdict::Free(two)) = (&mut answer.verdict, &older.verdict) {
        one.lower = one.lower.least(two.lower);
    }
    if !matches!(older.verdict, Verdict::Free(_)) && older.free_until < answer.free_until {
        answer.free_until = older.free_until;
    }
    if takes_over {
        answer.verdict = older.verdict;
        answer.warnings.push(Warning::OlderController);
        answer.free_until = older.free_until.or(answer.free_until);
    }
    answer.findings.extend(older.findings);
    answer.findings.sort_by(|a, b| a.along_path(b).then(a.version.cmp(&b.version)));
    answer.unresolved = answer.unresolved.take().or(older.unresolved);
    answer.tolerance = most(answer.tolerance, older.tolerance);
    answer.statistics += older.statistics;
}

/// True if the older version's verdict on the first segment replaces the newest version's on the path.
fn takes_over(older: &Verdict, newest: &Verdict, report: Report) -> bool {
    let rank = |verdict: &Verdict| match verdict {
        Verdict::Free(_) => 0,
        Verdict::Undecided(_) => 1,
        Verdict::TooClose(_) => 2,
        Verdict::Collision(_) => 3,
    };
    let place = |verdict: &Verdict| match verdict {
        Verdict::Collision(found) | Verdict::TooClose(found) => Some((found.segment, found.t)),
        Verdict::Free(_) | Verdict::Undecided(_) => None,
    };
    match (report, place(older), place(newest)) {
        (Report::First, Some(older), Some(newest)) => older < newest,
        _ => rank(older) > rank(newest),
    }
}

/// Adds the smallest distance of one kind of pairs over the first segment as an older controller runs it.
pub(super) fn add_smallest(smallest: &mut SmallestDistance, mut older: SmallestDistance) {
    older.nearest.version = Version::OlderController;
    smallest.lower = least(smallest.lower, older.lower);
    smallest.limit = smallest.limit.or(older.limit);
    smallest.statistics += older.statistics;
    if older.nearest.distance < smallest.nearest.distance {
        smallest.nearest = older.nearest;
    }
}

/// Adds the profile of the first segment as an older controller runs it, after that of the newest version.
pub(super) fn add_profile(profile: &mut Profile, older: Profile) {
    let first = profile.pieces.partition_point(|piece| piece.segment == 0);
    let pieces = older.pieces.into_iter().map(|piece| ProfilePiece { version: Version::OlderController, ..piece });
    profile.pieces.splice(first..first, pieces);
    profile.limit = profile.limit.or(older.limit);
    profile.statistics += older.statistics;
}
