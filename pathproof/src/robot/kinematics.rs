//! Forward kinematics: poses and twists of frames, computed on first use.
//!
//! [`Kinematics`] holds one configuration. A query of a frame computes it and those of its ancestors that are not
//! known yet, so that a query pays only for the links it needs. [`PoseCache`] holds many, keyed by dyadic position on
//! one motion and shared by all pairs of bodies. Nothing is allocated after construction. Cost: some 30 ns per joint,
//! a third of it sine and cosine; twists add 10.

use crate::numeric::{DMat3, DQuat, DVec3, Pose, sin_cos};

use super::curved_motion::CellRate;
use super::joint::JointKind;
use super::model::{Frame, Model};
use super::motion::SegmentMotion;

/// Velocity of a rigid body per unit of t, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// Angular velocity.
    pub angular: DVec3,
    /// Velocity of the body's point at `reference`.
    pub linear: DVec3,
    /// Point at which `linear` is measured, in the world.
    pub reference: DVec3,
}

impl Twist {
    /// Velocity of the body's point at `point_in_world`.
    #[inline]
    pub fn velocity_at(&self, point_in_world: DVec3) -> DVec3 {
        self.linear + self.angular.cross(point_in_world - self.reference)
    }

    /// Velocities relative to another moving body, measured at this one's reference point.
    #[inline]
    pub fn relative_to(&self, other: &Self) -> Self {
        let linear = self.linear - other.velocity_at(self.reference);
        Self { angular: self.angular - other.angular, linear, reference: self.reference }
    }
}

/// Poses and twists of the frames at one configuration.
#[derive(Clone, Debug)]
pub struct Kinematics {
    configuration: Vec<f64>,
    /// Position on a motion; NaN if it was not set from one.
    t: f64,
    world_from_frame: Vec<Pose>,
    twists: Vec<Twist>,
    /// A pose or twist is known if its stamp is the current one.
    pose_stamps: Vec<u32>,
    twist_stamps: Vec<u32>,
    stamp: u32,
    pending: Vec<u32>,
    /// Bounds, on a curve, on the rates of all frames over the cell of this length around the configuration: known if
    /// the stamp is the current one.
    cell_rates: Vec<CellRate>,
    cell_stamp: u32,
    cell_length: f64,
}

impl Kinematics {
    /// Scratch for `model`, at its zero configuration.
    pub fn new(model: &Model) -> Self {
        let frames = model.frames().len();
        let depth = model.frames().iter().map(|frame| frame.depth).max().unwrap_or(0);
        Self {
            configuration: model.zero_configuration(),
            t: f64::NAN,
            world_from_frame: vec![Pose::IDENTITY; frames],
            twists: vec![Twist::default(); frames],
            pose_stamps: vec![0; frames],
            twist_stamps: vec![0; frames],
            stamp: 1,
            pending: Vec::with_capacity(depth + 1),
            cell_rates: Vec::new(),
            cell_stamp: 0,
            cell_length: f64::NAN,
        }
    }

    /// Moves to configuration `q`, in the model's order of variables. Quaternions are normalised when used.
    pub fn set_configuration(&mut self, q: &[f64]) {
        self.configuration.copy_from_slice(q);
        self.t = f64::NAN;
        self.forget();
    }

    /// Moves to `t` on `motion`.
    pub fn set_time(&mut self, motion: &SegmentMotion, t: f64) {
        motion.configuration_at(t, &mut self.configuration);
        self.t = t;
        self.forget();
    }

    /// The current configuration.
    pub fn configuration(&self) -> &[f64] {
        &self.configuration
    }

    /// Pose of a frame, computed now if not known.
    #[inline]
    pub fn world_from_frame(&mut self, model: &Model, frame: usize) -> &Pose {
        if self.pose_stamps[frame] != self.stamp {
            self.compute_chain(model, frame);
        }
        &self.world_from_frame[frame]
    }

    /// Pose of a link.
    pub fn world_from_link(&mut self, model: &Model, link: usize) -> Pose {
        let link = &model.links()[link];
        *self.world_from_frame(model, link.frame) * link.frame_from_link
    }

    /// Twist of a frame on `motion`, on which the current time must have been set.
    #[inline]
    pub fn twist(&mut self, model: &Model, motion: &SegmentMotion, frame: usize) -> &Twist {
        if self.twist_stamps[frame] != self.stamp {
            self.compute_twists(model, motion, frame);
        }
        &self.twists[frame]
    }

    /// Poses of all frames, in the model's order.
    pub fn compute_poses(&mut self, model: &Model) -> &[Pose] {
        for (index, frame) in model.frames().iter().enumerate() {
            self.compute_pose(index, frame);
        }
        &self.world_from_frame
    }

