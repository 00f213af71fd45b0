//! Curves against closed forms and against sampling: a polynomial that overshoots, or leaves its chord, is judged by where
//! it is, not by where its waypoints are.
//!
//! `PATHPROOF_SEGMENTS` says how many random pieces (default 1,200, of which a quarter are taken). The full run:
//! `PATHPROOF_SEGMENTS=400000 cargo test --release -p pathproof --test checker curves:: -- --nocapture`

use crate::common::random::{prepare, quaternions, random_segment, random_world};
use crate::common::real::{self, Cell};
use crate::common::{Form, Oracle, Sampled, Tally, World, at, box_mesh, finding, word};
use pathproof::check::{Answer, CheckScratch, Checker, Maps, Report, Settings, Verdict};
use pathproof::numeric::{DVec3, Pose, Random};
use pathproof::path::Motion;
use pathproof::robot::interpolation::{Knot, controller, controller_start, natural_cubic, wrapped};
use pathproof::robot::{Curve, CurvePiece, InterpolationError, JointKind, KnotState, Polynomial, VariableKind};
use rayon::prelude::*;

const SLIDE_X: JointKind = JointKind::Prismatic { axis: DVec3::X };
const REVOLUTE_Z: JointKind = JointKind::Revolute { axis: DVec3::Z };
/// How far the oracle may be off: parry's distances converge to some 1e-8.
const KNOWN: f64 = 2e-7;
const STEP: f64 = 0.005;
const PIECES_A_WORLD: usize = 12;

fn cubic(from: [f64; 2], to: [f64; 2], duration: f64) -> Polynomial {
    let state = |[position, velocity]: [f64; 2]| KnotState { position, velocity: Some(velocity), acceleration: None };
    Polynomial::between(state(from), state(to), duration)
}

fn quintic(from: [f64; 3], to: [f64; 3], duration: f64) -> Polynomial {
    let state = |[position, velocity, acceleration]: [f64; 3]| KnotState {
        position,
        velocity: Some(velocity),
        acceleration: Some(acceleration),
    };
    Polynomial::between(state(from), state(to), duration)
}

/// A curve of one variable.
fn curve_of(world: &World, polynomials: &[Polynomial]) -> Curve {
    let pieces: Vec<Vec<Polynomial>> = polynomials.iter().map(|p| vec![*p]).collect();
    Curve::from_polynomials(&world.model(), &pieces).unwrap()
}

/// A ball of 10 cm that slides along x towards a wall whose face is at `face`.
fn ball_and_wall(face: f64, clearance: f64, tolerance: f64) -> World {
    let mut world = World::new(clearance, tolerance);
    world.link("world", "ball", SLIDE_X, Pose::IDENTITY);
    world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.1));
    world.thing("wall", "world", at(face + 0.005, 0.0, 0.0), box_mesh([0.01, 2.0, 2.0]));
    world
}

fn asked(world: &World, curve: &Curve, settings: &Settings) -> Answer {
    let checker = world.checker();
    checker.path(&Motion::curve(curve.clone()), settings, &mut CheckScratch::new(&checker)).unwrap()
}

/// 4t(1 − t), as a cubic from rest to rest in position but at speeds of 4; 16t²(1 − t)², as a quintic between two places
/// at rest that pulls at both ends. Both get to 1 in the middle, and their chords stay at 0.
#[test]
fn curves_that_overshoot_flip_where_their_peak_meets_the_wall() {
    let overshooting = [cubic([0.0, 2.0], [0.0, -2.0], 2.0), quintic([0.0, 0.0, 8.0], [0.0, 0.0, 8.0], 2.0)];
    for polynomial in overshooting {
        for margin in [1e-2f64, 1e-4, 1e-6, -1e-6, -1e-4, -1e-2] {
            for (clearance, tolerance) in [(0.0, 0.0), (0.0, margin.abs() / 2.0), (0.05, 0.0)] {
                let world = ball_and_wall(1.1 + clearance + margin, clearance, tolerance);
                let curve = curve_of(&world, &[polynomial]);
                let chord = world.check(&[vec![0.0], vec![0.0]]);
                assert_eq!(word(&chord.verdict), "free");
                let answer = asked(&world, &curve, &Settings::default());
                let expected = match (margin > 0.0, clearance > 0.0) {
                    (true, _) => "free",
                    (false, true) => "too_close",
                    (false, false) => "collision",
                };
                assert_eq!(word(&answer.verdict), expected, "{margin} {clearance} {tolerance} {answer:?}");
                if let Verdict::Free(free) = &answer.verdict {
                    assert!(free.lower_clearance() <= clearance + margin && free.lower_clearance() >= clearance);
                }
            }
        }
    }
}

