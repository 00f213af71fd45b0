//! Curves in configuration space: pieces that follow each other, on each a polynomial per variable
//! (docs/design.md#curves).
//!
//! Validated once, here: every number is finite, pieces meet exactly, and rotations of floating joints go along the
//! shortest arc at a constant rate, as on straight lines.

use super::model::{Model, VariableKind};
use super::motion::MotionError;
use super::polynomial::Polynomial;

/// A variable over a piece, with its derivatives by t.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct VariableCurve {
    pub(crate) position: Polynomial,
    pub(crate) velocity: Polynomial,
    pub(crate) acceleration: Polynomial,
}

/// A piece of a curve, t from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct CurvePiece {
    pub(super) variables: Vec<VariableCurve>,
    start: Vec<f64>,
    goal: Vec<f64>,
}

/// Reason why pieces do not make a curve.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CurveError {
    /// A curve needs a piece.
    #[error("a curve without pieces")]
    Empty,
    /// A piece is not a motion.
    #[error("piece {piece}: {problem}")]
    Piece {
        /// Its number, from 0.
        piece: usize,
        /// The reason; part of the message, and so not a source of the error.
        problem: MotionError,
    },
    /// A piece does not start at the end of the one before.
    #[error("piece {piece} starts with {variable:?} at {start}, but the one before it ends at {end}")]
    Jump {
        /// Its number, from 0.
        piece: usize,
        /// The variable.
        variable: String,
        /// End of the piece before.
        end: f64,
        /// Its start.
        start: f64,
    },
}

/// Pieces that follow each other without a jump; at least one.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    pieces: Vec<CurvePiece>,
}

/// Values must stay below this, so that their squares do not overflow.
const LARGEST: f64 = 1e100;

impl CurvePiece {
    /// A piece of a polynomial per variable of the model.
    pub fn new(model: &Model, polynomials: &[Polynomial]) -> Result<Self, MotionError> {
        let expected = model.variables().len();
        if polynomials.len() != expected {
            return Err(MotionError::Length { expected, given: polynomials.len() });
        }
        for (variable, polynomial) in model.variables().iter().zip(polynomials) {
            // Derivatives are at most 80 times as large.
            if !(polynomial.upper_size() < LARGEST) {
                return Err(MotionError::NotFinite { variable: variable.name.clone() });
            }
            if variable.kind == VariableKind::Quaternion && !polynomial.is_straight() {
                let joint = model.joints()[variable.joint].name.clone();
                return Err(MotionError::CurvedRotation { joint });
            }
        }
        let of = |polynomial: &Polynomial| {
            let velocity = polynomial.derivative();
            VariableCurve { position: *polynomial, velocity, acceleration: velocity.derivative() }
        };
        Ok(Self {
            variables: polynomials.iter().map(of).collect(),
            start: polynomials.iter().map(Polynomial::start).collect(),
            goal: polynomials.iter().map(Polynomial::end).collect(),
        })
    }

    /// Its first configuration.
    pub fn start(&self) -> &[f64] {
        &self.start
    }

    /// Its last configuration.
    pub fn goal(&self) -> &[f64] {
        &self.goal
    }

    /// True if it is a straight line.
    pub fn is_straight(&self) -> bool {
        self.variables.iter().all(|variable| variable.position.is_straight())
    }

    /// The polynomial of a variable.
    pub fn position(&self, variable: usize) -> &Polynomial {
        &self.variables[variable].position
    }

    /// Its derivative by t.
    pub fn velocity(&self, variable: usize) -> &Polynomial {
        &self.variables[variable].velocity
    }
}

impl From<CurvePiece> for Curve {
    fn from(piece: CurvePiece) -> Self {
        Self { pieces: vec![piece] }
    }
}

impl Curve {
    /// A curve of these pieces. Each must start exactly where the one before ends.
    pub fn new(model: &Model, pieces: Vec<CurvePiece>) -> Result<Self, CurveError> {
        if pieces.is_empty() {
            return Err(CurveError::Empty);
        }
        for (index, pair) in pieces.windows(2).enumerate() {
            let ends = pair[0].goal.iter().zip(&pair[1].start);
            for (variable, (&end, &start)) in model.variables().iter().zip(ends) {
                if end != start {
                    let variable = variable.name.clone();
                    return Err(CurveError::Jump { piece: index + 1, variable, end, start });
                }
            }
        }
        Ok(Self { pieces })
    }

    /// A curve of a polynomial per variable and piece.
    pub fn from_polynomials(model: &Model, pieces: &[Vec<Polynomial>]) -> Result<Self, CurveError> {
        let piece = |(index, polynomials): (usize, &Vec<Polynomial>)| {
            CurvePiece::new(model, polynomials).map_err(|problem| CurveError::Piece { piece: index, problem })
        };
        Self::new(model, pieces.iter().enumerate().map(piece).collect::<Result<_, _>>()?)
    }

    /// Its pieces.
    pub fn pieces(&self) -> &[CurvePiece] {
        &self.pieces
    }
}
