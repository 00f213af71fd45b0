//! [`Settings`] of a check: what to report, limits and tuning.

use std::time::{Duration, Instant};

use super::verdict::{Limit, Statistics};

/// Contacts to look for and report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Report {
    /// Any contact ends the search.
    #[default]
    Any,
    /// The earliest contact on the path; everything before it is proven free, see [`super::Answer::free_until`].
    First,
    /// Every offending pair of bodies on every segment, as a collision if the pair collides anywhere on the segment.
    All,
}

/// Settings of a check.
///
/// Limits and `interrupt` apply to every call. Some calls ignore other fields:
/// - [`Checker::edges`](super::Checker::edges) looks for any contact, whatever `report` is.
/// - [`Checker::profile`](super::Checker::profile) and
///   [`Checker::smallest_distance`](super::Checker::smallest_distance) do not use `report`; the profile does not use
///   `node_to_motion_ratio` either.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Contacts to look for. Default: any contact.
    pub report: Report,
    /// Most distance queries; `None` is no limit. Checked before each probe of a cell, so the queries at the beginning
    /// of segments, one per pair, may exceed it. Default: none.
    pub max_queries: Option<u64>,
    /// Longest time; `None` is no limit. Default: none.
    pub max_time: Option<Duration>,
    /// Called now and then while a search runs: `true` ends it as the time limit does, and a profile with
    /// [`CheckError::Interrupted`](super::CheckError::Interrupted). Default: none.
    pub interrupt: Option<Interrupt>,
    /// A pair of bounding volumes is expanded where it is larger than this many times the motion; a smaller one is
    /// left to the halves of its interval. Costs time, never soundness. Default 4.
    pub node_to_motion_ratio: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { report: Report::Any, max_queries: None, max_time: None, interrupt: None, node_to_motion_ratio: 4.0 }
    }
}

/// Callback that returns true to end the search: a program stays responsive (Ctrl-C) during a long check.
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

/// Most queries between two checks of the limits.
const MOST_AT_ONCE: u64 = 4;

/// Limits of a search: the user's limits, counted from now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    max_queries: Option<u64>,
    deadline: Option<Instant>,
    /// True if there is any time at all before the deadline.
    pub(super) has_time: bool,
    interrupt: Option<Interrupt>,
}

impl Limits {
    pub(super) fn new(settings: &Settings) -> Self {
        let deadline = settings.max_time.and_then(|time| Instant::now().checked_add(time));
        let has_time = settings.max_time != Some(Duration::ZERO);
        Self { max_queries: settings.max_queries, deadline, has_time, interrupt: settings.interrupt }
    }

    /// The limit that has been reached, if any. Reading the clock costs as much as a small query, so it is read about
    /// once every 32 queries. Several queries may pass between two calls, so it is read at a multiple of 32 and at the
    /// few numbers before.
    pub(super) fn reached(&self, statistics: &Statistics) -> Option<Limit> {
        let is_time = (statistics.distance_queries + MOST_AT_ONCE - 1) % 32 < MOST_AT_ONCE;
        if is_time { self.reached_by_now(statistics) } else { self.reached_in_queries(statistics) }
    }

    /// The same, but always reads the clock.
    pub(super) fn reached_by_now(&self, statistics: &Statistics) -> Option<Limit> {
        self.reached_in_queries(statistics).or_else(|| self.is_over().then_some(Limit::Seconds))
    }

    /// True if time is up or an interrupt is requested.
    pub(super) fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline) || self.is_interrupted()
    }

    /// True if an interrupt is requested.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.is_some_and(|Interrupt(is_wanted)| is_wanted())
    }

    /// True if another query may be made, judged without a clock: the answer must not depend on the speed of the
    /// machine, because work before the first probe is cached with an edge as done.
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

    /// The clock was read only at multiples of 32: a search that made two queries at a time skipped all of them.
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
