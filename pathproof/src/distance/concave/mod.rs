//! Distance of concave bodies that are made of convex pieces, four ways ("Sub-Object Pruning", whole).
//!
//! - [`mindist`] over all pairs of pieces: the paper's exhaustive baseline.

pub mod mindist;
mod polytope;

pub use polytope::{HalfSpace, Polytope, PolytopeError};
