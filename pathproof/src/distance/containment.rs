//! Whether one body lies inside a closed mesh of another (CONTRACT.md, solids), for bodies whose surfaces do not meet: then
//! a component is inside as a whole or not at all, and one point of it tells.
//!
//! A point can be inside only where it is in the box of a solid component. Points and boxes are kept in order of place, so
//! that hardly any is looked at; what is left is decided by the exact count of crossings.

use super::query::{Indexed, Query};
use crate::numeric::{DMat3, DVec3, Pose};
use crate::shapes::{Aabb, Body, Component, Primitive, WindingCount, crossing};
use crate::trees::BoxTree;

/// One point of each component and piece of a body, and the boxes around its solid components.
#[derive(Clone, Debug)]
pub(super) struct Solids {
    /// The points, and a primitive that each belongs to.
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

/// Boxes in a binary tree, depth first: what follows a node that is missed begins at `next`.
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

    /// The first result of `test` over the boxes that meet `bounds`. What is not a number meets everything.
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

impl Query<'_, BoxTree> {
    /// A point in the world of a component or piece of one body that lies in a closed mesh of the other, if there is
    /// one. Meant for bodies whose surfaces do not meet: then a component is inside as a whole or not at all.
    pub fn containment(&self) -> Option<DVec3> {
        self.containment_of().map(|(place, _)| place)
    }

    /// The same, with the primitive that is inside on its side and one of the solid on the other.
    pub(crate) fn containment_of(&self) -> Option<(DVec3, [usize; 2])> {
        let [a, b] = self.bodies();
        if let Some((in_a, inner, outer)) = component_inside(a, b, &self.a_from_b().inverse()) {
            return Some((self.world_from_a().point(in_a), [inner, outer]));
        }
        let (in_b, inner, outer) = component_inside(b, a, self.a_from_b())?;
        Some((self.world_from_a().point(self.a_from_b().point(in_b)), [outer, inner]))
    }
}

/// A sample, in its own frame, of a component or piece of `inner` that lies in a closed mesh of `outer`; a primitive of
/// it, and one of the mesh.
fn component_inside(inner: &Indexed, outer: &Indexed, outer_from_inner: &Pose) -> Option<(DVec3, usize, usize)> {
    let (samples, solids) = (inner.solids(), &outer.solids().boxes);
    let around = &solids.nodes.first()?.bounds;
    // Far more than what placing rounds; a false hit only costs time.
    let size =
        around.min.length() + around.max.length() + outer_from_inner.translation.length() + inner.body().radius();
    let slack = DVec3::splat(1e-12 * size);
    let in_inner = placed(around, &outer_from_inner.inverse(), slack);
    samples.points.find(&in_inner, |i| {
        let (sample, primitive) = samples.samples[i];
        let p = outer_from_inner.point(sample);
        let is_near = solids.find(&Aabb { min: p - slack, max: p + slack }, |_| Some(())).is_some();
        let solid = is_near.then(|| inside_of(outer, p)).flatten()?;
        Some((sample, primitive, solid))
    })
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

/// A triangle of the closed mesh that `p`, about the body's centre, lies in; `None` if it is outside.
fn inside_of(outer: &Indexed, p: DVec3) -> Option<usize> {
    let body = outer.body();
    let mut count = WindingCount::default();
    outer.tree().stab(p, |primitive| {
        if let Primitive::Triangle(corners) = body.primitive(primitive) {
            let number = body.component_of(primitive);
            let Component { enclosure, mesh, .. } = body.components()[number as usize];
            count.add(mesh, number, enclosure, crossing(p, corners));
        }
    });
    body.count_fillings(p, &mut count);
    count.component(body.components()).map(|component| body.components()[component].first_triangle)
}
