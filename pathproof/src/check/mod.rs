//! The exact checker: every configuration of a segment or path decided, with proof (exact-collision-checking paper §2–§3.4;
//! docs/design.md).
//!
//! A [`Checker`] holds a scene and its trees and is shared; a [`CheckScratch`] belongs to one thread. Cells wait in queues;
//! a method covers a cell, finds a contact, or has it cut. Invariant: `Free` is said only when every cell of every pair was
//! covered by a proof.

mod certificate;
mod checker;
mod directional;
mod edges;
mod error;
mod groups;
mod lowest;
mod pair_at;
mod paper;
mod profile;
mod sampling;
mod search;
mod settings;
mod smallest;
mod verdict;

pub(crate) use edges::is_turned;

pub use checker::{CachedEdges, CheckScratch, Checker};
pub use error::CheckError;
pub use profile::{Profile, ProfilePiece};
pub use sampling::Sampled;
pub use settings::{Interrupt, Method, Paper, Refinement, Report, Settings};
pub use smallest::SmallestDistance;
pub use verdict::{Answer, Finding, Free, Limit, Place, Statistics, Unresolved, Verdict};
