//! What controllers run, against samples of their formulas: from a current state in both versions, with joints that wrap,
//! upsampled, on planar and floating joints, with objects in hand that may touch what is around them.
//!
//! The samples come from the points alone, by the formulas of joint_trajectory_controller, and share nothing with the
//! library. `PATHPROOF_MOTIONS` says how many random motions (default 2,000).

use std::f64::consts::TAU;

use crate::common::controlled::configuration;
use crate::common::random::{prepare, quaternions, random_segment, random_world};
use crate::common::{Form, Oracle, Sampled, Tally, World, finding, word};
use pathproof::check::{Answer, CheckScratch, Checker, Settings, Verdict};
use pathproof::numeric::{Pose, Random};
use pathproof::path::{Motion, Version};
use pathproof::robot::interpolation::wrapped;
use pathproof::robot::{JointKind, Knot, Model, VariableKind};
use pathproof::scene::Scene;
use rayon::prelude::*;

/// How far the oracle may be off: parry's distances converge to some 1e-8.
const KNOWN: f64 = 2e-7;
const SAMPLES: usize = 40;
const MOTIONS_A_WORLD: usize = 8;

/// A motion of the library, and what the formulas say that it is.
struct Case {
    motion: Motion,
    /// Segments by their ends.
    newest: Vec<[Knot; 2]>,
    /// The first of them as older versions of the controller run it.
    older: Option<[Knot; 2]>,
}

impl Case {
    /// The configuration at a place of a version.
    fn at(&self, oracle: &Oracle, model: &Model, version: Version, segment: usize, t: f64) -> Vec<f64> {
        let ends = match version {
            Version::Newest => &self.newest[segment],
            Version::OlderController => self.older.as_ref().expect("an older version is claimed"),
        };
        configuration(oracle, model, ends, t)
    }

    fn sampled(&self, oracle: &Oracle, model: &Model, is_signed: bool) -> Sampled {
        let newest = (0..self.newest.len()).map(|segment| (Version::Newest, segment));
        let older = self.older.iter().map(|_| (Version::OlderController, 0));
        let places = newest
            .chain(older)
            .flat_map(|(version, segment)| (0..=SAMPLES).map(move |i| (version, segment, i as f64 / SAMPLES as f64)));
        let places = places.map(|(version, segment, t)| (t, self.at(oracle, model, version, segment, t)));
        oracle.sampled_at(places, is_signed)
    }
}

/// Points of a trajectory: two or three, with rates or without.
fn random_points(random: &mut Random, model: &Model, [a, b]: [Vec<f64>; 2], fields: usize) -> Vec<Knot> {
    let mut positions = vec![a, b];
    if random.below(2) == 0 {
        let [a, b] = [&positions[0], &positions[1]];
        let between = |(i, (a, b)): (usize, (&f64, &f64))| match model.variables()[i].kind {
            VariableKind::Quaternion => *a,
            _ => a + (b - a) * random.between(0.2, 0.8),
        };
        let middle = a.iter().zip(b).enumerate().map(between).collect();
        positions.insert(1, middle);
    }
    // Fast ones leave their chords far enough that versions of a start pass on either side of an obstacle.
    let pace = [1.0, 6.0][random.below(2)];
    let mut time = random.between(0.5, 1.5);
    let mut knots = Vec::new();
    for positions in positions {
        let mut list = |size: f64| model.variables().iter().map(|_| random.between(-size, size)).collect::<Vec<f64>>();
        let (velocities, accelerations) =
            ((fields > 0).then(|| list(0.6 * pace)), (fields > 1).then(|| list(2.0 * pace)));
        knots.push(Knot { time, positions, velocities, accelerations });
        time += random.between(0.5, 1.5);
    }
    knots
}

/// A state near the first point, with rates or without; some joints are whole turns away and wrap.
fn random_state(random: &mut Random, model: &Model, first: &Knot) -> Knot {
    let mut positions = first.positions.clone();
    for (q, variable) in positions.iter_mut().zip(model.variables()) {
        if variable.kind == VariableKind::Quaternion {
            continue;
        }
        let reach = if variable.kind == VariableKind::Length { 0.1 } else { 0.5 };
        let near = *q + random.between(-reach, reach);
        let turns = if reach > 0.2 { [0.0, 0.0, 1.0, -2.0][random.below(4)] } else { 0.0 };
        let back = wrapped(near + turns * TAU, *q);
        assert!((back - near).abs() < 1e-12, "half a turn or more: {back} {near}");
        *q = back;
    }
    let list = |random: &mut Random| model.variables().iter().map(|_| random.between(-0.5, 0.5)).collect::<Vec<f64>>();
    let velocities = (random.below(2) == 0).then(|| list(random));
    Knot { time: 0.0, positions, velocities, accelerations: None }
}

