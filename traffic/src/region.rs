//! Regions that hold an agent of uncertain state: convex at knots, blended between them.
//!
//! A region holds the body for every position of a set and every heading of an interval. From one knot to the next each
//! body moves at constant rates, so a point of it that starts at x₀ and ends at x₁ is at (1−s)x₀ + s·x₁ up to
//! 4E·s(1−s), E = ρΔθ²/8, with Δθ the largest difference over both intervals. The agent is inside (1−s)R₀ ⊕ s·R₁ ⊕ a
//! disc of that radius, which is the set checked. Invariant: that set holds every motion.

use std::f64::consts::{PI, TAU};

use glam::DVec2;

use super::compound::{Compound, CompoundError, Geometry, Workspace, upper_reach_of};
use super::plane::Frame;
use super::polygon::{hull, orientation};
use super::trajectory::{LARGEST_HEADING, wrapped};
use pathproof::numeric::{ROUNDOFF_F64, add_up};
use pathproof::shapes::MAX_COORDINATE;

/// Region that holds a body at one time: the hull of corners, swept by a disc.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Moves straight from knot to knot.
    centre: DVec2,
    outline: Outline,
    /// Middle and half width of the headings, in radians.
    heading: f64,
    half_width: f64,
    /// Largest distance of a point of the body from its reference point.
    upper_reach: f64,
}

/// Counterclockwise corners relative to a centre, and the radius of the disc swept over their hull.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outline {
    pub(crate) corners: Vec<DVec2>,
    pub(crate) radius: f64,
}

/// Regions at the knots of a trajectory of their centres.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Regions {
    outlines: Vec<Outline>,
    /// E of each piece, an upper bound, in metres.
    bulges: Vec<f64>,
}

/// Positions that a body's reference point may have.
#[derive(Clone, Copy, Debug)]
pub enum Positions<'a> {
    /// At a point of the world.
    Point([f64; 2]),
    /// Anywhere in the hull of a compound, which is in the world.
    Within(&'a Compound),
}

impl Region {
    /// A body of the plane at any of `positions`, at any heading from `headings[0]` up to `headings[1]`, in radians.
    pub fn uncertain(body: &Compound, positions: Positions<'_>, headings: [f64; 2]) -> Result<Self, CompoundError> {
        let [from, mut to] = headings;
        if !headings.iter().all(|heading| heading.abs() <= LARGEST_HEADING) {
            return Err(CompoundError::BadPlacement);
        }
        if to < from {
            to += TAU;
        }
        // Sums and differences, and whole turns if there are any, err by less than 4 u of the headings.
        let (heading, half_width) = (0.5 * (from + to), 0.5 * (to - from) + heading_rounding(from, to));
        let where_it_is = match positions {
            Positions::Point(point) if point.iter().all(|value| value.abs() <= MAX_COORDINATE) => {
                Outline { corners: vec![DVec2::from_array(point)], radius: 0.0 }
            }
            Positions::Point(_) => return Err(CompoundError::BadPlacement),
            Positions::Within(set) => outline(set)?,
        };
        let body_outline = outline(body)?;
        // Over the interval a point strays from the straight line between its places at both extreme headings by at
        // most ρΔ²/8, Δ the width, as over a piece of motion; sums and turns err by less than 32 u of the sizes.
        let extremes = headings.map(|heading| Frame::new(0.0, 0.0, heading));
        let turned = extremes.iter().flat_map(|frame| body_outline.corners.iter().map(|&q| frame.point(q)));
        let turned = hull(&turned.collect::<Vec<_>>());
        let sums = where_it_is.corners.iter().flat_map(|&p| turned.iter().map(move |&q| p + q));
        let corners = hull(&sums.collect::<Vec<_>>());
        let bulge = body.upper_reach() * half_width * half_width * (0.5 * (1.0 + 8.0 * ROUNDOFF_F64));
        let radius = add_up(add_up(where_it_is.radius, body_outline.radius), bulge);
        let radius = add_up(radius, 32.0 * ROUNDOFF_F64 * upper_reach_of(&corners));
        Self::about_centre(corners, radius, heading, half_width, body.upper_reach())
    }

