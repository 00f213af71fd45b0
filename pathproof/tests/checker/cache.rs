//! Remembered edges change no answer: paths that share edges, whatever the cache knows, forgets or was interrupted in.
//! And they save work.

use crate::common::random::{prepare, quaternions, random_segment, random_world};

use crate::common::{Form, World, at, torus, word};
use pathproof::check::{Answer, CheckScratch, Checker, Interrupt, Limit, Report, Settings, Verdict};
use pathproof::numeric::{DQuat, DVec3, Pose, Random};
use pathproof::path::Motion;
use pathproof::robot::JointKind;
use rayon::prelude::*;

/// Paths over a few configurations, so that most of their edges come again.
fn random_paths(random: &mut Random, world: &World, count: usize) -> Vec<Vec<Vec<f64>>> {
    let quaternions = quaternions(world);
    let nodes: Vec<Vec<f64>> = (0..4).flat_map(|_| random_segment(random, world, &quaternions)).collect();
    (0..count)
        .map(|_| {
            let mut at = random.below(nodes.len());
            let mut path = vec![nodes[at].clone()];
            for _ in 0..1 + random.below(4) {
                // Mostly to and fro on short edges, now and then across.
                at = if random.below(5) > 0 { at ^ 1 } else { random.below(nodes.len()) };
                path.push(nodes[at].clone());
            }
            path
        })
        .collect()
}

/// All but the work done.
fn said(answer: &Answer) -> (&Verdict, usize) {
    (&answer.verdict, answer.findings.len())
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    paths: usize,
    free: usize,
    queries: u64,
    queries_with_cache: u64,
    forgotten: usize,
}

impl Tally {
    fn plus(self, o: Self) -> Self {
        Self {
            paths: self.paths + o.paths,
            free: self.free + o.free,
            queries: self.queries + o.queries,
            queries_with_cache: self.queries_with_cache + o.queries_with_cache,
            forgotten: self.forgotten + o.forgotten,
        }
    }
}

fn run_world(number: usize) -> Tally {
    let mut random = Random::new(0xCAC4_0000 + number as u64);
    let mut world = random_world(&mut random, number);
    prepare(&mut world, &mut random);
    let checker = world.checker();
    let limits = [64 << 20, 30_000, 4_000];
    let mut plain = CheckScratch::new(&checker);
    let mut caching: Vec<CheckScratch> =
        limits.iter().map(|limit| CheckScratch::new(&checker).with_edge_cache(*limit)).collect();
    let mut tally = Tally::default();
    for path in random_paths(&mut random, &world, 40) {
        let settings = Settings::default();
        // Wherever a limit ends it: it leaves queues behind that are neither new nor done. What a limit ended while a pair
        // was followed to its nearest approach was once remembered as if nothing had ended it.
        let max_time = Some(std::time::Duration::from_micros(random.below(60) as u64));
        let max_queries = Some(random.below(80) as u64);
        let interrupted = match random.below(4) {
            0 => Settings { max_time, ..settings },
            _ => Settings { max_queries, ..settings },
        };
        let expected = checker.path(&Motion::lines(&path[..]), &settings, &mut plain).unwrap();
        tally.paths += 1;
        tally.free += usize::from(word(&expected.verdict) == "free");
        tally.queries += expected.statistics.distance_queries;
        for (i, scratch) in caching.iter_mut().enumerate() {
            if random.below(2) == 0 {
                let _ = checker.path(&Motion::lines(&path[..]), &interrupted, scratch).unwrap();
            }
            let answer = checker.path(&Motion::lines(&path[..]), &settings, scratch).unwrap();
            assert_eq!(said(&answer), said(&expected), "world {number}, limit {}", limits[i]);
            let known = scratch.cached_edges();
            assert!(known.bytes <= limits[i]);
            if i == 0 {
                tally.queries_with_cache += answer.statistics.distance_queries;
                assert!(answer.statistics.distance_queries <= expected.statistics.distance_queries);
            }
        }
    }
    let edges = |i: usize| caching[i].cached_edges().edges;
    tally.forgotten = edges(0) - edges(2);
    tally
}

#[test]
fn answers_do_not_depend_on_what_is_remembered() {
    let tally = (0..60).into_par_iter().map(run_world).reduce(Tally::default, Tally::plus);
    println!("{tally:?}");
    assert!(tally.free * 10 > tally.paths && tally.free * 10 < tally.paths * 9, "one-sided: {tally:?}");
    assert!(tally.queries_with_cache * 4 < tally.queries * 3, "no work saved: {tally:?}");
    assert!(tally.forgotten > 100, "nothing was ever dropped: {tally:?}");
}