#[test]
fn profiles_and_smallest_distances_of_a_curve_enclose_the_truth() {
    let world = ball_and_wall(1.2, 0.0, 1e-4);
    let checker = world.checker();
    let mut scratch = CheckScratch::new(&checker);
    let curve = curve_of(&world, &[cubic([0.0, 2.0], [0.0, -2.0], 2.0)]);
    let profile =
        checker.profile(&Motion::curve(curve.clone()), &Settings::default(), &mut scratch, &mut |_| {}).unwrap();
    for piece in &profile.pieces {
        let distance = |t: f64| 1.1 - 4.0 * t * (1.0 - t);
        let ends = [piece.interval[0], piece.interval[1], 0.5f64.clamp(piece.interval[0], piece.interval[1])];
        let least = ends.map(distance).into_iter().fold(f64::INFINITY, f64::min);
        assert!(piece.lower <= least + 1e-12 && piece.upper >= least - 1e-12, "{piece:?} {least}");
        assert!(piece.upper - piece.lower <= 1e-4 + 1e-12, "{piece:?}");
    }
    let smallest = checker
        .smallest_distance(&Motion::curve(curve.clone()), &Settings::default(), &mut scratch)
        .unwrap()
        .overall()
        .unwrap();
    assert!(smallest.lower <= 0.1 && smallest.lower >= 0.1 - 1e-4 && (smallest.nearest.t - 0.5).abs() < 0.01);
}

#[test]
fn the_first_contact_on_a_curve_is_where_it_enters() {
    let world = ball_and_wall(1.05, 0.0, 1e-4);
    let curve = curve_of(&world, &[cubic([0.0, 2.0], [0.0, -2.0], 2.0)]);
    let entry = (1.0 - 0.05f64.sqrt()) / 2.0;
    let answer = asked(&world, &curve, &Settings { report: Report::First, ..Settings::default() });
    let until = answer.free_until.unwrap();
    assert!(until.t <= entry && until.t > entry - 1e-3, "{answer:?}");
    let found = finding(&answer.verdict).unwrap();
    assert!((found.t - entry).abs() < 1e-3, "{answer:?} {entry}");
    let answer = asked(&world, &curve, &Settings { report: Report::All, ..Settings::default() });
    assert_eq!((answer.findings.len(), word(&answer.verdict)), (1, "collision"));
    // In a second piece the same is found there.
    let twice = curve_of(&world, &[cubic([-1.0, 0.0], [0.0, 2.0], 1.0), cubic([0.0, 2.0], [0.0, -2.0], 2.0)]);
    let answer = asked(&world, &twice, &Settings { report: Report::First, ..Settings::default() });
    let found = finding(&answer.verdict).unwrap();
    assert!(found.segment == 1 && (found.t - entry).abs() < 1e-3, "{answer:?}");
}

/// A rod turns past a ball on minimum-jerk quintics: the same configurations as on the straight line, so that the verdict
/// flips at the same place.
#[test]
fn a_quintic_that_only_changes_the_speed_changes_no_verdict() {
    for (i, margin) in [1e-2, 1e-4, 1e-6, -1e-6, -1e-4, -1e-2].into_iter().enumerate() {
        let mut world = World::new(0.0, 0.0);
        world.link("world", "rod", REVOLUTE_Z, Pose::IDENTITY);
        world.thing("rod", "rod", at(0.5, 0.0, 0.0), box_mesh([1.0, 0.03, 0.04]));
        world.thing("ball", "world", at(0.7, 0.0, 0.07 + margin), Form::Ball(0.05));
        let [from, to] = [-0.3 - 0.1 * i as f64, 0.4];
        let curve = curve_of(&world, &[quintic([from, 0.0, 0.0], [to, 0.0, 0.0], 3.0)]);
        let [bent, straight] = [asked(&world, &curve, &Settings::default()), world.check(&[vec![from], vec![to]])];
        let expected = if margin > 0.0 { "free" } else { "collision" };
        assert_eq!([word(&bent.verdict), word(&straight.verdict)], [expected; 2], "{margin} {bent:?}");
    }
}

