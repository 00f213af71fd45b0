//! Bodies, the pairs of them that are checked, the reasons why others are not, and the clearance of each pair.
//!
//! A [`Scene`] is made once and never changes; checkers share it. Invariant: every pair of bodies is checked, with a
//! clearance that its shapes can have, or listed with the reason why not, or counted among the pairs that no joint can
//! move. Nothing here knows files: `pathproof_formats::scene_file` builds scenes from them, [`Scene::new`] from
//! memory.

mod attachment;
mod body;
mod builder;
mod configuration;
mod curve_limits;
mod display;
mod editing;
mod fingerprint;
mod kind;
mod pairs;
mod pattern;

pub use body::{BodyShape, Role, SceneBody, ShapeSummary};
pub use builder::{BuildError, SceneBuilder};
pub use configuration::{ColumnError, ConfigurationError, GroupState, LimitViolation};
pub use curve_limits::{CurveViolation, SpeedExcess};
pub use display::DisplayMesh;
pub use fingerprint::Fingerprint;
pub use kind::{PairKind, PerKind};
pub use pattern::matches;

pub use pairs::{CheckedPair, PairRule, PairRules, Reason, SetRule, UncheckedPair};

use std::collections::HashSet;

use thiserror::Error;

use crate::numeric::ROUNDOFF_F64;
use crate::robot::Model;

/// The input to [`Scene::new`].
#[derive(Clone, Debug)]
pub struct SceneParts {
    /// Links and joints.
    pub model: Model,
    /// Bodies that can collide.
    pub bodies: Vec<SceneBody>,
    /// Rules about pairs, besides the defaults.
    pub rules: PairRules,
    /// Clearance of [`PairKind::World`] pairs without their own, in metres. 0: no contact.
    pub clearance: f64,
    /// Clearance of [`PairKind::OwnLinks`] pairs without their own, in metres. 0: no contact.
    pub self_clearance: f64,
    /// Distance above the clearance at which the search stops trying to prove, in metres.
    pub tolerance: f64,
    /// Named configurations.
    pub states: Vec<GroupState>,
    /// Values of variables (by index) that paths may leave out.
    pub positions: Vec<(usize, f64)>,
}

impl SceneParts {
    /// No bodies yet, clearances 0, tolerance 0.001: the defaults of a scene file.
    pub fn new(model: Model) -> Self {
        let (bodies, rules, states, positions) = (Vec::new(), PairRules::default(), Vec::new(), Vec::new());
        Self { model, bodies, rules, clearance: 0.0, self_clearance: 0.0, tolerance: 0.001, states, positions }
    }
}

/// Reason why parts do not make a scene.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SceneError {
    /// Two bodies share a name.
    #[error("two bodies are called {0:?}; give every body its own name")]
    DuplicateBody(String),
    /// An index refers to nothing.
    #[error("{0} refers to something that is not in the scene")]
    BadIndex(&'static str),
    /// A body's pose is not finite, or scales, shears or mirrors it.
    #[error("the pose of {0:?} is not a finite rotation and translation")]
    BadPose(String),
    /// A half-space without a direction of unit length.
    #[error("the normal of the plane {0:?} is not a vector of length 1")]
    BadNormal(String),
    /// A clearance is not a finite number.
    #[error("the clearance {0} is not a finite number; give metres")]
    BadClearance(f64),
    /// A tolerance is negative or not a finite number.
    #[error("the tolerance {0} is not a finite number of at least 0; give metres")]
    BadTolerance(f64),
    /// A pair of a body with itself.
    #[error("a pair names {0:?} twice; name two bodies")]
    PairWithItself(String),
    /// A link of a robot where an object is needed.
    #[error("{0:?} is a link of a robot; only obstacles and attached objects can be attached or let go")]
    NotAnObject(String),
    /// A half-space that moves, or two of them.
    #[error(
        "{0:?} is a plane, which reaches to infinity; it can only stand still, and not be checked against another plane"
    )]
    MovingPlane(String),
    /// A negative clearance where a body is not made of convex pieces.
    #[error(
        "a negative clearance ({clearance}) allows penetration, which has a depth between convex pieces only, \
         but {mesh:?} (checked against {other:?}) has a mesh; give this pair a clearance of at least 0, do not check \
         it, or model {mesh:?} by primitives"
    )]
    NegativeClearance {
        /// The body with a mesh.
        mesh: String,
        /// The other body.
        other: String,
        /// The clearance in metres.
        clearance: f64,
    },
}

