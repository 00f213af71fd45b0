//! Upper bounds on how far a body moves along a motion, relative to any frame above it (docs/design.md#motion-bounds;
//! exact-collision-checking paper §3.3).
//!
//! Joint k slides at speed l_k along w_k, then turns at rate a_k about the axis (z_k, o_k); either may be zero.
//! Invariant: nothing here is ever below the truth, rounding included: sums and products of non-negative numbers
//! are inflated once at the end by more than their rounding; poses and twists enter with their error bounds.
//! The formulas are proven above [`lambda`] and [`cell`]. Cost: some 25 ns per joint and cell.

use crate::numeric::{DMat3, DVec3, ROUNDOFF_F64, least, most, unit};

use super::extent::Extent;
use super::joint::JointKind;
use super::kinematics::{Kinematics, Twist};
use super::model::Model;
use super::motion::{Rate, SegmentMotion};
use super::rates::{Constant, Rates, Varying};

/// Bounds on the motion of one body over a cell [m − h/2, m + h/2], as seen from an ancestor frame.
#[derive(Clone, Copy, Debug)]
pub struct CellBound {
    /// Velocity field at m relative to the ancestor, in world axes at m; an estimate, see `upper_bend`.
    pub twist: Twist,
    /// h/2.
    pub half_length: f64,
    /// B h²/8 plus the twist's error over a half: upper bound on how far a half strays from the twist. After τ it is
    /// at most B τ²/2 plus τ times the twist's error.
    pub upper_bend: f64,
    /// Upper bound on the distance of any point of the body, in the cell, from its position at m.
    pub upper_displacement: f64,
}

/// Upper bound on the arc length of any point of the body over the whole motion, seen from `ancestor`, a frame
/// above the body's (0 is the world); over a cell of length h it is h times that.
///
/// The velocity of a point p of the body is v = Σ_k (l_k w_k + a_k z_k × (p − o_k)), so that |v| ≤ Σ_k (l_k + a_k s_k)
/// where s_k is at least the distance of p from axis k, which only joints below k change: the largest distance of
/// the next joint's origin from the axis, plus the offsets between origins from there on, plus the farthest point
/// of the body from the last one. For the body's own joint it is constant and exact.
pub fn lambda(model: &Model, motion: &SegmentMotion, extent: &Extent, ancestor: usize) -> f64 {
    let radii = Radii::new(model, motion, extent, ancestor);
    let sum: f64 = radii.map(|(_, rate, radius)| rate.upper_linear + rate.upper_angular * radius).sum();
    sum * inflation(model, extent)
}

/// Appends [`lambda`] relative to the body's own frame, to the one above it, and so on up to the world. The index of
/// an ancestor is the difference of depths. All of them cost as much as the last one.
pub(crate) fn lambdas(model: &Model, motion: &SegmentMotion, extent: &Extent, arcs: &mut Vec<f64>) {
    let inflation = inflation(model, extent);
    let mut sum = 0.0;
    arcs.push(sum);
    for (_, rate, radius) in Radii::new(model, motion, extent, 0) {
        sum += rate.upper_linear + rate.upper_angular * radius;
        arcs.push(sum * inflation);
    }
}

/// The paper's coarser ρ·d: the same radii, every joint moving at the largest rate of all (L∞).
pub fn rho_times_distance(model: &Model, motion: &SegmentMotion, extent: &Extent, ancestor: usize) -> f64 {
    let radii = Radii::new(model, motion, extent, ancestor);
    let sum: f64 = radii
        .map(|(index, _, radius)| match model.frames()[index].kind {
            JointKind::Fixed => 0.0,
            JointKind::Revolute { .. } => radius,
            JointKind::Prismatic { .. } => 1.0,
            JointKind::Planar { .. } | JointKind::Floating => 1.0 + radius,
        })
        .sum();
    sum * motion.upper_largest_rate() * inflation(model, extent)
}

