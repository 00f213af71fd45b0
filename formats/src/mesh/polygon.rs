//! Cuts polygons into triangles: a fan where the polygon is strictly convex, else ear clipping (Meisters 1975).
//!
//! The polygon is projected along the axis in which its Newell normal is largest. Dropping a coordinate causes no
//! rounding and orientations are exact, so a simple planar polygon is always cut into triangles that tile it. A corner
//! in the middle of a straight side stays a corner of a proper triangle, so a closed mesh stays closed. The cut depends
//! on the positions of the corners, not on the start or direction of the list, so a polygon and its reversed copy
//! become exact opposites. Cost: O(n) for convex polygons, O(n²) for others, which may have at most [`MOST_CORNERS`]
//! corners.

use std::cmp::Ordering;

use robust::{Coord, orient2d};

use pathproof::numeric::DVec3;

/// Maximum number of corners of a polygon that is not strictly convex.
pub(super) const MOST_CORNERS: usize = 4096;

/// Distance from the mean plane, relative to the polygon's size, from which a polygon counts as bent.
const FLAT: f64 = 1e-3;

/// Buffers reused from polygon to polygon; the result is in `triangles`.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) triangles: Vec<[u32; 3]>,
    /// Corners starting with the least one, in the direction that puts lesser ones first.
    ordered: Vec<u32>,
    flat: Vec<[f64; 2]>,
    next: Vec<usize>,
    previous: Vec<usize>,
    is_ear: Vec<bool>,
}

/// Doubtful properties of a polygon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Quality {
    /// The corners do not lie in one plane.
    pub(super) bent: bool,
    /// The outline crosses itself or has no area; a fan covers the part that could not be cut.
    pub(super) crossing: bool,
}

