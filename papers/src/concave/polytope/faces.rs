//! Half-spaces of the faces of a hull: coplanar triangles merged, offsets rounded outward so that the hull is inside.
//!
//! [`upper_excess`] bounds how far the half-spaces' set reaches beyond the hull.

use std::collections::HashMap;

use super::{Fit, HalfSpace};
use pathproof::numeric::{DVec3, ROUNDOFF_F64, least, most, norm_up, unit};
use pathproof::shapes::Hull;

/// Triangles with corners this close to a face's plane, relative to the size, and normals that differ by at most
/// [`TILT`] belong to it: the effect of rounding coordinates of coplanar points.
const FLAT: f64 = 64.0 * ROUNDOFF_F64;
const TILT: f64 = 1e-8;

/// A triangle of the hull, measured.
struct Facet {
    corners: [DVec3; 3],
    /// Outward, of length 1.
    normal: DVec3,
    /// Upper bound on the angle between `normal` and the exact one.
    tilt: f64,
    area: f64,
}

/// Half-spaces, the number of them that only bound the thickness of a flat polytope (they come first), and their fit.
struct Faces {
    half_spaces: Vec<HalfSpace>,
    caps: usize,
    /// Upper bound on the angle between an exact normal and its representative.
    tilt: f64,
    /// Upper bound on how far a triangle is behind its face's plane, in metres.
    gap: f64,
}

/// The half-spaces of a hull's faces, and how well they fit it.
pub(super) fn of_hull(hull: &Hull) -> (Vec<HalfSpace>, Fit) {
    let centre = hull.vertices().iter().sum::<DVec3>() / hull.vertices().len() as f64;
    let size = hull.upper_extent() + norm_up(centre);
    let outer_radius =
        hull.vertices().iter().map(|&v| norm_up(v - centre)).fold(0.0, most) * (1.0 + 4.0 * ROUNDOFF_F64);
    let Faces { half_spaces, caps, tilt, gap } =
        if hull.is_flat() { flat(hull, size) } else { solid_or_thin(hull, size) };
    let slack = |h: &HalfSpace| h.offset - h.normal.dot(centre) - 8.0 * ROUNDOFF_F64 * size;
    let inner_radius = half_spaces[caps..].iter().map(slack).fold(f64::INFINITY, least);
    let rounding = upper_excess(gap + 16.0 * ROUNDOFF_F64 * size, tilt, inner_radius, outer_radius);
    (half_spaces, Fit { centre, inner_radius, outer_radius, rounding })
}

/// Upper bound on the distance from a hull of a point x that satisfies the half-spaces (a, b). Each triangle of the
/// hull has one of them with b − a·p ≤ `gap` at its corners p and a at most `tilt` from its exact normal. A ball of
/// radius ρ at c is inside, and everything is within R of c.
///
/// Let y be the point of the hull nearest to x, d = |x − y| and m = (x − y)/d. m = Σ αᵢmᵢ with αᵢ ≥ 0 over the normals
/// mᵢ of the triangles at y. For each of them a·(x − y) ≤ b − a·y ≤ gap. From mᵢ·(c − y) ≤ −ρ follows Σ αᵢ ≤ |c − y|/ρ
/// ≤ R/ρ, and from 1 = Σ αᵢ mᵢ·m that some mᵢ·m ≥ ρ/R. So d (ρ/R − tilt) ≤ gap. A flat hull has the same proof within
/// its plane, and `gap` across it.
fn upper_excess(gap: f64, tilt: f64, inner_radius: f64, outer_radius: f64) -> f64 {
    // The stored planes give ρ only to within the gap and the tilt.
    let inner = inner_radius - gap - 2.0 * tilt * outer_radius;
    let sharpness = if outer_radius > 0.0 { inner / outer_radius - tilt } else { 1.0 };
    let least = if sharpness < 1.0 { sharpness } else { 1.0 };
    // Thinner than its own rounding: no bound is known.
    if least > 0.0 { gap * (1.0 / least + 1.0) * (1.0 + 1e-9) } else { f64::INFINITY }
}

/// A hull thinner than this, relative to its size, counts as the polygon seen from its largest face: computed corners
/// are never exactly coplanar.
const THIN: f64 = 1e-11;

fn solid_or_thin(hull: &Hull, size: f64) -> Faces {
    let facets = hull.triangles().iter().map(|t| facet(t.map(|v| hull.vertices()[v as usize])));
    let normal = facets.max_by(|a, b| a.area.total_cmp(&b.area)).map_or(DVec3::X, |largest| largest.normal);
    let thickness = outward(hull, normal, size).offset + outward(hull, -normal, size).offset;
    let (u, w) = normal.any_orthonormal_pair();
    let seen: Vec<DVec3> = hull.vertices().iter().map(|v| DVec3::new(u.dot(*v), w.dot(*v), 0.0)).collect();
    match Hull::new(&seen) {
        Ok(outline) if thickness <= THIN * size => {
            let Faces { half_spaces, caps, tilt, gap } = flat(&outline, size);
            let back = |h: &HalfSpace| u * h.normal.x + w * h.normal.y + normal * h.normal.z;
            let half_spaces = half_spaces.iter().map(|h| outward(hull, back(h), size)).collect();
            Faces { half_spaces, caps, tilt: tilt + 16.0 * ROUNDOFF_F64, gap: gap + 4.0 * thickness }
        }
        _ => solid(hull, size),
    }
}

