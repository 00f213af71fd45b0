//! Chooses how far each corner is rounded: first as far as is free, then as far as saves time.
//!
//! A larger parabola is passed faster, but at one constant speed, and the straight rest of its lines must suffice to
//! reach that speed. So each corner is shrunk or grown while that saves time on the lines around it.

use pathproof::check::{CheckError, CheckScratch, Checker, Report, Settings, Verdict};
use pathproof::path::Motion;
use pathproof::robot::Polynomial;

use super::TimeError;
use super::course::{Course, SHORTEST, SMALLEST};
use super::speeds;

/// Share of a line that the parabola at either end takes at first.
const SHARE_OF_LINE: f64 = 0.45;
/// Halvings of the gap between a parabola that is free and one that is not.
const BISECTIONS: usize = 3;
/// Factors by which a corner is changed to save time, and number of passes over all corners.
const FACTORS: [f64; 4] = [0.5, 0.8, 1.25, 2.0];
const SWEEPS: usize = 3;
/// Lines on either side that count when a corner is chosen.
const NEIGHBOURS: usize = 4;
/// Seconds that a change must save.
const LEAST_SAVING: f64 = 1e-5;

/// A course in which corners are rounded, and what limits them.
pub(super) struct Rounding<'a> {
    pub(super) course: &'a mut Course,
    pub(super) checker: &'a Checker,
    pub(super) scratch: &'a mut CheckScratch,
    /// Largest allowed distance between a corner and its waypoint.
    pub(super) most: Option<f64>,
}

impl Rounding<'_> {
    /// Rounds all corners.
    pub(super) fn run(&mut self) -> Result<(), TimeError> {
        let inner = 1..self.course.points.len().saturating_sub(1);
        for corner in inner.clone() {
            self.course.bends[corner].half = self.largest_free(corner)?;
        }
        for _ in 0..SWEEPS {
            let mut is_better = false;
            for corner in inner.clone().filter(|corner| *corner > 0) {
                is_better |= self.improve(corner)?;
            }
            if !is_better {
                break;
            }
        }
        Ok(())
    }

    /// Changes a corner if that saves time.
    fn improve(&mut self, corner: usize) -> Result<bool, TimeError> {
        let half = self.course.bends[corner].half;
        if half == 0.0 {
            return Ok(false);
        }
        let lines = corner.saturating_sub(NEIGHBOURS)..(corner + NEIGHBOURS).min(self.course.lines.len());
        let outside = speeds::reachable(self.course);
        let mut best = (speeds::seconds_on(self.course, lines.clone(), &outside) - LEAST_SAVING, half);
        for factor in FACTORS {
            let other = (factor * half).min(self.upper_half(corner));
            if !(other > SMALLEST) || other == half {
                continue;
            }
            self.course.bends[corner].half = other;
            let seconds = speeds::seconds_on(self.course, lines.clone(), &outside);
            if seconds < best.0 && self.is_free(corner, other)? {
                best = (seconds, other);
            }
        }
        self.course.bends[corner].half = best.1;
        Ok(best.1 != half)
    }

    /// Upper bound on a corner's half length that its neighbours leave.
    fn upper_half(&self, corner: usize) -> f64 {
        let left = self.course.straight(corner - 1).min(self.course.straight(corner)) - SHORTEST;
        (self.course.bends[corner].half + left).min(self.allowed(corner))
    }

    fn allowed(&self, corner: usize) -> f64 {
        self.most.map_or(f64::INFINITY, |most| 4.0 * most / self.course.bends[corner].turn)
    }

    /// The largest free half length; 0 if there is none.
    fn largest_free(&mut self, corner: usize) -> Result<f64, TimeError> {
        let shorter = self.course.lines[corner - 1].length.min(self.course.lines[corner].length);
        let largest = (SHARE_OF_LINE * shorter).min(0.5 * (shorter - SHORTEST)).min(self.allowed(corner));
        let (mut free, mut other) = (largest, None);
        // NaN ends the loop.
        while free > SMALLEST && !self.is_free(corner, free)? {
            other = Some(free);
            free *= 0.5;
        }
        if !(free > SMALLEST) {
            return Ok(0.0);
        }
        for _ in 0..BISECTIONS {
            let Some(not_free) = other else { break };
            let middle = 0.5 * (free + not_free);
            match self.is_free(corner, middle)? {
                true => free = middle,
                false => other = Some(middle),
            }
        }
        Ok(free)
    }

    /// True if the parabola of a corner is proven free.
    fn is_free(&mut self, corner: usize, half: f64) -> Result<bool, TimeError> {
        let [from, to] = self.course.ends(corner, half);
        let polynomial = |k: usize| Polynomial::from_bernstein(&[from[k], self.course.points[corner][k], to[k]]);
        let piece: Vec<Polynomial> = (0..from.len()).filter_map(polynomial).collect();
        let motion = Motion::polynomials(self.checker.scene().model(), &[piece])?;
        let settings = Settings { report: Report::Any, ..Settings::default() };
        match self.checker.path(&motion, &settings, self.scratch) {
            Ok(answer) => Ok(matches!(answer.verdict, Verdict::Free(_))),
            Err(CheckError::Motion { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}
