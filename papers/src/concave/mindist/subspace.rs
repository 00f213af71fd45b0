//! The freedom that half-spaces leave to the point they hold: everywhere, in a plane, on a line, nowhere; and the
//! shortest step between two such subspaces.
//!
//! Nearly parallel planes and lines give very long steps, which other half-spaces stop. Below [`PARALLEL`] they count
//! as parallel, which costs at most that fraction of the size in the distance.

use pathproof::numeric::{DVec3, unit};

/// Sine of an angle that counts as 0.
const PARALLEL: f64 = 1e-12;

/// Sine of an angle at which a normal counts as independent of others.
const GAP: f64 = 1e-13;

/// Up to three half-spaces that hold a point with equality; normals of length 1, independent.
#[derive(Clone, Copy, Debug)]
pub(super) enum Held {
    /// Held by none.
    Free,
    /// In the plane across the normal.
    Plane(DVec3),
    /// On a line: its direction, of length 1, and the two normals.
    Line(DVec3, [DVec3; 2]),
    /// At a point.
    Point([DVec3; 3]),
}

impl Held {
    /// The subspace left by these half-spaces.
    #[inline(always)]
    pub(super) fn by(normals: &[DVec3]) -> Self {
        match *normals {
            [] => Self::Free,
            [a] => Self::Plane(a),
            [a, b] => {
                let across = unit(a.cross(b)).unwrap_or(DVec3::ZERO);
                // Nearly parallel normals leave a rough direction, which at least stays in the first plane.
                let along = unit(across - a * a.dot(across)).unwrap_or(DVec3::ZERO);
                Self::Line(along, [a, b])
            }
            [a, b, c] => Self::Point([a, b, c]),
            _ => unreachable!("three independent half-spaces hold a point"),
        }
    }

    /// True if the normals are independent, well above rounding.
    #[inline(always)]
    pub(super) fn is_independent(self) -> bool {
        match self {
            Self::Free | Self::Plane(_) => true,
            Self::Line(_, [a, b]) => a.cross(b).length_squared() > GAP * GAP,
            Self::Point([a, b, c]) => a.dot(b.cross(c)).abs() > GAP * b.cross(c).length(),
        }
    }

    /// The part of `v` within the subspace.
    #[inline(always)]
    fn along(self, v: DVec3) -> DVec3 {
        match self {
            Self::Free => v,
            Self::Plane(a) => v - a * a.dot(v),
            Self::Line(e, _) => e * e.dot(v),
            Self::Point(_) => DVec3::ZERO,
        }
    }

    /// `n` as a combination of the normals, as nearly as possible; 0 beyond their number.
    #[inline(always)]
    pub(super) fn shares(self, n: DVec3) -> [f64; 3] {
        match self {
            Self::Free => [0.0; 3],
            Self::Plane(a) => [a.dot(n), 0.0, 0.0],
            Self::Line(e, [a, b]) => {
                let (across_a, across_b) = (a.cross(e), b.cross(e));
                [n.dot(across_b) / a.dot(across_b), n.dot(across_a) / b.dot(across_a), 0.0]
            }
            Self::Point([a, b, c]) => {
                let (bc, ca, ab) = (b.cross(c), c.cross(a), a.cross(b));
                let per_volume = 1.0 / a.dot(bc);
                [n.dot(bc) * per_volume, n.dot(ca) * per_volume, n.dot(ab) * per_volume]
            }
        }
    }
}

/// Steps of x and y within their subspaces that bring y − x = `v` to its shortest.
#[inline(always)]
pub(super) fn approach(x: Held, y: Held, v: DVec3) -> (DVec3, DVec3) {
    match (x, y) {
        (Held::Point(_), _) => (DVec3::ZERO, y.along(-v)),
        (_, Held::Point(_)) => (x.along(v), DVec3::ZERO),
        // A free point goes all the way.
        (Held::Free, _) => (v, DVec3::ZERO),
        (_, Held::Free) => (DVec3::ZERO, -v),
        (Held::Plane(a), Held::Plane(b)) => between_planes(a, b, v),
        (Held::Plane(a), Held::Line(f, _)) => between_plane_and_line(a, f, v),
        (Held::Line(e, _), Held::Plane(b)) => {
            let (of_plane, of_line) = between_plane_and_line(b, e, -v);
            (of_line, of_plane)
        }
        (Held::Line(e, _), Held::Line(f, _)) => between_lines(e, f, v),
    }
}

/// The shortest of all pairs of steps that meet (or, for parallel planes, come nearest).
#[inline(always)]
fn between_planes(a: DVec3, b: DVec3, v: DVec3) -> (DVec3, DVec3) {
    let (cosine, squared) = (a.dot(b), a.cross(b).length_squared());
    if squared <= PARALLEL * PARALLEL {
        let half = (v - a * a.dot(v)) * 0.5;
        return (half, -half);
    }
    // p = v/2 + w and q = −v/2 + w with p·a = 0 and q·b = 0: w·a = −v·a/2, w·b = v·b/2, w in the span of a and b.
    let (along_a, along_b) = (-0.5 * v.dot(a), 0.5 * v.dot(b));
    let w = (a * (along_a - cosine * along_b) + b * (along_b - cosine * along_a)) / squared;
    let (p, q) = (v * 0.5 + w, w - v * 0.5);
    (p - a * a.dot(p), q - b * b.dot(q))
}

/// Steps in the plane across `a` and along `f`, for `v` from the plane to the line.
#[inline(always)]
fn between_plane_and_line(a: DVec3, f: DVec3, v: DVec3) -> (DVec3, DVec3) {
    let slope = f.dot(a);
    let along = if slope.abs() <= PARALLEL { -0.5 * v.dot(f) } else { -v.dot(a) / slope };
    let q = f * along;
    let p = v + q;
    (p - a * a.dot(p), q)
}

#[inline(always)]
fn between_lines(e: DVec3, f: DVec3, v: DVec3) -> (DVec3, DVec3) {
    let across = e.cross(f);
    let squared = across.length_squared();
    if squared <= PARALLEL * PARALLEL {
        return (e * (0.5 * e.dot(v)), f * (-0.5 * f.dot(v)));
    }
    (e * (v.cross(f).dot(across) / squared), f * (v.cross(e).dot(across) / squared))
}
