//! Distances in closed form, in either kind of number: facets (points, segments, triangles) swept by balls, cuboids that
//! may overlap, heights over planes.

use super::kinematics::{Placed, Vector, add, cross, dot, length, scaled, sub};
use super::real::Real;

/// A point, segment or triangle (as a triangle with repeated corners) swept by a ball.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facet<R> {
    pub(crate) corners: [Vector<R>; 3],
    pub(crate) count: usize,
    pub(crate) radius: R,
    /// A ball around it, for leaving out.
    pub(crate) centre: [f64; 3],
    pub(crate) reach: f64,
}

/// Distance of two facets; 0 where they meet, negative by how far balls overlap while their cores are apart.
pub(crate) fn facets<R: Real>(a: &Facet<R>, b: &Facet<R>) -> R {
    cores(&a.corners[..a.count], &b.corners[..b.count]) - a.radius - b.radius
}

/// Distance of two points, segments or triangles.
fn cores<R: Real>(a: &[Vector<R>], b: &[Vector<R>]) -> R {
    let edges = |count: usize| (0..if count == 3 { 3 } else { count - 1 }).map(move |i| (i, (i + 1) % count));
    let is_crossed = |edged: &[Vector<R>], other: &[Vector<R>]| {
        other.len() == 3 && edges(edged.len()).any(|(i, j)| pierces(edged[i], edged[j], other))
    };
    if is_crossed(a, b) || is_crossed(b, a) {
        return R::from_f64(0.0);
    }
    let mut best = R::from_f64(f64::INFINITY);
    for &p in a {
        best = best.smaller(from_point(p, b));
    }
    for &p in b {
        best = best.smaller(from_point(p, a));
    }
    for (i, j) in edges(a.len()) {
        for (k, l) in edges(b.len()) {
            best = best.smaller(segments([a[i], a[j]], [b[k], b[l]]));
        }
    }
    best
}

fn from_point<R: Real>(p: Vector<R>, core: &[Vector<R>]) -> R {
    match *core {
        [a] => length(sub(p, a)),
        [a, b] => point_segment(p, [a, b]),
        [a, b, c] => point_triangle(p, [a, b, c]),
        _ => unreachable!("one to three corners"),
    }
}

fn clamped<R: Real>(x: R) -> R {
    x.larger(R::from_f64(0.0)).smaller(R::from_f64(1.0))
}

fn point_segment<R: Real>(p: Vector<R>, [u, v]: [Vector<R>; 2]) -> R {
    let (d, w) = (sub(v, u), sub(p, u));
    let t = clamped(dot(w, d) / dot(d, d));
    length(sub(w, scaled(d, t)))
}

/// The foot on the plane where that lies inside, else the nearest edge.
fn point_triangle<R: Real>(p: Vector<R>, [a, b, c]: [Vector<R>; 3]) -> R {
    let edges = point_segment(p, [a, b]).smaller(point_segment(p, [b, c])).smaller(point_segment(p, [c, a]));
    let n = cross(sub(b, a), sub(c, a));
    let is_inside =
        [(a, b), (b, c), (c, a)].iter().all(|(u, v)| dot(n, cross(sub(*v, *u), sub(p, *u))) >= R::from_f64(0.0));
    if is_inside { edges.smaller(dot(n, sub(p, a)).abs() / length(n)) } else { edges }
}

/// Of the lines where both feet are inner points; ends are for the caller, who asks for points too.
fn segments<R: Real>(a: [Vector<R>; 2], b: [Vector<R>; 2]) -> R {
    let (d, e, r) = (sub(a[1], a[0]), sub(b[1], b[0]), sub(b[0], a[0]));
    let across = cross(d, e);
    let squared = dot(across, across);
    if squared <= R::from_f64(R::NEGLIGIBLE) * dot(d, d) * dot(e, e) {
        return R::from_f64(f64::INFINITY);
    }
    let s = clamped(dot(cross(r, e), across) / squared);
    point_segment(add(a[0], scaled(d, s)), b)
}

fn pierces<R: Real>(p: Vector<R>, q: Vector<R>, t: &[Vector<R>]) -> bool {
    let zero = R::from_f64(0.0);
    let n = cross(sub(t[1], t[0]), sub(t[2], t[0]));
    let (hp, hq) = (dot(n, sub(p, t[0])), dot(n, sub(q, t[0])));
    if (hp > zero) == (hq > zero) {
        return false;
    }
    let x = add(p, scaled(sub(q, p), hp / (hp - hq)));
    (0..3).all(|i| dot(cross(sub(t[(i + 1) % 3], t[i]), sub(x, t[i])), n) > zero)
}

/// A cuboid placed somewhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cuboid<R> {
    pub(crate) placed: Placed<R>,
    pub(crate) half: Vector<R>,
}

/// The largest separation of two cuboids along normals of faces and across pairs of edges: where it is negative, it is the
/// least translation that parts them.
pub(crate) fn separation<R: Real>(a: &Cuboid<R>, b: &Cuboid<R>) -> R {
    let between = sub(b.placed.translation, a.placed.translation);
    let reach = |c: &Cuboid<R>, n: Vector<R>| {
        let along = |i: usize| (dot(c.placed.columns[i], n) * c.half[i]).abs();
        along(0) + along(1) + along(2)
    };
    let along = |n: Vector<R>| dot(between, n).abs() - reach(a, n) - reach(b, n);
    let mut most = R::from_f64(f64::NEG_INFINITY);
    for n in a.placed.columns.into_iter().chain(b.placed.columns) {
        most = most.larger(along(n));
    }
    for u in a.placed.columns {
        for v in b.placed.columns {
            let n = cross(u, v);
            let size = length(n);
            if size > R::from_f64(1e-6) {
                most = most.larger(along(n) / size);
            }
        }
    }
    most
}

/// Signed distance of a point from a cuboid.
pub(crate) fn point_cuboid<R: Real>(p: Vector<R>, c: &Cuboid<R>) -> R {
    let zero = R::from_f64(0.0);
    let from_centre = sub(p, c.placed.translation);
    let over: Vector<R> = std::array::from_fn(|i| dot(from_centre, c.placed.columns[i]).abs() - c.half[i]);
    let outside = length(over.map(|x| x.larger(zero)));
    if outside > zero { outside } else { over[0].larger(over[1]).larger(over[2]) }
}