/// The tightest half-space along `normal` that holds all vertices.
fn outward(hull: &Hull, normal: DVec3, size: f64) -> HalfSpace {
    let reach = hull.vertices().iter().map(|v| v.dot(normal)).fold(f64::NEG_INFINITY, most);
    HalfSpace { normal, offset: reach + 4.0 * ROUNDOFF_F64 * size }
}

/// A half-space per face; the largest triangle of a face gives its normal.
fn solid(hull: &Hull, size: f64) -> Faces {
    let facets: Vec<Facet> = hull.triangles().iter().map(|t| facet(t.map(|v| hull.vertices()[v as usize]))).collect();
    let sides: HashMap<(u32, u32), usize> = (hull.triangles().iter().enumerate())
        .flat_map(|(number, t)| [((t[0], t[1]), number), ((t[1], t[2]), number), ((t[2], t[0]), number)])
        .collect();
    let mut order: Vec<usize> = (0..facets.len()).collect();
    order.sort_by(|&i, &j| facets[j].area.total_cmp(&facets[i].area).then(i.cmp(&j)));
    let (mut is_taken, mut stack) = (vec![false; facets.len()], Vec::new());
    let mut faces = Faces { half_spaces: Vec::new(), caps: 0, tilt: 0.0, gap: 0.0 };
    for base in order {
        if is_taken[base] {
            continue;
        }
        let face = outward(hull, facets[base].normal, size);
        let behind = |p: &DVec3| face.offset - face.normal.dot(*p);
        is_taken[base] = true;
        stack.push(base);
        while let Some(number) = stack.pop() {
            let Facet { corners, normal, tilt, .. } = &facets[number];
            faces.tilt = most(faces.tilt, (*normal - face.normal).length() * (1.0 + 1e-9) + tilt);
            faces.gap = corners.iter().map(behind).fold(faces.gap, most);
            let t = hull.triangles()[number];
            for edge in [(t[1], t[0]), (t[2], t[1]), (t[0], t[2])] {
                let Some(&other) = sides.get(&edge) else { continue };
                let Facet { corners, normal, .. } = &facets[other];
                let is_flush = corners.iter().all(|p| behind(p) <= FLAT * size);
                if !is_taken[other] && is_flush && (*normal - face.normal).length() <= TILT {
                    is_taken[other] = true;
                    stack.push(other);
                }
            }
        }
        faces.half_spaces.push(face);
    }
    faces
}

fn facet(corners: [DVec3; 3]) -> Facet {
    let [a, b, c] = corners;
    let sides = [b - a, c - b, a - c];
    // The two shorter sides lose the fewest digits.
    let longest = (0..3).max_by(|&i, &j| sides[i].length_squared().total_cmp(&sides[j].length_squared())).unwrap_or(0);
    let (e, f) = (sides[(longest + 1) % 3], sides[(longest + 2) % 3]);
    let cross = e.cross(f);
    let area = cross.length();
    let normal = unit(cross).unwrap_or(DVec3::ZERO);
    // Each component of the cross product errs by less than 4 u |e||f|.
    let tilt = 8.0 * ROUNDOFF_F64 * (e.length() * f.length() / area) + 4.0 * ROUNDOFF_F64;
    Facet { corners, normal, tilt: if area > 0.0 { tilt } else { f64::INFINITY }, area }
}

/// A polygon, a segment or a point: caps that bound its thickness, then its sides.
fn flat(hull: &Hull, size: f64) -> Faces {
    let v = hull.vertices();
    let (normals, caps, tilt) = if v.len() == 1 {
        (vec![DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z, -DVec3::Z], 6, 0.0)
    } else if v.len() == 2 {
        let along = unit(v[1] - v[0]).unwrap_or(DVec3::X);
        let (u, w) = along.any_orthonormal_pair();
        (vec![u, -u, w, -w, along, -along], 4, 16.0 * ROUNDOFF_F64)
    } else {
        let facets = hull.triangles().iter().map(|t| facet(t.map(|i| v[i as usize])));
        // The polygon is exactly plane: the best triangle gives the normal of all.
        let best = facets.min_by(|a, b| a.tilt.total_cmp(&b.tilt)).expect("a polygon has triangles");
        let along = |i: usize| unit(v[(i + 1) % v.len()] - v[i]).unwrap_or(DVec3::ZERO);
        let sides = (0..v.len()).map(|i| unit(along(i).cross(best.normal)).unwrap_or(DVec3::ZERO));
        ([best.normal, -best.normal].into_iter().chain(sides).collect(), 2, best.tilt + 16.0 * ROUNDOFF_F64)
    };
    let half_spaces = normals.into_iter().map(|normal| outward(hull, normal, size)).collect();
    Faces { half_spaces, caps, tilt, gap: 3.0 * hull.upper_diameter() * tilt }
}
