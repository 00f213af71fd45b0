//! Names that a scene file refers to: bodies, links, and patterns with `*` that stand for several bodies.

use std::collections::{BTreeSet, HashMap};

use super::raw::Place;
use crate::{FormatError, excerpt};
use pathproof::scene::{SceneParts, matches};

/// Everything that can be named, built once all bodies are known.
pub(super) struct Names<'a> {
    parts: &'a SceneParts,
    bodies: HashMap<&'a str, usize>,
    robots: BTreeSet<String>,
}

/// Meaning of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// One body.
    Body(usize),
    /// A link without geometry.
    BareLink,
    /// Bodies that a pattern or a robot's name (`arm` is `arm/*`) stands for, and that pattern.
    Bodies(Vec<usize>, String),
}

impl<'a> Names<'a> {
    pub(super) fn new(parts: &'a SceneParts, robots: &[String]) -> Self {
        let bodies = parts.bodies.iter().enumerate().map(|(index, body)| (body.name.as_str(), index)).collect();
        Self { parts, bodies, robots: robots.iter().cloned().collect() }
    }

    /// Resolves `name`: a body or a link by its own name, else a robot's links, else everything that matches its `*`.
    pub(super) fn find(&self, name: &str, key: &str, place: &Place<'_>) -> Result<Named, FormatError> {
        let body = self.bodies.get(name).copied();
        if body.is_some() && self.robots.contains(name) {
            let problem = format!("{:?} is both a robot and an obstacle", excerpt(name));
            return Err(place.error(key, problem, format!("write {:?} for the robot's links", format!("{name}/*"))));
        }
        if let Some(body) = body {
            return Ok(Named::Body(body));
        }
        if self.parts.model.link(name).is_some_and(|link| link != 0) {
            return Ok(Named::BareLink);
        }
        let pattern = if self.robots.contains(name) { format!("{name}/*") } else { name.to_owned() };
        let links = self.parts.model.links()[1..].iter().map(|link| link.name.as_str());
        if pattern.contains('*') {
            let is_meant = |name: &str| matches(&pattern, name);
            let bodies = self.parts.bodies.iter().enumerate().filter(|(_, body)| is_meant(&body.name));
            let bodies: Vec<usize> = bodies.map(|(index, _)| index).collect();
            if !bodies.is_empty() || links.clone().any(is_meant) {
                return Ok(Named::Bodies(bodies, pattern));
            }
        }
        let known: Vec<&str> = self.parts.bodies.iter().map(|body| body.name.as_str()).chain(links).collect();
        let remedy = suggest(name, &known)
            .unwrap_or_else(|| "write robot/link, a robot, an obstacle, or a pattern such as \"arm/*\"".to_owned());
        Err(place.error(key, format!("nothing is called {:?}", excerpt(name)), remedy))
    }
}

/// The known name nearest to a wrong one.
pub(super) fn suggest(wrong: &str, known: &[&str]) -> Option<String> {
    let wrong = excerpt(wrong);
    let nearest = known.iter().min_by_key(|name| edits(&wrong, &excerpt(name)))?;
    Some(format!("did you mean {:?}?", excerpt(nearest)))
}

/// Known name of which the wrong one is most likely a misspelling; `None` if all differ too much.
pub(crate) fn near(wrong: &str, known: &[&str]) -> Option<String> {
    let far = 1 + wrong.chars().count() / 3;
    let is_near = known.iter().any(|name| edits(&excerpt(wrong), &excerpt(name)) <= far);
    if is_near { suggest(wrong, known) } else { None }
}

/// Number of letters to insert, remove or replace to turn `a` into `b`.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
