//! The oracle of a world, which knows nothing of the library: its own forward kinematics, and samples of the distances of
//! `solids.rs`. What it finds refutes, what it misses proves nothing.

use parry3d_f64::math as parry_math;
use parry3d_f64::query::PointQuery as _;
use parry3d_f64::shape as parry;
use pathproof::distance::Scratch;
use pathproof::numeric::{DQuat, DVec3, Pose};
use pathproof::robot::JointKind;
use pathproof::scene::Scene;

use super::insides::winding;
use super::real;
use super::solids::{PartKind, Solid, parry_pose, part_distance, solid};
use super::world::World;

/// The oracle of a world.
pub(crate) struct Oracle {
    /// Parent link, pose, kind, first variable with multiplier and offset; links are numbered as in `order`.
    steps: Vec<Step>,
    solids: Vec<Solid>,
    /// Largest speeds per unit of each variable are crude: total length of everything above.
    reach: f64,
    is_angle: Vec<bool>,
    multiplier: Vec<f64>,
    quaternions: Vec<usize>,
    pub(crate) pairs: Vec<(usize, usize, f64)>,
    /// Distances while sampling, where brute force would take too long: what they come to is checked by brute force.
    pub(crate) quick: Option<real::Indexes>,
}

struct Step {
    parent: usize,
    parent_from_joint: Pose,
    kind: JointKind,
    variable: usize,
    multiplier: f64,
    offset: f64,
}

impl Oracle {
    pub(crate) fn new(world: &World, scene: &Scene) -> Self {
        let model = scene.model();
        let name_of: Vec<&str> =
            std::iter::once("world").chain(world.joints.iter().map(|j| j.child.as_str())).collect();
        let number = |name: &str| name_of.iter().position(|n| *n == name).expect("a link");
        let mut multiplier = vec![0.0f64; model.variables().len()];
        let mut is_angle = vec![false; model.variables().len()];
        let mut quaternions = Vec::new();
        let steps: Vec<Step> = world
            .joints
            .iter()
            .map(|joint| {
                let (driver, m, offset) =
                    joint.mimic.as_ref().map_or((&joint.name, 1.0, 0.0), |f| (&f.joint, f.multiplier, f.offset));
                let first = match joint.kind {
                    JointKind::Fixed => "",
                    JointKind::Planar { .. } | JointKind::Floating => ".x",
                    _ => "",
                };
                let variable = match joint.kind {
                    JointKind::Fixed => 0,
                    _ => model.variable(&format!("{driver}{first}")).expect("a variable"),
                };
                match joint.kind {
                    JointKind::Revolute { .. } => {
                        is_angle[variable] = true;
                        multiplier[variable] += m.abs();
                    }
                    JointKind::Prismatic { .. } => multiplier[variable] += m.abs(),
                    JointKind::Planar { .. } => {
                        is_angle[variable + 2] = true;
                        multiplier[variable..variable + 3].fill(1.0);
                    }
                    JointKind::Floating => {
                        quaternions.push(variable + 3);
                        multiplier[variable..variable + 3].fill(1.0);
                    }
                    JointKind::Fixed => {}
                }
                Step {
                    parent: number(&joint.parent),
                    parent_from_joint: joint.parent_from_joint,
                    kind: joint.kind.normalised().expect("an axis"),
                    variable,
                    multiplier: m,
                    offset,
                }
            })
            .collect();
        let solids: Vec<Solid> = world.things.iter().map(|thing| solid(thing, number(&thing.link))).collect();
        let reach = world
            .joints
            .iter()
            .map(|j| j.parent_from_joint.translation.length() + j.mimic.as_ref().map_or(0.0, |m| m.offset.abs()))
            .sum::<f64>()
            + solids.iter().filter(|s| s.link != 0).map(|s| s.centre.length() + s.radius).fold(0.0, f64::max);
        let pairs = scene.pairs().iter().map(|pair| (pair.a, pair.b, pair.clearance)).collect();
        Self { steps, solids, reach, is_angle, multiplier, quaternions, pairs, quick: None }
    }

