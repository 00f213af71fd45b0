//! Brute force: every vertex–face and edge–edge pair for distance, every Minkowski face normal for penetration. Shares
//! no code with the code under test.

use crate::numeric::{DVec3, Pose, Random};
use crate::shapes::{Convex, Core};

/// A polyhedral core with a radius, in A's frame.
pub(crate) struct Body {
    points: Vec<DVec3>,
    triangles: Vec<[usize; 3]>,
    edges: Vec<[usize; 2]>,
    radius: f64,
}

impl Body {
    /// Curved cores become prisms and pyramids over a polygon of `sides` sides, inscribed or (with `around`)
    /// circumscribed.
    pub(crate) fn new(shape: &Convex, pose: &Pose, sides: usize, around: bool) -> Self {
        let ring = |radius: f64, z: f64| -> Vec<DVec3> {
            let step = std::f64::consts::TAU / sides as f64;
            let radius = if around { radius / (0.5 * step).cos() } else { radius };
            (0..sides)
                .map(|i| (i as f64 * step).sin_cos())
                .map(|(s, c)| DVec3::new(radius * c, radius * s, z))
                .collect()
        };
        let mut triangles: Vec<[usize; 3]> = Vec::new();
        let mut edges: Vec<[usize; 2]> = Vec::new();
        let points: Vec<DVec3> = match shape.core() {
            Core::Point => vec![DVec3::ZERO],
            Core::Segment { half_length } => {
                edges.push([0, 1]);
                vec![DVec3::Z * *half_length, DVec3::Z * -*half_length]
            }
            Core::Triangle(corners) => {
                triangles.push([0, 1, 2]);
                corners.to_vec()
            }
            Core::Box { half } => {
                for t in [
                    [0, 1, 3],
                    [0, 2, 3],
                    [4, 5, 7],
                    [4, 6, 7],
                    [0, 1, 5],
                    [0, 4, 5],
                    [2, 3, 7],
                    [2, 6, 7],
                    [0, 2, 6],
                    [0, 4, 6],
                    [1, 3, 7],
                    [1, 5, 7],
                ] {
                    triangles.push(t);
                }
                let sign = |i: usize, bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
                (0..8).map(|i| DVec3::new(sign(i, 0), sign(i, 1), sign(i, 2)) * *half).collect()
            }
            Core::Cylinder { radius, half_length } => {
                for i in 0..sides {
                    let j = (i + 1) % sides;
                    triangles.extend([[i, j, sides + i], [j, sides + j, sides + i]]);
                    if i > 0 {
                        triangles.extend([[0, i, j], [sides, sides + i, sides + j]]);
                    }
                }
                let mut points = ring(*radius, *half_length);
                points.extend(ring(*radius, -*half_length));
                points
            }
            Core::Cone { radius, half_length } => {
                for i in 0..sides {
                    let j = (i + 1) % sides;
                    triangles.push([i, j, sides]);
                    if i > 0 {
                        triangles.push([0, i, j]);
                    }
                }
                let mut points = ring(*radius, -*half_length);
                points.push(DVec3::Z * *half_length);
                points
            }
            Core::Hull(hull) => {
                triangles.extend(hull.triangles().iter().map(|t| t.map(|v| v as usize)));
                if hull.vertices().len() == 2 {
                    edges.push([0, 1]);
                }
                hull.vertices().to_vec()
            }
        };
        for t in &triangles {
            for [a, b] in [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]] {
                edges.push([a.min(b), a.max(b)]);
            }
        }
        edges.sort_unstable();
        edges.dedup();
        Self { points: points.iter().map(|&p| pose.point(p)).collect(), triangles, edges, radius: shape.radius() }
    }

    fn edge(&self, [i, j]: [usize; 2]) -> (DVec3, DVec3) {
        (self.points[i], self.points[j] - self.points[i])
    }

    fn normals(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.triangles.iter().map(|t| {
            let [a, b, c] = t.map(|i| self.points[i]);
            // The two edges closest to a right angle give the most accurate normal.
            [(b - a).cross(c - a), (c - b).cross(a - b), (a - c).cross(b - c)]
                .into_iter()
                .max_by(|p, q| p.length_squared().total_cmp(&q.length_squared()))
                .expect("three")
        })
    }

    fn reach(&self, n: DVec3) -> f64 {
        self.points.iter().map(|p| p.dot(n)).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Largest separation over all Minkowski face normals; the signed distance of the cores where they overlap.
fn separation_of_cores(a: &Body, b: &Body) -> f64 {
    let mut best = f64::NEG_INFINITY;
    let mut consider = |n: DVec3| {
        let length = n.length();
        if length > 1e-12 {
            for n in [n / length, n / -length] {
                best = best.max(-b.reach(-n) - a.reach(n));
            }
        }
    };
    a.normals().chain(b.normals()).for_each(&mut consider);
    for e in &a.edges {
        for f in &b.edges {
            let (e, f) = (a.edge(*e).1.normalize(), b.edge(*f).1.normalize());
            consider(e.cross(f));
        }
    }
    best
}

fn point_to_segment(p: DVec3, (start, way): (DVec3, DVec3)) -> f64 {
    let t = ((p - start).dot(way) / way.length_squared()).clamp(0.0, 1.0);
    let t = if t.is_nan() { 0.0 } else { t };
    (p - start - way * t).length()
}

/// Over the interior only: other features cover the edges.
fn point_to_face(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let normal = (b - a).cross(c - a);
    let left = |s: DVec3, e: DVec3| normal.cross(e - s).dot(p - s) >= 0.0;
    if left(a, b) && left(b, c) && left(c, a) && normal != DVec3::ZERO {
        (p - a).dot(normal.normalize()).abs()
    } else {
        f64::INFINITY
    }
}

/// Over the interiors only.
fn edge_to_edge((p, e): (DVec3, DVec3), (q, f): (DVec3, DVec3)) -> f64 {
    let n = e.cross(f);
    let squared = n.length_squared();
    let s = (q - p).cross(f).dot(n) / squared;
    let t = (q - p).cross(e).dot(n) / squared;
    if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
        ((q - p).dot(n)).abs() / squared.sqrt()
    } else {
        f64::INFINITY
    }
}

