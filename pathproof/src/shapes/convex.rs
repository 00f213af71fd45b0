//! Exact convex shapes: a core with a support function, plus a radius (the core swept by a ball).
//!
//! A sphere is a point with a radius and a capsule a segment with one, so that curved shapes are exact and the
//! distance between two of them is the distance of the cores less the radii. Shapes are centred at the
//! origin with their axis along z, as in URDF.

use super::{Aabb, Hull, MAX_COORDINATE, ShapeError};
use crate::numeric::{DVec3, Pose, U64, add_up, norm_up};

/// What a ball is swept over. Closed set: every algorithm knows all of them.
#[derive(Clone, Debug, PartialEq)]
pub enum Core {
    /// The origin.
    Point,
    /// From (0, 0, −half_length) to (0, 0, half_length).
    Segment {
        /// Half the length in metres.
        half_length: f64,
    },
    /// A triangle; degenerate ones are points and segments.
    Triangle([DVec3; 3]),
    /// A box along the axes.
    Box {
        /// Half the edge lengths in metres.
        half: DVec3,
    },
    /// A solid cylinder along z.
    Cylinder {
        /// Radius in metres.
        radius: f64,
        /// Half the length in metres.
        half_length: f64,
    },
    /// A solid cone along z: the base disc at −half_length, the apex at +half_length.
    Cone {
        /// Radius of the base in metres.
        radius: f64,
        /// Half the height in metres.
        half_length: f64,
    },
    /// The convex hull of points.
    Hull(Hull),
}

/// A convex shape: [`Core`] ⊕ ball of `radius`.
///
/// ```
/// use pathproof::shapes::Convex;
/// use pathproof::numeric::DVec3;
/// let capsule = Convex::capsule(0.1, 2.0)?;
/// assert_eq!(capsule.core_support(DVec3::new(1.0, 0.0, 0.5)), DVec3::new(0.0, 0.0, 1.0));
/// assert_eq!(capsule.radius(), 0.1);
/// # Ok::<(), pathproof::shapes::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Convex {
    core: Core,
    radius: f64,
}

fn positive(what: &'static str, value: f64) -> Result<f64, ShapeError> {
    if value > 0.0 && value < MAX_COORDINATE { Ok(value) } else { Err(ShapeError::BadSize { what, value }) }
}

impl Convex {
    /// A box with the given edge lengths.
    pub fn cuboid(size: [f64; 3]) -> Result<Self, ShapeError> {
        for edge in size {
            positive("a box's edge", edge)?;
        }
        Ok(Self { core: Core::Box { half: DVec3::from_array(size) * 0.5 }, radius: 0.0 })
    }

    /// A ball.
    pub fn sphere(radius: f64) -> Result<Self, ShapeError> {
        Ok(Self { core: Core::Point, radius: positive("a sphere's radius", radius)? })
    }

    /// A cylinder along z.
    pub fn cylinder(radius: f64, length: f64) -> Result<Self, ShapeError> {
        let radius = positive("a cylinder's radius", radius)?;
        let half_length = positive("a cylinder's length", length)? * 0.5;
        Ok(Self { core: Core::Cylinder { radius, half_length }, radius: 0.0 })
    }

    /// A capsule along z; `length` is that of the cylindrical part.
    pub fn capsule(radius: f64, length: f64) -> Result<Self, ShapeError> {
        let half_length = positive("a capsule's length", length)? * 0.5;
        Ok(Self { core: Core::Segment { half_length }, radius: positive("a capsule's radius", radius)? })
    }

    /// A cone along z, apex up, centred at half its height.
    pub fn cone(radius: f64, height: f64) -> Result<Self, ShapeError> {
        let radius = positive("a cone's radius", radius)?;
        let half_length = positive("a cone's height", height)? * 0.5;
        Ok(Self { core: Core::Cone { radius, half_length }, radius: 0.0 })
    }

