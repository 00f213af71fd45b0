//! The four methods side by side: the sampled ones find the same on any input; what they miss, `hulls` finds; shifted
//! starts, placed trees, rebuilt traffic and a biased order change no answer.

use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

use crate::common::oracle::distance;
use crate::common::random::{Walk, mover};
use crate::common::{Mover, cases};
use pathproof::numeric::Random;
use pathproof_traffic::{
    Agent, AgentAnswer, Compound, Exactness, Finding, Method, Placement, Query, Report, Sampling, Traffic,
    TrafficScratch, Trajectory, TrajectoryTree, Verdict,
};

const SAMPLED: [fn(Sampling) -> Method; 3] = [Method::Naive, Method::Isolated, Method::Trees];

fn query(method: Method, report: Report, time_gap: f64) -> Query {
    Query { method, report, time_gap }
}

fn hulls(report: Report) -> Query {
    query(Method::Hulls(Exactness::default()), report, 0.0)
}

const ANY: Report = Report::Any { near: None };

/// Which verdict, without its evidence.
fn kind(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Free | Verdict::NoneFound => "free",
        Verdict::Collision(_) => "collision",
        Verdict::TooClose(_) => "too close",
        Verdict::Undecided(_) => "undecided",
    }
}

/// Walks of `poses` poses about the origin, some of them on grids of their own.
fn crowd(random: &mut Random, agents: usize, poses: usize, same_grid: bool) -> (Mover, Vec<Mover>) {
    let walk = |random: &mut Random, is_other: bool| {
        let (start, dt) = if is_other { (random.between(-0.5, 1.0), random.between(0.03, 0.3)) } else { (0.0, 0.1) };
        Walk { poses, start, dt, step: 1.0, turn: 0.6, around: 25.0 }
    };
    let own = walk(random, false);
    let body = mover(random, &own);
    let others = (0..agents)
        .map(|_| {
            let is_other = !same_grid && random.below(2) == 0;
            let w = walk(random, is_other);
            mover(random, &w)
        })
        .collect();
    (body, others)
}

fn traffic(movers: &[Mover]) -> Traffic {
    Traffic::new(movers.iter().enumerate().map(|(i, mover)| mover.agent(&i.to_string())).collect()).expect("all planar")
}

#[test]
fn naive_isolated_and_trees_find_exactly_the_same() {
    let mut scratch = TrafficScratch::default();
    let mut collisions = 0;
    for seed in 0..cases("PATHPROOF_SCENES", 150) {
        let mut random = Random::new(seed as u64);
        let agents = 1 + random.below(20);
        let (body, others) = crowd(&mut random, agents, 40, seed % 2 == 0);
        let traffic = traffic(&others);
        let tree = TrajectoryTree::new(Arc::new(body.compound.clone()), body.trajectory()).expect("planar");
        for sampling in [Sampling::Interpolated, Sampling::OwnTimes] {
            for gap in [0.0, 0.25] {
                let mut all: Vec<(Vec<Finding>, Verdict, Verdict)> = Vec::new();
                for method in SAMPLED {
                    let ask = |report, scratch: &mut TrafficScratch| {
                        let query = query(method(sampling), report, gap);
                        let answer = traffic.check(&body.compound, &body.trajectory(), &query, scratch).expect("good");
                        let findings = scratch.findings().to_vec();
                        let with_tree = traffic.check_tree(&tree, &Placement::HERE, &query, scratch).expect("good");
                        assert_eq!(with_tree.verdict, answer.verdict, "a tree changes no answer");
                        assert_eq!(scratch.findings(), findings);
                        answer.verdict
                    };
                    let first = ask(Report::First, &mut scratch);
                    let any = ask(ANY, &mut scratch);
                    let _ = ask(Report::All, &mut scratch);
                    all.push((scratch.findings().to_vec(), first, any));
                }
                assert_eq!(all[0], all[1], "seed {seed}: isolated, {sampling:?}, gap {gap}");
                assert_eq!(all[0], all[2], "seed {seed}: trees, {sampling:?}, gap {gap}");
                assert_eq!(all[0].1.finding(), all[0].0.first(), "the earliest is the first of all");
                for found in &all[0].0 {
                    let d = distance(&body, found.time, &others[found.agent], found.agent_time, 1.0);
                    assert!(d <= 1e-9 && found.distance <= 0.0, "no overlap at the witness: {d} {found:?}");
                }
                collisions += all[0].0.len();
            }
        }
    }
    assert!(collisions > 1_000, "the scenes are empty: {collisions}");
}

