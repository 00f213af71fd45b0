//! Tests of private parts: bounds of inner boxes, the kernel's margin, and trees that are broken on purpose.

use super::super::oracle;
use super::drift::Drifts;
use super::*;
use crate::numeric::simd::{Kernel, Width, run_lanes};
use crate::numeric::{ROUNDOFF_F32, Random};
use crate::shapes::{Aabb, Convex, Primitive, Shape, TriangleMesh};

fn body(vertices: Vec<DVec3>) -> Body {
    let triangles = (0..vertices.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    Body::from_mesh(TriangleMesh::new(vertices, triangles).expect("valid"))
}

/// Triangles of a kind that boxes, slabs or both hold well or badly, about unit size; none is cut, so that a leaf
/// holds all of its primitive.
fn random_body(random: &mut Random, scale: f64) -> Body {
    loop {
        let body = any_body(random, scale);
        if BoxTree::build(&body).shattered.is_empty() {
            return body;
        }
    }
}

fn any_body(random: &mut Random, scale: f64) -> Body {
    let kind = random.below(4);
    let n = 2 + random.below(30);
    let plane = random.pose(0.0);
    let mut vertices = Vec::new();
    for _ in 0..n {
        let base = random.point(1.0);
        let size = [0.3, 0.01, 1.0, 0.3][kind];
        for _ in 0..3 {
            let p = base + random.point(size);
            // Kind 0: all in one slanted plane.
            let p = if kind == 0 { plane.point(DVec3::new(p.x, p.y, 0.0)) } else { p };
            vertices.push(p * scale);
        }
    }
    if kind == 3 {
        vertices[1] = vertices[0];
        vertices[5] = vertices[4];
    }
    body(vertices)
}

fn slots(tree: &BoxTree) -> Vec<Slot> {
    let mut all = vec![tree.root()];
    let mut next = 0;
    while next < all.len() {
        let slot = all[next];
        next += 1;
        if tree.primitive(slot).is_none() {
            let node = tree.child(slot);
            all.extend(tree.lanes(node).map(|lane| Slot(node * LANES as u32 + lane)));
        }
    }
    all
}

/// The triangles below a slot.
fn below(tree: &BoxTree, body: &Body, slot: Slot) -> Vec<[DVec3; 3]> {
    match tree.primitive(slot) {
        Some(i) => match body.primitive(i) {
            Primitive::Triangle(corners) => vec![corners],
            Primitive::Piece(_) => unreachable!("meshes only"),
        },
        None => {
            let node = tree.child(slot);
            let slots: Vec<Slot> = tree.lanes(node).map(|lane| Slot(node * LANES as u32 + lane)).collect();
            slots.into_iter().flat_map(|s| below(tree, body, s)).collect()
        }
    }
}

fn true_distance(a: &[[DVec3; 3]], b: &[[DVec3; 3]], a_from_b: &Pose) -> f64 {
    let mut best = f64::INFINITY;
    for tb in b.iter().map(|t| t.map(|p| a_from_b.point(p))) {
        for ta in a {
            best = best.min(oracle::triangles(ta, &tb));
        }
    }
    best
}

#[test]
fn bounds_of_inner_boxes_never_exceed_the_distance_of_what_they_hold() {
    let mut random = Random::new(1);
    let (mut positive, mut better_across) = (0, 0);
    for case in 0..1_500 {
        let scale = [1.0, 1e-7, 1e5][case % 3];
        let (a, b) = (random_body(&mut random, scale), random_body(&mut random, scale));
        let (ta, tb) = (BoxTree::build(&a), BoxTree::build(&b));
        let mut a_from_b = {
            let reach = [0.5, 2.0, 1e5][random.below(3)] * scale;
            random.pose(reach)
        };
        if random.below(4) == 0 {
            a_from_b.rotation = crate::numeric::DMat3::IDENTITY;
        }
        let pair = BoxTree::pair(&ta, &tb, &a_from_b, 0.0);
        let direction = Direction::new(random.direction(), &a_from_b);
        let (sa, sb) = (slots(&ta), slots(&tb));
        for _ in 0..4 {
            let (slot_a, slot_b) = (sa[random.below(sa.len())], sb[random.below(sb.len())]);
            for side in [Side::A, Side::B] {
                let (opened_tree, opened, other) = match side {
                    Side::A => (&ta, slot_a, slot_b),
                    Side::B => (&tb, slot_b, slot_a),
                };
                if opened_tree.primitive(opened).is_some() {
                    continue;
                }
                let siblings = opened_tree.siblings(side, opened, other);
                assert_eq!(
                    siblings.members.count_ones() as usize,
                    opened_tree.lanes(opened_tree.child(opened)).count()
                );
                let i = random.below(siblings.members.count_ones() as usize);
                let [in_a, in_b] = siblings.slots(i);
                let truth = true_distance(&below(&ta, &a, in_a), &below(&tb, &b, in_b), &a_from_b);
                let looked = look(&pair, [&ta, &tb], &siblings, &direction, &Drifts::STILL);
                let lower = f64::from(looked.bounds[i]);
                assert!(lower <= truth, "{case}: {lower:e} of {truth:e}");
                positive += usize::from(lower > 0.0);
                let across = f64::from(looked.lower_across[i]);
                assert!(across <= truth, "{case}: {across:e} of {truth:e} across slabs");
                better_across += usize::from(across > 0.0 && across > f64::from(looked.lower[i]));
            }
        }
    }
    assert!(positive > 1_000 && better_across > 100, "{positive} {better_across}");
}

/// The leaf that holds primitive `i`.
fn leaf(tree: &BoxTree, i: usize) -> Slot {
    *slots(tree).iter().find(|s| tree.primitive(**s) == Some(i)).expect("every primitive has a leaf")
}

/// The kernel's best bound for two slots, whichever is opened.
fn bound(
    pair: &BoxPair,
    side: Side,
    (ta, slot_a): (&BoxTree, Slot),
    (tb, slot_b): (&BoxTree, Slot),
    n: &Direction,
) -> f32 {
    let (opened, other) = if side == Side::A { (slot_a, slot_b) } else { (slot_b, slot_a) };
    let siblings = SiblingPairs::only(side, opened, other);
    let lane = opened.0 as usize % LANES;
    assert_eq!(siblings.slots(lane), [slot_a, slot_b]);
    let looked = look(pair, [ta, tb], &siblings, n, &Drifts::STILL);
    looked.bounds[lane].max(looked.lower_across[lane]).max(looked.gaps[lane])
}

/// Results of all kernels for sibling pairs.
struct Look<'l> {
    pair: &'l BoxPair,
    trees: [&'l BoxTree; 2],
    siblings: &'l SiblingPairs,
    direction: &'l Direction,
    drifts: &'l Drifts,
}

#[derive(Clone, Debug)]
struct Looked {
    bounds: Lanes,
    /// Along one axis.
    gaps: Lanes,
    lower: Lanes,
    upper_closing: [Lanes; 2],
    /// Across slabs.
    lower_across: Lanes,
    upper_closing_across: [Lanes; 2],
}

impl Looked {
    /// Along the boxes' gaps and across slabs: bounds and closings.
    fn both(&self) -> [(Lanes, [Lanes; 2]); 2] {
        [(self.lower, self.upper_closing), (self.lower_across, self.upper_closing_across)]
    }
}

impl Kernel for Look<'_> {
    type Output = Looked;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Looked {
        let Look { pair, trees, siblings, direction, drifts } = self;
        let (opened_tree, other_tree) = siblings.trees(trees);
        let node = siblings.node as usize;
        let opened = (&opened_tree.nodes[node], &opened_tree.slabs[node]);
        let other = other_tree.other(siblings.other);
        let bounds = pair.lower_bounds(simd, siblings.side, opened, &other, direction, f32::INFINITY);
        // A bound that reaches `enough` is valid as well, and no better than the best.
        for enough in [f32::NEG_INFINITY, 0.0, pair.margin * 100.0] {
            let early = pair.lower_bounds(simd, siblings.side, opened, &other, direction, enough);
            for lane in 0..LANES {
                let is_same = early[lane] == bounds[lane] || bounds[lane].is_nan();
                assert!(
                    is_same || (early[lane] > enough && early[lane] < bounds[lane]),
                    "{early:?} {bounds:?} {enough}"
                );
            }
        }
        let near = BoxTree::approach(simd, pair, trees, drifts, siblings);
        let gaps = BoxTree::gaps(simd, pair, trees, siblings);
        for lane in 0..LANES {
            // Along one axis, boxes that overlap have the same depth; others are no farther apart, and at least half
            // as far.
            let [gap, lower] = [gaps[lane], near.lower[lane]];
            let is_as_deep = gap == lower || (lower.is_nan() && !(gap > 0.0));
            let is_apart = lower >= -pair.margin && gap <= lower + pair.margin && gap >= 0.5 * lower - pair.margin;
            let is_member = siblings.members >> lane & 1 == 1;
            assert!(!is_member || is_as_deep || is_apart, "{gaps:?} {:?}", near.lower);
        }
        let across = BoxTree::approach_across(simd, pair, trees, drifts, siblings);
        let gaps_across: Lanes = BoxTree::gaps_across(simd, pair, trees, siblings).into();
        let lower_across: Lanes = across.lower.into();
        assert_eq!(gaps_across.map(f32::to_bits), lower_across.map(f32::to_bits));
        let [earlier, later] = near.upper_closing;
        let [earlier_across, later_across] = across.upper_closing;
        Looked {
            bounds: bounds.into(),
            gaps: gaps.into(),
            lower: near.lower.into(),
            upper_closing: [earlier.into(), later.into()],
            lower_across,
            upper_closing_across: [earlier_across.into(), later_across.into()],
        }
    }
}

