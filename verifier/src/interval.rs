//! Intervals of reals with outward rounding, and vectors, matrices and poses of them.
//!
//! Every operation is one correctly rounded operation on each end, moved outward by a unit in the last place at least, so
//! that the result holds every value that operands in their intervals can give. Invariant: `lo` ≤ `hi`, `lo` is not +∞ and
//! `hi` not −∞; what overflows or is not a number becomes unbounded, and stays so.

use std::ops::{Add, Mul, Neg, Sub};

use pathproof::numeric::{DMat3, DVec3, Pose, U64, sin_cos, sin_cos_error};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Interval {
    pub(crate) lo: f64,
    pub(crate) hi: f64,
}

impl Interval {
    pub(crate) const ZERO: Self = Self { lo: 0.0, hi: 0.0 };
    pub(crate) const ONE: Self = Self { lo: 1.0, hi: 1.0 };

    /// Exactly `x`; anything at all if that is not a finite number.
    pub(crate) fn point(x: f64) -> Self {
        if x.is_finite() { Self { lo: x, hi: x } } else { Self { lo: f64::NEG_INFINITY, hi: f64::INFINITY } }
    }

    /// Everything within `radius` of `x`.
    pub(crate) fn around(x: f64, radius: f64) -> Self {
        Self::outward(x - radius, x + radius)
    }

    /// From ends that are off by half a unit in the last place. |x| ε is at least a unit in the last place of x, and the
    /// constant covers numbers below the normal ones. What overflowed or is not a number becomes anything at all.
    #[inline(always)]
    fn outward(lo: f64, hi: f64) -> Self {
        let lo = lo - (lo.abs() * f64::EPSILON + f64::MIN_POSITIVE);
        let hi = hi + (hi.abs() * f64::EPSILON + f64::MIN_POSITIVE);
        if lo <= hi { Self { lo, hi } } else { Self { lo: f64::NEG_INFINITY, hi: f64::INFINITY } }
    }

    /// A number near the middle.
    #[inline(always)]
    pub(crate) fn middle(self) -> f64 {
        0.5 * self.lo + 0.5 * self.hi
    }

    /// Nothing in the interval is farther from its middle.
    #[inline(always)]
    pub(crate) fn radius(self) -> f64 {
        let middle = self.middle();
        let radius = larger(self.hi - middle, middle - self.lo).next_up();
        // The middle of an unbounded interval is not a number.
        if radius >= 0.0 { radius } else { f64::INFINITY }
    }

    #[inline(always)]
    pub(crate) fn square(self) -> Self {
        let (a, b) = (self.lo * self.lo, self.hi * self.hi);
        let lo = if self.lo <= 0.0 && self.hi >= 0.0 { 0.0 } else { a.min(b) };
        let wide = Self::outward(lo, a.max(b));
        Self { lo: larger(wide.lo, 0.0), ..wide }
    }

    /// The root of what is not negative in the interval.
    #[inline(always)]
    pub(crate) fn sqrt(self) -> Self {
        let lo = if self.lo > 0.0 { self.lo.sqrt().next_down() } else { 0.0 };
        Self { lo, hi: larger(self.hi, 0.0).sqrt().next_up() }
    }

    /// Quotient by an interval above 0; anything at all otherwise.
    pub(crate) fn over(self, divisor: Self) -> Self {
        if !(divisor.lo > 0.0) {
            return Self::point(f64::NAN);
        }
        self * Self::outward(1.0 / divisor.hi, 1.0 / divisor.lo)
    }

    /// Sine and cosine: that of the middle, its error as [`sin_cos_error`] states it, and no slope exceeds 1.
    pub(crate) fn sin_cos(self) -> (Self, Self) {
        let (sine, cosine) = sin_cos(self.middle());
        let error = self.radius() + sin_cos_error();
        let within = |x: Self| Self { lo: x.lo.max(-1.0), hi: x.hi.min(1.0) };
        (within(Self::around(sine, error)), within(Self::around(cosine, error)))
    }
}

/// The larger number, the second where the first is not one.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The smaller number, the second where the first is not one.
#[inline(always)]
fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

impl Add for Interval {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::outward(self.lo + other.lo, self.hi + other.hi)
    }
}

impl Neg for Interval {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { lo: -self.hi, hi: -self.lo }
    }
}

impl Sub for Interval {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Interval {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let (a, b, c, d) = (self.lo * other.lo, self.lo * other.hi, self.hi * other.lo, self.hi * other.hi);
        // 0 · ∞ is not a number: then nothing is known.
        if ((a + b) + (c + d)).is_nan() {
            return Self::point(f64::NAN);
        }
        Self::outward(lesser(lesser(a, b), lesser(c, d)), larger(larger(a, b), larger(c, d)))
    }
}

/// Three intervals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vector(pub(crate) [Interval; 3]);

impl Vector {
    pub(crate) const ZERO: Self = Self([Interval::ZERO; 3]);

    pub(crate) fn point(v: DVec3) -> Self {
        Self(v.to_array().map(Interval::point))
    }

    #[inline(always)]
    pub(crate) fn times(self, factor: Interval) -> Self {
        let [x, y, z] = self.0;
        Self([x * factor, y * factor, z * factor])
    }

    #[inline(always)]
    pub(crate) fn cross(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([b * z - c * y, c * x - a * z, a * y - b * x])
    }

