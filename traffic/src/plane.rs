//! The plane: frames, supports and boxes of planar parts, and bounds on the distance of two of them.
//!
//! Rounding of a bound along a unit axis n, u = 2⁻⁵³, d the difference of the reference points, ρ the reaches: n·d errs
//! by 3u|d|, each reach along n by 13uρ (choosing a corner 6u, turning it or n 4u, products and sums 3u), the sums by
//! 4u(|d| + Σρ), and |n| is off 1 by at most 10u (a sine and a cosine, composed twice). Together at most 17u|d| +
//! 27u·Σρ: [`MARGIN`] = 32u of |d| + Σρ. `Trajectory::upper_rounding` covers the placement of the frames.

use glam::DVec2;

use super::compound::{Compound, Geometry, Part, Workspace};
use super::narrow::{Placed, Proximity, Space, State, larger, smaller};
use super::proximity::core_proximity;
use super::rectangles;
use super::trajectory::{Trajectory, Turning};
use pathproof::numeric::{ROUNDOFF_F64, sin_cos};

/// Relative rounding of bounds along an axis; derived above.
pub(crate) const MARGIN: f64 = 32.0 * ROUNDOFF_F64;

/// A pose of the plane: position, cosine and sine of the heading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) c: f64,
    pub(crate) s: f64,
}

impl Frame {
    pub(crate) const IDENTITY: Self = Self { x: 0.0, y: 0.0, c: 1.0, s: 0.0 };

    #[inline]
    pub(crate) fn new(x: f64, y: f64, heading: f64) -> Self {
        let (s, c) = sin_cos(heading);
        Self { x, y, c, s }
    }

    #[inline]
    pub(crate) fn position(&self) -> DVec2 {
        DVec2::new(self.x, self.y)
    }

    /// A vector of this frame in the outer one.
    #[inline]
    pub(crate) fn turn(&self, v: DVec2) -> DVec2 {
        DVec2::new(self.c * v.x - self.s * v.y, self.s * v.x + self.c * v.y)
    }

    /// A vector of the outer frame in this one.
    #[inline]
    pub(crate) fn turn_back(&self, v: DVec2) -> DVec2 {
        DVec2::new(self.c * v.x + self.s * v.y, self.c * v.y - self.s * v.x)
    }

    /// A point of this frame in the outer one.
    #[inline]
    pub(crate) fn point(&self, p: DVec2) -> DVec2 {
        self.turn(p) + self.position()
    }

    /// `outer_from_inner` from `outer_from_middle` (self) and `middle_from_inner`.
    #[inline]
    pub(crate) fn compose(&self, inner: &Self) -> Self {
        let at = self.point(inner.position());
        Self { x: at.x, y: at.y, c: self.c * inner.c - self.s * inner.s, s: self.s * inner.c + self.c * inner.s }
    }
}

/// The planar [`Space`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane;

impl Space for Plane {
    const DIMENSIONS: usize = 2;
    const WORKSPACE: Workspace = Workspace::Plane;
    type Vector = DVec2;
    type Frame = Frame;

    #[inline]
    fn knot(trajectory: &Trajectory, knot: usize) -> Frame {
        let [x, y, _] = &trajectory.coordinates;
        Frame::new(x[knot], y[knot], headings(trajectory).0[knot])
    }

    #[inline]
    fn between(trajectory: &Trajectory, piece: usize, fraction: f64) -> Frame {
        let [x, y, _] = &trajectory.coordinates;
        let at = |list: &[f64]| list[piece] + (list[piece + 1] - list[piece]) * fraction;
        let (headings, turns) = headings(trajectory);
        Frame::new(at(x), at(y), headings[piece] + turns[piece] * fraction)
    }

    #[inline]
    fn place(world_from_local: &Frame, local: &Frame) -> Frame {
        world_from_local.compose(local)
    }

    #[inline]
    fn frame(pose: &pathproof::numeric::Pose) -> Frame {
        let (x_axis, at) = (pose.rotation.x_axis, pose.translation);
        Frame { x: at.x, y: at.y, c: x_axis.x, s: x_axis.y }
    }

    #[inline]
    fn point(frame: &Frame, [x, y, _]: [f64; 3]) -> [f64; 3] {
        let p = frame.point(DVec2::new(x, y));
        [p.x, p.y, 0.0]
    }

    #[inline]
    fn turned_box(frame: &Frame, [x, y, _]: [f64; 3], half: [f64; 3]) -> [[f64; 3]; 2] {
        let centre = frame.turn(DVec2::new(x, y));
        let (c, s) = (frame.c.abs(), frame.s.abs());
        [[centre.x, centre.y, 0.0], [c * half[0] + s * half[1], s * half[0] + c * half[1], 0.0]]
    }

