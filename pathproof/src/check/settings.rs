//! What to look for, and how: [`Settings`] of a check.

use std::time::{Duration, Instant};

use super::verdict::{Limit, Statistics};

/// What to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Report {
    /// Any contact ends the search.
    #[default]
    Any,
    /// The earliest contact on the path: what comes before it is proven free, see [`super::Answer::free_until`].
    First,
    /// Every offending pair of bodies on every segment, as a collision if the pair collides anywhere on the segment.
    All,
}

/// How to check.
///
/// Limits and `interrupt` hold for every call. Some calls leave other fields aside:
/// - [`Checker::edges`](super::Checker::edges) looks for any contact, whatever `report` says.
/// - [`Checker::profile`](super::Checker::profile) and [`Checker::smallest_distance`](super::Checker::smallest_distance) do
///   not use `report`; the profile does not use `node_to_motion_ratio` either.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// What to look for. Default: any contact.
    pub report: Report,
    /// Most distance queries; `None` is no limit. It is asked before each probe of a cell, so that the queries with which
    /// segments begin, one per pair, may exceed it. Default: none.
    pub max_queries: Option<u64>,
    /// Longest time; `None` is no limit. Default: none.
    pub max_time: Option<Duration>,
    /// Asked now and then while a search runs: `true` ends it as the longest time does, and a profile with
    /// [`CheckError::Interrupted`](super::CheckError::Interrupted). Default: none.
    pub interrupt: Option<Interrupt>,
    /// A pair of bounding volumes is expanded where it is larger than this many times the motion; a smaller one is left to
    /// the halves of its interval. Costs time, never soundness. Default 4.
    pub node_to_motion_ratio: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { report: Report::Any, max_queries: None, max_time: None, interrupt: None, node_to_motion_ratio: 4.0 }
    }
}

/// Whether somebody wants the search to end: how a program stays answerable to its user (Ctrl-C) during a long check.
///
/// ```
/// use pathproof::check::{Interrupt, Settings};
/// let settings = Settings { interrupt: Some(Interrupt(|| false)), ..Settings::default() };
/// assert_eq!(settings, settings);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Interrupt(pub fn() -> bool);

impl PartialEq for Interrupt {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

/// Most queries between two questions whether a limit is reached.
const MOST_AT_ONCE: u64 = 4;

/// When a search must end: the user's limits, counted from now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    max_queries: Option<u64>,
    deadline: Option<Instant>,
    /// Whether there is any time at all before the deadline.
    pub(super) has_time: bool,
    interrupt: Option<Interrupt>,
}

impl Limits {
    pub(super) fn new(settings: &Settings) -> Self {
        let deadline = settings.max_time.and_then(|time| Instant::now().checked_add(time));
        let has_time = settings.max_time != Some(Duration::ZERO);
        Self { max_queries: settings.max_queries, deadline, has_time, interrupt: settings.interrupt }
    }

    /// The limit that has been reached, if any. Asking the clock costs as much as a small query: about once every 32 queries
    /// is enough. Several queries may pass between two calls, so that it is asked at a multiple of 32 and at the few numbers
    /// before.
    pub(super) fn reached(&self, statistics: &Statistics) -> Option<Limit> {
        let is_time = (statistics.distance_queries + MOST_AT_ONCE - 1) % 32 < MOST_AT_ONCE;
        if is_time { self.reached_by_now(statistics) } else { self.reached_in_queries(statistics) }
    }

    /// The same, asking the clock in any case.
    pub(super) fn reached_by_now(&self, statistics: &Statistics) -> Option<Limit> {
        self.reached_in_queries(statistics).or_else(|| self.is_over().then_some(Limit::Seconds))
    }

    /// True if the time is over, or somebody wants the search to end.
    pub(super) fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline) || self.is_interrupted()
    }

    /// True if somebody wants the search to end.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.is_some_and(|Interrupt(is_wanted)| is_wanted())
    }

    /// Whether another query may be made, as far as can be told without a clock: the answer must not depend on how fast the
    /// machine is, because what is done before the first probe is remembered of an edge as done.
    pub(super) fn allow_more(&self, statistics: &Statistics) -> bool {
        self.has_time && self.reached_in_queries(statistics).is_none()
    }

    fn reached_in_queries(&self, statistics: &Statistics) -> Option<Limit> {
        let is_reached = self.max_queries.is_some_and(|most| statistics.distance_queries >= most);
        is_reached.then_some(Limit::Queries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The clock was asked at multiples of 32 alone: a search that made two queries at a time passed over all of them.
    #[test]
    fn a_limit_in_seconds_is_reached_however_many_queries_are_made_at_once() {
        let limits = Limits::new(&Settings { max_time: Some(Duration::ZERO), ..Settings::default() });
        for at_once in 1..=MOST_AT_ONCE {
            for first in 0..32 {
                let mut counts = (0..32).map(|i| first + i * at_once);
                let is_reached = |distance_queries| {
                    limits.reached(&Statistics { distance_queries, ..Statistics::default() }) == Some(Limit::Seconds)
                };
                assert!(counts.any(is_reached), "{at_once} at once from {first} on");
            }
        }
    }
}