    /// A set of the plane, in the world, occupied at one time; from time to time its points move straight.
    pub fn occupied(set: &Compound) -> Result<Self, CompoundError> {
        let Outline { corners, radius } = outline(set)?;
        Self::about_centre(corners, radius, 0.0, 0.0, 0.0)
    }

    fn about_centre(
        corners: Vec<DVec2>,
        radius: f64,
        heading: f64,
        half_width: f64,
        upper_reach: f64,
    ) -> Result<Self, CompoundError> {
        let centre = corners.iter().sum::<DVec2>() / corners.len() as f64;
        // The difference of two coordinates errs by 1 u of them.
        let radius = add_up(radius, 4.0 * ROUNDOFF_F64 * upper_reach_of(&corners));
        let corners = hull(&corners.iter().map(|&corner| corner - centre).collect::<Vec<_>>());
        debug_assert!(corners.len() < 3 || orientation(corners[0], corners[1], corners[2]) > 0.0);
        Ok(Self { centre, outline: Outline { corners, radius }, heading, half_width, upper_reach })
    }

    /// The point that moves straight, in metres.
    pub fn centre(&self) -> [f64; 2] {
        self.centre.to_array()
    }

    /// The largest turn from some heading of this region to some of the next, along shortest arcs.
    fn upper_turn(&self, next: &Self) -> f64 {
        let turn = wrapped(next.heading - self.heading).abs() + self.half_width + next.half_width;
        let turn = turn + 1e-12 + heading_rounding(self.heading, next.heading);
        // No shortest arc is longer than π.
        if turn < PI { turn } else { PI }
    }
}

/// Upper bound on the rounding of sums, differences and whole turns of two headings, in radians.
fn heading_rounding(a: f64, b: f64) -> f64 {
    8.0 * ROUNDOFF_F64 * (a.abs() + b.abs() + TAU)
}

impl Regions {
    /// Regions at the knots in order, at least one.
    pub(crate) fn new(regions: Vec<Region>) -> Self {
        let bulge = |pair: &[Region]| {
            let turn = pair[0].upper_turn(&pair[1]);
            let reach =
                if pair[0].upper_reach < pair[1].upper_reach { pair[1].upper_reach } else { pair[0].upper_reach };
            reach * turn * turn / 8.0 * (1.0 + 8.0 * ROUNDOFF_F64)
        };
        let bulges = regions.windows(2).map(bulge).collect();
        Self { outlines: regions.into_iter().map(|region| region.outline).collect(), bulges }
    }

    /// The outlines at both ends of a piece; at the last knot both are its own.
    #[inline]
    pub(crate) fn ends(&self, piece: usize) -> [&Outline; 2] {
        let last = self.outlines.len() - 1;
        [&self.outlines[piece], &self.outlines[if piece < last { piece + 1 } else { last }]]
    }

    /// Upper bound E on the distance of a point from the straight line between the ends of a piece.
    #[inline]
    pub(crate) fn upper_bulge(&self, piece: usize) -> f64 {
        self.bulges.get(piece).copied().unwrap_or(0.0)
    }

    /// Radius of the disc to sweep over the blended outline at a fraction of a piece.
    #[inline]
    pub(crate) fn radius(&self, piece: usize, fraction: f64) -> f64 {
        let [from, to] = self.ends(piece);
        let blended = from.radius + (to.radius - from.radius) * fraction;
        blended + 4.0 * self.upper_bulge(piece) * fraction * (1.0 - fraction)
    }

    /// Upper bound on the distance of any point of any region from its centre.
    pub(crate) fn upper_reach(&self) -> f64 {
        let mut reach = 0.0;
        for (knot, outline) in self.outlines.iter().enumerate() {
            let own = add_up(add_up(upper_reach_of(&outline.corners), outline.radius), self.upper_bulge(knot));
            if !(own <= reach) {
                reach = own;
            }
        }
        reach
    }
}

