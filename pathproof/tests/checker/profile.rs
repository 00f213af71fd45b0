//! Clearance profiles: closed forms, tiling, and sampling as a one-way oracle: no sampled distance is below `lower`, and
//! `upper` is attained where it is said to be, by an oracle that knows nothing of the library.

use std::f64::consts::PI;

use crate::common::{Form, Oracle, Thing, World, at, box_mesh, inside_out, joined, opened, torus};
use pathproof::check::{CheckScratch, Free, Limit, Profile, ProfilePiece, Settings, SmallestDistance};
use pathproof::numeric::{DVec3, Pose, Random};
use pathproof::path::{Motion, Version};
use pathproof::robot::JointKind;
use pathproof::scene::PerKind;

/// How far the oracle may be off.
const KNOWN: f64 = 2e-7;

fn slide(axis: DVec3) -> JointKind {
    JointKind::Prismatic { axis }
}

fn turn(axis: DVec3) -> JointKind {
    JointKind::Revolute { axis }
}

fn profile_of(world: &World, path: &[Vec<f64>], settings: &Settings) -> Profile {
    let checker = world.checker();
    checker.profile(&Motion::lines(path), settings, &mut CheckScratch::new(&checker), &mut |_| {}).expect("a path")
}

fn smallest_of(world: &World, path: &[Vec<f64>], settings: &Settings) -> SmallestDistance {
    let checker = world.checker();
    checker
        .smallest_distance(&Motion::lines(path), settings, &mut CheckScratch::new(&checker))
        .expect("a path")
        .overall()
        .expect("pairs")
}

/// Pieces of a pair tile [0, 1] on every segment, in order, and their bounds are in order and near enough.
fn assert_well_formed(world: &World, segments: usize, profile: &Profile, gap: f64) {
    let pairs = world.scene().pairs().len();
    let mut runs = 0;
    let mut rest = &profile.pieces[..];
    while let Some(first) = rest.first() {
        let same = |p: &ProfilePiece| p.segment == first.segment && p.bodies == first.bodies;
        let (run, after) = rest.split_at(rest.iter().position(|p| !same(p)).unwrap_or(rest.len()));
        assert_eq!((run[0].interval[0], run[run.len() - 1].interval[1]), (0.0, 1.0));
        assert!(run.windows(2).all(|two| two[0].interval[1] == two[1].interval[0]), "{run:?}");
        for piece in run {
            let [from, to] = piece.interval;
            assert!(from < to && (from..=to).contains(&piece.t_upper), "{piece:?}");
            assert!(piece.lower <= piece.upper && piece.upper - piece.lower <= gap, "{piece:?}");
        }
        (rest, runs) = (after, runs + 1);
    }
    assert_eq!(runs, pairs * segments);
}

/// What sampling says against a profile: nothing, or a panic.
fn assert_not_refuted(world: &World, path: &[Vec<f64>], profile: &Profile, samples: usize) {
    assert_lower_not_refuted(world, path, &profile.pieces, samples);
    let scene = world.scene();
    let oracle = Oracle::new(world, &scene);
    for piece in &profile.pieces {
        // parry's depth of curved shapes is an iteration that may end early: it is checked where bodies are apart.
        let d = sampled(world, &oracle, path, piece, piece.t_upper);
        assert!(d <= piece.upper + KNOWN && (d >= piece.upper - 1e-6 || d < 0.0), "{d:e}: {piece:?}");
    }
}

/// The same against lower bounds alone.
fn assert_lower_not_refuted(world: &World, path: &[Vec<f64>], pieces: &[ProfilePiece], samples: usize) {
    let scene = world.scene();
    let oracle = Oracle::new(world, &scene);
    for piece in pieces {
        let [from, to] = piece.interval;
        for i in 0..=samples {
            let t = from + (to - from) * i as f64 / samples as f64;
            let d = sampled(world, &oracle, path, piece, t);
            assert!(piece.lower <= d + KNOWN, "{d:e} at {t}: {piece:?}");
        }
    }
}

