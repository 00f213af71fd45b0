//! Times one call on a noisy machine: processor time of the thread, which excludes other programs; the fastest of a few
//! batches, each long enough for the clock.

use rustix::time::{ClockId, clock_gettime};

/// Processor time of this thread so far, in seconds.
pub(crate) fn thread_seconds() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// Time to read that clock, in seconds: the median of many readings.
pub(crate) fn clock_seconds() -> f64 {
    let mut readings: Vec<f64> = (0..1_001)
        .map(|_| {
            let start = thread_seconds();
            thread_seconds() - start
        })
        .collect();
    median(&mut readings)
}

/// Microseconds per call of `work`: the least of three batches of at least 50 µs, so that reading the clock (half a
/// microsecond) does not matter.
pub(crate) fn microseconds(mut work: impl FnMut()) -> f64 {
    let mut calls = 1u32;
    let mut best = f64::INFINITY;
    let mut batches = 0;
    while batches < 3 {
        let start = thread_seconds();
        for _ in 0..calls {
            work();
        }
        let seconds = thread_seconds() - start;
        if seconds < 50e-6 && calls < 1 << 20 {
            calls *= 2;
            continue;
        }
        best = best.min(seconds * 1e6 / f64::from(calls));
        batches += 1;
    }
    best
}

/// The median; sorts `values`, at least one.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Lower quartile, median and upper quartile; sorts `values`, at least one.
pub(crate) fn quartiles(values: &mut [f64]) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| values[(values.len() - 1) * quarter / 4])
}
