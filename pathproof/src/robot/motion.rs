//! A piece of a path, q(t) for t in [0, 1]: only this file and `curved_motion.rs` know if it is straight.
//!
//! The layers below need configurations at dyadic t, the signed rates of each frame (for twists), and upper bounds
//! that hold over the whole piece: rates, offsets between joint origins, and the error of forward kinematics
//! (docs/design.md#rounding). On a curve the bounds on rates are their suprema.
//!
//! Every joint is a translation followed by a rotation about a fixed axis, either of which may be absent; planar and
//! floating joints have both. On a straight piece both go at constant rates.

use crate::numeric::{DQuat, DVec3, ROUNDOFF_F64, add_up, most, mul_up, norm_up, sin_cos};

use super::curve::VariableCurve;
use super::joint::JointKind;
use super::model::{Frame, Model};

/// A norm further from 1 than this counts as a mistake, not as rounding (docs/path-file.md).
const QUATERNION_TOLERANCE: f64 = 1e-6;
/// Below this cosine of half the arc, rounding would choose the direction of the rotation.
const HALF_TURN_COSINE: f64 = 1e-12;
/// Rounding of forward kinematics per joint in units of 2⁻⁵³, as an angle; derived at [`error_per_joint`].
const ROUNDING_PER_JOINT: f64 = 161.0;

/// Size of a floating joint's rotation in [`add_frame`]: two normalisations, three products, sine, arc tangent and the
/// matrix are below 128 u together.
pub(super) const ARC_SIZE: f64 = 32.0;
/// Error of a floating joint's angular velocity. Absolute, not relative: for a tiny arc between rounded quaternions
/// even the axis is uncertain.
pub(super) const ARC_ERROR: f64 = 128.0 * ROUNDOFF_F64;

/// Reason why two configurations do not make a motion.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MotionError {
    /// Another number of values than the model has variables.
    #[error("a configuration has {given} values where the model has {expected} variables")]
    Length {
        /// Number of the model's variables.
        expected: usize,
        /// Number of values given.
        given: usize,
    },
    /// A NaN, an infinity, or a value so large that the motion overflows.
    #[error("the value of {variable:?} is not a usable number")]
    NotFinite {
        /// The variable.
        variable: String,
    },
    /// A quaternion without unit length.
    #[error("the quaternion of joint {joint:?} has norm {norm}, not 1")]
    QuaternionNorm {
        /// The joint.
        joint: String,
        /// Its norm.
        norm: f64,
    },
    /// Half a turn, which has no shortest arc.
    #[error("joint {joint:?} turns by half a turn: both ways round are shortest; add a waypoint between")]
    HalfTurn {
        /// The joint.
        joint: String,
    },
    /// A quaternion that would not turn at a constant rate.
    #[error("the rotation of joint {joint:?} must go along the shortest arc at a constant rate, not along a curve")]
    CurvedRotation {
        /// The joint.
        joint: String,
    },
}

/// Rate of a frame's motion in its parent, and bounds over the whole piece.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rate {
    /// Velocity of the frame's origin, constant in the parent's zero frame (metres per unit of t); on a curve see
    /// [`SegmentMotion::velocity_at`].
    pub linear_in_zero: DVec3,
    /// Angular velocity, constant in the parent's zero frame (radians per unit of t); on a curve as above.
    pub angular_in_zero: DVec3,
    /// Upper bound on the linear speed.
    pub upper_linear: f64,
    /// Upper bound on the angular speed.
    pub upper_angular: f64,
    /// Upper bound on the error of the angular velocity, beyond 8u of it.
    pub angular_error: f64,
    /// Upper bound on the error of the linear velocity, beyond 8u of it.
    pub linear_error: f64,
    /// Upper bound on the distance between the parent's origin and this frame's.
    pub upper_offset: f64,
    /// Upper bound on the distance of this frame's origin from the axis on which the parent turns.
    pub upper_axis_offset: f64,
    /// Upper bounds summed from the world to this frame, both included.
    pub from_world: Sums,
}

/// Upper bounds summed over the frames from the world to one frame, for all configurations.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    /// Sum of the linear speeds.
    pub linear: f64,
    /// Sum of the angular speeds.
    pub angular: f64,
    /// Sum of the offsets: no point of the frame at distance r from its origin is farther than this + r from
    /// the world's origin.
    pub offset: f64,
    /// Bound on |d/dt angular velocity| over the piece.
    pub angular_change: f64,
    /// Sum of the errors of the angular rates.
    pub angular_error: f64,
    /// Sum of the errors of the linear rates.
    pub linear_error: f64,
    /// Error of the computed rotation, as an angle in radians.
    pub rotation_error: f64,
    /// Error of the computed position in metres, beyond `rotation_error · offset`.
    pub position_error: f64,
}

