//! The query about a cell at its middle, and its result.

use super::front::Front;
use super::half_space;
use super::shells::Separations;
use super::traversal::{self, Lent, TraversalScratch};
use crate::check::pair_at::{OppositeAt, PairAt};
use crate::check::verdict::Statistics;
use crate::distance::Near;
use crate::numeric::DVec3;
use crate::robot::CellBound;
use crate::trees::SiblingPairs;

/// Conditions at the middle of a cell under which its halves are covered.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) struct CellQuery {
    /// Bounds on both sides' motions over the cell, relative to their common ancestor.
    pub(in crate::check) bounds: [CellBound; 2],
    /// The pair must be farther apart than this everywhere.
    pub(in crate::check) clearance: f64,
    /// A pair of primitives no farther apart than this is a finding.
    pub(in crate::check) close: f64,
    /// Nodes larger than this many times the motion are expanded; smaller ones are left to the halves.
    pub(in crate::check) node_to_motion_ratio: f64,
    /// Purpose of the probe.
    pub(in crate::check) wanted: Wanted,
    /// A direction in A's axes that may separate the pair.
    pub(in crate::check) hint: Option<DVec3>,
    /// The number of the pair.
    pub(in crate::check) pair: u32,
}

/// Purpose of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::check) enum Wanted {
    /// Contact, and nothing else: no half is covered.
    Contact(First),
    /// Contact, and as much of the halves certified as possible; the rest is left to them.
    Progress,
    /// Halves that are covered as a whole: a half is given up as soon as a part of it cannot be certified.
    WholeHalves,
}

/// First test where only contact matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::check) enum First {
    /// Hulls: along a path that runs close to things, most are apart where boxes overlap.
    #[default]
    Hulls,
    /// Boxes of meshes, for a while: where contact is likely, GJK between hulls that overlap is wasted.
    Boxes,
}

impl First {
    /// True if a segment on which this is tested first is likely to collide.
    pub(super) fn is_contact_likely(self) -> bool {
        self == Self::Boxes
    }
}

/// Result of a probe in the middle of a cell.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) struct Examined {
    /// Halves that are covered.
    pub(in crate::check) covered: [bool; 2],
    /// Proven lower bounds, over each half, on the distance of the pairs certified for it.
    pub(in crate::check) lower_over_halves: [f64; 2],
    /// Lower bound on the distance at the middle of the primitives that were examined and not certified.
    pub(in crate::check) lower_at_middle: f64,
    /// A pair of primitives within `close`, if the traversal ended there; points in the world.
    pub(in crate::check) found: Option<(Near, [usize; 2])>,
    /// True if boxes and hulls that are apart show that nothing of one side is inside a solid of the other at the
    /// middle.
    pub(in crate::check) is_outside: bool,
    /// Fronts kept for the halves.
    pub(in crate::check) fronts: [Front; 2],
    /// Best known direction at the end, from A to B in A's axes.
    pub(in crate::check) hint: Option<DVec3>,
}

impl Examined {
    /// Nothing is known yet.
    pub(in crate::check) const UNCOVERED: Self = Self {
        covered: [false; 2],
        lower_over_halves: [f64::INFINITY; 2],
        lower_at_middle: f64::INFINITY,
        found: None,
        is_outside: false,
        fronts: [Front::Roots; 2],
        hint: None,
    };

    /// Both halves are covered with this much distance left.
    pub(super) fn covered(lower: f64, is_outside: bool) -> Self {
        Self { covered: [true; 2], lower_over_halves: [lower; 2], is_outside, ..Self::UNCOVERED }
    }
}

/// Examines a pair in the middle of a cell, starting from `front`; leaves the halves' fronts in `scratch`.
pub(in crate::check) fn examine(
    pair: &PairAt<'_>,
    cell: &CellQuery,
    front: &[SiblingPairs],
    separations: &mut Separations,
    scratch: &mut TraversalScratch,
    statistics: &mut Statistics,
) -> Examined {
    match &pair.b {
        OppositeAt::Group { group, world_from_group } => {
            let query = pair.query(group, world_from_group);
            let sides = [pair.a, group];
            // Depth matters only where penetration is allowed.
            let is_signed = cell.clearance < 0.0;
            let mut examined =
                traversal::run(&query, sides, cell, is_signed, front, Lent { separations, scratch, statistics });
            if let Some((near, _)) = &mut examined.found {
                [near.on_a, near.on_b] = [near.on_a, near.on_b].map(|p| query.world_from_a().point(p));
            }
            examined
        }
        OppositeAt::HalfSpace(half_space) => half_space::examine(pair, half_space, cell),
    }
}
