//! Limits of a search ([`Budget`]) and the watch that enforces them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::check::Interrupt;

/// Limits of a search, and its progress callback. Default: none.
#[derive(Clone, Copy, Default)]
pub struct Budget<'a> {
    /// Most steps: milestones, tree extensions, segments of a walk or shortcuts. Reproducible. Default: no limit.
    pub max_steps: Option<u64>,
    /// Longest time. Not reproducible where it ends a search. Default: no limit.
    pub max_time: Option<Duration>,
    /// Ends the search when it becomes true. Default: none.
    pub stop: Option<&'a AtomicBool>,
    /// Ends the search, including a proof in progress, when it returns true. Default: none.
    pub interrupt: Option<Interrupt>,
    /// Called now and then with the progress of the search. Default: none.
    pub progress: Option<&'a dyn Fn(Progress)>,
}

impl std::fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Budget").field("max_steps", &self.max_steps).field("max_time", &self.max_time).finish()
    }
}

/// Progress of a search.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Steps made.
    pub steps: u64,
    /// Milestones of a planner, waypoints of a smoother or a walk.
    pub size: usize,
    /// Smoother: length of the path. Random walk: its distance outside the region, in metres.
    pub measure: Option<f64>,
}

/// Cause that ended a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The steps allowed.
    Steps,
    /// The time allowed.
    Time,
    /// An interrupt was requested.
    Interrupted,
}

/// Steps between two reports of progress.
const REPORTED: u64 = 64;

/// Counts steps and reads the clock.
#[derive(Debug)]
pub(super) struct Watch<'a> {
    budget: Budget<'a>,
    deadline: Option<Instant>,
    pub(super) steps: u64,
}

impl<'a> Watch<'a> {
    pub(super) fn new(budget: &Budget<'a>) -> Self {
        // A time beyond the range of the clock is no limit.
        let deadline = budget.max_time.and_then(|time| Instant::now().checked_add(time));
        Self { budget: *budget, deadline, steps: 0 }
    }

    /// Counts a step, unless the budget is used up.
    pub(super) fn step(&mut self, size: usize, measure: Option<f64>) -> Result<(), Stop> {
        self.require_budget_left()?;
        self.steps += 1;
        if let Some(tell) = self.budget.progress.filter(|_| self.steps.is_multiple_of(REPORTED)) {
            tell(Progress { steps: self.steps, size, measure });
        }
        Ok(())
    }

    /// Error if the budget is used up: the limit that was reached.
    pub(super) fn require_budget_left(&self) -> Result<(), Stop> {
        match () {
            () if self.budget.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) => Err(Stop::Interrupted),
            () if self.budget.interrupt.is_some_and(|Interrupt(is_wanted)| is_wanted()) => Err(Stop::Interrupted),
            () if self.budget.max_steps.is_some_and(|most| self.steps >= most) => Err(Stop::Steps),
            () if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) => Err(Stop::Time),
            () => Ok(()),
        }
    }

    /// Callback that may end a proof.
    pub(super) fn interrupt(&self) -> Option<Interrupt> {
        self.budget.interrupt
    }

    /// Time left.
    pub(super) fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}
