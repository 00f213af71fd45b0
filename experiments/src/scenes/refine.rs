//! More triangles on the same surface: longest edges are halved until a mesh has a wanted count.
//!
//! Invariant: both triangles at an edge are split at the same vertex, so that a closed mesh stays closed and the
//! surface does not change. O(n log n).

use std::collections::{BinaryHeap, HashMap};

use crate::bodies::Mesh;

use super::Obstacle;

/// Halves longest edges until the next split would pass `target` triangles. A closed mesh gains two at a time.
pub(crate) fn refine(mesh: &Mesh, target: usize) -> Mesh {
    let (mut vertices, mut triangles) = mesh.clone();
    // Only looked up, never iterated: the order of the table does not affect the result.
    let mut triangle_at: HashMap<[u32; 2], usize> = HashMap::new();
    let mut longest = BinaryHeap::new();
    let entry = |vertices: &[glam::DVec3], a: u32, b: u32| {
        let squared = (vertices[a as usize] - vertices[b as usize]).length_squared();
        (squared.to_bits(), a.min(b), a.max(b)) // bits of non-negative floats are ordered like them
    };
    for (index, t) in triangles.iter().enumerate() {
        for k in 0..3 {
            let [a, b] = [t[k], t[(k + 1) % 3]];
            triangle_at.insert([a, b], index);
            longest.push(entry(&vertices, a, b));
        }
    }
    while let Some((_, a, b)) = longest.pop() {
        let sides: Vec<[u32; 2]> = [[a, b], [b, a]].into_iter().filter(|e| triangle_at.contains_key(e)).collect();
        if sides.is_empty() {
            continue; // split already: the entry was there once for each of its triangles
        }
        if triangles.len() + sides.len() > target {
            break;
        }
        let middle = vertices.len() as u32;
        vertices.push(0.5 * (vertices[a as usize] + vertices[b as usize]));
        longest.extend([entry(&vertices, a, middle), entry(&vertices, middle, b)]);
        for [from, to] in sides {
            let Some(index) = triangle_at.remove(&[from, to]) else { continue };
            let apex = triangles[index].into_iter().find(|v| *v != from && *v != to).unwrap_or(from);
            let added = triangles.len();
            triangles[index] = [from, middle, apex];
            triangles.push([middle, to, apex]);
            triangle_at.insert([from, middle], index);
            triangle_at.insert([middle, apex], index);
            triangle_at.insert([middle, to], added);
            triangle_at.insert([to, apex], added);
            triangle_at.insert([apex, middle], added);
            longest.push(entry(&vertices, middle, apex));
        }
    }
    (vertices, triangles)
}

/// Refines the obstacles, each in proportion to the triangles it has, to `target` in total.
pub(crate) fn refine_all(obstacles: &mut [Obstacle], target: usize) {
    let natural: usize = obstacles.iter().map(|o| o.mesh.1.len()).sum();
    assert!(natural <= target, "{natural} triangles are more than the {target} wanted");
    let (mut done, mut wanted) = (0, 0);
    for obstacle in obstacles {
        // Triangles that one body could not take (parity) go to the next one.
        wanted += obstacle.mesh.1.len();
        let share = (wanted as u128 * target as u128 / natural as u128) as usize;
        obstacle.mesh = refine(&obstacle.mesh, share - done);
        done += obstacle.mesh.1.len();
    }
}

/// The mesh without vertices that no triangle uses.
pub(crate) fn compact(mesh: &Mesh) -> Mesh {
    let mut new_index = vec![u32::MAX; mesh.0.len()];
    let mut vertices = Vec::new();
    let triangles = mesh.1.iter().map(|t| {
        t.map(|v| {
            if new_index[v as usize] == u32::MAX {
                new_index[v as usize] = vertices.len() as u32;
                vertices.push(mesh.0[v as usize]);
            }
            new_index[v as usize]
        })
    });
    let triangles = triangles.collect();
    (vertices, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::{cuboid, cylinder, open_edge, signed_volume, torus};
    use glam::DVec3;

    #[test]
    fn refining_keeps_a_mesh_closed_and_its_volume_and_meets_the_count() {
        let bodies = [cuboid(DVec3::new(1.0, 2.0, 3.0)), cylinder(0.1, 0.2, 2.0, 9), torus(1.0, 0.2, 12, 6)];
        for mesh in bodies {
            for target in [mesh.1.len(), 200, 201, 1_000, 2_998] {
                let fine = refine(&mesh, target);
                assert_eq!(fine.1.len(), target & !1);
                assert_eq!(open_edge(&fine), None);
                assert!((signed_volume(&fine) / signed_volume(&mesh) - 1.0).abs() < 1e-12);
            }
        }
    }
}
