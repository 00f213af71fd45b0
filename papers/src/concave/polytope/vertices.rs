//! Turns half-spaces into a polytope: is it bounded, is there a point in it, where are its corners.
//!
//! Bounded: the origin is strictly inside the hull of the unit normals, decided exactly. Feasible: the largest inset
//! that leaves a point, by bisection. Corners: the faces of the hull of normal / (slack of an inner point), which is
//! the dual; if no volume is enclosed, all intersections of three planes that satisfy the others.

use robust::{Coord3D, orient3d};

use super::projection::{combination, project};
use super::{Fit, Form, HalfSpace, Polytope, PolytopeError, faces};
use pathproof::numeric::{DMat3, DVec3, ROUNDOFF_F64, least, most, norm_up};
use pathproof::shapes::{Convex, Core, Hull, MAX_COORDINATE};

/// Relative to the size: a polytope thinner than this counts as flat, and half-spaces that miss each other by less
/// count as touching.
const FLAT: f64 = 1e-12;

/// Most half-spaces of a flat polytope: their triples are tried one by one.
const MOST_FLAT: usize = 200;

pub(super) fn polytope(half_spaces: Vec<HalfSpace>) -> Result<Polytope, PolytopeError> {
    let count = half_spaces.len();
    if !is_bounded(&half_spaces) {
        return Err(PolytopeError::Unbounded { count });
    }
    let Deepest { centre, inset, size } = deepest(&half_spaces)?;
    if inset <= FLAT * size {
        return flat(&half_spaces, centre, size);
    }
    let corners = dual_corners(&half_spaces, centre)?;
    let farthest = corners.iter().map(|&v| norm_up(v)).fold(0.0, most);
    if !(farthest < MAX_COORDINATE) {
        return Err(PolytopeError::Unbounded { count });
    }
    let shape = Convex::hull(&corners)?;
    let fit = fit(&half_spaces, &shape);
    Ok(Polytope::assemble(shape, half_spaces, fit, Form::HalfSpaces))
}

/// True if no direction is left open: the origin is strictly inside the hull of the normals, exactly.
fn is_bounded(half_spaces: &[HalfSpace]) -> bool {
    let normals: Vec<DVec3> = half_spaces.iter().map(|h| h.normal).collect();
    let Ok(hull) = Hull::new(&normals) else { return false };
    let coord = |v: u32| {
        let p = hull.vertices()[v as usize];
        Coord3D { x: p.x, y: p.y, z: p.z }
    };
    let origin = Coord3D { x: 0.0, y: 0.0, z: 0.0 };
    !hull.is_flat() && hull.triangles().iter().all(|t| orient3d(coord(t[0]), coord(t[1]), coord(t[2]), origin) > 0.0)
}

/// A point far from all half-spaces, its distance from the nearest (negative by how far they miss each other) and a
/// measure of the coordinates and of the polytope.
struct Deepest {
    centre: DVec3,
    inset: f64,
    size: f64,
}

/// Bisects the inset that leaves a point, to a thousandth or until it is known to be flat or infeasible.
fn deepest(half_spaces: &[HalfSpace]) -> Result<Deepest, PolytopeError> {
    let slack = |x: DVec3| half_spaces.iter().map(move |h| h.offset - h.normal.dot(x));
    let least = |x: DVec3| slack(x).fold(f64::INFINITY, least);
    let farthest = half_spaces.iter().map(|h| h.offset.abs()).fold(0.0, most);
    // The normals leave no direction open: moving from any point brings some half-space nearer, so no point has all
    // slacks above the largest here.
    let mut above = slack(DVec3::ZERO).fold(f64::NEG_INFINITY, most);
    let mut below = least(DVec3::ZERO);
    let mut best = DVec3::ZERO;
    let mut size = extent(half_spaces, best, farthest);
    for _ in 0..200 {
        let width = above - below;
        if width <= 1e-3 * below || width <= 0.05 * FLAT * size {
            break;
        }
        let middle = 0.5 * (above + below);
        match project(half_spaces, best, middle, 8.0 * ROUNDOFF_F64 * size) {
            Some(x) => {
                if least(x) > least(best) {
                    best = x;
                    size = extent(half_spaces, best, farthest);
                }
                below = middle;
            }
            None => above = middle,
        }
    }
    let inset = least(best);
    if inset < -FLAT * size {
        return Err(PolytopeError::Infeasible { count: half_spaces.len(), gap: -inset });
    }
    Ok(Deepest { centre: best, inset, size })
}

