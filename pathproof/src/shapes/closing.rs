//! Closes meshes that are meant to be solid: fills small holes with triangles, which then count like the others.
//!
//! The rim of the holes consists of the edges where an odd number of triangles meets. It is cut into loops, and each
//! loop is filled by a fan over its own corners. If the triangles agree on an orientation, so does the filling, and
//! the component has a winding number; otherwise crossings count by parity. Invariant: a filled component has no rim
//! left. O(n log n).

use std::collections::HashMap;

use thiserror::Error;

use super::components::{Component, Enclosure};
use super::{Aabb, Body, TriangleMesh, folded};
use crate::numeric::DVec3;

/// Largest hole that is filled, in metres: the diagonal of the box around its rim.
pub const LARGEST_HOLE: f64 = 0.01;

/// A hole that is too large to be filled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hole {
    /// The diagonal of the box around its rim, in metres.
    pub size: f64,
    /// A point of its rim.
    pub place: DVec3,
}

/// Reason why a mesh cannot be made a solid; reads on after "it has".
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum NotClosed {
    /// A hole is too large.
    #[error(
        "a hole of {:.3} m across at ({:.3}, {:.3}, {:.3}); holes of at most {LARGEST_HOLE} m are closed",
        .0.size, .0.place.x, .0.place.y, .0.place.z
    )]
    Hole(Hole),
    /// A component has no boundary and encloses nothing: its two sides cancel, but do not consist of the same
    /// triangles.
    #[error(
        "a double-sided part of {size:.3} m at ({:.3}, {:.3}, {:.3}) that encloses nothing: its two sides are cut into other \
         triangles, or it has no thickness",
        .place.x, .place.y, .place.z
    )]
    Folded {
        /// The diagonal of the box around it, in metres.
        size: f64,
        /// A vertex of it.
        place: DVec3,
    },
}

/// Surfaces without inside among a body's meshes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surfaces {
    /// Double-sided components.
    pub open: usize,
    /// Components with every triangle present in both orientations.
    pub double_sided: usize,
    /// Open edges of all of them.
    pub open_edges: usize,
    /// All components that have an area, and convex pieces.
    pub components: usize,
}

impl Body {
    /// Counts the surfaces among the body's meshes. Components without area (segments, points) are not counted.
    pub fn surfaces(&self) -> Surfaces {
        let found = Surfaces::of(self.triangles(), |triangle| self.component_of(triangle), self.components());
        Surfaces { components: found.components + self.pieces().len(), ..found }
    }
}

impl TriangleMesh {
    /// Counts the surfaces of the mesh. Components without area (segments, points) are not counted.
    pub fn surfaces(&self) -> Surfaces {
        Surfaces::of(&self.triangles, |triangle| self.component_of[triangle], &self.components)
    }
}

impl Surfaces {
    fn of(triangles: &[[u32; 3]], component_of: impl Fn(usize) -> u32, components: &[Component]) -> Self {
        let mut has_area = vec![false; components.len()];
        for (triangle, &[a, b, c]) in triangles.iter().enumerate() {
            has_area[component_of(triangle) as usize] |= a != b && b != c && c != a;
        }
        let mut found = Self::default();
        for (component, _) in components.iter().zip(has_area).filter(|(_, has_area)| *has_area) {
            found.components += 1;
            match component.enclosure {
                Enclosure::Open => {
                    found.open += 1;
                    found.open_edges += component.open_edges;
                }
                Enclosure::DoubleSided => found.double_sided += 1,
                Enclosure::Oriented | Enclosure::Parity => {}
            }
        }
        found
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.open + self.double_sided == 0
    }

    /// Description for warnings: `room (3 open edges)`.
    pub fn describe(&self, name: &str) -> String {
        let parts = if self.open + self.double_sided < self.components {
            format!("{} of {} parts, ", self.open + self.double_sided, self.components)
        } else {
            String::new()
        };
        match (self.open_edges, self.double_sided) {
            (0, _) => format!("{name} ({parts}double-sided)"),
            (edges, 0) => format!("{name} ({parts}{edges} open edges)"),
            (edges, _) => format!("{name} ({parts}{edges} open edges, some double-sided)"),
        }
    }
}

/// A triangle that closes a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Filling {
    pub(super) corners: [u32; 3],
    pub(super) component: u32,
}

