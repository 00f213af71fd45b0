//! Versions of the controller differ in the first segment: a path is free if it is with each of them.

use pathproof::check::{Answer, Report, Verdict};
use pathproof::numeric::{least, most};

/// Adds what the first segment came to as another version runs it; returns what is to be said where the verdict is that
/// version's.
pub(super) fn add(answer: &mut Answer, other: Answer, report: Report) -> Option<String> {
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
