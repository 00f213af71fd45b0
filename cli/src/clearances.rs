//! Clearances in words: one number if a scene checks one kind of pairs, else one for each kind.

use pathproof::scene::{PairKind, PerKind, Scene};

use crate::numbers::{at_least, metres, rounded_down};

/// True if the scene checks pairs of both kinds.
pub(crate) fn has_both_kinds(scene: &Scene) -> bool {
    PairKind::ALL.into_iter().all(|kind| has_kind(scene, kind))
}

/// True if the scene checks pairs of that kind.
pub(crate) fn has_kind(scene: &Scene, kind: PairKind) -> bool {
    scene.pairs().iter().any(|pair| pair.kind == kind)
}

/// The default clearances that apply to pairs of the scene.
pub(crate) fn asked(scene: &Scene) -> String {
    let PerKind { world, own_links } = scene.clearances();
    match (has_kind(scene, PairKind::World), has_kind(scene, PairKind::OwnLinks)) {
        (true, true) if world != own_links => {
            format!(
                "{} {}, {} {}",
                metres(world),
                towards(PairKind::World),
                metres(own_links),
                towards(PairKind::OwnLinks)
            )
        }
        (false, true) => metres(own_links),
        _ => metres(world),
    }
}

/// A proven lower bound on the distance of all pairs of each kind; empty where no pair is checked.
pub(crate) fn proven(scene: &Scene, lower: PerKind<f64>) -> String {
    let of = |kind: PairKind| lower[kind].is_finite().then(|| bound(scene, kind, lower[kind]));
    match (of(PairKind::World), of(PairKind::OwnLinks)) {
        (Some(world), Some(own)) => {
            format!("{world} {}, {own} {}", towards(PairKind::World), towards(PairKind::OwnLinks))
        }
        (Some(one), None) | (None, Some(one)) => format!("{one} everywhere"),
        (None, None) => String::new(),
    }
}

/// Lower bound on the distance of pairs that are proven free. A bound that rounds to 0 m would read as contact.
fn bound(scene: &Scene, kind: PairKind, lower: f64) -> String {
    let mut pairs = scene.pairs().iter().filter(|pair| pair.kind == kind);
    let excludes_contact = lower > 0.0 || pairs.all(|pair| pair.clearance >= 0.0);
    match rounded_down(lower).as_str() {
        "0" if excludes_contact => "more than 0 m".to_owned(),
        _ => format!("at least {}", at_least(lower)),
    }
}

/// Bodies from which the pairs of a kind keep their distance.
pub(crate) fn towards(kind: PairKind) -> &'static str {
    match kind {
        PairKind::World => "to the world",
        PairKind::OwnLinks => "between links of one robot",
    }
}
