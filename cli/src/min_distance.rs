//! `pathproof check --min-distance`: the smallest distance over a path, as text and JSON.

use std::io::{self, Write};

use pathproof::check::{Answer, Limit, SmallestDistance, Verdict};
use pathproof::path::Motion;
use pathproof::scene::Scene;
use serde::Serialize;

use crate::numbers::{at_least, at_most, rounded};
use crate::report;

/// What JSON says about it.
#[derive(Serialize)]
pub(crate) struct Line<'a> {
    /// Proven; `null` where a limit left it open.
    lower: Option<f64>,
    upper: f64,
    segment: usize,
    t: f64,
    /// In seconds, where the path has times.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<f64>,
    bodies: [&'a str; 2],
}

/// Both proofs hold: the check's and this one. The larger bound is kept on both sides.
pub(crate) fn refine(smallest: &mut SmallestDistance, answer: &mut Answer) {
    if let Verdict::Free(free) = &mut answer.verdict {
        let lower = if free.lower_clearance > smallest.lower { free.lower_clearance } else { smallest.lower };
        (free.lower_clearance, smallest.lower) = (lower, lower);
    }
}

/// What to say where a limit ended the search.
pub(crate) fn incomplete(smallest: &SmallestDistance) -> Option<String> {
    let limit = match smallest.limit? {
        Limit::Queries => "--max-queries",
        Limit::Seconds => "--max-seconds",
        Limit::Resolution => "resolution",
    };
    Some(format!("the limit of {limit} was reached: the bounds on the smallest distance hold, but are wide"))
}

pub(crate) fn line<'a>(smallest: &SmallestDistance, scene: &'a Scene, path: Option<&Motion>) -> Line<'a> {
    let SmallestDistance { lower, nearest, .. } = smallest;
    Line {
        lower: Some(*lower).filter(|lower| lower.is_finite()),
        upper: nearest.distance,
        segment: nearest.segment,
        t: nearest.t,
        time: path.and_then(|path| path.time_at(nearest.segment, nearest.t)),
        bodies: report::names(scene, nearest.bodies),
    }
}

pub(crate) fn write_text(
    smallest: &SmallestDistance,
    scene: &Scene,
    path: Option<&Motion>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Line { lower, upper, segment, t, time, bodies: [a, b] } = line(smallest, scene, path);
    let time = report::time_text(time);
    let (upper, t) = (at_most(upper), rounded(t));
    let bounds = match lower {
        Some(lower) => format!("between {} and {upper}", at_least(lower)),
        None => format!("at most {upper}"),
    };
    writeln!(out, "  smallest       {bounds}: {a} and {b}, segment {segment}, t = {t}{time}")
}
