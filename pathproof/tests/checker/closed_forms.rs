//! The checker against closed forms: the verdict flips where the mathematics says, at margins of 1e-2 to 1e-7 m; what is
//! found and what is proven are true to the contract; limits end in `undecided`.

use std::f64::consts::FRAC_PI_2;

use crate::common::{Form, World, at, box_mesh, finding, inside_out, joined, opened, word};
use pathproof::check::{CheckScratch, Checker, Limit, Report, Settings, Verdict};
use pathproof::numeric::{DQuat, DVec3, Pose, Random};
use pathproof::path::Motion;
use pathproof::robot::JointKind;
use pathproof::scene::PairRule;

const REVOLUTE_Z: JointKind = JointKind::Revolute { axis: DVec3::Z };
const REVOLUTE_X: JointKind = JointKind::Revolute { axis: DVec3::X };
const SLIDE_X: JointKind = JointKind::Prismatic { axis: DVec3::X };
const SLIDE_Y: JointKind = JointKind::Prismatic { axis: DVec3::Y };
const SLIDE_Z: JointKind = JointKind::Prismatic { axis: DVec3::Z };

const MARGINS: [f64; 6] = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7];
const CLEARANCES: [f64; 3] = [0.0, 1e-3, 5e-2];

/// Along x instead of z.
fn lying(x: f64) -> Pose {
    Pose::from_quaternion(DQuat::from_rotation_y(FRAC_PI_2), DVec3::X * x)
}

/// What must come out where the least distance over the path is `clearance + margin`, known to `known` metres.
fn assert_flips(world: &World, path: &[Vec<f64>], least: f64, known: f64, what: &str) {
    let clearance = world.scene().pairs()[0].clearance;
    let margin = least - clearance;
    for tolerance in [0.0, margin.abs() / 2.0, 2.0 * margin.abs(), 0.02] {
        let mut world = world.clone();
        world.tolerance = tolerance;
        assert_flips_by(&world, path, least, known, what);
    }
}

fn assert_flips_by(world: &World, path: &[Vec<f64>], least: f64, known: f64, what: &str) {
    let (clearance, tolerance) = (world.scene().pairs()[0].clearance, world.tolerance);
    let margin = least - clearance;
    // Giving up barely covered halves hides what is wrong with them: where it is done must not matter.
    let node_to_motion_ratio = if tolerance == 0.0 { Settings::default().node_to_motion_ratio } else { 0.0 };
    let answer = world.check_with(path, &Settings { node_to_motion_ratio, ..Settings::default() });
    let says = word(&answer.verdict);
    let context = format!("{what}: margin {margin:e}, clearance {clearance}, tolerance {tolerance}: {answer:?}");
    match &answer.verdict {
        Verdict::Free(free) => {
            assert!(margin > -known, "{context}");
            assert!(free.lower_clearance() >= clearance && free.lower_clearance() <= least + known, "{context}");
        }
        Verdict::Undecided(_) => panic!("{context}"),
        Verdict::Collision(found) | Verdict::TooClose(found) => {
            assert!(least <= clearance + tolerance + known, "{context}");
            // Without a negative clearance `least` says only that there is contact, not how deep it is.
            assert!(found.distance >= least - known || (clearance >= 0.0 && least <= 0.0), "{context}");
            assert!(found.distance <= clearance + tolerance + known, "{context}");
            assert_eq!(found.clearance, clearance, "{context}");
            let is_contact = found.distance <= clearance.min(0.0);
            assert_eq!(says == "collision", is_contact, "{context}");
        }
    }
    if margin > known && tolerance < margin - known {
        assert_eq!(says, "free", "{context}");
    }
    if tolerance == 0.0 && margin < -known {
        let least_is_apart = least > clearance.min(0.0) + known;
        let expected = if least_is_apart { "too_close" } else { "collision" };
        assert!(says == expected || (clearance > 0.0 && says == "too_close"), "{context}");
    }
}

/// A rod that turns about z past a ball above it; closest at angle 0, no dyadic place of the path.
fn rod_past_ball(rod: Form, thickness: f64, clearance: f64, margin: f64, origin: DVec3) -> World {
    let mut world = World::new(clearance, 0.0);
    world.link("world", "rod", REVOLUTE_Z, Pose::from_translation(origin));
    world.thing("rod", "rod", if matches!(rod, Form::Capsule(..)) { lying(0.5) } else { at(0.5, 0.0, 0.0) }, rod);
    let height = thickness + 0.05 + clearance + margin;
    world.thing("ball", "world", Pose::from_translation(origin + DVec3::new(0.7, 0.0, height)), Form::Ball(0.05));
    world
}

fn signed_margins() -> impl Iterator<Item = f64> {
    MARGINS.into_iter().flat_map(|m| [m, -m])
}

