//! Rectangles around primitives: in the plane of the two widest principal directions, shrunk as far as the radius
//! allows.

use super::{Rectangle, narrow, wide};
use crate::numeric::{DMat3, DVec3, ROUNDOFF_F64, most, norm_up, unit};
use crate::shapes::Body;
use crate::trees::build::{Item, spanning_points};

/// A rectangle swept sphere around some primitives, and its axes (longest first). The rectangle lies in the plane of
/// the two widest principal directions, in the middle of the thickness, which is the radius. It is shrunk as far as
/// the radius allows (after Larsen et al.), and the radius is then enlarged to reach the points still outside.
pub(super) fn fit(items: &[Item], body: &Body) -> (Rectangle, DMat3) {
    let each = |visit: &mut dyn FnMut(DVec3)| {
        for item in items {
            spanning_points(body, item.primitive as usize, &mut *visit);
        }
    };
    let axes = principal_axes(&each);
    let local = |p: DVec3| DVec3::new(axes.x_axis.dot(p), axes.y_axis.dot(p), axes.z_axis.dot(p));
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    each(&mut |p| (low, high) = (low.min(local(p)), high.max(local(p))));
    let thickness = (high.z - low.z) * 0.5;
    let middle = (high.z + low.z) * 0.5;
    let room = |v: DVec3| most(thickness * thickness - (v.z - middle) * (v.z - middle), 0.0).sqrt();
    let (mut from, mut to) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    each(&mut |p| {
        let v = local(p);
        (from, to) = (from.min(v + room(v)), to.max(v - room(v)));
    });
    for k in 0..2 {
        if from[k] > to[k] {
            let mid = ((low[k] + high[k]) * 0.5).clamp(to[k], from[k]);
            (from[k], to[k]) = (mid, mid);
        }
    }
    each(&mut |p| cover_corner(local(p), room(local(p)), &mut from, &mut to));
    let centre = axes * DVec3::new((from.x + to.x) * 0.5, (from.y + to.y) * 0.5, middle);
    let half_edges = [axes.x_axis * ((to.x - from.x) * 0.5), axes.y_axis * ((to.y - from.y) * 0.5)];
    // The stored rectangle is rounded: the radius is measured from it.
    let mut rectangle =
        Rectangle { centre: wide(narrow(centre)), half_edges: half_edges.map(|e| wide(narrow(e))), radius: 0.0 };
    each(&mut |p| rectangle.radius = most(rectangle.radius, norm_up(p - rectangle.closest_to(p))));
    rectangle.radius += outward_margin(&rectangle);
    (rectangle, axes)
}

/// Enlargement of the computed radius: the distance of a point from the rectangle errs by less than 16 u of the
/// coordinates involved.
pub(super) fn outward_margin(rectangle: &Rectangle) -> f64 {
    let size = norm_up(rectangle.centre)
        + norm_up(rectangle.half_edges[0])
        + norm_up(rectangle.half_edges[1])
        + 2.0 * rectangle.radius;
    32.0 * ROUNDOFF_F64 * size
}

/// Moves the corner of the rectangle out along the diagonal as far as the point `v` beyond it requires; `room` is the
/// largest distance of a point at its height from the rectangle's edge within the plane.
fn cover_corner(v: DVec3, room: f64, from: &mut DVec3, to: &mut DVec3) {
    for (sx, sy) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        let corner = (if sx > 0.0 { to.x } else { from.x }, if sy > 0.0 { to.y } else { from.y });
        let (dx, dy) = ((v.x - corner.0) * sx, (v.y - corner.1) * sy);
        if dx <= 0.0 || dy <= 0.0 {
            continue;
        }
        // Moving by m along the diagonal leaves (dx − m/√2, dy − m/√2): the smallest m that comes within room.
        let along = (dx + dy) * std::f64::consts::FRAC_1_SQRT_2;
        let across = (dx - dy) * std::f64::consts::FRAC_1_SQRT_2;
        let m = along - most(room * room - across * across, 0.0).sqrt();
        if m > 0.0 {
            let step = m * std::f64::consts::FRAC_1_SQRT_2;
            *(if sx > 0.0 { &mut to.x } else { &mut from.x }) += sx * step;
            *(if sy > 0.0 { &mut to.y } else { &mut from.y }) += sy * step;
        }
    }
}

/// Principal axes of the points, longest spread first, as the columns of a rotation.
fn principal_axes(each: &impl Fn(&mut dyn FnMut(DVec3))) -> DMat3 {
    let (mut sum, mut count) = (DVec3::ZERO, 0.0);
    each(&mut |p| (sum, count) = (sum + p, count + 1.0));
    let mean = sum / count;
    let mut m = [[0.0f64; 3]; 3];
    each(&mut |p| {
        let v = p - mean;
        for (i, row) in m.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                *entry += v[i] * v[j];
            }
        }
    });
    let (values, vectors) = jacobi(m);
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| values[j].total_cmp(&values[i]));
    let x = unit(vectors[order[0]]).unwrap_or(DVec3::X);
    let y = unit(vectors[order[1]] - x * x.dot(vectors[order[1]])).unwrap_or_else(|| x.any_orthonormal_vector());
    DMat3::from_cols(x, y, x.cross(y))
}

/// Eigenvalues and eigenvectors of a symmetric matrix by Jacobi rotations.
fn jacobi(mut m: [[f64; 3]; 3]) -> ([f64; 3], [DVec3; 3]) {
    let mut vectors = [DVec3::X, DVec3::Y, DVec3::Z];
    for _ in 0..16 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[p][q].abs() <= 1e-300 {
                continue;
            }
            let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let t = if t.is_finite() { t } else { 0.0 };
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for row in &mut m {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
            for k in 0..3 {
                (m[p][k], m[q][k]) = (c * m[p][k] - s * m[q][k], s * m[p][k] + c * m[q][k]);
            }
            (vectors[p], vectors[q]) = (vectors[p] * c - vectors[q] * s, vectors[p] * s + vectors[q] * c);
        }
    }
    ([m[0][0], m[1][1], m[2][2]], vectors)
}
