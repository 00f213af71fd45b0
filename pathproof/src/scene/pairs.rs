//! The pairs of bodies that are checked, and the reasons why others are not.
//!
//! Rules, later over earlier: rigid with each other; `touch`; parent and child of one movable joint; disabled by an
//! SRDF; then the scene's exceptions in their order. Pairs that no joint can move are counted, not stored: memory
//! grows with the moving bodies times all bodies, not with the square of the obstacles.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{PairKind, PerKind, Role, SceneBody};
use crate::robot::{JointKind, Model};

/// A pair that is checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CheckedPair {
    /// Index of the first body.
    pub a: usize,
    /// Index of the second body; greater than `a`.
    pub b: usize,
    /// Its kind, which selects its default clearance.
    pub kind: PairKind,
    /// The distance that must be exceeded, in metres.
    pub clearance: f64,
    /// True if the clearance is the pair's own, so that another default does not change it.
    pub has_own_clearance: bool,
}

/// A pair that is not checked.
#[derive(Clone, Debug, PartialEq)]
pub struct UncheckedPair {
    /// Index of the first body.
    pub a: usize,
    /// Index of the second body; greater than `a`.
    pub b: usize,
    /// The reason.
    pub reason: Reason,
}

/// Reason why a pair is not checked.
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

/// A scene's rule for pairs of bodies, over all other rules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairRule {
    /// Not checked.
    Skip,
    /// Checked.
    Check,
    /// With a clearance of its own in metres. A pair named body by body is also checked.
    Clearance(f64),
}

/// A rule for every pair with one body from each set, written with a wildcard. It applies only to pairs that a joint
/// can move, and a clearance does not enable a pair that is not checked.
#[derive(Clone, Debug, PartialEq)]
pub struct SetRule {
    /// Two sets of bodies, by index; a body may be in both.
    pub sets: [Vec<usize>; 2],
    /// The patterns that define the sets, such as `arm/*`: a body that is added to the scene later joins the sets with
    /// patterns that match its name.
    pub patterns: [Option<String>; 2],
    /// Rule for their pairs.
    pub rule: PairRule,
    /// Number of [`PairRules::exceptions`] that come before it.
    pub after: usize,
}

/// All rules about pairs besides the model and the bodies. Indices are into bodies or links, as named.
#[derive(Clone, Debug, Default)]
pub struct PairRules {
    /// Pairs of links that an SRDF disables, with its reason.
    pub disabled_links: Vec<([usize; 2], String)>,
    /// Pairs of an attached body (the first) and one that it may touch while attached.
    pub touching_bodies: Vec<[usize; 2]>,
    /// Exceptions for pairs of bodies, over everything else; later ones win.
    pub exceptions: Vec<([usize; 2], PairRule)>,
    /// Exceptions for sets of bodies, in order among themselves and with `exceptions`.
    pub set_rules: Vec<SetRule>,
}

/// The decisions for all pairs of bodies.
#[derive(Clone, Debug)]
pub(super) struct Decided {
    /// In lexicographic order.
    pub(super) checked: Vec<CheckedPair>,
    /// Pairs with another reason than [`Reason::CannotMove`], in lexicographic order.
    pub(super) unchecked: Vec<UncheckedPair>,
    /// Number of pairs that cannot move and are in neither list.
    pub(super) rigid: u64,
}

/// Decides all pairs of bodies.
pub(super) fn decide(model: &Model, bodies: &[SceneBody], rules: &PairRules, clearances: PerKind<f64>) -> Decided {
    let lookup = Lookup::new(model, bodies, rules);
    let mut decided = Decided { checked: Vec::new(), unchecked: Vec::new(), rigid: 0 };
    for (a, b) in lookup.candidates() {
        let State { reason, own } = lookup.decide(a, b);
        match reason {
            Some(Reason::CannotMove) => {}
            Some(reason) => decided.unchecked.push(UncheckedPair { a, b, reason }),
            None => {
                let kind = PairKind::of(model, [&bodies[a], &bodies[b]]);
                let (clearance, has_own_clearance) = (own.unwrap_or(clearances[kind]), own.is_some());
                decided.checked.push(CheckedPair { a, b, kind, clearance, has_own_clearance });
            }
        }
    }
    let all = (bodies.len() as u64) * (bodies.len() as u64).saturating_sub(1) / 2;
    decided.rigid = all - (decided.checked.len() + decided.unchecked.len()) as u64;
    decided
}

/// Reason why a pair is not checked; `None` if it is.
pub(super) fn reason(model: &Model, bodies: &[SceneBody], rules: &PairRules, [a, b]: [usize; 2]) -> Option<Reason> {
    let [a, b] = sorted([a, b]);
    Lookup::new(model, bodies, rules).decide(a, b).reason
}

/// State of a pair after some of the rules.
struct State {
    /// Reason why it is not checked.
    reason: Option<Reason>,
    /// Its own clearance.
    own: Option<f64>,
}

struct Lookup<'a> {
    bodies: &'a [SceneBody],
    /// The frame that carries each body.
    frames: Vec<usize>,
    adjacent_links: HashMap<[usize; 2], &'a str>,
    disabled_links: HashMap<[usize; 2], &'a str>,
    touching_bodies: HashSet<[usize; 2]>,
    /// The exceptions for a pair, with their positions among all.
    exceptions: HashMap<[usize; 2], Vec<(usize, PairRule)>>,
    set_rules: Vec<Members<'a>>,
}

