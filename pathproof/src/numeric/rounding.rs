//! Directed rounding on top of IEEE round-to-nearest.
//!
//! A single correctly rounded operation errs by at most half a unit in the last place, so one step to the neighbouring
//! number in the safe direction (`next_up`, `next_down`) turns it into a bound. Longer computations use an error bound
//! derived next to them, in units of [`ROUNDOFF_F64`] or [`ROUNDOFF_F32`].

use glam::DVec3;

/// Unit roundoff of `f64`, 2⁻⁵³: the largest relative error of one rounded operation.
pub const ROUNDOFF_F64: f64 = f64::EPSILON / 2.0;

/// Unit roundoff of `f32`, 2⁻²⁴, as an `f64`.
pub(crate) const ROUNDOFF_F32: f64 = f32::EPSILON as f64 / 2.0;

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

/// The lesser of two numbers; NaN if either is. `f64::min` drops NaN, and the result would count as a proof.
#[inline(always)]
pub fn least(a: f64, b: f64) -> f64 {
    if a < b || a.is_nan() { a } else { b }
}

/// The greater of two numbers; NaN if either is. `f64::max` drops NaN, and the result would count as a proof.
#[inline(always)]
pub fn most(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

/// `v` scaled to length 1, to 2 u in each component; `None` if it is 0 or not finite. Also handles lengths with
/// squares that vanish or overflow.
#[inline(always)]
pub fn unit(v: DVec3) -> Option<DVec3> {
    let squared = v.length_squared();
    if squared > SMALLEST_SQUARE && squared < LARGEST_SQUARE { Some(v / squared.sqrt()) } else { unit_of_extreme(v) }
}

/// Squares of lengths between these have neither underflowed nor overflowed.
const SMALLEST_SQUARE: f64 = 1e-250;
const LARGEST_SQUARE: f64 = 1e250;

#[cold]
fn unit_of_extreme(v: DVec3) -> Option<DVec3> {
    let largest = v.abs().max_element();
    if !v.is_finite() || largest == 0.0 {
        return None;
    }
    // In two steps, because the inverse of a denormal number overflows.
    let scaled = v * 2f64.powi(-libm::ilogb(largest) / 2);
    let scaled = scaled * 2f64.powi(-libm::ilogb(scaled.abs().max_element()));
    Some(scaled / scaled.length())
}

/// Upper bound on the Euclidean norm of `v`.
///
/// Three squares, two sums and a root err by at most 3 u relatively; squares that underflow lose at most
/// 2⁻¹⁰⁷⁴ each, hence the absolute term.
#[inline]
pub fn norm_up(v: DVec3) -> f64 {
    v.length() * (1.0 + 8.0 * ROUNDOFF_F64) + 1e-150
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
    fn the_lesser_and_the_greater_keep_what_is_not_a_number() {
        assert_eq!((least(1.0, 2.0), least(2.0, 1.0), most(1.0, 2.0), most(2.0, 1.0)), (1.0, 1.0, 2.0, 2.0));
        for other in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0] {
            assert!(least(f64::NAN, other).is_nan() && least(other, f64::NAN).is_nan());
            assert!(most(f64::NAN, other).is_nan() && most(other, f64::NAN).is_nan());
        }
    }

    #[test]
    fn unit_vectors_are_found_at_every_scale_and_nowhere_else() {
        let mut random = Random::new(7);
        for exponent in -1073..1023 {
            let v = random.direction() * libm::ldexp(1.0, exponent);
            let Some(n) = unit(v) else { panic!("{v}") };
            assert!((n.length() - 1.0).abs() <= 8.0 * ROUNDOFF_F64, "{v}: {n}");
            // Denormal numbers have few digits themselves.
            let lost = if exponent < -1000 { 0.9 } else { 1e-14 };
            assert!(n.cross(random_scale(v)).length() <= lost, "{v}: {n}");
        }
        let infinite = DVec3::X * f64::INFINITY;
        for nothing in [DVec3::ZERO, DVec3::NAN, infinite, DVec3::new(1.0, f64::NAN, 0.0)] {
            assert_eq!(unit(nothing), None, "{nothing}");
        }
    }

    /// `v` about as long as 1.
    fn random_scale(v: DVec3) -> DVec3 {
        let largest = v.abs().max_element();
        DVec3::new(v.x / largest, v.y / largest, v.z / largest)
    }

    #[test]
    fn norm_up_is_an_upper_bound_even_where_squares_underflow() {
        let tiny = DVec3::new(3e-170, 4e-170, 0.0);
        assert!(norm_up(tiny) >= 5e-170);
        assert!(norm_up(DVec3::new(3.0, 4.0, 0.0)) >= 5.0);
    }
}