#[test]
fn hulls_are_not_free_where_a_sample_collides() {
    let mut scratch = TrafficScratch::default();
    for seed in 0..cases("PATHPROOF_SCENES", 150) {
        let mut random = Random::new(50_000 + seed as u64);
        let (body, others) = crowd(&mut random, 12, 40, seed % 2 == 0);
        let traffic = traffic(&others);
        for gap in [0.0, 0.25] {
            let sampled = query(Method::Trees(Sampling::Interpolated), Report::All, gap);
            let sampled = traffic.check(&body.compound, &body.trajectory(), &sampled, &mut scratch).expect("good");
            let found: Vec<(usize, usize)> = scratch.findings().iter().map(|f| (f.piece, f.agent)).collect();
            let exact = query(Method::Hulls(Exactness::default()), Report::All, gap);
            let exact = traffic.check(&body.compound, &body.trajectory(), &exact, &mut scratch).expect("good");
            assert!(!sampled.verdict.is_collision() || exact.verdict.is_collision(), "seed {seed}: {exact:?}");
            for (knot, agent) in found {
                let near =
                    |f: &&Finding| f.agent == agent && f.is_collision && (f.piece == knot || f.piece + 1 == knot);
                assert!(
                    scratch.findings().iter().find(near).is_some(),
                    "seed {seed}: knot {knot}, agent {agent}, gap {gap}"
                );
            }
        }
    }
}

/// The paper's Fig. 4b: the grids of two crossing cars are half a step apart, so that their flat boxes never meet.
#[test]
fn flat_boxes_at_their_own_times_miss_on_different_grids_and_hulls_do_not() {
    let car = Compound::rectangle(4.0, 2.0).expect("valid");
    let body = Trajectory::planar((0..10).map(|k| [k as f64, -18.0 + 4.0 * k as f64, 0.0, 0.0])).expect("valid");
    let other = (0..10).map(|k| [k as f64 + 0.5, 0.0, -20.0 + 4.0 * k as f64, FRAC_PI_2]);
    let agent = Agent::moving("crossing", car.clone(), Trajectory::planar(other).expect("valid")).expect("planar");
    let traffic = Traffic::new(vec![agent]).expect("planar");
    let mut scratch = TrafficScratch::default();
    let mut ask = |method| traffic.check(&car, &body, &query(method, ANY, 0.0), &mut scratch).expect("good").verdict;
    for method in SAMPLED {
        assert_eq!(ask(method(Sampling::OwnTimes)), Verdict::NoneFound);
        assert!(ask(method(Sampling::Interpolated)).is_collision());
    }
    assert!(ask(Method::Hulls(Exactness::default())).is_collision());
}

/// Two cars pass through each other between two samples of both.
#[test]
fn samples_miss_what_happens_between_them_and_hulls_do_not() {
    let car = Compound::rectangle(4.0, 2.0).expect("valid");
    let go = |from: f64, to: f64| Trajectory::planar([[0.0, from, 0.0, 0.0], [1.0, to, 0.0, 0.0]]).expect("valid");
    let traffic =
        Traffic::new(vec![Agent::moving("oncoming", car.clone(), go(10.0, -10.0)).expect("planar")]).expect("planar");
    let mut scratch = TrafficScratch::default();
    for method in SAMPLED {
        let answer =
            traffic.check(&car, &go(-10.0, 10.0), &query(method(Sampling::Interpolated), ANY, 0.0), &mut scratch);
        assert_eq!(answer.expect("good").verdict, Verdict::NoneFound);
    }
    let answer = traffic.check(&car, &go(-10.0, 10.0), &hulls(Report::First), &mut scratch).expect("good");
    let Verdict::TooClose(found) = answer.verdict else { panic!("{answer:?}") };
    // They meet when their centres are 4 m apart: after 8 m each, at t = 0.4 s.
    assert!(
        (found.time - 0.4).abs() < 1e-3 && found.free_until.is_some_and(|t| t > 0.399 && t <= found.time),
        "{found:?}"
    );
}

