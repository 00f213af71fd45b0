//! The answer to a check: the four verdicts of the contract, each with its evidence.

use super::warning::Warning;
use crate::numeric::{DVec3, least};
use crate::path::Version;
use crate::scene::PerKind;

/// The answer for a segment or a path. Anything but `Free` leaves it unproven.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum Verdict {
    /// Proven: at every configuration every checked pair is farther apart than its clearance, rounding included.
    Free(Free),
    /// At the configuration given, the pair given has a distance of at most min(clearance, 0).
    Collision(Finding),
    /// At the configuration given, the pair given is no farther apart than clearance plus tolerance.
    TooClose(Finding),
    /// A limit or the resolution of arithmetic ended the search.
    Undecided(Unresolved),
}

impl Verdict {
    /// Its name in files and answers.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Free(_) => "free",
            Self::Collision(_) => "collision",
            Self::TooClose(_) => "too_close",
            Self::Undecided(_) => "undecided",
        }
    }
}

/// Bounds that the proof of `Free` yields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Free {
    /// Proven lower bound on the smallest distance over all configurations and pairs of each kind, in metres. Infinite
    /// if no pair of that kind is checked.
    pub lower: PerKind<f64>,
}

impl Free {
    /// Proven lower bound on the smallest distance over all configurations and pairs, in metres. Infinite if no pair
    /// is checked.
    pub fn lower_clearance(&self) -> f64 {
        self.lower.overall()
    }
}

/// A pair that is in contact or too close, and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Segment of the path, from 0.
    pub segment: usize,
    /// Position on the segment, in [0, 1].
    pub t: f64,
    /// The configuration there.
    pub configuration: Vec<f64>,
    /// Indices of the two bodies in the scene.
    pub bodies: [usize; 2],
    /// Upper bound on their distance in metres; 0 or the (negative) signed distance in a collision.
    pub distance: f64,
    /// A point of each body in the world.
    pub points: [DVec3; 2],
    /// The pair's clearance in metres.
    pub clearance: f64,
    /// The version of the motion that it belongs to.
    pub version: Version,
}

impl Finding {
    /// True if the pair is in contact (or deeper than a negative clearance allows), not only too close.
    pub fn is_collision(&self) -> bool {
        self.distance <= contact(self.clearance)
    }

    /// The verdict that the finding stands for.
    pub fn verdict(self) -> Verdict {
        if self.is_collision() { Verdict::Collision(self) } else { Verdict::TooClose(self) }
    }

    /// Order along the path; findings at one place in the order of their bodies.
    pub(super) fn along_path(&self, other: &Self) -> std::cmp::Ordering {
        self.segment.cmp(&other.segment).then(self.t.total_cmp(&other.t)).then(self.bodies.cmp(&other.bodies))
    }
}

/// The distance at which a pair of this clearance collides.
pub(super) fn contact(clearance: f64) -> f64 {
    least(clearance, 0.0)
}

/// A part that a search did not resolve.
#[derive(Clone, Debug, PartialEq)]
pub struct Unresolved {
    /// Limit that ended the search.
    pub limit: Limit,
    /// Segment of the path, from 0.
    pub segment: usize,
    /// Interval of the segment.
    pub interval: [f64; 2],
    /// A pair of bodies not proven apart there.
    pub bodies: [usize; 2],
}

/// Limit that ended a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The number of distance queries that the user allowed.
    Queries,
    /// The time that the user allowed, or [`super::Settings::interrupt`].
    Seconds,
    /// Further halving would be below rounding: the pair grazes its clearance.
    Resolution,
}

impl Limit {
    /// Its name in files and answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Queries => "queries",
            Self::Seconds => "seconds",
            Self::Resolution => "resolution",
        }
    }
}

/// Amount of work of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Configurations whose poses were computed.
    pub configurations: u64,
    /// Pairs of bodies whose distance was bounded at a configuration.
    pub distance_queries: u64,
    /// Pairs of bounding volumes.
    pub volume_tests: u64,
    /// Pairs of primitives.
    pub triangle_tests: u64,
    /// Cells cut in two.
    pub bisections: u64,
}

