//! Convex hulls of point sets, with the adjacency that hill climbing needs ("Enhancing GJK" §3.2).
//!
//! Invariant: the stored vertices are exactly the extreme points of the input and the edges exactly those of their
//! hull, all decided by exact predicates and verified again after construction. Points that span less than a volume
//! give a polygon, a segment or a point. A support tests the few vertices in a table of directions (`candidates.rs`,
//! made on first use), or climbs from the last one on small hulls. Either result is a proven bound:
//! [`Hull::upper_reach`].

mod build;
mod candidates;
mod flat;
mod quickhull;

use self::candidates::LazyTable;
use super::ShapeError;
use crate::numeric::{DVec3, ROUNDOFF_F64, simd};

/// With fewer vertices climbing is as fast.
const FEWEST_FOR_TABLE: usize = 24;

/// Eight vertices side by side: x, y, z.
type Block = [[f64; 8]; 3];

/// The convex hull of a set of points.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    vertices: Vec<DVec3>,
    /// Counterclockwise from outside; a polygon is listed from one side only, a segment and a point have none.
    triangles: Vec<[u32; 3]>,
    /// Neighbours of vertex v are `neighbours[first[v]..first[v + 1]]`. Only their indices: 500 vertices with their
    /// adjacency then stay in the first-level cache.
    neighbours: Vec<u32>,
    first: Vec<u32>,
    /// Slack that [`Hull::upper_reach`] adds at each vertex; see there.
    slack: Vec<f64>,
    /// The vertices again for scanning; the last block is filled up with copies of vertex 0.
    blocks: Vec<Block>,
    /// Candidates for supports, by direction.
    table: LazyTable,
    /// At least the largest distance of a vertex from the origin.
    upper_extent: f64,
    /// At least the largest distance between two vertices.
    upper_diameter: f64,
}

impl Hull {
    /// The hull of `points`, which may be many, repeated, collinear or coplanar.
    ///
    /// Every input point was found inside every facet plane: exactly where the facet is a sliver, else within
    /// 16 u · diameter · (1 + |e||f| / |e × f|) for a facet with edges e and f (u = 2⁻⁵³).
    pub fn new(points: &[DVec3]) -> Result<Self, ShapeError> {
        build::hull(points)
    }

    /// The vertices: exactly the extreme points of the input.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Triangles of the surface, counterclockwise from outside; coplanar ones are not merged. A polygon is
    /// listed from one side only; a segment or point has none.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The vertices joined to vertex `v` by an edge.
    #[inline]
    pub fn neighbours(&self, v: u32) -> &[u32] {
        &self.neighbours[self.first[v as usize] as usize..self.first[v as usize + 1] as usize]
    }

    /// Upper bound on the distance of any vertex from the origin, in metres.
    #[inline]
    pub fn upper_extent(&self) -> f64 {
        self.upper_extent
    }

    /// Upper bound on the distance between any two vertices, in metres.
    pub fn upper_diameter(&self) -> f64 {
        self.upper_diameter
    }

