//! Closest points of many pairs of segments at once, as lanes of plain loops.
//!
//! The parameters of the closest points of two lines come from cross products. Their relative error grows with
//! 1/angle, that of the usual a·e − b² with 1/angle²: nearly parallel edges stay accurate. Each result is a pair of
//! points on the segments, so its distance is an upper bound despite any rounding.

use super::DVec3;

/// One coordinate of N points per row: `[x, y, z]`.
pub(crate) type PointLanes<const N: usize> = [[f64; N]; 3];

/// Closest points of N pairs of segments: parameters in [0, 1] and squared distances.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SegmentPairs<const N: usize> {
    /// Parameter on the first segment.
    pub(crate) s: [f64; N],
    /// Parameter on the second segment.
    pub(crate) t: [f64; N],
    /// Squared distance of the two points, as rounded.
    pub(crate) squared: [f64; N],
}

/// Smallest divisor: keeps 0 / 0 of degenerate segments at 0.
const TINY: f64 = 1e-300;

/// The divisor, or the smallest one.
#[inline(always)]
fn divisor(x: f64) -> f64 {
    if x > TINY { x } else { TINY }
}

/// A parameter of a segment; NaN becomes 0, which is valid too: any pair of points of the segments gives an upper
/// bound.
#[inline(always)]
fn parameter(x: f64) -> f64 {
    let at_least = if x > 0.0 { x } else { 0.0 };
    if at_least < 1.0 { at_least } else { 1.0 }
}

/// Spreads points over lanes.
#[inline(always)]
pub(crate) fn lanes<const N: usize>(point: impl Fn(usize) -> DVec3) -> PointLanes<N> {
    let mut result = [[0.0; N]; 3];
    for lane in 0..N {
        let p = point(lane);
        result[0][lane] = p.x;
        result[1][lane] = p.y;
        result[2][lane] = p.z;
    }
    result
}

/// Closest points of the segments p + s·d and q + t·e, lane by lane.
#[inline(always)]
pub(crate) fn closest<const N: usize>(
    p: &PointLanes<N>,
    d: &PointLanes<N>,
    q: &PointLanes<N>,
    e: &PointLanes<N>,
) -> SegmentPairs<N> {
    let mut result = SegmentPairs { s: [0.0; N], t: [0.0; N], squared: [0.0; N] };
    for i in 0..N {
        let (dx, dy, dz) = (d[0][i], d[1][i], d[2][i]);
        let (ex, ey, ez) = (e[0][i], e[1][i], e[2][i]);
        let (rx, ry, rz) = (q[0][i] - p[0][i], q[1][i] - p[1][i], q[2][i] - p[2][i]);
        let (cx, cy, cz) = (dy * ez - dz * ey, dz * ex - dx * ez, dx * ey - dy * ex);
        let (mx, my, mz) = (ry * ez - rz * ey, rz * ex - rx * ez, rx * ey - ry * ex);
        let on_line = (mx * cx + my * cy + mz * cz) / divisor(cx * cx + cy * cy + cz * cz);
        let along = dx * ex + dy * ey + dz * ez;
        let first = parameter(on_line);
        let t = parameter((along * first - (ex * rx + ey * ry + ez * rz)) / divisor(ex * ex + ey * ey + ez * ez));
        let s = parameter((along * t + (dx * rx + dy * ry + dz * rz)) / divisor(dx * dx + dy * dy + dz * dz));
        let (wx, wy, wz) = (rx + t * ex - s * dx, ry + t * ey - s * dy, rz + t * ez - s * dz);
        result.s[i] = s;
        result.t[i] = t;
        result.squared[i] = wx * wx + wy * wy + wz * wz;
    }
    result
}
