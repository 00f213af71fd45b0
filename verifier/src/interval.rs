//! Intervals of reals with outward rounding.
//!
//! An interval is a middle and a radius, both `f64`. Every operation computes the middle, rounded to nearest, and a
//! radius that covers the spread of the operands and the rounding of the middle; radii are sums and products of
//! non-negative numbers and are inflated by more than their own rounding. Invariant: a radius that is not a number, as
//! after an overflow, stands for any real at all: [`Interval::lo`] and [`Interval::hi`] are then unbounded.

use std::ops::{Add, Mul, Neg, Sub};

use pathproof::numeric::{ROUNDOFF_F64, least, most, sin_cos, sin_cos_error};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Interval {
    middle: f64,
    radius: f64,
}

impl Interval {
    pub(crate) const ZERO: Self = Self { middle: 0.0, radius: 0.0 };
    pub(crate) const ONE: Self = Self { middle: 1.0, radius: 0.0 };

    /// Exactly `x`; any real at all if that is not a finite number.
    pub(crate) fn point(x: f64) -> Self {
        Self::around(x, 0.0)
    }

    /// Everything within `radius` of `x`.
    pub(crate) fn around(x: f64, radius: f64) -> Self {
        Self { middle: x, radius: if x.is_finite() { radius } else { f64::NAN } }
    }

    /// A middle that was rounded to nearest, off by |middle| ε/2 or half the least number, and a radius from at most
    /// four rounded operations.
    fn rounded(middle: f64, radius: f64) -> Self {
        Self { middle, radius: (radius + middle.abs() * f64::EPSILON + f64::MIN_POSITIVE) * (1.0 + 8.0 * ROUNDOFF_F64) }
    }

    /// The smallest interval found that holds everything between two numbers.
    fn between(lo: f64, hi: f64) -> Self {
        let middle = 0.5 * lo + 0.5 * hi;
        Self::rounded(middle, most((hi - middle).abs(), (middle - lo).abs()))
    }

    /// Everything in either, and between.
    pub(crate) fn hull(self, other: Self) -> Self {
        Self::between(least(self.lo(), other.lo()), most(self.hi(), other.hi()))
    }

    /// Lower bound.
    pub(crate) fn lo(self) -> f64 {
        let lo = (self.middle - self.radius).next_down();
        if lo < f64::INFINITY { lo } else { f64::NEG_INFINITY }
    }

    /// Upper bound.
    pub(crate) fn hi(self) -> f64 {
        let hi = (self.middle + self.radius).next_up();
        if hi > f64::NEG_INFINITY { hi } else { f64::INFINITY }
    }

    pub(crate) fn middle(self) -> f64 {
        self.middle
    }

    /// Upper bound on the distance from the middle.
    pub(crate) fn radius(self) -> f64 {
        self.radius
    }

    pub(crate) fn square(self) -> Self {
        self * self
    }

    /// The root of the non-negative part of the interval.
    pub(crate) fn sqrt(self) -> Self {
        let (lo, hi) = (self.lo(), self.hi());
        Self::between(if lo > 0.0 { lo.sqrt().next_down() } else { 0.0 }, hi.sqrt().next_up())
    }

    /// Quotient by an interval above 0; any real at all otherwise.
    pub(crate) fn over(self, divisor: Self) -> Self {
        if !(divisor.lo() > 0.0) {
            return Self::point(f64::NAN);
        }
        self * Self::between((1.0 / divisor.hi()).next_down(), (1.0 / divisor.lo()).next_up())
    }

    /// Sine and cosine: the middle's, its error as in [`sin_cos_error`], and slopes of at most 1.
    pub(crate) fn sin_cos(self) -> (Self, Self) {
        let (sine, cosine) = sin_cos(self.middle);
        let error = (self.radius + sin_cos_error()).next_up();
        (Self::around(sine, error), Self::around(cosine, error))
    }
}

impl Add for Interval {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::rounded(self.middle + other.middle, self.radius + other.radius)
    }
}

impl Neg for Interval {
    type Output = Self;
    fn neg(self) -> Self {
        Self { middle: -self.middle, ..self }
    }
}

impl Sub for Interval {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Interval {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let radius = self.middle.abs() * other.radius + self.radius * (other.middle.abs() + other.radius);
        Self::rounded(self.middle * other.middle, radius)
    }
}

/// Upper bound on the norm of vectors with components in these intervals.
pub(crate) fn upper_norm(components: [Interval; 3]) -> f64 {
    let [x, y, z] = components.map(|c| (c.middle.abs() + c.radius).powi(2));
    // Squares below the least number vanish.
    let norm = (x + y + z).sqrt() * (1.0 + 16.0 * ROUNDOFF_F64) + 1e-150;
    if norm >= 0.0 { norm } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathproof::numeric::Random;

    #[test]
    fn every_operation_encloses_what_its_operands_can_give() {
        let mut random = Random::new(3);
        for _ in 0..20_000 {
            let scale = 10f64.powi(random.below(12) as i32 - 6);
            let mut interval = || {
                let (a, b) = (random.between(-scale, scale), random.between(-1.0, 1.0));
                let at = random.unit();
                (Interval::between(a.min(b), a.max(b)), a.min(b) + (a.max(b) - a.min(b)) * at)
            };
            let ((x, p), (y, q)) = (interval(), interval());
            let holds = |i: Interval, v: f64| assert!(i.lo() <= v && v <= i.hi(), "{i:?} {v}");
            holds(x + y, p + q);
            holds(x - y, p - q);
            holds(x * y, p * q);
            holds(x.square(), p * p);
            holds(x.square().sqrt(), p.abs());
            holds(x.sin_cos().0, p.sin());
            holds(x.sin_cos().1, p.cos());
            if y.lo() > 0.0 {
                holds(x.over(y), p / q);
            }
            assert!((p - x.middle()).abs() <= x.radius());
        }
    }

    /// One operation may be off by half a unit in the last place; the exact value must still be inside.
    #[test]
    fn results_are_wider_than_their_rounding() {
        let third = Interval::ONE.over(Interval::point(3.0));
        assert!(third.lo() < 1.0 / 3.0 && third.hi() > 1.0 / 3.0);
        let sum = Interval::point(1.0) + Interval::point(1e-30);
        assert!(sum.radius >= 1e-30);
        let tenth = Interval::point(0.1);
        // 0.1 · 0.1 is not 0.01 but 0.01 and some 2^-60: exactly fma(0.1, 0.1, −product) above the product.
        let product = tenth * tenth;
        assert!(product.radius >= f64::mul_add(0.1, 0.1, -product.middle).abs() && product.radius > 0.0);
        let root = Interval::point(2.0).sqrt();
        assert!(root.lo() * root.lo() < 2.0 && root.hi() * root.hi() > 2.0);
    }

    #[test]
    fn what_is_not_a_number_is_anything_at_all() {
        for x in [Interval::point(f64::NAN), Interval::around(f64::NAN, 1.0), Interval::ONE.over(Interval::ZERO)] {
            for y in [x, x * Interval::point(2.0) + Interval::ONE, x * Interval::ZERO, x.sqrt()] {
                assert!(y.lo() == f64::NEG_INFINITY && y.hi() == f64::INFINITY, "{y:?}");
                assert!(!(y.radius() < f64::INFINITY));
                assert_eq!(upper_norm([Interval::ONE, y, Interval::ONE]), f64::INFINITY);
            }
        }
    }
}
