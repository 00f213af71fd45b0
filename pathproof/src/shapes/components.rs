//! Connected components of a mesh, and the volume that each encloses.
//!
//! Triangles are joined by edges. A component is closed when its oriented triangles leave no boundary (every directed
//! edge is met by one the other way) and enclose something. If the file's orientation is inconsistent, a manifold
//! component is reoriented, and a closed one that cannot be oriented is judged by parity. O(n log n).

use super::{Aabb, folded};
use crate::numeric::DVec3;

/// Region that a component encloses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enclosure {
    /// Closed and oriented: inside is where the winding number is not 0.
    Oriented,
    /// Closed, but no consistent orientation exists: inside is where a ray crosses it an odd number of times.
    Parity,
    /// It has a boundary: a surface without inside.
    Open,
    /// Its triangles are present in both orientations, one by one or cut along other lines, or it has no thickness: a
    /// surface without inside.
    DoubleSided,
}

/// A connected component of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Component {
    /// Region that it encloses.
    pub enclosure: Enclosure,
    /// Number of its triangles.
    pub triangles: usize,
    /// Number of its open edges, where an odd number of triangles meets. 0 if it encloses a volume, unless its holes
    /// were closed: then the number before closing.
    pub open_edges: usize,
    /// A vertex of it.
    pub sample: DVec3,
    /// The first of its triangles.
    pub first_triangle: usize,
    /// Index of its mesh in a body; 0 in a single mesh.
    pub mesh: u32,
}

impl Component {
    /// True if it encloses a volume.
    pub fn is_solid(&self) -> bool {
        matches!(self.enclosure, Enclosure::Oriented | Enclosure::Parity)
    }
}

/// One side of a triangle: its undirected edge as a sortable key, and the index of its triangle.
#[derive(Clone, Copy)]
struct Side {
    /// True if the triangle bounds anything, and both vertex indices. Triangles that bound something and those that do
    /// not (double-sided, degenerate) are never joined, so that an inner wall does not change what a shell encloses.
    edge: (bool, u64),
    triangle: u32,
    /// True if it runs from the smaller vertex index to the larger.
    forward: bool,
}

/// The components of `triangles`: the component of each triangle, the components, and the number of triangles turned
/// over. `bounds` is false for triangles that bound nothing (double-sided or degenerate).
pub(super) fn find(
    vertices: &[DVec3],
    triangles: &mut [[u32; 3]],
    bounds: &[bool],
) -> (Vec<u32>, Vec<Component>, usize) {
    let sides = sorted_sides(triangles, bounds);
    let component_of = label(&sides, triangles.len());
    let count = component_of.iter().max().map_or(0, |&last| last as usize + 1);
    let mut components: Vec<Component> = Vec::with_capacity(count);
    for (first_triangle, (corners, &component)) in triangles.iter().zip(&component_of).enumerate() {
        if component as usize == components.len() {
            let sample = vertices[corners[0] as usize];
            let enclosure = Enclosure::DoubleSided;
            components.push(Component { enclosure, triangles: 0, open_edges: 0, sample, first_triangle, mesh: 0 });
        }
        components[component as usize].triangles += 1;
    }
    let boundary = boundaries(&sides, &component_of, count);
    let mut flips = vec![false; triangles.len()];
    let reoriented = orient(&sides, &component_of, &boundary, &mut flips);
    for (corners, flip) in triangles.iter_mut().zip(&flips) {
        if *flip {
            corners.swap(1, 2);
        }
    }
    let settled =
        if reoriented > 0 { boundaries(&sorted_sides(triangles, bounds), &component_of, count) } else { boundary };
    for group in sides.chunk_by(|a, b| a.edge == b.edge).filter(|group| group[0].edge.0 && group.len() % 2 == 1) {
        components[component_of[group[0].triangle as usize] as usize].open_edges += 1;
    }
    for (component, boundary) in components.iter_mut().zip(settled) {
        component.enclosure = match boundary {
            Boundary::None => Enclosure::DoubleSided,
            Boundary::Open => Enclosure::Open,
            Boundary::Unbalanced => Enclosure::Parity,
            Boundary::Closed => Enclosure::Oriented,
        };
    }
    folded::mark(vertices, triangles, &component_of, &mut components);
    if reoriented > 0 {
        turn_outward(vertices, triangles, &component_of, &flips, &components);
    }
    (component_of, components, reoriented)
}

