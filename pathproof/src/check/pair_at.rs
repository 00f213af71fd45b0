//! A pair of groups at one position of a segment: both poses, their rounding, their distance. Every search, every
//! report and the profile measure pairs here, so that distances are the same everywhere.

use super::groups::{Group, GroupPair, Groups, HalfSpace, Opposite};
use super::lowest::{Lowest, lowest};
use super::verdict::{Finding, Statistics, contact};
use crate::distance::{Contact, Containment, Deepest, Query, Scratch};
use crate::numeric::{DVec3, Pose, least, most};
use crate::path::Version;
use crate::robot::{CellBound, Kinematics, Model, SegmentMotion, bounds};

/// A pair of groups at their current poses.
#[derive(Debug)]
pub(super) struct PairAt<'a> {
    groups: &'a Groups,
    pub(super) pair: &'a GroupPair,
    pub(super) a: &'a Group,
    pub(super) world_from_a: Pose,
    pub(super) b: OppositeAt<'a>,
    /// Upper bound on the rounding of both poses, in metres.
    pub(super) margin: f64,
}

/// The other side of a pair.
#[derive(Debug)]
pub(super) enum OppositeAt<'a> {
    Group { group: &'a Group, world_from_group: Pose },
    HalfSpace(&'a HalfSpace),
}

/// Measured distance of a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    /// Bounds on the distance, including all rounding; never negative unless the pair's distance is signed.
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// A point of each side in the world, no farther apart than `upper`.
    pub(super) points: [DVec3; 2],
    pub(super) primitives: [usize; 2],
}

impl<'a> PairAt<'a> {
    /// The pair at the configuration of `kinematics`.
    #[inline]
    pub(super) fn new(
        groups: &'a Groups,
        pair: &'a GroupPair,
        margin: f64,
        model: &Model,
        kinematics: &mut Kinematics,
    ) -> Self {
        let a = &groups.groups[pair.a];
        let b = match pair.b {
            Opposite::Group(b) => {
                let group = &groups.groups[b];
                OppositeAt::Group { group, world_from_group: group.world_from_group(model, kinematics) }
            }
            Opposite::HalfSpace(b) => OppositeAt::HalfSpace(&groups.half_spaces[b]),
        };
        Self { groups, pair, a, world_from_a: a.world_from_group(model, kinematics), b, margin }
    }

    /// True if distances are signed.
    pub(super) fn is_signed(&self) -> bool {
        self.groups.is_signed(self.pair)
    }

    /// Bounds on the motion of both sides over a cell of `length` around the position of `kinematics` on `motion`.
    #[inline]
    pub(super) fn cell_bounds(
        &self,
        model: &Model,
        motion: &SegmentMotion,
        kinematics: &mut Kinematics,
        length: f64,
    ) -> [CellBound; 2] {
        let ancestor = self.pair.ancestor;
        let mut bound = |group: &Group| {
            if group.frame == ancestor {
                return CellBound::still(length);
            }
            bounds::cell(model, motion, kinematics, &group.extent, ancestor, length)
        };
        match &self.b {
            OppositeAt::Group { group, .. } => [bound(self.a), bound(group)],
            OppositeAt::HalfSpace(_) => [bound(self.a), CellBound::still(length)],
        }
    }

