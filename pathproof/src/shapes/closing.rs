//! Closes what is meant to be solid: small holes of a mesh are filled with triangles, which then count like the others.
//!
//! The rim of the holes is where an odd number of triangles meets an edge. It is cut into loops, and each loop is filled
//! by a fan over its own corners. Where the triangles agree on an orientation, so does the filling, and the component has
//! a winding number; else crossings count by parity. Invariant: what is filled has no rim left. O(n log n).

use std::collections::HashMap;

use super::components::{Component, Enclosure};
use super::{Aabb, Body};
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

/// What of a body's meshes are surfaces without inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surfaces {
    /// Components that have a boundary.
    pub open: usize,
    /// Components whose triangles are there both ways.
    pub double_sided: usize,
    /// Open edges of all of them.
    pub open_edges: usize,
    /// All components that have an area, and convex pieces.
    pub components: usize,
}

impl Body {
    /// What of the body's meshes are surfaces. Components without area (segments, points) are not counted.
    pub fn surfaces(&self) -> Surfaces {
        let mut has_area = vec![false; self.components().len()];
        for (triangle, &[a, b, c]) in self.triangles().iter().enumerate() {
            has_area[self.component_of(triangle) as usize] |= a != b && b != c && c != a;
        }
        let mut found = Surfaces { components: self.pieces().len(), ..Surfaces::default() };
        for (component, _) in self.components().iter().zip(has_area).filter(|(_, has_area)| *has_area) {
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
}

/// A triangle that closes a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Filling {
    pub(super) corners: [u32; 3],
    pub(super) component: u32,
}

/// The fillings of all components that are open or double-sided, whose enclosures change with it; or the largest of the
/// holes that are too large.
pub(super) fn close(
    vertices: &[DVec3],
    triangles: &[[u32; 3]],
    component_of: &[u32],
    components: &mut [Component],
) -> Result<Vec<Filling>, Hole> {
    let mut fillings = Vec::new();
    let mut largest: Option<Hole> = None;
    for rim in rims(triangles, component_of, components) {
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
    largest.map_or(Ok(fillings), Err)
}

/// The edges of a component where an odd number of triangles meets.
struct Rim {
    component: u32,
    /// In the direction of the triangle that has no other against it; in any where `is_oriented` is false.
    edges: Vec<[u32; 2]>,
    is_oriented: bool,
}

/// A rim for every component that is a surface and has an area.
fn rims(triangles: &[[u32; 3]], component_of: &[u32], components: &[Component]) -> Vec<Rim> {
    // Component, edge from the smaller number to the larger, and whether the triangle runs it that way.
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

/// Cuts a rim into loops that meet no corner twice. As many edges lead to a corner as away from it (or an even number
/// meets there), so every walk comes back.
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
