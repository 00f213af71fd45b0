//! The papers' own numbers, each with the rows of ours to compare it with.

use super::Paper;
use super::rows::{Rows, number};
use crate::plot::{self, escaped};
use crate::{greedy, planning, segments, walk};

/// A number of a paper and the mean of a field of ours.
#[derive(Clone)]
struct Claim {
    /// Its place in the paper and its meaning.
    what: String,
    paper: f64,
    unit: &'static str,
    experiment: &'static str,
    only: Vec<(&'static str, String)>,
    value: &'static str,
    /// From our unit to the paper's.
    scale: f64,
}

/// Fields and the values that they must have.
type Only = [(&'static str, &'static str); 4];

/// A table of a paper's numbers that we have rows for.
pub(super) fn table(paper: Paper, rows: &Rows<'_>) -> String {
    let lines: String = claims(paper).iter().filter_map(|claim| claim.line(rows)).collect();
    if lines.is_empty() {
        return lines;
    }
    let names = ["what", "unit", "paper", "ours", "paper ÷ ours", "experiment"].map(|name| format!("<th>{name}</th>"));
    format!("<table><tr>{}</tr>\n{lines}</table>\n", names.concat())
}

impl Claim {
    /// A row of the table; `None` where we have no number.
    fn line(&self, rows: &Rows<'_>) -> Option<String> {
        let only: Vec<(&str, &str)> = self.only.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let found = rows.of(self.experiment, &only);
        let values: Vec<f64> = found.iter().filter_map(|row| number(row, self.value)).collect();
        if values.is_empty() {
            return None;
        }
        let ours = self.scale * values.iter().sum::<f64>() / values.len() as f64;
        let [paper, ours, ratio] = [self.paper, ours, self.paper / ours].map(plot::number);
        let cells = [&escaped(&self.what), self.unit, &paper, &ours, &ratio, self.experiment];
        Some(format!("<tr>{}</tr>\n", cells.map(|cell| format!("<td>{cell}</td>")).concat()))
    }
}

fn claims(paper: Paper) -> Vec<Claim> {
    match paper {
        Paper::ExactChecking => [table_1(), tables_2_and_3(), tables_4_and_5()].concat(),
        Paper::EnhancingGjk => gjk(),
        Paper::WorkspaceTime => workspace_time(),
        Paper::SubObjectPruning => sub_objects(),
        Paper::None => Vec::new(),
    }
}

fn owned(only: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    only.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
}

fn table_1() -> Vec<Claim> {
    let columns = [
        ("volume pairs, collision", "", "volume_pairs.collide", 1.0),
        ("volume pairs, GREEDY-DIST", "", "volume_pairs.greedy", 1.0),
        ("volume pairs, exact distance", "", "volume_pairs.exact", 1.0),
        ("volume pairs, 0.5-approximate distance", "", "volume_pairs.half", 1.0),
        ("lower bound of GREEDY-DIST over the distance", "%", "quality.greedy", 100.0),
        ("lower bound of 0.5-approximation over the distance", "%", "quality.half", 100.0),
    ];
    let of_case = |(case, numbers): &(&'static str, [f64; 10])| {
        let numbers = [numbers[0], numbers[2], numbers[4], numbers[6], numbers[8], numbers[9]];
        let claim = |((what, unit, value, scale), paper): ((&str, &'static str, &'static str, f64), f64)| Claim {
            what: format!("Table 1, {case}: {what}"),
            paper,
            unit,
            experiment: "greedy",
            only: owned(&[("case", case), ("tree", "rss")]),
            value,
            scale,
        };
        columns.into_iter().zip(numbers).map(claim).collect::<Vec<_>>()
    };
    greedy::PAPER.iter().flat_map(of_case).collect()
}

fn tables_2_and_3() -> Vec<Claim> {
    let columns: [(&str, Only); 5] = [
        (
            "Table 2, colliding segment, simple checker at step 0",
            [("kind", "colliding"), ("method", "fixed"), ("step", "zero"), ("reach", "full")],
        ),
        (
            "Table 2, colliding segment, exact checker",
            [("kind", "colliding"), ("method", "directional"), ("step", ""), ("reach", "full")],
        ),
        (
            "Table 3, free segment, simple checker at ε",
            [("kind", "free"), ("method", "fixed"), ("step", "paper"), ("tolerance", "0.001")],
        ),
        (
            "Table 3, free segment, exact checker, δ = 0.001",
            [("kind", "free"), ("method", "directional"), ("step", ""), ("tolerance", "0.001")],
        ),
        (
            "Table 3, free segment, exact checker, δ = 0.01",
            [("kind", "free"), ("method", "directional"), ("step", ""), ("tolerance", "0.01")],
        ),
    ];
    let of_case = |(case, times): &(&'static str, [f64; 5])| {
        let claim = |((what, only), paper): (&(&str, Only), f64)| Claim {
            what: format!("{what}, {case}"),
            paper,
            unit: "ms",
            experiment: "segments",
            only: owned(&[only.as_slice(), &[("case", case), ("reach", "full")]].concat()),
            value: "microseconds",
            scale: 1e-3,
        };
        columns.iter().zip(*times).map(claim).collect::<Vec<_>>()
    };
    segments::PAPER_TIMES.iter().flat_map(of_case).collect()
}

fn tables_4_and_5() -> Vec<Claim> {
    let mut claims = Vec::new();
    for (case, [sbl, a_sbl]) in planning::PAPER_TIMES {
        for (planner, step, paper) in [("sbl", "paper", sbl), ("a-sbl", "", a_sbl)] {
            claims.push(Claim {
                what: format!("Table 4, {case}: {planner}"),
                paper,
                unit: "s",
                experiment: "planning",
                only: owned(&[("case", case), ("planner", planner), ("step", step)]),
                value: "seconds_mean",
                scale: 1.0,
            });
        }
    }
    for (case, _, steps, [segments, walk, smooth, left]) in walk::PAPER {
        let columns = [
            ("µs per segment of the walk", "µs", walk * 1e6 / segments, "walk_us"),
            ("ms per step of smoothing", "ms", smooth * 1e3 / steps as f64, "smooth_ms"),
            ("length left after smoothing", "", left, "length_left"),
        ];
        claims.extend(columns.map(|(what, unit, paper, value)| Claim {
            what: format!("Table 5, {case}: {what}"),
            paper,
            unit,
            experiment: "walk",
            only: owned(&[("case", case)]),
            value,
            scale: 1.0,
        }));
    }
    claims.push(Claim {
        what: "§3.2: distance of RSSs over overlap of oriented boxes (the paper: less than)".into(),
        paper: 2.0,
        unit: "×",
        experiment: "volumes",
        only: Vec::new(),
        value: "ratio",
        scale: 1.0,
    });
    claims
}

fn gjk() -> Vec<Claim> {
    let claim = |what: &str, paper: f64, unit, only: &[(&'static str, &str)], value, scale| Claim {
        what: what.to_owned(),
        paper,
        unit,
        experiment: "gjk",
        only: owned(only),
        value,
        scale,
    };
    let tracked = [("case", "fig4"), ("support", "climb")];
    vec![
        claim(
            "Fig. 4: tracked with hill climbing, 10 to 500 vertices (the paper: 32–42)",
            37.0,
            "µs",
            &tracked,
            "ours_ns",
            1e-3,
        ),
        claim(
            "Fig. 4: multiplications and divisions (the paper: theory 93–135, seen about 100)",
            100.0,
            "",
            &tracked,
            "multiplications",
            1.0,
        ),
        claim("Fig. 4: loops, tracked (the paper: 1–2)", 1.5, "", &tracked, "loops", 1.0),
        claim("Fig. 3: loops, cold (the paper: 3–6)", 4.5, "", &[("case", "fig3"), ("support", "climb")], "loops", 1.0),
    ]
}

fn workspace_time() -> Vec<Claim> {
    let query = |method: &str, paper| Claim {
        what: format!("Fig. 6: 30 obstacles, free, {method}"),
        paper,
        unit: "µs",
        experiment: "spacetime",
        only: owned(&[("case", "fig6"), ("obstacles", "30"), ("outcome", "free"), ("method", method)]),
        value: "median_us",
        scale: 1.0,
    };
    let build = |what: &str, paper, value| Claim {
        what: what.to_owned(),
        paper,
        unit: "µs",
        experiment: "spacetime",
        only: owned(&[("case", "fig8"), ("obstacles", "30")]),
        value,
        scale: 1.0,
    };
    vec![
        query("naive", 2_300.0),
        query("isolated", 300.0),
        query("trees", 30.0),
        build("Fig. 8: building for 30 obstacles", 7_800.0, "build_us"),
        build("§IV: the tree of one candidate", 260.0, "candidate_build_us"),
        build("§IV: the hulls of one candidate", 740.0, "hull_build_us"),
    ]
}

fn sub_objects() -> Vec<Claim> {
    let table: [(&str, &str, &str, [f64; 2]); 6] = [
        ("battery", "mindist", "cold", [4_200.0, 126.0]),
        ("battery", "sopa-fine", "random", [4_500.0, 48.0]),
        ("battery", "sopa-coarse", "random", [3_500.0, 67.0]),
        ("hands", "mindist", "cold", [422_000.0, 8_464.0]),
        ("hands", "sopa-fine", "random", [49_000.0, 235.0]),
        ("hands", "sopa-coarse", "random", [48_000.0, 410.0]),
    ];
    let of_row = |(case, method, variant, [time, pairs]): &(&str, &str, &str, [f64; 2])| {
        [("time", "µs", *time, "microseconds"), ("pairs of pieces solved", "", *pairs, "pairs")].map(
            |(what, unit, paper, value)| Claim {
                what: format!("Table 2, {case}, {method}: {what}"),
                paper,
                unit,
                experiment: "concave",
                only: owned(&[("case", case), ("method", method), ("variant", variant)]),
                value,
                scale: 1.0,
            },
        )
    };
    table.iter().flat_map(of_row).collect()
}
