//! Triangle meshes: validated, identical vertices merged, repeated triangles dropped and counted, and split
//! into connected components that are each solid or a surface (docs/design.md#solids).
//!
//! Invariant: no point of the input's surface is lost. A degenerate triangle is dropped only if a kept triangle holds
//! its edge; a triangle that occurs several times stays once. O(n log n).

use std::collections::HashMap;

use super::closing::{self, NotClosed};
use super::components::{self, Component};
use super::{Aabb, MAX_COORDINATE, ShapeError};
use crate::numeric::DVec3;

/// Changes made by construction; none of them alters the surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleaning {
    /// Vertices with the same coordinates as an earlier one.
    pub merged_vertices: usize,
    /// Triangles with two equal vertices and an edge that a kept triangle has: dropped.
    pub degenerate_dropped: usize,
    /// Triangles with two equal vertices that no other triangle covers: kept, as segments or points.
    pub degenerate_kept: usize,
    /// Triangles with the same three vertices as an earlier one: dropped.
    pub duplicates_dropped: usize,
    /// Triangles turned over so that a closed component is oriented consistently.
    pub reoriented: usize,
}

/// A triangle mesh.
///
/// ```
/// use pathproof::shapes::TriangleMesh;
/// use pathproof::numeric::DVec3;
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let mesh = TriangleMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])?;
/// assert!(mesh.components()[0].is_solid());
/// assert!(mesh.is_inside(DVec3::splat(0.1)));
/// # Ok::<(), pathproof::shapes::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TriangleMesh {
    pub(super) vertices: Vec<DVec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// Component of each triangle.
    pub(super) component_of: Vec<u32>,
    pub(super) components: Vec<Component>,
    cleaning: Cleaning,
}

