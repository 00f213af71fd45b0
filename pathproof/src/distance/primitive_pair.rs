//! Two primitives of a query: triangles in closed form, everything else by the convex engine.
//!
//! Bounds carry the query's margin, which includes the rounding of the poses. Invariant: `upper` is 0, or negative
//! where distances are signed, only if the primitives meet wherever rounding may have put them.

use super::gjk::{self, ConvexDistance, Tracker};
use super::query::Query;
use super::triangle::Triangle;
use super::{penetration, triangle};
use crate::numeric::{DVec3, Pose, most, unit};
use crate::shapes::{Convex, Piece, Primitive};
use crate::trees::VolumeTree;

/// Result for a pair of primitives.
pub(crate) enum PrimitivePair {
    /// Farther apart than `beyond`.
    Beyond {
        /// Never above the distance.
        lower: f64,
    },
    /// Bounds and points.
    Near(Near),
}

/// Bounds on the distance of two primitives, and points of them; everything in A's frame. If distances are unsigned
/// and the primitives meet, both points are one common point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) on_a: DVec3,
    pub(crate) on_b: DVec3,
    /// Unit vector along which the primitives are at least `lower` apart.
    pub(crate) direction: DVec3,
}

/// A primitive as a convex shape with its pose; `$flat` holds it if it is a triangle.
macro_rules! convex {
    ($primitive:expr, $flat:ident) => {
        match $primitive {
            Primitive::Triangle(corners) => {
                $flat = Convex::triangle(corners);
                (&$flat, Pose::IDENTITY)
            }
            Primitive::Piece(Piece { shape, centre_from_piece }) => (shape, *centre_from_piece),
        }
    };
}

impl<T: VolumeTree> Query<'_, T> {
    /// The distance of two primitives, or only that it is above `beyond` if a cheap test shows that; `direction` is
    /// one that may separate them.
    #[inline(always)]
    pub(crate) fn primitive_pair(&self, a: usize, b: usize, direction: DVec3, beyond: f64) -> PrimitivePair {
        let Some((ta, tb)) = self.triangles(a, b) else {
            return PrimitivePair::Near(self.unlike_pair(a, b));
        };
        let between = tb[0] + tb[1] + tb[2] - (ta[0] + ta[1] + ta[2]);
        for n in [Some(direction), unit(between)].into_iter().flatten() {
            let lower = triangle::separation(&ta, &tb, n) - self.margin();
            if lower > beyond {
                return PrimitivePair::Beyond { lower };
            }
        }
        PrimitivePair::Near(self.triangle_pair(&ta, &tb))
    }

    /// True if two primitives are both triangles.
    #[inline(always)]
    pub(crate) fn are_triangles(&self, a: usize, b: usize) -> bool {
        a < self.body(0).triangles().len() && b < self.body(1).triangles().len()
    }

    /// The corners of two primitives in A's frame, if both are triangles.
    #[inline(always)]
    pub(crate) fn triangles(&self, a: usize, b: usize) -> Option<(Triangle, Triangle)> {
        match self.primitives(a, b) {
            [Primitive::Triangle(ta), Primitive::Triangle(tb)] => {
                Some((ta, [self.a_from_b().point(tb[0]), self.a_from_b().point(tb[1]), self.a_from_b().point(tb[2])]))
            }
            _ => None,
        }
    }

    /// The distance of two triangles, given in A's frame.
    #[inline(always)]
    pub(crate) fn triangle_pair(&self, ta: &Triangle, tb: &Triangle) -> Near {
        let d = triangle::distance(ta, tb, self.margin());
        Near { lower: d.lower, upper: d.upper, on_a: d.on_a, on_b: d.on_b, direction: d.direction }
    }

    /// The distance of two primitives that are not both triangles.
    pub(crate) fn unlike_pair(&self, a: usize, b: usize) -> Near {
        self.convex_pair(self.primitives(a, b), false)
    }

    /// The signed distance of two convex pieces: negative by the depth of penetration.
    pub(crate) fn signed_pair(&self, a: usize, b: usize) -> Near {
        self.convex_pair(self.primitives(a, b), true)
    }

    /// Lower bound on the distance of two primitives that are not both triangles: their separation along the unit
    /// vector n in A's axes.
    pub(crate) fn unlike_separation(&self, a: usize, b: usize, n: DVec3) -> f64 {
        let (flat_a, flat_b);
        let [a, b] = self.primitives(a, b);
        let (shape_a, a_from_shape) = convex!(a, flat_a);
        let (shape_b, b_from_shape) = convex!(b, flat_b);
        let relative = a_from_shape.inverse_mul(&(*self.a_from_b() * b_from_shape));
        // After rotation into the shape's axes it must be normalised again.
        let Some(n) = unit(a_from_shape.inverse_vector(n)) else { return f64::NEG_INFINITY };
        gjk::lower_separation(shape_a, shape_b, &relative, n, [0; 2]) - self.margin()
    }

    /// A pair of primitives with at least one convex piece.
    #[inline(never)]
    fn convex_pair(&self, [a, b]: [Primitive<'_>; 2], is_signed: bool) -> Near {
        let (flat_a, flat_b);
        let (shape_a, a_from_shape) = convex!(a, flat_a);
        let (shape_b, b_from_shape) = convex!(b, flat_b);
        let relative = a_from_shape.inverse_mul(&(*self.a_from_b() * b_from_shape));
        let mut tracker = Tracker::default();
        let d = if is_signed {
            penetration::signed_distance(shape_a, shape_b, &relative, &mut tracker)
        } else {
            gjk::distance(shape_a, shape_b, &relative, f64::INFINITY, &mut tracker)
        };
        // Overlap by more than rounding can move is certain contact; the margin decides, not the sign.
        let upper =
            if is_signed { d.upper + self.margin() } else { self.contact_or_apart(shape_a, shape_b, &relative, &d) };
        let [on_a, on_b] = if !is_signed && upper == 0.0 {
            [common_point(shape_a, shape_b, &d); 2]
        } else {
            [d.point_on_a, d.point_on_b]
        };
        Near {
            lower: d.lower - self.margin(),
            upper,
            on_a: a_from_shape.point(on_a),
            on_b: a_from_shape.point(on_b),
            direction: a_from_shape.vector(d.direction),
        }
    }

    /// Upper bound on an unsigned distance: 0 only if the shapes overlap by more than rounding can account for.
    fn contact_or_apart(&self, a: &Convex, b: &Convex, relative: &Pose, d: &ConvexDistance) -> f64 {
        if d.lower > self.margin() {
            return d.upper + self.margin();
        }
        let signed = penetration::bracket(a, b, relative, &mut Tracker::default());
        if signed.upper + self.margin() <= 0.0 {
            return 0.0;
        }
        // The bracket of a flat simplex is wide: boxes that overlap face to face may need the exact depth.
        let signed = penetration::signed_distance(a, b, relative, &mut Tracker::default());
        if signed.upper + self.margin() <= 0.0 { 0.0 } else { most(signed.upper, 0.0) + self.margin() }
    }
}

