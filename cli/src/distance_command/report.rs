//! Answers as text for people and as JSON, an object per line, for programs. Numbers in JSON and in rows read back as the
//! same bits; in text they are rounded, bounds outward.

use std::io::{self, Write};

use pathproof::numeric::DVec3;
use pathproof::shapes::Shape;
use serde::Serialize;
use serde_json::{Map, Value};

use super::Job;
use super::answer::{Answer, Solver};
use crate::numbers::{at_least, at_most, rounded};
use crate::shape_argument::Loaded;

/// Writes an answer for every pose of B, in order.
pub(super) fn write(job: &Job, solver: &mut Solver<'_>, out: &mut dyn Write) -> io::Result<()> {
    if !job.json {
        write_bodies(job, out)?;
    }
    for (row, world_from_b) in job.world_from_b.iter().enumerate() {
        let answer = solver.answer(world_from_b);
        if job.json {
            write_json(job, row, &answer, out)?;
        } else if job.is_trajectory {
            write_row(row, &answer, out)?;
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
    lower: f64,
    upper: Option<f64>,
    distance: Option<f64>,
    inside: bool,
    points: Option<[[f64; 3]; 2]>,
    primitives: Option<[usize; 2]>,
    counters: Map<String, Value>,
    warnings: Vec<&'a str>,
}

fn write_json(job: &Job, row: usize, answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    let of_bodies = job.a.warnings.iter().chain(&job.b.warnings).map(String::as_str);
    let line = Line {
        schema: 1,
        row: job.is_trajectory.then_some(row),
        method: job.method.name(),
        lower: answer.lower,
        upper: answer.upper,
        distance: answer.upper,
        inside: answer.inside,
        points: answer.points.map(|points| points.map(|p| p.to_array())),
        primitives: answer.primitives,
        counters: answer.counters.iter().map(|(name, count)| ((*name).to_owned(), (*count).into())).collect(),
        warnings: of_bodies.chain(answer.warning).collect(),
    };
    serde_json::to_writer(&mut *out, &line)?;
    writeln!(out)
}

fn write_bodies(job: &Job, out: &mut dyn Write) -> io::Result<()> {
    for (letter, body) in [("A", &job.a), ("B", &job.b)] {
        writeln!(out, "{letter}         {}: {}", body.name, body.description)?;
    }
    writeln!(out, "method    {}", job.method.name())?;
    if job.is_trajectory {
        writeln!(out, "row,lower,upper,a_x,a_y,a_z,b_x,b_y,b_z,remark")?;
    }
    Ok(())
}

/// A row of a trajectory: comma-separated, empty where there is nothing to say.
fn write_row(row: usize, answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    let upper = answer.upper.map_or(String::new(), |upper| format!("{upper:?}"));
    let point = |p: DVec3| format!("{:?},{:?},{:?}", p.x, p.y, p.z);
    let points = answer.points.map_or(",,,,,".to_owned(), |[a, b]| format!("{},{}", point(a), point(b)));
    writeln!(out, "{row},{:?},{upper},{points},{}", answer.lower, answer.warning.unwrap_or_default())
}

fn write_text(job: &Job, answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "lower     {} (proven: the distance is at least this)", at_least(answer.lower))?;
    match answer.upper {
        Some(upper) => writeln!(out, "upper     {} (the distance is at most this)", at_most(upper))?,
        None => writeln!(out, "upper     none: no pair of primitives had to be looked at")?,
    }
    if let Some([on_a, on_b]) = answer.points {
        let [in_a, in_b] = match answer.primitives {
            Some([a, b]) => [primitive(&job.a, a), primitive(&job.b, b)],
            None => [String::new(), String::new()],
        };
        let point = |p: DVec3| format!("({}, {}, {})", rounded(p.x), rounded(p.y), rounded(p.z));
        writeln!(out, "points    {} of A{in_a}", point(on_a))?;
        writeln!(out, "          {} of B{in_b}", point(on_b))?;
    }
    let counters: Vec<String> =
        answer.counters.iter().map(|(name, n)| format!("{n} {}", name.replace('_', " "))).collect();
    writeln!(out, "counters  {}", counters.join(", "))?;
    match answer.warning {
        Some(warning) => writeln!(out, "note      {warning}"),
        None => Ok(()),
    }
}

/// Which part of a body a witness is on; convex bodies are one piece.
fn primitive(body: &Loaded, index: usize) -> String {
    match body.shape {
        Shape::Mesh(_) => format!(", triangle {index} (from 0, of those kept)"),
        Shape::Convex(_) => String::new(),
    }
}
