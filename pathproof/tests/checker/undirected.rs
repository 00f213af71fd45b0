//! Edges that need not meet, each known in either direction: the answers are those of their segments, nothing is probed
//! twice, and bodies inside of others are found at every edge.

use crate::common::random::{prepare, quaternions, random_segment, random_world};
use crate::common::{Form, World, at, box_mesh, finding, word};
use pathproof::check::{CheckScratch, Settings, Statistics};
use pathproof::numeric::{DVec3, Pose, Random};
use pathproof::robot::JointKind;
use rayon::prelude::*;

const SLIDE_X: JointKind = JointKind::Prismatic { axis: DVec3::X };

/// Of all edges asked together and of each asked alone and backwards: how many sets were free.
fn run_world(number: usize) -> [usize; 2] {
    let mut random = Random::new(0xED6E_0000 + number as u64);
    let mut world = random_world(&mut random, number);
    prepare(&mut world, &mut random);
    let checker = world.checker();
    let quaternions = quaternions(&world);
    let mut scratch = CheckScratch::new(&checker).with_edge_cache(64 << 20);
    let settings = Settings::default();
    let mut counts = [0; 2];
    for _ in 0..20 {
        let ends: Vec<[Vec<f64>; 2]> =
            (0..1 + random.below(3)).map(|_| random_segment(&mut random, &world, &quaternions)).collect();
        let edges: Vec<[&[f64]; 2]> = ends.iter().map(|[a, b]| [&a[..], &b[..]]).collect();
        let turned: Vec<[&[f64]; 2]> = edges.iter().map(|[a, b]| [*b, *a]).collect();
        let there = checker.edges(&edges, &settings, &mut scratch).unwrap();
        let back = checker.edges(&turned, &settings, &mut scratch).unwrap();
        // Pairs that the balls of clusters keep apart count as queries each time; nothing else is done again.
        let Statistics { volume_tests, triangle_tests, bisections, .. } = back.statistics;
        assert_eq!([volume_tests, triangle_tests, bisections], [0; 3], "world {number}: nothing is probed again");
        assert_eq!(word(&there.verdict), word(&back.verdict), "world {number}");
        if let (Some(one), Some(other)) = (finding(&there.verdict), finding(&back.verdict)) {
            assert_eq!((one.segment, &one.configuration, one.t), (other.segment, &other.configuration, 1.0 - other.t));
            let [a, b] = edges[one.segment];
            let on_line = a.iter().zip(b).zip(&one.configuration).enumerate();
            for (i, ((a, b), q)) in on_line.filter(|(i, _)| !quaternions.iter().any(|f| (*f..f + 4).contains(i))) {
                assert!((a + one.t * (b - a) - q).abs() < 1e-9, "world {number}, variable {i}");
            }
        }
        let is_free = |a: &[f64], b: &[f64]| {
            word(&checker.segment(a, b, &settings, &mut CheckScratch::new(&checker)).unwrap().verdict) == "free"
        };
        // In one of both directions, each is what the segment alone is.
        let alone = edges.iter().all(|[a, b]| is_free(a, b) || is_free(b, a));
        if word(&there.verdict) == "free" {
            assert!(alone, "world {number}: free together, not alone");
        }
        counts[usize::from(word(&there.verdict) == "free")] += 1;
    }
    counts
}

#[test]
fn edges_are_the_same_in_either_direction() {
    let counts = (0..40).into_par_iter().map(run_world).reduce(|| [0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
    println!("{counts:?}");
    assert!(counts.iter().all(|count| *count > 80), "one-sided: {counts:?}");
}

/// A path is outside of a solid where it starts outside and crosses no surface; edges that do not meet each need a look.
#[test]
fn an_edge_inside_a_solid_is_found_wherever_it_stands_in_the_list() {
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "ball", SLIDE_X, Pose::IDENTITY);
    world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.01));
    world.thing("house", "world", at(5.0, 0.0, 0.0), box_mesh([1.0, 1.0, 1.0]));
    let checker = world.checker();
    let ask = |edges: &[[&[f64]; 2]]| {
        let answer = checker.edges(edges, &Settings::default(), &mut CheckScratch::new(&checker)).unwrap();
        (word(&answer.verdict), finding(&answer.verdict).map(|found| found.segment))
    };
    let (outside, inside): ([&[f64]; 2], [&[f64]; 2]) = ([&[0.0], &[1.0]], [&[4.9], &[5.1]]);
    assert_eq!(ask(&[outside]), ("free", None));
    assert_eq!(ask(&[inside]), ("collision", Some(0)));
    assert_eq!(ask(&[outside, outside, inside]), ("collision", Some(2)));
}