/// The distance of a piece's pair at one place, by the oracle.
fn sampled(world: &World, oracle: &Oracle, path: &[Vec<f64>], piece: &ProfilePiece, t: f64) -> f64 {
    let is_convex = |body: usize| !world.things[body].parts.iter().any(|(_, form)| matches!(form, Form::Mesh(..)));
    let [a, b] = piece.bodies;
    let is_signed = is_convex(a) && is_convex(b);
    let links = oracle.links(&oracle.interpolate(&path[piece.segment], &path[piece.segment + 1], t));
    let apart = oracle.distance(&links, a, b, f64::INFINITY, is_signed);
    if !is_signed && oracle.is_contained(&links, a, b) { 0.0 } else { apart }
}

/// A ball that slides past another.
fn passing(offset: f64, tolerance: f64) -> World {
    let mut world = World::new(0.0, tolerance);
    world.link("world", "slider", slide(DVec3::X), Pose::IDENTITY);
    world.thing("ball", "slider", at(0.0, 0.0, 0.0), Form::Ball(0.1));
    world.thing("post", "world", at(0.0, offset, 0.0), Form::Ball(0.2));
    world
}

#[test]
fn a_ball_that_passes_a_ball_is_nearest_where_mathematics_says() {
    for (offset, tolerance, gap) in [(0.5, 1e-3, 1e-3), (0.31, 1e-4, 1e-4), (0.7, 0.0, 1e-6), (0.3, 1e-3, 1e-3)] {
        let world = passing(offset, tolerance);
        // The nearest place, x = 0, is at t = 1/3 of the second segment.
        let path = [vec![-1.0], vec![-0.2], vec![0.4]];
        let profile = profile_of(&world, &path, &Settings::default());
        assert_well_formed(&world, 2, &profile, gap);
        assert_not_refuted(&world, &path, &profile, 20);
        let nearest = profile.nearest().unwrap();
        let (true_least, margin) = (offset - 0.3, 1e-9);
        assert!(profile.lower() <= true_least + margin && true_least - margin <= nearest.upper, "{nearest:?}");
        assert!(profile.lower() >= true_least - gap - margin && profile.limit.is_none());
        assert_eq!(nearest.segment, 1);
        assert!((nearest.t_upper - 1.0 / 3.0).abs() < 0.1, "{nearest:?}");
    }
}

#[test]
fn balls_that_overlap_have_their_depth() {
    let world = passing(0.25, 1e-3);
    let path = [vec![-1.0], vec![1.0]];
    let profile = profile_of(&world, &path, &Settings::default());
    assert_well_formed(&world, 1, &profile, 1e-3);
    assert_not_refuted(&world, &path, &profile, 50);
    let nearest = profile.nearest().unwrap();
    assert!((nearest.upper + 0.05).abs() < 1e-3 && (profile.lower() + 0.05).abs() < 1e-3, "{nearest:?}");
    // Contact is told apart from what comes before and after it.
    let touching = (0.3f64 * 0.3 - 0.25 * 0.25).sqrt();
    let is_negative = |piece: &&ProfilePiece| piece.upper < 0.0;
    let from = profile.pieces.iter().find(is_negative).unwrap().interval[0] * 2.0 - 1.0;
    let to = profile.pieces.iter().rfind(is_negative).unwrap().interval[1] * 2.0 - 1.0;
    assert!((from + touching).abs() < 0.01 && (to - touching).abs() < 0.01, "{from} {to}");
}

