//! A body as named convex pieces that move together: the input of every method here.
//!
//! Pieces may touch and overlap; the body is their union. Invariant: piece number i has the same number in the body,
//! in its tree and among the polytopes.

use thiserror::Error;

use super::{Polytope, PolytopeError};
use pathproof::distance::Indexed;
use pathproof::numeric::Pose;
use pathproof::shapes::{Aabb, Body, Convex, Shape, ShapeError};

/// A convex piece before it becomes part of a body, in the body's frame.
#[derive(Clone, Debug)]
pub struct NamedPiece {
    /// Its name in answers.
    pub name: String,
    /// Its shape, placed in the body's frame.
    pub shape: Convex,
}

/// Reason why pieces are no body, or a method cannot take it.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PiecesError {
    /// There is no piece.
    #[error("the body has no pieces")]
    Empty,
    /// A piece is curved, and the method takes polytopes only.
    #[error("piece {name:?} has a curved surface; this method takes polytopes only, the tree takes any piece")]
    Curved {
        /// The piece.
        name: String,
    },
    /// A piece cannot be used.
    #[error("piece {name:?}: {error}")]
    Bad {
        /// The piece.
        name: String,
        /// The reason.
        error: ShapeError,
    },
}

/// A body of convex pieces with a tree over them, immutable and shared.
///
/// ```
/// use pathproof_papers::concave::{ConvexPieces, NamedPiece};
/// use pathproof::numeric::DVec3;
/// use pathproof::shapes::Convex;
/// let corners = |low: DVec3, high: DVec3| -> Vec<DVec3> {
///     (0..8).map(|i| DVec3::new([low.x, high.x][i & 1], [low.y, high.y][i >> 1 & 1], [low.z, high.z][i >> 2])).collect()
/// };
/// let piece = |name: &str, low, high| {
///     Ok::<_, pathproof::shapes::ShapeError>(NamedPiece { name: name.into(), shape: Convex::hull(&corners(low, high))? })
/// };
/// let foot = piece("foot", DVec3::ZERO, DVec3::new(1.0, 0.2, 0.2))?;
/// let leg = piece("leg", DVec3::ZERO, DVec3::new(0.2, 0.2, 1.0))?;
/// let ell = ConvexPieces::new(vec![foot, leg])?;
/// assert_eq!((ell.len(), ell.name(1), ell.faces()), (2, "leg", 12));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ConvexPieces {
    names: Vec<String>,
    /// One per piece; if some are curved, the number of the first of these.
    polytopes: Result<Vec<Polytope>, usize>,
    indexed: Indexed,
}

impl ConvexPieces {
    /// A body of at least one piece.
    pub fn new(pieces: Vec<NamedPiece>) -> Result<Self, PiecesError> {
        if pieces.is_empty() {
            return Err(PiecesError::Empty);
        }
        let mut polytopes = Ok(Vec::with_capacity(pieces.len()));
        for (number, piece) in pieces.iter().enumerate() {
            let Ok(list) = &mut polytopes else { break };
            match Polytope::from_convex(piece.shape.clone()) {
                Ok(polytope) => list.push(polytope),
                Err(PolytopeError::Shape(error)) => return Err(PiecesError::Bad { name: piece.name.clone(), error }),
                Err(_) => polytopes = Err(number),
            }
        }
        let (names, parts): (Vec<String>, Vec<(Pose, Shape)>) =
            pieces.into_iter().map(|piece| (piece.name, (Pose::IDENTITY, Shape::Convex(piece.shape)))).unzip();
        let body = Body::new(parts).map_err(|error| PiecesError::Bad { name: names[0].clone(), error })?;
        Ok(Self { names, polytopes, indexed: Indexed::new(body) })
    }

    /// Number of pieces.
    #[allow(clippy::len_without_is_empty, reason = "a body has a piece at least")]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Name of piece `number`.
    pub fn name(&self, number: usize) -> &str {
        &self.names[number]
    }

    /// The shape of piece `number`, in the body's frame.
    #[inline]
    pub fn shape(&self, number: usize) -> &Convex {
        &self.indexed.body().pieces()[number].shape
    }

    /// The pieces as polytopes; an error if one is curved.
    pub fn polytopes(&self) -> Result<&[Polytope], PiecesError> {
        match &self.polytopes {
            Ok(polytopes) => Ok(polytopes),
            Err(first) => Err(PiecesError::Curved { name: self.names[*first].clone() }),
        }
    }

    /// Total number of the pieces' faces; 0 if one is curved.
    pub fn faces(&self) -> usize {
        self.polytopes.iter().flatten().map(|polytope| polytope.half_spaces().len()).sum()
    }

    /// The body with its tree.
    pub fn indexed(&self) -> &Indexed {
        &self.indexed
    }

    /// The box of all pieces, rounded outward.
    pub fn aabb(&self) -> Aabb {
        let boxes = (0..self.len()).map(|number| self.shape(number).aabb(&Pose::IDENTITY));
        boxes.fold(Aabb::EMPTY, Aabb::union)
    }
}
