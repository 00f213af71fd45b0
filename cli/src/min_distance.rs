//! `pathproof check --min-distance`: the smallest distance along a path, as text and JSON.

use std::io::{self, Write};

use pathproof::check::{Answer, Limit, SmallestDistance, Verdict};
use pathproof::numeric::most;
use pathproof::path::Motion;
use pathproof::scene::{PairKind, PerKind, Scene};
use serde::Serialize;

use crate::numbers::{at_least, at_most, rounded};
use crate::report;

/// Smallest distance for each kind of pair.
pub(crate) type Smallest = PerKind<Option<SmallestDistance>>;

/// The smallest distance in JSON.
#[derive(Serialize)]
pub(crate) struct Line<'a> {
    #[serde(flatten)]
    overall: Nearest<'a>,
    /// By kind of pair, if the scene checks both.
    #[serde(skip_serializing_if = "Option::is_none")]
    world: Option<Nearest<'a>>,
    #[serde(rename = "self", skip_serializing_if = "Option::is_none")]
    own_links: Option<Nearest<'a>>,
}

#[derive(Serialize)]
struct Nearest<'a> {
    /// Proven; `null` where a limit left it open.
    lower: Option<f64>,
    upper: f64,
    segment: usize,
    t: f64,
    /// In seconds, if the path has times.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<f64>,
    bodies: [&'a str; 2],
}

/// Keeps the larger bound on both sides: both the check and this search have proven one.
pub(crate) fn refine(smallest: &mut Smallest, answer: &mut Answer) {
    let Verdict::Free(free) = &mut answer.verdict else { return };
    for kind in PairKind::ALL {
        if let Some(smallest) = &mut smallest[kind] {
            let lower = most(free.lower[kind], smallest.lower);
            (free.lower[kind], smallest.lower) = (lower, lower);
        }
    }
}

/// Warning if a limit ended the search.
pub(crate) fn incomplete(smallest: &Smallest) -> Option<String> {
    let limit = match PairKind::ALL.into_iter().find_map(|kind| smallest[kind].as_ref()?.limit)? {
        Limit::Queries => "--max-queries",
        Limit::Seconds => "--max-seconds",
        Limit::Resolution => "resolution",
    };
    Some(format!("the limit of {limit} was reached: the bounds on the smallest distance hold, but are wide"))
}

/// The smallest distance in JSON; `None` where no pair is checked.
pub(crate) fn line<'a>(smallest: &Smallest, scene: &'a Scene, path: Option<&Motion>) -> Option<Line<'a>> {
    let nearest = |smallest: &SmallestDistance| nearest(smallest, scene, path);
    let overall = nearest(&smallest.clone().overall()?);
    let has_both = smallest.world.is_some() && smallest.own_links.is_some();
    let of = |kind: PairKind| smallest[kind].as_ref().filter(|_| has_both).map(nearest);
    Some(Line { overall, world: of(PairKind::World), own_links: of(PairKind::OwnLinks) })
}

fn nearest<'a>(smallest: &SmallestDistance, scene: &'a Scene, path: Option<&Motion>) -> Nearest<'a> {
    let SmallestDistance { lower, nearest, .. } = smallest;
    Nearest {
        lower: Some(*lower).filter(|lower| lower.is_finite()),
        upper: nearest.distance,
        segment: nearest.segment,
        t: nearest.t,
        time: path.and_then(|path| path.time_at(nearest.segment, nearest.t)),
        bodies: report::names(scene, nearest.bodies),
    }
}

/// Writes text, one line for each kind of pair.
pub(crate) fn write_text(
    smallest: &Smallest,
    scene: &Scene,
    path: Option<&Motion>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let has_both = smallest.world.is_some() && smallest.own_links.is_some();
    for kind in PairKind::ALL {
        let Some(smallest) = &smallest[kind] else { continue };
        let Nearest { lower, upper, segment, t, time, bodies: [a, b] } = nearest(smallest, scene, path);
        let time = report::time_text(time);
        let (upper, t) = (at_most(upper), rounded(t));
        let bounds = match lower {
            Some(lower) => format!("between {} and {upper}", at_least(lower)),
            None => format!("at most {upper}"),
        };
        let label = label(kind, has_both);
        writeln!(out, "  {label:<14} {bounds}: {a} and {b}, segment {segment}, t = {t}{time}")?;
    }
    Ok(())
}

/// Label of a smallest distance: its kind, if there are two.
pub(crate) fn label(kind: PairKind, has_both: bool) -> &'static str {
    match (has_both, kind) {
        (false, _) => "smallest",
        (true, PairKind::World) => "to the world",
        (true, PairKind::OwnLinks) => "own links",
    }
}