#[test]
fn rods_turning_past_balls_flip_at_the_clearance() {
    for clearance in CLEARANCES {
        for margin in signed_margins().filter(|m| clearance + m > -0.04) {
            let rods = [
                (Form::Capsule(0.02, 1.0), 0.02),
                (Form::Cuboid([1.0, 0.03, 0.04]), 0.02),
                (box_mesh([1.0, 0.03, 0.04]), 0.02),
            ];
            for (i, (rod, thickness)) in rods.into_iter().enumerate() {
                let world = rod_past_ball(rod, thickness, clearance, margin, DVec3::ZERO);
                // Surfaces have no depth, and overlap is 0 without a negative clearance.
                let least = (clearance + margin).max(0.0);
                let path = [vec![-0.9], vec![0.73]];
                if least > 0.0 || margin < 0.0 {
                    assert_flips(
                        &world,
                        &path,
                        if margin < 0.0 && clearance == 0.0 { margin.clamp(-1e-9, 0.0) } else { least },
                        2e-9,
                        &format!("rod {i}"),
                    );
                }
            }
        }
    }
}

#[test]
fn far_from_the_origin_nothing_is_wrong() {
    for far in [1e3, 1e5] {
        let origin = DVec3::new(far, -0.7 * far, 0.4 * far);
        for clearance in [0.0, 1e-3] {
            for margin in signed_margins() {
                for rod in [Form::Capsule(0.02, 1.0), box_mesh([1.0, 0.03, 0.04])] {
                    let mut world = rod_past_ball(rod, 0.02, clearance, margin, origin);
                    for tolerance in [0.0, margin.abs() / 2.0] {
                        world.tolerance = tolerance;
                        let answer = world.check(&[vec![-0.9], vec![0.73]]);
                        let says = word(&answer.verdict);
                        // Coordinates of 1e5 are rounded by 1.5e-11 each.
                        assert!(margin > 0.0 || says != "free", "{margin:e} {answer:?}");
                        assert!(margin < 0.0 || says != "collision", "{margin:e} {answer:?}");
                        if margin >= 1e-5 {
                            assert_eq!(says, "free", "{far} {margin:e} {answer:?}");
                        }
                        if margin <= -1e-5 && clearance == 0.0 && tolerance == 0.0 {
                            assert_eq!(says, "collision", "{far} {margin:e} {answer:?}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn plates_of_a_tenth_of_a_millimetre_pass_plates() {
    let thin = 1e-4;
    for margin in signed_margins() {
        for clearance in [0.0, 1e-3] {
            for is_mesh in [false, true] {
                let plate = |size| if is_mesh { box_mesh(size) } else { Form::Cuboid(size) };
                let gap = clearance + margin;
                if gap < 0.0 && gap.abs() > thin {
                    continue;
                }
                // Sliding one over the other, and turning.
                for (kind, path) in [(SLIDE_X, [vec![-2.0], vec![1.3]]), (REVOLUTE_Z, [vec![-0.8], vec![1.9]])] {
                    let mut world = World::new(clearance, 0.0);
                    world.link("world", "moving", kind, Pose::IDENTITY);
                    world.thing("moving", "moving", at(0.3, 0.0, thin + gap), plate([0.8, 0.6, thin]));
                    world.thing("fixed", "world", at(0.3, 0.1, 0.0), plate([0.5, 0.9, thin]));
                    let least = if gap <= 0.0 { margin.clamp(-1e-10, 0.0) } else { gap };
                    assert_flips(&world, &path, least, 1e-9, "plates");
                }
                // Edge on: the moving plate stands and comes to within the gap of the other's face.
                let mut world = World::new(clearance, 0.0);
                world.link("world", "moving", SLIDE_X, Pose::IDENTITY);
                world.thing("moving", "moving", Pose::IDENTITY, plate([thin, 0.6, 0.6]));
                world.thing("fixed", "world", at(thin + gap + 1.0, 0.0, 0.0), plate([thin, 0.9, 0.7]));
                let least = if gap <= 0.0 { margin.clamp(-1e-10, 0.0) } else { gap };
                assert_flips(&world, &[vec![-2.0], vec![1.0]], least, 1e-9, "face to face, last configuration");
                assert_flips(&world, &[vec![1.0], vec![-2.0]], least, 1e-9, "face to face, first configuration");
            }
        }
    }
}

#[test]
fn a_thin_plate_shot_through_a_thin_plate_is_found() {
    for is_mesh in [false, true] {
        let plate = |size| if is_mesh { box_mesh(size) } else { Form::Cuboid(size) };
        for place in [0.123_456, -0.77, 0.999] {
            for tolerance in [0.0, 1e-6] {
                let mut world = World::new(0.0, tolerance);
                world.link("world", "moving", SLIDE_X, Pose::IDENTITY);
                world.thing("moving", "moving", Pose::IDENTITY, plate([1e-4, 0.6, 0.6]));
                world.thing("fixed", "world", at(place * 100.0, 0.0, 0.0), plate([1e-4, 0.9, 0.7]));
                let answer = world.check(&[vec![-100.0], vec![100.0]]);
                assert!(matches!(word(&answer.verdict), "collision" | "too_close"), "{answer:?}");
                assert!((finding(&answer.verdict).unwrap().configuration[0] - place * 100.0).abs() < 1.02e-4);
            }
        }
    }
}

#[test]
fn two_arms_in_step_are_decided_by_their_relative_motion() {
    for margin in signed_margins() {
        let gap = margin;
        // Two robots that slide alike: the gap never changes.
        let mut world = World::new(0.0, 0.0);
        world.link("world", "left", SLIDE_Y, Pose::IDENTITY);
        world.link("world", "right", SLIDE_Y, at(0.2 + gap, 0.0, 0.0));
        world.thing("left", "left", Pose::IDENTITY, Form::Cuboid([0.2, 0.3, 0.4]));
        world.thing("right", "right", Pose::IDENTITY, Form::Cuboid([0.2, 0.3, 0.4]));
        assert_flips(&world, &[vec![-3.0, -3.0], vec![5.0, 5.0]], gap.max(-1e-10), 1e-9, "two robots in step");
        // One robot whose base turns by many turns while its hands stand still relative to each other.
        let mut world = World::new(0.0, 0.0);
        world.link("world", "base", REVOLUTE_Z, Pose::IDENTITY);
        world.link("base", "left", SLIDE_X, at(1.0, 0.0, 0.0));
        world.link("base", "right", SLIDE_X, at(1.2 + gap, 0.0, 0.0));
        world.thing("left", "left", Pose::IDENTITY, Form::Cuboid([0.2, 0.3, 0.4]));
        world.thing("right", "right", Pose::IDENTITY, box_mesh([0.2, 0.3, 0.4]));
        let path = [vec![-30.0, 0.0, 0.0], vec![40.0, 0.0, 0.0]];
        assert_flips(&world, &path, gap.max(-1e-10), 1e-9, "hands on one base");
        if margin > 0.0 {
            let answer = world.check(&path);
            assert_eq!(answer.statistics.bisections, 0, "only motion between the hands counts: {answer:?}");
        }
    }
}

#[test]
fn only_what_is_closed_contains() {
    let shell = || box_mesh([1.0, 1.0, 1.0]);
    let cavity = || joined(box_mesh([2.0, 2.0, 2.0]), inside_out(box_mesh([1.0, 1.0, 1.0])));
    let pea =
        || [Form::Ball(0.05), box_mesh([0.1, 0.1, 0.1]), Form::Capsule(0.02, 0.05), opened(box_mesh([0.1, 0.1, 0.1]))];
    let cases: [(Form, f64, &str); 8] = [
        (shell(), 0.0, "collision"),
        (inside_out(shell()), 0.0, "collision"),
        (opened(shell()), 0.0, "free"),
        (cavity(), 0.0, "free"),
        (cavity(), 0.75, "collision"),
        (joined(opened(box_mesh([3.0, 3.0, 3.0])), shell()), 0.0, "collision"),
        (joined(opened(shell()), box_mesh([0.4, 0.4, 0.4])), 0.35, "free"),
        (joined(shell(), box_mesh([1.5, 1.5, 1.5])), 0.0, "collision"),
    ];
    for (case, (outer, place, expected)) in cases.into_iter().enumerate() {
        for (i, inner) in pea().into_iter().enumerate() {
            for swapped in [false, true] {
                let mut world = World::new(0.0, 1e-3);
                world.link("world", "moving", SLIDE_Z, Pose::IDENTITY);
                let (first, second) = if swapped {
                    (("outer", outer.clone()), ("inner", inner.clone()))
                } else {
                    (("inner", inner.clone()), ("outer", outer.clone()))
                };
                // The moving one slides by 1 cm; only relative places matter.
                let (place_first, place_second) = if swapped { (0.0, place) } else { (place, 0.0) };
                world.thing(first.0, "moving", at(place_first, 0.0, 0.0), first.1);
                world.thing(second.0, "world", at(place_second, 0.0, 0.0), second.1);
                let answer = world.check(&[vec![-0.005], vec![0.005]]);
                assert_eq!(word(&answer.verdict), expected, "case {case}, pea {i}, swapped {swapped}: {answer:?}");
            }
        }
    }
}

/// Broke once: static bodies with the same rules share a tree, and winding numbers of different bodies cancelled in it.
#[test]
fn solids_of_different_bodies_do_not_cancel() {
    for other in [box_mesh([1.2, 1.2, 1.2]), inside_out(box_mesh([1.2, 1.2, 1.2]))] {
        let mut world = World::new(0.0, 1e-3);
        world.link("world", "pea", SLIDE_X, Pose::IDENTITY);
        world.thing("pea", "pea", Pose::IDENTITY, Form::Ball(0.05));
        world.thing("one", "world", Pose::IDENTITY, box_mesh([1.0, 1.0, 1.0]));
        world.thing("two", "world", Pose::IDENTITY, other.clone());
        assert_eq!(word(&world.check(&[vec![0.0], vec![0.1]]).verdict), "collision");
        // And the meshes of one body.
        let mut world = World::new(0.0, 1e-3);
        world.link("world", "pea", SLIDE_X, Pose::IDENTITY);
        world.thing("pea", "pea", Pose::IDENTITY, Form::Ball(0.05));
        world.thing("both", "world", Pose::IDENTITY, box_mesh([1.0, 1.0, 1.0]));
        world.things[1].parts.push((Pose::IDENTITY, other));
        assert_eq!(word(&world.check(&[vec![0.0], vec![0.1]]).verdict), "collision");
    }
}

#[test]
fn half_spaces_are_solid_below_and_nowhere_else() {
    let normals = [DVec3::Z, DVec3::new(0.6, 0.0, 0.8), DVec3::new(2.0, -1.0, 2.0) / 3.0];
    for normal in normals {
        for clearance in [0.0, 1e-3, 5e-2] {
            for margin in signed_margins() {
                // A ball that dips: closest where the slide is at 0.
                let sideways = normal.any_orthonormal_vector();
                let mut world = World::new(clearance, 0.0);
                let place = normal * (0.1 + clearance + margin) + DVec3::new(0.3, 0.2, -0.4);
                world.link("world", "ball", JointKind::Prismatic { axis: normal }, Pose::from_translation(place));
                world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.1));
                world.thing("ground", "world", at(0.3, 0.2, -0.4), Form::Plane(normal));
                assert_flips(&world, &[vec![2.0], vec![0.0]], clearance + margin, 1e-9, "ball down to the ground");
                assert_flips(&world, &[vec![0.0], vec![2.0]], clearance + margin, 1e-9, "ball up from the ground");
                // A rod that turns with its tip towards the ground, piece or mesh; lowest at no dyadic place.
                let height = clearance + margin;
                let half = 0.02_f64;
                for (rod, reach) in [
                    (Form::Capsule(half, 0.6), 0.6 + half),
                    (box_mesh([2.0 * half, 2.0 * half, 0.6]), (0.6f64.powi(2) + half * half).sqrt()),
                    (Form::Cuboid([2.0 * half, 2.0 * half, 0.6]), (0.6f64.powi(2) + half * half).sqrt()),
                ] {
                    let is_mesh = matches!(rod, Form::Mesh(..));
                    let mut world = World::new(clearance, 0.0);
                    let up =
                        Pose::from_quaternion(DQuat::from_rotation_arc(DVec3::Z, normal), normal * (reach + height));
                    // About an axis across: the rod's box corner is lowest where the corner is straight below.
                    world.link("world", "rod", JointKind::Revolute { axis: DVec3::X }, up);
                    world.thing("rod", "rod", at(0.0, 0.0, -0.3), rod);
                    world.thing("ground", "world", Pose::from_translation(sideways * 3.0), Form::Plane(normal));
                    let least = if is_mesh && height < 0.0 { height.clamp(-1e-10, 0.0) } else { height };
                    if is_mesh && clearance > 0.0 && height < 0.0 {
                        continue;
                    }
                    assert_flips(&world, &[vec![-1.0], vec![1.3]], least, 2e-9, "rod over the ground");
                }
            }
        }
    }
}

#[test]
fn a_pair_has_its_own_clearance() {
    for own in [0.0, 1e-3, 5e-2] {
        for margin in [1e-3, -1e-3, 1e-5, -1e-5] {
            let mut world = World::new(0.0, 0.0);
            world.link("world", "ball", SLIDE_X, Pose::IDENTITY);
            let ball = world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.1));
            let strict = world.thing("strict", "world", at(0.0, 0.2 + own + margin, 0.0), Form::Ball(0.1));
            world.thing("lax", "world", at(0.0, -0.2 - 1e-3, 0.0), Form::Ball(0.1));
            world.rules.exceptions.push(([ball, strict], PairRule::Clearance(own)));
            let answer = world.check(&[vec![-0.7], vec![1.1]]);
            assert_eq!(word(&answer.verdict) == "free", margin > 0.0, "{own} {margin} {answer:?}");
            if let Some(found) = finding(&answer.verdict) {
                assert_eq!((found.bodies, found.clearance), ([ball, strict], own));
            }
            // The other way round: the default is strict, the pair is lax.
            world.clearance = 0.01;
            let answer = world.check(&[vec![-0.7], vec![1.1]]);
            assert_ne!(word(&answer.verdict), "free");
            world.rules.exceptions.push(([ball, 2], PairRule::Clearance(0.0)));
            let answer = world.check(&[vec![-0.7], vec![1.1]]);
            assert_eq!(word(&answer.verdict) == "free", margin > 0.0, "{own} {margin} {answer:?}");
        }
    }
}

#[test]
fn negative_clearance_allows_penetration_up_to_its_depth() {
    for clearance in [-1e-3, -1e-2] {
        for margin in signed_margins() {
            let least = clearance + margin;
            // Balls that pass each other.
            let mut world = World::new(clearance, 0.0);
            world.link("world", "ball", SLIDE_X, Pose::IDENTITY);
            world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.1));
            world.thing("other", "world", at(0.0, 0.3 + least, 0.0), Form::Ball(0.2));
            assert_flips(&world, &[vec![-0.7], vec![1.1]], least, 2e-9, "balls");
            // Boxes that slide over each other: deep in x and y, shallow in z.
            let mut world = World::new(clearance, 0.0);
            world.link("world", "box", SLIDE_X, Pose::IDENTITY);
            world.thing("box", "box", Pose::IDENTITY, Form::Cuboid([0.5, 0.5, 0.5]));
            world.thing("other", "world", at(0.0, 0.05, 0.5 + least), Form::Cuboid([0.5, 0.6, 0.5]));
            assert_flips(&world, &[vec![-0.7], vec![1.1]], least, 2e-9, "boxes");
            // Turned boxes, one of two pieces, on a revolute joint about the shallow axis: the depth stays.
            let mut world = World::new(clearance, 0.0);
            world.link("world", "box", REVOLUTE_Z, Pose::IDENTITY);
            world.thing("box", "box", Pose::IDENTITY, Form::Cuboid([0.5, 0.5, 0.5]));
            world.things[0].parts.push((at(0.0, 0.0, -0.5), Form::Ball(0.1)));
            world.thing("other", "world", at(0.0, 0.05, 0.5 + least), Form::Cuboid([0.5, 0.6, 0.5]));
            assert_flips(&world, &[vec![-0.7], vec![1.1]], least, 2e-9, "turning box");
            // Into the ground.
            let mut world = World::new(clearance, 0.0);
            world.link("world", "ball", SLIDE_Z, at(0.0, 0.0, 0.1 + least));
            world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.1));
            world.thing("ground", "world", Pose::IDENTITY, Form::Plane(DVec3::Z));
            assert_flips(&world, &[vec![0.5], vec![0.0]], least, 2e-9, "ball into the ground");
        }
    }
}

