//! Fig. 3 of the exact-collision-checking paper, of a real segment: along an axis as long as the body can move at most (λ), a
//! disc around every configuration tested whose radius is the distance there. The segment is covered where neighbours' discs meet.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use pathproof::check::Checker;
use pathproof::distance::{Indexed, Query, Scratch};
use pathproof::numeric::Pose;
use pathproof::robot::bounds::lambda;
use pathproof::robot::{Extent, Kinematics, Motion};
use pathproof::scene::{BodyShape, Role};
use pathproof::trees::BoxTree;

use crate::plot;
use crate::segments::{draw, is_free};

/// The drawing for the last link of the scene's robot and its first obstacle.
pub(super) fn covering(checker: &Checker) -> Result<String> {
    let scene = checker.scene();
    let model = scene.model();
    let [start, goal] = draw(checker, "1", 1, is_free)?.pop().context("no segment")?;
    let motion = Motion::new(model, &start, &goal)?;
    let bodies = scene.bodies();
    let link = bodies.iter().rposition(|body| body.role == Role::Link).context("no link")?;
    let obstacle = bodies.iter().position(|body| body.role == Role::Obstacle).context("no obstacle")?;
    let shape = |number: usize| match &bodies[number].shape {
        BodyShape::Parts(parts) => Ok(Indexed::<BoxTree>::new(parts.clone())),
        BodyShape::HalfSpace { .. } => Err(anyhow::anyhow!("a half-space")),
    };
    let (moving, fixed) = (shape(link)?, shape(obstacle)?);
    let body = &bodies[link];
    let ball = (moving.body().centre(), moving.body().radius());
    let extent = Extent::new(model, body.link, &body.link_from_body, [ball]);
    let length = lambda(model, &motion, &extent, 0);
    let mut kinematics = Kinematics::new(model);
    let mut scratch = Scratch::default();
    let mut distance = |t: f64| {
        kinematics.set_time(&motion, t);
        let world_from_body = kinematics.world_from_link(model, body.link) * body.link_from_body;
        Query::new(&moving, &fixed, &world_from_body, &Pose::IDENTITY).exact(&mut scratch).lower
    };
    // By place in 1024ths of the segment, so that they are in order.
    let mut tested: BTreeMap<u32, f64> = BTreeMap::new();
    cover(0, 1 << 10, length, &mut |place| distance(f64::from(place) / 1024.0), &mut tested);
    Ok(svg(&tested, length))
}

/// Bisects until the discs at both ends of every part meet.
fn cover(from: u32, to: u32, length: f64, distance: &mut dyn FnMut(u32) -> f64, tested: &mut BTreeMap<u32, f64>) {
    let ends = [from, to].map(|place| *tested.entry(place).or_insert_with(|| distance(place)));
    let part = length * f64::from(to - from) / 1024.0;
    if ends[0] + ends[1] > part || to - from < 2 {
        return;
    }
    let middle = from.midpoint(to);
    cover(from, middle, length, distance, tested);
    cover(middle, to, length, distance, tested);
}

fn svg(tested: &BTreeMap<u32, f64>, length: f64) -> String {
    let largest = tested.values().copied().fold(0.0, f64::max);
    let scale = 600.0 / (length + 2.0 * largest);
    let (width, height) = (620.0, 2.0 * largest * scale + 50.0);
    let (left, middle) = (10.0 + largest * scale, largest * scale + 6.0);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (place, distance) in tested {
        let x = left + scale * length * f64::from(*place) / 1024.0;
        text += &format!(
            "<circle cx=\"{x:.1}\" cy=\"{middle:.1}\" r=\"{:.1}\" fill=\"#1f77b4\" fill-opacity=\"0.15\" stroke=\"#1f77b4\"/>\n\
             <circle cx=\"{x:.1}\" cy=\"{middle:.1}\" r=\"2\"/>\n",
            distance * scale
        );
    }
    let end = left + scale * length;
    text +=
        &format!("<line x1=\"{left:.1}\" y1=\"{middle:.1}\" x2=\"{end:.1}\" y2=\"{middle:.1}\" stroke=\"black\"/>\n");
    let (configurations, metres) = (tested.len(), plot::number(length));
    text + &format!(
        "<text x=\"10\" y=\"{:.0}\">{configurations} configurations tested; the axis is {metres} m long</text>\n</svg>\n",
        height - 10.0
    )
}
