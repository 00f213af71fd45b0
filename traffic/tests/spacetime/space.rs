//! Workspace-time in space: boxes, balls and hulls that turn about any axis, against samples by another library.

use std::sync::Arc;

use crate::common::cases;
use parry3d_f64::math as parry;
use parry3d_f64::shape::{Ball, ConvexPolyhedron, Cuboid, Shape};
use pathproof::numeric::{DQuat, DVec3, Pose, Random};
use pathproof::shapes::Convex;
use pathproof_traffic::{
    Agent, Compound, Exactness, Method, Placement, Query, Report, Sampling, Traffic, TrafficScratch, Trajectory,
    TrajectoryTree, Verdict,
};
use rayon::prelude::*;

/// How far parry's distances may be off.
const KNOWN: f64 = 1e-6;

struct Mover {
    compound: Compound,
    theirs: Box<dyn Shape>,
    poses: Vec<[f64; 8]>,
    reach: f64,
}

fn their_point(p: DVec3) -> parry::Vector {
    parry::Vector::from_array(p.to_array())
}

fn mover(random: &mut Random, start: f64, dt: f64) -> Mover {
    let thin = [1.0, 0.02][random.below(2)];
    let size = [random.between(0.5, 4.0), random.between(0.5, 2.0) * thin, random.between(0.3, 1.0)];
    let (convex, theirs): (Convex, Box<dyn Shape>) = match random.below(3) {
        0 => {
            let half = DVec3::from_array(size) * 0.5;
            (Convex::cuboid(size).expect("valid"), Box::new(Cuboid::new(their_point(half))))
        }
        1 => (Convex::sphere(size[2]).expect("valid"), Box::new(Ball::new(size[2]))),
        _ => {
            let points: Vec<DVec3> = (0..12).map(|_| random.direction() * DVec3::from_array(size) * 0.5).collect();
            let theirs: Vec<_> = points.iter().map(|&p| their_point(p)).collect();
            let hull = ConvexPolyhedron::from_convex_hull(&theirs).expect("parry makes a hull");
            (Convex::hull(&points).expect("a hull"), Box::new(hull))
        }
    };
    let turn = [0.3, 1.5, 2.8][random.below(3)];
    let mut at = random.point(1.8);
    let mut q = DQuat::from_axis_angle(random.direction(), random.between(-3.0, 3.0));
    let poses = (0..10)
        .map(|k| {
            let pose = [start + dt * k as f64, at.x, at.y, at.z, q.x, q.y, q.z, q.w];
            at += random.point(0.6) - at * 0.05;
            q = (DQuat::from_axis_angle(random.direction(), random.between(0.0, turn)) * q).normalize();
            pose
        })
        .collect();
    let reach = convex.reach();
    Mover { compound: Compound::convex(convex, Pose::IDENTITY).expect("rigid"), theirs, poses, reach }
}

impl Mover {
    fn trajectory(&self) -> Trajectory {
        Trajectory::spatial(self.poses.iter().copied()).expect("valid")
    }

    /// Position linear, rotation by slerp of the shorter way.
    fn at(&self, t: f64) -> Option<parry::Pose> {
        let last = self.poses.len() - 1;
        if t < self.poses[0][0] - 1e-12 || t > self.poses[last][0] + 1e-12 {
            return None;
        }
        let after = self.poses.partition_point(|pose| pose[0] < t).clamp(1, last);
        let (a, b) = (self.poses[after - 1], self.poses[after]);
        let s = (t - a[0]) / (b[0] - a[0]);
        let [p, q] = [a, b].map(|pose| DVec3::new(pose[1], pose[2], pose[3]));
        let [from, to] = [a, b].map(|pose| DQuat::from_xyzw(pose[4], pose[5], pose[6], pose[7]));
        let turned = from.slerp(if from.dot(to) < 0.0 { -to } else { to }, s);
        let rotation = parry::Rotation::from_xyzw(turned.x, turned.y, turned.z, turned.w);
        Some(parry::Pose::from_parts(their_point(p + (q - p) * s), rotation))
    }

    fn speed(&self) -> f64 {
        let of = |w: &[[f64; 8]]| {
            let [from, to] = [w[0], w[1]].map(|pose| DQuat::from_xyzw(pose[4], pose[5], pose[6], pose[7]));
            let turn = 2.0 * from.dot(to).abs().min(1.0).acos();
            let way = DVec3::new(w[1][1] - w[0][1], w[1][2] - w[0][2], w[1][3] - w[0][3]).length();
            (way + turn * self.reach) / (w[1][0] - w[0][0])
        };
        self.poses.windows(2).map(of).fold(0.0, f64::max)
    }
}

fn distance(a: &Mover, time_a: f64, b: &Mover, time_b: f64) -> f64 {
    let (Some(p), Some(q)) = (a.at(time_a), b.at(time_b)) else { return f64::INFINITY };
    parry3d_f64::query::distance(&p, a.theirs.as_ref(), &q, b.theirs.as_ref()).expect("supported").distance
}

/// The least distance at samples, those that cannot matter passed over.
fn least_sampled(a: &Mover, b: &Mover, samples: usize) -> (f64, f64) {
    let [from, to] = [a.poses[0][0], a.poses[a.poses.len() - 1][0]];
    let count = samples * (a.poses.len() - 1);
    let motion = (a.speed() + b.speed()) * (to - from) / count as f64;
    let (mut least, mut i) = (f64::INFINITY, 0);
    while i <= count {
        let t = from + (to - from) * i as f64 / count as f64;
        let d = distance(a, t, b, t);
        least = least.min(d);
        let room = if d.is_finite() { d - least } else { 0.0 };
        i += 1 + (room / (1.001 * motion)) as usize;
    }
    (least, motion)
}

