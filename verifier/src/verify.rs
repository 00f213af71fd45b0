//! [`Verifier`]: a scene prepared for verifying certificates.

use std::collections::HashMap;
use std::time::Instant;

use pathproof::certificate::{Certificate, CurveClaim};
use pathproof::path::Motion;
use pathproof::scene::{PairKind, Scene};
use thiserror::Error;

use crate::chain::Chain;
use crate::motion::BodyMotion;
use crate::segment::Segment;
use crate::separate::Known;
use crate::solid::{Shape, Solid};
use crate::walk::{Middles, Walk};
use crate::work::Work;
use crate::{curve, header};

/// Values of joints must be smaller, so that nothing overflows.
const LARGEST_VALUE: f64 = 1e100;

/// See [`Verifier::allowed_work`].
const WORK_ALLOWED: u64 = 8;
const WORK_PER_CELL: u64 = 256;
const WORK_IN_ANY_CASE: u64 = 100_000;

/// An accepted certificate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Accepted {
    /// Segments of the path.
    pub segments: usize,
    /// Number of pairs of bodies shown to stay apart on each.
    pub pairs: usize,
    /// Number of halves of cells shown.
    pub halves: usize,
}

/// Fault of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is for another scene.
    OtherScene,
    /// It is for another path, or the path is invalid.
    OtherPath,
    /// Cells do not tile a segment.
    NotTiled,
    /// A pair that must be checked is not in it.
    MissingPair,
    /// A pair has less clearance than required.
    Clearance,
    /// Its header states something that is not proven.
    Header,
    /// A body starts inside another.
    Inside,
    /// A pair is not shown to stay apart.
    NotShown,
    /// It takes more work than the certificate of any path of its size, or more time than allowed.
    TooMuchWork,
}

impl Fault {
    /// Its name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::OtherScene => "other_scene",
            Self::OtherPath => "other_path",
            Self::NotTiled => "not_tiled",
            Self::MissingPair => "missing_pair",
            Self::Clearance => "clearance",
            Self::Header => "header",
            Self::Inside => "inside",
            Self::NotShown => "not_shown",
            Self::TooMuchWork => "too_much_work",
        }
    }
}

/// Reason for refusing a certificate: the first place that fails.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{message}")]
pub struct Refusal {
    /// The kind of fault.
    pub fault: Fault,
    /// The segment, from 0, if one is at fault.
    pub segment: Option<usize>,
    /// The part of the segment.
    pub interval: Option<[f64; 2]>,
    /// Names of the bodies, if two are at fault.
    pub bodies: Option<[String; 2]>,
    /// Description in words.
    pub message: String,
}

impl Refusal {
    pub(crate) fn new(fault: Fault, message: impl Into<String>) -> Self {
        Self { fault, segment: None, interval: None, bodies: None, message: message.into() }
    }

    pub(crate) fn on(self, segment: usize) -> Self {
        Self { segment: Some(segment), message: format!("segment {segment}: {}", self.message), ..self }
    }

    pub(crate) fn about(self, bodies: [String; 2]) -> Self {
        let message = format!("{} and {}: {}", bodies[0], bodies[1], self.message);
        Self { bodies: Some(bodies), message, ..self }
    }
}

/// A scene with the verifier's own trees, built once and shared.
///
/// ```
/// use pathproof::check::{CheckScratch, Checker, Settings};
/// use pathproof::numeric::{DVec3, Pose};
/// use pathproof::path::Motion;
/// use pathproof::robot::{JointKind, JointSpec, Model};
/// use pathproof::scene::{BodyShape, Role, Scene, SceneBody, SceneParts};
/// use pathproof::shapes::{Body, Convex};
/// use pathproof_verifier::Verifier;
/// // A ball that slides along x, and a wall 1 m away.
/// let slide = JointSpec::new("slide", JointKind::Prismatic { axis: DVec3::X }, "world", "ball", Pose::IDENTITY);
/// let model = Model::new("world", vec!["world".into(), "ball".into()], vec![slide])?;
/// let mut parts = SceneParts::new(model);
/// let shape = |convex| BodyShape::Parts(Body::from_convex(convex));
/// parts.bodies.push(SceneBody {
///     name: "ball".into(), role: Role::Link, link: 1, link_from_body: Pose::IDENTITY,
///     shape: shape(Convex::sphere(0.1)?),
/// });
/// parts.bodies.push(SceneBody {
///     name: "wall".into(), role: Role::Obstacle, link: 0, link_from_body: Pose::from_translation(DVec3::X),
///     shape: shape(Convex::cuboid([0.01, 2.0, 2.0])?),
/// });
/// let checker = Checker::new(Scene::new(parts)?);
/// let path = Motion::lines([vec![0.0], vec![0.8]]);
/// let (_, certificate) = checker.certify(&path, &Settings::default(), &mut CheckScratch::new(&checker))?;
/// let certificate = certificate.expect("the path is free");
/// let verifier = Verifier::new(checker.scene())?;
/// assert!(verifier.verify(&path, &certificate).is_ok());
/// assert!(verifier.verify(&Motion::lines([vec![0.0], vec![2.0]]), &certificate).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Verifier<'a> {
    pub(crate) scene: &'a Scene,
    hashes: [[u8; 32]; 3],
    /// Hashes of the bodies, kept because they take a pass over all geometry.
    pub(crate) body_hashes: Vec<[u8; 8]>,
    pub(crate) chain: Chain,
    pub(crate) solids: Vec<Solid<'a>>,
}

