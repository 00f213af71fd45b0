//! A closed surface of triangles around the origin, inside {b − a}, that grows by one vertex at a time.
//!
//! Invariant: every edge is shared by two triangles in opposite directions. A face's `height` is the least of
//! normal·vertex over its corners: no point of the face is nearer to the origin, however rough the normal of a needle
//! is. If all heights are above r ≥ 0 the ball of radius r does not meet the surface, so the surface winds around all
//! of it as often as around the origin, and that is decided exactly ([`Polytope::winds_around_the_origin`]): then the
//! ball lies in the hull of the vertices. No convexity is needed: rounding in choosing visible faces costs progress,
//! not soundness.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use robust::{Coord3D, orient3d};

use crate::distance::gjk::search::Vertex;
use crate::distance::gjk::simplex::nearest;
use crate::numeric::{DVec3, least, unit};

#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    /// Counterclockwise from outside.
    pub(super) corners: [u32; 3],
    /// `across[i]` shares the edge from corner i to corner i + 1.
    across: [u32; 3],
    /// Outward unit normal.
    pub(super) normal: DVec3,
    /// Least normal·corner.
    pub(super) height: f64,
    alive: bool,
}

/// Orders the queue by height, then by age, so that runs repeat.
#[derive(Clone, Copy, PartialEq)]
struct Entry(f64, u32);

impl Eq for Entry {}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

pub(super) struct Polytope {
    pub(super) vertices: Vec<Vertex>,
    faces: Vec<Face>,
    queue: BinaryHeap<Reverse<Entry>>,
    stack: Vec<u32>,
    rim: Vec<(u32, u32, u32)>,
}

impl Polytope {
    /// A tetrahedron; `None` if it is flat.
    pub(super) fn new(mut corners: [Vertex; 4]) -> Option<Self> {
        let [p, q, r, s] = corners.map(|v| v.w);
        if (q - p).cross(r - p).dot(s - p) > 0.0 {
            corners.swap(1, 2);
        }
        let mut polytope = Self {
            vertices: corners.to_vec(),
            faces: Vec::new(),
            queue: BinaryHeap::new(),
            stack: Vec::new(),
            rim: Vec::new(),
        };
        for (corners, across) in
            [([0, 1, 2], [1, 2, 3]), ([1, 0, 3], [0, 3, 2]), ([2, 1, 3], [0, 1, 3]), ([0, 2, 3], [0, 2, 1])]
        {
            let face = polytope.face(corners, across)?;
            polytope.push(face);
        }
        Some(polytope)
    }

    fn face(&self, corners: [u32; 3], across: [u32; 3]) -> Option<Face> {
        let w @ [p, q, r] = corners.map(|v| self.vertices[v as usize].w);
        // The two shorter edges lose the fewest digits.
        let (pq, qr, rp) = (q - p, r - q, p - r);
        let (a, b, c) = (pq.length_squared(), qr.length_squared(), rp.length_squared());
        let cross = if a >= b && a >= c {
            qr.cross(rp)
        } else if b >= c {
            rp.cross(pq)
        } else {
            pq.cross(qr)
        };
        let normal = unit(cross)?;
        let height = w.map(|w| normal.dot(w)).into_iter().fold(f64::INFINITY, least);
        Some(Face { corners, across, normal, height, alive: true })
    }

    fn push(&mut self, face: Face) {
        self.queue.push(Reverse(Entry(face.height, self.faces.len() as u32)));
        self.faces.push(face);
    }

    /// The live face with the least height.
    pub(super) fn lowest(&mut self) -> (u32, Face) {
        loop {
            let Some(&Reverse(Entry(_, index))) = self.queue.peek() else {
                unreachable!("a closed surface has faces");
            };
            let face = self.faces[index as usize];
            if face.alive {
                return (index, face);
            }
            self.queue.pop();
        }
    }

    /// The corners of the face that comes nearest to the origin, among those no higher than `height`: where several
    /// lie in one plane, the foot of the origin is in one of them only.
    pub(super) fn nearest_to_origin(&self, height: f64) -> [Vertex; 3] {
        let low = self.faces.iter().filter(|face| face.alive && face.height <= height);
        let corners = low.map(|face| face.corners.map(|v| self.vertices[v as usize]));
        let distance = |corners: &[Vertex; 3]| nearest(&corners.map(|v| v.w)).height;
        corners.min_by(|x, y| distance(x).total_cmp(&distance(y))).expect("the lowest face is among them")
    }

    /// True if the origin is strictly below every face, decided exactly: then all faces turn the same way about it,
    /// and the surface winds around it.
    pub(super) fn winds_around_the_origin(&self) -> bool {
        let origin = Coord3D { x: 0.0, y: 0.0, z: 0.0 };
        self.faces.iter().filter(|face| face.alive).all(|face| {
            let [a, b, c] = face.corners.map(|v| {
                let DVec3 { x, y, z } = self.vertices[v as usize].w;
                Coord3D { x, y, z }
            });
            orient3d(a, b, c, origin) > 0.0
        })
    }

