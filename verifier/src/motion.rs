//! How far a body strays from its velocity over a half of a cell, and how far it gets at all (DESIGN §3; the proof is in
//! `robot/bounds.rs` of the library, whose code is not used here).
//!
//! With p = Σ_k v_k the velocity of a point by joints k between the body and the frame that it is seen from, and ω_k the
//! angular velocity of frame k seen from there, p̈ = Σ_k (ω_{k−1} + ω_k) × v_k for turning, Σ_k 2ω_{k−1} × v_k for sliding.
//! |v_k| is at most a_k s_k: s_k the body's largest distance from axis k, by offsets, or by where it is at the midpoint
//! and how far the joints below can move it in half the cell.

use pathproof::numeric::{DMat3, DVec3, Pose, U64};
use pathproof::robot::JointKind;

use crate::chain::Chain;
use crate::interval::{Placed, Vector};
use crate::segment::{Moment, Rate, Segment};
use crate::solid::Solid;

/// The motion of a body around a midpoint, seen from an ancestor, in the world's axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    /// Where the body's centre is.
    pub(crate) world_from_centre: Placed,
    pub(crate) spin: Vector,
    /// Velocity of the body's centre.
    pub(crate) velocity: Vector,
    /// A h²/8: the most by which a point strays from its velocity at the midpoint over half the cell.
    pub(crate) upper_bend: f64,
    /// Upper bound on a point's way over half the cell.
    pub(crate) upper_arc: f64,
}

/// A joint between the body and the ancestor.
struct Link<'a> {
    frame: usize,
    parent: usize,
    rate: &'a Rate,
    /// Sums over the joints from the ancestor down to this one: of angular rates, and the bound on the change of ω.
    rates: f64,
    change: f64,
}

impl Motion {
    /// No motion at all, at a moment.
    pub(crate) fn still(moment: &Moment, solid: &Solid<'_>) -> Self {
        let world_from_centre = match solid.frame {
            0 => solid.frame_from_centre,
            frame => moment.poses[frame].after(&solid.frame_from_centre),
        };
        Self { world_from_centre, spin: Vector::ZERO, velocity: Vector::ZERO, upper_bend: 0.0, upper_arc: 0.0 }
    }

    /// Over the cell of half length `half` around the moment.
    pub(crate) fn new(
        chain: &Chain,
        segment: &Segment<'_>,
        moment: &Moment,
        solid: &Solid<'_>,
        ancestor: usize,
        half: f64,
    ) -> Self {
        let still = Self::still(moment, solid);
        if solid.frame == ancestor {
            return still;
        }
        let world_from_centre = still.world_from_centre;
        let links = links(chain, segment, solid.frame, ancestor);
        let spin_of = |frame: usize| moment.spins[frame] - moment.spins[ancestor];
        let velocity_at = |point: Vector| {
            let (own, base) = (solid.frame, ancestor);
            let of = |f: usize| moment.velocities[f] + moment.spins[f].cross(point - moment.poses[f].translation);
            of(own) - of(base)
        };
        let ends = solid.reach.ends_in_frame.map(|end| moment.poses[solid.frame].point(Vector::point(end)));
        let mut radii = Radii::new(chain, solid);
        let (mut speed_below, mut acceleration) = (0.0, 0.0);
        let mut spin = spin_of(solid.frame);
        for (i, link) in links.iter().enumerate().rev() {
            let above = i.checked_sub(1).map_or((0.0, 0.0), |j| (links[j].rates, links[j].change));
            let spin_above = spin_of(link.parent);
            // The sum of the rates, or what it is now and the most by which that changes.
            let norm = |sum: Vector, rates: f64, change: f64| (sum.upper_norm() + half * change).min(rates);
            let turning = norm(spin_above + spin, above.0 + link.rates, above.1 + link.change);
            let arm =
                |end: &Vector| moment.turns[link.frame].cross(*end - moment.poses[link.frame].translation).upper_norm();
            let now =
                arm(&ends[0]).max(arm(&ends[1])) + link.rate.upper_angular * (solid.reach.radius + half * speed_below);
            let speed = now.min(link.rate.upper_angular * radii.from_axis);
            acceleration += speed * turning;
            let sliding = norm(spin_above + spin_above, 2.0 * above.0, 2.0 * above.1);
            acceleration += link.rate.upper_linear * sliding;
            speed_below += speed + link.rate.upper_linear;
            spin = spin_above;
            radii.climb(link.rate);
        }
        let spin = spin_of(solid.frame);
        let fastest = velocity_at(ends[0]).upper_norm().max(velocity_at(ends[1]).upper_norm());
        let speed_now = fastest + spin.upper_norm() * solid.reach.radius;
        // Sums and products of numbers that are not negative: some 16 operations a joint, each off by u.
        let inflated = 1.0 + 32.0 * U64 * (links.len() + 8) as f64;
        let upper_bend = acceleration * half * half * 0.5 * inflated;
        let upper_arc = (half * speed_below).min(half * speed_now + upper_bend) * inflated;
        let velocity = velocity_at(world_from_centre.translation);
        Self { world_from_centre, spin, velocity, upper_bend, upper_arc }
    }
}