    #[inline]
    fn position(frame: &Frame) -> [f64; 3] {
        [frame.x, frame.y, 0.0]
    }

    #[inline]
    fn difference(from: &Frame, to: &Frame) -> DVec2 {
        DVec2::new(to.x - from.x, to.y - from.y)
    }

    #[inline]
    fn length_squared(v: DVec2) -> f64 {
        v.length_squared()
    }

    #[inline]
    fn extent(compound: &Compound, state: &State<Frame>) -> [[f64; 3]; 2] {
        if let [Part { geometry: Geometry::Rectangle { is_centred: true, half, .. }, .. }] = compound.parts() {
            let Frame { c, s, .. } = state.frame;
            let (c, s) = (c.abs(), s.abs());
            let (x, y) = (c * half.x + s * half.y, s * half.x + c * half.y);
            return [[-x, -y, 0.0], [x, y, 0.0]];
        }
        let [mut low, mut high] = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for part in compound.parts() {
            for (axis, n) in [DVec2::X, DVec2::Y].into_iter().enumerate() {
                let (up, down) = (reach(part, state, n), reach(part, state, -n));
                (high[axis], low[axis]) = (larger(high[axis], up), smaller(low[axis], -down));
            }
        }
        [low, high]
    }

    #[inline]
    fn separation(a: Placed<'_, Frame>, b: Placed<'_, Frame>, n: DVec2) -> f64 {
        let d = Self::difference(&a.1.frame, &b.1.frame);
        let scale = d.x.abs() + d.y.abs() + a.0.upper_reach + b.0.upper_reach;
        n.dot(d) - reach(a.0, a.1, n) - reach(b.0, b.1, -n) - MARGIN * scale
    }

    #[inline]
    fn proximity(a: Placed<'_, Frame>, b: Placed<'_, Frame>, near: f64) -> Proximity<DVec2> {
        if let Some(found) = rectangles::proximity(a, b)
            && (found.lower > near || found.upper <= 0.0)
        {
            return found;
        }
        rounded_proximity(a, b, near)
    }

    #[inline]
    fn overlap(a: Placed<'_, Frame>, b: Placed<'_, Frame>) -> bool {
        match rectangles::overlap(a, b) {
            Some(overlap) => overlap,
            None => rounded_proximity(a, b, 0.0).upper <= 0.0,
        }
    }
}

#[inline]
fn headings(trajectory: &Trajectory) -> (&[f64], &[f64]) {
    match &trajectory.turning {
        Turning::Plane { headings, turns } => (headings, turns),
        Turning::Volume { .. } => unreachable!("traffic holds trajectories of one workspace"),
    }
}

/// Reach of a part along the unit vector n from the reference point.
#[inline]
fn reach(part: &Part, state: &State<Frame>, n: DVec2) -> f64 {
    match &part.geometry {
        Geometry::Rectangle { body_from_part, is_centred, half } => {
            let n = state.frame.turn_back(n);
            if *is_centred {
                return n.x.abs() * half.x + n.y.abs() * half.y;
            }
            let own = body_from_part.turn_back(n);
            n.dot(body_from_part.position()) + own.x.abs() * half.x + own.y.abs() * half.y
        }
        _ => core_support(part, state, n).dot(n) + radius(part, state),
    }
}

/// Radius of the disc swept over a part's core.
fn radius(part: &Part, state: &State<Frame>) -> f64 {
    match &part.geometry {
        Geometry::Rounded { radius, .. } => *radius,
        Geometry::Regions(regions) => regions.radius(state.piece, state.fraction),
        Geometry::Rectangle { .. } | Geometry::Convex { .. } => 0.0,
    }
}

/// A point of a part's core farthest along n, seen from the reference point, in the world's axes.
fn core_support(part: &Part, state: &State<Frame>, n: DVec2) -> DVec2 {
    match &part.geometry {
        Geometry::Rectangle { body_from_part, half, .. } => {
            let own = body_from_part.turn_back(state.frame.turn_back(n));
            let corner = DVec2::new(half.x.copysign(own.x), half.y.copysign(own.y));
            state.frame.turn(body_from_part.point(corner))
        }
        Geometry::Rounded { corners, .. } => state.frame.turn(farthest(corners, state.frame.turn_back(n))),
        Geometry::Regions(regions) => {
            let [from, to] = regions.ends(state.piece).map(|outline| farthest(&outline.corners, n));
            from + (to - from) * state.fraction
        }
        Geometry::Convex { .. } => unreachable!("traffic holds shapes of one workspace"),
    }
}

