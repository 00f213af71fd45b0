//! Distance of two triangles, degenerate ones included, with a certified lower bound.
//!
//! The closest points are those of two edges, or of a corner and a face, unless the triangles cross. They are found as
//! lanes of plain loops. The lower bound is then the separation of the six corners along the direction found, which
//! holds despite any rounding on the way. If it does not meet the upper bound, the triangles cross, touch or are
//! degenerate, and every direction that could separate them is tried.

use crate::numeric::segments::{closest, lanes};
use crate::numeric::{DVec3, least, most, norm_up, unit};

/// Corners of a triangle.
pub type Triangle = [DVec3; 3];

/// Bounds on the distance of two triangles, and points of them that attain the upper one.
#[derive(Clone, Copy, Debug)]
pub struct TriangleDistance {
    /// Never above the true distance; 0 if no separation is proven.
    pub lower: f64,
    /// Never below the true distance; exactly 0 only if the triangles are proven to cross.
    pub upper: f64,
    /// A point of the first triangle.
    pub on_a: DVec3,
    /// A point of the second triangle.
    pub on_b: DVec3,
    /// Unit direction from the first to the second along which `lower` was measured.
    pub direction: DVec3,
}

/// Largest gap between the fast path's bounds, in margins, before the slow path looks for a better direction.
const ACCEPTED_GAP: f64 = 32.0;

/// Least of n·b less the greatest of n·a: a lower bound on the distance for every unit `n`, up to rounding.
#[inline(always)]
pub fn separation(a: &Triangle, b: &Triangle, n: DVec3) -> f64 {
    let of_a = most(most(n.dot(a[0]), n.dot(a[1])), n.dot(a[2]));
    let of_b = least(least(n.dot(b[0]), n.dot(b[1])), n.dot(b[2]));
    of_b - of_a
}

/// Distance of `a` and `b`. `margin` bounds the rounding of the corners' coordinates and of dot products with unit
/// vectors: some 16 u of the largest coordinate, plus what the caller's transform added.
#[inline(always)]
pub fn distance(a: &Triangle, b: &Triangle, margin: f64) -> TriangleDistance {
    let (on_a, on_b) = closest_points(a, b);
    let vector = on_b - on_a;
    let length = vector.length();
    // If there is none, any other direction works: the bound is measured along it.
    let direction = unit(vector).unwrap_or(DVec3::X);
    let lower = separation(a, b, direction) - margin;
    if lower > 0.0 && lower >= length * (1.0 - 1e-13) - ACCEPTED_GAP * margin {
        return TriangleDistance { lower, upper: length + margin, on_a, on_b, direction };
    }
    in_contact_or_degenerate(a, b, margin, TriangleDistance { lower, upper: length + margin, on_a, on_b, direction })
}

/// Closest points of two triangles that do not cross.
#[inline(always)]
fn closest_points(a: &Triangle, b: &Triangle) -> (DVec3, DVec3) {
    const N: usize = 12;
    // Lanes 9 to 11 repeat 0 to 2, so that the count is a multiple of four.
    let edge = |t: &Triangle, i: usize| t[(i + 1) % 3] - t[i];
    let (edges_a, edges_b) = ([edge(a, 0), edge(a, 1), edge(a, 2)], [edge(b, 0), edge(b, 1), edge(b, 2)]);
    let (p, d) = (lanes::<N>(|k| a[k % 3]), lanes::<N>(|k| edges_a[k % 3]));
    let (q, e) = (lanes::<N>(|k| b[k / 3 % 3]), lanes::<N>(|k| edges_b[k / 3 % 3]));
    let pairs = closest(&p, &d, &q, &e);
    let mut best = 0;
    for k in 1..9 {
        if pairs.squared[k] < pairs.squared[best] {
            best = k;
        }
    }
    let on_a = a[best % 3] + edges_a[best % 3] * pairs.s[best];
    let on_b = b[best / 3] + edges_b[best / 3] * pairs.t[best];
    let squared = pairs.squared[best];
    let from_a = corner_on_face(a, b, &edges_b, squared);
    let limit = from_a.map_or(squared, |(_, _, squared)| squared);
    match corner_on_face(b, a, &edges_a, limit).map(|(on_b, on_a, _)| (on_a, on_b)) {
        Some(points) => points,
        None => from_a.map_or((on_a, on_b), |(on_a, on_b, _)| (on_a, on_b)),
    }
}

