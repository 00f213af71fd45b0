//! Sampling against the checker, one way: over generated robots and scenes nothing is called `free` that samples refute,
//! every witness is one by an independent check, and asking the same question differently gives the same answer.
//!
//! `PATHPROOF_SEGMENTS` says how many segments (default 1,200). The full run:
//! `PATHPROOF_SEGMENTS=200000 cargo test --release -p pathproof --test checker_oracle -- --nocapture`
//! A tenth of them are of real robots, where the shared data is there.

mod checker_common;

use std::path::Path;

use checker_common::real::{self, Cell};
use checker_common::{Form, Oracle, Sampled, Thing, World, at, box_mesh, finding, opened, torus, word};
use pathproof::check::{Answer, CheckScratch, Checker, Settings, Verdict};
use pathproof::numeric::{DQuat, DVec3, Pose, Random};
use pathproof::robot::{JointKind, Kinematics, Mimic};
use rayon::prelude::*;

/// How far the oracle may be off: parry's distances converge to some 1e-8.
const KNOWN: f64 = 2e-7;
/// Step of the samples in radians or metres.
const STEP: f64 = 0.002;
const SEGMENTS_A_WORLD: usize = 12;

fn segments() -> usize {
    std::env::var("PATHPROOF_SEGMENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_200)
}

fn random_joint(random: &mut Random, variety: bool) -> JointKind {
    let axis = random.direction();
    match random.below(if variety { 10 } else { 6 }) {
        0..=4 => JointKind::Revolute { axis },
        5 | 6 => JointKind::Prismatic { axis },
        7 => JointKind::Planar { axis },
        8 => JointKind::Floating,
        _ => JointKind::Fixed,
    }
}

fn random_form(random: &mut Random, size: f64, is_convex: bool) -> Form {
    let mut s = || size * random.between(0.3, 1.0);
    let (x, y, z) = (s(), s(), s());
    match random.below(if is_convex { 5 } else { 8 }) {
        0 => Form::Ball(x / 2.0),
        1 => Form::Cuboid([x, y, z]),
        2 => Form::Cylinder(x / 2.0, z),
        3 => Form::Capsule(x / 3.0, z),
        4 => Form::Cuboid([x, y, 1e-3]),
        5 => box_mesh([x, y, z]),
        6 => opened(box_mesh([x, y, z])),
        _ => torus(x, x / 4.0, 8, 5),
    }
}

/// A link's bodies stretch along x, like an arm's.
fn arm(world: &mut World, random: &mut Random, robot: usize, joints: usize, variety: bool, is_convex: bool) {
    let length = 1.6 / joints as f64;
    let mut links = vec!["world".to_owned()];
    let base = Pose::from_translation(DVec3::new(0.0, 0.0, 1.3 * robot as f64) + random.point(0.2));
    let mut driver: Option<String> = None;
    for joint in 0..joints {
        // Mostly chains, now and then a tree.
        let parent = if joint > 1 && random.below(8) == 0 { 1 + random.below(joint) } else { joint };
        let link = format!("r{robot}l{joint}");
        let place = if joint == 0 {
            base
        } else {
            Pose::from_axis_angle(random.direction(), random.between(-0.5, 0.5), DVec3::X * length)
        };
        let kind = random_joint(random, variety);
        world.link(&links[parent], &link, kind, place);
        let spec = world.joints.last_mut().unwrap();
        if kind.variable_count() == 1 {
            match &driver {
                Some(driver) if random.below(6) == 0 => {
                    spec.mimic = Some(Mimic {
                        joint: driver.clone(),
                        multiplier: random.between(-1.5, 1.5),
                        offset: random.between(-0.3, 0.3),
                    });
                }
                _ => driver = Some(spec.name.clone()),
            }
        }
        let thick = length.min(0.15) * random.between(0.3, 0.8);
        let mut parts = vec![(
            at(length / 2.0, 0.0, 0.0),
            if is_convex || random.below(2) == 0 {
                Form::Cuboid([length * 0.8, thick, thick])
            } else {
                box_mesh([length * 0.8, thick, thick])
            },
        )];
        if random.below(3) == 0 {
            parts.push((random.pose(length / 4.0), random_form(random, thick * 2.0, is_convex)));
        }
        world.things.push(Thing { name: link.clone(), link: link.clone(), parts });
        links.push(link);
    }
}

fn random_world(random: &mut Random, number: usize) -> World {
    let clearance = [0.0, 0.0, 1e-3, -1e-3][random.below(4)];
    let is_convex = clearance < 0.0;
    let mut world = World::new(clearance, [0.0, 1e-3, 1e-2][random.below(3)]);
    let joints = if number % 10 == 9 { 20 } else { 1 + random.below(8) };
    arm(&mut world, random, 0, joints, number.is_multiple_of(3), is_convex);
    if random.below(4) == 0 {
        let joints = 1 + random.below(4);
        arm(&mut world, random, 1, joints, false, is_convex);
    }
    for i in 0..1 + random.below(5) {
        let name = format!("obstacle {i}");
        let pose = Pose { translation: random.direction() * random.between(0.3, 1.8), ..random.pose(0.0) };
        let form = match random.below(6) {
            0 => Form::Capsule(2e-3, 1.0),
            1 => Form::Cuboid([0.8, 0.6, 1e-3]),
            _ => random_form(random, 0.5, is_convex),
        };
        world.thing(&name, "world", pose, form);
    }
    if random.below(5) == 0 {
        let normal = (DVec3::Z + random.point(0.3)).normalize();
        world.thing("ground", "world", at(0.0, 0.0, -random.between(0.4, 1.5)), Form::Plane(normal));
    }
    world
}

fn random_segment(random: &mut Random, world: &World, oracle_quaternions: &[usize]) -> [Vec<f64>; 2] {
    let count = world.model().variables().len();
    let mut start: Vec<f64> = (0..count).map(|_| random.between(-2.0, 2.0)).collect();
    let reach = [0.03, 0.3, 1.0, 3.0][random.below(4)];
    let mut goal: Vec<f64> = start.iter().map(|q| q + random.between(-reach, reach)).collect();
    for (i, variable) in world.model().variables().iter().enumerate() {
        // Slides are as long as a link, not as the room.
        if variable.kind == pathproof::robot::VariableKind::Length {
            (start[i], goal[i]) = (start[i] * 0.2, goal[i] * 0.2);
        }
    }
    for &i in oracle_quaternions {
        let turn = |random: &mut Random| DQuat::from_axis_angle(random.direction(), random.between(-1.4, 1.4));
        let first = turn(random);
        let second = first * DQuat::from_axis_angle(random.direction(), reach.min(2.5) * random.unit());
        start[i..i + 4].copy_from_slice(&first.to_array());
        goal[i..i + 4].copy_from_slice(&second.to_array());
    }
    [start, goal]
}

/// What the oracle says about an answer; panics where it is refuted.
fn judge_answer(oracle: &Oracle, checker: &Checker, [start, goal]: &[Vec<f64>; 2], answer: &Answer) -> Option<Sampled> {
    let scene = checker.scene();
    let tolerance = scene.tolerance();
    let is_signed = oracle.pairs.iter().any(|pair| pair.2 < 0.0);
    match &answer.verdict {
        Verdict::Free(free) => {
            let sampled = oracle.sampled(start, goal, STEP, is_signed);
            assert!(sampled.excess > -KNOWN, "refuted by {sampled:?}: {answer:?}");
            assert!(
                free.lower_clearance <= sampled.distance + KNOWN || pairs_differ(oracle),
                "{sampled:?}: {answer:?}"
            );
            assert!(free.lower_clearance >= scene.clearance());
            let links = oracle.links(start);
            let inside = oracle.pairs.iter().find(|(a, b, _)| oracle.is_contained(&links, *a, *b));
            assert!(inside.is_none(), "{inside:?} inside: {answer:?}");
            return Some(sampled);
        }
        Verdict::Undecided(_) => assert_eq!(tolerance, 0.0, "{answer:?}"),
        Verdict::Collision(found) | Verdict::TooClose(found) => {
            let q = oracle.interpolate(start, goal, found.t);
            let off = q.iter().zip(&found.configuration).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let flipped = q.iter().zip(&found.configuration).map(|(a, b)| (a + b).abs()).fold(0.0, f64::max);
            assert!(
                off.min(flipped) < 1e-9 || checker.scene().model().variables().iter().any(|v| v.name.ends_with("qw"))
            );
            let links = oracle.links(&found.configuration);
            let [a, b] = found.bodies;
            let d = oracle.distance(&links, a, b, f64::INFINITY, is_signed);
            let contact = found.clearance.min(0.0);
            if word(&answer.verdict) == "collision" {
                assert!(d <= contact + KNOWN || oracle.is_contained(&links, a, b), "no contact, {d:e}: {answer:?}");
            } else {
                assert!(d <= found.clearance + tolerance + KNOWN, "not too close, {d:e}: {answer:?}");
                assert!(d > contact - KNOWN, "in contact, {d:e}: {answer:?}");
                // parry's distance of curved shapes is an iteration that may stop short: a smaller one is right where its
                // points are on the bodies.
                let is_shown = oracle.holds(&links, a, found.points[0]) && oracle.holds(&links, b, found.points[1]);
                assert!(found.distance >= d - KNOWN || is_shown, "distance {d:e}: {answer:?}");
                if !is_signed && found.distance > 1e-6 {
                    assert!(d > 0.0, "contact called too close: {answer:?}");
                    assert!(found.distance <= d + 1e-6, "not the distance, {d:e}: {answer:?}");
                }
                // The points are that far apart.
                let apart = (found.points[0] - found.points[1]).length();
                assert!((apart - found.distance.abs()).abs() < 1e-6 || is_signed, "{apart:e} {answer:?}");
            }
        }
    }
    None
}

fn pairs_differ(oracle: &Oracle) -> bool {
    oracle.pairs.iter().any(|pair| pair.2 != oracle.pairs[0].2)
}

#[derive(Default, Debug, Clone, Copy)]
struct Tally {
    free: usize,
    collision: usize,
    too_close: usize,
    undecided: usize,
    tightened: usize,
}

impl Tally {
    fn count(&mut self, answer: &Answer) {
        *match word(&answer.verdict) {
            "free" => &mut self.free,
            "collision" => &mut self.collision,
            "too_close" => &mut self.too_close,
            _ => &mut self.undecided,
        } += 1;
    }

    fn plus(self, o: Self) -> Self {
        Self {
            free: self.free + o.free,
            collision: self.collision + o.collision,
            too_close: self.too_close + o.too_close,
            undecided: self.undecided + o.undecided,
            tightened: self.tightened + o.tightened,
        }
    }
}

fn quaternions(world: &World) -> Vec<usize> {
    world.model().variables().iter().enumerate().filter(|(_, v)| v.name.ends_with(".qx")).map(|(i, _)| i).collect()
}

/// Links that touch where they are joined would collide always: such pairs are switched off.
fn prepare(world: &mut World, random: &mut Random) {
    use pathproof::scene::PairRule;
    let scene = world.scene();
    let oracle = Oracle::new(world, &scene);
    let quaternions = quaternions(world);
    for _ in 0..3 {
        let [q, _] = random_segment(random, world, &quaternions);
        let links = oracle.links(&q);
        for (a, b, clearance) in &oracle.pairs {
            let is_self = world.things[*a].link != "world" && world.things[*b].link != "world";
            let near = is_self && oracle.distance(&links, *a, *b, f64::INFINITY, false) <= clearance + 0.02;
            let is_known = world.rules.exceptions.iter().any(|(pair, _)| pair == &[*a, *b]);
            if near && !is_known && (a.abs_diff(*b) < 3 || random.below(2) == 0) {
                world.rules.exceptions.push(([*a, *b], PairRule::Skip));
            }
        }
    }
}

fn run_world(number: usize) -> Tally {
    let mut random = Random::new(0x5EED_0000 + number as u64);
    let mut world = random_world(&mut random, number);
    prepare(&mut world, &mut random);
    let scene = world.scene();
    let oracle = Oracle::new(&world, &scene);
    let quaternions = quaternions(&world);
    let checker = Checker::new(scene).unwrap();
    let mut scratch = CheckScratch::new(&checker);
    let mut tally = Tally::default();
    for _ in 0..SEGMENTS_A_WORLD {
        let ends = random_segment(&mut random, &world, &quaternions);
        same_poses(&oracle, &checker, &world, &ends[0]);
        check_segment(&oracle, &checker, &ends, &mut random, &mut scratch, &mut tally);
    }
    tally
}

/// Checks a segment and holds the answer to what the oracle says.
fn check_segment(
    oracle: &Oracle,
    checker: &Checker,
    ends: &[Vec<f64>; 2],
    random: &mut Random,
    scratch: &mut CheckScratch,
    tally: &mut Tally,
) {
    // Without giving up halves that are barely covered, bounds show what they are worth.
    let settings = Settings { kill: [0.5, 1e300][random.below(2)], ..Settings::default() };
    let answer = checker.segment(&ends[0], &ends[1], &settings, scratch).unwrap();
    tally.count(&answer);
    // With a clearance that a sample just misses, free is refuted: bounds have nowhere to hide.
    if let Some(sampled) = judge_answer(oracle, checker, ends, &answer)
        && sampled.excess.is_finite()
        && sampled.distance > 1e-4
        && checker.scene().clearance() >= 0.0
    {
        tally.tightened += 1;
        for (excess, tolerance) in [(KNOWN, 0.0), (1e-3 * sampled.distance, 1e-3), (0.3 * sampled.distance, 1e-3)] {
            let scene = checker.scene().clone().with_clearance(sampled.distance + excess).unwrap();
            let strict = Checker::new(scene.with_tolerance(tolerance).unwrap()).unwrap();
            let settings = Settings { max_queries: Some(3_000), ..settings };
            let answer = strict.segment(&ends[0], &ends[1], &settings, scratch).unwrap();
            assert_ne!(word(&answer.verdict), "free", "{sampled:?} {answer:?}");
        }
    }
}

/// The oracle's kinematics and the library's are the same, so that what follows compares like with like.
fn same_poses(oracle: &Oracle, checker: &Checker, world: &World, q: &[f64]) {
    let model = checker.scene().model();
    let mut kinematics = Kinematics::new(model);
    kinematics.set_configuration(q);
    for (pose, joint) in oracle.links(q)[1..].iter().zip(&world.joints) {
        let theirs = kinematics.world_from_link(model, model.link(&joint.child).unwrap());
        assert!((theirs.translation - pose.translation).length() < 1e-9, "{}", joint.name);
        assert!((theirs.vector(DVec3::X) - pose.vector(DVec3::X)).length() < 1e-9);
        assert!((theirs.vector(DVec3::Y) - pose.vector(DVec3::Y)).length() < 1e-9);
    }
}

#[test]
fn no_sample_refutes_free_and_every_witness_is_one() {
    let worlds = segments().div_ceil(SEGMENTS_A_WORLD);
    let tally = (0..worlds).into_par_iter().map(run_world).reduce(Tally::default, Tally::plus);
    println!("{tally:?}");
    let all = worlds * SEGMENTS_A_WORLD;
    assert!(tally.free * 8 > all && (tally.collision + tally.too_close) * 8 > all, "one-sided: {tally:?}");
}

/// Real robots, alone and in pairs, among obstacles at random: a tenth of the segments.
#[test]
fn no_sample_refutes_free_on_real_robots() {
    let Some(folder) = real::data() else {
        println!("SKIPPED: the shared data is not at ../shared/data");
        return;
    };
    let cells = (segments() / 10 / SEGMENTS_A_WORLD).max(real::KINDS);
    let tally = (0..cells).into_par_iter().map(|number| run_cell(&folder, number)).reduce(Tally::default, Tally::plus);
    println!("real robots: {tally:?}");
    let all = cells * SEGMENTS_A_WORLD;
    assert!(tally.free * 8 > all && (tally.collision + tally.too_close) * 8 > all, "one-sided: {tally:?}");
}

fn run_cell(folder: &Path, number: usize) -> Tally {
    let mut random = Random::new(0x2EA1_0000 + number as u64);
    let Cell { name, scene, world, oracle } = real::cell(folder, &mut random, number % real::KINDS);
    let checker = Checker::new(scene).unwrap();
    let mut scratch = CheckScratch::new(&checker);
    let mut tally = Tally::default();
    for _ in 0..SEGMENTS_A_WORLD {
        let ends = real::segment(&mut random, checker.scene());
        same_poses(&oracle, &checker, &world, &ends[0]);
        check_segment(&oracle, &checker, &ends, &mut random, &mut scratch, &mut tally);
    }
    println!("{number} {name} {tally:?}");
    tally
}

/// The same question asked again with used scratch, in the other direction, with the bodies in another order.
#[test]
fn asking_differently_never_turns_free_into_collision() {
    let worlds = (segments() / 80).max(10);
    (0..worlds).into_par_iter().for_each(|number| {
        let mut random = Random::new(0xA5_0000 + number as u64);
        let mut world = random_world(&mut random, number);
        prepare(&mut world, &mut random);
        let scene = world.scene();
        let oracle = Oracle::new(&world, &scene);
        let quaternions = quaternions(&world);
        let checker = Checker::new(scene).unwrap();
        let turned = reordered(&world).checker();
        let mut scratch = CheckScratch::new(&checker);
        for _ in 0..SEGMENTS_A_WORLD {
            let [start, goal] = random_segment(&mut random, &world, &quaternions);
            let settings = Settings::default();
            let fresh = checker.segment(&start, &goal, &settings, &mut CheckScratch::new(&checker)).unwrap();
            let used = checker.segment(&start, &goal, &settings, &mut scratch).unwrap();
            assert_eq!(fresh, used);
            let back = checker.segment(&goal, &start, &settings, &mut scratch).unwrap();
            let other = turned.segment(&start, &goal, &settings, &mut CheckScratch::new(&turned)).unwrap();
            for answer in [back, other] {
                let (one, two) = (word(&fresh.verdict), word(&answer.verdict));
                let both = [one, two];
                if one == two {
                    continue;
                }
                assert!(!(both.contains(&"free") && both.contains(&"collision")), "{fresh:?} {answer:?}");
                // Otherwise the minimum is within the tolerance, or both are contacts of some kind.
                let sampled = oracle.sampled(&start, &goal, STEP, world.clearance < 0.0);
                let crude = oracle.crude_arc(&start, &goal) * STEP;
                assert!(
                    sampled.excess <= world.tolerance + crude.min(0.02) + KNOWN,
                    "{sampled:?} {fresh:?} {answer:?}"
                );
                if both.contains(&"free") {
                    assert!(sampled.excess > -KNOWN, "{sampled:?} {fresh:?} {answer:?}");
                }
            }
        }
    });
}

/// The bodies in reverse, with other names.
fn reordered(world: &World) -> World {
    let last = world.things.len() - 1;
    let mut turned = world.clone();
    turned.things.reverse();
    for (i, thing) in turned.things.iter_mut().enumerate() {
        thing.name = format!("renamed {i}");
    }
    for (pair, _) in &mut turned.rules.exceptions {
        *pair = pair.map(|body| last - body);
    }
    turned
}

#[test]
fn threads_do_not_change_a_bit() {
    let mut random = Random::new(99);
    let mut world = random_world(&mut random, 4);
    prepare(&mut world, &mut random);
    let checker = world.checker();
    let quaternions = quaternions(&world);
    let segments: Vec<[Vec<f64>; 2]> = (0..200).map(|_| random_segment(&mut random, &world, &quaternions)).collect();
    let run = |threads: usize| -> Vec<Answer> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            segments
                .par_iter()
                .map_init(
                    || CheckScratch::new(&checker),
                    |scratch, [a, b]| checker.segment(a, b, &Settings::default(), scratch).unwrap(),
                )
                .collect()
        })
    };
    let alone = run(1);
    assert!(alone.iter().any(|a| finding(&a.verdict).is_some()));
    assert_eq!(alone, run(2));
    assert_eq!(alone, run(4));
}