/// Cuts the polygon over `corners` (indices into `vertices`, in range) into `scratch.triangles`.
pub(super) fn triangulate(corners: &[u32], vertices: &[DVec3], scratch: &mut Scratch) -> Result<Quality, String> {
    scratch.triangles.clear();
    if corners.len() < 3 {
        return Err(format!("a polygon has {} corners", corners.len()));
    }
    let is_reversed = order(corners, vertices, &mut scratch.ordered);
    let ordered = std::mem::take(&mut scratch.ordered);
    let cut = triangulate_ordered(&ordered, vertices, scratch);
    scratch.ordered = ordered;
    if is_reversed {
        scratch.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
    cut
}

fn triangulate_ordered(corners: &[u32], vertices: &[DVec3], scratch: &mut Scratch) -> Result<Quality, String> {
    let point = |i: usize| vertices[corners[i] as usize];
    let (normal, bent) = plane(corners.len(), point);
    let drop_axis = largest_axis(normal);
    // With the normal towards the viewer, the kept axes are ordered so that the outline runs counter-clockwise.
    let positive = normal[drop_axis] >= 0.0;
    let (u, v) = ((drop_axis + 1) % 3, (drop_axis + 2) % 3);
    let (u, v) = if positive { (u, v) } else { (v, u) };
    scratch.flat.clear();
    scratch.flat.extend((0..corners.len()).map(|i| [point(i)[u], point(i)[v]]));

    let crossing = if is_strictly_convex(&scratch.flat) {
        scratch.triangles.extend((1..corners.len() - 1).map(|i| [corners[0], corners[i], corners[i + 1]]));
        false
    } else if corners.len() > MOST_CORNERS {
        return Err(format!("a polygon that is not convex has {} corners; the limit is {MOST_CORNERS}", corners.len()));
    } else {
        clip_ears(corners, scratch)
    };
    Ok(Quality { bent, crossing })
}

/// Writes the corners in an order that is the same for every list of this outline: of all starts and both directions,
/// the one with the least coordinates, corner by corner. Returns true if it runs against the list.
fn order(corners: &[u32], vertices: &[DVec3], ordered: &mut Vec<u32>) -> bool {
    let n = corners.len();
    let compare = |i: u32, j: u32| {
        let (p, q) = (vertices[i as usize].to_array(), vertices[j as usize].to_array());
        // Coordinates are finite; −0 is 0, as it is where vertices are merged.
        p.partial_cmp(&q).unwrap_or(Ordering::Equal)
    };
    let forward = |i: usize| corners[i % n];
    let backward = |i: usize| corners[n - 1 - i % n];
    let starts = [
        least_rotation(n, |i, j| compare(forward(i), forward(j))),
        least_rotation(n, |i, j| compare(backward(i), backward(j))),
    ];
    let between = (0..n).map(|i| compare(forward(starts[0] + i), backward(starts[1] + i)));
    let is_reversed = between.fold(Ordering::Equal, Ordering::then) == Ordering::Greater;
    ordered.clear();
    ordered.extend((0..n).map(|i| if is_reversed { backward(starts[1] + i) } else { forward(starts[0] + i) }));
    is_reversed
}

/// Start of the least rotation of a list of `n`; indices beyond the end wrap around. O(n): where two candidates agree
/// in `length` places and then differ, none of the greater one's next `length` places is a start.
fn least_rotation(n: usize, compare: impl Fn(usize, usize) -> Ordering) -> usize {
    let (mut i, mut j, mut length) = (0, 1, 0);
    while i < n && j < n && length < n {
        match compare(i + length, j + length) {
            Ordering::Equal => length += 1,
            order => {
                let greater = if order == Ordering::Greater { &mut i } else { &mut j };
                *greater += length + 1;
                if i == j {
                    j += 1;
                }
                length = 0;
            }
        }
    }
    i.min(j)
}

/// Newell normal (its length is twice the area), and true if a corner is off the mean plane.
fn plane(corners: usize, point: impl Fn(usize) -> DVec3) -> (DVec3, bool) {
    // Relative to the first corner: far from the origin the sums would cancel.
    let origin = point(0);
    let mut normal = DVec3::ZERO;
    let mut size: f64 = 0.0;
    let mut centre = DVec3::ZERO;
    for i in 0..corners {
        let (a, b) = (point(i) - origin, point((i + 1) % corners) - origin);
        normal += a.cross(b);
        size = size.max(a.length());
        centre += a / corners as f64;
    }
    let unit = normal.normalize_or_zero();
    let off = (0..corners).map(|i| (point(i) - origin - centre).dot(unit).abs()).fold(0.0, f64::max);
    (normal, off > FLAT * size)
}

fn largest_axis(normal: DVec3) -> usize {
    let a = normal.abs();
    if a.z >= a.x && a.z >= a.y {
        2
    } else if a.y >= a.x {
        1
    } else {
        0
    }
}

fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    let coord = |[x, y]: [f64; 2]| Coord { x, y };
    orient2d(coord(a), coord(b), coord(c))
}

/// True if the outline turns left at every corner and runs round once.
fn is_strictly_convex(flat: &[[f64; 2]]) -> bool {
    let n = flat.len();
    let at = |i: usize| flat[i % n];
    let all_left = (0..n).all(|i| turn(at(i), at(i + 1), at(i + 2)) > 0.0);
    // An outline that turns left everywhere changes between going left and going right twice per round.
    let goes_right = |i: usize| {
        let ([ax, ay], [bx, by]) = (at(i), at(i + 1));
        bx > ax || (bx == ax && by > ay)
    };
    let changes = (0..n).filter(|&i| goes_right(i) != goes_right(i + 1)).count();
    all_left && changes == 2
}