/// The corner of `corners` whose foot on the plane of `face` lies within it and is closest, if closer than `limit`
/// (squared): the corner, the foot and the squared distance.
#[inline(always)]
fn corner_on_face(corners: &Triangle, face: &Triangle, edges: &Triangle, limit: f64) -> Option<(DVec3, DVec3, f64)> {
    let normal = edges[0].cross(edges[1]);
    let squared_normal = normal.length_squared();
    let sides = [normal.cross(edges[0]), normal.cross(edges[1]), normal.cross(edges[2])];
    let mut found = None;
    let mut best = limit;
    for corner in corners {
        let height = normal.dot(*corner - face[0]);
        let squared = height * height / squared_normal;
        let is_within = sides[0].dot(*corner - face[0]) >= 0.0
            && sides[1].dot(*corner - face[1]) >= 0.0
            && sides[2].dot(*corner - face[2]) >= 0.0;
        if is_within && squared < best {
            best = squared;
            found = Some((*corner, *corner - normal * (height / squared_normal), squared));
        }
    }
    found
}

/// The slow path: triangles that cross or touch, and those so thin or close that rounding hides the direction between
/// the points found.
#[cold]
#[inline(never)]
fn in_contact_or_degenerate(a: &Triangle, b: &Triangle, margin: f64, so_far: TriangleDistance) -> TriangleDistance {
    if let Some(point) = proven_crossing(a, b, margin).or_else(|| proven_crossing(b, a, margin)) {
        return TriangleDistance { lower: 0.0, upper: 0.0, on_a: point, on_b: point, direction: so_far.direction };
    }
    let mut best = so_far;
    if !(best.lower > 0.0) {
        best.lower = 0.0;
    }
    let mut consider = |n: DVec3| {
        if let Some(n) = unit(n) {
            for n in [n, -n] {
                let lower = separation(a, b, n) - margin;
                if lower > best.lower {
                    best.lower = lower;
                    best.direction = n;
                }
            }
        }
    };
    let edges = |t: &Triangle| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (edges_a, edges_b) = (edges(a), edges(b));
    let (normal_a, normal_b) = (edges_a[0].cross(edges_a[1]), edges_b[0].cross(edges_b[1]));
    consider(normal_a);
    consider(normal_b);
    let vector = so_far.on_b - so_far.on_a;
    for d in edges_a {
        consider(normal_a.cross(d));
        consider(without(vector, d));
        for e in edges_b {
            consider(d.cross(e));
            // The cross product of nearly parallel edges is noise, but the rest of the vector is not.
            consider(without(without(vector, d), e));
        }
    }
    for e in edges_b {
        consider(normal_b.cross(e));
        consider(without(vector, e));
    }
    best
}

/// `v` less its part along `d`: the difference of the closest points of two edges is orthogonal to both, and rounding
/// along an edge costs most, its whole length times the error of the angle.
fn without(v: DVec3, d: DVec3) -> DVec3 {
    let squared = d.length_squared();
    if squared > 0.0 { v - d * (v.dot(d) / squared) } else { v }
}

