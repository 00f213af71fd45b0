//! A sharper oracle: the least distance m of a segment is known to the last digits, so that bounds have nowhere to hide.
//! Asked for the clearance m + 1e-6 no method may say free; asked for m − 1e-3 with a tolerance of 1e-4 every method must;
//! whatever is said to be proven lies below m, and every witness is one in double-double.
//!
//! All kinds of joints with axes of any length, mimic joints, several robots, objects in hand, bases up to 10⁵ m away.
//! `PATHPROOF_SHARP` says how many segments (default 500). The full run:
//! `PATHPROOF_SHARP=20000 cargo test --release -p pathproof --test checker sharp:: -- --nocapture`

use pathproof::check::{Answer, CheckScratch, Checker, Report, Settings, Verdict};
use pathproof::numeric::{Pose, Random};
use pathproof::path::Motion;
use pathproof::robot::JointKind;
use pathproof::scene::PairRule;
use rayon::prelude::*;

use crate::common::random::{prepare, quaternions, random_segment, random_world};
use crate::common::{Form, Oracle, World, word};
use crate::sharp_oracle::{Least, Sharp};

const SEGMENTS_PER_WORLD: usize = 4;
/// Distances that the oracle may compute for a segment; where that is not enough, nothing is asked that must be free.
const MOST: usize = 20_000;
/// What the oracle's own arithmetic may be off by: matrices that are given are orthonormal to 1e-16.
const KNOWN: f64 = 1e-13;

fn segments() -> usize {
    std::env::var("PATHPROOF_SHARP").ok().and_then(|text| text.parse().ok()).unwrap_or(500)
}

/// What was asked and answered.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    segments: usize,
    /// With contact: nothing to ask beyond that free is not said.
    contacts: usize,
    /// Asked for more clearance than there is, and never told free.
    refused: usize,
    /// Asked for a little less, and told free.
    free: usize,
    /// The same, where a limit in queries ended the search.
    unfinished: usize,
    /// The oracle ran out of distances.
    unknown: usize,
    /// Findings that were collisions, each shown in double-double.
    witnesses: usize,
    /// Pieces of profiles.
    pieces: usize,
    far: usize,
    signed: usize,
    held: usize,
}

impl Counts {
    fn plus(self, o: Self) -> Self {
        Self {
            segments: self.segments + o.segments,
            contacts: self.contacts + o.contacts,
            refused: self.refused + o.refused,
            free: self.free + o.free,
            unfinished: self.unfinished + o.unfinished,
            unknown: self.unknown + o.unknown,
            witnesses: self.witnesses + o.witnesses,
            pieces: self.pieces + o.pieces,
            far: self.far + o.far,
            signed: self.signed + o.signed,
            held: self.held + o.held,
        }
    }
}

/// A world at random, and whether it is far from the origin.
fn sharp_world(random: &mut Random, number: usize) -> (World, bool, bool) {
    let mut world = random_world(random, number);
    let is_signed = world.clearance < 0.0;
    world.clearance = 0.0;
    for (_, form) in world.things.iter_mut().flat_map(|thing| &mut thing.parts) {
        *form = match form.clone() {
            // Depths that have a closed form.
            Form::Cylinder(r, l) if is_signed => Form::Cuboid([2.0 * r, 2.0 * r, l]),
            Form::Capsule(r, l) if is_signed => Form::Ball(r.max(0.2 * l)),
            Form::Cylinder(r, l) => Form::Cylinder(r.min(0.05), l),
            other => other,
        };
    }
    for joint in &mut world.joints {
        let scale = random.between(0.1, 30.0);
        joint.kind = match joint.kind {
            JointKind::Revolute { axis } => JointKind::Revolute { axis: axis * scale },
            JointKind::Prismatic { axis } => JointKind::Prismatic { axis: axis * scale },
            JointKind::Planar { axis } => JointKind::Planar { axis: axis * scale },
            other => other,
        };
    }
    // An object in the hand of every other robot.
    if random.below(2) == 0 {
        let last = world.joints.last().map(|joint| joint.child.clone()).expect("a joint");
        let form = if is_signed { Form::Ball(0.04) } else { Form::Capsule(0.02, 0.3) };
        let held = world.thing("held", &last, random.pose(0.15), form);
        world.attached.push(held);
        let on_link = (0..held).filter(|&body| world.things[body].link == last);
        world.rules.touching_bodies.extend(on_link.map(|body| [held, body]));
    }
    let is_far = random.below(3) == 0;
    if is_far {
        let away = random.direction() * 10f64.powf(random.between(1.0, 5.0));
        for joint in world.joints.iter_mut().filter(|joint| joint.parent == "world") {
            joint.parent_from_joint.translation += away;
        }
        for thing in world.things.iter_mut().filter(|thing| thing.link == "world") {
            thing.parts.iter_mut().for_each(|(pose, _)| pose.translation += away);
        }
    }
    prepare(&mut world, random);
    (world, is_signed, is_far)
}

struct Case<'a> {
    world: &'a World,
    sharp: &'a Sharp,
    oracle: &'a Oracle,
    ends: &'a [Vec<f64>; 2],
    least: Least,
    context: String,
}

