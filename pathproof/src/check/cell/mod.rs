//! The directional method: one traversal in the middle of a cell works for both halves of it (docs/design.md#cells).
//!
//! A pair of boxes (or primitives) is certified for a half if its separation along some direction n exceeds min(arc,
//! closing along n) + clearance: the gap along n cannot close within the half. Any n is sound; the choice only costs
//! time. A pair that is not certified is expanded while the nodes are large against the motion. Otherwise it joins the
//! front of the half, which probes it again in its own middle. A half is covered when its front is empty. Pairs that
//! may be in contact in the middle are still followed down to the primitives, so that contacts are found early.

mod examine;
mod facts;
mod far;
mod front;
mod half_space;
mod interval;
mod judge;
mod moving;
mod question;
mod recorder;
mod shells;
mod traversal;

pub(super) use examine::{CellQuery, Examined, Wanted, examine};
pub(super) use facts::{PairFacts, SHORTEST, SegmentFacts};
pub(super) use front::Front;
pub(super) use interval::{Cell, WHOLE, dyadic, t_of};
pub(super) use judge::{FINEST_UNCLEAR, Memory, floor};
pub(super) use question::{Examiner, Goal, Job, Part, Probed, Whole, Workspace};
pub(super) use recorder::{ProbeNote, Recorder};
pub(super) use shells::Separations;
pub(super) use traversal::TraversalScratch;
