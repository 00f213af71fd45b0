//! Distances measured at samples of the motion: always for some pairs, for the others only if their proven bounds allow
//! them to be the nearest.

use std::collections::HashMap;
use std::time::Instant;

use anyhow::Result;
use pathproof::check::{Profile, ProfilePiece, Settings};
use pathproof::distance::{Indexed, Query, Scratch};
use pathproof::numeric::{DVec3, Pose};
use pathproof::path::Motion;
use pathproof::robot::Kinematics;
use pathproof::scene::{BodyShape, Scene};
use pathproof::shapes::Body;

use super::motion::{Place, Sampled};
use crate::profile_output;

/// Maximum number of configurations at which distances are measured.
const MOST: usize = 1_500;

/// The distances at one configuration.
pub(super) struct Row {
    pub(super) place: Place,
    /// Upper bound on the smallest distance of all pairs, in metres, and the pair; 0 in contact.
    pub(super) upper: f64,
    pub(super) pair: usize,
    /// Upper bounds for the pairs that are always measured.
    pub(super) always: Vec<f64>,
}

/// Measures distances. `always` are pairs that every row has, `numbers` the numbers of all pairs. The user's limits
/// apply separately; if they do not suffice, rows are left out at the end.
pub(super) fn at_samples(
    scene: &Scene,
    path: &Motion,
    sampled: &Sampled,
    profile: &Profile,
    (always, numbers): (&[usize], &HashMap<[usize; 2], usize>),
    settings: &Settings,
) -> Result<Vec<Row>> {
    let (bar, start) = (profile_output::progress_bar(), Instant::now());
    let segments: HashMap<usize, &[ProfilePiece]> =
        profile.pieces.chunk_by(|x, y| x.segment == y.segment).map(|pieces| (pieces[0].segment, pieces)).collect();
    let mut ruler = Ruler::new(scene);
    let last = sampled.places.len() - 1;
    let every = sampled.places.len().div_ceil(MOST).max(1);
    let mut rows = Vec::new();
    let mut q = path.waypoints()[0].clone();
    for (number, place) in sampled.places.iter().enumerate() {
        if always.is_empty() || (number % every != 0 && number != last) {
            continue;
        }
        let is_late = settings.max_time.is_some_and(|most| start.elapsed() >= most);
        if is_late || settings.max_queries.is_some_and(|most| ruler.queries >= most) {
            break;
        }
        path.segment(scene.model(), place.segment)?.configuration_at(place.t, &mut q);
        let pieces = segments.get(&place.segment).copied().unwrap_or_default();
        rows.push(row(&mut ruler, &q, *place, pieces, always, numbers));
        bar.set_position((number as f64 / last.max(1) as f64 * profile_output::STEPS as f64) as u64);
    }
    bar.finish_and_clear();
    Ok(rows)
}

fn row(
    ruler: &mut Ruler<'_>,
    q: &[f64],
    place: Place,
    pieces: &[ProfilePiece],
    always: &[usize],
    numbers: &HashMap<[usize; 2], usize>,
) -> Row {
    ruler.poses = body_poses(ruler.scene, q);
    // Proven bounds there, the least first.
    let is_there = |piece: &&ProfilePiece| (piece.interval[0]..=piece.interval[1]).contains(&place.t);
    let mut proven: Vec<(f64, usize)> =
        pieces.iter().filter(is_there).filter_map(|piece| Some((piece.lower, *numbers.get(&piece.bodies)?))).collect();
    proven.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    let lower_of = |pair: usize| proven.iter().find(|(_, other)| *other == pair).map_or(0.0, |(lower, _)| *lower);
    let of_always: Vec<f64> = always.iter().map(|&pair| ruler.upper(pair, lower_of(pair))).collect();
    let nearest = always.iter().zip(&of_always).min_by(|x, y| x.1.total_cmp(y.1));
    let (mut pair, mut upper) = nearest.map_or((0, f64::INFINITY), |(pair, upper)| (*pair, *upper));
    for &(lower, other) in &proven {
        if lower >= upper {
            break;
        }
        if !always.contains(&other) {
            let of_other = ruler.upper(other, lower);
            if of_other < upper {
                (pair, upper) = (other, of_other);
            }
        }
    }
    Row { place, upper, pair, always: of_always }
}

/// Measures pairs at its current poses.
struct Ruler<'a> {
    scene: &'a Scene,
    bodies: Vec<Option<Indexed>>,
    poses: Vec<Pose>,
    scratch: Scratch,
    queries: u64,
}

impl<'a> Ruler<'a> {
    fn new(scene: &'a Scene) -> Self {
        let index = |shape: &BodyShape| match shape {
            BodyShape::Parts(body) => Some(Indexed::new(body.clone())),
            BodyShape::HalfSpace { .. } => None,
        };
        let bodies = scene.bodies().iter().map(|body| index(&body.shape)).collect();
        Self { scene, bodies, poses: Vec::new(), scratch: Scratch::default(), queries: 0 }
    }

    /// Upper bound on the distance of a pair; `lower` is its proven lower bound there.
    fn upper(&mut self, pair: usize, lower: f64) -> f64 {
        self.queries += 1;
        let pair = &self.scene.pairs()[pair];
        let over_plane = |body: usize, plane: usize| {
            let indexed = self.bodies[body].as_ref()?;
            let shape = &self.scene.bodies()[plane].shape;
            height_over_plane(indexed.body(), &self.poses[body], shape, &self.poses[plane])
        };
        let (Some(a), Some(b)) = (&self.bodies[pair.a], &self.bodies[pair.b]) else {
            let height = over_plane(pair.a, pair.b).or_else(|| over_plane(pair.b, pair.a));
            return height.map_or(f64::INFINITY, |height| height.max(0.0));
        };
        let query = Query::new(a, b, &self.poses[pair.a], &self.poses[pair.b]);
        let upper = query.exact(&mut self.scratch).upper;
        // A body proven apart is not inside the other.
        if !(lower > 0.0) && query.containment().is_some() { 0.0 } else { upper.max(0.0) }
    }
}

/// Height of the lowest point of a body over a plane, in metres: an estimate. `None` if the shape is not a plane.
fn height_over_plane(body: &Body, world_from_body: &Pose, plane: &BodyShape, world_from_plane: &Pose) -> Option<f64> {
    let BodyShape::HalfSpace { normal } = plane else { return None };
    let plane_from_centre = world_from_plane.inverse_mul(&(*world_from_body * Pose::from_translation(body.centre())));
    let height = |p: DVec3| plane_from_centre.point(p).dot(*normal);
    let corners = body.vertices().iter().map(|corner| height(*corner));
    let pieces = body.pieces().iter().map(|piece| {
        let down = piece.centre_from_piece.inverse_vector(plane_from_centre.inverse_vector(-*normal));
        height(piece.centre_from_piece.point(piece.shape.core_support(down))) - piece.shape.radius()
    });
    Some(corners.chain(pieces).fold(f64::INFINITY, f64::min))
}

/// Poses of the frames of all bodies.
fn body_poses(scene: &Scene, q: &[f64]) -> Vec<Pose> {
    let mut kinematics = Kinematics::new(scene.model());
    kinematics.set_configuration(q);
    let mut pose = |link: usize| kinematics.world_from_link(scene.model(), link);
    scene.bodies().iter().map(|body| pose(body.link) * body.link_from_body).collect()
}