/// Tests sibling pairs with every width, which must give the same bits.
fn look(
    pair: &BoxPair,
    trees: [&BoxTree; 2],
    siblings: &SiblingPairs,
    direction: &Direction,
    drifts: &Drifts,
) -> Looked {
    let at = |width| run_lanes(width, Look { pair, trees, siblings, direction, drifts });
    let looked = at(Width::Base);
    for width in Width::available() {
        let other = at(width);
        // The bits of a NaN do not matter.
        let bits = |v: Lanes| v.map(|x| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() });
        let bits_of = |(lower, [earlier, later]): (Lanes, [Lanes; 2])| [lower, earlier, later].map(bits);
        let bits = |l: &Looked| (bits(l.bounds), l.both().map(bits_of));
        assert_eq!(bits(&looked), bits(&other));
    }
    looked
}

/// Bodies that move by the fields of a half cell: displaced by any fraction, they are never nearer than the bound less
/// the closing.
#[test]
fn what_drifts_comes_no_nearer_than_the_bound_less_the_closing() {
    let mut random = Random::new(8);
    let (mut proven, mut closing, mut tight) = ([0; 2], [0; 2], [0; 2]);
    for case in 0..3_000 {
        let scale = [1.0, 1e-5, 1e4][case % 3];
        let (a, b) = (random_body(&mut random, 0.3 * scale), random_body(&mut random, 0.3 * scale));
        let (ta, tb) = (BoxTree::build(&a), BoxTree::build(&b));
        let a_from_b = random.pose(1.5 * scale);
        let pair = BoxTree::pair(&ta, &tb, &a_from_b, 0.0);
        // A field that stands still, only turns, only slides, or does both.
        let mut field = || {
            let kind = random.below(4);
            let (linear, angular) = (random.point(scale), random.point(1.0));
            [linear * f64::from(u8::from(kind & 1 != 0)), angular * f64::from(u8::from(kind & 2 != 0))]
        };
        let fields = [field(), field()];
        let bend = [0.0, 0.1 * scale][random.below(2)];
        let drifts = Drifts::new(fields, bend, [ta.extent(), tb.extent()]);
        let direction = Direction::new(random.direction(), &a_from_b);
        let (sa, sb) = (slots(&ta), slots(&tb));
        for _ in 0..8 {
            let (slot_a, slot_b) = (sa[random.below(sa.len())], sb[random.below(sb.len())]);
            let side = [Side::A, Side::B][random.below(2)];
            let (on_side, other) = if side == Side::A { (slot_a, slot_b) } else { (slot_b, slot_a) };
            let looked = look(&pair, [&ta, &tb], &SiblingPairs::only(side, on_side, other), &direction, &drifts);
            let lane = on_side.0 as usize % LANES;
            let (held_a, held_b) = (below(&ta, &a, slot_a), below(&tb, &b, slot_b));
            for (way, half, sign) in [(0, 0, -1.0), (0, 1, 1.0), (1, 0, -1.0), (1, 1, 1.0)] {
                let (lower, upper_closing) = looked.both()[way];
                let lower = f64::from(lower[lane]);
                if !(lower > 0.0) {
                    continue;
                }
                proven[way] += 1;
                let guaranteed = lower - f64::from(upper_closing[half][lane]);
                for fraction in [0.3, 1.0] {
                    let displaced = |held: &[[DVec3; 3]], [linear, angular]: [DVec3; 2]| -> Vec<[DVec3; 3]> {
                        let by = |p: DVec3| p + (linear + angular.cross(p)) * (sign * fraction);
                        held.iter().map(|t| t.map(by)).collect()
                    };
                    let truth =
                        true_distance(&displaced(&held_a, fields[0]), &displaced(&held_b, fields[1]), &a_from_b);
                    // The stray grows with the square of time.
                    let truth = truth - bend * fraction * fraction;
                    assert!(guaranteed <= truth, "{case}: {guaranteed:e} of {truth:e} in half {half}, {looked:?}");
                    closing[way] += usize::from(guaranteed < 0.99 * lower && guaranteed > 0.0);
                    tight[way] += usize::from(guaranteed > 0.0 && guaranteed > 0.9 * truth && guaranteed < 0.9 * lower);
                }
            }
        }
    }
    let enough = |way: usize| proven[way] > 6_000 && closing[way] > 1_000 && tight[way] > 100;
    assert!(enough(0) && enough(1), "{proven:?} {closing:?} {tight:?}");
}

