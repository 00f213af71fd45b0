//! Meshes that are surfaces and not solids: which the scene means to be so, which it wants closed, and which to warn of.

use super::names::suggest;
use super::raw::{Marked, Place};
use crate::formats::{FormatError, excerpt};
use crate::scene::matches;
use crate::shapes::{Hole, LARGEST_HOLE, Surfaces, TriangleMesh};

/// What the scene says about the surfaces of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Meant {
    /// Nothing: they are told.
    #[default]
    Nothing,
    /// `solid = true`: holes are closed for the inside test.
    Solid,
    /// `surface = true`: no word about them.
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

    /// A mesh as it is meant; `of` says whose it is.
    pub(super) fn mesh(self, mesh: TriangleMesh, of: &str, place: &Place<'_>) -> Result<TriangleMesh, FormatError> {
        if self != Self::Solid {
            return Ok(mesh);
        }
        mesh.closed().map_err(|Hole { size, place: at }| {
            let problem = format!(
                "{of} has a hole of {size:.3} m across at ({:.3}, {:.3}, {:.3}); holes of at most {LARGEST_HOLE} m are closed",
                at.x, at.y, at.z
            );
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

    /// Every name must stand for a link.
    pub(super) fn check(&self, key: &str, links: &[&str], place: &Place<'_>) -> Result<(), FormatError> {
        let Self::Links(patterns) = self else { return Ok(()) };
        let is_unknown = |pattern: &&String| !links.iter().any(|link| matches(pattern, link));
        patterns.iter().find(is_unknown).map_or(Ok(()), |pattern| {
            let remedy = suggest(pattern, links).unwrap_or_else(|| "name a link of this robot".to_owned());
            Err(place.error(key, format!("the robot has no link {:?}", excerpt(pattern)), remedy))
        })
    }
}

/// One warning about all bodies that are surfaces and not said to be, by name.
pub(super) fn warning(surfaces: &[(String, Surfaces)]) -> Option<String> {
    const MOST: usize = 20;
    let describe = |(name, found): &(String, Surfaces)| {
        let parts = if found.open + found.double_sided < found.components {
            format!("{} of {} parts, ", found.open + found.double_sided, found.components)
        } else {
            String::new()
        };
        match (found.open_edges, found.double_sided) {
            (0, _) => format!("{name} ({parts}double-sided)"),
            (edges, 0) => format!("{name} ({parts}{edges} open edges)"),
            (edges, _) => format!("{name} ({parts}{edges} open edges, some double-sided)"),
        }
    };
    let mut named: Vec<String> = surfaces.iter().take(MOST).map(describe).collect();
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
