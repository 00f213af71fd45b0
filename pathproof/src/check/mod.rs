//! The exact checker: every configuration of a segment or path decided, with proof (exact-collision-checking paper §2–§3.4;
//! DESIGN §4, §7, §8).
//!
//! A [`Checker`] holds a scene and its trees and is shared; a [`CheckScratch`] belongs to one thread. Cells (a pair on a
//! dyadic interval) wait in queues ordered by uncovered length; a judge covers a cell, finds a contact, or has it cut.
//! Invariant: `Free` is said only when every cell of every pair was covered by a proof.

mod cell;
mod certificate;
mod checker;
mod containment;
mod directional;
mod edge_cache;
mod fixed;
mod front;
mod half_space;
mod open;
mod paper;
mod paper_query;
mod paper_search;
mod profile;
mod search;
mod segment;
mod units;
mod verdict;

pub use certificate::{Certifier, MAGIC as CERTIFICATE_MAGIC, VERSION as CERTIFICATE_VERSION};
pub use checker::{Answer, CheckError, CheckScratch, Checker, Report, Settings};
pub use edge_cache::EdgeCache;
pub use fixed::Sampled;
pub use paper::{Judge, Paper, Refinement};
pub use profile::{Profile, ProfilePiece, profile};
pub use verdict::{Finding, Free, Limit, Open, Statistics, Verdict};