/// Points that approach each other along an axis by numbers that `f32` rounds down.
#[test]
fn closings_are_never_rounded_down() {
    let mut random = Random::new(9);
    let point = |p: DVec3| body([p; 3].to_vec());
    let (a, b) = (point(DVec3::ZERO), point(DVec3::ZERO));
    let (ta, tb) = (BoxTree::build(&a), BoxTree::build(&b));
    let mut rounded_down = 0;
    for case in 0..2_000 {
        let turn = if case % 2 == 0 { random.pose(0.0) } else { Pose::IDENTITY };
        let a_from_b = Pose { translation: DVec3::X * 2.0, ..turn };
        let pair = BoxTree::pair(&ta, &tb, &a_from_b, 0.0);
        let (of_a, of_b) = (random.between(0.0, 0.7), random.between(0.0, 0.7));
        let fields = [[DVec3::X * of_a, DVec3::ZERO], [a_from_b.inverse_vector(DVec3::X * -of_b), DVec3::ZERO]];
        let drifts = Drifts::new(fields, 0.0, [ta.extent(), tb.extent()]);
        let direction = Direction::new(DVec3::X, &a_from_b);
        let looked = look(&pair, [&ta, &tb], &SiblingPairs::ROOTS, &direction, &drifts);
        let upper = f64::from(looked.upper_closing[1][0]);
        assert!(upper >= of_a + of_b && upper < (of_a + of_b) * 1.001 + 1e-5, "{upper} of {}", of_a + of_b);
        assert!(looked.upper_closing[0][0] == 0.0, "they part in the earlier half");
        rounded_down += usize::from(f64::from(of_a as f32 + of_b as f32) < of_a + of_b);
    }
    assert!(rounded_down > 500, "{rounded_down}");
}