/// Distance of `x` from the origin plus the approximate size of the polytope, after moving its half-spaces outward
/// until they hold x: the distance of x from its points nearest to six far ones.
fn extent(half_spaces: &[HalfSpace], x: DVec3, farthest: f64) -> f64 {
    let missing = half_spaces.iter().map(|h| h.normal.dot(x) - h.offset).fold(0.0, most);
    let far = 4.0 * (farthest + norm_up(x) + missing);
    let axes = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|axis| [axis, -axis]);
    let reached = axes.filter_map(|axis| project(half_spaces, x + axis * far, -1.1 * missing, 1e-9 * far));
    norm_up(x) + missing + reached.map(|p| norm_up(p - x)).fold(0.0, most)
}

/// Intersection of three planes; `None` if they do not meet well: such corners lie on an edge of better ones, up to
/// rounding.
fn meet(planes: [&HalfSpace; 3]) -> Option<DVec3> {
    let [a, b, c] = planes.map(|h| h.normal);
    let determinant = a.dot(b.cross(c));
    if !(determinant.abs() > 1e-11) {
        return None;
    }
    let offsets = DVec3::new(planes[0].offset, planes[1].offset, planes[2].offset);
    let solve = |r: DVec3| (b.cross(c) * r.x + c.cross(a) * r.y + a.cross(b) * r.z) / determinant;
    let first = solve(offsets);
    // One step of refinement.
    let rows = DMat3::from_cols(a, b, c).transpose();
    Some(first + solve(offsets - rows * first))
}

/// Corners nearer to each other than this, relative to the size, are merged into the best known one: planes that are
/// redundant up to rounding would turn the hull into slivers.
const CLUSTER: f64 = 1e-9;

/// Corners farther outside than this, relative to the size, are left out.
const OUTSIDE: f64 = 1e-12;

/// The corners of half-spaces around an inner point, found in coordinates in which the polytope is about as long as
/// wide: there, its thinness does not affect how well planes meet. [`fit`] measures the effect of corners that are left
/// out (three planes that share a line up to rounding) or moved.
fn dual_corners(half_spaces: &[HalfSpace], centre: DVec3) -> Result<Vec<DVec3>, PolytopeError> {
    let about: Vec<HalfSpace> =
        half_spaces.iter().map(|h| HalfSpace { offset: h.offset - h.normal.dot(centre), ..*h }).collect();
    let stretch = spread(&rough_corners(&about)?);
    let transposed = stretch.transpose();
    let round: Vec<HalfSpace> = (about.iter())
        .map(|h| {
            let normal = transposed * h.normal;
            HalfSpace { normal: normal / normal.length(), offset: h.offset / normal.length() }
        })
        .collect();
    let rough = rough_corners(&round)?;
    let size = rough.iter().map(|p| p.length()).fold(0.0, most);
    // Distance of a corner outside, up to rounding, and how well its planes meet.
    let out = |p: DVec3| round.iter().map(|h| h.normal.dot(p) - h.offset).fold(16.0 * ROUNDOFF_F64 * size, most);
    let corners = rough.iter().filter_map(|&p| corner_near(&round, p, size));
    let mut found: Vec<(f64, f64, DVec3)> = corners.map(|(volume, p)| (out(p), -volume, p)).collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut corners: Vec<DVec3> = Vec::new();
    for (out, _, corner) in found {
        if out <= OUTSIDE * size && !corners.iter().any(|other| (*other - corner).length() <= CLUSTER * size) {
            corners.push(corner);
        }
    }
    Ok(corners.into_iter().map(|corner| centre + stretch * corner).collect())
}