/// The shortest arc of a floating joint, `start · exp(angle · axis · t)`.
#[derive(Clone, Copy, Debug)]
struct Arc {
    /// Index of the first of the four quaternion variables.
    variable: usize,
    start: DQuat,
    /// Unit vector in the moving frame, and in the zero frame when turned by `start`.
    axis: DVec3,
    half_angle: f64,
}

/// A piece between two configurations, straight or along a curve. Reused by [`SegmentMotion::set`] without allocating.
#[derive(Clone, Debug)]
pub struct SegmentMotion {
    pub(super) start: Vec<f64>,
    pub(super) goal: Vec<f64>,
    pub(super) rates: Vec<Rate>,
    arcs: Vec<Arc>,
    /// The curve of each variable; empty if the piece is straight.
    pub(super) curves: Vec<VariableCurve>,
}

impl SegmentMotion {
    /// The straight motion from `start` to `goal`.
    pub fn new(model: &Model, start: &[f64], goal: &[f64]) -> Result<Self, MotionError> {
        let count = model.variables().len();
        let rates = vec![Rate::default(); model.frames().len()];
        let mut motion =
            Self { start: vec![0.0; count], goal: vec![0.0; count], rates, arcs: Vec::new(), curves: Vec::new() };
        motion.set(model, start, goal)?;
        Ok(motion)
    }

    /// A motion that stays in place, to be set later.
    pub fn still(model: &Model) -> Self {
        let zero = model.zero_configuration();
        Self::new(model, &zero, &zero).expect("zero is a configuration")
    }

    /// Becomes the motion from `start` to `goal` of the same model. After an error it must be set again.
    pub fn set(&mut self, model: &Model, start: &[f64], goal: &[f64]) -> Result<(), MotionError> {
        self.set_ends(model, start, goal)?;
        for frame in 1..model.frames().len() {
            self.set_rate(model, frame)?;
        }
        Ok(())
    }

    /// Sets the ends and clears the rest, except the values of the world's frame.
    pub(super) fn set_ends(&mut self, model: &Model, start: &[f64], goal: &[f64]) -> Result<(), MotionError> {
        for q in [start, goal] {
            if q.len() != self.start.len() {
                return Err(MotionError::Length { expected: self.start.len(), given: q.len() });
            }
        }
        self.start.copy_from_slice(start);
        self.goal.copy_from_slice(goal);
        self.arcs.clear();
        self.curves.clear();
        for (variable, (a, b)) in model.variables().iter().zip(start.iter().zip(goal)) {
            // Squares of the values must not overflow either.
            if !(a.abs() < 1e100 && b.abs() < 1e100) {
                return Err(MotionError::NotFinite { variable: variable.name.clone() });
            }
        }
        let world = &model.frames()[0];
        self.rates[0].from_world = add_frame(&Sums::default(), &Rate::default(), world, 0.0, 0.0);
        Ok(())
    }

    /// First configuration; quaternions normalised.
    pub fn start(&self) -> &[f64] {
        &self.start
    }

    /// Last configuration; quaternions normalised and on the start's side.
    pub fn goal(&self) -> &[f64] {
        &self.goal
    }

    /// Rates and bounds of a frame.
    #[inline]
    pub fn rate(&self, frame: usize) -> &Rate {
        &self.rates[frame]
    }

    /// q(t), exact at both ends and the same bits for the reversed motion at 1 − t, where t is dyadic (but for
    /// quaternions, which agree to rounding). Off the real value by at most 2u·max(|q(0)|, |q(1)|), on a curve by
    /// [`super::Polynomial::value_error`].
    pub fn configuration_at(&self, t: f64, out: &mut [f64]) {
        for ((out, a), b) in out.iter_mut().zip(&self.start).zip(&self.goal) {
            *out = (1.0 - t) * a + t * b;
        }
        for (out, curve) in out.iter_mut().zip(&self.curves) {
            *out = curve.position.value_at(t);
        }
        for arc in &self.arcs {
            let (s, c) = sin_cos(arc.half_angle * t);
            let turned = arc.start * DQuat::from_xyzw(arc.axis.x * s, arc.axis.y * s, arc.axis.z * s, c);
            out[arc.variable..arc.variable + 4].copy_from_slice(&turned.to_array());
        }
    }