/// A set rule with each body's membership in either set.
struct Members<'a> {
    rule: &'a SetRule,
    is_in: Vec<[bool; 2]>,
}

impl Members<'_> {
    fn covers(&self, a: usize, b: usize) -> bool {
        let ([a_first, a_second], [b_first, b_second]) = (self.is_in[a], self.is_in[b]);
        a_first && b_second || a_second && b_first
    }
}

impl<'a> Lookup<'a> {
    fn new(model: &'a Model, bodies: &'a [SceneBody], rules: &'a PairRules) -> Self {
        let movable = model.joints().iter().filter(|joint| joint.kind != JointKind::Fixed);
        let mut exceptions: HashMap<[usize; 2], Vec<(usize, PairRule)>> = HashMap::new();
        for (place, (pair, rule)) in rules.exceptions.iter().enumerate() {
            exceptions.entry(sorted(*pair)).or_default().push((place, *rule));
        }
        let members = |rule: &'a SetRule| {
            let mut is_in = vec![[false; 2]; bodies.len()];
            for (side, set) in rule.sets.iter().enumerate() {
                set.iter().for_each(|&body| is_in[body][side] = true);
            }
            Members { rule, is_in }
        };
        Self {
            bodies,
            frames: bodies.iter().map(|body| model.frame_of(body.link)).collect(),
            adjacent_links: movable.map(|j| (sorted([j.parent, j.child]), j.name.as_str())).collect(),
            disabled_links: rules.disabled_links.iter().map(|(pair, why)| (sorted(*pair), why.as_str())).collect(),
            touching_bodies: rules.touching_bodies.iter().copied().collect(),
            exceptions,
            set_rules: rules.set_rules.iter().map(members).collect(),
        }
    }

    /// All pairs except those that cannot move and that no rule names, in lexicographic order.
    fn candidates(&self) -> Vec<(usize, usize)> {
        let count = self.bodies.len();
        let moving: Vec<usize> = (0..count).filter(|&body| self.frames[body] != 0).collect();
        let mut of_frame: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (body, frame) in self.frames.iter().enumerate().filter(|(body, _)| self.bodies[*body].role == Role::Link) {
            of_frame.entry(*frame).or_default().push(body);
        }
        let mut pairs = Vec::new();
        for a in 0..count {
            let others: Box<dyn Iterator<Item = usize>> = match self.frames[a] {
                0 => Box::new(moving[moving.partition_point(|&b| b <= a)..].iter().copied()),
                frame => Box::new((a + 1..count).filter(move |&b| self.frames[b] != frame)),
            };
            pairs.extend(others.map(|b| (a, b)));
            if self.bodies[a].role == Role::Attached {
                let links = of_frame.get(&self.frames[a]).into_iter().flatten();
                pairs.extend(links.map(|&link| (a.min(link), a.max(link))));
            }
        }
        let is_rigid = |pair: &&[usize; 2]| self.frames[pair[0]] == self.frames[pair[1]];
        pairs.extend(self.exceptions.keys().filter(is_rigid).map(|&[a, b]| (a, b)));
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    fn decide(&self, a: usize, b: usize) -> State {
        let mut state = State { reason: self.reason_by_default(a, b), own: None };
        let can_move = self.frames[a] != self.frames[b];
        let mut named = self.exceptions.get(&[a, b]).map_or(&[][..], Vec::as_slice).iter().peekable();
        for Members { rule, .. } in self.set_rules.iter().filter(|rule| rule.covers(a, b)) {
            while let Some((_, rule)) = named.next_if(|(place, _)| *place < rule.after) {
                state.apply_to_named(*rule);
            }
            match rule.rule {
                PairRule::Skip => state.reason = Some(Reason::Exception),
                PairRule::Check if can_move => state.reason = None,
                PairRule::Check => {}
                PairRule::Clearance(own) => state.own = Some(own),
            }
        }
        named.for_each(|(_, rule)| state.apply_to_named(*rule));
        state
    }

    fn reason_by_default(&self, a: usize, b: usize) -> Option<Reason> {
        let (body_a, body_b) = (&self.bodies[a], &self.bodies[b]);
        let roles = [body_a.role, body_b.role];
        if self.frames[a] == self.frames[b] {
            let is_held = roles.contains(&Role::Attached) && roles.contains(&Role::Link);
            return Some(if is_held { Reason::AttachedOrTouch } else { Reason::CannotMove });
        }
        let may_touch = |held: usize, other: usize| {
            self.bodies[held].role == Role::Attached && self.touching_bodies.contains(&[held, other])
        };
        if may_touch(a, b) || may_touch(b, a) {
            return Some(Reason::AttachedOrTouch);
        }
        // The following rules are about links; an attached object is near more of them than the files list.
        if roles != [Role::Link; 2] {
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

impl State {
    /// Applies a rule for this pair alone.
    fn apply_to_named(&mut self, rule: PairRule) {
        match rule {
            PairRule::Skip => self.reason = Some(Reason::Exception),
            PairRule::Check => self.reason = None,
            PairRule::Clearance(own) => (self.reason, self.own) = (None, Some(own)),
        }
    }
}

fn sorted([a, b]: [usize; 2]) -> [usize; 2] {
    if a <= b { [a, b] } else { [b, a] }
}