    #[inline(always)]
    pub(crate) fn dot(self, other: Self) -> Interval {
        self.0[0] * other.0[0] + self.0[1] * other.0[1] + self.0[2] * other.0[2]
    }

    #[inline(always)]
    pub(crate) fn norm(self) -> Interval {
        (self.0[0].square() + self.0[1].square() + self.0[2].square()).sqrt()
    }

    #[inline(always)]
    pub(crate) fn middle(self) -> DVec3 {
        DVec3::from_array(self.0.map(Interval::middle))
    }

    /// No vector in it is farther from the middle.
    #[inline(always)]
    pub(crate) fn upper_radius(self) -> f64 {
        self.0.iter().fold(0.0, |sum, c| (sum + c.radius()).next_up())
    }
}

impl Add for Vector {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([a + x, b + y, c + z])
    }
}

impl Sub for Vector {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([a - x, b - y, c - z])
    }
}

/// A rotation as its columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrix(pub(crate) [Vector; 3]);

impl Matrix {
    pub(crate) const IDENTITY: Self = {
        let (o, l) = (Interval::ZERO, Interval::ONE);
        Self([Vector([l, o, o]), Vector([o, l, o]), Vector([o, o, l])])
    };

    /// The rotation that a matrix in `f64` stands for. Made from roll, pitch and yaw it is good to 36 u, and a model takes
    /// none that is farther than 96 u from a rotation; signed permutations are taken as they are.
    pub(crate) fn rotation(matrix: &DMat3) -> Self {
        let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
        let is_exact = columns.iter().all(|c| c.to_array().iter().all(|e| *e == 0.0 || e.abs() == 1.0));
        let error = if is_exact { 0.0 } else { 96.0 * U64 };
        let entry = |e: f64| if is_exact { Interval::point(e) } else { Interval::around(e, error) };
        Self(columns.map(|c| Vector(c.to_array().map(entry))))
    }

    #[inline(always)]
    pub(crate) fn apply(&self, v: Vector) -> Vector {
        self.0[0].times(v.0[0]) + self.0[1].times(v.0[1]) + self.0[2].times(v.0[2])
    }

    /// The transpose times `v`.
    #[inline(always)]
    pub(crate) fn apply_inverse(&self, v: Vector) -> Vector {
        Vector([self.0[0].dot(v), self.0[1].dot(v), self.0[2].dot(v)])
    }

    pub(crate) fn transpose(&self) -> Self {
        Self(std::array::from_fn(|i| Vector(std::array::from_fn(|j| self.0[j].0[i]))))
    }

    #[inline(always)]
    pub(crate) fn after(&self, first: &Self) -> Self {
        let [x, y, z] = first.0;
        Self([self.apply(x), self.apply(y), self.apply(z)])
    }
}

/// A rigid pose: `destination_from_source`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub(crate) rotation: Matrix,
    pub(crate) translation: Vector,
}

impl Placed {
    pub(crate) const IDENTITY: Self = Self { rotation: Matrix::IDENTITY, translation: Vector::ZERO };

    pub(crate) fn new(pose: &Pose) -> Self {
        Self { rotation: Matrix::rotation(&pose.rotation), translation: Vector::point(pose.translation) }
    }

    #[inline(always)]
    pub(crate) fn point(&self, p: Vector) -> Vector {
        self.rotation.apply(p) + self.translation
    }

    #[inline(always)]
    pub(crate) fn after(&self, first: &Self) -> Self {
        Self { rotation: self.rotation.after(&first.rotation), translation: self.point(first.translation) }
    }
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
                (Interval { lo: a.min(b), hi: a.max(b) }, a.min(b) + (a.max(b) - a.min(b)) * at)
            };
            let ((x, p), (y, q)) = (interval(), interval());
            let holds = |i: Interval, v: f64| assert!(i.lo <= v && v <= i.hi, "{i:?} {v}");
            holds(x + y, p + q);
            holds(x - y, p - q);
            holds(x * y, p * q);
            holds(x.square(), p * p);
            holds(x.square().sqrt(), p.abs());
            holds(x.sin_cos().0, p.sin());
            holds(x.sin_cos().1, p.cos());
            if y.lo > 0.0 {
                holds(x.over(y), p / q);
            }
            assert!((p - x.middle()).abs() <= x.radius());
        }
    }

    /// One operation may be off by half a unit in the last place: the exact value must be inside nevertheless.
    #[test]
    fn results_are_wider_than_their_rounding() {
        let third = Interval::ONE.over(Interval::point(3.0));
        assert!(third.lo < 1.0 / 3.0 && third.hi > 1.0 / 3.0);
        let sum = Interval::point(1.0) + Interval::point(1e-30);
        assert!(sum.lo < 1.0 && sum.hi > 1.0);
        let product = Interval::point(0.1) * Interval::point(0.1);
        assert!(product.lo < product.hi);
        assert!(Interval::point(2.0).sqrt().lo < Interval::point(2.0).sqrt().hi);
    }

    #[test]
    fn what_is_not_a_number_is_anything_at_all() {
        for x in [Interval::point(f64::NAN), Interval::around(f64::NAN, 1.0), Interval::ONE.over(Interval::ZERO)] {
            assert!(x.lo == f64::NEG_INFINITY && x.hi == f64::INFINITY && x.radius() == f64::INFINITY);
            let y = x * Interval::point(2.0) + Interval::ONE;
            assert!(!(y.lo > -1e300) && !(y.hi < 1e300));
        }
    }
}
