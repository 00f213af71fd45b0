//! Growth of a free segment's cost with the scene: with the triangles of the same surfaces, the joints of an arm, the
//! number of obstacles of the same volume, the waypoints of a path, and the distance of bodies.
//!
//! `exponent` is the slope of log(microseconds) over log(size), by least squares over the axis: 0 if the size does not
//! matter, 1 if the cost is proportional to it. For `clearance` the size is the least distance on the segment, at its
//! end (`clearance`) or all along (`clearance-along`), and the slope is that of the queries over log2(1 / distance):
//! the number of queries to halve the distance. Every axis keeps its segments as far as possible; the least of three
//! times counts.

use anyhow::{Context, Result};
use glam::DVec3;
use pathproof::check::{CheckScratch, Checker, Settings, Verdict};
use pathproof::numeric::{Pose, Random};
use pathproof::path::Motion;
use pathproof::robot::{JointKind, JointSpec, Kinematics, Model};
use pathproof::scene::{BodyShape, Role, Scene, SceneBody, SceneParts};
use pathproof::shapes::{Body, TriangleMesh};
use serde_json::json;

use crate::bodies::{self, Mesh};
use crate::report::Report;
use crate::scenes::refine;
use crate::{Options, timing};

type Segment = [Vec<f64>; 2];

/// Length of the whole arm in metres.
const REACH: f64 = 1.2;

/// Length of a segment, in radians over all joints.
const LENGTH: f64 = 0.5;

/// A size on an axis and its cost.
struct Point {
    size: f64,
    microseconds: f64,
    queries: f64,
}

/// Runs the experiment.
pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    report.note("wanted: exponents below 0.3 in triangles, below 0.5 in obstacles, 1.0 in waypoints");
    let count = options.samples(if options.quick { 3 } else { 60 });
    let sizes = |all: &'static [usize]| if options.quick { &all[..2] } else { all };
    if options.wants("triangles") {
        let points = triangles(sizes(&[1_000, 10_000, 100_000, 1_000_000]), count)?;
        rows("triangles", &points, slope(&points, |point| (point.size.ln(), point.microseconds.ln())), report);
    }
    if options.wants("joints") {
        let points = joints(sizes(&[6, 12, 24, 48, 96, 180]), count)?;
        rows("joints", &points, slope(&points, |point| (point.size.ln(), point.microseconds.ln())), report);
    }
    if options.wants("obstacles") {
        let points = obstacles(sizes(&[10, 100, 1_000, 10_000, 100_000]), count)?;
        rows("obstacles", &points, slope(&points, |point| (point.size.ln(), point.microseconds.ln())), report);
    }
    if options.wants("waypoints") {
        let points = waypoints(sizes(&[10, 100, 1_000, 10_000]))?;
        rows("waypoints", &points, slope(&points, |point| (point.size.ln(), point.microseconds.ln())), report);
    }
    // Down to the slab, and along it: only the upright axes turn, so that the gap stays.
    let down = [[0.0, -0.4, 0.0, 0.2, 0.0, 0.0], [0.0, 0.3, 0.0, 0.0, 0.0, 0.0]];
    let along = [[0.0; 6], [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]];
    for (case, [start, goal]) in [("clearance", down), ("clearance-along", along)] {
        if options.wants(case) {
            let points = clearances(if options.quick { 2 } else { 11 }, &start, &goal)?;
            rows(case, &points, slope(&points, |point| (-point.size.log2(), point.queries)), report);
        }
    }
    Ok(())
}

fn rows(case: &str, points: &[Point], exponent: f64, report: &mut Report) {
    let axis = case.split('-').next().unwrap_or(case);
    for Point { size, microseconds, queries } in points {
        report.row(
            case,
            json!({"axis": axis, "size": size, "microseconds": microseconds, "queries": queries, "exponent": exponent}),
        );
    }
}

