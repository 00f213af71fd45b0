//! Bodies as the oracle sees them and their distances: brute force over triangles in balls, parry for convex shapes,
//! heights over planes.

use std::f64::consts::FRAC_PI_2;
use std::ops::Range;

use parry3d_f64::math as parry_math;
use parry3d_f64::query;
use parry3d_f64::shape::{self as parry, Shape as ParryShape};
use pathproof::numeric::{DQuat, DVec3, Pose};

use super::insides::closed_triangles;
use super::triangles::triangle_distance;
use super::world::{Form, Thing};

/// Corners, centre and radius.
pub(crate) type Triangle = ([DVec3; 3], DVec3, f64);

/// A ball around some triangles, and the two balls below it.
pub(crate) struct Ball {
    pub(crate) members: Range<usize>,
    pub(crate) centre: DVec3,
    pub(crate) radius: f64,
    pub(crate) halves: Option<[usize; 2]>,
}

/// A part ready for the oracle, in its link.
pub(crate) struct Part {
    pub(crate) kind: PartKind,
    pub(crate) link_from_part: Pose,
    pub(crate) centre_in_link: DVec3,
    pub(crate) radius: f64,
}

impl Part {
    /// The triangles that enclose something.
    pub(crate) fn closed(&self) -> &[[DVec3; 3]] {
        match &self.kind {
            PartKind::Mesh { closed, .. } => closed,
            _ => &[],
        }
    }
}

pub(crate) enum PartKind {
    /// parry's shape, and its pose in the part.
    Piece(Box<dyn ParryShape>, Pose),
    /// Corners in the link, with centre and radius of each, neighbours in balls around them; and those that enclose
    /// something.
    Mesh {
        triangles: Vec<Triangle>,
        balls: Vec<Ball>,
        closed: Vec<[DVec3; 3]>,
    },
    Plane(DVec3),
}

pub(crate) struct Solid {
    pub(crate) link: usize,
    pub(crate) parts: Vec<Part>,
    pub(crate) centre: DVec3,
    pub(crate) radius: f64,
}

pub(crate) fn solid(thing: &Thing, link: usize) -> Solid {
    let parts: Vec<Part> = thing.parts.iter().map(|(pose, form)| part(*pose, form)).collect();
    let centre = parts.iter().map(|p| p.centre_in_link).sum::<DVec3>() / parts.len() as f64;
    let radius = parts.iter().map(|p| (p.centre_in_link - centre).length() + p.radius).fold(0.0, f64::max);
    Solid { link, parts, centre, radius }
}

fn part(pose: Pose, form: &Form) -> Part {
    let vector = |v: DVec3| parry_math::Vector::from_array(v.to_array());
    let upright = Pose::from_quaternion(DQuat::from_rotation_x(FRAC_PI_2), DVec3::ZERO);
    let (kind, radius): (PartKind, f64) = match form {
        Form::Ball(r) => (PartKind::Piece(Box::new(parry::Ball::new(*r)), Pose::IDENTITY), *r),
        Form::Cuboid(size) => {
            let half = DVec3::from_array(*size) / 2.0;
            (PartKind::Piece(Box::new(parry::Cuboid::new(vector(half))), Pose::IDENTITY), half.length())
        }
        // parry's cylinders stand along y.
        Form::Cylinder(r, l) => {
            (PartKind::Piece(Box::new(parry::Cylinder::new(l / 2.0, *r)), upright), (r * r + l * l / 4.0).sqrt())
        }
        Form::Capsule(r, l) => {
            let (low, high) = (vector(DVec3::Z * (-l / 2.0)), vector(DVec3::Z * (l / 2.0)));
            (PartKind::Piece(Box::new(parry::Capsule::new(low, high, *r)), Pose::IDENTITY), r + l / 2.0)
        }
        Form::Mesh(vertices, triangles) => {
            let mut placed: Vec<Triangle> = triangles
                .iter()
                .map(|t| {
                    let corners = t.map(|i| pose.point(vertices[i as usize]));
                    let centre = (corners[0] + corners[1] + corners[2]) / 3.0;
                    (corners, centre, corners.iter().map(|c| (*c - centre).length()).fold(0.0, f64::max))
                })
                .collect();
            let used = triangles.iter().flatten().map(|i| vertices[*i as usize].length());
            let radius = used.fold(0.0, f64::max);
            let all: Vec<[DVec3; 3]> = placed.iter().map(|t| t.0).collect();
            let mut balls = Vec::new();
            group(&mut placed, 0, &mut balls);
            (PartKind::Mesh { triangles: placed, balls, closed: closed_triangles(&all) }, radius)
        }
        Form::Plane(normal) => (PartKind::Plane(pose.vector(*normal)), f64::INFINITY),
    };
    Part { kind, link_from_part: pose, centre_in_link: pose.translation, radius: radius * (1.0 + 1e-12) + 1e-12 }
}