/// The points with velocities of the cubic spline through them that rests at both ends, for three points at most.
fn at_rest(points: &[Knot]) -> Vec<Knot> {
    let count = points[0].positions.len();
    let mut made = points.to_vec();
    made.iter_mut().for_each(|knot| knot.velocities = Some(vec![0.0; count]));
    if let [a, b, c] = points {
        let (h, k) = (b.time - a.time, c.time - b.time);
        let slope = |i: usize| {
            let [a, b, c] = [a, b, c].map(|knot| knot.positions[i]);
            1.5 * ((c - b) / (k * k) + (b - a) / (h * h)) / (1.0 / h + 1.0 / k)
        };
        made[1].velocities = Some((0..count).map(slope).collect());
    }
    made
}

fn random_case(random: &mut Random, model: &Model, ends: [Vec<f64>; 2]) -> Case {
    let kind = random.below(3);
    let fields = if kind == 0 { 0 } else { random.below(3) };
    let mut points = random_points(random, model, ends, fields);
    let mut current = (random.below(3) > 0).then(|| random_state(random, model, &points[0]));
    if let Some(current) = current.as_mut().filter(|_| kind == 1) {
        // From the start of the segment to its end, which is all that is commanded: versions differ most.
        current.positions = std::mem::take(&mut points[0].positions);
        points.drain(..points.len() - 1);
    }
    let zeros = vec![0.0; points[0].positions.len()];
    let pairs = |knots: &[Knot]| knots.windows(2).map(|pair| [pair[0].clone(), pair[1].clone()]).collect::<Vec<_>>();
    if kind == 0 {
        let start = current.map(|current| Knot { velocities: Some(zeros), ..current });
        let motion = Motion::upsampled(model, points.clone(), start.as_ref().map(|at| at.positions.clone())).unwrap();
        let all: Vec<Knot> = start.into_iter().chain(at_rest(&points)).collect();
        return Case { motion, newest: pairs(&all), older: None };
    }
    let motion = Motion::controller(model, points.clone(), current.clone()).unwrap();
    let mut newest = pairs(&points);
    let mut older = None;
    if let Some(current) = current {
        let first = points[0].clone();
        let filled = Knot {
            velocities: Some(current.velocities.clone().unwrap_or_else(|| zeros.clone())),
            accelerations: Some(zeros),
            ..current.clone()
        };
        newest.insert(0, [filled, first.clone()]);
        older = Some([current, first]);
    }
    Case { motion, newest, older }
}

/// The world with an object, some 10 cm across, that a link takes at `q`; the oracle places it by its own kinematics.
struct Held {
    scene: Scene,
    oracle: Oracle,
}

fn with_object(random: &mut Random, world: &World, q: &[f64]) -> Held {
    let before = Oracle::new(world, &world.scene());
    // Links behind fixed joints alone do not move.
    let moving: Vec<usize> = (0..world.joints.len()).filter(|&i| world.joints[i].kind != JointKind::Fixed).collect();
    let joint = moving[random.below(moving.len())];
    let (link, name) = (joint + 1, world.joints[joint].child.clone());
    let link_from_tool = random.pose(0.25);
    let mut on_the_table = world.clone();
    let world_from_tool: Pose = before.links(q)[link] * link_from_tool;
    let tool = on_the_table.thing("tool", "world", world_from_tool, Form::Cuboid([0.05, 0.1, 0.07]));
    let others: Vec<usize> = (0..tool).filter(|_| random.below(3) == 0).collect();
    on_the_table.rules.touching_bodies = others.iter().map(|&other| [tool, other]).collect();
    let scene = on_the_table.scene();
    let number = scene.model().link(&name).expect("a link");
    let scene = scene.attached(tool, number, q).expect("an object");
    for other in 0..tool {
        let is_obstacle = world.things[other].link == "world";
        let is_checked = scene.pairs().iter().any(|pair| [pair.a, pair.b] == [other, tool]);
        let may_touch = others.contains(&other);
        assert!(!(may_touch && is_checked) && (may_touch || is_checked || !is_obstacle), "{other}: {may_touch}");
    }
    let mut in_hand = on_the_table;
    in_hand.things[tool].link = name;
    in_hand.things[tool].parts[0].0 = link_from_tool;
    let oracle = Oracle::new(&in_hand, &scene);
    Held { scene, oracle }
}