/// Bodies so small and so near that squares and products of their gap are denormal or zero: the length of the gap
/// loses digits, and with it the direction along which displacements are measured. If a gap is proven, the bound on
/// closing is at least the true closing, however large it is against the gap (a negative clearance allows that).
#[test]
fn closings_are_never_rounded_down_where_squares_underflow() {
    let mut random = Random::new(10);
    let mut proven = [0; 2];
    for case in 0..40_000 {
        // From vanishing to normal squares, most of them near the range where digits are lost.
        let gap = 10f64.powf([random.between(-24.0, -12.0), random.between(-20.1, -17.5)][case % 2]);
        let direction = random.direction();
        let point = |p: DVec3| body([p; 3].to_vec());
        let (a, b) = (point(DVec3::ZERO), point(DVec3::ZERO));
        let (ta, tb) = (BoxTree::build(&a), BoxTree::build(&b));
        let a_from_b = Pose::from_translation(direction * gap);
        let pair = BoxTree::pair(&ta, &tb, &a_from_b, 0.0);
        // From denormal displacements to some many times the gap.
        let size = 10f64.powf(random.between(-46.0, 0.0));
        let fields = [[random.point(size), DVec3::ZERO], [random.point(size), DVec3::ZERO]];
        let drifts = Drifts::new(fields, 0.0, [ta.extent(), tb.extent()]);
        let looked = look(&pair, [&ta, &tb], &SiblingPairs::ROOTS, &Direction::new(direction, &a_from_b), &drifts);
        if !(looked.lower[0] > 0.0) {
            continue;
        }
        proven[usize::from(gap < 1e-17)] += 1;
        assert!(f64::from(looked.lower[0]) <= gap, "{gap:e}: {looked:?}");
        // Both are points: the gap's direction, as `f32` has it.
        let along = DVec3::from_array(direction.to_array().map(|c| f64::from((c * gap) as f32))).normalize();
        let closes = (fields[0][0] - fields[1][0]).dot(along);
        for (half, closes) in [(0, -closes), (1, closes)] {
            let upper = f64::from(looked.upper_closing[half][0]);
            assert!(upper >= closes, "{case}: {upper:e} of {closes:e} over {gap:e}: {looked:?}");
        }
    }
    assert!(proven[0] > 8_000, "{proven:?}");
}

