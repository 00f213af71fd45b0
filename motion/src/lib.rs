//! Turns a path into a motion that may be executed, proven as it runs.
//!
//! [`time`] gives a path velocities and times within the limits of its joints (docs/timing.md).

#![forbid(unsafe_code)]

pub mod time;
