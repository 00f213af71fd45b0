//! Worlds made to mislead what proves much at once: hulls of hollow, thin, flat and scattered meshes, several bodies on a
//! link in one tree with rules of their own, chains of mimic joints, maps, edges asked in both directions, curves that are
//! fast. Brute force over triangles refutes: asked for a hair more clearance than the least distance found, nothing is free.
//!
//! `PATHPROOF_SEGMENTS` says how many segments (default 1,200, of which a twentieth are taken). The full run:
//! `PATHPROOF_SEGMENTS=200000 cargo test --release -p pathproof --test checker adversary:: -- --nocapture`

use crate::common::random::{prepare, quaternions, random_segment};
use crate::common::{
    Form, Oracle, Sampled, Tally, Thing, World, at, box_mesh, inside_out, joined, opened, torus, word,
};
use pathproof::check::{Answer, CheckScratch, Checker, Maps, Report, Settings, Verdict};
use pathproof::numeric::{DVec3, Pose, Random};
use pathproof::path::Motion;
use pathproof::robot::{Curve, CurvePiece, JointKind, Mimic, Polynomial, VariableKind};
use pathproof::scene::PairRule;
use rayon::prelude::*;

/// How far the oracle may be off: parry's distances converge to some 1e-8.
const KNOWN: f64 = 2e-7;
const SEGMENTS_A_WORLD: usize = 6;
/// Boxes per map.
const BOXES: usize = 200;

fn segments() -> usize {
    let wanted: usize = std::env::var("PATHPROOF_SEGMENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_200);
    wanted.div_ceil(20)
}

/// A patch of n × m quads, where `place` puts the points of the unit square.
fn patch(n: u32, m: u32, place: impl Fn(f64, f64) -> DVec3) -> Form {
    let points = (0..=n).flat_map(|i| (0..=m).map(move |j| (f64::from(i) / f64::from(n), f64::from(j) / f64::from(m))));
    let vertices = points.map(|(u, v)| place(u, v)).collect();
    let corner = |i: u32, j: u32| i * (m + 1) + j;
    let quads = (0..n).flat_map(|i| (0..m).map(move |j| (i, j)));
    let triangles = quads.flat_map(|(i, j)| {
        let (a, b, c, d) = (corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1));
        [[a, b, c], [a, c, d]]
    });
    Form::Mesh(vertices, triangles.collect())
}

/// The same elsewhere.
fn placed(form: Form, pose: Pose) -> Form {
    match form {
        Form::Mesh(vertices, triangles) => Form::Mesh(vertices.iter().map(|v| pose.point(*v)).collect(), triangles),
        other => other,
    }
}

/// A mesh whose hull says little about it, or much.
fn misleading(random: &mut Random, size: f64) -> Form {
    let [x, y, z] = [0; 3].map(|_| size * random.between(0.3, 1.0));
    match random.below(10) {
        // A sheet, flat or bent or rippled.
        0 => {
            let bend = [0.0, 0.5, 3.0][random.below(3)];
            let ripple = [0.0, 1e-9, 0.02 * size][random.below(3)];
            patch(6, 4, |u, v| DVec3::new(x * u, y * v, ripple * (9.0 * u).sin() + z * bend * (u - 0.5) * (u - 0.5)))
        }
        // Walls around a cavity.
        1 => joined(box_mesh([x, y, z]), inside_out(box_mesh([x * 0.9, y * 0.9, z * 0.9]))),
        // A cage of bars.
        2 => {
            let bar = size * random.between(0.005, 0.05);
            let bars = (0..3 + random.below(5)).map(|_| {
                let length = [[size, bar, bar], [bar, size, bar], [bar, bar, size]][random.below(3)];
                placed(box_mesh(length), random.pose(size / 2.0))
            });
            bars.reduce(joined).expect("bars")
        }
        // Needles.
        3 => {
            let corners: Vec<DVec3> = (0..60).map(|_| random.point(size / 2.0)).collect();
            let near = |i: u32| (0..20).map(move |k| [i, i + 1, (i + 2 + k % 3) % 60]);
            let mut vertices = corners.clone();
            for i in (1..60).step_by(2) {
                vertices[i] = corners[i - 1] + random.point(1e-3 * size);
            }
            Form::Mesh(vertices, (0..50).step_by(5).flat_map(near).collect())
        }
        // Triangles at random.
        4 => {
            let corners: Vec<DVec3> = (0..40).map(|_| random.point(size / 2.0)).collect();
            let mut index = || random.below(40) as u32;
            Form::Mesh(
                corners,
                (0..40).map(|_| [index(), index(), index()]).filter(|[a, b, c]| a != b && b != c && a != c).collect(),
            )
        }
        // A ribbon that winds.
        5 => {
            let turns = random.between(3.0, 14.0);
            patch(30, 1, |u, v| DVec3::new(x * (turns * u).cos(), x * (turns * u).sin(), z * u + 0.1 * size * v) * 0.5)
        }
        // Two of a kind, apart.
        6 => joined(
            placed(torus(x / 4.0, x / 16.0, 8, 4), at(-x, 0.0, 0.0)),
            placed(torus(x / 4.0, x / 16.0, 8, 4), at(x, 0.0, 0.0)),
        ),
        // A bowl.
        7 => patch(8, 6, |u, v| {
            let (radius, angle) = (x * (0.05 + u), 6.4 * v);
            DVec3::new(radius * angle.cos(), radius * angle.sin(), z * u * u * 2.0)
        }),
        8 => opened(torus(x / 2.0, x / 5.0, 12, 6)),
        _ => torus(x / 2.0, [x / 5.0, x / 100.0][random.below(2)], 12, 6),
    }
}

