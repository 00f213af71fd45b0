//! Cameron's Figs. 3–5: distance between convex polyhedra of 10 to 500 vertices, with and without hill climbing and
//! tracking, over motions of none to 12° per step, far, near and overlapping; parry3d-f64 in the same run.
//!
//! Sequences of 20 queries as in the paper: cold starts every query from scratch, tracked only the first of a sequence.
//! `ours_ns` is the certified [`gjk::distance`]; `estimate_ns` the same search without its certificate, as in parry;
//! `multiplications` (and divisions) are those of [`gjk_counted`], the same search over numbers that count. parry cold
//! is `query::distance`, tracked `proxy_distance` with its simplex cache.

use std::hint::black_box;

use anyhow::{Context, Result};
use glam::{DQuat, DVec3};
use parry3d_f64::math as parry_math;
use parry3d_f64::query::sweep_toi::{SimplexCache, ToiProxy, proxy_distance};
use parry3d_f64::shape::{ConvexPolyhedron, Cuboid, Shape};
use pathproof::distance::gjk::{self, Support, Tracker};
use pathproof::numeric::{Pose, Random};
use pathproof::shapes::{Convex, Core};
use serde_json::json;

use crate::{Options, gjk_counted, report::Report, timing};

/// Queries per sequence, as in the paper.
const SEQUENCE: usize = 20;

/// Two bodies in both libraries and their relative poses.
struct Sequence {
    ours: [Convex; 2],
    theirs: [Box<dyn Shape>; 2],
    poses: Vec<Pose>,
    their_poses: Vec<parry_math::Pose>,
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Cold,
    Tracked,
}

/// Measured configuration of one row.
#[derive(Clone, Copy)]
struct Case {
    figure: &'static str,
    shape: &'static str,
    vertices: usize,
    mode: Mode,
    support: Support,
    rotation_deg: f64,
    separation: &'static str,
}

pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    report.note("Paper (120 MHz Pentium): tracked with climbing 32–42 µs from 10 to 500 vertices, boxes 10–30 µs;");
    report.note("1–2 loops tracked, 3–6 cold. Sizes: bodies of about 1 m; far 3, near 1, overlap 0.5 diameters.");
    let (pairs, repetitions) = if options.quick { (8, 5) } else { (60, 25) };
    for case in cases(options.quick) {
        let sequences = sequences(&case, pairs)?;
        measure(&case, &sequences, repetitions, report);
    }
    Ok(())
}

fn cases(quick: bool) -> Vec<Case> {
    let sizes: &[usize] = if quick { &[10, 100, 500] } else { &[10, 20, 50, 100, 200, 500] };
    let base = Case {
        figure: "fig3",
        shape: "hull",
        vertices: 0,
        mode: Mode::Cold,
        support: Support::Climb,
        rotation_deg: 0.0,
        separation: "near",
    };
    let mut cases = Vec::new();
    for (figure, mode) in [("fig3", Mode::Cold), ("fig4", Mode::Tracked)] {
        for support in [Support::Scan, Support::Climb, Support::Table] {
            cases.extend(sizes.iter().map(|&vertices| Case { figure, vertices, mode, support, ..base }));
        }
    }
    for separation in ["far", "near", "overlap"] {
        for rotation_deg in [0.0, 6.0, 12.0] {
            let support = Support::Table;
            let tracked = Case { figure: "fig5", mode: Mode::Tracked, support, rotation_deg, separation, ..base };
            cases.extend(sizes.iter().map(|&vertices| Case { vertices, ..tracked }));
            if !quick || separation == "near" {
                for shape in ["box-aligned", "box-turned"] {
                    for mode in [Mode::Cold, Mode::Tracked] {
                        cases.push(Case { figure: "boxes", shape, vertices: 8, mode, ..tracked });
                    }
                }
            }
        }
    }
    cases
}

fn their_point(p: DVec3) -> parry_math::Vector {
    parry_math::Vector::from_array(p.to_array())
}

