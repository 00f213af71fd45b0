//! How much work a certificate may ask for, so that a hostile one ends.

use std::cell::Cell;
use std::time::Instant;

/// Work that may still be done: pairs of nodes, and what else takes as long. Where it is used up nothing is shown any more.
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

    /// Takes some; whether there is any left.
    pub(crate) fn take(&self, amount: u64) -> bool {
        let left = self.left.get().saturating_sub(amount);
        // The clock is asked once every 256 units.
        let is_time = left >> 8 != self.left.get() >> 8;
        let is_late = is_time && self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.left.set(if is_late { 0 } else { left });
        !self.is_used_up()
    }
}
