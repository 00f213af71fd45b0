//! Distance of a point from everything in a tree, eight boxes at a time: separates a ball around one body from another
//! body (docs/design.md#balls).
//!
//! A lower bound: the least distance of the point from a set of boxes that hold everything. Nearest boxes are opened
//! first, down to the leaves, and only those nearer than the requested distance.

use super::drift::{TOO_FAR, UNDERFLOW};
use super::lanes::{each, greater, inner, lesser, load};
use super::{BoxTree, LANES};
use crate::numeric::simd::*;
use crate::numeric::{DVec3, ROUNDOFF_F32, norm_up};
use crate::trees::Slot;
use crate::trees::hulls::NodeHulls;

/// Distance of everything in a tree from a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FromPoint {
    /// Lower bound, in metres, rounding included.
    pub(crate) lower: f64,
    /// True if a box was opened that holds a solid component in several parts: the point may then be inside it.
    pub(crate) has_split_solid: bool,
}

/// Reused memory of searches, and the number of boxes tested.
#[derive(Clone, Debug, Default)]
pub(crate) struct PointScratch {
    /// Each with the square of its distance.
    pending: Vec<(Slot, f32)>,
    /// Number of boxes tested since this was last set to 0.
    pub(crate) volume_tests: u64,
}

/// Most nodes that are visited. Most searches visit fewer than eight; a point in the middle of a hollow sphere would
/// visit all of them.
const MOST_NODES: usize = 16;

/// The kernel's rounding, in units of u₃₂ times (|point| + the extent of the tree). Per axis, rounding the point costs
/// 1, the difference from a centre 1 and that from a half width 1 of these sizes on the axis; the norm of the three is
/// at most 3 of |point| + extent. Squares, sums and root add 3 of the distance, which is no larger. 16 leaves room.
const POINT_ROUNDING: f64 = 16.0;

impl BoxTree {
    /// Distance of everything in the tree from a point in the body's axes about its centre; `None` if the search ended
    /// before it was known.
    pub(crate) fn distance_from(
        &self,
        hulls: &NodeHulls,
        point: DVec3,
        enough: f64,
        width: Width,
        scratch: &mut PointScratch,
    ) -> Option<FromPoint> {
        let size = norm_up(point) + self.extent;
        if !(size < TOO_FAR) {
            return None;
        }
        let margin = POINT_ROUNDING * ROUNDOFF_F32 * size + UNDERFLOW;
        // Rounded to nearest: it selects the boxes to open, and the bound is valid for any selection.
        let squared = |length: f64| (length * length.abs()) as f32;
        let search = Search {
            tree: self,
            hulls,
            point: point.to_array().map(|c| c as f32),
            enough: squared(enough + margin),
            scratch,
        };
        let (least, has_split_solid) = run_lanes(width, search)?;
        Some(FromPoint { lower: f64::from(least).sqrt() - margin, has_split_solid })
    }
}

struct Search<'t> {
    tree: &'t BoxTree,
    hulls: &'t NodeHulls,
    point: [f32; 3],
    /// The square of a length.
    enough: f32,
    scratch: &'t mut PointScratch,
}

impl Kernel for Search<'_> {
    /// The least squared distance from a box that was not opened, and true if the opened boxes split a solid.
    type Output = Option<(f32, bool)>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let Self { tree, hulls, point, enough, scratch } = self;
        let PointScratch { pending, volume_tests } = scratch;
        let nothing = f32x8::splat(simd, f32::INFINITY);
        let (mut least_of_lanes, mut has_split_solid) = (nothing, false);
        pending.clear();
        let mut node = 0;
        for _ in 0..MOST_NODES {
            let boxes = &tree.nodes[node];
            *volume_tests += u64::from(boxes.members.count_ones());
            let (centres, halves) = (load(simd, &boxes.centre), load(simd, &boxes.half));
            let beyond = each(
                #[inline(always)]
                |i| greater((centres[i] - point[i]).abs() - halves[i], f32x8::splat(simd, 0.0)),
            );
            let squared = inner(&beyond, &beyond);
            let near = boxes.members & squared.simd_le(f32x8::splat(simd, enough)).to_bitmask() as u8;
            let is_far = mask32x8::from_bitmask(simd, u64::from(boxes.members & !near));
            least_of_lanes = lesser(is_far.select(squared, nothing), least_of_lanes);
            if near & boxes.leaves != 0 {
                return None;
            }
            if near != 0 {
                let squared = squared.to_array();
                let first = pending.len();
                let mut lanes = near;
                while lanes != 0 {
                    let lane = lanes.trailing_zeros() as usize;
                    lanes &= lanes - 1;
                    insert(pending, first, (Slot((node * LANES + lane) as u32), squared[lane]));
                }
            }
            let Some((slot, _)) = pending.pop() else {
                let least = least_of_lanes.to_array();
                return Some((
                    least.into_iter().fold(f32::INFINITY, |a, b| if a < b { a } else { b }),
                    has_split_solid,
                ));
            };
            has_split_solid |= hulls.splits_solid(slot);
            node = tree.child(slot) as usize;
        }
        None
    }
}