/// Bounds over the cell of length `length` around the time m at which `kinematics` was set on `motion`.
///
/// *Base first.* Let E_k be the rigid motion that joint k alone makes from m to m + τ, about its axis where that is at
/// m. Then p(m + τ) = E_1 E_2 … E_n p(m), so that p(m + τ) − p(m) = Σ_k E_1 … E_{k−1} (E_k − 1) p(m) = Σ_k G_k w_k:
/// w_k is how joint k alone displaces the body from where it is at m, and G_k, the rotation of the joints above, turns
/// that. With ρ_k the body's largest distance from axis k at m, l_k and a_k suprema of the rates over the cell, a turn
/// gives |w_k| ≤ τ a_k ρ_k and a slide |w_k| ≤ τ l_k (a joint that does both has two terms with the same G_k). Hence
/// **no point is farther than (h/2) Σ_k (l_k + a_k ρ_k) from where it is at m**: no radii but those at m.
///
/// *Bend.* x_k = G_k w_k has x_k(0) = 0 and the velocity v_k that joint k causes at m, and strays from τ v_k by at most
/// B_k τ²/2, where B_k is the smaller of two. (1) x_k − τ v_k = (G_k − 1) w_k + (w_k − τ v_k); G_k turns by at most τ
/// S, S = Σ_{j<k} a_j, and |ẅ_k| ≤ ρ_k (a_k² + |ȧ_k|): **B_k = ρ_k (a_k (2S + a_k) + |ȧ_k|)**. (2) Ġ_k = ω × G_k with
/// ω = ω_{k−1}(m + τ), and G_k ẅ_k = (ω_k − ω_{k−1}) × G_k ẇ_k but for ȧ_k; so ẍ_k = (ω_{k−1} + ω_k) × G_k ẇ_k + ω̇ ×
/// G_k w_k + ω × (ω × G_k w_k), again but for ȧ_k. With C_k ≥ |ω̇_k|, |ẇ_k| ≤ a_k ρ_k and |w_k| ≤ τ a_k ρ_k, |ẍ_k| ≤
/// ρ_k (a_k (N + τ (2 C_{k−1} + C_k + S²)) + |ȧ_k|), N being |ω_{k−1} + ω_k| at m. Integrated twice: **B_k = ρ_k (a_k
/// (N + (h/6) (2 C_{k−1} + C_k + S²)) + |ȧ_k|)**. A slide has l_k for a_k ρ_k, ω_{k−1} for ω_k and no a_k² in (1).
/// C_k = Σ_{i≤k} (a_i Σ_{j<i} a_j + |ȧ_i|).
///
/// *Along n*, with B = Σ_k B_k: n·(p(m + τ) − p(m)) ≤ τ n·v + B τ²/2, convex in τ, so that over a half it is at most
/// max(0, (h/2) n·v + B h²/8), with −v for the earlier half; the displacement is at most (h/2)|v| + B h²/8 as well.
/// All of this is measured in the ancestor's frame, whose axes at m are fixed there: only joints below it count.
pub fn cell(
    model: &Model,
    motion: &SegmentMotion,
    kinematics: &mut Kinematics,
    extent: &Extent,
    ancestor: usize,
    length: f64,
) -> CellBound {
    kinematics.twist(model, motion, extent.frame);
    if motion.is_curved() {
        kinematics.bound_rates(model, motion, length);
        return cell_at(model, motion, kinematics, Varying(kinematics.cell_rates()), extent, ancestor, length);
    }
    cell_at(model, motion, kinematics, Constant(motion), extent, ancestor, length)
}

