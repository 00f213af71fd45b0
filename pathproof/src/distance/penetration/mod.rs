//! Signed distance of convex shapes: the depth of their overlap, and its direction ("Enhancing GJK" §5).
//!
//! −MTD is the maximum over unit n of the separation s(n) = min n·B − max n·A. So every n gives a *lower* bound,
//! evaluated by the certified supports, and every ball around the origin inside {b − a} gives an *upper* bound: MTD is
//! at least the distance to the surface of an inner polytope. [`bracket`] takes both from GJK's last simplex and the
//! tracked face (the paper's |xᵢ| adds nothing: xᵢ was the support along some n, and −s(n) = |n·xᵢ| ≤ |xᵢ|);
//! [`signed_distance`] grows the simplex (expanding polytope, nearest face first) until the bounds meet.

mod polytope;

use self::polytope::{Face, Polytope};
use super::gjk::search::{Search, Slack, Vertex};
use super::gjk::simplex::nearest;
use super::gjk::{ConvexDistance, Outcome, Tracker, lower_separation, margin};
use crate::numeric::{DVec3, Pose, ROUNDOFF_F64, unit};
use crate::shapes::Convex;

/// Vertices added to the polytope before giving up with bounds. Polyhedra end by themselves; a rim with a whole circle
/// equally near (coaxial cylinders) never would.
const GROWTH_LIMIT: u32 = 2_048;

/// Bounds on the signed distance: positive apart, negative by the penetration depth (the smallest translation that
/// separates). `direction` is the one along which B must move to separate the bodies soonest, and along which they are
/// at least `lower` apart; if they overlap, the points are the deepest ones along it.
pub fn signed_distance(a: &Convex, b: &Convex, a_from_b: &Pose, tracker: &mut Tracker) -> ConvexDistance {
    signed(a, b, a_from_b, GROWTH_LIMIT, tracker)
}

/// The paper's quick bracket: as [`signed_distance`], but for overlapping cores it uses only GJK's last simplex and
/// the face of the last deep query. The tracked shortcut: while that face is still a face of {b − a}, `lower` is its
/// depth. The outcome is `Converged` only if the bounds met.
pub fn bracket(a: &Convex, b: &Convex, a_from_b: &Pose, tracker: &mut Tracker) -> ConvexDistance {
    signed(a, b, a_from_b, 0, tracker)
}

fn signed(a: &Convex, b: &Convex, a_from_b: &Pose, growth_limit: u32, tracker: &mut Tracker) -> ConvexDistance {
    let mut search = Search::new((a, a), (b, b), a_from_b, tracker);
    let found = search.descend(f64::INFINITY, Slack::NONE);
    let mut apart = search.answer(&found, search.lower(&found));
    apart.outcome = search.outcome(&apart, f64::INFINITY);
    if found.is_separated() && apart.outcome == Outcome::Converged {
        return apart;
    }
    let expansion = Expansion { outward: -apart.direction, reach: f64::INFINITY, apart, search };
    expansion.run(growth_limit)
}

struct Expansion<'a> {
    search: Search<'a, &'a Convex, &'a Convex>,
    /// GJK's result: its bounds hold too.
    apart: ConvexDistance,
    /// Least reach of {b − a} seen along an outward normal, and that normal: the MTD of the cores is no more.
    reach: f64,
    outward: DVec3,
}