const SLIDE_X: JointKind = JointKind::Prismatic { axis: DVec3::X };

/// A ball that slides along x beside a row of posts, `gap` away from them.
fn row(gap: f64, tolerance: f64) -> World {
    let mut world = World::new(0.0, tolerance);
    world.link("world", "ball", SLIDE_X, Pose::IDENTITY);
    world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.1));
    for i in 0..5 {
        world.thing(&format!("post {i}"), "world", at(f64::from(i), 0.15 + gap, 0.0), Form::Ball(0.05));
    }
    world
}

#[test]
fn known_edges_cost_no_query() {
    let checker = row(1e-3, 0.0).checker();
    let mut scratch = CheckScratch::new(&checker).with_edge_cache(1 << 20);
    let settings = Settings::default();
    let path = [vec![0.0], vec![1.3], vec![3.9]];
    let first = checker.path(&Motion::lines(&path[..]), &settings, &mut scratch).unwrap();
    let again = checker.path(&Motion::lines(&path[..]), &settings, &mut scratch).unwrap();
    assert_eq!(word(&first.verdict), "free");
    assert_eq!(first.verdict, again.verdict);
    assert!(first.statistics.distance_queries > 2);
    assert_eq!(again.statistics.distance_queries, 0);
    // The reversed edge is another one.
    let reversed = checker.path(&Motion::lines([vec![1.3], vec![0.0]]), &settings, &mut scratch).unwrap();
    assert!(reversed.statistics.distance_queries > 0);
    assert_eq!(scratch.cached_edges().edges, 3);
}

#[test]
fn an_interrupted_edge_is_resumed() {
    let checker = row(1e-5, 0.0).checker();
    let mut scratch = CheckScratch::new(&checker).with_edge_cache(1 << 20);
    let (settings, ends) = (Settings::default(), [vec![-1.0], vec![5.0]]);
    let whole = checker.path(&Motion::lines(&ends[..]), &settings, &mut CheckScratch::new(&checker)).unwrap();
    // However long the limit lets it go on, it goes on from there.
    let mut queries = 0;
    for microseconds in [0, 1, 10, 100, 1000] {
        let max_time = Some(std::time::Duration::from_micros(microseconds));
        let answer = checker.path(&Motion::lines(&ends[..]), &Settings { max_time, ..settings }, &mut scratch).unwrap();
        queries += answer.statistics.distance_queries;
        if microseconds == 0 {
            assert!(matches!(&answer.verdict, Verdict::Undecided(open) if open.limit == Limit::Seconds), "{answer:?}");
        }
    }
    let rest = checker.path(&Motion::lines(&ends[..]), &settings, &mut scratch).unwrap();
    assert_eq!(rest.verdict, whole.verdict);
    assert_eq!(queries + rest.statistics.distance_queries, whole.statistics.distance_queries);
}

/// Whether the second question of a search is asked, which comes after 32 queries.
fn is_second_question() -> bool {
    thread_local!(static ASKED: std::cell::Cell<u32> = const { std::cell::Cell::new(0) });
    let asked = ASKED.get();
    ASKED.set(asked + 1);
    asked % 2 == 1
}

/// Directions that separated hulls were once forgotten with every interruption, and the search went other ways from there.
#[test]
fn an_interrupted_edge_between_meshes_goes_the_way_it_would_have_gone() {
    let mut interruptions = 0;
    for case in 0..12 {
        // A ring that slides along a rail through its hole, and wobbles.
        let mut world = World::new(0.0, 1e-6);
        world.link("world", "arm", JointKind::Revolute { axis: DVec3::Z }, Pose::IDENTITY);
        world.link("arm", "hand", JointKind::Revolute { axis: DVec3::X }, at(0.8, 0.0, 0.0));
        let upright = Pose::from_quaternion(DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2), DVec3::ZERO);
        world.thing("ring", "hand", upright, torus(0.12, 0.02, 14, 6));
        world.thing("rail", "world", Pose::IDENTITY, torus(0.8, 0.02, 40, 5));
        let checker = world.checker();
        let ends = [vec![0.0, 0.1 + 0.03 * f64::from(case)], vec![2.6, -0.2]];
        let settings = Settings::default();
        let whole = checker.path(&Motion::lines(&ends[..]), &settings, &mut CheckScratch::new(&checker)).unwrap();
        let mut scratch = CheckScratch::new(&checker).with_edge_cache(16 << 20);
        let interrupted = Settings { interrupt: Some(Interrupt(is_second_question)), ..settings };
        let (mut volume_tests, mut triangle_tests) = (0, 0);
        let verdict = loop {
            let answer = checker.path(&Motion::lines(&ends[..]), &interrupted, &mut scratch).unwrap();
            volume_tests += answer.statistics.volume_tests;
            triangle_tests += answer.statistics.triangle_tests;
            match answer.verdict {
                Verdict::Undecided(open) if open.limit == Limit::Seconds => interruptions += 1,
                verdict => break verdict,
            }
        };
        assert_eq!(verdict, whole.verdict, "{case}");
        let work = (whole.statistics.volume_tests, whole.statistics.triangle_tests);
        assert_eq!((volume_tests, triangle_tests), work, "{case}");
    }
    assert!(interruptions > 20, "{interruptions} interruptions");
}

