//! Operations on eight lanes at a time; NaN in a lane stays NaN and exceeds nothing.

use crate::numeric::f32_up;
use crate::numeric::simd::*;
use crate::trees::lesser;

/// Lanes that have their bit set, last to first.
#[inline(always)]
pub(super) fn lanes_of(mut members: u8) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = members.checked_ilog2()?;
        members ^= 1 << lane;
        Some(lane as usize)
    })
}

/// Lanes in which a bound exceeds `wanted`.
#[inline(always)]
pub(super) fn exceeds<S: Simd>(lower: f32x8<S>, wanted: f32) -> mask32x8<S> {
    lower.simd_gt(f32x8::splat(lower.simd, wanted))
}

/// Keeps the lesser of two numbers in each lane.
#[inline(always)]
pub(super) fn keep_least<S: Simd>(least: &mut [f32; 8], bounds: f32x8<S>) {
    *least = lesser(bounds, f32x8::simd_from(bounds.simd, *least)).into();
}

/// The least of eight numbers; NaN if one is.
#[inline(always)]
pub(super) fn least_of(mut lanes: [f32; 8]) -> f64 {
    for half in [4, 2, 1] {
        for lane in 0..half {
            let (a, b) = (lanes[lane], lanes[lane + half]);
            lanes[lane] = if a < b || a.is_nan() { a } else { b };
        }
    }
    f64::from(lanes[0])
}

/// Threshold that a bound must exceed to meet `wanted`: rounded up, never below 0, and NaN for NaN, which nothing
/// exceeds.
pub(super) fn threshold(wanted: f64) -> f32 {
    if wanted < 0.0 { 0.0 } else { f32_up(wanted) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_lanes_is_not_a_number_where_one_is_not() {
        let lanes: [f32; 8] = std::array::from_fn(|i| (i as f32 - 3.5).abs());
        assert_eq!(least_of(lanes), 0.5);
        for lane in 0..8 {
            let mut one_less = lanes;
            one_less[lane] = -1.0;
            assert_eq!(least_of(one_less), -1.0, "{lane}");
            one_less[lane] = f32::NAN;
            assert!(least_of(one_less).is_nan(), "{lane}");
        }
    }

    /// `f64::max` once turned a NaN threshold into 0, which every gap exceeds.
    #[test]
    fn a_threshold_that_is_not_a_number_is_never_met() {
        let wanted = threshold(f64::NAN);
        assert!(!(f32::MAX > wanted) && !(f32::INFINITY > wanted));
        assert_eq!(threshold(-1.0), 0.0);
        assert!(f64::from(threshold(0.1)) >= 0.1);
    }
}