pub(crate) fn parry_pose(pose: &Pose) -> parry_math::Pose {
    let q = DQuat::from_mat3(&pose.rotation);
    let t = parry_math::Vector::from_array(pose.translation.to_array());
    parry_math::Pose::from_parts(t, parry_math::Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}

pub(crate) fn part_distance(pa: &Pose, x: &Part, pb: &Pose, y: &Part, limit: f64, is_signed: bool) -> f64 {
    match (&x.kind, &y.kind) {
        (PartKind::Piece(sx, px), PartKind::Piece(sy, py)) => {
            // About A, so that what lies far from the origin keeps its precision.
            let a_from_b = (*pa * x.link_from_part * *px).inverse_mul(&(*pb * y.link_from_part * *py));
            let (one, two) = (parry_math::Pose::IDENTITY, parry_pose(&a_from_b));
            let apart = query::distance(&one, &**sx, &two, &**sy).expect("supported").distance;
            if apart > 0.0 || !is_signed {
                return apart;
            }
            // parry's depth of cuboids may be a third short; the closed form is theirs to the last digits.
            if let (Some(cuboid_x), Some(cuboid_y)) = (sx.as_cuboid(), sy.as_cuboid()) {
                let half = |cuboid: &parry::Cuboid| DVec3::from_array(cuboid.half_extents.to_array());
                let poses = [*pa * x.link_from_part * *px, *pb * y.link_from_part * *py];
                return overlap_of_cuboids(&poses, [half(cuboid_x), half(cuboid_y)]).min(0.0);
            }
            let contact = query::contact(&one, &**sx, &two, &**sy, 0.0).expect("supported");
            contact.map_or(0.0, |contact| contact.dist.min(0.0))
        }
        (PartKind::Mesh { triangles: tx, balls: bx, .. }, PartKind::Mesh { triangles: ty, balls: by, .. }) => {
            let a_from_b = pa.inverse_mul(pb);
            let mut bounds = (limit, f64::INFINITY);
            balls_distance((bx, tx, bx.len() - 1), (by, ty, by.len() - 1), &a_from_b, &mut bounds);
            bounds.1
        }
        (PartKind::Piece(shape, px), PartKind::Mesh { .. }) => {
            piece_to_mesh(&(*pa * x.link_from_part * *px), x.radius, &**shape, pb, &y.kind, limit)
        }
        (PartKind::Mesh { .. }, PartKind::Piece(shape, py)) => {
            piece_to_mesh(&(*pb * y.link_from_part * *py), y.radius, &**shape, pa, &x.kind, limit)
        }
        (PartKind::Plane(normal), _) => height(*normal, &(*pa * x.link_from_part), pb, y, is_signed),
        (_, PartKind::Plane(normal)) => height(*normal, &(*pb * y.link_from_part), pa, x, is_signed),
    }
}

/// The largest separation of two cuboids along the normals of faces and across pairs of edges; where they overlap, that is
/// the least translation that parts them, negative.
fn overlap_of_cuboids([one, two]: &[Pose; 2], half: [DVec3; 2]) -> f64 {
    let axes = |pose: &Pose| [pose.rotation.x_axis, pose.rotation.y_axis, pose.rotation.z_axis];
    let (of_one, of_two) = (axes(one), axes(two));
    let across = of_one.iter().flat_map(|a| of_two.map(|b| a.cross(b)));
    let reach =
        |axes: &[DVec3; 3], half: DVec3, n: DVec3| (0..3).map(|i| (axes[i].dot(n) * half[i]).abs()).sum::<f64>();
    let separation = |n: DVec3| {
        (two.translation - one.translation).dot(n).abs() - reach(&of_one, half[0], n) - reach(&of_two, half[1], n)
    };
    let all = of_one.into_iter().chain(of_two).chain(across).filter(|n| n.length() > 1e-6);
    all.map(|n| separation(n.normalize())).fold(f64::NEG_INFINITY, f64::max)
}

type Side<'a> = (&'a [Ball], &'a [Triangle], usize);

/// Every triangle below one ball against every one below another, but for those that balls show to be farther apart than
/// the least distance so far. `bounds`: that, and the least of all numbers seen.
fn balls_distance(x: Side<'_>, y: Side<'_>, x_from_y: &Pose, bounds: &mut (f64, f64)) {
    let (ball_x, ball_y) = (&x.0[x.2], &y.0[y.2]);
    let gap = (x_from_y.point(ball_y.centre) - ball_x.centre).length() - ball_x.radius - ball_y.radius;
    if gap > bounds.0 {
        bounds.1 = bounds.1.min(gap);
        return;
    }
    match (ball_x.halves, ball_y.halves) {
        (Some(halves), other) if other.is_none() || ball_x.radius >= ball_y.radius => {
            halves.into_iter().for_each(|half| balls_distance((x.0, x.1, half), y, x_from_y, bounds));
        }
        (_, Some(halves)) => {
            halves.into_iter().for_each(|half| balls_distance(x, (y.0, y.1, half), x_from_y, bounds));
        }
        _ => {
            for u in &y.1[ball_y.members.clone()] {
                let corners = u.0.map(|p| x_from_y.point(p));
                for t in &x.1[ball_x.members.clone()] {
                    let d = triangle_distance(&t.0, &corners);
                    *bounds = (bounds.0.min(d), bounds.1.min(d));
                }
            }
        }
    }
}

/// Puts neighbours side by side under a tree of balls; the last ball holds all.
fn group(triangles: &mut [Triangle], first: usize, balls: &mut Vec<Ball>) -> usize {
    let count = triangles.len();
    let (low, high) = triangles.iter().fold((DVec3::MAX, DVec3::MIN), |(low, high), t| (low.min(t.1), high.max(t.1)));
    let centre = (low + high) / 2.0;
    let radius = triangles.iter().map(|t| (t.1 - centre).length() + t.2).fold(0.0, f64::max);
    let halves = (count > 2).then(|| {
        let size = high - low;
        let axis = (0..3).max_by(|&i, &j| size[i].total_cmp(&size[j])).unwrap_or(0);
        triangles.sort_by(|s, t| s.1[axis].total_cmp(&t.1[axis]));
        let (one, two) = triangles.split_at_mut(count / 2);
        [group(one, first, balls), group(two, first + count / 2, balls)]
    });
    balls.push(Ball { members: first..first + count, centre, radius: radius * (1.0 + 1e-12) + 1e-12, halves });
    balls.len() - 1
}

fn piece_to_mesh(
    world_from_piece: &Pose,
    radius: f64,
    shape: &dyn ParryShape,
    world_from_mesh: &Pose,
    mesh: &PartKind,
    limit: f64,
) -> f64 {
    let PartKind::Mesh { triangles, balls, .. } = mesh else { unreachable!("a mesh") };
    let piece_from_mesh = world_from_piece.inverse_mul(world_from_mesh);
    let mut best = f64::INFINITY;
    let mut waiting = vec![balls.len() - 1];
    while let Some(ball) = waiting.pop().map(|i| &balls[i]) {
        let gap = piece_from_mesh.point(ball.centre).length() - ball.radius - radius;
        if gap > limit.min(best) {
            best = best.min(gap);
        } else if let Some(halves) = ball.halves {
            waiting.extend(halves);
        } else {
            let members = &triangles[ball.members.clone()];
            best = best.min(piece_to_triangles(&piece_from_mesh, radius, shape, members, limit.min(best)));
        }
    }
    best
}

fn piece_to_triangles(
    piece_from_mesh: &Pose,
    radius: f64,
    shape: &dyn ParryShape,
    triangles: &[Triangle],
    limit: f64,
) -> f64 {
    let mut best = f64::INFINITY;
    for (corners, centre, r) in triangles {
        let gap = piece_from_mesh.point(*centre).length() - r - radius;
        if gap > limit.min(best) {
            best = best.min(gap);
            continue;
        }
        let [a, b, c] = corners.map(|p| parry_math::Vector::from_array(piece_from_mesh.point(p).to_array()));
        let one = parry_math::Pose::IDENTITY;
        let d = query::distance(&one, shape, &one, &parry::Triangle::new(a, b, c)).expect("supported").distance;
        best = best.min(d);
    }
    best
}

/// Height of a part over a plane; 0 below it unless signed.
fn height(normal_in_link: DVec3, world_from_plane: &Pose, world_from_link: &Pose, part: &Part, is_signed: bool) -> f64 {
    // The normal was placed in the plane's link already, which is the world.
    let (n, origin) = (normal_in_link, world_from_plane.translation);
    let lowest = match &part.kind {
        PartKind::Mesh { triangles, .. } => triangles
            .iter()
            .flat_map(|(corners, ..)| corners.iter().map(|p| n.dot(world_from_link.point(*p) - origin)))
            .fold(f64::INFINITY, f64::min),
        PartKind::Piece(shape, part_from_shape) => {
            let placed = *world_from_link * part.link_from_part * *part_from_shape;
            let down = placed.inverse_vector(-n);
            let support = shape.as_support_map().expect("convex");
            let tip = support.local_support_point(parry_math::Vector::from_array(down.to_array()));
            n.dot(placed.point(DVec3::new(tip.x, tip.y, tip.z)) - origin)
        }
        PartKind::Plane(_) => unreachable!("two planes are never checked"),
    };
    if is_signed { lowest } else { lowest.max(0.0) }
}
