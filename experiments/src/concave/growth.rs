//! Cost against the number of pieces, 10 to 100 on each side: exponents of mindist (the paper: quadratic), SOPA and the
//! tree. Two worms of slices, the second placed at random distances about the first.

use std::hint::black_box;

use anyhow::Result;
use glam::DVec3;
use pathproof::numeric::{Pose, Random};
use pathproof_papers::concave::{
    ConvexPieces, Density, PieceQuery, SopaMemory, SopaSettings, SurfaceNodes, TreeMemory,
};
use serde_json::json;

use super::bodies::worm;
use crate::report::Report;
use crate::timing;

/// Nodes per piece, about as many as in the hand's coarse mesh.
const NODES_PER_PIECE: usize = 10;

/// Random starts of SOPA at every size.
const STARTS: usize = 200;

/// Microseconds per query by method, and the share of SOPA's answers that agree with the exact one.
struct Costs {
    microseconds: [f64; 4],
    agreement: f64,
}

const METHODS: [&str; 4] = ["mindist", "sopa-coarse", "tree", "tree tracked"];

pub(crate) fn run(is_quick: bool, report: &mut Report) -> Result<()> {
    report.note(&format!("SOPA with {STARTS} random starts and {NODES_PER_PIECE} nodes per piece; the paper: mindist grows quadratically."));
    let sizes: &[usize] = if is_quick { &[10, 20] } else { &[10, 20, 30, 50, 70, 100] };
    let mut rows = Vec::new();
    for &size in sizes {
        let costs = measure(size, if is_quick { 4 } else { 40 })?;
        for (method, microseconds) in METHODS.iter().zip(costs.microseconds) {
            let agreement = (*method == "sopa-coarse").then_some(costs.agreement);
            report.row(
                "growth",
                json!({"method": method, "pieces": size, "microseconds": microseconds, "agreement": agreement}),
            );
        }
        rows.push((size as f64, costs.microseconds));
    }
    for (place, method) in METHODS.iter().enumerate() {
        let points: Vec<(f64, f64)> = rows.iter().map(|(size, costs)| (size.ln(), costs[place].ln())).collect();
        report.row("growth", json!({"method": method, "exponent": slope(&points)}));
    }
    Ok(())
}

/// Slope of the line through the points, by least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (x, y) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let along: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    along / points.iter().map(|p| (p.0 - x) * (p.0 - x)).sum::<f64>()
}

fn measure(size: usize, poses: usize) -> Result<Costs> {
    let (a, b) = (worm(size, 0.05)?, worm(size, 0.07)?);
    let nodes = |body: &ConvexPieces| SurfaceNodes::new(body, Density::Count(NODES_PER_PIECE * size));
    let nodes = [nodes(&a)?, nodes(&b)?];
    let (mut sopa, mut kept) = (SopaMemory::default(), TreeMemory::default());
    let settings = SopaSettings { starts: STARTS, ..SopaSettings::default() };
    let mut total = [0.0; 4];
    let mut met = 0;
    for pose in motion(size, poses) {
        let query = || PieceQuery::new(&a, &b, &Pose::IDENTITY, black_box(&pose));
        total[0] += timing::microseconds(|| drop(black_box(query().exhaustive(None, |_, _| {}))));
        total[1] += timing::microseconds(|| {
            black_box(query().sopa([&nodes[0], &nodes[1]], &settings, &mut sopa).is_ok());
        });
        total[2] += timing::microseconds(|| {
            black_box(query().tree(&mut TreeMemory::default()).lower);
        });
        // Timed once per pose: a repeated pose would be too easy.
        let start = timing::thread_seconds();
        let exact = query().tree(&mut kept);
        total[3] += (timing::thread_seconds() - start) * 1e6;
        let found = query().sopa([&nodes[0], &nodes[1]], &settings, &mut sopa)?;
        let upper = |pair: Option<pathproof_papers::concave::PairDistance>| pair.map_or(f64::NAN, |pair| pair.upper);
        met += usize::from((upper(found.nearest) - upper(exact.nearest)).abs() < 1e-9);
    }
    Ok(Costs { microseconds: total.map(|sum| sum / poses as f64), agreement: met as f64 / poses as f64 })
}

/// Small steps past the first worm, a little off its side.
fn motion(size: usize, poses: usize) -> Vec<Pose> {
    let mut random = Random::new(7);
    let (axis, length) = (random.direction(), 0.02 * size as f64);
    let at = |i: usize| i as f64 / poses as f64;
    (0..poses)
        .map(|i| Pose::from_axis_angle(axis, 0.8 * at(i), DVec3::new(0.62, 0.1 * at(i), (0.6 * at(i) - 0.3) * length)))
        .collect()
}