#[test]
fn single_configurations_and_segments_of_no_length_are_decided() {
    for clearance in [0.0, 1e-3, -1e-3] {
        for margin in signed_margins() {
            let least = clearance + margin;
            let mut world = World::new(clearance, 0.0);
            world.link("world", "ball", SLIDE_X, Pose::IDENTITY);
            world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.1));
            world.thing("wall", "world", at(0.6 + least, 0.0, 0.0), Form::Cuboid([0.2, 1.0, 1.0]));
            let expected = if clearance == 0.0 { least.max(-1e-10) } else { least };
            for path in [vec![vec![0.4]], vec![vec![0.4], vec![0.4]], vec![vec![0.0], vec![0.4], vec![0.4], vec![0.1]]]
            {
                if least > 0.0 || clearance <= 0.0 {
                    assert_flips(&world, &path, expected, 1e-9, "standing");
                }
            }
        }
    }
}

#[test]
fn touching_only_at_an_end_is_not_free() {
    for tolerance in [0.0, 1e-6, 1e-3] {
        for depth in [0.0, 1e-15, 1e-12, 1e-9] {
            let mut world = World::new(0.0, tolerance);
            world.link("world", "ball", SLIDE_X, Pose::IDENTITY);
            world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.25));
            world.thing("wall", "world", at(1.0 - depth, 0.0, 0.0), Form::Cuboid([0.5, 1.0, 1.0]));
            for path in [[vec![-3.0], vec![0.5]], [vec![0.5], vec![-3.0]]] {
                assert_ne!(word(&world.check(&path).verdict), "free", "tolerance {tolerance}, depth {depth}");
            }
        }
    }
}