impl Expansion<'_> {
    /// The vertex of {b − a} farthest along `outward`; remembers the direction if its reach is the least so far.
    fn probe(&mut self, outward: DVec3) -> Vertex {
        let vertex = self.search.extreme(-outward).0;
        let reach = outward.dot(vertex.w);
        if reach < self.reach {
            (self.reach, self.outward) = (reach, outward);
        }
        vertex
    }

    fn run(mut self, growth_limit: u32) -> ConvexDistance {
        self.probe(-self.apart.direction);
        if let Some(outward) = self.tracked_normal() {
            self.probe(outward);
        }
        let Some(mut polytope) = self.tetrahedron().and_then(Polytope::new) else {
            // {b − a} is flat within rounding: the probes across it have found its two sides.
            return self.answer(None);
        };
        // Four times the rounding margin: below it faces only chase noise.
        let tolerance = 4.0 * margin(self.search.scale);
        let mut grown = 0;
        loop {
            let (index, face) = polytope.lowest();
            let vertex = self.probe(face.normal);
            let known = face.corners.iter().any(|&v| polytope.vertices[v as usize].features == vertex.features);
            let done = self.reach - face.height <= tolerance || known || grown >= growth_limit;
            if done || !polytope.grow(vertex, index, 0.25 * tolerance) {
                return self.answer(Some((&polytope, face)));
            }
            grown += 1;
        }
    }

    /// Normal of the face on which the last deep query ended, in the current pose.
    fn tracked_normal(&self) -> Option<DVec3> {
        let corner = |features| self.search.vertex(features).map(|v| v.w);
        let [p, q, r] = self.search.tracker.face?;
        let (p, q, r) = (corner(p)?, corner(q)?, corner(r)?);
        let normal = unit((q - p).cross(r - p))?;
        Some(if normal.dot(p) < 0.0 { -normal } else { normal })
    }

    /// Four vertices with a volume around the origin, or next to it: GJK's simplex, completed by probing across its
    /// span. `None` if {b − a} is flat.
    ///
    /// Growing always starts where the surface comes nearest to the origin or leaves it outside, so the start need not
    /// hold the origin.
    fn tetrahedron(&mut self) -> Option<[Vertex; 4]> {
        if self.search.tracker.count == 1 {
            // A vertex at the origin itself would be inside the growing polytope, and in line with opposite vertices.
            self.search.tracker.count = 0;
            let first = self.probe(DVec3::X);
            self.search.push(&first);
        }
        while self.search.tracker.count < 4 {
            let count = self.search.tracker.count;
            let w = self.search.w;
            let across = match count {
                1 => vec![DVec3::X, DVec3::Y, DVec3::Z],
                2 => {
                    let (u, v) = unit(w[1] - w[0])?.any_orthonormal_pair();
                    vec![u, v]
                }
                _ => vec![unit((w[1] - w[0]).cross(w[2] - w[0]))?],
            };
            let flat = 64.0 * ROUNDOFF_F64 * self.search.scale;
            let sides = across.into_iter().flat_map(|n| [n, -n]);
            let probed: Vec<(f64, Vertex)> = sides
                .map(|n| {
                    let vertex = self.probe(n);
                    (n.dot(vertex.w - w[0]), vertex)
                })
                .collect();
            let (height, vertex) = probed.into_iter().max_by(|p, q| p.0.total_cmp(&q.0))?;
            if height <= flat {
                return None;
            }
            self.search.push(&vertex);
        }
        let Search { w, on_a, tracker, .. } = &self.search;
        Some(std::array::from_fn(|i| Vertex { w: w[i], a: on_a[i], features: tracker.simplex[i] }))
    }

    fn answer(self, last: Option<(&Polytope, Face)>) -> ConvexDistance {
        let Self { search, apart, outward, .. } = self;
        let (a, b, pose) = (search.a, search.b, search.a_from_b);
        let radii = a.radius() + b.radius();
        let mut answer = ConvexDistance { iterations: search.iterations, ..apart };
        let lower = lower_separation(a, b, pose, -outward, search.tracker.hints);
        if lower > apart.lower {
            answer.lower = lower;
            answer.direction = -outward;
        }
        if let Some((polytope, face)) = last {
            // GJK's own upper bound, from two points of the bodies, holds in any case.
            let inner = -face.height - radii + margin(search.scale);
            if face.height > 0.0 && inner < answer.upper && polytope.winds_around_the_origin() {
                answer.upper = inner;
            }
            let corners = face.corners.map(|v| polytope.vertices[v as usize]);
            // Otherwise an earlier direction was better, often the tracked face's own, which then stays.
            if answer.direction == -face.normal {
                search.tracker.face = Some(corners.map(|v| v.features));
            }
            if face.height > 0.0 {
                let corners = polytope.nearest_to_origin(face.height + 4.0 * margin(search.scale));
                (answer.point_on_a, answer.point_on_b) = deepest_points(&corners, a, b, answer.direction);
            }
        } else {
            // {b − a} is flat, so the cores meet in GJK's points and only the radii reach across.
            let turned = answer.direction - apart.direction;
            answer.point_on_a += turned * a.radius();
            answer.point_on_b -= turned * b.radius();
        }
        answer.outcome = search.outcome(&answer, f64::INFINITY);
        answer
    }
}

/// The points whose difference is the foot of the origin on the face.
fn deepest_points(corners: &[Vertex; 3], a: &Convex, b: &Convex, direction: DVec3) -> (DVec3, DVec3) {
    let foot = nearest(&corners.map(|v| v.w));
    let (mut on_a, mut difference) = (DVec3::ZERO, DVec3::ZERO);
    for (&v, &weight) in foot.vertices.iter().zip(&foot.weights).take(foot.count) {
        on_a += corners[v as usize].a * weight;
        difference += corners[v as usize].w * weight;
    }
    (on_a + direction * a.radius(), on_a + difference - direction * b.radius())
}

#[cfg(test)]
mod tests;
