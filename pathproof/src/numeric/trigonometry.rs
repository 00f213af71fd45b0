//! Sine and cosine from one fixed implementation (the `libm` crate), so that every platform computes the
//! same poses; the platform's own functions differ from machine to machine in the last bit.

/// `(sin x, cos x)` for `x` in radians.
#[inline]
pub fn sin_cos(x: f64) -> (f64, f64) {
    libm::sincos(x)
}

/// Upper bound on the absolute error of each value of [`sin_cos`]: the musl routines that `libm` ports
/// reduce the argument exactly and stay below one unit in the last place of a value of at most 1.
pub const fn sin_cos_error() -> f64 {
    2.0 * super::ROUNDOFF_F64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sine_and_cosine_agree_with_the_platform_to_its_last_bits() {
        for i in -20_000..20_000 {
            let x = f64::from(i) * 0.7371;
            let (s, c) = sin_cos(x);
            assert!((s - x.sin()).abs() <= 2.0 * sin_cos_error());
            assert!((c - x.cos()).abs() <= 2.0 * sin_cos_error());
        }
    }
}