/// A common point of two overlapping shapes, in A's frame. GJK's final points, less the radii, are the cores' nearest
/// ones. If the cores overlap they are one point: the simplex holds the origin, and its weights give the same point of
/// both. Otherwise the point that divides the segment between them in the ratio of the radii is within both.
fn common_point(a: &Convex, b: &Convex, d: &ConvexDistance) -> DVec3 {
    let (radius_a, radius_b) = (a.radius(), b.radius());
    let core_a = d.point_on_a - d.direction * radius_a;
    let core_b = d.point_on_b + d.direction * radius_b;
    let share = if radius_a + radius_b > 0.0 { radius_a / (radius_a + radius_b) } else { 0.5 };
    core_a + (core_b - core_a) * share
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::Indexed;
    use crate::numeric::Random;
    use crate::shapes::{Body, Shape, TriangleMesh};

    /// Along a direction in A's axes, for any rotation of the pieces in their bodies.
    #[test]
    fn the_separation_of_pieces_is_that_along_the_direction_asked_for() {
        let mut random = Random::new(11);
        for case in 0..2_000 {
            let corners = |random: &mut Random| [0, 1, 2].map(|_| random.point(0.5));
            let cuboid = |random: &mut Random| DVec3::from_array([0, 1, 2].map(|_| random.between(0.1, 1.0)));
            let (size, piece, triangle) = (cuboid(&mut random), random.pose(0.5), corners(&mut random));
            let box_body = Body::new(vec![(piece, Shape::Convex(Convex::cuboid(size.to_array()).expect("a box")))])
                .expect("a body");
            let mesh = TriangleMesh::new(triangle.to_vec(), vec![[0, 1, 2]]).expect("a triangle");
            let box_corners = (0..8).map(|i| {
                let sign = |bit: i32| if i & bit == 0 { 0.5 } else { -0.5 };
                piece.point(size * DVec3::new(sign(1), sign(2), sign(4)))
            });
            let (held, flat): (Vec<DVec3>, Vec<DVec3>) = (box_corners.collect(), triangle.to_vec());
            let (one, two): (Indexed, Indexed) = (Indexed::new(box_body), Indexed::new(Body::from_mesh(mesh)));
            let (one, two, of_a, of_b) = if case % 2 == 0 { (one, two, held, flat) } else { (two, one, flat, held) };
            let (world_from_a, world_from_b) = (random.pose(1.0), random.pose(1.0));
            let query = Query::new(&one, &two, &world_from_a, &world_from_b);
            let n = random.direction();
            let greatest = of_a.iter().map(|p| n.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
            let in_a = |p: &DVec3| world_from_a.inverse_point(world_from_b.point(*p));
            let truth = of_b.iter().map(|p| n.dot(in_a(p))).fold(f64::INFINITY, f64::min) - greatest;
            let lower = query.unlike_separation(0, 0, n);
            assert!(lower <= truth && lower > truth - 1e-12, "{case}: {lower} of {truth}");
        }
    }
}
