//! Distances between bodies: bounds and witnesses, never an estimate labelled as a bound.
//!
//! [`triangle`] for pairs of triangles, and [`Query`] for pairs of bodies: collision, exact and
//! approximate distance, GREEDY-DIST and distance with a goal, each a thin caller of the one traversal.

mod answer;
mod containment;
pub mod gjk;
mod indexed;
pub mod penetration;
mod primitive_pair;
mod query;
mod search;
mod signed;
pub mod triangle;

pub use answer::{Contact, Counters, Distance, Witness};
pub use containment::Containment;
pub use indexed::Indexed;
pub(crate) use primitive_pair::{Near, PrimitivePair};
pub use query::{Goal, Query, Scratch};
pub(crate) use signed::Deepest;
