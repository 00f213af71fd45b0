//! Rigid poses: a rotation matrix and a translation in `f64`.
//!
//! Naming: `a_from_b` maps coordinates in frame b to coordinates in frame a, so that
//! `a_from_c = a_from_b * b_from_c`.

use std::ops::Mul;

use super::{DMat3, DQuat, DVec3, sin_cos};

/// A rigid motion: `destination_from_source`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Rotation part; orthonormal up to rounding.
    pub rotation: DMat3,
    /// Translation part in metres, in the destination frame.
    pub translation: DVec3,
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose {
    /// The pose that changes nothing.
    pub const IDENTITY: Self = Self { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// A pure translation.
    pub const fn from_translation(translation: DVec3) -> Self {
        Self { rotation: DMat3::IDENTITY, translation }
    }

    /// Rotation by `angle` (radians) about the unit vector `axis`, then `translation`.
    pub fn from_axis_angle(axis: DVec3, angle: f64, translation: DVec3) -> Self {
        let (s, c) = sin_cos(angle);
        let k = 1.0 - c;
        let (x, y, z) = (axis.x, axis.y, axis.z);
        let rotation = DMat3::from_cols(
            DVec3::new(c + x * x * k, y * x * k + z * s, z * x * k - y * s),
            DVec3::new(x * y * k - z * s, c + y * y * k, z * y * k + x * s),
            DVec3::new(x * z * k + y * s, y * z * k - x * s, c + z * z * k),
        );
        Self { rotation, translation }
    }

    /// URDF's `xyz` and `rpy`: rotations about the fixed axes x, then y, then z, in radians.
    pub fn from_xyz_rpy(xyz: [f64; 3], rpy: [f64; 3]) -> Self {
        let [(sr, cr), (sp, cp), (sy, cy)] = rpy.map(sin_cos);
        let rotation = DMat3::from_cols(
            DVec3::new(cy * cp, sy * cp, -sp),
            DVec3::new(cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr),
            DVec3::new(cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr),
        );
        Self { rotation, translation: DVec3::from_array(xyz) }
    }

    /// From a unit quaternion and a translation.
    pub fn from_quaternion(rotation: DQuat, translation: DVec3) -> Self {
        Self { rotation: DMat3::from_quat(rotation), translation }
    }

    /// A point of the source frame in the destination frame.
    #[inline]
    pub fn point(&self, p: DVec3) -> DVec3 {
        self.rotation * p + self.translation
    }

    /// A direction of the source frame in the destination frame.
    #[inline]
    pub fn vector(&self, v: DVec3) -> DVec3 {
        self.rotation * v
    }

    /// A direction of the destination frame in the source frame.
    #[inline]
    pub fn inverse_vector(&self, v: DVec3) -> DVec3 {
        DVec3::new(self.rotation.x_axis.dot(v), self.rotation.y_axis.dot(v), self.rotation.z_axis.dot(v))
    }

    /// A point of the destination frame in the source frame. Subtracts first, so that the rounding error
    /// grows with the distance between the frames and not with their distance from the origin.
    #[inline]
    pub fn inverse_point(&self, p: DVec3) -> DVec3 {
        self.inverse_vector(p - self.translation)
    }

    /// `source_from_destination`.
    pub fn inverse(&self) -> Self {
        Self { rotation: self.rotation.transpose(), translation: -self.inverse_vector(self.translation) }
    }

    /// `a_from_b` from `world_from_a` (self) and `world_from_b`, formed from the difference of the
    /// translations, so that distance from the world's origin costs no precision.
    #[inline]
    pub fn inverse_mul(&self, world_from_b: &Self) -> Self {
        Self {
            rotation: DMat3::from_cols(
                self.inverse_vector(world_from_b.rotation.x_axis),
                self.inverse_vector(world_from_b.rotation.y_axis),
                self.inverse_vector(world_from_b.rotation.z_axis),
            ),
            translation: self.inverse_point(world_from_b.translation),
        }
    }

    /// True if it is finite and its axes are orthonormal, to a tolerance, and right-handed.
    pub fn is_rigid(&self, tolerance: f64) -> bool {
        let excess = self.rotation.transpose() * self.rotation - DMat3::IDENTITY;
        let is_orthonormal = excess.to_cols_array().iter().all(|entry| entry.abs() <= tolerance);
        is_orthonormal && self.rotation.determinant() > 0.0 && self.is_finite()
    }

    /// True if every entry is finite.
    pub fn is_finite(&self) -> bool {
        self.rotation.is_finite() && self.translation.is_finite()
    }
}

impl Mul for Pose {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        Self { rotation: self.rotation * other.rotation, translation: self.point(other.translation) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Random;

    #[test]
    fn poses_compose_and_invert_to_rounding() {
        let mut random = Random::new(7);
        for _ in 0..2_000 {
            let (a, b, p) = (random.pose(10.0), random.pose(10.0), random.point(10.0));
            let back = (a * b).inverse_mul(&a).point(b.inverse_point(p));
            // (ab)⁻¹ a b⁻¹ p = b⁻¹ b⁻¹ p … written out to use every method.
            let expected = b.inverse().point(b.inverse().point(p));
            assert!((back - expected).length() < 1e-13 * 40.0);
        }
    }

    #[test]
    fn rpy_turns_about_fixed_axes_in_the_order_x_y_z() {
        let rpy = [0.3, -0.7, 1.1];
        let by_parts = Pose::from_axis_angle(DVec3::Z, rpy[2], DVec3::ZERO)
            * Pose::from_axis_angle(DVec3::Y, rpy[1], DVec3::ZERO)
            * Pose::from_axis_angle(DVec3::X, rpy[0], DVec3::ZERO);
        let whole = Pose::from_xyz_rpy([0.0; 3], rpy);
        assert!((whole.rotation - by_parts.rotation).to_cols_array().iter().all(|e| e.abs() < 1e-15));
    }

    #[test]
    fn relative_poses_keep_their_precision_far_from_the_origin() {
        let near_a = Pose::from_axis_angle(DVec3::Z, 0.4, DVec3::new(1.0, 2.0, 3.0));
        let near_b = Pose::from_axis_angle(DVec3::X, 0.9, DVec3::new(1.5, 2.25, 3.125));
        let shift = DVec3::splat(131_072.0);
        let far = |p: Pose| Pose { translation: p.translation + shift, ..p };
        let (near, far) = (near_a.inverse_mul(&near_b), far(near_a).inverse_mul(&far(near_b)));
        assert_eq!(near, far);
    }
}
