//! Dense samples of the surface of a union of convex pieces, and their neighbours.
//!
//! Every triangle of every piece gets a grid of points. Those inside the union are dropped: strictly inside another
//! piece, or where pieces touch face to face. Two samples are joined if they are near each other and on triangles that
//! share a corner, or on pieces that touch: not through walls, nor across gaps.

use std::collections::HashSet;

use super::{Density, NodesError};
use crate::concave::{ConvexPieces, Polytope};
use pathproof::distance::gjk::{self, Tracker};
use pathproof::numeric::{DVec3, Pose, most};
use pathproof::shapes::{Aabb, Convex, Core};

/// Approximate number of samples between neighbouring nodes.
const PER_SPACING: f64 = 6.0;

/// Most samples that are accepted.
const MOST: usize = 20_000_000;

/// Distance at which samples are joined, relative to the step of the grids. Covers diagonals of a grid's cells, and the
/// effect of rounding up to whole steps between grids of different triangles.
const JOIN: f64 = 1.6;

/// Samples and the edges between them.
pub(super) struct Samples {
    pub(super) points: Vec<DVec3>,
    /// For each, its neighbours and their distances.
    pub(super) near: Vec<Vec<(u32, f64)>>,
}

/// Origin of a sample.
struct Origin {
    piece: u32,
    /// Corners of its triangle, among those of its piece.
    corners: [u32; 3],
}

