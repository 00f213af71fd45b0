//! Verdicts in words.

use pathproof::check::{Finding, Verdict};

/// A word for a verdict.
pub fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Free(_) => "free",
        Verdict::Collision(_) => "collision",
        Verdict::TooClose(_) => "too_close",
        Verdict::Undecided(_) => "undecided",
    }
}

/// The finding of a verdict that has one.
pub fn finding(verdict: &Verdict) -> Option<&Finding> {
    match verdict {
        Verdict::Collision(finding) | Verdict::TooClose(finding) => Some(finding),
        _ => None,
    }
}
