//! Closed components that enclose nothing: double-sided shells with sides cut along different diagonals, and flat
//! ones.
//!
//! Their triangles balance, so only geometry distinguishes them from solids. A signed volume close to zero makes a
//! component a candidate, in one pass over all triangles. Lines through its triangles decide, by exact signed
//! crossings: a component that encloses a volume has a non-zero winding number somewhere between two crossings (as do
//! two lobes of opposite orientation, even if their volumes cancel). Cost: O(n), and for candidates as many lines as
//! [`MOST_TESTS`] allows.

use super::components::{Component, Enclosure};
use super::inside::edge_crossing;
use crate::numeric::{DVec3, ROUNDOFF_F64, Random, least, most};

/// A component thinner than this part of its size encloses nothing: files in single precision round by as much.
const THIN: f64 = 1e-6;

/// Pairs of line and triangle that are tested over all candidates of a mesh; more if that leaves one with fewer than
/// [`FEWEST_LINES`].
const MOST_TESTS: usize = 1 << 22;
const FEWEST_LINES: usize = 64;

/// Makes oriented components that enclose nothing double-sided.
pub(super) fn mark(vertices: &[DVec3], triangles: &[[u32; 3]], component_of: &[u32], components: &mut [Component]) {
    let is_candidate = candidates(vertices, triangles, component_of, components);
    if !is_candidate.contains(&true) {
        return;
    }
    let mut of_component: Vec<Vec<[DVec3; 3]>> = vec![Vec::new(); components.len()];
    for (corners, &component) in triangles.iter().zip(component_of) {
        if is_candidate[component as usize] {
            of_component[component as usize].push(corners.map(|v| vertices[v as usize]));
        }
    }
    let lines = lines_for(of_component.iter().map(Vec::len).sum());
    for (component, triangles) in components.iter_mut().zip(&of_component) {
        if !triangles.is_empty() && !encloses(triangles, component.enclosure, lines) {
            component.enclosure = Enclosure::DoubleSided;
        }
    }
}

/// True for oriented components with a signed volume close to zero for their area and size.
fn candidates(vertices: &[DVec3], triangles: &[[u32; 3]], component_of: &[u32], components: &[Component]) -> Vec<bool> {
    /// Six times the signed volume, twice the area, and the largest coordinate about the sample.
    #[derive(Clone, Copy, Default)]
    struct Sum {
        volume: f64,
        area: f64,
        size: f64,
    }
    let mut sums = vec![Sum::default(); components.len()];
    for (corners, &component) in triangles.iter().zip(component_of) {
        let origin = components[component as usize].sample;
        let [p, q, r] = corners.map(|v| vertices[v as usize] - origin);
        let normal = (q - p).cross(r - p);
        let sum = &mut sums[component as usize];
        sum.volume += p.dot(normal);
        sum.area += normal.length();
        sum.size = most(sum.size, p.abs().max(q.abs()).max(r.abs()).max_element());
    }
    let is_empty = |sum: &Sum| sum.volume.abs() / 6.0 <= THIN * (0.5 * sum.area) * sum.size;
    components.iter().zip(&sums).map(|(c, sum)| c.enclosure == Enclosure::Oriented && is_empty(sum)).collect()
}

/// Number of lines for each of some components with this many triangles together.
pub(super) fn lines_for(triangles: usize) -> usize {
    (MOST_TESTS / triangles.max(1)).max(FEWEST_LINES)
}

/// True if a closed component of these triangles encloses anything, judged by `lines`: through all triangles if they
/// are no more, else through some. By parity if `enclosure` says so, else by winding numbers.
pub(super) fn encloses(triangles: &[[DVec3; 3]], enclosure: Enclosure, lines: usize) -> bool {
    let origin = triangles.first().map_or(DVec3::ZERO, |corners| corners[0]);
    let size = triangles.iter().flatten().map(|p| (*p - origin).abs().max_element()).fold(0.0, most);
    let mut random = Random::new(1);
    let mut line = Line { size, hits: Vec::new() };
    (0..triangles.len().min(lines)).any(|i| {
        let through = if triangles.len() <= lines { i } else { random.below(triangles.len()) };
        line.is_inside_somewhere(triangles, through, enclosure)
    })
}

/// Intersection of a line with a triangle.
struct Hit {
    along: f64,
    /// Upper bound on its error.
    error: f64,
    /// 1 if the line leaves through the triangle, −1 if it enters.
    turn: i32,
}

struct Line {
    size: f64,
    hits: Vec<Hit>,
}

impl Line {
    /// True if the line through the middle of triangle `through`, along the axis nearest to its normal, runs inside
    /// the component for longer than what counts as thin.
    fn is_inside_somewhere(&mut self, triangles: &[[DVec3; 3]], through: usize, enclosure: Enclosure) -> bool {
        let [a, b, c] = triangles[through];
        let normal = (b - a).cross(c - a).abs();
        let axis = (0..3).fold(0, |best, i| if normal[i] > normal[best] { i } else { best });
        // The axis becomes x, along which crossings are counted.
        let turned = |p: DVec3| DVec3::new(p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]);
        let p = turned((a + b + c) / 3.0);
        self.hits.clear();
        for corners in triangles {
            let [a, b, c] = corners.map(turned);
            let turn = edge_crossing(p, a, b) + edge_crossing(p, b, c) + edge_crossing(p, c, a);
            if turn != 0 {
                let (along, error) = self.place(p, [a, b, c]);
                self.hits.push(Hit { along, error, turn });
            }
        }
        self.hits.sort_by(|x, y| x.along.total_cmp(&y.along));
        let mut winding = 0;
        self.hits.windows(2).any(|two| {
            winding += two[0].turn;
            let is_inside = if enclosure == Enclosure::Parity { winding % 2 != 0 } else { winding != 0 };
            is_inside && (two[1].along - two[1].error) - (two[0].along + two[0].error) > THIN * self.size
        })
    }

    /// Position where the line along x through p meets the triangle, and its error: its extent at most.
    fn place(&self, p: DVec3, [a, b, c]: [DVec3; 3]) -> (f64, f64) {
        let (low, high) = (least(least(a.x, b.x), c.x), most(most(a.x, b.x), c.x));
        let normal = (b - a).cross(c - a);
        let along = a.x + (normal.y * (a.y - p.y) + normal.z * (a.z - p.z)) / normal.x;
        let error = 64.0 * ROUNDOFF_F64 * self.size * normal.length() / normal.x.abs();
        if error < high - low { (along.clamp(low, high), error) } else { (0.5 * (low + high), 0.5 * (high - low)) }
    }
}