impl std::ops::Sub for Statistics {
    type Output = Self;

    /// The work done since `earlier`.
    fn sub(self, earlier: Self) -> Self {
        Self {
            configurations: self.configurations - earlier.configurations,
            distance_queries: self.distance_queries - earlier.distance_queries,
            volume_tests: self.volume_tests - earlier.volume_tests,
            triangle_tests: self.triangle_tests - earlier.triangle_tests,
            bisections: self.bisections - earlier.bisections,
        }
    }
}

impl std::ops::AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        self.configurations += other.configurations;
        self.distance_queries += other.distance_queries;
        self.volume_tests += other.volume_tests;
        self.triangle_tests += other.triangle_tests;
        self.bisections += other.bisections;
    }
}

/// A place on a path.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Place {
    /// Segment of the path, from 0.
    pub segment: usize,
    /// Position on the segment, in [0, 1].
    pub t: f64,
}

/// The answer to a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The verdict. With [`super::Report::All`]: the first collision along the path, else the first place that is too
    /// close.
    pub verdict: Verdict,
    /// With [`super::Report::All`]: every offending pair and segment along the path, the verdict's among them.
    pub findings: Vec<Finding>,
    /// Unresolved part. With [`super::Report::First`] and [`super::Report::All`] it may be present along with
    /// findings: there may be more, or an earlier one.
    pub unresolved: Option<Unresolved>,
    /// With [`super::Report::First`]: every pair is proven farther apart than its clearance before this place, and
    /// between it and the finding no pair moves by more than a quarter of the tolerance.
    pub free_until: Option<Place>,
    /// The tolerance that the answer keeps, in metres: the scene's, or what rounding allows where that is more. A
    /// tolerance of 0 stays 0.
    pub tolerance: f64,
    /// The work done.
    pub statistics: Statistics,
    /// Warnings besides the verdict; made only by [`super::Checker::path`], [`super::Checker::path_on_threads`] and
    /// [`super::Checker::certify`].
    pub warnings: Vec<Warning>,
}

impl Answer {
    /// True if the search was complete: no limit ended it early.
    pub fn is_complete(&self) -> bool {
        self.unresolved.is_none()
    }
}

/// Result of a search, before it becomes an answer.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) findings: Vec<Finding>,
    pub(super) unresolved: Option<Unresolved>,
    pub(super) free_until: Option<Place>,
    pub(super) lower: PerKind<f64>,
    pub(super) tolerance: f64,
    pub(super) statistics: Statistics,
}

impl Outcome {
    /// An outcome without findings and work; `tolerance` is the scene's.
    pub(super) fn new(tolerance: f64) -> Self {
        Self {
            findings: Vec::new(),
            unresolved: None,
            free_until: None,
            lower: PerKind::splat(f64::INFINITY),
            tolerance,
            statistics: Statistics::default(),
        }
    }

    /// Records an unresolved part, or a finding unless its bodies have one on that segment already.
    pub(super) fn note(&mut self, said: Result<Finding, Unresolved>) {
        match said {
            Ok(finding) => {
                let is_told = |told: &Finding| told.segment == finding.segment && told.bodies == finding.bodies;
                if !self.findings.iter().any(is_told) {
                    self.findings.push(finding);
                }
            }
            Err(left) => drop(self.unresolved.get_or_insert(left)),
        }
    }

    /// The answer, with findings in the order of the path.
    pub(super) fn answer(mut self) -> Answer {
        self.findings.sort_by(Finding::along_path);
        let collision = self.findings.iter().find(|finding| finding.is_collision());
        let verdict = match (collision.or_else(|| self.findings.first()), &self.unresolved) {
            (Some(finding), _) => finding.clone().verdict(),
            (None, Some(unresolved)) => Verdict::Undecided(unresolved.clone()),
            (None, None) => Verdict::Free(Free { lower: self.lower }),
        };
        let Self { findings, unresolved, free_until, tolerance, statistics, .. } = self;
        Answer { verdict, findings, unresolved, free_until, tolerance, statistics, warnings: Vec::new() }
    }
}
