//! Bodies of every kind and their true distances by brute force over all pairs of primitives.

pub(crate) mod oracle;

use oracle::Triangle;
use pathproof::numeric::{DVec3, Pose, Random};
use pathproof::shapes::{Body, Convex, Shape, TriangleMesh};

/// A mesh as it would be read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Raw {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl Raw {
    pub(crate) fn mesh(self) -> TriangleMesh {
        TriangleMesh::new(self.vertices, self.triangles).expect("a valid mesh")
    }

    pub(crate) fn with(mut self, other: Self) -> Self {
        let first = self.vertices.len() as u32;
        self.vertices.extend(other.vertices);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + first)));
        self
    }

    pub(crate) fn reversed(mut self) -> Self {
        self.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        self
    }

    pub(crate) fn map(mut self, f: impl Fn(DVec3) -> DVec3) -> Self {
        self.vertices.iter_mut().for_each(|p| *p = f(*p));
        self
    }

    pub(crate) fn corners(&self) -> Vec<Triangle> {
        self.triangles.iter().map(|t| t.map(|v| self.vertices[v as usize])).collect()
    }
}

/// The box with the given half widths, outward oriented.
pub(crate) fn cuboid(half: DVec3) -> Raw {
    let corner = |i: u32, bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
    let vertices = (0..8).map(|i| half * DVec3::new(corner(i, 0), corner(i, 1), corner(i, 2))).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    Raw { vertices, triangles }
}

/// A grid of quads that wraps around in both directions, its vertices given by (i, j).
pub(crate) fn wrapped(nu: u32, nv: u32, at: impl Fn(u32, u32) -> DVec3) -> Raw {
    let number = |i: u32, j: u32| (i % nu) * nv + j % nv;
    let mut raw = Raw::default();
    for i in 0..nu {
        for j in 0..nv {
            raw.vertices.push(at(i, j));
            raw.triangles.push([number(i, j), number(i + 1, j), number(i + 1, j + 1)]);
            raw.triangles.push([number(i, j), number(i + 1, j + 1), number(i, j + 1)]);
        }
    }
    raw
}

fn angle(i: u32, n: u32) -> f64 {
    f64::from(i) * std::f64::consts::TAU / f64::from(n)
}

pub(crate) fn torus(major: f64, minor: f64, nu: u32, nv: u32) -> Raw {
    wrapped(nu, nv, |i, j| {
        let ((su, cu), (sv, cv)) = (angle(i, nu).sin_cos(), angle(j, nv).sin_cos());
        DVec3::new((major + minor * cv) * cu, (major + minor * cv) * su, minor * sv)
    })
}

/// A closed surface around the origin: rings of `nu` points between two poles, at `radius(direction)`.
pub(crate) fn blob(nu: u32, rings: u32, mut radius: impl FnMut(DVec3) -> f64) -> Raw {
    let mut raw = Raw::default();
    let mut push = |d: DVec3| raw.vertices.push(d * radius(d));
    push(DVec3::Z);
    for ring in 1..=rings {
        let (s, c) = (f64::from(ring) * std::f64::consts::PI / f64::from(rings + 1)).sin_cos();
        for i in 0..nu {
            let (si, ci) = angle(i, nu).sin_cos();
            push(DVec3::new(s * ci, s * si, c));
        }
    }
    push(-DVec3::Z);
    let (at, south) = (|ring: u32, i: u32| 1 + ring * nu + i % nu, 1 + rings * nu);
    for i in 0..nu {
        raw.triangles.push([0, at(0, i), at(0, i + 1)]);
        raw.triangles.push([south, at(rings - 1, i + 1), at(rings - 1, i)]);
        for ring in 1..rings {
            raw.triangles.push([at(ring - 1, i), at(ring, i), at(ring, i + 1)]);
            raw.triangles.push([at(ring - 1, i), at(ring, i + 1), at(ring - 1, i + 1)]);
        }
    }
    raw
}