/// The corners of half-spaces around the origin, roughly: a face normal·y ≤ offset of the hull of normal / offset is
/// the corner normal / offset.
fn rough_corners(half_spaces: &[HalfSpace]) -> Result<Vec<DVec3>, PolytopeError> {
    let duals: Vec<DVec3> = half_spaces.iter().map(|h| h.normal / h.offset).collect();
    let (faces, _) = faces::of_hull(&Hull::new(&duals)?);
    Ok(faces.iter().map(|face| face.normal / face.offset).collect())
}

/// A matrix L with L Lᵀ the mean of p pᵀ (Cholesky): takes a ball to about the shape of the points.
fn spread(points: &[DVec3]) -> DMat3 {
    let mean = |i: usize, j: usize| points.iter().map(|p| p[i] * p[j]).sum::<f64>() / points.len() as f64;
    let least = 1e-12 * (mean(0, 0) + mean(1, 1) + mean(2, 2)).sqrt();
    let root = |squared: f64| if squared > least * least { squared.sqrt() } else { least };
    let a = root(mean(0, 0));
    let (b, c) = (mean(0, 1) / a, mean(0, 2) / a);
    let d = root(mean(1, 1) - b * b);
    let e = (mean(1, 2) - b * c) / d;
    let f = root(mean(2, 2) - c * c - e * e);
    DMat3::from_cols(DVec3::new(a, b, c), DVec3::new(0.0, d, e), DVec3::new(0.0, 0.0, f))
}

/// The corner of planes through `rough`: of the nearest ones if these meet well, else including some farther away.
fn corner_near(planes: &[HalfSpace], rough: DVec3, size: f64) -> Option<(f64, DVec3)> {
    let mut best: Option<(f64, DVec3)> = None;
    for exponent in -15..=-9 {
        let near = 10f64.powi(exponent) * size;
        let is_near = |h: &&HalfSpace| (h.offset - h.normal.dot(rough)).abs() <= near;
        let touching: Vec<&HalfSpace> = planes.iter().filter(is_near).collect();
        if let Some(found) = best_corner(&touching) {
            // Planes farther away must meet much better.
            if best.is_none_or(|(volume, _)| found.0 > 1e3 * volume) {
                best = Some(found);
            }
        }
    }
    best
}

/// The corner of the three planes that are most nearly at right angles, chosen one after the other, and the volume that
/// their normals span.
fn best_corner(planes: &[&HalfSpace]) -> Option<(f64, DVec3)> {
    let first = *planes.first()?;
    let by = |score: &dyn Fn(&HalfSpace) -> f64| planes.iter().copied().max_by(|a, b| score(a).total_cmp(&score(b)));
    let second = by(&|h| h.normal.cross(first.normal).length_squared())?;
    let across = first.normal.cross(second.normal);
    let third = by(&|h| h.normal.dot(across).abs())?;
    Some((third.normal.dot(across).abs(), meet([first, second, third])?))
}

