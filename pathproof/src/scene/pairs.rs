//! Which pairs of bodies are checked, and why the others are not (CONTRACT "Scene file").
//!
//! Rules, first match wins: an exception of the scene; rigid with each other; `touch`; parent and child of one
//! movable joint; disabled by an SRDF; else checked. Quadratic in the number of bodies, as the answer is.

use std::collections::HashMap;

use super::{Role, SceneBody};
use crate::robot::{JointKind, Model};

/// A pair that is checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CheckedPair {
    /// Index of the first body.
    pub a: usize,
    /// Index of the second body; greater than `a`.
    pub b: usize,
    /// The distance that must be exceeded, in metres.
    pub clearance: f64,
    /// Whether the clearance is the pair's own, so that another default does not change it.
    pub has_own_clearance: bool,
}

/// A pair that is not checked.
#[derive(Clone, Debug, PartialEq)]
pub struct UncheckedPair {
    /// Index of the first body.
    pub a: usize,
    /// Index of the second body; greater than `a`.
    pub b: usize,
    /// Why.
    pub reason: Reason,
}

/// Why a pair is not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No joint between them: their distance never changes.
    CannotMove,
    /// They are the parent and child link that one movable joint names.
    Adjacent {
        /// The joint.
        joint: String,
    },
    /// An attached object and its link, a link rigid with that, or one that it may touch.
    AttachedOrTouch,
    /// Disabled by an SRDF.
    Srdf {
        /// The reason the file gives; may be empty.
        reason: String,
    },
    /// `check = false` in the scene.
    Exception,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::CannotMove => write!(f, "cannot move relative to each other"),
            Self::Adjacent { joint } => write!(f, "parent and child of the joint {joint}"),
            Self::AttachedOrTouch => write!(f, "attached there, or may touch"),
            Self::Srdf { reason } if reason.is_empty() => write!(f, "disabled by the SRDF"),
            Self::Srdf { reason } => write!(f, "disabled by the SRDF ({reason})"),
            Self::Exception => write!(f, "check = false in the scene"),
        }
    }
}

/// What the scene says about one pair of bodies, over all other rules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairRule {
    /// Not checked.
    Skip,
    /// Checked, with the scene's clearance.
    Check,
    /// Checked, with a clearance of its own in metres.
    Clearance(f64),
}

/// All that decides about pairs besides the model and the bodies. Indices are into bodies or links as named.
#[derive(Clone, Debug, Default)]
pub struct PairRules {
    /// Pairs of links that an SRDF disables, with its reason.
    pub disabled_links: Vec<([usize; 2], String)>,
    /// Pairs of bodies that may touch.
    pub touching_bodies: Vec<[usize; 2]>,
    /// Exceptions for pairs of bodies, over everything else.
    pub exceptions: Vec<([usize; 2], PairRule)>,
}

/// Splits all pairs of bodies into those checked and those not; both in lexicographic order.
pub(super) fn decide(
    model: &Model,
    bodies: &[SceneBody],
    rules: &PairRules,
    clearance: f64,
) -> (Vec<CheckedPair>, Vec<UncheckedPair>) {
    let lookup = Lookup::new(model, rules);
    let (mut checked, mut unchecked) = (Vec::new(), Vec::new());
    for a in 0..bodies.len() {
        for b in a + 1..bodies.len() {
            let reason = match lookup.exceptions.get(&[a, b]) {
                Some(PairRule::Skip) => Some(Reason::Exception),
                Some(PairRule::Clearance(own)) => {
                    checked.push(CheckedPair { a, b, clearance: *own, has_own_clearance: true });
                    continue;
                }
                Some(PairRule::Check) => None,
                None => lookup.reason_by_default(model, bodies, a, b),
            };
            match reason {
                Some(reason) => unchecked.push(UncheckedPair { a, b, reason }),
                None => checked.push(CheckedPair { a, b, clearance, has_own_clearance: false }),
            }
        }
    }
    (checked, unchecked)
}

struct Lookup<'a> {
    adjacent_links: HashMap<[usize; 2], &'a str>,
    disabled_links: HashMap<[usize; 2], &'a str>,
    touching_bodies: std::collections::HashSet<[usize; 2]>,
    exceptions: HashMap<[usize; 2], PairRule>,
}

impl<'a> Lookup<'a> {
    fn new(model: &'a Model, rules: &'a PairRules) -> Self {
        let movable = model.joints().iter().filter(|joint| joint.kind != JointKind::Fixed);
        Self {
            adjacent_links: movable.map(|j| (sorted([j.parent, j.child]), j.name.as_str())).collect(),
            disabled_links: rules.disabled_links.iter().map(|(pair, why)| (sorted(*pair), why.as_str())).collect(),
            touching_bodies: rules.touching_bodies.iter().map(|pair| sorted(*pair)).collect(),
            exceptions: rules.exceptions.iter().map(|(pair, rule)| (sorted(*pair), *rule)).collect(),
        }
    }

    fn reason_by_default(&self, model: &Model, bodies: &[SceneBody], a: usize, b: usize) -> Option<Reason> {
        let (body_a, body_b) = (&bodies[a], &bodies[b]);
        let one_is_attached = body_a.role == Role::Attached || body_b.role == Role::Attached;
        if model.frame_of(body_a.link) == model.frame_of(body_b.link) {
            return Some(if one_is_attached { Reason::AttachedOrTouch } else { Reason::CannotMove });
        }
        if self.touching_bodies.contains(&[a, b]) {
            return Some(Reason::AttachedOrTouch);
        }
        // What follows is about links; an attached object is near more of them than the files foresee.
        if body_a.role != Role::Link || body_b.role != Role::Link {
            return None;
        }
        let links = sorted([body_a.link, body_b.link]);
        if let Some(&joint) = self.adjacent_links.get(&links) {
            return Some(Reason::Adjacent { joint: joint.to_owned() });
        }
        let reason = self.disabled_links.get(&links)?;
        Some(Reason::Srdf { reason: (*reason).to_owned() })
    }
}

fn sorted([a, b]: [usize; 2]) -> [usize; 2] {
    if a <= b { [a, b] } else { [b, a] }
}