/// The joints from below the ancestor down to the body.
fn links<'s>(chain: &Chain, segment: &'s Segment<'_>, frame: usize, ancestor: usize) -> Vec<Link<'s>> {
    let mut links = Vec::new();
    let mut at = frame;
    while at != ancestor {
        let parent = chain.frames[at].parent;
        links.push(Link { frame: at, parent, rate: &segment.rates[at], rates: 0.0, change: 0.0 });
        at = parent;
    }
    links.reverse();
    let (mut rates, mut change) = (0.0, 0.0);
    for link in &mut links {
        // ω = Σ a_i z_i and z_i is carried by the joints before it, so that |ω̇| ≤ Σ a_i Σ_{j<i} a_j.
        change += link.rate.upper_angular * rates;
        rates += link.rate.upper_angular;
        (link.rates, link.change) = (rates, change);
    }
    links
}

/// Largest distances of the body from a frame's axis and origin whatever the joints below do, from the body's own upward.
struct Radii {
    from_axis: f64,
    from_origin: f64,
}

impl Radii {
    fn new(chain: &Chain, solid: &Solid<'_>) -> Self {
        let is_floating = chain.frames[solid.frame].kind == JointKind::Floating;
        let reach = &solid.reach;
        Self {
            from_axis: if is_floating { reach.from_origin } else { reach.from_axis },
            from_origin: reach.from_origin,
        }
    }

    fn climb(&mut self, rate: &Rate) {
        self.from_axis = rate.upper_axis_offset + self.from_origin;
        self.from_origin += rate.upper_offset;
    }
}

/// Where two bodies' centres are relative to each other, and how they move, in the axes of the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relative {
    pub(crate) a_from_b: Pose,
    pub(crate) spins: [DVec3; 2],
    pub(crate) velocities: [DVec3; 2],
    pub(crate) half: f64,
    pub(crate) upper_bend: f64,
    pub(crate) upper_arc: f64,
    /// Upper bound on what everything above may be off, and on the rounding of gaps computed from it, in metres.
    pub(crate) margin: f64,
}

impl Relative {
    /// From intervals to their middles. The margin is what the middles are off at any point of the bodies, now or at an
    /// end of the cell, and 64 u of all lengths that a gap is summed from: gradients (8 operations), supports (8), offsets
    /// (8) and their sums, each off by u, and directions that are of unit length to 9 u.
    pub(crate) fn new(a: &Solid<'_>, b: &Solid<'_>, of_a: &Motion, of_b: &Motion, half: f64) -> Self {
        let axes = &of_a.world_from_centre.rotation;
        let turned = |v: Vector| axes.apply_inverse(v);
        let [x, y, z] = of_b.world_from_centre.rotation.0;
        let columns = [turned(x), turned(y), turned(z)];
        let translation = turned(of_b.world_from_centre.translation - of_a.world_from_centre.translation);
        let spins = [turned(of_a.spin), turned(of_b.spin)];
        let velocities = [turned(of_a.velocity), turned(of_b.velocity)];
        let (reach_a, reach_b) = (a.reach.from_centre, b.reach.from_centre);
        let off_rotation: f64 = columns.iter().map(|c| c.upper_radius()).sum();
        let size = |v: &Vector| v.upper_norm();
        let off_position = off_rotation * reach_b + translation.upper_radius() + a.reach.rounding + b.reach.rounding;
        let off_speed = velocities[0].upper_radius()
            + velocities[1].upper_radius()
            + spins[0].upper_radius() * reach_a
            + (spins[1].upper_radius() + size(&spins[1]) * off_rotation) * reach_b
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
        let margin = (off_position + half * off_speed + 64.0 * U64 * lengths) * (1.0 + 1e-12) + 1e-300;
        let rotation = DMat3::from_cols(columns[0].middle(), columns[1].middle(), columns[2].middle());
        Self {
            a_from_b: Pose { rotation, translation: translation.middle() },
            spins: spins.map(Vector::middle),
            velocities: velocities.map(Vector::middle),
            half,
            upper_bend: (of_a.upper_bend + of_b.upper_bend) * (1.0 + 1e-14),
            upper_arc: (of_a.upper_arc + of_b.upper_arc) * (1.0 + 1e-14),
            margin,
        }
    }
}