/// The slope of y over x by least squares.
fn slope(points: &[Point], place: impl Fn(&Point) -> (f64, f64)) -> f64 {
    let places: Vec<(f64, f64)> = points.iter().map(place).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| places.iter().map(of).sum::<f64>() / places.len() as f64;
    let (x, y) = (mean(|place| place.0), mean(|place| place.1));
    let covariance: f64 = places.iter().map(|place| (place.0 - x) * (place.1 - y)).sum();
    covariance / places.iter().map(|place| (place.0 - x).powi(2)).sum::<f64>()
}

/// The same six-jointed arm among the same eight boulders, on more and more triangles.
fn triangles(sizes: &[usize], count: usize) -> Result<Vec<Point>> {
    const BODIES: usize = 6 + 8;
    let boulders: Vec<Mesh> = (0..8).map(|i| bodies::blob(0.12, 8, 6, 40 + i)).collect();
    let scene = |size: usize| {
        let refined = |mesh: &Mesh| refine::refine(mesh, size / BODIES);
        let stones = boulders.iter().zip(around(8, 0.5, 1.0, 3)).map(|(mesh, pose)| (refined(mesh), pose)).collect();
        arm(6, refined, stones)
    };
    let segments = draw(&Checker::new(scene(sizes[0])?), count)?;
    sizes.iter().map(|&size| measure(size as f64, &Checker::new(scene(size)?), &segments)).collect()
}

/// An arm of the same length with more and more joints, among the same 20 boxes.
fn joints(sizes: &[usize], count: usize) -> Result<Vec<Point>> {
    let boxes = || around(20, 0.4, 1.1, 5).into_iter().map(|pose| (bodies::cuboid(DVec3::splat(0.1)), pose)).collect();
    let mut points = Vec::new();
    for &size in sizes {
        let checker = Checker::new(arm(size, Mesh::clone, boxes())?);
        points.push(measure(size as f64, &checker, &draw(&checker, count)?)?);
    }
    Ok(points)
}

/// Boxes of the same total volume, more and more of them. Thousands at random leave no way for an arm: segments are
/// drawn first, and boxes nearer to them than some 2 cm are placed elsewhere.
fn obstacles(sizes: &[usize], count: usize) -> Result<Vec<Point>> {
    let empty = arm(6, Mesh::clone, Vec::new())?;
    let segments = draw(&Checker::new(empty.clone()), count.min(20))?;
    let lines = centre_lines(&empty, &segments)?;
    let mut points = Vec::new();
    for &size in sizes {
        let side = (0.02 / size as f64).cbrt();
        let room = radius(6) + side + 0.02;
        let is_clear = |pose: &Pose| lines.iter().all(|line| distance_from(line, pose.translation) > room);
        let boxes = places(0.3, 1.4, 7).filter(is_clear).take(size);
        let boxes = boxes.map(|pose| (bodies::cuboid(DVec3::splat(side)), pose)).collect();
        points.push(measure(size as f64, &Checker::new(arm(6, Mesh::clone, boxes)?), &segments)?);
    }
    Ok(points)
}

/// Centre lines of the links along every fiftieth segment.
fn centre_lines(scene: &Scene, segments: &[Segment]) -> Result<Vec<[DVec3; 2]>> {
    let model = scene.model();
    let mut kinematics = Kinematics::new(model);
    let mut lines = Vec::new();
    for ([a, b], i) in segments.iter().flat_map(|segment| (0..=50).map(move |i| (segment, i))) {
        let q: Vec<f64> = a.iter().zip(b).map(|(a, b)| a + (b - a) * f64::from(i) / 50.0).collect();
        kinematics.set_configuration(&q);
        for number in 1..=q.len() {
            let link = model.link(&format!("link {number}")).context("a link")?;
            let pose = kinematics.world_from_link(model, link);
            let length = REACH / q.len() as f64;
            lines.push([0.25, 0.75].map(|x| pose.point(DVec3::X * x * length)));
        }
    }
    Ok(lines)
}