/// Keeps the entries from `first` on in order, the nearest last.
#[inline(always)]
fn insert(pending: &mut Vec<(Slot, f32)>, first: usize, entry: (Slot, f32)) {
    pending.push(entry);
    let mut place = pending.len() - 1;
    while place > first && pending[place - 1].1 < entry.1 {
        pending[place] = pending[place - 1];
        place -= 1;
    }
    pending[place] = entry;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Random;
    use crate::shapes::{Body, Convex, Primitive, Shape, TriangleMesh};
    use crate::trees::VolumeTree as _;
    use crate::trees::oracle::point_triangle;

    /// Random triangles, closed boxes of triangles, and balls, about unit size times `scale`.
    fn random_body(random: &mut Random, scale: f64) -> Body {
        let parts = (0..1 + random.below(12)).map(|_| {
            let size = scale * 10f64.powf(random.between(-2.0, 0.0));
            let shape = match random.below(3) {
                0 => Shape::Convex(Convex::sphere(size).expect("a ball")),
                1 => Shape::Mesh(cube([0; 3].map(|_| random.between(0.1, 1.0) * size))),
                _ => {
                    let count = 1 + random.below(20) as u32;
                    let corners = (0..3 * count).map(|_| random.point(1.0) * size).collect();
                    let triangles = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
                    Shape::Mesh(TriangleMesh::new(corners, triangles).expect("triangles"))
                }
            };
            (random.pose(scale), shape)
        });
        Body::new(parts.collect()).expect("a body")
    }

    /// A closed box of twelve triangles.
    fn cube([x, y, z]: [f64; 3]) -> TriangleMesh {
        let side = |k: u32, bit: u32, size: f64| if k >> bit & 1 == 1 { size } else { -size };
        let corners = (0..8).map(|k| DVec3::new(side(k, 0, x), side(k, 1, y), side(k, 2, z))).collect();
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
        TriangleMesh::new(corners, triangles).expect("a box")
    }

    /// Distance of a point from a body's triangles and balls.
    fn distance(body: &Body, point: DVec3) -> f64 {
        let of_primitive = |i: usize| match body.primitive(i) {
            Primitive::Triangle(corners) => point_triangle(point, &corners),
            Primitive::Piece(ball) => (point - ball.centre_from_piece.translation).length() - ball.shape.radius(),
        };
        (0..body.primitives()).map(of_primitive).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn lower_bounds_from_a_point_never_exceed_the_distance_and_are_better_than_asked_for() {
        let mut random = Random::new(71);
        let (mut told, mut not_told, mut scratch) = (0, 0, PointScratch::default());
        for case in 0..2_000 {
            let scale = [1.0, 1e-7, 1e5][case % 3];
            let body = random_body(&mut random, scale);
            let tree = BoxTree::build(&body);
            let hulls = NodeHulls::build(&tree, &body);
            for _ in 0..6 {
                let point = random.point(1.0) * scale * [0.5, 2.0, 8.0, 1e6][random.below(4)];
                let truth = distance(&body, point);
                let enough = [0.0, 0.5 * truth, 0.9 * truth, 1.5 * truth][random.below(4)].abs();
                let found = Width::available()
                    .into_iter()
                    .map(|width| tree.distance_from(&hulls, point, enough, width, &mut scratch));
                let found: Vec<_> = found.collect();
                assert!(found.iter().all(|other| *other == found[0]), "{case}: every width tells the same");
                let Some(found) = found[0] else {
                    not_told += 1;
                    continue;
                };
                told += 1;
                let noise = 1e-13 * (point.length() + scale);
                assert!(found.lower <= truth + noise, "{case}: {} of {truth} from {point}", found.lower);
                assert!(found.lower >= enough - noise, "{case}: {} of {enough} from {point}", found.lower);
            }
        }
        assert!(told > 4_000 && not_told > 2_000, "{told} told, {not_told} not");
    }

    /// In the middle of a hollow ball nearly all boxes are opened, and an unopened one is sometimes the nearest.
    #[test]
    fn no_box_is_left_out_where_many_are_nearly_as_near() {
        let mut random = Random::new(74);
        let (mut told, mut scratch) = (0, PointScratch::default());
        for case in 0..3_000 {
            let count = 1 + random.below(60) as u32;
            let corners = (0..count).flat_map(|_| {
                let place = random.direction() * random.between(1.0, 1.02);
                [(); 3].map(|()| place + random.point(0.05))
            });
            let corners: Vec<DVec3> = corners.collect();
            let triangles = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let body = Body::from_mesh(TriangleMesh::new(corners, triangles).expect("triangles"));
            let tree = BoxTree::build(&body);
            let hulls = NodeHulls::build(&tree, &body);
            let point = random.point(0.1) - body.centre();
            let truth = distance(&body, point);
            for enough in [0.5, 0.9, 0.99, 1.0001].map(|part| part * truth) {
                let found = tree.distance_from(&hulls, point, enough, Width::detect(), &mut scratch);
                assert!(
                    found.is_none_or(|found| found.lower <= truth),
                    "{case}: {found:?} of {truth}, {enough} enough"
                );
                told += usize::from(found.is_some());
            }
        }
        assert!(told > 3_000, "{told} told");
    }

    /// Squares in planes across the axes have boxes as flat as themselves, so the bound over them has only its margin
    /// to spare.
    #[test]
    fn lower_bounds_allow_for_rounding_where_boxes_are_exact() {
        let mut random = Random::new(72);
        let (mut scratch, mut largest) = (PointScratch::default(), 0f64);
        for case in 0..4_000 {
            let scale = 10f64.powf(random.between(-9.0, 9.0));
            let turn = |v: DVec3| [v, DVec3::new(v.z, v.x, v.y), DVec3::new(v.y, v.z, v.x)][case % 3] * scale;
            let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
            let corners = corners.map(|(x, y)| turn(DVec3::new(x, y, 0.0))).to_vec();
            let body = Body::from_mesh(TriangleMesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).expect("a square"));
            let tree = BoxTree::build(&body);
            let hulls = NodeHulls::build(&tree, &body);
            let height = 10f64.powf(random.between(-3.0, 3.0));
            let above = turn(DVec3::new(random.between(-0.9, 0.9), random.between(-0.9, 0.9), height));
            let found = tree.distance_from(&hulls, above - body.centre(), 0.0, Width::detect(), &mut scratch);
            let (lower, truth) = (found.expect("nothing is opened").lower, height * scale);
            assert!(lower <= truth, "{case}: {lower} of {truth}");
            // The distance less the margin.
            let size = truth + 2.0 * scale;
            largest = largest.max(1.0 - (truth - lower) / (POINT_ROUNDING * ROUNDOFF_F32 * size));
            assert!(lower > truth - 64.0 * ROUNDOFF_F32 * size - 2.0 * UNDERFLOW, "{case}: {lower} of {truth}");
        }
        assert!(largest > 0.02 && largest < 0.5, "rounding takes {largest} of the margin");
    }

    #[test]
    fn a_point_inside_of_a_solid_is_not_told_to_be_outside() {
        let mut random = Random::new(73);
        let (mut inside, mut outside, mut scratch) = (0, 0, PointScratch::default());
        for case in 0..2_000 {
            // Two closed boxes of triangles; the tree opens as many nodes as it must.
            let sizes = [[1.0, 0.8, 0.6], [0; 3].map(|_| random.between(0.2, 1.0))];
            let place = DVec3::X * random.between(2.2, 4.0);
            let parts = vec![
                (crate::numeric::Pose::IDENTITY, Shape::Mesh(cube(sizes[0]))),
                (crate::numeric::Pose::from_translation(place), Shape::Mesh(cube(sizes[1]))),
            ];
            let body = Body::new(parts).expect("a body");
            let tree = BoxTree::build(&body);
            let hulls = NodeHulls::build(&tree, &body);
            let point = random.point(2.0) + DVec3::X * random.between(0.0, 4.0);
            let is_in = |centre: DVec3, [x, y, z]: [f64; 3]| (point - centre).abs().cmplt(DVec3::new(x, y, z)).all();
            let is_inside = is_in(DVec3::ZERO, sizes[0]) || is_in(place, sizes[1]);
            let enough = distance(&body, point - body.centre()) * random.between(0.0, 0.9);
            let found = tree.distance_from(&hulls, point - body.centre(), enough, Width::detect(), &mut scratch);
            let Some(found) = found else { continue };
            assert!(!is_inside || found.has_split_solid, "{case}: {point} is inside");
            inside += usize::from(is_inside);
            outside += usize::from(!found.has_split_solid);
        }
        assert!(inside > 50 && outside > 500, "{inside} inside, {outside} told to be outside");
    }

    #[test]
    fn nothing_is_told_from_a_point_that_is_nowhere() {
        let body = Body::from_convex(Convex::sphere(1.0).expect("a ball"));
        let tree = BoxTree::build(&body);
        let hulls = NodeHulls::build(&tree, &body);
        for bad in [f64::NAN, f64::INFINITY, 1e30] {
            let point = DVec3::new(0.0, bad, 0.0);
            assert_eq!(
                tree.distance_from(&hulls, point, 0.1, Width::detect(), &mut PointScratch::default()),
                None,
                "{bad}"
            );
        }
        let nothing =
            tree.distance_from(&hulls, DVec3::X * 3.0, f64::NAN, Width::detect(), &mut PointScratch::default());
        assert!(nothing.is_none_or(|found| found.lower <= 2.0), "{nothing:?}");
    }
}
