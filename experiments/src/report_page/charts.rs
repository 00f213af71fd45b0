//! List of plots, each with its rows and fields; one function draws them all.

use super::rows::{Row, Rows, name, number};
use super::{Paper, figure};
use crate::plot::{Axis, Bars, Plot, Series};

/// Form of a plot.
#[derive(Clone, Copy)]
enum Shape {
    /// A line for each value of `by` over the field `x`.
    Lines { x: &'static str, is_x_log: bool },
    /// A group of bars for each value of the field.
    Bars { group: &'static str },
}

#[derive(Clone, Copy)]
struct Chart {
    paper: Paper,
    title: &'static str,
    experiment: &'static str,
    only: &'static [(&'static str, &'static str)],
    shape: Shape,
    /// Fields that distinguish lines or bars.
    by: &'static [&'static str],
    /// Fields that are shown: each gives lines or bars of its own.
    values: &'static [&'static str],
    unit: &'static str,
    is_log: bool,
}

const fn chart(paper: Paper, experiment: &'static str, title: &'static str, shape: Shape) -> Chart {
    Chart { paper, title, experiment, only: &[], shape, by: &[], values: &["microseconds"], unit: "µs", is_log: false }
}

const BY_CASE: Shape = Shape::Bars { group: "case" };
const BY_VERTICES: Shape = Shape::Lines { x: "vertices", is_x_log: true };
const BY_OBSTACLES: Shape = Shape::Lines { x: "obstacles", is_x_log: false };

use Paper::{EnhancingGjk, ExactChecking, SubObjectPruning, WorkspaceTime};

const SEGMENTS: Chart = Chart {
    by: &["method", "step"],
    is_log: true,
    unit: "µs per segment",
    ..chart(ExactChecking, "segments", "", BY_CASE)
};
const BOUNDS: Chart = Chart {
    by: &["bound"],
    values: &["ratio_mean"],
    unit: "bound over true length",
    ..chart(ExactChecking, "bounds", "", Shape::Lines { x: "links", is_x_log: false })
};
const GJK: Chart = Chart {
    by: &["support", "mode"],
    values: &["ours_ns", "parry_ns"],
    unit: "ns per query",
    ..chart(EnhancingGjk, "gjk", "", BY_VERTICES)
};
const TRADEOFF: Chart =
    Chart { by: &["grain"], is_log: true, unit: "µs per segment", ..chart(ExactChecking, "tradeoff", "", BY_CASE) };
const TRAFFIC: Chart = Chart {
    by: &["method"],
    values: &["median_us"],
    is_log: true,
    ..chart(WorkspaceTime, "spacetime", "", BY_OBSTACLES)
};
const AGREEMENT: Chart = Chart {
    by: &["method"],
    values: &["agreement"],
    unit: "share of queries whose answer is the least distance",
    ..chart(SubObjectPruning, "concave", "", Shape::Lines { x: "starts", is_x_log: true })
};