/// [`cell`], where the twist is known, for one of the two kinds of rates.
#[inline(always)]
fn cell_at<R: Rates>(
    model: &Model,
    motion: &SegmentMotion,
    kinematics: &Kinematics,
    rates: R,
    extent: &Extent,
    ancestor: usize,
    length: f64,
) -> CellBound {
    let half = length / 2.0;
    let body_pose = kinematics.known_pose(extent.frame);
    let ends = extent.ends_in_frame.map(|end| body_pose.point(end));
    let error = Errors::new(motion, extent);
    let base = rates.spin(kinematics, ancestor);
    let mut spin = rates.spin(kinematics, extent.frame).relative_to(&base);
    let (mut upper_speed, mut second_order) = (0.0, 0.0);
    for (index, rate, static_radius) in Radii::new(model, motion, extent, ancestor) {
        let spin_above = rates.spin(kinematics, model.frames()[index].parent).relative_to(&base);
        let [upper_linear, upper_angular] = rates.speeds(index, rate);
        let [linear_change, angular_change] = rates.changes(index);
        // NaN stays NaN.
        if upper_angular != 0.0 {
            let axis = axis_in_world(model, kinematics, rate, index);
            let origin = kinematics.known_pose(index).translation;
            let now = farthest_from_axis(axis, origin, &ends) + extent.radius + error.length;
            let speed_now = upper_angular * now + rate.angular_error * static_radius;
            let speed = least(upper_angular * static_radius, speed_now);
            second_order += speed * (spin_above.upper_bending_of(&spin, half) + error.angular);
            if !R::ARE_CONSTANT {
                second_order += angular_change * least(static_radius, now);
            }
            upper_speed += speed;
        }
        if upper_linear != 0.0 {
            second_order += upper_linear * (spin_above.upper_bending_of(&spin_above, half) + error.angular);
            if !R::ARE_CONSTANT {
                second_order += linear_change;
            }
            upper_speed += upper_linear;
        }
        spin = spin_above;
    }
    let twist = kinematics.known_twist(extent.frame).relative_to(kinematics.known_twist(ancestor));
    let speed_now = most(twist.velocity_at(ends[0]).length(), twist.velocity_at(ends[1]).length())
        + twist.angular.length() * extent.radius;
    let inflation = inflation(model, extent);
    let upper_bend = (second_order * half * half / 2.0 + half * error.speed) * inflation;
    let upper_displacement = least(half * upper_speed, half * speed_now + upper_bend) * inflation;
    CellBound { twist, half_length: half, upper_bend, upper_displacement }
}

/// Upper bound on how much nearer two bodies come along a direction over a half cell: the closing speeds at the
/// midpoint add up, and so do the bends. Every point pair's gap along the direction shrinks by no more.
#[inline]
pub fn upper_closing(half_length: f64, closing_speed: f64, upper_bend: f64) -> f64 {
    let closing = half_length * closing_speed + upper_bend;
    // Written so that NaN stays NaN and certifies nothing.
    if closing < 0.0 { 0.0 } else { closing * (1.0 + 8.0 * ROUNDOFF_F64) }
}

impl CellBound {
    /// The bound of a body that does not move relative to the ancestor.
    pub(crate) fn still(length: f64) -> Self {
        Self { twist: Twist::default(), half_length: length / 2.0, upper_bend: 0.0, upper_displacement: 0.0 }
    }

    /// The velocity field along the unit vector `direction` (in world axes at m).
    #[inline]
    pub fn along(&self, direction: DVec3) -> SpeedAlong {
        SpeedAlong {
            at_reference: direction.dot(self.twist.linear),
            gradient: direction.cross(self.twist.angular),
            reference: self.twist.reference,
        }
    }

    /// Upper bounds on how far any point of a box moves along `direction` in the earlier half (from m backwards)
    /// and in the later half. `world_from_box` holds the box's axes at m, `centre` its centre in the world.
    #[cfg(test)]
    pub(super) fn upper_displacement_along(
        &self,
        direction: DVec3,
        centre: DVec3,
        world_from_box: &DMat3,
        half_extents: DVec3,
    ) -> [f64; 2] {
        let speeds = self.along(direction).range_over_box(centre, world_from_box, half_extents);
        [-speeds[0], speeds[1]].map(|speed| upper_closing(self.half_length, speed, self.upper_bend))
    }
}

/// Speed along one direction, an affine function of the point: n·(v + ω × x) = n·v + (n × ω)·x.
#[derive(Clone, Copy, Debug)]
pub struct SpeedAlong {
    /// At the reference point.
    pub at_reference: f64,
    /// Change per metre.
    pub gradient: DVec3,
    /// The reference point, in the world.
    pub reference: DVec3,
}

impl SpeedAlong {
    /// Smallest and largest speed over a box that contains the moving body. They are estimates;
    /// [`CellBound::upper_bend`] allows for their rounding, as long as the box stays within four times the body's
    /// reach.
    #[inline]
    pub fn range_over_box(&self, centre: DVec3, world_from_box: &DMat3, half_extents: DVec3) -> [f64; 2] {
        let at_centre = self.at_reference + self.gradient.dot(centre - self.reference);
        let slopes = DVec3::new(
            self.gradient.dot(world_from_box.x_axis),
            self.gradient.dot(world_from_box.y_axis),
            self.gradient.dot(world_from_box.z_axis),
        );
        let spread = slopes.abs().dot(half_extents);
        [at_centre - spread, at_centre + spread]
    }
}

