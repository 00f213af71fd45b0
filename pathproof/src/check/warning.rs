//! Warnings about an answer besides the verdict. Made once, here, for every program.

use super::settings::Report;
use super::verdict::{Answer, Finding, Limit};
use crate::scene::{Role, Scene};

/// A warning that belongs to an answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// These pairs of bodies are in contact at the first configuration: most often that is why a path is not free.
    ContactsAtStart(Vec<[usize; 2]>),
    /// The earliest finding is only too close, and the motion goes on to collide here.
    CollidesLater(Box<Finding>),
    /// The verdict is about the first segment as older versions of joint_trajectory_controller run it.
    OlderController,
    /// A limit ended the search after something was found.
    Incomplete {
        /// The limit.
        limit: Limit,
        /// The requested report.
        report: Report,
    },
    /// Rounding does not allow a tolerance as small as the scene's.
    RaisedTolerance {
        /// The scene's, in metres.
        asked: f64,
        /// The one that the answer keeps, in metres.
        kept: f64,
    },
    /// The scene has no pair to check, so every path is free.
    NothingChecked,
}

impl Warning {
    /// The warning in words.
    pub fn text(&self, scene: &Scene) -> String {
        match self {
            Self::ContactsAtStart(pairs) => describe_contacts(scene, pairs, "at the first configuration already"),
            Self::CollidesLater(found) => {
                let [a, b] = found.bodies.map(|body| scene.bodies()[body].name.as_str());
                let (segment, t) = (found.segment, found.t);
                format!("the motion goes on to a collision: {a} and {b} in segment {segment}, t = {t:.6}")
            }
            Self::OlderController => "the first segment is given as older versions of the controller run it".to_owned(),
            Self::Incomplete { limit, report } => {
                let reached = match limit {
                    Limit::Queries => "the limit on distance queries was reached",
                    Limit::Seconds => "the limit on seconds was reached",
                    Limit::Resolution => "a pair grazes its clearance and stays undecided",
                };
                let missed = match report {
                    Report::First => "something earlier may have been missed",
                    Report::Any | Report::All => "there may be more than what was found",
                };
                format!("{reached}: {missed}")
            }
            Self::RaisedTolerance { asked, kept } => format!(
                "the tolerance was raised from {asked:?} m to {kept:?} m: the arithmetic of this scene resolves no less"
            ),
            Self::NothingChecked => "no pair of bodies is checked, so every path is free".to_owned(),
        }
    }
}

impl Answer {
    /// The warnings of the answer in words, after those about scene and path. Contacts at the first configuration come
    /// before all others: most often they are why a path is not free.
    #[must_use]
    pub fn warning_texts(&self, scene: &Scene, mut texts: Vec<String>) -> Vec<String> {
        for warning in &self.warnings {
            let place = if matches!(warning, Warning::ContactsAtStart(_)) { 0 } else { texts.len() };
            texts.insert(place, warning.text(scene));
        }
        texts
    }
}

/// One line about pairs in contact, with a remedy; empty if there are none. `when` names the configuration.
pub fn describe_contacts(scene: &Scene, pairs: &[[usize; 2]], when: &str) -> String {
    const MOST: usize = 3;
    let name = |body: usize| scene.bodies()[body].name.as_str();
    match pairs {
        [] => String::new(),
        [[a, b]] => {
            format!("{} and {} are in contact {when}; {}", name(*a), name(*b), contact_remedy(scene, pairs))
        }
        _ => {
            let mut named: Vec<String> =
                pairs.iter().take(MOST).map(|[a, b]| format!("{} – {}", name(*a), name(*b))).collect();
            if pairs.len() > MOST {
                named.push(format!("and {} more", pairs.len() - MOST));
            }
            let remedy = contact_remedy(scene, pairs);
            format!("{} pairs are in contact {when}: {}; {remedy}", pairs.len(), named.join(", "))
        }
    }
}

/// The remedy for pairs in contact, by their roles: links that belong together, objects that are held or misplaced.
pub fn contact_remedy(scene: &Scene, pairs: &[[usize; 2]]) -> String {
    let role = |body: usize| scene.bodies()[body].role;
    let has = |pair: &[usize; 2], wanted: Role| pair.iter().any(|body| role(*body) == wanted);
    let first = |wanted: Role, other: Role| {
        let found = pairs.iter().find(|pair| has(pair, wanted) && has(pair, other))?;
        let [a, b] = if role(found[0]) == wanted { *found } else { [found[1], found[0]] };
        Some([a, b].map(|body| &scene.bodies()[body]))
    };
    let mut advice = Vec::new();
    if let Some([object, link]) = first(Role::Obstacle, Role::Link) {
        let (object_name, link) = (&object.name, &link.name);
        advice.push(match object.shape.is_half_space() {
            true => format!("is {object_name} in its place? Where they are meant to touch, {EXCLUDE}"),
            false => format!(
                "is {object_name} in its place? If the robot holds it, write attach = \"{link}\" in the scene or pass \
                 --attach {object_name}={link} to `check`"
            ),
        });
    } else if let Some([object, other]) = first(Role::Obstacle, Role::Attached) {
        advice.push(format!("is {} in its place, and {} held as it should be?", object.name, other.name));
    }
    if let Some([object, link]) = first(Role::Attached, Role::Link) {
        advice.push(format!("where {} is meant to touch, add touch = [{:?}] to it", object.name, link.name));
    }
    let robot = |body: usize| scene.bodies()[body].name.split('/').next();
    let links = || pairs.iter().filter(|pair| pair.iter().all(|body| role(*body) == Role::Link));
    if links().any(|[a, b]| robot(*a) == robot(*b)) {
        advice.push(format!("where that is how links are built, let `pathproof acm` find such pairs, or {EXCLUDE}"));
    }
    if let Some([a, b]) = links().find(|[a, b]| robot(*a) != robot(*b)) {
        let [a, b] = [*a, *b].map(|body| robot(body).unwrap_or_default());
        advice.push(format!("are {a} and {b} placed as they stand in the cell?"));
    }
    if advice.is_empty() {
        advice.push(format!("where that is meant, {EXCLUDE}"));
    }
    advice.join("; ")
}

const EXCLUDE: &str = "add [[pairs]] with bodies (wildcards as in \"arm/*\") and check = false";
