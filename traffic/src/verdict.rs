//! Answers of queries, each with its evidence.

/// The answer for one trajectory.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum Verdict {
    /// Proven: at every time the body is farther than the clearance from every agent, rounding included. Only `hulls`
    /// returns it.
    Free,
    /// A sampled method found no overlap at its sample times, which proves nothing about those between.
    NoneFound,
    /// The body and the agent overlap at the given times.
    Collision(Finding),
    /// At the given times they are no farther apart than clearance plus tolerance.
    TooClose(Finding),
    /// Neither proven nor found: a limit or the resolution of arithmetic ended the search.
    Undecided(Open),
}

impl Verdict {
    /// The finding, if any.
    pub fn finding(&self) -> Option<&Finding> {
        match self {
            Self::Collision(finding) | Self::TooClose(finding) => Some(finding),
            Self::Free | Self::NoneFound | Self::Undecided(_) => None,
        }
    }

    /// True if an overlap was found.
    pub fn is_collision(&self) -> bool {
        matches!(self, Self::Collision(_))
    }
}

/// An agent that is in contact or too close, and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// Time of the body, in seconds.
    pub time: f64,
    /// Time of the agent; equal to `time` except with a time gap.
    pub agent_time: f64,
    /// Number of the agent in the traffic.
    pub agent: usize,
    /// Piece of the trajectory that holds `time`; for sampled methods the knot, or the one before if the samples of
    /// another agent found it.
    pub piece: usize,
    /// Parts of body and agent.
    pub parts: [usize; 2],
    /// Upper bound on the signed distance of the parts, in metres; negative if they overlap.
    pub distance: f64,
    /// True if they overlap.
    pub is_collision: bool,
    /// The agent's state (or the body's) is known as a region only: the regions overlap, the bodies need not.
    pub is_uncertain: bool,
    /// With [`super::Report::First`]: proven free up to here. `None` otherwise.
    pub free_until: Option<f64>,
}

/// The part left undecided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Open {
    /// Number of the agent in the traffic.
    pub agent: usize,
    /// Times of the trajectory that are neither proven free nor found, in seconds.
    pub interval: [f64; 2],
    /// The limit that ended the search.
    pub limit: Limit,
}

/// Limit that ended a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The number of distance queries allowed.
    Queries,
    /// Shorter times would drown in rounding: the bodies graze. Allow a tolerance.
    Resolution,
}

/// Work of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Nodes of the trajectory's tree (or single poses) tested against boxes of the traffic.
    pub node_tests: u64,
    /// Pairs of pieces (or poses) with overlapping boxes.
    pub pairs: u64,
    /// Distance queries between parts.
    pub distance_queries: u64,
    /// Cells cut in two.
    pub bisections: u64,
}