/// The first corner farthest along n.
fn farthest(corners: &[DVec2], n: DVec2) -> DVec2 {
    let mut best = corners[0];
    let mut most = best.dot(n);
    for &corner in &corners[1..] {
        let along = corner.dot(n);
        if along > most {
            (best, most) = (corner, along);
        }
    }
    best
}

/// Bounds for any two planar parts: those of their cores less the radii.
fn rounded_proximity(a: Placed<'_, Frame>, b: Placed<'_, Frame>, near: f64) -> Proximity<DVec2> {
    let d = Plane::difference(&a.1.frame, &b.1.frame);
    let scale = d.x.abs() + d.y.abs() + a.0.upper_reach + b.0.upper_reach;
    let radii = radius(a.0, a.1) + radius(b.0, b.1);
    let margin = MARGIN * scale;
    let nearest_along = |n: DVec2| d + core_support(b.0, b.1, -n) - core_support(a.0, a.1, n);
    let cores = core_proximity(nearest_along, d, near + radii + margin, margin);
    Proximity { lower: cores.lower - radii - margin, upper: cores.upper - radii + margin, axis: cores.axis }
}

#[cfg(test)]
mod tests {
    use dashu_ratio::RBig;

    use super::*;
    use pathproof::numeric::Random;

    fn exact(x: f64) -> RBig {
        RBig::try_from(x).expect("finite")
    }

    fn size(x: RBig) -> RBig {
        if x < RBig::ZERO { -x } else { x }
    }

    /// (n·d − both reaches)·|n| of two centred rectangles, without any rounding.
    fn exact_separation(n: DVec2, frames: [&Frame; 2], halves: [DVec2; 2]) -> RBig {
        let [nx, ny] = [exact(n.x), exact(n.y)];
        let dot = |a: &RBig, b: &RBig| nx.clone() * a + ny.clone() * b;
        let d = [exact(frames[1].x) - exact(frames[0].x), exact(frames[1].y) - exact(frames[0].y)];
        let mut separation = dot(&d[0], &d[1]);
        for (frame, half) in frames.into_iter().zip(halves) {
            let (c, s) = (exact(frame.c), exact(frame.s));
            separation -= size(dot(&c, &s)) * exact(half.x) + size(dot(&-s, &c)) * exact(half.y);
        }
        separation
    }

    #[test]
    fn separation_along_any_axis_is_below_the_exact_one() {
        let mut random = Random::new(19);
        let mut above = 0;
        for round in 0..4_000 {
            let mut number = |size: f64| random.between(-size, size);
            let far = [1.0, 1e3, 1e6][round % 3];
            let near = Frame::new(number(far), number(far), number(3.0));
            let offset = DVec2::from_angle(number(3.0)) * (4.0 + number(3.0));
            let other = Frame::new(near.x + offset.x, near.y + offset.y, number(3.0));
            let sizes = [(); 2].map(|()| [number(1.0).abs() + 0.01, number(1.0).abs() + 0.01]);
            let [a, b] = sizes.map(|[length, width]| Compound::rectangle(length, width).expect("valid"));
            let n = DVec2::from_angle(offset.to_angle() + number(0.3));
            let [state, other_state] = [near, other].map(|frame| State { frame, piece: 0, fraction: 0.0 });
            let (a, b) = ((&a.parts()[0], &state), (&b.parts()[0], &other_state));
            let halves = sizes.map(|[length, width]| DVec2::new(length, width) * 0.5);
            let truth = exact_separation(n, [&near, &other], halves);
            let lower = Plane::separation(a, b, n);
            // Along a vector of length other than 1 the separation is larger by that length: compare squares.
            let length_squared = exact(n.x) * exact(n.x) + exact(n.y) * exact(n.y);
            if lower > 0.0 {
                assert!(truth > RBig::ZERO, "{lower}");
                let is_below = exact(lower) * exact(lower) * length_squared <= truth.clone() * truth.clone();
                assert!(is_below, "{lower} {truth:?}");
            }
            let bare = lower + MARGIN * (offset.x.abs() + offset.y.abs() + a.0.upper_reach + b.0.upper_reach);
            above += usize::from(bare > 0.0 && exact(bare) > truth);
            let found = Plane::proximity(a, b, 10.0);
            assert!(found.lower <= found.upper && found.lower <= (other.position() - near.position()).length());
        }
        assert!(above > 500, "without its margin it would be above the truth: {above}");
    }
}