#[test]
fn a_rod_that_turns_past_a_ball_is_nearest_where_it_points_at_it() {
    let mut world = World::new(0.0, 1e-4);
    world.link("world", "hub", turn(DVec3::Z), Pose::IDENTITY);
    world.thing("rod", "hub", at(0.5, 0.0, 0.0), Form::Cuboid([1.0, 0.02, 0.02]));
    world.thing("ball", "world", at(0.0, 1.3, 0.0), Form::Ball(0.1));
    let path = [vec![0.0], vec![PI]];
    let profile = profile_of(&world, &path, &Settings::default());
    assert_well_formed(&world, 1, &profile, 1e-4);
    assert_not_refuted(&world, &path, &profile, 200);
    let nearest = profile.nearest().unwrap();
    // An edge of the rod's end points at the ball.
    let truth = 1.2 - (1.0f64 + 0.01 * 0.01).sqrt();
    assert!((nearest.t_upper - 0.5).abs() < 0.02, "{nearest:?}");
    assert!(nearest.upper >= truth - 1e-9 && profile.lower() <= truth && profile.lower() >= truth - 1e-4 - 1e-9);
}

#[test]
fn a_rod_that_turns_about_its_own_axis_keeps_one_piece() {
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "hub", turn(DVec3::Z), Pose::IDENTITY);
    world.thing("rod", "hub", Pose::IDENTITY, Form::Cylinder(0.1, 1.0));
    world.thing("ball", "world", at(0.5, 0.0, 0.0), Form::Ball(0.1));
    let profile = profile_of(&world, &[vec![0.0], vec![6.0]], &Settings::default());
    assert_eq!(profile.pieces.len(), 1);
    assert!((profile.pieces[0].upper - 0.3).abs() < 1e-6, "{profile:?}");
}

#[test]
fn meshes_in_contact_and_inside_have_distance_0() {
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "slider", slide(DVec3::X), Pose::IDENTITY);
    world.thing("small", "slider", Pose::IDENTITY, box_mesh([0.1; 3]));
    world.thing("room", "world", at(2.0, 0.0, 0.0), box_mesh([1.0; 3]));
    // From outside through the wall into the room, whose walls are up to 0.45 m away there.
    let path = [vec![0.0], vec![2.0]];
    let profile = profile_of(&world, &path, &Settings::default());
    assert_well_formed(&world, 1, &profile, 1e-3);
    assert_not_refuted(&world, &path, &profile, 50);
    let inside = profile.pieces.last().unwrap();
    assert_eq!((inside.lower, inside.upper), (0.0, 0.0));
    assert!((inside.interval[0] * 2.0 - 1.45).abs() < 0.01, "{inside:?}");
    // Inside from the start on.
    let path = [vec![1.9], vec![2.1]];
    let profile = profile_of(&world, &path, &Settings::default());
    assert_eq!(profile.pieces.len(), 1);
    assert_eq!((profile.pieces[0].lower, profile.pieces[0].upper), (0.0, 0.0));
    // In a cavity it is outside of the solid.
    world.things[1].parts[0].1 = joined(box_mesh([1.2; 3]), inside_out(box_mesh([1.0; 3])));
    let profile = profile_of(&world, &path, &Settings::default());
    assert!((profile.lower() - 0.35).abs() < 1e-3 + 1e-6, "{profile:?}");
}

#[test]
fn a_limit_leaves_wider_bounds_that_hold() {
    let world = arm(&mut Random::new(5), 4, true);
    let path = [vec![0.0; 4], vec![1.0, -1.0, 0.5, 2.0]];
    for most in [0, 10, 100] {
        let settings = Settings { max_queries: Some(most), ..Settings::default() };
        let profile = profile_of(&world, &path, &settings);
        assert_eq!(profile.limit, Some(Limit::Queries));
        assert_well_formed(&world, 1, &profile, 100.0);
        assert_not_refuted(&world, &path, &profile, 100);
    }
}

#[test]
fn a_single_waypoint_has_a_profile() {
    let world = passing(0.5, 0.0);
    let profile = profile_of(&world, &[vec![0.3]], &Settings::default());
    let truth = (0.25f64 + 0.09).sqrt() - 0.3;
    assert_eq!(profile.pieces.len(), 1);
    let piece = profile.pieces[0];
    assert!(piece.lower <= truth && truth <= piece.upper && piece.upper - piece.lower < 1e-6, "{piece:?}");
}