    /// q(t), quaternions along the shortest arc.
    pub(crate) fn interpolate(&self, start: &[f64], goal: &[f64], t: f64) -> Vec<f64> {
        let mut q: Vec<f64> = start.iter().zip(goal).map(|(a, b)| a + (b - a) * t).collect();
        for &i in &self.quaternions {
            let of = |q: &[f64]| DQuat::from_xyzw(q[i], q[i + 1], q[i + 2], q[i + 3]).normalize();
            let (a, mut b) = (of(start), of(goal));
            if a.dot(b) < 0.0 {
                b = -b;
            }
            let angle = a.dot(b).min(1.0).acos();
            let mixed = if angle < 1e-9 {
                a
            } else {
                (a * ((1.0 - t) * angle).sin() + b * (t * angle).sin()) * (1.0 / angle.sin())
            };
            q[i..i + 4].copy_from_slice(&mixed.normalize().to_array());
        }
        q
    }

    /// Where every link is.
    pub(crate) fn links(&self, q: &[f64]) -> Vec<Pose> {
        let mut world_from = vec![Pose::IDENTITY];
        for step in &self.steps {
            let value = |i: usize| step.multiplier * q[step.variable + i] + step.offset;
            let turn =
                |axis: DVec3, angle: f64| Pose::from_quaternion(DQuat::from_axis_angle(axis, angle), DVec3::ZERO);
            let moved = match step.kind {
                JointKind::Fixed => Pose::IDENTITY,
                JointKind::Revolute { axis } => turn(axis, value(0)),
                JointKind::Prismatic { axis } => Pose::from_translation(axis * value(0)),
                JointKind::Planar { axis } => {
                    let tilt = DQuat::from_rotation_arc(DVec3::Z, axis);
                    Pose::from_translation(tilt * DVec3::new(value(0), value(1), 0.0)) * turn(axis, value(2))
                }
                JointKind::Floating => Pose::from_quaternion(
                    DQuat::from_xyzw(value(3), value(4), value(5), value(6)).normalize(),
                    DVec3::new(value(0), value(1), value(2)),
                ),
            };
            world_from.push(world_from[step.parent] * step.parent_from_joint * moved);
        }
        world_from
    }

    /// Crude upper bound on the arc length of any point over a segment.
    pub(crate) fn crude_arc(&self, start: &[f64], goal: &[f64]) -> f64 {
        let slides: f64 = start
            .iter()
            .chain(goal)
            .zip(self.is_angle.iter().cycle())
            .filter(|(_, angle)| !**angle)
            .map(|(q, _)| q.abs() * 2.0)
            .sum();
        let reach = self.reach + slides;
        let mut arc = 0.0;
        for (i, (a, b)) in start.iter().zip(goal).enumerate() {
            if self.quaternions.iter().any(|&first| (first..first + 4).contains(&i)) {
                continue;
            }
            let d = (b - a).abs() * self.multiplier[i];
            arc += if self.is_angle[i] { d * reach } else { d };
        }
        for &i in &self.quaternions {
            let of = |q: &[f64]| DQuat::from_xyzw(q[i], q[i + 1], q[i + 2], q[i + 3]).normalize();
            arc += 2.0 * of(start).dot(of(goal)).abs().min(1.0).acos() * reach;
        }
        arc
    }

    /// Upper bound on the arc length of any point of a body: up its chain, every joint at the largest radius it can have.
    fn arc_of(&self, body: usize, start: &[f64], goal: &[f64]) -> f64 {
        let solid = &self.solids[body];
        if solid.link == 0 {
            return 0.0;
        }
        let (mut link, mut radius, mut arc) = (solid.link, solid.centre.length() + solid.radius, 0.0);
        while link != 0 {
            let step = &self.steps[link - 1];
            let change = || step.multiplier.abs() * (goal[step.variable] - start[step.variable]).abs();
            let size = |q: &[f64]| (step.multiplier * q[step.variable] + step.offset).abs();
            match step.kind {
                JointKind::Fixed => {}
                JointKind::Revolute { .. } => arc += change() * radius,
                JointKind::Prismatic { .. } => {
                    arc += change();
                    radius += size(start).max(size(goal));
                }
                // Rare enough to go without.
                JointKind::Planar { .. } | JointKind::Floating => return self.crude_arc(start, goal),
            }
            radius += step.parent_from_joint.translation.length();
            link = step.parent;
        }
        arc
    }