/// The triangles of a polytope's hull.
fn triangles(shape: &Convex) -> Vec<([u32; 3], [DVec3; 3])> {
    let of_hull = |hull: &pathproof::shapes::Hull| {
        let corners = |t: [u32; 3]| t.map(|v| hull.vertices()[v as usize]);
        // A segment or a point has no triangles: its ends represent it.
        let last = hull.vertices().len() as u32 - 1;
        let flat = hull.triangles().is_empty().then_some([0, last, last]);
        hull.triangles().iter().copied().chain(flat).map(|t| (t, corners(t))).collect()
    };
    match shape.core() {
        Core::Hull(hull) => of_hull(hull),
        Core::Box { half } => {
            let corner =
                |i: u32| DVec3::from_array([0, 1, 2].map(|k| if i >> k & 1 == 1 { half[k] } else { -half[k] }));
            let corners: Vec<DVec3> = (0..8).map(corner).collect();
            pathproof::shapes::Hull::new(&corners).as_ref().map(of_hull).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

pub(super) fn surface(pieces: &ConvexPieces, polytopes: &[Polytope], density: Density) -> Result<Samples, NodesError> {
    let all: Vec<Vec<([u32; 3], [DVec3; 3])>> = polytopes.iter().map(|p| triangles(p.shape())).collect();
    let step = step(&all, pieces, density);
    let wanted: f64 = all.iter().flatten().map(|(_, t)| 0.5 * (steps(t, step) + 1.0) * (steps(t, step) + 2.0)).sum();
    if !(wanted < MOST as f64) {
        return Err(NodesError::TooFine { spacing: step * PER_SPACING, most: MOST });
    }
    let size = pieces.aabb().size().length();
    let inside = Inside::new(polytopes, size);
    let (mut points, mut origins) = (Vec::new(), Vec::new());
    let mut known: HashSet<(u32, [i64; 3])> = HashSet::new();
    for (piece, triangles) in all.iter().enumerate() {
        for (corners, triangle) in triangles {
            grid(triangle, step, |p| {
                // Edges and corners come up in several triangles of a piece.
                let key = (p / (1e-6 * step)).round().to_array().map(|c| c as i64);
                if known.insert((piece as u32, key)) && !inside.of_union(p, piece) {
                    points.push(p);
                    origins.push(Origin { piece: piece as u32, corners: *corners });
                }
            });
        }
    }
    let near = join(&points, &origins, &touching(pieces, size), JOIN * step);
    Ok(Samples { points, near })
}

/// The step of the grids.
fn step(all: &[Vec<([u32; 3], [DVec3; 3])>], pieces: &ConvexPieces, density: Density) -> f64 {
    let spacing = match density {
        Density::Spacing(spacing) => spacing,
        Density::Count(count) => {
            let area = |[a, b, c]: &[DVec3; 3]| 0.5 * (*b - *a).cross(*c - *a).length();
            let total: f64 = all.iter().flatten().map(|(_, t)| area(t)).sum();
            (total / count as f64).sqrt()
        }
    };
    let least = 1e-6 * pieces.aabb().size().length();
    let step = spacing / PER_SPACING;
    if step > least { step } else { least }
}

/// Number of parts into which a triangle's edges are cut.
fn steps([a, b, c]: &[DVec3; 3], step: f64) -> f64 {
    let longest = [*b - *a, *c - *b, *a - *c].map(|side| side.length_squared()).into_iter().fold(0.0, most).sqrt();
    most((longest / step).ceil(), 1.0)
}

fn grid(triangle: &[DVec3; 3], step: f64, mut visit: impl FnMut(DVec3)) {
    let [a, b, c] = *triangle;
    let n = steps(triangle, step) as usize;
    for i in 0..=n {
        for j in 0..=n - i {
            let (s, t) = (i as f64 / n as f64, j as f64 / n as f64);
            // Exact at the corners.
            let p = match (i, j) {
                (0, 0) => a,
                (i, _) if i == n => b,
                (_, j) if j == n => c,
                _ => a * (1.0 - s - t) + b * s + c * t,
            };
            visit(p);
        }
    }
}

/// Tests which points of the pieces are inside their union.
struct Inside<'p> {
    polytopes: &'p [Polytope],
    boxes: Vec<Aabb>,
    /// Nearer to a face than this counts as on it.
    near: f64,
    /// Radius within which the surroundings of a point are sampled.
    around: f64,
}

impl<'p> Inside<'p> {
    fn new(polytopes: &'p [Polytope], size: f64) -> Self {
        let boxes = polytopes.iter().map(|p| p.shape().aabb(&Pose::IDENTITY)).collect();
        Self { polytopes, boxes, near: 1e-9 * size, around: 1e-5 * size }
    }

    fn holds(&self, piece: usize, p: DVec3, by: f64) -> bool {
        let Aabb { min, max } = self.boxes[piece];
        let wide = Aabb { min: min - self.near, max: max + self.near };
        wide.contains(p) && self.polytopes[piece].holds(p, by)
    }

    /// True if `p`, on the surface of `piece`, is inside the union: strictly inside another piece, or on another piece
    /// and surrounded by pieces.
    fn of_union(&self, p: DVec3, piece: usize) -> bool {
        let others = || (0..self.polytopes.len()).filter(|&i| i != piece);
        if others().any(|i| self.holds(i, p, -self.around)) {
            return true;
        }
        if !others().any(|i| self.holds(i, p, self.near)) {
            return false;
        }
        let around = (0..27).filter(|&i| i != 13).map(|i| {
            let way = DVec3::new(f64::from(i % 3 - 1), f64::from(i / 3 % 3 - 1), f64::from(i / 9 - 1));
            // Slightly tilted, so that no direction runs within a face of a body along the axes.
            p + (way + DVec3::new(0.013, 0.029, 0.017)) * self.around
        });
        around.into_iter().all(|q| (0..self.polytopes.len()).any(|i| self.holds(i, q, self.near)))
    }
}

/// Table of the pairs of pieces that touch or overlap.
fn touching(pieces: &ConvexPieces, size: f64) -> Vec<Vec<bool>> {
    let count = pieces.len();
    let mut table = vec![vec![false; count]; count];
    for i in 0..count {
        table[i][i] = true;
        for j in 0..i {
            let near = 1e-6 * size;
            let (a, b) = (pieces.shape(i), pieces.shape(j));
            let found = gjk::distance(a, b, &Pose::IDENTITY, near, &mut Tracker::default());
            (table[i][j], table[j][i]) = (found.upper <= near, found.upper <= near);
        }
    }
    table
}

/// Joins samples within `reach` of each other: those in a cell of that size with those in the cells around it.
fn join(points: &[DVec3], origins: &[Origin], touching: &[Vec<bool>], reach: f64) -> Vec<Vec<(u32, f64)>> {
    let cell = |p: DVec3| (p / reach).floor().to_array().map(|c| c as i64);
    let mut by_cell: Vec<([i64; 3], u32)> = points.iter().zip(0..).map(|(p, i)| (cell(*p), i)).collect();
    by_cell.sort_unstable();
    let is_joined = |i: u32, j: u32| {
        let (a, b) = (&origins[i as usize], &origins[j as usize]);
        if a.piece == b.piece {
            return a.corners.iter().any(|v| b.corners.contains(v));
        }
        touching[a.piece as usize][b.piece as usize]
    };
    let mut near = vec![Vec::new(); points.len()];
    let mut around: Vec<u32> = Vec::new();
    for members in by_cell.chunk_by(|a, b| a.0 == b.0) {
        let [x, y, z] = members[0].0;
        around.clear();
        for (dx, dy) in (0..9).map(|k| (k % 3 - 1, k / 3 - 1)) {
            // Cells that differ in z only are adjacent in the order.
            let first = by_cell.partition_point(|(c, _)| *c < [x + dx, y + dy, z - 1]);
            let column = by_cell[first..].iter().take_while(|(c, _)| *c <= [x + dx, y + dy, z + 1]);
            around.extend(column.map(|(_, i)| *i));
        }
        around.sort_unstable();
        for &(_, i) in members {
            for &j in &around {
                let way = (points[j as usize] - points[i as usize]).length();
                if j != i && way <= reach && is_joined(i, j) {
                    near[i as usize].push((j, way));
                }
            }
        }
    }
    near
}
