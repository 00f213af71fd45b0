//! GREEDY-DIST at one configuration (§3.2): ends at the first pair of primitives within clearance plus tolerance. The
//! exact distance then shows if that is contact, or if another pair is in contact.

use pathproof::check::Statistics;
use pathproof::distance::{Distance, Goal, Query, Scratch};
use pathproof::trees::RssTree;

/// Question at a configuration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question {
    /// A distance up to this is a finding.
    pub(super) close: f64,
    /// A lower bound above this need not be better.
    pub(super) enough: f64,
    /// See [`super::BisectionSettings::kappa`].
    pub(super) kappa: f64,
}

/// Answer at a configuration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Lower bound on the distance.
    pub(super) lower: f64,
    /// True if the pair is too close or in contact.
    pub(super) found: bool,
}

/// Bounds the distance of a pair.
pub(super) fn bounds(
    query: &Query<'_, RssTree>,
    question: &Question,
    scratch: &mut Scratch,
    statistics: &mut Statistics,
) -> Bounds {
    let Question { close, enough, kappa } = *question;
    statistics.distance_queries += 1;
    let mut seen = if kappa > 0.0 {
        query.with_goal(&Goal { enough, at_least: close, kappa }, scratch)
    } else {
        query.greedy(close, scratch)
    };
    count(&seen, statistics);
    if !(seen.lower > close) && seen.upper > 0.0 {
        seen = query.exact(scratch);
        count(&seen, statistics);
    }
    Bounds { lower: seen.lower, found: seen.upper <= close }
}

fn count(seen: &Distance, statistics: &mut Statistics) {
    statistics.volume_tests += seen.counters.volume_pairs;
    statistics.triangle_tests += seen.counters.primitive_pairs;
}
