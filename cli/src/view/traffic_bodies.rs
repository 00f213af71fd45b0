//! Agents and candidates from above, at every sample of a page of `traffic`: corners in the world, ready to be drawn.

use pathproof::numeric::DVec3;
use pathproof_traffic::Agent;
use serde::Serialize;

use super::blob::{Blob, Section};

/// Maximum number of coordinates of a page; a larger one gets fewer samples.
const MOST_NUMBERS: usize = 1_500_000;
/// Number of samples of a page, or fewer if there is much to draw.
const SAMPLES: usize = 400;
const LEAST_SAMPLES: usize = 60;

/// A body, for the page.
#[derive(Serialize)]
pub(super) struct Drawn<'a> {
    name: &'a str,
    role: &'static str,
    /// Known only as a region.
    uncertain: bool,
    /// First sample at which it is present, and the number of these samples; `null` if it always stands at one place.
    there: Option<[usize; 2]>,
    parts: Vec<DrawnPart>,
    /// Track of its reference point: x and y in turn.
    way: Section,
}

/// A convex part: the hull of its corners, swept by a disc.
#[derive(Serialize)]
pub(super) struct DrawnPart {
    /// Corners per sample; a sample with fewer repeats its last one.
    corners: usize,
    /// For each sample: x and y of each corner.
    points: Section,
    radius: Section,
    /// True if corners keep their order, so that they may be drawn between two samples.
    blends: bool,
}

/// Outline of an agent at a time of its own: for each part its radius, then x and y of its corners.
pub(super) fn outline(agent: &Agent, time: f64, origin: DVec3) -> Vec<(f64, Vec<f64>)> {
    let parts = agent.from_above(time).unwrap_or_default();
    let flat = |corners: Vec<[f64; 2]>| corners.into_iter().flat_map(|[x, y]| [x - origin.x, y - origin.y]).collect();
    parts.into_iter().map(|part| (part.radius, flat(part.corners))).collect()
}

/// Number of samples that a page can have with these bodies.
pub(super) fn samples(agents: &[Agent]) -> usize {
    let corners = |agent: &&Agent| -> usize {
        let time = agent.presence().map_or(0.0, |[from, _]| from);
        agent.from_above(time).unwrap_or_default().iter().map(|part| 2 * part.corners.len() + 1).sum()
    };
    let moving: usize = agents.iter().filter(|agent| !agent.is_at_rest()).map(|agent| corners(&agent)).sum();
    (MOST_NUMBERS / moving.max(1)).clamp(LEAST_SAMPLES, SAMPLES)
}

/// Body at every sample.
pub(super) fn drawn<'a>(
    (agent, role): (&'a Agent, &'static str),
    times: &[f64],
    origin: DVec3,
    blob: &mut Blob,
) -> Drawn<'a> {
    let is_there = |time: &f64| agent.from_above(*time).is_some();
    let (first, own) = if agent.is_at_rest() {
        (None, vec![times[0]])
    } else {
        let first = times.iter().position(is_there).unwrap_or(times.len());
        let own: Vec<f64> = times[first..].iter().copied().take_while(is_there).collect();
        (Some([first, own.len()]), own)
    };
    let outlines: Vec<_> = own.iter().map(|time| outline(agent, *time, origin)).collect();
    let count = outlines.first().map_or(0, Vec::len);
    let part = |number: usize, blob: &mut Blob| {
        let of_part = || outlines.iter().map(|parts| &parts[number]);
        let numbers = of_part().map(|(_, corners)| corners.len()).max().unwrap_or(0);
        let padded = |corners: &Vec<f64>| -> Vec<f32> {
            let (count, last) = (corners.len(), corners.len() - 2);
            (0..numbers).map(|i| corners[if i < count { i } else { last + i % 2 }] as f32).collect()
        };
        DrawnPart {
            corners: numbers / 2,
            blends: !agent.is_uncertain() && of_part().all(|(_, corners)| corners.len() == numbers),
            points: blob.singles(of_part().flat_map(|(_, corners)| padded(corners))),
            radius: blob.singles(of_part().map(|(radius, _)| *radius as f32)),
        }
    };
    let trajectory = agent.trajectory();
    let way = (0..trajectory.knots()).map(|knot| trajectory.position(knot));
    Drawn {
        name: agent.name(),
        role,
        uncertain: agent.is_uncertain(),
        there: first,
        parts: (0..count).map(|number| part(number, blob)).collect(),
        way: blob.singles(way.flat_map(|[x, y, _]| [(x - origin.x) as f32, (y - origin.y) as f32])),
    }
}
