//! The search over a path: chooses the next cell to probe and handles the result.
//!
//! [`path`] looks for any contact or for all of them, by uncovered length; [`first`] looks for the earliest, along
//! time. [`steps`] searches one segment a step at a time, for planners. All use an
//! [`Examiner`](super::cell::Examiner), which decides cells.

mod approach;
pub(super) mod edge_cache;
pub(super) mod first;
pub(super) mod parallel;
pub(super) mod path;
mod pursuit;
pub(super) mod segment;
pub(super) mod steps;