    /// Upper bound on the distance, in the world, between the computed position of a point of `frame` at most `radius`
    /// from its origin and its position at the real q(t), for every t of the piece.
    ///
    /// It is (161 (N + 1) u + Σ 4u max|q_k|) · R + Σ 4u max|q_p|, with N the joints above (fixed ones too), k the
    /// turning ones, p the sliding ones, and R the sum of offsets plus `radius`; see `error_per_joint`.
    pub fn position_error(&self, frame: usize, radius: f64) -> f64 {
        let sums = &self.rates[frame].from_world;
        add_up(mul_up(sums.rotation_error, add_up(sums.offset, radius)), sums.position_error)
    }

    /// L∞ norm of the rates: the largest of all linear and angular speeds.
    pub fn upper_largest_rate(&self) -> f64 {
        self.rates.iter().fold(0.0, |largest: f64, r| most(most(largest, r.upper_linear), r.upper_angular))
    }

    fn set_rate(&mut self, model: &Model, index: usize) -> Result<(), MotionError> {
        let frame = &model.frames()[index];
        let i = frame.source.variable;
        let mut rate = Rate::default();
        // Positions of the origin in the zero frame at both ends, and the size of the values that are rounded.
        let mut ends = [DVec3::ZERO; 2];
        let mut angle_size = 0.0;
        match frame.kind {
            JointKind::Fixed => {}
            JointKind::Revolute { .. } => {
                rate.angular_in_zero = DVec3::Z * (frame.source.multiplier * (self.goal[i] - self.start[i]));
                angle_size = self.value_size(frame);
            }
            JointKind::Prismatic { .. } => {
                rate.linear_in_zero = DVec3::Z * (frame.source.multiplier * (self.goal[i] - self.start[i]));
                ends = [&self.start, &self.goal].map(|q| DVec3::Z * frame.source.value(q));
            }
            JointKind::Planar { .. } => {
                ends = [&self.start, &self.goal].map(|q| DVec3::new(q[i], q[i + 1], 0.0));
                rate.linear_in_zero = ends[1] - ends[0];
                rate.angular_in_zero = DVec3::Z * (self.goal[i + 2] - self.start[i + 2]);
                angle_size = most(self.start[i + 2].abs(), self.goal[i + 2].abs());
            }
            JointKind::Floating => {
                ends = [&self.start, &self.goal].map(|q| DVec3::new(q[i], q[i + 1], q[i + 2]));
                rate.linear_in_zero = ends[1] - ends[0];
                rate.angular_in_zero = self.set_arc(model, frame)?;
                angle_size = ARC_SIZE;
                rate.angular_error = if self.has_arc(i + 3) { ARC_ERROR } else { 0.0 };
            }
        }
        rate.upper_linear = speed_up(rate.linear_in_zero);
        rate.upper_angular = speed_up(rate.angular_in_zero) + rate.angular_error;
        [rate.upper_offset, rate.upper_axis_offset] = [frame.upper_offset, frame.upper_axis_offset];
        // The origin moves on a straight line, so its largest distances are at the ends.
        if !matches!(frame.kind, JointKind::Revolute { .. }) {
            let offsets = ends.map(|end| model.upper_offsets(frame.parent, &frame.parent_from_zero, end));
            rate.upper_offset = most(offsets[0][0], offsets[1][0]);
            rate.upper_axis_offset = most(offsets[0][1], offsets[1][1]);
        }
        let slide_size = match frame.kind {
            JointKind::Fixed | JointKind::Revolute { .. } => 0.0,
            JointKind::Prismatic { .. } => self.value_size(frame),
            JointKind::Planar { .. } | JointKind::Floating => most(norm_up(ends[0]), norm_up(ends[1])),
        };
        let above = self.rates[frame.parent].from_world;
        rate.from_world = add_frame(&above, &rate, frame, angle_size, slide_size);
        self.rates[index] = rate;
        Ok(())
    }

    /// Upper bound on the sizes of the numbers that are rounded while computing a joint's value.
    fn value_size(&self, frame: &Frame) -> f64 {
        let i = frame.source.variable;
        let largest = most(self.start[i].abs(), self.goal[i].abs());
        add_up(mul_up(frame.source.multiplier.abs(), largest), frame.source.offset.abs())
    }

    /// True if the quaternion at `variable` turns at all, to the last bit.
    pub(super) fn has_arc(&self, variable: usize) -> bool {
        self.start[variable..variable + 4] != self.goal[variable..variable + 4]
    }