fn gap_of_cores(a: &Body, b: &Body) -> f64 {
    let mut best = f64::INFINITY;
    for (from, to) in [(a, b), (b, a)] {
        for &p in &from.points {
            best = to.points.iter().map(|q| (p - *q).length()).fold(best, f64::min);
            best = to.edges.iter().map(|e| point_to_segment(p, to.edge(*e))).fold(best, f64::min);
            best = to.triangles.iter().map(|t| point_to_face(p, t.map(|i| to.points[i]))).fold(best, f64::min);
        }
    }
    for e in &a.edges {
        best = b.edges.iter().map(|f| edge_to_edge(a.edge(*e), b.edge(*f))).fold(best, f64::min);
    }
    best
}

/// Signed distance, radii included: negative by the penetration depth.
pub(crate) fn signed_distance(a: &Body, b: &Body) -> f64 {
    let separation = separation_of_cores(a, b);
    // Bodies without a volume between them (points, crossing segments) have no Minkowski faces: they touch or they are
    // apart.
    let cores = if separation > 0.0 || separation == f64::NEG_INFINITY { gap_of_cores(a, b) } else { separation };
    cores - a.radius - b.radius
}

/// A random shape: boxes, hulls, spheres, capsules, triangles, needles and pancakes. About 1 m.
pub(crate) fn random_polyhedral(random: &mut Random, most_vertices: usize) -> Convex {
    let stretch = match random.below(4) {
        0 => DVec3::new(1.0, 1.0, 1e-4),
        1 => DVec3::new(1e-4, 1.0, 1e-4),
        _ => DVec3::new(random.between(0.3, 1.0), 1.0, random.between(0.3, 1.0)),
    };
    let size = random.between(0.2, 1.5);
    match random.below(8) {
        0 => Convex::sphere(size),
        1 => Convex::capsule(random.between(0.01, 0.5), size),
        2 | 3 => Convex::cuboid((stretch * size).to_array()),
        4 => Ok(Convex::triangle([0; 3].map(|_| random.point(size) * stretch))),
        5 => {
            let n = 4 + random.below(most_vertices - 3);
            Convex::hull(&(0..n).map(|_| random.point(size) * stretch).collect::<Vec<_>>())
        }
        _ => {
            let n = 4 + random.below(most_vertices - 3);
            Convex::hull(&(0..n).map(|_| random.direction() * stretch * size).collect::<Vec<_>>())
        }
    }
    .expect("a valid shape")
}
