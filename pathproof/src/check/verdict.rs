//! What a check answers: the four verdicts of the contract, each with its evidence.

use crate::numeric::DVec3;

/// The answer for a segment or a path. Anything but `Free` leaves it unproven.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum Verdict {
    /// Proven: at every configuration every checked pair is farther apart than its clearance, rounding included.
    Free(Free),
    /// At the configuration given, the pair given has a distance of at most min(clearance, 0).
    Collision(Finding),
    /// At the configuration given, the pair given is no farther apart than clearance plus tolerance.
    TooClose(Finding),
    /// A limit or the resolution of arithmetic ended the search.
    Undecided(Open),
}

/// What the proof of `Free` yields besides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Free {
    /// Proven lower bound on the smallest distance over all configurations and pairs, in metres. Infinite where no pair
    /// is checked.
    pub lower_clearance: f64,
}

/// A pair that is in contact or too close, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Segment of the path, from 0.
    pub segment: usize,
    /// Where on the segment, in [0, 1].
    pub t: f64,
    /// The configuration there.
    pub configuration: Vec<f64>,
    /// The two bodies, as numbers of the scene.
    pub bodies: [usize; 2],
    /// Upper bound on their distance in metres; 0 or the (negative) signed distance in a collision.
    pub distance: f64,
    /// A point of each body in the world.
    pub points: [DVec3; 2],
    /// The pair's clearance in metres.
    pub clearance: f64,
}

/// What was left open.
#[derive(Clone, Debug, PartialEq)]
pub struct Open {
    /// Why the search ended.
    pub limit: Limit,
    /// Segment of the path, from 0.
    pub segment: usize,
    /// Interval of the segment.
    pub interval: [f64; 2],
    /// A pair of bodies not proven apart there.
    pub bodies: [usize; 2],
}

/// Which limit ended a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The number of distance queries that the user allowed.
    Queries,
    /// The time that the user allowed.
    Seconds,
    /// Halving further would drown in rounding: the pair grazes its clearance.
    Resolution,
}

/// How much work a check took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Configurations whose poses were computed.
    pub configurations: u64,
    /// Pairs of bodies whose distance was bounded at a configuration.
    pub distance_queries: u64,
    /// Pairs of bounding volumes.
    pub volume_tests: u64,
    /// Pairs of primitives.
    pub triangle_tests: u64,
    /// Cells cut in two.
    pub bisections: u64,
}

impl std::ops::AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        self.configurations += other.configurations;
        self.distance_queries += other.distance_queries;
        self.volume_tests += other.volume_tests;
        self.triangle_tests += other.triangle_tests;
        self.bisections += other.bisections;
    }
}
