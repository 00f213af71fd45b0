//! The papers' own methods as published, beside pathproof's: used to reproduce tables and figures, and offered by the
//! program for comparison. No proof of a path depends on this crate (docs/references.md).
//!
//! [`bisection`] is "Exact Collision Checking of Robot Paths": bisection with λ bounds and GREEDY-DIST.
//! [`concave`] is "Sub-Object Pruning": bodies of convex pieces by mindist and by SOPA, with an exact tree beside them.

#![deny(missing_docs)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod bisection;
pub mod concave;

/// Brute force, shared with the core's tests.
#[cfg(test)]
#[allow(dead_code, reason = "the core's tests use all of it")]
#[path = "../../pathproof/src/distance/gjk/oracle.rs"]
mod oracle;
/// Names that the oracle uses, as in the core.
#[cfg(test)]
use pathproof::{numeric, shapes};