/// A point where an edge of `a` passes through the inside of `b`, if that holds for any displacement of the corners by
/// up to `margin`.
fn proven_crossing(a: &Triangle, b: &Triangle, margin: f64) -> Option<DVec3> {
    let size = a.iter().chain(b).map(|p| norm_up(*p - b[0])).fold(0.0, most);
    // A volume of vectors of length ≤ 2·size changes by at most 3·(2 margin)·(2 size)² when its points move by margin,
    // and its evaluation rounds by less than 16 u (2 size)³; both are below this.
    let doubt = (48.0 * margin + 512.0 * crate::numeric::ROUNDOFF_F64 * size) * size * size;
    let volume = |p: DVec3, q: DVec3, r: DVec3, s: DVec3| (q - p).cross(r - p).dot(s - p);
    for i in 0..3 {
        let (p, q) = (a[i], a[(i + 1) % 3]);
        let (above, below) = (volume(b[0], b[1], b[2], p), volume(b[0], b[1], b[2], q));
        let (p, q, above, below) = if above > below { (p, q, above, below) } else { (q, p, below, above) };
        if !(above > doubt && below < -doubt) {
            continue;
        }
        // Seen from above, the line from p down to q passes each edge on its left.
        let sides = [volume(p, q, b[1], b[0]), volume(p, q, b[2], b[1]), volume(p, q, b[0], b[2])];
        if sides.iter().all(|side| *side > doubt) {
            return Some(p + (q - p) * (above / (above - below)));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Random;
    use crate::numeric::simd::{Width, run};

    const MARGIN: f64 = 1e-14;

    /// Oracle: the closest points of a convex pair minimise a convex function, so a fine pattern search over the
    /// barycentric coordinates converges to the distance for any triangles.
    fn oracle(a: &Triangle, b: &Triangle) -> f64 {
        let project = |t: &Triangle, p: DVec3| closest_on_triangle(p, t);
        // Alternating projections between two convex sets from many starts, then the least of all features.
        let mut best = f64::INFINITY;
        for i in 0..3 {
            best = best.min((project(b, a[i]) - a[i]).length()).min((project(a, b[i]) - b[i]).length());
            for j in 0..3 {
                best = best.min(segment_distance(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]));
            }
        }
        if (0..3).any(|i| pierces(a[i], a[(i + 1) % 3], b) || pierces(b[i], b[(i + 1) % 3], a)) { 0.0 } else { best }
    }

    /// Ericson's region walk.
    fn closest_on_triangle(p: DVec3, [a, b, c]: &Triangle) -> DVec3 {
        let (ab, ac, ap) = (*b - *a, *c - *a, p - *a);
        let (d1, d2) = (ab.dot(ap), ac.dot(ap));
        if d1 <= 0.0 && d2 <= 0.0 {
            return *a;
        }
        let bp = p - *b;
        let (d3, d4) = (ab.dot(bp), ac.dot(bp));
        if d3 >= 0.0 && d4 <= d3 {
            return *b;
        }
        let vc = d1 * d4 - d3 * d2;
        if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            return *a + ab * (d1 / (d1 - d3));
        }
        let cp = p - *c;
        let (d5, d6) = (ab.dot(cp), ac.dot(cp));
        if d6 >= 0.0 && d5 <= d6 {
            return *c;
        }
        let vb = d5 * d2 - d1 * d6;
        if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            return *a + ac * (d2 / (d2 - d6));
        }
        let va = d3 * d6 - d5 * d4;
        if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
            return *b + (*c - *b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
        }
        let denominator = 1.0 / (va + vb + vc);
        *a + ab * (vb * denominator) + ac * (vc * denominator)
    }

    /// Distance of two segments as the least over the inside and the four ends, each in closed form.
    fn segment_distance(p: DVec3, p2: DVec3, q: DVec3, q2: DVec3) -> f64 {
        let point = |x: DVec3, a: DVec3, b: DVec3| {
            let d = b - a;
            let t = if d.length_squared() > 0.0 { ((x - a).dot(d) / d.length_squared()).clamp(0.0, 1.0) } else { 0.0 };
            (x - a - d * t).length()
        };
        let ends = point(p, q, q2).min(point(p2, q, q2)).min(point(q, p, p2)).min(point(q2, p, p2));
        let (d, e, r) = (p2 - p, q2 - q, q - p);
        let c = d.cross(e);
        let cc = c.length_squared();
        let (s, t) = (r.cross(e).dot(c) / cc, r.cross(d).dot(c) / cc);
        if cc > 0.0 && (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            ends.min((r.dot(c) / cc.sqrt()).abs())
        } else {
            ends
        }
    }

    fn pierces(p: DVec3, q: DVec3, [a, b, c]: &Triangle) -> bool {
        let n = (*b - *a).cross(*c - *a);
        let (hp, hq) = (n.dot(p - *a), n.dot(q - *a));
        if hp * hq > 0.0 || hp == hq {
            return false;
        }
        let x = p + (q - p) * (hp / (hp - hq));
        let side = |u: DVec3, v: DVec3| n.dot((v - u).cross(x - u)) >= 0.0;
        side(*a, *b) && side(*b, *c) && side(*c, *a)
    }

    /// Triangles of every kind: general, needles, points, segments, touching, crossing, coplanar, parallel.
    fn random_pair(random: &mut Random) -> (Triangle, Triangle) {
        let triangle = |random: &mut Random| -> Triangle {
            let base = random.point(1.0);
            let size = [1.0, 0.1, 1e-3][random.below(3)];
            let corner = |random: &mut Random| base + random.point(size);
            match random.below(8) {
                0 => [base; 3],
                1 => [base, base, corner(random)],
                2 => {
                    let d = random.point(size);
                    [base, base + d, base + d * random.unit()]
                }
                3 => {
                    let d = random.point(size);
                    [base, base + d, base + d * 0.5 + random.point(1e-9)]
                }
                4 => [0, 1, 2].map(|_| (corner(random) * 4.0).round() / 4.0),
                _ => [corner(random), corner(random), corner(random)],
            }
        };
        let a = triangle(random);
        let mut b = triangle(random);
        match random.below(7) {
            // Crossing: an edge through a point of the other.
            6 => {
                let (u, v) = (random.unit(), random.unit());
                let p = a[0] + (a[1] - a[0]) * (u * 0.5) + (a[2] - a[0]) * (v * 0.5);
                let d = random.point(0.1);
                b = [p + d, p - d * random.unit(), p + random.point(0.1)];
            }
            // Sharing a corner, an edge, or the plane; shifted copies.
            0 => b[random.below(3)] = a[random.below(3)],
            1 => (b[0], b[1]) = (a[1], a[2]),
            2 => b = b.map(|p| DVec3::new(p.x, p.y, a[0].z)),
            3 => {
                let shift = random.direction() * [0.0, 1e-12, 1e-6, 0.1][random.below(4)];
                b = a.map(|p| p + shift);
            }
            _ => {}
        }
        (a, b)
    }

    #[test]
    fn bounds_bracket_the_distance_and_meet_for_every_kind_of_triangle() {
        let mut random = Random::new(11);
        let mut crossing = 0;
        for case in 0..60_000 {
            let (a, b) = random_pair(&mut random);
            let truth = oracle(&a, &b);
            let found = distance(&a, &b, MARGIN);
            // The oracle's own crossing test rounds: near contact it may be off by some 1e-13 either way.
            let slack = if truth < 1e-11 { 1e-12 } else { 1e-15 };
            assert!(found.lower <= truth + slack, "{case}: lower {} of {truth}: {a:?} {b:?}", found.lower);
            assert!(found.upper >= truth - slack, "{case}: upper {} of {truth}: {a:?} {b:?}", found.upper);
            assert!((found.on_a - found.on_b).length() <= found.upper);
            if truth > 1e-11 {
                assert!(found.upper - found.lower <= 1e-12, "{case}: {found:?} of {truth}: {a:?} {b:?}");
            }
            crossing += usize::from(found.upper == 0.0);
        }
        assert!(crossing > 1_000, "only {crossing} crossing pairs");
    }

    #[test]
    fn upper_is_zero_only_for_triangles_that_cross() {
        let a = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let up = |z: f64| [DVec3::new(0.2, 0.2, z), DVec3::new(0.2, 0.2, z + 1.0), DVec3::new(0.3, 0.2, z + 1.0)];
        assert_eq!(distance(&a, &up(-0.5), MARGIN).upper, 0.0);
        // Touching with a corner cannot be told from missing by less than the margin.
        let touching = distance(&a, &up(0.0), MARGIN);
        assert!(touching.lower == 0.0 && touching.upper > 0.0 && touching.upper < 1e-13);
        let apart = distance(&a, &up(1e-12), MARGIN);
        assert!(apart.lower > 0.9e-12 && apart.upper < 1.1e-12);
    }

    #[test]
    fn every_simd_width_gives_the_same_bits() {
        let mut random = Random::new(12);
        for _ in 0..5_000 {
            let (a, b) = random_pair(&mut random);
            let bits = |width| {
                let d = run(
                    width,
                    #[inline(always)]
                    || distance(&a, &b, MARGIN),
                );
                [d.lower, d.upper, d.on_a.x, d.on_b.z, d.direction.y].map(f64::to_bits)
            };
            for width in Width::available() {
                assert_eq!(bits(width), bits(Width::Base));
            }
        }
    }
}