/// The hull of all parts of a compound of the plane.
fn outline(compound: &Compound) -> Result<Outline, CompoundError> {
    if compound.workspace() != Workspace::Plane {
        return Err(CompoundError::MixedWorkspaces);
    }
    let (mut points, mut radius) = (Vec::new(), 0.0);
    for part in compound.parts() {
        match &part.geometry {
            Geometry::Rectangle { body_from_part, half, .. } => {
                let corner = |x: f64, y: f64| body_from_part.point(DVec2::new(half.x * x, half.y * y));
                points.extend([corner(1.0, 1.0), corner(-1.0, 1.0), corner(-1.0, -1.0), corner(1.0, -1.0)]);
            }
            Geometry::Rounded { corners, radius: own } => {
                points.extend_from_slice(corners);
                if !(*own <= radius) {
                    radius = *own;
                }
            }
            Geometry::Regions(_) | Geometry::Convex { .. } => return Err(CompoundError::MixedWorkspaces),
        }
    }
    // Corners of a rectangle err by less than 8 u of the coordinates.
    let radius = add_up(radius, 8.0 * ROUNDOFF_F64 * compound.upper_reach());
    Ok(Outline { corners: hull(&points), radius })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathproof::numeric::Random;

    /// Distance of a point outside the hull of counterclockwise corners, along edge normals: 0 inside.
    fn outside(corners: &[DVec2], p: DVec2) -> f64 {
        let n = corners.len();
        let beyond = |i: usize| {
            let edge = (corners[(i + 1) % n] - corners[i]).normalize_or_zero();
            -edge.perp_dot(p - corners[i])
        };
        (0..n).map(beyond).fold(0.0, f64::max)
    }

    #[test]
    fn a_region_holds_the_body_at_every_position_and_heading() {
        let mut random = Random::new(8);
        for _ in 0..200 {
            let body = Compound::rectangle(random.between(1.0, 5.0), random.between(0.5, 2.0)).expect("valid");
            let (length, width, turned) =
                (random.between(0.1, 2.0), random.between(0.1, 2.0), random.between(-3.0, 3.0));
            let [x, y] = [random.between(-50.0, 50.0), random.between(-50.0, 50.0)];
            let positions = Compound::rectangle(length, width).expect("valid").at(x, y, turned).expect("valid");
            let from = random.between(-4.0, 4.0);
            let region =
                Region::uncertain(&body, Positions::Within(&positions), [from, from + random.between(0.0, 2.5)])
                    .expect("valid");
            for _ in 0..50 {
                let place = Frame::new(x, y, turned);
                let at = place.point(DVec2::new(random.between(-0.5, 0.5) * length, random.between(-0.5, 0.5) * width));
                let heading = region.heading + random.between(-1.0, 1.0) * region.half_width;
                let corner = outline(&body).expect("planar").corners[random.below(4)];
                let point = Frame::new(at.x, at.y, heading).point(corner) - region.centre;
                // Along edge normals a point at most `radius` away from the hull is at most `radius` outside.
                assert!(outside(&region.outline.corners, point) <= region.outline.radius + 1e-12);
            }
        }
    }

    #[test]
    fn the_largest_turn_counts_both_intervals_and_wraps() {
        let body = Compound::rectangle(4.0, 2.0).expect("valid");
        let at = Positions::Point([3.0, 4.0]);
        let region = |from, to| Region::uncertain(&body, at, [from, to]).expect("valid");
        assert!((region(0.1, 0.3).upper_turn(&region(0.4, 0.5)) - 0.4).abs() < 1e-11);
        assert!((region(3.0, 3.1).upper_turn(&region(-3.1, -3.0)) - 0.2832).abs() < 1e-3);
        assert_eq!(region(0.0, 1.0).upper_turn(&region(3.0, 4.0)), PI);
        // Headings with many turns: their rounding is more than 1e-12, and is in the bound.
        let many = 1e5 * std::f64::consts::TAU;
        let (few, turned) = (region(0.1, 0.3), region(many + 0.4, many + 0.5));
        assert!(few.upper_turn(&turned) >= 0.4 && few.upper_turn(&turned) < 0.4 + 1e-8);
        for bad in [[f64::NAN, 0.0], [0.0, f64::NAN], [0.0, 1e9], [f64::NEG_INFINITY, 0.0]] {
            assert!(Region::uncertain(&body, at, bad).is_err(), "{bad:?}");
        }
        assert!(Region::uncertain(&body, Positions::Point([f64::NAN, 0.0]), [0.0, 0.0]).is_err());
    }
}
