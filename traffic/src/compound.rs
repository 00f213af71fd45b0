//! Moving shapes: convex parts about one reference point, in the plane or in space, validated once.
//!
//! Parts of the plane are rectangles, or hulls of points swept by a disc (a disc is one point, a polygon has radius 0).
//! Parts of space are the library's convex shapes. A polygon that is not convex becomes several parts that cover it
//! exactly.

use glam::DVec2;
use thiserror::Error;

use super::plane::Frame;
use super::polygon;
use super::region::Regions;
use pathproof::numeric::{DQuat, DVec3, Pose, ROUNDOFF_F64, add_up, norm_up};
use pathproof::shapes::{Convex, MAX_COORDINATE, ShapeError};

/// The space in which things move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workspace {
    /// x, y and a heading.
    Plane,
    /// x, y, z and a rotation.
    Volume,
}

/// Reason why parts make no compound.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum CompoundError {
    /// A size or a coordinate is wrong.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A polygon that does not bound an area once.
    #[error("the polygon cannot be used: {0}")]
    BadPolygon(&'static str),
    /// There is no part.
    #[error("there is no part; a shape has one at least")]
    NoParts,
    /// Parts of the plane beside parts of space.
    #[error("some parts are planar and some are spatial; use one kind")]
    MixedWorkspaces,
    /// The regions of an uncertain agent belong to its times and are no shape of anything else.
    #[error("regions belong to the times of their agent; they are no shape for another body")]
    Regions,
    /// A pose that is not finite, or of the other workspace.
    #[error("a part is placed at a pose that is not finite or not of its workspace")]
    BadPlacement,
}

/// The shape of an agent: convex parts about its reference point, which is the origin.
///
/// ```
/// use pathproof_traffic::Compound;
/// let cab = Compound::rectangle(2.0, 2.5)?.at(6.0, 0.0, 0.0)?;
/// let truck = Compound::union([cab, Compound::rectangle(9.0, 2.5)?])?;
/// assert!(truck.upper_reach() >= 7.0);
/// # Ok::<(), pathproof_traffic::CompoundError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Compound {
    workspace: Workspace,
    parts: Vec<Part>,
    upper_reach: f64,
}

/// A convex part.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) geometry: Geometry,
    /// At least the distance of its farthest point from the reference point.
    pub(crate) upper_reach: f64,
}

/// Closed set: every algorithm handles all of them.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a body has few parts, and queries read them where they are")]
pub(crate) enum Geometry {
    /// A rectangle of the plane: its frame in the body and half its edges.
    Rectangle { body_from_part: Frame, is_centred: bool, half: DVec2 },
    /// The hull of counterclockwise corners of the plane, swept by a disc.
    Rounded { corners: Vec<DVec2>, radius: f64 },
    /// A region of the plane that changes from knot to knot.
    Regions(Regions),
    /// A convex shape in space.
    Convex { convex: Convex, body_from_part: Pose },
}

impl Compound {
    fn one(workspace: Workspace, geometry: Geometry, upper_reach: f64) -> Self {
        Self { workspace, parts: vec![Part { geometry, upper_reach }], upper_reach }
    }

    /// A rectangle of the plane about its centre, its length along the heading.
    pub fn rectangle(length: f64, width: f64) -> Result<Self, CompoundError> {
        let half = DVec2::new(positive("a rectangle's length", length)?, positive("a rectangle's width", width)?) * 0.5;
        let geometry = Geometry::Rectangle { body_from_part: Frame::IDENTITY, is_centred: true, half };
        Ok(Self::one(Workspace::Plane, geometry, norm_up(half.extend(0.0))))
    }

    /// A disc of the plane about its centre.
    pub fn disc(radius: f64) -> Result<Self, CompoundError> {
        let radius = positive("a disc's radius", radius)?;
        Ok(Self::one(Workspace::Plane, Geometry::Rounded { corners: vec![DVec2::ZERO], radius }, radius))
    }

    /// A simple polygon of the plane, its corners in order; one that is not convex is cut into parts.
    pub fn polygon(corners: &[[f64; 2]]) -> Result<Self, CompoundError> {
        let parts = polygon::convex_parts(corners)?.into_iter().map(|corners| {
            let reach = upper_reach_of(&corners);
            Self::one(Workspace::Plane, Geometry::Rounded { corners, radius: 0.0 }, reach)
        });
        Self::union(parts)
    }

    /// A convex shape in space, placed in the body.
    pub fn convex(convex: Convex, body_from_part: Pose) -> Result<Self, CompoundError> {
        if !body_from_part.is_rigid(1e-12) || !(body_from_part.translation.abs().max_element() <= MAX_COORDINATE) {
            return Err(CompoundError::BadPlacement);
        }
        // The nearest rotation, orthonormal to a few units in the last place, as bounds on distance assume.
        let rotation = DQuat::from_mat3(&body_from_part.rotation).normalize();
        let body_from_part = Pose::from_quaternion(rotation, body_from_part.translation);
        let reach = add_up(norm_up(body_from_part.translation), convex.reach());
        Ok(Self::one(Workspace::Volume, Geometry::Convex { convex, body_from_part }, reach))
    }

    /// Regions that change over time, about the origin of their trajectory.
    pub(crate) fn regions(regions: Regions) -> Self {
        let reach = regions.upper_reach();
        Self::one(Workspace::Plane, Geometry::Regions(regions), reach)
    }

