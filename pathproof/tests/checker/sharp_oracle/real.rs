//! Numbers for the sharp oracle: `f64` for searching and double-double, some 32 digits, for what is compared in the end.
//! Written for the tests; the library has nothing of the kind.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// What the geometry of the oracle is computed in.
pub(crate) trait Real:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Relative size below which a determinant is taken for 0.
    const NEGLIGIBLE: f64;
    fn of(value: Double) -> Self;
    fn sqrt(self) -> Self;
    fn to_double(self) -> Double;

    fn from_f64(value: f64) -> Self {
        Self::of(Double::from(value))
    }

    fn to_f64(self) -> f64 {
        let value = self.to_double();
        value.high + value.low
    }

    fn abs(self) -> Self {
        if self < Self::from_f64(0.0) { -self } else { self }
    }

    fn smaller(self, other: Self) -> Self {
        if other < self { other } else { self }
    }

    fn larger(self, other: Self) -> Self {
        if other > self { other } else { self }
    }
}

impl Real for f64 {
    const NEGLIGIBLE: f64 = 1e-14;

    fn of(value: Double) -> Self {
        value.high + value.low
    }

    fn sqrt(self) -> Self {
        Self::sqrt(self)
    }

    fn to_double(self) -> Double {
        Double::from(self)
    }
}

/// The sum of two `f64`, the second at most half a unit in the last place of the first.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) struct Double {
    high: f64,
    low: f64,
}

impl From<f64> for Double {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

/// a + b exactly (Knuth).
fn two_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let of_b = high - a;
    Double { high, low: (a - (high - of_b)) + (b - of_b) }
}

/// The same where |a| ≥ |b| (Dekker).
fn quick_two_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    Double { high, low: b - (high - a) }
}

/// a · b exactly (Dekker, with Veltkamp's splitting).
fn two_product(a: f64, b: f64) -> Double {
    let split = |x: f64| {
        let scaled = 134_217_729.0 * x;
        let high = scaled - (scaled - x);
        (high, x - high)
    };
    let ((ah, al), (bh, bl)) = (split(a), split(b));
    let high = a * b;
    Double { high, low: ((ah * bh - high) + ah * bl + al * bh) + al * bl }
}

impl Add for Double {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        let (s, t) = (two_sum(self.high, o.high), two_sum(self.low, o.low));
        let s = quick_two_sum(s.high, s.low + t.high);
        quick_two_sum(s.high, s.low + t.low)
    }
}

impl Neg for Double {
    type Output = Self;
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Sub for Double {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        self + -o
    }
}

impl Mul for Double {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        let p = two_product(self.high, o.high);
        quick_two_sum(p.high, p.low + (self.high * o.low + self.low * o.high))
    }
}

impl Div for Double {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let first = self.high / o.high;
        let rest = self - o * Self::from(first);
        let second = rest.high / o.high;
        let rest = rest - o * Self::from(second);
        quick_two_sum(first, second) + Self::from(rest.high / o.high)
    }
}

impl Real for Double {
    const NEGLIGIBLE: f64 = 1e-28;

    fn of(value: Double) -> Self {
        value
    }

    fn sqrt(self) -> Self {
        if self.high <= 0.0 {
            return Self::from(0.0);
        }
        let estimate = Self::from(self.high.sqrt());
        estimate + (self - estimate * estimate) / (estimate + estimate)
    }

    fn to_double(self) -> Double {
        self
    }
}

/// π/2 to 32 digits.
const HALF_PI: Double = Double { high: std::f64::consts::FRAC_PI_2, low: 6.123_233_995_736_766e-17 };

impl Double {
    pub(crate) const ZERO: Self = Self { high: 0.0, low: 0.0 };
    pub(crate) const ONE: Self = Self { high: 1.0, low: 0.0 };

    /// Sine and cosine: reduced by quarter turns, then Taylor's series.
    pub(crate) fn sin_cos(self) -> (Self, Self) {
        let quarters = (self.high / HALF_PI.high).round();
        let x = self - HALF_PI * Self::from(quarters);
        let square = x * x;
        // Σ (−x²)ⁿ / (2n)! and x Σ (−x²)ⁿ / (2n + 1)!, from the last term: (π/4)³⁰/30! < 1e-35.
        let series = |first: f64| {
            (0..14).rev().fold(Self::ONE, |sum, n| {
                let k = 2.0 * f64::from(n) + first;
                Self::ONE - square * sum / Self::from(k * (k + 1.0))
            })
        };
        let (sine, cosine) = (x * series(2.0), series(1.0));
        match quarters.rem_euclid(4.0) as u32 {
            0 => (sine, cosine),
            1 => (cosine, -sine),
            2 => (-sine, -cosine),
            _ => (-cosine, sine),
        }
    }

    /// The angle of the direction (cosine, sine), which need not be normalised.
    pub(crate) fn angle(sine: Self, cosine: Self) -> Self {
        let length = (sine * sine + cosine * cosine).sqrt();
        let estimate = Self::from(sine.high.atan2(cosine.high));
        let (s, c) = estimate.sin_cos();
        // The sine of what is left, some 1e-16, whose cube does not count.
        estimate + (sine * c - cosine * s) / length
    }
}

#[test]
fn double_arithmetic_has_thirty_digits() {
    let third = Double::ONE / Double::from(3.0);
    let off = |x: Double| x.to_f64().abs();
    assert!(off(third * Double::from(3.0) - Double::ONE) < 1e-31);
    let root = Double::from(2.0).sqrt();
    assert!(off(root * root - Double::from(2.0)) < 1e-30);
    for i in -40..40 {
        let x = Double::from(0.37 * f64::from(i)) + third;
        let ((s, c), (s2, c2)) = (x.sin_cos(), (x + x).sin_cos());
        assert!(off(s * s + c * c - Double::ONE) < 1e-30, "{i}");
        assert!(off(s2 - (s * c + s * c)) < 1e-30 && off(c2 - (c * c - s * s)) < 1e-30, "{i}");
        assert!((s.to_f64() - x.to_f64().sin()).abs() < 1e-15);
        let (angle, expected) = (Double::angle(s, c), x.to_f64().sin().atan2(x.to_f64().cos()));
        assert!((angle.to_f64() - expected).abs() < 1e-15 && off(angle.sin_cos().0 - s) < 1e-30);
    }
    // sin 1 = 0.84147098480789650665250232163029899962…
    let known = Double::from(0.841_470_984_807_896_5) + Double::from(6.652_502_321_630_299e-18);
    assert!((Double::ONE.sin_cos().0 - known).to_f64().abs() < 1e-31 + 5e-32 + 1e-17);
}
