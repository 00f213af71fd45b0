//! Bounds how far a body gets from its place at a midpoint, and how far it strays from its velocity, over half a cell.
//!
//! Let joint k, of those between an ancestor and the body, be off its value at the midpoint by δ_k. Move the joints
//! there one after the other, *base first*: when k moves, all joints below it are still as at the midpoint. So the body
//! is at its midpoint distance ρ_k from axis k, and a rigid motion G of the joints before carries it. Step k is G w
//! with w = (R(δ_k) − 1) r for turning, |w| ≤ |δ_k| ρ_k, and w = δ_k z for sliding. Joints that do both slide first.
//! [`Carried::upper_travel`] and [`BodyMotion::new`] state what follows.

use pathproof::numeric::{DVec3, Pose, ROUNDOFF_F64, most};

use crate::ball::{Placed, Vector};
use crate::chain::Chain;
use crate::segment::Moment;
use crate::solid::Solid;

/// A body at a midpoint, with the data that do not depend on the frame of the observer; in the world's axes.
#[derive(Clone, Debug)]
pub(crate) struct Carried {
    /// Pose of the body's centre.
    pub(crate) world_from_centre: Placed,
    spin: Vector,
    /// Velocity of the body's centre.
    velocity: Vector,
    /// The joints above it, from the world down.
    joints: Vec<Joint>,
}

/// Upper bounds on the effect of a joint on a body over a cell.
#[derive(Clone, Copy, Debug)]
struct Joint {
    frame: usize,
    /// Rate, and the body's speed from it: rate times ρ.
    angular: f64,
    turning: f64,
    /// Speed of sliding.
    linear: f64,
    /// Σ sup|q̈| ρ.
    change: f64,
}

impl Carried {
    /// At a moment, with bounds over the cell around it.
    pub(crate) fn new(chain: &Chain, moment: &Moment, solid: &Solid<'_>) -> Self {
        let own = solid.frame;
        let still = BodyMotion::still(moment, solid);
        let mut carried = Self {
            world_from_centre: still.world_from_centre,
            spin: still.spin,
            velocity: still.velocity,
            joints: Vec::new(),
        };
        if own == 0 {
            return carried;
        }
        (carried.spin, carried.velocity) =
            (moment.spins[own], moment.velocity_at(own, still.world_from_centre.translation));
        let ends = solid.reach.ends_in_frame.map(|end| moment.poses[own].point(Vector::point(end)));
        let mut frame = own;
        while frame != 0 {
            let (speeds, origin) = (&moment.speeds[frame], moment.poses[frame].translation);
            // Distances from a line are convex: the largest over the segment at the body's core is at an end.
            let arm = |end: &Vector| moment.turns[frame].cross(*end - origin).upper_norm();
            let turning = match speeds.angular > 0.0 {
                true => most(arm(&ends[0]), arm(&ends[1])) + speeds.angular * solid.reach.radius,
                false => 0.0,
            };
            // Speed over rate gives the distance from the axis.
            let change = match speeds.angular_change > 0.0 {
                true => turning / speeds.angular * speeds.angular_change,
                false => 0.0,
            };
            let (angular, linear) = (speeds.angular, speeds.linear);
            carried.joints.push(Joint { frame, angular, turning, linear, change: change + speeds.linear_change });
            frame = chain.frames[frame].parent;
        }
        carried.joints.reverse();
        carried
    }

    /// The joints below an ancestor of the body; frames are numbered parents first.
    fn joints_below(&self, ancestor: usize) -> impl Iterator<Item = &Joint> {
        self.joints.iter().filter(move |joint| joint.frame > ancestor)
    }

    /// Upper bound on a point's distance from its place at the midpoint, over half the cell: **Σ_k |δ_k| ρ_k**
    /// (sliding: |δ_k|), where |δ_k| is at most `half` times sup|q̇_k| over the cell.
    pub(crate) fn upper_travel(&self, ancestor: usize, half: f64) -> f64 {
        let speed: f64 = self.joints_below(ancestor).map(|joint| joint.turning + joint.linear).sum();
        speed * half * self.inflation()
    }

