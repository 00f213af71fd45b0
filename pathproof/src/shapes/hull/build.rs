//! Builds a verified [`Hull`] from points: triangles, then only the extreme points, then edges, slack and tables.
//!
//! Convexity is verified exactly in linear time (Mehlhorn et al., "Checking geometric programs", 1999): a closed
//! surface that bends inward at no edge, has an inner point below every facet, and winds around that point
//! once, bounds a convex body. Input points are then checked against every facet in rounded arithmetic.
// Negated comparisons are intended: they send NaN to the safe side.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

use super::candidates::LazyTable;
use super::quickhull::{self, height_sign};
use super::{Hull, flat};
use crate::numeric::{DVec3, ROUNDOFF_F64, least, most, norm_up, simd, unit};
use crate::shapes::{Aabb, MAX_COORDINATE, ShapeError};

/// Point sets smaller than this (metres) are refused: products of three lengths must not underflow.
const SMALLEST: f64 = 1e-80;

/// Edges from vertex to vertex, each with the triangle on its left; in order.
struct Sides(Vec<((u32, u32), u32)>);

impl Sides {
    /// Sides of a surface; `None` if one occurs twice.
    fn of(triangles: &[[u32; 3]]) -> Option<Self> {
        let edges = |(number, t): (usize, &[u32; 3])| [0, 1, 2].map(|i| ((t[i], t[(i + 1) % 3]), number as u32));
        let mut sides: Vec<_> = triangles.iter().enumerate().flat_map(edges).collect();
        sides.sort_unstable();
        let is_twice = sides.windows(2).any(|pair| pair[0].0 == pair[1].0);
        (!is_twice).then_some(Self(sides))
    }

    /// The triangle on the left of an edge.
    fn left_of(&self, edge: (u32, u32)) -> Option<u32> {
        self.0.binary_search_by_key(&edge, |side| side.0).ok().map(|place| self.0[place].1)
    }
}

pub(super) fn hull(points: &[DVec3]) -> Result<Hull, ShapeError> {
    if points.is_empty() {
        return Err(ShapeError::Empty("points"));
    }
    for (vertex, p) in points.iter().enumerate() {
        if let Some(&value) = p.to_array().iter().find(|c| !(c.abs() < MAX_COORDINATE)) {
            return Err(ShapeError::BadCoordinate { vertex, value });
        }
    }
    let size = Aabb::of(points.iter().copied()).size().max_element();
    if size > 0.0 && size < SMALLEST {
        return Err(ShapeError::UnverifiedHull("its size is below 1e-80 m, where exact predicates underflow"));
    }
    let hull = match flat::span(points) {
        flat::Span::Point(p) => assemble(vec![points[p as usize]], Vec::new(), &[]),
        flat::Span::Line(ends) => assemble(ends.map(|i| points[i as usize]).to_vec(), Vec::new(), &[(0, 1)]),
        flat::Span::Plane(base) => {
            let corners = flat::polygon(points, base);
            let n = corners.len() as u32;
            let edges: Vec<_> = (0..n).map(|i| (i, (i + 1) % n)).collect();
            let fan = (2..n).map(|i| [0, i - 1, i]).collect();
            assemble(corners.iter().map(|&i| points[i as usize]).collect(), fan, &edges)
        }
        flat::Span::Volume(base) => solid(points, base)?,
    };
    if let Some(broken) = broken_invariant(&hull) {
        return Err(ShapeError::UnverifiedHull(broken));
    }
    if !contains_all(&hull, points) {
        return Err(ShapeError::UnverifiedHull("a point lies outside a facet"));
    }
    Ok(hull)
}

/// Builds twice if vertices lie inside faces or edges: points that are all extreme leave none there.
fn solid(points: &[DVec3], base: [u32; 4]) -> Result<Hull, ShapeError> {
    let surface = |points: &[DVec3], base| {
        let triangles = quickhull::triangles(points, base).ok_or(ShapeError::UnverifiedHull("a rim is not a loop"))?;
        Ok::<_, ShapeError>(used_only(points, triangles))
    };
    let (mut kept, mut triangles) = surface(points, base)?;
    let extreme = |kept: &[DVec3], bends: &[(u32, u32)]| -> Vec<bool> {
        let mut degree = vec![0; kept.len()];
        bends.iter().for_each(|&(a, b)| {
            degree[a as usize] += 1;
            degree[b as usize] += 1;
        });
        // A corner has at least three edges at which the surface bends; inside an edge there are two.
        degree.iter().map(|&d| d >= 3).collect()
    };
    let mut bends = bending_edges(&kept, &triangles)?;
    let corners = extreme(&kept, &bends);
    if corners.contains(&false) {
        let only: Vec<DVec3> = kept.iter().zip(&corners).filter(|(_, c)| **c).map(|(p, _)| *p).collect();
        let flat::Span::Volume(base) = flat::span(&only) else {
            return Err(ShapeError::UnverifiedHull("its corners span no volume"));
        };
        (kept, triangles) = surface(&only, base)?;
        bends = bending_edges(&kept, &triangles)?;
        if extreme(&kept, &bends).contains(&false) {
            return Err(ShapeError::UnverifiedHull("a vertex is not a corner"));
        }
    }
    Ok(assemble(kept, triangles, &bends))
}