/// An n × n grid of quads in the square [−1, 1]² at heights given by (x, y).
pub(crate) fn grid(n: u32, height: impl Fn(f64, f64) -> f64) -> Raw {
    let mut raw = Raw::default();
    let number = |i: u32, j: u32| i * (n + 1) + j;
    for i in 0..=n {
        for j in 0..=n {
            let (x, y) = (2.0 * f64::from(i) / f64::from(n) - 1.0, 2.0 * f64::from(j) / f64::from(n) - 1.0);
            raw.vertices.push(DVec3::new(x, y, height(x, y)));
            if i < n && j < n {
                raw.triangles.push([number(i, j), number(i + 1, j), number(i + 1, j + 1)]);
                raw.triangles.push([number(i, j), number(i + 1, j + 1), number(i, j + 1)]);
            }
        }
    }
    raw
}

pub(crate) fn soup(random: &mut Random, n: usize, spread: f64, size: f64) -> Raw {
    let mut raw = Raw::default();
    for _ in 0..n {
        let base = random.point(spread);
        let first = raw.vertices.len() as u32;
        raw.vertices.extend((0..3).map(|_| base + random.point(size)));
        raw.triangles.push([first, first + 1, first + 2]);
    }
    raw
}

/// How many kinds [`raw_mesh`] knows.
pub(crate) const MESH_KINDS: usize = 9;

/// A small mesh of some kind, about unit size.
pub(crate) fn raw_mesh(random: &mut Random, kind: usize) -> Raw {
    match kind {
        0 => {
            let n = 1 + random.below(24);
            soup(random, n, 1.0, 0.4)
        }
        1 => torus(0.7, 0.3, 4 + random.below(3) as u32, 3 + random.below(2) as u32),
        2 => blob(4, 2, |_| random.between(0.3, 1.0)),
        3 => grid(2 + random.below(2) as u32, |_, _| 0.0),
        // Needles: long, thin and nearly degenerate.
        4 => {
            let mut raw = soup(random, 8, 0.5, 1.0);
            for t in 0..8 {
                let (a, b) = (raw.vertices[3 * t], raw.vertices[3 * t + 1]);
                raw.vertices[3 * t + 2] = a + (b - a) * random.unit() + random.point(1e-9);
            }
            raw
        }
        // Repeated triangles, points and segments among others.
        5 => {
            let mut raw = soup(random, 6, 0.8, 0.5);
            raw.triangles.extend([[0, 1, 2], [2, 1, 0], [3, 3, 3], [4, 4, 7], [7, 8, 7]]);
            raw.vertices.push(random.point(1.0));
            raw.triangles.push([18, 18, 18]);
            raw
        }
        6 => soup(random, 1, 0.5, 0.7),
        7 => cuboid(DVec3::new(random.between(0.1, 1.0), random.between(0.1, 1.0), random.between(0.01, 1.0))),
        // Corners on a coarse lattice: touching, coplanar and shared features.
        _ => soup(random, 10, 1.0, 0.6).map(|p| (p * 4.0).round() / 4.0),
    }
}

/// A convex piece of which the true distance is known in closed form.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Known {
    Sphere(f64),
    Capsule(f64, f64),
    Box(DVec3),
}

impl Known {
    pub(crate) fn random(random: &mut Random) -> Self {
        match random.below(3) {
            0 => Self::Sphere(random.between(0.05, 0.6)),
            1 => Self::Capsule(random.between(0.05, 0.3), random.between(0.1, 1.5)),
            _ => Self::Box(DVec3::new(random.between(0.02, 0.5), random.between(0.02, 0.5), random.between(0.02, 0.5))),
        }
    }

    pub(crate) fn convex(self) -> Convex {
        match self {
            Self::Sphere(r) => Convex::sphere(r),
            Self::Capsule(r, length) => Convex::capsule(r, length),
            Self::Box(half) => Convex::cuboid((half * 2.0).to_array()),
        }
        .expect("valid sizes")
    }
}

/// A body with what is needed to know its true distance: flat facets, each swept by a ball, and solid boxes.
#[derive(Clone, Debug)]
pub(crate) struct Example {
    pub(crate) body: Body,
    /// In the frame the body's parts were placed in.
    pub(crate) facets: Vec<(Triangle, f64)>,
    pub(crate) boxes: Vec<(Pose, DVec3)>,
    /// Facets come from meshes alone: no convex piece, whose distance is an iteration.
    pub(crate) is_mesh: bool,
}

