//! Answers as text and as JSON, an object per line. Along a trajectory the text is CSV and nothing else. Numbers in
//! JSON and CSV read back as the same bits; in text they are rounded, bounds outward.

use std::io::{self, Write};

use pathproof::numeric::{DVec3, Pose};
use pathproof::shapes::Shape;
use serde::Serialize;
use serde_json::{Map, Value};

use super::answer::{Answer, Minimum};
use super::{Bodies, Job, Method};
use crate::numbers::{at_least, at_most, metres, rounded};
use crate::printable;

/// Describes the bodies on standard error: along a trajectory standard output is CSV.
pub(super) fn announce(job: &Job) {
    if job.is_trajectory() && !job.json {
        let mut text = Vec::new();
        // Writing to memory does not fail.
        let _ = write_bodies(job, &mut text);
        printable::message(String::from_utf8_lossy(&text).trim_end());
    }
}

/// Writes an answer for every pose of B, in order.
pub(super) fn write(job: &Job, mut answer: impl FnMut(&Pose) -> Answer, out: &mut dyn Write) -> io::Result<()> {
    if !job.json {
        if job.is_trajectory() {
            writeln!(out, "{}", columns(job).join(","))?;
        } else {
            write_bodies(job, out)?;
        }
    }
    for (row, world_from_b) in job.world_from_b.iter().enumerate() {
        let answer = answer(world_from_b);
        if job.json {
            write_json(job, row, &answer, out)?;
        } else if job.is_trajectory() {
            write_rows(job, row, &answer, out)?;
        } else {
            write_text(job, &answer, out)?;
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct Line<'a> {
    schema: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<usize>,
    method: &'static str,
    lower: Option<f64>,
    upper: Option<f64>,
    distance: Option<f64>,
    inside: bool,
    points: Option<[[f64; 3]; 2]>,
    primitives: Option<[usize; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pieces: Option<&'a [String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    minima: Option<Vec<MinimumLine<'a>>>,
    counters: Map<String, Value>,
    warnings: Vec<&'a str>,
}

#[derive(Serialize)]
struct MinimumLine<'a> {
    node_distance: f64,
    nodes: [[f64; 3]; 2],
    lower: f64,
    upper: f64,
    points: [[f64; 3]; 2],
    pieces: &'a [String; 2],
}

impl<'a> MinimumLine<'a> {
    fn of(minimum: &'a Minimum) -> Self {
        let Minimum { node_distance, nodes, lower, upper, points, pieces } = minimum;
        Self {
            node_distance: *node_distance,
            nodes: nodes.map(|p| p.to_array()),
            lower: *lower,
            upper: *upper,
            points: points.map(|p| p.to_array()),
            pieces,
        }
    }
}

fn write_json(job: &Job, row: usize, answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    let line = Line {
        schema: 1,
        row: job.is_trajectory().then_some(row),
        method: job.method.name(),
        lower: answer.lower,
        upper: answer.upper,
        distance: answer.upper,
        inside: answer.inside,
        points: answer.points.map(|points| points.map(|p| p.to_array())),
        primitives: answer.primitives,
        pieces: answer.pieces.as_ref(),
        minima: answer.minima.as_ref().map(|minima| minima.iter().map(MinimumLine::of).collect()),
        counters: answer.counters.iter().map(|(name, count)| ((*name).to_owned(), (*count).into())).collect(),
        warnings: warnings(job).chain(answer.warning).collect(),
    };
    serde_json::to_writer(&mut *out, &line)?;
    writeln!(out)
}

/// Warnings about the bodies that do not depend on their poses.
pub(super) fn warnings(job: &Job) -> impl Iterator<Item = &str> {
    let lists: [&[String]; 2] = match &job.bodies {
        Bodies::Whole(bodies) => [&bodies[0].warnings, &bodies[1].warnings],
        Bodies::Pieces(bodies) => [&bodies[0].warnings, &bodies[1].warnings],
    };
    job.surfaces.iter().chain(lists.into_iter().flatten()).map(String::as_str)
}

pub(super) fn write_bodies(job: &Job, out: &mut dyn Write) -> io::Result<()> {
    let bodies: [(&str, &str); 2] = match &job.bodies {
        Bodies::Whole(bodies) => bodies.each_ref().map(|body| (body.name.as_str(), body.description.as_str())),
        Bodies::Pieces(bodies) => bodies.each_ref().map(|body| (body.name.as_str(), body.description.as_str())),
    };
    for (letter, (name, description)) in ["A", "B"].iter().zip(bodies) {
        writeln!(out, "{letter}         {name}: {description}")?;
    }
    if let Some(surfaces) = &job.surfaces {
        writeln!(out, "warning   {surfaces}")?;
    }
    writeln!(out, "method    {}", job.method.name())
}

/// Columns of a trajectory's CSV; includes those about pieces only if there are some.
pub(super) fn columns(job: &Job) -> Vec<&'static str> {
    let mut columns = vec!["row"];
    if has_minima(job) {
        columns.extend(["minimum", "node_distance", "node_a_x", "node_a_y", "node_a_z"]);
        columns.extend(["node_b_x", "node_b_y", "node_b_z"]);
    }
    columns.extend(["lower", "upper", "a_x", "a_y", "a_z", "b_x", "b_y", "b_z"]);
    if matches!(job.bodies, Bodies::Pieces(_)) {
        columns.extend(["piece_a", "piece_b"]);
    }
    columns.push("remark");
    columns
}

fn has_minima(job: &Job) -> bool {
    matches!(job.method, Method::Sopa(sopa) if sopa.has_minima)
}

/// A row of a trajectory, or one per local minimum: comma-separated, with empty fields for missing values.
pub(super) fn write_rows(job: &Job, row: usize, answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:?}"));
    let point = |p: DVec3| format!("{:?},{:?},{:?}", p.x, p.y, p.z);
    let both =
        |points: Option<[DVec3; 2]>| points.map_or(",,,,,".to_owned(), |[a, b]| format!("{},{}", point(a), point(b)));
    let names = |pieces: &[String; 2]| format!(",{},{}", quoted(&pieces[0]), quoted(&pieces[1]));
    let remark = quoted(answer.warning.unwrap_or_default());
    if let Some(minima) = &answer.minima {
        for (place, m) in minima.iter().enumerate() {
            // These bounds are for the two pieces; they give no lower bound for the bodies.
            let nodes = format!("{:?},{}", m.node_distance, both(Some(m.nodes)));
            let points = format!("{:?},{:?},{}", m.lower, m.upper, both(Some(m.points)));
            writeln!(out, "{row},{place},{nodes},{points}{},{remark}", names(&m.pieces))?;
        }
        return Ok(());
    }
    let pieces = match (&answer.pieces, &job.bodies) {
        (Some(pieces), _) => names(pieces),
        (None, Bodies::Pieces(_)) => ",,".to_owned(),
        (None, Bodies::Whole(_)) => String::new(),
    };
    let (lower, upper) = (number(answer.lower), number(answer.upper));
    writeln!(out, "{row},{lower},{upper},{}{pieces},{remark}", both(answer.points))
}

