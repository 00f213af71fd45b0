//! The segments of a path in the form that the search takes: straight, edges that need not meet, or pieces of a curve.

use super::error::CheckError;
use crate::path::Path;
use crate::robot::{Curve, CurvePiece, Model, MotionError, SegmentMotion};

/// The configurations of a path.
#[derive(Clone, Copy, Debug)]
pub(super) enum Waypoints<'a> {
    /// The ends of one segment.
    Segment([&'a [f64]; 2]),
    /// At least one; a single one is a segment of no length.
    Path(&'a [Vec<f64>]),
    /// The ends of segments that need not meet.
    Edges(&'a [[&'a [f64]; 2]]),
    /// Pieces of a curve.
    Curve(&'a Curve),
}

impl<'a> Waypoints<'a> {
    /// The segments of a version of a motion; there must be a waypoint.
    pub(super) fn of(path: Path<'a>) -> Result<Self, CheckError> {
        match path {
            Path::Lines([]) => Err(CheckError::EmptyPath),
            Path::Lines(waypoints) => Ok(Self::Path(waypoints)),
            Path::Curve(curve) => Ok(Self::Curve(curve)),
        }
    }

    /// Number of segments.
    pub(super) fn segments(&self) -> usize {
        match self {
            Self::Segment(_) => 1,
            Self::Path(waypoints) => waypoints.len().saturating_sub(1).max(1),
            Self::Edges(edges) => edges.len(),
            Self::Curve(curve) => curve.pieces().len(),
        }
    }

    /// A segment.
    #[inline]
    pub(super) fn piece(&self, segment: usize) -> SegmentPiece<'a> {
        SegmentPiece::Line(match self {
            Self::Segment(ends) => *ends,
            Self::Path(waypoints) => [&waypoints[segment], &waypoints[(segment + 1).min(waypoints.len() - 1)]],
            Self::Edges(edges) => edges[segment],
            Self::Curve(curve) => return SegmentPiece::Curved(&curve.pieces()[segment]),
        })
    }

    /// True if every segment starts where the one before it ends, so that a body that starts outside all solids and
    /// crosses no surface stays outside.
    pub(super) fn is_connected(&self) -> bool {
        !matches!(self, Self::Edges(_))
    }
}

/// A segment of a path.
#[derive(Clone, Copy, Debug)]
pub(super) enum SegmentPiece<'a> {
    /// Straight, between two configurations.
    Line([&'a [f64]; 2]),
    /// A piece of a curve.
    Curved(&'a CurvePiece),
}

impl SegmentPiece<'_> {
    /// Sets a motion along it.
    pub(super) fn set(&self, motion: &mut SegmentMotion, model: &Model) -> Result<(), MotionError> {
        match self {
            Self::Line([start, goal]) => motion.set(model, start, goal),
            Self::Curved(piece) => motion.set_curve(model, piece),
        }
    }
}
