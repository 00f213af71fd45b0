//! What meshes enclose: which of their components are closed, and solid angles about a point.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use pathproof::numeric::DVec3;

/// Winding number about a point of triangles that are closed, by solid angles.
pub(crate) fn winding(closed: &[[DVec3; 3]], p: DVec3) -> f64 {
    closed.iter().map(|t| solid_angle(t.map(|c| c - p))).sum::<f64>() / (4.0 * PI)
}

/// The triangles of closed components, joined by edges with equal ends; an open component encloses nothing. Closed: every
/// edge of every triangle is met by exactly one in the other direction.
pub(crate) fn closed_triangles(triangles: &[[DVec3; 3]]) -> Vec<[DVec3; 3]> {
    let key = |p: DVec3| (p + DVec3::ZERO).to_array().map(f64::to_bits);
    let edges = |t: &[DVec3; 3]| [[key(t[0]), key(t[1])], [key(t[1]), key(t[2])], [key(t[2]), key(t[0])]];
    let mut at_edge: BTreeMap<[[u64; 3]; 2], Vec<usize>> = BTreeMap::new();
    for (i, t) in triangles.iter().enumerate() {
        edges(t).into_iter().for_each(|edge| at_edge.entry(edge).or_default().push(i));
    }
    let at = |edge: [[u64; 3]; 2]| at_edge.get(&edge).map_or(&[][..], Vec::as_slice);
    let mut component = vec![usize::MAX; triangles.len()];
    let mut is_closed = Vec::new();
    for seed in 0..triangles.len() {
        if component[seed] != usize::MAX {
            continue;
        }
        let number = is_closed.len();
        is_closed.push(true);
        component[seed] = number;
        let mut waiting = vec![seed];
        while let Some(i) = waiting.pop() {
            for [u, v] in edges(&triangles[i]) {
                is_closed[number] &= at([v, u]).len() == 1;
                for &j in at([u, v]).iter().chain(at([v, u])) {
                    if component[j] == usize::MAX {
                        component[j] = number;
                        waiting.push(j);
                    }
                }
            }
        }
    }
    triangles.iter().zip(&component).filter(|(_, c)| is_closed[**c]).map(|(t, _)| *t).collect()
}

fn solid_angle([a, b, c]: [DVec3; 3]) -> f64 {
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let numerator = a.dot(b.cross(c));
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * numerator.atan2(denominator)
}
