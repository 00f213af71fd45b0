//! Meshes that are surfaces and not solids: those the scene marks, those it wants closed, and those to warn about.

use super::names::suggest;
use super::raw::{Marked, Place};
use crate::{FormatError, excerpt};
use pathproof::scene::matches;
use pathproof::shapes::{Surfaces, TriangleMesh};

/// The scene's mark for the surfaces of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Meant {
    /// No mark: a warning lists them.
    #[default]
    Nothing,
    /// `solid = true`: holes are closed for the inside test.
    Solid,
    /// `surface = true`: no warning.
    Surface,
}

impl Meant {
    /// From the two keys of an obstacle.
    pub(super) fn of(solid: Option<bool>, surface: Option<bool>, place: &Place<'_>) -> Result<Self, FormatError> {
        match (solid.unwrap_or(false), surface.unwrap_or(false)) {
            (true, true) => Err(contradiction(place)),
            (true, false) => Ok(Self::Solid),
            (false, true) => Ok(Self::Surface),
            (false, false) => Ok(Self::Nothing),
        }
    }

    /// From the two keys of a robot, for one of its links.
    pub(super) fn of_link(
        solid: &Marked,
        surface: &Marked,
        link: &str,
        place: &Place<'_>,
    ) -> Result<Self, FormatError> {
        Self::of(Some(solid.covers(link)), Some(surface.covers(link)), place)
    }

    /// Closes a mesh marked as solid; `of` names its owner in messages.
    pub(super) fn mesh(self, mesh: TriangleMesh, of: &str, place: &Place<'_>) -> Result<TriangleMesh, FormatError> {
        if self != Self::Solid {
            return Ok(mesh);
        }
        mesh.closed().map_err(|error| {
            let problem = format!("{of} has {error}");
            place.error("solid", problem, "mend the mesh, or say surface = true and nothing is found inside it")
        })
    }
}

fn contradiction(place: &Place<'_>) -> FormatError {
    place.error("solid", "it is said to be a solid and a surface", "leave one of the two keys")
}

impl Marked {
    fn covers(&self, link: &str) -> bool {
        match self {
            Self::All(all) => *all,
            Self::Links(patterns) => patterns.iter().any(|pattern| matches(pattern, link)),
        }
    }

    /// Requires that every name stands for a link.
    pub(super) fn check(&self, key: &str, links: &[&str], place: &Place<'_>) -> Result<(), FormatError> {
        let Self::Links(patterns) = self else { return Ok(()) };
        let is_unknown = |pattern: &&String| !links.iter().any(|link| matches(pattern, link));
        patterns.iter().find(is_unknown).map_or(Ok(()), |pattern| {
            let remedy = suggest(pattern, links).unwrap_or_else(|| "name a link of this robot".to_owned());
            Err(place.error(key, format!("the robot has no link {:?}", excerpt(pattern)), remedy))
        })
    }
}

/// One warning that names all bodies that are surfaces without being marked.
pub(super) fn warning(surfaces: &[(String, Surfaces)]) -> Option<String> {
    const MOST: usize = 20;
    let mut named: Vec<String> = surfaces.iter().take(MOST).map(|(name, found)| found.describe(name)).collect();
    if surfaces.len() > MOST {
        named.push(format!("{} more, which `pathproof scene` lists", surfaces.len() - MOST));
    }
    (!surfaces.is_empty()).then(|| {
        format!(
            "surfaces, not solids: {}; what is wholly inside them is not found: say solid = true to close small holes, or \
             surface = true where that is meant",
            named.join(", ")
        )
    })
}