/// A page once said that a path was free with 20 mm of clearance and at least 19.96 mm apart, both proven.
#[test]
fn a_proof_that_a_path_is_free_raises_the_bounds_of_its_profile() {
    let world = passing(0.5, 0.1);
    let mut profile = profile_of(&world, &[vec![-0.7], vec![0.7]], &Settings::default());
    let before = profile.clone();
    let scene = world.scene();
    let clearance = scene.pairs()[0].clearance;
    profile.raise(&scene, &Free { lower: PerKind::splat(f64::NEG_INFINITY) });
    assert!(profile.pieces.iter().zip(&before.pieces).all(|(now, then)| now.lower == then.lower.max(clearance)));
    let proven = before.lower() + 1e-5;
    profile.raise(&scene, &Free { lower: PerKind::splat(proven) });
    for (now, then) in profile.pieces.iter().zip(&before.pieces) {
        assert_eq!((now.lower, now.upper), (then.lower.max(clearance).max(proven), then.upper));
    }
    profile.raise(&scene, &Free { lower: PerKind::splat(f64::NAN) });
    assert_eq!(profile.lower(), proven.max(clearance));
}

/// A chain of boxes among obstacles of all kinds.
fn arm(random: &mut Random, joints: usize, is_convex: bool) -> World {
    let mut world = World::new(0.0, [1e-3, 1e-2, 0.0][random.below(3)]);
    let mut parent = "world".to_owned();
    for i in 0..joints {
        let link = format!("l{i}");
        let kind = if random.below(4) == 0 { slide(random.direction()) } else { turn(random.direction()) };
        world.link(&parent, &link, kind, if i == 0 { Pose::IDENTITY } else { at(0.4, 0.0, 0.0) });
        let form = if is_convex || random.below(2) == 0 {
            Form::Cuboid([0.3, 0.08, 0.05])
        } else {
            box_mesh([0.3, 0.08, 0.05])
        };
        world.things.push(Thing { name: link.clone(), link: link.clone(), parts: vec![(at(0.2, 0.0, 0.0), form)] });
        parent = link;
    }
    for i in 0..3 {
        let place = Pose { translation: random.direction() * random.between(0.3, 1.2), ..random.pose(0.0) };
        let form = match random.below(if is_convex { 3 } else { 6 }) {
            0 => Form::Ball(0.2),
            1 => Form::Capsule(0.02, 0.6),
            2 => Form::Cuboid([0.5, 0.3, 0.001]),
            3 => box_mesh([0.4, 0.3, 0.2]),
            4 => opened(box_mesh([0.4, 0.3, 0.2])),
            _ => torus(0.3, 0.06, 10, 6),
        };
        world.thing(&format!("o{i}"), "world", place, form);
    }
    if random.below(2) == 0 {
        world.thing("ground", "world", at(0.0, 0.0, -0.6), Form::Plane(DVec3::Z));
    }
    world
}

#[test]
fn no_sample_is_below_a_lower_bound() {
    let (mut contacts, mut apart) = (0, 0);
    for number in 0..40 {
        let mut random = Random::new(77 + number);
        let joints = 1 + random.below(5);
        let world = arm(&mut random, joints, number % 2 == 0);
        let gap = world.tolerance.max(1e-6);
        let mut q = || (0..joints).map(|_| random.between(-1.0, 1.0)).collect::<Vec<f64>>();
        let path = [q(), q(), q()];
        let profile = profile_of(&world, &path, &Settings::default());
        // The depth of overlapping curved pieces is known to less than the gap of 1 µm.
        assert_well_formed(&world, 2, &profile, if gap < 1e-4 { 1e-4 } else { gap });
        assert_not_refuted(&world, &path, &profile, 40);
        contacts += usize::from(profile.lower() <= 0.0);
        apart += usize::from(profile.lower() > 0.0);
    }
    assert!(contacts > 5 && apart > 5, "one-sided: {contacts} in contact, {apart} apart");
}

