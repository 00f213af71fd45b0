//! Simple polygons as unions of convex ones: the polygon itself if it is convex, else triangles cut off ear by ear.
//!
//! Every decision is an exact predicate on the given coordinates, so the parts cover the polygon exactly. Cost:
//! quadratic in the corners (cubic at worst), once per shape.

use glam::DVec2;
use robust::{Coord, orient2d};

use super::CompoundError;
use pathproof::shapes::{MAX_COORDINATE, ShapeError};

/// Most corners of a polygon: a bound on the quadratic work.
pub(crate) const MOST_CORNERS: usize = 10_000;

/// Above 0 if a, b, c turn counterclockwise; exact.
pub(crate) fn orientation(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    let coord = |p: DVec2| Coord { x: p.x, y: p.y };
    orient2d(coord(a), coord(b), coord(c))
}

/// Convex polygons, counterclockwise and without needless corners, with the given polygon as their union. Its corners
/// may be in either direction, with or without the first repeated at the end.
pub(crate) fn convex_parts(corners: &[[f64; 2]]) -> Result<Vec<Vec<DVec2>>, CompoundError> {
    for (vertex, &[x, y]) in corners.iter().enumerate() {
        for value in [x, y] {
            if !(value.abs() <= MAX_COORDINATE) {
                return Err(ShapeError::BadCoordinate { vertex, value }.into());
            }
        }
    }
    let mut ring: Vec<DVec2> = corners.iter().map(|&corner| DVec2::from_array(corner)).collect();
    ring.dedup();
    while ring.len() > 1 && ring.first() == ring.last() {
        ring.pop();
    }
    drop_straight(&mut ring);
    if ring.len() < 3 {
        return Err(ShapeError::Empty("area").into());
    }
    if ring.len() > MOST_CORNERS {
        return Err(CompoundError::BadPolygon("it has more than 10000 corners"));
    }
    if crosses_itself(&ring) {
        return Err(CompoundError::BadPolygon("its outline crosses or touches itself"));
    }
    if !is_counterclockwise(&ring) {
        ring.reverse();
    }
    if is_convex(&ring) { Ok(vec![ring]) } else { clip_ears(ring) }
}

/// The convex hull of points, counterclockwise; one or two points if they span no area. Exact (monotone chain).
pub(crate) fn hull(points: &[DVec2]) -> Vec<DVec2> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    sorted.dedup();
    if sorted.len() < 3 {
        return sorted;
    }
    let mut ring: Vec<DVec2> = Vec::with_capacity(sorted.len() + 1);
    let mut extend = |points: &mut dyn Iterator<Item = DVec2>| {
        let start = ring.len();
        for p in points {
            while ring.len() >= start + 2 && !(orientation(ring[ring.len() - 2], ring[ring.len() - 1], p) > 0.0) {
                ring.pop();
            }
            ring.push(p);
        }
        ring.pop();
    };
    extend(&mut sorted.iter().copied());
    extend(&mut sorted.iter().rev().copied());
    ring
}

/// Drops corners at which the outline goes straight on, or back on itself.
fn drop_straight(ring: &mut Vec<DVec2>) {
    let mut i = 0;
    let mut kept = 0;
    while ring.len() >= 3 && kept < ring.len() {
        let n = ring.len();
        let (before, at, after) = (ring[(i + n - 1) % n], ring[i % n], ring[(i + 1) % n]);
        if orientation(before, at, after) == 0.0 {
            ring.remove(i % n);
            i = i.saturating_sub(1);
            kept = 0;
        } else {
            i = (i + 1) % n;
            kept += 1;
        }
    }
}

fn is_counterclockwise(ring: &[DVec2]) -> bool {
    // The lowest corner, leftmost among equals, is convex.
    let n = ring.len();
    let lowest = (0..n).min_by(|&i, &j| ring[i].y.total_cmp(&ring[j].y).then(ring[i].x.total_cmp(&ring[j].x)));
    let i = lowest.unwrap_or(0);
    orientation(ring[(i + n - 1) % n], ring[i], ring[(i + 1) % n]) > 0.0
}

/// True if a counterclockwise simple ring turns left everywhere.
fn is_convex(ring: &[DVec2]) -> bool {
    let n = ring.len();
    (0..n).all(|i| orientation(ring[i], ring[(i + 1) % n], ring[(i + 2) % n]) > 0.0)
}

/// True if two edges that are not neighbours have a point in common.
fn crosses_itself(ring: &[DVec2]) -> bool {
    let n = ring.len();
    let edge = |i: usize| (ring[i], ring[(i + 1) % n]);
    (0..n).any(|i| (i + 2..n).any(|j| (j + 1) % n != i && edges_meet(edge(i), edge(j))))
}