fn their_pose(pose: &Pose) -> parry_math::Pose {
    let q = DQuat::from_mat3(&pose.rotation);
    parry_math::Pose::from_parts(their_point(pose.translation), parry_math::Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}

fn body(case: &Case, random: &mut Random) -> Result<(Convex, Box<dyn Shape>)> {
    if case.shape == "hull" {
        let points: Vec<DVec3> = (0..case.vertices).map(|_| random.direction() * 0.5).collect();
        let theirs: Vec<_> = points.iter().map(|&p| their_point(p)).collect();
        let theirs = ConvexPolyhedron::from_convex_hull(&theirs).context("parry made no hull")?;
        return Ok((Convex::hull(&points)?, Box::new(theirs)));
    }
    let size = [random.between(0.4, 0.9), random.between(0.4, 0.9), random.between(0.4, 0.9)];
    let half = their_point(DVec3::from_array(size) * 0.5);
    Ok((Convex::cuboid(size)?, Box::new(Cuboid::new(half))))
}

fn sequences(case: &Case, pairs: usize) -> Result<Vec<Sequence>> {
    let mut random = Random::new(3);
    let gap = match case.separation {
        "far" => 4.0,
        "near" => 2.0,
        _ => 0.5,
    };
    (0..pairs)
        .map(|_| {
            let (a, their_a) = body(case, &mut random)?;
            let (b, their_b) = body(case, &mut random)?;
            let mut pose = random.pose(1.0);
            if case.shape == "box-aligned" {
                pose = Pose::IDENTITY;
            }
            pose.translation = random.direction() * gap;
            let (axis, slide) = (random.direction(), random.direction() * 0.02);
            let mut poses = Vec::with_capacity(SEQUENCE);
            for _ in 0..SEQUENCE {
                poses.push(pose);
                let angle = random.between(0.0, case.rotation_deg.to_radians());
                let turn = Pose::from_axis_angle(axis, angle, DVec3::ZERO);
                pose = Pose { rotation: turn.rotation * pose.rotation, translation: pose.translation + slide };
            }
            let their_poses = poses.iter().map(their_pose).collect();
            Ok(Sequence { ours: [a, b], theirs: [their_a, their_b], poses, their_poses })
        })
        .collect()
}

fn measure(case: &Case, sequences: &[Sequence], repetitions: usize, report: &mut Report) {
    let queries = (sequences.len() * SEQUENCE) as f64;
    let mut loops = 0;
    let (mut ours, mut estimate, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    let time = |times: &mut Vec<f64>, work: &mut dyn FnMut()| {
        let start = timing::thread_seconds();
        work();
        times.push((timing::thread_seconds() - start) * 1e9 / queries);
    };
    for _ in 0..repetitions {
        loops = 0;
        time(&mut ours, &mut || loops += run_ours(case, sequences));
        time(&mut theirs, &mut || run_parry(case, sequences));
        time(&mut estimate, &mut || run_estimate(case, sequences));
    }
    // Boxes are no hulls here, and have no count.
    let multiplications = (case.shape == "hull").then(|| count_operations(case, sequences) as f64 / queries);
    let mode = if case.mode == Mode::Cold { "cold" } else { "tracked" };
    let support = match case.support {
        Support::Scan => "scan",
        Support::Climb => "climb",
        Support::Table => "table",
    };
    report.row(
        case.figure,
        json!({
            "vertices": case.vertices, "shape": case.shape, "mode": mode, "support": support,
            "rotation_deg": case.rotation_deg, "separation": case.separation, "loops": f64::from(loops) / queries,
            "multiplications": multiplications,
            "ours_ns": least(&ours), "parry_ns": least(&theirs), "estimate_ns": least(&estimate),
        }),
    );
}

/// The least of the repetitions: other load on the machine only adds time.
fn least(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

fn run_ours(case: &Case, sequences: &[Sequence]) -> u32 {
    let mut loops = 0;
    for Sequence { ours: [a, b], poses, .. } in sequences {
        let mut tracker = Tracker::default();
        for pose in poses {
            if case.mode == Mode::Cold {
                tracker = Tracker::default();
            }
            let found = gjk::distance_by(case.support, a, b, pose, f64::INFINITY, &mut tracker);
            loops += black_box(found).iterations;
        }
    }
    loops
}

/// Multiplications and divisions of all queries, by the search that counts them; hulls only.
fn count_operations(case: &Case, sequences: &[Sequence]) -> u64 {
    let before = gjk_counted::operations();
    for Sequence { ours: [a, b], poses, .. } in sequences {
        let (Core::Hull(a), Core::Hull(b)) = (a.core(), b.core()) else { continue };
        let mut memory = gjk_counted::Memory::default();
        for pose in poses {
            if case.mode == Mode::Cold {
                memory = gjk_counted::Memory::default();
            }
            black_box(gjk_counted::distance(case.support, a, b, pose, &mut memory));
        }
    }
    gjk_counted::operations() - before
}

fn run_estimate(case: &Case, sequences: &[Sequence]) {
    for Sequence { ours: [a, b], poses, .. } in sequences {
        let mut tracker = Tracker::default();
        for pose in poses {
            if case.mode == Mode::Cold {
                tracker = Tracker::default();
            }
            black_box(gjk::estimate(a, b, pose, &mut tracker));
        }
    }
}

fn run_parry(case: &Case, sequences: &[Sequence]) {
    let origin = parry_math::Pose::IDENTITY;
    for Sequence { theirs: [a, b], their_poses, .. } in sequences {
        if case.mode == Mode::Cold {
            for pose in their_poses {
                black_box(parry3d_f64::query::distance(&origin, a.as_ref(), pose, b.as_ref()).ok());
            }
            continue;
        }
        let (Some(proxy_a), Some(proxy_b)) = (ToiProxy::from_shape(a.as_ref()), ToiProxy::from_shape(b.as_ref()))
        else {
            continue;
        };
        let mut cache = SimplexCache::default();
        for pose in their_poses {
            black_box(proxy_distance(pose, &proxy_a, &proxy_b, false, &mut cache));
        }
    }
}
