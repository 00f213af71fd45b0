//! Limits the work that a certificate may cause, so that a hostile one ends.

use std::cell::Cell;
use std::time::Instant;

/// Work that may still be done, in pairs of nodes or anything that takes as long. Once it is used up nothing more is
/// shown.
#[derive(Debug)]
pub(crate) struct Work {
    left: Cell<u64>,
    deadline: Option<Instant>,
}

impl Work {
    pub(crate) fn new(allowed: u64, deadline: Option<Instant>) -> Self {
        Self { left: Cell::new(allowed), deadline }
    }

    pub(crate) fn is_used_up(&self) -> bool {
        self.left.get() == 0
    }

    /// Takes an amount; true if any is left.
    pub(crate) fn take(&self, amount: u64) -> bool {
        let left = self.left.get().saturating_sub(amount);
        // The clock is read once every 256 units.
        let is_time = left >> 8 != self.left.get() >> 8;
        let is_late = is_time && self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.left.set(if is_late { 0 } else { left });
        !self.is_used_up()
    }
}