/// A field of a CSV file.
fn quoted(text: &str) -> String {
    let is_plain = !text.contains([',', '"', '\n', '\r']);
    if is_plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

fn write_text(job: &Job, answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    match answer.lower {
        Some(lower) => writeln!(out, "lower     {} (proven: the distance is at least this)", at_least(lower))?,
        None => writeln!(out, "lower     none: this method proves nothing from below")?,
    }
    match answer.upper {
        Some(upper) => writeln!(out, "upper     {} (the distance is at most this)", at_most(upper))?,
        None => writeln!(out, "upper     none: no pair of primitives had to be looked at")?,
    }
    if let Some([on_a, on_b]) = answer.points {
        let [in_a, in_b] = places(job, answer);
        let point = |p: DVec3| format!("({}, {}, {})", rounded(p.x), rounded(p.y), rounded(p.z));
        writeln!(out, "points    {} of A{in_a}", point(on_a))?;
        writeln!(out, "          {} of B{in_b}", point(on_b))?;
    }
    for (place, m) in answer.minima.iter().flatten().enumerate() {
        let (nodes, [a, b]) = (metres(m.node_distance), &m.pieces);
        writeln!(out, "minimum   {place}: {}, {a} and {b} (nodes {nodes} apart)", metres(m.upper))?;
    }
    let counters: Vec<String> =
        answer.counters.iter().map(|(name, n)| format!("{n} {}", name.replace('_', " "))).collect();
    writeln!(out, "counters  {}", counters.join(", "))?;
    match answer.warning {
        Some(warning) => writeln!(out, "note      {warning}"),
        None => Ok(()),
    }
}

/// Parts of the bodies that hold the points; a convex body is one piece.
fn places(job: &Job, answer: &Answer) -> [String; 2] {
    if let Some(pieces) = &answer.pieces {
        return pieces.each_ref().map(|name| format!(", piece {name}"));
    }
    let (Bodies::Whole(bodies), Some(primitives)) = (&job.bodies, answer.primitives) else { return Default::default() };
    let place = |i: usize| match bodies[i].shape {
        Shape::Mesh(_) => format!(", triangle {} (from 0, of those kept)", primitives[i]),
        Shape::Convex(_) => String::new(),
    };
    [place(0), place(1)]
}
