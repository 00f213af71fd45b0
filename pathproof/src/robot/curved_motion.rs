//! A [`SegmentMotion`] along a piece of a curve: rates that vary, and bounds on them over the piece and over a cell of
//! it (docs/design.md#curves).
//!
//! Every joint still slides, then turns about a fixed axis, at rates that are derivatives of its polynomials. Bounds
//! are Bernstein coefficients; over a cell, those on the cell, which exceed the truth by the square of its length.
//! Errors in evaluating polynomials are added to the error of poses (as values enlarged so that 4u of them covers it)
//! and of velocities. Rotations of floating joints stay at constant rates.

use crate::numeric::{DVec3, ROUNDOFF_F64, add_up, most, mul_up, norm_up};

use super::curve::{CurvePiece, VariableCurve};
use super::joint::JointKind;
use super::model::{Frame, Model};
use super::motion::{ARC_ERROR, ARC_SIZE, MotionError, Rate, SegmentMotion, add_frame, speed_up};

/// Upper bounds on how a frame moves in its parent over a cell of a curve.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CellRate {
    /// Bound on the linear speed, and on its derivative.
    pub(super) linear: f64,
    pub(super) linear_change: f64,
    /// Bound on the angular speed, and on its derivative.
    pub(super) angular: f64,
    pub(super) angular_change: f64,
    /// Sum of the angular speeds from the world to this frame, and the bound on |d/dt angular velocity|.
    pub(super) angular_from_world: f64,
    pub(super) spin_change_from_world: f64,
}

impl SegmentMotion {
    /// The motion along a piece of a curve.
    pub fn along(model: &Model, piece: &CurvePiece) -> Result<Self, MotionError> {
        let mut motion = Self::still(model);
        motion.set_curve(model, piece)?;
        Ok(motion)
    }

    /// Becomes the motion along a piece of a curve of the same model. After an error it must be set again.
    pub fn set_curve(&mut self, model: &Model, piece: &CurvePiece) -> Result<(), MotionError> {
        if piece.is_straight() {
            return self.set(model, piece.start(), piece.goal());
        }
        self.set_ends(model, piece.start(), piece.goal())?;
        self.curves.extend_from_slice(&piece.variables);
        for frame in 1..model.frames().len() {
            self.set_curved_rate(model, frame)?;
        }
        Ok(())
    }

    /// True if it runs along a curve, at rates that vary.
    #[inline]
    pub fn is_curved(&self) -> bool {
        !self.curves.is_empty()
    }

    /// Linear and angular velocity of frame `index` of the model in its parent's zero frame at `t`.
    #[inline]
    pub fn velocity_at(&self, index: usize, frame: &Frame, t: f64) -> [DVec3; 2] {
        let rate = self.rate(index);
        if !self.is_curved() {
            return [rate.linear_in_zero, rate.angular_in_zero];
        }
        let at = |i: usize| self.curves[frame.source.variable + i].velocity.value_at(t);
        match frame.kind {
            JointKind::Fixed => [DVec3::ZERO; 2],
            JointKind::Revolute { .. } => [DVec3::ZERO, DVec3::Z * (frame.source.multiplier * at(0))],
            JointKind::Prismatic { .. } => [DVec3::Z * (frame.source.multiplier * at(0)), DVec3::ZERO],
            JointKind::Planar { .. } => [DVec3::new(at(0), at(1), 0.0), DVec3::Z * at(2)],
            JointKind::Floating => [DVec3::new(at(0), at(1), at(2)), rate.angular_in_zero],
        }
    }

    /// Bounds over a cell, given by its ends; `above` are those of the parent.
    pub(super) fn cell_rate(&self, index: usize, frame: &Frame, [from, to]: [f64; 2], above: &CellRate) -> CellRate {
        let mut rate = CellRate::default();
        [rate.linear, rate.angular] = self.upper_speeds(index, frame, |curve| curve.velocity.upper_size_over(from, to));
        [rate.linear_change, rate.angular_change] =
            self.upper_speeds(index, frame, |curve| curve.acceleration.upper_size_over(from, to));
        if frame.kind == JointKind::Floating {
            // It turns at a constant rate.
            (rate.angular, rate.angular_change) = (self.rate(index).upper_angular, 0.0);
        }
        rate.angular_from_world = add_up(above.angular_from_world, rate.angular);
        // ω = Σ a_i z_i and z_i is carried by the joints before it, so that |ω̇| ≤ Σ |ȧ_i| + Σ a_i Σ_{j<i} a_j.
        let carried = mul_up(rate.angular, above.angular_from_world);
        rate.spin_change_from_world = add_up(above.spin_change_from_world, add_up(rate.angular_change, carried));
        rate
    }

