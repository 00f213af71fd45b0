//! Upper bounds on how far a body moves along a motion, relative to any frame above it (docs/design.md#motion-bounds;
//! exact-collision-checking paper §3.3).
//!
//! Joint k slides at speed l_k along w_k, then turns at rate a_k about the axis (z_k, o_k); either may be zero.
//! Invariant: nothing here is ever below the truth, rounding included: sums and products of non-negative numbers
//! are inflated once at the end by more than their rounding; poses and twists enter with their error bounds.
//! The formulas are proven above [`lambda`] and [`cell`]. Cost: some 25 ns a joint and cell.

use crate::numeric::{DMat3, DVec3, ROUNDOFF_F64, least, most, unit};

use super::curved_motion::CellRate;
use super::extent::Extent;
use super::joint::JointKind;
use super::kinematics::{Kinematics, Twist};
use super::model::Model;
use super::motion::{Motion, Rate};

/// Bounds on the motion of one body over a cell [m − h/2, m + h/2], as seen from an ancestor frame.
#[derive(Clone, Copy, Debug)]
pub struct CellBound {
    /// Velocity field at m relative to the ancestor, in world axes at m; an estimate, see `upper_bend`.
    pub twist: Twist,
    /// h/2.
    pub half_length: f64,
    /// Upper bound A on the acceleration of any point of the body anywhere in the cell.
    pub upper_acceleration: f64,
    /// A h²/8 and what the twist may be off over a half: the most by which a half strays from the twist.
    pub upper_bend: f64,
    /// Upper bound on the arc length of any point of the body over either half of the cell.
    pub upper_half_arc: f64,
}

/// Upper bound on the arc length of any point of the body over the whole motion, seen from `ancestor`, a frame
/// above the body's (0 is the world); over a cell of length h it is h times that.
///
/// The velocity of a point p of the body is v = Σ_k (l_k w_k + a_k z_k × (p − o_k)), so that |v| ≤ Σ_k (l_k + a_k s_k)
/// where s_k is at least the distance of p from axis k, which only joints below k change: the largest distance of
/// the next joint's origin from the axis, plus the offsets between origins from there on, plus the farthest point
/// of the body from the last one. For the body's own joint it is constant and exact.
pub fn lambda(model: &Model, motion: &Motion, extent: &Extent, ancestor: usize) -> f64 {
    let radii = Radii::new(model, motion, extent, ancestor);
    let sum: f64 = radii.map(|(_, rate, radius)| rate.upper_linear + rate.upper_angular * radius).sum();
    sum * inflation(model, extent)
}

