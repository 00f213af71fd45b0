//! Chooses the speed at every corner: as fast as its parabola allows and the corners around it can be reached.
//!
//! On a line |ds̈| ≤ A, so the speeds w at its ends keep |w₁² − w₀²| ≤ 2A·(length of its straight part). One pass
//! forward and one backward lower the speeds by the least that this requires. Times of parabolas are whole nanoseconds.

use std::ops::Range;

use super::course::{Course, SHORTEST};

/// Speeds at all points of a course, and the time of each parabola in nanoseconds.
pub(super) struct Passing {
    pub(super) speeds: Vec<f64>,
    pub(super) nanoseconds: Vec<u64>,
}

/// Speeds at the corners. If the robot moves at the start, tightens the first corner until it can be reached; a stop
/// always can.
pub(super) fn of_corners(course: &mut Course) -> Passing {
    let mut speeds = reachable(course);
    while course.bends.get(1).is_some_and(|bend| bend.half > 0.0) && !is_reached(course, &speeds) {
        course.halve(1);
        speeds = reachable(course);
    }
    let mut nanoseconds = vec![0; speeds.len()];
    for corner in (0..speeds.len()).filter(|&corner| course.bends[corner].half > 0.0) {
        let way = 2.0 * course.bends[corner].half;
        nanoseconds[corner] = whole(way / speeds[corner]);
        speeds[corner] = way / seconds(nanoseconds[corner]);
    }
    Passing { speeds, nanoseconds }
}

/// Speeds that the parabolas allow and that can be reached from each other; the speed at the start is given.
pub(super) fn reachable(course: &Course) -> Vec<f64> {
    let mut speeds: Vec<f64> = (0..course.points.len()).map(|i| upper_speed(course, i)).collect();
    lower(course, 0..course.lines.len(), &mut speeds);
    speeds
}

/// Approximate seconds for a range of lines and the corners in it; speeds outside of it are given.
pub(super) fn seconds_on(course: &Course, lines: Range<usize>, outside: &[f64]) -> f64 {
    let mut speeds = outside.to_vec();
    for corner in lines.start + 1..lines.end {
        speeds[corner] = upper_speed(course, corner);
    }
    lower(course, lines.clone(), &mut speeds);
    let straight = |line: usize| {
        let (w0, w1) = (speeds[line], speeds[line + 1]);
        let (length, rate) = (course.straight(line), course.shares[line] * course.lines[line].acceleration);
        let top = (0.5 * (w0 * w0 + w1 * w1) + rate * length).sqrt().min(1.0);
        let changing = (2.0 * top - w0 - w1) / rate;
        changing + (length - (top * top - 0.5 * (w0 * w0 + w1 * w1)) / rate).max(0.0) / top
    };
    let corner = |corner: usize| match course.bends[corner].half {
        0.0 => 0.0,
        half => 2.0 * half / speeds[corner],
    };
    lines.clone().map(straight).sum::<f64>() + (lines.start + 1..lines.end).map(corner).sum::<f64>()
}

/// Upper bound on the speed at a corner by itself, such that the straight parts of its lines take a while, too.
fn upper_speed(course: &Course, corner: usize) -> f64 {
    if corner == 0 {
        return course.first_speed;
    }
    let lines = [corner - 1, corner].into_iter().filter(|line| *line < course.lines.len());
    lines.map(|line| course.straight(line) / SHORTEST).fold(course.upper_speed(corner), f64::min)
}

/// Lowers speeds until each can be reached from its neighbours.
fn lower(course: &Course, lines: Range<usize>, speeds: &mut [f64]) {
    for line in lines.clone() {
        speeds[line + 1] = speeds[line + 1].min((speeds[line].powi(2) + gain(course, line)).sqrt());
    }
    for line in lines.rev().filter(|line| *line > 0) {
        speeds[line] = speeds[line].min((speeds[line + 1].powi(2) + gain(course, line)).sqrt());
    }
}

/// True if the robot can slow down to the speed of the first corner.
fn is_reached(course: &Course, speeds: &[f64]) -> bool {
    speeds[0].powi(2) <= speeds[1].powi(2) + gain(course, 0)
}

/// The largest change of the squared speed on a line.
fn gain(course: &Course, line: usize) -> f64 {
    2.0 * course.shares[line] * course.lines[line].acceleration * course.straight(line).max(0.0)
}

/// Whole nanoseconds, rounded up.
pub(super) fn whole(seconds: f64) -> u64 {
    (seconds * 1e9).ceil() as u64
}

/// Nanoseconds as seconds, for messages.
pub(super) fn seconds(nanoseconds: u64) -> f64 {
    let (sec, nanosec) = (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000);
    sec as f64 + nanosec as f64 * 1e-9
}
