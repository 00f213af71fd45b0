//! Both judges, and every way of refining of the paper's, answer the same question alike: never `free` against
//! `collision`, and other differences only where the least distance lies between clearance and clearance plus tolerance.
//! The same for bodies in another order and under other names, and for reversed segments.
//!
//! `PATHPROOF_SEGMENTS` says how many segments (default 1,200), as in `oracle.rs`.

use std::cell::OnceCell;

use crate::common::random::{prepare, quaternions, random_segment, random_world, reordered};
use crate::common::{Form, Oracle, Sampled, Tally, World, at, box_mesh, finding, word};
use pathproof::check::{Answer, CheckScratch, Checker, Limit, Method, Paper, Refinement, Report, Settings, Verdict};
use pathproof::numeric::{DVec3, Pose, Random};
use pathproof::robot::JointKind;
use pathproof::scene::PairRule;
use rayon::prelude::*;

/// How far the oracle may be off: parry's distances converge to some 1e-8.
const KNOWN: f64 = 2e-7;
/// Step of the samples in radians or metres.
const STEP: f64 = 0.002;
const SEGMENTS_A_WORLD: usize = 12;

fn segments() -> usize {
    std::env::var("PATHPROOF_SEGMENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_200)
}

fn paper(refinement: Refinement, kappa: f64) -> Settings {
    // Without a tolerance a near miss may take the paper's bound very long.
    let method = Method::Paper(Paper { refinement, kappa });
    Settings { method, max_queries: Some(4_000), ..Settings::default() }
}

fn ways() -> Vec<Settings> {
    let mut ways: Vec<Settings> = Refinement::ALL.into_iter().map(|refinement| paper(refinement, 0.0)).collect();
    ways.push(paper(Refinement::Midpoint, 0.5));
    ways
}

fn is_out_of_queries(answer: &Answer) -> bool {
    matches!(&answer.verdict, Verdict::Undecided(open) if open.limit == Limit::Queries)
}

/// A segment of a world, sampled once if at all.
struct Case<'a> {
    world: &'a World,
    oracle: &'a Oracle,
    ends: &'a [Vec<f64>; 2],
    sampled: OnceCell<Sampled>,
}

impl Case<'_> {
    fn sampled(&self) -> Sampled {
        let [start, goal] = self.ends;
        *self.sampled.get_or_init(|| self.oracle.sampled(start, goal, STEP, self.world.clearance < 0.0))
    }
}

/// Whether two answers to one question may stand side by side.
fn assert_agree(case: &Case<'_>, one: &Answer, two: &Answer) {
    let Case { world, oracle, ends: [start, goal], .. } = case;
    let words = [word(&one.verdict), word(&two.verdict)];
    if words[0] == words[1] || is_out_of_queries(one) || is_out_of_queries(two) {
        return;
    }
    let has = |name: &str| words.contains(&name);
    assert!(!(has("free") && has("collision")), "{one:?}\n{two:?}");
    // Both are contacts: one of them in the tolerance, the other in the clearance.
    if !has("free") && !has("undecided") {
        return;
    }
    let sampled = case.sampled();
    let between_samples = (oracle.crude_arc(start, goal) * STEP).min(0.02);
    assert!(sampled.excess <= world.tolerance + between_samples + KNOWN, "{sampled:?}\n{one:?}\n{two:?}");
    if has("free") {
        assert!(sampled.excess > -KNOWN, "{sampled:?}\n{one:?}\n{two:?}");
    }
}

/// What an answer claims holds by itself.
fn assert_true(case: &Case<'_>, answer: &Answer) {
    let Case { world, oracle, ends: [start, _], .. } = case;
    let is_signed = world.clearance < 0.0;
    match &answer.verdict {
        Verdict::Free(free) => {
            let sampled = case.sampled();
            assert!(sampled.excess > -KNOWN, "refuted by {sampled:?}: {answer:?}");
            assert!(free.lower_clearance() >= world.clearance, "{answer:?}");
            assert!(free.lower_clearance() <= sampled.distance + KNOWN, "{sampled:?}: {answer:?}");
            let links = oracle.links(start);
            assert!(!oracle.pairs.iter().any(|(a, b, _)| oracle.is_contained(&links, *a, *b)), "inside: {answer:?}");
        }
        Verdict::Collision(found) | Verdict::TooClose(found) => {
            let links = oracle.links(&found.configuration);
            let [a, b] = found.bodies;
            let d = oracle.distance(&links, a, b, f64::INFINITY, is_signed);
            let is_inside = oracle.is_contained(&links, a, b);
            if word(&answer.verdict) == "collision" {
                assert!(d <= found.clearance.min(0.0) + KNOWN || is_inside, "no contact, {d:e}: {answer:?}");
            } else {
                assert!(d <= found.clearance + world.tolerance + KNOWN, "not too close, {d:e}: {answer:?}");
                assert!(is_signed || found.distance < 1e-6 || d > 0.0, "in contact: {answer:?}");
                let is_shown = oracle.holds(&links, a, found.points[0]) && oracle.holds(&links, b, found.points[1]);
                assert!(found.distance >= d - KNOWN || is_shown, "distance {d:e}: {answer:?}");
            }
        }
        Verdict::Undecided(_) => assert!(world.tolerance == 0.0 || is_out_of_queries(answer), "{answer:?}"),
    }
}

