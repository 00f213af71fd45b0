//! Distance of concave bodies that are made of convex pieces ("Sub-Object Pruning", complete), beside an exact method.
//!
//! [`PieceQuery`] has four methods. [`PieceQuery::tree`] is exact and the default. [`PieceQuery::exhaustive`] is the
//! paper's baseline, mindist on all pairs: exact too, and quadratic in the pieces. [`mls`] and [`PieceQuery::sopa`] are
//! the paper's heuristic: descents over nodes of the surfaces choose the pairs of pieces to measure, and may miss the
//! nearest.

mod convexity;
mod coverage;
#[cfg(feature = "decomposition")]
mod decompose;
mod exhaustive;
pub mod mindist;
pub mod mls;
mod nodes;
mod pieces;
mod polytope;
mod query;
mod sopa;
mod tree;

pub use convexity::{NotConvex, convex_groups, convex_piece, convex_pieces};
pub use coverage::{Coverage, Hole, coverage};
#[cfg(feature = "decomposition")]
pub use decompose::{DecomposeError, DecomposeSettings, decompose};
pub use exhaustive::Starts;
pub use nodes::{Density, NodesError, SurfaceNodes};
pub use pieces::{ConvexPieces, NamedPiece, PiecesError};
pub use polytope::{HalfSpace, Polytope, PolytopeError};
pub use query::{PairDistance, PieceDistance, PieceQuery, PieceWork};
pub use sopa::{Niche, SecondStage, SopaDistance, SopaMemory, SopaSettings};
pub use tree::TreeMemory;

#[cfg(test)]
mod tests;
