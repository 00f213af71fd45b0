//! Random robots of every kind of joint: compares maps of boxes with configurations in the boxes.
//!
//! `PATHPROOF_CASES` sets the number of boxes per kind.

use super::boxes::JointBox;
use super::judge::{BoxJudge, Judged};
use super::links::Look;
use super::*;
use crate::distance::Scratch;
use crate::numeric::{DVec3, Pose, Random};
use crate::robot::{JointKind, JointSpec, Kinematics, Mimic, Model};
use crate::scene::{BodyShape, Role, Scene, SceneBody, SceneParts};
use crate::shapes::{Body, Convex, Shape, TriangleMesh};

/// Kinds of random robots.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Revolute,
    Continuous,
    Prismatic,
    Mimic,
    Mixed,
    /// One link is a closed mesh around where the other begins.
    Housing,
}

const KINDS: [Kind; 6] = [Kind::Revolute, Kind::Continuous, Kind::Prismatic, Kind::Mimic, Kind::Mixed, Kind::Housing];

fn cases(usual: usize) -> usize {
    std::env::var("PATHPROOF_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// A closed box as a mesh.
fn shell(half: DVec3) -> Shape {
    let corner = |i: usize| {
        let sign = |bit: usize| if i & bit == 0 { -1.0 } else { 1.0 };
        half * DVec3::new(sign(1), sign(2), sign(4))
    };
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    Shape::Mesh(TriangleMesh::new((0..8).map(corner).collect(), triangles).expect("a mesh"))
}

fn random_shape(random: &mut Random) -> Shape {
    let mut size = || 10f64.powf(random.between(-1.7, -0.3));
    let (x, y, z) = (size(), size(), size());
    match random.below(4) {
        0 => Shape::Convex(Convex::cuboid([x, y, z]).expect("a box")),
        1 => Shape::Convex(Convex::capsule(x / 2.0, y).expect("a capsule")),
        2 => shell(DVec3::new(x, y, z) / 2.0),
        _ => {
            let corners: Vec<DVec3> = (0..12).map(|_| random.point(0.5) * DVec3::new(x, y, z)).collect();
            let triangles = (0..20).map(|_| [0; 3].map(|_| random.below(12) as u32)).collect();
            Shape::Mesh(TriangleMesh::new(corners, triangles).expect("a mesh"))
        }
    }
}

fn random_joint(random: &mut Random, kind: Kind, index: usize, drivers: &[String]) -> JointSpec {
    let axis = if random.below(2) == 0 { DVec3::Z } else { random.direction() };
    let slides = match kind {
        Kind::Prismatic => true,
        Kind::Mixed | Kind::Mimic | Kind::Housing => random.below(3) == 0,
        Kind::Revolute | Kind::Continuous => false,
    };
    let joint = if slides { JointKind::Prismatic { axis } } else { JointKind::Revolute { axis } };
    let reach = if kind == Kind::Housing { 0.05 } else { 0.5 };
    let pose = Pose::from_xyz_rpy(random.point(reach).to_array(), random.point(3.0).to_array());
    let mut spec = JointSpec::new(&format!("j{index}"), joint, &format!("l{index}"), &format!("l{}", index + 1), pose);
    let is_free = kind == Kind::Continuous || kind == Kind::Mixed && random.below(2) == 0;
    let widest = if slides { 0.5 } else { 3.5 };
    let (a, b) = (random.between(-widest, widest), random.between(-widest, widest));
    spec.limits = vec![(!is_free || slides).then_some((a.min(b), a.max(b)))];
    if matches!(kind, Kind::Mimic | Kind::Mixed | Kind::Continuous) && !drivers.is_empty() && random.below(2) == 0 {
        // Whole factors keep a continuous joint periodic.
        let multiplier =
            if kind == Kind::Mimic { random.between(-2.0, 2.0) } else { [-1.0, 1.0, 2.0][random.below(3)] };
        let joint = drivers[random.below(drivers.len())].clone();
        spec.mimic = Some(Mimic { joint, multiplier, offset: random.between(-0.5, 0.5) });
    }
    spec
}

/// A chain of one to four joints with a body at either end, or one in the middle and one at the end. It may hang off
/// the world by a joint that is not between them.
fn random_scene(random: &mut Random, kind: Kind) -> Scene {
    let count = 1 + random.below(4);
    let mut specs: Vec<JointSpec> = Vec::new();
    for index in 0..count {
        let drivers: Vec<String> = specs.iter().filter(|s| s.mimic.is_none()).map(|s| s.name.clone()).collect();
        let mut spec = random_joint(random, kind, index, &drivers);
        if index > 1 && random.below(3) == 0 {
            // A branch: the links are below a common ancestor.
            spec.parent = format!("l{}", random.below(index));
        }
        specs.push(spec);
    }
    let model = Model::new("l0", (0..=count).map(|i| format!("l{i}")).collect(), specs).expect("a tree");
    let last = model.link(&format!("l{count}")).expect("a link");
    let first = if count > 1 && kind != Kind::Housing { random.below(count) } else { 0 };
    let first = model.link(&format!("l{first}")).expect("a link");
    let mut parts = SceneParts::new(model);
    let shapes = if kind == Kind::Housing {
        let half = random.between(0.1, 0.6);
        [shell(DVec3::splat(half)), random_shape(random)]
    } else {
        [random_shape(random), random_shape(random)]
    };
    let places = if kind == Kind::Housing { 0.02 } else { 0.7 };
    for (i, (link, shape)) in [first, last].into_iter().zip(shapes).enumerate() {
        let body = Body::new(vec![(random.pose(places), shape)]).expect("a body");
        let (name, shape, role) = (format!("b{i}"), BodyShape::Parts(body), Role::Link);
        parts.bodies.push(SceneBody { name, role, link, link_from_body: Pose::IDENTITY, shape });
    }
    Scene::new(parts).expect("a scene")
}

/// A random box in the ranges, with sides of very different lengths.
fn random_box(random: &mut Random, pair: &LinkPair<'_>) -> JointBox {
    let side = |range: &Range| {
        let width = (range.upper - range.lower) * 10f64.powf(random.between(-3.0, 0.0));
        let lower = random.between(range.lower, range.upper - width);
        [lower, (lower + width).min(range.upper)]
    };
    JointBox { sides: pair.chain.ranges.iter().map(side).collect() }
}

/// A configuration in a box: at a corner, or anywhere.
fn random_values(random: &mut Random, values: &JointBox) -> Vec<f64> {
    let at_corner = random.below(2) == 0;
    let value = |side: &[f64; 2]| match at_corner {
        true => side[random.below(2)],
        false => random.between(side[0], side[1]).clamp(side[0], side[1]),
    };
    values.sides.iter().map(value).collect()
}

/// The result for a box holds at configurations in it. `case` names it in messages.
fn check_box(random: &mut Random, pair: &LinkPair<'_>, values: &JointBox, judged: Judged, case: &str) {
    let mut kinematics = Kinematics::new(pair.scene.model());
    let mut scratch = Scratch::default();
    for _ in 0..24 {
        let mut at = random_values(random, values);
        // Joints that turn without limits are tried after whole turns too.
        for (value, range) in at.iter_mut().zip(&pair.chain.ranges) {
            if range.is_turn && random.below(4) == 0 {
                *value += std::f64::consts::TAU * (random.below(5) as f64 - 2.0);
            }
        }
        let q = pair.configuration(at);
        let look = pair.look(&mut kinematics, &q, &mut scratch);
        match judged {
            Judged::Apart { lower } => {
                let distance = pair.distance(&mut kinematics, &q, &mut scratch);
                assert_eq!(look, Look::Apart, "{case}: {judged:?} but {q:?} is {look:?}");
                // A whole turn is known to rounding only.
                assert!(distance.upper + 1e-12 >= lower, "{case}: {judged:?} but {distance:?} at {q:?}");
            }
            Judged::Inside => assert_eq!(look, Look::Contact, "{case}: {judged:?}, but {q:?} is {look:?}"),
            Judged::Contact { .. } | Judged::Open { .. } => {}
        }
    }
}

#[test]
fn links_are_never_nearer_in_a_box_than_was_shown() {
    for kind in KINDS {
        let mut random = Random::new(17);
        let (mut apart, mut inside) = (0, 0);
        let boxes = cases(2_000);
        for robot in 0..boxes.div_ceil(20) {
            let scene = random_scene(&mut random, kind);
            let links = Links::new(&scene);
            let Ok(pair) = links.pair([0, 1]) else { continue };
            let mut judge = BoxJudge::new(&pair);
            for number in 0..20 {
                let values = random_box(&mut random, &pair);
                let judged = judge.judge(&values);
                apart += usize::from(matches!(judged, Judged::Apart { .. }));
                inside += usize::from(judged == Judged::Inside);
                check_box(&mut random, &pair, &values, judged, &format!("{kind:?} {robot}/{number}"));
            }
        }
        assert!(apart > boxes / 50, "{kind:?}: only {apart} of {boxes} boxes were shown to be apart");
        assert!(kind != Kind::Housing || inside > boxes / 100, "only {inside} of {boxes} housings were shown");
        println!("{kind:?}: {boxes} boxes, {apart} apart, {inside} inside");
    }
}

#[test]
fn a_map_answers_where_it_says_so_and_never_above_the_truth() {
    let (mut random, mut never, mut answered) = (Random::new(5), 0, 0);
    for robot in 0..cases(2_000) / 20 {
        let kind = KINDS[robot % KINDS.len()];
        let scene = random_scene(&mut random, kind);
        let links = Links::new(&scene);
        let Ok(pair) = links.pair([0, 1]) else { continue };
        let map = Map::build(&pair, &MapSettings { boxes: 300, ..MapSettings::default() });
        let (mut kinematics, mut scratch) = (Kinematics::new(scene.model()), Scratch::default());
        never += usize::from(map.lower_everywhere().is_some());
        for _ in 0..40 {
            let values = random_values(&mut random, &pair.whole_box());
            let lower = map.lower_along([&values; 2], [0.0, 1.0], 0.0);
            let q = pair.configuration(values);
            assert!(lower.is_some() || map.lower_everywhere().is_none(), "{robot}: nothing said of {q:?}");
            let Some(lower) = lower else { continue };
            answered += 1;
            assert_eq!(pair.look(&mut kinematics, &q, &mut scratch), Look::Apart, "{robot}: {q:?}");
            let distance = pair.distance(&mut kinematics, &q, &mut scratch);
            assert!(lower <= distance.upper, "{robot}: {lower} but {distance:?} at {q:?}");
            assert!(lower >= map.lower_everywhere().unwrap_or(0.0) - 1e-6, "{robot}: {lower}");
        }
        if map.is_inside_everywhere() {
            let q = pair.configuration(random_values(&mut random, &pair.whole_box()));
            assert_eq!(pair.look(&mut kinematics, &q, &mut scratch), Look::Contact, "{robot}: {q:?}");
        }
    }
    assert!(never > 5 && answered > 500, "{never} never, {answered} answers");
}

/// Lines of any length and direction, joints that turn without limits through several turns: the bound for a part
/// holds at every value on it, and is rarely missing.
#[test]
fn a_line_is_answered_by_the_boxes_that_it_crosses() {
    let (mut random, mut answered, mut unsaid, mut at_borders) = (Random::new(29), 0, 0, 0);
    for robot in 0..cases(2_000) / 20 {
        let scene = random_scene(&mut random, KINDS[robot % KINDS.len()]);
        let links = Links::new(&scene);
        let Ok(pair) = links.pair([0, 1]) else { continue };
        let map = Map::build(&pair, &MapSettings { boxes: 300, ..MapSettings::default() });
        let (mut kinematics, mut scratch) = (Kinematics::new(scene.model()), Scratch::default());
        for _ in 0..40 {
            let ends = random_line(&mut random, &pair);
            let (a, b) = (random.unit(), random.unit());
            let part = if random.below(2) == 0 { [0.0, 1.0] } else { [a.min(b), a.max(b)] };
            let lower = map.lower_along([&ends[0], &ends[1]], part, 0.0);
            let mut least_at_points = Some(f64::INFINITY);
            for i in 0..=64 {
                let t = part[0] + (part[1] - part[0]) * f64::from(i) / 64.0;
                // Rounding must not take a value out of the limits.
                let between = |(a, b): (&f64, &f64)| (a + t * (b - a)).clamp(a.min(*b), a.max(*b));
                let values: Vec<f64> = ends[0].iter().zip(&ends[1]).map(between).collect();
                let there = map.lower_along([&values; 2], [0.0, 1.0], 0.0);
                least_at_points = least_at_points.zip(there).map(|(a, b)| a.min(b));
                let Some(lower) = lower else { continue };
                let q = pair.configuration(values);
                let distance = pair.distance(&mut kinematics, &q, &mut scratch);
                assert!(distance.upper + 1e-12 >= lower, "{robot}: {lower} but {distance:?} at {q:?}");
                assert_eq!(pair.look(&mut kinematics, &q, &mut scratch), Look::Apart, "{robot}: {q:?}");
            }
            // A bound above `wanted` is returned, one below is not.
            if let Some(lower) = lower {
                answered += 1;
                let ask = |wanted: f64| map.lower_along([&ends[0], &ends[1]], part, wanted);
                assert_eq!((ask(lower * 0.999), ask(lower)), (Some(lower), None), "{robot}");
                // A rounded value on the line may lie in the boxes on both sides of a border from which the line keeps
                // away by less than that.
                at_borders += usize::from(!least_at_points.is_some_and(|at_points| lower <= at_points));
            } else {
                unsaid += usize::from(least_at_points.is_some());
            }
        }
    }
    assert!(answered > 300 && unsaid * 10 < answered, "{answered} answers, {unsaid} unsaid");
    assert!(at_borders * 1_000 <= answered, "{at_borders} of {answered} lines are told more of than points on them");
    println!("{answered} lines answered, {unsaid} left out though points on them are not");
}

/// A line within the ranges; some of it at rest.
fn random_line(random: &mut Random, pair: &LinkPair<'_>) -> [Vec<f64>; 2] {
    let reach = 10f64.powf(random.between(-12.0, 0.0));
    let (mut start, mut goal) = (Vec::new(), Vec::new());
    for range in &pair.chain.ranges {
        let turns = if range.is_turn { 3.0 } else { 1.0 };
        let inside = |value: f64| value.clamp(turns * range.lower, turns * range.upper);
        let a = inside(random.between(turns * range.lower, turns * range.upper));
        let step = if random.below(4) == 0 { 0.0 } else { reach * random.between(-6.0, 6.0) };
        start.push(a);
        goal.push(inside(a + step));
    }
    [start, goal]
}

/// Two bars of a planar arm: the tip turns on a circle of radius 1 about the origin, the post is a ball at (d, 0, 0).
fn arm_and_post(limits: Option<(f64, f64)>, post: f64) -> Scene {
    let joint = JointSpec {
        limits: vec![limits],
        ..JointSpec::new("turn", JointKind::Revolute { axis: DVec3::Z }, "l0", "l1", Pose::IDENTITY)
    };
    let fixed = JointSpec::new("hold", JointKind::Fixed, "l1", "l2", Pose::from_translation(DVec3::X));
    let names = ["l0", "l1", "l2"].map(str::to_owned).to_vec();
    let model = Model::new("l0", names, vec![joint, fixed]).expect("a tree");
    let (base, tip) = (model.link("l0").expect("a link"), model.link("l2").expect("a link"));
    let mut parts = SceneParts::new(model);
    for (name, link, x) in [("post", base, post), ("tip", tip, 0.0)] {
        let shape = BodyShape::Parts(Body::from_convex(Convex::sphere(0.1).expect("a ball")));
        let link_from_body = Pose::from_translation(DVec3::X * x);
        parts.bodies.push(SceneBody { name: name.to_owned(), role: Role::Link, link, link_from_body, shape });
    }
    Scene::new(parts).expect("a scene")
}

fn class_of(scene: &Scene) -> Class {
    classify(&Links::new(scene), [0, 1], &ClassSettings::default()).class
}

#[test]
fn classes_of_an_arm_are_those_known_by_hand() {
    // The gap is least where the arm points at the post: 1.25 − 1 − 0.2.
    let Class::Never { lower } = class_of(&arm_and_post(None, 1.25)) else { panic!("they never touch") };
    assert!(lower > 0.0 && lower <= 0.05 + 1e-9, "{lower}");
    // Within the limits the arm does not get there.
    assert!(matches!(class_of(&arm_and_post(Some((0.5, 3.0)), 1.0)), Class::Never { .. }));
    let Class::Sometimes { configuration } = class_of(&arm_and_post(None, 1.15)) else { panic!("they touch") };
    assert!(configuration[0].abs() < 0.2, "{configuration:?}");
    // Contact over a thousandth of the turn: found by going down.
    assert!(matches!(class_of(&arm_and_post(None, 1.2 - 1e-6)), Class::Sometimes { .. }));
    assert!(matches!(class_of(&arm_and_post(Some((0.0, 0.0)), 1.0)), Class::Always { .. }));
}

#[test]
fn a_joint_without_limits_has_a_map_only_where_it_repeats_itself() {
    let scene = |multiplier: f64, kind: JointKind| {
        let driver = JointSpec::new("driver", JointKind::Revolute { axis: DVec3::Z }, "l0", "l1", Pose::IDENTITY);
        let mimic = Mimic { joint: "driver".to_owned(), multiplier, offset: 0.1 };
        let spec = JointSpec::new("follower", kind, "l1", "l2", Pose::from_translation(DVec3::X));
        let follower = JointSpec { mimic: Some(mimic), ..spec };
        let names = ["l0", "l1", "l2"].map(str::to_owned).to_vec();
        Model::new("l0", names, vec![driver, follower]).expect("a tree")
    };
    let turns = JointKind::Revolute { axis: DVec3::Y };
    let chain = |model: &Model| Chain::new(model, 0, model.frames().len() - 1);
    assert!(chain(&scene(-2.0, turns)).expect("a chain").ranges[0].is_turn);
    for model in [scene(0.5, turns), scene(1.0, JointKind::Prismatic { axis: DVec3::Z })] {
        assert_eq!(chain(&model), Err(NoMap::Unbounded { joint: "driver".to_owned() }));
    }
    let floating = JointSpec::new("f", JointKind::Floating, "l0", "l1", Pose::IDENTITY);
    let model = Model::new("l0", vec!["l0".to_owned(), "l1".to_owned()], vec![floating]).expect("a tree");
    assert_eq!(chain(&model), Err(NoMap::Several { joint: "f".to_owned() }));
}
