//! The configurations that a planner searches: ranges, distances, samples, interpolation.
//!
//! Every variable is measured in fractions of its range. The distance of a floating joint is the larger of its
//! translation (over the longest side of its bounds) and its rotation (over π). SBL measures by the largest of these
//! ([`Space::distance`], docs/design.md#planning), path lengths are their Euclidean norm ([`Space::length`]). Nothing
//! here enters a proof.

use std::f64::consts::PI;

use super::error::PlanError;
use crate::numeric::{DQuat, Random, least, most, sin_cos};
use crate::robot::{JointKind, SegmentMotion, VariableKind};
use crate::scene::Scene;

/// The configurations of a scene, within limits.
#[derive(Clone, Debug)]
pub struct Space<'a> {
    scene: &'a Scene,
    axes: Vec<Axis>,
    turns: Vec<Turn>,
}

/// A variable that may move, but for quaternions.
#[derive(Clone, Copy, Debug)]
struct Axis {
    variable: usize,
    low: f64,
    high: f64,
    /// True if it is a coordinate of a floating joint, which is measured as a whole.
    is_floating: bool,
}

/// A floating joint.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// Index of x, followed by y and z.
    position: usize,
    /// Distance that counts as a whole range, in metres.
    range: f64,
}

impl Turn {
    fn quaternion(&self, q: &[f64]) -> DQuat {
        DQuat::from_slice(&q[self.position + 3..self.position + 7])
    }

    /// The larger of translation and rotation, as fractions.
    fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let squares = (self.position..self.position + 3).map(|i| (a[i] - b[i]) * (a[i] - b[i]));
        let moved = squares.sum::<f64>().sqrt() / self.range;
        let cosine = least(self.quaternion(a).dot(self.quaternion(b)).abs(), 1.0);
        most(moved, 2.0 * libm::acos(cosine) / PI)
    }
}

impl<'a> Space<'a> {
    /// The space of a scene that holds the given configurations. A joint that turns without limits gets half a turn to
    /// either side of zero and of each given configuration. A variable with a position in the scene
    /// ([`Scene::positions`]) on which all given configurations agree stays there.
    pub fn new(scene: &'a Scene, given: &[&[f64]]) -> Result<Self, PlanError> {
        let model = scene.model();
        let (mut axes, mut turns) = (Vec::new(), Vec::new());
        for (variable, of) in model.variables().iter().enumerate() {
            if of.kind == VariableKind::Quaternion {
                continue;
            }
            let values = || given.iter().map(|q| q[variable]);
            let is_floating = model.joints()[of.joint].kind == JointKind::Floating;
            // A floating joint is measured as a whole, and fixed as a whole.
            let whole =
                if is_floating { variable - of.component..variable - of.component + 7 } else { variable..variable + 1 };
            let agree = |variable: usize| given.windows(2).all(|q| q[0][variable] == q[1][variable]);
            let stays = !given.is_empty()
                && whole.clone().all(|variable| scene.positions()[variable].is_some() && agree(variable));
            if stays {
                continue;
            }
            let (mut low, mut high) = match (of.limits, of.kind) {
                (Some(limits), _) => limits,
                (None, VariableKind::Angle) => (-PI, PI),
                (None, _) => return Err(PlanError::Unbounded { variable: of.name.clone() }),
            };
            let slack = if of.limits.is_none() { PI } else { 0.0 };
            (low, high) = within_followers(scene, variable, low, high);
            low = values().fold(low, |low, value| least(low, value - slack));
            high = values().fold(high, |high, value| most(high, value + slack));
            axes.push(Axis { variable, low, high, is_floating });
            if is_floating && of.component == 2 {
                let sides = axes[axes.len() - 3..].iter().map(|axis| axis.high - axis.low);
                turns.push(Turn { position: variable - 2, range: most(sides.fold(0.0, most), f64::MIN_POSITIVE) });
            }
        }
        Ok(Self { scene, axes, turns })
    }

