//! Balls around groups: they separate pairs that are far apart before any tree is used.

use crate::numeric::{DVec3, ROUNDOFF_F64, add_up, most, norm_up};

/// A ball around a group. Its radius allows for the rounding of the centre.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball {
    pub(super) centre: DVec3,
    pub(super) upper_radius: f64,
}

impl Ball {
    /// A ball around others. Its centre is the mean of their centres; its radius reaches the farthest of them. The
    /// difference of two centres and its length round by less than 8 u relatively. [`Group::ball_at`] explains how the
    /// radius allows for what placing the new centre loses in later differences.
    pub(super) fn around<'a>(balls: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let count = balls.clone().count() as f64;
        let centre = balls.clone().map(|ball| ball.centre).sum::<DVec3>() / count;
        let reach = |ball: &Self| add_up(norm_up(ball.centre - centre) * (1.0 + 8.0 * ROUNDOFF_F64), ball.upper_radius);
        let radius = balls.map(reach).fold(0.0, most);
        Self { centre, upper_radius: add_up(radius, 64.0 * ROUNDOFF_F64 * norm_up(centre)) }
    }

    /// Lower bound on the distance between the contents of two balls.
    #[inline]
    pub(super) fn lower_distance(&self, other: &Self) -> f64 {
        (self.centre - other.centre).length() * (1.0 - 8.0 * ROUNDOFF_F64) - (self.upper_radius + other.upper_radius)
    }
}
