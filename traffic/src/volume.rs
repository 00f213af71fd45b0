//! Space: poses, boxes of convex parts, and bounds on their distance by the library's GJK.
//!
//! GJK takes the relative pose as exact. Forming it from two frames errs by less than 32 u of the distance and the
//! reaches ([`MARGIN`]); `Trajectory::upper_rounding` covers the placement of the frames.

use super::compound::{Compound, Geometry, Part, Workspace};
use super::narrow::{Placed, Proximity, Space, State, larger, smaller};
use super::trajectory::{Trajectory, Turning};
use pathproof::distance::gjk::{self, Tracker};
use pathproof::distance::penetration;
use pathproof::numeric::{DMat3, DQuat, DVec3, Pose, ROUNDOFF_F64, unit};
use pathproof::shapes::Convex;

/// Relative rounding of a relative pose.
const MARGIN: f64 = 32.0 * ROUNDOFF_F64;

/// The spatial [`Space`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Volume;

impl Space for Volume {
    const DIMENSIONS: usize = 3;
    const WORKSPACE: Workspace = Workspace::Volume;
    type Vector = DVec3;
    type Frame = Pose;

    fn knot(trajectory: &Trajectory, knot: usize) -> Pose {
        let (rotations, _) = turning(trajectory);
        Pose::from_quaternion(rotations[knot], DVec3::from_array(trajectory.position(knot)))
    }

    fn between(trajectory: &Trajectory, piece: usize, fraction: f64) -> Pose {
        let (rotations, turns) = turning(trajectory);
        let [from, to] = [piece, piece + 1].map(|knot| DVec3::from_array(trajectory.position(knot)));
        let turn = Pose::from_axis_angle(turns[piece].axis, turns[piece].angle * fraction, DVec3::ZERO);
        Pose {
            rotation: turn.rotation * DMat3::from_quat(rotations[piece]),
            translation: from + (to - from) * fraction,
        }
    }

    fn place(world_from_local: &Pose, local: &Pose) -> Pose {
        *world_from_local * *local
    }

    fn frame(pose: &Pose) -> Pose {
        *pose
    }

    fn point(frame: &Pose, p: [f64; 3]) -> [f64; 3] {
        frame.point(DVec3::from_array(p)).to_array()
    }

    fn turned_box(frame: &Pose, centre: [f64; 3], half: [f64; 3]) -> [[f64; 3]; 2] {
        let sizes = DMat3::from_cols_array(&frame.rotation.to_cols_array().map(f64::abs));
        [frame.vector(DVec3::from_array(centre)).to_array(), (sizes * DVec3::from_array(half)).to_array()]
    }

    fn position(frame: &Pose) -> [f64; 3] {
        frame.translation.to_array()
    }

    fn difference(from: &Pose, to: &Pose) -> DVec3 {
        to.translation - from.translation
    }

    fn length_squared(v: DVec3) -> f64 {
        v.length_squared()
    }

    fn extent(compound: &Compound, state: &State<Pose>) -> [[f64; 3]; 2] {
        let [mut low, mut high] = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        // About the reference point, so that distance from the origin costs no precision.
        let turned = Pose { translation: DVec3::ZERO, ..state.frame };
        for part in compound.parts() {
            let (convex, body_from_part) = convex(part);
            let own = convex.aabb(&(turned * *body_from_part));
            for axis in 0..3 {
                (low[axis], high[axis]) = (smaller(low[axis], own.min[axis]), larger(high[axis], own.max[axis]));
            }
        }
        [low, high]
    }

    fn separation(a: Placed<'_, Pose>, b: Placed<'_, Pose>, n: DVec3) -> f64 {
        let pair = Pair::new(a, b);
        // Turned axes drift off length 1 by more than GJK allows for; NaN stays NaN.
        let n_in_a = unit(pair.world_from_a.inverse_vector(n)).unwrap_or(DVec3::NAN);
        gjk::lower_separation(pair.a, pair.b, &pair.a_from_b, n_in_a, [u32::MAX; 2]) - pair.margin
    }

    fn proximity(a: Placed<'_, Pose>, b: Placed<'_, Pose>, near: f64) -> Proximity<DVec3> {
        let pair = Pair::new(a, b);
        let mut tracker = Tracker::default();
        let mut found = gjk::distance(pair.a, pair.b, &pair.a_from_b, near + pair.margin, &mut tracker);
        if !(found.lower > 0.0) {
            found = penetration::signed_distance(pair.a, pair.b, &pair.a_from_b, &mut tracker);
        }
        Proximity {
            lower: found.lower - pair.margin,
            upper: found.upper + pair.margin,
            axis: unit(pair.world_from_a.vector(found.direction)).unwrap_or(DVec3::NAN),
        }
    }

    fn overlap(a: Placed<'_, Pose>, b: Placed<'_, Pose>) -> bool {
        Self::proximity(a, b, 0.0).upper <= 0.0
    }
}

fn turning(trajectory: &Trajectory) -> (&[DQuat], &[super::trajectory::AxisTurn]) {
    match &trajectory.turning {
        Turning::Volume { rotations, turns } => (rotations, turns),
        Turning::Plane { .. } => unreachable!("traffic holds trajectories of one workspace"),
    }
}

fn convex(part: &Part) -> (&Convex, &Pose) {
    match &part.geometry {
        Geometry::Convex { convex, body_from_part } => (convex, body_from_part),
        _ => unreachable!("traffic holds shapes of one workspace"),
    }
}

/// Two convex shapes and their relative pose.
struct Pair<'a> {
    a: &'a Convex,
    b: &'a Convex,
    world_from_a: Pose,
    a_from_b: Pose,
    margin: f64,
}

impl<'a> Pair<'a> {
    fn new(a: Placed<'a, Pose>, b: Placed<'a, Pose>) -> Self {
        let (convex_a, body_from_a) = convex(a.0);
        let (convex_b, body_from_b) = convex(b.0);
        // The difference of the reference points first, so that distance from the origin costs no precision.
        let d = Volume::difference(&a.1.frame, &b.1.frame);
        let world_from_a = Pose { translation: DVec3::ZERO, ..a.1.frame } * *body_from_a;
        let world_from_b = Pose { translation: d, ..b.1.frame } * *body_from_b;
        let size = d.x.abs() + d.y.abs() + d.z.abs() + a.0.upper_reach + b.0.upper_reach;
        let a_from_b = world_from_a.inverse_mul(&world_from_b);
        Self { a: convex_a, b: convex_b, world_from_a, a_from_b, margin: MARGIN * size }
    }
}
