//! Lays out the phases: parabolas at constant speed, and between them lines that gain speed, keep it and lose it.
//!
//! Every phase has constant acceleration and takes whole nanoseconds, rounded up; the top speed p makes up for that:
//! (w₀ + p)/2·T₁ + p·T₂ + (p + w₁)/2·T₃ is the length of the line. So every piece is a quadratic in time, exact except
//! for the last bits.

use pathproof::robot::Knot;

use super::course::{Course, SHORTEST};
use super::speeds::{Passing, seconds, whole};

/// Longest phase, in seconds.
const LONGEST: f64 = 1e8;

/// A phase of a line: its nanoseconds and its final speed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Phase {
    nanoseconds: u64,
    speed: f64,
}

/// The points of the trajectory.
pub(super) fn knots(course: &Course, passing: &Passing) -> Vec<Knot> {
    let mut clock = 0;
    let mut knots = vec![knot(0, course.points[0].clone(), course.first_velocities.clone())];
    for (number, line) in course.lines.iter().enumerate() {
        let (length, [before, after]) =
            (course.straight(number), [course.bends[number].half, course.bends[number + 1].half]);
        let ends = [passing.speeds[number], passing.speeds[number + 1]];
        let phases = phases(ends, length, course.shares[number] * line.acceleration);
        let (mut way, mut speed) = (0.0, ends[0]);
        for (i, phase) in phases.iter().enumerate() {
            clock += phase.nanoseconds;
            way += 0.5 * (speed + phase.speed) * seconds(phase.nanoseconds);
            speed = phase.speed;
            // The last phase ends where the next parabola begins and measures its place from there.
            let (from, s) = match i + 1 == phases.len() {
                true => (&course.points[number + 1], -after),
                false => (&course.points[number], before + way),
            };
            let positions = from.iter().zip(&line.direction).map(|(q, d)| q + s * d).collect();
            knots.push(knot(clock, positions, line.direction.iter().map(|d| speed * d).collect()));
        }
        if after > 0.0 {
            let next = &course.lines[number + 1].direction;
            let [_, end] = course.ends(number + 1, after);
            clock += passing.nanoseconds[number + 1];
            knots.push(knot(clock, end, next.iter().map(|d| passing.speeds[number + 1] * d).collect()));
        }
    }
    knots
}

fn knot(nanoseconds: u64, positions: Vec<f64>, velocities: Vec<f64>) -> Knot {
    Knot { time: seconds(nanoseconds), positions, velocities: Some(velocities), accelerations: None }
}

/// The phases of a line from speed w₀ to speed w₁ over a length, with at most this acceleration and speed 1. Takes the
/// fastest of a few profiles. They leave out or stretch phases that would be too short.
fn phases(ends: [f64; 2], length: f64, acceleration: f64) -> Vec<Phase> {
    let [w0, w1] = ends;
    let peak = (0.5 * (w0 * w0 + w1 * w1) + acceleration * length).sqrt().min(1.0 - 1e-6);
    let natural = |change: f64| (change / acceleration).max(0.0);
    let mut fastest: Option<Vec<Phase>> = None;
    for gain in [natural(peak - w0), SHORTEST, 0.0] {
        for lose in [natural(peak - w1), SHORTEST, 0.0] {
            let top = match (gain, lose) {
                (0.0, _) => w0,
                (_, 0.0) => w1,
                _ => peak,
            };
            let left = length - 0.5 * ((w0 + top) * gain + (top + w1) * lose);
            for keep in [left / top, SHORTEST, 0.0] {
                let profile = profile(ends, length, acceleration, [gain, keep, lose]);
                let is_faster = |profile: &Vec<Phase>| fastest.as_ref().is_none_or(|best| total(profile) < total(best));
                if let Some(profile) = profile.filter(is_faster) {
                    fastest = Some(profile);
                }
            }
        }
    }
    // A single acceleration is always possible. It is cut in two halves because there must be a speed to choose.
    let half = whole(length / (w0 + w1));
    fastest.unwrap_or_else(|| with_speed(ends, length, vec![half; 2]))
}

