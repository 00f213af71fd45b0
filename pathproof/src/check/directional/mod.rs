//! The directional method: one traversal in the middle of a cell works for both halves of it (docs/design.md#cells).
//!
//! A pair of boxes (or primitives) is certified for a half if its separation along some direction n exceeds
//! min(arc, closing along n) + clearance: the gap along n cannot close within the half. Any n is sound; which ones are
//! tried only costs time.
//!
//! What is not certified is either expanded or left to the half, which probes it again in its own middle: expanded while
//! the nodes are large against the motion, left where the motion is large against the nodes, so that space and time are
//! cut in step. A half starts from what was left to it, its front; it is covered when nothing was. What is left to a half
//! but may be in contact in the middle is followed down to the primitives, so that contacts are found early.

mod examine;
mod far;
mod front;
mod half_space;
mod judge;
mod moving;
mod shells;
mod traversal;

pub(super) use examine::{CellQuery, Examined, Wanted, examine};
pub(super) use front::Front;
pub(super) use judge::Directional;
pub(super) use shells::Separations;
pub(super) use traversal::TraversalScratch;
