//! One segment of a path in intervals: rates and offsets of all frames, and all poses and velocities at a time.
//!
//! Every joint slides, then turns about an axis, both seen from its place at zero: at constant rates on a straight
//! segment, along polynomials on a curve. A floating joint turns along the shortest arc, start · exp(θ·axis·t).

use pathproof::numeric::{DVec3, least, most};
use pathproof::robot::JointKind;

use crate::ball::{Placed, Rotation, Vector};
use crate::chain::{Chain, Frame};
use crate::curve::Curved;
use crate::interval::{Interval, upper_norm};

/// Motion of a frame in its parent, over the whole segment; velocities are those of a straight one.
#[derive(Clone, Copy, Debug)]
struct Rate {
    linear_in_zero: [Interval; 3],
    angular_in_zero: [Interval; 3],
    upper_linear: f64,
    upper_angular: f64,
    arc: Option<Arc>,
}

/// Upper bounds on the motion of a frame in its parent over a cell: speeds, and their rates of change.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Speeds {
    pub(crate) linear: f64,
    pub(crate) angular: f64,
    pub(crate) linear_change: f64,
    pub(crate) angular_change: f64,
}

/// A floating joint's rotation: start · (sideways · sin(θt)/sin θ, cos θt).
#[derive(Clone, Copy, Debug)]
struct Arc {
    start: [Interval; 4],
    sideways: [Interval; 3],
    sine: Interval,
    half_angle: Interval,
}

/// A segment between two configurations.
#[derive(Clone, Debug)]
pub(crate) struct Segment<'a> {
    chain: &'a Chain,
    start: &'a [f64],
    goal: &'a [f64],
    /// One per variable; none on a straight segment.
    curves: Vec<Curved>,
    rates: Vec<Rate>,
}

/// Poses of frames at a time, and their motion; everything in the world.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    pub(crate) poses: Vec<Placed>,
    /// Angular velocities.
    pub(crate) spins: Vec<Vector>,
    /// Velocities of the frames' origins.
    pub(crate) velocities: Vec<Vector>,
    /// Along each joint's axis, as long as the largest rate over the cell around the time.
    pub(crate) turns: Vec<Vector>,
    /// Bounds over that cell.
    pub(crate) speeds: Vec<Speeds>,
}

impl Moment {
    /// Velocity at a point carried by a frame.
    pub(crate) fn velocity_at(&self, frame: usize, point: Vector) -> Vector {
        self.velocities[frame] + self.spins[frame].cross(point - self.poses[frame].translation)
    }
}