    /// The convex hull of points.
    pub fn hull(points: &[DVec3]) -> Result<Self, ShapeError> {
        Ok(Self { core: Core::Hull(Hull::new(points)?), radius: 0.0 })
    }

    /// A triangle, which may be degenerate. The vertices must be finite.
    #[inline]
    pub fn triangle(vertices: [DVec3; 3]) -> Self {
        debug_assert!(vertices.iter().all(|v| v.is_finite()));
        Self { core: Core::Triangle(vertices), radius: 0.0 }
    }

    /// The core.
    #[inline]
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// The radius of the ball swept over the core, in metres.
    #[inline]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// A point of the core farthest along `direction` (any length).
    #[inline]
    pub fn core_support(&self, direction: DVec3) -> DVec3 {
        match &self.core {
            Core::Point => DVec3::ZERO,
            Core::Segment { half_length } => DVec3::new(0.0, 0.0, half_length.copysign(direction.z)),
            Core::Triangle([a, b, c]) => {
                let (da, db, dc) = (a.dot(direction), b.dot(direction), c.dot(direction));
                if da >= db && da >= dc {
                    *a
                } else if db >= dc {
                    *b
                } else {
                    *c
                }
            }
            Core::Box { half } => {
                DVec3::new(half.x.copysign(direction.x), half.y.copysign(direction.y), half.z.copysign(direction.z))
            }
            Core::Cylinder { radius, half_length } => {
                let rim = rim_support(*radius, direction);
                DVec3::new(rim.x, rim.y, half_length.copysign(direction.z))
            }
            Core::Cone { radius, half_length } => {
                let rim = rim_support(*radius, direction);
                let base = DVec3::new(rim.x, rim.y, -half_length);
                let apex = DVec3::new(0.0, 0.0, *half_length);
                if apex.dot(direction) > base.dot(direction) { apex } else { base }
            }
            Core::Hull(hull) => hull.support(direction),
        }
    }
}

/// The point of the circle of `radius` about z farthest along `direction`; the centre if there is none.
#[inline]
fn rim_support(radius: f64, direction: DVec3) -> DVec3 {
    let across = (direction.x * direction.x + direction.y * direction.y).sqrt();
    if across > 0.0 {
        DVec3::new(radius * direction.x / across, radius * direction.y / across, 0.0)
    } else {
        DVec3::ZERO
    }
}

impl Convex {
    /// Upper bound on the distance of any point of the shape from its own origin.
    pub fn reach(&self) -> f64 {
        let core = match &self.core {
            Core::Point => 0.0,
            Core::Segment { half_length } => *half_length,
            Core::Triangle(corners) => corners.iter().map(|v| norm_up(*v)).fold(0.0, f64::max),
            Core::Box { half } => norm_up(*half),
            Core::Cylinder { radius, half_length } | Core::Cone { radius, half_length } => {
                norm_up(DVec3::new(*radius, 0.0, *half_length))
            }
            Core::Hull(hull) => hull.vertices().iter().map(|v| norm_up(*v)).fold(0.0, f64::max),
        };
        add_up(core, self.radius)
    }

    /// A box that holds the shape placed by `frame_from_shape`, rounded outward.
    pub fn aabb(&self, frame_from_shape: &Pose) -> Aabb {
        let size = self.reach() + frame_from_shape.translation.abs().max_element();
        // Supports and placing round by less than 16 u of the coordinates involved.
        let margin = self.radius + 32.0 * U64 * size;
        let extent = |axis: DVec3| {
            let along = frame_from_shape.inverse_vector(axis);
            frame_from_shape.point(self.core_support(along)).dot(axis)
        };
        let max = DVec3::new(extent(DVec3::X), extent(DVec3::Y), extent(DVec3::Z)) + margin;
        let min = -DVec3::new(extent(-DVec3::X), extent(-DVec3::Y), extent(-DVec3::Z)) - margin;
        Aabb { min, max }
    }
}
