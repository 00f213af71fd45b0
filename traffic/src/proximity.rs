//! Signed distance of two convex cores of the plane, from a function that finds points of their difference D = B − A.
//!
//! Apart: GJK, with a point or an edge as its simplex. Overlapping: an inner polygon of D is grown at the edge nearest
//! to the origin (expanding polytope). Invariant: `lower` is the separation along a queried axis, `upper` the distance
//! of a point of an inner polygon; both hold however the search ended, up to the rounding of the given points.

use glam::DVec2;

use super::narrow::Proximity;

/// Most points of an inner polygon. Polygons of n corners end after about n; discs need none.
const MOST_POINTS: usize = 64;

/// Most steps of GJK. Polygons end by themselves after a handful.
const MOST_STEPS: usize = 64;

/// Bounds on the signed distance of the cores, without the rounding of the points themselves. `nearest_along(n)` is a
/// point of D least along n; `first` is the first direction to try. Ends early once `lower > goal`; `noise` is the
/// rounding of the points.
pub(crate) fn core_proximity(
    nearest_along: impl Fn(DVec2) -> DVec2,
    first: DVec2,
    goal: f64,
    noise: f64,
) -> Proximity<DVec2> {
    let mut axis = first.normalize_or(DVec2::X);
    let mut at = nearest_along(axis);
    let mut best = Proximity { lower: axis.dot(at), upper: at.length(), axis };
    if best.lower > goal {
        return best;
    }
    // The simplex: a point, or an edge.
    let mut edge = [at, at];
    for _ in 0..MOST_STEPS {
        let near = nearest_of(edge);
        let height = near.length();
        if height < best.upper {
            best.upper = height;
        }
        if !(height > noise) {
            return overlapping(nearest_along, best, noise);
        }
        axis = near / height;
        at = nearest_along(axis);
        let along = axis.dot(at);
        if along > best.lower {
            (best.lower, best.axis) = (along, axis);
        }
        let is_known = at == edge[0] || at == edge[1];
        if best.lower > goal || height - along <= noise || is_known {
            return best;
        }
        if holds_origin([edge[0], edge[1], at]) {
            return overlapping(nearest_along, best, noise);
        }
        // The origin is outside the triangle, and nearer to one of the new edges than to the old one.
        let [with_first, with_second] = [[edge[0], at], [edge[1], at]];
        let is_first_nearer = nearest_of(with_first).length_squared() < nearest_of(with_second).length_squared();
        edge = if is_first_nearer { with_first } else { with_second };
    }
    best
}

/// The point of an edge nearest to the origin.
fn nearest_of([p, q]: [DVec2; 2]) -> DVec2 {
    let along = q - p;
    let length_squared = along.length_squared();
    if !(length_squared > 0.0) {
        return p;
    }
    let fraction = (-p.dot(along) / length_squared).clamp(0.0, 1.0);
    // Interpolates from the nearer end, so that an end is met exactly.
    if fraction < 0.5 { p + along * fraction } else { q - along * (1.0 - fraction) }
}

/// True if the origin is inside a triangle of either orientation.
fn holds_origin([p, q, r]: [DVec2; 3]) -> bool {
    let sides = [p.perp_dot(q), q.perp_dot(r), r.perp_dot(p)];
    sides.iter().all(|&side| side > 0.0) || sides.iter().all(|&side| side < 0.0)
}

/// Grows an inner polygon of D where it is nearest to the origin, until its edge there is one of D's.
fn overlapping(nearest_along: impl Fn(DVec2) -> DVec2, mut best: Proximity<DVec2>, noise: f64) -> Proximity<DVec2> {
    let outward = [DVec2::X, DVec2::Y, DVec2::NEG_X, DVec2::NEG_Y];
    let mut points = [DVec2::ZERO; MOST_POINTS];
    let mut count = 0;
    for m in outward {
        // Supports in counterclockwise directions are in counterclockwise order.
        points[count] = nearest_along(-m);
        count += 1;
    }
    loop {
        let Some((edge, m, height)) = nearest_edge(&points[..count]) else {
            return best;
        };
        let at = nearest_along(-m);
        let reach = m.dot(at);
        // s(n) for n = −m is −reach; the largest over all n is the signed distance.
        if -reach > best.lower {
            (best.lower, best.axis) = (-reach, -m);
        }
        if reach - height <= noise || count == MOST_POINTS {
            // The origin is inside by at least the least height, which is the depth of the overlap.
            if height > 0.0 && -height < best.upper {
                best.upper = -height;
            }
            return best;
        }
        points.copy_within(edge + 1..count, edge + 2);
        points[edge + 1] = at;
        count += 1;
    }
}

