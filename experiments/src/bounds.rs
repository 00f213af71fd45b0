//! Fig. 5 of the exact-collision-checking paper: motion bounds against the true length of the traced arc.
//!
//! Planar chains of unit links, both ends of a segment uniform in ±π, on random dyadic sub-segments. Any other arm
//! can be measured by [`measure`]: a model, a link, and a sampler of configurations.

use anyhow::Result;
use pathproof::numeric::{DVec3, Pose, Random};
use pathproof::robot::bounds::{cell, lambda, rho_times_distance};
use pathproof::robot::{Dyadic, Extent, JointKind, JointSpec, Kinematics, Model, SegmentMotion};
use serde_json::json;

use crate::{Options, report::Report};

/// Levels of bisection: sub-segments of 1, 1/4, 1/16, 1/64.
const LEVELS: [u32; 4] = [0, 2, 4, 6];

pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    report.note(
        "bound / true arc length of the tip. The paper, whole segments: lambda about 6 after 6 links, rho above it;",
    );
    report.note("both ratios stay as they are under bisection on average, the twist bound's goes to 1.");
    let segments = if options.quick { 60 } else { 1_000 };
    for links in 1..=12 {
        let model = planar_chain(links)?;
        let angles = |random: &mut Random| {
            let mut angle = || random.between(-std::f64::consts::PI, std::f64::consts::PI);
            (0..links).map(|_| angle()).collect()
        };
        measure(report, "planar", &model, links, DVec3::X, segments, angles)?;
    }
    Ok(())
}

/// Prints the ratios for the point `tip` of `link` over random segments between configurations drawn by `sample`.
fn measure(
    report: &mut Report,
    case: &str,
    model: &Model,
    link: usize,
    tip: DVec3,
    segments: usize,
    sample: impl Fn(&mut Random) -> Vec<f64>,
) -> Result<()> {
    let extent = Extent::new(model, link, &Pose::IDENTITY, [(tip, 0.0)]);
    let mut kinematics = Kinematics::new(model);
    for level in LEVELS {
        // The same segments for every length.
        let mut random = Random::new(5);
        let length = 0.5f64.powi(level as i32);
        let mut ratios = [Vec::new(), Vec::new(), Vec::new()];
        for _ in 0..segments {
            let motion = SegmentMotion::new(model, &sample(&mut random), &sample(&mut random))?;
            let index = random.below(1 << level) as u64;
            let Some(middle) = Dyadic::midpoint(level, index) else { continue };
            kinematics.set_time(&motion, middle.value());
            let bound = cell(model, &motion, &mut kinematics, &extent, 0, length);
            let speed = bound.twist.velocity_at(kinematics.world_from_link(model, link).point(tip)).length();
            let twist = length * speed + 2.0 * bound.upper_bend;
            let arc = arc_length(model, &motion, &mut kinematics, link, tip, middle.value(), length);
            let rho = length * rho_times_distance(model, &motion, &extent, 0);
            let lambda = length * lambda(model, &motion, &extent, 0);
            for (ratios, upper) in ratios.iter_mut().zip([rho, lambda, twist]) {
                ratios.push(upper / arc);
            }
        }
        for (bound, ratios) in ["rho", "lambda", "twist"].iter().zip(&ratios) {
            let (mean, deviation) = mean_and_deviation(ratios);
            let row =
                json!({"links": link, "fraction": length, "bound": bound, "ratio_mean": mean, "ratio_sd": deviation});
            report.row(case, row);
        }
    }
    Ok(())
}

/// The integral of the speed, by the midpoint rule with far more points than the arc has bends.
fn arc_length(
    model: &Model,
    motion: &SegmentMotion,
    kinematics: &mut Kinematics,
    link: usize,
    tip: DVec3,
    middle: f64,
    length: f64,
) -> f64 {
    let steps = ((4_096.0 * length) as usize).max(128);
    let step = length / steps as f64;
    let mut sum = 0.0;
    for index in 0..steps {
        kinematics.set_time(motion, middle - length / 2.0 + (index as f64 + 0.5) * step);
        let tip_in_world = kinematics.world_from_link(model, link).point(tip);
        sum += kinematics.twist(model, motion, model.frame_of(link)).velocity_at(tip_in_world).length();
    }
    sum * step
}

fn planar_chain(links: usize) -> Result<Model> {
    let name = |index: usize| format!("link_{index}");
    let joint = |index: usize| {
        let offset = Pose::from_translation(if index == 1 { DVec3::ZERO } else { DVec3::X });
        let kind = JointKind::Revolute { axis: DVec3::Z };
        JointSpec::new(&format!("joint_{index}"), kind, &name(index - 1), &name(index), offset)
    };
    Ok(Model::new(&name(0), (0..=links).map(name).collect(), (1..=links).map(joint).collect())?)
}

fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    (mean, variance.sqrt())
}