/// Notes answers whose word is not that of the default judge.
fn run_world(number: usize) -> Tally {
    let mut random = Random::new(0x1D6E_0000 + number as u64);
    let mut world = random_world(&mut random, number);
    prepare(&mut world, &mut random);
    let scene = world.scene();
    let oracle = Oracle::new(&world, &scene);
    let quaternions = quaternions(&world);
    let checker = Checker::new(scene);
    let turned = reordered(&world).checker();
    let mut scratches = [CheckScratch::new(&checker), CheckScratch::new(&turned)];
    let mut tally = Tally::default();
    for _ in 0..SEGMENTS_A_WORLD {
        let ends = random_segment(&mut random, &world, &quaternions);
        let [start, goal] = &ends;
        let case = Case { world: &world, oracle: &oracle, ends: &ends, sampled: OnceCell::new() };
        let reference = checker.segment(start, goal, &Settings::default(), &mut scratches[0]).unwrap();
        for settings in ways() {
            let answer = checker.segment(start, goal, &settings, &mut scratches[0]).unwrap();
            assert_true(&case, &answer);
            assert_agree(&case, &reference, &answer);
            tally.count(&answer.verdict);
            tally.noted += usize::from(word(&answer.verdict) != word(&reference.verdict));
            let fresh = checker.segment(start, goal, &settings, &mut CheckScratch::new(&checker)).unwrap();
            assert_eq!(answer, fresh, "used scratch changes the answer");
            let back = checker.segment(goal, start, &settings, &mut scratches[0]).unwrap();
            assert_agree(&case, &answer, &back);
            let other = turned.segment(start, goal, &settings, &mut scratches[1]).unwrap();
            assert_agree(&case, &answer, &other);
        }
    }
    tally
}

#[test]
fn judges_refinements_orders_and_directions_agree() {
    let worlds = (segments() / 2).div_ceil(SEGMENTS_A_WORLD);
    let tally = (0..worlds).into_par_iter().map(run_world).reduce(Tally::default, Tally::plus);
    println!("{tally:?}");
    tally.assert_both_sides(10);
}

#[test]
fn threads_do_not_change_a_bit_of_the_papers_answers() {
    let mut random = Random::new(17);
    let mut world = random_world(&mut random, 4);
    prepare(&mut world, &mut random);
    let quaternions = quaternions(&world);
    let segments: Vec<[Vec<f64>; 2]> = (0..60).map(|_| random_segment(&mut random, &world, &quaternions)).collect();
    for settings in ways() {
        let run = |threads: usize| -> Vec<Answer> {
            // Trees are built by whoever asks first: every run starts without them.
            let checker = world.checker();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                segments
                    .par_iter()
                    .map_init(
                        || CheckScratch::new(&checker),
                        |scratch, [a, b]| checker.segment(a, b, &settings, scratch).unwrap(),
                    )
                    .collect()
            })
        };
        let alone = run(1);
        assert!(alone.iter().any(|answer| finding(&answer.verdict).is_some()));
        assert_eq!(alone, run(2));
        assert_eq!(alone, run(4));
    }
}

const SLIDE_X: JointKind = JointKind::Prismatic { axis: DVec3::X };

/// A ball that slides past `wall`s at these places.
fn lane(tolerance: f64, walls: &[f64]) -> World {
    let mut world = World::new(0.0, tolerance);
    world.link("world", "ball", SLIDE_X, Pose::IDENTITY);
    world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.05));
    for (i, x) in walls.iter().enumerate() {
        world.thing(&format!("wall {i}"), "world", at(*x, 0.0, 0.0), box_mesh([0.01, 0.5, 0.5]));
        // Rules of their own keep the walls in trees of their own.
        world.rules.exceptions.push(([0, 1 + i], PairRule::Clearance(1e-9 * i as f64)));
    }
    world
}