impl<'a> Segment<'a> {
    /// A segment between two configurations; straight without curves.
    pub(crate) fn new(
        chain: &'a Chain,
        start: &'a [f64],
        goal: &'a [f64],
        curves: Vec<Curved>,
    ) -> Result<Self, &'static str> {
        let mut segment = Self { chain, start, goal, curves, rates: Vec::with_capacity(chain.frames.len()) };
        for frame in &chain.frames {
            segment.rates.push(segment.rate(frame)?);
        }
        Ok(segment)
    }

    /// The value of the variable `i` places after a frame's first, at `t`.
    fn variable(&self, frame: &Frame, i: usize, t: f64) -> Interval {
        if let Some(curve) = self.curves.get(frame.source.variable + i) {
            return curve.position.value(t);
        }
        let (a, b) = (self.start[frame.source.variable + i], self.goal[frame.source.variable + i]);
        Interval::point(1.0 - t) * Interval::point(a) + Interval::point(t) * Interval::point(b)
    }

    /// The value of a joint of one variable at `t`.
    fn value(&self, frame: &Frame, t: f64) -> Interval {
        driven(frame, self.variable(frame, 0, t))
    }

    /// Offset of a frame's origin from zero at `t`.
    fn slid(&self, frame: &Frame, t: f64) -> Vector {
        Vector::new(slid(frame, |i| self.variable(frame, i, t)))
    }

    /// Linear and angular velocity of a frame from zero at `t`.
    fn velocities(&self, frame: &Frame, rate: &Rate, t: f64) -> [[Interval; 3]; 2] {
        if self.curves.is_empty() {
            return [rate.linear_in_zero, rate.angular_in_zero];
        }
        self.derivatives(frame, rate, |curve| curve.velocity.value(t))
    }

    /// A derivative of a frame's motion from zero, linear and angular, from that of its variables. A floating joint
    /// turns at a constant rate.
    fn derivatives(&self, frame: &Frame, rate: &Rate, of: impl Fn(&Curved) -> Interval) -> [[Interval; 3]; 2] {
        let zero = Interval::ZERO;
        let at = |i: usize| of(&self.curves[frame.source.variable + i]);
        let scaled = || Interval::point(frame.source.multiplier) * at(0);
        match frame.kind {
            JointKind::Fixed => [[zero; 3]; 2],
            JointKind::Revolute { .. } => [[zero; 3], [zero, zero, scaled()]],
            JointKind::Prismatic { .. } => [[zero, zero, scaled()], [zero; 3]],
            JointKind::Planar { .. } => [[at(0), at(1), zero], [zero, zero, at(2)]],
            JointKind::Floating => [[at(0), at(1), at(2)], rate.angular_in_zero],
        }
    }

    /// Bounds over the cell of half length `half` around `t`.
    fn speeds(&self, frame: &Frame, rate: &Rate, t: f64, half: f64) -> Speeds {
        let (linear, angular) = (rate.upper_linear, rate.upper_angular);
        if self.curves.is_empty() {
            return Speeds { linear, angular, ..Speeds::default() };
        }
        let (from, to) = (most(t - half, 0.0), least(t + half, 1.0));
        let [linear, angular] = self.derivatives(frame, rate, |curve| curve.velocity.over(from, to)).map(upper_norm);
        let [linear_change, angular_change] =
            self.derivatives(frame, rate, |curve| curve.acceleration.over(from, to)).map(upper_norm);
        let turns_evenly = frame.kind == JointKind::Floating;
        Speeds { linear, angular, linear_change, angular_change: if turns_evenly { 0.0 } else { angular_change } }
    }

    fn rate(&self, frame: &Frame) -> Result<Rate, &'static str> {
        let zero = Interval::ZERO;
        let change = |i: usize| {
            let i = frame.source.variable + i;
            Interval::point(self.goal[i]) - Interval::point(self.start[i])
        };
        let driven = || Interval::point(frame.source.multiplier) * change(0);
        let mut arc = None;
        let (linear, angular) = match frame.kind {
            JointKind::Fixed => ([zero; 3], [zero; 3]),
            JointKind::Revolute { .. } => ([zero; 3], [zero, zero, driven()]),
            JointKind::Prismatic { .. } => ([zero, zero, driven()], [zero; 3]),
            JointKind::Planar { .. } => ([change(0), change(1), zero], [zero, zero, change(2)]),
            JointKind::Floating => {
                let found = self.arc(frame)?;
                arc = Some(found);
                ([0, 1, 2].map(change), found.rate())
            }
        };
        Ok(Rate {
            upper_linear: upper_norm(linear),
            upper_angular: upper_norm(angular),
            linear_in_zero: linear,
            angular_in_zero: angular,
            arc,
        })
    }

    fn arc(&self, frame: &Frame) -> Result<Arc, &'static str> {
        let first = frame.source.variable + 3;
        let unit = |q: &[f64]| {
            let q: [Interval; 4] = std::array::from_fn(|i| Interval::point(q[first + i]));
            let norm = (q[0].square() + q[1].square() + q[2].square() + q[3].square()).sqrt();
            let is_unit = norm.lo() > 1.0 - 2e-6 && norm.hi() < 1.0 + 2e-6;
            is_unit.then(|| q.map(|c| c.over(norm))).ok_or("a quaternion is not of unit length")
        };
        let (start, goal) = (unit(self.start)?, unit(self.goal)?);
        let mut turn = times([-start[0], -start[1], -start[2], start[3]], goal);
        if turn[3].middle() < 0.0 {
            turn = turn.map(|c| -c);
        }
        if !(turn[3].lo() > 0.0) {
            return Err("a floating joint turns by half a turn, which has no shortest arc");
        }
        let sideways = [turn[0], turn[1], turn[2]];
        let sine = (turn[0].square() + turn[1].square() + turn[2].square()).sqrt();
        // On the unit circle an angle changes by at most 1.1 times the change of sine and cosine together.
        let middle = libm::atan2(sine.middle(), turn[3].middle());
        let half_angle = Interval::around(middle, 1.1 * (sine.radius() + turn[3].radius()) + 1e-15);
        Ok(Arc { start, sideways, sine, half_angle })
    }

    /// Everything at `t`, a multiple of 2^−52, with bounds over the cell of half length `half` around it.
    pub(crate) fn at(&self, t: f64, half: f64) -> Moment {
        let count = self.chain.frames.len();
        let mut moment = Moment {
            poses: Vec::with_capacity(count),
            spins: Vec::with_capacity(count),
            velocities: Vec::with_capacity(count),
            turns: Vec::with_capacity(count),
            speeds: Vec::with_capacity(count),
        };
        moment.poses.push(Placed::IDENTITY);
        moment.speeds.push(Speeds::default());
        for list in [&mut moment.spins, &mut moment.velocities, &mut moment.turns] {
            list.push(Vector::ZERO);
        }
        for (frame, rate) in self.chain.frames.iter().zip(&self.rates).skip(1) {
            let parent = frame.parent;
            let zero = moment.poses[parent].after(&frame.parent_from_zero);
            let translation = zero.point(self.slid(frame, t));
            let rotation = match (frame.kind, &rate.arc) {
                (JointKind::Revolute { .. }, _) => turned(&zero.rotation, self.value(frame, t)),
                (JointKind::Planar { .. }, _) => turned(&zero.rotation, self.variable(frame, 2, t)),
                (_, Some(arc)) => zero.rotation.after(&arc.rotation(t)),
                _ => zero.rotation,
            };
            let [linear, angular] = self.velocities(frame, rate, t).map(Vector::new);
            let turn = zero.rotation.apply(angular);
            let speeds = self.speeds(frame, rate, t, half);
            let arm = translation - moment.poses[parent].translation;
            let carried = moment.velocities[parent] + moment.spins[parent].cross(arm);
            moment.spins.push(moment.spins[parent] + turn);
            moment.velocities.push(carried + zero.rotation.apply(linear));
            moment.speeds.push(speeds);
            let is_even = self.curves.is_empty() || frame.kind == JointKind::Floating;
            let fastest = Vector::point(DVec3::Z * speeds.angular);
            moment.turns.push(if is_even { turn } else { zero.rotation.apply(fastest) });
            moment.poses.push(Placed { rotation, translation });
        }
        moment
    }
}