    /// Poses and twists of all frames, in the model's order.
    #[cfg(test)]
    pub(super) fn compute_poses_and_twists(&mut self, model: &Model, motion: &SegmentMotion) -> (&[Pose], &[Twist]) {
        for (index, frame) in model.frames().iter().enumerate() {
            self.compute_pose(index, frame);
            self.compute_twist(index, frame, motion);
        }
        (&self.world_from_frame, &self.twists)
    }

    /// Computes bounds on the rates of all frames over the cell of `length` around the current time on `motion`, a
    /// curve.
    pub(super) fn bound_rates(&mut self, model: &Model, motion: &SegmentMotion, length: f64) {
        if self.cell_stamp == self.stamp && self.cell_length == length {
            return;
        }
        // If the ends are not exact, slightly more is bounded; a motion is not defined outside of [0, 1].
        let from = (self.t - length / 2.0).next_down();
        let to = (self.t + length / 2.0).next_up();
        let cell = [if from < 0.0 { 0.0 } else { from }, if to > 1.0 { 1.0 } else { to }];
        self.cell_rates.clear();
        for (index, frame) in model.frames().iter().enumerate() {
            let above = if index == 0 { CellRate::default() } else { self.cell_rates[frame.parent] };
            let rate = if index == 0 { above } else { motion.cell_rate(index, frame, cell, &above) };
            self.cell_rates.push(rate);
        }
        (self.cell_stamp, self.cell_length) = (self.stamp, length);
    }

    /// Bounds computed by [`Self::bound_rates`].
    #[inline]
    pub(super) fn cell_rates(&self) -> &[CellRate] {
        debug_assert_eq!(self.cell_stamp, self.stamp);
        &self.cell_rates
    }

    /// Pose of a frame that has been computed for this configuration.
    #[inline]
    pub(crate) fn known_pose(&self, frame: usize) -> &Pose {
        debug_assert_eq!(self.pose_stamps[frame], self.stamp);
        &self.world_from_frame[frame]
    }

    /// Twist of a frame that has been computed for this configuration.
    #[inline]
    pub(crate) fn known_twist(&self, frame: usize) -> &Twist {
        debug_assert_eq!(self.twist_stamps[frame], self.stamp);
        &self.twists[frame]
    }

    fn forget(&mut self) {
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.pose_stamps.fill(0);
            self.twist_stamps.fill(0);
            self.cell_stamp = 0;
            self.stamp = 1;
        }
    }

    fn compute_chain(&mut self, model: &Model, mut frame: usize) {
        self.pending.clear();
        while self.pose_stamps[frame] != self.stamp {
            self.pending.push(frame as u32);
            frame = model.frames()[frame].parent;
            if self.pending.last() == Some(&0) {
                break;
            }
        }
        while let Some(frame) = self.pending.pop() {
            self.compute_pose(frame as usize, &model.frames()[frame as usize]);
        }
    }

    fn compute_twists(&mut self, model: &Model, motion: &SegmentMotion, mut frame: usize) {
        self.world_from_frame(model, frame);
        self.pending.clear();
        while self.twist_stamps[frame] != self.stamp {
            self.pending.push(frame as u32);
            frame = model.frames()[frame].parent;
            if self.pending.last() == Some(&0) {
                break;
            }
        }
        while let Some(frame) = self.pending.pop() {
            self.compute_twist(frame as usize, &model.frames()[frame as usize], motion);
        }
    }

    #[inline]
    fn compute_pose(&mut self, index: usize, frame: &Frame) {
        let parent = &self.world_from_frame[frame.parent];
        self.world_from_frame[index] = match frame.kind {
            JointKind::Fixed => Pose::IDENTITY,
            JointKind::Revolute { .. } => {
                turned(&(*parent * frame.parent_from_zero), frame.source.value(&self.configuration))
            }
            JointKind::Prismatic { .. } => {
                let zero = *parent * frame.parent_from_zero;
                let along = zero.rotation.z_axis * frame.source.value(&self.configuration);
                Pose { translation: zero.translation + along, ..zero }
            }
            JointKind::Planar { .. } | JointKind::Floating => {
                several_variables(&(*parent * frame.parent_from_zero), frame, &self.configuration)
            }
        };
        self.pose_stamps[index] = self.stamp;
    }

    /// ω = ω_parent + angular rate; v = v_parent at the new origin + linear rate.
    #[inline]
    fn compute_twist(&mut self, index: usize, frame: &Frame, motion: &SegmentMotion) {
        let pose = &self.world_from_frame[index];
        let [linear_in_zero, angular_in_zero] = motion.velocity_at(index, frame, self.t);
        let parent = &self.twists[frame.parent];
        let carried = parent.velocity_at(pose.translation);
        let (linear, angular) = match frame.kind {
            JointKind::Fixed => (DVec3::ZERO, DVec3::ZERO),
            JointKind::Revolute { .. } => (DVec3::ZERO, pose.rotation.z_axis * angular_in_zero.z),
            JointKind::Prismatic { .. } => (pose.rotation.z_axis * linear_in_zero.z, DVec3::ZERO),
            JointKind::Planar { .. } | JointKind::Floating => {
                let world_from_zero =
                    |v| self.world_from_frame[frame.parent].rotation * (frame.parent_from_zero.rotation * v);
                (world_from_zero(linear_in_zero), world_from_zero(angular_in_zero))
            }
        };
        self.twists[index] =
            Twist { angular: parent.angular + angular, linear: carried + linear, reference: pose.translation };
        self.twist_stamps[index] = self.stamp;
    }
}