const CHARTS: &[Chart] = &[
    Chart {
        title: "Table 1: volume pairs tested (RSS trees)",
        only: &[("tree", "rss")],
        values: &["volume_pairs.collide", "volume_pairs.greedy", "volume_pairs.half", "volume_pairs.exact"],
        unit: "pairs per query",
        is_log: true,
        ..chart(ExactChecking, "greedy", "", BY_CASE)
    },
    Chart { title: "Fig. 5: motion bounds of planar linkages, whole segments", only: &[("fraction", "1")], ..BOUNDS },
    Chart { title: "The same on sixty-fourths of segments", only: &[("fraction", "0.015625")], ..BOUNDS },
    Chart {
        title: "Fig. 5: standard deviation, whole segments",
        only: &[("fraction", "1")],
        values: &["ratio_sd"],
        ..BOUNDS
    },
    Chart { title: "Table 2: colliding segments", only: &[("kind", "colliding")], ..SEGMENTS },
    Chart {
        title: "Table 3: free segments, δ = 0.001",
        only: &[("kind", "free"), ("reach", "full"), ("tolerance", "0.001")],
        ..SEGMENTS
    },
    Chart {
        title: "Table 3: free segments, δ = 0.01",
        only: &[("kind", "free"), ("reach", "full"), ("tolerance", "0.01")],
        ..SEGMENTS
    },
    Chart {
        title: "Free segments of at most 0.3 rad per joint, δ = 0.001",
        only: &[("kind", "free"), ("reach", "0.3"), ("tolerance", "0.001")],
        ..SEGMENTS
    },
    Chart {
        title: "Collisions that a fixed step misses, of the colliding segments",
        only: &[("kind", "colliding"), ("method", "fixed"), ("step", "paper")],
        values: &["missed"],
        unit: "segments missed",
        is_log: false,
        ..SEGMENTS
    },
    Chart {
        by: &["planner", "step"],
        values: &["seconds_mean"],
        unit: "s",
        is_log: true,
        ..chart(ExactChecking, "planning", "Table 4: planning", BY_CASE)
    },
    Chart {
        values: &["walk_us"],
        unit: "µs per segment",
        ..chart(ExactChecking, "walk", "Table 5: random walks", BY_CASE)
    },
    Chart {
        values: &["rss_distance_ns", "obb_overlap_ns"],
        unit: "ns per pair",
        ..chart(ExactChecking, "volumes", "§3.2: distance of RSSs, overlap of oriented boxes", BY_CASE)
    },
    Chart {
        title: "Bisecting against refining: ours, by how large a node is against the motion when it is opened",
        only: &[("judge", "directional")],
        ..TRADEOFF
    },
    Chart {
        title: "Bisecting against refining: the paper's, by how exact distances are (0 greedy, 1 exact)",
        by: &["kappa"],
        only: &[("judge", "paper")],
        ..TRADEOFF
    },
    Chart { title: "Fig. 4's ways of covering, greedy distances", by: &["judge"], only: &[("kappa", "0")], ..TRADEOFF },
    Chart { title: "Fig. 3: without tracking", only: &[("case", "fig3")], ..GJK },
    Chart { title: "Fig. 4: with tracking", only: &[("case", "fig4")], ..GJK },
    Chart {
        title: "Fig. 5: kinds of motion (tracked, climbing)",
        only: &[("case", "fig5")],
        by: &["separation", "rotation_deg"],
        values: &["ours_ns"],
        ..GJK
    },
    Chart {
        title: "Multiplications and divisions per query",
        by: &["case", "support"],
        only: &[("shape", "hull"), ("rotation_deg", "0"), ("separation", "near")],
        values: &["multiplications"],
        unit: "operations",
        is_log: true,
        ..GJK
    },
    Chart {
        by: &["case"],
        values: &["bracket_width", "bracket_width_tracked"],
        unit: "m",
        ..chart(
            EnhancingGjk,
            "penetration",
            "Fig. 6: width of the bracket by depth (m)",
            Shape::Lines { x: "depth", is_x_log: true },
        )
    },
    Chart {
        by: &["case"],
        values: &["lower_exact_when_cold", "lower_exact_when_tracked"],
        unit: "share",
        ..chart(
            EnhancingGjk,
            "penetration",
            "Fig. 6: how often the bracket's depth is the true one",
            Shape::Lines { x: "depth", is_x_log: true },
        )
    },
    Chart {
        title: "Figs. 6 and 7: free trajectories, median (logarithmic: shows both)",
        only: &[("case", "fig6"), ("outcome", "free")],
        ..TRAFFIC
    },
    Chart {
        title: "Figs. 6 and 7: colliding trajectories, median",
        only: &[("case", "fig6"), ("outcome", "colliding")],
        ..TRAFFIC
    },
    Chart {
        title: "Fig. 8: building",
        only: &[("case", "fig8")],
        by: &[],
        values: &["build_us", "candidate_build_us", "hull_build_us"],
        ..TRAFFIC
    },
    Chart {
        values: &["candidates_per_cycle"],
        by: &["method"],
        unit: "candidates per 100 ms",
        ..chart(WorkspaceTime, "cycle", "A planning cycle", BY_CASE)
    },
    Chart {
        by: &["method", "variant"],
        is_log: true,
        ..chart(SubObjectPruning, "concave", "Table 2: time per query", BY_CASE)
    },
    Chart {
        title: "Battery: how often the heuristic finds the least distance",
        only: &[("case", "battery"), ("from", "random")],
        ..AGREEMENT
    },
    Chart {
        title: "Hands: how often the heuristic finds the least distance",
        only: &[("case", "hands"), ("from", "random")],
        ..AGREEMENT
    },
    Chart {
        only: &[("case", "growth")],
        by: &["method"],
        is_log: true,
        ..chart(SubObjectPruning, "concave", "Time by number of pieces", Shape::Lines { x: "pieces", is_x_log: true })
    },
    Chart {
        by: &["method"],
        values: &["mean_us"],
        ..chart(Paper::None, "edges", "A Panda among 20 boxes, edges of 0.5, 1, 2 rad", BY_CASE)
    },
    Chart {
        by: &["method", "step"],
        values: &["mean_us"],
        is_log: true,
        ..chart(Paper::None, "paths", "Paths of a sampling planner, free segments", BY_CASE)
    },
    Chart {
        by: &["reach"],
        values: &["check_us", "write_us", "verify_us"],
        is_log: true,
        ..chart(Paper::None, "certificates", "Proofs: check, check and write, verify", BY_CASE)
    },
    Chart {
        by: &["method"],
        only: &[("pose_set", "close")],
        values: &["median_us"],
        is_log: true,
        ..chart(Paper::None, "static", "3,000 against 30,000 triangles, 1 to 10 mm apart", BY_CASE)
    },
    Chart {
        by: &["planner"],
        values: &["solved"],
        unit: "problems solved",
        ..chart(Paper::None, "mbm", "MotionBenchMaker, Panda", BY_CASE)
    },
    Chart {
        by: &["axis"],
        is_log: true,
        ..chart(
            Paper::None,
            "growth",
            "Time per segment as one thing grows",
            Shape::Lines { x: "size", is_x_log: true },
        )
    },
];

