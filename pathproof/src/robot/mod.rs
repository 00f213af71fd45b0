//! Joints, models, kinematics, motions and motion bounds: robots, their poses, and limits on their motion.
//!
//! A [`Model`] is immutable and shared; queries write only to scratch that the caller owns. Invariant: every bound on
//! motion is rounded up, and only [`SegmentMotion`] knows if a piece is straight or curved.

pub mod bounds;
mod carried;
mod curve;
mod curved_motion;
mod description;
mod extent;
mod extreme;
pub mod interpolation;
mod joint;
mod kinematics;
mod levers;
mod model;
mod motion;
mod polynomial;
mod rates;
mod upsampling;

#[cfg(test)]
mod tests;

pub use bounds::{CellBound, SpeedAlong};
pub(crate) use carried::{Carried, upper_displacement_of};
pub use curve::{Curve, CurveError, CurvePiece};
pub use description::ModelError;
pub use extent::Extent;
pub use extreme::Extreme;
pub use interpolation::{Interpolation, InterpolationError, Knot};
pub use joint::{JointKind, JointSpec, Mimic};
pub use kinematics::{Dyadic, Kinematics, PoseCache, Twist};
pub(crate) use levers::add_levers;
pub use model::{Frame, Joint, Link, Model, Source, Variable, VariableKind};
pub use motion::{MotionError, Rate, SegmentMotion, Sums};
pub use polynomial::{KnotState, Polynomial};
