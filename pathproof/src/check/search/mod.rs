//! The search over a path: which cell is probed next, and what is made of what a probe finds.
//!
//! [`path`] looks for any contact or for all of them, by uncovered length; [`first`] looks for the earliest, along time.
//! [`steps`] searches one segment a step at a time, for planners. All ask an [`Examiner`](super::cell::Examiner), which decides cells.

mod approach;
pub(super) mod edge_cache;
pub(super) mod first;
pub(super) mod parallel;
pub(super) mod path;
mod pursuit;
pub(super) mod segment;
pub(super) mod steps;