/// Drops the points that no triangle uses and renumbers the others.
fn used_only(points: &[DVec3], mut triangles: Vec<[u32; 3]>) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut new_index = vec![u32::MAX; points.len()];
    let mut kept = Vec::new();
    for v in triangles.iter_mut().flatten() {
        let index = &mut new_index[*v as usize];
        if *index == u32::MAX {
            *index = kept.len() as u32;
            kept.push(points[*v as usize]);
        }
        *v = *index;
    }
    (kept, triangles)
}

/// Edges (lower index first, sorted) at which the two triangles are not exactly coplanar.
fn bending_edges(points: &[DVec3], triangles: &[[u32; 3]]) -> Result<Vec<(u32, u32)>, ShapeError> {
    let broken = || ShapeError::UnverifiedHull("its surface is not closed");
    let sides = Sides::of(triangles).ok_or_else(broken)?;
    let mut bends = Vec::new();
    for &((a, b), left) in sides.0.iter().filter(|((a, b), _)| a < b) {
        let right = sides.left_of((b, a)).ok_or_else(broken)?;
        if edge_bend(points, triangles, (a, b), left, right) != 0.0 {
            bends.push((a, b));
        }
    }
    Ok(bends)
}

/// Exact sign: negative where the surface is convex at the edge, 0 where it is flat.
fn edge_bend(points: &[DVec3], triangles: &[[u32; 3]], (a, b): (u32, u32), left: u32, right: u32) -> f64 {
    let corners = triangles[left as usize].map(|i| points[i as usize]);
    let apex = triangles[right as usize].into_iter().find(|&v| v != a && v != b);
    apex.map_or(f64::NAN, |apex| height_sign(corners, points[apex as usize]))
}

fn assemble(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>, undirected: &[(u32, u32)]) -> Hull {
    let mut directed: Vec<(u32, u32)> = undirected.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
    directed.sort_unstable();
    directed.dedup();
    let neighbours = directed.iter().map(|&(_, to)| to).collect();
    let first = (0..=vertices.len() as u32).map(|v| directed.partition_point(|&(from, _)| from < v) as u32).collect();
    let blocks = vertices
        .chunks(8)
        .map(|chunk| {
            let at = |lane: usize| chunk.get(lane).copied().unwrap_or(vertices[0]);
            [0, 1, 2].map(|axis| std::array::from_fn(|lane| at(lane)[axis]))
        })
        .collect();
    let upper_diameter = norm_up(Aabb::of(vertices.iter().copied()).size()) * (1.0 + 4.0 * ROUNDOFF_F64);
    let upper_extent = vertices.iter().map(|&v| norm_up(v)).fold(0.0, most);
    let slack = Vec::new();
    let table = LazyTable::default();
    let mut hull = Hull { vertices, triangles, neighbours, first, slack, blocks, table, upper_extent, upper_diameter };
    hull.slack = slack_of_vertices(&hull);
    hull
}

/// 8u · diameter / κ for each vertex; infinite if no m was found. See [`Hull::upper_reach`].
fn slack_of_vertices(hull: &Hull) -> Vec<f64> {
    let mut normals = vec![DVec3::ZERO; hull.vertices.len()];
    for t in &hull.triangles {
        let [a, b, c] = t.map(|v| hull.vertices[v as usize]);
        let normal = unit((b - a).cross(c - a)).unwrap_or(DVec3::ZERO);
        t.iter().for_each(|&v| normals[v as usize] += normal);
    }
    let slack = |v: usize| {
        let here = hull.vertices[v];
        let edges: Vec<DVec3> = hull.neighbours(v as u32).iter().map(|&w| hull.vertices[w as usize] - here).collect();
        if edges.is_empty() {
            return 0.0;
        }
        let away = -edges.iter().filter_map(|e| unit(*e)).sum::<DVec3>();
        let sharpness = |m: DVec3| {
            let m = unit(m).unwrap_or(DVec3::ZERO);
            // 16u covers the rounding of m's length, of δ and of the quotient. An edge so short that its square
            // vanishes gives NaN, which stays.
            edges.iter().map(|&e| -m.dot(e) / e.length()).fold(1.0, least) - 16.0 * ROUNDOFF_F64
        };
        let kappa = most(sharpness(away), sharpness(normals[v]));
        if kappa > 0.0 { 8.0 * ROUNDOFF_F64 * hull.upper_diameter / kappa } else { f64::INFINITY }
    };
    (0..hull.vertices.len()).map(slack).collect()
}

