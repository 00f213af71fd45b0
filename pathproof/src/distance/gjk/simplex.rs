//! The point of a simplex of up to four points that is nearest to the origin.
//!
//! Chosen instead of the subset-indexed cofactors of "Enhancing GJK" §3.3: those multiply up to six dot products
//! of whole positions, so that far or thin simplices lose all digits. Here the region is found from edge and
//! face normals, and the direction is the feature's own normal (a cross product, or a vector made
//! orthogonal to the edge again), exact to rounding however close the origin is: a direction taken from
//! the nearest point itself would be noise there, and the bound behind it useless.
// Negated comparisons are meant: they send NaN to the safe side.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

use crate::numeric::{DVec3, ROUNDOFF_F64, most, unit};

/// Nearest point of a simplex, as a combination of its vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    /// Indices of the vertices that carry the nearest point, ascending; the first `count` are valid.
    pub(crate) vertices: [u8; 4],
    pub(crate) count: usize,
    /// Non-negative, for the first `count` vertices, with the sum 1 up to rounding.
    pub(crate) weights: [f64; 4],
    /// Unit vector from the origin to the nearest point; a normal of the carrying feature. If the origin lies
    /// inside (`count` = 4) it is zero.
    pub(crate) normal: DVec3,
    /// Distance from the origin, estimated.
    pub(crate) height: f64,
}

/// `w` holds one to four points.
#[inline(always)]
pub(crate) fn nearest(w: &[DVec3]) -> Nearest {
    match w {
        [p] => on_point(*p, 0),
        [p, q] => on_segment([*p, *q], [0, 1]),
        [p, q, r] => on_triangle([*p, *q, *r], [0, 1, 2]),
        [p, q, r, s] => in_tetrahedron(&[*p, *q, *r, *s]),
        _ => unreachable!("a simplex has one to four vertices"),
    }
}

#[inline(always)]
fn on_point(p: DVec3, i: u8) -> Nearest {
    let height = p.length();
    let normal = if height > 0.0 { p / height } else { DVec3::X };
    Nearest { vertices: [i, 0, 0, 0], count: 1, weights: [1.0, 0.0, 0.0, 0.0], normal, height }
}

#[inline(always)]
fn on_segment([p, q]: [DVec3; 2], [i, j]: [u8; 2]) -> Nearest {
    let edge = q - p;
    let (from_p, squared) = (-p.dot(edge), edge.length_squared());
    if from_p <= 0.0 {
        return on_point(p, i);
    }
    if from_p >= squared {
        return on_point(q, j);
    }
    let per_squared = 1.0 / squared;
    let t = from_p * per_squared;
    // From the nearer end: less cancels.
    let foot = if t < 0.5 { p + edge * t } else { q - edge * (1.0 - t) };
    let length = foot.length();
    let mut normal = if length > 0.0 { foot * (1.0 / length) } else { across(edge) };
    let tilt = normal.dot(edge) * per_squared;
    normal -= edge * tilt;
    if tilt * tilt * squared > 1e-17 {
        // Close to the edge the first direction was noise: project again and restore the length.
        let once = unit(normal).unwrap_or(DVec3::ZERO);
        normal = unit(once - edge * (once.dot(edge) / squared)).unwrap_or_else(|| across(edge));
    }
    Nearest { vertices: [i, j, 0, 0], count: 2, weights: [1.0 - t, t, 0.0, 0.0], normal, height: normal.dot(p).abs() }
}

/// Some unit vector orthogonal to `edge`.
#[cold]
fn across(edge: DVec3) -> DVec3 {
    unit(edge).unwrap_or(DVec3::X).any_orthonormal_vector()
}

