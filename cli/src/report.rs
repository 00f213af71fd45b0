//! Answers of the checker as text and as JSON; `check` and `batch` share them. Numbers in JSON read back as the same
//! bits; in text they are rounded to relevant digits.

mod json;
mod text;

use std::time::Duration;

use pathproof::check::{Answer, Finding, Free, Report, Verdict};
use pathproof::path::Motion;
use pathproof::robot::Interpolation;
use pathproof::scene::Scene;

use crate::colour::Paint;
use crate::min_distance::Smallest;
use crate::profile_output;

pub(crate) use json::{Lower, write_json};
pub(crate) use text::{finding_text, open_text, time_text, write_text};

/// Answer with its question.
pub(crate) struct Reported<'a> {
    pub(crate) scene: &'a Scene,
    /// Names of the scene's variables, as JSON gives them.
    pub(crate) joints: &'a [String],
    pub(crate) answer: &'a Answer,
    /// Name of the path, if there are several.
    pub(crate) path: Option<&'a str>,
    /// Motion, which may have times.
    pub(crate) motion: Option<&'a Motion>,
    /// True if the answer names the interpolation between waypoints.
    pub(crate) names_interpolation: bool,
    /// Number of segments asked about; a single configuration counts as one.
    pub(crate) segments: usize,
    /// Kind of report requested.
    pub(crate) report: Report,
    pub(crate) warnings: &'a [String],
    /// Assumptions that were not stated.
    pub(crate) notes: &'a [String],
    /// Duration; left out if the same bytes are promised.
    pub(crate) time: Option<Duration>,
    /// Row of a batch.
    pub(crate) row: Option<u64>,
    /// Profile that was also written.
    pub(crate) profile: Option<&'a profile_output::Written>,
    /// Smallest distance, if requested.
    pub(crate) smallest: Option<&'a Smallest>,
    /// Choice of coloured text.
    pub(crate) paint: Paint,
}

impl Reported<'_> {
    /// Interpolation between waypoints, if there is any doubt.
    fn interpolation(&self) -> Option<Interpolation> {
        self.motion.filter(|_| self.names_interpolation).map(Motion::interpolation)
    }

    fn time_at(&self, found: &Finding) -> Option<f64> {
        self.time_of(found.segment, found.t)
    }

    fn time_of(&self, segment: usize, t: f64) -> Option<f64> {
        self.motion?.time_at(segment, t)
    }
}

/// Proven lower bound on the distance of all pairs; `None` if no pair is checked.
pub(crate) fn lower_clearance(free: &Free) -> Option<f64> {
    Some(free.lower_clearance()).filter(|lower| lower.is_finite())
}

/// The names of a scene's variables.
pub(crate) fn joint_names(scene: &Scene) -> Vec<String> {
    scene.model().variables().iter().map(|variable| variable.name.clone()).collect()
}

/// Index of a verdict: free, collision, too close, undecided.
pub(crate) fn verdict_number(verdict: &Verdict) -> usize {
    match verdict {
        Verdict::Free(_) => 0,
        Verdict::Collision(_) => 1,
        Verdict::TooClose(_) => 2,
        Verdict::Undecided(_) => 3,
    }
}

/// Names of a pair of bodies.
pub(crate) fn names(scene: &Scene, bodies: [usize; 2]) -> [&str; 2] {
    bodies.map(|body| scene.bodies()[body].name.as_str())
}

/// Clearance required of a pair.
fn pair_clearance(scene: &Scene, bodies: [usize; 2]) -> f64 {
    scene.checked_pair(bodies).map_or(scene.clearance(), |pair| pair.clearance)
}
