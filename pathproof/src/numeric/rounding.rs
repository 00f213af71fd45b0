//! Directed rounding on top of IEEE round-to-nearest.
//!
//! A single correctly rounded operation errs by at most half a unit in the last place, so one step to the
//! neighbouring number in the safe direction (`next_up`, `next_down`) turns it into a bound. Longer
//! computations use an error bound derived beside them, in units of [`U64`] or [`U32`].

use glam::DVec3;

/// Unit roundoff of `f64`, 2⁻⁵³: the largest relative error of one rounded operation.
pub const U64: f64 = f64::EPSILON / 2.0;

/// Unit roundoff of `f32`, 2⁻²⁴, as an `f64`.
pub const U32: f64 = f32::EPSILON as f64 / 2.0;

/// Upper bound on `a + b`.
#[inline]
pub fn add_up(a: f64, b: f64) -> f64 {
    (a + b).next_up()
}

/// Lower bound on `a + b`.
#[inline]
pub fn add_down(a: f64, b: f64) -> f64 {
    (a + b).next_down()
}

/// Upper bound on `a * b`.
#[inline]
pub fn mul_up(a: f64, b: f64) -> f64 {
    (a * b).next_up()
}

/// Upper bound on the sum of non-negative terms.
#[inline]
pub fn sum_up(terms: impl IntoIterator<Item = f64>) -> f64 {
    terms.into_iter().fold(0.0, add_up)
}

/// Upper bound on the Euclidean norm of `v`.
///
/// Three squares, two sums and a root err by at most 3 u relatively; squares that underflow lose at most
/// 2⁻¹⁰⁷⁴ each, hence the absolute term.
#[inline]
pub fn norm_up(v: DVec3) -> f64 {
    v.length() * (1.0 + 8.0 * U64) + 1e-150
}

/// Smallest `f32` that is at least `x`.
#[inline]
pub fn f32_up(x: f64) -> f32 {
    let rounded = x as f32;
    if f64::from(rounded) < x { rounded.next_up() } else { rounded }
}

/// Largest `f32` that is at most `x`.
#[inline]
pub fn f32_down(x: f64) -> f32 {
    let rounded = x as f32;
    if f64::from(rounded) > x { rounded.next_down() } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Random;

    #[test]
    fn f32_rounding_brackets_the_value_tightly() {
        let mut random = Random::new(1);
        for _ in 0..10_000 {
            let x = random.between(-1e3, 1e3) * 10f64.powi(random.below(30) as i32 - 15);
            let (lo, hi) = (f32_down(x), f32_up(x));
            assert!(f64::from(lo) <= x && x <= f64::from(hi));
            assert!(lo == hi || lo.next_up() == hi, "{x}: {lo} {hi}");
        }
        assert_eq!(f32_up(1e300), f32::INFINITY);
        assert_eq!(f32_down(1e300), f32::MAX);
        assert_eq!(f32_up(-1e300), -f32::MAX);
    }

    #[test]
    fn norm_up_is_an_upper_bound_even_where_squares_underflow() {
        let tiny = DVec3::new(3e-170, 4e-170, 0.0);
        assert!(norm_up(tiny) >= 5e-170);
        assert!(norm_up(DVec3::new(3.0, 4.0, 0.0)) >= 5.0);
    }
}
