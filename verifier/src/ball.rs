//! Vectors, rotations and poses that are known up to a radius, with outward rounding.
//!
//! A vector is a middle and a bound on the true one's distance from it. A rotation is a matrix M and a bound on the
//! distance of the true rotation R, *which keeps lengths*, from it in the operator norm: R v is off M v₀ by |R (v −
//! v₀)| + |(R − M) v₀| ≤ r + ρ |v₀|. Middles are rounded to nearest. Sums of absolute values, |v|₁ ≥ |v|, bound that
//! rounding and are added to the radius, as is the least normal number for products that vanish; radii are inflated by
//! more than their own rounding. Invariant: as in `interval.rs`, a radius that is not a number or not finite stands for
//! any vector at all.

use std::ops::{Add, Sub};

use pathproof::numeric::{DMat3, DVec3, Pose, ROUNDOFF_F64};

use crate::interval::Interval;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Vector {
    middle: DVec3,
    radius: f64,
}

/// |v|₁, up to 2 u.
fn size(v: DVec3) -> f64 {
    v.x.abs() + v.y.abs() + v.z.abs()
}

/// Inflates a radius that came from at most twelve rounded operations on non-negative numbers.
fn up(radius: f64) -> f64 {
    (radius + f64::MIN_POSITIVE) * (1.0 + 16.0 * ROUNDOFF_F64)
}

impl Vector {
    pub(crate) const ZERO: Self = Self { middle: DVec3::ZERO, radius: 0.0 };

    /// Exactly `v`; any vector at all if that is not finite.
    pub(crate) fn point(v: DVec3) -> Self {
        Self { middle: v, radius: if v.is_finite() { 0.0 } else { f64::NAN } }
    }

    /// Every vector with components in these intervals.
    pub(crate) fn new(components: [Interval; 3]) -> Self {
        let [x, y, z] = components;
        Self {
            middle: DVec3::from_array(components.map(Interval::middle)),
            radius: up(x.radius() + y.radius() + z.radius()),
        }
    }

    pub(crate) fn middle(self) -> DVec3 {
        self.middle
    }

    /// Upper bound on the distance of its vectors from the middle.
    pub(crate) fn radius(self) -> f64 {
        self.radius
    }

    pub(crate) fn component(self, axis: usize) -> Interval {
        Interval::around(self.middle[axis], self.radius)
    }

    /// |v × w − v₀ × w₀| ≤ |v₀| r_w + r (|w₀| + r_w). A component is the difference of two products, off by 2 u of
    /// their sizes. Over all components these add up to less than |v₀|₁ |w₀|₁.
    pub(crate) fn cross(self, other: Self) -> Self {
        let (own, others) = (size(self.middle), size(other.middle));
        let radius = own * (other.radius + 4.0 * ROUNDOFF_F64 * others) + self.radius * (others + other.radius);
        Self { middle: self.middle.cross(other.middle), radius: up(radius) }
    }

    /// Upper bound on the norm. Three squares, their sum and its root are off by 3 u; squares below the least number
    /// vanish.
    pub(crate) fn upper_norm(self) -> f64 {
        let norm = (self.middle.length() + self.radius) * (1.0 + 16.0 * ROUNDOFF_F64) + 1e-150;
        if norm >= 0.0 { norm } else { f64::INFINITY }
    }
}

/// A sum is off by u in each component.
impl Add for Vector {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let middle = self.middle + other.middle;
        Self { middle, radius: up(self.radius + other.radius + 2.0 * ROUNDOFF_F64 * size(middle)) }
    }
}

impl Sub for Vector {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + Self { middle: -other.middle, ..other }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Rotation {
    pub(crate) middle: DMat3,
    /// Upper bound on the rotation's distance from the middle in the operator norm.
    pub(crate) radius: f64,
}

impl Rotation {
    pub(crate) const IDENTITY: Self = Self { middle: DMat3::IDENTITY, radius: 0.0 };

    /// The rotation that a matrix in `f64` stands for. Entries made from roll, pitch and yaw are good to 36 u, and a
    /// model takes no matrix farther than 96 u from a rotation; signed permutations are taken as they are. The operator
    /// norm is at most the sum of the columns' norms, nine times the error of an entry.
    pub(crate) fn new(matrix: &DMat3) -> Self {
        let is_exact = matrix.to_cols_array().iter().all(|e| *e == 0.0 || e.abs() == 1.0);
        let error = if is_exact { 0.0 } else { 9.0 * 96.0 * ROUNDOFF_F64 };
        Self { middle: *matrix, radius: if matrix.is_finite() { error } else { f64::NAN } }
    }