    /// Replaces the faces that `vertex` sees, starting at `first`, by a fan to it. `false` if the rim is not one loop
    /// or a new face would be degenerate; the surface is then unchanged. Faces that the vertex is above by less than
    /// `noise` are not seen.
    pub(super) fn grow(&mut self, vertex: Vertex, first: u32, noise: f64) -> bool {
        self.find_rim(vertex.w, first, noise);
        let eye = self.vertices.len() as u32;
        self.vertices.push(vertex);
        let first_new = self.faces.len() as u32;
        let mut rim = std::mem::take(&mut self.rim);
        let whole = sort_into_loop(&mut rim);
        let count = rim.len() as u32;
        let fan: Option<Vec<Face>> = whole
            .then(|| {
                (0..count)
                    .map(|i| {
                        let (a, b, outer) = rim[i as usize];
                        let (next, last) = ((i + 1) % count, (i + count - 1) % count);
                        self.face([a, b, eye], [outer, first_new + next, first_new + last])
                    })
                    .collect()
            })
            .flatten();
        let grown = fan.is_some();
        match fan {
            Some(fan) => {
                for (new, &(_, b, outer)) in (first_new..).zip(&rim) {
                    let outer = &mut self.faces[outer as usize];
                    for i in 0..3 {
                        if outer.corners[i] == b
                            && outer.corners[(i + 1) % 3] == fan[(new - first_new) as usize].corners[0]
                        {
                            outer.across[i] = new;
                        }
                    }
                }
                fan.into_iter().for_each(|face| self.push(face));
            }
            None => {
                self.vertices.pop();
                self.stack.iter().for_each(|&f| self.faces[f as usize].alive = true);
            }
        }
        self.rim = rim;
        grown
    }

    /// Kills the visible faces (listed in `stack`) and lists their rim.
    fn find_rim(&mut self, w: DVec3, first: u32, noise: f64) {
        self.stack.clear();
        self.rim.clear();
        self.stack.push(first);
        self.faces[first as usize].alive = false;
        let mut next = 0;
        while let Some(&f) = self.stack.get(next) {
            next += 1;
            for other in self.faces[f as usize].across {
                let face = &mut self.faces[other as usize];
                if face.alive && face.normal.dot(w) > face.height + noise {
                    face.alive = false;
                    self.stack.push(other);
                }
            }
        }
        for &f in &self.stack {
            let Face { corners, across, .. } = self.faces[f as usize];
            for i in 0..3 {
                if self.faces[across[i] as usize].alive {
                    self.rim.push((corners[i], corners[(i + 1) % 3], across[i]));
                }
            }
        }
    }
}

/// Orders the edges end to end; `false` if they are not a single loop.
fn sort_into_loop(rim: &mut [(u32, u32, u32)]) -> bool {
    if rim.len() < 3 {
        return false;
    }
    for i in 1..rim.len() {
        let end = rim[i - 1].1;
        let Some(next) = (i..rim.len()).find(|&j| rim[j].0 == end) else { return false };
        rim.swap(i, next);
    }
    let starts = |v: u32| rim.iter().filter(|edge| edge.0 == v).count();
    rim[rim.len() - 1].1 == rim[0].0 && rim.iter().all(|edge| starts(edge.0) == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A surface with only positive face heights once counted as one around the origin, however rough its normals.
    #[test]
    fn only_a_surface_around_the_origin_winds_around_it() {
        let corner = |x: f64, y: f64, z: f64| Vertex { w: DVec3::new(x, y, z), ..Vertex::default() };
        let around = |shift: f64| {
            let corners =
                [corner(shift, 0.0, -1.0), corner(1.0, 0.0, 1.0), corner(-1.0, 1.0, 1.0), corner(-1.0, -1.0, 1.0)];
            Polytope::new(corners).expect("not flat").winds_around_the_origin()
        };
        assert!(around(0.0));
        assert!(!around(3.0), "beside it");
        let touching = [corner(0.0, 0.0, 0.0), corner(1.0, 0.0, 0.0), corner(0.0, 1.0, 0.0), corner(0.0, 0.0, 1.0)];
        assert!(!Polytope::new(touching).expect("not flat").winds_around_the_origin(), "a corner at the origin");
        let flat = [corner(1.0, -1.0, 0.0), corner(-1.0, -1.0, 0.0), corner(0.0, 1.0, 0.0), corner(0.0, 0.0, 1.0)];
        assert!(!Polytope::new(flat).expect("not flat").winds_around_the_origin(), "a face through the origin");
    }
}
