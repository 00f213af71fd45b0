//! SplitMix64: seeded random numbers. The sequence is part of the project, so a seed gives the same numbers on every
//! machine and in every version. Not for cryptography.

use super::{DVec3, Pose};

/// A seeded generator. The same seed gives the same numbers everywhere.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator that starts from `seed`.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in [low, high).
    #[inline]
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform in 0..n; `n` must not be 0.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// Uniform in the cube of half width `half`.
    pub fn point(&mut self, half: f64) -> DVec3 {
        DVec3::new(self.between(-half, half), self.between(-half, half), self.between(-half, half))
    }

    /// Uniform on the unit sphere.
    pub fn direction(&mut self) -> DVec3 {
        loop {
            let p = self.point(1.0);
            let squared = p.length_squared();
            if squared > 1e-4 && squared <= 1.0 {
                return p / squared.sqrt();
            }
        }
    }

    /// A rotation by a uniform angle about a uniform axis, and a translation in the cube of half width `half`.
    pub fn pose(&mut self, half: f64) -> Pose {
        let axis = self.direction();
        let angle = self.between(-std::f64::consts::PI, std::f64::consts::PI);
        let translation = self.point(half);
        Pose::from_axis_angle(axis, angle, translation)
    }
}
