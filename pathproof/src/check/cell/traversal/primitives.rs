//! Pairs of primitives in a traversal: tests triangles along known directions before computing their distance.

use super::shells::certify_gaps;
use super::{Pending, Search, leave};
use crate::check::cell::examine::Wanted;
use crate::check::cell::shells::Gaps;
use crate::distance::triangle::{self, Triangle};
use crate::distance::{Near, PrimitivePair};
use crate::numeric::{DVec3, least, most, unit};
use crate::shapes::Primitive;
use crate::trees::Slot;

impl Search<'_, '_> {
    /// Examines a pair of primitives.
    #[inline(always)]
    pub(super) fn primitives(&mut self, mut pair: Pending, primitives: [usize; 2]) {
        pair.halves &= if self.found.is_some() { 0 } else { self.halves };
        if pair.halves == 0 && !self.looks_for_contact() {
            return;
        }
        self.statistics.triangle_tests += 1;
        let near = if self.is_signed {
            self.query.signed_pair(primitives[0], primitives[1])
        } else if pair.halves == 0 {
            match self.query.primitive_pair(primitives[0], primitives[1], self.hint, f64::from(self.apart)) {
                PrimitivePair::Beyond { .. } => return,
                PrimitivePair::Near(near) => near,
            }
        } else if let Some((ta, tb)) = self.query.triangles(primitives[0], primitives[1]) {
            let between = tb[0] + tb[1] + tb[2] - (ta[0] + ta[1] + ta[2]);
            for n in [Some(self.hint), unit(between)].into_iter().flatten() {
                pair.halves &= !self.certify_triangles(&ta, &tb, n, pair.halves);
                if pair.halves == 0 {
                    return;
                }
            }
            let near = self.query.triangle_pair(&ta, &tb);
            pair.halves &= !self.certify_triangles(&ta, &tb, near.direction, pair.halves);
            if pair.halves == 0 {
                self.hint = near.direction;
                return;
            }
            near
        } else {
            let separation = self.query.unlike_separation(primitives[0], primitives[1], self.hint);
            pair.halves &=
                !self.certify(pair.halves, separation, |search| search.closing(pair.slots, primitives, search.hint));
            if pair.halves == 0 {
                return;
            }
            self.query.unlike_pair(primitives[0], primitives[1])
        };
        self.judge(near, pair, primitives);
    }

    /// Halves for which a pair of primitives is certified, given its separation along a direction and an upper bound
    /// on its closing along it.
    #[inline(always)]
    fn certify(&mut self, halves: u8, separation: f64, upper_closing: impl FnOnce(&Self) -> [f64; 2]) -> u8 {
        if !(separation > self.cell.clearance) {
            return 0;
        }
        let closing = upper_closing(self);
        let mut certified = 0;
        for half in 0..2 {
            let guaranteed = separation - least(closing[half], self.arc);
            if halves & (1 << half) != 0 && guaranteed > self.cell.clearance {
                self.lower_of_primitives[half] = least(self.lower_of_primitives[half], guaranteed);
                certified |= 1 << half;
            }
        }
        certified
    }

    /// Halves for which two triangles, given in A's frame, are certified along n. They are shells with three corners
    /// each.
    #[inline(always)]
    fn certify_triangles(&mut self, ta: &Triangle, tb: &Triangle, n: DVec3, halves: u8) -> u8 {
        let now = triangle::separation(ta, tb, n) - self.query.margin();
        if !(now > self.cell.clearance) {
            return 0;
        }
        let displaced = |side: usize, corners: &Triangle, centre: DVec3| {
            let (constant, gradient) = (n.dot(self.moving.linear[side]), n.cross(self.moving.angular[side]));
            corners.map(|x| (n.dot(x), (constant + gradient.dot(x - centre)) * self.moving.half_length))
        };
        let of_a = displaced(0, ta, DVec3::ZERO);
        let of_b = displaced(1, tb, self.query.a_from_b().translation);
        let rounding = self.query.margin() + self.moving.rounding + self.moving.upper_bend;
        let over_halves = [-1.0, 1.0].map(|sign| {
            let of_a = range_of(of_a.map(|(at, drift)| at + sign * drift));
            let of_b = range_of(of_b.map(|(at, drift)| at + sign * drift));
            least(now, of_b[0] - of_a[1] - rounding)
        });
        let gaps = Gaps { now, over_halves };
        certify_gaps(&gaps, halves, self.arc, self.cell.clearance, &mut self.lower_of_primitives)
    }

    /// Upper bounds on how far two primitives, in leaves, approach along n in either half.
    fn closing(&self, leaves: [Slot; 2], primitives: [usize; 2], n: DVec3) -> [f64; 2] {
        let range = |side: usize| self.speed_range(side, leaves[side], primitives[side], n);
        self.moving.closing(range(0), range(1))
    }

    /// Judges a pair of primitives by its distance: certifies it for a half, leaves it to one, or ends the search.
    #[inline(never)]
    fn judge(&mut self, near: Near, pair: Pending, primitives: [usize; 2]) {
        self.hint = near.direction;
        let closing = |search: &Self| search.closing(pair.slots, primitives, near.direction);
        let left = pair.halves & !self.certify(pair.halves, near.lower, closing);
        for half in 0..2 {
            if left & (1 << half) != 0 {
                self.lower_at_middle = least(self.lower_at_middle, near.lower);
                let siblings = pair.siblings();
                leave(&mut self.scratch.left[half], &siblings, siblings.members);
            }
        }
        if self.cell.wanted == Wanted::WholeHalves {
            self.halves &= !left;
        }
        let is_certified = pair.halves != 0 && left == 0;
        let is_nearest = self.found.is_none_or(|(found, _)| near.upper < found.upper);
        if near.upper <= self.cell.close && !is_certified && is_nearest {
            self.found = Some((near, primitives));
        }
    }

    /// Least and greatest speed of a primitive, in a leaf, along a direction in A's axes.
    #[inline]
    fn speed_range(&self, side: usize, leaf: Slot, primitive: usize, n: DVec3) -> [f64; 2] {
        let (linear, angular) = (self.moving.linear[side], self.moving.angular[side]);
        let (constant, gradient) = (n.dot(linear), n.cross(angular));
        let in_a = |p: DVec3| if side == 0 { p } else { self.query.a_from_b().vector(p) };
        match self.query.body(side).primitive(primitive) {
            Primitive::Triangle(corners) => {
                let at = corners.map(|p| constant + gradient.dot(in_a(p)));
                range_of(at)
            }
            Primitive::Piece(_) => {
                let [centre, half] = self.trees[side].centre_and_half(leaf);
                let gradient_here = if side == 0 { gradient } else { self.query.a_from_b().inverse_vector(gradient) };
                let at_centre = constant + gradient.dot(in_a(centre));
                let spread = gradient_here.abs().dot(half);
                [at_centre - spread, at_centre + spread]
            }
        }
    }
}

/// The least and the greatest of three numbers.
#[inline(always)]
fn range_of([x, y, z]: [f64; 3]) -> [f64; 2] {
    [least(least(x, y), z), most(most(x, y), z)]
}
