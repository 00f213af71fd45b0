//! Tests whether a body starts inside a closed mesh of another. One point of each component and piece decides, as no
//! surface is crossed on the way (shown elsewhere). Crossings of a ray are counted exactly for the point as computed.

use pathproof::numeric::{DVec3, Pose};
use pathproof::shapes::{Body, Primitive, WindingCount, crossing};

use crate::tree::{Inside, Tree};

/// True if anything of `inner` is inside `outer`. `outer_tree` is the tree of `outer`.
pub(crate) fn is_inside(inner: &Body, outer: &Body, outer_tree: &Tree, outer_from_inner: &Pose) -> bool {
    if !outer.has_closed_mesh() {
        return false;
    }
    let corner = |triangle: usize| inner.vertices()[inner.triangles()[triangle][0] as usize];
    let components = inner.components().iter().map(|component| corner(component.first_triangle));
    let pieces = inner.pieces().iter().map(|piece| piece.centre_from_piece.point(piece.shape.core_support(DVec3::X)));
    components.chain(pieces).any(|p| holds(outer, outer_tree, outer_from_inner.point(p)))
}

fn holds(outer: &Body, tree: &Tree, p: DVec3) -> bool {
    let mut count = WindingCount::default();
    let mut pending = vec![0];
    while let Some(number) = pending.pop() {
        let node = tree.node(number);
        let is_beside = p.y < node.low.y || p.y > node.high.y || p.z < node.low.z || p.z > node.high.z;
        if is_beside || p.x > node.high.x {
            continue;
        }
        match node.inside {
            Inside::Nodes(children) => pending.extend(children),
            Inside::Primitive(i) => {
                if let Primitive::Triangle(corners) = outer.primitive(i as usize) {
                    let number = outer.component_of(i as usize);
                    let component = outer.components()[number as usize];
                    count.add(component.mesh, number, component.enclosure, crossing(p, corners));
                }
            }
        }
    }
    count.is_inside()
}