fn convex(random: &mut Random, size: f64) -> Form {
    let [x, y, z] = [0; 3].map(|_| size * random.between(0.2, 1.0));
    match random.below(5) {
        0 => Form::Ball(x / 2.0),
        1 => Form::Cuboid([x, y, z]),
        2 => Form::Cylinder(x / 2.0, z),
        3 => Form::Capsule(x / 4.0, z),
        _ => Form::Cuboid([x, y, 1e-4]),
    }
}

/// A body of a part or a few, drawn near its link or far from it.
fn thing(random: &mut Random, name: String, link: &str, size: f64, is_signed: bool) -> Thing {
    let count = 1 + random.below(3);
    let parts = (0..count).map(|_| {
        let is_convex = is_signed || random.below(3) == 0;
        let form = if is_convex { convex(random, size) } else { misleading(random, size) };
        let pose = random.pose(size * 0.7);
        // Drawn elsewhere and put back.
        match form {
            Form::Mesh(..) if random.below(4) == 0 => {
                let away = random.pose(100.0);
                (pose * away.inverse(), placed(form, away))
            }
            form => (pose, form),
        }
    });
    let parts = parts.collect();
    Thing { name, link: link.into(), parts }
}

fn joint_of(random: &mut Random) -> JointKind {
    let axis = random.direction() * random.between(0.2, 5.0);
    match random.below(9) {
        0..=4 => JointKind::Revolute { axis },
        5 | 6 => JointKind::Prismatic { axis },
        7 => JointKind::Planar { axis },
        _ => JointKind::Floating,
    }
}