    /// Normalises both quaternions, prepares the arc and returns the angular velocity in the zero frame.
    pub(super) fn set_arc(&mut self, model: &Model, frame: &Frame) -> Result<DVec3, MotionError> {
        let joint = || frame.joint.map_or_else(String::new, |joint| model.joints()[joint].name.clone());
        let variable = frame.source.variable + 3;
        let [mut start, mut goal] = [&self.start, &self.goal]
            .map(|q| DQuat::from_xyzw(q[variable], q[variable + 1], q[variable + 2], q[variable + 3]));
        for quaternion in [&mut start, &mut goal] {
            let norm = quaternion.length();
            if norm.is_nan() || (norm - 1.0).abs() > QUATERNION_TOLERANCE {
                return Err(MotionError::QuaternionNorm { joint: joint(), norm });
            }
            *quaternion = quaternion.normalize();
        }
        let mut turn = start.conjugate() * goal;
        if turn.w < 0.0 {
            (turn, goal) = (-turn, -goal);
        }
        if turn.w < HALF_TURN_COSINE {
            return Err(MotionError::HalfTurn { joint: joint() });
        }
        self.start[variable..variable + 4].copy_from_slice(&start.to_array());
        self.goal[variable..variable + 4].copy_from_slice(&goal.to_array());
        if !self.has_arc(variable) {
            self.arcs.push(Arc { variable, start, axis: DVec3::Z, half_angle: 0.0 });
            return Ok(DVec3::ZERO);
        }
        let sideways = DVec3::new(turn.x, turn.y, turn.z);
        let sine = sideways.length();
        let half_angle = libm::atan2(sine, turn.w);
        // The direction of a tiny arc is badly known, but its product with the angle is not.
        let axis = if sine > 0.0 { sideways / sine } else { DVec3::Z };
        self.arcs.push(Arc { variable, start, axis, half_angle });
        Ok(start * axis * (2.0 * half_angle))
    }
}

/// Upper bound on a rate with components that were rounded twice; a rate of exactly zero stays zero.
pub(super) fn speed_up(rate: DVec3) -> f64 {
    if rate == DVec3::ZERO {
        return 0.0;
    }
    if rate.x == 0.0 && rate.y == 0.0 {
        return rate.z.abs() * (1.0 + 8.0 * ROUNDOFF_F64) + f64::MIN_POSITIVE;
    }
    norm_up(rate) * (1.0 + 8.0 * ROUNDOFF_F64)
}

/// The sums of a frame, from those of its parent.
pub(super) fn add_frame(above: &Sums, rate: &Rate, frame: &Frame, angle_size: f64, slide_size: f64) -> Sums {
    Sums {
        linear: add_up(above.linear, rate.upper_linear),
        angular: add_up(above.angular, rate.upper_angular),
        offset: add_up(above.offset, rate.upper_offset),
        // ω = Σ a_i z_i and z_i is carried by the joints before it, so that |ω̇| ≤ Σ a_i Σ_{j<i} a_j.
        angular_change: add_up(above.angular_change, mul_up(rate.upper_angular, above.angular)),
        angular_error: add_up(above.angular_error, rate.angular_error),
        linear_error: if rate.linear_error == 0.0 {
            above.linear_error
        } else {
            add_up(above.linear_error, rate.linear_error)
        },
        rotation_error: add_up(above.rotation_error, add_up(error_per_joint(frame), 4.0 * ROUNDOFF_F64 * angle_size)),
        // Offsets of folded fixed joints may cancel in `offset`, but their rounding does not.
        position_error: add_up(
            above.position_error,
            add_up(4.0 * ROUNDOFF_F64 * slide_size, mul_up(error_per_joint(frame), frame.fixed_length)),
        ),
    }
}

/// Error that one frame adds to the computed rotation, as an angle (spectral norm), except for that of its own value.
///
/// Against the real numbers that the file's xyz, rpy and axis stand for, with u = 2⁻⁵³, sines and cosines good
/// to 2u, and Frobenius norms of the entries' errors: rpy gives a matrix good to 36u (an entry is at most two
/// products of three sines: 14u), and a matrix given otherwise is within 96u of a rotation (a model accepts entries of
/// RᵀR − I up to 64u: half of 3 · 64u); the alignment of the axis with z 12u, used twice; folding these constants two
/// products of 9u (an entry sums three products, whose sizes add up to at most 1: 3u); composing with the parent
/// 9u; turning two columns 4u for the sums and 4u for sine and cosine. Together 155u, and 105u for each fixed joint
/// folded in. Positions: an error in rotation moves a point by at most the error times the sum of offsets from
/// there on, and the sums that make a position add at most 6u of the same R. The world's frame counts as a joint
/// (N + 1 instead of N), which covers the final pose of the link and of the body.
fn error_per_joint(frame: &Frame) -> f64 {
    ROUNDING_PER_JOINT * ROUNDOFF_F64 * (1.0 + frame.fixed_joints as f64)
}
