//! Distances between bodies: bounds and witnesses, never an estimate under the name of a bound.
//!
//! [`triangle`] for pairs of triangles, and [`Query`] for pairs of bodies: collision, exact and
//! approximate distance, GREEDY-DIST and distance with a goal, each a thin caller of the one traversal.

pub mod concave;
mod containment;
pub mod gjk;
pub mod penetration;
mod primitive_pair;
mod query;
mod signed;
pub mod triangle;

pub(crate) use containment::Containment;
pub(crate) use primitive_pair::{Near, PrimitivePair};
pub use query::{Contact, Counters, Distance, Goal, Indexed, Query, Scratch, Witness};
pub(crate) use signed::Deepest;
