//! The exact checker: decides every configuration of a segment or path, with proof (exact-collision-checking paper
//! §2–§3.4; docs/design.md).
//!
//! A [`Checker`] holds a scene and its trees and is shared; a [`CheckScratch`] belongs to one thread. Cells wait in
//! queues (`search`); each is covered, found to hold a contact, or cut (`cell`). Invariant: the verdict is `Free` only
//! if every cell of every pair was covered by a proof.
//!
//! # Glossary
//!
//! | word | what it means here |
//! |---|---|
//! | segment | the motion between two neighbouring waypoints, straight or along a curve; positions run from 0 to 1 |
//! | group | bodies that move as one and share their rules: one tree, one motion bound |
//! | cluster | neighbouring groups of a chain; two clusters that stay apart settle all pairs between them at once |
//! | cell | a pair of groups on an interval of a segment |
//! | half | the earlier or the later half of a cell: one probe of its middle may certify it |
//! | probe | the examination of a cell at its middle |
//! | arc | upper bound on how far any point of a group moves in a half |
//! | closing | upper bound on how much nearer two bodies come along a direction |
//! | required gap | distance of two bodies at the middle that certifies them over a half |
//! | to certify | to prove that a pair of boxes, hulls or primitives keeps its clearance over a half |
//! | covered | a cell or half in which all pairs are certified |
//! | front | the pairs of nodes that a probe left to a half, which remain to be certified |
//! | sibling pairs | the children of one node, each against one box of the other group |
//! | to expand | to replace a node by its children |
//! | shell | the convex hull of a node's geometry, or a primitive |
//! | margin | upper bound on the error in a distance due to the rounding of poses |
//! | finding | a pair that violates its clearance, with position, distance and points |
//! | unresolved | a segment that a limit ended before a verdict |

mod ball;
mod cell;
mod certificate;
mod checker;
mod clusters;
mod edges;
mod error;
pub(crate) mod extents;
mod groups;
mod likelihood;
mod lowest;
mod mapped;
mod pair_at;
mod profile;
mod region;
mod sampling;
mod search;
mod settings;
mod smallest;
mod verdict;
mod versions;
mod warning;
mod waypoints;

pub(crate) use edges::is_turned;
pub(crate) use search::steps::{ALL, Advanced};

pub use checker::{CachedEdges, CheckScratch, Checker};
pub use error::CheckError;
pub use mapped::Maps;
pub use profile::{Profile, ProfilePiece};
pub use region::FreeRegion;
pub use sampling::Sampled;
pub use settings::{Interrupt, Report, Settings};
pub use smallest::SmallestDistance;
pub use verdict::{Answer, Finding, Free, Limit, Place, Statistics, Unresolved, Verdict};
pub use warning::{Warning, contact_remedy, describe_contacts};