/// At the midpoint the tip moves along the plate and only its acceleration brings it nearer. Fails where half of the
/// bend is left out.
#[test]
fn a_tip_that_curves_towards_a_plate_is_followed() {
    for clearance in CLEARANCES {
        for margin in signed_margins() {
            let (angle, small) = (0.3_f64, 1e-3);
            let gap = 1.0 - angle.cos() + clearance + margin;
            for plate in [Form::Cuboid([0.01, 3.0, 3.0]), box_mesh([0.01, 3.0, 3.0])] {
                let mut world = World::new(clearance, 0.0);
                world.link("world", "arm", REVOLUTE_Z, Pose::IDENTITY);
                world.thing("ball", "arm", at(1.0, 0.0, 0.0), Form::Ball(small));
                world.thing("plate", "world", at(1.0 - small - gap - 0.005, 0.0, 0.0), plate);
                let least = clearance + margin;
                let least = if least <= 0.0 { margin.clamp(-1e-10, 0.0) } else { least };
                assert_flips(&world, &[vec![-angle], vec![angle]], least, 2e-9, "tip");
            }
        }
    }
}

/// With the angle far from zero its rounding moves the tip by more than the depth of the contact at the last
/// configuration: only margins can tell. Fails without `Need::margin`.
#[test]
fn rounding_of_large_angles_is_part_of_the_proof() {
    let mut random = Random::new(7);
    let mut undecided = 0;
    for turn in 0..600 {
        let size = [1e4, 1e6, 1e8][turn % 3];
        let goal: f64 = size * random.between(1.0, 2.0);
        let start = goal - random.between(1e-4, 1e-2);
        let spacing = goal * f64::EPSILON;
        let depth = spacing * random.between(0.01, 0.1);
        // A small ball at the tip (all of it moves alike), met by another ahead on the circle.
        let (s, c) = goal.sin_cos();
        let tip = DVec3::new(c, s, 0.0);
        let ahead = DVec3::new(-s, c, 0.0);
        let mut world = World::new(0.0, 0.0);
        world.link("world", "arm", REVOLUTE_Z, Pose::IDENTITY);
        world.thing("ball", "arm", at(1.0, 0.0, 0.0), Form::Ball(1e-3));
        world.thing("wall", "world", Pose::from_translation(tip + ahead * (2e-3 - depth)), Form::Ball(1e-3));
        // Halves that are barely covered are not given up here: what is covered must be so by right.
        let settings = Settings { node_to_motion_ratio: 0.0, ..Settings::default() };
        let answer = world.check_with(&[vec![start], vec![goal]], &settings);
        assert_ne!(word(&answer.verdict), "free", "{goal} {depth:e} {answer:?}");
        undecided += usize::from(word(&answer.verdict) == "undecided");
        let answer = world.check_with(&[vec![goal], vec![start]], &settings);
        assert_ne!(word(&answer.verdict), "free", "reversed {goal} {depth:e} {answer:?}");
    }
    assert!(undecided > 0);
}