/// What one checker proved free is in contact in another; and limits in queries stay reproducible.
#[test]
fn nothing_is_carried_over_to_another_question() {
    let (wide, tight) = (row(1e-3, 0.0).checker(), row(-1e-3, 0.0).checker());
    let mut scratch = CheckScratch::new(&wide).with_edge_cache(1 << 20);
    let path = [vec![-0.5], vec![4.5]];
    let mut ask = |checker: &Checker, settings: &Settings| {
        let fresh = checker.path(&Motion::lines(&path[..]), settings, &mut CheckScratch::new(checker)).unwrap();
        let answer = checker.path(&Motion::lines(&path[..]), settings, &mut scratch).unwrap();
        assert_eq!(said(&answer), said(&fresh), "{settings:?}");
        word(&answer.verdict)
    };
    let settings = Settings::default();
    for _ in 0..2 {
        assert_eq!(ask(&wide, &settings), "free");
        assert_eq!(ask(&wide, &Settings { max_queries: Some(0), ..settings }), "undecided");
        assert_eq!(ask(&wide, &Settings { report: Report::First, ..settings }), "free");
        assert_eq!(ask(&wide, &Settings { node_to_motion_ratio: 3.0, ..settings }), "free");
        assert_eq!(ask(&tight, &settings), "collision");
        assert_eq!(ask(&tight, &Settings { report: Report::All, ..settings }), "collision");
    }
}

/// The answer of a long path, and the work it counts, do not depend on how many threads share it.
#[test]
fn threads_change_no_answer() {
    let (mut free, mut found) = (0, 0);
    for number in 0..24 {
        let mut random = Random::new(0x7EAD + number as u64);
        let mut world = random_world(&mut random, number);
        prepare(&mut world, &mut random);
        let quaternions = quaternions(&world);
        let [start, goal] = random_segment(&mut random, &world, &quaternions);
        // To and fro, so that contact is met early, late or never: a short way most of the time, all of it now and then.
        let near: Vec<f64> = start.iter().zip(&goal).map(|(a, b)| a + (b - a) * 1e-3).collect();
        let path: Vec<Vec<f64>> = (0..700)
            .map(|i| {
                if i % 2 == 0 {
                    start.clone()
                } else if i == 401 {
                    goal.clone()
                } else {
                    near.clone()
                }
            })
            .collect();
        let checker = Checker::new(world.scene());
        for report in [Report::Any, Report::All] {
            let settings = Settings { report, ..Settings::default() };
            let Ok(alone) = checker.path(&Motion::lines(&path[..]), &settings, &mut CheckScratch::new(&checker)) else {
                continue;
            };
            for threads in 1..4 {
                let mut scratches: Vec<CheckScratch> = (0..threads).map(|_| CheckScratch::new(&checker)).collect();
                let answer =
                    checker.path_on_threads(&Motion::lines(&path[..]), &settings, &mut scratches).expect("a path");
                assert_eq!(answer, alone, "world {number}, {threads} threads");
            }
            let is_free = matches!(alone.verdict, Verdict::Free(_));
            (free, found) = (free + usize::from(is_free), found + usize::from(!is_free));
        }
    }
    assert!(free >= 4 && found >= 4, "{free} free, {found} not");
    let checker = Checker::new(World::new(0.0, 1e-3).scene());
    assert!(checker.path_on_threads(&Motion::lines([vec![]]), &Settings::default(), &mut []).is_err());
}
