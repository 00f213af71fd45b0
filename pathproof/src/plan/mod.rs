//! Planners and the smoother on top of the exact checker (exact-collision-checking paper §4.2–§4.3).
//!
//! A [`Problem`] is a scene's checker, a start and a goal, all of them free; a [`Planner`] looks for a path within a
//! [`Budget`]; [`smooth`] shortens a path. Invariant: [`crate::check::Checker`] proves every path that is called
//! proven, segment by segment in the direction in which it is returned, with the scene's clearances and tolerance.
//! Everything is seeded and runs on the caller's thread, so that an answer depends only on problem, settings, seed and
//! limits (and on the clock only if a limit in seconds ends it).

mod budget;
mod error;
mod exact;
mod forest;
mod grid;
mod nearby;
mod problem;
mod random_walk;
mod region;
mod replay;
mod rrt_connect;
mod sbl;
mod smooth;
mod space;
mod waypoints;

pub use budget::{Budget, Progress, Stop};
pub use error::PlanError;
pub use nearby::Nearby;
pub use problem::{Effort, Evidence, Goal, Outcome, Planned, Planner, Problem, Shortfall};
pub use random_walk::RandomWalk;
pub use region::{HalfSpace, Region};
pub use replay::{Replayed, replay};
pub use rrt_connect::RrtConnect;
pub use sbl::{EdgeTest, Sbl, Trace};
pub use smooth::{Smoothed, Smoother, SmoothingEnd, smooth};
pub use space::Space;
pub use waypoints::{RedundantPass, remove_redundant};