fn distance_from(line: &[DVec3; 2], point: DVec3) -> f64 {
    let (along, from) = (line[1] - line[0], point - line[0]);
    (from - along * (from.dot(along) / along.length_squared()).clamp(0.0, 1.0)).length()
}

/// Longer and longer walks of free segments; the cost of the whole path.
fn waypoints(sizes: &[usize]) -> Result<Vec<Point>> {
    let boxes = around(20, 0.4, 1.1, 5).into_iter().map(|pose| (bodies::cuboid(DVec3::splat(0.1)), pose)).collect();
    let checker = Checker::new(arm(6, Mesh::clone, boxes)?);
    let ends = draw(&checker, 1)?.remove(0);
    let mut points = Vec::new();
    for &size in sizes {
        // To and fro: the same work for every segment.
        let path: Vec<Vec<f64>> = (0..size).map(|i| ends[i % 2].clone()).collect();
        let mut best = Point { size: size as f64, microseconds: f64::INFINITY, queries: 0.0 };
        for _ in 0..3 {
            let start = timing::thread_seconds();
            let answer =
                checker.path(&Motion::lines(&path[..]), &Settings::default(), &mut CheckScratch::new(&checker))?;
            best.microseconds = best.microseconds.min((timing::thread_seconds() - start) * 1e6);
            best.queries = answer.statistics.distance_queries as f64;
        }
        points.push(best);
    }
    Ok(points)
}

/// An arm over a slab; the gap between them at its goal gets smaller and smaller.
fn clearances(count: i32, start: &[f64], goal: &[f64]) -> Result<Vec<Point>> {
    let lowest = lowest(&arm(6, Mesh::clone, Vec::new())?, goal);
    let mut points = Vec::new();
    for power in 0..count {
        let gap = 0.5f64.powi(power);
        let slab = bodies::cuboid(DVec3::new(4.0, 4.0, 0.1));
        let below = Pose { translation: DVec3::new(0.0, 0.0, lowest - gap - 0.05), ..Pose::IDENTITY };
        let scene = arm(6, Mesh::clone, vec![(slab, below)])?.with_tolerance(1e-5)?;
        points.push(measure(gap, &Checker::new(scene), &[[start.to_vec(), goal.to_vec()]])?);
    }
    Ok(points)
}

/// Height of the lowest vertex of a robot.
fn lowest(scene: &Scene, q: &[f64]) -> f64 {
    let mut kinematics = Kinematics::new(scene.model());
    kinematics.set_configuration(q);
    let mut lowest = f64::INFINITY;
    for body in scene.bodies() {
        let pose = kinematics.world_from_link(scene.model(), body.link) * body.link_from_body;
        if let BodyShape::Parts(parts) = &body.shape {
            let heights = parts.vertices().iter().map(|vertex| pose.point(*vertex + parts.centre()).z);
            lowest = heights.fold(lowest, f64::min);
        }
    }
    lowest
}

/// Times free segments.
fn measure(size: f64, checker: &Checker, segments: &[Segment]) -> Result<Point> {
    let mut scratch = CheckScratch::new(checker);
    let (mut free, mut seconds, mut queries) = (0usize, 0.0, 0);
    for [a, b] in segments {
        let mut least = f64::INFINITY;
        let mut answered = None;
        for _ in 0..3 {
            let start = timing::thread_seconds();
            let answer = checker.segment(a, b, &Settings::default(), &mut scratch)?;
            least = least.min(timing::thread_seconds() - start);
            answered = Some(answer);
        }
        let answer = answered.context("three rounds")?;
        // Boulders keep their shape up to rounding: a segment that grazes one may change its verdict.
        if matches!(answer.verdict, Verdict::Free(_)) {
            free += 1;
            seconds += least;
            queries += answer.statistics.distance_queries;
        }
    }
    anyhow::ensure!(free * 10 >= segments.len() * 9, "{free} of {} segments are free at {size}", segments.len());
    Ok(Point { size, microseconds: seconds * 1e6 / free as f64, queries: queries as f64 / free as f64 })
}

