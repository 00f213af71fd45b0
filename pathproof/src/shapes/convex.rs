//! Exact convex shapes: a core with a support function, plus a radius (the core swept by a ball).
//!
//! A sphere is a point with a radius and a capsule a segment with one, so that curved shapes are exact and the
//! distance between two of them is the distance of the cores less the radii. Shapes are centred at the
//! origin with their axis along z, as in URDF.

use super::supports::{Cuboid, Supports};
use super::{Aabb, Hull, MAX_COORDINATE, ShapeError};
use crate::numeric::{DVec3, Pose, ROUNDOFF_F64, add_up, most, norm_up};

/// Core over which a ball is swept. Closed set: every algorithm knows all of them.
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
    /// At least the largest distance of a core point from the origin.
    upper_extent: f64,
}

/// Names a point that a support query of a core returned: the index of a vertex and, on a rim, the position on the
/// unit circle. It names a point of any core of the same kind, so that a stale one does no harm.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Feature {
    index: u32,
    rim: [f64; 2],
}

/// A support point of a core.
#[derive(Clone, Copy, Debug)]
pub struct CoreSupport {
    /// Its name.
    pub feature: Feature,
    /// A point of the core, up to rounding of a few units in the last place.
    pub point: DVec3,
    /// For a unit direction n, no point of the core is farther along n than n·`point` plus this, except for at most 6
    /// u · extent of rounding; may be infinite. 0 for all but hulls.
    pub upper_excess: f64,
}

impl CoreSupport {
    #[inline]
    pub(super) const fn exact(feature: Feature, point: DVec3) -> Self {
        Self { feature, point, upper_excess: 0.0 }
    }
}

impl Feature {
    pub(crate) const fn vertex(index: u32) -> Self {
        Self { index, rim: [0.0; 2] }
    }

    /// The index of the vertex; on hulls, a start for the next climb.
    #[inline]
    pub fn index(self) -> u32 {
        self.index
    }
}

fn positive(what: &'static str, value: f64) -> Result<f64, ShapeError> {
    if value > 0.0 && value < MAX_COORDINATE { Ok(value) } else { Err(ShapeError::BadSize { what, value }) }
}

impl Convex {
    #[inline]
    fn new(core: Core, radius: f64) -> Self {
        let upper_extent = upper_extent(&core);
        Self { core, radius, upper_extent }
    }

    /// A box with the given edge lengths.
    pub fn cuboid(size: [f64; 3]) -> Result<Self, ShapeError> {
        for edge in size {
            positive("a box's edge", edge)?;
        }
        Ok(Self::new(Core::Box { half: DVec3::from_array(size) * 0.5 }, 0.0))
    }

    /// A ball.
    pub fn sphere(radius: f64) -> Result<Self, ShapeError> {
        Ok(Self::new(Core::Point, positive("a sphere's radius", radius)?))
    }

    /// A cylinder along z.
    pub fn cylinder(radius: f64, length: f64) -> Result<Self, ShapeError> {
        let radius = positive("a cylinder's radius", radius)?;
        let half_length = positive("a cylinder's length", length)? * 0.5;
        Ok(Self::new(Core::Cylinder { radius, half_length }, 0.0))
    }

    /// A capsule along z; `length` is that of the cylindrical part.
    pub fn capsule(radius: f64, length: f64) -> Result<Self, ShapeError> {
        let half_length = positive("a capsule's length", length)? * 0.5;
        Ok(Self::new(Core::Segment { half_length }, positive("a capsule's radius", radius)?))
    }

    /// A cone along z, apex up, centred at half its height.
    pub fn cone(radius: f64, height: f64) -> Result<Self, ShapeError> {
        let radius = positive("a cone's radius", radius)?;
        let half_length = positive("a cone's height", height)? * 0.5;
        Ok(Self::new(Core::Cone { radius, half_length }, 0.0))
    }

    /// The convex hull of points.
    pub fn hull(points: &[DVec3]) -> Result<Self, ShapeError> {
        Ok(Self::new(Core::Hull(Hull::new(points)?), 0.0))
    }

