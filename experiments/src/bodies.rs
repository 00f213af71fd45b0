//! Generated bodies: closed triangle meshes, wound outward, the same bits on every machine.
//!
//! Invariant: every directed edge of a mesh made here is matched by its reverse (closed) and the signed
//! volume is positive (outward). Metres throughout.

use std::f64::consts::TAU;

use glam::DVec3;
use pathproof::numeric::{Pose, Random, sin_cos};

/// Vertices and triangles that index them, counter-clockwise seen from outside.
pub(crate) type Mesh = (Vec<DVec3>, Vec<[u32; 3]>);

/// A ring torus about z: `2 · n_u · n_v` triangles, `n_u` around the axis, `n_v` around the tube.
pub(crate) fn torus(major: f64, minor: f64, n_u: u32, n_v: u32) -> Mesh {
    let mut vertices = Vec::with_capacity((n_u * n_v) as usize);
    for u in 0..n_u {
        let (su, cu) = sin_cos(TAU * f64::from(u) / f64::from(n_u));
        for v in 0..n_v {
            let (sv, cv) = sin_cos(TAU * f64::from(v) / f64::from(n_v));
            let r = major + minor * cv;
            vertices.push(DVec3::new(r * cu, r * su, minor * sv));
        }
    }
    let mut triangles = Vec::with_capacity(2 * (n_u * n_v) as usize);
    for u in 0..n_u {
        for v in 0..n_v {
            let (a, b) = (u * n_v, (u + 1) % n_u * n_v);
            let w = (v + 1) % n_v;
            triangles.extend([[a + v, b + v, b + w], [a + v, b + w, a + w]]);
        }
    }
    (vertices, triangles)
}