    /// A vertex farthest along `direction`, by scanning all of them.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        self.vertices[self.support_index(direction) as usize]
    }

    /// The first vertex farthest along `direction`, by scanning all of them.
    pub fn support_index(&self, direction: DVec3) -> u32 {
        let (best, index) = simd::run(simd::Width::detect(), || scan(&self.blocks, direction));
        let lane = (0..8).reduce(|a, b| {
            let wins = best[b] > best[a] || (best[b] == best[a] && index[b] < index[a]);
            if wins { b } else { a }
        });
        // Copies of vertex 0 that fill the last block stand for vertex 0.
        let index = lane.map_or(0, |lane| index[lane] as usize);
        if index < self.vertices.len() { index as u32 } else { 0 }
    }

    /// A vertex farthest along `direction` up to rounding: among the candidates of a table, or by climbing from
    /// `start`. Also an upper bound, proven at [`Hull::upper_reach`], on how much farther the hull reaches along a
    /// unit `direction`; may be infinite.
    #[inline(always)]
    pub fn farthest(&self, direction: DVec3, start: u32) -> (u32, f64) {
        if self.has_table() { (self.among_candidates(direction), 0.0) } else { self.climb(direction, start) }
    }

    /// True if supports come from the table of directions; with fewer vertices climbing is as good.
    #[inline(always)]
    fn has_table(&self) -> bool {
        self.vertices.len() >= FEWEST_FOR_TABLE
    }

    /// The farthest of the candidates along `direction`.
    #[inline(always)]
    fn among_candidates(&self, direction: DVec3) -> u32 {
        self.table.of(self).farthest(&self.vertices, direction)
    }

    /// A vertex that no neighbour beats along `direction`, found by climbing from `start` ("Enhancing GJK" §3.2): up
    /// to rounding a support vertex. Falls back to a scan if rounding makes the climb run in circles. Also an upper
    /// bound, proven at [`Hull::upper_reach`], on how much farther the hull reaches along a unit `direction`; may be
    /// infinite.
    #[inline]
    pub fn climb(&self, direction: DVec3, start: u32) -> (u32, f64) {
        match self.summit(direction, start) {
            Some(v) => (v, self.slack[v as usize]),
            None => (self.support_index(direction), 0.0),
        }
    }

    /// A vertex v with no neighbour w for which the computed (w − v)·`direction` is above 0, or `None` if rounding
    /// makes the climb run in circles. A `start` that is not a vertex means the first.
    #[inline]
    fn summit(&self, direction: DVec3, start: u32) -> Option<u32> {
        let mut at = if (start as usize) < self.vertices.len() { start } else { 0 };
        for _ in 0..self.vertices.len() + 16 {
            let (mut best, mut next) = (0.0, at);
            let here = self.vertices[at as usize];
            for &to in self.neighbours(at) {
                let gain = (self.vertices[to as usize] - here).dot(direction);
                // Selects, not branches: the best neighbour is hard to predict.
                let better = gain > best;
                best = if better { gain } else { best };
                next = if better { to } else { next };
            }
            if next == at {
                return Some(at);
            }
            at = next;
        }
        None
    }

    /// Upper bound on n·p over the hull for |n| ≤ 1 + 4u, but for 3 u · extent of rounding in the last dot
    /// product, which the caller's margin covers. `start` only matters for speed. Candidates of a table need no more.
    ///
    /// If climbing ends at v, every edge δᵢ = wᵢ − v had a computed n·δᵢ ≤ 0, hence a true
    /// n·(wᵢ − v) ≤ 5u|wᵢ − v| (one rounded difference, three products, two sums). The hull is exactly
    /// convex, so each of its points is p = v + Σ λᵢ(wᵢ − v) with λᵢ ≥ 0, and n·p ≤ n·v + 5u Σ λᵢ|wᵢ − v|.
    /// Construction found a unit m and κ > 0 with m·(wᵢ − v) ≤ −κ|wᵢ − v|: then Σ λᵢ|wᵢ − v| ≤ |m·(p − v)| / κ
    /// ≤ diameter / κ. So the stored slack 8u · diameter / κ covers it; where the vertex is so flat that
    /// the slack would matter, all vertices are scanned instead.
    #[inline]
    pub fn upper_reach(&self, n: DVec3, start: u32) -> f64 {
        if self.has_table() {
            return self.vertices[self.among_candidates(n) as usize].dot(n);
        }
        if let Some(v) = self.summit(n, start) {
            let slack = self.slack[v as usize];
            if slack <= SLACK_LIMIT * self.upper_diameter {
                return self.vertices[v as usize].dot(n) + slack;
            }
        }
        self.vertices[self.support_index(n) as usize].dot(n)
    }

    /// The same as [`Self::upper_reach`] for a direction of any length up to `upper_length`, with which the slack
    /// scales; `start` becomes the vertex that was reached.
    #[inline(always)]
    pub(crate) fn upper_reach_along(&self, d: DVec3, upper_length: f64, start: &mut u32) -> f64 {
        if self.has_table() {
            *start = self.among_candidates(d);
            return self.vertices[*start as usize].dot(d);
        }
        if let Some(v) = self.summit(d, *start) {
            *start = v;
            let slack = self.slack[v as usize];
            if slack <= SLACK_LIMIT * self.upper_diameter {
                return self.vertices[v as usize].dot(d) + slack * upper_length;
            }
        }
        *start = self.support_index(d);
        self.vertices[*start as usize].dot(d)
    }

    /// Memory used, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let numbers = self.neighbours.capacity() + self.first.capacity();
        self.vertices.capacity() * size_of::<DVec3>()
            + self.triangles.capacity() * size_of::<[u32; 3]>()
            + numbers * size_of::<u32>()
            + self.slack.capacity() * size_of::<f64>()
            + self.blocks.capacity() * size_of::<Block>()
            + self.table.bytes()
    }

    /// True if the points span less than a volume, exactly.
    pub fn is_flat(&self) -> bool {
        self.vertices.len() < 4 || self.triangles.len() < self.vertices.len()
    }

    /// The first broken promise of this structure, if any; exact, and linear in the number of facets except for the
    /// scan of every vertex against every facet.
    pub fn broken_invariant(&self) -> Option<&'static str> {
        build::broken_invariant(self)
    }
}

/// Slack relative to the diameter above which [`Hull::upper_reach`] scans: well below the 1e-10 that a
/// distance may err by, yet met by vertices of shapes as flat as 1:10⁴.
const SLACK_LIMIT: f64 = 32_768.0 * ROUNDOFF_F64;

/// The largest n·v of each lane and the first index at which it stood.
#[inline(always)]
fn scan(blocks: &[Block], direction: DVec3) -> ([f64; 8], [u64; 8]) {
    let mut best = [f64::NEG_INFINITY; 8];
    let mut index = [0u64; 8];
    for (number, [x, y, z]) in blocks.iter().enumerate() {
        for lane in 0..8 {
            let value = x[lane] * direction.x + y[lane] * direction.y + z[lane] * direction.z;
            let wins = value > best[lane];
            best[lane] = if wins { value } else { best[lane] };
            index[lane] = if wins { (number * 8 + lane) as u64 } else { index[lane] };
        }
    }
    (best, index)
}

#[cfg(test)]
mod tests;
