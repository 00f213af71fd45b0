//! Supports of cores with a kind known at compile time: a search over two boxes, or over two hulls, does not branch on
//! the kind at every support. Any other pair uses [`Convex`], which does.
//!
//! Invariant: each gives the answers of [`Convex::core_feature`] and [`Convex::core_point`], which call it.

use super::{Convex, Core, CoreSupport, Feature, Hull};
use crate::numeric::DVec3;

/// A core in the form that a search uses. Cheap to copy.
pub(crate) trait Supports: Copy {
    /// A point of the core farthest along `n`, up to rounding; `start` is a vertex from which hulls may search.
    fn farthest(&self, n: DVec3, start: u32) -> CoreSupport;

    /// The point of the core that `feature` names, if it names one.
    fn named(&self, feature: Feature) -> Option<DVec3>;
}

/// A core of any kind.
impl Supports for &Convex {
    #[inline(always)]
    fn farthest(&self, n: DVec3, start: u32) -> CoreSupport {
        self.core_feature(n, start)
    }

    #[inline(always)]
    fn named(&self, feature: Feature) -> Option<DVec3> {
        self.core_point(feature)
    }
}

/// A box along the axes.
#[derive(Clone, Copy)]
pub(crate) struct Cuboid {
    /// Half the edge lengths in metres.
    pub(crate) half: DVec3,
}

impl Supports for Cuboid {
    /// The name of a corner is the set of its negative coordinates.
    #[inline(always)]
    fn farthest(&self, n: DVec3, _start: u32) -> CoreSupport {
        let half = self.half;
        let corner = DVec3::new(half.x.copysign(n.x), half.y.copysign(n.y), half.z.copysign(n.z));
        CoreSupport::exact(Feature::vertex(n.is_negative_bitmask()), corner)
    }

    #[inline(always)]
    fn named(&self, feature: Feature) -> Option<DVec3> {
        let index = u64::from(feature.index());
        // The sign bits, without a branch: the corner is hard to predict.
        let signed = |half: f64, axis: u32| f64::from_bits(half.to_bits() ^ ((index >> axis & 1) << 63));
        let half = self.half;
        (index < 8).then(|| DVec3::new(signed(half.x, 0), signed(half.y, 1), signed(half.z, 2)))
    }
}

impl Supports for &Hull {
    #[inline(always)]
    fn farthest(&self, n: DVec3, start: u32) -> CoreSupport {
        let (index, upper_excess) = Hull::farthest(self, n, start);
        CoreSupport { feature: Feature::vertex(index), point: self.vertices()[index as usize], upper_excess }
    }

    #[inline(always)]
    fn named(&self, feature: Feature) -> Option<DVec3> {
        self.vertices().get(feature.index() as usize).copied()
    }
}

/// A core of any kind; its hulls climb even if they have a table.
#[derive(Clone, Copy)]
pub(crate) struct Climbing<'a>(pub(crate) &'a Convex);

impl Supports for Climbing<'_> {
    #[inline]
    fn farthest(&self, n: DVec3, start: u32) -> CoreSupport {
        let Core::Hull(hull) = self.0.core() else { return self.0.core_feature(n, start) };
        let (index, upper_excess) = hull.climb(n, start);
        CoreSupport { feature: Feature::vertex(index), point: hull.vertices()[index as usize], upper_excess }
    }

    #[inline]
    fn named(&self, feature: Feature) -> Option<DVec3> {
        self.0.core_point(feature)
    }
}

/// A core of any kind; its hulls scan all vertices.
#[derive(Clone, Copy)]
pub(crate) struct Scanning<'a>(pub(crate) &'a Convex);

impl Supports for Scanning<'_> {
    #[inline]
    fn farthest(&self, n: DVec3, start: u32) -> CoreSupport {
        let Core::Hull(hull) = self.0.core() else { return self.0.core_feature(n, start) };
        // Climbing from the scanned support ends where it starts.
        self.0.core_feature(n, hull.support_index(n))
    }

    #[inline]
    fn named(&self, feature: Feature) -> Option<DVec3> {
        self.0.core_point(feature)
    }
}
