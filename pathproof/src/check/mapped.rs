//! Clearance maps in the search: where the joints between two links of a robot stay within boxes for which the links
//! are proven apart, nothing is probed (docs/design.md#clearance-maps).
//!
//! Invariant: a bound is given only where the map holds, on a straight segment within the limits. Bodies of a group
//! are apart from those of another where all of their pairs are. A map is built on first use of its pair. Limits are
//! numbers of boxes, so that answers depend neither on the machine nor on the order of use.

use std::sync::OnceLock;

use super::groups::{GroupPair, Groups, Opposite};
use crate::maps::{Chain, Links, Map, MapSettings};
use crate::numeric::least;
use crate::robot::SegmentMotion;
use crate::scene::{Role, Scene};

/// Selects the pairs of links that have clearance maps, and the resolution of these maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Maps {
    /// Most boxes of joint values per pair of links; more save little. Default 2,000.
    pub boxes: usize,
    /// Most joints between two links that have a map, up to 8; with more of them boxes settle too little. Default 3.
    pub joints: usize,
}

impl Default for Maps {
    fn default() -> Self {
        Self { boxes: 2_000, joints: 3 }
    }
}

/// Values of up to this many joints are kept on the stack.
const MOST_JOINTS: usize = 8;

/// The maps of pairs of groups.
#[derive(Debug)]
pub(super) struct PairMaps {
    scene: Scene,
    settings: MapSettings,
    of_pairs: Vec<OfPair>,
}

/// A pair of groups.
#[derive(Debug)]
struct OfPair {
    /// Its pairs of bodies; empty if one of them has no map.
    bodies: Vec<[usize; 2]>,
    /// Their maps, built on first use.
    maps: OnceLock<Vec<PairMap>>,
}

/// The map of two bodies, and its variables.
#[derive(Debug)]
struct PairMap {
    map: Map,
    variables: Vec<usize>,
}

impl PairMaps {
    /// Finds the pairs of links that may have maps.
    pub(super) fn new(scene: &Scene, groups: &Groups, maps: Maps) -> Self {
        let most = maps.joints.min(MOST_JOINTS);
        let of_pair = |pair: &GroupPair| {
            let bodies = bodies_of(groups, pair);
            let have_maps = bodies.iter().all(|bodies| may_have_map(scene, *bodies, most));
            OfPair { bodies: if have_maps { bodies } else { Vec::new() }, maps: OnceLock::new() }
        };
        let of_pairs = groups.pairs.iter().map(of_pair).collect();
        let settings = MapSettings { boxes: maps.boxes, ..MapSettings::default() };
        Self { scene: scene.clone(), settings, of_pairs }
    }

    /// Builds all maps that are not built yet; returns the number of boxes in all maps.
    pub(super) fn build(&self) -> usize {
        let boxes = |of_pair: &OfPair| self.maps(of_pair).iter().map(|map| map.map.boxes()).sum::<usize>();
        self.of_pairs.iter().map(boxes).sum()
    }

    /// The maps of a pair; empty if one of its bodies has none.
    fn maps<'a>(&self, of_pair: &'a OfPair) -> &'a [PairMap] {
        of_pair.maps.get_or_init(|| {
            let links = Links::new(&self.scene);
            let build = |&bodies: &[usize; 2]| {
                let pair = links.pair(bodies).ok()?;
                let variables = pair.chain.ranges.iter().map(|range| range.variable).collect();
                Some(PairMap { map: Map::build(&pair, &self.settings), variables })
            };
            of_pair.bodies.iter().map(build).collect::<Option<_>>().unwrap_or_default()
        })
    }

    /// Lower bound, above `wanted`, on the distance of a pair of groups over a part of a straight segment. `None` if
    /// the maps give none.
    pub(super) fn lower_over(&self, pair: usize, motion: &SegmentMotion, part: [f64; 2], wanted: f64) -> Option<f64> {
        let of_pair = self.of_pairs.get(pair).filter(|of_pair| !of_pair.bodies.is_empty())?;
        // On a curve values leave the line between the ends.
        if motion.is_curved() {
            return None;
        }
        let maps = self.maps(of_pair);
        let mut lower = f64::INFINITY;
        for map in maps {
            lower = least(lower, map.lower_along(motion, part, wanted)?);
        }
        (lower < f64::INFINITY).then_some(lower)
    }
}

impl PairMap {
    fn lower_along(&self, motion: &SegmentMotion, part: [f64; 2], wanted: f64) -> Option<f64> {
        let mut ends = [[0.0; MOST_JOINTS]; 2];
        for (i, &variable) in self.variables.iter().enumerate() {
            (ends[0][i], ends[1][i]) = (motion.start()[variable], motion.goal()[variable]);
        }
        let count = self.variables.len();
        self.map.lower_along(ends.each_ref().map(|end| &end[..count]), part, wanted)
    }
}

/// The pairs of bodies that a pair of groups stands for.
fn bodies_of(groups: &Groups, pair: &GroupPair) -> Vec<[usize; 2]> {
    let Opposite::Group(b) = pair.b else { return Vec::new() };
    let (of_a, of_b) = (groups.groups[pair.a].members(), groups.groups[b].members());
    of_a.iter().flat_map(|&a| of_b.iter().map(move |&b| [a, b])).collect()
}

/// True if two bodies are links with few joints between them, all with usable limits.
fn may_have_map(scene: &Scene, bodies: [usize; 2], most_joints: usize) -> bool {
    let are_links = bodies.iter().all(|&body| scene.bodies()[body].role == Role::Link);
    let frames = bodies.map(|body| scene.model().frame_of(scene.bodies()[body].link));
    let chain = Chain::new(scene.model(), frames[0], frames[1]);
    are_links && chain.is_ok_and(|chain| (1..=most_joints).contains(&chain.ranges.len()))
}
