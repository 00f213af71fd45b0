//! Bounds on the rates of joints over a cell, of either kind of motion: what [`super::bounds`] and [`super::carried`] are
//! generic over, so that straight pieces pay nothing for curves.

use crate::numeric::{DVec3, least};

use super::curved_motion::CellRate;
use super::kinematics::Kinematics;
use super::motion::{Rate, SegmentMotion};

/// Bounds on the rates of joints over a cell: constant on a straight piece, varying on a curve.
pub(super) trait Rates: Copy {
    /// Whether they do not change.
    const ARE_CONSTANT: bool;

    /// The angular velocity of a frame whose twist `kinematics` knows.
    fn spin(self, kinematics: &Kinematics, frame: usize) -> Spin;

    /// Linear and angular speed of a frame, whose rate over the whole piece is given.
    fn speeds(self, frame: usize, rate: &Rate) -> [f64; 2];

    /// Their derivatives.
    fn changes(self, frame: usize) -> [f64; 2];
}

/// On a straight piece.
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

/// On a curve: of each frame.
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
    /// Of a frame whose twist `kinematics` knows.
    #[inline]
    fn of(motion: &SegmentMotion, kinematics: &Kinematics, frame: usize) -> Self {
        let sums = &motion.rate(frame).from_world;
        let now = kinematics.known_twist(frame).angular;
        Self { now, upper_rates: sums.angular, upper_change: sums.angular_change }
    }

    /// As a frame above sees it. Sums of rates were rounded up on the way down the tree, so that the difference of two
    /// of them is at least the sum between.
    #[inline]
    pub(super) fn relative_to(&self, base: &Self) -> Self {
        Self {
            now: self.now - base.now,
            upper_rates: self.upper_rates - base.upper_rates,
            upper_change: self.upper_change - base.upper_change,
        }
    }

    /// Of what the joint between this frame and `below` does, B_k / (a_k ρ_k) as derived at [`super::bounds::cell`], but for the error of
    /// the angular velocities at the midpoint and changes of its own rate. Of a slide, `below` is this frame itself.
    #[inline]
    pub(super) fn upper_bending_of(&self, below: &Self, half: f64) -> f64 {
        let change = 2.0 * self.upper_change + below.upper_change + self.upper_rates * self.upper_rates;
        let now = (self.now + below.now).length() + half * (1.0 / 3.0) * change;
        least(now, self.upper_rates + below.upper_rates)
    }
}
