//! Sampling against `hulls`: nothing is called free that samples refute, everything is free that samples leave room for,
//! and every finding is one by an independent check. Bodies are thin, off their reference point, or of several parts;
//! they turn by up to 3.1 rad from pose to pose, on equal and on different grids.
//!
//! `PATHPROOF_WALKS` says how many pairs of walks (default 1,200). The full run:
//! `PATHPROOF_WALKS=100000 cargo test --release -p pathproof-traffic --test spacetime oracle:: -- --nocapture`

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::oracle::distance;
use crate::common::{Mover, cases, random};
use pathproof::numeric::Random;
use pathproof_traffic::{
    Answer, Exactness, Finding, Method, Placement, Query, Report, Traffic, TrafficScratch, TrajectoryTree, Verdict,
};
use rayon::prelude::*;

/// How far the oracle and its frames may be off.
const KNOWN: f64 = 1e-7;
/// Samples per step of the body.
const SAMPLES: usize = 1000;

/// What samples say: the least distance, and at which of them the bodies overlap.
struct Sampled {
    least: f64,
    /// Time and piece of the first sample that overlaps.
    first_overlap: Option<f64>,
    /// Pieces with such a sample.
    overlapping: Vec<bool>,
    /// At least how far anything moves, relative to anything else, from sample to sample.
    motion: f64,
}

/// Samples every step of the body. With `skips`, samples are passed over that cannot matter: from a distance d nothing is
/// nearer than d − n·motion after n samples.
fn sample(body: &Mover, agent: &Mover, skips: bool) -> Sampled {
    let pieces = body.poses.len() - 1;
    let dt = body.poses[1][0] - body.poses[0][0];
    let motion = (body.speed() + agent.speed()) * dt / SAMPLES as f64;
    let mut result = Sampled { least: f64::INFINITY, first_overlap: None, overlapping: vec![false; pieces], motion };
    // The agent may appear or vanish between samples.
    for t in agent.presence() {
        result.least = result.least.min(distance(body, t, agent, t, 0.05));
    }
    for piece in 0..pieces {
        let [from, to] = [body.poses[piece][0], body.poses[piece + 1][0]];
        let mut i = 0;
        while i <= SAMPLES {
            let t = from + (to - from) * i as f64 / SAMPLES as f64;
            let d = distance(body, t, agent, t, 0.05);
            result.least = result.least.min(d);
            if d < -KNOWN {
                result.overlapping[piece] = true;
                result.first_overlap.get_or_insert(t);
            }
            // An agent that is not there may appear at once.
            let room = if skips && d.is_finite() { d - result.least.max(-KNOWN) } else { 0.0 };
            i += 1 + (room / (motion * 1.001)) as usize;
        }
    }
    result
}

fn ask(body: &Mover, traffic: &Traffic, report: Report, tolerance: f64, scratch: &mut TrafficScratch) -> Answer {
    let exactness = Exactness { tolerance, ..Exactness::default() };
    let query = Query { method: Method::Hulls(exactness), report, ..Query::default() };
    let tree = TrajectoryTree::new(Arc::new(body.compound.clone()), body.trajectory()).expect("planar");
    let with_tree = traffic.check_tree(&tree, &Placement::HERE, &query, scratch).expect("a good question");
    let answer = traffic.check(&body.compound, &body.trajectory(), &query, scratch).expect("a good question");
    assert_eq!(answer.verdict, with_tree.verdict, "a tree changes no answer");
    answer
}

fn check_finding(body: &Mover, agent: &Mover, found: &Finding, tolerance: f64) {
    let d = distance(body, found.time, agent, found.agent_time, 1.0);
    assert_eq!(found.time, found.agent_time, "{found:?}");
    assert!(d <= found.distance + KNOWN, "{d} {found:?}");
    let most = if found.is_collision { 0.0 } else { tolerance };
    assert!(found.distance <= most && d <= most + KNOWN, "{d} {found:?}");
}

#[test]
fn hulls_are_never_free_where_samples_overlap_and_free_where_samples_leave_room() {
    let counts = [(); 4].map(|()| AtomicUsize::new(0));
    (0..cases("PATHPROOF_WALKS", 1_200)).into_par_iter().for_each_init(TrafficScratch::default, |scratch, seed| {
        let mut random = Random::new(seed as u64);
        let [body, agent] = random::pair(&mut random);
        let tolerance = [0.001, 0.01, 0.0001][random.below(3)];
        let sampled = sample(&body, &agent, true);
        if seed % 64 == 0 {
            let all = sample(&body, &agent, false);
            assert_eq!(all.overlapping, sampled.overlapping, "seed {seed}");
            // Beyond 5 cm the oracle tells the distance of discs, and in overlap the depth does not count.
            let is_same = |[a, b]: [f64; 2]| a == b || a.min(b) > 0.05 || a.max(b) < -KNOWN;
            assert!(is_same([all.least, sampled.least]), "seed {seed}: {} {}", all.least, sampled.least);
        }
        let traffic = Traffic::new(vec![agent.agent("agent")]).expect("one workspace");
        let answer = ask(&body, &traffic, Report::Any { near: None }, tolerance, scratch);
        let context = || format!("seed {seed}: {answer:?}, least {}\n{body:?}\n{agent:?}", sampled.least);
        match &answer.verdict {
            Verdict::Free => assert!(sampled.least >= -KNOWN, "refuted by samples: {}", context()),
            Verdict::Collision(found) | Verdict::TooClose(found) => {
                check_finding(&body, &agent, found, tolerance);
                assert!(sampled.least <= tolerance + sampled.motion + KNOWN, "there is room: {}", context());
            }
            Verdict::Undecided(_) | Verdict::NoneFound => panic!("{}", context()),
        }
        let kind = match answer.verdict {
            Verdict::Free => 0,
            Verdict::Collision(_) => 1,
            _ => 2,
        };
        counts[kind].fetch_add(1, Ordering::Relaxed);
        counts[3].fetch_add(answer.statistics.bisections as usize, Ordering::Relaxed);
    });
    let [free, collision, close, cuts] = counts.map(AtomicUsize::into_inner);
    println!("{free} free, {collision} collisions, {close} too close, {cuts} bisections");
    assert!(free * 5 > free + collision + close && collision * 5 > free && cuts > 0, "the cases are one-sided");
}