/// Balls on slides before walls: the earliest contact has a closed form.
#[test]
fn first_is_the_earliest() {
    let mut random = Random::new(11);
    for case in 0..400 {
        let tolerance = [0.0, 1e-3, 1e-2][case % 3];
        let mut world = World::new([0.0, 1e-3][case % 2], tolerance);
        let lanes = 1 + random.below(4);
        let mut walls = Vec::new();
        for lane in 0..lanes {
            let name = format!("ball {lane}");
            world.link("world", &name, SLIDE_X, at(0.0, 10.0 * lane as f64, 0.0));
            let size = random.between(0.05, 0.2);
            let form = if random.below(2) == 0 { Form::Ball(size / 2.0) } else { box_mesh([size; 3]) };
            world.thing(&name, &name, Pose::IDENTITY, form);
            for _ in 0..1 + random.below(3) {
                walls.push((lane, 0.07 + size / 2.0 + random.between(0.0, 2.5) * random.unit(), size / 2.0));
            }
        }
        for (i, (lane, x, _)) in walls.iter().enumerate() {
            let form = if i % 2 == 0 { Form::Cuboid([0.1, 0.5, 0.5]) } else { box_mesh([0.1, 0.5, 0.5]) };
            world.thing(&format!("wall {i}"), "world", at(*x, 10.0 * *lane as f64, 0.0), form);
        }
        let path: Vec<Vec<f64>> = (0..4)
            .map(|i| (0..lanes).map(|lane| f64::from(i) * (0.2 + 0.23 * ((lane * 7 + case) % 5) as f64)).collect())
            .collect();
        // Times of the whole path at which a lane comes within the clearance, and within the tolerance of it.
        let when = |extra: f64| {
            walls
                .iter()
                .map(|(lane, x, half)| {
                    let gap = x - 0.05 - half - world.clearance - extra;
                    (gap / path[1][*lane]).max(0.0)
                })
                .fold(f64::INFINITY, f64::min)
        };
        let (contact, close) = (when(0.0), when(tolerance));
        let settings = Settings { report: Report::First, ..Settings::default() };
        let answer = world.check_with(&path, &settings);
        if contact > 3.0 + 1e-9 {
            assert!(close < 3.0 || word(&answer.verdict) == "free", "{case}: {contact} {answer:?}");
            continue;
        }
        let found = finding(&answer.verdict).unwrap_or_else(|| panic!("{case}: {contact} {answer:?}"));
        let time = found.segment as f64 + found.t;
        // Refined to a quarter of the tolerance, or to where rounding ends it.
        let slack = (tolerance / path[1].iter().copied().fold(f64::INFINITY, f64::min)).max(1e-7);
        assert!(time >= close - 1e-9 && time <= contact + slack, "{case}: {close} {contact} {answer:?}");
    }
}

