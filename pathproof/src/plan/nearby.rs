//! Finds a free configuration near one that is not, to suggest to a user when a start touches something.

use super::space::Space;
use crate::check::{CheckScratch, Checker, Settings, Verdict};
use crate::numeric::Random;

/// A free configuration near one that is not.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearby {
    /// The configuration.
    pub configuration: Vec<f64>,
    /// Its distance: Euclidean over joints scaled to their ranges.
    pub distance: f64,
}

/// Configurations drawn at each radius.
const DRAWN: usize = 60;

/// Radii that are tried, each twice the one before.
const RADII: u32 = 8;

/// The first radius, a fraction of each joint's range.
const FIRST_RADIUS: f64 = 0.002;

/// Halvings of the way back to the configuration given.
const HALVINGS: usize = 10;

/// A free configuration near `q`: the nearest of those drawn at the smallest radius that yields any. It is then pulled
/// back towards `q`, one variable after the other and all together, so that only variables that have to move have
/// moved.
pub(super) fn free_near(checker: &Checker, space: &Space<'_>, q: &[f64]) -> Option<Nearby> {
    let mut scratch = CheckScratch::new(checker);
    let mut is_free = |q: &Vec<f64>| {
        let answer = checker.configuration(q, &Settings::default(), &mut scratch);
        answer.is_ok_and(|answer| matches!(answer.verdict, Verdict::Free(_)))
    };
    let mut random = Random::new(1);
    for doubled in 0..RADII {
        let radius = FIRST_RADIUS * f64::from(1u32 << doubled);
        let mut nearest: Option<Vec<f64>> = None;
        for _ in 0..DRAWN {
            let mut drawn = Vec::new();
            space.draw_near(&mut random, q, radius, &mut drawn);
            let is_nearer = nearest.as_ref().is_none_or(|other| space.length(q, &drawn) < space.length(q, other));
            if is_nearer && is_free(&drawn) {
                nearest = Some(drawn);
            }
        }
        let Some(mut nearest) = nearest else { continue };
        for variable in space.moving() {
            let alone = |t: f64| {
                let mut q_alone = nearest.clone();
                q_alone[variable] = q[variable] + t * (nearest[variable] - q[variable]);
                Some(q_alone)
            };
            nearest = pulled(alone, &mut is_free).unwrap_or(nearest);
        }
        nearest = pulled(|t| space.between(q, &nearest, t), &mut is_free).unwrap_or(nearest);
        return Some(Nearby { distance: space.length(q, &nearest), configuration: nearest });
    }
    None
}

/// The free one of `at(t)` with the least t, as far as halving finds it; `None` if only the one at 1 is known to be
/// free.
fn pulled(at: impl Fn(f64) -> Option<Vec<f64>>, is_free: &mut impl FnMut(&Vec<f64>) -> bool) -> Option<Vec<f64>> {
    let mut free_at = |t: f64| at(t).filter(&mut *is_free);
    let mut best = free_at(0.0);
    if best.is_some() {
        return best;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        match free_at(middle) {
            Some(free) => (best, high) = (Some(free), middle),
            None => low = middle,
        }
    }
    best
}
