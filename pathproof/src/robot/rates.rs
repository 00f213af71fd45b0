//! Bounds on the rates of joints over a cell, for either kind of motion. [`super::bounds`] and [`super::carried`] are
//! generic over them, so that straight pieces pay nothing for curves.

use crate::numeric::{DVec3, least};

use super::curved_motion::CellRate;
use super::kinematics::Kinematics;
use super::motion::{Rate, SegmentMotion};

/// Bounds on the rates of joints over a cell: constant on a straight piece, varying on a curve.
pub(super) trait Rates: Copy {
    /// True if they do not change.
    const ARE_CONSTANT: bool;

    /// The angular velocity of a frame with a twist known to `kinematics`.
    fn spin(self, kinematics: &Kinematics, frame: usize) -> Spin;

    /// Linear and angular speed of a frame, given its rate over the whole piece.
    fn speeds(self, frame: usize, rate: &Rate) -> [f64; 2];

    /// Their derivatives.
    fn changes(self, frame: usize) -> [f64; 2];
}

/// Rates on a straight piece.
#[derive(Clone, Copy)]
pub(super) struct Constant<'a>(pub(super) &'a SegmentMotion);

impl Rates for Constant<'_> {
    const ARE_CONSTANT: bool = true;

    #[inline(always)]
    fn spin(self, kinematics: &Kinematics, frame: usize) -> Spin {
        Spin::of(self.0, kinematics, frame)
    }

    #[inline(always)]
    fn speeds(self, _frame: usize, rate: &Rate) -> [f64; 2] {
        [rate.upper_linear, rate.upper_angular]
    }

    #[inline(always)]
    fn changes(self, _frame: usize) -> [f64; 2] {
        [0.0; 2]
    }
}

/// Rates of each frame on a curve.
#[derive(Clone, Copy)]
pub(super) struct Varying<'a>(pub(super) &'a [CellRate]);

impl Rates for Varying<'_> {
    const ARE_CONSTANT: bool = false;

    #[inline(always)]
    fn spin(self, kinematics: &Kinematics, frame: usize) -> Spin {
        let (rate, now) = (&self.0[frame], kinematics.known_twist(frame).angular);
        Spin { now, upper_rates: rate.angular_from_world, upper_change: rate.spin_change_from_world }
    }

    #[inline(always)]
    fn speeds(self, frame: usize, _rate: &Rate) -> [f64; 2] {
        [self.0[frame].linear, self.0[frame].angular]
    }

    #[inline(always)]
    fn changes(self, frame: usize) -> [f64; 2] {
        [self.0[frame].linear_change, self.0[frame].angular_change]
    }
}

/// Angular velocity of a frame over a cell.
#[derive(Clone, Copy)]
pub(super) struct Spin {
    /// At the midpoint, in world axes.
    now: DVec3,
    /// Upper bound: the sum of the rates that make it up.
    upper_rates: f64,
    /// Upper bound on its derivative.
    upper_change: f64,
}

impl Spin {
    /// Spin of a frame with a twist known to `kinematics`.
    #[inline]
    fn of(motion: &SegmentMotion, kinematics: &Kinematics, frame: usize) -> Self {
        let sums = &motion.rate(frame).from_world;
        let now = kinematics.known_twist(frame).angular;
        Self { now, upper_rates: sums.angular, upper_change: sums.angular_change }
    }

    /// The same relative to a frame above. Sums of rates were rounded up on the way down the tree, so the difference
    /// of two of them is at least the sum between.
    #[inline]
    pub(super) fn relative_to(&self, base: &Self) -> Self {
        Self {
            now: self.now - base.now,
            upper_rates: self.upper_rates - base.upper_rates,
            upper_change: self.upper_change - base.upper_change,
        }
    }

    /// Bend caused by the joint between this frame and `below`, B_k / (a_k ρ_k) as derived at [`super::bounds::cell`],
    /// without the error of the angular velocities at the midpoint and without changes of its own rate. For a slide,
    /// `below` is this frame itself.
    #[inline]
    pub(super) fn upper_bending_of(&self, below: &Self, half: f64) -> f64 {
        let change = 2.0 * self.upper_change + below.upper_change + self.upper_rates * self.upper_rates;
        let now = (self.now + below.now).length() + half * (1.0 / 3.0) * change;
        least(now, self.upper_rates + below.upper_rates)
    }
}