/// The fillings of all components that are open or double-sided; updates their enclosures. An error names the largest
/// hole that is too large, or a component that encloses nothing. Of the latter, those no larger than a hole stay
/// surfaces.
pub(super) fn close(
    vertices: &[DVec3],
    triangles: &[[u32; 3]],
    component_of: &[u32],
    components: &mut [Component],
) -> Result<Vec<Filling>, NotClosed> {
    let mut fillings = Vec::new();
    let mut largest: Option<Hole> = None;
    let rims = rims(triangles, component_of, components);
    let mut shells: HashMap<u32, Vec<[DVec3; 3]>> =
        rims.iter().filter(|rim| rim.edges.is_empty()).map(|rim| (rim.component, Vec::new())).collect();
    for (corners, component) in triangles.iter().zip(component_of) {
        if let Some(shell) = shells.get_mut(component) {
            shell.push(corners.map(|v| vertices[v as usize]));
        }
    }
    let lines = folded::lines_for(shells.values().map(Vec::len).sum());
    for rim in rims {
        let folded = shells.get(&rim.component).filter(|shell| !folded::encloses(shell, Enclosure::Parity, lines));
        if let Some(shell) = folded {
            let size = Aabb::of(shell.iter().flatten().copied()).size().length();
            if size <= LARGEST_HOLE {
                continue;
            }
            return Err(NotClosed::Folded { size, place: components[rim.component as usize].sample });
        }
        for hole in loops(&rim) {
            let around = Aabb::of(hole.iter().map(|&v| vertices[v as usize]));
            let size = around.size().length();
            // Written so that NaN is too large.
            let is_small = size <= LARGEST_HOLE;
            if !is_small && largest.is_none_or(|known| !(size <= known.size)) {
                largest = Some(Hole { size, place: vertices[hole[0] as usize] });
            }
            let apex = hole[0];
            let fan = hole[1..].windows(2).map(|two| [apex, two[1], two[0]]);
            fillings.extend(fan.map(|corners| Filling { corners, component: rim.component }));
        }
        let enclosure = if rim.is_oriented { Enclosure::Oriented } else { Enclosure::Parity };
        components[rim.component as usize].enclosure = enclosure;
    }
    largest.map_or(Ok(fillings), |hole| Err(NotClosed::Hole(hole)))
}

/// The edges of a component where an odd number of triangles meets.
struct Rim {
    component: u32,
    /// In the direction of the unmatched triangle; in any direction if `is_oriented` is false.
    edges: Vec<[u32; 2]>,
    is_oriented: bool,
}

/// A rim for every component that is a surface and has an area.
fn rims(triangles: &[[u32; 3]], component_of: &[u32], components: &[Component]) -> Vec<Rim> {
    // Component, edge from the smaller index to the larger, and the direction of the triangle along it.
    let mut sides: Vec<(u32, [u32; 2], bool)> = Vec::new();
    for (&[a, b, c], &component) in triangles.iter().zip(component_of) {
        let is_degenerate = a == b || b == c || c == a;
        if !components[component as usize].is_solid() && !is_degenerate {
            sides.extend([(a, b), (b, c), (c, a)].map(|(u, v)| (component, [u.min(v), u.max(v)], u < v)));
        }
    }
    sides.sort_unstable();
    let mut rims: Vec<Rim> = Vec::new();
    for group in sides.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
        let (component, [u, v], _) = group[0];
        if rims.last().is_none_or(|rim| rim.component != component) {
            let is_oriented = components[component as usize].enclosure == Enclosure::Open;
            rims.push(Rim { component, edges: Vec::new(), is_oriented });
        }
        let Some(rim) = rims.last_mut() else { continue };
        let forward = group.iter().filter(|side| side.2).count();
        let backward = group.len() - forward;
        rim.is_oriented &= forward.abs_diff(backward) == group.len() % 2;
        if group.len() % 2 == 1 {
            rim.edges.push(if forward > backward { [u, v] } else { [v, u] });
        }
    }
    rims
}

/// Cuts a rim into loops that meet no corner twice. A corner has as many edges in as out (or an even number in all),
/// so every walk returns to its start.
fn loops(rim: &Rim) -> Vec<Vec<u32>> {
    let mut from: HashMap<u32, Vec<usize>> = HashMap::new();
    for (index, &[u, v]) in rim.edges.iter().enumerate() {
        from.entry(u).or_default().push(index);
        if !rim.is_oriented {
            from.entry(v).or_default().push(index);
        }
    }
    let mut is_used = vec![false; rim.edges.len()];
    let mut found = Vec::new();
    for &[start, _] in &rim.edges {
        let mut walk = vec![start];
        let mut place = HashMap::from([(start, 0)]);
        while let Some(&corner) = walk.last() {
            let leaving = from.get_mut(&corner);
            let Some(edge) = leaving.and_then(|edges| std::iter::from_fn(|| edges.pop()).find(|&edge| !is_used[edge]))
            else {
                break;
            };
            is_used[edge] = true;
            let [u, v] = rim.edges[edge];
            let next = if u == corner { v } else { u };
            match place.get(&next) {
                Some(&first) => {
                    found.push(walk[first..].to_vec());
                    for passed in walk.drain(first + 1..) {
                        place.remove(&passed);
                    }
                }
                None => {
                    place.insert(next, walk.len());
                    walk.push(next);
                }
            }
        }
        debug_assert!(walk.len() == 1, "a rim has no end");
    }
    found
}
