//! The volumes of the tree: a box in `f32`, and the slab across which its content is thin. Both rounded outward.

use crate::numeric::{DVec3, ROUNDOFF_F64, f32_down, f32_up, least, most, norm_up, unit};
use crate::shapes::{Aabb, Body, Primitive};
use crate::trees::build::{Item, corners_of, spanning_points};

/// One box in `f32`.
#[derive(Clone, Copy, Debug)]
pub(in crate::trees) struct SmallBox {
    pub(in crate::trees) centre: [f32; 3],
    pub(in crate::trees) half: [f32; 3],
}

/// One box's slab; see [`super::SlabLanes`].
#[derive(Clone, Copy, Debug)]
pub(in crate::trees) struct Slab {
    pub(in crate::trees) normal: [f32; 3],
    pub(in crate::trees) low: f32,
    pub(in crate::trees) high: f32,
    pub(in crate::trees) radius: f32,
}

impl Slab {
    /// The slab of some primitives about `centre`: across their mean normal, or across the axis in which they are
    /// thinnest, whichever is thinner. Rounded outward.
    pub(in crate::trees) fn around(items: &[Item], body: &Body, small: &SmallBox) -> Self {
        let centre = DVec3::from_array(small.centre.map(f64::from));
        let mut mean = DVec3::ZERO;
        for item in items {
            if let Primitive::Triangle([a, b, c]) = body.primitive(item.primitive as usize) {
                mean += (b - a).cross(c - a);
            }
        }
        let half = small.half;
        let thinnest = if half[0] <= half[1] && half[0] <= half[2] {
            DVec3::X
        } else if half[1] <= half[2] {
            DVec3::Y
        } else {
            DVec3::Z
        };
        let across_mean = Self::across(unit(mean).unwrap_or(thinnest), items, body, centre);
        let across_axis = Self::across(thinnest, items, body, centre);
        if across_mean.high - across_mean.low <= across_axis.high - across_axis.low { across_mean } else { across_axis }
    }

    /// True if it is thinner than this fraction of the box around the same content, measured across it.
    pub(super) fn is_thinner_than(&self, small: &SmallBox, fraction: f32) -> bool {
        let box_across: f32 = (0..3).map(|i| self.normal[i].abs() * small.half[i] * 2.0).sum();
        self.high - self.low < fraction * box_across
    }

    fn across(normal: DVec3, items: &[Item], body: &Body, centre: DVec3) -> Self {
        // The stored normal is rounded: extents are measured along it.
        let normal = normal.to_array().map(|c| c as f32);
        let along = DVec3::from_array(normal.map(f64::from));
        let (mut low, mut high, mut radius) = (f64::INFINITY, f64::NEG_INFINITY, 0f64);
        for item in items {
            // The product of two vectors in f64 errs by less than 8 u of their lengths.
            let reach = Reach::of(item, body, along, centre, 8.0);
            (low, high, radius) = (least(low, reach.low), most(high, reach.high), most(radius, reach.radius));
        }
        Self { normal, low: f32_down(low), high: f32_up(high), radius: f32_up(radius) }
    }

    /// True if the slab of the box about `centre` holds an item with half of its widening to spare, which exceeds the
    /// rounding of this test.
    pub(super) fn holds(&self, centre: [f32; 3], body: &Body, item: &Item) -> bool {
        let (along, centre) = (self.normal.map(f64::from), centre.map(f64::from));
        let reach = Reach::of(item, body, DVec3::from_array(along), DVec3::from_array(centre), 4.0);
        f64::from(self.low) <= reach.low && reach.high <= f64::from(self.high) && reach.radius <= f64::from(self.radius)
    }
}

/// Reach of an item from a centre: low ≤ along·(x − centre) ≤ high and |x − centre| ≤ radius.
struct Reach {
    low: f64,
    high: f64,
    radius: f64,
}

impl Reach {
    /// Products are widened by `room` units of rounding. Both its triangle and its box hold a shard.
    fn of(item: &Item, body: &Body, along: DVec3, centre: DVec3, room: f64) -> Self {
        let mut whole = Self::EMPTY;
        let add = |reach: &mut Self, p: DVec3| {
            let v = p - centre;
            let (w, r) = (along.dot(v), norm_up(v));
            let room = room * ROUNDOFF_F64 * r;
            *reach = Self {
                low: least(reach.low, w - room),
                high: most(reach.high, w + room),
                radius: most(reach.radius, r),
            };
        };
        spanning_points(body, item.primitive as usize, |p| add(&mut whole, p));
        if !item.is_shard {
            return whole;
        }
        let mut of_box = Self::EMPTY;
        corners_of(&item.bounds).for_each(|p| add(&mut of_box, p));
        Self {
            low: most(whole.low, of_box.low),
            high: least(whole.high, of_box.high),
            radius: least(whole.radius, of_box.radius),
        }
    }

    const EMPTY: Self = Self { low: f64::INFINITY, high: f64::NEG_INFINITY, radius: 0.0 };
}

impl SmallBox {
    /// A box that holds `bounds`: the rounded centre, and the half width rounded up with room for the rounding of the
    /// subtraction.
    pub(in crate::trees) fn around(bounds: &Aabb) -> Self {
        let centre = bounds.centre().to_array().map(|c| c as f32);
        let middle = DVec3::from_array(centre.map(f64::from));
        let half = (bounds.max - middle).max(middle - bounds.min).to_array().map(|h| f32_up(h.next_up()));
        Self { centre, half }
    }

    /// True if the box holds `p`, decided exactly.
    pub(super) fn contains(&self, p: DVec3) -> bool {
        (0..3).all(|i| {
            let (c, h) = (f64::from(self.centre[i]), f64::from(self.half[i]));
            difference_at_most(p[i], c, h) && difference_at_most(c, p[i], h)
        })
    }
}

/// x − y ≤ h, exactly: the rounded difference and its error (Knuth's two-sum) are compared separately.
fn difference_at_most(x: f64, y: f64, h: f64) -> bool {
    let s = x - y;
    let y_part = s - x;
    let error = (x - (s - y_part)) - (y + y_part);
    s < h || (s == h && error <= 0.0)
}