/// A hilly square `size` wide, an open surface of `2n²` triangles within ±`height`/2 of z = 0.
pub(crate) fn terrain(size: f64, height: f64, n: u32, seed: u64) -> Mesh {
    let mut random = Random::new(seed);
    // Octaves of plane waves: rough at every scale, yet smooth enough to have neighbourhoods.
    let waves: Vec<[f64; 4]> = (0..24)
        .map(|k| {
            let frequency = 1.5 * 1.17f64.powi(k);
            let (s, c) = sin_cos(random.between(0.0, TAU));
            [frequency * c * TAU / size, frequency * s * TAU / size, random.between(0.0, TAU), 1.0 / frequency]
        })
        .collect();
    let total: f64 = waves.iter().map(|w| w[3]).sum();
    let top = |i: u32, j: u32| {
        let x = size * (f64::from(i) / f64::from(n) - 0.5);
        let y = size * (f64::from(j) / f64::from(n) - 0.5);
        let sum: f64 = waves.iter().map(|w| w[3] * sin_cos(w[0] * x + w[1] * y + w[2]).0).sum();
        DVec3::new(x, y, 0.5 * height * sum / total)
    };
    let vertices: Vec<DVec3> = (0..=n).flat_map(|i| (0..=n).map(move |j| (i, j))).map(|(i, j)| top(i, j)).collect();
    let at = |i: u32, j: u32| i * (n + 1) + j;
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in 0..n {
            let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    (vertices, triangles)
}

/// The same hills on a flat floor at z = −`height`, with walls: `2n² + 12n` triangles. The floor is a fan of `4n`
/// slivers, each `size`/2 long, from one point: their boxes overlap in any tree.
pub(crate) fn closed_terrain(size: f64, height: f64, n: u32, seed: u64) -> Mesh {
    let (mut vertices, mut triangles) = terrain(size, height, n, seed);
    let at = |i: u32, j: u32| i * (n + 1) + j;
    // The rim, counter-clockwise from above; its copy on the floor; walls between; a fan for the floor.
    let mut rim: Vec<u32> = (0..n).map(|i| at(i, 0)).collect();
    rim.extend((0..n).map(|j| at(n, j)));
    rim.extend((1..=n).rev().map(|i| at(i, n)));
    rim.extend((1..=n).rev().map(|j| at(0, j)));
    let floor = vertices.len() as u32;
    vertices.extend(rim.iter().map(|&v| vertices[v as usize].with_z(-height)).collect::<Vec<_>>());
    let centre = vertices.len() as u32;
    vertices.push(DVec3::new(0.0, 0.0, -height));
    let m = rim.len() as u32;
    for k in 0..m {
        let next = (k + 1) % m;
        let (a, b) = (rim[k as usize], rim[next as usize]);
        triangles.extend([[floor + k, floor + next, b], [floor + k, b, a], [centre, floor + next, floor + k]]);
    }
    (vertices, triangles)
}

/// A grid of `counts` nodes, `spacing` apart, centred on the origin, neighbours joined by square bars
/// `bar` thick: 12 triangles a bar, each bar a closed box that overlaps its neighbours at the nodes.
pub(crate) fn box_lattice(counts: [u32; 3], spacing: f64, bar: f64) -> Mesh {
    let mut mesh = Mesh::default();
    let corner = counts.map(|n| -0.5 * spacing * f64::from(n - 1));
    for axis in 0..3 {
        let mut steps = counts;
        steps[axis] -= 1;
        for i in 0..steps[0] {
            for j in 0..steps[1] {
                for k in 0..steps[2] {
                    let mut centre = DVec3::from_array(corner) + spacing * DVec3::new(i.into(), j.into(), k.into());
                    centre[axis] += 0.5 * spacing;
                    let mut size = DVec3::splat(bar);
                    size[axis] = spacing + bar;
                    append(&mut mesh, &cuboid(size), &Pose::from_translation(centre));
                }
            }
        }
    }
    mesh
}

/// A lumpy, star-shaped body about `radius` in size: `2 · n_lon · (n_lat − 1)` triangles.
pub(crate) fn blob(radius: f64, n_lon: u32, n_lat: u32, seed: u64) -> Mesh {
    let mut random = Random::new(seed);
    let lumps: Vec<(DVec3, f64)> = (0..9).map(|_| (random.direction(), random.between(-0.3, 0.5))).collect();
    let (mut vertices, triangles) = sphere(radius, n_lon, n_lat);
    for v in &mut vertices {
        let direction = v.normalize();
        // Each lump raises or dents the cap within 45° of its direction, smoothly.
        let lift: f64 =
            lumps.iter().map(|(axis, size)| size * (axis.dot(direction) - 0.7).max(0.0).powi(2) * 11.0).sum();
        *v = direction * radius * (1.0 + lift).max(0.3);
    }
    (vertices, triangles)
}

/// A sphere by longitudes and latitudes: `2 · n_lon · (n_lat − 1)` triangles.
pub(crate) fn sphere(radius: f64, n_lon: u32, n_lat: u32) -> Mesh {
    let mut profile = vec![(0.0, -radius)];
    for k in 1..n_lat {
        let (s, c) = sin_cos(0.5 * TAU * f64::from(k) / f64::from(n_lat));
        profile.push((radius * s, -radius * c));
    }
    profile.push((0.0, radius));
    revolve(&profile, n_lon)
}

/// A box of the given edge lengths, centred: 12 triangles.
pub(crate) fn cuboid(size: DVec3) -> Mesh {
    let h = 0.5 * size;
    let ring = |z: f64| {
        vec![DVec3::new(-h.x, -h.y, z), DVec3::new(h.x, -h.y, z), DVec3::new(h.x, h.y, z), DVec3::new(-h.x, h.y, z)]
    };
    loft(&[ring(-h.z), ring(h.z)])
}

/// A straight bar of square section from one point to another: 12 triangles.
pub(crate) fn wire(from: DVec3, to: DVec3, thickness: f64) -> Mesh {
    rod(from, to, thickness * std::f64::consts::FRAC_1_SQRT_2, 4)
}

/// A straight prism with a regular `n`-gon of circumradius `radius` as its section: `4n − 4` triangles.
pub(crate) fn rod(from: DVec3, to: DVec3, radius: f64, n: u32) -> Mesh {
    let length = (to - from).length();
    posed(&cylinder(radius, radius, length, n), &along(from, to))
}

/// A frustum about z from z = 0 to `length`, circumradii `bottom` and `top`: `4n − 4` triangles.
pub(crate) fn cylinder(bottom: f64, top: f64, length: f64, n: u32) -> Mesh {
    revolve(&[(bottom, 0.0), (top, length)], n)
}

/// The profile (radius, z), z upward, turned about z with `n` sides. A radius of 0 at an end is a pole,
/// anything else gets a flat cap; in between all radii are positive.
pub(crate) fn revolve(profile: &[(f64, f64)], n: u32) -> Mesh {
    let low_pole = profile[0].0 == 0.0;
    let high_pole = profile[profile.len() - 1].0 == 0.0;
    let rings: Vec<Vec<DVec3>> = profile[usize::from(low_pole)..profile.len() - usize::from(high_pole)]
        .iter()
        .map(|&(r, z)| {
            (0..n)
                .map(|k| {
                    // Half a step off, so that four sides make an axis-aligned square.
                    let (s, c) = sin_cos(TAU * (f64::from(k) + 0.5) / f64::from(n));
                    DVec3::new(r * c, r * s, z)
                })
                .collect()
        })
        .collect();
    let (mut vertices, mut triangles) = tube(&rings);
    let last = (rings.len() as u32 - 1) * n;
    if low_pole {
        let pole = vertices.len() as u32;
        vertices.push(DVec3::new(0.0, 0.0, profile[0].1));
        triangles.extend((0..n).map(|k| [pole, (k + 1) % n, k]));
    } else {
        triangles.extend((1..n - 1).map(|k| [0, k + 1, k]));
    }
    if high_pole {
        let pole = vertices.len() as u32;
        vertices.push(DVec3::new(0.0, 0.0, profile[profile.len() - 1].1));
        triangles.extend((0..n).map(|k| [pole, last + k, last + (k + 1) % n]));
    } else {
        triangles.extend((1..n - 1).map(|k| [last, last + k, last + k + 1]));
    }
    (vertices, triangles)
}

/// A solid through convex sections of equally many points, each counter-clockwise seen from the last one.
pub(crate) fn loft(sections: &[Vec<DVec3>]) -> Mesh {
    let n = sections[0].len() as u32;
    let last = (sections.len() as u32 - 1) * n;
    let (vertices, mut triangles) = tube(sections);
    for k in 1..n - 1 {
        triangles.extend([[0, k + 1, k], [last, last + k, last + k + 1]]);
    }
    (vertices, triangles)
}

/// The sides only.
fn tube(rings: &[Vec<DVec3>]) -> Mesh {
    let n = rings[0].len() as u32;
    let mut triangles = Vec::new();
    for band in 0..rings.len() as u32 - 1 {
        let (a, b) = (band * n, (band + 1) * n);
        for i in 0..n {
            let j = (i + 1) % n;
            triangles.extend([[a + i, a + j, b + j], [a + i, b + j, b + i]]);
        }
    }
    (rings.concat(), triangles)
}

/// The pose with its origin at `from` and its z axis towards `to`.
pub(crate) fn along(from: DVec3, to: DVec3) -> Pose {
    let z = (to - from).normalize();
    // x is the coordinate axis farthest from z, made square to it: axis-aligned bars stay axis-aligned.
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let start = axes.into_iter().min_by(|a, b| a.dot(z).abs().total_cmp(&b.dot(z).abs())).unwrap_or(DVec3::X);
    let x = (start - z * start.dot(z)).normalize();
    Pose { rotation: glam::DMat3::from_cols(x, z.cross(x), z), translation: from }
}

/// `part`, placed by `mesh_from_part`, added to `mesh` as further components.
pub(crate) fn append(mesh: &mut Mesh, part: &Mesh, mesh_from_part: &Pose) {
    let offset = mesh.0.len() as u32;
    mesh.0.extend(part.0.iter().map(|&v| mesh_from_part.point(v)));
    mesh.1.extend(part.1.iter().map(|t| t.map(|v| v + offset)));
}

/// A mesh in another frame.
pub(crate) fn posed(mesh: &Mesh, to_from_mesh: &Pose) -> Mesh {
    (mesh.0.iter().map(|&v| to_from_mesh.point(v)).collect(), mesh.1.clone())
}

/// All parts as one mesh of several components.
pub(crate) fn union(parts: impl IntoIterator<Item = Mesh>) -> Mesh {
    let mut mesh = Mesh::default();
    for part in parts {
        append(&mut mesh, &part, &Pose::IDENTITY);
    }
    mesh
}

/// The first directed edge that has no reverse, or that occurs twice; `None` for a closed, oriented mesh.
#[cfg(test)]
pub(crate) fn open_edge(mesh: &Mesh) -> Option<[u32; 2]> {
    let mut edges = std::collections::BTreeSet::new();
    for t in &mesh.1 {
        for k in 0..3 {
            let edge = [t[k], t[(k + 1) % 3]];
            if !edges.insert(edge) {
                return Some(edge);
            }
        }
    }
    edges.iter().find(|[a, b]| !edges.contains(&[*b, *a])).copied()
}

/// Six times the volume enclosed; positive where the winding is outward.
#[cfg(test)]
pub(crate) fn signed_volume(mesh: &Mesh) -> f64 {
    mesh.1.iter().map(|t| t.map(|v| mesh.0[v as usize])).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_body_is_closed_and_wound_outward_with_the_count_it_promises() {
        let bodies: [(&str, Mesh, usize); 10] = [
            ("closed terrain", closed_terrain(2.0, 0.4, 119, 1), 29_750),
            ("torus", torus(1.0, 0.3, 150, 100), 30_000),
            ("lattice", box_lattice([13, 8, 9], 0.2, 0.02), 30_180),
            ("blob", blob(0.2, 50, 31, 1), 3_000),
            ("sphere", sphere(1.0, 8, 5), 64),
            ("box", cuboid(DVec3::new(1.0, 2.0, 3.0)), 12),
            ("wire", wire(DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0), 0.01), 12),
            ("rod", rod(DVec3::ZERO, DVec3::Y, 0.01, 5), 16),
            ("cylinder", cylinder(0.2, 0.1, 1.0, 12), 44),
            ("bottle", revolve(&[(0.0, 0.0), (0.1, 0.0), (0.1, 0.2), (0.03, 0.3)], 10), 60 - 2),
        ];
        for (name, mesh, triangles) in bodies {
            assert_eq!(mesh.1.len(), triangles, "{name}");
            assert_eq!(open_edge(&mesh), None, "{name}");
            assert!(signed_volume(&mesh) > 0.0, "{name}");
        }
    }

    #[test]
    fn volumes_agree_with_closed_forms() {
        let close = |mesh: &Mesh, volume: f64, relative: f64| (signed_volume(mesh) / volume - 1.0).abs() < relative;
        assert!(close(&cuboid(DVec3::new(1.0, 2.0, 3.0)), 6.0, 1e-14));
        assert!(close(&wire(DVec3::ONE, DVec3::new(3.0, 1.0, 1.0), 0.1), 0.02, 1e-12));
        assert!(close(&torus(1.0, 0.3, 150, 100), 0.5 * TAU * TAU * 0.09, 2e-3));
        assert!(close(&sphere(1.0, 100, 50), TAU * 2.0 / 3.0, 3e-3));
    }

    #[test]
    fn the_same_call_gives_the_same_bits() {
        assert_eq!(terrain(2.0, 0.4, 20, 7), terrain(2.0, 0.4, 20, 7));
        assert_eq!(blob(0.2, 20, 11, 7), blob(0.2, 20, 11, 7));
        assert_ne!(blob(0.2, 20, 11, 7), blob(0.2, 20, 11, 8));
    }
}
