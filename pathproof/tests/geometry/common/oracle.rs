//! Distances written apart from the library: every result is the distance of a pair of points of the two sets, so it is
//! never below the true distance by more than its own rounding, and the least over all features is the distance.

use glam::DVec3;

pub(crate) type Triangle = [DVec3; 3];

/// Distance of two triangles, degenerate ones included; 0 where an edge of one passes through the other.
pub(crate) fn triangles(a: &Triangle, b: &Triangle) -> f64 {
    let edges = [(0, 1), (1, 2), (2, 0)];
    if edges.iter().any(|&(i, j)| pierces(a[i], a[j], b) || pierces(b[i], b[j], a)) {
        return 0.0;
    }
    let mut best = f64::INFINITY;
    for corner in 0..3 {
        best = best.min(point_triangle(a[corner], b)).min(point_triangle(b[corner], a));
    }
    for (i, j) in edges {
        for (k, l) in edges {
            best = best.min(segments([a[i], a[j]], [b[k], b[l]]));
        }
    }
    best
}

/// Distance of a point from a segment.
pub(crate) fn point_segment(p: DVec3, [u, v]: [DVec3; 2]) -> f64 {
    let d = v - u;
    let squared = d.length_squared();
    let t = if squared > 0.0 { ((p - u).dot(d) / squared).clamp(0.0, 1.0) } else { 0.0 };
    // From the nearer end, where rounding the parameter costs less.
    if t <= 0.5 { (p - u - d * t).length() } else { (p - v + d * (1.0 - t)).length() }
}

/// Distance of a point from a triangle: its foot on the plane where that lies inside, else the nearest edge.
pub(crate) fn point_triangle(p: DVec3, t: &Triangle) -> f64 {
    let [a, b, c] = *t;
    let by_edges = point_segment(p, [a, b]).min(point_segment(p, [b, c])).min(point_segment(p, [c, a]));
    let (u, v, w) = (b - a, c - a, p - a);
    let (uu, uv, vv, uw, vw) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    let determinant = uu * vv - uv * uv;
    if determinant <= 1e-14 * uu * vv {
        return by_edges;
    }
    let (s, t) = ((vv * uw - uv * vw) / determinant, (uu * vw - uv * uw) / determinant);
    if s < 0.0 || t < 0.0 || s + t > 1.0 { by_edges } else { by_edges.min((w - u * s - v * t).length()) }
}

/// Distance of two segments: of the lines where both feet are inside, else of an end from the other.
pub(crate) fn segments(a: [DVec3; 2], b: [DVec3; 2]) -> f64 {
    let ends = a.iter().map(|p| point_segment(*p, b)).chain(b.iter().map(|p| point_segment(*p, a)));
    let ends = ends.fold(f64::INFINITY, f64::min);
    let (d, e, r) = (a[1] - a[0], b[1] - b[0], b[0] - a[0]);
    let across = d.cross(e);
    let squared = across.length_squared();
    if squared <= 0.0 {
        return ends;
    }
    let s = r.cross(e).dot(across) / squared;
    if !(0.0..=1.0).contains(&s) {
        return ends;
    }
    ends.min(point_segment(a[0] + d * s, b))
}

/// Whether the segment passes through the triangle.
pub(crate) fn pierces(p: DVec3, q: DVec3, t: &Triangle) -> bool {
    let [a, b, c] = *t;
    let normal = (b - a).cross(c - a);
    let (hp, hq) = (normal.dot(p - a), normal.dot(q - a));
    if hp * hq >= 0.0 {
        return false;
    }
    let x = p + (q - p) * (hp / (hp - hq));
    let side = |u: DVec3, v: DVec3| (v - u).cross(x - u).dot(normal);
    side(a, b) > 0.0 && side(b, c) > 0.0 && side(c, a) > 0.0
}