    /// The scene.
    pub fn scene(&self) -> &'a Scene {
        self.scene
    }

    /// The largest difference of two configurations in any joint, as a fraction of its range.
    pub fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        self.differences(a, b).fold(0.0, most)
    }

    /// The same if it is less than `most`, else `None`, which is faster.
    pub(super) fn distance_below(&self, a: &[f64], b: &[f64], most: f64) -> Option<f64> {
        let larger = |largest: f64, d: f64| (d < most).then_some(if d > largest { d } else { largest });
        self.differences(a, b).try_fold(0.0, larger)
    }

    /// The length of the straight line between two configurations: Euclidean over joints scaled to their ranges.
    pub fn length(&self, a: &[f64], b: &[f64]) -> f64 {
        self.differences(a, b).map(|d| d * d).sum::<f64>().sqrt()
    }

    /// The length of a path.
    pub fn path_length(&self, waypoints: &[Vec<f64>]) -> f64 {
        waypoints.windows(2).map(|ends| self.length(&ends[0], &ends[1])).sum()
    }

    fn differences<'q>(&'q self, a: &'q [f64], b: &'q [f64]) -> impl Iterator<Item = f64> + 'q {
        let alone = self.axes.iter().filter(|axis| !axis.is_floating);
        let alone = alone.map(|axis| (a[axis.variable] - b[axis.variable]).abs() / axis.width());
        alone.chain(self.turns.iter().map(|turn| turn.distance(a, b)))
    }

    /// Draws a configuration within limits; replaces `q`, except for the variables that stay.
    pub fn draw(&self, random: &mut Random, q: &mut [f64]) {
        for axis in &self.axes {
            q[axis.variable] = random.between(axis.low, axis.high);
        }
        for turn in &self.turns {
            let [u, v, w] = [0; 3].map(|_| random.unit());
            let ((s1, c1), (s2, c2)) = (sin_cos(2.0 * PI * v), sin_cos(2.0 * PI * w));
            let (a, b) = ((1.0 - u).sqrt(), u.sqrt());
            let uniform = DQuat::from_xyzw(a * s1, a * c1, b * s2, b * c2);
            uniform.write_to_slice(&mut q[turn.position + 3..turn.position + 7]);
        }
    }

    /// Draws a configuration from those within `radius` of `centre` in every joint, and within limits.
    pub fn draw_near(&self, random: &mut Random, centre: &[f64], radius: f64, q: &mut Vec<f64>) {
        q.clear();
        q.extend_from_slice(centre);
        for axis in &self.axes {
            let (value, reach) = (centre[axis.variable], radius * axis.width());
            q[axis.variable] = random.between(most(value - reach, axis.low), least(value + reach, axis.high));
        }
        for turn in &self.turns {
            self.turn_by(turn, random.direction(), random.between(0.0, least(radius, 0.9) * PI), q);
        }
    }

    fn turn_by(&self, turn: &Turn, axis: crate::numeric::DVec3, angle: f64, q: &mut [f64]) {
        let (s, c) = sin_cos(0.5 * angle);
        let turned = turn.quaternion(q) * DQuat::from_xyzw(axis.x * s, axis.y * s, axis.z * s, c);
        let unit = turned * (1.0 / turned.length());
        unit.write_to_slice(&mut q[turn.position + 3..turn.position + 7]);
    }

    /// Number of degrees of freedom that a walk changes one at a time: variables, and for a floating joint its
    /// rotation.
    pub fn freedoms(&self) -> usize {
        self.axes.len() + self.turns.len()
    }

    /// For each degree of freedom, the links that its joint moves, including followers.
    pub(super) fn moved_links(&self) -> Vec<Vec<bool>> {
        let model = self.scene.model();
        let moves = |variable: usize, link: usize| {
            let joint_of = |link: usize| model.links()[link].joint.map(|joint| &model.joints()[joint]);
            let mut above = std::iter::successors(joint_of(link), |joint| joint_of(joint.parent));
            above.any(|joint| {
                let count = joint.kind.variable_count();
                joint.source.is_some_and(|source| (source.variable..source.variable + count).contains(&variable))
            })
        };
        let moved_by = |variable| (0..model.links().len()).map(|link| moves(variable, link)).collect();
        (0..self.freedoms()).map(|freedom| moved_by(self.variable_of(freedom))).collect()
    }

    /// The variable of a degree of freedom; that of the joint's x for a rotation.
    fn variable_of(&self, freedom: usize) -> usize {
        self.axes.get(freedom).map_or_else(|| self.turns[freedom - self.axes.len()].position, |axis| axis.variable)
    }

    /// Changes one degree of freedom by at most `radius` of its range, either way.
    pub(super) fn draw_one(&self, random: &mut Random, freedom: usize, radius: f64, q: &mut [f64]) {
        match self.axes.get(freedom) {
            Some(axis) => {
                let (value, reach) = (q[axis.variable], radius * axis.width());
                q[axis.variable] = random.between(most(value - reach, axis.low), least(value + reach, axis.high));
            }
            None => {
                let turn = self.turns[freedom - self.axes.len()];
                self.turn_by(&turn, random.direction(), random.between(0.0, least(radius, 0.9) * PI), q);
            }
        }
    }

    /// The variables that move, but for quaternions.
    pub(super) fn moving(&self) -> impl Iterator<Item = usize> + '_ {
        self.axes.iter().map(|axis| axis.variable)
    }

    /// Number of coordinates that a grid can be laid over.
    pub(super) fn coordinates(&self) -> usize {
        self.axes.len()
    }

    /// A coordinate in [0, 1].
    pub(super) fn coordinate(&self, q: &[f64], number: usize) -> f64 {
        let axis = &self.axes[number];
        (q[axis.variable] - axis.low) / axis.width()
    }

    /// Appends coordinates; none of them differs by more than the [`Space::distance`] of two configurations.
    pub(super) fn write_coordinates(&self, q: &[f64], coordinates: &mut Vec<f32>) {
        let alone = self.axes.iter().enumerate().filter(|(_, axis)| !axis.is_floating);
        coordinates.extend(alone.map(|(number, _)| self.coordinate(q, number) as f32));
    }

    /// The configuration at `t` in [0, 1] of the straight line from `a` to `b`; `None` if there is no such line.
    pub fn between(&self, a: &[f64], b: &[f64], t: f64) -> Option<Vec<f64>> {
        let mut q: Vec<f64> = a.iter().zip(b).map(|(a, b)| (1.0 - t) * a + t * b).collect();
        if !self.turns.is_empty() {
            SegmentMotion::new(self.scene.model(), a, b).ok()?.configuration_at(t, &mut q);
        }
        // Rounding must not carry it beyond a limit on which both ends lie.
        for axis in &self.axes {
            let (one, other) = (a[axis.variable], b[axis.variable]);
            q[axis.variable] = most(least(q[axis.variable], most(one, other)), least(one, other));
        }
        Some(q)
    }
}

impl Axis {
    /// Never 0, so that it can be a divisor.
    fn width(&self) -> f64 {
        most(self.high - self.low, f64::MIN_POSITIVE)
    }
}

/// Limits of a variable that also keep the joints that follow it within theirs.
fn within_followers(scene: &Scene, variable: usize, mut low: f64, mut high: f64) -> (f64, f64) {
    let joints = scene.model().joints().iter().filter(|joint| joint.follows.is_some());
    for joint in joints {
        let Some(source) = joint.source.filter(|source| source.variable == variable && source.multiplier != 0.0) else {
            continue;
        };
        let Some((lower, upper)) = joint.limits.first().copied().flatten() else { continue };
        let ends = [lower, upper].map(|limit| (limit - source.offset) / source.multiplier);
        (low, high) = (most(low, least(ends[0], ends[1])), least(high, most(ends[0], ends[1])));
    }
    // Followers that contradict each other leave nothing: a check of the limits reports it.
    if low <= high { (low, high) } else { (low, low) }
}