#[inline(always)]
fn on_triangle([p, q, r]: [DVec3; 3], [i, j, k]: [u8; 3]) -> Nearest {
    let (pq, qr, rp) = (q - p, r - q, p - r);
    let mut normal = rp.cross(pq);
    let mut squared = normal.length_squared();
    let edges = pq.length_squared() * rp.length_squared();
    // On the plane; whichever is nearest to the origin loses the fewest digits.
    let mut foot = p;
    if !(squared > NEEDLE * edges) {
        (normal, foot) = normal_of_needle([p, q, r]);
        squared = normal.length_squared();
    }
    // A triangle thinner than its own rounding has no normal; its edges stand for it.
    let thin = !(squared > 256.0 * ROUNDOFF_F64 * ROUNDOFF_F64 * edges);
    // Twice the signed areas seen from the origin's foot, times the normal's length: negative beyond an edge.
    let (beside_pq, beside_qr, beside_rp) = (pq.cross(normal).dot(p), qr.cross(normal).dot(q), rp.cross(normal).dot(r));
    if !thin && beside_pq >= 0.0 && beside_qr >= 0.0 && beside_rp >= 0.0 {
        let share = 1.0 / (beside_pq + beside_qr + beside_rp);
        let unit = normal / squared.sqrt();
        let height = unit.dot(foot);
        return Nearest {
            vertices: [i, j, k, 0],
            count: 3,
            weights: [beside_qr * share, beside_rp * share, beside_pq * share, 0.0],
            normal: if height < 0.0 { -unit } else { unit },
            height: height.abs(),
        };
    }
    let mut best = Nearest { height: f64::INFINITY, ..on_point(p, i) };
    for (beside, ends, names) in [(beside_pq, [p, q], [i, j]), (beside_qr, [q, r], [j, k]), (beside_rp, [p, r], [i, k])]
    {
        if thin || beside < 0.0 {
            let candidate = on_segment_of_triangle(ends, names);
            if candidate.height < best.height {
                best = candidate;
            }
        }
    }
    best
}

/// Squared sine of the angle between the first two edges below which [`normal_of_needle`] is worth its time.
const NEEDLE: f64 = 1e-8;

/// The normal of a triangle from its two shorter edges, and its corner nearest to the origin: a long edge is off by more
/// than the whole width of a needle.
#[cold]
fn normal_of_needle([p, q, r]: [DVec3; 3]) -> (DVec3, DVec3) {
    let (pq, qr, rp) = (q - p, r - q, p - r);
    let (a, b, c) = (pq.length_squared(), qr.length_squared(), rp.length_squared());
    let normal = if a >= b && a >= c {
        qr.cross(rp)
    } else if b >= c {
        rp.cross(pq)
    } else {
        pq.cross(qr)
    };
    let nearer = |a: DVec3, b: DVec3| if b.length_squared() < a.length_squared() { b } else { a };
    (normal, nearer(nearer(p, q), r))
}

/// Not inlined: the hot path is one feature of the tracked simplex, not the search among several.
#[inline(never)]
fn on_segment_of_triangle(ends: [DVec3; 2], names: [u8; 2]) -> Nearest {
    on_segment(ends, names)
}

#[inline(never)]
fn on_face(corners: [DVec3; 3], names: [u8; 3]) -> Nearest {
    on_triangle(corners, names)
}

/// Weights of a point of the triangle moved by −`aside`, which lies in its plane: one step of refinement.
pub(crate) fn refined([p, q, r]: [DVec3; 3], weights: [f64; 4], aside: DVec3) -> [f64; 4] {
    let (pq, qr, rp) = (q - p, r - q, p - r);
    let normal = rp.cross(pq);
    let across = normal.cross(aside) / normal.length_squared();
    let [a, b, c, _] = weights;
    [most(a + across.dot(qr), 0.0), most(b + across.dot(rp), 0.0), most(c + across.dot(pq), 0.0), 0.0]
}

