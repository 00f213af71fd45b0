//! The paper's method at one configuration: GREEDY-DIST on trees of rectangle swept spheres (exact-collision-checking paper
//! §3.2), signed distances where penetration is allowed, heights over half-spaces.
//!
//! GREEDY-DIST ends at the first pair of primitives within clearance plus tolerance; whether that is contact, or another
//! pair is in contact, is told by the exact distance then.

use crate::check::pair_at::{Measured, OppositeAt, PairAt};
use crate::check::verdict::Statistics;
use crate::distance::{Counters, Deepest, Distance, Goal as DistanceGoal, Indexed, Query, Scratch};
use crate::trees::RssTree;

/// What is asked at a configuration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question {
    /// What the pair must be farther apart than.
    pub(super) clearance: f64,
    /// No farther apart than this is a finding.
    pub(super) close: f64,
    /// A lower bound above this need not be better.
    pub(super) enough: f64,
    /// See [`crate::check::settings::Paper::kappa`].
    pub(super) kappa: f64,
}

/// What was found out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Lower bound on the distance; −∞ where the query ended early.
    pub(super) lower: f64,
    pub(super) found: Option<Measured>,
}

/// Bounds the distance of a pair. `trees` are those of its groups; there is none of a half-space.
pub(super) fn bounds(
    pair: &PairAt<'_>,
    trees: [Option<&Indexed<RssTree>>; 2],
    question: &Question,
    scratch: &mut Scratch,
    statistics: &mut Statistics,
) -> Bounds {
    let (OppositeAt::Group { world_from_group, .. }, [Some(a), Some(b)]) = (&pair.b, trees) else {
        let height = pair.measure(scratch, statistics);
        return Bounds { lower: height.lower, found: Some(height).filter(|height| height.upper <= question.close) };
    };
    statistics.distance_queries += 1;
    let query = Query::within(a, b, &pair.world_from_a, world_from_group, pair.margin);
    if question.clearance < 0.0 {
        signed(&query, question, scratch, statistics)
    } else {
        greedy(&query, question, scratch, statistics)
    }
}

fn greedy(
    query: &Query<'_, RssTree>,
    question: &Question,
    scratch: &mut Scratch,
    statistics: &mut Statistics,
) -> Bounds {
    let Question { close, enough, kappa, .. } = *question;
    let mut seen = if kappa > 0.0 {
        query.with_goal(&DistanceGoal { enough, at_least: close, kappa }, scratch)
    } else {
        query.greedy(close, scratch)
    };
    count(&seen.counters, statistics);
    if !(seen.lower > close) && seen.upper > 0.0 {
        seen = query.exact(scratch);
        count(&seen.counters, statistics);
    }
    let Distance { lower, upper, witness, .. } = seen;
    let found = witness.filter(|_| upper <= close).map(|witness| Measured {
        lower,
        upper,
        points: [witness.a_in_world, witness.b_in_world],
        primitives: [witness.primitive_a, witness.primitive_b],
    });
    Bounds { lower, found }
}

/// GREEDY-DIST for signed distances.
fn signed(
    query: &Query<'_, RssTree>,
    question: &Question,
    scratch: &mut Scratch,
    statistics: &mut Statistics,
) -> Bounds {
    let Deepest { lower, nearest, counters } = query.deepest(question.close, question.clearance, scratch);
    count(&counters, statistics);
    let found = nearest.filter(|(near, _)| near.upper <= question.close).map(|(near, primitives)| Measured {
        lower: near.lower,
        upper: near.upper,
        points: [near.on_a, near.on_b].map(|p| query.world_from_a().point(p)),
        primitives,
    });
    Bounds { lower, found }
}

fn count(counters: &Counters, statistics: &mut Statistics) {
    statistics.volume_tests += counters.volume_pairs;
    statistics.triangle_tests += counters.primitive_pairs;
}
