//! The distance of two triangles, by edges and corners.

use pathproof::numeric::DVec3;

/// Distance of two triangles: 0 if an edge of one passes through the other, else between edges and corners.
pub(crate) fn triangle_distance(s: &[DVec3; 3], t: &[DVec3; 3]) -> f64 {
    let mut best = f64::INFINITY;
    for i in 0..3 {
        let (a, b) = (s[i], s[(i + 1) % 3]);
        let (c, d) = (t[i], t[(i + 1) % 3]);
        if pierces(a, b, t) || pierces(c, d, s) {
            return 0.0;
        }
        best = best.min(point_triangle(a, t)).min(point_triangle(c, s));
        for j in 0..3 {
            best = best.min(segment_distance(a, b, t[j], t[(j + 1) % 3]));
        }
    }
    best
}

fn pierces(a: DVec3, b: DVec3, t: &[DVec3; 3]) -> bool {
    let n = (t[1] - t[0]).cross(t[2] - t[0]);
    let (da, db) = (n.dot(a - t[0]), n.dot(b - t[0]));
    if da * db > 0.0 || da == db {
        return false;
    }
    let p = a + (b - a) * (da / (da - db));
    (0..3).all(|i| n.dot((t[(i + 1) % 3] - t[i]).cross(p - t[i])) >= 0.0)
}

fn point_triangle(p: DVec3, t: &[DVec3; 3]) -> f64 {
    let n = (t[1] - t[0]).cross(t[2] - t[0]);
    if n.length_squared() > 0.0 && (0..3).all(|i| n.dot((t[(i + 1) % 3] - t[i]).cross(p - t[i])) >= 0.0) {
        return n.dot(p - t[0]).abs() / n.length();
    }
    (0..3).map(|i| segment_distance(p, p, t[i], t[(i + 1) % 3])).fold(f64::INFINITY, f64::min)
}

fn segment_distance(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, uv, vv, uw, vw) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    let inner = |x: f64, xx: f64| if xx > 0.0 { (x / xx).clamp(0.0, 1.0) } else { 0.0 };
    // Each end against the other segment, and where both are inner points of the lines.
    let at_end =
        |p: DVec3, from: DVec3, e: DVec3, ee: f64| (p - from - e * inner((p - from).dot(e), ee)).length_squared();
    let ends = at_end(a, c, v, vv).min(at_end(b, c, v, vv)).min(at_end(c, a, u, uu)).min(at_end(d, a, u, uu));
    let s = inner(uv * vw - vv * uw, uu * vv - uv * uv);
    let r = inner(vw + s * uv, vv);
    (w + u * s - v * r).length_squared().min(ends).sqrt()
}