/// Joints from a body up to an ancestor (excluded), each with its static radius s_k.
struct Radii<'a> {
    model: &'a Model,
    motion: &'a SegmentMotion,
    ancestor: usize,
    frame: usize,
    /// Bound on the distance of the body from the axis of `frame`.
    from_axis: f64,
    /// Bound on the distance of the body from the origin of `frame`.
    from_origin: f64,
}

impl<'a> Radii<'a> {
    #[inline]
    fn new(model: &'a Model, motion: &'a SegmentMotion, extent: &Extent, ancestor: usize) -> Self {
        let (frame, from_origin) = (extent.frame, extent.origin_radius);
        let is_floating = model.frames()[frame].kind == JointKind::Floating;
        let from_axis = if is_floating { from_origin } else { extent.axis_radius };
        Self { model, motion, ancestor, frame, from_axis, from_origin }
    }
}

impl<'a> Iterator for Radii<'a> {
    type Item = (usize, &'a Rate, f64);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.frame == self.ancestor {
            return None;
        }
        assert!(self.frame > self.ancestor, "frame {} does not carry the body", self.ancestor);
        let item = (self.frame, self.motion.rate(self.frame), self.from_axis);
        self.from_axis = item.1.upper_axis_offset + self.from_origin;
        self.from_origin += item.1.upper_offset;
        self.frame = self.model.frames()[self.frame].parent;
        Some(item)
    }
}

/// Bounds on rounding in poses, twists and differences of sums.
struct Errors {
    /// Error of a distance between computed points and axes.
    length: f64,
    /// Error of a sum of two angular velocities.
    angular: f64,
    /// Error of the velocity of a point, and of its component along a direction.
    speed: f64,
}

impl Errors {
    #[inline]
    fn new(motion: &SegmentMotion, extent: &Extent) -> Self {
        let sums = &motion.rate(extent.frame).from_world;
        let reach = sums.offset + extent.origin_radius;
        let length = 4.0 * (sums.rotation_error * reach + sums.position_error);
        // v sums l_k w_k + a_k z_k × r_k: directions are off by the rotation error, arms by the position error, and
        // `rotation_error` (161 u per joint) has room for the sums themselves. Boxes may be 4 times as large.
        let angular = 8.0 * sums.rotation_error * sums.angular + 4.0 * sums.angular_error;
        let mut speed = 4.0 * sums.rotation_error * sums.linear + sums.angular * (4.0 * length) + 8.0 * angular * reach;
        if motion.is_curved() {
            speed += 4.0 * sums.linear_error;
        }
        // Squares of lengths below 1e-154 vanish.
        Self { length: length + 1e-150, angular, speed: speed + 1e-150 }
    }
}

/// Direction of the axis of joint `index`. That of a floating joint is known to `angular_error` over its rate.
#[inline]
pub(super) fn axis_in_world(model: &Model, kinematics: &Kinematics, rate: &Rate, index: usize) -> DVec3 {
    let frame = &model.frames()[index];
    if frame.kind == JointKind::Floating {
        let axis = frame.parent_from_zero.rotation * unit(rate.angular_in_zero).unwrap_or(DVec3::ZERO);
        return kinematics.known_pose(frame.parent).rotation * axis;
    }
    kinematics.known_pose(index).rotation.z_axis
}

/// Distance of the farther of two points from an axis.
#[inline]
fn farthest_from_axis(axis: DVec3, origin: DVec3, points: &[DVec3; 2]) -> f64 {
    let [a, b] = points.map(|point| axis.cross(point - origin).length_squared());
    most(a, b).sqrt()
}

/// Factor above 1 that covers the rounding of every sum of products here: at most 8 operations per joint.
#[inline]
fn inflation(model: &Model, extent: &Extent) -> f64 {
    1.0 + 16.0 * ROUNDOFF_F64 * (model.frames()[extent.frame].depth + 8) as f64
}