/// Two bodies that must be shown apart.
pub(crate) struct Task {
    pub(crate) bodies: [usize; 2],
    pub(crate) ancestor: usize,
    pub(crate) clearance: f64,
    /// True if the scene's default clearance applies to the pair: it is not two links of one robot, and has no
    /// clearance of its own.
    pub(crate) keeps_default: bool,
}

impl<'a> Verifier<'a> {
    /// Builds trees and checks them; takes about as long as building a checker.
    pub fn new(scene: &'a Scene) -> Result<Self, &'static str> {
        let chain = Chain::new(scene.model());
        let solids = scene.bodies().iter().map(|body| Solid::new(scene.model(), &chain, body));
        let solids = solids.collect::<Result<_, _>>()?;
        let fingerprint = scene.fingerprint();
        let hashes = [fingerprint.kinematics, fingerprint.geometry, fingerprint.pairs];
        Ok(Self { scene, hashes, body_hashes: scene.body_fingerprints(), chain, solids })
    }

    /// Accepts if the certificate proves that every checked pair of the scene is farther apart than its clearance at
    /// every configuration of the motion, in every version of it.
    pub fn verify(&self, motion: &Motion, certificate: &Certificate) -> Result<Accepted, Refusal> {
        self.verify_until(motion, certificate, None)
    }

    /// As [`Self::verify`]; refuses a certificate that is not shown by the deadline.
    pub fn verify_until(
        &self,
        motion: &Motion,
        certificate: &Certificate,
        deadline: Option<Instant>,
    ) -> Result<Accepted, Refusal> {
        if !motion.is_certifiable() {
            return Err(Refusal::new(Fault::OtherPath, "it is for another path: no certificate can state this motion"));
        }
        let (path, curve) = (motion.waypoints(), motion.stated_knots().map(CurveClaim::new));
        let curve = curve.as_ref();
        self.require_same_scene(certificate)?;
        self.require_same_path(path, certificate)?;
        require_same_curve(curve, certificate)?;
        let tasks = self.tasks(certificate)?;
        let work = Work::new(self.allowed_work(&tasks, certificate), deadline);
        let mut accepted = Accepted { segments: certificate.segments(), pairs: self.scene.pairs().len(), halves: 0 };
        let mut known: Vec<Vec<Known>> = tasks.iter().map(|tasks| vec![Known::default(); tasks.len()]).collect();
        let mut tilings = certificate.tilings.iter();
        for index in 0..certificate.segments() {
            let (start, goal) = (&path[index], &path[(index + 1).min(path.len() - 1)]);
            let variables = self.scene.model().variables();
            let curves = match curve {
                Some(claim) if path.len() > 1 => curve::curves(variables, [start, goal], claim, index),
                _ => Ok(Vec::new()),
            };
            let segment = curves
                .and_then(|curves| Segment::new(&self.chain, start, goal, curves))
                .map_err(|reason| Refusal::new(Fault::OtherPath, reason).on(index))?;
            let mut middles = Middles::new();
            let first = (index == 0)
                .then(|| segment.at(0.0, 0.0))
                .map(|first| self.solids.iter().map(|solid| BodyMotion::still(&first, solid)).collect::<Vec<_>>());
            for (tasks, known) in tasks.iter().zip(&mut known) {
                let cells = tilings.next().map_or(&[][..], |tiling| &tiling[..]);
                let (middles, work) = (&mut middles, &work);
                let mut walk = Walk { verifier: self, segment: &segment, index, middles, shown: 0, work };
                let room = first.as_ref().map_or(Ok(0.0), |first| walk.starts_outside(tasks, first))?;
                let is_accepted = walk.tiling(tasks, cells, room, known);
                is_accepted.map_err(|refusal| if work.is_used_up() { too_much_work().on(index) } else { refusal })?;
                accepted.halves += walk.shown;
            }
        }
        header::require_true(self, certificate, &tasks)?;
        Ok(accepted)
    }

    fn require_same_scene(&self, certificate: &Certificate) -> Result<(), Refusal> {
        let is_other = |i: &usize| certificate.scene.hashes[*i] != self.hashes[*i];
        let counts = (certificate.scene.bodies.len() != self.solids.len()).then_some(1);
        (0..3).find(is_other).or(counts).map_or(Ok(()), |i| {
            let message = format!("it is for another scene: {}", certificate.scene.difference(self.scene, i));
            Err(Refusal::new(Fault::OtherScene, message))
        })
    }

    fn require_same_path(&self, path: &[Vec<f64>], certificate: &Certificate) -> Result<(), Refusal> {
        let other = |what: String| Err(Refusal::new(Fault::OtherPath, format!("it is for another path: {what}")));
        let variables = self.scene.model().variables().len();
        if path.is_empty() || path.len() != certificate.waypoints.len() {
            return other(format!("it has {} waypoints, and the path {}", certificate.waypoints.len(), path.len()));
        }
        for (i, (given, stated)) in path.iter().zip(&certificate.waypoints).enumerate() {
            if given.len() != variables || !given.iter().all(|value| value.abs() < LARGEST_VALUE) {
                return other(format!("waypoint {i} has values that are not finite or too large"));
            }
            let is_same =
                given.len() == stated.len() && given.iter().zip(stated).all(|(x, y)| x.to_bits() == y.to_bits());
            if !is_same {
                return other(format!("waypoint {i} differs"));
            }
        }
        Ok(())
    }

    /// The pairs to show for each of the certificate's pairs of groups: together every pair that the scene checks.
    fn tasks(&self, certificate: &Certificate) -> Result<Vec<Vec<Task>>, Refusal> {
        let mut group_of = vec![usize::MAX; self.solids.len()];
        for (number, group) in certificate.scene.groups.iter().enumerate() {
            for &body in group {
                match group_of.get_mut(body) {
                    Some(group) if *group == usize::MAX => *group = number,
                    _ => return Err(Refusal::new(Fault::MissingPair, "its groups of bodies cannot be")),
                }
            }
        }
        let pairs: HashMap<(usize, usize), usize> =
            certificate.scene.pairs.iter().enumerate().map(|(i, &(a, b, _))| ((a.min(b), a.max(b)), i)).collect();
        let mut tasks: Vec<Vec<Task>> = certificate.scene.pairs.iter().map(|_| Vec::new()).collect();
        for pair in self.scene.pairs() {
            let (a, b) = (group_of[pair.a], group_of[pair.b]);
            let Some(&number) = pairs.get(&(a.min(b), a.max(b))) else {
                let missing = Refusal::new(Fault::MissingPair, "they must be checked and are not in it");
                return Err(missing.about(self.names([pair.a, pair.b])));
            };
            let stated = certificate.scene.pairs[number].2;
            if !(stated >= pair.clearance) {
                let message =
                    format!("the scene requires {:?} m clearance; the certificate proves {stated:?} m", pair.clearance);
                return Err(Refusal::new(Fault::Clearance, message).about(self.names([pair.a, pair.b])));
            }
            // A direction points from the first group to the second. A plane must come first.
            let mut bodies = if certificate.scene.pairs[number].0 == a { [pair.a, pair.b] } else { [pair.b, pair.a] };
            if self.is_plane(bodies[1]) {
                bodies.swap(0, 1);
            }
            let ancestor = self.chain.common_ancestor(self.solids[pair.a].frame, self.solids[pair.b].frame);
            let keeps_default = pair.kind == PairKind::World && !pair.has_own_clearance;
            tasks[number].push(Task { bodies, ancestor, clearance: stated, keeps_default });
        }
        Ok(tasks)
    }

    /// Work allowed before a certificate is refused, in pairs of nodes. The checker's certificates take at most 1.3
    /// times their primitives and 256 times their cells, and mostly a hundredth of that.
    fn allowed_work(&self, tasks: &[Vec<Task>], certificate: &Certificate) -> u64 {
        let of_body = |body: &usize| match &self.solids[*body].shape {
            Shape::Parts { body, .. } => body.primitives(),
            Shape::HalfSpace { .. } => 1,
        };
        let primitives: usize = tasks.iter().flatten().flat_map(|task| &task.bodies).map(of_body).sum();
        let cells: usize = certificate.tilings.iter().map(Vec::len).sum();
        let honest = primitives as u64 * certificate.segments() as u64 + WORK_PER_CELL * cells as u64;
        WORK_ALLOWED * honest + WORK_IN_ANY_CASE
    }

    fn is_plane(&self, body: usize) -> bool {
        matches!(self.solids[body].shape, Shape::HalfSpace { .. })
    }

    pub(crate) fn names(&self, bodies: [usize; 2]) -> [String; 2] {
        bodies.map(|body| self.scene.bodies()[body].name.clone())
    }
}

/// Refuses a certificate that does not state the given curve, bit for bit.
fn require_same_curve(given: Option<&CurveClaim>, certificate: &Certificate) -> Result<(), Refusal> {
    let problem = match (given, &certificate.curve) {
        (None, None) => return Ok(()),
        (None, Some(_)) => "it proves what a controller runs, not straight lines",
        (Some(_), None) => "it proves straight lines, not what a controller runs",
        (Some(given), Some(stated)) if given.bits() == stated.bits() => return Ok(()),
        _ => "times, velocities or accelerations differ",
    };
    Err(Refusal::new(Fault::OtherPath, format!("it is for another path: {problem}")))
}

fn too_much_work() -> Refusal {
    Refusal::new(
        Fault::TooMuchWork,
        "showing it takes more work than a certificate of its size needs, or than is allowed",
    )
}