/// True if every point is inside every facet plane, within the margin that [`Hull::new`] states.
fn contains_all(hull: &Hull, points: &[DVec3]) -> bool {
    let blocks: Vec<super::Block> = points
        .chunks(8)
        .map(|chunk| [0, 1, 2].map(|axis| std::array::from_fn(|lane| chunk.get(lane).unwrap_or(&points[0])[axis])))
        .collect();
    hull.triangles.iter().all(|t| {
        let corners @ [a, b, c] = t.map(|v| hull.vertices[v as usize]);
        let (e, f) = (b - a, c - a);
        let normal = e.cross(f);
        let sharpness = normal.length() / (e.length() * f.length());
        if !(sharpness > 1e-6) {
            let inside = |sign: f64| if hull.is_flat() { sign == 0.0 } else { sign <= 0.0 };
            return points.iter().all(|&p| inside(height_sign(corners, p)));
        }
        let Some(n) = unit(normal) else { return false };
        let margin = 16.0 * ROUNDOFF_F64 * (hull.upper_diameter * (1.0 + 1.0 / sharpness) + hull.upper_extent);
        let below = |n: DVec3| {
            let limit = a.dot(n) + margin;
            let (best, _) = simd::run(simd::Width::detect(), || super::scan(&blocks, n));
            best.iter().all(|&height| height <= limit)
        };
        // A polygon has a plane, and nothing on either side of it.
        below(n) && (!hull.is_flat() || below(-n))
    })
}

pub(super) fn broken_invariant(hull: &Hull) -> Option<&'static str> {
    let count = hull.vertices.len();
    if count == 0 || hull.first.len() != count + 1 || hull.slack.len() != count {
        return Some("tables do not match the vertices");
    }
    if hull.neighbours.iter().any(|&v| v as usize >= count) || !hull.table.is_for(count) {
        return Some("an index points outside");
    }
    if count > 1 && (0..count as u32).any(|v| hull.neighbours(v).is_empty()) {
        return Some("a vertex has no neighbour");
    }
    if hull.is_flat() { None } else { not_convex(hull) }
}

/// Exact except for the winding number, which has a rounding error far below the distance to the next multiple.
fn not_convex(hull: &Hull) -> Option<&'static str> {
    let Some(sides) = Sides::of(&hull.triangles) else { return Some("an edge occurs twice") };
    for &((a, b), left) in &sides.0 {
        let Some(right) = sides.left_of((b, a)) else { return Some("the surface is not closed") };
        let bend = edge_bend(&hull.vertices, &hull.triangles, (a, b), left, right);
        // Written so that NaN, a triangle with a repeated corner, is refused.
        if !(bend <= 0.0) {
            return Some("the surface is not convex at an edge");
        }
        if (bend < 0.0) != hull.neighbours(a).contains(&b) {
            return Some("the adjacency is not that of the surface");
        }
    }
    let centre = hull.vertices.iter().sum::<DVec3>() / hull.vertices.len() as f64;
    let corners = |t: &[u32; 3]| t.map(|v| hull.vertices[v as usize]);
    // In a thin body the rounded centre may be outside, or the angles below too rough: then every vertex
    // is checked against every facet instead, exactly.
    let roomy = |t: &[u32; 3]| {
        let [a, b, c] = corners(t);
        let depth = unit((b - a).cross(c - a)).map_or(0.0, |n| n.dot(a - centre));
        depth > 1e-6 * hull.upper_diameter && height_sign(corners(t), centre) < 0.0
    };
    if !hull.triangles.iter().all(roomy) {
        let inside = |t| hull.vertices.iter().all(|&v| height_sign(corners(t), v) <= 0.0);
        return (!hull.triangles.iter().all(inside)).then_some("a vertex lies outside a facet");
    }
    let turns: f64 = hull.triangles.iter().map(|t| solid_angle(corners(t).map(|p| p - centre))).sum();
    (!(turns < 6.0 * std::f64::consts::PI)).then_some("the surface winds more than once")
}

/// Van Oosterom and Strackee.
fn solid_angle([a, b, c]: [DVec3; 3]) -> f64 {
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let down = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * a.dot(b.cross(c)).atan2(down)
}
