//! Timing one call on a noisy machine: the fastest of a few batches, each long enough for the clock.

use std::time::Instant;

/// Microseconds that one call of `work` takes: the least of three batches of at least 20 µs.
pub(crate) fn microseconds(mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let start = Instant::now();
        let mut calls = 0u32;
        let seconds = loop {
            work();
            calls += 1;
            let seconds = start.elapsed().as_secs_f64();
            if seconds > 20e-6 {
                break seconds;
            }
        };
        best = best.min(seconds * 1e6 / f64::from(calls));
    }
    best
}

/// The median; sorts `values`, of which there must be one.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
