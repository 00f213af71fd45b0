//! The volumes of the tree: a box in `f32`, and the slab across which its content is thin. Both rounded outward.

use crate::numeric::{DVec3, ROUNDOFF_F64, f32_down, f32_up, least, most, norm_up, unit};
use crate::shapes::{Aabb, Body, Primitive};
use crate::trees::build::{Item, spanning_points};

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

    /// Whether it is thinner than this fraction of what the box around the same content measures across it.
    pub(super) fn is_thinner_than(&self, small: &SmallBox, fraction: f32) -> bool {
        let box_across: f32 = (0..3).map(|i| self.normal[i].abs() * small.half[i] * 2.0).sum();
        self.high - self.low < fraction * box_across
    }

    fn across(normal: DVec3, items: &[Item], body: &Body, centre: DVec3) -> Self {
        // What is stored is the rounded normal: extents are measured along that.
        let normal = normal.to_array().map(|c| c as f32);
        let along = DVec3::from_array(normal.map(f64::from));
        let (mut low, mut high, mut radius) = (f64::INFINITY, f64::NEG_INFINITY, 0f64);
        for item in items {
            spanning_points(body, item.primitive as usize, |p| {
                let v = p - centre;
                let (w, r) = (along.dot(v), norm_up(v));
                // The product of two vectors in f64 errs by less than 8 u of their lengths.
                (low, high) = (least(low, w - 8.0 * ROUNDOFF_F64 * r), most(high, w + 8.0 * ROUNDOFF_F64 * r));
                radius = most(radius, r);
            });
        }
        Self { normal, low: f32_down(low), high: f32_up(high), radius: f32_up(radius) }
    }

    /// Whether the slab of the box about `centre` holds a primitive, with half of what it was widened by to spare, which
    /// exceeds what this test itself rounds.
    pub(super) fn holds(&self, centre: [f32; 3], body: &Body, primitive: usize) -> bool {
        let (along, centre) = (self.normal.map(f64::from), centre.map(f64::from));
        let (along, centre) = (DVec3::from_array(along), DVec3::from_array(centre));
        let mut held = true;
        spanning_points(body, primitive, |p| {
            let v = p - centre;
            let (w, r) = (along.dot(v), norm_up(v));
            let spare = 4.0 * ROUNDOFF_F64 * r;
            let within = f64::from(self.low) <= w - spare && w + spare <= f64::from(self.high);
            held &= within && v.length() <= f64::from(self.radius);
        });
        held
    }
}

impl SmallBox {
    /// A box that holds `bounds`: the centre as it rounds, the half width rounded up with room for the rounding of
    /// the subtraction.
    pub(in crate::trees) fn around(bounds: &Aabb) -> Self {
        let centre = bounds.centre().to_array().map(|c| c as f32);
        let middle = DVec3::from_array(centre.map(f64::from));
        let half = (bounds.max - middle).max(middle - bounds.min).to_array().map(|h| f32_up(h.next_up()));
        Self { centre, half }
    }

    /// Whether the box holds `p`, decided exactly.
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
