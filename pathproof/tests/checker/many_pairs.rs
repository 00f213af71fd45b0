//! Where there are many pairs most are settled at once, by clusters of groups: the answers are those that every pair by
//! itself gives.

use crate::common::{Form, World, at, box_mesh, word};
use pathproof::check::{CheckScratch, Report, Settings, Verdict};
use pathproof::numeric::{DVec3, Pose, Random};
use pathproof::robot::JointKind;
use rayon::prelude::*;

const LINKS: usize = 18;

/// Chains of balls, 0.15 m from joint to joint, beside each other; and balls among them.
fn chains(random: &mut Random, count: usize) -> World {
    let mut world = World::new([0.0, 0.01][random.below(2)], 1e-5);
    for chain in 0..count {
        let mut parent = "world".to_owned();
        for link in 0..LINKS / count {
            let name = format!("{chain} {link}");
            let offset = if link == 0 { at(0.5 * chain as f64, 0.0, 0.0) } else { at(0.0, 0.0, 0.15) };
            let axis = [DVec3::X, DVec3::Y][link % 2];
            world.link(&parent, &name, JointKind::Revolute { axis }, offset);
            world.thing(&name, &name, at(0.0, 0.0, 0.07), Form::Ball(0.05));
            parent = name;
        }
    }
    for number in 0..4 {
        let place = [0; 3].map(|_| random.between(-1.0, 1.0));
        world.thing(&format!("post {number}"), "world", at(place[0], place[1], place[2]), Form::Ball(0.1));
    }
    world
}

/// How many segments were free, and how many were not.
fn run_world(number: usize) -> [usize; 2] {
    let mut random = Random::new(0xC1A5_0000 + number as u64);
    let checker = chains(&mut random, 1 + number % 3).checker();
    assert!(checker.scene().pairs().len() >= 150, "many pairs");
    let mut scratch = CheckScratch::new(&checker);
    let mut counts = [0; 2];
    for _ in 0..25 {
        let reach = [0.05, 0.3][random.below(2)];
        let start: Vec<f64> = (0..LINKS).map(|_| random.between(-0.6, 0.6)).collect();
        let goal: Vec<f64> = start.iter().map(|q| q + random.between(-reach, reach)).collect();
        let any = checker.segment(&start, &goal, &Settings::default(), &mut scratch).unwrap();
        // Every finding is asked for without clusters.
        let all = Settings { report: Report::All, ..Settings::default() };
        let all = checker.segment(&start, &goal, &all, &mut scratch).unwrap();
        if matches!(any.verdict, Verdict::Free(_)) {
            assert_ne!(word(&all.verdict), "collision", "world {number}");
        }
        if matches!(all.verdict, Verdict::Free(_)) {
            assert_ne!(word(&any.verdict), "collision", "world {number}");
        }
        counts[usize::from(word(&any.verdict) == "free")] += 1;
    }
    counts
}

#[test]
fn clusters_change_no_answer() {
    let counts = (0..60).into_par_iter().map(run_world).reduce(|| [0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
    println!("{counts:?}");
    assert!(counts.iter().all(|count| *count > 150), "one-sided: {counts:?}");
}

/// Pairs that balls keep apart are not asked whether one is inside of the other: those that are must not be among them.
#[test]
fn a_body_inside_of_another_is_found_among_many_pairs() {
    let mut world = World::new(0.0, 1e-3);
    for chain in 0..2 {
        let mut parent = "world".to_owned();
        for link in 0..9 {
            let name = format!("{chain} {link}");
            let offset = if link == 0 { at(3.0 * chain as f64, 0.0, 0.0) } else { at(0.0, 0.0, 0.3) };
            world.link(&parent, &name, JointKind::Revolute { axis: DVec3::X }, offset);
            world.thing(&name, &name, Pose::IDENTITY, Form::Ball(0.05));
            parent = name;
        }
    }
    world.thing("house", "world", at(3.0, 0.0, 2.4), box_mesh([1.0, 1.0, 1.0]));
    let checker = world.checker();
    assert!(checker.scene().pairs().len() >= 128, "many pairs");
    let (start, mut goal) = (vec![0.0; 18], vec![0.0; 18]);
    goal[17] = 0.1;
    let answer = checker.segment(&start, &goal, &Settings::default(), &mut CheckScratch::new(&checker)).unwrap();
    assert_eq!(word(&answer.verdict), "collision");
}