#[test]
fn straight_pieces_of_a_curve_have_the_bits_of_straight_lines() {
    let mut random = Random::new(71);
    for number in 0..12 {
        let mut world = random_world(&mut random, number);
        prepare(&mut world, &mut random);
        let checker = world.checker();
        let mut scratch = CheckScratch::new(&checker);
        let [a, b] = random_segment(&mut random, &world, &quaternions(&world));
        let lines: Vec<Polynomial> = a.iter().zip(&b).map(|(a, b)| Polynomial::line(*a, *b)).collect();
        let curve = Curve::from_polynomials(&world.model(), &[lines]).unwrap();
        let straight = checker.path(&Motion::lines([a, b]), &Settings::default(), &mut scratch).unwrap();
        assert_eq!(checker.path(&Motion::curve(curve.clone()), &Settings::default(), &mut scratch).unwrap(), straight);
    }
}

#[test]
fn threads_do_not_change_a_bit_of_a_long_curve() {
    for face in [1.2, 1.099] {
        let world = ball_and_wall(face, 0.0, 1e-3);
        let pieces: Vec<Polynomial> = (0..600)
            .map(|i| match i % 2 {
                0 => cubic([0.0, 2.0], [0.0, 1.0 - i as f64 * 0.005], 2.0),
                _ => cubic([0.0, 1.0 - (i - 1) as f64 * 0.005], [0.0, 2.0], 2.0),
            })
            .collect();
        let curve = curve_of(&world, &pieces);
        let checker = world.checker();
        let alone = checker
            .path(&Motion::curve(curve.clone()), &Settings::default(), &mut CheckScratch::new(&checker))
            .unwrap();
        let mut scratches = [CheckScratch::new(&checker), CheckScratch::new(&checker)];
        assert_eq!(
            checker.path_on_threads(&Motion::curve(curve.clone()), &Settings::default(), &mut scratches).unwrap(),
            alone
        );
        // What remembers straight edges remembers no curves.
        let mut remembering = CheckScratch::new(&checker).with_edge_cache(1 << 20);
        for _ in 0..2 {
            let again = checker.path(&Motion::curve(curve.clone()), &Settings::default(), &mut remembering).unwrap();
            assert_eq!((&again.verdict, remembering.cached_edges().edges), (&alone.verdict, 0));
        }
    }
}

/// A piece with the powers of t that it was made of.
struct RandomPiece {
    curve: Curve,
    powers: Vec<Option<[f64; 6]>>,
    ends: [Vec<f64>; 2],
}

