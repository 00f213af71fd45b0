//! The page of a trajectory's distances.

use std::path::Path;

use anyhow::Result;

use super::answer::{Answer, Solver};
use super::report;
use super::{Bodies, Job};
use crate::view::rows::{Row, Shown};

/// Number of rows with answers that the page also has as text.
const MOST_AS_TEXT: usize = 1_000;

/// Makes the page.
pub(super) fn page(job: &Job, solver: &Solver<'_>, answers: &[Answer]) -> Result<Vec<u8>> {
    let (names, descriptions) = match &job.bodies {
        Bodies::Whole(bodies) => {
            (bodies.each_ref().map(|body| &body.name[..]), bodies.each_ref().map(|body| &body.description[..]))
        }
        Bodies::Pieces(bodies) => {
            (bodies.each_ref().map(|body| &body.name[..]), bodies.each_ref().map(|body| &body.description[..]))
        }
    };
    let shown = Shown {
        names,
        descriptions,
        bodies: solver.bodies(),
        world_from_a: job.world_from_a,
        world_from_b: &job.world_from_b,
        rows: answers.iter().map(row).collect(),
        method: job.method.name(),
        file: job.trajectory.as_deref().unwrap_or(Path::new("")).display().to_string(),
        warnings: report::warnings(job).map(str::to_owned).collect(),
        text: text(job, answers)?,
    };
    shown.page()
}

fn row(answer: &Answer) -> Row {
    let pieces = answer.pieces.iter().flat_map(|[a, b]| [("Piece of A", a.clone()), ("Piece of B", b.clone())]);
    let remark = answer.warning.map(|warning| ("Remark", warning.to_owned()));
    Row { lower: answer.lower, upper: answer.upper, points: answer.points, remarks: pieces.chain(remark).collect() }
}

/// CSV that is printed.
fn text(job: &Job, answers: &[Answer]) -> Result<String> {
    let mut text = Vec::new();
    report::write_bodies(job, &mut text)?;
    text.extend(format!("\n{}\n", report::columns(job).join(",")).bytes());
    for (row, answer) in answers.iter().enumerate().take(MOST_AS_TEXT) {
        report::write_rows(job, row, answer, &mut text)?;
    }
    if answers.len() > MOST_AS_TEXT {
        text.extend(format!("({} more rows)\n", answers.len() - MOST_AS_TEXT).bytes());
    }
    Ok(String::from_utf8(text)?)
}