    /// Bounds on the sizes of the linear and the angular part of a derivative, given one for each variable. A zero
    /// stays exactly 0.
    #[inline]
    fn upper_speeds(&self, index: usize, frame: &Frame, size: impl Fn(&VariableCurve) -> f64) -> [f64; 2] {
        let of = |i: usize| size(&self.curves[frame.source.variable + i]);
        let driven = || speed_up(DVec3::Z * (frame.source.multiplier.abs() * of(0)));
        match frame.kind {
            JointKind::Fixed => [0.0; 2],
            JointKind::Revolute { .. } => [0.0, driven()],
            JointKind::Prismatic { .. } => [driven(), 0.0],
            JointKind::Planar { .. } => [speed_up(DVec3::new(of(0), of(1), 0.0)), of(2)],
            JointKind::Floating => [speed_up(DVec3::new(of(0), of(1), of(2))), self.rates[index].upper_angular],
        }
    }

    fn set_curved_rate(&mut self, model: &Model, index: usize) -> Result<(), MotionError> {
        let frame = &model.frames()[index];
        let i = frame.source.variable;
        let mut rate = Rate::default();
        let error = |motion: &Self, i: usize| motion.curves[i].velocity.value_error();
        let (mut angle_size, mut slide_size) = (0.0, 0.0);
        match frame.kind {
            JointKind::Fixed => {}
            JointKind::Revolute { .. } => {
                rate.angular_error = mul_up(frame.source.multiplier.abs(), error(self, i));
                angle_size = self.curved_size(frame, 0);
            }
            JointKind::Prismatic { .. } => {
                rate.linear_error = mul_up(frame.source.multiplier.abs(), error(self, i));
                slide_size = self.curved_size(frame, 0);
            }
            JointKind::Planar { .. } => {
                rate.linear_error = norm_up(DVec3::new(error(self, i), error(self, i + 1), 0.0));
                rate.angular_error = error(self, i + 2);
                slide_size = norm_up(DVec3::new(self.curved_size(frame, 0), self.curved_size(frame, 1), 0.0));
                angle_size = self.curved_size(frame, 2);
            }
            JointKind::Floating => {
                rate.linear_error = norm_up(DVec3::from_array([0, 1, 2].map(|k| error(self, i + k))));
                slide_size = norm_up(DVec3::from_array([0, 1, 2].map(|k| self.curved_size(frame, k))));
                rate.angular_in_zero = self.set_arc(model, frame)?;
                rate.angular_error = if self.has_arc(i + 3) { ARC_ERROR } else { 0.0 };
                rate.upper_angular = speed_up(rate.angular_in_zero) + rate.angular_error;
                angle_size = ARC_SIZE;
                self.rates[index].upper_angular = rate.upper_angular;
            }
        }
        [rate.upper_linear, rate.upper_angular] = self.upper_speeds(index, frame, |curve| curve.velocity.upper_size());
        [rate.upper_offset, rate.upper_axis_offset] = [frame.upper_offset, frame.upper_axis_offset];
        if !matches!(frame.kind, JointKind::Revolute { .. }) {
            [rate.upper_offset, rate.upper_axis_offset] = self.upper_curved_offsets(model, frame);
        }
        let above = self.rates[frame.parent].from_world;
        rate.from_world = add_frame(&above, &rate, frame, angle_size, slide_size);
        self.rates[index] = rate;
        Ok(())
    }

    /// A size such that 4u of it exceeds the error of the joint's value: the values themselves, as on a straight line,
    /// plus the polynomial's evaluation error.
    fn curved_size(&self, frame: &Frame, component: usize) -> f64 {
        let curve = &self.curves[frame.source.variable + component].position;
        let size = add_up(curve.upper_size(), curve.value_error() / (4.0 * ROUNDOFF_F64));
        add_up(mul_up(frame.source.multiplier.abs(), size), frame.source.offset.abs())
    }

    /// Upper bounds on the distances of the frame's origin from its parent's, and from the axis on which the parent
    /// turns. Norms are convex, so the corners of the box of all values have the largest.
    fn upper_curved_offsets(&self, model: &Model, frame: &Frame) -> [f64; 2] {
        let range = |component: usize| self.curves[frame.source.variable + component].position.range();
        let driven = || {
            let slack = 4.0 * ROUNDOFF_F64 * self.curved_size(frame, 0);
            let [a, b] = range(0).map(|value| frame.source.multiplier * value + frame.source.offset);
            if a < b { [a - slack, b + slack] } else { [b - slack, a + slack] }
        };
        let none = [0.0; 2];
        let [x, y, z] = match frame.kind {
            JointKind::Fixed | JointKind::Revolute { .. } => [none; 3],
            JointKind::Prismatic { .. } => [none, none, driven()],
            JointKind::Planar { .. } => [range(0), range(1), none],
            JointKind::Floating => [range(0), range(1), range(2)],
        };
        let mut upper = [0.0; 2];
        for corner in 0..8 {
            let at = DVec3::new(x[corner & 1], y[corner >> 1 & 1], z[corner >> 2]);
            let offsets = model.upper_offsets(frame.parent, &frame.parent_from_zero, at);
            upper = [most(upper[0], offsets[0]), most(upper[1], offsets[1])];
        }
        upper
    }
}