impl Example {
    pub(crate) fn new(meshes: Vec<(Pose, Raw)>, pieces: Vec<(Pose, Known)>) -> Self {
        let (mut facets, mut boxes, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        let is_mesh = pieces.is_empty();
        for (pose, raw) in meshes {
            facets.extend(raw.corners().iter().map(|t| (t.map(|p| pose.point(p)), 0.0)));
            parts.push((pose, Shape::Mesh(raw.mesh())));
        }
        for (pose, known) in pieces {
            match known {
                Known::Sphere(r) => facets.push(([pose.translation; 3], r)),
                Known::Capsule(r, length) => {
                    let end = |z: f64| pose.point(DVec3::new(0.0, 0.0, z));
                    facets.push(([end(-length / 2.0), end(length / 2.0), end(length / 2.0)], r));
                }
                Known::Box(half) => {
                    facets.extend(cuboid(half).corners().iter().map(|t| (t.map(|p| pose.point(p)), 0.0)));
                    boxes.push((pose, half));
                }
            }
            parts.push((pose, Shape::Convex(known.convex())));
        }
        Self { body: Body::new(parts).expect("parts"), facets, boxes, is_mesh }
    }

    pub(crate) fn of_mesh(raw: Raw) -> Self {
        Self::new(vec![(Pose::IDENTITY, raw)], Vec::new())
    }

    /// Any mix of meshes and pieces.
    pub(crate) fn random(random: &mut Random) -> Self {
        match random.below(10) {
            0 => {
                let kind = random.below(MESH_KINDS);
                let raw = raw_mesh(random, kind);
                let place = |random: &mut Random| random.pose(0.8);
                let other = (place(random), Known::random(random));
                let mut meshes = vec![(place(random), raw)];
                if random.below(2) == 0 {
                    meshes.push((place(random), cuboid(DVec3::new(0.2, 0.3, 0.1))));
                }
                Self::new(meshes, vec![other, (place(random), Known::random(random))])
            }
            1 => Self::new(Vec::new(), vec![(random.pose(0.5), Known::random(random))]),
            _ => Self::random_mesh(random),
        }
    }

    pub(crate) fn random_mesh(random: &mut Random) -> Self {
        let kind = random.below(MESH_KINDS);
        Self::of_mesh(raw_mesh(random, kind))
    }

    /// Scaled about the origin by a power of two, which is exact.
    pub(crate) fn size(&self) -> f64 {
        self.body.radius() + self.body.centre().length()
    }
}

/// True distance of two bodies, `a_from_b` relating the frames they were made in.
pub(crate) fn true_distance(a: &Example, b: &Example, a_from_b: &Pose) -> f64 {
    let placed: Vec<(Triangle, f64)> = b.facets.iter().map(|(t, r)| (t.map(|p| a_from_b.point(p)), *r)).collect();
    let mut best = f64::INFINITY;
    for (ta, ra) in &a.facets {
        for (tb, rb) in &placed {
            best = best.min((oracle::triangles(ta, tb) - ra - rb).max(0.0));
        }
    }
    let is_in = |boxes: &[(Pose, DVec3)], p: DVec3| {
        boxes.iter().any(|(pose, half)| pose.inverse_point(p).abs().cmplt(*half).all())
    };
    let b_in_a = placed.iter().any(|(t, _)| t.iter().any(|p| is_in(&a.boxes, *p)));
    let a_in_b = a.facets.iter().any(|(t, _)| t.iter().any(|p| is_in(&b.boxes, a_from_b.inverse_point(*p))));
    if b_in_a || a_in_b { 0.0 } else { best }
}

/// A relative pose: far, near, or with a tenth of the cases turned by nothing or a quarter turn, so that faces are parallel.
pub(crate) fn random_pose(random: &mut Random) -> Pose {
    let reach = [0.5, 1.5, 3.0, 10.0][random.below(4)];
    match random.below(10) {
        0 => Pose::from_translation((random.point(reach) * 8.0).round() / 8.0),
        1 => Pose::from_axis_angle(DVec3::Z, std::f64::consts::FRAC_PI_2, random.point(reach)),
        2 => Pose::from_axis_angle(random.direction(), 1e-9, random.point(reach)),
        _ => random.pose(reach),
    }
}