/// Turns reoriented components outward if they lie in no other. The direction of most of their triangles does not show
/// which side is outside, and one that is inside out would hollow out another that it overlaps. Boxes show if one lies
/// in another.
fn turn_outward(
    vertices: &[DVec3],
    triangles: &mut [[u32; 3]],
    component_of: &[u32],
    flips: &[bool],
    components: &[Component],
) {
    #[derive(Clone)]
    struct Shell {
        is_reoriented: bool,
        /// Six times the signed volume.
        volume: f64,
        around: Aabb,
    }
    let empty = Shell { is_reoriented: false, volume: 0.0, around: Aabb::EMPTY };
    let mut shells = vec![empty; components.len()];
    for ((corners, &component), &flip) in triangles.iter().zip(component_of).zip(flips) {
        let origin = components[component as usize].sample;
        let corners = corners.map(|v| vertices[v as usize]);
        let [p, q, r] = corners.map(|corner| corner - origin);
        let shell = &mut shells[component as usize];
        shell.is_reoriented |= flip;
        shell.volume += p.dot(q.cross(r));
        shell.around = corners.into_iter().fold(shell.around, Aabb::with);
    }
    let is_closed = |number: usize| components[number].is_solid();
    let is_in_another = |number: usize| {
        let Aabb { min, max } = shells[number].around;
        let mut others = (0..shells.len()).filter(|&other| other != number && is_closed(other));
        others.any(|other| shells[other].around.contains(min) && shells[other].around.contains(max))
    };
    let turns = |number: usize| {
        let shell = &shells[number];
        let is_inward = components[number].enclosure == Enclosure::Oriented && shell.volume < 0.0;
        shell.is_reoriented && is_inward && !is_in_another(number)
    };
    let turned: Vec<bool> = (0..shells.len()).map(turns).collect();
    for (corners, &component) in triangles.iter_mut().zip(component_of) {
        if turned[component as usize] {
            corners.swap(1, 2);
        }
    }
}

fn sorted_sides(triangles: &[[u32; 3]], bounds: &[bool]) -> Vec<Side> {
    let mut sides = Vec::with_capacity(triangles.len() * 3);
    for (triangle, &[a, b, c]) in triangles.iter().enumerate() {
        for (u, v) in [(a, b), (b, c), (c, a)] {
            let edge = (u64::from(u.min(v)) << 32) | u64::from(u.max(v));
            sides.push(Side { edge: (bounds[triangle], edge), triangle: triangle as u32, forward: u < v });
        }
    }
    sides.sort_unstable_by_key(|side| (side.edge, side.triangle, side.forward));
    sides
}

