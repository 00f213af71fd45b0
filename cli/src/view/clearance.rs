//! Clearance along the path for the page: proven bounds of the nearest pair, stretch by stretch, and distances measured
//! at the samples of the motion.
//!
//! A pair is identified by its number among the scene's checked pairs.

use std::collections::HashMap;

use anyhow::Result;
use pathproof::check::{Profile, ProfilePiece, Settings};
use pathproof::numeric::{f32_down, f32_up};
use pathproof::path::Motion;
use pathproof::scene::Scene;
use serde::Serialize;

use super::blob::{Blob, Section};
use super::measured;
use super::motion::{Place, Sampled};

/// Number of pairs with their own line on the page: the nearest ones.
pub(super) const MOST_LINES: usize = 12;

/// Bounds along the path.
#[derive(Serialize)]
pub(super) struct Clearance {
    /// Start of the first stretch.
    pub(super) from: f64,
    /// Ends of stretches, each the start of the next one: segments and fractions of them.
    pub(super) until: Section,
    /// Proven: no checked pair is nearer anywhere in the stretch, in metres.
    pub(super) lower: Section,
    /// The pair of that bound.
    pub(super) pair: Section,
    /// Places of the measured configurations.
    pub(super) measured: Section,
    /// Upper bound on the smallest distance there, in metres, and the pair that has it.
    pub(super) upper: Section,
    pub(super) nearest: Section,
    /// By pair: its own upper bounds at those places.
    pub(super) lines: Vec<(usize, Section)>,
}

/// Nearest approach of a pair.
#[derive(Clone, Debug)]
pub(super) struct Least {
    /// Number of the pair.
    pub(super) pair: usize,
    /// Along the whole path.
    pub(super) lower: f64,
    /// Smallest upper bound found, and its place.
    pub(super) upper: f64,
    pub(super) place: Place,
}

/// Every pair by its least clearance.
pub(super) fn least(scene: &Scene, profile: &Profile) -> Vec<Least> {
    let numbers = numbers(scene);
    let mut pairs: Vec<Option<Least>> = vec![None; scene.pairs().len()];
    for piece in &profile.pieces {
        let Some(&pair) = numbers.get(&piece.bodies) else { continue };
        let place = Place { segment: piece.segment, t: piece.t_upper };
        let least = pairs[pair].get_or_insert(Least { pair, lower: piece.lower, upper: piece.upper, place });
        // Written so that a NaN bound stays.
        if !(least.lower <= piece.lower) {
            least.lower = piece.lower;
        }
        if piece.upper < least.upper {
            (least.upper, least.place) = (piece.upper, place);
        }
    }
    let mut pairs: Vec<Least> = pairs.into_iter().flatten().collect();
    pairs.sort_by(|x, y| x.upper.total_cmp(&y.upper).then(x.pair.cmp(&y.pair)));
    pairs
}

/// Everything along the path.
pub(super) fn along(
    scene: &Scene,
    path: &Motion,
    sampled: &Sampled,
    profile: &Profile,
    settings: &Settings,
    (pairs, blob): (&[Least], &mut Blob),
) -> Result<Clearance> {
    let stretches = stretches(scene, profile);
    let always: Vec<usize> = pairs.iter().take(MOST_LINES).map(|least| least.pair).collect();
    let measured = measured::at_samples(scene, path, sampled, profile, (&always, &numbers(scene)), settings)?;
    let line = |(i, pair): (usize, &usize)| (*pair, blob.singles(measured.iter().map(|row| f32_up(row.always[i]))));
    Ok(Clearance {
        from: 0.0,
        lines: always.iter().enumerate().map(line).collect(),
        until: blob.doubles(stretches.iter().map(|stretch| stretch.until)),
        lower: blob.singles(stretches.iter().map(|stretch| f32_down(stretch.lower))),
        pair: blob.words(stretches.iter().map(|stretch| stretch.pair as u32)),
        measured: blob.doubles(measured.iter().map(|row| row.place.along())),
        upper: blob.singles(measured.iter().map(|row| f32_up(row.upper))),
        nearest: blob.words(measured.iter().map(|row| row.pair as u32)),
    })
}

fn numbers(scene: &Scene) -> HashMap<[usize; 2], usize> {
    let both = |(number, pair): (usize, &pathproof::scene::CheckedPair)| {
        [([pair.a, pair.b], number), ([pair.b, pair.a], number)]
    };
    scene.pairs().iter().enumerate().flat_map(both).collect()
}

/// Part of the path on which one bound is the least.
struct Stretch {
    until: f64,
    lower: f64,
    pair: usize,
}

/// Least of all pairs' bounds. Pieces of different pairs end at different places, so each part between two ends has its
/// own bound.
fn stretches(scene: &Scene, profile: &Profile) -> Vec<Stretch> {
    let numbers = numbers(scene);
    let mut result: Vec<Stretch> = Vec::new();
    for of_segment in profile.pieces.chunk_by(|x, y| x.segment == y.segment) {
        let mut ends: Vec<f64> = of_segment.iter().map(|piece| piece.interval[1]).collect();
        ends.sort_by(f64::total_cmp);
        ends.dedup();
        let of_pairs: Vec<&[ProfilePiece]> =
            of_segment.chunk_by(|x, y| (x.bodies, x.version) == (y.bodies, y.version)).collect();
        let mut current = vec![0_usize; of_pairs.len()];
        for end in ends {
            let mut least = (f64::INFINITY, 0);
            for (pieces, current) in of_pairs.iter().zip(&mut current) {
                while *current + 1 < pieces.len() && pieces[*current].interval[1] < end {
                    *current += 1;
                }
                let piece = &pieces[*current];
                // Written so that a NaN bound stays.
                if !(least.0 <= piece.lower) {
                    least = (piece.lower, numbers.get(&piece.bodies).copied().unwrap_or_default());
                }
            }
            let stretch = Stretch { until: of_segment[0].segment as f64 + end, lower: least.0, pair: least.1 };
            match result.last_mut().filter(|last| (last.lower, last.pair) == (stretch.lower, stretch.pair)) {
                Some(last) => last.until = stretch.until,
                None => result.push(stretch),
            }
        }
    }
    result
}