    /// The rotation with columns in these intervals.
    pub(crate) fn of_columns(columns: [[Interval; 3]; 3]) -> Self {
        let [x, y, z] = columns.map(Vector::new);
        Self { middle: DMat3::from_cols(x.middle, y.middle, z.middle), radius: up(x.radius + y.radius + z.radius) }
    }

    /// Three products and their sum in each component are off by 3 u of the sizes. Over all components these add up to
    /// at most √3 (1 + ρ) |v₀|₁, as columns of M are no longer than 1 + ρ.
    pub(crate) fn apply(&self, v: Vector) -> Vector {
        let rounding = 8.0 * ROUNDOFF_F64 * (1.0 + self.radius);
        Vector { middle: self.middle * v.middle, radius: up(v.radius + (self.radius + rounding) * size(v.middle)) }
    }

    pub(crate) fn transpose(&self) -> Self {
        Self { middle: self.middle.transpose(), ..*self }
    }

    /// |R S − M N| ≤ |R (S − N)| + |(R − M) N| ≤ σ + ρ (1 + σ). Rounding: three columns as in [`Self::apply`], each of
    /// size at most √3 (1 + σ), so 3 · 3 · √3 · √3 = 27 u in all.
    pub(crate) fn after(&self, first: &Self) -> Self {
        let off = self.radius + first.radius + self.radius * first.radius;
        Self { middle: self.middle * first.middle, radius: up(off + 32.0 * ROUNDOFF_F64 * (1.0 + off)) }
    }
}

/// A rigid pose: `destination_from_source`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub(crate) rotation: Rotation,
    pub(crate) translation: Vector,
}

impl Placed {
    pub(crate) const IDENTITY: Self = Self { rotation: Rotation::IDENTITY, translation: Vector::ZERO };

    pub(crate) fn new(pose: &Pose) -> Self {
        Self { rotation: Rotation::new(&pose.rotation), translation: Vector::point(pose.translation) }
    }

    pub(crate) fn point(&self, p: Vector) -> Vector {
        self.rotation.apply(p) + self.translation
    }

