use super::*;
use crate::numeric::{DMat3, DVec3, Pose, Random};
use crate::robot::{JointKind, JointSpec, Kinematics, Mimic};
use crate::shapes::{Body, Convex};

fn ball(name: String, role: Role, link: usize) -> SceneBody {
    let shape = BodyShape::Parts(Body::from_convex(Convex::sphere(0.1).unwrap()));
    SceneBody { name, role, link, link_from_body: Pose::IDENTITY, shape }
}

/// A random forest of links under the world: every joint kind, some mimics.
fn random_model(random: &mut Random) -> Model {
    let count = 2 + random.below(9);
    let mut links = vec!["world".to_owned()];
    let mut joints: Vec<JointSpec> = Vec::new();
    let mut drivers: Vec<String> = Vec::new();
    for index in 1..count {
        let robot = ["r", "s"][usize::from(index > 6)];
        let (name, child) = (format!("{robot}/j{index}"), format!("{robot}/l{index}"));
        let parent = links[random.below(links.len())].clone();
        let axis = random.direction();
        let kind = match random.below(7) {
            0..=2 => JointKind::Fixed,
            3 | 4 => JointKind::Revolute { axis },
            5 => JointKind::Prismatic { axis },
            _ => [JointKind::Planar { axis }, JointKind::Floating][random.below(2)],
        };
        let mut joint = JointSpec::new(&name, kind, &parent, &child, random.pose(1.0));
        if kind.variable_count() == 1 {
            if !drivers.is_empty() && random.below(3) == 0 {
                let driver = drivers[random.below(drivers.len())].clone();
                joint.mimic = Some(Mimic { joint: driver, multiplier: -0.75, offset: 0.25 });
            } else {
                drivers.push(name);
            }
        }
        joints.push(joint);
        links.push(child);
    }
    Model::new("world", links, joints).unwrap()
}

pub(crate) fn random_configuration(random: &mut Random, model: &Model) -> Vec<f64> {
    let mut q: Vec<f64> = model.variables().iter().map(|_| random.between(-1.0, 1.0)).collect();
    for joint in model.joints().iter().filter(|joint| joint.kind == JointKind::Floating) {
        let first = joint.source.unwrap().variable + 3;
        let norm = q[first..first + 4].iter().map(|v| v * v).sum::<f64>().sqrt();
        q[first..first + 4].iter_mut().for_each(|v| *v /= norm);
    }
    q
}

pub(crate) fn random_parts(random: &mut Random) -> SceneParts {
    let model = random_model(random);
    let links = model.links().len();
    let mut parts = SceneParts::new(model);
    for link in 1..links {
        if random.below(4) > 0 {
            parts.bodies.push(ball(format!("link {link}"), Role::Link, link));
        }
    }
    for obstacle in 0..random.below(3) {
        parts.bodies.push(ball(format!("obstacle {obstacle}"), Role::Obstacle, 0));
    }
    for object in 0..random.below(3) {
        parts.bodies.push(ball(format!("object {object}"), Role::Attached, 1 + random.below(links - 1)));
    }
    let bodies = parts.bodies.len();
    let pair = |random: &mut Random, count: usize| [random.below(count), random.below(count)];
    for _ in 0..random.below(4) {
        let ([a, b], reason) = (pair(random, links), "Never".to_owned());
        parts.rules.disabled_links.push(([a, b], reason));
        let [a, b] = pair(random, bodies.max(1));
        if bodies > 1 && a != b {
            parts.rules.touching_bodies.push([a, b]);
        }
        let rule = [PairRule::Skip, PairRule::Check, PairRule::Clearance(random.between(0.1, 0.9))][random.below(3)];
        if bodies > 1 && a != b && random.below(3) > 0 {
            parts.rules.exceptions.push(([a, b], rule));
        } else if bodies > 0 {
            let mut set = || (0..1 + random.below(bodies)).map(|_| random.below(bodies)).collect::<Vec<_>>();
            let (sets, after) = ([set(), set()], parts.rules.exceptions.len());
            parts.rules.set_rules.push(SetRule { sets, patterns: [None, None], rule, after });
        }
    }
    parts
}

