//! Answers of queries, and their cost.

use crate::numeric::DVec3;

/// Amount of work of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Pairs of bounding volumes whose distance was bounded.
    pub volume_pairs: u64,
    /// Pairs of primitives whose distance was computed.
    pub primitive_pairs: u64,
}

/// A pair of points, one on each body, and the primitives they are on. Where the bodies meet, both are one common
/// point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Witness {
    /// A point of the first body, in the world.
    pub a_in_world: DVec3,
    /// A point of the second body, in the world.
    pub b_in_world: DVec3,
    /// The first body's primitive.
    pub primitive_a: usize,
    /// The second body's primitive.
    pub primitive_b: usize,
}

/// Bounds on the distance of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Distance {
    /// Never above the true distance.
    pub lower: f64,
    /// Never below the true distance; infinite if the query ended before it examined a pair of primitives.
    pub upper: f64,
    /// The points behind `upper`, if any.
    pub witness: Option<Witness>,
    /// The work done.
    pub counters: Counters,
}

/// Contact of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub enum Contact {
    /// Proven apart, by more than 0.
    Apart(Distance),
    /// So close that rounding cannot tell contact from no contact.
    Unclear(Distance),
    /// Proven to meet at the witness.
    Meets(Distance),
}
