//! Tests if a part of one body lies inside a closed mesh of another.
//!
//! If surfaces do not meet, a component is inside as a whole or not at all, and one of its points decides. A point can
//! be inside only if it is in the box of a solid component. Points and boxes are kept in spatial order, so that few
//! are tested; the exact count of crossings decides the rest. Invariant: `Inside` and `Outside` hold wherever rounding
//! may have put the point; a point nearer to a surface than that is `Unclear`.

use super::indexed::Indexed;
use super::query::Query;
use super::triangle;
use crate::numeric::{DMat3, DVec3, Pose, most};
use crate::shapes::{Aabb, Body, Component, Primitive, WindingCount, crossing};
use crate::trees::BoxTree;

/// One point of each component and piece of a body, and the boxes around its solid components.
#[derive(Clone, Debug)]
pub(super) struct Solids {
    /// The points, each with a primitive that it belongs to.
    samples: Vec<(DVec3, usize)>,
    points: Places,
    boxes: Places,
}

impl Solids {
    pub(super) fn of(body: &Body) -> Self {
        let components = body.components().iter().map(|component| (component.sample, component.first_triangle));
        let first_piece = body.triangles().len();
        let pieces = body
            .pieces()
            .iter()
            .enumerate()
            .map(|(i, piece)| (piece.centre_from_piece.point(piece.shape.core_support(DVec3::X)), first_piece + i));
        let samples: Vec<(DVec3, usize)> = components.chain(pieces).collect();
        let points = Places::of(samples.iter().map(|(p, _)| Aabb { min: *p, max: *p }).collect());
        Self { samples, points, boxes: Places::of(solid_bounds(body)) }
    }
}

/// The boxes of the solid components.
fn solid_bounds(body: &Body) -> Vec<Aabb> {
    let mut bounds: Vec<Option<Aabb>> = vec![None; body.components().len()];
    for triangle in 0..body.triangles().len() {
        if let Primitive::Triangle(corners) = body.primitive(triangle) {
            let bounds = &mut bounds[body.component_of(triangle) as usize];
            let around = bounds.get_or_insert(Aabb { min: corners[0], max: corners[0] });
            for p in corners {
                (around.min, around.max) = (around.min.min(p), around.max.max(p));
            }
        }
    }
    let solid = body.components().iter().zip(bounds).filter(|(component, _)| component.is_solid());
    solid.filter_map(|(_, bounds)| bounds).collect()
}

/// Boxes in a binary tree, depth first: the node after a missed subtree is at `next`.
#[derive(Clone, Debug)]
struct Places {
    nodes: Vec<Place>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    bounds: Aabb,
    next: u32,
    /// The box's number; `NONE` for an inner node.
    item: u32,
}

const NONE: u32 = u32::MAX;

impl Places {
    fn of(boxes: Vec<Aabb>) -> Self {
        let mut items: Vec<(Aabb, u32)> = boxes.into_iter().zip(0..).collect();
        let mut places = Self { nodes: Vec::with_capacity(2 * items.len()) };
        if !items.is_empty() {
            places.add(&mut items);
        }
        places
    }

    fn add(&mut self, items: &mut [(Aabb, u32)]) {
        let around = items[1..].iter().fold(items[0].0, |around, (bounds, _)| Aabb {
            min: around.min.min(bounds.min),
            max: around.max.max(bounds.max),
        });
        let place = self.nodes.len();
        let item = if let [(_, item)] = items { *item } else { NONE };
        self.nodes.push(Place { bounds: around, next: 0, item });
        if items.len() > 1 {
            let size = around.size();
            let axis = (0..3).max_by(|&i, &j| size[i].total_cmp(&size[j]).then(j.cmp(&i))).unwrap_or(0);
            let key = |(bounds, item): &(Aabb, u32)| (bounds.centre()[axis], *item);
            let middle = items.len() / 2;
            items.select_nth_unstable_by(middle, |x, y| {
                let (x, y) = (key(x), key(y));
                x.0.total_cmp(&y.0).then(x.1.cmp(&y.1))
            });
            let (before, after) = items.split_at_mut(middle);
            self.add(before);
            self.add(after);
        }
        self.nodes[place].next = self.nodes.len() as u32;
    }

    /// The first result of `test` over the boxes that meet `bounds`. NaN meets everything.
    fn find<R>(&self, bounds: &Aabb, mut test: impl FnMut(usize) -> Option<R>) -> Option<R> {
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            let misses = bounds.max.cmplt(node.bounds.min).any() || bounds.min.cmpgt(node.bounds.max).any();
            if misses {
                at = node.next as usize;
                continue;
            }
            if let Some(result) = (node.item != NONE).then(|| test(node.item as usize)).flatten() {
                return Some(result);
            }
            at += 1;
        }
        None
    }
}

/// Result of testing if a component or piece of one body lies in a closed mesh of the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Containment {
    /// At least one does.
    Inside {
        /// The point, in the world.
        place: DVec3,
        /// The primitive that it belongs to and one of the solid, A's first.
        primitives: [usize; 2],
    },
    /// None does, judged by one point of each.
    Outside,
    /// None is shown to, but a primitive is so near a surface that rounding cannot decide.
    Unclear {
        /// The primitive and one of the surface, A's first.
        primitives: [usize; 2],
    },
}

