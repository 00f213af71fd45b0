//! Convex pairs from raw bytes: hulls of arbitrary points (tiny, huge, repeated, coplanar) and curved shapes, in
//! random poses. Bounds must bracket, witnesses must lie on the bodies, polyhedra must converge or come near, nothing may
//! panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pathproof::distance::gjk::{self, ConvexDistance, Outcome, Tracker};
use pathproof::distance::penetration;
use pathproof::numeric::{DVec3, Pose, Random};
use pathproof::shapes::Convex;

/// Bytes handed out as numbers; zeros once they run out.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// Small integers, so that coplanar and repeated points are common; sometimes with noise or a scale.
    fn coordinate(&mut self) -> f64 {
        f64::from(self.next() as i8) / 32.0
    }

    fn point(&mut self) -> DVec3 {
        DVec3::new(self.coordinate(), self.coordinate(), self.coordinate())
    }

    fn size(&mut self) -> f64 {
        f64::from(self.next()) / 64.0 + 1e-4
    }

    fn shape(&mut self) -> Option<Convex> {
        match self.next() % 8 {
            0 => Convex::cuboid([self.size(), self.size(), self.size()]).ok(),
            1 => Convex::sphere(self.size()).ok(),
            2 => Convex::capsule(self.size(), self.size()).ok(),
            3 => Convex::cylinder(self.size(), self.size()).ok(),
            4 => Convex::cone(self.size(), self.size()).ok(),
            5 => Some(Convex::triangle([self.point(), self.point(), self.point()])),
            kind => {
                let count = 1 + usize::from(self.next()) % 60;
                let mut noise = Random::new(u64::from(self.next()));
                let amount = if kind == 6 { 0.0 } else { 1e-9 };
                let flatten = if self.next() % 4 == 0 { DVec3::new(1.0, 1.0, 1e-4) } else { DVec3::ONE };
                let points: Vec<DVec3> =
                    (0..count).map(|_| (self.point() + noise.point(1.0) * amount) * flatten).collect();
                Convex::hull(&points).ok()
            }
        }
    }

    fn pose(&mut self) -> Pose {
        let mut random = Random::new(u64::from(self.next()) * 256 + u64::from(self.next()));
        let turned = random.pose(0.0);
        let rotation = if self.next() % 3 == 0 { Pose::IDENTITY.rotation } else { turned.rotation };
        Pose { rotation, translation: self.point() }
    }
}

fn scale(a: &Convex, b: &Convex, a_from_b: &Pose) -> f64 {
    let sizes = a.upper_core_extent() + a.radius() + b.upper_core_extent() + b.radius();
    sizes + a_from_b.translation.length()
}

/// Hulls that are some 1e-9 m apart and less, or no larger, end where rounding stops the search: bounds are near all the
/// same, within this much of the scale. (Two such clouds of points left 4.6e-10 m, less than
/// either is wide and 4.3e-9 of the scale.)
const NEAR: f64 = 2e-8;

fn check(a: &Convex, b: &Convex, a_from_b: &Pose, found: &ConvexDistance) {
    let scale = scale(a, b, a_from_b);
    assert!(found.lower <= found.upper, "{found:?}");
    assert!((found.direction.length() - 1.0).abs() < 1e-14, "{found:?}");
    // No point of a body is farther along any direction than its support.
    for n in [found.direction, DVec3::X, DVec3::NEG_Y, DVec3::ONE.normalize()] {
        for n in [n, -n] {
            let reach_a = a.core_support(n).dot(n) + a.radius();
            assert!(found.point_on_a.dot(n) <= reach_a + 1e-12 * scale, "{found:?}");
            let reach_b = a_from_b.point(b.core_support(a_from_b.inverse_vector(n))).dot(n) + b.radius();
            assert!(found.point_on_b.dot(n) <= reach_b + 1e-12 * scale, "{found:?}");
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    let (Some(a), Some(b)) = (bytes.shape(), bytes.shape()) else { return };
    let mut tracker = Tracker::default();
    for _ in 0..3 {
        let a_from_b = bytes.pose();
        let found = gjk::distance(&a, &b, &a_from_b, f64::INFINITY, &mut tracker);
        check(&a, &b, &a_from_b, &found);
        let cold = gjk::distance(&a, &b, &a_from_b, f64::INFINITY, &mut Tracker::default());
        assert!(found.lower <= cold.upper && cold.lower <= found.upper, "{found:?} {cold:?}");
        if a.has_polyhedral_core() && b.has_polyhedral_core() {
            for distance in [&found, &cold] {
                let is_near = distance.upper - distance.lower <= NEAR * scale(&a, &b, &a_from_b);
                assert!(distance.outcome == Outcome::Converged || is_near, "{distance:?}");
            }
        }
        let signed = penetration::signed_distance(&a, &b, &a_from_b, &mut tracker);
        assert!(signed.lower <= signed.upper, "{signed:?}");
        assert!(signed.lower <= cold.upper && signed.upper <= cold.upper + NEAR * scale(&a, &b, &a_from_b));
        let quick = penetration::bracket(&a, &b, &a_from_b, &mut tracker);
        assert!(quick.lower <= signed.upper && signed.lower <= quick.upper, "{quick:?} {signed:?}");
    }
});