/// The edge of a counterclockwise ring with the least height of the origin inside of it: its first point, outward
/// normal and height (negative if the origin is outside). `None` if all points coincide.
fn nearest_edge(points: &[DVec2]) -> Option<(usize, DVec2, f64)> {
    let mut nearest: Option<(usize, DVec2, f64)> = None;
    for i in 0..points.len() {
        let (p, q) = (points[i], points[(i + 1) % points.len()]);
        let Some(along) = (q - p).try_normalize() else { continue };
        let outward = DVec2::new(along.y, -along.x);
        let height = outward.dot(p);
        if nearest.is_none_or(|(_, _, least)| height < least) {
            nearest = Some((i, outward, height));
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathproof::numeric::Random;

    /// Signed distance of the origin to the hull of points, by all pairs.
    fn truth(points: &[DVec2]) -> f64 {
        let ring = super::super::polygon::hull(points);
        let n = ring.len();
        if n < 3 {
            return nearest_of([ring[0], ring[n - 1]]).length();
        }
        let heights = (0..n).map(|i| {
            let along = (ring[(i + 1) % n] - ring[i]).normalize();
            along.perp_dot(-ring[i])
        });
        let least = heights.fold(f64::INFINITY, f64::min);
        if least >= 0.0 {
            return -least;
        }
        (0..n).map(|i| nearest_of([ring[i], ring[(i + 1) % n]]).length()).fold(f64::INFINITY, f64::min)
    }

    fn of(points: &[DVec2], goal: f64) -> Proximity<DVec2> {
        let least = |n: DVec2| *points.iter().min_by(|p, q| p.dot(n).total_cmp(&q.dot(n))).expect("some");
        core_proximity(least, points[0], goal, 1e-14)
    }

    #[test]
    fn bounds_enclose_the_signed_distance_and_meet() {
        let mut random = Random::new(9);
        for round in 0..20_000 {
            let n = 1 + round % 12;
            let shift = DVec2::from_angle(random.between(0.0, 6.3)) * random.between(0.0, 2.0);
            let flat = if round % 5 == 0 { 1e-3 } else { 1.0 };
            let points: Vec<DVec2> = (0..n)
                .map(|_| DVec2::new(random.between(-1.0, 1.0), flat * random.between(-1.0, 1.0)) + shift)
                .collect();
            let (truth, found) = (truth(&points), of(&points, f64::INFINITY));
            assert!(found.lower <= truth + 1e-13 && found.upper >= truth - 1e-13, "{truth} {found:?} {points:?}");
            assert!(found.upper - found.lower <= 1e-11, "{truth} {found:?} {points:?}");
            let goal = random.between(-0.5, 1.5);
            assert_eq!(of(&points, goal).lower > goal, truth > goal, "{truth} {goal} {points:?}");
        }
    }

    #[test]
    fn touching_and_centred_sets_have_bounds_about_zero_or_their_depth() {
        let square = |x: f64, y: f64| {
            [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].map(|(a, b)| DVec2::new(a + x, b + y))
        };
        assert_eq!(of(&square(0.0, 0.0), 9.0).upper, -1.0);
        assert_eq!(of(&square(0.5, 0.25), 9.0).upper, -0.5);
        for touching in [square(1.0, 0.0), square(1.0, 1.0), square(-1.0, 0.5)] {
            let found = of(&touching, 9.0);
            assert!(found.lower <= 0.0 && found.upper >= 0.0 && found.upper < 1e-13, "{found:?}");
        }
        let point = of(&[DVec2::ZERO], 9.0);
        assert_eq!((point.lower, point.upper), (0.0, 0.0));
    }
}