#[test]
fn all_reports_every_offending_pair_and_segment() {
    // Two balls on lanes, each with walls that they pass through; three segments.
    let mut world = World::new(0.0, 1e-4);
    for lane in 0..2 {
        let name = format!("ball {lane}");
        world.link("world", &name, SLIDE_X, at(0.0, 2.0 * f64::from(lane), 0.0));
        world.thing(&name, &name, Pose::IDENTITY, Form::Ball(0.05));
    }
    let places = [(0, 0.3), (0, 0.6), (0, 1.5), (1, 0.5), (1, 0.55), (1, 2.5)];
    for (i, (lane, x)) in places.iter().enumerate() {
        world.thing(&format!("wall {i}"), "world", at(*x, 2.0 * f64::from(*lane), 0.0), Form::Cuboid([0.01, 0.5, 0.5]));
    }
    // Rules of their own keep the walls in trees of their own.
    for wall in 0..places.len() {
        world.rules.exceptions.push(([places[wall].0 as usize, 2 + wall], PairRule::Clearance(1e-9 * wall as f64)));
    }
    let path = [vec![0.0, 0.0], vec![1.0, 1.0], vec![2.0, 2.0], vec![3.0, 3.0]];
    let answer = world.check_with(&path, &Settings { report: Report::All, ..Settings::default() });
    let mut found: Vec<(usize, [usize; 2])> = answer.findings.iter().map(|f| (f.segment, f.bodies)).collect();
    found.sort();
    let mut expected: Vec<(usize, [usize; 2])> =
        places.iter().enumerate().map(|(i, (lane, x))| (*x as usize, [*lane as usize, 2 + i])).collect();
    expected.sort();
    assert_eq!(found, expected, "{answer:?}");
}