fn edges_meet((a, b): (DVec2, DVec2), (p, q): (DVec2, DVec2)) -> bool {
    let sides = |a, b, p, q| (orientation(a, b, p), orientation(a, b, q));
    let straddles = |(s, t): (f64, f64)| (s > 0.0 && t < 0.0) || (s < 0.0 && t > 0.0);
    let (of_ab, of_pq) = (sides(a, b, p, q), sides(p, q, a, b));
    let on =
        |a: DVec2, b: DVec2, p: DVec2, side: f64| side == 0.0 && a.min(b).cmple(p).all() && p.cmple(a.max(b)).all();
    (straddles(of_ab) && straddles(of_pq))
        || on(a, b, p, of_ab.0)
        || on(a, b, q, of_ab.1)
        || on(p, q, a, of_pq.0)
        || on(p, q, b, of_pq.1)
}

/// Triangles of a counterclockwise simple ring. Every such ring has an ear; finding none would break the promise of
/// [`crosses_itself`], and is an error.
fn clip_ears(mut ring: Vec<DVec2>) -> Result<Vec<Vec<DVec2>>, CompoundError> {
    let mut parts = Vec::new();
    while ring.len() > 3 {
        let n = ring.len();
        let is_ear = |&i: &usize| {
            let [a, b, c] = [ring[(i + n - 1) % n], ring[i], ring[(i + 1) % n]];
            let is_inside = |&p: &DVec2| {
                let sides = [orientation(a, b, p), orientation(b, c, p), orientation(c, a, p)];
                p != a && p != b && p != c && sides.iter().all(|&side| side >= 0.0)
            };
            orientation(a, b, c) > 0.0 && !ring.iter().any(is_inside)
        };
        let Some(i) = (0..n).find(is_ear) else {
            return Err(CompoundError::BadPolygon("it could not be cut into triangles"));
        };
        parts.push(vec![ring[(i + n - 1) % n], ring[i], ring[(i + 1) % n]]);
        ring.remove(i);
        drop_straight(&mut ring);
    }
    if ring.len() == 3 {
        parts.push(ring);
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathproof::numeric::Random;

    fn area(ring: &[DVec2]) -> f64 {
        (0..ring.len()).map(|i| ring[i].perp_dot(ring[(i + 1) % ring.len()])).sum::<f64>() / 2.0
    }

    #[test]
    fn parts_of_star_shaped_rings_cover_their_area_and_are_convex() {
        let mut random = Random::new(5);
        for round in 0..300 {
            let n = 3 + round % 20;
            let mut angles: Vec<f64> = (0..n).map(|i| (i as f64 + random.unit() * 0.9) / n as f64 * 6.2).collect();
            if round % 2 == 0 {
                angles.reverse();
            }
            let ring: Vec<[f64; 2]> =
                angles.iter().map(|&a| random.between(0.3, 2.0) * DVec2::from_angle(a)).map(|p| p.to_array()).collect();
            let parts = convex_parts(&ring).expect("a star is simple");
            let whole: Vec<DVec2> = ring.iter().map(|&p| DVec2::from_array(p)).collect();
            let sum: f64 = parts.iter().map(|part| area(part)).sum();
            assert!((sum - area(&whole).abs()).abs() < 1e-12, "{sum} {ring:?}");
            assert!(parts.iter().all(|part| is_convex(part)));
        }
    }

    #[test]
    fn a_convex_ring_stays_whole_without_straight_corners_and_repeats() {
        let ring = [[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0], [0.0, 0.5], [0.0, 0.0]];
        let parts = convex_parts(&ring).expect("valid");
        assert_eq!(parts.len(), 1);
        assert_eq!(parts[0].len(), 4);
        assert_eq!(area(&parts[0]), 2.0);
    }

    #[test]
    fn rings_without_area_or_that_cross_are_refused() {
        for flat in [&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]][..], &[[1.0, 1.0]; 5][..], &[][..]] {
            assert_eq!(convex_parts(flat), Err(ShapeError::Empty("area").into()), "{flat:?}");
        }
        let bow = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
        assert!(matches!(convex_parts(&bow), Err(CompoundError::BadPolygon(_))));
        let touching = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 0.0], [0.0, 2.0]];
        assert!(matches!(convex_parts(&touching), Err(CompoundError::BadPolygon(_))));
        assert!(matches!(
            convex_parts(&[[0.0, 0.0], [1.0, f64::NAN], [0.0, 1.0]]),
            Err(CompoundError::Shape(ShapeError::BadCoordinate { .. }))
        ));
    }

    #[test]
    fn the_hull_holds_all_points_and_has_only_extreme_ones() {
        let mut random = Random::new(6);
        for round in 0..200 {
            let points: Vec<DVec2> =
                (0..1 + round % 30).map(|_| DVec2::new(random.below(6) as f64, random.below(6) as f64)).collect();
            let ring = hull(&points);
            if ring.len() < 3 {
                continue;
            }
            assert!(is_convex(&ring), "{ring:?}");
            let n = ring.len();
            assert!(points.iter().all(|&p| (0..n).all(|i| orientation(ring[i], ring[(i + 1) % n], p) >= 0.0)));
        }
    }
}