/// Fit of a hull to the half-spaces that it was made from. Its vertices satisfy them up to `out`, and are inside once
/// moved towards c by the share out/(out + ρ). The reach of the half-spaces is bounded along the axes, both ways.
fn fit(half_spaces: &[HalfSpace], shape: &Convex) -> Fit {
    let Core::Hull(hull) = shape.core() else { unreachable!("it was made as a hull") };
    let centre = hull.vertices().iter().sum::<DVec3>() / hull.vertices().len() as f64;
    let noise = 16.0 * ROUNDOFF_F64 * (hull.upper_extent() + norm_up(centre));
    let slack = |h: &HalfSpace| h.offset - h.normal.dot(centre) - noise;
    let inner_radius = half_spaces.iter().map(slack).fold(f64::INFINITY, least);
    let reach = |h: &HalfSpace| hull.vertices().iter().map(|v| h.normal.dot(*v)).fold(f64::NEG_INFINITY, most);
    let out = half_spaces.iter().map(|h| reach(h) - h.offset).fold(0.0, most) + noise;
    // If every point is within R, then within the box of the six reaches, each of which may take a share of R: if each
    // is at most R/√3 the assumption proves itself.
    let of_hull = hull.vertices().iter().map(|&v| norm_up(v - centre)).fold(0.0, most);
    let axes = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|axis| [axis, -axis]);
    let assumed = 2.0 * of_hull;
    let reaches = axes.map(|n| upper_reach(half_spaces, centre, hull.support(n), n, assumed));
    let farthest = reaches.fold(0.0, |most: f64, reach| if reach <= most { most } else { reach });
    let outer_radius = if farthest * 1.8 <= assumed { farthest * 1.8 } else { f64::INFINITY };
    let rounding = if inner_radius > 0.0 { out * (of_hull / inner_radius + 1.0) } else { f64::INFINITY };
    Fit { centre, inner_radius, outer_radius, rounding }
}

/// Upper bound on n·(x − `centre`) over the half-spaces for |n| = 1, by duality: n as a combination of the normals of
/// those through `corner`, the farthest known point along n. All points must be within `outer_radius` of the centre.
pub(super) fn upper_reach(half_spaces: &[HalfSpace], centre: DVec3, corner: DVec3, n: DVec3, outer_radius: f64) -> f64 {
    let mut least = f64::INFINITY;
    // Tries the tightest ones first; those that miss the corner by more cost as much where they are needed.
    for exponent in [-15, -13, -11, -9, -7] {
        let near = 10f64.powi(exponent) * outer_radius;
        let is_near = |h: &&HalfSpace| (h.offset - h.normal.dot(corner)).abs() <= near;
        let touching: Vec<HalfSpace> = half_spaces.iter().filter(is_near).copied().collect();
        let reach = reach_of_cone(&touching, centre, n, outer_radius);
        least = if reach < least { reach } else { least };
    }
    least
}

fn reach_of_cone(touching: &[HalfSpace], centre: DVec3, n: DVec3, outer_radius: f64) -> f64 {
    let (mut rest, mut along, mut sum) = (n, 0.0, 1.0);
    for (number, share) in combination(touching, n) {
        // Multipliers are not negative except by rounding; dropped terms stay in the rest.
        if share > 0.0 {
            let HalfSpace { normal, offset } = touching[number];
            rest -= normal * share;
            along += share * (offset - normal.dot(centre));
            sum += share;
        }
    }
    along + norm_up(rest) * outer_radius + 16.0 * ROUNDOFF_F64 * sum * (outer_radius + norm_up(centre))
}

/// Half-spaces without a volume: their corners one by one, and the half-spaces of the hull of these.
fn flat(half_spaces: &[HalfSpace], centre: DVec3, size: f64) -> Result<Polytope, PolytopeError> {
    let count = half_spaces.len();
    if count > MOST_FLAT {
        return Err(PolytopeError::TooManyFlat { count, most: MOST_FLAT });
    }
    let tolerance = 4.0 * FLAT * size;
    let mut corners: Vec<DVec3> = Vec::new();
    for (i, a) in half_spaces.iter().enumerate() {
        for (j, b) in half_spaces.iter().enumerate().skip(i + 1) {
            for c in &half_spaces[j + 1..] {
                let Some(p) = meet([a, b, c]) else { continue };
                let is_inside = half_spaces.iter().all(|h| h.normal.dot(p) <= h.offset + tolerance);
                if is_inside && !corners.iter().any(|q| (*q - p).length() <= 4.0 * tolerance) {
                    corners.push(p);
                }
            }
        }
    }
    if corners.is_empty() {
        corners.push(centre);
    }
    Polytope::from_convex(Convex::hull(&corners)?)
}
