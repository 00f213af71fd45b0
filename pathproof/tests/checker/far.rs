//! Far from the origin and beyond all reason: rounding of poses that exceeds that of boxes, and displacements whose
//! products leave the range of single precision. Whatever is lost there, `free` is never wrong.

use crate::common::{Form, World, at, box_mesh, word};
use pathproof::check::Verdict;
use pathproof::numeric::{DQuat, DVec3, Pose};
use pathproof::robot::JointKind;

const SLIDE_X: JointKind = JointKind::Prismatic { axis: DVec3::X };
const SLIDE_Y: JointKind = JointKind::Prismatic { axis: DVec3::Y };
const SLIDE_Z: JointKind = JointKind::Prismatic { axis: DVec3::Z };

/// A billion metres out, where neighbouring numbers are 1e-7 apart.
const FAR: f64 = (1u64 << 30) as f64;

/// A product that overflowed once turned what approaches into what parts: free where the balls meet at t = 0.3.
#[test]
fn displacements_whose_products_overflow_certify_nothing() {
    for scale in [1e-6, 1e-3, 1.0] {
        let mut world = World::new(0.0, 0.0);
        for name in ["a", "b"] {
            let link = |axis: &str| format!("{name}{axis}");
            world.link("world", &link("x"), SLIDE_X, Pose::IDENTITY);
            world.link(&link("x"), &link("y"), SLIDE_Y, Pose::IDENTITY);
            world.link(&link("y"), &link("z"), SLIDE_Z, Pose::IDENTITY);
        }
        let turn = DQuat::from_rotation_arc(DVec3::X, DVec3::ONE.normalize());
        world.thing("a", "az", Pose::IDENTITY, Form::Ball(9e11));
        world.thing("b", "bz", Pose::from_quaternion(turn, DVec3::ZERO), Form::Ball(9e11));
        let (common, approach) = (DVec3::new(2.0, 2.0, -3.3) * 8e22 * scale, DVec3::ONE * 1e16 / 0.075);
        let at = |t: f64| {
            let (a, b) = (common * t, common * t + approach * (t - 0.3));
            vec![a.x, a.y, a.z, b.x, b.y, b.z]
        };
        assert_eq!(word(&world.check(&[at(0.3)]).verdict), "collision");
        assert_ne!(word(&world.check(&[at(0.0), at(1.0)]).verdict), "free", "{scale}");
    }
}

/// Bodies of a millimetre: their poses round by more than their boxes and balls do.
#[test]
fn rounding_of_poses_counts_beside_small_boxes() {
    for form in [Form::Cuboid([1e-3; 3]), box_mesh([1e-3; 3]), Form::Ball(0.5e-3)] {
        for (gap, expected) in [(4e-5, "undecided"), (1e-3, "free")] {
            let mut world = World::new(0.0, 0.0);
            world.link("world", "slider", SLIDE_Y, at(FAR, 0.0, 0.0));
            world.thing("slider", "slider", Pose::IDENTITY, form.clone());
            world.thing("stone", "world", at(FAR + 1e-3 + gap, 0.0, 0.0), form.clone());
            let answer = world.check(&[vec![-1e-6], vec![1e-6]]);
            assert_eq!(word(&answer.verdict), expected, "{gap}: {answer:?}");
        }
    }
}

#[test]
fn lower_clearance_allows_for_the_rounding_of_poses() {
    let ulp = FAR.next_up() - FAR;
    for form in [Form::Cuboid([1e-3; 3]), box_mesh([1e-3; 3])] {
        let mut world = World::new(0.0, 0.0);
        world.link("world", "slider", SLIDE_X, at(FAR, 0.0, 0.0));
        world.thing("slider", "slider", Pose::IDENTITY, form.clone());
        let steps = (1.2e-3 / ulp).round();
        world.thing("stone", "world", at(FAR + steps * ulp, 0.0, 0.0), form.clone());
        // Lost when it is added to the slider's place.
        let q = 0.49 * ulp;
        let answer = world.check(&[vec![q], vec![q]]);
        let Verdict::Free(free) = &answer.verdict else { panic!("{answer:?}") };
        let gap = steps * ulp - q - 1e-3;
        assert!(free.lower_clearance() <= gap, "{} of {gap}", free.lower_clearance());
    }
}
