//! Polytopes from raw bytes as half-spaces: redundant, repeated, nearly parallel, infeasible, open or flat. Building one
//! must end in a polytope or an error; mindist's bounds on a pair must bracket, agree with GJK on the hulls, and be the
//! same from a start that was kept. Nothing may panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pathproof_papers::concave::{HalfSpace, Polytope, mindist};
use pathproof::distance::gjk::{self, Tracker};
use pathproof::numeric::{DVec3, Pose, Random};

/// Bytes handed out as numbers; zeros once they run out.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// Small integers, so that half-spaces meet in one vertex, repeat and oppose each other often.
    fn coordinate(&mut self) -> f64 {
        f64::from(self.next() as i8 % 5)
    }

    fn half_spaces(&mut self) -> Vec<HalfSpace> {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|n| [n, -n]);
        // Mostly within a box, so that most are bounded.
        let is_boxed = self.next() % 8 > 0;
        let mut list: Vec<HalfSpace> = axes.filter(|_| is_boxed).map(|normal| HalfSpace { normal, offset: 2.0 }).collect();
        for _ in 0..self.next() % 24 {
            let tilt = Random::new(u64::from(self.next())).direction() * 10f64.powi(-i32::from(self.next() % 18));
            let normal = DVec3::new(self.coordinate(), self.coordinate(), self.coordinate());
            let normal = if self.next() % 3 == 0 { normal + tilt } else { normal };
            list.push(HalfSpace { normal, offset: f64::from(self.next() as i8) / 32.0 });
        }
        list
    }
}

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    let (a, b) = (Polytope::from_half_spaces(&bytes.half_spaces()), Polytope::from_half_spaces(&bytes.half_spaces()));
    let (Ok(a), Ok(b)) = (a, b) else { return };
    let mut random = Random::new(u64::from(bytes.next()));
    let mut start = mindist::Start::default();
    for _ in 0..3 {
        let pose = Pose { translation: random.point(6.0), ..random.pose(1.0) };
        let cold = mindist::signed_distance(&a, &b, &pose, &mut mindist::Start::default());
        let kept = mindist::signed_distance(&a, &b, &pose, &mut start);
        for found in [&cold, &kept] {
            assert!(found.lower <= found.upper, "{found:?}");
        }
        assert!(cold.lower <= kept.upper && kept.lower <= cold.upper, "{cold:?} {kept:?}");
        let by_gjk = gjk::distance(a.shape(), b.shape(), &pose, f64::INFINITY, &mut Tracker::default());
        // The hull was derived: corners of nearly parallel half-spaces are known less well than the half-spaces.
        assert!(cold.lower <= by_gjk.upper + a.rounding() + b.rounding() + 1e-6, "{cold:?} {by_gjk:?}");
    }
});