/// Numbers with squares outside the range of `f32` certify nothing.
#[test]
fn lengths_beyond_the_kernel_certify_nothing() {
    let corner = |p: DVec3| body(vec![p, p + DVec3::X, p + DVec3::Y]);
    let (a, b) = (corner(DVec3::ZERO), corner(DVec3::ZERO));
    let (ta, tb) = (BoxTree::build(&a), BoxTree::build(&b));
    for far in [1e19, 1e25, 1e37, 1e40, f64::INFINITY, f64::NAN] {
        let a_from_b = Pose::from_translation(DVec3::new(far, 0.0, 0.0));
        let pair = BoxTree::pair(&ta, &tb, &a_from_b, 0.0);
        let looked =
            look(&pair, [&ta, &tb], &SiblingPairs::ROOTS, &Direction::new(DVec3::X, &a_from_b), &Drifts::STILL);
        let claims = [looked.lower[0], looked.bounds[0], looked.lower_across[0]];
        assert!(!claims.iter().any(|lower| *lower > 0.0), "{far}: {looked:?}");
    }
    let a_from_b = Pose::from_translation(DVec3::new(10.0, 7.0, 8.0));
    let pair = BoxTree::pair(&ta, &tb, &a_from_b, 0.0);
    for much in [3e38, 1e40, f64::INFINITY, f64::NAN] {
        // Approaching, and moving apart while turning so fast that sums are of infinities.
        for sign in [1.0, -1.0] {
            let fields =
                [[DVec3::ONE * (sign * much), DVec3::ONE * much], [DVec3::ONE * -(sign * much), DVec3::Y * much]];
            let drifts = Drifts::new(fields, 0.0, [ta.extent(), tb.extent()]);
            let direction = Direction::new(DVec3::X, &a_from_b);
            let looked = look(&pair, [&ta, &tb], &SiblingPairs::ROOTS, &direction, &drifts);
            for (lower, closings) in looked.both() {
                for closing in closings {
                    assert!(lower[0] > 0.0 && !(lower[0] - closing[0] > 0.0), "{much}: {looked:?}");
                }
            }
        }
    }
}

/// Bodies of points, placed so that two of the points coincide: the true distance is 0, and any positive result of the
/// kernel is rounding, which the margin must cover.
#[test]
fn coinciding_points_are_never_proven_apart() {
    let mut random = Random::new(2);
    let mut bare_positive = 0;
    for case in 0..3_000 {
        let scale = [1.0, 1e-6, 1e6][case % 3];
        let points = |random: &mut Random| -> Body {
            let corner = |p: DVec3| [p, p, p];
            body((0..12).flat_map(|_| corner(random.point(scale))).collect())
        };
        let (a, b) = (points(&mut random), points(&mut random));
        let (ta, tb) = (BoxTree::build(&a), BoxTree::build(&b));
        let rotation = random.pose(0.0);
        for _ in 0..6 {
            let (i, j) = (random.below(12), random.below(12));
            let corner = |body: &Body, i: usize| match body.primitive(i) {
                Primitive::Triangle([p, ..]) => p,
                Primitive::Piece(_) => unreachable!("meshes only"),
            };
            let translation = corner(&a, i) - rotation.vector(corner(&b, j));
            let a_from_b = Pose { translation, ..rotation };
            let pair = BoxTree::pair(&ta, &tb, &a_from_b, 0.0);
            let direction = Direction::new(random.direction(), &a_from_b);
            for side in [Side::A, Side::B] {
                let lower = bound(&pair, side, (&ta, leaf(&ta, i)), (&tb, leaf(&tb, j)), &direction);
                assert!(lower <= 0.0, "{lower:e} between equal points, margin {:e}", pair.margin);
                bare_positive += usize::from(lower + pair.margin > 0.01 * pair.margin);
            }
        }
    }
    // The kernel itself does find gaps where there are none: without the margin this test would fail.
    assert!(bare_positive > 1_000, "{bare_positive}");
}