/// All charts of a paper that have rows.
pub(super) fn of(paper: Paper, rows: &Rows<'_>) -> String {
    CHARTS.iter().filter(|chart| chart.paper == paper).map(|chart| figure(&chart.svg(rows), "")).collect()
}

impl Chart {
    fn svg(&self, rows: &Rows<'_>) -> String {
        let rows = rows.of(self.experiment, self.only);
        let value = Axis { label: self.unit.to_owned(), is_log: self.is_log };
        match self.shape {
            Shape::Lines { x, is_x_log } => {
                let x_axis = Axis { label: x.replace('_', " "), is_log: is_x_log };
                let mut series: Vec<Series> = Vec::new();
                for (name, row, y) in self.values_of(&rows) {
                    let Some(at) = number(row, x) else { continue };
                    match series.iter_mut().find(|line| line.name == name) {
                        // A peer is measured beside each of our ways; it is drawn once.
                        Some(line) if line.points.iter().any(|point| point[0] == at) => {}
                        Some(line) => line.points.push([at, y]),
                        None => series.push(Series { name, points: vec![[at, y]] }),
                    }
                }
                Plot { title: self.title.into(), x: x_axis, y: value, series }.svg()
            }
            Shape::Bars { group } => {
                let mut groups: Vec<(String, Vec<(String, f64)>)> = Vec::new();
                for (bar, row, y) in self.values_of(&rows) {
                    let group = name(row, &[group]);
                    match groups.iter_mut().find(|(name, _)| *name == group) {
                        Some((_, bars)) => bars.push((bar, y)),
                        None => groups.push((group, vec![(bar, y)])),
                    }
                }
                Bars { title: self.title.into(), value, groups }.svg()
            }
        }
    }

    /// For each row and each shown field: the name of its line or bar, and the value.
    fn values_of<'r>(&self, rows: &[&'r Row]) -> Vec<(String, &'r Row, f64)> {
        let mut found = Vec::new();
        for row in rows {
            for field in self.values {
                let Some(value) = number(row, field) else { continue };
                let field = if self.values.len() > 1 {
                    field.trim_start_matches("volume_pairs.").replace('_', " ")
                } else {
                    String::new()
                };
                let parts = match field.as_str() {
                    "parry ns" => [String::new(), "parry".to_owned()],
                    "ours ns" => [name(row, self.by), String::new()],
                    _ => [name(row, self.by), field],
                };
                let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
                found.push((parts.join(", "), *row, value));
            }
        }
        found
    }
}