    /// Largest change of an angle or length over a segment: what the step of sampling is measured in.
    pub(crate) fn largest_change(&self, start: &[f64], goal: &[f64]) -> f64 {
        start.iter().zip(goal).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    /// The distance of two bodies, or some number above `limit` if it is larger than that. Signed: by parry's contacts.
    pub(crate) fn distance(&self, links: &[Pose], a: usize, b: usize, limit: f64, is_signed: bool) -> f64 {
        let (sa, sb) = (&self.solids[a], &self.solids[b]);
        let (pa, pb) = (&links[sa.link], &links[sb.link]);
        let mut best = f64::INFINITY;
        for x in &sa.parts {
            for y in &sb.parts {
                let gap = match (&x.kind, &y.kind) {
                    (PartKind::Plane(_), _) | (_, PartKind::Plane(_)) => f64::NEG_INFINITY,
                    _ => (pa.point(x.centre_in_link) - pb.point(y.centre_in_link)).length() - x.radius - y.radius,
                };
                if gap > limit.min(best) {
                    best = best.min(gap.max(limit * (1.0 + 1e-12) + 1e-300));
                    continue;
                }
                best = best.min(part_distance(pa, x, pb, y, limit.min(best), is_signed));
            }
        }
        best
    }

    /// Whether a point in the world lies on or in a body, to 1e-9 m: by projecting the point, which is a closed form, where
    /// the distance of two curved shapes is an iteration.
    pub(crate) fn holds(&self, links: &[Pose], body: usize, point_in_world: DVec3) -> bool {
        let solid = &self.solids[body];
        let in_link = links[solid.link].inverse_point(point_in_world);
        let vector = |v: DVec3| parry_math::Vector::from_array(v.to_array());
        solid.parts.iter().any(|part| match &part.kind {
            PartKind::Piece(shape, part_from_shape) => {
                let link_from_shape = part.link_from_part * *part_from_shape;
                shape.distance_to_point(&parry_pose(&link_from_shape), vector(in_link), true) < 1e-9
            }
            PartKind::Mesh { triangles, .. } => triangles.iter().any(|([a, b, c], ..)| {
                let triangle = parry::Triangle::new(vector(*a), vector(*b), vector(*c));
                triangle.distance_to_point(&parry_math::Pose::IDENTITY, vector(in_link), true) < 1e-9
            }),
            PartKind::Plane(_) => false,
        })
    }

    /// How far the centres of B's parts move as seen from A, and of A's as seen from B, between two configurations: no more
    /// than the bodies move relative to each other.
    pub(crate) fn relative_motion(&self, before: &[Pose], after: &[Pose], a: usize, b: usize) -> f64 {
        let seen_from = |own: usize, other: usize| {
            let (so, sx) = (&self.solids[own], &self.solids[other]);
            let place = |links: &[Pose], p: DVec3| links[so.link].inverse_point(links[sx.link].point(p));
            let moved = |p: DVec3| (place(before, p) - place(after, p)).length();
            // A plane has no centre.
            let parts = sx.parts.iter().filter(|part| !matches!(part.kind, PartKind::Plane(_)));
            parts.map(|part| moved(part.centre_in_link)).fold(0.0, f64::max)
        };
        if self.solids[a].link == self.solids[b].link { 0.0 } else { seen_from(a, b).min(seen_from(b, a)) }
    }

    /// Cheap lower bound by bounding spheres; −∞ with a plane.
    fn lower_distance(&self, links: &[Pose], a: usize, b: usize) -> f64 {
        let (sa, sb) = (&self.solids[a], &self.solids[b]);
        (links[sa.link].point(sa.centre) - links[sb.link].point(sb.centre)).length() - sa.radius - sb.radius
    }

    /// Whether a part of one body lies in a closed mesh of the other, by solid angles.
    pub(crate) fn is_contained(&self, links: &[Pose], a: usize, b: usize) -> bool {
        if self.lower_distance(links, a, b) > 0.0 {
            return false;
        }
        let inside = |inner: usize, outer: usize| {
            let (si, so) = (&self.solids[inner], &self.solids[outer]);
            si.parts.iter().any(|part| {
                let samples: Vec<DVec3> = match &part.kind {
                    PartKind::Piece(..) => vec![part.centre_in_link],
                    // Some forty of a large mesh.
                    PartKind::Mesh { triangles, .. } => {
                        triangles.iter().step_by(1 + triangles.len() / 40).map(|t| t.1).collect()
                    }
                    PartKind::Plane(_) => Vec::new(),
                };
                samples.iter().any(|p| {
                    let in_outer = links[so.link].inverse_point(links[si.link].point(*p));
                    so.parts.iter().any(|shell| winding(shell.closed(), in_outer).abs() > 0.5)
                })
            })
        };
        inside(a, b) || inside(b, a)
    }

    /// The least excess of a distance over its clearance found by sampling: its value, the pair, t. Where a crude bound on
    /// the motion shows that nothing better can be found, samples are left out.
    pub(crate) fn sampled(&self, start: &[f64], goal: &[f64], step: f64, is_signed: bool) -> Sampled {
        let count = (self.largest_change(start, goal) / step).ceil().clamp(1.0, 4000.0) as usize;
        let mut best = Sampled { excess: f64::INFINITY, distance: f64::INFINITY, pair: 0, t: 0.0 };
        let mut known: Vec<Option<Vec<Pose>>> = vec![None; count + 1];
        let mut quick = self.quick.as_ref().filter(|_| !is_signed).map(|indexes| (indexes, Scratch::default()));
        for (k, &(a, b, clearance)) in self.pairs.iter().enumerate() {
            let arc = self.arc_of(a, start, goal) + self.arc_of(b, start, goal);
            let mut i = 0;
            while i <= count {
                let t = i as f64 / count as f64;
                let links = known[i].get_or_insert_with(|| self.links(&self.interpolate(start, goal, t)));
                let far = self.lower_distance(links, a, b) - clearance;
                let excess = if far > best.excess {
                    far
                } else {
                    let d = match &mut quick {
                        Some((indexes, scratch)) => indexes.distance(|link| links[link], a, b, scratch),
                        None => self.distance(links, a, b, best.excess + clearance, is_signed),
                    };
                    if d - clearance < best.excess {
                        best = Sampled { excess: d - clearance, distance: d, pair: k, t };
                    }
                    d - clearance
                };
                let skipped = ((excess - best.excess) / arc * count as f64).floor();
                i += if skipped > 1.0 { skipped.min(1e6) as usize } else { 1 };
            }
        }
        if let (Some((indexes, mut scratch)), Some(&(a, b, _))) = (quick, self.pairs.get(best.pair)) {
            let links = self.links(&self.interpolate(start, goal, best.t));
            let d = self.distance(&links, a, b, best.distance + 1e-3, is_signed);
            assert!(d > best.distance - 2e-7, "{d:e} by brute force: {best:?}");
            // parry's iteration may stop short of the distance: a smaller one is right where its points are on the bodies.
            let [on_a, on_b] = indexes.points(|link| links[link], a, b, &mut scratch);
            let is_shown = self.holds(&links, a, on_a) && self.holds(&links, b, on_b);
            let is_far = ((on_a - on_b).length() - best.distance).abs() < 1e-9;
            assert!(d < best.distance + 2e-7 || (is_shown && is_far), "{d:e} by brute force: {best:?}");
        }
        best
    }

    /// The least excess of a distance over its clearance at these places of a path, none left out.
    pub(crate) fn sampled_at(&self, places: impl Iterator<Item = (f64, Vec<f64>)>, is_signed: bool) -> Sampled {
        let mut best = Sampled { excess: f64::INFINITY, distance: f64::INFINITY, pair: 0, t: 0.0 };
        let mut quick = self.quick.as_ref().filter(|_| !is_signed).map(|indexes| (indexes, Scratch::default()));
        for (t, q) in places {
            let links = self.links(&q);
            for (k, &(a, b, clearance)) in self.pairs.iter().enumerate() {
                if self.lower_distance(&links, a, b) - clearance > best.excess {
                    continue;
                }
                let d = match &mut quick {
                    Some((indexes, scratch)) => indexes.distance(|link| links[link], a, b, scratch),
                    None => self.distance(&links, a, b, best.excess + clearance, is_signed),
                };
                if d - clearance < best.excess {
                    best = Sampled { excess: d - clearance, distance: d, pair: k, t };
                }
            }
        }
        best
    }
}

/// What sampling found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampled {
    pub(crate) excess: f64,
    pub(crate) distance: f64,
    pub(crate) pair: usize,
    pub(crate) t: f64,
}
