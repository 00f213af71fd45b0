//! Numbers on which a proof may depend: directed rounding, deterministic trigonometry, rigid poses, seeded random
//! numbers, and the choice of SIMD width at run time.
//!
//! Invariant: every value that this layer calls a bound is one, rounding included.

mod pose;
mod random;
mod rounding;
pub(crate) mod segments;
mod sha256;
pub(crate) mod simd;
mod trigonometry;

pub use pose::Pose;
pub use random::Random;
pub(crate) use rounding::ROUNDOFF_F32;
pub use rounding::{ROUNDOFF_F64, add_down, add_up, f32_down, f32_up, least, most, mul_up, norm_up, unit};
pub use sha256::Sha256;
pub use simd::Width;
pub use trigonometry::{sin_cos, sin_cos_error};

pub use glam::{DMat3, DQuat, DVec3};