    /// Covers sums and products of non-negative numbers: some 16 operations per joint, each off by u.
    fn inflation(&self) -> f64 {
        1.0 + 32.0 * ROUNDOFF_F64 * (self.joints.len() + 8) as f64
    }
}

/// The motion of a body around a midpoint, seen from an ancestor, in the world's axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyMotion {
    /// Pose of the body's centre.
    pub(crate) world_from_centre: Placed,
    pub(crate) spin: Vector,
    /// Velocity of the body's centre.
    pub(crate) velocity: Vector,
    /// Upper bound on how far a point strays from its velocity at the midpoint over half the cell.
    pub(crate) upper_bend: f64,
    /// Upper bound on a point's distance from its place at the midpoint.
    pub(crate) upper_travel: f64,
}

impl BodyMotion {
    /// No motion at all, at a given moment.
    pub(crate) fn still(moment: &Moment, solid: &Solid<'_>) -> Self {
        let world_from_centre = match solid.frame {
            0 => solid.frame_from_centre,
            frame => moment.poses[frame].after(&solid.frame_from_centre),
        };
        Self { world_from_centre, spin: Vector::ZERO, velocity: Vector::ZERO, upper_bend: 0.0, upper_travel: 0.0 }
    }

    /// Motion over the cell of half length `half` around the moment of `carried`, seen from the ancestor frame
    /// `ancestor`.
    ///
    /// Of w, δ_k z × r is linear and |w − δ_k z × r| ≤ δ_k² ρ_k/2, as R'' has norm 1; G turns w by at most Σ_{j<k}
    /// |δ_j|, j turning. Hence **a point strays from Σ_k δ_k ∂p/∂q_k by at most ½ Σ_k |δ_k| ρ_k (|δ_k| + 2 Σ_{j<k}
    /// |δ_j|)**, without the first |δ_k| for sliding. At τ after the midpoint |δ_k| ≤ |τ| sup|q̇_k|, and δ_k = τ q̇_k
    /// up to τ² sup|q̈_k|/2, suprema over the cell, which adds ½ τ² Σ_k sup|q̈_k| ρ_k. All of it is at most quadratic
    /// in τ.
    pub(crate) fn new(carried: &Carried, moment: &Moment, ancestor: usize, half: f64) -> Self {
        let world_from_centre = carried.world_from_centre;
        let (mut rates, mut acceleration) = (0.0, 0.0);
        for joint in carried.joints_below(ancestor) {
            acceleration += joint.turning * (joint.angular + 2.0 * rates) + joint.linear * 2.0 * rates + joint.change;
            rates += joint.angular;
        }
        let (spin, velocity) = match carried.joints.last() {
            Some(own) if own.frame > ancestor => {
                let of_ancestor = moment.velocity_at(ancestor, world_from_centre.translation);
                (carried.spin - moment.spins[ancestor], carried.velocity - of_ancestor)
            }
            _ => (Vector::ZERO, Vector::ZERO),
        };
        let upper_bend = acceleration * half * half * 0.5 * carried.inflation();
        let upper_travel = carried.upper_travel(ancestor, half);
        Self { world_from_centre, spin, velocity, upper_bend, upper_travel }
    }
}

/// Relative pose of two bodies' centres, and their motion, in the axes of the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relative {
    pub(crate) a_from_b: Pose,
    pub(crate) spins: [DVec3; 2],
    pub(crate) velocities: [DVec3; 2],
    pub(crate) half: f64,
    pub(crate) upper_bend: f64,
    pub(crate) upper_travel: f64,
    /// Upper bound on the errors of everything above, and on the rounding of gaps computed from it, in metres.
    pub(crate) margin: f64,
}

