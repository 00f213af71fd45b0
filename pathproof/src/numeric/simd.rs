//! SIMD chosen at run time, with the same bits everywhere.
//!
//! A kernel is written once and compiled twice: for the instructions that every processor of the target has and, on
//! x86-64, for AVX2. It consists of plain loops over fixed arrays ([`run`]), or of operations on eight lanes
//! ([`run_lanes`]) where the compiler does not vectorise loops by itself. Nothing is fused or reordered, so both
//! compilations are twins: the tests run every kernel through each and compare bits.

pub use fearless_simd::prelude::*;
pub use fearless_simd::{f32x8, mask32x8};

use fearless_simd::Level;

/// Compilation of the kernels to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// The instructions that every processor of the target has.
    Base,
    /// AVX2 (x86-64 only; elsewhere the same as `Base`).
    Avx2,
}

impl Width {
    /// The widest that this processor supports.
    #[inline]
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if Level::new().as_avx2().is_some() {
            return Self::Avx2;
        }
        Self::Base
    }

    /// The widths that this processor supports, for tests that compare them.
    pub fn available() -> Vec<Self> {
        if Self::detect() == Self::Base { vec![Self::Base] } else { vec![Self::Base, Self::Avx2] }
    }
}

/// A computation for [`run_lanes`]. It and its callees must be `#[inline(always)]` to be compiled for the width.
pub trait Kernel {
    /// Its result.
    type Output;

    /// Computes the result, with the vectors of `simd`.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// Runs `kernel`, compiled for `width`.
#[inline]
pub fn run_lanes<K: Kernel>(width: Width, kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if let (Width::Avx2, Some(avx2)) = (width, Level::new().as_avx2()) {
        return avx2.vectorize(
            #[inline(always)]
            || kernel.run(avx2),
        );
    }
    #[cfg(target_arch = "x86_64")]
    let base = Level::new().as_sse2();
    #[cfg(target_arch = "aarch64")]
    let base = Level::new().as_neon();
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let base = Some(fearless_simd::Fallback::new());
    let _ = width;
    kernel.run(base.expect("part of the target"))
}

/// Runs `kernel`, compiled for `width`. The closure and its callees must be `#[inline(always)]` to be compiled for it;
/// any other callee is not, and gives the same result.
#[inline]
pub fn run<R>(width: Width, kernel: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if let (Width::Avx2, Some(avx2)) = (width, Level::new().as_avx2()) {
        return avx2.vectorize(kernel);
    }
    let _ = width;
    kernel()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sums<'a>(&'a [f32]);

    impl Kernel for Sums<'_> {
        type Output = [u32; 8];

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> [u32; 8] {
            let mut lanes = f32x8::splat(simd, 0.0);
            for chunk in self.0.chunks_exact(8) {
                let terms = f32x8::from_slice(simd, chunk);
                lanes += terms * terms + 0.1;
            }
            std::array::from_fn(|lane| lanes[lane].to_bits())
        }
    }

    #[test]
    fn every_width_gives_the_same_bits() {
        let terms: Vec<f32> = (0..800).map(|i| (i as f32 * 0.37).sin()).collect();
        let sums = |width| {
            run(width, || {
                let mut lanes = [0f32; 8];
                for chunk in terms.chunks_exact(8) {
                    for (lane, term) in lanes.iter_mut().zip(chunk) {
                        *lane += term * term + 0.1;
                    }
                }
                lanes.map(f32::to_bits)
            })
        };
        for width in Width::available() {
            assert_eq!(sums(width), sums(Width::Base));
            assert_eq!(run_lanes(width, Sums(&terms)), sums(Width::Base));
        }
    }
}