#[test]
fn limits_end_in_undecided() {
    // On a circle past a ball that pulls in the direction of the bend.
    let mut world = World::new(0.0, 0.0);
    world.link("world", "ball", REVOLUTE_Z, Pose::IDENTITY);
    world.thing("ball", "ball", at(0.75, 0.0, 0.0), Form::Ball(0.25));
    world.thing("other", "world", at(1.25 + 1e-4, 0.0, 0.0), Form::Ball(0.25));
    let path = [vec![-0.7], vec![1.0]];
    let full = world.check(&path);
    assert_eq!(word(&full.verdict), "free");
    assert!(full.statistics.distance_queries > 3);
    for most in 0..full.statistics.distance_queries {
        let answer = world.check_with(&path, &Settings { max_queries: Some(most), ..Settings::default() });
        let Verdict::Undecided(open) = &answer.verdict else { panic!("{answer:?}") };
        assert_eq!((open.limit, open.segment, open.bodies), (Limit::Queries, 0, [0, 1]));
        assert!(open.interval[0] >= 0.0 && open.interval[0] < open.interval[1] && open.interval[1] <= 1.0);
        assert_eq!(answer.statistics.distance_queries, most);
    }
    let most = Some(full.statistics.distance_queries);
    assert_eq!(word(&world.check_with(&path, &Settings { max_queries: most, ..Settings::default() }).verdict), "free");
    let time = Some(std::time::Duration::ZERO);
    let answer = world.check_with(&path, &Settings { max_time: time, ..Settings::default() });
    assert!(matches!(&answer.verdict, Verdict::Undecided(open) if open.limit == Limit::Seconds), "{answer:?}");
}

#[test]
fn grazing_contact_without_tolerance_ends_at_the_floor() {
    let graze = |kind: JointKind, place: Pose| {
        let mut world = World::new(0.0, 0.0);
        world.link("world", "ball", kind, Pose::IDENTITY);
        world.thing("ball", "ball", place, Form::Ball(0.25));
        world.thing("other", "world", at(0.75, 0.0, -0.5), Form::Ball(0.25));
        world
    };
    // Straight past, and on a circle about z; both touch in one point at no dyadic place.
    for (world, path) in [
        (graze(SLIDE_X, Pose::IDENTITY), [vec![-0.7], vec![2.0]]),
        (graze(REVOLUTE_Z, at(0.75, 0.0, 0.0)), [vec![-0.7], vec![1.0]]),
    ] {
        let answer = world.check(&path);
        assert!(matches!(&answer.verdict, Verdict::Undecided(open) if open.limit == Limit::Resolution), "{answer:?}");
        assert!(answer.statistics.bisections < 20_000, "{answer:?}");
        for tolerance in [1e-6, 1e-3] {
            let mut world = world.clone();
            world.tolerance = tolerance;
            let answer = world.check(&path);
            assert!(matches!(word(&answer.verdict), "too_close" | "collision"), "{answer:?}");
        }
    }
}