#[test]
fn the_paper_finds_the_first_contact() {
    let mut random = Random::new(3);
    for case in 0..60 {
        let tolerance = [0.0, 1e-3][case % 2];
        let walls: Vec<f64> = (0..3).map(|_| random.between(0.1, 2.8)).collect();
        let contact = walls.iter().copied().fold(f64::INFINITY, f64::min) - 0.055;
        for refinement in Refinement::ALL {
            let settings = Settings { report: Report::First, max_queries: None, ..paper(refinement, 0.0) };
            let path = [vec![0.0], vec![1.0], vec![2.0], vec![3.0]];
            let answer = lane(tolerance, &walls).check_with(&path, &settings);
            let found = finding(&answer.verdict).unwrap_or_else(|| panic!("{case} {refinement:?}: {answer:?}"));
            let place = found.segment as f64 + found.t;
            assert!(
                place >= contact - tolerance - 1e-8 && place <= contact + tolerance.max(1e-7),
                "{case} {refinement:?}: {contact} {answer:?}"
            );
        }
    }
}

#[test]
fn the_paper_reports_all_contacts() {
    for refinement in Refinement::ALL {
        let settings = Settings { report: Report::All, max_queries: None, ..paper(refinement, 0.0) };
        let path = [vec![0.0], vec![1.0], vec![2.0], vec![3.0]];
        let answer = lane(1e-4, &[0.3, 0.6, 1.5, 2.2]).check_with(&path, &settings);
        let mut found: Vec<(usize, [usize; 2])> = answer.findings.iter().map(|f| (f.segment, f.bodies)).collect();
        found.sort();
        assert_eq!(found, [(0, [0, 1]), (0, [0, 2]), (1, [0, 3]), (2, [0, 4])], "{answer:?}");
    }
}

#[test]
fn limits_of_the_paper_hold_to_the_query() {
    let path = [vec![0.0], vec![1.0]];
    for refinement in Refinement::ALL {
        let world = lane(1e-3, &[1.08]);
        let full = world.check_with(&path, &paper(refinement, 0.0));
        assert_eq!(word(&full.verdict), "free", "{full:?}");
        assert!(full.statistics.distance_queries >= 3, "{full:?}");
        for most in 0..full.statistics.distance_queries {
            let settings = Settings { max_queries: Some(most), ..paper(refinement, 0.0) };
            let answer = world.check_with(&path, &settings);
            assert!(is_out_of_queries(&answer), "{answer:?}");
            assert_eq!(answer.statistics.distance_queries, most);
        }
    }
}

/// Broke while it was written: an end that cannot be told from contact kept the rest of its stretch from being looked at.
#[test]
fn an_unclear_end_does_not_hide_the_contact_before_it() {
    let mut world = World::new(0.0, 0.0);
    world.link("world", "moving", SLIDE_X, Pose::IDENTITY);
    world.thing("moving", "moving", Pose::IDENTITY, box_mesh([1e-4, 0.6, 0.6]));
    // In the end both plates fill the same place, face in face.
    world.thing("fixed", "world", at(1.0, 0.0, 0.0), box_mesh([1e-4, 0.9, 0.7]));
    for settings in ways() {
        let answer = world.check_with(&[vec![-2.0], vec![1.0]], &settings);
        assert_eq!(word(&answer.verdict), "collision", "{settings:?}: {answer:?}");
    }
}

#[test]
fn grazing_contact_ends_at_the_papers_floor() {
    let mut world = World::new(0.0, 0.0);
    world.link("world", "ball", SLIDE_X, Pose::IDENTITY);
    world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.25));
    world.thing("other", "world", at(0.75, 0.0, -0.5), Form::Ball(0.25));
    for refinement in Refinement::ALL {
        let settings = Settings { max_queries: Some(1_000_000), ..paper(refinement, 0.0) };
        let answer = world.check_with(&[vec![-0.7], vec![2.0]], &settings);
        assert!(
            matches!(&answer.verdict, Verdict::Undecided(open) if open.limit == Limit::Resolution),
            "{refinement:?} {answer:?}"
        );
    }
    world.tolerance = 1e-3;
    for settings in ways() {
        let answer = world.check_with(&[vec![-0.7], vec![2.0]], &settings);
        assert!(finding(&answer.verdict).is_some(), "{settings:?}: {answer:?}");
    }
}
