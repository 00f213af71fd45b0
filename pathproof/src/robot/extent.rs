//! Reach of a rigid body in the frame that carries it: all that motion bounds need of its geometry.
//!
//! The body lies in the hull of a capsule, so that the largest value over the body of any convex function
//! (distance from an axis, speed) is at most its value at one of the two ends, plus the radius. Distances from
//! the frame's own axis and origin do not depend on the configuration and are taken from every point.

use crate::numeric::{DVec3, Pose, ROUNDOFF_F64, add_up, least, most, norm_up};

use super::model::Model;

/// Reach of one body; every length an upper bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// The frame that carries the body.
    pub frame: usize,
    /// Ends of the capsule's axis, in the frame.
    pub ends_in_frame: [DVec3; 2],
    /// Radius of the capsule.
    pub radius: f64,
    /// Largest distance of a point of the body from the frame's z axis, about which its own joint turns.
    pub axis_radius: f64,
    /// Largest distance of a point of the body from the frame's origin.
    pub origin_radius: f64,
}

impl Extent {
    /// Extent of a body that lies in the convex hull of `balls` (centre and radius, in the body's frame; radius 0
    /// for vertices) and is fixed to `link` at `link_from_body`. No balls: a body without points.
    pub fn new<I>(model: &Model, link: usize, link_from_body: &Pose, balls: I) -> Self
    where
        I: IntoIterator<Item = (DVec3, f64)>,
        I::IntoIter: Clone,
    {
        let frame_from_body = model.links()[link].frame_from_link * *link_from_body;
        let balls = balls.into_iter();
        let far = balls.clone().fold(0.0, |far: f64, (centre, radius)| most(far, add_up(norm_up(centre), radius)));
        // A body with NaN coordinates reaches infinitely far, and nothing about it can be proven.
        let far = if balls.clone().all(|(c, r)| c.is_finite() && r.is_finite()) { far } else { f64::INFINITY };
        let slack = 64.0 * ROUNDOFF_F64 * add_up(norm_up(frame_from_body.translation), far);
        let (mut axis_radius, mut origin_radius) = (0.0f64, 0.0f64);
        for (centre, radius) in balls.clone() {
            let p = frame_from_body.point(centre);
            axis_radius = most(axis_radius, add_up(norm_up(DVec3::new(p.x, p.y, 0.0)), radius));
            origin_radius = most(origin_radius, add_up(norm_up(p), radius));
        }
        let (ends, radius) = smallest_capsule(balls);
        Self {
            frame: model.frame_of(link),
            ends_in_frame: ends.map(|end| frame_from_body.point(end)),
            radius: add_up(radius, slack),
            axis_radius: add_up(axis_radius, slack),
            origin_radius: add_up(origin_radius, slack),
        }
    }
}

/// The shortest of three capsules along the body's axes.
fn smallest_capsule(balls: impl Iterator<Item = (DVec3, f64)> + Clone) -> ([DVec3; 2], f64) {
    let mut best = ([DVec3::ZERO; 2], f64::INFINITY);
    let reach = |(ends, radius): &([DVec3; 2], f64)| (ends[1] - ends[0]).length() / 2.0 + radius;
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        let capsule = capsule_along(axis, balls.clone());
        if reach(&capsule) < reach(&best) {
            best = capsule;
        }
    }
    best
}

fn capsule_along(axis: DVec3, balls: impl Iterator<Item = (DVec3, f64)> + Clone) -> ([DVec3; 2], f64) {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for (centre, radius) in balls.clone() {
        (low, high) = (low.min(centre - radius), high.max(centre + radius));
    }
    if !(low.is_finite() && high.is_finite()) {
        return ([DVec3::ZERO; 2], if low.x > high.x { 0.0 } else { f64::INFINITY });
    }
    let middle = (low + high) / 2.0 * (DVec3::ONE - axis);
    let sideways = |centre: DVec3| (centre * (DVec3::ONE - axis) - middle).length();
    let wide = balls.clone().fold(0.0, |wide: f64, (centre, radius)| most(wide, sideways(centre) + radius));
    // A ball at x along the axis is inside if an end is within reach of it: [from, to] must meet x ± its room.
    let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
    for (centre, radius) in balls.clone() {
        let room = most((wide - radius).powi(2) - sideways(centre).powi(2), 0.0).sqrt();
        from = least(from, centre.dot(axis) + room);
        to = most(to, centre.dot(axis) - room);
    }
    if from > to {
        from = (from + to) / 2.0;
        to = from;
    }
    let ends = [middle + axis * from, middle + axis * to];
    // Rounding above does not matter: the radius is measured again for the ends as computed.
    let radius = balls.fold(0.0, |largest: f64, (centre, radius)| {
        let along = axis * centre.dot(axis).clamp(from, to);
        most(largest, add_up(norm_up(centre - middle - along), radius))
    });
    (ends, radius)
}