/// Cuts off ears until a triangle is left; returns true if it had to give up and fan the rest.
fn clip_ears(corners: &[u32], scratch: &mut Scratch) -> bool {
    let n = corners.len();
    let Scratch { triangles, flat, next, previous, is_ear, .. } = scratch;
    next.clear();
    next.extend((0..n).map(|i| (i + 1) % n));
    previous.clear();
    previous.extend((0..n).map(|i| (i + n - 1) % n));
    is_ear.clear();
    is_ear.extend((0..n).map(|i| ear(i, flat, next, previous)));

    let (mut left, mut at, mut since_ear) = (n, 0, 0);
    while left > 3 {
        if !is_ear[at] {
            at = next[at];
            since_ear += 1;
            if since_ear > left {
                break;
            }
            continue;
        }
        let (before, after) = (previous[at], next[at]);
        triangles.push([corners[before], corners[at], corners[after]]);
        next[before] = after;
        previous[after] = before;
        left -= 1;
        since_ear = 0;
        is_ear[before] = ear(before, flat, next, previous);
        is_ear[after] = ear(after, flat, next, previous);
        // Continuing behind the neighbour gives rounder triangles than always cutting at one corner.
        at = next[after];
    }
    let crossing = left > 3 || turn(flat[previous[at]], flat[at], flat[next[at]]) <= 0.0;
    let mut tip = next[at];
    while next[tip] != at {
        triangles.push([corners[at], corners[tip], corners[next[tip]]]);
        tip = next[tip];
    }
    crossing
}