/// A bound that is as wide as the motion allows: a plate that turns away from where it is looked at.
#[test]
fn the_bound_between_places_that_are_looked_at_holds() {
    let mut world = World::new(0.0, 0.05);
    world.link("world", "hub", turn(DVec3::Z), Pose::IDENTITY);
    world.thing("rod", "hub", at(0.5, 0.0, 0.0), Form::Cuboid([1.0, 0.02, 0.02]));
    for i in 0..8 {
        let angle = 0.1 + 0.37 * f64::from(i);
        world.thing(
            &format!("wire {i}"),
            "world",
            at(0.95 * angle.cos(), 0.95 * angle.sin(), 0.0),
            Form::Cylinder(1e-3, 1.0),
        );
    }
    let path = [vec![0.0], vec![PI]];
    let profile = profile_of(&world, &path, &Settings::default());
    assert_well_formed(&world, 1, &profile, 0.05);
    assert_not_refuted(&world, &path, &profile, 400);
}

/// The finer the tolerance, the more queries a minimum takes, but only a few for each piece that is written. It once took
/// a minute for a segment that the checker decides in a third of a millisecond.
#[test]
fn work_is_proportional_to_what_is_written() {
    let mut random = Random::new(0x9205);
    let (mut worst, mut queries, mut tests) = (0.0, 0, 0);
    for case in 0..24 {
        let mut world = arm(&mut random, 1 + case % 5, case % 3 == 0);
        let q = |random: &mut Random, world: &World| {
            world.model().variables().iter().map(|_| random.between(-1.0, 1.0)).collect::<Vec<f64>>()
        };
        let path = [q(&mut random, &world), q(&mut random, &world)];
        for tolerance in [1e-2, 1e-3, 1e-4, 1e-5] {
            world.tolerance = tolerance;
            let profile = profile_of(&world, &path, &Settings::default());
            let share = profile.statistics.distance_queries as f64 / profile.pieces.len() as f64;
            worst = f64::max(worst, share);
            (queries, tests) =
                (queries + profile.statistics.distance_queries, tests + profile.statistics.triangle_tests);
            println!("{case} {tolerance:e} {} pieces {:?}", profile.pieces.len(), profile.statistics);
        }
    }
    println!("{worst} queries per piece at most; {tests} tests in {queries} queries");
    assert!(worst < 400.0 && tests < 60 * queries);
}

/// The smallest distance of a path against its profile, which samples have not refuted, and against samples of its own.
fn assert_smallest(world: &World, path: &[Vec<f64>], gap: f64) -> SmallestDistance {
    let profile = profile_of(world, path, &Settings::default());
    let found = smallest_of(world, path, &Settings::default());
    let (lower, upper) = (found.lower, found.nearest.distance);
    assert!(lower <= upper && upper - lower <= gap, "{found:?}");
    assert!(lower <= profile.nearest().unwrap().upper && profile.lower() <= upper, "{found:?}");
    // One piece over each segment that claims the bound for every pair.
    let segments = (path.len() - 1).max(1);
    let claim = |segment, pair: &pathproof::scene::CheckedPair| {
        let bodies = [pair.a, pair.b];
        ProfilePiece { segment, interval: [0.0, 1.0], bodies, lower, upper, t_upper: 0.0, version: Version::Newest }
    };
    let scene = world.scene();
    let pieces = (0..segments).flat_map(|segment| scene.pairs().iter().map(move |pair| claim(segment, pair)));
    assert_lower_not_refuted(world, path, &pieces.collect::<Vec<_>>(), 40);
    // The upper bound is attained where it is said to be.
    let finding = &found.nearest;
    let here = ProfilePiece {
        version: Version::Newest,
        segment: finding.segment,
        interval: [finding.t; 2],
        bodies: finding.bodies,
        lower: f64::NEG_INFINITY,
        upper,
        t_upper: finding.t,
    };
    let profile = Profile { pieces: vec![here], limit: None, statistics: found.statistics };
    assert_not_refuted(world, path, &profile, 1);
    found
}

