//! What a check is asked about: straight lines between waypoints, or a curve.

use super::error::CheckError;
use super::search::Waypoints;
use crate::robot::Curve;

/// A path, in the scene's order of variables. Made of what a caller has: a list of waypoints, which straight lines join, or
/// a [`Curve`].
#[derive(Clone, Copy, Debug)]
pub enum Path<'a> {
    /// Straight segments between waypoints; a single one is that configuration.
    Lines(&'a [Vec<f64>]),
    /// The pieces of a curve, which count as segments.
    Curve(&'a Curve),
}

impl<'a> Path<'a> {
    /// As the search takes it; there must be a waypoint.
    pub(super) fn waypoints(self) -> Result<Waypoints<'a>, CheckError> {
        match self {
            Self::Lines([]) => Err(CheckError::EmptyPath),
            Self::Lines(waypoints) => Ok(Waypoints::Path(waypoints)),
            Self::Curve(curve) => Ok(Waypoints::Curve(curve)),
        }
    }
}

impl<'a> From<&'a [Vec<f64>]> for Path<'a> {
    fn from(waypoints: &'a [Vec<f64>]) -> Self {
        Self::Lines(waypoints)
    }
}

impl<'a> From<&'a Vec<Vec<f64>>> for Path<'a> {
    fn from(waypoints: &'a Vec<Vec<f64>>) -> Self {
        Self::Lines(waypoints)
    }
}

impl<'a, const N: usize> From<&'a [Vec<f64>; N]> for Path<'a> {
    fn from(waypoints: &'a [Vec<f64>; N]) -> Self {
        Self::Lines(waypoints)
    }
}

impl<'a> From<&'a Curve> for Path<'a> {
    fn from(curve: &'a Curve) -> Self {
        Self::Curve(curve)
    }
}