/// Numbers the components in the order of their first triangle.
fn label(sides: &[Side], triangles: usize) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..triangles as u32).collect();
    fn root(parent: &mut [u32], mut i: u32) -> u32 {
        while parent[i as usize] != i {
            parent[i as usize] = parent[parent[i as usize] as usize];
            i = parent[i as usize];
        }
        i
    }
    for pair in sides.windows(2) {
        if pair[0].edge == pair[1].edge {
            let (a, b) = (root(&mut parent, pair[0].triangle), root(&mut parent, pair[1].triangle));
            // The smaller number becomes the root, so that the numbering does not depend on the order of joining.
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let mut number = vec![u32::MAX; triangles];
    let mut next = 0;
    (0..triangles as u32)
        .map(|i| {
            let root = root(&mut parent, i) as usize;
            if number[root] == u32::MAX {
                number[root] = next;
                next += 1;
            }
            number[root]
        })
        .collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Boundary {
    /// Its triangles bound nothing.
    None,
    /// Every directed edge is met by one the other way.
    Closed,
    /// Every edge has an even number of sides, but not as many each way.
    Unbalanced,
    /// Some edge has an odd number of sides.
    Open,
}

fn boundaries(sides: &[Side], component_of: &[u32], count: usize) -> Vec<Boundary> {
    let mut result = vec![Boundary::None; count];
    for group in sides.chunk_by(|a, b| a.edge == b.edge).filter(|group| group[0].edge.0) {
        let forward = group.iter().filter(|side| side.forward).count();
        let found = if group.len() % 2 == 1 {
            Boundary::Open
        } else if forward * 2 != group.len() {
            Boundary::Unbalanced
        } else {
            Boundary::Closed
        };
        let boundary = &mut result[component_of[group[0].triangle as usize] as usize];
        *boundary = match (*boundary, found) {
            (Boundary::Open, _) | (_, Boundary::Open) => Boundary::Open,
            (Boundary::Unbalanced, _) | (_, Boundary::Unbalanced) => Boundary::Unbalanced,
            _ => Boundary::Closed,
        };
    }
    result
}

/// Turns triangles of unbalanced components over until neighbours agree, the smaller set of each. Leaves a component
/// alone if an edge has more than two sides or no orientation exists. Returns the number turned over.
fn orient(sides: &[Side], component_of: &[u32], boundary: &[Boundary], flips: &mut [bool]) -> usize {
    if !boundary.contains(&Boundary::Unbalanced) {
        return 0;
    }
    let triangles = component_of.len();
    let mut possible: Vec<bool> = boundary.iter().map(|b| *b == Boundary::Unbalanced).collect();
    // neighbours[t]: up to three (triangle, true if both run the shared edge the same way).
    let mut neighbours: Vec<[(u32, bool); 3]> = vec![[(u32::MAX, false); 3]; triangles];
    let mut degree = vec![0u8; triangles];
    for group in sides.chunk_by(|a, b| a.edge == b.edge).filter(|group| group[0].edge.0) {
        if let [a, b] = group {
            for (from, to) in [(a, b), (b, a)] {
                let t = from.triangle as usize;
                neighbours[t][degree[t] as usize] = (to.triangle, a.forward == b.forward);
                degree[t] += 1;
            }
        } else {
            possible[component_of[group[0].triangle as usize] as usize] = false;
        }
    }
    let mut visited = vec![false; triangles];
    let mut turned_in_all = 0;
    for seed in 0..triangles {
        if visited[seed] || !possible[component_of[seed] as usize] {
            continue;
        }
        let (patch, consistent) = spread(seed, &neighbours, &degree, &mut visited, flips);
        let turned = patch.iter().filter(|&&t| flips[t as usize]).count();
        let keep_others = turned * 2 > patch.len();
        for &t in &patch {
            let flip = &mut flips[t as usize];
            *flip = consistent && (*flip != keep_others);
        }
        if consistent {
            turned_in_all += turned.min(patch.len() - turned);
        }
    }
    turned_in_all
}

/// Orients everything reachable from `seed` like it; false if that contradicts itself.
fn spread(
    seed: usize,
    neighbours: &[[(u32, bool); 3]],
    degree: &[u8],
    visited: &mut [bool],
    flips: &mut [bool],
) -> (Vec<u32>, bool) {
    let mut patch = vec![seed as u32];
    let mut consistent = true;
    visited[seed] = true;
    let mut next = 0;
    while next < patch.len() {
        let t = patch[next] as usize;
        next += 1;
        for &(other, same_way) in &neighbours[t][..degree[t] as usize] {
            let flip = flips[t] != same_way;
            let other = other as usize;
            if visited[other] {
                consistent &= flips[other] == flip;
            } else {
                visited[other] = true;
                flips[other] = flip;
                patch.push(other as u32);
            }
        }
    }
    (patch, consistent)
}