#[test]
fn the_earliest_finding_has_no_overlap_before_it_and_all_findings_miss_no_piece() {
    (0..cases("PATHPROOF_WALKS", 1_200) / 3).into_par_iter().for_each_init(TrafficScratch::default, |scratch, seed| {
        let mut random = Random::new(1_000_000 + seed as u64);
        let [body, agent] = random::pair(&mut random);
        let tolerance = 0.001;
        let sampled = sample(&body, &agent, true);
        let traffic = Traffic::new(vec![agent.agent("agent")]).expect("one workspace");
        let first = ask(&body, &traffic, Report::First, tolerance, scratch).verdict;
        let context = format!("seed {seed}: {first:?}, overlap at {:?}\n{body:?}\n{agent:?}", sampled.first_overlap);
        if let Some(found) = first.finding() {
            check_finding(&body, &agent, found, tolerance);
            let free_until = found.free_until.expect("the earliest says so");
            assert!(free_until <= found.time, "{context}");
            assert!(sampled.first_overlap.is_none_or(|t| t >= free_until && t >= found.time - 1e-3), "{context}");
            // The stretch that is not proven is short: nothing moves by more than a quarter of the tolerance.
            let motion = (body.speed() + agent.speed()) * (found.time - free_until);
            assert!(motion <= 0.25 * tolerance * 30.0 + KNOWN, "{motion} {context}");
        } else {
            assert_eq!(first, Verdict::Free, "{context}");
            assert!(sampled.first_overlap.is_none(), "{context}");
        }
        let all = ask(&body, &traffic, Report::All, tolerance, scratch).verdict;
        assert_eq!(all == Verdict::Free, scratch.findings().is_empty(), "{context}");
        for found in scratch.findings() {
            check_finding(&body, &agent, found, tolerance);
            let [from, to] = [body.poses[found.piece][0], body.poses[found.piece + 1][0]];
            assert!(from <= found.time && found.time <= to, "{found:?}");
        }
        for (piece, _) in sampled.overlapping.iter().enumerate().filter(|(_, is)| **is) {
            let found = scratch.findings().iter().find(|found| found.piece == piece);
            assert!(found.is_some_and(|found| found.is_collision), "piece {piece}: {found:?} {context}");
        }
    });
}

/// Samples within a time gap: both times on grids, no farther apart than the gap.
fn least_within_gap(body: &Mover, agent: &Mover, gap: f64) -> f64 {
    let steps = 40 * (body.poses.len() - 1);
    let [from, to] = body.presence();
    let mut least = f64::INFINITY;
    for i in 0..=steps {
        let time = from + (to - from) * i as f64 / steps as f64;
        for j in -25..=25 {
            least = least.min(distance(body, time, agent, time + gap * j as f64 / 25.0, 0.05));
        }
    }
    least
}

#[test]
fn a_time_gap_is_never_free_where_samples_within_it_overlap_and_is_monotone() {
    let counts = [(); 2].map(|()| AtomicUsize::new(0));
    (0..cases("PATHPROOF_WALKS", 1_200) / 10).into_par_iter().for_each_init(
        TrafficScratch::default,
        |scratch, seed| {
            let mut random = Random::new(2_000_000 + seed as u64);
            let [body, agent] = random::pair(&mut random);
            let traffic = Traffic::new(vec![agent.agent("agent")]).expect("one workspace");
            let mut was_free = true;
            for gap in [0.0, random.between(0.01, 0.1), random.between(0.1, 0.5)] {
                let exactness = Exactness { tolerance: 0.01, ..Exactness::default() };
                let report = [Report::Any { near: None }, Report::First][seed % 2];
                let query = Query { method: Method::Hulls(exactness), time_gap: gap, report };
                let verdict = traffic.check(&body.compound, &body.trajectory(), &query, scratch).expect("good").verdict;
                let context = || format!("seed {seed}, gap {gap}: {verdict:?}\n{body:?}\n{agent:?}");
                match &verdict {
                    Verdict::Free => {
                        assert!(was_free, "free within a longer gap: {}", context());
                        assert!(least_within_gap(&body, &agent, gap) >= -KNOWN, "refuted by samples: {}", context());
                    }
                    Verdict::Collision(found) | Verdict::TooClose(found) => {
                        assert!((found.time - found.agent_time).abs() <= gap + 2e-9, "{}", context());
                        let d = distance(&body, found.time, &agent, found.agent_time, 1.0);
                        assert!(d <= found.distance + KNOWN && found.distance <= 0.01, "{d} {}", context());
                    }
                    _ => panic!("{}", context()),
                }
                was_free = verdict == Verdict::Free;
                counts[usize::from(was_free)].fetch_add(1, Ordering::Relaxed);
            }
        },
    );
    let [hits, free] = counts.map(AtomicUsize::into_inner);
    assert!(hits > 50 && free > 50, "{hits} found, {free} free");
}