/// The value of a joint of one variable, from its variable.
fn driven(frame: &Frame, variable: Interval) -> Interval {
    Interval::point(frame.source.multiplier) * variable + Interval::point(frame.source.offset)
}

/// Offset of a frame's origin from zero, from the values of its variables.
fn slid(frame: &Frame, variable: impl Fn(usize) -> Interval) -> [Interval; 3] {
    let zero = Interval::ZERO;
    match frame.kind {
        JointKind::Fixed | JointKind::Revolute { .. } => [zero; 3],
        JointKind::Prismatic { .. } => [zero, zero, driven(frame, variable(0))],
        JointKind::Planar { .. } => [variable(0), variable(1), zero],
        JointKind::Floating => [variable(0), variable(1), variable(2)],
    }
}

/// Turned about its own z axis.
fn turned(zero: &Rotation, angle: Interval) -> Rotation {
    let ((s, c), none, one) = (angle.sin_cos(), Interval::ZERO, Interval::ONE);
    let turn = [[c, s, none], [-s, c, none], [none, none, one]];
    zero.after(&Rotation::of_columns(turn))
}

impl Arc {
    /// Below this sine (θ at most 1.01e-4) series bound quotients of sines.
    const SMALL: f64 = 1e-4;

    /// sin(θt)/sin θ. With θ small it is in t·[1 − θ²/6, 1 + θ²/5], as x − x³/6 ≤ sin x ≤ x.
    fn share(&self, t: f64) -> Interval {
        if self.sine.lo() > Self::SMALL {
            return (self.half_angle * Interval::point(t)).sin_cos().0.over(self.sine);
        }
        self.near_one() * Interval::point(t)
    }

    /// [1 − θ², 1 + θ²].
    fn near_one(&self) -> Interval {
        Interval::around(1.0, self.half_angle.square().hi())
    }

    /// The angular velocity from zero: 2θ about the axis, which `start` turns.
    fn rate(&self) -> [Interval; 3] {
        let ratio = if self.sine.lo() > Self::SMALL { self.half_angle.over(self.sine) } else { self.near_one() };
        let twice = ratio * Interval::point(2.0);
        let in_zero = matrix(self.start).apply(Vector::new(self.sideways.map(|c| c * twice)));
        [0, 1, 2].map(|axis| in_zero.component(axis))
    }

    fn rotation(&self, t: f64) -> Rotation {
        let share = self.share(t);
        let [x, y, z] = self.sideways.map(|c| c * share);
        matrix(times(self.start, [x, y, z, (self.half_angle * Interval::point(t)).sin_cos().1]))
    }
}

/// The product of two quaternions (x, y, z, w).
fn times([ax, ay, az, aw]: [Interval; 4], [bx, by, bz, bw]: [Interval; 4]) -> [Interval; 4] {
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

/// The rotation of a unit quaternion.
fn matrix([x, y, z, w]: [Interval; 4]) -> Rotation {
    let (one, two) = (Interval::ONE, Interval::point(2.0));
    let (xx, yy, zz) = (x.square(), y.square(), z.square());
    let (xy, xz, yz, wx, wy, wz) = (x * y, x * z, y * z, w * x, w * y, w * z);
    Rotation::of_columns([
        [one - two * (yy + zz), two * (xy + wz), two * (xz - wy)],
        [two * (xy - wz), one - two * (xx + zz), two * (yz + wx)],
        [two * (xz + wy), two * (yz - wx), one - two * (xx + yy)],
    ])
}