/// Two large thin plates close together, tilted by about as much as rounding turns the line between their centres: a
/// direction that differs between the two frames would separate them by more than they are. A far triangle keeps the
/// plates off the centre of their bodies, so that the line between them is a difference of larger numbers.
#[test]
fn tilted_plates_are_never_proven_farther_apart_than_they_are() {
    let mut random = Random::new(3);
    let (mut worst, mut wrong, mut proven) = (f64::NEG_INFINITY, 0, 0);
    const CASES: usize = 2_000;
    for _ in 0..CASES {
        let (mut turn_a, mut turn_b) = (random.pose(0.0), random.pose(0.0));
        (turn_a.translation, turn_b.translation) = (random.direction() * 3.0, random.direction() * 3.0);
        // Eight triangles and eight points: two groups of one node each. A square, so that the box's centre is on it.
        let plate = |turn: &Pose| {
            let mut vertices = Vec::new();
            for (x, y) in [(0.0, 0.0), (-1.0, 0.0), (0.0, -1.0), (-1.0, -1.0)] {
                let corner = |dx: f64, dy: f64| turn.point(DVec3::new(x + dx, y + dy, 0.0));
                vertices.extend([corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0)]);
                vertices.extend([corner(0.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)]);
            }
            vertices.extend((0..8).flat_map(|i| [turn.translation * (-1.0 - 1e-3 * f64::from(i)); 3]));
            body(vertices)
        };
        let (a, b) = (plate(&turn_a), plate(&turn_b));
        let (ta, tb) = (BoxTree::build(&a), BoxTree::build(&b));
        let gap = 10f64.powf(random.between(-2.7, -1.5));
        let tilt = random.between(0.2, 4.0) * ROUNDOFF_F32 * 8.0 / gap;
        let about = random.between(-3.2, 3.2);
        let axis = DVec3::new(about.cos(), about.sin(), 0.0);
        let plane_a_from_plane_b = Pose::from_axis_angle(axis, tilt, DVec3::Z * gap);
        let file_a_from_file_b = turn_a * plane_a_from_plane_b * turn_b.inverse();
        let translation = file_a_from_file_b.point(b.centre()) - a.centre();
        let a_from_b = Pose { translation, ..file_a_from_file_b };
        let plate_of = |tree: &BoxTree, body: &Body| -> (Slot, Vec<[DVec3; 3]>) {
            let is_plate = |held: &[[DVec3; 3]]| held.len() == 8 && held.iter().all(|t| t[0] != t[1]);
            let mut all = slots(tree).into_iter().map(|s| (s, below(tree, body, s)));
            all.find(|(_, held)| is_plate(held)).expect("the plate is a group")
        };
        let ((slot_a, held_a), (slot_b, held_b)) = (plate_of(&ta, &a), plate_of(&tb, &b));
        let truth = true_distance(&held_a, &held_b, &a_from_b);
        let pair = BoxTree::pair(&ta, &tb, &a_from_b, 0.0);
        // Across the plates' own normal, so that the line between the centres is what separates them.
        let direction = Direction::new(turn_a.vector(DVec3::X), &a_from_b);
        for side in [Side::A, Side::B] {
            let lower = f64::from(bound(&pair, side, (&ta, slot_a), (&tb, slot_b), &direction));
            worst = worst.max((lower - truth) / f64::from(pair.margin));
            wrong += usize::from(lower > truth);
            proven += usize::from(lower > 0.0);
        }
    }
    assert!(wrong == 0, "{wrong} of {CASES} cases, by up to {worst} margins");
    assert!(proven > CASES / 4, "only {proven} cases are proven apart at all");
}

