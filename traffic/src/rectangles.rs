//! Two rectangles of the plane by separating axes: the four edge normals decide if they overlap, and how deep.
//!
//! The signed distance of overlapping polygons is the largest separation along an edge normal, so both bounds come from
//! one number. If the rectangles are apart it is a lower bound (two corners may be farther apart). Rounding is that of
//! `plane`.

use glam::DVec2;

use super::compound::{Geometry, Part};
use super::narrow::{Placed, Proximity, State};
use super::plane::{Frame, MARGIN};

/// A rectangle in the world.
struct Rectangle {
    frame: Frame,
    half: DVec2,
}

#[inline(always)]
fn rectangle(part: &Part, state: &State<Frame>) -> Option<Rectangle> {
    match &part.geometry {
        Geometry::Rectangle { is_centred: true, half, .. } => Some(Rectangle { frame: state.frame, half: *half }),
        Geometry::Rectangle { body_from_part, half, .. } => {
            Some(Rectangle { frame: state.frame.compose(body_from_part), half: *half })
        }
        _ => None,
    }
}

/// Sizes of cosine and sine of the angle between two frames.
struct Turned {
    c: f64,
    s: f64,
}

impl Turned {
    #[inline(always)]
    fn new(a: &Frame, b: &Frame) -> Self {
        Self { c: (a.c * b.c + a.s * b.s).abs(), s: (a.c * b.s - a.s * b.c).abs() }
    }

    /// Half the extent of a rectangle of one frame along the axes of the other.
    #[inline(always)]
    fn across(&self, half: DVec2) -> DVec2 {
        DVec2::new(self.c * half.x + self.s * half.y, self.s * half.x + self.c * half.y)
    }
}

/// Separations along the axes of A and of B (x and y of each), and the position of B's centre in both frames.
struct Separations {
    of_a: DVec2,
    of_b: DVec2,
    b_in_a: DVec2,
    b_in_b: DVec2,
    /// |d| + both reaches: the scale of rounding.
    scale: f64,
}

#[inline(always)]
fn separations(a: &Rectangle, b: &Rectangle, reaches: f64) -> Separations {
    let d = DVec2::new(b.frame.x - a.frame.x, b.frame.y - a.frame.y);
    let (b_in_a, b_in_b) = (a.frame.turn_back(d), b.frame.turn_back(d));
    let turned = Turned::new(&a.frame, &b.frame);
    Separations {
        of_a: b_in_a.abs() - a.half - turned.across(b.half),
        of_b: b_in_b.abs() - b.half - turned.across(a.half),
        b_in_a,
        b_in_b,
        scale: d.x.abs() + d.y.abs() + reaches,
    }
}

/// True if two rectangles certainly overlap; `None` if one of the parts is no rectangle. Most are apart along an axis
/// of A: the other axes are computed only if they are not.
#[inline(always)]
pub(crate) fn overlap(a: Placed<'_, Frame>, b: Placed<'_, Frame>) -> Option<bool> {
    let (first, second) = (rectangle(a.0, a.1)?, rectangle(b.0, b.1)?);
    let d = DVec2::new(second.frame.x - first.frame.x, second.frame.y - first.frame.y);
    let b_in_a = first.frame.turn_back(d);
    let least = -MARGIN * (d.x.abs() + d.y.abs() + a.0.upper_reach + b.0.upper_reach);
    let turned = Turned::new(&first.frame, &second.frame);
    let of_a = b_in_a.abs() - first.half - turned.across(second.half);
    if !(of_a.x <= least && of_a.y <= least) {
        return Some(false);
    }
    let of_b = second.frame.turn_back(d).abs() - second.half - turned.across(first.half);
    Some(of_b.x <= least && of_b.y <= least)
}

/// Bounds on the signed distance of two rectangles, `upper` infinite if they may be apart; `None` if one of the parts
/// is no rectangle.
#[inline(always)]
pub(crate) fn proximity(a: Placed<'_, Frame>, b: Placed<'_, Frame>) -> Option<Proximity<DVec2>> {
    let (first, second) = (rectangle(a.0, a.1)?, rectangle(b.0, b.1)?);
    let found = separations(&first, &second, a.0.upper_reach + b.0.upper_reach);
    let margin = MARGIN * found.scale;
    let axes = [
        (found.of_a.x, &first.frame, DVec2::new(1f64.copysign(found.b_in_a.x), 0.0)),
        (found.of_a.y, &first.frame, DVec2::new(0.0, 1f64.copysign(found.b_in_a.y))),
        (found.of_b.x, &second.frame, DVec2::new(1f64.copysign(found.b_in_b.x), 0.0)),
        (found.of_b.y, &second.frame, DVec2::new(0.0, 1f64.copysign(found.b_in_b.y))),
    ];
    let mut best = &axes[0];
    for axis in &axes[1..] {
        // Not certain to be smaller: NaN is kept.
        if !(axis.0 <= best.0) {
            best = axis;
        }
    }
    let separation = best.0;
    let upper = if separation + margin <= 0.0 { separation + margin } else { f64::INFINITY };
    Some(Proximity { lower: separation - margin, upper, axis: best.1.turn(best.2) })
}
