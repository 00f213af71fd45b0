//! SIMD chosen at run time, with the same bits everywhere.
//!
//! Kernels are written once, as plain loops over fixed arrays, and compiled twice: for the target's base
//! instructions and, on x86-64, for AVX2. Rust never fuses or reorders floating-point operations, so both
//! compilations are twins: the tests run every kernel through each and compare bits. The only `unsafe` is
//! the call into the AVX2 twin after the processor was asked for it.
#![allow(unsafe_code)]

/// Which compilation of the kernels to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// The instructions every processor of the target has.
    Base,
    /// AVX2 (x86-64 only; elsewhere the same as `Base`).
    Avx2,
}

impl Width {
    /// The widest that this processor runs.
    #[inline]
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Self::Avx2;
        }
        Self::Base
    }

    /// The widths this processor can run, for tests that compare them.
    pub fn available() -> Vec<Self> {
        if Self::detect() == Self::Base { vec![Self::Base] } else { vec![Self::Base, Self::Avx2] }
    }
}

/// Runs `kernel`, compiled for `width`. The closure and what it calls must be `#[inline(always)]` to be
/// compiled anew; whatever is not stays as it is and gives the same result.
#[inline]
pub fn run<R>(width: Width, kernel: impl FnOnce() -> R) -> R {
    match width {
        #[cfg(target_arch = "x86_64")]
        Width::Avx2 if std::arch::is_x86_feature_detected!("avx2") => {
            // SAFETY: the processor has just said that it has AVX2.
            unsafe { run_avx2(kernel) }
        }
        _ => kernel(),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2<R>(kernel: impl FnOnce() -> R) -> R {
    kernel()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        }
    }
}
