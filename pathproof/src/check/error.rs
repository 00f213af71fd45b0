//! Reasons why a check could not be made.

use thiserror::Error;

use crate::robot::{Interpolation, MotionError};

/// Reason why a check could not be made.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum CheckError {
    /// A path without waypoints.
    #[error("the path has no waypoint")]
    EmptyPath,
    /// [`Settings::interrupt`](super::Settings::interrupt) ended a profile before every segment was measured.
    #[error("the profile was interrupted")]
    Interrupted,
    /// No scratch given.
    #[error("one scratch per thread is needed, and there is none")]
    NoScratch,
    /// Two waypoints do not make a motion.
    #[error("segment {segment}: {problem}")]
    Motion {
        /// Index of the segment.
        segment: usize,
        /// The problem; part of the message, and so not a source of the error.
        problem: MotionError,
    },
    /// A motion that no certificate can state.
    #[error(
        "certificates exist for straight lines and for what a controller runs from its first waypoint on, and this is {}{}",
        interpolation.meaning(),
        if *has_older_version { ", in two versions" } else { "" }
    )]
    NoCertificate {
        /// The interpolation between waypoints.
        interpolation: Interpolation,
        /// True if the first segment differs between versions of the controller.
        has_older_version: bool,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error as _;

    /// The command line prints an error with its sources: text that was in both the message and its source was printed
    /// twice.
    #[test]
    fn what_is_wrong_with_a_motion_is_said_once() {
        let problem = MotionError::NotFinite { variable: "arm/elbow".into() };
        let error = CheckError::Motion { segment: 3, problem: problem.clone() };
        assert!(error.to_string().ends_with(&problem.to_string()), "{error}");
        assert!(error.source().is_none(), "{error}");
    }
}