#[test]
fn starts_shifted_by_any_number_of_steps_are_those_of_shifted_poses() {
    let mut random = Random::new(77);
    let (body, others) = crowd(&mut random, 9, 150, true);
    let (traffic, mut scratch) = (traffic(&others), TrafficScratch::default());
    let tree = TrajectoryTree::new(Arc::new(body.compound.clone()), body.trajectory()).expect("planar");
    let mut kinds = std::collections::BTreeMap::new();
    for shift in 1..150 {
        let start = shift as f64 * 0.1;
        let shifted = Trajectory::planar(body.poses.iter().map(|&[t, x, y, h]| [t + start, x, y, h])).expect("valid");
        let placement = Placement::later(start).expect("finite");
        for report in [Report::First, Report::All] {
            let methods = SAMPLED.map(|method| method(Sampling::Interpolated));
            let naive =
                traffic.check(&body.compound, &shifted, &query(methods[0], report, 0.0), &mut scratch).expect("good");
            let naive = (naive.verdict, scratch.findings().to_vec());
            for method in methods {
                for answer in [
                    traffic.check_tree(&tree, &placement, &query(method, report, 0.0), &mut scratch).expect("good"),
                    traffic.check(&body.compound, &shifted, &query(method, report, 0.0), &mut scratch).expect("good"),
                ] {
                    assert_eq!(
                        (&answer.verdict, scratch.findings()),
                        (&naive.0, &naive.1[..]),
                        "shift {shift} {method:?}"
                    );
                }
            }
        }
        let placed = traffic.check_tree(&tree, &placement, &hulls(ANY), &mut scratch).expect("good");
        let written = traffic.check(&body.compound, &shifted, &hulls(ANY), &mut scratch).expect("good");
        assert_eq!(kind(&placed.verdict), kind(&written.verdict), "shift {shift}");
        *kinds.entry(kind(&placed.verdict)).or_insert(0) += 1;
    }
    assert!(kinds.len() > 1, "all shifts end alike: {kinds:?}");
}

