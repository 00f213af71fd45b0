//! The span of a set of points — a point, a line, a plane or a volume — and hulls below three dimensions.
//!
//! All decisions are exact: points of one exact plane keep their order when a coordinate is dropped, so that
//! a planar hull is a chain of `orient2d` tests, and points of one exact line are ordered lexicographically.

use robust::{Coord, orient2d};

use super::quickhull::height_sign;
use crate::numeric::DVec3;

/// The exact affine dimension of a set of points, with points that span it.
pub(super) enum Span {
    /// All points are this one.
    Point(u32),
    /// All points lie between these two.
    Line([u32; 2]),
    /// All points lie in the plane of these three.
    Plane([u32; 3]),
    /// Four points with a volume.
    Volume([u32; 4]),
}

fn order(a: DVec3, b: DVec3) -> std::cmp::Ordering {
    let key = |p: DVec3| p.to_array().map(|c| c + 0.0);
    key(a).partial_cmp(&key(b)).expect("coordinates are finite")
}

/// `points` must not be empty.
pub(super) fn span(points: &[DVec3]) -> Span {
    let indices = 0..points.len();
    let at = |i: usize| points[i];
    let first = indices.clone().min_by(|&i, &j| order(at(i), at(j))).expect("not empty");
    let last = indices.clone().max_by(|&i, &j| order(at(i), at(j))).expect("not empty");
    if order(at(first), at(last)).is_eq() {
        return Span::Point(first as u32);
    }
    // The best by rounded arithmetic is nearly always fine; otherwise any that is exactly off the span works.
    let off_line = |i: usize| (at(i) - at(first)).cross(at(last) - at(first)).length_squared();
    let bent = |i: &usize| plane_axes([at(first), at(last), at(*i)]).is_some();
    let best = indices.clone().max_by(|&i, &j| off_line(i).total_cmp(&off_line(j))).filter(bent);
    let Some(third) = best.or_else(|| indices.clone().find(bent)) else {
        return Span::Line([first as u32, last as u32]);
    };
    let corners = [at(first), at(last), at(third)];
    let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    let off_plane = |i: usize| (at(i) - corners[0]).dot(normal).abs();
    let outside = |i: &usize| height_sign(corners, at(*i)) != 0.0;
    let best = indices.clone().max_by(|&i, &j| off_plane(i).total_cmp(&off_plane(j))).filter(outside);
    match best.or_else(|| indices.clone().find(outside)) {
        Some(fourth) => Span::Volume([first as u32, last as u32, third as u32, fourth as u32]),
        None => Span::Plane([first as u32, last as u32, third as u32]),
    }
}

fn dropped(p: DVec3, axes: [usize; 2]) -> Coord<f64> {
    Coord { x: p[axes[0]], y: p[axes[1]] }
}

/// The coordinate plane in which the triangle looks largest, or `None` if it is exactly a line.
fn plane_axes([a, b, c]: [DVec3; 3]) -> Option<[usize; 2]> {
    let area = |axes: [usize; 2]| orient2d(dropped(a, axes), dropped(b, axes), dropped(c, axes)).abs();
    let axes = [[0, 1], [1, 2], [2, 0]].into_iter().max_by(|&i, &j| area(i).total_cmp(&area(j)))?;
    (area(axes) > 0.0).then_some(axes)
}

/// Corners of the convex polygon of exactly coplanar `points`, in order, given three that span the plane.
pub(super) fn polygon(points: &[DVec3], base: [u32; 3]) -> Vec<u32> {
    let axes = plane_axes(base.map(|i| points[i as usize])).expect("the base spans a plane");
    let at = |i: u32| dropped(points[i as usize], axes);
    let mut sorted: Vec<u32> = (0..points.len() as u32).collect();
    sorted.sort_by(|&i, &j| at(i).x.total_cmp(&at(j).x).then(at(i).y.total_cmp(&at(j).y)));
    let chain = |order: &mut dyn Iterator<Item = &u32>| {
        let mut kept: Vec<u32> = Vec::new();
        for &i in order {
            // Equal points and points within an edge give 0 and are dropped.
            while let [.., a, b] = kept[..] {
                if orient2d(at(a), at(b), at(i)) > 0.0 {
                    break;
                }
                kept.pop();
            }
            let repeated = kept.last().is_some_and(|&last| at(last) == at(i));
            if !repeated {
                kept.push(i);
            }
        }
        kept.pop();
        kept
    };
    let mut corners = chain(&mut sorted.iter());
    corners.extend(chain(&mut sorted.iter().rev()));
    corners
}
