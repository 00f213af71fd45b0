//! Planar bodies and their distances by brute force: shares no code with the library.

use pathproof_traffic::{Agent, Compound, Trajectory};

pub(crate) type Point = [f64; 2];

/// A convex part: the hull of counterclockwise corners, swept by a disc.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) corners: Vec<Point>,
    pub(crate) radius: f64,
}

/// A body on a trajectory of [t, x, y, heading].
#[derive(Clone, Debug)]
pub(crate) struct Mover {
    pub(crate) parts: Vec<Part>,
    pub(crate) poses: Vec<[f64; 4]>,
    pub(crate) compound: Compound,
    /// Largest distance of a point from the reference point.
    pub(crate) reach: f64,
}

impl Mover {
    pub(crate) fn new(parts: Vec<Part>, compound: Compound, poses: Vec<[f64; 4]>) -> Self {
        let of = |part: &Part| part.corners.iter().map(|c| c[0].hypot(c[1])).fold(0.0, f64::max) + part.radius;
        let reach = parts.iter().map(of).fold(0.0, f64::max);
        Self { parts, poses, compound, reach }
    }

    pub(crate) fn trajectory(&self) -> Trajectory {
        Trajectory::planar(self.poses.iter().copied()).expect("valid poses")
    }

    pub(crate) fn agent(&self, name: &str) -> Agent {
        Agent::moving(name, self.compound.clone(), self.trajectory()).expect("planar")
    }

    pub(crate) fn presence(&self) -> [f64; 2] {
        [self.poses[0][0], self.poses[self.poses.len() - 1][0]]
    }

    /// x, y and heading at a time; `None` where the body is not there. Constant rates, headings on the shortest arc.
    pub(crate) fn pose(&self, t: f64) -> Option<[f64; 3]> {
        let [first, last] = self.presence();
        if t < first - 1e-12 || t > last + 1e-12 {
            return None;
        }
        if self.poses.len() == 1 {
            return Some([self.poses[0][1], self.poses[0][2], self.poses[0][3]]);
        }
        let after = self.poses.partition_point(|pose| pose[0] < t).clamp(1, self.poses.len() - 1);
        let (a, b) = (self.poses[after - 1], self.poses[after]);
        let s = (t - a[0]) / (b[0] - a[0]);
        let turn = (b[3] - a[3]).sin().atan2((b[3] - a[3]).cos());
        Some([a[1] + s * (b[1] - a[1]), a[2] + s * (b[2] - a[2]), a[3] + s * turn])
    }

    /// The parts at a pose.
    pub(crate) fn placed(&self, [x, y, heading]: [f64; 3]) -> Vec<Part> {
        let (s, c) = heading.sin_cos();
        let place = |[u, v]: Point| [x + c * u - s * v, y + s * u + c * v];
        let part =
            |part: &Part| Part { corners: part.corners.iter().copied().map(place).collect(), radius: part.radius };
        self.parts.iter().map(part).collect()
    }

    /// At least how far any point moves per second.
    pub(crate) fn speed(&self) -> f64 {
        let of = |w: &[[f64; 4]]| {
            let turn = (w[1][3] - w[0][3]).sin().atan2((w[1][3] - w[0][3]).cos()).abs();
            ((w[1][1] - w[0][1]).hypot(w[1][2] - w[0][2]) + turn * self.reach) / (w[1][0] - w[0][0])
        };
        self.poses.windows(2).map(of).fold(0.0, f64::max)
    }
}

/// Signed distance of two bodies at their times; infinite where one is not there. Where their discs are farther apart than
/// `near`, the distance of the discs.
pub(crate) fn distance(a: &Mover, time_a: f64, b: &Mover, time_b: f64, near: f64) -> f64 {
    let (Some(p), Some(q)) = (a.pose(time_a), b.pose(time_b)) else { return f64::INFINITY };
    let apart = (p[0] - q[0]).hypot(p[1] - q[1]) - a.reach - b.reach;
    if apart > near {
        return apart;
    }
    let (parts_a, parts_b) = (a.placed(p), b.placed(q));
    let pairs = parts_a.iter().flat_map(|a| parts_b.iter().map(move |b| parts_distance(a, b)));
    pairs.fold(f64::INFINITY, f64::min)
}

/// Signed distance of two convex parts: separating axes where they overlap, corners and edges where they are apart.
pub(crate) fn parts_distance(a: &Part, b: &Part) -> f64 {
    let deepest = edge_normals(&a.corners)
        .into_iter()
        .chain(edge_normals(&b.corners).into_iter().map(|n| [-n[0], -n[1]]))
        .map(|n| {
            let along = |p: &Point| n[0] * p[0] + n[1] * p[1];
            let most = a.corners.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
            b.corners.iter().map(along).fold(f64::INFINITY, f64::min) - most
        })
        .fold(f64::NEG_INFINITY, f64::max);
    let has_area = a.corners.len() > 2 || b.corners.len() > 2;
    let cores =
        if has_area && deepest <= 0.0 { deepest } else { gap(&a.corners, &b.corners).min(gap(&b.corners, &a.corners)) };
    cores - a.radius - b.radius
}

/// Outward normals of a polygon's edges; none for a point.
fn edge_normals(corners: &[Point]) -> Vec<Point> {
    let n = corners.len();
    let normal = |i: usize| {
        let (p, q) = (corners[i], corners[(i + 1) % n]);
        let length = (q[0] - p[0]).hypot(q[1] - p[1]);
        [(q[1] - p[1]) / length, -(q[0] - p[0]) / length]
    };
    if n < 3 { Vec::new() } else { (0..n).map(normal).collect() }
}

/// Least distance of corners to edges.
fn gap(corners: &[Point], others: &[Point]) -> f64 {
    let n = others.len();
    let to_edge = |p: &Point, i: usize| {
        let (a, b) = (others[i], others[(i + 1) % n]);
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        let squared = dx * dx + dy * dy;
        let s = if squared > 0.0 { (((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / squared).clamp(0.0, 1.0) } else { 0.0 };
        (p[0] - a[0] - s * dx).hypot(p[1] - a[1] - s * dy)
    };
    corners.iter().flat_map(|p| (0..n).map(move |i| to_edge(p, i))).fold(f64::INFINITY, f64::min)
}
