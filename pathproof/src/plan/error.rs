//! Reasons why there is nothing to plan, or nothing to smooth.

use thiserror::Error;

use super::nearby::Nearby;
use crate::check::{CheckError, Verdict};

/// Reason why a problem is invalid or a planner does not accept it.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PlanError {
    /// A planner draws configurations within limits, and this variable has none.
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
        /// The checker's verdict.
        verdict: Box<Verdict>,
        /// A free configuration not far from it.
        nearest: Option<Nearby>,
    },
    /// There is no goal at all.
    #[error("there is no goal")]
    NoGoal,
    /// The goal is a configuration, which a walk does not reach.
    #[error("a random walk does not arrive at a configuration; give a region, or take another planner")]
    NeedsRegion,
    /// No free configuration was drawn in the region.
    #[error("of {drawn} configurations drawn none is free and inside the region; `random-walk` takes such goals")]
    NoRoot {
        /// Number of configurations drawn.
        drawn: usize,
    },
    /// A body of the region that cannot move is outside.
    #[error("{body:?} is outside the region and does not move")]
    StuckOutside {
        /// The body.
        body: String,
    },
    /// Smoothing requires a path that is proven free, and this one is not.
    #[error("the path is not free")]
    PathNotFree {
        /// The checker's verdict.
        verdict: Box<Verdict>,
    },
    /// The checker refused it.
    #[error(transparent)]
    Check(#[from] CheckError),
}