    /// A triangle, which may be degenerate. The vertices must be finite.
    #[inline]
    pub fn triangle(vertices: [DVec3; 3]) -> Self {
        debug_assert!(vertices.iter().all(|v| v.is_finite()));
        Self::new(Core::Triangle(vertices), 0.0)
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

    /// Upper bound on the distance of any point of the core from the origin, in metres.
    #[inline]
    pub fn upper_core_extent(&self) -> f64 {
        self.upper_extent
    }

    /// True if the core has finitely many vertices.
    #[inline]
    pub fn has_polyhedral_core(&self) -> bool {
        !matches!(self.core, Core::Cylinder { .. } | Core::Cone { .. })
    }

    /// A point of the core farthest along `direction` (any length).
    #[inline]
    pub fn core_support(&self, direction: DVec3) -> DVec3 {
        match &self.core {
            Core::Hull(hull) => hull.support(direction),
            _ => self.core_feature(direction, 0).point,
        }
    }

    /// A point of the core farthest along `direction`, up to rounding; on hulls found by climbing from vertex
    /// `start`.
    #[inline(always)]
    pub fn core_feature(&self, direction: DVec3, start: u32) -> CoreSupport {
        match &self.core {
            Core::Point => CoreSupport::exact(Feature::vertex(0), DVec3::ZERO),
            Core::Segment { half_length } => {
                let index = u32::from(direction.z.is_sign_negative());
                CoreSupport::exact(Feature::vertex(index), DVec3::new(0.0, 0.0, half_length.copysign(direction.z)))
            }
            Core::Triangle(vertices) => {
                let [a, b, c] = vertices.map(|v| v.dot(direction));
                let index = if a >= b && a >= c { 0 } else { 2 - usize::from(b >= c) };
                CoreSupport::exact(Feature::vertex(index as u32), vertices[index])
            }
            Core::Box { half } => Cuboid { half: *half }.farthest(direction, start),
            Core::Cylinder { radius, half_length } => {
                let rim = rim_direction(direction);
                let index = u32::from(direction.z.is_sign_negative());
                let point = on_rim(*radius, rim, half_length.copysign(direction.z));
                CoreSupport::exact(Feature { index, rim }, point)
            }
            Core::Cone { radius, half_length } => {
                let rim = rim_direction(direction);
                let base = on_rim(*radius, rim, -half_length);
                let apex = DVec3::new(0.0, 0.0, *half_length);
                if apex.dot(direction) > base.dot(direction) {
                    CoreSupport::exact(Feature::vertex(0), apex)
                } else {
                    CoreSupport::exact(Feature { index: 1, rim }, base)
                }
            }
            Core::Hull(hull) => Supports::farthest(&hull, direction, start),
        }
    }

    /// The point of the core that `feature` names, if it names one.
    #[inline(always)]
    pub fn core_point(&self, feature: Feature) -> Option<DVec3> {
        let Feature { index, rim } = feature;
        let sign = || if index == 1 { -1.0 } else { 1.0 };
        // Slightly above 1: a normalised pair errs by a few units in the last place.
        let on_disc = || rim[0] * rim[0] + rim[1] * rim[1] <= 1.0 + 16.0 * ROUNDOFF_F64;
        match &self.core {
            Core::Point => (index == 0).then_some(DVec3::ZERO),
            Core::Segment { half_length } => (index < 2).then(|| DVec3::new(0.0, 0.0, half_length * sign())),
            Core::Triangle(vertices) => vertices.get(index as usize).copied(),
            Core::Box { half } => Cuboid { half: *half }.named(feature),
            Core::Cylinder { radius, half_length } => {
                (index < 2 && on_disc()).then(|| on_rim(*radius, rim, half_length * sign()))
            }
            Core::Cone { radius, half_length } => match index {
                0 => Some(DVec3::new(0.0, 0.0, *half_length)),
                1 if on_disc() => Some(on_rim(*radius, rim, -half_length)),
                _ => None,
            },
            Core::Hull(hull) => hull.named(feature),
        }
    }

    /// Upper bound on n·p over the core for |n| ≤ 1 + 4u, except for at most 6 u · extent of rounding, which the
    /// caller's margin covers. Closed forms, and on hulls [`Hull::upper_reach`]: `start` only matters for speed.
    #[inline]
    pub fn upper_core_reach(&self, n: DVec3, start: u32) -> f64 {
        let across = |n: DVec3| (n.x * n.x + n.y * n.y).sqrt();
        match &self.core {
            Core::Point => 0.0,
            Core::Segment { half_length } => half_length * n.z.abs(),
            Core::Triangle([a, b, c]) => most(most(a.dot(n), b.dot(n)), c.dot(n)),
            Core::Box { half } => half.dot(n.abs()),
            Core::Cylinder { radius, half_length } => radius * across(n) + half_length * n.z.abs(),
            Core::Cone { radius, half_length } => most(half_length * n.z, radius * across(n) - half_length * n.z),
            Core::Hull(hull) => hull.upper_reach(n, start),
        }
    }
}

impl Convex {
    /// Upper bound on d·p over the shape for a direction d of length at least 1 and at most `upper_length`, except for
    /// at most 6 u · extent · `upper_length` of rounding, which the caller's margin covers. On hulls a climb from
    /// vertex `start`, which becomes its end; its proof ([`Hull::upper_reach`]) scales with the direction.
    #[inline(always)]
    pub(crate) fn upper_reach_along(&self, d: DVec3, upper_length: f64, start: &mut u32) -> f64 {
        let core = match &self.core {
            Core::Hull(hull) => hull.upper_reach_along(d, upper_length, start),
            _ => self.upper_core_reach(d, 0),
        };
        core + self.radius * upper_length
    }
}

/// At least the largest distance of a core point from the origin. The sum of the coordinates' sizes bounds it
/// without a root; 4u covers its rounding.
#[inline]
fn upper_extent(core: &Core) -> f64 {
    let taxicab = |v: DVec3| v.x.abs() + v.y.abs() + v.z.abs();
    let extent = match core {
        Core::Point => 0.0,
        Core::Segment { half_length } => *half_length,
        Core::Triangle([a, b, c]) => most(most(taxicab(*a), taxicab(*b)), taxicab(*c)),
        Core::Box { half } => taxicab(*half),
        Core::Cylinder { radius, half_length } | Core::Cone { radius, half_length } => radius + half_length,
        Core::Hull(hull) => hull.upper_extent(),
    };
    extent * (1.0 + 4.0 * ROUNDOFF_F64)
}

/// Position on the unit circle about z in `direction`; (0, 0) for the centre if it points along z.
#[inline]
fn rim_direction(direction: DVec3) -> [f64; 2] {
    let across = (direction.x * direction.x + direction.y * direction.y).sqrt();
    if across > 0.0 { [direction.x / across, direction.y / across] } else { [0.0, 0.0] }
}

#[inline]
fn on_rim(radius: f64, rim: [f64; 2], z: f64) -> DVec3 {
    DVec3::new(radius * rim[0], radius * rim[1], z)
}

impl Convex {
    /// Upper bound on the distance of any point of the shape from its own origin.
    pub fn reach(&self) -> f64 {
        let core = match &self.core {
            Core::Point => 0.0,
            Core::Segment { half_length } => *half_length,
            Core::Triangle(corners) => corners.iter().map(|v| norm_up(*v)).fold(0.0, most),
            Core::Box { half } => norm_up(*half),
            Core::Cylinder { radius, half_length } | Core::Cone { radius, half_length } => {
                norm_up(DVec3::new(*radius, 0.0, *half_length))
            }
            Core::Hull(hull) => hull.vertices().iter().map(|v| norm_up(*v)).fold(0.0, most),
        };
        add_up(core, self.radius)
    }

    /// A box that holds the shape placed by `frame_from_shape`, rounded outward.
    pub fn aabb(&self, frame_from_shape: &Pose) -> Aabb {
        let size = self.reach() + frame_from_shape.translation.abs().max_element();
        // Supports and placing round by less than 16 u of the coordinates involved.
        let margin = self.radius + 32.0 * ROUNDOFF_F64 * size;
        let extent = |axis: DVec3| {
            let along = frame_from_shape.inverse_vector(axis);
            frame_from_shape.point(self.core_support(along)).dot(axis)
        };
        let max = DVec3::new(extent(DVec3::X), extent(DVec3::Y), extent(DVec3::Z)) + margin;
        let min = -DVec3::new(extent(-DVec3::X), extent(-DVec3::Y), extent(-DVec3::Z)) - margin;
        Aabb { min, max }
    }
}