    /// Two bodies, ready to be queried.
    pub(super) fn query(&self, b: &'a Group, world_from_b: &Pose) -> Query<'a> {
        Query::within(&self.a.indexed, &b.indexed, &self.world_from_a, world_from_b, self.margin)
    }

    /// The lowest point of the group over a half-space.
    pub(super) fn lowest(&self, half_space: &HalfSpace) -> Lowest {
        lowest(self.a, &self.world_from_a, half_space, self.margin)
    }

    /// The distance. A body inside a solid of the other counts as contact.
    pub(super) fn measure(&self, scratch: &mut Scratch, statistics: &mut Statistics) -> Measured {
        statistics.distance_queries += 1;
        let measured = match &self.b {
            OppositeAt::HalfSpace(half_space) => {
                let Lowest { lower, upper, points_in_world, primitive } = self.lowest(half_space);
                Measured { lower, upper, points: points_in_world, primitives: [primitive, 0] }
            }
            OppositeAt::Group { group, world_from_group } => {
                measure_bodies(&self.query(group, world_from_group), self.is_signed(), scratch, statistics)
            }
        };
        if self.is_signed() {
            return measured;
        }
        // Surfaces have no depth.
        Measured { lower: most(measured.lower, 0.0), upper: most(measured.upper, 0.0), ..measured }
    }

    /// True if surfaces are certainly apart.
    pub(super) fn is_apart(&self, scratch: &mut Scratch) -> bool {
        match &self.b {
            OppositeAt::Group { group, world_from_group } => {
                matches!(self.query(group, world_from_group).collide(scratch), Contact::Apart(_))
            }
            OppositeAt::HalfSpace(half_space) => self.lowest(half_space).lower > 0.0,
        }
    }

    /// Tests if a part of one side lies in a solid of the other.
    pub(super) fn containment(&self) -> Containment {
        match &self.b {
            OppositeAt::Group { group, world_from_group } => self.query(group, world_from_group).containment_of(),
            OppositeAt::HalfSpace(_) => Containment::Outside,
        }
    }

    /// The contact of a part that lies in a solid of the other side, if there is one.
    pub(super) fn inside(&self) -> Option<Measured> {
        let Containment::Inside { place, primitives } = self.containment() else { return None };
        let distance = contact(self.pair.clearance);
        Some(Measured { lower: distance, upper: distance, points: [place; 2], primitives })
    }

    /// True if the pair certainly collides.
    pub(super) fn collides(&self, scratch: &mut Scratch, statistics: &mut Statistics) -> bool {
        let OppositeAt::Group { group, world_from_group } = &self.b else {
            return self.measure(scratch, statistics).upper <= contact(self.pair.clearance);
        };
        if self.pair.clearance < 0.0 {
            return self.measure(scratch, statistics).upper <= self.pair.clearance;
        }
        statistics.distance_queries += 1;
        let query = self.query(group, world_from_group);
        matches!(query.collide(scratch), Contact::Meets(_)) || matches!(self.containment(), Containment::Inside { .. })
    }

    /// Converts a measured distance to a finding.
    pub(super) fn finding(&self, measured: &Measured, segment: usize, t: f64, configuration: &[f64]) -> Finding {
        let points = match &self.b {
            // A contact without depth has one point, and any point below the plane is in the half-space.
            OppositeAt::HalfSpace(_) if !self.is_signed() && measured.upper <= 0.0 => [measured.points[0]; 2],
            _ => measured.points,
        };
        Finding {
            segment,
            t,
            configuration: configuration.to_vec(),
            bodies: self.groups.bodies_of(self.pair, measured.primitives),
            distance: measured.upper,
            points,
            clearance: self.pair.clearance,
            version: Version::Newest,
        }
    }
}

fn measure_bodies(query: &Query<'_>, is_signed: bool, scratch: &mut Scratch, statistics: &mut Statistics) -> Measured {
    let found = query.exact(scratch);
    statistics.volume_tests += found.counters.volume_pairs;
    statistics.triangle_tests += found.counters.primitive_pairs;
    if is_signed && !(found.lower > 0.0) {
        let Deepest { lower, nearest, counters } = query.deepest(f64::INFINITY, f64::NEG_INFINITY, scratch);
        statistics.volume_tests += counters.volume_pairs;
        statistics.triangle_tests += counters.primitive_pairs;
        if let Some((near, primitives)) = nearest {
            let points = [near.on_a, near.on_b].map(|p| query.world_from_a().point(p));
            return Measured { lower, upper: near.upper, points, primitives };
        }
    }
    let mut lower = found.lower;
    if found.upper > 0.0 {
        match query.containment_of() {
            Containment::Outside => {}
            Containment::Inside { place, primitives } => {
                return Measured { lower: 0.0, upper: 0.0, points: [place; 2], primitives };
            }
            // It may be inside, which is contact.
            Containment::Unclear { .. } => lower = least(lower, 0.0),
        }
    }
    let (points, primitives) = match found.witness {
        Some(witness) => ([witness.a_in_world, witness.b_in_world], [witness.primitive_a, witness.primitive_b]),
        // Only if nothing could be compared, because poses are NaN.
        None => ([DVec3::NAN; 2], [0; 2]),
    };
    Measured { lower, upper: found.upper, points, primitives }
}

/// The nearer of two.
pub(super) fn nearer(a: Measured, b: Measured) -> Measured {
    if least(a.upper, b.upper) == b.upper { b } else { a }
}
