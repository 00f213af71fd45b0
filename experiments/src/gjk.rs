use crate::{Options, report::Report};
use anyhow::Result;
use glam::DVec3;
use pathproof::distance::gjk::{self, Tracker};
use pathproof::numeric::{Pose, Random};
use pathproof::shapes::Convex;
use serde_json::json;
use std::time::Instant;

pub(crate) fn run(_options: &Options, report: &mut Report) -> Result<()> {
    let mut random = Random::new(1);
    for n in [0, 10, 100, 500] {
        let mut shapes = Vec::new();
        for _ in 0..40 {
            let make = |random: &mut Random| {
                if n == 0 {
                    return Convex::cuboid([1.0, 1.2, 0.8]).expect("box");
                }
                Convex::hull(&(0..n).map(|_| random.direction() * 0.5).collect::<Vec<_>>()).expect("hull")
            };
            let (a, b) = (make(&mut random), make(&mut random));
            let start = Pose { translation: random.direction() * 2.0, ..random.pose(1.0) };
            let step = random.direction() * 0.02;
            let poses: Vec<Pose> =
                (0..20).map(|i| Pose { translation: start.translation + step * f64::from(i), ..start }).collect();
            shapes.push((a, b, poses));
        }
        for mode in ["tracked", "estimate", "cold"] {
            let mut loops = 0;
            let mut best = f64::INFINITY;
            for _ in 0..20 {
                let begin = Instant::now();
                for (a, b, poses) in &shapes {
                    let mut tracker = Tracker::default();
                    for p in poses {
                        if mode == "cold" {
                            tracker = Tracker::default();
                        }
                        if mode == "estimate" {
                            std::hint::black_box(gjk::estimate(a, b, p, &mut tracker));
                        } else {
                            let d = gjk::distance(a, b, p, f64::INFINITY, &mut tracker);
                            loops += d.iterations;
                            std::hint::black_box(d.lower);
                        }
                    }
                }
                best = best.min(begin.elapsed().as_secs_f64() * 1e9 / 800.0);
            }
            report.row(mode, json!({"vertices": n, "ns": best, "loops": f64::from(loops) / 16000.0}));
        }
    }
    let _ = DVec3::ZERO;
    Ok(())
}
