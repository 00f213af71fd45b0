//! Upper bounds on the closing of parts of two links over a box of joint values (docs/acm.md#why-it-holds).
//!
//! Number the joints between the links from A to B, and cut the chain before joint c: relative to the frame at the
//! cut, the joints before it move A alone and the others B alone. Move B's joints one after the other, the one next to
//! the cut first. When joint k moves, all joints beyond it are at their middle. So the part is at its distance ρ_k
//! from axis k in the middle, carried rigidly by the joints that moved before. A joint off its middle by at most δ_k
//! moves each point by at most the chord 2 sin(δ_k/2) ρ_k (2 ρ_k beyond half a turn), or δ_k if it slides; the same
//! for A, from the cut on. The sum bounds the closing; any cut is valid, so the best is taken.

use super::boxes::JointBox;
use super::chain::Chain;
use crate::numeric::{DVec3, Pose, ROUNDOFF_F64, least, most, norm_up, sin_cos};
use crate::robot::{Kinematics, Model};
use crate::trees::{BoxTree, Slot};

/// A joint in the middle of a box.
#[derive(Clone, Copy, Debug)]
struct Axis {
    direction: DVec3,
    origin: DVec3,
    turns: bool,
    /// Index of the chain's range that drives it.
    range: usize,
    /// Upper bound on the distance of its value from the middle.
    delta: f64,
    /// Upper bound on the chord of that turn at radius 1; the same as `delta` if it slides.
    chord: f64,
}

/// One of the two links in the middle of a box.
#[derive(Clone, Debug)]
struct Placed {
    /// Pose about the body's centre.
    world_from_centre: Pose,
    /// Per slot of the tree the box for which its radii were computed.
    stamps: Vec<u32>,
    /// Per slot and joint, an upper bound on the distance of the slot's contents from the axis.
    radii: Vec<f64>,
}

/// Bounds on the closing of parts of two links over a box; reused from box to box.
#[derive(Clone, Debug)]
pub(super) struct Closing {
    axes: Vec<Axis>,
    sides: [Placed; 2],
    stamp: u32,
    length_error: f64,
    inflation: f64,
}

/// The best cut of the chain for two slots, and its bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// The joints before this one move A, the others B.
    pub(super) place: usize,
    /// Upper bound on the closing in any direction.
    pub(super) upper: f64,
}

impl Closing {
    pub(super) fn new(chain: &Chain, trees: [&BoxTree; 2], length_error: f64) -> Self {
        let joints = chain.joints.len();
        let placed = |tree: &BoxTree| {
            let slots = tree.slot_count();
            Placed { world_from_centre: Pose::IDENTITY, stamps: vec![0; slots], radii: vec![0.0; slots * joints] }
        };
        let inflation = 1.0 + 64.0 * ROUNDOFF_F64 * (joints + 8) as f64;
        Self { axes: Vec::with_capacity(joints), sides: trees.map(placed), stamp: 0, length_error, inflation }
    }