impl TriangleMesh {
    /// Validates and cleans a mesh.
    pub fn new(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, ShapeError> {
        validate(&vertices, &triangles)?;
        let mut cleaning = Cleaning::default();
        let (vertices, triangles) = merge_vertices(vertices, triangles, &mut cleaning);
        let (mut triangles, bounds) = drop_repeated(triangles, &mut cleaning);
        let (component_of, components, reoriented) = components::find(&vertices, &mut triangles, &bounds);
        cleaning.reoriented = reoriented;
        Ok(Self { vertices, triangles, component_of, components, cleaning })
    }

    /// The same mesh as a solid: holes of at most [`LARGEST_HOLE`](super::LARGEST_HOLE) are closed by triangles like
    /// the others, after them, and components with every triangle in both orientations count once. An error if a hole
    /// is larger, or if a component still encloses nothing.
    pub fn closed(mut self) -> Result<Self, NotClosed> {
        for filling in closing::close(&self.vertices, &self.triangles, &self.component_of, &mut self.components)? {
            self.triangles.push(filling.corners);
            self.component_of.push(filling.component);
            self.components[filling.component as usize].triangles += 1;
        }
        Ok(self)
    }

    /// The vertices that triangles refer to, each once.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The triangles as indices into [`Self::vertices`].
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The connected components.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// Changes made by construction.
    pub fn cleaning(&self) -> Cleaning {
        self.cleaning
    }

    /// The corners of triangle `i`.
    #[inline]
    pub fn corners(&self, i: usize) -> [DVec3; 3] {
        self.triangles[i].map(|v| self.vertices[v as usize])
    }

    /// The box of all vertices.
    pub fn aabb(&self) -> Aabb {
        Aabb::of(self.vertices.iter().copied())
    }
}

fn validate(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<(), ShapeError> {
    if triangles.is_empty() {
        return Err(ShapeError::Empty("triangles"));
    }
    for (vertex, p) in vertices.iter().enumerate() {
        if let Some(&value) = p.to_array().iter().find(|c| !(c.abs() < MAX_COORDINATE)) {
            return Err(ShapeError::BadCoordinate { vertex, value });
        }
    }
    for (triangle, corners) in triangles.iter().enumerate() {
        if let Some(&index) = corners.iter().find(|&&v| v as usize >= vertices.len()) {
            return Err(ShapeError::BadIndex { triangle, index: u64::from(index), vertices: vertices.len() });
        }
    }
    Ok(())
}

/// Merges vertices with identical coordinates, in the order of first use by a triangle; drops vertices that no
/// triangle uses (they are not part of the surface).
fn merge_vertices(
    vertices: Vec<DVec3>,
    mut triangles: Vec<[u32; 3]>,
    cleaning: &mut Cleaning,
) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    const UNSEEN: u32 = u32::MAX;
    let mut number_of = vec![UNSEEN; vertices.len()];
    let mut by_coordinates: HashMap<[u64; 3], u32> = HashMap::with_capacity(vertices.len());
    let mut merged = Vec::new();
    for index in triangles.iter_mut().flatten() {
        let number = &mut number_of[*index as usize];
        if *number == UNSEEN {
            // Adding zero makes −0 and +0 the same coordinate.
            let p = vertices[*index as usize] + DVec3::ZERO;
            let next = merged.len() as u32;
            *number = *by_coordinates.entry(p.to_array().map(f64::to_bits)).or_insert(next);
            if *number == next {
                merged.push(p);
            } else {
                cleaning.merged_vertices += 1;
            }
        }
        *index = *number;
    }
    (merged, triangles)
}

/// Keeps each triangle once, with a flag that is false if it bounds nothing: it is degenerate or occurs as often one
/// way as the other.
fn drop_repeated(triangles: Vec<[u32; 3]>, cleaning: &mut Cleaning) -> (Vec<[u32; 3]>, Vec<bool>) {
    let mut kept: Vec<[u32; 3]> = Vec::with_capacity(triangles.len());
    let mut net: Vec<i64> = Vec::with_capacity(triangles.len());
    let mut seen: HashMap<[u32; 3], u32> = HashMap::with_capacity(triangles.len());
    let mut degenerate = Vec::new();
    for corners in triangles {
        let [a, b, c] = corners;
        if a == b || b == c || c == a {
            degenerate.push(corners);
            continue;
        }
        let mut key = corners;
        key.sort_unstable();
        let is_even = [key, [key[1], key[2], key[0]], [key[2], key[0], key[1]]].contains(&corners);
        let sign = if is_even { 1 } else { -1 };
        let next = kept.len() as u32;
        let index = *seen.entry(key).or_insert(next);
        if index == next {
            kept.push(key);
            net.push(sign);
        } else {
            net[index as usize] += sign;
            cleaning.duplicates_dropped += 1;
        }
    }
    let mut bounds: Vec<bool> = Vec::with_capacity(kept.len());
    for (corners, net) in kept.iter_mut().zip(&net) {
        if *net < 0 {
            corners.swap(1, 2);
        }
        bounds.push(*net != 0);
    }
    settle_degenerate(degenerate, &mut kept, &mut bounds, cleaning);
    (kept, bounds)
}

/// Drops degenerate triangles that a kept one covers; the others stay, as segments or points, each once.
fn settle_degenerate(
    degenerate: Vec<[u32; 3]>,
    kept: &mut Vec<[u32; 3]>,
    bounds: &mut Vec<bool>,
    cleaning: &mut Cleaning,
) {
    if degenerate.is_empty() {
        return;
    }
    // A segment is keyed by its ends, a point by itself twice.
    let mut covered: std::collections::HashSet<[u32; 2]> = std::collections::HashSet::new();
    for [a, b, c] in kept.iter() {
        for (u, v) in [(a, b), (b, c), (c, a)] {
            covered.insert([*u.min(v), *u.max(v)]);
            covered.insert([*u, *u]);
        }
    }
    for corners in degenerate {
        let (low, high) = (*corners.iter().min().unwrap_or(&0), *corners.iter().max().unwrap_or(&0));
        if covered.insert([low, high]) {
            kept.push([low, high, high]);
            bounds.push(false);
            cleaning.degenerate_kept += 1;
        } else {
            cleaning.degenerate_dropped += 1;
        }
    }
}