impl Case<'_> {
    fn ends(&self) -> [&[f64]; 2] {
        [&self.ends[0], &self.ends[1]]
    }

    /// Asks, with and without remembered edges, and holds every finding to what it says.
    fn ask(&self, clearance: f64, tolerance: f64, settings: &Settings, counts: &mut Counts) -> Answer {
        let world = World { clearance, tolerance, ..self.world.clone() };
        let checker = world.checker();
        let mut scratch = CheckScratch::new(&checker);
        let [start, goal] = self.ends();
        let answer = checker.segment(start, goal, settings, &mut scratch).expect("a segment");
        if settings.report == Report::Any && settings.max_queries.is_none() {
            let mut remembering = CheckScratch::new(&checker).with_edge_cache(1 << 20);
            for _ in 0..2 {
                let again = checker.segment(start, goal, settings, &mut remembering).expect("a segment");
                assert_eq!(answer.verdict, again.verdict, "{}", self.context);
            }
        }
        self.hold(&checker, &answer, counts);
        answer
    }

    /// Holds an answer to what it says.
    fn hold(&self, checker: &Checker, answer: &Answer, counts: &mut Counts) {
        let found = match &answer.verdict {
            Verdict::Collision(found) | Verdict::TooClose(found) => found,
            Verdict::Free(free) => {
                let m = self.least.distance;
                assert!(free.lower_clearance() <= m + KNOWN, "{m:e}: {} {answer:?}", self.context);
                return;
            }
            Verdict::Undecided(_) => return,
        };
        let q = &found.configuration[..];
        let d = self.sharp.distance([q, q], 0.0, found.bodies);
        if found.is_collision() {
            counts.witnesses += 1;
            let [a, b] = found.bodies;
            let contact = found.clearance.min(0.0);
            // Where a part is inside a solid, surfaces may be apart.
            let is_shown = d <= contact + self.sharp.inscribed || {
                let links = self.oracle.links(q);
                self.oracle.is_contained(&links, a, b)
                    || found.clearance >= 0.0 && self.oracle.distance(&links, a, b, 1.0, false) <= 0.0
            };
            assert!(is_shown, "no contact, {d:e}: {} {answer:?}", self.context);
        } else {
            let most = found.clearance + answer.tolerance;
            assert!(d <= most + self.sharp.inscribed + KNOWN, "not too close, {d:e}: {} {answer:?}", self.context);
            assert!(found.distance >= d - self.sharp.inscribed - KNOWN, "{d:e}: {} {answer:?}", self.context);
        }
        let at_t = self.sharp.distance(self.ends(), found.t, found.bodies);
        assert!((at_t - d).abs() < 1e-9, "another place, {at_t:e} and {d:e}: {} {answer:?}", self.context);
        let is_pair = |a: usize, b: usize| [a, b] == found.bodies || [b, a] == found.bodies;
        assert!(checker.scene().pairs().iter().any(|pair| is_pair(pair.a, pair.b)), "{} {answer:?}", self.context);
    }

    /// Free must not be said where clearance is asked for that is not there.
    fn ask_too_much(&self, random: &mut Random, counts: &mut Counts) {
        for _ in 0..2 {
            for (more, tolerance) in [(1e-6, 1e-4), (1e-6, 0.0), (1e-9, 0.0)] {
                let report = [Report::Any, Report::Any, Report::First, Report::All][random.below(4)];
                let is_limited = tolerance == 0.0;
                let max_queries = is_limited.then_some(1_500);
                let node_to_motion_ratio = [0.0, 4.0][random.below(2)];
                let settings = Settings { report, max_queries, node_to_motion_ratio, ..Settings::default() };
                let answer = self.ask(self.least.distance + more, tolerance, &settings, counts);
                let says = word(&answer.verdict);
                assert_ne!(says, "free", "{more:e}: {:?} {} {settings:?} {answer:?}", self.least, self.context);
                assert!(says != "undecided" || is_limited, "{:?} {} {answer:?}", self.least, self.context);
                counts.refused += 1;
            }
        }
    }

    /// Free must be said where a little less is asked for than there is.
    fn ask_enough(&self, random: &mut Random, counts: &mut Counts) {
        for _ in 0..2 {
            let report = [Report::Any, Report::Any, Report::First, Report::All][random.below(4)];
            let settings = Settings { report, ..Settings::default() };
            let answer = self.ask(self.least.distance - 1e-3, 1e-4, &settings, counts);
            match &answer.verdict {
                Verdict::Free(_) => counts.free += 1,
                _ => panic!("{:?}: {} {settings:?} {answer:?}", self.least, self.context),
            }
        }
    }

    /// Whatever a profile says is proven lies below the distances in its piece, and `upper` is one.
    fn profile(&self, random: &mut Random, counts: &mut Counts) {
        let world = World { tolerance: 1e-3, ..self.world.clone() };
        let checker = world.checker();
        let settings = Settings { max_queries: Some(20_000), ..Settings::default() };
        let profile =
            checker.profile(&Motion::lines(self.ends), &settings, &mut CheckScratch::new(&checker), &mut |_| {});
        let profile = profile.expect("a profile");
        assert!(profile.lower() <= self.least.distance + KNOWN, "{:?} {}", self.least, self.context);
        for piece in &profile.pieces {
            counts.pieces += 1;
            let t = random.between(piece.interval[0], piece.interval[1]).clamp(piece.interval[0], piece.interval[1]);
            let d = self.sharp.distance(self.ends(), t, piece.bodies);
            assert!(piece.lower <= d + KNOWN, "{t}: {d:e} {} {piece:?}", self.context);
            let d = self.sharp.distance(self.ends(), piece.t_upper, piece.bodies);
            let is_below = d <= piece.upper + self.sharp.inscribed + KNOWN;
            // Where convex pieces overlap a profile has their depth, which the oracle knows in signed worlds only.
            let is_depth = !self.sharp.is_signed && piece.upper <= 0.0;
            assert!(is_below || is_depth, "{d:e}: {} {piece:?}", self.context);
        }
    }
}