/// True if two links keep their relative pose at random configurations: tests "cannot move" by sampling.
fn keep_their_distance(random: &mut Random, model: &Model, a: usize, b: usize) -> bool {
    let mut kinematics = Kinematics::new(model);
    let mut first: Option<Pose> = None;
    for _ in 0..4 {
        let q = random_configuration(random, model);
        kinematics.set_configuration(&q);
        let a_from_b = kinematics.world_from_link(model, a).inverse_mul(&kinematics.world_from_link(model, b));
        let before = *first.get_or_insert(a_from_b);
        let turned = (before.rotation - a_from_b.rotation).to_cols_array().iter().fold(0.0_f64, |m, e| m.max(e.abs()));
        if (before.translation - a_from_b.translation).length() > 1e-9 || turned > 1e-9 {
            return false;
        }
    }
    true
}

#[test]
fn every_pair_is_decided_as_the_contract_says() {
    let mut random = Random::new(11);
    let (mut checked, mut unchecked) = (0, 0);
    for case in 0..2_000 {
        let parts = random_parts(&mut random);
        let (model, rules) = (parts.model.clone(), parts.rules.clone());
        let bodies = parts.bodies.clone();
        let scene = Scene::new(parts).unwrap();
        checked += scene.pairs().len();
        unchecked += scene.unchecked().len() + scene.rigid_pair_count() as usize;
        let rigid: Vec<[usize; 2]> = scene.rigid_pairs().collect();
        assert_eq!(rigid.len() as u64, scene.rigid_pair_count());
        for a in 0..bodies.len() {
            for b in a + 1..bodies.len() {
                let decided = scene.pairs().iter().find(|pair| [pair.a, pair.b] == [a, b]);
                let reasons: Vec<_> = scene.unchecked().iter().filter(|pair| [pair.a, pair.b] == [a, b]).collect();
                let times = usize::from(decided.is_some()) + reasons.len() + usize::from(rigid.contains(&[a, b]));
                assert_eq!(times, 1, "case {case}: decided once");
                assert_eq!(scene.reason(b, a).is_none(), decided.is_some(), "case {case}");
                let by_default = is_checked_by_default(&mut random, &model, &bodies, &rules, a, b);
                let can_move = !keep_their_distance(&mut random, &model, bodies[a].link, bodies[b].link);
                let expected = after_exceptions(&rules, [a, b], by_default, can_move);
                let shown = (case, &bodies[a].name, &bodies[b].name, &reasons);
                assert_eq!(decided.map(|pair| pair.clearance), expected, "{shown:?}");
            }
        }
    }
    println!("{checked} pairs checked, {unchecked} not");
    assert!(checked > 10_000 && unchecked > 10_000);
}

/// The clearance of a pair that is checked, after applying the exceptions one by one.
fn after_exceptions(rules: &PairRules, pair: [usize; 2], by_default: bool, can_move: bool) -> Option<f64> {
    let (mut is_checked, mut clearance) = (by_default, 0.0);
    for place in 0..=rules.exceptions.len() {
        for SetRule { sets: [first, second], rule, .. } in rules.set_rules.iter().filter(|rule| rule.after == place) {
            let covers = |[a, b]: [usize; 2]| first.contains(&a) && second.contains(&b);
            match rule {
                _ if !covers(pair) && !covers([pair[1], pair[0]]) => {}
                PairRule::Skip => is_checked = false,
                PairRule::Check => is_checked |= can_move,
                PairRule::Clearance(own) => clearance = *own,
            }
        }
        match rules.exceptions.get(place) {
            Some((named, rule)) if *named == pair || [named[1], named[0]] == pair => match rule {
                PairRule::Skip => is_checked = false,
                PairRule::Check => is_checked = true,
                PairRule::Clearance(own) => (is_checked, clearance) = (true, *own),
            },
            _ => {}
        }
    }
    is_checked.then_some(clearance)
}

/// The sentence of the contract, word by word, on sampled poses and the joints as given.
fn is_checked_by_default(
    random: &mut Random,
    model: &Model,
    bodies: &[SceneBody],
    rules: &PairRules,
    a: usize,
    b: usize,
) -> bool {
    let (body_a, body_b) = (&bodies[a], &bodies[b]);
    let links = [body_a.link, body_b.link];
    let both_links = body_a.role == Role::Link && body_b.role == Role::Link;
    let is_pair = |pair: &[usize; 2], of: [usize; 2]| *pair == of || [pair[1], pair[0]] == of;
    let adjacent = model.joints().iter().any(|j| j.kind != JointKind::Fixed && is_pair(&[j.parent, j.child], links));
    let disabled = rules.disabled_links.iter().any(|(pair, _)| is_pair(pair, links));
    let may_touch =
        rules.touching_bodies.iter().any(|pair| is_pair(pair, [a, b]) && bodies[pair[0]].role == Role::Attached);
    !(keep_their_distance(random, model, links[0], links[1]) || may_touch || both_links && (adjacent || disabled))
}

