//! Convex polytopes as half-spaces, the form that mindist takes ("Sub-Object Pruning" §2.2), beside the hull of their
//! vertices, the form that GJK takes.
//!
//! A polytope is defined by the form it was made from; the other form is derived. Invariant: the derived form reaches
//! at most [`Polytope::rounding`] beyond the polytope, and a ball of `inner_radius` about `centre` is inside all
//! half-spaces (except those that bound the thickness of a flat polytope). Validated once, in the constructors.

mod faces;
mod projection;
mod vertices;

use thiserror::Error;

use pathproof::numeric::{DVec3, ROUNDOFF_F64, norm_up};
use pathproof::shapes::{Convex, Core, MAX_COORDINATE, ShapeError};

/// The points x with `normal`·x ≤ `offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// Outward; of any non-zero length on input, of length 1 (up to rounding) on output.
    pub normal: DVec3,
    /// Metres, times the length of the normal.
    pub offset: f64,
}

/// Reason why half-spaces or a shape are no polytope.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PolytopeError {
    /// A half-space has a number that is not finite, a normal of length 0, or lies beyond 1e12 m.
    #[error("half-space {index} has no direction, or a number that is not finite or not below 1e12")]
    BadHalfSpace {
        /// Its index, from 0.
        index: usize,
    },
    /// No point satisfies all half-spaces.
    #[error("no point satisfies all {count} half-spaces: they miss each other by {gap} m")]
    Infeasible {
        /// Number of half-spaces.
        count: usize,
        /// Approximate distance by which all of them would have to move outward, in metres.
        gap: f64,
    },
    /// The half-spaces leave a direction open.
    #[error("the {count} half-spaces enclose no bounded region: add those that close it")]
    Unbounded {
        /// Number of half-spaces.
        count: usize,
    },
    /// The shape has curved faces.
    #[error("the shape has a curved surface, which half-spaces cannot describe")]
    Curved,
    /// Too many half-spaces, enclosing a region without volume, to search for its corners.
    #[error("{count} half-spaces enclose no volume; of such at most {most} are taken")]
    TooManyFlat {
        /// Number of half-spaces.
        count: usize,
        /// Largest number accepted.
        most: usize,
    },
    /// The hull of the vertices could not be made.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// Eight half-spaces side by side: normals' x, y, z, and offsets.
pub(super) type PlaneBlock = [[f64; 8]; 4];

/// A convex polytope.
///
/// ```
/// use pathproof_papers::concave::{HalfSpace, Polytope};
/// use pathproof::numeric::DVec3;
/// let sides = [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z, -DVec3::Z];
/// let cube = Polytope::from_half_spaces(&sides.map(|normal| HalfSpace { normal, offset: 0.5 }))?;
/// assert_eq!(cube.half_spaces().len(), 6);
/// assert!(cube.holds(DVec3::splat(0.5), 1e-12) && !cube.holds(DVec3::splat(0.6), 1e-12));
/// # Ok::<(), pathproof_papers::concave::PolytopeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Polytope {
    shape: Convex,
    half_spaces: Vec<HalfSpace>,
    /// The same for scanning; the last block is padded with half-spaces that hold everything.
    pub(super) blocks: Vec<PlaneBlock>,
    pub(super) centre: DVec3,
    pub(super) inner_radius: f64,
    /// Upper bound on the distance of any of its points from `centre`.
    pub(super) outer_radius: f64,
    rounding: f64,
    made_from: Form,
}

/// The two forms of a polytope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Hull,
    HalfSpaces,
}

/// Known bounds on half-spaces.
struct Fit {
    centre: DVec3,
    inner_radius: f64,
    outer_radius: f64,
    rounding: f64,
}

impl Polytope {
    /// A box or a convex hull, which may be flat; its half-spaces are those of its faces. Triangles of the hull that
    /// are coplanar to 1e-11 form one face.
    pub fn from_convex(shape: Convex) -> Result<Self, PolytopeError> {
        if shape.radius() != 0.0 {
            return Err(PolytopeError::Curved);
        }
        match shape.core() {
            Core::Box { half } => {
                let half = *half;
                let axes = [DVec3::X, DVec3::Y, DVec3::Z];
                let sides = axes.into_iter().flat_map(|axis| [axis, -axis]);
                let half_spaces = sides.map(|normal| HalfSpace { normal, offset: normal.abs().dot(half) }).collect();
                let outer_radius = norm_up(half);
                let fit = Fit { centre: DVec3::ZERO, inner_radius: half.min_element(), outer_radius, rounding: 0.0 };
                Ok(Self::assemble(shape, half_spaces, fit, Form::Hull))
            }
            Core::Hull(hull) => {
                let (half_spaces, fit) = faces::of_hull(hull);
                Ok(Self::assemble(shape, half_spaces, fit, Form::Hull))
            }
            Core::Triangle(corners) => Self::from_convex(Convex::hull(corners)?),
            Core::Point | Core::Segment { .. } | Core::Cylinder { .. } | Core::Cone { .. } => {
                Err(PolytopeError::Curved)
            }
        }
    }