/// True if the corner turns left and no other remaining corner lies in its triangle.
fn ear(i: usize, flat: &[[f64; 2]], next: &[usize], previous: &[usize]) -> bool {
    let (before, after) = (previous[i], next[i]);
    let (a, b, c) = (flat[before], flat[i], flat[after]);
    if turn(a, b, c) <= 0.0 {
        return false;
    }
    let mut j = next[after];
    while j != before {
        let p = flat[j];
        // Outlines that visit a point twice (a hole joined by a bridge) are fine: the same point does not block.
        let is_corner = p == a || p == b || p == c;
        if !is_corner && turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0 {
            return false;
        }
        j = next[j];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathproof::numeric::Random;

    fn cut(points: &[DVec3]) -> (Vec<[u32; 3]>, Quality) {
        let corners: Vec<u32> = (0..points.len() as u32).collect();
        let mut scratch = Scratch::default();
        let quality = triangulate(&corners, points, &mut scratch).unwrap();
        (scratch.triangles, quality)
    }

    fn area_vector(points: &[DVec3], triangle: [u32; 3]) -> DVec3 {
        let [a, b, c] = triangle.map(|i| points[i as usize]);
        0.5 * (b - a).cross(c - a)
    }

    /// The triangles tile a flat outline if all face its way and their areas add up to its own.
    fn assert_tiles(points: &[DVec3]) {
        let (triangles, quality) = cut(points);
        assert_eq!(quality, Quality::default());
        assert_eq!(triangles.len(), points.len() - 2);
        let whole: DVec3 = (0..points.len()).map(|i| 0.5 * points[i].cross(points[(i + 1) % points.len()])).sum();
        let areas: Vec<DVec3> = triangles.iter().map(|&t| area_vector(points, t)).collect();
        let sum: f64 = areas.iter().map(|a| a.length()).sum();
        assert!((sum - whole.length()).abs() <= 1e-9 * (1.0 + sum), "{sum} is not {}", whole.length());
        assert!(areas.iter().all(|a| a.dot(whole) > 0.0), "a triangle is empty or turned round");
    }

    #[test]
    fn star_shaped_outlines_in_any_plane_are_tiled() {
        let mut random = Random::new(1);
        for case in 0..3000 {
            let n = 4 + case % 40;
            let pose = random.pose(3.0);
            let points: Vec<DVec3> = (0..n)
                .map(|i| {
                    let angle = std::f64::consts::TAU * i as f64 / n as f64;
                    let radius = random.between(0.1, 1.0);
                    pose.rotation * DVec3::new(radius * angle.cos(), radius * angle.sin(), 0.0)
                })
                .collect();
            assert_tiles(&points);
        }
    }

    /// Regression: a fan from the list's first corner cut a reversed copy along other diagonals, so that a double-sided
    /// cube of quadrilaterals counted as closed and had no inside.
    #[test]
    fn the_cut_does_not_depend_on_where_the_list_starts_or_which_way_it_runs() {
        let mut random = Random::new(2);
        for case in 0..2_000 {
            let n = 4 + case % 9;
            // Convex and flat, concave and flat, not flat, and with a repeated point.
            let mut points: Vec<DVec3> = (0..n)
                .map(|i| {
                    let angle = std::f64::consts::TAU * i as f64 / n as f64;
                    let radius = if case % 4 == 0 { 1.0 } else { random.between(0.1, 1.0) };
                    DVec3::new(
                        radius * angle.cos(),
                        radius * angle.sin(),
                        if case % 4 == 2 { random.unit() } else { 0.0 },
                    )
                })
                .collect();
            if case % 4 == 3 {
                points[n - 2] = points[0];
            }
            let pose = random.pose(1.0);
            points.iter_mut().for_each(|p| *p = pose.point(*p));
            let cut_from = |start: usize, is_reversed: bool| {
                let place = |i: usize| ((start + if is_reversed { n - i } else { i }) % n) as u32;
                let mut scratch = Scratch::default();
                let corners: Vec<u32> = (0..n).map(place).collect();
                let quality = triangulate(&corners, &points, &mut scratch).unwrap();
                let mut triangles: Vec<[[u64; 3]; 3]> = scratch
                    .triangles
                    .iter()
                    .map(|triangle| {
                        let mut t = triangle.map(|v| points[v as usize].to_array().map(f64::to_bits));
                        if is_reversed {
                            t.swap(1, 2);
                        }
                        let least = (0..3).min_by_key(|&k| t[k]).unwrap_or(0);
                        t.rotate_left(least);
                        t
                    })
                    .collect();
                triangles.sort_unstable();
                (triangles, quality)
            };
            let expected = cut_from(0, false);
            for start in 0..n {
                assert_eq!(cut_from(start, false), expected, "{case}: from {start}");
                assert_eq!(cut_from(start, true), expected, "{case}: back from {start}");
            }
        }
    }

    #[test]
    fn a_corner_in_the_middle_of_a_side_gets_no_empty_triangle() {
        let p = |x: f64, y: f64| DVec3::new(x, y, 0.0);
        assert_tiles(&[p(0., 0.), p(1., 0.), p(2., 0.), p(2., 2.), p(0., 2.)]);
        assert_tiles(&[p(0., 0.), p(2., 0.), p(2., 1.), p(2., 2.), p(1., 2.), p(0., 2.), p(0., 1.)]);
    }

    #[test]
    fn a_comb_is_tiled() {
        let mut points = vec![DVec3::new(0.0, -1.0, 0.0)];
        points.extend((0..200).rev().map(|i| DVec3::new(f64::from(i), if i % 2 == 0 { 5.0 } else { 0.0 }, 0.0)));
        points.insert(1, DVec3::new(199.0, -1.0, 0.0));
        assert_tiles(&points);
    }

    #[test]
    fn a_hole_joined_by_a_bridge_is_left_open() {
        let p = |x: f64, y: f64| DVec3::new(x, y, 0.0);
        let outline = [
            p(0., 0.),
            p(3., 0.),
            p(3., 3.),
            p(0., 3.),
            p(0., 0.), // outside, counter-clockwise, back to the start
            p(1., 1.),
            p(1., 2.),
            p(2., 2.),
            p(2., 1.),
            p(1., 1.), // the hole, clockwise, back to the bridge
        ];
        assert_tiles(&outline);
    }

    #[test]
    fn a_bow_tie_and_a_bent_quadrilateral_are_reported() {
        let bow = [DVec3::ZERO, DVec3::new(1., 1., 0.), DVec3::new(1., 0., 0.), DVec3::new(0., 1., 0.)];
        assert!(cut(&bow).1.crossing);
        let line = [DVec3::ZERO, DVec3::X, DVec3::X * 2.0, DVec3::X * 3.0];
        assert!(cut(&line).1.crossing);
        let bent = [DVec3::ZERO, DVec3::X, DVec3::new(1., 1., 0.1), DVec3::Y];
        assert_eq!(cut(&bent).1, Quality { bent: true, crossing: false });
        // A pentagram turns left everywhere, but runs round twice.
        let star: Vec<DVec3> = (0..5)
            .map(|i| {
                let angle = std::f64::consts::TAU * f64::from(i) * 0.4;
                DVec3::new(angle.cos(), angle.sin(), 0.0)
            })
            .collect();
        assert!(cut(&star).1.crossing);
    }
}
