//! Nodes on the surface of a body, each with its neighbours and its pieces. MLSdist walks over them, and SOPA uses them
//! to get from nodes to pieces ("Sub-Object Pruning" §2.1.1, 3.1). Built once.
//!
//! The surface is that of the union of the pieces. It is sampled densely; nodes are chosen among the samples, each time
//! the one farthest from all nodes along the surface, so corners come first; two nodes are neighbours where their
//! regions (the samples nearest to each) meet. A node is on a piece if it satisfies all its half-spaces to 1e-9 of the
//! size.

mod choose;
mod sample;

use thiserror::Error;

use self::choose::Chosen;
use super::{ConvexPieces, PiecesError};
use pathproof::numeric::DVec3;

/// Number or spacing of nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Density {
    /// No sample of the surface is farther than this from a node, in metres along the surface.
    Spacing(f64),
    /// This many, or all samples if they are fewer.
    Count(usize),
}

/// Reason why there are no nodes.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum NodesError {
    /// The pieces are not polytopes.
    #[error(transparent)]
    Pieces(#[from] PiecesError),
    /// The spacing or the number is invalid.
    #[error("{0}")]
    BadDensity(String),
    /// The spacing is so fine that the samples would not fit.
    #[error("a spacing of {spacing} m needs more than {most} samples of the surface; choose a wider one")]
    TooFine {
        /// The requested spacing.
        spacing: f64,
        /// Largest number of samples.
        most: usize,
    },
}

/// Nodes on the surface of a body of pieces.
///
/// ```
/// use pathproof_papers::concave::{ConvexPieces, Density, NamedPiece, SurfaceNodes};
/// use pathproof::shapes::Convex;
/// let cube = NamedPiece { name: "cube".into(), shape: Convex::cuboid([1.0, 1.0, 1.0])? };
/// let nodes = SurfaceNodes::new(&ConvexPieces::new(vec![cube])?, Density::Count(50))?;
/// assert_eq!(nodes.len(), 50);
/// assert!((0..50).all(|node| !nodes.neighbours(node).is_empty() && nodes.pieces(node) == [0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SurfaceNodes {
    points: Vec<DVec3>,
    neighbours: Lists,
    pieces: Lists,
    spacing: f64,
}

/// A list of numbers per node.
#[derive(Clone, Debug)]
struct Lists {
    /// List i is `items[first[i]..first[i + 1]]`.
    first: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    fn new(lists: impl Iterator<Item = Vec<u32>>) -> Self {
        let (mut first, mut items) = (vec![0], Vec::new());
        for list in lists {
            items.extend(list);
            first.push(items.len() as u32);
        }
        Self { first, items }
    }

    #[inline(always)]
    fn of(&self, i: u32) -> &[u32] {
        &self.items[self.first[i as usize] as usize..self.first[i as usize + 1] as usize]
    }
}

/// A node is on a piece if it is at most this far outside its half-spaces, relative to the body's size.
const ON_PIECE: f64 = 1e-9;

impl SurfaceNodes {
    /// Chooses nodes on the surface of the pieces' union.
    pub fn new(pieces: &ConvexPieces, density: Density) -> Result<Self, NodesError> {
        match density {
            Density::Spacing(spacing) if !(spacing > 0.0 && spacing.is_finite()) => {
                return Err(NodesError::BadDensity(format!("the spacing must be greater than 0, not {spacing}")));
            }
            Density::Count(0) => return Err(NodesError::BadDensity("there must be a node at least".into())),
            Density::Spacing(_) | Density::Count(_) => {}
        }
        let polytopes = pieces.polytopes()?;
        let samples = sample::surface(pieces, polytopes, density)?;
        let Chosen { nodes, neighbours, spacing } = choose::nodes(&samples, density);
        let points: Vec<DVec3> = nodes.iter().map(|&i| samples.points[i as usize]).collect();
        let near = ON_PIECE * pieces.aabb().size().length();
        let on = |p: &DVec3| (0..polytopes.len() as u32).filter(|&i| polytopes[i as usize].holds(*p, near)).collect();
        let pieces = Lists::new(points.iter().map(on));
        Ok(Self { points, neighbours: Lists::new(neighbours.into_iter()), pieces, spacing })
    }

    /// Number of nodes.
    #[allow(clippy::len_without_is_empty, reason = "a body has a node at least")]
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// The nodes, in the body's frame.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// The neighbours of a node, without itself.
    #[inline(always)]
    pub fn neighbours(&self, node: u32) -> &[u32] {
        self.neighbours.of(node)
    }

    /// The pieces that a node is on, at least one.
    #[inline]
    pub fn pieces(&self, node: u32) -> &[u32] {
        self.pieces.of(node)
    }

    /// The largest distance of a sample of the surface from its node, in metres along the surface.
    pub fn spacing(&self) -> f64 {
        self.spacing
    }

    /// The first broken promise of this structure, if any.
    pub fn broken_invariant(&self) -> Option<String> {
        for node in 0..self.len() as u32 {
            let near = self.neighbours(node);
            if near.contains(&node) || !near.is_sorted_by(|a, b| a < b) {
                return Some(format!("the neighbours of node {node} are {near:?}"));
            }
            if let Some(other) = near.iter().find(|&&other| !self.neighbours(other).contains(&node)) {
                return Some(format!("node {other} is a neighbour of {node}, not the other way round"));
            }
            if self.pieces(node).is_empty() {
                return Some(format!("node {node} is on no piece"));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