/// The paper's coarser ρ·d: the same radii, every joint moving at the largest rate of all (L∞).
pub fn rho_times_distance(model: &Model, motion: &Motion, extent: &Extent, ancestor: usize) -> f64 {
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

/// Bounds over the cell of length `length` around the time at which `kinematics` was set on `motion`.
///
/// *Radii.* Seen from frame k only the joints j below it move p, at speed λ_{>k} = Σ_{j>k} (l_j + a_j s'_j) at most,
/// and for h/2 at most: s'_k = min(s_k, r_k(m) + (h/2) λ_{>k}) with r_k(m) the body's distance from axis k at m.
///
/// *Acceleration.* Let ω_k = Σ_{j≤k} a_j z_j, and v_k the part of v that joint k's turning (or sliding) causes. w_k and
/// z_k are carried by the joints above: ẇ_k = ω_{k−1} × w_k, ż_k = ω_{k−1} × z_k; and ṗ − ȯ_k = ω_k × (p − o_k) + u_k,
/// u_k what the joints below k cause. Differentiating v, with Jacobi's identity for a_k [(ω_{k−1} × z_k) × r + z_k ×
/// (ω_{k−1} × r)] = ω_{k−1} × v_k, a turning joint gives (ω_{k−1} + a_k z_k) × v_k + a_k z_k × u_k and a sliding one
/// ω_{k−1} × v_k. Since u_k = Σ_{j>k} v_j, the last terms sum to Σ_j ω_{j−1} × v_j. Hence **p̈ = Σ_k (ω_{k−1} + ω_k) × v_k**
/// for turning and Σ_k 2ω_{k−1} × v_k for sliding (a joint that does both slides first), and
/// A = Σ_k a_k s'_k |ω_{k−1} + ω_k| + Σ_k l_k |2ω_{k−1}|. Each |·| is at most the sum of rates, which is the simpler
/// formula, and at most its value at m plus (h/2)·(bound on its derivative, Σ_i a_i Σ_{j<i} a_j); we take the smaller.
///
/// *On a curve* l_k, a_k vary. Read them as suprema over the cell in all of the above; the velocity at m is that of the
/// rates at m. Differentiating v adds l̇_k w_k + ȧ_k z_k × (p − o_k) for each joint, so A gains Σ_k (|l̇_k| + |ȧ_k| s'_k),
/// and the derivative of ω gains Σ_i |ȧ_i|.
///
/// *Displacement.* x(τ) = n·(p(m + τ) − p(m)) has x'(0) = n·v and |x''| ≤ A, so x(τ) ≤ τ n·v + A τ²/2, convex in τ:
/// over a half it is at most max(0, (h/2) n·v + A h²/8), with −v for the earlier half. Its arc is at most
/// (h/2)|v| + A h²/8. All of this is measured in the ancestor's frame, whose axes at m are fixed there.
pub fn cell(
    model: &Model,
    motion: &Motion,
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
    motion: &Motion,
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
    let (mut speed_below, mut acceleration) = (0.0, 0.0);
    for (index, rate, static_radius) in Radii::new(model, motion, extent, ancestor) {
        let spin_above = rates.spin(kinematics, model.frames()[index].parent).relative_to(&base);
        let [upper_linear, upper_angular] = rates.speeds(index, rate);
        let [linear_change, angular_change] = rates.changes(index);
        if upper_angular > 0.0 {
            let axis = axis_in_world(model, kinematics, rate, index);
            let origin = kinematics.known_pose(index).translation;
            let now = farthest_from_axis(axis, origin, &ends) + extent.radius + error.length;
            let near_now = now + half * speed_below;
            let speed_near_now = upper_angular * near_now + rate.angular_error * static_radius;
            let speed = least(upper_angular * static_radius, speed_near_now);
            acceleration += speed * (spin_above.upper_norm_with(&spin, half) + error.angular);
            if !R::ARE_CONSTANT {
                acceleration += angular_change * least(static_radius, near_now);
            }
            speed_below += speed;
        }
        if upper_linear > 0.0 {
            acceleration += upper_linear * (spin_above.upper_norm_with(&spin_above, half) + error.angular);
            if !R::ARE_CONSTANT {
                acceleration += linear_change;
            }
            speed_below += upper_linear;
        }
        spin = spin_above;
    }
    let twist = kinematics.known_twist(extent.frame).relative_to(kinematics.known_twist(ancestor));
    let speed_now = most(twist.velocity_at(ends[0]).length(), twist.velocity_at(ends[1]).length())
        + twist.angular.length() * extent.radius;
    let inflation = inflation(model, extent);
    let upper_bend = (acceleration * half * half / 2.0 + half * error.speed) * inflation;
    let upper_half_arc = least(half * speed_below, half * speed_now + upper_bend) * inflation;
    CellBound { twist, half_length: half, upper_acceleration: acceleration * inflation, upper_bend, upper_half_arc }
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
        Self {
            twist: Twist::default(),
            half_length: length / 2.0,
            upper_acceleration: 0.0,
            upper_bend: 0.0,
            upper_half_arc: 0.0,
        }
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
    pub fn upper_displacement(
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
    /// Change a metre.
    pub gradient: DVec3,
    /// The reference point, in the world.
    pub reference: DVec3,
}

impl SpeedAlong {
    /// Smallest and largest speed over a box that the moving body is inside of. They are estimates whose rounding
    /// [`CellBound::upper_bend`] allows for, as long as the box stays within four times the body's reach.
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
    motion: &'a Motion,
    ancestor: usize,
    frame: usize,
    /// Bound on the distance of the body from the axis of `frame`.
    from_axis: f64,
    /// Bound on the distance of the body from the origin of `frame`.
    from_origin: f64,
}

impl<'a> Radii<'a> {
    #[inline]
    fn new(model: &'a Model, motion: &'a Motion, extent: &Extent, ancestor: usize) -> Self {
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

/// What rounding in poses, twists and differences of sums may amount to.
struct Errors {
    /// Of a distance between computed points and axes.
    length: f64,
    /// Of a sum of two angular velocities.
    angular: f64,
    /// Of the velocity of a point, and of its component along a direction.
    speed: f64,
}

impl Errors {
    #[inline]
    fn new(motion: &Motion, extent: &Extent) -> Self {
        let sums = &motion.rate(extent.frame).from_world;
        let reach = sums.offset + extent.origin_radius;
        let length = 4.0 * (sums.rotation_error * reach + sums.position_error);
        // v sums l_k w_k + a_k z_k × r_k: directions are off by the rotation error, arms by the position error, and
        // `rotation_error` (161 u a joint) has room for the sums themselves. Boxes may be 4 times as large.
        let angular = 8.0 * sums.rotation_error * sums.angular + 4.0 * sums.angular_error;
        let mut speed = 4.0 * sums.rotation_error * sums.linear + sums.angular * (4.0 * length) + 8.0 * angular * reach;
        if motion.is_curved() {
            speed += 4.0 * sums.linear_error;
        }
        // Squares of lengths below 1e-154 vanish.
        Self { length: length + 1e-150, angular, speed: speed + 1e-150 }
    }
}

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
struct Constant<'a>(&'a Motion);

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
    pub(super) fn of(motion: &Motion, kinematics: &Kinematics, frame: usize) -> Self {
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

    /// Upper bound on |ω_i + ω_j| anywhere in the cell, but for the error of the angular velocities at the midpoint: the
    /// sum of the rates, or the value at the midpoint and the most by which it changes.
    #[inline]
    pub(super) fn upper_norm_with(&self, other: &Self, half: f64) -> f64 {
        let now = (self.now + other.now).length() + half * (self.upper_change + other.upper_change);
        least(now, self.upper_rates + other.upper_rates)
    }
}

/// Direction of the axis that joint `index` turns about. A floating joint's is known to `angular_error` over its rate.
#[inline]
fn axis_in_world(model: &Model, kinematics: &Kinematics, rate: &Rate, index: usize) -> DVec3 {
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
    (if a > b { a } else { b }).sqrt()
}

/// Factor above 1 that covers the rounding of every sum of products here: at most 8 operations a joint.
#[inline]
fn inflation(model: &Model, extent: &Extent) -> f64 {
    1.0 + 16.0 * ROUNDOFF_F64 * (model.frames()[extent.frame].depth + 8) as f64
}
