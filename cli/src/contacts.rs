//! Which checked pairs are in contact at one configuration: most often bodies that belong together, and the scene does not
//! say so. The answer counts them, names the first few and gives the remedy.

use pathproof::distance::{Contact, Indexed, Query, Scratch};
use pathproof::numeric::{DVec3, Pose};
use pathproof::robot::Kinematics;
use pathproof::scene::{BodyShape, Role, Scene};
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
    let pairs: Vec<[usize; 2]> = meetings.iter().map(|(bodies, _)| *bodies).collect();
    let remedy = remedy(scene, &pairs);
    if let [([a, b], how)] = meetings {
        return Some(format!("{} and {} {how} {when}; {remedy}", name(*a), name(*b)));
    }
    let mut named: Vec<String> =
        meetings.iter().take(MOST).map(|([a, b], _)| format!("{} – {}", name(*a), name(*b))).collect();
    if meetings.len() > MOST {
        named.push(format!("and {} more", meetings.len() - MOST));
    }
    (!meetings.is_empty())
        .then(|| format!("{} pairs {} {when}: {}; {remedy}", meetings.len(), together(meetings), named.join(", ")))
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

/// What to do about pairs in contact, by what they are: links that belong together, objects that are held or misplaced.
pub(crate) fn remedy(scene: &Scene, pairs: &[[usize; 2]]) -> String {
    let role = |body: usize| scene.bodies()[body].role;
    let has = |pair: &[usize; 2], wanted: Role| pair.iter().any(|body| role(*body) == wanted);
    let first = |wanted: Role, other: Role| {
        let found = pairs.iter().find(|pair| has(pair, wanted) && has(pair, other))?;
        let [a, b] = if role(found[0]) == wanted { *found } else { [found[1], found[0]] };
        Some([a, b].map(|body| &scene.bodies()[body]))
    };
    let mut advice = Vec::new();
    if let Some([object, link]) = first(Role::Obstacle, Role::Link) {
        let (object_name, link) = (&object.name, &link.name);
        advice.push(match object.shape.is_half_space() {
            true => format!("is {object_name} in its place? Where they are meant to touch, {EXCLUDE}"),
            false => format!(
                "is {object_name} in its place? If the robot holds it, write attach = \"{link}\" in the scene or pass \
                 --attach {object_name}={link} to `check`"
            ),
        });
    } else if let Some([object, other]) = first(Role::Obstacle, Role::Attached) {
        advice.push(format!("is {} in its place, and {} held as it should be?", object.name, other.name));
    }
    if let Some([object, link]) = first(Role::Attached, Role::Link) {
        advice.push(format!("where {} is meant to touch, add touch = [{:?}] to it", object.name, link.name));
    }
    let is_built = |pair: &[usize; 2]| pair.iter().all(|body| role(*body) == Role::Link);
    if pairs.iter().any(is_built) {
        advice.push(format!("where that is how links are built, let `pathproof acm` find such pairs, or {EXCLUDE}"));
    }
    if advice.is_empty() {
        advice.push(format!("where that is meant, {EXCLUDE}"));
    }
    advice.join("; ")
}

const EXCLUDE: &str = "add [[pairs]] with bodies (wildcards as in \"arm/*\") and check = false";

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