/// A tree of links with several bodies each, among obstacles; whether all pairs have the same clearance.
fn world(random: &mut Random) -> (World, bool) {
    let is_signed = random.below(6) == 0;
    let mut world = World::new(if is_signed { -2e-3 } else { 0.0 }, [0.0, 1e-3, 1e-2][random.below(3)]);
    let joints = 1 + random.below(5);
    let mut links = vec!["world".to_owned()];
    for joint in 0..joints {
        let parent = links[if random.below(4) == 0 { random.below(links.len()) } else { links.len() - 1 }].clone();
        let link = format!("l{joint}");
        let place = Pose { translation: random.direction() * random.between(0.1, 0.5), ..random.pose(0.0) };
        let kind = joint_of(random);
        world.link(&parent, &link, kind, place);
        // Mimics follow the first joint that has one value, with multipliers of any size.
        let leader = world.joints.iter().find(|j| j.mimic.is_none() && j.kind.variable_count() == 1);
        let leader = leader.map(|j| j.name.clone()).filter(|name| *name != format!("{link}_joint"));
        if let (Some(leader), true) = (leader, kind.variable_count() == 1 && random.below(3) == 0) {
            let mimic =
                Mimic { joint: leader, multiplier: random.between(-3.0, 3.0), offset: random.between(-1.0, 1.0) };
            world.joints.last_mut().expect("a joint").mimic = Some(mimic);
        }
        for body in 0..1 + random.below(3) {
            let thing = thing(random, format!("{link} {body}"), &link, 0.25, is_signed);
            world.things.push(thing);
        }
        links.push(link);
    }
    for number in 0..1 + random.below(5) {
        let mut obstacle = thing(random, format!("obstacle {number}"), "world", 0.4, is_signed);
        let away = Pose { translation: random.direction() * random.between(0.3, 1.4), ..random.pose(0.0) };
        obstacle.parts.iter_mut().for_each(|(pose, _)| *pose = away * *pose);
        world.things.push(obstacle);
    }
    prepare(&mut world, random);
    let is_uniform = random.below(3) > 0;
    if !is_uniform {
        for _ in 0..4 {
            let [a, b] = [0; 2].map(|_| random.below(world.things.len()));
            let rule =
                if random.below(2) == 0 { PairRule::Skip } else { PairRule::Clearance(random.between(0.0, 0.02)) };
            if a != b && world.things[a].link != world.things[b].link {
                world.rules.exceptions.push(([a.min(b), a.max(b)], rule));
            }
        }
    }
    (world, is_uniform)
}

/// What is asked: a straight line, or a curve with the powers of t of its variables.
struct Asked {
    ends: [Vec<f64>; 2],
    curve: Option<(Curve, Vec<Option<[f64; 6]>>)>,
}

impl Asked {
    fn new(random: &mut Random, world: &World, quaternions: &[usize]) -> Self {
        let ends = random_segment(random, world, quaternions);
        if random.below(2) == 0 {
            return Self { ends, curve: None };
        }
        // Fast and back, or slow.
        let scale = [0.1, 1.0, 1.0, 8.0][random.below(4)];
        let model = world.model();
        let (mut polynomials, mut powers) = (Vec::new(), Vec::new());
        for (variable, (from, to)) in model.variables().iter().zip(ends[0].iter().zip(&ends[1])) {
            if variable.kind == VariableKind::Quaternion {
                polynomials.push(Polynomial::line(*from, *to));
                powers.push(None);
                continue;
            }
            let scale = if variable.kind == VariableKind::Length { 0.2 * scale } else { scale };
            let mut list = [0.0; 6];
            list[0] = *from;
            let degree = random.below(6);
            list[1..=degree].iter_mut().for_each(|c| *c = random.between(-scale, scale));
            polynomials.push(Polynomial::from_powers(&list[..=degree], 1.0).expect("a polynomial"));
            powers.push(Some(list));
        }
        let piece = CurvePiece::new(&model, &polynomials).expect("a piece");
        Self { ends, curve: Some((Curve::new(&model, vec![piece]).expect("a curve"), powers)) }
    }

    fn at(&self, oracle: &Oracle, t: f64) -> Vec<f64> {
        let mut q = oracle.interpolate(&self.ends[0], &self.ends[1], t);
        for (q, powers) in q.iter_mut().zip(self.curve.iter().flat_map(|(_, powers)| powers)) {
            if let Some(powers) = powers {
                *q = powers.iter().rev().fold(0.0, |sum, c| sum * t + c);
            }
        }
        q
    }

    /// The least excess found: evenly, then ever closer around the best.
    fn sampled(&self, oracle: &Oracle, is_signed: bool) -> Sampled {
        const EVEN: usize = 80;
        let ask = |places: &mut dyn Iterator<Item = f64>| {
            oracle.sampled_at(places.map(|t| (t, self.at(oracle, t))), is_signed)
        };
        let mut best = ask(&mut (0..=EVEN).map(|i| i as f64 / EVEN as f64));
        let mut around = 1.0 / EVEN as f64;
        for _ in 0..6 {
            let t = best.t;
            let near = ask(&mut (-3..=3).map(|i| (t + around * f64::from(i) / 3.0).clamp(0.0, 1.0)));
            if near.excess < best.excess {
                best = near;
            }
            around *= 0.25;
        }
        best
    }

