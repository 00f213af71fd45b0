//! The first table of the page: a summary of all the others, from the measured rows.

use super::rows::{Row, Rows, number};
use crate::plot::{self, escaped};

/// A line: the question, the results of others and of ours, and the experiment they come from.
struct Line {
    what: &'static str,
    others: String,
    ours: String,
    experiment: &'static str,
}

/// The table; empty if none of it was measured.
pub(super) fn table(rows: &Rows<'_>) -> String {
    let lines = [missed_segments, free_segments, paths, planning, proofs, traffic];
    let lines: String = lines.iter().filter_map(|line| line(rows)).map(|line| line.html()).collect();
    if lines.is_empty() {
        return lines;
    }
    let names = ["what", "sampling", "pathproof", "experiment"].map(|name| format!("<th>{name}</th>"));
    format!("<h2>In short</h2>\n<table class=\"words\"><tr>{}</tr>\n{lines}</table>\n", names.concat())
}

impl Line {
    fn html(&self) -> String {
        let cells = [self.what, &self.others, &self.ours, self.experiment];
        format!("<tr>{}</tr>\n", cells.map(|cell| format!("<td>{}</td>", escaped(cell))).concat())
    }
}

fn sum(rows: &[&Row], field: &str) -> f64 {
    rows.iter().filter_map(|row| number(row, field)).sum()
}

/// The least and the largest of some numbers; `None` if there are none.
fn range(values: impl Iterator<Item = f64>) -> Option<String> {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    (low <= high).then(|| format!("{}–{}", plot::number(low), plot::number(high)))
}

fn missed_segments(rows: &Rows<'_>) -> Option<Line> {
    let of = |method, step| rows.of("segments", &[("kind", "colliding"), ("method", method), ("step", step)]);
    let (fixed, ours) = (of("fixed", "paper"), of("directional", ""));
    (!fixed.is_empty() && !ours.is_empty()).then(|| Line {
        what: "colliding segments missed, all cells together",
        others: format!("{} at steps of ε", sum(&fixed, "missed")),
        ours: sum(&ours, "missed").to_string(),
        experiment: "segments",
    })
}

fn free_segments(rows: &Rows<'_>) -> Option<Line> {
    let only = [("kind", "free"), ("reach", "full"), ("tolerance", "0.001")];
    let ours = rows.of("segments", &[&only[..], &[("method", "directional")]].concat());
    let over = |step: &str| {
        let ratio = |row: &&Row| {
            let case = row.get("case")?.as_str()?;
            let fixed = [&only[..], &[("method", "fixed"), ("step", step), ("case", case)]].concat();
            Some(number(rows.of("segments", &fixed).first()?, "microseconds")? / number(row, "microseconds")?)
        };
        range(ours.iter().filter_map(ratio))
    };
    Some(Line {
        what: "time of a free segment over ours, by cell",
        others: format!("{} at steps of ε, {} at steps that miss none", over("paper")?, over("safe")?),
        ours: "1, proven".into(),
        experiment: "segments",
    })
}

/// Over all sets of problems, weighted by their segments.
fn paths(rows: &Rows<'_>) -> Option<Line> {
    let of = |method: &str| {
        let found = rows.of("paths", &[("method", method)]);
        // If there is a row for all sets together, uses only that.
        let all: Vec<&Row> =
            found.iter().copied().filter(|row| row.get("case").is_some_and(|case| case == "all")).collect();
        let found = if all.is_empty() { found } else { all };
        let weighted = |row: &&Row| Some(number(row, "mean_us")? * number(row, "segments")?);
        let mean = found.iter().filter_map(weighted).sum::<f64>() / sum(&found, "segments");
        mean.is_finite().then(|| (plot::number(mean), sum(&found, "missed")))
    };
    let ((fixed, missed), (ours, none)) = (of("fixed-trees")?, of("ours-meshes")?);
    Some(Line {
        what: "a free segment of a sampling planner's paths, and collisions missed",
        others: format!("{fixed} µs at the planner's step, {missed} missed"),
        ours: format!("{ours} µs, {none} missed"),
        experiment: "paths",
    })
}

fn planning(rows: &Rows<'_>) -> Option<Line> {
    let (sbl, ours) =
        (rows.of("planning", &[("planner", "sbl"), ("step", "paper")]), rows.of("planning", &[("planner", "a-sbl")]));
    (!sbl.is_empty() && !ours.is_empty()).then(|| Line {
        what: "planned paths that collide",
        others: format!("{} of {} by SBL at steps of ε", sum(&sbl, "colliding"), sum(&sbl, "solved")),
        ours: format!(
            "{} of {} by A-SBL, {} proven",
            sum(&ours, "colliding"),
            sum(&ours, "solved"),
            sum(&ours, "proven")
        ),
        experiment: "planning",
    })
}

fn proofs(rows: &Rows<'_>) -> Option<Line> {
    let found = rows.of("certificates", &[]);
    Some(Line {
        what: "a proof that a second program verifies",
        others: "none".into(),
        ours: format!(
            "{} of {} accepted, {} bytes per segment, verified in {} µs",
            sum(&found, "accepted"),
            sum(&found, "certified"),
            range(found.iter().filter_map(|row| number(row, "bytes_median")))?,
            range(found.iter().filter_map(|row| number(row, "verify_us_median")))?
        ),
        experiment: "certificates",
    })
}

fn traffic(rows: &Rows<'_>) -> Option<Line> {
    let of = |method| {
        let found =
            rows.of("spacetime", &[("case", "fig6"), ("obstacles", "30"), ("outcome", "free"), ("method", method)]);
        let missed = sum(&rows.of("spacetime", &[("case", "batch"), ("method", method)]), "missed");
        Some((plot::number(number(found.first()?, "median_us")?), missed))
    };
    let ((sampled, missed), (ours, none)) = (of("trees")?, of("hulls")?);
    Some(Line {
        what: "a trajectory of 150 poses among 30 moving cars, and collisions missed",
        others: format!("{sampled} µs at the poses, {missed} missed"),
        ours: format!("{ours} µs at all times, {none} missed"),
        experiment: "spacetime",
    })
}
