//! Distances between bodies: bounds and witnesses, never an estimate under the name of a bound.

pub mod gjk;
pub mod penetration;