    fn ask(&self, checker: &Checker, settings: &Settings, scratch: &mut CheckScratch) -> Answer {
        match &self.curve {
            Some((curve, _)) => checker.path(&Motion::curve(curve.clone()), settings, scratch).expect("a path"),
            None => checker.path(&Motion::lines(&self.ends[..]), settings, scratch).expect("a path"),
        }
    }
}

/// Ways to ask, chosen at random.
fn way(random: &mut Random) -> Settings {
    let report = [Report::Any, Report::Any, Report::First, Report::All][random.below(4)];
    let node_to_motion_ratio = [0.0, 1.0, 4.0, 8.0][random.below(4)];
    Settings { report, node_to_motion_ratio, max_queries: Some(1_000), ..Settings::default() }
}

/// Free is refuted by what was sampled, and what it says is left lies below it.
fn hold(answer: &Answer, sampled: &Sampled, is_uniform: bool, context: &str) {
    if let Verdict::Free(free) = &answer.verdict {
        assert!(sampled.excess > -KNOWN, "{context}: refuted by {sampled:?}: {answer:?}");
        assert!(free.lower_clearance() <= sampled.distance + KNOWN || !is_uniform, "{context}: {sampled:?} {answer:?}");
    }
}

fn run_world(number: usize) -> Tally {
    let mut random = Random::new(0xAD7E_0000 + number as u64);
    let (world, is_uniform) = world(&mut random);
    let is_signed = world.clearance < 0.0;
    let scene = world.scene();
    let oracle = Oracle::new(&world, &scene);
    let quaternions = quaternions(&world);
    let made = |scene: pathproof::Scene, has_maps: bool| {
        let checker = Checker::new(scene);
        if has_maps { checker.with_maps(Maps { boxes: BOXES, ..Maps::default() }) } else { checker }
    };
    let has_maps = random.below(3) == 0;
    let checker = made(scene, has_maps);
    let mut scratch = CheckScratch::new(&checker).with_edge_cache(1 << 20);
    let mut tally = Tally::default();
    for segment in 0..SEGMENTS_A_WORLD {
        let context = format!("world {number}, segment {segment}");
        let asked = Asked::new(&mut random, &world, &quaternions);
        let sampled = asked.sampled(&oracle, is_signed);
        let answer = asked.ask(&checker, &Settings { max_queries: Some(4_000), ..Settings::default() }, &mut scratch);
        tally.count(&answer.verdict);
        hold(&answer, &sampled, is_uniform, &context);
        hold(&asked.ask(&checker, &way(&mut random), &mut scratch), &sampled, is_uniform, &context);
        if asked.curve.is_none() {
            let [a, b] = &asked.ends;
            for edge in [[&a[..], &b[..]], [&b[..], &a[..]]] {
                let settings = Settings { max_queries: Some(4_000), ..Settings::default() };
                hold(
                    &checker.edges(&[edge], &settings, &mut scratch).expect("an edge"),
                    &sampled,
                    is_uniform,
                    &context,
                );
            }
        }
        // A hair more than there is.
        if is_uniform
            && sampled.distance.is_finite()
            && (sampled.distance > 1e-4 || is_signed && sampled.distance > -0.1)
        {
            for (more, tolerance) in [(KNOWN, 0.0), (1e-3 * sampled.distance.abs() + KNOWN, 1e-3)] {
                let wanted = checker
                    .scene()
                    .clone()
                    .with_clearance(sampled.distance + more)
                    .and_then(|scene| scene.with_self_clearance(sampled.distance + more))
                    .and_then(|scene| scene.with_tolerance(tolerance));
                // Depth is told between convex pieces alone.
                let Ok(scene) = wanted else { continue };
                let strict = made(scene, has_maps);
                let settings = way(&mut random);
                let answer = asked.ask(&strict, &settings, &mut scratch);
                assert_ne!(word(&answer.verdict), "free", "{context}: {more:e} {settings:?} {sampled:?} {answer:?}");
                tally.noted += 1;
            }
        }
    }
    tally
}

#[test]
fn nothing_misleading_is_called_free() {
    let worlds = segments().div_ceil(SEGMENTS_A_WORLD);
    let tally = (0..worlds).into_par_iter().map(run_world).reduce(Tally::default, Tally::plus);
    println!("{tally:?}");
    assert!(tally.free > 0 && tally.contact() > 0, "{tally:?}");
    assert!(tally.noted > 0, "{tally:?}");
}