/// Depth at most ⌈log₂(λ/2δ)⌉ + 1, one more for halves that are given up early, and one for the midpoint.
#[test]
fn depth_is_logarithmic_with_a_tolerance() {
    let mut random = Random::new(3);
    for _ in 0..400 {
        let tolerance = 10f64.powf(random.between(-6.0, -2.0));
        let mut world = World::new([0.0, 1e-3][random.below(2)], tolerance);
        world.link("world", "ball", SLIDE_X, Pose::IDENTITY);
        world.thing("ball", "ball", Pose::IDENTITY, Form::Ball(0.1));
        let gap = world.clearance + tolerance * random.between(0.0, 2.0);
        let x = random.between(-1.0, 1.0);
        world.thing("other", "world", at(x, 0.2 + gap, 0.0), Form::Ball(0.1));
        let arc = 4.0;
        let answer = world.check(&[vec![-2.0], vec![2.0]]);
        let deepest = (arc / (2.0 * tolerance)).log2().ceil() + 3.0;
        assert_ne!(word(&answer.verdict), "undecided", "{answer:?}");
        // One pair: at most two cells a level are open where the motion is convex in time.
        assert!((answer.statistics.bisections as f64) <= 4.0 * deepest, "{deepest} {answer:?}");
        if let Some(found) = finding(&answer.verdict) {
            let level = (0..60).find(|k| (found.t * 2f64.powi(*k)).fract() == 0.0).unwrap();
            assert!(f64::from(level) <= deepest, "{deepest} {answer:?}");
        }
    }
}

/// A pair a few margins above its clearance is free or too close, never undecided, as soon as there is a tolerance.
#[test]
fn with_a_tolerance_rounding_leaves_nothing_undecided() {
    let mut random = Random::new(5);
    for _ in 0..3000 {
        let gap = 10f64.powf(random.between(-17.0, -9.0)) * if random.below(4) == 0 { -1.0 } else { 1.0 };
        let mut world = World::new(0.0, 1e-3);
        let kind = [SLIDE_X, REVOLUTE_X][random.below(2)];
        world.link("world", "ball", kind, Pose::IDENTITY);
        world.thing("ball", "ball", at(0.25, 0.0, 0.0), Form::Ball(0.125));
        world.thing("other", "world", at(0.25 + 0.25 + gap, 0.0, 0.0), Form::Ball(0.125));
        // From nowhere at all to a few rounding errors to the left, and turning about its own centre.
        let moved = if random.below(2) == 0 { 0.0 } else { 10f64.powf(random.between(-17.0, -9.0)) };
        let path = [vec![0.0], vec![if kind == SLIDE_X { -moved } else { 1e4 * moved }]];
        let answer = world.check(&path);
        assert_ne!(word(&answer.verdict), "undecided", "gap {gap:e}, moved {moved:e}: {answer:?}");
        if gap <= -1e-12 {
            assert_ne!(word(&answer.verdict), "free");
        }
    }
}

#[test]
fn planes_that_are_no_planes_prove_nothing() {
    use pathproof::scene::{BodyShape, Role, Scene, SceneBody, SceneParts};
    use pathproof::shapes::{Body, Convex};
    for normal in [DVec3::NAN, DVec3::ZERO, DVec3::Z * 2.0, DVec3::new(0.0, 0.0, f64::INFINITY)] {
        let mut world = World::new(0.0, 0.0);
        world.link("world", "ball", SLIDE_Z, Pose::IDENTITY);
        let mut parts = SceneParts::new(world.model());
        let ball = BodyShape::Parts(Body::from_convex(Convex::sphere(0.5).unwrap()));
        let body = |name: &str, role, link, shape| SceneBody {
            name: name.into(),
            role,
            link,
            link_from_body: Pose::IDENTITY,
            shape,
        };
        parts.bodies =
            vec![body("ball", Role::Link, 1, ball), body("ground", Role::Obstacle, 0, BodyShape::HalfSpace { normal })];
        let Ok(scene) = Scene::new(parts) else { continue };
        let checker = Checker::new(scene);
        let answer = checker
            .path(&Motion::lines([vec![0.0], vec![0.1]]), &Settings::default(), &mut CheckScratch::new(&checker))
            .unwrap();
        assert_ne!(word(&answer.verdict), "free", "normal {normal}: {answer:?}");
    }
}