impl Query<'_, BoxTree> {
    /// A point in the world of a component or piece of one body that lies in a closed mesh of the other, if there is
    /// one. Intended for bodies with surfaces that do not meet: then a component is inside as a whole or not at all.
    pub fn containment(&self) -> Option<DVec3> {
        match self.containment_of() {
            Containment::Inside { place, .. } => Some(place),
            Containment::Outside | Containment::Unclear { .. } => None,
        }
    }

    /// The same, with the primitives involved. A point of one body that is in a solid of the other is contact, whether
    /// or not the surfaces meet.
    pub fn containment_of(&self) -> Containment {
        let [a, b] = self.bodies();
        let a_in_b = component_inside(a, b, &self.a_from_b().inverse(), self.margin());
        if let Side::Inside { sample, inner, outer } = a_in_b {
            return Containment::Inside { place: self.world_from_a().point(sample), primitives: [inner, outer] };
        }
        let b_in_a = component_inside(b, a, self.a_from_b(), self.margin());
        if let Side::Inside { sample, inner, outer } = b_in_a {
            let place = self.world_from_a().point(self.a_from_b().point(sample));
            return Containment::Inside { place, primitives: [outer, inner] };
        }
        match (a_in_b, b_in_a) {
            (Side::Unclear { inner, outer }, _) => Containment::Unclear { primitives: [inner, outer] },
            (_, Side::Unclear { inner, outer }) => Containment::Unclear { primitives: [outer, inner] },
            _ => Containment::Outside,
        }
    }
}

/// The same as [`Containment`], for components and pieces of one body in the other.
#[derive(Clone, Copy, Debug)]
enum Side {
    Inside {
        /// The point, in the inner body's frame.
        sample: DVec3,
        inner: usize,
        outer: usize,
    },
    Outside,
    Unclear {
        inner: usize,
        outer: usize,
    },
}

/// Tests if a component or piece of `inner` lies in a closed mesh of `outer`, for points that may be off by `margin`.
fn component_inside(inner: &Indexed, outer: &Indexed, outer_from_inner: &Pose, margin: f64) -> Side {
    let (samples, solids) = (inner.solids(), &outer.solids().boxes);
    let Some(Place { bounds: around, .. }) = solids.nodes.first() else { return Side::Outside };
    // Much larger than the rounding of placement; a false hit only costs time.
    let size =
        around.min.length() + around.max.length() + outer_from_inner.translation.length() + inner.body().radius();
    let reach = most(1e-12 * size, 2.0 * margin);
    let slack = DVec3::splat(reach);
    let in_inner = placed(around, &outer_from_inner.inverse(), slack);
    let mut unclear = Side::Outside;
    let inside = samples.points.find(&in_inner, |i| {
        let (sample, inner) = samples.samples[i];
        let p = outer_from_inner.point(sample);
        let is_near = solids.find(&Aabb { min: p - slack, max: p + slack }, |_| Some(())).is_some();
        match is_near.then(|| point_inside(outer, p, margin, reach)) {
            Some(PointSide::Inside { outer }) => return Some(Side::Inside { sample, inner, outer }),
            Some(PointSide::Unclear { outer }) => unclear = Side::Unclear { inner, outer },
            Some(PointSide::Outside) | None => {}
        }
        None
    });
    inside.unwrap_or(unclear)
}

/// A box in other axes that holds `bounds`, with some room.
fn placed(bounds: &Aabb, pose: &Pose, slack: DVec3) -> Aabb {
    let absolute = DMat3 {
        x_axis: pose.rotation.x_axis.abs(),
        y_axis: pose.rotation.y_axis.abs(),
        z_axis: pose.rotation.z_axis.abs(),
    };
    let (centre, half) = (pose.point(bounds.centre()), absolute * (bounds.size() * 0.5) + slack);
    Aabb { min: centre - half, max: centre + half }
}

/// Side of a body's closed meshes on which a point is, and a triangle of the mesh.
enum PointSide {
    Inside { outer: usize },
    Outside,
    Unclear { outer: usize },
}

/// Side of `p`, about the body's centre, if `p` may be off by `margin`: nearer than that to a closed surface its side
/// is unclear, else the winding number is the same within the whole ball. `reach` is at least the margin.
fn point_inside(outer: &Indexed, p: DVec3, margin: f64, reach: f64) -> PointSide {
    let mut count = WindingCount::default();
    let mut near = None;
    outer.tree().stab(p, reach, |primitive| {
        let Primitive::Triangle(corners) = outer.body().primitive(primitive) else { return };
        let number = outer.body().component_of(primitive);
        let component = &outer.body().components()[number as usize];
        if !component.is_solid() {
            return;
        }
        if !is_farther(p, &corners, margin) {
            near = Some(primitive);
        }
        let Component { enclosure, mesh, .. } = *component;
        count.add(mesh, number, enclosure, crossing(p, corners));
    });
    let components = outer.body().components();
    match (near, count.component(components)) {
        (Some(outer), _) => PointSide::Unclear { outer },
        (None, Some(component)) => PointSide::Inside { outer: components[component].first_triangle },
        (None, None) => PointSide::Outside,
    }
}

/// True if a point is certainly farther than `margin` from a triangle.
fn is_farther(p: DVec3, corners: &[DVec3; 3], margin: f64) -> bool {
    let [a, b, c] = *corners;
    let is_beside = p.cmplt(a.min(b).min(c) - 2.0 * margin).any() || p.cmpgt(a.max(b).max(c) + 2.0 * margin).any();
    is_beside || triangle::distance(&[p; 3], corners, margin).lower > 0.0
}