    /// Places axes and links in the middle of a box, at the configuration of `kinematics`.
    pub(super) fn place(
        &mut self,
        model: &Model,
        kinematics: &mut Kinematics,
        chain: &Chain,
        values: &JointBox,
        centres: [Pose; 2],
    ) {
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.sides.iter_mut().for_each(|side| side.stamps.fill(0));
            self.stamp = 1;
        }
        self.axes.clear();
        for joint in &chain.joints {
            let pose = kinematics.world_from_frame(model, joint.frame);
            let delta = values.upper_half_width(joint.range) * joint.factor * (1.0 + 4.0 * ROUNDOFF_F64);
            let chord = if joint.turns { upper_chord(delta) } else { delta };
            let (direction, origin) = (pose.rotation.z_axis, pose.translation);
            self.axes.push(Axis { direction, origin, turns: joint.turns, range: joint.range, delta, chord });
        }
        for (side, centre) in self.sides.iter_mut().zip(centres) {
            side.world_from_centre = centre;
        }
    }

    /// Computes the radii of a slot unless they are known.
    fn prepare(&mut self, side: usize, tree: &BoxTree, slot: Slot) {
        let placed = &mut self.sides[side];
        let index = slot.0 as usize;
        if placed.stamps[index] == self.stamp {
            return;
        }
        placed.stamps[index] = self.stamp;
        let [centre, half] = tree.centre_and_half(slot);
        let in_world = placed.world_from_centre.point(centre);
        let rotation = placed.world_from_centre.rotation;
        let radii = &mut placed.radii[index * self.axes.len()..][..self.axes.len()];
        for (radius, axis) in radii.iter_mut().zip(&self.axes) {
            let z = axis.direction;
            // The box sticks out from the axis by no more than its half widths across it, nor its half diagonal.
            let across = z.cross(rotation.x_axis).length() * half.x
                + z.cross(rotation.y_axis).length() * half.y
                + z.cross(rotation.z_axis).length() * half.z;
            let out = least(across, norm_up(half));
            *radius = if axis.turns { norm_up(z.cross(in_world - axis.origin)) + out + self.length_error } else { 1.0 };
        }
    }

    /// The best cut for two slots.
    pub(super) fn cut(&mut self, trees: [&BoxTree; 2], slots: [Slot; 2]) -> Cut {
        (0..2).for_each(|side| self.prepare(side, trees[side], slots[side]));
        let [of_a, of_b] = self.radii(slots);
        let mut closing: f64 = self.axes.iter().zip(of_b).map(|(axis, radius)| axis.chord * radius).sum();
        let mut best = Cut { place: 0, upper: closing };
        for (k, axis) in self.axes.iter().enumerate() {
            // Joint k moves A instead of B.
            closing += axis.chord * (of_a[k] - of_b[k]);
            if closing < best.upper {
                best = Cut { place: k + 1, upper: closing };
            }
        }
        // Differences cancel, so the sum is computed again for the best cut.
        let before = self.axes[..best.place].iter().zip(of_a).map(|(axis, radius)| axis.chord * radius);
        let after = self.axes[best.place..].iter().zip(&of_b[best.place..]).map(|(axis, radius)| axis.chord * radius);
        Cut { upper: before.chain(after).sum::<f64>() * self.inflation, ..best }
    }

    fn radii(&self, slots: [Slot; 2]) -> [&[f64]; 2] {
        let count = self.axes.len();
        [0, 1].map(|side| &self.sides[side].radii[slots[side].0 as usize * count..][..count])
    }

    /// Upper bound on the closing of two slots along the unit vector `n` (in the world), with a cut chosen for them.
    ///
    /// With n fixed in the frame at the cut, step k is G w, where |w − δ z × r| ≤ δ² ρ_k/2 and the joints before it
    /// turn it by at most their sum, so that closing ≤ Σ_k δ_k max_x |n·(z_k × (x − o_k))| + ½ Σ_k δ_k ρ_k (δ_k [k
    /// turns] + 2 Σ_j δ_j), j the turning joints between the cut and k. Rounding: arms are off by `length_error`, sums
    /// by less than the inflation.
    pub(super) fn upper_along(&self, trees: [&BoxTree; 2], slots: [Slot; 2], n: DVec3, cut: Cut) -> f64 {
        let [of_a, of_b] = self.radii(slots);
        let before = self.axes[..cut.place].iter().zip(&of_a[..cut.place]).rev();
        let after = self.axes[cut.place..].iter().zip(&of_b[cut.place..]);
        let sum = self.along(0, trees[0], slots[0], n, before) + self.along(1, trees[1], slots[1], n, after);
        sum * self.inflation
    }

    /// The same for one side; joints come from the cut on.
    fn along<'a>(
        &self,
        side: usize,
        tree: &BoxTree,
        slot: Slot,
        n: DVec3,
        joints: impl Iterator<Item = (&'a Axis, &'a f64)>,
    ) -> f64 {
        let [centre, half] = tree.centre_and_half(slot);
        let placed = &self.sides[side].world_from_centre;
        let (in_world, rotation) = (placed.point(centre), placed.rotation);
        let (mut linear, mut bend, mut turned) = (0.0, 0.0, 0.0);
        for (axis, radius) in joints {
            if axis.turns {
                // n·(z × r) = (n × z)·r, affine in r: over a box it is greatest at a corner.
                let g = n.cross(axis.direction);
                let spread = g.dot(rotation.x_axis).abs() * half.x
                    + g.dot(rotation.y_axis).abs() * half.y
                    + g.dot(rotation.z_axis).abs() * half.z;
                linear += axis.delta * (g.dot(in_world - axis.origin).abs() + spread + self.length_error);
                bend += axis.delta * radius * (axis.delta / 2.0 + turned);
                turned += axis.delta;
            } else {
                linear += axis.delta * (n.dot(axis.direction).abs() + 1e-12);
                bend += axis.delta * turned;
            }
        }
        linear + bend
    }

    /// The range of the chain that matters most for two slots: its joints contribute the largest part of the closing.
    pub(super) fn widest_range(&self, slots: [Slot; 2], cut: Cut, ranges: usize) -> Option<usize> {
        let [of_a, of_b] = self.radii(slots);
        let mut parts = vec![0.0; ranges];
        for (k, axis) in self.axes.iter().enumerate() {
            parts[axis.range] += axis.delta * if k < cut.place { of_a[k] } else { of_b[k] };
        }
        let mut best = None;
        for (range, part) in parts.into_iter().enumerate() {
            if part > best.map_or(0.0, |(_, most)| most) {
                best = Some((range, part));
            }
        }
        best.map(|(range, _)| range)
    }

    /// Lower bound on the gap between two boxes along the unit vector `n` in the world; the rounding of poses is the
    /// caller's.
    pub(super) fn lower_gap(&self, trees: [&BoxTree; 2], slots: [Slot; 2], n: DVec3) -> f64 {
        let reach = |side: usize, sign: f64| {
            let [centre, half] = trees[side].centre_and_half(slots[side]);
            let Pose { rotation, .. } = self.sides[side].world_from_centre;
            let spread = n.dot(rotation.x_axis).abs() * half.x
                + n.dot(rotation.y_axis).abs() * half.y
                + n.dot(rotation.z_axis).abs() * half.z;
            sign * n.dot(self.sides[side].world_from_centre.point(centre)) + spread
        };
        -(reach(0, 1.0) + reach(1, -1.0)) - self.length_error
    }
}

/// Upper bound on the chord of a turn by `delta` on a circle of radius 1.
fn upper_chord(delta: f64) -> f64 {
    if !(delta < 3.0) {
        // At half a turn the chord is the diameter. NaN stays.
        return if delta >= 3.0 { 2.0 } else { delta };
    }
    let (sine, _) = sin_cos(delta / 2.0);
    most(sine, 0.0) * 2.0 * (1.0 + 16.0 * ROUNDOFF_F64) + f64::MIN_POSITIVE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_are_never_below_the_truth() {
        for i in 0..400 {
            let delta = f64::from(i) * 0.02;
            let truth = if delta < std::f64::consts::PI { 2.0 * (delta / 2.0).sin() } else { 2.0 };
            let chord = upper_chord(delta);
            assert!(chord >= truth && chord <= delta + 1e-12 + f64::MIN_POSITIVE || chord == 2.0, "{delta}: {chord}");
        }
        assert!(upper_chord(f64::NAN).is_nan());
    }
}