#[test]
fn the_smallest_distance_is_where_mathematics_says() {
    for (offset, tolerance, gap) in [(0.5, 1e-3, 1e-3), (0.31, 1e-4, 1e-4), (0.7, 0.0, 1e-6), (0.25, 1e-3, 1e-3)] {
        let world = passing(offset, tolerance);
        let found = assert_smallest(&world, &[vec![-1.0], vec![-0.2], vec![0.4]], gap);
        let truth = offset - 0.3;
        assert!(found.lower <= truth + 1e-9 && truth - 1e-9 <= found.nearest.distance, "{found:?}");
        assert!(found.nearest.segment == 1 && (found.nearest.t - 1.0 / 3.0).abs() < 0.1, "{found:?}");
    }
    // One configuration alone.
    let found = smallest_of(&passing(0.5, 0.0), &[vec![0.3]], &Settings::default());
    let truth = (0.25f64 + 0.09).sqrt() - 0.3;
    assert!(found.lower <= truth && truth <= found.nearest.distance && found.nearest.distance - found.lower < 1e-6);
}

#[test]
fn the_smallest_distance_of_meshes_in_contact_or_inside_is_0() {
    let mut world = World::new(0.0, 1e-3);
    world.link("world", "slider", slide(DVec3::X), Pose::IDENTITY);
    world.thing("small", "slider", Pose::IDENTITY, box_mesh([0.1; 3]));
    world.thing("room", "world", at(2.0, 0.0, 0.0), box_mesh([1.0; 3]));
    for path in [[vec![0.0], vec![2.0]], [vec![1.9], vec![2.1]]] {
        let found = smallest_of(&world, &path, &Settings::default());
        assert_eq!(found.lower, 0.0);
        assert!((0.0..=1e-3).contains(&found.nearest.distance), "{found:?}");
    }
    // In a cavity it is outside of the solid.
    world.things[1].parts[0].1 = joined(box_mesh([1.2; 3]), inside_out(box_mesh([1.0; 3])));
    let found = smallest_of(&world, &[vec![1.9], vec![2.1]], &Settings::default());
    assert!((found.lower - 0.35).abs() < 1e-3 + 1e-6 && found.nearest.distance >= 0.35 - 1e-9, "{found:?}");
}

#[test]
fn no_sample_is_below_the_smallest_distance_and_a_limit_keeps_it_true() {
    let (mut contacts, mut apart) = (0, 0);
    for number in 0..24 {
        let mut random = Random::new(977 + number);
        let joints = 1 + random.below(5);
        let world = arm(&mut random, joints, number % 2 == 0);
        let mut q = || (0..joints).map(|_| random.between(-1.0, 1.0)).collect::<Vec<f64>>();
        let path = [q(), q(), q(), q()];
        // The depth of overlapping curved pieces is known to less than the gap of 1 µm.
        let found = assert_smallest(&world, &path, world.tolerance.max(1e-4));
        contacts += usize::from(found.lower <= 0.0);
        apart += usize::from(found.lower > 0.0);
        for most in [0, 5, 50] {
            let settings = Settings { max_queries: Some(most), ..Settings::default() };
            let limited = smallest_of(&world, &path, &settings);
            assert!(limited.lower <= found.nearest.distance && found.lower <= limited.nearest.distance, "{limited:?}");
        }
    }
    assert!(contacts > 3 && apart > 3, "one-sided: {contacts} in contact, {apart} apart");
}
