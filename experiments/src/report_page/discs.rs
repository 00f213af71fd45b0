//! Figs. 3 and 4 of the exact-collision-checking paper, for a real segment: along an axis as long as the body can move
//! at most (λ), a disc around every tested configuration, with the distance there as its radius. The segment is covered
//! where neighbours' discs meet. Where they do not, Fig. 4 has three ways to continue.

use anyhow::{Context, Result};
use pathproof::check::Checker;
use pathproof::distance::{Indexed, Query, Scratch};
use pathproof::numeric::Pose;
use pathproof::robot::bounds::lambda;
use pathproof::robot::{Extent, Kinematics, SegmentMotion};
use pathproof::scene::{BodyShape, Role};
use pathproof::trees::BoxTree;

use crate::plot;
use crate::segments::{draw, is_free};

/// Next configurations to test in a part that is not covered.
#[derive(Clone, Copy)]
enum Refinement {
    /// Fig. 4(a): the one in the middle.
    Midpoint,
    /// Fig. 4(b): those where the discs at its ends end.
    CoveredEnds,
    /// Fig. 4(c): the one in the middle of the part between the discs.
    UncoveredMiddle,
}

/// A tested configuration: its place along the axis, and the distance there.
type Tested = [f64; 2];

/// The drawings for the last link of the scene's robot and its first obstacle: Fig. 3, and the three ways of Fig. 4.
pub(super) fn covering(checker: &Checker) -> Result<[String; 2]> {
    let scene = checker.scene();
    let model = scene.model();
    let [start, goal] = draw(checker, "1", 1, is_free)?.pop().context("no segment")?;
    let motion = SegmentMotion::new(model, &start, &goal)?;
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
    let mut distance = |place: f64| {
        kinematics.set_time(&motion, place / length);
        let world_from_body = kinematics.world_from_link(model, body.link) * body.link_from_body;
        Query::new(&moving, &fixed, &world_from_body, &Pose::IDENTITY).exact(&mut scratch).lower
    };
    let mut rows = Vec::new();
    for (refinement, name) in [
        (Refinement::Midpoint, "(a) in the middle of a part"),
        (Refinement::CoveredEnds, "(b) where the discs at its ends stop"),
        (Refinement::UncoveredMiddle, "(c) in the middle of what the discs leave"),
    ] {
        rows.push((name, cover(refinement, length, &mut distance)));
    }
    let plain = [("", rows[0].1.clone())];
    Ok([svg(&plain, length), svg(&rows, length)])
}

/// Tests configurations until the discs at both ends of every part meet; returns those tested, in order.
fn cover(refinement: Refinement, length: f64, distance: &mut dyn FnMut(f64) -> f64) -> Vec<Tested> {
    let mut at = |place: f64| [place, distance(place)];
    let ends = [at(0.0), at(length)];
    let (mut tested, mut parts) = (ends.to_vec(), vec![ends]);
    while let Some([from, to]) = parts.pop() {
        let [first, last] = [from[0] + from[1], to[0] - to[1]];
        // As fine as a picture shows.
        if first > last || to[0] - from[0] < length / 1024.0 {
            continue;
        }
        let next = match refinement {
            Refinement::Midpoint => vec![at(0.5 * (from[0] + to[0]))],
            Refinement::CoveredEnds => vec![at(first), at(last)],
            Refinement::UncoveredMiddle => vec![at(0.5 * (first + last))],
        };
        tested.extend(&next);
        match next[..] {
            [one] => parts.extend([[from, one], [one, to]]),
            [one, other] => parts.push([one, other]),
            _ => {}
        }
    }
    tested.sort_by(|a, b| a[0].total_cmp(&b[0]));
    tested
}

/// Rows of discs above each other, each with its name.
fn svg(rows: &[(&str, Vec<Tested>)], length: f64) -> String {
    let largest = rows.iter().flat_map(|row| &row.1).map(|tested| tested[1]).fold(0.0, f64::max);
    let scale = 600.0 / (length + 2.0 * largest);
    let row_height = 2.0 * largest * scale + 34.0;
    let (width, height) = (620.0, row_height * rows.len() as f64 + 6.0);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height:.0}\" viewBox=\"0 0 {width} {height:.0}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let left = 10.0 + largest * scale;
    for (row, (name, tested)) in rows.iter().enumerate() {
        let middle = row_height * row as f64 + largest * scale + 6.0;
        for [place, distance] in tested {
            let x = left + scale * place;
            text += &format!(
                "<circle cx=\"{x:.1}\" cy=\"{middle:.1}\" r=\"{:.1}\" fill=\"#1f77b4\" fill-opacity=\"0.15\" stroke=\"#1f77b4\"/>\n\
                 <circle cx=\"{x:.1}\" cy=\"{middle:.1}\" r=\"2\"/>\n",
                distance * scale
            );
        }
        let end = left + scale * length;
        text += &format!(
            "<line x1=\"{left:.1}\" y1=\"{middle:.1}\" x2=\"{end:.1}\" y2=\"{middle:.1}\" stroke=\"black\"/>\n"
        );
        let colon = if name.is_empty() { "" } else { ": " };
        text += &format!(
            "<text x=\"10\" y=\"{:.0}\">{name}{colon}{} configurations tested; the axis is {} m long</text>\n",
            middle + largest * scale + 18.0,
            tested.len(),
            plot::number(length)
        );
    }
    text + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_covers_the_axis_and_the_second_tests_two_at_a_time() {
        // Near an obstacle in the middle.
        let mut distance = |place: f64| 0.05 + 0.4 * (place - 0.5).abs();
        for (refinement, parity) in
            [(Refinement::Midpoint, None), (Refinement::CoveredEnds, Some(0)), (Refinement::UncoveredMiddle, None)]
        {
            let tested = cover(refinement, 1.0, &mut distance);
            assert!(tested.len() > 3 && tested.windows(2).all(|two| two[0][0] + two[0][1] >= two[1][0] - two[1][1]));
            assert!(parity.is_none_or(|parity| tested.len() % 2 == parity));
        }
    }
}
