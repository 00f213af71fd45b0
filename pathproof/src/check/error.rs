//! Why a check could not be made.

use thiserror::Error;

use crate::robot::{CurveError, InterpolationError, MotionError};

/// Why a check could not be made.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum CheckError {
    /// A path without waypoints.
    #[error("the path has no waypoint")]
    EmptyPath,
    /// No memory to work in.
    #[error("one scratch per thread is needed, and there is none")]
    NoScratch,
    /// Two waypoints do not make a motion.
    #[error("segment {segment}: {source}")]
    Motion {
        /// Which segment.
        segment: usize,
        /// What is wrong.
        source: MotionError,
    },
    /// Points through which no controller runs.
    #[error(transparent)]
    Interpolation(#[from] InterpolationError),
    /// Pieces that are no curve.
    #[error(transparent)]
    Curve(#[from] CurveError),
}
