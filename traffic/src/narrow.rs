//! Queries of a pair of parts at one instant, in the plane or in space.
//!
//! Invariant: `lower` never exceeds and `upper` is never below the signed distance of the parts at the given frames;
//! along any unit axis [`Space::separation`] is a lower bound on it. The caller accounts for the rounding in placing
//! the frames.

use super::compound::{Compound, Part, Workspace};
use super::trajectory::Trajectory;
use pathproof::numeric::Pose;

/// Bounds on the signed distance of two parts (negative: penetration), in metres.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Proximity<V> {
    pub(crate) lower: f64,
    /// Infinite if not needed.
    pub(crate) upper: f64,
    /// Unit vector from A to B along which they are `lower` apart.
    pub(crate) axis: V,
}

/// A body at one instant: its frame in the world, and its place on the trajectory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State<F> {
    pub(crate) frame: F,
    pub(crate) piece: usize,
    /// Fraction of the piece, in [0, 1].
    pub(crate) fraction: f64,
}

/// A part of a body in that state.
pub(crate) type Placed<'a, F> = (&'a Part, &'a State<F>);

/// The two workspaces. Holds all arithmetic that depends on the dimension.
pub(crate) trait Space: Copy + std::fmt::Debug {
    const DIMENSIONS: usize;
    const WORKSPACE: Workspace;
    type Vector: Copy + std::fmt::Debug;
    type Frame: Copy + std::fmt::Debug;

    /// The frame at a knot.
    fn knot(trajectory: &Trajectory, knot: usize) -> Self::Frame;
    /// The frame at a fraction of a piece.
    fn between(trajectory: &Trajectory, piece: usize, fraction: f64) -> Self::Frame;
    /// A frame of a placed trajectory in the world.
    fn place(world_from_local: &Self::Frame, local: &Self::Frame) -> Self::Frame;
    /// A rigid pose as a frame.
    fn frame(pose: &Pose) -> Self::Frame;
    /// A point of the frame in the world.
    fn point(frame: &Self::Frame, p: [f64; 3]) -> [f64; 3];
    /// A box of the frame, by its centre and half its edges, as one in the world's axes.
    fn turned_box(frame: &Self::Frame, centre: [f64; 3], half: [f64; 3]) -> [[f64; 3]; 2];
    /// Position of the reference point.
    fn position(frame: &Self::Frame) -> [f64; 3];
    /// Vector from one reference point to another.
    fn difference(from: &Self::Frame, to: &Self::Frame) -> Self::Vector;
    fn length_squared(v: Self::Vector) -> f64;
    /// Lower and upper corner of a box about the compound, seen from its reference point, in the world's axes.
    fn extent(compound: &Compound, state: &State<Self::Frame>) -> [[f64; 3]; 2];
    /// Lower bound on the separation along the unit axis n, from A to B.
    fn separation(a: Placed<'_, Self::Frame>, b: Placed<'_, Self::Frame>, n: Self::Vector) -> f64;
    /// Bounds on the signed distance. `upper` is certain to be finite only if `lower` is at most `near`.
    fn proximity(a: Placed<'_, Self::Frame>, b: Placed<'_, Self::Frame>, near: f64) -> Proximity<Self::Vector>;
    /// True if the parts certainly overlap.
    fn overlap(a: Placed<'_, Self::Frame>, b: Placed<'_, Self::Frame>) -> bool;
}

/// The larger; NaN if either is.
#[inline(always)]
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

/// The smaller; NaN if either is.
#[inline(always)]
pub(crate) fn smaller(a: f64, b: f64) -> f64 {
    if a < b || a.is_nan() { a } else { b }
}