#[test]
fn boxes_hold_points_decided_exactly() {
    let unit = SmallBox { centre: [0.0; 3], half: [1.0; 3] };
    assert!(unit.contains(DVec3::splat(1.0)) && !unit.contains(DVec3::new(1.0f64.next_up(), 0.0, 0.0)));
    // The difference rounds to exactly the half width, but is larger.
    let shifted = SmallBox { centre: [1.0, 0.0, 0.0], half: [1.0; 3] };
    assert!(!shifted.contains(DVec3::new(-1e-300, 0.0, 0.0)));
    assert!(shifted.contains(DVec3::new(1e-300, 0.0, 0.0)));
    let mut random = Random::new(4);
    for _ in 0..10_000 {
        let bounds = Aabb::of([random.point(1.0), random.point(1e-9) + random.point(1.0)]);
        let small = SmallBox::around(&bounds);
        assert!(small.contains(bounds.min) && small.contains(bounds.max));
    }
}

#[test]
fn a_broken_tree_is_found() {
    let mut random = Random::new(5);
    for case in 0..200 {
        let body = {
            let mut body = random_body(&mut random, 1.0);
            while body.primitives() < 10 {
                body = random_body(&mut random, 1.0);
            }
            body
        };
        let good = BoxTree::build(&body);
        assert_eq!(good.broken_invariant(&body), None);
        let all = slots(&good);
        let slot = all[1 + random.below(all.len() - 1)];
        let (node, lane) = (slot.0 as usize / LANES, slot.0 as usize % LANES);
        let mut bad = good.clone();
        match case % 6 {
            // A box that is too small on one side by the least possible amount.
            0 => {
                let axis =
                    (0..3).max_by(|&i, &j| good.nodes[node].half[i][lane].total_cmp(&good.nodes[node].half[j][lane]));
                let half = &mut bad.nodes[node].half[axis.unwrap_or(0)][lane];
                *half *= 0.999;
            }
            1 => bad.nodes[node].centre[random.below(3)][lane] += 1.0,
            // A primitive in two leaves, and so another in none.
            2 => {
                let leaves: Vec<Slot> = all.iter().copied().filter(|s| good.primitive(*s).is_some()).collect();
                let (from, to) = (leaves[0].0 as usize, leaves[1].0 as usize);
                bad.nodes[to / LANES].child[to % LANES] = good.nodes[from / LANES].child[from % LANES];
            }
            // A lane lost.
            3 => bad.nodes[node].child[lane] = EMPTY,
            4 => bad.nodes[node].members &= !(1 << lane),
            _ => bad.nodes[node].leaves ^= 1 << lane,
        }
        assert!(bad.broken_invariant(&body).is_some(), "case {case}");
    }
}

/// A slab that is too thin makes bounds unsound, as a box that is too small does.
#[test]
fn a_broken_slab_is_found() {
    let mut random = Random::new(6);
    for case in 0..100 {
        let body = random_body(&mut random, 1.0);
        let mut bad = BoxTree::build(&body);
        let all = slots(&bad);
        let slot = all[random.below(all.len())];
        let (node, lane) = (slot.0 as usize / LANES, slot.0 as usize % LANES);
        let slab = &mut bad.slabs[node];
        match case % 3 {
            0 => slab.high[lane] -= 1e-3,
            1 => slab.low[lane] += 1e-3,
            _ => slab.radius[lane] *= 0.99,
        }
        assert!(bad.broken_invariant(&body).is_some(), "case {case}");
    }
}

#[test]
fn compounds_of_meshes_and_pieces_are_held() {
    let mut random = Random::new(7);
    for _ in 0..300 {
        let mesh =
            TriangleMesh::new((0..9).map(|_| random.point(1.0)).collect(), vec![[0, 1, 2], [3, 4, 5], [6, 7, 8]]);
        let mut parts = vec![(random.pose(1.0), Shape::Mesh(mesh.expect("valid")))];
        for _ in 0..random.below(12) {
            let shape = match random.below(4) {
                0 => Convex::sphere(random.between(0.01, 1.0)),
                1 => Convex::cone(random.between(0.01, 1.0), random.between(0.01, 1.0)),
                2 => Convex::cylinder(random.between(0.01, 1.0), random.between(0.01, 1.0)),
                _ => Convex::hull(&[random.point(1.0), random.point(1.0), random.point(1.0), random.point(1.0)]),
            };
            parts.push((random.pose(1.0), Shape::Convex(shape.expect("valid"))));
        }
        let body = Body::new(parts).expect("parts");
        assert_eq!(BoxTree::build(&body).broken_invariant(&body), None);
    }
}