#[test]
fn a_placed_tree_answers_as_its_poses_written_out() {
    let mut scratch = TrafficScratch::default();
    for seed in 0..cases("PATHPROOF_SCENES", 150) {
        let mut random = Random::new(90_000 + seed as u64);
        let (body, others) = crowd(&mut random, 10, 30, seed % 2 == 0);
        let traffic = traffic(&others);
        let tree = TrajectoryTree::new(Arc::new(body.compound.clone()), body.trajectory()).expect("planar");
        let [x, y, heading] = [random.between(-9.0, 9.0), random.between(-9.0, 9.0), random.between(-PI, PI)];
        let start = random.between(-1.0, 1.0);
        let (s, c) = heading.sin_cos();
        let place = |&[t, u, v, h]: &[f64; 4]| [t + start, x + c * u - s * v, y + s * u + c * v, h + heading];
        let written = Mover { poses: body.poses.iter().map(place).collect(), ..body.clone() };
        let placement = Placement::planar(x, y, heading, start).expect("finite");
        for method in SAMPLED
            .map(|method| method(Sampling::Interpolated))
            .into_iter()
            .chain([Method::Hulls(Exactness::default())])
        {
            let query = query(method, Report::First, 0.0);
            let placed = traffic.check_tree(&tree, &placement, &query, &mut scratch).expect("good").verdict;
            let direct =
                traffic.check(&written.compound, &written.trajectory(), &query, &mut scratch).expect("good").verdict;
            assert_eq!(kind(&placed), kind(&direct), "seed {seed} {method:?}: {placed:?} {direct:?}");
            if let (Some(a), Some(b)) = (placed.finding(), direct.finding()) {
                assert!((a.time - b.time).abs() < 1e-6 && a.agent == b.agent, "seed {seed}: {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn a_biased_order_finds_a_collision_too_and_sooner() {
    let mut scratch = TrafficScratch::default();
    let (mut plain, mut biased) = (0, 0);
    for seed in 0..cases("PATHPROOF_SCENES", 150) {
        let mut random = Random::new(7_000 + seed as u64);
        let (body, others) = crowd(&mut random, 12, 60, true);
        let traffic = traffic(&others);
        let methods = SAMPLED.map(|method| method(Sampling::Interpolated));
        for method in methods.into_iter().chain([Method::Hulls(Exactness::default())]) {
            let mut ask = |report| {
                traffic
                    .check(&body.compound, &body.trajectory(), &query(method, report, 0.0), &mut scratch)
                    .expect("good")
            };
            let without = ask(ANY);
            let hint = without.verdict.finding().map_or(3.0, |found| found.time);
            let with = ask(Report::Any { near: Some(hint) });
            assert_eq!(kind(&with.verdict) == "free", kind(&without.verdict) == "free", "seed {seed} {method:?}");
            if without.verdict.finding().is_some() {
                plain += without.statistics.pairs;
                biased += with.statistics.pairs;
            }
            let elsewhere = ask(Report::Any { near: Some(random.between(-9.0, 99.0)) });
            assert_eq!(kind(&elsewhere.verdict) == "free", kind(&without.verdict) == "free", "seed {seed} {method:?}");
        }
    }
    assert!(4 * biased < plain, "{biased} pairs with the hint, {plain} without");
}

#[test]
fn rebuilt_traffic_answers_as_traffic_made_anew() {
    let mut scratch = TrafficScratch::default();
    let mut kept = Traffic::new(Vec::new()).expect("nothing is wrong with none");
    for seed in 0..40 {
        let mut random = Random::new(300 + seed);
        let (agents, poses) = (1 + random.below(20), 20 + random.below(30));
        let (body, others) = crowd(&mut random, agents, poses, seed % 2 == 0);
        let agents: Vec<Agent> = others.iter().enumerate().map(|(i, other)| other.agent(&i.to_string())).collect();
        kept.rebuild(|old| *old = agents.clone()).expect("all planar");
        let new = Traffic::new(agents).expect("all planar");
        for method in [Method::Trees(Sampling::Interpolated), Method::Hulls(Exactness::default())] {
            let query = query(method, Report::First, 0.1);
            let mut ask = |traffic: &Traffic| traffic.check(&body.compound, &body.trajectory(), &query, &mut scratch);
            assert_eq!(ask(&kept), ask(&new), "seed {seed}");
        }
    }
}

#[test]
fn every_agent_that_moves_is_compared_with_all_others_and_none_at_rest_with_another() {
    let square = Compound::rectangle(1.0, 1.0).expect("valid");
    let at = |x: f64| Trajectory::planar([[0.0, x, 0.0, 0.0], [1.0, x, 0.0, 0.0]]).expect("valid");
    let still = |x: f64| Trajectory::planar([[0.0, x, 0.0, 0.0]]).expect("valid");
    let moving = |name: &str, x: f64| Agent::moving(name, square.clone(), at(x)).expect("planar");
    let resting = |name: &str, x: f64| Agent::at_rest(name, square.clone(), still(x)).expect("planar");
    let agents = vec![resting("r0", 0.0), moving("m1", 0.2), resting("r2", 0.4), moving("m3", 0.6), moving("m4", 50.0)];
    let (traffic, mut scratch) = (Traffic::new(agents).expect("planar"), TrafficScratch::default());
    for method in [
        Method::Naive(Sampling::Interpolated),
        Method::Trees(Sampling::Interpolated),
        Method::Hulls(Exactness::default()),
    ] {
        let mut pairs = Vec::new();
        for agent in 0..5 {
            let answer = traffic.check_agent(agent, &query(method, Report::All, 0.0), &mut scratch);
            assert_eq!(answer.is_err(), traffic.agents()[agent].is_at_rest(), "{answer:?}");
            if answer.is_ok() {
                pairs.extend(scratch.findings().iter().map(|found| (agent, found.agent)));
            }
        }
        let distinct: std::collections::BTreeSet<_> = pairs.into_iter().collect();
        let expected = [(1, 0), (1, 2), (1, 3), (3, 0), (3, 1), (3, 2)];
        assert_eq!(distinct.into_iter().collect::<Vec<_>>(), expected, "{method:?}");
    }
}

/// Answers about all agents, made to agree.
fn among_each_other(traffic: &Traffic, query: &Query, scratch: &mut TrafficScratch) -> Vec<AgentAnswer> {
    let asked = query.among_agents();
    let mut answers: Vec<AgentAnswer> = (0..traffic.agents().len())
        .map(|agent| {
            let answer = traffic.check_agent(agent, &asked, scratch).expect("all move");
            let findings = if asked.report == Report::All { scratch.findings().to_vec() } else { Vec::new() };
            AgentAnswer { agent, answer, findings }
        })
        .collect();
    traffic.agree(query, &mut answers);
    answers
}

/// Once each pair was told on the line of the agent listed first, and the other was called free. What one agent finds of
/// another is told of both, whatever the method, the report and the order, with times and parts the right way round.
#[test]
fn what_one_agent_finds_of_another_is_told_of_both() {
    let mut scratch = TrafficScratch::default();
    let (mut found, mut from_the_other_side) = (0, 0);
    for seed in 0..40 {
        let mut random = Random::new(900 + seed);
        let (agents, poses) = (2 + random.below(10), 5 + random.below(20));
        let (_, mut movers) = crowd(&mut random, agents, poses, seed % 3 == 0);
        if seed % 2 == 0 {
            movers.reverse();
        }
        let traffic = traffic(&movers);
        for method in [
            Method::Naive(Sampling::Interpolated),
            Method::Trees(Sampling::OwnTimes),
            Method::Hulls(Exactness::default()),
        ] {
            for (report, gap) in [(ANY, 0.0), (Report::First, 0.0), (Report::All, 0.0), (ANY, 0.3), (Report::All, 0.3)]
            {
                let query = query(method, report, gap);
                let answers = among_each_other(&traffic, &query, &mut scratch);
                for own in &answers {
                    assert!(report == Report::All || own.findings.is_empty());
                    for finding in own.answer.verdict.finding().into_iter().chain(&own.findings) {
                        let other = &answers[finding.agent];
                        assert!(other.answer.verdict.finding().is_some(), "seed {seed}: {query:?} {own:?} {other:?}");
                        assert!((finding.time - finding.agent_time).abs() <= gap + 1e-9);
                        let [ours, theirs] = [own.agent, finding.agent].map(|agent| &movers[agent]);
                        let apart = distance(ours, finding.time, theirs, finding.agent_time, 1.0);
                        assert!(apart <= finding.distance.max(0.0) + 1e-9, "seed {seed}: {apart} {finding:?}");
                        found += 1;
                    }
                    let told = |finding: &&Finding| finding.agent == own.agent;
                    if report == Report::All {
                        let of_others = answers.iter().any(|other| other.findings.iter().any(|found| told(&found)));
                        assert_eq!(of_others, !own.findings.is_empty(), "seed {seed}: {query:?}");
                    }
                    let knots = movers[own.agent].trajectory();
                    let is_knot = |time: f64| knots.times().iter().any(|knot| (knot - time).abs() < 1e-9);
                    from_the_other_side += own.findings.iter().filter(|finding| !is_knot(finding.time)).count();
                    for finding in &own.findings {
                        let times = knots.times();
                        let last = times[(finding.piece + 1).min(times.len() - 1)];
                        assert!(
                            times[finding.piece] <= finding.time + 1e-9 && finding.time <= last + 1e-9,
                            "{finding:?}"
                        );
                    }
                }
            }
        }
    }
    assert!(found > 100 && from_the_other_side > 10, "{found} {from_the_other_side}");
}

#[test]
fn the_earliest_finding_and_what_is_proven_before_it_agree_from_either_side() {
    let square = Compound::rectangle(1.0, 1.0).expect("valid");
    let moving = |name: &str, poses: [[f64; 4]; 2]| {
        Agent::moving(name, square.clone(), Trajectory::planar(poses).expect("valid")).expect("planar")
    };
    let across = moving("across", [[0.0, -5.0, 0.0, 0.0], [1.0, 5.0, 0.0, 0.0]]);
    let along = moving("along", [[0.0, 0.0, -5.0, 0.0], [1.0, 0.0, 5.0, 0.0]]);
    let mut scratch = TrafficScratch::default();
    for agents in [vec![across.clone(), along.clone()], vec![along, across]] {
        let traffic = Traffic::new(agents).expect("planar");
        for time_gap in [0.0, 0.2] {
            let query = query(Method::Hulls(Exactness::default()), Report::First, time_gap);
            for answered in among_each_other(&traffic, &query, &mut scratch) {
                let finding = answered.answer.verdict.finding().expect("they meet");
                // Neither is at the crossing before it is 1 m from it, whatever the gap.
                assert!((finding.time - 0.4).abs() < 1e-3, "{finding:?}");
                let until = finding.free_until.expect("with the earliest");
                assert!(until <= finding.time && finding.time - until < 0.01, "{finding:?}");
                assert_eq!(finding.agent, 1 - answered.agent);
            }
        }
    }
}