/// Every pair of obstacles was once stored: 20,000 obstacles took more than 9 GB.
#[test]
fn pairs_of_obstacles_are_counted_and_not_stored() {
    let joint = JointSpec::new("r/j", JointKind::Revolute { axis: DVec3::Z }, "world", "r/l", Pose::IDENTITY);
    let model = Model::new("world", vec!["world".into(), "r/l".into()], vec![joint]).unwrap();
    let mut parts = SceneParts::new(model);
    parts.bodies.push(ball("r/l".into(), Role::Link, 1));
    parts.bodies.extend((0..20_000).map(|i| ball(format!("stone {i}"), Role::Obstacle, 0)));
    parts.rules.exceptions = vec![([1, 2], PairRule::Check), ([3, 4], PairRule::Skip)];
    let scene = Scene::new(parts).unwrap();
    assert_eq!((scene.pairs().len(), scene.unchecked().len()), (20_001, 1));
    assert_eq!(scene.rigid_pair_count(), 20_000 * 19_999 / 2 - 2);
    assert_eq!(scene.rigid_pairs().next(), Some([1, 3]));
    assert_eq!(scene.reason(5, 6), Some(Reason::CannotMove));
}

#[test]
fn parts_that_make_no_scene_are_refused() {
    let model = || {
        Model::new(
            "world",
            vec!["world".into(), "r/l".into()],
            vec![JointSpec::new("r/j", JointKind::Revolute { axis: DVec3::Z }, "world", "r/l", Pose::IDENTITY)],
        )
        .unwrap()
    };
    let with = |change: &dyn Fn(&mut SceneParts)| {
        let mut parts = SceneParts::new(model());
        parts.bodies = vec![ball("a".into(), Role::Link, 1), ball("b".into(), Role::Obstacle, 0)];
        change(&mut parts);
        Scene::new(parts)
    };
    assert_eq!(with(&|_| {}).unwrap().pairs().len(), 1);
    let plane = || BodyShape::HalfSpace { normal: DVec3::Z };
    assert_eq!(with(&|p| p.bodies[1].name = "a".into()).unwrap_err(), SceneError::DuplicateBody("a".into()));
    assert_eq!(with(&|p| p.bodies[1].link = 9).unwrap_err(), SceneError::BadIndex("a body's link"));
    assert_eq!(with(&|p| p.bodies[0].shape = plane()).unwrap_err(), SceneError::MovingPlane("a".into()));
    assert!(matches!(with(&|p| p.clearance = f64::INFINITY).unwrap_err(), SceneError::BadClearance(_)));
    assert!(matches!(with(&|p| p.tolerance = f64::NAN).unwrap_err(), SceneError::BadTolerance(_)));
    assert!(matches!(
        with(&|p| p.rules.exceptions = vec![([0, 1], PairRule::Clearance(f64::NAN))]).unwrap_err(),
        SceneError::BadClearance(_)
    ));
    assert_eq!(
        with(&|p| p.rules.exceptions = vec![([0, 0], PairRule::Check)]).unwrap_err(),
        SceneError::PairWithItself("a".into())
    );
    let far = SetRule { sets: [vec![0], vec![7]], patterns: [None, None], rule: PairRule::Skip, after: 0 };
    assert!(with(&|p| p.rules.set_rules = vec![far.clone()]).is_err());
    assert!(with(&|p| p.rules.exceptions = vec![([0, 7], PairRule::Check)]).is_err());
    assert!(with(&|p| p.rules.disabled_links = vec![([0, 7], String::new())]).is_err());
    assert!(with(&|p| p.positions = vec![(3, 0.0)]).is_err());
    assert!(with(&|p| p.bodies[1].link_from_body.translation.x = f64::NAN).is_err());
    // Convex pieces may penetrate; a plane is one of them.
    assert!(with(&|p| p.clearance = -0.1).is_ok());
    assert!(with(&|p| (p.clearance, p.bodies[1].shape) = (-0.1, plane())).is_ok());
}

