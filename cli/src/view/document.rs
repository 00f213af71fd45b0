//! Data of the page as JSON: words ready for display, numbers for drawing, and the positions of the arrays.

use std::collections::HashSet;

use anyhow::Result;
use pathproof::check::{Finding, Limit, Profile, Verdict};
use pathproof::numeric::DVec3;
use pathproof::scene::{PairKind, Scene};
use serde::Serialize;

use super::blob::Blob;
use super::clearance::{self, Clearance, Least};
use super::meshes::{self, Shape, Shapes};
use super::motion::{Place, Sampled, Track};
use super::{Shown, command_line};
use crate::clearances;
use crate::numbers::{at_least, at_most, counted, metres, rounded};
use crate::report;

/// Number of pairs that are listed: the nearest ones. A cell of many obstacles has thousands, and the page counts the
/// rest.
const MOST_PAIRS: usize = 500;
/// Number of findings that are listed.
const MOST_FINDINGS: usize = 1_000;
/// Scenes farther from the origin than this (metres) are moved there for display: single precision is coarse far away.
const FAR: f64 = 100.0;

/// The page's content.
#[derive(Serialize)]
pub(super) struct Document<'a> {
    schema: u32,
    kind: &'static str,
    pub(super) title: String,
    pub(super) verdict: &'static str,
    pub(super) headline: String,
    /// Labels and texts about the answer and about the page.
    facts: Vec<(&'static str, String)>,
    about: Vec<(&'static str, String)>,
    warnings: &'a [String],
    notes: &'a [String],
    bodies: Vec<Shape<'a>>,
    track: Track,
    axis: Axis,
    clearance: Clearance,
    /// Requested clearance and tolerance, in metres; the clearance of the strictest kind of pair.
    asked: [f64; 2],
    /// Same for the pairs of each kind, if the scene checks both.
    views: Vec<View>,
    findings: Vec<Found>,
    /// Intervals that a limit left open, and their bodies.
    open: Option<([f64; 2], [usize; 2])>,
    pairs: Vec<Pair>,
    /// Answer as `check` prints it; stands in the page itself.
    #[serde(skip)]
    pub(super) text: String,
}

/// The clearance of the pairs of one kind.
#[derive(Serialize)]
struct View {
    kind: &'static str,
    label: &'static str,
    clearance: Clearance,
    asked: [f64; 2],
}

/// Axis of the plot, which also sets the pace of the motion.
#[derive(Serialize)]
pub(super) struct Axis {
    /// Position of each waypoint.
    pub(super) waypoints: Vec<f64>,
    /// True if the axis is in seconds since the first one.
    pub(super) timed: bool,
    /// Time of the first one, in seconds; 0 without times.
    pub(super) start: f64,
    /// Duration of the whole playback, in seconds.
    pub(super) seconds: f64,
}

#[derive(Serialize)]
struct Found {
    kind: &'static str,
    /// Number of the sample at that place.
    sample: usize,
    bodies: [usize; 2],
    place: String,
    distance: String,
    /// In metres, relative to the page's origin.
    points: [[f64; 3]; 2],
    rows: Vec<(&'static str, String)>,
}

#[derive(Serialize)]
struct Pair {
    /// Number among all checked pairs.
    pair: usize,
    kind: &'static str,
    bodies: [usize; 2],
    lower: String,
    upper: String,
    sample: usize,
    /// Comparison of the proven bound with the requested clearance.
    state: &'static str,
}

pub(super) fn build<'a>(shown: &'a Shown<'_>, blob: &mut Blob) -> Result<Document<'a>> {
    let scene = shown.checker.scene();
    let mut findings = shown.findings();
    let found = findings.len();
    findings.truncate(MOST_FINDINGS);
    let mut least = clearance::least(scene, shown.profile);
    let listed = least.len().min(MOST_PAIRS);
    let kept: Vec<Place> = findings
        .iter()
        .map(|finding| Place { segment: finding.segment, t: finding.t })
        .chain(least[..listed].iter().map(|least| least.place))
        .collect();
    let axis = axis(shown);
    let sampled = Sampled::new(scene, shown.motion, &axis.waypoints, &kept)?;
    let origin = origin(scene, &sampled);
    let Shapes { bodies, shown: triangles, all } = meshes::shapes(scene, &sampled.links, origin, blob);
    let clearance =
        clearance::along(scene, shown.motion, &sampled, shown.profile, shown.settings, (&least, &mut *blob))?;
    let views = views(shown, &sampled, &least, blob)?;
    let pairs = least.len();
    let offending: HashSet<[usize; 2]> = shown.findings().iter().map(|finding| finding.bodies).collect();
    least.truncate(MOST_PAIRS);
    Ok(Document {
        schema: 1,
        kind: "path",
        title: format!("{} in {}", file_name(&shown.path_name), file_name(&shown.scene_name)),
        verdict: shown.answer.verdict.name(),
        headline: headline(shown),
        facts: facts(shown, [found, findings.len()], [pairs, least.len()]),
        about: about(shown, &sampled, [triangles, all], origin),
        warnings: shown.warnings,
        notes: shown.notes,
        bodies,
        track: sampled.track(blob, origin),
        axis,
        clearance,
        asked: [strictest(scene), shown.answer.tolerance],
        views,
        findings: findings.iter().map(|finding| one_found(shown, finding, &sampled, origin)).collect(),
        open: shown.answer.unresolved.as_ref().map(|open| {
            let from = open.segment as f64;
            (open.interval.map(|t| from + t), open.bodies)
        }),
        pairs: least.iter().map(|least| one_pair(shown, least, &sampled, &offending)).collect(),
        text: shown.text.clone(),
    })
}

/// Largest default clearance that applies to a pair.
fn strictest(scene: &Scene) -> f64 {
    let kinds = PairKind::ALL.into_iter().filter(|kind| clearances::has_kind(scene, *kind));
    kinds.map(|kind| scene.clearances()[kind]).reduce(f64::max).unwrap_or(scene.clearance())
}

/// Clearance along the path for each kind of pair, if the scene checks both.
fn views(shown: &Shown<'_>, sampled: &Sampled, least: &[Least], blob: &mut Blob) -> Result<Vec<View>> {
    let scene = shown.checker.scene();
    if !clearances::has_both_kinds(scene) {
        return Ok(Vec::new());
    }
    let mut views = Vec::new();
    for kind in PairKind::ALL {
        let is_meant = |bodies: [usize; 2]| scene.checked_pair(bodies).is_some_and(|pair| pair.kind == kind);
        let profile = Profile {
            pieces: shown.profile.pieces.iter().filter(|piece| is_meant(piece.bodies)).copied().collect(),
            ..*shown.profile
        };
        let least: Vec<Least> = least.iter().filter(|least| scene.pairs()[least.pair].kind == kind).cloned().collect();
        let clearance = clearance::along(scene, shown.motion, sampled, &profile, shown.settings, (&least, &mut *blob))?;
        let asked = [scene.clearances()[kind], shown.answer.tolerance];
        views.push(View { kind: kind.name(), label: clearances::towards(kind), clearance, asked });
    }
    Ok(views)
}

pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

pub(super) fn headline(shown: &Shown<'_>) -> String {
    let scene = shown.checker.scene();
    match &shown.answer.verdict {
        Verdict::Free(_) if scene.pairs().is_empty() => "nothing was checked".into(),
        Verdict::Free(_) => "proven for every configuration of the path".into(),
        Verdict::Collision(found) | Verdict::TooClose(found) => both(scene, found.bodies),
        Verdict::Undecided(open) => {
            format!("{} are neither proven apart nor found too close", both(scene, open.bodies))
        }
    }
}

fn both(scene: &Scene, bodies: [usize; 2]) -> String {
    let [a, b] = report::names(scene, bodies);
    format!("{a} and {b}")
}

fn facts(shown: &Shown<'_>, findings: [usize; 2], pairs: [usize; 2]) -> Vec<(&'static str, String)> {
    let (scene, answer) = (shown.checker.scene(), shown.answer);
    let pairs_text = counted(scene.pairs().len(), "pair");
    let asked = format!("{}, {pairs_text} of bodies", counted(shown.segments(), "segment"));
    let mut facts = Vec::new();
    facts.push(match &answer.verdict {
        Verdict::Free(_) => ("Proven", format!("{asked}, at every configuration, rounding included")),
        _ => ("Asked about", asked),
    });
    facts
        .push(("Asked for", format!("more than {}, tolerance {}", clearances::asked(scene), metres(answer.tolerance))));
    let own = scene.pairs().iter().filter(|pair| pair.has_own_clearance).count();
    if own > 0 {
        facts.push(("Own clearance", format!("{own} pairs have one of their own")));
    }
    for kind in PairKind::ALL {
        if let Some((lower, nearest)) = shown.profile.nearest_of(scene, kind) {
            let bounds = format!("between {} (proven) and {} (measured)", at_least(lower), at_most(nearest.upper));
            let towards = if clearances::has_both_kinds(scene) {
                format!(" {}", clearances::towards(kind))
            } else {
                String::new()
            };
            facts.push(("Smallest distance", bounds + &towards));
        }
    }
    if let (Some(place), false) = (answer.free_until, matches!(answer.verdict, Verdict::Free(_))) {
        facts.push(("Proven free until", format!("segment {}, t = {}", place.segment, rounded(place.t))));
    }
    if let Some(open) = &answer.unresolved {
        facts.push(("Left open", report::open_text(scene, open)));
    }
    facts.push(("Certificate", shown.certificate.clone()));
    for ([all, listed], what) in [(findings, "findings"), (pairs, "pairs")] {
        if listed < all {
            facts.push(("Listed", format!("the first {listed} of {all} {what}")));
        }
    }
    if let Some(limit) = shown.profile.limit {
        let limit = match limit {
            Limit::Queries => "--max-queries",
            Limit::Seconds => "--max-seconds",
            Limit::Resolution => "the resolution of arithmetic",
        };
        facts.push(("Bounds", format!("hold, but some are wider than the tolerance: {limit} ended the refining")));
    }
    facts
}

fn about(
    shown: &Shown<'_>,
    sampled: &Sampled,
    [triangles, all]: [usize; 2],
    origin: DVec3,
) -> Vec<(&'static str, String)> {
    let work = &shown.answer.statistics;
    let mut about = vec![
        ("Scene", shown.scene_name.clone()),
        ("Path", format!("{}, {}", shown.path_name, counted(shown.motion.waypoints().len(), "waypoint"))),
        ("Made by", command_line()),
        ("Version", format!("pathproof {}", env!("CARGO_PKG_VERSION"))),
        (
            "Work",
            format!(
                "{}, distance queries: {}, {}",
                counted(work.configurations as usize, "configuration"),
                work.distance_queries,
                counted(work.bisections as usize, "bisection")
            ),
        ),
    ];
    let simple = meshes::told([triangles, all]);
    let error = metres(sampled.error);
    about.push(("Display", format!(
        "{simple}, coordinates rounded; poses at {} places, between them bodies are within some {error} of where they are. The check used everything as it was read.",
        sampled.places.len()
    )));
    about.extend(moved(origin));
    about
}

/// Note if the page has an origin of its own.
pub(super) fn moved(origin: DVec3) -> Option<(&'static str, String)> {
    let text = format!("the display has its origin at ({}, {}, {}) m", origin.x, origin.y, origin.z);
    (origin != DVec3::ZERO).then_some(("Moved", text))
}

/// Origin of the page's world.
fn origin(scene: &Scene, sampled: &Sampled) -> DVec3 {
    let first = sampled.links.first().and_then(|link| sampled.pose(0, *link)).map(|pose| pose.translation);
    let still = || scene.bodies().first().map(|body| body.link_from_body.translation);
    first.or_else(still).map_or(DVec3::ZERO, origin_near)
}

/// Whole metres near a point of the scene if that is far from the world's own origin, else that origin.
pub(super) fn origin_near(point: DVec3) -> DVec3 {
    if point.length() > FAR { point.round() } else { DVec3::ZERO }
}

/// Seconds if the path has them; else each segment is as long as its largest joint motion.
fn axis(shown: &Shown<'_>) -> Axis {
    let q = shown.motion.waypoints();
    let times = shown.motion.times().filter(|times| times[times.len() - 1] > times[0]);
    let (mut waypoints, timed) = match times {
        Some(times) => (times.iter().map(|time| time - times[0]).collect::<Vec<_>>(), true),
        None => {
            let moved = |two: &[Vec<f64>]| two[0].iter().zip(&two[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let mut sum = 0.0;
            let rest = q.windows(2).map(|two| {
                sum += moved(two);
                sum
            });
            (std::iter::once(0.0).chain(rest).collect(), false)
        }
    };
    if waypoints.len() == 1 {
        waypoints.push(1.0);
    }
    let length = waypoints[waypoints.len() - 1];
    if !(length > 0.0) {
        waypoints = (0..waypoints.len()).map(|i| i as f64).collect();
    }
    let length = waypoints[waypoints.len() - 1];
    // Without times: a radian or metre per second, within the time that people wait.
    let start = times.map_or(0.0, |times| times[0]);
    Axis { start, seconds: if timed { length } else { length.clamp(4.0, 40.0) }, waypoints, timed }
}

fn one_found(shown: &Shown<'_>, finding: &Finding, sampled: &Sampled, origin: DVec3) -> Found {
    let scene = shown.checker.scene();
    let [a, b] = report::names(scene, finding.bodies);
    let joints = report::joint_names(scene);
    let q: Vec<String> =
        finding.configuration.iter().zip(joints).map(|(q, name)| format!("{name} {}", rounded(*q))).collect();
    let time = shown.motion.time_at(finding.segment, finding.t);
    let place = format!("segment {}, t = {}", finding.segment, rounded(finding.t));
    let point = |p: DVec3| format!("({}, {}, {}) m", rounded(p.x), rounded(p.y), rounded(p.z));
    let mut rows = vec![("Where", place.clone())];
    rows.extend(time.map(|time| ("Time", format!("{} s", rounded(time)))));
    rows.extend([
        ("Distance", metres(finding.distance)),
        ("Asked for", format!("more than {}", metres(finding.clearance))),
        ("Point of first", format!("{} of {a}", point(finding.points[0]))),
        ("Point of second", format!("{} of {b}", point(finding.points[1]))),
        ("Configuration", q.join(", ")),
    ]);
    Found {
        kind: if finding.is_collision() { "collision" } else { "too_close" },
        sample: sampled.index(Place { segment: finding.segment, t: finding.t }),
        bodies: finding.bodies,
        place: time.map_or(place.clone(), |time| format!("{place}, {} s", rounded(time))),
        distance: metres(finding.distance),
        points: finding.points.map(|point| (point - origin).to_array()),
        rows,
    }
}

fn one_pair(shown: &Shown<'_>, least: &Least, sampled: &Sampled, found: &HashSet<[usize; 2]>) -> Pair {
    let pair = &shown.checker.scene().pairs()[least.pair];
    let is_found = found.contains(&[pair.a, pair.b]) || found.contains(&[pair.b, pair.a]);
    // The verdict may prove more than the profile, which a limit can end.
    let is_apart = matches!(shown.answer.verdict, Verdict::Free(_)) || least.lower > pair.clearance;
    Pair {
        pair: least.pair,
        kind: pair.kind.name(),
        bodies: [pair.a, pair.b],
        lower: at_least(least.lower),
        upper: at_most(least.upper),
        sample: sampled.index(least.place),
        state: match (is_found, is_apart) {
            (true, _) => "found",
            (false, true) => "apart",
            (false, false) => "open",
        },
    }
}