/// An immutable scene; see the module.
#[derive(Clone, Debug)]
pub struct Scene {
    model: Model,
    bodies: Vec<SceneBody>,
    rules: PairRules,
    decided: pairs::Decided,
    clearances: PerKind<f64>,
    tolerance: f64,
    states: Vec<GroupState>,
    positions: Vec<Option<f64>>,
}

impl Scene {
    /// Validates the parts and decides every pair.
    pub fn new(parts: SceneParts) -> Result<Self, SceneError> {
        check_bodies(&parts)?;
        check_rules(&parts)?;
        let SceneParts { model, bodies, rules, tolerance, states, positions: given, .. } = parts;
        let clearances = PerKind { world: parts.clearance, own_links: parts.self_clearance };
        let mut positions = vec![None; model.variables().len()];
        for (variable, value) in given {
            *positions.get_mut(variable).ok_or(SceneError::BadIndex("a position"))? = Some(value);
        }
        let decided = pairs::decide(&model, &bodies, &rules, clearances);
        let scene = Self { model, bodies, rules, decided, clearances, tolerance, states, positions };
        scene.check_pairs()?;
        scene.with_tolerance(tolerance)
    }

    /// The kinematic forest; link 0 is the world.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// All bodies.
    pub fn bodies(&self) -> &[SceneBody] {
        &self.bodies
    }

    /// The pairs that are checked, in lexicographic order.
    pub fn pairs(&self) -> &[CheckedPair] {
        &self.decided.checked
    }

    /// The unchecked pairs with reasons, in lexicographic order: all but those of [`Self::rigid_pairs`].
    pub fn unchecked(&self) -> &[UncheckedPair] {
        &self.decided.unchecked
    }

    /// Number of pairs that are not checked because no joint can move one body relative to the other. Obstacles make
    /// very many of them, so they are counted and not stored.
    pub fn rigid_pair_count(&self) -> u64 {
        self.decided.rigid
    }

    /// Computes those pairs one by one, in lexicographic order.
    pub fn rigid_pairs(&self) -> impl Iterator<Item = [usize; 2]> {
        let frame = |body: usize| self.model.frame_of(self.bodies[body].link);
        let (pairs, unchecked) = (self.pairs(), self.unchecked());
        let is_listed = move |a: usize, b: usize| {
            pairs.binary_search_by_key(&(a, b), |pair| (pair.a, pair.b)).is_ok()
                || unchecked.binary_search_by_key(&(a, b), |pair| (pair.a, pair.b)).is_ok()
        };
        let all = (0..self.bodies.len()).flat_map(move |a| (a + 1..self.bodies.len()).map(move |b| [a, b]));
        all.filter(move |&[a, b]| frame(a) == frame(b) && !is_listed(a, b))
    }

    /// Reason why a pair is not checked; `None` if it is.
    pub fn reason(&self, a: usize, b: usize) -> Option<Reason> {
        pairs::reason(&self.model, &self.bodies, &self.rules, [a, b])
    }

    /// The clearance of [`PairKind::World`] pairs without their own, in metres.
    pub fn clearance(&self) -> f64 {
        self.clearances.world
    }

    /// The clearance of [`PairKind::OwnLinks`] pairs without their own, in metres.
    pub fn self_clearance(&self) -> f64 {
        self.clearances.own_links
    }

    /// The clearance of pairs without their own, by kind, in metres.
    pub fn clearances(&self) -> PerKind<f64> {
        self.clearances
    }

    /// The pair of two bodies, in either order; `None` if it is not checked.
    pub fn checked_pair(&self, [a, b]: [usize; 2]) -> Option<&CheckedPair> {
        let key = (a.min(b), a.max(b));
        let found = self.pairs().binary_search_by_key(&key, |pair| (pair.a, pair.b)).ok()?;
        Some(&self.pairs()[found])
    }

    /// Distance above the clearance at which the search stops trying to prove, in metres.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// Named configurations.
    pub fn states(&self) -> &[GroupState] {
        &self.states
    }

    /// For each variable, the value that paths may leave out.
    pub fn positions(&self) -> &[Option<f64>] {
        &self.positions
    }