#[test]
fn hulls_in_space_are_never_free_where_samples_touch_and_free_where_they_leave_room() {
    let free: usize = (0..cases("PATHPROOF_WALKS", 1_200) / 5)
        .into_par_iter()
        .map_init(TrafficScratch::default, |scratch, seed| {
            let mut random = Random::new(seed as u64);
            let body = mover(&mut random, 0.0, 0.1);
            let (start, dt) =
                if seed % 2 == 0 { (0.0, 0.1) } else { (random.between(-0.2, 0.2), random.between(0.05, 0.2)) };
            let other = mover(&mut random, start, dt);
            let agent = Agent::moving("agent", other.compound.clone(), other.trajectory()).expect("spatial");
            let traffic = Traffic::new(vec![agent]).expect("spatial");
            let tolerance = 0.001;
            let query =
                Query { method: Method::Hulls(Exactness { tolerance, ..Exactness::default() }), ..Query::default() };
            let verdict = traffic.check(&body.compound, &body.trajectory(), &query, scratch).expect("good").verdict;
            let tree = TrajectoryTree::new(Arc::new(body.compound.clone()), body.trajectory()).expect("spatial");
            assert_eq!(traffic.check_tree(&tree, &Placement::HERE, &query, scratch).expect("good").verdict, verdict);
            let (least, motion) = least_sampled(&body, &other, 1000);
            match &verdict {
                Verdict::Free => {
                    assert!(least > -KNOWN && (least > 0.0 || least == 0.0 && motion == 0.0), "seed {seed}: {least}")
                }
                Verdict::Collision(found) | Verdict::TooClose(found) => {
                    let d = distance(&body, found.time, &other, found.agent_time);
                    assert!(
                        d <= found.distance.max(0.0) + KNOWN && found.distance <= tolerance,
                        "seed {seed}: {d} {found:?}"
                    );
                    assert!(least <= tolerance + motion + KNOWN, "seed {seed}: there is room: {least} {found:?}");
                }
                _ => panic!("seed {seed}: {verdict:?}"),
            }
            usize::from(verdict == Verdict::Free)
        })
        .sum();
    let all = cases("PATHPROOF_WALKS", 1_200) / 5;
    assert!(5 * free > all && 5 * free < 4 * all, "{free} of {all} are free");
}

#[test]
fn sampled_methods_in_space_find_the_same() {
    let mut scratch = TrafficScratch::default();
    let mut found = 0;
    for seed in 0..40 {
        let mut random = Random::new(700 + seed);
        let body = mover(&mut random, 0.0, 0.1);
        let agents = (0..9)
            .map(|i| {
                let dt = if i % 3 == 0 && seed % 2 == 1 { 0.13 } else { 0.1 };
                let other = mover(&mut random, 0.0, dt);
                Agent::moving(i.to_string(), other.compound.clone(), other.trajectory()).expect("spatial")
            })
            .collect();
        let traffic = Traffic::new(agents).expect("spatial");
        let mut ask = |method: Method| {
            let query = Query { method, report: Report::All, ..Query::default() };
            let verdict =
                traffic.check(&body.compound, &body.trajectory(), &query, &mut scratch).expect("good").verdict;
            (verdict, scratch.findings().to_vec())
        };
        let naive = ask(Method::Naive(Sampling::Interpolated));
        assert_eq!(naive, ask(Method::Isolated(Sampling::Interpolated)), "seed {seed}");
        assert_eq!(naive, ask(Method::Trees(Sampling::Interpolated)), "seed {seed}");
        let exact = ask(Method::Hulls(Exactness::default()));
        assert!(!naive.0.is_collision() || exact.0.is_collision(), "seed {seed}");
        found += naive.1.len();
    }
    assert!(found > 50, "{found}");
}

/// A rod that turns about x by 2 rad: its end describes an arc that the hull of both end poses misses.
#[test]
fn the_arc_of_a_turning_rod_in_space_counts_to_a_micrometre() {
    let rod = Compound::convex(Convex::cuboid([0.02, 4.0, 0.02]).expect("valid"), Pose::IDENTITY).expect("rigid");
    let reach = 2f64.hypot(0.01);
    let quarter = |angle: f64| DQuat::from_axis_angle(DVec3::X, angle);
    let pose = |t: f64, q: DQuat| [t, 0.0, 0.0, 0.0, q.x, q.y, q.z, q.w];
    for turn in [0.4, 1.0, 2.5] {
        let half = std::f64::consts::FRAC_PI_2;
        let ends = [pose(0.0, quarter(half - turn / 2.0)), pose(1.0, quarter(half + turn / 2.0))];
        let body = Trajectory::spatial(ends).expect("valid");
        for (off, is_free) in [(1e-6, true), (-1e-6, false)] {
            let at = Pose::from_translation(DVec3::new(0.0, 0.0, reach + off + 0.5));
            let plate = Compound::convex(Convex::cuboid([9.0, 9.0, 1.0]).expect("valid"), at).expect("rigid");
            let still = Trajectory::spatial([pose(0.0, DQuat::IDENTITY)]).expect("valid");
            let traffic = Traffic::new(vec![Agent::at_rest("plate", plate, still).expect("spatial")]).expect("spatial");
            let exactness = Exactness { tolerance: 1e-7, ..Exactness::default() };
            let query = Query { method: Method::Hulls(exactness), ..Query::default() };
            let verdict = traffic.check(&rod, &body, &query, &mut TrafficScratch::default()).expect("good").verdict;
            assert_eq!(verdict == Verdict::Free, is_free, "turn {turn}, off {off}: {verdict:?}");
        }
    }
}
