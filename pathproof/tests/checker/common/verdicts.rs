//! Verdicts in words, and how many there were of each.

use pathproof::check::{Finding, Verdict};

/// A word for a verdict.
pub(crate) fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Free(_) => "free",
        Verdict::Collision(_) => "collision",
        Verdict::TooClose(_) => "too_close",
        Verdict::Undecided(_) => "undecided",
    }
}

/// The finding of a verdict that has one.
pub(crate) fn finding(verdict: &Verdict) -> Option<&Finding> {
    match verdict {
        Verdict::Collision(finding) | Verdict::TooClose(finding) => Some(finding),
        _ => None,
    }
}

/// How many answers there were of each kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) free: usize,
    pub(crate) collision: usize,
    pub(crate) too_close: usize,
    pub(crate) undecided: usize,
    /// Those that a test counts besides, for a reason of its own.
    pub(crate) noted: usize,
}

impl Tally {
    pub(crate) fn count(&mut self, verdict: &Verdict) {
        *match verdict {
            Verdict::Free(_) => &mut self.free,
            Verdict::Collision(_) => &mut self.collision,
            Verdict::TooClose(_) => &mut self.too_close,
            Verdict::Undecided(_) => &mut self.undecided,
        } += 1;
    }

    pub(crate) fn plus(self, o: Self) -> Self {
        Self {
            free: self.free + o.free,
            collision: self.collision + o.collision,
            too_close: self.too_close + o.too_close,
            undecided: self.undecided + o.undecided,
            noted: self.noted + o.noted,
        }
    }

    pub(crate) fn contact(&self) -> usize {
        self.collision + self.too_close
    }

    pub(crate) fn all(&self) -> usize {
        self.free + self.contact() + self.undecided
    }

    /// Fails unless one answer in `share` is free and one a contact: a test that hardly meets either shows little.
    pub(crate) fn assert_both_sides(&self, share: usize) {
        let all = self.all();
        assert!(self.free * share > all && self.contact() * share > all, "one-sided: {self:?}");
    }
}