    /// Regions fit only the trajectory that they were made with, and cannot be turned.
    pub(crate) fn refuse_regions(&self) -> Result<(), CompoundError> {
        let has_regions = self.parts.iter().any(|part| matches!(part.geometry, Geometry::Regions(_)));
        if has_regions { Err(CompoundError::Regions) } else { Ok(()) }
    }

    /// All parts of several compounds, as one.
    pub fn union(compounds: impl IntoIterator<Item = Self>) -> Result<Self, CompoundError> {
        let mut all = compounds.into_iter();
        let mut result = all.next().ok_or(CompoundError::NoParts)?;
        for other in all {
            if other.workspace != result.workspace {
                return Err(CompoundError::MixedWorkspaces);
            }
            result.refuse_regions()?;
            other.refuse_regions()?;
            if !(other.upper_reach <= result.upper_reach) {
                result.upper_reach = other.upper_reach;
            }
            result.parts.extend(other.parts);
        }
        Ok(result)
    }

    /// The same planar compound at another place in its body: metres and radians.
    pub fn at(mut self, x: f64, y: f64, heading: f64) -> Result<Self, CompoundError> {
        let is_usable = x.abs() <= MAX_COORDINATE && y.abs() <= MAX_COORDINATE && heading.is_finite();
        if self.workspace != Workspace::Plane || !is_usable {
            return Err(CompoundError::BadPlacement);
        }
        let body_from_old = Frame::new(x, y, heading);
        let mut upper_reach = 0.0;
        for part in &mut self.parts {
            part.place(&body_from_old)?;
            if !(part.upper_reach <= upper_reach) {
                upper_reach = part.upper_reach;
            }
        }
        Ok(Self { upper_reach, ..self })
    }

    /// The space in which it can move.
    pub fn workspace(&self) -> Workspace {
        self.workspace
    }

    /// Upper bound on the distance of any of its points from the reference point, in metres.
    #[inline]
    pub fn upper_reach(&self) -> f64 {
        self.upper_reach
    }

    #[inline]
    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }
}

impl Part {
    fn place(&mut self, body_from_old: &Frame) -> Result<(), CompoundError> {
        // Placing errs by less than 8 u of the coordinates.
        let widen = |reach: f64, at: DVec2| {
            add_up(reach * (1.0 + 8.0 * ROUNDOFF_F64), norm_up(at.extend(0.0)) * (1.0 + 8.0 * ROUNDOFF_F64))
        };
        match &mut self.geometry {
            Geometry::Rectangle { body_from_part, is_centred, half } => {
                *body_from_part = body_from_old.compose(body_from_part);
                *is_centred = false;
                self.upper_reach = widen(norm_up(half.extend(0.0)), body_from_part.position());
            }
            Geometry::Rounded { corners, radius } => {
                corners.iter_mut().for_each(|corner| *corner = body_from_old.point(*corner));
                self.upper_reach = widen(upper_reach_of(corners), DVec2::ZERO);
                self.upper_reach = add_up(self.upper_reach, *radius);
            }
            Geometry::Regions(_) | Geometry::Convex { .. } => return Err(CompoundError::BadPlacement),
        }
        Ok(())
    }
}

/// At least the largest distance of a point from the origin.
pub(crate) fn upper_reach_of(points: &[DVec2]) -> f64 {
    let mut reach = 0.0;
    for point in points {
        let length = norm_up(DVec3::new(point.x, point.y, 0.0));
        if !(length <= reach) {
            reach = length;
        }
    }
    reach
}

fn positive(what: &'static str, value: f64) -> Result<f64, ShapeError> {
    if value > 0.0 && value < MAX_COORDINATE { Ok(value) } else { Err(ShapeError::BadSize { what, value }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_without_size_are_refused() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e13] {
            assert!(Compound::rectangle(bad, 1.0).is_err() && Compound::rectangle(1.0, bad).is_err(), "{bad}");
            assert!(Compound::disc(bad).is_err() && Compound::polygon(&[[0.0, 0.0], [1.0, 0.0], [bad, 0.0]]).is_err());
        }
        assert_eq!(Compound::union([]), Err(CompoundError::NoParts));
        let ball = Compound::convex(Convex::sphere(1.0).expect("valid"), Pose::IDENTITY).expect("valid");
        let disc = Compound::disc(1.0).expect("valid");
        assert_eq!(Compound::union([disc.clone(), ball]), Err(CompoundError::MixedWorkspaces));
        assert_eq!(disc.at(f64::NAN, 0.0, 0.0), Err(CompoundError::BadPlacement));
    }

    #[test]
    fn the_reach_bounds_every_point_of_every_part() {
        let mut random = pathproof::numeric::Random::new(3);
        for _ in 0..200 {
            let mut number = || random.between(-3.0, 3.0);
            let [x, y, heading] = [number(), number(), number()];
            let (length, width) = (number().abs() + 0.1, number().abs() + 0.1);
            let placed = Compound::rectangle(length, width).expect("valid").at(x, y, heading).expect("valid");
            let frame = Frame::new(x, y, heading);
            for (a, b) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
                let corner = frame.point(DVec2::new(a * length, b * width) * 0.5);
                assert!(corner.length() <= placed.upper_reach());
            }
            let disc = Compound::disc(length).expect("valid").at(x, y, heading).expect("valid");
            assert!(disc.upper_reach() >= x.hypot(y) + length - 1e-14);
        }
    }
}