impl Relative {
    /// Replaces intervals by their middles. The margin covers the error of the middles at any point of the bodies, now
    /// or at an end of the cell, and 64 u of all lengths that a gap is summed from: gradients (8 operations), supports
    /// (8), offsets (8) and their sums, each off by u, and directions that are of unit length to 9 u.
    pub(crate) fn new(a: &Solid<'_>, b: &Solid<'_>, of_a: &BodyMotion, of_b: &BodyMotion, half: f64) -> Self {
        let axes = of_a.world_from_centre.rotation.transpose();
        let turned = |v: Vector| axes.apply(v);
        let rotation = axes.after(&of_b.world_from_centre.rotation);
        let translation = turned(of_b.world_from_centre.translation - of_a.world_from_centre.translation);
        let spins = [turned(of_a.spin), turned(of_b.spin)];
        let velocities = [turned(of_a.velocity), turned(of_b.velocity)];
        let (reach_a, reach_b) = (a.reach.from_centre, b.reach.from_centre);
        let size = |v: &Vector| v.upper_norm();
        let off_position = rotation.radius * reach_b + translation.radius() + a.reach.rounding + b.reach.rounding;
        let off_speed = velocities[0].radius()
            + velocities[1].radius()
            + spins[0].radius() * reach_a
            + (spins[1].radius() + size(&spins[1]) * rotation.radius) * reach_b
            + size(&spins[0]) * a.reach.rounding
            + size(&spins[1]) * b.reach.rounding;
        let lengths = reach_a
            + 2.0 * reach_b
            + size(&translation)
            + half
                * (size(&velocities[0])
                    + size(&velocities[1])
                    + size(&spins[0]) * reach_a
                    + 2.0 * size(&spins[1]) * reach_b);
        let margin = (off_position + half * off_speed + 64.0 * ROUNDOFF_F64 * lengths) * (1.0 + 1e-12) + 1e-300;
        Self {
            a_from_b: Pose { rotation: rotation.middle, translation: translation.middle() },
            spins: spins.map(Vector::middle),
            velocities: velocities.map(Vector::middle),
            half,
            upper_bend: (of_a.upper_bend + of_b.upper_bend) * (1.0 + 1e-14),
            upper_travel: (of_a.upper_travel + of_b.upper_travel) * (1.0 + 1e-14),
            margin,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::{self, Curved};
    use crate::segment::Segment;
    use std::f64::consts::FRAC_PI_2;

    use pathproof::certificate::CurveClaim;
    use pathproof::numeric::{DQuat, Random};
    use pathproof::robot::interpolation::{Knot, controller};
    use pathproof::robot::{self, CurvePiece, JointKind, JointSpec, Kinematics, Mimic, Model};
    use pathproof::scene::{BodyShape, Role, SceneBody};
    use pathproof::shapes::{Body, Convex};

    const TURN: JointKind = JointKind::Revolute { axis: DVec3::Z };
    const SLIDE: JointKind = JointKind::Prismatic { axis: DVec3::X };
    const DRIVE: JointKind = JointKind::Planar { axis: DVec3::Z };
    /// Sides of a body that approximates a point.
    const SPECK: [f64; 3] = [1e-9; 3];

    /// Samples per half.
    const STEPS: u32 = 16;
    /// Error of samples, in metres; also added to bounds that may be 0.
    const SAMPLED: f64 = 1e-12;
    const TINY: f64 = 1e-15;

    /// A box at the end of a chain of joints, over a cell of a segment.
    #[derive(Clone, Debug)]
    struct Case {
        joints: Vec<JointSpec>,
        link_from_box: Pose,
        sides: [f64; 3],
        path: [Vec<f64>; 2],
        /// Times, velocities and accelerations, where it runs along a curve.
        curve: Option<CurveClaim>,
        /// The link from which the motion is seen; 0 is the world.
        seen_from: usize,
        cell: [f64; 2],
    }

    /// The verifier's bounds for a case, and the largest share of them that samples use. One way only: more than 1
    /// refutes a bound; less shows only how close it is.
    #[derive(Debug, Default)]
    struct Found {
        upper_bend: f64,
        upper_travel: f64,
        bend_share: f64,
        travel_share: f64,
    }

    impl Found {
        fn is_within(&self) -> bool {
            self.bend_share <= 1.0 && self.travel_share <= 1.0
        }
    }

    fn raise(largest: &mut f64, sampled: f64, bound: f64) {
        *largest = largest.max((sampled - SAMPLED) / (bound + TINY));
    }

    fn link(i: usize) -> String {
        format!("link {i}")
    }

    /// A speck at `tip` of the last joint. The joints are `apart` along x, and move from the configuration `start` at
    /// `rates`.
    fn speck(kinds: &[JointKind], apart: f64, tip: DVec3, start: &[f64], rates: &[f64], cell: [f64; 2]) -> Case {
        let place = |i: usize| Pose::from_translation(DVec3::X * if i == 0 { 0.0 } else { apart });
        let joint =
            |(i, kind): (usize, &JointKind)| JointSpec::new(&format!("{i}"), *kind, &link(i), &link(i + 1), place(i));
        Case {
            joints: kinds.iter().enumerate().map(joint).collect(),
            link_from_box: Pose::from_translation(tip),
            sides: SPECK,
            path: [start.to_vec(), start.iter().zip(rates).map(|(q, rate)| q + rate).collect()],
            curve: None,
            seen_from: 0,
            cell,
        }
    }

    impl Case {
        fn model(joints: &[JointSpec]) -> Model {
            Model::new(&link(0), (0..=joints.len()).map(link).collect(), joints.to_vec()).expect("a chain")
        }

        fn curves(&self, model: &Model) -> Vec<Curved> {
            let ends = [&self.path[0][..], &self.path[1][..]];
            let of = |claim| curve::curves(model.variables(), ends, claim, 0).expect("a curve");
            self.curve.as_ref().map_or_else(Vec::new, of)
        }

        /// The library's motion, which the verifier does not use.
        fn truth(&self, model: &Model) -> robot::SegmentMotion {
            let Some(claim) = &self.curve else {
                return robot::SegmentMotion::new(model, &self.path[0], &self.path[1]).expect("a motion");
            };
            let knot = |i: usize| Knot {
                time: claim.times[i],
                positions: self.path[i].clone(),
                velocities: claim.velocities[i].clone(),
                accelerations: claim.accelerations[i].clone(),
            };
            let pieces = controller(model, &[knot(0), knot(1)]).expect("a curve");
            let piece = CurvePiece::new(model, &pieces[0]).expect("a piece");
            robot::SegmentMotion::along(model, &piece).expect("a motion")
        }

        fn corners_in_link(&self) -> [DVec3; 8] {
            let side = |i: usize, k: usize| self.sides[k] * if i >> k & 1 == 0 { 0.5 } else { -0.5 };
            std::array::from_fn(|i| self.link_from_box.point(DVec3::new(side(i, 0), side(i, 1), side(i, 2))))
        }

        fn found(&self) -> Found {
            let model = Self::model(&self.joints);
            let number = |i: usize| model.link(&link(i)).expect("a link");
            let (seen_from, own) = (number(self.seen_from), number(self.joints.len()));
            let shape = BodyShape::Parts(Body::from_convex(Convex::cuboid(self.sides).expect("a box")));
            let link_from_body = self.link_from_box;
            let body = SceneBody { name: "box".into(), role: Role::Link, link: own, link_from_body, shape };
            let chain = Chain::new(&model);
            let solid = Solid::new(&model, &chain, &body).expect("a body");
            let curves = self.curves(&model);
            let segment = Segment::new(&chain, &self.path[0], &self.path[1], curves).expect("a segment");
            let [middle, half] = self.cell;
            let (moment, ancestor) = (segment.at(middle, half), chain.link(seen_from).0);
            let motion = BodyMotion::new(&Carried::new(&chain, &moment, &solid), &moment, ancestor, half);
            let (upper_bend, upper_travel) = (motion.upper_bend, motion.upper_travel);
            let mut found = Found { upper_bend, upper_travel, ..Found::default() };
            // The library's kinematics, which the verifier does not use.
            let truth = self.truth(&model);
            let mut kinematics = Kinematics::new(&model);
            let mut poses_at = |t: f64| {
                kinematics.set_time(&truth, t);
                [seen_from, own].map(|link| kinematics.world_from_link(&model, link))
            };
            let [seen, now] = poses_at(middle);
            let corners = self.corners_in_link();
            for way in [-1.0, 1.0] {
                for step in 1..=STEPS {
                    let share = f64::from(step) / f64::from(STEPS);
                    let time = way * half * share;
                    let [seen_then, then] = poses_at(middle + time);
                    let seen_from_box = seen * seen_then.inverse_mul(&then);
                    for corner in &corners {
                        let start = now.point(*corner);
                        let arm = start - motion.world_from_centre.translation.middle();
                        let velocity = motion.velocity.middle() + motion.spin.middle().cross(arm);
                        let p = seen_from_box.point(*corner);
                        let stray = (p - start - velocity * time).length();
                        // Displacement under constant acceleration grows with the square of time.
                        raise(&mut found.bend_share, stray, upper_bend * share * share);
                        raise(&mut found.travel_share, (p - start).length(), upper_travel * share);
                    }
                }
            }
            found
        }
    }

    /// Chains in which some point attains the bounds: a missing term is noticed.
    #[test]
    fn bounds_are_closed_forms_where_these_are_known() {
        let half = 1.0 / 64.0;
        // With the acceleration and the speed of the tip at the midpoint, where all joints are at zero.
        let assert_tight =
            |kinds: &[JointKind], apart: f64, tip: DVec3, rates: &[f64], acceleration: f64, speed: f64| {
                let start: Vec<f64> = rates.iter().map(|rate| -0.5 * rate).collect();
                let found = speck(kinds, apart, tip, &start, rates, [0.5, half]).found();
                let bend = 0.5 * acceleration * half * half;
                let is_bend = (bend * (1.0 - 1e-6)..=bend * 1.05 + 1e-9).contains(&found.upper_bend);
                let is_travel = (half * speed * (1.0 - 1e-6)..=half * speed * 1.01).contains(&found.upper_travel);
                assert!(is_bend && is_travel, "{kinds:?}: {found:?}, {bend}, {}", half * speed);
                assert!(found.is_within() && found.travel_share > 0.95, "{kinds:?}: {found:?}");
                assert!(acceleration == 0.0 || found.bend_share > 0.9, "{kinds:?}: {found:?}");
            };
        let tip = DVec3::X * 0.7;
        assert_tight(&[SLIDE], 0.0, tip, &[2.0], 0.0, 2.0);
        // r ω².
        assert_tight(&[TURN], 0.0, tip, &[1.5], 0.7 * 1.5 * 1.5, 0.7 * 1.5);
        assert_tight(&[SLIDE, TURN], 0.0, DVec3::NEG_Y * 0.7, &[2.0, 1.5], 0.7 * 1.5 * 1.5, 2.0 + 0.7 * 1.5);
        // An elbow, stretched: 1.2 ω₁² + 0.7 (2 ω₁ + ω₂) ω₂.
        assert_tight(&[TURN, TURN], 0.5, tip, &[1.0, 2.0], 1.2 + 0.7 * 4.0 * 2.0, 1.2 + 0.7 * 2.0);
        // 2 ω v while it slides over the axis that it is turned about.
        assert_tight(&[TURN, SLIDE], 0.0, DVec3::ZERO, &[1.5, 2.0], 2.0 * 1.5 * 2.0, 2.0);
        assert_tight(&[DRIVE, SLIDE], 0.0, DVec3::ZERO, &[0.0, 0.0, 1.5, 2.0], 2.0 * 1.5 * 2.0, 2.0);
        assert_tight(&[TURN, DRIVE], 0.0, DVec3::ZERO, &[1.5, 1.2, 1.6, 0.0], 2.0 * 1.5 * 2.0, 2.0);
    }

    fn random_joint(random: &mut Random, i: usize, drivers: &mut Vec<String>) -> JointSpec {
        // Aligned joints use the bounds up; other joints are typical of robots.
        let axis = match random.below(3) {
            0 => random.direction(),
            _ => [DVec3::X, DVec3::Y, DVec3::Z][random.below(3)] * [1.0, -1.0][random.below(2)],
        };
        let kind = match random.below(8) {
            0..=3 => JointKind::Revolute { axis },
            4 | 5 => JointKind::Prismatic { axis },
            6 => JointKind::Planar { axis },
            _ => JointKind::Floating,
        };
        let place = match random.below(3) {
            0 => random.pose(0.5),
            1 => Pose::from_translation([DVec3::X, DVec3::Y, DVec3::Z][random.below(3)] * random.between(-1.0, 1.0)),
            _ => Pose::IDENTITY,
        };
        let mut joint = JointSpec::new(&format!("{i}"), kind, &link(i), &link(i + 1), place);
        if kind.variable_count() == 1 {
            match drivers.first() {
                Some(driver) if random.below(4) == 0 => {
                    let (multiplier, offset) = (random.between(-2.0, 2.0), random.between(-0.5, 0.5));
                    joint.mimic = Some(Mimic { joint: driver.clone(), multiplier, offset });
                }
                _ => drivers.push(joint.name.clone()),
            }
        }
        joint
    }

    fn random_case(random: &mut Random, is_curved: bool) -> Case {
        let mut drivers = Vec::new();
        let joints: Vec<JointSpec> = (0..1 + random.below(4)).map(|i| random_joint(random, i, &mut drivers)).collect();
        let model = Case::model(&joints);
        let level = random.below(7);
        let half = 0.5 / f64::from(1 << level);
        let middle = half * (2 * random.below(1 << level) + 1) as f64;
        let most = [0.5, 2.0, 6.0][random.below(3)];
        let mut path = [Vec::new(), Vec::new()];
        for _ in model.variables() {
            let rate = random.between(-most, most);
            // Right angles at the midpoint, in half of the cases.
            let at_middle = match random.below(2) {
                0 => random.between(-2.0, 2.0),
                _ => f64::from(random.below(4) as u32) * FRAC_PI_2,
            };
            path[0].push(at_middle - middle * rate);
            path[1].push(at_middle + (1.0 - middle) * rate);
        }
        for i in (0..model.variables().len()).filter(|&i| model.variables()[i].name.ends_with(".qx")) {
            let start = DQuat::from_axis_angle(random.direction(), random.between(-3.0, 3.0));
            let goal = start * DQuat::from_axis_angle(random.direction(), random.between(0.0, 3.0));
            path[0][i..i + 4].copy_from_slice(&start.to_array());
            path[1][i..i + 4].copy_from_slice(&goal.to_array());
        }
        let link_from_box = match random.below(2) {
            0 => random.pose(0.5),
            _ => Pose::from_translation([DVec3::X, DVec3::Y, DVec3::Z][random.below(3)] * random.between(-1.0, 1.0)),
        };
        let sides = match random.below(3) {
            0 => SPECK,
            1 => [0, 1, 2].map(|_| random.between(0.01, 0.5)),
            _ => [1.0, 0.01, 0.01],
        };
        let count = path[0].len();
        let mut list = |size: f64| Some((0..count).map(|_| random.between(-size, size)).collect::<Vec<f64>>());
        let velocities = vec![list(most), list(most)];
        let accelerations = vec![list(3.0 * most), list(3.0 * most)];
        let degree = random.below(3);
        let curve = is_curved.then(|| CurveClaim {
            times: vec![0.5, 0.5 + random.between(0.3, 2.0)],
            velocities: if degree > 0 { velocities } else { vec![None; 2] },
            accelerations: if degree > 1 { accelerations } else { vec![None; 2] },
        });
        let seen_from = random.below(joints.len());
        Case { seen_from, joints, link_from_box, sides, path, curve, cell: [middle, half] }
    }

    #[test]
    fn no_point_strays_or_goes_farther_than_its_bounds() {
        let mut random = Random::new(0xACCE_1E7A);
        let mut used = [0.0f64; 2];
        for number in 0..10_000 {
            let case = random_case(&mut random, false);
            let found = case.found();
            assert!(found.is_within(), "case {number}: {found:?}\n{case:#?}");
            used = [used[0].max(found.bend_share), used[1].max(found.travel_share)];
        }
        // A bound that nothing uses up could be halved unnoticed.
        assert!(used.iter().all(|share| *share > 0.99), "{used:?}");
    }

    #[test]
    fn no_point_strays_or_goes_farther_than_its_bounds_on_a_curve() {
        let mut random = Random::new(0xC0_4E55);
        let mut used = [0.0f64; 2];
        for number in 0..6_000 {
            let case = random_case(&mut random, true);
            let found = case.found();
            assert!(found.is_within(), "case {number}: {found:?}\n{case:#?}");
            used = [used[0].max(found.bend_share), used[1].max(found.travel_share)];
        }
        assert!(used.iter().all(|share| *share > 0.95), "{used:?}");
    }
}