fn run(number: usize) -> Counts {
    let mut random = Random::new(0x5AA2_9000 + number as u64);
    let (world, is_signed, is_far) = sharp_world(&mut random, number);
    let scene = world.scene();
    let oracle = Oracle::new(&world, &scene);
    let pairs = scene.pairs().iter().map(|pair| [pair.a, pair.b]).collect();
    let sharp = Sharp::new(&world, pairs, is_signed);
    let mut counts = Counts::default();
    for segment in 0..SEGMENTS_PER_WORLD {
        let ends = random_segment(&mut random, &world, &quaternions(&world));
        if sharp.pairs.is_empty() {
            continue;
        }
        counts.segments += 1;
        counts.far += usize::from(is_far);
        counts.signed += usize::from(is_signed);
        counts.held += usize::from(!world.attached.is_empty());
        let least = sharp.least([&ends[0], &ends[1]], MOST);
        let context = format!("world {number}, segment {segment}");
        let case = Case { world: &world, sharp: &sharp, oracle: &oracle, ends: &ends, least, context };
        let links = oracle.links(&ends[0]);
        let starts_inside = !is_signed && sharp.pairs.iter().any(|[a, b]| oracle.is_contained(&links, *a, *b));
        if starts_inside || !is_signed && least.distance <= 0.0 {
            counts.contacts += 1;
            let settings = Settings { max_queries: Some(20_000), ..Settings::default() };
            let answer = case.ask(0.0, 1e-3, &settings, &mut counts);
            assert_ne!(word(&answer.verdict), "free", "{} {answer:?}", case.context);
            continue;
        }
        case.ask_too_much(&mut random, &mut counts);
        if !least.is_shown {
            counts.unknown += 1;
        } else if least.distance > 1e-3 || is_signed {
            case.ask_enough(&mut random, &mut counts);
        }
        if segment == 0 && sharp.pairs.len() <= 40 {
            case.profile(&mut random, &mut counts);
        }
    }
    counts
}

#[test]
fn no_bound_is_off_by_a_micrometre_and_nothing_with_room_is_refused() {
    let worlds = segments().div_ceil(SEGMENTS_PER_WORLD);
    let counts = (0..worlds).into_par_iter().map(run).reduce(Counts::default, Counts::plus);
    println!("{counts:?}");
    assert!(counts.refused > counts.segments && counts.free * 4 > counts.segments, "{counts:?}");
    assert!(counts.unfinished * 10 < counts.free && counts.unknown * 10 < counts.segments, "{counts:?}");
    assert!(counts.witnesses * 20 > counts.segments && counts.pieces > counts.segments, "{counts:?}");
    assert!(counts.far * 5 > counts.segments && counts.signed * 10 > counts.segments, "{counts:?}");
    assert!(counts.held * 5 > counts.segments, "{counts:?}");
}

/// The oracle's kinematics are its own: here they agree with the library's in a world that has every kind of joint.
#[test]
fn the_sharp_oracle_sees_the_world_that_the_library_sees() {
    let mut random = Random::new(0x5AA2);
    for number in 0..60 {
        let (mut world, is_signed, _) = sharp_world(&mut random, 3 * number);
        world.rules.exceptions.retain(|(_, rule)| *rule == PairRule::Skip);
        let scene = world.scene();
        let oracle = Oracle::new(&world, &scene);
        let sharp = Sharp::new(&world, scene.pairs().iter().map(|p| [p.a, p.b]).collect(), is_signed);
        let [start, goal] = random_segment(&mut random, &world, &quaternions(&world));
        let t = random.unit();
        let links: Vec<Pose> = oracle.links(&oracle.interpolate(&start, &goal, t));
        let size = links.iter().map(|pose| pose.translation.length()).fold(1.0, f64::max);
        for &[a, b] in &sharp.pairs {
            let (one, two) =
                (sharp.distance([&start, &goal], t, [a, b]), oracle.distance(&links, a, b, f64::INFINITY, is_signed));
            let off = sharp.inscribed + 1e-6 + 1e-13 * size;
            // parry's depths may be short.
            assert!((one - two).abs() < off || one.max(two) < 0.0, "{number}: {one:e} {two:e} of {a} and {b}");
        }
    }
}
