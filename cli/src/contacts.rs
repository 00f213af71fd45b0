//! Which checked pairs are in contact at one configuration: most often bodies that belong together, and the scene does not
//! say so. The answer counts them, names the first few and gives the remedy.

use pathproof::distance::{Contact, Indexed, Query, Scratch};
use pathproof::numeric::{DVec3, Pose};
use pathproof::robot::Kinematics;
use pathproof::scene::{BodyShape, Scene};
use pathproof::shapes::Body;

/// A pair of bodies, by number, and how they meet.
pub(crate) type Meeting = ([usize; 2], &'static str);

/// The checked pairs that meet at a configuration, or come too close to tell.
pub(crate) fn at(scene: &Scene, q: &[f64]) -> Vec<Meeting> {
    let poses = body_poses(scene, q);
    let index = |shape: &BodyShape| match shape {
        BodyShape::Parts(body) => Some(Indexed::new(body.clone())),
        BodyShape::HalfSpace { .. } => None,
    };
    let indexed: Vec<Option<Indexed>> = scene.bodies().iter().map(|body| index(&body.shape)).collect();
    let mut scratch = Scratch::default();
    let mut found = Vec::new();
    // A negative clearance allows an overlap.
    for pair in scene.pairs().iter().filter(|pair| pair.clearance >= 0.0) {
        let (world_from_a, world_from_b) = (&poses[pair.a], &poses[pair.b]);
        let how = match (&indexed[pair.a], &indexed[pair.b]) {
            (Some(a), Some(b)) => {
                let query = Query::new(a, b, world_from_a, world_from_b);
                match query.collide(&mut scratch) {
                    Contact::Meets(_) => Some("are in contact"),
                    Contact::Unclear(_) => Some(TOO_CLOSE),
                    Contact::Apart(_) => query.containment().map(|_| "are one inside the other"),
                }
            }
            (Some(a), None) => below_plane(a.body(), world_from_a, &scene.bodies()[pair.b].shape, world_from_b),
            (None, Some(b)) => below_plane(b.body(), world_from_b, &scene.bodies()[pair.a].shape, world_from_a),
            (None, None) => None,
        };
        found.extend(how.map(|how| ([pair.a, pair.b], how)));
    }
    found
}

/// One line about all of them; `None` where there are none. `when` says at which configuration.
pub(crate) fn describe(scene: &Scene, meetings: &[Meeting], when: &str) -> Option<String> {
    const MOST: usize = 3;
    let name = |body: usize| scene.bodies()[body].name.as_str();
    if let [([a, b], how)] = meetings {
        return Some(format!("{} and {} {how} {when}; {REMEDY}", name(*a), name(*b)));
    }
    let mut named: Vec<String> =
        meetings.iter().take(MOST).map(|([a, b], _)| format!("{} – {}", name(*a), name(*b))).collect();
    if meetings.len() > MOST {
        named.push(format!("and {} more", meetings.len() - MOST));
    }
    (!meetings.is_empty())
        .then(|| format!("{} pairs {} {when}: {}; {REMEDY}", meetings.len(), together(meetings), named.join(", ")))
}

/// What several of them have in common.
fn together(meetings: &[Meeting]) -> &'static str {
    if meetings.iter().any(|(_, how)| *how == TOO_CLOSE) {
        "are in contact or too close to tell"
    } else {
        "are in contact"
    }
}

const TOO_CLOSE: &str = "are too close to tell contact from none";

const REMEDY: &str = "where that is how they are built, let `pathproof acm` find such pairs, or add [[pairs]] with \
                      bodies (wildcards as in \"arm/*\") and check = false";

/// Whether a body reaches below a plane.
fn below_plane(
    body: &Body,
    world_from_body: &Pose,
    plane: &BodyShape,
    world_from_plane: &Pose,
) -> Option<&'static str> {
    let lowest = height_over_plane(body, world_from_body, plane, world_from_plane)?;
    (lowest <= 0.0).then_some("are in contact")
}

/// How high the lowest point of a body is over a plane, in metres: an estimate. `None` where the shape is no plane.
pub(crate) fn height_over_plane(
    body: &Body,
    world_from_body: &Pose,
    plane: &BodyShape,
    world_from_plane: &Pose,
) -> Option<f64> {
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

/// Where the frames of all bodies are.
pub(crate) fn body_poses(scene: &Scene, q: &[f64]) -> Vec<Pose> {
    let mut kinematics = Kinematics::new(scene.model());
    kinematics.set_configuration(q);
    let mut pose = |link: usize| kinematics.world_from_link(scene.model(), link);
    scene.bodies().iter().map(|body| pose(body.link) * body.link_from_body).collect()
}
