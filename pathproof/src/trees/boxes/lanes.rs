//! Arithmetic on eight lanes at once: vectors store one component of all lanes together.

use super::Lanes;
use crate::numeric::simd::*;

/// A vector in each lane.
pub(super) type Vectors<S> = [f32x8<S>; 3];

/// One for each axis; `array::map` would not be inlined.
#[inline(always)]
pub(super) fn each<T>(of_axis: impl Fn(usize) -> T) -> [T; 3] {
    [of_axis(0), of_axis(1), of_axis(2)]
}

#[inline(always)]
pub(super) fn load<S: Simd>(simd: S, lanes: &[Lanes; 3]) -> Vectors<S> {
    each(
        #[inline(always)]
        |i| f32x8::simd_from(simd, lanes[i]),
    )
}

#[inline(always)]
pub(super) fn splat<S: Simd>(simd: S, v: [f32; 3]) -> Vectors<S> {
    each(
        #[inline(always)]
        |i| f32x8::splat(simd, v[i]),
    )
}

/// Dot products.
#[inline(always)]
pub(super) fn inner<S: Simd>(a: &Vectors<S>, b: &Vectors<S>) -> f32x8<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Dot products with one vector.
#[inline(always)]
pub(super) fn along<S: Simd>(a: &Vectors<S>, b: [f32; 3]) -> f32x8<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Cross products with one vector.
#[inline(always)]
pub(super) fn outer<S: Simd>(a: &Vectors<S>, b: [f32; 3]) -> Vectors<S> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
pub(super) fn absolute<S: Simd>(v: &Vectors<S>) -> Vectors<S> {
    [v[0].abs(), v[1].abs(), v[2].abs()]
}

#[inline(always)]
pub(super) fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// 0 in place of negative numbers; NaN stays NaN.
#[inline(always)]
pub(super) fn not_negative<S: Simd>(x: f32x8<S>) -> f32x8<S> {
    let zero = f32x8::splat(x.simd, 0.0);
    x.simd_lt(zero).select(zero, x)
}

/// The greater of two numbers as one instruction; the second if either is NaN.
#[inline(always)]
pub(crate) fn greater<S: Simd>(a: f32x8<S>, b: f32x8<S>) -> f32x8<S> {
    a.simd_gt(b).select(a, b)
}

/// The lesser of two numbers, likewise.
#[inline(always)]
pub(crate) fn lesser<S: Simd>(a: f32x8<S>, b: f32x8<S>) -> f32x8<S> {
    a.simd_lt(b).select(a, b)
}