/// The pose turned about its own z axis.
#[inline]
fn turned(zero: &Pose, angle: f64) -> Pose {
    let (s, c) = sin_cos(angle);
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = zero.rotation;
    Pose { rotation: DMat3::from_cols(x * c + y * s, y * c - x * s, z), translation: zero.translation }
}

fn several_variables(zero: &Pose, frame: &Frame, q: &[f64]) -> Pose {
    let q = &q[frame.source.variable..];
    if frame.kind == JointKind::Floating {
        let rotation = DQuat::from_xyzw(q[3], q[4], q[5], q[6]).normalize();
        *zero * Pose::from_quaternion(rotation, DVec3::new(q[0], q[1], q[2]))
    } else {
        let moved = Pose { translation: zero.point(DVec3::new(q[0], q[1], 0.0)), ..*zero };
        turned(&moved, q[2])
    }
}

/// A position on a motion, t = index / 2^level with level at most 52, so that t is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dyadic {
    /// Numerator.
    pub index: u64,
    /// Binary logarithm of the denominator.
    pub level: u32,
}

impl Dyadic {
    /// Deepest level at which every position is an exact `f64`.
    pub const DEEPEST: u32 = 52;

    /// The middle of cell `index` of the 2^level cells; `None` beyond the deepest level.
    pub fn midpoint(level: u32, index: u64) -> Option<Self> {
        (level < Self::DEEPEST).then_some(Self { index: 2 * index + 1, level: level + 1 })
    }

    /// t, exactly.
    pub fn value(self) -> f64 {
        self.index as f64 / (1u64 << self.level) as f64
    }
}

/// Kinematics at several positions of one motion, shared by all pairs.
///
/// Positions are hashed to a fixed number of slots and a new one takes over its slot. Memory is bounded, and a
/// collision of hashes costs time but never changes an answer.
#[derive(Clone, Debug)]
pub struct PoseCache {
    slots: Vec<Kinematics>,
    /// The key of each slot's position, or [`NOWHERE`]; separate from the slots, because all are cleared with every
    /// motion.
    held: Vec<u64>,
    misses: u64,
}

/// No position: the key of NaN.
const NOWHERE: u64 = u64::MAX;

impl PoseCache {
    /// A cache of `slots` positions (rounded up to a power of two), all allocated now: about 160 bytes per frame
    /// and slot.
    pub fn new(model: &Model, slots: usize) -> Self {
        let slots = slots.next_power_of_two();
        Self { slots: vec![Kinematics::new(model); slots], held: vec![NOWHERE; slots], misses: 0 }
    }

    /// Number of positions that had to be set since the cache was made.
    pub fn misses(&self) -> u64 {
        self.misses
    }

    /// Clears all positions: call when the motion changes.
    pub fn clear(&mut self) {
        self.held.fill(NOWHERE);
    }

    /// The kinematics at `position` of `motion`, with the frames already computed there.
    #[inline]
    pub fn at(&mut self, motion: &SegmentMotion, position: Dyadic) -> &mut Kinematics {
        // t itself is the key: it is exact, so 1/2 and 2/4 have the same key.
        let t = position.value();
        let key = t.to_bits();
        // The low bits of dyadic numbers are all 0, and so are those of the product: only its high bits distinguish
        // them.
        let hash = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48;
        let last = self.slots.len() - 1;
        let slot = hash as usize & last;
        let kinematics = &mut self.slots[slot];
        if self.held[slot] != key {
            kinematics.set_time(motion, t);
            self.held[slot] = key;
            self.misses += 1;
        }
        kinematics
    }
}
