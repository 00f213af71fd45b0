//! Inside tests: the winding number by counting signed crossings of a ray along +x.
//!
//! Rays through edges and vertices are settled by moving the ray's origin by an infinitesimal (ε, ε²) in
//! (y, z) and by exact predicates (the `robust` crate), so that the count is exact for every point that does
//! not lie on the surface itself.

use robust::{Coord, Coord3D, orient2d, orient3d};

use super::TriangleMesh;
use super::components::{Component, Enclosure};
use crate::numeric::DVec3;

/// Crossing of a triangle by a ray from a point along +x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossing {
    /// No crossing.
    None,
    /// It leaves through it: the triangle's normal has a positive x component.
    Out,
    /// It enters through it.
    In,
    /// The point lies on the triangle.
    OnSurface,
}

/// The crossing of the triangle by the ray from `p` along +x.
pub fn crossing(p: DVec3, [a, b, c]: [DVec3; 3]) -> Crossing {
    if a.x < p.x && b.x < p.x && c.x < p.x {
        return Crossing::None;
    }
    if is_on(p, [a, b, c]) {
        return Crossing::OnSurface;
    }
    let turns = edge_crossing(p, a, b) + edge_crossing(p, b, c) + edge_crossing(p, c, a);
    if turns == 0 {
        return Crossing::None;
    }
    let coord = |v: DVec3| Coord3D { x: v.x, y: v.y, z: v.z };
    // Positive where p lies below the plane seen with a, b, c anticlockwise.
    let below = orient3d(coord(a), coord(b), coord(c), coord(p));
    if below == 0.0 {
        Crossing::OnSurface
    } else if turns > 0 && below > 0.0 {
        Crossing::Out
    } else if turns < 0 && below < 0.0 {
        Crossing::In
    } else {
        Crossing::None
    }
}

/// True if `p` is a point of the triangle, including edges, corners and degenerate triangles; exact. A ray within the
/// triangle's plane never crosses it, so the crossings do not show this.
fn is_on(p: DVec3, [a, b, c]: [DVec3; 3]) -> bool {
    let is_near = p.cmpge(a.min(b).min(c)).all() && p.cmple(a.max(b).max(c)).all();
    if !is_near {
        return false;
    }
    let coord = |v: DVec3| Coord3D { x: v.x, y: v.y, z: v.z };
    // In the plane, and not outside an edge in any projection along an axis.
    orient3d(coord(a), coord(b), coord(c), coord(p)) == 0.0
        && [(0, 1), (1, 2), (2, 0)].iter().all(|&(i, j)| {
            let flat = |v: DVec3| Coord { x: v[i], y: v[j] };
            let side = |u: DVec3, v: DVec3| orient2d(flat(u), flat(v), flat(p));
            let sides = [side(a, b), side(b, c), side(c, a)];
            !(sides.iter().any(|s| *s > 0.0) && sides.iter().any(|s| *s < 0.0))
        })
}

/// Signed crossing of the edge from `u` to `v` with the ray from `p` along +y in the (y, z) plane.
pub(super) fn edge_crossing(p: DVec3, u: DVec3, v: DVec3) -> i32 {
    let (u_above, v_above) = (u.z > p.z, v.z > p.z);
    if u_above == v_above {
        return 0;
    }
    let coord = |q: DVec3| Coord { x: q.y, y: q.z };
    let side = orient2d(coord(u), coord(v), coord(p));
    if v_above && side > 0.0 {
        1
    } else if u_above && side < 0.0 {
        -1
    } else {
        0
    }
}

/// The running count of one point's crossings with the components of a body.
#[derive(Clone, Debug, Default)]
pub struct WindingCount {
    /// Non-zero winding numbers of the meshes crossed so far. Each mesh counts separately: one that is inside out must
    /// not cancel another that it overlaps.
    windings: Vec<(u32, i64)>,
    /// Components judged by parity that were crossed an odd number of times so far. Such components are rare.
    odd: Vec<u32>,
    /// A component on whose surface the point lies.
    touched: Option<u32>,
}

impl WindingCount {
    /// Counts one triangle of mesh number `mesh`, of the component with number `component` that encloses `enclosure`.
    pub fn add(&mut self, mesh: u32, component: u32, enclosure: Enclosure, crossing: Crossing) {
        match (crossing, enclosure) {
            (Crossing::None, _) => {}
            (Crossing::OnSurface, _) => self.touched = Some(component),
            (Crossing::Out, Enclosure::Oriented) => self.turn(mesh, 1),
            (Crossing::In, Enclosure::Oriented) => self.turn(mesh, -1),
            (_, Enclosure::Parity) => match self.odd.iter().position(|c| *c == component) {
                Some(place) => drop(self.odd.swap_remove(place)),
                None => self.odd.push(component),
            },
            (_, Enclosure::Open | Enclosure::DoubleSided) => {}
        }
    }

    fn turn(&mut self, mesh: u32, by: i64) {
        match self.windings.iter().position(|(known, _)| *known == mesh) {
            Some(place) => {
                self.windings[place].1 += by;
                if self.windings[place].1 == 0 {
                    self.windings.swap_remove(place);
                }
            }
            None => self.windings.push((mesh, by)),
        }
    }

    /// True if the point is in a solid, or on a surface: then it is in contact whatever the winding.
    pub fn is_inside(&self) -> bool {
        !self.windings.is_empty() || !self.odd.is_empty() || self.touched.is_some()
    }

    /// Index of a counted component that the point is in or on; `None` if it is outside.
    pub fn component(&self, components: &[Component]) -> Option<usize> {
        let by_mesh = self.windings.iter().filter_map(|(mesh, _)| {
            components.iter().position(|c| c.mesh == *mesh && c.enclosure == Enclosure::Oriented)
        });
        let others = self.odd.iter().chain(&self.touched).map(|component| *component as usize);
        by_mesh.chain(others).min()
    }
}

impl TriangleMesh {
    /// True if `p` lies in the region that the mesh encloses, or on its surface. Tests every triangle; trees give the
    /// same answer faster.
    pub fn is_inside(&self, p: DVec3) -> bool {
        let mut count = WindingCount::default();
        for (i, &component) in self.component_of.iter().enumerate() {
            let enclosure = self.components[component as usize].enclosure;
            count.add(0, component, enclosure, crossing(p, self.corners(i)));
        }
        count.is_inside()
    }
}
