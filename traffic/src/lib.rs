//! Trajectories among moving agents: workspace-time (docs/references.md, "workspace-time").
//!
//! [`Traffic`] holds agents with poses over time and is built once per planning cycle; four methods check trajectories
//! against it. `naive`, `isolated` and `trees` compare samples, as the paper does, and prove nothing; `hulls` decides
//! all times between poses. Words: a *knot* is a pose at its time, a *piece* the motion between two knots, a *slot* a
//! step of the traffic's common grid, a *cell* an interval of time over which two parts are decided. Invariant: an
//! answer is `Free` only if every cell of every pair was proven apart.

#![deny(missing_docs)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod agent;
mod ask;
mod body;
mod boxes;
mod candidate;
mod cell;
mod compound;
mod coverage;
mod descent;
mod gaps;
mod hulls;
mod instant;
mod mutual;
mod narrow;
mod plane;
mod polygon;
mod proximity;
mod query;
mod rectangles;
mod region;
mod sampled;
mod slots;
mod track;
mod traffic;
mod trajectory;
mod verdict;
mod volume;
mod world;

pub use agent::{Agent, AgentError};
pub use candidate::{Placement, TrajectoryTree};
pub use compound::{Compound, CompoundError, Workspace};
pub use coverage::Coverage;
pub use gaps::{SmallestDistance, SmallestTimeGap};
pub use instant::{DistanceAt, Silhouette};
pub use mutual::AgentAnswer;
pub use query::{Answer, Exactness, Method, Query, QueryError, Report, Sampling};
pub use region::{Positions, Region};
pub use traffic::{Traffic, TrafficError, TrafficScratch};
pub use trajectory::{SHORTEST_PIECE, Trajectory, TrajectoryError};
pub use verdict::{Finding, Limit, Open, Statistics, Verdict};