/// Free segments, seeded.
fn draw(checker: &Checker, count: usize) -> Result<Vec<Segment>> {
    let mut random = Random::new(11);
    let mut scratch = CheckScratch::new(checker);
    let joints = checker.scene().model().variables().len();
    // Arms of many joints curl up if each may bend as far as in arms of few.
    let most = 1.5 * (6.0 / joints as f64).sqrt();
    let mut segments = Vec::new();
    for _ in 0..1_000 * count {
        let a: Vec<f64> = (0..joints).map(|_| random.between(-most, most)).collect();
        let step: Vec<f64> = (0..joints).map(|_| random.between(-1.0, 1.0)).collect();
        let norm = step.iter().map(|s| s * s).sum::<f64>().sqrt();
        let b: Vec<f64> = a.iter().zip(&step).map(|(a, s)| a + s * LENGTH / norm).collect();
        let answer = checker.segment(&a, &b, &Settings::default(), &mut scratch)?;
        if matches!(answer.verdict, Verdict::Free(_)) {
            segments.push([a, b]);
            if segments.len() == count {
                return Ok(segments);
            }
        }
    }
    anyhow::bail!("only {} of {count} segments were free", segments.len())
}

/// Seeded places in a shell around the arm's base.
pub(crate) fn around(count: usize, nearest: f64, farthest: f64, seed: u64) -> Vec<Pose> {
    places(nearest, farthest, seed).take(count).collect()
}

fn places(nearest: f64, farthest: f64, seed: u64) -> impl Iterator<Item = Pose> {
    let mut random = Random::new(seed);
    let place = move |random: &mut Random| random.direction() * random.between(nearest, farthest);
    std::iter::repeat_with(move || Pose { translation: place(&mut random), ..random.pose(0.0) })
}

fn radius(joints: usize) -> f64 {
    0.2 * REACH / joints as f64
}

/// An arm of equal links along x, joints about z and y in turn, and obstacles.
pub(crate) fn arm(joints: usize, refined: impl Fn(&Mesh) -> Mesh, obstacles: Vec<(Mesh, Pose)>) -> Result<Scene> {
    let length = REACH / joints as f64;
    let name = |i: usize| if i == 0 { "world".to_owned() } else { format!("link {i}") };
    let mut specs = Vec::new();
    for i in 0..joints {
        let axis = if i % 2 == 0 { DVec3::Z } else { DVec3::Y };
        let x = if i == 0 { 0.0 } else { length };
        let pose = Pose { translation: DVec3::X * x, ..Pose::IDENTITY };
        let joint = format!("joint {}", i + 1);
        specs.push(JointSpec::new(&joint, JointKind::Revolute { axis }, &name(i), &name(i + 1), pose));
    }
    let mut parts = SceneParts::new(Model::new("world", (0..=joints).map(name).collect(), specs)?);
    // Gaps at the joints: neighbours of neighbours do not touch.
    let rod = bodies::rod(DVec3::X * 0.25 * length, DVec3::X * 0.75 * length, radius(joints), 8);
    let body = |(vertices, triangles): Mesh| -> Result<BodyShape> {
        Ok(BodyShape::Parts(Body::from_mesh(TriangleMesh::new(vertices, triangles)?)))
    };
    for i in 1..=joints {
        let link = parts.model.link(&name(i)).context("a link")?;
        let shape = body(refined(&rod))?;
        parts.bodies.push(SceneBody { name: name(i), role: Role::Link, link, link_from_body: Pose::IDENTITY, shape });
    }
    for (i, (mesh, pose)) in obstacles.into_iter().enumerate() {
        let (name, shape) = (format!("obstacle {i}"), body(mesh)?);
        parts.bodies.push(SceneBody { name, role: Role::Obstacle, link: 0, link_from_body: pose, shape });
    }
    Ok(Scene::new(parts)?)
}