    pub(crate) fn after(&self, first: &Self) -> Self {
        Self { rotation: self.rotation.after(&first.rotation), translation: self.point(first.translation) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathproof::numeric::{DQuat, Random};

    /// A number and the same as an integer over 2^40.
    fn exact(random: &mut Random, size: f64) -> (f64, i128) {
        let whole = (random.between(-size, size) * 2f64.powi(40)).round();
        (whole * 2f64.powi(-40), whole as i128)
    }

    fn vector(random: &mut Random, size: f64) -> (DVec3, [i128; 3]) {
        let parts = [0; 3].map(|_| exact(random, size));
        (DVec3::from_array(parts.map(|p| p.0)), parts.map(|p| p.1))
    }

    /// Distance of a middle from the result in integers over 2^80, over the middle's radius: rounding alone.
    fn share_of_rounding(found: Vector, truth: [i128; 3]) -> f64 {
        let off = [0, 1, 2].map(|i| {
            // The middle is a multiple of 2^-80, as its operands are of 2^-40.
            ((found.middle[i] * 2f64.powi(80)) as i128 - truth[i]) as f64 * 2f64.powi(-80)
        });
        DVec3::from_array(off).length() / found.radius
    }

    /// Products and sums that do not fit into 53 bits, against integers of 127.
    #[test]
    fn radii_hold_what_rounding_does() {
        let mut random = Random::new(0xBA11);
        let mut used = [0.0f64; 3];
        for _ in 0..100_000 {
            let ((v, iv), (w, iw)) = (vector(&mut random, 8.0), vector(&mut random, 8.0));
            let turn = DMat3::from_quat(DQuat::from_rotation_arc(random.direction(), random.direction()));
            let entry = |e: f64| (e * 2f64.powi(40)).round();
            let columns = turn.to_cols_array_2d().map(|c| c.map(entry));
            let whole = columns.map(|c| c.map(|e| e as i128));
            let middle = DMat3::from_cols_array_2d(&columns.map(|c| c.map(|e| e * 2f64.powi(-40))));
            let turned = Rotation { middle, radius: 0.0 }.apply(Vector::point(v));
            let cross = [0, 1, 2].map(|i: usize| {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                iv[j] * iw[k] - iv[k] * iw[j]
            });
            let product = [0, 1, 2].map(|i| whole[0][i] * iv[0] + whole[1][i] * iv[1] + whole[2][i] * iv[2]);
            let small = w * 0.001;
            let sum = Vector::point(v) + Vector::point(small);
            // The rounding error of a sum of two numbers is a number: exactly found by undoing it (Knuth).
            let back = sum.middle - v;
            let lost = (v - (sum.middle - back)) + (small - back);
            let shares = [
                share_of_rounding(Vector::point(v).cross(Vector::point(w)), cross),
                share_of_rounding(turned, product),
                lost.length() / sum.radius,
            ];
            used = [0, 1, 2].map(|i| used[i].max(shares[i]));
        }
        assert!(used.iter().all(|share| *share <= 1.0), "{used:?}");
        // A bound that nothing uses up could be halved unnoticed.
        assert!(used[0] > 0.15 && used[1] > 0.15 && used[2] > 0.3, "{used:?}");
    }

    /// Vectors and rotations at the rim of wide balls, where rounding is negligible.
    #[test]
    fn radii_hold_what_operands_can_give() {
        let mut random = Random::new(0x1E_55);
        let mut used = [0.0f64; 5];
        for _ in 0..100_000 {
            let mut ball = || {
                let (middle, radius) = (random.direction() * random.between(0.0, 3.0), random.between(1e-3, 1.0));
                (Vector { middle, radius }, middle + random.direction() * radius)
            };
            let ((v, p), (w, q)) = (ball(), ball());
            let mut turn = || {
                let angle = random.between(1e-3, 1.0);
                let true_one = DMat3::from_quat(DQuat::from_rotation_arc(random.direction(), random.direction()));
                let off = DMat3::from_quat(DQuat::from_axis_angle(random.direction(), angle));
                (Rotation { middle: true_one * off, radius: 2.0 * (0.5 * angle).sin() }, true_one)
            };
            let ((r, true_r), (s, true_s)) = (turn(), turn());
            let product = r.after(&s);
            let u = random.direction();
            let pose = Placed { rotation: r, translation: w };
            let share = |found: Vector, truth: DVec3| (found.middle - truth).length() / found.radius;
            let shares = [
                share(v + w, p + q),
                share(v.cross(w), p.cross(q)),
                share(r.apply(v), true_r * p),
                ((true_r * (true_s * u)) - product.middle * u).length() / product.radius,
                share(pose.point(v), true_r * p + q),
            ];
            assert!(shares.iter().all(|share| *share <= 1.0 + 1e-12), "{shares:?}");
            assert!(p.length() <= v.upper_norm() && share(v - w, p - q) <= 1.0);
            assert!((true_r.transpose() * u - r.transpose().middle * u).length() <= r.radius * (1.0 + 1e-12));
            used = std::array::from_fn(|i| used[i].max(shares[i]));
        }
        assert!(used.iter().all(|share| *share > 0.8), "{used:?}");
    }

    #[test]
    fn what_is_not_a_number_is_anything_at_all() {
        let one = Vector::point(DVec3::ONE);
        for v in [DVec3::NAN, DVec3::new(0.0, f64::INFINITY, 0.0)].map(Vector::point) {
            for w in [v, v + one, one - v, v.cross(one), one.cross(v), Rotation::IDENTITY.apply(v)] {
                assert!(!(w.radius < f64::INFINITY) && w.upper_norm() == f64::INFINITY, "{w:?}");
            }
        }
        for matrix in [DMat3::NAN, DMat3::from_diagonal(DVec3::new(1.0, f64::INFINITY, 1.0))] {
            let r = Rotation::new(&matrix);
            assert!(r.radius.is_nan() && r.apply(one).upper_norm() == f64::INFINITY);
            assert!(r.after(&Rotation::IDENTITY).radius.is_nan() && Rotation::IDENTITY.after(&r).radius.is_nan());
        }
        let large = Vector::point(DVec3::splat(1e300));
        assert!([large.cross(large), large + large.cross(one)].iter().all(|v| v.upper_norm() >= 1e300));
    }
}
