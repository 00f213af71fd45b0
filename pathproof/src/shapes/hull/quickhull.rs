//! Quickhull with exact visibility (Barber, Dobkin, Huhdanpaa 1996; Shewchuk's adaptive `orient3d`).
//!
//! A facet is visible from a point only if the point is *strictly* outside its plane, decided exactly. The
//! visible facets then tile the convex silhouette seen from the point: they are connected, their rim is one
//! simple loop, and no new facet is degenerate (the point cannot lie on the line of a visible facet's edge).
//! Rounding therefore only chooses the order of insertion, never the topology. Expected O(n log n).

use robust::{Coord3D, orient3d};

use crate::numeric::DVec3;

const NONE: u32 = u32::MAX;

fn coord(p: DVec3) -> Coord3D<f64> {
    Coord3D { x: p.x, y: p.y, z: p.z }
}

/// Exact sign of the volume: positive when `p` is strictly above the plane of the counterclockwise triangle
/// `[a, b, c]`, 0 when it lies in it. Exact as long as no product of three coordinate differences underflows.
pub(super) fn height_sign([a, b, c]: [DVec3; 3], p: DVec3) -> f64 {
    -orient3d(coord(a), coord(b), coord(c), coord(p))
}

struct Facet {
    /// Counterclockwise seen from outside.
    vertices: [u32; 3],
    /// `across[i]` shares the edge from `vertices[i]` to `vertices[i + 1]`.
    across: [u32; 3],
    /// Outward, not normalised, rounded: only chooses which point to insert next.
    normal: DVec3,
    /// Points strictly above this facet, each kept by one facet only.
    outside: Vec<u32>,
    alive: bool,
}

struct Builder<'a> {
    points: &'a [DVec3],
    facets: Vec<Facet>,
    /// Facets that may still have points outside.
    pending: Vec<u32>,
    /// New facet that starts at a vertex of the rim; only read where just written.
    starts_at: Vec<u32>,
    /// A rim was not a loop: a predicate must have underflowed.
    broken: bool,
}

/// Triangles of the hull of `points`, counterclockwise from outside, given four points that span a volume.
/// Coplanar triangles are not merged, and a vertex may lie inside a face or an edge. `None` if products were so
/// small that the predicates contradict each other.
pub(super) fn triangles(points: &[DVec3], base: [u32; 4]) -> Option<Vec<[u32; 3]>> {
    let starts_at = vec![NONE; points.len()];
    let mut builder = Builder { points, facets: Vec::new(), pending: Vec::new(), starts_at, broken: false };
    builder.start(base);
    while let Some(facet) = builder.pending.pop() {
        builder.expand(facet);
        if builder.broken {
            return None;
        }
    }
    Some(builder.facets.iter().filter(|f| f.alive).map(|f| f.vertices).collect())
}

impl Builder<'_> {
    fn corners(&self, vertices: [u32; 3]) -> [DVec3; 3] {
        vertices.map(|v| self.points[v as usize])
    }

    fn sees(&self, point: u32, facet: u32) -> bool {
        height_sign(self.corners(self.facets[facet as usize].vertices), self.points[point as usize]) > 0.0
    }

    fn push(&mut self, vertices: [u32; 3], across: [u32; 3]) -> u32 {
        let [a, b, c] = self.corners(vertices);
        let normal = (b - a).cross(c - a);
        self.facets.push(Facet { vertices, across, normal, outside: Vec::new(), alive: true });
        (self.facets.len() - 1) as u32
    }

    fn start(&mut self, [a, b, c, d]: [u32; 4]) {
        let above = height_sign(self.corners([a, b, c]), self.points[d as usize]) > 0.0;
        let (b, c) = if above { (c, b) } else { (b, c) };
        // Facet i leaves out the i-th of d, c, b, a; the neighbours follow from the shared edges.
        self.push([a, b, c], [1, 2, 3]);
        self.push([b, a, d], [0, 3, 2]);
        self.push([c, b, d], [0, 1, 3]);
        self.push([a, c, d], [0, 2, 1]);
        let everyone = (0..self.points.len() as u32).collect();
        self.hand_out(everyone, 0);
    }

    /// Gives each point to the first facet from `first_facet` on that it sees; the others are inside.
    fn hand_out(&mut self, points: Vec<u32>, first_facet: u32) {
        for p in points {
            if let Some(f) = (first_facet..self.facets.len() as u32).find(|&f| self.sees(p, f)) {
                self.facets[f as usize].outside.push(p);
            }
        }
        for f in first_facet..self.facets.len() as u32 {
            if !self.facets[f as usize].outside.is_empty() {
                self.pending.push(f);
            }
        }
    }

    /// Adds the point farthest above `facet`: removes the facets that it sees and closes the gap by a fan from it to
    /// the rim.
    fn expand(&mut self, facet: u32) {
        let Facet { ref outside, normal, alive, .. } = self.facets[facet as usize];
        let height = |p: &u32| self.points[*p as usize].dot(normal);
        let Some(&eye) = outside.iter().max_by(|p, q| height(p).total_cmp(&height(q))) else { return };
        if !alive {
            return;
        }
        let mut orphans = Vec::new();
        let rim = self.remove_visible(eye, facet, &mut orphans);
        let first_new = self.facets.len() as u32;
        for &(a, b, outer) in &rim {
            let new = self.push([a, b, eye], [outer, NONE, NONE]);
            self.starts_at[a as usize] = new;
            let outer = &mut self.facets[outer as usize];
            match (0..3).find(|&i| outer.vertices[i] == b) {
                Some(edge) => outer.across[edge] = new,
                None => self.broken = true,
            }
        }
        for new in first_new..self.facets.len() as u32 {
            let next = self.starts_at[self.facets[new as usize].vertices[1] as usize];
            if !(first_new..self.facets.len() as u32).contains(&next) {
                self.broken = true;
                return;
            }
            self.facets[new as usize].across[1] = next;
            self.facets[next as usize].across[2] = new;
        }
        orphans.retain(|&p| p != eye);
        self.hand_out(orphans, first_new);
    }

    /// Removes the facets that `eye` sees, starting at `first`, and returns their rim as edges (in the removed facets'
    /// direction) with the facet on the far side.
    fn remove_visible(&mut self, eye: u32, first: u32, orphans: &mut Vec<u32>) -> Vec<(u32, u32, u32)> {
        let mut rim = Vec::new();
        let mut stack = vec![first];
        self.facets[first as usize].alive = false;
        let mut killed = Vec::new();
        while let Some(f) = stack.pop() {
            killed.push(f);
            orphans.append(&mut self.facets[f as usize].outside);
            for other in self.facets[f as usize].across {
                if self.facets[other as usize].alive && self.sees(eye, other) {
                    self.facets[other as usize].alive = false;
                    stack.push(other);
                }
            }
        }
        for f in killed {
            let Facet { vertices, across, .. } = self.facets[f as usize];
            for i in 0..3 {
                if self.facets[across[i] as usize].alive {
                    rim.push((vertices[i], vertices[(i + 1) % 3], across[i]));
                }
            }
        }
        rim
    }
}