/// A pose that scaled a body was once accepted, and only a part of that body was then checked.
#[test]
fn poses_that_are_not_rigid_are_refused() {
    let pose = |axes: [DVec3; 3]| Pose { rotation: DMat3::from_cols(axes[0], axes[1], axes[2]), ..Pose::IDENTITY };
    let (x, y, z) = (DVec3::X, DVec3::Y, DVec3::Z);
    let far = Pose::from_translation(DVec3::X * f64::NAN);
    let turned = Pose::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 1.0, DVec3::X);
    for (link_from_body, is_rigid) in [
        (turned, true),
        (pose([x * 2.0, y * 2.0, z * 2.0]), false),
        (pose([x, y + x * 1e-9, z]), false),
        (pose([x, y, -z]), false),
        (far, false),
    ] {
        let mut parts = SceneParts::new(Model::new("world", vec!["world".to_owned()], Vec::new()).unwrap());
        parts.bodies.push(SceneBody { link_from_body, ..ball("stone".into(), Role::Obstacle, 0) });
        let refused = Scene::new(parts).err();
        assert_eq!(refused.is_none(), is_rigid, "{link_from_body:?}: {refused:?}");
        assert!(refused.is_none_or(|error| matches!(error, SceneError::BadPose(name) if name == "stone")));
    }
}

#[test]
fn display_meshes_lie_on_the_shapes_and_reach_their_extent() {
    let pi = std::f64::consts::PI;
    let shapes = [
        (Convex::cuboid([1.0, 2.0, 3.0]).unwrap(), 6.0),
        (Convex::sphere(0.5).unwrap(), pi / 6.0),
        (Convex::cylinder(0.5, 2.0).unwrap(), pi / 2.0),
        (Convex::capsule(0.5, 2.0).unwrap(), pi / 2.0 + pi / 6.0),
        (Convex::cone(0.5, 2.0).unwrap(), pi / 6.0),
    ];
    for (shape, exact_volume) in shapes {
        let model = Model::new("world", vec!["world".into()], Vec::new()).unwrap();
        let mut parts = SceneParts::new(model);
        let body = SceneBody {
            shape: BodyShape::Parts(Body::from_convex(shape.clone())),
            ..ball("b".into(), Role::Obstacle, 0)
        };
        parts.bodies.push(body);
        let (link_from_mesh, mesh) = Scene::new(parts).unwrap().display(0);
        let reach = |d: DVec3| mesh.vertices.iter().map(|v| link_from_mesh.point(*v).dot(d)).fold(f64::MIN, f64::max);
        for direction in [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z] {
            let exact = shape.core_support(direction).dot(direction) + shape.radius();
            assert!(reach(direction) <= exact + 1e-12 && reach(direction) >= exact * 0.98, "{shape:?} {direction}");
        }
        assert!(mesh.triangles.iter().flatten().all(|v| (*v as usize) < mesh.vertices.len()));
        let volume: f64 = mesh
            .triangles
            .iter()
            .map(|t| t.map(|v| mesh.vertices[v as usize]))
            .map(|[a, b, c]| a.dot(b.cross(c)) / 6.0)
            .sum();
        let share = volume / exact_volume;
        assert!(share > 0.96 && share < 1.0 + 1e-12, "closed, inscribed, facing outward: {shape:?} {share}");
    }
}

#[test]
fn each_kind_of_pair_has_its_own_default_clearance() {
    let mut random = Random::new(77);
    let mut seen = [0; 4];
    for case in 0..2_000 {
        let mut parts = random_parts(&mut random);
        (parts.clearance, parts.self_clearance) = (0.2, 0.02);
        let scene = Scene::new(parts).unwrap();
        let robot_of = |body: usize| {
            let SceneBody { role, link, .. } = scene.bodies()[body];
            (role == Role::Link).then(|| scene.model().links()[link].name.split('/').next().unwrap().to_owned())
        };
        let wider = scene.clone().with_clearance(0.7).unwrap();
        let stricter = scene.clone().with_self_clearance(0.3).unwrap();
        for (i, pair) in scene.pairs().iter().enumerate() {
            let is_own = robot_of(pair.a).is_some() && robot_of(pair.a) == robot_of(pair.b);
            assert_eq!(pair.kind == PairKind::OwnLinks, is_own, "case {case}");
            assert_eq!(scene.checked_pair([pair.b, pair.a]), Some(pair));
            let defaults = if is_own { [0.02, 0.02, 0.3] } else { [0.2, 0.7, 0.2] };
            let found = [&scene, &wider, &stricter].map(|scene| scene.pairs()[i].clearance);
            let expected = if pair.has_own_clearance { [pair.clearance; 3] } else { defaults };
            assert_eq!(found, expected, "case {case}");
            seen[2 * usize::from(is_own) + usize::from(pair.has_own_clearance)] += 1;
        }
    }
    assert!(seen.iter().all(|count| *count > 300), "{seen:?}");
}
