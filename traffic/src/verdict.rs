//! What a query answers, each with its evidence.

/// The answer for one trajectory.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum Verdict {
    /// Proven: at every time the body is farther than the clearance from every agent, rounding included. Only `hulls` says
    /// so.
    Free,
    /// A sampled method found no overlap at the times it looked at, which proves nothing about those between.
    NoneFound,
    /// At the times given the body and the agent overlap.
    Collision(Finding),
    /// At the times given they are no farther apart than clearance plus tolerance.
    TooClose(Finding),
    /// Neither proven nor found: a limit or the resolution of arithmetic ended the search.
    Undecided(Open),
}

impl Verdict {
    /// What was found, if anything.
    pub fn finding(&self) -> Option<&Finding> {
        match self {
            Self::Collision(finding) | Self::TooClose(finding) => Some(finding),
            Self::Free | Self::NoneFound | Self::Undecided(_) => None,
        }
    }

    /// Whether an overlap was found.
    pub fn is_collision(&self) -> bool {
        matches!(self, Self::Collision(_))
    }
}

/// An agent that is in contact or too close, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// When the body is there, in seconds.
    pub time: f64,
    /// When the agent is there; equal to `time` but for a time gap.
    pub agent_time: f64,
    /// Which agent, by its number in the traffic.
    pub agent: usize,
    /// Which piece of the trajectory `time` is in; for sampled methods which knot, or the one before where the samples of
    /// another agent found it.
    pub piece: usize,
    /// Which parts of body and agent.
    pub parts: [usize; 2],
    /// Upper bound on the signed distance of the parts, in metres; negative where they overlap.
    pub distance: f64,
    /// Whether they overlap.
    pub is_collision: bool,
    /// The agent's state (or the body's) is known as a region only: the regions overlap, the bodies need not.
    pub is_uncertain: bool,
    /// With [`super::Report::First`]: up to here it is proven free. `None` otherwise.
    pub free_until: Option<f64>,
}

/// What was left open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Open {
    /// Which agent, by its number in the traffic.
    pub agent: usize,
    /// Times of the trajectory that are neither proven free nor found, in seconds.
    pub interval: [f64; 2],
    /// What ended the search.
    pub limit: Limit,
}

/// What ended a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The number of distance queries allowed.
    Queries,
    /// Shorter times would drown in rounding: the bodies graze. Allow a tolerance.
    Resolution,
}

/// How much work a query took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Nodes of the trajectory's tree (or single poses) tested against boxes of the traffic.
    pub node_tests: u64,
    /// Pairs of pieces (or poses) whose boxes overlapped.
    pub pairs: u64,
    /// Distance queries between parts.
    pub distance_queries: u64,
    /// Cells cut in two.
    pub bisections: u64,
}