    /// The polytope of all points that satisfy every half-space. Half-spaces may be redundant and repeated, any number
    /// of them may pass through one vertex, and they may enclose no volume: less than 1e-12 of its size in thickness
    /// counts as flat, and its half-spaces are then those of the hull of its corners.
    pub fn from_half_spaces(half_spaces: &[HalfSpace]) -> Result<Self, PolytopeError> {
        let mut unit = Vec::with_capacity(half_spaces.len());
        for (index, &HalfSpace { normal, offset }) in half_spaces.iter().enumerate() {
            let length = normal.length();
            let scaled = HalfSpace { normal: normal / length, offset: offset / length };
            // NaN is refused.
            let is_good = length > 0.0 && length.is_finite() && scaled.offset.abs() < MAX_COORDINATE;
            if !(is_good && scaled.normal.is_finite()) {
                return Err(PolytopeError::BadHalfSpace { index });
            }
            unit.push(scaled);
        }
        vertices::polytope(unit)
    }

    fn assemble(shape: Convex, half_spaces: Vec<HalfSpace>, fit: Fit, made_from: Form) -> Self {
        let nothing = HalfSpace { normal: DVec3::ZERO, offset: f64::INFINITY };
        let blocks = half_spaces
            .chunks(8)
            .map(|chunk| {
                let at = |lane: usize| chunk.get(lane).unwrap_or(&nothing);
                let axis = |axis: usize| std::array::from_fn(|lane| at(lane).normal[axis]);
                [axis(0), axis(1), axis(2), std::array::from_fn(|lane| at(lane).offset)]
            })
            .collect();
        let Fit { centre, inner_radius, outer_radius, rounding } = fit;
        Self { shape, half_spaces, blocks, centre, inner_radius, outer_radius, rounding, made_from }
    }

    /// The hull of its vertices.
    pub fn shape(&self) -> &Convex {
        &self.shape
    }

    /// Its half-spaces, with normals of length 1.
    pub fn half_spaces(&self) -> &[HalfSpace] {
        &self.half_spaces
    }

    /// Upper bound on how far the derived form reaches beyond the polytope, in metres: the half-spaces beyond the hull
    /// they were made from, or the hull beyond the half-spaces. Infinite if the polytope is too thin to know.
    pub fn rounding(&self) -> f64 {
        self.rounding
    }

    /// True if it was made from half-spaces and its hull is derived.
    #[cfg(test)]
    pub(super) fn made_from_half_spaces(&self) -> bool {
        self.made_from == Form::HalfSpaces
    }

    /// Upper bound on how far the half-spaces reach beyond the polytope.
    #[inline]
    pub(super) fn excess_of_half_spaces(&self) -> f64 {
        if self.made_from == Form::Hull { self.rounding } else { 0.0 }
    }

    /// Upper bound on how far the hull reaches beyond the polytope.
    pub(super) fn excess_of_hull(&self) -> f64 {
        if self.made_from == Form::HalfSpaces { self.rounding } else { 0.0 }
    }

    /// Upper bound on how far the polytope reaches beyond the hull along the unit vector `n`.
    pub(super) fn beyond_hull(&self, n: DVec3) -> f64 {
        match self.made_from {
            Form::Hull => 0.0,
            Form::HalfSpaces => {
                let corner = self.shape.core_support(n);
                let reach = vertices::upper_reach(&self.half_spaces, self.centre, corner, n, self.outer_radius);
                // NaN is kept.
                let beyond = reach - n.dot(corner - self.centre) + 16.0 * ROUNDOFF_F64 * self.upper_extent();
                if beyond <= 0.0 { 0.0 } else { beyond }
            }
        }
    }

    /// Upper bound on the distance of any of its points from the origin of its frame, in metres.
    pub(super) fn upper_extent(&self) -> f64 {
        (norm_up(self.centre) + self.outer_radius) * (1.0 + 4.0 * ROUNDOFF_F64)
    }

    /// True if `p` satisfies every half-space, to a tolerance in metres.
    pub fn holds(&self, p: DVec3, tolerance: f64) -> bool {
        self.half_spaces.iter().all(|h| h.normal.dot(p) <= h.offset + tolerance)
    }
}

#[cfg(test)]
mod tests;
