//! The point of a simplex of up to four points that is nearest to the origin.
//!
//! Used instead of the subset-indexed cofactors of "Enhancing GJK" §3.3: those multiply up to six dot products of
//! whole positions, so that far or thin simplices lose all digits. Here the region is found from edge and face
//! normals, and the direction is the feature's own normal (a cross product, or a vector made orthogonal to the edge
//! again), exact to rounding however close the origin is. A direction from the nearest point itself would be noise
//! there, and the bound behind it useless.
// Negated comparisons are intended: they send NaN to the safe side.
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

/// The same if the last point is new and the others were all needed for the nearest point before. Unless rounding
/// decides, the nearest point now needs the new one, so only features with it are examined. They are compared by
/// squared distances, and only the nearest is then computed with care. The caller falls back on [`nearest`] if it
/// comes no nearer.
#[inline(always)]
pub(crate) fn nearest_with_last(w: &[DVec3]) -> Nearest {
    match w {
        [p, q, new] => on_new_edges([*p, *q], *new),
        [p, q, r, new] => on_new_faces([*p, *q, *r], *new),
        _ => nearest(w),
    }
}

/// The origin's foot on the line or plane through the new point.
#[derive(Clone, Copy)]
struct Foot {
    /// Squared distance from the origin; infinite if the foot is not on the feature.
    squared: f64,
    /// True if it lies beyond the points that were there before.
    is_beyond: bool,
}

/// Foot on the edge from the new point along `edge`, which has the squared length `length`; `along` is edge · (origin
/// − new) and `of_new` the new point's squared distance.
#[inline(always)]
fn foot_on_edge(along: f64, length: f64, of_new: f64) -> Foot {
    let squared = if along > 0.0 { of_new - along * along / length } else { f64::INFINITY };
    Foot { squared, is_beyond: along > length }
}

#[inline(always)]
fn on_new_edges([p, q]: [DVec3; 2], new: DVec3) -> Nearest {
    let (to_p, to_q, of_new) = (p - new, q - new, new.length_squared());
    let (along_p, along_q, between) = (-to_p.dot(new), -to_q.dot(new), to_p.dot(to_q));
    let (length_p, length_q) = (to_p.length_squared(), to_q.length_squared());
    if along_p * length_q > along_q * between && along_q * length_p > along_p * between {
        return on_triangle([p, q, new], [0, 1, 2]);
    }
    let (foot_p, foot_q) = (foot_on_edge(along_p, length_p, of_new), foot_on_edge(along_q, length_q, of_new));
    if foot_p.is_beyond || foot_q.is_beyond {
        return on_triangle([p, q, new], [0, 1, 2]);
    }
    if foot_p.squared <= foot_q.squared && foot_p.squared < of_new {
        on_segment([p, new], [0, 2])
    } else if foot_q.squared < of_new {
        on_segment([q, new], [1, 2])
    } else {
        on_point(new, 2)
    }
}

#[inline(never)]
fn on_new_faces(old: [DVec3; 3], new: DVec3) -> Nearest {
    let general = || in_tetrahedron(&[old[0], old[1], old[2], new]);
    let (to, of_new) = (old.map(|p| p - new), new.length_squared());
    let (along, length) = (to.map(|e| -e.dot(new)), to.map(|e| e.length_squared()));
    let normals = [to[1].cross(to[2]), to[2].cross(to[0]), to[0].cross(to[1])];
    // Six times the volume, and the same with the origin in place of each old point: inside if all have one sign.
    let volume = to[0].dot(normals[0]);
    let of_origin = normals.map(|n| -n.dot(new));
    if of_origin.iter().all(|v| !(v * volume < 0.0)) {
        return general();
    }
    let mut best = (of_new, None);
    for (i, foot) in [0, 1, 2].map(|i| foot_on_edge(along[i], length[i], of_new)).into_iter().enumerate() {
        if foot.is_beyond {
            return general();
        }
        if foot.squared < best.0 {
            best = (foot.squared, Some((i, i)));
        }
    }
    for (opposite, (i, j)) in [(1, 2), (0, 2), (0, 1)].into_iter().enumerate() {
        let between = to[i].dot(to[j]);
        let within = along[i] * length[j] > along[j] * between && along[j] * length[i] > along[i] * between;
        // Seen from outside; otherwise the foot is not the nearest point to the origin.
        if within && of_origin[opposite] * volume < 0.0 {
            let squared = of_origin[opposite] * of_origin[opposite] / normals[opposite].length_squared();
            if squared < best.0 {
                best = (squared, Some((i, j)));
            }
        }
    }
    match best.1 {
        None => on_point(new, 3),
        Some((i, j)) if i == j => on_segment([old[i], new], [i as u8, 3]),
        Some((i, j)) => on_triangle([old[i], old[j], new], [i as u8, j as u8, 3]),
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
    let (end, way) = if t < 0.5 { (p, t) } else { (q, t - 1.0) };
    let foot = end + edge * way;
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
    // On the plane; the corner nearest to the origin loses the fewest digits.
    let mut foot = p;
    if !(squared > NEEDLE * edges) {
        (normal, foot) = normal_of_needle([p, q, r]);
        squared = normal.length_squared();
    }
    // A triangle thinner than its own rounding has no normal; its edges replace it.
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
            // By its sign, without a branch: the side is hard to predict.
            normal: unit * 1f64.copysign(height),
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

/// The normal of a triangle from its two shorter edges, and its corner nearest to the origin: a long edge is off by
/// more than the whole width of a needle.
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

    /// Failed once: if an edge ran through the origin, the normal was made from the edge's own length.
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

    /// The case in GJK: the points so far all carry the nearest one, the new one is nearer to the origin along its
    /// direction.
    #[test]
    fn features_with_the_new_point_hold_the_nearest_one() {
        let mut random = Random::new(43);
        let mut counts = [0; 5];
        for round in 0..60_000 {
            let size = [1.0, 1.0, 1e-3][round % 3];
            let away = random.direction() * random.between(0.0, 1.5) * size;
            let mut w: Vec<DVec3> = (0..2 + round % 2).map(|_| random.point(size) + away).collect();
            let before = nearest(&w);
            if before.count < w.len() || before.height < 1e-9 {
                continue;
            }
            let new = random.point(size) + away;
            w.push(new - before.normal * (before.normal.dot(new) - before.height * random.between(-1.0, 1.0)));
            let (expected, found) = (nearest(&w), nearest_with_last(&w));
            assert!((found.height - expected.height).abs() <= 1e-12 * size, "{round}: {found:?} {expected:?} {w:?}");
            counts[found.count] += 1;
        }
        assert!(counts[1..].iter().all(|count| *count > 50), "{counts:?}");
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