/// Phases of these times in seconds; `None` if they exceed the acceleration or the speed, or are too short.
fn profile(ends: [f64; 2], length: f64, acceleration: f64, times: [f64; 3]) -> Option<Vec<Phase>> {
    if !times.iter().all(|time| *time < LONGEST) {
        return None;
    }
    let times: Vec<u64> = times.into_iter().filter(|time| *time > 0.0).map(whole).collect();
    let is_long = |time: &u64| *time >= whole(SHORTEST);
    if times.len() < 2 || !times.iter().all(is_long) {
        return None;
    }
    let phases = with_speed(ends, length, times);
    let mut speed = ends[0];
    let is_possible = phases.iter().all(|phase| {
        let change = std::mem::replace(&mut speed, phase.speed) - phase.speed;
        change.abs() <= acceleration * seconds(phase.nanoseconds) && (0.0..1.0).contains(&phase.speed)
    });
    is_possible.then_some(phases)
}

/// Two or three phases of these times, at the speed between them that makes them cover the length.
fn with_speed([w0, w1]: [f64; 2], length: f64, times: Vec<u64>) -> Vec<Phase> {
    let all: f64 = times.iter().map(|time| seconds(*time)).sum();
    let [first, last] = [times[0], times[times.len() - 1]].map(seconds);
    let speed = (length - 0.5 * (w0 * first + w1 * last)) / (all - 0.5 * (first + last));
    let count = times.len();
    let phase = |(i, nanoseconds)| Phase { nanoseconds, speed: if i + 1 == count { w1 } else { speed } };
    times.into_iter().enumerate().map(phase).collect()
}

fn total(phases: &[Phase]) -> u64 {
    phases.iter().map(|phase| phase.nanoseconds).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The length that phases cover, and the largest acceleration in them.
    fn covered(w0: f64, phases: &[Phase]) -> (f64, f64) {
        let (mut way, mut most, mut speed) = (0.0, 0.0_f64, w0);
        for phase in phases {
            let time = seconds(phase.nanoseconds);
            way += 0.5 * (speed + phase.speed) * time;
            most = most.max((phase.speed - speed).abs() / time);
            speed = phase.speed;
        }
        (way, most)
    }

    #[test]
    fn phases_cover_the_line_within_the_limits_and_end_with_the_speed_asked_for() {
        let mut random = pathproof::numeric::Random::new(7);
        for _ in 0..20_000 {
            let acceleration = 10.0_f64.powf(2.0 * random.unit() - 0.5);
            let length = 10.0_f64.powf(2.0 * random.unit() - 2.0);
            let w0 = if random.below(3) == 0 { 0.0 } else { random.unit().abs() };
            let reach = 2.0 * acceleration * length;
            let least = (w0 * w0 - reach).max(0.0).sqrt();
            let most = (w0 * w0 + reach).sqrt().min(0.999);
            let w1 = match random.below(4) {
                0 => least,
                1 => most,
                _ => least + (most - least) * random.unit().abs(),
            };
            let phases = phases([w0, w1], length, acceleration);
            let (way, rate) = covered(w0, &phases);
            assert!((way - length).abs() < 1e-12, "{w0} {w1} {length} {acceleration}: {phases:?}");
            assert!(phases.last().is_some_and(|last| last.speed == w1));
            let is_short = length / (w0 + w1).max(1e-9) < 4.0 * SHORTEST;
            assert!(is_short || rate <= acceleration * 1.001, "{w0} {w1} {length} {acceleration}: {rate} {phases:?}");
            assert!(phases.iter().all(|phase| (0.0..=1.0).contains(&phase.speed)), "{w0} {w1} {length}: {phases:?}");
        }
    }
}
