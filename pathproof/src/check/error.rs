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
    #[error("segment {segment}: {problem}")]
    Motion {
        /// Which segment.
        segment: usize,
        /// What is wrong; part of the message, and so no source of it.
        problem: MotionError,
    },
    /// Points through which no controller runs.
    #[error(transparent)]
    Interpolation(#[from] InterpolationError),
    /// Pieces that are no curve.
    #[error(transparent)]
    Curve(#[from] CurveError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error as _;

    /// The command line prints an error with its sources: what was both in the message and its source was said twice.
    #[test]
    fn what_is_wrong_with_a_motion_is_said_once() {
        let problem = MotionError::NotFinite { variable: "arm/elbow".into() };
        let piece = CurveError::Piece { piece: 1, problem: problem.clone() };
        for error in [CheckError::Motion { segment: 3, problem: problem.clone() }, CheckError::Curve(piece)] {
            assert!(error.to_string().ends_with(&problem.to_string()), "{error}");
            assert!(error.source().is_none(), "{error}");
        }
    }
}
