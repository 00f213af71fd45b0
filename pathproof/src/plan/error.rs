//! Why there is nothing to plan, or nothing to smooth.

use thiserror::Error;

use super::nearby::Nearby;
use crate::check::{CheckError, Verdict};

/// Why a problem cannot be posed or a planner does not take it.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PlanError {
    /// A planner draws configurations within limits, and there are none.
    #[error("{variable:?} has no limits, and a planner needs them; give `bounds` in the scene")]
    Unbounded {
        /// The variable.
        variable: String,
    },
    /// The start, or every goal, is not free.
    #[error("the {end} is not free")]
    NotFree {
        /// "start" or "goal".
        end: &'static str,
        /// What the checker said of it.
        verdict: Box<Verdict>,
        /// A free configuration not far from it.
        nearest: Option<Nearby>,
    },
    /// There is no goal at all.
    #[error("there is no goal")]
    NoGoal,
    /// A walk does not arrive at a given configuration.
    #[error("a random walk does not arrive at a configuration; give a region, or take another planner")]
    NeedsRegion,
    /// No free configuration was drawn in the region.
    #[error("of {drawn} configurations drawn none is free and inside the region; `random-walk` takes such goals")]
    NoRoot {
        /// How many were drawn.
        drawn: usize,
    },
    /// A body of the region that cannot move is outside.
    #[error("{body:?} is outside the region and does not move")]
    StuckOutside {
        /// The body.
        body: String,
    },
    /// Smoothing keeps what is proven, and this path is not.
    #[error("the path is not free")]
    PathNotFree {
        /// What the checker said of it.
        verdict: Box<Verdict>,
    },
    /// The checker does not take it.
    #[error(transparent)]
    Check(#[from] CheckError),
}