#[inline(never)]
fn in_tetrahedron(w: &[DVec3; 4]) -> Nearest {
    const FACES: [[u8; 4]; 4] = [[1, 2, 3, 0], [0, 2, 3, 1], [0, 1, 3, 2], [0, 1, 2, 3]];
    let mut best = Nearest { height: f64::INFINITY, ..on_point(w[0], 0) };
    let (mut weights, mut gradients) = ([0.0; 4], [DVec3::ZERO; 4]);
    let mut inside = true;
    for [i, j, k, opposite] in FACES {
        let [p, q, r, o] = [i, j, k, opposite].map(|v| w[v as usize]);
        let (pq, pr, po) = (q - p, r - p, o - p);
        let mut normal = pq.cross(pr);
        let mut of_origin = -normal.dot(p);
        if !(normal.length_squared() > NEEDLE * pq.length_squared() * pr.length_squared()) {
            let (better, foot) = normal_of_needle([p, q, r]);
            (normal, of_origin) = (better, -better.dot(foot));
        }
        let of_opposite = normal.dot(po);
        // Flat within rounding: no side is inside.
        let size = pq.abs().element_sum() * pr.abs().element_sum() * po.abs().element_sum();
        let flat = !(of_opposite.abs() > 32.0 * ROUNDOFF_F64 * size);
        gradients[opposite as usize] = normal / of_opposite;
        weights[opposite as usize] = of_origin / of_opposite;
        if flat || (of_origin < 0.0 && of_opposite > 0.0) || (of_origin > 0.0 && of_opposite < 0.0) {
            inside = false;
            let candidate = on_face([p, q, r], [i, j, k]);
            if candidate.height < best.height {
                best = candidate;
            }
        }
    }
    if inside {
        // In a thin tetrahedron the weights miss the origin by more than rounding: one step of refinement, and
        // if a face comes nearer still, that face.
        let missed = |weights: &[f64; 4]| w.iter().zip(weights).map(|(&p, &weight)| p * weight).sum::<DVec3>();
        let before = missed(&weights);
        for (weight, gradient) in weights.iter_mut().zip(&gradients) {
            *weight = most(*weight - gradient.dot(before), 0.0);
        }
        let after = missed(&weights).length();
        let size = w.iter().map(|p| p.abs().element_sum()).fold(0.0, most);
        if after > 64.0 * ROUNDOFF_F64 * size {
            let faces = FACES.map(|[i, j, k, _]| on_face([i, j, k].map(|v| w[v as usize]), [i, j, k]));
            let best = faces.into_iter().fold(best, |a, b| if b.height < a.height { b } else { a });
            if best.height < after {
                return best;
            }
        }
        return Nearest { vertices: [0, 1, 2, 3], count: 4, weights, normal: DVec3::ZERO, height: 0.0 };
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Random;

    /// Broke once: where an edge ran through the origin the normal was made from the edge's own length.
    #[test]
    fn the_normal_is_a_unit_vector_across_the_feature_even_through_the_origin() {
        let mut random = Random::new(41);
        for round in 0..3_000 {
            let mut w: Vec<DVec3> = (0..1 + round % 4).map(|_| random.point(2.0)).collect();
            if round % 3 == 0 && w.len() > 1 {
                w[1] = -w[0] * random.between(0.1, 3.0);
            }
            let found = nearest(&w);
            if found.count == 4 {
                continue;
            }
            assert!((found.normal.length() - 1.0).abs() <= 4.0 * ROUNDOFF_F64, "{found:?}");
            let first = w[found.vertices[0] as usize];
            for &v in &found.vertices[1..found.count] {
                assert!(found.normal.dot(w[v as usize] - first).abs() < 1e-14, "{found:?}");
            }
        }
    }

    #[test]
    fn no_point_of_the_simplex_is_nearer_than_the_nearest() {
        let mut random = Random::new(42);
        for round in 0..3_000 {
            let w: Vec<DVec3> = (0..1 + round % 4).map(|_| random.point(1.0) + DVec3::X * 0.7).collect();
            let found = nearest(&w);
            let weighted = found.vertices.iter().zip(&found.weights).take(found.count);
            let point: DVec3 = weighted.map(|(&v, &weight)| w[v as usize] * weight).sum();
            assert!((point.length() - found.height).abs() < 1e-12, "{found:?}");
            for _ in 0..20 {
                let shares: Vec<f64> = w.iter().map(|_| -random.unit().max(1e-300).ln()).collect();
                let sum: f64 = shares.iter().sum();
                let sample: DVec3 = w.iter().zip(&shares).map(|(&p, share)| p * (share / sum)).sum();
                assert!(sample.length() >= found.height - 1e-12, "{found:?}");
            }
        }
    }
}