fn check_case(oracle: &Oracle, checker: &Checker, case: &Case, random: &mut Random, tally: &mut Tally) {
    let model = checker.scene().model();
    let mut scratch = CheckScratch::new(checker);
    let is_signed = oracle.pairs.iter().any(|pair| pair.2 < 0.0);
    let settings = Settings::default();
    let answer = checker.path(&case.motion, &settings, &mut scratch).unwrap();
    tally.count(&answer.verdict);
    let tolerance = checker.scene().tolerance();
    let is_free = matches!(answer.verdict, Verdict::Free(_));
    // Sampling is what takes the time.
    let sampled = (is_free || random.below(8) == 0).then(|| case.sampled(oracle, model, is_signed));
    match &answer.verdict {
        Verdict::Free(free) => {
            let sampled = sampled.expect("it was made");
            assert!(sampled.excess > -KNOWN, "refuted by {sampled:?}: {answer:?}");
            assert!(free.lower_clearance() <= sampled.distance + KNOWN, "{sampled:?}: {answer:?}");
            // With a clearance that a sample just misses, free is refuted: bounds have nowhere to hide.
            if sampled.distance > 1e-4 && sampled.distance.is_finite() && !is_signed && random.below(4) == 0 {
                tally.noted += 1;
                let wanted = 1.05 * sampled.distance;
                let scene = checker.scene().clone().with_clearance(wanted).unwrap();
                let scene = scene.with_self_clearance(wanted).unwrap();
                let strict = Checker::new(scene.with_tolerance(1e-3).unwrap());
                let answer =
                    strict.path(&case.motion, &Settings { max_queries: Some(3_000), ..settings }, &mut scratch);
                assert_ne!(word(&answer.unwrap().verdict), "free", "{sampled:?}");
            }
        }
        Verdict::Undecided(_) => assert_eq!(tolerance, 0.0, "{answer:?}"),
        Verdict::Collision(_) | Verdict::TooClose(_) => check_finding(oracle, checker, case, &answer),
    }
    let Some(sampled) = sampled.filter(|_| tolerance > 0.0) else { return };
    assert!(is_free || sampled.excess <= tolerance + 0.05, "clearly free: {sampled:?} {answer:?}");
    // Another door: the smallest distance is about the same versions.
    if random.below(8) == 0 && !is_signed {
        let smallest = checker.smallest_distance(&case.motion, &settings, &mut scratch).unwrap();
        let lower = [smallest.world, smallest.own_links].into_iter().flatten().map(|found| found.lower);
        assert!(lower.fold(f64::INFINITY, f64::min) <= sampled.distance + KNOWN, "{sampled:?}");
    }
}

/// What was found is on the curve, and there.
fn check_finding(oracle: &Oracle, checker: &Checker, case: &Case, answer: &Answer) {
    let model = checker.scene().model();
    let found = finding(&answer.verdict).expect("a finding");
    let q = case.at(oracle, model, found.version, found.segment, found.t);
    let no_quaternion = |i: &usize| model.variables()[*i].kind != VariableKind::Quaternion;
    let off = (0..q.len()).filter(no_quaternion).map(|i| (q[i] - found.configuration[i]).abs());
    assert!(off.fold(0.0, f64::max) < 1e-9, "{q:?} {answer:?}");
    let links = oracle.links(&q);
    let is_signed = found.clearance < 0.0;
    let [a, b] = found.bodies;
    let d = oracle.distance(&links, a, b, f64::INFINITY, is_signed);
    if word(&answer.verdict) == "collision" {
        let is_contact = d <= found.clearance.min(0.0) + KNOWN || oracle.is_contained(&links, a, b);
        assert!(is_contact, "no contact, {d:e}: {answer:?}");
    } else {
        assert!(d <= found.clearance + checker.scene().tolerance() + KNOWN, "not too close, {d:e}: {answer:?}");
    }
}

#[test]
fn no_sample_refutes_free_on_what_a_controller_runs() {
    let motions = std::env::var("PATHPROOF_MOTIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000);
    let run = |number: usize| {
        let mut random = Random::new(0x90_7104_0000 + number as u64);
        let mut world = random_world(&mut random, number);
        prepare(&mut world, &mut random);
        let quaternions = quaternions(&world);
        let held = if world.clearance >= 0.0 && !world.model().variables().is_empty() && random.below(2) == 0 {
            let [q, _] = random_segment(&mut random, &world, &quaternions);
            with_object(&mut random, &world, &q)
        } else {
            let scene = world.scene();
            Held { oracle: Oracle::new(&world, &scene), scene }
        };
        let checker = Checker::new(held.scene);
        let mut tally = Tally::default();
        for _ in 0..MOTIONS_A_WORLD {
            let ends = random_segment(&mut random, &world, &quaternions);
            let case = random_case(&mut random, checker.scene().model(), ends);
            check_case(&held.oracle, &checker, &case, &mut random, &mut tally);
        }
        tally
    };
    let worlds = usize::div_ceil(motions, MOTIONS_A_WORLD);
    let tally = (0..worlds).into_par_iter().map(run).reduce(Tally::default, Tally::plus);
    println!("motions: {tally:?}");
    assert_eq!(tally.all(), worlds * MOTIONS_A_WORLD);
    tally.assert_both_sides(10);
}
