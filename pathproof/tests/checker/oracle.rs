//! Sampling against the checker, one way: over generated robots and scenes nothing is called `free` that samples refute,
//! every witness is one by an independent check, and asking the same question differently gives the same answer.
//!
//! `PATHPROOF_SEGMENTS` says how many segments (default 1,200). The full run:
//! `PATHPROOF_SEGMENTS=200000 cargo test --release -p pathproof --test checker oracle:: -- --nocapture`
//! A tenth of them are of real robots, where the shared data is there.

use std::path::Path;

use crate::common::random::{limit_joints, prepare, quaternions, random_segment, random_world, reordered};
use crate::common::real::{self, Cell};
use crate::common::{Oracle, Sampled, Tally, World, finding, word};
use pathproof::check::{Answer, CheckScratch, Checker, Maps, Settings, Verdict};
use pathproof::numeric::{DVec3, Random};
use pathproof::path::Motion;
use pathproof::robot::Kinematics;
use pathproof::scene::PairKind;
use rayon::prelude::*;

/// How far the oracle may be off: parry's distances converge to some 1e-8.
const KNOWN: f64 = 2e-7;
/// Step of the samples in radians or metres.
const STEP: f64 = 0.002;
const SEGMENTS_A_WORLD: usize = 12;

fn segments() -> usize {
    std::env::var("PATHPROOF_SEGMENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_200)
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
                free.lower_clearance() <= sampled.distance + KNOWN || pairs_differ(oracle),
                "{sampled:?}: {answer:?}"
            );
            for kind in PairKind::ALL {
                assert!(free.lower[kind] >= scene.clearances()[kind], "{kind:?}: {answer:?}");
            }
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

fn run_world(number: usize) -> Tally {
    let mut random = Random::new(0x5EED_0000 + number as u64);
    let mut world = random_world(&mut random, number);
    prepare(&mut world, &mut random);
    let scene = world.scene();
    let oracle = Oracle::new(&world, &scene);
    let quaternions = quaternions(&world);
    let checker = Checker::new(scene);
    let mut scratch = CheckScratch::new(&checker);
    let mut tally = Tally::default();
    for _ in 0..SEGMENTS_A_WORLD {
        let ends = random_segment(&mut random, &world, &quaternions);
        same_poses(&oracle, &checker, &world, &ends[0]);
        check_segment(&oracle, &checker, 0, &ends, &mut random, &mut scratch, &mut tally);
    }
    tally
}

/// Arms alone, with maps of so many boxes; also how many queries they saved.
fn run_mapped_world(number: usize) -> (Tally, u64) {
    const BOXES: usize = 400;
    let mut random = Random::new(0x3A95_0000 + number as u64);
    let mut world = random_world(&mut random, number);
    limit_joints(&mut world, &mut random);
    world.things.retain(|thing| thing.link != "world");
    prepare(&mut world, &mut random);
    let scene = world.scene();
    let oracle = Oracle::new(&world, &scene);
    let quaternions = quaternions(&world);
    let (plain, mapped) = (Checker::new(scene.clone()), with_maps(scene, BOXES));
    let (mut scratch, mut tally, mut saved) = (CheckScratch::new(&mapped), Tally::default(), 0);
    for _ in 0..SEGMENTS_A_WORLD {
        let ends = random_segment(&mut random, &world, &quaternions);
        let [one, two] = [&plain, &mapped]
            .map(|checker| checker.segment(&ends[0], &ends[1], &Settings::default(), &mut scratch).unwrap());
        let both = [word(&one.verdict), word(&two.verdict)];
        assert!(!(both.contains(&"free") && both.contains(&"collision")), "{one:?} {two:?}");
        saved += one.statistics.distance_queries.saturating_sub(two.statistics.distance_queries);
        check_segment(&oracle, &mapped, BOXES, &ends, &mut random, &mut scratch, &mut tally);
    }
    (tally, saved)
}

fn with_maps(scene: pathproof::Scene, boxes: usize) -> Checker {
    if boxes == 0 { Checker::new(scene) } else { Checker::new(scene).with_maps(Maps { boxes, joints: 5 }) }
}

/// Checks a segment and holds the answer to what the oracle says. Notes those that are asked again, with more clearance.
fn check_segment(
    oracle: &Oracle,
    checker: &Checker,
    boxes: usize,
    ends: &[Vec<f64>; 2],
    random: &mut Random,
    scratch: &mut CheckScratch,
    tally: &mut Tally,
) {
    // Where nothing is left to the halves that can be opened, bounds show what they are worth.
    let settings = Settings { node_to_motion_ratio: [0.0, 2.0, 6.0][random.below(3)], ..Settings::default() };
    let answer = checker.segment(&ends[0], &ends[1], &settings, scratch).unwrap();
    tally.count(&answer.verdict);
    // With a clearance that a sample just misses, free is refuted: bounds have nowhere to hide.
    if let Some(sampled) = judge_answer(oracle, checker, ends, &answer)
        && sampled.excess.is_finite()
        && sampled.distance > 1e-4
        && checker.scene().clearance() >= 0.0
    {
        tally.noted += 1;
        for (excess, tolerance) in [(KNOWN, 0.0), (1e-3 * sampled.distance, 1e-3), (0.3 * sampled.distance, 1e-3)] {
            let wanted = sampled.distance + excess;
            let scene = checker.scene().clone().with_clearance(wanted).unwrap().with_self_clearance(wanted).unwrap();
            let strict = with_maps(scene.with_tolerance(tolerance).unwrap(), boxes);
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
    assert_eq!(tally.all(), worlds * SEGMENTS_A_WORLD);
    tally.assert_both_sides(8);
}

/// The same of arms whose pairs of links have maps.
#[test]
fn maps_refute_no_sample_either() {
    let worlds = (segments() / 2).div_ceil(SEGMENTS_A_WORLD);
    let (tally, saved) =
        (0..worlds).into_par_iter().map(run_mapped_world).reduce(Default::default, |(a, m), (b, n)| (a.plus(b), m + n));
    println!("{tally:?}, {saved} queries saved");
    tally.assert_both_sides(20);
    assert!(saved > 300, "{saved} queries saved");
}

/// What is proven of one kind of pairs holds for these, whatever the clearance of the other kind.
#[test]
fn no_sample_refutes_what_is_proven_of_either_kind_of_pairs() {
    let worlds = (segments() / 2).div_ceil(SEGMENTS_A_WORLD);
    let [free, sharp, both] = (0..worlds)
        .into_par_iter()
        .map(run_world_of_two_clearances)
        .reduce(|| [0; 3], |one, two| std::array::from_fn(|i| one[i] + two[i]));
    println!("{free} free, in {both} of these both kinds were checked; {sharp} bounds within 2 % of a sample");
    assert!(free > worlds && both > worlds / 2 && sharp > worlds / 4, "{free} {both} {sharp}");
}

/// How many answers were free, how many bounds were nearly met, and how often both kinds were checked.
fn run_world_of_two_clearances(number: usize) -> [usize; 3] {
    let mut random = Random::new(0x2C1E_0000 + number as u64);
    let mut world = random_world(&mut random, number);
    world.clearance = [0.0, 0.01, 0.05][random.below(3)];
    world.self_clearance = Some([0.0, 0.004, 0.03][random.below(3)]);
    prepare(&mut world, &mut random);
    let scene = world.scene();
    let whole = Oracle::new(&world, &scene);
    let robot = |body: usize| world.things[body].link.split_once('/').map(|(robot, _)| robot.to_owned());
    let of_kind = PairKind::ALL.map(|kind| {
        let mut oracle = Oracle::new(&world, &scene);
        let is_own = |a: usize, b: usize| robot(a).is_some() && robot(a) == robot(b);
        oracle.pairs.retain(|&(a, b, _)| is_own(a, b) == (kind == PairKind::OwnLinks));
        (kind, oracle)
    });
    let wanted = |kind| if kind == PairKind::World { world.clearance } else { world.self_clearance.unwrap() };
    for (kind, oracle) in &of_kind {
        assert!(oracle.pairs.iter().all(|pair| pair.2 == wanted(*kind)), "world {number}: {kind:?}");
    }
    let quaternions = quaternions(&world);
    let checker = Checker::new(scene);
    let (mut scratch, mut counts) = (CheckScratch::new(&checker), [0; 3]);
    for _ in 0..SEGMENTS_A_WORLD {
        let ends = random_segment(&mut random, &world, &quaternions);
        let answer = checker.segment(&ends[0], &ends[1], &Settings::default(), &mut scratch).unwrap();
        let is_free = judge_answer(&whole, &checker, &ends, &answer).is_some();
        let settings = Settings { max_queries: Some(3_000), ..Settings::default() };
        let mut smallest = checker.smallest_distance(&Motion::lines(&ends[..]), &settings, &mut scratch).unwrap();
        counts[0] += usize::from(is_free);
        counts[2] += usize::from(is_free && of_kind.iter().all(|(_, oracle)| !oracle.pairs.is_empty()));
        for (kind, oracle) in &of_kind {
            let sampled = oracle.sampled(&ends[0], &ends[1], STEP, false);
            let smallest = smallest[*kind].take();
            assert_eq!(smallest.is_some(), !oracle.pairs.is_empty(), "world {number}");
            if let Some(smallest) = smallest {
                let [a, b] = smallest.nearest.bodies;
                assert!(oracle.pairs.iter().any(|pair| [pair.0, pair.1] == [a.min(b), a.max(b)]), "world {number}");
                assert!(smallest.lower <= sampled.distance.max(0.0) + KNOWN, "{kind:?}: {sampled:?} {smallest:?}");
                counts[1] += usize::from(smallest.lower > 0.98 * sampled.distance);
            }
            if let Verdict::Free(free) = &answer.verdict {
                let lower = free.lower[*kind];
                assert!(
                    lower <= sampled.distance + KNOWN && lower >= wanted(*kind),
                    "{kind:?}: {sampled:?} {answer:?}"
                );
            }
        }
    }
    counts
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
    assert_eq!(tally.all(), cells * SEGMENTS_A_WORLD);
    tally.assert_both_sides(8);
}

fn run_cell(folder: &Path, number: usize) -> Tally {
    let mut random = Random::new(0x2EA1_0000 + number as u64);
    let Cell { name, scene, world, oracle } = real::cell(folder, &mut random, number % real::KINDS);
    let checker = Checker::new(scene);
    let mut scratch = CheckScratch::new(&checker);
    let mut tally = Tally::default();
    for _ in 0..SEGMENTS_A_WORLD {
        let ends = real::segment(&mut random, checker.scene());
        same_poses(&oracle, &checker, &world, &ends[0]);
        check_segment(&oracle, &checker, 0, &ends, &mut random, &mut scratch, &mut tally);
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
        let checker = Checker::new(scene);
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
