//! Certificates: a proof that a path is free, as a value and as bytes (docs/certificate-format.md).
//!
//! For each segment and pair of groups, a certificate lists the cells that tile it. For each cell it states the halves
//! that are covered from its middle and, as an optional hint, a direction. A half is covered by what its cell and the
//! cells above it show; the verifier derives both itself. A certificate that was read is a claim: the verifier trusts
//! nothing in it.

mod decode;
mod differences;
mod encode;

use std::sync::Arc;

use crate::numeric::DVec3;
use crate::robot::Knot;
use crate::scene::Scene;

pub use decode::ReadError;

/// First bytes of every certificate: not text, and damaged by programs that change line ends.
pub const MAGIC: [u8; 8] = *b"\x89PPC\r\n\x1a\n";
/// The version of the format that is written. Older versions are read as well: version 2 has no hashes of single
/// bodies, and version 1 is for straight lines only.
pub const VERSION: u32 = 3;
/// The interpolations that a certificate may state.
const LINES: &str = "lines";
const CONTROLLER: &str = "controller";
/// Bytes of the checksum at the end.
const SUM: usize = 8;

/// Replaces straight lines in the assumptions of a proof for a curve.
const CURVE_ASSUMPTION: &str = "Between two waypoints every joint value runs along the polynomial that \
     joint_trajectory_controller runs: a quintic where both have velocities and accelerations, a cubic where both have \
     velocities, else a straight line; the rotation of a floating joint runs along the shortest arc at constant rate. \
     Angles are not wrapped.";

/// Assumptions of a proof besides the scene, in plain words.
const ASSUMPTIONS: [&str; 5] = [
    "Lengths are in metres and angles in radians.",
    "Between two waypoints every joint value runs along a straight line; the rotation of a floating joint runs along \
     the shortest arc at constant rate. Angles are not wrapped.",
    "Bodies are rigid and have exactly the shapes, places and joints whose hashes are given; how far the real machine \
     departs from them is what the clearance is for.",
    "A body that is inside a closed mesh counts as touching it; an open mesh is a surface without inside, but for meshes \
     that the scene calls solid, whose holes of at most 10 mm are closed for that test.",
    "Pairs of bodies that no joint can move relative to each other are not checked; other pairs that are not checked \
     are listed with the reason.",
];

/// Assumptions that a certificate states besides the scene, along straight lines or a curve.
pub fn assumptions(is_curve: bool) -> Vec<String> {
    let mut texts = ASSUMPTIONS.map(str::to_owned);
    if is_curve {
        texts[1] = CURVE_ASSUMPTION.to_owned();
    }
    texts.into()
}

/// A proof that a path is free, or a claim to be one.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// The version of the format in which it was read, and is written.
    pub version: u32,
    /// The part that all certificates of a scene share.
    pub scene: Arc<SceneClaim>,
    /// Configurations of the path.
    pub waypoints: Vec<Vec<f64>>,
    /// The curve between them; `None` for straight lines.
    pub curve: Option<CurveClaim>,
    /// For each segment and pair, in this order, the cells that tile it.
    pub tilings: Vec<Vec<TiledCell>>,
}

/// The curve that a trajectory controller runs between waypoints: cubics if both have velocities, quintics if both
/// have accelerations too, else straight lines. Lists are in the order of the variables, one per waypoint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurveClaim {
    /// Time of each waypoint, in seconds.
    pub times: Vec<f64>,
    /// Velocities per second.
    pub velocities: Vec<Option<Vec<f64>>>,
    /// Accelerations per second squared.
    pub accelerations: Vec<Option<Vec<f64>>>,
}

impl CurveClaim {
    /// The claim for the points of a trajectory.
    pub fn new(knots: &[Knot]) -> Self {
        Self {
            times: knots.iter().map(|knot| knot.time).collect(),
            velocities: knots.iter().map(|knot| knot.velocities.clone()).collect(),
            accelerations: knots.iter().map(|knot| knot.accelerations.clone()).collect(),
        }
    }

    /// All of it as bits, for comparison.
    pub fn bits(&self) -> Vec<Vec<u64>> {
        let bits = |list: &[f64]| list.iter().map(|value| value.to_bits()).collect::<Vec<u64>>();
        // Distinguishes an absent list from an empty one.
        let of = |list: &Option<Vec<f64>>| list.as_ref().map_or_else(|| vec![u64::MAX], |list| bits(list));
        let lists = self.velocities.iter().chain(&self.accelerations).map(of);
        std::iter::once(bits(&self.times)).chain(lists).collect()
    }
}

/// Claims of a certificate about the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneClaim {
    /// SHA-256 of kinematics, geometry and pairs.
    pub hashes: [[u8; 32]; 3],
    /// Clearance of pairs without their own, in metres.
    pub clearance: f64,
    /// Assumptions of the proof, in plain words.
    pub assumptions: Vec<String>,
    /// Names of the variables.
    pub variables: Vec<String>,
    /// Names of the bodies.
    pub bodies: Vec<String>,
    /// The first bytes of a hash of each body, to find one that differs; empty before version 3.
    pub body_hashes: Vec<[u8; 8]>,
    /// Pairs of bodies that are not checked, with reasons.
    pub unchecked: Vec<(usize, usize, String)>,
    /// Bodies that were checked as one.
    pub groups: Vec<Vec<usize>>,
    /// Pairs of groups and their proven clearance, in metres.
    pub pairs: Vec<(usize, usize, f64)>,
}

/// A cell of a tiling. Every cell is followed by the rest of its earlier half, then of its later one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TiledCell {
    /// True for each half (earlier, later) covered from the cell's middle; a half that is not covered is a cell that
    /// follows.
    pub covered: [bool; 2],
    /// A direction in the world that may separate the pair, if a half is covered and one is stated.
    pub direction_in_world: Option<DVec3>,
}

impl SceneClaim {
    /// Claims about a scene with bodies checked in these groups and pairs of groups.
    pub(crate) fn new(scene: &Scene, groups: Vec<Vec<usize>>, pairs: Vec<(usize, usize, f64)>) -> Self {
        let fingerprint = scene.fingerprint();
        Self {
            hashes: [fingerprint.kinematics, fingerprint.geometry, fingerprint.pairs],
            clearance: scene.clearance(),
            assumptions: assumptions(false),
            variables: scene.model().variables().iter().map(|variable| variable.name.clone()).collect(),
            bodies: scene.bodies().iter().map(|body| body.name.clone()).collect(),
            body_hashes: scene.body_fingerprints(),
            unchecked: scene.unchecked().iter().map(|pair| (pair.a, pair.b, pair.reason.to_string())).collect(),
            groups,
            pairs,
        }
    }
}

impl SceneClaim {
    /// The same for a controller's curve.
    pub(crate) fn for_a_curve(&self) -> Self {
        Self { assumptions: assumptions(true), ..self.clone() }
    }
}

impl Certificate {
    /// Number of segments of the path; a single waypoint counts as one segment that does not move.
    pub fn segments(&self) -> usize {
        self.waypoints.len().saturating_sub(1).max(1)
    }
}