impl RandomPiece {
    fn new(random: &mut Random, checker: &Checker, ends: [Vec<f64>; 2]) -> Self {
        let model = checker.scene().model();
        let reach = ends[0].iter().zip(&ends[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let mut powers = Vec::new();
        let mut polynomials = Vec::new();
        for (variable, (from, to)) in model.variables().iter().zip(ends[0].iter().zip(&ends[1])) {
            if variable.kind == VariableKind::Quaternion {
                powers.push(None);
                polynomials.push(Polynomial::line(*from, *to));
                continue;
            }
            let scale = reach * if variable.kind == VariableKind::Length { 0.2 } else { 0.7 };
            let mut list = [0.0; 6];
            list[0] = *from;
            let degree = random.below(6);
            list[1..=degree].iter_mut().for_each(|c| *c = random.between(-scale, scale));
            powers.push(Some(list));
            polynomials.push(Polynomial::from_powers(&list[..=degree], 1.0).unwrap());
        }
        Self { curve: Curve::new(model, vec![CurvePiece::new(model, &polynomials).unwrap()]).unwrap(), powers, ends }
    }

    fn at(&self, oracle: &Oracle, t: f64) -> Vec<f64> {
        let mut q = oracle.interpolate(&self.ends[0], &self.ends[1], t);
        for (q, powers) in q.iter_mut().zip(&self.powers) {
            if let Some(powers) = powers {
                *q = powers.iter().rev().fold(0.0, |sum, c| sum * t + c);
            }
        }
        q
    }

    fn sampled(&self, oracle: &Oracle, is_signed: bool) -> Sampled {
        let variation = |powers: &[f64; 6]| powers.iter().enumerate().map(|(i, c)| c.abs() * i as f64).sum::<f64>();
        let most = self.powers.iter().flatten().map(variation).fold(0.5, f64::max);
        let count = (most / STEP).clamp(64.0, 400.0) as usize;
        let places = (0..=count).map(|i| i as f64 / count as f64).map(|t| (t, self.at(oracle, t)));
        oracle.sampled_at(places, is_signed)
    }
}

fn check_piece(oracle: &Oracle, checker: &Checker, piece: &RandomPiece, random: &mut Random, tally: &mut Tally) {
    let mut scratch = CheckScratch::new(checker);
    let is_signed = oracle.pairs.iter().any(|pair| pair.2 < 0.0);
    let settings = Settings { node_to_motion_ratio: [0.0, 2.0, 6.0][random.below(3)], ..Settings::default() };
    let answer = checker.path(&Motion::curve(piece.curve.clone()), &settings, &mut scratch).unwrap();
    tally.count(&answer.verdict);
    let (tolerance, clearance) = (checker.scene().tolerance(), checker.scene().clearance());
    match &answer.verdict {
        Verdict::Free(free) => {
            let sampled = piece.sampled(oracle, is_signed);
            assert!(sampled.excess > -KNOWN, "refuted by {sampled:?}: {answer:?}");
            assert!(free.lower_clearance() <= sampled.distance + KNOWN, "{sampled:?}: {answer:?}");
            // With a clearance that a sample just misses, free is refuted: bounds have nowhere to hide.
            if sampled.distance > 1e-4 && clearance >= 0.0 && sampled.distance.is_finite() {
                tally.noted += 1;
                for (excess, tolerance) in [(KNOWN, 0.0), (0.05 * sampled.distance, 1e-3)] {
                    let wanted = sampled.distance + excess;
                    let scene = checker.scene().clone().with_clearance(wanted).unwrap();
                    let scene = scene.with_self_clearance(wanted).unwrap();
                    let strict = Checker::new(scene.with_tolerance(tolerance).unwrap());
                    let settings = Settings { max_queries: Some(3_000), ..settings };
                    let answer = strict.path(&Motion::curve(piece.curve.clone()), &settings, &mut scratch).unwrap();
                    assert_ne!(word(&answer.verdict), "free", "{sampled:?} {answer:?}");
                }
            }
        }
        Verdict::Undecided(_) => assert_eq!(tolerance, 0.0, "{answer:?}"),
        Verdict::Collision(found) | Verdict::TooClose(found) => {
            let q = piece.at(oracle, found.t);
            let no_quaternion = |i: &usize| piece.powers[*i].is_some();
            let off = (0..q.len()).filter(no_quaternion).map(|i| (q[i] - found.configuration[i]).abs());
            assert!(off.fold(0.0, f64::max) < 1e-9, "{q:?} {answer:?}");
            let links = oracle.links(&found.configuration);
            let [a, b] = found.bodies;
            let d = oracle.distance(&links, a, b, f64::INFINITY, is_signed);
            if word(&answer.verdict) == "collision" {
                let contact = found.clearance.min(0.0);
                assert!(d <= contact + KNOWN || oracle.is_contained(&links, a, b), "no contact, {d:e}: {answer:?}");
            } else {
                assert!(d <= found.clearance + tolerance + KNOWN, "not too close, {d:e}: {answer:?}");
                // Where the sampled least distance clearly exceeds the tolerance it would have to be free.
            }
        }
    }
    let is_clear = |answer: &Answer| matches!(answer.verdict, Verdict::Free(_));
    if !is_clear(&answer) && tolerance > 0.0 && random.below(8) == 0 {
        let sampled = piece.sampled(oracle, is_signed);
        assert!(sampled.excess <= tolerance + 0.05, "clearly free: {sampled:?} {answer:?}");
    }
}

fn pieces() -> usize {
    std::env::var("PATHPROOF_SEGMENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_200) / 4
}

#[test]
fn no_sample_refutes_free_on_a_curve_and_every_witness_is_one() {
    let worlds = pieces().div_ceil(PIECES_A_WORLD);
    let run = |number: usize| {
        let mut random = Random::new(0xC0_4E00_0000 + number as u64);
        let mut world = random_world(&mut random, number);
        prepare(&mut world, &mut random);
        let scene = world.scene();
        let oracle = Oracle::new(&world, &scene);
        let quaternions = quaternions(&world);
        let checker = Checker::new(scene);
        let mut tally = Tally::default();
        for _ in 0..PIECES_A_WORLD {
            let ends = random_segment(&mut random, &world, &quaternions);
            let piece = RandomPiece::new(&mut random, &checker, ends);
            check_piece(&oracle, &checker, &piece, &mut random, &mut tally);
        }
        tally
    };
    let tally = (0..worlds).into_par_iter().map(run).reduce(Tally::default, Tally::plus);
    println!("curves: {tally:?}");
    assert_eq!(tally.all(), worlds * PIECES_A_WORLD);
    tally.assert_both_sides(10);
}

/// Real robots among obstacles at random.
#[test]
fn no_sample_refutes_free_on_curves_of_real_robots() {
    let Some(folder) = real::data() else {
        println!("SKIPPED: the shared data is not at ../shared/data");
        return;
    };
    let cells = (pieces() / 20 / PIECES_A_WORLD).max(real::KINDS);
    let run = |number: usize| {
        let mut random = Random::new(0xC0_2EA1 + number as u64);
        let Cell { scene, oracle, .. } = real::cell(&folder, &mut random, number % real::KINDS);
        let checker = Checker::new(scene);
        let mut tally = Tally::default();
        for _ in 0..4 {
            let ends = real::segment(&mut random, checker.scene());
            let piece = RandomPiece::new(&mut random, &checker, ends);
            check_piece(&oracle, &checker, &piece, &mut random, &mut tally);
        }
        tally
    };
    let tally = (0..cells).into_par_iter().map(run).reduce(Tally::default, Tally::plus);
    println!("curves of real robots: {tally:?}");
}

fn knot(time: f64, position: f64, velocity: Option<f64>, acceleration: Option<f64>) -> Knot {
    let list = |value: Option<f64>| value.map(|value| vec![value]);
    Knot { time, positions: vec![position], velocities: list(velocity), accelerations: list(acceleration) }
}

#[test]
fn the_degree_is_chosen_by_what_both_ends_have() {
    let world = ball_and_wall(3.0, 0.0, 1e-3);
    let model = world.model();
    let degree = |a: &Knot, b: &Knot| {
        controller(&model, &[a.clone(), b.clone()]).map(|pieces| pieces[0][0].coefficients().len() - 1)
    };
    let plain = [knot(0.0, 0.0, None, None), knot(1.0, 0.5, None, None)];
    let fast = [knot(0.0, 0.0, Some(0.1), None), knot(1.0, 0.5, Some(0.2), None)];
    let full = [knot(0.0, 0.0, Some(0.1), Some(1.0)), knot(1.0, 0.5, Some(0.2), Some(1.0))];
    let odd = [knot(0.0, 0.0, None, Some(1.0)), knot(1.0, 0.5, None, Some(1.0))];
    assert_eq!([&plain, &fast, &full].map(|pair| degree(&pair[0], &pair[1])), [Ok(1), Ok(3), Ok(5)]);
    assert_eq!(
        [degree(&full[0], &fast[1]), degree(&plain[0], &full[1]), degree(&odd[0], &fast[1])],
        [Ok(3), Ok(1), Ok(1)]
    );
    let refused = Err(InterpolationError::AccelerationsAlone { piece: 0 });
    assert_eq!([degree(&odd[0], &odd[1]), degree(&odd[0], &full[1])], [refused.clone(), refused]);
    assert!(matches!(degree(&full[1], &full[0]), Err(InterpolationError::NotLater { .. })));
    // From the current state: newer versions take what is missing for 0, older ones lower the degree.
    let degrees = |current: &Knot, first: &Knot| -> Vec<usize> {
        let versions = controller_start(&model, current, first).unwrap();
        versions.iter().map(|piece| piece[0].coefficients().len() - 1).collect()
    };
    assert_eq!(degrees(&plain[0], &full[1]), [5, 1]);
    assert_eq!(degrees(&fast[0], &full[1]), [5, 3]);
    assert_eq!(degrees(&fast[0], &fast[1]), [3]);
    assert_eq!(degrees(&plain[0], &plain[1]), [1]);
}

#[test]
fn joints_that_wrap_start_less_than_half_a_turn_away() {
    let turn = std::f64::consts::TAU;
    for (current, first, start) in
        [(6.0, 0.1, 6.0 - turn), (-6.0, 0.1, turn - 6.0), (0.3, 0.1, 0.3), (20.0, 0.0, 20.0 - 3.0 * turn)]
    {
        assert!((wrapped(current, first) - start).abs() < 1e-12, "{current} {first}");
    }
}

/// Three points in a triangle: the spline has velocities 3/2 and −3/2 at its ends, none at its peak.
#[test]
fn natural_cubic_splines_are_smooth_and_free_at_their_ends() {
    let world = ball_and_wall(3.0, 0.0, 1e-3);
    let model = world.model();
    let waypoints: Vec<Vec<f64>> = [0.0, 1.0, 0.0].map(|q| vec![q]).to_vec();
    let pieces = natural_cubic(&model, &[0.0, 1.0, 2.0], &waypoints).unwrap();
    let velocity = |piece: usize, t: f64| pieces[piece][0].derivative().value_at(t);
    for (piece, t, expected) in [(0, 0.0, 1.5), (0, 1.0, 0.0), (1, 0.0, 0.0), (1, 1.0, -1.5)] {
        assert!((velocity(piece, t) - expected).abs() < 1e-12);
    }
    let mut random = Random::new(72);
    for _ in 0..50 {
        let count = 2 + random.below(9);
        let mut time = 0.0;
        let times: Vec<f64> = (0..count)
            .map(|_| {
                time += random.between(0.01, 2.0);
                time
            })
            .collect();
        let waypoints: Vec<Vec<f64>> = (0..count).map(|_| vec![random.between(-2.0, 2.0)]).collect();
        let pieces = natural_cubic(&model, &times, &waypoints).unwrap();
        for (i, piece) in pieces.iter().enumerate() {
            let [q, v, a] = [piece[0], piece[0].derivative(), piece[0].derivative().derivative()];
            assert!(q.error() < 1e-8, "{q:?}");
            let step = times[i + 1] - times[i];
            let (mut after, mut speed) = (0.0, None);
            if let Some(next) = pieces.get(i + 1) {
                let [v, a] = [next[0].derivative(), next[0].derivative().derivative()];
                let step = times[i + 2] - times[i + 1];
                (after, speed) = (a.value_at(0.0) / (step * step), Some(v.value_at(0.0) / step));
            }
            assert!((a.value_at(1.0) / (step * step) - after).abs() < 1e-7 * (1.0 + after.abs()), "piece {i}");
            assert!(speed.is_none_or(|speed| (v.value_at(1.0) / step - speed).abs() < 1e-9 * (1.0 + speed.abs())));
        }
        let first = pieces[0][0].derivative().derivative().value_at(0.0);
        assert!(first.abs() < 1e-9, "{first}");
    }
}

/// Both ends of the piece are apart, and so is all between them, but the curve leaves that: what a map knows of straight
/// lines says nothing of it.
#[test]
fn maps_are_not_asked_about_curves() {
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "first", REVOLUTE_Z, Pose::IDENTITY);
    world.link("first", "second", REVOLUTE_Z, at(1.0, 0.0, 0.0));
    world.joints.iter_mut().for_each(|joint| joint.limits = vec![Some((-3.1, 3.1))]);
    world.thing("base", "first", at(0.4, 0.0, 0.0), box_mesh([0.6, 0.1, 0.1]));
    world.thing("tip", "second", at(0.5, 0.0, 0.0), box_mesh([0.8, 0.1, 0.1]));
    world.rules.exceptions.push(([0, 1], pathproof::scene::PairRule::Check));
    let checker = world.checker().with_maps(Maps::default());
    let mut scratch = CheckScratch::new(&checker);
    // The elbow goes from 1 to 1 by way of 3.
    let elbow = cubic([1.0, 8.0], [1.0, -8.0], 1.0);
    let curve = Curve::from_polynomials(&world.model(), &[vec![Polynomial::constant(0.0), elbow]]).unwrap();
    let chord =
        checker.path(&Motion::lines([vec![0.0, 1.0], vec![0.0, 1.0]]), &Settings::default(), &mut scratch).unwrap();
    assert_eq!(word(&chord.verdict), "free");
    let answer = checker.path(&Motion::curve(curve.clone()), &Settings::default(), &mut scratch).unwrap();
    assert_eq!(word(&answer.verdict), "collision", "{answer:?}");
}

/// Positions at a quarter, half and three quarters of every piece, as the formulas of ros2_controllers give them.
#[test]
fn upsampled_positions_run_along_the_controllers_cubics() {
    const GOLDEN: [[f64; 3]; 5] = [
        [-0.1055075706725066, -0.493853521793351, -0.7227727120175202],
        [-0.1960204231414959, 0.11887652461071987, 0.4618352100575758],
        [2.218015199205895, 2.373458629439269, 1.74467274495301],
        [0.6489253995185631, 0.49342887504048466, 0.3437179130421639],
        [-1.4189203390404073, -1.780706968035918, -1.527140113013469],
    ];
    let world = ball_and_wall(9.0, 0.0, 1e-3);
    let times = [0.0, 0.25, 0.333333333, 0.9, 1.000000001, 2.75];
    let knot = |(time, q): (f64, f64)| Knot { time, positions: vec![q], velocities: None, accelerations: None };
    let knots: Vec<Knot> = times.into_iter().zip([0.1, -0.45, 0.8, 0.81, 0.2, -1.3]).map(knot).collect();
    let motion = Motion::upsampled(&world.model(), knots.clone(), None).unwrap();
    assert_eq!((motion.interpolation().name(), motion.times()), ("upsampled", Some(&times[..])));
    let (_, curve) = motion.curves().next().expect("a curve");
    for (piece, expected) in curve.pieces().iter().zip(GOLDEN) {
        for (t, expected) in [0.25, 0.5, 0.75].into_iter().zip(expected) {
            let off = (piece.position(0).value_at(t) - expected).abs();
            assert!(off <= piece.position(0).value_error() && off < 1e-14, "{off}");
        }
    }
    // From elsewhere it starts at rest, in one version only; one point alone is reached on a line.
    let moved = |time: f64| Knot { time: time + 1.0, ..knots[0].clone() };
    let later: Vec<Knot> = knots.iter().map(|knot| Knot { time: knot.time + 1.0, ..knot.clone() }).collect();
    let from = Motion::upsampled(&world.model(), later, Some(vec![0.0])).unwrap();
    let (_, curve) = from.curves().next().expect("a curve");
    let start = curve.pieces()[0].position(0);
    assert!(
        (from.segments(), from.has_older_version()) == (6, false) && (start.value_at(0.25) - 0.015625).abs() < 1e-15
    );
    let one = Motion::upsampled(&world.model(), vec![moved(0.0)], Some(vec![0.0])).unwrap();
    let (_, curve) = one.curves().next().expect("a curve");
    assert!(curve.pieces()[0].position(0).is_straight() && !one.has_older_version());
    let back = vec![knots[1].clone(), knots[0].clone()];
    assert!(Motion::upsampled(&world.model(), back, None).is_err());
}
