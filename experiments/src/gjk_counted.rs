//! The enhanced GJK once more, over numbers that count their multiplications and divisions, as the paper reports them
//! ("Enhancing GJK" §4: 93–135 by theory, about 100 seen, when tracked).
//!
//! The same steps as the library's search, written plainly: hill climbing or scanning supports, the nearest point of a
//! simplex by edges and faces, and the last simplex as the next start. It certifies nothing: it only counts.
//! Comparisons, sums and signs are free, as in the paper. A test compares its distance with the library's.

use std::cell::Cell;

use glam::DVec3;
use pathproof::distance::gjk::Support;
use pathproof::numeric::Pose;
use pathproof::shapes::Hull;

thread_local! {
    static OPERATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Multiplications and divisions of this thread so far.
pub(crate) fn operations() -> u64 {
    OPERATIONS.get()
}

fn count(operations: u64) {
    OPERATIONS.set(OPERATIONS.get() + operations);
}

fn dot(a: DVec3, b: DVec3) -> f64 {
    count(3);
    a.dot(b)
}

fn cross(a: DVec3, b: DVec3) -> DVec3 {
    count(6);
    a.cross(b)
}

fn times(a: DVec3, s: f64) -> DVec3 {
    count(3);
    a * s
}

fn rotated(pose: &Pose, v: DVec3) -> DVec3 {
    count(9);
    pose.vector(v)
}

/// State that one query leaves for the next: the vertices of the simplex.
#[derive(Default)]
pub(crate) struct Memory {
    simplex: Vec<[u32; 2]>,
}

/// Distance of two hulls that are apart; 0 where they overlap.
pub(crate) fn distance(support: Support, a: &Hull, b: &Hull, a_from_b: &Pose, memory: &mut Memory) -> f64 {
    let at = |[i, j]: [u32; 2]| {
        let point = rotated(a_from_b, b.vertices()[j as usize]) + a_from_b.translation;
        point - a.vertices()[i as usize]
    };
    if memory.simplex.is_empty() {
        memory.simplex.push([0, 0]);
    }
    let mut points: Vec<DVec3> = memory.simplex.iter().map(|pair| at(*pair)).collect();
    // Polyhedra end after a handful of loops.
    for _ in 0..100 {
        let (kept, nearest) = nearest(&points);
        memory.simplex = kept.iter().map(|k| memory.simplex[*k]).collect();
        points = kept.iter().map(|k| points[*k]).collect();
        let squared = dot(nearest, nearest);
        if kept.len() == 4 || squared < 1e-24 {
            return 0.0;
        }
        // The direction of the nearest point in B's frame.
        count(9);
        let in_b = a_from_b.inverse_vector(nearest);
        let [i, j] = memory.simplex[0];
        let pair = [extreme(support, a, nearest, i), extreme(support, b, -in_b, j)];
        let point = at(pair);
        if memory.simplex.contains(&pair) || squared - dot(nearest, point) <= 1e-12 * squared {
            return squared.sqrt();
        }
        memory.simplex.push(pair);
        points.push(point);
    }
    0.0
}

/// The vertex farthest along `n`.
fn extreme(support: Support, hull: &Hull, n: DVec3, start: u32) -> u32 {
    let height = |v: u32| dot(hull.vertices()[v as usize], n);
    if support == Support::Scan {
        let heights = (0..hull.vertices().len() as u32).map(|v| (v, height(v)));
        return heights.max_by(|p, q| p.1.total_cmp(&q.1)).map_or(start, |best| best.0);
    }
    let (mut at, mut best) = (start, height(start));
    loop {
        // The first higher neighbour, as in the paper's climbing.
        let higher = hull.neighbours(at).iter().map(|&v| (v, height(v))).find(|(_, h)| *h > best);
        let Some((next, h)) = higher else { return at };
        (at, best) = (next, h);
    }
}

/// The points that carry the simplex's nearest point to the origin, and that point.
fn nearest(points: &[DVec3]) -> (Vec<usize>, DVec3) {
    match points.len() {
        1 => (vec![0], points[0]),
        2 => on_segment(points, 0, 1),
        3 => on_triangle(points, [0, 1, 2]),
        _ => in_tetrahedron(points),
    }
}

fn on_segment(points: &[DVec3], i: usize, j: usize) -> (Vec<usize>, DVec3) {
    let (p, edge) = (points[i], points[j] - points[i]);
    let (along, squared) = (-dot(p, edge), dot(edge, edge));
    if along <= 0.0 {
        return (vec![i], p);
    }
    if along >= squared {
        return (vec![j], points[j]);
    }
    count(1);
    (vec![i, j], p + times(edge, along / squared))
}

fn on_triangle(points: &[DVec3], corners: [usize; 3]) -> (Vec<usize>, DVec3) {
    let [p, q, r] = corners.map(|k| points[k]);
    let normal = cross(q - p, r - p);
    let beyond = |from: DVec3, to: DVec3| dot(cross(to - from, normal), from) < 0.0;
    let outside = [(p, q, [0, 1]), (q, r, [1, 2]), (r, p, [2, 0])]
        .into_iter()
        .filter(|(from, to, _)| beyond(*from, *to))
        .map(|(.., [i, j])| on_segment(points, corners[i], corners[j]));
    if let Some(best) = nearer(outside) {
        return best;
    }
    count(1);
    (corners.to_vec(), times(normal, dot(normal, p) / dot(normal, normal)))
}

fn in_tetrahedron(points: &[DVec3]) -> (Vec<usize>, DVec3) {
    let faces = [([0, 1, 2], 3), ([0, 1, 3], 2), ([0, 2, 3], 1), ([1, 2, 3], 0)];
    let outside = faces.into_iter().filter(|(face, opposite)| {
        let [p, q, r] = face.map(|k| points[k]);
        let normal = cross(q - p, r - p);
        let (of_origin, of_opposite) = (-dot(normal, p), dot(normal, points[*opposite] - p));
        (of_origin < 0.0) == (of_opposite > 0.0)
    });
    nearer(outside.map(|(face, _)| on_triangle(points, face))).unwrap_or((vec![0, 1, 2, 3], DVec3::ZERO))
}

fn nearer(candidates: impl Iterator<Item = (Vec<usize>, DVec3)>) -> Option<(Vec<usize>, DVec3)> {
    let measured: Vec<_> = candidates.map(|candidate| (dot(candidate.1, candidate.1), candidate)).collect();
    measured.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use pathproof::distance::gjk::{self, Tracker};
    use pathproof::numeric::Random;
    use pathproof::shapes::{Convex, Core};

    use super::*;

    #[test]
    fn the_counted_distance_is_the_librarys() {
        let mut random = Random::new(11);
        for _ in 0..300 {
            let mut hull = || {
                let points: Vec<DVec3> = (0..40).map(|_| random.direction() * 0.5).collect();
                Convex::hull(&points).unwrap()
            };
            let (a, b) = (hull(), hull());
            let (Core::Hull(hull_a), Core::Hull(hull_b)) = (a.core(), b.core()) else { panic!("no hulls") };
            let mut memory = Memory::default();
            let mut pose = random.pose(0.0);
            let slide = random.direction() * 0.02;
            pose.translation = random.direction() * random.between(0.9, 2.0);
            for _ in 0..10 {
                let expected = gjk::distance(&a, &b, &pose, f64::INFINITY, &mut Tracker::default());
                for support in [Support::Scan, Support::Climb] {
                    let before = operations();
                    let found = distance(support, hull_a, hull_b, &pose, &mut memory);
                    assert!(operations() > before);
                    assert!((found - expected.upper).abs() < 1e-6, "{found} for {expected:?}");
                }
                pose.translation += slide;
            }
        }
    }
}