    /// Index of the body called `name`.
    pub fn body(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|body| body.name == name)
    }

    /// True if no joint lies between the body and the world, so that it never moves.
    pub fn is_static(&self, body: usize) -> bool {
        self.model.frame_of(self.bodies[body].link) == 0
    }

    /// The same scene with another clearance of [`PairKind::World`] pairs; pairs with their own keep it.
    pub fn with_clearance(self, clearance: f64) -> Result<Self, SceneError> {
        self.with_clearance_of(PairKind::World, clearance)
    }

    /// The same scene with another clearance of [`PairKind::OwnLinks`] pairs; pairs with their own keep it.
    pub fn with_self_clearance(self, clearance: f64) -> Result<Self, SceneError> {
        self.with_clearance_of(PairKind::OwnLinks, clearance)
    }

    fn with_clearance_of(mut self, kind: PairKind, clearance: f64) -> Result<Self, SceneError> {
        if !clearance.is_finite() {
            return Err(SceneError::BadClearance(clearance));
        }
        self.clearances[kind] = clearance;
        let is_meant = |pair: &&mut CheckedPair| pair.kind == kind && !pair.has_own_clearance;
        self.decided.checked.iter_mut().filter(is_meant).for_each(|pair| pair.clearance = clearance);
        self.check_pairs()?;
        Ok(self)
    }

    /// The same scene with another tolerance.
    pub fn with_tolerance(mut self, tolerance: f64) -> Result<Self, SceneError> {
        if !(tolerance >= 0.0 && tolerance.is_finite()) {
            return Err(SceneError::BadTolerance(tolerance));
        }
        self.tolerance = tolerance;
        Ok(self)
    }

    /// Every checked pair has a clearance that its shapes can have.
    fn check_pairs(&self) -> Result<(), SceneError> {
        for pair in self.pairs() {
            let (a, b) = (&self.bodies[pair.a], &self.bodies[pair.b]);
            if !pair.clearance.is_finite() {
                return Err(SceneError::BadClearance(pair.clearance));
            }
            if a.shape.is_half_space() && b.shape.is_half_space() {
                return Err(SceneError::MovingPlane(a.name.clone()));
            }
            if pair.clearance >= 0.0 {
                continue;
            }
            for (body, other) in [(a, b), (b, a)] {
                if !body.shape.is_made_of_convex_pieces() {
                    let (mesh, other) = (body.name.clone(), other.name.clone());
                    return Err(SceneError::NegativeClearance { mesh, other, clearance: pair.clearance });
                }
            }
        }
        Ok(())
    }
}

fn check_bodies(parts: &SceneParts) -> Result<(), SceneError> {
    let mut names = HashSet::new();
    if let Some(&bad) = [parts.clearance, parts.self_clearance].iter().find(|clearance| !clearance.is_finite()) {
        return Err(SceneError::BadClearance(bad));
    }
    for body in &parts.bodies {
        if !names.insert(body.name.as_str()) {
            return Err(SceneError::DuplicateBody(body.name.clone()));
        }
        if body.link >= parts.model.links().len() {
            return Err(SceneError::BadIndex("a body's link"));
        }
        // Distances require rigid poses.
        if !body.link_from_body.is_rigid(64.0 * ROUNDOFF_F64) {
            return Err(SceneError::BadPose(body.name.clone()));
        }
        if let BodyShape::HalfSpace { normal } = body.shape
            && !((normal.length() - 1.0).abs() <= 16.0 * ROUNDOFF_F64)
        {
            return Err(SceneError::BadNormal(body.name.clone()));
        }
        if body.shape.is_half_space() && parts.model.frame_of(body.link) != 0 {
            return Err(SceneError::MovingPlane(body.name.clone()));
        }
    }
    Ok(())
}

fn check_rules(parts: &SceneParts) -> Result<(), SceneError> {
    let (bodies, links, rules) = (&parts.bodies, parts.model.links().len(), &parts.rules);
    let exceptions = rules.exceptions.iter().map(|(pair, _)| pair);
    let sets = rules.set_rules.iter().flat_map(|rule| rule.sets.iter().flatten());
    let named = exceptions.clone().chain(&rules.touching_bodies).flatten().chain(sets);
    if named.into_iter().any(|&body| body >= bodies.len()) {
        return Err(SceneError::BadIndex("a pair of bodies"));
    }
    if rules.disabled_links.iter().flat_map(|(pair, _)| pair).any(|&link| link >= links) {
        return Err(SceneError::BadIndex("a disabled pair of links"));
    }
    match exceptions.into_iter().find(|[a, b]| a == b) {
        Some(&[body, _]) => Err(SceneError::PairWithItself(bodies[body].name.clone())),
        None => Ok(()),
    }
}

#[cfg(test)]
pub(crate) mod tests;
